//! `ID3D12CompilerFactory`.

use std::ptr;

use api_sys::*;
use runtime_test_support::api::*;
use runtime_test_support::plugin::{COMPILER_VERSION, PROFILE_VERSION, name_families};
use windows_core::{GUID, HRESULT, IUnknown, Interface};

fn family(factory: &ID3D12CompilerFactory, index: u32) -> Result<String, HRESULT> {
    let mut family = D3D12_ADAPTER_FAMILY {
        szAdapterFamily: [0xFFFF; 128],
    };
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    match unsafe { factory.EnumerateAdapterFamilies(index, &raw mut family) } {
        S_OK => {
            let name = family
                .szAdapterFamily
                .split(|unit| *unit == 0)
                .next()
                .unwrap();
            Ok(String::from_utf16(name).unwrap())
        }
        result => Err(result),
    }
}

#[test]
fn families_end_with_not_found() {
    let factory = scripted();
    assert_eq!(family(&factory, 0), Ok("Gen1".into()));
    assert_eq!(family(&factory, 1), Ok("Gen2".into()));
    assert_eq!(family(&factory, 2), Err(DXGI_ERROR_NOT_FOUND));
    assert_eq!(family(&factory, u32::MAX), Err(DXGI_ERROR_NOT_FOUND));
    // SAFETY: null is what is tested.
    let null = unsafe { factory.EnumerateAdapterFamilies(0, ptr::null_mut()) };
    assert_eq!(null, E_INVALIDARG);
    assert_eq!(family(&sample(), 1), Ok("Fabrikam Borealis".into()));
}

/// The loop that the specification has: until DXGI_ERROR_NOT_FOUND.
#[test]
fn a_name_that_is_wrong_is_an_error_of_its_index_alone() {
    let name = |name: &str| name.encode_utf16().collect::<Vec<_>>();
    name_families(vec![
        name("Gen1"),
        vec![0x41; 128],
        name("Gen3"),
        vec![0xD800],
    ]);
    let factory = scripted();
    let mut found = Vec::new();
    for index in 0.. {
        match family(&factory, index) {
            Err(DXGI_ERROR_NOT_FOUND) => break,
            family => found.push(family),
        }
        assert!(found.len() <= 4, "{found:?}");
    }
    let expected = [
        Ok("Gen1".into()),
        Err(E_FAIL),
        Ok("Gen3".into()),
        Err(E_FAIL),
    ];
    assert_eq!(found, expected);
    // It can be compiled for the others.
    let folder = tempfile::tempdir().unwrap();
    for index in 0..4 {
        let target = D3D12_COMPILER_TARGET {
            AdapterFamilyIndex: index,
            ABIVersion: 1,
        };
        let files = [(ALL, folder.path().join(format!("{index}.psdb")))];
        let session = try_session(
            &factory,
            &files,
            Some(target),
            Some(&Application::default()),
        );
        let expected = if index % 2 == 0 { None } else { Some(E_FAIL) };
        assert_eq!(session.err(), expected);
    }
    // An enumeration ends, also where a plugin's does not.
    name_families(vec![name("x"); 5000]);
    assert_eq!(family(&factory, 4095), Ok("x".into()));
    assert_eq!(family(&factory, 4096), Err(DXGI_ERROR_NOT_FOUND));
}

#[test]
fn abi_versions_are_a_set_with_the_newest_first() {
    let factory = scripted();
    let versions = |index, mut count: u32, array: &mut [u64]| {
        let array = if array.is_empty() {
            ptr::null_mut()
        } else {
            array.as_mut_ptr()
        };
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        let result =
            unsafe { factory.EnumerateAdapterFamilyABIVersions(index, &raw mut count, array) };
        (result, count)
    };
    // The size, whatever the count was.
    assert_eq!(versions(0, 0, &mut []), (S_OK, 3));
    assert_eq!(versions(0, 7, &mut []), (S_OK, 3));
    // The latest, and no more than there is room for.
    let mut array = [9; 5];
    assert_eq!(versions(0, 1, &mut array), (DXGI_ERROR_MORE_DATA, 3));
    assert_eq!(array, [3, 9, 9, 9, 9]);
    assert_eq!(versions(0, 0, &mut array), (DXGI_ERROR_MORE_DATA, 3));
    assert_eq!(versions(1, 5, &mut array), (S_OK, 3));
    assert_eq!(array, [3, 2, 1, 9, 9]);
    assert_eq!(versions(2, 5, &mut array), (DXGI_ERROR_NOT_FOUND, 0));
    // SAFETY: null is what is tested.
    let null = unsafe {
        factory.EnumerateAdapterFamilyABIVersions(0, ptr::null_mut(), array.as_mut_ptr())
    };
    assert_eq!(null, E_INVALIDARG);
}

