//! Version numbers.

use std::fmt;

use ddi_sys::D3D12DDI_VERSION_NUMBER;

/// A version of four 16-bit parts, major first: D3D12DDI_VERSION_NUMBER.
///
/// ```
/// use plugin_sdk::VersionNumber;
///
/// let version = VersionNumber::new(1, 93, 1, 0);
/// assert_eq!(version.bits(), 0x0001_005D_0001_0000);
/// assert_eq!(version.to_string(), "1.93.1.0");
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
    #[allow(clippy::cast_possible_truncation)] // Each part is the low 16 bits of its shift.
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

impl fmt::Display for VersionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, build, revision] = self.parts();
        write!(f, "{major}.{minor}.{build}.{revision}")
    }
}
