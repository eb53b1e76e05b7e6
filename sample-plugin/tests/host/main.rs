//! The plugin through its C entry point, with real DXIL and a host on the other side.

mod raw;
mod specialization;

use std::path::Path;

use bytemuck::Zeroable as _;
#[allow(clippy::wildcard_imports)] // A host's arguments are made of little else.
use plugin_sdk::ddi::*;
use plugin_sdk::desc::ShaderStage::{self, *};
use sample_plugin::object_code::{Content, Link, LinkKind, ObjectCode, Program, Resource, Role};

use raw::{Application, Cache, Compiler, Keys, StateObject};

const CODE: i32 = 1;
const ALL: i32 = 15;

/// Family and ABI version.
type Target = (u32, u64);

const AURORA: Target = (0, 3);
const BOREALIS: Target = (1, 5);
const CIRRUS: Target = (2, 1);
/// Every family and ABI version.
const TARGETS: [Target; 7] = [AURORA, (0, 2), (0, 1), BOREALIS, (1, 4), (1, 3), CIRRUS];

const fn application(exe_filename: &'static str, name: &'static str) -> Application {
    Application {
        exe_filename,
        name,
        version: 1,
        engine: None,
    }
}

fn compiler(target: Target) -> Compiler {
    Compiler::new(target, &application("Game.exe", "Game"))
}

fn corpus(file: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dxil/corpus");
    std::fs::read(folder.join(file)).unwrap()
}

/// Aligned as the DDI has code.
fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    };
    bytes.chunks(4).map(word).collect()
}

/// A container of the corpus.
fn container(name: &str) -> Vec<u32> {
    words(&corpus(&format!("dxil/{name}.dxil")))
}

/// The bare program in it.
fn program(name: &str) -> Vec<u32> {
    let bytes = corpus(&format!("dxil/{name}.dxil"));
    let container = dxil::Container::parse(&bytes).unwrap();
    words(container.program().unwrap().bytes())
}

/// What tests ask of a cache.
impl Cache {
    fn code(&self, key: &[u8]) -> Vec<u8> {
        self.value(key, 0).unwrap()
    }

    /// The types that are stored under a key, as flags.
    fn types(&self, key: &[u8]) -> i32 {
        (0..4)
            .filter(|&kind| self.value(key, kind).is_some())
            .map(|kind| 1 << kind)
            .sum()
    }

    /// Reads object code as a program.
    fn with_program<T>(&self, key: &[u8], read: impl FnOnce(&Program<'_>) -> T) -> T {
        let bytes = self.code(key);
        let Content::Program(program) = ObjectCode::parse(&bytes).unwrap().content else {
            panic!("no program")
        };
        read(&program)
    }

    /// Reads object code as a link.
    fn link(&self, key: &[u8]) -> Link {
        let bytes = self.code(key);
        let Content::Link(link) = ObjectCode::parse(&bytes).unwrap().content else {
            panic!("no link")
        };
        link.into_owned()
    }
}

/// A pipeline with one render target.
#[derive(Clone)]
struct Pipeline {
    shaders: Vec<(ShaderStage, Vec<u32>)>,
    /// Root constants, and who sees them.
    root: Option<(u32, D3D12DDI_SHADER_VISIBILITY)>,
    format: DXGI_FORMAT,
    cull: D3D12DDI_CULL_MODE,
    flags: i32,
    shader_flags: i32,
}

impl Pipeline {
    fn new<const N: usize>(shaders: [(ShaderStage, &str); N]) -> Self {
        Self {
            shaders: shaders.map(|(stage, name)| (stage, program(name))).into(),
            root: Some((4, D3D12DDI_SHADER_VISIBILITY_ALL)),
            format: DXGI_FORMAT_R8G8B8A8_UNORM,
            cull: D3D12DDI_CULL_MODE_NONE,
            flags: 0,
            shader_flags: 0,
        }
    }

