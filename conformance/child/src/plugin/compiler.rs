//! Compilers of the plugin under test, and what they make of a pipeline.

use std::ptr;
use std::sync::Arc;

use conformance_catalogue::verdict::Stop;
use conformance_catalogue::{Rule, rules};
use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_CACHE_CALLBACKS,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE, D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_COMPILER_TARGET, D3D12DDI_HCOMPILER, D3D12DDI_HRTCOMPILER,
    D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDIARG_CREATE_PIPELINE_STATE_0099, HRESULT,
};
use plugin_host::session::MemoryCache;
use serde::{Deserialize, Serialize};

use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::Pipeline;
use crate::inputs::{APPLICATIONS, Application, Inputs, NEARLY_USUAL, Target};
use crate::plugin::capabilities::Capabilities;
use crate::plugin::corpus::{self, Corpus};
use crate::plugin::function_table::entry;
use crate::plugin::object::{Case, Object};
use crate::plugin::recorder::{self, Recording};
use crate::plugin::subject::{Open, Subject};
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::{Guarded, Place};

/// What the tests ask for where it does not matter.
pub(crate) const USUAL_TYPES: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE.0
            | D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA.0,
    );

/// Hosts align private memory to this.
pub(crate) const PRIVATE_ALIGN: usize = 16;

/// A size of private memory that no compiler has.
pub(crate) const ABSURD_SIZE: usize = 1 << 30;

/// An open plugin that compilers can be created with.
#[derive(Clone, Copy)]
pub(crate) struct Rig {
    pub(crate) open: Open,
    pub(crate) capabilities: Capabilities,
    pub(crate) corpus: &'static Corpus,
    funcs: D3D12DDI_COMPILER_FUNCS,
}

impl Subject<'_> {
    /// Opens, negotiates and sets the callback table of number 0. Needs P-TBL-01, P-TBL-02,
    /// P-CBT-01 and what selecting a version needs.
    pub(crate) fn rig(&self) -> Result<Rig, Stop> {
        self.rig_with(recorder::callbacks::<0>())
    }

    /// As [`rig`](Self::rig), with another callback table.
    pub(crate) fn rig_with(
        &self,
        callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    ) -> Result<Rig, Stop> {
        let rig = self.rig_without_callbacks()?;
        rig.open.set_callbacks(callbacks)?;
        Ok(rig)
    }

    pub(crate) fn rig_without_callbacks(&self) -> Result<Rig, Stop> {
        let open = self.open()?;
        open.select()?;
        Ok(Rig {
            corpus: self.corpus()?,
            ..open.selected_rig()?
        })
    }
}

impl Open {
    /// Fills both tables; a version is selected already. Needs P-TBL-01 and P-TBL-02.
    pub(crate) fn selected_rig(self) -> Result<Rig, Stop> {
        Ok(Rig {
            open: self,
            capabilities: self.selected_capabilities()?,
            corpus: &corpus::NONE,
            funcs: self.table()?,
        })
    }
}

impl Rig {
    /// The first target. Needs what the list of targets needs.
    pub(crate) fn target(&self) -> Result<Target, Stop> {
        Ok(self.capabilities.targets()?[0])
    }

    pub(crate) fn calc_private_compiler_size(
        &self,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
    ) -> usize {
        let call = entry!(self.funcs, pfnCalcPrivateCompilerSize);
        // SAFETY: structures of ours.
        unsafe { call(target, application) }
    }

