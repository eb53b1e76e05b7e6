//! A trace as text.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;

use ddi_sys::HRESULT;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::file::{Process, Recorded};
use crate::functions::{Parameter, Returns};
use crate::graph::Block;
use crate::schema::{Kind, Meaning, Type};

/// A value in a line is no longer than this.
const SHORT: usize = 60;
/// An array in a line is no longer than this: eight formats fit.
const LONGEST: usize = 200;
/// Behind so many pointers a block is shown below the others: lists of nodes are long.
const DEEPEST: usize = 8;

impl Process {
    /// What was called, a line for each call with its callbacks below it.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.calls.iter().map(|call| self.line(call));
        lines.map(harmless).collect()
    }

    /// Every argument of one call, every field of it, and what came of it; `None` where there is no call of this number.
    pub fn call(&self, number: u64) -> Option<Vec<String>> {
        let recorded = self.calls.iter().find(|call| call.call.number == number)?;
        let mut out = vec![self.line(recorded)];
        let all = |out: &mut Vec<String>, values: &Map<String, Value>, memory: &[Block]| {
            for parameter in recorded.function.signature().parameters {
                if let Some(value) = values.get(parameter.name) {
                    out.extend(
                        named(parameter.name, lines(parameter.kind, value, memory))
                            .into_iter()
                            .map(|line| format!("  {line}")),
                    );
                }
            }
        };
        out.push("arguments".into());
        all(&mut out, &recorded.call.arguments, &recorded.call.memory);
        if let Some(returned) = recorded
            .returned
            .as_ref()
            .filter(|returned| !returned.outputs.is_empty())
        {
            out.push("written".into());
            all(&mut out, &returned.outputs, &returned.memory);
        }
        Some(out.into_iter().map(harmless).collect())
    }

    fn depth(&self, call: &Recorded) -> usize {
        let mut depth = 0;
        let mut within = call.within;
        while let Some(outer) = within {
            depth += 1;
            within = self.calls[outer].within;
        }
        depth
    }

    fn line(&self, recorded: &Recorded) -> String {
        let call = &recorded.call;
        let one = |parameter: &Parameter, values: &Map<String, Value>, memory: &[Block]| {
            let value = values.get(parameter.name)?;
            Some(format!(
                "{}: {}",
                parameter.name,
                short(parameter.kind, value, memory)
            ))
        };
        let parameters = recorded.function.signature().parameters;
        let arguments: Vec<_> = parameters
            .iter()
            .filter_map(|parameter| one(parameter, &call.arguments, &call.memory))
            .collect();
        let mut line = format!(
            "{:>6} {}{}({})",
            call.number,
            "  ".repeat(self.depth(recorded)),
            call.function,
            arguments.join(", ")
        );
        match &recorded.returned {
            None => line.push_str("  has not returned"),
            Some(returned) => {
                let result = result(recorded.function.signature().returns, returned.result);
                if !result.is_empty() {
                    let _ = write!(line, " -> {result}");
                }
                let outputs: Vec<_> = parameters
                    .iter()
                    .filter_map(|p| one(p, &returned.outputs, &returned.memory))
                    .collect();
                if !outputs.is_empty() {
                    let _ = write!(line, ", {}", outputs.join(", "));
                }
                let elapsed = returned.nanoseconds.saturating_sub(call.nanoseconds);
                let _ = write!(line, "  {}", time(elapsed));
            }
        }
        if call.thread != 1 {
            let _ = write!(line, "  thread {}", call.thread);
        }
        line
    }
}

/// A line that does not steer a terminal: a trace may come from anywhere.
fn harmless(line: impl AsRef<str>) -> String {
    line.as_ref().replace(char::is_control, " ")
}

fn time(nanoseconds: u64) -> String {
    match nanoseconds {
        0..10_000 => format!("{nanoseconds} ns"),
        10_000..10_000_000 => format!("{} us", nanoseconds / 1000),
        _ => format!("{} ms", nanoseconds / 1_000_000),
    }
}

/// What a function returned.
pub(crate) fn result(returns: Returns, result: u64) -> String {
    match returns {
        Returns::Nothing => String::new(),
        Returns::Result => {
            HRESULT(u32::try_from(result).unwrap_or_default().cast_signed()).to_string()
        }
        Returns::Bool => shown(result, Meaning::Bool),
        Returns::Size => result.to_string(),
        Returns::Address => format!("{result:#x}"),
    }
}

/// The beginning of a SHA-256.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..4])
}

