//! Merging databases, and the order in which objects can be made.

use std::collections::{HashMap, VecDeque};

use super::objects::{GroupKey, Origins};
use super::{Entry, Object, PipelineState, Sodb, StateObject, hex};
use crate::{Error, Result};

/// How many objects are read at once.
const AT_ONCE: usize = 64;

/// What a merge did, by keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Keys that were added.
    pub added: Vec<Vec<u8>>,
    /// Keys that have a higher version than before.
    pub replaced: Vec<Vec<u8>>,
    /// Keys that keep their object, because the other has a lower version.
    pub kept: Vec<Vec<u8>>,
    /// How many keys were there with the same object.
    pub same: u64,
}

/// How far a search has come.
#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Begun,
    Done,
}

/// The places of entries so that each comes behind its parent and its collections, and otherwise in their order.
///
/// # Errors
///
/// [`Error::InvalidArgument`]: an entry is made from itself. One that is made from what is not among the entries is no
/// error.
pub fn dependency_order(entries: &[Entry]) -> Result<Vec<usize>> {
    let mut places = HashMap::new();
    for (place, entry) in entries.iter().enumerate() {
        places.entry(entry.key.as_slice()).or_insert(place);
    }
    let needs = |place: usize| {
        let entry = &entries[place];
        let keys = entry.parent.iter().chain(&entry.collections);
        keys.filter_map(|key| places.get(key.as_slice()).copied())
            .collect()
    };
    order(entries.len(), needs, |need, place| {
        Err(Error::InvalidArgument(format!(
            "object {} is made from itself, by way of {}",
            hex(&entries[need].key),
            hex(&entries[place].key)
        )))
    })
}

/// The places up to `count`, each behind those that it needs, and otherwise in their order. `circle` hears of a place that
/// needs itself and of the one by way of which it does, which then comes before it.
pub(super) fn order(
    count: usize,
    needs: impl Fn(usize) -> Vec<usize>,
    mut circle: impl FnMut(usize, usize) -> Result<()>,
) -> Result<Vec<usize>> {
    let mut states = vec![State::New; count];
    let mut order = Vec::with_capacity(count);
    for first in 0..count {
        let mut waiting = vec![first];
        while let Some(&place) = waiting.last() {
            match states[place] {
                State::New => {
                    states[place] = State::Begun;
                    for need in needs(place).into_iter().rev() {
                        match states[need] {
                            State::New => waiting.push(need),
                            State::Begun => circle(need, place)?,
                            State::Done => {}
                        }
                    }
                }
                State::Begun => {
                    states[place] = State::Done;
                    order.push(place);
                    waiting.pop();
                }
                State::Done => {
                    waiting.pop();
                }
            }
        }
    }
    Ok(order)
}

impl Sodb {
    /// Adds all objects of another database, or none. This one keeps its application, and an object that it has in a
    /// higher version. Objects without a key are not taken.
    ///
    /// Two databases must not be merged into each other at the same time: the threads would wait for each other.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: a key has another object of the same version here; an object is made from itself.
    /// Otherwise as finding an object there and storing it here.
    pub fn merge(&self, from: &Self) -> Result<Merged> {
        if std::ptr::eq(self, from) {
            return Err(Error::InvalidArgument(
                "a database merged into itself".into(),
            ));
        }
        let entries = from.entries()?;
        let order = dependency_order(&entries)?;
        let mut database = self.lock();
        database.transaction(|database| {
            let mut merged = Merged::default();
            let mut found = VecDeque::new();
            for (done, place) in order.iter().enumerate() {
                let Entry { key, version, .. } = &entries[*place];
                if found.is_empty() {
                    let next = order[done..].iter().take(AT_ONCE);
                    let keys: Vec<&[u8]> = next.map(|place| &entries[*place].key[..]).collect();
                    found = from.find_objects(&keys)?.into();
                }
                let object = found.pop_front().unwrap_or(Ok(None));
                let before = database.group(key)?.map(|group| group.version);
                if before.is_some_and(|before| before > *version) {
                    merged.kept.push(key.clone());
                    continue;
                }
                let stored = object?.map(|object| match object {
                    Object::PipelineState(PipelineState { version, desc }) => {
                        database.store_pipeline_state(&[GroupKey { key, version }], &desc)
                    }
                    Object::StateObject(StateObject {
                        version,
                        desc,
                        parent,
                    }) => {
                        let origins = Origins {
                            parent_group: parent.as_deref(),
                            ..Origins::default()
                        };
                        database.store_state_object(&[GroupKey { key, version }], &desc, &origins)
                    }
                });
                match stored {
                    Some(Err(Error::AlreadyExists)) => {
                        return Err(Error::InvalidArgument(format!(
                            "object {} of version {version} differs in {} and {}",
                            hex(key),
                            database.file.path.display(),
                            from.lock().file.path.display()
                        )));
                    }
                    Some(stored) => drop(stored?),
                    None => continue,
                }
                match before {
                    None => merged.added.push(key.clone()),
                    Some(before) if before < *version => merged.replaced.push(key.clone()),
                    Some(_) => merged.same += 1,
                }
            }
            Ok(merged)
        })
    }
}
