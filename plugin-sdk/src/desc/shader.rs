//! Shaders: code and signatures.

use std::fmt;

use ddi_sys::{
    D3D12DDI_CREATE_SHADER_FLAGS, D3D12DDIARG_CREATE_SHADER_0026, D3D12DDIARG_SIGNATURE_ENTRY_0012,
    UINT,
};
use sha2::{Digest, Sha256};

use super::fields::{Describe, Field, Fields, each, fields};
use super::reading::{self, DescError};
use super::{RootSignature, StreamOutput};
use crate::error::Error;

/// The stages of a pipeline state, in the order of D3D12DDIARG_CREATE_PIPELINE_STATE_0099.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[allow(missing_docs)] // The names say all.
pub enum ShaderStage {
    Compute,
    Vertex,
    Pixel,
    Domain,
    Hull,
    Geometry,
    Mesh,
    Amplification,
}

impl ShaderStage {
    /// The kind that a program for this stage has.
    pub const fn kind(self) -> dxil::ShaderKind {
        match self {
            Self::Compute => dxil::ShaderKind::Compute,
            Self::Vertex => dxil::ShaderKind::Vertex,
            Self::Pixel => dxil::ShaderKind::Pixel,
            Self::Domain => dxil::ShaderKind::Domain,
            Self::Hull => dxil::ShaderKind::Hull,
            Self::Geometry => dxil::ShaderKind::Geometry,
            Self::Mesh => dxil::ShaderKind::Mesh,
            Self::Amplification => dxil::ShaderKind::Amplification,
        }
    }
}

/// Shader code. The DDI passes a pointer without a length; the length here is the one that the code's
/// own header states. What the bytes say is not checked: [`Self::program`] does that.
#[derive(Clone, Copy)]
pub struct ShaderCode<'a> {
    bytes: &'a [u8],
    form: dxil::Form,
}

impl<'a> ShaderCode<'a> {
    /// Shader code at a pointer. `what` is the C name of the member, for the error.
    ///
    /// # Errors
    ///
    /// The pointer is null, or the code's header states a length that it cannot have.
    ///
    /// # Safety
    ///
    /// `code` is null or points at shader code: at least 8 readable bytes, at least 32 of a
    /// container, and as many as its header states, valid and unchanged for `'a`.
    pub unsafe fn new(what: &'static str, code: *const UINT) -> Result<Self, DescError> {
        if code.is_null() {
            return Err(DescError::Null { what });
        }
        // SAFETY: `code` has 8 readable bytes, 32 if it is a container (`# Safety`): the form is told from the first 4, a
        // program's length from 8, a container's from 32.
        let (form, length) = unsafe {
            let form = dxil::Form::sniff(code.cast::<[u8; 4]>().read());
            let length = match form {
                dxil::Form::Program => dxil::Program::declared_len(&code.cast::<[u8; 8]>().read()),
                dxil::Form::Container => {
                    dxil::Container::declared_len(&code.cast::<[u8; 32]>().read())
                }
            };
            (form, length)
        };
        let length = length.map_err(|error| DescError::Shader { what, error })?;
        // SAFETY: `code` has as many bytes as its header states (`# Safety`), which `declared_len` has bounded.
        let bytes = unsafe { std::slice::from_raw_parts(code.cast(), length) };
        Ok(Self { bytes, form })
    }

    /// What the host passed.
    pub fn form(self) -> dxil::Form {
        self.form
    }

    /// All bytes, in the form in which they came.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The program, out of its container if it came in one.
    ///
    /// # Errors
    ///
    /// When the container or the program's header is broken.
    pub fn program(self) -> Result<dxil::Program<'a>, dxil::Error> {
        match self.form {
            dxil::Form::Program => dxil::Program::parse(self.bytes),
            dxil::Form::Container => dxil::Container::parse(self.bytes)?.program(),
        }
    }

    /// SHA-256 of the program alone: the same for a container and for the bare program in it. Code
    /// that cannot be parsed is hashed whole.
    pub fn program_hash(self) -> [u8; 32] {
        let bytes = match self.form {
            dxil::Form::Program => self.bytes,
            dxil::Form::Container => dxil::Container::parse(self.bytes)
                .ok()
                .and_then(|c| c.part(dxil::FourCc::DXIL))
                .map_or(self.bytes, |part| part.bytes()),
        };
        Sha256::digest(bytes).into()
    }
}

impl fmt::Debug for ShaderCode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {} bytes", self.form, self.bytes.len())
    }
}

/// The elements of one signature.
pub type Signature<'a> = &'a [D3D12DDIARG_SIGNATURE_ENTRY_0012];

/// D3D12DDIARG_CREATE_SHADER_0026, with a geometry shader's stream output.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Shader<'a> {
    /// The stage that the pipeline uses it for.
    pub stage: ShaderStage,
    /// The code; absent only for a geometry stage that passes through to stream output.
    pub code: Option<ShaderCode<'a>>,
    /// Input elements.
    pub input: Signature<'a>,
    /// Output elements; of a mesh shader per vertex.
    pub output: Signature<'a>,
    /// Patch constants of hull and domain shaders, outputs per primitive of a mesh shader.
    pub patch_constant_or_primitive: Signature<'a>,
    /// Flags.
    pub flags: D3D12DDI_CREATE_SHADER_FLAGS,
    /// The shader's own root signature, where it has one. It is among the fields of the shader even
    /// where the pipeline's own root signature wins over it.
    pub root_signature: Option<RootSignature<'a>>,
    /// Stream output of a geometry shader.
    pub stream_output: Option<StreamOutput<'a>>,
}

