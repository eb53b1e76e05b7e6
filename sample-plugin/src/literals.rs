//! The literals of a program: the numbers that a specialization may change.
//!
//! A specialization constant reaches the plugin as nothing but a number in the bitcode: whoever makes
//! the pipeline has overwritten the sentinel before. What is left of the sentinel is its *room*. It was
//! chosen so that any value of its type fits into its place, and a number that is overwritten keeps its
//! place. So every number that has room for all values of its type is taken for a literal. A shader with
//! sentinels and all shaders that were patched out of it then have literals at the same places, and are
//! the same everywhere else. Nothing has to be known of the form of the sentinels.
//!
//! The price is that the compiler knows less of a literal than of a constant, so this must not befall
//! shaders without specialization constants. Integers with that much room are rare in them; a `float` has
//! it as soon as it is negative or 2 and up. So a `float` is a literal only next to one of another type.

use dxil::constants::{Constant, Scalar};

/// With more, the values of a specialization would not be small.
const MAX_LITERALS: usize = 256;

/// A literal in the bitcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiteralField {
    /// The first bit, from the start of the bitcode.
    pub(crate) bit: u64,
    /// How many bits it takes there.
    pub(crate) len: u64,
    /// How many bits its value has: 16, 32 or 64.
    pub(crate) width: u32,
}

/// Whether a program with so many literals is divided; else it is compiled in full.
pub(crate) fn are_left_open(count: usize) -> bool {
    (1..=MAX_LITERALS).contains(&count)
}

/// The literals among a module's constants, by their places, and their values. None where nothing hints at
/// specialization constants.
pub(crate) fn find(constants: &[Constant]) -> (Vec<LiteralField>, Vec<u64>) {
    let literals = || constants.iter().filter(|constant| is_literal(constant));
    let hinted = literals().any(|constant| constant.ty != Scalar::Float);
    if !hinted {
        return (Vec::new(), Vec::new());
    }
    // A module has its constants in the order of the bitcode.
    literals()
        .map(|constant| {
            let field = LiteralField {
                bit: constant.field.bit,
                len: constant.field.len,
                width: constant.ty.width(),
            };
            (field, constant.bits)
        })
        .unzip()
}

/// Whether a constant can be changed into any other of its type without the rest of the program
/// noticing: metadata must not say the same number, and it must have the room.
fn is_literal(constant: &Constant) -> bool {
    // Narrower integers are numbers of components and the like, and have room by chance.
    let width = match constant.ty {
        Scalar::Integer(width @ (16 | 32 | 64)) => width,
        Scalar::Integer(_) => return false,
        other => other.width(),
    };
    let greatest = if constant.field.signed {
        // The magnitude of the least value and its sign; the least one of 64 bits has a shorter form.
        1_u64.checked_shl(width).map_or(u64::MAX, |power| power | 1)
    } else {
        u64::MAX >> (64 - width)
    };
    !constant.in_metadata
        && constant
            .field
            .capacity()
            .is_some_and(|room| room >= greatest)
}

