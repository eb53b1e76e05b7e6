//! Makes the API's structures from owned descriptions.

use std::any::Any;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ptr;

#[allow(clippy::wildcard_imports, reason = "the structures of a description")]
use api_sys::*;
use windows_core::{BOOL, IUnknown, Interface, PCSTR, PCWSTR};

use crate::from_raw::STATE_TYPES;
use crate::{
    Blob, Export, NodeId, PipelineStateDesc, ShaderNode, ShaderStage, State, StateObjectDesc,
    Subobject, WorkGraph,
};

/// The API's structures of a pipeline state. They borrow from the description that they were made from.
#[derive(Debug)]
pub struct RawPipelineState<'d> {
    desc: D3D12_PIPELINE_STATE_STREAM_DESC,
    _memory: Memory,
    of: PhantomData<&'d PipelineStateDesc>,
}

impl RawPipelineState<'_> {
    /// The description. What it points at is valid as long as `self`.
    pub fn desc(&self) -> &D3D12_PIPELINE_STATE_STREAM_DESC {
        &self.desc
    }
}

/// The API's structures of a state object. They share libraries and root signatures with the description that they were made
/// from.
#[derive(Debug)]
pub struct RawStateObject {
    desc: D3D12_STATE_OBJECT_DESC,
    _memory: Memory,
}

impl RawStateObject {
    /// The description. What it points at is valid as long as `self`.
    pub fn desc(&self) -> &D3D12_STATE_OBJECT_DESC {
        &self.desc
    }
}

/// API objects that replace root signatures and collections of a state object's description. For an entry that is `None`, or
/// past the end of a list, `to_raw_with` keeps the serialized root signature or the key.
#[derive(Clone, Debug, Default)]
pub struct ApiObjects {
    /// For the global root signatures, in their order: `GLOBAL_ROOT_SIGNATURE`.
    pub global_root_signatures: Vec<Option<ID3D12RootSignature>>,
    /// For the local root signatures, in their order: `LOCAL_ROOT_SIGNATURE`.
    pub local_root_signatures: Vec<Option<ID3D12RootSignature>>,
    /// For the collections, in their order.
    pub collections: Vec<Option<ApiCollection>>,
}

/// A collection as an object of the API.
#[derive(Clone, Debug)]
pub enum ApiCollection {
    /// A device's: `EXISTING_COLLECTION`.
    StateObject(ID3D12StateObject),
    /// A compiler's: `COMPILER_EXISTING_COLLECTION`.
    Compiled(ID3D12CompilerStateObject),
}

/// Memory that structures point into. Nothing in it moves, and it stays until this is dropped.
#[derive(Debug, Default)]
struct Memory(Vec<Box<dyn Any>>);

impl Memory {
    /// An empty array is null.
    fn array<T: 'static>(&mut self, items: Vec<T>) -> *mut T {
        if items.is_empty() {
            return ptr::null_mut();
        }
        let mut items = items;
        let first = items.as_mut_ptr();
        self.0.push(Box::new(items));
        first
    }

    fn put<T: 'static>(&mut self, item: T) -> *const T {
        self.array(vec![item])
    }

    /// Null for `None`.
    fn optional<T: 'static>(&mut self, item: Option<T>) -> *const T {
        item.map_or(ptr::null(), |item| self.put(item))
    }

    /// Keeps a blob, which does not move.
    fn share<'b>(&mut self, bytes: &'b Blob) -> &'b [u8] {
        self.0.push(Box::new(bytes.clone()));
        bytes
    }

    fn text(&mut self, text: &str) -> PCWSTR {
        PCWSTR(self.array(text.encode_utf16().chain([0]).collect()))
    }

    fn optional_text(&mut self, text: Option<&String>) -> PCWSTR {
        text.map_or(PCWSTR::null(), |text| self.text(text))
    }

    fn texts(&mut self, texts: &[String]) -> *mut PCWSTR {
        let texts = texts.iter().map(|text| self.text(text)).collect();
        self.array(texts)
    }

    fn semantic_name(&mut self, name: &str) -> PCSTR {
        PCSTR(self.array(name.bytes().chain([0]).collect()))
    }

    fn exports(&mut self, exports: &[Export]) -> *const D3D12_EXPORT_DESC {
        let export = |export: &Export| D3D12_EXPORT_DESC {
            Name: self.text(&export.name),
            ExportToRename: self.optional_text(export.export_to_rename.as_ref()),
            Flags: export.flags,
        };
        let exports = exports.iter().map(export).collect();
        self.array(exports)
    }
}

