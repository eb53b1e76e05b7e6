//! Decoded rows that many objects name, by their keys.
//!
//! The content of a key changes only when somebody writes; then the cache forgets everything.

use std::collections::HashMap;

use api_sys::{
    D3D12_BLEND_DESC, D3D12_DEPTH_STENCIL_DESC2, D3D12_RASTERIZER_DESC2, D3D12_RT_FORMAT_ARRAY,
};

use super::{Blob, InputElement, StreamOutput, ViewInstancing};

/// The most bytes of rows that a session keeps.
pub const MOST_BYTES: usize = 32 << 20;

/// The decoded rows of one table, and the bytes of each.
pub type Kept<T> = HashMap<Box<[u8]>, (T, usize)>;

/// The rows that the session has read last.
#[derive(Default)]
pub struct Cache {
    kept: Tables,
    bytes: usize,
    limit: usize,
    /// The version of the content from which the rows come.
    version: Option<u32>,
}

#[derive(Default)]
pub struct Tables {
    pub root_signatures: Kept<Blob>,
    pub bytecode: Kept<Blob>,
    pub input_layouts: Kept<Vec<InputElement>>,
    pub stream_outputs: Kept<StreamOutput>,
    pub depth_stencils: Kept<D3D12_DEPTH_STENCIL_DESC2>,
    pub formats: Kept<D3D12_RT_FORMAT_ARRAY>,
    pub blends: Kept<D3D12_BLEND_DESC>,
    pub rasterizers: Kept<D3D12_RASTERIZER_DESC2>,
    pub views: Kept<ViewInstancing>,
}

impl Cache {
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    pub fn clear(&mut self) {
        self.kept = Tables::default();
        self.bytes = 0;
    }

    /// Forgets rows of another version of the content, and all rows if the version is unknown.
    pub fn be_of(&mut self, version: Option<u32>) {
        if version.is_none() || self.version != version {
            self.clear();
            self.version = version;
        }
    }

    /// The content of a key, and the bytes of its rows.
    pub fn get<T: Clone>(
        &mut self,
        table: fn(&mut Tables) -> &mut Kept<T>,
        key: &[u8],
    ) -> Option<(T, usize)> {
        table(&mut self.kept).get(key).cloned()
    }

    /// Keeps a value that has this many bytes of rows.
    pub fn keep<T>(
        &mut self,
        table: fn(&mut Tables) -> &mut Kept<T>,
        key: &[u8],
        value: T,
        bytes: usize,
    ) {
        let bytes_kept = bytes + key.len() + size_of::<T>();
        // A value that would displace many others is read again.
        if bytes_kept > self.limit / 8 {
            return;
        }
        if self.bytes + bytes_kept > self.limit {
            self.clear();
        }
        self.bytes += bytes_kept;
        table(&mut self.kept).insert(key.into(), (value, bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_has_a_limit() {
        let mut cache = Cache::new(10_000);
        cache.be_of(Some(1));
        let get = |cache: &mut Cache, key: u8| cache.get(|kept| &mut kept.bytecode, &[key]);
        let keep = |cache: &mut Cache, key: u8, bytes: usize| {
            cache.keep(|kept| &mut kept.bytecode, &[key], Blob::from([key]), bytes);
            assert!(cache.bytes <= 10_000);
        };
        keep(&mut cache, 0, 5000);
        assert_eq!(get(&mut cache, 0), None, "too large");
        for key in 0..9 {
            keep(&mut cache, key, 1000);
        }
        assert_eq!(get(&mut cache, 8), Some((Blob::from([8]), 1000)));
        assert_eq!(get(&mut cache, 0).is_some(), cache.kept.bytecode.len() == 9);
        keep(&mut cache, 9, 1000);
        assert_eq!((cache.kept.bytecode.len(), get(&mut cache, 0)), (1, None));
        cache.be_of(Some(1));
        assert!(get(&mut cache, 9).is_some());
        cache.be_of(Some(2));
        assert_eq!((cache.bytes, get(&mut cache, 9)), (0, None));
        for _ in 0..2 {
            cache.be_of(None);
            assert_eq!(get(&mut cache, 9), None);
            keep(&mut cache, 9, 1000);
        }
    }
}
