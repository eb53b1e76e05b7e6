//! The program, run on files that the tests make.

mod adapters;
mod compile;
mod complete;
#[cfg(target_os = "linux")]
mod killed;
mod list;
mod manifest;
mod names;
mod orders;
mod psdb;
mod rederive;
mod replay;
mod shards;
mod sodb;
mod usage;
mod versions;
mod workers;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use shader_db::psdb::{Application, Options, Psdb, Target, ValueType, ValueTypes};
use tempfile::TempDir;

/// A directory to run in, so that messages have short paths.
struct Folder(TempDir);

/// The plugin `examples/unsteady_plugin.rs`, which cargo builds with the tests.
fn unsteady_plugin() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"));
    let name = format!("{DLL_PREFIX}unsteady_plugin{DLL_SUFFIX}");
    let plugin = program.with_file_name("examples").join(name);
    let text = "`cargo test` builds it, but not with a filter: `cargo build --examples` does";
    assert!(plugin.exists(), "{}: {text}", plugin.display());
    plugin
}

/// What the program did.
#[derive(Debug)]
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl From<&mut Command> for Ran {
    fn from(command: &mut Command) -> Self {
        command.output().expect("the program runs").into()
    }
}

impl From<std::process::Output> for Ran {
    fn from(output: std::process::Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
        Self {
            code: output.status.code().expect("an exit code"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"));
        command
            .current_dir(self.0.path())
            .args(args)
            .env_remove("CLICOLOR_FORCE")
            .env_remove("COLUMNS");
        // What runs the tests may be a batch engine's task.
        command.env_remove("D3D12_MOCK_ADAPTERS");
        for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "HQ_TASK_ID"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        Ran::from(&mut self.command(args))
    }

    /// The output of a command that has to succeed without a message.
    #[track_caller]
    fn output(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        ran.stdout
    }

    /// The message of a command that has to fail, without output.
    #[track_caller]
    fn failure(&self, args: &[&str], code: i32) -> String {
        let ran = self.run(args);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (code, ""),
            "{}",
            ran.stderr
        );
        ran.stderr
    }

    /// The names of the files.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("the directory");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect();
        names.sort();
        names
    }
}

fn application() -> Application {
    Application {
        exe: "игра.exe".into(),
        name: "Игра".into(),
        version: 0x0001_0002_0003_0004,
        engine_name: Some("Engine".into()),
        engine_version: 5 << 48,
    }
}

fn target() -> Target {
    Target {
        family: "VENDOR_CHIP:gen1".into(),
        abi: 3,
        compiler_version: 0x0020_0000_59d3_07d5,
        profile_version: 7,
    }
}

type Value<'a> = (&'a [u8], ValueType, &'a [u8]);
type Group<'a> = (&'a [u8], u32, &'a [&'a [u8]]);

fn make_psdb_for(path: &Path, target: Target, values: &[Value], groups: &[Group]) {
    let options = Options {
        application: Some(application()),
        target: Some(target),
        ..Options::default()
    };
    let psdb = Psdb::open(&[(ValueTypes::ALL, path)], &options).expect("a new file");
    for (key, kind, value) in values {
        psdb.store_value(key, &[(*kind, value)]).expect("a value");
    }
    for (key, version, keys) in groups {
        psdb.store_group(key, *version, keys).expect("a group");
    }
    psdb.close().expect("a finished file");
}

fn make_psdb(path: &Path, values: &[Value], groups: &[Group]) {
    make_psdb_for(path, target(), values, groups);
}

/// Flips a bit of the only place in a file that has these bytes.
fn damage(path: &Path, pattern: &[u8]) {
    let mut bytes = std::fs::read(path).expect("the file");
    let mut places = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(pattern));
    let place = places.next().expect("the pattern is there");
    assert_eq!(places.next(), None, "the pattern is there once");
    bytes[place] ^= 1;
    std::fs::write(path, bytes).expect("the file is written");
}
