//! Puts the DDI's structures of a resolved state object into an arena.
//!
//! The subobjects keep the order of the description, without the associations. After them come the subobjects that libraries
//! declare, library by library, then the input layouts and stream outputs of generic programs, and last the export summary. The
//! DDI's input layouts and stream outputs name registers, so each program needs its own.

use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use api_desc::{
    DxilLibrary, ExistingCollection, FixedFunction, GenericProgram, HitGroup, NodeId, State,
    WorkGraph, subobject_name,
};
use api_sys::D3D12_DEPTH_STENCIL_DESC2;
use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_BROADCASTING_LAUNCH_NODE_PROPERTIES_0108,
    D3D12DDI_COALESCING_LAUNCH_NODE_PROPERTIES_0108, D3D12DDI_DEPTH_STENCIL_FORMAT_0084,
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_EXISTING_COLLECTION_DESC_0054,
    D3D12DDI_EXPORT_DESC_0054, D3D12DDI_EXPORT_FLAG_NONE, D3D12DDI_EXPORT_SUMMARY_FLAGS,
    D3D12DDI_FUNCTION_SUMMARY_0054, D3D12DDI_FUNCTION_SUMMARY_NODE_0054,
    D3D12DDI_GENERIC_PROGRAM_DESC_0108, D3D12DDI_HIT_GROUP_DESC_0054, D3D12DDI_HIT_GROUP_TYPE,
    D3D12DDI_HSTATEOBJECT_0054, D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12DDI_NODE_0108,
    D3D12DDI_NODE_0108_0, D3D12DDI_NODE_ID_0108, D3D12DDI_NODE_IO_FLAG_KIND_MASK,
    D3D12DDI_NODE_IO_KIND_0108, D3D12DDI_NODE_LIST_ENTRY_0108, D3D12DDI_NODE_MASK_0054,
    D3D12DDI_NODE_OUTPUT_0108, D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108, D3D12DDI_NODE_TYPE_SHADER_0108,
    D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075, D3D12DDI_RAYTRACING_PIPELINE_FLAGS,
    D3D12DDI_RAYTRACING_SHADER_CONFIG_0054, D3D12DDI_RECORD_DISPATCH_GRID_0108,
    D3D12DDI_RT_FORMAT_ARRAY, D3D12DDI_SAMPLE_MASK_0084, D3D12DDI_SHADER_NODE_0108,
    D3D12DDI_SHADER_NODE_0108_0, D3D12DDI_STATE_OBJECT_CONFIG_0054, D3D12DDI_STATE_OBJECT_FLAGS,
    D3D12DDI_STATE_SUBOBJECT_0054, D3D12DDI_STATE_SUBOBJECT_TYPE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND, D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT, D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION, D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP, D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
    D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
    D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING, D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
    D3D12DDI_STREAM_OUTPUT_DESC_0108, D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108,
    D3D12DDI_WORK_GRAPH_DESC_0108, D3D12DDI_WORK_GRAPH_FLAG_ADD_TO_EXISTING_WORK_GRAPH,
    D3D12DDI_WORK_GRAPH_FLAG_NONE, D3D12DDIARG_CREATE_STATE_OBJECT_0054, DXGI_FORMAT, LPCWSTR,
    UINT,
};

use super::association::{Associated, Kind, Scope};
use super::function::{Budget, Launch, RecordGrid};
use super::generic_program::{Named, Program, ProgramState, pipeline_flags};
use super::model::{Model, Origin, numbers_of};
use super::object::{Content, Description, GraphMemory, Growth, NodeMemory, StateObject};
use super::record::{Export, Record, What};
use super::work_graph::{self, Available, Graph, Node};
use crate::desc::arena::Arena;
use crate::desc::root_signature::{self, Scope as RootSignatureScope};
use crate::desc::shader::Stage;
use crate::desc::target::Capabilities;
use crate::desc::{Invalid, fixed_function, length};
use crate::message::Messages;

/// The node mask of a root signature: there is one node.
const NODE_MASK: UINT = 1;

/// A subobject of the DDI.
type Slot = (D3D12DDI_STATE_SUBOBJECT_TYPE, *const c_void);

/// Puts a resolved description into an arena.
pub(super) fn emit(
    description: &Description<'_>,
    model: Model<'_>,
    growth: Option<Growth>,
    target: Option<&Capabilities>,
    messages: &mut Messages,
) -> Result<StateObject, Invalid> {
    let mut emitter = Emitter {
        arena: Arena::new(),
        slots: Vec::new(),
        of_description: vec![None; description.subobjects.len()],
        of_model: vec![None; model.subobjects.len()],
        programs: Vec::new(),
        graphs: Vec::new(),
        growth,
        target,
        messages,
    };
    if let Some(parent) = emitter.parent() {
        emitter.programs.clone_from(&parent.programs);
        emitter.graphs.clone_from(&parent.graphs);
    }
    emitter.plain(description, &model)?;
    emitter.of_libraries(&model)?;
    // From here on, subobjects have addresses.
    let count = emitter.slots.len() + uses_by_register(description) + 1;
    let array = emitter
        .arena
        .array_of((0..count).map(|_| D3D12DDI_STATE_SUBOBJECT_0054::zeroed()));
    let subobjects = Subobjects { array, count };
    emitter.programs(description, &model, &subobjects)?;
    emitter.summary(&model, &subobjects);
    let slots = std::mem::take(&mut emitter.slots);
    for (index, (kind, desc)) in slots.iter().enumerate() {
        let subobject = D3D12DDI_STATE_SUBOBJECT_0054 {
            Type: *kind,
            pDesc: *desc,
        };
        // SAFETY: the array has as many elements as there are slots.
        unsafe { subobjects.at(index).write(subobject) };
    }
    emitter.finish(model, &subobjects, length(&slots))
}