    /// Creates a compiler in `memory`, which has the size that the plugin asked for.
    pub(crate) fn create_compiler(
        &self,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
        memory: &Guarded,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnCreateCompiler);
        let compiler = D3D12DDI_HCOMPILER {
            pDrvPrivate: memory.ptr(),
        };
        let runtime = D3D12DDI_HRTCOMPILER {
            handle: ptr::without_provenance_mut(crate::plugin::subject::HOST_HANDLE),
        };
        // SAFETY: structures and memory of ours; null where a test is about that.
        unsafe { call(target, application, compiler, runtime) }
    }

    /// A compiler for `target` in roomy memory. Needs P-CMP-01.
    pub(crate) fn compiler(&self, target: Target) -> Result<Compiler, Stop> {
        self.compiler_for(target, &Application::USUAL)
    }

    /// As [`compiler`](Self::compiler), for another application. Without an engine it needs P-PROF-03.
    pub(crate) fn compiler_for(
        &self,
        target: Target,
        application: &Application,
    ) -> Result<Compiler, Stop> {
        self.compiler_in(target, application, Surroundings::USUAL)
    }

    /// As [`compiler_for`](Self::compiler_for), where `surroundings` are around target and application.
    pub(crate) fn compiler_in(
        &self,
        target: Target,
        application: &Application,
        surroundings: Surroundings,
    ) -> Result<Compiler, Stop> {
        // What the plugin does with its inputs later is other rules' business: they stay.
        let inputs: &'static Inputs =
            Box::leak(Box::new(Inputs::new(target, application, surroundings)?));
        let size = application
            .watched(|| self.calc_private_compiler_size(inputs.target, inputs.application));
        let rule = application.rule(rules::P_CMP_01);
        if size > ABSURD_SIZE {
            return Err(Stop::needs(rule));
        }
        let memory = Guarded::new(size, PRIVATE_ALIGN, Place::Roomy, 0)?;
        let result = application
            .watched(|| self.create_compiler(inputs.target, inputs.application, &memory));
        if result.is_ok() {
            Ok(Compiler {
                has_engine: application.engine.is_some(),
                ..self.created(memory)
            })
        } else {
            let got = format!("pfnCreateCompiler returned {result}");
            Err(Stop::needs_but_got(rule, got))
        }
    }

    /// What every compiler for `target` makes of `object`. Needs the object's rule and P-PSO-07.
    pub(crate) fn expected(
        &self,
        target: Target,
        object: impl Into<Object>,
    ) -> Result<Product, Stop> {
        let object = object.into();
        let first = self.compiler(target)?.expected(object)?;
        let second = self.compiler(target)?.expected(object)?;
        if first == second {
            Ok(first)
        } else {
            Err(Stop::needs(rules::P_PSO_07))
        }
    }

    /// The compiler that was created in `memory`.
    pub(crate) fn created(&self, memory: Guarded) -> Compiler {
        self.created_in(Box::leak(Box::new(memory)))
    }

    /// As [`created`](Self::created), in memory that stays.
    pub(crate) fn created_in(&self, memory: &'static Guarded) -> Compiler {
        Compiler {
            funcs: self.funcs,
            memory,
            has_engine: true,
        }
    }
}

