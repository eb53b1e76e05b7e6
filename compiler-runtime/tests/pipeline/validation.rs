//! Each rule of docs/runtime-validation.md, broken.

use api_sys::*;
use compiler_runtime::message::{MessageId, Severity};
use dxil::*;
use runtime_test_support::corpus::{compiled, covering, serialized, shader};
use runtime_test_support::stream::StreamBuilder;

const AS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS;
const MS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS;
const HS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS;
const DS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS;
const GS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS;

/// With a root signature that has everything.
fn new() -> StreamBuilder {
    StreamBuilder::new().root_signature(&serialized(&covering()))
}

fn plain() -> StreamBuilder {
    new()
        .vs(&shader("forward_plain_vs"))
        .ps(&shader("forward_plain_ps"))
}

/// The stream is refused with this number; warnings do not refuse.
#[track_caller]
fn error(stream: StreamBuilder, id: i32, text: &str) {
    let errors = stream.errors();
    let found = errors.iter().find(|error| error.id == MessageId(id));
    let found = found.unwrap_or_else(|| panic!("no #{id} in {errors:#?}"));
    assert!(found.text.contains(text), "{}", found.text);
    assert!(found.id.name().is_some());
}

#[track_caller]
fn warning(mut stream: StreamBuilder, id: i32, text: &str) {
    let (result, messages) = stream.translate();
    result.unwrap_or_else(|error| panic!("{error}"));
    let found = messages.iter().find(|message| message.id == MessageId(id));
    let found = found.unwrap_or_else(|| panic!("no #{id} in {messages:#?}"));
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.text.contains(text), "{}", found.text);
}

#[track_caller]
fn fine(mut stream: StreamBuilder) {
    let (result, messages) = stream.translate();
    result.unwrap_or_else(|error| panic!("{error}\n{messages:#?}"));
}

#[test]
fn stages_that_make_up_no_pipeline() {
    let (vs, ps, cs) = (
        shader("forward_plain_vs"),
        shader("forward_plain_ps"),
        shader("raw_copy_cs"),
    );
    let ms = shader("mesh_lines_ms");
    error(new(), 1022, "there is no shader");
    error(
        new().cs(&cs).vs(&vs),
        1022,
        "VS+CS: a compute shader is alone",
    );
    // A pixel shader has no effect there.
    warning(
        new().cs(&cs).ps(&ps),
        0,
        "the pixel shader beside the compute shader is ignored",
    );
    error(
        new().cs(&cs).ps(&ps).shader(GS, &shader("layers_gs")),
        1022,
        "GS+PS+CS: a compute shader is alone",
    );
    error(
        new().ps(&ps),
        657,
        "PS: there is neither a vertex nor a mesh shader",
    );
    error(
        new().vs(&vs).shader(HS, &shader("tess_tri_hs")),
        667,
        "VS+HS",
    );
    error(
        new().vs(&vs).shader(DS, &shader("tess_tri_ds")),
        667,
        "VS+DS",
    );
    error(
        new().shader(AS, &shader("meshlet_as")),
        1249,
        "without a mesh shader",
    );
    error(
        new().vs(&vs).shader(MS, &ms),
        1248,
        "takes the place of vertex",
    );
    let unlike = new()
        .shader(AS, &shader("meshlet_as"))
        .shader(MS, &shader("spec_stages_ms"));
    error(unlike, 1276, "AS gives a payload of");
    let element = D3D12_INPUT_ELEMENT_DESC {
        Format: DXGI_FORMAT_R32_FLOAT,
        ..Default::default()
    };
    error(
        new().shader(MS, &ms).input_layout(&[("A", element)]),
        1248,
        "input layout",
    );
    let entry = D3D12_SO_DECLARATION_ENTRY::default();
    let streams = new()
        .shader(MS, &ms)
        .stream_output(&[(Some("A"), entry)], &[], 0);
    error(streams, 1248, "stream output");
}

