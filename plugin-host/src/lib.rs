//! The host's side of ShaderCompilerPlugin.md, "Plugin DDI".
//!
//! A [`Library`] is a plugin in this process, loaded or linked in. [`Plugin::open`] opens it, selects the newest version that
//! both sides know, fetches the tables and sets the callbacks. If a step fails, it destroys the plugin, unless the fault is
//! that the plugin's `pfnDestroyCompilerDDI` is null. [`Plugin`], [`Compiler`] and [`StateObject`] call the tables; each
//! keeps alive what its handle needs and ends the handle once. [`session`] answers the plugin's cache callbacks for any
//! cache.
//!
//! This crate checks what a plugin returns: counts, names, sizes, null entries, the keys of a compiled object. Only the
//! plugin's author can promise that its code keeps the DDI; that is the contract of the `unsafe` call that makes a
//! [`Library`]. In turn, safe code cannot break what the DDI requires of the host: the order of the negotiation, callbacks
//! that work, targets that the plugin reports, data that fits its capability. The compile calls are `unsafe`, because their
//! arguments have pointers, and so are the calls for tests: the steps of the negotiation one by one ([`Open`]), callbacks of
//! the caller's own ([`Plugin::open_with_callbacks`]), any capability ([`Plugin::get_caps_raw`]).
//!
//! Threads: the specification is silent. This crate follows the usermode DDI's rule, which docs/spec-notes.md records: calls
//! come from any thread, several at a time, on one compiler too; only the negotiation is serial. The DDI requires some
//! process-wide state: the next handle value, and the sessions of the compile calls in progress, which a callback can find
//! only by handle.
//!
//! ```
//! use ddi_sys::{D3D12DDIARG_COMPILER_OPEN_DDI, E_NOTIMPL, HRESULT};
//! use plugin_host::{Library, Plugin};
//!
//! unsafe extern "system" fn entry(_: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
//!     E_NOTIMPL
//! }
//!
//! // SAFETY: an entry point that always fails keeps the DDI.
//! let library = unsafe { Library::from_entry(entry) };
//! let error = Plugin::open(&library).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "linked-in plugin: D3D12OpenCompilerDDI failed: E_NOTIMPL (0x80004001)"
//! );
//! ```

pub mod arena;
mod caps;
mod compiler;
mod desc;
mod error;
mod handle;
mod library;
mod open;
mod plugin;
pub mod session;
mod table;
mod target;
mod version;

pub use caps::Caps;
pub use compiler::{Compiler, StateObject};
pub use desc::{ApplicationDesc, Engine};
pub use error::{CallError, CallFailure, LoadError, MAX_ENTRIES, OpenError};
pub use library::{EntryPoint, Library};
pub use open::Open;
pub use plugin::Plugin;
pub use target::Target;
pub use version::{
    DdiVersion, DdiVersions, InvalidDdiVersions, PLUGIN_DDI_VERSION_1, PLUGIN_DDI_VERSION_2,
    SUPPORTED, USERMODE_DDI_VERSION,
};
pub use widestring::U16CString;

/// The examples in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
