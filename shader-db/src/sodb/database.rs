//! One connection to a database: the work of the public functions in their transactions.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::cache::Cache;
use super::file::File;
use super::names::{Column, Names};
use super::objects::{GroupKey, Origins};
use super::read::{Fault, Reader, number_of};
use super::rows::{self, MadeFrom, Rows};
use super::{Application, Entry, Kind, MAX_SIZE, Object, PipelineState, StateObject};
use super::{PipelineStateDesc, StateObjectDesc};
use crate::{Error, Result, short_hex, sqlite};

/// A row of `groups`.
pub struct Group {
    pub version: u32,
    pub pipeline_state: Option<Vec<u8>>,
    state_object: Option<Vec<u8>>,
}

impl Group {
    /// The key of the state object. Where a row names both, the pipeline state counts.
    pub fn state_object(&self) -> Option<&Vec<u8>> {
        self.state_object
            .as_ref()
            .filter(|_| self.pipeline_state.is_none())
    }
}

/// A connection and the state of its file.
pub struct Database {
    pub file: File,
    pub names: Names,
    pub cache: RefCell<Cache>,
    /// Bytes of the rows of the objects that the connection has read since the last reset to 0.
    read: usize,
    /// How many transactions of a caller are active, each inside the previous one.
    pub depth: u32,
    /// Whether a store inside such a transaction has begun and not ended.
    is_storing: bool,
}

/// The most bytes of rows for objects that one call reads together; a single object may have more.
const MOST_AT_ONCE: usize = 64 << 20;

fn check_key(key: &[u8]) -> Result<()> {
    if key.is_empty() {
        return Err(Error::InvalidArgument("a key of no bytes".into()));
    }
    if key.len() > MAX_SIZE {
        return Err(Error::TooBig {
            size: key.len(),
            limit: MAX_SIZE,
        });
    }
    Ok(())
}

impl Database {
    /// Keeps at most this many bytes of rows in the cache.
    pub fn new(file: File, cached: usize) -> Self {
        Self {
            file,
            names: Names::default(),
            cache: RefCell::new(Cache::new(cached)),
            read: 0,
            depth: 0,
            is_storing: false,
        }
    }

    pub fn failure(&self, error: &rusqlite::Error) -> Error {
        Error::sqlite(&self.file.name, error)
    }

    pub fn run(&self, statement: &str) -> Result<()> {
        let run = || {
            let connection = self.file.connection();
            connection.prepare_cached(statement)?.execute([])
        };
        run().map(|_| ()).map_err(|error| self.failure(&error))
    }

