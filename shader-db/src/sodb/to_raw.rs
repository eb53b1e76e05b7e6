//! From owned descriptions to the API's structures.

use std::any::Any;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ptr;

#[allow(clippy::wildcard_imports, reason = "the structures of a description")]
use api_sys::*;
use windows_core::{BOOL, IUnknown, Interface, PCSTR, PCWSTR};

use super::desc::{
    Associated, Blob, Export, FixedFunction, NodeId, PipelineStateDesc, ShaderNode, ShaderStage,
    StateObjectDesc, WorkGraph,
};

/// A description for the API, which borrows what it was made of.
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

/// A description for the API, which borrows what it was made of.
#[derive(Debug)]
pub struct RawStateObject<'d> {
    desc: D3D12_STATE_OBJECT_DESC,
    _memory: Memory,
    of: PhantomData<&'d StateObjectDesc>,
}

impl RawStateObject<'_> {
    /// The description. What it points at is valid as long as `self`.
    pub fn desc(&self) -> &D3D12_STATE_OBJECT_DESC {
        &self.desc
    }
}

/// Objects of the API in place of what a description of a state object has of them. Where there is none, as behind the
/// end of a list, the description has what it has.
#[derive(Clone, Debug, Default)]
pub struct ApiObjects {
    /// For [`StateObjectDesc::global_root_signatures`]: `GLOBAL_ROOT_SIGNATURE`.
    pub global_root_signatures: Vec<Option<ID3D12RootSignature>>,
    /// For [`StateObjectDesc::local_root_signatures`]: `LOCAL_ROOT_SIGNATURE`.
    pub local_root_signatures: Vec<Option<ID3D12RootSignature>>,
    /// For [`StateObjectDesc::collections`].
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

/// What structures point at: it does not move, and stays until it is dropped.
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

    /// Null where there is nothing.
    fn optional<T: 'static>(&mut self, item: Option<T>) -> *const T {
        item.map_or(ptr::null(), |item| self.put(item))
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

/// The length of an array as the API counts. A description has no longer one than 32 bits count.
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

/// Where fixed-function state goes: records of a stream, or subobjects.
trait Sink {
    fn memory(&mut self) -> &mut Memory;

    /// Takes one of the type that it has in a stream and as a subobject.
    fn put<T: 'static>(&mut self, in_stream: i32, as_subobject: i32, payload: T);
}

/// A stream that is being written, in units of its alignment.
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

    fn put<T: 'static>(&mut self, in_stream: i32, _: i32, payload: T) {
        self.record(in_stream, payload);
    }
}

impl FixedFunction {
    fn put(&self, sink: &mut impl Sink) {
        if let Some(desc) = &self.stream_output {
            let memory = sink.memory();
            let entries = desc.entries.iter().map(|entry| {
                let (name, index) = match &entry.semantic {
                    Some((name, index)) => (memory.semantic_name(name), *index),
                    None => (PCSTR::null(), 0),
                };
                D3D12_SO_DECLARATION_ENTRY {
                    Stream: entry.stream,
                    SemanticName: name,
                    SemanticIndex: index,
                    StartComponent: entry.start_component,
                    ComponentCount: entry.component_count,
                    OutputSlot: entry.output_slot,
                }
            });
            let entries = entries.collect();
            let payload = D3D12_STREAM_OUTPUT_DESC {
                pSODeclaration: memory.array(entries),
                NumEntries: count(&desc.entries),
                pBufferStrides: memory.array(desc.strides.clone()),
                NumStrides: count(&desc.strides),
                RasterizedStream: desc.rasterized_stream,
            };
            sink.put(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
                D3D12_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
                payload,
            );
        }
        if let Some(elements) = &self.input_layout {
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
            sink.put(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
                D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
                payload,
            );
        }
        if let Some(desc) = &self.view_instancing {
            let payload = D3D12_VIEW_INSTANCING_DESC {
                ViewInstanceCount: count(&desc.locations),
                pViewInstanceLocations: sink.memory().array(desc.locations.clone()),
                Flags: desc.flags,
            };
            sink.put(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING,
                D3D12_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING,
                payload,
            );
        }
        /// Those that are the API's structures already.
        macro_rules! plain {
            ($($field:ident $in_stream:ident $as_subobject:ident;)*) => {
                $(if let Some(payload) = self.$field {
                    sink.put($in_stream, $as_subobject, payload);
                })*
            };
        }
        plain! {
            blend D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND D3D12_STATE_SUBOBJECT_TYPE_BLEND;
            sample_mask D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_MASK D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK;
            rasterizer D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2 D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER;
            depth_stencil D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2 D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2;
            ib_strip_cut_value D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE;
            primitive_topology D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY;
            render_target_formats D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS;
            depth_stencil_format D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT;
            sample_desc D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC;
            flags D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS D3D12_STATE_SUBOBJECT_TYPE_FLAGS;
        }
    }
}

