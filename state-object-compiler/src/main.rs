//! `D3D12StateObjectCompiler`: the command line of state object databases and precompiled shader databases.

#[cfg(unix)]
mod signals;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use clap::{Args, Parser, Subcommand, ValueEnum};
use compatibility::Driver;
use compiler_runtime::message::Message;
use compiler_runtime::{DdiVersions, InvalidDdiVersions};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde::Serialize;
use shader_db::psdb::{ValueType, ValueTypes};
use shader_db::short_hex;
use shader_db::temporary;
use state_object_compiler::check::{self, User, parse_driver};
use state_object_compiler::compile::{
    ApplicationChanges, Listener, Progress, Recompile, Selection, Workers,
};
use state_object_compiler::manifest::{self, Begun};
use state_object_compiler::plugin::PluginChoice;
use state_object_compiler::priority::{self, Priority};
use state_object_compiler::rederive::Source;
use state_object_compiler::shard::{self, MAX_SHARDS, Shard};
use state_object_compiler::{
    Error, KeyText, Result, adapters, compile, diff_psdb, exit_code, extract, identity, list,
    merge_psdb, merge_sodb, one_line, parse_version, replay, stats, verify,
};

const EXIT_CODES: &str = "\
Exit codes:
   0  complete
   1  complete except for the listed objects; another try does not help
   2  the command line, the configuration or a file is wrong
  75  the infrastructure failed (disk full, file in use, no
      memory), or the command was interrupted: try again";

const EXIT_CODES_OF_COMPILE: &str = "\
Exit codes:
   0  complete
   1  complete except for the listed objects; another try does not help
   2  the command line, the configuration or a file is wrong
  75  the infrastructure failed (disk full, file in use, no
      memory), or the run was interrupted (Ctrl-C): what the output
      has is good, and another run continues";

const EXIT_CODES_OF_VERIFY: &str = "\
Exit codes:
   0  the files are sound
   1  the listed problems were found
   2  the command line is wrong, or a file is not a PSDB or cannot
      be read to its end
  75  the infrastructure failed (disk full, file in use, no
      memory), or the run was interrupted (Ctrl-C): try again";

const EXIT_CODES_OF_DIFF: &str = "\
Exit codes:
   0  both have the same groups with the same object code
   1  the listed groups differ
   2  the command line is wrong, or a file is not a PSDB or is damaged
  75  the infrastructure failed (disk full, file in use, no
      memory): try again";

const EXIT_CODES_OF_CHECK: &str = "\
Exit codes:
   0  everything can be used as it is
   1  it can be used, and something should be compiled again
   2  the command line is wrong, or a file is not a PSDB or is damaged
   3  something must be compiled again
   4  something is for another adapter family or ABI version
  75  the infrastructure failed (disk full, file in use, no memory): try again";

const EXIT_CODES_OF_REPLAY: &str = "\
Exit codes:
   0  every object was created
   1  the listed objects were not created, or the driver broke
      the contract of a call; another try does not help
   2  the command line is wrong, a file is not a database or
      is damaged, or the driver has no device
  75  the infrastructure failed (disk full, file in use, no
      memory), or the command was interrupted: try again";

