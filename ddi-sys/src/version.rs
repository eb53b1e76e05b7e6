//! Version numbers as values: those of the DDI and those of the API have the same 64 bits.

use core::fmt;
use core::str::FromStr;

use crate::D3D12DDI_VERSION_NUMBER;

/// A version of four 16-bit parts, major first, in 64 bits that order versions: the value of a [`D3D12DDI_VERSION_NUMBER`],
/// and of `D3D12_VERSION_NUMBER`.
///
/// ```
/// use ddi_sys::VersionNumber;
///
/// let version = VersionNumber::new(1, 93, 1, 0);
/// assert_eq!(version.bits(), 0x0001_005D_0001_0000);
/// assert_eq!(version.to_string(), "1.93.1.0");
/// assert_eq!("1.93.1".parse(), Ok(version));
/// assert!(version < VersionNumber::new(2, 0, 0, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionNumber(u64);

impl VersionNumber {
    /// 0.0.0.0, "no version".
    pub const ZERO: Self = Self(0);

    /// The version `major.minor.build.revision`.
    pub const fn new(major: u16, minor: u16, build: u16, revision: u16) -> Self {
        Self((major as u64) << 48 | (minor as u64) << 32 | (build as u64) << 16 | revision as u64)
    }

    /// The version with these 64 bits.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// All 64 bits, major in the highest 16.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Major, minor, build, revision.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "each part is the low 16 bits of its shift"
    )]
    pub const fn parts(self) -> [u16; 4] {
        [
            (self.0 >> 48) as u16,
            (self.0 >> 32) as u16,
            (self.0 >> 16) as u16,
            self.0 as u16,
        ]
    }
}

impl From<D3D12DDI_VERSION_NUMBER> for VersionNumber {
    fn from(version: D3D12DDI_VERSION_NUMBER) -> Self {
        Self(version.bits())
    }
}

impl From<VersionNumber> for D3D12DDI_VERSION_NUMBER {
    fn from(version: VersionNumber) -> Self {
        Self::from_bits(version.0)
    }
}

/// `major.minor.build.revision`.
impl fmt::Display for VersionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, build, revision] = self.parts();
        write!(f, "{major}.{minor}.{build}.{revision}")
    }
}

/// Text with a period is `MAJOR.MINOR.BUILD.REVISION`, where missing parts are 0; other text is the number of 64 bits, decimal
/// or, after `0x`, hexadecimal.
impl FromStr for VersionNumber {
    type Err = InvalidVersionNumber;

    fn from_str(text: &str) -> Result<Self, InvalidVersionNumber> {
        // The parsers of numbers take a sign too.
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !text.contains('.') {
            let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let (digits, radix) = hexadecimal.map_or((text, 10), |digits| (digits, 16));
            return u64::from_str_radix(digits, radix)
                .ok()
                .filter(|_| is_digits(digits))
                .map(Self)
                .ok_or(InvalidVersionNumber::Form);
        }
        let mut parts = [0; 4];
        let mut places = parts.iter_mut();
        for part in text.split('.') {
            if part.is_empty() {
                return Err(InvalidVersionNumber::EmptyPart);
            }
            let place = places.next().ok_or(InvalidVersionNumber::TooManyParts)?;
            *place = part
                .parse()
                .ok()
                .filter(|_| is_digits(part))
                .ok_or(InvalidVersionNumber::Part)?;
        }
        let [major, minor, build, revision] = parts;
        Ok(Self::new(major, minor, build, revision))
    }
}

/// The reason why a text is no version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidVersionNumber {
    /// It has a period without a number beside it.
    EmptyPart,
    /// It has five parts.
    TooManyParts,
    /// A part is no number of 16 bits.
    Part,
    /// It has neither parts nor is it a number of 64 bits.
    Form,
}

impl fmt::Display for InvalidVersionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EmptyPart => "a version has a number before and behind each period",
            Self::TooManyParts => "a version has at most four parts",
            Self::Part => "a part of a version is a number from 0 to 65535",
            Self::Form => {
                "neither a version such as 1.2.3.4 nor a number of 64 bits, decimal or 0x..."
            }
        })
    }
}

impl core::error::Error for InvalidVersionNumber {}

#[cfg(test)]
mod tests {
    use super::InvalidVersionNumber::{EmptyPart, Form, Part, TooManyParts};
    use super::*;

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
            assert_eq!(text.parse(), Ok(VersionNumber(version)), "{text}");
        }
        for (text, fault) in [
            ("", Form),
            (".", EmptyPart),
            ("1.", EmptyPart),
            ("+1", Form),
            ("-1", Form),
            ("1.+2", Part),
            ("0x", Form),
            ("0x+1", Form),
            ("0x1.2", Part),
            ("1.2.3.4.5", TooManyParts),
            ("65536.0", Part),
            ("18446744073709551616", Form),
            ("1,2", Form),
            (" 1", Form),
            ("ff", Form),
        ] {
            assert_eq!(text.parse::<VersionNumber>(), Err(fault), "{text}");
        }
    }
}
