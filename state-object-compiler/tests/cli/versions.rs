//! Outputs of another version of the plugin, or of what it knows about the application.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use shader_db::psdb::{File, ValueType};
use state_object_compiler::Dotted;

use crate::compile::{counts, make_many};
use crate::{Folder, Ran, make_psdb, make_psdb_for, unsteady_plugin};

/// The ways of compiling.
const PLACES: [&[&str]; 2] = [&[], &["--in-process"]];

const OBJECTS: u32 = 3;

fn folder() -> Folder {
    let folder = Folder::new();
    make_many(&folder.path("a.sodb"), OBJECTS);
    folder
}

/// Compiles with a plugin of these versions of the compiler and of the application's profile.
fn compile(folder: &Folder, versions: [&str; 2], output: &str, more: &[&str]) -> Ran {
    let plugin = unsteady_plugin();
    let plugin = plugin.to_str().unwrap();
    let args = ["compile", "a.sodb", output, "--plugin", plugin];
    Ran::from(with(&mut folder.command(&[&args, more].concat()), versions))
}

fn with<'a>(
    command: &'a mut assert_cmd::Command,
    [compiler, profile]: [&str; 2],
) -> &'a mut assert_cmd::Command {
    let command = command.env("UNSTEADY_COMPILER", compiler);
    command.env("UNSTEADY_PROFILE", profile)
}

fn make(folder: &Folder, versions: [&str; 2], output: &str, more: &[&str]) -> Vec<u8> {
    let ran = compile(folder, versions, output, more);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    fs::read(folder.path(output)).unwrap()
}

fn one_of(folder: &Folder) -> String {
    let sodb = shader_db::sodb::Sodb::open(folder.path("a.sodb"), shader_db::sodb::Access::Read);
    let entries = sodb.unwrap().entries().unwrap();
    format!("hex:{}", hex::encode(&entries[0].key))
}

