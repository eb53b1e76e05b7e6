//! Pipelines with a value of its own in each field, and what they have to become.

#[allow(
    clippy::wildcard_imports,
    reason = "most of it is the API's structures and their values"
)]
use api_sys::*;
use conformance_catalogue::verdict::Stop;

use super::Expected;
use crate::inputs::shaders::{self, Shader};
use crate::runtime::{Stream, covering};

/// How a field of the API reads at the DDI.
trait Shown {
    fn shown(&self) -> String;
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Shown for $type {
            fn shown(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

numbers!(i32 u32 u8);

impl Shown for f32 {
    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

impl Shown for windows_core::BOOL {
    fn shown(&self) -> String {
        self.as_bool().to_string()
    }
}

/// Expects fields that have the same name in the API and in the DDI.
macro_rules! same {
    ($expected:ident, $path:expr, $structure:expr, $($field:ident)*) => {$(
        $expected.is(format!("{}.{}", $path, stringify!($field)), $structure.$field.shown());
    )*};
}

/// A pipeline, and what it has to become.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Whether a runtime may refuse it, as a target needs an optional capability.
    pub(super) optional: bool,
    pub(super) stream: Stream,
    pub(super) expected: Expected,
}

/// The stages of a pipeline, with the record of each and its handle at the DDI.
pub(super) const STAGES: [(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE, &str); 8] = [
    (D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS, "hComputeShader"),
    (D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS, "hVertexShader"),
    (D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS, "hPixelShader"),
    (D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS, "hDomainShader"),
    (D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS, "hHullShader"),
    (D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS, "hGeometryShader"),
    (D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS, "hMeshShader"),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS,
        "hAmplificationShader",
    ),
];

impl Case {
    /// Of these shaders and of the covering root signature.
    fn new(name: &'static str, shaders: &[(&str, &Shader)]) -> Result<Self, Stop> {
        let (root_signature, mut expected) = (covering(), Expected::default());
        let mut stream = Stream::default().root_signature(&root_signature);
        expected.root_signature("hRootSignature", &root_signature);
        for (record, handle) in STAGES {
            match shaders.iter().find(|(stage, _)| *stage == handle) {
                Some((_, shader)) => {
                    stream = stream.shader(record, shader);
                    expected.program(&format!("{handle}.pShaderCode"), shader)?;
                }
                None => expected.absent(&[handle]),
            }
        }
        Ok(Self {
            name,
            optional: false,
            stream,
            expected,
        })
    }

    fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    fn with<T: Copy>(mut self, kind: D3D12_PIPELINE_STATE_SUBOBJECT_TYPE, payload: T) -> Self {
        self.stream = self.stream.record(kind, payload);
        self
    }

    fn targets(mut self, formats: &[DXGI_FORMAT]) -> Self {
        let mut targets = D3D12_RT_FORMAT_ARRAY::default();
        self.expected.is("NumRenderTargets", formats.len());
        for (target, format) in targets.RTFormats.iter_mut().zip(formats) {
            *target = *format;
            targets.NumRenderTargets += 1;
            self.expected.is("RTVFormats", *format);
        }
        self.with(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
            targets,
        )
    }

    fn samples(mut self, count: u32) -> Self {
        self.expected.is("SampleDesc.Count", count);
        self.expected.is("SampleDesc.Quality", 0);
        let desc = DXGI_SAMPLE_DESC {
            Count: count,
            Quality: 0,
        };
        self.with(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, desc)
    }

    fn blend(mut self) -> Self {
        let mut blend = D3D12_BLEND_DESC {
            AlphaToCoverageEnable: true.into(),
            IndependentBlendEnable: true.into(),
            ..D3D12_BLEND_DESC::default()
        };
        let (path, expected) = ("hBlendState", &mut self.expected);
        same!(expected, path, blend, AlphaToCoverageEnable IndependentBlendEnable);
        for (index, target) in (0_u8..).zip(&mut blend.RenderTarget) {
            let next = i32::from(index) + 1;
            *target = D3D12_RENDER_TARGET_BLEND_DESC {
                BlendEnable: (index % 2 == 0).into(),
                SrcBlend: next,
                DestBlend: next + 1,
                BlendOp: next % 5 + 1,
                SrcBlendAlpha: D3D12_BLEND_SRC_ALPHA,
                DestBlendAlpha: D3D12_BLEND_INV_DEST_ALPHA,
                BlendOpAlpha: D3D12_BLEND_OP_MAX,
                LogicOp: next + 5,
                RenderTargetWriteMask: index + 3,
                ..D3D12_RENDER_TARGET_BLEND_DESC::default()
            };
            // A runtime may leave out what is behind the render targets.
            if index < 3 {
                same!(
                    expected, format!("{path}.RenderTarget[{index}]"), target,
                    BlendEnable LogicOpEnable SrcBlend DestBlend BlendOp
                    SrcBlendAlpha DestBlendAlpha BlendOpAlpha LogicOp RenderTargetWriteMask
                );
            }
        }
        self.with(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, blend)
    }

    fn rasterizer(mut self, forced_samples: u32) -> Self {
        let desc = D3D12_RASTERIZER_DESC2 {
            FillMode: D3D12_FILL_MODE_WIREFRAME,
            CullMode: D3D12_CULL_MODE_FRONT,
            FrontCounterClockwise: true.into(),
            DepthBias: -3.0,
            DepthBiasClamp: 0.5,
            SlopeScaledDepthBias: 1.5,
            DepthClipEnable: false.into(),
            LineRasterizationMode: D3D12_LINE_RASTERIZATION_MODE_ALPHA_ANTIALIASED,
            ForcedSampleCount: forced_samples,
            ConservativeRaster: D3D12_CONSERVATIVE_RASTERIZATION_MODE_OFF,
        };
        let expected = &mut self.expected;
        same!(
            expected, "hRasterizerState", desc,
            FillMode CullMode FrontCounterClockwise DepthBias DepthBiasClamp SlopeScaledDepthBias
            DepthClipEnable LineRasterizationMode ForcedSampleCount
        );
        let path = "hRasterizerState.ConservativeRasterizationMode";
        expected.is(path, desc.ConservativeRaster);
        self.with(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2, desc)
    }

    fn depth_stencil(mut self, format: DXGI_FORMAT, bounds: bool) -> Self {
        let face = |first, read, write| D3D12_DEPTH_STENCILOP_DESC1 {
            StencilFailOp: first,
            StencilDepthFailOp: first + 1,
            StencilPassOp: first + 2,
            StencilFunc: first + 3,
            StencilReadMask: read,
            StencilWriteMask: write,
        };
        let desc = D3D12_DEPTH_STENCIL_DESC2 {
            DepthEnable: true.into(),
            DepthWriteMask: D3D12_DEPTH_WRITE_MASK_ZERO,
            DepthFunc: D3D12_COMPARISON_FUNC_GREATER,
            StencilEnable: true.into(),
            FrontFace: face(1, 0x12, 0x34),
            BackFace: face(4, 0x56, 0x78),
            DepthBoundsTestEnable: bounds.into(),
        };
        let (path, expected) = ("hDepthStencilState", &mut self.expected);
        same!(
            expected, path, desc,
            DepthEnable DepthWriteMask DepthFunc StencilEnable DepthBoundsTestEnable
        );
        for (name, face) in [("FrontFace", desc.FrontFace), ("BackFace", desc.BackFace)] {
            same!(
                expected, format!("{path}.{name}"), face,
                StencilFailOp StencilDepthFailOp StencilPassOp StencilFunc
            );
            for (mask, value) in [
                ("ReadMask", face.StencilReadMask),
                ("WriteMask", face.StencilWriteMask),
            ] {
                expected.is(format!("{path}.{name}Stencil{mask}"), value);
            }
        }
        expected.is("DSVFormat", format);
        self.with(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2, desc)
            .with(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
                format,
            )
    }

    /// For the inputs of `forward_plain_vs`, in the order of their registers.
    fn input_layout(mut self) -> Self {
        let element = |slot, offset, format| D3D12_INPUT_ELEMENT_DESC {
            InputSlot: slot,
            AlignedByteOffset: offset,
            Format: format,
            ..D3D12_INPUT_ELEMENT_DESC::default()
        };
        let elements = [
            ("POSITION", element(1, 4, DXGI_FORMAT_R32G32B32_FLOAT)),
            ("NORMAL", element(0, 8, DXGI_FORMAT_R16G16B16A16_FLOAT)),
            ("TEXCOORD", element(0, 24, DXGI_FORMAT_R16G16_FLOAT)),
            (
                "COLOR",
                D3D12_INPUT_ELEMENT_DESC {
                    InputSlotClass: D3D12_INPUT_CLASSIFICATION_PER_INSTANCE_DATA,
                    InstanceDataStepRate: 2,
                    ..element(3, 12, DXGI_FORMAT_R32G32B32A32_FLOAT)
                },
            ),
        ];
        let (path, expected) = ("hElementLayout.pVertexElements", &mut self.expected);
        expected.is(path, elements.len());
        for (index, (_, element)) in elements.iter().enumerate() {
            let path = format!("{path}[{index}]");
            same!(
                expected, path, element,
                InputSlot AlignedByteOffset Format InputSlotClass InstanceDataStepRate
            );
            expected.is(format!("{path}.InputRegister"), index);
        }
        self.stream = self.stream.input_layout(&elements);
        self
    }

    fn stream_output(mut self) -> Self {
        let (path, expected) = ("hGeometryShader.StreamOutput", &mut self.expected);
        expected.is(format!("{path}.BufferStridesInBytes"), 32);
        expected.is(format!("{path}.RasterizedStream"), 0);
        for (field, value) in [
            ("Stream", 0),
            ("OutputSlot", 0),
            ("RegisterIndex", 0),
            ("RegisterMask", 7),
        ] {
            expected.is(format!("{path}.pOutputStreamDecl[0].{field}"), value);
        }
        self.stream = self.stream.stream_output(3, 32);
        self
    }

    fn view_instances(mut self) -> Self {
        let locations = [(1, 2), (3, 4)].map(|(viewport, target)| D3D12_VIEW_INSTANCE_LOCATION {
            ViewportArrayIndex: viewport,
            RenderTargetArrayIndex: target,
        });
        let (path, expected) = ("pViewInstanceLocations", &mut self.expected);
        expected.is(path, locations.len());
        for (index, location) in locations.iter().enumerate() {
            let path = format!("{path}[{index}]");
            same!(expected, path, location, ViewportArrayIndex RenderTargetArrayIndex);
        }
        let desc = D3D12_VIEW_INSTANCING_DESC {
            ViewInstanceCount: 2,
            pViewInstanceLocations: self.stream.array(locations.to_vec()),
            Flags: D3D12_VIEW_INSTANCING_FLAG_ENABLE_VIEW_INSTANCE_MASKING,
        };
        expected.is("ViewInstancingDesc.Flags", desc.Flags);
        self.with(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING, desc)
    }

    /// A record of one number, which the DDI has in this field.
    fn number<T: Copy + ToString>(
        mut self,
        kind: D3D12_PIPELINE_STATE_SUBOBJECT_TYPE,
        field: &str,
        value: T,
    ) -> Self {
        self.expected.is(field, value);
        self.with(kind, value)
    }

    fn topology(self, topology: D3D12_PRIMITIVE_TOPOLOGY_TYPE) -> Self {
        let kind = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY;
        self.number(kind, "PrimitiveTopologyType", topology)
    }
}

pub(super) fn all() -> Result<Vec<Case>, Stop> {
    let forward = [
        ("hVertexShader", &shaders::forward_plain_vs),
        ("hPixelShader", &shaders::forward_plain_ps),
    ];
    Ok(vec![
        Case::new("compute", &[("hComputeShader", &shaders::raw_copy_cs)])?,
        Case::new("graphics with every kind of state", &forward)?
            .targets(&[
                DXGI_FORMAT_R8G8B8A8_UNORM,
                DXGI_FORMAT_UNKNOWN,
                DXGI_FORMAT_R8G8B8A8_UNORM,
            ])
            .blend()
            .rasterizer(0)
            .depth_stencil(DXGI_FORMAT_D24_UNORM_S8_UINT, false)
            .input_layout()
            .samples(1)
            .topology(D3D12_PRIMITIVE_TOPOLOGY_TYPE_LINE)
            .number(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
                "SampleMask",
                0x1235_u32,
            )
            .number(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
                "IBStripCutValue",
                D3D12_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFFFFFF,
            )
            .number(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK,
                "NodeMask",
                1_u32,
            ),
        Case::new(
            "graphics with 4 samples and stream output",
            &forward_with_gs(),
        )?
        .targets(&[DXGI_FORMAT_R8G8B8A8_UNORM])
        .samples(4)
        .stream_output(),
        Case::new(
            "tessellation",
            &[
                ("hVertexShader", &shaders::tess_tri_vs),
                ("hHullShader", &shaders::tess_tri_hs),
                ("hDomainShader", &shaders::tess_tri_ds),
            ],
        )?
        .rasterizer(4)
        .topology(D3D12_PRIMITIVE_TOPOLOGY_TYPE_PATCH),
        Case::new(
            "mesh shaders",
            &[
                ("hAmplificationShader", &shaders::meshlet_as),
                ("hMeshShader", &shaders::meshlet_ms),
                ("hPixelShader", &shaders::meshlet_ps),
            ],
        )?
        .targets(&[DXGI_FORMAT_R8G8B8A8_UNORM])
        .optional(),
        Case::new(
            "view instances, depth bounds and dynamic depth bias",
            &forward,
        )?
        .depth_stencil(DXGI_FORMAT_D32_FLOAT_S8X24_UINT, true)
        .view_instances()
        .number(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS,
            "Flags",
            D3D12_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS,
        )
        .optional(),
    ])
}

fn forward_with_gs() -> [(&'static str, &'static Shader); 2] {
    [
        ("hVertexShader", &shaders::tess_tri_vs),
        ("hGeometryShader", &shaders::layers_gs),
    ]
}
