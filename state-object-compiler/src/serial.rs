//! How values of other crates are written for `serde`.

use serde::{Deserialize, Serialize};
use shader_db::psdb::{Application, Target};

/// Paths with the bytes that the system has for them, which need not be UTF-8.
pub mod system_path {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(from).map(PathBuf::from)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Application")]
pub struct ApplicationFields {
    exe: String,
    name: String,
    version: u64,
    engine_name: Option<String>,
    engine_version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Target")]
pub struct TargetFields {
    family: String,
    abi: u64,
    compiler_version: u64,
    profile_version: u64,
}
