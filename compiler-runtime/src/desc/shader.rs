//! Translates a container to the create arguments of its program.

use std::ffi::c_void;
use std::fmt;

use bytemuck::Zeroable;
use ddi_sys::{
    D3D10_SB_NAME, D3D10_SB_NAME_UNDEFINED, D3D10_SB_REGISTER_COMPONENT_TYPE,
    D3D11_SB_OPERAND_MIN_PRECISION, D3D12DDI_HROOTSIGNATURE, D3D12DDI_HSHADER,
    D3D12DDI_SHADERCACHE_HASH, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_SHADER_0026, D3D12DDIARG_CREATE_SHADER_0026_IOSignatures,
    D3D12DDIARG_MESH_IO_SIGNATURES, D3D12DDIARG_SIGNATURE_ENTRY_0012,
    D3D12DDIARG_STAGE_IO_SIGNATURES, D3D12DDIARG_STAGE_IO_SIGNATURES_0,
    D3D12DDIARG_STAGE_IO_SIGNATURES_1, D3D12DDIARG_TESSELLATION_IO_SIGNATURES,
    D3D12DDIARG_TESSELLATION_IO_SIGNATURES_0, D3D12DDIARG_TESSELLATION_IO_SIGNATURES_1,
    D3D12DDIARG_TESSELLATION_IO_SIGNATURES_2, UINT,
};
use dxil::psv0::PipelineStateValidation;
use dxil::{
    Container, ErrorKind, FeatureFlags, FourCc, Program, RootSignatureFlags, ShaderKind,
    ShaderVisibility, Signature, SignatureElement, StoredHash, SystemValue,
};

use super::Invalid;
use super::arena::Arena;
use super::known::CheckedBytes;
use crate::message::MessageId;

/// A stage of a pipeline, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say all")]
pub enum Stage {
    Amplification,
    Mesh,
    Vertex,
    Hull,
    Domain,
    Geometry,
    Pixel,
    Compute,
}

impl Stage {
    /// Every stage.
    pub const ALL: [Self; 8] = [
        Self::Amplification,
        Self::Mesh,
        Self::Vertex,
        Self::Hull,
        Self::Domain,
        Self::Geometry,
        Self::Pixel,
        Self::Compute,
    ];

    /// The kind of the programs of this stage.
    pub const fn kind(self) -> ShaderKind {
        match self {
            Self::Amplification => ShaderKind::Amplification,
            Self::Mesh => ShaderKind::Mesh,
            Self::Vertex => ShaderKind::Vertex,
            Self::Hull => ShaderKind::Hull,
            Self::Domain => ShaderKind::Domain,
            Self::Geometry => ShaderKind::Geometry,
            Self::Pixel => ShaderKind::Pixel,
            Self::Compute => ShaderKind::Compute,
        }
    }

    /// The stage of a kind of program; `None` for libraries and the shaders in them.
    pub fn of(kind: ShaderKind) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.kind() == kind)
    }

    /// `VS` and the like.
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Self::Amplification => "AS",
            Self::Mesh => "MS",
            Self::Vertex => "VS",
            Self::Hull => "HS",
            Self::Domain => "DS",
            Self::Geometry => "GS",
            Self::Pixel => "PS",
            Self::Compute => "CS",
        }
    }

    /// The visibility of a root parameter that only this stage sees. Compute shaders see those that are visible to all.
    pub(crate) const fn visibility(self) -> ShaderVisibility {
        match self {
            Self::Amplification => ShaderVisibility::AMPLIFICATION,
            Self::Mesh => ShaderVisibility::MESH,
            Self::Vertex => ShaderVisibility::VERTEX,
            Self::Hull => ShaderVisibility::HULL,
            Self::Domain => ShaderVisibility::DOMAIN,
            Self::Geometry => ShaderVisibility::GEOMETRY,
            Self::Pixel => ShaderVisibility::PIXEL,
            Self::Compute => ShaderVisibility::ALL,
        }
    }

    /// The flag that denies the stage all root parameters.
    pub(crate) const fn deny_flag(self) -> RootSignatureFlags {
        use RootSignatureFlags as Flags;
        match self {
            Self::Amplification => Flags::DENY_AMPLIFICATION_SHADER_ROOT_ACCESS,
            Self::Mesh => Flags::DENY_MESH_SHADER_ROOT_ACCESS,
            Self::Vertex => Flags::DENY_VERTEX_SHADER_ROOT_ACCESS,
            Self::Hull => Flags::DENY_HULL_SHADER_ROOT_ACCESS,
            Self::Domain => Flags::DENY_DOMAIN_SHADER_ROOT_ACCESS,
            Self::Geometry => Flags::DENY_GEOMETRY_SHADER_ROOT_ACCESS,
            Self::Pixel => Flags::DENY_PIXEL_SHADER_ROOT_ACCESS,
            Self::Compute => Flags::NONE,
        }
    }

    pub(super) const fn invalid_bytecode(self) -> MessageId {
        match self {
            Self::Amplification => MessageId::CREATEAMPLIFICATIONSHADER_INVALIDSHADERBYTECODE,
            Self::Mesh => MessageId::CREATEMESHSHADER_INVALIDSHADERBYTECODE,
            Self::Vertex => MessageId::CREATEVERTEXSHADER_INVALIDSHADERBYTECODE,
            Self::Hull => MessageId::CREATEHULLSHADER_INVALIDSHADERBYTECODE,
            Self::Domain => MessageId::CREATEDOMAINSHADER_INVALIDSHADERBYTECODE,
            Self::Geometry => MessageId::CREATEGEOMETRYSHADER_INVALIDSHADERBYTECODE,
            Self::Pixel => MessageId::CREATEPIXELSHADER_INVALIDSHADERBYTECODE,
            Self::Compute => MessageId::CREATECOMPUTESHADER_INVALIDSHADERBYTECODE,
        }
    }

    const fn invalid_type(self) -> MessageId {
        match self {
            // d3d12sdklayers.h has no message number for the type alone.
            Self::Amplification | Self::Mesh => self.invalid_bytecode(),
            Self::Vertex => MessageId::CREATEVERTEXSHADER_INVALIDSHADERTYPE,
            Self::Hull => MessageId::CREATEHULLSHADER_INVALIDSHADERTYPE,
            Self::Domain => MessageId::CREATEDOMAINSHADER_INVALIDSHADERTYPE,
            Self::Geometry => MessageId::CREATEGEOMETRYSHADER_INVALIDSHADERTYPE,
            Self::Pixel => MessageId::CREATEPIXELSHADER_INVALIDSHADERTYPE,
            Self::Compute => MessageId::CREATECOMPUTEPIPELINESTATE_INVALID_SHADER,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.abbreviation())
    }
}

