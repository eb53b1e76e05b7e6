//! A run that tests one rule after the other, or several at a time, as its caller asks for them.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::Verdict;
use tempfile::TempDir;

use crate::child;
use crate::error::RunError;
use crate::filter::Filter;
use crate::gate::Closed;
use crate::machine::Machine;
use crate::options::{Options, plan};
use crate::report::{Effect, Report, RuleReport};
use crate::run_journal::RunJournal;
use crate::test::{not_started, test};
use crate::tested::Identities;

/// A run in progress. [`run`](crate::run) tests every rule of one; a harness with an order of its own asks for a rule at a
/// time, from as many threads as it likes.
///
/// It remembers what it has found: where a plugin died of a [gate](crate::is_gate), the rules behind that are undecided from then
/// on, as in any run.
#[derive(Debug)]
pub struct Session {
    options: Options,
    start: Instant,
    report: Report,
    journal: Option<RunJournal>,
    /// Of the rules that were tested, the last of each.
    results: Mutex<Vec<RuleReport>>,
    folder: TempDir,
    tests: AtomicUsize,
}

impl Session {
    /// Begins a run, which tests nothing yet.
    ///
    /// # Errors
    ///
    /// Those of [`run`](crate::run) before its first test.
    pub fn new(options: Options) -> Result<Self, RunError> {
        let mut session = Self::begun(options)?;
        session.open_journal()?;
        Ok(session)
    }

    /// The same without the journal.
    pub(crate) fn begun(options: Options) -> Result<Self, RunError> {
        let start = Instant::now();
        let tested = Identities::of(&options.tested)?;
        options.check_corpus()?;
        let rules = options.rules();
        if rules.is_empty() {
            return Err(match options.settings.fault_plan {
                Some(_) => RunError::NoFaultPlan,
                None => RunError::NoTests,
            });
        }
        let folder = child::folder()?;
        let report = Report {
            tested,
            env: options.shown_env(),
            settings: options.settings.clone(),
            plan: rules,
            rules: Vec::new(),
            of: plan(&options.tested, &Filter::all()).len(),
            elapsed: Duration::ZERO,
            waivers: options.waivers.clone(),
        };
        Ok(Self {
            options,
            start,
            report,
            journal: None,
            results: Mutex::default(),
            folder,
            tests: AtomicUsize::new(0),
        })
    }

    /// Begins the journal, or takes the results of the one to go on from; and begins the trace.
    pub(crate) fn open_journal(&mut self) -> Result<(), RunError> {
        self.journal = match &self.options.journal {
            None => None,
            Some(path) if self.options.resume => {
                let mut resumed = self.report.clone();
                let journal = RunJournal::resume(path, &mut resumed, Machine::of(&self.options))?;
                self.results = Mutex::new(resumed.rules);
                Some(journal)
            }
            Some(path) => Some(RunJournal::create(
                path,
                &self.report,
                Machine::of(&self.options),
            )?),
        };
        let trace = self.options.trace.as_deref();
        self.options.trace = trace
            .map(|path| new_trace(path, self.options.resume))
            .transpose()?;
        Ok(())
    }

    /// The run as it began: what is tested, how, and the plan, but no results.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What was found, the last result of each rule that was tested.
    pub(crate) fn results(&self) -> Vec<RuleReport> {
        self.known().clone()
    }

    fn known(&self) -> MutexGuard<'_, Vec<RuleReport>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tests a rule of the plan in a process of its own; `None` when the run is interrupted. A rule can be tested again.
    ///
    /// # Errors
    ///
    /// The rule is not in the plan, or the journal cannot be written.
    pub fn run_rule(&self, rule: Rule) -> Result<Option<RuleReport>, RunError> {
        if !self.report.plan.contains(&rule) {
            return Err(RunError::NotPlanned(rule));
        }
        if self.options.is_interrupted() {
            return Ok(None);
        }
        let closed = {
            let known = self.known();
            // A gate itself can be tried again.
            let mut others = known.iter().filter(|result| result.rule != rule);
            others.find_map(Closed::by)
        };
        let behind = closed.as_ref().and_then(|closed| closed.result(rule));
        let Some(mut result) = behind.or_else(|| self.repeated(rule)) else {
            return Ok(None);
        };
        if let Some(closed) = closed
            && closed.is_cause_of(&result)
        {
            result = closed.undecided(rule, result.elapsed);
        }
        // The last result of a rule is the last one in the journal, too.
        let mut known = self.known();
        if let Some(journal) = &self.journal {
            journal.add(&result)?;
        }
        known.retain(|other| other.rule != rule);
        known.push(result.clone());
        Ok(Some(result))
    }

    /// What a result means to whoever tests rule by rule, and has an answer of its own for each rule. As in a report, but a rule
    /// that is undecided because of another one is minor where that one's own answer was a failure: it is told once.
    pub fn effect(&self, result: &RuleReport, strict: bool) -> Effect {
        let is_waived = |result: &RuleReport| self.report.waiver_of(result).is_some();
        let is_told = match result.verdict {
            Verdict::Undecided {
                needs: Some(needed),
                ..
            } => self.known().iter().any(|other| {
                other.rule == needed && !is_waived(other) && other.effect(strict) == Effect::Fails
            }),
            _ => false,
        };
        if is_waived(result) || is_told {
            Effect::Minor
        } else {
            result.effect(strict)
        }
    }

    /// Ends the run.
    ///
    /// # Errors
    ///
    /// The journal cannot be written.
    pub fn finish(self) -> Result<Report, RunError> {
        let results = self.results.into_inner();
        let mut report = Report {
            rules: results.unwrap_or_else(PoisonError::into_inner),
            elapsed: self.start.elapsed(),
            ..self.report
        };
        report.sort();
        if let Some(journal) = self.journal {
            journal.end(report.elapsed)?;
        }
        Ok(report)
    }

    /// Runs one test as often as the options say, as long as the rule holds; `None` when the run is interrupted.
    fn repeated(&self, rule: Rule) -> Option<RuleReport> {
        let times = self.options.repeat;
        let mut number = NonZeroU32::MIN;
        loop {
            let of_test = self.tests.fetch_add(1, Ordering::Relaxed);
            let folder = self.folder.path().join(of_test.to_string());
            let mut result = match fs::create_dir(&folder) {
                Ok(()) => test(&self.options, rule, &folder),
                Err(error) => not_started(rule, &error),
            };
            // A harness may test for a long time.
            let _ = fs::remove_dir_all(&folder);
            // A test that was killed for it says nothing.
            if self.options.is_interrupted() {
                return None;
            }
            let holds = result.verdict == Verdict::Pass;
            if !holds && number > NonZeroU32::MIN {
                result
                    .notes
                    .push(format!("in run {number} of {times}, after it held"));
            }
            if !holds || number == times {
                return Some(result);
            }
            number = number.saturating_add(1);
        }
    }
}

/// Makes the file of a trace; its absolute path, as what is tested may change the folder.
fn new_trace(path: &Path, goes_on: bool) -> Result<PathBuf, RunError> {
    let make = || {
        let mut file = fs::File::options();
        file.append(true)
            .create(goes_on)
            .create_new(!goes_on)
            .open(path)?;
        std::path::absolute(path)
    };
    make().map_err(|source| RunError::Trace {
        path: path.to_owned(),
        source,
    })
}
