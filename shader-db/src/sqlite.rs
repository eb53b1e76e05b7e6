//! Opening SQLite files that may be anybody's.

use std::ffi::{c_int, c_void};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};
use std::{fs, ptr, thread};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, ffi};

use crate::error::At as _;
#[cfg(windows)]
use crate::turn::Turn;
use crate::{Error, Result, file_name};

/// How long a connection waits for the lock of another session.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a connection with a lock waits for those of others: longer than a call of a session reads. If it gave up earlier, there
/// would always be one that has just begun another.
const LOCK_PATIENCE: Duration = Duration::from_millis(600);

/// How long another process may have a file open that it does not share; SQLite itself waits up to 1.4 s in some places.
const SHARING_PATIENCE: Duration = Duration::from_secs(2);
/// The error of Windows for opening such a file.
const SHARING_VIOLATION: i32 = 32;

/// What a file can make SQLite do when its schema is read and when rows are stored: the texts of its tables and indexes can
/// have expressions.
const LIMITS: [(Limit, i32); 4] = [
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
];

/// The first bytes of a database file. They change with each transaction, but in WAL mode.
#[derive(PartialEq)]
pub struct Header([u8; 100]);

impl Header {
    fn number(&self, at: usize) -> u32 {
        u32::from_be_bytes(self.0[at..at + 4].try_into().expect("four bytes"))
    }

    pub fn is_sqlite(&self) -> bool {
        self.0.starts_with(b"SQLite format 3\0")
    }

    /// Whether the file was left in WAL mode.
    pub fn is_wal(&self) -> bool {
        // The version that is needed to read it, by which SQLite too decides whether there is a WAL.
        self.0[19] == 2
    }

    /// How many transactions have changed the file, but for those in a WAL.
    pub fn changes(&self) -> u32 {
        self.number(24)
    }

    pub fn user_version(&self) -> u32 {
        self.number(60)
    }

    pub fn application_id(&self) -> u32 {
        self.number(68)
    }
}

/// What SQLite returns to a read-only connection while another process changes the WAL index, or removes the rollback journal
/// of its change to the header. A crash could have left either, and only a connection that writes could recover it.
const PASSING: [c_int; 3] = [
    ffi::SQLITE_READONLY_RECOVERY,
    ffi::SQLITE_READONLY_CANTINIT,
    ffi::SQLITE_READONLY_ROLLBACK,
];

/// Repeats what SQLite refuses for a reason that passes, for at most so long.
fn retry<T>(
    patience: Duration,
    passes: impl Fn(&ffi::Error) -> bool,
    mut run: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let until = Instant::now() + patience;
    loop {
        match run() {
            Err(rusqlite::Error::SqliteFailure(error, _))
                if passes(&error) && Instant::now() < until =>
            {
                thread::sleep(Duration::from_millis(2));
            }
            result => return result,
        }
    }
}

/// Repeats what SQLite refuses at once: because of another session's lock, to avoid a deadlock, or because of that session's
/// changes.
pub fn patiently<T>(
    patience: Duration,
    mut run: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let passes = |error: &ffi::Error| {
        error.code == ErrorCode::DatabaseBusy || PASSING.contains(&error.extended_code)
    };
    retry(patience, passes, || though_unshared(&mut run))
}

/// Waits, for a moment, for a WAL that another process is removing: Windows cannot open such a file.
pub fn though_unshared<T>(run: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let passes = |error: &ffi::Error| cfg!(windows) && error.code == ErrorCode::CannotOpen;
    retry(SHARING_PATIENCE, passes, run)
}

