//! The compiler runtime: Microsoft's state object compiler API (d3d12compiler.h) over any plugin that
//! speaks the DDI of ShaderCompilerPlugin.md.
//!
//! ```text
//!  C++:  ID3D12CompilerFactory  ID3D12CompilerCacheSession  ID3D12Compiler1  ID3D12CompilerStateObject
//!                  │                        │                      │                    │
//!  Rust:        Factory ──────────────► CacheSession ◄────────── Compiler ◄───────── StateObject
//!                  │                        │                      │ desc: the API's descriptions
//!                  │                        │                      ▼       become the DDI's
//!             plugin_host ◄───── the plugin's cache callbacks ─ plugin_host
//!                                           │
//!                                     shader_db::psdb
//! ```
//!
//! As a DLL, to be named `D3D12StateObjectCompiler.dll`, it exports what [`exports`] lists. As a Rust
//! library it offers the same without COM: [`Factory`], [`CacheSession`], [`Compiler`] and
//! [`StateObject`] are what the COM objects wrap. [`desc`] translates and validates descriptions;
//! what it finds is in [`message::Messages`].
//!
//! The DLL is also where state object databases come from: `D3D12GetInterface` gives an
//! `ID3D12StateObjectDatabaseFactory`, whose databases are [`shader_db::sodb`].
//!
//! # Threads
//!
//! Every object may be used on any thread, by several at a time. There is no lock around compiling:
//! one compiler on all threads is as good as a compiler, a factory or a copy of the DLL for each. All
//! of these work too. Factories of one plugin share one open of it. On systems other than Windows one
//! process must not have a database file open through two copies of the DLL at a time: the locks of
//! POSIX are a process's, so two copies of SQLite do not see each other's. Nobody looks; give each
//! copy files of its own.
//!
//! # Choices
//!
//! What the specification leaves open is in docs/spec-notes.md, "The API"; what the objects do with
//! pointers that are null or wrong, in the documentation of the exports and of [`desc`].
//!
//! # Logs
//!
//! Failed calls and the messages of validation go to `tracing`. A Rust program hears of them if it has a
//! subscriber. To the DLL none can subscribe, so its exports begin a log of their own, unless there is a
//! subscriber in this copy of the library:
//!
//! - `D3D12_COMPILER_LOG=LEVEL:FILE`, or `LEVEL:stderr`, in the environment. The level is `error`, `warn`,
//!   `info`, `debug` or `trace`; lines are appended to the file. `D3D12_COMPILER_LOG=warn:stderr` is what
//!   one wants to know why a call returns E_INVALIDARG.
//! - On Windows warnings and errors go to the debugger too (`OutputDebugStringW`), as those of the D3D12
//!   debug layer do.
//!
//! The variable is read in the first call of an export. Without it, and elsewhere than on Windows,
//! nothing is logged.
//!
//! ```
//! use compiler_runtime::{ApplicationDesc, Factory, TargetDesc, U16CString, ValueTypes};
//! use plugin_sdk::PluginEntry;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! // SAFETY: the sample plugin keeps the DDI.
//! let factory = unsafe { Factory::from_entry(sample_plugin::SamplePlugin::entry_point()) }?;
//! assert_eq!(factory.adapter_family(0)?, "Fabrikam Aurora");
//!
//! let latest = TargetDesc { adapter_family_index: 0, abi_version: 0 };
//! let application = ApplicationDesc {
//!     exe_filename: U16CString::from_str("Game.exe")?,
//!     name: U16CString::from_str("Game")?,
//!     version: 1,
//!     engine: None,
//! };
//! let files = [(ValueTypes::ALL, folder.path().join("game.psdb"))];
//! let session = factory.create_cache_session(&files, Some(latest), Some(&application))?;
//! assert_eq!(session.target().abi_version(), 3);
//! let compiler = factory.create_compiler(&session)?;
//! assert!(compiler.session().store().find_group(b"key")?.is_none());
//! # Ok(())
//! # }
//! ```

mod cache_session;
mod com;
mod compiler;
pub mod desc;
mod error;
pub mod exports;
mod factory;
mod log;
pub mod message;
mod open_files;
pub mod root_signature;

pub use cache_session::{CacheSession, Store};
pub use compiler::{Compiler, Group, StateObject};
pub use error::Error;
pub use factory::{Factory, TargetDesc};
pub use plugin_host::session::{Found, VALUE_TYPES, Want};
pub use plugin_host::{ApplicationDesc, DdiVersions, Engine, InvalidDdiVersions, U16CString};
pub use shader_db::psdb::{ValueType, ValueTypes};
