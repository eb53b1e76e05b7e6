//! Descriptions, owned and without pointers: what a row of `pipeline_states` or `state_objects` and the rows below it
//! can hold.
//!
//! Structures of the API that have no pointers are used as they are. A subobject that is `None` is absent and has the
//! API's default. Lists keep their order. Strings have no NUL inside.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use api_sys::{
    D3D12_BLEND_DESC, D3D12_DEPTH_STENCIL_DESC2, D3D12_HIT_GROUP_TYPE,
    D3D12_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12_INPUT_CLASSIFICATION, D3D12_NODE_OVERRIDES_TYPE,
    D3D12_PIPELINE_STATE_FLAGS, D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_RASTERIZER_DESC2,
    D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_SHADER_CONFIG, D3D12_RT_FORMAT_ARRAY,
    D3D12_STATE_OBJECT_FLAGS, D3D12_STATE_OBJECT_TYPE, D3D12_VIEW_INSTANCE_LOCATION,
    D3D12_VIEW_INSTANCING_FLAGS, D3D12_WORK_GRAPH_FLAGS, DXGI_FORMAT, DXGI_SAMPLE_DESC,
};

/// A shader, a library or a serialized root signature: descriptions that were read one after the other share it.
pub type Blob = Arc<[u8]>;

/// A pipeline state: `D3D12_PIPELINE_STATE_STREAM_DESC`.
///
/// `CACHED_PSO` is not part of it: the schema has no place for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PipelineStateDesc {
    /// `SERIALIZED_ROOT_SIGNATURE`.
    pub root_signature: Option<Blob>,
    /// The shaders.
    pub shaders: Shaders,
    /// The other subobjects.
    pub fixed_function: FixedFunction,
    /// `NODE_MASK`.
    pub node_mask: Option<u32>,
}

/// Which shader of a pipeline state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShaderStage {
    /// `VS`.
    Vertex,
    /// `PS`.
    Pixel,
    /// `HS`.
    Hull,
    /// `DS`.
    Domain,
    /// `GS`.
    Geometry,
    /// `AS`.
    Amplification,
    /// `MS`.
    Mesh,
    /// `CS`.
    Compute,
}

impl ShaderStage {
    /// All stages, in the order of the columns of `pipeline_states`.
    pub const ALL: [Self; 8] = [
        Self::Vertex,
        Self::Pixel,
        Self::Hull,
        Self::Domain,
        Self::Geometry,
        Self::Amplification,
        Self::Mesh,
        Self::Compute,
    ];

    /// As `shader_bytecode.Type` has it.
    pub fn name(self) -> &'static str {
        ["VS", "PS", "HS", "DS", "GS", "AS", "MS", "CS"][self as usize]
    }
}

/// The shaders of a pipeline state, each a DXIL container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shaders([Option<Blob>; ShaderStage::ALL.len()]);

impl Index<ShaderStage> for Shaders {
    type Output = Option<Blob>;

    fn index(&self, stage: ShaderStage) -> &Option<Blob> {
        &self.0[stage as usize]
    }
}

impl IndexMut<ShaderStage> for Shaders {
    fn index_mut(&mut self, stage: ShaderStage) -> &mut Option<Blob> {
        &mut self.0[stage as usize]
    }
}

/// The state that pipeline states and generic programs have in common. Older versions of a structure are held as the
/// newest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FixedFunction {
    /// `STREAM_OUTPUT`.
    pub stream_output: Option<StreamOutput>,
    /// `BLEND`. Without `IndependentBlendEnable` only the first render target's is stored.
    pub blend: Option<D3D12_BLEND_DESC>,
    /// `SAMPLE_MASK`.
    pub sample_mask: Option<u32>,
    /// `RASTERIZER`.
    pub rasterizer: Option<D3D12_RASTERIZER_DESC2>,
    /// `DEPTH_STENCIL`.
    pub depth_stencil: Option<D3D12_DEPTH_STENCIL_DESC2>,
    /// `INPUT_LAYOUT`.
    pub input_layout: Option<Vec<InputElement>>,
    /// `IB_STRIP_CUT_VALUE`.
    pub ib_strip_cut_value: Option<D3D12_INDEX_BUFFER_STRIP_CUT_VALUE>,
    /// `PRIMITIVE_TOPOLOGY`.
    pub primitive_topology: Option<D3D12_PRIMITIVE_TOPOLOGY_TYPE>,
    /// `RENDER_TARGET_FORMATS`.
    pub render_target_formats: Option<D3D12_RT_FORMAT_ARRAY>,
    /// `DEPTH_STENCIL_FORMAT`.
    pub depth_stencil_format: Option<DXGI_FORMAT>,
    /// `SAMPLE_DESC`.
    pub sample_desc: Option<DXGI_SAMPLE_DESC>,
    /// `VIEW_INSTANCING`.
    pub view_instancing: Option<ViewInstancing>,
    /// `FLAGS`.
    pub flags: Option<D3D12_PIPELINE_STATE_FLAGS>,
}