/// The DDI's array of subobjects.
struct Subobjects {
    array: *mut D3D12DDI_STATE_SUBOBJECT_0054,
    count: usize,
}

impl Subobjects {
    fn at(&self, index: usize) -> *mut D3D12DDI_STATE_SUBOBJECT_0054 {
        assert!(index < self.count, "every subobject was counted");
        self.array.wrapping_add(index)
    }
}

/// The number of input layouts and stream outputs that generic programs list.
fn uses_by_register(description: &Description<'_>) -> usize {
    let listed = |content: &Content<'_>| match content {
        Content::GenericProgram(program) => program.state.clone(),
        _ => Vec::new(),
    };
    let by_register = |&place: &usize| {
        matches!(
            description.subobjects[place],
            Content::State(State::InputLayout(_) | State::StreamOutput(_))
        )
    };
    description
        .subobjects
        .iter()
        .flat_map(listed)
        .filter(by_register)
        .count()
}

struct Emitter<'m> {
    arena: Arena,
    slots: Vec<Slot>,
    /// Slots by place in the description.
    of_description: Vec<Option<usize>>,
    /// Slots by place in the model.
    of_model: Vec<Option<usize>>,
    programs: Vec<String>,
    graphs: Vec<Arc<GraphMemory>>,
    growth: Option<Growth>,
    target: Option<&'m Capabilities>,
    messages: &'m mut Messages,
}

fn refuse<T>(text: String) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}

