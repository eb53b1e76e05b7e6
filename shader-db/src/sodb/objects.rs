//! Objects by the keys of their rows: with any number of groups, none included.

use std::collections::HashMap;

use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension, params};

use super::database::Database;
use super::names::Column;
use super::read::{Fault, Reader, number_of};
use super::{PipelineStateDesc, Sodb, StateObjectDesc, merge};
use crate::{Error, Result};

/// A key by which the application knows an object, and the object's version under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupKey<'k> {
    /// The key.
    pub key: &'k [u8],
    /// The version.
    pub version: u32,
}

/// A stored [`GroupKey`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The key.
    pub key: Vec<u8>,
    /// The version.
    pub version: u32,
}

/// The keys of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The key of its row: the writer that stored the row made it from the content, and it stays the same in the file.
    pub object: Vec<u8>,
    /// The application's keys, in the order in which they were stored.
    pub groups: Vec<Group>,
}

/// The name by which a caller finds an object: one of its keys, or two, which must belong to one object.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectName<'k> {
    /// A key of the application's.
    pub group: Option<&'k [u8]>,
    /// The key of its row.
    pub object: Option<&'k [u8]>,
}

/// A pipeline state with its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPipelineState {
    /// Its keys.
    pub keys: Keys,
    /// Its description.
    pub desc: PipelineStateDesc,
    /// The key of the row of its root signature.
    pub root_signature: Option<Vec<u8>>,
}

/// A state object with its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundStateObject {
    /// Its keys.
    pub keys: Keys,
    /// Its description. The key of a collection that has no group has no bytes.
    pub desc: StateObjectDesc,
    /// The keys of the rows of its global root signatures, in their order.
    pub global_root_signatures: Vec<Vec<u8>>,
    /// The keys of the rows of its local root signatures, in their order.
    pub local_root_signatures: Vec<Vec<u8>>,
    /// The keys of the rows of its collections, in their order.
    pub collections: Vec<Vec<u8>>,
    /// The state object that it is an addition to.
    pub parent: Option<Parent>,
}

/// The state object that another one is an addition to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The key of its row.
    pub object: Vec<u8>,
    /// The key of its first group.
    pub group: Option<Vec<u8>>,
}

/// The objects that a state object is made from, beyond its description.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origins<'k> {
    /// For each of the description's collections the key of its row, in the place of the application's key in the
    /// description.
    pub collections: &'k [Option<Vec<u8>>],
    /// The application's key of the state object that it is an addition to.
    pub parent_group: Option<&'k [u8]>,
    /// The key of the row of the state object that it is an addition to.
    pub parent_object: Option<&'k [u8]>,
}

impl Sodb {
    /// The keys of all pipeline states, in the order in which those were stored.
    ///
    /// # Errors
    ///
    /// The errors of reading.
    pub fn pipeline_states(&self) -> Result<Vec<Keys>> {
        let list = |database: &mut Database| database.list(Column::PipelineState);
        self.lock().snapshot(list)
    }

    /// The keys of all state objects: each comes after its parent and its collections, and otherwise in the order in which
    /// they were stored.
    ///
    /// # Errors
    ///
    /// The errors of reading.
    pub fn state_objects(&self) -> Result<Vec<Keys>> {
        self.lock().snapshot(|database| {
            let list = database.list(Column::StateObject)?;
            database.in_order(list)
        })
    }

    /// How many [`pipeline_states`](Self::pipeline_states) there are.
    ///
    /// # Errors
    ///
    /// The errors of reading.
    pub fn pipeline_state_count(&self) -> Result<u64> {
        self.lock().count(Column::PipelineState)
    }

    /// How many [`state_objects`](Self::state_objects) there are.
    ///
    /// # Errors
    ///
    /// The errors of reading.
    pub fn state_object_count(&self) -> Result<u64> {
        self.lock().count(Column::StateObject)
    }

    /// Finds a pipeline state; `None` if none has the name. Without its groups it takes less time: they have no index, so the
    /// first search for groups reads all of them.
    ///
    /// # Errors
    ///
    /// As [`find_pipeline_state`](Self::find_pipeline_state); [`Error::InvalidArgument`] for a name without a key.
    pub fn find_pipeline_state_by(
        &self,
        name: ObjectName<'_>,
        with_groups: bool,
    ) -> Result<Option<FoundPipelineState>> {
        self.lock().snapshot(|database| {
            let column = Column::PipelineState;
            let Some(row) = database.row_of(column, name)? else {
                return Ok(None);
            };
            let reader = Reader::new(database.file.connection(), &database.cache);
            let read = reader.pipeline_state(&row);
            let (desc, root_signature) = read.map_err(|fault| database.fault(&row, fault))?;
            let groups = database.groups_of(column, &row, with_groups)?;
            Ok(Some(FoundPipelineState {
                keys: Keys {
                    object: row,
                    groups,
                },
                desc,
                root_signature,
            }))
        })
    }