/// Sets the bits of literals to 0.
pub(crate) fn clear(bytes: &mut [u8], fields: &[LiteralField]) {
    for field in fields {
        for bit in field.bit..field.bit + field.len {
            let byte = usize::try_from(bit / 8).ok();
            if let Some(byte) = byte.and_then(|at| bytes.get_mut(at)) {
                *byte &= !(1 << (bit % 8));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::{FAMILIES, Machine};
    use crate::interface;
    use crate::object_code::{Content, ObjectCode};
    use crate::switches::Switches;
    use crate::unit::{DebugInfo, ProgramSource, Unit};
    use dxil::bitstream::Encoding;
    use dxil::constants::{Field, Scope};
    use dxil::patch::{PatchTable, Pattern, Value};
    use dxil::{Container, Module, Program};
    use std::collections::{BTreeMap, HashSet};
    use std::path::Path;

    const MACHINE: Machine = Machine {
        isa: 30,
        abi: &FAMILIES[0].abis[0],
    };

    /// A number in so many chunks.
    fn constant(ty: Scalar, chunks: u64) -> Constant {
        let signed = matches!(ty, Scalar::Integer(_));
        let width: u32 = if signed { 8 } else { 6 };
        Constant {
            ty,
            bits: 1,
            scope: Scope::Function(0),
            element: None,
            in_metadata: false,
            field: Field {
                bit: 100,
                len: chunks * u64::from(width),
                encoding: Encoding::Vbr(width),
                signed,
            },
        }
    }

    #[test]
    fn literals_are_the_numbers_with_room_for_every_value() {
        // As many chunks as docs/specialization-constants.md says.
        for (ty, chunks) in [
            (Scalar::Integer(16), 3),
            (Scalar::Integer(32), 5),
            (Scalar::Integer(64), 10),
            (Scalar::Half, 4),
            (Scalar::Float, 7),
            (Scalar::Double, 13),
        ] {
            assert!(is_literal(&constant(ty, chunks)), "{ty}");
            assert!(!is_literal(&constant(ty, chunks - 1)), "{ty}");
            let in_metadata = Constant {
                in_metadata: true,
                ..constant(ty, chunks)
            };
            assert!(!is_literal(&in_metadata), "{ty}");
        }
        for width in [1, 8] {
            assert!(!is_literal(&constant(Scalar::Integer(width), 2)));
        }
        let mut fixed = constant(Scalar::Float, 0);
        (fixed.field.encoding, fixed.field.len) = (Encoding::Fixed(32), 32);
        assert!(is_literal(&fixed));
    }

    #[test]
    fn without_a_hint_there_are_none_and_too_many_are_not_left_open() {
        let [float, integer] =
            [(Scalar::Float, 7), (Scalar::Integer(32), 5)].map(|(ty, chunks)| constant(ty, chunks));
        let count = |constants: &[Constant]| find(constants).0.len();
        assert_eq!(count(&[float, float]), 0);
        assert_eq!(count(&[float, integer]), 2);
        for (count, expected) in [(0, false), (1, true), (256, true), (257, false)] {
            assert_eq!(are_left_open(count), expected, "{count}");
        }
    }

    #[test]
    fn only_the_bits_of_literals_are_cleared() {
        let field = |bit, len| LiteralField {
            bit,
            len,
            width: 32,
        };
        let mut bytes = [0xFF; 4];
        clear(&mut bytes, &[field(3, 7), field(31, 40)]);
        assert_eq!(bytes, [0b0000_0111, 0b1111_1100, 0xFF, 0x7F]);
    }

    /// The bare programs of the corpus, by name.
    fn corpus() -> BTreeMap<String, Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dxil/corpus/dxil");
        let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        files
            .filter_map(|file| {
                let bytes = std::fs::read(file.path()).unwrap();
                let program = Container::parse(&bytes).unwrap().program().ok()?.bytes();
                Some((file.file_name().into_string().unwrap(), program.to_vec()))
            })
            .collect()
    }

    fn constants(program: &[u8]) -> Vec<Constant> {
        let program = Program::parse(program).unwrap();
        Module::parse(&program).unwrap().constants().to_vec()
    }

    /// What a program is compiled from.
    fn source(program: &[u8]) -> ProgramSource<'_> {
        let program = Program::parse(program).unwrap();
        let module = Module::parse(&program).unwrap();
        let (literals, values) = find(module.constants());
        ProgramSource {
            kind: program.kind(),
            shader_model: program.shader_model(),
            switches: Switches::NONE,
            interface: interface::of(&module),
            bitcode: program.bitcode().into(),
            literals,
            values,
        }
    }

    /// Template and specialization, as they are read from a cache.
    fn divided(program: &[u8]) -> [(Vec<u8>, Vec<u8>); 2] {
        let source = source(program);
        let (kind, values) = (source.kind, source.values.clone());
        let template = Unit::template(MACHINE, source);
        let debug = DebugInfo::default();
        let specialization = Unit::specialization(MACHINE, &template, kind, values, debug);
        [&template, &specialization].map(|unit| {
            let code = unit.object_code(MACHINE).to_bytes();
            (unit.key().as_bytes().to_vec(), code)
        })
    }

    /// The code of a program that is compiled in one piece, as those with too many literals are.
    fn in_full(program: &[u8]) -> Vec<u8> {
        let unit = Unit::program(MACHINE, source(program), DebugInfo::default());
        unit.object_code(MACHINE).to_bytes()
    }

    fn sentinels(program: &[u8]) -> PatchTable {
        PatchTable::find(program, |constant| Pattern::id(&Pattern::DEFAULT, constant)).unwrap()
    }

    /// Every shader of the corpus that is divided, whatever its sentinels look like: each literal is
    /// patched, as sentinels are, to the ends of its type's range and between.
    #[test]
    fn specializing_a_template_gives_what_compiling_in_full_gives() {
        let (mut shaders, mut types) = (0, HashSet::new());
        for (name, program) in corpus() {
            let (fields, _) = find(&constants(&program));
            if !are_left_open(fields.len()) {
                continue;
            }
            let id = |constant: &Constant| {
                let bits = fields.iter().map(|field| field.bit);
                let (id, _) = (0..)
                    .zip(bits)
                    .find(|&(_, bit)| bit == constant.field.bit)?;
                Some(id)
            };
            let table = PatchTable::find(&program, id).unwrap();
            let literals = table.constants();
            assert_eq!(literals.len(), fields.len());
            shaders += 1;
            types.extend(literals.iter().map(|literal| literal.ty));
            let [(key, code), _] = divided(&program);
            let template = ObjectCode::parse(&code).unwrap();
            let mut seen = HashSet::new();
            for bits in [
                0,
                1,
                0x0123_4567_89AB_CDEF,
                1 << 63 | 1 << 31 | 1 << 15,
                u64::MAX,
            ] {
                let values = literals.iter().map(|literal| {
                    let bits = bits & u64::MAX >> (64 - literal.ty.width());
                    (literal.id, bits)
                });
                let (ids, values): (Vec<_>, Vec<_>) = values.unzip();
                let patches = values.iter().map(|&bits| Value::Bits(bits));
                let patches: Vec<_> = ids.into_iter().zip(patches).collect();
                let mut variant = program.clone();
                table.patch(&mut variant, &patches).unwrap();

                let [(variant_key, variant_code), (_, small)] = divided(&variant);
                assert_eq!((&key, &code), (&variant_key, &variant_code), "{name}");
                let small = ObjectCode::parse(&small).unwrap();
                let Content::Specialization(specialization) = small.content else {
                    panic!("{name}: no specialization")
                };
                assert_eq!(key, specialization.template);
                assert_eq!(values, specialization.values, "{name}");
                let full = in_full(&variant);
                let specialized = template.specialize(&specialization).unwrap();
                assert_eq!(specialized.to_bytes(), full, "{name}");
                assert!(seen.insert(full), "{name}: code of other values");
            }
        }
        assert!(shaders > 20, "{shaders}");
        assert_eq!(types.len(), 6, "{types:?}");
    }

    /// Those of docs/specialization-constants.md, but for a number that metadata says, too.
    #[test]
    fn sentinels_are_literals() {
        let mut found = 0;
        for (name, program) in corpus() {
            let bitcode = 8 * Program::parse(&program).unwrap().bitcode_offset() as u64;
            let (fields, _) = find(&constants(&program));
            let sentinels = sentinels(&program).constants().to_vec();
            for site in sentinels.into_iter().flat_map(|constant| constant.sites) {
                let is_literal = fields.iter().any(|f| f.bit + bitcode == site.field.bit);
                assert_eq!(is_literal, !site.in_metadata, "{name}: {site:?}");
                found += 1;
            }
        }
        assert!(found > 100, "{found}");
    }

    /// What the driver of such a GPU needs to know to specialize a template itself.
    #[test]
    fn the_specialization_of_an_unpatched_shader_has_its_sentinels() {
        let program = &corpus()["spec_stages_ps.dxil"];
        let [_, (_, small)] = divided(program);
        let Content::Specialization(small) = ObjectCode::parse(&small).unwrap().content else {
            panic!("no specialization")
        };
        let table = sentinels(program);
        let sentinels: HashSet<_> = table.constants().iter().map(|c| c.bits).collect();
        assert_eq!(
            small.values.iter().copied().collect::<HashSet<_>>(),
            sentinels
        );
    }

    #[test]
    fn shaders_without_sentinels_are_hardly_ever_divided() {
        let plain: Vec<_> = corpus()
            .into_iter()
            .filter(|(name, _)| !name.starts_with("spec_"))
            .map(|(_, program)| program)
            .collect();
        let divided = plain
            .iter()
            .filter(|program| are_left_open(source(program).values.len()))
            .count();
        // docs/specialization-constants.md has the same numbers.
        let page = include_str!("../../docs/specialization-constants.md");
        let sentence = format!(
            "{divided} of the corpus' {} shaders without sentinels are divided",
            plain.len()
        );
        let words: Vec<&str> = page.split_whitespace().collect();
        assert!(words.join(" ").contains(&sentence), "{sentence}");
        assert!(plain.len() > 100 && divided * 10 < plain.len());
    }
}
