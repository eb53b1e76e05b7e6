//! State objects: collections, raytracing pipelines, executables, and additions to them.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use dxil::ShaderKind;
use plugin_sdk::ddi::D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE;
use plugin_sdk::desc::{
    Describe, Field, Fields, GenericProgram, StateObjectDesc, Subobject, unknown_values,
};
use plugin_sdk::{Error, Key, ObjectValueKeys, Result, Session};

use crate::compiler::SampleCompiler;
use crate::families::Machine;
use crate::fixed_function::FixedFunction;
use crate::link::link;
use crate::object_code::{LinkKind, Part, Role};
use crate::program::{self, Environment};
use crate::root_layout;
use crate::switches::Switches;
use crate::unit::Unit;

/// What is kept of a state object, for additions to it and for objects that have it as a collection.
///
/// All units, inherited ones included, with what their values are made of: a later call may have
/// another session, or ask for other types, and then inherited values are made and stored anew. They
/// are shared with the objects that they come from.
pub struct StateObject {
    machine: Machine,
    switches: Switches,
    /// Each key once, in the order of the key list.
    units: Vec<Arc<Unit<'static>>>,
    /// Its own link, which stands for all that it has.
    link: Part,
    /// The key of that.
    key: Key,
}

impl SampleCompiler {
    /// Compiles a state object, or an addition to `parent`.
    pub(crate) fn compile_object<'call>(
        &self,
        parent: Option<&StateObject>,
        desc: &StateObjectDesc<'call, StateObject>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, StateObject)> {
        self.check(desc)?;
        let environment = self.environment();
        let machine = environment.machine;
        let mut units = Units::default();
        // What can be linked. The link of an object that this one is made from stands for what it has: with
        // each of its parts, the links of a long line of additions would grow with its square.
        let mut code = Vec::new();
        if let Some(parent) = parent {
            self.inherit(parent, &mut units)?;
            code.push(parent.link);
        }
        let mut collections: Vec<_> = desc.collections().collect();
        collections.sort_by_key(|collection| collection.link.key);
        collections.dedup_by_key(|collection| collection.link.key);
        for collection in collections {
            self.inherit(collection, &mut units)?;
            code.push(collection.link);
        }
        // Of each subobject, in an order that is not the host's.
        let mut new = Vec::new();
        for subobject in desc.subobjects() {
            match subobject {
                Subobject::DxilLibrary(library) => {
                    check_library(desc, library.code.program()?.kind())?;
                    let own = program::library(environment, library.code)?;
                    new.push(own.into_iter().map(Unit::into_owned).collect());
                }
                Subobject::GlobalRootSignature(Some(root_signature))
                | Subobject::LocalRootSignature(Some(root_signature)) => {
                    let layout = root_layout::of(root_signature, machine.abi)?;
                    new.push(vec![Unit::root_signature(machine, layout)]);
                }
                _ => {}
            }
        }
        code.extend(units.add_sorted(new));
        let mut links = Vec::new();
        for subobject in desc.subobjects() {
            links.push(vec![match subobject {
                Subobject::HitGroup(group) => {
                    link(machine, LinkKind::HitGroup, group, code.clone())
                }
                Subobject::WorkGraph(graph) => {
                    let graph = graph.canonical();
                    link(machine, LinkKind::WorkGraph, &graph, code.clone())
                }
                Subobject::GenericProgram(program) => {
                    let state = fixed_function(desc, program);
                    state.check(self.generation())?;
                    let described = Program { program, state };
                    link(machine, LinkKind::GenericProgram, &described, code.clone())
                }
                _ => continue,
            }]);
        }
        let mut parts = code;
        parts.extend(units.add_sorted(links));
        let canonical = desc.canonical(|collection| collection.key.clone());
        let whole = link(machine, LinkKind::StateObject, &canonical, parts);
        let link = Part {
            role: Role::Link,
            key: whole.key_bytes(),
        };
        let key = whole.key().clone();
        units.add(whole);
        let units = units.list;
        let receipts = self.store(&session, units.iter().map(|unit| &**unit))?;
        let object = StateObject {
            machine,
            switches: environment.switches,
            units,
            link,
            key,
        };
        Ok((session.finish(receipts), object))
    }

    /// Takes over the units of another object.
    fn inherit(&self, from: &StateObject, units: &mut Units) -> Result<()> {
        let Environment {
            machine, switches, ..
        } = self.environment();
        if (from.machine, from.switches) != (machine, switches) {
            return Err(Error::invalid_argument(
                "a parent or collection that was compiled for another target or application",
            ));
        }
        for unit in &from.units {
            units.share(unit.clone());
        }
        Ok(())
    }

    /// Checks what can be checked of the description as such.
    fn check(&self, desc: &StateObjectDesc<'_, StateObject>) -> Result<()> {
        let capabilities = self.environment().capabilities;
        let raytracing = capabilities.options.RaytracingTier.0 != 0;
        let work_graphs = capabilities.options1_0103.WorkGraphsTier.0 != 0;
        if desc.kind().name().is_none() {
            return Err(Error::invalid_argument(format!(
                "state object type {:?}",
                desc.kind()
            )));
        }
        if desc.kind() == D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE && !raytracing {
            return Err(Error::unsupported("the target has no raytracing"));
        }
        for subobject in desc.subobjects() {
            match subobject {
                Subobject::HitGroup(_) if !raytracing => {
                    return Err(Error::unsupported("the target has no raytracing"));
                }
                Subobject::WorkGraph(_) if !work_graphs => {
                    return Err(Error::unsupported("the target has no work graphs"));
                }
                // Judged where they are read, and only as far as they are.
                Subobject::Blend(_)
                | Subobject::DepthStencil(_)
                | Subobject::GlobalRootSignature(_)
                | Subobject::LocalRootSignature(_) => continue,
                _ => {}
            }
            // Subobjects of an unknown type included.
            if let Some(unknown) = unknown_values(subobject).first() {
                let message = format!("{} is {}, which is undefined", unknown.path, unknown.value);
                return Err(Error::invalid_argument(message));
            }
        }
        Ok(())
    }
}

