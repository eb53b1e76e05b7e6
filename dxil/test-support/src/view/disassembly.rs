//! The comments of the disassembly.

use dxil::module::{EntryPoint, Resource, SignatureEntry};
use dxil::psv0::{
    ComponentMask, Dependencies, Element, InterpolationMode, PipelineStateValidation, StageInfo,
};
use dxil::rdat::{HitGroupType, ResourceFlags, Subobject, SubobjectKind};
use dxil::{ResourceClass, ResourceKind, ShaderKind};

/// "PSVRuntimeInfo".
pub fn pipeline_state(psv0: &PipelineStateValidation<'_>) -> Vec<String> {
    let kind = psv0.stage.expect("revision 1 or later");
    let mut lines = vec![format!("{kind:?} Shader")];
    let primitives = [
        "",
        "point",
        "line",
        "triangle",
        "",
        "",
        "lineadj",
        "triangleadj",
    ];
    let topologies = ["", "point", "line", "", "", "triangle"];
    match psv0.stage_info {
        Some(StageInfo::Vertex {
            output_position_present,
        }) => {
            lines.push(format!(
                "OutputPositionPresent={}",
                u8::from(output_position_present)
            ));
        }
        Some(StageInfo::Hull {
            input_control_point_count,
            output_control_point_count,
            tessellator_domain,
            tessellator_output_primitive,
        }) => {
            let domain = ["", "isoline", "tri", "quad"][tessellator_domain as usize];
            let primitive = ["", "point", "line", "triangle_cw", "triangle_ccw"]
                [tessellator_output_primitive as usize];
            lines.extend([
                format!("InputControlPointCount={input_control_point_count}"),
                format!("OutputControlPointCount={output_control_point_count}"),
                format!("Domain={domain}"),
                format!("OutputPrimitive={primitive}"),
            ]);
        }
        Some(StageInfo::Domain {
            input_control_point_count,
            output_position_present,
            ..
        }) => {
            lines.push(format!(
                "InputControlPointCount={input_control_point_count}"
            ));
            lines.push(format!(
                "OutputPositionPresent={}",
                u8::from(output_position_present)
            ));
        }
        Some(StageInfo::Geometry {
            input_primitive,
            output_topology,
            output_stream_mask,
            output_position_present,
            ..
        }) => lines.extend([
            format!("InputPrimitive={}", primitives[input_primitive as usize]),
            format!("OutputTopology={}", topologies[output_topology as usize]),
            format!("OutputStreamMask={output_stream_mask}"),
            format!(
                "OutputPositionPresent={}",
                u8::from(output_position_present)
            ),
        ]),
        Some(StageInfo::Pixel {
            depth_output,
            sample_frequency,
        }) => {
            lines.push(format!("DepthOutput={}", u8::from(depth_output)));
            lines.push(format!("SampleFrequency={}", u8::from(sample_frequency)));
        }
        Some(StageInfo::Mesh {
            output_topology, ..
        }) => {
            let topology = ["", "line", "triangle"][usize::from(output_topology)];
            lines.push(format!("MeshOutputTopology={topology}"));
        }
        _ => {}
    }
    if let Some([x, y, z]) = psv0.num_threads.filter(|&[x, ..]| x != 0) {
        lines.push(format!("NumThreads=({x},{y},{z})"));
    }
    let waves = [
        psv0.minimum_expected_wave_lane_count,
        psv0.maximum_expected_wave_lane_count,
    ];
    if waves[0] == waves[1] {
        lines.push(format!("WaveSize={}", waves[0]));
    } else {
        lines.push(format!("MinimumExpectedWaveLaneCount: {}", waves[0]));
        lines.push(format!("MaximumExpectedWaveLaneCount: {}", waves[1]));
    }
    lines.extend([
        format!("UsesViewID: {}", psv0.uses_view_id),
        format!("SigInputElements: {}", psv0.inputs().len()),
        format!("SigOutputElements: {}", psv0.outputs().len()),
        format!(
            "SigPatchConstOrPrimElements: {}",
            psv0.patch_constants_or_primitives().len()
        ),
        format!("SigInputVectors: {}", vectors(psv0.inputs(), 0)),
    ]);
    for stream in 0..4 {
        lines.push(format!(
            "SigOutputVectors[{stream}]: {}",
            vectors(psv0.outputs(), stream)
        ));
    }
    lines.extend(
        psv0.entry_name
            .map(|name| format!("EntryFunctionName: {name}")),
    );
    lines
}

