//! What is to be compiled, and who is told of it.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use compiler_runtime::message::Message;

use super::renewal::Recompile;
use crate::key::KeyText;
use crate::list::PluginChoice;
use crate::shard::Shard;

/// What to compile, for what, and where to.
#[derive(Clone, Debug)]
pub struct Options {
    /// The SODB. It is not changed.
    pub sodb: PathBuf,
    /// The PSDB for object code and metadata. One that exists is added to.
    pub output: PathBuf,
    /// The PSDB for shader PDBs. What the output has and this one has not is added.
    pub pdb: Option<PathBuf>,
    /// The PSDB for performance data, likewise.
    pub perf: Option<PathBuf>,
    /// The plugin.
    pub plugin: PluginChoice,
    /// The adapter family, by name or by index; not needed if the plugin has one only.
    pub adapter_family: Option<String>,
    /// The ABI version; 0 is the newest.
    pub abi: u64,
    /// What the output has and is compiled again.
    pub recompile: Recompile,
    /// What to replace in the application identity of the SODB.
    pub application: ApplicationChanges,
    /// Which objects are stored.
    pub selection: Selection,
    /// The number of threads that compile, or of worker processes, at most.
    pub threads: NonZeroUsize,
    /// The worker processes; without them the plugin runs in this process.
    pub workers: Option<Workers>,
}

/// Which objects of an SODB are stored. What they are made from is compiled as well.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Only this object.
    pub key: Option<KeyText>,
    /// Whether pipeline states are.
    pub psos: bool,
    /// Whether state objects are.
    pub state_objects: bool,
    /// Whether additions to state objects are.
    pub add_to_state_objects: bool,
    /// Only the objects of this shard.
    pub shard: Option<Shard>,
}

/// All objects.
impl Default for Selection {
    fn default() -> Self {
        Self {
            key: None,
            psos: true,
            state_objects: true,
            add_to_state_objects: true,
            shard: None,
        }
    }
}

/// How worker processes are started, and what they may do.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The program.
    pub exe: PathBuf,
    /// Its arguments, with which it has to call [`work`](super::work()).
    pub args: Vec<OsString>,
    /// How long one object may take, and loading the plugin.
    pub timeout: Option<Duration>,
    /// Gets each line that the plugin prints, without control characters, on any thread.
    pub printed: fn(&str),
}

/// Fields of an application identity that take the place of those of the SODB.
#[derive(Clone, Debug, Default)]
pub struct ApplicationChanges {
    /// Name.
    pub name: Option<String>,
    /// File name of the executable.
    pub exe_filename: Option<String>,
    /// Version.
    pub version: Option<u64>,
    /// Name of the engine.
    pub engine: Option<String>,
    /// Version of the engine.
    pub engine_version: Option<u64>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Since the run began.
    pub elapsed: Duration,
    /// Objects that are done, also those that failed.
    pub done: usize,
    /// Objects that failed.
    pub failed: usize,
    /// All objects of the run.
    pub total: usize,
}

/// What is told while a run goes on, and asked. Progress comes from the calling thread, messages from those that compile.
pub trait Listener: Sync {
    /// Called four times a second, and at the end.
    fn progress(&self, progress: Progress);
    /// A message of the validation of the object with this key.
    fn message(&self, key: &[u8], message: &Message);
    /// How often the user has asked for the end. From the first time on no object is begun, and at the second time worker
    /// processes are killed.
    fn interrupts(&self) -> usize;
}

impl Selection {
    /// Whether nothing is left out.
    pub(crate) fn is_of_all(&self) -> bool {
        let kinds = self.psos && self.state_objects && self.add_to_state_objects;
        kinds && self.key.is_none() && self.shard.is_none()
    }
}
