//! From a module's metadata to the interface of its code.
//!
//! Drivers are given a bare program: entry points, attributes and resources come from nowhere else.

use dxil::module::{Module, Resource as ModuleResource, SignatureEntry, Stage};
use dxil::{Program, ResourceClass, ShaderKind};
use plugin_sdk::{Error, Result};

use crate::link::name_hash;
use crate::object_code::{Argument, Attribute, EntryPoint, Interface, Resource, Sampler};
use crate::root_layout::CONSTANTS;

// Resource::access, besides those of Argument.
pub(crate) const UNBOUND: u32 = 3;
pub(crate) const STATIC_SAMPLER: u32 = 4;

/// A count of registers without end.
const UNBOUNDED: u32 = u32::MAX;

/// Checks that a module is what its program says, and has what the driver starts.
///
/// # Errors
///
/// E_INVALIDARG when kind of shader or shader model differ, an entry point is missing or has no body, or
/// a shader that runs in groups states no size of them.
pub(crate) fn check(program: &Program<'_>, module: &Module) -> Result<()> {
    let (kind, model) = (program.kind(), program.shader_model());
    let expected = profile(kind).map(|profile| (profile, model));
    if module.profile().is_none() || module.profile() != expected {
        return Err(Error::invalid_argument(format!(
            "a {kind} program of model {model} whose module says {:?}",
            module.profile()
        )));
    }
    let entry_points = module.entry_points();
    if kind != ShaderKind::Library && entry_points.len() != 1 {
        return Err(Error::invalid_argument(format!(
            "a {kind} shader with {} entry points",
            entry_points.len()
        )));
    }
    for entry in entry_points {
        let function = entry.function.and_then(|f| module.functions().get(f));
        if !function.is_some_and(|function| function.is_defined) {
            let message = format!("entry point {:?} has no function", entry.name);
            return Err(Error::invalid_argument(message));
        }
        let in_groups = matches!(
            entry.kind,
            ShaderKind::Compute | ShaderKind::Mesh | ShaderKind::Amplification
        );
        if in_groups && entry.thread_group.is_none_or(|group| group.contains(&0)) {
            let message = format!("entry point {:?} has no thread group", entry.name);
            return Err(Error::invalid_argument(message));
        }
    }
    Ok(())
}

/// The short name that the metadata has for a kind of program; `None` for kinds that are in libraries
/// only.
fn profile(kind: ShaderKind) -> Option<&'static str> {
    Some(match kind {
        ShaderKind::Pixel => "ps",
        ShaderKind::Vertex => "vs",
        ShaderKind::Geometry => "gs",
        ShaderKind::Hull => "hs",
        ShaderKind::Domain => "ds",
        ShaderKind::Compute => "cs",
        ShaderKind::Library => "lib",
        ShaderKind::Mesh => "ms",
        ShaderKind::Amplification => "as",
        _ => return None,
    })
}

/// What the metadata says; nothing is bound yet, and the DDI's signatures are empty.
pub(crate) fn of(module: &Module) -> Interface {
    let mut interface = Interface {
        flags: module.flags(),
        resources: module.resources().iter().map(resource).collect(),
        ..Interface::default()
    };
    for (place, entry) in (0..).zip(module.entry_points()) {
        interface.entry_points.push(entry_point(entry));
        let signatures = [&entry.inputs, &entry.outputs, &entry.patch_or_primitive];
        for (direction, signature) in (0..).zip(signatures) {
            let attributes = signature.iter().map(|e| attribute(place, direction, e));
            interface.attributes.extend(attributes);
        }
    }
    interface
}

fn entry_point(entry: &dxil::module::EntryPoint) -> EntryPoint {
    let units: Vec<u8> = plain_name(&entry.name)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let [name_low, name_high] = name_hash(&units);
    let [threads_x, threads_y, threads_z] = entry.thread_group.unwrap_or_default();
    let waves = entry.wave_size.map(|w| (w.min, w.max, w.preferred));
    let (wave_min, wave_max, wave_preferred) = waves.unwrap_or_default();
    let ray = entry.ray.unwrap_or_default();
    let base = EntryPoint {
        name_low,
        name_high,
        kind: entry.kind as u32,
        threads_x,
        threads_y,
        threads_z,
        wave_min,
        wave_max,
        wave_preferred,
        payload: ray.payload,
        hit_attributes: ray.attributes,
        launch: entry.node.as_ref().map_or(0, |node| node.launch.0),
        ..EntryPoint::default()
    };
    match entry.stage {
        Stage::Geometry {
            input_primitive,
            max_vertices,
            streams,
            topology,
            instances,
        } => EntryPoint {
            input: input_primitive,
            output: max_vertices,
            streams,
            topology,
            instances,
            ..base
        },
        Stage::Domain {
            domain,
            input_points,
        } => EntryPoint {
            domain,
            input: input_points,
            ..base
        },
        Stage::Hull {
            // It is among the instructions.
            patch_function: _,
            input_points,
            output_points,
            domain,
            partitioning,
            output_primitive,
            max_factor,
        } => EntryPoint {
            input: input_points,
            output: output_points,
            domain,
            partitioning,
            topology: output_primitive,
            max_factor: max_factor.to_bits(),
            ..base
        },
        Stage::Mesh {
            max_vertices,
            max_primitives,
            topology,
            payload,
        } => EntryPoint {
            output: max_vertices,
            primitives: max_primitives,
            topology,
            payload,
            ..base
        },
        Stage::Amplification { payload } => EntryPoint { payload, ..base },
        Stage::Other => base,
    }
}