/// `D3D12_INPUT_ELEMENT_DESC`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputElement {
    /// The semantic's name.
    pub semantic_name: String,
    /// The semantic's number.
    pub semantic_index: u32,
    /// Format.
    pub format: DXGI_FORMAT,
    /// Slot of the vertex buffer.
    pub input_slot: u32,
    /// Offset in bytes, or `D3D12_APPEND_ALIGNED_ELEMENT`.
    pub aligned_byte_offset: u32,
    /// By vertex or by instance.
    pub input_slot_class: D3D12_INPUT_CLASSIFICATION,
    /// Instances to one step.
    pub instance_data_step_rate: u32,
}

/// `D3D12_STREAM_OUTPUT_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamOutput {
    /// What is written, in this order.
    pub entries: Vec<StreamOutputEntry>,
    /// Bytes from one vertex to the next, by buffer; at most 4.
    pub strides: Vec<u32>,
    /// The stream that is rasterized, or `D3D12_SO_NO_RASTERIZED_STREAM`.
    pub rasterized_stream: u32,
}

/// `D3D12_SO_DECLARATION_ENTRY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamOutputEntry {
    /// The stream.
    pub stream: u32,
    /// Name and number of the semantic; `None` is a gap.
    pub semantic: Option<(String, u32)>,
    /// The first component.
    pub start_component: u8,
    /// How many components.
    pub component_count: u8,
    /// The buffer.
    pub output_slot: u8,
}

/// `D3D12_VIEW_INSTANCING_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewInstancing {
    /// The views; at most 4.
    pub locations: Vec<D3D12_VIEW_INSTANCE_LOCATION>,
    /// Flags.
    pub flags: D3D12_VIEW_INSTANCING_FLAGS,
}

/// A state object: `D3D12_STATE_OBJECT_DESC`, its subobjects by their types.
///
/// State subobjects that no generic program lists are not part of it: the schema has no place for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateObjectDesc {
    /// `Type`.
    pub kind: D3D12_STATE_OBJECT_TYPE,
    /// `STATE_OBJECT_CONFIG`.
    pub config: Option<D3D12_STATE_OBJECT_FLAGS>,
    /// `NODE_MASK`.
    pub node_mask: Option<u32>,
    /// `GLOBAL_SERIALIZED_ROOT_SIGNATURE`.
    pub global_root_signatures: Vec<Blob>,
    /// `LOCAL_SERIALIZED_ROOT_SIGNATURE`.
    pub local_root_signatures: Vec<Blob>,
    /// `DXIL_LIBRARY`.
    pub libraries: Vec<DxilLibrary>,
    /// `EXISTING_COLLECTION_BY_KEY`.
    pub collections: Vec<ExistingCollection>,
    /// `HIT_GROUP`.
    pub hit_groups: Vec<HitGroup>,
    /// `RAYTRACING_SHADER_CONFIG`.
    pub shader_configs: Vec<D3D12_RAYTRACING_SHADER_CONFIG>,
    /// `RAYTRACING_PIPELINE_CONFIG`, and `CONFIG1` with flags.
    pub pipeline_configs: Vec<D3D12_RAYTRACING_PIPELINE_CONFIG1>,
    /// `GENERIC_PROGRAM`.
    pub generic_programs: Vec<GenericProgram>,
    /// `WORK_GRAPH`.
    pub work_graphs: Vec<WorkGraph>,
    /// `SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
    pub associations: Vec<Association>,
    /// `DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
    pub dxil_associations: Vec<DxilAssociation>,
}

/// `D3D12_EXPORT_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// The name that it has from here on.
    pub name: String,
    /// The name that it had.
    pub export_to_rename: Option<String>,
    /// `D3D12_EXPORT_FLAGS`.
    pub flags: u32,
}

