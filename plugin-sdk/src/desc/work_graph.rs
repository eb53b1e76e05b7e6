//! Work graphs.

use ddi_sys::{
    D3D12DDI_NODE_0108, D3D12DDI_NODE_ID_0108, D3D12DDI_NODE_IO_FLAGS_0108,
    D3D12DDI_NODE_IO_KIND_0108, D3D12DDI_NODE_LIST_ENTRY_0108, D3D12DDI_NODE_OUTPUT_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_0108, D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108, D3D12DDI_NODE_TYPE_0108,
    D3D12DDI_NODE_TYPE_SHADER_0108, D3D12DDI_RECORD_DISPATCH_GRID_0108, D3D12DDI_SHADER_NODE_0108,
    D3D12DDI_WORK_GRAPH_DESC_0108, D3D12DDI_WORK_GRAPH_FLAGS_0108, UINT,
};
use widestring::U16Str;

use super::fields::{AsField, Describe, Field, Fields, each, fields, optional};
use super::reading::{self, DescError};

/// D3D12DDI_WORK_GRAPH_DESC_0108.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkGraph<'a> {
    /// The program's name.
    pub name: &'a U16Str,
    /// Grows with each addition.
    pub version: u32,
    /// Flags.
    pub flags: D3D12DDI_WORK_GRAPH_FLAGS_0108,
    /// The nodes.
    pub nodes: Vec<WorkGraphNode<'a>>,
    /// The entry points, by their nodes' shaders.
    pub entry_points: Vec<WorkGraphNode<'a>>,
}

/// D3D12DDI_NODE_0108: a node of a work graph.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkGraphNode<'a> {
    /// The version of the graph that added it.
    pub version_added: u32,
    /// Kind of node; only of shaders is more known.
    pub node_type: D3D12DDI_NODE_TYPE_0108,
    /// The export that runs, for a shader node.
    pub shader: Option<&'a U16Str>,
    /// How it is launched, for a shader node.
    pub launch: Option<NodeLaunch<'a>>,
}

/// How a shader node is launched: D3D12DDI_BROADCASTING_, _COALESCING_ and
/// _THREAD_LAUNCH_NODE_PROPERTIES_0108, which differ in a few members.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeLaunch<'a> {
    /// The mode. Of one that the DDI does not define, nothing else is known.
    pub mode: D3D12DDI_NODE_PROPERTIES_TYPE_0108,
    /// The node's name in the graph and its index there.
    pub id: Option<NodeId<'a>>,
    /// Whether the graph can be entered here.
    pub program_entry: bool,
    /// Kind of input.
    pub input_kind: D3D12DDI_NODE_IO_KIND_0108,
    /// Flags of the input.
    pub input_flags: D3D12DDI_NODE_IO_FLAGS_0108,
    /// Size of an input record in bytes.
    pub input_record_bytes: u32,
    /// Most records of one launch; coalescing only.
    pub input_max_record_array_size: Option<u32>,
    /// Group-shared memory in bytes.
    pub group_shared_bytes: u32,
    /// How deep the node may launch itself.
    pub max_recursion_depth: u32,
    /// Index into the table of local root arguments.
    pub local_root_arguments_table_index: Option<u32>,
    /// The node whose input this one shares.
    pub shares_input_of: Option<NodeId<'a>>,
    /// Fixed dispatch grid; broadcasting only.
    pub dispatch_grid: Option<[u32; 3]>,
    /// Largest dispatch grid; broadcasting only.
    pub max_dispatch_grid: Option<[u32; 3]>,
    /// Where a record holds the dispatch grid; broadcasting only.
    pub record_dispatch_grid: Option<&'a D3D12DDI_RECORD_DISPATCH_GRID_0108>,
    /// What the node puts out.
    pub outputs: Vec<NodeOutput<'a>>,
}

/// D3D12DDI_NODE_ID_0108.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NodeId<'a> {
    /// The name.
    pub name: &'a U16Str,
    /// The index among nodes of that name.
    pub array_index: u32,
}

