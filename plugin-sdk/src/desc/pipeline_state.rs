//! Pipeline states. The handles of D3D12DDIARG_CREATE_PIPELINE_STATE_0099 are taken for pointers to
//! create-arguments here and in root_signature.rs, nowhere else: docs/spec-notes.md, "Handles inside
//! create arguments".

use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_HSHADER,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12DDI_PIPELINE_STATE_FLAGS,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE, D3D12DDI_RASTERIZER_DESC_0102,
    D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT, D3D12DDI_VIEW_INSTANCE_LOCATION,
    D3D12DDI_VIEW_INSTANCING_FLAGS, D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, D3D12DDIARG_CREATE_SHADER_0026,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, DXGI_FORMAT, DXGI_SAMPLE_DESC,
};

use super::fields::{AsField, Describe, Fields, each, fields, optional};
use super::reading::{self, DescError};
use super::{InputLayout, RootSignature, Shader, ShaderStage, StreamOutput};

/// A pipeline state to compile: D3D12DDIARG_CREATE_PIPELINE_STATE_0099.
///
/// Without a root signature the shaders bring their own.
#[derive(Clone, Copy)]
pub struct PipelineStateDesc<'a> {
    raw: &'a D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    shaders: [Option<Shader<'a>>; 8],
    root_signature: Option<RootSignature<'a>>,
    blend: Option<&'a D3D12DDI_BLEND_DESC_0010>,
    rasterizer: Option<&'a D3D12DDI_RASTERIZER_DESC_0102>,
    depth_stencil: Option<&'a D3D12DDI_DEPTH_STENCIL_DESC_0095>,
    input_layout: Option<InputLayout<'a>>,
    view_instances: &'a [D3D12DDI_VIEW_INSTANCE_LOCATION],
}

// SAFETY: what it points at is unchanged for `'a` (`read`), on whatever thread it is read.
unsafe impl Send for PipelineStateDesc<'_> {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for PipelineStateDesc<'_> {}

impl<'a> PipelineStateDesc<'a> {
    /// # Safety
    ///
    /// `desc` is null or a description that is valid and unchanged for `'a` with all that it points
    /// at, handles included.
    pub(crate) unsafe fn read(
        desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> Result<Self, DescError> {
        // SAFETY: `desc` is null or valid and unchanged for `'a` with all that it points at (`# Safety`); handles point at
        // create-arguments (docs/spec-notes.md, "Handles inside create arguments").
        unsafe {
            let raw: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099 =
                reading::required("pPipelineStateArg", desc)?;
            let root_signature = RootSignature::from_handle(raw.hRootSignature)?;
            let layout: *const D3D12DDIARG_CREATEELEMENTLAYOUT_0010 =
                raw.hElementLayout.pDrvPrivate.cast();
            let instancing = &raw.ViewInstancingDesc;
            Ok(Self {
                raw,
                shaders: [
                    shader("hComputeShader", ShaderStage::Compute, raw.hComputeShader)?,
                    shader("hVertexShader", ShaderStage::Vertex, raw.hVertexShader)?,
                    shader("hPixelShader", ShaderStage::Pixel, raw.hPixelShader)?,
                    shader("hDomainShader", ShaderStage::Domain, raw.hDomainShader)?,
                    shader("hHullShader", ShaderStage::Hull, raw.hHullShader)?,
                    geometry_shader(raw.hGeometryShader, root_signature)?,
                    shader("hMeshShader", ShaderStage::Mesh, raw.hMeshShader)?,
                    shader(
                        "hAmplificationShader",
                        ShaderStage::Amplification,
                        raw.hAmplificationShader,
                    )?,
                ],
                root_signature,
                blend: reading::optional("hBlendState", raw.hBlendState.pDrvPrivate.cast())?,
                rasterizer: reading::optional(
                    "hRasterizerState",
                    raw.hRasterizerState.pDrvPrivate.cast(),
                )?,
                depth_stencil: reading::optional(
                    "hDepthStencilState",
                    raw.hDepthStencilState.pDrvPrivate.cast(),
                )?,
                input_layout: reading::optional("hElementLayout", layout)?
                    .map(|l| InputLayout::new(l))
                    .transpose()?,
                view_instances: reading::array(
                    "pViewInstanceLocations",
                    instancing.pViewInstanceLocations,
                    instancing.ViewInstanceCount,
                )?,
            })
        }
    }

    /// The shader of a stage.
    pub fn shader(&self, stage: ShaderStage) -> Option<&Shader<'a>> {
        self.shaders[stage as usize].as_ref()
    }