#[test]
fn hull_and_domain_shaders_of_different_patches() {
    let stream = new()
        .vs(&shader("tess_tri_vs"))
        .shader(HS, &shader("tess_tri_hs"));
    let stream = stream.shader(DS, &shader("tess_quad_ds"));
    error(
        stream.clone(),
        669,
        "HS gives patches of 3 control points, DS takes 4",
    );
    error(stream, 670, "tessellator domain 2, DS for 3");
}

#[test]
fn topologies() {
    let vs = || new().vs(&shader("forward_plain_vs"));
    let hull = || {
        let stream = new()
            .vs(&shader("tess_tri_vs"))
            .shader(HS, &shader("tess_tri_hs"));
        stream.shader(DS, &shader("tess_tri_ds"))
    };
    let geometry = || {
        new()
            .vs(&shader("tess_tri_vs"))
            .shader(GS, &shader("layers_gs"))
    };
    error(
        vs().topology(9),
        673,
        "PrimitiveTopologyType 9 does not exist",
    );
    error(vs().topology(0), 673, "UNDEFINED");
    error(vs().topology(4), 668, "without a hull shader");
    error(hull().topology(3), 668, "with a hull shader");
    error(geometry().topology(2), 681, "GS takes primitives of type 3");
    fine(hull().topology(4));
    fine(geometry().topology(3));
    for topology in 1..=3 {
        fine(vs().topology(topology));
    }
    let mesh = || new().shader(MS, &shader("mesh_lines_ms"));
    warning(mesh().topology(3), 1323, "MS makes");
    fine(mesh().topology(0));
    fine(mesh().topology(2));
    // Points come out of the tessellator, the geometry shader takes triangles.
    let iso = new()
        .vs(&shader("spec_stages_vs"))
        .shader(HS, &shader("tess_iso_hs"));
    let iso = iso
        .shader(DS, &shader("tess_iso_ds"))
        .shader(GS, &shader("spec_stages_gs"));
    error(iso, 681, "GS takes 3");
}

fn with_root(change: impl FnOnce(&mut RootSignatureDesc)) -> StreamBuilder {
    let mut desc = covering();
    change(&mut desc);
    StreamBuilder::new().root_signature(&serialized(&desc))
}

#[test]
fn resources_that_are_not_bound() {
    let none = |desc: &mut RootSignatureDesc| desc.parameters.clear();
    let (vs, ps) = (shader("forward_tex_vs"), shader("forward_tex_ps"));
    for (stream, id, text) in [
        (
            with_root(none).cs(&shader("raw_copy_cs")),
            882,
            "CS binds b0 in space 0 (CBV)",
        ),
        (with_root(none).vs(&vs), 688, "VS binds"),
        (
            with_root(none)
                .vs(&shader("tess_tri_vs"))
                .shader(GS, &shader("layers_gs")),
            689,
            "GS binds",
        ),
        (
            with_root(none).shader(MS, &shader("meshlet_ms")),
            1245,
            "MS binds",
        ),
        (
            with_root(none)
                .shader(AS, &shader("meshlet_as"))
                .shader(MS, &shader("meshlet_ms")),
            1244,
            "AS binds",
        ),
        (
            with_root(none)
                .vs(&shader("tess_tri_vs"))
                .shader(HS, &shader("tess_tri_hs"))
                .shader(DS, &shader("tess_tri_ds")),
            686,
            "HS binds b0",
        ),
        (
            with_root(none)
                .vs(&shader("tess_tri_vs"))
                .shader(HS, &shader("tess_tri_hs"))
                .shader(DS, &shader("tess_tri_ds")),
            687,
            "DS binds",
        ),
        (with_root(none).vs(&vs).ps(&ps), 690, "PS binds s0"),
        (
            with_root(|desc| desc.flags.0 |= RootSignatureFlags::DENY_VERTEX_SHADER_ROOT_ACCESS.0)
                .vs(&vs),
            688,
            "denies it access",
        ),
        (
            with_root(|desc| {
                for parameter in &mut desc.parameters {
                    parameter.shader_visibility = ShaderVisibility::PIXEL;
                }
            })
            .vs(&vs),
            688,
            "VS binds b",
        ),
        (
            with_root(|desc| desc.flags = RootSignatureFlags::NONE).cs(&shader("heap_cs")),
            882,
            "lacks CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED",
        ),
        (
            with_root(|desc| {
                desc.flags = RootSignatureFlags::CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED;
            })
            .vs(&shader("fullscreen_vs"))
            .ps(&shader("bindless_heap_ps")),
            690,
            "lacks SAMPLER_HEAP_DIRECTLY_INDEXED",
        ),
    ] {
        error(stream, id, text);
    }
}

