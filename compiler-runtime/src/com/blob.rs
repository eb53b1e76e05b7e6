//! `ID3DBlob`.

use std::ffi::c_void;

use api_sys::{ID3DBlob, ID3DBlob_Impl};
use windows_core::implement;

/// Bytes for a caller.
#[implement(ID3DBlob)]
pub(crate) struct Blob(Box<[u8]>);

impl Blob {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl ID3DBlob_Impl for Blob_Impl {
    fn GetBufferPointer(&self) -> *mut c_void {
        self.0.as_ptr().cast_mut().cast()
    }

    fn GetBufferSize(&self) -> usize {
        self.0.len()
    }
}
