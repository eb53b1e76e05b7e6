//! Descriptions of pipelines and state objects, of shaders of the corpus.

use std::any::Any;
use std::ffi::c_void;
use std::{mem, ptr};

use api_sys::{
    D3D12_COMPILER_EXISTING_COLLECTION_DESC, D3D12_DXIL_LIBRARY_DESC,
    D3D12_EXISTING_COLLECTION_BY_KEY_DESC, D3D12_EXPORT_DESC, D3D12_GENERIC_PROGRAM_DESC,
    D3D12_GLOBAL_SERIALIZED_ROOT_SIGNATURE, D3D12_PIPELINE_STATE_STREAM_DESC,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS, D3D12_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE, D3D12_RAYTRACING_PIPELINE_CONFIG,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_RT_FORMAT_ARRAY, D3D12_SHADER_BYTECODE,
    D3D12_STATE_OBJECT_CONFIG, D3D12_STATE_OBJECT_DESC,
    D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS, D3D12_STATE_OBJECT_TYPE,
    D3D12_STATE_OBJECT_TYPE_COLLECTION, D3D12_STATE_OBJECT_TYPE_EXECUTABLE,
    D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, D3D12_STATE_SUBOBJECT, D3D12_STATE_SUBOBJECT_TYPE,
    D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
    D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
    D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
    D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
    D3D12_WORK_GRAPH_DESC, D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
    DXGI_FORMAT_R8G8B8A8_UNORM, ID3D12CompilerStateObject, PipelineStateSubobject,
};
use windows_core::PCWSTR;

use super::Stream;
use crate::shaders::{self, Shader};

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
    _parts: Box<dyn Any>,
    collection: Option<Box<D3D12_COMPILER_EXISTING_COLLECTION_DESC>>,
    collection_by_key: Option<Box<D3D12_EXISTING_COLLECTION_BY_KEY_DESC>>,
}

/// Those of a description of one shader.
struct Parts {
    config: D3D12_STATE_OBJECT_CONFIG,
    shader_config: D3D12_RAYTRACING_SHADER_CONFIG,
    pipeline_config: D3D12_RAYTRACING_PIPELINE_CONFIG,
    library: D3D12_DXIL_LIBRARY_DESC,
    export: D3D12_EXPORT_DESC,
    name: Vec<u16>,
    renamed: Vec<u16>,
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
    listed: [*const D3D12_STATE_SUBOBJECT; 2],
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
            export: D3D12_EXPORT_DESC::default(),
            name: super::wide(shader),
            renamed: super::wide("noise_a"),
        });
        parts.export.Name = PCWSTR(parts.name.as_ptr());
        parts.export.ExportToRename = PCWSTR(parts.renamed.as_ptr());
        parts.library.NumExports = 1;
        parts.library.pExports = &raw const parts.export;
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
        let mut parts = Box::new(GraphParts {
            library: library(&shaders::wg_nodes_lib68),
            root_signature: D3D12_GLOBAL_SERIALIZED_ROOT_SIGNATURE::default(),
            graph: D3D12_WORK_GRAPH_DESC {
                Flags: D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
                ..D3D12_WORK_GRAPH_DESC::default()
            },
            name: super::wide("graph"),
        });
        let blob = shaders::rs_volatility_1_1.bytes();
        parts.root_signature.Desc.pSerializedBlob = blob.as_ptr().cast();
        parts.root_signature.Desc.SerializedBlobSizeInBytes = blob.len();
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

    /// Of a program of a vertex and a pixel shader, with the root signature that is embedded in both.
    pub(crate) fn generic_program() -> Self {
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
            listed: [ptr::null(); 2],
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
        subobjects.reserve_exact(1);
        // The program lists elements of the array that it is in.
        parts.listed = [2, 3].map(|i| ptr::from_ref(&subobjects[i]));
        parts.program.NumSubobjects = 2;
        parts.program.ppSubobjects = parts.listed.as_ptr();
        subobjects.push(subobject(
            D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
            &parts.program,
        ));
        Self::of(D3D12_STATE_OBJECT_TYPE_EXECUTABLE, subobjects, parts)
    }

    fn of(
        kind: D3D12_STATE_OBJECT_TYPE,
        subobjects: Vec<D3D12_STATE_SUBOBJECT>,
        parts: Box<dyn Any>,
    ) -> Self {
        Self {
            kind,
            subobjects,
            _parts: parts,
            collection: None,
            collection_by_key: None,
        }
    }

    /// The same without what allows additions, which not every target has.
    pub(crate) fn without_additions(mut self) -> Self {
        let config = D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG;
        self.subobjects.retain(|subobject| subobject.Type != config);
        self
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
    pub(crate) fn with_key(mut self, key: &'static [u8]) -> Self {
        let desc = self
            .collection_by_key
            .insert(Box::new(D3D12_EXISTING_COLLECTION_BY_KEY_DESC {
                pKey: key.as_ptr().cast(),
                KeySize: super::count(key),
                ..D3D12_EXISTING_COLLECTION_BY_KEY_DESC::default()
            }));
        self.subobjects.push(subobject(
            D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
            &**desc,
        ));
        self
    }

    pub(crate) fn desc(&self) -> D3D12_STATE_OBJECT_DESC {
        D3D12_STATE_OBJECT_DESC {
            Type: self.kind,
            NumSubobjects: super::count(&self.subobjects),
            pSubobjects: self.subobjects.as_ptr(),
        }
    }
}