impl PipelineStateDesc {
    /// The description as the API has it. A description that cannot be (a NUL inside a string) gives one that differs.
    pub fn to_raw(&self) -> RawPipelineState<'_> {
        self.to_raw_with(None)
    }

    /// The description as the API has it, with an object in place of its root signature.
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
            let kind = match stage {
                ShaderStage::Vertex => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS,
                ShaderStage::Pixel => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
                ShaderStage::Hull => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS,
                ShaderStage::Domain => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS,
                ShaderStage::Geometry => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS,
                ShaderStage::Amplification => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS,
                ShaderStage::Mesh => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS,
                ShaderStage::Compute => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS,
            };
            if let Some(bytes) = &self.shaders[stage] {
                stream.record(kind, bytecode(bytes));
            }
        }
        self.fixed_function.put(&mut stream);
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

/// Subobjects that are being written. Others point at them, so their places are fixed before.
struct Subobjects {
    items: Vec<D3D12_STATE_SUBOBJECT>,
    first: *const D3D12_STATE_SUBOBJECT,
    memory: Memory,
}

impl Subobjects {
    /// Adds one; gives its place in the array of the description.
    fn add<T: 'static>(&mut self, kind: i32, payload: T) -> *const D3D12_STATE_SUBOBJECT {
        let place = self.first.wrapping_add(self.items.len());
        self.items.push(D3D12_STATE_SUBOBJECT {
            Type: kind,
            pDesc: self.memory.put(payload).cast(),
        });
        place
    }
}

/// The subobjects of a generic program.
struct Listed<'s> {
    subobjects: &'s mut Subobjects,
    places: Vec<*const D3D12_STATE_SUBOBJECT>,
}

impl Sink for Listed<'_> {
    fn memory(&mut self) -> &mut Memory {
        &mut self.subobjects.memory
    }

    fn put<T: 'static>(&mut self, _: i32, as_subobject: i32, payload: T) {
        self.places.push(self.subobjects.add(as_subobject, payload));
    }
}

impl FixedFunction {
    /// How many subobjects it has.
    fn len(&self) -> usize {
        /// Counts.
        struct Length(usize, Memory);
        impl Sink for Length {
            fn memory(&mut self) -> &mut Memory {
                &mut self.1
            }

            fn put<T: 'static>(&mut self, _: i32, _: i32, _: T) {
                self.0 += 1;
            }
        }
        let mut length = Length(0, Memory::default());
        self.put(&mut length);
        length.0
    }
}

