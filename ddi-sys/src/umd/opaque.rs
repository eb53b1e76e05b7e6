//! Structures that are only ever behind a pointer.

/// The structure `D3D12DDIARG_CREATE_FENCE_0116`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDIARG_CREATE_FENCE_0116 {
    _opaque: [u8; 0],
}

/// The structure `D3DKMT_CREATENATIVEFENCE`, only ever behind a pointer. Its layout is in no recorded public text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3DKMT_CREATENATIVEFENCE {
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
