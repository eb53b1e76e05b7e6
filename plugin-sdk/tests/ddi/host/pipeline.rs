//! Pipelines, and what they share with state objects.

use bytemuck::Zeroable;
use ddi_sys::*;

use super::description::{Description, Kind, OPTIONAL, REQUIRED, at, values};

macro_rules! corpus {
    ($($name:ident = $file:literal;)*) => {
        $(pub const $name: &[u8] =
            include_bytes!(concat!("../../../../dxil/corpus/dxil/", $file, ".dxil"));)*
    };
}
corpus! {
    COMPUTE = "raw_copy_cs";
    VERTEX = "fullscreen_vs";
    PIXEL = "fullscreen_ps";
    DOMAIN = "tess_tri_ds";
    HULL = "tess_tri_hs";
    GEOMETRY = "fins_gs";
    MESH = "meshlet_ms";
    AMPLIFICATION = "meshlet_as";
    LIBRARY = "rt_pipeline_lib63";
}

/// The program of a container, as a host passes it.
pub fn program(container: &[u8]) -> Vec<u32> {
    let container = dxil::Container::parse(container).unwrap();
    words(container.program().unwrap().bytes())
}

/// The bytes, aligned as the DDI's pointers to shader code are.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let mut words = vec![0; bytes.len() / 4];
    bytemuck::cast_slice_mut(&mut words).copy_from_slice(bytes);
    words
}

pub type Pipeline = Description<D3D12DDIARG_CREATE_PIPELINE_STATE_0099>;

type Shader = *mut D3D12DDIARG_CREATE_SHADER_0026;

impl Pipeline {
    /// Create-arguments of a shader without signatures.
    pub fn shader(&mut self, code: Vec<u32>) -> Shader {
        let mut shader = D3D12DDIARG_CREATE_SHADER_0026::zeroed();
        shader.pShaderCode = self.arena.slice(code);
        self.arena.put(shader)
    }

    pub fn compute(code: Vec<u32>) -> Self {
        let mut pipeline = Self::zeroed();
        pipeline.get().hComputeShader.pDrvPrivate = pipeline.shader(code).cast();
        pipeline
    }

    /// A vertex and a pixel shader.
    pub fn graphics() -> Self {
        let mut pipeline = Self::zeroed();
        pipeline.get().hVertexShader.pDrvPrivate = pipeline.shader(program(VERTEX)).cast();
        pipeline.get().hPixelShader.pDrvPrivate = pipeline.shader(program(PIXEL)).cast();
        pipeline
    }

    /// A pipeline in which every pointer is set, every array has two elements or more, and every
    /// enumeration a value that has a name. No runtime would pass it: all stages are there at once.
    pub fn full() -> Self {
        let mut d = Self::zeroed();
        let raw = d.raw;
        d.get().NumRenderTargets = 3;
        values!(
            d,
            "",
            raw,
            IBStripCutValue,
            PrimitiveTopologyType,
            DSVFormat,
            Flags
        );
        d.value("RTVFormats", at!(raw, RTVFormats[2]));
        d.value(
            "ViewInstancingDesc.Flags",
            at!(raw, ViewInstancingDesc.Flags),
        );

        let (root, prefix) = (at!(raw, hRootSignature), "hRootSignature.");
        let content = d.root_signature_1_2(root, prefix, None);
        // SAFETY: the arena's.
        unsafe { (*content).Flags = D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT };

        d.stage("hComputeShader", at!(raw, hComputeShader), COMPUTE);
        let (vertex, vertex_point) = d.stage("hVertexShader", at!(raw, hVertexShader), VERTEX);
        d.standard_signatures("hVertexShader.", vertex, vertex_point);
        let (root, prefix) = (at!(vertex, hRootSignature), "hVertexShader.hRootSignature.");
        d.root_signature_1_1(root, prefix, Some(vertex_point));
        let (pixel, point) = d.stage("hPixelShader", at!(raw, hPixelShader), PIXEL);
        d.standard_signatures("hPixelShader.", pixel, point);
        let (domain, point) = d.stage("hDomainShader", at!(raw, hDomainShader), DOMAIN);
        d.tessellation_signatures("hDomainShader.", domain, point);
        let (hull, point) = d.stage("hHullShader", at!(raw, hHullShader), HULL);
        d.tessellation_signatures("hHullShader.", hull, point);
        d.geometry_stage(at!(raw, hGeometryShader));
        let (mesh, point) = d.stage("hMeshShader", at!(raw, hMeshShader), MESH);
        d.mesh_signatures(mesh, point);
        let amplification = at!(raw, hAmplificationShader);
        d.stage("hAmplificationShader", amplification, AMPLIFICATION);

        let (field, what) = (at!(raw, hBlendState), "hBlendState");
        let (blend, _) = d.structure(what, field, OPTIONAL, blend(), None);
        d.blend_values("hBlendState.", blend);
        let (field, what) = (at!(raw, hRasterizerState), "hRasterizerState");
        let (rasterizer, _) = d.structure(what, field, OPTIONAL, rasterizer(), None);
        d.rasterizer_values("hRasterizerState.", rasterizer);
        let (field, what) = (at!(raw, hDepthStencilState), "hDepthStencilState");
        let (depth_stencil, _) = d.structure(what, field, OPTIONAL, depth_stencil(), None);
        d.depth_stencil_values("hDepthStencilState.", depth_stencil);
        let (field, zeroed) = (at!(raw, hElementLayout), Zeroable::zeroed());
        let (layout, point) = d.structure("hElementLayout", field, OPTIONAL, zeroed, None);
        d.input_layout("hElementLayout.", layout, point);
        let instancing = at!(raw, ViewInstancingDesc);
        d.view_instancing(instancing, None);
        d
    }

