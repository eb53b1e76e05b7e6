//! Checks that the root signature has what the shaders bind.

use dxil::{RootSignature, RootSignatureFlags};

use crate::desc::registers::{self, Binding, Registers, constant_buffers_with_arrays};
use crate::desc::root_signature::HEAP_INDEXING;
use crate::desc::shader::{Shader, Shaders, Stage};
use crate::message::{MessageId, Messages};

/// Checks the resources of all shaders against the root signature. A shader without `PSV0` lists no resources.
pub fn check(shaders: &Shaders<'_>, root_signature: &RootSignature<'_>, messages: &mut Messages) {
    let registers = Registers::of(root_signature);
    for shader in shaders.iter() {
        check_shader(shader, &registers, messages);
    }
}

fn check_shader(shader: &Shader<'_>, registers: &Registers, messages: &mut Messages) {
    let id = mismatch(shader.stage);
    let stage = shader.stage;
    for (feature, flag, name) in HEAP_INDEXING {
        if shader.features.contains(feature) && !registers.flags().contains(flag) {
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
    if deny != RootSignatureFlags::NONE && registers.flags().contains(deny) {
        let text = format!("{stage} binds resources, but the root signature denies it access");
        messages.error(id, text);
        return;
    }
    let no_local = Registers::default();
    let with_arrays = if registers.have_root_constants() {
        constant_buffers_with_arrays(&shader.container)
    } else {
        Vec::new()
    };
    for resource in psv0.resources() {
        let Some(binding) = Binding::of_shader(&resource, &with_arrays) else {
            continue;
        };
        let checked = registers::check(&binding, registers, &no_local, stage.visibility());
        if let Err(fault) = checked {
            let kind = resource.resource_type;
            messages.error(id, format!("{stage} binds {binding} ({kind:?}), {fault}"));
        }
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
