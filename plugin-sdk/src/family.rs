//! Adapter families: what a plugin compiles for.

use std::borrow::Cow;
use std::collections::HashSet;

use ddi_sys::{D3D12DDI_COMPILER_ADAPTER_FAMILY, VersionNumber};

/// An adapter family: adapters that share compiled output for one ABI version (ShaderCompilerPlugin.md,
/// "Adapter Families").
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdapterFamily {
    /// Unique within the plugin: 1 to 127 UTF-16 code units, no NUL.
    pub name: Cow<'static, str>,
    /// The ABI versions that can be targeted, newest first; 1 is the first ever.
    pub abi_versions: Cow<'static, [u64]>,
    /// Changes with every change of the compiler's output for this family; major or minor where
    /// caches must be rebuilt, build where they should be, revision where they may stay.
    pub compiler_version: VersionNumber,
}

impl AdapterFamily {
    /// A family with these ABI versions, newest first.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        abi_versions: impl Into<Cow<'static, [u64]>>,
        compiler_version: VersionNumber,
    ) -> Self {
        Self {
            name: name.into(),
            abi_versions: abi_versions.into(),
            compiler_version,
        }
    }
}

/// Why a list of families cannot be reported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyError {
    /// The list is empty.
    #[error("the plugin has no adapter family; report at least one")]
    NoFamilies,
    /// The name does not fit D3D12DDI_COMPILER_ADAPTER_FAMILY.
    #[error("adapter family {index}: the name {name:?} must be 1 to 127 UTF-16 units without NUL")]
    Name {
        /// The family's index.
        index: usize,
        /// Its name.
        name: String,
    },
    /// Two families share a name.
    #[error("adapter family {index}: the name {name:?} is taken by an earlier family")]
    DuplicateName {
        /// The later family's index.
        index: usize,
        /// The name.
        name: String,
    },
    /// No ABI version.
    #[error("adapter family {index}: it has no ABI version; the first is 1")]
    NoAbiVersions {
        /// The family's index.
        index: usize,
    },
    /// 0 and `u64::MAX` are reserved.
    #[error(
        "adapter family {index}: ABI version {version:#x} is reserved and must not be reported"
    )]
    ReservedAbiVersion {
        /// The family's index.
        index: usize,
        /// The version.
        version: u64,
    },
    /// The ABI versions do not fall strictly.
    #[error(
        "adapter family {index}: ABI version {later} follows {earlier}; list them newest first"
    )]
    AbiVersionOrder {
        /// The family's index.
        index: usize,
        /// The version that should be the larger one.
        earlier: u64,
        /// The version after it.
        later: u64,
    },
    /// 0.0.0.0 says nothing.
    #[error("adapter family {index}: the compiler version is 0.0.0.0")]
    NoCompilerVersion {
        /// The family's index.
        index: usize,
    },
}

/// Checks a plugin's families as the SDK does at open; for a vendor's own unit test.
///
/// ```
/// use plugin_sdk::{AdapterFamily, FamilyError, VersionNumber, check_families};
///
/// let family = AdapterFamily::new("Example", vec![1, 2], VersionNumber::new(1, 0, 0, 0));
/// assert_eq!(
///     check_families(&[family]),
///     Err(FamilyError::AbiVersionOrder { index: 0, earlier: 1, later: 2 })
/// );
/// ```
///
/// # Errors
///
/// The first rule that the list breaks.
pub fn check_families(families: &[AdapterFamily]) -> Result<(), FamilyError> {
    if families.is_empty() {
        return Err(FamilyError::NoFamilies);
    }
    let mut names = HashSet::new();
    for (index, family) in families.iter().enumerate() {
        let name = || family.name.to_string();
        if encode_name(&family.name).is_none() {
            return Err(FamilyError::Name {
                index,
                name: name(),
            });
        }
        if !names.insert(&*family.name) {
            return Err(FamilyError::DuplicateName {
                index,
                name: name(),
            });
        }
        if family.abi_versions.is_empty() {
            return Err(FamilyError::NoAbiVersions { index });
        }
        for &version in &*family.abi_versions {
            if matches!(version, 0 | u64::MAX) {
                return Err(FamilyError::ReservedAbiVersion { index, version });
            }
        }
        for pair in family.abi_versions.windows(2) {
            if pair[0] <= pair[1] {
                let (earlier, later) = (pair[0], pair[1]);
                return Err(FamilyError::AbiVersionOrder {
                    index,
                    earlier,
                    later,
                });
            }
        }
        if family.compiler_version == VersionNumber::ZERO {
            return Err(FamilyError::NoCompilerVersion { index });
        }
    }
    Ok(())
}

/// The name as the DDI carries it, zero after its end; `None` when it does not fit.
pub(crate) fn encode_name(name: &str) -> Option<D3D12DDI_COMPILER_ADAPTER_FAMILY> {
    let mut family = D3D12DDI_COMPILER_ADAPTER_FAMILY {
        szAdapterFamily: [0; 128],
    };
    let length = name.encode_utf16().count();
    if length == 0 || length >= family.szAdapterFamily.len() || name.contains('\0') {
        return None;
    }
    for (slot, unit) in family.szAdapterFamily.iter_mut().zip(name.encode_utf16()) {
        *slot = unit;
    }
    Some(family)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(name: &str, abi_versions: &[u64]) -> AdapterFamily {
        let version = VersionNumber::new(1, 0, 0, 0);
        AdapterFamily::new(name.to_owned(), abi_versions.to_vec(), version)
    }

    #[test]
    fn each_broken_list_is_refused_for_its_own_reason() {
        let long = "x".repeat(128);
        let mut no_version = family("a", &[1]);
        no_version.compiler_version = VersionNumber::ZERO;
        let cases: [(Vec<AdapterFamily>, Option<FamilyError>); 11] = [
            (vec![family("a", &[3, 1]), family("b", &[1])], None),
            (vec![family(&"x".repeat(127), &[1])], None),
            (vec![], Some(FamilyError::NoFamilies)),
            (
                vec![family("", &[1])],
                Some(FamilyError::Name {
                    index: 0,
                    name: String::new(),
                }),
            ),
            (
                vec![family(&long, &[1])],
                Some(FamilyError::Name {
                    index: 0,
                    name: long.clone(),
                }),
            ),
            (
                vec![family("a\0b", &[1])],
                Some(FamilyError::Name {
                    index: 0,
                    name: "a\0b".into(),
                }),
            ),
            (
                vec![family("a", &[1]), family("a", &[1])],
                Some(FamilyError::DuplicateName {
                    index: 1,
                    name: "a".into(),
                }),
            ),
            (
                vec![family("a", &[])],
                Some(FamilyError::NoAbiVersions { index: 0 }),
            ),
            (
                vec![family("a", &[u64::MAX, 1])],
                Some(FamilyError::ReservedAbiVersion {
                    index: 0,
                    version: u64::MAX,
                }),
            ),
            (
                vec![family("a", &[2, 2])],
                Some(FamilyError::AbiVersionOrder {
                    index: 0,
                    earlier: 2,
                    later: 2,
                }),
            ),
            (
                vec![no_version],
                Some(FamilyError::NoCompilerVersion { index: 0 }),
            ),
        ];
        for (families, expected) in cases {
            assert_eq!(check_families(&families).err(), expected, "{families:?}");
        }
    }

    #[test]
    fn names_outside_the_first_plane_count_two_units() {
        let name = "\u{1F3AE}".repeat(63);
        assert!(encode_name(&name).is_some());
        assert!(encode_name(&format!("{name}ab")).is_none());
    }
}
