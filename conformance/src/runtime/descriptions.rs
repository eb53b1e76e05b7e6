//! Descriptions of pipelines and state objects, of shaders of the corpus.

use crate::shaders::{self, Shader};
use api_sys::{
    D3D12_COMPILER_EXISTING_COLLECTION_DESC, D3D12_DXIL_LIBRARY_DESC,
    D3D12_EXISTING_COLLECTION_BY_KEY_DESC, D3D12_EXPORT_DESC, D3D12_PIPELINE_STATE_STREAM_DESC,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS, D3D12_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE, D3D12_RAYTRACING_PIPELINE_CONFIG,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_RT_FORMAT_ARRAY, D3D12_SHADER_BYTECODE,
    D3D12_STATE_OBJECT_CONFIG, D3D12_STATE_OBJECT_DESC,
    D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS, D3D12_STATE_OBJECT_TYPE,
    D3D12_STATE_OBJECT_TYPE_COLLECTION, D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
    D3D12_STATE_SUBOBJECT, D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
    D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, DXGI_FORMAT_R8G8B8A8_UNORM,
    ID3D12CompilerStateObject, PipelineStateSubobject,
};
use std::{mem, ptr};
use windows_core::PCWSTR;

/// A pipeline; absent subobjects are default.
pub(crate) enum Pipeline {
    Compute(Box<PipelineStateSubobject<D3D12_SHADER_BYTECODE>>),
    Graphics(Box<Graphics>),
}

/// The stream of a graphics pipeline.
#[repr(C)]
pub(crate) struct Graphics {
    vertex: PipelineStateSubobject<D3D12_SHADER_BYTECODE>,
    pixel: PipelineStateSubobject<D3D12_SHADER_BYTECODE>,
    topology: PipelineStateSubobject<D3D12_PRIMITIVE_TOPOLOGY_TYPE>,
    targets: PipelineStateSubobject<D3D12_RT_FORMAT_ARRAY>,
}

fn bytecode(shader: &Shader) -> D3D12_SHADER_BYTECODE {
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
        }
    }
}

/// A raytracing pipeline of one shader, which can be added to.
pub(crate) struct StateObjectDesc {
    kind: D3D12_STATE_OBJECT_TYPE,
    subobjects: Vec<D3D12_STATE_SUBOBJECT>,
    // What the subobjects point at.
    _parts: Box<Parts>,
    collection: Option<Box<D3D12_COMPILER_EXISTING_COLLECTION_DESC>>,
    collection_by_key: Option<Box<D3D12_EXISTING_COLLECTION_BY_KEY_DESC>>,
}

struct Parts {
    config: D3D12_STATE_OBJECT_CONFIG,
    shader_config: D3D12_RAYTRACING_SHADER_CONFIG,
    pipeline_config: D3D12_RAYTRACING_PIPELINE_CONFIG,
    library: D3D12_DXIL_LIBRARY_DESC,
    export: D3D12_EXPORT_DESC,
    name: Vec<u16>,
    renamed: Vec<u16>,
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
                MaxAttributeSizeInBytes: 32,
            },
            pipeline_config: D3D12_RAYTRACING_PIPELINE_CONFIG {
                MaxTraceRecursionDepth: 2,
            },
            library: D3D12_DXIL_LIBRARY_DESC {
                DXILLibrary: bytecode(&shaders::rt_pipeline_lib63),
                ..D3D12_DXIL_LIBRARY_DESC::default()
            },
            export: D3D12_EXPORT_DESC::default(),
            name: super::wide(shader),
            renamed: super::wide("noise_a"),
        });
        parts.export.Name = PCWSTR(parts.name.as_ptr());
        parts.export.ExportToRename = PCWSTR(parts.renamed.as_ptr());
        parts.library.NumExports = 1;
        parts.library.pExports = &raw const parts.export;
        let subobject = |kind, desc| D3D12_STATE_SUBOBJECT {
            Type: kind,
            pDesc: desc,
        };
        Self {
            kind: D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
            subobjects: vec![
                subobject(
                    D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
                    (&raw const parts.config).cast(),
                ),
                subobject(
                    D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
                    (&raw const parts.library).cast(),
                ),
                subobject(
                    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
                    (&raw const parts.shader_config).cast(),
                ),
                subobject(
                    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
                    (&raw const parts.pipeline_config).cast(),
                ),
            ],
            _parts: parts,
            collection: None,
            collection_by_key: None,
        }
    }

    /// The same as a collection.
    pub(crate) fn into_collection(self) -> Self {
        Self {
            kind: D3D12_STATE_OBJECT_TYPE_COLLECTION,
            ..self
        }
    }

    /// With a collection, which is not released: nobody drops the description's references.
    pub(crate) fn with(mut self, collection: Option<&ID3D12CompilerStateObject>) -> Self {
        let desc = self
            .collection
            .insert(Box::new(D3D12_COMPILER_EXISTING_COLLECTION_DESC {
                pExistingCollection: mem::ManuallyDrop::new(collection.cloned()),
                ..D3D12_COMPILER_EXISTING_COLLECTION_DESC::default()
            }));
        self.subobjects.push(D3D12_STATE_SUBOBJECT {
            Type: D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
            pDesc: ptr::from_ref(&**desc).cast(),
        });
        self
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
        self.subobjects.push(D3D12_STATE_SUBOBJECT {
            Type: D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
            pDesc: ptr::from_ref(&**desc).cast(),
        });
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