/// How many registers the elements of a stream take.
fn vectors<'a>(elements: impl Iterator<Item = Element<'a>>, stream: u8) -> usize {
    let of_stream = elements.filter(|it| it.output_stream == stream);
    let ends = of_stream
        .filter_map(|it| Some(usize::from(it.start?.row) + it.semantic_indices.iter().len()));
    ends.max().unwrap_or(0)
}

/// The second tables of signatures. Of several rows they have the index of the first only.
pub fn interpolation(lines: &mut Vec<String>, entry: &EntryPoint) {
    for (word, entries) in [
        ("input", &entry.inputs),
        ("output", &entry.outputs),
        ("patch", &entry.patch_or_primitive),
    ] {
        for it in entries {
            let mode = match it.interpolation {
                InterpolationMode::UNDEFINED => "",
                InterpolationMode::CONSTANT => "nointerpolation",
                InterpolationMode::LINEAR => "linear",
                InterpolationMode::LINEAR_CENTROID => "centroid",
                InterpolationMode::LINEAR_NOPERSPECTIVE => "noperspective",
                InterpolationMode::LINEAR_NOPERSPECTIVE_CENTROID => "noperspective centroid",
                InterpolationMode::LINEAR_SAMPLE => "sample",
                InterpolationMode::LINEAR_NOPERSPECTIVE_SAMPLE => "noperspective sample",
                other => panic!("{other:?}"),
            };
            let dynamic: String = (0..4)
                .zip("xyzw".chars())
                .filter(|(bit, _)| it.dynamic_index_mask >> bit & 1 != 0)
                .map(|(_, letter)| letter)
                .collect();
            lines.push(squeezed(&format!(
                "interp {word} {} {} {mode} {dynamic}",
                it.name, it.indices[0]
            )));
        }
    }
}

/// Each run of spaces as one.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A row of "Resource Bindings", whose columns have no space between them where they are full.
pub fn binding(it: &Resource) -> String {
    use ResourceKind as K;
    let is_uav = it.class == ResourceClass::UAV;
    let (kind, id, register) = match it.class {
        ResourceClass::CBV => ("cbuffer", "CB", "cb"),
        ResourceClass::SAMPLER => ("sampler", "S", "s"),
        ResourceClass::SRV => ("texture", "T", "t"),
        _ => ("UAV", "U", "u"),
    };
    let format = match it.kind {
        K::CONSTANT_BUFFER | K::SAMPLER => "NA".to_owned(),
        K::RAW_BUFFER => "byte".to_owned(),
        K::STRUCTURED_BUFFER => "struct".to_owned(),
        K::TBUFFER => "u32".to_owned(),
        _ => it
            .element
            .map_or("invalid".to_owned(), |it| format!("{it:?}").to_lowercase()),
    };
    let dimension = match it.kind {
        K::CONSTANT_BUFFER | K::SAMPLER => "NA".to_owned(),
        K::RAW_BUFFER | K::STRUCTURED_BUFFER if !is_uav => "r/o".to_owned(),
        K::STRUCTURED_BUFFER if it.flags.contains(ResourceFlags::UAV_COUNTER) => {
            "r/w+cnt".to_owned()
        }
        K::RAW_BUFFER | K::STRUCTURED_BUFFER => "r/w".to_owned(),
        K::TYPED_BUFFER => "buf".to_owned(),
        K::TEXTURE_1D => "1d".to_owned(),
        K::TEXTURE_2D => "2d".to_owned(),
        K::TEXTURE_3D => "3d".to_owned(),
        K::TEXTURE_CUBE => "cube".to_owned(),
        K::TEXTURE_1D_ARRAY => "1darray".to_owned(),
        K::TEXTURE_2D_ARRAY => "2darray".to_owned(),
        K::TEXTURE_CUBE_ARRAY => "cubearray".to_owned(),
        K::TEXTURE_2DMS if it.samples == 0 => "2dMS".to_owned(),
        K::TEXTURE_2DMS => format!("2dMS{}", it.samples),
        K::TEXTURE_2DMS_ARRAY if it.samples == 0 => "2darrayMS".to_owned(),
        K::TEXTURE_2DMS_ARRAY => format!("2darrayMS{}", it.samples),
        K::TBUFFER => "tbuffer".to_owned(),
        K::ACCELERATION_STRUCTURE => "ras".to_owned(),
        K::FEEDBACK_TEXTURE_2D => "fbtex2d".to_owned(),
        K::FEEDBACK_TEXTURE_2D_ARRAY => "fbtex2darray".to_owned(),
        other => panic!("{other:?}"),
    };
    let id = format!("{id}{}", it.id);
    let space = match it.space {
        0 => String::new(),
        space => format!(",space{space}"),
    };
    let register = format!("{register}{}{space}", it.lower_bound);
    let count = match it.range_size {
        u32::MAX => "unbounded".to_owned(),
        count => count.to_string(),
    };
    squeezed(&format!(
        "binding {:<30} {kind:>10}{format:>8}{dimension:>12}{id:>8}{register:>15}{count:>6}",
        it.name
    ))
}

