//! The process of one test, and what it shares with a second one.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::Stop;
use conformance_protocol::journal::Journal;
use conformance_protocol::{Settings, calls};
use process_tree::{behave, exit_now};

use crate::Tested;
use crate::debugger;
use crate::driver::Driver;
use crate::fault;
use crate::layer;
use crate::limits::Limits;
use crate::rules;
use crate::runtime::Runtime;
use crate::subject::Subject;

/// Makes the test of `rule` and writes its outcome to the journal. Comes back only when there is no
/// journal to write to.
pub fn run_test(rule: Rule, journal: &Path, tested: Tested, settings: Settings) -> ExitCode {
    if debugger::is_there() {
        // Somebody may run it twice.
        for name in [
            journal.to_owned(),
            journal.with_file_name("calls"),
            journal.with_file_name("modules"),
        ] {
            let _ = std::fs::remove_file(name);
        }
    } else {
        behave();
    }
    let journal = match Journal::create(journal) {
        Ok(journal) => journal,
        Err(error) => {
            eprintln!("cannot write the journal: {error}");
            return crate::exit_code::TOOL_ERROR.into();
        }
    };
    debugger::wait();
    fault::install(&journal);
    calls::install(journal.folder());
    let limits = Limits::now();
    let no_test = || Stop::Tool(format!("{rule} has no test of this"));
    let outcome = match tested {
        Tested::Plugin(plugin) => rules::plugin::test(rule)
            .ok_or_else(no_test)
            .and_then(|test| {
                let subject = Subject::new(plugin, &journal, settings);
                caught(|| test(&subject))
            }),
        Tested::Runtime { library, plugin } => rules::runtime::test(rule)
            .ok_or_else(no_test)
            .and_then(|test| {
                let runtime = Runtime::new(library.as_deref(), &plugin, &journal);
                caught(|| test(&runtime))
            }),
        Tested::Driver { library, plugin } => rules::driver::test(rule)
            .ok_or_else(no_test)
            .and_then(|test| {
                let driver = Driver::new(library, plugin, &journal);
                Driver::verdict(caught(|| test(&driver)))
            }),
    };
    let outcome = outcome.map_err(|stop| match (stop, limits.lowered()) {
        (Stop::Tool(reason), lowered) if !lowered.is_empty() => {
            let lowered = lowered.join(", ");
            Stop::Undecided(format!("the library has lowered {lowered}: {reason}"))
        }
        (stop, _) => stop,
    });
    journal.finish(layer::unmet(), outcome);
    exit_now(0)
}

/// A panic is an error of the tool: one in the plugin cannot come out of it.
pub(crate) fn caught<T>(test: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    catch_unwind(AssertUnwindSafe(test)).unwrap_or_else(|panic| Err(Stop::Tool(message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the test panicked: {}", text.unwrap_or("without a message"))
}
