//! What is broken is refused, each with an error that names the fault and its place.

use std::collections::BTreeMap;

use dxil::{
    BitstreamFault, Container, Error, ErrorKind as E, Foreign, Form, FourCc, Program, ShaderKind,
    StoredHash, psv0, rdat,
};

use crate::{Entry, check_inventory, manifest};

/// How a file marked `reject` is refused.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Refusal {
    /// By `Container::parse`.
    Parse(E, Option<FourCc>, usize),
    /// By `Container::check`.
    Check(E, Option<FourCc>, usize),
}

fn refusals() -> BTreeMap<&'static str, Refusal> {
    use Refusal::{Check, Parse};
    let dxil = Some(FourCc::DXIL);
    let sfi0 = Some(FourCc::SFI0);
    let isg1 = Some(FourCc::ISG1);
    let rdat = Some(FourCc::RDAT);
    let rts0 = Some(FourCc::RTS0);
    let bitcode = |bit, fault| {
        let offset = 0x80c + usize::try_from(bit / 8).unwrap();
        Check(E::Bitstream { bit, fault }, dxil, offset)
    };
    let cut = |size, available| Parse(E::ContainerCut { size, available }, None, 0x18);
    let not_a_container = |found| {
        Parse(
            E::NotAContainer {
                found: FourCc(found),
            },
            None,
            0x00,
        )
    };
    let foreign = |what| Parse(E::Foreign { what }, None, 0x00);
    let in_table = |start, table_end| {
        Parse(
            E::PartInTable {
                index: 0,
                start,
                table_end,
            },
            None,
            0x20,
        )
    };
    let past_end = |size| {
        Parse(
            E::PartPastEnd {
                index: 7,
                size,
                available: 1560,
            },
            dxil,
            0x7f0,
        )
    };
    // raw_copy_cs, from which most files are made, has 8 parts, 3596 bytes, SFI0 at 0x40 and DXIL
    // at 0x7ec.
    BTreeMap::from([
        ("empty", foreign(Foreign::Empty)),
        ("magic_only", Parse(E::HeaderCut { available: 4 }, None, 0)),
        ("header_31", Parse(E::HeaderCut { available: 31 }, None, 0)),
        ("header_only", cut(3596, 32)),
        ("offsets_cut", cut(3596, 36)),
        ("half", cut(3596, 1798)),
        ("minus_one", cut(3596, 3595)),
        ("magic_lower", not_a_container(*b"dxbc")),
        ("magic_dxil", not_a_container(*b"DXIL")),
        ("raw_bitcode", foreign(Foreign::Bitcode)),
        ("text_file", foreign(Foreign::Text)),
        ("zeros_4k", not_a_container([0; 4])),
        (
            "version_2_0",
            Parse(E::ContainerVersion { major: 2, minor: 0 }, None, 0x14),
        ),
        (
            "size_zero",
            Parse(E::ContainerSizeBelowHeader { size: 0 }, None, 0x18),
        ),
        (
            "size_31",
            Parse(E::ContainerSizeBelowHeader { size: 31 }, None, 0x18),
        ),
        ("size_bigger", cut(3600, 3596)),
        (
            "size_max",
            Parse(E::ContainerSizeAboveLimit { size: 0xffff_ffff }, None, 0x18),
        ),
        (
            "size_smaller",
            Parse(
                E::PartPastEnd {
                    index: 7,
                    size: 1560,
                    available: 1496,
                },
                dxil,
                0x7f0,
            ),
        ),
        ("parts_zero", Parse(E::NoParts, None, 0x1c)),
        (
            "parts_huge",
            Parse(
                E::TablePastEnd {
                    count: 0x1000_0000,
                    container: 3596,
                },
                None,
                0x1c,
            ),
        ),
        (
            "parts_wrap",
            Parse(
                E::TablePastEnd {
                    count: 0x4000_0000,
                    container: 3596,
                },
                None,
                0x1c,
            ),
        ),
        ("parts_one_more", in_table(0x40, 0x44)),
        ("offset_zero", in_table(0, 0x40)),
        ("offset_in_table", in_table(36, 0x40)),
        (
            "offset_past_end",
            Parse(
                E::PartHeaderPastEnd {
                    index: 7,
                    start: 3596,
                    container: 3596,
                },
                None,
                0x3c,
            ),
        ),
        (
            "offset_near_end",
            Parse(
                E::PartHeaderPastEnd {
                    index: 7,
                    start: 3592,
                    container: 3596,
                },
                None,
                0x3c,
            ),
        ),
        (
            "offset_max",
            Parse(
                E::PartHeaderPastEnd {
                    index: 0,
                    start: 0xffff_fffc,
                    container: 3596,
                },
                None,
                0x20,
            ),
        ),
        (
            "offsets_same",
            Parse(
                E::PartOverlap {
                    other: FourCc::SFI0,
                    other_start: 0x40,
                    other_end: 0x50,
                },
                sfi0,
                0x40,
            ),
        ),
        (
            "offset_unaligned",
            Parse(
                E::PartName {
                    index: 1,
                    found: FourCc(*b"G1\x08\0"),
                },
                None,
                0x52,
            ),
        ),
        ("part_size_max", past_end(0xffff_ffff)),
        ("part_size_wrap", past_end(0xffff_fff0)),
        (
            "part_overlap",
            Parse(
                E::PartOverlap {
                    other: FourCc::SFI0,
                    other_start: 0x40,
                    other_end: 0x110,
                },
                Some(FourCc::ISG1),
                0x50,
            ),
        ),
        (
            "dxil_twice",
            Parse(E::DuplicatePart { first: 0x7f0 }, dxil, 0xe10),
        ),
        ("no_dxil", Check(E::NoDxilPart, None, 0x1c)),
        (
            "part_size_zero",
            Check(
                E::Foreign {
                    what: Foreign::Empty,
                },
                dxil,
                0x7f4,
            ),
        ),
        (
            "prog_magic",
            Check(
                E::NotAProgram {
                    found: FourCc(*b"LIXD"),
                },
                dxil,
                0x7fc,
            ),
        ),
        (
            "prog_size_words",
            Check(
                E::ProgramCut {
                    words: 1560,
                    available: 1560,
                },
                dxil,
                0x7f8,
            ),
        ),
        (
            "prog_code_offset",
            Check(
                E::BitcodeOffsetPastEnd {
                    offset: 0x7fff_fff0,
                    program: 1560,
                },
                dxil,
                0x804,
            ),
        ),
        (
            "prog_code_size",
            Check(
                E::BitcodePastEnd {
                    size: 0xffff_fff0,
                    available: 1536,
                },
                dxil,
                0x808,
            ),
        ),
        (
            "prog_code_size_odd",
            Check(E::BitcodeSizeOdd { size: 1533 }, dxil, 0x808),
        ),
        (
            "prog_kind",
            Check(E::ProgramKind { kind: 0x99 }, dxil, 0x7f4),
        ),
        ("bitcode_magic", Check(E::NotBitcode, dxil, 0x80c)),
        (
            "prog_kind_lies",
            Check(
                E::ProgramKindMismatch {
                    program: ShaderKind::Vertex,
                    part: FourCc::PSV0,
                    described: ShaderKind::Compute,
                },
                Some(FourCc::PSV0),
                0x94,
            ),
        ),
        // The length of the module is behind the magic and the start of the block.
        (
            "bitcode_block_len",
            bitcode(
                64,
                BitstreamFault::BlockPastEnd {
                    id: 8,
                    words: 0x00ff_ffff,
                    available: 0x17d,
                },
            ),
        ),
        (
            "bitcode_garbage",
            bitcode(346, BitstreamFault::UnknownEncoding { encoding: 0 }),
        ),
        (
            "psv_info_size",
            Check(
                E::PipelineStateValidation(psv0::Fault::PastEnd {
                    section: "runtime info",
                    len: 0x1_0000,
                    available: 148,
                }),
                Some(FourCc::PSV0),
                0x78,
            ),
        ),
        (
            "psv_resource_count",
            Check(
                E::PipelineStateValidation(psv0::Fault::PastEnd {
                    section: "resources",
                    len: 24 * 0x0fff_ffff,
                    available: 88,
                }),
                Some(FourCc::PSV0),
                0xb0,
            ),
        ),
        (
            "ildn_length",
            Check(
                E::TextPastEnd {
                    length: 0xffff,
                    available: 24,
                },
                Some(FourCc::ILDN),
                0xcda,
            ),
        ),
        (
            "sig_count",
            Check(
                E::SignatureElementsPastEnd {
                    count: 0x0800_0001,
                    offset: 8,
                    signature: 252,
                },
                isg1,
                0x54,
            ),
        ),
        (
            "sig_name_offset",
            Check(
                E::SignatureNamePastEnd {
                    index: 0,
                    offset: 0xffff_ff00,
                    signature: 252,
                },
                isg1,
                0x60,
            ),
        ),
        (
            "rdat_part_count",
            Check(
                E::RuntimeData(rdat::Fault::OffsetsPastEnd {
                    count: 0x3fff_ffff,
                    part: 1468,
                }),
                rdat,
                0x84,
            ),
        ),
        (
            "rdat_offset",
            Check(
                E::RuntimeData(rdat::Fault::TableOffset {
                    index: 0,
                    offset: 0xffff_fff8,
                    part: 1468,
                }),
                rdat,
                0x88,
            ),
        ),
        (
            "rdat_version",
            Check(
                E::RuntimeData(rdat::Fault::Version { version: 0x11 }),
                rdat,
                0x80,
            ),
        ),
        (
            "rts_version",
            Check(E::RootSignatureVersion { version: 9 }, rts0, 0x2c),
        ),
        (
            "rts_params",
            Check(
                E::RootParametersPastEnd {
                    count: 0x2000_0000,
                    offset: 24,
                    root_signature: 228,
                },
                rts0,
                0x30,
            ),
        ),
        (
            "rts_table_offset",
            Check(
                E::RootParameterPastEnd {
                    index: 0,
                    offset: 0xffff_fff0,
                    root_signature: 228,
                },
                rts0,
                0x4c,
            ),
        ),
    ])
}