impl Emitter<'_> {
    fn parent(&self) -> Option<Arc<StateObject>> {
        self.growth.as_ref()?.parent.clone()
    }

    fn string(&mut self, text: &str) -> LPCWSTR {
        self.arena.string(&text.encode_utf16().collect::<Vec<_>>())
    }

    fn optional_string(&mut self, text: Option<&str>) -> LPCWSTR {
        text.map_or(ptr::null(), |text| self.string(text))
    }

    fn put<T: Copy>(&mut self, kind: D3D12DDI_STATE_SUBOBJECT_TYPE, value: T) -> Slot {
        (kind, self.arena.put(value).cast_const().cast())
    }

    /// Emits the description's own subobjects. Programs get a slot, but no content yet.
    fn plain(&mut self, description: &Description<'_>, model: &Model<'_>) -> Result<(), Invalid> {
        let origins = model
            .subobjects
            .iter()
            .enumerate()
            .filter_map(|(place, declared)| match declared.origin {
                Origin::Description(index) => Some((index, place)),
                _ => None,
            });
        let in_model: HashMap<_, _> = origins.collect();
        let mut hit_groups = hit_groups(model, |scope| scope == Scope::Object);
        for (place, content) in description.placed() {
            let index = place.index;
            let slot = match content {
                Content::HitGroup(_) => hit_groups.next().map(|group| self.hit_group(group)),
                Content::State(state) => self.state(state).map_err(|error| error.at(place))?,
                content => self.content(index, content, model)?,
            };
            let Some(slot) = slot else {
                continue;
            };
            self.of_description[index] = Some(self.slots.len());
            if let Some(&place) = in_model.get(&index) {
                self.of_model[place] = Some(self.slots.len());
            }
            self.slots.push(slot);
        }
        Ok(())
    }

    fn content(
        &mut self,
        index: usize,
        content: &Content<'_>,
        model: &Model<'_>,
    ) -> Result<Option<Slot>, Invalid> {
        Ok(Some(match content {
            Content::Config(flags) => self.config([*flags]),
            Content::GlobalRootSignature(bytes) => {
                self.root_signature(bytes, RootSignatureScope::Global)?
            }
            Content::LocalRootSignature(bytes) => {
                self.root_signature(bytes, RootSignatureScope::Local)?
            }
            Content::NodeMask(mask) => self.node_mask([*mask]),
            Content::ShaderConfig(config) => {
                self.shader_config([config.MaxPayloadSizeInBytes, config.MaxAttributeSizeInBytes])
            }
            Content::PipelineConfig(config) => {
                self.pipeline_config([config.MaxTraceRecursionDepth, 0])
            }
            Content::PipelineConfig1(config) => {
                self.pipeline_config([config.MaxTraceRecursionDepth, config.Flags])
            }
            Content::Library(DxilLibrary { exports, .. }) => {
                let Some(library) = model.libraries.get(&index) else {
                    return Ok(None);
                };
                // The library exports only subobjects, which the driver does not look for in it. An empty list would export
                // everything.
                if !exports.is_empty() && library.exports.is_empty() {
                    return Ok(None);
                }
                let (exports, count) = self.exports(&library.descs);
                let program = library.program.bytes();
                let library = D3D12DDI_DXIL_LIBRARY_DESC_0054 {
                    pDXILLibrary: self.arena.array(program).cast_const().cast(),
                    NumExports: count,
                    pExports: exports,
                };
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, library)
            }
            Content::Collection(ExistingCollection { exports, .. }) => {
                let Some(collection) = model.collections.get(&index) else {
                    return Ok(None);
                };
                let (exports, count) = self.exports(exports);
                let collection = D3D12DDI_EXISTING_COLLECTION_DESC_0054 {
                    hExistingCollection: D3D12DDI_HSTATEOBJECT_0054 {
                        pDrvPrivate: collection.handle.pDrvPrivate,
                    },
                    NumExports: count,
                    pExports: exports,
                };
                self.put(
                    D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
                    collection,
                )
            }
            Content::WorkGraph(_) => (D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH, ptr::null()),
            Content::GenericProgram(_) => {
                (D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM, ptr::null())
            }
            Content::Association(_)
            | Content::DxilAssociation(_)
            | Content::HitGroup(_)
            | Content::State(_) => return Ok(None),
        }))
    }

    fn exports(&mut self, descs: &[api_desc::Export]) -> (*mut D3D12DDI_EXPORT_DESC_0054, UINT) {
        let descs: Vec<_> = descs
            .iter()
            .map(|desc| D3D12DDI_EXPORT_DESC_0054 {
                Name: self.string(&desc.name),
                ExportToRename: self.optional_string(desc.export_to_rename.as_deref()),
                Flags: D3D12DDI_EXPORT_FLAG_NONE,
            })
            .collect();
        (self.arena.array(&descs), length(&descs))
    }

    fn config(&mut self, [flags]: [u32; 1]) -> Slot {
        let config = D3D12DDI_STATE_OBJECT_CONFIG_0054 {
            Flags: D3D12DDI_STATE_OBJECT_FLAGS(flags.cast_signed()),
        };
        self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, config)
    }

    /// Emits the DDI's SERIALIZED form, which has the root signature in its structure and needs no handle.
    fn root_signature(&mut self, bytes: &[u8], scope: RootSignatureScope) -> Result<Slot, Invalid> {
        let read = root_signature::read(bytes, scope)?;
        let root_signature = root_signature::translate(&read, NODE_MASK, &mut self.arena);
        let kind = match scope {
            RootSignatureScope::Global => {
                D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE
            }
            RootSignatureScope::Local => {
                D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE
            }
        };
        Ok((kind, root_signature.cast_const().cast()))
    }

    fn node_mask(&mut self, [mask]: [u32; 1]) -> Slot {
        let mask = D3D12DDI_NODE_MASK_0054 { NodeMask: mask };
        self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK, mask)
    }

    fn shader_config(&mut self, [payload, attributes]: [u32; 2]) -> Slot {
        let config = D3D12DDI_RAYTRACING_SHADER_CONFIG_0054 {
            MaxPayloadSizeInBytes: payload,
            MaxAttributeSizeInBytes: attributes,
        };
        self.put(
            D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
            config,
        )
    }

    fn pipeline_config(&mut self, [depth, flags]: [u32; 2]) -> Slot {
        let config = D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075 {
            MaxTraceRecursionDepth: depth,
            Flags: D3D12DDI_RAYTRACING_PIPELINE_FLAGS(flags.cast_signed()),
        };
        self.put(
            D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
            config,
        )
    }

    fn hit_group(&mut self, (desc, lacks): (&HitGroup, D3D12DDI_EXPORT_SUMMARY_FLAGS)) -> Slot {
        let [any_hit, closest_hit, intersection] = desc.imports();
        let group = D3D12DDI_HIT_GROUP_DESC_0054 {
            HitGroupExport: self.string(&desc.export),
            Type: D3D12DDI_HIT_GROUP_TYPE(desc.kind),
            AnyHitShaderImport: self.optional_string(any_hit),
            ClosestHitShaderImport: self.optional_string(closest_hit),
            IntersectionShaderImport: self.optional_string(intersection),
            SummaryFlags: lacks,
        };
        self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP, group)
    }

    /// Emits state of generic programs, except for input layouts and stream outputs.
    fn state(&mut self, state: &State) -> Result<Option<Slot>, Invalid> {
        Ok(Some(match state {
            State::StreamOutput(_) | State::InputLayout(_) => return Ok(None),
            State::Blend(desc) => self.put(
                D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND,
                fixed_function::blend(desc),
            ),
            State::SampleMask(mask) => {
                let mask = D3D12DDI_SAMPLE_MASK_0084 { SampleMask: *mask };
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, mask)
            }
            State::Rasterizer(desc) => {
                let desc = fixed_function::rasterizer(*desc);
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER, desc)
            }
            State::DepthStencil(desc) => self.depth_stencil((*desc).into()),
            State::DepthStencil1(desc) => self.depth_stencil((*desc).into()),
            State::DepthStencil2(desc) => self.depth_stencil(*desc),
            State::IbStripCutValue(value) => {
                let value = D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE(*value);
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE, value)
            }
            State::PrimitiveTopology(topology) => {
                let topology = D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084 {
                    PrimitiveTopology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE(*topology),
                };
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, topology)
            }
            State::RenderTargetFormats(formats) => {
                if formats.NumRenderTargets as usize > formats.RTFormats.len() {
                    let count = formats.NumRenderTargets;
                    return refuse(format!("NumRenderTargets is {count}, 8 is the limit"));
                }
                let usable = |format| match self.target {
                    Some(target) => target.usable_render_target(format),
                    None => format,
                };
                let formats = D3D12DDI_RT_FORMAT_ARRAY {
                    RTFormats: formats.RTFormats.map(|format| usable(DXGI_FORMAT(format))),
                    NumRenderTargets: formats.NumRenderTargets,
                };
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, formats)
            }
            State::DepthStencilFormat(format) => {
                let format = DXGI_FORMAT(*format);
                let format = D3D12DDI_DEPTH_STENCIL_FORMAT_0084 {
                    DepthStencilFormat: match self.target {
                        Some(_) => Capabilities::usable_depth_stencil(format),
                        None => format,
                    },
                };
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT, format)
            }
            State::SampleDesc(desc) => {
                let desc = fixed_function::sample_desc(Some(*desc));
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, desc)
            }
            State::Flags(flags) => {
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS, pipeline_flags(*flags)?)
            }
            State::ViewInstancing(desc) => {
                let desc = fixed_function::view_instancing(desc, &mut self.arena)?;
                self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING, desc)
            }
        }))
    }

    fn depth_stencil(&mut self, desc: D3D12_DEPTH_STENCIL_DESC2) -> Slot {
        let desc = fixed_function::depth_stencil(desc);
        self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL, desc)
    }

    /// Emits the subobjects that libraries declare; hit groups come last.
    fn of_libraries(&mut self, model: &Model<'_>) -> Result<(), Invalid> {
        for (place, declared) in model.subobjects.iter().enumerate() {
            if declared.origin != Origin::Library {
                continue;
            }
            let content = &declared.subobject.content;
            let slot = match declared.subobject.kind {
                Kind::GlobalRootSignature => {
                    self.root_signature(content, RootSignatureScope::Global)?
                }
                Kind::LocalRootSignature => {
                    self.root_signature(content, RootSignatureScope::Local)?
                }
                Kind::StateObjectConfig => self.config(numbers_of(content)),
                Kind::NodeMask => self.node_mask(numbers_of(content)),
                Kind::RaytracingShaderConfig => self.shader_config(numbers_of(content)),
                Kind::RaytracingPipelineConfig => self.pipeline_config(numbers_of(content)),
            };
            self.of_model[place] = Some(self.slots.len());
            self.slots.push(slot);
        }
        for group in hit_groups(model, |scope| matches!(scope, Scope::Library(_))) {
            let slot = self.hit_group(group);
            self.slots.push(slot);
        }
        Ok(())
    }

    /// Emits work graphs and generic programs.
    fn programs(
        &mut self,
        description: &Description<'_>,
        model: &Model<'_>,
        subobjects: &Subobjects,
    ) -> Result<(), Invalid> {
        let mut here = HashSet::new();
        for (place, content) in description.placed() {
            let desc = match content {
                Content::WorkGraph(graph) => {
                    if !here.insert(&graph.name) {
                        return Err(named_twice(&graph.name).at(place));
                    }
                    self.work_graph(graph, model)
                        .map_err(|error| error.at(place))?
                }
                Content::GenericProgram(program) => {
                    if let Some(name) = &program.name {
                        if !here.insert(name) || self.programs.contains(name) {
                            return Err(named_twice(name).at(place));
                        }
                        self.programs.push(name.clone());
                    }
                    self.generic_program(program, description, model, subobjects)
                        .map_err(|error| error.at(place))?
                }
                _ => continue,
            };
            if let Some(slot) = self.of_description[place.index] {
                self.slots[slot].1 = desc;
            }
        }
        Ok(())
    }

    fn generic_program(
        &mut self,
        program: &GenericProgram,
        description: &Description<'_>,
        model: &Model<'_>,
        subobjects: &Subobjects,
    ) -> Result<*const c_void, Invalid> {
        let parent = self.parent();
        let mut named = Vec::new();
        for name in &program.exports {
            let found = find_entry(model, parent.as_deref(), name);
            let Some(found) = found else {
                return refuse(format!("there is no export {name}"));
            };
            named.push(found);
        }
        let shaders = Program::new(&named)?;
        let all = listed_state(program, description)?;
        let state = ProgramState::new(&all, &mut self.arena)?;
        let mut listed = Vec::new();
        for &place in &program.state {
            let Content::State(of) = &description.subobjects[place] else {
                continue;
            };
            let slot = match of {
                State::InputLayout(_) => {
                    let vertex = shaders.shaders.get(Stage::Vertex);
                    let input = vertex.and_then(|shader| shader.input);
                    let elements = &state.input_layout;
                    let layout =
                        fixed_function::element_layout(elements, input.as_ref(), &mut self.arena);
                    let slot = self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, layout);
                    self.slots.push(slot);
                    Some(self.slots.len() - 1)
                }
                State::StreamOutput(_) => {
                    let slot = self.stream_output(&state, &shaders);
                    self.slots.push(slot);
                    Some(self.slots.len() - 1)
                }
                _ => self.of_description[place],
            };
            listed.extend(slot.map(|slot| subobjects.at(slot).cast_const()));
        }
        shaders.check(&state, self.target, self.messages)?;
        let exports: Vec<_> = program
            .exports
            .iter()
            .map(|name| self.string(name))
            .collect();
        let desc = D3D12DDI_GENERIC_PROGRAM_DESC_0108 {
            ProgramName: self.optional_string(program.name.as_deref()),
            NumExports: length(&exports),
            pExports: self.arena.array(&exports),
            NumSubobjects: length(&listed),
            pSubobjects: self.arena.array(&listed),
        };
        Ok(self.arena.put(desc).cast_const().cast())
    }

    fn stream_output(&mut self, state: &ProgramState<'_>, program: &Program<'_>) -> Slot {
        let mut desc = D3D12DDI_STREAM_OUTPUT_DESC_0108::zeroed();
        if let Some(output) = state.stream_output {
            let last = program.shaders.last_before_rasterizer();
            let signature = last.and_then(|shader| shader.output);
            let entries =
                fixed_function::stream_output_entries(output, signature.as_ref(), &mut self.arena);
            desc = D3D12DDI_STREAM_OUTPUT_DESC_0108 {
                pSODeclaration: entries,
                NumEntries: length(&output.entries),
                pBufferStrides: self.arena.array(&output.strides),
                NumStrides: length(&output.strides),
                RasterizedStream: output.rasterized_stream,
            };
        }
        self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT, desc)
    }

    /// Resolves a work graph and puts its new nodes into the arena.
    fn work_graph(
        &mut self,
        desc: &WorkGraph,
        model: &Model<'_>,
    ) -> Result<*const c_void, Invalid> {
        if self.programs.contains(&desc.name) {
            return Err(named_twice(&desc.name));
        }
        let parent = self.parent();
        let available = available_nodes(model, parent.as_deref());
        let known = self
            .graphs
            .iter()
            .position(|memory| memory.graph.name == desc.name);
        let before = known.map(|place| self.graphs[place].clone());
        let graph = work_graph::build(desc, &available, before.as_ref().map(|b| &b.graph))?;
        let memory = self.graph_memory(graph, before.as_deref());
        let entry_points = memory
            .graph
            .nodes
            .iter()
            .filter(|node| node.is_entry)
            .count();
        let flags = match before {
            Some(_) => D3D12DDI_WORK_GRAPH_FLAG_ADD_TO_EXISTING_WORK_GRAPH,
            None => D3D12DDI_WORK_GRAPH_FLAG_NONE,
        };
        let desc = D3D12DDI_WORK_GRAPH_DESC_0108 {
            ProgramName: self.string(&desc.name),
            Version: memory.graph.version,
            Flags: flags,
            NumNodes: length(&memory.graph.nodes),
            pNodes: memory.all,
            NumEntrypoints: UINT::try_from(entry_points).unwrap_or(UINT::MAX),
            pEntrypoints: memory.entry_points,
        };
        let memory = Arc::new(memory);
        match known {
            Some(place) => self.graphs[place] = memory,
            None => self.graphs.push(memory),
        }
        Ok(self.arena.put(desc).cast_const().cast())
    }

    /// Allocates the new nodes and links them with each other and with the older ones.
    fn graph_memory(&mut self, graph: Graph, before: Option<&GraphMemory>) -> GraphMemory {
        let mut nodes = before.map_or_else(Vec::new, |before| before.nodes.clone());
        let first_new = nodes.len();
        // Nodes point at each other, so this allocates all of them before it fills any.
        for node in &graph.nodes[first_new..] {
            let memory = self.node(node);
            nodes.push(memory);
        }
        for (place, inputs) in graph.inputs().into_iter().enumerate() {
            let new = inputs
                .into_iter()
                .filter(|&input| place.max(input) >= first_new);
            self.prepend(nodes[place].inputs, place < first_new, new, &nodes);
        }
        for (place, node) in graph.nodes.iter().enumerate() {
            for (output, targets) in node.targets.iter().enumerate() {
                let new = targets
                    .iter()
                    .copied()
                    .filter(|&target| place.max(target) >= first_new);
                self.prepend(nodes[place].outputs[output], place < first_new, new, &nodes);
            }
        }
        for (place, sharing) in graph.sharing().into_iter().enumerate().skip(first_new) {
            let head = self.list(sharing.into_iter(), ptr::null_mut(), &nodes);
            let source = nodes[place].node;
            set_sharing(&graph.nodes[place], source, head, ptr::null());
            if let Some(of) = graph.nodes[place].shares_input_of {
                set_sharing(&graph.nodes[place], source, head, nodes[of].node);
            }
        }
        let new = first_new..graph.nodes.len();
        let (all, entry_points) = before.map_or((ptr::null_mut(), ptr::null_mut()), |b| {
            (b.all, b.entry_points)
        });
        let all = self.list(new.clone(), all, &nodes);
        let entry = |&place: &usize| graph.nodes[place].is_entry;
        let entry_points = self.list(
            new.filter(entry).collect::<Vec<_>>().into_iter(),
            entry_points,
            &nodes,
        );
        GraphMemory {
            graph,
            nodes,
            all,
            entry_points,
        }
    }

    /// Makes a list of nodes that continues with another list.
    fn list(
        &mut self,
        places: impl DoubleEndedIterator<Item = usize>,
        tail: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
        nodes: &[NodeMemory],
    ) -> *mut D3D12DDI_NODE_LIST_ENTRY_0108 {
        places.rev().fold(tail, |next, place| {
            self.arena.put(D3D12DDI_NODE_LIST_ENTRY_0108 {
                pNode: nodes[place].node,
                pNext: next,
            })
        })
    }

    /// Puts nodes in front of the list that starts at `head`. In the list of an older node they stay only as long as the
    /// addition lives.
    fn prepend(
        &mut self,
        head: *mut *mut D3D12DDI_NODE_LIST_ENTRY_0108,
        is_older: bool,
        places: impl Iterator<Item = usize>,
        nodes: &[NodeMemory],
    ) {
        let places: Vec<_> = places.collect();
        if places.is_empty() {
            return;
        }
        // SAFETY: the head is in this arena or in one of the lineage, all of which are alive.
        let before = unsafe { *head };
        let list = self.list(places.into_iter(), before, nodes);
        match &mut self.growth {
            // SAFETY: the head is in memory of the lineage; the list in this object's arena, which
            // outlives its growth.
            Some(growth) if is_older => unsafe { growth.link(head, list) },
            // SAFETY: the head is in this arena.
            _ => unsafe { *head = list },
        }
    }

    fn node_id(&mut self, id: &NodeId) -> D3D12DDI_NODE_ID_0108 {
        D3D12DDI_NODE_ID_0108 {
            Name: self.string(&id.name),
            ArrayIndex: id.array_index,
        }
    }

    fn optional<T: Copy>(&mut self, value: Option<T>) -> *const T {
        value.map_or(ptr::null(), |value| self.arena.put(value).cast_const())
    }

    fn record_grid(
        &mut self,
        grid: Option<RecordGrid>,
    ) -> *const D3D12DDI_RECORD_DISPATCH_GRID_0108 {
        self.optional(grid.map(|grid| D3D12DDI_RECORD_DISPATCH_GRID_0108 {
            ByteOffset: grid.byte_offset,
            NumComponents: grid.components,
            b16BitsPerComponent: grid.is_16_bit.into(),
        }))
    }

    /// Allocates a node without its links.
    fn node(&mut self, node: &Node) -> NodeMemory {
        let outputs: Vec<_> = node
            .outputs
            .iter()
            .enumerate()
            .map(|(index, output)| {
                let (own, shared) = match output.budget {
                    Budget::Own(max) => (Some(max), None),
                    Budget::SharedWith(other) => (None, Some(other)),
                };
                let (kind, flags) = kind_and_flags(output.flags);
                D3D12DDI_NODE_OUTPUT_0108 {
                    FinalName: self.node_id(&output.id),
                    OutputIndex: UINT::try_from(index).unwrap_or(UINT::MAX),
                    NodeIOKind: kind,
                    NodeIOFlags: flags,
                    RecordSizeInBytes: output.record_size,
                    bAllowSparseNodes: output.sparse.into(),
                    pRecordDispatchGrid: self.record_grid(output.record_grid),
                    pMaxRecords: self.optional(own),
                    pMaxRecordsSharedWithOutputIndex: self.optional(shared),
                    ArraySize: output.array_size,
                    pOutputs: ptr::null_mut(),
                }
            })
            .collect();
        let count = length(&outputs);
        let outputs_at = self.arena.array(&outputs);
        let (input_kind, input_flags) = kind_and_flags(node.input.flags);
        let index = self.optional(node.local_root_index);
        let name = self.node_id(&node.id);
        /// Puts the structure of a launch mode into the arena; returns it and the address of the head of its inputs.
        macro_rules! properties {
            ($structure:ident { $($field:ident: $value:expr,)* }) => {{
                let at = self.arena.put($structure {
                    FinalName: name,
                    bProgramEntry: node.is_entry.into(),
                    InputNodeIOKind: input_kind,
                    InputNodeIOFlags: input_flags,
                    InputRecordSizeInBytes: node.input.record_size,
                    GroupSharedUsageInBytes: node.group_shared,
                    MaxRecursionDepth: node.max_recursion,
                    pLocalRootArgumentsTableIndex: index,
                    NumOutputs: count,
                    pOutputs: outputs_at,
                    $($field: $value,)*
                    ..Zeroable::zeroed()
                });
                // SAFETY: the structure is in the arena; its member is not read.
                (at, unsafe { &raw mut (*at).pInputNodes })
            }};
        }
        let (kind, arm, inputs) = match node.launch {
            Launch::Broadcasting => {
                let fixed = self.optional(node.dispatch_grid).cast();
                let most = self.optional(node.max_dispatch_grid).cast();
                let in_record = self.record_grid(node.input.record_grid);
                let (at, inputs) = properties!(D3D12DDI_BROADCASTING_LAUNCH_NODE_PROPERTIES_0108 {
                    pDispatchGrid: fixed,
                    pMaxDispatchGrid: most,
                    pRecordDispatchGrid: in_record,
                });
                let arm = D3D12DDI_SHADER_NODE_0108_0 {
                    pBroadcastingLaunchNodeProperties: at,
                };
                (
                    D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108,
                    arm,
                    inputs,
                )
            }
            Launch::Coalescing => {
                let (at, inputs) = properties!(D3D12DDI_COALESCING_LAUNCH_NODE_PROPERTIES_0108 {
                    InputMaxRecordArraySize: node.input.max_records,
                });
                let arm = D3D12DDI_SHADER_NODE_0108_0 {
                    pCoalescingLaunchNodeProperties: at,
                };
                (
                    D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108,
                    arm,
                    inputs,
                )
            }
            Launch::Thread => {
                let (at, inputs) = properties!(D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108 {});
                let arm = D3D12DDI_SHADER_NODE_0108_0 {
                    pThreadLaunchNodeProperties: at,
                };
                (
                    D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108,
                    arm,
                    inputs,
                )
            }
        };
        let shader = D3D12DDI_SHADER_NODE_0108 {
            Shader: self.string(&node.shader),
            PropertiesType: kind,
            Anonymous: arm,
        };
        let node_at = self.arena.put(D3D12DDI_NODE_0108 {
            VersionAdded: node.version,
            NodeType: D3D12DDI_NODE_TYPE_SHADER_0108,
            Anonymous: D3D12DDI_NODE_0108_0 { Shader: shader },
        });
        let output_heads = (0..outputs.len()).map(|index| {
            let output = outputs_at.wrapping_add(index);
            // SAFETY: the output is in the arena; its member is not read.
            unsafe { &raw mut (*output).pOutputs }
        });
        NodeMemory {
            node: node_at,
            inputs,
            outputs: output_heads.collect(),
        }
    }

    /// Emits the export summary: each shader and hit group with its associated subobjects.
    fn summary(&mut self, model: &Model<'_>, subobjects: &Subobjects) {
        let mut summaries = Vec::new();
        let mut overall = 0;
        for export in model.exports.iter().filter(|e| e.is_visible_entry()) {
            let associated = self.associated(&export.associated, model, subobjects);
            overall |= export.lacks.0;
            summaries.push(D3D12DDI_FUNCTION_SUMMARY_NODE_0054 {
                ExportNameUnmangled: self.string(&export.name),
                ExportNameMangled: self.string(&export.mangled),
                NumAssociatedSubobjects: length(&associated),
                ppAssociatedSubobjects: self.arena.array(&associated),
                Flags: export.lacks,
            });
        }
        let summary = D3D12DDI_FUNCTION_SUMMARY_0054 {
            NumExportedFunctions: length(&summaries),
            pSummaries: self.arena.array(&summaries),
            OverallFlags: D3D12DDI_EXPORT_SUMMARY_FLAGS(overall),
        };
        let slot = self.put(D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY, summary);
        self.slots.push(slot);
    }

    fn associated(
        &self,
        associated: &Associated,
        model: &Model<'_>,
        subobjects: &Subobjects,
    ) -> Vec<*const D3D12DDI_STATE_SUBOBJECT_0054> {
        let at = |place| self.place(place, model, subobjects);
        associated.iter().filter_map(at).collect()
    }

    /// The address of the DDI's subobject for one of the model.
    fn place(
        &self,
        place: usize,
        model: &Model<'_>,
        subobjects: &Subobjects,
    ) -> Option<*const D3D12DDI_STATE_SUBOBJECT_0054> {
        match model.subobjects[place].origin {
            Origin::Collection(at) => Some(at),
            _ => self.of_model[place].map(|slot| subobjects.at(slot).cast_const()),
        }
    }

    fn finish(
        mut self,
        model: Model<'_>,
        subobjects: &Subobjects,
        count: UINT,
    ) -> Result<StateObject, Invalid> {
        let arg = self.arena.put(D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
            Type: model.kind,
            NumSubobjects: count,
            pSubobjects: subobjects.array,
        });
        let places = (0..model.subobjects.len())
            .map(|place| self.place(place, &model, subobjects).unwrap_or(ptr::null()));
        let places: Vec<_> = places.collect();
        let subobjects = model
            .subobjects
            .into_iter()
            .map(|declared| declared.subobject);
        Ok(StateObject {
            arg: NonNull::new(arg).ok_or_else(|| Invalid::other("an arena without memory"))?,
            record: Record {
                kind: model.kind,
                flags: model.flags,
                exports: model.exports,
                subobjects: subobjects.zip(places).collect(),
                pending: model.pending,
            },
            graphs: self.graphs,
            programs: self.programs,
            grown: false.into(),
            growth: self.growth,
            collections: model.collections.into_values().collect(),
            arena: self.arena,
        })
    }
}

