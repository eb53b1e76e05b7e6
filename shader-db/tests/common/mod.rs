//! What the tests share.
#![allow(dead_code, reason = "each test program uses its part")]

use std::path::Path;

use sha2::{Digest, Sha256};
use shader_db::Result;
use shader_db::psdb::{Access, Application, Options, Psdb, Target, ValueType, ValueTypes};

pub fn target() -> Target {
    Target {
        family: "Фамилия 1".into(),
        abi: u64::MAX - 1,
        compiler_version: 1 << 63,
        profile_version: 3,
    }
}

pub fn application() -> Application {
    Application {
        exe: "игра.exe".into(),
        name: "Game".into(),
        version: 5,
        engine_name: Some("Engine".into()),
        engine_version: u64::MAX,
    }
}

pub fn options() -> Options {
    Options {
        application: Some(application()),
        target: Some(target()),
        access: Access::Create,
        ..Options::default()
    }
}

pub fn create(path: &Path) -> Psdb {
    Psdb::open(&[(ValueTypes::ALL, path)], &options()).expect("a session")
}

pub fn read(path: &Path) -> Psdb {
    Psdb::open(
        &[(ValueTypes::ALL, path)],
        &Options {
            access: Access::Read,
            ..Options::default()
        },
    )
    .expect("a session")
}

pub fn value(psdb: &Psdb, key: &[u8], kind: ValueType) -> Result<Option<Vec<u8>>> {
    psdb.find_value(key, kind, <[u8]>::to_vec)
}

pub fn sha256(path: &Path) -> String {
    hex::encode(Sha256::digest(std::fs::read(path).expect("a file")))
}

/// The files beside a file.
pub fn beside(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path.parent().expect("a folder")).expect("a folder");
    let names = entries.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    let own = path
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    names.filter(|name| *name != own).collect()
}

/// A key and a value made from a number.
pub fn numbered(number: u64) -> (Vec<u8>, Vec<u8>) {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let key = (0..4).flat_map(|_| next().to_le_bytes()).collect();
    let size = 1 + next() % 3000;
    let value = (0..size.div_ceil(8))
        .flat_map(|_| next().to_le_bytes())
        .collect();
    (key, value)
}