/// A number as it reads.
fn shown(value: u64, meaning: Meaning) -> String {
    let signed = || u32::try_from(value).unwrap_or_default().cast_signed();
    match meaning {
        Meaning::Unsigned => value.to_string(),
        Meaning::Bool => match value {
            0 => "FALSE".into(),
            1 => "TRUE".into(),
            other => format!("TRUE ({other})"),
        },
        Meaning::Float => format!(
            "{:?}",
            f32::from_bits(u32::try_from(value).unwrap_or_default())
        ),
        Meaning::Version => ddi_sys::VersionNumber::from_bits(value).to_string(),
        Meaning::Enumeration(name) => {
            name(signed()).map_or_else(|| value.to_string(), str::to_owned)
        }
        Meaning::Flags(names) => names(signed()),
    }
}

/// A value in a few words.
fn short(kind: Kind, value: &Value, memory: &[Block]) -> String {
    let mut shown = Shown {
        memory,
        seen: BTreeSet::new(),
        later: VecDeque::new(),
        depth: DEEPEST - 2,
        is_short: true,
    };
    let lines = shown.value(kind, value);
    if let [one] = &lines[..] {
        return one.clone();
    }
    let mut words = String::new();
    for line in lines.iter().map(|line| line.trim()) {
        if words.len() + line.len() > SHORT {
            words.push_str(", ..");
            break;
        }
        if !words.is_empty() {
            words.push_str(", ");
        }
        words.push_str(line);
    }
    format!("{{{}}}", words.trim_start_matches(", "))
}

/// A value with all that it leads to, a line for each field.
pub(crate) fn lines(kind: Kind, value: &Value, memory: &[Block]) -> Vec<String> {
    let mut shown = Shown {
        memory,
        seen: BTreeSet::new(),
        later: VecDeque::new(),
        depth: 0,
        is_short: false,
    };
    let mut lines = shown.value(kind, value);
    while let Some(block) = shown.later.pop_front() {
        let content = shown.content(block);
        lines.extend(named(&format!("block {block}"), content));
    }
    lines
}

/// A name before its value: on the same line if that is one.
fn named(name: &str, lines: Vec<String>) -> Vec<String> {
    match &lines[..] {
        [] => vec![name.to_owned()],
        _ if name.is_empty() => lines,
        [one] if !one.starts_with(' ') => vec![format!("{name}: {one}")],
        _ => {
            let lines = lines.into_iter().map(|line| format!("  {line}"));
            [name.to_owned()].into_iter().chain(lines).collect()
        }
    }
}

struct Shown<'t> {
    memory: &'t [Block],
    /// Blocks that are shown already: lists of nodes lead back to them.
    seen: BTreeSet<usize>,
    /// Blocks that are shown below the others.
    later: VecDeque<usize>,
    /// How many pointers lead here.
    depth: usize,
    /// Whether bytes are only named.
    is_short: bool,
}