/// What a root descriptor, root constants and a static sampler can be bound to.
#[test]
fn root_arguments_without_tables() {
    use RootParameterKindDesc::{Cbv, Constants, Srv, Uav};
    let parameter = |kind| RootParameterDesc {
        shader_visibility: ShaderVisibility::ALL,
        kind,
    };
    let descriptor = || RootDescriptor {
        shader_register: 0,
        register_space: 0,
        flags: Some(RootDescriptorFlags::NONE),
    };
    let constants = RootConstants {
        shader_register: 0,
        register_space: 0,
        num_32bit_values: 4,
    };
    // b0, t0 and u0, all buffers of bytes.
    let raw = |parameters: Vec<RootParameterKindDesc>| {
        let parameters = parameters.into_iter().map(parameter).collect();
        with_root(|desc| desc.parameters = parameters).cs(&shader("raw_copy_cs"))
    };
    fine(raw(vec![
        Constants(constants),
        Srv(descriptor()),
        Uav(descriptor()),
    ]));
    fine(raw(vec![
        Cbv(descriptor()),
        Srv(descriptor()),
        Uav(descriptor()),
    ]));
    let elsewhere = RootDescriptor {
        register_space: 1,
        ..descriptor()
    };
    error(
        raw(vec![Cbv(descriptor()), Srv(elsewhere), Uav(descriptor())]),
        882,
        "t0",
    );
    error(raw(vec![Cbv(descriptor()), Uav(descriptor())]), 882, "t0");
    // A texture is more than an address.
    let textured = with_root(|desc| {
        desc.parameters.retain(|parameter| {
            let RootParameterKindDesc::DescriptorTable(ranges) = &parameter.kind else {
                return true;
            };
            ranges[0].range_type != DescriptorRangeType::SRV
        });
        desc.parameters.push(parameter(Srv(descriptor())));
    });
    let textured = textured
        .vs(&shader("forward_tex_vs"))
        .ps(&shader("forward_tex_ps"));
    error(textured, 690, "(SRV_TYPED)");
    // A static sampler in the place of a table.
    let statically = with_root(|desc| {
        desc.parameters.truncate(12);
        desc.static_samplers.push(StaticSampler {
            filter: 0,
            address_u: 1,
            address_v: 1,
            address_w: 1,
            mip_lod_bias: 0.0,
            max_anisotropy: 1,
            comparison_func: 1,
            border_color: 0,
            min_lod: 0.0,
            max_lod: 1.0,
            shader_register: 0,
            register_space: 0,
            shader_visibility: ShaderVisibility::PIXEL,
            flags: None,
        });
    });
    fine(
        statically
            .vs(&shader("forward_tex_vs"))
            .ps(&shader("forward_tex_ps")),
    );
}

