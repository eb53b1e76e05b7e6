//! DDI versions: which this host knows, and which it selects.

use std::fmt;

/// Plugin DDI 12.0.1.0.
pub const PLUGIN_DDI_VERSION_1: u64 = 0x000C_0000_0001_0000;
/// Plugin DDI 12.0.2.0.
pub const PLUGIN_DDI_VERSION_2: u64 = 0x000C_0000_0002_0000;
/// Usermode DDI 12.80.115.0, which belongs to both plugin DDI versions.
pub const USERMODE_DDI_VERSION: u64 = 0x000C_0050_0073_0000;

/// The versions that this host knows, oldest first. The specification prints no numbers;
/// docs/spec-notes.md says where these come from.
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
    /// Which usermode DDI the shared structures are those of.
    pub usermode: u64,
}

impl DdiVersion {
    /// The newest version of [`SUPPORTED`] among those that a plugin offers.
    pub fn newest_common(offered: &[u64]) -> Option<Self> {
        SUPPORTED
            .iter()
            .rfind(|version| offered.contains(&version.plugin))
            .copied()
    }
}

/// `12.0.2.0 (usermode DDI 12.80.115.0)`.
impl fmt::Display for DdiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plugin, usermode) = (dotted(self.plugin), dotted(self.usermode));
        write!(f, "{plugin} (usermode DDI {usermode})")
    }
}

pub(crate) fn dotted(version: u64) -> String {
    let [major, minor, build, revision] = [48, 32, 16, 0].map(|shift| (version >> shift) & 0xFFFF);
    format!("{major}.{minor}.{build}.{revision}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_is_sorted_and_the_newest_wins() {
        assert!(SUPPORTED.is_sorted_by(|a, b| a.plugin < b.plugin));
        let pick = |offered: &[u64]| DdiVersion::newest_common(offered).map(|v| v.plugin);
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
}