/// Units in the order of the key list, each key once.
#[derive(Default)]
struct Units {
    list: Vec<Arc<Unit<'static>>>,
    keys: HashSet<Key>,
}

impl Units {
    /// Adds a unit, and gives what links call it, if it is new.
    fn add(&mut self, unit: Unit<'static>) -> Option<Part> {
        let part = unit.part();
        let is_new = self.share(Arc::new(unit));
        part.filter(|_| is_new)
    }

    /// Adds the units of each subobject, in the order of their keys.
    fn add_sorted(&mut self, mut new: Vec<Vec<Unit<'static>>>) -> Vec<Part> {
        new.sort_by_cached_key(|units| {
            let keys = units.iter().map(|unit| unit.key().clone());
            keys.collect::<Vec<_>>()
        });
        let parts = new.into_iter().flatten();
        parts.filter_map(|unit| self.add(unit)).collect()
    }

    /// Whether it is new.
    fn share(&mut self, unit: Arc<Unit<'static>>) -> bool {
        let is_new = self.keys.insert(unit.key().clone());
        if is_new {
            self.list.push(unit);
        }
        is_new
    }
}

/// A raytracing pipeline has libraries only; elsewhere a shader of a graphics or compute stage can stand
/// in a library's place.
fn check_library(desc: &StateObjectDesc<'_, StateObject>, kind: ShaderKind) -> Result<()> {
    let fits = match kind {
        ShaderKind::Library => true,
        ShaderKind::Pixel
        | ShaderKind::Vertex
        | ShaderKind::Geometry
        | ShaderKind::Hull
        | ShaderKind::Domain
        | ShaderKind::Compute
        | ShaderKind::Mesh
        | ShaderKind::Amplification => {
            desc.kind() != D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE
        }
        _ => false,
    };
    if fits {
        return Ok(());
    }
    Err(Error::invalid_argument(format!(
        "a {kind} program in the place of a library"
    )))
}

/// The fixed-function state of a generic program: the subobjects that it names, else the defaults.
fn fixed_function<'a>(
    desc: &StateObjectDesc<'a, StateObject>,
    program: &GenericProgram<'a>,
) -> FixedFunction<'a> {
    let mut state = FixedFunction {
        sample_mask: u32::MAX,
        samples: (1, 0),
        ..FixedFunction::default()
    };
    let named = program.subobjects.iter().flatten();
    for subobject in named.filter_map(|&index| desc.subobjects().get(index)) {
        match subobject {
            Subobject::StreamOutput(s) => state.stream_output = Some(*s),
            Subobject::Blend(b) => state.blend = Some(b),
            Subobject::SampleMask(mask) => state.sample_mask = *mask,
            Subobject::Rasterizer(r) => state.rasterizer = Some(r),
            Subobject::DepthStencil(d) => state.depth_stencil = Some(d),
            Subobject::InputLayout(l) => state.input_layout = Some(*l),
            Subobject::IndexBufferStripCutValue(v) => state.strip_cut = *v,
            Subobject::PrimitiveTopology(t) => state.topology = *t,
            Subobject::RenderTargetFormats(f) => {
                let count = f.RTFormats.len().min(f.NumRenderTargets as usize);
                state.render_targets = &f.RTFormats[..count];
            }
            Subobject::DepthStencilFormat(f) => state.depth_stencil_format = *f,
            Subobject::SampleDesc(s) => state.samples = (s.Count, s.Quality),
            Subobject::Flags(f) => state.flags = *f,
            Subobject::ViewInstancing { locations, flags } => {
                (state.view_instances, state.view_instancing) = (locations, *flags);
            }
            _ => {}
        }
    }
    state
}

/// A generic program as it is linked.
struct Program<'a> {
    program: &'a GenericProgram<'a>,
    state: FixedFunction<'a>,
}

impl Describe for Program<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field(
            "ProgramName",
            self.program.name.map_or(Field::Absent, Field::Text),
        );
        // The shaders say which stage each is.
        let exports: BTreeSet<_> = self.program.exports.iter().copied().collect();
        for export in exports {
            to.field("pExports", Field::Text(export));
        }
        self.state.describe(to);
    }
}
