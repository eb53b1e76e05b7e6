//! What a plugin compiles: pipelines and state objects.

use std::fmt;
use std::ptr;
use std::sync::Arc;

use conformance_catalogue::verdict::Stop;
use conformance_catalogue::{Rule, rules};
use conformance_protocol::{FaultPlan, Set, Settings};
use ddi_sys::{D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS, D3D12DDIARG_CREATE_PIPELINE_STATE_0099};
use plugin_host::session::MemoryCache;

use crate::inputs::Target;
use crate::inputs::arena::Surroundings;
use crate::inputs::generated::{self, Varied as _};
use crate::inputs::pipeline::{self, Pipeline};
use crate::plugin::compiler::{Compiler, Product, Rig, USUAL_TYPES};
use crate::plugin::recorder::{self, Recording};
use crate::plugin::state_object::{self, Feature};
use crate::watch::fault::{Watch, watched};

/// Something that a plugin compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    Pipeline(&'static pipeline::Kind),
    StateObject(&'static state_object::Kind),
}

impl From<&'static pipeline::Kind> for Object {
    fn from(kind: &'static pipeline::Kind) -> Self {
        Self::Pipeline(kind)
    }
}

impl From<&'static state_object::Kind> for Object {
    fn from(kind: &'static state_object::Kind) -> Self {
        Self::StateObject(kind)
    }
}

/// The call that compiles it.
impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pipeline(kind) => write!(f, "pfnCompilePipelineState ({})", kind.name),
            Self::StateObject(kind) => write!(f, "{} ({})", kind.function(), kind.name),
        }
    }
}

impl Object {
    /// Every pipeline, then every state object.
    pub(crate) fn all() -> Vec<Self> {
        [Self::pipelines(), Self::state_objects()].concat()
    }

    pub(crate) fn pipelines() -> Vec<Self> {
        pipeline::KINDS.map(Self::Pipeline).into()
    }

    /// What has fields that are off their defaults, for each of so many targets: each field alone for the first
    /// of them, of state objects each two together too, and several at random for all.
    fn generated(settings: &Settings, targets: usize) -> Vec<Vec<Self>> {
        let seed = settings.seed;
        let (walked, kinds, pipelines, state_objects) = match settings.set {
            Set::Smoke => (0, [].as_slice(), 0, 0),
            Set::Full => (1, pipeline::WALKED.as_slice(), 32, 8),
            Set::Soak => (targets, pipeline::KINDS.as_slice(), 2000, 500),
        };
        let mut of_targets = vec![Vec::new(); targets];
        for objects in of_targets.iter_mut().take(walked) {
            objects.extend(Self::walked(kinds));
            let pairs = state_object::KINDS.into_iter();
            let pairs = pairs.flat_map(|kind| generated::pairs(kind, seed));
            objects.extend(pairs.map(Self::StateObject));
        }
        let pipelines = generated::random(&pipeline::KINDS, seed).take(pipelines);
        let state_objects = generated::random(&state_object::KINDS, seed).take(state_objects);
        let random = pipelines.map(Self::Pipeline);
        let random = random.chain(state_objects.map(Self::StateObject));
        for (number, object) in (0..targets).cycle().zip(random) {
            of_targets[number].push(object);
        }
        of_targets
    }

    /// Of these pipelines and of every state object, each field alone off its default.
    pub(crate) fn walked(pipelines: &[&'static pipeline::Kind]) -> impl Iterator<Item = Self> {
        let pipelines = pipelines.iter().flat_map(|kind| generated::walk(*kind));
        let state_objects = state_object::KINDS.into_iter().flat_map(generated::walk);
        let pipelines = pipelines.map(Self::Pipeline);
        pipelines.chain(state_objects.map(Self::StateObject))
    }

    /// Whether fields of it are off their defaults, so that a plugin may refuse it: a device may not have that.
    pub(crate) fn is_generated(self) -> bool {
        match self {
            Self::Pipeline(kind) => kind.is_generated(),
            Self::StateObject(kind) => kind.is_generated(),
        }
    }

    /// The same with one changed field less, each in turn.
    pub(crate) fn reduced(self) -> Vec<Self> {
        match self {
            Self::Pipeline(kind) => generated::reduced(kind).map(Self::Pipeline).collect(),
            Self::StateObject(kind) => generated::reduced(kind).map(Self::StateObject).collect(),
        }
    }

    pub(crate) fn state_objects() -> Vec<Self> {
        state_object::KINDS.map(Self::StateObject).into()
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pipeline(kind) => kind.name,
            Self::StateObject(kind) => kind.name,
        }
    }

