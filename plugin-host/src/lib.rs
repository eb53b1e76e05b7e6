//! The host's side of ShaderCompilerPlugin.md, "Plugin DDI".
//!
//! A [`Library`] is a plugin in this process, loaded or linked in. [`Plugin::open`] opens it, selects
//! the newest version that both sides know, fetches the tables and sets the callbacks; whatever fails
//! on the way, everything done before is undone. [`Open`] has the same steps one by one.
//! [`Plugin`], [`Compiler`] and [`StateObject`] call the tables; each keeps alive what its handle
//! needs and ends the handle once. [`session`] answers the plugin's cache callbacks for any cache.
//!
//! What a plugin returns is checked: counts, names, sizes, null entries. What only the plugin's
//! author can promise, that its code keeps the DDI, is the contract of the one `unsafe` call that
//! makes a [`Library`].
//!
//! Threads: the specification is silent. This crate takes the usermode DDI's rule, written down in
//! docs/spec-notes.md: calls come from any thread, several at a time, on one compiler too; only the
//! negotiation is serial. Process-wide state is what the DDI forces: the next handle value, and the
//! sessions of the compile calls in progress, which a callback finds by nothing but its handle.
//!
//! ```
//! use ddi_sys::{D3D12DDIARG_COMPILER_OPEN_DDI, E_NOTIMPL, HRESULT};
//! use plugin_host::{Library, Plugin, session};
//!
//! unsafe extern "system" fn entry(_: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
//!     E_NOTIMPL
//! }
//!
//! // SAFETY: an entry point that always fails keeps the DDI.
//! let library = unsafe { Library::from_entry(entry) };
//! let error = Plugin::open(&library, session::callbacks()).unwrap_err();
//! assert_eq!(error.to_string(), "D3D12OpenCompilerDDI failed: E_NOTIMPL (0x80004001)");
//! ```

mod compiler;
mod desc;
mod error;
mod handle;
mod library;
mod open;
mod plugin;
pub mod session;
mod table;
mod version;

pub use compiler::{Compiler, StateObject};
pub use desc::{ApplicationDesc, Engine, Target};
pub use error::{CallError, LoadError, MAX_ENTRIES, OpenError};
pub use library::{EntryPoint, Library};
pub use open::Open;
pub use plugin::Plugin;
pub use version::{
    DdiVersion, PLUGIN_DDI_VERSION_1, PLUGIN_DDI_VERSION_2, SUPPORTED, USERMODE_DDI_VERSION,
};
pub use widestring::U16CString;
