//! `cargo xtask new-plugin`: its projects build, pass their tests and the conformance suite, and have workflows that fit.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use xtask::dll::Dll;
use xtask::toolchain::TARGETS;
use xtask::workspace;
use yaml_rust2::{Yaml, YamlLoader};

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

fn succeed(command: &mut Command) -> String {
    let output = run(command);
    let text = text(&output);
    assert!(output.status.success(), "{command:?}\n{text}");
    text
}

fn new_plugin(lang: &str, path: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command
        .args(["new-plugin", "--lang", lang])
        .arg(path)
        .args(more);
    command
}

fn cargo(folder: &Path, target_dir: &Path, subcommand: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command
        .args([subcommand, "--offline", "--quiet", "--target-dir"])
        .arg(target_dir)
        .args(arguments)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .current_dir(folder);
    command
}

fn temporary() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// The runner, which is built beside the libraries that the suite's own tests load.
fn runner() -> &'static Path {
    static RUNNER: OnceLock<PathBuf> = OnceLock::new();
    RUNNER.get_or_init(|| {
        let name = format!("ddi-conformance{EXE_SUFFIX}");
        if let Some(built) = std::env::var_os("DDI_TEST_LIBRARIES") {
            return Path::new(&built).join(name);
        }
        let target = temporary().join("../libraries");
        succeed(&mut cargo(
            &workspace(),
            &target,
            "build",
            &["-p", "conformance", "--bin", "ddi-conformance"],
        ));
        target.join("debug").join(name)
    })
}

#[track_caller]
fn conforms(library: &Path) {
    let arguments = ["run", "--set", "smoke", "--strict"];
    let report = succeed(Command::new(runner()).args(arguments).arg(library));
    assert!(report.contains("rules hold"), "{report}");
}

#[test]
fn a_rust_project_passes_its_tests_and_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("first-plugin");
    let said = succeed(&mut new_plugin("rust", &project, &[]));
    assert!(said.contains("cargo test"), "{said}");
    // The versions of everything that are here.
    fs::copy(workspace().join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    // That of the guide's plugins, for which the SDK is built as well.
    let target = temporary().join("vendor-guide/target");
    // RUSTFLAGS would have Cargo build the SDK again.
    for profile in ["dev", "test"] {
        let strict = ["--profile", profile, "--lib", "--", "-Dwarnings"];
        succeed(&mut cargo(&project, &target, "rustc", &strict));
    }
    let tested = succeed(&mut cargo(&project, &target, "test", &[]));
    assert!(tested.contains("1 passed"), "{tested}");
    conforms(&target.join(format!("debug/{DLL_PREFIX}first_plugin{DLL_SUFFIX}")));
}

#[test]
fn a_cpp_project_passes_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let said = succeed(&mut new_plugin("cpp", folder.path(), &["--name", "first"]));
    assert!(said.contains("cmake --build build"), "{said}");
    for target in &TARGETS {
        for compiler in target.compilers_here() {
            let library = folder
                .path()
                .join(format!("{}.{}", target.triple, compiler.cpp));
            let mut command = Command::new(compiler.cpp);
            command
                .args([
                    "-std=c++17",
                    "-O1",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-shared",
                ])
                .arg(folder.path().join("plugin.cpp"))
                .arg("-o")
                .arg(&library);
            // The flags of README.md, and what CMakeLists.txt has for MinGW.
            command.args(if target.is_windows {
                ["-static", "-Wl,--kill-at"]
            } else {
                ["-fPIC", "-fvisibility=hidden"]
            });
            succeed(&mut command);
            if target.is_windows {
                let dll = fs::read(&library).unwrap();
                assert_eq!(Dll::read(&dll).unwrap().faults(), [""; 0]);
            }
            if target.is_windows == cfg!(windows) && target.is_64_bit {
                conforms(&library);
            }
        }
    }
    let starts = Command::new("cmake").arg("--version").output();
    if starts.is_err() {
        println!("skipped CMakeLists.txt: install cmake");
        return;
    }
    let build = folder.path().join("build");
    succeed(
        Command::new("cmake")
            .arg("-S")
            .arg(folder.path())
            .arg("-B")
            .arg(&build),
    );
    succeed(Command::new("cmake").arg("--build").arg(&build));
    let built = format!("first{DLL_SUFFIX}");
    let places = [build.join(&built), build.join("Debug").join(&built)];
    conforms(places.iter().find(|place| place.exists()).unwrap());
}

