//! What a host tells a test of a plugin, and of what goes wrong.

use std::fs;

use plugin_sdk::ddi::{DXGI_ERROR_DRIVER_INTERNAL_ERROR, DXGI_ERROR_UNSUPPORTED, E_FAIL};
use plugin_sdk::desc::{ApplicationDesc, PipelineStateDesc};
use plugin_sdk::{
    AdapterFamily, Capabilities, CompilerPlugin, KeyBuilder, ObjectValueKeys, Result, Session,
    Target, ValueType, ValueTypes, Values, VersionNumber, shader_models_up_to,
};
use plugin_testing::api::{
    D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS,
    D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
};
use plugin_testing::desc::{
    DxilLibrary, ExistingCollection, Export, ShaderStage, StateObjectDesc, Subobject,
};
use plugin_testing::{Error, Host, Settings, StateObject, U16CString, pipeline_desc};
use sample_plugin::SamplePlugin;

fn shader(name: &str) -> Vec<u8> {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../dxil/corpus/dxil");
    fs::read(format!("{corpus}/{name}.dxil")).unwrap()
}

/// A plugin that says what it was opened for, and does what the application's name asks for.
struct Scripted;
plugin_sdk::plugin_entry!(Scripted);

struct Compiler {
    application: String,
    target: String,
}

impl CompilerPlugin for Scripted {
    type Compiler = Compiler;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        let version = VersionNumber::new(1, 0, 0, 0);
        vec![
            AdapterFamily::new("First", vec![5, 3], version),
            AdapterFamily::new("Second", vec![2], version),
        ]
    }

    fn capabilities(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Capabilities {
        let mut can = Capabilities::default();
        can.shader_models = shader_models_up_to(6, 3).into();
        can
    }

    fn create_compiler(
        &self,
        target: &Target<'_>,
        application: &ApplicationDesc<'_>,
    ) -> Result<Compiler> {
        Ok(Compiler {
            application: application.name.to_string_lossy(),
            target: format!("{} {}", target.family.name, target.abi_version),
        })
    }
}

impl plugin_sdk::Compiler for Compiler {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        match &*self.application {
            "refused" => return Err(plugin_sdk::Error::unsupported("not for this game")),
            "panics" => panic!("in the game"),
            _ => {}
        }
        // Two values: one of the target, in all types, and one of the whole pipeline, which is code alone.
        let key = KeyBuilder::new("target").finish();
        let target = session.find_or_store(key, |missing| {
            let text = |kind| format!("{kind:?} of {}", self.target).into_bytes();
            Ok(missing.types().map(|kind| (kind, text(kind))).collect())
        })?;
        let key = KeyBuilder::new("code").describe("desc", desc).finish();
        let code = session.find_or_store_only(key, ValueTypes::OBJECT_CODE, |_| {
            Ok(Values::new().with(ValueType::ObjectCode, vec![7]))
        })?;
        Ok(session.finish([target, code]))
    }
}

fn settings(family: u32, abi_version: Option<u64>, application: &str) -> Settings {
    let mut settings = Settings::default();
    settings.family = family;
    settings.abi_version = abi_version;
    settings.application.name = U16CString::from_str(application).unwrap();
    settings
}

#[test]
fn keys_and_values_are_those_of_the_plugin_in_its_order() {
    let host = Host::<Scripted>::open().unwrap();
    let code = shader("raw_copy_cs");
    let compiled = host.compile_compute(&code).unwrap();
    let keys: Vec<Vec<u8>> = compiled.keys().map(<[u8]>::to_vec).collect();
    assert_eq!(keys.len(), 2);
    let code_of: Vec<_> = compiled.object_code().collect();
    assert_eq!(code_of, [&b"ObjectCode of First 5"[..], &[7]]);
    for kind in ValueType::ALL {
        let text = format!("{kind:?} of First 5");
        assert_eq!(compiled.value(&keys[0], kind), Some(text.as_bytes()));
        let second = (kind == ValueType::ObjectCode).then_some(&[7][..]);
        assert_eq!(compiled.value(&keys[1], kind), second);
    }
    assert_eq!(compiled.values(ValueType::Metadata).count(), 1);
    assert_eq!(compiled.value(b"another key", ValueType::ObjectCode), None);
    assert_eq!((compiled.found(), compiled.stored()), (0, 5));

    // The whole again, then another pipeline, which shares the first value.
    let again = host.compile_compute(&code).unwrap();
    assert!(again.keys().eq(compiled.keys()));
    assert!(again.object_code().eq(compiled.object_code()));
    assert_eq!((again.found(), again.stored()), (5, 0));
    let other = host.compile_compute(&shader("blur_h2_cs")).unwrap();
    assert_eq!(other.keys().next(), Some(&*keys[0]));
    assert_eq!((other.found(), other.stored()), (4, 1));

    // Another host has another cache.
    let host = Host::<Scripted>::open().unwrap();
    assert_eq!(host.compile_compute(&code).unwrap().stored(), 5);
}

