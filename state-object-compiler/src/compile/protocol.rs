//! What the supervisor and its workers say to each other: frames of a size, in 8 bytes, its complement, and so many bytes.
//! In a frame, numbers have 4 bytes, the least significant first, and bytes follow their number.
//!
//! A worker answers each [`Command::Compile`] with one [`Report::Done`], in their order. So its supervisor knows at any
//! time what it is on.

use std::io::Read;

use compiler_runtime::ValueType;
use compiler_runtime::message::{Category, Message, MessageId, Severity};

/// What a worker is told.
pub enum Command<'a> {
    /// Compile an object.
    Compile(Compile<'a>),
    /// Drop the state object of this key.
    Drop(&'a [u8]),
    /// End in good order.
    Finish,
}

/// What to compile.
pub struct Compile<'a> {
    pub key: &'a [u8],
    /// The version to store it in, if it is to be stored.
    pub version: Option<u32>,
    /// Whether others are to be made from it.
    pub keep: bool,
    /// Keys of state objects to make before and to keep, because this one is made from them.
    pub needs: Vec<&'a [u8]>,
}

/// What a worker says.
pub enum Report<'a> {
    /// It can begin.
    Ready,
    /// A need of the object is made, and the next one, or the object, is begun.
    Step,
    /// An object is done.
    Done(Done<'a>),
    /// What it was asked for, as JSON.
    Answer(&'a [u8]),
    /// It can do nothing more.
    Broken { exit_code: u8, text: String },
}

/// What became of an object.
pub struct Done<'a> {
    pub result: Made,
    pub messages: Vec<Message>,
    pub values: Vec<Stored<'a>>,
    /// The keys of its values, for its group.
    pub group: Option<Vec<&'a [u8]>>,
}

