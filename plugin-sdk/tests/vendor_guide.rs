//! docs/vendor-guide.md, followed to the letter: its crate is written, built, tested, loaded and called.

#[path = "ddi/host/mod.rs"]
#[allow(dead_code, reason = "made for the tests in ddi/")]
mod host;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use ddi_sys::*;
use plugin_host::session::{MemoryCache, SessionScope};
use plugin_host::{ApplicationDesc, CallError, CallFailure, Compiler, Library, Plugin, U16CString};

use host::pipeline::{LIBRARY, PIXEL, Pipeline, VERTEX, program};
use host::state_object::StateObject;

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

/// Builds the crate, loads its DLL and opens it.
fn open(crate_dir: &Path) -> Plugin {
    cargo(crate_dir, "rustc", &["--lib", "--", "-D", "warnings"]);
    let name = crate_dir
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .replace('-', "_");
    let library = target_dir()
        .join("debug")
        .join(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"));
    // SAFETY: a plugin that is made with the SDK keeps the DDI.
    Plugin::open(&unsafe { Library::load(&library) }.unwrap()).unwrap()
}

fn compiler(plugin: &Plugin, abi_version: u64) -> Compiler {
    let text = |text| U16CString::from_str(text).unwrap();
    let application = ApplicationDesc {
        exe_filename: text("Game.exe"),
        name: text("The Game"),
        version: 1,
        engine: None,
    };
    let target = plugin.target(0, abi_version).unwrap();
    plugin.create_compiler(target, &application).unwrap()
}

/// Compiles for a cache; the object's keys.
fn try_compile(
    compiler: &Compiler,
    cache: &Arc<MemoryCache>,
    flags: i32,
    pipeline: &Pipeline,
) -> Result<Vec<Vec<u8>>, CallError> {
    let session = SessionScope::new(cache.clone());
    let flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(flags);
    // SAFETY: the description's pointers are right, for the call.
    let keys = unsafe { compiler.compile_pipeline_state(session, flags, pipeline.get()) };
    assert_eq!(cache.misuses(), []);
    keys
}

fn compile(
    compiler: &Compiler,
    cache: &Arc<MemoryCache>,
    flags: i32,
    pipeline: &Pipeline,
) -> Vec<Vec<u8>> {
    try_compile(compiler, cache, flags, pipeline).unwrap()
}

/// What the plugin answers to what it must refuse.
fn refusal<T: std::fmt::Debug>(result: Result<T, CallError>) -> HRESULT {
    match result.unwrap_err().failure {
        CallFailure::Result(hresult) => hresult,
        other => panic!("{other}"),
    }
}

fn refuse(compiler: &Compiler, pipeline: &Pipeline) -> HRESULT {
    refusal(try_compile(compiler, &Arc::default(), 15, pipeline))
}

/// The types of the values under a key.
fn types(cache: &MemoryCache, key: &[u8]) -> Vec<usize> {
    let sizes = cache.sizes(key);
    (0..sizes.len()).filter(|kind| sizes[*kind] > 0).collect()
}

/// What a conforming plugin does with pipelines, in short.
fn check_pipelines(plugin: &Plugin) {
    let first = compiler(plugin, 2);
    let (cache, graphics) = (Arc::default(), Pipeline::graphics());
    let keys = compile(&first, &cache, 15, &graphics);
    assert_eq!(keys.len(), 2, "a value for each stage");
    for key in &keys {
        assert_eq!(types(&cache, key), [0, 1, 2, 3], "every requested type");
    }

    // The same object again, also of another compiler: the same keys, and nothing stored.
    let again = compiler(plugin, 2);
    assert_eq!(compile(&again, &cache, 15, &Pipeline::graphics()), keys);
    // Only what is requested, and later the rest under the same keys.
    let cache = Arc::default();
    assert_eq!(compile(&first, &cache, 1, &graphics), keys);
    assert!(keys.iter().all(|key| types(&cache, key) == [0]));
    assert_eq!(compile(&first, &cache, 4, &graphics), keys);
    assert!(keys.iter().all(|key| types(&cache, key) == [0, 2]));

    // The vertex shader is shared; another root signature or ABI version shares nothing.
    let mut vertex_only = Pipeline::zeroed();
    let shader = vertex_only.shader(program(VERTEX));
    vertex_only.get().hVertexShader.pDrvPrivate = shader.cast();
    assert_eq!(compile(&first, &cache, 1, &vertex_only), keys[..1]);
    let mut with_root = Pipeline::graphics();
    with_root.root_signature_1_2(&raw mut with_root.get().hRootSignature, "", None);
    let others = [
        compile(&first, &cache, 1, &with_root),
        compile(&compiler(plugin, 1), &cache, 1, &graphics),
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
    assert_eq!(compile(&first, &cache, 1, &unread), keys);
}

fn check_state_objects(plugin: &Plugin, supported: bool) {
    const CODE: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS =
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;
    let (compiler, cache) = (compiler(plugin, 2), Arc::new(MemoryCache::default()));
    let session = || SessionScope::new(cache.clone());
    let desc = StateObject::raytracing();
    // SAFETY: the description's pointers are right, and it outlives the objects.
    let create =
        |desc: &StateObject| unsafe { compiler.create_state_object(session(), CODE, desc.get()) };
    if !supported {
        assert_eq!(refusal(create(&desc)), DXGI_ERROR_UNSUPPORTED);
        return;
    }
    let (parent, first) = create(&desc).unwrap();
    // SAFETY: as above.
    let (addition, added) = unsafe { parent.add_to(session(), CODE, desc.get()) }.unwrap();
    assert_eq!(added[..1], first, "the addition names what it inherits");
    assert_eq!(added.len(), 2);
    let with_collection = StateObject::with_collection(addition.handle().pDrvPrivate);
    let (_pipeline, linked) = create(&with_collection).unwrap();
    assert_eq!(linked, added);
    let mut broken = StateObject::raytracing();
    let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY;
    let library = broken.content::<D3D12DDI_DXIL_LIBRARY_DESC_0054>(kind);
    let mut code = program(LIBRARY);
    code[6] = 0;
    // SAFETY: the description's own library.
    unsafe { (*library).pDXILLibrary = broken.arena.slice(code) };
    assert_eq!(refusal(create(&broken)), E_INVALIDARG);
    assert_eq!(cache.misuses(), []);
}

#[test]
#[cfg_attr(miri, ignore = "runs cargo and loads libraries")]
fn the_guides_plugin_is_built_and_conforms() {
    let mut blocks = blocks(GUIDE, "rust");
    blocks.retain(|block| !block.starts_with(OF_THE_EXAMPLE));
    let [plugin, unit_test, in_the_impl, at_the_end] = <[_; 4]>::try_from(blocks).unwrap();
    let crate_dir = write_crate("plugin-of-the-guide", &(plugin.clone() + &unit_test));
    let plugin_of_the_guide = open(&crate_dir);
    check_pipelines(&plugin_of_the_guide);
    check_state_objects(&plugin_of_the_guide, false);
    cargo(&crate_dir, "test", &[]);

    let nothing = "type StateObject = ();";
    assert_eq!(plugin.matches(nothing).count(), 1);
    let with_state_objects = plugin.replace(nothing, &in_the_impl) + &at_the_end;
    let crate_dir = write_crate("with-state-objects", &with_state_objects);
    let plugin = open(&crate_dir);
    check_pipelines(&plugin);
    check_state_objects(&plugin, true);
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
    let plugin = open(&write_crate("plugin-of-the-readme", &plugin));
    let (compiler, cache) = (compiler(&plugin, 2), Arc::default());
    let keys = compile(&compiler, &cache, 15, &Pipeline::graphics());
    assert!(keys.iter().all(|key| types(&cache, key).len() == 4));
}
