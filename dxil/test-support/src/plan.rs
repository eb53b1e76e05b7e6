//! What is patched to show that patching works: every shader of the corpus that has specialization
//! constants, with all of them set at once, each to one after the other of a few values of its
//! type.

use std::path::{Path, PathBuf};

use dxil::constants::{Constant, Scalar};
use dxil::patch::{PatchTable, Site, Value};
use dxil::{Container, ContainerBuilder, FourCc, Module, Signing, sign};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::planted::Planted;

/// A patched shader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// The shader of the corpus.
    pub shader: String,
    /// The part that was taken out, so that the compiler shows the other copy of the program.
    pub without: Option<String>,
    pub set: Vec<Set>,
    /// What is too large for the room that it would have, and so is not set.
    pub refused: Vec<String>,
    /// Of the patched and signed container.
    pub sha256: String,
}

/// A constant and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Set {
    pub constant: String,
    #[serde(rename = "type")]
    pub ty: String,
    /// The bits of the value in hexadecimal.
    pub bits: String,
}

#[derive(Deserialize)]
struct Manifest {
    files: Vec<Shader>,
}

#[derive(Deserialize)]
struct Shader {
    name: String,
    file: String,
    #[serde(default)]
    spec: Vec<Planted>,
}

/// The values that a constant of the type is set to, another in each variant.
fn values(ty: Scalar) -> [Value; 6] {
    use Value::{Float, Integer};
    match ty {
        Scalar::Integer(width) => {
            let half = 1_i128 << (width - 1);
            [0, 1, -1, half - 1, -half, 1234].map(Integer)
        }
        Scalar::Half => [0.0, 1.0, -2.0, 65504.0, -6e-8, 0.3].map(Float),
        Scalar::Float => [0.0, 1.0, -1.0, f32::MAX.into(), -1e-30, 0.3].map(Float),
        Scalar::Double => [0.0, 1.0, -1.0, f64::MAX, -1e-300, 0.3].map(Float),
    }
}

fn corpus(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../corpus")
        .join(path)
}

/// The value of the constant that stands in a container at a site.
fn value_at(container: &[u8], site: &Site) -> u64 {
    let container = Container::parse(container).unwrap();
    let part = container.part(site.part.unwrap()).unwrap();
    let program = part.program().unwrap();
    let bitcode = 8 * (part.offset() + 8 + program.bitcode_offset()) as u64;
    let module = Module::parse(&program).unwrap();
    let mut constants = module.constants().iter();
    let found = constants.find(|constant| bitcode + constant.field.bit == site.field.bit);
    found.unwrap().bits
}

/// All variants, and for each the container that the shader was and the one that it became.
pub fn variants() -> Vec<(Variant, Vec<u8>, Vec<u8>)> {
    let manifest = std::fs::read_to_string(corpus("manifest.json")).unwrap();
    let manifest: Manifest = serde_json::from_str(&manifest).unwrap();
    let mut variants = Vec::new();
    for shader in manifest.files {
        let whole = std::fs::read(corpus(&shader.file)).unwrap();
        let container = Container::parse(&whole).unwrap();
        let mut builder = ContainerBuilder::from(&container);
        builder.remove(FourCc::ILDB);
        let stripped = builder.build().unwrap();
        let mut forms = vec![(None, whole.clone())];
        if container.part(FourCc::ILDB).is_some() {
            forms.push((Some(FourCc::ILDB.to_string()), stripped));
        }
        let planted = |constant: &Constant| {
            let sentinels = shader
                .spec
                .iter()
                .filter(|sentinel| sentinel.lost.is_none());
            let place = sentinels
                .enumerate()
                .find(|(_, sentinel)| sentinel.is(constant));
            place.map(|(id, _)| u32::try_from(id).unwrap())
        };
        let names: Vec<&str> = shader
            .spec
            .iter()
            .filter(|sentinel| sentinel.lost.is_none())
            .map(|sentinel| sentinel.name.as_str())
            .collect();
        if names.is_empty() {
            continue;
        }
        for (without, original) in forms {
            let table = PatchTable::find(&original, planted).unwrap();
            assert_eq!(table.constants().len(), names.len(), "{}", shader.name);
            for nth in 0..6 {
                let mut patched = original.clone();
                let (mut set, mut refused) = (Vec::new(), Vec::new());
                for (constant, name) in table.constants().iter().zip(&names) {
                    let value = values(constant.ty)[(nth + constant.id as usize) % 6];
                    match table.patch(&mut patched, &[(constant.id, value)]) {
                        Ok(()) => set.push((constant.id, *name)),
                        Err(error) => refused.push(format!("{name}: {error}")),
                    }
                }
                sign(&mut patched, Signing::Hash).unwrap();
                let set = set.into_iter().map(|(id, name)| {
                    let constant = &table.constants()[id as usize];
                    Set {
                        constant: name.to_owned(),
                        ty: constant.ty.to_string(),
                        bits: format!("{:#x}", value_at(&patched, &constant.sites[0])),
                    }
                });
                let variant = Variant {
                    shader: shader.name.clone(),
                    without: without.clone(),
                    set: set.collect(),
                    refused,
                    sha256: hex::encode(Sha256::digest(&patched)),
                };
                variants.push((variant, original.clone(), patched));
            }
        }
    }
    variants
}
