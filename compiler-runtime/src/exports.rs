//! What the DLL exports.
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

/// Every export: the log begins with the first.
fn call(name: &'static str, body: impl FnOnce() -> Outcome) -> HRESULT {
    log::start();
    com::call(name, body)
}

/// `D3D12CompilerCreateFactory` of d3d12compiler.h: loads a plugin and gives an
/// `ID3D12CompilerFactory`. With a null `ppFactory` it makes all checks and returns S_FALSE.
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
            // SAFETY: the caller's promise.
            let path = unsafe { com::path("pPluginCompilerDllPath", pPluginCompilerDllPath) }?;
            // SAFETY: the caller's promise.
            Ok(ComFactory::new(unsafe { Factory::load(&path) }?))
        };
        if ppFactory.is_null() {
            // SAFETY: the caller's promise.
            unsafe { com::check_interface(riid, &ComFactory::IIDS) }?;
            return make().map(|_| S_FALSE);
        }
        // SAFETY: the caller's promise.
        unsafe { com::give(riid, ppFactory, &ComFactory::IIDS, make) }
    })
}

/// [`D3D12CompilerCreateFactory`] under the name that ShaderCompilerPlugin.md has for it.
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
    // SAFETY: the caller's promise.
    unsafe { D3D12CompilerCreateFactory(pPluginCompilerDllPath, riid, ppFactory) }
}

/// `D3D12CompilerSerializeVersionedRootSignature` of d3d12compiler.h: a container with the root
/// signature, of version 1.0, 1.1 or 1.2. What is wrong with one that is refused is in the error
/// blob, as text with a NUL.
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
        // SAFETY: the caller's promise.
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

/// `D3D12CompilerGetInterface` of the preview of d3d12compiler.h: gives what there is for a class,
/// which for `CLSID_D3D12StateObjectFactory` is an `ID3D12StateObjectDatabaseFactory1`; there is no
/// other: E_NOINTERFACE. With a null `ppvIface` it makes all checks and returns S_FALSE.
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
        // SAFETY: the caller's promise.
        unsafe { get_interface(rclsid, riid, ppvIface) }
    })
}

/// `D3D12GetInterface` of d3d12.h, as [`D3D12CompilerGetInterface`].
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
        // SAFETY: the caller's promise.
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
        // SAFETY: the caller's promise.
        unsafe { com::check_interface(riid, iids) }?;
        return Ok(S_FALSE);
    }
    // SAFETY: the caller's promise.
    unsafe { com::give(riid, place, iids, || Ok(ComStateObjectDatabaseFactory)) }
}