/// The length of an array in the API's type. No array of a description is longer than that.
fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("arrays of descriptions are counted in 32 bits")
}

fn bytecode(bytes: &[u8]) -> D3D12_SHADER_BYTECODE {
    D3D12_SHADER_BYTECODE {
        pShaderBytecode: bytes.as_ptr().cast(),
        BytecodeLength: bytes.len(),
    }
}

fn root_signature(bytes: &[u8]) -> D3D12_SERIALIZED_ROOT_SIGNATURE_DESC {
    D3D12_SERIALIZED_ROOT_SIGNATURE_DESC {
        pSerializedBlob: bytes.as_ptr().cast(),
        SerializedBlobSizeInBytes: bytes.len(),
    }
}

/// A writer of state: records of a stream, or subobjects.
trait Sink {
    fn memory(&mut self) -> &mut Memory;

    /// Writes a payload; `kind` is its type as a subobject.
    fn put<T: 'static>(&mut self, kind: D3D12_STATE_SUBOBJECT_TYPE, payload: T);
}

/// Writes a stream, in units of its alignment.
#[derive(Default)]
struct Stream {
    units: Vec<MaybeUninit<usize>>,
    memory: Memory,
}

impl Stream {
    fn record<T: 'static>(&mut self, kind: i32, payload: T) {
        type Unit = MaybeUninit<usize>;
        const {
            assert!(align_of::<PipelineStateSubobject<T>>() == align_of::<Unit>());
            assert!(size_of::<PipelineStateSubobject<T>>().is_multiple_of(size_of::<Unit>()));
        };
        let start = self.units.len();
        let units = size_of::<PipelineStateSubobject<T>>() / size_of::<Unit>();
        self.units.resize(start + units, Unit::zeroed());
        let record = PipelineStateSubobject::new(kind, payload);
        // SAFETY: as many units as the record has were added there, aligned as it is.
        unsafe {
            self.units
                .as_mut_ptr()
                .add(start)
                .cast::<PipelineStateSubobject<T>>()
                .write(record);
        }
    }
}

impl Sink for Stream {
    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn put<T: 'static>(&mut self, kind: D3D12_STATE_SUBOBJECT_TYPE, payload: T) {
        let record = STATE_TYPES.iter().find(|(_, subobject)| *subobject == kind);
        let (record, _) = record.expect("all state that is put has a record");
        self.record(*record, payload);
    }
}