    /// The rule that it compiles at all.
    pub(crate) fn rule(self) -> Rule {
        match self {
            Self::Pipeline(_) => rules::P_PSO_18,
            Self::StateObject(_) => rules::P_SO_07,
        }
    }

    /// The programs that it is made of.
    pub(crate) fn programs(self) -> Result<String, Stop> {
        match self {
            Self::Pipeline(kind) => {
                let shaders = kind.shaders.iter();
                let described = shaders
                    .map(|(stage, shader)| Ok(format!("{stage:?} shader {}", shader.described()?)));
                Ok(described.collect::<Result<Vec<_>, Stop>>()?.join(", "))
            }
            Self::StateObject(kind) => {
                let libraries = kind.libraries.iter();
                let described =
                    libraries.map(|library| Ok(format!("library {}", library.described()?)));
                Ok(described.collect::<Result<Vec<_>, Stop>>()?.join(", "))
            }
        }
    }

    /// The bytes of each program that it is made of.
    pub(crate) fn program_bytes(self) -> Result<Vec<&'static [u8]>, Stop> {
        match self {
            Self::Pipeline(kind) => {
                let shaders = kind.shaders.iter();
                shaders.map(|(_, shader)| shader.program()).collect()
            }
            Self::StateObject(kind) => {
                let libraries = kind.libraries.iter();
                libraries.map(|library| library.program()).collect()
            }
        }
    }

    /// What of the caps says that a target cannot run it, if something does.
    pub(crate) fn lacks(self, rig: &Rig, target: Target) -> Result<Option<&'static str>, Stop> {
        let caps = rig.capabilities;
        Ok(match self {
            Self::Pipeline(kind) => {
                if kind.has_mesh_shaders() && caps.lacks_mesh_shaders(target)? {
                    return Ok(Some("mesh shaders"));
                }
                for (feature, is_offered) in kind.options()? {
                    if caps.lacks_option(target, is_offered)? {
                        return Ok(Some(feature));
                    }
                }
                None
            }
            Self::StateObject(kind) => match kind.feature() {
                Feature::Raytracing => caps.lacks_raytracing(target)?.then_some("raytracing"),
                Feature::RaytracingAdditions => caps
                    .lacks_raytracing_additions(target)?
                    .then_some("additions to raytracing pipelines"),
                Feature::GenericPrograms => caps
                    .lacks_generic_programs(target)?
                    .then_some("generic programs"),
                Feature::WorkGraphs => caps.lacks_work_graphs(target)?.then_some("work graphs"),
            },
        })
    }
}

/// Something to compile for a target.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) target: Target,
    pub(crate) compiler: Compiler,
    pub(crate) object: Object,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target {
            adapter_family_index,
            abi_version,
        } = self.target;
        let object = self.object;
        write!(
            f,
            "{object} for family {adapter_family_index}, ABI version {abi_version}"
        )
    }
}

impl Case {
    pub(crate) fn compile(
        &self,
        cache: &Arc<MemoryCache>,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
    ) -> Result<Recording, Stop> {
        self.compiler
            .compile_object(cache, types, self.object, Surroundings::USUAL)
    }

    /// What comes out of compiling it into an empty cache, which must succeed for the test to go on. Needs the object's rule.
    pub(crate) fn product(&self) -> Result<Product, Stop> {
        let cache = Arc::default();
        Ok(Product::new(&self.compiled(&cache, USUAL_TYPES)?, &cache))
    }

    /// As [`compile`](Self::compile), and must succeed for the test to go on. Needs the object's rule.
    pub(crate) fn compiled(
        &self,
        cache: &Arc<MemoryCache>,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
    ) -> Result<Recording, Stop> {
        self.compiler.compiled(cache, types, self.object)
    }
}

/// A case that is compiled many times, from one description.
pub(crate) struct Repeated {
    pub(crate) case: Case,
    /// Of a pipeline; state objects have theirs.
    description: Option<Pipeline>,
}

impl Case {
    pub(crate) fn repeated(self) -> Result<Repeated, Stop> {
        let description = match self.object {
            Object::Pipeline(kind) => Some(Pipeline::new(kind, Surroundings::USUAL)?),
            Object::StateObject(_) => None,
        };
        Ok(Repeated {
            case: self,
            description,
        })
    }
}

impl Drop for Repeated {
    fn drop(&mut self) {
        if let (Some(description), Object::Pipeline(kind)) =
            (self.description.take(), self.case.object)
        {
            description.keep(kind);
        }
    }
}

