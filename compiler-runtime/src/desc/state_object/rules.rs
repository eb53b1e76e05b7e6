//! Checks the exports of a resolved state object against each other, against its collections and against the state object that
//! it is added to.

use std::collections::HashSet;

use api_sys::D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS;
use ddi_sys::D3D12DDI_STATE_OBJECT_TYPE_COLLECTION;
use dxil::{ShaderKind, Version};

use super::association::{Kind, Scope};
use super::model::{Model, numbers_of};
use super::object::StateObject;
use super::record::Export;
use crate::desc::Invalid;

/// From this shader model on, payloads can have access qualifiers, which exempt them from the shader config. Runtime data does
/// not say which payloads have them.
const PAYLOAD_QUALIFIERS: Version = Version { major: 6, minor: 6 };

fn refuse<T>(text: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}

/// The kinds of subobject that all exports must share.
pub(super) fn check_uniform(model: &Model<'_>) -> Result<(), Invalid> {
    for kind in [
        Kind::StateObjectConfig,
        Kind::NodeMask,
        Kind::RaytracingShaderConfig,
        Kind::RaytracingPipelineConfig,
    ] {
        let concerned = |e: &&Export| match kind {
            Kind::StateObjectConfig => e.is_entry() && !matches!(e.scope, Scope::Collection(_)),
            Kind::NodeMask => e.is_entry(),
            _ => model.needs_raytracing_config(e),
        };
        let mut exports = model.exports.iter().filter(concerned);
        let Some(first) = exports
            .clone()
            .find(|export| model.content(export, kind).is_some())
        else {
            continue;
        };
        let differs = |export: &&Export| match model.content(export, kind) {
            Some(content) => Some(content) != model.content(first, kind),
            // Another check reports what a raytracing shader lacks.
            None => matches!(kind, Kind::StateObjectConfig | Kind::NodeMask),
        };
        if let Some(other) = exports.find(differs) {
            return refuse(format!(
                "all exports have the same {kind}, but {} has {} and {} has {}",
                first.name,
                model.label(first, kind),
                other.name,
                model.label(other, kind)
            ));
        }
    }
    check_sizes(model)
}

/// Checks payloads and attributes against the shader config.
fn check_sizes(model: &Model<'_>) -> Result<(), Invalid> {
    for export in &model.exports {
        let Some(function) = export.function() else {
            continue;
        };
        let content = model.content(export, Kind::RaytracingShaderConfig);
        let Some([payload, attributes]) = content.map(numbers_of) else {
            continue;
        };
        let name = &export.name;
        if function.attribute_size > attributes {
            return refuse(format!(
                "export {name}: its attributes have {} bytes, MaxAttributeSizeInBytes is {attributes}",
                function.attribute_size
            ));
        }
        let counts =
            function.kind != ShaderKind::Callable && function.shader_model < PAYLOAD_QUALIFIERS;
        if counts && function.payload_size > payload {
            return refuse(format!(
                "export {name}: its payload has {} bytes, MaxPayloadSizeInBytes is {payload}",
                function.payload_size
            ));
        }
    }
    Ok(())
}

/// Checks that the collections of an object that allows additions allow them too.
pub(super) fn check_collections(model: &Model<'_>) -> Result<(), Invalid> {
    if model.flags & D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS == 0 {
        return Ok(());
    }
    for (index, collection) in &model.collections {
        if collection.desc.record().flags & D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS
            == 0
        {
            return refuse(format!(
                "pSubobjects[{index}]: the collection lacks ALLOW_STATE_OBJECT_ADDITIONS, which \
                 the state object has"
            ));
        }
    }
    Ok(())
}

/// Checks an addition against its parent and all of the parent's ancestors.
pub(super) fn check_addition(model: &Model<'_>, parent: &StateObject) -> Result<(), Invalid> {
    let record = parent.record();
    if record.kind == D3D12DDI_STATE_OBJECT_TYPE_COLLECTION {
        return refuse("a collection cannot be added to");
    }
    if model.kind != record.kind {
        return refuse(format!(
            "an addition of type {} to a state object of type {}",
            model.kind.0, record.kind.0
        ));
    }
    for (flags, which) in [
        (record.flags, "state object that is added to"),
        (model.flags, "addition"),
    ] {
        if flags & D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS == 0 {
            return refuse(format!("the {which} lacks ALLOW_STATE_OBJECT_ADDITIONS"));
        }
    }
    let own: HashSet<&str> = model
        .exports
        .iter()
        .filter(|e| e.is_visible_entry())
        .map(|e| &*e.name)
        .collect();
    for ancestor in parent.lineage() {
        let record = ancestor.record();
        let mut entries = record.exports.iter().filter(|e| e.is_visible_entry());
        if let Some(export) = entries.find(|export| own.contains(&*export.name)) {
            return refuse(format!(
                "export {}: the state object that is added to has an export of this name",
                export.name
            ));
        }
        for kind in [
            Kind::RaytracingShaderConfig,
            Kind::RaytracingPipelineConfig,
            Kind::NodeMask,
        ] {
            let theirs = record
                .exports
                .iter()
                .find_map(|export| Some(&record.subobjects[export.associated.get(kind)?].0));
            let ours = model
                .exports
                .iter()
                .find_map(|export| Some(&model.subobjects[export.associated.get(kind)?].subobject));
            if let (Some(theirs), Some(ours)) = (theirs, ours)
                && theirs.content != ours.content
            {
                return refuse(format!(
                    "{}: the state object that is added to has another {kind}",
                    ours.label
                ));
            }
            // Other checks report shaders without configs.
            let all_have_exports = [&record.exports, &model.exports]
                .iter()
                .all(|exports| exports.iter().any(Export::is_entry));
            if kind == Kind::NodeMask && all_have_exports && theirs.is_some() != ours.is_some() {
                let (with, without) = match ours {
                    Some(_) => ("the addition", "the state object that is added to"),
                    None => ("the state object that is added to", "the addition"),
                };
                return refuse(format!(
                    "all exports have the same {kind}, but those of {with} have one and those of \
                     {without} have none"
                ));
            }
        }
    }
    Ok(())
}