    fn stage(
        &mut self,
        name: &'static str,
        field: *mut D3D12DDI_HSHADER,
        container: &[u8],
    ) -> (Shader, usize) {
        let (shader, point) = self.structure(name, field, OPTIONAL, Zeroable::zeroed(), None);
        self.code(name, shader, container, point);
        (shader, point)
    }

    fn code(&mut self, name: &str, shader: Shader, container: &[u8], parent: usize) {
        let code = self.arena.slice(program(container));
        let field = at!(shader, pShaderCode);
        self.point("pShaderCode", field, Kind::Code, code, Some(parent));
        self.value(format!("{name}.Flags"), at!(shader, Flags));
    }

    /// With stream output.
    fn geometry_stage(&mut self, field: *mut D3D12DDI_HSHADER) {
        let zeroed = D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026::zeroed();
        let (g, point) = self.structure("hGeometryShader", field, OPTIONAL, zeroed, None);
        let declaration = vec![D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY::zeroed(); 3];
        let field = (at!(g, pOutputStreamDecl), at!(g, NumEntries));
        let (_, declaration) = self.array("pOutputStreamDecl", field, declaration, Some(point));
        // Without a declaration there is no stream output, whatever the strides.
        let field = (at!(g, BufferStridesInBytes), at!(g, NumStrides));
        self.array(
            "BufferStridesInBytes",
            field,
            vec![16, 32],
            Some(declaration),
        );
        let shader = at!(g, CreateShader);
        self.standard_signatures("hGeometryShader.", shader, point);
        self.value("hGeometryShader.Flags", at!(shader, Flags));
        // SAFETY: the arena's.
        unsafe { (*shader).pShaderCode = self.arena.slice(program(GEOMETRY)) };
    }

    fn standard_signatures(&mut self, prefix: &str, shader: Shader, parent: usize) {
        let (what, field) = ("IOSignatures.Standard", at!(shader, IOSignatures));
        let zeroed = D3D12DDIARG_STAGE_IO_SIGNATURES::zeroed();
        let (io, point) = self.structure(what, field, OPTIONAL, zeroed, Some(parent));
        let input = at!(io, Anonymous1.pInputSignature);
        let input = (input, at!(io, NumInputSignatureEntries));
        let output = at!(io, Anonymous2.pOutputSignature);
        let output = (output, at!(io, NumOutputSignatureEntries));
        self.signature(prefix, "pInputSignature", "pInputSignature", input, point);
        self.signature(
            prefix,
            "pOutputSignature",
            "pOutputSignature",
            output,
            point,
        );
    }

