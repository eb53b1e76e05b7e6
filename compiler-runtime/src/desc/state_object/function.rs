//! The facts about a function that association, linking and work graphs need. They are owned, because collections and additions
//! need them after the caller has freed its memory.

use std::sync::Arc;

use api_desc::NodeId;
use dxil::rdat::{self, NodeAttribute, NodeIoAttribute};
use dxil::{Container, FeatureFlags, ShaderKind, Version};

use crate::desc::Invalid;
use crate::desc::registers::{Binding, ConstantBuffer, constant_buffers_with_arrays};

/// A function of a library, or the program of a shader that is not a library.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) kind: ShaderKind,
    /// The resources that it uses, and those that the functions use that it calls in the same library.
    pub(super) bindings: Vec<Binding>,
    /// The functions of other libraries that it calls, by mangled name.
    pub(super) dependencies: Vec<String>,
    pub(super) payload_size: u32,
    pub(super) attribute_size: u32,
    pub(super) shader_model: Version,
    pub(super) features: FeatureFlags,
    pub(super) node: Option<NodeShader>,
    /// The container of a shader that is not a library.
    pub(super) container: Option<Arc<[u8]>>,
}

impl Function {
    /// Reads a function of a library of which these constant buffers contain arrays.
    pub(super) fn of_library(
        function: &rdat::Function<'_>,
        shader_model: Version,
        with_arrays: &[ConstantBuffer],
    ) -> Self {
        let binding = |resource| Binding::of_library(&resource, with_arrays);
        Self {
            kind: function.kind,
            bindings: function.resources.iter().map(binding).collect(),
            dependencies: function.dependencies.iter().map(str::to_owned).collect(),
            payload_size: function.payload_size_in_bytes,
            attribute_size: function.attribute_size_in_bytes,
            shader_model,
            features: function.features,
            node: (function.node.as_ref()).map(|node| {
                NodeShader::new(function.unmangled_name, function.is_program_entry, node)
            }),
            container: None,
        }
    }

    /// Reads a shader that is not a library. Its resources are those of its pipeline state validation data.
    pub(super) fn of_shader(container: &Container<'_>) -> Result<Self, Invalid> {
        let unreadable = |error: dxil::Error| Invalid::other(error.to_string());
        let program = container.program().map_err(unreadable)?;
        let validation = container.pipeline_state_validation().map_err(unreadable)?;
        let resources = validation
            .iter()
            .flat_map(dxil::psv0::PipelineStateValidation::resources);
        let with_arrays = constant_buffers_with_arrays(container);
        let binding = |resource| Binding::of_shader(&resource, &with_arrays);
        Ok(Self {
            kind: program.kind(),
            bindings: resources.filter_map(binding).collect(),
            dependencies: Vec::new(),
            payload_size: 0,
            attribute_size: 0,
            shader_model: program.shader_model(),
            features: container
                .feature_flags()
                .map_err(unreadable)?
                .unwrap_or_default(),
            node: None,
            container: Some(container.bytes().into()),
        })
    }
}

/// The name of a node in a library.
pub(super) fn node_id(id: rdat::NodeId<'_>) -> NodeId {
    NodeId {
        name: id.name.to_owned(),
        array_index: id.index,
    }
}

/// The launch mode of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Launch {
    Broadcasting,
    Coalescing,
    Thread,
}

/// Where a record holds its dispatch grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordGrid {
    pub(super) byte_offset: u16,
    pub(super) components: u8,
    pub(super) is_16_bit: bool,
}

/// The attributes that a node shader declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeShader {
    pub(super) id: NodeId,
    /// `None` for a mode that this crate does not know.
    pub(super) launch: Option<Launch>,
    pub(super) is_entry: bool,
    pub(super) group_shared: u32,
    pub(super) share_input_of: Option<NodeId>,
    pub(super) dispatch_grid: Option<[u32; 3]>,
    pub(super) max_dispatch_grid: Option<[u32; 3]>,
    pub(super) max_recursion: u32,
    pub(super) local_root_index: Option<u32>,
    pub(super) input: NodeInput,
    pub(super) outputs: Vec<NodeOutput>,
}

/// The input of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeInput {
    /// `DXIL::NodeIOFlags`; a node that declares no input has those of an empty one.
    pub(super) flags: u32,
    pub(super) record_size: u32,
    pub(super) record_grid: Option<RecordGrid>,
    pub(super) max_records: u32,
}

/// An output of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeOutput {
    pub(super) id: NodeId,
    pub(super) flags: u32,
    pub(super) record_size: u32,
    pub(super) record_grid: Option<RecordGrid>,
    pub(super) budget: Budget,
    /// 1 for an output that is not an array.
    pub(super) array_size: u32,
    pub(super) sparse: bool,
}

