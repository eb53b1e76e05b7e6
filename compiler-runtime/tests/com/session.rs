//! `ID3D12CompilerCacheSession`, and its creation.

use std::ffi::c_void;
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use api_sys::*;
use runtime_test_support::api::*;
use windows_core::{HRESULT, Interface, PCWSTR};

fn open(
    files: &[(u32, PathBuf)],
    target: Option<D3D12_COMPILER_TARGET>,
    application: Option<&Application>,
) -> Result<ID3D12CompilerCacheSession, HRESULT> {
    try_session(&scripted(), files, target, application)
}

/// A folder and a session on one file in it.
fn new() -> (tempfile::TempDir, ID3D12CompilerCacheSession) {
    let folder = tempfile::tempdir().unwrap();
    let session = session(&scripted(), &folder.path().join("a.psdb"));
    (folder, session)
}

/// What `GetTempFileName` leaves.
#[test]
fn files_without_a_byte_are_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let files = [(3, "a.psdb"), (12, "b.psdb")];
    let files = files.map(|(types, name)| (types, folder.path().join(name)));
    for (_, path) in &files {
        fs::write(path, "").unwrap();
    }
    // For the latest ABI version, which only a new file takes from the plugin.
    let latest = D3D12_COMPILER_TARGET {
        ABIVersion: 0,
        ..TARGET
    };
    let factory = scripted();
    let session = try_session(
        &factory,
        &files,
        Some(latest),
        Some(&Application::default()),
    );
    let compiler = compiler(&factory, &session.unwrap());
    assert_eq!(
        compile(&compiler, b"g", 1, &ComputePipeline::default()),
        S_OK
    );
    drop(compiler);
    let of_files = try_session(&factory, &files, None, None).unwrap();
    assert_eq!(group_version(&of_files, b"g"), Ok(1));
}

#[test]
fn a_session_needs_files_with_types_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let application = Application::default();
    let [a, b] = ["a.psdb", "b.psdb"].map(|name| folder.path().join(name));
    let open = |files: &[(u32, PathBuf)]| open(files, Some(TARGET), Some(&application)).err();
    assert_eq!(open(&[]), Some(E_INVALIDARG));
    for types in [0, 16, 0x8000_0001] {
        assert_eq!(
            open(&[(types, a.clone())]),
            Some(E_INVALIDARG),
            "{types:#x}"
        );
    }
    assert_eq!(open(&[(3, a.clone()), (2, b.clone())]), Some(E_INVALIDARG));
    assert_eq!(open(&[(1, PathBuf::new())]), Some(E_INVALIDARG));
    assert_eq!(open(&[(1, folder.path().to_owned())]), Some(E_INVALIDARG));
    assert_eq!(
        open(&[(1, folder.path().join("none/a.psdb"))]),
        Some(FILE_NOT_FOUND)
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert_eq!(open(&[(1, a.clone()), (2, a)]), Some(E_INVALIDARG));
    assert_eq!(open(&[(8, b)]), None);

    let factory = scripted();
    let (desc, ill_formed) = (application.desc(), [0xD800, 0]);
    let path = |path| D3D12_COMPILER_DATABASE_PATH {
        Types: 1,
        pPath: path,
    };
    let [null, ill_formed] = [PCWSTR::null(), PCWSTR(ill_formed.as_ptr())].map(path);
    for (paths, count) in [
        (ptr::null(), 0),
        (ptr::null(), 1),
        (&raw const null, 1),
        (&raw const ill_formed, 1),
    ] {
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        let result = get::<ID3D12CompilerCacheSession>(|riid, place| unsafe {
            factory.CreateCompilerCacheSession(
                paths,
                count,
                &raw const TARGET,
                &raw const desc,
                riid,
                place,
            )
        });
        assert_eq!(result.unwrap_err(), E_INVALIDARG);
    }
}

#[test]
fn an_unknown_interface_creates_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let string = wide_path(&path);
    let paths = D3D12_COMPILER_DATABASE_PATH {
        Types: 1,
        pPath: PCWSTR(string.as_ptr()),
    };
    let (factory, application) = (scripted(), Application::default());
    let desc = application.desc();
    let create = |riid, place| {
        let (paths, target) = (&raw const paths, &raw const TARGET);
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        unsafe {
            factory.CreateCompilerCacheSession(paths, 1, target, &raw const desc, riid, place)
        }
    };
    assert_eq!(get::<ID3D12Compiler>(create).unwrap_err(), E_NOINTERFACE);
    let mut place = ptr::dangling_mut();
    assert_eq!(create(ptr::null(), &raw mut place), E_POINTER);
    assert!(place.is_null());
    assert_eq!(
        create(&ID3D12CompilerCacheSession::IID, ptr::null_mut()),
        E_POINTER
    );
    assert!(!path.exists());
    assert!(get::<ID3D12CompilerFactoryChild>(create).is_ok());
    assert!(path.exists());
}

