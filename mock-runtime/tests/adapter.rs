//! Opening adapters, with a driver that does nothing but what a test wants.

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;

use ddi_sys::{
    D3D12DDI_ADAPTERFUNCS, D3D12DDI_APPLICATION_DESC, D3D12DDI_CREATE_DEVICE_FLAGS,
    D3D12DDI_HADAPTER, D3D12DDI_HDEVICE, D3D12DDI_HRTTABLE, D3D12DDI_TABLE_TYPE,
    D3D12DDIARG_CALCPRIVATEDEVICESIZE, D3D12DDIARG_CREATEDEVICE_0003,
    D3D12DDIARG_CREATEDEVICE_0109, D3D12DDIARG_GETCAPS, D3D12DDIARG_OPENADAPTER,
    D3DDDI_QUERYADAPTERTYPE, D3DDDI_QUERYADAPTERTYPE_APPLICATIONDESC,
    D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB, D3DDDI_QUERYADAPTERTYPE_QUERYREGISTRY,
    D3DDDICB_QUERYADAPTERINFO2, D3DDDIERR_NOTAVAILABLE, E_FAIL, E_INVALIDARG,
    E_NOT_SUFFICIENT_BUFFER, HRESULT, S_OK, SIZE_T, UINT32, UINT64,
};
use mock_runtime::Error;
use mock_runtime::adapter::{DriverState, OpenAdapter};
use mock_runtime::device::{Device, DeviceOptions, version_of};
use mock_runtime::umd::Umd;
use plugin_host::{ApplicationDesc, U16CString};

/// Tests share what the driver saw.
static ALONE: Mutex<()> = Mutex::new(());
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn see(text: String) {
    SEEN.lock().unwrap().push(text);
}

/// Asks the runtime, as a driver does, first with no room and then with as much as is wanted.
unsafe fn ask(
    argument: &D3D12DDIARG_OPENADAPTER,
    kind: D3DDDI_QUERYADAPTERTYPE,
) -> (HRESULT, Vec<u8>) {
    // SAFETY: the runtime's callbacks live as long as the adapter.
    let callbacks = unsafe { &*argument.pAdapterCallbacks };
    let ask = callbacks.pfnQueryAdapterInfoCb2.unwrap();
    let mut query = D3DDDICB_QUERYADAPTERINFO2 {
        QueryType: kind,
        pPrivateDriverData: ptr::null_mut(),
        PrivateDriverDataSize: 0,
    };
    // SAFETY: the question is complete, and its buffer as large as it says.
    let result = unsafe { ask(argument.hRTAdapter.handle, &raw mut query) };
    if result != E_NOT_SUFFICIENT_BUFFER {
        return (result, Vec::new());
    }
    let mut buffer = vec![0_u8; query.PrivateDriverDataSize as usize];
    query.pPrivateDriverData = buffer.as_mut_ptr().cast();
    // SAFETY: the question is complete, and its buffer as large as it says.
    (
        unsafe { ask(argument.hRTAdapter.handle, &raw mut query) },
        buffer,
    )
}

unsafe extern "system" fn open(argument: *mut D3D12DDIARG_OPENADAPTER) -> HRESULT {
    // SAFETY: the runtime passes its argument.
    let argument = unsafe { &mut *argument };
    for kind in [
        D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB,
        D3DDDI_QUERYADAPTERTYPE_QUERYREGISTRY,
    ] {
        // SAFETY: it is the argument of this open.
        let (result, blob) = unsafe { ask(argument, kind) };
        see(format!("{kind:?}: {result} {blob:?}"));
    }
    // SAFETY: it is the argument of this open.
    let (result, desc) = unsafe { ask(argument, D3DDDI_QUERYADAPTERTYPE_APPLICATIONDESC) };
    see(if result == S_OK {
        // SAFETY: the answer is a description, whose strings the runtime keeps.
        let desc = unsafe {
            desc.as_ptr()
                .cast::<D3D12DDI_APPLICATION_DESC>()
                .read_unaligned()
        };
        // SAFETY: a description's name ends with a NUL.
        let name = unsafe { U16CString::from_ptr_str(desc.pName) };
        format!("application {}", name.to_string_lossy())
    } else {
        format!("application: {result}")
    });
    argument.hAdapter = D3D12DDI_HADAPTER {
        pDrvPrivate: ptr::without_provenance_mut(7),
    };
    let functions = D3D12DDI_ADAPTERFUNCS {
        pfnCalcPrivateDeviceSize: Some(device_size),
        pfnCreateDevice: Some(create_device),
        pfnCloseAdapter: Some(close),
        pfnGetSupportedVersions: Some(versions),
        pfnGetCaps: Some(caps),
        pfnGetOptionalDDITables: None,
        pfnFillDDITable: Some(fill),
        pfnDestroyDevice: Some(destroy_device),
    };
    // SAFETY: the runtime's table is there to be filled.
    unsafe { *argument.pAdapterFuncs = functions };
    S_OK
}

