//! Questions to a plugin about its targets. A worker process asks them, as a plugin may crash or hang as soon as it is
//! loaded.

use std::time::Instant;

use compiler_runtime::{Factory, TargetDesc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shader_db::psdb::{Application, Target};

use super::application::to_desc;
use super::options::Workers;
use super::process::{DYING, Heard, Killed, Process, how, twice};
use super::protocol::{Report, Task, parse};
use crate::list::PluginChoice;
use crate::report::one_line;
use crate::{Error, Result, exit_code};

/// A question that this program can ask a plugin.
pub trait Question {
    /// The task of the worker that asks the plugin.
    fn task(&self, plugin: PluginChoice) -> Task;

    type Answer: Serialize + DeserializeOwned;

    /// Asks the plugin in this process.
    fn ask(&self, factory: &Factory) -> Result<Self::Answer>;

    /// Asks the plugin in a worker process, and if that dies, in another one. The answer of a plugin is untrusted text.
    fn ask_elsewhere(
        &self,
        plugin: &PluginChoice,
        workers: &Workers,
        interrupts: &dyn Fn() -> usize,
    ) -> Result<Self::Answer> {
        let ask = || ask_once(self.task(plugin.clone()), workers, interrupts);
        let first = match ask()? {
            Ok(answer) => return Ok(answer),
            Err(how) => how,
        };
        ask()?.map_err(|how| {
            Error::Usage(format!(
                "{}: the plugin cannot say what it compiles for: {}",
                plugin.as_path().display(),
                twice(&first, &how)
            ))
        })
    }
}

/// The target of a compilation, as far as the command line and the files name it.
#[derive(Clone, Serialize, Deserialize)]
pub struct TargetQuestion {
    /// By name or by index; not needed if the plugin has only one.
    pub adapter_family: Option<String>,
    /// 0 is the newest.
    pub abi: u64,
    #[serde(with = "ApplicationFields")]
    pub application: Application,
}

/// The target that the plugin has for the question.
#[derive(Serialize, Deserialize)]
pub struct Answer {
    pub family_index: u32,
    #[serde(with = "TargetFields")]
    pub target: Target,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Application")]
pub struct ApplicationFields {
    exe: String,
    name: String,
    version: u64,
    engine_name: Option<String>,
    engine_version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Target")]
pub struct TargetFields {
    family: String,
    abi: u64,
    compiler_version: u64,
    profile_version: u64,
}

impl Question for TargetQuestion {
    type Answer = Answer;

    fn task(&self, plugin: PluginChoice) -> Task {
        Task::Target(plugin, self.clone())
    }

    fn ask(&self, factory: &Factory) -> Result<Answer> {
        let family_index = self.family(factory)?;
        let target = TargetDesc {
            adapter_family_index: family_index,
            abi_version: self.abi,
        };
        let application = to_desc(&self.application)?;
        Ok(Answer {
            family_index,
            target: Target {
                family: factory.adapter_family(family_index)?,
                abi: factory.target(target)?.abi_version(),
                compiler_version: factory.compiler_version(family_index)?,
                profile_version: factory.application_profile_version(target, &application)?,
            },
        })
    }
}

impl TargetQuestion {
    /// The index of the family that has this exact name, or else this number.
    fn family(&self, factory: &Factory) -> Result<u32> {
        let wanted = self.adapter_family.as_deref();
        if let Some(wanted) = wanted {
            if let Some(index) = factory.find_adapter_family(wanted)? {
                return Ok(index);
            }
            if let Ok(index) = wanted.parse() {
                match factory.adapter_family(index) {
                    Ok(_) => return Ok(index),
                    Err(compiler_runtime::Error::NoSuchFamily { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let families = factory.adapter_families()?;
        let mut good = (0..).zip(&families).filter(|(_, family)| family.is_ok());
        if wanted.is_none()
            && let (Some((index, _)), None) = (good.next(), good.next())
        {
            return Ok(index);
        }
        let problem = match wanted {
            Some(wanted) => format!("the plugin has no adapter family {wanted:?}"),
            None => "--adapter-family is needed, as the plugin does not have one only".into(),
        };
        let list: Vec<String> = families
            .iter()
            .enumerate()
            .map(|(place, family)| match family {
                Ok(name) => format!("{place} ({})", one_line(name)),
                Err(error) => format!("{place} (unusable: {})", one_line(&error.to_string())),
            })
            .collect();
        Err(Error::Usage(format!(
            "{problem}; there are {}",
            list.join(", ")
        )))
    }
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
    let killed = match process.listen(deadline, &|| interrupts() != 0) {
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
        (killed, status) => Ok(Err(how(killed, status, timeout))),
    }
}
