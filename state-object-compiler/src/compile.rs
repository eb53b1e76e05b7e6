//! `compile`: an SODB and a plugin in, a PSDB out. The plugin runs in worker processes, or in this process.

mod application;
mod ask;
mod batches;
mod completeness;
mod in_process;
mod later;
mod object;
mod once;
mod open_files;
mod options;
mod output;
mod plan;
mod printed;
mod process;
mod protocol;
mod remote;
mod renewal;
mod report;
mod run;
mod same_run;
mod service;
mod stdio;
mod supervisor;
mod work;
mod worker;

use shader_db::file_name;

use crate::report::type_name;
use crate::{Error, Result};
use once::Compiled;

pub(crate) use application::of as application_of;
pub(crate) use ask::ask;
pub use options::{ApplicationChanges, Listener, Options, Progress, Selection, Workers};
pub use renewal::Recompile;
pub use report::{Failure, Report};
pub use worker::work;

/// Compiles. An object that fails costs only itself and the objects made from it; with worker processes, so does an object
/// that ends the plugin's process or takes too long.
///
/// A finished file has the same bytes whatever the number of threads or processes, and however many of these died.
/// A run that is killed leaves a file that the next run completes.
///
/// # Errors
///
/// [`Error::Usage`], [`Error::Database`], [`Error::Plugin`], [`Error::Worker`]: the run could not begin, or the
/// infrastructure failed.
pub fn compile(options: &Options, listener: &dyn Listener) -> Result<Report> {
    for (_, path) in plan::outputs(options) {
        file_name::check(&path)?;
    }
    let mut compiled = once::compile(options, None, listener)?;
    if compiled.report.not_done == 0 {
        later::complete(options, &mut compiled, listener)?;
    }
    let Compiled {
        mut report,
        stored,
        outputs,
    } = compiled;
    let without = completeness::without(&outputs.files, &stored)?;
    let never = completeness::never_stored(&outputs.files, stored.len(), &without)?;
    report.never_stored = never.into_iter().map(type_name).collect();
    let named = |(kind, objects)| (type_name(kind), objects);
    report.without = without.into_iter().map(named).collect();
    if outputs.is_renewal() && report.not_done == 0 {
        let output = options.output.display();
        if stored.is_empty() && !report.failures.is_empty() {
            let text = format!("no object could be compiled: {output} stays as it was");
            report.warnings.push(text);
        } else if outputs.is_optional() && !report.failures.is_empty() {
            report.warnings.push(format!(
                "{} objects could not be compiled: {output} stays as it was, since all that it has can still be used",
                report.failures.len()
            ));
        } else {
            match outputs.take_places() {
                Err(Error::Database(shader_db::Error::Busy { path })) => {
                    report.in_use = true;
                    report.warnings.push(format!(
                        "{} is in use, so {} was not replaced; everything is compiled: run the same command again to replace it",
                        path.display(),
                        options.output.display()
                    ));
                }
                done => done?,
            }
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use shader_db::psdb::{Application, Options, Psdb, Target, ValueTypes};

    pub fn application() -> Application {
        Application {
            exe: "a.exe".into(),
            name: "a".into(),
            version: 1,
            engine_name: None,
            engine_version: 0,
        }
    }

    /// A new PSDB for all types of value.
    pub fn open(folder: &Path) -> Psdb {
        let options = Options {
            target: Some(Target {
                family: "GPU".into(),
                abi: 1,
                compiler_version: 1,
                profile_version: 0,
            }),
            application: Some(application()),
            ..Options::default()
        };
        Psdb::open(&[(ValueTypes::ALL, folder.join("a.psdb"))], &options).unwrap()
    }
}
