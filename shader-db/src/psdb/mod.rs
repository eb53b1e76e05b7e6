//! The precompiled shader database (PSDB): values under keys, groups of keys, in SQLite files.
//!
//! ```
//! use shader_db::psdb::{Application, Options, Psdb, Target, ValueType, ValueTypes};
//!
//! # fn main() -> shader_db::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("game.psdb");
//! let options = Options {
//!     target: Some(Target { family: "GPU".into(), abi: 1, compiler_version: 7, profile_version: 0 }),
//!     application: Some(Application {
//!         exe: "game.exe".into(),
//!         name: "Game".into(),
//!         version: 1,
//!         engine_name: None,
//!         engine_version: 0,
//!     }),
//!     ..Options::default()
//! };
//! let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &options)?;
//! psdb.store_value(b"value key", &[(ValueType::ObjectCode, b"object code")])?;
//! psdb.store_group(b"group key", 1, &[b"value key"])?;
//! assert_eq!(psdb.find_group(b"group key")?, Some(1));
//! psdb.close()?;
//!
//! let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &Options::default())?;
//! let mut code = Vec::new();
//! assert!(psdb.find_value(b"value key", ValueType::ObjectCode, &mut |value| code.extend_from_slice(value))?);
//! assert_eq!(code, b"object code");
//! # psdb.close()
//! # }
//! ```

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

mod batches;
mod digest;
mod insert;
mod inspect;
mod journal;
mod log;
mod merge;
mod part;
mod pending;
mod prepared;
mod read;
mod remove;
mod rewrite;
mod schema;
mod source;
mod tables;
mod types;
mod write;

pub use inspect::{Counts, EachGroup, EachValue, File, Group, Lost};
pub use journal::check_recovered;
pub use merge::{Conflict, Merged, merge};
pub use remove::{remove_groups, remove_lost, remove_unnamed, unnamed_keys};
pub use rewrite::{discard, rewrite, take_place};
pub use schema::{APPLICATION_ID, PAGE_SIZE, TABLES, USER_VERSION, exists, path_of_file};
pub use types::{Access, Application, Options, Target, ValueType, ValueTypes};

use crate::{Error, Result};
use api_sys::compatibility::{Verdict, compiler_of_both, verdict};
use pending::{Content, Item, Kind, Place};
use read::{Reader, Readers};
use write::{Shared, Writer};

/// The most bytes that a key or a value can have: a row is limited to 1,000,000,000.
pub const MAX_SIZE: usize = 1_000_000_000 - 4096;

/// A session over one or several PSDB files.
///
/// All threads can use it at once. What is stored is found at once by every thread of the session, and is in the files
/// within about 200 ms. Other sessions on the same files, in this process or another, find it within about 250 ms more. Until
/// then it is in a journal beside the main file: if the process is killed, the next session that can write puts it into the
/// files when it opens them.
pub struct Psdb {
    shared: Arc<Shared>,
    /// By value type.
    file_of: [Option<usize>; ValueType::ALL.len()],
    metadata: schema::Metadata,
    verdict: Verdict,
    types: ValueTypes,
    access: Access,
    /// Values that were to be stored again with other bytes.
    differing: Mutex<Differing>,
    writer: Option<JoinHandle<Result<()>>>,
}

type Differing = BTreeSet<(Vec<u8>, ValueType)>;

/// So many differing values are remembered.
const REMEMBERED: usize = 1000;

