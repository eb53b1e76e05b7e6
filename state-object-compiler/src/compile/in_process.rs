//! The plugin in this process, on threads.
//!
//! All threads share one compiler until the plugin says that it is broken: then another compiler takes its place. A thread
//! tries an object that failed because of that once more, with a compiler of its own.

use std::collections::{HashMap, VecDeque};
use std::iter;
use std::mem;
use std::time::Instant;

use compiler_runtime::message::Messages;
use compiler_runtime::{CacheSession, Compiler, StateObject};
use parking_lot::Mutex;
use shader_db::sodb::Sodb;

use super::batches::Batches;
use super::object::{self, Compiled, Descriptions, Failure, Object, StoredBy};
use super::options::Listener;
use super::run::Run;
use crate::Result;

/// The schedule's worker for all threads: they share their state objects.
const ANY: usize = 0;

pub fn go(
    run: &Run<StateObject>,
    threads: usize,
    sodb: &Sodb,
    session: &CacheSession,
    database: &Batches,
    begun: Instant,
    listener: &dyn Listener,
) -> Result<()> {
    let compilers = Compilers {
        session,
        current: Mutex::new((0, new_compiler(session)?)),
    };
    let work = |_| work(run, sodb, &compilers, listener);
    let tick = |_| {
        if let Err(error) = database.tick() {
            run.fail(error.into());
        }
    };
    run.go(threads, begun, listener, work, tick)
}

fn new_compiler(session: &CacheSession) -> Result<Compiler> {
    Ok(session.factory().create_compiler(session)?)
}

struct Compilers<'a> {
    session: &'a CacheSession,
    /// The compiler of all threads, and how many came before it.
    current: Mutex<(usize, Compiler)>,
}

impl Compilers<'_> {
    fn current(&self) -> (usize, Compiler) {
        self.current.lock().clone()
    }

    /// Puts another compiler in the place of a broken one.
    fn replace(&self, broken: usize) -> Result<()> {
        let mut current = self.current.lock();
        if current.0 == broken {
            *current = (broken + 1, new_compiler(self.session)?);
        }
        Ok(())
    }
}

fn work(run: &Run<StateObject>, sodb: &Sodb, compilers: &Compilers, listener: &dyn Listener) {
    let mut descs = Descriptions::new(sodb);
    let mut places = VecDeque::new();
    let mut state = run.lock();
    loop {
        if state.is_stopped() {
            for place in places.drain(..).rev() {
                run.put_back(&mut state, place);
            }
        }
        if places.is_empty() {
            places = run.take_some(&mut state, ANY, object::AT_ONCE);
        }
        let Some(place) = places.pop_front() else {
            match run.wait(state) {
                Some(again) => state = again,
                None => return,
            }
            continue;
        };
        let needs = run.graph.needs[place].iter();
        let made: HashMap<&[u8], StateObject> = needs
            .filter_map(|need| {
                let (object, _) = state.made.get(need)?;
                Some((run.entries[*need].key.as_slice(), object.clone()))
            })
            .collect();
        drop(state);

        let entry = &run.entries[place];
        let object = Object {
            key: &entry.key,
            version: run.is_stored(place).then_some(entry.version),
        };
        let ahead = places.iter().map(|place| &*run.entries[*place].key);
        let mut messages = Messages::default();
        let made = |key: &[u8]| made.get(key).cloned();
        let (number, compiler) = compilers.current();
        let mut compiled =
            object::compile(&mut descs, ahead, &compiler, &object, &made, &mut messages);
        if let Ok(Err(Failure {
            is_broken: true, ..
        })) = compiled
        {
            messages = Messages::default();
            compiled = compilers.replace(number).and_then(|()| {
                again(
                    run,
                    place,
                    &mut descs,
                    compilers.session,
                    &object,
                    &mut messages,
                )
            });
        }
        for message in messages.as_slice() {
            listener.message(&entry.key, message);
        }
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(fatal) => return run.fail(fatal),
        };
        state = run.lock();
        if compiled
            .as_ref()
            .is_ok_and(|compiled| compiled.stored_by == StoredBy::Another)
        {
            state.found(place);
        }
        let result = compiled
            .map(|compiled| compiled.state_object)
            .map_err(|failure| failure.reason);
        run.finish(&mut state, place, result, ANY);
        let unused = mem::take(&mut state.unused);
        if !unused.is_empty() {
            // Drop them without the lock, as that calls the plugin.
            drop(state);
            drop(unused);
            state = run.lock();
        }
    }
}

/// Compiles an object, and first the objects that it is made from, with a compiler of its own: the compiler of its parent,
/// which may be broken, would compile an addition.
fn again(
    run: &Run<StateObject>,
    place: usize,
    descs: &mut Descriptions,
    session: &CacheSession,
    object: &Object,
    messages: &mut Messages,
) -> Result<Result<Compiled, Failure>> {
    let compiler = new_compiler(session)?;
    let mut made: HashMap<&[u8], StateObject> = HashMap::new();
    let mut compile = |object: &Object, made: &HashMap<_, StateObject>, messages: &mut _| {
        let made = |key: &[u8]| made.get(key).cloned();
        object::compile(descs, iter::empty(), &compiler, object, &made, messages)
    };
    for need in run.graph.missing(place, |_| false) {
        let key = &*run.entries[need].key;
        let need = Object { key, version: None };
        // The first compilation has already passed on its messages.
        match compile(&need, &made, &mut Messages::default())? {
            Ok(compiled) => made.extend(compiled.state_object.map(|object| (key, object))),
            Err(why) => return Ok(Err(why.of_need(key))),
        }
    }
    compile(object, &made, messages)
}
