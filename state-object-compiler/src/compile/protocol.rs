//! The protocol of the supervisor and its workers: frames of a head and the bytes that `postcard` makes of a value.
//!
//! A worker answers each [`Command::Compile`] with one [`Report::Done`], in their order. So its supervisor knows at any time
//! which object it is on. Meanwhile it may ask for values ([`Report::Find`]), and gets a [`Command::Found`] for each
//! question.
//!
//! A plugin can write to the pipe too. So the head of a frame has a number that the supervisor draws for each worker, the
//! supervisor refuses a frame longer than any report before it reads it, and treats a report that does not fit the question
//! like an unreadable one.

use std::borrow::Cow;
use std::io::Read;
use std::path::PathBuf;

use compiler_runtime::message::{Category, Message, MessageId, Severity};
use compiler_runtime::{VALUE_TYPES, ValueType, ValueTypes};
use serde::{Deserialize, Serialize};
use serde_bytes::Bytes;
use shader_db::psdb::Application;
use twox_hash::XxHash3_64;

use crate::plugin::PluginChoice;
use crate::question::AnyQuestion;
use crate::serial::{ApplicationFields, system_path};

/// The first message to a worker, in a frame without a secret.
#[derive(Serialize, Deserialize)]
pub struct Begin {
    /// The secret in the heads of its reports.
    pub secret: u64,
    pub task: Task,
}

/// The task of a worker process.
#[derive(Serialize, Deserialize)]
pub enum Task {
    Compile(Job),
    Ask(PluginChoice, AnyQuestion),
}

impl Task {
    /// The databases, by the paths that the user gave.
    pub fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Compile(job) => vec![job.sodb.clone()],
            Self::Ask(..) => Vec::new(),
        }
    }
}

/// What a worker compiles. It opens no PSDB: its supervisor has them open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The SODB.
    #[serde(with = "system_path")]
    pub sodb: PathBuf,
    /// The plugin.
    pub plugin: PluginChoice,
    /// The index of the adapter family.
    pub family_index: u32,
    /// The ABI version.
    pub abi: u64,
    #[serde(with = "ApplicationFields")]
    pub application: Application,
    /// The types of value that there is a file for.
    pub types: TypeBits,
    /// Whether the files had no values when the run began.
    pub is_new: bool,
}

/// What stands for a key in [`Command::Stored`].
pub fn hash_of(key: &[u8]) -> u64 {
    XxHash3_64::oneshot(key)
}

/// The bits of a set of types.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct TypeBits(pub ValueTypes);

impl From<TypeBits> for u32 {
    fn from(TypeBits(types): TypeBits) -> Self {
        types.bits()
    }
}

impl TryFrom<u32> for TypeBits {
    type Error = &'static str;

    fn try_from(bits: u32) -> Result<Self, Self::Error> {
        ValueTypes::from_bits(bits)
            .map(Self)
            .ok_or("a type that there is not")
    }
}

/// A message to a worker.
#[derive(Serialize, Deserialize)]
pub enum Command<'a> {
    /// Compile an object.
    #[serde(borrow)]
    Compile(Compile<'a>),
    /// Drop the state object of this key.
    Drop(&'a Bytes),
    /// The answer to its question.
    Found(Found<'a>),
    /// The keys under which the run has stored values since it last told the worker, as their [hashes](hash_of). If the files
    /// were new, these, the earlier ones and those that this worker has stored are all keys.
    Stored(Vec<u64>),
    /// End normally.
    Finish,
}

/// An object to compile.
#[derive(Serialize, Deserialize)]
pub struct Compile<'a> {
    #[serde(borrow)]
    pub key: &'a Bytes,
    /// The version to store it in, if the run stores it.
    pub version: Option<u32>,
    /// Whether the worker keeps it, because others are made from it.
    pub keep: bool,
    /// Keys of state objects to make first and to keep, because this one is made from them.
    #[serde(borrow)]
    pub needs: Vec<&'a Bytes>,
}

/// The answer to a worker's question.
#[derive(Serialize, Deserialize)]
pub enum Found<'a> {
    /// For each type, the content that exists.
    Values(#[serde(borrow)] [Option<Content<'a>>; VALUE_TYPES]),
    /// A value is damaged.
    Damaged {
        #[serde(with = "system_path")]
        path: PathBuf,
        reason: String,
    },
}

/// The part of a value that the worker asked for.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content<'a> {
    Size(u32),
    Value(#[serde(borrow)] &'a Bytes),
}

/// A worker's question: values of a key, and sizes of others.
#[derive(Serialize, Deserialize)]
pub struct Find<'a> {
    #[serde(borrow)]
    pub key: &'a Bytes,
    pub values: TypeBits,
    pub sizes: TypeBits,
}

