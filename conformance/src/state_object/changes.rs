//! What an application may set in the description of a state object, at other values than the ordinary ones.

use api_sys::{
    D3D12_CULL_MODE_FRONT, D3D12_FILL_MODE_SOLID, D3D12_IB_STRIP_CUT_VALUE,
    D3D12_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFFFFFF, D3D12_NODE_MASK,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE_POINT, D3D12_RASTERIZER_DESC2, D3D12_RAYTRACING_PIPELINE_CONFIG,
    D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES,
    D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES, D3D12_RAYTRACING_SHADER_CONFIG,
    D3D12_RT_FORMAT_ARRAY, D3D12_STATE_OBJECT_CONFIG,
    D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS,
    D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS,
    D3D12_STATE_OBJECT_FLAGS, D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
    D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE, D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK,
    D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
    D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
    DXGI_FORMAT, DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R16G16B16A16_FLOAT,
    DXGI_SAMPLE_DESC,
};

use super::{ADDABLE, Feature, From, Kind};
use crate::runtime::{Owned, StateObjectDesc};
use crate::shaders::{
    fullscreen_ps, fullscreen_vs, rs_constants_1_1, rs_local_1_1, rt_pipeline_lib63, wg_nodes_lib68,
};

macro_rules! changes {
    ($($base:literal $feature:ident $libraries:expr, $from:expr; { $($code:literal => $describe:expr;)* })*) => {
        /// State objects with one field each off its default. A plugin may refuse any of them.
        pub(crate) static CHANGED: &[Kind] = &[$($(Kind {
            name: concat!($base, " with { ", $code, " }"),
            libraries: $libraries,
            feature: Feature::$feature,
            describe: || $describe,
            from: $from,
            is_generated: true,
        },)*)*];
    };
}

