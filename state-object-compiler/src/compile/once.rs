//! One compilation: it compiles what the plan has, into files that it keeps open meanwhile.

use std::collections::HashSet;
use std::mem;
use std::time::Instant;

use super::options::{Listener, Options};
use super::output::Output;
use super::plan::Plan;
use super::renewal::Outputs;
use super::report::{Report, Stored};
use super::work::{self, Done};
use crate::{Dotted, Result};

/// The result of a compilation.
pub struct Compiled {
    pub report: Report,
    /// The objects of it that the output has.
    pub stored: Vec<Stored>,
    pub outputs: Outputs,
    /// The warnings about files that would be better compiled again.
    pub aged: Vec<String>,
}

/// Compiles the selected objects, or of them `only` these.
pub fn compile(
    options: &Options,
    only: Option<&HashSet<&[u8]>>,
    listener: &dyn Listener,
) -> Result<Compiled> {
    let begun = Instant::now();
    let mut plan = Plan::new(options, only, listener)?;
    let output = Output::open(&mut plan)?;
    let mut report = Report::new(options, plan.key.take(), output.database.psdb().target());
    report.warnings = mem::take(&mut plan.warnings);
    let aged = mem::take(&mut plan.aged);
    let done = work::run(plan, &output, begun, listener, &mut report);
    if done.is_err() {
        // The error that ends a run costs no object that is done.
        let _ = output.database.flush();
    }
    output.check_there()?;
    let Done {
        tried,
        stored,
        outputs,
    } = done?;
    let (warnings, compiler) = output.finish(tried)?;
    report.warnings.extend(warnings);
    report.compiler_version = Dotted(compiler);
    Ok(Compiled {
        report,
        stored,
        outputs,
        aged,
    })
}
