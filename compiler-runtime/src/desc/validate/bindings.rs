//! Checks that the root signature has what the shaders bind.

use dxil::psv0::{Resource, ResourceType};
use dxil::{
    DescriptorRange, DescriptorRangeType, ResourceKind, RootDescriptor, RootParameterKind,
    RootSignature, RootSignatureFlags, ShaderVisibility,
};

use crate::desc::root_signature::HEAP_INDEXING;
use crate::desc::shader::{Shader, Shaders, Stage};
use crate::message::{MessageId, Messages};

/// Checks the resources of all shaders against the root signature. A shader without `PSV0` lists no resources.
pub fn check(shaders: &Shaders<'_>, root_signature: &RootSignature<'_>, messages: &mut Messages) {
    for shader in shaders.iter() {
        check_shader(shader, root_signature, messages);
    }
}

fn check_shader(shader: &Shader<'_>, root_signature: &RootSignature<'_>, messages: &mut Messages) {
    let id = mismatch(shader.stage);
    let stage = shader.stage;
    for (feature, flag, name) in HEAP_INDEXING {
        if shader.features.contains(feature) && !root_signature.flags().contains(flag) {
            let text =
                format!("{stage} indexes a descriptor heap, but the root signature lacks {name}");
            messages.error(id, text);
        }
    }
    let Some(psv0) = shader.psv0 else {
        return;
    };
    if psv0.resources().len() == 0 {
        return;
    }
    let deny = stage.deny_flag();
    if deny != RootSignatureFlags::NONE && root_signature.flags().contains(deny) {
        let text = format!("{stage} binds resources, but the root signature denies it access");
        messages.error(id, text);
        return;
    }
    for resource in psv0.resources() {
        // This crate does not know the type, so it does not check it.
        let Some(wanted) = range_type(resource.resource_type) else {
            continue;
        };
        if is_bound(wanted, &resource, stage, root_signature) {
            continue;
        }
        let class = match wanted {
            DescriptorRangeType::CBV => 'b',
            DescriptorRangeType::UAV => 'u',
            DescriptorRangeType::SAMPLER => 's',
            _ => 't',
        };
        let (lower, upper) = (resource.lower_bound, resource.upper_bound);
        let registers = match upper {
            u32::MAX => format!("{class}{lower} and all behind it"),
            _ if upper == lower => format!("{class}{lower}"),
            _ => format!("{class}{lower} to {class}{upper}"),
        };
        let text = format!(
            "{stage} binds {registers} in space {} ({:?}), which the root signature has nothing for",
            resource.space, resource.resource_type
        );
        messages.error(id, text);
    }
}

const fn mismatch(stage: Stage) -> MessageId {
    match stage {
        Stage::Amplification => MessageId::CREATEGRAPHICSPIPELINESTATE_AS_ROOT_SIGNATURE_MISMATCH,
        Stage::Mesh => MessageId::CREATEGRAPHICSPIPELINESTATE_MS_ROOT_SIGNATURE_MISMATCH,
        Stage::Vertex => MessageId::CREATEGRAPHICSPIPELINESTATE_VS_ROOT_SIGNATURE_MISMATCH,
        Stage::Hull => MessageId::CREATEGRAPHICSPIPELINESTATE_HS_ROOT_SIGNATURE_MISMATCH,
        Stage::Domain => MessageId::CREATEGRAPHICSPIPELINESTATE_DS_ROOT_SIGNATURE_MISMATCH,
        Stage::Geometry => MessageId::CREATEGRAPHICSPIPELINESTATE_GS_ROOT_SIGNATURE_MISMATCH,
        Stage::Pixel => MessageId::CREATEGRAPHICSPIPELINESTATE_PS_ROOT_SIGNATURE_MISMATCH,
        Stage::Compute => MessageId::CREATECOMPUTEPIPELINESTATE_CS_ROOT_SIGNATURE_MISMATCH,
    }
}

fn range_type(resource: ResourceType) -> Option<DescriptorRangeType> {
    Some(match resource {
        ResourceType::SAMPLER => DescriptorRangeType::SAMPLER,
        ResourceType::CBV => DescriptorRangeType::CBV,
        ResourceType::SRV_TYPED | ResourceType::SRV_RAW | ResourceType::SRV_STRUCTURED => {
            DescriptorRangeType::SRV
        }
        ResourceType::UAV_TYPED
        | ResourceType::UAV_RAW
        | ResourceType::UAV_STRUCTURED
        | ResourceType::UAV_STRUCTURED_WITH_COUNTER => DescriptorRangeType::UAV,
        _ => return None,
    })
}

/// Whether a resource can be bound by its address alone.
fn fits_root_descriptor(resource: &Resource) -> bool {
    match resource.resource_type {
        ResourceType::CBV
        | ResourceType::SRV_RAW
        | ResourceType::SRV_STRUCTURED
        | ResourceType::UAV_RAW
        | ResourceType::UAV_STRUCTURED => true,
        _ => resource.kind == Some(ResourceKind::ACCELERATION_STRUCTURE),
    }
}

/// Whether one range, root descriptor or static sampler that the stage sees has all registers of the
/// resource.
fn is_bound(
    wanted: DescriptorRangeType,
    resource: &Resource,
    stage: Stage,
    root_signature: &RootSignature<'_>,
) -> bool {
    let registers = (resource.lower_bound, resource.upper_bound);
    let sees = |visibility| visibility == ShaderVisibility::ALL || visibility == stage.visibility();
    let one = |class, space, at| (class, space, (at, at)) == (wanted, resource.space, registers);
    let by_address = |class, d: RootDescriptor| {
        one(class, d.register_space, d.shader_register) && fits_root_descriptor(resource)
    };
    let range = |range: DescriptorRange| {
        let first = range.base_shader_register;
        let last = match range.num_descriptors {
            DescriptorRange::UNBOUNDED => u32::MAX,
            count => first.saturating_add(count.saturating_sub(1)),
        };
        (range.range_type, range.register_space) == (wanted, resource.space)
            && first <= registers.0
            && registers.1 <= last
    };
    let parameters = root_signature.parameters().iter();
    let mut parameters = parameters.filter(|parameter| sees(parameter.shader_visibility));
    let bound = parameters.any(|parameter| match parameter.kind {
        RootParameterKind::DescriptorTable(table) => table.ranges().any(range),
        RootParameterKind::Constants(c) => one(
            DescriptorRangeType::CBV,
            c.register_space,
            c.shader_register,
        ),
        RootParameterKind::Cbv(d) => by_address(DescriptorRangeType::CBV, d),
        RootParameterKind::Srv(d) => by_address(DescriptorRangeType::SRV, d),
        RootParameterKind::Uav(d) => by_address(DescriptorRangeType::UAV, d),
    });
    let mut samplers = root_signature.static_samplers();
    bound
        || samplers.any(|sampler| {
            let class = DescriptorRangeType::SAMPLER;
            one(class, sampler.register_space, sampler.shader_register)
                && sees(sampler.shader_visibility)
        })
}
