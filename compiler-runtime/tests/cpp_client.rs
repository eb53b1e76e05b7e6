//! The C++ client of `headers/examples`, built and run. `scripts/windows-test` runs it on Windows, where
//! it must print the same and write the same files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use runtime_test_support::native::{self, COMPILERS, MINGW, is_here, library};
use shader_db::psdb::{File, ValueType};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn shader(name: &str) -> PathBuf {
    repository().join("dxil/corpus/dxil").join(name)
}

fn build(compiler: &str, folder: &Path) -> PathBuf {
    native::build(compiler, folder, "compile_pipeline.cpp")
}

fn run(client: &Path, arguments: &[impl AsRef<OsStr>]) -> Output {
    Command::new(client).args(arguments).output().unwrap()
}

/// Arguments for a pixel shader, or two, with databases in `folder`.
fn arguments(folder: &Path, pixel_shaders: &[&str]) -> Vec<PathBuf> {
    let mut arguments = vec![
        library("compiler_runtime"),
        library("sample_plugin"),
        folder.join("out.psdb"),
        folder.join("debug.psdb"),
        shader("forward_plain_vs.dxil"),
    ];
    arguments.extend(pixel_shaders.iter().map(|name| shader(name)));
    arguments
}

/// The output without what a change of the plugin's code changes: keys and hashes are numbered by their
/// first appearance, sizes left out.
fn normalised(output: &[u8]) -> String {
    let text = String::from_utf8(output.to_vec()).unwrap();
    let mut hashes: Vec<&str> = Vec::new();
    let mut lines = String::new();
    for line in text.lines() {
        let mut words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        for (place, word) in line.split_whitespace().enumerate() {
            if word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let number = hashes.iter().position(|hash| *hash == word);
                let number = number.unwrap_or_else(|| {
                    hashes.push(word);
                    hashes.len() - 1
                });
                words[place] = format!("#{number}");
                if place > 3 {
                    words[place - 1] = "…".into();
                }
            }
        }
        lines += &words.join(" ");
        lines.push('\n');
    }
    lines
}

/// The groups of a file: name, version and value keys.
fn groups(file: &File) -> Vec<(String, u32, Vec<Vec<u8>>)> {
    let mut groups = Vec::new();
    file.for_each_group(&mut |key, group| {
        let (version, keys) = group.unwrap();
        let keys = keys.iter().map(|key| key.to_vec()).collect();
        groups.push((String::from_utf8(key.to_vec()).unwrap(), version, keys));
        ControlFlow::Continue(())
    })
    .unwrap();
    groups
}

