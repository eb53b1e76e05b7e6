//! The application that shaders belong to.

use ddi_sys::{D3D12DDI_APPLICATION_DESC, VersionNumber};
use widestring::U16Str;

use super::reading::{self, DescError};

/// D3D12DDI_APPLICATION_DESC. Strings are UTF-16 as the host gave them; they are the host's, for the
/// call only.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationDesc<'a> {
    /// Executable name with its extension, such as `Game.exe`.
    pub exe_filename: &'a U16Str,
    /// Title.
    pub name: &'a U16Str,
    /// The application's version.
    pub version: VersionNumber,
    /// Name and version of the engine, when one is named.
    pub engine: Option<(&'a U16Str, VersionNumber)>,
}

impl ApplicationDesc<'_> {
    /// # Safety
    ///
    /// `desc` is null or a description whose strings are NUL-terminated, valid and unchanged for
    /// `'a`.
    pub(crate) unsafe fn read(desc: *const D3D12DDI_APPLICATION_DESC) -> Result<Self, DescError> {
        // SAFETY: `desc` is null or valid with its NUL-terminated strings, unchanged for `'a` (`# Safety`).
        unsafe {
            let desc: &D3D12DDI_APPLICATION_DESC = reading::required("pApplicationDesc", desc)?;
            let engine = reading::optional_text("pEngineName", desc.pEngineName)?;
            Ok(Self {
                exe_filename: reading::text("pExeFilename", desc.pExeFilename)?,
                name: reading::text("pName", desc.pName)?,
                version: desc.Version.into(),
                engine: engine.map(|name| (name, desc.EngineVersion.into())),
            })
        }
    }
}
