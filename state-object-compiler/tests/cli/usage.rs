//! The command line itself: help, mistakes, pipes.

use std::process::{Command, Stdio};
#[cfg(unix)]
use std::time::Duration;

#[cfg(unix)]
use crate::Ran;
use crate::{Folder, make_psdb};

const COMMANDS: [&str; 13] = [
    "compile",
    "replay",
    "plan",
    "list",
    "set-identity",
    "get-identity",
    "merge-sodb",
    "checkpoint-db",
    "stats",
    "verify",
    "extract",
    "diff-psdb",
    "merge-psdb",
];

#[test]
fn help() {
    let folder = Folder::new();
    let mut help = folder.output(&["--help"]);
    for command in COMMANDS {
        let text = folder.output(&[command, "--help"]);
        assert!(text.contains("Exit codes:"), "{command}");
        help.extend(["\n==== ", command, "\n\n", &text]);
    }
    insta::assert_snapshot!(help);
}

#[test]
fn mistakes_exit_with_2_and_write_to_standard_error() {
    let folder = Folder::new();
    let mistakes: &[&[&str]] = &[
        &[],
        &["no-such-command"],
        &["compile", "a.sodb"],
        &[
            "compile",
            "a.sodb",
            "b.psdb",
            "--plugin",
            "sample",
            "--single-threaded",
            "--max-threads",
            "2",
        ],
        &[
            "compile",
            "a.sodb",
            "b.psdb",
            "--plugin",
            "sample",
            "--priority",
            "high",
        ],
        // A value, as far as the program can know.
        &[
            "compile",
            "--plugin",
            "sample",
            "--priority",
            "a.sodb",
            "b.psdb",
        ],
        &["compile", "a.sodb", "b.psdb", "--max-threads", "0"],
        &["replay", "a.sodb"],
        &["replay", "--adapter", "0"],
        &["replay", "a.sodb", "--adapter", "-1"],
        &["plan", "a.sodb"],
        &["plan", "a.sodb", "--shards", "0"],
        &["list"],
        &["list", "--plugin"],
        &["list", "--format", "json"],
        &["list", "--plugin", "sample", "--adapters"],
        &["verify", "a.psdb", "--sodb", "a.sodb"],
        &["verify", "a.psdb", "--max-threads", "2"],
        &["verify", "a.psdb", "--shard", "0/2"],
        &["verify", "a.psdb", "--key", "key"],
        &["verify", "a.psdb", "--no-psos"],
        &["list", "--plugin", "sample", "--format", "xml"],
        &["list", "--plugin", "sample", "--engine-version", "1.2"],
        &["set-identity", "game.sodb", "--name", "Game"],
        &[
            "set-identity",
            "a.sodb",
            "--name",
            "a",
            "--exe-filename",
            "a.exe",
            "--app-version",
            "1.x",
        ],
        &["get-identity"],
        &["merge-sodb"],
        &["stats", "a.psdb", "--top", "-1"],
        &["verify"],
        &["extract", "a.psdb"],
        &["extract", "a.psdb", "out", "--key", "hex:1"],
        &["extract", "a.psdb", "out", "--type", "code"],
        &["diff-psdb", "a.psdb"],
        &["merge-psdb", "a.psdb"],
    ];
    for args in mistakes {
        assert_ne!(folder.failure(args, 2), "", "{args:?}");
    }
    assert!(folder.files().is_empty(), "nothing is made");
}

#[test]
fn an_adapter_that_is_not_there_is_named() {
    let folder = Folder::new();
    for args in [
        &["compile", "a.sodb", "b.psdb", "--adapter", "7"][..],
        &["replay", "a.sodb", "--adapter", "7"],
    ] {
        let message = folder.failure(args, 2);
        let text = "error: there is no adapter \"7\"; there are: mock\n";
        assert_eq!(message, text, "{args:?}");
    }
    // Every option of Microsoft's program is taken.
    let all = [
        "replay",
        "--show-info-queue",
        "--key",
        "key",
        "--single-threaded",
        "--psos",
        "--no-psos",
        "--state-objects",
        "--no-state-objects",
        "--add-to-state-objects",
        "--no-add-to-state-objects",
        "--experimental",
        "--adapter",
        "0",
        "--name",
        "Game",
        "--exe-filename",
        "game.exe",
        "--app-version",
        "1.2",
        "--engine",
        "Engine",
        "--engine-version",
        "0x1",
        "none.sodb",
    ];
    let message = folder.failure(&all, 2);
    assert!(message.contains("none.sodb"), "{message}");
    let both = [
        "compile",
        "a.sodb",
        "b.psdb",
        "--adapter",
        "0",
        "--plugin",
        "sample",
    ];
    let message = folder.failure(&both, 2);
    assert!(message.contains("cannot be used with"), "{message}");
}

