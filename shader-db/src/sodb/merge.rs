//! Merging databases, and the order for making objects.

use std::collections::{HashMap, HashSet};

use super::database::Database;
use super::names::Column;
use super::objects::{Group, GroupKey, Keys, Origins};
use super::read::{Fault, Reader};
use super::rows::MadeFrom;
use super::{Entry, Sodb};
use super::{PipelineStateDesc, StateObjectDesc};
use crate::{Error, Result, short_hex};

/// The result of a merge, by keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Keys that the merge added.
    pub added: Vec<Vec<u8>>,
    /// Keys whose object the merge replaced by one of a higher version.
    pub replaced: Vec<Vec<u8>>,
    /// Keys that keep their object, because that of the other database has a lower version.
    pub kept: Vec<Vec<u8>>,
    /// How many keys already had the same object.
    pub same: u64,
    /// How many objects without a key the database has from this merge, including those that it already had.
    pub without_key: u64,
    /// The objects and keys that the merge left out.
    pub left_out: Vec<LeftOut>,
}

/// An object that a merge left out, or a key that no caller could ask for, whose object the merge took without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its key; `None` if it has none.
    pub key: Option<Vec<u8>>,
    /// The reason.
    pub reason: Error,
}

/// The state of a search.
#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Begun,
    Done,
}

/// The places of entries, in an order in which each comes after its parent and its collections, and otherwise in theirs.
///
/// # Errors
///
/// [`Error::InvalidArgument`]: an entry is made from itself. An entry that is made from an object outside the entries is no
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
            short_hex(&entries[need].key),
            short_hex(&entries[place].key)
        )))
    })
}

/// The places up to `count`, each after those that it needs, and otherwise in their order. `circle` gets a place that needs
/// itself and the place through which it does, which then comes before it.
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
    /// Adds the objects of other databases, one database after the other: those with keys and those without. This database
    /// keeps its application, and an object that it has in a higher version. The merge leaves out and lists objects that it
    /// cannot read there or store here, and those made from them.
    ///
    /// Do not merge two databases into each other at the same time: the threads would wait for each other.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: a key has another object of the same version here. The errors of listing the objects there
    /// and of writing here. After an error, the merge has added nothing from any of them.
    pub fn merge(&self, from: &[&Self]) -> Result<Vec<Merged>> {
        if from.iter().any(|from| std::ptr::eq(self, *from)) {
            return Err(Error::InvalidArgument(
                "a database merged into itself".into(),
            ));
        }
        let mut to = self.lock();
        to.transaction(|to| {
            let merge = |from: &&Self| {
                let mut from = from.lock();
                from.snapshot(|from| Source::new(from).merge(to))
            };
            from.iter().map(merge).collect()
        })
    }
}

/// A database that the merge reads.
struct Source<'f> {
    from: &'f mut Database,
    merged: Merged,
    /// The keys of its objects.
    keys: HashSet<Vec<u8>>,
    /// For the row of each state object that the merge has taken, its row in the target database.
    rows: HashMap<Vec<u8>, Vec<u8>>,
}

/// An object that the merge has read, made from rows of the other database.
#[expect(
    clippy::large_enum_variant,
    reason = "one is read at a time, and most are of the larger one"
)]
enum Read {
    PipelineState(PipelineStateDesc),
    StateObject(StateObjectDesc, MadeFrom),
}

impl Read {
    fn store(&self, to: &mut Database, groups: &[GroupKey<'_>]) -> Result<Vec<u8>> {
        match self {
            Self::PipelineState(desc) => to.store_pipeline_state(groups, desc),
            Self::StateObject(desc, made_from) => {
                let collections: Vec<_> = made_from.collections.iter().cloned().map(Some).collect();
                let origins = Origins {
                    collections: &collections,
                    parent_group: None,
                    parent_object: made_from.parent.as_deref(),
                };
                to.store_state_object(groups, desc, &origins)
            }
        }
    }
}

impl<'f> Source<'f> {
    fn new(from: &'f mut Database) -> Self {
        Self {
            from,
            merged: Merged::default(),
            keys: HashSet::new(),
            rows: HashMap::new(),
        }
    }