/// The value behind keys and indices.
fn at<'a>(mut yaml: &'a Yaml, path: &[&str]) -> &'a Yaml {
    for key in path {
        yaml = &yaml[*key];
    }
    yaml
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir => assert!(path.pop()),
            part => path.push(part),
        }
        path
    })
}

#[test]
fn a_workflow_has_the_kit_where_the_project_looks_for_it() {
    for (lang, file, before) in [
        (
            "rust",
            "Cargo.toml",
            "plugin-sdk = { package = \"d3d12-compiler-plugin-sdk\", path = \"",
        ),
        ("cpp", "CMakeLists.txt", "${CMAKE_CURRENT_SOURCE_DIR}/"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("deep/in a folder");
        succeed(&mut new_plugin(lang, &project, &["--name", "first"]));
        let settings = fs::read_to_string(project.join(file)).unwrap();
        let kit = settings.split(before).nth(1).unwrap();
        let kit = kit
            .split('"')
            .next()
            .unwrap()
            .trim_end_matches("/plugin-sdk");
        assert!(
            project.join(kit).join("plugin-sdk/Cargo.toml").exists(),
            "{kit}"
        );

        let workflow = fs::read_to_string(project.join(".github/workflows/ci.yml")).unwrap();
        let workflow = YamlLoader::load_from_str(&workflow).unwrap().remove(0);
        let job = at(&workflow, &["jobs", "plugin"]);
        let steps = job["steps"].as_vec().unwrap();
        let checkouts: Vec<&str> = steps
            .iter()
            .filter(|step| {
                step["uses"]
                    .as_str()
                    .is_some_and(|uses| uses.starts_with("actions/checkout@"))
            })
            .map(|step| at(step, &["with", "path"]).as_str().unwrap())
            .collect();
        let [of_project, of_kit] = checkouts[..] else {
            panic!("{checkouts:?}")
        };
        assert_eq!(plain(&Path::new(of_project).join(kit)), Path::new(of_kit));
        let folders = steps
            .iter()
            .filter_map(|step| step["working-directory"].as_str());
        assert!(
            folders.clone().count() > 2 && folders.into_iter().all(|folder| folder == of_project)
        );
        // A word of the templates that nothing replaced.
        for entry in ["README.md", file, ".github/workflows/ci.yml"] {
            let text = fs::read_to_string(project.join(entry)).unwrap();
            let is_word = |word: &&str| word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
            assert_eq!(text.split('@').skip(1).find(is_word), None, "{entry}");
        }
    }
}

#[test]
fn what_cannot_be_a_project_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |command: &mut Command, said: &str| {
        let output = run(command);
        let text = text(&output);
        assert!(!output.status.success() && text.contains(said), "{text}");
    };
    let full = folder.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("mine"), "mine").unwrap();
    refused(
        &mut new_plugin("rust", &full, &[]),
        "the folder is not empty",
    );
    assert_eq!(fs::read_dir(&full).unwrap().count(), 1);
    let new = folder.path().join("new");
    refused(
        &mut new_plugin("rust", &new, &["--name", "2d"]),
        "no name for a plugin",
    );
    refused(
        &mut new_plugin("rust", &folder.path().join("my plugin"), &[]),
        "--name",
    );
    refused(
        &mut new_plugin("pascal", &new, &[]),
        "possible values: rust, cpp",
    );
    let inside = workspace().join("xtask/a-plugin");
    refused(&mut new_plugin("cpp", &inside, &[]), "in the kit");
    assert!(!new.exists() && !inside.exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
