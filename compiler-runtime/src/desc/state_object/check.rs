//! The checks that need nothing but the description, subobject by subobject.

use api_desc::{Export, HitGroup, Subobject, WorkGraph};
use api_sys::{
    D3D12_EXPORT_FLAG_NONE, D3D12_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE,
    D3D12_HIT_GROUP_TYPE_TRIANGLES, D3D12_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
};
use ddi_sys::{
    D3D12DDI_STATE_OBJECT_TYPE, D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
    D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE, D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
};

use super::object::{Content, Description};
use crate::desc::Invalid;

/// The known `D3D12_STATE_OBJECT_FLAGS`; later ones are of previews.
const STATE_OBJECT_FLAGS: u32 = 0b111;
/// `D3D12_RAYTRACING_PIPELINE_FLAGS`.
const PIPELINE_FLAGS: u32 = 0x700;
/// `D3D12_RAYTRACING_MAX_ATTRIBUTE_SIZE_IN_BYTES`.
const MAX_ATTRIBUTE_SIZE: u32 = 32;
/// `D3D12_RAYTRACING_MAX_DECLARABLE_TRACE_RECURSION_DEPTH`.
const MAX_TRACE_RECURSION_DEPTH: u32 = 31;

fn refuse<T>(text: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}

/// Checks a description.
pub(super) fn check(description: &Description<'_>) -> Result<(), Invalid> {
    if ![
        D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
        D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
        D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE,
    ]
    .contains(&D3D12DDI_STATE_OBJECT_TYPE(description.kind))
    {
        return refuse(format!(
            "Type {} is no type of state object: they are COLLECTION (0), RAYTRACING_PIPELINE (3) and \
             EXECUTABLE (4)",
            description.kind
        ));
    }
    for (place, subobject) in description.placed() {
        check_subobject(subobject, description).map_err(|error| error.at(place))?;
    }
    Ok(())
}

fn check_subobject(subobject: &Content<'_>, description: &Description<'_>) -> Result<(), Invalid> {
    match subobject {
        Subobject::Config(flags) => check_config(*flags),
        Subobject::Library(library) => check_exports(&library.exports),
        Subobject::Collection(collection) => check_exports(&collection.exports),
        Subobject::Association(association) => {
            match description.subobjects.get(association.subobject) {
                Some(
                    Subobject::Config(_)
                    | Subobject::NodeMask(_)
                    | Subobject::GlobalRootSignature(_)
                    | Subobject::LocalRootSignature(_)
                    | Subobject::ShaderConfig(_)
                    | Subobject::PipelineConfig(_)
                    | Subobject::PipelineConfig1(_),
                ) => Ok(()),
                _ => refuse("it is of no subobject that can be associated with exports"),
            }
        }
        Subobject::ShaderConfig(config) => check_shader_config(*config),
        Subobject::PipelineConfig(config) => {
            check_pipeline_config(newest(config.MaxTraceRecursionDepth))
        }
        Subobject::PipelineConfig1(config) => check_pipeline_config(*config),
        Subobject::HitGroup(group) => check_hit_group(group),
        Subobject::WorkGraph(graph) => check_work_graph(graph),
        Subobject::GenericProgram(program) => {
            if program.name.as_ref().is_some_and(String::is_empty) {
                return refuse("ProgramName is empty");
            }
            let is_state = |&index: &usize| {
                matches!(description.subobjects.get(index), Some(Subobject::State(_)))
            };
            if !program.state.iter().all(is_state) {
                return refuse("it lists what generic programs do not");
            }
            Ok(())
        }
        Subobject::NodeMask(_)
        | Subobject::DxilAssociation(_)
        | Subobject::State(_)
        | Subobject::GlobalRootSignature(_)
        | Subobject::LocalRootSignature(_) => Ok(()),
    }
}

/// The newest form of a pipeline config without flags.
pub(super) fn newest(max_trace_recursion_depth: u32) -> D3D12_RAYTRACING_PIPELINE_CONFIG1 {
    D3D12_RAYTRACING_PIPELINE_CONFIG1 {
        MaxTraceRecursionDepth: max_trace_recursion_depth,
        Flags: 0,
    }
}

/// The flags of a state object.
pub(super) fn check_config(flags: u32) -> Result<(), Invalid> {
    check_flags("Flags", flags, STATE_OBJECT_FLAGS)
}

pub(super) fn check_shader_config(config: D3D12_RAYTRACING_SHADER_CONFIG) -> Result<(), Invalid> {
    if config.MaxAttributeSizeInBytes > MAX_ATTRIBUTE_SIZE {
        return refuse(format!(
            "MaxAttributeSizeInBytes is {}, {MAX_ATTRIBUTE_SIZE} is the limit",
            config.MaxAttributeSizeInBytes
        ));
    }
    Ok(())
}

pub(super) fn check_pipeline_config(
    config: D3D12_RAYTRACING_PIPELINE_CONFIG1,
) -> Result<(), Invalid> {
    if config.MaxTraceRecursionDepth > MAX_TRACE_RECURSION_DEPTH {
        return refuse(format!(
            "MaxTraceRecursionDepth is {}, {MAX_TRACE_RECURSION_DEPTH} is the limit",
            config.MaxTraceRecursionDepth
        ));
    }
    check_flags("Flags", config.Flags, PIPELINE_FLAGS)?;
    if config.Flags & 0x300 == 0x300 {
        return refuse("Flags skip triangles as well as procedural primitives");
    }
    Ok(())
}

/// HLSL writes an empty name for no shader.
pub(super) fn check_hit_group(group: &HitGroup) -> Result<(), Invalid> {
    let name = &group.export;
    let is_procedural = match group.kind {
        D3D12_HIT_GROUP_TYPE_TRIANGLES => false,
        D3D12_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE => true,
        unknown => return refuse(format!("Type {unknown} is unknown")),
    };
    if name.is_empty() {
        return refuse("HitGroupExport is empty");
    }
    let intersection = group.intersection.as_ref();
    match (
        is_procedural,
        intersection.filter(|shader| !shader.is_empty()),
    ) {
        (false, Some(shader)) => refuse(format!(
            "hit group {name} is of triangles, which have no intersection shader such as {shader}"
        )),
        (true, None) => refuse(format!(
            "hit group {name} is of procedural primitives, which need an intersection shader"
        )),
        _ => Ok(()),
    }
}

fn check_exports(exports: &[Export]) -> Result<(), Invalid> {
    for (index, export) in exports.iter().enumerate() {
        let at = |error: Invalid| error.at(format_args!("pExports[{index}]"));
        check_flags("Flags", export.flags, D3D12_EXPORT_FLAG_NONE).map_err(at)?;
        let renamed = export.export_to_rename.as_ref();
        if export.name.is_empty() || renamed.is_some_and(String::is_empty) {
            return refuse("a name is empty").map_err(at);
        }
    }
    Ok(())
}

fn check_work_graph(graph: &WorkGraph) -> Result<(), Invalid> {
    check_flags(
        "Flags",
        graph.flags,
        D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
    )?;
    if graph.name.is_empty() {
        return refuse("ProgramName is empty");
    }
    Ok(())
}

fn check_flags(what: &str, flags: u32, known: u32) -> Result<(), Invalid> {
    if flags & !known != 0 {
        return refuse(format!("{what} has the unknown bits {:#x}", flags & !known));
    }
    Ok(())
}