/// How many components there are up to the last of a stream.
fn components(entries: &[SignatureEntry], stream: u32) -> u32 {
    let of_stream = entries
        .iter()
        .filter(|it| it.stream == stream && it.start_row != u32::MAX);
    let ends = of_stream.map(|it| 4 * (it.start_row + it.rows - 1) + it.start_column + it.columns);
    ends.max().unwrap_or(0)
}

/// "ViewId state".
pub fn dependencies(entry: &EntryPoint, psv0: &PipelineStateValidation<'_>) -> Vec<String> {
    let inputs = components(&entry.inputs, 0);
    let outputs = [0, 1, 2, 3].map(|stream| components(&entry.outputs, stream));
    let others = components(&entry.patch_or_primitive, 0);
    if [inputs, outputs[0], others] == [0; 3] {
        return Vec::new();
    }
    let [o, p, q, r] = outputs;
    let mut lines = vec![match entry.kind {
        ShaderKind::Geometry => {
            format!("Number of inputs: {inputs}, outputs per stream: {{ {o}, {p}, {q}, {r} }}")
        }
        ShaderKind::Hull | ShaderKind::Domain => {
            format!("Number of inputs: {inputs}, outputs: {o}, patchconst: {others}")
        }
        ShaderKind::Mesh => {
            format!("Number of inputs: {inputs}, outputs: {o}, primitive outputs: {others}")
        }
        _ => format!("Number of inputs: {inputs}, outputs: {o}"),
    }];
    let streams: Vec<usize> = match entry.kind {
        ShaderKind::Geometry => (0..4).filter(|&stream| outputs[stream] != 0).collect(),
        _ => vec![0],
    };
    let of_stream = |stream| match entry.kind {
        ShaderKind::Geometry => format!("Outputs for Stream {stream}"),
        _ => "Outputs".to_owned(),
    };
    for &stream in &streams {
        let set = set(psv0.view_id_outputs(stream).iter());
        lines.push(format!("{} dependent on ViewId: {set}", of_stream(stream)));
    }
    let of_others = match entry.kind {
        ShaderKind::Hull => Some("PCOutputs"),
        ShaderKind::Mesh => Some("Primitive Outputs"),
        _ => None,
    };
    if let Some(word) = of_others {
        let set = set(psv0.view_id_patch_constants_or_primitives().iter());
        lines.push(format!("{word} dependent on ViewId: {set}"));
    }
    for &stream in &streams {
        lines.push(format!(
            "Inputs contributing to computation of {}:",
            of_stream(stream)
        ));
        lines.extend(transposed(psv0.input_outputs(stream)));
    }
    if let Some(word) = of_others {
        lines.push(format!("Inputs contributing to computation of {word}:"));
        lines.extend(transposed(psv0.input_patch_constants()));
    }
    if entry.kind == ShaderKind::Domain {
        lines.push("PCInputs contributing to computation of Outputs:".to_owned());
        lines.extend(transposed(psv0.patch_constant_outputs()));
    }
    lines
}

