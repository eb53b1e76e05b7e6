//! docs/vendor-guide.md, followed to the letter: its crate is written, built, tested, loaded and called.

#[path = "ddi/host/mod.rs"]
#[allow(dead_code, reason = "made for the tests in ddi/")]
mod host;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ddi_sys::*;
use libloading::Library;
use plugin_sdk::EntryPoint;

use host::memory::Guarded;
use host::pipeline::{LIBRARY, PIXEL, Pipeline, VERTEX, program};
use host::session::{self, Session};
use host::state_object::StateObject;
use host::{Compiler, Host};

const GUIDE: &str = include_str!("../../docs/vendor-guide.md");
const README: &str = include_str!("../../README.md");

/// The code blocks of a language, in order.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    text.split(&format!("```{language}\n"))
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

/// The manifest of the guide, and what its unit tests add to it.
fn manifests() -> [String; 2] {
    blocks(GUIDE, "toml").try_into().unwrap()
}

/// A crate as the guide has it, with this source.
fn write_crate(name: &str, source: &str) -> PathBuf {
    let sdk = env!("CARGO_MANIFEST_DIR").replace('\\', "/");
    let [mut manifest, of_the_tests] = manifests();
    if source.contains("plugin_testing") {
        manifest += &of_the_tests;
    }
    for (of_the_guide, ours) in [
        ("../plugin-kit", &*format!("{sdk}/..")),
        ("my-plugin", name),
    ] {
        assert!(manifest.contains(of_the_guide));
        manifest = manifest.replace(of_the_guide, ours);
    }
    let crate_dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("vendor-guide")
        .join(name);
    fs::create_dir_all(crate_dir.join("src")).unwrap();
    // Not a member of the workspace that it may lie in, and with its versions of everything.
    fs::write(crate_dir.join("Cargo.toml"), manifest + "\n[workspace]\n").unwrap();
    fs::copy(format!("{sdk}/../Cargo.lock"), crate_dir.join("Cargo.lock")).unwrap();
    let shader = format!("{sdk}/../dxil/corpus/dxil/raw_copy_cs.dxil");
    fs::copy(shader, crate_dir.join("src/cs.dxil")).unwrap();
    fs::write(crate_dir.join("src/lib.rs"), source).unwrap();
    crate_dir
}

fn cargo(crate_dir: &Path, command: &str, rustc: &[&str]) {
    let output = Command::new(env!("CARGO"))
        .args([command, "--offline", "--quiet", "--target-dir"])
        .arg(target_dir())
        .args(rustc)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .current_dir(crate_dir)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {command}:\n{text}");
}

/// One for all crates: what they depend on is built once.
fn target_dir() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("vendor-guide/target")
}

/// Builds the crate and loads its DLL, which stays.
fn load(crate_dir: &Path) -> EntryPoint {
    cargo(crate_dir, "rustc", &["--lib", "--", "-D", "warnings"]);
    let name = crate_dir
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .replace('-', "_");
    let library = target_dir()
        .join("debug")
        .join(libloading::library_filename(name));
    // SAFETY: our own plugin, and the DDI's entry point. It is never unloaded.
    unsafe {
        let library = Box::leak(Box::new(Library::new(library).unwrap()));
        *library.get::<EntryPoint>(b"D3D12OpenCompilerDDI").unwrap()
    }
}

fn open(entry: EntryPoint) -> Host {
    Host::with_callbacks(entry, &session::callbacks::<0>()).unwrap()
}

fn compiler(host: &Host, abi_version: u64) -> Compiler<'_> {
    host.create_compiler_for(&D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: 0,
        ABIVersion: abi_version,
    })
}

/// Compiles in a session, which must succeed; the object's keys.
fn compile(
    compiler: &Compiler<'_>,
    session: &Session,
    flags: i32,
    pipeline: &Pipeline,
) -> Vec<Vec<u8>> {
    assert_eq!(compiler.compile_types(session, flags, pipeline.raw), S_OK);
    let keys = session.object_keys().unwrap();
    session.calls();
    keys
}

