//! `list --adapters`, and `compile --adapter`.

use std::fs;

use serde_json::Value;

use crate::{Folder, Ran};

fn example(folder: &Folder) {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/example.sodb");
    fs::copy(example, folder.path("example.sodb")).unwrap();
}

#[test]
fn the_mock_adapter_is_there_without_any_set_up() {
    let folder = Folder::new();
    let text = folder.output(&["list", "--adapters"]);
    assert!(
        text.contains("        Feature Supported: Supported\n"),
        "{text}"
    );
    // As engine tools read it: the highest version ends a record.
    let values: Vec<&str> = [
        "Adapter Family: ",
        "MinimumABISupportVersion: ",
        "MaximumABISupportVersion: ",
    ]
    .into_iter()
    .filter_map(|label| {
        text.lines()
            .find_map(|line| line.trim().strip_prefix(label))
    })
    .collect();
    assert_eq!(values, ["Fabrikam Aurora", "1", "3"], "{text}");
    let json = folder.output(&["list", "--adapters", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let adapter = &json["adapters"][0];
    assert_eq!(adapter["name"], "mock");
    assert_eq!(adapter["abi_support"]["compiler_version"], "4.2.118.0");
}

#[test]
fn a_profile_is_that_of_the_application() {
    let folder = Folder::new();
    let args = [
        "list",
        "--adapters",
        "--name",
        "Rally",
        "--exe-filename",
        "ContosoRally.exe",
        "--format",
        "json",
    ];
    let json: Value = serde_json::from_str(&folder.output(&args)).unwrap();
    let support = &json["adapters"][0]["abi_support"];
    assert_eq!(support["application_profile_version"], "1.3.0.0", "{json}");
}

#[test]
fn a_directory_has_more_adapters() {
    let folder = Folder::new();
    fs::create_dir(folder.path("adapters")).unwrap();
    let entry = folder.path("adapters/a.json");
    fs::write(
        &entry,
        r#"{"name":"A","umd":"none.dll","plugin":"none.dll"}"#,
    )
    .unwrap();
    let run =
        |args: &[&str]| Ran::from(folder.command(args).env("D3D12_MOCK_ADAPTERS", "adapters"));
    let ran = run(&["list", "--adapters"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("Name: mock"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("error: adapter 1 (A): "),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("none.dll"), "{}", ran.stderr);
    let ran = run(&["replay", "a.sodb", "--adapter", "B"]);
    assert_eq!(ran.code, 2);
    let text = "there is no adapter \"B\"; there are: mock, A";
    assert!(ran.stderr.contains(text), "{}", ran.stderr);
    fs::write(&entry, "{}").unwrap();
    let ran = run(&["list", "--adapters"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("missing field"), "{}", ran.stderr);
}

#[test]
fn an_adapter_says_what_to_compile_for() {
    let folder = Folder::new();
    example(&folder);
    for (output, target) in [
        ("a.psdb", &["--adapter", "mock"][..]),
        ("b.psdb", &["--adapter", "0"]),
        (
            "c.psdb",
            &[
                "--plugin",
                "sample",
                "--adapter-family",
                "Fabrikam Aurora",
                "--abi",
                "3",
            ],
        ),
    ] {
        folder.output(&[&["compile", "example.sodb", output], target].concat());
    }
    let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(bytes("a.psdb") == bytes("c.psdb"));
    assert!(bytes("b.psdb") == bytes("c.psdb"));
}