/// Opens an existing file, without a lock, a read or a write: nothing changes until the first statement.
pub fn open_existing(path: &Path, write: bool) -> Result<Connection> {
    let metadata = fs::metadata(path).at(path)?;
    if !metadata.is_file() {
        let reason = format!("{}: not a file", path.display());
        return Err(Error::InvalidArgument(reason));
    }
    if metadata.len() == 0 {
        return Err(Error::bad_format(path, "the file is empty"));
    }
    let access = if write {
        OpenFlags::SQLITE_OPEN_READ_WRITE
    } else {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    };
    let until = Instant::now() + SHARING_PATIENCE;
    loop {
        let connection = open(path, access)?;
        if !write || !connection.is_readonly(MAIN_DB).at(path)? {
            distrust(&connection).at(path)?;
            return Ok(connection);
        }
        drop(connection);
        if !is_unshared(path) {
            return Err(Error::AccessDenied {
                path: path.to_owned(),
                reason: "the file is read-only".into(),
            });
        }
        if Instant::now() > until {
            return Err(Error::busy(path));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// How long a rollback journal may be that of a transaction in progress, for a connection that only reads.
pub const ROLLBACK_PATIENCE: Duration = Duration::from_millis(500);

/// Undoes a transaction that a killed process has left half done beside a file: `reader`, a connection that only reads, cannot.
/// False if there is no rollback journal.
///
/// # Errors
///
/// [`Error::AccessDenied`] if this process cannot write the file; the errors of opening and reading it.
pub fn roll_back_journal(reader: &Connection, path: &Path) -> Result<bool> {
    if !has_beside(path, "-journal") {
        return Ok(false);
    }
    let read = |connection: &Connection, patience| {
        let read = || connection.query_row("PRAGMA schema_version", [], |_| Ok(()));
        patiently(patience, read)
    };
    let is_left = read(reader, ROLLBACK_PATIENCE)
        .is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::ReadOnly));
    if !is_left {
        return Ok(true);
    }
    let rolled_back =
        open_existing(path, true).and_then(|connection| read(&connection, BUSY_TIMEOUT).at(path));
    match rolled_back {
        Err(Error::AccessDenied { path, .. }) => Err(Error::AccessDenied {
            path,
            reason: "a program was stopped while it wrote the file: it can be read when a process that can write it has \
                     opened it, as `checkpoint-db` does"
                .into(),
        }),
        rolled_back => rolled_back.map(|()| true),
    }
}

/// Whether a file that SQLite could not open to write can be opened, now or when another process has closed it: Windows lets
/// nobody write a file that another process is linking, renaming or reading without sharing.
fn is_unshared(path: &Path) -> bool {
    // Elsewhere closing a file again would take this process's locks from it.
    cfg!(windows)
        && fs::File::options().write(true).open(path).map_or_else(
            |error| error.raw_os_error() == Some(SHARING_VIOLATION),
            |_| true,
        )
}

/// Whether the last connection to close writes the WAL into the file.
pub fn checkpoint_on_close(connection: &Connection, checkpoints: bool) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !checkpoints)?;
    Ok(())
}

/// The file is untrusted, and not yet known to be ours: closing must not write a left WAL back into it.
fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    checkpoint_on_close(connection, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    for (limit, most) in LIMITS {
        connection.set_limit(limit, most)?;
    }
    Ok(())
}

/// Opens a file that nobody writes; takes no lock and creates no file beside it.
pub fn open_immutable(path: &Path) -> Result<Connection> {
    let mut uri = String::from("file:");
    for byte in absolute(path)?.as_os_str().as_encoded_bytes() {
        write!(uri, "%{byte:02X}").expect("a string takes everything");
    }
    uri += "?immutable=1";
    let access = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = connect(Path::new(&uri), path, access)?;
    distrust(&connection).at(path)?;
    Ok(connection)
}

/// Opens a file without a byte, which others may fill and replace meanwhile: see [`lock_present`].
pub fn open_empty(path: &Path) -> Result<Connection> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(Duration::ZERO).at(path)?;
    Ok(connection)
}

/// Creates a file.
pub fn create(path: &Path) -> Result<Connection> {
    create_as(path, path)
}

/// Creates a file that messages call by another path, whose place it is to take.
pub fn create_as(temporary: &Path, path: &Path) -> Result<Connection> {
    let access = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    connect(&absolute(temporary)?, path, access)
}

/// SQLite takes what is beside a database by the names of its journals for its own: it would remove a file of somebody else, and
/// wait for ever for what a FIFO or a device has.
pub fn check_journals(path: &Path) -> Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    // See `has_beside`.
    #[cfg(windows)]
    let _turn = Turn::take(&path);
    match file_name::foreign_companion(&path) {
        None => Ok(()),
        Some(name) => Err(Error::InvalidArgument(format!(
            "{}: SQLite would take this for the journal of the database beside it, and it is none: remove it, or move the database",
            name.display()
        ))),
    }
}

