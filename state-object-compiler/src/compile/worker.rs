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

use super::ask::{Question, TargetQuestion};
use super::object::{self, Descriptions, Failure, Object};
use super::outbox::Outbox;
use super::protocol::{Command, Compile, Frame, Made, read_frame};
use super::{STACK, stdio};
use crate::list::{FamiliesQuestion, PluginChoice};
use crate::{Error, Result, exit_code};

/// The first argument of a worker that compiles; those of [`Job::args`] follow.
pub const COMPILE: &str = "compile";

/// What a worker compiles. Its supervisor has made the files and writes them.
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
        let files = self.files.iter();
        let files = files.flat_map(|(types, path)| [types.bits().to_string().into(), path.into()]);
        [self.sodb.clone().into(), self.plugin.as_path().into()]
            .into_iter()
            .chain(files)
            .collect()
    }

    /// What [`args`](Self::args) makes.
    fn from_args(args: &[OsString]) -> Option<Self> {
        let [sodb, plugin, files @ ..] = args else {
            return None;
        };
        let (files, []) = files.as_chunks::<2>() else {
            return None;
        };
        let file = |[types, path]: &[OsString; 2]| {
            let bits = types.to_str()?.parse().ok()?;
            Some((ValueTypes::from_bits(bits)?, path.into()))
        };
        Some(Self {
            sodb: sodb.into(),
            files: files.iter().map(file).collect::<Option<_>>()?,
            plugin: PluginChoice::from(Path::new(plugin)),
        })
    }
}

/// What a worker process does. The first argument of one that asks is [`Question::TASK`]; the plugin and the question follow.
enum Task {
    Compile(Job),
    Target(PluginChoice, TargetQuestion),
    Families(PluginChoice, FamiliesQuestion),
}

impl Task {
    fn from_args(args: &[OsString]) -> Option<Self> {
        let (task, args) = args.split_first()?;
        match (task.to_str()?, args) {
            (COMPILE, job) => Some(Self::Compile(Job::from_args(job)?)),
            (TargetQuestion::TASK, args) => question(args).map(|(p, q)| Self::Target(p, q)),
            (FamiliesQuestion::TASK, args) => question(args).map(|(p, q)| Self::Families(p, q)),
            _ => None,
        }
    }
}

fn question<Q: Question>(args: &[OsString]) -> Option<(PluginChoice, Q)> {
    let [plugin, question] = args else {
        return None;
    };
    let question = serde_json::from_str(question.to_str()?).ok()?;
    Some((PluginChoice::from(Path::new(plugin)), question))
}

/// Does what its arguments and the process that started this one, on standard input, say, and reports on standard output.
/// The end of that process ends this one, whatever the plugin is doing.
///
/// # Errors
///
/// [`Error::Usage`] if the arguments are not those of a worker; [`Error::Output`] if it has not the streams of one. What
/// else goes wrong is reported.
pub fn work(args: &[OsString]) -> Result<()> {
    let task = Task::from_args(args)
        .ok_or_else(|| Error::Usage("workers are started by this program, not by hand".into()))?;
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
            let done = match &task {
                Task::Compile(job) => serve(job, &commands, &mut reports),
                Task::Target(plugin, question) => answer(plugin, question, &mut reports),
                Task::Families(plugin, question) => answer(plugin, question, &mut reports),
            };
            if let Err(error) = done {
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

fn answer(
    plugin: &PluginChoice,
    question: &impl Question,
    reports: &mut Reports<impl Write>,
) -> Result<()> {
    let answer = question.ask(&plugin.open()?)?;
    let mut frame = Frame::default();
    frame.answer(&serde_json::to_vec(&answer).expect("texts and numbers"));
    reports.send(frame);
    Ok(())
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
                Ok(compiled) => {
                    let object = compiled.state_object;
                    made.extend(object.map(|object| (need.to_vec(), object)));
                }
                Err(why) => {
                    failed = Some(failure(Made::NeedFailed)(why.of_need(need)));
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
            |compiled| {
                let object = compiled.state_object;
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
        text: "what it is told makes no sense: it is started by this program, not by hand".into(),
        exit_code: exit_code::USAGE,
    }
}
