//! User-mode drivers: libraries that export `OpenAdapter12`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ddi_sys::{D3D12DDIARG_OPENADAPTER, HRESULT, PFND3D12DDI_OPENADAPTER};
#[cfg(unix)]
use libloading::os::unix as system;
#[cfg(windows)]
use libloading::os::windows as system;

use crate::Error;

/// `OpenAdapter12`.
pub type EntryPoint = unsafe extern "system" fn(*mut D3D12DDIARG_OPENADAPTER) -> HRESULT;

/// A driver in this process. Clones share it; a library stays loaded until the last clone and everything that was opened
/// from it are gone.
#[derive(Clone)]
pub struct Umd(Arc<Loaded>);

struct Loaded {
    entry: EntryPoint,
    path: Option<PathBuf>,
    /// Unloads the code at the end.
    _library: Option<system::Library>,
}

impl fmt::Debug for Umd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Umd").field(&self.0.path).finish()
    }
}

impl Umd {
    /// Loads a driver.
    ///
    /// # Errors
    ///
    /// [`Error::Load`].
    ///
    /// # Safety
    ///
    /// The library is a user-mode driver that keeps the DDI's contract: its functions do what the specification says, with
    /// no more memory than they are given, and free-threaded where the DDI is.
    pub unsafe fn load(path: &Path) -> Result<Self, Error> {
        let failed = |text: String| Error::Load {
            path: path.to_owned(),
            text,
        };
        // With a directory the loader does not search for it.
        let absolute = std::path::absolute(path).map_err(|error| Error::file(path, error))?;
        // SAFETY: the library is a user-mode driver, whose initialisers do what the specification says (`# Safety`).
        let library = unsafe { load(&absolute) }.map_err(|error| failed(error.to_string()))?;
        // SAFETY: in a driver the export of this name has this type.
        let entry = unsafe { library.get(b"OpenAdapter12\0") };
        let entry = entry
            .map(|symbol: system::Symbol<PFND3D12DDI_OPENADAPTER>| *symbol)
            .map_err(|error| failed(format!("it is no user-mode driver of Direct3D 12: {error}")))?
            .ok_or_else(|| failed("its OpenAdapter12 is null".into()))?;
        Ok(Self(Arc::new(Loaded {
            entry,
            path: Some(absolute),
            _library: Some(library),
        })))
    }

    /// The driver that is linked in: `mock-umd`.
    pub fn mock() -> Self {
        // SAFETY: `mock-umd` is a user-mode driver: its functions do what the DDI says.
        unsafe { Self::from_entry(mock_umd::OpenAdapter12) }
    }

    /// A driver that is part of this process.
    ///
    /// # Safety
    ///
    /// As for [`load`](Self::load).
    pub unsafe fn from_entry(entry: EntryPoint) -> Self {
        Self(Arc::new(Loaded {
            entry,
            path: None,
            _library: None,
        }))
    }

    /// The file; `None` for one that is part of this process.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    pub(crate) fn entry_point(&self) -> EntryPoint {
        self.0.entry
    }
}

#[cfg(windows)]
unsafe fn load(path: &Path) -> Result<system::Library, libloading::Error> {
    use system::{LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR};
    let flags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
    // SAFETY: the library's initialisers are sound, as the caller says of a driver.
    unsafe { system::Library::load_with_flags(path, flags) }
}

#[cfg(unix)]
unsafe fn load(path: &Path) -> Result<system::Library, libloading::Error> {
    let flags = system::RTLD_NOW | system::RTLD_LOCAL;
    // SAFETY: the library's initialisers are sound, as the caller says of a driver.
    unsafe { system::Library::open(Some(path), flags) }
}