    /// Finds a state object; `None` if none has the name. Without its groups as
    /// [`find_pipeline_state_by`](Self::find_pipeline_state_by).
    ///
    /// # Errors
    ///
    /// As [`find_pipeline_state_by`](Self::find_pipeline_state_by).
    pub fn find_state_object_by(
        &self,
        name: ObjectName<'_>,
        with_groups: bool,
    ) -> Result<Option<FoundStateObject>> {
        self.lock().snapshot(|database| {
            let column = Column::StateObject;
            let Some(row) = database.row_of(column, name)? else {
                return Ok(None);
            };
            let groups = database.groups_of(column, &row, with_groups)?;
            let Database {
                file, names, cache, ..
            } = database;
            let connection = file.connection();
            let reader = Reader::new(connection, cache);
            let mut name = |row: &[u8], _: &'static str| {
                let name = names.name_of(connection, row)?.unwrap_or_default();
                reader.charge(name.len())?;
                Ok::<_, Fault>(name)
            };
            let read = reader
                .state_object(&row, &mut name)
                .and_then(|(desc, keys)| {
                    let parent = keys.made_from.parent.map(|object| {
                        let group = name(&object, "parent")?;
                        let group = (!group.is_empty()).then_some(group);
                        Ok::<_, Fault>(Parent { object, group })
                    });
                    Ok(FoundStateObject {
                        parent: parent.transpose()?,
                        desc,
                        global_root_signatures: keys.global_root_signatures,
                        local_root_signatures: keys.local_root_signatures,
                        collections: keys.made_from.collections,
                        keys: Keys {
                            object: row.clone(),
                            groups,
                        },
                    })
                });
            read.map(Some).map_err(|fault| database.fault(&row, fault))
        })
    }

    /// Stores a pipeline state in any number of groups, or in none; returns the key of its row. It treats each group as
    /// [`store_pipeline_state`](Self::store_pipeline_state) does, and stores all of them or none.
    ///
    /// # Errors
    ///
    /// As [`store_pipeline_state`](Self::store_pipeline_state); [`Error::InvalidArgument`]: the caller gives a key twice.
    pub fn store_pipeline_state_in(
        &self,
        groups: &[GroupKey<'_>],
        desc: &PipelineStateDesc,
    ) -> Result<Vec<u8>> {
        let mut database = self.lock();
        database.transaction(|database| database.store_pipeline_state(groups, desc))
    }

    /// Stores a state object in any number of groups, or in none; returns the key of its row.
    ///
    /// # Errors
    ///
    /// As [`store_state_object`](Self::store_state_object); [`Error::InvalidArgument`]: the caller gives a key twice, or two
    /// parents. [`Error::UnknownKey`]: there is no row with the key of a collection or parent either.
    pub fn store_state_object_in(
        &self,
        groups: &[GroupKey<'_>],
        desc: &StateObjectDesc,
        origins: &Origins<'_>,
    ) -> Result<Vec<u8>> {
        let mut database = self.lock();
        database.transaction(|database| database.store_state_object(groups, desc, origins))
    }
}

/// Statements on the objects that a column of `groups` names. A caller cannot name an object whose key is no blob.
struct Statements {
    has: &'static str,
    count: &'static str,
    list: &'static str,
    groups: &'static str,
    group: &'static str,
}

impl Column {
    /// A group that names both a pipeline state and a state object belongs to the pipeline state.
    fn statements(self) -> Statements {
        match self {
            Self::PipelineState => Statements {
                has: "SELECT 1 FROM pipeline_states WHERE Key = ?1",
                count: "SELECT count(*) FROM pipeline_states \
                        WHERE typeof(Key) = 'blob' AND length(Key) > 0",
                list: "SELECT Key FROM pipeline_states \
                       WHERE typeof(Key) = 'blob' AND length(Key) > 0 ORDER BY rowid",
                groups: "SELECT PSOKey, Key, Version FROM groups WHERE PSOKey IS NOT NULL ORDER BY rowid",
                group: "SELECT Key, Version FROM groups WHERE rowid = ?1 AND PSOKey = ?2",
            },
            Self::StateObject => Statements {
                has: "SELECT 1 FROM state_objects WHERE Key = ?1",
                count: "SELECT count(*) FROM state_objects \
                        WHERE typeof(Key) = 'blob' AND length(Key) > 0",
                list: "SELECT Key FROM state_objects \
                       WHERE typeof(Key) = 'blob' AND length(Key) > 0 ORDER BY rowid",
                groups: "SELECT SOKey, Key, Version FROM groups \
                         WHERE SOKey IS NOT NULL AND PSOKey IS NULL ORDER BY rowid",
                group: "SELECT Key, Version FROM groups \
                        WHERE rowid = ?1 AND SOKey = ?2 AND PSOKey IS NULL",
            },
        }
    }
}

/// A group that a caller can ask for.
fn group(key: ValueRef<'_>, version: ValueRef<'_>) -> Option<Group> {
    let key = key.as_blob().ok().filter(|key| !key.is_empty())?;
    let version = version.as_i64().ok().and_then(number_of)?;
    Some(Group {
        key: key.to_vec(),
        version,
    })
}

impl Database {
    /// Whether there is an object with this key.
    pub fn has_row(&self, column: Column, key: &[u8]) -> Result<bool> {
        let has = column.statements().has;
        let find = || self.file.connection().prepare_cached(has)?.exists([key]);
        find().map_err(|error| self.failure(&error))
    }

    fn count(&self, column: Column) -> Result<u64> {
        let count = column.statements().count;
        let counted = self
            .file
            .connection()
            .query_row(count, [], |row| row.get(0));
        let counted = counted.map_err(|error| self.failure(&error))?;
        Ok(i64::unsigned_abs(counted))
    }

    /// The key of an object's row.
    fn row_of(&self, column: Column, name: ObjectName<'_>) -> Result<Option<Vec<u8>>> {
        let object = name.object.filter(|object| !object.is_empty());
        if name.object != object || (object.is_none() && name.group.is_none()) {
            return Err(Error::InvalidArgument("an object's key of no bytes".into()));
        }
        if let Some(key) = name.group {
            let Some(group) = self.group(key)? else {
                return Ok(None);
            };
            let row = match column {
                Column::PipelineState => group.pipeline_state.as_ref(),
                Column::StateObject => group.state_object(),
            };
            return match row {
                None => self.check_names_something(key, &group).map(|()| None),
                Some(row) if object.is_some_and(|object| object != row) => Ok(None),
                Some(row) => Ok(Some(row.clone())),
            };
        }
        let object = object.unwrap_or_default();
        let has = self.has_row(column, object)?;
        self.renew_cache();
        Ok(has.then(|| object.to_vec()))
    }

    /// The groups of an object.
    fn groups_of(&mut self, column: Column, row: &[u8], are_wanted: bool) -> Result<Vec<Group>> {
        if !are_wanted {
            return Ok(Vec::new());
        }
        let Self {
            file, names, cache, ..
        } = self;
        let connection = file.connection();
        let reader = Reader::new(connection, cache);
        let mut find = || {
            let mut groups = Vec::new();
            let mut select = connection.prepare_cached(column.statements().group)?;
            for place in names.groups_of(connection, column, row)? {
                let found = select.query_row(params![place, row], |row| {
                    Ok(group(row.get_ref(0)?, row.get_ref(1)?))
                });
                if let Some(group) = found.optional()?.flatten() {
                    reader.charge(size_of::<Group>() + group.key.len())?;
                    groups.push(group);
                }
            }
            Ok(groups)
        };
        let found: Result<_, Fault> = find();
        found.map_err(|fault| self.fault(row, fault))
    }

    pub fn list(&mut self, column: Column) -> Result<Vec<Keys>> {
        let connection = self.file.connection();
        let reader = Reader::new(connection, &self.cache);
        let Statements { list, groups, .. } = column.statements();
        let read = || {
            let mut all: Vec<Keys> = Vec::new();
            let mut places = HashMap::new();
            let mut select = connection.prepare(list)?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let object: Vec<u8> = row.get(0)?;
                reader.charge(size_of::<Keys>() + 2 * object.len())?;
                places.entry(object.clone()).or_insert(all.len());
                all.push(Keys {
                    object,
                    groups: Vec::new(),
                });
            }
            let mut select = connection.prepare(groups)?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let place = row.get_ref(0)?.as_blob().ok();
                let place = place.and_then(|object| places.get(object));
                if let Some(place) = place
                    && let Some(group) = group(row.get_ref(1)?, row.get_ref(2)?)
                {
                    reader.charge(size_of::<Group>() + group.key.len())?;
                    all[*place].groups.push(group);
                }
            }
            Ok(all)
        };
        let read: Result<_, Fault> = read();
        read.map_err(|fault| self.fault(b"", fault))
    }

    /// State objects, each after those that it is made from.
    pub fn in_order(&self, list: Vec<Keys>) -> Result<Vec<Keys>> {
        let connection = self.file.connection();
        let read = || {
            let objects = list.iter().enumerate();
            let places: HashMap<&[u8], usize> = objects
                .map(|(place, keys)| (&keys.object[..], place))
                .collect();
            let mut needs = vec![Vec::new(); list.len()];
            let mut select = connection.prepare(
                "SELECT Key, AddToStateObjectParent FROM state_objects \
                 WHERE AddToStateObjectParent IS NOT NULL UNION ALL \
                 SELECT StateObjectKey, ExistingStateObjectKey FROM so_to_existing_so_associations",
            )?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let place = |at| -> rusqlite::Result<Option<usize>> {
                    let key = row.get_ref(at)?.as_blob().ok();
                    Ok(key.and_then(|key| places.get(key)).copied())
                };
                if let (Some(of), Some(need)) = (place(0)?, place(1)?) {
                    needs[of].push(need);
                }
            }
            Ok(needs)
        };
        let needs = read().map_err(|error: rusqlite::Error| self.failure(&error))?;
        // Where objects are made from each other, one of them has to be the first.
        let order = merge::order(list.len(), |place| needs[place].clone(), |_, _| Ok(()))?;
        let mut list: Vec<Option<Keys>> = list.into_iter().map(Some).collect();
        let ordered = order.into_iter().filter_map(|place| list[place].take());
        Ok(ordered.collect())
    }
}
