//! The precompiled shader database (PSDB): values under keys, groups of keys, in SQLite files.
//!
//! ```
//! use shader_db::psdb::{self, Application, Options, Psdb, Target, ValueType, ValueTypes};
//!
//! # fn main() -> shader_db::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("game.psdb");
//! let options = Options {
//!     target: Some(Target { family: "GPU".into(), abi: 1, compiler_version: 7, profile_version: 0 }),
//!     application: Some(Application {
//!         exe: "game.exe".into(),
//!         name: "Game".into(),
//!         version: 1,
//!         engine_name: None,
//!         engine_version: 0,
//!     }),
//!     ..Options::default()
//! };
//! let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &options)?;
//! psdb.store_value(b"value key", &[(ValueType::ObjectCode, b"object code")])?;
//! psdb.store_group(b"group key", 1, &[b"value key"])?;
//! assert_eq!(psdb.find_group(b"group key")?, Some(1));
//! psdb.close()?;
//!
//! let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &Options::default())?;
//! let code = psdb.find_value(b"value key", ValueType::ObjectCode, <[u8]>::to_vec)?;
//! assert_eq!(code.as_deref(), Some(&b"object code"[..]));
//! psdb.close()?;
//!
//! let merged = psdb::merge(&[&path], &folder.path().join("merged.psdb"), &mut |_| {})?;
//! assert_eq!((merged.values, merged.groups), (1, 1));
//! # Ok(())
//! # }
//! ```

mod batch;
mod content;
mod create;
mod digest;
mod file_writer;
mod insert;
mod inspect;
mod item;
mod lookup;
mod merge;
mod metadata;
mod open;
mod part;
mod read;
mod remove;
mod rewrite;
mod schema;
mod session;
mod side;
mod tables;
mod transaction;
mod types;

pub use batch::Batch;
#[cfg(all(test, unix))]
pub(crate) use create::example;
pub use create::{exists, path_of_file, place};
pub use inspect::{
    Counts, EachGroup, EachValue, File, Group, Incomplete, Lost, incomplete_groups,
    lacks_object_code,
};
pub use merge::{Conflict, Merged, merge};
pub use remove::{remove_groups, remove_loose, remove_unnamed, unnamed_keys};
pub use rewrite::{discard, rewrite, take_place};
pub use schema::{APPLICATION_ID, PAGE_SIZE, SESSION_PAGE_SIZE, TABLES, USER_VERSION};
pub use session::{MAX_SIZE, Psdb};
pub use transaction::Transaction;
pub use types::{Access, Application, Options, Target, ValueType, ValueTypes};
