//! Replacing and removing a database that a connection has locked.

use std::io;
use std::path::Path;

use rusqlite::Connection;

use crate::{Error, Result};

/// Runs what renames another file over the one that the connection has to itself, or removes it, and closes the connection. False
/// if, on Windows, somebody else has the file open, or has written it; it then stays.
///
/// # Errors
///
/// What the system says of the change.
pub fn replace(
    path: &Path,
    connection: Connection,
    change: impl Fn() -> io::Result<()>,
) -> Result<bool> {
    #[cfg(windows)]
    let changed = closed::replace(path, connection, change);
    #[cfg(not(windows))]
    let changed = {
        let changed = change();
        drop(connection);
        changed.map(|()| true)
    };
    changed.map_err(|error| Error::io(path, &error))
}

/// Windows renames over no open file, and removes none. So the connection is closed first, and its lock ends. Who has the file
/// open then makes the change fail; who had it open, and has written it, is seen before; and nobody can write it in between.
#[cfg(windows)]
mod closed {
    use std::fs::File;
    use std::io::{self, Read as _};
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::path::Path;
    use std::thread;
    use std::time::{Duration, Instant};

    use rusqlite::Connection;

    use crate::sqlite::beside;
    use crate::turn::Turn;

    /// How long this waits for others, such as virus scanners, which open a file that was just closed.
    const PATIENCE: Duration = Duration::from_secs(1);

    pub fn replace(
        path: &Path,
        connection: Connection,
        change: impl Fn() -> io::Result<()>,
    ) -> io::Result<bool> {
        let before = Looks::of(&File::open(path)?)?;
        drop(connection);
        let until = Instant::now() + PATIENCE;
        loop {
            let turn = Turn::take(path);
            let alone = File::options().read(true).share_mode(0).open(path);
            let mut refused = Ok(false);
            if let (Some(_), Ok(file)) = (&turn, alone) {
                let is_same = Looks::of(&file).is_ok_and(|now| now == before);
                // Nobody has the file open: who was killed left these.
                let has_log = ["-wal", "-journal"].map(|suffix| beside(path, suffix).exists());
                if !is_same || has_log.contains(&true) {
                    return Ok(false);
                }
                drop(file);
                match change() {
                    Ok(()) => return Ok(true),
                    Err(error) => refused = Err(error),
                }
            }
            drop(turn);
            if Instant::now() > until {
                return refused;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// What changes when somebody writes a database, or puts another file in its place.
    #[derive(PartialEq)]
    struct Looks {
        header: Vec<u8>,
        index: u64,
        created: Option<u64>,
    }

    impl Looks {
        fn of(mut file: &File) -> io::Result<Self> {
            let mut header = Vec::new();
            file.by_ref().take(100).read_to_end(&mut header)?;
            let information = winapi_util::file::information(file)?;
            Ok(Self {
                header,
                index: information.file_index(),
                created: information.creation_time(),
            })
        }
    }
}

#[cfg(all(test, windows))]
mod tests {
    use std::{fs, thread};

    use super::*;
    use crate::sqlite;

    /// A database, and a connection that has it to itself.
    fn locked(path: &Path) -> Connection {
        let connection = sqlite::create(path).unwrap();
        connection
            .execute_batch("PRAGMA locking_mode=EXCLUSIVE; CREATE TABLE a (a)")
            .unwrap();
        connection
    }

    #[test]
    fn who_had_the_file_open_and_wrote_it_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let connection = locked(&path);
        let other = sqlite::open_existing(&path, true).unwrap();
        let replaced = thread::scope(|scope| {
            scope.spawn(move || {
                let store = "INSERT INTO a VALUES (1)";
                sqlite::patiently(sqlite::BUSY_TIMEOUT, || other.execute(store, [])).unwrap();
            });
            replace(&path, connection, || fs::remove_file(&path))
        });
        assert_eq!(replaced, Ok(false));
        let rows = sqlite::open_existing(&path, true).unwrap().query_row(
            "SELECT count(*) FROM a",
            [],
            |row| row.get(0),
        );
        assert_eq!(rows, Ok(1));
    }

    #[test]
    fn a_file_that_nobody_else_has_open_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, new) = (folder.path().join("a"), folder.path().join("b"));
        let connection = locked(&path);
        fs::write(&new, "b").unwrap();
        assert_eq!(
            replace(&path, connection, || fs::rename(&new, &path)),
            Ok(true)
        );
        assert_eq!(fs::read(&path).unwrap(), b"b");
    }

    #[test]
    fn a_file_whose_last_user_was_killed_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let connection = locked(&path);
        sqlite::set_journal_mode(&connection, "memory").unwrap();
        fs::write(sqlite::beside(&path, "-journal"), "").unwrap();
        let replaced = replace(&path, connection, || fs::remove_file(&path));
        assert_eq!(replaced, Ok(false));
    }

    #[test]
    fn what_the_system_refuses_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (path, absent) = (folder.path().join("a"), folder.path().join("b"));
        let connection = locked(&path);
        let replaced = replace(&path, connection, || fs::rename(&absent, &path));
        assert!(
            matches!(replaced, Err(Error::NotFound { .. })),
            "{replaced:?}"
        );
        assert!(path.exists());
    }
}
