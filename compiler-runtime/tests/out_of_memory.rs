//! Values for whose copies there is no memory: the call fails, and the process goes on.
//!
//! In a process of its own, since the allocator is the process's.
#![allow(clippy::wildcard_imports, reason = "the names are C's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

use api_sys::*;
use ddi_sys as ddi;
use runtime_test_support::api::*;
use runtime_test_support::plugin::on_compile;

/// What a value has.
const SIZE: usize = 1 << 20;

thread_local! {
    /// No allocation may have more bytes.
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
}

struct Limited;

// SAFETY: the system's allocator, or null.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > LIMIT.get() {
            return ptr::null_mut();
        }
        // SAFETY: `layout` has a size other than 0, as `GlobalAlloc::alloc` demands of its caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` is of `alloc` with this layout, as `GlobalAlloc::dealloc` demands, and so the system's.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

fn with_little<T>(call: impl FnOnce() -> T) -> T {
    LIMIT.set(SIZE - 1);
    let result = call();
    LIMIT.set(usize::MAX);
    result
}

#[test]
fn a_value_that_cannot_be_copied_is_out_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let factory = scripted();
    let session = session(&factory, &folder.path().join("a.psdb"));
    let value = vec![7; SIZE];
    let stored = store(&session, b"key", &[const_value(OBJECT_CODE, &value)]);
    assert_eq!(stored, S_OK);
    assert_eq!(store_group(&session, b"group", 1, &[b"key"]), S_OK);

    let mut allocator = Allocator::default();
    let mut entry = [size_query(OBJECT_CODE)];
    let found = with_little(|| find(&session, b"key", &mut entry, Some(&mut allocator)));
    assert_eq!(found, E_OUTOFMEMORY);
    assert_eq!((entry[0].Value.ValueSize, allocator.memory.len()), (0, 0));
    let values = with_little(|| group_values(&session, b"group", None, ALL));
    assert_eq!(values.unwrap_err(), E_OUTOFMEMORY);
    // Into the caller's own memory there is no other copy.
    let mut own = vec![0; SIZE];
    let size = u32::try_from(SIZE).unwrap();
    let mut entry = [typed_value(OBJECT_CODE, own.as_mut_ptr().cast(), size)];
    let found = with_little(|| find(&session, b"key", &mut entry, None));
    assert_eq!((found, &own), (S_OK, &value));

    // The plugin's callback.
    let compiler = compiler(&factory, &session);
    on_compile(|compile| {
        let mut entry = [ddi::D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
            Type: ddi::D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
            Value: ddi::D3D12DDI_COMPILER_CACHE_VALUE {
                pValue: ptr::null_mut(),
                ValueSize: 0,
            },
        }];
        let mut allocator = Allocator::default();
        let context = (&raw mut allocator).cast();
        // SAFETY: the entry has no buffer; the context is what the function takes.
        with_little(|| unsafe { compile.find(b"key", &mut entry, Some(allocate), context) })
    });
    let pipeline = ComputePipeline::default();
    assert_eq!(compile(&compiler, b"other", 1, &pipeline), E_OUTOFMEMORY);
}