impl<'a> Shader<'a> {
    /// The DXIL program; `None` for a geometry stage without code.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG when the program's header is broken or its kind is not the stage's. The bitcode
    /// itself is the compiler's to check.
    pub fn program(&self) -> Result<Option<dxil::Program<'a>>, Error> {
        let Some(code) = self.code else {
            return Ok(None);
        };
        let program = code.program()?;
        if program.kind() != self.stage.kind() {
            return Err(Error::invalid_argument(format!(
                "a {:?} program in the place of a {:?} shader",
                program.kind(),
                self.stage
            )));
        }
        Ok(Some(program))
    }

    /// # Safety
    ///
    /// Everything that `shader` points at is valid and unchanged for `'a`, and the union of
    /// signatures holds the arm of `stage`.
    pub(super) unsafe fn new(
        stage: ShaderStage,
        shader: &'a D3D12DDIARG_CREATE_SHADER_0026,
        stream_output: Option<StreamOutput<'a>>,
    ) -> Result<Self, DescError> {
        let passes_through = stage == ShaderStage::Geometry && stream_output.is_some();
        let mut view = Self {
            stage,
            code: None,
            input: &[],
            output: &[],
            patch_constant_or_primitive: &[],
            flags: shader.Flags,
            root_signature: None,
            stream_output,
        };
        // SAFETY: code, root signature, signatures and their arrays are valid and unchanged for `'a`, and the arm of `stage` is
        // the one that is set (`# Safety`).
        unsafe {
            if !(shader.pShaderCode.is_null() && passes_through) {
                view.code = Some(ShaderCode::new("pShaderCode", shader.pShaderCode)?);
            }
            view.root_signature = RootSignature::from_handle(shader.hRootSignature)?;
            match stage {
                // They have no signatures: no arm may be read.
                ShaderStage::Compute | ShaderStage::Amplification => {}
                ShaderStage::Vertex | ShaderStage::Pixel | ShaderStage::Geometry => {
                    let arm = shader.IOSignatures.Standard;
                    if let Some(s) = reading::optional("IOSignatures.Standard", arm)? {
                        let (i, o) = (s.Anonymous1.pInputSignature, s.Anonymous2.pOutputSignature);
                        view.input = signature("pInputSignature", i, s.NumInputSignatureEntries)?;
                        view.output =
                            signature("pOutputSignature", o, s.NumOutputSignatureEntries)?;
                    }
                }
                ShaderStage::Hull | ShaderStage::Domain => {
                    let arm = shader.IOSignatures.Tessellation;
                    if let Some(s) = reading::optional("IOSignatures.Tessellation", arm)? {
                        let (i, o) = (s.Anonymous1.pInputSignature, s.Anonymous2.pOutputSignature);
                        let p = s.Anonymous3.pPatchConstantSignature;
                        view.input = signature("pInputSignature", i, s.NumInputSignatureEntries)?;
                        view.output =
                            signature("pOutputSignature", o, s.NumOutputSignatureEntries)?;
                        view.patch_constant_or_primitive = signature(
                            "pPatchConstantSignature",
                            p,
                            s.NumPatchConstantSignatureEntries,
                        )?;
                    }
                }
                ShaderStage::Mesh => {
                    let arm = shader.IOSignatures.Mesh;
                    if let Some(s) = reading::optional("IOSignatures.Mesh", arm)? {
                        view.output = signature(
                            "pVertexOutputSignature",
                            s.pVertexOutputSignature,
                            s.NumVertexOutputSignatureEntries,
                        )?;
                        view.patch_constant_or_primitive = signature(
                            "pPrimitiveOutputSignature",
                            s.pPrimitiveOutputSignature,
                            s.NumPrimitiveOutputSignatureEntries,
                        )?;
                    }
                }
            }
        }
        Ok(view)
    }
}

/// # Safety
///
/// `entries` is null or points at `count` entries, valid and unchanged for `'a`.
unsafe fn signature<'a>(
    what: &'static str,
    entries: *mut D3D12DDIARG_SIGNATURE_ENTRY_0012,
    count: UINT,
) -> Result<Signature<'a>, DescError> {
    // SAFETY: `entries` is null or to `count` entries that are valid and unchanged for `'a` (`# Safety`).
    unsafe { reading::array(what, entries.cast_const(), count) }
}

impl Describe for D3D12DDIARG_SIGNATURE_ENTRY_0012 {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(
            to,
            self,
            SystemValue,
            Register,
            Mask,
            Stream,
            RegisterComponentType,
            MinPrecision,
        );
    }
}

impl Describe for Shader<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field(
            "pShaderCode",
            self.code.map_or(Field::Absent, Field::Bytecode),
        );
        each(to, "pInputSignature", self.input);
        each(to, "pOutputSignature", self.output);
        each(
            to,
            "pPatchConstantSignature",
            self.patch_constant_or_primitive,
        );
        to.field("Flags", super::fields::AsField::as_field(&self.flags));
        let root_signature = self.root_signature.as_ref().map(|r| r as &dyn Describe);
        super::fields::optional(to, "hRootSignature", root_signature);
        let stream_output = self.stream_output.as_ref().map(|s| s as &dyn Describe);
        super::fields::optional(to, "StreamOutput", stream_output);
    }
}
