//! The cache of a host, and what one compile call does with it.

use std::collections::BTreeSet;
use std::sync::Arc;

use ddi_sys::{D3D12DDI_COMPILER_CACHE_VALUE_TYPE, HRESULT};
use parking_lot::{Mutex, MutexGuard};
use plugin_host::session::{CacheSession, Found, MemoryCache, Misuse, VALUE_TYPES, Want};

/// The session of one compile call over a host's cache.
#[derive(Debug)]
pub(crate) struct Call {
    cache: Arc<MemoryCache>,
    seen: Mutex<Seen>,
}

/// A key, and the number of a value type.
type Value = (Vec<u8>, i32);

/// What the plugin did in the call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The values that were in the cache before.
    pub(crate) found: BTreeSet<Value>,
    pub(crate) stored: BTreeSet<Value>,
}

impl Call {
    pub(crate) fn new(cache: Arc<MemoryCache>) -> Self {
        Self {
            cache,
            seen: Mutex::default(),
        }
    }

    /// What the plugin has done so far.
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock()
    }
}

impl CacheSession for Call {
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> Result<(), HRESULT> {
        self.cache.find(key, wants, &mut |value_type, value| {
            let name = (key.to_vec(), value_type.0);
            let mut seen = self.seen();
            if !seen.stored.contains(&name) {
                seen.found.insert(name);
            }
            drop(seen);
            found(value_type, value);
        })
    }

    fn store(
        &self,
        key: &[u8],
        values: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> Result<(), HRESULT> {
        self.cache.store(key, values)?;
        let names = values
            .iter()
            .map(|(value_type, _)| (key.to_vec(), value_type.0));
        self.seen().stored.extend(names);
        Ok(())
    }

    // The plugin gets E_INVALIDARG, which the SDK makes a failure of the compile call.
    fn misuse(&self, _: &'static str, _: &Misuse) {}
}