fn set(components: impl Iterator<Item = usize>) -> String {
    let components: Vec<_> = components.map(|it| it.to_string()).collect();
    squeezed(&format!("{{ {} }}", components.join(", ")))
}

/// For each output, the inputs.
fn transposed(of_inputs: Dependencies<'_>) -> Vec<String> {
    let of_inputs: Vec<ComponentMask<'_>> = of_inputs.iter().collect();
    let last = of_inputs.iter().flat_map(ComponentMask::iter).max();
    let outputs = 0..last.map_or(0, |last| last + 1);
    let lines = outputs.filter_map(|output| {
        let inputs = (0..of_inputs.len()).filter(|&input| of_inputs[input].contains(output));
        let mut inputs = inputs.peekable();
        inputs.peek()?;
        Some(format!(
            "output {output} depends on inputs: {}",
            set(inputs)
        ))
    });
    lines.collect()
}

/// A row of "Subobjects".
pub fn subobject(it: &Subobject<'_>) -> String {
    let (kind, content) = match it.kind {
        SubobjectKind::StateObjectConfig { flags } => {
            let names = [
                (
                    1,
                    "STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS",
                ),
                (
                    2,
                    "STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS",
                ),
                (4, "STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS"),
            ];
            ("StateObjectConfig", named(flags, &names))
        }
        SubobjectKind::GlobalRootSignature(bytes) => {
            ("GlobalRootSignature", format!("<{} bytes>", bytes.len()))
        }
        SubobjectKind::LocalRootSignature(bytes) => {
            ("LocalRootSignature", format!("<{} bytes>", bytes.len()))
        }
        SubobjectKind::SubobjectToExportsAssociation { subobject, exports } => {
            let exports: Vec<_> = exports.iter().map(|name| format!("\"{name}\"")).collect();
            let content = format!("\"{subobject}\", {{ {} }}", exports.join(", "));
            ("SubobjectToExportsAssociation", content)
        }
        SubobjectKind::RaytracingShaderConfig {
            max_payload_size_in_bytes,
            max_attribute_size_in_bytes,
        } => (
            "RaytracingShaderConfig",
            format!(
                "MaxPayloadSizeInBytes = {max_payload_size_in_bytes}, MaxAttributeSizeInBytes = {max_attribute_size_in_bytes}"
            ),
        ),
        SubobjectKind::RaytracingPipelineConfig {
            max_trace_recursion_depth,
        } => (
            "RaytracingPipelineConfig",
            format!("MaxTraceRecursionDepth = {max_trace_recursion_depth}"),
        ),
        SubobjectKind::HitGroup {
            hit_group_type,
            any_hit,
            closest_hit,
            intersection,
        } => {
            let kind = match hit_group_type {
                HitGroupType::TRIANGLES => "Triangle",
                _ => "ProceduralPrimitive",
            };
            let content = format!(
                "HitGroupType = {kind}, Anyhit = \"{any_hit}\", Closesthit = \"{closest_hit}\", Intersection = \"{intersection}\""
            );
            ("HitGroup", content)
        }
        SubobjectKind::RaytracingPipelineConfig1 {
            max_trace_recursion_depth,
            flags,
        } => {
            let names = [
                (0x100, "RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES"),
                (0x200, "RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES"),
            ];
            let content = format!(
                "MaxTraceRecursionDepth = {max_trace_recursion_depth}, Flags = {}",
                named(flags, &names)
            );
            ("RaytracingPipelineConfig1", content)
        }
        other => panic!("{other:?}"),
    };
    squeezed(&format!("{kind} {} = {{ {content} }};", it.name))
}

fn named(flags: u32, names: &[(u32, &str)]) -> String {
    let set = names.iter().filter(|(flag, _)| flags & flag != 0);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join(" | ")
}
