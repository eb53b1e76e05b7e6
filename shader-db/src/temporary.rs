//! Files that are to take another's place when they are whole, and folders for what is needed for a while.
//!
//! Their names are random, and short whatever the name of the file is; the module never takes another file for one. An
//! interrupted process removes its own ([`remove_all`]). The next process that makes one for the same file removes those that a
//! killed process left.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::{Builder, TempDir, TempPath};
use twox_hash::XxHash3_64;

use crate::{Error, Result, sqlite};

/// What there is now.
static ALL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How the names of temporary files begin.
const PREFIX: &str = ".shader-db-";

/// The random bytes of a name.
const RANDOM: usize = 16;

/// What is behind them.
const SUFFIX: &str = ".part";

/// The bytes of the name of a temporary file: the hash of the name of the file whose place it is to take is in it.
pub(crate) const NAME: usize = PREFIX.len() + 16 + 1 + RANDOM + SUFFIX.len();

/// What SQLite may have put beside it.
const BESIDE: [&str; 4] = ["", "-journal", "-wal", "-shm"];

/// A killed process left a file that nobody has locked and nobody wrote for so long.
const ABANDONED: Duration = Duration::from_mins(1);

/// A file, empty at first, that is removed unless it gets its place.
#[derive(Debug)]
pub struct Temporary(TempPath);

impl Temporary {
    /// Makes a file in the folder of the one whose place it is to take.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn beside(target: &Path) -> io::Result<Self> {
        Self::make(target, ABANDONED)
    }

    /// The same for a file that the caller has locked exclusively: nobody else can be making one for it, so a killed process left
    /// what is there, however recently.
    pub(crate) fn beside_locked(target: &Path) -> io::Result<Self> {
        Self::make(target, Duration::ZERO)
    }

    fn make(target: &Path, abandoned: Duration) -> io::Result<Self> {
        let folder = std::path::absolute(sqlite::folder_of(target))?;
        let prefix = prefix(target);
        remove_abandoned(&folder, &prefix, abandoned);
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
        // The lock is held meanwhile, so that an interrupt finds each file that there is.
        let mut all = lock();
        // Not as tempfile would: on Windows the file would say for ever that it is a temporary one.
        let create = |path: &Path| fs::File::options().write(true).create_new(true).open(path);
        let path = builder.make_in(folder, create)?.into_temp_path();
        all.push(path.to_path_buf());
        Ok(Self(path))
    }

    /// Where it is now.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Gives it its place, in that of what is there.
    ///
    /// # Errors
    ///
    /// What the system says; the file stays as it is.
    pub fn rename(&self, target: &Path) -> io::Result<()> {
        if target.exists() {
            keep_mode(&self.0, target)?;
        }
        fs::rename(&self.0, target)
    }

    /// Gives it its place if nothing is there; otherwise false.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn place(&self, target: &Path) -> io::Result<bool> {
        place(&self.0, target)
    }
}

/// Gives a file the mode, and if the system lets it the owner, of the file whose place it is to take.
#[cfg_attr(
    not(unix),
    expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")
)]
pub(crate) fn keep_mode(file: &Path, target: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, chown};
        let (own, its) = (fs::metadata(file)?, fs::metadata(target)?);
        if (own.uid(), own.gid()) != (its.uid(), its.gid()) {
            let _ = chown(file, Some(its.uid()), Some(its.gid()));
        }
        fs::set_permissions(file, its.permissions())?;
    }
    // On Windows the folder gives a new file its access rights.
    #[cfg(not(unix))]
    let _ = (file, target);
    Ok(())
}

/// Gives a file another name, besides its own where the file system has links, if nothing has that name; otherwise false.
pub(crate) fn place(file: &Path, target: &Path) -> io::Result<bool> {
    // A link takes no other file's name.
    match fs::hard_link(file, target) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(_) if fs::symlink_metadata(target).is_ok() => Ok(false),
        // The file system has no links.
        Err(_) => fs::rename(file, target).map(|()| true),
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut all = lock();
        remove(&self.0);
        all.retain(|path| **path != *self.0);
    }
}

/// How the names of temporary folders begin.
const FOLDER: &str = "shader-db-";

/// The file in such a folder that is locked for as long as its process lives.
const LOCK: &str = "lock";

/// A folder where the system has those that are temporary. It is removed with all that is in it; of a killed process by the
/// next one of the same user that makes one.
#[derive(Debug)]
pub struct Folder {
    folder: TempDir,
    /// Closed before the folder is removed.
    lock: Option<fs::File>,
}

