//! An SODB of many pipelines: the shaders of the example with permutations of state, as engines have them.

use api_sys::{
    D3D12_BLEND_DESC, D3D12_BLEND_ONE, D3D12_BLEND_OP_ADD, D3D12_BLEND_ZERO,
    D3D12_COMPARISON_FUNC_ALWAYS, D3D12_COMPARISON_FUNC_NEVER, D3D12_CULL_MODE_BACK,
    D3D12_CULL_MODE_NONE, D3D12_DEPTH_STENCIL_DESC2, D3D12_DEPTH_STENCILOP_DESC1,
    D3D12_DEPTH_WRITE_MASK_ALL, D3D12_FILL_MODE_SOLID, D3D12_LOGIC_OP_NOOP, D3D12_RASTERIZER_DESC2,
    D3D12_RENDER_TARGET_BLEND_DESC, D3D12_STENCIL_OP_KEEP, DXGI_FORMAT_D32_FLOAT,
};
use shader_db::sodb::{Application, PipelineStateDesc, Sodb};

/// Stores the application and `count` pipelines, no two of which are equal, under 8-byte keys.
///
/// # Errors
///
/// A shader cannot be read, or the database not written.
pub fn fill(sodb: &Sodb, count: u32) -> Result<(), Box<dyn std::error::Error>> {
    sodb.set_application(&Application {
        exe: "Many.exe".into(),
        name: "Many".into(),
        version: 0,
        engine_name: None,
        engine_version: 0,
    })?;
    let passes = ["plain", "tex", "lit", "lit_tex", "full"];
    let passes = passes.map(crate::forward);
    let mut bases = Vec::new();
    for pass in passes {
        bases.push(pass?);
    }
    for number in 0..count {
        let desc = permutation(&bases, number);
        sodb.store_pipeline_state(&key(number), 1, &desc)?;
    }
    Ok(())
}

/// The key of a pipeline, in no order: engines use hashes.
pub fn key(number: u32) -> [u8; 8] {
    u64::from(number + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .to_be_bytes()
}

/// A pass with a combination of states, and with a sample mask that no other one has.
fn permutation(bases: &[PipelineStateDesc], number: u32) -> PipelineStateDesc {
    let mut rest = number;
    let mut choose = |count: u32| {
        let chosen = rest % count;
        rest /= count;
        chosen
    };
    let mut desc = bases[choose(5) as usize].clone();
    let state = &mut desc.fixed_function;
    let signed = |number: u32| i32::try_from(number).expect("small numbers");
    state.depth_stencil_format = Some(DXGI_FORMAT_D32_FLOAT);
    let keep = D3D12_DEPTH_STENCILOP_DESC1 {
        StencilFailOp: D3D12_STENCIL_OP_KEEP,
        StencilDepthFailOp: D3D12_STENCIL_OP_KEEP,
        StencilPassOp: D3D12_STENCIL_OP_KEEP,
        StencilFunc: D3D12_COMPARISON_FUNC_ALWAYS,
        ..Default::default()
    };
    state.depth_stencil = Some(D3D12_DEPTH_STENCIL_DESC2 {
        DepthEnable: true.into(),
        DepthWriteMask: D3D12_DEPTH_WRITE_MASK_ALL,
        DepthFunc: D3D12_COMPARISON_FUNC_NEVER + signed(choose(8)),
        FrontFace: keep,
        BackFace: keep,
        ..Default::default()
    });
    state.rasterizer = Some(D3D12_RASTERIZER_DESC2 {
        FillMode: D3D12_FILL_MODE_SOLID,
        CullMode: D3D12_CULL_MODE_NONE + signed(choose(D3D12_CULL_MODE_BACK.unsigned_abs())),
        DepthBias: f32::from(u8::try_from(choose(8)).expect("three bits")),
        DepthClipEnable: true.into(),
        ..Default::default()
    });
    state.blend = Some(D3D12_BLEND_DESC {
        RenderTarget: [D3D12_RENDER_TARGET_BLEND_DESC {
            SrcBlend: D3D12_BLEND_ONE,
            DestBlend: D3D12_BLEND_ZERO,
            BlendOp: D3D12_BLEND_OP_ADD,
            SrcBlendAlpha: D3D12_BLEND_ONE,
            DestBlendAlpha: D3D12_BLEND_ZERO,
            BlendOpAlpha: D3D12_BLEND_OP_ADD,
            LogicOp: D3D12_LOGIC_OP_NOOP,
            RenderTargetWriteMask: u8::try_from(1 + choose(15)).expect("four bits"),
            ..Default::default()
        }; 8],
        ..Default::default()
    });
    state.sample_mask = Some(number);
    desc
}
