//! The metadata of entry points in the disassembly.

use dxil::module::{EntryPoint, NodeId, NodeIo, Stage};
use dxil::{Module, ShaderKind};

use super::quoted;

/// The properties of an entry point by their tags, as the metadata has them.
pub fn properties(
    lines: &mut Vec<String>,
    module: &Module,
    entry: &EntryPoint,
    flags: Option<u64>,
) {
    let list = |numbers: &[u32]| format!("[{}]", joined(numbers));
    let id = |it: &NodeId| format!("[{} {}]", quoted(it.name.as_bytes()), it.index);
    let in_library = module.profile().is_some_and(|(name, _)| name == "lib");
    let node = entry.node.as_deref();
    let ray = entry.ray;
    let group = entry.thread_group.as_ref().map(|it| list(it));
    let (group, stage) = match entry.stage {
        Stage::Geometry {
            input_primitive,
            max_vertices,
            streams,
            topology,
            instances,
        } => {
            let all = [input_primitive, max_vertices, streams, topology, instances];
            (group, Some((1, list(&all))))
        }
        Stage::Domain {
            domain,
            input_points,
        } => (group, Some((2, list(&[domain, input_points])))),
        Stage::Hull {
            patch_function,
            input_points,
            output_points,
            domain,
            partitioning,
            output_primitive,
            max_factor,
        } => {
            let function = patch_function.expect("a patch-constant function");
            let function = quoted(module.functions()[function].name.as_bytes());
            let numbers = [
                input_points,
                output_points,
                domain,
                partitioning,
                output_primitive,
            ];
            let all = format!("[{function} {} {max_factor}]", joined(&numbers));
            (group, Some((3, all)))
        }
        Stage::Mesh {
            max_vertices,
            max_primitives,
            topology,
            payload,
        } => {
            let numbers = joined(&[max_vertices, max_primitives, topology, payload]);
            let group = group.expect("a thread group");
            (None, Some((9, format!("[{group} {numbers}]"))))
        }
        Stage::Amplification { payload } => {
            let group = group.expect("a thread group");
            (None, Some((10, format!("[{group} {payload}]"))))
        }
        Stage::Other => (group, None),
    };
    let one_size = entry.wave_size.filter(|it| it.min == it.max);
    let sizes = entry.wave_size.filter(|it| it.min != it.max);
    // The others are given a payload or a parameter only.
    let has_attributes = matches!(entry.kind, ShaderKind::AnyHit | ShaderKind::ClosestHit);
    let mut tags: Vec<(u32, Option<String>)> = vec![
        (0, flags.map(|it| it.to_string())),
        (4, group),
        (6, ray.map(|it| it.payload.to_string())),
        (
            7,
            ray.filter(|_| has_attributes)
                .map(|it| it.attributes.to_string()),
        ),
        (8, in_library.then(|| (entry.kind as u32).to_string())),
        (11, one_size.map(|it| list(&[it.min]))),
        (13, node.map(|it| it.launch.0.to_string())),
        (
            14,
            node.filter(|it| it.is_program_entry)
                .map(|_| "1".to_owned()),
        ),
        (15, node.and_then(|it| it.id.as_ref()).map(id)),
        (
            16,
            node.map(|it| it.local_root_arguments.cast_signed().to_string()),
        ),
        (17, node.and_then(|it| it.shares_input_of.as_ref()).map(id)),
        (
            18,
            node.and_then(|it| it.dispatch_grid.as_ref())
                .map(|it| list(it)),
        ),
        (
            19,
            node.filter(|it| it.max_recursion != 0)
                .map(|it| it.max_recursion.to_string()),
        ),
        (
            22,
            node.and_then(|it| it.max_dispatch_grid.as_ref())
                .map(|it| list(it)),
        ),
        (23, sizes.map(|it| list(&[it.min, it.max, it.preferred]))),
    ];
    tags.extend(stage.map(|(tag, value)| (tag, Some(value))));
    tags.sort();
    let name = quoted(entry.name.as_bytes());
    let tags = tags
        .iter()
        .filter_map(|(tag, value)| Some(format!(" {tag}={}", value.as_ref()?)));
    lines.push(format!("entry {name}{}", tags.collect::<String>()));
    for (tag, ios) in [
        (20, node.map(|it| &it.inputs)),
        (21, node.map(|it| &it.outputs)),
    ] {
        for (place, io) in ios.into_iter().flatten().enumerate() {
            lines.push(format!("node {name} {tag}[{place}]{}", node_io(io)));
        }
    }
}

fn node_io(io: &NodeIo) -> String {
    let mut record = Vec::new();
    if io.record_size != 0 {
        record.push(format!("0={}", io.record_size));
    }
    if let Some((offset, ty, components)) = io.dispatch_grid {
        record.push(format!("1=[{offset} {} {components}]", ty.0));
    }
    if io.record_alignment != 0 {
        record.push(format!("2={}", io.record_alignment));
    }
    let some = |number: u32| (number != 0).then(|| number.to_string());
    let shares = io.shares_records_with;
    let node = io.node.as_ref();
    let tags = [
        node.map(|it| format!("[{} {}]", quoted(it.name.as_bytes()), it.index)),
        Some(io.flags.0.to_string()),
        (!record.is_empty()).then(|| format!("{{{}}}", record.join(" "))),
        // With whom it shares them stands beside their number, which then is 0.
        some(io.max_records).or(shares.map(|_| "0".to_owned())),
        shares.map(|it| it.to_string()),
        some(io.array_size),
        some(io.allows_sparse.into()),
    ];
    let tags = tags.iter().enumerate();
    tags.filter_map(|(tag, value)| Some(format!(" {tag}={}", value.as_ref()?)))
        .collect()
}

fn joined(numbers: &[u32]) -> String {
    let numbers: Vec<_> = numbers.iter().map(u32::to_string).collect();
    numbers.join(" ")
}
