//! Specialization constants: shaders as they cross the DDI once someone has written values over their
//! sentinels.

use std::collections::BTreeSet;

use dxil::patch::{PatchTable, Pattern, Value};
use sample_plugin::object_code::{Specialization, SpecializationError};

use super::*;

/// What an object is loaded from, as a driver would: the code of a program, put together from the values
/// that a link's parts lead to.
fn load(cache: &Cache, key: &[u8]) -> Vec<u8> {
    let code = cache.code(key);
    match ObjectCode::parse(&code).unwrap().content {
        Content::Specialization(specialization) => {
            let template = cache.code(&specialization.template);
            let template = ObjectCode::parse(&template).unwrap();
            template.specialize(&specialization).unwrap().to_bytes()
        }
        _ => code,
    }
}

fn specialization(cache: &Cache, key: &[u8]) -> Specialization {
    let code = cache.code(key);
    let Content::Specialization(specialization) = ObjectCode::parse(&code).unwrap().content else {
        panic!("no specialization")
    };
    specialization.into_owned()
}

/// The key in a link's part for a program of that kind.
fn part(link: &Link, kind: dxil::ShaderKind) -> Vec<u8> {
    let part = link.parts.iter().find(|p| p.role == Role::Program(kind));
    part.unwrap().key.to_vec()
}

/// The shader with other values of its specialization constants, whatever their types. `seed` 0 leaves
/// the sentinels.
fn variant(shader: &[u32], seed: u64) -> Vec<u32> {
    let mut bytes: Vec<u8> = shader.iter().flat_map(|word| word.to_le_bytes()).collect();
    let id = |constant: &_| Pattern::id(&Pattern::DEFAULT, constant);
    let table = PatchTable::find(&bytes, id).unwrap();
    let values = table.constants().iter().map(|constant| {
        let bits = (seed << 12).wrapping_mul(u64::from(constant.id) + 1);
        let bits = bits & u64::MAX >> (64 - constant.ty.width());
        (constant.id, Value::Bits(bits))
    });
    if seed != 0 {
        let values: Vec<_> = values.collect();
        table.patch(&mut bytes, &values).unwrap();
    }
    words(&bytes)
}

const VARIANTS: u64 = 8;
const COUNT: usize = 8;

/// Each stage with the others that its pipeline needs.
fn stages() -> [Pipeline; 8] {
    let vs = (Vertex, "tess_tri_vs");
    [
        Pipeline::new([(Vertex, "spec_stages_vs")]),
        Pipeline::new([(Pixel, "spec_stages_ps"), vs]),
        Pipeline::new([(Geometry, "spec_stages_gs"), vs]),
        Pipeline::new([(Hull, "spec_stages_hs"), vs, (Domain, "tess_tri_ds")]),
        Pipeline::new([(Domain, "spec_stages_ds"), vs, (Hull, "tess_tri_hs")]),
        Pipeline::new([(Compute, "spec_stages_cs")]),
        Pipeline::new([(Mesh, "spec_stages_ms")]),
        Pipeline::new([(Amplification, "spec_stages_as"), (Mesh, "meshlet_ms")]),
    ]
}

#[test]
fn specializations_of_a_shader_are_one_large_value_and_a_small_one_each() {
    for target in [AURORA, (0, 1)] {
        let compiler = compiler(target);
        for pipeline in stages() {
            let (stage, shader) = pipeline.shaders[0].clone();
            let cache = Cache::default();
            let mut templates = BTreeSet::new();
            let mut specializations = BTreeSet::new();
            let mut codes = BTreeSet::new();
            for seed in 0..VARIANTS {
                let mut pipeline = pipeline.clone();
                pipeline.shaders[0].1 = variant(&shader, seed);
                let (len, stores) = (cache.len(), cache.stores());
                let keys = pipeline.compile(&compiler, &cache, ALL).unwrap();
                // The specialization and the link; nothing else is made again.
                if seed != 0 {
                    assert_eq!(
                        (cache.len() - len, cache.stores() - stores),
                        (2, 2),
                        "{stage:?}"
                    );
                }
                // Every value that the object is made of is named, in every type.
                let link = cache.link(keys.last().unwrap());
                let key = part(&link, stage.kind());
                let small = specialization(&cache, &key);
                for key in [&key[..], &small.template] {
                    assert!(keys.iter().any(|k| k == key) && cache.types(key) == ALL);
                }
                assert!(link.parts.iter().all(|part| part.key != small.template));
                assert_eq!(small.values.len(), 8);
                assert_eq!(cache.code(&key).len(), SMALL);
                templates.insert(small.template);
                specializations.insert(key.clone());
                codes.insert(load(&cache, &key));
            }
            let template = templates.pop_first().unwrap();
            assert!(templates.is_empty(), "{stage:?}");
            assert!(cache.code(&template).len() > 10 * SMALL, "{stage:?}");
            assert_eq!((specializations.len(), codes.len()), (COUNT, COUNT));
        }
    }
}