    /// The shaders that are there.
    pub fn shaders(&self) -> impl Iterator<Item = &Shader<'a>> {
        self.shaders.iter().flatten()
    }

    /// The root signature.
    pub fn root_signature(&self) -> Option<&RootSignature<'a>> {
        self.root_signature.as_ref()
    }

    /// Blend state.
    pub fn blend(&self) -> Option<&'a D3D12DDI_BLEND_DESC_0010> {
        self.blend
    }

    /// Rasterizer state.
    pub fn rasterizer(&self) -> Option<&'a D3D12DDI_RASTERIZER_DESC_0102> {
        self.rasterizer
    }

    /// Depth and stencil state.
    pub fn depth_stencil(&self) -> Option<&'a D3D12DDI_DEPTH_STENCIL_DESC_0095> {
        self.depth_stencil
    }

    /// The input layout.
    pub fn input_layout(&self) -> Option<&InputLayout<'a>> {
        self.input_layout.as_ref()
    }

    /// Which samples are written.
    pub fn sample_mask(&self) -> u32 {
        self.raw.SampleMask
    }

    /// The index that cuts strips.
    pub fn index_buffer_strip_cut_value(&self) -> D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE {
        self.raw.IBStripCutValue
    }

    /// What is drawn.
    pub fn primitive_topology_type(&self) -> D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE {
        self.raw.PrimitiveTopologyType
    }

    /// The formats of the render targets that the pipeline writes; a count above 8 counts as 8.
    pub fn render_target_formats(&self) -> &'a [DXGI_FORMAT] {
        let formats = &self.raw.RTVFormats;
        &formats[..formats.len().min(self.raw.NumRenderTargets as usize)]
    }

    /// The format of the depth-stencil buffer.
    pub fn depth_stencil_format(&self) -> DXGI_FORMAT {
        self.raw.DSVFormat
    }

    /// Samples per pixel.
    pub fn sample_desc(&self) -> DXGI_SAMPLE_DESC {
        self.raw.SampleDesc
    }

    /// View instances.
    pub fn view_instances(&self) -> &'a [D3D12DDI_VIEW_INSTANCE_LOCATION] {
        self.view_instances
    }

    /// Flags of view instancing.
    pub fn view_instancing_flags(&self) -> D3D12DDI_VIEW_INSTANCING_FLAGS {
        self.raw.ViewInstancingDesc.Flags
    }

    /// Flags.
    pub fn flags(&self) -> D3D12DDI_PIPELINE_STATE_FLAGS {
        self.raw.Flags
    }
}

/// # Safety
///
/// The handle is null or points at create-arguments, valid and unchanged for `'a` with all that they
/// point at.
unsafe fn shader<'a>(
    what: &'static str,
    stage: ShaderStage,
    handle: D3D12DDI_HSHADER,
) -> Result<Option<Shader<'a>>, DescError> {
    let arguments: *const D3D12DDIARG_CREATE_SHADER_0026 = handle.pDrvPrivate.cast();
    // SAFETY: `handle` is null or points at create-arguments that are valid for `'a` with all that they point at (`# Safety`).
    unsafe {
        reading::optional(what, arguments)?
            .map(|a| Shader::new(stage, a, None))
            .transpose()
    }
}

/// A geometry shader, with stream output where the pipeline's root signature, or without one the
/// shader's own, allows it.
///
/// # Safety
///
/// As [`shader`]; where stream output is allowed, the create-arguments are those with stream output.
unsafe fn geometry_shader(
    handle: D3D12DDI_HSHADER,
    root_signature: Option<RootSignature<'_>>,
) -> Result<Option<Shader<'_>>, DescError> {
    let stage = ShaderStage::Geometry;
    let (plain, with_streams) = (handle.pDrvPrivate.cast(), handle.pDrvPrivate.cast());
    // SAFETY: `handle` is null or points at create-arguments, those with stream output where that is allowed (`# Safety`). The
    // plain ones are their first member, so only the root signature decides whether more than them is there to read.
    unsafe {
        let Some(a) =
            reading::optional::<D3D12DDIARG_CREATE_SHADER_0026>("hGeometryShader", plain)?
        else {
            return Ok(None);
        };
        let root_signature = match root_signature {
            Some(root_signature) => Some(root_signature),
            None => RootSignature::from_handle(a.hRootSignature)?,
        };
        let streams = D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT;
        if !root_signature.is_some_and(|r| r.flags().contains(streams)) {
            return Shader::new(stage, a, None).map(Some);
        }
        let a: &D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 =
            reading::required("hGeometryShader", with_streams)?;
        let stream_output = if a.NumEntries == 0 {
            None
        } else {
            let entries = (a.pOutputStreamDecl, a.NumEntries);
            let strides = (a.BufferStridesInBytes, a.NumStrides);
            Some(StreamOutput::new(entries, strides, a.RasterizedStream)?)
        };
        Shader::new(stage, &a.CreateShader, stream_output).map(Some)
    }
}

impl Describe for PipelineStateDesc<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        const STAGES: [&str; 8] = [
            "hComputeShader",
            "hVertexShader",
            "hPixelShader",
            "hDomainShader",
            "hHullShader",
            "hGeometryShader",
            "hMeshShader",
            "hAmplificationShader",
        ];
        for (name, shader) in STAGES.into_iter().zip(&self.shaders) {
            optional(to, name, shader.as_ref().map(|s| s as &dyn Describe));
        }
        let root_signature = self.root_signature.as_ref().map(|r| r as &dyn Describe);
        optional(to, "hRootSignature", root_signature);
        optional(to, "hBlendState", self.blend.map(|b| b as &dyn Describe));
        optional(
            to,
            "hRasterizerState",
            self.rasterizer.map(|r| r as &dyn Describe),
        );
        optional(
            to,
            "hDepthStencilState",
            self.depth_stencil.map(|d| d as &dyn Describe),
        );
        let input_layout = self.input_layout.as_ref().map(|l| l as &dyn Describe);
        optional(to, "hElementLayout", input_layout);
        fields!(
            to,
            self.raw,
            SampleMask,
            IBStripCutValue,
            PrimitiveTopologyType,
            NumRenderTargets,
            DSVFormat,
            Flags,
        );
        for format in self.render_target_formats() {
            to.field("RTVFormats", format.as_field());
        }
        to.group("SampleDesc", None, &self.raw.SampleDesc);
        each(to, "pViewInstanceLocations", self.view_instances);
        to.field(
            "ViewInstancingDesc.Flags",
            self.view_instancing_flags().as_field(),
        );
    }
}

impl std::fmt::Debug for PipelineStateDesc<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PipelineStateDesc")
            .field("shaders", &self.shaders().collect::<Vec<_>>())
            .field("root_signature", &self.root_signature)
            .finish_non_exhaustive()
    }
}
