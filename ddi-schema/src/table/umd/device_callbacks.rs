//! Structures of `ddi-sys/src/umd/device_callbacks.rs`.

use ddi_sys::*;

structures! {
    D3D12DDICB_ALLOCATE_0022 {
        pPrivateDriverData: bytes(PrivateDriverDataSize), PrivateDriverDataSize, hResource, hKMResource, NumAllocations,
        pAllocationInfo: inout(array(NumAllocations)),
    }
    D3D12DDI_ALLOCATION_INFO_0022 {
        hAllocation, pSystemMem, pPrivateDriverData: bytes(PrivateDriverDataSize), PrivateDriverDataSize, VidPnSourceId,
        Flags, GpuVirtualAddress, Priority, Reserved,
    }
    D3D12DDICB_DEALLOCATE_0022 { hResource, NumAllocations, HandleList: array(NumAllocations), Flags }
}
