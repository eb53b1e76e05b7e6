//! A worker: the process in which the plugin compiles, one object after the other.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use compiler_runtime::message::Messages;
use compiler_runtime::{StateObject, ValueTypes};
use shader_db::sodb::{Access, Sodb};

use super::object::{self, Descriptions, Failure, Object};
use super::outbox::Outbox;
use super::protocol::{Command, Compile, Frame, Made, read_frame};
use super::{STACK, stdio};
use crate::key::shown;
use crate::list::PluginChoice;
use crate::{Error, Result, exit_code};

/// What a worker works on. Its supervisor has made the files and writes them.
#[derive(Clone, Debug)]
pub struct Job {
    /// The SODB.
    pub sodb: PathBuf,
    /// The PSDBs, each for the types of value in its set.
    pub files: Vec<(ValueTypes, PathBuf)>,
    /// The plugin.
    pub plugin: PluginChoice,
}

impl Job {
    /// The arguments of a worker's process: the SODB, the plugin, and for each file the bits of its types and its path.
    pub fn args(&self) -> Vec<OsString> {
        let plugin = match &self.plugin {
            PluginChoice::Sample => "sample".into(),
            PluginChoice::File(path) => path.into(),
        };
        let files = self.files.iter();
        let files = files.flat_map(|(types, path)| [types.bits().to_string().into(), path.into()]);
        [self.sodb.clone().into(), plugin]
            .into_iter()
            .chain(files)
            .collect()
    }

    /// What [`args`](Self::args) makes.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`].
    pub fn from_args(args: &[OsString]) -> Result<Self> {
        let wrong = || Error::Usage("`compile` starts workers, and nobody else".into());
        let [sodb, plugin, files @ ..] = args else {
            return Err(wrong());
        };
        let (files, []) = files.as_chunks::<2>() else {
            return Err(wrong());
        };
        let file = |[types, path]: &[OsString; 2]| {
            let bits = types.to_str()?.parse().ok()?;
            Some((ValueTypes::from_bits(bits)?, path.into()))
        };
        Ok(Self {
            sodb: sodb.into(),
            files: files
                .iter()
                .map(file)
                .collect::<Option<_>>()
                .ok_or_else(wrong)?,
            plugin: PluginChoice::from(Path::new(plugin)),
        })
    }
}

/// Does what the process that started this one says on standard input, and reports on standard output. Its end ends this
/// process, whatever the plugin is doing.
///
/// # Errors
///
/// [`Error::Output`] if it has not the streams of a worker. What else goes wrong is reported.
pub fn work(job: Job) -> Result<()> {
    process_tree::behave();
    process_tree::die_of_exceptions();
    let (input, output) = stdio::take().map_err(Error::Output)?;
    let (sender, commands) = mpsc::channel();
    thread::Builder::new()
        .name("commands".into())
        .spawn(move || {
            listen(input, |frame| drop(sender.send(frame)));
            process_tree::exit_now()
        })
        .map_err(Error::Output)?;
    let worker = thread::Builder::new()
        .name("compiler".into())
        .stack_size(STACK)
        .spawn(move || {
            let mut reports = Reports(output);
            if let Err(error) = serve(&job, &commands, &mut reports) {
                let mut frame = Frame::default();
                frame.broken(error.exit_code(), &error.to_string());
                reports.send(frame);
            }
        })
        .map_err(Error::Output)?;
    // Its panic is ours: the supervisor sees how this process ends.
    worker
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok(())
}

/// Hands on what is said, until there will be nothing more.
fn listen(mut input: impl Read, each: impl Fn(Vec<u8>)) {
    let mut input = io::BufReader::new(&mut input);
    let mut frame = Vec::new();
    while let Ok(true) = read_frame(&mut input, &mut frame) {
        each(std::mem::take(&mut frame));
    }
}

struct Reports<W>(W);

impl<W: Write> Reports<W> {
    fn send(&mut self, mut frame: Frame) {
        if self.0.write_all(&frame.take()).is_err() {
            // Nobody is there to hear of it.
            process_tree::exit_now();
        }
    }
}

fn serve(job: &Job, commands: &Receiver<Vec<u8>>, reports: &mut Reports<impl Write>) -> Result<()> {
    let sodb = Sodb::open(&job.sodb, Access::Read)?;
    let factory = job.plugin.open()?;
    let outbox = Arc::new(Outbox::default());
    let session = factory.create_watching_session(&job.files, Arc::clone(&outbox) as _)?;
    let compiler = factory.create_compiler(&session)?;
    let mut frame = Frame::default();
    frame.ready();
    reports.send(frame);

    let mut descs = Descriptions::new(&sodb);
    let mut made: HashMap<Vec<u8>, StateObject> = HashMap::new();
    let mut waiting = VecDeque::new();
    loop {
        waiting.extend(commands.try_iter());
        let Some(command) = waiting.pop_front().or_else(|| commands.recv().ok()) else {
            break;
        };
        let command = Command::read(&command).map_err(|_| malformed())?;
        let Compile {
            key,
            version,
            keep,
            needs,
        } = match command {
            Command::Compile(compile) => compile,
            Command::Drop(key) => {
                made.remove(key);
                continue;
            }
            Command::Finish => break,
        };
        let ahead = || {
            waiting
                .iter()
                .filter_map(|command| match Command::read(command) {
                    Ok(Command::Compile(compile)) => Some(compile.key),
                    _ => None,
                })
        };
        let mut compile = |object: &Object, made: &HashMap<_, StateObject>, messages: &mut _| {
            let made = |key: &[u8]| made.get(key).cloned();
            object::compile(&mut descs, ahead(), &compiler, object, &made, messages)
        };
        let mut messages = Messages::default();
        let mut failed = None;
        for need in needs {
            let object = Object {
                key: need,
                version: None,
            };
            // It has had its messages.
            match compile(&object, &made, &mut Messages::default())? {
                Ok(object) => made.extend(object.map(|object| (need.to_vec(), object))),
                Err(mut why) => {
                    why.reason =
                        format!("object {}, made again for it: {}", shown(need), why.reason);
                    failed = Some(failure(Made::NeedFailed)(why));
                    break;
                }
            }
            let mut frame = Frame::default();
            frame.step();
            reports.send(frame);
        }
        let object = Object { key, version };
        let compiled = match failed {
            Some(failed) => Err(failed),
            None => compile(&object, &made, &mut messages)?.map_err(failure(Made::Failed)),
        };
        let result = compiled.map_or_else(
            |failed| failed,
            |object| {
                let is_state_object = object.is_some();
                made.extend(object.filter(|_| keep).map(|object| (key.to_vec(), object)));
                Made::Well(is_state_object)
            },
        );
        let mut frame = Frame::default();
        frame.done(&result, messages.as_slice(), |frame| {
            outbox.put(frame, session.database())
        })?;
        reports.send(frame);
        if let Made::Broken(_) = result {
            break;
        }
    }
    Ok(())
}

/// What is reported of a failure that is no sign of a broken plugin in this way.
fn failure(otherwise: fn(String) -> Made) -> impl FnOnce(Failure) -> Made {
    move |Failure { reason, is_broken }| {
        if is_broken {
            Made::Broken(reason)
        } else {
            otherwise(reason)
        }
    }
}

fn malformed() -> Error {
    Error::Worker {
        text: "what it is told makes no sense: it is started by `compile`, not by hand".into(),
        exit_code: exit_code::USAGE,
    }
}
