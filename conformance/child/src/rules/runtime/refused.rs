//! R-CMP-16: descriptions that no pipeline can have. `docs/runtime-validation.md` has what a runtime checks.

#[allow(
    clippy::wildcard_imports,
    reason = "most of it is the API's structures and their values"
)]
use api_sys::*;
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, ensure};
use ddi_sys::S_OK;

use crate::inputs::shaders;
use crate::runtime::{Pipeline, Record, Runtime, Stream, covering};

fn rooted() -> Stream {
    Stream::default().root_signature(&covering())
}

/// A pipeline that every runtime takes.
fn vertex() -> Stream {
    rooted().shader(
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS,
        &shaders::forward_plain_vs,
    )
}

/// Each is a pipeline that a runtime takes, and a record that spoils it, or that lacks something.
fn table() -> Vec<(&'static str, Stream)> {
    let pixel = |stream: Stream| {
        stream.shader(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
            &shaders::forward_plain_ps,
        )
    };
    let compute = |stream: Stream| {
        stream.shader(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS,
            &shaders::raw_copy_cs,
        )
    };
    let cut_short = D3D12_SHADER_BYTECODE {
        pShaderBytecode: shaders::forward_plain_ps.bytes().as_ptr().cast(),
        BytecodeLength: shaders::forward_plain_ps.bytes().len() / 2,
    };
    let mut blend = D3D12_BLEND_DESC::default();
    blend.RenderTarget[0] = D3D12_RENDER_TARGET_BLEND_DESC {
        BlendEnable: true.into(),
        SrcBlend: 99,
        DestBlend: D3D12_BLEND_ZERO,
        BlendOp: D3D12_BLEND_OP_ADD,
        SrcBlendAlpha: D3D12_BLEND_ONE,
        DestBlendAlpha: D3D12_BLEND_ZERO,
        BlendOpAlpha: D3D12_BLEND_OP_ADD,
        ..D3D12_RENDER_TARGET_BLEND_DESC::default()
    };
    let rasterizer = D3D12_RASTERIZER_DESC {
        FillMode: 99,
        CullMode: D3D12_CULL_MODE_NONE,
        ..D3D12_RASTERIZER_DESC::default()
    };
    let depth = D3D12_DEPTH_STENCIL_DESC {
        DepthEnable: true.into(),
        DepthFunc: 99,
        ..D3D12_DEPTH_STENCIL_DESC::default()
    };
    let targets = D3D12_RT_FORMAT_ARRAY {
        NumRenderTargets: 9,
        ..D3D12_RT_FORMAT_ARRAY::default()
    };
    let samples = DXGI_SAMPLE_DESC {
        Count: 64,
        Quality: 0,
    };
    let position = D3D12_INPUT_ELEMENT_DESC {
        Format: DXGI_FORMAT_R32G32B32_FLOAT,
        ..D3D12_INPUT_ELEMENT_DESC::default()
    };
    let topology = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY;
    vec![
        ("without a shader", rooted()),
        (
            "with a record of a type that does not exist",
            vertex().record(0x7FFF, 0_u32),
        ),
        ("with two pixel shaders", pixel(pixel(vertex()))),
        (
            "with two versions of the rasterizer state",
            vertex()
                .record(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER,
                    D3D12_RASTERIZER_DESC {
                        FillMode: D3D12_FILL_MODE_SOLID,
                        ..rasterizer
                    },
                )
                .record(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER1,
                    D3D12_RASTERIZER_DESC1 {
                        FillMode: D3D12_FILL_MODE_SOLID,
                        CullMode: D3D12_CULL_MODE_NONE,
                        ..D3D12_RASTERIZER_DESC1::default()
                    },
                ),
        ),
        ("with a compute and a vertex shader", compute(vertex())),
        ("with a pixel shader alone", pixel(rooted())),
        (
            "with a hull shader and no domain shader",
            rooted()
                .shader(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS,
                    &shaders::tess_tri_vs,
                )
                .shader(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS,
                    &shaders::tess_tri_hs,
                ),
        ),
        (
            "with a vertex shader's program as the pixel shader",
            vertex().shader(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
                &shaders::forward_plain_vs,
            ),
        ),
        (
            "with a pixel shader that is cut short",
            vertex().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS, cut_short),
        ),
        (
            "without an element for an input of the vertex shader",
            vertex().input_layout(&[("POSITION", position)]),
        ),
        ("of the topology 9", vertex().record(topology, 9_i32)),
        (
            "of patches and no hull shader",
            vertex().record(topology, D3D12_PRIMITIVE_TOPOLOGY_TYPE_PATCH),
        ),
        (
            "with the blend factor 99",
            vertex().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, blend),
        ),
        (
            "with the fill mode 99",
            vertex().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER, rasterizer),
        ),
        (
            "with the depth function 99",
            vertex().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL, depth),
        ),
        (
            "with the strip cut value 9",
            vertex().record(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
                9_i32,
            ),
        ),
        (
            "with 9 render targets",
            vertex().record(
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
                targets,
            ),
        ),
        (
            "with 64 samples",
            vertex().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, samples),
        ),
        (
            "with a stream output of 5 components",
            vertex().stream_output(5, 32),
        ),
        (
            "with a stream output of a stride of 30",
            vertex().stream_output(4, 30),
        ),
    ]
}

pub(super) fn r_cmp_16_refuses_what_no_pipeline_has(runtime: &Runtime) -> Outcome {
    let (_, _, compiler) = runtime.compiler()?;
    // Only the checking plugin tells whether it was called.
    let calls = || -> Option<usize> {
        let record = Record::read().ok()?;
        Some(record.calls("pfnCompilePipelineState").count())
    };
    if calls().is_none() {
        runtime.note("without a look at whether the plugin was called, which it does not record");
    }
    if compiler.compile_pipeline(b"valid", 1, &Pipeline::Stream(vertex())) != S_OK {
        return Err(Stop::needs(rules::R_CMP_04));
    }
    for (what, stream) in table() {
        let before = calls();
        let pipeline = Pipeline::Stream(stream);
        let returned = compiler.compile_pipeline(what.as_bytes(), 1, &pipeline);
        ensure!(
            !returned.is_ok(),
            call: "CompilePipelineState(a pipeline {what})",
            expected: "a failure, best E_INVALIDARG",
            got: "returned {returned}",
        );
        ensure!(
            calls() == before,
            call: "CompilePipelineState(a pipeline {what})",
            expected: "a failure without a call of the plugin",
            got: "the plugin was called, and then {returned} returned",
        );
    }
    Ok(())
}
