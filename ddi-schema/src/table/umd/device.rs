//! Structures of `ddi-sys/src/umd/device.rs`.

use ddi_sys::*;

structures! {
    D3D12DDIARG_CALCPRIVATEDEVICESIZE { Interface, Version, Flags }
    D3D12DDIARG_CREATEDEVICE_0003 {
        hRTDevice, Interface, Version, pKTCallbacks, hDrvDevice, Anonymous: union(p12UMCallbacks_0062(handle)), Flags,
    }
    D3D12DDIARG_CREATEDEVICE_0109 {
        hRTDevice, Interface, Version, pKTCallbacks, hDrvDevice, Anonymous: union(p12UMCallbacks_0062(handle)), Flags,
        pReserveRanges: inout(array(NumReserveRanges)), NumReserveRanges,
    }
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE { StartAddress, SizeInBytes }
    D3D12DDIARG_CREATEHEAP_0001 {
        ByteSize, Alignment, MemoryPool, CPUPageProperty, Flags, CreationNodeMask, VisibleNodeMask,
    }
    D3D12DDIARG_CREATERESOURCE_0109 {
        ReuseBufferGPUVA, ResourceType, Width, Height, DepthOrArraySize, MipLevels, Format, SampleDesc, Layout, Flags,
        InitialBarrierLayout, pRowMajorLayout, SamplerFeedbackMipRegion, NumCastableFormats,
        pCastableFormats: array(NumCastableFormats), CreateAtVirtualAddress,
    }
    D3D12DDIARG_CREATERESOURCE_0111 {
        ReuseBufferGPUVA, ResourceType, Width, Height, DepthOrArraySize, MipLevels, Format, SampleDesc, Layout, Flags,
        InitialBarrierLayout, pRowMajorLayout, SamplerFeedbackMipRegion, NumCastableFormats,
        pCastableFormats: array(NumCastableFormats), CreateAtVirtualAddress, LayoutGuid,
    }
    D3D12DDIARG_BUFFER_PLACEMENT { BaseAddress: union(UMD) }
    D3D12DDIARG_HRESOURCE_PLACEMENT { hResource, Offset }
    D3D12DDIARG_ROW_MAJOR_RESOURCE_LAYOUT { RowPitch, SlicePitch }
    D3D12DDI_MIP_REGION_0075 { Width, Height, Depth }
    D3D12DDI_CLEAR_VALUES {
        Format, Anonymous: union(
            DepthStencil if Format is DXGI_FORMAT_D16_UNORM,
            DepthStencil if Format is DXGI_FORMAT_D24_UNORM_S8_UINT,
            DepthStencil if Format is DXGI_FORMAT_D32_FLOAT,
            DepthStencil if Format is DXGI_FORMAT_D32_FLOAT_S8X24_UINT,
            Color,
        ),
    }
    D3D12DDI_DEPTH_STENCIL_VALUES { Depth, Stencil }
    D3D12DDI_HEAP_AND_RESOURCE_SIZES { Heap, Resource }
    D3D12DDI_RESOURCE_ALLOCATION_INFO_0022 {
        ResourceDataSize, AdditionalDataHeaderSize, AdditionalDataSize, ResourceDataAlignment,
        AdditionalDataHeaderAlignment, AdditionalDataAlignment, Layout, MipLevelSwizzleTransition,
        PlaneSliceSwizzleTransition,
    }
    D3D12DDI_SUBRESOURCE_INFO {
        Offset, RowStride, DepthStride, RowBytePreSwizzleOffset, ColumnPreSwizzleOffset, DepthPreSwizzleOffset,
    }
    D3D12DDIARG_OPENHEAP_0003 {
        NumAllocations, pOpenAllocationInfo, hKMResource, pPrivateDriverData: bytes(PrivateDriverDataSize),
        PrivateDriverDataSize, InitialResourceState,
    }
    D3D12DDI_HANDLE_AND_TYPE { Handle, Type }
    D3D12DDIARG_MAKERESIDENT_0001 {
        NumAdapters, pRTPagingQueue: array(NumAdapters), NumObjects, pObjects: array(NumObjects), Flags,
        pPagingFenceValue: out(array(NumAdapters)), WaitMask,
    }
    D3D12DDIARG_EVICT { NumObjects, pObjects: array(NumObjects), Flags }
    D3D12DDIARG_OFFERRESOURCES { NumObjects, pObjects: array(NumObjects), Priority }
    D3D12DDIARG_RECLAIMRESOURCES_0001 {
        NumAdapters, pRTPagingQueue: array(NumAdapters), NumObjects, pObjects: array(NumObjects),
        pDiscarded: out(array(NumObjects)), pPagingFenceValue: out(array(NumAdapters)), WaitMask,
    }
}
