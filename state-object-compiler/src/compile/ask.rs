//! Asks a plugin in a worker process, as a plugin may crash or hang as soon as it is loaded.

use std::time::Instant;

use serde::de::DeserializeOwned;

use super::options::Workers;
use super::process::{DYING, Heard, Killed, Process, how, twice};
use super::protocol::{Report, Task, parse};
use crate::plugin::PluginChoice;
use crate::question::Question;
use crate::{Error, Result, exit_code};

/// Asks a worker process, and if that dies, another one. The answer of a plugin is untrusted text.
pub fn ask<Q: Question>(
    question: &Q,
    plugin: &PluginChoice,
    workers: &Workers,
    interrupts: &dyn Fn() -> usize,
) -> Result<Q::Answer> {
    let task = || Task::Ask(plugin.clone(), question.clone().into());
    let first = match ask_once(task(), workers, interrupts)? {
        Ok(answer) => return Ok(answer),
        Err(how) => how,
    };
    ask_once(task(), workers, interrupts)?.map_err(|how| {
        Error::Usage(format!(
            "{}: the plugin cannot say what it compiles for: {}",
            plugin.as_path().display(),
            twice(&first, &how)
        ))
    })
}

/// Asks once; inside is the cause of the process's death.
fn ask_once<A: DeserializeOwned>(
    task: Task,
    workers: &Workers,
    interrupts: &dyn Fn() -> usize,
) -> Result<Result<A, String>> {
    if interrupts() != 0 {
        return Err(Error::Interrupted);
    }
    let process = Process::start(workers, task, |frame| Ok(Heard::Report(frame)))?;
    let timeout = workers.timeout;
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let listen = || process.listen(deadline, &|| interrupts() != 0);
    let mut heard = listen();
    let is_ready = matches!(heard.as_deref().map(parse), Ok(Ok(Report::Ready)));
    if is_ready {
        heard = listen();
    }
    let killed = match heard {
        Err(killed) => killed,
        Ok(frame) => match parse(&frame) {
            Ok(Report::Answer(answer)) => match serde_json::from_str(answer) {
                Ok(answer) => return Ok(Ok(answer)),
                Err(_) => Some(Killed::Malformed),
            },
            Ok(Report::Broken {
                is_worth_a_retry,
                text,
            }) => {
                return Err(
                    match Error::of_worker(is_worth_a_retry, text.into_owned()) {
                        Error::Worker {
                            text,
                            exit_code: exit_code::USAGE,
                        } => Error::Usage(text),
                        error => error,
                    },
                );
            }
            _ => Some(Killed::Malformed),
        },
    };
    // The error tells how it ended.
    match process.end(killed, DYING) {
        (Some(Killed::Interrupted), _) => Err(Error::Interrupted),
        // Without the plugin: the system had no memory for it, for example.
        (None, status) if !is_ready => Err(Error::of_worker(
            true,
            format!(
                "it ended before it could begin: {}",
                how(None, status, timeout)
            ),
        )),
        (killed, status) => Ok(Err(how(killed, status, timeout))),
    }
}
