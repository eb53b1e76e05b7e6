//! What DXC wrote is read as it is.

use std::collections::BTreeSet;

use dxil::{Container, ErrorKind, Form, FourCc, Program, ShaderKind, StoredHash, Version};
use serde::Deserialize;

use crate::{Entry, check_inventory, manifest};

#[derive(Deserialize)]
pub struct Shader {
    #[serde(flatten)]
    pub entry: Entry,
    pub source: String,
    #[serde(rename = "entry")]
    pub entry_point: String,
    pub args: Vec<String>,
    pub stage: String,
    pub profile: String,
    hash: String,
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    fourcc: String,
    offset: usize,
    size: usize,
}

pub fn shaders() -> Vec<Shader> {
    manifest("manifest.json")
}

#[test]
fn the_corpus_is_complete() {
    let shaders = shaders();
    assert_eq!(shaders.len(), 172);
    check_inventory(
        "dxil",
        &shaders
            .iter()
            .map(|shader| &shader.entry)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn parts_are_those_of_the_manifest() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes)
            .unwrap_or_else(|error| panic!("{}: {error}", shader.entry.name));
        let found: Vec<_> = container
            .parts()
            .iter()
            .map(|p| (p.fourcc().to_string(), p.offset(), p.bytes()))
            .collect();
        let expected: Vec<_> = shader
            .parts
            .iter()
            .map(|part| {
                (
                    part.fourcc.clone(),
                    part.offset,
                    &bytes[part.offset + 8..][..part.size],
                )
            })
            .collect();
        assert_eq!(found, expected, "{}", shader.entry.name);
        assert_eq!(container.bytes(), bytes, "{}", shader.entry.name);
        assert!(container.trailing().is_empty(), "{}", shader.entry.name);
    }
}

#[test]
fn hash_is_what_the_manifest_says_and_recomputes() {
    let mut signed = 0;
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let (expected, expect_in_manifest) = match shader.hash.as_str() {
            "valid" => (
                StoredHash::Hash(container.computed_hash()),
                ["valid", "tolerate", "incomplete"].as_slice(),
            ),
            "all zero (unsigned)" => (StoredHash::Unsigned, ["unsigned"].as_slice()),
            "BYPASS" => (StoredHash::Bypass, ["bypass"].as_slice()),
            "PREVIEW_BYPASS" => (StoredHash::PreviewBypass, ["preview-bypass"].as_slice()),
            other => panic!("{name}: unknown hash state {other}"),
        };
        assert_eq!(container.hash(), expected, "{name}");
        assert!(
            expect_in_manifest.contains(&shader.entry.expect.as_str()),
            "{name}"
        );
        let verified = container.verify().map_err(|error| error.kind);
        if let StoredHash::Hash(_) = expected {
            assert_eq!(verified, Ok(()), "{name}");
            signed += 1;
        } else {
            assert_eq!(
                verified,
                Err(ErrorKind::NoHash { stored: expected }),
                "{name}"
            );
        }
    }
    assert_eq!(signed, 155);
}

/// `cs_6_6` is a compute shader of shader model 6.6 and DXIL 1.6. Root signatures have no program.
#[test]
fn programs_are_those_of_the_profile() {
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let program = container.program();
        if shader.stage == "rootsig" {
            assert_eq!(
                program.map_err(|error| error.kind),
                Err(ErrorKind::NoDxilPart),
                "{name}"
            );
            continue;
        }
        let program = program.unwrap_or_else(|error| panic!("{name}: {error}"));
        let numbers: Vec<u32> = shader
            .profile
            .split('_')
            .skip(1)
            .map(|number| number.parse().unwrap())
            .collect();
        assert_eq!(program.kind().to_string(), shader.stage, "{name}");
        assert_eq!(
            program.shader_model(),
            Version {
                major: numbers[0],
                minor: numbers[1]
            },
            "{name}"
        );
        assert_eq!(
            program.dxil_version(),
            Version {
                major: 1,
                minor: numbers[1]
            },
            "{name}"
        );

        let part = container.part(FourCc::DXIL).unwrap();
        assert_eq!(program.bytes(), part.bytes(), "{name}");
        assert_eq!(program.size_in_words() * 4, part.bytes().len(), "{name}");
        assert_eq!(program.bitcode(), &part.bytes()[24..], "{name}");
    }
}

/// Debug information and reflection are programs of the same kind.
#[test]
fn ildb_and_stat_are_programs_too() {
    let mut count = 0;
    for shader in shaders() {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        for part in [FourCc::ILDB, FourCc::STAT]
            .into_iter()
            .filter_map(|fourcc| container.part(fourcc))
        {
            let program = part
                .program()
                .unwrap_or_else(|error| panic!("{}: {error}", shader.entry.name));
            assert_eq!(program.bytes(), part.bytes(), "{}", shader.entry.name);
            assert_eq!(
                program.kind(),
                container.program().unwrap().kind(),
                "{}",
                shader.entry.name
            );
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

/// What a driver does with a pointer of either form.
#[test]
fn form_and_length_are_in_the_first_bytes() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        assert_eq!(Form::sniff(*bytes.first_chunk().unwrap()), Form::Container);
        assert_eq!(
            Container::declared_len(bytes.first_chunk().unwrap()),
            Ok(bytes.len())
        );
        let Ok(program) = Container::parse(&bytes).unwrap().program() else {
            continue;
        };
        let bare = program.bytes();
        assert_eq!(Form::sniff(*bare.first_chunk().unwrap()), Form::Program);
        assert_eq!(
            Program::declared_len(bare.first_chunk().unwrap()),
            Ok(bare.len())
        );
        assert_eq!(Program::parse(bare), Ok(program));
    }
}

/// Each kind of program that is compiled on its own is in the corpus; the others come in libraries
/// only.
#[test]
fn every_kind_of_program_is_there() {
    let stages: BTreeSet<String> = shaders().into_iter().map(|shader| shader.stage).collect();
    for kind in ShaderKind::ALL {
        let in_libraries_only = (ShaderKind::RayGeneration..=ShaderKind::Callable).contains(&kind)
            || kind == ShaderKind::Node;
        assert_eq!(
            stages.contains(&kind.to_string()),
            !in_libraries_only,
            "{kind}"
        );
    }
}