impl State {
    fn put(&self, sink: &mut impl Sink) {
        let kind = self.subobject_type();
        match self {
            Self::StreamOutput(desc) => {
                let memory = sink.memory();
                let entries = desc.entries.iter().map(|entry| D3D12_SO_DECLARATION_ENTRY {
                    Stream: entry.stream,
                    SemanticName: match &entry.semantic_name {
                        Some(name) => memory.semantic_name(name),
                        None => PCSTR::null(),
                    },
                    SemanticIndex: entry.semantic_index,
                    StartComponent: entry.start_component,
                    ComponentCount: entry.component_count,
                    OutputSlot: entry.output_slot,
                });
                let entries = entries.collect();
                let payload = D3D12_STREAM_OUTPUT_DESC {
                    pSODeclaration: memory.array(entries),
                    NumEntries: count(&desc.entries),
                    pBufferStrides: memory.array(desc.strides.clone()),
                    NumStrides: count(&desc.strides),
                    RasterizedStream: desc.rasterized_stream,
                };
                sink.put(kind, payload);
            }
            Self::InputLayout(elements) => {
                let memory = sink.memory();
                let descs = elements.iter().map(|element| D3D12_INPUT_ELEMENT_DESC {
                    SemanticName: memory.semantic_name(&element.semantic_name),
                    SemanticIndex: element.semantic_index,
                    Format: element.format,
                    InputSlot: element.input_slot,
                    AlignedByteOffset: element.aligned_byte_offset,
                    InputSlotClass: element.input_slot_class,
                    InstanceDataStepRate: element.instance_data_step_rate,
                });
                let descs = descs.collect();
                let payload = D3D12_INPUT_LAYOUT_DESC {
                    pInputElementDescs: memory.array(descs),
                    NumElements: count(elements),
                };
                sink.put(kind, payload);
            }
            Self::ViewInstancing(desc) => {
                let payload = D3D12_VIEW_INSTANCING_DESC {
                    ViewInstanceCount: count(&desc.locations),
                    pViewInstanceLocations: sink.memory().array(desc.locations.clone()),
                    Flags: desc.flags,
                };
                sink.put(kind, payload);
            }
            Self::Blend(desc) => sink.put(kind, **desc),
            Self::SampleMask(mask) => sink.put(kind, *mask),
            Self::Rasterizer(desc) => sink.put(kind, *desc),
            Self::DepthStencil(desc) => sink.put(kind, *desc),
            Self::DepthStencil1(desc) => sink.put(kind, *desc),
            Self::DepthStencil2(desc) => sink.put(kind, *desc),
            Self::IbStripCutValue(value) => sink.put(kind, *value),
            Self::PrimitiveTopology(topology) => sink.put(kind, *topology),
            Self::RenderTargetFormats(formats) => sink.put(kind, *formats),
            Self::DepthStencilFormat(format) => sink.put(kind, *format),
            Self::SampleDesc(desc) => sink.put(kind, *desc),
            Self::Flags(flags) => sink.put(kind, *flags),
        }
    }
}

impl ShaderStage {
    /// The type of its record in a stream.
    pub fn record_type(self) -> D3D12_PIPELINE_STATE_SUBOBJECT_TYPE {
        match self {
            Self::Vertex => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS,
            Self::Pixel => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
            Self::Hull => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS,
            Self::Domain => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS,
            Self::Geometry => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS,
            Self::Amplification => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS,
            Self::Mesh => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS,
            Self::Compute => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS,
        }
    }
}

impl PipelineStateDesc {
    /// The API's structures. If a string has a NUL inside, which no reader lets through, they differ from the description.
    pub fn to_raw(&self) -> RawPipelineState<'_> {
        self.to_raw_with(None)
    }

    /// The API's structures, with an object in place of the root signature.
    pub fn to_raw_with(&self, object: Option<&ID3D12RootSignature>) -> RawPipelineState<'_> {
        let mut stream = Stream::default();
        if let Some(object) = object {
            stream.record(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE,
                object.as_raw(),
            );
            stream.memory.put(object.clone());
        } else if let Some(bytes) = &self.root_signature {
            stream.record(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE,
                root_signature(bytes),
            );
        }
        for stage in ShaderStage::ALL {
            if let Some(bytes) = &self.shaders[stage] {
                stream.record(stage.record_type(), bytecode(bytes));
            }
        }
        for state in self.fixed_function.states() {
            state.put(&mut stream);
        }
        if let Some(mask) = self.node_mask {
            stream.record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK, mask);
        }
        let Stream { units, mut memory } = stream;
        RawPipelineState {
            desc: D3D12_PIPELINE_STATE_STREAM_DESC {
                SizeInBytes: size_of_val(&units[..]),
                pPipelineStateSubobjectStream: memory.array(units).cast(),
            },
            _memory: memory,
            of: PhantomData,
        }
    }
}

