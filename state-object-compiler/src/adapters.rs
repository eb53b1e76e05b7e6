//! Adapters: user-mode drivers with the compiler plugins that belong to them, and what the drivers report.

use std::fmt;
use std::path::Path;

use compatibility::Driver;
use mock_runtime::adapter::{DriverState, OpenAdapter};
use mock_runtime::adapters::{self, Adapter};
use mock_runtime::device::{Device, DeviceOptions};
use mock_runtime::umd::Umd;
use serde::Serialize;
use shader_db::sodb::Application;

use crate::plugin::{PluginChoice, to_desc};
use crate::report::{one_line, path_text};
use crate::{Dotted, Result};

/// What stands in the place of a file's path for what is part of this program.
const LINKED_IN: &str = "linked in";

/// The adapter of a name or an index.
///
/// # Errors
///
/// [`Error::Runtime`](crate::Error::Runtime): there is no such adapter, or the directory of adapters cannot be read.
pub fn find(wanted: &str) -> Result<Adapter> {
    Ok(adapters::find(&adapters::all()?, wanted)?.clone())
}

/// The compiler plugin of an adapter.
pub fn plugin(adapter: &Adapter) -> PluginChoice {
    match &adapter.plugin {
        None => PluginChoice::Sample,
        Some(path) => PluginChoice::File(path.clone()),
    }
}

/// Opens an adapter's driver in this process.
///
/// # Errors
///
/// [`Error::Runtime`](crate::Error::Runtime).
pub fn open(adapter: &Adapter, application: Option<&Application>) -> Result<OpenAdapter> {
    let umd = match &adapter.umd {
        None => Umd::mock(),
        // SAFETY: the user names this file as a user-mode driver, to be run in this process; that it does what the DDI says
        // is its author's promise.
        Some(path) => unsafe { Umd::load(path) }?,
    };
    let application = application.map(to_desc).transpose()?;
    Ok(OpenAdapter::open(
        &umd,
        DriverState::default(),
        application,
    )?)
}

/// What an adapter's driver reports as its ABI support; `None` if it reports none.
///
/// # Errors
///
/// [`Error::Runtime`](crate::Error::Runtime).
pub fn support(adapter: &Adapter, application: Option<&Application>) -> Result<Option<Driver>> {
    let device = Device::new(&open(adapter, application)?, &DeviceOptions::default())?;
    Ok(device.support().cloned())
}

/// The adapters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Adapters {
    adapters: Vec<Listed>,
    /// Adapters whose drivers do not work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
}

/// An adapter whose driver does not work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    index: usize,
    name: String,
    problem: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "adapter {} ({}): {}",
            self.index, self.name, self.problem
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Listed {
    index: usize,
    name: String,
    umd: String,
    plugin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    abi_support: Option<Support>,
}

/// What a driver reports as its ABI support.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Support {
    adapter_family: String,
    minimum_abi_version: u64,
    maximum_abi_version: u64,
    compiler_version: Dotted,
    application_profile_version: Dotted,
}

impl From<&Driver> for Support {
    fn from(driver: &Driver) -> Self {
        Self {
            adapter_family: one_line(&driver.family),
            minimum_abi_version: *driver.abi.start(),
            maximum_abi_version: *driver.abi.end(),
            compiler_version: Dotted(driver.compiler),
            application_profile_version: Dotted(driver.profile),
        }
    }
}

/// Asks the driver of each adapter, in this process.
///
/// # Errors
///
/// [`Error::Runtime`](crate::Error::Runtime): the directory of adapters cannot be read.
pub fn list(application: Option<&Application>) -> Result<Adapters> {
    let mut listed = Adapters {
        adapters: Vec::new(),
        failures: Vec::new(),
    };
    for (index, adapter) in adapters::all()?.iter().enumerate() {
        let file = |path: Option<&Path>| path.map_or_else(|| LINKED_IN.into(), path_text);
        match support(adapter, application) {
            Ok(support) => listed.adapters.push(Listed {
                index,
                name: one_line(&adapter.name),
                umd: file(adapter.umd.as_deref()),
                plugin: file(adapter.plugin.as_deref()),
                abi_support: support.as_ref().map(Support::from),
            }),
            Err(error) => listed.failures.push(Failure {
                index,
                name: one_line(&adapter.name),
                problem: one_line(&error.to_string()),
            }),
        }
    }
    Ok(listed)
}

/// The labels of Microsoft's program, by which engine tools find the values: the family first, the highest ABI version last.
impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "        Adapter Family: {}", self.adapter_family)?;
        writeln!(f, "        Compiler Version: {}", self.compiler_version)?;
        writeln!(
            f,
            "        Application Profile Version: {}",
            self.application_profile_version
        )?;
        writeln!(
            f,
            "        MinimumABISupportVersion: {}",
            self.minimum_abi_version
        )?;
        writeln!(
            f,
            "        MaximumABISupportVersion: {}",
            self.maximum_abi_version
        )
    }
}

impl fmt::Display for Adapters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for adapter in &self.adapters {
            writeln!(f, "{}:", adapter.index)?;
            writeln!(f, "    Name: {}", adapter.name)?;
            writeln!(f, "    D3D12 UserMode Driver: {}", adapter.umd)?;
            writeln!(f, "        Compiler: {}", adapter.plugin)?;
            writeln!(f, "    ABI Support:")?;
            match &adapter.abi_support {
                None => writeln!(f, "        Feature Supported: Not supported")?,
                Some(support) => write!(f, "        Feature Supported: Supported\n{support}")?,
            }
        }
        Ok(())
    }
}
