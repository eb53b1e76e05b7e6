//! Constants are found where the manifest says, and patched there and nowhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use dxil::bitstream::Encoding;
use dxil::constants::{Constant, Scalar, Scope};
use dxil::patch::{PatchError, PatchTable, Patchable, Pattern, TableError, Value};
use dxil::{Container, FourCc, Module, Signing, sign};
use dxil_test_support::planted::Planted;
use proptest::prelude::*;
use proptest::sample::Index;
use serde::Deserialize;

use crate::valid::shaders;
use crate::{Entry, manifest, path};

#[derive(Deserialize)]
pub struct Shader {
    #[serde(flatten)]
    pub entry: Entry,
    #[serde(default)]
    pub spec: Vec<Sentinel>,
}

/// A number that was planted in the source, and where it is.
#[derive(Deserialize)]
pub struct Sentinel {
    #[serde(flatten)]
    pub planted: Planted,
    pub sites: Vec<Site>,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    pub part: String,
    /// Where the value is in the container.
    pub bit: u64,
    pub encoding: String,
    pub chunks: u64,
    pub scope: String,
    /// The name of the record.
    pub code: String,
}

fn encoding(encoding: Encoding) -> String {
    match encoding {
        Encoding::Vbr(width) => format!("vbr{width}"),
        other => panic!("{other:?}"),
    }
}

/// The constants of a container that are wanted, as the manifest describes sites. Functions are
/// numbered by their bodies.
fn sites(container: &Container<'_>, is_wanted: impl Fn(&Constant) -> bool) -> BTreeSet<Site> {
    let mut sites = BTreeSet::new();
    for part in [FourCc::DXIL, FourCc::ILDB] {
        let Some(part) = container.part(part) else {
            continue;
        };
        let program = part.program().unwrap();
        let bitcode = 8 * (part.offset() + 8 + program.bitcode_offset()) as u64;
        let module = Module::parse(&program).unwrap();
        for constant in module.constants().iter().filter(|it| is_wanted(it)) {
            let Encoding::Vbr(width) = constant.field.encoding else {
                panic!("{constant:?}")
            };
            let scope = match constant.scope {
                Scope::Module => "module".to_owned(),
                Scope::Function(function) => {
                    let before = module.functions()[..function].iter();
                    format!("function {}", before.filter(|it| it.is_defined).count())
                }
            };
            sites.insert(Site {
                part: part.fourcc().to_string(),
                bit: bitcode + constant.field.bit,
                encoding: encoding(constant.field.encoding),
                chunks: constant.field.len / u64::from(width),
                scope,
                code: match (constant.element, constant.ty) {
                    (Some(_), _) => "DATA",
                    (None, Scalar::Integer(_)) => "INTEGER",
                    (None, _) => "FLOAT",
                }
                .to_owned(),
            });
        }
    }
    sites
}

#[test]
fn sentinels_are_where_the_manifest_says() {
    let (mut found, mut lost) = (0, 0);
    for shader in manifest::<Shader>("manifest.json") {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        for sentinel in shader.spec {
            let shown = format!("{} {}", shader.entry.name, sentinel.planted.name);
            let sites = sites(&container, |constant| sentinel.planted.is(constant));
            if sentinel.planted.lost.is_some() {
                assert!(sites.iter().all(|site| site.part != "DXIL"), "{shown}");
                lost += 1;
            }
            found += sites.len();
            assert_eq!(sites, sentinel.sites.into_iter().collect(), "{shown}");
        }
    }
    assert!(found > 180 && lost == 5, "{found} {lost}");
}

