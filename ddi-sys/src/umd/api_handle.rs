//! From the handle of an API object to the driver's.

use core::ffi::c_void;

use crate::*;

/// The driver's object behind an API object's header.
///
/// Source: D3D12RuntimeBypass.md, "DDI Implementation".
///
/// # Safety
///
/// `object` points to a [`D3D12DDI_RUNTIME_BYPASS_HEADER`], with which every API object begins that takes part.
const unsafe fn driver_object(object: *const c_void) -> *mut c_void {
    // SAFETY: `object` points to a header (`# Safety`).
    unsafe { (*object.cast::<D3D12DDI_RUNTIME_BYPASS_HEADER>()).pDriverObject }
}

macro_rules! driver_handles {
    ($($(#[$meta:meta])* $function:ident: $api:ident => $driver:ident,)*) => {$(
        $(#[$meta])*
        ///
        /// Source: D3D12RuntimeBypass.md, "DDI Implementation".
        ///
        /// # Safety
        ///
        /// The handle is that of a live API object, which begins with a [`D3D12DDI_RUNTIME_BYPASS_HEADER`].
        #[inline]
        pub const unsafe fn $function(ApiHandle: $api) -> $driver {
            $driver {
                // SAFETY: the handle is that of a live object, which begins with the header (`# Safety`).
                pDrvPrivate: unsafe { driver_object(ApiHandle.pDrvPrivate) },
            }
        }
    )*};
}

driver_handles! {
    /// The driver's handle of a command list.
    GetDriverCommandListHandle: D3D12DDI_API_HCOMMANDLIST => D3D12DDI_HCOMMANDLIST,
    /// The driver's handle of a pipeline state.
    GetDriverPipelineStateHandle: D3D12DDI_API_HPIPELINESTATE => D3D12DDI_HPIPELINESTATE,
    /// The driver's handle of a state object.
    GetDriverStateObjectHandle: D3D12DDI_API_HSTATEOBJECT => D3D12DDI_HSTATEOBJECT_0054,
    /// The driver's handle of a root signature.
    GetDriverRootSignatureHandle: D3D12DDI_API_HROOTSIGNATURE => D3D12DDI_HROOTSIGNATURE,
}
