//! A cache in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, DXGI_ERROR_ALREADY_EXISTS, E_INVALIDARG, HRESULT,
};
use parking_lot::Mutex;

use crate::session::{CacheSession, Found, Misuse, VALUE_TYPES, Want, index};

/// A cache in memory, for tests and simple hosts. One may serve many sessions at a time.
#[derive(Debug, Default)]
pub struct MemoryCache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    values: BTreeMap<Vec<u8>, Values>,
    misuses: Vec<(&'static str, Misuse)>,
}

/// A key's values, by type.
pub type Values = [Option<Arc<[u8]>>; VALUE_TYPES];

impl MemoryCache {
    /// Every key and its values, by type.
    pub fn values(&self) -> BTreeMap<Vec<u8>, Values> {
        self.0.lock().values.clone()
    }

    /// The sizes in bytes of a key's values, by type; 0 for a type that the key lacks.
    pub fn sizes(&self, key: &[u8]) -> [usize; VALUE_TYPES] {
        let size = |value: &Option<Arc<[u8]>>| value.as_ref().map_or(0, |value| value.len());
        let state = self.0.lock();
        let values = state.values.get(key);
        values.map_or([0; VALUE_TYPES], |values| values.each_ref().map(size))
    }

    /// What plugins did wrong, in the order of the calls.
    pub fn misuses(&self) -> Vec<(&'static str, Misuse)> {
        self.0.lock().misuses.clone()
    }
}

impl CacheSession for MemoryCache {
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> Result<(), HRESULT> {
        // Values are large, so this copies them after it releases the lock, for which others wait.
        let values = self.0.lock().values.get(key).cloned().unwrap_or_default();
        for ((value_type, want), value) in (0..).zip(wants).zip(&values) {
            let value_type = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(value_type);
            match (want, value) {
                (Want::Nothing, _) | (_, None) => {}
                (Want::Size, Some(value)) => found(value_type, Found::Size(value.len())),
                (Want::Value, Some(value)) => found(value_type, Found::Value(value)),
            }
        }
        Ok(())
    }

    fn store(
        &self,
        key: &[u8],
        values: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> Result<(), HRESULT> {
        // Values are large, so this copies them before it takes the lock, for which others wait.
        let values: Vec<(usize, Arc<[u8]>)> = values
            .iter()
            .map(|(value_type, value)| Some((index(*value_type)?, Arc::from(*value))))
            .collect::<Option<_>>()
            .ok_or(E_INVALIDARG)?;
        let mut state = self.0.lock();
        let mut stored = state.values.get(key).cloned().unwrap_or_default();
        for (index, value) in values {
            if stored[index].replace(value).is_some() {
                return Err(DXGI_ERROR_ALREADY_EXISTS);
            }
        }
        state.values.insert(key.to_vec(), stored);
        Ok(())
    }

    fn misuse(&self, call: &'static str, misuse: &Misuse) {
        self.0.lock().misuses.push((call, *misuse));
    }
}
