//! `plan`, and `compile` of shards.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use compiler_runtime::message::Message;
use state_object_compiler::compile::{
    self, ApplicationChanges, Listener, Options, Progress, Recompile, Selection,
};
use state_object_compiler::merge_psdb;
use state_object_compiler::plugin::PluginChoice;
use state_object_compiler::shard::Shard;

use crate::compile::{OBJECTS, args, example};
use crate::{Folder, Ran};

struct Silent;

impl Listener for Silent {
    fn progress(&self, _: Progress) {}
    fn message(&self, _: &[u8], _: &Message) {}

    fn interrupts(&self) -> usize {
        0
    }
}

/// Compiles the example, or a shard of it, without failures.
fn compile(folder: &Folder, output: &str, shard: Option<Shard>) -> PathBuf {
    let output = folder.path(output);
    let options = Options {
        sodb: folder.path("пример.sodb"),
        output: output.clone(),
        pdb: None,
        perf: None,
        plugin: PluginChoice::Sample,
        adapter_family: Some("0".into()),
        abi: 0,
        recompile: Recompile::default(),
        application: ApplicationChanges::default(),
        selection: Selection {
            shard,
            ..Selection::default()
        },
        threads: NonZeroUsize::MIN,
        workers: None,
    };
    let report = compile::compile(&options, &Silent).unwrap();
    assert!(report.failures.is_empty() && report.warnings.is_empty());
    output
}

/// Some orders of a list, and all if it is short.
fn orders(files: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    if files.len() <= 3 {
        return match files {
            [] => vec![Vec::new()],
            _ => (0..files.len())
                .flat_map(|first| {
                    let mut rest = files.to_vec();
                    let first = rest.remove(first);
                    let with = move |rest| [vec![first.clone()], rest].concat();
                    orders(&rest).into_iter().map(with).collect::<Vec<_>>()
                })
                .collect(),
        };
    }
    let mut reversed = files.to_vec();
    reversed.reverse();
    let mut rotated = files.to_vec();
    rotated.rotate_left(files.len() / 2);
    let (even, odd): (Vec<_>, Vec<_>) = files
        .iter()
        .cloned()
        .enumerate()
        .partition(|(n, _)| n % 2 == 0);
    let interleaved = odd.into_iter().chain(even).map(|(_, file)| file).collect();
    vec![files.to_vec(), reversed, rotated, interleaved]
}

