//! What an application may set in the description of a state object, at other values than the ordinary one: each alone, and
//! two together.

use std::fmt;
use std::sync::LazyLock;

use api_sys::{
    D3D12_CULL_MODE_FRONT, D3D12_FILL_MODE_SOLID, D3D12_IB_STRIP_CUT_VALUE,
    D3D12_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFFFFFF, D3D12_PRIMITIVE_TOPOLOGY_TYPE_POINT,
    D3D12_RASTERIZER_DESC2, D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES,
    D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES, D3D12_RT_FORMAT_ARRAY,
    D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS,
    D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS,
    D3D12_STATE_SUBOBJECT_TYPE, D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
    D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE, D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER, D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, DXGI_FORMAT,
    DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R16G16B16A16_FLOAT,
    DXGI_SAMPLE_DESC,
};

use super::state::State;
use super::{ADDABLE, ADDITION, COLLECTION, Kind, PROGRAM, RAYTRACING, WORK_GRAPH};
use crate::runtime::Owned;
use crate::shaders::{rs_constants_1_1, rs_local_1_1};

/// One field at another value.
pub(super) struct Change {
    /// The field and the value, as code.
    code: &'static str,
    /// Two changes of one field do not go together.
    field: &'static str,
    of: &'static Kind,
    pub(super) apply: fn(&mut State),
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

macro_rules! changes {
    ($($of:ident { $($field:literal { $($code:literal => $apply:expr;)* })* })*) => {
        /// Every change, those of one field together. A plugin may refuse any of them.
        static CHANGES: &[Change] = &[$($($(Change {
            code: concat!($field, $code),
            field: $field,
            of: &$of,
            apply: $apply,
        },)*)*)*];
    };
}

changes! {
    RAYTRACING {
        "RAYTRACING_SHADER_CONFIG.MaxPayloadSizeInBytes" {
            ": 64" => |s| s.shader_config.MaxPayloadSizeInBytes = 64;
        }
        "RAYTRACING_SHADER_CONFIG.MaxAttributeSizeInBytes" {
            ": 8" => |s| s.shader_config.MaxAttributeSizeInBytes = 8;
        }
        "RAYTRACING_PIPELINE_CONFIG.MaxTraceRecursionDepth" {
            ": 1" => |s| s.pipeline_config.MaxTraceRecursionDepth = 1;
            ": 31" => |s| s.pipeline_config.MaxTraceRecursionDepth = 31;
        }
        "NODE_MASK.NodeMask" {
            ": 1" => |s| s.node_mask = Some(1);
        }
        "GLOBAL_SERIALIZED_ROOT_SIGNATURE" {
            "" => |s| s.global = Some(&rs_constants_1_1);
        }
        "LOCAL_SERIALIZED_ROOT_SIGNATURE" {
            "" => |s| s.local = Some(&rs_local_1_1);
        }
        "DXIL_LIBRARY." {
            "pExports[0].Name: other" => |s| s.exports[0].0 = "other";
            "NumExports: 2" => |s| s.exports.push(SECOND_EXPORT);
        }
    }
    ADDABLE {
        "RAYTRACING_PIPELINE_CONFIG1.Flags" {
            ": SKIP_TRIANGLES" => |s| s.pipeline_config.Flags = D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES;
            ": SKIP_PROCEDURAL_PRIMITIVES" => |s| {
                s.pipeline_config.Flags = D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES;
            };
        }
        "RAYTRACING_PIPELINE_CONFIG.MaxTraceRecursionDepth" {
            ": 31" => |s| s.pipeline_config.MaxTraceRecursionDepth = 31;
        }
    }
    ADDITION {
        "DXIL_LIBRARY.NumExports" {
            ": 2" => |s| s.exports.push(SECOND_EXPORT);
        }
        "LOCAL_SERIALIZED_ROOT_SIGNATURE" {
            "" => |s| s.local = Some(&rs_local_1_1);
        }
    }
    COLLECTION {
        "STATE_OBJECT_CONFIG.Flags" {
            ": ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS" => |s| {
                s.flags = Some(D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS);
            };
            ": ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS" => |s| {
                s.flags = Some(D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS);
            };
        }
        "RAYTRACING_SHADER_CONFIG.MaxPayloadSizeInBytes" {
            ": 64" => |s| s.shader_config.MaxPayloadSizeInBytes = 64;
        }
    }
    PROGRAM {
        "PRIMITIVE_TOPOLOGY" {
            ": POINT" => |s| {
                s.add(D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, D3D12_PRIMITIVE_TOPOLOGY_TYPE_POINT);
            };
        }
        "RENDER_TARGET_FORMATS." {
            "RTFormats[0]: R16G16B16A16_FLOAT" => |s| s.targets(&[DXGI_FORMAT_R16G16B16A16_FLOAT]);
            "NumRenderTargets: 2" => |s| s.targets(&[DXGI_FORMAT_R8G8B8A8_UNORM; 2]);
        }
        "DEPTH_STENCIL_FORMAT" {
            ": D32_FLOAT" => |s| s.add(D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT, DXGI_FORMAT_D32_FLOAT);
        }
        "SAMPLE_DESC.Count" {
            ": 4" => |s| {
                s.add(D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, DXGI_SAMPLE_DESC { Count: 4, Quality: 0 });
            };
        }
        "SAMPLE_MASK" {
            ": 0xF" => |s| s.add(D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, 0xF_u32);
        }
        "RASTERIZER.CullMode" {
            ": FRONT" => |s| {
                let rasterizer = D3D12_RASTERIZER_DESC2 {
                    FillMode: D3D12_FILL_MODE_SOLID,
                    CullMode: D3D12_CULL_MODE_FRONT,
                    ..D3D12_RASTERIZER_DESC2::default()
                };
                s.add(D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER, rasterizer);
            };
        }
        "IB_STRIP_CUT_VALUE" {
            ": 0xFFFFFFFF" => |s| {
                let value = D3D12_IB_STRIP_CUT_VALUE {
                    IndexBufferStripCutValue: D3D12_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFFFFFF,
                };
                s.add(D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE, value);
            };
        }
    }
    WORK_GRAPH {
        "NODE_MASK.NodeMask" {
            ": 1" => |s| s.node_mask = Some(1);
        }
        "WORK_GRAPH.ProgramName" {
            ": other" => |s| s.program_name = "other";
        }
    }
}

const SECOND_EXPORT: (&str, &str) = ("miss", "shadow_miss");

impl State {
    fn add<T: 'static>(&mut self, kind: D3D12_STATE_SUBOBJECT_TYPE, desc: T) {
        self.of_program.push(Owned::new(kind, desc));
    }

