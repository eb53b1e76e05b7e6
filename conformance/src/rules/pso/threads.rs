//! Compile calls at the same time.

use super::{P_PSO_07, P_PSO_18, settled};
use crate::compiler::USUAL_TYPES;
use crate::function_table::entry;
use crate::object::Object;
use crate::subject::Subject;
use crate::verdict::{Outcome, Stop, broken};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE, D3D12DDI_COMPILER_FUNCS, D3D12DDI_HCOMPILER,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, HRESULT,
};
use plugin_host::session::{self, CacheSession, MemoryCache, SessionScope};
use std::ptr;
use std::sync::{Arc, Barrier};
use std::thread;

/// More threads than the smallest machine has processors, and not too many for it.
const THREADS: usize = 4;

/// How often each thread compiles everything.
const ROUNDS: usize = 6;

/// What a compile gives: the keys, and the object code of each value.
type Made = (Vec<Vec<u8>>, Vec<(Vec<u8>, Option<Arc<[u8]>>)>);

/// A description, of which a thread has the address.
struct Job {
    what: String,
    arg: usize,
    made: Made,
}

fn compile(funcs: D3D12DDI_COMPILER_FUNCS, compiler: usize, arg: usize) -> Result<Made, HRESULT> {
    let cache = Arc::new(MemoryCache::default());
    let scope = SessionScope::new(Arc::clone(&cache) as Arc<dyn CacheSession>);
    let call = entry!(funcs, pfnCompilePipelineState);
    let compiler = D3D12DDI_HCOMPILER {
        pDrvPrivate: ptr::with_exposed_provenance_mut(compiler),
    };
    let arg: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099 = ptr::with_exposed_provenance(arg);
    // SAFETY: the compiler lives, the session does until the call is over, and the description is ours and
    // stays.
    let result = unsafe { call(compiler, scope.handle(), USUAL_TYPES, arg) };
    let keys = scope.end().unwrap_or_default();
    if !result.is_ok() {
        return Err(result);
    }
    let code = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE
        .0
        .cast_unsigned() as usize;
    let values = cache.values().into_iter();
    Ok((
        keys,
        values
            .map(|(key, values)| (key, values[code].clone()))
            .collect(),
    ))
}

pub(super) fn p_pso_19_compiles_in_threads(subject: &Subject) -> Outcome {
    // One call at a time first: what is wrong then is another rule's business.
    let recorded = subject.rig()?;
    for case in recorded
        .cases(&recorded.newest_targets()?, &Object::pipelines())?
        .0
    {
        settled(&recorded, case, USUAL_TYPES)?;
    }
    // Not the recorder's table, which has one compile call at a time.
    let rig = subject.rig_with(session::callbacks())?;
    for target in rig.newest_targets()? {
        let (cases, _) = rig.cases(&[target], &Object::pipelines())?;
        let mut jobs = Vec::new();
        for case in cases {
            subject.at(case.to_string());
            let arg = case.repeated()?.arg.expose_provenance();
            let memory = case.compiler.memory.ptr::<u8>().expose_provenance();
            let once = || {
                let made = compile(case.compiler.funcs, memory, arg);
                made.map_err(|result| {
                    Stop::needs_but_got(P_PSO_18, format!("{case} returned {result}"))
                })
            };
            let made = once()?;
            if made != once()? {
                return Err(Stop::needs(P_PSO_07));
            }
            jobs.push(Job {
                what: case.to_string(),
                arg,
                made,
            });
        }
        for (whose, count) in [("a compiler of its own each", THREADS), ("one compiler", 1)] {
            let compilers = (0..count).map(|_| rig.compiler(target));
            let compilers = compilers.collect::<Result<Vec<_>, Stop>>()?;
            subject.at(format!("{THREADS} threads with {whose}, {target}"));
            let funcs = compilers[0].funcs;
            let addresses: Vec<_> = compilers
                .iter()
                .map(|compiler| compiler.memory.ptr::<u8>().expose_provenance())
                .collect();
            if let Some((what, got)) = in_threads(funcs, &addresses, &jobs) {
                let alone = |job: &Job| compile(funcs, addresses[0], job.arg).ok();
                if jobs
                    .iter()
                    .any(|job| alone(job).as_ref() != Some(&job.made))
                {
                    return Err(Stop::needs(P_PSO_07));
                }
                broken!(
                    call: "{what}, by {THREADS} threads with {whose}",
                    expected: "the same keys and object code as by one thread",
                    got: "a difference: {got}",
                );
            }
        }
    }
    Ok(())
}

/// Has each thread compile everything, from another one on, and gives the first difference.
fn in_threads(
    funcs: D3D12DDI_COMPILER_FUNCS,
    compilers: &[usize],
    jobs: &[Job],
) -> Option<(String, String)> {
    let start = Barrier::new(THREADS);
    let work = |number: usize| {
        start.wait();
        let compiler = compilers[number % compilers.len()];
        let mut all = jobs.iter().cycle().skip(number).take(ROUNDS * jobs.len());
        all.find_map(|job| {
            let got = match compile(funcs, compiler, job.arg) {
                Ok(made) if made == job.made => return None,
                Ok((keys, _)) if keys != job.made.0 => "other keys".to_owned(),
                Ok(_) => "other object code".to_owned(),
                Err(result) => format!("returned {result}"),
            };
            Some((job.what.clone(), got))
        })
    };
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..THREADS)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        let ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ended.filter_map(Result::ok).flatten().next()
    })
}