/// A value key, and its values.
pub type Stored<'a> = (&'a [u8], Vec<(ValueType, &'a [u8])>);

/// How a compilation ended.
pub enum Made {
    /// Well; whether it is a state object.
    Well(bool),
    /// Not, for this reason.
    Failed(String),
    /// Not begun, because one of its needs could not be made again.
    NeedFailed(String),
    /// Not, for this reason, which also says that the plugin can do nothing more in this process.
    Broken(String),
}

/// A frame that is being written, or several.
#[derive(Default)]
pub struct Frame(Vec<u8>);

/// Of the head of a frame. The complement shows at once when something else has written to the pipe.
const HEAD: usize = 16;

impl Frame {
    /// The bytes, and none from now on.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }

    /// Begins a frame; what is put behind is in it until it is ended.
    fn begin(&mut self, kind: u8) -> usize {
        let at = self.0.len();
        self.0.extend([0; HEAD]);
        self.0.push(kind);
        at
    }

    fn end(&mut self, at: usize) {
        let size = (self.0.len() - at - HEAD) as u64;
        let head = [size, !size].map(u64::to_le_bytes);
        self.0[at..at + HEAD].copy_from_slice(head.as_flattened());
    }

    fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn count(&mut self, count: usize) {
        self.number(u32::try_from(count).expect("keys, values and texts have less than 4 GiB"));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend(bytes);
    }

    fn flag(&mut self, flag: bool) {
        self.number(flag.into());
    }

    /// A list that can be absent.
    pub fn list<B: AsRef<[u8]>>(&mut self, list: Option<&[B]>) {
        self.flag(list.is_some());
        if let Some(list) = list {
            self.count(list.len());
            for item in list {
                self.bytes(item.as_ref());
            }
        }
    }

    pub fn command(&mut self, command: &Command) {
        let at = match command {
            Command::Compile(compile) => {
                let at = self.begin(0);
                self.bytes(compile.key);
                self.flag(compile.version.is_some());
                self.number(compile.version.unwrap_or(0));
                self.flag(compile.keep);
                self.list(Some(&compile.needs));
                at
            }
            Command::Drop(key) => {
                let at = self.begin(1);
                self.bytes(key);
                at
            }
            Command::Finish => self.begin(2),
        };
        self.end(at);
    }

    pub fn ready(&mut self) {
        let at = self.begin(0);
        self.end(at);
    }

    pub fn step(&mut self) {
        let at = self.begin(1);
        self.end(at);
    }

    /// The report of an object; `put` adds its values and its group.
    pub fn done<E>(
        &mut self,
        made: &Made,
        messages: &[Message],
        put: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let at = self.begin(2);
        let (kind, text) = match made {
            Made::Well(is_state_object) => (u32::from(*is_state_object), ""),
            Made::Failed(text) => (2, text.as_str()),
            Made::NeedFailed(text) => (3, text.as_str()),
            Made::Broken(text) => (4, text.as_str()),
        };
        self.number(kind);
        self.bytes(text.as_bytes());
        self.count(messages.len());
        for message in messages {
            self.number((message.severity as i32).cast_unsigned());
            self.number(message.id.0.cast_unsigned());
            self.bytes(message.text.as_bytes());
        }
        put(self)?;
        self.end(at);
        Ok(())
    }

    pub fn answer(&mut self, answer: &[u8]) {
        let at = self.begin(4);
        self.bytes(answer);
        self.end(at);
    }

    pub fn broken(&mut self, exit_code: u8, text: &str) {
        let at = self.begin(3);
        self.number(exit_code.into());
        self.bytes(text.as_bytes());
        self.end(at);
    }
}

/// Values on their way into a report.
#[derive(Default)]
pub struct Values {
    keys: usize,
    bytes: Frame,
}

impl Values {
    pub fn push(&mut self, key: &[u8], values: &[(ValueType, &[u8])]) {
        self.keys += 1;
        self.bytes.bytes(key);
        self.bytes.count(values.len());
        for (kind, value) in values {
            self.bytes.number(*kind as u32);
            self.bytes.bytes(value);
        }
    }

    pub fn put(self, frame: &mut Frame) {
        frame.count(self.keys);
        frame.0.extend(self.bytes.0);
    }
}

/// Reads the content of the next frame in the place of what is in the buffer; false at the end, also within a frame. Never
/// takes more memory than there are bytes to read.
pub fn read_frame(from: &mut impl Read, buffer: &mut Vec<u8>) -> Result<bool, Malformed> {
    let mut head = [[0; 8]; 2];
    if from.read_exact(head.as_flattened_mut()).is_err() {
        return Ok(false);
    }
    let [size, complement] = head.map(u64::from_le_bytes);
    if complement != !size {
        return Err(Malformed);
    }
    buffer.clear();
    let read = from.take(size).read_to_end(buffer);
    Ok(read.is_ok() && buffer.len() as u64 == size)
}

/// A frame's content that is not what a sound process writes.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed;

/// The fields of a frame.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn split(&mut self, size: usize) -> Result<&'a [u8], Malformed> {
        let (field, rest) = self.0.split_at_checked(size).ok_or(Malformed)?;
        self.0 = rest;
        Ok(field)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.split(1)?[0])
    }

    fn number(&mut self) -> Result<u32, Malformed> {
        let field = self.split(4)?.try_into().map_err(|_| Malformed)?;
        Ok(u32::from_le_bytes(field))
    }

    fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let size = self.number()?;
        self.split(size as usize)
    }

    fn text(&mut self) -> Result<String, Malformed> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    fn flag(&mut self) -> Result<bool, Malformed> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }

    fn many<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        (0..self.number()?).map(|_| item(self)).collect()
    }

    fn list(&mut self) -> Result<Option<Vec<&'a [u8]>>, Malformed> {
        self.flag()?.then(|| self.many(Self::bytes)).transpose()
    }

    fn end<T>(self, whole: T) -> Result<T, Malformed> {
        if self.0.is_empty() {
            Ok(whole)
        } else {
            Err(Malformed)
        }
    }

    fn message(&mut self) -> Result<Message, Malformed> {
        let severity = self.number()?.cast_signed();
        let severities = [
            Severity::Corruption,
            Severity::Error,
            Severity::Warning,
            Severity::Info,
            Severity::Message,
        ];
        Ok(Message {
            severity: severities
                .into_iter()
                .find(|known| *known as i32 == severity)
                .ok_or(Malformed)?,
            category: Category::StateCreation,
            id: MessageId(self.number()?.cast_signed()),
            text: self.text()?,
        })
    }

    fn stored(&mut self) -> Result<Stored<'a>, Malformed> {
        let key = self.bytes()?;
        let values = self.many(|fields| {
            let kind = ValueType::from_number(fields.number()?).ok_or(Malformed)?;
            Ok((kind, fields.bytes()?))
        })?;
        Ok((key, values))
    }
}