impl Repeated {
    /// The description of a pipeline; null for state objects.
    pub(crate) fn arg(&self) -> *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        let description = self.description.as_ref();
        description.map_or(ptr::null(), |description| description.arg)
    }

    /// Compiles it, and before it what it is made from; the plan is for its own compile.
    pub(crate) fn compile(
        &self,
        cache: &Arc<MemoryCache>,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        plan: &FaultPlan,
    ) -> Result<Recording, Stop> {
        let compiler = self.case.compiler;
        match self.case.object {
            Object::Pipeline(_) => {
                recorder::arm(plan);
                Ok(compiler.compile(cache, types, self.arg()))
            }
            Object::StateObject(kind) => {
                let arm = |arg| {
                    recorder::arm(plan);
                    arg
                };
                let compiled = compiler.compile_changed_state_object(cache, types, kind, arm);
                recorder::arm(&FaultPlan::NONE);
                Ok(compiled?.0)
            }
        }
    }
}

impl Rig {
    /// What `targets` can run of `objects`, and in words what is left out of them.
    pub(crate) fn cases(
        &self,
        targets: &[Target],
        objects: &[Object],
    ) -> Result<(Vec<Case>, Vec<String>), Stop> {
        let (mut cases, mut left_out) = (Vec::new(), Vec::new());
        for &target in targets {
            let compiler = self.compiler(target)?;
            let (all, mut lacking) = (objects.len(), Vec::new());
            let before = cases.len();
            for &object in objects {
                match object.lacks(self, target)? {
                    None => cases.push(Case {
                        target,
                        compiler,
                        object,
                    }),
                    Some(feature) if lacking.contains(&feature) => {}
                    Some(feature) => lacking.push(feature),
                }
            }
            if !lacking.is_empty() {
                let (kinds, lacking) = (cases.len() - before, lacking.join(", "));
                let family = target.adapter_family_index;
                left_out.push(format!(
                    "{kinds} of {all} kinds for family {family}, whose caps offer no {lacking}"
                ));
            }
        }
        Ok((cases, left_out))
    }

    /// Everything that the newest target of each family can run, with the sample of the corpus, one pipeline for each
    /// other target, of not too many, and of what is generated one in so many; and in words what is left out.
    pub(crate) fn everything(
        &self,
        settings: &Settings,
        one_in: usize,
    ) -> Result<(Vec<Case>, Vec<String>), Stop> {
        let (mut cases, mut left_out) = self.cases(&self.newest_targets()?, &Object::all())?;
        let (older, of_older) = self.older_targets()?;
        left_out.extend(of_older);
        cases.extend(
            self.cases(&older, &[Object::Pipeline(&pipeline::COMPUTE)])?
                .0,
        );
        cases.extend(self.of_corpus()?);
        cases.extend(self.generated(settings, one_in)?);
        Ok((cases, left_out))
    }

    /// Of what has fields that are off their defaults one in so many. Those that a target cannot run count,
    /// so that it takes the same ones of every plugin.
    pub(crate) fn generated(&self, settings: &Settings, one_in: usize) -> Result<Vec<Case>, Stop> {
        let targets = self.newest_targets()?;
        let objects = Object::generated(settings, targets.len());
        let mut cases = Vec::new();
        let mut number = 0;
        for (target, mut objects) in targets.into_iter().zip(objects) {
            objects.retain(|_| {
                number += 1;
                number % one_in == 0
            });
            cases.extend(self.cases(&[target], &objects)?.0);
        }
        Ok(cases)
    }

    /// Of the sample of the corpus what compiles. Whether it has to only the vendor knows: P-PSO-18 names what does not.
    pub(crate) fn of_corpus(&self) -> Result<Vec<Case>, Stop> {
        let (cases, _) = self.cases(&self.newest_targets()?, &self.corpus.sample)?;
        let mut compiled = Vec::new();
        for case in cases {
            let cache = Arc::default();
            let recording = watched(vec![Watch::needs(case.object.rule())], || {
                case.compile(&cache, USUAL_TYPES)
            })?;
            if recording.result.is_ok() {
                compiled.push(case);
            }
        }
        Ok(compiled)
    }

    /// The targets that are not the newest of their family, of not too many; and in words what is left out.
    pub(crate) fn older_targets(&self) -> Result<(Vec<Target>, Option<String>), Stop> {
        /// A family has a few ABI versions; a plugin that has a hundred is not compiled for all of them.
        const MOST: usize = 32;
        let newest = self.newest_targets()?;
        let mut older = self.capabilities.targets()?;
        older.retain(|target| !newest.contains(target));
        let count = older.len();
        older.truncate(MOST);
        let left_out = (count > MOST).then(|| format!("{MOST} of {count} older targets"));
        Ok((older, left_out))
    }

    /// The newest target of each family.
    pub(crate) fn newest_targets(&self) -> Result<Vec<Target>, Stop> {
        let mut targets = self.capabilities.targets()?;
        targets.dedup_by_key(|target| target.adapter_family_index);
        Ok(targets)
    }
}
