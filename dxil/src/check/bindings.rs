//! Whether a root signature binds what the program uses.
//!
//! The rules are those of `DxilRootSignatureValidator.cpp` of DirectXShaderCompiler.

use super::facts::{Facts, resource_type, resources, upper_bound};
use super::findings::Findings;
use crate::module::Resource;
use crate::psv0::ResourceType;
use crate::{
    DescriptorRangeType, ErrorKind, ResourceClass, RootParameterKindDesc, RootSignature,
    RootSignatureDesc, RootSignatureFlags, ShaderKind, ShaderVisibility,
};

/// Registers that the root signature binds.
struct Bound {
    class: ResourceClass,
    space: u32,
    first: u32,
    last: u32,
    /// Root descriptors have no view with a format or a counter.
    is_root_descriptor: bool,
}

/// What the stage of a program sees of a root signature.
struct Stage {
    visibility: ShaderVisibility,
    denied_by: RootSignatureFlags,
}

impl Stage {
    fn of(kind: ShaderKind) -> Self {
        use {RootSignatureFlags as F, ShaderVisibility as V};
        let (visibility, denied_by) = match kind {
            ShaderKind::Vertex => (V::VERTEX, F::DENY_VERTEX_SHADER_ROOT_ACCESS),
            ShaderKind::Hull => (V::HULL, F::DENY_HULL_SHADER_ROOT_ACCESS),
            ShaderKind::Domain => (V::DOMAIN, F::DENY_DOMAIN_SHADER_ROOT_ACCESS),
            ShaderKind::Geometry => (V::GEOMETRY, F::DENY_GEOMETRY_SHADER_ROOT_ACCESS),
            ShaderKind::Pixel => (V::PIXEL, F::DENY_PIXEL_SHADER_ROOT_ACCESS),
            ShaderKind::Amplification => {
                (V::AMPLIFICATION, F::DENY_AMPLIFICATION_SHADER_ROOT_ACCESS)
            }
            ShaderKind::Mesh => (V::MESH, F::DENY_MESH_SHADER_ROOT_ACCESS),
            _ => (V::ALL, F::NONE),
        };
        Self {
            visibility,
            denied_by,
        }
    }
}

pub(super) fn compare(
    root_signature: &RootSignature<'_>,
    facts: &Facts<'_>,
    findings: &mut Findings<'_, '_>,
) {
    // One that cannot be copied is not valid, which is not for this comparison to say.
    let Ok(root_signature) = RootSignatureDesc::try_from(root_signature) else {
        return;
    };
    let stage = Stage::of(facts.kind);
    let is_denied = root_signature.flags.0 & stage.denied_by.0 != 0;
    let bound = bound(&root_signature, stage.visibility);
    for resource in resources(facts.module) {
        if let Some(why) = fault(resource, is_denied, &bound) {
            let kind = ErrorKind::NotBound {
                class: resource.class,
                id: resource.id,
                why,
            };
            findings.add(kind, 0);
        }
    }
}

/// What the stage can use, in the order of class, space and register. Valid root signatures bind no
/// register twice.
fn bound(root_signature: &RootSignatureDesc, visibility: ShaderVisibility) -> Vec<Bound> {
    use RootParameterKindDesc as K;
    let is_visible = |to: ShaderVisibility| [ShaderVisibility::ALL, visibility].contains(&to);
    let one = |class, space, register, is_root_descriptor| Bound {
        class,
        space,
        first: register,
        last: register,
        is_root_descriptor,
    };
    let mut bound = Vec::new();
    for parameter in &root_signature.parameters {
        if !is_visible(parameter.shader_visibility) {
            continue;
        }
        bound.push(match &parameter.kind {
            K::DescriptorTable(ranges) => {
                bound.extend(ranges.iter().map(|range| Bound {
                    class: class(range.range_type),
                    space: range.register_space,
                    first: range.base_shader_register,
                    last: match range.num_descriptors {
                        u32::MAX => u32::MAX,
                        count => range.base_shader_register.saturating_add(count).max(1) - 1,
                    },
                    is_root_descriptor: false,
                }));
                continue;
            }
            K::Constants(it) => one(
                ResourceClass::CBV,
                it.register_space,
                it.shader_register,
                false,
            ),
            K::Cbv(it) => one(
                ResourceClass::CBV,
                it.register_space,
                it.shader_register,
                true,
            ),
            K::Srv(it) => one(
                ResourceClass::SRV,
                it.register_space,
                it.shader_register,
                true,
            ),
            K::Uav(it) => one(
                ResourceClass::UAV,
                it.register_space,
                it.shader_register,
                true,
            ),
        });
    }
    for sampler in &root_signature.static_samplers {
        if is_visible(sampler.shader_visibility) {
            let class = ResourceClass::SAMPLER;
            bound.push(one(
                class,
                sampler.register_space,
                sampler.shader_register,
                false,
            ));
        }
    }
    bound.sort_by_key(|it| (it.class, it.space, it.first));
    bound
}

fn class(ty: DescriptorRangeType) -> ResourceClass {
    match ty {
        DescriptorRangeType::SRV => ResourceClass::SRV,
        DescriptorRangeType::UAV => ResourceClass::UAV,
        DescriptorRangeType::CBV => ResourceClass::CBV,
        _ => ResourceClass::SAMPLER,
    }
}

fn fault(resource: &Resource, is_denied: bool, bound: &[Bound]) -> Option<&'static str> {
    if is_denied {
        return Some("its flags deny the stage any access");
    }
    // Of an unbounded array, only the first register must be there.
    let last = match upper_bound(resource) {
        u32::MAX => resource.lower_bound,
        last => last,
    };
    let key = (resource.class, resource.space, resource.lower_bound);
    let behind = bound.partition_point(|it| (it.class, it.space, it.first) <= key);
    let before = behind.checked_sub(1).and_then(|place| bound.get(place));
    let covers = |it: &&Bound| (it.class, it.space) == (key.0, key.1) && last <= it.last;
    let Some(covering) = before.filter(covers) else {
        return Some("its registers are not all there");
    };
    let needs_view = matches!(
        resource_type(resource),
        ResourceType::SRV_TYPED
            | ResourceType::UAV_TYPED
            | ResourceType::UAV_STRUCTURED_WITH_COUNTER
    );
    (covering.is_root_descriptor && needs_view)
        .then_some("a root descriptor has neither a format nor a counter")
}