/// The name as it was written, by which state objects name functions: `f` of `\x01?f@@YAXXZ`.
fn plain_name(name: &str) -> &str {
    let mangled = name.strip_prefix("\u{1}?");
    mangled.map_or(name, |rest| {
        rest.split_once('@').map_or(rest, |(name, _)| name)
    })
}

fn attribute(entry_point: u32, direction: u32, entry: &SignatureEntry) -> Attribute {
    Attribute {
        entry_point,
        direction,
        semantic: entry.semantic.0,
        component_type: entry.ty.0,
        interpolation: entry.interpolation.0,
        rows: entry.rows,
        columns: entry.columns,
        start_row: entry.start_row,
        start_column: entry.start_column,
        stream: entry.stream,
        semantic_index: entry.indices.first().copied().unwrap_or_default(),
    }
}

fn resource(resource: &ModuleResource) -> Resource {
    Resource {
        class: resource.class.0,
        id: resource.id,
        kind: resource.kind.0,
        space: resource.space,
        register: resource.lower_bound,
        count: resource.range_size,
        element: resource.element.map_or(0, |element| element.0),
        size: resource.stride.unwrap_or(resource.size),
        flags: resource.flags.0,
        variant: resource.samples.max(resource.sampler),
        access: UNBOUND,
        ..Resource::default()
    }
}

impl Interface {
    /// Binds the resources to the arguments and static samplers of a root signature that the stage
    /// sees. What no resource is bound to does not get in, so it does not split the program's values.
    ///
    /// A resource that the root signature lacks stays unbound: the runtime compares the two when a
    /// pipeline is made, and a shader may never use what it declares.
    pub(crate) fn bind(&mut self, (arguments, samplers): (Vec<Argument>, Vec<Sampler>)) {
        for resource in &mut self.resources {
            let found = arguments.iter().find(|argument| covers(argument, resource));
            if let Some(argument) = found {
                (resource.access, resource.place) = (argument.access, argument.place);
                resource.offset = argument.offset + (resource.register - argument.register);
                resource.descriptor_flags = argument.flags;
                if argument.class == CONSTANTS {
                    resource.constants = argument.count;
                }
                continue;
            }
            let found = samplers.iter().find(|sampler| {
                resource.class == ResourceClass::SAMPLER.0
                    && (sampler.space, sampler.register) == (resource.space, resource.register)
            });
            if let Some(&sampler) = found {
                resource.access = STATIC_SAMPLER;
                resource.place = u32::try_from(self.samplers.len()).unwrap_or(u32::MAX);
                self.samplers.push(sampler);
            }
        }
    }
}

