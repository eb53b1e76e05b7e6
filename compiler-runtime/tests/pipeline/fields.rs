//! Every field of a stream, where the plugin finds it.

use api_sys::*;
use runtime_test_support::corpus::{covering, serialized, shader};
use runtime_test_support::stream::StreamBuilder;

use crate::plugins::{self, Recorded, value};

fn recorded(mut stream: StreamBuilder) -> Recorded {
    let (state, messages) = stream.translate();
    plugins::record(&state.unwrap_or_else(|error| panic!("{error}\n{messages:#?}")))
}

fn graphics() -> StreamBuilder {
    let stream = StreamBuilder::new().vs(&shader("forward_plain_vs"));
    stream
        .ps(&shader("forward_plain_ps"))
        .root_signature(&serialized(&covering()))
}

fn check(recorded: &Recorded, expected: &[(&str, &str)]) {
    for (path, expected) in expected {
        assert_eq!(value(recorded, path), *expected, "{path}");
    }
}

#[test]
fn shaders_have_their_signatures() {
    let graphics = recorded(graphics());
    check(
        &graphics,
        &[
            ("hVertexShader.pInputSignature", "4"),
            ("hVertexShader.pInputSignature[2].Register", "2"),
            ("hVertexShader.pInputSignature[2].Mask", "3"),
            (
                "hVertexShader.pInputSignature[2].RegisterComponentType",
                "3",
            ),
            ("hVertexShader.pOutputSignature[0].Stream", "0"),
            ("hPixelShader.pOutputSignature", "1"),
            ("hPixelShader.pOutputSignature[0].SystemValue", "0"),
            ("hPixelShader.pOutputSignature[0].Mask", "15"),
            ("hPixelShader.StreamOutput", "absent"),
            ("hGeometryShader", "absent"),
            ("hComputeShader", "absent"),
        ],
    );
    let root = serialized(&covering());
    let tessellation = StreamBuilder::new()
        .vs(&shader("tess_tri_vs"))
        .shader(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS,
            &shader("tess_tri_hs"),
        )
        .shader(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS,
            &shader("tess_tri_ds"),
        );
    let tessellation = recorded(tessellation.root_signature(&root));
    let count = value(&tessellation, "hHullShader.pPatchConstantSignature");
    let factors: Vec<_> = (0..count.parse().unwrap())
        .map(|index: usize| {
            let path = format!("hHullShader.pPatchConstantSignature[{index}].SystemValue");
            value(&tessellation, &path)
        })
        .collect();
    // The rows of SV_TessFactor have names of their own.
    for name in ["17", "18", "19", "20"] {
        assert!(factors.contains(&name), "{factors:?}");
    }
    assert_eq!(value(&tessellation, "PrimitiveTopologyType"), "4");

    let meshes = StreamBuilder::new()
        .shader(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS,
            &shader("meshlet_prim_as"),
        )
        .shader(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS,
            &shader("meshlet_prim_ms"),
        );
    let meshes = recorded(meshes.root_signature(&root));
    assert_ne!(value(&meshes, "hMeshShader.pOutputSignature"), "0");
    assert_ne!(value(&meshes, "hMeshShader.pPatchConstantSignature"), "0");
    check(
        &meshes,
        &[
            ("hAmplificationShader.pInputSignature", "0"),
            ("hElementLayout", "absent"),
            ("PrimitiveTopologyType", "0"),
        ],
    );
}

#[test]
fn blend_state() {
    let mut blend = D3D12_BLEND_DESC {
        AlphaToCoverageEnable: windows_core::BOOL(7),
        IndependentBlendEnable: true.into(),
        ..Default::default()
    };
    for (index, target) in (1_i32..).zip(&mut blend.RenderTarget) {
        *target = D3D12_RENDER_TARGET_BLEND_DESC {
            BlendEnable: (index % 2 == 1).into(),
            SrcBlend: index,
            DestBlend: index + 1,
            BlendOp: (index + 1) / 2,
            SrcBlendAlpha: D3D12_BLEND_ALPHA_FACTOR,
            DestBlendAlpha: D3D12_BLEND_DEST_ALPHA,
            BlendOpAlpha: D3D12_BLEND_OP_MAX,
            LogicOp: index + 5,
            RenderTargetWriteMask: u8::try_from(index).unwrap(),
            ..Default::default()
        };
    }
    let stream = graphics().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, blend);
    check(
        &recorded(stream),
        &[
            ("hBlendState.AlphaToCoverageEnable", "true"),
            ("hBlendState.IndependentBlendEnable", "true"),
            ("hBlendState.RenderTarget", "8"),
            ("hBlendState.RenderTarget[0].BlendEnable", "true"),
            ("hBlendState.RenderTarget[1].BlendEnable", "false"),
            ("hBlendState.RenderTarget[2].SrcBlend", "3"),
            ("hBlendState.RenderTarget[2].DestBlend", "4"),
            ("hBlendState.RenderTarget[2].BlendOp", "2"),
            ("hBlendState.RenderTarget[7].SrcBlendAlpha", "20"),
            ("hBlendState.RenderTarget[7].DestBlendAlpha", "7"),
            ("hBlendState.RenderTarget[7].BlendOpAlpha", "5"),
            ("hBlendState.RenderTarget[7].LogicOp", "13"),
            ("hBlendState.RenderTarget[7].RenderTargetWriteMask", "8"),
        ],
    );
}

