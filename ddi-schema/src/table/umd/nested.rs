//! Structures of `ddi-sys/src/umd/nested.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE { StartAddress, SizeInBytes, StrideInBytes }
    D3D12DDI_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress, StrideInBytes }
    D3D12DDI_HKMRESOURCE { handle }
    D3DDDI_MAKERESIDENT_FLAGS { Value }
    D3DDDI_EVICT_FLAGS { Value }
    D3D12DDIARG_BUFFER_SHADER_RESOURCE_VIEW { FirstElement, NumElements, StructureByteStride, Flags }
    D3D12DDIARG_TEX1D_SHADER_RESOURCE_VIEW {
        MostDetailedMip, FirstArraySlice, MipLevels, ArraySize, ResourceMinLODClamp,
    }
    D3D12DDIARG_TEX2D_SHADER_RESOURCE_VIEW_0002 {
        MostDetailedMip, FirstArraySlice, MipLevels, ArraySize, PlaneSlice, ResourceMinLODClamp,
    }
    D3D12DDIARG_TEX3D_SHADER_RESOURCE_VIEW { MostDetailedMip, MipLevels, ResourceMinLODClamp }
    D3D12DDIARG_TEXCUBE_SHADER_RESOURCE_VIEW {
        MostDetailedMip, MipLevels, First2DArrayFace, NumCubes, ResourceMinLODClamp,
    }
    D3D12DDIARG_RAYTRACING_ACCELERATION_STRUCTURE_SHADER_RESOURCE_VIEW_0042 { Location }
    D3D12DDIARG_BUFFER_UNORDERED_ACCESS_VIEW {
        hDrvCounterResource, FirstElement, NumElements, StructureByteStride, CounterOffsetInBytes, Flags,
    }
    D3D12DDIARG_TEX1D_UNORDERED_ACCESS_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEX2D_UNORDERED_ACCESS_VIEW_0002 { MipSlice, FirstArraySlice, ArraySize, PlaneSlice }
    D3D12DDIARG_TEX3D_UNORDERED_ACCESS_VIEW { MipSlice, FirstW, WSize }
    D3D12DDIARG_BUFFER_RENDER_TARGET_VIEW { FirstElement, NumElements }
    D3D12DDIARG_TEX1D_RENDER_TARGET_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEX2D_RENDER_TARGET_VIEW_0002 { MipSlice, FirstArraySlice, ArraySize, PlaneSlice }
    D3D12DDIARG_TEX3D_RENDER_TARGET_VIEW { MipSlice, FirstW, WSize }
    D3D12DDIARG_TEXCUBE_RENDER_TARGET_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEX1D_DEPTH_STENCIL_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEX2D_DEPTH_STENCIL_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEXCUBE_DEPTH_STENCIL_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDI_FENCE_PLACEMENT { BaseAddress }
    DXGI_DDI_ARG_BLT_FLAGS { Value }
    DXGI_DDI_PRESENT_FLAGS { Value }
    D3D12DDI_RESOURCE_TRANSITION_BARRIER_0003 { hResource, Subresource, StateBefore, StateAfter }
    D3D12DDI_RESOURCE_RANGED_BARRIER_0022 { hResource, Subresource, Range }
    D3D12DDI_RANGE { Begin, End }
    D3D12DDI_RESOURCE_UAV_BARRIER { hResource }
    D3D12DDI_GLOBAL_BARRIER_0088 { SyncBefore, SyncAfter, AccessBefore, AccessAfter }
    D3D12DDI_TEXTURE_BARRIER_0088 {
        SyncBefore, SyncAfter, AccessBefore, AccessAfter, LayoutBefore, LayoutAfter, hResource, Subresources, Flags,
    }
    D3D12DDI_BARRIER_SUBRESOURCE_RANGE_0088 {
        IndexOrFirstMipLevel, NumMipLevels, FirstArraySlice, NumArraySlices, FirstPlane, NumPlanes,
    }
    D3D12DDI_BUFFER_BARRIER_0088 { SyncBefore, SyncAfter, AccessBefore, AccessAfter, hResource }
    D3D12DDI_RANGED_BARRIER_0094 { Flags, hResource, Subresource, Range }
    D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC_0054 { DestBuffer, InfoType }
    D3D12DDI_RAYTRACING_GEOMETRY_TRIANGLES_DESC_0054 {
        ColumnMajorTransform3x4, IndexFormat, VertexFormat, IndexCount, VertexCount, IndexBuffer, VertexBuffer,
    }
    D3D12DDI_RAYTRACING_GEOMETRY_AABBS_DESC_0054 { AABBCount, AABBs }
}