/// D3D12DDI_NODE_OUTPUT_0108.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NodeOutput<'a> {
    /// The node that gets it.
    pub id: NodeId<'a>,
    /// Members that are no pointers; its pointers are in the members beside it.
    pub raw: &'a D3D12DDI_NODE_OUTPUT_0108,
    /// Where a record holds the dispatch grid.
    pub record_dispatch_grid: Option<&'a D3D12DDI_RECORD_DISPATCH_GRID_0108>,
    /// Most records.
    pub max_records: Option<u32>,
    /// The output whose budget of records this one shares.
    pub max_records_shared_with: Option<u32>,
}

// SAFETY: what `raw` points at is unchanged for `'a` (`WorkGraph::new`), on whatever thread it is read.
unsafe impl Send for NodeOutput<'_> {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for NodeOutput<'_> {}

impl WorkGraph<'_> {
    /// # Safety
    ///
    /// Everything that the description points at is valid and unchanged for as long as the view
    /// lives.
    pub(super) unsafe fn new(graph: &D3D12DDI_WORK_GRAPH_DESC_0108) -> Result<Self, DescError> {
        // SAFETY: `graph`'s name and both lists are valid and unchanged for as long as the view lives (`# Safety`).
        unsafe {
            Ok(Self {
                name: reading::text("ProgramName", graph.ProgramName)?,
                version: graph.Version,
                flags: graph.Flags,
                nodes: list("pNodes", graph.pNodes, graph.NumNodes)?,
                entry_points: list("pEntrypoints", graph.pEntrypoints, graph.NumEntrypoints)?,
            })
        }
    }
}

/// The nodes of a linked list of a stated length.
///
/// # Safety
///
/// The list and its nodes are valid and unchanged for `'a`.
unsafe fn list<'a>(
    what: &'static str,
    mut link: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    count: u32,
) -> Result<Vec<WorkGraphNode<'a>>, DescError> {
    let mut nodes = Vec::new();
    // SAFETY: each link and its node are valid and unchanged for `'a` (`# Safety`), null ends the list, and the count bounds
    // one that bites its tail.
    unsafe {
        while let Some(entry) = reading::optional(what, link.cast_const())? {
            if nodes.len() == count as usize {
                return Err(DescError::EndlessList { what, count });
            }
            nodes.push(node(reading::required("pNode", entry.pNode.cast_const())?)?);
            link = entry.pNext;
        }
    }
    Ok(nodes)
}

/// # Safety
///
/// What the node points at is valid and unchanged for `'a`.
unsafe fn node(node: &D3D12DDI_NODE_0108) -> Result<WorkGraphNode<'_>, DescError> {
    let mut view = WorkGraphNode {
        version_added: node.VersionAdded,
        node_type: node.NodeType,
        shader: None,
        launch: None,
    };
    if node.NodeType == D3D12DDI_NODE_TYPE_SHADER_0108 {
        // SAFETY: `NodeType` says that the shader arm is set; what it points at is valid for `'a` (`# Safety`).
        unsafe {
            let shader = &node.Anonymous.Shader;
            view.shader = reading::optional_text("Shader", shader.Shader)?;
            view.launch = Some(launch(shader)?);
        }
    }
    Ok(view)
}

