//! DDI versions: builds of release R8, and which of them a host is shown.

use ddi_sys::VersionNumber;

use crate::boundary::{Error, Result};
use crate::switches;

/// The oldest build: the first with CREATEDEVICE_0109.
pub(crate) const OLDEST: Build = Build(109);
/// The newest build: that of the compiler plugin DDI.
pub(crate) const NEWEST: Build = Build(115);
/// From this one on, an object can be created at a virtual address (RecreateAtGpuva-public.md).
pub(crate) const RECREATE_AT: Build = Build(111);
/// From this one on, heaps and resources have the arguments of 0111, and textures layouts with a GUID.
pub(crate) const TEXTURE_LAYOUTS: Build = Build(112);
/// From this one on, there is application-specific driver state.
pub(crate) const DRIVER_STATE: Build = Build(113);
/// From this one on, command lists can be called around the runtime.
pub(crate) const BYPASS: Build = Build(114);

/// A build of the user-mode DDI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Build(pub(crate) u16);

impl Build {
    /// The 64-bit version; 12.80 is release R8.
    pub(crate) fn version(self) -> u64 {
        VersionNumber::new(12, 80, self.0, 0).bits()
    }

    /// The build that a host has chosen by both halves of its version.
    ///
    /// # Errors
    ///
    /// It is not one that the driver shows.
    pub(crate) fn chosen(interface: u32, version: u32) -> Result<Self> {
        let whole = u64::from(interface) << 32 | u64::from(version);
        shown()?
            .find(|build| build.version() == whole)
            .ok_or_else(|| Error::invalid(format!("{whole:#018x} is not a version of this driver")))
    }
}

/// The newest build that the host is shown.
///
/// # Errors
///
/// A switch has a value that it cannot have.
pub(crate) fn newest() -> Result<Build> {
    Ok(switches::settings()?.build.unwrap_or(NEWEST))
}

/// The builds that the host is shown, oldest first.
///
/// # Errors
///
/// As [`newest`].
pub(crate) fn shown() -> Result<impl Iterator<Item = Build>> {
    Ok((OLDEST.0..=newest()?.0).map(Build))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_header() {
        assert_eq!(OLDEST.version(), 0x000C_0050_006D_0000);
        assert_eq!(Build(113).version(), 0x000C_0050_0071_0000);
        assert_eq!(
            Build::chosen(0x000C_0050, 0x006F_0000).unwrap(),
            RECREATE_AT
        );
        for (interface, version) in [
            (0x000C_0050, 0x006C_0000),
            (0x000C_0050, 0x0074_0000),
            (0x000C_0050, 0x006F_0001),
            (0x000C_0046, 0x006F_0000),
            (0, 0),
        ] {
            Build::chosen(interface, version).unwrap_err();
        }
    }
}
