//! The state object database (SODB): descriptions of pipeline states and state objects under the keys of their
//! application, in the schema that StateObjectDatabase.md publishes. docs/sodb.md has the rules.
//!
//! ```
//! use shader_db::sodb::{Access, PipelineStateDesc, ShaderStage, Sodb};
//!
//! # fn main() -> shader_db::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("game.sodb");
//! let sodb = Sodb::open(&path, Access::Create)?;
//! let mut desc = PipelineStateDesc::default();
//! desc.shaders[ShaderStage::Compute] = Some((*b"a DXIL container").into());
//! sodb.store_pipeline_state(b"key", 1, &desc)?;
//! sodb.close()?;
//!
//! let sodb = Sodb::open(&path, Access::Read)?;
//! let found = sodb.find_pipeline_state(b"key")?.expect("it was stored");
//! assert_eq!((found.version, found.desc), (1, desc));
//! # Ok(())
//! # }
//! ```

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

mod cache;
mod database;
mod desc;
mod file;
mod merge;
mod names;
mod objects;
mod pool;
mod read;
mod rows;
mod schema;
mod transaction;

pub use api_desc::{
    ApiCollection, ApiObjects, Blob, DxilAssociation, DxilLibrary, ExistingCollection, Export,
    FixedFunction, HitGroup, InputElement, NodeId, OutputOverrides, PipelineStateDesc,
    RawPipelineState, RawStateObject, ShaderNode, ShaderStage, Shaders, StreamOutput,
    StreamOutputEntry, ViewInstancing, WorkGraph,
};
pub use desc::{Associated, Association, GenericProgram, RowOf, StateObjectDesc};
pub use file::{CheckpointMode, JournalMode, OpenOptions};
pub use merge::{LeftOut, Merged, dependency_order};
pub use objects::{
    FoundPipelineState, FoundStateObject, Group, GroupKey, Keys, ObjectName, Origins, Parent,
};
pub use schema::{APPLICATION_ID, USER_VERSION, statements};
pub use transaction::TransactionKind;

pub use crate::psdb::{Access, Application};
use crate::{Error, Result};
use database::Database;
use file::File;
use pool::{Lease, Pool};

/// The most bytes of a key, a shader, a library, a root signature or a name: many times what any is known to have, and little
/// enough that a file cannot make a program run out of memory with one.
pub const MAX_SIZE: usize = 256 << 20;

/// An open SODB. All threads can use it: to read, several at a time; one at a time if it was opened to be written.
///
/// When a call that stores returns, the file, or the WAL beside it, has the object. [`close`](Self::close) checkpoints the
/// WAL. [`Access::Read`] does not change the file. docs/sodb.md says when something stays beside it.
pub struct Sodb(Pool);

/// A stored pipeline state.
#[derive(Clone, Debug, PartialEq)]
pub struct PipelineState {
    /// The version that it was stored with.
    pub version: u32,
    /// What it is.
    pub desc: PipelineStateDesc,
}

/// A stored state object.
#[derive(Clone, Debug, PartialEq)]
pub struct StateObject {
    /// The version that it was stored with.
    pub version: u32,
    /// What it is.
    pub desc: StateObjectDesc,
    /// The key of the state object that it is an addition to.
    pub parent: Option<Vec<u8>>,
}

/// A stored object.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "most objects are of the larger one"
)]
pub enum Object {
    /// A pipeline state.
    PipelineState(PipelineState),
    /// A state object.
    StateObject(StateObject),
}

/// What a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A pipeline state.
    PipelineState,
    /// A state object of this `D3D12_STATE_OBJECT_TYPE`; `None` if the file says none.
    StateObject(Option<i32>),
    /// Nothing: the row of the key, or what it should name, is damaged. Finding it is an error.
    Nothing,
}

