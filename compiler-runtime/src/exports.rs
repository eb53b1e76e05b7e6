//! The exports of the DLL.
#![allow(non_snake_case, reason = "exports and parameters have their C names")]

use std::ffi::c_void;
use std::ptr;

use api_sys::{
    CLSID_D3D12StateObjectFactory, D3D12_VERSIONED_ROOT_SIGNATURE_DESC, E_INVALIDARG,
    E_NOINTERFACE, E_POINTER, ID3DBlob, S_FALSE, S_OK,
};
use windows_core::{GUID, HRESULT, PCWSTR};

use crate::com::{self, Blob, ComFactory, ComStateObjectDatabaseFactory, Failure, Outcome};
use crate::{Factory, log, root_signature};

/// Runs every export; the first one starts the log.
fn call(name: &'static str, body: impl FnOnce() -> Outcome) -> HRESULT {
    log::start();
    com::call(name, body)
}

/// `D3D12CompilerCreateFactory` of d3d12compiler.h: loads a plugin and returns an `ID3D12CompilerFactory`. With a null
/// `ppFactory` it makes all checks and returns S_FALSE.
///
/// # Safety
///
/// The pointers are null or to what the API says; the path is that of a compiler plugin that keeps
/// the DDI's contract.
// SAFETY: the API's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn D3D12CompilerCreateFactory(
    pPluginCompilerDllPath: PCWSTR,
    riid: *const GUID,
    ppFactory: *mut *mut c_void,
) -> HRESULT {
    call("D3D12CompilerCreateFactory", || {
        let make = || -> Result<ComFactory, Failure> {
            // SAFETY: `pPluginCompilerDllPath` is null or, as _In_ PCWSTR, NUL-terminated (`# Safety`).
            let path = unsafe { com::path("pPluginCompilerDllPath", pPluginCompilerDllPath) }?;
            // SAFETY: `path` is that of a compiler plugin, which does what the DDI says (`# Safety`).
            Ok(ComFactory::new(unsafe { Factory::load(&path) }?))
        };
        if ppFactory.is_null() {
            // SAFETY: `riid` is null or, as REFIID, to a GUID (`# Safety`).
            unsafe { com::check_interface(riid, &ComFactory::IIDS) }?;
            return make().map(|_| S_FALSE);
        }
        // SAFETY: `riid` is null or to a GUID, `ppFactory` to a pointer (`# Safety`); the IIDs are the factory's own.
        unsafe { com::give(riid, ppFactory, &ComFactory::IIDS, make) }
    })
}

/// [`D3D12CompilerCreateFactory`] under its name in ShaderCompilerPlugin.md.
///
/// # Safety
///
/// As for [`D3D12CompilerCreateFactory`].
// SAFETY: the API's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn D3D12CreateCompilerFactory(
    pPluginCompilerDllPath: PCWSTR,
    riid: *const GUID,
    ppFactory: *mut *mut c_void,
) -> HRESULT {
    // SAFETY: the path is null or a plugin's, `riid` and `ppFactory` are null or to a GUID and a pointer (`# Safety`).
    unsafe { D3D12CompilerCreateFactory(pPluginCompilerDllPath, riid, ppFactory) }
}

/// `D3D12CompilerSerializeVersionedRootSignature` of d3d12compiler.h: a container with the root signature, of version 1.0,
/// 1.1 or 1.2. The error blob names the fault of a refused one, as text with a NUL.
///
/// # Safety
///
/// The pointers are null or to what the API says.
// SAFETY: the API's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn D3D12CompilerSerializeVersionedRootSignature(
    pRootSignature: *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
    ppBlob: *mut Option<ID3DBlob>,
    ppErrorBlob: *mut Option<ID3DBlob>,
) -> HRESULT {
    call("D3D12CompilerSerializeVersionedRootSignature", || {
        for place in [ppBlob, ppErrorBlob] {
            if !place.is_null() {
                // SAFETY: not null, so the caller's place, which need not be initialised.
                unsafe { place.write_unaligned(None) };
            }
        }
        // SAFETY: `pRootSignature` is null or valid during the call with all that it points at (`# Safety`).
        match unsafe { root_signature::serialize(pRootSignature) } {
            Ok(_) if ppBlob.is_null() => Err(E_INVALIDARG.into()),
            Ok(bytes) => {
                // SAFETY: not null, so the caller's place.
                unsafe { ppBlob.write_unaligned(Some(Blob::new(bytes).into())) };
                Ok(S_OK)
            }
            Err(invalid) => {
                if !ppErrorBlob.is_null() {
                    let text = format!("{invalid}\n\0").into_bytes();
                    // SAFETY: not null, so the caller's place.
                    unsafe { ppErrorBlob.write_unaligned(Some(Blob::new(text).into())) };
                }
                Err(invalid.into())
            }
        }
    })
}

/// `D3D12CompilerGetInterface` of the preview of d3d12compiler.h: returns the object of a class. For
/// `CLSID_D3D12StateObjectFactory` that is an `ID3D12StateObjectDatabaseFactory1`; any other class is E_NOINTERFACE. With a
/// null `ppvIface` it makes all checks and returns S_FALSE.
///
/// # Safety
///
/// The pointers are null or to what the API says.
// SAFETY: the API's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn D3D12CompilerGetInterface(
    rclsid: *const GUID,
    riid: *const GUID,
    ppvIface: *mut *mut c_void,
) -> HRESULT {
    call("D3D12CompilerGetInterface", || {
        // SAFETY: `rclsid` and `riid` are null or to GUIDs, `ppvIface` is null or to a pointer (`# Safety`).
        unsafe { get_interface(rclsid, riid, ppvIface) }
    })
}

/// `D3D12GetInterface` of d3d12.h, like [`D3D12CompilerGetInterface`].
///
/// # Safety
///
/// The pointers are null or to what the API says.
// SAFETY: the API's own name, which nothing else has.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn D3D12GetInterface(
    rclsid: *const GUID,
    riid: *const GUID,
    ppvDebug: *mut *mut c_void,
) -> HRESULT {
    call("D3D12GetInterface", || {
        // SAFETY: `rclsid` and `riid` are null or to GUIDs, `ppvDebug` is null or to a pointer (`# Safety`).
        unsafe { get_interface(rclsid, riid, ppvDebug) }
    })
}

/// # Safety
///
/// The pointers are null or to what the API says.
unsafe fn get_interface(
    rclsid: *const GUID,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> Outcome {
    if !place.is_null() {
        // SAFETY: not null, so the caller's place.
        unsafe { place.write_unaligned(ptr::null_mut()) };
    }
    if rclsid.is_null() || riid.is_null() {
        return Err(E_POINTER.into());
    }
    // SAFETY: not null, so the caller's GUID.
    if unsafe { rclsid.read_unaligned() } != CLSID_D3D12StateObjectFactory {
        return Err(E_NOINTERFACE.into());
    }
    let iids = &ComStateObjectDatabaseFactory::IIDS;
    if place.is_null() {
        // SAFETY: `riid` was found not null, and is to a GUID (`# Safety`).
        unsafe { com::check_interface(riid, iids) }?;
        return Ok(S_FALSE);
    }
    // SAFETY: `riid` and `place` are not null, so to a GUID and a pointer (`# Safety`); the IIDs are the object's own.
    unsafe { com::give(riid, place, iids, || Ok(ComStateObjectDatabaseFactory)) }
}
