//! `list`: the targets that a plugin can compile for.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use compiler_runtime::{ApplicationDesc, Factory, TargetDesc};
use plugin_sdk::PluginEntry;
use sample_plugin::SamplePlugin;
use serde::{Deserialize, Serialize};
use shader_db::psdb::Application;

use crate::compile::{ApplicationFields, Question, Task, Workers, system_path, to_desc};
use crate::report::one_line;
use crate::{Dotted, Error, Result};

/// The name of the sample plugin on a command line.
const SAMPLE: &str = "sample";

/// The plugin that a command line names.
#[expect(
    clippy::unsafe_derive_deserialize,
    reason = "a worker gets what the user has named from the process that started it"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PluginChoice {
    /// The sample plugin, which is linked in.
    Sample,
    /// A DLL.
    File(#[serde(with = "system_path")] PathBuf),
}

impl From<&Path> for PluginChoice {
    /// `sample` is the sample plugin; a file of that name is `./sample`.
    fn from(path: &Path) -> Self {
        if path == Path::new(SAMPLE) {
            Self::Sample
        } else {
            Self::File(path.to_owned())
        }
    }
}

impl PluginChoice {
    /// The plugin as a command line names it.
    pub(crate) fn as_path(&self) -> &Path {
        match self {
            Self::Sample => Path::new(SAMPLE),
            Self::File(path) => path,
        }
    }

    /// Opens the plugin.
    ///
    /// # Errors
    ///
    /// [`Error::Plugin`]; [`Error::File`] if the system cannot open the file at the moment.
    pub fn open(&self) -> Result<Factory> {
        // SAFETY: the user names this file as a compiler plugin, to be run in this process; that it keeps the DDI's
        // contract is its author's promise. The sample plugin keeps it.
        let factory = unsafe {
            match self {
                Self::Sample => Factory::from_entry(SamplePlugin::entry_point()),
                Self::File(path) => Factory::load(path),
            }
        };
        factory.map_err(|error| {
            // Only the loader's text says that no more files can be open.
            if let Self::File(path) = self
                && path.is_file()
                && let Err(source) = fs::File::open(path)
                && let passing = Error::file(path, source)
                && passing.is_worth_a_retry()
            {
                return passing;
            }
            error.into()
        })
    }
}

/// The adapter families of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Families {
    adapter_families: Vec<Family>,
    /// The families that the plugin cannot describe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
}

/// An adapter family that the plugin describes wrongly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    index: u32,
    problem: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "adapter family {}: {}", self.index, self.problem)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Family {
    index: u32,
    name: String,
    compiler_version: Dotted,
    /// The newest first.
    abi_versions: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    application_profile_version: Option<Dotted>,
}

/// Asks for the families and, with an application, for the version of its profile at the newest ABI.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct FamiliesQuestion(Option<Named>);

#[derive(Clone, Serialize, Deserialize)]
struct Named(#[serde(with = "ApplicationFields")] Application);

impl Question for FamiliesQuestion {
    type Answer = Families;

    fn task(&self, plugin: PluginChoice) -> Task {
        Task::Families(plugin, self.clone())
    }

    fn ask(&self, factory: &Factory) -> Result<Families> {
        let application = self
            .0
            .as_ref()
            .map(|Named(application)| to_desc(application));
        let application = application.transpose()?;
        let mut families = Families {
            adapter_families: Vec::new(),
            failures: Vec::new(),
        };
        for (index, name) in (0..).zip(factory.adapter_families()?) {
            let family = name.and_then(|name| family(factory, index, name, application.as_ref()));
            match family {
                Ok(family) => families.adapter_families.push(family),
                Err(error) => families.failures.push(Failure {
                    index,
                    problem: error.to_string(),
                }),
            }
        }
        Ok(families)
    }
}

fn family(
    factory: &Factory,
    index: u32,
    name: String,
    application: Option<&ApplicationDesc>,
) -> Result<Family, compiler_runtime::Error> {
    let newest = TargetDesc {
        adapter_family_index: index,
        abi_version: 0,
    };
    let profile =
        application.map(|application| factory.application_profile_version(newest, application));
    Ok(Family {
        index,
        name,
        compiler_version: Dotted(factory.compiler_version(index)?),
        abi_versions: factory.abi_versions(index)?,
        application_profile_version: profile.transpose()?.map(Dotted),
    })
}

/// Asks a plugin, in a worker process, for its families, and with an application for the version of its profile at the newest
/// ABI.
///
/// # Errors
///
/// [`Error::Plugin`], [`Error::Worker`]; [`Error::Usage`] if the plugin has no family, or crashes, or takes too long, twice.
pub fn list(
    plugin: &PluginChoice,
    application: Option<Application>,
    workers: &Workers,
) -> Result<Families> {
    let question = FamiliesQuestion(application.map(Named));
    // An interrupt ends this process, and with it the worker.
    let mut families = question.ask_elsewhere(plugin, workers, &|| 0)?;
    if families.adapter_families.is_empty() && families.failures.is_empty() {
        return Err(Error::Usage("the plugin has no adapter family".into()));
    }
    for family in &mut families.adapter_families {
        family.name = one_line(&family.name);
    }
    for failure in &mut families.failures {
        failure.problem = one_line(&failure.problem);
    }
    Ok(families)
}

/// Engine tools depend on this form: they take a line of a number and a colon for a new family, and read the values after
/// three of the labels.
impl fmt::Display for Families {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for family in &self.adapter_families {
            let versions: Vec<_> = family.abi_versions.iter().map(u64::to_string).collect();
            writeln!(f, "{}:", family.index)?;
            writeln!(f, "    Adapter Family: {}", family.name)?;
            writeln!(f, "    Compiler Version: {}", family.compiler_version)?;
            writeln!(f, "    ABI Versions: {{{}}}", versions.join(", "))?;
            if let Some(version) = family.application_profile_version {
                writeln!(f, "    Application Profile Version: {version}")?;
            }
        }
        Ok(())
    }
}