#[test]
fn input_layouts() {
    let element = |format, offset| D3D12_INPUT_ELEMENT_DESC {
        Format: format,
        AlignedByteOffset: offset,
        ..Default::default()
    };
    let float = element(DXGI_FORMAT_R32_FLOAT, D3D12_APPEND_ALIGNED_ELEMENT);
    // POSITION, NORMAL, TEXCOORD0.
    let base = [
        ("POSITION", element(DXGI_FORMAT_R32G32B32_FLOAT, 0)),
        ("NORMAL", element(DXGI_FORMAT_R32G32B32_FLOAT, 12)),
        ("TEXCOORD", element(DXGI_FORMAT_R32G32_FLOAT, 24)),
    ];
    let vs = || new().vs(&shader("tess_tri_vs"));
    let plus = |name, element| vs().input_layout(&[&base[..], &[(name, element)]].concat());
    fine(vs().input_layout(&base));
    fine(plus("X", float));
    let instanced = |rate| D3D12_INPUT_ELEMENT_DESC {
        InputSlotClass: D3D12_INPUT_CLASSIFICATION_PER_INSTANCE_DATA,
        InstanceDataStepRate: rate,
        InputSlot: 1,
        ..float
    };
    fine(plus("X", instanced(2)));
    let names: Vec<_> = (0..33).map(|n| format!("X{}", "A".repeat(n))).collect();
    let many: Vec<_> = names.iter().map(|name| (&name[..], float)).collect();
    error(vs().input_layout(&many), 53, "33 elements");
    error(
        plus("X", element(DXGI_FORMAT_BC1_UNORM, 0)),
        54,
        "no format of a vertex buffer",
    );
    error(plus("X", element(12345, 0)), 54, "DXGI_FORMAT 12345");
    error(
        plus(
            "X",
            D3D12_INPUT_ELEMENT_DESC {
                InputSlot: 32,
                ..float
            },
        ),
        56,
        "InputSlot 32",
    );
    error(
        plus(
            "X",
            D3D12_INPUT_ELEMENT_DESC {
                InputSlotClass: 2,
                ..float
            },
        ),
        57,
        "InputSlotClass 2",
    );
    error(
        plus(
            "X",
            D3D12_INPUT_ELEMENT_DESC {
                InstanceDataStepRate: 1,
                ..float
            },
        ),
        58,
        "each vertex",
    );
    let class = D3D12_INPUT_ELEMENT_DESC {
        InputSlot: 0,
        ..instanced(0)
    };
    error(plus("X", class), 59, "InputSlotClass changes within slot 0");
    let rates = [&base[..], &[("X", instanced(1)), ("Y", instanced(2))]].concat();
    error(
        vs().input_layout(&rates),
        60,
        "InstanceDataStepRate changes within slot 1",
    );
    error(
        plus("X", element(DXGI_FORMAT_R32_FLOAT, 2)),
        61,
        "multiple of 4",
    );
    error(plus("X", element(DXGI_FORMAT_R32_FLOAT, 2048)), 61, "2048");
    error(
        plus("X", element(DXGI_FORMAT_R32_FLOAT, u32::MAX - 3)),
        61,
        "2048",
    );
    fine(plus("X", element(DXGI_FORMAT_R16_FLOAT, 2)));
    error(plus("position", float), 62, "element 0");
    error(plus("", float), 64, "empty");
    error(plus("X1", float), 239, "digit");
    error(vs().input_layout(&base[..2]), 65, "VS takes TEXCOORD0");
    error(vs().input_layout(&[]), 65, "VS takes POSITION0");
    let typed = [
        base[0],
        base[1],
        ("TEXCOORD", element(DXGI_FORMAT_R32G32_UINT, 24)),
    ];
    warning(vs().input_layout(&typed), 245, "another type");
    let denied = with_root(|desc| desc.flags = RootSignatureFlags::NONE);
    let denied = denied.vs(&shader("tess_tri_vs")).input_layout(&base);
    error(denied, 683, "ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT");
    warning(vs(), 658, "VS takes POSITION0");
}

