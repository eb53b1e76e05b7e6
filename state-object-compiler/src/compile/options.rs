//! The options of a compilation, and the listener of its progress.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use compiler_runtime::message::Message;

use super::renewal::Recompile;
use crate::key::KeyText;
use crate::plugin::PluginChoice;
use crate::shard::Shard;

/// The objects to compile, the target, and the files.
#[derive(Clone, Debug)]
pub struct Options {
    /// The SODB. A run does not change it.
    pub sodb: PathBuf,
    /// The PSDB for object code and metadata. A run adds to an existing one.
    pub output: PathBuf,
    /// The PSDB for shader PDBs. A run adds the objects that the output has and this one lacks.
    pub pdb: Option<PathBuf>,
    /// The PSDB for performance data, likewise.
    pub perf: Option<PathBuf>,
    /// The plugin.
    pub plugin: PluginChoice,
    /// The adapter family, by name or by index; not needed if the plugin has one only.
    pub adapter_family: Option<String>,
    /// The ABI version; 0 is the newest.
    pub abi: u64,
    /// The objects that a run compiles again although the output has them.
    pub recompile: Recompile,
    /// What to replace in the application identity of the SODB.
    pub application: ApplicationChanges,
    /// Which objects are stored.
    pub selection: Selection,
    /// The greatest number of threads that compile, or of worker processes.
    pub threads: NonZeroUsize,
    /// The worker processes; without them the plugin runs in this process.
    pub workers: Option<Workers>,
}

/// The objects of an SODB that a run stores. It also compiles the objects that these are made from.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Only this object.
    pub key: Option<KeyText>,
    /// Whether to store pipeline states.
    pub psos: bool,
    /// Whether to store state objects.
    pub state_objects: bool,
    /// Whether to store additions to state objects.
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

/// How to start worker processes, and their limits.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The program.
    pub exe: PathBuf,
    /// Its arguments, with which it must call [`work`](super::work()).
    pub args: Vec<OsString>,
    /// The time limit of one object, and of loading the plugin.
    pub timeout: Option<Duration>,
    /// Gets each line that the plugin prints, without control characters, on any thread.
    pub printed: fn(&str),
}

/// Fields of an application identity that replace those of the SODB.
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

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The time since the run began.
    pub elapsed: Duration,
    /// Objects that are done, including failed ones.
    pub done: usize,
    /// Objects that failed.
    pub failed: usize,
    /// All objects of the run.
    pub total: usize,
}

/// Observes and interrupts a run. Progress comes from the calling thread, messages from the threads that compile.
pub trait Listener: Sync {
    /// The run calls this four times a second, and at the end.
    fn progress(&self, progress: Progress);
    /// A message of the validation of the object with this key.
    fn message(&self, key: &[u8], message: &Message);
    /// How often the user has asked for the end. After the first time the run begins no object; after the second it kills the
    /// worker processes.
    fn interrupts(&self) -> usize;
}

impl Selection {
    /// Whether the selection leaves nothing out.
    pub(crate) fn is_of_all(&self) -> bool {
        let kinds = self.psos && self.state_objects && self.add_to_state_objects;
        kinds && self.key.is_none() && self.shard.is_none()
    }
}
