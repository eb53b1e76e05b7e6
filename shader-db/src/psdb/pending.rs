//! What is stored and not yet in every reader's snapshot.
//!
//! An item is pending until its batch is committed; then its hash is recent until every reader has a later snapshot. So
//! a reader keeps its snapshot, and its page cache, while other keys are written.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use twox_hash::XxHash3_64;

use super::journal::HEAD;
use super::{ValueType, digest};

/// A stored value key with its values, or a stored group.
pub struct Item {
    /// Room for the head of a journal's record, the key, and behind it the values or the group's list
    /// (`digest::push_key`).
    bytes: Vec<u8>,
    /// Where the key ends in `bytes`.
    key: usize,
    pub hash: u64,
    pub content: Content,
    /// An older item with the same hash: other types of the same key.
    older: Option<Arc<Item>>,
}

pub enum Content {
    /// By type: where the value ends in `bytes`, and its digest.
    Values([Option<(usize, u128)>; ValueType::ALL.len()]),
    Group {
        version: u32,
        digest: u128,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Values,
    Group,
}

/// The hash of a key; a value key and a group key of the same bytes have different ones.
pub fn hash(kind: Kind, key: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(4 + kind as u64, key)
}

impl Item {
    /// One allocation, one copy. At most one value for each type.
    pub fn values(hash: u64, key: &[u8], values: &[(ValueType, &[u8])], buffers: &Buffers) -> Self {
        let size = key.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>();
        let mut bytes = buffers.take(HEAD + size);
        bytes.extend_from_slice(&[0; HEAD]);
        bytes.extend_from_slice(key);
        let mut ends = [None; ValueType::ALL.len()];
        for kind in ValueType::ALL {
            if let Some((_, value)) = values.iter().find(|(of, _)| *of == kind) {
                bytes.extend_from_slice(value);
                ends[kind as usize] = Some((bytes.len(), digest::value(key, kind as u8, value)));
            }
        }
        Self {
            bytes,
            key: HEAD + key.len(),
            hash,
            content: Content::Values(ends),
            older: None,
        }
    }

    /// Of equal keys in the list the first counts.
    pub fn group(hash: u64, key: &[u8], version: u32, keys: &[&[u8]]) -> Self {
        let size = key.len() + keys.iter().map(|key| 4 + key.len()).sum::<usize>();
        let mut bytes = Vec::with_capacity(HEAD + size);
        bytes.extend_from_slice(&[0; HEAD]);
        bytes.extend_from_slice(key);
        // Groups of many keys are rare, so the set is made only for those.
        let mut seen = std::collections::HashSet::new();
        for (position, value) in keys.iter().enumerate() {
            let first = if keys.len() > 16 {
                seen.insert(*value)
            } else {
                !keys[..position].contains(value)
            };
            if first {
                digest::push_key(&mut bytes, value);
            }
        }
        let digest = digest::group(key, version, &bytes[HEAD + key.len()..]);
        Self {
            bytes,
            key: HEAD + key.len(),
            hash,
            content: Content::Group { version, digest },
            older: None,
        }
    }

    pub fn key(&self) -> &[u8] {
        &self.bytes[HEAD..self.key]
    }

    /// Bytes of the key and of what is behind it.
    pub fn size(&self) -> usize {
        self.bytes.len() - HEAD
    }

    /// The bytes of a journal's record with this head.
    pub fn record(&mut self, head: &[u8; HEAD]) -> &[u8] {
        self.bytes[..HEAD].copy_from_slice(head);
        &self.bytes
    }

    fn kind(&self) -> Kind {
        match self.content {
            Content::Values(_) => Kind::Values,
            Content::Group { .. } => Kind::Group,
        }
    }

    /// The value of a type, with its digest.
    pub fn value(&self, kind: ValueType) -> Option<(&[u8], u128)> {
        let Content::Values(ends) = &self.content else {
            return None;
        };
        let (end, digest) = ends[kind as usize]?;
        let start = ends[..kind as usize]
            .iter()
            .rev()
            .flatten()
            .next()
            .map_or(self.key, |(end, _)| *end);
        Some((&self.bytes[start..end], digest))
    }

    /// The list of a group (`digest::push_key`).
    pub fn list(&self) -> &[u8] {
        &self.bytes[self.key..]
    }
}

/// Memory for items, used again: given back to the system, it would have to be cleared each time.
#[derive(Default)]
pub struct Buffers {
    /// By capacity, in pages of memory.
    free: [Mutex<Vec<Vec<u8>>>; 17],
    /// Bytes of all.
    kept: AtomicUsize,
}

const PAGE: usize = 4096;

/// Bytes that are kept.
const KEPT: usize = 8 << 20;

impl Buffers {
    fn take(&self, size: usize) -> Vec<u8> {
        let pages = size.div_ceil(PAGE);
        // Small ones the allocator keeps by itself; large ones are rare.
        match self.free.get(pages).filter(|_| pages > 1) {
            None => Vec::with_capacity(size),
            Some(free) => {
                let found = free.lock().unwrap_or_else(PoisonError::into_inner).pop();
                if found.is_some() {
                    self.kept.fetch_sub(pages * PAGE, Ordering::Relaxed);
                }
                found.unwrap_or_else(|| Vec::with_capacity(pages * PAGE))
            }
        }
    }

