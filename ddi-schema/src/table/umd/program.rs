//! Structures of `ddi-sys/src/umd/program.rs`.

use ddi_sys::*;

structures! {
    D3D12DDIARG_ADD_TO_STATE_OBJECT_0072 {
        Type, NumSubobjects, pSubobjects: array(NumSubobjects), StateObjectToGrowFrom,
    }
    D3D12DDI_PROGRAM_IDENTIFIER_0108 { OpaqueData }
    D3D12DDI_WORK_GRAPH_MEMORY_REQUIREMENTS_0108 { MinSizeInBytes, MaxSizeInBytes, SizeGranularityInBytes }
    D3D12DDI_SET_PROGRAM_DESC_0108 {
        Type, Anonymous: union(
            GenericPipeline if Type is D3D12DDI_PROGRAM_TYPE_GENERIC_PIPELINE_0108,
            RaytracingPipeline if Type is D3D12DDI_PROGRAM_TYPE_RAYTRACING_PIPELINE_0108,
            WorkGraph if Type is D3D12DDI_PROGRAM_TYPE_WORK_GRAPH_0108,
        ),
    }
    D3D12DDI_SET_GENERIC_PIPELINE_DESC_0108 { ProgramIdentifier }
    D3D12DDI_SET_RAYTRACING_PIPELINE_DESC_0108 { ProgramIdentifier }
    D3D12DDI_SET_WORK_GRAPH_DESC_0108 { ProgramIdentifier, Flags, BackingMemory, NodeLocalRootArgumentsTable }
    D3D12DDI_DISPATCH_GRAPH_DESC_0108 {
        Mode, Anonymous: union(
            NodeCPUInput if Mode is D3D12DDI_DISPATCH_MODE_NODE_CPU_INPUT_0108,
            NodeGPUInput if Mode is D3D12DDI_DISPATCH_MODE_NODE_GPU_INPUT_0108,
            MultiNodeCPUInput if Mode is D3D12DDI_DISPATCH_MODE_MULTI_NODE_CPU_INPUT_0108,
            MultiNodeGPUInput if Mode is D3D12DDI_DISPATCH_MODE_MULTI_NODE_GPU_INPUT_0108,
        ),
    }
    D3D12DDI_NODE_CPU_INPUT_0108 {
        EntrypointIndex, NumRecords, pRecords: bytes(NumRecords * RecordStrideInBytes), RecordStrideInBytes,
    }
    D3D12DDI_NODE_GPU_INPUT_0108 { EntrypointIndex, NumRecords, Records }
    D3D12DDI_MULTI_NODE_CPU_INPUT_0108 {
        NumNodeInputs, pNodeInputs: array(NumNodeInputs by NodeInputStrideInBytes), NodeInputStrideInBytes,
    }
    D3D12DDI_MULTI_NODE_GPU_INPUT_0108 { NumNodeInputs, NodeInputs }
}
