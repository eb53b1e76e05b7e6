//! Runs that are killed at a change of a file: the same command ends with the same bytes, and leaves nothing beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::compile::make_many;
use crate::{Folder, Ran, unsteady_plugin};

/// Each run is killed at one of so many changes, or as many as `TOOL_KILL_EVERY` in the environment says.
const EVERY: usize = 41;
/// Of its last changes, which give the files their form, at more of them.
const LAST: usize = 30;
const EVERY_OF_LAST: usize = 7;

/// A run after one that made its files.
struct Scenario {
    before: &'static [&'static str],
    /// The version of the compiler before.
    compiler: &'static str,
    after: &'static [&'static str],
}

const SCENARIOS: [Scenario; 6] = [
    // A type of value that is asked for later. PDBs have keys of their own, so that all groups change.
    Scenario {
        before: &["a.psdb"],
        compiler: "1.0.0.0",
        after: &["a.psdb", "--pdb", "a.pdb"],
    },
    Scenario {
        before: &["a.psdb", "--pdb", "a.pdb"],
        compiler: "1.0.0.0",
        after: &["a.psdb", "--pdb", "a.pdb", "--perf", "a.perf"],
    },
    // Some objects of it, and new ones.
    Scenario {
        before: &["a.psdb", "--key", "hex:01000000"],
        compiler: "1.0.0.0",
        after: &["a.psdb", "--pdb", "a.pdb"],
    },
    Scenario {
        before: &["a.psdb", "--key", "hex:01000000"],
        compiler: "1.0.0.0",
        after: &["a.psdb"],
    },
    Scenario {
        before: &["other.psdb"],
        compiler: "1.0.0.0",
        after: &["a.psdb", "--pdb", "a.pdb"],
    },
    // Everything again.
    Scenario {
        before: &["a.psdb", "--pdb", "a.pdb"],
        compiler: "0.9.0.0",
        after: &["a.psdb", "--pdb", "a.pdb"],
    },
];

/// Where a run compiles, without the files that stay the same.
fn run(folder: &Folder, place: &Path, compiler: &str, args: &[&str]) -> assert_cmd::Command {
    let plugin = unsteady_plugin();
    let sodb = folder.path("a.sodb");
    let compile = ["compile", sodb.to_str().unwrap()];
    let with = ["--in-process", "--single-threaded", "--plugin"];
    let mut command = folder.command(&[&compile[..], args, &with].concat());
    command.arg(plugin).current_dir(place);
    command.env("UNSTEADY_COMPILER", compiler);
    // A killed run leaves a folder for a minute.
    command.env("TMPDIR", folder.path("temporary"));
    command
}

fn content(place: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(place).unwrap().map(Result::unwrap);
    let content = files.map(|file| {
        let name = file.file_name().into_string().unwrap();
        (name, fs::read(file.path()).unwrap())
    });
    content.collect()
}

fn put(place: &Path, files: &BTreeMap<String, Vec<u8>>) {
    let _ = fs::remove_dir_all(place);
    fs::create_dir(place).unwrap();
    for (name, bytes) in files {
        fs::write(place.join(name), bytes).unwrap();
    }
}

/// The library that kills; none, with a line, where there is no compiler.
fn killer(folder: &Folder) -> Option<PathBuf> {
    let library = folder.path("kill.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/kill.c");
    let mut command = Command::new("cc");
    command
        .args([
            "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o",
        ])
        .args([&library, &source])
        .arg("-ldl");
    match command.status() {
        Ok(status) => {
            assert!(status.success(), "{} does not compile", source.display());
            Some(library)
        }
        Err(error) => {
            println!("skipped: no C compiler ({error})");
            None
        }
    }
}

