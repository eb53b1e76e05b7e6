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
mod own_files;
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

use std::collections::HashSet;
use std::mem;
use std::path::Path;

use shader_db::{file_name, psdb};

use crate::report::type_name;
use crate::{Dotted, Error, Result};
use once::Compiled;
use renewal::Outputs;

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
        check_reserved(options, &path)?;
    }
    let mut compiled = complete(options, listener)?;
    if compiled.report.not_done == 0 && compiled.outputs.would_lose(&compiled.stored) {
        compiled = add_instead(options, compiled, listener)?;
    } else {
        let report = &mut compiled.report;
        report.warnings.append(&mut compiled.aged);
        if compiled.outputs.is_renewal() && report.not_done == 0 {
            let is_empty = compiled.stored.is_empty();
            replace(options, &compiled.outputs, is_empty, report)?;
        }
    }
    let mut report = compiled.report;
    if psdb::exists(&options.output) {
        // Of the file that is there, whichever the run wrote.
        let output = psdb::File::open(&options.output)?;
        report.compiler_version = Dotted(output.target().compiler_version);
    }
    Ok(report)
}

/// Checks that a file is none of those that the run makes beside its outputs.
///
/// # Errors
///
/// [`Error::Usage`].
pub(crate) fn check_reserved(options: &Options, path: &Path) -> Result<()> {
    let path = psdb::path_of_file(path);
    for (_, output) in plan::outputs(options) {
        if renewal::reserved(&output).contains(&path) {
            return Err(Error::Usage(format!(
                "{}: the run needs this name while it compiles {} again: give another name",
                path.display(),
                output.display()
            )));
        }
    }
    Ok(())
}

/// Compiles into the files of the plan, all types of value that the user asked for.
fn complete(options: &Options, listener: &dyn Listener) -> Result<Compiled> {
    let mut compiled = once::compile(options, None, listener)?;
    if compiled.report.not_done == 0 {
        later::complete(options, &mut compiled, listener)?;
    }
    let Compiled {
        report,
        stored,
        outputs,
        ..
    } = &mut compiled;
    let without = completeness::without(&outputs.files, stored)?;
    let never = completeness::never_stored(&outputs.files, stored.len(), &without)?;
    report.never_stored = never.into_iter().map(type_name).collect();
    let named = |(kind, objects)| (type_name(kind), objects);
    report.without = without.into_iter().map(named).collect();
    Ok(compiled)
}

/// Puts the new files in the places of the old ones, or removes them if they have nothing.
fn replace(
    options: &Options,
    outputs: &Outputs,
    is_empty: bool,
    report: &mut Report,
) -> Result<()> {
    let output = options.output.display();
    if is_empty && !report.failures.is_empty() {
        let text = format!("no object could be compiled: {output} stays as it was");
        report.warnings.push(text);
        return outputs.discard();
    }
    match outputs.take_places() {
        Err(Error::Database(shader_db::Error::Busy { path })) => {
            report.in_use = true;
            report.warnings.push(format!(
                "{} is in use, so {output} was not replaced; everything is compiled: run the same command again to replace it",
                path.display(),
            ));
            Ok(())
        }
        done => done,
    }
}

/// Adds to the old files, which have objects that the new ones lack, and removes the new ones.
fn add_instead(options: &Options, renewed: Compiled, listener: &dyn Listener) -> Result<Compiled> {
    let Report {
        mut failures,
        mut warnings,
        ..
    } = renewed.report;
    let options = Options {
        recompile: Recompile::Must,
        ..options.clone()
    };
    let mut added = complete(&options, listener)?;
    let report = &mut added.report;
    let keys_of =
        |failures: &[Failure]| -> HashSet<String> { failures.iter().map(Failure::hex).collect() };
    let stored = added.stored.iter().map(|(key, _)| hex::encode(key));
    let stored: HashSet<String> = stored.collect();
    let (of_renewed, of_added) = (keys_of(&failures), keys_of(&report.failures));
    // In their order: those of objects that the old files keep, and those of objects that no file has.
    failures.retain(|failure| {
        let key = failure.hex();
        stored.contains(&key) || of_added.contains(&key)
    });
    let kept = failures
        .iter()
        .filter(|failure| stored.contains(&failure.hex()))
        .count();
    let new = mem::take(&mut report.failures).into_iter();
    failures.extend(new.filter(|failure| !of_renewed.contains(&failure.hex())));
    report.failures = failures;
    report.up_to_date = report.up_to_date.saturating_sub(kept);
    warnings.push(format!(
        "{kept} objects could not be compiled again: {} stays, since all that it has can still be used",
        options.output.display()
    ));
    let new = mem::take(&mut report.warnings).into_iter();
    let new: Vec<String> = new.filter(|text| !warnings.contains(text)).collect();
    warnings.extend(new);
    report.warnings = warnings;
    if report.not_done == 0 {
        renewed.outputs.discard()?;
    }
    Ok(added)
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