#[test]
fn stream_outputs() {
    type Entry = (Option<&'static str>, D3D12_SO_DECLARATION_ENTRY);
    const POSITION: Option<&str> = Some("SV_Position");
    let entry = |start, count| D3D12_SO_DECLARATION_ENTRY {
        StartComponent: start,
        ComponentCount: count,
        ..Default::default()
    };
    let with = |entries: &[Entry], strides: &[u32], stream| {
        new()
            .vs(&shader("forward_plain_vs"))
            .stream_output(entries, strides, stream)
    };
    let one = |name, entry| {
        with(
            &[
                (name, entry),
                (
                    POSITION,
                    D3D12_SO_DECLARATION_ENTRY {
                        ComponentCount: 1,
                        StartComponent: 3,
                        ..Default::default()
                    },
                ),
            ],
            &[64],
            0,
        )
    };
    fine(one(POSITION, entry(0, 3)));
    fine(one(None, entry(0, 9)));
    let of = |change: fn(&mut D3D12_SO_DECLARATION_ENTRY)| {
        let mut entry = entry(0, 1);
        change(&mut entry);
        entry
    };
    error(one(POSITION, of(|e| e.Stream = 4)), 284, "Stream 4");
    error(one(POSITION, of(|e| e.OutputSlot = 4)), 80, "OutputSlot 4");
    error(
        one(POSITION, of(|e| e.OutputSlot = 1)),
        80,
        "OutputSlot 1 has no buffer",
    );
    error(one(None, of(|e| e.StartComponent = 1)), 84, "a gap has");
    error(one(None, of(|e| e.SemanticIndex = 1)), 84, "a gap has");
    error(one(None, of(|e| e.ComponentCount = 0)), 84, "a gap has");
    error(one(Some("A1"), entry(0, 1)), 240, "digit");
    error(one(POSITION, entry(0, 0)), 82, "0 components");
    error(one(POSITION, entry(0, 5)), 82, "5 components");
    error(one(POSITION, entry(3, 2)), 83, "more than a register has");
    error(
        one(Some("NOWHERE"), entry(0, 1)),
        87,
        "no shader puts out NOWHERE0",
    );
    error(
        one(Some("NORMAL"), entry(0, 4)),
        88,
        "NORMAL0 has 3 components",
    );
    error(
        one(POSITION, entry(3, 1)),
        85,
        "component 3 of SV_Position0",
    );
    error(with(&[(None, entry(0, 4))], &[16], 0), 89, "gaps only");
    error(
        with(&[(POSITION, entry(0, 4))], &[16; 5], 0),
        287,
        "5 strides",
    );
    error(with(&[(POSITION, entry(0, 4))], &[18], 0), 86, "18 bytes");
    error(
        with(&[(POSITION, entry(0, 4))], &[2052], 0),
        86,
        "2052 bytes",
    );
    error(with(&[], &[16], 0), 286, "no entries");
    error(
        with(&[(POSITION, entry(0, 4))], &[16], 4),
        280,
        "RasterizedStream 4",
    );
    fine(with(
        &[(POSITION, entry(0, 4))],
        &[16],
        D3D12_SO_NO_RASTERIZED_STREAM,
    ));
    let denied = with_root(|desc| desc.flags = RootSignatureFlags::NONE);
    let denied = denied.vs(&shader("forward_plain_vs"));
    error(
        denied.stream_output(&[(POSITION, entry(0, 4))], &[16], 0),
        683,
        "ALLOW_STREAM_OUTPUT",
    );
}

#[test]
fn blend_states() {
    let target = D3D12_RENDER_TARGET_BLEND_DESC {
        BlendEnable: true.into(),
        SrcBlend: D3D12_BLEND_ONE,
        DestBlend: D3D12_BLEND_ONE,
        BlendOp: D3D12_BLEND_OP_ADD,
        SrcBlendAlpha: D3D12_BLEND_ONE,
        DestBlendAlpha: D3D12_BLEND_ONE,
        BlendOpAlpha: D3D12_BLEND_OP_ADD,
        LogicOp: D3D12_LOGIC_OP_NOOP,
        RenderTargetWriteMask: 0xF,
        ..Default::default()
    };
    let of = |change: fn(&mut D3D12_BLEND_DESC)| {
        let mut blend = D3D12_BLEND_DESC {
            RenderTarget: [target; 8],
            ..Default::default()
        };
        change(&mut blend);
        plain().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, blend)
    };
    fine(of(|_| {}));
    error(
        of(|b| b.RenderTarget[0].SrcBlend = 12),
        111,
        "RenderTarget[0].SrcBlend 12",
    );
    error(of(|b| b.RenderTarget[0].DestBlend = 0), 112, "DestBlend 0");
    error(of(|b| b.RenderTarget[0].BlendOp = 6), 113, "BlendOp 6");
    error(
        of(|b| b.RenderTarget[0].SrcBlendAlpha = -1),
        114,
        "SrcBlendAlpha -1",
    );
    error(
        of(|b| b.RenderTarget[0].DestBlendAlpha = 99),
        115,
        "DestBlendAlpha 99",
    );
    error(
        of(|b| b.RenderTarget[0].BlendOpAlpha = 0),
        116,
        "BlendOpAlpha 0",
    );
    error(
        of(|b| b.RenderTarget[0].SrcBlendAlpha = D3D12_BLEND_SRC_COLOR),
        114,
        "no colour",
    );
    error(
        of(|b| b.RenderTarget[0].DestBlendAlpha = D3D12_BLEND_INV_SRC1_COLOR),
        115,
        "no colour",
    );
    error(
        of(|b| b.RenderTarget[0].RenderTargetWriteMask = 0x10),
        117,
        "0x10",
    );
    error(
        of(|b| b.RenderTarget[0].LogicOpEnable = true.into()),
        403,
        "BlendEnable",
    );
    let logic = |b: &mut D3D12_BLEND_DESC, op| {
        b.RenderTarget[0].BlendEnable = false.into();
        b.RenderTarget[0].LogicOpEnable = true.into();
        b.RenderTarget[0].LogicOp = op;
    };
    fine(of(|b| {
        b.RenderTarget[0].BlendEnable = false.into();
        b.RenderTarget[0].SrcBlend = 99;
    }));
    let mut blend = D3D12_BLEND_DESC {
        RenderTarget: [target; 8],
        ..Default::default()
    };
    logic(&mut blend, 16);
    error(
        plain().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, blend),
        403,
        "LogicOp 16",
    );
    logic(&mut blend, 6);
    fine(plain().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, blend));
    blend.IndependentBlendEnable = true.into();
    error(
        plain().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, blend),
        403,
        "IndependentBlendEnable",
    );
    // Only the first target counts, unless all of them do.
    fine(of(|b| b.RenderTarget[5].SrcBlend = 0));
    error(
        of(|b| {
            b.IndependentBlendEnable = true.into();
            b.RenderTarget[5].SrcBlend = 0;
        }),
        111,
        "RenderTarget[5]",
    );
}

