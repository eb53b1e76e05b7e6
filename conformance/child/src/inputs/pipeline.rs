//! Pipeline descriptions, made of shaders of the corpus.

use std::collections::VecDeque;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use bytemuck::Zeroable;
use conformance_catalogue::verdict::Stop;
use ddi_sys::{
    D3D12DDI_HROOTSIGNATURE, D3D12DDI_HSHADER, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_PATCH,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED,
    D3D12DDI_SHADERCACHE_HASH, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_SHADER_0026, D3D12DDIARG_CREATE_SHADER_0026_IOSignatures,
    D3D12DDIARG_MESH_IO_SIGNATURES, D3D12DDIARG_STAGE_IO_SIGNATURES,
    D3D12DDIARG_STAGE_IO_SIGNATURES_0, D3D12DDIARG_STAGE_IO_SIGNATURES_1,
    D3D12DDIARG_TESSELLATION_IO_SIGNATURES, D3D12DDIARG_TESSELLATION_IO_SIGNATURES_0,
    D3D12DDIARG_TESSELLATION_IO_SIGNATURES_1, D3D12DDIARG_TESSELLATION_IO_SIGNATURES_2,
    DXGI_FORMAT, DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R32G32B32A32_FLOAT,
    DXGI_FORMAT_UNKNOWN,
};
use dxil::FourCc;
use sha2::{Digest, Sha256};

use crate::inputs::arena::{Arena, Surroundings};
use crate::inputs::generated::Changes;
use crate::inputs::shaders::{self, Shader};
use crate::inputs::signatures::{self, length};

mod changes;
mod moved;
mod state;

use state::State;

/// A stage of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Vertex,
    Hull,
    Domain,
    Geometry,
    Pixel,
    Compute,
    Amplification,
    Mesh,
}

/// Where a pipeline's root signature comes from.
#[derive(Clone, Copy, Debug)]
enum Root {
    /// The one that is embedded in this shader.
    Embedded(&'static Shader),
    /// One that covers all of the shaders.
    Covering,
    /// One with exactly what the shaders bind.
    Binding,
}

/// What a pipeline is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) shaders: &'static [(Stage, &'static Shader)],
    root: Root,
    topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    targets: &'static [DXGI_FORMAT],
    depth: DXGI_FORMAT,
    /// What is off its default.
    pub(crate) changes: Changes<Self>,
}

use shaders::{
    forward_plain_ps, forward_plain_vs, fullscreen_ps, fullscreen_vs, layers_gs, mesh_lines_ms,
    meshlet_as, meshlet_ms, meshlet_ps, raw_copy_cs, tess_tri_ds, tess_tri_hs, tess_tri_vs,
};

/// One compute shader with the root signature that it brings.
pub(crate) static COMPUTE: Kind = CS;

const CS: Kind = Kind {
    name: "CS",
    shaders: &[(Stage::Compute, &raw_copy_cs)],
    root: Root::Embedded(&raw_copy_cs),
    topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED,
    targets: &[],
    depth: DXGI_FORMAT_UNKNOWN,
    changes: &[],
};

/// A vertex and a pixel shader.
pub(crate) static GRAPHICS: Kind = VS_PS;

const VS_PS: Kind = Kind {
    name: "VS+PS",
    shaders: &[
        (Stage::Vertex, &forward_plain_vs),
        (Stage::Pixel, &forward_plain_ps),
    ],
    root: Root::Covering,
    topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
    targets: &[DXGI_FORMAT_R8G8B8A8_UNORM],
    depth: DXGI_FORMAT_D32_FLOAT,
    changes: &[],
};

/// Pipelines that differ from one of the others in one thing that is no shader, for what has to tell them
/// apart.
pub(crate) static VARIANTS: [&Kind; 4] = [
    &Kind {
        name: "CS with another root signature",
        root: Root::Covering,
        ..CS
    },
    &Kind {
        name: "VS+PS with another render target",
        targets: &[DXGI_FORMAT_R32G32B32A32_FLOAT],
        ..VS_PS
    },
    &Kind {
        name: "VS+PS without a depth buffer",
        depth: DXGI_FORMAT_UNKNOWN,
        ..VS_PS
    },
    &Kind {
        name: "VS+PS that draws lines",
        topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE,
        ..VS_PS
    },
];

/// Those whose fields are changed one by one in any run.
pub(crate) static WALKED: [&Kind; 2] = [&GRAPHICS, VARIANTS[0]];

