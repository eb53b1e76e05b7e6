//! The exports of the library, for programs in C: `headers/d3d12_mock_runtime.h`.
//!
//! Adapters, devices and command lists are numbers that are looked up, so a stale one gets E_INVALIDARG. No unwind leaves an
//! export: a panic is E_FAIL. [`MockRuntimeGetLastError`] has the text of the thread's last failure.
#![allow(non_snake_case, reason = "exports and parameters have their C names")]

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::{mem, ptr, slice};

use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_STATE_OBJECT_DESC,
    D3D12_STATE_OBJECT_STATISTICS,
};
use compiler_runtime::message::Messages;
use ddi_sys::{BOOL, E_FAIL, HRESULT, S_OK, SIZE_T, UINT, UINT64};
use plugin_host::{ApplicationDesc, Engine, U16CString};
use shader_db::psdb::Application;
use shader_db::sodb::{Object, PipelineState, StateObject, StateObjectDesc};

use crate::Error;
use crate::adapter::{DriverState, OpenAdapter};
use crate::command_list::{CommandList, Mode};
use crate::device::{Device, DeviceOptions};
use crate::objects::{Made, Objects};
use crate::registry;
use crate::umd::Umd;

/// How an adapter is opened.
#[repr(C)]
pub struct MOCK_RUNTIME_ADAPTER_DESC {
    /// The file of the driver, UTF-8; null for mock-umd, which is linked in.
    pub pUmdPath: *const c_char,
    /// 0: nobody has set an application specific state; 1: the runtime is one that does not know of it; 2: the blob.
    pub DriverState: UINT,
    /// The blob.
    pub pBlob: *const c_void,
    /// Its bytes.
    pub BlobSize: SIZE_T,
    /// The application that the driver can ask for, or null.
    pub pApplication: *const D3D12_APPLICATION_DESC,
}

/// A range of GPU virtual addresses.
#[repr(C)]
pub struct MOCK_RUNTIME_RANGE {
    /// Its first address.
    pub Start: UINT64,
    /// Its bytes.
    pub Size: UINT64,
}

/// How a device is created.
#[repr(C)]
pub struct MOCK_RUNTIME_DEVICE_DESC {
    /// The DDI build, such as 114; 0 for the newest that both sides know.
    pub Build: UINT,
    /// The precompiled shader databases.
    pub NumCaches: UINT,
    /// Their files, UTF-8.
    pub ppCaches: *const *const c_char,
    /// The ranges that the driver reserves.
    pub pReservedRanges: *const MOCK_RUNTIME_RANGE,
    /// How many there are.
    pub NumReservedRanges: UINT,
    /// The SODB that gets what is created, UTF-8, or null.
    pub pCapture: *const c_char,
}

/// What the shader cache did for an object.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MOCK_RUNTIME_OUTCOME {
    /// Value keys that the databases have.
    pub NumFromDatabase: UINT64,
    /// Value keys that the driver had stored before.
    pub NumFromDriver: UINT64,
    /// Value keys that were nowhere.
    pub NumMissed: UINT64,
    /// Value keys for which the driver stored values.
    pub NumStored: UINT64,
}

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs an export.
fn call(body: impl FnOnce() -> Result<(), Error>) -> HRESULT {
    let (result, text) = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return S_OK,
        Ok(Err(error)) => (error.result(), error.to_string()),
        Err(panic) => {
            // Its Drop may panic too, and here nothing would catch that.
            mem::forget(panic);
            (E_FAIL, "the runtime panicked".into())
        }
    };
    LAST_ERROR.with(|last| *last.borrow_mut() = text);
    result
}

fn invalid(text: impl Into<String>) -> Error {
    Error::Argument(text.into())
}

/// The object of a handle.
fn object<T: Send + Sync + 'static>(handle: *mut c_void) -> Result<Arc<T>, Error> {
    registry::find(handle).ok_or_else(|| invalid("the handle is none, or was released"))
}

/// The text at a pointer; `None` for null.
///
/// # Safety
///
/// Null or NUL-terminated.
unsafe fn text(name: &str, pointer: *const c_char) -> Result<Option<String>, Error> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: `pointer` is not null, and so NUL-terminated (`# Safety`).
    let text = unsafe { CStr::from_ptr(pointer) };
    let text = text
        .to_str()
        .map_err(|_| invalid(format!("{name} is not UTF-8")))?;
    Ok(Some(text.to_owned()))
}

/// The UTF-16 at a pointer.
///
/// # Safety
///
/// Null or NUL-terminated.
unsafe fn wide(name: &str, pointer: *const u16) -> Result<U16CString, Error> {
    if pointer.is_null() {
        return Err(invalid(format!("{name} is null")));
    }
    // SAFETY: `pointer` is not null, and so NUL-terminated (`# Safety`).
    Ok(unsafe { U16CString::from_ptr_str(pointer) })
}

