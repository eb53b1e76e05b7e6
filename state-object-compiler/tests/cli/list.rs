//! `list`, also as an engine's tool reads it.

use crate::compile::make_many;
use crate::{Folder, Ran, unsteady_plugin};

#[test]
fn the_ddi_versions_of_a_plugin_can_be_chosen() {
    let folder = Folder::new();
    let list = ["list", "--plugin", "sample", "--ddi-versions"];
    let with = |versions| [&list[..], &[versions]].concat();
    let known = folder.output(&list[..3]);
    assert_eq!(folder.output(&with("12.0.2.0=12.80.109.0")), known);
    // The SDK takes no build before 109, and no other plugin DDI than it offers.
    let text = folder.failure(&with("12.0.2.0=12.80.108.0"), 2);
    assert!(
        text.contains("pfnSetSelectedVersion failed: E_INVALIDARG"),
        "{text}"
    );
    assert_eq!(folder.output(&with("12.0.3.0=12.80.118.0")), known);
    let ran = folder.run(&with("12.0.2.0"));
    let expected = "\"12.0.2.0\" is no pair of DDI versions: PLUGIN=USERMODE is meant";
    assert!(
        ran.code == 2 && ran.stderr.contains(expected),
        "{}",
        ran.stderr
    );
    let variable = "D3D12_COMPILER_DDI_VERSIONS";
    let ran = Ran::from(folder.command(&list[..3]).env(variable, "12.0.2.0"));
    assert!(
        ran.code == 2 && ran.stderr.contains(variable) && ran.stderr.contains(expected),
        "{}",
        ran.stderr
    );
}

#[test]
fn families_of_the_sample_plugin() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.output(&["list", "--plugin", "sample"]), @r"
    0:
        Adapter Family: Fabrikam Aurora
        Compiler Version: 4.2.118.0
        ABI Versions: {3, 2, 1}
    1:
        Adapter Family: Fabrikam Borealis
        Compiler Version: 9.7.2041.3
        ABI Versions: {5, 4, 3}
    2:
        Adapter Family: Fabrikam Cirrus
        Compiler Version: 12.0.77.1
        ABI Versions: {1}
    ");
}

#[test]
fn an_application_has_its_profile_version() {
    let folder = Folder::new();
    let rally = [
        "list",
        "--plugin",
        "sample",
        "--name",
        "Rally",
        "--exe-filename",
        "ContosoRally.exe",
    ];
    let output = folder.output(&rally);
    let versions = output.matches("    Application Profile Version: 1.3.0.0\n");
    assert_eq!(versions.count(), 3, "{output}");

    let engine = [
        "--engine",
        "Двигатель",
        "--engine-version",
        "0x1",
        "--app-version",
        "1.2",
        "--format",
        "json",
    ];
    let output = folder.output(&[&rally[..], &engine].concat());
    insta::assert_snapshot!(output);
}

/// As the engine's tool reads the lines of both streams: what is in a family, by the family's place.
pub fn as_an_engine_reads(output: &str) -> Vec<[String; 3]> {
    let mut families: Vec<[String; 3]> = Vec::new();
    for line in output.lines().map(str::trim) {
        let is_header = line.starts_with(|c: char| c.is_ascii_digit()) && line.ends_with(':');
        if is_header {
            families.push(Default::default());
        } else if let Some(family) = families.last_mut() {
            for (place, (label, value)) in [
                ("Adapter Family:", 16),
                ("Compiler Version:", 18),
                ("ABI Versions:", 14),
            ]
            .into_iter()
            .enumerate()
            {
                if line.starts_with(label) {
                    family[place] = line[value..].trim().into();
                }
            }
        }
    }
    families
}

#[test]
fn an_engine_reads_every_family() {
    let folder = Folder::new();
    for more in [&[][..], &["--name", "1", "--exe-filename", "2:"]] {
        let ran = folder.run(&[&["list", "--plugin", "sample"], more].concat());
        assert_eq!(ran.code, 0);
        let families = as_an_engine_reads(&(ran.stdout + &ran.stderr));
        assert_eq!(
            families,
            [
                ["Fabrikam Aurora", "4.2.118.0", "{3, 2, 1}"],
                ["Fabrikam Borealis", "9.7.2041.3", "{5, 4, 3}"],
                ["Fabrikam Cirrus", "12.0.77.1", "{1}"],
            ]
        );
    }
}

/// A name that is wrong is that of one family: the plugin is of use for the others.
#[test]
fn a_misnamed_family_costs_itself() {
    for (name, problem) in [
        (
            "utf16",
            "pfnEnumerateAdapterFamilies gives index 0 a name that is not well-formed UTF-16",
        ),
        (
            "empty",
            "pfnEnumerateAdapterFamilies gives index 0 an empty name",
        ),
    ] {
        check_misnamed(name, problem);
    }
}