impl fmt::Debug for Psdb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self
            .shared
            .files
            .iter()
            .map(|file| (file.types, file.readers.path()));
        f.debug_struct("Psdb")
            .field("access", &self.access)
            .field("files", &files.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Psdb {
    /// Opens a session on files, each for the value types in its set.
    ///
    /// The file for object code, or else the first one, decides which groups exist. What killed sessions have left in their
    /// journals beside it is in the files when this returns, unless the session is opened to read.
    ///
    /// A file says the oldest version of the compiler that has compiled something in it. It says an older one from here on,
    /// for which no other session may have it open, if that is what the target has.
    ///
    /// If this fails, files that it has created are removed again.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: no files; a set that is empty or overlaps another; a path twice; a path that is a
    /// directory; a target or application that is needed and absent; a family, ABI version or application other than
    /// those of a file. [`Error::Stale`]: the version of the compiler or of the application profile is one beside which
    /// what a file has must be compiled again.
    /// [`Error::NotFound`], [`Error::AccessDenied`], [`Error::Busy`], [`Error::Io`], [`Error::Full`]: a file cannot be
    /// opened or created. [`Error::BadFormat`]: a file is no PSDB, or none that can be opened in this way.
    /// [`Error::Corrupt`]: a file is damaged.
    pub fn open<P: AsRef<Path>>(files: &[(ValueTypes, P)], options: &Options) -> Result<Self> {
        let invalid = |reason: String| Err(Error::InvalidArgument(reason));
        let mut file_of = [None; ValueType::ALL.len()];
        if files.is_empty() {
            return invalid("a session needs a file".into());
        }
        for (position, (types, path)) in files.iter().enumerate() {
            if types.is_empty() {
                return invalid(format!(
                    "{}: no value types are given",
                    path.as_ref().display()
                ));
            }
            for kind in types.iter() {
                if file_of[kind as usize].replace(position).is_some() {
                    return invalid(format!("{kind:?} values are given two files"));
                }
            }
        }

        let write = options.access.is_to_store();
        let open_to_read: schema::OpenToRead = match options.access {
            Access::Watch => schema::watch,
            _ => schema::read,
        };
        let mut opened = Vec::new();
        for (_, path) in files {
            let path = path.as_ref();
            let creates = options.access == Access::Create;
            if creates && schema::is_without_bytes(path) {
                opened.push(None);
                continue;
            }
            let file = if write {
                schema::open(path, true)
            } else {
                open_to_read(path)
            };
            opened.push(match file {
                Err(Error::NotFound { .. }) if creates => None,
                file => Some(file?),
            });
        }
        let (metadata, verdict) = agree(files, &opened, options)?;
        let is_older = |file: &Option<schema::Opened>| match (file, &options.target) {
            (Some(file), Some(target)) => {
                let of_file = file.metadata.target.compiler_version;
                compiler_of_both(of_file, target.compiler_version) != of_file
            }
            _ => false,
        };
        if write && opened.iter().any(is_older) {
            drop(opened);
            lower_compiler_version(files, options)?;
            return Self::open(files, options);
        }
        let mut identities = HashSet::new();
        let mut shared = Vec::new();
        // After what is created is closed again, if something fails.
        let mut created = schema::Created::default();
        let mut writers = Vec::new();
        let main = file_of[ValueType::ObjectCode as usize].unwrap_or(0);
        let is_new = opened[main].is_none();
        let mut of_main = 0;
        for ((types, path), file) in files.iter().zip(opened) {
            let path = path.as_ref();
            let file = if let Some(file) = file {
                file
            } else {
                created.create(path, &metadata.target, &metadata.application)?;
                schema::open(path, true)?
            };
            if shared.len() == main {
                let metadata = &file.metadata;
                of_main = digest::metadata(&metadata.target, &metadata.application);
            }
            // The name of the file itself: the log is beside it, and the session may outlive the current directory.
            let path = std::fs::canonicalize(path).map_err(|error| Error::io(path, &error))?;
            let readers = Readers::new(&path, open_to_read);
            if write {
                writers.push(Writer::new(file, &path)?);
            } else {
                readers.give(Reader::new(file, &path, open_to_read)?);
            }
            if !identities.insert(identity(&path)) {
                return invalid("a file is given twice".into());
            }
            shared.push(write::File {
                types: *types,
                readers,
            });
        }

        let types = files
            .iter()
            .fold(ValueTypes::NONE, |all, (types, _)| all | *types);
        let main_path = shared[main].readers.path();
        let folder = main_path.parent().unwrap_or(Path::new(""));
        let side_file = |file: usize| journal::side_file(shared[file].readers.path(), folder);
        let owner = journal::Owner {
            types,
            metadata: of_main,
            side_files: file_of.map(|file| file.filter(|file| *file != main).map_or(0, side_file)),
        };
        let shared = Arc::new(Shared::new(shared, main, owner));
        if write {
            batches::undo(&writers, main)?;
            shared.recover(&mut writers, is_new)?;
        }
        let thread = thread::Builder::new().name("psdb".into());
        let writer = thread.spawn({
            let shared = Arc::clone(&shared);
            move || {
                // What panics is a subscriber of the log, if anything: nobody is to wait for this thread then.
                let run = catch_unwind(AssertUnwindSafe(|| shared.run(writers)));
                run.unwrap_or_else(|payload| {
                    // Its Drop may panic too.
                    mem::forget(payload);
                    Err(shared.fail(Error::Io {
                        path: shared.files[shared.main].readers.path().to_owned(),
                        reason: "the writer's thread panicked".into(),
                    }))
                })
            }
        });
        let writer = writer.map_err(|error| Error::io(files[0].1.as_ref(), &error))?;
        created.keep();
        Ok(Self {
            shared,
            file_of,
            metadata,
            verdict,
            types,
            access: options.access,
            differing: Mutex::default(),
            writer: Some(writer),
        })
    }

    /// What the values are compiled for.
    pub fn target(&self) -> &Target {
        &self.metadata.target
    }

    /// Whom the values are compiled for.
    pub fn application(&self) -> &Application {
        &self.metadata.application
    }

    /// What the target that the session was opened with has to say of the files: that they can be used as they are, or
    /// that they should be compiled again.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Whether the session can be used in the place of one that [`open`](Self::open) would make of its files: whether they
    /// agree with the target and the application that are given. Gives what [`verdict`](Self::verdict) would then be.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] and [`Error::Stale`], as `open` has them; [`Error::Busy`] if the files would first have
    /// to say that they have something of an older compiler.
    pub fn check(&self, options: &Options) -> Result<Verdict> {
        let path = self.shared.files[self.shared.main].readers.path();
        let verdict = check_metadata(path, &self.metadata, options)?;
        let compiler = self.metadata.target.compiler_version;
        if let Some(target) = &options.target
            && compiler_of_both(compiler, target.compiler_version) != compiler
        {
            return Err(Error::Busy {
                path: path.to_owned(),
            });
        }
        Ok(verdict)
    }

    /// The value types that the session has files for.
    pub fn types(&self) -> ValueTypes {
        self.types
    }

    /// Runs a query on a file, in a snapshot that has the commit.
    fn read<T>(
        &self,
        file: usize,
        commit: u64,
        query: impl FnOnce(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        self.read_from(file, (commit, 0), query)
    }

    fn read_from<T>(
        &self,
        file: usize,
        from: (u64, u64),
        query: impl FnOnce(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        let shared = &self.shared;
        shared.files[file]
            .readers
            .read(&shared.clock, from, || shared.reader_began(), query)
    }

    /// Asks for a group in the main file.
    fn read_group<T>(
        &self,
        commit: u64,
        query: impl FnOnce(&mut Reader) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        self.read(self.shared.main, commit, |reader| {
            let found = query(reader)?;
            if found.is_some() {
                self.shared.clock.saw_group(reader);
            }
            Ok(found)
        })
    }

    /// Asks for a value, which is there if a group that names it was found.
    fn read_value<T>(
        &self,
        file: usize,
        commit: u64,
        mut query: impl FnMut(&mut Reader) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let groups = self.shared.clock.groups();
        let (found, begun) =
            self.read(file, commit, |reader| Ok((query(reader)?, reader.begun())))?;
        if found.is_some() || begun >= groups {
            return Ok(found);
        }
        self.read_from(file, (commit, groups), query)
    }

    /// Finds a group and its version.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; [`Error::Corrupt`] and what else reading a file can give.
    pub fn find_group(&self, key: &[u8]) -> Result<Option<u32>> {
        Ok(self.group(key, |_| {})?.map(|(version, ())| version))
    }

    /// The version of a group, and what `each` made of its keys' list.
    fn group<T>(&self, key: &[u8], list: impl FnOnce(&[u8]) -> T) -> Result<Option<(u32, T)>> {
        check_key(key)?;
        let hash = pending::hash(Kind::Group, key);
        match self.shared.pending.find(Kind::Group, hash, key, |_| true) {
            Place::Pending(item) => match item.content {
                Content::Group { version, .. } => Ok(Some((version, list(item.list())))),
                Content::Values(_) => unreachable!("a group was asked for"),
            },
            Place::File { commit } => {
                let found = self.read_group(commit, |reader| reader.group(key))?;
                Ok(found.map(|(version, keys)| (version, list(&keys))))
            }
        }
    }

    /// Hands the value keys of a group to `each`, in the order in which they were stored; false if there is no group of
    /// this key and version. That a key is named does not say that it has values.
    ///
    /// # Errors
    ///
    /// As [`find_group`](Self::find_group).
    pub fn group_value_keys(
        &self,
        key: &[u8],
        version: u32,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        // The reader is free again when `each` is called, so that it can call the session.
        let Some((_, list)) = self
            .group(key, <[u8]>::to_vec)?
            .filter(|(found, _)| *found == version)
        else {
            return Ok(false);
        };
        digest::keys_of(&list).for_each(each);
        Ok(true)
    }

    /// Hands a value to `sink`, after it was compared with its digest; false if there is none. The slice is SQLite's
    /// page or the pending item itself: `sink` makes the only copy.
    ///
    /// `sink` must not store in this session.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; [`Error::Corrupt`] if the value does not match its digest, and what
    /// else reading a file can give. `sink` is then not called.
    pub fn find_value(
        &self,
        key: &[u8],
        kind: ValueType,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        check_key(key)?;
        let Some(file) = self.file_of[kind as usize] else {
            return Ok(false);
        };
        match self.place_of(key, kind) {
            Place::Pending(item) => Ok(item.value(kind).map(|(value, _)| sink(value)).is_some()),
            Place::File { commit } => {
                let value = |reader: &mut Reader| Ok(reader.value(key, kind, sink)?.then_some(()));
                Ok(self.read_value(file, commit, value)?.is_some())
            }
        }
    }

    /// The size of a value in bytes, without reading it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; what reading a file can give.
    pub fn value_size(&self, key: &[u8], kind: ValueType) -> Result<Option<u32>> {
        check_key(key)?;
        let Some(file) = self.file_of[kind as usize] else {
            return Ok(None);
        };
        match self.place_of(key, kind) {
            Place::Pending(item) => Ok(item
                .value(kind)
                .and_then(|(value, _)| u32::try_from(value.len()).ok())),
            Place::File { commit } => {
                self.read_value(file, commit, |reader| reader.value_size(key, kind))
            }
        }
    }

    fn place_of(&self, key: &[u8], kind: ValueType) -> Place {
        let hash = pending::hash(Kind::Values, key);
        self.shared
            .pending
            .find(Kind::Values, hash, key, |item| item.value(kind).is_some())
    }

    /// Stores values under a key: all of them, or none. Returns when they can be found.
    ///
    /// What has returned is not lost if the process is killed; a crash of the system can lose it. [`flush`](Self::flush)
    /// waits until it is in the files, which a store of more than 16 MiB does by itself.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if the key has a value of one of the types, also a
    /// [differing](Self::differing_values) one; [`Error::InvalidArgument`] for an empty key,
    /// no values, an empty value, a type twice, a type that the session has no file for; [`Error::TooBig`];
    /// [`Error::AccessDenied`] in a session opened to read. [`Error::Full`] and what else writing the journal can give: the
    /// next store may succeed. If an earlier store could not be written to the files, that error: the session stores
    /// nothing more, and the next one begins with what this one could not write.
    pub fn store_value(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> Result<()> {
        self.store_values(key, values, false)
    }

    /// As [`store_value`](Self::store_value), but a killed process can lose it until a later store or
    /// [`settle`](Self::settle) has returned: for values of which a group follows, in one write instead of two.
    ///
    /// # Errors
    ///
    /// As for [`store_value`](Self::store_value).
    pub fn hold_value(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> Result<()> {
        self.store_values(key, values, true)
    }

    /// From here on a killed process does not lose what was [held](Self::hold_value).
    ///
    /// # Errors
    ///
    /// What writing the journal can give; it is tried again by the next store.
    pub fn settle(&self) -> Result<()> {
        self.shared.settle()
    }

    /// Whether values can be stored under a key, as far as they themselves tell: a session that hands them to another
    /// process refuses what that one would.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] and [`Error::TooBig`], as [`store_value`](Self::store_value) has them.
    pub fn check_values(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> Result<()> {
        check_key(key)?;
        if values.is_empty() {
            return Err(Error::InvalidArgument("no values are given".into()));
        }
        let mut types = ValueTypes::NONE;
        for (kind, value) in values {
            if value.is_empty() {
                return Err(Error::InvalidArgument("a value of no bytes".into()));
            }
            if types.contains(*kind) {
                return Err(Error::InvalidArgument(format!(
                    "two values of type {kind:?}"
                )));
            }
            if !self.types.contains(*kind) {
                return Err(Error::InvalidArgument(format!(
                    "the session has no file for {kind:?} values"
                )));
            }
            check_size(value)?;
            types = types | (*kind).into();
        }
        Ok(())
    }

    fn store_values(&self, key: &[u8], values: &[(ValueType, &[u8])], hold: bool) -> Result<()> {
        self.check_access()?;
        self.check_values(key, values)?;
        let types = values
            .iter()
            .fold(ValueTypes::NONE, |types, (kind, _)| types | (*kind).into());
        let has_any = |reader: &mut Reader, of: ValueTypes| {
            reader.has_any(key, |kind| {
                ValueType::from_number(kind.into())
                    .is_some_and(|kind| types.contains(kind) && of.contains(kind))
            })
        };
        let hash = pending::hash(Kind::Values, key);
        let stored = self.store(
            || Item::values(hash, key, values, &self.shared.buffers),
            key.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>(),
            |item| types.iter().any(|kind| item.value(kind).is_some()),
            |commit| {
                for (position, file) in self.shared.files.iter().enumerate() {
                    if types.iter().any(|kind| file.types.contains(kind))
                        && self.read(position, commit, |reader| has_any(reader, file.types))?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            },
            (Kind::Values, hash, key),
            hold,
        );
        if stored == Err(Error::AlreadyExists) {
            self.compare(key, values);
        }
        stored
    }

    /// Remembers which of these values are others than those of the key.
    fn compare(&self, key: &[u8], values: &[(ValueType, &[u8])]) {
        for (kind, value) in values {
            let mut is_same = true;
            // One that cannot be read is none that differs.
            let _ = self.find_value(key, *kind, &mut |stored| is_same = stored == *value);
            if !is_same {
                let mut differing = self.differing();
                if differing.len() < REMEMBERED {
                    differing.insert((key.to_vec(), *kind));
                }
            }
        }
    }

    fn differing(&self) -> MutexGuard<'_, Differing> {
        self.differing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The keys and types of values that this session was to store again with other bytes than they have, by their keys; no
    /// more than 1000. Keys stand for content: what made the values does not make the same of the same.
    pub fn differing_values(&self) -> Vec<(Vec<u8>, ValueType)> {
        self.differing().iter().cloned().collect()
    }

    /// Stores a group: its version, and its value keys in this order, of equal ones the first. The keys need have no
    /// values. Returns when it can be found; in the files it appears after everything that was stored before it.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if there is a group of this key, whatever its version; otherwise as
    /// [`store_value`](Self::store_value).
    pub fn store_group(&self, key: &[u8], version: u32, value_keys: &[&[u8]]) -> Result<()> {
        self.check_store(key)?;
        value_keys.iter().try_for_each(|key| check_key(key))?;
        let hash = pending::hash(Kind::Group, key);
        self.store(
            || Item::group(hash, key, version, value_keys),
            key.len() + value_keys.iter().map(|key| 4 + key.len()).sum::<usize>(),
            |_| true,
            |commit| {
                let has = |reader: &mut Reader| Ok(reader.has_group(key)?.then_some(()));
                Ok(self.read_group(commit, has)?.is_some())
            },
            (Kind::Group, hash, key),
            false,
        )
    }

    fn store(
        &self,
        make: impl FnOnce() -> Item,
        size: usize,
        is_wanted: impl Fn(&Item) -> bool,
        is_in_file: impl Fn(u64) -> Result<bool>,
        (kind, hash, key): (Kind, u64, &[u8]),
        hold: bool,
    ) -> Result<()> {
        let shared = &*self.shared;
        let place = || match shared.pending.find(kind, hash, key, &is_wanted) {
            Place::File { commit } if !is_in_file(commit)? => Ok(commit),
            _ => {
                if !hold {
                    // Another thread may hold it, and who is told so takes it for stored.
                    shared.settle()?;
                }
                Err(Error::AlreadyExists)
            }
        };
        let mut commit = place()?;
        shared.reserve(size)?;
        let mut item = make();
        loop {
            match shared.pending.insert(item, commit, &is_wanted, |item| {
                shared.push(item, size, hold)
            }) {
                Ok(Ok(())) if Shared::is_large(size) => return shared.flush(),
                Ok(Ok(())) => return Ok(()),
                Err(error) => {
                    shared.release(size);
                    return Err(error);
                }
                // Something with this hash was stored since.
                Ok(Err(again)) => item = again,
            }
            match place() {
                Ok(now) => commit = now,
                Err(error) => {
                    shared.release(size);
                    return Err(error);
                }
            }
        }
    }

    fn check_store(&self, key: &[u8]) -> Result<()> {
        self.check_access()?;
        check_key(key)
    }

    fn check_access(&self) -> Result<()> {
        if !self.access.is_to_store() {
            let path = self.shared.files[self.shared.main]
                .readers
                .path()
                .to_owned();
            return Err(Error::AccessDenied {
                path,
                reason: "the session was opened to read".into(),
            });
        }
        Ok(())
    }

    /// Puts finished files in the mode in which they are written, as the first store does. That one would have to wait for
    /// a moment in which no other session reads, which with many of them may not come.
    ///
    /// From here on, or from the first store, the session keeps others from [taking anything out](remove_groups) of the
    /// files: what it finds is still there when it stores a group that names it. Calls after the first cost nothing.
    ///
    /// # Errors
    ///
    /// [`Error::AccessDenied`] in a session opened to read; the failure to write that came before, or then.
    pub fn begin(&self) -> Result<()> {
        self.check_access()?;
        self.shared.begin()
    }

    /// Whether the session has [begun](Self::begin), by itself or because of a store: what it finds from here on stays.
    pub fn has_begun(&self) -> bool {
        self.shared.has_begun()
    }

    /// Waits until everything that is stored is in the files.
    ///
    /// # Errors
    ///
    /// The first failure to write what was stored.
    pub fn flush(&self) -> Result<()> {
        self.shared.flush()
    }

    /// Writes what is stored and closes the files. A file that the session created, or that an earlier one has left
    /// unfinished, gets its canonical form, unless another session has it open; then it is as good, but for the order.
    ///
    /// Dropping does the same, and logs what this returns.
    ///
    /// # Errors
    ///
    /// The first failure to write what was stored, or to finish a file.
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        self.shared.close();
        self.writer
            .take()
            .map_or(Ok(()), |writer| match writer.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    }
}

impl Drop for Psdb {
    fn drop(&mut self) {
        if self.writer.is_some()
            && let Err(error) = self.end()
        {
            tracing::error!(%error, "closing a PSDB");
        }
    }
}

/// Has files say that there is something of an older version of the compiler in them.
fn lower_compiler_version<P: AsRef<Path>>(
    files: &[(ValueTypes, P)],
    options: &Options,
) -> Result<()> {
    let Some(target) = &options.target else {
        return Ok(());
    };
    let there = files.iter().filter(|(_, path)| exists(path.as_ref()));
    let there: Vec<(ValueTypes, &Path)> =
        there.map(|(types, path)| (*types, path.as_ref())).collect();
    // What a killed session has left is what it was made for.
    let as_it_is = Options {
        access: Access::Write,
        ..Options::default()
    };
    Psdb::open(&there, &as_it_is)?.close()?;
    for (_, path) in there {
        remove::lower_compiler_version(path, target.compiler_version)?;
    }
    Ok(())
}

/// What two names of one file have in common, which has the locks and the log.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let file = std::fs::metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}

/// Without what std does not tell: the number of the file, which hard links have in common.
#[cfg(not(unix))]
fn identity(path: &Path) -> std::path::PathBuf {
    path.to_owned()
}

fn check_key(key: &[u8]) -> Result<()> {
    if key.is_empty() {
        return Err(Error::InvalidArgument("a key of no bytes".into()));
    }
    check_size(key)
}

fn check_size(bytes: &[u8]) -> Result<()> {
    if bytes.len() > MAX_SIZE {
        return Err(Error::TooBig {
            size: bytes.len(),
            limit: MAX_SIZE,
        });
    }
    Ok(())
}

/// The metadata of the session: what every existing file agrees on, or else what the options say; and what the options have
/// to say of it.
fn agree<P: AsRef<Path>>(
    files: &[(ValueTypes, P)],
    opened: &[Option<schema::Opened>],
    options: &Options,
) -> Result<(schema::Metadata, Verdict)> {
    let mut agreed: Option<schema::Metadata> = None;
    for ((_, path), file) in files.iter().zip(opened) {
        let Some(schema::Opened { metadata, .. }) = file else {
            continue;
        };
        let path = path.as_ref();
        let Some(agreed) = &mut agreed else {
            check_metadata(path, metadata, options)?;
            agreed = Some(metadata.clone());
            continue;
        };
        checked(path, verdict(&metadata.origin(), &agreed.origin()))?;
        let compiler = &mut agreed.target.compiler_version;
        *compiler = compiler_of_both(*compiler, metadata.target.compiler_version);
    }
    if let Some(agreed) = agreed {
        let verdict = check_metadata(files[0].1.as_ref(), &agreed, options)?;
        return Ok((agreed, verdict));
    }
    let missing = |what| Error::InvalidArgument(format!("a new file needs {what}"));
    let target = options.target.clone().ok_or_else(|| missing("a target"))?;
    if target.abi == 0 {
        return Err(missing("an ABI version other than 0"));
    }
    let application = options
        .application
        .clone()
        .ok_or_else(|| missing("an application"))?;
    let metadata = schema::Metadata {
        target,
        application,
        verified: true,
    };
    Ok((metadata, Verdict::Usable))
}

/// Whether a file is what is asked for.
fn check_metadata(path: &Path, of_file: &schema::Metadata, options: &Options) -> Result<Verdict> {
    let target = options.target.as_ref().unwrap_or(&of_file.target);
    let application = options.application.as_ref();
    let now = target.origin(application.unwrap_or(&of_file.application));
    checked(path, verdict(&of_file.origin(), &now))
}

/// A verdict that lets something be added to a file.
fn checked(path: &Path, verdict: Verdict) -> Result<Verdict> {
    match verdict {
        Verdict::MustRecompile(reason) if reason.is_conflict() => Err(Error::InvalidArgument(
            format!("{}: {reason}", path.display()),
        )),
        Verdict::MustRecompile(reason) => Err(Error::Stale {
            path: path.to_owned(),
            reason,
        }),
        verdict => Ok(verdict),
    }
}
