//! A user-mode driver with one defect, to prove that the rules about drivers bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first use, names the defect: its row is in the file of what it is about.
//! The driver underneath is the one whose library the variable [`DRIVER`] names. The tables that hosts get have the functions of
//! this library in the place of the driver's where a defect can have a hook; every other call is the driver's.
//!
//! The library that hosts load is the example `broken-umd`, which has the export: a program can link only one driver.

#![allow(
    clippy::wildcard_imports,
    reason = "the names are C's, and those of the places of rows"
)]

mod adapter;
mod bypass;
mod keys;
mod memory;
mod places;
mod shader_cache;
mod state;

use std::sync::LazyLock;

use ddi_sys::{D3D12DDIARG_OPENADAPTER, E_UNEXPECTED, HRESULT};
use defects::{Defect, Library};

use places::{Device, Hook, Open};

/// The environment variable that names the library of the driver underneath.
pub const DRIVER: &str = "DDI_DRIVER";

static LIBRARY: Library<Hook, Device> = Library::new(&[
    adapter::ROWS,
    state::ROWS,
    memory::ROWS,
    bypass::ROWS,
    shader_cache::ROWS,
    keys::ROWS,
]);

/// Every defect.
pub fn all_defects() -> impl Iterator<Item = &'static Defect> {
    LIBRARY.defects()
}

type OpenAdapter = unsafe extern "system" fn(*mut D3D12DDIARG_OPENADAPTER) -> HRESULT;

/// The driver underneath, which stays loaded.
static BASE: LazyLock<Option<OpenAdapter>> = LazyLock::new(|| {
    let path = std::env::var_os(DRIVER)?;
    // SAFETY: the tests name a driver that can be loaded.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(path) }.ok()?));
    // SAFETY: a driver's export of this name has this type.
    let export = unsafe { library.get::<OpenAdapter>(b"OpenAdapter12") };
    export.ok().map(|symbol| *symbol)
});

/// `OpenAdapter12` of the driver with the defect.
///
/// # Safety
///
/// `arguments` is as the DDI says.
pub unsafe fn open_adapter(arguments: *mut D3D12DDIARG_OPENADAPTER) -> HRESULT {
    let (Ok(_), Some(base)) = (LIBRARY.selected(), *BASE) else {
        return E_UNEXPECTED;
    };
    // SAFETY: OpenAdapter12: the arguments and what they point to live for the call (`# Safety`).
    let arguments = unsafe { &mut *arguments };
    Open { base, arguments }.hooked()
}