fn check_misnamed(name: &str, problem: &str) {
    let folder = Folder::new();
    let plugin = unsteady_plugin().to_str().unwrap().to_owned();
    let run = |args: &[&str]| {
        let args = [args, &["--plugin", &plugin]].concat();
        Ran::from(folder.command(&args).env("UNSTEADY_MISNAMED", name))
    };

    let listed = run(&["list"]);
    let good = "1:\n    Adapter Family: Unsteady\n    Compiler Version: 1.0.0.0\n    ABI Versions: {2, 1}\n";
    assert_eq!(
        (listed.code, &*listed.stdout),
        (1, good),
        "{}",
        listed.stderr
    );
    let plugin_path = std::path::absolute(&plugin).unwrap();
    let error = format!(
        "error: adapter family 0: {}: {problem}\n",
        plugin_path.display()
    );
    assert_eq!(listed.stderr, error);
    let listed = run(&["list", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(json["adapter_families"][0]["index"], 1);
    assert_eq!(json["failures"][0]["index"], 0);

    // The only one that can be meant.
    make_many(&folder.path("passes.sodb"), 3);
    for more in [
        &[][..],
        &["--adapter-family", "Unsteady"],
        &["--in-process"],
    ] {
        let ran = run(&[&["compile", "passes.sodb", "a.psdb"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("Adapter Family: Unsteady\n"));
    }
    for family in ["0", ""] {
        let ran = run(&[
            "compile",
            "passes.sodb",
            "b.psdb",
            "--adapter-family",
            family,
        ]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
    let ran = run(&["check", "a.psdb"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// A message that names what to give is followed.
#[test]
fn the_families_that_a_message_names_can_be_given() {
    let folder = crate::compile::example();
    let compile = |more: &[&str]| {
        let args = ["compile", "пример.sodb", "a.psdb"];
        folder.run(&[&args, more].concat())
    };
    let ran = compile(&[]);
    let hint = "--plugin sample --adapter-family 0";
    assert!(ran.code == 2 && ran.stderr.contains(hint), "{}", ran.stderr);
    let hint: Vec<&str> = hint.split(' ').collect();
    assert_eq!(compile(&hint).code, 0);
    for (given, problem) in [
        (
            &[][..],
            "the plugin does not have exactly one adapter family, so give --adapter-family",
        ),
        (
            &["--adapter-family", "3"],
            "the plugin has no adapter family \"3\"",
        ),
    ] {
        let ran = compile(&[&["--plugin", "sample"], given].concat());
        let families = "0 (Fabrikam Aurora), 1 (Fabrikam Borealis), 2 (Fabrikam Cirrus)";
        let expected = format!("error: {problem}; its adapter families are {families}\n");
        assert_eq!((ran.code, ran.stderr), (2, expected));
    }
}

#[test]
fn a_family_that_cannot_be_meant_is_an_error() {
    let folder = Folder::new();
    let plugin = unsteady_plugin();
    let list = ["list", "--plugin", plugin.to_str().unwrap()];
    for (variable, value, error, others) in [
        ("UNSTEADY_ABIS", "", "0: Unsteady has no ABI version", 0),
        (
            "UNSTEADY_MISNAMED",
            "same",
            "1: Unsteady is the name of family 0 too",
            1,
        ),
    ] {
        let ran = Ran::from(folder.command(&list).env(variable, value));
        let families = as_an_engine_reads(&ran.stdout);
        assert_eq!((ran.code, families.len()), (1, others), "{}", ran.stderr);
        assert_eq!(ran.stderr, format!("error: adapter family {error}\n"));
    }
}

/// To open one would wait for who writes to it.
#[cfg(unix)]
#[test]
fn a_plugin_that_is_no_regular_file_is_refused_at_once() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path("fifo"))
        .status();
    assert!(made.unwrap().success());
    make_many(&folder.path("passes.sodb"), 3);
    crate::make_psdb(&folder.path("a.psdb"), &[], &[]);
    for plugin in ["fifo", "/dev/zero", "."] {
        for args in [
            &["list"][..],
            &["check", "a.psdb"],
            &["compile", "passes.sodb", "b.psdb"],
            &["compile", "passes.sodb", "b.psdb", "--in-process"],
            &["compile", "passes.sodb", "b.psdb", "--manifest", "manifest"],
            &["verify", "a.psdb", "--sodb", "passes.sodb"],
        ] {
            let mut command = folder.command(&[args, &["--plugin", plugin]].concat());
            let ran = Ran::from(command.timeout(std::time::Duration::from_secs(20)));
            assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("not a regular file"), "{}", ran.stderr);
        }
    }
}

// Windows has no such file names.
#[cfg(unix)]
#[test]
fn an_engine_sees_no_family_in_an_error() {
    let folder = Folder::new();
    for name in ["7:", "a\n7:\nb"] {
        std::fs::write(folder.path(name), "no library").unwrap();
    }
    for plugin in ["./7:", "7:", "none", "./a\n7:\nb"] {
        let ran = folder.run(&["list", "--plugin", plugin]);
        assert_eq!(ran.code, 2);
        assert!(as_an_engine_reads(&(ran.stdout + &ran.stderr)).is_empty());
    }
}

#[test]
fn a_file_named_sample_is_a_file_with_a_path() {
    let folder = Folder::new();
    std::fs::write(folder.path("sample"), "no library").unwrap();
    assert!(
        folder
            .failure(&["list", "--plugin", "./sample"], 2)
            .contains("sample")
    );
}

#[test]
fn a_part_of_an_application_is_no_reason_to_list_nothing() {
    let folder = Folder::new();
    let whole = folder.output(&["list", "--plugin", "sample"]);
    for part in [
        &["--name", "Rally"][..],
        &["--exe-filename", "ContosoRally.exe"],
        &["--engine", "Engine", "--engine-version", "1.2"],
        &["--app-version", "1.2"],
    ] {
        let ran = folder.run(&[&["list", "--plugin", "sample"], part].concat());
        assert_eq!((ran.code, &ran.stdout), (0, &whole), "{part:?}");
        let warning = "warning: the version of the application's profile is not listed: ";
        assert!(ran.stderr.starts_with(warning), "{part:?}: {}", ran.stderr);
    }
    // What a program passes that passes every default.
    let defaults = ["--app-version", "0x0", "--engine-version", "0x0"];
    assert_eq!(
        folder.output(&[&["list", "--plugin", "sample"][..], &defaults].concat()),
        whole
    );
}