    fn tessellation_signatures(&mut self, prefix: &str, shader: Shader, parent: usize) {
        let (what, field) = ("IOSignatures.Tessellation", at!(shader, IOSignatures));
        let zeroed = D3D12DDIARG_TESSELLATION_IO_SIGNATURES::zeroed();
        let (io, point) = self.structure(what, field, OPTIONAL, zeroed, Some(parent));
        let input = at!(io, Anonymous1.pInputSignature);
        let input = (input, at!(io, NumInputSignatureEntries));
        let output = at!(io, Anonymous2.pOutputSignature);
        let output = (output, at!(io, NumOutputSignatureEntries));
        let patch = at!(io, Anonymous3.pPatchConstantSignature);
        let patch = (patch, at!(io, NumPatchConstantSignatureEntries));
        let name = "pPatchConstantSignature";
        self.signature(prefix, "pInputSignature", "pInputSignature", input, point);
        self.signature(
            prefix,
            "pOutputSignature",
            "pOutputSignature",
            output,
            point,
        );
        self.signature(prefix, name, name, patch, point);
    }

    /// The view has one name for all outputs, and one for patch constants and primitives.
    fn mesh_signatures(&mut self, shader: Shader, parent: usize) {
        let (what, field) = ("IOSignatures.Mesh", at!(shader, IOSignatures));
        let zeroed = D3D12DDIARG_MESH_IO_SIGNATURES::zeroed();
        let (io, point) = self.structure(what, field, OPTIONAL, zeroed, Some(parent));
        let vertices = at!(io, pVertexOutputSignature);
        let vertices = (vertices, at!(io, NumVertexOutputSignatureEntries));
        let primitives = at!(io, pPrimitiveOutputSignature);
        let primitives = (primitives, at!(io, NumPrimitiveOutputSignatureEntries));
        let (prefix, name) = ("hMeshShader.", "pVertexOutputSignature");
        self.signature(prefix, name, "pOutputSignature", vertices, point);
        let name = "pPrimitiveOutputSignature";
        self.signature(prefix, name, "pPatchConstantSignature", primitives, point);
    }

    fn signature(
        &mut self,
        prefix: &str,
        name: &'static str,
        shown: &str,
        field: (*mut *mut D3D12DDIARG_SIGNATURE_ENTRY_0012, *mut u32),
        parent: usize,
    ) {
        let entries = vec![D3D12DDIARG_SIGNATURE_ENTRY_0012::zeroed(); 2];
        let (entries, _) = self.array(name, field, entries, Some(parent));
        let (entry, prefix) = (entries.wrapping_add(1), format!("{prefix}{shown}[1]."));
        values!(
            self,
            prefix,
            entry,
            SystemValue,
            RegisterComponentType,
            MinPrecision
        );
    }
}