/// The number of records of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Budget {
    Own(u32),
    /// The records of another output.
    SharedWith(u32),
}

/// The array size of an unbounded array.
pub(super) const UNBOUNDED: u32 = u32::MAX;

const INPUT: u32 = rdat::NodeIoFlags::INPUT.0;
const EMPTY_RECORD: u32 = rdat::NodeIoFlags::EMPTY_RECORD.0;

impl NodeShader {
    fn new(name: &str, is_entry: bool, node: &rdat::Node<'_>) -> Self {
        let mut shader = Self {
            id: NodeId {
                name: name.to_owned(),
                array_index: 0,
            },
            launch: match node.launch {
                rdat::NodeLaunch::BROADCASTING => Some(Launch::Broadcasting),
                rdat::NodeLaunch::COALESCING => Some(Launch::Coalescing),
                rdat::NodeLaunch::THREAD => Some(Launch::Thread),
                _ => None,
            },
            is_entry,
            group_shared: node.group_shared_bytes,
            share_input_of: None,
            dispatch_grid: None,
            max_dispatch_grid: None,
            max_recursion: 0,
            local_root_index: None,
            input: node.inputs.iter().next().map_or(
                NodeInput {
                    flags: INPUT | EMPTY_RECORD,
                    record_size: 0,
                    record_grid: None,
                    max_records: 1,
                },
                |input| NodeInput::new(&input),
            ),
            outputs: node
                .outputs
                .iter()
                .map(|output| NodeOutput::new(&output))
                .collect(),
        };
        for attribute in node.attributes.iter() {
            match attribute {
                NodeAttribute::Id(id) => shader.id = node_id(id),
                NodeAttribute::ShareInputOf(id) => shader.share_input_of = Some(node_id(id)),
                NodeAttribute::DispatchGrid(grid) => shader.dispatch_grid = three(grid),
                NodeAttribute::MaxDispatchGrid(grid) => shader.max_dispatch_grid = three(grid),
                NodeAttribute::MaxRecursionDepth(depth) => shader.max_recursion = depth,
                NodeAttribute::LocalRootArgumentsTableIndex(index) => {
                    shader.local_root_index = Some(index);
                }
                _ => {}
            }
        }
        shader
    }
}

impl NodeInput {
    fn new(input: &rdat::NodeIo<'_>) -> Self {
        let mut view = Self {
            flags: input.flags.0,
            record_size: 0,
            record_grid: None,
            max_records: 0,
        };
        for attribute in input.attributes.iter() {
            match attribute {
                NodeIoAttribute::RecordSizeInBytes(size) => view.record_size = size,
                NodeIoAttribute::MaxRecords(max) => view.max_records = max,
                attribute => view.record_grid = record_grid(attribute).or(view.record_grid),
            }
        }
        // A shader that does not say takes one record.
        view.max_records = view.max_records.max(1);
        view
    }
}

impl NodeOutput {
    fn new(output: &rdat::NodeIo<'_>) -> Self {
        let mut view = Self {
            id: NodeId {
                name: String::new(),
                array_index: 0,
            },
            flags: output.flags.0,
            record_size: 0,
            record_grid: None,
            budget: Budget::Own(0),
            array_size: 1,
            sparse: false,
        };
        for attribute in output.attributes.iter() {
            match attribute {
                NodeIoAttribute::OutputId(id) => view.id = node_id(id),
                NodeIoAttribute::RecordSizeInBytes(size) => view.record_size = size,
                NodeIoAttribute::MaxRecords(max) => {
                    if let Budget::Own(_) = view.budget {
                        view.budget = Budget::Own(max);
                    }
                }
                NodeIoAttribute::MaxRecordsSharedWith(output) => {
                    view.budget = Budget::SharedWith(output);
                }
                NodeIoAttribute::OutputArraySize(size) => view.array_size = size.max(1),
                NodeIoAttribute::AllowSparseNodes(sparse) => view.sparse = sparse,
                attribute => view.record_grid = record_grid(attribute).or(view.record_grid),
            }
        }
        view.sparse |= view.array_size == UNBOUNDED;
        view
    }
}

fn record_grid(attribute: NodeIoAttribute<'_>) -> Option<RecordGrid> {
    /// `DXIL::ComponentType` of `uint16_t`.
    const U16: u16 = 3;
    match attribute {
        NodeIoAttribute::RecordDispatchGrid {
            byte_offset,
            component_count,
            component_type,
        } => Some(RecordGrid {
            byte_offset,
            components: component_count,
            is_16_bit: component_type == U16,
        }),
        _ => None,
    }
}

fn three(numbers: dxil::Numbers<'_>) -> Option<[u32; 3]> {
    numbers.iter().collect::<Vec<_>>().try_into().ok()
}
