//! Descriptions of pipelines and state objects, of shaders of the corpus.

use std::any::Any;
use std::ffi::c_void;
use std::{mem, ptr};

use api_sys::{
    D3D12_COMPILER_EXISTING_COLLECTION_DESC, D3D12_DXIL_LIBRARY_DESC,
    D3D12_EXISTING_COLLECTION_BY_KEY_DESC, D3D12_EXPORT_DESC, D3D12_GENERIC_PROGRAM_DESC,
    D3D12_GLOBAL_SERIALIZED_ROOT_SIGNATURE, D3D12_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS, D3D12_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE, D3D12_RAYTRACING_PIPELINE_CONFIG,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_RT_FORMAT_ARRAY, D3D12_SERIALIZED_ROOT_SIGNATURE_DESC,
    D3D12_SHADER_BYTECODE, D3D12_STATE_OBJECT_CONFIG, D3D12_STATE_OBJECT_DESC,
    D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS, D3D12_STATE_OBJECT_TYPE,
    D3D12_STATE_OBJECT_TYPE_COLLECTION, D3D12_STATE_OBJECT_TYPE_EXECUTABLE,
    D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, D3D12_STATE_SUBOBJECT, D3D12_STATE_SUBOBJECT_TYPE,
    D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
    D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
    D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
    D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
    D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
    D3D12_WORK_GRAPH_DESC, D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
    DXGI_FORMAT_R8G8B8A8_UNORM, ID3D12CompilerStateObject, PipelineStateSubobject,
};
use windows_core::PCWSTR;

use super::Stream;
use crate::inputs::shaders::{self, Shader};

/// A pipeline; absent subobjects are default.
pub(crate) enum Pipeline {
    Compute(Box<PipelineStateSubobject<D3D12_SHADER_BYTECODE>>),
    Graphics(Box<Graphics>),
    Stream(Stream),
}

/// The stream of a graphics pipeline.
#[repr(C)]
pub(crate) struct Graphics {
    vertex: PipelineStateSubobject<D3D12_SHADER_BYTECODE>,
    pixel: PipelineStateSubobject<D3D12_SHADER_BYTECODE>,
    topology: PipelineStateSubobject<D3D12_PRIMITIVE_TOPOLOGY_TYPE>,
    targets: PipelineStateSubobject<D3D12_RT_FORMAT_ARRAY>,
}

pub(super) fn bytecode(shader: &Shader) -> D3D12_SHADER_BYTECODE {
    D3D12_SHADER_BYTECODE {
        pShaderBytecode: shader.bytes().as_ptr().cast(),
        BytecodeLength: shader.bytes().len(),
    }
}

impl Pipeline {
    /// With the root signature that is embedded in the shader.
    pub(crate) fn compute() -> Self {
        Self::of_one(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS)
    }

    /// One that nobody can compile: a compute shader as the vertex shader.
    pub(crate) fn impossible() -> Self {
        Self::of_one(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS)
    }

    fn of_one(stage: D3D12_PIPELINE_STATE_SUBOBJECT_TYPE) -> Self {
        let shader = bytecode(&shaders::raw_copy_cs);
        Self::Compute(Box::new(PipelineStateSubobject::new(stage, shader)))
    }

    /// A triangle over the whole of one render target.
    pub(crate) fn graphics() -> Self {
        let mut targets = D3D12_RT_FORMAT_ARRAY::default();
        targets.RTFormats[0] = DXGI_FORMAT_R8G8B8A8_UNORM;
        targets.NumRenderTargets = 1;
        Self::Graphics(Box::new(Graphics {
            vertex: PipelineStateSubobject::new(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS,
                bytecode(&shaders::fullscreen_vs),
            ),
            pixel: PipelineStateSubobject::new(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
                bytecode(&shaders::fullscreen_ps),
            ),
            topology: PipelineStateSubobject::new(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
                D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
            ),
            targets: PipelineStateSubobject::new(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
                targets,
            ),
        }))
    }

    pub(crate) fn desc(&self) -> D3D12_PIPELINE_STATE_STREAM_DESC {
        fn of<T>(stream: &T) -> D3D12_PIPELINE_STATE_STREAM_DESC {
            D3D12_PIPELINE_STATE_STREAM_DESC {
                SizeInBytes: size_of::<T>(),
                pPipelineStateSubobjectStream: ptr::from_ref(stream).cast_mut().cast(),
            }
        }
        match self {
            Self::Compute(stream) => of(&**stream),
            Self::Graphics(stream) => of(&**stream),
            Self::Stream(stream) => stream.desc(),
        }
    }
}

