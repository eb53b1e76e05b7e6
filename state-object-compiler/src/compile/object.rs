//! Compiles one object.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use std::{iter, thread};

use api_desc::RecordPlaces;
use compiler_runtime::message::Messages;
use compiler_runtime::{Compiler, StateObject};
use plugin_sdk::ddi::{DXGI_ERROR_DRIVER_INTERNAL_ERROR, HRESULT};
use plugin_sdk::panic_message;
use shader_db::sodb::{self, Sodb};

use crate::key::shown;
use crate::{Error, Result};

/// The result of a plugin that does not know its own state.
const BROKEN: HRESULT = DXGI_ERROR_DRIVER_INTERNAL_ERROR;

/// How long to wait before another attempt at an object that failed on the files: another process may have locked them.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(20),
    Duration::from_millis(200),
    Duration::from_secs(1),
];

/// How many descriptions one query reads: one by one, the locks of the file would take most of the time.
pub const AT_ONCE: usize = 16;

/// Descriptions of an SODB, read ahead.
pub struct Descriptions<'a> {
    sodb: &'a Sodb,
    read: HashMap<Vec<u8>, shader_db::Result<Option<sodb::Object>>>,
}

impl<'a> Descriptions<'a> {
    pub fn new(sodb: &'a Sodb) -> Self {
        Self {
            sodb,
            read: HashMap::new(),
        }
    }

    /// The description of a key. If it was not read ahead, this also reads those of the keys in `ahead`, which the caller
    /// needs next.
    fn take<'k>(
        &mut self,
        key: &[u8],
        ahead: impl Iterator<Item = &'k [u8]>,
    ) -> Result<sodb::Object> {
        let found = if let Some(found) = self.read.remove(key) {
            found
        } else {
            let mut keys = vec![key];
            for key in ahead.take(AT_ONCE - 1) {
                keys.push(key);
            }
            let mut found = self.sodb.find_objects(&keys)?.into_iter();
            let first = found.next().unwrap_or(Ok(None));
            let rest = keys.iter().skip(1).map(|key| key.to_vec());
            self.read = rest.zip(found).collect();
            first
        };
        found?.ok_or_else(|| Error::Usage("it is no longer in the SODB".into()))
    }
}

/// An object to compile.
pub struct Object<'a> {
    pub key: &'a [u8],
    /// The version to store it in, if the caller stores it.
    pub version: Option<u32>,
}

/// The result of a compilation.
pub struct Compiled {
    pub state_object: Option<StateObject>,
    pub stored_by: StoredBy,
}

/// The run whose object is in the output, if this run stores the object at all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StoredBy {
    ThisRun,
    /// Another run, meanwhile.
    Another,
}

/// The reason why there is no object.
pub struct Failure {
    pub reason: String,
    /// Whether the plugin says that it is broken: it may refuse everything from here on, as the SDK does after a panic.
    pub is_broken: bool,
}

impl Failure {
    /// Turns the failure of an object into that of the object that is made from it.
    pub fn of_need(mut self, key: &[u8]) -> Self {
        self.reason = format!("object {}, made again for it: {}", shown(key), self.reason);
        self
    }
}

/// Compiles an object from its parent and its collections in `made`, by key. `ahead` are the keys of the objects that the
/// caller compiles next.
///
/// # Errors
///
/// Outside, an error that ends the run; inside, the reason why there is no such object.
pub fn compile<'k>(
    descs: &mut Descriptions,
    ahead: impl Iterator<Item = &'k [u8]>,
    compiler: &Compiler,
    object: &Object,
    made: &dyn Fn(&[u8]) -> Option<StateObject>,
    messages: &mut Messages,
) -> Result<Result<Compiled, Failure>> {
    let mut done = compile_once(descs, ahead, compiler, object, made, messages);
    for pause in PAUSES {
        if done.is_ok() {
            break;
        }
        thread::sleep(pause);
        *messages = Messages::default();
        done = compile_once(descs, iter::empty(), compiler, object, made, messages);
    }
    done.or_else(|error| at_last(error).map(Err))
}

/// The failure of an object whose error remains after the retries.
///
/// # Errors
///
/// The error, if it ends the run: the next object would get it too.
fn at_last(error: Error) -> Result<Failure> {
    use compiler_runtime::Error::Database;
    match error {
        // Another object may need less.
        Error::Database(shader_db::Error::OutOfMemory { .. })
        | Error::Plugin(Database(shader_db::Error::OutOfMemory { .. })) => Ok(Failure {
            reason: error.to_string(),
            is_broken: false,
        }),
        error => Err(error),
    }
}

