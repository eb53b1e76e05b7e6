//! What the DLLs export. Looked up by name: `D3D12CompilerCreateFactory`,
//! `D3D12CompilerSerializeVersionedRootSignature`, `D3D12CompilerGetInterface` of the state object
//! compiler, `D3D12GetInterface` of the runtime.

use core::ffi::c_void;

use windows_core::{GUID, HRESULT, PCWSTR};

use crate::{D3D12_VERSIONED_ROOT_SIGNATURE_DESC, ID3DBlob};

/// Loads a compiler plugin and gives an [`ID3D12CompilerFactory`](crate::ID3D12CompilerFactory):
/// ShaderCompilerPlugin.md, "Function: D3D12CreateCompilerFactory", which the header names otherwise.
pub type PFN_D3D12_COMPILER_CREATE_FACTORY = Option<
    unsafe extern "system" fn(
        pPluginCompilerDllPath: PCWSTR,
        riid: *const GUID,
        ppFactory: *mut *mut c_void,
    ) -> HRESULT,
>;

/// Serializes a root signature: d3d12compiler.h.
pub type PFN_D3D12_COMPILER_SERIALIZE_VERSIONED_ROOT_SIGNATURE = Option<
    unsafe extern "system" fn(
        pRootSignature: *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
        ppBlob: *mut Option<ID3DBlob>,
        ppErrorBlob: *mut Option<ID3DBlob>,
    ) -> HRESULT,
>;

/// Gives what the compiler has for a class. Preview 1.721.1 of d3d12compiler.h.
pub type PFN_D3D12_COMPILER_GET_INTERFACE = Option<
    unsafe extern "system" fn(
        rclsid: *const GUID,
        riid: *const GUID,
        ppvIface: *mut *mut c_void,
    ) -> HRESULT,
>;

/// Gives what the runtime has for a class: d3d12.h.
pub type PFN_D3D12_GET_INTERFACE = Option<
    unsafe extern "system" fn(
        rclsid: *const GUID,
        riid: *const GUID,
        ppvDebug: *mut *mut c_void,
    ) -> HRESULT,
>;