/// Reads a container by the rules of the D3D12 runtime: it is well-formed and has the hash of its own bytes, or BYPASS in place
/// of the hash.
///
/// # Errors
///
/// The bytes are not a container, or the container is damaged, not signed, or of shader model 5 or older.
pub fn container(bytes: &[u8]) -> Result<Container<'_>, Invalid> {
    let id = MessageId::CREATESHADER_INVALIDBYTECODE;
    let container = Container::parse(bytes)
        .map_err(|error| Invalid::new(id, format!("no DXIL container: {error}")))?;
    check_hash(&container).map_err(|text| Invalid::new(id, text))?;
    if let Err(error) = container.program().map(|_| ())
        && matches!(error.kind, ErrorKind::NotDxil)
    {
        let text = "the shader is DXBC of shader model 5 or older; compiler plugins take DXIL only: \
                    compile it with DXC for shader model 6";
        return Err(Invalid::new(id, text));
    }
    Ok(container)
}

/// Checks that the container has the hash of its own bytes, or BYPASS in place of the hash.
///
/// # Errors
///
/// The container is damaged or not signed.
pub(super) fn check_hash(container: &Container<'_>) -> Result<(), String> {
    match container.hash() {
        StoredHash::Bypass => Ok(()),
        StoredHash::Unsigned => Err(
            "the container is not signed: the validator of DXC (dxil.dll) has to sign it".into(),
        ),
        StoredHash::PreviewBypass => Err(
            "the container is signed for preview shader models, which need developer mode".into(),
        ),
        StoredHash::Hash(_) => VERIFIED
            .check(container.bytes(), || container.verify())
            .map_err(|error| error.to_string()),
    }
}

/// Containers whose hash is known to be right.
pub(super) static VERIFIED: CheckedBytes = CheckedBytes::new();

/// A shader that is not a library, with the parts of its container. Borrows from the container.
#[derive(Clone, Debug)]
pub struct Shader<'a> {
    /// The stage.
    pub stage: Stage,
    /// The container.
    pub container: Container<'a>,
    /// The program.
    pub program: Program<'a>,
    /// `ISG1`.
    pub input: Option<Signature<'a>>,
    /// `OSG1`; for a mesh shader, the outputs per vertex.
    pub output: Option<Signature<'a>>,
    /// `PSG1`: the patch constants of hull and domain shaders, or a mesh shader's outputs per primitive.
    pub patch_constant_or_primitive: Option<Signature<'a>>,
    /// `PSV0`.
    pub psv0: Option<PipelineStateValidation<'a>>,
    /// `SFI0`.
    pub features: FeatureFlags,
}

/// Where the DDI's program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// In the caller's container, which outlives the description; a program that is not aligned as the DDI wants is copied into
    /// the arena.
    Borrowed,
    /// In the arena.
    Copied,
}