#[test]
fn a_new_file_needs_target_and_application() {
    let folder = tempfile::tempdir().unwrap();
    let files = [(ALL, folder.path().join("a.psdb"))];
    let application = Application::default();
    let at = |index, abi| {
        Some(D3D12_COMPILER_TARGET {
            AdapterFamilyIndex: index,
            ABIVersion: abi,
        })
    };
    for (target, application, expected) in [
        (None, Some(&application), E_INVALIDARG),
        (at(0, 1), None, E_INVALIDARG),
        (None, None, E_INVALIDARG),
        (at(2, 0), Some(&application), DXGI_ERROR_NOT_FOUND),
        (at(2, 1), Some(&application), DXGI_ERROR_NOT_FOUND),
        (at(0, 4), Some(&application), E_INVALIDARG),
        (at(0, u64::MAX), Some(&application), E_INVALIDARG),
    ] {
        assert_eq!(
            open(&files, target, application).unwrap_err(),
            expected,
            "{target:?}"
        );
        assert!(!files[0].1.exists());
    }
}

/// What a session says of itself.
fn identity(session: &ID3D12CompilerCacheSession) -> (u32, u64, u32, [String; 3], [u64; 2]) {
    // SAFETY: the session is alive, and so is its description.
    unsafe {
        let target = session.compiler_target();
        let desc = *session.GetApplicationDesc();
        (
            target.AdapterFamilyIndex,
            target.ABIVersion,
            session.GetValueTypes(),
            [desc.pExeFilename, desc.pName, desc.pEngineName].map(|string| text(string)),
            [desc.Version.bits(), desc.EngineVersion.bits()],
        )
    }
}

#[test]
fn target_and_application_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    // ABI version 0 is the newest, and what the file has from then on.
    let path = folder.path().join("Schäder データ.psdb");
    let files = [(5, path.clone())];
    let newest = D3D12_COMPILER_TARGET {
        AdapterFamilyIndex: 1,
        ABIVersion: 0,
    };
    let application = Application::default();
    let expected = (
        1,
        3,
        5,
        ["Game.exe".into(), "Das Spiel ✨".into(), "Godot".into()],
        [0x0001_005D_0001_0000, 0x0004_0003_0000_0000],
    );
    let session = open(&files, Some(newest), Some(&application)).unwrap();
    assert_eq!(identity(&session), expected);
    drop(session);
    assert!(path.exists());

    let explicit = D3D12_COMPILER_TARGET {
        ABIVersion: 3,
        ..newest
    };
    // What is newest is the plugin's word, also for a file that exists.
    for target in [None, Some(newest), Some(explicit)] {
        for application in [None, Some(&application)] {
            let session = open(&files, target, application).unwrap();
            assert_eq!(identity(&session), expected);
        }
    }
    // Another target, another application.
    let no_engine = Application {
        engine: None,
        ..application.clone()
    };
    let renamed = Application {
        name: wide("Other"),
        ..application.clone()
    };
    let patched = Application {
        version: D3D12_VERSION_NUMBER::from_bits(0x0001_005D_0002_0000),
        ..application.clone()
    };
    let older = D3D12_COMPILER_TARGET {
        ABIVersion: 2,
        ..newest
    };
    let family = D3D12_COMPILER_TARGET {
        AdapterFamilyIndex: 0,
        ..explicit
    };
    for (target, application) in [
        (Some(older), None),
        (Some(family), None),
        (None, Some(&no_engine)),
        (None, Some(&renamed)),
        (None, Some(&patched)),
    ] {
        assert_eq!(open(&files, target, application).unwrap_err(), E_INVALIDARG);
    }
    // An application without engine.
    let files = [(1, folder.path().join("b.psdb"))];
    let session = open(&files, Some(explicit), Some(&no_engine)).unwrap();
    assert_eq!(identity(&session).3[2], "-");
    drop(session);
    // An empty name is none.
    let empty_engine = Application {
        engine: Some(wide("")),
        ..no_engine.clone()
    };
    let session = open(&files, None, Some(&empty_engine)).unwrap();
    assert_eq!(identity(&session).3[2], "-");
    drop(session);
    assert_eq!(
        open(&files, None, Some(&application)).unwrap_err(),
        E_INVALIDARG
    );

    // A plugin that has no such family: no file is made beside that one.
    let new = folder.path().join("c.psdb");
    for files in [
        &files[..],
        &[files[0].clone(), (2, new.clone())],
        &[(2, new.clone()), files[0].clone()],
    ] {
        let of_other = try_session(&sample(), files, None, None);
        assert_eq!(of_other.unwrap_err(), E_INVALIDARG);
        assert!(!new.exists());
    }
}