/// A raytracing pipeline of one shader, which can be added to.
pub(crate) struct StateObjectDesc {
    kind: D3D12_STATE_OBJECT_TYPE,
    subobjects: Vec<D3D12_STATE_SUBOBJECT>,
    // What the subobjects point at.
    parts: Vec<Box<dyn Any>>,
    collection: Option<Box<D3D12_COMPILER_EXISTING_COLLECTION_DESC>>,
}

/// Those of a raytracing pipeline.
struct Parts {
    config: D3D12_STATE_OBJECT_CONFIG,
    shader_config: D3D12_RAYTRACING_SHADER_CONFIG,
    pipeline_config: D3D12_RAYTRACING_PIPELINE_CONFIG,
    library: D3D12_DXIL_LIBRARY_DESC,
    exports: Vec<D3D12_EXPORT_DESC>,
    names: Vec<[Vec<u16>; 2]>,
}

/// Those of a local root signature that is associated with an export.
struct LocalParts {
    root_signature: D3D12_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    association: D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
    exports: [PCWSTR; 1],
    name: Vec<u16>,
}

/// Those of a work graph.
struct GraphParts {
    library: D3D12_DXIL_LIBRARY_DESC,
    root_signature: D3D12_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    graph: D3D12_WORK_GRAPH_DESC,
    name: Vec<u16>,
}

/// Those of a generic program.
struct ProgramParts {
    libraries: [D3D12_DXIL_LIBRARY_DESC; 2],
    exports: [D3D12_EXPORT_DESC; 2],
    topology: D3D12_PRIMITIVE_TOPOLOGY_TYPE,
    targets: D3D12_RT_FORMAT_ARRAY,
    program: D3D12_GENERIC_PROGRAM_DESC,
    names: [Vec<u16>; 4],
    shaders: [PCWSTR; 2],
    listed: Vec<*const D3D12_STATE_SUBOBJECT>,
}

/// A subobject with what it points at.
pub(crate) struct Owned {
    subobject: D3D12_STATE_SUBOBJECT,
    desc: Box<dyn Any>,
}

impl Owned {
    pub(crate) fn new<T: 'static>(kind: D3D12_STATE_SUBOBJECT_TYPE, desc: T) -> Self {
        let desc = Box::new(desc);
        Self {
            subobject: subobject(kind, &*desc),
            desc,
        }
    }
}

/// A root signature as a blob has it.
fn serialized(blob: &'static [u8]) -> D3D12_SERIALIZED_ROOT_SIGNATURE_DESC {
    D3D12_SERIALIZED_ROOT_SIGNATURE_DESC {
        pSerializedBlob: blob.as_ptr().cast(),
        SerializedBlobSizeInBytes: blob.len(),
    }
}

fn library(shader: &Shader) -> D3D12_DXIL_LIBRARY_DESC {
    D3D12_DXIL_LIBRARY_DESC {
        DXILLibrary: bytecode(shader),
        ..D3D12_DXIL_LIBRARY_DESC::default()
    }
}

fn subobject<T>(kind: D3D12_STATE_SUBOBJECT_TYPE, desc: &T) -> D3D12_STATE_SUBOBJECT {
    D3D12_STATE_SUBOBJECT {
        Type: kind,
        pDesc: ptr::from_ref(desc).cast(),
    }
}

impl StateObjectDesc {
    /// Of a callable shader with this name.
    pub(crate) fn new(shader: &str) -> Self {
        Self::of_exports(&[(shader, "noise_a")])
    }

    /// Of shaders with other names than they have in the library; of all with none.
    pub(crate) fn of_exports(renamed: &[(&str, &str)]) -> Self {
        let names = renamed.iter();
        let names = names.map(|(name, shader)| [name, shader].map(|name| super::wide(name)));
        let mut parts = Box::new(Parts {
            config: D3D12_STATE_OBJECT_CONFIG {
                Flags: D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS,
            },
            shader_config: D3D12_RAYTRACING_SHADER_CONFIG {
                MaxPayloadSizeInBytes: 32,
                MaxAttributeSizeInBytes: 16,
            },
            pipeline_config: D3D12_RAYTRACING_PIPELINE_CONFIG {
                MaxTraceRecursionDepth: 2,
            },
            library: library(&shaders::rt_pipeline_lib63),
            exports: Vec::new(),
            names: names.collect(),
        });
        let exports = parts.names.iter().map(|[name, shader]| D3D12_EXPORT_DESC {
            Name: PCWSTR(name.as_ptr()),
            ExportToRename: PCWSTR(shader.as_ptr()),
            ..D3D12_EXPORT_DESC::default()
        });
        parts.exports = exports.collect();
        parts.library.NumExports = super::count(&parts.exports);
        if !parts.exports.is_empty() {
            parts.library.pExports = parts.exports.as_ptr();
        }
        let subobjects = vec![
            subobject(
                D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
                &parts.config,
            ),
            subobject(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &parts.library),
            subobject(
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
                &parts.shader_config,
            ),
            subobject(
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
                &parts.pipeline_config,
            ),
        ];
        Self::of(
            D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
            subobjects,
            parts,
        )
    }