unsafe extern "system" fn close(adapter: D3D12DDI_HADAPTER) -> HRESULT {
    see(format!("close {}", adapter.pDrvPrivate.addr()));
    S_OK
}

unsafe extern "system" fn versions(
    _: D3D12DDI_HADAPTER,
    count: *mut UINT32,
    array: *mut UINT64,
) -> HRESULT {
    let versions = [version_of(109), version_of(113)];
    if !array.is_null() {
        // SAFETY: there is room for so many versions.
        unsafe { ptr::copy_nonoverlapping(versions.as_ptr(), array, 2.min(*count as usize)) };
    }
    // SAFETY: the runtime passes a count.
    unsafe { *count = 2 };
    S_OK
}

unsafe extern "system" fn caps(_: D3D12DDI_HADAPTER, _: *const D3D12DDIARG_GETCAPS) -> HRESULT {
    E_INVALIDARG
}

unsafe extern "system" fn device_size(
    _: D3D12DDI_HADAPTER,
    argument: *const D3D12DDIARG_CALCPRIVATEDEVICESIZE,
) -> SIZE_T {
    // SAFETY: the runtime passes its argument.
    see(format!("build {}", unsafe { (*argument).Version } >> 16));
    24
}

unsafe extern "system" fn create_device(
    _: D3D12DDI_HADAPTER,
    argument: *const D3D12DDIARG_CREATEDEVICE_0003,
) -> HRESULT {
    // SAFETY: of these builds, the runtime passes this structure.
    let argument = unsafe { &*argument.cast::<D3D12DDIARG_CREATEDEVICE_0109>() };
    assert_eq!(argument.Flags, D3D12DDI_CREATE_DEVICE_FLAGS(0));
    let ranges = if argument.NumReserveRanges == 0 {
        assert!(argument.pReserveRanges.is_null());
        &[]
    } else {
        // SAFETY: the runtime passes so many ranges.
        unsafe {
            std::slice::from_raw_parts(argument.pReserveRanges, argument.NumReserveRanges as usize)
        }
    };
    for range in ranges {
        see(format!(
            "reserve {:#x} {:#x}",
            range.StartAddress, range.SizeInBytes
        ));
    }
    // SAFETY: the memory is as large as was calculated.
    unsafe {
        argument
            .hDrvDevice
            .pDrvPrivate
            .cast::<u8>()
            .write_bytes(0xAA, 24);
    };
    // SAFETY: of these builds, the runtime passes this structure.
    let callbacks = unsafe { &*argument.Anonymous.p12UMCallbacks_0062 };
    // SAFETY: the handle is the runtime's.
    unsafe { callbacks.pfnSetErrorCb.unwrap()(argument.hRTDevice, E_FAIL) };
    S_OK
}

unsafe extern "system" fn fill(
    _: D3D12DDI_HADAPTER,
    kind: D3D12DDI_TABLE_TYPE,
    _: *mut c_void,
    size: SIZE_T,
    number: u32,
    _: D3D12DDI_HRTTABLE,
) -> HRESULT {
    see(format!(
        "fill {kind:?} {} {number}",
        size / size_of::<usize>()
    ));
    E_FAIL
}