/// Works on state object databases (SODB), which describe the objects to compile, and precompiled shader databases (PSDB),
/// which have the object code that a plugin made from them.
#[derive(Parser)]
#[command(
    name = "D3D12StateObjectCompiler",
    bin_name = "D3D12StateObjectCompiler",
    version,
    max_term_width = 100,
    after_help = EXIT_CODES
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile an SODB into a PSDB with a compiler plugin
    ///
    /// Compiles the collections and the parents of a state object before the state object itself. Skips objects that the output
    /// has in the same version. Lists an object that fails and compiles the others. So after you repair a mistake, or after a
    /// run was stopped, run it again: it continues where it was.
    ///
    /// The plugin runs in worker processes. If a worker crashes on an object, or takes longer than --timeout, this tries the
    /// object once more, alone, and then lists it as failed.
    #[command(after_help = EXIT_CODES_OF_COMPILE)]
    Compile(Box<CompileArgs>),
    /// Create the objects of an SODB on a device of an adapter's user-mode driver
    ///
    /// Lists for each object whether the driver found all of it in the PSDBs (hit), had a part of it from an earlier object
    /// (shared), or compiled it (compiled). Leaves out a PSDB that the driver cannot use, by the rules of `check`.
    ///
    /// The D3D12 runtime is this project's test runtime, not that of Windows. The driver runs in this process: if it crashes or
    /// hangs, so does the command.
    #[command(after_help = EXIT_CODES_OF_REPLAY)]
    Replay(Box<ReplayArgs>),
    /// Show how `compile` divides the objects of an SODB into shards
    ///
    /// Puts objects that are made from one another into one shard, so that no shard needs an object of another. Assigns the
    /// costliest objects first, each to the shard with the least cost so far; the cost of an object is its bytes of shaders.
    /// The division is the same on every machine.
    #[command(after_help = EXIT_CODES)]
    Plan {
        /// The SODB
        sodb: PathBuf,
        /// The number of shards
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_SHARDS.into()))]
        shards: u32,
        #[command(flatten)]
        output: Output,
    },
    /// A worker process of `compile`
    #[command(hide = true)]
    Worker,
    /// List the adapter families that a compiler plugin can compile for, or the adapters
    ///
    /// The plugin runs in a worker process. What it prints goes to standard error, with `plugin:` before each line. Drivers run
    /// in this process.
    #[command(arg_required_else_help = true, after_help = EXIT_CODES)]
    List {
        /// The plugin's DLL; `sample` is the sample plugin, which is linked in (a file of that name is `./sample`)
        #[arg(long, value_name = "FILE", required_unless_present = "adapters")]
        plugin: Option<PathBuf>,
        #[command(flatten)]
        ddi_versions: DdiVersionsChoice,
        /// List the adapters for `replay` and `compile`, with what their drivers report. There is always `mock`, a driver that
        /// is linked in; files NAME.json in the directory that the environment variable D3D12_MOCK_ADAPTERS names describe
        /// others
        #[arg(long, conflicts_with = "plugin")]
        adapters: bool,
        /// How long the plugin may take; 0 for no limit
        #[arg(long, value_name = "SECONDS", default_value = LIST_TIMEOUT, value_parser = seconds)]
        timeout: Duration,
        #[command(flatten)]
        application: OptionalApplication,
        #[command(flatten)]
        output: Output,
    },
    /// Set the application identity of an SODB; replaces the one that it has
    #[command(after_help = EXIT_CODES)]
    SetIdentity {
        /// The SODB
        sodb: PathBuf,
        #[command(flatten)]
        application: Application,
    },
    /// Print the application identity of an SODB
    #[command(after_help = EXIT_CODES)]
    GetIdentity {
        /// The SODB
        sodb: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Merge SODBs. The output keeps its application identity and, of two versions of an object, the higher one
    ///
    /// Takes objects without a key too. Leaves out and lists an object that is damaged, or that is made from one that is left
    /// out, and takes the others. If a file cannot be read, or a key has different objects of one version, merges nothing: the
    /// output stays as it was.
    #[command(name = "merge-sodb", after_help = EXIT_CODES)]
    MergeSodb {
        /// The SODBs to merge. Without --output, the last one is the output; the others stay unchanged
        #[arg(required = true)]
        sodb: Vec<PathBuf>,
        /// The output. If it does not exist, this creates it, with the identity of the first SODB
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        format: Output,
    },
    /// Checkpoint an SODB: write its WAL into it, so that it is a single file to ship
    #[command(name = "checkpoint-db", after_help = EXIT_CODES)]
    CheckpointDb {
        /// The SODB
        sodb: PathBuf,
    },
    /// Show statistics of a PSDB: groups, values by type, what sharing saves, the largest values
    #[command(after_help = EXIT_CODES)]
    Stats {
        /// The PSDB
        psdb: PathBuf,
        /// The number of largest values and of most shared value keys to list
        #[arg(long, value_name = "N", default_value_t = 10)]
        top: usize,
        #[command(flatten)]
        output: Output,
    },
    /// Check PSDBs: the structure, the digests of values and groups, and that every group is complete
    ///
    /// A group is complete if each of its value keys has a value. Give the files of one session (object code, PDBs,
    /// performance data) together: a value can be in any of them.
    ///
    /// With --sodb and --plugin, this compiles each object again, into the system's directory for temporary files, for the
    /// target and the application of the PSDB. Groups, their versions and value keys, and object code must be the same. If the
    /// PSDB was compiled from some of the objects, give the same --shard, --key and so on as then.
    #[command(after_help = EXIT_CODES_OF_VERIFY)]
    Verify {
        /// A PSDB, or the PSDBs of one session
        #[arg(required = true)]
        psdb: Vec<PathBuf>,
        /// The SODB that the PSDB was compiled from
        #[arg(long, value_name = "FILE", requires = "plugin")]
        sodb: Option<PathBuf>,
        /// The DLL of the plugin that compiled it; `sample` is the sample plugin, which is linked in
        #[arg(long, value_name = "FILE", requires = "sodb")]
        plugin: Option<PathBuf>,
        #[command(flatten)]
        ddi_versions: DdiVersionsChoice,
        /// Compile at most this many objects at a time, in as many worker processes [default: one for each hardware
        /// thread]
        #[arg(long, value_name = "N", value_parser = at_least_one, requires = "sodb")]
        max_threads: Option<NonZeroUsize>,
        /// How long the plugin may take for one object, or to be loaded; 0 for no limit
        #[arg(long, value_name = "SECONDS", default_value = TIMEOUT, value_parser = seconds, requires = "sodb")]
        timeout: Duration,
        #[command(flatten)]
        shard: ShardChoice,
        #[command(flatten)]
        objects: Chosen,
        #[command(flatten)]
        output: Output,
    },
    /// Write values of a PSDB to files
    ///
    /// A file's name is the value key in hexadecimal digits (its SHA-256, if it is longer than 64 bytes) and the type. Does not
    /// overwrite files.
    #[command(after_help = EXIT_CODES)]
    Extract {
        /// The PSDB
        psdb: PathBuf,
        /// The directory to write to; this creates it if its parent exists
        directory: PathBuf,
        /// Only the values of the group with this key: text, text with a terminating NUL, or hexadecimal digits,
        /// whichever exists first. `text:` or `hex:` in front says which
        #[arg(long, value_parser = wanted_key)]
        key: Option<WantedKey>,
        /// Only values of this type; can be given several times
        #[arg(long = "type", value_name = "TYPE")]
        types: Vec<Type>,
        #[command(flatten)]
        output: Output,
    },
    /// Compare the object code of two PSDBs, group by group, for example across versions of a compiler
    #[command(name = "diff-psdb", after_help = EXIT_CODES_OF_DIFF)]
    DiffPsdb {
        /// A PSDB
        first: PathBuf,
        /// The other PSDB
        second: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Check whether a driver can use PSDBs, or whether a plugin would compile them again
    ///
    /// Prints for each PSDB whether it can be used as it is, should or must be compiled again, or is for another adapter family
    /// or ABI version, and why. One answer holds for a whole PSDB, since all that it has is of one version.
    #[command(after_help = EXIT_CODES_OF_CHECK)]
    Check {
        /// The PSDBs
        #[arg(required = true)]
        psdb: Vec<PathBuf>,
        /// What a driver reports as D3D12_FEATURE_SHADERCACHE_ABI_SUPPORT: its adapter family, the lowest and the highest ABI
        /// version that it supports, the version of its compiler, and the version of its profile of the application
        #[arg(long, value_name = "FAMILY,MIN-ABI,MAX-ABI,COMPILER,PROFILE", value_parser = parse_driver, required_unless_present = "plugin")]
        driver: Option<Driver>,
        /// The DLL of a plugin, to check against what it compiles now; `sample` is the sample plugin, which is linked in
        #[arg(long, value_name = "FILE", conflicts_with = "driver")]
        plugin: Option<PathBuf>,
        #[command(flatten)]
        ddi_versions: DdiVersionsChoice,
        /// How long the plugin may take; 0 for no limit
        #[arg(long, value_name = "SECONDS", default_value = LIST_TIMEOUT, value_parser = seconds)]
        timeout: Duration,
        #[command(flatten)]
        output: Output,
    },
    /// Merge PSDBs for the same target and application into a new one, whose bytes do not depend on their order
    ///
    /// If the files have different bytes for a value key, or different value keys or versions for a group, the command fails,
    /// and names the key or the group and the files.
    #[command(name = "merge-psdb", after_help = EXIT_CODES)]
    MergePsdb {
        /// The PSDBs to merge
        #[arg(required = true)]
        psdb: Vec<PathBuf>,
        /// The PSDB to create; the file must not exist, or be empty
        #[arg(long, value_name = "NEW FILE")]
        output: PathBuf,
        #[command(flatten)]
        format: Output,
    },
}

/// The default limit in seconds of a plugin's time for one object.
const TIMEOUT: &str = "300";
/// The limit in seconds of its time to describe its targets: engine tools ask whole folders of plugins.
const LIST_TIMEOUT: &str = "30";

#[derive(Args)]
struct CompileArgs {
    /// The SODB; this does not change it
    sodb: PathBuf,
    /// The PSDB for object code and metadata. If it exists, this adds to it, or compiles all that it has again (--recompile)
    output: PathBuf,
    #[command(flatten)]
    common: Common,
    /// Compile at most this many objects at a time, in as many worker processes or threads [default: one for each
    /// hardware thread]
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with = "single_threaded")]
    max_threads: Option<NonZeroUsize>,
    /// Run the plugin on threads of this process: faster, but if it crashes or hangs, so does the run
    #[arg(long)]
    in_process: bool,
    /// How long the plugin may take for one object, or to be loaded; 0 for no limit
    #[arg(long, value_name = "SECONDS", default_value = TIMEOUT, value_parser = seconds, conflicts_with = "in_process")]
    timeout: Duration,
    /// The priority of the work. Without a value (at the end, or before another option) it is below-normal
    #[arg(long, value_enum, num_args = 0..=1, default_value = "normal", default_missing_value = "below-normal")]
    priority: Class,
    #[command(flatten)]
    shard: ShardChoice,
    /// A PSDB for shader PDBs. For objects that the output has already, this compiles once more, and must get the same object
    /// code
    #[arg(long, value_name = "FILE")]
    pdb: Option<OsString>,
    /// A PSDB for performance data, likewise
    #[arg(long, value_name = "FILE")]
    perf: Option<OsString>,
    /// When to compile again what the output has. `must`: all of it, if the major or minor version of the compiler or the
    /// version of the application's profile differs from the output's. `should`: also if the build differs
    #[arg(long, value_enum, default_value = "must")]
    recompile: Again,
    /// A record (JSON) of the run, which this writes at the end. If it exists and is complete, and neither the settings nor any
    /// of the files have changed, this does nothing and does not load the plugin
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    #[command(flatten)]
    format: Output,
    /// The plugin's DLL, or `sample` for the sample plugin, which is linked in (a file of that name is `./sample`). Required
    /// without --adapter
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Compiler Plugin",
        conflicts_with = "adapter"
    )]
    plugin: Option<PathBuf>,
    #[command(flatten)]
    ddi_versions: DdiVersionsChoice,
    /// An adapter, by name or by index, instead of a plugin: its plugin compiles, for the adapter family and the highest ABI
    /// version that its driver reports. `list --adapters` shows the adapters
    #[arg(long, value_name = "ADAPTER", help_heading = "Compiler Plugin")]
    adapter: Option<String>,
    /// The adapter family, by name or by index. Required unless the plugin has only one. `list` shows them
    #[arg(long, value_name = "FAMILY", help_heading = "Compiler Target")]
    adapter_family: Option<String>,
    /// The ABI version; 0 is the newest
    #[arg(long, default_value_t = 0, help_heading = "Compiler Target")]
    abi: u64,
    #[command(flatten)]
    application: ChangedApplication,
}