    fn compile(&self, compiler: &Compiler, cache: &Cache, types: i32) -> Result<Keys, HRESULT> {
        let mut parameter = D3D12DDI_ROOT_PARAMETER_0013::zeroed();
        let mut signature = D3D12DDI_ROOT_SIGNATURE_0013::zeroed();
        let mut root = D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100::zeroed();
        let mut arg = D3D12DDIARG_CREATE_PIPELINE_STATE_0099::zeroed();
        if let Some((count, visibility)) = self.root {
            parameter.ParameterType = D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
            parameter.Anonymous.Constants = D3D12DDI_ROOT_CONSTANTS {
                ShaderRegister: 0,
                RegisterSpace: 0,
                Num32BitValues: count,
            };
            parameter.ShaderVisibility = visibility;
            (signature.NumParameters, signature.pRootParameters) = (1, &raw const parameter);
            root.Version = D3D12DDI_ROOT_SIGNATURE_VERSION_1_1;
            root.Anonymous.pRootSignature_1_2 = (&raw const signature).cast();
            arg.hRootSignature.pDrvPrivate = (&raw mut root).cast();
        }
        let mut elements = [D3D12DDIARG_SIGNATURE_ENTRY_0012 {
            Mask: 15,
            RegisterComponentType: D3D10_SB_REGISTER_COMPONENT_FLOAT32,
            ..D3D12DDIARG_SIGNATURE_ENTRY_0012::zeroed()
        }];
        let mut standard = D3D12DDIARG_STAGE_IO_SIGNATURES::zeroed();
        standard.Anonymous2.pOutputSignature = elements.as_mut_ptr();
        standard.NumOutputSignatureEntries = 1;
        let mut shaders: Vec<_> = self
            .shaders
            .iter()
            .map(|(stage, code)| {
                let mut shader = D3D12DDIARG_CREATE_SHADER_0026::zeroed();
                shader.pShaderCode = code.as_ptr();
                shader.Flags = D3D12DDI_CREATE_SHADER_FLAGS(self.shader_flags);
                if matches!(stage, Vertex | Pixel) {
                    shader.IOSignatures.Standard = &raw const standard;
                }
                shader
            })
            .collect();
        for ((stage, _), shader) in self.shaders.iter().zip(&mut shaders) {
            let slot = match stage {
                Compute => &mut arg.hComputeShader,
                Vertex => &mut arg.hVertexShader,
                Pixel => &mut arg.hPixelShader,
                Domain => &mut arg.hDomainShader,
                Hull => &mut arg.hHullShader,
                Geometry => &mut arg.hGeometryShader,
                Mesh => &mut arg.hMeshShader,
                Amplification => &mut arg.hAmplificationShader,
                other => panic!("{other:?} has no handle here"),
            };
            slot.pDrvPrivate = (&raw mut *shader).cast();
        }
        let mut rasterizer = D3D12DDI_RASTERIZER_DESC_0102::zeroed();
        (rasterizer.FillMode, rasterizer.CullMode) = (D3D12DDI_FILL_MODE_SOLID, self.cull);
        arg.hRasterizerState.pDrvPrivate = (&raw mut rasterizer).cast();
        (arg.NumRenderTargets, arg.RTVFormats[0]) = (1, self.format);
        arg.SampleDesc.Count = 1;
        arg.SampleMask = u32::MAX;
        arg.PrimitiveTopologyType = D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE;
        arg.Flags = D3D12DDI_PIPELINE_STATE_FLAGS(self.flags);
        // SAFETY: all that the argument points at is above, and code is as long as it says.
        unsafe { compiler.compile(cache, types, &arg) }
    }
}

fn forward() -> Pipeline {
    Pipeline::new([(Vertex, "forward_plain_vs"), (Pixel, "forward_plain_ps")])
}

/// The cache after one compile, and its keys.
fn compiled(pipeline: &Pipeline, compiler: &Compiler) -> (Cache, Keys) {
    let cache = Cache::default();
    let keys = pipeline.compile(compiler, &cache, ALL).unwrap();
    (cache, keys)
}

#[test]
fn a_pipeline_is_its_stages_a_root_signature_and_a_link() {
    let (cache, keys) = compiled(&forward(), &compiler(AURORA));
    assert_eq!((keys.len(), cache.len()), (4, 4));
    assert!(keys.iter().all(|key| cache.types(key) == ALL));
    let kinds = [dxil::ShaderKind::Vertex, dxil::ShaderKind::Pixel];
    for (key, kind) in keys.iter().zip(kinds) {
        cache.with_program(key, |program| {
            assert_eq!(program.kind, kind);
            assert_eq!(program.interface.outputs.len(), 1);
            // Only the vertex shader has b0, which is bound to the constants. Registers below 4 are
            // the driver's.
            let resources = program.interface.resources.iter();
            let bound = resources.filter(|r| (r.access, r.constants) == (0, 4));
            let bound: Vec<_> = bound.map(|r| (r.class, r.register, r.place)).collect();
            let expected = [(2, 0, 4)];
            let has_b0 = kind == dxil::ShaderKind::Vertex;
            assert_eq!(bound, if has_b0 { &expected[..] } else { &[] });
            assert_eq!(program.interface.entry_points[0].kind, kind as u32);
            assert!(!program.interface.attributes.is_empty() && program.literals.is_empty());
        });
    }
    // Performance data: instructions of the stages; parts of the link.
    let performance = |key: &[u8]| words(&cache.value(key, 3).unwrap());
    assert!(performance(&keys[0])[2] > 100 && performance(&keys[3])[7] == 3);
    let link = cache.link(&keys[3]);
    assert_eq!(link.kind, LinkKind::Graphics);
    let parts: Vec<_> = link
        .parts
        .iter()
        .map(|part| (part.role, part.key.to_vec()))
        .collect();
    let [vs, ps] = kinds.map(Role::Program);
    let expected = [
        (vs, &keys[0]),
        (ps, &keys[1]),
        (Role::RootSignature, &keys[2]),
    ];
    assert_eq!(parts, expected.map(|(role, key)| (role, key.clone())));
}

#[test]
fn what_pipelines_share_is_stored_once() {
    let (compiler, cache) = (compiler(AURORA), Cache::default());
    let base = forward();
    let first = base.compile(&compiler, &cache, CODE).unwrap();
    let mut other_ps = base.clone();
    other_ps.shaders[1].1 = program("forward_lit_ps");
    let mut other_state = base.clone();
    other_state.cull = D3D12DDI_CULL_MODE_BACK;
    let mut only_ps_sees = base.clone();
    only_ps_sees.root = Some((4, D3D12DDI_SHADER_VISIBILITY_PIXEL));
    let mut ps_sees_more = only_ps_sees.clone();
    ps_sees_more.root = Some((5, D3D12DDI_SHADER_VISIBILITY_PIXEL));
    let mut all_see_more = base.clone();
    all_see_more.root = Some((5, D3D12DDI_SHADER_VISIBILITY_ALL));
    let mut unoptimized = base.clone();
    unoptimized.shader_flags = D3D12DDI_CREATE_SHADER_FLAG_DISABLE_OPTIMIZATION_0024.0;
    // What is new, of VS, PS, root signature and link. Only the VS uses the constants.
    for (pipeline, new) in [
        (&base, 0),
        (&other_ps, 2),
        (&other_state, 1),
        (&only_ps_sees, 3),
        (&ps_sees_more, 2),
        (&all_see_more, 3),
        (&unoptimized, 3),
    ] {
        let before = cache.len();
        let keys = pipeline.compile(&compiler, &cache, CODE).unwrap();
        assert_eq!(cache.len() - before, new);
        assert_ne!((new == 0), keys[3] != first[3]);
    }
}

#[test]
fn only_what_is_asked_for_is_stored_and_the_rest_can_follow() {
    let (compiler, cache) = (compiler(AURORA), Cache::default());
    let keys = forward().compile(&compiler, &cache, 0).unwrap();
    assert_eq!((keys.len(), cache.len()), (4, 0));
    for types in [CODE, CODE | 4, 2 | 8, ALL] {
        assert_eq!(forward().compile(&compiler, &cache, types).unwrap(), keys);
        assert!(keys.iter().all(|key| cache.types(key) & types == types));
    }
    let fresh = Cache::default();
    forward().compile(&compiler, &fresh, 4).unwrap();
    assert!(keys.iter().all(|key| fresh.types(key) == 4));
}

#[test]
fn keys_and_code_are_the_same_for_another_application_and_another_form() {
    let (cache, keys) = compiled(&forward(), &compiler(AURORA));
    let other = Application {
        version: 0x0002_0000_0000_0000,
        engine: Some(("Engine", 0x0005_0004_0000_0000)),
        ..application("Another.exe", "Another \"game\"\n")
    };
    let mut containers = forward();
    containers.shaders[0].1 = container("forward_plain_vs");
    containers.shaders[1].1 = container("forward_plain_ps");
    let (other_cache, other_keys) = compiled(&containers, &Compiler::new(AURORA, &other));
    assert_eq!(keys, other_keys);
    for key in &keys {
        assert_eq!(cache.code(key), other_cache.code(key));
        assert_ne!(
            cache.value(key, 1),
            other_cache.value(key, 1),
            "metadata names the application"
        );
    }
    let metadata = String::from_utf8(other_cache.value(&keys[0], 1).unwrap()).unwrap();
    for line in [
        "compiler: 4.2.118.0",
        r#"application: Another \"game\"\n"#,
        "engine version: 5.4.0.0",
        "kind: vertex",
        "shader model: 6.0",
    ] {
        assert!(metadata.lines().any(|l| l == line), "{line} in\n{metadata}");
    }
}

#[test]
fn profiles_change_the_code_that_reads_their_switch() {
    let rally = Compiler::new(AURORA, &application("contosorally.exe", "Contoso Rally"));
    let skies = application("Game-Win64-Shipping.exe", "Tailspin Skies");
    let skies = Compiler::new(AURORA, &skies);
    let none = compiler(AURORA);
    let compute = Pipeline::new([(Compute, "raw_copy_cs")]);
    for (profile, pipeline, differs) in [
        (&rally, forward(), true),
        (&rally, compute.clone(), true),
        // Zeroed group-shared memory is nothing to pixels.
        (&skies, forward(), false),
        (&skies, compute, true),
    ] {
        let (a_cache, a) = compiled(&pipeline, &none);
        let (b_cache, b) = compiled(&pipeline, profile);
        assert_eq!(a[0] != b[0], differs);
        assert_eq!(a_cache.code(&a[0]) != b_cache.code(&b[0]), differs);
    }
}

#[test]
fn every_target_has_keys_and_code_of_its_own() {
    let compiled = TARGETS.map(|target| compiled(&forward(), &compiler(target)));
    for (i, (a_cache, a)) in compiled.iter().enumerate() {
        let code = ObjectCode::parse(&a_cache.code(&a[0])).map(|code| code.abi_version);
        assert_eq!(code, Ok(TARGETS[i].1));
        for (b_cache, b) in &compiled[i + 1..] {
            for (a_key, b_key) in a.iter().zip(b) {
                assert_ne!(a_key, b_key);
                assert_ne!(a_cache.code(a_key), b_cache.code(b_key));
            }
        }
    }
}

#[test]
fn every_kind_of_pipeline_compiles() {
    let compiler = compiler(AURORA);
    let vs = (Vertex, "tess_tri_vs");
    for (pipeline, kind) in [
        (Pipeline::new([vs]), LinkKind::Graphics),
        (
            Pipeline::new([vs, (Geometry, "layers_gs")]),
            LinkKind::Graphics,
        ),
        (
            Pipeline::new([vs, (Hull, "tess_tri_hs"), (Domain, "tess_tri_ds")]),
            LinkKind::Graphics,
        ),
        (Pipeline::new([(Compute, "raw_copy_cs")]), LinkKind::Compute),
        (
            Pipeline::new([(Mesh, "meshlet_ms"), (Pixel, "meshlet_ps")]),
            LinkKind::Graphics,
        ),
        (
            Pipeline::new([
                (Amplification, "meshlet_prim_as"),
                (Mesh, "meshlet_prim_ms"),
                (Pixel, "meshlet_prim_ps"),
            ]),
            LinkKind::Graphics,
        ),
    ] {
        let (cache, keys) = compiled(&pipeline, &compiler);
        assert_eq!(keys.len(), pipeline.shaders.len() + 2);
        assert_eq!(cache.link(keys.last().unwrap()).kind, kind);
    }
}

/// Every shader of the corpus up to the target's shader model, each alone in its stage.
#[test]
fn the_corpus_compiles() {
    let compiler = compiler(AURORA);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dxil/corpus/dxil");
    let mut compiled = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let parsed = dxil::Container::parse(&bytes).unwrap();
        let Ok(program) = parsed.program() else {
            continue;
        };
        let stages = [
            Compute,
            Vertex,
            Pixel,
            Domain,
            Hull,
            Geometry,
            Mesh,
            Amplification,
        ];
        let Some(stage) = stages
            .into_iter()
            .find(|stage| stage.kind() == program.kind())
        else {
            continue;
        };
        let mut pipeline = match stage {
            Compute | Vertex | Mesh => Pipeline::new([]),
            Hull => Pipeline::new([(Vertex, "tess_tri_vs"), (Domain, "tess_tri_ds")]),
            Domain => Pipeline::new([(Vertex, "tess_tri_vs"), (Hull, "tess_tri_hs")]),
            Amplification => Pipeline::new([(Mesh, "meshlet_ms")]),
            _ => Pipeline::new([(Vertex, "tess_tri_vs")]),
        };
        pipeline.shaders.push((stage, words(program.bytes())));
        let mut as_container = pipeline.clone();
        as_container.shaders.last_mut().unwrap().1 = words(&bytes);
        let keys = pipeline.compile(&compiler, &Cache::default(), ALL);
        assert_eq!(
            keys,
            as_container.compile(&compiler, &Cache::default(), ALL)
        );
        let supported = program.shader_model().minor <= 8;
        assert_eq!(keys.err(), (!supported).then_some(DXGI_ERROR_UNSUPPORTED));
        compiled += 1;
    }
    assert!(compiled > 100, "{compiled}");
}