/// `D3D12_DXIL_LIBRARY_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DxilLibrary {
    /// The DXIL container.
    pub bytecode: Blob,
    /// What is exported; everything if empty.
    pub exports: Vec<Export>,
}

/// `D3D12_EXISTING_COLLECTION_BY_KEY_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExistingCollection {
    /// The key that the collection is stored under.
    pub key: Vec<u8>,
    /// What is exported; everything if empty.
    pub exports: Vec<Export>,
}

/// `D3D12_HIT_GROUP_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HitGroup {
    /// `HitGroupExport`.
    pub export: String,
    /// Triangles or procedural primitives.
    pub kind: D3D12_HIT_GROUP_TYPE,
    /// `AnyHitShaderImport`.
    pub any_hit: Option<String>,
    /// `ClosestHitShaderImport`.
    pub closest_hit: Option<String>,
    /// `IntersectionShaderImport`.
    pub intersection: Option<String>,
}

/// `D3D12_GENERIC_PROGRAM_DESC`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GenericProgram {
    /// `ProgramName`.
    pub name: Option<String>,
    /// The shaders.
    pub exports: Vec<String>,
    /// The subobjects that it lists.
    pub state: FixedFunction,
}

/// `D3D12_WORK_GRAPH_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkGraph {
    /// `ProgramName`.
    pub name: String,
    /// Flags.
    pub flags: D3D12_WORK_GRAPH_FLAGS,
    /// `pEntrypoints`.
    pub entry_points: Vec<NodeId>,
    /// `pExplicitlyDefinedNodes`, all of them `D3D12_NODE_TYPE_SHADER`.
    pub nodes: Vec<ShaderNode>,
}

/// `D3D12_NODE_ID`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeId {
    /// The name. Empty stands for null, by which `share_input_of` says that nothing is shared.
    pub name: String,
    /// Index in the node array.
    pub array_index: u32,
}

/// `D3D12_SHADER_NODE` with its overrides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShaderNode {
    /// The shader's export.
    pub shader: String,
    /// Which structure the overrides come in; without any, the rest is empty.
    pub overrides_type: D3D12_NODE_OVERRIDES_TYPE,
    /// `pLocalRootArgumentsTableIndex`.
    pub local_root_arguments_table_index: Option<u32>,
    /// `pProgramEntry`.
    pub program_entry: Option<bool>,
    /// `pNewName`.
    pub new_name: Option<NodeId>,
    /// `pShareInputOf`.
    pub share_input_of: Option<NodeId>,
    /// `pDispatchGrid`, of broadcasting launches only.
    pub dispatch_grid: Option<[u32; 3]>,
    /// `pMaxDispatchGrid`, of broadcasting launches only.
    pub max_dispatch_grid: Option<[u32; 3]>,
    /// `pOutputOverrides`.
    pub outputs: Vec<OutputOverrides>,
}

/// `D3D12_NODE_OUTPUT_OVERRIDES`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputOverrides {
    /// `OutputIndex`.
    pub output_index: u32,
    /// `pNewName`.
    pub new_name: Option<NodeId>,
    /// `pAllowSparseNodes`.
    pub allow_sparse_nodes: Option<bool>,
    /// `pMaxRecords`.
    pub max_records: Option<u32>,
    /// `pMaxRecordsSharedWithOutputIndex`.
    pub max_records_shared_with_output_index: Option<u32>,
}

/// `D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Association {
    /// What is associated.
    pub subobject: Associated,
    /// With what; the default association if empty.
    pub exports: Vec<String>,
}

/// A subobject of the same description that can be associated with exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Associated {
    /// [`StateObjectDesc::config`].
    Config,
    /// [`StateObjectDesc::node_mask`].
    NodeMask,
    /// The place in [`StateObjectDesc::global_root_signatures`].
    GlobalRootSignature(usize),
    /// The place in [`StateObjectDesc::local_root_signatures`].
    LocalRootSignature(usize),
    /// The place in [`StateObjectDesc::shader_configs`].
    ShaderConfig(usize),
    /// The place in [`StateObjectDesc::pipeline_configs`].
    PipelineConfig(usize),
}

/// `D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DxilAssociation {
    /// The name of the subobject, in one of the libraries.
    pub subobject: String,
    /// With what it is associated; the default association if empty.
    pub exports: Vec<String>,
}