/// Names that are wrong are not files that are.
#[test]
fn names_that_no_file_can_have() {
    const INVALID_NAME: HRESULT = HRESULT(0x8007_007B_u32.cast_signed());
    const TOO_LONG: HRESULT = HRESULT(0x8007_00CE_u32.cast_signed());
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| {
        let files = [(1, folder.path().join(name))];
        open(&files, Some(TARGET), Some(&Application::default())).err()
    };
    assert_eq!(open(&"n".repeat(150)), None);
    // Under Wine the system answers an error for a name of this length; Windows itself was not seen.
    if cfg!(unix) {
        assert_eq!(open(&"n".repeat(247)), None);
    }
    // SQLite has a journal beside it.
    for length in [248, 255, 256] {
        assert_eq!(open(&"n".repeat(length)), Some(TOO_LONG));
    }
    if cfg!(unix) {
        let deep = [&*"d".repeat(200); 3].join("/");
        fs::create_dir_all(folder.path().join(&deep)).unwrap();
        assert_eq!(open(&format!("{deep}/a.psdb")), Some(TOO_LONG));
    } else {
        assert_eq!(open("a<b>.psdb"), Some(INVALID_NAME));
    }
    // What is in front of the name is another matter.
    assert_eq!(open("none/a.psdb"), Some(FILE_NOT_FOUND));
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let application = Application::default();
    let open = || open(&[(1, path.clone())], Some(TARGET), Some(&application)).err();
    for content in [
        &b"not a database, but a file of some length"[..],
        &[0; 5000],
    ] {
        fs::write(&path, content).unwrap();
        assert_eq!(open(), Some(BAD_FORMAT));
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    fs::remove_file(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other
        .execute_batch("CREATE TABLE keys(keyid, key)")
        .unwrap();
    other.close().unwrap();
    let content = fs::read(&path).unwrap();
    assert_eq!(open(), Some(BAD_FORMAT));
    assert_eq!(fs::read(&path).unwrap(), content);
    // No permission. (Root has every permission.)
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let locked = folder.path().join("locked");
        fs::create_dir(&locked).unwrap();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
        if fs::write(locked.join("probe"), "").is_ok() {
            eprintln!("skipped: files can be created in every directory here");
        } else {
            let files = [(1, locked.join("a.psdb"))];
            let result = crate::session::open(&files, Some(TARGET), Some(&application));
            assert_eq!(result.unwrap_err(), E_ACCESSDENIED);
        }
    }
}

#[test]
fn values_are_stored_once_whole_or_not_at_all() {
    let (_folder, session) = new();
    let (code, meta) = (
        const_value(OBJECT_CODE, b"code"),
        const_value(METADATA, b"meta"),
    );
    assert_eq!(store(&session, b"key", &[code, meta]), S_OK);
    let pdb = const_value(DEBUG_PDB, b"pdb");
    for again in [&[code][..], &[meta], &[pdb, meta]] {
        assert_eq!(store(&session, b"key", again), DXGI_ERROR_ALREADY_EXISTS);
    }
    assert_eq!(find_one(&session, b"key", DEBUG_PDB), None);
    assert_eq!(store(&session, b"key", &[pdb]), S_OK);
    assert_eq!(find_one(&session, b"key", DEBUG_PDB).unwrap(), b"pdb");
    assert_eq!(find_one(&session, b"key", OBJECT_CODE).unwrap(), b"code");

    // What is no value, or no key.
    let null = D3D12_COMPILER_CACHE_CONST_VALUE {
        pValue: ptr::null(),
        ValueSize: 4,
    };
    let null = D3D12_COMPILER_CACHE_TYPED_CONST_VALUE {
        Type: OBJECT_CODE,
        Value: null,
    };
    for bad in [
        &[][..],
        &[const_value(OBJECT_CODE, b"")],
        &[null],
        &[code, code],
        &[const_value(4, b"x")],
        &[const_value(-1, b"x")],
        &[meta, const_value(OBJECT_CODE, b"")],
    ] {
        assert_eq!(store(&session, b"bad", bad), E_INVALIDARG);
    }
    assert_eq!(store(&session, b"", &[code]), E_INVALIDARG);
    // SAFETY: nulls are what is tested.
    unsafe {
        let key = value_key(b"bad");
        assert_eq!(
            session.StoreValue(&raw const key, ptr::null(), 1),
            E_INVALIDARG
        );
        assert_eq!(
            session.StoreValue(&raw const key, ptr::null(), 0),
            E_INVALIDARG
        );
        assert_eq!(
            session.StoreValue(ptr::null(), &raw const code, 1),
            E_INVALIDARG
        );
        let key = D3D12_COMPILER_CACHE_VALUE_KEY {
            pKey: ptr::null(),
            KeySize: 3,
        };
        assert_eq!(
            session.StoreValue(&raw const key, &raw const code, 1),
            E_INVALIDARG
        );
    }
    for kind in [OBJECT_CODE, METADATA] {
        assert_eq!(find_one(&session, b"bad", kind), None);
    }
}

/// What an entry of a find offers for the value.
enum FindEntry {
    /// ValueSize 0 and this pValue.
    Empty(*mut c_void),
    /// A buffer of so many bytes.
    Buffer(usize),
}

/// What became of the entry: its ValueSize, and what is in its buffer or allocation.
type Answer = (u32, Vec<u8>);

/// Finds, and takes the answers apart.
fn ask(
    session: &ID3D12CompilerCacheSession,
    key: &[u8],
    entries: &[(i32, FindEntry)],
    allocations: Option<usize>,
) -> (HRESULT, Vec<Answer>) {
    let mut buffers: Vec<Vec<u8>> = entries
        .iter()
        .map(|(_, ask)| match ask {
            FindEntry::Buffer(size) => vec![0xEE; *size],
            FindEntry::Empty(_) => vec![],
        })
        .collect();
    let mut values: Vec<_> = entries
        .iter()
        .zip(&mut buffers)
        .map(|((kind, ask), buffer)| match ask {
            FindEntry::Empty(pointer) => typed_value(*kind, *pointer, 0),
            FindEntry::Buffer(size) => typed_value(
                *kind,
                buffer.as_mut_ptr().cast(),
                u32::try_from(*size).unwrap(),
            ),
        })
        .collect();
    let mut allocator = Allocator {
        left: allocations.unwrap_or(0),
        ..Allocator::default()
    };
    let result = find(
        session,
        key,
        &mut values,
        allocations.map(|_| &mut allocator),
    );
    let answers = entries
        .iter()
        .zip(values)
        .zip(buffers)
        .map(|(((_, ask), value), buffer)| {
            let size = value.Value.ValueSize;
            let bytes = match ask {
                FindEntry::Buffer(_) => {
                    assert_eq!(value.Value.pValue, buffer.as_ptr().cast_mut().cast());
                    buffer
                }
                FindEntry::Empty(before) if value.Value.pValue == *before => vec![],
                FindEntry::Empty(_) => allocator
                    .memory
                    .iter()
                    .find(|memory| memory.as_ptr() == value.Value.pValue.cast())
                    .cloned()
                    // Null, after an allocation that failed.
                    .unwrap_or_else(|| b"null".to_vec()),
            };
            (size, bytes)
        });
    (result, answers.collect())
}

#[test]
fn find_value_element_by_element() {
    let (_folder, session) = new();
    let values = [
        const_value(OBJECT_CODE, b"code"),
        const_value(METADATA, b"meta5"),
    ];
    assert_eq!(store(&session, b"key", &values), S_OK);
    let (null, dummy) = (ptr::null_mut(), ptr::dangling_mut::<u64>().cast());
    let ask = |entries: &[_], allocations| ask(&session, b"key", entries, allocations);
    let one = |entry, allocations| {
        let (result, mut answers) = ask(&[(OBJECT_CODE, entry)], allocations);
        (result, answers.remove(0))
    };
    let answer = |size, bytes: &[u8]| (size, bytes.to_vec());

    // A buffer: large enough, exactly large enough, too small; an allocator makes no difference.
    for allocations in [None, Some(9)] {
        let found = one(FindEntry::Buffer(6), allocations);
        assert_eq!(found, (S_OK, answer(4, b"code\xEE\xEE")));
        assert_eq!(
            one(FindEntry::Buffer(4), allocations),
            (S_OK, answer(4, b"code"))
        );
        let short = one(FindEntry::Buffer(3), allocations);
        assert_eq!(short, (DXGI_ERROR_MORE_DATA, answer(4, &[0xEE; 3])));
    }
    // A size query.
    assert_eq!(one(FindEntry::Empty(null), None), (S_OK, answer(4, b"")));
    assert_eq!(one(FindEntry::Empty(dummy), None), (S_OK, answer(4, b"")));
    // An allocation, whatever pValue is.
    assert_eq!(
        one(FindEntry::Empty(null), Some(1)),
        (S_OK, answer(4, b"code"))
    );
    assert_eq!(
        one(FindEntry::Empty(dummy), Some(1)),
        (S_OK, answer(4, b"code"))
    );
    let failed = one(FindEntry::Empty(dummy), Some(0));
    assert_eq!(failed, (E_OUTOFMEMORY, answer(4, b"null")));

    // Several elements: a short buffer does not keep the others from being filled, a failed
    // allocation keeps later ones from being made; the earlier ones stay with the caller.
    let entries = [
        (OBJECT_CODE, FindEntry::Buffer(1)),
        (METADATA, FindEntry::Buffer(5)),
        (OBJECT_CODE, FindEntry::Empty(null)),
        (METADATA, FindEntry::Empty(dummy)),
        (OBJECT_CODE, FindEntry::Empty(dummy)),
        (METADATA, FindEntry::Buffer(7)),
    ];
    let filled = [
        answer(4, &[0xEE]),
        answer(5, b"meta5"),
        answer(4, b"code"),
        answer(5, b"meta5"),
        answer(4, b"code"),
        answer(5, b"meta5\xEE\xEE"),
    ];
    assert_eq!(
        ask(&entries, Some(3)),
        (DXGI_ERROR_MORE_DATA, filled.to_vec())
    );
    let mut partly = filled;
    partly[3] = answer(5, b"null");
    partly[4] = answer(4, b"");
    assert_eq!(ask(&entries, Some(1)), (E_OUTOFMEMORY, partly.to_vec()));

    // A type that the key lacks has size 0, if there is another one.
    let entries = [
        (DEBUG_PDB, FindEntry::Empty(dummy)),
        (METADATA, FindEntry::Empty(null)),
        (PERFORMANCE_DATA, FindEntry::Buffer(2)),
    ];
    let answers = vec![answer(0, b""), answer(5, b"meta5"), answer(0, &[0xEE; 2])];
    assert_eq!(ask(&entries, Some(2)), (S_OK, answers));
    // If there is none, nothing changes.
    let entries = [
        (DEBUG_PDB, FindEntry::Buffer(2)),
        (PERFORMANCE_DATA, FindEntry::Empty(null)),
    ];
    let unchanged = vec![answer(2, &[0xEE; 2]), answer(0, b"")];
    assert_eq!(
        ask(&entries, Some(2)),
        (DXGI_ERROR_NOT_FOUND, unchanged.clone())
    );
    let other_key = crate::session::ask(&session, b"other", &entries, None);
    assert_eq!(other_key, (DXGI_ERROR_NOT_FOUND, unchanged));
}

#[test]
fn find_value_refuses_what_is_no_question() {
    let (_folder, session) = new();
    assert_eq!(
        store(&session, b"key", &[const_value(OBJECT_CODE, b"code")]),
        S_OK
    );
    for bad in [
        typed_value(4, ptr::null_mut(), 0),
        typed_value(-1, ptr::null_mut(), 0),
        typed_value(OBJECT_CODE, ptr::null_mut(), 4),
    ] {
        let mut values = [size_query(OBJECT_CODE), bad];
        assert_eq!(find(&session, b"key", &mut values, None), E_INVALIDARG);
        assert_eq!(values, [size_query(OBJECT_CODE), bad]);
    }
    assert_eq!(find(&session, b"key", &mut [], None), E_INVALIDARG);
    assert_eq!(
        find(&session, b"", &mut [size_query(OBJECT_CODE)], None),
        E_INVALIDARG
    );
    // SAFETY: nulls are what is tested.
    unsafe {
        let (key, mut value) = (value_key(b"key"), size_query(OBJECT_CODE));
        let none = ptr::null_mut();
        let find = |key, values, count| session.FindValue(key, values, count, None, none);
        assert_eq!(find(&raw const key, ptr::null_mut(), 1), E_INVALIDARG);
        assert_eq!(find(ptr::null(), &raw mut value, 1), E_INVALIDARG);
    }
}

#[test]
fn groups_have_one_version() {
    let (_folder, session) = new();
    assert_eq!(group_version(&session, b"group"), Err(DXGI_ERROR_NOT_FOUND));
    // Of keys given twice the first counts; the values need not exist.
    let keys: [&[u8]; 4] = [b"b", b"a", b"b", b"missing"];
    assert_eq!(store_group(&session, b"group", 7, &keys), S_OK);
    for version in [7, 8] {
        let again = store_group(&session, b"group", version, &keys);
        assert_eq!(again, DXGI_ERROR_ALREADY_EXISTS);
    }
    assert_eq!(group_version(&session, b"group"), Ok(7));
    // SAFETY: a null version is allowed.
    let found = unsafe { session.FindGroup(&group_key(b"group"), ptr::null_mut()) };
    assert_eq!(found, S_OK);
    let stored = Ok([b"b".to_vec(), b"a".to_vec(), b"missing".to_vec()].to_vec());
    assert_eq!(group_keys(&session, b"group", None), stored);
    assert_eq!(group_keys(&session, b"group", Some(7)), stored);
    assert_eq!(
        group_keys(&session, b"group", Some(8)),
        Err(DXGI_ERROR_NOT_FOUND)
    );
    assert_eq!(
        group_keys(&session, b"none", None),
        Err(DXGI_ERROR_NOT_FOUND)
    );
    assert_eq!(store_group(&session, b"empty", 0, &[]), S_OK);
    assert_eq!(group_keys(&session, b"empty", Some(0)), Ok(vec![]));

    // SAFETY: nulls are what is tested; a null callback is a question for the group alone.
    unsafe {
        let (key, none) = (group_key(b"group"), ptr::null_mut());
        let keys =
            |key: *const _, version: *const _| session.FindGroupValueKeys(key, version, None, none);
        assert_eq!(keys(&raw const key, ptr::null()), S_OK);
        assert_eq!(keys(&raw const key, &7), S_OK);
        assert_eq!(keys(&raw const key, &8), DXGI_ERROR_NOT_FOUND);
        assert_eq!(keys(&group_key(b"none"), ptr::null()), DXGI_ERROR_NOT_FOUND);
        assert_eq!(keys(ptr::null(), ptr::null()), E_INVALIDARG);
        assert_eq!(keys(&group_key(b""), ptr::null()), E_INVALIDARG);
        assert_eq!(
            session.FindGroup(ptr::null(), ptr::null_mut()),
            E_INVALIDARG
        );
        assert_eq!(
            session.FindGroup(&group_key(b""), ptr::null_mut()),
            E_INVALIDARG
        );
        let null = D3D12_COMPILER_CACHE_GROUP_KEY {
            pKey: ptr::null(),
            KeySize: 1,
        };
        assert_eq!(
            session.FindGroup(&raw const null, ptr::null_mut()),
            E_INVALIDARG
        );
        let store = |key, keys, count| session.StoreGroupValueKeys(key, 1, keys, count);
        assert_eq!(store(&raw const null, ptr::null(), 0), E_INVALIDARG);
        assert_eq!(store(ptr::null(), ptr::null(), 0), E_INVALIDARG);
        let new = group_key(b"new");
        assert_eq!(store(&raw const new, ptr::null(), 1), E_INVALIDARG);
        let bad = [value_key(b"good"), value_key(b"")];
        assert_eq!(store(&raw const new, bad.as_ptr(), 2), E_INVALIDARG);
    }
    assert_eq!(group_version(&session, b"new"), Err(DXGI_ERROR_NOT_FOUND));
}

#[test]
fn the_values_of_a_group() {
    let (_folder, session) = new();
    let a = [
        const_value(OBJECT_CODE, b"a code"),
        const_value(DEBUG_PDB, b"a pdb"),
    ];
    assert_eq!(store(&session, b"a", &a), S_OK);
    assert_eq!(
        store(&session, b"b", &[const_value(OBJECT_CODE, b"b code")]),
        S_OK
    );
    assert_eq!(store_group(&session, b"whole", 1, &[b"b", b"a"]), S_OK);
    assert_eq!(
        store_group(&session, b"partial", 1, &[b"a", b"missing"]),
        S_OK
    );

    let value = |index, kind, bytes: &[u8]| (index, kind, bytes.to_vec());
    let b_code = value(0, OBJECT_CODE, b"b code");
    let a_code = value(1, OBJECT_CODE, b"a code");
    let a_pdb = value(1, DEBUG_PDB, b"a pdb");
    let whole = |types| group_values(&session, b"whole", Some(1), types).unwrap();
    assert_eq!(whole(ALL), [b_code.clone(), a_code.clone(), a_pdb.clone()]);
    assert_eq!(whole(1), [b_code, a_code]);
    assert_eq!(whole(4), [a_pdb]);
    assert_eq!(whole(2), []);
    assert_eq!(whole(0), []);
    let partial = group_values(&session, b"partial", None, 1).unwrap();
    assert_eq!(partial, [value(0, OBJECT_CODE, b"a code")]);

    let values = |key, version, types| group_values(&session, key, version, types).unwrap_err();
    assert_eq!(values(b"whole", Some(2), ALL), DXGI_ERROR_NOT_FOUND);
    assert_eq!(values(b"none", None, ALL), DXGI_ERROR_NOT_FOUND);
    assert_eq!(values(b"whole", None, 16), E_INVALIDARG);
    assert_eq!(values(b"", None, 1), E_INVALIDARG);

    // Without a callback: whether the group and its values are there.
    let has = |key: &[u8], types| {
        let key = group_key(key);
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        unsafe {
            session.FindGroupValues(&raw const key, ptr::null(), types, None, ptr::null_mut())
        }
    };
    assert_eq!(has(b"whole", 1), S_OK);
    assert_eq!(has(b"whole", ALL), S_OK);
    assert_eq!(has(b"whole", 0), S_OK);
    assert_eq!(has(b"whole", 4), DXGI_ERROR_NOT_FOUND);
    assert_eq!(has(b"partial", 1), DXGI_ERROR_NOT_FOUND);
    assert_eq!(has(b"none", 1), DXGI_ERROR_NOT_FOUND);
    // SAFETY: null is what is tested.
    let null =
        unsafe { session.FindGroupValues(ptr::null(), ptr::null(), 1, None, ptr::null_mut()) };
    assert_eq!(null, E_INVALIDARG);
}

#[test]
fn pointers_that_are_not_aligned_are_refused() {
    let (_folder, session) = new();
    assert_eq!(
        store(&session, b"key", &[const_value(OBJECT_CODE, b"code")]),
        S_OK
    );
    let memory = [0_u64; 8];
    let odd = memory.as_ptr().cast::<u8>().wrapping_add(1);
    let factory = scripted();
    // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
    unsafe {
        let (key, mut value) = (value_key(b"key"), size_query(OBJECT_CODE));
        let none = ptr::null_mut();
        assert_eq!(
            session.FindValue(odd.cast(), &raw mut value, 1, None, none),
            E_INVALIDARG
        );
        let values = odd.cast_mut().cast();
        assert_eq!(
            session.FindValue(&raw const key, values, 1, None, none),
            E_INVALIDARG
        );
        assert_eq!(
            session.StoreValue(&raw const key, odd.cast(), 1),
            E_INVALIDARG
        );
        let group = group_key(b"group");
        assert_eq!(session.FindGroup(odd.cast(), ptr::null_mut()), E_INVALIDARG);
        let keys = session.StoreGroupValueKeys(&raw const group, 1, odd.cast(), 1);
        assert_eq!(keys, E_INVALIDARG);
        let place = odd.cast_mut();
        assert_eq!(
            factory.EnumerateAdapterFamilies(0, place.cast()),
            E_INVALIDARG
        );
        let version = factory.EnumerateAdapterFamilyCompilerVersion(0, place.cast());
        assert_eq!(version, E_INVALIDARG);
        let versions = factory.EnumerateAdapterFamilyABIVersions(0, place.cast(), ptr::null_mut());
        assert_eq!(versions, E_INVALIDARG);
    }
    assert_eq!(memory, [0; 8]);
}

/// What the callbacks of the next test call.
static SESSION: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// The session, and a new key for each call.
unsafe fn reenter(context: *mut c_void) {
    // SAFETY: the test's session lives and the context is its counter.
    unsafe {
        let raw = SESSION.load(Ordering::SeqCst);
        let session = ID3D12CompilerCacheSession::from_raw_borrowed(&raw).unwrap();
        let calls = context.cast::<u8>();
        *calls += 1;
        let key = [b'n', *calls];
        assert_eq!(
            store(session, &key, &[const_value(OBJECT_CODE, b"nested")]),
            S_OK
        );
        assert_eq!(find_one(session, &key, OBJECT_CODE).unwrap(), b"nested");
        assert_eq!(store_group(session, &key, 1, &[&key]), S_OK);
        assert_eq!(group_keys(session, &key, None), Ok(vec![key.to_vec()]));
        assert_eq!(group_values(session, &key, None, 1).unwrap().len(), 1);
    }
}

unsafe extern "system" fn reentrant_allocation(size: usize, context: *mut c_void) -> *mut c_void {
    // SAFETY: the context is what `reenter` takes: the test gave it to the call.
    unsafe { reenter(context) };
    // Not freed: the callback has nowhere to put it.
    Vec::leak(vec![0_u8; size]).as_mut_ptr().cast()
}

unsafe extern "system" fn reentrant_key(
    _: *const D3D12_COMPILER_CACHE_VALUE_KEY,
    context: *mut c_void,
) {
    // SAFETY: the context is what `reenter` takes: the test gave it to the call.
    unsafe { reenter(context) };
}

unsafe extern "system" fn reentrant_value(
    _: u32,
    _: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
    context: *mut c_void,
) {
    // SAFETY: the context is what `reenter` takes: the test gave it to the call.
    unsafe { reenter(context) };
}

#[test]
fn callbacks_may_call_the_session() {
    let (folder, session) = new();
    assert_eq!(
        store(&session, b"key", &[const_value(OBJECT_CODE, b"code")]),
        S_OK
    );
    assert_eq!(store_group(&session, b"group", 1, &[b"key"]), S_OK);
    drop(session);
    // Opened anew, so that what is found comes from the file.
    let session = self::session(&scripted(), &folder.path().join("a.psdb"));
    SESSION.store(session.as_raw(), Ordering::SeqCst);
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        let mut calls = 0_u8;
        let context = (&raw mut calls).cast();
        let (key, group) = (value_key(b"key"), group_key(b"group"));
        let mut value = size_query(OBJECT_CODE);
        let (value, allocate) = (&raw mut value, Some(reentrant_allocation as _));
        assert_eq!(
            session.FindValue(&raw const key, value, 1, allocate, context),
            S_OK
        );
        let callback = Some(reentrant_key as _);
        let group = &raw const group;
        assert_eq!(
            session.FindGroupValueKeys(group, ptr::null(), callback, context),
            S_OK
        );
        let callback = Some(reentrant_value as _);
        assert_eq!(
            session.FindGroupValues(group, ptr::null(), ALL, callback, context),
            S_OK
        );
        assert_eq!(calls, 3);
    }
}

