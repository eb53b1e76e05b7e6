//! `list`: the targets that a plugin can compile for.

use std::fmt;

use shader_db::psdb::Application;

use crate::compile::{Workers, ask};
use crate::plugin::PluginChoice;
use crate::question::families::FamiliesQuestion;
pub use crate::question::families::{Failure, Families};
use crate::report::one_line;
use crate::{Error, Result};

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
    let question = FamiliesQuestion::new(application);
    // An interrupt ends this process, and with it the worker.
    let mut families = ask(&question, plugin, workers, &|| 0)?;
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

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "adapter family {}: {}", self.index, self.problem)
    }
}
