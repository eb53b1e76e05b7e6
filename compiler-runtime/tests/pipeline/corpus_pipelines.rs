//! Every combination of stages that the corpus has shaders for, compiled by the sample plugin.

use std::collections::BTreeSet;

use api_sys::*;
use compiler_runtime::message::Severity;
use runtime_test_support::corpus::{self, covering, serialized};
use runtime_test_support::stream::StreamBuilder;

use crate::plugins;

const STAGES: [(&str, i32); 8] = [
    ("as", D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS),
    ("ms", D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS),
    ("vs", D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS),
    ("hs", D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS),
    ("ds", D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS),
    ("gs", D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS),
    ("ps", D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS),
    ("cs", D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS),
];

/// Shaders that are linked by their sources in the corpus. The last word of a name, but for a
/// compiler's name, is the stage.
const PIPELINES: [&[&str]; 29] = [
    &["forward_plain_vs"],
    &["forward_plain_vs", "forward_plain_ps"],
    &["forward_lit_vs", "forward_lit_ps"],
    &["forward_lit_vs_old", "forward_lit_ps_old"],
    &["forward_tex_vs", "forward_tex_ps"],
    &["forward_lit_tex_vs", "forward_lit_tex_ps"],
    &["forward_lit_tex_vs", "dbg_zi_embed_ps"],
    &["forward_full_vs", "forward_full_ps"],
    &["fullscreen_vs", "fullscreen_ps"],
    &["fullscreen_vs", "fullscreen_ps_rs10"],
    &["fullscreen_vs", "fullscreen_ps_norts"],
    &["skinned_vs"],
    &["multiview_vs"],
    &["rate_vs", "rate_ps"],
    &["sm68_vs", "sm68_ps"],
    &["tess_tri_vs", "layers_gs"],
    &["tess_tri_vs", "tess_tri_hs", "tess_tri_ds"],
    &["tess_tri_vs", "tess_tri_hs_old", "tess_tri_ds"],
    &["spec_vertex_vs"],
    &["spec_stages_vs", "spec_stages_ps"],
    &[
        "spec_stages_vs",
        "spec_stages_hs",
        "spec_stages_ds",
        "spec_stages_gs",
    ],
    &[
        "spec_stages_vs",
        "spec_stages_hs",
        "spec_stages_ds",
        "spec_stages_ps",
    ],
    &["spec_stages_as", "spec_stages_ms"],
    &["mesh_lines_ms"],
    &["meshlet_as", "meshlet_ms"],
    &["meshlet_as", "meshlet_ms", "meshlet_ps"],
    &["meshlet_as", "meshlet_ms_old", "meshlet_ps"],
    &["meshlet_prim_as", "meshlet_prim_ms"],
    &["meshlet_prim_as", "meshlet_prim_ms", "meshlet_prim_ps"],
];

fn stage_of(name: &str) -> i32 {
    let mut words = name.split('_').rev();
    let stage = words.find_map(|word| STAGES.iter().find(|(stage, _)| *stage == word));
    stage.unwrap_or_else(|| panic!("no stage in {name}")).1
}

fn stream(names: &[&str]) -> StreamBuilder {
    let names = names.iter();
    names.fold(StreamBuilder::new(), |stream, name| {
        stream.shader(stage_of(name), &corpus::shader(name))
    })
}

/// Translates and compiles; gives the keys.
fn compile(what: &str, mut stream: StreamBuilder) -> Vec<Vec<u8>> {
    let (state, messages) = stream.translate();
    let state = state.unwrap_or_else(|error| panic!("{what}: {error}\n{messages:#?}"));
    plugins::record(&state);
    let keys = plugins::compile(&state).unwrap_or_else(|error| panic!("{what}: {error}"));
    let different: BTreeSet<_> = keys.iter().collect();
    assert_eq!(different.len(), keys.len(), "{what}");
    keys
}

#[test]
fn graphics_pipelines_compile_with_nothing_but_shaders_and_a_root_signature() {
    let root_signature = serialized(&covering());
    for names in PIPELINES {
        let keys = compile(
            &names.join("+"),
            stream(names).root_signature(&root_signature),
        );
        // One for each shader, for the root signature and for the link; constants that are literals of
        // their own have further ones.
        let least = names.len() + 2;
        assert!(keys.len() >= least, "{names:?}: {}", keys.len());
        let has_literals = names.iter().any(|name| name.starts_with("spec_"));
        assert!(
            has_literals || keys.len() == least,
            "{names:?}: {}",
            keys.len()
        );
    }
}

#[test]
fn graphics_pipelines_compile_with_their_state() {
    let root_signature = serialized(&covering());
    for names in PIPELINES {
        let mut stream = stream(names).root_signature(&root_signature);
        let vertex = names
            .iter()
            .find(|name| stage_of(name) == D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS);
        if let Some(vertex) = vertex {
            stream = stream.fed(&corpus::shader(vertex));
        }
        let stream = stream.depth_format(DXGI_FORMAT_D32_FLOAT);
        compile(&names.join("+"), stream);
    }
}

#[test]
fn compute_pipelines_compile() {
    let root_signature = serialized(&covering());
    let names = corpus::names("compute", &["valid", "bypass"]);
    assert!(names.len() >= 40, "{names:?}");
    // Of shader model 6.9, which the plugin has not.
    for name in names.iter().filter(|name| *name != "long_vectors_cs") {
        let stream = StreamBuilder::new()
            .cs(&corpus::shader(name))
            .root_signature(&root_signature);
        assert!(compile(name, stream).len() >= 3, "{name}");
    }
}

