//! A version is one number: the major part is the highest 16 bits, the revision the lowest.

use core::fmt;

use crate::{D3D_VERSION_NUMBER, D3D12_VERSION_NUMBER};

macro_rules! version_number {
    ($name:ident) => {
        impl $name {
            /// The version `major.minor.build.revision`.
            pub const fn new(major: u16, minor: u16, build: u16, revision: u16) -> Self {
                Self {
                    Version: (major as u64) << 48
                        | (minor as u64) << 32
                        | (build as u64) << 16
                        | revision as u64,
                }
            }

            /// The version as the number that orders versions.
            pub const fn value(self) -> u64 {
                // SAFETY: any 8 bytes are a number.
                unsafe { self.Version }
            }
        }

        impl From<u64> for $name {
            fn from(version: u64) -> Self {
                Self { Version: version }
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.value() == other.value()
            }
        }

        impl Eq for $name {}

        /// `major.minor.build.revision`.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let [major, minor, build, revision] =
                    [48, 32, 16, 0].map(|shift| self.value() >> shift & 0xffff);
                write!(f, "{major}.{minor}.{build}.{revision}")
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

version_number!(D3D12_VERSION_NUMBER);
version_number!(D3D_VERSION_NUMBER);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_part_is_highest() {
        let version = D3D12_VERSION_NUMBER::new(1, 93, 1, 0);
        assert_eq!(version.value(), 0x0001_005D_0001_0000);
        assert_eq!(version.to_string(), "1.93.1.0");
        // SAFETY: any 8 bytes are four numbers.
        assert_eq!(unsafe { version.VersionParts }, [0, 1, 93, 1]);
        assert_eq!(
            D3D_VERSION_NUMBER::from(5),
            D3D_VERSION_NUMBER::new(0, 0, 0, 5)
        );
    }
}