/// The versions of the DDI that a plugin may have.
#[derive(Args)]
struct DdiVersionsChoice {
    /// DDI versions to accept besides the known ones: pairs of a plugin DDI version and the usermode DDI version that belongs
    /// to it, for example 12.0.3.0=12.80.118.0. Their structures must be those of a known version [default: the environment
    /// variable D3D12_COMPILER_DDI_VERSIONS]
    #[arg(
        long,
        value_name = "PAIRS",
        value_parser = ddi_versions
    )]
    ddi_versions: Option<String>,
}

impl DdiVersionsChoice {
    /// Sets the environment variable in which the runtime looks for the versions, for this process and the workers. Call it
    /// before you start threads.
    fn allow(&self) {
        if let Some(versions) = &self.ddi_versions {
            // SAFETY: no other thread has been started that could read the environment.
            unsafe { std::env::set_var(DdiVersions::VARIABLE, versions) };
        }
    }
}

/// What `compile` and `replay` have in common.
#[derive(Args)]
struct Common {
    /// Show the validation messages of each object: severity, category, id
    #[arg(long)]
    show_info_queue: bool,
    /// Work on one object at a time
    #[arg(long)]
    single_threaded: bool,
    #[command(flatten)]
    objects: Chosen,
}

/// Selects objects of an SODB.
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
struct Chosen {
    /// Only the object with this key: text, text with a terminating NUL, or hexadecimal digits, whichever exists
    /// first. `text:` or `hex:` in front says which
    #[arg(long, value_parser = wanted_key, requires = "sodb")]
    key: Option<WantedKey>,
    /// Include pipeline states (the default)
    #[arg(long, overrides_with = "no_psos", requires = "sodb")]
    psos: bool,
    /// Exclude pipeline states
    #[arg(long, overrides_with = "psos", requires = "sodb")]
    no_psos: bool,
    /// Include state objects: collections, raytracing, executables (the default)
    #[arg(long, overrides_with = "no_state_objects", requires = "sodb")]
    state_objects: bool,
    /// Exclude state objects, unless others are made from them
    #[arg(long, overrides_with = "state_objects", requires = "sodb")]
    no_state_objects: bool,
    /// Include additions to state objects (the default)
    #[arg(long, overrides_with = "no_add_to_state_objects", requires = "sodb")]
    add_to_state_objects: bool,
    /// Exclude additions to state objects
    #[arg(long, overrides_with = "add_to_state_objects", requires = "sodb")]
    no_add_to_state_objects: bool,
}

