//! The C++ program of `headers/examples`, built and run. `scripts/windows-test` runs it on Windows, where it
//! must print the same and write the same file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use runtime_test_support::native::{self, COMPILERS, MINGW, is_here};
use shader_db::sodb::{Access, PipelineStateDesc, Sodb};

fn build(compiler: &str, folder: &Path) -> PathBuf {
    native::build(compiler, folder, "state_object_database.cpp")
}

fn run(program: &Path, runtime: &Path, database: &Path, shaders: &Path) -> Output {
    let arguments = [runtime, database, shaders];
    Command::new(program).args(arguments).output().unwrap()
}

fn runtime() -> PathBuf {
    native::library("compiler_runtime")
}

fn shaders() -> PathBuf {
    runtime_test_support::corpus::folder().join("dxil")
}

#[test]
fn a_program_stores_and_finds() {
    let mut databases = Vec::new();
    for compiler in COMPILERS.iter().filter(|compiler| is_here(compiler)) {
        let folder = tempfile::tempdir().unwrap();
        let program = build(compiler, folder.path());
        let folder = folder.path().join("дані 資料");
        fs::create_dir(&folder).unwrap();
        let database = folder.join("база.sodb");
        let output = run(&program, &runtime(), &database, &shaders());
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && messages.is_empty(), "{messages}");
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        insta::allow_duplicates! {
            insta::assert_snapshot!(text.replace('\r', ""), @r"
            StoreStateObjectDesc of an addition to nothing: DXGI_ERROR_NOT_FOUND
            StoreStateObjectDesc of a key that a pipeline has: DXGI_ERROR_ALREADY_EXISTS
            SetApplicationDesc of a database that is only read: E_ACCESSDENIED

            application Das Spiel ✨ 1.93.1.0 (Game.exe), engine Example Engine 7.0.0.0
            pipeline fullscreen, version 1
              vertex shader: 3212 bytes, df73ba58fb4c90e2
              pixel shader: 5256 bytes, c3f3408168bf6ba8
              topology type: 3
              render targets: format 28
            pipeline lit, version 1
              root signature: 288 bytes, 526cb1da81f8f438
              vertex shader: 6556 bytes, b6129b7b9f3c511b
              pixel shader: 4988 bytes, 42d65b45a10e1e12
              input layout: POSITION0 format 6 NORMAL0 format 37 TEXCOORD0 format 16 COLOR0 format 28
              rasterizer: fill 3, cull 3, depth bias 4
              topology type: 3
              render targets: format 28
            state object rays, version 1, type 3
              flags: 4
              global root signature: 288 bytes, 526cb1da81f8f438
              local root signature: 112 bytes, eda4e58b811aa766
              library: 14532 bytes, 36629bf8c8422c11, exports camera_rays sky_miss shade_triangle
              hit group: triangles, any hit null, closest hit shade_triangle, intersection null
              shader config: payload 32, attributes 32
              pipeline config: depth 2
              association: subobject 2 with triangles
            state object rays: more, version 1, type 3, added to rays
              flags: 4
              library: 14532 bytes, 36629bf8c8422c11, exports noise_b
              shader config: payload 32, attributes 32
              pipeline config: depth 2
            state object lit: vs, version 1, type 0
              flags: 1
              library: 6556 bytes, b6129b7b9f3c511b, exports vs = *
            state object lit: ps, version 1, type 0
              flags: 1
              library: 4988 bytes, 42d65b45a10e1e12, exports ps = *
            state object program, version 1, type 4
              global root signature: 288 bytes, 526cb1da81f8f438
              collection: lit: vs, all exports
              collection: lit: ps, all exports
              input layout: POSITION0 format 6 NORMAL0 format 37 TEXCOORD0 format 16 COLOR0 format 28
              topology type: 3
              render targets: format 28
              program: lit, of vs ps, with subobjects 3 4 5
            nothing has the key unknown
            keys of pipelines: fullscreen, lit
            keys of state objects: rays, rays: more, lit: vs, lit: ps, program
            ");
        }

        // One file, which others read as the program does.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let sodb = Sodb::open(&database, Access::Read).unwrap();
        let entries = sodb.entries().unwrap();
        let keys: Vec<_> = entries.iter().map(|entry| entry.key.as_slice()).collect();
        let expected: [&[u8]; 7] = [
            b"fullscreen",
            b"lit",
            b"rays",
            b"rays: more",
            b"lit: vs",
            b"lit: ps",
            b"program",
        ];
        assert_eq!(keys, expected);
        assert_eq!(entries[3].parent.as_deref(), Some(&b"rays"[..]));
        assert_eq!(entries[6].collections, [b"lit: vs", b"lit: ps"]);
        // The shaders of the pipeline are the libraries of the collections.
        assert_eq!(sodb.counts().unwrap().shaders, 5);
        drop(sodb);
        let bytes = fs::read(&database).unwrap();

        // The same once more finds the same, and changes nothing.
        let again = run(&program, &runtime(), &database, &shaders());
        assert_eq!(again.stdout, output.stdout);
        databases.push(bytes);
    }
    for bytes in &databases {
        assert!(*bytes == databases[0], "the file depends on the compiler");
    }
}

#[test]
fn says_what_failed() {
    let Some(compiler) = COMPILERS.iter().find(|compiler| is_here(compiler)) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let program = build(compiler, folder.path());
    let folder = folder.path();
    let refuses = |runtime: &Path, database: &Path, shaders: &Path, said: &str| {
        let output = run(&program, runtime, database, shaders);
        let messages = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        assert!(code == Some(1) && messages.contains(said), "{messages}");
    };
    let none = folder.join("none");
    let database = folder.join("a.sodb");
    refuses(&none, &database, &shaders(), "cannot be loaded");
    refuses(&runtime(), &database, &none, "cannot be read");
    fs::write(&none, b"no database").unwrap();
    refuses(
        &runtime(),
        &none,
        &shaders(),
        "CreateStateObjectDatabaseFromFile returned 0x8007000B",
    );
    // A pipeline of other shaders, under a key that the program has.
    let desc = PipelineStateDesc {
        node_mask: Some(1),
        ..PipelineStateDesc::default()
    };
    let sodb = Sodb::open(&database, Access::Write).unwrap();
    sodb.store_pipeline_state(b"lit", 1, &desc).unwrap();
    sodb.close().unwrap();
    refuses(
        &runtime(),
        &database,
        &shaders(),
        "StorePipelineStateDesc of lit returned DXGI_ERROR_ALREADY_EXISTS",
    );
}

#[test]
fn builds_for_windows() {
    for compiler in MINGW.iter().filter(|compiler| is_here(compiler)) {
        let folder = tempfile::tempdir().unwrap();
        build(compiler, folder.path());
    }
}