/// The hit groups that a scope declares, and what they lack.
fn hit_groups<'m>(
    model: &'m Model<'_>,
    scope: impl Fn(Scope) -> bool + 'm,
) -> impl Iterator<Item = (&'m HitGroup, D3D12DDI_EXPORT_SUMMARY_FLAGS)> {
    let exports = model
        .exports
        .iter()
        .filter(move |export| scope(export.scope));
    exports.filter_map(|export| match &export.what {
        What::HitGroup { desc, .. } => Some((desc, export.lacks)),
        What::Function(_) => None,
    })
}

/// The state that a program lists.
fn listed_state(
    program: &GenericProgram,
    description: &Description<'_>,
) -> Result<FixedFunction, Invalid> {
    let mut all = FixedFunction::default();
    for &place in &program.state {
        if let Some(Content::State(state)) = description.subobjects.get(place)
            && all.set(state.clone())
        {
            let name = subobject_name(state.subobject_type()).unwrap_or_default();
            // The versions of a subobject count as one.
            let name = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
            return refuse(format!("the program lists a second {name}"));
        }
    }
    Ok(all)
}

fn named_twice(name: &str) -> Invalid {
    Invalid::other(format!("there is a program {name} already"))
}

/// The kind of an input or output, and its other flags.
fn kind_and_flags(flags: u32) -> (D3D12DDI_NODE_IO_KIND_0108, UINT) {
    let mask = D3D12DDI_NODE_IO_FLAG_KIND_MASK.0.cast_unsigned();
    (
        D3D12DDI_NODE_IO_KIND_0108((flags & mask).cast_signed()),
        flags & !mask,
    )
}