#[test]
fn merged_shards_are_the_whole_byte_for_byte() {
    let folder = example();
    let whole = fs::read(compile(&folder, "whole.psdb", None)).unwrap();
    // Of 20 some have nothing.
    for count in (1..=8).chain([20]) {
        let shards: Vec<PathBuf> = (0..count)
            .map(|index| {
                let shard = Shard::parse(&format!("{index}/{count}")).unwrap();
                compile(&folder, &format!("{index} of {count}.psdb"), Some(shard))
            })
            .collect();
        for order in orders(&shards) {
            let merged = folder.path("merged.psdb");
            let done = merge_psdb::merge(&merged, &order, &mut |_| {}).unwrap();
            assert!(done.is_ok(), "{done:?}");
            assert!(fs::read(&merged).unwrap() == whole, "{count}: {order:?}");
            fs::remove_file(merged).unwrap();
        }
    }
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

fn groups(path: &Path) -> Vec<String> {
    let file = shader_db::psdb::File::open(path).unwrap();
    let mut keys = Vec::new();
    file.for_each_group(&mut |key, _| {
        keys.push(hex::encode(key));
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    keys
}

#[test]
fn a_plan_says_what_each_shard_compiles() {
    let folder = example();
    insta::assert_snapshot!(folder.output(&["plan", "пример.sodb", "--shards", "3"]));
    let many = folder.output(&["plan", "пример.sodb", "--shards", "18"]);
    assert!(many.contains(" objects stay together"), "{many}");
    let plan = json(&folder.output(&["plan", "пример.sodb", "--shards", "3", "--format", "json"]));
    let mut objects = 0;
    for (index, planned) in plan["shards"].as_array().unwrap().iter().enumerate() {
        let shard = format!("{index}/3");
        let output = format!("{index}.psdb");
        let args = args(&output, "0", &["--format", "json", "--shard", &shard]);
        let report = json(&folder.output(&args));
        assert_eq!(
            (&planned["shard"], &report["shard"]),
            (&shard.clone().into(), &shard.into())
        );
        assert_eq!(
            (&planned["objects"], &report["failures"]),
            (&report["compiled"], &json("[]"))
        );
        let mut keys: Vec<&str> = planned["keys"]
            .as_array()
            .unwrap()
            .iter()
            .map(|key| key.as_str().unwrap())
            .collect();
        keys.sort_unstable();
        assert_eq!(groups(&folder.path(&output)), keys);
        objects += keys.len();
    }
    assert_eq!(objects, OBJECTS);
}

fn one_of_four(output: &str) -> Vec<&str> {
    args(output, "0", &["--shards", "4"])
}

#[test]
fn a_batch_engine_says_which_shard() {
    let folder = example();
    let ran = folder.run(&args("given.psdb", "0", &["--shard", "2/4"]));
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("\nShard: 2/4\n"), "{}", ran.stdout);
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "HQ_TASK_ID"] {
        let output = format!("{name}.psdb");
        folder
            .command(&one_of_four(&output))
            .env(name, "2")
            .assert()
            .code(0);
        assert!(
            fs::read(folder.path(&output)).unwrap() == fs::read(folder.path("given.psdb")).unwrap()
        );
        for value in ["4", "two"] {
            let assert = folder
                .command(&one_of_four("none.psdb"))
                .env(name, value)
                .assert()
                .code(2);
            let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
            assert!(
                message.contains(name) && message.contains(value),
                "{message}"
            );
        }
    }
    // What is set to nothing is not set.
    let mut command = folder.command(&one_of_four("nothing.psdb"));
    command
        .env("SLURM_ARRAY_TASK_ID", "")
        .env("HQ_TASK_ID", "2");
    command.assert().code(0);
    let message = folder.failure(&one_of_four("none.psdb"), 2);
    assert!(
        message.contains("SLURM_ARRAY_TASK_ID") && message.contains("--shard K/4"),
        "{message}"
    );
    for more in [&["--shard", "2/4"][..], &["--shards", "0"]] {
        folder.failure(&[&one_of_four("none.psdb"), more].concat(), 2);
    }
    let message = folder.failure(&args("none.psdb", "0", &["--shard", "8/8"]), 2);
    assert!(
        message.contains("the shards of 8 are 0/8 to 7/8"),
        "{message}"
    );
    assert!(!folder.path("none.psdb").exists());
}

#[test]
fn what_was_selected_is_verified() {
    let folder = example();
    for (output, more) in [
        ("shard.psdb", &["--shard", "1/3"][..]),
        ("shards.psdb", &["--shards", "3", "--no-psos"]),
        ("key.psdb", &["--key", "rays"]),
        ("kinds.psdb", &["--no-psos", "--no-add-to-state-objects"]),
    ] {
        let run = |args: &[&str]| {
            let mut command = folder.command(args);
            Ran::from(command.env("HQ_TASK_ID", "1"))
        };
        assert_eq!(run(&args(output, "0", more)).code, 0);
        let verify = [
            "verify",
            output,
            "--sodb",
            "пример.sodb",
            "--plugin",
            "sample",
        ];
        let same = run(&[&verify, more].concat());
        assert_eq!((same.code, &*same.stderr), (0, ""), "{same:?}");
        let stored = groups(&folder.path(output)).len();
        let compared = format!("\n{stored} objects compiled again and compared\nsound\n");
        assert!(same.stdout.ends_with(&compared), "{same:?}");
        let found = same.stdout.contains("\nKey: 72617973, given as text\n");
        assert_eq!(found, output == "key.psdb", "{same:?}");
        let all = run(&verify);
        let missing = all
            .stdout
            .matches(": missing: the SODB has this object")
            .count();
        assert_eq!((all.code, missing), (1, OBJECTS - stored), "{all:?}");
        let other = run(&[&verify[..], &["--key", "forward lit"]].concat());
        let line = "the SODB has no such object, or it is not selected\n";
        assert!(other.stdout.contains(line), "{other:?}");
    }
}