#[test]
fn three_versions_of_rasterizer_state() {
    let first = D3D12_RASTERIZER_DESC {
        FillMode: D3D12_FILL_MODE_WIREFRAME,
        CullMode: D3D12_CULL_MODE_FRONT,
        FrontCounterClockwise: true.into(),
        DepthBias: -3,
        DepthBiasClamp: 0.5,
        SlopeScaledDepthBias: 1.5,
        DepthClipEnable: false.into(),
        MultisampleEnable: true.into(),
        AntialiasedLineEnable: true.into(),
        ForcedSampleCount: 4,
        ConservativeRaster: D3D12_CONSERVATIVE_RASTERIZATION_MODE_ON,
    };
    let second = D3D12_RASTERIZER_DESC1 {
        FillMode: first.FillMode,
        CullMode: first.CullMode,
        FrontCounterClockwise: first.FrontCounterClockwise,
        DepthBias: -3.0,
        DepthBiasClamp: first.DepthBiasClamp,
        SlopeScaledDepthBias: first.SlopeScaledDepthBias,
        DepthClipEnable: first.DepthClipEnable,
        MultisampleEnable: first.MultisampleEnable,
        AntialiasedLineEnable: first.AntialiasedLineEnable,
        ForcedSampleCount: first.ForcedSampleCount,
        ConservativeRaster: first.ConservativeRaster,
    };
    let third = D3D12_RASTERIZER_DESC2 {
        FillMode: first.FillMode,
        CullMode: first.CullMode,
        FrontCounterClockwise: first.FrontCounterClockwise,
        DepthBias: -3.0,
        DepthBiasClamp: first.DepthBiasClamp,
        SlopeScaledDepthBias: first.SlopeScaledDepthBias,
        DepthClipEnable: first.DepthClipEnable,
        LineRasterizationMode: D3D12_LINE_RASTERIZATION_MODE_QUADRILATERAL_WIDE,
        ForcedSampleCount: first.ForcedSampleCount,
        ConservativeRaster: first.ConservativeRaster,
    };
    let of = |stream: StreamBuilder| recorded(stream);
    let third = of(graphics().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2, third));
    check(
        &third,
        &[
            ("hRasterizerState.FillMode", "2"),
            ("hRasterizerState.CullMode", "2"),
            ("hRasterizerState.FrontCounterClockwise", "true"),
            ("hRasterizerState.DepthBias", "-3.0"),
            ("hRasterizerState.DepthBiasClamp", "0.5"),
            ("hRasterizerState.SlopeScaledDepthBias", "1.5"),
            ("hRasterizerState.DepthClipEnable", "false"),
            ("hRasterizerState.ScissorEnable", "true"),
            ("hRasterizerState.LineRasterizationMode", "2"),
            ("hRasterizerState.ForcedSampleCount", "4"),
            ("hRasterizerState.ConservativeRasterizationMode", "1"),
        ],
    );
    assert_eq!(
        of(graphics().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER, first)),
        third
    );
    assert_eq!(
        of(graphics().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER1, second)),
        third
    );
    for (multisample, antialiased, mode) in
        [(false, false, "0"), (false, true, "1"), (true, false, "2")]
    {
        let desc = D3D12_RASTERIZER_DESC {
            MultisampleEnable: multisample.into(),
            AntialiasedLineEnable: antialiased.into(),
            ..first
        };
        let lines = of(graphics().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER, desc));
        assert_eq!(
            value(&lines, "hRasterizerState.LineRasterizationMode"),
            mode
        );
    }
}

