//! The library as an application loads it: by name, and more than once.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::c_void;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

use api_sys::*;
use libloading::Library;
use runtime_test_support::api::*;
use runtime_test_support::native::library;
use windows_core::{GUID, HRESULT, IUnknown, Interface, PCWSTR};

use crate::compile::{compile_addition, compile_object, raytracing};
use crate::threads::{Shared, at_once};

pub fn sample_plugin() -> PathBuf {
    library("sample_plugin")
}

fn runtime() -> PathBuf {
    library("compiler_runtime")
}

type CreateFactory = unsafe extern "system" fn(PCWSTR, *const GUID, *mut *mut c_void) -> HRESULT;
type GetInterface =
    unsafe extern "system" fn(*const GUID, *const GUID, *mut *mut c_void) -> HRESULT;

/// The library, loaded from `path`.
struct Loaded(Library);

impl Loaded {
    fn new(path: &Path) -> Self {
        // SAFETY: the runtime does nothing when it is loaded.
        Self(unsafe { Library::new(path) }.unwrap())
    }

    /// An export.
    fn function<T: Copy>(&self, name: &str) -> T {
        // SAFETY: `T` is the function's type.
        *unsafe { self.0.get::<T>(name.as_bytes()) }.unwrap()
    }

    fn try_factory(&self, plugin: &Path) -> Result<ID3D12CompilerFactory, HRESULT> {
        let create: CreateFactory = self.function("D3D12CompilerCreateFactory");
        let plugin = wide_path(plugin);
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        get(|riid, place| unsafe { create(PCWSTR(plugin.as_ptr()), riid, place) })
    }

    fn factory(&self, plugin: &Path) -> ID3D12CompilerFactory {
        self.try_factory(plugin).unwrap()
    }
}

#[test]
fn a_factory_under_both_names() {
    let runtime = Loaded::new(&runtime());
    for name in ["D3D12CompilerCreateFactory", "D3D12CreateCompilerFactory"] {
        let create: CreateFactory = runtime.function(name);
        let path = wide_path(&sample_plugin());
        let path = PCWSTR(path.as_ptr());
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        unsafe {
            let factory =
                get::<ID3D12CompilerFactory>(|riid, place| create(path, riid, place)).unwrap();
            let mut family = D3D12_ADAPTER_FAMILY::default();
            assert_eq!(factory.EnumerateAdapterFamilies(0, &raw mut family), S_OK);
            assert!(get::<IUnknown>(|riid, place| create(path, riid, place)).is_ok());
            let wrong = get::<ID3D12Compiler>(|riid, place| create(path, riid, place));
            assert_eq!(wrong.unwrap_err(), E_NOINTERFACE);
            // Without a place: all checks, no factory.
            let (iid, none) = (&ID3D12CompilerFactory::IID, ptr::null_mut());
            assert_eq!(create(path, iid, none), S_FALSE);
            assert_eq!(create(path, &ID3D12Compiler::IID, none), E_NOINTERFACE);
            assert_eq!(create(PCWSTR::null(), iid, none), E_INVALIDARG);
            let mut place = ptr::dangling_mut();
            assert_eq!(create(path, ptr::null(), &raw mut place), E_POINTER);
            assert!(place.is_null());
            let null = get::<IUnknown>(|riid, place| create(PCWSTR::null(), riid, place));
            assert_eq!(null.unwrap_err(), E_INVALIDARG);
        }
    }
}

/// What is asked of the log, in the process of the test below.
const LOG: &str = "D3D12_COMPILER_LOG";

#[test]
#[ignore = "the child process of the test below"]
fn child_without_a_plugin() {
    let runtime = Loaded::new(&runtime());
    let none = runtime.try_factory(Path::new("no such plugin.dll"));
    assert_eq!(none.unwrap_err(), FILE_NOT_FOUND);
}

#[test]
fn a_caller_of_the_library_hears_why_a_call_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("журнал.log");
    let run = |log: Option<&str>| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "exports::child_without_a_plugin", "--ignored"]);
        match log {
            Some(log) => child.env(LOG, log),
            None => child.env_remove(LOG),
        };
        let output = child.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let told = |text: &str| {
        ["ERROR", "D3D12CompilerCreateFactory", "no such plugin.dll"]
            .iter()
            .all(|word| text.contains(word))
    };
    assert_eq!(run(None), "");
    assert!(told(&run(Some("error:stderr"))));
    assert_eq!(run(Some("off:stderr")), "");
    let to_file = format!("warn:{}", file.to_str().unwrap());
    for lines in 1..=2 {
        assert_eq!(run(Some(&to_file)), "");
        let text = fs::read_to_string(&file).unwrap();
        assert!(told(&text) && text.lines().count() == lines, "{text}");
    }
    let in_no_folder = format!("warn:{}", folder.path().join("none/a").to_str().unwrap());
    for (wrong, why) in [
        ("stderr", "there is no level"),
        ("loud:stderr", "\"loud\" is not a level"),
        (&in_no_folder, "(os error"),
    ] {
        let said = run(Some(wrong));
        let is_said = said.starts_with(LOG) && said.contains(why);
        assert!(is_said && said.contains("LEVEL:FILE"), "{said}");
        assert!(!told(&said));
    }
}

