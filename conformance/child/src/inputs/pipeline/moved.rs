//! A pipeline description at the addresses of another.

use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_RASTERIZER_DESC_0102,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, D3D12DDIARG_CREATE_SHADER_0026,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010,
};

use super::Pipeline;

impl Pipeline {
    /// Puts this where `other` is: the argument, and what those handles lead to that both have, and the programs where there
    /// is room. What these point to stays where it is.
    pub(crate) fn move_to(&self, other: &Self) {
        // SAFETY: both arguments are in arenas of ours, which are writable, and a handle of either leads to the structure of
        // its kind there. The programs' second word is their length in words.
        unsafe {
            let (mut new, old) = (*self.arg, *other.arg);
            macro_rules! move_handles {
                ($($structure:ty: $($handle:ident)*;)*) => {$($(
                    let (from, to) = (new.$handle.pDrvPrivate, old.$handle.pDrvPrivate);
                    if !from.is_null() && !to.is_null() {
                        to.cast::<$structure>().copy_from(from.cast(), 1);
                        new.$handle.pDrvPrivate = to;
                    }
                )*)*};
            }
            macro_rules! move_programs {
                ($($handle:ident)*) => {$(
                    let (from, to) = (new.$handle.pDrvPrivate, old.$handle.pDrvPrivate);
                    if !from.is_null() && !to.is_null() {
                        let from = from.cast::<D3D12DDIARG_CREATE_SHADER_0026>();
                        let to = to.cast::<D3D12DDIARG_CREATE_SHADER_0026>().read().pShaderCode;
                        let words = (*from).pShaderCode.add(1).read();
                        if words <= to.add(1).read() {
                            to.cast_mut().copy_from((*from).pShaderCode, words as usize);
                            (*from).pShaderCode = to;
                        }
                    }
                )*};
            }
            move_programs!(
                hComputeShader hVertexShader hPixelShader hDomainShader hHullShader hGeometryShader hMeshShader
                hAmplificationShader
            );
            move_handles! {
                D3D12DDIARG_CREATE_SHADER_0026:
                    hComputeShader hVertexShader hPixelShader hDomainShader hHullShader hGeometryShader hMeshShader
                    hAmplificationShader;
                D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100: hRootSignature;
                D3D12DDI_BLEND_DESC_0010: hBlendState;
                D3D12DDI_RASTERIZER_DESC_0102: hRasterizerState;
                D3D12DDI_DEPTH_STENCIL_DESC_0095: hDepthStencilState;
                D3D12DDIARG_CREATEELEMENTLAYOUT_0010: hElementLayout;
            }
            other.arg.cast_mut().write(new);
        }
    }
}
