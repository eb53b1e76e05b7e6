//! The files that sessions of this library have open to store in.
//!
//! Sessions on the same files share them: every session finds at once what another has stored, and none stores a group twice.
//! With files of its own, a session would see only the other's commits, some hundred milliseconds later, and by then both
//! would have told their callers that they stored a group of one key.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use shader_db::psdb::{ValueTypes, path_of_file};

use crate::cache_session::Files;

/// Files, each for the types of value in its set.
type Names = Vec<(ValueTypes, PathBuf)>;

struct Entry {
    names: Names,
    /// Distinguishes it from a later one of the same names.
    number: u64,
    /// None while a session opens or closes them.
    files: Weak<Files>,
    /// The identities of the files when a session opened them.
    identities: Vec<Identity>,
}

struct Entries {
    open: Vec<Entry>,
    next: u64,
}

static ENTRIES: Mutex<Entries> = Mutex::new(Entries {
    open: Vec::new(),
    next: 0,
});

/// Wakes threads that wait: an entry has gone, or has got files.
static CHANGED: Condvar = Condvar::new();

fn entries() -> MutexGuard<'static, Entries> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The task of a session.
pub enum Share {
    /// Use these files.
    Open(Arc<Files>),
    /// Open them: others wait for that.
    New(Place),
}

/// The place of files among the open ones. The session drops it when it closes them, or could not open them.
#[derive(Debug)]
pub struct Place(u64);

/// Checks whether a session has these files open. Waits for a session that is about to open or to close them.
pub fn share<P: AsRef<Path>>(files: &[(ValueTypes, P)]) -> Share {
    let names: Names = files
        .iter()
        .map(|(types, path)| (*types, path_of_file(path.as_ref())))
        .collect();
    let mut entries = entries();
    while let Some(position) = entries.open.iter().position(|entry| entry.names == names) {
        let Entry {
            number,
            files,
            identities: opened,
            ..
        } = &entries.open[position];
        if let Some(files) = files.upgrade() {
            let (number, are_there) = (*number, *opened == identities(&names));
            drop(entries);
            // Without the lock: this waits, and so may the end of the files, if this is their last user.
            if are_there && files.can_store() {
                return Share::Open(files);
            }
            drop(files);
            entries = self::entries();
            // Sessions that have them keep them; from here on these names have other files.
            entries.open.retain(|entry| entry.number != number);
        } else {
            entries = CHANGED
                .wait(entries)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
    let number = entries.next;
    entries.next += 1;
    entries.open.push(Entry {
        names,
        number,
        files: Weak::new(),
        identities: Vec::new(),
    });
    Share::New(Place(number))
}

impl Place {
    /// Lets other sessions share the files of this place.
    pub fn fill(&self, files: &Arc<Files>) {
        let mut entries = entries();
        let entry = entries.open.iter_mut().find(|entry| entry.number == self.0);
        if let Some(entry) = entry {
            entry.files = Arc::downgrade(files);
            entry.identities = identities(&entry.names);
        }
        CHANGED.notify_all();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        entries().open.retain(|entry| entry.number != self.0);
        CHANGED.notify_all();
    }
}

/// Distinguishes a file from another one that has taken its path.
#[cfg(unix)]
type Identity = Option<(u64, u64)>;
/// Windows replaces no open file.
#[cfg(not(unix))]
type Identity = ();

#[cfg(unix)]
fn identities(names: &Names) -> Vec<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| {
        // Do not open it: closing it would end the locks that the process has on it.
        let file = std::fs::metadata(path).ok()?;
        Some((file.dev(), file.ino()))
    };
    names.iter().map(|(_, path)| identity(path)).collect()
}

#[cfg(not(unix))]
fn identities(names: &Names) -> Vec<Identity> {
    vec![(); names.len()]
}