pub fn entries(expect: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = manifest("malformed/manifest.json");
    entries.retain(|entry| entry.expect == expect);
    assert!(!entries.is_empty(), "{expect}");
    entries
}

#[test]
fn the_corpus_is_complete_and_every_expectation_is_tested() {
    let all: Vec<Entry> = manifest("malformed/manifest.json");
    check_inventory("malformed", &all.iter().collect::<Vec<_>>());
    let tested =
        ["reject", "reject-hash", "unsupported", "tolerate"].map(|expect| entries(expect).len());
    assert_eq!(tested.iter().sum::<usize>(), all.len());
}

#[test]
fn each_reject_is_refused_at_its_fault() {
    let mut refusals = refusals();
    for entry in entries("reject") {
        let refusal = refusals
            .remove(entry.name.as_str())
            .unwrap_or_else(|| panic!("{}: not in the table", entry.name));
        let bytes = entry.read();
        let container = Container::parse(&bytes);
        let (found, kind, part, offset) = match refusal {
            Refusal::Parse(kind, part, offset) => (container.map(drop), kind, part, offset),
            Refusal::Check(kind, part, offset) => {
                let container = container.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
                assert_eq!(container.verify(), Ok(()), "{}", entry.name);
                (container.check(), kind, part, offset)
            }
        };
        let expected = Error { kind, part, offset };
        assert_eq!(found, Err(expected), "{}", entry.name);
    }
    assert!(refusals.is_empty(), "not in the corpus: {refusals:?}");
}