/// A session with one reference, and what was called back.
struct Released {
    session: Option<ID3D12CompilerCacheSession>,
    calls: Vec<Vec<u8>>,
}

impl Released {
    /// # Safety
    ///
    /// `context` is a `Released`, the bytes are readable.
    unsafe fn call(context: *mut c_void, bytes: *const c_void, size: u32) {
        // SAFETY: `context` is a `Released` that the call has alone, and `bytes` has `size` readable bytes (`# Safety`).
        unsafe {
            let own = &mut *context.cast::<Self>();
            drop(own.session.take());
            let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), size as usize);
            own.calls.push(bytes.to_vec());
        }
    }
}

unsafe extern "system" fn releasing_key(
    key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
    context: *mut c_void,
) {
    // SAFETY: the key is readable until this returns, and the context is the test's.
    unsafe { Released::call(context, (*key).pKey, (*key).KeySize) };
}

unsafe extern "system" fn releasing_value(
    _: u32,
    typed: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
    context: *mut c_void,
) {
    // SAFETY: the value is readable until this returns, and the context is the test's.
    unsafe { Released::call(context, (*typed).Value.pValue, (*typed).Value.ValueSize) };
}

unsafe extern "system" fn releasing_allocation(size: usize, context: *mut c_void) -> *mut c_void {
    let memory = Vec::leak(vec![0_u8; size]);
    // SAFETY: the memory is readable; the test's context.
    unsafe { Released::call(context, memory.as_ptr().cast(), 0) };
    memory.as_mut_ptr().cast()
}