changes! {
    "raytracing pipeline" Raytracing &[&rt_pipeline_lib63], From::Nothing; {
        "RAYTRACING_SHADER_CONFIG.MaxPayloadSizeInBytes: 64" => shader_config(64, 16);
        "RAYTRACING_SHADER_CONFIG.MaxAttributeSizeInBytes: 8" => shader_config(32, 8);
        "RAYTRACING_PIPELINE_CONFIG.MaxTraceRecursionDepth: 1" => recursion_depth(1);
        "RAYTRACING_PIPELINE_CONFIG.MaxTraceRecursionDepth: 31" => recursion_depth(31);
        "NODE_MASK.NodeMask: 1" => {
            raytracing().with_other(D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12_NODE_MASK { NodeMask: 1 })
        };
        "GLOBAL_SERIALIZED_ROOT_SIGNATURE" => {
            raytracing().with_global_root_signature(rs_constants_1_1.bytes())
        };
        "LOCAL_SERIALIZED_ROOT_SIGNATURE" => {
            raytracing().with_local_root_signature("first", rs_local_1_1.bytes())
        };
        "DXIL_LIBRARY.pExports[0].Name: other" => {
            StateObjectDesc::new("other").without_additions()
        };
        "DXIL_LIBRARY.NumExports: 2" => {
            StateObjectDesc::of_exports(&[("first", "noise_a"), ("miss", "shadow_miss")]).without_additions()
        };
    }
    "raytracing pipeline that can be added to" RaytracingAdditions &[&rt_pipeline_lib63], From::Nothing; {
        "RAYTRACING_PIPELINE_CONFIG1.Flags: SKIP_TRIANGLES" => {
            pipeline_flags(D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES)
        };
        "RAYTRACING_PIPELINE_CONFIG1.Flags: SKIP_PROCEDURAL_PRIMITIVES" => {
            pipeline_flags(D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES)
        };
    }
    "addition" RaytracingAdditions &[&rt_pipeline_lib63], From::Parent(&ADDABLE); {
        "DXIL_LIBRARY.NumExports: 2" => {
            StateObjectDesc::of_exports(&[("third", "noise_a"), ("miss", "shadow_miss")])
        };
        "LOCAL_SERIALIZED_ROOT_SIGNATURE" => {
            StateObjectDesc::new("third").with_local_root_signature("third", rs_local_1_1.bytes())
        };
    }
    "collection" Raytracing &[&rt_pipeline_lib63], From::Nothing; {
        "STATE_OBJECT_CONFIG.Flags: ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS" => {
            collection(D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS)
        };
        "STATE_OBJECT_CONFIG.Flags: ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS" => {
            collection(D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS)
        };
    }
    "generic program" GenericPrograms &[&fullscreen_vs, &fullscreen_ps], From::Nothing; {
        "PRIMITIVE_TOPOLOGY: POINT" => {
            StateObjectDesc::generic_program()
                .with_other(D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, D3D12_PRIMITIVE_TOPOLOGY_TYPE_POINT)
        };
        "RENDER_TARGET_FORMATS.RTFormats[0]: R16G16B16A16_FLOAT" => {
            targets(&[DXGI_FORMAT_R16G16B16A16_FLOAT])
        };
        "RENDER_TARGET_FORMATS.NumRenderTargets: 2" => targets(&[DXGI_FORMAT_R8G8B8A8_UNORM; 2]);
        "DEPTH_STENCIL_FORMAT: D32_FLOAT" => {
            program_with(Owned::new(D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT, DXGI_FORMAT_D32_FLOAT))
        };
        "SAMPLE_DESC.Count: 4" => {
            program_with(Owned::new(
                D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
                DXGI_SAMPLE_DESC { Count: 4, Quality: 0 },
            ))
        };
        "SAMPLE_MASK: 0xF" => {
            program_with(Owned::new(D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, 0xF_u32))
        };
        "RASTERIZER.CullMode: FRONT" => {
            let rasterizer = D3D12_RASTERIZER_DESC2 {
                FillMode: D3D12_FILL_MODE_SOLID,
                CullMode: D3D12_CULL_MODE_FRONT,
                ..D3D12_RASTERIZER_DESC2::default()
            };
            program_with(Owned::new(D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER, rasterizer))
        };
        "IB_STRIP_CUT_VALUE: 0xFFFFFFFF" => {
            program_with(Owned::new(
                D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
                D3D12_IB_STRIP_CUT_VALUE {
                    IndexBufferStripCutValue: D3D12_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFFFFFF,
                },
            ))
        };
    }
    "work graph" WorkGraphs &[&wg_nodes_lib68], From::Nothing; {
        "NODE_MASK.NodeMask: 1" => {
            StateObjectDesc::work_graph()
                .with_other(D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12_NODE_MASK { NodeMask: 1 })
        };
        "WORK_GRAPH.ProgramName: other" => StateObjectDesc::work_graph_named("other");
    }
}

fn raytracing() -> StateObjectDesc {
    StateObjectDesc::new("first").without_additions()
}

fn shader_config(payload: u32, attributes: u32) -> StateObjectDesc {
    raytracing().with_other(
        D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
        D3D12_RAYTRACING_SHADER_CONFIG {
            MaxPayloadSizeInBytes: payload,
            MaxAttributeSizeInBytes: attributes,
        },
    )
}

fn recursion_depth(depth: u32) -> StateObjectDesc {
    raytracing().with_other(
        D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
        D3D12_RAYTRACING_PIPELINE_CONFIG {
            MaxTraceRecursionDepth: depth,
        },
    )
}

fn pipeline_flags(flags: u32) -> StateObjectDesc {
    StateObjectDesc::new("first")
        .without(D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG)
        .with_other(
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
            D3D12_RAYTRACING_PIPELINE_CONFIG1 {
                MaxTraceRecursionDepth: 2,
                Flags: flags,
            },
        )
}

fn collection(flags: D3D12_STATE_OBJECT_FLAGS) -> StateObjectDesc {
    StateObjectDesc::new("second")
        .with_other(
            D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
            D3D12_STATE_OBJECT_CONFIG { Flags: flags },
        )
        .into_collection()
}

fn program_with(subobject: Owned) -> StateObjectDesc {
    StateObjectDesc::generic_program_with([subobject])
}

fn targets(formats: &[DXGI_FORMAT]) -> StateObjectDesc {
    let mut targets = D3D12_RT_FORMAT_ARRAY::default();
    targets.RTFormats[..formats.len()].copy_from_slice(formats);
    targets.NumRenderTargets = crate::runtime::count(formats);
    StateObjectDesc::generic_program()
        .with_other(D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, targets)
}
