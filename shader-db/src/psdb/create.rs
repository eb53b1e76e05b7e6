//! New files, in WAL mode from the beginning.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::metadata::{self, Metadata};
use super::schema::{APPLICATION_ID, PAGE_SIZE, SESSION_PAGE_SIZE, TABLES, USER_VERSION};
use super::{Options, rewrite};
use crate::error::At as _;
use crate::sqlite::BUSY_TIMEOUT;
use crate::temporary::{self, Temporary};
use crate::{Error, Result, locked_file, sqlite};

/// Writes the tables and the metadata into an empty database.
pub fn write(connection: &Connection, metadata: &Metadata) -> rusqlite::Result<()> {
    connection.execute_batch(&TABLES.join(";"))?;
    connection.execute_batch(&format!(
        "PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={USER_VERSION};"
    ))?;
    metadata::write(connection, metadata)
}

/// Files that a session creates. Dropping removes those that nobody uses, unless the session keeps them.
#[derive(Default)]
pub struct Created(Vec<PathBuf>);

impl Created {
    /// Creates an empty PSDB in WAL mode, unless a file with content is there.
    pub fn create(&mut self, path: &Path, metadata: &Metadata, options: &Options) -> Result<()> {
        let path = target_of(path);
        remove_left_logs(&path)?;
        if fill(&path, metadata)? || create(&path, metadata, options)? {
            self.0.push(path.clone());
        }
        sqlite::sync_directory(&path)
    }

