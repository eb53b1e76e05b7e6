//! The memory that a work graph of a description reaches. H-10.

use ddi_sys::{
    D3D12DDI_NODE_0108, D3D12DDI_NODE_ID_0108, D3D12DDI_NODE_LIST_ENTRY_0108,
    D3D12DDI_NODE_OUTPUT_0108, D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108, D3D12DDI_NODE_TYPE_SHADER_0108,
    D3D12DDI_SHADER_NODE_0108, D3D12DDI_WORK_GRAPH_DESC_0108, UINT,
};

use crate::description::Description;

/// Nodes lead to one another in circles: one that is noted is not followed again.
///
/// # Safety
///
/// `graph` is null or what the DDI says.
pub(crate) unsafe fn note(to: &mut Description, graph: *const D3D12DDI_WORK_GRAPH_DESC_0108) {
    // SAFETY: `graph` is null or what the DDI says, as this function demands.
    unsafe {
        let Some(graph) = to.one("a work graph", graph) else {
            return;
        };
        to.text("a work graph's name", graph.ProgramName);
        list(to, graph.pNodes);
        list(to, graph.pEntrypoints);
    }
}

/// # Safety
///
/// `link` is null or a list, as the DDI says.
unsafe fn list(to: &mut Description, mut link: *const D3D12DDI_NODE_LIST_ENTRY_0108) {
    // SAFETY: `link` is null or a list, as the DDI says, as this function demands.
    unsafe {
        while !to.has(link.cast())
            && let Some(entry) = to.one("a list of nodes", link)
        {
            node(to, entry.pNode);
            link = entry.pNext;
        }
    }
}

/// # Safety
///
/// `node` is null or what the DDI says.
unsafe fn node(to: &mut Description, node: *const D3D12DDI_NODE_0108) {
    if to.has(node.cast()) {
        return;
    }
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the type says which arm of the node
    // is set.
    unsafe {
        if let Some(node) = to.one("a node", node)
            && node.NodeType == D3D12DDI_NODE_TYPE_SHADER_0108
        {
            shader(to, &node.Anonymous.Shader);
        }
    }
}

/// # Safety
///
/// The node is what the DDI says.
unsafe fn shader(to: &mut Description, shader: &D3D12DDI_SHADER_NODE_0108) {
    const PROPERTIES: &str = "a node's properties";
    const NUMBERS: &str = "a number of a node";
    /// The members that all three structures have.
    macro_rules! common {
        ($properties:expr) => {{
            let properties = $properties;
            id(to, &properties.FinalName);
            to.one(NUMBERS, properties.pLocalRootArgumentsTableIndex);
            node(to, properties.pShareInputOfNode);
            list(to, properties.pInputNodes);
            list(to, properties.pNodesSharingInputWithThisNode);
            outputs(to, properties.pOutputs, properties.NumOutputs);
        }};
    }
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the type says which arm of the node
    // is set.
    unsafe {
        to.text("a node's shader", shader.Shader);
        let arm = &shader.Anonymous;
        match shader.PropertiesType {
            D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108 => {
                if let Some(properties) = to.one(PROPERTIES, arm.pBroadcastingLaunchNodeProperties)
                {
                    to.array("a dispatch grid", properties.pDispatchGrid, 3);
                    to.array("a dispatch grid", properties.pMaxDispatchGrid, 3);
                    to.one("a dispatch grid", properties.pRecordDispatchGrid);
                    common!(properties);
                }
            }
            D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108 => {
                if let Some(properties) = to.one(PROPERTIES, arm.pCoalescingLaunchNodeProperties) {
                    common!(properties);
                }
            }
            D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108 => {
                if let Some(properties) = to.one(PROPERTIES, arm.pThreadLaunchNodeProperties) {
                    common!(properties);
                }
            }
            _ => {}
        }
    }
}

/// # Safety
///
/// The name is null or NUL-terminated.
unsafe fn id(to: &mut Description, id: &D3D12DDI_NODE_ID_0108) {
    // SAFETY: the name is null or NUL-terminated, as this function demands.
    unsafe { to.text("a node's name", id.Name) };
}

/// # Safety
///
/// The array is null or has `count` elements, which are what the DDI says.
unsafe fn outputs(to: &mut Description, first: *const D3D12DDI_NODE_OUTPUT_0108, count: UINT) {
    const NUMBERS: &str = "a number of a node's output";
    // SAFETY: the array is null or has `count` elements, which are what the DDI says, as this
    // function demands.
    unsafe {
        for output in to.array("a node's outputs", first, count) {
            id(to, &output.FinalName);
            to.one("a dispatch grid", output.pRecordDispatchGrid);
            to.one(NUMBERS, output.pMaxRecords);
            to.one(NUMBERS, output.pMaxRecordsSharedWithOutputIndex);
            list(to, output.pOutputs);
        }
    }
}
