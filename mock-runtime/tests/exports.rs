//! The exports, with mistakes that a program in C can make.

use std::ffi::{CString, c_void};
use std::ptr;

use api_sys::D3D12_STATE_OBJECT_STATISTICS;
use ddi_sys::{E_INVALIDARG, HRESULT, S_OK};
use mock_runtime::exports::{
    MOCK_RUNTIME_ADAPTER_DESC, MOCK_RUNTIME_DEVICE_DESC, MockRuntimeClose,
    MockRuntimeCreateCommandList, MockRuntimeCreateDevice, MockRuntimeCreatePipelineState,
    MockRuntimeCreateStateObject, MockRuntimeGetLastError, MockRuntimeGetObject,
    MockRuntimeGetStatistics, MockRuntimeOpenAdapter, MockRuntimeRelease, MockRuntimeReset,
    MockRuntimeSetDirect,
};
use shader_db::psdb::Access;
use shader_db::sodb::Sodb;

fn adapter_desc() -> MOCK_RUNTIME_ADAPTER_DESC {
    MOCK_RUNTIME_ADAPTER_DESC {
        pUmdPath: ptr::null(),
        DriverState: 0,
        pBlob: ptr::null(),
        BlobSize: 0,
        pApplication: ptr::null(),
    }
}

fn device_desc() -> MOCK_RUNTIME_DEVICE_DESC {
    MOCK_RUNTIME_DEVICE_DESC {
        Build: 0,
        NumCaches: 0,
        ppCaches: ptr::null(),
        pReservedRanges: ptr::null(),
        NumReservedRanges: 0,
        pCapture: ptr::null(),
    }
}

fn open(desc: &MOCK_RUNTIME_ADAPTER_DESC) -> (HRESULT, *mut c_void) {
    let mut adapter = ptr::without_provenance_mut(1);
    // SAFETY: the description is complete.
    let result = unsafe { MockRuntimeOpenAdapter(desc, &raw mut adapter) };
    (result, adapter)
}

fn create(adapter: *mut c_void, desc: &MOCK_RUNTIME_DEVICE_DESC) -> (HRESULT, *mut c_void) {
    let mut device = ptr::without_provenance_mut(1);
    // SAFETY: the description is complete.
    let result = unsafe { MockRuntimeCreateDevice(adapter, desc, &raw mut device) };
    (result, device)
}

/// The text of the last failure.
fn text() -> String {
    // SAFETY: without a buffer nothing is written.
    let size = unsafe { MockRuntimeGetLastError(ptr::null_mut(), 0) };
    let mut buffer = vec![0_u8; size];
    // SAFETY: the buffer has the size.
    unsafe { MockRuntimeGetLastError(buffer.as_mut_ptr().cast(), size) };
    assert_eq!(buffer.pop(), Some(0));
    String::from_utf8(buffer).unwrap()
}

#[test]
fn null_and_stale_handles_and_pointers_are_refused() {
    let none = ptr::null_mut();
    let mut place = ptr::null_mut();
    let (_, adapter) = open(&adapter_desc());
    let (_, device) = create(adapter, &device_desc());
    let key = b"key".as_ptr().cast();
    // SAFETY: every pointer is null or to what is meant; handles are looked up.
    let results = unsafe {
        [
            MockRuntimeOpenAdapter(ptr::null(), &raw mut place),
            MockRuntimeOpenAdapter(&adapter_desc(), ptr::null_mut()),
            MockRuntimeCreateDevice(none, &device_desc(), &raw mut place),
            MockRuntimeCreateDevice(device, &device_desc(), &raw mut place),
            MockRuntimeCreateDevice(adapter, ptr::null(), &raw mut place),
            MockRuntimeCreateDevice(adapter, &device_desc(), ptr::null_mut()),
            MockRuntimeCreatePipelineState(device, key, 3, ptr::null(), ptr::null_mut()),
            MockRuntimeCreatePipelineState(device, ptr::null(), 3, ptr::null(), ptr::null_mut()),
            MockRuntimeCreatePipelineState(adapter, key, 3, ptr::null(), ptr::null_mut()),
            MockRuntimeCreateStateObject(
                device,
                key,
                3,
                ptr::null(),
                ptr::null(),
                0,
                ptr::null_mut(),
            ),
            MockRuntimeCreateStateObject(
                device,
                key,
                3,
                ptr::null(),
                ptr::null(),
                4,
                ptr::null_mut(),
            ),
            MockRuntimeGetStatistics(none, &mut D3D12_STATE_OBJECT_STATISTICS::default()),
            MockRuntimeGetStatistics(device, ptr::null_mut()),
            MockRuntimeGetObject(device, key, 3, &raw mut place),
            MockRuntimeGetObject(device, key, 3, ptr::null_mut()),
            MockRuntimeCreateCommandList(device, ptr::null_mut(), &raw mut place),
            MockRuntimeCreateCommandList(none, &raw mut place, &raw mut place),
            MockRuntimeReset(device),
            MockRuntimeClose(none),
            MockRuntimeSetDirect(adapter, 1),
            MockRuntimeRelease(none),
        ]
    };
    for (index, result) in results.into_iter().enumerate() {
        assert!(!result.is_ok(), "call {index}: {result}");
    }
    assert_eq!(text(), "the handle is none, or was released");
    let mut short = [b'x'; 4];
    // SAFETY: the buffer has the size.
    unsafe { MockRuntimeGetLastError(short.as_mut_ptr().cast(), 4) };
    assert_eq!(&short, b"the\0");
    // A device outlives its adapter's handle.
    assert_eq!(MockRuntimeRelease(adapter), S_OK);
    let mut statistics = D3D12_STATE_OBJECT_STATISTICS::default();
    // SAFETY: the place is there.
    let result = unsafe { MockRuntimeGetStatistics(device, &raw mut statistics) };
    assert_eq!(result, S_OK);
    assert_eq!(MockRuntimeRelease(device), S_OK);
    assert_eq!(MockRuntimeRelease(device), E_INVALIDARG);
}

