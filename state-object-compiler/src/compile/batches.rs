//! The transactions of a run. A run owns its output, and can resume where it was killed; so it commits many objects at once.

use std::fmt;
use std::time::{Duration, Instant};

use compiler_runtime::{Found, Made, Store, VALUE_TYPES, ValueType, ValueTypes, Want, answer_from};
use parking_lot::Mutex;
use shader_db::psdb::{Batch, Psdb};

/// A batch is committed when it has this many bytes,
const SIZE: usize = 8 << 20;
/// or when its first value or group has waited this long. A killed run loses no more than that.
const DELAY: Duration = Duration::from_millis(200);

/// The output of a run, and what is to be committed next. All threads of the run find both.
pub struct Batches {
    psdb: Psdb,
    next: Mutex<Next>,
}

struct Next {
    batch: Batch,
    /// When the first value or group came.
    since: Option<Instant>,
    /// The keys of groups that another run stored first.
    refused: Vec<Vec<u8>>,
}

impl Batches {
    pub fn new(psdb: Psdb) -> Self {
        let next = Next {
            batch: psdb.batch(),
            since: None,
            refused: Vec::new(),
        };
        Self {
            psdb,
            next: Mutex::new(next),
        }
    }

    pub fn psdb(&self) -> &Psdb {
        &self.psdb
    }

    /// Stores values of a key. Keys stand for content: values that are there already must be the same, and the output notes those
    /// that are not.
    pub fn add_values(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<()> {
        let mut next = self.next.lock();
        self.add_values_to(&mut next.batch, key, values)?;
        self.commit_if_due(&mut next)
    }

    fn add_values_to(
        &self,
        batch: &mut Batch,
        key: &[u8],
        values: &[(ValueType, &[u8])],
    ) -> shader_db::Result<()> {
        let has = values
            .iter()
            .any(|(kind, _)| batch.value(key, *kind).is_some());
        if !has {
            // The transaction compares those that the files have.
            return batch.add_values(key, values);
        }
        for (kind, value) in values {
            match batch.value(key, *kind) {
                None => batch.add_values(key, &[(*kind, value)])?,
                Some(there) if there == *value => {}
                Some(_) => self.psdb.note_differing(key, *kind),
            }
        }
        Ok(())
    }

    /// Stores a group. The values that it names come before it.
    pub fn add_group(&self, key: &[u8], version: u32, keys: &[&[u8]]) -> shader_db::Result<()> {
        let mut next = self.next.lock();
        if self.psdb.find_group(key)?.is_some() {
            return Err(shader_db::Error::AlreadyExists);
        }
        next.batch.add_group(key, version, keys)?;
        self.commit_if_due(&mut next)
    }

    fn commit_if_due(&self, next: &mut Next) -> shader_db::Result<()> {
        let since = next.since.get_or_insert_with(Instant::now);
        if next.batch.size() < SIZE && since.elapsed() < DELAY {
            return Ok(());
        }
        self.commit(next)
    }

    fn commit(&self, next: &mut Next) -> shader_db::Result<()> {
        if next.batch.is_empty() {
            return Ok(());
        }
        self.psdb.keep_snapshot(false);
        self.psdb.transaction(|transaction| {
            let refused = transaction.add(&next.batch)?;
            next.refused.extend(refused.into_iter().map(<[u8]>::to_vec));
            Ok::<_, shader_db::Error>(())
        })?;
        // What another run stores meanwhile, the next transaction finds.
        self.psdb.keep_snapshot(true);
        next.batch = self.psdb.batch();
        next.since = None;
        Ok(())
    }

    /// Commits what has waited long enough.
    pub fn tick(&self) -> shader_db::Result<()> {
        let mut next = self.next.lock();
        if next.since.is_some() {
            self.commit_if_due(&mut next)?;
        }
        Ok(())
    }

    /// Commits everything. Returns the keys of groups that another run stored first.
    pub fn flush(&self) -> shader_db::Result<Vec<Vec<u8>>> {
        let mut next = self.next.lock();
        self.commit(&mut next)?;
        Ok(std::mem::take(&mut next.refused))
    }
}

impl fmt::Debug for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.psdb.fmt(f)
    }
}

impl Store for Batches {
    fn types(&self) -> ValueTypes {
        self.psdb.types()
    }

    fn find(
        &self,
        key: &[u8],
        mut wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(ValueType, Found<'_>),
    ) -> shader_db::Result<()> {
        answer_from(&self.next.lock().batch, key, &mut wants, found);
        Store::find(&self.psdb, key, wants, found)
    }

    fn refuses(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<bool> {
        let next = self.next.lock();
        let mut refuses = false;
        for (kind, value) in values {
            let Some(there) = next.batch.value(key, *kind) else {
                continue;
            };
            refuses = true;
            if there != *value {
                self.psdb.note_differing(key, *kind);
            }
        }
        drop(next);
        Ok(refuses || self.psdb.refuses(key, values)?)
    }

    fn find_group(&self, key: &[u8]) -> shader_db::Result<Option<u32>> {
        let version = self.next.lock().batch.group(key);
        match version {
            Some(version) => Ok(Some(version)),
            None => self.psdb.find_group(key),
        }
    }

    fn commit(&self, made: Made<'_>) -> Result<(), compiler_runtime::Error> {
        made.check(self.types(), |key, kind| {
            let is_next = self.next.lock().batch.value(key, kind).is_some();
            Ok(is_next || self.psdb.value_size(key, kind)?.is_some())
        })?;
        let mut next = self.next.lock();
        for (key, _) in made.groups {
            if next.batch.group(key).is_some() || self.psdb.find_group(key)?.is_some() {
                return Err(shader_db::Error::AlreadyExists.into());
            }
        }
        for (key, values) in made.values.values() {
            self.add_values_to(&mut next.batch, key, &values)?;
        }
        for (key, version) in made.groups {
            next.batch.add_group(key, *version, made.value_keys)?;
        }
        Ok(self.commit_if_due(&mut next)?)
    }
}
