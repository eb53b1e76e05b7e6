//! The descriptions.

use std::ffi::c_void;
use std::fmt;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use api_sys::{
    D3D12_BLEND_DESC, D3D12_DEPTH_STENCIL_DESC, D3D12_DEPTH_STENCIL_DESC1,
    D3D12_DEPTH_STENCIL_DESC2, D3D12_HIT_GROUP_TYPE, D3D12_INDEX_BUFFER_STRIP_CUT_VALUE,
    D3D12_INPUT_CLASSIFICATION, D3D12_NODE_OVERRIDES_TYPE, D3D12_PIPELINE_STATE_FLAGS,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_RASTERIZER_DESC2, D3D12_RAYTRACING_PIPELINE_CONFIG,
    D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_SHADER_CONFIG, D3D12_RT_FORMAT_ARRAY,
    D3D12_STATE_OBJECT_FLAGS, D3D12_STATE_OBJECT_TYPE, D3D12_STATE_SUBOBJECT_TYPE,
    D3D12_VIEW_INSTANCE_LOCATION, D3D12_VIEW_INSTANCING_FLAGS, D3D12_WORK_GRAPH_FLAGS, DXGI_FORMAT,
    DXGI_SAMPLE_DESC,
};

use crate::SubobjectPlace;

/// A shader, a library or a serialized root signature that descriptions share.
pub type Blob = Arc<[u8]>;

/// A pipeline state: `D3D12_PIPELINE_STATE_STREAM_DESC`. A subobject that is `None` is absent and has the API's default.
///
/// `B` holds shaders and root signatures: [`Blob`], or `&[u8]` if they stay in a caller's memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PipelineStateDesc<B = Blob> {
    /// `SERIALIZED_ROOT_SIGNATURE`.
    pub root_signature: Option<B>,
    /// Whether `ROOT_SIGNATURE` has an `ID3D12RootSignature`, which belongs to a device.
    pub has_root_signature_object: bool,
    /// The shaders.
    pub shaders: Shaders<B>,
    /// The other subobjects.
    pub fixed_function: FixedFunction,
    /// `NODE_MASK`.
    pub node_mask: Option<u32>,
    /// Whether `CACHED_PSO` has a blob, which only the driver that made it can use.
    pub has_cached_blob: bool,
}

impl PipelineStateDesc {
    /// The same description, with shaders and root signature borrowed from this one.
    pub fn borrowed(&self) -> PipelineStateDesc<&[u8]> {
        PipelineStateDesc {
            root_signature: self.root_signature.as_deref(),
            has_root_signature_object: self.has_root_signature_object,
            shaders: Shaders(self.shaders.0.each_ref().map(Option::as_deref)),
            fixed_function: self.fixed_function.clone(),
            node_mask: self.node_mask,
            has_cached_blob: self.has_cached_blob,
        }
    }
}

impl PipelineStateDesc<&[u8]> {
    /// The same description, with shaders and root signature copied.
    pub fn to_shared(&self) -> PipelineStateDesc {
        PipelineStateDesc {
            root_signature: self.root_signature.map(Blob::from),
            has_root_signature_object: self.has_root_signature_object,
            shaders: Shaders(self.shaders.0.map(|shader| shader.map(Blob::from))),
            fixed_function: self.fixed_function.clone(),
            node_mask: self.node_mask,
            has_cached_blob: self.has_cached_blob,
        }
    }
}

/// The stage of a shader in a pipeline state.
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
    /// All stages.
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

    /// The two letters by which D3D12 names it.
    pub fn name(self) -> &'static str {
        ["VS", "PS", "HS", "DS", "GS", "AS", "MS", "CS"][self as usize]
    }
}

/// The shaders of a pipeline state, each a DXIL container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shaders<B = Blob>(pub(crate) [Option<B>; ShaderStage::ALL.len()]);

impl<B> Index<ShaderStage> for Shaders<B> {
    type Output = Option<B>;

    fn index(&self, stage: ShaderStage) -> &Option<B> {
        &self.0[stage as usize]
    }
}