impl<T: Zeroable + 'static> Description<T> {
    /// A root signature of version 1.2 behind a handle.
    pub fn root_signature_1_2(
        &mut self,
        handle: *mut D3D12DDI_HROOTSIGNATURE,
        prefix: &str,
        parent: Option<usize>,
    ) -> *mut D3D12DDI_ROOT_SIGNATURE_0100 {
        let zeroed = Zeroable::zeroed();
        let (root, point) = self.structure("hRootSignature", handle, OPTIONAL, zeroed, parent);
        self.root_signature_1_2_in(root, prefix, point)
    }

    /// The same, in create-arguments that are there.
    pub fn root_signature_1_2_in(
        &mut self,
        root: *mut D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
        prefix: &str,
        parent: usize,
    ) -> *mut D3D12DDI_ROOT_SIGNATURE_0100 {
        // SAFETY: the arena's.
        unsafe { (*root).Version = D3D12DDI_ROOT_SIGNATURE_VERSION_1_2 };
        let field = at!(root, Anonymous.pRootSignature_1_2);
        let (what, zeroed) = ("pRootSignature_1_2", D3D12DDI_ROOT_SIGNATURE_0100::zeroed());
        let (content, point) = self.structure(what, field, REQUIRED, zeroed, Some(parent));
        let field = (at!(content, pRootParameters), at!(content, NumParameters));
        self.root_parameters(field, prefix, point);
        let sampler = D3D12DDI_STATIC_SAMPLER_0100 {
            AddressU: D3D12DDI_TEXTURE_ADDRESS_MODE_WRAP,
            AddressV: D3D12DDI_TEXTURE_ADDRESS_MODE_MIRROR,
            AddressW: D3D12DDI_TEXTURE_ADDRESS_MODE_CLAMP,
            ComparisonFunc: D3D12DDI_COMPARISON_FUNC_NEVER,
            ..Zeroable::zeroed()
        };
        let field = (
            at!(content, pStaticSamplers),
            at!(content, NumStaticSamplers),
        );
        let (sampler, _) = self.array("pStaticSamplers", field, vec![sampler; 2], Some(point));
        values!(self, prefix, content, Flags);
        let prefix = format!("{prefix}pStaticSamplers[0].");
        values!(
            self,
            prefix,
            sampler,
            Filter,
            AddressU,
            AddressV,
            AddressW,
            ComparisonFunc
        );
        values!(self, prefix, sampler, BorderColor, ShaderVisibility, Flags);
        content
    }

    /// A root signature of version 1.1, whose samplers have another shape.
    pub fn root_signature_1_1(
        &mut self,
        handle: *mut D3D12DDI_HROOTSIGNATURE,
        prefix: &str,
        parent: Option<usize>,
    ) {
        let zeroed = Zeroable::zeroed();
        let (root, point) = self.structure("hRootSignature", handle, OPTIONAL, zeroed, parent);
        self.root_signature_1_1_in(root, prefix, point);
    }

    /// The same, in create-arguments that are there.
    pub fn root_signature_1_1_in(
        &mut self,
        root: *mut D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
        prefix: &str,
        parent: usize,
    ) {
        // SAFETY: the arena's.
        unsafe { (*root).Version = D3D12DDI_ROOT_SIGNATURE_VERSION_1_1 };
        let field = at!(root, Anonymous.pRootSignature_1_2);
        let (what, zeroed) = ("pRootSignature_1_1", D3D12DDI_ROOT_SIGNATURE_0013::zeroed());
        let (content, point) = self.structure(what, field, REQUIRED, zeroed, Some(parent));
        let field = (at!(content, pRootParameters), at!(content, NumParameters));
        self.root_parameters(field, prefix, point);
        let sampler = D3D12DDI_STATIC_SAMPLER {
            AddressU: D3D12DDI_TEXTURE_ADDRESS_MODE_WRAP,
            AddressV: D3D12DDI_TEXTURE_ADDRESS_MODE_MIRROR,
            AddressW: D3D12DDI_TEXTURE_ADDRESS_MODE_CLAMP,
            ComparisonFunc: D3D12DDI_COMPARISON_FUNC_NEVER,
            ..Zeroable::zeroed()
        };
        let field = (
            at!(content, pStaticSamplers),
            at!(content, NumStaticSamplers),
        );
        let (sampler, _) = self.array("pStaticSamplers", field, vec![sampler; 2], Some(point));
        values!(self, prefix, content, Flags);
        let prefix = format!("{prefix}pStaticSamplers[0].");
        values!(
            self,
            prefix,
            sampler,
            Filter,
            AddressU,
            BorderColor,
            ShaderVisibility
        );
    }

    /// A table of two ranges, and one parameter of each other type.
    fn root_parameters(
        &mut self,
        field: (*mut *const D3D12DDI_ROOT_PARAMETER_0013, *mut u32),
        prefix: &str,
        parent: usize,
    ) {
        let types = [
            D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
            D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS,
            D3D12DDI_ROOT_PARAMETER_TYPE_CBV,
            D3D12DDI_ROOT_PARAMETER_TYPE_SRV,
            D3D12DDI_ROOT_PARAMETER_TYPE_UAV,
        ];
        let parameters = types.map(|kind| D3D12DDI_ROOT_PARAMETER_0013 {
            ParameterType: kind,
            ..Zeroable::zeroed()
        });
        let parameters = parameters.to_vec();
        let (table, point) = self.array("pRootParameters", field, parameters, Some(parent));
        let ranges = at!(table, Anonymous.DescriptorTable);
        let field = (
            at!(ranges, pDescriptorRanges),
            at!(ranges, NumDescriptorRanges),
        );
        let ranges = vec![D3D12DDI_DESCRIPTOR_RANGE_0013::zeroed(); 2];
        let (ranges, _) = self.array("pDescriptorRanges", field, ranges, Some(point));
        let prefix = format!("{prefix}pRootParameters");
        let range = ranges.wrapping_add(1);
        values!(self, format!("{prefix}[0]."), table, ShaderVisibility);
        values!(
            self,
            format!("{prefix}[0].pDescriptorRanges[1]."),
            range,
            RangeType,
            Flags
        );
        let cbv = at!(table.wrapping_add(2), Anonymous.Descriptor);
        values!(self, format!("{prefix}[2]."), cbv, Flags);
        values!(
            self,
            format!("{prefix}[4]."),
            table.wrapping_add(4),
            ParameterType
        );
    }

    pub fn blend_values(&mut self, prefix: &str, blend: *mut D3D12DDI_BLEND_DESC_0010) {
        for index in [0, 2, 7] {
            let prefix = format!("{prefix}RenderTarget[{index}].");
            let target = at!(blend, RenderTarget[index]);
            values!(self, prefix, target, SrcBlend, DestBlend, BlendOp, LogicOp);
            values!(
                self,
                prefix,
                target,
                SrcBlendAlpha,
                DestBlendAlpha,
                BlendOpAlpha
            );
        }
    }

    pub fn rasterizer_values(&mut self, prefix: &str, r: *mut D3D12DDI_RASTERIZER_DESC_0102) {
        values!(self, prefix, r, FillMode, CullMode, LineRasterizationMode);
        values!(self, prefix, r, ConservativeRasterizationMode);
    }

    pub fn depth_stencil_values(&mut self, prefix: &str, d: *mut D3D12DDI_DEPTH_STENCIL_DESC_0095) {
        values!(self, prefix, d, DepthWriteMask, DepthFunc);
        for (name, face) in [
            ("FrontFace", at!(d, FrontFace)),
            ("BackFace", at!(d, BackFace)),
        ] {
            let prefix = format!("{prefix}{name}.");
            values!(self, prefix, face, StencilFailOp, StencilDepthFailOp);
            values!(self, prefix, face, StencilPassOp, StencilFunc);
        }
    }

    pub fn input_layout(
        &mut self,
        prefix: &str,
        layout: *mut D3D12DDIARG_CREATEELEMENTLAYOUT_0010,
        parent: usize,
    ) {
        let elements = vec![D3D12DDIARG_INPUT_ELEMENT_DESC::zeroed(); 2];
        let field = (at!(layout, pVertexElements), at!(layout, NumElements));
        let (elements, _) = self.array("pVertexElements", field, elements, Some(parent));
        let prefix = format!("{prefix}pVertexElements[1].");
        values!(
            self,
            prefix,
            elements.wrapping_add(1),
            Format,
            InputSlotClass
        );
    }

    pub fn view_instancing(
        &mut self,
        instancing: *mut D3D12DDI_VIEW_INSTANCING_DESC,
        parent: Option<usize>,
    ) {
        let locations = vec![D3D12DDI_VIEW_INSTANCE_LOCATION::zeroed(); 2];
        let field = (
            at!(instancing, pViewInstanceLocations),
            at!(instancing, ViewInstanceCount),
        );
        self.array("pViewInstanceLocations", field, locations, parent);
    }
}

