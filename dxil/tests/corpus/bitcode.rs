//! The bitcode of what DXC wrote is read to its end.

use std::collections::BTreeMap;

use dxil::bitstream::{Cursor, Encoding, Entry as Item};
use dxil::{Container, FourCc, Program};
use dxil_test_support::planted::Planted;

use crate::constants::Shader;
use crate::manifest;
use crate::valid::shaders;

const PARTS: [FourCc; 3] = [FourCc::DXIL, FourCc::ILDB, FourCc::STAT];

/// The programs in a container, each with the offset of its bitcode in the container.
fn programs<'a>(container: &Container<'a>) -> Vec<(FourCc, usize, Program<'a>)> {
    let parts = PARTS.into_iter().filter_map(|part| container.part(part));
    parts
        .map(|part| {
            let bitcode = part.offset() + 8 + 24;
            (part.fourcc(), bitcode, part.program().unwrap())
        })
        .collect()
}

#[test]
fn all_programs_are_sound() {
    let mut checked = 0;
    for shader in shaders() {
        let bytes = shader.entry.read();
        for (part, _, program) in programs(&Container::parse(&bytes).unwrap()) {
            program
                .check_bitcode()
                .unwrap_or_else(|error| panic!("{} {part}: {error}", shader.entry.name));
            checked += 1;
        }
    }
    assert!(checked > 250, "{checked}");
}

/// Blocks 0 (BLOCKINFO) and 17 (types) once, 12 (functions) for each function: one module, and no
/// block that DXIL has no use for.
#[test]
fn blocks_are_those_of_one_module() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        for (part, _, program) in programs(&Container::parse(&bytes).unwrap()) {
            let shown = format!("{} {part}", shader.entry.name);
            let mut open = Vec::new();
            let mut paths = BTreeMap::new();
            for item in Cursor::new(program.bitcode()).unwrap() {
                match item.unwrap() {
                    Item::SubBlock { id } => {
                        open.push(id);
                        *paths.entry(open.clone()).or_insert(0) += 1;
                    }
                    Item::EndBlock => _ = open.pop().unwrap(),
                    Item::Record(_) => assert!(!open.is_empty(), "{shown}"),
                }
            }
            assert!(open.is_empty(), "{shown}");
            for once in [&[8][..], &[8, 0], &[8, 17]] {
                assert_eq!(paths.remove(once), Some(1), "{shown} {once:?}");
            }
            let functions = paths.remove(&[8, 12][..]);
            assert_eq!(functions.is_some(), part != FourCc::STAT, "{shown}");
            for path in paths.keys() {
                let known = match path[..] {
                    [8, id] => matches!(id, 9 | 10 | 11 | 14 | 15),
                    [8, 12, id] => matches!(id, 11 | 14 | 15 | 16 | 18),
                    _ => false,
                };
                assert!(known, "{shown} {path:?}");
            }
        }
    }
}

/// Every operand, read anew at the bit where it says that it is.
#[test]
fn operands_are_where_they_say() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        for (_, _, program) in programs(&Container::parse(&bytes).unwrap()) {
            let bit = |at: u64| {
                let byte = program.bitcode()[usize::try_from(at / 8).unwrap()];
                u64::from(byte >> (at % 8) & 1)
            };
            let number =
                |at: u64, width: u32| (0..width).map(|n| bit(at + u64::from(n)) << n).sum::<u64>();
            let mut end = 0;
            for item in Cursor::new(program.bitcode()).unwrap() {
                let Item::Record(record) = item.unwrap() else {
                    continue;
                };
                assert!(record.bit() >= end);
                end = record.bit();
                for operand in record.operands() {
                    assert!(operand.bit >= end);
                    end = operand.bit + operand.len;
                    let (value, len) = match operand.encoding {
                        Encoding::Literal(value) => (value, 0),
                        Encoding::Fixed(width) => (number(operand.bit, width), width.into()),
                        Encoding::Char6 => {
                            let char = match number(operand.bit, 6) {
                                n @ 0..26 => u64::from(b'a') + n,
                                n @ 26..52 => u64::from(b'A') + n - 26,
                                n @ 52..62 => u64::from(b'0') + n - 52,
                                62 => b'.'.into(),
                                _ => b'_'.into(),
                            };
                            (char, 6)
                        }
                        Encoding::Vbr(width) => {
                            let (mut value, mut chunks) = (0, 0);
                            loop {
                                let chunk = operand.bit + u64::from(chunks * width);
                                value |= number(chunk, width - 1) << (chunks * (width - 1));
                                chunks += 1;
                                if bit(chunk + u64::from(width - 1)) == 0 {
                                    break;
                                }
                            }
                            (value, u64::from(chunks * width))
                        }
                    };
                    assert_eq!((operand.value, operand.len), (value, len));
                }
            }
        }
    }
}

/// What stands in the bitcode for a value.
fn encoded(sentinel: &Planted, code: &str) -> u64 {
    let value = &sentinel.value;
    match (code, sentinel.kind.as_str()) {
        // The sign is the lowest bit.
        ("INTEGER", _) => {
            let value = value.as_i64().unwrap();
            value.unsigned_abs() << 1 | u64::from(value < 0)
        }
        ("FLOAT", "f64") => value.as_f64().unwrap().to_bits(),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the value is one of 32 bits"
        )]
        ("FLOAT", "f32") => (value.as_f64().unwrap() as f32).to_bits().into(),
        ("FLOAT", "f16") => half_bits(value.as_f64().unwrap()),
        ("DATA", _) => value.as_u64().unwrap(),
        other => panic!("{}: {other:?}", sentinel.name),
    }
}

/// IEEE 754 binary16, for values that are normal in it.
fn half_bits(value: f64) -> u64 {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) - 1023 + 15;
    bits >> 63 << 15 | exponent << 10 | bits >> 42 & 0x3ff
}

/// The constants that the manifest locates are read at their place, as they are encoded.
#[test]
fn constants_are_where_the_manifest_says() {
    let mut found = 0;
    let shaders: Vec<Shader> = manifest("manifest.json");
    for shader in shaders.iter().filter(|shader| !shader.spec.is_empty()) {
        let bytes = shader.entry.read();
        let mut operands = BTreeMap::new();
        for (part, bitcode, program) in programs(&Container::parse(&bytes).unwrap()) {
            for item in Cursor::new(program.bitcode()).unwrap() {
                if let Item::Record(record) = item.unwrap() {
                    operands.extend(record.operands().filter(|operand| operand.len > 0).map(
                        |operand| {
                            (
                                (part.to_string(), 8 * bitcode as u64 + operand.bit),
                                operand,
                            )
                        },
                    ));
                }
            }
        }
        for sentinel in &shader.spec {
            for site in &sentinel.sites {
                let shown = format!("{} {}", shader.entry.name, sentinel.planted.name);
                let operand = operands[&(site.part.clone(), site.bit)];
                let width = match site.encoding.as_str() {
                    "vbr8" => 8,
                    "vbr6" => 6,
                    other => panic!("{shown}: {other}"),
                };
                assert_eq!(operand.encoding, Encoding::Vbr(width), "{shown}");
                assert_eq!(operand.len, site.chunks * u64::from(width), "{shown}");
                assert_eq!(
                    operand.value,
                    encoded(&sentinel.planted, &site.code),
                    "{shown}"
                );
                found += 1;
            }
        }
    }
    assert!(found > 50, "{found}");
}
