//! A session over one or several files.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::path::Path;

use compatibility::Verdict;
use parking_lot::Mutex;

use super::batch::Batch;
use super::create::{Created, is_without_bytes};
use super::file_writer::FileWriter;
use super::item::Item;
use super::metadata::{self, Metadata};
use super::open::{Opened, Way};
use super::read::Readers;
use super::schema::ELSEWHERE;
use super::transaction::{Transaction, put_back};
use super::{Access, Application, Options, Target, ValueType, ValueTypes, digest};
use crate::error::At as _;
use crate::{Error, Result, file_name};

/// The most bytes that a key or a value can have: SQLite limits a row to 1,000,000,000.
pub const MAX_SIZE: usize = 1_000_000_000 - 4096;

/// A session over one or several PSDB files.
///
/// All threads can use it at once. When a call that stores returns `Ok`, what it stored is committed: every session on the files,
/// in any process, finds it, and no end of the process loses it. A crash of the system can lose what was stored last, and damages
/// nothing.
pub struct Psdb {
    pub(super) files: Vec<File>,
    /// The index of the file that decides which groups exist.
    pub(super) main: usize,
    /// For each value type, the index of its file.
    pub(super) file_of: [Option<usize>; ValueType::ALL.len()],
    /// One for each file; none in a session that only reads.
    pub(super) writers: Mutex<Vec<FileWriter>>,
    /// The version of the compiler that makes what is stored, if the caller named it.
    pub(super) compiler: Option<u64>,
    metadata: Metadata,
    verdict: Verdict,
    types: ValueTypes,
    access: Access,
    /// Values that a caller stored again with other bytes.
    differing: Mutex<Differing>,
}

/// One file of a session.
pub(super) struct File {
    pub types: ValueTypes,
    readers: Readers,
}

type Differing = BTreeSet<(Vec<u8>, ValueType)>;

/// The session remembers at most this many differing values.
const REMEMBERED: usize = 1000;