pub fn blend() -> D3D12DDI_BLEND_DESC_0010 {
    let target = D3D12DDI_RENDER_TARGET_BLEND_DESC {
        SrcBlend: D3D12DDI_BLEND_ONE,
        DestBlend: D3D12DDI_BLEND_ZERO,
        BlendOp: D3D12DDI_BLEND_OP_ADD,
        SrcBlendAlpha: D3D12DDI_BLEND_ONE,
        DestBlendAlpha: D3D12DDI_BLEND_ZERO,
        BlendOpAlpha: D3D12DDI_BLEND_OP_ADD,
        RenderTargetWriteMask: 15,
        ..Zeroable::zeroed()
    };
    D3D12DDI_BLEND_DESC_0010 {
        RenderTarget: [target; 8],
        ..Zeroable::zeroed()
    }
}

pub fn rasterizer() -> D3D12DDI_RASTERIZER_DESC_0102 {
    D3D12DDI_RASTERIZER_DESC_0102 {
        FillMode: D3D12DDI_FILL_MODE_SOLID,
        CullMode: D3D12DDI_CULL_MODE_NONE,
        ..Zeroable::zeroed()
    }
}

pub fn depth_stencil() -> D3D12DDI_DEPTH_STENCIL_DESC_0095 {
    let face = D3D12DDI_DEPTH_STENCILOP_DESC {
        StencilFailOp: D3D12DDI_STENCIL_OP_KEEP,
        StencilDepthFailOp: D3D12DDI_STENCIL_OP_KEEP,
        StencilPassOp: D3D12DDI_STENCIL_OP_KEEP,
        StencilFunc: D3D12DDI_COMPARISON_FUNC_ALWAYS,
    };
    D3D12DDI_DEPTH_STENCIL_DESC_0095 {
        DepthFunc: D3D12DDI_COMPARISON_FUNC_LESS,
        FrontFace: face,
        BackFace: face,
        ..Zeroable::zeroed()
    }
}