/// A key of the database and what is known of its object without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Vec<u8>,
    /// The version.
    pub version: u32,
    /// What it names.
    pub kind: Kind,
    /// The key of the state object that it is an addition to.
    pub parent: Option<Vec<u8>>,
    /// The keys of its collections, in order.
    pub collections: Vec<Vec<u8>>,
    /// Whether its parent or a collection has no key. Finding it is an error.
    pub is_incomplete: bool,
}

/// How many rows there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Keys.
    pub keys: u64,
    /// Pipeline states, with keys and without.
    pub pipeline_states: u64,
    /// State objects, with keys and without.
    pub state_objects: u64,
    /// Shaders and libraries.
    pub shaders: u64,
    /// Bytes of shaders and libraries.
    pub shader_bytes: u64,
    /// Pipeline states and state objects that no key names.
    pub unnamed: u64,
}

impl fmt::Debug for Sodb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.lock().file.name.clone();
        f.debug_tuple("Sodb").field(&path).finish()
    }
}

impl Sodb {
    /// Opens a database. [`Access::Create`] makes one where there is no file, or an empty one.
    ///
    /// # Errors
    ///
    /// [`Error::BadFormat`]: the file is no SODB, or one of a version that is unknown; it was not changed.
    /// [`Error::NotFound`], [`Error::AccessDenied`], [`Error::Busy`], [`Error::Io`], [`Error::Full`],
    /// [`Error::Corrupt`].
    pub fn open(path: impl AsRef<Path>, access: Access) -> Result<Self> {
        Self::open_with(path, access, OpenOptions::default())
    }

    /// Opens a database in another way.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open). [`Error::AccessDenied`]: a file that is opened to be read has another journal than was
    /// asked for. [`Error::Busy`]: another session has the file open, so that its journal cannot change.
    pub fn open_with(path: impl AsRef<Path>, access: Access, options: OpenOptions) -> Result<Self> {
        let file = File::open(path.as_ref(), access, options)?;
        Ok(Self(Pool::new(file)))
    }

