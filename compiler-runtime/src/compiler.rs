//! Compilers and state objects: this translates a description, has the plugin compile it, and stores the result.

use std::collections::HashSet;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use api_desc::{CollectionName, PipelineStateDesc, RecordPlaces, StateObjectDesc};
use api_sys::{
    D3D12_STATE_SUBOBJECT_TYPE, D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
};
use ddi_sys::D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS;
use plugin_host::session::SessionScope;

use crate::cache_session::Made;
use crate::desc::pipeline_state::PipelineState;
use crate::desc::state_object::{self, Collection};
use crate::message::Messages;
use crate::{CacheSession, Error, Factory};

/// A group to store: its key, and its version.
pub type Group<'a> = (&'a [u8], u32);

/// Compiles into a session: `ID3D12Compiler`. Clones share it. Any thread may compile, several at a
/// time.
///
/// A compile call has the plugin produce every type of value that the session has a file for, and stores the keys of the
/// values as each of the given groups: usually one, and none is fine. None of the groups may exist. A call is one transaction:
/// when it returns, its values and groups are in the files, and a call that fails stores nothing. The call also fails if the
/// plugin has succeeded but a key that it names has no value, or no key of a pipeline has object code, and the session has a file
/// for that.
#[derive(Clone, Debug)]
pub struct Compiler(Arc<Created>);

#[derive(Debug)]
struct Created {
    compiler: plugin_host::Compiler,
    session: CacheSession,
}

/// A compiled state object, for additions and collections: `ID3D12CompilerStateObject`. Clones share
/// it.
#[derive(Clone, Debug)]
pub struct StateObject(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    // Dropped before the parent.
    own: ManuallyDrop<Own>,
    parent: Option<StateObject>,
    compiler: Compiler,
}

// In the order of the drops: the plugin's object may point at its description.
#[derive(Debug)]
struct Own {
    object: plugin_host::StateObject,
    desc: Arc<state_object::StateObject>,
}

impl Factory {
    /// Makes a compiler that stores into `session`.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a session of another plugin; [`Error::Plugin`].
    pub fn create_compiler(&self, session: &CacheSession) -> Result<Compiler, Error> {
        if !self.is(session.factory()) {
            return Err(Error::argument("the session is one of another factory"));
        }
        let compiler = self
            .plugin()
            .create_compiler(session.target(), session.application())?;
        Ok(Compiler(Arc::new(Created {
            compiler,
            session: session.clone(),
        })))
    }
}

impl Compiler {
    /// The session that it stores into.
    pub fn session(&self) -> &CacheSession {
        &self.0.session
    }