#[test]
fn three_versions_of_depth_stencil_state() {
    let front = D3D12_DEPTH_STENCILOP_DESC {
        StencilFailOp: 1,
        StencilDepthFailOp: 2,
        StencilPassOp: 3,
        StencilFunc: 4,
    };
    let back = D3D12_DEPTH_STENCILOP_DESC {
        StencilFailOp: 5,
        StencilDepthFailOp: 6,
        StencilPassOp: 7,
        StencilFunc: 8,
    };
    let first = D3D12_DEPTH_STENCIL_DESC {
        DepthEnable: true.into(),
        DepthWriteMask: D3D12_DEPTH_WRITE_MASK_ZERO,
        DepthFunc: D3D12_COMPARISON_FUNC_GREATER,
        StencilEnable: true.into(),
        StencilReadMask: 0x12,
        StencilWriteMask: 0x34,
        FrontFace: front,
        BackFace: back,
    };
    let second = D3D12_DEPTH_STENCIL_DESC1 {
        DepthEnable: first.DepthEnable,
        DepthWriteMask: first.DepthWriteMask,
        DepthFunc: first.DepthFunc,
        StencilEnable: first.StencilEnable,
        StencilReadMask: 0x12,
        StencilWriteMask: 0x34,
        FrontFace: front,
        BackFace: back,
        DepthBoundsTestEnable: true.into(),
    };
    let face = |face: D3D12_DEPTH_STENCILOP_DESC, read, write| D3D12_DEPTH_STENCILOP_DESC1 {
        StencilFailOp: face.StencilFailOp,
        StencilDepthFailOp: face.StencilDepthFailOp,
        StencilPassOp: face.StencilPassOp,
        StencilFunc: face.StencilFunc,
        StencilReadMask: read,
        StencilWriteMask: write,
    };
    let third = |back_read, back_write, bounds: bool| D3D12_DEPTH_STENCIL_DESC2 {
        DepthEnable: first.DepthEnable,
        DepthWriteMask: first.DepthWriteMask,
        DepthFunc: first.DepthFunc,
        StencilEnable: first.StencilEnable,
        FrontFace: face(front, 0x12, 0x34),
        BackFace: face(back, back_read, back_write),
        DepthBoundsTestEnable: bounds.into(),
    };
    let of = |stream: StreamBuilder| recorded(stream);
    let kind = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2;
    check(
        &of(graphics().record(kind, third(0x56, 0x78, false))),
        &[
            ("hDepthStencilState.DepthEnable", "true"),
            ("hDepthStencilState.DepthWriteMask", "0"),
            ("hDepthStencilState.DepthFunc", "5"),
            ("hDepthStencilState.StencilEnable", "true"),
            ("hDepthStencilState.FrontEnable", "true"),
            ("hDepthStencilState.BackEnable", "true"),
            ("hDepthStencilState.FrontFaceStencilReadMask", "18"),
            ("hDepthStencilState.FrontFaceStencilWriteMask", "52"),
            ("hDepthStencilState.BackFaceStencilReadMask", "86"),
            ("hDepthStencilState.BackFaceStencilWriteMask", "120"),
            ("hDepthStencilState.DepthBoundsTestEnable", "false"),
            ("hDepthStencilState.FrontFace.StencilFailOp", "1"),
            ("hDepthStencilState.FrontFace.StencilDepthFailOp", "2"),
            ("hDepthStencilState.FrontFace.StencilPassOp", "3"),
            ("hDepthStencilState.FrontFace.StencilFunc", "4"),
            ("hDepthStencilState.BackFace.StencilFailOp", "5"),
            ("hDepthStencilState.BackFace.StencilDepthFailOp", "6"),
            ("hDepthStencilState.BackFace.StencilPassOp", "7"),
            ("hDepthStencilState.BackFace.StencilFunc", "8"),
        ],
    );
    assert_eq!(
        of(graphics().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL, first)),
        of(graphics().record(kind, third(0x12, 0x34, false)))
    );
    assert_eq!(
        of(graphics().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1, second)),
        of(graphics().record(kind, third(0x12, 0x34, true)))
    );
}

#[test]
fn depth_is_tested_where_there_is_a_buffer() {
    for (format, enabled) in [
        (DXGI_FORMAT_UNKNOWN, "false"),
        (DXGI_FORMAT_D32_FLOAT, "true"),
    ] {
        let recorded = recorded(graphics().depth_format(format));
        assert_eq!(value(&recorded, "hDepthStencilState.DepthEnable"), enabled);
    }
    let without = recorded(graphics());
    assert_eq!(value(&without, "hDepthStencilState.DepthEnable"), "false");
}