#[test]
fn descriptions_that_are_wrong_leave_no_handle() {
    let missing = CString::new("no such driver").unwrap();
    let not_utf8 = CString::new(b"\xFF".as_slice()).unwrap();
    for desc in [
        MOCK_RUNTIME_ADAPTER_DESC {
            pUmdPath: missing.as_ptr(),
            ..adapter_desc()
        },
        MOCK_RUNTIME_ADAPTER_DESC {
            pUmdPath: not_utf8.as_ptr(),
            ..adapter_desc()
        },
        MOCK_RUNTIME_ADAPTER_DESC {
            DriverState: 3,
            ..adapter_desc()
        },
        MOCK_RUNTIME_ADAPTER_DESC {
            DriverState: 2,
            BlobSize: 5,
            ..adapter_desc()
        },
    ] {
        let (result, handle) = open(&desc);
        assert!(!result.is_ok() && handle.is_null(), "{result}");
        assert_ne!(text(), "");
    }
    let (_, adapter) = open(&adapter_desc());
    let paths = [ptr::null()];
    for desc in [
        MOCK_RUNTIME_DEVICE_DESC {
            Build: 1,
            ..device_desc()
        },
        MOCK_RUNTIME_DEVICE_DESC {
            Build: 1 << 20,
            ..device_desc()
        },
        MOCK_RUNTIME_DEVICE_DESC {
            NumCaches: 1,
            ..device_desc()
        },
        MOCK_RUNTIME_DEVICE_DESC {
            NumCaches: 1,
            ppCaches: paths.as_ptr(),
            ..device_desc()
        },
        MOCK_RUNTIME_DEVICE_DESC {
            NumReservedRanges: 1,
            ..device_desc()
        },
    ] {
        let (result, handle) = create(adapter, &desc);
        assert!(!result.is_ok() && handle.is_null(), "{result}");
    }
    assert_eq!(MockRuntimeRelease(adapter), S_OK);
}

#[test]
fn a_capture_is_complete_when_the_device_is_released() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("capture.sodb");
    let text = CString::new(path.to_str().unwrap()).unwrap();
    let (_, adapter) = open(&adapter_desc());
    let (result, device) = create(
        adapter,
        &MOCK_RUNTIME_DEVICE_DESC {
            pCapture: text.as_ptr(),
            ..device_desc()
        },
    );
    assert_eq!(result, S_OK);
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../state-object-compiler/examples/example.sodb"
    );
    let example = Sodb::open(example, Access::Read).unwrap();
    let key = b"fullscreen";
    let pipeline = example.find_pipeline_state(key).unwrap().unwrap();
    let raw = pipeline.desc.to_raw();
    // SAFETY: the description lives through the call.
    let result = unsafe {
        MockRuntimeCreatePipelineState(device, key.as_ptr().cast(), 10, raw.desc(), ptr::null_mut())
    };
    assert_eq!(result, S_OK);
    assert_eq!(MockRuntimeRelease(device), S_OK);
    assert_eq!(MockRuntimeRelease(adapter), S_OK);
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["capture.sodb"]);
    let captured = Sodb::open(&path, Access::Read).unwrap();
    let captured = captured.find_pipeline_state(key).unwrap().unwrap();
    assert_eq!(captured.desc, pipeline.desc);
}
