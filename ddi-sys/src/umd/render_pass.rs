//! The render pass table.

use bytemuck::Zeroable;

use crate::*;

/// The function `pfnBeginRenderPass` of [`D3D12DDI_RENDER_PASS_FUNCS_0053`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_BEGIN_RENDER_PASS_0053 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        NumRenderTargets: UINT,
        pRenderPassRenderTargetDesc: *const D3D12DDIARG_RENDER_PASS_RENDER_TARGET_DESC_0053,
        pRenderPassDepthStencilDesc: *const D3D12DDIARG_RENDER_PASS_DEPTH_STENCIL_DESC_0053,
        D3d12ddiargRenderPassFlags: D3D12DDIARG_RENDER_PASS_FLAGS_0053,
    ),
>;

/// The function `pfnEndRenderPass` of [`D3D12DDI_RENDER_PASS_FUNCS_0053`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_END_RENDER_PASS_0053 =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST)>;

/// The render pass table. No public text names it; the name is ours.
///
/// Source: the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RENDER_PASS_FUNCS_0053 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnBeginRenderPass: PFND3D12DDI_BEGIN_RENDER_PASS_0053,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnEndRenderPass: PFND3D12DDI_END_RENDER_PASS_0053,
}