    /// Keeps the memory of an item that nobody else uses any more.
    pub fn give(&self, item: Arc<Item>) {
        let Some(Item { mut bytes, .. }) = Arc::into_inner(item) else {
            return;
        };
        if bytes.capacity() % PAGE == 0
            && bytes.capacity() > PAGE
            && let Some(free) = self.free.get(bytes.capacity() / PAGE)
            && self.kept.load(Ordering::Relaxed) < KEPT
        {
            bytes.clear();
            self.kept.fetch_add(bytes.capacity(), Ordering::Relaxed);
            free.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(bytes);
        }
    }
}

/// Passes a hash through.
#[derive(Default)]
pub struct AsIs(u64);

impl Hasher for AsIs {
    fn write(&mut self, _: &[u8]) {
        unreachable!("the key is one u64")
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map by hashes that are made with [`hash`].
pub type ByHash<V> = HashMap<u64, V, BuildHasherDefault<AsIs>>;

#[derive(Default)]
struct Shard {
    pending: ByHash<Arc<Item>>,
    /// The number of the commit that wrote the item.
    recent: ByHash<u64>,
}

impl Shard {
    fn find(
        &self,
        kind: Kind,
        hash: u64,
        key: &[u8],
        is_wanted: impl Fn(&Item) -> bool,
    ) -> Option<&Arc<Item>> {
        let mut next = self.pending.get(&hash);
        while let Some(item) = next {
            if item.kind() == kind && item.key() == key && is_wanted(item) {
                return Some(item);
            }
            next = item.older.as_ref();
        }
        None
    }
}

/// Where an item is.
pub enum Place {
    Pending(Arc<Item>),
    /// In the file, or nowhere: look in a snapshot that has this commit.
    File {
        commit: u64,
    },
}

#[derive(Default)]
pub struct Pending {
    shards: [RwLock<Shard>; 16],
    /// Hashes in all shards.
    count: AtomicUsize,
    /// What was recent up to this commit is forgotten: of a hash that no shard has, it may be the last one.
    forgotten: AtomicU64,
}

impl Pending {
    fn shard(&self, hash: u64) -> &RwLock<Shard> {
        // The lowest and the highest bits are the map's.
        &self.shards[(hash >> 32) as usize % self.shards.len()]
    }

    pub fn find(
        &self,
        kind: Kind,
        hash: u64,
        key: &[u8],
        is_wanted: impl Fn(&Item) -> bool,
    ) -> Place {
        if self.count.load(Ordering::Acquire) == 0 {
            return Place::File {
                commit: self.forgotten.load(Ordering::Acquire),
            };
        }
        let shard = self
            .shard(hash)
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        match shard.find(kind, hash, key, is_wanted) {
            Some(item) => Place::Pending(Arc::clone(item)),
            None => Place::File {
                commit: self.last_commit(&shard, hash),
            },
        }
    }

    /// The last commit that may have written something with this hash.
    fn last_commit(&self, shard: &Shard, hash: u64) -> u64 {
        let recent = shard.recent.get(&hash).copied();
        recent.unwrap_or_else(|| self.forgotten.load(Ordering::Acquire))
    }

    /// Adds an item which is in no snapshot that has `commit`, and queues it while its key is still locked: whoever
    /// sees it knows that it is queued, and that a crash does not lose it. Hands it back if something with its hash was
    /// added since.
    pub fn insert<E>(
        &self,
        mut item: Item,
        commit: u64,
        is_wanted: impl Fn(&Item) -> bool,
        queue: impl FnOnce(Item) -> Result<Arc<Item>, E>,
    ) -> Result<Result<(), Item>, E> {
        let mut shard = self
            .shard(item.hash)
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let changed = self.last_commit(&shard, item.hash) > commit
            || shard
                .find(item.kind(), item.hash, item.key(), is_wanted)
                .is_some();
        if changed {
            return Ok(Err(item));
        }
        item.older = shard.pending.get(&item.hash).cloned();
        let hash = item.hash;
        if shard.pending.insert(hash, queue(item)?).is_none() {
            self.count.fetch_add(1, Ordering::Release);
        }
        Ok(Ok(()))
    }

    /// The item is in the file, by the commit of this number; or it is lost.
    pub fn remove(&self, item: &Arc<Item>, commit: Option<u64>) {
        let mut shard = self
            .shard(item.hash)
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(commit) = commit
            && shard.recent.insert(item.hash, commit).is_none()
        {
            self.count.fetch_add(1, Ordering::Release);
        }
        if shard
            .pending
            .get(&item.hash)
            .is_some_and(|newest| Arc::ptr_eq(newest, item))
        {
            shard.pending.remove(&item.hash);
            self.count.fetch_sub(1, Ordering::Release);
        }
    }

    /// Every snapshot taken from now on has all commits, up to this one.
    pub fn forget_recent(&self, committed: u64) {
        // Before the shards: who finds nothing in one of them sees it.
        self.forgotten.store(committed, Ordering::Release);
        for shard in &self.shards {
            let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
            self.count.fetch_sub(shard.recent.len(), Ordering::Release);
            shard.recent.clear();
        }
    }

    /// Upper bound of the recent hashes.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_and_forgotten_since_is_noticed() {
        let pending = Pending::default();
        let hash = hash(Kind::Group, b"key");
        let item = || Item::group(hash, b"key", 1, &[]);
        // Two threads look in a snapshot without commits; then one stores, which is committed.
        assert!(matches!(
            pending.find(Kind::Group, hash, b"key", |_| true),
            Place::File { commit: 0 }
        ));
        let mut stored = None;
        let insert = pending.insert(
            item(),
            0,
            |_| true,
            |item| {
                let item = Arc::new(item);
                stored = Some(Arc::clone(&item));
                Ok::<_, ()>(item)
            },
        );
        assert!(matches!(insert, Ok(Ok(()))));
        pending.remove(&stored.unwrap(), Some(1));
        pending.forget_recent(1);
        // The other one has to look again.
        let insert = pending.insert(item(), 0, |_| true, |item| Ok::<_, ()>(Arc::new(item)));
        assert!(matches!(insert, Ok(Err(_))));
    }
}
