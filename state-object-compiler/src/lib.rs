//! The commands of `D3D12StateObjectCompiler` without the command line: each is a function from files to a report. A report
//! is text ([`Display`](std::fmt::Display)) for people and engine tools, and JSON ([`Serialize`](serde::Serialize)) for
//! scripts.
//!
//! SODBs are Microsoft's state object databases, PSDBs this project's precompiled shader databases; `shader_db` has both.

mod error;
mod key;
mod question;
mod report;
mod schedule;
mod serial;
mod version;

pub mod adapters;
pub mod check;
pub mod compile;
pub mod diff_psdb;
pub mod extract;
pub mod identity;
pub mod list;
pub mod manifest;
pub mod merge_psdb;
pub mod merge_sodb;
pub mod plugin;
pub mod priority;
pub mod rederive;
pub mod replay;
pub mod shard;
pub mod stats;
pub mod verify;

pub use error::{Error, Result, exit_code};
pub use key::{Form, KeyText};
pub use report::one_line;
pub use version::{Dotted, parse_version};
