//! A plugin in this process: a loaded library or a linked-in entry point.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use ddi_sys::{D3D12DDIARG_COMPILER_OPEN_DDI, HRESULT, PFND3D12DDI_COMPILER_OPEN_DDI};
#[cfg(unix)]
use libloading::os::unix as system;
#[cfg(windows)]
use libloading::os::windows as system;

use crate::LoadError;

/// `D3D12OpenCompilerDDI`.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_OPEN_DDI".
pub type EntryPoint = unsafe extern "system" fn(*mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT;

/// A plugin whose code is in this process. Clones share it; a loaded library stays loaded until the last clone and
/// everything opened from it are gone.
#[derive(Clone, Debug)]
pub struct Library(Arc<Loaded>);

#[derive(Debug)]
struct Loaded {
    entry: EntryPoint,
    path: Option<Arc<Path>>,
    // Held for its Drop, which unloads the code that `entry` points into.
    _library: Option<system::Library>,
}

impl Library {
    /// Loads the library at `path`, which it first makes absolute, so that the system does not use the search path for it. On
    /// Windows the system searches for its dependencies beside it and in the system's default directories; on Unix it binds
    /// every symbol before this returns.
    ///
    /// # Errors
    ///
    /// No such file, not a regular file, not a library that this process can load, or no export
    /// `D3D12OpenCompilerDDI`.
    ///
    /// # Safety
    ///
    /// The library is a compiler plugin that keeps the DDI's contract: its entry points do what the
    /// specification says, with no more memory than they are given, from any thread.
    pub unsafe fn load(path: &Path) -> Result<Self, LoadError> {
        let path = existing(path)?;
        // SAFETY: the library is a compiler plugin, whose initialisers do what the specification says (`# Safety`).
        let library = match unsafe { load(&path) } {
            Ok(library) => library,
            Err(error) => {
                let (reason, code) = (text(&error), code(&error));
                return Err(LoadError::NotLoadable { path, reason, code });
            }
        };
        // SAFETY: in a compiler plugin the export of this name has this type.
        let entry = match unsafe { library.get(b"D3D12OpenCompilerDDI\0") }
            .map(|symbol: system::Symbol<PFND3D12DDI_COMPILER_OPEN_DDI>| *symbol)
        {
            Ok(Some(entry)) => entry,
            Ok(None) => {
                let reason = "it is null".to_owned();
                return Err(LoadError::NoEntryPoint { path, reason });
            }
            Err(error) => {
                let reason = text(&error);
                return Err(LoadError::NoEntryPoint { path, reason });
            }
        };
        tracing::debug!(path = %path.display(), "loaded");
        Ok(Self(Arc::new(Loaded {
            entry,
            path: Some(path.into()),
            _library: Some(library),
        })))
    }

    /// A plugin that is linked into this process.
    ///
    /// # Safety
    ///
    /// As for [`Library::load`].
    pub unsafe fn from_entry(entry: EntryPoint) -> Self {
        Self(Arc::new(Loaded {
            entry,
            path: None,
            _library: None,
        }))
    }

    /// The absolute path of the loaded library; `None` for a linked-in plugin.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// [`path`](Self::path) for an error, which must not keep the code loaded.
    pub(crate) fn shared_path(&self) -> Option<Arc<Path>> {
        self.0.path.clone()
    }

    /// The entry point, valid as long as the library lives.
    pub fn entry_point(&self) -> EntryPoint {
        self.0.entry
    }
}

fn existing(path: &Path) -> Result<PathBuf, LoadError> {
    let found = absolute(path).and_then(|absolute| Ok((absolute.metadata()?, absolute)));
    match found {
        Ok((metadata, absolute)) if metadata.is_file() => Ok(absolute),
        Ok(_) => Err(LoadError::NotAFile { path: path.into() }),
        Err(source) => Err(LoadError::File {
            path: path.into(),
            source,
        }),
    }
}

#[cfg(windows)]
unsafe fn load(path: &Path) -> Result<system::Library, libloading::Error> {
    use system::{LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR};
    let flags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
    // SAFETY: the library's initialisers are sound, as the caller says of a compiler plugin.
    unsafe { system::Library::load_with_flags(path, flags) }
}

#[cfg(unix)]
unsafe fn load(path: &Path) -> Result<system::Library, libloading::Error> {
    let flags = system::RTLD_NOW | system::RTLD_LOCAL;
    // SAFETY: the library's initialisers are sound, as the caller says of a compiler plugin.
    unsafe { system::Library::open(Some(path), flags) }
}

/// The system's number of an error, where it has one.
fn code(error: &libloading::Error) -> Option<i32> {
    let cause = error.source()?.downcast_ref::<std::io::Error>();
    cause?.raw_os_error()
}

/// An error and its causes in one line; on Windows the system's text is a cause.
fn text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string does not fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
