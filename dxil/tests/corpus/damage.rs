//! Damaged containers, programs, parts and bitcode: whatever the bytes, reading ends with a result, and what was
//! read lies in the input.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use dxil::{Container, ErrorKind, FourCc, Program, RootSignature};
use dxil_test_support::walk;
use proptest::prelude::*;

use crate::valid::{Shader, shaders};

/// Every container of the corpus, and every program without its container.
static VALID: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let containers: Vec<Vec<u8>> = shaders().iter().map(|shader| shader.entry.read()).collect();
    let programs = containers.iter().filter_map(|bytes| {
        Some(
            Container::parse(bytes)
                .ok()?
                .program()
                .ok()?
                .bytes()
                .to_vec(),
        )
    });
    containers.iter().cloned().chain(programs).collect()
});

/// The payload of every part of the corpus that is no program, once.
static PAYLOADS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut payloads = BTreeSet::new();
    for bytes in VALID.iter() {
        let Ok(container) = Container::parse(bytes) else {
            continue;
        };
        let parts = container.parts().iter();
        let parts = parts.filter(|part| part.program().is_err());
        payloads.extend(parts.map(|part| part.bytes().to_vec()));
    }
    payloads.into_iter().collect()
});

/// Every bitcode of the corpus, once.
static BITCODES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let programs = VALID.iter().filter_map(|bytes| Program::parse(bytes).ok());
    let bitcodes: BTreeSet<Vec<u8>> = programs.map(|program| program.bitcode().to_vec()).collect();
    bitcodes.into_iter().collect()
});

/// Numbers at which sums, products and comparisons go wrong.
const EDGES: [u32; 14] = [
    0,
    1,
    4,
    8,
    16,
    31,
    32,
    0x0fff_ffff,
    0x1fff_ffff,
    0x3fff_ffff,
    0x4000_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
];