#[test]
fn without_a_root_signature_shaders_bring_their_own() {
    let compiler = compiler(AURORA);
    let mut pipeline = Pipeline::new([(Compute, "raw_copy_cs")]);
    pipeline.root = None;
    // A bare program has none.
    let (cache, keys) = compiled(&pipeline, &compiler);
    assert_eq!(keys.len(), 2);
    let bound = |cache: &Cache, key: &[u8]| {
        let is_bound = |r: &&Resource| r.access != 3;
        cache.with_program(key, |p| {
            p.interface.resources.iter().filter(is_bound).count()
        })
    };
    assert_eq!(bound(&cache, &keys[0]), 0);
    // RTS0 of the container has something for all that the shader binds.
    pipeline.shaders[0].1 = container("raw_copy_cs");
    let (cache, keys) = compiled(&pipeline, &compiler);
    assert_eq!(keys.len(), 3);
    let resources = cache.with_program(&keys[0], |p| p.interface.resources.len());
    assert!(resources > 1 && bound(&cache, &keys[0]) == resources);
    // They must be the same, or one of them is enough.
    for (ps, expected) in [
        ("fullscreen_ps", Ok(4)),
        ("fullscreen_ps_norts", Ok(4)),
        ("fullscreen_ps_rs10", Err(E_INVALIDARG)),
    ] {
        pipeline.shaders = vec![(Vertex, container("fullscreen_vs")), (Pixel, container(ps))];
        let keys = pipeline.compile(&compiler, &Cache::default(), ALL);
        assert_eq!(keys.map(|keys| keys.len()), expected, "{ps}");
    }
}