/// Every kind of pipeline. The shaders of one are linked by their sources in the corpus.
pub(crate) static KINDS: [&Kind; 8] = [
    &COMPUTE,
    &GRAPHICS,
    &Kind {
        name: "VS",
        shaders: &[(Stage::Vertex, &forward_plain_vs)],
        root: Root::Covering,
        topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        targets: &[],
        depth: DXGI_FORMAT_D32_FLOAT,
        changes: &[],
    },
    &Kind {
        name: "VS+PS with an embedded root signature",
        shaders: &[
            (Stage::Vertex, &fullscreen_vs),
            (Stage::Pixel, &fullscreen_ps),
        ],
        root: Root::Embedded(&fullscreen_ps),
        topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        targets: &[DXGI_FORMAT_R8G8B8A8_UNORM],
        depth: DXGI_FORMAT_UNKNOWN,
        changes: &[],
    },
    &Kind {
        name: "VS+GS",
        shaders: &[(Stage::Vertex, &tess_tri_vs), (Stage::Geometry, &layers_gs)],
        root: Root::Covering,
        topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        targets: &[],
        depth: DXGI_FORMAT_D32_FLOAT,
        changes: &[],
    },
    &Kind {
        name: "VS+HS+DS",
        shaders: &[
            (Stage::Vertex, &tess_tri_vs),
            (Stage::Hull, &tess_tri_hs),
            (Stage::Domain, &tess_tri_ds),
        ],
        root: Root::Covering,
        topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_PATCH,
        targets: &[],
        depth: DXGI_FORMAT_D32_FLOAT,
        changes: &[],
    },
    &Kind {
        name: "MS",
        shaders: &[(Stage::Mesh, &mesh_lines_ms)],
        root: Root::Covering,
        topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE,
        targets: &[],
        depth: DXGI_FORMAT_D32_FLOAT,
        changes: &[],
    },
    &Kind {
        name: "AS+MS+PS",
        shaders: &[
            (Stage::Amplification, &meshlet_as),
            (Stage::Mesh, &meshlet_ms),
            (Stage::Pixel, &meshlet_ps),
        ],
        root: Root::Covering,
        topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        targets: &[DXGI_FORMAT_R8G8B8A8_UNORM],
        depth: DXGI_FORMAT_D32_FLOAT,
        changes: &[],
    },
];

/// Each has an address of its own, and stays.
impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

impl Eq for Kind {}

impl Kind {
    /// A pipeline of shaders of another corpus, which stays.
    pub(crate) fn of_corpus(shaders: Vec<(Stage, &'static Shader)>) -> Result<&'static Self, Stop> {
        let stages = shaders.iter();
        let names = stages.map(|(stage, shader)| format!("{stage:?} {}", shader.name));
        let brings_root =
            |shader: &Shader| Ok::<_, Stop>(shader.container()?.part(FourCc::RTS0).is_some());
        let mut root = Root::Binding;
        let (mut targets, mut topology) = (Vec::new(), D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE);
        for &(stage, shader) in &shaders {
            if brings_root(shader)? {
                root = Root::Embedded(shader);
            }
            match stage {
                Stage::Pixel => targets = signatures::targets(shader)?,
                Stage::Compute => topology = D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED,
                _ => {}
            }
        }
        Ok(Box::leak(Box::new(Self {
            name: names.collect::<Vec<_>>().join(" + ").leak(),
            shaders: shaders.leak(),
            root,
            topology,
            targets: targets.leak(),
            depth: DXGI_FORMAT_UNKNOWN,
            changes: &[],
        })))
    }

    /// The shader of a stage.
    fn shader(&self, stage: Stage) -> Option<&'static Shader> {
        let mut shaders = self.shaders.iter();
        shaders.find_map(|(of, shader)| (*of == stage).then_some(*shader))
    }

    pub(crate) fn shares_a_stage_with(&self, other: &Self) -> bool {
        let mut stages = self.shaders.iter();
        stages.any(|(stage, _)| other.shader(*stage).is_some())
    }

    /// How large an arena must be for its description.
    fn room(&self) -> Result<usize, Stop> {
        let mut room = Arena::SIZE;
        for (_, shader) in self.shaders {
            room += shader.program()?.len();
        }
        Ok(room)
    }

    /// Whether the pipeline has mesh shaders, which not every adapter family can run.
    pub(crate) fn has_mesh_shaders(&self) -> bool {
        self.shaders.iter().any(|(stage, _)| *stage == Stage::Mesh)
    }

    /// What of it a device may lack, besides mesh shaders.
    pub(crate) fn options(&self) -> Result<Vec<state::Optional>, Stop> {
        Ok(State::of(self)?.options().collect())
    }
}

/// A pipeline description and everything that it points to.
pub(crate) struct Pipeline {
    pub(crate) arg: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    pub(crate) arena: Arena,
}

/// A program that takes the place of a stage's own.
#[derive(Clone, Copy)]
pub(crate) struct Replaced<'p> {
    pub(crate) stage: Stage,
    pub(crate) program: *const u32,
    /// What the program holds.
    pub(crate) bytes: &'p [u8],
}