    fn lock(&self) -> Lease<'_> {
        self.0.take()
    }

    /// Checkpoints the WAL, so that there is one file, and closes it. Dropping does the same, but reports no error.
    ///
    /// # Errors
    ///
    /// What writing can give. A WAL that another session uses stays, which is no error.
    pub fn close(mut self) -> Result<()> {
        self.0.close()
    }

    /// The application that the objects are of; `None` if none was set.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] and what else reading can give.
    pub fn application(&self) -> Result<Option<Application>> {
        self.lock().application()
    }

    /// Sets the application, in place of the one that was set.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: an empty name, a NUL in a string, a version of no engine.
    /// [`Error::AccessDenied`] if it was opened to be read, and what else writing can give.
    pub fn set_application(&self, application: &Application) -> Result<()> {
        self.lock().set_application(application)
    }

    /// Stores a pipeline state.
    ///
    /// Storing the same again changes nothing. Another version takes the place of the one that is there.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`]: the key has another object of the same version. [`Error::InvalidArgument`]: an empty
    /// key, or a description that the schema cannot hold. [`Error::TooBig`]. [`Error::AccessDenied`] if it was opened to
    /// be read, and what else writing can give. Nothing was stored then.
    pub fn store_pipeline_state(
        &self,
        key: &[u8],
        version: u32,
        desc: &PipelineStateDesc,
    ) -> Result<()> {
        self.store_pipeline_state_in(&[GroupKey { key, version }], desc)
            .map(drop)
    }

    /// Stores a state object; with a parent, as an addition to the state object of that key.
    ///
    /// # Errors
    ///
    /// As [`store_pipeline_state`](Self::store_pipeline_state); [`Error::UnknownKey`]: there is no state object of the
    /// parent's or a collection's key.
    pub fn store_state_object(
        &self,
        key: &[u8],
        version: u32,
        desc: &StateObjectDesc,
        parent: Option<&[u8]>,
    ) -> Result<()> {
        let origins = Origins {
            parent_group: parent,
            ..Origins::default()
        };
        self.store_state_object_in(&[GroupKey { key, version }], desc, &origins)
            .map(drop)
    }

    /// Finds a pipeline state; `None` if no pipeline state has the key.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`] for an empty key; [`Error::Corrupt`] if its rows are no pipeline state, and what else
    /// reading can give. Other objects can still be found.
    pub fn find_pipeline_state(&self, key: &[u8]) -> Result<Option<PipelineState>> {
        self.lock().find(key, Database::read_pipeline_state)
    }

    /// Finds a state object; `None` if no state object has the key.
    ///
    /// # Errors
    ///
    /// As [`find_pipeline_state`](Self::find_pipeline_state); [`Error::UnknownKey`]: no key names its parent or one of
    /// its collections, so that it cannot be described.
    pub fn find_state_object(&self, key: &[u8]) -> Result<Option<StateObject>> {
        self.lock().find(key, Database::read_state_object)
    }

    /// Finds the objects of any kind of the first of these keys, all as they are at the same moment; `None` where no
    /// object has the key. Many at once take less time than one after the other: most of the time of a single one goes to
    /// the file's locks.
    ///
    /// There is a result for each of the keys, in their order; at least one, but not for all of them where the objects are
    /// more than 64 MiB.
    ///
    /// # Errors
    ///
    /// What reading can give. Of each object, as [`find_pipeline_state`](Self::find_pipeline_state) and
    /// [`find_state_object`](Self::find_state_object).
    pub fn find_objects<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Result<Option<Object>>>> {
        self.lock().find_objects(keys)
    }

    /// The version of an object of any kind; `None` if there is none.
    ///
    /// # Errors
    ///
    /// As [`find_pipeline_state`](Self::find_pipeline_state).
    pub fn object_version(&self, key: &[u8]) -> Result<Option<u32>> {
        let database = self.lock();
        Ok(database.group(key)?.map(|group| group.version))
    }

    /// All keys, in the order in which they were stored, without their objects.
    ///
    /// # Errors
    ///
    /// What reading can give.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        self.lock().snapshot(Database::entries)
    }

    /// The bytes of the shaders and libraries of each object, by its key: a measure of the work that the object is. What
    /// an object has twice counts once, and what another object has counts for each.
    ///
    /// # Errors
    ///
    /// What reading can give.
    pub fn bytecode_sizes(&self) -> Result<HashMap<Vec<u8>, u64>> {
        self.lock().bytecode_sizes()
    }

    /// Counts.
    ///
    /// # Errors
    ///
    /// What reading can give.
    pub fn counts(&self) -> Result<Counts> {
        let database = self.lock();
        let counts = "SELECT (SELECT count(*) FROM groups), (SELECT count(*) FROM pipeline_states), \
                      (SELECT count(*) FROM state_objects), (SELECT count(*) FROM shader_bytecode), \
                      (SELECT coalesce(sum(octet_length(Bytecode)), 0) FROM shader_bytecode), \
                      (SELECT count(*) FROM pipeline_states WHERE Key NOT IN \
                        (SELECT PSOKey FROM groups WHERE PSOKey IS NOT NULL)) + \
                      (SELECT count(*) FROM state_objects WHERE Key NOT IN \
                        (SELECT SOKey FROM groups WHERE SOKey IS NOT NULL))";
        let read = database.file.connection().query_row(counts, [], |row| {
            let count = |at| row.get::<_, i64>(at).map(i64::unsigned_abs);
            Ok(Counts {
                keys: count(0)?,
                pipeline_states: count(1)?,
                state_objects: count(2)?,
                shaders: count(3)?,
                shader_bytes: count(4)?,
                unnamed: count(5)?,
            })
        });
        read.map_err(|error| database.failure(&error))
    }

    /// Checkpoints the WAL, if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] if another session has the file open; what writing can give.
    pub fn checkpoint(path: impl AsRef<Path>) -> Result<()> {
        let mut file = File::open(path.as_ref(), Access::Write, OpenOptions::default())?;
        if !file.fold()? {
            return Err(Error::Busy {
                path: file.name.clone(),
            });
        }
        file.close()
    }
}