#[test]
fn a_host_is_for_the_target_and_application_of_its_settings() {
    let code = shader("raw_copy_cs");
    for (family, abi_version, target) in [
        (0, None, "First 5"),
        (0, Some(3), "First 3"),
        (1, None, "Second 2"),
    ] {
        let host = Host::<Scripted>::open_for(&settings(family, abi_version, "game")).unwrap();
        let compiled = host.compile_compute(&code).unwrap();
        let text = format!("ObjectCode of {target}");
        assert_eq!(compiled.object_code().next(), Some(text.as_bytes()));
        assert!(target.ends_with(&host.abi_version().to_string()));
    }
    let error = Host::<Scripted>::open_for(&settings(2, None, "game")).unwrap_err();
    let text = "there is no adapter family 2: the plugin has 2, counted from 0";
    assert_eq!(error.to_string(), text);
    let error = Host::<Scripted>::open_for(&settings(1, Some(5), "game")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("reports ABI versions 2 for family 1, not 5"),
        "{error}"
    );
}

#[test]
fn a_failure_has_the_hresult_and_the_message_of_the_plugin() {
    let code = shader("raw_copy_cs");
    for (application, hresult, message) in [
        ("refused", DXGI_ERROR_UNSUPPORTED, "not for this game"),
        (
            "panics",
            DXGI_ERROR_DRIVER_INTERNAL_ERROR,
            "panic in the plugin: in the game",
        ),
    ] {
        let host = Host::<Scripted>::open_for(&settings(0, None, application)).unwrap();
        let error = host.compile_compute(&code).unwrap_err();
        assert_eq!(error.hresult(), Some(hresult));
        let text = error.to_string();
        assert!(text.contains("pfnCompilePipelineState failed"), "{text}");
        assert!(text.contains(message), "{text}");
    }
    // By default a compiler has no state objects.
    let host = Host::<Scripted>::open().unwrap();
    let error = host.compile_library(&shader("stages_lib63")).unwrap_err();
    assert_eq!(error.hresult(), Some(DXGI_ERROR_UNSUPPORTED), "{error}");
}

/// A plugin that does not open.
struct Closed;
plugin_sdk::plugin_entry!(Closed);

impl CompilerPlugin for Closed {
    type Compiler = Compiler;

    fn open() -> Result<Self> {
        Err(plugin_sdk::Error::failed("the tables are missing"))
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        Vec::new()
    }

    fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<Compiler> {
        Err(plugin_sdk::Error::failed("never called"))
    }
}

#[test]
fn a_plugin_that_does_not_open_says_why() {
    let error = Host::<Closed>::open().unwrap_err();
    assert_eq!(error.hresult(), Some(E_FAIL));
    assert!(
        error.to_string().contains("the tables are missing"),
        "{error}"
    );
}

#[test]
fn what_is_no_such_shader_does_not_reach_the_plugin() {
    let host = Host::<SamplePlugin>::open().unwrap();
    let refused = |result: Result<plugin_testing::Compiled, Error>, said: &str| {
        let error = result.unwrap_err();
        assert_eq!(error.hresult(), None);
        assert!(error.to_string().contains(said), "{error}");
    };
    let (vertex, pixel) = (shader("forward_plain_vs"), shader("forward_plain_ps"));
    let library = shader("stages_lib63");
    refused(host.compile_compute(&[]), "no DXIL");
    refused(host.compile_compute(b"a text file"), "no DXIL");
    refused(host.compile_compute(&vertex), "vertex, not compute");
    refused(
        host.compile_graphics(&[&pixel]),
        "neither a vertex nor a mesh shader",
    );
    refused(
        host.compile_graphics(&[&vertex, &vertex]),
        "two of the shaders are of stage VS",
    );
    refused(
        host.compile_graphics(&[&library]),
        "kind library is no shader of a pipeline",
    );
    // The first family of the sample plugin has shader model 6.8.
    refused(
        host.compile_compute(&shader("long_vectors_cs")),
        "shader model 6.9",
    );
    let error = host.compile_library(&vertex).unwrap_err();
    assert!(error.to_string().contains("vertex, not library"), "{error}");
}

#[test]
fn code_may_be_unsigned_or_a_program_alone() {
    let signed = shader("raw_copy_cs");
    let host = Host::<SamplePlugin>::open().unwrap();
    let first = host.compile_compute(&signed).unwrap();
    let unsigned = host.compile_compute(&shader("hash_zero_cs")).unwrap();
    assert!(unsigned.keys().eq(first.keys()));
    // It has no root signature, so its code is another.
    let container = dxil::Container::parse(&signed).unwrap();
    let program = container.program().unwrap().bytes();
    let alone = host.compile_compute(program).unwrap();
    assert!(alone.stored() > 0 && alone.object_code().count() > 0);
}

