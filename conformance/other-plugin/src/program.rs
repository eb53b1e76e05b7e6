//! The shader programs of a description.

use std::slice;

use ddi_sys::{DXGI_ERROR_INVALID_CALL, E_POINTER, HRESULT, UINT};
use dxil::{Container, Form, Program, ShaderKind};
use sha2::{Digest, Sha256};

/// SHA-256 of a program, if its kind is right.
///
/// # Safety
///
/// `code` is null, or a program or a container of as many bytes as its header says, valid for the call.
pub(crate) unsafe fn hash(
    code: *const UINT,
    is_right: impl Fn(ShaderKind) -> bool,
) -> Result<[u8; 32], HRESULT> {
    const MALFORMED: HRESULT = DXGI_ERROR_INVALID_CALL;
    if code.is_null() {
        return Err(E_POINTER);
    }
    // SAFETY: the header of a program has 8 bytes and more, that of a container 32 (`# Safety`).
    let (form, len) = unsafe {
        let form = Form::sniff(code.cast::<[u8; 4]>().read());
        (
            form,
            match form {
                Form::Program => Program::declared_len(&code.cast::<[u8; 8]>().read()),
                Form::Container => Container::declared_len(&code.cast::<[u8; 32]>().read()),
            },
        )
    };
    // SAFETY: as many bytes as the header says (`# Safety`).
    let bytes = unsafe { slice::from_raw_parts(code.cast::<u8>(), len.map_err(|_| MALFORMED)?) };
    let program = match form {
        Form::Program => Program::parse(bytes),
        Form::Container => Container::parse(bytes).and_then(|container| container.program()),
    };
    let program = program.map_err(|_| MALFORMED)?;
    if !is_right(program.kind()) {
        return Err(MALFORMED);
    }
    Ok(Sha256::digest(program.bytes()).into())
}