#[test]
fn debug_information_of_a_container_is_in_the_pdb_and_not_in_the_code() {
    let vs = (Vertex, "fullscreen_vs");
    let mut pipeline = Pipeline::new([vs, (Pixel, "dbg_zi_embed_ps")]);
    let (bare, keys) = compiled(&pipeline, &compiler(AURORA));
    pipeline.shaders[1].1 = container("dbg_zi_embed_ps");
    let (full, full_keys) = compiled(&pipeline, &compiler(AURORA));
    assert_eq!(keys, full_keys);
    assert_eq!(bare.code(&keys[1]), full.code(&keys[1]));
    let bytes = corpus("dxil/dbg_zi_embed_ps.dxil");
    let ildb = dxil::Container::parse(&bytes)
        .unwrap()
        .part(dxil::FourCc::ILDB)
        .unwrap();
    assert!(full.value(&keys[1], 2).unwrap().ends_with(ildb.bytes()));
    assert!(bare.value(&keys[1], 2).unwrap().len() < 128);
}

#[test]
fn what_is_no_pipeline_of_the_target_is_refused() {
    let compiler = compiler(AURORA);
    let edited = |edit: &dyn Fn(&mut Pipeline)| {
        let mut pipeline = forward();
        edit(&mut pipeline);
        pipeline
    };
    let malformed = |name: &str, stage| {
        let mut pipeline = Pipeline::new([]);
        pipeline.shaders = vec![(stage, words(&corpus(&format!("malformed/{name}.dxil"))))];
        pipeline
    };
    let mut module_end = forward();
    // The module's block no longer ends where its length says.
    let code = &mut module_end.shaders[0].1;
    let last = code.len() - 1;
    code[last] ^= 0x0101_0101;
    let mut empty_module = Pipeline::new([(Compute, "raw_copy_cs")]);
    empty_module.shaders[0].1 = [0x0005_0060, 7, 0x4C49_5844, 0x100, 16, 4, 0xDEC0_4342].to_vec();
    // A vertex program by its header alone; one of a shader model that its module does not say; one
    // whose metadata has no entry point.
    let mut other_stage = Pipeline::new([(Vertex, "raw_copy_cs")]);
    other_stage.shaders[0].1[0] = 0x0001_0060;
    let mut other_model = Pipeline::new([(Compute, "raw_copy_cs")]);
    other_model.shaders[0].1[0] = 0x0005_0061;
    let mut no_entry_point = forward();
    rename(&mut no_entry_point.shaders[1].1, "dx.entryPoints");
    let mut no_profile = forward();
    rename(&mut no_profile.shaders[1].1, "dx.shaderModel");
    let mut compute_flags = Pipeline::new([(Compute, "raw_copy_cs")]);
    compute_flags.flags = 1 << 20;
    let invalid = [
        empty_module,
        other_stage,
        other_model,
        no_entry_point,
        no_profile,
        compute_flags,
        edited(&|p| p.shader_flags = 1 << 20),
        Pipeline::new([]),
        Pipeline::new([(Pixel, "forward_plain_ps")]),
        Pipeline::new([(Vertex, "tess_tri_vs"), (Hull, "tess_tri_hs")]),
        Pipeline::new([(Vertex, "tess_tri_vs"), (Mesh, "meshlet_ms")]),
        Pipeline::new([(Vertex, "tess_tri_vs"), (Compute, "raw_copy_cs")]),
        Pipeline::new([(Vertex, "forward_plain_ps")]),
        Pipeline::new([(Compute, "rt_pipeline_lib63")]),
        edited(&|p| p.cull = D3D12DDI_CULL_MODE(9)),
        edited(&|p| p.format = DXGI_FORMAT(9999)),
        edited(&|p| p.flags = 1 << 20),
        edited(&|p| p.root = Some((4, D3D12DDI_SHADER_VISIBILITY(9)))),
        edited(&|p| p.root = Some((u32::MAX, D3D12DDI_SHADER_VISIBILITY_ALL))),
        malformed("prog_kind_lies", Compute),
        malformed("prog_magic", Compute),
        malformed("prog_code_offset", Compute),
        malformed("bitcode_magic", Compute),
        malformed("bitcode_block_len", Compute),
        malformed("bitcode_garbage", Compute),
        malformed("no_dxil", Compute),
        malformed("dxbc_sm5_cs", Compute),
        malformed("text_file", Compute),
        malformed("zeros_4k", Pixel),
        module_end,
    ];
    let cache = Cache::default();
    for (index, pipeline) in invalid.iter().enumerate() {
        let result = pipeline.compile(&compiler, &cache, ALL);
        assert_eq!(result, Err(E_INVALIDARG), "case {index}");
    }
    let unsupported = edited(&|p| p.format = DXGI_FORMAT_BC7_UNORM);
    let result = unsupported.compile(&compiler, &cache, ALL);
    assert_eq!(result, Err(DXGI_ERROR_UNSUPPORTED));
    let mesh = Pipeline::new([(Mesh, "meshlet_ms")]);
    let result = mesh.compile(&self::compiler(CIRRUS), &cache, ALL);
    assert_eq!(result, Err(DXGI_ERROR_UNSUPPORTED));
    // It needs waves of 32 lanes.
    let wave = Pipeline::new([(Compute, "wave_size_cs")]);
    for (target, expected) in [(AURORA, None), (CIRRUS, Some(DXGI_ERROR_UNSUPPORTED))] {
        let result = wave.compile(&self::compiler(target), &Cache::default(), ALL);
        assert_eq!(result.err(), expected);
    }
    assert_eq!(cache.len(), 0, "nothing of what fails is stored");
    forward().compile(&compiler, &cache, ALL).unwrap();
}

