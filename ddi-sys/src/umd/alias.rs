//! Second names of types.

use core::ffi::c_void;

use crate::*;

/// Handle of the kernel: 32 bits on every system.
pub type D3DKMT_HANDLE = UINT;

/// An address on the GPU.
pub type D3D12DDI_GPU_VIRTUAL_ADDRESS = UINT64;

/// A rectangle of the DDI.
pub type D3D12DDI_RECT = RECT;

/// The kernel callbacks of a device, which these types do not reach.
pub type D3DDDI_DEVICECALLBACKS = c_void;

/// A function whose parameters no public text prints: nobody can call it. A driver fills the slot, a host leaves it alone.
pub type PFND3D12DDI_UNKNOWN = Option<unsafe extern "system" fn()>;

/// The enumeration `D3D12DDI_MULTISAMPLE_QUALITY_LEVEL_FLAGS`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDI_MULTISAMPLE_QUALITY_LEVEL_FLAGS = INT;

/// The enumeration `D3D12DDI_BACKGROUND_PROCESSING_MODE_0062`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDI_BACKGROUND_PROCESSING_MODE_0062 = INT;

/// The enumeration `D3D12DDI_MEASUREMENTS_ACTION_0062`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDI_MEASUREMENTS_ACTION_0062 = INT;

/// The enumeration `D3D12DDIARG_RENDER_PASS_FLAGS_0053`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDIARG_RENDER_PASS_FLAGS_0053 = INT;