impl<'a> Shader<'a> {
    /// Reads the shader of a stage.
    ///
    /// # Errors
    ///
    /// [`container`] refuses it, the program is of another kind, or a part is malformed.
    pub fn new(stage: Stage, bytes: &'a [u8]) -> Result<Self, Invalid> {
        let container = container(bytes).map_err(|error| Invalid {
            id: stage.invalid_bytecode(),
            ..error
        })?;
        Self::of(stage, container)
    }

    /// The shader of a stage in a container that [`container`] has read.
    ///
    /// # Errors
    ///
    /// The program is of another kind, or a part is malformed.
    pub fn of(stage: Stage, container: Container<'a>) -> Result<Self, Invalid> {
        let unreadable =
            |error: dxil::Error| Invalid::new(stage.invalid_bytecode(), error.to_string());
        let program = container.program().map_err(unreadable)?;
        let wrong_kind = |what: &str, kind| {
            let text = format!("{what} is of kind {kind}, but the stage is {stage}");
            Err(Invalid::new(stage.invalid_type(), text))
        };
        if program.kind() != stage.kind() {
            return wrong_kind("the program", program.kind());
        }
        let psv0 = container.pipeline_state_validation().map_err(unreadable)?;
        if let Some(kind) = psv0.and_then(|psv0| psv0.stage)
            && kind != stage.kind()
        {
            return wrong_kind("the part PSV0", kind);
        }
        let signature = |part| container.signature(part).map_err(unreadable);
        let features = container.feature_flags().map_err(unreadable)?;
        Ok(Self {
            stage,
            program,
            input: signature(FourCc::ISG1)?,
            output: signature(FourCc::OSG1)?,
            patch_constant_or_primitive: signature(FourCc::PSG1)?,
            psv0,
            features: features.unwrap_or_default(),
            container,
        })
    }

    /// The create arguments of the shader; its signatures go into `arena`.
    pub fn create_arg(
        &self,
        root_signature: D3D12DDI_HROOTSIGNATURE,
        code: Code,
        arena: &mut Arena,
    ) -> D3D12DDIARG_CREATE_SHADER_0026 {
        let program = self.program.bytes();
        let borrowed: *const UINT = program.as_ptr().cast::<c_void>().cast();
        let program_at = if code == Code::Borrowed && borrowed.is_aligned() {
            borrowed
        } else {
            arena.array(program).cast_const().cast()
        };
        D3D12DDIARG_CREATE_SHADER_0026 {
            hRootSignature: root_signature,
            pShaderCode: program_at,
            IOSignatures: self.io_signatures(arena),
            ShaderCodeHash: D3D12DDI_SHADERCACHE_HASH {
                Hash: match self.container.hash() {
                    StoredHash::Hash(hash) => hash,
                    _ => self.container.computed_hash(),
                },
            },
            ..Zeroable::zeroed()
        }
    }

    /// The arm of the union that belongs to the stage.
    fn io_signatures(&self, arena: &mut Arena) -> D3D12DDIARG_CREATE_SHADER_0026_IOSignatures {
        match self.stage {
            Stage::Compute | Stage::Amplification => Zeroable::zeroed(),
            Stage::Vertex | Stage::Geometry | Stage::Pixel => {
                standard(self.input.as_ref(), self.output.as_ref(), arena)
            }
            Stage::Hull | Stage::Domain => {
                let (inputs, num_inputs) = entries(self.input.as_ref(), arena);
                let (outputs, num_outputs) = entries(self.output.as_ref(), arena);
                let (constants, num_constants) =
                    entries(self.patch_constant_or_primitive.as_ref(), arena);
                D3D12DDIARG_CREATE_SHADER_0026_IOSignatures {
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
                            pPatchConstantSignature: constants,
                        },
                        NumPatchConstantSignatureEntries: num_constants,
                    }),
                }
            }
            Stage::Mesh => {
                let (vertices, num_vertices) = entries(self.output.as_ref(), arena);
                let (primitives, num_primitives) =
                    entries(self.patch_constant_or_primitive.as_ref(), arena);
                D3D12DDIARG_CREATE_SHADER_0026_IOSignatures {
                    Mesh: arena.put(D3D12DDIARG_MESH_IO_SIGNATURES {
                        pPrimitiveOutputSignature: primitives,
                        NumPrimitiveOutputSignatureEntries: num_primitives,
                        pVertexOutputSignature: vertices,
                        NumVertexOutputSignatureEntries: num_vertices,
                    }),
                }
            }
        }
    }
}

