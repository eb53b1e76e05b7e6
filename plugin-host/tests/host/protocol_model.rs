//! `pfnCompilerCacheFindValue` against a model, for any cache and any entries.

use std::ptr;
use std::sync::Arc;

use ddi_sys::*;
use plugin_host::session::{CacheSession, MemoryCache, SessionScope};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::session::{Allocator, find, raw_value, value};

/// How one entry asks.
#[derive(Clone, Copy, Debug)]
enum Ask {
    /// Size 0, null pointer.
    Null,
    /// Size 0, some pointer.
    Dummy,
    /// A buffer of this many bytes.
    Buffer(usize),
}

/// What one entry has afterwards.
#[derive(Debug, PartialEq)]
struct Outcome {
    size: usize,
    pointer: Pointer,
    buffer: Vec<u8>,
}

#[derive(Debug, PartialEq)]
enum Pointer {
    Unchanged,
    Allocated(usize),
    Null,
}

const FILLING: u8 = 0xEE;

fn ask() -> impl Strategy<Value = Ask> {
    prop_oneof![
        Just(Ask::Null),
        Just(Ask::Dummy),
        (1_usize..8).prop_map(Ask::Buffer)
    ]
}

/// What the specification says, entry by entry. `allocations` is how often the callback succeeds;
/// `None`: there is no callback.
fn model(
    values: &[Option<Vec<u8>>; 4],
    entries: &[(usize, Ask)],
    allocations: Option<usize>,
) -> (HRESULT, Vec<Outcome>) {
    let filling = |ask| match ask {
        Ask::Buffer(size) => vec![FILLING; size],
        Ask::Null | Ask::Dummy => vec![],
    };
    let not_found = entries.iter().all(|(index, _)| values[*index].is_none());
    let mut allocated = 0;
    let (mut short, mut out_of_memory) = (false, false);
    let mut outcomes = Vec::new();
    for &(index, ask) in entries {
        let value = values[index].as_deref().unwrap_or_default();
        let mut outcome = Outcome {
            size: value.len(),
            pointer: Pointer::Unchanged,
            buffer: filling(ask),
        };
        match ask {
            Ask::Buffer(size) if not_found => outcome.size = size,
            Ask::Buffer(size) if size < value.len() => short = true,
            Ask::Buffer(_) => outcome.buffer[..value.len()].copy_from_slice(value),
            Ask::Null | Ask::Dummy if value.is_empty() || out_of_memory => {}
            Ask::Null | Ask::Dummy => match allocations {
                None => {}
                Some(available) if allocated < available => {
                    outcome.pointer = Pointer::Allocated(allocated);
                    outcome.buffer = value.to_vec();
                    allocated += 1;
                }
                Some(_) => {
                    outcome.pointer = Pointer::Null;
                    out_of_memory = true;
                }
            },
        }
        outcomes.push(outcome);
    }
    let result = match (not_found, out_of_memory, short) {
        (true, ..) => DXGI_ERROR_NOT_FOUND,
        (_, true, _) => E_OUTOFMEMORY,
        (_, _, true) => DXGI_ERROR_MORE_DATA,
        _ => S_OK,
    };
    (result, outcomes)
}

proptest! {
    #[test]
    fn find_value_is_the_model(
        values in prop::array::uniform4(option::of(vec(any::<u8>(), 1..8))),
        entries in vec((0_usize..4, ask()), 1..7),
        allocations in option::of(0_usize..4),
    ) {
        let types = D3D12DDI_COMPILER_CACHE_VALUE_TYPE::ENUMERATORS;
        let cache = Arc::new(MemoryCache::default());
        for (index, value) in values.iter().enumerate() {
            if let Some(value) = value {
                cache.store(b"key", &[(types[index].0, value)]).unwrap();
            }
        }
        let scope = SessionScope::new(cache);
        let mut dummy = 0_u8;
        let dummy = (&raw mut dummy).cast();
        let mut buffers: Vec<Vec<u8>> = entries
            .iter()
            .map(|(_, ask)| match ask {
                Ask::Buffer(size) => vec![FILLING; *size],
                Ask::Null | Ask::Dummy => vec![],
            })
            .collect();
        let mut raw: Vec<_> = entries
            .iter()
            .zip(&mut buffers)
            .map(|(&(index, ask), buffer)| match ask {
                Ask::Null => raw_value(types[index].0, ptr::null_mut(), 0),
                Ask::Dummy => raw_value(types[index].0, dummy, 0),
                Ask::Buffer(_) => value(types[index].0, buffer),
            })
            .collect();
        let before: Vec<_> = raw.iter().map(|entry| entry.Value.pValue).collect();
        let mut allocator = allocations.map(|available| Allocator {
            buffers: vec![vec![]; available],
            asked: vec![],
        });

        let result = find(scope.handle(), b"key", &mut raw, allocator.as_mut());

        let allocated = allocator.map_or(vec![], |allocator| allocator.buffers);
        let outcomes: Vec<Outcome> = raw
            .iter()
            .zip(before)
            .zip(buffers)
            .map(|((entry, before), buffer)| {
                let after = entry.Value.pValue;
                let own = allocated
                    .iter()
                    .position(|own| !own.is_empty() && ptr::eq(own.as_ptr().cast(), after));
                let (pointer, buffer) = match own {
                    Some(own) => (Pointer::Allocated(own), allocated[own].clone()),
                    None if after == before => (Pointer::Unchanged, buffer),
                    None => {
                        assert!(after.is_null());
                        (Pointer::Null, buffer)
                    }
                };
                Outcome { size: entry.Value.ValueSize, pointer, buffer }
            })
            .collect();
        let (expected, mut expected_outcomes) = model(&values, &entries, allocations);
        // A null that stays null looks unchanged.
        for (outcome, (_, ask)) in expected_outcomes.iter_mut().zip(&entries) {
            if outcome.pointer == Pointer::Null && matches!(ask, Ask::Null) {
                outcome.pointer = Pointer::Unchanged;
            }
        }
        prop_assert_eq!(result, expected);
        prop_assert_eq!(outcomes, expected_outcomes);
    }
}
