//! Shaders of the corpus of the crate `dxil`, and root signatures for them.

use std::path::Path;

use dxil::*;

/// A container, aligned as an application has it.
#[derive(Clone)]
pub struct Blob {
    words: Vec<u64>,
    len: usize,
}

impl Blob {
    pub fn new(bytes: &[u8]) -> Self {
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        });
        Self {
            words: words.collect(),
            len: bytes.len(),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }
}

/// Where the corpus is.
pub fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dxil/corpus")
}

/// A container of the corpus, by its name.
pub fn shader(name: &str) -> Blob {
    Blob::new(&std::fs::read(folder().join(format!("dxil/{name}.dxil"))).unwrap())
}

/// A container that was compiled for the tests of this crate, by its name.
pub fn compiled(name: &str) -> Blob {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/shaders");
    Blob::new(&std::fs::read(folder.join(format!("{name}.dxil"))).unwrap())
}

/// Names of the containers of one stage, with any of these words as `expect` in the manifest.
pub fn names(stage: &str, expect: &[&str]) -> Vec<String> {
    let manifest = std::fs::read(folder().join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let files = manifest["files"].as_array().unwrap().iter();
    let of_stage = files.filter(|file| file["stage"] == stage);
    let wanted = of_stage.filter(|file| expect.iter().any(|word| file["expect"] == *word));
    wanted
        .map(|file| file["name"].as_str().unwrap().to_owned())
        .collect()
}

/// The bytes of a root signature, in a signed container.
pub fn serialized(desc: &RootSignatureDesc) -> Blob {
    let mut builder = ContainerBuilder::new();
    builder.set(FourCc::RTS0, desc.serialize().unwrap());
    builder.sign(Signing::Hash);
    Blob::new(&builder.build().unwrap())
}

/// A container of a root signature with every fault of the hash and of what is hashed, by name, and the message that refuses it;
/// `None` for those that are fine.
pub fn damaged(container: &Blob) -> Vec<(&'static str, Blob, Option<&'static str>)> {
    const HASH: std::ops::Range<usize> = 4..20;
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = container.bytes().to_vec();
        change(&mut bytes);
        Blob::new(&bytes)
    };
    let unsigned = "the container is not signed";
    let wrong = "hash";
    vec![
        ("unchanged", container.clone(), None),
        (
            "no hash",
            changed(&|bytes| bytes[HASH].fill(0)),
            Some(unsigned),
        ),
        ("BYPASS", changed(&|bytes| bytes[HASH].fill(1)), None),
        (
            "PREVIEW_BYPASS",
            changed(&|bytes| bytes[HASH].fill(2)),
            Some("developer mode"),
        ),
        ("another hash", changed(&|bytes| bytes[4] ^= 1), Some(wrong)),
        (
            "another last byte",
            changed(&|bytes| *bytes.last_mut().unwrap() ^= 1),
            Some(wrong),
        ),
    ]
}

pub fn range(range_type: DescriptorRangeType, count: u32, space: u32) -> DescriptorRange {
    DescriptorRange {
        range_type,
        num_descriptors: count,
        base_shader_register: 0,
        register_space: space,
        flags: Some(DescriptorRangeFlags::NONE),
        offset_in_descriptors_from_table_start: 0,
    }
}

pub fn table(ranges: Vec<DescriptorRange>) -> RootParameterDesc {
    RootParameterDesc {
        shader_visibility: ShaderVisibility::ALL,
        kind: RootParameterKindDesc::DescriptorTable(ranges),
    }
}

/// A root signature that has everything in the first spaces, for every stage.
pub fn covering() -> RootSignatureDesc {
    let classes = [
        DescriptorRangeType::CBV,
        DescriptorRangeType::SRV,
        DescriptorRangeType::UAV,
        DescriptorRangeType::SAMPLER,
    ];
    let tables = classes.into_iter().flat_map(|class| {
        (0..4).map(move |space| table(vec![range(class, DescriptorRange::UNBOUNDED, space)]))
    });
    RootSignatureDesc {
        version: Version { major: 1, minor: 1 },
        parameters: tables.collect(),
        static_samplers: Vec::new(),
        flags: RootSignatureFlags(
            RootSignatureFlags::ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT.0
                | RootSignatureFlags::ALLOW_STREAM_OUTPUT.0
                | RootSignatureFlags::CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED.0
                | RootSignatureFlags::SAMPLER_HEAP_DIRECTLY_INDEXED.0,
        ),
    }
}