#[test]
fn callbacks_may_release_the_last_reference() {
    let (folder, session) = new();
    for key in [b"a", b"b"] {
        assert_eq!(store(&session, key, &[const_value(OBJECT_CODE, key)]), S_OK);
    }
    assert_eq!(store_group(&session, b"group", 1, &[b"a", b"b"]), S_OK);
    drop(session);
    let path = folder.path().join("a.psdb");
    let with = |call: &dyn Fn(&ID3D12CompilerCacheSession, *mut c_void) -> HRESULT| {
        let session = self::session(&scripted(), &path);
        // The reference is the context's.
        let raw = session.as_raw();
        let mut released = Released {
            session: Some(session),
            calls: Vec::new(),
        };
        // SAFETY: alive until the callback, and the call holds what it uses.
        let borrowed = unsafe { ID3D12CompilerCacheSession::from_raw_borrowed(&raw) }.unwrap();
        assert_eq!(call(borrowed, (&raw mut released).cast()), S_OK);
        assert!(released.session.is_none());
        released.calls
    };
    let group = group_key(b"group");
    let (key, none) = (value_key(b"a"), ptr::null());
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        let keys = with(&|session, context| {
            session.FindGroupValueKeys(&raw const group, none, Some(releasing_key), context)
        });
        assert_eq!(keys, [b"a", b"b"]);
        let values = with(&|session, context| {
            session.FindGroupValues(&raw const group, none, ALL, Some(releasing_value), context)
        });
        assert_eq!(values, [b"a", b"b"]);
        let memory = with(&|session, context| {
            let mut value = size_query(OBJECT_CODE);
            let allocate = Some(releasing_allocation as _);
            session.FindValue(&raw const key, &raw mut value, 1, allocate, context)
        });
        assert_eq!(memory.len(), 1);
    }
}

