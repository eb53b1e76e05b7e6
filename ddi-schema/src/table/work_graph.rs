//! Structures of `ddi-sys/src/work_graph.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_WORK_GRAPH_DESC_0108 { ProgramName: text, Version, Flags, NumNodes, pNodes, NumEntrypoints, pEntrypoints }
    D3D12DDI_NODE_LIST_ENTRY_0108 { pNode: required(), pNext }
    D3D12DDI_NODE_0108 {
        VersionAdded, NodeType, Anonymous: union(Shader if NodeType is D3D12DDI_NODE_TYPE_SHADER_0108),
    }
    D3D12DDI_SHADER_NODE_0108 {
        Shader: text, PropertiesType, Anonymous: union(
            pBroadcastingLaunchNodeProperties(required())
                if PropertiesType is D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108,
            pCoalescingLaunchNodeProperties(required())
                if PropertiesType is D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108,
            pThreadLaunchNodeProperties(required())
                if PropertiesType is D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108,
        ),
    }
    D3D12DDI_NODE_ID_0108 { Name: text, ArrayIndex }
    D3D12DDI_BROADCASTING_LAUNCH_NODE_PROPERTIES_0108 {
        FinalName, bProgramEntry, InputNodeIOKind, InputNodeIOFlags, InputRecordSizeInBytes, GroupSharedUsageInBytes,
        MaxRecursionDepth, pLocalRootArgumentsTableIndex, pShareInputOfNode, pDispatchGrid: array(3),
        pMaxDispatchGrid: array(3), pRecordDispatchGrid, pInputNodes, pNodesSharingInputWithThisNode, NumOutputs,
        pOutputs: array(NumOutputs),
    }
    D3D12DDI_COALESCING_LAUNCH_NODE_PROPERTIES_0108 {
        FinalName, bProgramEntry, InputNodeIOKind, InputNodeIOFlags, InputRecordSizeInBytes, InputMaxRecordArraySize,
        GroupSharedUsageInBytes, MaxRecursionDepth, pLocalRootArgumentsTableIndex, pShareInputOfNode, pInputNodes,
        pNodesSharingInputWithThisNode, NumOutputs, pOutputs: array(NumOutputs),
    }
    D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108 {
        FinalName, bProgramEntry, InputNodeIOKind, InputNodeIOFlags, InputRecordSizeInBytes, GroupSharedUsageInBytes,
        MaxRecursionDepth, pLocalRootArgumentsTableIndex, pShareInputOfNode, pInputNodes,
        pNodesSharingInputWithThisNode, NumOutputs, pOutputs: array(NumOutputs),
    }
    D3D12DDI_NODE_OUTPUT_0108 {
        FinalName, OutputIndex, NodeIOKind, NodeIOFlags, RecordSizeInBytes, bAllowSparseNodes, pRecordDispatchGrid,
        pMaxRecords, pMaxRecordsSharedWithOutputIndex, ArraySize, pOutputs,
    }
    D3D12DDI_RECORD_DISPATCH_GRID_0108 { ByteOffset, NumComponents, b16BitsPerComponent }
}