/// The arm of stages with inputs and outputs only.
pub(crate) fn standard(
    input: Option<&Signature<'_>>,
    output: Option<&Signature<'_>>,
    arena: &mut Arena,
) -> D3D12DDIARG_CREATE_SHADER_0026_IOSignatures {
    let (inputs, num_inputs) = entries(input, arena);
    let (outputs, num_outputs) = entries(output, arena);
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

fn entries(
    signature: Option<&Signature<'_>>,
    arena: &mut Arena,
) -> (*mut D3D12DDIARG_SIGNATURE_ENTRY_0012, UINT) {
    let Some(signature) = signature else {
        return (std::ptr::null_mut(), 0);
    };
    let elements = signature.elements();
    let count = UINT::try_from(elements.len()).unwrap_or(UINT::MAX);
    (arena.array_of(elements.map(entry)), count)
}

/// The register of an element that is not packed.
const NO_REGISTER: u32 = u32::MAX;

fn entry(element: SignatureElement<'_>) -> D3D12DDIARG_SIGNATURE_ENTRY_0012 {
    D3D12DDIARG_SIGNATURE_ENTRY_0012 {
        SystemValue: system_value(&element),
        Register: element.register().unwrap_or(NO_REGISTER),
        Mask: element.mask(),
        Stream: element.stream().to_le_bytes()[0],
        RegisterComponentType: D3D10_SB_REGISTER_COMPONENT_TYPE(
            element.component_type().0.cast_signed(),
        ),
        MinPrecision: D3D11_SB_OPERAND_MIN_PRECISION(element.min_precision().0.cast_signed()),
    }
}

/// Translates a system value from `D3D_NAME`, which containers use, to `D3D10_SB_NAME`, which the DDI uses. The latter has a
/// name for each row of the tessellation factors, and none for a pixel shader's outputs.
fn system_value(element: &SignatureElement<'_>) -> D3D10_SB_NAME {
    let row_from = |first: u32| first.saturating_add(element.semantic_index());
    let name = match element.system_value() {
        SystemValue::FINAL_QUAD_EDGE_TESSFACTOR => row_from(11),
        SystemValue::FINAL_QUAD_INSIDE_TESSFACTOR => row_from(15),
        SystemValue::FINAL_TRI_EDGE_TESSFACTOR => row_from(17),
        SystemValue::FINAL_TRI_INSIDE_TESSFACTOR => 20,
        SystemValue::FINAL_LINE_DETAIL_TESSFACTOR => 21,
        SystemValue::FINAL_LINE_DENSITY_TESSFACTOR => 22,
        SystemValue(other) if other < SystemValue::TARGET.0 => other,
        _ => return D3D10_SB_NAME_UNDEFINED,
    };
    D3D10_SB_NAME(name.cast_signed())
}

/// The shaders of one pipeline.
#[derive(Clone, Debug, Default)]
pub struct Shaders<'a>([Option<Shader<'a>>; 8]);

impl<'a> Shaders<'a> {
    /// Sets the shader of its stage.
    pub fn insert(&mut self, shader: Shader<'a>) {
        let stage = shader.stage as usize;
        self.0[stage] = Some(shader);
    }

    /// The shader of a stage.
    pub fn get(&self, stage: Stage) -> Option<&Shader<'a>> {
        self.0[stage as usize].as_ref()
    }

    /// Removes the shader of a stage, and returns whether there was one.
    pub fn remove(&mut self, stage: Stage) -> bool {
        self.0[stage as usize].take().is_some()
    }

    /// Whether the stage has a shader.
    pub fn has(&self, stage: Stage) -> bool {
        self.get(stage).is_some()
    }

    /// The shaders, in the order in which they run.
    pub fn iter(&self) -> impl Iterator<Item = &Shader<'a>> {
        self.0.iter().flatten()
    }

    /// The shader whose output the pipeline rasterizes or streams out.
    pub fn last_before_rasterizer(&self) -> Option<&Shader<'a>> {
        [Stage::Geometry, Stage::Domain, Stage::Vertex, Stage::Mesh]
            .into_iter()
            .find_map(|stage| self.get(stage))
    }
}

/// The handle of a shader in a pipeline's create-arguments.
pub(crate) fn handle(
    arg: &mut D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    stage: Stage,
) -> &mut D3D12DDI_HSHADER {
    match stage {
        Stage::Amplification => &mut arg.hAmplificationShader,
        Stage::Mesh => &mut arg.hMeshShader,
        Stage::Vertex => &mut arg.hVertexShader,
        Stage::Hull => &mut arg.hHullShader,
        Stage::Domain => &mut arg.hDomainShader,
        Stage::Geometry => &mut arg.hGeometryShader,
        Stage::Pixel => &mut arg.hPixelShader,
        Stage::Compute => &mut arg.hComputeShader,
    }
}

/// A usermode DDI handle as the plugin DDI has it: a pointer to create arguments (docs/spec-notes.md, "Handles inside create
/// arguments").
pub(crate) fn pointer<T>(place: *mut T) -> *mut c_void {
    place.cast()
}
