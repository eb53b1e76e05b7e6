//! DDI versions: those that this host knows, and the one that it selects.

use std::str::FromStr;
use std::{env, fmt};

use ddi_sys::VersionNumber;
use thiserror::Error;

/// Plugin DDI 12.0.1.0.
pub const PLUGIN_DDI_VERSION_1: u64 = VersionNumber::new(12, 0, 1, 0).bits();
/// Plugin DDI 12.0.2.0.
pub const PLUGIN_DDI_VERSION_2: u64 = VersionNumber::new(12, 0, 2, 0).bits();
/// Usermode DDI 12.80.115.0, which belongs to both plugin DDI versions.
pub const USERMODE_DDI_VERSION: u64 = VersionNumber::new(12, 80, 115, 0).bits();

/// The versions that this host knows by itself, oldest first. The specification prints no numbers; docs/spec-notes.md says
/// where these come from. [`DdiVersions`] adds those that the user allows.
pub const SUPPORTED: &[DdiVersion] = &[
    DdiVersion {
        plugin: PLUGIN_DDI_VERSION_1,
        usermode: USERMODE_DDI_VERSION,
    },
    DdiVersion {
        plugin: PLUGIN_DDI_VERSION_2,
        usermode: USERMODE_DDI_VERSION,
    },
];

/// A plugin DDI version and the usermode DDI version assigned to it. Each number has four 16-bit
/// parts, major first.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DdiVersion {
    /// One of the versions that the plugin reports.
    pub plugin: u64,
    /// The usermode DDI that defines the shared structures.
    pub usermode: u64,
}

/// `12.0.2.0 (usermode DDI 12.80.115.0)`.
impl fmt::Display for DdiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [plugin, usermode] = [self.plugin, self.usermode].map(VersionNumber::from_bits);
        write!(f, "{plugin} (usermode DDI {usermode})")
    }
}

/// The versions that a host takes, oldest first: [`SUPPORTED`], and those that the user allows, because no publication says
/// which usermode DDI belongs to a plugin DDI. A pair replaces one that has the same plugin DDI version.
///
/// A user who allows a version asserts that its structures and functions are those of `ddi-sys`.
///
/// ```
/// use plugin_host::{DdiVersions, SUPPORTED};
///
/// # fn main() -> Result<(), plugin_host::InvalidDdiVersions> {
/// let versions: DdiVersions = "12.0.3.0=12.80.118.0".parse()?;
/// let newest = versions.newest_common(&[0x000C_0000_0003_0000, SUPPORTED[0].plugin]);
/// assert_eq!(
///     newest.map(|version| version.to_string()).as_deref(),
///     Some("12.0.3.0 (usermode DDI 12.80.118.0)")
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DdiVersions(Vec<DdiVersion>);

impl DdiVersions {
    /// The environment variable with the versions that the user allows, in the form that [`FromStr`] reads.
    pub const VARIABLE: &'static str = "D3D12_COMPILER_DDI_VERSIONS";

    /// The versions of this process, including those of its environment.
    ///
    /// # Errors
    ///
    /// The [variable](Self::VARIABLE) has other text.
    pub fn of_process() -> Result<Self, InvalidDdiVersions> {
        let Some(value) = env::var_os(Self::VARIABLE) else {
            return Ok(Self(SUPPORTED.to_vec()));
        };
        value
            .to_str()
            .ok_or_else(|| InvalidDdiVersions(value.display().to_string()))?
            .parse()
    }

    /// The newest of these versions among those that a plugin offers.
    pub fn newest_common(&self, offered: &[u64]) -> Option<DdiVersion> {
        self.common(offered).last()
    }

    /// Those of these versions that a plugin offers, oldest first.
    pub fn common(&self, offered: &[u64]) -> impl Iterator<Item = DdiVersion> {
        let is_offered = |version: &DdiVersion| offered.contains(&version.plugin);
        self.0.iter().copied().filter(is_offered)
    }

    /// The plugin DDI versions.
    pub(crate) fn plugin(&self) -> Vec<u64> {
        self.0.iter().map(|version| version.plugin).collect()
    }
}

/// The versions to add to [`SUPPORTED`]: pairs `PLUGIN_DDI=USERMODE_DDI`, separated by commas; each version is text that
/// [`VersionNumber`] reads.
impl FromStr for DdiVersions {
    type Err = InvalidDdiVersions;

    fn from_str(text: &str) -> Result<Self, InvalidDdiVersions> {
        let mut versions = SUPPORTED.to_vec();
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let allowed = pair
                .split_once('=')
                .and_then(|(plugin, usermode)| {
                    let version = |text: &str| text.trim().parse().map(VersionNumber::bits);
                    Some(DdiVersion {
                        plugin: version(plugin).ok()?,
                        usermode: version(usermode).ok()?,
                    })
                })
                .ok_or_else(|| InvalidDdiVersions(pair.into()))?;
            versions.retain(|known| known.plugin != allowed.plugin);
            versions.push(allowed);
        }
        versions.sort_unstable_by_key(|version| version.plugin);
        Ok(Self(versions))
    }
}

/// A text that is no pair of DDI versions.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is no pair of DDI versions: PLUGIN=USERMODE is meant, as in 12.0.2.0=12.80.115.0, and a comma between pairs"
)]
pub struct InvalidDdiVersions(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_is_sorted_and_the_newest_wins() {
        assert!(SUPPORTED.is_sorted_by(|a, b| a.plugin < b.plugin));
        let known = DdiVersions(SUPPORTED.to_vec());
        let pick = |offered: &[u64]| known.newest_common(offered).map(|v| v.plugin);
        let (one, two) = (PLUGIN_DDI_VERSION_1, PLUGIN_DDI_VERSION_2);
        assert_eq!(pick(&[one]), Some(one));
        assert_eq!(pick(&[two, one, two]), Some(two));
        assert_eq!(pick(&[u64::MAX, one, 0]), Some(one));
        assert_eq!(pick(&[0x000C_0000_0003_0000]), None);
        assert_eq!(
            SUPPORTED[1].to_string(),
            "12.0.2.0 (usermode DDI 12.80.115.0)"
        );
    }

    #[test]
    fn what_the_user_allows_is_known_besides() {
        let text = "12.0.3=12.80.118.0,0xC000000010000=12.80.109.0";
        let versions: DdiVersions = text.parse().unwrap();
        let named: Vec<String> = versions.0.iter().map(ToString::to_string).collect();
        assert_eq!(
            named,
            [
                "12.0.1.0 (usermode DDI 12.80.109.0)",
                "12.0.2.0 (usermode DDI 12.80.115.0)",
                "12.0.3.0 (usermode DDI 12.80.118.0)",
            ]
        );
        assert_eq!("".parse(), Ok(DdiVersions(SUPPORTED.to_vec())));
        for text in [
            "12.0.3.0",
            "12.0.3.0.0=12.80.118.0",
            "12.0.3.0=12.80.65536.0",
            "12.0.+3.0=12.80.118.0",
            "0x=0x1",
            "0x+1=0x1",
            "a=b",
        ] {
            let error = text.parse::<DdiVersions>().unwrap_err();
            assert!(error.to_string().contains(text), "{text}: {error}");
        }
    }
}
