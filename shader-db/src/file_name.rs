//! Names that no database can have, told before anything is done; and what has a name that SQLite takes for its own.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::{psdb, sqlite, temporary};

/// A file that SQLite puts beside a database, and removes.
struct Companion {
    /// The end of its name.
    suffix: &'static str,
    is_sqlites: fn(&Path, &fs::Metadata) -> bool,
}

const COMPANIONS: [Companion; 3] = [
    Companion {
        suffix: "-journal",
        is_sqlites: |path, _| {
            const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
            // One that a crash left may have no header yet, or one that was cleared.
            begins_with(path, &[MAGIC, [0; 8]])
        },
    },
    Companion {
        suffix: "-wal",
        is_sqlites: |path, _| {
            // "wal_checksum_big_endian" decides the last bit.
            const MAGICS: [[u8; 4]; 2] = [[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]];
            begins_with(path, &[MAGICS[0], MAGICS[1], [0; 4]])
        },
    },
    Companion {
        suffix: "-shm",
        // By its size: closing it, once opened, would end the locks that this process has on it. SQLite extends it by 4 KiB at a
        // time, and truncates one that a crash left to 3 bytes.
        is_sqlites: |_, metadata| metadata.len().is_multiple_of(4 << 10) || metadata.len() == 3,
    },
];

/// Whether a file begins with one of these, as far as it goes. What cannot be read is left for SQLite to refuse.
fn begins_with<const N: usize>(path: &Path, beginnings: &[[u8; N]]) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(N as u64).read_to_end(&mut bytes));
    read.is_err()
        || beginnings
            .iter()
            .any(|beginning| beginning.starts_with(&bytes))
}

/// A file beside a database by whose name SQLite would take it for its own, change it and remove it, though it is not.
pub(crate) fn foreign_companion(database: &Path) -> Option<PathBuf> {
    COMPANIONS.iter().find_map(|companion| {
        let path = sqlite::beside(database, companion.suffix);
        let metadata = fs::metadata(&path).ok()?;
        let is_sqlites = metadata.is_file() && (companion.is_sqlites)(&path, &metadata);
        (!is_sqlites).then_some(path)
    })
}

/// Checks that SQLite does not give this name to what it puts beside another database. No file or folder that is to stay can
/// have it.
///
/// # Errors
///
/// The reason.
pub fn check_companion(path: &Path) -> Result<(), BadName> {
    // On Windows without the periods at the end, which the system ignores.
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for name in [&absolute, &psdb::path_of_file(path)] {
        let name = name.file_name().unwrap_or_default().as_encoded_bytes();
        let is_of = |suffix: &str| {
            let beginning = name.len().saturating_sub(suffix.len());
            beginning != 0 && name[beginning..].eq_ignore_ascii_case(suffix.as_bytes())
        };
        if let Some(Companion { suffix, .. }) =
            COMPANIONS.iter().find(|companion| is_of(companion.suffix))
        {
            return Err(BadName {
                path: path.to_owned(),
                reason: format!(
                    "SQLite gives names that end with {suffix} to what it puts beside a database, and removes such files: \
                     give another name"
                ),
                is_too_long: false,
            });
        }
    }
    Ok(())
}

/// Tells a file, to which locks and the WAL belong, from all others at the same time.
#[cfg(unix)]
pub(crate) type Identity = (u64, u64);

/// Its path, which an open file keeps: std does not give the number of the file, which hard links share.
#[cfg(not(unix))]
pub(crate) type Identity = PathBuf;

/// The identity of a file that is there.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).map(|file| (file.dev(), file.ino()))
    };
    #[cfg(not(unix))]
    let identity = fs::canonicalize(path);
    identity.ok()
}

/// The longest end of what is put beside a database.
const BESIDE: &str = "-journal";

/// The bytes of a path that SQLite takes on Unix, with room for the journal beside it.
const SQLITE_PATH: usize = 512 - "-journal".len();

/// Why no database can have a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct BadName {
    /// The path.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: String,
    /// Whether it, or its folder's, is too long; otherwise it has characters that the system does not take, or is one of
    /// SQLite's.
    pub is_too_long: bool,
}

/// [`check_companion`], and checks that no file is beside the path that SQLite would take for its own, and remove.
///
/// # Errors
///
/// The reason.
pub fn check_beside(path: &Path) -> Result<(), BadName> {
    check_companion(path)?;
    match foreign_companion(&psdb::path_of_file(path)) {
        None => Ok(()),
        Some(companion) => Err(BadName {
            path: path.to_owned(),
            reason: format!(
                "SQLite would take {} for a file of its own, and remove it: move that file, or give another name",
                companion.display()
            ),
            is_too_long: false,
        }),
    }
}

/// Checks that a database that is written in its place can have this name, and what is beside it its own.
///
/// # Errors
///
/// Why it cannot.
pub fn check(path: &Path) -> Result<(), BadName> {
    check_beside(path)?;
    let refuse = |is_too_long, reason: String| {
        Err(BadName {
            path: path.to_owned(),
            reason,
            is_too_long,
        })
    };
    for suffix in ["", BESIDE] {
        let name = sqlite::beside(path, suffix);
        let Err(error) = fs::metadata(&name) else {
            continue;
        };
        match is_too_long(&error, &name) {
            Some(false) => {
                return refuse(
                    false,
                    "the system takes no such characters in a name".into(),
                );
            }
            Some(true) if suffix.is_empty() => {
                return refuse(true, "the name is too long for the system".into());
            }
            Some(true) => {
                let reason = format!(
                    "the name is too long: it leaves no room for {BESIDE}, which is put behind it, so that names have \
                     {} bytes less than the system allows",
                    BESIDE.len()
                );
                return refuse(true, reason);
            }
            None => {}
        }
    }
    if cfg!(unix)
        && let Ok(whole) = std::path::absolute(path)
    {
        let most = SQLITE_PATH;
        if whole.as_os_str().len() > most {
            let reason = format!("the path is longer than the {most} bytes that SQLite takes");
            return refuse(true, reason);
        }
        let most = most - temporary::NAME - 1;
        if sqlite::folder_of(&whole).as_os_str().len() > most {
            let reason = format!(
                "the path of its folder is longer than {most} bytes, which leaves no room for the names of temporary files"
            );
            return refuse(true, reason);
        }
    }
    Ok(())
}