/// Selects a shard of an SODB.
#[derive(Args, Default)]
struct ShardChoice {
    /// Only the shard K of N, counted from 0. `plan` shows the shards, `merge-psdb` merges their PSDBs
    #[arg(long, value_name = "K/N", value_parser = Shard::parse, requires = "sodb")]
    shard: Option<Shard>,
    /// Only a shard of N: the one whose index is in the environment variable SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or
    /// HQ_TASK_ID
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "shard",
        value_parser = clap::value_parser!(u32).range(1..=MAX_SHARDS.into()),
        requires = "sodb"
    )]
    shards: Option<u32>,
}

fn ddi_versions(text: &str) -> Result<String, InvalidDdiVersions> {
    text.parse().map(|_: DdiVersions| text.to_owned())
}

/// A key; `None` for an empty text.
#[derive(Clone)]
struct WantedKey(Option<KeyText>);

fn wanted_key(text: &str) -> Result<WantedKey, String> {
    if text.is_empty() {
        return Ok(WantedKey(None));
    }
    KeyText::parse(text).map(|key| WantedKey(Some(key)))
}

#[derive(Args)]
#[command(next_help_heading = "Application Desc")]
struct ChangedApplication {
    /// Name; replaces the SODB's
    #[arg(long)]
    name: Option<String>,
    /// File name of the executable; replaces the SODB's
    #[arg(long)]
    exe_filename: Option<String>,
    /// Version; replaces the SODB's: MAJOR.MINOR.BUILD.REVISION, or a number, decimal or 0x...
    #[arg(long, value_parser = parse_version)]
    app_version: Option<u64>,
    /// Name of the engine; replaces the SODB's
    #[arg(long)]
    engine: Option<String>,
    /// Version of the engine; replaces the SODB's
    #[arg(long, value_parser = parse_version)]
    engine_version: Option<u64>,
}

#[derive(Args)]
struct ReplayArgs {
    /// The SODB
    sodb: PathBuf,
    #[command(flatten)]
    common: Common,
    /// Enable experimental shader models. This has no effect: the runtime has none
    #[arg(long)]
    experimental: bool,
    /// The adapter to create the objects on, by name or by index. `list --adapters` shows them
    #[arg(
        long,
        value_name = "ADAPTER",
        help_heading = "Adapter Selection (Required)"
    )]
    adapter: String,
    /// A PSDB in which the driver looks for object code; can be given several times
    #[arg(long = "cache", value_name = "PSDB")]
    caches: Vec<PathBuf>,
    #[command(flatten)]
    application: ChangedApplication,
    #[command(flatten)]
    format: Output,
}

#[derive(Args)]
#[command(next_help_heading = "Application Desc")]
struct OptionalApplication {
    /// Name; together with the file name of the executable, this lists the version of the application's profile too
    #[arg(long)]
    name: Option<String>,
    /// File name of the executable
    #[arg(long)]
    exe_filename: Option<String>,
    /// Version: MAJOR.MINOR.BUILD.REVISION, or a number, decimal or 0x...
    #[arg(long, value_parser = parse_version, default_value = "0x0")]
    app_version: u64,
    /// Name of the engine
    #[arg(long)]
    engine: Option<String>,
    /// Version of the engine
    #[arg(long, value_parser = parse_version, default_value = "0x0")]
    engine_version: u64,
}

