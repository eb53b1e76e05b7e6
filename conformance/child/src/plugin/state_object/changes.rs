//! What an application may set in the description of a state object, at other values than the ordinary ones.

use api_sys::{
    D3D12_CULL_MODE_FRONT, D3D12_FILL_MODE_SOLID, D3D12_IB_STRIP_CUT_VALUE,
    D3D12_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFFFFFF, D3D12_NODE_MASK,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE_POINT, D3D12_RASTERIZER_DESC2,
    D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES,
    D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES,
    D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS,
    D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS,
    D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT, D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
    D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER,
    D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
    DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R16G16B16A16_FLOAT,
    DXGI_SAMPLE_DESC,
};

use super::state::State;
use super::{ADDITION, COLLECTION, Feature, GENERIC_PROGRAM, Kind, RAYTRACING, WORK_GRAPH};
use crate::inputs::generated::{Change, Changes, Varied};
use crate::inputs::shaders::{rs_constants_1_1, rs_local_1_1};

impl Varied for Kind {
    /// The kinds that have it.
    type Of = &'static [&'static Self];
    type State = State;

    const ALL: &'static [Change<Self>] = CHANGES;

    fn takes(&self, change: &Change<Self>) -> bool {
        change.of.contains(&self)
    }

    fn parts(&mut self) -> (&mut &'static str, &mut Changes<Self>) {
        (&mut self.name, &mut self.changes)
    }
}

macro_rules! changes {
    ($($of:expr, $field:literal { $($code:literal => $apply:expr;)* })*) => {
        /// Every change, those of one field together. A plugin may refuse any of them.
        const CHANGES: &[Change<Kind>] = &[$($(Change {
            code: $code,
            field: $field,
            of: &$of,
            apply: $apply,
        },)*)*];
    };
}

changes! {
    [&RAYTRACING, &COLLECTION], "RAYTRACING_SHADER_CONFIG.MaxPayloadSizeInBytes" {
        "RAYTRACING_SHADER_CONFIG.MaxPayloadSizeInBytes: 64" => |s| s.shader_config.MaxPayloadSizeInBytes = 64;
    }
    [&RAYTRACING], "RAYTRACING_SHADER_CONFIG.MaxAttributeSizeInBytes" {
        "RAYTRACING_SHADER_CONFIG.MaxAttributeSizeInBytes: 8" => |s| s.shader_config.MaxAttributeSizeInBytes = 8;
    }
    [&RAYTRACING], "RAYTRACING_PIPELINE_CONFIG.MaxTraceRecursionDepth" {
        "RAYTRACING_PIPELINE_CONFIG.MaxTraceRecursionDepth: 1" => |s| s.pipeline_config.MaxTraceRecursionDepth = 1;
        "RAYTRACING_PIPELINE_CONFIG.MaxTraceRecursionDepth: 31" => |s| s.pipeline_config.MaxTraceRecursionDepth = 31;
    }
    [&RAYTRACING], "RAYTRACING_PIPELINE_CONFIG1.Flags" {
        "RAYTRACING_PIPELINE_CONFIG1.Flags: SKIP_TRIANGLES" => |s| {
            pipeline_flags(s, D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES);
        };
        "RAYTRACING_PIPELINE_CONFIG1.Flags: SKIP_PROCEDURAL_PRIMITIVES" => |s| {
            pipeline_flags(s, D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES);
        };
    }
    [&RAYTRACING, &WORK_GRAPH], "NODE_MASK" {
        "NODE_MASK.NodeMask: 1" => |s| {
            s.push(D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12_NODE_MASK { NodeMask: 1 });
        };
    }
    [&RAYTRACING], "GLOBAL_SERIALIZED_ROOT_SIGNATURE" {
        "GLOBAL_SERIALIZED_ROOT_SIGNATURE" => |s| s.global_root_signature = Some(rs_constants_1_1.bytes());
    }
    [&RAYTRACING, &ADDITION], "LOCAL_SERIALIZED_ROOT_SIGNATURE" {
        "LOCAL_SERIALIZED_ROOT_SIGNATURE" => |s| s.local_root_signature = Some(rs_local_1_1.bytes());
    }
    [&RAYTRACING], "DXIL_LIBRARY.pExports[0].Name" {
        "DXIL_LIBRARY.pExports[0].Name: other" => |s| s.exports[0].0 = "other";
    }
    [&RAYTRACING, &ADDITION, &COLLECTION], "DXIL_LIBRARY.NumExports" {
        "DXIL_LIBRARY.NumExports: 2" => |s| s.exports.push(("miss", "shadow_miss"));
    }
    [&COLLECTION], "STATE_OBJECT_CONFIG.Flags" {
        "STATE_OBJECT_CONFIG.Flags: ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS" => |s| {
            s.flags = Some(D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS);
        };
        "STATE_OBJECT_CONFIG.Flags: ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS" => |s| {
            s.flags = Some(D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS);
        };
    }
    [&GENERIC_PROGRAM], "PRIMITIVE_TOPOLOGY" {
        "PRIMITIVE_TOPOLOGY: POINT" => |s| s.topology = D3D12_PRIMITIVE_TOPOLOGY_TYPE_POINT;
    }
    [&GENERIC_PROGRAM], "RENDER_TARGET_FORMATS" {
        "RENDER_TARGET_FORMATS.RTFormats[0]: R16G16B16A16_FLOAT" => |s| s.targets[0] = DXGI_FORMAT_R16G16B16A16_FLOAT;
        "RENDER_TARGET_FORMATS.NumRenderTargets: 2" => |s| s.targets.push(DXGI_FORMAT_R8G8B8A8_UNORM);
    }
    [&GENERIC_PROGRAM], "DEPTH_STENCIL_FORMAT" {
        "DEPTH_STENCIL_FORMAT: D32_FLOAT" => |s| {
            s.push(D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT, DXGI_FORMAT_D32_FLOAT);
        };
    }
    [&GENERIC_PROGRAM], "SAMPLE_DESC" {
        "SAMPLE_DESC.Count: 4" => |s| {
            s.push(D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, DXGI_SAMPLE_DESC { Count: 4, Quality: 0 });
        };
    }
    [&GENERIC_PROGRAM], "SAMPLE_MASK" {
        "SAMPLE_MASK: 0xF" => |s| s.push(D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, 0xF_u32);
    }
    [&GENERIC_PROGRAM], "RASTERIZER" {
        "RASTERIZER.CullMode: FRONT" => |s| {
            let rasterizer = D3D12_RASTERIZER_DESC2 {
                FillMode: D3D12_FILL_MODE_SOLID,
                CullMode: D3D12_CULL_MODE_FRONT,
                ..D3D12_RASTERIZER_DESC2::default()
            };
            s.push(D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER, rasterizer);
        };
    }
    [&GENERIC_PROGRAM], "IB_STRIP_CUT_VALUE" {
        "IB_STRIP_CUT_VALUE: 0xFFFFFFFF" => |s| {
            let cut = D3D12_IB_STRIP_CUT_VALUE {
                IndexBufferStripCutValue: D3D12_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFFFFFF,
            };
            s.push(D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE, cut);
        };
    }
    [&WORK_GRAPH], "WORK_GRAPH.ProgramName" {
        "WORK_GRAPH.ProgramName: other" => |s| s.program = "other";
    }
}

fn pipeline_flags(state: &mut State, flags: u32) {
    state.pipeline_config.Flags = flags;
    // The same tier has both.
    state.feature = Feature::RaytracingAdditions;
}
