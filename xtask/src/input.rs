//! What the generator reads.

use std::path::PathBuf;

use crate::{Error, workspace};

/// A set of declarations with a header of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The compiler plugin DDI, and what it reaches.
    Plugin,
    /// The usermode DDI around it too: the modules in `umd`, the tables in `facts/usermode`.
    Usermode,
    /// The API.
    Api,
}

impl Input {
    /// The crate that declares it.
    pub fn crate_name(self) -> &'static str {
        match self {
            Self::Plugin | Self::Usermode => "ddi-sys",
            Self::Api => "api-sys",
        }
    }

    /// The argument of `cargo xtask` that generates what follows from it.
    pub fn command(self) -> &'static str {
        match self {
            Self::Plugin | Self::Usermode => "headers",
            Self::Api => "api",
        }
    }

    /// The folder with the `lib.rs` that declares it.
    pub fn source(self) -> PathBuf {
        workspace().join(self.crate_name()).join("src")
    }

    /// The folder with its tables.
    pub fn tables(self) -> PathBuf {
        workspace().join(self.crate_name()).join("facts")
    }

    /// The header's file name.
    pub fn header(self) -> &'static str {
        match self {
            Self::Plugin => "d3d12_compiler_ddi.h",
            Self::Usermode => "d3d12_umd_ddi.h",
            Self::Api => "d3d12_compiler_api.h",
        }
    }

    /// What the names of its macros begin with in C.
    pub(crate) fn macros(self) -> &'static str {
        match self {
            Self::Plugin | Self::Usermode => "D3D12DDI",
            Self::Api => "D3D12_COMPILER_API",
        }
    }

    /// The name of the calling convention in C.
    pub(crate) fn convention(self) -> &'static str {
        match self {
            Self::Plugin | Self::Usermode => "D3D12DDI_APIENTRY",
            Self::Api => "D3D12_COMPILER_APIENTRY",
        }
    }

    /// That the crate does not declare a name that its tables have.
    pub(crate) fn undeclared(self, name: &str) -> Error {
        Error::Names {
            crate_name: self.crate_name(),
            what: format!("{name} is in the tables, but not declared in the source: declare it"),
        }
    }

    /// That the tables do not have a name that the crate declares.
    pub(crate) fn unrecorded(self, name: &str) -> Error {
        Error::Names {
            crate_name: self.crate_name(),
            what: format!("{name} is declared, but not in the tables: enter what is known of it"),
        }
    }
}
