//! Has the plugin compile the plan: in this process, or in worker processes.

use std::ffi::OsString;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use compiler_runtime::{Factory, TargetDesc};
use shader_db::sodb::Sodb;
use shader_db::temporary;

use super::options::{Listener, Workers};
use super::output::Output;
use super::plan::{Place, Plan};
use super::protocol::{Job, TypeBits};
use super::renewal::Outputs;
use super::report::{Report, Stored};
use super::run::Run;
use super::{in_process, open_files, supervisor};
use crate::plugin::to_desc;
use crate::report::path_text;
use crate::{Error, Result};

/// The result of a plan, besides the report.
pub struct Done {
    /// Whether there was something to compile.
    pub tried: bool,
    /// The selected objects that the output has.
    pub stored: Vec<Stored>,
    /// The files of the plan.
    pub outputs: Outputs,
}

/// Compiles the objects that the output lacks, and adds their outcomes to the report.
pub fn run(
    plan: Plan,
    output: &Output,
    begun: Instant,
    listener: &dyn Listener,
    report: &mut Report,
) -> Result<Done> {
    let wanted = plan.options.threads.get().min(plan.entries.len());
    let work = Work {
        count: open_files::affordable(wanted),
        output,
        begun,
        listener,
        report,
    };
    match plan.place.clone() {
        Place::Here(factory) => work.in_process(plan, &factory),
        Place::Workers(workers) => work.in_workers(plan, workers),
    }
}

struct Work<'a> {
    /// The greatest number of threads or processes.
    count: usize,
    output: &'a Output,
    begun: Instant,
    listener: &'a dyn Listener,
    report: &'a mut Report,
}

impl Work<'_> {
    fn in_process(self, plan: Plan, factory: &Factory) -> Result<Done> {
        let target = TargetDesc {
            adapter_family_index: plan.family_index,
            abi_version: plan.target.abi,
        };
        let application = to_desc(&plan.application)?;
        let store = Arc::clone(&self.output.database) as _;
        let session = factory.create_session_over(store, target, &application)?;
        let run = Run::new(plan.entries, &plan.selected, &self.output.there, 0);
        let left = self.begin(&run)?;
        let threads = self.count.min(left);
        in_process::go(
            &run,
            threads,
            &plan.sodb,
            &session,
            &self.output.database,
            self.begun,
            self.listener,
        )?;
        Ok(Done {
            tried: left != 0,
            stored: self.report.add(&run),
            outputs: plan.outputs,
        })
    }

    fn in_workers(self, plan: Plan, workers: &Workers) -> Result<Done> {
        let mut job = Job {
            sodb: plan.options.sodb.clone(),
            plugin: plan.options.plugin.clone(),
            family_index: plan.family_index,
            abi: plan.target.abi,
            application: plan.application,
            types: TypeBits(self.output.database.psdb().types()),
            is_new: self.output.is_new,
        };
        let run = Run::new(plan.entries, &plan.selected, &self.output.there, self.count);
        // The copy may need the file exclusively.
        plan.sodb.close()?;
        let left = self.begin(&run)?;
        let copied = if left == 0 {
            None
        } else {
            with_its_log(&job.sodb)?
        };
        // The user knows the original, not the copy.
        let names = copied
            .as_ref()
            .map(|(_, copy)| (path_text(copy), path_text(&job.sodb)));
        if let Some((_, copy)) = &copied {
            job.sodb.clone_from(copy);
        }
        let renamed = |text: String| match &names {
            None => text,
            Some((copy, original)) => text.replace(copy, original),
        };
        let warnings = supervisor::go(
            &run,
            workers,
            self.count.min(left),
            &job,
            &self.output.database,
            self.begun,
            self.listener,
        )
        .map_err(|error| match error {
            Error::Worker { text, exit_code } => Error::Worker {
                text: renamed(text),
                exit_code,
            },
            error => error,
        })?;
        drop(copied);
        self.report.warnings.extend(warnings);
        let stored = self.report.add(&run);
        for failure in &mut self.report.failures {
            failure.reason = renamed(mem::take(&mut failure.reason));
        }
        Ok(Done {
            tried: left != 0,
            stored,
            outputs: plan.outputs,
        })
    }

    /// How many objects the run compiles. Prepares the files for them.
    fn begin<M: Send>(&self, run: &Run<M>) -> Result<usize> {
        let left = run.left();
        if left != 0 {
            self.output.begin()?;
        }
        Ok(left)
    }
}

/// An SODB with a leftover WAL can be read by one process only. The workers get a copy that contains the WAL.
fn with_its_log(sodb: &Path) -> Result<Option<(temporary::Folder, PathBuf)>> {
    let beside = |path: &Path, suffix| {
        let mut name = OsString::from(path);
        name.push(suffix);
        PathBuf::from(name)
    };
    let log = beside(sodb, "-wal");
    let has_log = log.metadata().is_ok_and(|log| log.len() != 0);
    if !has_log || beside(sodb, "-shm").exists() {
        return Ok(None);
    }
    let (folder, copy) = temporary::copy_with_log(sodb)?;
    Sodb::checkpoint(&copy).map_err(|error| error.called(&copy, sodb))?;
    Ok(Some((folder, copy)))
}