/// Header, kind, key, count and eight values.
const SMALL: usize = 32 + 4 + 32 + 8 + 8 * 8;

#[test]
fn it_does_not_matter_which_specialization_comes_first() {
    let compiler = compiler(BOREALIS);
    let shader = program("spec_stages_ps");
    let compiled = |order: &mut dyn Iterator<Item = u64>| {
        let cache = Cache::default();
        let mut keys: Vec<_> = order
            .map(|seed| {
                let mut pipeline = Pipeline::new([(Vertex, "tess_tri_vs")]);
                pipeline.shaders.push((Pixel, variant(&shader, seed)));
                (seed, pipeline.compile(&compiler, &cache, CODE).unwrap())
            })
            .collect();
        keys.sort();
        (keys, cache)
    };
    let (forth, a) = compiled(&mut (0..VARIANTS));
    let (back, b) = compiled(&mut (0..VARIANTS).rev());
    assert_eq!(forth, back);
    let keys: BTreeSet<_> = forth.into_iter().flat_map(|(_, keys)| keys).collect();
    assert!(keys.iter().all(|key| a.code(key) == b.code(key)));
    assert_eq!((a.len(), b.len()), (keys.len(), keys.len()));
}

#[test]
fn what_a_session_lacks_of_template_and_specialization_is_stored() {
    let compiler = compiler(AURORA);
    let mut pipeline = Pipeline::new([(Compute, "spec_stages_cs")]);
    let cache = Cache::default();
    let keys = pipeline.compile(&compiler, &cache, CODE).unwrap();
    assert_eq!((keys.len(), cache.len()), (4, 4));
    // Of the template all but the code, which is there; of another specialization everything.
    pipeline.shaders[0].1 = variant(&pipeline.shaders[0].1, 5);
    let other = pipeline.compile(&compiler, &cache, ALL).unwrap();
    assert_eq!((&keys[0], &keys[2]), (&other[0], &other[2]));
    assert!(keys[1] != other[1] && keys[3] != other[3]);
    assert!(other.iter().all(|key| cache.types(key) == ALL));
    let types = [&keys[1], &keys[3]].map(|key| cache.types(key));
    assert_eq!(types, [CODE, CODE]);
}

#[test]
fn what_else_code_depends_on_makes_another_template() {
    let compiler = compiler(AURORA);
    let base = Pipeline::new([(Compute, "spec_stages_cs")]);
    let template = |pipeline: &Pipeline| {
        let (cache, keys) = compiled(pipeline, &compiler);
        specialization(&cache, &keys[1]).template
    };
    let of_base = template(&base);
    let mut containered = base.clone();
    containered.shaders[0].1 = variant(&container("spec_stages_cs"), 3);
    assert_eq!(template(&containered), of_base);
    let mut unoptimized = base.clone();
    unoptimized.shader_flags = D3D12DDI_CREATE_SHADER_FLAG_DISABLE_OPTIMIZATION_0024.0;
    assert_ne!(template(&unoptimized), of_base);
    let other = Pipeline::new([(Compute, "spec_dot4_cs")]);
    assert_ne!(template(&other), of_base);
}

#[test]
fn debug_information_stays_with_the_specialization() {
    let mut pipeline = Pipeline::new([(Compute, "spec_branch_cs_embed")]);
    pipeline.shaders[0].1 = container("spec_branch_cs_embed");
    let (cache, keys) = compiled(&pipeline, &compiler(AURORA));
    let bytes = corpus("dxil/spec_branch_cs_embed.dxil");
    let parsed = dxil::Container::parse(&bytes).unwrap();
    let ildb = parsed.part(dxil::FourCc::ILDB).unwrap().bytes();
    let name = parsed.debug_name().unwrap().unwrap().name.as_bytes();
    let [template, specialization] = [0, 1].map(|key| cache.value(&keys[key], 2).unwrap());
    assert!(specialization.ends_with(ildb));
    assert_eq!(&specialization[16..16 + name.len()], name);
    assert!(template.len() < 128);
    let metadata = |key: usize| String::from_utf8(cache.value(&keys[key], 1).unwrap()).unwrap();
    assert!(metadata(0).contains("value: template\nkind: compute\n"));
    assert!(metadata(1).contains("value: specialization\nkind: compute\nliteral: 0x"));
}