/// Compilers of many targets, each for every application of the suite: the usual one, the marked one, and the others.
#[derive(Default)]
pub(crate) struct ForApplications(Vec<(Target, Vec<(&'static Application, Compiler)>)>);

impl ForApplications {
    /// Those of a case's target; of what is generated only the first two. Needs P-CMP-01.
    pub(crate) fn of(
        &mut self,
        rig: &Rig,
        Case { target, object, .. }: Case,
    ) -> Result<&[(&'static Application, Compiler)], Stop> {
        let known = self.0.iter().position(|(known, _)| *known == target);
        let index = known.unwrap_or(self.0.len());
        if known.is_none() {
            let one = |application| Ok((application, rig.compiler_for(target, application)?));
            let all = APPLICATIONS.iter().chain(&NEARLY_USUAL).map(one);
            self.0.push((target, all.collect::<Result<_, Stop>>()?));
        }
        let all = &self.0[index].1;
        Ok(if object.is_generated() {
            &all[..2]
        } else {
            all
        })
    }
}

/// A compiler that exists. Its memory stays, whether it is destroyed or not: as long as it lives it
/// needs it, and what comes after is the business of one rule only.
#[derive(Clone, Copy)]
pub(crate) struct Compiler {
    pub(crate) funcs: D3D12DDI_COMPILER_FUNCS,
    pub(crate) memory: &'static Guarded,
    /// Whether its application has one.
    has_engine: bool,
}

impl Compiler {
    /// The rule that it compiles `object`.
    fn rule(&self, object: Object) -> Rule {
        if self.has_engine {
            object.rule()
        } else {
            rules::P_PROF_03
        }
    }

    pub(crate) fn handle(&self) -> D3D12DDI_HCOMPILER {
        D3D12DDI_HCOMPILER {
            pDrvPrivate: self.memory.ptr(),
        }
    }

    /// Compiles in a session over `cache`.
    pub(crate) fn compile(
        &self,
        cache: &Arc<MemoryCache>,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        arg: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> Recording {
        recorder::record(cache, |session| self.call_pipeline(session, types, arg))
    }

    /// Compiles in a session that lives.
    pub(crate) fn call_pipeline(
        &self,
        session: D3D12DDI_HRTCOMPILERCACHESESSION,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        arg: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnCompilePipelineState);
        // SAFETY: the compiler exists; the session lives for this call; the description is ours,
        // or null where a test is about that.
        unsafe { call(self.handle(), session, types, arg) }
    }

    /// Compiles in sessions over `cache`: what the object is made from, if anything, and then the object
    /// itself. Descriptions stay: what the plugin does with them later is other rules' business.
    pub(crate) fn compile_object(
        &self,
        cache: &Arc<MemoryCache>,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        object: impl Into<Object>,
        surroundings: Surroundings,
    ) -> Result<Recording, Stop> {
        match object.into() {
            Object::Pipeline(kind) => {
                let pipeline = Pipeline::new(kind, surroundings)?;
                let recording = self.compile(cache, types, pipeline.arg);
                pipeline.keep(kind);
                Ok(recording)
            }
            Object::StateObject(kind) => {
                let (recording, object) = self.compile_state_object(cache, types, kind)?;
                std::mem::forget(object);
                Ok(recording)
            }
        }
    }

    /// A compile that must succeed for the test to go on. Needs the object's rule.
    pub(crate) fn compiled(
        &self,
        cache: &Arc<MemoryCache>,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        object: impl Into<Object>,
    ) -> Result<Recording, Stop> {
        let object = object.into();
        let recording = watched(vec![Watch::needs(self.rule(object))], || {
            self.compile_object(cache, types, object, Surroundings::USUAL)
        })?;
        let result = recording.result;
        if result.is_ok() {
            Ok(recording)
        } else {
            let got = format!("{object} returned {result}");
            Err(Stop::needs_but_got(self.rule(object), got))
        }
    }

    /// What comes out of compiling `object` into an empty cache; `None` when the compile fails.
    pub(crate) fn product(
        &self,
        object: impl Into<Object>,
        surroundings: Surroundings,
    ) -> Result<Option<Product>, Stop> {
        let cache = Arc::default();
        let recording = self.compile_object(&cache, USUAL_TYPES, object, surroundings)?;
        Ok(recording
            .result
            .is_ok()
            .then(|| Product::new(&recording, &cache)))
    }

    /// The product that others are compared with: it is the same twice. Needs the object's rule and
    /// P-PSO-07.
    pub(crate) fn expected(&self, object: impl Into<Object>) -> Result<Product, Stop> {
        let object = object.into();
        let one = || {
            watched(vec![Watch::needs(self.rule(object))], || {
                self.product(object, Surroundings::USUAL)
            })
        };
        match (one()?, one()?) {
            (Some(first), Some(second)) if first == second => Ok(first),
            (Some(_), Some(_)) => Err(Stop::needs(rules::P_PSO_07)),
            _ => Err(Stop::needs(self.rule(object))),
        }
    }

    pub(crate) fn destroy(&self) {
        let call = entry!(self.funcs, pfnDestroyCopiler);
        // SAFETY: the compiler exists.
        unsafe { call(self.handle()) };
    }
}

/// What a compile produced that the driver depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Product {
    /// The key list.
    pub(crate) keys: Vec<Vec<u8>>,
    /// Every key in the cache that has object code, and the code, in the order of the keys.
    pub(crate) code: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Product {
    pub(crate) fn new(recording: &Recording, cache: &MemoryCache) -> Self {
        let keys = recording
            .key_lists()
            .next()
            .map(|(_, keys)| keys)
            .unwrap_or_default();
        Self::of(keys.iter().flatten().cloned().collect(), cache)
    }

    /// These keys, and what is in a cache.
    pub(crate) fn of(keys: Vec<Vec<u8>>, cache: &MemoryCache) -> Self {
        let code = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE
            .0
            .cast_unsigned() as usize;
        let values = cache.values().into_iter();
        Self {
            keys,
            code: values
                .filter_map(|(key, values)| Some((key, values[code].as_deref()?.to_vec())))
                .collect(),
        }
    }

    /// The first difference from another product, in words; nothing when there is none.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        if self.keys.len() != other.keys.len() {
            return Some(format!(
                "{} keys, then {}",
                self.keys.len(),
                other.keys.len()
            ));
        }
        let keys = self.keys.iter().zip(&other.keys).enumerate();
        for (index, (mine, others)) in keys {
            if mine != others {
                return Some(format!(
                    "key {index} is {}, then {}",
                    short_hex(mine),
                    short_hex(others)
                ));
            }
        }
        if self.code.len() != other.code.len() {
            return Some(format!(
                "{} values of object code, then {}",
                self.code.len(),
                other.code.len()
            ));
        }
        for ((key, mine), (other_key, others)) in self.code.iter().zip(&other.code) {
            if key != other_key {
                return Some(format!(
                    "object code under key {}, then {}",
                    short_hex(key),
                    short_hex(other_key)
                ));
            }
            if mine != others {
                let same = mine.iter().zip(others).take_while(|(a, b)| a == b);
                let at = same.count();
                return Some(format!(
                    "the object code of key {} differs from byte {at} on ({} bytes, then {})",
                    short_hex(key),
                    mine.len(),
                    others.len()
                ));
            }
        }
        None
    }
}

/// The first bytes of a key.
pub(crate) fn short_hex(key: &[u8]) -> String {
    const SHOWN: usize = 12;
    match key.get(..SHOWN) {
        Some(first) if key.len() > SHOWN => {
            format!("0x{}… ({} bytes)", hex::encode(first), key.len())
        }
        _ => format!("0x{}", hex::encode(key)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Product, short_hex};

    #[test]
    fn differences_are_named() {
        let product = |keys: &[&[u8]], code: &[(&[u8], &[u8])]| Product {
            keys: keys.iter().map(|key| key.to_vec()).collect(),
            code: code
                .iter()
                .map(|(key, code)| (key.to_vec(), code.to_vec()))
                .collect(),
        };
        let one = product(&[b"a"], &[(b"a", b"code")]);
        let differs = |other: Product| one.difference(&other);
        assert_eq!(differs(one.clone()), None);
        assert_eq!(differs(product(&[], &[])).unwrap(), "1 keys, then 0");
        assert_eq!(
            differs(product(&[b"b"], &[])).unwrap(),
            "key 0 is 0x61, then 0x62"
        );
        assert_eq!(
            differs(product(&[b"a"], &[])).unwrap(),
            "1 values of object code, then 0"
        );
        assert_eq!(
            differs(product(&[b"a"], &[(b"b", b"code")])).unwrap(),
            "object code under key 0x61, then 0x62"
        );
        assert_eq!(
            differs(product(&[b"a"], &[(b"a", b"codec")])).unwrap(),
            "the object code of key 0x61 differs from byte 4 on (4 bytes, then 5)"
        );
        assert_eq!(
            short_hex(&[0xAB; 20]),
            "0xabababababababababababab… (20 bytes)"
        );
    }
}