/// Changes a name in the bitcode, whose letters have 8 bits each and start at any bit.
fn rename(program: &mut [u32], name: &str) {
    let letters: Vec<_> = name.bytes().collect();
    let mut found = 0;
    for bit in 0..32 * program.len() - 8 * letters.len() {
        let at = |place: usize| (bit + place) / 32;
        let is_set = |place: usize| program[at(place)] >> ((bit + place) % 32) & 1 == 1;
        let is_name = (0..8 * letters.len())
            .all(|place| is_set(place) == (letters[place / 8] >> (place % 8) & 1 == 1));
        if is_name {
            program[at(0)] ^= 1 << (bit % 32);
            found += 1;
        }
    }
    assert_eq!(found, 1, "{name}");
}

fn subobject<T>(kind: D3D12DDI_STATE_SUBOBJECT_TYPE, desc: &T) -> D3D12DDI_STATE_SUBOBJECT_0054 {
    D3D12DDI_STATE_SUBOBJECT_0054 {
        Type: kind,
        pDesc: std::ptr::from_ref(desc).cast(),
    }
}

const COLLECTION: D3D12DDI_STATE_OBJECT_TYPE = D3D12DDI_STATE_OBJECT_TYPE_COLLECTION;
const RAYTRACING: D3D12DDI_STATE_OBJECT_TYPE = D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE;
const EXECUTABLE: D3D12DDI_STATE_OBJECT_TYPE = D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE;