fn refuse(compiler: &Compiler<'_>, pipeline: &Pipeline) -> HRESULT {
    let session = Session::default();
    let hresult = compiler.compile_types(&session, 15, pipeline.raw);
    assert_eq!(session.object_keys(), None);
    hresult
}

/// What a conforming plugin does with pipelines, in short.
fn check_pipelines(host: &Host) {
    let first = compiler(host, 2);
    let (session, graphics) = (Session::default(), Pipeline::graphics());
    let keys = compile(&first, &session, 15, &graphics);
    assert_eq!(keys.len(), 2, "a value for each stage");
    for key in &keys {
        assert_eq!(session.state().values[key].len(), 4, "every requested type");
    }

    // The same object again, also of another compiler: the same keys, and nothing stored.
    let again = compiler(host, 2);
    assert_eq!(compile(&again, &session, 15, &Pipeline::graphics()), keys);
    // Only what is requested, and later the rest under the same keys.
    let session = Session::default();
    assert_eq!(compile(&first, &session, 1, &graphics), keys);
    assert!(
        keys.iter()
            .all(|key| session.state().values[key].keys().eq([&0]))
    );
    assert_eq!(compile(&first, &session, 4, &graphics), keys);
    assert!(
        keys.iter()
            .all(|key| session.state().values[key].keys().eq([&0, &2]))
    );

    // The vertex shader is shared; another root signature or ABI version shares nothing.
    let mut vertex_only = Pipeline::zeroed();
    let shader = vertex_only.shader(program(VERTEX));
    vertex_only.get().hVertexShader.pDrvPrivate = shader.cast();
    assert_eq!(compile(&first, &session, 1, &vertex_only), keys[..1]);
    let mut with_root = Pipeline::graphics();
    with_root.root_signature_1_2(&raw mut with_root.get().hRootSignature, "", None);
    let others = [
        compile(&first, &session, 1, &with_root),
        compile(&compiler(host, 1), &session, 1, &graphics),
    ];
    assert!(others.iter().flatten().all(|key| !keys.contains(key)));
    assert_ne!(others[0], others[1]);

    // A stage that is another's, a broken program, a flag that nobody knows.
    assert_eq!(
        refuse(&first, &Pipeline::compute(program(PIXEL))),
        E_INVALIDARG
    );
    let mut broken = program(VERTEX);
    broken[6] = 0;
    assert_eq!(refuse(&first, &Pipeline::compute(broken)), E_INVALIDARG);
    let mut strange = Pipeline::graphics();
    let handle = &raw mut strange.get().hRootSignature;
    let content = strange.root_signature_1_2(handle, "", None);
    // SAFETY: the pipeline's own root signature.
    unsafe { (*content).Flags = D3D12DDI_ROOT_SIGNATURE_FLAGS(1 << 30) };
    assert_eq!(refuse(&first, &strange), DXGI_ERROR_UNSUPPORTED);
    // What the compiler does not read may be anything.
    let unread = Pipeline::graphics();
    unread.get().PrimitiveTopologyType = D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE(99);
    assert_eq!(compile(&first, &session, 1, &unread), keys);
}

