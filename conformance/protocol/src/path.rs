//! Paths in JSON: a text, or what the system has where a path is none.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Other(OsString),
}

impl From<&PathBuf> for Written {
    fn from(path: &PathBuf) -> Self {
        let text = path.to_str().map(|text| Self::Text(text.to_owned()));
        text.unwrap_or_else(|| Self::Other(path.clone().into()))
    }
}

impl From<Written> for PathBuf {
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => text.into(),
            Written::Other(other) => other.into(),
        }
    }
}

#[allow(clippy::ref_option, reason = "serde passes a reference")]
pub(crate) fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(Written::from).serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    Ok(Option::<Written>::deserialize(from)?.map(PathBuf::from))
}