#[test]
fn everything_else() {
    let locations = [(1, 2), (3, 4)].map(|(viewport, target)| D3D12_VIEW_INSTANCE_LOCATION {
        ViewportArrayIndex: viewport,
        RenderTargetArrayIndex: target,
    });
    let views = D3D12_VIEW_INSTANCING_DESC {
        ViewInstanceCount: 2,
        pViewInstanceLocations: locations.as_ptr(),
        Flags: D3D12_VIEW_INSTANCING_FLAG_ENABLE_VIEW_INSTANCE_MASKING,
    };
    let stream = graphics()
        .targets(&[
            DXGI_FORMAT_R8G8B8A8_UNORM,
            DXGI_FORMAT_UNKNOWN,
            DXGI_FORMAT_R16G16_FLOAT,
        ])
        .depth_format(DXGI_FORMAT_D24_UNORM_S8_UINT)
        .topology(D3D12_PRIMITIVE_TOPOLOGY_TYPE_LINE)
        .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, 0x1234_u32)
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
            2_i32,
        )
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
            DXGI_SAMPLE_DESC {
                Count: 4,
                Quality: 5,
            },
        )
        .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS, 4_u32 | 8 | 16)
        .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING, views);
    let recorded = recorded(stream);
    check(
        &recorded,
        &[
            ("NumRenderTargets", "3"),
            ("DSVFormat", "45"),
            ("PrimitiveTopologyType", "2"),
            ("SampleMask", "4660"),
            ("IBStripCutValue", "2"),
            ("SampleDesc.Count", "4"),
            ("SampleDesc.Quality", "5"),
            // DISABLE_CACHED_BLOB is the runtime's.
            ("Flags", "12"),
            ("pViewInstanceLocations", "2"),
            ("pViewInstanceLocations[1].ViewportArrayIndex", "3"),
            ("pViewInstanceLocations[1].RenderTargetArrayIndex", "4"),
            ("ViewInstancingDesc.Flags", "1"),
        ],
    );
    let formats: Vec<_> = recorded
        .iter()
        .filter(|(name, _)| name == "RTVFormats")
        .collect();
    assert_eq!(
        formats
            .iter()
            .map(|(_, value)| &value[..])
            .collect::<Vec<_>>(),
        ["28", "0", "34"]
    );
}

#[test]
fn node_masks_of_one_node() {
    for (given, found) in [(None, 1), (Some(0), 1), (Some(1), 1), (Some(6), 6)] {
        let mut stream = given.into_iter().fold(graphics(), |stream, mask: u32| {
            stream.record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK, mask)
        });
        let state = stream.translate().0.unwrap();
        assert_eq!(state.arg().NodeMask, found);
    }
}

/// Semantics become registers, offsets are those of C, and what the shader does not read is left out.
#[test]
fn input_layouts_are_resolved() {
    let element = |format, offset| D3D12_INPUT_ELEMENT_DESC {
        Format: format,
        AlignedByteOffset: offset,
        ..Default::default()
    };
    let append = D3D12_APPEND_ALIGNED_ELEMENT;
    let layout = [
        ("NORMAL", element(DXGI_FORMAT_R8G8B8A8_SNORM, append)),
        ("UNUSED", element(DXGI_FORMAT_R8_UNORM, append)),
        ("texcoord", element(DXGI_FORMAT_R16G16_FLOAT, append)),
        (
            "Position",
            D3D12_INPUT_ELEMENT_DESC {
                InputSlot: 3,
                InputSlotClass: D3D12_INPUT_CLASSIFICATION_PER_INSTANCE_DATA,
                InstanceDataStepRate: 2,
                ..element(DXGI_FORMAT_R32G32B32_FLOAT, 24)
            },
        ),
        ("TAIL", element(DXGI_FORMAT_R32_FLOAT, append)),
    ];
    let stream = StreamBuilder::new().vs(&shader("tess_tri_vs"));
    let stream = stream.root_signature(&serialized(&covering()));
    let recorded = recorded(stream.input_layout(&layout));
    let names = [
        "InputSlot",
        "AlignedByteOffset",
        "Format",
        "InputSlotClass",
        "InstanceDataStepRate",
        "InputRegister",
    ];
    let elements: Vec<Vec<_>> = (0..3)
        .map(|index| {
            let field = |name| {
                value(
                    &recorded,
                    &format!("hElementLayout.pVertexElements[{index}].{name}"),
                )
            };
            names.map(field).to_vec()
        })
        .collect();
    assert_eq!(value(&recorded, "hElementLayout.pVertexElements"), "3");
    assert_eq!(
        elements,
        [
            ["0", "0", "31", "0", "0", "1"],
            ["0", "8", "34", "0", "0", "2"],
            ["3", "24", "6", "1", "2", "0"],
        ]
    );
}

