//! Base types that only the usermode DDI uses.

use core::ffi::{c_char, c_void};

use bytemuck::{Pod, Zeroable};

/// 8-bit signed integer.
pub type INT8 = i8;
/// 32-bit signed integer.
pub type LONG = i32;
/// Pointer-sized unsigned integer.
pub type ULONG_PTR = usize;
/// NUL-terminated string of bytes that is not written.
pub type LPCSTR = *const c_char;
/// Handle of the kernel: 32 bits on every system.
pub type D3DKMT_HANDLE = u32;
/// An address on the GPU.
pub type D3D12DDI_GPU_VIRTUAL_ADDRESS = u64;
/// A rectangle of the DDI.
pub type D3D12DDI_RECT = RECT;
/// The kernel callbacks of a device, which these types do not reach.
pub type D3DDDI_DEVICECALLBACKS = c_void;

/// A function whose parameters no public text prints: nobody can call it. A driver fills the slot, a host leaves it alone.
pub type PFND3D12DDI_UNKNOWN = Option<unsafe extern "system" fn()>;

/// A rectangle: left and top inside, right and bottom outside.
///
/// Source: the public windef.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct RECT {
    /// x64 offset 0, x86 offset 0.
    pub left: LONG,
    /// x64 offset 4, x86 offset 4.
    pub top: LONG,
    /// x64 offset 8, x86 offset 8.
    pub right: LONG,
    /// x64 offset 12, x86 offset 12.
    pub bottom: LONG,
}

/// A globally unique identifier.
///
/// Source: the public guiddef.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct GUID {
    /// x64 offset 0, x86 offset 0.
    pub Data1: u32,
    /// x64 offset 4, x86 offset 4.
    pub Data2: u16,
    /// x64 offset 6, x86 offset 6.
    pub Data3: u16,
    /// x64 offset 8, x86 offset 8.
    pub Data4: [u8; 8],
}

/// The enumeration `D3D12DDI_MULTISAMPLE_QUALITY_LEVEL_FLAGS`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDI_MULTISAMPLE_QUALITY_LEVEL_FLAGS = i32;

/// The enumeration `D3D12DDI_BACKGROUND_PROCESSING_MODE_0062`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDI_BACKGROUND_PROCESSING_MODE_0062 = i32;

/// The enumeration `D3D12DDI_MEASUREMENTS_ACTION_0062`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDI_MEASUREMENTS_ACTION_0062 = i32;

/// The enumeration `D3D12DDI_LAYOUT_SUPPORT1`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDI_LAYOUT_SUPPORT1 = i32;

/// The enumeration `D3D12DDI_LAYOUT_SUPPORT2`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDI_LAYOUT_SUPPORT2 = i32;

/// The enumeration `D3D12DDIARG_RENDER_PASS_FLAGS_0053`, 32 bits. Its enumerators are in no recorded public text.
pub type D3D12DDIARG_RENDER_PASS_FLAGS_0053 = i32;

/// The structure `D3D12DDIARG_CREATE_FENCE_0116`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDIARG_CREATE_FENCE_0116 {
    _opaque: [u8; 0],
}

/// The structure `D3D12DDIARG_RENDER_PASS_DEPTH_STENCIL_DESC_0053`, only ever behind a pointer. Its layout is in no
/// recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDIARG_RENDER_PASS_DEPTH_STENCIL_DESC_0053 {
    _opaque: [u8; 0],
}

/// The structure `D3D12DDIARG_RENDER_PASS_RENDER_TARGET_DESC_0053`, only ever behind a pointer. Its layout is in no
/// recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDIARG_RENDER_PASS_RENDER_TARGET_DESC_0053 {
    _opaque: [u8; 0],
}

/// The structure `D3D12DDICB_OFFERALLOCATIONS`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDICB_OFFERALLOCATIONS {
    _opaque: [u8; 0],
}

/// The structure `D3D12DDICB_RECLAIMALLOCATIONS2`, only ever behind a pointer. Its layout is in no recorded public
/// text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDICB_RECLAIMALLOCATIONS2 {
    _opaque: [u8; 0],
}

/// The structure `D3D12DDI_DEBUG_KMT_ALLOCATION_INFO_0014`, only ever behind a pointer. Its layout is in no recorded
/// public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDI_DEBUG_KMT_ALLOCATION_INFO_0014 {
    _opaque: [u8; 0],
}

/// The structure `D3D12DDI_DEBUG_VIRTUAL_ADDRESS_ALLOCATION_INFO_0012`, only ever behind a pointer. Its layout is in no
/// recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDI_DEBUG_VIRTUAL_ADDRESS_ALLOCATION_INFO_0012 {
    _opaque: [u8; 0],
}

/// The structure `D3DDDICB_CREATECONTEXT`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3DDDICB_CREATECONTEXT {
    _opaque: [u8; 0],
}

/// The structure `D3DDDICB_CREATECONTEXTVIRTUAL`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3DDDICB_CREATECONTEXTVIRTUAL {
    _opaque: [u8; 0],
}

/// The structure `D3DDDICB_CREATEHWQUEUE`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3DDDICB_CREATEHWQUEUE {
    _opaque: [u8; 0],
}

/// The structure `D3DDDICB_CREATEPAGINGQUEUE`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3DDDICB_CREATEPAGINGQUEUE {
    _opaque: [u8; 0],
}

/// The structure `D3DDDICB_DESTROYCONTEXT`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3DDDICB_DESTROYCONTEXT {
    _opaque: [u8; 0],
}

/// The structure `D3DDDICB_EVICT`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3DDDICB_EVICT {
    _opaque: [u8; 0],
}

/// The structure `D3DDDI_DESTROYPAGINGQUEUE`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3DDDI_DESTROYPAGINGQUEUE {
    _opaque: [u8; 0],
}

/// The structure `D3DDDI_MAKERESIDENT`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3DDDI_MAKERESIDENT {
    _opaque: [u8; 0],
}
