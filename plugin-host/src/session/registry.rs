//! Session handles: numbers that plugins hold, and the sessions that the numbers stand for.
//!
//! A callback looks the handle up and never dereferences it, so a handle that a plugin uses too late, or an arbitrary number,
//! does no harm. A session that a callback uses stays alive until the callback returns.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use ddi_sys::D3D12DDI_HRTCOMPILERCACHESESSION;
use parking_lot::{Mutex, MutexGuard};

use crate::handle;
use crate::session::CacheSession;

/// The number of locks that share the handles in turn, so that concurrent compile calls rarely wait for each other.
const SHARDS: usize = 16;
/// The number of ended sessions that each shard remembers, to report a late use to their owners.
const REMEMBERED: usize = 64;

static REGISTRY: [Mutex<Shard>; SHARDS] = [const {
    Mutex::new(Shard {
        live: BTreeMap::new(),
        ended: VecDeque::new(),
    })
}; SHARDS];

struct Shard {
    live: BTreeMap<usize, Arc<Session>>,
    ended: VecDeque<(usize, Weak<dyn CacheSession>)>,
}

pub(super) struct Session {
    pub(super) cache: Arc<dyn CacheSession>,
    pub(super) object_value_keys: OnceLock<Vec<Vec<u8>>>,
}

/// The number of open plugins.
static OPENS: AtomicUsize = AtomicUsize::new(0);

/// Part of each open plugin. When the last one is dropped, this forgets the ended sessions: no plugin is left that could use
/// one late, and an unloaded library must keep no memory.
#[derive(Debug)]
pub(crate) struct OfOpen(());

impl OfOpen {
    pub(crate) fn new() -> Self {
        OPENS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for OfOpen {
    fn drop(&mut self) {
        if OPENS.fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        for shard in 0..SHARDS {
            let mut shard = self::shard(shard);
            let ended = std::mem::take(&mut shard.ended);
            // An empty map may still own memory.
            if shard.live.is_empty() {
                shard.live = BTreeMap::new();
            }
            drop(shard);
            drop(ended);
        }
    }
}

/// The state of a handle.
pub(super) enum Held {
    Live(Arc<Session>),
    Ended(Arc<dyn CacheSession>),
    /// The handle was never given out, or its owner is forgotten or gone.
    Unknown,
}

/// The session of one compile call. Its handle is valid until this is dropped; a compile call that takes it drops it when it
/// returns.
///
/// Specification: ShaderCompilerPlugin.md, "Callback Handle: D3D12DDI_HRTCOMPILERCACHESESSION".
pub struct SessionScope {
    handle: usize,
    session: Arc<Session>,
}

impl SessionScope {
    /// Makes a session with a new handle.
    pub fn new(cache: Arc<dyn CacheSession>) -> Self {
        let session = Arc::new(Session {
            cache,
            object_value_keys: OnceLock::new(),
        });
        loop {
            let handle = handle::fresh().addr();
            // The number can be in use only in a 32-bit process, where the counter wraps around.
            if let Entry::Vacant(entry) = shard(handle).live.entry(handle) {
                entry.insert(Arc::clone(&session));
                return Self { handle, session };
            }
        }
    }

    /// The handle for the compile call.
    pub fn handle(&self) -> D3D12DDI_HRTCOMPILERCACHESESSION {
        D3D12DDI_HRTCOMPILERCACHESESSION {
            handle: std::ptr::without_provenance_mut(self.handle),
        }
    }

    /// Ends the session and returns the keys that the plugin set with `pfnCompilerCacheSetObjectValueKeys`, in its order. They
    /// count only if the compile call succeeded. `None` means that the plugin set no keys, which a successful call must do.
    pub fn end(self) -> Option<Vec<Vec<u8>>> {
        let session = Arc::clone(&self.session);
        drop(self);
        session.object_value_keys.get().cloned()
    }
}

impl Drop for SessionScope {
    fn drop(&mut self) {
        let owner = Arc::downgrade(&self.session.cache);
        let mut shard = shard(self.handle);
        shard.live.remove(&self.handle);
        if shard.ended.len() == REMEMBERED {
            shard.ended.pop_front();
        }
        shard.ended.push_back((self.handle, owner));
    }
}

impl fmt::Debug for SessionScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionScope({:#x})", self.handle)
    }
}

pub(super) fn find(handle: D3D12DDI_HRTCOMPILERCACHESESSION) -> Held {
    let handle = handle.handle.addr();
    let shard = shard(handle);
    if let Some(session) = shard.live.get(&handle) {
        return Held::Live(Arc::clone(session));
    }
    let ended = shard.ended.iter().find(|(ended, _)| *ended == handle);
    ended
        .and_then(|(_, owner)| owner.upgrade())
        .map_or(Held::Unknown, Held::Ended)
}

fn shard(handle: usize) -> MutexGuard<'static, Shard> {
    REGISTRY[handle % SHARDS].lock()
}