/// An array; an empty one can be null.
///
/// # Safety
///
/// Null, or readable for so many elements, as long as the result.
unsafe fn array<'a, T>(name: &str, pointer: *const T, count: usize) -> Result<&'a [T], Error> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(invalid(format!("{name} is null or not aligned")));
    }
    // SAFETY: `pointer` is not null, and so readable for `count` elements (`# Safety`).
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// The place for a result.
///
/// # Safety
///
/// Null or writable, and not used otherwise, as long as the result.
unsafe fn place<'a, T>(name: &str, pointer: *mut T) -> Result<&'a mut T, Error> {
    // SAFETY: `pointer` is null, or writable and not used otherwise (`# Safety`).
    unsafe { pointer.as_mut() }.ok_or_else(|| invalid(format!("{name} is null")))
}

/// # Safety
///
/// The strings are null or NUL-terminated.
unsafe fn application(desc: &D3D12_APPLICATION_DESC) -> Result<ApplicationDesc, Error> {
    // SAFETY: the strings are null or NUL-terminated (`# Safety`).
    unsafe {
        Ok(ApplicationDesc {
            exe_filename: wide("pExeFilename", desc.pExeFilename.0)?,
            name: wide("pName", desc.pName.0)?,
            version: desc.Version.bits(),
            engine: if desc.pEngineName.0.is_null() {
                None
            } else {
                Some(Engine {
                    name: wide("pEngineName", desc.pEngineName.0)?,
                    version: desc.EngineVersion.bits(),
                })
            },
        })
    }
}

/// Opens an adapter of a driver.
///
/// # Safety
///
/// The pointers are null or to what the header says; the path is that of a user-mode driver that keeps the DDI's contract.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockRuntimeOpenAdapter(
    pDesc: *const MOCK_RUNTIME_ADAPTER_DESC,
    phAdapter: *mut *mut c_void,
) -> HRESULT {
    call(|| {
        // SAFETY: null or the caller's place (`# Safety`).
        let place = unsafe { place("phAdapter", phAdapter) }?;
        *place = ptr::null_mut();
        // SAFETY: null or the caller's description (`# Safety`).
        let desc = unsafe { pDesc.as_ref() }.ok_or_else(|| invalid("pDesc is null"))?;
        // SAFETY: null or NUL-terminated (`# Safety`).
        let umd = match unsafe { text("pUmdPath", desc.pUmdPath) }? {
            None => Umd::mock(),
            // SAFETY: the path is that of a driver whose functions do what the DDI says (`# Safety`).
            Some(path) => unsafe { Umd::load(&PathBuf::from(path)) }?,
        };
        let state = match desc.DriverState {
            0 => DriverState::NotAvailable,
            1 => DriverState::OldRuntime,
            2 => {
                // SAFETY: null or readable for its size (`# Safety`).
                let blob = unsafe { array("pBlob", desc.pBlob.cast::<u8>(), desc.BlobSize) }?;
                DriverState::Blob(blob.to_vec())
            }
            other => return Err(invalid(format!("DriverState is {other}"))),
        };
        // SAFETY: null or the caller's description, whose strings end (`# Safety`).
        let application = unsafe { desc.pApplication.as_ref().map(|desc| application(desc)) };
        let adapter = OpenAdapter::open(&umd, state, application.transpose()?)?;
        *place = registry::keep(adapter);
        Ok(())
    })
}

/// Creates a device.
///
/// # Safety
///
/// The pointers are null or to what the header says.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockRuntimeCreateDevice(
    hAdapter: *mut c_void,
    pDesc: *const MOCK_RUNTIME_DEVICE_DESC,
    phDevice: *mut *mut c_void,
) -> HRESULT {
    call(|| {
        // SAFETY: null or the caller's place (`# Safety`).
        let place = unsafe { place("phDevice", phDevice) }?;
        *place = ptr::null_mut();
        let adapter: Arc<OpenAdapter> = object(hAdapter)?;
        // SAFETY: null or the caller's description (`# Safety`).
        let desc = unsafe { pDesc.as_ref() }.ok_or_else(|| invalid("pDesc is null"))?;
        // SAFETY: null or so many paths (`# Safety`).
        let paths = unsafe { array("ppCaches", desc.ppCaches, desc.NumCaches as usize) }?;
        let mut caches = Vec::new();
        for path in paths {
            // SAFETY: NUL-terminated (`# Safety`).
            let path = unsafe { text("a path of ppCaches", *path) }?;
            caches.push(
                path.ok_or_else(|| invalid("a path of ppCaches is null"))?
                    .into(),
            );
        }
        let count = desc.NumReservedRanges as usize;
        // SAFETY: null or so many ranges (`# Safety`).
        let ranges = unsafe { array("pReservedRanges", desc.pReservedRanges, count) }?;
        let options = DeviceOptions {
            build: match desc.Build {
                0 => None,
                build => {
                    let build = u16::try_from(build);
                    Some(build.map_err(|_| invalid("Build is no DDI build"))?)
                }
            },
            reserved: ranges
                .iter()
                .map(|range| (range.Start, range.Size))
                .collect(),
            caches,
            ..DeviceOptions::default()
        };
        let mut objects = Objects::new(Device::new(&adapter, &options)?);
        // SAFETY: null or NUL-terminated (`# Safety`).
        if let Some(path) = unsafe { text("pCapture", desc.pCapture) }? {
            let application = adapter.application().map(to_database);
            objects = objects.captured_in(&PathBuf::from(path), application.as_ref())?;
        }
        *place = registry::keep(objects);
        Ok(())
    })
}