/// An absolute path, which SQLite never takes for a URI, for `:memory:` or for a temporary database.
///
/// On Windows without `\\?\` if that is possible: SQLite 3.51 takes what begins with `\\` for a path on a network share, and
/// its locks then as a share needs.
fn absolute(path: &Path) -> Result<PathBuf> {
    let path =
        std::path::absolute(path).map_err(|error| Error::InvalidArgument(error.to_string()))?;
    #[cfg(windows)]
    let path = windows_path(&path);
    Ok(path)
}

#[cfg(windows)]
fn windows_path(path: &Path) -> PathBuf {
    use std::path::{Component, Prefix};
    // Longer ones the system takes in no other way; what SQLite puts beside a file is longer than the file's.
    const MOST: usize = 259 - "-journal".len();
    let is_long = |path: &Path| path.as_os_str().len() > MOST;
    let prefix = path.components().next();
    let is_on_disk = matches!(prefix, Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::Disk(_)));
    if is_long(path) && is_on_disk {
        let mut verbatim = std::ffi::OsString::from(r"\\?\");
        verbatim.push(path);
        return verbatim.into();
    }
    let short = dunce::simplified(path);
    if is_long(short) { path } else { short }.to_owned()
}

fn open(path: &Path, access: OpenFlags) -> Result<Connection> {
    connect(&absolute(path)?, path, access)
}

/// Opens what SQLite finds under a name, which messages call by its path.
fn connect(name: &Path, path: &Path, access: OpenFlags) -> Result<Connection> {
    static CONFIGURED: Once = Once::new();
    CONFIGURED.call_once(|| {
        // SAFETY: the option takes one int, and is refused once SQLite runs. Before that SQLite is started by the first
        // connection, which in this crate comes after this call; `Once` keeps other threads waiting.
        // Memory statistics would have all threads wait for one lock at each allocation.
        unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, c_int::from(false)) };
    });
    check_journals(path)?;
    let connection = Connection::open_with_flags(name, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| match error {
            rusqlite::Error::InvalidPath(_) | rusqlite::Error::NulError(_) => {
                Error::InvalidArgument(format!("{}: SQLite takes no such path", path.display()))
            }
            error => Error::sqlite(path, &error),
        })?;
    let configured = connection
        .busy_timeout(BUSY_TIMEOUT)
        .and_then(|()| connection.execute_batch("PRAGMA temp_store=MEMORY"));
    configured.at(path)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Reads the header through the connection's own file handle. (Opening the file a second time and closing it would
/// drop the POSIX locks that other connections of this process hold on it.)
pub fn header(connection: &Connection) -> Header {
    let mut header = [0_u8; 100];
    let length = c_int::try_from(header.len()).expect("100 fits");
    with_file(connection, |file, methods| {
        if let Some(read) = methods.xRead {
            // SAFETY: `with_file`; xRead writes at most the given number of bytes, and zeroes what the file does not have.
            unsafe { read(file, header.as_mut_ptr().cast::<c_void>(), length, 0) };
        }
    });
    Header(header)
}

/// Asks SQLite about the file of a connection; false if it does not tell.
///
/// # Safety
///
/// The handle is open, and not in use by another thread. The answer to the question is one `T`.
unsafe fn ask<T>(handle: *mut ffi::sqlite3, question: c_int, answer: &mut T) -> bool {
    let answer = ptr::from_mut(answer).cast::<c_void>();
    // SAFETY: the handle is open and used by this thread alone, and what SQLite writes is one `T` (`# Safety`).
    let status = unsafe { ffi::sqlite3_file_control(handle, MAIN_DB.as_ptr(), question, answer) };
    status == ffi::SQLITE_OK
}

/// Hands over the connection's own file handle and its methods, which are not in use meanwhile.
fn with_file(
    connection: &Connection,
    run: impl FnOnce(*mut ffi::sqlite3_file, &ffi::sqlite3_io_methods),
) {
    let mut file: *mut ffi::sqlite3_file = ptr::null_mut();
    // SAFETY: the handle is open and not in use by another thread, because `Connection` is not `Sync`; the answer is a pointer.
    if unsafe { ask(connection.handle(), ffi::SQLITE_FCNTL_FILE_POINTER, &mut file) }
        // SAFETY: the pointer is null or to a file that lives as long as the connection, and so are its methods.
        && let Some(methods) = unsafe { file.as_ref().and_then(|file| file.pMethods.as_ref()) }
    {
        run(file, methods);
    }
}