/// # Safety
///
/// What the node points at is valid and unchanged for `'a`.
unsafe fn launch(shader: &D3D12DDI_SHADER_NODE_0108) -> Result<NodeLaunch<'_>, DescError> {
    /// The members that all three structures have.
    macro_rules! common {
        ($properties:expr) => {{
            let p = $properties;
            NodeLaunch {
                mode: shader.PropertiesType,
                id: Some(id(&p.FinalName)?),
                program_entry: p.bProgramEntry != 0,
                input_kind: p.InputNodeIOKind,
                input_flags: D3D12DDI_NODE_IO_FLAGS_0108(p.InputNodeIOFlags.cast_signed()),
                input_record_bytes: p.InputRecordSizeInBytes,
                input_max_record_array_size: None,
                group_shared_bytes: p.GroupSharedUsageInBytes,
                max_recursion_depth: p.MaxRecursionDepth,
                local_root_arguments_table_index: number(
                    "pLocalRootArgumentsTableIndex",
                    p.pLocalRootArgumentsTableIndex,
                )?,
                shares_input_of: shared_node(p.pShareInputOfNode)?,
                dispatch_grid: None,
                max_dispatch_grid: None,
                record_dispatch_grid: None,
                outputs: outputs(p.pOutputs, p.NumOutputs)?,
            }
        }};
    }
    // SAFETY: `PropertiesType` says which arm is set; what it points at is valid and unchanged for `'a` (`# Safety`).
    unsafe {
        let arm = &shader.Anonymous;
        Ok(match shader.PropertiesType {
            D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108 => {
                let what = "pBroadcastingLaunchNodeProperties";
                let p = reading::required(what, arm.pBroadcastingLaunchNodeProperties)?;
                NodeLaunch {
                    dispatch_grid: grid("pDispatchGrid", p.pDispatchGrid)?,
                    max_dispatch_grid: grid("pMaxDispatchGrid", p.pMaxDispatchGrid)?,
                    record_dispatch_grid: reading::optional(
                        "pRecordDispatchGrid",
                        p.pRecordDispatchGrid,
                    )?,
                    ..common!(p)
                }
            }
            D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108 => {
                let what = "pCoalescingLaunchNodeProperties";
                let p = reading::required(what, arm.pCoalescingLaunchNodeProperties)?;
                NodeLaunch {
                    input_max_record_array_size: Some(p.InputMaxRecordArraySize),
                    ..common!(p)
                }
            }
            D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108 => {
                let what = "pThreadLaunchNodeProperties";
                common!(reading::required(what, arm.pThreadLaunchNodeProperties)?)
            }
            mode => NodeLaunch {
                mode,
                id: None,
                program_entry: false,
                input_kind: D3D12DDI_NODE_IO_KIND_0108::default(),
                input_flags: D3D12DDI_NODE_IO_FLAGS_0108::default(),
                input_record_bytes: 0,
                input_max_record_array_size: None,
                group_shared_bytes: 0,
                max_recursion_depth: 0,
                local_root_arguments_table_index: None,
                shares_input_of: None,
                dispatch_grid: None,
                max_dispatch_grid: None,
                record_dispatch_grid: None,
                outputs: Vec::new(),
            },
        })
    }
}

/// # Safety
///
/// The outputs, and what they point at, are valid and unchanged for `'a`.
unsafe fn outputs<'a>(
    outputs: *const D3D12DDI_NODE_OUTPUT_0108,
    count: u32,
) -> Result<Vec<NodeOutput<'a>>, DescError> {
    // SAFETY: `outputs` has `count` elements, which are valid and unchanged for `'a` with what they point at (`# Safety`).
    unsafe {
        reading::array("pOutputs", outputs, count)?
            .iter()
            .map(|raw: &'a D3D12DDI_NODE_OUTPUT_0108| {
                let grid = raw.pRecordDispatchGrid;
                let shared = raw.pMaxRecordsSharedWithOutputIndex;
                Ok(NodeOutput {
                    id: id(&raw.FinalName)?,
                    raw,
                    record_dispatch_grid: reading::optional("pRecordDispatchGrid", grid)?,
                    max_records: number("pMaxRecords", raw.pMaxRecords)?,
                    max_records_shared_with: number("pMaxRecordsSharedWithOutputIndex", shared)?,
                })
            })
            .collect()
    }
}

/// The name of the node whose input is shared.
///
/// # Safety
///
/// The node, and what it points at, is valid and unchanged for `'a`.
unsafe fn shared_node<'a>(
    node: *const D3D12DDI_NODE_0108,
) -> Result<Option<NodeId<'a>>, DescError> {
    // SAFETY: `node` is null or valid and unchanged for `'a` (`# Safety`); `NodeType` and `PropertiesType` say which arms are set.
    unsafe {
        let Some(node) = reading::optional("pShareInputOfNode", node)? else {
            return Ok(None);
        };
        if node.NodeType != D3D12DDI_NODE_TYPE_SHADER_0108 {
            return Ok(None);
        }
        let shader = &node.Anonymous.Shader;
        let is_known = matches!(
            shader.PropertiesType,
            D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108
                | D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108
                | D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108
        );
        if !is_known {
            return Ok(None);
        }
        // The name is the first member of all three structures.
        let name: *const D3D12DDI_NODE_ID_0108 =
            shader.Anonymous.pThreadLaunchNodeProperties.cast();
        reading::optional("pShareInputOfNode", name)?
            .map(|n| id(n))
            .transpose()
    }
}

