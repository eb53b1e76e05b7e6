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
//! As a DLL, which must have the name `D3D12StateObjectCompiler.dll`, it exports what [`exports`] lists. As a Rust library it
//! offers the same without COM: the COM objects wrap [`Factory`], [`CacheSession`], [`Compiler`] and [`StateObject`].
//! [`desc`] translates and validates descriptions, and reports in [`message::Messages`].
//!
//! The DLL also provides state object databases: `D3D12GetInterface` returns an `ID3D12StateObjectDatabaseFactory`, whose
//! databases are [`shader_db::sodb`].
//!
//! # Threads
//!
//! Any thread may use every object, several at a time. There is no lock around compiling: one compiler on all threads is as
//! good as a compiler, a factory or a copy of the DLL for each. All of these work too. Factories of one plugin share one open
//! of it. On systems other than Windows one process must not have a database file open through two copies of the DLL at a
//! time: the locks of POSIX belong to the process, so two copies of SQLite do not see each other's locks. The library does
//! not check this; give each copy files of its own.
//!
//! # Choices
//!
//! docs/spec-notes.md, "The API", has the decisions where the specification is silent; the documentation of the exports and
//! of [`desc`] says how the objects treat null or wrong pointers.
//!
//! # Logs
//!
//! Failed calls and the messages of validation go to `tracing`. A Rust program gets them if it has a subscriber. A program
//! cannot subscribe to the DLL, so its exports start a log of their own, unless there is a subscriber in this copy of the
//! library:
//!
//! - `D3D12_COMPILER_LOG=LEVEL:FILE`, or `LEVEL:stderr`, in the environment. The level is `error`, `warn`,
//!   `info`, `debug` or `trace`; the log appends to the file. `D3D12_COMPILER_LOG=warn:stderr` shows why
//!   a call returns E_INVALIDARG.
//! - On Windows, warnings and errors also go to the debugger (`OutputDebugStringW`), like those of the
//!   debug layer.
//!
//! The first call of an export reads the variable. Without it there is no log on systems other than Windows.
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
//! let session = factory
//!     .cache_session()
//!     .files([(ValueTypes::ALL, folder.path().join("game.psdb"))])
//!     .target(latest)
//!     .application(&application)
//!     .open()?;
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
pub mod root_signature;

pub use cache_session::{CacheSession, CacheSessionBuilder, Made, Store, answer_from};
pub use compiler::{Compiler, Group, StateObject};
pub use error::Error;
pub use factory::{Factory, TargetDesc};
pub use plugin_host::session::{Found, VALUE_TYPES, Want};
pub use plugin_host::{ApplicationDesc, DdiVersions, Engine, InvalidDdiVersions, U16CString};
pub use shader_db::psdb::{Batch, ValueType, ValueTypes};

/// The examples in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