#[test]
fn stream_output_by_registers() {
    let entry = |index, start, count, slot| D3D12_SO_DECLARATION_ENTRY {
        SemanticIndex: index,
        StartComponent: start,
        ComponentCount: count,
        OutputSlot: slot,
        ..Default::default()
    };
    let with_streams = |stream: StreamBuilder| {
        stream.stream_output(
            &[
                (Some("sv_position"), entry(0, 0, 4, 0)),
                (None, entry(0, 0, 2, 0)),
            ],
            &[24, 16],
            0,
        )
    };
    // Without a geometry shader the vertex shader's outputs go through.
    let through = recorded(with_streams(graphics()));
    let names = ["Stream", "OutputSlot", "RegisterIndex", "RegisterMask"];
    let entries = |recorded: &Recorded| -> Vec<Vec<String>> {
        let count = value(recorded, "hGeometryShader.StreamOutput.pOutputStreamDecl");
        (0..count.parse::<usize>().unwrap())
            .map(|index| {
                let field = |name| {
                    let path =
                        format!("hGeometryShader.StreamOutput.pOutputStreamDecl[{index}].{name}");
                    value(recorded, &path).to_owned()
                };
                names.map(field).to_vec()
            })
            .collect()
    };
    assert_eq!(
        entries(&through),
        [["0", "0", "0", "15"], ["0", "0", "4294967295", "3"]]
    );
    check(
        &through,
        &[
            ("hGeometryShader.pShaderCode", "absent"),
            ("hGeometryShader.StreamOutput.RasterizedStream", "0"),
            ("hGeometryShader.StreamOutput.BufferStridesInBytes", "24"),
        ],
    );
    assert_eq!(
        value(&through, "hGeometryShader.pOutputSignature"),
        value(&through, "hVertexShader.pOutputSignature")
    );
    let geometry = StreamBuilder::new()
        .vs(&shader("tess_tri_vs"))
        .shader(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS, &shader("layers_gs"))
        .root_signature(&serialized(&covering()));
    let with_code = recorded(with_streams(geometry));
    assert_eq!(entries(&with_code)[0][3], "15");
    assert_ne!(value(&with_code, "hGeometryShader.pShaderCode"), "absent");
}

/// A program is taken from the caller's container where it is, and copied where C could not read it.
#[test]
fn programs_are_borrowed_where_they_are_aligned() {
    let program_at = |container: &[u8]| {
        let desc = D3D12_SHADER_BYTECODE {
            pShaderBytecode: container.as_ptr().cast(),
            BytecodeLength: container.len(),
        };
        let mut stream = StreamBuilder::new().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS, desc);
        let state = stream.translate().0.unwrap();
        plugins::compile(&state).unwrap();
        let handle = state.arg().hComputeShader.pDrvPrivate;
        // SAFETY: the handle points at the create-arguments, which live as long as the state.
        let code =
            unsafe { (*handle.cast::<ddi_sys::D3D12DDIARG_CREATE_SHADER_0026>()).pShaderCode };
        assert!(code.is_aligned());
        container.as_ptr_range().contains(&code.cast::<u8>())
    };
    let container = shader("raw_copy_cs");
    assert!(program_at(container.bytes()));
    let mut shifted = vec![0_u64; container.bytes().len() / 8 + 2];
    let shifted: &mut [u8] = bytemuck::cast_slice_mut(&mut shifted);
    let shifted = &mut shifted[1..][..container.bytes().len()];
    shifted.copy_from_slice(container.bytes());
    assert!(!program_at(shifted));
    // Parts of DXC 1.6 are not aligned.
    let old = shader("raw_copy_cs_old");
    let part = dxil::Container::parse(old.bytes())
        .unwrap()
        .part(dxil::FourCc::DXIL)
        .unwrap();
    assert_eq!(
        program_at(old.bytes()),
        part.bytes().as_ptr().addr().is_multiple_of(4)
    );
}