fn compile_once<'k>(
    descs: &mut Descriptions,
    ahead: impl Iterator<Item = &'k [u8]>,
    compiler: &Compiler,
    object: &Object,
    made: &dyn Fn(&[u8]) -> Option<StateObject>,
    messages: &mut Messages,
) -> Result<Result<Compiled, Failure>> {
    let call = || -> Result<Compiled> {
        let desc = descs.take(object.key, ahead)?;
        let result = make(&desc, compiler, object, made, messages);
        let Some(version) = object.version.filter(|_| is_stored(&result)) else {
            return Ok(Compiled {
                state_object: result?,
                stored_by: StoredBy::ThisRun,
            });
        };
        let stored = compiler.session().store().find_group(object.key)?;
        check_version(stored, version)?;
        let state_object = match desc {
            sodb::Object::PipelineState(_) => None,
            // Other objects may be made from it.
            sodb::Object::StateObject(_) => {
                *messages = Messages::default();
                let object = Object {
                    version: None,
                    ..*object
                };
                make(&desc, compiler, &object, made, messages)?
            }
        };
        Ok(Compiled {
            state_object,
            stored_by: StoredBy::Another,
        })
    };
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Err(error)) if error.is_worth_a_retry() => Err(error),
        Ok(result) => Ok(result.map_err(|error| Failure {
            is_broken: matches!(&error, Error::Plugin(error) if error.result() == BROKEN),
            reason: error.to_string(),
        })),
        Err(panic) => Ok(Err(Failure {
            reason: format!("the compiler panicked: {}", panic_message(&*panic)),
            is_broken: true,
        })),
    }
}

fn is_stored<T>(result: &Result<T>) -> bool {
    use compiler_runtime::Error::Database;
    matches!(
        result,
        Err(Error::Plugin(Database(shader_db::Error::AlreadyExists)))
    )
}

/// Checks that the group which another run has stored, of version `stored`, has the version to store.
///
/// # Errors
///
/// [`Error::Usage`] if it has another version.
pub fn check_version(stored: Option<u32>, version: u32) -> Result<()> {
    match stored {
        Some(stored) if stored != version => Err(Error::Usage(format!(
            "in the meantime another run has stored it in version {stored}, not {version}"
        ))),
        _ => Ok(()),
    }
}

fn make(
    desc: &sodb::Object,
    compiler: &Compiler,
    object: &Object,
    made: &dyn Fn(&[u8]) -> Option<StateObject>,
    messages: &mut Messages,
) -> Result<Option<StateObject>> {
    match desc {
        sodb::Object::PipelineState(found) => {
            pipeline_state(found, compiler, object, messages).map(|()| None)
        }
        sodb::Object::StateObject(found) => {
            state_object(found, compiler, object, made, messages).map(Some)
        }
    }
}

fn pipeline_state(
    found: &sodb::PipelineState,
    compiler: &Compiler,
    object: &Object,
    messages: &mut Messages,
) -> Result<()> {
    let group = object.version.map(|version| (object.key, version));
    let places = RecordPlaces::default();
    compiler.compile_pipeline_state(group.as_slice(), &found.desc.borrowed(), &places, messages)?;
    Ok(())
}

fn state_object(
    found: &sodb::StateObject,
    compiler: &Compiler,
    object: &Object,
    made: &dyn Fn(&[u8]) -> Option<StateObject>,
    messages: &mut Messages,
) -> Result<StateObject> {
    let made = |key: &[u8]| {
        made(key).ok_or_else(|| {
            Error::Usage(format!(
                "it is made from object {}, which is absent",
                shown(key)
            ))
        })
    };
    let desc = found.desc.to_api();
    let desc = desc.with_collections(|_, key| made(&key))?;
    let group = object.version.map(|version| (object.key, version));
    let group = group.as_slice();
    let compiled = match &found.parent {
        None => compiler.compile_state_object(group, desc, messages),
        Some(parent) => {
            let parent = made(parent)?;
            compiler.compile_add_to_state_object(group, desc, &parent, messages)
        }
    };
    Ok(compiled?)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use shader_db::Error as Database;

    use super::*;

    #[test]
    fn memory_that_runs_out_costs_the_object_alone() {
        let path = || PathBuf::from("a.psdb");
        let of_object = [
            Error::Database(Database::OutOfMemory { path: path() }),
            Error::Plugin(Database::OutOfMemory { path: path() }.into()),
        ];
        for error in of_object {
            let failure = at_last(error).expect("an object's failure");
            assert_eq!(failure.reason, "a.psdb: out of memory");
        }
        let of_run = [
            Database::Full { path: path() },
            Database::Busy { path: path() },
        ];
        for error in of_run {
            assert!(at_last(error.into()).is_err());
        }
    }
}
