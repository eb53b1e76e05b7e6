//! The files that sessions of this library have open to store.
//!
//! Sessions on the same files share them: what one has stored every other one finds at once, and no group is stored
//! twice. Each with files of its own would see the other's commits only, some hundred milliseconds later, and
//! by then both would have told their callers that a group of one key is stored.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use shader_db::psdb::{ValueTypes, path_of_file};

use crate::cache_session::Files;

/// Files, each for the types of value in its set.
type Names = Vec<(ValueTypes, PathBuf)>;

struct Entry {
    names: Names,
    /// Tells it from a later one of the same names.
    number: u64,
    /// None while they are being opened or closed.
    files: Weak<Files>,
    /// What was at the paths when they were opened.
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

/// An entry was removed, or has files now.
static CHANGED: Condvar = Condvar::new();

fn entries() -> MutexGuard<'static, Entries> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to do for a session.
pub enum Share {
    /// Use these.
    Open(Arc<Files>),
    /// Open them: others wait for that.
    New(Place),
}

/// The place of files among those that are open. Dropped when they are closed, or could not be opened.
#[derive(Debug)]
pub struct Place(u64);

/// Looks whether a session has these files open. Waits for one that is about to open or to close them.
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
            // Without the lock: it waits, and so may the end of the files, if this is the last to have them.
            if are_there && files.can_store() {
                return Share::Open(files);
            }
            drop(files);
            entries = self::entries();
            // Whoever has them keeps them; from now on there are others of these names.
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
    /// Lets other sessions share the files, which have this place.
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

/// What tells a file from another one that has taken its path.
#[cfg(unix)]
type Identity = Option<(u64, u64)>;
/// Windows replaces no file that is open.
#[cfg(not(unix))]
type Identity = ();

#[cfg(unix)]
fn identities(names: &Names) -> Vec<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| {
        // Not opened: to close it would end the locks that the process has on it.
        let file = std::fs::metadata(path).ok()?;
        Some((file.dev(), file.ino()))
    };
    names.iter().map(|(_, path)| identity(path)).collect()
}

#[cfg(not(unix))]
fn identities(names: &Names) -> Vec<Identity> {
    vec![(); names.len()]
}
