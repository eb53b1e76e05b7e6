//! A run: every test of a plan, several at a time.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::Verdict;

use crate::error::RunError;
use crate::gate::is_gate;
use crate::options::Options;
use crate::parallel::in_parallel;
use crate::report::{Event, Report, RuleReport};
use crate::session::Session;

/// Runs the selected tests. `each` is told of every result as it comes, in no particular order, after it is in the journal; the
/// report has them in the order of [`rules::all`](conformance_catalogue::rules::all).
///
/// # Errors
///
/// A library's file cannot be read, no test is selected, or the system refuses what the tool needs.
/// A library that is broken, however badly, is not an error.
pub fn run(options: &Options, mut each: impl FnMut(Event<'_>)) -> Result<Report, RunError> {
    let mut session = Session::begun(options.clone())?;
    each(Event::Begun(session.report()));
    session.open_journal()?;
    let known = session.results();
    for result in &known {
        each(Event::Decided(result));
    }
    let is_known = |rule: &Rule| known.iter().any(|result| result.rule == *rule);
    let left = session.report().plan.iter().filter(|rule| !is_known(rule));
    let (first, left): (Vec<_>, Vec<_>) = left.copied().partition(|rule| is_gate(*rule));
    let end = || options.interrupt.store(true, Ordering::Relaxed);
    let error = Mutex::new(None);
    let tested = |rule: &Rule| {
        let result = session.run_rule(*rule);
        result.unwrap_or_else(|what| {
            end();
            let mut error = error.lock().unwrap_or_else(PoisonError::into_inner);
            error.get_or_insert(what);
            None
        })
    };
    let mut decided = |result: &RuleReport| {
        each(Event::Decided(result));
        let is_minor = matches!(result.verdict, Verdict::Warn(_))
            || session.report().waiver_of(result).is_some();
        if options.fail_fast && result.verdict.is_broken() && !is_minor {
            end();
        }
    };
    // One after the other: each can close the way of the next.
    for rule in &first {
        let Some(result) = tested(rule) else {
            break;
        };
        decided(&result);
    }
    in_parallel(options.jobs, &left, tested, decided);
    if let Some(error) = error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let report = session.finish()?;
    let is_whole = report
        .rules
        .iter()
        .map(|result| &result.rule)
        .eq(&report.plan);
    if !is_whole && !options.is_interrupted() {
        return Err(RunError::Accounting {
            planned: report.plan.len(),
            done: report.rules.len(),
        });
    }
    Ok(report)
}
