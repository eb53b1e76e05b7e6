//! A cache session in Rust.
#![allow(
    clippy::inline_always,
    clippy::ref_as_ptr,
    reason = "`implement` writes it"
)]
use std::ffi::c_void;

use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_COMPILER_CACHE_GROUP_KEY, D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
    D3D12_COMPILER_CACHE_TYPED_VALUE, D3D12_COMPILER_CACHE_VALUE_KEY, D3D12_COMPILER_TARGET,
    D3D12_COMPILER_VALUE_TYPE_FLAGS, D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE,
    D3D12CompilerCacheSessionAllocationFunc, D3D12CompilerCacheSessionGroupValueKeysFunc,
    D3D12CompilerCacheSessionGroupValuesFunc, E_NOTIMPL, GetCompilerTarget,
    ID3D12CompilerCacheSession, ID3D12CompilerCacheSession_Impl, ID3D12CompilerFactoryChild,
    ID3D12CompilerFactoryChild_Impl, S_OK,
};
use windows_core::{GUID, HRESULT, IUnknown, Interface, implement};

#[implement(ID3D12CompilerCacheSession)]
struct Session {
    factory: IUnknown,
    target: D3D12_COMPILER_TARGET,
    application: D3D12_APPLICATION_DESC,
}

#[implement(ID3D12CompilerFactoryChild)]
struct Factory;

impl ID3D12CompilerFactoryChild_Impl for Factory_Impl {
    unsafe fn GetFactory(&self, _: *const GUID, _: *mut *mut c_void) -> HRESULT {
        E_NOTIMPL
    }
}

impl ID3D12CompilerFactoryChild_Impl for Session_Impl {
    unsafe fn GetFactory(&self, riid: *const GUID, factory: *mut *mut c_void) -> HRESULT {
        // SAFETY: the pointers are as QueryInterface wants them.
        unsafe { self.factory.query(riid, factory) }
    }
}

impl ID3D12CompilerCacheSession_Impl for Session_Impl {
    unsafe fn FindGroup(
        &self,
        key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        version: *mut u32,
    ) -> HRESULT {
        // SAFETY: the caller gives a key and a place.
        unsafe { version.write((*key).KeySize) };
        S_OK
    }
    unsafe fn FindGroupValueKeys(
        &self,
        _: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        _: *const u32,
        _: D3D12CompilerCacheSessionGroupValueKeysFunc,
        _: *mut c_void,
    ) -> HRESULT {
        E_NOTIMPL
    }
    unsafe fn FindGroupValues(
        &self,
        _: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        _: *const u32,
        _: D3D12_COMPILER_VALUE_TYPE_FLAGS,
        _: D3D12CompilerCacheSessionGroupValuesFunc,
        _: *mut c_void,
    ) -> HRESULT {
        E_NOTIMPL
    }
    unsafe fn FindValue(
        &self,
        _: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        _: *mut D3D12_COMPILER_CACHE_TYPED_VALUE,
        _: u32,
        _: D3D12CompilerCacheSessionAllocationFunc,
        _: *mut c_void,
    ) -> HRESULT {
        E_NOTIMPL
    }
    unsafe fn GetApplicationDesc(&self) -> *const D3D12_APPLICATION_DESC {
        &raw const self.application
    }
    GetCompilerTarget! { self => self.target }
    unsafe fn GetValueTypes(&self) -> D3D12_COMPILER_VALUE_TYPE_FLAGS {
        D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE
    }
    unsafe fn StoreGroupValueKeys(
        &self,
        _: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        _: u32,
        _: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        _: u32,
    ) -> HRESULT {
        E_NOTIMPL
    }
    unsafe fn StoreValue(
        &self,
        _: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        _: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
        _: u32,
    ) -> HRESULT {
        E_NOTIMPL
    }
}

/// What [`session`] answers.
pub const TARGET: D3D12_COMPILER_TARGET = D3D12_COMPILER_TARGET {
    AdapterFamilyIndex: 3,
    ABIVersion: 0x0123_4567_89AB_CDEF,
};

/// A session without values.
pub fn session() -> ID3D12CompilerCacheSession {
    let session = Session {
        factory: Factory.into(),
        target: TARGET,
        application: D3D12_APPLICATION_DESC::default(),
    };
    session.into()
}