    pub fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for Created {
    fn drop(&mut self) {
        for path in &self.0 {
            // A file that cannot be removed does no harm.
            let _ = rewrite::remove_unused(path);
        }
    }
}

/// The path that a link leads to, even if no file is there yet; any other path as it is.
fn target_of(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // Links can form a ring; a path that is still a link after 40 steps cannot be opened.
    for _ in 0..40 {
        let Ok(link) = fs::read_link(&path) else {
            break;
        };
        path = sqlite::folder_of(&path).join(link);
    }
    path
}

/// Whether there is something at a path. An empty file counts as none: programs make one to reserve a name, as
/// `GetTempFileName` does.
pub fn exists(path: &Path) -> bool {
    path.exists() && !is_without_bytes(path)
}

/// Whether an empty file is at the path.
pub fn is_without_bytes(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

/// Removes the rollback journal and the WAL that lie beside a new file's name, as where somebody removed a database without
/// them: SQLite would take them for those of the new file. SQLite removes them under its lock of an empty file, which stays,
/// since another process may be creating that file.
pub fn remove_left_logs(path: &Path) -> Result<()> {
    let has_log = ["-journal", "-wal"].map(|suffix| sqlite::has_beside(path, suffix));
    if !has_log.contains(&true) || exists(path) {
        return Ok(());
    }
    // Before there is an empty file that SQLite would refuse to open.
    sqlite::check_journals(path)?;
    if let Err(error) = fs::File::create_new(path)
        && error.kind() != ErrorKind::AlreadyExists
    {
        return Err(Error::io(path, &error));
    }
    lock_empty(path).map(drop)
}

/// Locks an empty file for as long as the connection lives; none if it is not empty, or another file, by then. SQLite
/// removes what lies beside it.
fn lock_empty(path: &Path) -> Result<Option<Connection>> {
    // A page size that is not the file's would make SQLite give the lock up on the way.
    let lock = format!(
        "PRAGMA page_size={SESSION_PAGE_SIZE}; BEGIN EXCLUSIVE; SELECT 1 FROM sqlite_schema"
    );
    let connection = sqlite::open_empty(path)?;
    let locked = sqlite::patiently_present(&connection, BUSY_TIMEOUT, || {
        connection.execute_batch(&lock)
    });
    let locked = locked.at(path)?.is_some() && is_without_bytes(path);
    Ok(locked.then_some(connection))
}

/// Moves a new database of any kind to its path if nothing, or an empty file, is there; otherwise returns false. A link
/// stays.
///
/// # Errors
///
/// The errors of renaming a file, and of removing the journal or WAL of a database that somebody removed.
pub fn place(new: &Temporary, path: &Path) -> Result<bool> {
    place_file(new.path(), &path_of_file(path))
}

/// The same for a file that keeps its own name where the file system has links, and the path of a file.
pub fn place_file(new: &Path, path: &Path) -> Result<bool> {
    remove_left_logs(path)?;
    if is_without_bytes(path) {
        let Some(connection) = lock_empty(path)? else {
            return Ok(false);
        };
        temporary::keep_mode(new, path).at(path)?;
        return locked_file::replace(path, connection, || fs::rename(new, path));
    }
    temporary::place(new, path).at(path)
}

/// Makes an empty file an empty PSDB in WAL mode; false if the file is not empty. Of two processes that do this at once, the
/// second waits for the first, and then finds a PSDB. A crash leaves the file empty, or whole.
fn fill(path: &Path, metadata: &Metadata) -> Result<bool> {
    if !is_without_bytes(path) {
        return Ok(false);
    }
    let Some(connection) = lock_empty(path)? else {
        return Ok(false);
    };
    write(&connection, metadata).at(path)?;
    connection.execute_batch("COMMIT").at(path)?;
    sqlite::wait_with_lock(&connection).at(path)?;
    let to_wal = || sqlite::set_journal_mode(&connection, "wal");
    sqlite::patiently_present(&connection, BUSY_TIMEOUT, to_wal).at(path)?;
    Ok(true)
}

/// The path of the file itself, which need not exist yet: absolute, without links.
pub fn path_of_file(path: &Path) -> PathBuf {
    let path = target_of(path);
    let of_folder = || {
        let path = std::path::absolute(&path).ok()?;
        Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
    };
    let of_file = path.canonicalize().ok().or_else(of_folder);
    of_file.unwrap_or(path)
}

/// Creates an empty PSDB in WAL mode; false if a file is there. No other process sees a half-made file.
fn create(path: &Path, metadata: &Metadata, options: &Options) -> Result<bool> {
    let new = Temporary::beside(path).at(path)?;
    let connection = sqlite::create_as(new.path(), path)?;
    let page = if options.commits_batches {
        PAGE_SIZE
    } else {
        SESSION_PAGE_SIZE
    };
    let begin = format!("PRAGMA page_size={page}; PRAGMA journal_mode=MEMORY; BEGIN");
    let make = || {
        connection.execute_batch(&begin)?;
        write(&connection, metadata)?;
        connection.execute_batch("COMMIT")?;
        sqlite::set_journal_mode(&connection, "wal")
    };
    make().at(path)?;
    connection.close().map_err(|(_, error)| error).at(path)?;
    new.place(path).at(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_file_that_a_session_is_filling_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let new = example::finished(folder.path());
        let path = &folder.path().join("b.psdb");
        fs::write(path, "").unwrap();
        let filling = sqlite::open_empty(path).unwrap();
        // It has a reader's lock, and no journal yet.
        let begin = "BEGIN; SELECT 1 FROM sqlite_schema";
        let begin = format!("PRAGMA page_size={SESSION_PAGE_SIZE}; {begin}");
        filling.execute_batch(&begin).unwrap();
        thread::scope(|scope| {
            let placed = scope.spawn(|| place_file(&new, path));
            thread::sleep(Duration::from_millis(200));
            let fill = || {
                write(&filling, &example::metadata())?;
                filling.execute_batch("COMMIT")
            };
            assert_eq!(sqlite::patiently(BUSY_TIMEOUT, fill), Ok(()));
            assert_eq!(placed.join().unwrap(), Ok(false));
        });
        assert!(!sqlite::has_moved(&filling));
        assert!(new.exists());
        // An empty file that nobody fills is as good as none.
        let empty = folder.path().join("c.psdb");
        fs::write(&empty, "").unwrap();
        assert_eq!(place_file(&new, &empty), Ok(true));
    }
}

/// Files for the tests of other modules.
#[cfg(test)]
pub mod example {
    use super::super::{Application, Target};
    use super::*;

    pub fn metadata() -> Metadata {
        Metadata {
            target: Target {
                family: "GPU".into(),
                abi: 1,
                compiler_version: 7,
                profile_version: 0,
            },
            application: Application {
                exe: "game.exe".into(),
                name: "Game".into(),
                version: 1,
                engine_name: None,
                engine_version: 0,
            },
            verified: true,
        }
    }

    /// Creates an empty PSDB in WAL mode.
    pub fn file(folder: &Path) -> PathBuf {
        let path = folder.join("a.psdb");
        assert_eq!(create(&path, &metadata(), &Options::default()), Ok(true));
        path
    }

    /// Creates a finished one.
    pub fn finished(folder: &Path) -> PathBuf {
        let path = file(folder);
        rewrite::finish(&path, true).unwrap();
        path
    }
}