/// Takes a reader's lock, which keeps others from putting another file in the place of this one; false if somebody has. Then no
/// statement may run on the connection: SQLite would use the WAL and the WAL index that lie beside the path, which belong to
/// the other file, as those of this one. The next statement takes the lock over, and its transaction releases it, but for that of
/// a file in WAL mode. Where SQLite itself waits, it gives the lock up between two tries: connections whose file others could
/// replace have no busy timeout, unless it is one of [`wait_with_lock`], and their callers repeat both calls.
///
/// # Errors
///
/// `SQLITE_BUSY` if another connection has the file to itself, or wants to; those of reading a file.
pub fn lock_present(connection: &Connection) -> rusqlite::Result<bool> {
    // Windows renames over no open file.
    if cfg!(windows) {
        return Ok(true);
    }
    if is_locked_by(connection) {
        // In WAL mode SQLite keeps the lock from one transaction to the next.
        return Ok(!has_moved(connection));
    }
    let mut result = Err(failure(ffi::SQLITE_CANTOPEN));
    with_file(connection, |file, methods| {
        let (Some(lock), Some(unlock)) = (methods.xLock, methods.xUnlock) else {
            return;
        };
        // SAFETY: `with_file`. SQLite's pager takes a lock that its file has already for its own.
        let status = unsafe { lock(file, ffi::SQLITE_LOCK_SHARED) };
        result = done(status).map(|()| !has_moved(connection));
        if result == Ok(false) {
            // SAFETY: `with_file`. The pager has no lock that this could release.
            unsafe { unlock(file, ffi::SQLITE_LOCK_NONE) };
        }
    });
    result
}

fn failure(status: c_int) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(status), None)
}

fn done(status: c_int) -> rusqlite::Result<()> {
    match status {
        ffi::SQLITE_OK => Ok(()),
        status => Err(failure(status)),
    }
}

/// Runs statements with the lock of [`lock_present`] first, and on Windows while nobody else does; none, and not run, if another
/// file has the place of this one.
pub fn while_present<T>(
    connection: &Connection,
    run: impl FnOnce() -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    #[cfg(windows)]
    let Some(_turn) = Turn::take(Path::new(connection.path().unwrap_or_default())) else {
        return Err(busy());
    };
    lock_present(connection)?.then(run).transpose()
}

/// Has a connection to a file in WAL mode wait for other writers, up to [`BUSY_TIMEOUT`]. Their transactions are short: SQLite's own
/// handler would sleep a hundred times as long between two tries, and a session with many transactions would starve the others.
pub fn wait_for_writers(connection: &Connection) -> rusqlite::Result<()> {
    fn wait(count: c_int) -> bool {
        const QUICK: c_int = 50;
        const STEP: Duration = Duration::from_millis(2);
        thread::sleep(if count < QUICK { STEP / 20 } else { STEP });
        STEP * count.unsigned_abs() < BUSY_TIMEOUT
    }
    connection.busy_handler(Some(wait))
}

/// SQLite's error for a lock of another session.
pub fn busy() -> rusqlite::Error {
    failure(ffi::SQLITE_BUSY)
}

/// [`patiently`] what [`while_present`] runs.
pub fn patiently_present<T>(
    connection: &Connection,
    patience: Duration,
    mut run: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    patiently(patience, || while_present(connection, &mut run))
}

/// Whether the connection has a lock on its file.
pub fn is_locked_by(connection: &Connection) -> bool {
    // SAFETY: the handle is open, and not in use by another thread, because `Connection` is not `Sync`.
    unsafe { has_lock(connection.handle()) }
}

/// # Safety
///
/// The handle is open, and not in use by another thread.
unsafe fn has_lock(handle: *mut ffi::sqlite3) -> bool {
    let mut state: c_int = ffi::SQLITE_LOCK_NONE;
    // SAFETY: the handle is open and used by this thread alone (`# Safety`); the answer is an int.
    let is_told = unsafe { ask(handle, ffi::SQLITE_FCNTL_LOCKSTATE, &mut state) };
    is_told && state != ffi::SQLITE_LOCK_NONE
}