/// Everything that is planted in the documented way, by any compiler, in any stage.
#[test]
fn the_documented_sentinels_are_found_by_their_pattern() {
    let expected = [
        (1, Scalar::Integer(32)),
        (2, Scalar::Integer(32)),
        (3, Scalar::Integer(32)),
        (4, Scalar::Integer(32)),
        (5, Scalar::Half),
        (6, Scalar::Integer(16)),
        (7, Scalar::Integer(64)),
        (8, Scalar::Double),
    ];
    for stage in ["vs", "hs", "ds", "gs", "ps", "cs", "as", "ms", "lib"] {
        let shader = std::fs::read(path(&format!("dxil/spec_stages_{stage}.dxil"))).unwrap();
        let table = find(&shader);
        let found: Vec<_> = table.constants().iter().map(|it| (it.id, it.ty)).collect();
        assert_eq!(found, expected, "{stage}");
        for constant in table.constants() {
            let functions: Vec<&str> = constant
                .sites
                .iter()
                .map(|site| site.function.as_deref().unwrap())
                .collect();
            let shown = format!("{stage} {functions:?}");
            assert!(
                constant.sites.iter().all(|site| !site.in_metadata),
                "{shown}"
            );
            if stage == "lib" {
                assert_eq!(
                    functions.iter().collect::<BTreeSet<_>>().len(),
                    7,
                    "{shown}"
                );
                assert_eq!(functions.len(), 7, "{shown}");
            } else {
                assert_eq!(functions, [format!("{stage}_main")]);
            }
            // There is room for all values of the type.
            let mut copy = shader.clone();
            for bits in [0, 1, u64::MAX, 1 << 63, u64::MAX >> 1] {
                let bits = bits >> (64 - constant.ty.width());
                table
                    .patch(&mut copy, &[(constant.id, Value::Bits(bits))])
                    .unwrap();
                if let Scalar::Integer(_) = constant.ty {
                    let value = Value::of(constant.ty, bits);
                    table.patch(&mut copy, &[(constant.id, value)]).unwrap();
                }
            }
        }
    }
}

/// Two compilations of a shader with hidden constants of every type, compared, calculated with and
/// branched on, but with other numbers: patched to those of the other, the one is the other, byte
/// for byte. So nothing that DXC made of the constants depends on their values.
#[test]
fn patching_hidden_constants_is_compiling_with_other_numbers() {
    let [mut shader, other] = ["spec_hidden_cs", "spec_hidden_cs_magic"]
        .map(|name| std::fs::read(path(&format!("dxil/{name}.dxil"))).unwrap());
    let table = find(&shader);
    let found = table.constants().iter().map(|it| (it.id, it.ty));
    assert!(found.eq((1..=13).map(|id| (id, Scalar::Integer(32)))));
    let program = |shader: &[u8]| {
        let container = Container::parse(shader).unwrap();
        container.program().unwrap().bytes().to_vec()
    };
    assert_ne!(program(&shader), program(&other));
    // SC_MAGIC of the other, see the manifest.
    let values = (1..=13).map(|id| (id, Value::Bits(0x7bcd_0000 | u64::from(id))));
    let values: Vec<_> = values.collect();
    table.patch(&mut shader, &values).unwrap();
    assert_eq!(program(&shader), program(&other));
}

/// Nothing in the rest of the corpus looks like a sentinel.
#[test]
fn no_other_constant_is_taken_for_a_sentinel() {
    let mut constants = 0;
    for shader in shaders() {
        let name = &shader.entry.name;
        if name.starts_with("spec_") {
            continue;
        }
        let bytes = shader.entry.read();
        if let Ok(program) = Container::parse(&bytes).unwrap().program() {
            constants += Module::parse(&program).unwrap().constants().len();
            assert_eq!(find(&bytes).constants(), [], "{name}");
        }
    }
    assert!(constants > 4000, "{constants}");
}

fn find(shader: &[u8]) -> PatchTable {
    PatchTable::find(shader, |constant| Pattern::id(&Pattern::DEFAULT, constant)).unwrap()
}

/// In the bare program, the table is the same but for where the program starts.
#[test]
fn bare_programs_are_patched_as_well() {
    let shader = std::fs::read(path("dxil/spec_stages_ps.dxil")).unwrap();
    let container = Container::parse(&shader).unwrap();
    let payload = container.part(FourCc::DXIL).unwrap().offset() + 8;
    let (whole, bare) = (find(&shader), find(container.program().unwrap().bytes()));
    for (in_whole, in_bare) in whole.constants().iter().zip(bare.constants()) {
        let [a, b] = [in_whole, in_bare].map(|it| &it.sites[0]);
        assert_eq!((a.part, b.part), (Some(FourCc::DXIL), None));
        assert_eq!(a.field.bit, 8 * payload as u64 + b.field.bit);
    }
    let value = [(3, Value::Integer(77))];
    let (mut a, mut b) = (
        shader.clone(),
        container.program().unwrap().bytes().to_vec(),
    );
    whole.patch(&mut a, &value).unwrap();
    bare.patch(&mut b, &value).unwrap();
    assert_eq!(Container::parse(&a).unwrap().program().unwrap().bytes(), b);
}