impl Shown<'_> {
    fn value(&mut self, kind: Kind, value: &Value) -> Vec<String> {
        match kind {
            Kind::Number(number) => vec![match value.as_u64() {
                Some(value) => shown(value, number.meaning),
                None => value.to_string(),
            }],
            Kind::Function => vec![
                if value == &Value::Bool(true) {
                    "set"
                } else {
                    "null"
                }
                .into(),
            ],
            Kind::Handle => vec![word(value)],
            Kind::Array(of, 1) => self.item(of, value),
            Kind::Array(of, _) => {
                self.items(of, value.as_array().map(Vec::as_slice).unwrap_or_default())
            }
            Kind::By(_, types) => {
                // Which one it is its fields say.
                let fits = |of: &&(i32, &'static Type)| {
                    of.1.fields
                        .iter()
                        .all(|field| value.get(field.name).is_some())
                };
                match types.iter().find(fits) {
                    Some((_, of)) => self.item(of, value),
                    None => vec![word(value)],
                }
            }
            Kind::Pointer(_) => self.pointer(value),
        }
    }

    fn pointer(&mut self, value: &Value) -> Vec<String> {
        let number = |name| value.get(name).and_then(Value::as_u64);
        if let Some(room) = number("room") {
            return vec![format!("room for {room}")];
        }
        let Some(block) = number("block").and_then(|block| usize::try_from(block).ok()) else {
            return vec![word(value)];
        };
        let memory = self.memory;
        match memory.get(block) {
            None => vec![value.to_string()],
            Some(Block::Text(text)) => vec![format!("{text:?}")],
            Some(Block::Utf16(units)) => vec![format!("{:?}", String::from_utf16_lossy(units))],
            Some(Block::Hex(bytes)) => {
                vec![format!("{} bytes {}", bytes.len() / 2, self.start(bytes))]
            }
            Some(Block::Bytes { sha256, size }) => {
                vec![format!("{size} bytes, SHA-256 {}", self.start(sha256))]
            }
            Some(Block::Items { .. }) => {
                let item = number("item").and_then(|item| usize::try_from(item).ok());
                if let Some(item) = item {
                    return vec![format!("element {item} of block {block}")];
                }
                if !self.seen.insert(block) {
                    return vec![format!("block {block}, as above")];
                }
                if self.depth == DEEPEST {
                    self.later.push_back(block);
                    return vec![format!("block {block}")];
                }
                self.depth += 1;
                let lines = self.content(block);
                self.depth -= 1;
                lines
            }
        }
    }

    /// What is in a block of items.
    fn content(&mut self, block: usize) -> Vec<String> {
        let Some(Block::Items { of, items }) = self.memory.get(block) else {
            return Vec::new();
        };
        match (Type::named(of), &items[..]) {
            (Some(of), [one]) => self.item(of, one),
            (Some(of), items) => self.items(of, items),
            (None, _) => vec![of.clone()],
        }
    }

    fn start(&self, hex: &str) -> String {
        const DIGITS: usize = 12;
        match hex
            .get(..DIGITS)
            .filter(|_| self.is_short && hex.len() > DIGITS)
        {
            Some(start) => format!("{start}.."),
            None => hex.to_owned(),
        }
    }

    fn items(&mut self, of: &'static Type, items: &[Value]) -> Vec<String> {
        // Text in an array.
        if of.name == "WCHAR" {
            let units = items.iter().map(|unit| {
                unit.as_u64()
                    .and_then(|unit| u16::try_from(unit).ok())
                    .unwrap_or(0)
            });
            let units: Vec<_> = units.take_while(|unit| *unit != 0).collect();
            return vec![format!("{:?}", String::from_utf16_lossy(&units))];
        }
        if of.name == "UINT8" {
            let bytes = items
                .iter()
                .filter_map(|byte| u8::try_from(byte.as_u64()?).ok());
            return vec![hex::encode(bytes.collect::<Vec<_>>())];
        }
        let shown: Vec<_> = items.iter().map(|item| self.item(of, item)).collect();
        let is_plain = shown.iter().all(|lines| lines.len() == 1);
        if is_plain {
            let one: Vec<_> = shown.iter().flatten().map(|line| line.trim()).collect();
            let line = format!("[{}]", one.join(", "));
            if line.len() <= LONGEST {
                return vec![line];
            }
        }
        if self.is_short {
            return vec![format!("{} of {}", items.len(), of.name)];
        }
        let numbered = shown.into_iter().enumerate();
        numbered
            .flat_map(|(index, lines)| named(&format!("[{index}]"), lines))
            .collect()
    }

    fn item(&mut self, of: &'static Type, item: &Value) -> Vec<String> {
        let mut out = Vec::new();
        for field in of.fields {
            let value = match field.name {
                "" => Some(item),
                name => item.get(name),
            };
            if let Some(value) = value {
                let lines = self.value(field.kind, value);
                out.extend(named(field.name, lines));
            }
        }
        out
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{lines, short};
    use crate::graph::Block;
    use crate::schema::{Type, to};
    use serde_json::json;

    #[test]
    fn a_long_list_is_shown_whole_and_shortly() {
        const NODES: usize = 20_000;
        let node = |number: usize| Block::Items {
            of: "D3D12DDI_NODE_LIST_ENTRY_0108".into(),
            items: vec![json!({ "pNode": null, "pNext": { "block": (number + 1) % NODES } })],
        };
        let blocks: Vec<_> = (0..NODES).map(node).collect();
        let kind = to(Type::named("D3D12DDI_NODE_LIST_ENTRY_0108").unwrap());
        let first = json!({ "block": 0 });
        let shown = lines(kind, &first, &blocks);
        assert_eq!(
            shown
                .iter()
                .filter(|line| line.contains("pNode: null"))
                .count(),
            NODES
        );
        assert_eq!(shown.last().unwrap().trim(), "pNext: block 0, as above");
        assert!(short(kind, &first, &blocks).len() < 100);
    }
}
