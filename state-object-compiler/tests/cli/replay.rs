//! `replay`, and with it the way from an SODB to a driver.

use std::fs;

use serde_json::Value;

use crate::{Folder, Ran};

const ALL: u64 = 18;

/// A directory with the example, compiled for two adapter families.
fn compiled() -> Folder {
    let folder = Folder::new();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/example.sodb");
    fs::copy(example, folder.path("example.sodb")).unwrap();
    for (output, family, abi) in [
        ("0.psdb", "0", "3"),
        ("0.1.psdb", "0", "1"),
        ("1.psdb", "1", "5"),
    ] {
        let args = [
            "compile",
            "example.sodb",
            output,
            "--plugin",
            "sample",
            "--in-process",
        ];
        let target = ["--adapter-family", family, "--abi", abi];
        // Family 1 has no work graphs.
        let code = i32::from(family == "1");
        assert_eq!(folder.run(&[&args[..], &target].concat()).code, code);
    }
    folder
}

fn replay(folder: &Folder, args: &[&str], switches: &[(&str, &str)]) -> Value {
    let (code, report) = replay_to(folder, args, switches);
    assert_eq!(code, 0, "{report:#}");
    report
}

fn replay_to(folder: &Folder, args: &[&str], switches: &[(&str, &str)]) -> (i32, Value) {
    let all = [
        &[
            "replay",
            "example.sodb",
            "--adapter",
            "mock",
            "--format",
            "json",
        ],
        args,
    ]
    .concat();
    let ran = Ran::from(folder.command(&all).envs(switches.iter().copied()));
    assert_eq!(ran.stderr, "", "{}", ran.stdout);
    (ran.code, serde_json::from_str(&ran.stdout).unwrap())
}

fn counts(report: &Value) -> [u64; 4] {
    ["created", "hits", "compiled", "failed"].map(|name| report[name].as_u64().unwrap())
}

/// ShaderCompilerPlugin.md, "Adapter Family Compiler Version", "Adapter Family ABI Version", "Application Profile Version".
#[test]
fn the_drivers_version_decides_whether_a_cache_is_used() {
    let folder = compiled();
    let same = ("usable", true, None);
    for (psdb, switch, (verdict, used, reason)) in [
        ("0.psdb", None, same),
        ("0.psdb", Some(("MOCK_UMD_COMPILER", "4.2.118.1")), same),
        (
            "0.psdb",
            Some(("MOCK_UMD_COMPILER", "4.2.119.0")),
            (
                "should-recompile",
                true,
                Some("its compiler version is 4.2.118.0, not 4.2.119.0"),
            ),
        ),
        (
            "0.psdb",
            Some(("MOCK_UMD_COMPILER", "4.3.0.0")),
            (
                "must-recompile",
                false,
                Some("its compiler version is 4.2.118.0, not 4.3.0.0"),
            ),
        ),
        (
            "0.psdb",
            Some(("MOCK_UMD_COMPILER", "5.0.0.0")),
            (
                "must-recompile",
                false,
                Some("its compiler version is 4.2.118.0, not 5.0.0.0"),
            ),
        ),
        (
            "0.psdb",
            Some(("MOCK_UMD_PROFILE", "0.0.0.1")),
            (
                "must-recompile",
                false,
                Some("its application profile version is 0.0.0.0, not 0.0.0.1"),
            ),
        ),
        ("0.1.psdb", None, same),
        (
            "0.1.psdb",
            Some(("MOCK_UMD_ABI", "3")),
            (
                "for-another",
                false,
                Some("its ABI version is 1, not one from 3 to 3"),
            ),
        ),
        (
            "0.psdb",
            Some(("MOCK_UMD_ADAPTER", "1")),
            (
                "for-another",
                false,
                Some("its adapter family is \"Fabrikam Aurora\", not \"Fabrikam Borealis\""),
            ),
        ),
        (
            "1.psdb",
            None,
            (
                "for-another",
                false,
                Some("its adapter family is \"Fabrikam Borealis\", not \"Fabrikam Aurora\""),
            ),
        ),
        ("1.psdb", Some(("MOCK_UMD_ADAPTER", "1")), same),
    ] {
        // Family 1 has no work graphs.
        let lacks = u64::from(switch == Some(("MOCK_UMD_ADAPTER", "1")));
        let (code, report) = replay_to(&folder, &["--cache", psdb], switch.as_slice());
        assert_eq!(code, i32::from(lacks != 0), "{switch:?}: {report:#}");
        let cache = &report["caches"][0];
        let told = (
            cache["verdict"].as_str(),
            cache["used"].as_bool(),
            cache["reason"].as_str(),
        );
        assert_eq!(told, (Some(verdict), Some(used), reason), "{switch:?}");
        let [created, hits, compiled, failed] = counts(&report);
        assert_eq!((created, failed), (ALL - lacks, lacks), "{switch:?}");
        assert_eq!(report["asked_descriptions"], 0, "{switch:?}");
        let expected = if used {
            [ALL - lacks, 0]
        } else {
            [0, ALL - lacks]
        };
        assert_eq!([hits, compiled], expected, "{switch:?}: {report:#}");
    }
}

#[test]
fn without_a_cache_everything_is_compiled() {
    let folder = compiled();
    let report = replay(&folder, &[], &[]);
    assert_eq!(counts(&report), [ALL, 0, ALL, 0]);
    assert_eq!(report["driver_faults"], serde_json::json!([]));
}

#[test]
fn objects_can_be_selected() {
    let folder = compiled();
    let report = replay(
        &folder,
        &["--key", "forward plain", "--cache", "0.psdb"],
        &[],
    );
    assert_eq!(counts(&report), [1, 1, 0, 0]);
    let none = [
        "--no-psos",
        "--no-state-objects",
        "--no-add-to-state-objects",
    ];
    assert_eq!(counts(&replay(&folder, &none, &[])), [0; 4]);
}

#[test]
fn what_the_driver_does_not_create_is_listed() {
    let folder = compiled();
    let args = ["replay", "example.sodb", "--adapter", "mock"];
    let ran = Ran::from(
        folder
            .command(&args)
            .env("MOCK_UMD_FAIL", "pfnCreatePipelineState:E_OUTOFMEMORY:2"),
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let reason = "pfnCreatePipelineState failed: E_OUTOFMEMORY (0x8007000E)";
    assert!(ran.stdout.contains(reason), "{}", ran.stdout);
    assert!(ran.stdout.contains("Created: 17 of 18"), "{}", ran.stdout);
}

#[test]
fn a_cache_that_is_no_psdb_is_an_error() {
    let folder = compiled();
    let args = [
        "replay",
        "example.sodb",
        "--adapter",
        "mock",
        "--cache",
        "example.sodb",
    ];
    let message = folder.failure(&args, 2);
    assert!(message.contains("example.sodb"), "{message}");
}