/// Whether constants are of a form that a table can be made of again.
#[track_caller]
fn assert_kept(table: &PatchTable) {
    let mut constants = table.constants().to_vec();
    constants.reverse();
    let kept = PatchTable::new(table.shader_len(), constants);
    assert_eq!(kept.as_ref(), Ok(table));
}

/// A table that was kept is the one that was found, for every number that a compiler writes.
#[test]
fn a_table_can_be_kept() {
    let mut constants = 0;
    for shader in shaders() {
        let bytes = shader.entry.read();
        // All of a place are one constant: the same number in `ILDB` is another.
        let of_place = |it: &Constant| u32::try_from(it.field.bit).ok();
        let Ok(all) = PatchTable::find(&bytes, of_place) else {
            continue;
        };
        assert_kept(&all);
        all.template_hash(&bytes).unwrap();
        constants += all.constants().len();
        assert_kept(&find(&bytes));
    }
    assert!(constants > 5000, "{constants}");
}

/// What was patched and signed anew is known by the hash of its template; any other change is seen.
#[test]
fn a_template_has_one_hash() {
    let shader = std::fs::read(path("dxil/spec_stages_ps.dxil")).unwrap();
    let table = find(&shader);
    let hash = table.template_hash(&shader).unwrap();
    let mut patched = shader.clone();
    table
        .patch(
            &mut patched,
            &[(1, Value::Integer(1)), (3, Value::Integer(-5))],
        )
        .unwrap();
    for signing in [Signing::Hash, Signing::Bypass, Signing::Unsigned] {
        sign(&mut patched, signing).unwrap();
        assert_eq!(table.template_hash(&patched), Ok(hash));
    }
    // Bytes behind the shader are not part of it.
    patched.push(7);
    assert_eq!(table.template_hash(&patched), Ok(hash));

    let sites = table.constants().iter().flat_map(|it| &it.sites);
    let own: BTreeSet<u64> = sites
        .flat_map(|site| site.field.bit..site.field.bit + site.field.len)
        .collect();
    // A bit of each byte.
    let bits = (0x14..shader.len() as u64).map(|byte| 8 * byte + byte % 8);
    for bit in bits.filter(|bit| !own.contains(bit)) {
        let mut other = shader.clone();
        other[usize::try_from(bit / 8).unwrap()] ^= 1 << (bit % 8);
        assert_ne!(table.template_hash(&other), Ok(hash), "{bit}");
    }
    let short = table.template_hash(&shader[..shader.len() - 1]);
    let offset = shader.len() - 1;
    assert_eq!(short, Err(PatchError::OtherShader { offset }));
}

/// Tables that are of no shader: none is made, so none is written through.
#[test]
fn a_table_that_no_shader_has_is_refused() {
    let shader = std::fs::read(path("dxil/spec_stages_ps.dxil")).unwrap();
    let table = find(&shader);
    let (len, constants) = (table.shader_len(), table.constants());
    let bits = 8 * len as u64;
    let changed = |change: &dyn Fn(&mut Patchable)| {
        let mut constants = constants.to_vec();
        change(&mut constants[0]);
        PatchTable::new(len, constants)
    };
    let id = constants[0].id;
    for width in [0, 65, 200] {
        let ty = Scalar::Integer(width);
        let wrong = changed(&|it| it.ty = ty);
        assert_eq!(wrong, Err(TableError::Type { id, ty }));
    }
    for (bit, len, encoding) in [
        (bits - 39, 40, Encoding::Vbr(8)),
        (u64::MAX, 40, Encoding::Vbr(8)),
        (u64::MAX - 40, 40, Encoding::Vbr(8)),
        (0, 39, Encoding::Vbr(8)),
        (0, 0, Encoding::Vbr(8)),
        (0, 88, Encoding::Vbr(8)),
        (0, 0, Encoding::Vbr(0)),
        (0, 0, Encoding::Vbr(1)),
        (0, 33, Encoding::Vbr(33)),
        (0, 31, Encoding::Fixed(32)),
        (0, 64, Encoding::Fixed(64)),
        (0, 0, Encoding::Fixed(0)),
        (0, 1, Encoding::Literal(0)),
        (bits - 5, 6, Encoding::Char6),
    ] {
        let wrong = changed(&|it| {
            let field = &mut it.sites[0].field;
            (field.bit, field.len, field.encoding) = (bit, len, encoding);
        });
        assert_eq!(
            wrong,
            Err(TableError::Place { id, bit }),
            "{encoding:?} {len}"
        );
    }
    let next = constants[1].sites[0].field.bit;
    for bit in [next, next - 1, next + 39] {
        let wrong = changed(&|it| it.sites[0].field.bit = bit);
        assert!(
            matches!(wrong, Err(TableError::Overlap { .. })),
            "{wrong:?}"
        );
    }
}