fn to_database(desc: &ApplicationDesc) -> Application {
    let engine = desc.engine.as_ref();
    Application {
        exe: desc.exe_filename.to_string_lossy(),
        name: desc.name.to_string_lossy(),
        version: desc.version,
        engine_name: engine.map(|engine| engine.name.to_string_lossy()),
        engine_version: engine.map_or(0, |engine| engine.version),
    }
}

/// Creates an object under a key.
///
/// # Safety
///
/// The key is null or readable for its size; the outcome null or writable.
unsafe fn create(
    hDevice: *mut c_void,
    pKey: *const c_void,
    KeySize: UINT,
    pOutcome: *mut MOCK_RUNTIME_OUTCOME,
    read: impl FnOnce() -> Result<Object, Error>,
) -> HRESULT {
    call(|| {
        let objects: Arc<Objects> = object(hDevice)?;
        // SAFETY: `pKey` is null or readable for `KeySize` bytes (`# Safety`).
        let key = unsafe { array("pKey", pKey.cast::<u8>(), KeySize as usize) }?;
        if key.is_empty() {
            return Err(invalid("the key is empty"));
        }
        let made = objects.create(key, &read()?, &mut Messages::default())?;
        let outcome = made.outcome();
        // SAFETY: `pOutcome` is null or writable (`# Safety`).
        if let Some(place) = unsafe { pOutcome.as_mut() } {
            *place = MOCK_RUNTIME_OUTCOME {
                NumFromDatabase: outcome.from_database,
                NumFromDriver: outcome.from_stored,
                NumMissed: outcome.missed,
                NumStored: outcome.stores,
            };
        }
        Ok(())
    })
}

/// Creates a pipeline state under a key.
///
/// # Safety
///
/// The pointers are null or to what the header says.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockRuntimeCreatePipelineState(
    hDevice: *mut c_void,
    pKey: *const c_void,
    KeySize: UINT,
    pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    pOutcome: *mut MOCK_RUNTIME_OUTCOME,
) -> HRESULT {
    let read = || {
        // SAFETY: null or valid during the call with all that it points at (`# Safety`).
        let desc = unsafe { api_desc::PipelineStateDesc::from_raw(pDesc) };
        Ok(Object::PipelineState(PipelineState {
            version: 1,
            desc: desc.map_err(|invalid| Error::Description(invalid.into()))?,
        }))
    };
    // SAFETY: the key and the outcome are null or the caller's (`# Safety`).
    unsafe { create(hDevice, pKey, KeySize, pOutcome, read) }
}

/// Creates a state object under a key, with a parent's key by an addition. Its collections are named by their keys.
///
/// # Safety
///
/// The pointers are null or to what the header says.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockRuntimeCreateStateObject(
    hDevice: *mut c_void,
    pKey: *const c_void,
    KeySize: UINT,
    pDesc: *const D3D12_STATE_OBJECT_DESC,
    pParentKey: *const c_void,
    ParentKeySize: UINT,
    pOutcome: *mut MOCK_RUNTIME_OUTCOME,
) -> HRESULT {
    let read = || {
        // SAFETY: null or readable for its size (`# Safety`).
        let parent = unsafe {
            array(
                "pParentKey",
                pParentKey.cast::<u8>(),
                ParentKeySize as usize,
            )
        };
        let parent = parent?.to_vec();
        Ok(Object::StateObject(StateObject {
            version: 1,
            // SAFETY: null or valid during the call with all that it points at (`# Safety`).
            desc: unsafe { StateObjectDesc::from_raw(pDesc) }?,
            parent: (!parent.is_empty()).then_some(parent),
        }))
    };
    // SAFETY: the key and the outcome are null or the caller's (`# Safety`).
    unsafe { create(hDevice, pKey, KeySize, pOutcome, read) }
}