#[test]
fn what_is_no_plugin() {
    let runtime_path = runtime();
    let runtime = Loaded::new(&runtime_path);
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.dll");
    fs::write(&text, "not a library").unwrap();
    let result = |path: &Path| runtime.try_factory(path).unwrap_err();
    assert_eq!(result(&folder.path().join("none.dll")), FILE_NOT_FOUND);
    assert_eq!(result(folder.path()), FILE_NOT_FOUND);
    assert_eq!(result(Path::new("")), E_INVALIDARG);
    // Windows says ERROR_BAD_EXE_FORMAT.
    let format = if cfg!(windows) {
        HRESULT(0x8007_00C1_u32.cast_signed())
    } else {
        BAD_FORMAT
    };
    assert_eq!(result(&text), format);
    // A library, but without the plugin's export: HRESULT_FROM_WIN32(ERROR_PROC_NOT_FOUND).
    assert_eq!(result(&runtime_path).0.cast_unsigned(), 0x8007_007F);
    // A path that is ill-formed.
    let create: CreateFactory = runtime.function("D3D12CompilerCreateFactory");
    let path = [u16::from(b'a'), 0xDC00, 0];
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let ill_formed =
        get::<IUnknown>(|riid, place| unsafe { create(PCWSTR(path.as_ptr()), riid, place) });
    assert_eq!(ill_formed.unwrap_err(), E_INVALIDARG);
}

#[test]
fn state_object_databases_come_from_both_exports() {
    let runtime = Loaded::new(&runtime());
    let folder = tempfile::tempdir().unwrap();
    for name in ["D3D12CompilerGetInterface", "D3D12GetInterface"] {
        let get_interface: GetInterface = runtime.function(name);
        let class = CLSID_D3D12StateObjectFactory;
        let path = wide_path(&folder.path().join(name));
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        unsafe {
            let factory = get::<ID3D12StateObjectDatabaseFactory>(|riid, place| {
                get_interface(&raw const class, riid, place)
            })
            .unwrap();
            let database = get::<ID3D12StateObjectDatabase>(|riid, place| {
                let path = PCWSTR(path.as_ptr());
                factory.CreateStateObjectDatabaseFromFile(path, 0, riid, place)
            })
            .unwrap();
            let mut version = 0;
            let found = database.FindObjectVersion(c"k".as_ptr().cast(), 1, &raw mut version);
            assert_eq!(found, DXGI_ERROR_NOT_FOUND);
        }
    }
}

#[test]
fn the_export_serializes() {
    let runtime = Loaded::new(&runtime());
    let function: PFN_D3D12_COMPILER_SERIALIZE_VERSIONED_ROOT_SIGNATURE =
        runtime.function("D3D12CompilerSerializeVersionedRootSignature");
    let desc = D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
        Version: D3D_ROOT_SIGNATURE_VERSION_1_1,
        ..Default::default()
    };
    let mut blob = None;
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let result = unsafe { function.unwrap()(&raw const desc, &raw mut blob, ptr::null_mut()) };
    assert_eq!(result, S_OK);
    // SAFETY: the blob is alive.
    let start = unsafe { blob.unwrap().GetBufferPointer().cast::<[u8; 4]>().read() };
    assert_eq!(&start, b"DXBC");
}

#[test]
fn factories_share_a_plugin_and_keep_it() {
    let runtime = Loaded::new(&runtime());
    let folder = tempfile::tempdir().unwrap();
    let factories: Vec<_> = (0..100)
        .map(|_| runtime.factory(&sample_plugin()))
        .collect();
    // A session and a compiler of two different factories of one plugin.
    let session = session(&factories[0], &folder.path().join("a.psdb"));
    let compiler = compiler(&factories[99], &session);
    drop(factories);
    assert_eq!(
        compile(&compiler, b"group", 1, &ComputePipeline::default()),
        S_OK
    );
}