/// A description whose compiles are over.
struct Kept(#[expect(dead_code, reason = "it is there to stay")] Pipeline);

// SAFETY: it is only freed, which any thread may do.
unsafe impl Send for Kept {}

/// The last descriptions of pipelines that are not built in.
static KEPT: Mutex<VecDeque<Kept>> = Mutex::new(VecDeque::new());

impl Pipeline {
    /// Lets the description stay after its compile, as what the plugin does with it then is other rules' business.
    /// Of pipelines that are not built in only the last ones stay: there may be more than memory has room for.
    pub(crate) fn keep(self, kind: &Kind) {
        const MOST: usize = 256;
        if KINDS.iter().chain(&VARIANTS).any(|own| *own == kind) {
            std::mem::forget(self);
            return;
        }
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(Kept(self));
        if kept.len() > MOST {
            kept.pop_front();
        }
    }

    pub(crate) fn new(kind: &Kind, surroundings: Surroundings) -> Result<Self, Stop> {
        Self::with(kind, surroundings, None)
    }

    /// As [`new`](Self::new), with another program in one of the stages.
    pub(crate) fn with(
        kind: &Kind,
        surroundings: Surroundings,
        replaced: Option<Replaced<'_>>,
    ) -> Result<Self, Stop> {
        let arena = Arena::new(kind.room()?, surroundings)?;
        let state = State::of(kind)?;
        let root_signature = D3D12DDI_HROOTSIGNATURE {
            pDrvPrivate: match kind.root {
                Root::Embedded(shader) => signatures::embedded(shader, &arena)?.cast(),
                Root::Covering => signatures::covering(&state.root, &arena).cast(),
                Root::Binding => signatures::binding(kind.shaders, &arena)?.cast(),
            },
        };
        let mut arg = D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
            hRootSignature: root_signature,
            ..Zeroable::zeroed()
        };
        for (stage, shader) in kind.shaders {
            let (program, bytes) = match replaced {
                Some(replaced) if replaced.stage == *stage => (replaced.program, replaced.bytes),
                _ => {
                    let bytes = shader.program()?;
                    (arena.program(bytes), bytes)
                }
            };
            let create = D3D12DDIARG_CREATE_SHADER_0026 {
                hRootSignature: root_signature,
                pShaderCode: program,
                IOSignatures: io_signatures(*stage, shader, &arena)?,
                ShaderCodeHash: hash(bytes),
                ..Zeroable::zeroed()
            };
            *slot(&mut arg, *stage) = D3D12DDI_HSHADER {
                pDrvPrivate: arena.put(create).cast(),
            };
        }
        state.place(kind, &mut arg, &arena);
        Ok(Self {
            arg: arena.put(arg),
            arena,
        })
    }
}

fn slot(arg: &mut D3D12DDIARG_CREATE_PIPELINE_STATE_0099, stage: Stage) -> &mut D3D12DDI_HSHADER {
    match stage {
        Stage::Vertex => &mut arg.hVertexShader,
        Stage::Hull => &mut arg.hHullShader,
        Stage::Domain => &mut arg.hDomainShader,
        Stage::Geometry => &mut arg.hGeometryShader,
        Stage::Pixel => &mut arg.hPixelShader,
        Stage::Compute => &mut arg.hComputeShader,
        Stage::Amplification => &mut arg.hAmplificationShader,
        Stage::Mesh => &mut arg.hMeshShader,
    }
}

/// A hash as a runtime makes one: from the program, so that equal programs have equal ones.
fn hash(program: &[u8]) -> D3D12DDI_SHADERCACHE_HASH {
    let digest = Sha256::digest(program);
    D3D12DDI_SHADERCACHE_HASH {
        Hash: std::array::from_fn(|i| digest[i]),
    }
}