/// Sets the node whose input a new node shares, and the list of nodes that share its own input.
fn set_sharing(
    node: &Node,
    at: *mut D3D12DDI_NODE_0108,
    sharing: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    source: *const D3D12DDI_NODE_0108,
) {
    /// The two members of a structure.
    macro_rules! set {
        ($properties:expr) => {{
            let properties = $properties.cast_mut();
            (*properties).pNodesSharingInputWithThisNode = sharing;
            (*properties).pShareInputOfNode = source;
        }};
    }
    // SAFETY: the node was just put into the arena, with the structure of its launch mode.
    unsafe {
        let arm = (*at).Anonymous.Shader.Anonymous;
        match node.launch {
            Launch::Broadcasting => set!(arm.pBroadcastingLaunchNodeProperties),
            Launch::Coalescing => set!(arm.pCoalescingLaunchNodeProperties),
            Launch::Thread => set!(arm.pThreadLaunchNodeProperties),
        }
    }
}

/// Finds a shader by its name in this object or in one that it was grown from.
fn find_entry<'a>(
    model: &'a Model<'_>,
    parent: Option<&'a StateObject>,
    name: &'a str,
) -> Option<Named<'a>> {
    let named = |export: &'a Export, content: &dyn Fn(usize) -> &'a [u8]| {
        Some(Named {
            name,
            function: export.function()?,
            global: export
                .associated
                .get(Kind::GlobalRootSignature)
                .map(content),
            local: export.associated.get(Kind::LocalRootSignature).map(content),
        })
    };
    let fits = |export: &&Export| export.is_visible_entry() && export.name == name;
    if let Some(export) = model.exports.iter().find(fits) {
        return named(export, &|place| &model.subobjects[place].subobject.content);
    }
    parent?.lineage().find_map(|ancestor| {
        let record = ancestor.record();
        let export = record.exports.iter().find(fits)?;
        named(export, &|place| &record.subobjects[place].0.content)
    })
}