impl fmt::Debug for Psdb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files.iter();
        let files = files.map(|file| (file.types, &file.readers.path));
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
        let (metadata, verdict) = metadata::agree(&opened, options)?;

        // Declared before the connections, so that they close first if something fails.
        let mut created = Created::default();
        let main = file_of[ValueType::ObjectCode as usize].unwrap_or(0);
        let (mut shared, mut writers) = (Vec::new(), Vec::new());
        let mut identities = HashSet::new();
        for ((types, path), opened) in files.iter().zip(opened) {
            let mut opened = if let Some(opened) = opened {
                opened
            } else {
                created.create(path, &metadata, options)?;
                // Another process may have created the file first.
                Opened::again(path, Way::Write, &metadata)?
            };
            // The path of the file itself: the WAL is beside it, and the session may outlive the current directory.
            let path = std::fs::canonicalize(path).at(path)?;
            opened.path.clone_from(&path);
            let readers = Readers::new(&path, metadata.clone());
            if to_store {
                writers.push(FileWriter::new(opened)?);
            } else {
                readers.give(opened)?;
            }
            if !identities.insert(file_name::identity(&path)) {
                return Err(Error::InvalidArgument("a file is given twice".into()));
            }
            shared.push(File {
                types: *types,
                readers,
            });
        }
        put_back(&mut writers, main)?;
        created.keep();
        Ok(Self {
            types: files.iter().map(|(types, _)| *types).collect(),
            files: shared,
            main,
            file_of,
            writers: Mutex::new(writers),
            compiler: options.target.as_ref().map(|of| of.compiler_version),
            metadata,
            verdict,
            access: options.access,
            differing: Mutex::default(),
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

    /// Finds a group and its version.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; [`Error::Corrupt`] and the other errors of reading a file.
    pub fn find_group(&self, key: &[u8]) -> Result<Option<u32>> {
        let group = self.group(key)?.and_then(|item| item.group);
        Ok(group.map(|(version, _)| version))
    }

    fn group(&self, key: &[u8]) -> Result<Option<Item>> {
        check_key(key)?;
        let main = &self.files[self.main].readers;
        let group = main.read(|lookup| lookup.group(key))?;
        group.map(|entry| entry.sound(&main.path)).transpose()
    }

    /// The value keys of a group, in the order in which they were stored, if there is a group of this key and version. A named
    /// key need not have values.
    ///
    /// # Errors
    ///
    /// As [`find_group`](Self::find_group).
    pub fn group_value_keys(&self, key: &[u8], version: u32) -> Result<Option<Vec<Vec<u8>>>> {
        let is_wanted = |item: &Item| item.group.is_some_and(|(found, _)| found == version);
        let group = self.group(key)?.filter(is_wanted);
        let keys = |item: Item| digest::keys_of(item.list()).map(<[u8]>::to_vec).collect();
        Ok(group.map(keys))
    }

    /// What `read` makes of a value, which matches its digest. It gets SQLite's page, so that it can make the only copy.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; [`Error::Corrupt`] if the value does not match its digest, and the other
    /// errors of reading a file. After an error `read` was not called.
    pub fn find_value<T>(
        &self,
        key: &[u8],
        kind: ValueType,
        mut read: impl FnMut(&[u8]) -> T,
    ) -> Result<Option<T>> {
        check_key(key)?;
        let Some(readers) = self.readers_of(kind) else {
            return Ok(None);
        };
        let found = readers.read(|lookup| lookup.value(key, kind, &mut read))?;
        found.map_err(|fault| Error::corrupt(&readers.path, fault))
    }

    fn readers_of(&self, kind: ValueType) -> Option<&Readers> {
        Some(&self.files[self.file_of[kind as usize]?].readers)
    }

    /// The size of a value in bytes, without reading it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; the errors of reading a file.
    pub fn value_size(&self, key: &[u8], kind: ValueType) -> Result<Option<u32>> {
        check_key(key)?;
        let size = |readers: &Readers| readers.read(|lookup| lookup.value_size(key, kind));
        self.readers_of(kind).map_or(Ok(None), size)
    }

    /// Whether a store of values of these types is refused: the key has one of them.
    ///
    /// # Errors
    ///
    /// As [`value_size`](Self::value_size).
    pub fn has_any(&self, key: &[u8], types: ValueTypes) -> Result<bool> {
        for kind in types.kinds() {
            if self.value_size(key, kind)?.is_some() {
                // A side file may have it from another main file that is gone.
                let main = &self.files[self.main].readers;
                return Ok(self.file_of[kind as usize] == Some(self.main)
                    || main.read(|lookup| lookup.has("keys WHERE key = ?1", key))?);
            }
        }
        Ok(false)
    }

    /// Whether a key has no values in this session's files because a session had other files for their types.
    ///
    /// # Errors
    ///
    /// As [`value_size`](Self::value_size).
    pub fn is_elsewhere(&self, key: &[u8]) -> Result<bool> {
        check_key(key)?;
        let main = &self.files[self.main].readers;
        let rows = format!("keys WHERE key = ?1 AND last_accessed = {ELSEWHERE}");
        Ok(self.types != ValueTypes::ALL && main.read(|lookup| lookup.has(&rows, key))?)
    }

    /// Has finds see what is committed now until the next call, or, without a snapshot, what is committed when they are called.
    /// A find in a snapshot takes a third of the time. In WAL mode the WAL grows while there is one, so a caller ends it before it
    /// commits; in a file that is not in WAL mode it keeps every session from committing.
    pub fn keep_snapshot(&self, keep: bool) {
        for file in &self.files {
            file.readers.keep_snapshot(keep);
        }
    }

    /// A batch for this session's types of value.
    pub fn batch(&self) -> Batch {
        Batch::new(self.types)
    }

    /// Runs one transaction over all files, and commits it if `run` returns `Ok`; otherwise nothing changes. Other transactions on
    /// the files, of any process, wait meanwhile.
    ///
    /// # Errors
    ///
    /// That of `run`; [`Error::AccessDenied`] in a session opened to read; the errors of writing a file, such as [`Error::Busy`]
    /// if another process keeps a file locked for five seconds.
    pub fn transaction<T, E: From<Error>>(
        &self,
        run: impl FnOnce(&mut Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        self.check_access()?;
        let mut transaction = Transaction::begin(self)?;
        let result = run(&mut transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Stores values under a key: all of them, or none.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if the key has a value of one of the types, even a [differing](Self::differing_values) one; the
    /// errors of [`Batch::add_values`] and [`transaction`](Self::transaction).
    pub fn store_value(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> Result<()> {
        self.check_access()?;
        let mut batch = self.batch();
        batch.add_values(key, values)?;
        let types = values.iter().map(|(kind, _)| *kind).collect();
        let stored = if self.has_any(key, types)? {
            Err(Error::AlreadyExists)
        } else {
            self.transaction(|transaction| transaction.add_new(&batch))
        };
        if stored == Err(Error::AlreadyExists) {
            // A damaged value does not count as differing.
            let _ = self.compare(key, values);
        }
        stored
    }

    /// Notes which of these values [differ](Self::differing_values) from those of the key.
    ///
    /// # Errors
    ///
    /// As [`find_value`](Self::find_value).
    pub fn compare(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> Result<()> {
        for (kind, value) in values {
            if self.find_value(key, *kind, |stored| stored != *value)? == Some(true) {
                self.note_differing(key, *kind);
            }
        }
        Ok(())
    }

    /// Notes a value that a caller stored again with other bytes, for [`differing_values`](Self::differing_values).
    pub fn note_differing(&self, key: &[u8], kind: ValueType) {
        let mut differing = self.differing.lock();
        if differing.len() < REMEMBERED {
            differing.insert((key.to_vec(), kind));
        }
    }

    /// The keys and types of values that a caller stored again with other bytes than they have, sorted by key; at most 1000.
    /// Keys stand for content: the compiler that made these values does not make the same output from the same input.
    pub fn differing_values(&self) -> Vec<(Vec<u8>, ValueType)> {
        self.differing.lock().iter().cloned().collect()
    }

    /// Stores a group: its version, and its value keys in this order, only the first of equal ones. The keys need not have
    /// values.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if there is a group of this key, whatever its version; the errors of [`Batch::add_group`] and
    /// [`transaction`](Self::transaction).
    pub fn store_group(&self, key: &[u8], version: u32, value_keys: &[&[u8]]) -> Result<()> {
        self.check_access()?;
        let mut batch = self.batch();
        batch.add_group(key, version, value_keys)?;
        let main = &self.files[self.main].readers;
        if main.read(|lookup| lookup.has("groupkeys WHERE key = ?1", key))? {
            return Err(Error::AlreadyExists);
        }
        self.transaction(|transaction| transaction.add_new(&batch))
    }

    fn check_access(&self) -> Result<()> {
        if self.access != Access::Read {
            return Ok(());
        }
        Err(Error::AccessDenied {
            path: self.files[self.main].readers.path.clone(),
            reason: "the session was opened to read".into(),
        })
    }

    /// Closes the files. A file that the session created, or that an earlier one has left unfinished, gets its canonical form,
    /// unless another session has it open; then only the order of its content differs.
    ///
    /// Dropping does the same, and logs the result.
    ///
    /// # Errors
    ///
    /// The first failure to finish a file.
    pub fn close(self) -> Result<()> {
        self.end()
    }

    fn end(&self) -> Result<()> {
        self.files.iter().for_each(|file| file.readers.close());
        let writers = std::mem::take(&mut *self.writers.lock());
        // Close every file, even if another one fails.
        let finished: Vec<Result<()>> = writers.into_iter().map(FileWriter::finish).collect();
        finished.into_iter().collect()
    }
}

impl Drop for Psdb {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
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
        for kind in types.kinds() {
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
    let opened = match access {
        Access::Read => Opened::to_read(path),
        Access::Write | Access::Create => Opened::to_write(path),
    };
    match opened {
        Err(Error::NotFound { .. }) if creates => Ok(None),
        opened => opened.map(Some),
    }
}

pub(super) fn check_key(key: &[u8]) -> Result<()> {
    if key.is_empty() {
        return Err(Error::InvalidArgument("a key of no bytes".into()));
    }
    check_size(key)
}

pub(super) fn check_size(bytes: &[u8]) -> Result<()> {
    if bytes.len() > MAX_SIZE {
        return Err(Error::TooBig {
            size: bytes.len(),
            limit: MAX_SIZE,
        });
    }
    Ok(())
}