fn library(code: &[u32]) -> D3D12DDI_DXIL_LIBRARY_DESC_0054 {
    D3D12DDI_DXIL_LIBRARY_DESC_0054 {
        pDXILLibrary: code.as_ptr(),
        ..D3D12DDI_DXIL_LIBRARY_DESC_0054::zeroed()
    }
}

fn name(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

#[test]
fn a_raytracing_pipeline_with_a_collection_and_an_addition() {
    let compiler = compiler(AURORA);
    let (pipeline, subobjects, payload) = (
        program("rt_pipeline_lib63"),
        program("rt_subobjects_lib63"),
        program("rt_payload_lib67"),
    );
    let libraries = [&pipeline, &subobjects, &payload].map(|code| library(code));
    let of_library = |index: usize| {
        subobject(
            D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
            &libraries[index],
        )
    };
    let (group, closest) = (name("triangles"), name("shade_triangle"));
    let group = D3D12DDI_HIT_GROUP_DESC_0054 {
        HitGroupExport: group.as_ptr(),
        ClosestHitShaderImport: closest.as_ptr(),
        ..D3D12DDI_HIT_GROUP_DESC_0054::zeroed()
    };
    let config = D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075 {
        MaxTraceRecursionDepth: 2,
        Flags: D3D12DDI_RAYTRACING_PIPELINE_FLAG_NONE,
    };
    let cache = Cache::default();
    let (own, more, shared) = ([of_library(0)], [of_library(2)], [of_library(1)]);
    // SAFETY: subobjects, and all that they point at, are declared before the objects.
    let create = |compiler, cache, kind, subobjects| unsafe {
        StateObject::new(compiler, None, cache, kind, subobjects)
    };
    // SAFETY: a parent, subobjects, and all that these point at, are declared before the addition.
    let add = |parent, cache, subobjects| unsafe {
        StateObject::new(&compiler, Some(parent), cache, RAYTRACING, subobjects)
    };

    let collection = create(&compiler, &cache, COLLECTION, &shared).unwrap();
    assert_eq!(collection.keys.len(), 2, "library and link");

    let existing = D3D12DDI_EXISTING_COLLECTION_DESC_0054 {
        hExistingCollection: collection.collection(),
        ..D3D12DDI_EXISTING_COLLECTION_DESC_0054::zeroed()
    };
    let base = [
        subobject(D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION, &existing),
        own[0],
        subobject(D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP, &group),
        subobject(
            D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
            &config,
        ),
    ];
    let parent = create(&compiler, &cache, RAYTRACING, &base).unwrap();
    assert_eq!(parent.keys[..2], collection.keys);
    assert_eq!(
        parent.keys.len(),
        2 + 3,
        "the collection's, library, hit group, link"
    );
    assert_eq!(cache.link(&parent.keys[3]).kind, LinkKind::HitGroup);
    assert_eq!(cache.link(&parent.keys[3]).parts.len(), 2, "both libraries");
    // The collection's link stands for what the collection has.
    assert_eq!(cache.link(&parent.keys[4]).parts.len(), 3);

    // The addition is compiled in another session, which has none of the parent's values.
    let other = Cache::default();
    let child = add(&parent, &other, &more).unwrap();
    assert_eq!(child.keys[..5], parent.keys);
    assert_eq!(child.keys.len(), 5 + 2);
    assert!(child.keys.iter().all(|key| other.types(key) == ALL));
    assert!(
        parent
            .keys
            .iter()
            .all(|key| cache.code(key) == other.code(key))
    );

    // Where they are already, nothing is stored twice. Another child, and one of the child.
    let before = cache.len();
    let sibling = add(&parent, &cache, &more).unwrap();
    assert_eq!((&sibling.keys, cache.len()), (&child.keys, before + 2));
    let grandchild = add(&child, &other, &shared).unwrap();
    assert_eq!(grandchild.keys[..7], child.keys);
    assert_eq!(grandchild.keys.len(), 8, "its library is the collection's");

    // However long a line of additions is: a link names what is new and the link before it.
    let third = add(&grandchild, &other, &more).unwrap();
    let fourth = add(&third, &other, &more).unwrap();
    for (before, after) in [
        (&child, &grandchild),
        (&grandchild, &third),
        (&third, &fourth),
    ] {
        let [before, after] = [before, after].map(|object| object.keys.last().unwrap());
        let parts = other.link(after).parts;
        let keys: Vec<_> = parts.iter().map(|part| part.key.to_vec()).collect();
        assert_eq!(keys, std::slice::from_ref(before));
    }

    // Neither another generation's hit groups, nor unknown ones.
    let cirrus = self::compiler(CIRRUS);
    let unsupported = create(&cirrus, &other, COLLECTION, &base[2..3]);
    assert_eq!(unsupported.err(), Some(DXGI_ERROR_UNSUPPORTED));
    let unknown = D3D12DDI_HIT_GROUP_DESC_0054 {
        Type: D3D12DDI_HIT_GROUP_TYPE(9),
        ..group
    };
    let unknown = [subobject(D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP, &unknown)];
    let invalid = create(&compiler, &other, COLLECTION, &unknown);
    assert_eq!(invalid.err(), Some(E_INVALIDARG));

    // The collection belongs to its own target.
    let borealis = self::compiler(BOREALIS);
    let foreign = create(&borealis, &other, RAYTRACING, &base);
    assert_eq!(foreign.err(), Some(E_INVALIDARG));
}

/// Every library of the corpus, in a collection of its own.
#[test]
fn the_libraries_of_the_corpus_compile() {
    let compiler = compiler(AURORA);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dxil/corpus/dxil");
    let mut compiled = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let parsed = dxil::Container::parse(&bytes).unwrap();
        let Ok(program) = parsed.program() else {
            continue;
        };
        if program.kind() != dxil::ShaderKind::Library {
            continue;
        }
        let (code, cache) = (words(program.bytes()), Cache::default());
        let library = library(&code);
        let collection = [subobject(
            D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
            &library,
        )];
        // SAFETY: the subobject and the library are above.
        let object = unsafe { StateObject::new(&compiler, None, &cache, COLLECTION, &collection) };
        let supported = program.shader_model().minor <= 8;
        let result = object.map(|object| object.keys[0].clone());
        assert_eq!(result.is_ok(), supported);
        if let Ok(key) = result {
            let module = dxil::Module::parse(&program).unwrap();
            cache.with_program(&key, |program| {
                let interface = &program.interface;
                assert_eq!(interface.entry_points.len(), module.entry_points().len());
                assert_eq!(interface.resources.len(), module.resources().len());
                assert!(
                    interface
                        .resources
                        .iter()
                        .all(|resource| resource.access == 3)
                );
            });
            compiled += 1;
        }
    }
    assert!(compiled > 15, "{compiled}");
}