#[derive(Args)]
#[command(next_help_heading = "Application Desc")]
struct Application {
    /// Name
    #[arg(long)]
    name: String,
    /// File name of the executable
    #[arg(long)]
    exe_filename: String,
    /// Version: MAJOR.MINOR.BUILD.REVISION, or a number, decimal or 0x...
    #[arg(long, value_parser = parse_version, default_value = "0x0")]
    app_version: u64,
    /// Name of the engine
    #[arg(long)]
    engine: Option<String>,
    /// Version of the engine
    #[arg(long, value_parser = parse_version, default_value = "0x0")]
    engine_version: u64,
}

#[derive(Args)]
#[command(next_help_heading = None)]
struct Output {
    /// How to print the result: `text` for people, `json` for scripts
    #[arg(long, default_value = "text", hide_possible_values = true)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum Class {
    Idle,
    BelowNormal,
    Normal,
}

#[derive(Clone, Copy, ValueEnum)]
enum Again {
    Must,
    Should,
}

#[derive(Clone, Copy, ValueEnum)]
enum Type {
    ObjectCode,
    Metadata,
    DebugPdb,
    PerformanceData,
}

impl From<&Type> for ValueType {
    fn from(kind: &Type) -> Self {
        match kind {
            Type::ObjectCode => Self::ObjectCode,
            Type::Metadata => Self::Metadata,
            Type::DebugPdb => Self::DebugPdb,
            Type::PerformanceData => Self::PerformanceData,
        }
    }
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    process_tree::take_children_along();
    #[cfg(unix)]
    if !matches!(command, Command::Worker) {
        signals::prepare();
    }
    let code = run(command).unwrap_or_else(|error| {
        let error = error.as_given(given_paths());
        say(AnsiColor::Red, "error", &error);
        #[cfg(unix)]
        if let (exit_code::TRY_AGAIN, Some(most)) = (error.exit_code(), signals::most_of_a_file()) {
            let text = format!("a file of this process can have at most {most} bytes (ulimit -f)");
            say(AnsiColor::Cyan, "note", &text);
        }
        error.exit_code()
    });
    ExitCode::from(code)
}

/// The arguments of the command line that may be paths.
fn given_paths() -> impl Iterator<Item = PathBuf> {
    std::env::args_os().skip(1).map(|given| {
        // An option's value can follow a `=`.
        let value = given.to_str().filter(|given| given.starts_with("--"));
        let value = value.and_then(|given| given.split_once('='));
        value.map_or_else(|| given.clone().into(), |(_, value)| value.into())
    })
}