impl<B> IndexMut<ShaderStage> for Shaders<B> {
    fn index_mut(&mut self, stage: ShaderStage) -> &mut Option<B> {
        &mut self.0[stage as usize]
    }
}

/// The state that pipeline states and generic programs have in common. An older version of a structure is converted to the
/// newest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FixedFunction {
    /// `STREAM_OUTPUT`.
    pub stream_output: Option<StreamOutput>,
    /// `BLEND`.
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

/// One subobject of the state that generic programs list, in the version that the caller used.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// `STREAM_OUTPUT`.
    StreamOutput(StreamOutput),
    /// `BLEND`.
    Blend(Box<D3D12_BLEND_DESC>),
    /// `SAMPLE_MASK`.
    SampleMask(u32),
    /// `RASTERIZER`, of pipeline states `RASTERIZER2`.
    Rasterizer(D3D12_RASTERIZER_DESC2),
    /// `DEPTH_STENCIL`.
    DepthStencil(D3D12_DEPTH_STENCIL_DESC),
    /// `DEPTH_STENCIL1`.
    DepthStencil1(D3D12_DEPTH_STENCIL_DESC1),
    /// `DEPTH_STENCIL2`.
    DepthStencil2(D3D12_DEPTH_STENCIL_DESC2),
    /// `INPUT_LAYOUT`.
    InputLayout(Vec<InputElement>),
    /// `IB_STRIP_CUT_VALUE`.
    IbStripCutValue(D3D12_INDEX_BUFFER_STRIP_CUT_VALUE),
    /// `PRIMITIVE_TOPOLOGY`.
    PrimitiveTopology(D3D12_PRIMITIVE_TOPOLOGY_TYPE),
    /// `RENDER_TARGET_FORMATS`.
    RenderTargetFormats(D3D12_RT_FORMAT_ARRAY),
    /// `DEPTH_STENCIL_FORMAT`.
    DepthStencilFormat(DXGI_FORMAT),
    /// `SAMPLE_DESC`.
    SampleDesc(DXGI_SAMPLE_DESC),
    /// `FLAGS`.
    Flags(D3D12_PIPELINE_STATE_FLAGS),
    /// `VIEW_INSTANCING`.
    ViewInstancing(ViewInstancing),
}