fn table_of(name: &str, wanted: &[(u32, Scalar, u64)]) -> (Vec<u8>, PatchTable) {
    let shader = std::fs::read(path(&format!("dxil/{name}.dxil"))).unwrap();
    let id = |constant: &Constant| {
        let is = |&&(_, ty, bits): &&(u32, Scalar, u64)| (ty, bits) == (constant.ty, constant.bits);
        wanted.iter().find(is).map(|&(id, ..)| id)
    };
    let table = PatchTable::find(&shader, id).unwrap();
    (shader, table)
}

/// Every way in which a value is refused; the shader stays as it is, also where another value of
/// the same call would be fine.
#[test]
fn what_cannot_be_patched_is_refused() {
    let integer = Scalar::Integer(32);
    let small = 0.3125_f32.to_bits().into();
    let (shader, table) = table_of(
        "spec_scalars_cs",
        &[
            (1, integer, 64),
            (2, Scalar::Float, small),
            (3, integer, 0x4567_0003),
        ],
    );
    let refused = |id, value| {
        let mut copy = shader.clone();
        let error = table
            .patch(&mut copy, &[(3, Value::Integer(5)), (id, value)])
            .unwrap_err();
        assert_eq!(copy, shader);
        error
    };
    let value = Value::Integer(0);
    assert_eq!(refused(9, value), PatchError::UnknownId { id: 9 });
    // The size of the thread group is the same number.
    let in_metadata = refused(1, Value::Integer(96));
    assert!(
        matches!(in_metadata, PatchError::InMetadata { id: 1, .. }),
        "{in_metadata}"
    );
    let no_room = refused(2, Value::Float(2.0));
    assert_eq!(
        no_room.to_string(),
        "constant 2 is encoded at bit 29852 with room for numbers up to 0x3fffffff, 2.0 needs \
         0x40000000; plant a sentinel of greater magnitude"
    );
    let ty = integer;
    let float = Value::Float(1.0);
    assert_eq!(
        refused(3, float),
        PatchError::Type {
            id: 3,
            ty,
            value: float
        }
    );
    for value in [
        Value::Integer(1 << 32),
        Value::Integer(-(1 << 31) - 1),
        Value::Integer(i128::MIN),
        Value::Bits(1 << 32),
    ] {
        assert_eq!(refused(3, value), PatchError::Range { id: 3, ty, value });
    }
    let ty = Scalar::Float;
    for value in [Value::Float(3.5e38), Value::Float(f64::MIN)] {
        assert_eq!(refused(2, value), PatchError::Range { id: 2, ty, value });
    }
    for value in [Value::Bool(true), Value::Integer(1)] {
        assert_eq!(refused(2, value), PatchError::Type { id: 2, ty, value });
    }
    let mut other = shader[..shader.len() - 1].to_vec();
    assert_eq!(
        table.patch(&mut other, &[]),
        Err(PatchError::OtherShader {
            offset: shader.len() - 1
        })
    );
    let mut other = shader.clone();
    let bit = table.constants()[2].sites[0].field.bit;
    other[usize::try_from(bit / 8).unwrap()..].fill(0);
    let error = table
        .patch(&mut other, &[(3, Value::Integer(5))])
        .unwrap_err();
    let offset = usize::try_from(bit / 8).unwrap();
    assert_eq!(error, PatchError::OtherShader { offset });
}