/// Has the connection wait for other locks, up to [`LOCK_PATIENCE`], only while it has one itself, such as that of a writer, which
/// keeps new readers out while the present ones end. Setting its busy timeout ends that.
pub fn wait_with_lock(connection: &Connection) -> rusqlite::Result<()> {
    unsafe extern "C" fn wait(handle: *mut c_void, count: c_int) -> c_int {
        const STEP: Duration = Duration::from_millis(2);
        let waited = STEP * count.unsigned_abs();
        // SAFETY: SQLite calls this for the connection that the handle is of, on the thread that uses it.
        if waited > LOCK_PATIENCE || !unsafe { has_lock(handle.cast()) } {
            return 0;
        }
        thread::sleep(STEP);
        1
    }
    // SAFETY: the handle is open, and the handler is called for this connection alone.
    let status = unsafe {
        let handle = connection.handle();
        ffi::sqlite3_busy_handler(handle, Some(wait), handle.cast())
    };
    done(status)
}

/// Whether the path names another file by now. Windows cannot rename over an open file; there the answer is no.
pub fn has_moved(connection: &Connection) -> bool {
    let mut moved: c_int = 0;
    // SAFETY: the handle is open and in use by this thread alone; the answer is an int.
    let is_told = unsafe { ask(connection.handle(), ffi::SQLITE_FCNTL_HAS_MOVED, &mut moved) };
    is_told && moved != 0
}

/// A number that changes whenever a transaction begins with another content than the one before it on this connection;
/// none if SQLite does not tell.
pub fn data_version(connection: &Connection) -> Option<u32> {
    let mut version: u32 = 0;
    let question = ffi::SQLITE_FCNTL_DATA_VERSION;
    // SAFETY: the handle is open and in use by this thread alone; the answer is a `u32`.
    unsafe { ask(connection.handle(), question, &mut version) }.then_some(version)
}

/// Sets the journal mode; false if SQLite keeps the present one because another connection is open.
pub fn set_journal_mode(connection: &Connection, mode: &str) -> rusqlite::Result<bool> {
    let now: String =
        connection.query_row(&format!("PRAGMA journal_mode={mode}"), [], |row| row.get(0))?;
    Ok(now.eq_ignore_ascii_case(mode))
}

/// A name beside a file.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether SQLite has put a file with this suffix beside a database.
pub fn has_beside(path: &Path, suffix: &str) -> bool {
    // Looking at a file opens it on Windows, and a journal that is open somewhere can still be there when its owner has removed it.
    #[cfg(windows)]
    let _turn = Turn::take(path);
    beside(path, suffix).exists()
}

/// Whether somebody is writing a database, or has it to itself.
pub fn is_locked(path: &Path) -> bool {
    let lock = || {
        let connection = open_empty(path)?;
        connection
            .execute_batch("BEGIN EXCLUSIVE; ROLLBACK")
            .at(path)
    };
    matches!(lock(), Err(Error::Busy { .. }))
}

