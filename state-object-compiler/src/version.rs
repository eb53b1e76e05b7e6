//! Versions of four 16-bit parts, the major one in the highest bits.

use std::fmt;

use ddi_sys::{InvalidVersionNumber, VersionNumber};
use serde::de::Error as _;

/// A version in the form for people: four decimal parts with periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dotted(pub u64);

impl fmt::Display for Dotted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&VersionNumber::from_bits(self.0), f)
    }
}

impl serde::Serialize for Dotted {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Dotted {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_version(&text).map(Self).map_err(D::Error::custom)
    }
}

/// Reads a version. Text with a period is `MAJOR.MINOR.BUILD.REVISION`, where missing parts are 0; other text is the number
/// of 64 bits, decimal or, after `0x`, hexadecimal.
///
/// ```
/// use state_object_compiler::{Dotted, parse_version};
///
/// assert_eq!(parse_version("1.2"), Ok(0x0001_0002_0000_0000));
/// assert_eq!(parse_version("0x10000"), parse_version("65536"));
/// assert_eq!(Dotted(65536).to_string(), "0.0.1.0");
/// assert!(parse_version("1.70000").is_err());
/// ```
///
/// # Errors
///
/// The fault of the text.
pub fn parse_version(text: &str) -> Result<u64, InvalidVersionNumber> {
    text.parse().map(VersionNumber::bits)
}