/// As `test_dual_source_blending` and `test_integer_blending_pipeline_state` of vkd3d-proton record it.
#[test]
fn blending_of_outputs() {
    const NONE: DXGI_FORMAT = DXGI_FORMAT_UNKNOWN;
    const COLOR: DXGI_FORMAT = DXGI_FORMAT_R8G8B8A8_UNORM;
    let blended = |source, destination| D3D12_RENDER_TARGET_BLEND_DESC {
        BlendEnable: true.into(),
        SrcBlend: source,
        DestBlend: destination,
        BlendOp: D3D12_BLEND_OP_ADD,
        SrcBlendAlpha: D3D12_BLEND_ONE,
        DestBlendAlpha: D3D12_BLEND_ZERO,
        BlendOpAlpha: D3D12_BLEND_OP_ADD,
        RenderTargetWriteMask: 0xF,
        ..Default::default()
    };
    let dual = blended(D3D12_BLEND_SRC_COLOR, D3D12_BLEND_SRC1_COLOR);
    let single = blended(D3D12_BLEND_SRC_COLOR, D3D12_BLEND_SRC_COLOR);
    let off = D3D12_RENDER_TARGET_BLEND_DESC::default();
    let check = |ps: &str,
                 formats: &[DXGI_FORMAT],
                 blend: [D3D12_RENDER_TARGET_BLEND_DESC; 2],
                 independent: bool,
                 id| {
        let mut desc = D3D12_BLEND_DESC {
            IndependentBlendEnable: independent.into(),
            ..Default::default()
        };
        desc.RenderTarget[..2].copy_from_slice(&blend);
        let stream = new()
            .vs(&shader("forward_plain_vs"))
            .ps(&compiled(&format!("targets_{ps}_ps")))
            .targets(formats)
            .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, desc);
        match id {
            0 => fine(stream),
            676 => error(stream, id, "integers are not blended"),
            _ => error(stream, id, "second source"),
        }
    };
    let two = "2";
    check(two, &[COLOR], [dual, off], false, 0);
    check(two, &[COLOR; 2], [dual, off], false, 675);
    check(two, &[COLOR; 2], [dual, off], true, 675);
    check(two, &[COLOR, NONE], [dual, off], false, 0);
    check(two, &[COLOR, NONE, NONE], [dual, off], false, 0);
    check(two, &[COLOR, NONE, COLOR], [dual, off], false, 0);
    check("3", &[COLOR, NONE, COLOR], [dual, off], false, 675);
    check("3", &[COLOR], [dual, off], false, 0);
    check(two, &[COLOR], [dual, off], true, 0);
    check(two, &[COLOR], [dual, dual], true, 675);
    check(two, &[COLOR], [dual, single], true, 675);
    check(two, &[COLOR], [off, single], true, 0);
    check("0", &[DXGI_FORMAT_R32_UINT], [single, off], false, 0);
    check("uint", &[DXGI_FORMAT_R32_UINT], [off, off], false, 0);
    check("uint", &[DXGI_FORMAT_R32_UINT], [single, off], false, 676);
    check("uint", &[DXGI_FORMAT_R32_UINT], [off, single], true, 0);
}