impl Folder {
    /// Makes a folder.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn new() -> io::Result<Self> {
        remove_abandoned_folders(&std::env::temp_dir(), ABANDONED);
        let mut all = lock();
        let folder = Builder::new().prefix(FOLDER).tempdir()?;
        all.push(folder.path().to_owned());
        let lock = fs::File::create_new(folder.path().join(LOCK))?;
        // A file system without locks leaves the folder to who cleans up.
        let lock = lock.try_lock().is_ok().then_some(lock);
        Ok(Self { folder, lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let mut all = lock();
        drop(self.lock.take());
        let _ = fs::remove_dir_all(self.path());
        all.retain(|path| path != self.folder.path());
    }
}

/// Removes the folders of killed processes: those whose lock can be had. One that was just made has none yet.
fn remove_abandoned_folders(place: &Path, after: Duration) {
    let Ok(entries) = fs::read_dir(place) else {
        return;
    };
    for entry in entries.flatten() {
        let is_one = entry.file_name().to_string_lossy().starts_with(FOLDER);
        if !is_one || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path().join(LOCK);
        let is_abandoned = || {
            // A link leads to a file that is none of these, and a FIFO would wait.
            let lock = fs::symlink_metadata(&path)
                .ok()
                .filter(fs::Metadata::is_file)?;
            let age = lock.modified().ok()?.elapsed().ok()?;
            let lock = fs::File::options().write(true).open(&path);
            Some(age >= after && lock.ok()?.try_lock().is_ok())
        };
        if is_abandoned() == Some(true) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Copies a file that nobody writes, with the WAL beside it, into a temporary folder. The copy is writable even if the file
/// is not.
///
/// # Errors
///
/// The errors of reading the file and of writing to the folder.
pub fn copy_with_log(path: &Path) -> Result<(Folder, PathBuf)> {
    let copied = || {
        let folder = Folder::new()?;
        let copy = folder.path().join("copy");
        for suffix in ["-wal", ""] {
            let mut from = fs::File::open(sqlite::beside(path, suffix))?;
            let mut to = fs::File::create_new(sqlite::beside(&copy, suffix))?;
            io::copy(&mut from, &mut to)?;
        }
        Ok((folder, copy))
    };
    copied().map_err(|error| Error::io(path, &error))
}

/// Removes what this process has made and not given its place, because the process is about to end. No other is made after this.
pub fn remove_all() {
    let all = lock();
    for path in &*all {
        if path.is_dir() {
            let _ = fs::remove_dir_all(path);
        } else {
            remove(path);
        }
    }
    std::mem::forget(all);
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What cannot be removed is in nobody's way.
fn remove(path: &Path) {
    for suffix in BESIDE {
        let _ = fs::remove_file(sqlite::beside(path, suffix));
    }
}

/// The beginning of the names of those for one file: the names of files can be as long as the system allows.
fn prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default();
    let hash = XxHash3_64::oneshot(name.as_encoded_bytes());
    format!("{PREFIX}{hash:016x}-")
}

fn remove_abandoned(folder: &Path, prefix: &str, after: Duration) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let is_one = is_file && name.starts_with(prefix) && name.ends_with(SUFFIX);
        let is_old = || {
            let modified = entry.metadata().and_then(|file| file.modified()).ok()?;
            Some(modified.elapsed().ok()? >= after)
        };
        if is_one && is_old() == Some(true) && !sqlite::is_locked(&entry.path()) {
            remove(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_dead_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("content"), "x").unwrap();
            folder
        };
        let [dead, alive, new, other] =
            ["shader-db-1", "shader-db-2", "shader-db-3", "another"].map(make);
        let lock = |folder: &Path| fs::File::create_new(folder.join(LOCK)).unwrap();
        let locked = lock(&alive);
        locked.lock().unwrap();
        drop((lock(&dead), lock(&other)));
        remove_abandoned_folders(place.path(), Duration::from_mins(1));
        assert!(dead.exists(), "it may be about to be locked");
        remove_abandoned_folders(place.path(), Duration::ZERO);
        assert!(!dead.exists());
        for folder in [&alive, &new, &other] {
            assert!(folder.join("content").exists(), "{}", folder.display());
        }
        drop(locked);
        remove_abandoned_folders(place.path(), Duration::ZERO);
        assert!(!alive.exists());
    }
}