#[test]
fn libraries_are_specialized_as_a_whole() {
    let compiler = compiler(AURORA);
    let shader = program("spec_stages_lib");
    let variants = [0, 1, 2].map(|seed| variant(&shader, seed));
    let libraries = variants.each_ref().map(|code| library(code));
    let cache = Cache::default();
    let mut objects = Vec::new();
    for library in &libraries {
        let subobjects = [subobject(
            D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
            library,
        )];
        // SAFETY: the subobject and the library are above; the object keeps none of them.
        let object = unsafe { StateObject::new(&compiler, None, &cache, COLLECTION, &subobjects) };
        objects.push(object.unwrap().keys.clone());
    }
    assert_eq!(cache.len(), 1 + 3 + 3, "a template, specializations, links");
    let kind = dxil::ShaderKind::Library;
    let small = objects.iter().map(|keys| {
        let link = cache.link(&keys[2]);
        assert_eq!((keys.len(), link.parts.len()), (3, 1));
        specialization(&cache, &part(&link, kind))
    });
    let small: Vec<_> = small.collect();
    assert!(
        small
            .iter()
            .all(|s| s.template == *objects[0][0] && s.values.len() == 56)
    );
    let codes: BTreeSet<_> = objects.iter().map(|keys| load(&cache, &keys[1])).collect();
    assert_eq!(codes.len(), 3);
    // All functions of the module can be started, by the names that they were written with.
    let bytes = cache.code(&objects[0][0]);
    let Content::Program(template) = ObjectCode::parse(&bytes).unwrap().content else {
        panic!("no template")
    };
    assert_eq!(template.literals.len(), 56);
    let kinds: BTreeSet<_> = template
        .interface
        .entry_points
        .iter()
        .map(|e| e.kind)
        .collect();
    assert_eq!(kinds, (7..=12).chain([15]).collect());
}

#[test]
fn a_specialization_fits_its_own_template_only() {
    let compiler = compiler(AURORA);
    let names = ["spec_stages_cs", "spec_dot4_cs", "raw_copy_cs"];
    let [stages, dot4, plain] = names.map(|name| {
        let (cache, keys) = compiled(&Pipeline::new([(Compute, name)]), &compiler);
        keys.iter().map(|key| cache.code(key)).collect::<Vec<_>>()
    });
    assert_eq!((dot4.len(), plain.len()), (4, 3));
    let parse = |code| ObjectCode::parse(code).unwrap();
    let Content::Specialization(small) = parse(&stages[1]).content else {
        panic!("no specialization")
    };
    assert!(parse(&stages[0]).specialize(&small).is_ok());
    let count = SpecializationError::Count {
        literals: 3,
        values: 8,
    };
    assert_eq!(parse(&dot4[0]).specialize(&small), Err(count));
    for other in [&plain[0], &stages[1], &stages[2]] {
        let no_template = Err(SpecializationError::NoTemplate);
        assert_eq!(parse(other).specialize(&small), no_template);
    }
}

/// Bits that are wrong in the bitcode: refused, or code that can be loaded.
#[test]
fn a_damaged_program_is_refused_or_compiles_to_what_can_be_loaded() {
    let compiler = compiler(AURORA);
    let shader = program("spec_stages_cs");
    let (mut good, mut refused) = (0, 0);
    for bit in (32 * 6..32 * shader.len()).step_by(37) {
        let mut pipeline = Pipeline::new([]);
        let mut damaged = shader.clone();
        damaged[bit / 32] ^= 1 << (bit % 32);
        pipeline.shaders.push((Compute, damaged));
        let cache = Cache::default();
        match pipeline.compile(&compiler, &cache, CODE) {
            Ok(keys) => {
                let key = part(&cache.link(keys.last().unwrap()), dxil::ShaderKind::Compute);
                let code = load(&cache, &key);
                let code = ObjectCode::parse(&code).unwrap().content;
                assert!(matches!(code, Content::Program(p) if p.literals.is_empty()));
                good += 1;
            }
            Err(hresult) => {
                assert_eq!((hresult, cache.len()), (E_INVALIDARG, 0), "bit {bit}");
                refused += 1;
            }
        }
    }
    assert!(good > 100 && refused > 10, "{good} {refused}");
}