/// Whether an error of the system says that a name is too long, or that it has wrong characters; `None` if it is about
/// something else.
#[cfg(unix)]
fn is_too_long(error: &io::Error, _: &Path) -> Option<bool> {
    (error.kind() == io::ErrorKind::InvalidFilename).then_some(true)
}

/// As for Unix. Windows has one number for both where a part of the path is longer than file systems can store.
#[cfg(windows)]
fn is_too_long(error: &io::Error, path: &Path) -> Option<bool> {
    use std::os::windows::ffi::OsStrExt as _;
    const MOST: usize = 255;
    let is_long = || path.iter().any(|part| part.encode_wide().count() > MOST);
    match error.kind() {
        io::ErrorKind::InvalidFilename => Some(error.raw_os_error() == Some(206) || is_long()),
        // Wine says that there is no such file.
        _ => is_long().then_some(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_with_what_is_put_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let name = |length| folder.path().join("n".repeat(length));
        assert_eq!(check(&name(255 - BESIDE.len())), Ok(()));
        for length in [256 - BESIDE.len(), 255, 256] {
            assert!(check(&name(length)).unwrap_err().is_too_long, "{length}");
        }
        assert_eq!(check(&folder.path().join("none").join("a")), Ok(()));
    }

    #[test]
    fn no_database_has_a_name_that_sqlite_gives() {
        let folder = tempfile::tempdir().unwrap();
        for (name, is_good) in [
            ("a.psdb", true),
            ("a-journal.psdb", true),
            ("journal", true),
            ("-wal", true),
            ("a.psdb-journal", false),
            ("a.psdb-wal", false),
            ("a.psdb-shm", false),
            ("a-WAL", false),
        ] {
            let path = folder.path().join(name);
            assert_eq!(check(&path).is_ok(), is_good, "{name}");
        }
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("a.psdb-wal", &link).unwrap();
            assert!(!check(&link).unwrap_err().is_too_long);
        }
    }

    /// What SQLite itself makes is told from other files, also if a crash cut it off.
    #[test]
    fn a_companion_that_is_not_sqlites_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let connection = sqlite::create(&path).unwrap();
        let made = |sql: &str| {
            connection.execute_batch(sql).unwrap();
            ["-journal", "-wal", "-shm"].map(|suffix| {
                // The lock that is lost by this is not needed.
                fs::read(sqlite::beside(&path, suffix)).ok()
            })
        };
        let begin = "CREATE TABLE a (a); BEGIN; INSERT INTO a VALUES (1)";
        let [journal, ..] = made(begin);
        assert!(made("ROLLBACK").iter().all(Option::is_none));
        let [_, wal, shm] = made("PRAGMA journal_mode=WAL; INSERT INTO a VALUES (2)");
        drop(connection);
        let files = [("-journal", journal), ("-wal", wal), ("-shm", shm)];
        for (suffix, sqlites) in files {
            let companion = sqlite::beside(&path, suffix);
            let sqlites = sqlites.unwrap();
            let mut good = vec![vec![], vec![0; sqlites.len()], sqlites.clone()];
            good.extend([3, 4096].map(|size| sqlites[..size.min(sqlites.len())].to_vec()));
            for content in good {
                fs::write(&companion, content).unwrap();
                assert_eq!(foreign_companion(&path), None, "{suffix}");
            }
            for text in [&b"x"[..], b"a note", &b"a longer note\n".repeat(1000)] {
                fs::write(&companion, text).unwrap();
                assert_eq!(foreign_companion(&path).as_ref(), Some(&companion));
            }
            fs::remove_file(&companion).unwrap();
            fs::create_dir(&companion).unwrap();
            assert_eq!(foreign_companion(&path).as_ref(), Some(&companion));
            fs::remove_dir(&companion).unwrap();
        }
    }

    /// What is created where the check says that it can be.
    #[cfg(unix)]
    #[test]
    fn a_folder_can_be_so_deep_that_a_temporary_file_fits() {
        let place = tempfile::tempdir().unwrap();
        let deep = |length: usize| {
            let mut folder = place.path().to_owned();
            while folder.as_os_str().len() + 1 < length {
                let left = length - folder.as_os_str().len() - 1;
                let part = if left > 200 { left.min(200) - 2 } else { left };
                folder.push("d".repeat(part));
            }
            assert_eq!(folder.as_os_str().len(), length);
            fs::create_dir_all(&folder).unwrap();
            folder
        };
        let most = SQLITE_PATH - temporary::NAME - 1;
        let open = |path: &Path| {
            let example = psdb::example::metadata();
            let options = psdb::Options {
                target: Some(example.target),
                application: Some(example.application),
                ..psdb::Options::default()
            };
            psdb::Psdb::open(&[(psdb::ValueTypes::ALL, path)], &options)
        };
        let path = deep(most).join("a.psdb");
        assert_eq!(check(&path), Ok(()));
        open(&path).unwrap().close().unwrap();
        let path = deep(most + 1).join("a.psdb");
        assert!(check(&path).unwrap_err().is_too_long);
        open(&path).unwrap_err();
    }
}