/// No two faults give the same error: the error alone tells them apart.
#[test]
fn refusals_are_distinct() {
    let refusals: Vec<_> = refusals().into_iter().collect();
    for (index, (name, refusal)) in refusals.iter().enumerate() {
        for (other_name, other) in &refusals[..index] {
            assert_ne!(refusal, other, "{name} and {other_name}");
        }
    }
}

#[test]
fn wrong_hashes_fail_verification_only() {
    for entry in entries("reject-hash") {
        let bytes = entry.read();
        let container =
            Container::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert_eq!(container.check(), Ok(()), "{}", entry.name);
        let StoredHash::Hash(stored) = container.hash() else {
            panic!("{}", entry.name)
        };
        let kind = E::HashMismatch {
            stored,
            computed: container.computed_hash(),
        };
        assert_eq!(
            container.verify(),
            Err(Error {
                kind,
                part: None,
                offset: 4
            }),
            "{}",
            entry.name
        );
    }
}

#[test]
fn containers_of_older_shader_models_have_no_dxil() {
    for (name, part) in [("dxbc_sm5_cs", FourCc::SHEX), ("dxbc_sm4_ps", FourCc::SHDR)] {
        let entry = entries("unsupported")
            .into_iter()
            .find(|entry| entry.name == name)
            .unwrap();
        let bytes = entry.read();
        let container = Container::parse(&bytes).unwrap();
        assert_eq!(container.verify(), Ok(()), "{name}");
        let offset = container.part(part).unwrap().offset();
        assert_eq!(
            container.program(),
            Err(Error {
                kind: E::NotDxil,
                part: Some(part),
                offset
            }),
            "{name}"
        );
    }
}

#[test]
fn bare_program_is_a_program_and_not_a_container() {
    let entry = entries("unsupported")
        .into_iter()
        .find(|entry| entry.name == "raw_program")
        .unwrap();
    let bytes = entry.read();
    assert_eq!(Form::sniff(*bytes.first_chunk().unwrap()), Form::Program);
    assert_eq!(
        Program::declared_len(bytes.first_chunk().unwrap()),
        Ok(bytes.len())
    );
    let what = Foreign::Program;
    assert_eq!(
        Container::parse(&bytes),
        Err(Error {
            kind: E::Foreign { what },
            part: None,
            offset: 0
        })
    );
    let source = std::fs::read(crate::path("dxil/raw_copy_cs.dxil")).unwrap();
    assert_eq!(
        Program::parse(&bytes),
        Container::parse(&source).unwrap().program()
    );
    assert_eq!(entries("unsupported").len(), 3);
}

#[test]
fn odd_but_sound_containers_are_read() {
    for entry in entries("tolerate") {
        let bytes = entry.read();
        let container =
            Container::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert_eq!(container.verify(), Ok(()), "{}", entry.name);
        // The reader takes any layout, the check only that which the validator of DXC takes.
        let checked = container.check().map_err(|error| error.kind);
        let adjacent = |start, end| Err(E::PartNotAdjacent { start, end });
        let expected = match entry.name.as_str() {
            "offsets_swapped" => adjacent(0x50, 0x40),
            "gap_between_parts" => adjacent(0x58, 0x50),
            _ => Ok(()),
        };
        assert_eq!(checked, expected, "{}", entry.name);
        let trailing: &[u8] = if entry.name == "trailing_bytes" {
            &[0xaa; 16]
        } else {
            &[]
        };
        assert_eq!(container.trailing(), trailing, "{}", entry.name);
        assert_eq!(
            container.bytes().len() + trailing.len(),
            bytes.len(),
            "{}",
            entry.name
        );
    }
}