/// The two orders and forms in which engines write compute streams.
#[test]
fn the_order_of_records_says_nothing() {
    let (shader, root) = (corpus::shader("raw_copy_cs"), serialized(&covering()));
    let one = compile(
        "shader first",
        StreamBuilder::new().cs(&shader).root_signature(&root),
    );
    let other = compile(
        "root signature first",
        StreamBuilder::new().root_signature(&root).cs(&shader),
    );
    assert_eq!(one, other);
}

#[test]
fn what_is_left_out_is_what_the_defaults_say() {
    let target = D3D12_RENDER_TARGET_BLEND_DESC {
        SrcBlend: D3D12_BLEND_ONE,
        DestBlend: D3D12_BLEND_ZERO,
        BlendOp: D3D12_BLEND_OP_ADD,
        SrcBlendAlpha: D3D12_BLEND_ONE,
        DestBlendAlpha: D3D12_BLEND_ZERO,
        BlendOpAlpha: D3D12_BLEND_OP_ADD,
        LogicOp: D3D12_LOGIC_OP_NOOP,
        RenderTargetWriteMask: 0xF,
        ..Default::default()
    };
    let blend = D3D12_BLEND_DESC {
        RenderTarget: [target; 8],
        ..Default::default()
    };
    let rasterizer = D3D12_RASTERIZER_DESC {
        FillMode: D3D12_FILL_MODE_SOLID,
        CullMode: D3D12_CULL_MODE_BACK,
        DepthClipEnable: true.into(),
        ..Default::default()
    };
    let keep = D3D12_DEPTH_STENCILOP_DESC {
        StencilFailOp: D3D12_STENCIL_OP_KEEP,
        StencilDepthFailOp: D3D12_STENCIL_OP_KEEP,
        StencilPassOp: D3D12_STENCIL_OP_KEEP,
        StencilFunc: D3D12_COMPARISON_FUNC_ALWAYS,
    };
    let depth_stencil = D3D12_DEPTH_STENCIL_DESC {
        DepthEnable: true.into(),
        DepthWriteMask: D3D12_DEPTH_WRITE_MASK_ALL,
        DepthFunc: D3D12_COMPARISON_FUNC_LESS,
        StencilReadMask: 0xFF,
        StencilWriteMask: 0xFF,
        FrontFace: keep,
        BackFace: keep,
        ..Default::default()
    };
    let names = ["forward_plain_vs", "forward_plain_ps"];
    let root_signature = serialized(&covering());
    let base = stream(&names)
        .root_signature(&root_signature)
        .fed(&corpus::shader(names[0]))
        .targets(&[DXGI_FORMAT_R8G8B8A8_UNORM])
        .depth_format(DXGI_FORMAT_D32_FLOAT);
    let spelt_out = base
        .clone()
        .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, blend)
        .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, u32::MAX)
        .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER, rasterizer)
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
            depth_stencil,
        )
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
            0_i32,
        )
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
            DXGI_SAMPLE_DESC {
                Count: 1,
                Quality: 0,
            },
        )
        .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK, 0_u32)
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS,
            D3D12_PIPELINE_STATE_FLAG_NONE,
        )
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CACHED_PSO,
            D3D12_CACHED_PIPELINE_STATE::default(),
        )
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING,
            D3D12_VIEW_INSTANCING_DESC::default(),
        )
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
            D3D12_STREAM_OUTPUT_DESC::default(),
        )
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS,
            D3D12_SHADER_BYTECODE::default(),
        )
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE,
            std::ptr::null::<()>(),
        )
        .topology(D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE);
    assert_eq!(compile("left out", base), compile("spelt out", spelt_out));
}

/// Nothing of an ordinary pipeline is remarked on.
#[test]
fn a_complete_pipeline_has_no_messages() {
    let names = ["forward_plain_vs", "forward_plain_ps"];
    let mut stream = stream(&names)
        .root_signature(&serialized(&covering()))
        .fed(&corpus::shader(names[0]))
        .targets(&[DXGI_FORMAT_R8G8B8A8_UNORM])
        .depth_format(DXGI_FORMAT_D32_FLOAT)
        .topology(D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE);
    let (state, messages) = stream.translate();
    state.unwrap();
    assert_eq!(messages, []);
}

/// A stream of shaders only, as some engines record them: compiled, with a warning.
#[test]
fn a_missing_input_layout_is_a_warning() {
    let mut stream = stream(&["forward_plain_vs"]).root_signature(&serialized(&covering()));
    let (state, messages) = stream.translate();
    state.unwrap();
    let [message] = &messages[..] else {
        panic!("{messages:#?}")
    };
    assert_eq!((message.severity, message.id.0), (Severity::Warning, 658));
}

/// A description is used on the thread that compiles, which need not be the one that made it.
#[test]
fn the_same_stream_on_two_threads() {
    let run = || {
        let stream = stream(&["forward_lit_vs", "forward_lit_ps"]);
        compile("thread", stream.root_signature(&serialized(&covering())))
    };
    let other = std::thread::spawn(run).join().unwrap();
    assert_eq!(run(), other);
}