#[test]
fn the_same_command_completes_what_a_killed_run_left() {
    let folder = Folder::new();
    let Some(killer) = killer(&folder) else {
        return;
    };
    let every = std::env::var("TOOL_KILL_EVERY").map_or(EVERY, |every| every.parse().unwrap());
    make_many(&folder.path("a.sodb"), 3);
    fs::create_dir(folder.path("temporary")).unwrap();
    let place = folder.path("place");
    for Scenario {
        before,
        compiler,
        after,
    } in SCENARIOS
    {
        let again = || run(&folder, &place, "1.0.0.0", after);
        put(&place, &BTreeMap::new());
        let ran = Ran::from(&mut run(&folder, &place, compiler, before));
        assert_eq!(ran.code, 0, "{before:?}: {}", ran.stderr);
        let made = content(&place);
        let count = folder.path("count");
        let ran = Ran::from(again().env("LD_PRELOAD", &killer).env("KILL_COUNT", &count));
        assert_eq!(ran.code, 0, "{after:?}: {}", ran.stderr);
        let whole = content(&place);
        let changes: usize = fs::read_to_string(count).unwrap().parse().unwrap();
        // The bytes are those of one run, without the one before.
        put(&place, &BTreeMap::new());
        assert_eq!(Ran::from(&mut again()).code, 0);
        for (name, bytes) in content(&place) {
            assert!(whole[&name] == bytes, "{before:?} {after:?}: {name}");
        }
        let last = (changes.saturating_sub(LAST).max(1)..=changes).step_by(EVERY_OF_LAST);
        for at in (1..=changes).step_by(every).chain(last) {
            let what = format!("{before:?} {after:?} killed at {at} of {changes}");
            put(&place, &made);
            let mut killed = again();
            killed
                .env("LD_PRELOAD", &killer)
                .env("KILL_AT", at.to_string());
            let killed = killed.output().unwrap();
            assert_eq!(killed.status.code(), None, "{what}");
            let ran = Ran::from(&mut again());
            assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
            let left: Vec<_> = content(&place).into_keys().collect();
            assert!(left.iter().eq(whole.keys()), "{what}: {left:?}");
            assert!(content(&place) == whole, "{what}");
        }
    }
}

type Change = fn(&Path);

/// What another program does to an output that a run has open.
#[test]
fn an_output_that_is_removed_or_replaced_meanwhile_is_tried_again() {
    let folder = Folder::new();
    make_many(&folder.path("a.sodb"), 2);
    fs::create_dir(folder.path("temporary")).unwrap();
    let place = folder.path("place");
    put(&place, &BTreeMap::new());
    let ran = Ran::from(&mut run(&folder, &place, "1.0.0.0", &["b.psdb"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let other = content(&place);
    let changes: [(&str, Change, &[&str]); 3] = [
        (
            "removed",
            |place| fs::remove_file(place.join("a.psdb")).unwrap(),
            &[],
        ),
        (
            "replaced",
            |place| {
                fs::copy(place.join("b.psdb"), place.join("c.psdb")).unwrap();
                fs::rename(place.join("c.psdb"), place.join("a.psdb")).unwrap();
            },
            &["a.psdb"],
        ),
        (
            "all removed",
            |place| {
                for suffix in ["", "-wal", "-shm"] {
                    let _ = fs::remove_file(place.join(format!("a.psdb{suffix}")));
                }
            },
            &[],
        ),
    ];
    for (what, change, left) in changes {
        for more in [&[][..], &["--pdb", "a.pdb"]] {
            put(&place, &other);
            let met = folder.path("met");
            let _ = fs::remove_file(&met);
            // Its first compile call waits for another, which does not come before the change.
            let plugin = unsteady_plugin();
            let child = Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"))
                .args(["compile", "../a.sodb", "a.psdb", "--max-threads", "1"])
                .args(more)
                .arg("--plugin")
                .arg(plugin)
                .current_dir(&place)
                .env("UNSTEADY", "together")
                .env("UNSTEADY_TOGETHER", &met)
                .env("UNSTEADY_COMPILER", "1.0.0.0")
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            while !met.exists() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            change(&place);
            fs::write(&met, "here\nhere\n").unwrap();
            let ran = Ran::from(child.wait_with_output().unwrap());
            assert_eq!(ran.code, 75, "{what}: {}", ran.stderr);
            let says =
                "a.psdb: it was removed, or another file was put in its place, during the run";
            assert!(ran.stderr.contains(says), "{what}: {}", ran.stderr);
            let now = content(&place);
            let of_output = now.keys().filter(|name| name.starts_with("a.psdb"));
            assert_eq!(of_output.collect::<Vec<_>>(), left, "{what}");
            if let Some(bytes) = now.get("a.psdb") {
                assert!(
                    *bytes == other["b.psdb"],
                    "{what}: the other file is changed"
                );
            }
        }
    }
}