/// A message from a worker.
#[derive(Serialize, Deserialize)]
pub enum Report<'a> {
    /// The worker can begin. Of one that is to answer a question: it loads the plugin now, and has all that it needs itself.
    Ready,
    /// The worker needs this for the object.
    #[serde(borrow)]
    Find(Find<'a>),
    /// The worker has made a need of the object, and begins the next one, or the object.
    Step,
    /// The worker is done with an object.
    #[serde(borrow)]
    Done(Done<'a>),
    /// The answer to its task's question, as JSON.
    Answer(&'a str),
    /// The worker can do nothing more.
    Broken {
        is_worth_a_retry: bool,
        text: Cow<'a, str>,
    },
}

/// The outcome of an object.
#[derive(Serialize, Deserialize)]
pub struct Done<'a> {
    pub result: Made,
    pub messages: Vec<Told>,
    #[serde(borrow)]
    pub values: Vec<Stored<'a>>,
    /// The keys of its values, for its group.
    #[serde(borrow)]
    pub group: Option<Vec<&'a Bytes>>,
}

impl Done<'_> {
    /// Whether the worker did not begin the object.
    pub fn is_of_need(&self) -> bool {
        matches!(self.result, Made::NeedFailed(_))
    }
}

/// A value key, and its values.
#[derive(Serialize, Deserialize)]
pub struct Stored<'a> {
    #[serde(borrow)]
    pub key: &'a Bytes,
    #[serde(borrow)]
    pub values: Vec<(u32, &'a Bytes)>,
}

impl<'a> Stored<'a> {
    /// Bytes of key and values.
    pub fn size(&self) -> usize {
        let values = self.values.iter().map(|(_, value)| value.len());
        self.key.len() + values.sum::<usize>()
    }

    /// The values, by their types.
    pub fn typed(&self) -> Result<Vec<(ValueType, &'a [u8])>, Malformed> {
        let values = self.values.iter();
        values
            .map(|(kind, value)| {
                let kind = ValueType::from_number(*kind).ok_or(Malformed)?;
                Ok((kind, &***value))
            })
            .collect()
    }
}

#[derive(Serialize, Deserialize)]
pub struct Told {
    severity: i32,
    id: i32,
    text: String,
}

impl From<&Message> for Told {
    fn from(message: &Message) -> Self {
        Self {
            severity: message.severity as i32,
            id: message.id.0,
            text: message.text.clone(),
        }
    }
}

impl TryFrom<Told> for Message {
    type Error = Malformed;

    fn try_from(told: Told) -> Result<Self, Malformed> {
        let severities = [
            Severity::Corruption,
            Severity::Error,
            Severity::Warning,
            Severity::Info,
            Severity::Message,
        ];
        Ok(Self {
            severity: severities
                .into_iter()
                .find(|known| *known as i32 == told.severity)
                .ok_or(Malformed)?,
            category: Category::StateCreation,
            id: MessageId(told.id),
            text: told.text,
        })
    }
}

/// How a compilation ended.
#[derive(Serialize, Deserialize)]
pub enum Made {
    /// With success.
    Well,
    /// Without an object, for this reason.
    Failed(String),
    /// Before it began, because one of the object's needs could not be made again.
    NeedFailed(String),
    /// Without an object, for this reason, which also says that the plugin can do nothing more in this process.
    Broken(String),
}

/// The size of a frame's head: the frame's size, and the size combined with the secret.
const HEAD: usize = 16;

/// The most bytes of a frame: all types of the largest value fit. An object that stores more than this fails.
pub const MOST: u64 = 1 << 32;

/// Appends a frame.
pub fn push(frames: Vec<u8>, secret: u64, what: &impl Serialize) -> Vec<u8> {
    let at = frames.len();
    let mut frames = frames;
    frames.extend([0; HEAD]);
    let mut frames = postcard::to_extend(what, frames).expect("plain data, and memory");
    let size = (frames.len() - at - HEAD) as u64;
    let head = [size, !size ^ secret].map(u64::to_le_bytes);
    frames[at..at + HEAD].copy_from_slice(head.as_flattened());
    frames
}

/// Reads the content of the next frame; none at the end of the stream, even within a frame. Never takes more memory than
/// there are bytes to read.
pub fn read_frame(from: &mut impl Read, secret: u64) -> Result<Option<Vec<u8>>, Malformed> {
    let mut head = [[0; 8]; 2];
    if from.read_exact(head.as_flattened_mut()).is_err() {
        return Ok(None);
    }
    let [size, with_secret] = head.map(u64::from_le_bytes);
    if with_secret != !size ^ secret || size > MOST {
        return Err(Malformed);
    }
    let mut frame = Vec::new();
    let read = from.take(size).read_to_end(&mut frame);
    Ok((read.is_ok() && frame.len() as u64 == size).then_some(frame))
}

