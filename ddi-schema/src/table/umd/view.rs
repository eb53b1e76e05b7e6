//! Structures of `ddi-sys/src/umd/view.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_CPU_DESCRIPTOR_HANDLE { ptr }
    D3D12DDI_GPU_DESCRIPTOR_HANDLE { ptr }
    D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001 { Type, NumDescriptors, Flags, NodeMask }
    D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002 {
        hDrvResource, Format, ResourceDimension, Shader4ComponentMapping, Anonymous: union(
            Buffer if ResourceDimension is D3D12DDI_RD_BUFFER,
            Tex1D if ResourceDimension is D3D12DDI_RD_TEXTURE1D,
            Tex2D if ResourceDimension is D3D12DDI_RD_TEXTURE2D,
            Tex3D if ResourceDimension is D3D12DDI_RD_TEXTURE3D,
            TexCube if ResourceDimension is D3D12DDI_RD_TEXTURECUBE,
            RaytracingAccelerationStructure if ResourceDimension is D3D12DDI_RD_RAYTRACING_ACCELERATION_STRUCTURE_0042,
        ),
    }
    D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002 {
        hDrvResource, Format, ResourceDimension, Anonymous: union(
            Buffer if ResourceDimension is D3D12DDI_RD_BUFFER,
            Tex1D if ResourceDimension is D3D12DDI_RD_TEXTURE1D,
            Tex2D if ResourceDimension is D3D12DDI_RD_TEXTURE2D,
            Tex3D if ResourceDimension is D3D12DDI_RD_TEXTURE3D,
        ),
    }
    D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002 {
        hDrvResource, Format, ResourceDimension, Anonymous: union(
            Buffer if ResourceDimension is D3D12DDI_RD_BUFFER,
            Tex1D if ResourceDimension is D3D12DDI_RD_TEXTURE1D,
            Tex2D if ResourceDimension is D3D12DDI_RD_TEXTURE2D,
            Tex3D if ResourceDimension is D3D12DDI_RD_TEXTURE3D,
            TexCube if ResourceDimension is D3D12DDI_RD_TEXTURECUBE,
        ),
    }
    D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW {
        hDrvResource, Format, ResourceDimension, Flags, Anonymous: union(
            Tex1D if ResourceDimension is D3D12DDI_RD_TEXTURE1D,
            Tex2D if ResourceDimension is D3D12DDI_RD_TEXTURE2D,
            TexCube if ResourceDimension is D3D12DDI_RD_TEXTURECUBE,
        ),
    }
    D3D12DDI_CONSTANT_BUFFER_VIEW_DESC { BufferLocation, SizeInBytes, Padding }
    D3D12DDIARG_CREATE_SAMPLER_0096 { pSamplerDesc: required() }
    D3D12DDI_SAMPLER_DESC_0096 {
        Filter, AddressU, AddressV, AddressW, MipLODBias, MaxAnisotropy, ComparisonFunc, Anonymous: union(
            UintBorderColor if Flags has D3D12DDI_SAMPLER_FLAG_UINT_BORDER_COLOR,
            FloatBorderColor,
        ),
        MinLOD, MaxLOD, Flags,
    }
    D3D12DDIARG_CREATE_QUERY_HEAP_0001 { Type, Count, NodeMask }
    D3D12DDIARG_CREATE_COMMAND_SIGNATURE_0001 {
        ByteStride, NumArgumentDescs, pArgumentDescs: array(NumArgumentDescs), hRootSignature, NodeMask,
    }
    D3D12DDIARG_CREATECOMMANDQUEUE_0050 { QueueFlags, NodeMask, QueueCreationFlags, SchedulingGroup }
    D3D12DDIARG_CREATE_COMMAND_POOL_0040 { PoolFlags }
    D3D12DDIARG_CREATE_COMMAND_RECORDER_0040 { QueueFlags, RecorderFlags }
    D3D12DDIARG_CREATE_COMMAND_LIST_0040 { Type, QueueFlags, ID, CommandListFlags, NodeMask }
    D3D12DDIARG_RESETCOMMANDLIST_0040 { hDrvCommandRecorder, ID, CommandListFlags }
    D3D12DDIARG_CREATESCHEDULINGGROUP_0050 { NodeMask }
    D3D12DDIARG_CREATE_FENCE { FenceCount, Fences: array(FenceCount) }
    D3D12DDIARG_CREATE_FENCE_0112 {
        FenceType, Anonymous: union(
            MonitoredFenceArgs if FenceType is D3D12DDI_FENCE_TYPE_MONITORED,
            pNativeFenceArgs(handle) if FenceType is D3D12DDI_FENCE_TYPE_NATIVE,
            pNativeFenceArgs(handle) if FenceType is D3D12DDI_FENCE_TYPE_OPENED_NATIVE,
            CLScopedFenceArgs if FenceType is D3D12DDI_FENCE_TYPE_COMMAND_LIST_SCOPED,
        ),
    }
    D3D12DDI_COMMAND_LIST_SCOPED_FENCE { ppFenceValue }
    D3D12DDI_FENCE { FenceValue, FenceMonitoredValue, Flags }
    D3D12DDIARG_FENCE_OPERATION { Fence, Value, PhysicalAdapterMask }
    D3D12DDIARG_CREATE_PIPELINE_LIBRARY_0010 { InitialDataSize, pInitialData: bytes(InitialDataSize) }
    D3D12DDI_INDIRECT_ARGUMENT_DESC {
        Type, Anonymous: union(
            VertexBuffer if Type is D3D12DDI_INDIRECT_ARGUMENT_TYPE_VERTEX_BUFFER_VIEW,
            Constant if Type is D3D12DDI_INDIRECT_ARGUMENT_TYPE_CONSTANT,
            ConstantBufferView if Type is D3D12DDI_INDIRECT_ARGUMENT_TYPE_CONSTANT_BUFFER_VIEW,
            ShaderResourceView if Type is D3D12DDI_INDIRECT_ARGUMENT_TYPE_SHADER_RESOURCE_VIEW,
            UnorderedAccessView if Type is D3D12DDI_INDIRECT_ARGUMENT_TYPE_UNORDERED_ACCESS_VIEW,
            IncrementingConstant if Type is D3D12DDI_INDIRECT_ARGUMENT_TYPE_INCREMENTING_CONSTANT,
        ),
    }
    D3D12DDI_INDIRECT_ARGUMENT_DESC_VertexBuffer { Slot }
    D3D12DDI_INDIRECT_ARGUMENT_DESC_Constant { RootParameterIndex, DestOffsetIn32BitValues, Num32BitValuesToSet }
    D3D12DDI_INDIRECT_ARGUMENT_DESC_View { RootParameterIndex }
    D3D12DDI_INDIRECT_ARGUMENT_DESC_IncrementingConstant { RootParameterIndex, DestOffsetIn32BitValues }
}