fn run(command: Command) -> Result<u8> {
    match command {
        Command::Compile(args) => compile(*args),
        Command::Replay(args) => replay(*args),
        Command::Plan {
            sodb,
            shards,
            output,
        } => output.print(&shard::plan(&sodb, shards)?),
        Command::Worker => {
            compile::work()?;
            Ok(exit_code::COMPLETE)
        }
        Command::List {
            plugin,
            ddi_versions,
            adapters: _,
            timeout,
            application,
            output,
        } => {
            let application = application.whole()?;
            let Some(plugin) = plugin else {
                let adapters = adapters::list(application.as_ref())?;
                for failure in &adapters.failures {
                    say(AnsiColor::Red, "error", failure);
                }
                output.print(&adapters)?;
                return Ok(listed_unless(adapters.failures.is_empty()));
            };
            ddi_versions.allow();
            let plugin = PluginChoice::from(&*plugin);
            let families = list::list(&plugin, application, &workers(timeout)?)?;
            for failure in &families.failures {
                say(AnsiColor::Red, "error", failure);
            }
            output.print(&families)?;
            Ok(listed_unless(families.failures.is_empty()))
        }
        Command::SetIdentity { sodb, application } => {
            let application = application.into();
            identity::set(&sodb, &application)?;
            if application.exe.contains(['/', '\\']) {
                let text =
                    "the executable's file name is a path: a game is found by the name alone";
                say(AnsiColor::Yellow, "warning", &text);
            }
            Ok(exit_code::COMPLETE)
        }
        Command::GetIdentity { sodb, output } => output.print(&identity::get(&sodb)?),
        Command::MergeSodb {
            mut sodb,
            output,
            format,
        } => {
            let output = match output {
                Some(output) => output,
                None if sodb.len() < 2 => {
                    let text = "merge-sodb needs two SODBs, or --output and one";
                    return Err(Error::Usage(text.into()));
                }
                None => {
                    let last = sodb.pop().expect("clap requires one");
                    let text = format!("the output is the last SODB, {}", last.display());
                    say(AnsiColor::Cyan, "note", &text);
                    last
                }
            };
            count_interrupts(1)?;
            let report = merge_sodb::merge(&output, &sodb)?;
            warn(&report.warnings);
            for failure in &report.failures {
                say(AnsiColor::Red, "error", failure);
            }
            format.print(&report)?;
            Ok(listed_unless(report.failures.is_empty()))
        }
        Command::CheckpointDb { sodb } => {
            merge_sodb::checkpoint(&sodb)?;
            Ok(exit_code::COMPLETE)
        }
        Command::Stats { psdb, top, output } => {
            let report = stats::stats(&psdb, top)?;
            warn(&report.warnings);
            output.print(&report)
        }
        Command::Verify {
            psdb,
            sodb,
            plugin,
            ddi_versions,
            max_threads,
            timeout,
            shard,
            objects,
            output,
        } => {
            ddi_versions.allow();
            let source = match sodb.zip(plugin) {
                None => None,
                Some((sodb, plugin)) => {
                    count_interrupts(3)?;
                    Some(Source {
                        sodb,
                        plugin: PluginChoice::from(&*plugin),
                        selection: objects.selection(&shard)?,
                        threads: max_threads.unwrap_or_else(all_threads),
                        workers: workers(timeout)?,
                        interrupts,
                    })
                }
            };
            let bar = progress("{wide_bar} {pos} / {len}, {rate}, {eta} left");
            let report = verify::verify(&psdb, source.as_ref(), &mut |done, total| {
                bar.set_length(total);
                bar.set_position(done);
            })?;
            bar.finish_and_clear();
            warn(&report.warnings);
            output.print(&report)?;
            Ok(listed_unless(report.is_sound()))
        }
        Command::Extract {
            psdb,
            directory,
            key,
            types,
            output,
        } => {
            let types = if types.is_empty() {
                ValueTypes::ALL
            } else {
                types.iter().map(ValueType::from).collect()
            };
            let report = extract::extract(&psdb, &directory, types, given(key).as_ref())?;
            output.print(&report)?;
            Ok(listed_unless(report.is_complete()))
        }
        Command::DiffPsdb {
            first,
            second,
            output,
        } => {
            let report = diff_psdb::diff(&first, &second)?;
            warn(&report.warnings);
            output.print(&report)?;
            Ok(listed_unless(report.is_same()))
        }
        Command::Check {
            psdb,
            driver,
            plugin,
            ddi_versions,
            timeout,
            output,
        } => {
            ddi_versions.allow();
            let workers = workers(timeout)?;
            let user = match (driver, plugin) {
                (Some(driver), _) => User::Driver(driver),
                (None, Some(plugin)) => User::Plugin(PluginChoice::from(&*plugin), &workers),
                (None, None) => unreachable!("clap requires one of them"),
            };
            let report = check::check(&psdb, &user)?;
            output.print(&report)?;
            Ok(report.verdict.exit_code())
        }
        Command::MergePsdb {
            psdb,
            output,
            format,
        } => {
            count_interrupts(1)?;
            let bar = progress("{spinner} {bytes} read, {bytes_per_sec}");
            let merged = merge_psdb::merge(&output, &psdb, &mut |bytes| bar.inc(bytes))?;
            bar.finish_and_clear();
            let conflicts = match merged {
                Ok(report) => {
                    warn(&report.warnings);
                    for line in &report.incomplete {
                        let text = format!("{}: {line}", output.display());
                        say(AnsiColor::Red, "error", &text);
                    }
                    format.print(&report)?;
                    return Ok(listed_unless(report.incomplete.is_empty()));
                }
                Err(conflicts) => conflicts,
            };
            for line in conflicts.lines() {
                say(AnsiColor::Red, "error", &line);
            }
            format.print(&conflicts)?;
            Ok(exit_code::USAGE)
        }
    }
}

fn compile(args: CompileArgs) -> Result<u8> {
    args.ddi_versions.allow();
    match args.priority {
        Class::Idle => priority::lower(Priority::Idle),
        Class::BelowNormal => priority::lower(Priority::BelowNormal),
        Class::Normal => {}
    }
    let adapter = args.adapter.as_deref().map(OfAdapter::new).transpose()?;
    let given = args.plugin.as_deref().map(PluginChoice::from);
    let of_adapter = adapter.as_ref().map(|adapter| adapter.plugin.clone());
    let plugin = given.or(of_adapter).ok_or_else(|| {
        Error::Usage(
            "no compiler plugin: give the DLL of one with --plugin, or try --plugin sample --adapter-family 0, which is linked in"
                .into(),
        )
    })?;
    let (family, abi) = match adapter {
        None => (None, 0),
        Some(adapter) => (Some(adapter.family), adapter.abi),
    };
    let CompileArgs {
        common,
        application,
        ..
    } = args;
    let threads = match args.max_threads {
        _ if common.single_threaded => NonZeroUsize::MIN,
        Some(threads) => threads,
        None => all_threads(),
    };
    let workers = if args.in_process {
        None
    } else {
        Some(workers(args.timeout)?)
    };
    count_interrupts(if args.in_process { 2 } else { 3 })?;
    let options = compile::Options {
        sodb: args.sodb,
        output: args.output,
        pdb: path(args.pdb),
        perf: path(args.perf),
        plugin,
        adapter_family: args.adapter_family.or(family),
        abi: if args.abi == 0 { abi } else { args.abi },
        recompile: match args.recompile {
            Again::Must => Recompile::Must,
            Again::Should => Recompile::Should,
        },
        application: application.into(),
        selection: common.objects.selection(&args.shard)?,
        threads,
        workers,
    };
    let recorder = match &args.manifest {
        None => None,
        Some(path) => match manifest::begin(path, &options)? {
            Begun::LeftAlone(left) => {
                warn(&left.report.warnings);
                return args.format.print(&left);
            }
            Begun::Run(recorder) => {
                warn(recorder.warning.as_slice());
                Some(recorder)
            }
        },
    };
    let watcher = Watcher {
        bar: (io::stdout().is_terminal() && io::stderr().is_terminal()).then(|| {
            progress("{elapsed_precise} {wide_bar} {pos} / {len}, {rate}, {eta} left{msg}")
        }),
        lines: matches!(args.format.format, Format::Text),
        last: AtomicUsize::new(usize::MAX),
        show_info_queue: common.show_info_queue,
    };
    let report = compile::compile(&options, &watcher)?;
    if let Some(bar) = watcher.bar {
        bar.finish_and_clear();
    }
    warn(&report.warnings);
    for failure in &report.failures {
        say(AnsiColor::Red, "error", failure);
    }
    for name in &report.never_stored {
        let text = format!(
            "the plugin has stored no {name} values for any object: if it makes none, do not ask for them"
        );
        say(AnsiColor::Red, "error", &text);
    }
    let printed = args.format.print(&report);
    if let Some(recorder) = recorder {
        recorder.finish(&report)?;
    }
    printed?;
    if report.not_done != 0 {
        let text = "interrupted: run the same command again to continue";
        say(AnsiColor::Yellow, "warning", &text);
    }
    if report.is_to_be_repeated() {
        return Ok(exit_code::TRY_AGAIN);
    }
    Ok(listed_unless(report.is_complete()))
}