#[test]
fn a_missing_file_is_named_and_not_made() {
    let folder = Folder::new();
    for args in [
        &["compile", "none.file", "out.psdb", "--plugin", "sample"][..],
        &["plan", "none.file", "--shards", "2"],
        &["get-identity", "none.file"],
        &[
            "set-identity",
            "none.file",
            "--name",
            "a",
            "--exe-filename",
            "a.exe",
        ],
        &["checkpoint-db", "none.file"],
        &["merge-sodb", "none.file", "--output", "out.sodb"],
        &["stats", "none.file"],
        &["verify", "none.file"],
        &["extract", "none.file", "out"],
        &["diff-psdb", "none.file", "none.file"],
        &["merge-psdb", "none.file", "--output", "out.psdb"],
        &["list", "--plugin", "none.file"],
    ] {
        let message = folder.failure(args, 2);
        assert!(message.starts_with("error: "), "{args:?}: {message}");
        assert!(message.contains("none.file"), "{args:?}: {message}");
        assert!(folder.files().is_empty(), "{args:?}");
    }
}

#[test]
fn a_file_of_another_kind_is_refused_unchanged() {
    let folder = Folder::new();
    for content in [&b""[..], b"text", &[0; 5000]] {
        std::fs::write(folder.path("file"), content).unwrap();
        for args in [
            &["compile", "file", "out.psdb", "--plugin", "sample"][..],
            &["plan", "file", "--shards", "2"],
            &["get-identity", "file"],
            &[
                "set-identity",
                "file",
                "--name",
                "a",
                "--exe-filename",
                "a.exe",
            ],
            &["checkpoint-db", "file"],
            &["merge-sodb", "file", "--output", "out.sodb"],
            &["stats", "file"],
            &["verify", "file"],
            &["extract", "file", "out"],
            &["diff-psdb", "file", "file"],
            &["merge-psdb", "file", "--output", "out.psdb"],
            &["list", "--plugin", "./file"],
        ] {
            let message = folder.failure(args, 2);
            assert!(message.contains("file"), "{args:?}: {message}");
            assert_eq!(std::fs::read(folder.path("file")).unwrap(), content);
            assert_eq!(folder.files(), ["file"], "{args:?}");
        }
    }
}

#[test]
fn nothing_is_coloured_in_a_pipe() {
    let folder = Folder::new();
    let ran = folder.run(&["get-identity", "none"]);
    assert!(!ran.stderr.contains('\x1b'), "{}", ran.stderr);
}

fn program(folder: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"));
    command.current_dir(folder.path("")).args(args);
    command
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    let folder = Folder::new();
    make_psdb(
        &folder.path("a.psdb"),
        &[],
        &[(b"group", 1, &[b"no value"])],
    );
    for args in [
        &["list", "--plugin", "sample"][..],
        &["stats", "a.psdb"],
        &["verify", "a.psdb", "--format", "json"],
        &["merge-psdb", "a.psdb", "--output", "b.psdb"],
    ] {
        let expected = folder.run(args);
        let _ = std::fs::remove_file(folder.path("b.psdb"));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = program(&folder, args);
        let output = command
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(expected.code), "{args:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said, expected.stderr, "{args:?}");
    }
    assert!(folder.path("b.psdb").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_worth_a_retry() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let folder = Folder::new();
    let mut command = program(&folder, &["list", "--plugin", "sample"]);
    let output = command
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(75));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: standard output: "), "{message}");
}

#[cfg(unix)]
#[test]
fn what_is_beside_a_database_and_no_file_holds_nothing_up() {
    let folder = crate::compile::example();
    make_psdb(&folder.path("a.psdb"), &[], &[]);
    let compile = crate::compile::args("a.psdb", "0", &[]);
    for (database, suffix) in [
        ("a.psdb", "-journal"),
        ("a.psdb", "-wal"),
        ("a.psdb", "-shm"),
        ("пример.sodb", "-journal"),
        ("пример.sodb", "-wal"),
        ("пример.sodb", "-shm"),
    ] {
        let beside = format!("{database}{suffix}");
        let made = Command::new("mkfifo").arg(folder.path(&beside)).status();
        assert!(made.unwrap().success());
        let of_psdb: &[&[&str]] = &[&["verify", "a.psdb"], &["stats", "a.psdb"], &compile];
        let of_sodb: &[&[&str]] = &[
            &["get-identity", "пример.sodb"],
            &["plan", "пример.sodb", "--shards", "2"],
            &["checkpoint-db", "пример.sodb"],
            &compile,
        ];
        for args in if database == "a.psdb" {
            of_psdb
        } else {
            of_sodb
        } {
            let mut command = folder.command(args);
            let ran = Ran::from(command.timeout(Duration::from_secs(30)));
            assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
            let says = ran.stderr.contains(&beside) && ran.stderr.contains("SQLite would take");
            assert!(says, "{}", ran.stderr);
        }
        std::fs::remove_file(folder.path(&beside)).unwrap();
    }
}