    fn merge(mut self, to: &mut Database) -> Result<Merged> {
        for keys in self.from.list(Column::PipelineState)? {
            self.take(to, Column::PipelineState, keys)?;
        }
        let state_objects = self.from.list(Column::StateObject)?;
        for keys in self.from.in_order(state_objects)? {
            self.take(to, Column::StateObject, keys)?;
        }
        for Entry { key, version, .. } in self.from.entries()? {
            if self.keys.contains(&key) {
                continue;
            }
            let reason = self.from.find_object(&key).err().unwrap_or_else(|| {
                let text = "its row in groups names no object";
                self.from.fault(&key, Fault::Wrong(text.into()))
            });
            self.leave_out(to, &[Group { key, version }], reason)?;
        }
        Ok(self.merged)
    }

    /// Takes an object with each of its keys, or without any.
    fn take(&mut self, to: &mut Database, column: Column, keys: Keys) -> Result<()> {
        let Keys { object, groups } = keys;
        let own = groups.iter().map(|group| group.key.clone());
        self.keys.extend(own);
        let read = match self.read(column, &object, &groups) {
            Ok(read) => read,
            Err(reason) => return self.leave_out(to, &groups, reason),
        };
        if groups.is_empty() {
            match read.store(to, &[]) {
                Ok(row) => {
                    self.merged.without_key += 1;
                    self.rows.insert(object, row);
                }
                Err(reason) => self.leave_out(to, &groups, reason)?,
            }
            return Ok(());
        }
        for group in groups {
            let Group { key, version } = &group;
            let version = *version;
            let existing = to.group(key)?;
            let before = existing.as_ref().map(|existing| existing.version);
            let row = if before.is_some_and(|before| before > version) {
                self.merged.kept.push(key.clone());
                existing.and_then(|existing| existing.state_object().cloned())
            } else {
                match read.store(to, &[GroupKey { key, version }]) {
                    Ok(row) => {
                        match before {
                            None => self.merged.added.push(key.clone()),
                            Some(before) if before < version => {
                                self.merged.replaced.push(key.clone());
                            }
                            Some(_) => self.merged.same += 1,
                        }
                        Some(row)
                    }
                    Err(Error::AlreadyExists) => {
                        return Err(Error::InvalidArgument(format!(
                            "object {} of version {version} differs in {} and {}",
                            short_hex(key),
                            to.file.name.display(),
                            self.from.file.name.display()
                        )));
                    }
                    Err(reason) => {
                        self.leave_out(to, &[group], reason)?;
                        None
                    }
                }
            };
            // An object that is made from it is made from what the first of its keys names.
            if let Some(row) = row {
                self.rows.entry(object.clone()).or_insert(row);
            }
        }
        Ok(())
    }

    /// Reads an object, which is made from objects that the merge has taken.
    fn read(&self, column: Column, object: &[u8], groups: &[Group]) -> Result<Read> {
        let name = groups.first().map_or(object, |group| &group.key);
        let reader = Reader::new(self.from.file.connection(), &self.from.cache);
        let fault = |fault| self.from.fault(name, fault);
        if column == Column::PipelineState {
            let (desc, _) = reader.pipeline_state(object).map_err(fault)?;
            return Ok(Read::PipelineState(desc));
        }
        let read = reader.state_object(object, &mut |_, _| Ok(Vec::new()));
        let (desc, keys) = read.map_err(fault)?;
        let row = |of: &Vec<u8>, what: &str| {
            self.rows.get(of).cloned().ok_or_else(|| Error::UnknownKey {
                path: self.from.file.name.clone(),
                reason: format!("the {what} of object {} is left out", short_hex(name)),
            })
        };
        let collections = keys.made_from.collections.iter();
        let collections = collections.map(|of| row(of, "collection"));
        let parent = keys.made_from.parent.as_ref().map(|of| row(of, "parent"));
        let made_from = MadeFrom {
            collections: collections.collect::<Result<_>>()?,
            parent: parent.transpose()?,
        };
        Ok(Read::StateObject(desc, made_from))
    }

    /// Lists an object with each of its keys, unless the reason is not the object's fault.
    fn leave_out(&mut self, to: &Database, groups: &[Group], reason: Error) -> Result<()> {
        let is_of_object = match &reason {
            Error::InvalidArgument(_) | Error::TooBig { .. } | Error::UnknownKey { .. } => true,
            Error::Corrupt { path, .. } => *path != to.file.name,
            _ => false,
        };
        if !is_of_object {
            return Err(reason);
        }
        let left_out = |key| LeftOut {
            key,
            reason: reason.clone(),
        };
        let list = &mut self.merged.left_out;
        if groups.is_empty() {
            list.push(left_out(None));
        }
        list.extend(groups.iter().map(|group| left_out(Some(group.key.clone()))));
        Ok(())
    }
}