#[test]
fn rasterizer_states() {
    let of = |change: fn(&mut D3D12_RASTERIZER_DESC2)| {
        let mut desc = D3D12_RASTERIZER_DESC2 {
            FillMode: D3D12_FILL_MODE_SOLID,
            CullMode: D3D12_CULL_MODE_NONE,
            ..Default::default()
        };
        change(&mut desc);
        plain().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2, desc)
    };
    fine(of(|_| {}));
    error(of(|d| d.FillMode = 0), 95, "FillMode 0");
    error(of(|d| d.CullMode = 4), 96, "CullMode 4");
    error(of(|d| d.DepthBiasClamp = f32::NAN), 97, "DepthBiasClamp");
    error(
        of(|d| d.SlopeScaledDepthBias = f32::NAN),
        98,
        "SlopeScaledDepthBias",
    );
    error(of(|d| d.ForcedSampleCount = 3), 401, "ForcedSampleCount 3");
    error(
        of(|d| d.ConservativeRaster = 2),
        647,
        "ConservativeRaster 2",
    );
    error(
        of(|d| d.LineRasterizationMode = 4),
        1379,
        "LineRasterizationMode 4",
    );
}

#[test]
fn depth_stencil_states() {
    let keep = D3D12_DEPTH_STENCILOP_DESC1 {
        StencilFailOp: 1,
        StencilDepthFailOp: 1,
        StencilPassOp: 1,
        StencilFunc: 8,
        ..Default::default()
    };
    let of = |change: fn(&mut D3D12_DEPTH_STENCIL_DESC2)| {
        let mut desc = D3D12_DEPTH_STENCIL_DESC2 {
            DepthEnable: true.into(),
            DepthWriteMask: D3D12_DEPTH_WRITE_MASK_ALL,
            DepthFunc: D3D12_COMPARISON_FUNC_LESS,
            StencilEnable: true.into(),
            FrontFace: keep,
            BackFace: keep,
            ..Default::default()
        };
        change(&mut desc);
        let format = DXGI_FORMAT_D24_UNORM_S8_UINT;
        plain()
            .depth_format(format)
            .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2, desc)
    };
    fine(of(|_| {}));
    error(of(|d| d.DepthWriteMask = 2), 100, "DepthWriteMask 2");
    error(of(|d| d.DepthFunc = 0), 101, "DepthFunc 0");
    error(
        of(|d| d.FrontFace.StencilFailOp = 0),
        102,
        "FrontFace.StencilFailOp 0",
    );
    error(
        of(|d| d.FrontFace.StencilDepthFailOp = 9),
        103,
        "FrontFace.StencilDepthFailOp 9",
    );
    error(
        of(|d| d.FrontFace.StencilPassOp = 9),
        104,
        "FrontFace.StencilPassOp 9",
    );
    error(
        of(|d| d.FrontFace.StencilFunc = 9),
        105,
        "FrontFace.StencilFunc 9",
    );
    error(
        of(|d| d.BackFace.StencilFailOp = 9),
        106,
        "BackFace.StencilFailOp 9",
    );
    error(
        of(|d| d.BackFace.StencilDepthFailOp = 9),
        107,
        "BackFace.StencilDepthFailOp 9",
    );
    error(
        of(|d| d.BackFace.StencilPassOp = 9),
        108,
        "BackFace.StencilPassOp 9",
    );
    error(
        of(|d| d.BackFace.StencilFunc = 0),
        109,
        "BackFace.StencilFunc 0",
    );
    // What is switched off is not judged.
    fine(of(|d| {
        d.StencilEnable = false.into();
        d.BackFace.StencilFunc = 0;
    }));
    fine(of(|d| {
        d.DepthEnable = false.into();
        d.DepthFunc = 0;
    }));
    let enabled = D3D12_DEPTH_STENCIL_DESC {
        DepthEnable: true.into(),
        DepthFunc: D3D12_COMPARISON_FUNC_LESS,
        ..Default::default()
    };
    let nowhere = plain().depth_format(DXGI_FORMAT_UNKNOWN);
    let nowhere = nowhere.record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL, enabled);
    warning(nowhere, 680, "depth-stencil format is UNKNOWN");
}

