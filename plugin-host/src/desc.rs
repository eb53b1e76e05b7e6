//! The application to compile for: the host's own copy of what a call lends to the plugin.

use std::ptr;

use ddi_sys::{D3D12DDI_APPLICATION_DESC, D3D12DDI_VERSION_NUMBER};
use widestring::U16CString;

/// The application that the shaders belong to.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_APPLICATION_DESC".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApplicationDesc {
    /// Executable name with extension.
    pub exe_filename: U16CString,
    /// Title.
    pub name: U16CString,
    /// Four 16-bit parts, major first.
    pub version: u64,
    /// Engine, when there is one.
    pub engine: Option<Engine>,
}

/// A game engine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Engine {
    /// Name.
    pub name: U16CString,
    /// Four 16-bit parts, major first.
    pub version: u64,
}

impl ApplicationDesc {
    /// The structure of the DDI. It points into `self`: valid until `self` changes or is dropped.
    pub fn raw(&self) -> D3D12DDI_APPLICATION_DESC {
        let engine = self.engine.as_ref();
        D3D12DDI_APPLICATION_DESC {
            pExeFilename: self.exe_filename.as_ptr(),
            pName: self.name.as_ptr(),
            Version: D3D12DDI_VERSION_NUMBER::from_bits(self.version),
            pEngineName: engine.map_or(ptr::null(), |engine| engine.name.as_ptr()),
            EngineVersion: D3D12DDI_VERSION_NUMBER::from_bits(engine.map_or(0, |e| e.version)),
        }
    }
}
