//! The corpus against its manifests, and what damage to it does.

mod bitcode;
mod constants;
mod damage;
mod libraries;
mod malformed;
mod modules;
mod mutants;
mod parts;
mod pipeline_state;
mod root_signatures;
mod signatures;
mod valid;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct Manifest<T> {
    files: Vec<T>,
}

/// What every entry of both manifests has.
#[derive(Deserialize)]
struct Entry {
    name: String,
    file: String,
    size: usize,
    sha256: String,
    expect: String,
}

fn path(in_corpus: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(in_corpus)
}

fn manifest<T: for<'de> Deserialize<'de>>(in_corpus: &str) -> Vec<T> {
    let text = std::fs::read_to_string(path(in_corpus)).unwrap();
    serde_json::from_str::<Manifest<T>>(&text).unwrap().files
}

impl Entry {
    fn read(&self) -> Vec<u8> {
        std::fs::read(path(&self.file)).unwrap_or_else(|error| panic!("{}: {error}", self.file))
    }
}

/// Each file in the manifest is there and unchanged, and no other file is there.
fn check_inventory(folder: &str, entries: &[&Entry]) {
    let listed: BTreeSet<String> = entries.iter().map(|entry| entry.file.clone()).collect();
    let present: BTreeSet<String> = std::fs::read_dir(path(folder))
        .unwrap()
        .map(|file| {
            format!(
                "{folder}/{}",
                file.unwrap().file_name().into_string().unwrap()
            )
        })
        .filter(|file| file != "malformed/manifest.json")
        .collect();
    assert_eq!(listed, present);
    for entry in entries {
        let bytes = entry.read();
        let sha256 = hex::encode(Sha256::digest(&bytes));
        assert_eq!(
            (bytes.len(), &sha256),
            (entry.size, &entry.sha256),
            "{}",
            entry.file
        );
    }
}