    /// Compiles a pipeline. `places` are the places of its parts, for messages.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], with `AlreadyExists` for a group that exists; [`Error::Description`]; [`Error::Plugin`];
    /// [`Error::NoValue`] and [`Error::NoObjectCode`]. `messages` gets the errors and warnings of the description.
    pub fn compile_pipeline_state(
        &self,
        groups: &[Group<'_>],
        desc: &PipelineStateDesc<&[u8]>,
        places: &RecordPlaces,
        messages: &mut Messages,
    ) -> Result<(), Error> {
        let target = self.session().capabilities();
        self.compile(groups, true, |scope, types| {
            let desc = PipelineState::new(desc, places, Some(target), messages)?;
            // SAFETY: `desc` is a translation for the usermode DDI, and lives through the call.
            let keys = unsafe {
                self.0
                    .compiler
                    .compile_pipeline_state(scope, types, desc.arg())
            }?;
            Ok(((), keys))
        })
    }

    /// Compiles a state object. Its collections belong to this compiler's plugin, target and application.
    ///
    /// # Errors
    ///
    /// As for [`compile_pipeline_state`](Self::compile_pipeline_state).
    pub fn compile_state_object(
        &self,
        groups: &[Group<'_>],
        desc: StateObjectDesc<StateObject, &[u8]>,
        messages: &mut Messages,
    ) -> Result<StateObject, Error> {
        self.compile_object(groups, desc, None, messages)
    }

    /// Compiles an addition to a state object; the result is the whole.
    ///
    /// # Errors
    ///
    /// As for [`compile_pipeline_state`](Self::compile_pipeline_state); [`Error::Argument`] for a
    /// state object of another plugin, target or application.
    pub fn compile_add_to_state_object(
        &self,
        groups: &[Group<'_>],
        addition: StateObjectDesc<StateObject, &[u8]>,
        grow_from: &StateObject,
        messages: &mut Messages,
    ) -> Result<StateObject, Error> {
        if !self.takes(grow_from) {
            let text =
                "the state object to grow from is one of another factory, target or application";
            return Err(Error::argument(text));
        }
        self.compile_object(groups, addition, Some(grow_from), messages)
    }

    fn compile_object(
        &self,
        groups: &[Group<'_>],
        desc: StateObjectDesc<StateObject, &[u8]>,
        parent: Option<&StateObject>,
        messages: &mut Messages,
    ) -> Result<StateObject, Error> {
        let desc = desc.with_collections(|place, object| {
            if !self.takes(&object) {
                let invalid = state_object::foreign_collection().at(place);
                return Err(state_object::refuse(invalid, parent.is_some(), messages));
            }
            Ok(Collection {
                desc: Arc::clone(&object.0.own.desc),
                handle: object.0.own.object.handle(),
                keep_alive: Arc::new(object),
            })
        })?;
        self.compile(groups, false, |scope, types| {
            let parent_desc = parent.map(|parent| &parent.0.own.desc);
            let target = self.session().capabilities();
            // SAFETY: once an object is made, a plugin is called for it only to make an addition to it, and to
            // destroy it. An addition claims its parent first and gives it free when the plugin's object
            // of the addition is gone (`Own`), so no other call for an object of the line is under way.
            let desc = unsafe {
                state_object::StateObject::new(&desc, parent_desc, Some(target), messages)
            }?;
            // SAFETY: `desc` is a translation for the usermode DDI. It does not move, and the result
            // holds it and the parent until the plugin's object is gone; what was added to the
            // result holds the result. The collections are kept by `desc`.
            let (object, keys) = unsafe {
                match parent {
                    None => self
                        .0
                        .compiler
                        .create_state_object(scope, types, desc.arg()),
                    Some(parent) => parent.0.own.object.add_to(scope, types, desc.arg()),
                }
            }?;
            let compiled = Compiled {
                own: ManuallyDrop::new(Own {
                    object,
                    desc: Arc::new(desc),
                }),
                parent: parent.cloned(),
                compiler: self.clone(),
            };
            Ok((StateObject(Arc::new(compiled)), keys))
        })
    }

    /// Whether this compiler can make objects from the state object.
    fn takes(&self, object: &StateObject) -> bool {
        let (own, its) = (self.session(), object.compiler().session());
        own.factory().is(its.factory())
            && own.target() == its.target()
            && own.application() == its.application()
    }

    /// Does the work of every compile call around the plugin's call.
    ///
    /// Two calls for one group may both reach the plugin; the first that succeeds stores the group, and the other one fails
    /// (docs/spec-notes.md, "The API").
    fn compile<T>(
        &self,
        groups: &[Group<'_>],
        is_pipeline: bool,
        call: impl FnOnce(
            SessionScope,
            D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        ) -> Result<(T, Vec<Vec<u8>>), Error>,
    ) -> Result<T, Error> {
        let store = self.session().store();
        let mut seen = HashSet::new();
        for (key, _) in groups {
            // Most calls have one group, which needs no set.
            if groups.len() > 1 && !seen.insert(key) {
                return Err(Error::argument("a group key is given twice"));
            }
            if store.find_group(key)?.is_some() {
                return Err(shader_db::Error::AlreadyExists.into());
            }
        }
        let types = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(store.types().bits().cast_signed());
        let cache = self.session().cache();
        let (made, keys) = call(SessionScope::new(Arc::clone(&cache) as _), types)
            .map_err(|error| cache.cause(error))?;
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let committed = store.commit(Made {
            values: cache.take(),
            groups,
            value_keys: &keys,
            needs_code: is_pipeline,
        });
        // A plugin that a callback has failed can name keys without values.
        committed.map_err(|error| cache.cause(error))?;
        Ok(made)
    }
}

impl StateObject {
    /// The compiler that made the object.
    pub fn compiler(&self) -> &Compiler {
        &self.0.compiler
    }
}

impl CollectionName for StateObject {
    fn subobject_type(&self) -> D3D12_STATE_SUBOBJECT_TYPE {
        D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        // SAFETY: nothing uses it afterwards.
        unsafe { ManuallyDrop::drop(&mut self.own) };
        // This drops ancestors that nothing else holds one after the other: as fields, a long chain of additions would
        // recurse once for each.
        let mut ancestor = self.parent.take();
        while let Some(mut last) = ancestor.and_then(|parent| Arc::into_inner(parent.0)) {
            ancestor = last.parent.take();
        }
    }
}