#[test]
fn outputs() {
    let targets = |count, formats: &[DXGI_FORMAT]| {
        let mut array = D3D12_RT_FORMAT_ARRAY {
            NumRenderTargets: count,
            ..Default::default()
        };
        array.RTFormats[..formats.len()].copy_from_slice(formats);
        plain().record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
            array,
        )
    };
    let color = DXGI_FORMAT_R8G8B8A8_UNORM;
    fine(targets(1, &[color]));
    fine(targets(8, &[color; 8]));
    error(targets(9, &[color; 8]), 656, "NumRenderTargets 9");
    error(targets(u32::MAX, &[]), 656, "NumRenderTargets 4294967295");
    error(targets(1, &[color, color]), 655, "RTFormats[1]");
    error(
        targets(1, &[DXGI_FORMAT_R8G8B8A8_UINT]),
        677,
        "PS puts out SV_Target0 as FLOAT32",
    );
    error(targets(1, &[DXGI_FORMAT_R32_SINT]), 677, "SV_Target0");
    warning(targets(0, &[]), 679, "no render target 0");
    warning(
        targets(2, &[DXGI_FORMAT_UNKNOWN, color]),
        679,
        "no render target 0",
    );
    let samples = |count, quality| {
        let desc = DXGI_SAMPLE_DESC {
            Count: count,
            Quality: quality,
        };
        plain().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, desc)
    };
    fine(samples(4, 1));
    error(samples(0, 0), 685, "Count 0");
    error(samples(33, 0), 685, "Count 33");
    error(samples(1, 1), 685, "Quality 1");
    let mask = plain().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, 0_u32);
    warning(mask, 1352, "SampleMask is 0");
    let cut = plain().record(
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
        3_i32,
    );
    error(cut, 684, "IBStripCutValue 3");
    let location = D3D12_VIEW_INSTANCE_LOCATION::default();
    let views = D3D12_VIEW_INSTANCING_DESC {
        ViewInstanceCount: 1,
        pViewInstanceLocations: &raw const location,
        Flags: 2,
    };
    let views = plain().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING, views);
    error(views, 1096, "flags 0x2");
    let nowhere = new().vs(&shader("tess_tri_vs"));
    fine(nowhere.clone());
    error(
        nowhere.depth_format(DXGI_FORMAT_D32_FLOAT),
        682,
        "VS is rasterized",
    );
}

/// All faults are reported, not the first alone.
#[test]
fn all_of_them() {
    let errors = plain()
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER,
            D3D12_RASTERIZER_DESC::default(),
        )
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
            3_i32,
        )
        .errors();
    let ids: Vec<_> = errors.iter().map(|error| error.id.0).collect();
    assert_eq!(ids, [95, 96, 684]);
}