    fn targets(&mut self, formats: &[DXGI_FORMAT]) {
        let mut targets = D3D12_RT_FORMAT_ARRAY::default();
        targets.RTFormats[..formats.len()].copy_from_slice(formats);
        targets.NumRenderTargets = crate::runtime::count(formats);
        self.add(D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, targets);
    }
}

impl Kind {
    /// The kind of the first of these changes, with all of them. It stays.
    fn with(changes: Vec<&'static Change>) -> &'static Self {
        let codes: Vec<_> = changes.iter().map(|change| change.code).collect();
        let kind = changes[0].of;
        let name = format!("{} with {{ {} }}", kind.name, codes.join(", "));
        Box::leak(Box::new(Self {
            name: name.leak(),
            changes: changes.leak(),
            ..*kind
        }))
    }
}

/// State objects with one field each off its default.
pub(crate) fn walk() -> &'static [&'static Kind] {
    static WALKED: LazyLock<Vec<&Kind>> = LazyLock::new(|| {
        CHANGES
            .iter()
            .map(|change| Kind::with(vec![change]))
            .collect()
    });
    &WALKED
}

/// State objects with two fields each off their defaults: all that one kind can have.
pub(crate) fn pairs() -> &'static [&'static Kind] {
    static PAIRS: LazyLock<Vec<&Kind>> = LazyLock::new(|| {
        let mut pairs = Vec::new();
        for (at, first) in CHANGES.iter().enumerate() {
            let others = CHANGES[at + 1..].iter();
            let others = others.filter(|other| other.of == first.of && other.field != first.field);
            pairs.extend(others.map(|second| Kind::with(vec![first, second])));
        }
        pairs
    });
    &PAIRS
}

/// The same with one change less, each in turn; nothing of one that has no more than one.
pub(crate) fn reduced(kind: &'static Kind) -> impl Iterator<Item = &'static Kind> {
    let count = kind.changes.len();
    (0..count).filter(move |_| count > 1).map(move |left_out| {
        let mut changes = kind.changes.to_vec();
        changes.remove(left_out);
        Kind::with(changes)
    })
}

#[cfg(test)]
mod tests {
    use super::{CHANGES, pairs, reduced, walk};

    #[test]
    fn a_pair_is_reduced_to_what_is_walked() {
        assert_eq!(walk().len(), CHANGES.len());
        for pair in pairs() {
            let of: Vec<_> = reduced(pair).collect();
            assert_eq!(of.len(), 2, "{}", pair.name);
            for one in of {
                assert!(walk().contains(&one), "{}", one.name);
                assert_eq!(reduced(one).count(), 0);
            }
        }
    }
}