#[test]
fn a_broken_library_is_refused() {
    // Its module says another kind of program; its metadata is damaged.
    let mut no_library = program("forward_plain_vs");
    no_library[0] = 0x0006_0060;
    let mut no_profile = program("rt_pipeline_lib63");
    rename(&mut no_profile, "dx.shaderModel");
    let (compiler, cache) = (compiler(AURORA), Cache::default());
    for code in [no_library, no_profile] {
        let broken = library(&code);
        let broken = [subobject(
            D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
            &broken,
        )];
        // SAFETY: the subobject and the library are above.
        let object = unsafe { StateObject::new(&compiler, None, &cache, COLLECTION, &broken) };
        assert_eq!(object.err(), Some(E_INVALIDARG));
    }
    assert_eq!(cache.len(), 0);
}

#[test]
fn an_executable_with_a_work_graph_and_a_generic_program() {
    let compiler = compiler(AURORA);
    let (nodes, vs, ps) = (
        program("wg_nodes_lib68"),
        program("forward_plain_vs"),
        program("forward_plain_ps"),
    );
    let libraries = [&nodes, &vs, &ps].map(|code| library(code));
    let names = ["graph", "done", "program", "vs_main", "ps_main"].map(name);

    let properties = D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108 {
        FinalName: D3D12DDI_NODE_ID_0108 {
            Name: names[1].as_ptr(),
            ArrayIndex: 0,
        },
        bProgramEntry: TRUE,
        ..D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108::zeroed()
    };
    let mut node = D3D12DDI_NODE_0108::zeroed();
    node.Anonymous.Shader = D3D12DDI_SHADER_NODE_0108 {
        Shader: names[1].as_ptr(),
        PropertiesType: D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108,
        Anonymous: D3D12DDI_SHADER_NODE_0108_0 {
            pThreadLaunchNodeProperties: &raw const properties,
        },
    };
    let mut entry = D3D12DDI_NODE_LIST_ENTRY_0108 {
        pNode: &raw mut node,
        pNext: std::ptr::null_mut(),
    };
    let graph = D3D12DDI_WORK_GRAPH_DESC_0108 {
        ProgramName: names[0].as_ptr(),
        NumNodes: 1,
        pNodes: &raw mut entry,
        ..D3D12DDI_WORK_GRAPH_DESC_0108::zeroed()
    };

    let formats = D3D12DDI_RT_FORMAT_ARRAY {
        RTFormats: [DXGI_FORMAT_R8G8B8A8_UNORM; 8],
        NumRenderTargets: 1,
    };
    let (topology, mask) = (
        D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084 {
            PrimitiveTopology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        },
        D3D12DDI_SAMPLE_MASK_0084 { SampleMask: 1 },
    );
    let mut exports = [names[3].as_ptr(), names[4].as_ptr()];
    let mut subobjects = vec![
        subobject(
            D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
            &formats,
        ),
        subobject(D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, &topology),
        subobject(D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, &mask),
    ];
    subobjects.extend(
        libraries
            .iter()
            .map(|l| subobject(D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, l)),
    );
    subobjects.push(subobject(D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH, &graph));
    subobjects.reserve_exact(1);
    let named: Vec<_> = subobjects[..2].iter().map(std::ptr::from_ref).collect();
    let generic = D3D12DDI_GENERIC_PROGRAM_DESC_0108 {
        ProgramName: names[2].as_ptr(),
        NumExports: 2,
        pExports: exports.as_mut_ptr(),
        NumSubobjects: 2,
        pSubobjects: named.as_ptr(),
    };
    subobjects.push(subobject(
        D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
        &generic,
    ));

    let cache = Cache::default();
    // SAFETY: all that the subobjects point at is above.
    let create = |compiler, kind, subobjects: &[_]| unsafe {
        StateObject::new(compiler, None, &cache, kind, subobjects)
    };
    let keys = create(&compiler, EXECUTABLE, &subobjects)
        .unwrap()
        .keys
        .clone();
    assert_eq!(keys.len(), 6);
    let link_of = |kind| {
        let mut of_kind = keys[3..].iter().filter(|key| cache.link(key).kind == kind);
        of_kind.next().unwrap()
    };
    assert_eq!(link_of(LinkKind::StateObject), keys.last().unwrap());
    assert_ne!(link_of(LinkKind::WorkGraph), keys.last().unwrap());
    let program = link_of(LinkKind::GenericProgram);
    let format = DXGI_FORMAT_R8G8B8A8_UNORM.0.cast_unsigned();
    assert!(cache.link(program).state.contains(&format));
    let metadata = String::from_utf8(cache.value(program, 1).unwrap()).unwrap();
    assert!(
        metadata.contains("name: ps_main\nname: vs_main\n"),
        "{metadata}"
    );

    // The sample mask is not among the program's subobjects, and a database has no place for it.
    let mask = D3D12DDI_SAMPLE_MASK_0084 { SampleMask: 2 };
    subobjects[2] = subobject(D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, &mask);
    let other = create(&compiler, EXECUTABLE, &subobjects)
        .unwrap()
        .keys
        .clone();
    assert_eq!(other, keys);

    // Other generations have no work graphs, a raytracing pipeline has libraries only.
    let borealis = self::compiler(BOREALIS);
    let unsupported = create(&borealis, EXECUTABLE, &subobjects);
    assert_eq!(unsupported.err(), Some(DXGI_ERROR_UNSUPPORTED));
    let unknown = [D3D12DDI_STATE_SUBOBJECT_0054 {
        Type: D3D12DDI_STATE_SUBOBJECT_TYPE(77),
        pDesc: std::ptr::null(),
    }];
    for invalid in [
        create(&compiler, RAYTRACING, &subobjects),
        create(&compiler, COLLECTION, &unknown),
        create(&compiler, D3D12DDI_STATE_OBJECT_TYPE(9), &[]),
    ] {
        assert_eq!(invalid.err(), Some(E_INVALIDARG));
    }
}
