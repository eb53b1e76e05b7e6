//! A plugin, and the targets that it offers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use plugin_host::{ApplicationDesc, EntryPoint, Library, MAX_ENTRIES, Plugin, Target};

use crate::{Error, desc};

/// An open plugin: `ID3D12CompilerFactory`. Clones share it.
#[derive(Clone, Debug)]
pub struct Factory(Arc<Open>);

#[derive(Debug)]
struct Open {
    plugin: Plugin,
}

/// The number of opens.
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Open {
    fn new(library: &Library) -> Result<Self, Error> {
        let plugin = Plugin::open(library)?;
        COUNT.fetch_add(1, Ordering::Relaxed);
        Ok(Self { plugin })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Nobody needs the memory of valid contents any more, and the library may be unloaded.
        if COUNT.fetch_sub(1, Ordering::AcqRel) == 1 {
            desc::forget();
        }
    }
}

/// The open plugins of this copy of the library, by the path of their files.
///
/// A plugin cannot tell its opens apart in every call (docs/spec-notes.md, "Which open a compiler belongs to"), and may have
/// room for a limited number of them. So factories share one open, and another thread costs nothing.
static OPEN: Mutex<Vec<(PathBuf, Weak<Open>)>> = Mutex::new(Vec::new());

/// The target to compile for: `D3D12_COMPILER_TARGET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetDesc {
    /// The family's place in [`Factory::adapter_families`].
    pub adapter_family_index: u32,
    /// One of [`Factory::abi_versions`]; 0 for the latest.
    pub abi_version: u64,
}

impl Factory {
    /// Loads a plugin. Factories of the same file share it.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] and [`Error::Open`].
    ///
    /// # Safety
    ///
    /// As for [`Library::load`]: the library is a compiler plugin, which does what the DDI says.
    pub unsafe fn load(path: &Path) -> Result<Self, Error> {
        // The loader reports that a path names no file.
        let identity = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // Hold the lock while the plugin is loaded: some cannot be initialised twice at a time.
        let mut open = OPEN.lock();
        open.retain(|(_, plugin)| plugin.strong_count() != 0);
        let known = open.iter().find(|(path, _)| *path == identity);
        if let Some(plugin) = known.and_then(|(_, plugin)| plugin.upgrade()) {
            return Ok(Self(plugin));
        }
        // SAFETY: the library at `path` is a compiler plugin, which does what the DDI says (`# Safety`).
        let library = unsafe { Library::load(path) }?;
        let plugin = Arc::new(Open::new(&library)?);
        open.push((identity, Arc::downgrade(&plugin)));
        Ok(Self(plugin))
    }

    /// Opens a plugin that is linked into this process.
    ///
    /// # Errors
    ///
    /// [`Error::Open`].
    ///
    /// # Safety
    ///
    /// As for [`load`](Self::load).
    pub unsafe fn from_entry(entry: EntryPoint) -> Result<Self, Error> {
        // SAFETY: `entry` is that of a compiler plugin, which does what the DDI says (`# Safety`).
        let library = unsafe { Library::from_entry(entry) };
        Ok(Self(Arc::new(Open::new(&library)?)))
    }

    /// The plugin.
    pub fn plugin(&self) -> &Plugin {
        &self.0.plugin
    }

    /// The adapter families, by index: the name of each, or its fault, which does not affect the others.
    ///
    /// # Errors
    ///
    /// [`Error::Plugin`].
    pub fn adapter_families(&self) -> Result<Vec<Result<String, Error>>, Error> {
        let mut families = Vec::new();
        for index in 0.. {
            match self.plugin().adapter_family(index) {
                Ok(None) => break,
                Ok(Some(name)) => families.push(Ok(name)),
                Err(error) if error.is_of_name() => families.push(Err(error.into())),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(families)
    }

    /// The name of one adapter family. The fault of one does not affect the others.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchFamily`], [`Error::Plugin`].
    pub fn adapter_family(&self, index: u32) -> Result<String, Error> {
        let name = if index < MAX_ENTRIES {
            self.plugin().adapter_family(index)?
        } else {
            // The enumeration must end, whatever the plugin reports.
            None
        };
        name.ok_or(Error::NoSuchFamily { index })
    }

    /// The index of the adapter family of a name. This passes over families whose names are wrong.
    ///
    /// # Errors
    ///
    /// [`Error::Plugin`].
    pub fn find_adapter_family(&self, name: &str) -> Result<Option<u32>, Error> {
        let families = (0..).zip(self.adapter_families()?);
        let is_it =
            |family: &Result<String, Error>| family.as_ref().is_ok_and(|found| found == name);
        Ok({ families }
            .find(|(_, family)| is_it(family))
            .map(|(index, _)| index))
    }

    /// The ABI versions of a family, the latest first. This takes the plugin's list as a set, without the reserved numbers 0
    /// and `u64::MAX`.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchFamily`], [`Error::Plugin`].
    pub fn abi_versions(&self, adapter_family_index: u32) -> Result<Vec<u64>, Error> {
        self.adapter_family(adapter_family_index)?;
        let mut versions = self.plugin().abi_versions(adapter_family_index)?;
        versions.retain(|version| !matches!(version, 0 | &u64::MAX));
        versions.sort_unstable_by(|a, b| b.cmp(a));
        versions.dedup();
        Ok(versions)
    }

    /// The version of a family's compiler: four 16-bit parts, major first.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchFamily`], [`Error::Plugin`].
    pub fn compiler_version(&self, adapter_family_index: u32) -> Result<u64, Error> {
        self.adapter_family(adapter_family_index)?;
        Ok(self.plugin().compiler_version(adapter_family_index)?)
    }

    /// A target for the plugin's calls, with the latest ABI version in the place of 0.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchFamily`]; [`Error::Plugin`], also for an ABI version that the plugin does not offer.
    pub fn target(&self, target: TargetDesc) -> Result<Target, Error> {
        let index = target.adapter_family_index;
        let abi_version = match target.abi_version {
            0 => self.abi_versions(index)?.first().copied().unwrap_or(0),
            version => {
                self.adapter_family(index)?;
                version
            }
        };
        Ok(self.plugin().target(index, abi_version)?)
    }

    /// The version of the compiler's profile of an application: four 16-bit parts, major first.
    ///
    /// # Errors
    ///
    /// As for [`target`](Self::target).
    pub fn application_profile_version(
        &self,
        target: TargetDesc,
        application: &ApplicationDesc,
    ) -> Result<u64, Error> {
        let target = self.target(target)?;
        Ok(self
            .plugin()
            .application_profile_version(target, application)?)
    }

    /// Whether both belong to one open of the plugin.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