    /// Runs reads in one transaction.
    pub fn snapshot<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.is_in_transaction() {
            return read(self);
        }
        self.run("BEGIN")?;
        let found = read(self);
        match found {
            Ok(_) => self.run("COMMIT")?,
            Err(_) => self.abandon(),
        }
        found
    }

    /// Runs stores in one transaction: all of them, or none.
    pub fn transaction<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let is_part = self.is_in_transaction();
        let (begin, end) = if is_part {
            self.file.check_writable()?;
            ("SAVEPOINT store", "RELEASE store")
        } else {
            self.file.begin_write()?;
            ("BEGIN IMMEDIATE", "COMMIT")
        };
        self.run(begin)?;
        self.is_storing = is_part;
        let done = write(self).and_then(|done| self.run(end).map(|()| done));
        if done.is_err() {
            self.abandon();
        } else if is_part {
            // The release of a savepoint, unlike a commit, does not change the version of the content.
            self.cache.get_mut().clear();
        }
        self.is_storing = false;
        done
    }

    /// Rolls back a transaction after a failure; inside a caller's transaction, only the present store.
    pub fn abandon(&mut self) {
        self.forget();
        let is_part = self.is_in_transaction();
        let undo = match (is_part, self.is_storing) {
            (true, true) => "ROLLBACK TO store; RELEASE store",
            (true, false) => return,
            (false, _) => "ROLLBACK",
        };
        self.is_storing = false;
        if !self.file.connection().is_autocommit() {
            let _ = self.file.connection().execute_batch(undo);
        }
    }

    /// Forgets cached rows, which may be gone.
    pub fn forget(&mut self) {
        self.names.forget();
        self.cache.get_mut().clear();
    }

    pub fn application(&self) -> Result<Option<Application>> {
        let find = "SELECT exe, app_name, engine_name, app_version, engine_version FROM app_id ORDER BY id LIMIT 1";
        let find = self.file.connection().query_row(find, [], |row| {
            let version = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
            Ok(Application {
                exe: row.get(0)?,
                name: row.get(1)?,
                engine_name: row.get(2)?,
                version: version(3)?,
                engine_version: version(4)?,
            })
        });
        find.optional().map_err(|error| self.failure(&error))
    }

    pub fn set_application(&mut self, application: &Application) -> Result<()> {
        let invalid = |text: &str| Err(Error::InvalidArgument(text.into()));
        if application.exe.is_empty() || application.name.is_empty() {
            return invalid("an application needs the file name of its executable and a name");
        }
        if application.engine_name.is_none() && application.engine_version != 0 {
            return invalid("the version of an engine without a name");
        }
        let texts = [&application.exe, &application.name];
        if texts
            .into_iter()
            .chain(&application.engine_name)
            .any(|text| text.contains('\0'))
        {
            return invalid("a NUL inside a string");
        }
        self.transaction(|database| {
            let connection = database.file.connection();
            // Readers take the lowest id, which is 0 unless another writer's is less.
            let set = connection.execute("DELETE FROM app_id", []).and_then(|_| {
                connection.execute(
                "INSERT INTO app_id (id, exe, app_name, engine_name, app_version, engine_version) \
                 VALUES (0, ?1, ?2, ?3, ?4, ?5)",
                params![
                    application.exe,
                    application.name,
                    application.engine_name,
                    application.version.cast_signed(),
                    application.engine_version.cast_signed()
                ],
            )
            });
            set.map(|_| ()).map_err(|error| database.failure(&error))
        })
    }

    pub fn group(&self, key: &[u8]) -> Result<Option<Group>> {
        check_key(key)?;
        let find = || {
            let mut find = self.file.connection().prepare_cached(
                "SELECT Version, PSOKey, SOKey FROM groups WHERE Key = ?1 ORDER BY rowid LIMIT 1",
            )?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            find.query_row([key], row).optional()
        };
        let found = find().map_err(|error| self.failure(&error))?;
        self.renew_cache();
        let Some((version, pipeline_state, state_object)) = found else {
            return Ok(None);
        };
        let Some(version) = number_of(version) else {
            return Err(self.corrupt(key, &format!("its version is {version}")));
        };
        Ok(Some(Group {
            version,
            pipeline_state,
            state_object,
        }))
    }

    /// Call it after the first statement of a transaction: it drops rows of another version of the content.
    pub fn renew_cache(&self) {
        let content = sqlite::data_version(self.file.connection());
        self.cache.borrow_mut().be_of(content);
    }

    fn corrupt(&self, key: &[u8], reason: &str) -> Error {
        Error::Corrupt {
            path: self.file.name.clone(),
            reason: format!("object {}: {reason}", short_hex(key)),
        }
    }

    pub fn fault(&self, key: &[u8], fault: Fault) -> Error {
        match fault {
            Fault::Sqlite(error) => self.failure(&error),
            Fault::Wrong(reason) => self.corrupt(key, &reason),
            Fault::Unnamed(what) => Error::UnknownKey {
                path: self.file.name.clone(),
                reason: format!("no key names the {what} of object {}", short_hex(key)),
            },
        }
    }

    /// Reads the object of a key if it has the kind that `read` reads.
    pub fn find<T>(
        &mut self,
        key: &[u8],
        read: impl FnOnce(&mut Self, &[u8], &Group) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        self.snapshot(|database| match database.group(key)? {
            Some(group) => read(database, key, &group),
            None => Ok(None),
        })
    }

    /// Reads the objects of the first keys.
    pub fn find_objects<K: AsRef<[u8]>>(
        &mut self,
        keys: &[K],
    ) -> Result<Vec<Result<Option<Object>>>> {
        self.read = 0;
        self.snapshot(|database| {
            let mut objects = Vec::with_capacity(keys.len());
            for key in keys {
                objects.push(database.find_object(key.as_ref()));
                if database.read > MOST_AT_ONCE {
                    break;
                }
            }
            Ok(objects)
        })
    }

    pub fn find_object(&mut self, key: &[u8]) -> Result<Option<Object>> {
        let Some(group) = self.group(key)? else {
            return Ok(None);
        };
        if group.pipeline_state.is_some() {
            let found = self.read_pipeline_state(key, &group)?;
            Ok(found.map(Object::PipelineState))
        } else {
            let found = self.read_state_object(key, &group)?;
            Ok(found.map(Object::StateObject))
        }
    }

    pub fn read_pipeline_state(
        &mut self,
        key: &[u8],
        group: &Group,
    ) -> Result<Option<PipelineState>> {
        let Some(row) = &group.pipeline_state else {
            return self.check_names_something(key, group).map(|()| None);
        };
        let reader = Reader::new(self.file.connection(), &self.cache);
        let read = reader.pipeline_state(row);
        self.read += reader.charged();
        let (desc, _) = read.map_err(|fault| self.fault(key, fault))?;
        Ok(Some(PipelineState {
            version: group.version,
            desc,
        }))
    }

    pub fn read_state_object(&mut self, key: &[u8], group: &Group) -> Result<Option<StateObject>> {
        let Some(row) = group.state_object() else {
            return self.check_names_something(key, group).map(|()| None);
        };
        let Self {
            file, names, cache, ..
        } = self;
        let connection = file.connection();
        let reader = Reader::new(connection, cache);
        let mut name = |row: &[u8], what: &'static str| {
            let name = names.name_of(connection, row)?;
            let name = name.ok_or(Fault::Unnamed(what))?;
            reader.charge(name.len())?;
            Ok::<_, Fault>(name)
        };
        let read = reader
            .state_object(row, &mut name)
            .and_then(|(desc, keys)| {
                let parent = keys.made_from.parent.as_deref();
                let parent = parent.map(|row| name(row, "parent")).transpose()?;
                Ok((desc, parent))
            });
        self.read += reader.charged();
        let (desc, parent) = read.map_err(|fault| self.fault(key, fault))?;
        Ok(Some(StateObject {
            version: group.version,
            desc,
            parent,
        }))
    }

    pub fn check_names_something(&self, key: &[u8], group: &Group) -> Result<()> {
        match group {
            Group {
                pipeline_state: None,
                state_object: None,
                ..
            } => Err(self.corrupt(key, "its row in groups names no object")),
            _ => Ok(()),
        }
    }

    pub fn entries(&mut self) -> Result<Vec<Entry>> {
        let Self {
            file, names, cache, ..
        } = self;
        let reader = Reader::new(file.connection(), cache);
        let entries = entries(file.connection(), &reader, names);
        entries.map_err(|fault| match fault {
            Fault::Sqlite(error) => self.failure(&error),
            Fault::Wrong(reason) => Error::Corrupt {
                path: self.file.name.clone(),
                reason: format!("groups: {reason}"),
            },
            Fault::Unnamed(_) => unreachable!("an entry says so itself"),
        })
    }

    pub fn bytecode_sizes(&self) -> Result<HashMap<Vec<u8>, u64>> {
        let read = || {
            let mut sizes = self.file.connection().prepare(
                "SELECT groups.Key, (SELECT sum(octet_length(Bytecode)) FROM shader_bytecode WHERE Key IN \
                 (ByteCode_VS, ByteCode_PS, ByteCode_HS, ByteCode_DS, ByteCode_GS, ByteCode_AS, ByteCode_MS, ByteCode_CS)) \
                 FROM groups JOIN pipeline_states ON pipeline_states.Key = PSOKey \
                 UNION ALL SELECT groups.Key, (SELECT sum(octet_length(Bytecode)) FROM shader_bytecode WHERE Key IN \
                 (SELECT DxilLibKey FROM so_to_dxil_lib_associations WHERE StateObjectKey = SOKey)) \
                 FROM groups WHERE PSOKey IS NULL AND SOKey IS NOT NULL",
            )?;
            let sizes = sizes.query_map([], |row| {
                let key = row.get_ref(0)?.as_blob().unwrap_or_default().to_vec();
                let size: Option<i64> = row.get(1)?;
                Ok((key, size.map_or(0, i64::unsigned_abs)))
            })?;
            sizes.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error: rusqlite::Error| self.failure(&error))
    }

    fn insert(&self, rows: &Rows<'_>) -> Result<()> {
        let connection = self.file.connection();
        let insert = || {
            for (table, cells) in &rows.rows {
                connection
                    .prepare_cached(&table.definition().insert)?
                    .execute(params_from_iter(cells.iter().map(rows::Cell::as_sql)))?;
            }
            Ok(())
        };
        insert().map_err(|error| self.failure(&error))
    }

    /// Stores a pipeline state in groups; returns the key of its row.
    pub fn store_pipeline_state(
        &mut self,
        groups: &[GroupKey<'_>],
        desc: &PipelineStateDesc,
    ) -> Result<Vec<u8>> {
        let mut rows = Rows::default();
        let own = rows.pipeline_state(desc)?;
        let is_same = |database: &Self, key: &[u8], stored: &[u8]| {
            let reader = Reader::new(database.file.connection(), &database.cache);
            let read = reader.pipeline_state(stored);
            let (desc, _) = read.map_err(|fault| database.fault(key, fault))?;
            Ok(Rows::default().pipeline_state(&desc)? == own)
        };
        self.store(&rows, Column::PipelineState, own, groups, is_same)
    }

    /// Stores a state object in groups; returns the key of its row.
    pub fn store_state_object(
        &mut self,
        groups: &[GroupKey<'_>],
        desc: &StateObjectDesc,
        origins: &Origins<'_>,
    ) -> Result<Vec<u8>> {
        let made_from = self.made_from(groups, desc, origins)?;
        let mut rows = Rows::default();
        let first = rows.state_object(desc, &made_from, 0)?;
        let is_same = |database: &Self, key: &[u8], stored: &[u8]| {
            let reader = Reader::new(database.file.connection(), &database.cache);
            let read = reader.state_object(stored, &mut |_, _| Ok(Vec::new()));
            let (desc, keys) = read.map_err(|fault| database.fault(key, fault))?;
            Ok(Rows::default().state_object(&desc, &keys.made_from, 0)? == first)
        };
        let mut own = first;
        for behind_the_first in 1.. {
            if self.can_be(&own, &made_from)? {
                break;
            }
            rows = Rows::default();
            own = rows.state_object(desc, &made_from, behind_the_first)?;
        }
        self.store(&rows, Column::StateObject, own, groups, is_same)
    }

    /// Whether the row of a state object's key does not exist, or is still made from these.
    fn can_be(&self, key: &[u8], made_from: &MadeFrom) -> Result<bool> {
        let connection = self.file.connection();
        let find = || {
            let parent: Option<Option<Vec<u8>>> = connection
                .prepare_cached("SELECT AddToStateObjectParent FROM state_objects WHERE Key = ?1")?
                .query_row([key], |row| row.get(0))
                .optional()?;
            let Some(parent) = parent else {
                return Ok(true);
            };
            let collections: HashSet<Vec<u8>> = connection
                .prepare_cached(
                    "SELECT ExistingStateObjectKey FROM so_to_existing_so_associations WHERE StateObjectKey = ?1",
                )?
                .query_map([key], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            let expected: HashSet<&[u8]> =
                made_from.collections.iter().map(Vec::as_slice).collect();
            Ok(parent == made_from.parent
                && collections.len() == expected.len()
                && collections.iter().all(|key| expected.contains(&key[..])))
        };
        find().map_err(|error: rusqlite::Error| self.failure(&error))
    }

    /// Stores an object of these rows, the last of which has the key `own`. `is_same` tells whether the row that another
    /// writer stored for a key is the same.
    fn store(
        &mut self,
        rows: &Rows<'_>,
        column: Column,
        own: rows::Key,
        groups: &[GroupKey<'_>],
        is_same: impl Fn(&Self, &[u8], &[u8]) -> Result<bool>,
    ) -> Result<Vec<u8>> {
        let mut row = own.to_vec();
        let mut new = Vec::new();
        let mut distinct = HashSet::new();
        for &GroupKey { key, version } in groups {
            if !distinct.insert(key) {
                let text = format!("the key {} is given twice", short_hex(key));
                return Err(Error::InvalidArgument(text));
            }
            let existing = self.group(key)?;
            let stored = match &existing {
                Some(group) if group.version == version => match column {
                    Column::PipelineState => group.pipeline_state.as_ref(),
                    Column::StateObject => group.state_object(),
                },
                _ => {
                    new.push((key, version, existing));
                    continue;
                }
            };
            match stored {
                Some(stored) if *stored == own => {}
                // Another writer has other keys for the same rows.
                Some(stored) if is_same(self, key, stored)? => row.clone_from(stored),
                _ => return Err(Error::AlreadyExists),
            }
        }
        if row == own && (groups.is_empty() || !new.is_empty()) {
            self.insert(rows)?;
        }
        for (key, version, existing) in new {
            self.name(key, version, existing, column, &row)?;
        }
        Ok(row)
    }

    /// The keys of the rows of the collections and of the parent.
    fn made_from(
        &self,
        groups: &[GroupKey<'_>],
        desc: &StateObjectDesc,
        origins: &Origins<'_>,
    ) -> Result<MadeFrom> {
        let object = groups
            .first()
            .map_or("without a group".into(), |group| short_hex(group.key));
        let unknown = |of: &[u8], what: &str| Error::UnknownKey {
            path: self.file.name.clone(),
            reason: format!(
                "object {object}: its {what} {} is no state object that is stored",
                short_hex(of)
            ),
        };
        let in_group = |of: &[u8], what: &str| {
            if groups.iter().any(|group| group.key == of) {
                return Err(Error::InvalidArgument(format!(
                    "object {}: it is its own {what}",
                    short_hex(of)
                )));
            }
            let group = self.group(of)?;
            let row = group.as_ref().and_then(Group::state_object);
            row.cloned().ok_or_else(|| unknown(of, what))
        };
        let of_row = |of: &[u8], what: &str| {
            if self.has_row(Column::StateObject, of)? {
                Ok(of.to_vec())
            } else {
                Err(unknown(of, what))
            }
        };
        let mut collections = Vec::with_capacity(desc.collections.len());
        for (at, collection) in desc.collections.iter().enumerate() {
            collections.push(match origins.collections.get(at) {
                Some(Some(row)) => of_row(row, "collection")?,
                _ => in_group(&collection.collection, "collection")?,
            });
        }
        let parent = origins.parent_group.map(|of| in_group(of, "parent"));
        let parent = parent.transpose()?;
        let parent_object = origins.parent_object.map(|of| of_row(of, "parent"));
        let parent_object = parent_object.transpose()?;
        if parent.is_some() && parent_object.is_some() && parent != parent_object {
            return Err(Error::InvalidArgument(format!(
                "object {object}: its parent's group names another object than its parent"
            )));
        }
        Ok(MadeFrom {
            collections,
            parent: parent.or(parent_object),
        })
    }

    /// Makes the key name an object's row.
    fn name(
        &mut self,
        key: &[u8],
        version: u32,
        existing: Option<Group>,
        column: Column,
        row: &[u8],
    ) -> Result<()> {
        let Self { file, names, .. } = self;
        let connection = file.connection();
        let (pipeline_state, state_object) = match column {
            Column::PipelineState => (Some(row), None),
            Column::StateObject => (None, Some(row)),
        };
        let name = || {
            let Some(existing) = existing else {
                connection
                    .prepare_cached(
                        "INSERT INTO groups (Key, Version, PSOKey, SOKey) VALUES (?1, ?2, ?3, ?4)",
                    )?
                    .execute(params![key, version, pipeline_state, state_object])?;
                names.add(column, row, connection.last_insert_rowid());
                return Ok(());
            };
            names.forget();
            connection
                .prepare_cached(
                    "UPDATE groups SET Version = ?2, PSOKey = ?3, SOKey = ?4 WHERE Key = ?1",
                )?
                .execute(params![key, version, pipeline_state, state_object])?;
            // Objects that are made from the key are made from the row that it names after the update, unless that is made
            // from what it named earlier.
            let is_named = "SELECT 1 FROM groups WHERE SOKey = ?1";
            if let (Some(old), Some(new)) = (existing.state_object, state_object)
                && !connection.prepare_cached(is_named)?.exists([&old])?
            {
                let both = params![old, new];
                connection.execute(
                    "UPDATE state_objects SET AddToStateObjectParent = ?2 \
                     WHERE AddToStateObjectParent = ?1 AND Key <> ?2",
                    both,
                )?;
                connection.execute(
                    "UPDATE OR IGNORE so_to_existing_so_associations SET ExistingStateObjectKey = ?2 \
                     WHERE ExistingStateObjectKey = ?1 AND StateObjectKey <> ?2",
                    both,
                )?;
                connection.execute(
                    "DELETE FROM so_to_existing_so_associations \
                     WHERE ExistingStateObjectKey = ?1 AND StateObjectKey <> ?2",
                    both,
                )?;
            }
            Ok(())
        };
        let named: rusqlite::Result<()> = name();
        named.map_err(|error| self.failure(&error))
    }
}

/// `reader` counts the bytes: rows can name the same key many times.
fn entries(
    connection: &Connection,
    reader: &Reader<'_>,
    names: &mut Names,
) -> Result<Vec<Entry>, Fault> {
    let mut collections = connection.prepare(
        "SELECT ExistingStateObjectKey FROM so_to_existing_so_associations WHERE StateObjectKey = ?1 \
         GROUP BY ExistingStateObjectKey ORDER BY min(rowid)",
    )?;
    let mut groups = connection.prepare(
        "SELECT groups.Key, Version, PSOKey, SOKey, Type, AddToStateObjectParent, state_objects.rowid, \
         pipeline_states.rowid FROM groups \
         LEFT JOIN state_objects ON state_objects.Key = SOKey AND PSOKey IS NULL \
         LEFT JOIN pipeline_states ON pipeline_states.Key = PSOKey ORDER BY groups.rowid",
    )?;
    let mut rows = groups.query([])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let key = row.get_ref(0)?.as_blob().unwrap_or_default().to_vec();
        reader.charge(size_of::<Entry>() + key.len())?;
        let version = row.get_ref(1)?.as_i64().ok().and_then(number_of);
        let mut entry = Entry {
            version: version.unwrap_or(0),
            kind: Kind::Nothing,
            parent: None,
            collections: Vec::new(),
            is_incomplete: false,
            key,
        };
        let [is_state_object, is_pipeline_state] =
            [row.get_ref(6)?, row.get_ref(7)?].map(|rowid| rowid != ValueRef::Null);
        if entry.key.is_empty() || version.is_none() {
            // No caller can ask for it.
        } else if is_pipeline_state {
            entry.kind = Kind::PipelineState;
        } else if is_state_object {
            let kind = row.get_ref(4)?.as_i64().ok().and_then(number_of);
            entry.kind = Kind::StateObject(kind.map(u32::cast_signed));
            let mut name = |row: ValueRef<'_>| {
                let name = match row {
                    ValueRef::Blob(row) => names.name_of(connection, row)?,
                    _ => None,
                };
                reader.charge(name.as_ref().map_or(0, Vec::len))?;
                Ok::<_, Fault>(name)
            };
            let parent = row.get_ref(5)?;
            entry.parent = name(parent)?;
            entry.is_incomplete = parent != ValueRef::Null && entry.parent.is_none();
            let mut of = collections.query([row.get::<_, Vec<u8>>(3)?])?;
            while let Some(row) = of.next()? {
                match name(row.get_ref(0)?)? {
                    Some(name) => entry.collections.push(name),
                    None => entry.is_incomplete = true,
                }
            }
        }
        entries.push(entry);
    }
    Ok(entries)
}