/// The versions that a file says, and those that are in its object code, each once.
fn versions(path: &Path) -> ([u64; 2], Vec<[u64; 2]>) {
    let file = File::open(path).unwrap();
    let target = file.target();
    let mut found = Vec::new();
    file.for_each_value(&mut |_, kind, value| {
        if kind == ValueType::ObjectCode {
            let value = value.unwrap();
            let number = |at: usize| u64::from_le_bytes(value[at..at + 8].try_into().unwrap());
            found.push([number(8), number(16)]);
        }
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    found.sort_unstable();
    found.dedup();
    ([target.compiler_version, target.profile_version], found)
}

const OLD: [&str; 2] = ["1.2.3.4", "0.0.0.0"];
const OLD_COMPILER: u64 = 0x0001_0002_0003_0004;

/// New versions, whether everything is compiled again without and with `--recompile should`, and what is said.
const CHANGES: [([&str; 2], bool, bool, &str); 9] = [
    (["1.2.3.4", "0.0.0.0"], false, false, ""),
    (["1.2.3.5", "0.0.0.0"], false, false, ""),
    (["1.2.3.0", "0.0.0.0"], false, false, ""),
    (
        ["1.2.4.0", "0.0.0.0"],
        false,
        true,
        "its compiler version is 1.2.3.4, not 1.2.4.0",
    ),
    (
        ["1.2.2.9", "0.0.0.0"],
        false,
        true,
        "its compiler version is 1.2.3.4, not 1.2.2.9",
    ),
    (
        ["1.3.0.0", "0.0.0.0"],
        true,
        true,
        "its compiler version is 1.2.3.4, not 1.3.0.0",
    ),
    (
        ["2.0.0.0", "0.0.0.0"],
        true,
        true,
        "its compiler version is 1.2.3.4, not 2.0.0.0",
    ),
    (
        ["0.9.0.0", "0.0.0.0"],
        true,
        true,
        "its compiler version is 1.2.3.4, not 0.9.0.0",
    ),
    (
        ["1.2.3.4", "1.0.0.0"],
        true,
        true,
        "its application profile version is 0.0.0.0, not 1.0.0.0",
    ),
];

#[test]
fn what_changed_is_compiled_again() {
    for place in PLACES {
        let folder = folder();
        let old = make(&folder, OLD, "old.psdb", place);
        for (now, must, should, says) in CHANGES {
            for (recompile, again) in [("must", must), ("should", should)] {
                fs::write(folder.path("a.psdb"), &old).unwrap();
                let more = [place, &["--recompile", recompile]].concat();
                let ran = compile(&folder, now, "a.psdb", &more);
                assert_eq!(ran.code, 0, "{now:?} {}", ran.stderr);
                assert_eq!(ran.stderr.is_empty(), says.is_empty(), "{}", ran.stderr);
                assert!(ran.stderr.contains(says), "{}", ran.stderr);
                let file = fs::read(folder.path("a.psdb")).unwrap();
                if again {
                    assert_eq!(counts(&ran), [3, 0, 0], "{now:?}");
                    let into =
                        "everything in it is compiled again, into a.psdb.next, which replaces it";
                    assert!(ran.stderr.contains(into), "{}", ran.stderr);
                    let ([compiler, profile], found) = versions(&folder.path("a.psdb"));
                    assert_eq!(found, [[compiler, profile]], "{now:?}");
                    let _ = fs::remove_file(folder.path("new.psdb"));
                    assert!(file == make(&folder, now, "new.psdb", place), "{now:?}");
                } else {
                    assert_eq!(counts(&ran), [0, 3, 0], "{now:?}");
                    assert!(file == old, "{now:?}");
                }
                assert!(!folder.path("a.psdb.next").exists());
            }
        }
    }
}

#[test]
fn a_file_that_is_added_to_says_the_oldest_version() {
    let folder = folder();
    let key = one_of(&folder);
    for (now, says) in [
        ("1.2.3.9", OLD_COMPILER),
        ("1.2.4.0", OLD_COMPILER),
        ("1.2.3.1", 0x0001_0002_0003_0001),
        ("1.2.0.7", 0x0001_0002_0000_0007),
    ] {
        let _ = fs::remove_file(folder.path("a.psdb"));
        make(&folder, OLD, "a.psdb", &["--key", &key]);
        let ran = compile(&folder, [now, "0.0.0.0"], "a.psdb", &[]);
        assert_eq!((ran.code, counts(&ran)), (0, [2, 1, 0]), "{}", ran.stderr);
        let ([compiler, _], found) = versions(&folder.path("a.psdb"));
        assert_eq!(compiler, says, "{now}");
        let line = format!("\nCompiler Version: {}\n", Dotted(says));
        assert!(ran.stdout.contains(&line), "{}", ran.stdout);
        assert!(found.iter().all(|[version, _]| *version >= compiler));
    }
}

#[test]
fn a_half_done_file_is_not_completed_with_another_profile() {
    for place in PLACES {
        let folder = folder();
        let key = one_of(&folder);
        make(&folder, OLD, "a.psdb", &[place, &["--key", &key]].concat());
        // Of one object more: what the output has is compiled again too.
        let now = ["1.2.3.4", "1.0.0.0"];
        let ran = compile(&folder, now, "a.psdb", place);
        assert_eq!((ran.code, counts(&ran)), (0, [3, 0, 0]), "{}", ran.stderr);
        let says = [OLD_COMPILER, 1 << 48];
        assert_eq!(versions(&folder.path("a.psdb")), (says, vec![says]));
    }
}

#[test]
fn what_the_output_has_is_compiled_again_though_it_is_not_selected() {
    let folder = folder();
    let key = one_of(&folder);
    make(&folder, OLD, "a.psdb", &[]);
    let now = ["2.0.0.0", "0.0.0.0"];
    let ran = compile(&folder, now, "a.psdb", &["--key", &key]);
    assert_eq!((ran.code, counts(&ran)), (0, [3, 0, 0]), "{}", ran.stderr);
    // What the SODB has no more cannot be.
    make_many(&folder.path("b.sodb"), 1);
    fs::rename(folder.path("b.sodb"), folder.path("a.sodb")).unwrap();
    let ran = compile(&folder, ["3.0.0.0", "0.0.0.0"], "a.psdb", &[]);
    assert_eq!((ran.code, counts(&ran)), (0, [1, 0, 0]), "{}", ran.stderr);
    let says = "2 objects that a.psdb has are not in a.sodb";
    assert!(ran.stderr.contains(says), "{}", ran.stderr);
}

#[test]
fn the_old_file_stays_until_all_is_compiled() {
    let folder = folder();
    let old = make(&folder, OLD, "a.psdb", &[]);
    let now = ["2.0.0.0", "0.0.0.0"];
    let plugin = unsteady_plugin();
    // Its compile calls wait for others, which do not come.
    let mut run = Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"))
        .current_dir(folder.path(""))
        .args([
            "compile",
            "a.sodb",
            "a.psdb",
            "--in-process",
            "--single-threaded",
            "--plugin",
        ])
        .arg(&plugin)
        .env("UNSTEADY", "together")
        .env("UNSTEADY_TOGETHER", folder.path("together"))
        .env("UNSTEADY_COMPILER", now[0])
        .env("UNSTEADY_PROFILE", now[1])
        .spawn()
        .unwrap();
    while !folder.path("together").exists() {
        assert!(run.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(fs::read(folder.path("a.psdb")).unwrap() == old);
    assert!(folder.path("a.psdb.next").exists());

    // What has been compiled is not compiled again.
    let key = one_of(&folder);
    let ran = compile(&folder, now, "a.psdb.next", &["--key", &key]);
    assert_eq!((ran.code, counts(&ran)), (0, [1, 0, 0]), "{}", ran.stderr);
    let ran = compile(&folder, now, "a.psdb", &[]);
    assert_eq!((ran.code, counts(&ran)), (0, [2, 1, 0]), "{}", ran.stderr);
    let new = make(&folder, now, "new.psdb", &[]);
    assert!(fs::read(folder.path("a.psdb")).unwrap() == new);

    // But not what another version has.
    make(&folder, ["3.0.0.0", "0.0.0.0"], "a.psdb.next", &[]);
    let now = ["4.0.0.0", "0.0.0.0"];
    let ran = compile(&folder, now, "a.psdb", &[]);
    assert_eq!((ran.code, counts(&ran)), (0, [3, 0, 0]), "{}", ran.stderr);
    assert_eq!(
        versions(&folder.path("a.psdb")),
        ([4 << 48, 0], vec![[4 << 48, 0]])
    );
    let names = folder.files();
    let of_output: Vec<_> = names
        .iter()
        .filter(|name| name.starts_with("a.psdb"))
        .collect();
    assert_eq!(of_output, ["a.psdb"]);
}

#[test]
fn an_output_that_is_in_use_is_replaced_by_the_next_run() {
    let folder = folder();
    let old = make(&folder, OLD, "a.psdb", &[]);
    let now = ["2.0.0.0", "0.0.0.0"];
    let path = folder.path("a.psdb");
    let reader = File::open(&path).unwrap();
    let more = ["--manifest", "m.json"];
    let ran = compile(&folder, now, "a.psdb", &more);
    assert_eq!((ran.code, counts(&ran)), (75, [3, 0, 0]), "{}", ran.stderr);
    assert!(ran.stderr.contains("a.psdb is in use"), "{}", ran.stderr);
    assert_eq!(reader.counts().unwrap().groups, 3);
    drop(reader);
    assert!(fs::read(&path).unwrap() == old);
    let ran = compile(&folder, now, "a.psdb", &more);
    assert_eq!((ran.code, counts(&ran)), (0, [0, 3, 0]), "{}", ran.stderr);
    assert_eq!(versions(&path), ([2 << 48, 0], vec![[2 << 48, 0]]));
}

#[test]
#[cfg(unix)]
fn a_link_to_the_output_stays_a_link() {
    let folder = folder();
    fs::create_dir(folder.path("there")).unwrap();
    make(&folder, OLD, "there/b.psdb", &[]);
    std::os::unix::fs::symlink("there/b.psdb", folder.path("a.psdb")).unwrap();
    let ran = compile(&folder, ["2.0.0.0", "0.0.0.0"], "a.psdb", &[]);
    assert_eq!((ran.code, counts(&ran)), (0, [3, 0, 0]), "{}", ran.stderr);
    assert!(folder.path("a.psdb").is_symlink());
    assert_eq!(versions(&folder.path("there/b.psdb")).0, [2 << 48, 0]);
    assert!(!folder.path("there/b.psdb.next").exists());
}

#[test]
fn a_plugin_that_compiles_nothing_leaves_the_old_file() {
    let folder = folder();
    let old = make(&folder, OLD, "a.psdb", &[]);
    let plugin = unsteady_plugin();
    let args = [
        "compile",
        "a.sodb",
        "a.psdb",
        "--plugin",
        plugin.to_str().unwrap(),
    ];
    let mut command = folder.command(&args);
    let ran = Ran::from(with(
        command.env("UNSTEADY", "fails"),
        ["2.0.0.0", "0.0.0.0"],
    ));
    assert_eq!((ran.code, counts(&ran)), (1, [0, 0, 3]), "{}", ran.stderr);
    assert!(ran.stderr.contains("stays as it was"), "{}", ran.stderr);
    assert!(fs::read(folder.path("a.psdb")).unwrap() == old);
}

#[test]
fn all_files_of_an_output_are_renewed() {
    let folder = folder();
    let more = ["--pdb", "p.psdb"];
    let now = ["2.0.0.0", "0.0.0.0"];
    make(&folder, OLD, "a.psdb", &more);
    let ran = compile(&folder, now, "a.psdb", &more);
    assert_eq!((ran.code, counts(&ran)), (0, [3, 0, 0]), "{}", ran.stderr);
    let new = make(&folder, now, "new.psdb", &["--pdb", "newp.psdb"]);
    let same =
        |name, other| fs::read(folder.path(name)).unwrap() == fs::read(folder.path(other)).unwrap();
    assert!(same("a.psdb", "new.psdb") && same("p.psdb", "newp.psdb"));

    // Killed when one of two was in its place.
    fs::remove_file(folder.path("a.psdb")).unwrap();
    make(&folder, OLD, "a.psdb", &[]);
    fs::rename(folder.path("new.psdb"), folder.path("a.psdb.next")).unwrap();
    let ran = compile(&folder, now, "a.psdb", &more);
    assert_eq!((ran.code, counts(&ran)), (0, [0, 3, 0]), "{}", ran.stderr);
    assert!(fs::read(folder.path("a.psdb")).unwrap() == new);
    assert!(same("p.psdb", "newp.psdb") && !folder.path("a.psdb.next").exists());
}

#[test]
fn abi_0_is_the_newest_also_for_an_output_that_exists() {
    for place in PLACES {
        let folder = folder();
        let abi = |abi| [place, &["--abi", abi]].concat();
        let old = make(&folder, OLD, "a.psdb", &abi("1"));
        for args in [abi("0"), place.to_vec(), abi("2")] {
            let ran = compile(&folder, OLD, "a.psdb", &args);
            assert_eq!(ran.code, 2, "{}", ran.stdout);
            let says = "a.psdb: its ABI version is 1, not 2: give --abi 1 to use it, or a new file for another ABI version\n";
            assert!(ran.stderr.ends_with(says), "{}", ran.stderr);
        }
        // Both ways work.
        let ran = compile(&folder, OLD, "a.psdb", &abi("1"));
        assert_eq!((ran.code, counts(&ran)), (0, [0, 3, 0]), "{}", ran.stderr);
        assert!(fs::read(folder.path("a.psdb")).unwrap() == old);
        make(&folder, OLD, "new.psdb", place);
    }
}

/// No message names an ABI version with which the run would fail as well.
#[test]
fn an_abi_version_that_does_not_help_is_not_told() {
    let folder = folder();
    make(&folder, OLD, "a.psdb", &["--abi", "1"]);
    make(&folder, OLD, "b.psdb", &["--abi", "2", "--pdb", "b.pdb"]);
    for (abis, more) in [
        // The plugin does not have it any more.
        ("2", &[][..]),
        // Something else differs too.
        ("2 1", &["--name", "Another"]),
        // The other file is of the other version.
        ("2 1", &["--abi", "1", "--pdb", "b.pdb"]),
        ("2 1", &["--pdb", "b.pdb"]),
    ] {
        let plugin = unsteady_plugin();
        let args = [
            "compile",
            "a.sodb",
            "a.psdb",
            "--plugin",
            plugin.to_str().unwrap(),
        ];
        let mut command = folder.command(&[&args, more].concat());
        let ran = Ran::from(with(command.env("UNSTEADY_ABIS", abis), OLD));
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(
            ran.stderr.contains(": its ABI version is "),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr.ends_with(": give a new file\n"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn shards_of_two_builds_are_merged_and_say_the_older() {
    let folder = folder();
    make(
        &folder,
        ["1.0.1.0", "0.0.0.0"],
        "0.psdb",
        &["--shard", "0/2"],
    );
    make(
        &folder,
        ["1.0.0.9", "0.0.0.0"],
        "1.psdb",
        &["--shard", "1/2"],
    );
    make(
        &folder,
        ["1.1.0.0", "0.0.0.0"],
        "2.psdb",
        &["--shard", "1/2"],
    );
    let merge = |second, output| folder.run(&["merge-psdb", "0.psdb", second, "--output", output]);
    let ran = merge("1.psdb", "out.psdb");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "warning: 1.psdb and 0.psdb were compiled by different builds of the compiler: out.psdb says the oldest, and would be \
         better compiled again\n"
    );
    assert_eq!(
        versions(&folder.path("out.psdb")).0,
        [0x0001_0000_0000_0009, 0]
    );
    let ran = merge("2.psdb", "none.psdb");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("cannot be merged: the compiler version differs")
    );
}

/// The exit codes of `check`.
const CODES: [(&str, i32); 4] = [
    ("usable", 0),
    ("should-recompile", 1),
    ("must-recompile", 3),
    ("for-another", 4),
];

/// What `check` says of the only file, and why.
fn checked(ran: &Ran) -> (String, Option<String>) {
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let file = &report["files"][0];
    assert_eq!(report["verdict"], file["verdict"]);
    let verdict = file["verdict"].as_str().unwrap();
    let (_, code) = CODES.iter().find(|(word, _)| *word == verdict).unwrap();
    assert_eq!((ran.code, ran.stderr.as_str()), (*code, ""));
    let reason = file["reason"].as_str().map(str::to_owned);
    (verdict.to_owned(), reason)
}

#[test]
fn check_says_what_a_driver_can_use() {
    let folder = folder();
    let code: &[crate::Value] = &[(b"a", ValueType::ObjectCode, b"code")];
    // ABI version 3, compiler 32.0.22995.2005, profile 0.0.0.7.
    make_psdb(&folder.path("a.psdb"), code, &[(b"key", 1, &[b"a"])]);
    let check = |driver: &str| {
        let args = ["check", "a.psdb", "--format", "json", "--driver", driver];
        checked(&folder.run(&args))
    };
    let family = "VENDOR_CHIP:gen1";
    for (driver, verdict, reason) in [
        ("3,3,32.0.22995.2005,7", "usable", None),
        ("1,9,32.0.22995.2006,7", "usable", None),
        ("1,9,31.9.0.0,0", "usable", None),
        (
            "3,3,32.0.22996.0,7",
            "should-recompile",
            Some("its compiler version is 32.0.22995.2005, not 32.0.22996.0"),
        ),
        (
            "3,3,32.1.0.0,7",
            "must-recompile",
            Some("its compiler version is 32.0.22995.2005, not 32.1.0.0"),
        ),
        (
            "3,3,32.0.22995.2005,8",
            "must-recompile",
            Some("its application profile version is 0.0.0.7, not 0.0.0.8"),
        ),
        (
            "4,5,32.0.22995.2005,7",
            "for-another",
            Some("its ABI version is 3, not one from 4 to 5"),
        ),
    ] {
        let expected = (verdict.to_owned(), reason.map(str::to_owned));
        assert_eq!(check(&format!("{family},{driver}")), expected, "{driver}");
    }
    assert_eq!(check("other,3,3,1.0.0.0,7").0, "for-another");
    // The worst of several; all are said.
    let mut newer = crate::target();
    newer.compiler_version = 33 << 48;
    make_psdb_for(&folder.path("b.psdb"), newer, &[], &[]);
    let driver = format!("{family},3,3,33.0.0.0,7");
    let ran = folder.run(&["check", "b.psdb", "a.psdb", "--driver", &driver]);
    assert_eq!((ran.code, ran.stderr.as_str()), (3, ""));
    insta::assert_snapshot!(ran.stdout, @r"
    b.psdb: usable as it is
    Adapter Family: VENDOR_CHIP:gen1
    ABI Version: 3
    Compiler Version: 33.0.0.0
    Application Profile Version: 0.0.0.7
    Groups: 0
    Values: 0, 0 bytes
    a.psdb: not usable: must be compiled again: its compiler version is 32.0.22995.2005, not 33.0.0.0
    Adapter Family: VENDOR_CHIP:gen1
    ABI Version: 3
    Compiler Version: 32.0.22995.2005
    Application Profile Version: 0.0.0.7
    Groups: 1
    Values: 1, 4 bytes
    ");
}

#[test]
fn check_says_what_a_plugin_would_keep() {
    let folder = folder();
    make(&folder, OLD, "a.psdb", &["--abi", "1"]);
    let plugin = unsteady_plugin();
    let plugin = plugin.to_str().unwrap();
    let args = ["check", "a.psdb", "--format", "json", "--plugin"];
    for (now, must, should, says) in CHANGES {
        let args = [&args[..], &[plugin]].concat();
        let (verdict, reason) = checked(&Ran::from(with(&mut folder.command(&args), now)));
        let expected = match (must, should) {
            (true, _) => "must-recompile",
            (false, true) => "should-recompile",
            (false, false) => "usable",
        };
        assert_eq!(verdict, expected, "{now:?}");
        assert_eq!(reason.unwrap_or_default(), says, "{now:?}");
    }
    let ran = folder.run(&[&args[..], &["sample"]].concat());
    let expected = "its adapter family is \"Unsteady\", which the plugin does not have";
    assert_eq!(checked(&ran), ("for-another".into(), Some(expected.into())));
    let target = shader_db::psdb::Target {
        abi: 3,
        ..File::open(&folder.path("a.psdb")).unwrap().target().clone()
    };
    make_psdb_for(&folder.path("abi.psdb"), target, &[], &[]);
    let args = ["check", "abi.psdb", "--format", "json", "--plugin", plugin];
    let expected = "its ABI version is 3, and the plugin has 2, 1";
    assert_eq!(
        checked(&folder.run(&args)),
        ("for-another".into(), Some(expected.into()))
    );
}

#[test]
fn check_needs_somebody_who_is_to_use_it() {
    let folder = folder();
    make_psdb(&folder.path("a.psdb"), &[], &[]);
    for (args, says) in [
        (&["a.psdb"][..], "--driver"),
        (
            &["a.psdb", "--driver", "x"],
            "expected FAMILY,MIN-ABI,MAX-ABI,COMPILER,PROFILE",
        ),
        (
            &["a.psdb", "--driver", "a,1,1,1.0,0", "--plugin", "sample"],
            "--plugin",
        ),
        (
            &["a.sodb", "--driver", "a,1,1,1.0,0"],
            "it is a state object database",
        ),
        (&["none.psdb", "--driver", "a,1,1,1.0,0"], "no such file"),
    ] {
        let message = folder.failure(&[&["check"], args].concat(), 2);
        assert!(message.contains(says), "{args:?}: {message}");
    }
}

/// PDBs have keys of their own here, so that without their file a group names what no file has.
#[test]
fn a_run_without_a_side_file_takes_nothing_from_the_output() {
    let folder = folder();
    let pdb = ["--pdb", "p.psdb"];
    let old = make(&folder, OLD, "a.psdb", &pdb);
    let old_pdb = fs::read(folder.path("p.psdb")).unwrap();
    for more in [&[][..], &pdb] {
        let ran = compile(&folder, OLD, "a.psdb", more);
        assert_eq!((ran.code, counts(&ran)), (0, [0, 3, 0]), "{}", ran.stderr);
        assert_eq!(ran.stderr, "");
    }
    assert!(fs::read(folder.path("a.psdb")).unwrap() == old);
    assert!(fs::read(folder.path("p.psdb")).unwrap() == old_pdb);
}

#[test]
fn a_side_file_alone_is_renewed_with_all_that_it_has() {
    let folder = folder();
    let key = one_of(&folder);
    let (now, pdb) = (["2.0.0.0", "0.0.0.0"], ["--pdb", "p.psdb"]);
    make(&folder, OLD, "a.psdb", &pdb);
    let ran = compile(&folder, now, "a.psdb", &[]);
    assert_eq!((ran.code, counts(&ran)), (0, [3, 0, 0]), "{}", ran.stderr);
    let ran = compile(
        &folder,
        now,
        "a.psdb",
        &[&pdb[..], &["--key", &key]].concat(),
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    make(&folder, now, "new.psdb", &["--pdb", "newp.psdb"]);
    for (name, other) in [("a.psdb", "new.psdb"), ("p.psdb", "newp.psdb")] {
        let counts = |name| File::open(&folder.path(name)).unwrap().counts().unwrap();
        assert_eq!(
            counts(name),
            counts(other),
            "{name}: {} {}",
            ran.stdout,
            ran.stderr
        );
        let read = |name| fs::read(folder.path(name)).unwrap();
        assert!(read(name) == read(other), "{name}");
    }
}

/// A compilation of everything again, of which some objects fail.
struct Again {
    /// The objects of the SODB, of which the old file has those of `folder`.
    objects: u32,
    compiler: &'static str,
    /// The numbers of the objects that fail.
    refused: &'static str,
    /// How many objects are compiled, up to date and failed.
    counts: [usize; 3],
    /// Whether the old file stays.
    stays: bool,
    /// What the file says then.
    says: u64,
    warning: &'static str,
}

#[test]
fn the_new_file_takes_the_place_unless_it_would_lose_something() {
    const BUILD: &str = "1.2.4.0";
    const BUILD_SAYS: u64 = 0x0001_0002_0004_0000;
    for again in [
        Again {
            objects: OBJECTS,
            compiler: BUILD,
            refused: "1",
            counts: [0, 2, 1],
            stays: true,
            says: OLD_COMPILER,
            warning: "1 objects could not be compiled again: a.psdb stays, since all that it has can still be used",
        },
        // It never had the object.
        Again {
            objects: OBJECTS + 1,
            compiler: BUILD,
            refused: "3",
            counts: [3, 0, 1],
            stays: false,
            says: BUILD_SAYS,
            warning: "",
        },
        // What it never had is added to it.
        Again {
            objects: OBJECTS + 2,
            compiler: BUILD,
            refused: "0 2 4",
            counts: [1, 1, 3],
            stays: true,
            says: OLD_COMPILER,
            warning: "2 objects could not be compiled again: a.psdb stays, since all that it has can still be used",
        },
        Again {
            objects: OBJECTS,
            compiler: BUILD,
            refused: "0 1 2",
            counts: [0, 0, 3],
            stays: true,
            says: OLD_COMPILER,
            warning: "3 objects could not be compiled again: a.psdb stays, since all that it has can still be used",
        },
        // Nothing of it can be used any more.
        Again {
            objects: OBJECTS,
            compiler: "2.0.0.0",
            refused: "1",
            counts: [2, 0, 1],
            stays: false,
            says: 2 << 48,
            warning: "",
        },
        Again {
            objects: OBJECTS,
            compiler: "2.0.0.0",
            refused: "0 1 2",
            counts: [0, 0, 3],
            stays: true,
            says: OLD_COMPILER,
            warning: "no object could be compiled: a.psdb stays as it was",
        },
    ] {
        for more in [&[][..], &["--in-process"], &["--pdb", "p.psdb"]] {
            check_again(&again, more);
        }
    }
}

fn check_again(again: &Again, more: &[&str]) {
    let folder = folder();
    let with_pdb = more.contains(&"--pdb");
    let names: &[&str] = if with_pdb {
        &["a.psdb", "p.psdb"]
    } else {
        &["a.psdb"]
    };
    let read = || -> Vec<Vec<u8>> {
        let read = |name: &&str| fs::read(folder.path(name)).unwrap();
        names.iter().map(read).collect()
    };
    make(&folder, OLD, "a.psdb", more);
    let old = read();
    fs::remove_file(folder.path("a.sodb")).unwrap();
    make_many(&folder.path("a.sodb"), again.objects);
    let now = [again.compiler, "0.0.0.0"];
    let plugin = unsteady_plugin();
    let plugin = plugin.to_str().unwrap();
    let args = ["compile", "a.sodb", "a.psdb", "--plugin", plugin];
    let args = [&args[..], &["--recompile", "should"], more].concat();
    let run = |more: &[&str], refused: &str| {
        let mut command = folder.command(&[&args, more].concat());
        let command = command.env("UNSTEADY_REFUSES", refused);
        Ran::from(with(command, now))
    };
    let what = format!("{} {} {more:?}", again.compiler, again.refused);

    let ran = run(&[], again.refused);
    assert_eq!(
        (ran.code, counts(&ran)),
        (1, again.counts),
        "{what}: {}",
        ran.stderr
    );
    assert!(ran.stderr.contains(again.warning), "{what}: {}", ran.stderr);
    assert_eq!(
        ran.stderr.matches("error: object ").count(),
        again.counts[2],
        "{what}"
    );
    let mut of_output = [names, &["a.sodb"]].concat();
    of_output.sort_unstable();
    // Nothing to follow that has just been done.
    assert!(!ran.stderr.contains("--recompile should"), "{}", ran.stderr);
    assert_eq!(folder.files(), of_output, "{what}");
    for name in names {
        assert_eq!(
            versions(&folder.path(name)).0[0],
            again.says,
            "{what} {name}"
        );
    }
    let line = format!("\nCompiler Version: {}\n", Dotted(again.says));
    assert!(ran.stdout.contains(&line), "{what}: {}", ran.stdout);
    let is_added_to = again.stays && again.counts[0] != 0;
    assert_eq!(read() == old, again.stays && !is_added_to, "{what}");
    if again.stays && again.compiler != "2.0.0.0" {
        let file = File::open(&folder.path("a.psdb")).unwrap();
        let groups = usize::try_from(file.counts().unwrap().groups).unwrap();
        assert_eq!(groups, old_objects() + again.counts[0], "{what}");
    }
    assert_eq!(folder.run(&[&["verify"], names].concat()).code, 0, "{what}");

    // The same command says the same of the same file, and at last compiles everything.
    let before = read();
    let ran = run(&["--format", "json"], again.refused);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        report["compiler_version"],
        Dotted(again.says).to_string(),
        "{what}"
    );
    assert!(read() == before, "{what}");
    let ran = run(&[], "");
    assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
    make(
        &folder,
        now,
        "new.psdb",
        if with_pdb {
            &["--pdb", "newp.psdb"]
        } else {
            &[]
        },
    );
    assert!(
        fs::read(folder.path("new.psdb")).unwrap() == read()[0],
        "{what}"
    );
    assert!(!folder.path("a.psdb.next").exists() && !folder.path("p.psdb.next").exists());
}

fn old_objects() -> usize {
    usize::try_from(OBJECTS).unwrap()
}

#[test]
fn what_the_sodb_lacks_is_not_lost_for_something_better() {
    let folder = folder();
    let old = make(&folder, OLD, "a.psdb", &[]);
    let (now, should) = (["1.2.4.0", "0.0.0.0"], ["--recompile", "should"]);
    make_many(&folder.path("b.sodb"), 1);
    fs::rename(folder.path("b.sodb"), folder.path("a.sodb")).unwrap();
    let ran = compile(&folder, now, "a.psdb", &should);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("2 objects that a.psdb has are not in a.sodb"),
        "{}",
        ran.stderr
    );
    assert!(fs::read(folder.path("a.psdb")).unwrap() == old);
    // So no message says that it could be.
    let ran = compile(&folder, now, "a.psdb", &[]);
    assert_eq!((ran.code, counts(&ran)), (0, [0, 1, 0]), "{}", ran.stderr);
    let expected =
        "warning: a.psdb: its compiler version is 1.2.3.4, not 1.2.4.0: what it has stays\n";
    assert_eq!(ran.stderr, expected);
}

#[test]
fn one_run_at_a_time_compiles_an_output_again() {
    let folder = folder();
    let before = make(&folder, OLD, "a.psdb", &[]);
    let lock = folder.path("a.psdb.next-lock");
    let other = fs::File::create_new(&lock).unwrap();
    other.lock().unwrap();
    let now = ["2.0.0.0", "0.0.0.0"];
    let ran = compile(&folder, now, "a.psdb", &[]);
    assert_eq!((ran.code, &*ran.stdout), (75, ""));
    let expected = "error: a.psdb: another run is compiling everything in it again: run the same command when that run has ended\n";
    assert_eq!(ran.stderr, expected);
    assert!(fs::read(folder.path("a.psdb")).unwrap() == before);
    // What needs nothing of this does not wait.
    make(&folder, OLD, "a.psdb", &[]);
    // What a killed run leaves is locked by nobody.
    drop(other);
    assert_eq!(compile(&folder, now, "a.psdb", &[]).code, 0);
    assert_eq!(folder.files(), ["a.psdb", "a.sodb"]);
}

/// Whatever name an output can have, it can be compiled again.
#[test]
fn a_name_that_is_too_long_is_refused_before_anything_is_done() {
    let folder = folder();
    let long = format!("{}.psdb", "n".repeat(243));
    for more in [&[][..], &["--in-process"], &["--pdb", "p.psdb"]] {
        let ran = compile(&folder, OLD, &long, more);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{}", ran.stderr);
        let reason = "the name is too long: it leaves no room for -journal";
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    }
    assert_eq!(compile(&folder, OLD, "a.psdb", &["--pdb", &long]).code, 2);
    assert_eq!(folder.files(), ["a.sodb"]);

    // Under Wine the system answers an error for a name of this length; Windows itself was not seen.
    if cfg!(windows) {
        return;
    }
    let longest = &long[1..];
    make(&folder, OLD, longest, &[]);
    let ran = compile(&folder, ["2.0.0.0", "0.0.0.0"], longest, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(folder.files(), ["a.sodb", longest]);
    let (said, found) = versions(&folder.path(longest));
    assert_eq!(found, [said]);
}
