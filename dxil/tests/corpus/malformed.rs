//! What is broken is refused, each with an error that names the fault and its place.

use crate::{Entry, check_inventory, manifest};
use dxil::{BitstreamFault, Container, Error, ErrorKind as E, Form, FourCc, Program, StoredHash};
use std::collections::BTreeMap;

/// How a file marked `reject` is refused.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Refusal {
    /// By `Container::parse`.
    Container(E, Option<FourCc>, usize),
    /// By `Container::program`.
    Program(E, Option<FourCc>, usize),
    /// By `Program::check_bitcode`, at this bit.
    Bitcode(BitstreamFault, u64),
    /// By `Container::signature`, in `ISG1`.
    Signature(E, usize),
    /// By `Container::root_signature`.
    RootSignature(E, usize),
    /// Not yet: the fault is inside a part whose contents this crate does not read. The text says
    /// what has to be read.
    Unread(&'static str),
}

fn refusals() -> BTreeMap<&'static str, Refusal> {
    use Refusal::{Bitcode, Container as C, Program as P, RootSignature, Signature, Unread};
    let dxil = Some(FourCc::DXIL);
    let sfi0 = Some(FourCc::SFI0);
    let cut = |size, available| C(E::ContainerCut { size, available }, None, 0x18);
    let not_a_container = |found| {
        C(
            E::NotAContainer {
                found: FourCc(found),
            },
            None,
            0x00,
        )
    };
    let in_table = |start, table_end| {
        C(
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
        C(
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
        ("empty", C(E::HeaderCut { available: 0 }, None, 0)),
        ("magic_only", C(E::HeaderCut { available: 4 }, None, 0)),
        ("header_31", C(E::HeaderCut { available: 31 }, None, 0)),
        ("header_only", cut(3596, 32)),
        ("offsets_cut", cut(3596, 36)),
        ("half", cut(3596, 1798)),
        ("minus_one", cut(3596, 3595)),
        ("magic_lower", not_a_container(*b"dxbc")),
        ("magic_dxil", not_a_container(*b"DXIL")),
        ("raw_bitcode", not_a_container(*b"BC\xc0\xde")),
        ("text_file", not_a_container(*b"// R")),
        ("zeros_4k", not_a_container([0; 4])),
        (
            "version_2_0",
            C(E::ContainerVersion { major: 2, minor: 0 }, None, 0x14),
        ),
        (
            "size_zero",
            C(E::ContainerSizeBelowHeader { size: 0 }, None, 0x18),
        ),
        (
            "size_31",
            C(E::ContainerSizeBelowHeader { size: 31 }, None, 0x18),
        ),
        ("size_bigger", cut(3600, 3596)),
        (
            "size_max",
            C(E::ContainerSizeAboveLimit { size: 0xffff_ffff }, None, 0x18),
        ),
        (
            "size_smaller",
            C(
                E::PartPastEnd {
                    index: 7,
                    size: 1560,
                    available: 1496,
                },
                dxil,
                0x7f0,
            ),
        ),
        ("parts_zero", C(E::NoParts, None, 0x1c)),
        (
            "parts_huge",
            C(
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
            C(
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
            C(
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
            C(
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
            C(
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
            C(
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
            C(
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
            C(
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
            C(E::DuplicatePart { first: 0x7f0 }, dxil, 0xe10),
        ),
        ("no_dxil", P(E::NoDxilPart, None, 0x1c)),
        (
            "part_size_zero",
            P(E::ProgramHeaderCut { available: 0 }, dxil, 0x7f4),
        ),
        (
            "prog_magic",
            P(
                E::NotAProgram {
                    found: FourCc(*b"LIXD"),
                },
                dxil,
                0x7fc,
            ),
        ),
        (
            "prog_size_words",
            P(
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
            P(
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
            P(
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
            P(E::BitcodeSizeOdd { size: 1533 }, dxil, 0x808),
        ),
        ("prog_kind", P(E::ProgramKind { kind: 0x99 }, dxil, 0x7f4)),
        ("bitcode_magic", P(E::NotBitcode, dxil, 0x80c)),
        (
            "prog_kind_lies",
            Unread("PSV0: its stage against the program kind"),
        ),
        // The length of the module is behind the magic and the start of the block.
        (
            "bitcode_block_len",
            Bitcode(
                BitstreamFault::BlockPastEnd {
                    id: 8,
                    words: 0x00ff_ffff,
                    available: 0x17d,
                },
                64,
            ),
        ),
        (
            "bitcode_garbage",
            Bitcode(BitstreamFault::UnknownEncoding { encoding: 0 }, 346),
        ),
        ("psv_info_size", Unread("PSV0: size of the runtime info")),
        ("psv_resource_count", Unread("PSV0: resource count")),
        ("ildn_length", Unread("ILDN: length of the name")),
        (
            "sig_count",
            Signature(
                E::SignatureElementsPastEnd {
                    count: 0x0800_0001,
                    offset: 8,
                    signature: 252,
                },
                0x54,
            ),
        ),
        (
            "sig_name_offset",
            Signature(
                E::SignatureNamePastEnd {
                    index: 0,
                    offset: 0xffff_ff00,
                    signature: 252,
                },
                0x60,
            ),
        ),
        ("rdat_part_count", Unread("RDAT: table count")),
        ("rdat_offset", Unread("RDAT: offset of a table")),
        ("rdat_version", Unread("RDAT: version")),
        (
            "rts_version",
            RootSignature(E::RootSignatureVersion { version: 9 }, 0x2c),
        ),
        (
            "rts_params",
            RootSignature(
                E::RootParametersPastEnd {
                    count: 0x2000_0000,
                    offset: 24,
                    root_signature: 228,
                },
                0x30,
            ),
        ),
        (
            "rts_table_offset",
            RootSignature(
                E::RootParameterPastEnd {
                    index: 0,
                    offset: 0xffff_fff0,
                    root_signature: 228,
                },
                0x4c,
            ),
        ),
    ])
}

/// Reads all that this crate reads of a container with a program.
fn read_all(container: &Container<'_>) -> Result<(), Error> {
    container.program()?.check_bitcode()?;
    for part in [FourCc::ISG1, FourCc::OSG1, FourCc::PSG1] {
        container.signature(part)?;
    }
    container.root_signature().map(drop)
}

fn entries(expect: &str) -> Vec<Entry> {
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
        if let Refusal::Container(kind, part, offset) = refusal {
            assert_eq!(
                container,
                Err(Error { kind, part, offset }),
                "{}",
                entry.name
            );
            continue;
        }
        let container = container.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert_eq!(container.verify(), Ok(()), "{}", entry.name);
        let error = |kind, part, offset| Err(Error { kind, part, offset });
        let (found, expected) = match refusal {
            Refusal::Program(kind, part, offset) => {
                (container.program().map(drop), error(kind, part, offset))
            }
            Refusal::Bitcode(fault, bit) => {
                let kind = E::Bitstream { bit, fault };
                let offset = 24 + usize::try_from(bit / 8).unwrap();
                let program = container.program().unwrap();
                (program.check_bitcode(), error(kind, None, offset))
            }
            Refusal::Signature(kind, offset) => {
                let part = FourCc::ISG1;
                let found = container.signature(part).map(drop);
                (found, error(kind, Some(part), offset))
            }
            Refusal::RootSignature(kind, offset) => {
                let found = container.root_signature().map(drop);
                (found, error(kind, Some(FourCc::RTS0), offset))
            }
            Refusal::Container(..) | Refusal::Unread(_) => (read_all(&container), Ok(())),
        };
        assert_eq!(found, expected, "{}", entry.name);
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
        assert_eq!(read_all(&container), Ok(()), "{}", entry.name);
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
    let found = FourCc([0x60, 0x00, 0x05, 0x00]);
    assert_eq!(
        Container::parse(&bytes),
        Err(Error {
            kind: E::NotAContainer { found },
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
        assert_eq!(read_all(&container), Ok(()), "{}", entry.name);
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