#[test]
fn every_path_through_a_pipeline_gets_a_description() {
    let host = Host::<SamplePlugin>::open().unwrap();
    for names in [
        &["forward_full_vs", "forward_full_ps"][..],
        &["fullscreen_ps", "fullscreen_vs"],
        &["tess_tri_vs", "tess_tri_hs", "tess_tri_ds"],
        &["tess_tri_vs", "layers_gs"],
        &["meshlet_as", "meshlet_ms", "meshlet_ps"],
        &["mesh_lines_ms"],
        &["heap_cs"],
        &["spec_stages_vs", "spec_stages_ps"],
    ] {
        let shaders: Vec<Vec<u8>> = names.iter().map(|name| shader(name)).collect();
        let shaders: Vec<&[u8]> = shaders.iter().map(Vec::as_slice).collect();
        let compiled = host.compile_graphics(&shaders);
        let compiled = compiled.unwrap_or_else(|error| panic!("{names:?}: {error}"));
        assert!(compiled.object_code().count() > 0, "{names:?}");
    }
    let compute = pipeline_desc(&[&shader("heap_cs")]).unwrap();
    assert!(compute.shaders[ShaderStage::Compute].is_some());
    assert_eq!(
        compute.fixed_function,
        plugin_testing::desc::FixedFunction::default()
    );
}

type Description<'a> = StateObjectDesc<StateObject, &'a [u8]>;

fn raytracing(subobjects: Vec<Subobject<StateObject, &[u8]>>) -> Description<'_> {
    StateObjectDesc {
        kind: D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
        subobjects,
    }
}

fn library<'a>(
    bytecode: &'a [u8],
    exports: &[(&str, Option<&str>)],
) -> Subobject<StateObject, &'a [u8]> {
    let exports = exports.iter().map(|(name, of_library)| Export {
        name: (*name).to_owned(),
        export_to_rename: of_library.map(str::to_owned),
        flags: 0,
    });
    Subobject::Library(DxilLibrary {
        bytecode,
        exports: exports.collect(),
    })
}

#[test]
fn libraries_become_collections_pipelines_and_additions() {
    let host = Host::<SamplePlugin>::open().unwrap();
    let code = shader("rt_subobjects_lib65");
    let collection = host.compile_library(&code).unwrap();
    let keys: Vec<_> = collection.compiled().keys().collect();
    assert!(!keys.is_empty() && collection.compiled().object_code().count() > 0);

    let whole = |collection| {
        raytracing(vec![Subobject::Collection(ExistingCollection {
            collection,
            exports: Vec::new(),
        })])
    };
    let pipeline = host
        .compile_state_object(whole(collection.clone()))
        .unwrap();
    let linked: Vec<_> = pipeline.compiled().keys().collect();
    assert!(keys.iter().all(|key| linked.contains(key)), "{pipeline:?}");

    let config = || Subobject::Config(D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS);
    let base = host
        .compile_state_object(raytracing(vec![config(), library(&code, &[])]))
        .unwrap();
    // What the library has for all of its exports, the addition has to repeat for its own.
    let addition = || {
        raytracing(vec![
            config(),
            library(&code, &[("again", Some("miss"))]),
            Subobject::ShaderConfig(D3D12_RAYTRACING_SHADER_CONFIG {
                MaxPayloadSizeInBytes: 32,
                MaxAttributeSizeInBytes: 16,
            }),
            Subobject::PipelineConfig1(D3D12_RAYTRACING_PIPELINE_CONFIG1 {
                MaxTraceRecursionDepth: 3,
                Flags: D3D12_RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES,
            }),
        ])
    };
    let grown = host.add_to_state_object(&base, addition()).unwrap();
    let of_base: Vec<_> = base.compiled().keys().collect();
    let of_grown: Vec<_> = grown.compiled().keys().collect();
    assert!(of_base.iter().all(|key| of_grown.contains(key)));
    assert!(grown.compiled().stored() > 0 && of_grown.len() > of_base.len());

    let stranger = Host::<SamplePlugin>::open().unwrap();
    for error in [
        stranger
            .compile_state_object(whole(collection.clone()))
            .unwrap_err(),
        stranger.add_to_state_object(&base, addition()).unwrap_err(),
    ] {
        assert!(error.to_string().contains("another host"), "{error}");
    }
    // Whatever goes first, the plugin's objects end in the order that the DDI demands.
    drop((host, collection, base, pipeline));
    assert!(grown.compiled().object_code().count() > 0);
}

#[test]
fn a_subscriber_of_the_test_gets_the_log() {
    let host = Host::<Scripted>::open_for(&settings(0, None, "refused")).unwrap();
    let silent = tracing_subscriber::fmt()
        .with_writer(std::io::sink)
        .finish();
    let code = shader("raw_copy_cs");
    let error = tracing::subscriber::with_default(silent, || host.compile_compute(&code));
    let Err(Error::Call { log, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(log, "");
}