impl State {
    /// The type of the subobject.
    pub fn subobject_type(&self) -> D3D12_STATE_SUBOBJECT_TYPE {
        match self {
            Self::StreamOutput(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
            Self::Blend(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_BLEND,
            Self::SampleMask(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
            Self::Rasterizer(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER,
            Self::DepthStencil(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
            Self::DepthStencil1(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1,
            Self::DepthStencil2(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2,
            Self::InputLayout(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
            Self::IbStripCutValue(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
            Self::PrimitiveTopology(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
            Self::RenderTargetFormats(_) => {
                api_sys::D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS
            }
            Self::DepthStencilFormat(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
            Self::SampleDesc(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
            Self::Flags(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_FLAGS,
            Self::ViewInstancing(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING,
        }
    }
}

impl FixedFunction {
    /// Sets a part of the state; returns whether it was set before.
    pub fn set(&mut self, state: State) -> bool {
        match state {
            State::StreamOutput(desc) => self.stream_output.replace(desc).is_some(),
            State::Blend(desc) => self.blend.replace(*desc).is_some(),
            State::SampleMask(mask) => self.sample_mask.replace(mask).is_some(),
            State::Rasterizer(desc) => self.rasterizer.replace(desc).is_some(),
            State::DepthStencil(desc) => self.depth_stencil.replace(desc.into()).is_some(),
            State::DepthStencil1(desc) => self.depth_stencil.replace(desc.into()).is_some(),
            State::DepthStencil2(desc) => self.depth_stencil.replace(desc).is_some(),
            State::InputLayout(elements) => self.input_layout.replace(elements).is_some(),
            State::IbStripCutValue(value) => self.ib_strip_cut_value.replace(value).is_some(),
            State::PrimitiveTopology(kind) => self.primitive_topology.replace(kind).is_some(),
            State::RenderTargetFormats(formats) => {
                self.render_target_formats.replace(formats).is_some()
            }
            State::DepthStencilFormat(format) => {
                self.depth_stencil_format.replace(format).is_some()
            }
            State::SampleDesc(desc) => self.sample_desc.replace(desc).is_some(),
            State::Flags(flags) => self.flags.replace(flags).is_some(),
            State::ViewInstancing(desc) => self.view_instancing.replace(desc).is_some(),
        }
    }

    /// The parts that are set, each as the newest version of its structure.
    pub fn states(&self) -> impl Iterator<Item = State> + use<> {
        [
            self.stream_output.clone().map(State::StreamOutput),
            self.input_layout.clone().map(State::InputLayout),
            self.view_instancing.clone().map(State::ViewInstancing),
            self.blend.map(|desc| State::Blend(Box::new(desc))),
            self.sample_mask.map(State::SampleMask),
            self.rasterizer.map(State::Rasterizer),
            self.depth_stencil.map(State::DepthStencil2),
            self.ib_strip_cut_value.map(State::IbStripCutValue),
            self.primitive_topology.map(State::PrimitiveTopology),
            self.render_target_formats.map(State::RenderTargetFormats),
            self.depth_stencil_format.map(State::DepthStencilFormat),
            self.sample_desc.map(State::SampleDesc),
            self.flags.map(State::Flags),
        ]
        .into_iter()
        .flatten()
    }
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
    /// The slot of the vertex buffer.
    pub input_slot: u32,
    /// The offset in bytes, or `D3D12_APPEND_ALIGNED_ELEMENT`.
    pub aligned_byte_offset: u32,
    /// Whether the data is for each vertex or for each instance.
    pub input_slot_class: D3D12_INPUT_CLASSIFICATION,
    /// How many instances use the same data before the next step.
    pub instance_data_step_rate: u32,
}

/// `D3D12_STREAM_OUTPUT_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamOutput {
    /// What the stage writes, in this order.
    pub entries: Vec<StreamOutputEntry>,
    /// The bytes from one vertex to the next, by buffer.
    pub strides: Vec<u32>,
    /// The stream that is rasterized, or `D3D12_SO_NO_RASTERIZED_STREAM`.
    pub rasterized_stream: u32,
}

/// `D3D12_SO_DECLARATION_ENTRY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamOutputEntry {
    /// The stream.
    pub stream: u32,
    /// The semantic's name; `None` is a gap.
    pub semantic_name: Option<String>,
    /// The semantic's number; a gap's is 0.
    pub semantic_index: u32,
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

/// A state object: `D3D12_STATE_OBJECT_DESC`.
///
/// `C` names an existing collection: a key, or a compiled collection. `B` holds libraries and root signatures, as in
/// [`PipelineStateDesc`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateObjectDesc<C = Vec<u8>, B = Blob> {
    /// `Type`.
    pub kind: D3D12_STATE_OBJECT_TYPE,
    /// `pSubobjects`, in their order.
    pub subobjects: Vec<Subobject<C, B>>,
}

/// `D3D12_STATE_SUBOBJECT`. An `ID3D12RootSignature` belongs to a device and has no description.
#[derive(Clone, Debug, PartialEq)]
pub enum Subobject<C = Vec<u8>, B = Blob> {
    /// `STATE_OBJECT_CONFIG`.
    Config(D3D12_STATE_OBJECT_FLAGS),
    /// `NODE_MASK`.
    NodeMask(u32),
    /// `DXIL_LIBRARY`.
    Library(DxilLibrary<B>),
    /// `EXISTING_COLLECTION`, `COMPILER_EXISTING_COLLECTION` or `EXISTING_COLLECTION_BY_KEY`.
    Collection(ExistingCollection<C>),
    /// `SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
    Association(Association),
    /// `DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
    DxilAssociation(DxilAssociation),
    /// `RAYTRACING_SHADER_CONFIG`.
    ShaderConfig(D3D12_RAYTRACING_SHADER_CONFIG),
    /// `RAYTRACING_PIPELINE_CONFIG`.
    PipelineConfig(D3D12_RAYTRACING_PIPELINE_CONFIG),
    /// `RAYTRACING_PIPELINE_CONFIG1`.
    PipelineConfig1(D3D12_RAYTRACING_PIPELINE_CONFIG1),
    /// `HIT_GROUP`.
    HitGroup(HitGroup),
    /// `WORK_GRAPH`.
    WorkGraph(WorkGraph),
    /// What generic programs list.
    State(State),
    /// `GENERIC_PROGRAM`.
    GenericProgram(GenericProgram),
    /// `GLOBAL_SERIALIZED_ROOT_SIGNATURE`.
    GlobalRootSignature(B),
    /// `LOCAL_SERIALIZED_ROOT_SIGNATURE`.
    LocalRootSignature(B),
}

/// An existing collection as a caller of the API names it: an object by its address, or a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CollectionOfCaller {
    /// `EXISTING_COLLECTION`: an `ID3D12StateObject`, which belongs to a device.
    StateObject(*mut c_void),
    /// `COMPILER_EXISTING_COLLECTION`: an `ID3D12CompilerStateObject`.
    Compiled(*mut c_void),
    /// `EXISTING_COLLECTION_BY_KEY`.
    Key(Vec<u8>),
}

/// What names an existing collection.
pub trait CollectionName {
    /// The type of the subobject that it comes in.
    fn subobject_type(&self) -> D3D12_STATE_SUBOBJECT_TYPE;
}

impl CollectionName for CollectionOfCaller {
    fn subobject_type(&self) -> D3D12_STATE_SUBOBJECT_TYPE {
        match self {
            Self::StateObject(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
            Self::Compiled(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
            Self::Key(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
        }
    }
}

impl CollectionName for Vec<u8> {
    fn subobject_type(&self) -> D3D12_STATE_SUBOBJECT_TYPE {
        api_sys::D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY
    }
}

impl<C: CollectionName, B> Subobject<C, B> {
    /// Its type.
    pub fn subobject_type(&self) -> D3D12_STATE_SUBOBJECT_TYPE {
        match self {
            Self::Config(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
            Self::NodeMask(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK,
            Self::Library(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
            Self::Collection(collection) => collection.collection.subobject_type(),
            Self::Association(_) => {
                api_sys::D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION
            }
            Self::DxilAssociation(_) => {
                api_sys::D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION
            }
            Self::ShaderConfig(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
            Self::PipelineConfig(_) => {
                api_sys::D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG
            }
            Self::PipelineConfig1(_) => {
                api_sys::D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1
            }
            Self::HitGroup(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP,
            Self::WorkGraph(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
            Self::State(state) => state.subobject_type(),
            Self::GenericProgram(_) => api_sys::D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
            Self::GlobalRootSignature(_) => {
                api_sys::D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE
            }
            Self::LocalRootSignature(_) => {
                api_sys::D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE
            }
        }
    }
}

impl<C: CollectionName, B> StateObjectDesc<C, B> {
    /// The subobjects with their places.
    pub fn placed(&self) -> impl Iterator<Item = (SubobjectPlace, &Subobject<C, B>)> {
        self.subobjects
            .iter()
            .enumerate()
            .map(|(index, subobject)| {
                let kind = subobject.subobject_type();
                (SubobjectPlace { index, kind }, subobject)
            })
    }

    /// The same description with other names of collections. `name` gets the place of each collection.
    ///
    /// # Errors
    ///
    /// The error of `name`.
    pub fn with_collections<D, E>(
        self,
        mut name: impl FnMut(SubobjectPlace, C) -> Result<D, E>,
    ) -> Result<StateObjectDesc<D, B>, E> {
        let subobject = |(index, subobject): (usize, Subobject<C, B>)| {
            let kind = subobject.subobject_type();
            Ok(match subobject {
                Subobject::Collection(collection) => Subobject::Collection(ExistingCollection {
                    collection: name(SubobjectPlace { index, kind }, collection.collection)?,
                    exports: collection.exports,
                }),
                Subobject::Config(flags) => Subobject::Config(flags),
                Subobject::NodeMask(mask) => Subobject::NodeMask(mask),
                Subobject::Library(library) => Subobject::Library(library),
                Subobject::Association(association) => Subobject::Association(association),
                Subobject::DxilAssociation(association) => Subobject::DxilAssociation(association),
                Subobject::ShaderConfig(config) => Subobject::ShaderConfig(config),
                Subobject::PipelineConfig(config) => Subobject::PipelineConfig(config),
                Subobject::PipelineConfig1(config) => Subobject::PipelineConfig1(config),
                Subobject::HitGroup(group) => Subobject::HitGroup(group),
                Subobject::WorkGraph(graph) => Subobject::WorkGraph(graph),
                Subobject::State(state) => Subobject::State(state),
                Subobject::GenericProgram(program) => Subobject::GenericProgram(program),
                Subobject::GlobalRootSignature(bytes) => Subobject::GlobalRootSignature(bytes),
                Subobject::LocalRootSignature(bytes) => Subobject::LocalRootSignature(bytes),
            })
        };
        Ok(StateObjectDesc {
            kind: self.kind,
            subobjects: self
                .subobjects
                .into_iter()
                .enumerate()
                .map(subobject)
                .collect::<Result<_, E>>()?,
        })
    }
}

/// `D3D12_EXPORT_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// The name that the state object exports.
    pub name: String,
    /// The name in the library or the collection; `None` if it is the same.
    pub export_to_rename: Option<String>,
    /// `D3D12_EXPORT_FLAGS`.
    pub flags: u32,
}

/// `D3D12_DXIL_LIBRARY_DESC`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DxilLibrary<B = Blob> {
    /// The DXIL container.
    pub bytecode: B,
    /// The exports; empty means everything.
    pub exports: Vec<Export>,
}

/// `D3D12_EXISTING_COLLECTION_DESC` and its other forms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExistingCollection<C = Vec<u8>> {
    /// The collection.
    pub collection: C,
    /// The exports; empty means everything.
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

impl HitGroup {
    /// Any hit, closest hit and intersection shader.
    pub fn imports(&self) -> [Option<&str>; 3] {
        [&self.any_hit, &self.closest_hit, &self.intersection].map(Option::as_deref)
    }

    /// As [`imports`](Self::imports).
    pub fn imports_mut(&mut self) -> [&mut Option<String>; 3] {
        [
            &mut self.any_hit,
            &mut self.closest_hit,
            &mut self.intersection,
        ]
    }
}

/// `D3D12_GENERIC_PROGRAM_DESC`.
///
/// `S` is its state: the places of its subobjects in the description, or the subobjects themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GenericProgram<S = Vec<usize>> {
    /// `ProgramName`.
    pub name: Option<String>,
    /// The shaders.
    pub exports: Vec<String>,
    /// The subobjects that it lists.
    pub state: S,
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    /// The name. An empty one stands for null; in `share_input_of` that means that the node shares no input.
    pub name: String,
    /// Index in the node array.
    pub array_index: u32,
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.name, self.array_index)
    }
}

/// `D3D12_SHADER_NODE` with its overrides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShaderNode {
    /// The shader's export.
    pub shader: String,
    /// The structure that has the overrides; with none, the fields below are empty.
    pub overrides_type: D3D12_NODE_OVERRIDES_TYPE,
    /// `pLocalRootArgumentsTableIndex`.
    pub local_root_arguments_table_index: Option<u32>,
    /// `pProgramEntry`.
    pub program_entry: Option<bool>,
    /// `pNewName`.
    pub new_name: Option<NodeId>,
    /// `pShareInputOf`.
    pub share_input_of: Option<NodeId>,
    /// `pDispatchGrid`; only broadcasting launches have it.
    pub dispatch_grid: Option<[u32; 3]>,
    /// `pMaxDispatchGrid`; only broadcasting launches have it.
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
///
/// `S` names the subobject, which is in the same description: by its place there, or in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Association<S = usize> {
    /// The associated subobject.
    pub subobject: S,
    /// The exports; empty means a default association.
    pub exports: Vec<String>,
}

/// `D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DxilAssociation {
    /// The name of the subobject, in one of the libraries.
    pub subobject: String,
    /// The exports; empty means a default association.
    pub exports: Vec<String>,
}
