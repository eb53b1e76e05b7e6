//! The example host runs the example plugin on every shader of the corpus.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use object::Object;
use xtask::toolchain::{Compiler, TARGETS, Target};
use xtask::workspace;

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

fn examples() -> PathBuf {
    workspace().join("headers/examples")
}

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn build(command: &mut Command) {
    let output = run(command
        .args(WARNINGS)
        .args(["-O1", "-I"])
        .arg(workspace().join("headers")));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{messages}");
}

fn build_plugin(target: &Target, compiler: &Compiler, source: &Path, folder: &Path) -> PathBuf {
    let plugin = folder.join(if target.is_windows {
        "plugin.dll"
    } else {
        "plugin.so"
    });
    let mut command = Command::new(compiler.cpp);
    command
        .args(["-std=c++17", "-shared"])
        .arg(source)
        .arg("-o")
        .arg(&plugin);
    if target.is_windows {
        command.arg(examples().join("minimal_plugin.def"));
        command.args(["-static", "-Wl,--enable-stdcall-fixup"]);
    } else {
        command.args(["-fPIC", "-fvisibility=hidden"]);
    }
    build(&mut command);
    plugin
}

fn build_host(target: &Target, compiler: &Compiler, folder: &Path) -> PathBuf {
    let host = folder.join(if target.is_windows {
        "host.exe"
    } else {
        "host"
    });
    let mut command = Command::new(compiler.c);
    command
        .arg("-std=c11")
        .arg(examples().join("host.c"))
        .arg("-o")
        .arg(&host);
    if !target.is_windows {
        command.arg("-ldl");
    }
    build(&mut command);
    host
}

/// Every shader of a folder of the corpus, by name.
fn corpus(folder: &str) -> Vec<(String, PathBuf)> {
    let folder = workspace().join("dxil/corpus").join(folder);
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut shaders: Vec<_> = files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension != "json")
        })
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    shaders.sort();
    shaders
}

fn keys(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    text.lines()
        .filter(|line| line.starts_with("key "))
        .collect()
}

#[test]
fn the_examples_compile_the_corpus() {
    let target = &TARGETS[0];
    let mut answers = Vec::new();
    for compiler in target
        .compilers
        .iter()
        .filter(|compiler| compiler.is_here())
    {
        let folder = tempfile::tempdir().unwrap();
        let source = examples().join("minimal_plugin.cpp");
        let plugin = build_plugin(target, compiler, &source, folder.path());
        let host = build_host(target, compiler, folder.path());
        let mut answer = Vec::new();
        for (name, path) in corpus("dxil") {
            let output = run(Command::new(&host).arg(&plugin).arg(path));
            let messages = String::from_utf8_lossy(&output.stderr);
            let stages = ["vs", "ms", "cs"];
            let compiles = name.split('_').any(|word| stages.contains(&word));
            assert_eq!(
                output.status.code(),
                Some(i32::from(!compiles)),
                "{name}: {messages}"
            );
            answer.push((name, keys(&output)));
        }
        assert!(answer.iter().filter(|(_, keys)| !keys.is_empty()).count() > 50);
        answers.push(answer);
    }
    for answer in &answers {
        assert_eq!(
            *answer, answers[0],
            "keys depend on the compiler of the plugin"
        );
    }
}

#[test]
fn the_examples_refuse_what_is_malformed() {
    let target = &TARGETS[0];
    let compiler = &target.compilers[0];
    if !compiler.is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = examples().join("minimal_plugin.cpp");
    let plugin = build_plugin(target, compiler, &source, folder.path());
    let host = build_host(target, compiler, folder.path());
    for (name, path) in corpus("malformed") {
        let output = run(Command::new(&host).arg(&plugin).arg(&path));
        let code = output
            .status
            .code()
            .unwrap_or_else(|| panic!("{name}: {}", output.status));
        // The rest of the faults is in parts that do not cross the DDI.
        let crosses = name.starts_with("prog_") && name != "prog_kind_lies";
        if crosses || ["bitcode_magic", "empty", "no_dxil", "text_file"].contains(&&*name) {
            assert_eq!(code, 1, "{name}");
        }
    }
    let shader = workspace().join("dxil/corpus/dxil/fullscreen_vs.dxil");
    let output = run(Command::new(&host).arg(&shader).arg(&shader));
    assert_eq!(output.status.code(), Some(1), "a shader is no plugin");
}

#[test]
fn the_host_notices_a_plugin_with_a_fault() {
    let target = &TARGETS[0];
    let compiler = &target.compilers[0];
    if !compiler.is_here() {
        return;
    }
    let good = fs::read_to_string(examples().join("minimal_plugin.cpp")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let host = build_host(target, compiler, folder.path());
    for (old, new, said) in [
        (
            "return m_callbacks.pfnCompilerCacheSetObjectValueKeys(",
            "return keys.size() != 0 ? S_OK : m_callbacks.pfnCompilerCacheSetObjectValueKeys(",
            "SetObjectValueKeys was not called exactly once",
        ),
        (
            "type, {bytes.data(), bytes.size()}};",
            "type, {bytes.data(), 0}};",
            "CompilePipelineState returned 0x80070057",
        ),
        (
            "if ((static_cast<INT>(m_types) & 1 << i) == 0) {",
            "if (i < 0) {",
            "the stored types are not those that were asked for",
        ),
    ] {
        assert_eq!(good.matches(old).count(), 1, "{old}");
        let source = folder.path().join("faulty.cpp");
        fs::write(&source, good.replace(old, new)).unwrap();
        let plugin = build_plugin(target, compiler, &source, folder.path());
        let shader = workspace().join("dxil/corpus/dxil/fullscreen_vs.dxil");
        let output = run(Command::new(&host).arg(&plugin).arg(shader));
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(1) && messages.contains(said),
            "{messages}"
        );
    }
}

#[test]
fn the_examples_work_on_windows() {
    for target in TARGETS.iter().filter(|target| target.is_windows) {
        for compiler in target
            .compilers
            .iter()
            .filter(|compiler| compiler.is_here())
        {
            let folder = tempfile::tempdir().unwrap();
            let source = examples().join("minimal_plugin.cpp");
            let plugin = build_plugin(target, compiler, &source, folder.path());
            let host = build_host(target, compiler, folder.path());

            let bytes = fs::read(&plugin).unwrap();
            let exports = object::File::parse(&*bytes).unwrap().exports().unwrap();
            let exports: Vec<_> = exports.iter().map(object::Export::name).collect();
            assert_eq!(exports, [b"D3D12OpenCompilerDDI"], "{}", target.triple);

            if !cfg!(windows) {
                println!(
                    "not run here, but by scripts/windows-test: {}",
                    compiler.cpp
                );
                continue;
            }
            let shader = workspace().join("dxil/corpus/dxil/fullscreen_vs.dxil");
            let output = run(Command::new(&host).arg(&plugin).arg(shader));
            let messages = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success() && !keys(&output).is_empty(),
                "{messages}"
            );
        }
    }
}
