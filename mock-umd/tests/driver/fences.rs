//! Fences: one argument before build 112, another from there on.

use bytemuck::Zeroable;
use ddi_sys::*;

use crate::host::{Block, Device};

#[test]
fn fences_since_build_112_have_a_type() {
    for (build, kind, expected) in [
        (112, D3D12DDI_FENCE_TYPE_MONITORED, S_OK),
        (115, D3D12DDI_FENCE_TYPE_MONITORED, S_OK),
        (115, D3D12DDI_FENCE_TYPE_NATIVE, E_INVALIDARG),
        (115, D3D12DDI_FENCE_TYPE_COMMAND_LIST_SCOPED, E_INVALIDARG),
        (115, D3D12DDI_FENCE_TYPE_0112(9), E_INVALIDARG),
    ] {
        let device = Device::new(build);
        let fence = Block::new();
        let handle = D3D12DDI_HFENCE {
            pDrvPrivate: fence.address(),
        };
        let mut desc = D3D12DDIARG_CREATE_FENCE_0112::zeroed();
        desc.FenceType = kind;
        let create = device.core.pfnCreateFence.unwrap();
        // SAFETY: the structure lives during the call.
        let result = unsafe { create(device.handle, handle, &raw const desc) };
        assert_eq!(result, expected, "build {build}, {kind:?}");
    }
}
