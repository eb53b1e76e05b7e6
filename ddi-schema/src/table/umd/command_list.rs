//! Structures of `ddi-sys/src/umd/command_list.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_VIEWPORT { TopLeftX, TopLeftY, Width, Height, MinDepth, MaxDepth }
    D3D12DDI_BOX { Left: signed, Top: signed, Front: signed, Right: signed, Bottom: signed, Back: signed }
    D3D12DDI_INDEX_BUFFER_VIEW { BufferLocation, SizeInBytes, Format }
    D3D12DDI_VERTEX_BUFFER_VIEW { BufferLocation, SizeInBytes, StrideInBytes }
    D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW { BufferLocation, SizeInBytes, BufferFilledSizeLocation }
    D3D12DDI_SAMPLE_POSITION { X, Y }
    D3D12DDIARG_PLACED_RESOURCE {
        Layout, pLayout: one_of(Layout:
            D3D12DDI_RL_PLACED_PHYSICAL_SUBRESOURCE_PITCHED => D3D12DDIARG_PHYSICAL_SUBRESOURCE_PITCHED_LAYOUT,
            D3D12DDI_RL_PLACED_VIRTUAL_SUBRESOURCE_PITCHED => D3D12DDIARG_VIRTUAL_SUBRESOURCE_PITCHED_LAYOUT,
            D3D12DDI_RL_SELECT_SUBRESOURCE => UINT,
        ),
    }
    D3D12DDIARG_PHYSICAL_SUBRESOURCE_PITCHED_LAYOUT {
        Format, PhysicalWidth, PhysicalHeight, PhysicalDepth, Pitch, SlicePitch,
    }
    D3D12DDIARG_VIRTUAL_SUBRESOURCE_PITCHED_LAYOUT {
        Format, VirtualWidth, VirtualHeight, VirtualDepth, PhysicalWidth, PhysicalHeight, PhysicalDepth, Pitch,
        SlicePitch,
    }
    D3D12DDIARG_DISCARD_RESOURCE_0003 { NumRects, pRects: array(NumRects), FirstSubresource, NumSubresources }
    D3D12DDIARG_BLT {
        hDstResource, DstSubresource, DstLeft, DstTop, DstRight, DstBottom, hSrcResource, SrcSubresource, SrcLeft,
        SrcTop, SrcRight, SrcBottom, Flags, Rotate,
    }
    D3D12DDIARG_PRESENT_0001 {
        phSurfacesToPresent: array(SurfacesToPresent), SurfacesToPresent, hDstResource, DstSubResourceIndex, Flags,
        FlipInterval, VidPnSourceID, pDirtyRects: array(DirtyRects), DirtyRects, PrivateDriverDataSize,
        pPrivateDriverData: bytes(PrivateDriverDataSize), OptimizeForComposition,
    }
    D3D12DDI_ARG_PRESENTSURFACE { hSurface, SubResourceIndex }
    D3D12DDI_PRESENT_0051 {
        BroadcastSrcAllocation, BroadcastDstAllocation, AddedGpuWork, BackBufferMultiplicity, SyncIntervalOverrideValid,
        SyncIntervalOverride,
    }
    D3D12DDI_PRESENT_CONTEXTS_0051 { hContext, BroadcastContextCount, BroadcastContext }
    D3D12DDI_PRESENT_HWQUEUES_0051 { BroadcastQueueCount, hHwQueues }
    D3D12DDIARG_RESOURCE_BARRIER_0022 {
        Type, Flags, Anonymous: union(
            Transition if Type is D3D12DDI_RESOURCE_BARRIER_TYPE_TRANSITION,
            UAV if Type is D3D12DDI_RESOURCE_BARRIER_TYPE_UAV,
            Ranged if Type is D3D12DDI_RESOURCE_BARRIER_TYPE_0022_RANGED,
        ),
    }
    D3D12DDIARG_BARRIER_0094 {
        Type, Anonymous: union(
            GlobalBarrier if Type is D3D12DDI_BARRIER_TYPE_GLOBAL,
            TextureBarrier if Type is D3D12DDI_BARRIER_TYPE_TEXTURE,
            BufferBarrier if Type is D3D12DDI_BARRIER_TYPE_BUFFER,
            RangedBarrier if Type is D3D12DDI_BARRIER_TYPE_RANGED,
        ),
    }
    D3D12DDI_WRITEBUFFERIMMEDIATE_PARAMETER_0032 { Dst, Value }
    D3D12DDIARG_DISPATCH_RAYS_0054 {
        RayGenerationShaderRecord, MissShaderTable, HitGroupTable, CallableShaderTable, Width, Height, Depth,
    }
    D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
        DestAccelerationStructureData, Inputs, SourceAccelerationStructureData, ScratchAccelerationStructureData,
        NumPostbuildInfoDescs, pPostbuildInfoDescs: array(NumPostbuildInfoDescs),
    }
    D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054 {
        Type, Flags, NumDescs, DescsLayout, Anonymous: union(
            InstanceDescs if Type is D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL,
            pGeometryDescs(array(NumDescs))
                if Type is D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL
                and DescsLayout is D3D12DDI_ELEMENTS_LAYOUT_ARRAY,
            ppGeometryDescs(array(NumDescs)) if Type is D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL,
        ),
    }
    D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054 {
        Type, Flags, Anonymous: union(
            Triangles if Type is D3D12DDI_RAYTRACING_GEOMETRY_TYPE_TRIANGLES,
            AABBs if Type is D3D12DDI_RAYTRACING_GEOMETRY_TYPE_PROCEDURAL_PRIMITIVE_AABBS,
        ),
    }
    D3D12DDI_RAYTRACING_INSTANCE_DESC_0054 {
        Transform, InstanceIDAndMask, InstanceContributionAndFlags, AccelerationStructure,
    }
    D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054 {
        ResultDataMaxSizeInBytes, ScratchDataSizeInBytes, UpdateScratchDataSizeInBytes,
    }
    D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054 {
        Desc, NumSourceAccelerationStructures, pSourceAccelerationStructureData: array(NumSourceAccelerationStructures),
    }
    D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
        DestAccelerationStructureData, SourceAccelerationStructureData, Mode,
    }
}