/// Whether all registers of a resource are among those of a root argument.
fn covers(argument: &Argument, resource: &Resource) -> bool {
    let (class, count) = match argument.class {
        CONSTANTS => (ResourceClass::CBV.0, 1),
        class => (class, argument.count),
    };
    let Some(skipped) = resource.register.checked_sub(argument.register) else {
        return false;
    };
    let is_inside = count == UNBOUNDED
        || resource.count != UNBOUNDED
            && u64::from(skipped) + u64::from(resource.count) <= u64::from(count);
    (class, argument.space) == (resource.class, resource.space)
        && is_inside
        && argument.offset.checked_add(skipped).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(bytes: &[u8]) -> (dxil::Version, Module) {
        let container = dxil::Container::parse(bytes).unwrap();
        let program = container.program().unwrap();
        (program.shader_model(), Module::parse(&program).unwrap())
    }

    macro_rules! interface {
        ($file:literal) => {
            of(&module(include_bytes!(concat!(
                "../../dxil/corpus/dxil/",
                $file,
                ".dxil"
            )))
            .1)
        };
    }

    #[test]
    fn entry_points_are_those_of_the_metadata() {
        let compute = interface!("raw_copy_cs").entry_points;
        let [entry] = compute[..] else {
            panic!("one entry point")
        };
        assert_eq!(entry.kind, ShaderKind::Compute as u32);
        let threads = [entry.threads_x, entry.threads_y, entry.threads_z];
        assert_eq!(threads, [128, 1, 1]);

        let mesh = interface!("meshlet_ms").entry_points[0];
        assert_eq!(mesh.kind, ShaderKind::Mesh as u32);
        assert!(mesh.output > 0 && mesh.primitives > 0 && mesh.topology == 2);
        let hull = interface!("tess_tri_hs").entry_points[0];
        assert_eq!((hull.input, hull.output), (3, 3));
        assert_ne!(hull.max_factor, 0);
        assert_eq!(
            interface!("tess_tri_ds").entry_points[0].domain,
            hull.domain
        );
        let geometry = interface!("layers_gs").entry_points[0];
        assert!(geometry.output > 0 && geometry.streams == 1);

        // By the names that state objects use.
        let library = interface!("rt_pipeline_lib63").entry_points;
        let name: Vec<u8> = "shade_triangle"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let hash = name_hash(&name);
        let closest = library
            .iter()
            .find(|entry| [entry.name_low, entry.name_high] == hash)
            .unwrap();
        assert_eq!(closest.kind, ShaderKind::ClosestHit as u32);
        assert!(closest.payload > 0 && closest.hit_attributes > 0);
        let nodes = interface!("wg_nodes_lib68").entry_points;
        assert!(nodes.iter().any(|entry| entry.launch != 0));
    }

    #[test]
    fn attributes_say_how_they_are_interpolated() {
        let pixel = interface!("forward_plain_ps").attributes;
        let inputs: Vec<_> = pixel.iter().filter(|a| a.direction == 0).collect();
        assert!(inputs.iter().any(|a| a.interpolation == 2), "{inputs:?}");
        assert!(pixel.iter().any(|a| a.direction == 1));
        // SV_TessFactor and SV_InsideTessFactor.
        let hull = interface!("tess_tri_hs").attributes;
        assert!(hull.iter().filter(|a| a.direction == 2).count() >= 2);
    }

    fn argument(class: u32, register: u32, count: u32) -> Argument {
        Argument {
            class,
            register,
            count,
            access: 2,
            place: 7,
            offset: 10,
            flags: 3,
            ..Argument::default()
        }
    }

    fn bound(resource: Resource, arguments: &[Argument], samplers: &[Sampler]) -> Interface {
        let mut interface = Interface {
            resources: vec![resource],
            ..Interface::default()
        };
        interface.bind((arguments.to_vec(), samplers.to_vec()));
        interface
    }

    #[test]
    fn resources_are_bound_to_what_has_all_of_their_registers() {
        let srv = |register, count| Resource {
            register,
            count,
            access: UNBOUND,
            ..Resource::default()
        };
        for (resource, range, offset) in [
            (srv(4, 2), argument(0, 4, 2), Some(10)),
            (srv(5, 1), argument(0, 4, 2), Some(11)),
            (srv(5, 2), argument(0, 4, 2), None),
            (srv(3, 1), argument(0, 4, 2), None),
            (srv(5, UNBOUNDED), argument(0, 4, 2), None),
            (srv(5, UNBOUNDED), argument(0, 4, UNBOUNDED), Some(11)),
            (srv(u32::MAX, 1), argument(0, 0, UNBOUNDED), None),
            (srv(4, 1), argument(1, 4, 2), None),
        ] {
            let interface = bound(resource, &[argument(2, 0, 9), range], &[]);
            let found = interface.resources[0];
            assert_eq!((found.access == 2).then_some(found.offset), offset);
            assert_eq!(found.access == UNBOUND, offset.is_none());
        }
        let buffer = Resource {
            class: ResourceClass::CBV.0,
            count: 1,
            ..srv(0, 1)
        };
        let constants = Argument {
            access: 0,
            offset: 0,
            ..argument(CONSTANTS, 0, 16)
        };
        let found = bound(buffer, &[constants], &[]).resources[0];
        assert_eq!((found.access, found.place, found.constants), (0, 7, 16));
    }

    #[test]
    fn only_static_samplers_that_are_used_are_kept() {
        let sampler = |register| Sampler {
            register,
            ..Sampler::default()
        };
        let resource = Resource {
            class: ResourceClass::SAMPLER.0,
            register: 1,
            count: 1,
            access: UNBOUND,
            ..Resource::default()
        };
        let interface = bound(resource, &[], &[sampler(0), sampler(1)]);
        assert_eq!(interface.samplers, [sampler(1)]);
        let found = interface.resources[0];
        assert_eq!((found.access, found.place), (STATIC_SAMPLER, 0));
    }

    #[test]
    fn a_module_of_another_kind_or_model_is_refused() {
        let bytes = include_bytes!("../../dxil/corpus/dxil/raw_copy_cs.dxil");
        let (_, compute) = module(bytes);
        let container = dxil::Container::parse(bytes).unwrap();
        let program = container.program().unwrap();
        check(&program, &compute).unwrap();
        let vertex = include_bytes!("../../dxil/corpus/dxil/forward_plain_vs.dxil");
        check(&program, &module(vertex).1).unwrap_err();
        let newer = include_bytes!("../../dxil/corpus/dxil/wave_size_cs.dxil");
        let (model, newer) = module(newer);
        assert_ne!(model, program.shader_model());
        check(&program, &newer).unwrap_err();
    }
}
