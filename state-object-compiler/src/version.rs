//! Versions of four 16-bit parts, the major one in the highest bits.

use std::fmt;

use api_sys::D3D12_VERSION_NUMBER;
use serde::de::Error as _;

/// A version in the form for people: four decimal parts with periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dotted(pub u64);

impl fmt::Display for Dotted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&D3D12_VERSION_NUMBER::from(self.0), f)
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
pub fn parse_version(text: &str) -> Result<u64, String> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
    if text.contains('.') {
        if text.split('.').any(str::is_empty) {
            return Err("a version has a number before and behind each period".into());
        }
        let parts: Vec<&str> = text.split('.').collect();
        if parts.len() > 4 {
            return Err("a version has at most four parts".into());
        }
        let mut version = 0;
        for place in 0..4 {
            let part = match parts.get(place) {
                None => 0,
                Some(part) if is_digits(part) => part
                    .parse::<u16>()
                    .map_err(|_| format!("`{part}` is no number from 0 to 65535"))?,
                Some(part) => return Err(format!("`{part}` is no number from 0 to 65535")),
            };
            version = version << 16 | u64::from(part);
        }
        return Ok(version);
    }
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hexadecimal.map_or((text, 10), |digits| (digits, 16));
    let number = u64::from_str_radix(digits, radix).ok();
    number.filter(|_| is_digits(digits)).ok_or_else(|| {
        "neither a version such as 1.2.3.4 nor a number of 64 bits, decimal or 0x...".into()
    })
}

#[cfg(test)]
mod tests {
    use super::parse_version;

    #[test]
    fn versions_are_read_as_documented() {
        for (text, version) in [
            ("0", 0),
            ("0x0", 0),
            ("1.0", 1 << 48),
            ("1.2.3.4", 0x0001_0002_0003_0004),
            ("65535.65535.65535.65535", u64::MAX),
            ("18446744073709551615", u64::MAX),
            ("0XffffFFFFffffFFFF", u64::MAX),
        ] {
            assert_eq!(parse_version(text), Ok(version), "{text}");
        }
        for text in [
            "",
            ".",
            "1.",
            "+1",
            "-1",
            "1.+2",
            "0x",
            "0x+1",
            "0x1.2",
            "1.2.3.4.5",
            "65536.0",
            "18446744073709551616",
            "1,2",
            " 1",
            "ff",
        ] {
            assert!(parse_version(text).is_err(), "{text}");
        }
    }
}
