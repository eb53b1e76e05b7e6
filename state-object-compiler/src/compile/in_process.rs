//! The plugin in this process, on threads.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use compiler_runtime::message::Messages;
use compiler_runtime::{Compiler, StateObject};
use shader_db::sodb::Sodb;

use super::Listener;
use super::object::{self, Descriptions, Object};
use super::run::Run;
use crate::Result;

/// Which of the schedule's workers the threads are: what one has made, all have.
const ANY: usize = 0;

pub fn go(
    run: &Run<StateObject>,
    threads: usize,
    sodb: &Sodb,
    compiler: &Compiler,
    begun: Instant,
    listener: &dyn Listener,
) -> Result<()> {
    let work = |_| work(run, sodb, compiler, listener);
    run.go(threads, begun, listener, work, |_| {})
}

/// What each thread does.
fn work(run: &Run<StateObject>, sodb: &Sodb, compiler: &Compiler, listener: &dyn Listener) {
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
        let compiled = object::compile(&mut descs, ahead, compiler, &object, &made, &mut messages);
        for message in messages.as_slice() {
            listener.message(&entry.key, message);
        }
        let result = match compiled {
            Ok(result) => result.map_err(|failure| failure.reason),
            Err(fatal) => return run.fail(fatal),
        };
        state = run.lock();
        let unused = run.finish(&mut state, place, result, ANY);
        if !unused.is_empty() {
            // The plugin is not called under the lock.
            drop(state);
            drop(unused);
            state = run.lock();
        }
    }
}