/// The node shaders of this object and of those that it was grown from, by the IDs of their nodes.
fn available_nodes(model: &Model<'_>, parent: Option<&StateObject>) -> Vec<Available> {
    let mut available = Vec::new();
    let mut add = |export: &Export, local: Option<Vec<u8>>| {
        if export.is_hidden {
            return;
        }
        if let Some(node) = export.function().and_then(|function| function.node.clone()) {
            available.push(Available {
                name: export.name.clone(),
                shader: Arc::new(node),
                local_root_signature: local,
            });
        }
    };
    let lineage: Vec<_> = parent
        .map(|parent| parent.lineage().collect())
        .unwrap_or_default();
    for ancestor in lineage.into_iter().rev() {
        let record = ancestor.record();
        for export in &record.exports {
            let local = export.associated.get(Kind::LocalRootSignature);
            add(
                export,
                local.map(|place| record.subobjects[place].0.content.clone()),
            );
        }
    }
    for export in &model.exports {
        let local = export.associated.get(Kind::LocalRootSignature);
        add(
            export,
            local.map(|place| model.subobjects[place].subobject.content.clone()),
        );
    }
    // The order of subobjects has no meaning, that of entry points has: the driver deduces their indices from it.
    available.sort_by(|a, b| {
        let by_id = |a: &Available| (a.shader.id.name.clone(), a.shader.id.array_index);
        by_id(a).cmp(&by_id(b)).then_with(|| a.name.cmp(&b.name))
    });
    available
}