/// The arm of the union that belongs to the stage.
fn io_signatures(
    stage: Stage,
    shader: &Shader,
    arena: &Arena,
) -> Result<D3D12DDIARG_CREATE_SHADER_0026_IOSignatures, Stop> {
    let part = |part| {
        let entries = signatures::entries(shader, part)?;
        Ok::<_, Stop>((arena.array(&entries), length(&entries)))
    };
    let (inputs, num_inputs) = part(FourCc::ISG1)?;
    let (outputs, num_outputs) = part(FourCc::OSG1)?;
    let (others, num_others) = part(FourCc::PSG1)?;
    Ok(match stage {
        Stage::Compute | Stage::Amplification => D3D12DDIARG_CREATE_SHADER_0026_IOSignatures {
            Standard: ptr::null(),
        },
        Stage::Vertex | Stage::Geometry | Stage::Pixel => {
            D3D12DDIARG_CREATE_SHADER_0026_IOSignatures {
                Standard: arena.put(D3D12DDIARG_STAGE_IO_SIGNATURES {
                    Anonymous1: D3D12DDIARG_STAGE_IO_SIGNATURES_0 {
                        pInputSignature: inputs,
                    },
                    NumInputSignatureEntries: num_inputs,
                    Anonymous2: D3D12DDIARG_STAGE_IO_SIGNATURES_1 {
                        pOutputSignature: outputs,
                    },
                    NumOutputSignatureEntries: num_outputs,
                }),
            }
        }
        Stage::Hull | Stage::Domain => D3D12DDIARG_CREATE_SHADER_0026_IOSignatures {
            Tessellation: arena.put(D3D12DDIARG_TESSELLATION_IO_SIGNATURES {
                Anonymous1: D3D12DDIARG_TESSELLATION_IO_SIGNATURES_0 {
                    pInputSignature: inputs,
                },
                NumInputSignatureEntries: num_inputs,
                Anonymous2: D3D12DDIARG_TESSELLATION_IO_SIGNATURES_1 {
                    pOutputSignature: outputs,
                },
                NumOutputSignatureEntries: num_outputs,
                Anonymous3: D3D12DDIARG_TESSELLATION_IO_SIGNATURES_2 {
                    pPatchConstantSignature: others,
                },
                NumPatchConstantSignatureEntries: num_others,
            }),
        },
        Stage::Mesh => D3D12DDIARG_CREATE_SHADER_0026_IOSignatures {
            Mesh: arena.put(D3D12DDIARG_MESH_IO_SIGNATURES {
                pPrimitiveOutputSignature: others,
                NumPrimitiveOutputSignatureEntries: num_others,
                pVertexOutputSignature: outputs,
                NumVertexOutputSignatureEntries: num_outputs,
            }),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::{KINDS, Pipeline, Stage, slot};
    use crate::inputs::arena::Surroundings;
    use dxil::{Program, ShaderKind};
    use std::slice;

    #[test]
    fn every_kind_can_be_built_and_points_into_its_arena() {
        for kind in KINDS {
            for surroundings in [Surroundings::USUAL, Surroundings::OTHER] {
                let pipeline = Pipeline::new(kind, surroundings).unwrap();
                let inside = pipeline.arena.memory.addresses();
                assert!(inside.contains(&pipeline.arg.addr()));
                // SAFETY: the arena holds the structure.
                let mut arg = unsafe { *pipeline.arg };
                let present = kind.shaders.iter().map(|(stage, _)| *stage);
                for stage in present {
                    let shader = slot(&mut arg, stage).pDrvPrivate;
                    assert!(inside.contains(&shader.addr()), "{} {stage:?}", kind.name);
                }
                let stages = [
                    Stage::Vertex,
                    Stage::Hull,
                    Stage::Domain,
                    Stage::Geometry,
                    Stage::Pixel,
                    Stage::Compute,
                    Stage::Amplification,
                    Stage::Mesh,
                ];
                let handles = stages.map(|stage| slot(&mut arg, stage).pDrvPrivate);
                let present = handles.iter().filter(|handle| !handle.is_null()).count();
                assert_eq!(present, kind.shaders.len(), "{}", kind.name);
            }
        }
    }

    #[test]
    fn programs_are_of_the_stage_that_they_are_in() {
        for kind in KINDS {
            let pipeline = Pipeline::new(kind, Surroundings::OTHER).unwrap();
            // SAFETY: the arena holds the structure.
            let mut arg = unsafe { *pipeline.arg };
            for (stage, shader) in kind.shaders {
                let create = slot(&mut arg, *stage).pDrvPrivate;
                let length = shader.program().unwrap().len();
                // SAFETY: the arena holds the shader and its program.
                let program = unsafe {
                    let create = &*create.cast::<ddi_sys::D3D12DDIARG_CREATE_SHADER_0026>();
                    assert!(create.pShaderCode.addr().is_multiple_of(8));
                    slice::from_raw_parts(create.pShaderCode.cast::<u8>(), length)
                };
                let expected = match stage {
                    Stage::Vertex => ShaderKind::Vertex,
                    Stage::Hull => ShaderKind::Hull,
                    Stage::Domain => ShaderKind::Domain,
                    Stage::Geometry => ShaderKind::Geometry,
                    Stage::Pixel => ShaderKind::Pixel,
                    Stage::Compute => ShaderKind::Compute,
                    Stage::Amplification => ShaderKind::Amplification,
                    Stage::Mesh => ShaderKind::Mesh,
                };
                assert_eq!(
                    Program::parse(program).unwrap().kind(),
                    expected,
                    "{}",
                    shader.name
                );
            }
        }
    }
}