/// # Safety
///
/// The name is valid and unchanged for `'a`.
unsafe fn id<'a>(id: &D3D12DDI_NODE_ID_0108) -> Result<NodeId<'a>, DescError> {
    Ok(NodeId {
        // SAFETY: `Name` is null or NUL-terminated, valid and unchanged for `'a` (`# Safety`).
        name: unsafe { reading::text("FinalName.Name", id.Name) }?,
        array_index: id.ArrayIndex,
    })
}

/// # Safety
///
/// The pointer is null or points at a number.
unsafe fn number(what: &'static str, pointer: *const UINT) -> Result<Option<u32>, DescError> {
    // SAFETY: `pointer` is null or to a number (`# Safety`), which is copied before this returns.
    Ok(unsafe { reading::optional(what, pointer) }?.copied())
}

/// # Safety
///
/// The pointer is null or points at three numbers.
unsafe fn grid(what: &'static str, pointer: *const UINT) -> Result<Option<[u32; 3]>, DescError> {
    // SAFETY: `pointer` is null or to three numbers (`# Safety`), as an array has them, which are copied before this returns.
    Ok(unsafe { reading::optional(what, pointer.cast()) }?.copied())
}

impl Describe for WorkGraph<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("ProgramName", self.name.as_field());
        to.field("Version", self.version.as_field());
        to.field("Flags", self.flags.as_field());
        each(to, "pNodes", &self.nodes);
        each(to, "pEntrypoints", &self.entry_points);
    }
}

impl Describe for WorkGraphNode<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("VersionAdded", self.version_added.as_field());
        to.field("NodeType", self.node_type.as_field());
        to.field("Shader", self.shader.as_field());
        optional(
            to,
            "Properties",
            self.launch.as_ref().map(|l| l as &dyn Describe),
        );
    }
}

impl Describe for NodeLaunch<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("PropertiesType", self.mode.as_field());
        optional(
            to,
            "FinalName",
            self.id.as_ref().map(|i| i as &dyn Describe),
        );
        to.field("bProgramEntry", Field::Bool(self.program_entry));
        to.field("InputNodeIOKind", self.input_kind.as_field());
        to.field("InputNodeIOFlags", self.input_flags.as_field());
        to.field("InputRecordSizeInBytes", self.input_record_bytes.as_field());
        to.field(
            "InputMaxRecordArraySize",
            self.input_max_record_array_size.as_field(),
        );
        to.field(
            "GroupSharedUsageInBytes",
            self.group_shared_bytes.as_field(),
        );
        to.field("MaxRecursionDepth", self.max_recursion_depth.as_field());
        let index = self.local_root_arguments_table_index;
        to.field("pLocalRootArgumentsTableIndex", index.as_field());
        let shared = self.shares_input_of.as_ref().map(|i| i as &dyn Describe);
        optional(to, "pShareInputOfNode", shared);
        for (name, grid) in [
            ("pDispatchGrid", self.dispatch_grid),
            ("pMaxDispatchGrid", self.max_dispatch_grid),
        ] {
            match grid {
                Some(sizes) => sizes
                    .iter()
                    .for_each(|size| to.field(name, size.as_field())),
                None => to.field(name, Field::Absent),
            }
        }
        let grid = self.record_dispatch_grid.map(|g| g as &dyn Describe);
        optional(to, "pRecordDispatchGrid", grid);
        each(to, "pOutputs", &self.outputs);
    }
}

impl Describe for NodeId<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("Name", self.name.as_field());
        to.field("ArrayIndex", self.array_index.as_field());
    }
}

impl Describe for NodeOutput<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.group("FinalName", None, &self.id);
        fields!(
            to,
            self.raw,
            OutputIndex,
            NodeIOKind,
            RecordSizeInBytes,
            bAllowSparseNodes,
            ArraySize,
        );
        let flags = D3D12DDI_NODE_IO_FLAGS_0108(self.raw.NodeIOFlags.cast_signed());
        to.field("NodeIOFlags", flags.as_field());
        let grid = self.record_dispatch_grid.map(|g| g as &dyn Describe);
        optional(to, "pRecordDispatchGrid", grid);
        to.field("pMaxRecords", self.max_records.as_field());
        let shared = self.max_records_shared_with;
        to.field("pMaxRecordsSharedWithOutputIndex", shared.as_field());
    }
}

impl Describe for D3D12DDI_RECORD_DISPATCH_GRID_0108 {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(to, self, ByteOffset, NumComponents, b16BitsPerComponent);
    }
}