/// The folder that a file is in; a name alone is in the current one.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the content of a directory, such as a file's new name, durable.
#[cfg_attr(
    not(unix),
    expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")
)]
pub fn sync_directory(path: &Path) -> Result<()> {
    #[cfg(unix)]
    fs::File::open(folder_of(path))
        .and_then(|folder| folder.sync_all())
        .at(path)?;
    // Windows has no such call; a rename is in the file system's own log.
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database with a table.
    fn database(folder: &Path) -> PathBuf {
        let path = folder.join("a");
        let connection = create(&path).unwrap();
        connection.execute_batch("CREATE TABLE a (a)").unwrap();
        path
    }

    fn rows(connection: &Connection) -> rusqlite::Result<u32> {
        connection.query_row("SELECT count(*) FROM a", [], |row| row.get(0))
    }

    #[test]
    fn a_connection_attaches_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open_existing(&database(folder.path()), true).unwrap();
        assert!(connection.execute_batch("ATTACH ':memory:' AS b").is_err());
    }

    #[cfg(windows)]
    mod of_windows {
        use std::os::windows::fs::OpenOptionsExt;

        use super::*;

        const DELETE: u32 = 0x10000;
        const FILE_SHARE_READ: u32 = 1;
        const FILE_SHARE_ALL: u32 = 7;
        const FILE_FLAG_DELETE_ON_CLOSE: u32 = 0x0400_0000;

        /// Opens a file as a process does that lets others only read it.
        fn open_unshared(path: &Path) -> fs::File {
            let mut options = fs::File::options();
            let file = options.read(true).share_mode(FILE_SHARE_READ).open(path);
            file.unwrap()
        }

        /// Runs while another thread has something open for a moment.
        fn while_open<T>(open: fs::File, run: impl FnOnce() -> T) -> T {
            thread::scope(|scope| {
                scope.spawn(move || {
                    thread::sleep(Duration::from_millis(50));
                    drop(open);
                });
                run()
            })
        }

        #[test]
        fn a_file_that_another_process_does_not_share_for_a_moment_is_waited_for() {
            let folder = tempfile::tempdir().unwrap();
            let path = database(folder.path());
            let opened = while_open(open_unshared(&path), || open_existing(&path, true));
            let stored = opened.unwrap().execute("INSERT INTO a VALUES (1)", []);
            assert_eq!(stored, Ok(1));
        }

        #[test]
        fn a_file_that_another_process_never_shares_is_busy_and_not_read_only() {
            let folder = tempfile::tempdir().unwrap();
            let path = database(folder.path());
            let alone = open_unshared(&path);
            let busy = open_existing(&path, true).unwrap_err();
            assert!(matches!(busy, Error::Busy { .. }), "{busy}");
            drop(alone);
            assert!(open_existing(&path, true).is_ok());
        }

        #[test]
        fn a_log_that_another_process_is_removing_is_waited_for() {
            let folder = tempfile::tempdir().unwrap();
            let path = database(folder.path());
            let log = beside(&path, "-wal");
            set_journal_mode(&create(&path).unwrap(), "wal").unwrap();
            fs::write(&log, "").unwrap();
            let connection = open_existing(&path, true).unwrap();
            let mut options = fs::File::options();
            let options = options.access_mode(DELETE).share_mode(FILE_SHARE_ALL);
            let removed = options.custom_flags(FILE_FLAG_DELETE_ON_CLOSE).open(&log);
            let found = while_open(removed.unwrap(), || {
                patiently(Duration::ZERO, || rows(&connection))
            });
            assert_eq!(found, Ok(0));
        }

        #[test]
        fn threads_leave_no_lock_whatever_the_path() {
            let folder = tempfile::tempdir().unwrap();
            let folder = fs::canonicalize(folder.path()).unwrap();
            assert!(folder.as_os_str().as_encoded_bytes().starts_with(br"\\?\"));
            let path = database(&folder);
            let writer = create(&path).unwrap();
            set_journal_mode(&writer, "wal").unwrap();
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let reader = open_existing(&path, true).unwrap();
                        for _ in 0..1000 {
                            rows(&reader).unwrap();
                        }
                    });
                }
                for _ in 0..200 {
                    writer.execute_batch("INSERT INTO a VALUES(1)").unwrap();
                }
            });
            // Begins the WAL anew, which takes the locks of all who could read.
            let truncate = "PRAGMA wal_checkpoint(TRUNCATE)";
            let busy = writer.query_row(truncate, [], |row| row.get(0));
            assert_eq!(busy, Ok(0));
        }
    }

    #[test]
    fn a_path_can_be_longer_than_260_characters() {
        let folder = tempfile::tempdir().unwrap();
        let canonical = fs::canonicalize(folder.path()).unwrap();
        let part = "a folder with a name that is not short".repeat(4);
        for folder in [folder.path().join("1"), canonical.join("2")] {
            let folder = folder.join(&part).join(&part);
            fs::create_dir_all(&folder).unwrap();
            let path = database(&folder);
            assert!(path.as_os_str().len() > 260);
            set_journal_mode(&create(&path).unwrap(), "wal").unwrap();
            for connection in [open_existing(&path, true), open_immutable(&path)] {
                assert_eq!(rows(&connection.unwrap()), Ok(0));
            }
        }
    }

    /// Before 3.51.3 a WAL that SQLite reset while two connections checkpointed it one after the other could lose commits
    /// (<https://sqlite.org/wal.html#walresetbug>).
    #[test]
    fn sqlite_loses_nothing_that_is_folded() {
        assert!(rusqlite::version_number() >= 3_051_003);
    }

    /// Set in .cargo/config.toml.
    #[test]
    fn every_connection_has_a_page_cache_of_its_own() {
        let connection = Connection::open_in_memory().unwrap();
        let used = "SELECT sqlite_compileoption_used('ENABLE_MEMORY_MANAGEMENT')";
        let is_shared: bool = connection.query_row(used, [], |row| row.get(0)).unwrap();
        assert!(!is_shared);
    }
}