    /// Of a raytracing library that defines hit groups, root signatures, configs and associations.
    pub(crate) fn of_library() -> Self {
        let parts = Box::new(library(&shaders::rt_subobjects_lib63));
        let subobjects = vec![subobject(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &*parts)];
        Self::of(
            D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
            subobjects,
            parts,
        )
    }

    /// Of a work graph with a serialized root signature.
    pub(crate) fn work_graph() -> Self {
        Self::work_graph_named("graph")
    }

    pub(crate) fn work_graph_named(program: &str) -> Self {
        let mut parts = Box::new(GraphParts {
            library: library(&shaders::wg_nodes_lib68),
            root_signature: D3D12_GLOBAL_SERIALIZED_ROOT_SIGNATURE {
                Desc: serialized(shaders::rs_volatility_1_1.bytes()),
            },
            graph: D3D12_WORK_GRAPH_DESC {
                Flags: D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
                ..D3D12_WORK_GRAPH_DESC::default()
            },
            name: super::wide(program),
        });
        parts.graph.ProgramName = PCWSTR(parts.name.as_ptr());
        let subobjects = vec![
            subobject(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &parts.library),
            subobject(
                D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
                &parts.root_signature,
            ),
            subobject(D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, &parts.graph),
        ];
        Self::of(D3D12_STATE_OBJECT_TYPE_EXECUTABLE, subobjects, parts)
    }

    /// Of a program of a vertex and a pixel shader, with the root signature that is embedded in both, and with
    /// these subobjects too.
    pub(crate) fn generic_program(others: Vec<Owned>) -> Self {
        let mut parts = Box::new(ProgramParts {
            libraries: [
                library(&shaders::fullscreen_vs),
                library(&shaders::fullscreen_ps),
            ],
            exports: [D3D12_EXPORT_DESC::default(); 2],
            topology: D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
            targets: D3D12_RT_FORMAT_ARRAY::default(),
            program: D3D12_GENERIC_PROGRAM_DESC::default(),
            names: ["program", "vs", "ps", "*"].map(super::wide),
            shaders: [PCWSTR::null(); 2],
            listed: Vec::new(),
        });
        let [name, vertex, pixel, only] = [0, 1, 2, 3].map(|i| PCWSTR(parts.names[i].as_ptr()));
        parts.shaders = [vertex, pixel];
        for (export, name) in parts.exports.iter_mut().zip([vertex, pixel]) {
            export.Name = name;
            export.ExportToRename = only;
        }
        let exports = parts.exports.each_ref().map(ptr::from_ref);
        for (library, export) in parts.libraries.iter_mut().zip(exports) {
            library.NumExports = 1;
            library.pExports = export;
        }
        parts.targets.RTFormats[0] = DXGI_FORMAT_R8G8B8A8_UNORM;
        parts.targets.NumRenderTargets = 1;
        parts.program.ProgramName = name;
        parts.program.NumExports = 2;
        parts.program.pExports = parts.shaders.as_mut_ptr();
        let mut subobjects = vec![
            subobject(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &parts.libraries[0]),
            subobject(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &parts.libraries[1]),
            subobject(
                D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
                &parts.topology,
            ),
            subobject(
                D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
                &parts.targets,
            ),
        ];
        let (others, owned): (Vec<_>, Vec<_>) = others
            .into_iter()
            .map(|other| (other.subobject, other.desc))
            .unzip();
        subobjects.extend(others);
        subobjects.reserve_exact(1);
        // The program lists elements of the array that it is in.
        parts.listed = subobjects[2..].iter().map(ptr::from_ref).collect();
        parts.program.NumSubobjects = super::count(&parts.listed);
        parts.program.ppSubobjects = parts.listed.as_ptr();
        subobjects.push(subobject(
            D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
            &parts.program,
        ));
        let mut this = Self::of(D3D12_STATE_OBJECT_TYPE_EXECUTABLE, subobjects, parts);
        this.parts.extend(owned);
        this
    }

    fn of(
        kind: D3D12_STATE_OBJECT_TYPE,
        subobjects: Vec<D3D12_STATE_SUBOBJECT>,
        parts: Box<dyn Any>,
    ) -> Self {
        Self {
            kind,
            subobjects,
            parts: vec![parts],
            collection: None,
        }
    }

