//! Names of outputs that SQLite, or the run itself, needs for something else.

use std::fs;
use std::time::Duration;

use crate::{Folder, Ran};

const SUFFIXES: [&str; 3] = ["-journal", "-wal", "-shm"];

/// No command may begin to wait for a lock.
const AT_ONCE: Duration = Duration::from_secs(30);

/// A folder with an SODB, a PSDB of it, and copies of both.
fn folder() -> Folder {
    let folder = crate::compile::example();
    fs::rename(folder.path("пример.sodb"), folder.path("a.sodb")).unwrap();
    folder.output(&compile("a.psdb"));
    for (from, to) in [("a.sodb", "b.sodb"), ("a.psdb", "b.psdb")] {
        fs::copy(folder.path(from), folder.path(to)).unwrap();
    }
    folder
}

fn compile(output: &str) -> Vec<&str> {
    let args = ["compile", "a.sodb", output];
    [&args[..], &["--plugin", "sample", "--adapter-family", "0"]].concat()
}

fn content(folder: &Folder) -> Vec<(String, Option<Vec<u8>>)> {
    let names = folder.files().into_iter();
    names
        .map(|name| {
            let content = fs::read(folder.path(&name)).ok();
            (name, content)
        })
        .collect()
}

/// The command fails at once, and changes nothing.
#[track_caller]
fn assert_refused(folder: &Folder, args: &[&str], text: &str) {
    let before = content(folder);
    let ran = Ran::from(folder.command(args).timeout(AT_ONCE));
    assert_eq!(
        (ran.code, &*ran.stdout),
        (2, ""),
        "{args:?}: {}",
        ran.stderr
    );
    assert!(ran.stderr.contains(text), "{args:?}: {}", ran.stderr);
    assert!(content(folder) == before, "{args:?}: {:?}", folder.files());
}

#[test]
fn no_output_has_a_name_that_sqlite_gives() {
    let folder = folder();
    // Of databases that are there, are made by the same command, or may be made later.
    for base in ["a.psdb", "a.sodb", "o.psdb"] {
        for suffix in SUFFIXES.into_iter().chain(["-Wal"]) {
            let name = &*format!("{base}{suffix}");
            let reason = format!("{name}: SQLite gives names that end with ");
            for more in [
                &["--pdb", name][..],
                &["--perf", name],
                &["--manifest", name],
                &["--shard", "0/2", "--pdb", name],
            ] {
                assert_refused(&folder, &[&compile("o.psdb"), more].concat(), &reason);
            }
            for args in [
                &compile(name)[..],
                &["merge-psdb", "a.psdb", "b.psdb", "--output", name],
                &["merge-sodb", "a.sodb", "b.sodb", "--output", name],
                &["extract", "a.psdb", name],
            ] {
                assert_refused(&folder, args, &reason);
            }
            // As databases that are there already.
            fs::copy(folder.path("b.sodb"), folder.path("other")).unwrap();
            fs::rename(folder.path("other"), folder.path(name)).unwrap();
            for args in [
                &[
                    "set-identity",
                    name,
                    "--name",
                    "N",
                    "--exe-filename",
                    "n.exe",
                ][..],
                &["checkpoint-db", name],
                &["merge-sodb", "b.sodb", name],
            ] {
                assert_refused(&folder, args, &reason);
            }
            fs::remove_file(folder.path(name)).unwrap();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_does_not_hide_such_a_name() {
    let folder = folder();
    std::os::unix::fs::symlink("a.psdb-wal", folder.path("link")).unwrap();
    let reason = "link: SQLite gives names that end with -wal";
    assert_refused(&folder, &compile("link"), reason);
    for option in ["--pdb", "--manifest"] {
        let args = [&compile("o.psdb")[..], &[option, "link"]].concat();
        assert_refused(&folder, &args, reason);
    }
}

#[test]
fn no_output_has_a_name_that_the_run_needs() {
    let folder = folder();
    let reason = "the run needs this name while it compiles ";
    for name in ["a.psdb.next", "a.psdb.next-lock", "./a.psdb.next"] {
        for option in ["--pdb", "--perf", "--manifest"] {
            let args = [&compile("a.psdb")[..], &[option, name]].concat();
            assert_refused(&folder, &args, reason);
        }
    }
    let args = [&compile("p.psdb.next")[..], &["--pdb", "p.psdb"]].concat();
    assert_refused(&folder, &args, reason);
}

/// A file of somebody's that has such a name by chance stays, whatever is done with the database.
#[test]
fn what_is_not_sqlites_stays() {
    const TEXT: &str = "Notes on this file\n";
    let with = |sodb, output| {
        let args = ["compile", sodb, output];
        [&args[..], &["--plugin", "sample", "--adapter-family", "0"]].concat()
    };
    let driver = "Fabrikam Aurora,1,3,4.2.118.0,0";
    // By the database that the text is beside.
    let commands: [(&str, &[&[&str]]); 4] = [
        (
            "a.psdb",
            &[
                &["stats", "a.psdb"],
                &["verify", "a.psdb"],
                &["check", "a.psdb", "--plugin", "sample"],
                &["check", "a.psdb", "--driver", driver],
                &["extract", "a.psdb", "folder"],
                &["diff-psdb", "b.psdb", "a.psdb"],
                &["merge-psdb", "b.psdb", "a.psdb", "--output", "merged.psdb"],
                &["replay", "b.sodb", "--adapter", "mock", "--cache", "a.psdb"],
                &with("b.sodb", "a.psdb"),
                &[&with("b.sodb", "o.psdb")[..], &["--pdb", "a.psdb"]].concat(),
            ],
        ),
        (
            "a.sodb",
            &[
                &with("a.sodb", "o.psdb"),
                &["plan", "a.sodb", "--shards", "2"],
                &["get-identity", "a.sodb"],
                &[
                    "set-identity",
                    "a.sodb",
                    "--name",
                    "N",
                    "--exe-filename",
                    "n.exe",
                ],
                &["checkpoint-db", "a.sodb"],
                &["merge-sodb", "a.sodb", "b.sodb", "--output", "merged.sodb"],
                &["merge-sodb", "b.sodb", "a.sodb"],
                &["replay", "a.sodb", "--adapter", "mock"],
                &["verify", "b.psdb", "--sodb", "a.sodb", "--plugin", "sample"],
            ],
        ),
        (
            "new.psdb",
            &[
                &with("b.sodb", "new.psdb"),
                &[&with("b.sodb", "o.psdb")[..], &["--pdb", "new.psdb"]].concat(),
                &["merge-psdb", "b.psdb", "--output", "new.psdb"],
            ],
        ),
        (
            "new.sodb",
            &[&["merge-sodb", "b.sodb", "--output", "new.sodb"]],
        ),
    ];
    let folder = folder();
    for suffix in SUFFIXES {
        for (database, commands) in commands {
            let name = format!("{database}{suffix}");
            fs::write(folder.path(&name), TEXT).unwrap();
            for args in commands {
                assert_refused(&folder, args, &name);
            }
            fs::remove_file(folder.path(&name)).unwrap();
        }
    }
}
