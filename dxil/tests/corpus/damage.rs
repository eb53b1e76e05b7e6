//! Damaged containers, programs, signatures and bitcode: whatever the bytes, reading ends with a result, and what was
//! read lies in the input.

use crate::valid::{Shader, shaders};
use dxil::bitstream::{Cursor, Entry};
use dxil::{Container, Error, ErrorKind, Form, FourCc, Program, RootSignature, Signature};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;

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

const SIGNATURES: [FourCc; 3] = [FourCc::ISG1, FourCc::OSG1, FourCc::PSG1];

/// Every signature and root signature of the corpus, once.
static PAYLOADS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut payloads = BTreeSet::new();
    for bytes in VALID.iter() {
        let Ok(container) = Container::parse(bytes) else {
            continue;
        };
        let parts = SIGNATURES.into_iter().chain([FourCc::RTS0]);
        let parts = parts.filter_map(|part| container.part(part));
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

/// `slice` is a slice of `bytes`, not merely equal to one.
fn inside(bytes: &[u8], slice: &[u8]) -> bool {
    let [outer, inner] = [bytes, slice].map(<[u8]>::as_ptr_range);
    outer.start <= inner.start && inner.end <= outer.end
}

/// Asks everything that can be asked about `bytes`.
fn read(bytes: &[u8]) {
    if let Some(&first) = bytes.first_chunk() {
        let _ = Form::sniff(first);
    }
    let container = Container::parse(bytes);
    if let Some(header) = bytes.first_chunk() {
        let declared = Container::declared_len(header);
        if let Ok(container) = &container {
            assert_eq!(declared, Ok(container.bytes().len()));
        }
    }
    match container {
        Ok(container) => read_container(bytes, &container),
        Err(error) => read_error(bytes, error),
    }
    match Program::parse(bytes) {
        Ok(program) => {
            read_program(bytes, &program);
            assert_eq!(
                Program::declared_len(bytes.first_chunk().unwrap()),
                Ok(program.bytes().len())
            );
        }
        Err(error) => read_error(bytes, error),
    }
}

fn read_container(bytes: &[u8], container: &Container<'_>) {
    assert!(inside(bytes, container.bytes()) && inside(bytes, container.trailing()));
    assert_eq!(
        container.bytes().len() + container.trailing().len(),
        bytes.len()
    );
    let _ = format!("{container:?}");
    match container.verify() {
        Ok(()) => {}
        Err(error) => read_error(bytes, error),
    }
    for part in container.parts() {
        assert_eq!(part.bytes().as_ptr(), bytes[part.offset() + 8..].as_ptr());
        assert!(inside(container.bytes(), part.bytes()));
        assert_eq!(bytes[part.offset()..][..4], part.fourcc().0);
        assert_eq!(container.part(part.fourcc()), Some(*part));
        match part.program() {
            Ok(program) => read_program(part.bytes(), &program),
            Err(error) => {
                assert_eq!(error.part, Some(part.fourcc()));
                read_error(bytes, error);
            }
        }
    }
    if let Err(error) = container.program() {
        read_error(bytes, error);
    }
    for part in SIGNATURES {
        match container.signature(part) {
            Ok(Some(signature)) => {
                read_signature(container.part(part).unwrap().bytes(), &signature);
            }
            Ok(None) => {}
            Err(error) => {
                assert_eq!(error.part, Some(part));
                read_error(bytes, error);
            }
        }
    }
    match container.root_signature() {
        Ok(root_signature) => _ = format!("{root_signature:?}"),
        Err(error) => {
            assert_eq!(error.part, Some(FourCc::RTS0));
            read_error(bytes, error);
        }
    }
}

fn read_signature(bytes: &[u8], signature: &Signature<'_>) {
    for element in signature.elements() {
        assert!(inside(bytes, element.name()));
        assert_eq!(bytes_after(bytes, element.name()).first(), Some(&0));
    }
    let _ = format!("{signature:?}");
}

/// What follows `slice` in `bytes`, which it is inside of.
fn bytes_after<'a>(bytes: &'a [u8], slice: &[u8]) -> &'a [u8] {
    let end = slice.as_ptr_range().end as usize - bytes.as_ptr() as usize;
    &bytes[end..]
}