fn check_state_objects(host: &Host, supported: bool) {
    let (compiler, session) = (compiler(host, 2), Session::default());
    let desc = StateObject::raytracing();
    let handle = compiler.handle();
    let memory = || Guarded::new(host.calc_state_object_size(handle), 0);
    let (parent, addition, pipeline) = (memory(), memory(), memory());
    let created = host.create_state_object_in(handle, &session, desc.raw, parent.at().cast());
    if !supported {
        assert_eq!(created, DXGI_ERROR_UNSUPPORTED);
        return;
    }
    let keys = |hresult| {
        assert_eq!(hresult, S_OK);
        let keys = session.object_keys().unwrap();
        session.calls();
        keys
    };
    let first = keys(created);
    let (parent_at, at) = (parent.at().cast(), addition.at().cast());
    let added = keys(host.add_to_state_object_in(handle, &session, desc.raw, parent_at, at));
    assert_eq!(added[..1], first, "the addition names what it inherits");
    assert_eq!(added.len(), 2);
    let with_collection = StateObject::with_collection(at);
    let at = pipeline.at().cast();
    let linked = keys(host.create_state_object_in(handle, &session, with_collection.raw, at));
    assert_eq!(linked, added);
    let mut broken = StateObject::raytracing();
    let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY;
    let library = broken.content::<D3D12DDI_DXIL_LIBRARY_DESC_0054>(kind);
    let mut code = program(LIBRARY);
    code[6] = 0;
    // SAFETY: the description's own library.
    unsafe { (*library).pDXILLibrary = broken.arena.slice(code) };
    let unused = memory();
    let refused = host.create_state_object_in(handle, &session, broken.raw, unused.at().cast());
    assert_eq!(refused, E_INVALIDARG);
    for memory in [&pipeline, &parent, &addition] {
        host.destroy_state_object(handle, memory.at().cast());
        memory.check();
    }
}

#[test]
#[cfg_attr(miri, ignore = "runs cargo and loads libraries")]
fn the_guides_plugin_is_built_and_conforms() {
    let mut blocks = blocks(GUIDE, "rust");
    blocks.retain(|block| !block.starts_with(OF_THE_EXAMPLE));
    let [plugin, unit_test, in_the_impl, at_the_end] = <[_; 4]>::try_from(blocks).unwrap();
    let crate_dir = write_crate("plugin-of-the-guide", &(plugin.clone() + &unit_test));
    let host = open(load(&crate_dir));
    check_pipelines(&host);
    check_state_objects(&host, false);
    cargo(&crate_dir, "test", &[]);

    let nothing = "type StateObject = ();";
    assert_eq!(plugin.matches(nothing).count(), 1);
    let with_state_objects = plugin.replace(nothing, &in_the_impl) + &at_the_end;
    let crate_dir = write_crate("with-state-objects", &with_state_objects);
    let host = open(load(&crate_dir));
    check_pipelines(&host);
    check_state_objects(&host, true);
}

/// How a block begins that is part of the example, on which the conformance suite is run.
const OF_THE_EXAMPLE: &str = "// conformance/parallel-plugin/src/lib.rs";

#[test]
fn the_guide_quotes_the_example() {
    let example = include_str!("../../conformance/parallel-plugin/src/lib.rs");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let example = words(example);
    let blocks = blocks(GUIDE, "rust");
    let quotes = blocks.iter().filter_map(|block| {
        let (first, code) = block.split_once('\n')?;
        first.starts_with(OF_THE_EXAMPLE).then(|| words(code))
    });
    let missing: Vec<_> = quotes
        .clone()
        .filter(|code| !example.contains(code))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
    assert_eq!(quotes.count(), 5);
}

#[test]
#[cfg_attr(miri, ignore = "runs cargo and loads libraries")]
fn the_readmes_plugin_is_built_and_compiles() {
    let [plugin] = <[_; 1]>::try_from(blocks(README, "rust")).unwrap();
    // Which has the suite on it (xtask/tests/tools/new_plugin.rs).
    let template = include_str!("../../xtask/templates/new-plugin/rust/lib.rs");
    assert!(template.replace("\r\n", "\n").starts_with(&plugin));
    let host = open(load(&write_crate("plugin-of-the-readme", &plugin)));
    let (compiler, session) = (compiler(&host, 2), Session::default());
    let keys = compile(&compiler, &session, 15, &Pipeline::graphics());
    assert!(
        keys.iter()
            .all(|key| session.state().values[key].len() == 4)
    );
}