/// Writes subobjects.
#[derive(Default)]
struct Subobjects {
    items: Vec<D3D12_STATE_SUBOBJECT>,
    memory: Memory,
}

impl Sink for Subobjects {
    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn put<T: 'static>(&mut self, kind: D3D12_STATE_SUBOBJECT_TYPE, payload: T) {
        self.items.push(D3D12_STATE_SUBOBJECT {
            Type: kind,
            pDesc: self.memory.put(payload).cast(),
        });
    }
}

impl StateObjectDesc {
    /// The API's structures, with collections by their keys. If a string has a NUL inside, or an association points at no
    /// subobject, which no reader lets through, they differ from the description.
    pub fn to_raw(&self) -> RawStateObject {
        self.to_raw_with(&ApiObjects::default())
    }

    /// The API's structures, with objects in place of root signatures and collections.
    pub fn to_raw_with(&self, objects: &ApiObjects) -> RawStateObject {
        let items = Vec::with_capacity(self.subobjects.len());
        // Subobjects point at each other, so their addresses must be known before any is written.
        let first: *const D3D12_STATE_SUBOBJECT = items.as_ptr();
        let place = |index: usize| {
            if index < self.subobjects.len() {
                first.wrapping_add(index)
            } else {
                ptr::null()
            }
        };
        let mut sink = Subobjects {
            items,
            memory: Memory::default(),
        };
        let mut global_objects = objects.global_root_signatures.iter().cloned();
        let mut local_objects = objects.local_root_signatures.iter().cloned();
        let mut collections = objects.collections.iter().cloned();
        for subobject in &self.subobjects {
            let kind = subobject.subobject_type();
            match subobject {
                Subobject::Config(flags) => {
                    sink.put(kind, D3D12_STATE_OBJECT_CONFIG { Flags: *flags });
                }
                Subobject::NodeMask(mask) => sink.put(kind, D3D12_NODE_MASK { NodeMask: *mask }),
                // The structure of a root signature object holds the pointer and nothing else.
                Subobject::GlobalRootSignature(bytes) => {
                    if let Some(object) = global_objects.next().flatten() {
                        sink.put(D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, object);
                    } else {
                        let payload = root_signature(sink.memory.share(bytes));
                        sink.put(kind, payload);
                    }
                }
                Subobject::LocalRootSignature(bytes) => {
                    if let Some(object) = local_objects.next().flatten() {
                        sink.put(D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, object);
                    } else {
                        let payload = root_signature(sink.memory.share(bytes));
                        sink.put(kind, payload);
                    }
                }
                Subobject::Library(library) => {
                    let payload = D3D12_DXIL_LIBRARY_DESC {
                        DXILLibrary: bytecode(sink.memory.share(&library.bytecode)),
                        NumExports: count(&library.exports),
                        pExports: sink.memory.exports(&library.exports),
                    };
                    sink.put(kind, payload);
                }
                Subobject::Collection(collection) => {
                    let exports = sink.memory.exports(&collection.exports);
                    let num_exports = count(&collection.exports);
                    let existing = |object| Existing {
                        object,
                        num_exports,
                        exports,
                    };
                    match collections.next().flatten() {
                        Some(ApiCollection::StateObject(object)) => sink.put(
                            D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
                            existing(object.into()),
                        ),
                        Some(ApiCollection::Compiled(object)) => sink.put(
                            D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
                            existing(object.into()),
                        ),
                        None => {
                            let key = &collection.collection;
                            let payload = D3D12_EXISTING_COLLECTION_BY_KEY_DESC {
                                pKey: sink.memory.array(key.clone()).cast_const().cast(),
                                KeySize: count(key),
                                NumExports: num_exports,
                                pExports: exports,
                            };
                            sink.put(kind, payload);
                        }
                    }
                }
                Subobject::HitGroup(group) => {
                    let memory = &mut sink.memory;
                    let payload = D3D12_HIT_GROUP_DESC {
                        HitGroupExport: memory.text(&group.export),
                        Type: group.kind,
                        AnyHitShaderImport: memory.optional_text(group.any_hit.as_ref()),
                        ClosestHitShaderImport: memory.optional_text(group.closest_hit.as_ref()),
                        IntersectionShaderImport: memory.optional_text(group.intersection.as_ref()),
                    };
                    sink.put(kind, payload);
                }
                Subobject::ShaderConfig(config) => sink.put(kind, *config),
                Subobject::PipelineConfig(config) => sink.put(kind, *config),
                Subobject::PipelineConfig1(config) => sink.put(kind, *config),
                Subobject::State(state) => state.put(&mut sink),
                Subobject::GenericProgram(program) => {
                    let memory = &mut sink.memory;
                    let listed = program.state.iter().map(|&index| place(index)).collect();
                    let payload = D3D12_GENERIC_PROGRAM_DESC {
                        ProgramName: memory.optional_text(program.name.as_ref()),
                        NumExports: count(&program.exports),
                        pExports: memory.texts(&program.exports),
                        NumSubobjects: count(&program.state),
                        ppSubobjects: memory.array(listed),
                    };
                    sink.put(kind, payload);
                }
                Subobject::WorkGraph(graph) => {
                    let payload = work_graph(&mut sink.memory, graph);
                    sink.put(kind, payload);
                }
                Subobject::Association(association) => {
                    let payload = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                        pSubobjectToAssociate: place(association.subobject),
                        NumExports: count(&association.exports),
                        pExports: sink.memory.texts(&association.exports),
                    };
                    sink.put(kind, payload);
                }
                Subobject::DxilAssociation(association) => {
                    let memory = &mut sink.memory;
                    let payload = D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                        SubobjectToAssociate: memory.text(&association.subobject),
                        NumExports: count(&association.exports),
                        pExports: memory.texts(&association.exports),
                    };
                    sink.put(kind, payload);
                }
            }
        }
        let Subobjects { items, mut memory } = sink;
        debug_assert!(items.len() == self.subobjects.len());
        debug_assert!(items.is_empty() || items.as_ptr() == first);
        RawStateObject {
            desc: D3D12_STATE_OBJECT_DESC {
                Type: self.kind,
                NumSubobjects: count(&items),
                pSubobjects: memory.array(items),
            },
            _memory: memory,
        }
    }
}