/// Reads `bytes` as if they were the payload of a signature and of a root signature.
fn read_payload(bytes: &[u8]) {
    match Signature::parse(bytes) {
        Ok(signature) => read_signature(bytes, &signature),
        Err(error) => read_error(bytes, error),
    }
    match RootSignature::parse(bytes) {
        Ok(root_signature) => _ = format!("{root_signature:?}"),
        Err(error) => read_error(bytes, error),
    }
}

/// Reads `bytes` as if they were bitcode: all operands of all records.
fn read_bitcode(bytes: &[u8]) {
    let cursor = match Cursor::new(bytes) {
        Ok(cursor) => cursor,
        Err(error) => return read_error(bytes, error),
    };
    let mut depth = 0;
    let mut sound = true;
    for item in cursor {
        assert!(sound, "more after an error");
        match item {
            Ok(Entry::SubBlock { .. }) => depth += 1,
            Ok(Entry::EndBlock) => depth -= 1,
            Ok(Entry::Record(record)) => {
                let operands = record.operands();
                assert_eq!(operands.clone().count(), operands.len());
                if let Some(last) = operands.last() {
                    assert!(last.bit + last.len <= 8 * bytes.len() as u64);
                }
                assert!(record.blob().is_none_or(|blob| inside(bytes, blob)));
            }
            Err(error) => {
                sound = false;
                read_error(bytes, error);
            }
        }
    }
    assert!(depth == 0 || !sound);
}

fn read_program(bytes: &[u8], program: &Program<'_>) {
    assert!(inside(bytes, program.bytes()) && inside(program.bytes(), program.bitcode()));
    assert_eq!(program.size_in_words() * 4, program.bytes().len());
    assert!(program.bitcode().starts_with(b"BC\xc0\xde"));
    let _ = format!(
        "{program:?} {} {}",
        program.shader_model(),
        program.dxil_version()
    );
}

/// An error has a text and points into the input, or at its end.
fn read_error(bytes: &[u8], error: Error) {
    assert!(error.offset <= bytes.len(), "{error}");
    assert!(!error.to_string().is_empty());
}

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
            read(&cut);
            Container::parse(&cut).unwrap_err();
            if len >= 32 {
                set(&mut cut, 0x18, u32::try_from(len).unwrap());
                read(&cut);
                Container::parse(&cut).unwrap_err();
            }
        }
        let Ok(program) = Container::parse(&whole).unwrap().program() else {
            continue;
        };
        for len in 0..program.bytes().len() {
            let cut = &program.bytes()[..len];
            read(cut);
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
                read(&bytes);
            }
            set(&mut bytes, at, old);
        }
    }
}

/// Every word of every signature and root signature, as in the headers.
#[test]
fn edges_in_every_word_of_signatures() {
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
                read_payload(&bytes);
            }
            set(&mut bytes, at, old);
        }
    }
}

/// DXC's root signatures have no padding, so that every truncation cuts something off.
#[test]
fn truncation_of_signatures_at_every_length() {
    for whole in PAYLOADS.iter() {
        for len in 0..whole.len() {
            read_payload(&whole[..len]);
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
        read_bitcode(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    for len in 0..whole.len() {
        read_bitcode(&whole[..len]);
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
        read(&bytes);
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
        read(&bytes);
    }

    #[test]
    fn damaged_corpus(which in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..6)) {
        let mut bytes = VALID[which.index(VALID.len())].clone();
        for damage in damages {
            damage.apply(&mut bytes);
        }
        read(&bytes);
    }

    #[test]
    fn damaged_signatures(which in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..6)) {
        let mut bytes = PAYLOADS[which.index(PAYLOADS.len())].clone();
        for damage in damages {
            damage.apply(&mut bytes);
        }
        read_payload(&bytes);
    }

    #[test]
    fn damaged_bitcode(which in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..6)) {
        let mut bytes = BITCODES[which.index(BITCODES.len())].clone();
        for damage in damages {
            damage.apply(&mut bytes);
        }
        read_bitcode(&bytes);
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