/// What has room for the value, although not for all, is patched: values of lesser magnitude, and
/// those that the type wraps around.
#[test]
fn what_fits_is_patched() {
    let (mut shader, table) = table_of(
        "spec_scalars_cs",
        &[(2, Scalar::Float, 0.3125_f32.to_bits().into())],
    );
    table.patch(&mut shader, &[(2, Value::Float(0.1))]).unwrap();
    table
        .patch(
            &mut shader,
            &[(2, Value::Float(1.0)), (2, Value::Float(1.5))],
        )
        .unwrap();
    let program = Container::parse(&shader).unwrap().program().unwrap();
    let module = Module::parse(&program).unwrap();
    assert_eq!(
        module.find(Scalar::Float, 1.5_f32.to_bits().into()).count(),
        1
    );
    // Bytes behind the container do not matter.
    shader.extend([0; 3]);
    table.patch(&mut shader, &[(2, Value::Float(0.5))]).unwrap();
}

/// A patched i1 is false or true.
#[test]
fn booleans_of_the_program() {
    let mut patched = 0;
    for shader in shaders().into_iter().take(60) {
        let bytes = shader.entry.read();
        let Ok(table) = PatchTable::find(&bytes, |constant| {
            (constant.ty == Scalar::Integer(1) && !constant.in_metadata).then_some(1)
        }) else {
            continue;
        };
        if table.constants().is_empty() {
            continue;
        }
        let mut copy = bytes.clone();
        table.patch(&mut copy, &[(1, Value::Bool(false))]).unwrap();
        assert_ne!(copy, bytes);
        table.patch(&mut copy, &[(1, Value::Bool(true))]).unwrap();
        assert_eq!(copy, bytes);
        patched += 1;
    }
    assert!(patched > 0);
}

/// Shaders of the corpus with all their constants that can be patched, each with an id of its own.
static PATCHABLE: LazyLock<Vec<(Vec<u8>, PatchTable)>> = LazyLock::new(|| {
    let shaders = manifest::<Shader>("manifest.json").into_iter();
    let with_sentinels = shaders.filter(|shader| !shader.spec.is_empty());
    with_sentinels
        .map(|shader| {
            let bytes = shader.entry.read();
            let id = |constant: &Constant| {
                let mut sentinels = (0..).zip(&shader.spec);
                sentinels
                    .find(|(_, it)| it.planted.is(constant))
                    .map(|(id, _)| id)
            };
            let table = PatchTable::find(&bytes, id).unwrap();
            (bytes, table)
        })
        .collect()
});

/// The values at the places of a table, by part and bit.
fn values(shader: &[u8]) -> BTreeMap<(FourCc, u64), u64> {
    let container = Container::parse(shader).unwrap();
    let mut values = BTreeMap::new();
    for part in [FourCc::DXIL, FourCc::ILDB]
        .into_iter()
        .filter_map(|it| container.part(it))
    {
        let program = part.program().unwrap();
        let bitcode = 8 * (part.offset() + 8 + program.bitcode_offset()) as u64;
        for constant in Module::parse(&program).unwrap().constants() {
            values.insert((part.fourcc(), bitcode + constant.field.bit), constant.bits);
        }
    }
    values
}

