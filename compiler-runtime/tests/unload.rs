//! The library is loaded and unloaded again and again: it keeps nothing, and leaves nothing to a thread that used it.
//!
//! In a process of its own, since what is measured is the memory of the process.
#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![allow(clippy::wildcard_imports, reason = "the names are C's")]

use std::ffi::{CString, c_void};
use std::path::Path;
use std::thread;

use api_sys::*;
use dxil::{Container, ContainerBuilder, FourCc};
use libloading::Library;
use runtime_test_support::api::*;
use runtime_test_support::corpus;
use runtime_test_support::native::library;
use windows_core::{GUID, HRESULT, PCWSTR};

fn is_loaded(path: &Path) -> bool {
    let path = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the path is a string of C; nothing is loaded by this.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if !handle.is_null() {
        // SAFETY: the handle is open.
        unsafe { libc::dlclose(handle) };
    }
    !handle.is_null()
}

/// Bytes that are allocated.
fn allocated() -> usize {
    // SAFETY: the function has no conditions.
    let info = unsafe { libc::mallinfo2() };
    info.uordblks + info.hblkhd
}

/// A compute shader that differs from those of other numbers.
fn numbered(number: u32) -> Vec<u32> {
    let bytes = corpus::shader("raw_copy_cs");
    let mut container = ContainerBuilder::from(&Container::parse(bytes.bytes()).unwrap());
    container.set(FourCc(*b"PRIV"), number.to_le_bytes().to_vec());
    words(&container.build().unwrap())
}

/// Compiles so many groups with the runtime.
fn use_library(library: &Library, plugin: &Path, groups: u32) {
    type Create = unsafe extern "system" fn(PCWSTR, *const GUID, *mut *mut c_void) -> HRESULT;
    // SAFETY: the function has this type.
    let create = unsafe { library.get::<Create>(b"D3D12CompilerCreateFactory") }.unwrap();
    let path = wide_path(plugin);
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let factory: ID3D12CompilerFactory =
        get(|riid, place| unsafe { create(PCWSTR(path.as_ptr()), riid, place) }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let session = session(&factory, &folder.path().join("a.psdb"));
    let compiler = compiler(&factory, &session);
    for group in 0..groups {
        let pipeline = ComputePipeline::of(numbered(group));
        assert_eq!(compile(&compiler, &group.to_le_bytes(), 1, &pipeline), S_OK);
    }
}

/// Loads the runtime, compiles so many groups with it, and unloads it, with the plugin.
fn run(runtime: &Path, plugin: &Path, groups: u32) {
    let library = {
        // SAFETY: the runtime does nothing when it is loaded.
        unsafe { Library::new(runtime) }.unwrap()
    };
    // In a thread that ends: what the library has for a thread keeps it loaded.
    thread::scope(|scope| {
        let thread = scope.spawn(|| use_library(&library, plugin, groups));
        // Not only the closure's end, which is all that the scope waits for.
        thread.join().unwrap();
    });
    library.close().unwrap();
    assert!(!is_loaded(runtime), "the library is still loaded");
}

/// Ends threads that have used and unloaded the runtime: a destructor of a library that is gone would crash the process.
fn end_after_unloading(runtime: &Path, plugin: &Path) {
    for _ in 0..3 {
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                // SAFETY: the runtime does nothing when it is loaded.
                let library = unsafe { Library::new(runtime) }.unwrap();
                use_library(&library, plugin, 2);
                library.close().unwrap();
            });
            thread.join().unwrap();
        });
    }
}

#[test]
fn what_is_unloaded_keeps_nothing_and_leaves_no_destructor() {
    const TIMES: usize = 4;
    /// What the loader, SQLite and the standard library may keep of two libraries: of the runtime alone, which
    /// is not called, they keep 1 KiB.
    const LOADING: usize = 4 << 10;
    /// Between two measurements of the same.
    const NOISE: usize = 256;
    let (runtime, plugin) = (library("compiler_runtime"), library("sample_plugin"));
    let kept = |groups| {
        for _ in 0..2 {
            run(&runtime, &plugin, groups);
        }
        let before = allocated();
        for _ in 0..TIMES {
            run(&runtime, &plugin, groups);
        }
        allocated().saturating_sub(before) / TIMES
    };
    let (idle, busy) = (kept(0), kept(300));
    assert!(idle <= LOADING, "each time {idle} bytes are lost");
    let lost = busy.saturating_sub(idle);
    assert!(lost <= NOISE, "each time compiling loses {lost} bytes more");
    end_after_unloading(&runtime, &plugin);
}