#[test]
fn copies_of_the_library_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("плагин 插件.dll");
    fs::copy(sample_plugin(), &plugin).unwrap();
    let copies: Vec<_> = (0..4)
        .map(|number| {
            let path = folder
                .path()
                .join(format!("{DLL_PREFIX}копия{number}{DLL_SUFFIX}"));
            fs::copy(runtime(), &path).unwrap();
            Loaded::new(&path)
        })
        .collect();
    let factories: Vec<_> = copies
        .iter()
        .map(|copy| Shared::new(copy.factory(&plugin)))
        .collect();
    // On Windows all copies can have one file open. Elsewhere a process must open a file through one
    // copy of SQLite only, as the locks of POSIX are those of the process.
    let shared = cfg!(windows).then(|| folder.path().join("共有.psdb"));

    // An object of one copy is not one of another.
    let foreign = session(factories[0].get(), &folder.path().join("foreign.psdb"));
    assert_eq!(
        try_compiler(factories[1].get(), &foreign).unwrap_err(),
        E_INVALIDARG
    );
    let object = raytracing(D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS);
    let grown_from = compile_object(&compiler(factories[0].get(), &foreign), b"object", &object);
    let grown_from = grown_from.unwrap();
    let own = session(factories[1].get(), &folder.path().join("own.psdb"));
    let own = compiler(factories[1].get(), &own);
    let grown = compile_addition(&own, b"grown", &object, &grown_from);
    assert_eq!(grown.unwrap_err(), E_INVALIDARG);
    let around = compile_object(&own, b"around", &raytracing(0).with(&grown_from));
    assert_eq!(around.unwrap_err(), E_INVALIDARG);
    drop((own, grown_from, foreign));

    if let Some(shared) = &shared {
        drop(session(factories[0].get(), shared));
    }
    at_once(|thread| {
        let factory = factories[thread % copies.len()].get();
        let own = session(factory, &folder.path().join(format!("{thread}.psdb")));
        let common = shared.as_ref().map(|shared| session(factory, shared));
        for session in [&own].into_iter().chain(&common) {
            let compiler = compiler(factory, session);
            for (round, name) in ["raw_copy_cs.dxil", "heap_cs.dxil"].iter().enumerate() {
                let key = format!("{thread} {round}");
                let pipeline = ComputePipeline::new(name);
                assert_eq!(compile(&compiler, key.as_bytes(), 1, &pipeline), S_OK);
            }
        }
    });
    for number in 0..8 {
        let path = folder.path().join(format!("{number}.psdb"));
        let own = session(factories[0].get(), &path);
        let common = shared
            .as_ref()
            .map(|shared| session(factories[1].get(), shared));
        for round in 0..2 {
            let key = format!("{number} {round}");
            let values = |session| group_values(session, key.as_bytes(), Some(1), ALL).unwrap();
            assert!(!values(&own).is_empty());
            if let Some(common) = &common {
                assert_eq!(values(&own), values(common));
            }
        }
    }
}

#[test]
fn places_need_not_be_aligned() {
    let runtime = Loaded::new(&runtime());
    let serialize: PFN_D3D12_COMPILER_SERIALIZE_VERSIONED_ROOT_SIGNATURE =
        runtime.function("D3D12CompilerSerializeVersionedRootSignature");
    let get_interface: GetInterface = runtime.function("D3D12GetInterface");
    let mut memory = [0_u64; 4];
    let odd = memory.as_mut_ptr().cast::<u8>().wrapping_add(1);
    let desc = D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
        Version: D3D_ROOT_SIGNATURE_VERSION_1_1,
        ..Default::default()
    };
    let none = D3D12_VERSIONED_ROOT_SIGNATURE_DESC::default();
    let class = CLSID_D3D12StateObjectFactory;
    // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
    unsafe {
        let blob = || odd.cast::<Option<ID3DBlob>>().read_unaligned();
        let result = serialize.unwrap()(&raw const desc, odd.cast(), ptr::null_mut());
        assert_eq!(result, S_OK);
        assert_ne!(blob().unwrap().GetBufferSize(), 0);
        let result = serialize.unwrap()(&raw const none, ptr::null_mut(), odd.cast());
        assert_ne!(result, S_OK);
        assert_ne!(blob().unwrap().GetBufferSize(), 0);
        let iid = IUnknown::IID;
        let result = get_interface(&raw const class, &raw const iid, odd.cast());
        assert_eq!(result, S_OK);
        drop(odd.cast::<Option<IUnknown>>().read_unaligned());
    }
}