/// The value of a frame's content, which must have nothing after it.
pub fn parse<'a, T: Deserialize<'a>>(frame: &'a [u8]) -> Result<T, Malformed> {
    match postcard::take_from_bytes(frame) {
        Ok((whole, [])) => Ok(whole),
        _ => Err(Malformed),
    }
}

/// A frame that no sound process writes.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed;

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: u64 = 0x0123_4567_89ab_cdef;

    /// A report with something in every field.
    fn report() -> Vec<u8> {
        let message = Message {
            severity: Severity::Warning,
            category: Category::StateCreation,
            id: MessageId::CREATESHADER_INVALIDBYTECODE,
            text: "текст".into(),
        };
        let stored = Stored {
            key: Bytes::new(b"key"),
            values: vec![(0, Bytes::new(b"code")), (2, Bytes::new(b"pdb"))],
        };
        let done = Report::Done(Done {
            result: Made::Failed("why".into()),
            messages: vec![Told::from(&message)],
            values: vec![stored],
            group: Some(vec![Bytes::new(b"key")]),
        });
        push(Vec::new(), SECRET, &done)
    }

    #[test]
    fn a_report_comes_as_it_was_sent() {
        let bytes = [report(), report()].concat();
        let mut from = bytes.as_slice();
        for _ in 0..2 {
            let frame = read_frame(&mut from, SECRET).unwrap().unwrap();
            let Ok(Report::Done(done)) = parse(&frame) else {
                panic!("{frame:?}");
            };
            assert!(matches!(done.result, Made::Failed(why) if why == "why"));
            let [told] = <[Told; 1]>::try_from(done.messages).ok().unwrap();
            let message = Message::try_from(told).unwrap();
            assert_eq!(message.severity, Severity::Warning);
            assert_eq!(message.id, MessageId::CREATESHADER_INVALIDBYTECODE);
            assert_eq!(message.text, "текст");
            let code: &[u8] = b"code";
            let expected = vec![(ValueType::ObjectCode, code), (ValueType::DebugPdb, b"pdb")];
            assert_eq!(done.values[0].typed().unwrap(), expected);
            assert_eq!(done.group, Some(vec![Bytes::new(b"key")]));
        }
        assert_eq!(read_frame(&mut from, SECRET), Ok(None));
    }

    #[test]
    fn what_nobody_sent_is_refused() {
        let sound = report();
        let read = |mut bytes: &[u8]| read_frame(&mut bytes, SECRET);
        assert_eq!(read(b"scribble scribble"), Err(Malformed));
        assert_eq!(read_frame(&mut &sound[..], SECRET + 1), Err(Malformed));
        let long = |size: u64| {
            let head = [size, !size ^ SECRET].map(u64::to_le_bytes);
            read_frame(&mut head.as_flattened(), SECRET)
        };
        assert_eq!((long(MOST), long(MOST + 1)), (Ok(None), Err(Malformed)));
        assert_eq!(long(1 << 60), Err(Malformed));
        for size in 0..sound.len() {
            assert_eq!(read(&sound[..size]), Ok(None), "{size}");
        }
        for size in 0..sound.len() - HEAD {
            let part = &sound[HEAD..HEAD + size];
            assert!(parse::<Report>(part).is_err(), "{size}");
        }
        let long = [&sound[HEAD..], b"!"].concat();
        assert!(parse::<Report>(&long).is_err());
    }

    #[test]
    fn paths_and_types_come_as_they_are() {
        let paths = ["-dash.sodb", "ordner/öl.psdb"].map(PathBuf::from);
        #[cfg(unix)]
        let odd = {
            use std::os::unix::ffi::OsStringExt as _;
            PathBuf::from(std::ffi::OsString::from_vec(vec![b'a', 0xff]))
        };
        #[cfg(not(unix))]
        let odd = PathBuf::from("odd");
        let types = ValueTypes::from(ValueType::DebugPdb);
        for path in paths {
            let job = Job {
                sodb: path.clone(),
                plugin: PluginChoice::File(odd.clone()),
                family_index: 3,
                abi: 7,
                application: crate::compile::tests::application(),
                types: TypeBits(types),
                is_new: true,
            };
            let sent = push(Vec::new(), 0, &job);
            let frame = read_frame(&mut &sent[..], 0).unwrap().unwrap();
            let got: Job = parse(&frame).unwrap();
            assert_eq!(got.sodb, path);
            assert_eq!((got.family_index, got.abi, got.types.0), (3, 7, types));
            assert_eq!(got.plugin, PluginChoice::File(odd.clone()));
        }
    }
}
