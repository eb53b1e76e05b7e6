//! The process of a test, and the second ones that a test starts: each does what one request asks.

use std::any::Any;
use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::Ordering;

use conformance_catalogue::verdict::{Outcome, Stop};
use conformance_catalogue::{Party, Rule};
use conformance_protocol::journal::Journal;
use conformance_protocol::{ProcessChange, Request, Task, calls};
use serde::Serialize;

use crate::build::build;
use crate::driver::Driver;
use crate::plugin::layer;
use crate::plugin::subject::Subject;
use crate::replay::replay;
use crate::rules;
use crate::rules::driver::{abi, asds};
use crate::rules::plugin::pso::products::products;
use crate::rules::plugin::{bnd, cver, fam, mem};
use crate::runtime::Runtime;
use crate::watch::limits::Limits;
use crate::watch::{debugger, fault, process_change, wine};

/// So far is the clock of another time, where it is ours: another year, day, hour, minute and second. It is
/// the past, as one who waits until a time that he computes from this clock must not wait for a year.
const OTHER_TIME_SECONDS: i64 = -(((400 * 24 + 7) * 60 + 13) * 60 + 5);

/// Does what the request in a folder asks, writes the journal there, and ends the process. Comes back only when it cannot begin, with
/// the reason. `set_clock` sets the clock that the plugin sees by so many seconds.
pub fn run(folder: &Path, set_clock: fn(i64)) -> io::Error {
    match begin(folder, set_clock) {
        Err(error) => error,
    }
}

fn begin(folder: &Path, set_clock: fn(i64)) -> io::Result<Infallible> {
    let request = Request::read(folder)?;
    if request.changes.contains(&ProcessChange::Time) {
        set_clock(OTHER_TIME_SECONDS);
    }
    let is_debugged = matches!(request.task, Task::Test(_)) && debugger::is_there();
    if is_debugged {
        // Somebody may run it twice.
        Journal::remove(folder);
    } else {
        process_tree::behave();
    }
    let mut unchanged = request.changes.clone();
    unchanged.retain(|change| !process_change::begin(*change));
    let journal = Journal::create(folder)?;
    if is_debugged {
        debugger::wait();
    }
    fault::install(&journal);
    calls::install(journal.folder());
    let outcome = outcome(&request, &journal, unchanged)?;
    journal.finish(layer::unmet(), outcome);
    process_tree::exit_now(0)
}

fn outcome(
    request: &Request,
    journal: &Journal,
    unchanged: Vec<ProcessChange>,
) -> io::Result<Outcome> {
    let (library, plugin) = (request.library.clone(), request.plugin.clone());
    let driver = Driver::new(library, plugin.clone(), journal);
    let subject = Subject::new(plugin, journal, request.settings.clone());
    // Where allocations fail a call depends on what else allocates.
    layer::IS_UNTRACED.store(
        matches!(request.task, Task::OutOfMemory(_)),
        Ordering::Relaxed,
    );
    Ok(match &request.task {
        Task::Test(rule) => test(*rule, request, journal, &subject, &driver),
        Task::Replay(process) => {
            replay(request, process, journal)?;
            Ok(())
        }
        Task::Build => answer(journal, || build(&subject)),
        Task::Wine => answer(journal, || Ok(wine::version())),
        Task::Families => answer(journal, || fam::names(subject.open()?.capabilities()?)),
        Task::CompilerVersions => {
            answer(journal, || cver::versions(subject.open()?.capabilities()?))
        }
        Task::Products { only, first } => answer(journal, || {
            products(
                &subject,
                only.as_deref(),
                *first,
                &request.changes,
                unchanged,
            )
        }),
        Task::OutOfMemory(plan) => answer(journal, || bnd::out_of_memory(&subject, plan)),
        Task::Align(align) => answer(journal, || mem::works_at(&subject, *align)),
        Task::Provoke => answer(journal, || bnd::provoke(&subject)),
        Task::DriverBlob => answer(journal, || Driver::verdict(asds::blob_of(&driver))),
        Task::DriverStatus(state) => answer(journal, || {
            Driver::verdict(asds::state_of_device(&driver, state.clone()))
        }),
        Task::DriverKeys(version) => answer(journal, || {
            Driver::verdict(abi::keys_of_abi(&driver, *version))
        }),
    })
}

/// Makes the test of a rule.
fn test(
    rule: Rule,
    request: &Request,
    journal: &Journal,
    subject: &Subject,
    driver: &Driver,
) -> Outcome {
    let limits = Limits::now();
    let outcome = match rule.party() {
        Party::Plugin => made(rules::plugin::test(rule), subject),
        Party::Runtime | Party::Host => {
            let plugin = request.plugin.as_deref().unwrap_or(Path::new(""));
            let runtime = Runtime::new(request.library.as_deref(), plugin, journal);
            made(rules::runtime::test(rule), &runtime)
        }
        Party::Driver => Driver::verdict(made(rules::driver::test(rule), driver)),
    };
    outcome.map_err(|stop| match (stop, limits.lowered()) {
        (Stop::Tool(reason), lowered) if !lowered.is_empty() => {
            let lowered = lowered.join(", ");
            Stop::Undecided(format!("the library has lowered {lowered}: {reason}"))
        }
        (stop, _) => stop,
    })
}

fn made<S>(test: Option<fn(&S) -> Outcome>, of: &S) -> Outcome {
    let test = test.ok_or_else(|| Stop::Tool("the rule has no test".into()))?;
    caught(|| test(of))
}

/// Does what another process waits for, and answers it.
fn answer<T: Serialize>(journal: &Journal, work: impl FnOnce() -> Result<T, Stop>) -> Outcome {
    caught(|| {
        journal.answer(&work()?);
        Ok(())
    })
}

/// A panic is an error of the tool: one in the plugin cannot come out of it.
fn caught(work: impl FnOnce() -> Outcome) -> Outcome {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Stop::Tool(message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the test panicked: {}", text.unwrap_or("without a message"))
}