#[test]
fn versions_of_compiler_and_profile() {
    let factory = scripted();
    let mut version = D3D12_VERSION_NUMBER::default();
    // SAFETY: every pointer is null or to a value of its type that outlives the call; here and below.
    unsafe {
        let place = &raw mut version;
        assert_eq!(
            factory.EnumerateAdapterFamilyCompilerVersion(1, place),
            S_OK
        );
        assert_eq!(version.bits(), COMPILER_VERSION);
        let result = factory.EnumerateAdapterFamilyCompilerVersion(2, place);
        assert_eq!(result, DXGI_ERROR_NOT_FOUND);
        let result = factory.EnumerateAdapterFamilyCompilerVersion(0, ptr::null_mut());
        assert_eq!(result, E_INVALIDARG);
    }

    let application = Application::default();
    let profile = |index, abi, desc: &D3D12_APPLICATION_DESC| {
        let target = D3D12_COMPILER_TARGET {
            AdapterFamilyIndex: index,
            ABIVersion: abi,
        };
        let mut version = D3D12_VERSION_NUMBER::default();
        // SAFETY: target, application and version are alive; a string of the application is null, or has its NUL.
        let result = unsafe {
            factory.GetApplicationProfileVersion(&raw const target, desc, &raw mut version)
        };
        (result, version.bits())
    };
    let desc = application.desc();
    assert_eq!(profile(0, 2, &desc), (S_OK, PROFILE_VERSION));
    assert_eq!(profile(0, 0, &desc), (S_OK, PROFILE_VERSION));
    assert_eq!(profile(2, 0, &desc), (DXGI_ERROR_NOT_FOUND, 0));
    assert_eq!(profile(2, 1, &desc), (DXGI_ERROR_NOT_FOUND, 0));
    for abi in [4, u64::MAX] {
        assert_eq!(profile(0, abi, &desc), (E_INVALIDARG, 0));
    }
    let empty = wide("");
    let empty = windows_core::PCWSTR(empty.as_ptr());
    let null = windows_core::PCWSTR::null();
    for bad in [
        D3D12_APPLICATION_DESC {
            pExeFilename: null,
            ..desc
        },
        D3D12_APPLICATION_DESC {
            pExeFilename: empty,
            ..desc
        },
        D3D12_APPLICATION_DESC {
            pName: null,
            ..desc
        },
        D3D12_APPLICATION_DESC {
            pName: empty,
            ..desc
        },
    ] {
        assert_eq!(profile(0, 1, &bad), (E_INVALIDARG, 0));
    }
    let no_engine = D3D12_APPLICATION_DESC {
        pEngineName: null,
        ..desc
    };
    assert_eq!(profile(0, 1, &no_engine), (S_OK, PROFILE_VERSION));
    // SAFETY: target, application and version are alive, or null, which is tested.
    unsafe {
        let place = &raw mut version;
        let call = |target, desc, place| factory.GetApplicationProfileVersion(target, desc, place);
        assert_eq!(call(ptr::null(), &raw const desc, place), E_INVALIDARG);
        assert_eq!(call(&raw const TARGET, ptr::null(), place), E_INVALIDARG);
        assert_eq!(
            call(&raw const TARGET, &raw const desc, ptr::null_mut()),
            E_INVALIDARG
        );
    }
}

#[test]
fn create_compiler_wants_a_session_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let factory = scripted();
    let session = session(&factory, &folder.path().join("a.psdb"));
    // Another open of the same plugin.
    assert_eq!(
        try_compiler(&scripted(), &session).unwrap_err(),
        E_INVALIDARG
    );
    // SAFETY: every pointer is null or to a value of its type that outlives the call; here and below.
    let null =
        get::<ID3D12Compiler>(|riid, place| unsafe { factory.CreateCompiler(None, riid, place) });
    assert_eq!(null.unwrap_err(), E_INVALIDARG);
    let mut place = ptr::dangling_mut();
    // SAFETY: `session` is alive, `riid` is a GUID and `place` a pointer, or null, which is tested.
    unsafe {
        let create = |riid: *const GUID, place| factory.CreateCompiler(&session, riid, place);
        assert_eq!(
            create(&ID3D12CompilerFactory::IID, &raw mut place),
            E_NOINTERFACE
        );
        assert!(place.is_null());
        assert_eq!(create(ptr::null(), &raw mut place), E_POINTER);
        assert_eq!(create(&ID3D12Compiler::IID, ptr::null_mut()), E_POINTER);
    }
}

