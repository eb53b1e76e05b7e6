//! A worker: the process in which the plugin compiles, one object after the other.

use std::collections::{HashMap, VecDeque};
use std::io::BufReader;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use compiler_runtime::message::Messages;
use compiler_runtime::{StateObject, TargetDesc};
use shader_db::sodb::{Access, Sodb};

use super::object::{self, Descriptions, Failure, Object};
use super::protocol::{
    Begin, Command, Compile, Done, Job, MOST, Made, Malformed, Report, Stored, Task, Told, parse,
    read_frame,
};
use super::remote::{Line, Remote, hang_up};
use super::run::STACK;
use super::stdio;
use crate::plugin::{PluginChoice, to_desc};
use crate::question::AnyQuestion;
use crate::{Error, Result};

/// The room of a frame for everything but keys and values.
const ROOM: u64 = 64 << 20;

/// The message to a user who starts a worker by hand.
const BY_HAND: &str = "this command is internal: the program itself starts its workers";

/// Runs the commands of the parent process from standard input, and reports on standard output. The end of the parent ends
/// this process, whatever the plugin does. Call it while this process has one thread.
///
/// # Errors
///
/// [`Error::Usage`] without commands; [`Error::Output`] without the streams of a worker. The worker reports all other errors.
pub fn work() -> Result<()> {
    process_tree::behave();
    process_tree::die_of_exceptions();
    let (input, output) = stdio::take().map_err(Error::Output)?;
    let mut input = BufReader::new(input);
    let by_hand = |Malformed| Error::Usage(BY_HAND.into());
    let begin = read_frame(&mut input, 0).and_then(|frame| frame.ok_or(Malformed));
    let begin = begin.map_err(by_hand)?;
    let Begin { secret, task } = parse(&begin).map_err(by_hand)?;
    let (sender, commands) = mpsc::channel();
    let (answer_sender, answers) = mpsc::channel();
    thread::Builder::new()
        .name("commands".into())
        .spawn(move || {
            while let Ok(Some(frame)) = read_frame(&mut input, 0) {
                let to = match parse(&frame) {
                    Ok(Command::Found(_)) => &answer_sender,
                    _ => &sender,
                };
                // The receiver is gone when all is done.
                let _ = to.send(frame);
            }
            hang_up()
        })
        .map_err(Error::Output)?;
    let worker = thread::Builder::new()
        .name("compiler".into())
        .stack_size(STACK)
        .spawn(move || {
            let line = Arc::new(Line::new(output, secret, answers));
            let done = match &task {
                Task::Compile(job) => serve(job, &commands, &line),
                Task::Ask(plugin, question) => answer(plugin, question, &line),
            };
            if let Err(error) = done.map_err(|error| error.as_given(task.paths())) {
                line.send(&Report::Broken {
                    is_worth_a_retry: error.is_worth_a_retry(),
                    text: error.to_string().into(),
                });
            }
        })
        .map_err(Error::Output)?;
    // Pass its panic on: the supervisor sees how this process ends.
    worker
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok(())
}

fn answer(plugin: &PluginChoice, question: &AnyQuestion, line: &Line) -> Result<()> {
    line.send(&Report::Ready);
    let answer = question.ask(&plugin.open()?)?;
    line.send(&Report::Answer(&answer));
    Ok(())
}

fn serve(job: &Job, commands: &Receiver<Vec<u8>>, line: &Arc<Line>) -> Result<()> {
    let sodb = Sodb::open(&job.sodb, Access::Read)?;
    let factory = job.plugin.open()?;
    let remote = Arc::new(Remote::new(Arc::clone(line), job.types.0, job.is_new));
    let target = TargetDesc {
        adapter_family_index: job.family_index,
        abi_version: job.abi,
    };
    let application = to_desc(&job.application)?;
    let session = factory.create_session_over(Arc::clone(&remote) as _, target, &application)?;
    let compiler = factory.create_compiler(&session)?;
    line.send(&Report::Ready);

    let mut descs = Descriptions::new(&sodb);
    let mut made: HashMap<Vec<u8>, StateObject> = HashMap::new();
    let mut waiting = VecDeque::new();
    loop {
        let first = match waiting.front() {
            Some(_) => None,
            None => match commands.recv() {
                Ok(frame) => Some(frame),
                Err(_) => break,
            },
        };
        for frame in first.into_iter().chain(commands.try_iter()) {
            match parse(&frame) {
                // Earlier objects benefit from it too.
                Ok(Command::Stored(hashes)) => remote.hear(&hashes),
                _ => waiting.push_back(frame),
            }
        }
        let Some(command) = waiting.pop_front() else {
            continue;
        };
        let command = parse(&command).map_err(|Malformed| Error::Usage(BY_HAND.into()))?;
        let Compile {
            key,
            version,
            keep,
            needs,
        } = match command {
            Command::Compile(compile) => compile,
            Command::Drop(key) => {
                made.remove(&**key);
                continue;
            }
            Command::Finish | Command::Found(_) | Command::Stored(_) => break,
        };
        let ahead = || {
            waiting.iter().filter_map(|command| match parse(command) {
                Ok(Command::Compile(compile)) => Some(&**compile.key),
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
            // The first compilation has already passed on its messages.
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
            line.send(&Report::Step);
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
                made.extend(object.filter(|_| keep).map(|object| (key.to_vec(), object)));
                Made::Well
            },
        );
        let is_broken = matches!(result, Made::Broken(_));
        let messages: Vec<Told> = messages.as_slice().iter().map(Told::from).collect();
        remote.take(|values, group| {
            let size: usize = values.iter().map(Stored::size).sum();
            let (result, values, group) = if size as u64 > MOST - ROOM {
                let text = format!(
                    "it stores {size} bytes, but a worker process can report at most {MOST}"
                );
                (Made::Failed(text), Vec::new(), None)
            } else {
                (result, values, group)
            };
            line.send(&Report::Done(Done {
                result,
                messages,
                values,
                group,
            }));
        });
        if is_broken {
            break;
        }
    }
    Ok(())
}

/// The report of a failure that is no sign of a broken plugin in this way.
fn failure(otherwise: fn(String) -> Made) -> impl FnOnce(Failure) -> Made {
    move |Failure { reason, is_broken }| {
        if is_broken {
            Made::Broken(reason)
        } else {
            otherwise(reason)
        }
    }
}