/// The bits of `constant` in a shader: all that patching may change.
fn bits_of(constant: &Patchable) -> BTreeSet<u64> {
    let fields = constant.sites.iter().map(|site| site.field);
    fields
        .flat_map(|field| field.bit..field.bit + field.len)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// What is patched in is read back, everything else is as it was, and patching back restores
    /// the shader.
    #[test]
    fn patched_values_are_read_back(
        which in any::<Index>(),
        choices in prop::collection::vec((any::<Index>(), any::<u64>(), 0..64_u32), 1..4),
    ) {
        let (shader, table) = &PATCHABLE[which.index(PATCHABLE.len())];
        let mut expected = BTreeMap::new();
        let mut copy = shader.clone();
        for (index, bits, shift) in choices {
            let constant = &table.constants()[index.index(table.constants().len())];
            let bits = bits >> shift >> (64 - constant.ty.width());
            match table.patch(&mut copy, &[(constant.id, Value::Bits(bits))]) {
                Ok(()) => _ = expected.insert(constant.id, bits),
                Err(error) => prop_assert!(matches!(error, PatchError::NoRoom { .. }), "{error}"),
            }
        }
        let mut wanted = values(shader);
        let mut touched = BTreeSet::new();
        for constant in table.constants() {
            if let Some(&bits) = expected.get(&constant.id) {
                for site in &constant.sites {
                    let value = wanted.get_mut(&(site.part.unwrap(), site.field.bit)).unwrap();
                    prop_assert_eq!(*value, constant.bits);
                    *value = bits;
                }
                touched.extend(bits_of(constant));
            }
        }
        prop_assert_eq!(values(&copy), wanted);
        for (byte, (before, after)) in shader.iter().zip(&copy).enumerate() {
            for bit in (0..8).filter(|bit| (before ^ after) >> bit & 1 == 1) {
                prop_assert!(touched.contains(&(8 * byte as u64 + bit)));
            }
        }
        sign(&mut copy, Signing::Hash).unwrap();
        prop_assert_eq!(Container::parse(&copy).unwrap().verify(), Ok(()));
        for constant in table.constants() {
            table.patch(&mut copy, &[(constant.id, Value::Bits(constant.bits))]).unwrap();
        }
        prop_assert_eq!(&copy[0x14..], &shader[0x14..]);
    }

    /// Tables are used on whatever shader: nothing panics, and nothing but the fields of the
    /// constants is written to.
    #[test]
    fn other_shaders_are_refused_or_changed_at_the_fields_only(
        which in any::<Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..12_000),
        bits in any::<u16>(),
    ) {
        let (_, table) = &PATCHABLE[which.index(PATCHABLE.len())];
        let mut copy = bytes.clone();
        for constant in table.constants() {
            let before = copy.clone();
            let result = table.patch(&mut copy, &[(constant.id, Value::Bits(bits.into()))]);
            if result.is_err() {
                prop_assert_eq!(&copy, &before);
            }
        }
        let touched: BTreeSet<u64> = table.constants().iter().flat_map(bits_of).collect();
        for (byte, (before, after)) in bytes.iter().zip(&copy).enumerate() {
            for bit in (0..8).filter(|bit| (before ^ after) >> bit & 1 == 1) {
                prop_assert!(touched.contains(&(8 * byte as u64 + bit)));
            }
        }
    }
}

/// Bits flipped anywhere in a program: it is read or refused, and so is what was found in it.
fn read_flipped(program: &mut [u8], flips: &[u64]) {
    for flip in flips {
        let bit = flip % (8 * program.len() as u64);
        program[usize::try_from(bit / 8).unwrap()] ^= 1 << (bit % 8);
    }
    let parsed = dxil::Program::parse(program);
    if let Err(error) = parsed.and_then(|it| Module::parse(&it)) {
        assert!(error.offset <= program.len(), "{error}");
        assert!(!error.to_string().is_empty());
        return;
    }
    // Every constant as one that is patched to what it is.
    let Ok(table) = PatchTable::find(program, |_| Some(0)) else {
        panic!("the program is sound")
    };
    let before = program.to_vec();
    for constant in table.constants() {
        let _ = table.patch(program, &[(0, Value::Bits(constant.bits))]);
    }
    assert_eq!(program.len(), before.len());
}

static PROGRAMS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut programs = BTreeSet::new();
    for shader in shaders() {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let parts = [FourCc::DXIL, FourCc::ILDB, FourCc::STAT];
        let parts = parts.into_iter().filter_map(|part| container.part(part));
        programs.extend(parts.map(|part| part.bytes().to_vec()));
    }
    programs.into_iter().collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn damaged_programs_are_read_or_refused(
        which in any::<Index>(),
        flips in prop::collection::vec(any::<u64>(), 1..4),
    ) {
        let mut program = PROGRAMS[which.index(PROGRAMS.len())].clone();
        // The header is not what this is about.
        let header = 8 * 24;
        let bits = 8 * program.len() as u64 - header;
        let flips: Vec<u64> = flips.iter().map(|flip| header + flip % bits).collect();
        read_flipped(&mut program, &flips);
    }
}
