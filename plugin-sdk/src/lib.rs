//! Write a D3D12 compiler plugin in safe Rust.
//!
//! A vendor implements [`CompilerPlugin`] and [`Compiler`] and writes [`export_plugin!`]; the SDK
//! speaks the DDI of ShaderCompilerPlugin.md. What its rules forbid cannot be written: a session
//! cannot leave its call, an object's keys can only name what is stored, and are set exactly once.
//! What comes from the host is checked before vendor code sees it, and a panic becomes an HRESULT.
//! `docs/vendor-guide.md` goes from an empty crate to a conforming DLL.
//!
//! # Panics
//!
//! A panic in vendor code never leaves the DLL: the call fails with
//! DXGI_ERROR_DRIVER_INTERNAL_ERROR, the message goes to the log, and the object that panicked fails
//! every later call until it is destroyed. Built with `panic = "abort"` there is nothing to catch: the
//! host's process ends. The SDK logs a warning at open; keep the default for a DLL that others load.
//!
//! # Logging
//!
//! The SDK tells [`tracing`] of each call that fails, with the slot's name and HRESULT. With the feature `log`, which is on by
//! default, whoever runs the plugin's DLL sees that, and what the vendor traces:
//!
//! | variable | what it does |
//! |---|---|
//! | `D3D12_COMPILER_PLUGIN_LOG` | `error`, `warn`, `info`, `debug` or `trace` starts the log at the first open |
//! | `D3D12_COMPILER_PLUGIN_LOG_FILE` | appends it to this file, and not to standard error. `{pid}` is the number of the process |
//!
//! A subscriber that the vendor installs in [`CompilerPlugin::open`] comes too late where the variable is set, and is the only
//! one where it is not. A plugin that is linked in leaves the log to its program.

mod boundary;
mod capabilities;
mod capability_table;
mod compiler_table;
pub mod desc;
mod error;
mod family;
mod key;
#[cfg(feature = "log")]
mod log;
mod open;
mod plugin;
mod private_memory;
mod session;
mod shader_models;
mod slots;
mod two_call;

/// The DDI's own types and constants, for the fields of descriptions and capabilities.
pub use ddi_sys as ddi;
/// Reads the containers and programs that shaders come in.
pub use dxil;
/// The UTF-16 strings of descriptions.
pub use widestring;

pub use boundary::panic_message;
pub use capabilities::Capabilities;
pub use ddi_sys::VersionNumber;
pub use error::{Error, Result};
pub use family::{AdapterFamily, FamilyError, check_families};
pub use key::{Key, KeyBuilder};
pub use plugin::{Compiler, CompilerPlugin, EntryPoint, PluginEntry, Target};
pub use session::{ObjectValueKeys, Receipt, Session, ValueBuffer, ValueType, ValueTypes, Values};
pub use shader_models::shader_models_up_to;

/// What [`export_plugin!`] exports.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the table that it points at.
#[doc(hidden)]
pub unsafe fn __open_exported<P: CompilerPlugin>(
    argument: *mut ddi::D3D12DDIARG_COMPILER_OPEN_DDI,
) -> ddi::HRESULT {
    #[cfg(feature = "log")]
    log::start();
    // SAFETY: `argument` is null or valid, and so is its table (`# Safety`).
    unsafe { P::entry_point()(argument) }
}

/// Exports a plugin from a DLL (`crate-type = ["cdylib"]`) as D3D12OpenCompilerDDI.
///
/// Once in a library; [`plugin_entry!`] is for everything that is not the DLL itself.
#[macro_export]
macro_rules! export_plugin {
    ($plugin:ty) => {
        $crate::plugin_entry!($plugin);

        const _: () = {
            /// # Safety
            ///
            /// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and
            /// so is the table that it points at.
            // SAFETY: the DDI's own name, which nothing else in a plugin library has.
            #[unsafe(no_mangle)]
            unsafe extern "system" fn D3D12OpenCompilerDDI(
                argument: *mut $crate::ddi::D3D12DDIARG_COMPILER_OPEN_DDI,
            ) -> $crate::ddi::HRESULT {
                // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid, and so is its table (`# Safety`).
                unsafe { $crate::__open_exported::<$plugin>(argument) }
            }
        };
    };
}

/// Gives a plugin its entry point, [`PluginEntry::entry_point`], without exporting it: for tests, and
/// for hosts that link the plugin in.
#[macro_export]
macro_rules! plugin_entry {
    ($plugin:ty) => {
        impl $crate::PluginEntry for $plugin {}
    };
}

/// The examples in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
