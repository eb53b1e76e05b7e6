//! A session over one or several files.

use std::collections::{BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::{fmt, mem};

use api_sys::compatibility::Verdict;

use super::committer::{self, Committer};
use super::create::{Created, is_without_bytes};
use super::file_writer::FileWriter;
use super::metadata::{self, Metadata};
use super::pending::{Content, Item, Kind};
use super::read::{Reader, Readers};
use super::schema::{self, Opened};
use super::{Access, Application, Options, Target, ValueType, ValueTypes, digest};
use crate::{Error, Result};

/// The most bytes that a key or a value can have: SQLite limits a row to 1,000,000,000.
pub const MAX_SIZE: usize = 1_000_000_000 - 4096;

/// A session over one or several PSDB files.
///
/// All threads can use it at once. Every thread of the session finds a stored item at once. The item is in the files after at
/// most 200 ms, or 8 MiB, or when [`flush`](Self::flush) or [`close`](Self::close) returns; other sessions on the same files,
/// in this process or another, find it within about 250 ms more. A killed process loses the items that are not yet in the
/// files, and nothing else.
pub struct Psdb {
    committer: Arc<Committer>,
    /// For each value type, the index of its file.
    file_of: [Option<usize>; ValueType::ALL.len()],
    metadata: Metadata,
    verdict: Verdict,
    types: ValueTypes,
    access: Access,
    /// Values that a caller stored again with other bytes.
    differing: Mutex<Differing>,
    thread: Option<JoinHandle<Result<()>>>,
}

type Differing = BTreeSet<(Vec<u8>, ValueType)>;

/// The session remembers at most this many differing values.
const REMEMBERED: usize = 1000;

impl fmt::Debug for Psdb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.committer.files.iter();
        let files = files.map(|file| (file.types, file.readers.path()));
        f.debug_struct("Psdb")
            .field("access", &self.access)
            .field("files", &files.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Psdb {
    /// Opens a session on files, each for the value types in its set.
    ///
    /// The file for object code, or else the first one, is the main file, which decides which groups exist. Unless the
    /// session is opened to read, it removes what a killed process has left only in another file.
    ///
    /// If this fails, it removes the files that it has created.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: no files; a set that is empty or overlaps another; a path twice; a path that is a
    /// directory; a target or application that is needed and absent; a family, ABI version or application other than those of
    /// a file. [`Error::Stale`]: beside this version of the compiler or of the application profile, the content of a file
    /// must be compiled again.
    /// [`Error::NotFound`], [`Error::AccessDenied`], [`Error::Busy`], [`Error::Io`], [`Error::Full`]: a file cannot be
    /// opened or created. [`Error::BadFormat`]: a file is no PSDB, or none that can be opened in this way.
    /// [`Error::Corrupt`]: a file is damaged.
    pub fn open<P: AsRef<Path>>(files: &[(ValueTypes, P)], options: &Options) -> Result<Self> {
        let files: Vec<(ValueTypes, &Path)> = files
            .iter()
            .map(|(types, path)| (*types, path.as_ref()))
            .collect();
        let file_of = files_by_type(&files)?;
        let to_store = options.access != Access::Read;
        let opened = files
            .iter()
            .map(|(_, path)| open_existing(path, options.access))
            .collect::<Result<Vec<_>>>()?;
        let (metadata, verdict) = metadata::agree(&files, &opened, options)?;

        // Declared before the connections, so that they close first if something fails.
        let mut created = Created::default();
        let main = file_of[ValueType::ObjectCode as usize].unwrap_or(0);
        let (mut shared, mut writers) = (Vec::new(), Vec::new());
        let mut identities = HashSet::new();
        for ((types, path), opened) in files.iter().zip(opened) {
            let opened = if let Some(opened) = opened {
                opened
            } else {
                created.create(path, &metadata.target, &metadata.application)?;
                // Another process may have created the file first.
                schema::open_again(path, true, &metadata)?
            };
            // The path of the file itself: the WAL is beside it, and the session may outlive the current directory.
            let path = std::fs::canonicalize(path).map_err(|error| Error::io(path, &error))?;
            let readers = Readers::new(&path, metadata.clone());
            if to_store {
                writers.push(FileWriter::new(opened, &path)?);
            } else {
                readers.give(Reader::new(opened, &path)?);
            }
            if !identities.insert(identity(&path)) {
                return Err(Error::InvalidArgument("a file is given twice".into()));
            }
            shared.push(committer::File {
                types: *types,
                readers,
            });
        }
        committer::put_back(&mut writers, main)?;

        let compiler = options
            .target
            .as_ref()
            .map(|target| target.compiler_version);
        let committer = Arc::new(Committer::new(shared, main, compiler));
        let thread = start(&committer, writers)?;
        created.keep();
        Ok(Self {
            committer,
            file_of,
            metadata,
            verdict,
            types: files
                .iter()
                .map(|(types, _)| *types)
                .fold(ValueTypes::NONE, |all, types| all | types),
            access: options.access,
            differing: Mutex::default(),
            thread: Some(thread),
        })
    }

    /// The target of the values, as the files named it when the session opened them; new files name the target of the
    /// options.
    pub fn target(&self) -> &Target {
        &self.metadata.target
    }

    /// The application that the values are compiled for.
    pub fn application(&self) -> &Application {
        &self.metadata.application
    }

    /// The verdict of the session's own target on the files: they can be used as they are, or they should be compiled again.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The value types that the session has files for.
    pub fn types(&self) -> ValueTypes {
        self.types
    }

    /// Allows this target and application for the items of the session too, if they fit the files, and returns what
    /// [`verdict`](Self::verdict) would return in a session opened with them.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] and [`Error::Stale`], as [`open`](Self::open) has them.
    pub fn share(&self, options: &Options) -> Result<Verdict> {
        let verdict = metadata::check(self.committer.main_path(), &self.metadata, options)?;
        if let Some(target) = &options.target {
            self.committer.add_compiler(target.compiler_version);
        }
        Ok(verdict)
    }

    /// Runs a query on a file.
    fn read<T>(&self, file: usize, query: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        let Committer { files, seen, .. } = &*self.committer;
        files[file].readers.read(seen, query)
    }

    /// Finds a group and its version.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; [`Error::Corrupt`] and the other errors of reading a file.
    pub fn find_group(&self, key: &[u8]) -> Result<Option<u32>> {
        Ok(self.group(key, |_| {})?.map(|(version, ())| version))
    }

    /// The version of a group, and the result of `list` for its keys.
    fn group<T>(&self, key: &[u8], list: impl FnOnce(&[u8]) -> T) -> Result<Option<(u32, T)>> {
        check_key(key)?;
        if let Some(item) = self.committer.find(Kind::Group, key, |_| true)
            && let Content::Group { version, .. } = item.content
        {
            return Ok(Some((version, list(item.list()))));
        }
        let found = self.read(self.committer.main, |reader| reader.group(key))?;
        Ok(found.map(|(version, keys)| (version, list(&keys))))
    }

    /// Hands the value keys of a group to `each`, in the order in which they were stored; false if there is no group of this
    /// key and version. A named key need not have values.
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
        let found = self.group(key, <[u8]>::to_vec)?;
        let Some((_, list)) = found.filter(|(found, _)| *found == version) else {
            return Ok(false);
        };
        digest::keys_of(&list).for_each(each);
        Ok(true)
    }

    /// Compares a value with its digest and hands it to `sink`; false if there is none. The slice is SQLite's page or an item
    /// that waits for its commit: `sink` makes the only copy.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; [`Error::Corrupt`] if the value does not match its digest, and the other
    /// errors of reading a file. After an error `sink` was not called.
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
        match self.waiting(key, kind) {
            Some(item) => Ok(item.value(kind).map(|(value, _)| sink(value)).is_some()),
            None => self.read(file, |reader| reader.value(key, kind, sink)),
        }
    }

    /// The size of a value in bytes, without reading it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; the errors of reading a file.
    pub fn value_size(&self, key: &[u8], kind: ValueType) -> Result<Option<u32>> {
        check_key(key)?;
        let Some(file) = self.file_of[kind as usize] else {
            return Ok(None);
        };
        match self.waiting(key, kind) {
            Some(item) => {
                let value = item.value(kind);
                Ok(value.and_then(|(value, _)| u32::try_from(value.len()).ok()))
            }
            None => self.read(file, |reader| reader.value_size(key, kind)),
        }
    }

    fn waiting(&self, key: &[u8], kind: ValueType) -> Option<Arc<Item>> {
        self.committer
            .find(Kind::Values, key, |item| item.value(kind).is_some())
    }

    /// Stores values under a key: all of them, or none. Returns when every thread of the session can find them.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if the key has a value of one of the types, even a [differing](Self::differing_values) one;
    /// [`Error::InvalidArgument`] for an empty key, no values, an empty value, a type twice, a type that the session has no
    /// file for; [`Error::TooBig`]; [`Error::AccessDenied`] in a session opened to read. If the session could not write an
    /// earlier item to the files, it returns that error and stores nothing more.
    pub fn store_value(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> Result<()> {
        self.check_access()?;
        let types = self.check_values(key, values)?;
        let is_there = |file: usize, of: ValueTypes| {
            let is_one = |kind: u8| {
                let kind = ValueType::from_number(kind.into());
                kind.is_some_and(|kind| types.contains(kind) && of.contains(kind))
            };
            self.read(file, |reader| reader.has_any(key, is_one))
        };
        let stored = self.committer.store(
            (Kind::Values, key),
            |item| types.iter().any(|kind| item.value(kind).is_some()),
            || {
                for (position, file) in self.committer.files.iter().enumerate() {
                    let has_one = types.iter().any(|kind| file.types.contains(kind));
                    if has_one && is_there(position, file.types)? {
                        // A side file may have it from another main file that is gone.
                        let main = self.committer.main;
                        return Ok(position == main || self.read(main, |main| main.has_key(key))?);
                    }
                }
                Ok(false)
            },
            || Item::values(key, values),
        );
        if stored == Err(Error::AlreadyExists) {
            self.compare(key, values);
        }
        stored
    }

    /// Checks the arguments of a store, and returns the types of its values.
    fn check_values(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> Result<ValueTypes> {
        let invalid = |reason: String| Err(Error::InvalidArgument(reason));
        check_key(key)?;
        if values.is_empty() {
            return invalid("no values are given".into());
        }
        let mut types = ValueTypes::NONE;
        for (kind, value) in values {
            if value.is_empty() {
                return invalid("a value of no bytes".into());
            }
            if types.contains(*kind) {
                return invalid(format!("two values of type {kind:?}"));
            }
            if !self.types.contains(*kind) {
                return invalid(format!("the session has no file for {kind:?} values"));
            }
            check_size(value)?;
            types = types | (*kind).into();
        }
        Ok(types)
    }

    /// Remembers which of these values differ from those of the key.
    fn compare(&self, key: &[u8], values: &[(ValueType, &[u8])]) {
        for (kind, value) in values {
            let mut is_same = true;
            // An unreadable value does not count as differing.
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

    /// The keys and types of values that a caller stored again with other bytes than they have, sorted by key; at most 1000.
    /// Keys stand for content: the compiler that made these values does not make the same output from the same input.
    pub fn differing_values(&self) -> Vec<(Vec<u8>, ValueType)> {
        self.differing().iter().cloned().collect()
    }

    /// Stores a group: its version, and its value keys in this order, only the first of equal ones. The keys need not have
    /// values. Returns when every thread of the session can find the group; in the files a group never appears before the
    /// items stored before it.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if there is a group of this key, whatever its version; otherwise the errors of
    /// [`store_value`](Self::store_value).
    pub fn store_group(&self, key: &[u8], version: u32, value_keys: &[&[u8]]) -> Result<()> {
        self.check_access()?;
        check_key(key)?;
        value_keys.iter().try_for_each(|key| check_key(key))?;
        self.committer.store(
            (Kind::Group, key),
            |_| true,
            || self.read(self.committer.main, |reader| reader.has_group(key)),
            || Item::group(key, version, value_keys),
        )
    }

    fn check_access(&self) -> Result<()> {
        if self.access != Access::Read {
            return Ok(());
        }
        Err(Error::AccessDenied {
            path: self.committer.main_path().to_owned(),
            reason: "the session was opened to read".into(),
        })
    }

    /// Puts finished files in WAL mode, as the first store does. The first store would have to wait for a moment in which no
    /// other session reads; with many other sessions such a moment may not come.
    ///
    /// From here on, or from the first store, the session prevents others from [taking anything out](super::remove_groups) of
    /// the files: what it finds is still there when it stores a group that names it. Further calls cost nothing.
    ///
    /// # Errors
    ///
    /// [`Error::AccessDenied`] in a session opened to read; the first failure to write, of this call or an earlier one.
    pub fn begin(&self) -> Result<()> {
        self.check_access()?;
        if self.has_begun() {
            return Ok(());
        }
        self.committer.begin()
    }

    /// Whether the session has [begun](Self::begin), by a call or by a store: what it finds from here on stays.
    pub fn has_begun(&self) -> bool {
        self.committer.has_begun()
    }

    /// Waits until all stored items are in the files.
    ///
    /// # Errors
    ///
    /// The first failure to write a stored item.
    pub fn flush(&self) -> Result<()> {
        self.committer.flush()
    }

    /// Writes the stored items and closes the files. A file that the session created, or that an earlier one has left
    /// unfinished, gets its canonical form, unless another session has it open; then only the order of its content differs.
    ///
    /// Dropping does the same, and logs the result.
    ///
    /// # Errors
    ///
    /// The first failure to write a stored item, or to finish a file.
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        self.committer.close();
        self.thread
            .take()
            .map_or(Ok(()), |thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    }
}

impl Drop for Psdb {
    fn drop(&mut self) {
        if self.thread.is_some()
            && let Err(error) = self.end()
        {
            tracing::error!(%error, "closing a PSDB");
        }
    }
}

/// For each type, the index of its file.
fn files_by_type(files: &[(ValueTypes, &Path)]) -> Result<[Option<usize>; ValueType::ALL.len()]> {
    let invalid = |reason: String| Err(Error::InvalidArgument(reason));
    if files.is_empty() {
        return invalid("a session needs a file".into());
    }
    let mut file_of = [None; ValueType::ALL.len()];
    for (position, (types, path)) in files.iter().enumerate() {
        if types.is_empty() {
            return invalid(format!("{}: no value types are given", path.display()));
        }
        for kind in types.iter() {
            if file_of[kind as usize].replace(position).is_some() {
                return invalid(format!("{kind:?} values are given two files"));
            }
        }
    }
    Ok(file_of)
}

/// Opens a file; none if the session must create it.
fn open_existing(path: &Path, access: Access) -> Result<Option<Opened>> {
    let creates = access == Access::Create;
    if creates && is_without_bytes(path) {
        return Ok(None);
    }
    match schema::open(path, access != Access::Read) {
        Err(Error::NotFound { .. }) if creates => Ok(None),
        opened => opened.map(Some),
    }
}

fn start(committer: &Arc<Committer>, writers: Vec<FileWriter>) -> Result<JoinHandle<Result<()>>> {
    let path = committer.main_path();
    let committer = Arc::clone(committer);
    let run = move || {
        // If anything panics, it is a subscriber of the log: then nobody may wait for this thread.
        let run = catch_unwind(AssertUnwindSafe(|| committer.run(writers)));
        run.unwrap_or_else(|payload| {
            // The payload's Drop may panic too.
            mem::forget(payload);
            Err(committer.fail(Error::Io {
                path: committer.main_path().to_owned(),
                reason: "the thread that writes panicked".into(),
            }))
        })
    };
    let thread = thread::Builder::new().name("psdb".into()).spawn(run);
    thread.map_err(|error| Error::io(path, &error))
}

/// The identity of a file, the same for all its names; the locks and the WAL belong to the file.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let file = std::fs::metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}

/// The path itself: std does not give the number of the file, which hard links share.
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