/// `D3D12_EXISTING_COLLECTION_DESC` and `D3D12_COMPILER_EXISTING_COLLECTION_DESC`, which differ in the type of the object.
/// Dropping this releases the object.
#[repr(C)]
struct Existing {
    object: IUnknown,
    num_exports: u32,
    exports: *const D3D12_EXPORT_DESC,
}

/// Asserts that a structure has its fields at the offsets of [`Existing`]'s.
macro_rules! is_existing {
    ($($desc:ident)*) => {
        $(const _: () = {
            assert!(size_of::<$desc>() == size_of::<Existing>());
            assert!(offset_of!($desc, pExistingCollection) == offset_of!(Existing, object));
            assert!(offset_of!($desc, NumExports) == offset_of!(Existing, num_exports));
            assert!(offset_of!($desc, pExports) == offset_of!(Existing, exports));
        };)*
    };
}
is_existing!(D3D12_EXISTING_COLLECTION_DESC D3D12_COMPILER_EXISTING_COLLECTION_DESC);

fn work_graph(memory: &mut Memory, graph: &WorkGraph) -> D3D12_WORK_GRAPH_DESC {
    let entry_points = graph.entry_points.iter();
    let entry_points = entry_points.map(|id| node_id(memory, id)).collect();
    let nodes = graph.nodes.iter();
    let nodes = nodes.map(|node| shader_node(memory, node)).collect();
    D3D12_WORK_GRAPH_DESC {
        ProgramName: memory.text(&graph.name),
        Flags: graph.flags,
        NumEntrypoints: count(&graph.entry_points),
        pEntrypoints: memory.array(entry_points),
        NumExplicitlyDefinedNodes: count(&graph.nodes),
        pExplicitlyDefinedNodes: memory.array(nodes),
    }
}

