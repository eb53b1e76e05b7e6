//! What stands in a description for a collection.
#![allow(
    clippy::inline_always,
    clippy::ref_as_ptr,
    reason = "what `implement` expands to"
)]

use std::ffi::c_void;

use api_sys::{E_NOTIMPL, ID3D12CompilerStateObject, ID3D12CompilerStateObject_Impl};
use windows_core::{GUID, HRESULT, implement};

/// A collection, by its address: the runtime hands that back to find the state object, and calls nothing.
#[implement(ID3D12CompilerStateObject)]
pub struct Token;

impl ID3D12CompilerStateObject_Impl for Token_Impl {
    unsafe fn GetCompiler(&self, _: *const GUID, _: *mut *mut c_void) -> HRESULT {
        E_NOTIMPL
    }
}
