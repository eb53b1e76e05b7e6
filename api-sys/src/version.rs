//! Version numbers of the API are layouts; their value is a [`VersionNumber`].

use core::fmt;

use ddi_sys::VersionNumber;

use crate::{D3D_VERSION_NUMBER, D3D12_VERSION_NUMBER};

macro_rules! version_number {
    ($name:ident) => {
        impl $name {
            /// The number with these 64 bits.
            pub const fn from_bits(version: u64) -> Self {
                Self { Version: version }
            }

            /// All 64 bits.
            pub const fn bits(self) -> u64 {
                // SAFETY: every member covers all 8 bytes, and any 8 bytes are a number.
                unsafe { self.Version }
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.bits() == other.bits()
            }
        }

        impl Eq for $name {}

        /// The [`VersionNumber`].
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&VersionNumber::from_bits(self.bits()), f)
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
        let version = D3D12_VERSION_NUMBER::from_bits(VersionNumber::new(1, 93, 1, 0).bits());
        // SAFETY: any 8 bytes are four numbers.
        assert_eq!(unsafe { version.VersionParts }, [0, 1, 93, 1]);
        assert_eq!(format!("{version:?}"), "1.93.1.0");
    }
}