fn replay(args: ReplayArgs) -> Result<u8> {
    let Common {
        show_info_queue,
        // It always is.
        single_threaded: _,
        objects,
    } = args.common;
    let options = replay::Options {
        sodb: args.sodb,
        adapter: adapters::find(&args.adapter)?,
        caches: args.caches,
        application: args.application.into(),
        selection: objects.selection(&ShardChoice::default())?,
    };
    count_interrupts(1)?;
    let report = replay::replay(&options, &mut |key, message| {
        if show_info_queue {
            let text = format!("object {}: {message}", short_hex(key));
            say(AnsiColor::Cyan, "info queue", &text);
        }
    })?;
    warn(&report.warnings);
    for fault in &report.driver_faults {
        say(AnsiColor::Red, "error", &format!("the driver: {fault}"));
    }
    args.format.print(&report)?;
    Ok(listed_unless(report.is_complete()))
}

/// The target of an adapter.
struct OfAdapter {
    plugin: PluginChoice,
    family: String,
    abi: u64,
}

impl OfAdapter {
    fn new(wanted: &str) -> Result<Self> {
        let adapter = adapters::find(wanted)?;
        let support = adapters::support(&adapter, None)?.ok_or_else(|| {
            Error::Usage(format!(
                "the driver of adapter {wanted} reports no ABI support, which --adapter needs: use --plugin and --adapter-family"
            ))
        })?;
        Ok(Self {
            plugin: adapters::plugin(&adapter),
            abi: *support.abi.end(),
            family: support.family,
        })
    }
}

impl From<ChangedApplication> for ApplicationChanges {
    fn from(changed: ChangedApplication) -> Self {
        Self {
            name: changed.name,
            exe_filename: changed.exe_filename,
            version: changed.app_version,
            engine: changed.engine,
            engine_version: changed.engine_version,
        }
    }
}

/// Settings to start this program as worker processes. A `timeout` of zero means no limit.
fn workers(timeout: Duration) -> Result<Workers> {
    let exe = std::env::current_exe();
    Ok(Workers {
        exe: exe.map_err(|error| {
            Error::Usage(format!("cannot find this program's executable: {error}"))
        })?,
        args: vec!["worker".into()],
        timeout: Some(timeout).filter(|timeout| !timeout.is_zero()),
        printed: |line| say(AnsiColor::Magenta, "plugin", &line),
    })
}

/// A path; `None` for an empty text, which a program passes that passes every default.
fn path(given: Option<OsString>) -> Option<PathBuf> {
    given.filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn given(key: Option<WantedKey>) -> Option<KeyText> {
    key.and_then(|WantedKey(key)| key)
}

impl Chosen {
    fn selection(self, shard: &ShardChoice) -> Result<Selection> {
        let shard = match shard.shards {
            Some(count) => {
                let variable = |name: &str| std::env::var_os(name);
                Some(Shard::from_environment(count, variable)?)
            }
            None => shard.shard,
        };
        Ok(Selection {
            key: given(self.key),
            psos: self.psos || !self.no_psos,
            state_objects: self.state_objects || !self.no_state_objects,
            add_to_state_objects: self.add_to_state_objects || !self.no_add_to_state_objects,
            shard,
        })
    }
}

fn all_threads() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The number of times that the user, or the system, has asked this process to end.
static INTERRUPTS: AtomicUsize = AtomicUsize::new(0);

/// Whether the run checks for these requests itself.
static ARE_HEEDED: AtomicBool = AtomicBool::new(false);

/// Counts requests for the end from here on. The handler obeys request number `last` at once, and every request before the
/// run checks for them.
fn count_interrupts(last: usize) -> Result<()> {
    let handler = move || {
        let count = INTERRUPTS.fetch_add(1, Ordering::Relaxed) + 1;
        if count >= last || !ARE_HEEDED.load(Ordering::Relaxed) {
            temporary::remove_all();
            std::process::exit(exit_code::TRY_AGAIN.into());
        }
    };
    let set = || {
        ctrlc::set_handler(handler).map_err(|error| {
            let source = match error {
                ctrlc::Error::System(source) => source,
                error => io::Error::other(error),
            };
            let what = "cannot handle interrupts";
            Error::System { what, source }
        })
    };
    leave_ignored(set)
}

/// The number of times that the user has asked this process to end. After the first call of this, the run obeys, not the
/// handler.
fn interrupts() -> usize {
    ARE_HEEDED.store(true, Ordering::Relaxed);
    INTERRUPTS.load(Ordering::Relaxed)
}

/// Sets handlers of signals, except of ignored ones: `nohup` and shells set some to ignored.
#[cfg(unix)]
fn leave_ignored(set: impl FnOnce() -> Result<()>) -> Result<()> {
    let signals = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM];
    let ignored = signals.map(|signal| {
        // SAFETY: zero is a value of every field.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: the signal exists, and what is asked for is written to a valid structure.
        let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut now) };
        asked == 0 && now.sa_sigaction == libc::SIG_IGN
    });
    set()?;
    for (signal, _) in signals.iter().zip(ignored).filter(|(_, ignored)| *ignored) {
        // SAFETY: ignoring needs no handler.
        unsafe { libc::signal(*signal, libc::SIG_IGN) };
    }
    Ok(())
}