#[test]
fn every_object_answers_for_its_interfaces_alone() {
    let folder = tempfile::tempdir().unwrap();
    let factory = scripted();
    let session = session(&factory, &folder.path().join("a.psdb"));
    let compiler = compiler(&factory, &session);
    let iids = [
        ID3D12CompilerFactory::IID,
        ID3D12CompilerFactoryChild::IID,
        ID3D12CompilerCacheSession::IID,
        ID3D12Compiler::IID,
        ID3D12Compiler1::IID,
        ID3D12CompilerStateObject::IID,
        ID3DBlob::IID,
    ];
    let answers = |object: &IUnknown| {
        iids.map(|iid| {
            let mut place = ptr::dangling_mut();
            // SAFETY: arguments as QueryInterface wants them.
            let result = unsafe { object.query(&raw const iid, &raw mut place) };
            assert_eq!(result, if place.is_null() { E_NOINTERFACE } else { S_OK });
            if !place.is_null() {
                // SAFETY: an interface.
                let interface = unsafe { IUnknown::from_raw(place) };
                // The identity of an object is its IUnknown.
                assert_eq!(
                    interface.cast::<IUnknown>().unwrap(),
                    object.cast().unwrap()
                );
            }
            !place.is_null()
        })
    };
    let cast = |object: &dyn Fn() -> IUnknown| answers(&object());
    assert_eq!(
        cast(&|| factory.cast().unwrap()),
        [true, false, false, false, false, false, false]
    );
    assert_eq!(
        cast(&|| session.cast().unwrap()),
        [false, true, true, false, false, false, false]
    );
    assert_eq!(
        cast(&|| compiler.cast().unwrap()),
        [false, true, false, true, true, false, false]
    );
}

#[test]
fn children_give_back_what_made_them() {
    let folder = tempfile::tempdir().unwrap();
    let factory = scripted();
    let session = session(&factory, &folder.path().join("a.psdb"));
    let compiler = compiler(&factory, &session);
    // SAFETY: every pointer is null or to a value of its type that outlives the call; here and below.
    unsafe {
        let of_session =
            get::<ID3D12CompilerFactory>(|riid, place| session.GetFactory(riid, place));
        assert_eq!(of_session.unwrap(), factory);
        let of_compiler =
            get::<ID3D12CompilerFactory>(|riid, place| compiler.GetFactory(riid, place));
        assert_eq!(of_compiler.unwrap(), factory);
        let of_compiler =
            get::<ID3D12CompilerCacheSession>(|riid, place| compiler.GetCacheSession(riid, place));
        assert_eq!(of_compiler.unwrap(), session);
        let unknown = get::<IUnknown>(|riid, place| compiler.GetCacheSession(riid, place));
        assert_eq!(unknown.unwrap(), session.cast().unwrap());

        let wrong = get::<ID3D12Compiler>(|riid, place| session.GetFactory(riid, place));
        assert_eq!(wrong.unwrap_err(), E_NOINTERFACE);
        let wrong = get::<ID3D12Compiler>(|riid, place| compiler.GetCacheSession(riid, place));
        assert_eq!(wrong.unwrap_err(), E_NOINTERFACE);
        let iid = &ID3D12CompilerFactory::IID;
        assert_eq!(session.GetFactory(iid, ptr::null_mut()), E_POINTER);
        assert_eq!(compiler.GetFactory(iid, ptr::null_mut()), E_POINTER);
        let iid = &ID3D12CompilerCacheSession::IID;
        assert_eq!(compiler.GetCacheSession(iid, ptr::null_mut()), E_POINTER);
        let mut place = ptr::dangling_mut();
        assert_eq!(session.GetFactory(ptr::null(), &raw mut place), E_POINTER);
        assert!(place.is_null());
    }
}