/// The types of the values of a file, and how many values there are.
fn values(file: &File) -> (BTreeSet<ValueType>, usize) {
    let (mut types, mut count) = (BTreeSet::new(), 0);
    file.for_each_value(&mut |_, kind, value| {
        assert!(!value.unwrap().is_empty());
        types.insert(kind);
        count += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    (types, count)
}

#[test]
fn compiles_reads_back_and_shares() {
    let mut databases = Vec::new();
    for compiler in COMPILERS.iter().filter(|compiler| is_here(compiler)) {
        let folder = tempfile::tempdir().unwrap();
        let client = build(compiler, folder.path());
        let folder = folder.path().join("каталог 目录");
        fs::create_dir(&folder).unwrap();
        let shaders = ["forward_plain_ps.dxil", "forward_lit_tex_ps.dxil"];
        let output = run(&client, &arguments(&folder, &shaders));
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && messages.is_empty(), "{messages}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(normalised(&output.stdout), @r"
            family 0: Fabrikam Aurora, compiler 4.2.118.0, ABI versions 3 2 1
            family 1: Fabrikam Borealis, compiler 9.7.2041.3, ABI versions 5 4 3
            family 2: Fabrikam Cirrus, compiler 12.0.77.1, ABI versions 1
            application profile 0.0.0.0
            target: family 0, ABI version 3
            root signature: 204 bytes

            group version value key type bytes FNV-1a
            forward_plain_ps 1 #0 object code … #1
            forward_plain_ps 1 #0 metadata … #2
            forward_plain_ps 1 #0 debug PDB … #3
            forward_plain_ps 1 #4 object code … #5
            forward_plain_ps 1 #4 metadata … #6
            forward_plain_ps 1 #4 debug PDB … #7
            forward_plain_ps 1 #8 object code … #9
            forward_plain_ps 1 #8 metadata … #10
            forward_plain_ps 1 #8 debug PDB … #11
            forward_plain_ps 1 #12 object code … #13
            forward_plain_ps 1 #12 metadata … #14
            forward_plain_ps 1 #12 debug PDB … #15
            forward_lit_tex_ps 1 #0 object code … #1
            forward_lit_tex_ps 1 #0 metadata … #2
            forward_lit_tex_ps 1 #0 debug PDB … #3
            forward_lit_tex_ps 1 #16 object code … #17
            forward_lit_tex_ps 1 #16 metadata … #18
            forward_lit_tex_ps 1 #16 debug PDB … #19
            forward_lit_tex_ps 1 #8 object code … #9
            forward_lit_tex_ps 1 #8 metadata … #10
            forward_lit_tex_ps 1 #8 debug PDB … #11
            forward_lit_tex_ps 1 #20 object code … #21
            forward_lit_tex_ps 1 #20 metadata … #22
            forward_lit_tex_ps 1 #20 debug PDB … #23

            #0 is shared by forward_plain_ps forward_lit_tex_ps
            #8 is shared by forward_plain_ps forward_lit_tex_ps

            CompilePipelineState of the same group: DXGI_ERROR_ALREADY_EXISTS
            FindGroup of an unknown group: DXGI_ERROR_NOT_FOUND
            FindGroupValueKeys of another version: DXGI_ERROR_NOT_FOUND
            CompilePipelineState without a vertex shader: E_INVALIDARG
            ");
        }

        // Everything was released: the files are finished, and nothing is beside them.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        let files = ["out.psdb", "debug.psdb"].map(|name| folder.join(name));
        let [main, debug] = files.each_ref().map(|path| File::open(path).unwrap());
        assert!(main.is_finished() && debug.is_finished());
        assert_eq!(main.target().family, "Fabrikam Aurora");
        assert_eq!(main.application().name, "Example Game");

        // Two groups of four values, two of which are the same.
        let groups = groups(&main);
        let [lit, plain] = &groups[..] else {
            panic!("{groups:?}");
        };
        assert_eq!((&*lit.0, lit.1), ("forward_lit_tex_ps", 1));
        assert_eq!((&*plain.0, plain.1), ("forward_plain_ps", 1));
        assert_eq!((lit.2.len(), plain.2.len()), (4, 4));
        let shared = lit.2.iter().filter(|key| plain.2.contains(key));
        assert_eq!(shared.count(), 2);
        let types = |types: &[ValueType]| types.iter().copied().collect::<BTreeSet<_>>();
        let code = types(&[ValueType::ObjectCode, ValueType::Metadata]);
        assert_eq!(values(&main), (code, 2 * 6));
        assert_eq!(values(&debug), (types(&[ValueType::DebugPdb]), 6));

        databases.push(files.map(|path| fs::read(path).unwrap()));
    }
    for files in &databases {
        assert!(*files == databases[0], "the files depend on the compiler");
    }
}

#[test]
fn says_what_failed() {
    let Some(compiler) = COMPILERS.iter().find(|compiler| is_here(compiler)) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let client = build(compiler, folder.path());
    let folder = folder.path();
    let refuses = |arguments: &[PathBuf], said: &str| {
        let output = run(&client, arguments);
        let messages = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        assert!(code == Some(1) && messages.contains(said), "{messages}");
    };
    let good = arguments(folder, &["forward_plain_ps.dxil"]);
    let with = |place: usize, path: PathBuf| {
        let mut arguments = good.clone();
        arguments[place] = path;
        arguments
    };
    refuses(&good[..5], "usage: compile_pipeline");
    refuses(&with(0, folder.join("none")), "cannot be loaded");
    refuses(
        &with(0, library("sample_plugin")),
        "the runtime has no D3D12CompilerCreateFactory",
    );
    refuses(
        &with(1, folder.join("none")),
        "D3D12CompilerCreateFactory returned 0x80070002",
    );
    refuses(
        &with(2, folder.join("none/out.psdb")),
        "CreateCompilerCacheSession returned",
    );
    refuses(&with(4, folder.join("none")), "cannot be read");
    // A pixel shader whose resources the root signature does not have.
    refuses(
        &with(5, shader("bindless_ps.dxil")),
        "CompilePipelineState of bindless_ps returned E_INVALIDARG",
    );
    assert!(run(&client, &good).status.success());
    refuses(
        &good,
        "CompilePipelineState of forward_plain_ps returned DXGI_ERROR_ALREADY_EXISTS",
    );
}

#[test]
fn builds_for_windows() {
    for compiler in MINGW.iter().filter(|compiler| is_here(compiler)) {
        let folder = tempfile::tempdir().unwrap();
        build(compiler, folder.path());
    }
}