unsafe extern "system" fn destroy_device(_: D3D12DDI_HDEVICE) {
    see("destroy".into());
}

fn application() -> ApplicationDesc {
    ApplicationDesc {
        exe_filename: U16CString::from_str("game.exe").unwrap(),
        name: U16CString::from_str("Game").unwrap(),
        version: 1,
        engine: None,
    }
}

fn opened(state: DriverState, application: Option<ApplicationDesc>) -> (OpenAdapter, Vec<String>) {
    SEEN.lock().unwrap().clear();
    // SAFETY: the driver above keeps to its memory.
    let umd = unsafe { Umd::from_entry(open) };
    let adapter = OpenAdapter::open(&umd, state, application).unwrap();
    let seen = std::mem::take(&mut *SEEN.lock().unwrap());
    (adapter, seen)
}

#[test]
fn a_driver_gets_the_answers_that_a_test_injects() {
    let _alone = ALONE.lock();
    let blob = "D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB";
    let registry = format!("D3DDDI_QUERYADAPTERTYPE_QUERYREGISTRY: {E_INVALIDARG} []");
    let none = format!("application: {D3DDDIERR_NOTAVAILABLE}");

    let (adapter, seen) = opened(DriverState::Blob(vec![1, 2, 3]), Some(application()));
    assert_eq!(
        seen,
        [
            format!("{blob}: {S_OK} [1, 2, 3]"),
            registry.clone(),
            "application Game".into()
        ]
    );
    let queries: Vec<_> = adapter
        .queries()
        .iter()
        .map(|query| (query.room, query.result))
        .collect();
    assert_eq!(queries[..2], [(0, E_NOT_SUFFICIENT_BUFFER), (3, S_OK)]);
    drop(adapter);
    assert_eq!(*SEEN.lock().unwrap(), ["close 7"]);

    let (_, seen) = opened(DriverState::NotAvailable, None);
    assert_eq!(
        seen,
        [
            format!("{blob}: {D3DDDIERR_NOTAVAILABLE} []"),
            registry.clone(),
            none.clone()
        ]
    );
    let (_, seen) = opened(DriverState::OldRuntime, None);
    assert_eq!(seen, [format!("{blob}: {E_INVALIDARG} []"), registry, none]);
}

#[test]
fn a_device_has_a_build_that_both_sides_know() {
    let _alone = ALONE.lock();
    for (build, slots) in [(None, 128), (Some(109), 124)] {
        let (adapter, _) = opened(DriverState::default(), None);
        assert_eq!(
            adapter.supported_versions().unwrap(),
            [version_of(109), version_of(113)]
        );
        let options = DeviceOptions {
            build,
            reserved: vec![(0x10000, 0x20000), (1, 0)],
            ..DeviceOptions::default()
        };
        // It has no table.
        let error = Device::new(&adapter, &options).unwrap_err();
        assert!(
            matches!(error, Error::Driver { result: E_FAIL, .. }),
            "{error}"
        );
        drop(adapter);
        let expected = [
            format!("build {}", build.unwrap_or(113)),
            "reserve 0x10000 0x20000".into(),
            "reserve 0x1 0x0".into(),
            format!("fill D3D12DDI_TABLE_TYPE_DEVICE_CORE {slots} 0"),
            "destroy".into(),
            "close 7".into(),
        ];
        assert_eq!(*SEEN.lock().unwrap(), expected);
    }
    let (adapter, _) = opened(DriverState::default(), None);
    let options = DeviceOptions {
        build: Some(114),
        ..DeviceOptions::default()
    };
    let error = Device::new(&adapter, &options).unwrap_err();
    assert!(matches!(error, Error::Argument(_)), "{error}");
}

#[test]
fn what_is_no_driver_is_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("umd.dll");
    std::fs::write(&path, "no library").unwrap();
    // SAFETY: it is no library.
    let error = unsafe { Umd::load(&path) }.unwrap_err();
    assert!(matches!(error, Error::Load { .. }), "{error}");
}