/// Gives the counts of `ID3D12DeviceStatistics`.
///
/// # Safety
///
/// The pointer is null or to what the header says.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockRuntimeGetStatistics(
    hDevice: *mut c_void,
    pStatistics: *mut D3D12_STATE_OBJECT_STATISTICS,
) -> HRESULT {
    call(|| {
        let objects: Arc<Objects> = object(hDevice)?;
        // SAFETY: null or the caller's place (`# Safety`).
        *unsafe { place("pStatistics", pStatistics) }? = objects.device().statistics();
        Ok(())
    })
}

/// Gives the address of a created object, which begins with D3D12DDI_RUNTIME_BYPASS_HEADER.
///
/// # Safety
///
/// The pointers are null or to what the header says.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockRuntimeGetObject(
    hDevice: *mut c_void,
    pKey: *const c_void,
    KeySize: UINT,
    ppObject: *mut *mut c_void,
) -> HRESULT {
    call(|| {
        let objects: Arc<Objects> = object(hDevice)?;
        // SAFETY: null or the caller's place (`# Safety`).
        let place = unsafe { place("ppObject", ppObject) }?;
        // SAFETY: null or readable for its size (`# Safety`).
        let key = unsafe { array("pKey", pKey.cast::<u8>(), KeySize as usize) }?;
        *place = match objects.find(key) {
            None => return Err(invalid("there is no object with this key")),
            Some(Made::PipelineState(pipeline)) => pipeline.handle().pDrvPrivate,
            Some(Made::StateObject(object)) => object.handle().pDrvPrivate,
        };
        Ok(())
    })
}

/// Creates a command list: a handle for the functions here, and the address for calls through its v-table.
///
/// # Safety
///
/// The pointers are null or to what the header says.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockRuntimeCreateCommandList(
    hDevice: *mut c_void,
    phList: *mut *mut c_void,
    ppObject: *mut *mut c_void,
) -> HRESULT {
    call(|| {
        let objects: Arc<Objects> = object(hDevice)?;
        // SAFETY: null or the caller's places (`# Safety`).
        let (handle, address) = unsafe { (place("phList", phList)?, place("ppObject", ppObject)?) };
        let list = CommandList::new(objects.device())?;
        *address = list.handle().pDrvPrivate;
        *handle = registry::keep(list);
        Ok(())
    })
}

/// Puts the driver's functions into a list's v-table, or, with FALSE, the runtime's.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub extern "system" fn MockRuntimeSetDirect(hList: *mut c_void, Direct: BOOL) -> HRESULT {
    call(|| {
        let mode = if Direct == 0 {
            Mode::Intercepted
        } else {
            Mode::Direct
        };
        object::<CommandList>(hList)?.set_mode(mode)
    })
}

/// Opens a list.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub extern "system" fn MockRuntimeReset(hList: *mut c_void) -> HRESULT {
    call(|| object::<CommandList>(hList)?.reset())
}

/// Closes a list; fails with the first error since it was opened.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub extern "system" fn MockRuntimeClose(hList: *mut c_void) -> HRESULT {
    call(|| object::<CommandList>(hList)?.close())
}

/// Ends a handle. The object itself lives as long as something made from it.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub extern "system" fn MockRuntimeRelease(hObject: *mut c_void) -> HRESULT {
    call(|| {
        let was_released = registry::release::<CommandList>(hObject).is_some()
            || registry::release::<Objects>(hObject).is_some()
            || registry::release::<OpenAdapter>(hObject).is_some();
        if was_released {
            Ok(())
        } else {
            Err(invalid("the handle is none, or was released"))
        }
    })
}

/// Copies the text of this thread's last failure, UTF-8 with a NUL, as far as there is room; returns the bytes that it has
/// with the NUL.
///
/// # Safety
///
/// The buffer is null or writable for its size.
// SAFETY: the library's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockRuntimeGetLastError(
    pBuffer: *mut c_char,
    Size: SIZE_T,
) -> SIZE_T {
    LAST_ERROR.with(|last| {
        let last = last.borrow();
        if let Some(room) = Size.checked_sub(1)
            && !pBuffer.is_null()
        {
            let copied = room.min(last.len());
            // SAFETY: the buffer has room for them and the NUL (`# Safety`).
            unsafe {
                ptr::copy_nonoverlapping(last.as_ptr(), pBuffer.cast(), copied);
                pBuffer.cast::<u8>().add(copied).write(0);
            }
        }
        last.len() + 1
    })
}