#[cfg(not(unix))]
fn leave_ignored(set: impl FnOnce() -> Result<()>) -> Result<()> {
    set()
}

/// A number of threads or processes.
fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "not a number of at least 1".to_owned())
}

/// A number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "not a number".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Shows a run of `compile`: a bar to a terminal, lines to a pipe.
struct Watcher {
    bar: Option<ProgressBar>,
    lines: bool,
    /// The number of done objects in the last line.
    last: AtomicUsize,
    show_info_queue: bool,
}

impl Listener for Watcher {
    fn progress(&self, progress: Progress) {
        let Progress {
            elapsed,
            done,
            failed,
            total,
        } = progress;
        if let Some(bar) = &self.bar {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            if failed != 0 {
                bar.set_message(format!(", {failed} failed"));
            }
        } else if self.lines && self.last.swap(done, Ordering::Relaxed) != done {
            let seconds = elapsed.as_secs();
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            let mut out = io::stdout().lock();
            // Engine tools read this shape. A reader that has gone away is no reason to stop compiling.
            let _ = writeln!(
                out,
                "{hours:02}:{minutes:02}:{seconds:02}: {done} / {total}"
            )
            .and_then(|()| out.flush());
        }
    }

    fn message(&self, key: &[u8], message: &Message) {
        if self.show_info_queue {
            let text = format!("object {}: {message}", short_hex(key));
            say(AnsiColor::Cyan, "info queue", &text);
        }
    }

    fn interrupts(&self) -> usize {
        interrupts()
    }
}

fn listed_unless(complete: bool) -> u8 {
    if complete {
        exit_code::COMPLETE
    } else {
        exit_code::LISTED
    }
}

impl OptionalApplication {
    /// The application, if it has the fields that a plugin needs.
    fn whole(self) -> Result<Option<identity::Application>> {
        let Self {
            name,
            exe_filename,
            app_version,
            engine,
            engine_version,
        } = self;
        if engine.is_none() && engine_version != 0 {
            let text = "--engine-version needs an engine: give --engine as well";
            return Err(Error::Usage(text.into()));
        }
        let has_any = app_version != 0
            || [&name, &exe_filename, &engine]
                .iter()
                .any(|text| text.is_some());
        let whole = name
            .zip(exe_filename)
            .map(|(name, exe)| identity::Application {
                exe,
                name,
                version: app_version,
                engine_name: engine,
                engine_version,
            });
        if whole.is_none() && has_any {
            let text = "the version of the application's profile is not listed: a plugin tells it for a name and the file \
                        name of an executable";
            say(AnsiColor::Yellow, "warning", &text);
        }
        Ok(whole)
    }
}

impl From<Application> for identity::Application {
    fn from(application: Application) -> Self {
        Self {
            exe: application.exe_filename,
            name: application.name,
            version: application.app_version,
            engine_name: application.engine,
            engine_version: application.engine_version,
        }
    }
}

impl Output {
    /// Prints to standard output. If the reader has closed it, this is no error: the work is done.
    fn print<R: Display + Serialize>(&self, report: &R) -> Result<u8> {
        let mut out = io::stdout().lock();
        let printed = match self.format {
            Format::Text => write!(out, "{report}"),
            Format::Json => serde_json::to_string_pretty(report)
                .map_err(io::Error::from)
                .and_then(|json| writeln!(out, "{json}")),
        };
        match printed.and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Output(error)),
            _ => Ok(exit_code::COMPLETE),
        }
    }
}

/// Prints a line to standard error, coloured on a terminal. The text may come from files and plugins.
fn say(color: AnsiColor, label: &str, text: &dyn Display) {
    let style = Style::new().fg_color(Some(color.into())).bold();
    let text = one_line(&text.to_string());
    // There is nowhere to say that this failed.
    let _ = writeln!(anstream::stderr(), "{style}{label}:{style:#} {text}");
}

fn warn(warnings: &[String]) {
    for warning in warnings {
        say(AnsiColor::Yellow, "warning", warning);
    }
}

/// A progress bar on standard error, which appears only on a terminal.
fn progress(template: &str) -> ProgressBar {
    let rate = |state: &ProgressState, to: &mut dyn std::fmt::Write| {
        let _ = write!(to, "{:.1}/s", state.per_sec());
    };
    let style = ProgressStyle::with_template(template)
        .expect("the templates are constant")
        .with_key("rate", rate);
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style);
    // It takes a thread.
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar
}