/// The types and the number of groups in a file.
fn content(path: &Path) -> (Vec<i64>, i64) {
    let file = rusqlite::Connection::open(path).unwrap();
    let mut types = file.prepare("SELECT type FROM vals ORDER BY type").unwrap();
    let types = types.query_map([], |row| row.get(0)).unwrap();
    let groups = file.query_row("SELECT count(*) FROM groupkeys", [], |row| row.get(0));
    (types.collect::<Result<_, _>>().unwrap(), groups.unwrap())
}

#[test]
fn several_files_by_type() {
    let folder = tempfile::tempdir().unwrap();
    let [code, pdb] = ["code.psdb", "pdb.psdb"].map(|name| folder.path().join(name));
    let files = [(4, pdb.clone()), (1 | 2, code.clone())];
    let application = Application::default();
    let session = open(&files, Some(TARGET), Some(&application)).unwrap();
    // SAFETY: the session is alive.
    assert_eq!(unsafe { session.GetValueTypes() }, 7);
    let values = [OBJECT_CODE, METADATA, DEBUG_PDB].map(|kind| const_value(kind, b"value"));
    assert_eq!(store(&session, b"key", &values), S_OK);
    let none = store(
        &session,
        b"other",
        &[const_value(PERFORMANCE_DATA, b"value")],
    );
    assert_eq!(none, E_INVALIDARG);
    // All or none, across the files.
    assert_eq!(store(&session, b"half", &[values[2]]), S_OK);
    assert_eq!(store(&session, b"half", &values), DXGI_ERROR_ALREADY_EXISTS);
    assert_eq!(find_one(&session, b"half", OBJECT_CODE), None);
    assert_eq!(store_group(&session, b"group", 1, &[b"key"]), S_OK);
    assert_eq!(
        group_values(&session, b"group", None, ALL).unwrap().len(),
        3
    );
    drop(session);
    assert_eq!(content(&code), (vec![0, 1], 1));
    assert_eq!(content(&pdb), (vec![2, 2], 1));

    // Each file is usable alone, and together with another.
    let session = open(&[(4, pdb.clone())], None, None).unwrap();
    assert_eq!(find_one(&session, b"key", DEBUG_PDB).unwrap(), b"value");
    assert_eq!(find_one(&session, b"key", OBJECT_CODE), None);
    assert_eq!(group_version(&session, b"group"), Ok(1));
    drop(session);
    let performance = folder.path().join("performance.psdb");
    let session = open(&[(8, performance), (3, code)], None, None).unwrap();
    assert_eq!(identity(&session).2, 11);
    assert_eq!(
        store(&session, b"key", &[const_value(PERFORMANCE_DATA, b"value")]),
        S_OK
    );
    assert_eq!(
        group_values(&session, b"group", None, ALL).unwrap().len(),
        3
    );
}

#[test]
fn what_is_stored_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let large = vec![0x5A; 3 << 20];
    for round in 0_u8..3 {
        let session = session(&scripted(), &path);
        for earlier in 0..round {
            assert_eq!(
                find_one(&session, &[1, earlier], OBJECT_CODE).unwrap(),
                large
            );
            assert_eq!(
                group_keys(&session, &[2, earlier], None),
                Ok(vec![vec![1, earlier]])
            );
        }
        assert_eq!(
            store(&session, &[1, round], &[const_value(OBJECT_CODE, &large)]),
            S_OK
        );
        assert_eq!(store_group(&session, &[2, round], 1, &[&[1, round]]), S_OK);
    }
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "{files:?}");
}