    /// The same with another description in its subobject of a type, or with such a subobject.
    pub(crate) fn with_other<T: 'static>(self, kind: D3D12_STATE_SUBOBJECT_TYPE, desc: T) -> Self {
        self.with_owned(Owned::new(kind, desc))
    }

    pub(crate) fn with_owned(mut self, Owned { subobject, desc }: Owned) -> Self {
        let mut known = self.subobjects.iter_mut();
        match known.find(|known| known.Type == subobject.Type) {
            Some(known) => *known = subobject,
            None => self.subobjects.push(subobject),
        }
        self.parts.push(desc);
        self
    }

    /// The same with a global root signature.
    pub(crate) fn with_global_root_signature(self, blob: &'static [u8]) -> Self {
        self.with_other(
            D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
            D3D12_GLOBAL_SERIALIZED_ROOT_SIGNATURE {
                Desc: serialized(blob),
            },
        )
    }

    /// The same with a local root signature for an export.
    pub(crate) fn with_local_root_signature(mut self, export: &str, blob: &'static [u8]) -> Self {
        let mut parts = Box::new(LocalParts {
            root_signature: D3D12_LOCAL_SERIALIZED_ROOT_SIGNATURE {
                Desc: serialized(blob),
            },
            association: D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION::default(),
            exports: [PCWSTR::null()],
            name: super::wide(export),
        });
        self.subobjects.reserve_exact(2);
        self.subobjects.push(subobject(
            D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
            &parts.root_signature,
        ));
        parts.exports = [PCWSTR(parts.name.as_ptr())];
        parts.association = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
            // An element of the array that the association is in.
            pSubobjectToAssociate: self.subobjects.last().map_or(ptr::null(), ptr::from_ref),
            NumExports: 1,
            pExports: parts.exports.as_mut_ptr(),
        };
        self.subobjects.push(subobject(
            D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
            &parts.association,
        ));
        self.parts.push(parts);
        self
    }

    /// The same without the subobject of a type.
    pub(crate) fn without(mut self, kind: D3D12_STATE_SUBOBJECT_TYPE) -> Self {
        self.subobjects.retain(|subobject| subobject.Type != kind);
        self
    }

    /// The same without what allows additions, which not every target has.
    pub(crate) fn without_additions(self) -> Self {
        self.without(D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG)
    }

    /// The same as a collection.
    pub(crate) fn into_collection(self) -> Self {
        Self {
            kind: D3D12_STATE_OBJECT_TYPE_COLLECTION,
            ..self
        }
    }

    /// With a subobject of a type that does not exist, which nobody can compile.
    pub(crate) fn with_unknown(mut self) -> Self {
        let any = self.subobjects[0];
        self.subobjects.push(D3D12_STATE_SUBOBJECT {
            Type: 0x7FFF,
            ..any
        });
        self
    }

    /// With a collection, which is not released unless by
    /// [`release_collection`](Self::release_collection).
    pub(crate) fn with(mut self, collection: Option<&ID3D12CompilerStateObject>) -> Self {
        let desc = self
            .collection
            .insert(Box::new(D3D12_COMPILER_EXISTING_COLLECTION_DESC {
                pExistingCollection: mem::ManuallyDrop::new(collection.cloned()),
                ..D3D12_COMPILER_EXISTING_COLLECTION_DESC::default()
            }));
        self.subobjects.push(subobject(
            D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
            &**desc,
        ));
        self
    }

    /// With a collection that is known by its address: for the translation, which does not follow it.
    pub(crate) fn with_address(self, address: *mut c_void) -> Self {
        let mut this = self.with(None);
        if let Some(desc) = &mut this.collection {
            // SAFETY: an interface pointer and an address have one layout, and nobody uses or releases
            // this one as an interface.
            unsafe {
                (&raw mut desc.pExistingCollection)
                    .cast::<*mut c_void>()
                    .write(address);
            };
        }
        this
    }

    /// Ends the description and its reference to the collection.
    pub(crate) fn release_collection(mut self) {
        if let Some(desc) = &mut self.collection {
            // SAFETY: nothing uses the description any more.
            unsafe { mem::ManuallyDrop::drop(&mut desc.pExistingCollection) };
        }
    }

    /// With the collection of a key, as state object databases have them.
    pub(crate) fn with_key(self, key: &'static [u8]) -> Self {
        self.with_other(
            D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
            D3D12_EXISTING_COLLECTION_BY_KEY_DESC {
                pKey: key.as_ptr().cast(),
                KeySize: super::count(key),
                ..D3D12_EXISTING_COLLECTION_BY_KEY_DESC::default()
            },
        )
    }

    pub(crate) fn desc(&self) -> D3D12_STATE_OBJECT_DESC {
        D3D12_STATE_OBJECT_DESC {
            Type: self.kind,
            NumSubobjects: super::count(&self.subobjects),
            pSubobjects: self.subobjects.as_ptr(),
        }
    }
}