impl<'a> Command<'a> {
    pub fn read(frame: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields(frame);
        let command = match fields.byte()? {
            0 => {
                let key = fields.bytes()?;
                let is_stored = fields.flag()?;
                let version = fields.number()?;
                Self::Compile(Compile {
                    key,
                    version: is_stored.then_some(version),
                    keep: fields.flag()?,
                    needs: fields.list()?.ok_or(Malformed)?,
                })
            }
            1 => Self::Drop(fields.bytes()?),
            2 => Self::Finish,
            _ => return Err(Malformed),
        };
        fields.end(command)
    }
}

impl<'a> Report<'a> {
    pub fn read(frame: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields(frame);
        let report = match fields.byte()? {
            0 => Self::Ready,
            1 => Self::Step,
            2 => {
                let kind = fields.number()?;
                let text = fields.text()?;
                Self::Done(Done {
                    result: match kind {
                        0 | 1 => Made::Well(kind == 1),
                        2 => Made::Failed(text),
                        3 => Made::NeedFailed(text),
                        4 => Made::Broken(text),
                        _ => return Err(Malformed),
                    },
                    messages: fields.many(Fields::message)?,
                    values: fields.many(Fields::stored)?,
                    group: fields.list()?,
                })
            }
            3 => Self::Broken {
                exit_code: u8::try_from(fields.number()?).map_err(|_| Malformed)?,
                text: fields.text()?,
            },
            4 => Self::Answer(fields.bytes()?),
            _ => return Err(Malformed),
        };
        fields.end(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: MessageId = MessageId::CREATESHADER_INVALIDBYTECODE;

    /// A report with something in every field.
    fn report() -> Vec<u8> {
        let message = Message {
            severity: Severity::Warning,
            category: Category::StateCreation,
            id: MESSAGE,
            text: "текст".into(),
        };
        let mut values = Values::default();
        let code: &[u8] = b"code";
        values.push(
            b"key",
            &[(ValueType::ObjectCode, code), (ValueType::DebugPdb, b"pdb")],
        );
        let mut frame = Frame::default();
        let put = |frame: &mut Frame| {
            values.put(frame);
            frame.list(Some(&[b"key"]));
            Ok::<_, ()>(())
        };
        frame.done(&Made::Well(true), &[message], put).unwrap();
        frame.take()
    }

    #[test]
    fn a_report_comes_as_it_was_sent() {
        let bytes = [report(), report()].concat();
        let mut from = bytes.as_slice();
        let mut frame = Vec::new();
        for _ in 0..2 {
            assert_eq!(read_frame(&mut from, &mut frame), Ok(true));
            let Ok(Report::Done(done)) = Report::read(&frame) else {
                panic!("{frame:?}");
            };
            assert!(matches!(done.result, Made::Well(true)));
            assert_eq!((done.messages.len(), done.messages[0].id), (1, MESSAGE));
            let [(key, values)] = &done.values[..] else {
                panic!("{:?}", done.values);
            };
            assert_eq!(
                (*key, values[0]),
                (&b"key"[..], (ValueType::ObjectCode, &b"code"[..]))
            );
            assert_eq!(values[1], (ValueType::DebugPdb, &b"pdb"[..]));
            assert_eq!(done.group, Some(vec![&b"key"[..]]));
        }
        assert_eq!(read_frame(&mut from, &mut frame), Ok(false));
    }

    #[test]
    fn what_nobody_sent_is_refused() {
        let sound = report();
        let mut frame = Vec::new();
        assert_eq!(
            read_frame(&mut &b"scribble scribble"[..], &mut frame),
            Err(Malformed)
        );
        for size in 0..sound.len() {
            assert_eq!(
                read_frame(&mut &sound[..size], &mut frame),
                Ok(false),
                "{size}"
            );
        }
        for size in 0..sound.len() - HEAD {
            assert!(Report::read(&sound[HEAD..HEAD + size]).is_err(), "{size}");
        }
        let long = [&sound[HEAD..], b"!"].concat();
        assert!(Report::read(&long).is_err());
    }
}