fn set(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Every truncation is refused, whether or not the size field is made to agree with it.
#[test]
fn truncation_at_every_length() {
    let picks = [
        "rs_empty_1_1",
        "parts_dxil_only_cs",
        "raw_copy_cs",
        "raw_copy_cs_old",
    ];
    let picked = |shader: &Shader| picks.contains(&shader.entry.name.as_str());
    for shader in shaders().into_iter().filter(picked) {
        let whole = shader.entry.read();
        for len in 0..whole.len() {
            let mut cut = whole[..len].to_vec();
            walk::all(&cut);
            Container::parse(&cut).unwrap_err();
            if len >= 32 {
                set(&mut cut, 0x18, u32::try_from(len).unwrap());
                walk::all(&cut);
                Container::parse(&cut).unwrap_err();
            }
        }
        let Ok(program) = Container::parse(&whole).unwrap().program() else {
            continue;
        };
        for len in 0..program.bytes().len() {
            let cut = &program.bytes()[..len];
            walk::all(cut);
            Program::parse(cut).unwrap_err();
        }
    }
}

/// Every word of every header, one at a time, set to each edge, and to the neighbours of its old
/// value and of the length.
#[test]
fn edges_in_every_header_word() {
    for whole in VALID.iter().filter(|bytes| bytes.len() < 4096) {
        let mut fields = vec![0, 4, 8, 12, 16, 20];
        if let Ok(container) = Container::parse(whole) {
            fields = (0x14..0x20).step_by(4).collect();
            fields.extend((0..container.parts().len()).map(|index| 0x20 + 4 * index));
            fields.extend(
                container
                    .parts()
                    .iter()
                    .flat_map(|part| [part.offset(), part.offset() + 4]),
            );
            if let Some(part) = container.part(FourCc::DXIL) {
                fields.extend((0..6).map(|word| part.offset() + 8 + 4 * word));
            }
        }
        let len = u32::try_from(whole.len()).unwrap();
        let mut bytes = whole.clone();
        for at in fields {
            let old = u32::from_le_bytes(*whole[at..].first_chunk().unwrap());
            let near = [old, len]
                .into_iter()
                .flat_map(|n| [-8_i32, -4, -1, 1, 4, 8].map(|d| n.wrapping_add_signed(d)));
            for value in EDGES.into_iter().chain(near).chain([len]) {
                set(&mut bytes, at, value);
                walk::all(&bytes);
            }
            set(&mut bytes, at, old);
        }
    }
}

/// Every word of every part that is no program, as in the headers.
#[test]
fn edges_in_every_word_of_parts() {
    for whole in PAYLOADS.iter() {
        let mut bytes = whole.clone();
        let len = u32::try_from(whole.len()).unwrap();
        for at in (0..whole.len() - 3).step_by(4) {
            let old = u32::from_le_bytes(*whole[at..].first_chunk().unwrap());
            let near = [-4_i32, -1, 1, 4].map(|d| [old, len].map(|n| n.wrapping_add_signed(d)));
            for value in EDGES
                .into_iter()
                .chain(near.into_iter().flatten())
                .chain([len])
            {
                set(&mut bytes, at, value);
                walk::payload(&bytes);
            }
            set(&mut bytes, at, old);
        }
    }
}

/// DXC's root signatures have no padding, so that every truncation cuts something off.
#[test]
fn truncation_of_parts_at_every_length() {
    for whole in PAYLOADS.iter() {
        for len in 0..whole.len() {
            walk::payload(&whole[..len]);
            if RootSignature::parse(whole).is_ok() {
                RootSignature::parse(&whole[..len]).unwrap_err();
            }
        }
    }
}

/// Every bit of a bitcode, one at a time, and every truncation.
#[test]
fn every_bit_of_a_bitcode() {
    let whole = BITCODES.iter().min_by_key(|bitcode| bitcode.len()).unwrap();
    let mut bytes = whole.clone();
    for bit in 0..8 * whole.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        walk::bitcode(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    for len in 0..whole.len() {
        walk::bitcode(&whole[..len]);
    }
}

/// One act of damage.
#[derive(Debug, Clone)]
enum Damage {
    Flip {
        at: prop::sample::Index,
        bit: u8,
    },
    Overwrite {
        at: prop::sample::Index,
        value: u32,
    },
    /// A word among the first 32, where the header, the part table and the first part headers are.
    OverwriteHeader {
        word: usize,
        value: u32,
    },
    Truncate {
        at: prop::sample::Index,
    },
    Append {
        bytes: Vec<u8>,
    },
}

fn damage() -> impl Strategy<Value = Damage> {
    let value = prop_oneof![prop::sample::select(&EDGES[..]), any::<u32>(), 0..8192_u32];
    prop_oneof![
        (any::<prop::sample::Index>(), 0..8_u8).prop_map(|(at, bit)| Damage::Flip { at, bit }),
        (any::<prop::sample::Index>(), value.clone())
            .prop_map(|(at, value)| Damage::Overwrite { at, value }),
        (0..32_usize, value).prop_map(|(word, value)| Damage::OverwriteHeader { word, value }),
        any::<prop::sample::Index>().prop_map(|at| Damage::Truncate { at }),
        prop::collection::vec(any::<u8>(), 1..16).prop_map(|bytes| Damage::Append { bytes }),
    ]
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let place = |at: &prop::sample::Index, len: usize| {
            if len == 0 { None } else { Some(at.index(len)) }
        };
        match self {
            Self::Flip { at, bit } => {
                if let Some(at) = place(at, bytes.len()) {
                    bytes[at] ^= 1 << bit;
                }
            }
            Self::Overwrite { at, value } => {
                if let Some(at) = place(at, bytes.len().saturating_sub(3)) {
                    set(bytes, at, *value);
                }
            }
            Self::OverwriteHeader { word, value } => {
                if 4 * word + 4 <= bytes.len() {
                    set(bytes, 4 * word, *value);
                }
            }
            Self::Truncate { at } => bytes.truncate(at.index(bytes.len() + 1)),
            Self::Append { bytes: more } => bytes.extend(more),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        walk::all(&bytes);
    }

    /// Random bytes that get past the magic, the version and the size.
    #[test]
    fn random_bytes_in_a_container(
        count in 0..8_u32,
        mut bytes in prop::collection::vec(prop_oneof![3 => 0..=255_u8, 1 => Just(0)], 32..256),
        offsets in prop::collection::vec(0..256_u32, 8),
    ) {
        bytes[..4].copy_from_slice(b"DXBC");
        set(&mut bytes, 0x14, 1);
        let len = u32::try_from(bytes.len()).unwrap();
        set(&mut bytes, 0x18, len);
        set(&mut bytes, 0x1c, count);
        for (index, offset) in (0..count as usize).zip(offsets) {
            let at = 0x20 + 4 * index;
            if at + 4 <= bytes.len() {
                set(&mut bytes, at, offset);
            }
        }
        walk::all(&bytes);
    }

    #[test]
    fn damaged_corpus(which in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..6)) {
        let mut bytes = VALID[which.index(VALID.len())].clone();
        for damage in damages {
            damage.apply(&mut bytes);
        }
        walk::all(&bytes);
    }

    #[test]
    fn damaged_parts(which in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..6)) {
        let mut bytes = PAYLOADS[which.index(PAYLOADS.len())].clone();
        for damage in damages {
            damage.apply(&mut bytes);
        }
        walk::payload(&bytes);
    }

    #[test]
    fn damaged_bitcode(which in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..6)) {
        let mut bytes = BITCODES[which.index(BITCODES.len())].clone();
        for damage in damages {
            damage.apply(&mut bytes);
        }
        walk::bitcode(&bytes);
    }

    /// Any change to the bytes that the hash covers is noticed.
    #[test]
    fn hash_covers_every_byte(at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let mut bytes = std::fs::read(crate::path("dxil/raw_copy_cs.dxil")).unwrap();
        let at = 4 + at.index(bytes.len() - 4);
        bytes[at] ^= 1 << bit;
        if let Ok(container) = Container::parse(&bytes) {
            let kind = container.verify().map_err(|error| error.kind);
            prop_assert!(matches!(kind, Err(ErrorKind::HashMismatch { .. })), "{kind:?}");
        }
    }
}