impl StateObjectDesc {
    /// The description as a database gives it: collections by their keys. A description that cannot be (a NUL inside a
    /// string, an association with what is not there) gives one that differs.
    pub fn to_raw(&self) -> RawStateObject<'_> {
        self.to_raw_with(&ApiObjects::default())
    }

    /// The description as a compiler takes it: in place of a collection's key what was compiled of it.
    ///
    /// `collections` are those of [`collections`](Self::collections), in their order.
    ///
    /// # Panics
    ///
    /// There are fewer `collections` than the description has.
    pub fn to_compiler_raw(&self, collections: &[ID3D12CompilerStateObject]) -> RawStateObject<'_> {
        assert!(collections.len() >= self.collections.len());
        let compiled = |object: &ID3D12CompilerStateObject| ApiCollection::Compiled(object.clone());
        self.to_raw_with(&ApiObjects {
            collections: collections.iter().map(compiled).map(Some).collect(),
            ..ApiObjects::default()
        })
    }

    /// The description with objects in place of what it has of them.
    pub fn to_raw_with(&self, objects: &ApiObjects) -> RawStateObject<'_> {
        self.convert(objects)
    }

    fn convert(&self, objects: &ApiObjects) -> RawStateObject<'_> {
        let programs = self.generic_programs.iter();
        let listed: usize = programs.map(|program| program.state.len()).sum();
        let capacity = usize::from(self.config.is_some())
            + usize::from(self.node_mask.is_some())
            + self.global_root_signatures.len()
            + self.local_root_signatures.len()
            + self.libraries.len()
            + self.collections.len()
            + self.hit_groups.len()
            + self.shader_configs.len()
            + self.pipeline_configs.len()
            + listed
            + self.generic_programs.len()
            + self.work_graphs.len()
            + self.associations.len()
            + self.dxil_associations.len();
        let items = Vec::with_capacity(capacity);
        let mut subobjects = Subobjects {
            first: items.as_ptr(),
            items,
            memory: Memory::default(),
        };
        let config = self.config.map(|flags| {
            subobjects.add(
                D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
                D3D12_STATE_OBJECT_CONFIG { Flags: flags },
            )
        });
        let node_mask = self.node_mask.map(|mask| {
            subobjects.add(
                D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK,
                D3D12_NODE_MASK { NodeMask: mask },
            )
        });
        let mut root_signatures =
            |[serialized, object]: [i32; 2],
             blobs: &[Blob],
             objects: &[Option<ID3D12RootSignature>]| {
                let mut places = Vec::with_capacity(blobs.len());
                for (at, bytes) in blobs.iter().enumerate() {
                    places.push(match objects.get(at) {
                        // The structure holds the pointer and nothing else.
                        Some(Some(of_api)) => subobjects.add(object, of_api.clone()),
                        _ => subobjects.add(serialized, root_signature(bytes)),
                    });
                }
                places
            };
        let global = root_signatures(
            [
                D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
                D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
            ],
            &self.global_root_signatures,
            &objects.global_root_signatures,
        );
        let local = root_signatures(
            [
                D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
                D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
            ],
            &self.local_root_signatures,
            &objects.local_root_signatures,
        );
        for library in &self.libraries {
            let payload = D3D12_DXIL_LIBRARY_DESC {
                DXILLibrary: bytecode(&library.bytecode),
                NumExports: count(&library.exports),
                pExports: subobjects.memory.exports(&library.exports),
            };
            subobjects.add(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, payload);
        }
        for (at, collection) in self.collections.iter().enumerate() {
            let exports = subobjects.memory.exports(&collection.exports);
            let num_exports = count(&collection.exports);
            let existing = |object| Existing {
                object,
                num_exports,
                exports,
            };
            match objects.collections.get(at) {
                Some(Some(ApiCollection::StateObject(object))) => subobjects.add(
                    D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
                    existing(object.clone().into()),
                ),
                Some(Some(ApiCollection::Compiled(object))) => subobjects.add(
                    D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
                    existing(object.clone().into()),
                ),
                _ => subobjects.add(
                    D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
                    D3D12_EXISTING_COLLECTION_BY_KEY_DESC {
                        pKey: collection.key.as_ptr().cast(),
                        KeySize: count(&collection.key),
                        NumExports: num_exports,
                        pExports: exports,
                    },
                ),
            };
        }
        for group in &self.hit_groups {
            let memory = &mut subobjects.memory;
            let payload = D3D12_HIT_GROUP_DESC {
                HitGroupExport: memory.text(&group.export),
                Type: group.kind,
                AnyHitShaderImport: memory.optional_text(group.any_hit.as_ref()),
                ClosestHitShaderImport: memory.optional_text(group.closest_hit.as_ref()),
                IntersectionShaderImport: memory.optional_text(group.intersection.as_ref()),
            };
            subobjects.add(D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, payload);
        }
        let mut shader_configs = Vec::new();
        for config in &self.shader_configs {
            let kind = D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG;
            shader_configs.push(subobjects.add(kind, *config));
        }
        let mut pipeline_configs = Vec::new();
        for config in &self.pipeline_configs {
            pipeline_configs.push(if config.Flags == 0 {
                let payload = D3D12_RAYTRACING_PIPELINE_CONFIG {
                    MaxTraceRecursionDepth: config.MaxTraceRecursionDepth,
                };
                subobjects.add(
                    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
                    payload,
                )
            } else {
                subobjects.add(
                    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
                    *config,
                )
            });
        }
        for program in &self.generic_programs {
            let mut listed = Listed {
                subobjects: &mut subobjects,
                places: Vec::new(),
            };
            program.state.put(&mut listed);
            let places = listed.places;
            let memory = &mut subobjects.memory;
            let payload = D3D12_GENERIC_PROGRAM_DESC {
                ProgramName: memory.optional_text(program.name.as_ref()),
                NumExports: count(&program.exports),
                pExports: memory.texts(&program.exports),
                NumSubobjects: count(&places),
                ppSubobjects: memory.array(places),
            };
            subobjects.add(D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM, payload);
        }
        for graph in &self.work_graphs {
            let payload = work_graph(&mut subobjects.memory, graph);
            subobjects.add(D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, payload);
        }
        for association in &self.associations {
            let place = match association.subobject {
                Associated::Config => config,
                Associated::NodeMask => node_mask,
                Associated::GlobalRootSignature(index) => global.get(index).copied(),
                Associated::LocalRootSignature(index) => local.get(index).copied(),
                Associated::ShaderConfig(index) => shader_configs.get(index).copied(),
                Associated::PipelineConfig(index) => pipeline_configs.get(index).copied(),
            };
            let payload = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                pSubobjectToAssociate: place.unwrap_or(ptr::null()),
                NumExports: count(&association.exports),
                pExports: subobjects.memory.texts(&association.exports),
            };
            subobjects.add(
                D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
                payload,
            );
        }
        for association in &self.dxil_associations {
            let memory = &mut subobjects.memory;
            let payload = D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                SubobjectToAssociate: memory.text(&association.subobject),
                NumExports: count(&association.exports),
                pExports: memory.texts(&association.exports),
            };
            subobjects.add(
                D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
                payload,
            );
        }
        let Subobjects {
            items,
            first,
            mut memory,
        } = subobjects;
        assert!(items.len() == capacity && (items.is_empty() || items.as_ptr() == first));
        RawStateObject {
            desc: D3D12_STATE_OBJECT_DESC {
                Type: self.kind,
                NumSubobjects: count(&items),
                pSubobjects: memory.array(items),
            },
            _memory: memory,
            of: PhantomData,
        }
    }
}

/// `D3D12_EXISTING_COLLECTION_DESC` and `D3D12_COMPILER_EXISTING_COLLECTION_DESC`, which differ in the type of the object. It
/// is released when the memory goes.
#[repr(C)]
struct Existing {
    object: IUnknown,
    num_exports: u32,
    exports: *const D3D12_EXPORT_DESC,
}

/// That a structure has the fields where [`Existing`] has them.
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
    // The others have the same members without the grids.
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
