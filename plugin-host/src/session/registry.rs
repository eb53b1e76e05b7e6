//! Session handles: numbers that a plugin holds, and the sessions that they stand for.
//!
//! A handle is looked up, never dereferenced, so a handle that is used too late, or is no handle at
//! all, does no harm. A session that a callback is using stays alive until the callback returns.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

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
    pub(super) set_keys_calls: AtomicU32,
}

/// What a handle stands for.
pub(super) enum Found {
    Live(Arc<Session>),
    Ended(Arc<dyn CacheSession>),
    /// Never handed out, or so long ago that the owner is not known or gone.
    Unknown,
}

/// One compile call: its handle is valid until this is dropped.
///
/// Specification: ShaderCompilerPlugin.md, "Callback Handle: D3D12DDI_HRTCOMPILERCACHESESSION".
pub struct SessionScope {
    handle: usize,
    session: Arc<Session>,
}

impl SessionScope {
    /// Makes a session with a fresh handle.
    pub fn new(cache: Arc<dyn CacheSession>) -> Self {
        let handle = handle::fresh().addr();
        let session = Arc::new(Session {
            cache,
            set_keys_calls: AtomicU32::new(0),
        });
        shard(handle).live.insert(handle, Arc::clone(&session));
        Self { handle, session }
    }

    /// The handle to pass to the compile call.
    pub fn handle(&self) -> D3D12DDI_HRTCOMPILERCACHESESSION {
        D3D12DDI_HRTCOMPILERCACHESESSION {
            handle: std::ptr::without_provenance_mut(self.handle),
        }
    }

    /// How often the plugin has called `pfnCompilerCacheSetObjectValueKeys` with a well-formed list.
    /// A successful compile call makes it 1.
    pub fn set_object_value_keys_calls(&self) -> u32 {
        self.session.set_keys_calls.load(Ordering::Relaxed)
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

pub(super) fn find(handle: D3D12DDI_HRTCOMPILERCACHESESSION) -> Found {
    let handle = handle.handle.addr();
    let shard = shard(handle);
    if let Some(session) = shard.live.get(&handle) {
        return Found::Live(Arc::clone(session));
    }
    let ended = shard.ended.iter().find(|(ended, _)| *ended == handle);
    ended
        .and_then(|(_, owner)| owner.upgrade())
        .map_or(Found::Unknown, Found::Ended)
}

fn shard(handle: usize) -> MutexGuard<'static, Shard> {
    // Nothing that holds the lock can panic half-way.
    let shard = REGISTRY[handle % SHARDS].lock();
    shard.unwrap_or_else(PoisonError::into_inner)
}
