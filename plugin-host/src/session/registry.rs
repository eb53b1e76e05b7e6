//! Session handles: numbers that a plugin holds, and the sessions that they stand for.
//!
//! A handle is looked up, never dereferenced, so a handle that is used too late, or is no handle at
//! all, does no harm. A session that a callback is using stays alive until the callback returns.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use ddi_sys::D3D12DDI_HRTCOMPILERCACHESESSION;

use crate::handle;
use crate::session::CacheSession;

/// So many locks share the handles, in turn: compile calls that run at the same time seldom meet.
const SHARDS: usize = 16;
/// So many ended sessions does each shard remember, to tell their owners of a late use.
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

/// Opens of plugins that there are.
static OPENS: AtomicUsize = AtomicUsize::new(0);

/// Part of an open of a plugin. With the last one goes what is remembered of ended sessions: nobody is
/// left to use one late, and a library that is unloaded keeps nothing.
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
            // An empty map may have memory.
            if shard.live.is_empty() {
                shard.live = BTreeMap::new();
            }
            drop(shard);
            drop(ended);
        }
    }
}

/// What a handle stands for.
pub(super) enum Held {
    Live(Arc<Session>),
    Ended(Arc<dyn CacheSession>),
    /// Never handed out, or so long ago that the owner is not known or gone.
    Unknown,
}

/// The session of one compile call: its handle is valid until this is dropped, which a compile call
/// that is given it does at its return.
///
/// Specification: ShaderCompilerPlugin.md, "Callback Handle: D3D12DDI_HRTCOMPILERCACHESESSION".
pub struct SessionScope {
    handle: usize,
    session: Arc<Session>,
}

impl SessionScope {
    /// Makes a session with a fresh handle.
    pub fn new(cache: Arc<dyn CacheSession>) -> Self {
        let session = Arc::new(Session {
            cache,
            object_value_keys: OnceLock::new(),
        });
        loop {
            let handle = handle::fresh().addr();
            // Taken only in a 32-bit process whose handles start anew.
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

    /// Ends the session and gives the keys that the plugin set with
    /// `pfnCompilerCacheSetObjectValueKeys`, in its order. They count only if the compile call has
    /// succeeded, and then there must be some: `None` is a plugin that broke the rule.
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
    // Nothing that holds the lock can panic half-way.
    let shard = REGISTRY[handle % SHARDS].lock();
    shard.unwrap_or_else(PoisonError::into_inner)
}
