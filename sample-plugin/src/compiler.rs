//! The compiler: pipelines, and what state objects share with them.

use plugin_sdk::ddi::D3D12DDI_PIPELINE_STATE_FLAGS;
use plugin_sdk::desc::{
    ApplicationDesc, Describe, Field, Fields, PipelineStateDesc, Shader, ShaderStage,
    StateObjectDesc, unknown_values,
};
use plugin_sdk::{
    Capabilities, Compiler, Error, ObjectValueKeys, Receipt, Result, Session, Target,
};

use crate::caps::capabilities;
use crate::families::{Family, Generation, Machine};
use crate::fixed_function::FixedFunction;
use crate::link::link;
use crate::metadata::Provenance;
use crate::object_code::{LinkKind, RootLayout};
use crate::program::{self, Environment};
use crate::state_object::StateObject;
use crate::switches::Switches;
use crate::unit::Unit;
use crate::{profiles, root_layout};

/// A compiler for one family, ABI version and application.
pub struct SampleCompiler {
    generation: Generation,
    machine: Machine,
    capabilities: Capabilities,
    switches: Switches,
    provenance: Provenance,
}

impl SampleCompiler {
    pub(crate) fn new(target: &Target<'_>, application: &ApplicationDesc<'_>) -> Result<Self> {
        let family = Family::of(target);
        let machine = Machine::of(target)?;
        let (profile, switches) = profiles::find(application);
        Ok(Self {
            generation: family.generation,
            machine,
            capabilities: capabilities(family.generation),
            switches,
            provenance: Provenance::new(family, machine, application, profile),
        })
    }

    pub(crate) fn generation(&self) -> Generation {
        self.generation
    }

    pub(crate) fn environment(&self) -> Environment<'_> {
        Environment {
            machine: self.machine,
            capabilities: &self.capabilities,
            switches: self.switches,
        }
    }

    /// Makes sure that the values of units are in the session.
    pub(crate) fn store<'call, 'unit>(
        &self,
        session: &Session<'call>,
        units: impl Iterator<Item = &'unit Unit<'unit>>,
    ) -> Result<Vec<Receipt<'call>>> {
        units
            .map(|unit| {
                session.find_or_store(unit.key().clone(), |missing| {
                    Ok(unit.values(self.machine, &self.provenance, missing))
                })
            })
            .collect()
    }

    /// The root signature of a pipeline: its own, else that of its shaders, who must agree.
    fn root_layout(&self, desc: &PipelineStateDesc<'_>) -> Result<Option<RootLayout>> {
        if let Some(root_signature) = desc.root_signature() {
            return root_layout::of(root_signature, self.machine.abi).map(Some);
        }
        let mut common: Option<RootLayout> = None;
        for shader in desc.shaders() {
            let Some(layout) = self.root_layout_of_shader(shader)? else {
                continue;
            };
            if common.get_or_insert_with(|| layout.clone()) != &layout {
                return Err(Error::invalid_argument(
                    "the pipeline has no root signature, and its shaders have different ones",
                ));
            }
        }
        Ok(common)
    }

    fn root_layout_of_shader(&self, shader: &Shader<'_>) -> Result<Option<RootLayout>> {
        if let Some(root_signature) = &shader.root_signature {
            return root_layout::of(root_signature, self.machine.abi).map(Some);
        }
        match shader.code {
            Some(code) if code.form() == dxil::Form::Container => {
                dxil::Container::parse(code.bytes())?
                    .root_signature()?
                    .map(|root_signature| {
                        root_layout::of_container(&root_signature, self.machine.abi)
                    })
                    .transpose()
            }
            _ => Ok(None),
        }
    }
}

impl Compiler for SampleCompiler {
    type StateObject = StateObject;

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        let kind = pipeline_kind(desc)?;
        let root = self.root_layout(desc)?;
        // Everything is checked before anything is stored.
        let mut units = Vec::new();
        for shader in desc.shaders() {
            units.extend(program::shader(self.environment(), shader, root.as_ref())?);
        }
        if let Some(root) = root {
            units.push(Unit::root_signature(self.machine, root));
        }
        let parts = units.iter().filter_map(Unit::part).collect();
        units.push(if kind == LinkKind::Compute {
            let state = ComputeState(desc.flags());
            if let Some(unknown) = unknown_values(&state).first() {
                return Err(Error::invalid_argument(format!("{unknown:?}")));
            }
            link(self.machine, kind, &state, parts)
        } else {
            let state = FixedFunction::of(desc);
            state.check(self.generation)?;
            link(self.machine, kind, &state, parts)
        });
        let receipts = self.store(&session, units.iter())?;
        Ok(session.finish(receipts))
    }

    fn compile_state_object<'call>(
        &self,
        desc: &StateObjectDesc<'call, StateObject>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, StateObject)> {
        self.compile_object(None, desc, session)
    }

    fn compile_add_to_state_object<'call>(
        &self,
        parent: &StateObject,
        addition: &StateObjectDesc<'call, StateObject>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, StateObject)> {
        self.compile_object(Some(parent), addition, session)
    }
}

/// What kind of pipeline the shaders make up.
fn pipeline_kind(desc: &PipelineStateDesc<'_>) -> Result<LinkKind> {
    use ShaderStage::{Amplification, Compute, Domain, Geometry, Hull, Mesh, Pixel, Vertex};
    let only = |stages: &[ShaderStage]| desc.shaders().all(|s| stages.contains(&s.stage));
    let has = |stage| desc.shader(stage).is_some();
    if has(Compute) && only(&[Compute]) {
        return Ok(LinkKind::Compute);
    }
    let vertices =
        has(Vertex) && has(Hull) == has(Domain) && only(&[Vertex, Hull, Domain, Geometry, Pixel]);
    let meshes = has(Mesh) && only(&[Amplification, Mesh, Pixel]);
    if vertices || meshes {
        return Ok(LinkKind::Graphics);
    }
    let stages: Vec<_> = desc.shaders().map(|s| s.stage).collect();
    Err(Error::invalid_argument(format!(
        "{stages:?} make up no pipeline"
    )))
}

/// What is read of a compute pipeline besides its shader and root signature.
struct ComputeState(D3D12DDI_PIPELINE_STATE_FLAGS);

impl Describe for ComputeState {
    fn describe(&self, to: &mut dyn Fields) {
        let bits = self.0.0;
        let unknown = bits & !D3D12DDI_PIPELINE_STATE_FLAGS::KNOWN.0;
        to.field("Flags", Field::Flags { bits, unknown });
    }
}
