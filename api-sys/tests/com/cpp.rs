//! C++ calls what Rust implements and implements what Rust calls. `GetCompilerTarget` and its
//! neighbours return no HRESULT; one of them returns a structure.
#![allow(non_snake_case, reason = "the names are C's")]

use std::path::{Path, PathBuf};
use std::process::Command;

use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_COMPILER_CACHE_GROUP_KEY, D3D12_COMPILER_TARGET,
    D3D12_COMPILER_VALUE_TYPE_FLAGS, D3D12_COMPILER_VALUE_TYPE_FLAGS_DEBUG_PDB,
    D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE, ID3D12CompilerCacheSession, S_OK,
};
use libloading::Library;
use windows_core::{HRESULT, InRef, Interface, Ref};

use crate::session::{TARGET, session};

/// As in cpp_client.cpp.
#[repr(C)]
struct Answers {
    target: D3D12_COMPILER_TARGET,
    application: *const D3D12_APPLICATION_DESC,
    types: D3D12_COMPILER_VALUE_TYPE_FLAGS,
    version: u32,
    found: HRESULT,
}

/// The C++ side as a library in `folder`; `None` without a compiler.
fn client(folder: &Path) -> Option<Library> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library: PathBuf = folder.join(libloading::library_filename("cpp_client"));
    let compiler = if cfg!(windows) { "g++" } else { "c++" };
    let mut command = Command::new(compiler);
    command
        .args(["-std=c++17", "-shared", "-fPIC", "-I"])
        .arg(crate_folder.join("../headers"))
        .arg(crate_folder.join("tests/cpp_client.cpp"))
        .arg("-o")
        .arg(&library);
    match command.output() {
        Err(error) => {
            println!("skipped, no {compiler}: {error}");
            return None;
        }
        Ok(output) => assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        ),
    }
    // SAFETY: the library has no initialisers.
    Some(unsafe { Library::new(library) }.unwrap())
}

#[test]
fn cpp_calls_a_session_in_rust() {
    let folder = tempfile::tempdir().unwrap();
    let Some(client) = client(folder.path()) else {
        return;
    };
    let mut answers = Answers {
        target: D3D12_COMPILER_TARGET::default(),
        application: std::ptr::null(),
        types: 0,
        version: 0,
        found: HRESULT(-1),
    };
    let session = session();
    // SAFETY: the types are those of cpp_client.cpp, the session is one.
    unsafe {
        let ask: libloading::Symbol<
            unsafe extern "C" fn(Ref<ID3D12CompilerCacheSession>, *mut Answers),
        > = client.get(b"ask\0").unwrap();
        ask(InRef::from(&session), &raw mut answers);
    }
    assert_eq!(answers.target, TARGET);
    // SAFETY: the object is a session.
    assert_eq!(answers.application, unsafe { session.GetApplicationDesc() });
    assert_eq!(answers.types, D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE);
    assert_eq!((answers.version, answers.found), (3, S_OK));
}

#[test]
fn rust_calls_a_session_in_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let Some(client) = client(folder.path()) else {
        return;
    };
    let key = D3D12_COMPILER_CACHE_GROUP_KEY {
        pKey: std::ptr::null(),
        KeySize: 11,
    };
    let mut version = 0;
    // SAFETY: the types are those of cpp_client.cpp; what it makes is a session with one reference,
    // released before the library is unloaded.
    unsafe {
        let make: libloading::Symbol<unsafe extern "C" fn() -> *mut std::ffi::c_void> =
            client.get(b"make\0").unwrap();
        let session = ID3D12CompilerCacheSession::from_raw(make());
        let target = session.compiler_target();
        assert_eq!(
            (target.AdapterFamilyIndex, target.ABIVersion),
            (5, 0xFEDC_BA98_7654_3210)
        );
        assert!(session.GetApplicationDesc().is_null());
        assert_eq!(
            session.GetValueTypes(),
            D3D12_COMPILER_VALUE_TYPE_FLAGS_DEBUG_PDB
        );
        assert_eq!(session.FindGroup(&raw const key, &raw mut version), S_OK);
    }
    assert_eq!(version, 11);
}
