//! A second process, which some tests compare their own with.

use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use conformance_catalogue::verdict::Stop;
use conformance_protocol::journal::{Account, Journal};
use conformance_protocol::{ProcessChange, Request, Task};
use serde::de::DeserializeOwned;

use crate::driver::Driver;
use crate::plugin::subject::Subject;
use crate::watch::process_change::{self, CLOCK_IS_OURS};

/// So much later starts a process where the clock is not ours, so that one of seconds has moved.
const LATER: Duration = Duration::from_millis(2100);

impl Subject<'_> {
    /// What a new process answers that does a task with the plugin.
    pub(crate) fn ask<T: DeserializeOwned>(&self, task: Task) -> Result<T, Stop> {
        self.ask_with(task, |_| {})
    }

    /// The same with a request in which `more` is different.
    pub(crate) fn ask_with<T: DeserializeOwned>(
        &self,
        task: Task,
        more: impl FnOnce(&mut Request),
    ) -> Result<T, Stop> {
        let mut request = Request {
            plugin: self.path().map(Path::to_owned),
            settings: self.settings().clone(),
            ..Request::new(task)
        };
        more(&mut request);
        ask(self.journal(), &request)
    }
}

impl Driver<'_> {
    /// What a new process answers that does a task with the driver.
    pub(crate) fn ask<T: DeserializeOwned>(&self, task: Task) -> Result<T, Stop> {
        let request = Request {
            library: self.library().map(Path::to_owned),
            plugin: self.plugin_path().map(Path::to_owned),
            ..Request::new(task)
        };
        ask(self.journal(), &request)
    }
}

fn ask<T: DeserializeOwned>(journal: &Journal, request: &Request) -> Result<T, Stop> {
    let tool = |error| Stop::Tool(format!("second process: {error}"));
    journal.at("running a second process");
    let exe = std::env::current_exe().map_err(tool)?;
    let folder = tempfile::tempdir_in(journal.folder()).map_err(tool)?;
    let mut command = request.command(&exe, folder.path()).map_err(tool)?;
    for change in &request.changes {
        process_change::prepare(*change, &mut command, folder.path()).map_err(tool)?;
    }
    if request.changes.contains(&ProcessChange::Time) && !CLOCK_IS_OURS {
        thread::sleep(LATER);
    }
    command.stdin(Stdio::null());
    let mut second = process_tree::patiently(|| command.spawn()).map_err(tool)?;
    // The end is unknown where the plugin has this process ignore SIGCHLD.
    let how = match second.wait() {
        Ok(status) => process_tree::death(status).unwrap_or_else(|| status.to_string()),
        Err(error) => format!("how is unknown ({error})"),
    };
    Account::read(folder.path()).answered(how)
}