fn node_id(memory: &mut Memory, id: &NodeId) -> D3D12_NODE_ID {
    D3D12_NODE_ID {
        Name: if id.name.is_empty() {
            PCWSTR::null()
        } else {
            memory.text(&id.name)
        },
        ArrayIndex: id.array_index,
    }
}

fn optional_id(memory: &mut Memory, id: Option<&NodeId>) -> *const D3D12_NODE_ID {
    let id = id.map(|id| node_id(memory, id));
    memory.optional(id)
}

fn shader_node(memory: &mut Memory, node: &ShaderNode) -> D3D12_NODE {
    let outputs = node
        .outputs
        .iter()
        .map(|output| D3D12_NODE_OUTPUT_OVERRIDES {
            OutputIndex: output.output_index,
            pNewName: optional_id(memory, output.new_name.as_ref()),
            pAllowSparseNodes: memory.optional(output.allow_sparse_nodes.map(BOOL::from)),
            pMaxRecords: memory.optional(output.max_records),
            pMaxRecordsSharedWithOutputIndex: memory
                .optional(output.max_records_shared_with_output_index),
        });
    let outputs = outputs.collect();
    // The structures of the other launch modes have the same members without the grids.
    let all = D3D12_BROADCASTING_LAUNCH_OVERRIDES {
        pLocalRootArgumentsTableIndex: memory.optional(node.local_root_arguments_table_index),
        pProgramEntry: memory.optional(node.program_entry.map(BOOL::from)),
        pNewName: optional_id(memory, node.new_name.as_ref()),
        pShareInputOf: optional_id(memory, node.share_input_of.as_ref()),
        pDispatchGrid: memory.optional(node.dispatch_grid).cast(),
        pMaxDispatchGrid: memory.optional(node.max_dispatch_grid).cast(),
        NumOutputOverrides: count(&node.outputs),
        pOutputOverrides: memory.array(outputs),
    };
    macro_rules! common {
        ($structure:ident) => {
            memory.put($structure {
                pLocalRootArgumentsTableIndex: all.pLocalRootArgumentsTableIndex,
                pProgramEntry: all.pProgramEntry,
                pNewName: all.pNewName,
                pShareInputOf: all.pShareInputOf,
                NumOutputOverrides: all.NumOutputOverrides,
                pOutputOverrides: all.pOutputOverrides,
            })
        };
    }
    let overrides = match node.overrides_type {
        D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH => D3D12_SHADER_NODE_0 {
            pBroadcastingLaunchOverrides: memory.put(all),
        },
        D3D12_NODE_OVERRIDES_TYPE_COALESCING_LAUNCH => D3D12_SHADER_NODE_0 {
            pCoalescingLaunchOverrides: common!(D3D12_COALESCING_LAUNCH_OVERRIDES),
        },
        D3D12_NODE_OVERRIDES_TYPE_THREAD_LAUNCH => D3D12_SHADER_NODE_0 {
            pThreadLaunchOverrides: common!(D3D12_THREAD_LAUNCH_OVERRIDES),
        },
        D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE => D3D12_SHADER_NODE_0 {
            pCommonComputeNodeOverrides: common!(D3D12_COMMON_COMPUTE_NODE_OVERRIDES),
        },
        _ => D3D12_SHADER_NODE_0::default(),
    };
    D3D12_NODE {
        NodeType: D3D12_NODE_TYPE_SHADER,
        Anonymous: D3D12_NODE_0 {
            Shader: D3D12_SHADER_NODE {
                Shader: memory.text(&node.shader),
                OverridesType: node.overrides_type,
                Anonymous: overrides,
            },
        },
    }
}
