//! The test of one rule, in a process of its own.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::Verdict;
use conformance_protocol::death::{Death, with_place};
use conformance_protocol::journal::{Account, Journal};
use conformance_protocol::{Task, layer, record};

use crate::options::Options;
use crate::process::{self, Ended};
use crate::report::RuleReport;
use crate::tested::Tested;

/// Runs one test.
pub(crate) fn test(options: &Options, rule: Rule, folder: &Path) -> RuleReport {
    let folder = folder_of(folder, rule);
    let ended = match ended(options, rule, &folder) {
        Ok(ended) => ended,
        Err(error) => return not_started(rule, &error),
    };
    let mut account = Account::read(&folder);
    let (notes, fault_plan) = (account.notes.clone(), account.fault_plan.take());
    let calls = account.calls.lines();
    let in_first_compile = account.calls.is_in_first_compile();
    let backtrace = account.death.as_ref().map(Death::backtrace);
    let backtrace = backtrace.unwrap_or_default();
    let verdict = if Journal::is_in(&folder) {
        judge(options, rule, &ended, account)
    } else {
        let how = ended.status.map_or_else(|| "took too long".into(), how);
        let reason = format!("the test's process did not begin: {how}");
        Verdict::ToolError { reason }
    };
    let of_broken = |mut list: Vec<String>| {
        list.retain(|_| verdict.is_broken());
        list
    };
    RuleReport {
        rule,
        elapsed: ended.elapsed,
        notes,
        calls: of_broken(calls),
        in_first_compile: in_first_compile
            && matches!(verdict, Verdict::Crash { .. } | Verdict::Timeout { .. }),
        backtrace: of_broken(backtrace),
        fault_plan: fault_plan.filter(|_| verdict.is_broken()),
        output: match verdict {
            Verdict::Pass => String::new(),
            _ => ended.output,
        },
        verdict,
    }
}

/// The folder of the test of `rule`.
pub(crate) fn folder_of(folder: &Path, rule: Rule) -> PathBuf {
    folder.join(rule.id())
}

/// Has a child make the test of a rule, in a new folder.
fn ended(options: &Options, rule: Rule, folder: &Path) -> io::Result<Ended> {
    std::fs::create_dir(folder)?;
    let mut request = options.tested.request(Task::Test(rule))?;
    request.settings = options.settings.clone();
    let mut command = request.command(&options.exe, folder)?;
    command.envs(options.env.iter().map(|(name, value)| (name, value)));
    if let Tested::Runtime { .. } = options.tested {
        command.env(record::VARIABLE, folder.join("host"));
    }
    if let Some(trace) = &options.trace {
        command
            .env(layer::TRACE, trace)
            .env(layer::TRACED_RULE, rule.id());
    }
    let mut run = || match options.debugger {
        Some(debugger) => debugger.run(&command),
        None => process::run(&mut command, options.limit(), &options.interrupt),
    };
    let ended = run()?;
    if Journal::is_in(folder) || ended.status.is_none() || options.debugger.is_some() {
        return Ok(ended);
    }
    // What is tested has not been touched: it was the machine.
    run()
}

/// The result of a rule whose test the system did not let begin.
pub(crate) fn not_started(rule: Rule, error: &io::Error) -> RuleReport {
    let reason = format!("cannot start the test's process: {error}");
    RuleReport::new(rule, Verdict::ToolError { reason })
}

/// How a process ended that has given no verdict.
fn how(status: ExitStatus) -> String {
    process_tree::death(status).unwrap_or_else(|| {
        let code = status.code().unwrap_or_default();
        format!("ended without a verdict, with exit code {code}")
    })
}

/// What a test's process and its journal amount to.
fn judge(options: &Options, rule: Rule, ended: &Ended, account: Account) -> Verdict {
    let during = account.calls.during(account.at);
    match (account.outcome, ended.status) {
        (Some(outcome), _) => Verdict::of(rule, outcome, during),
        (None, None) => Verdict::Timeout {
            after_ms: u64::try_from(ended.elapsed.as_millis()).unwrap_or(u64::MAX),
            during,
        },
        (None, Some(status)) => {
            // That status is the debugger's.
            let how = match options.debugger {
                Some(_) => "the process died".into(),
                None => how(status),
            };
            Verdict::Crash {
                how: with_place(how, account.death.as_ref()),
                during,
            }
        }
    }
}
