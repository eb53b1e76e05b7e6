//! What one build of a plugin makes of the suite's objects: the answer to [`Task::Build`](crate::Task::Build).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Everything that a build of a plugin made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build(pub Vec<Part>);

/// What it made for a family, an ABI version and an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The name of the family.
    pub family: String,
    /// The ABI version.
    pub abi: u64,
    /// Its executable.
    pub application: String,
    /// The version of the compiler.
    pub compiler: u64,
    /// The version of the application's profile.
    pub profile: u64,
    /// By name.
    pub objects: BTreeMap<String, Made>,
}

/// What it made of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// What the compile returned, where it failed.
    pub failure: Option<String>,
    /// In hexadecimal, in the order of the list.
    pub keys: Vec<String>,
    /// The object code of each key.
    pub code: BTreeMap<String, Code>,
    /// How long the compile took.
    pub nanoseconds: u64,
}

/// Object code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    sha256: String,
    /// How many bytes it has.
    pub size: usize,
}

impl Code {
    /// What is to be known of this code.
    pub fn of(code: &[u8]) -> Self {
        Self {
            sha256: hex::encode(Sha256::digest(code)),
            size: code.len(),
        }
    }
}

impl Part {
    /// In words, with the application.
    pub fn name(&self) -> String {
        format!("{}, {}", self.target(), self.application)
    }

    /// The family and the ABI version, in words.
    pub fn target(&self) -> String {
        format!("{}, ABI version {}", self.family, self.abi)
    }

    /// Whether both are for the same family, ABI version and application.
    pub fn is_of(&self, other: &Self) -> bool {
        (&self.family, self.abi, &self.application)
            == (&other.family, other.abi, &other.application)
    }

    /// Those of the compiler and of the profile.
    pub fn versions(&self) -> (u64, u64) {
        (self.compiler, self.profile)
    }
}
