//! Descriptions as text, and as JSON.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

use crate::graph::{Content, Graph, Pointer, Value, arm, each_inside, holds_beside};
use crate::path::names;
use crate::types::{Arm, Field, Kind, Type, When};

/// A value in a line is no longer than this.
const SHORT: usize = 60;
/// An array in a line is no longer than this: eight formats fit.
const LONGEST: usize = 200;
/// Behind so many pointers a block is shown below the others: lists of nodes are long.
const DEEPEST: usize = 8;
/// More bytes than these are shown by their SHA-256.
const FEW: usize = 64;

/// Bytes as text: all of them, or their hash.
pub fn bytes(bytes: &[u8]) -> String {
    let len = bytes.len();
    if len <= FEW {
        return format!("{len} bytes {}", hex::encode(bytes));
    }
    let hash = Sha256::digest(bytes);
    format!("{len} bytes, SHA-256 {}", hex::encode(hash))
}

/// A name before its value: on the same line if that is one.
pub fn named(name: &str, lines: Vec<String>) -> Vec<String> {
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

impl Graph {
    /// Everything, a line for each member; what lies behind many pointers comes last.
    pub fn lines(&self) -> Vec<String> {
        match self.blocks.first().map(|block| &block.content) {
            Some(Content::Items { of, items, .. }) => match &items[..] {
                [one] => self.lines_of(of.kind(), one),
                items => self.lines_of(Kind::Array(of, items.len()), &Value::Items(items.to_vec())),
            },
            _ => Vec::new(),
        }
    }

    /// A value with all that it leads to, a line for each member.
    pub fn lines_of(&self, kind: Kind, value: &Value) -> Vec<String> {
        let mut print = Print {
            graph: self,
            seen: BTreeSet::new(),
            later: VecDeque::new(),
            depth: 0,
            is_short: false,
        };
        let mut lines = print.value(kind, value);
        while let Some(block) = print.later.pop_front() {
            let content = print.content(block);
            lines.extend(named(&format!("block {block}"), content));
        }
        lines
    }

    /// A value in a few words.
    pub fn short(&self, kind: Kind, value: &Value) -> String {
        let mut print = Print {
            graph: self,
            seen: BTreeSet::new(),
            later: VecDeque::new(),
            depth: DEEPEST - 2,
            is_short: true,
        };
        let lines = print.value(kind, value);
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
}

struct Print<'g> {
    graph: &'g Graph,
    /// Blocks that are shown already: lists of nodes lead back to them.
    seen: BTreeSet<usize>,
    /// Blocks that are shown below the others.
    later: VecDeque<usize>,
    /// How many pointers lead here.
    depth: usize,
    /// Whether bytes are only named.
    is_short: bool,
}

impl Print<'_> {
    fn value(&mut self, kind: Kind, value: &Value) -> Vec<String> {
        match (kind, value) {
            (Kind::Number(number), Value::Number(bits)) => vec![number.shown(*bits)],
            (Kind::Function, Value::Number(0)) => vec!["null".into()],
            (Kind::Function, _) => vec!["set".into()],
            (_, Value::Number(bits) | Value::Unknown(bits)) => vec![address(*bits)],
            (Kind::Structure(of), Value::Fields(values)) => {
                let members = of.fields.iter().zip(values);
                members
                    .flat_map(|(field, value)| self.member(field, value))
                    .collect()
            }
            (Kind::Array(of, _), Value::Items(values)) => self.items(of, values),
            (Kind::Union(arms), Value::Arm(arm, value)) => self.value(arms[*arm].kind, value),
            (_, Value::Pointer(pointer)) => self.pointer(*pointer),
            (_, other) => vec![format!("{other:?}")],
        }
    }

    fn member(&mut self, field: &'static Field, value: &Value) -> Vec<String> {
        let lines = self.value(field.kind, value);
        match (field.kind, value) {
            (Kind::Union(arms), Value::Arm(arm, _)) => {
                let [outer, inner] = names(field, &arms[*arm]);
                named(outer, named(inner, lines))
            }
            _ => named(field.name, lines),
        }
    }

    fn pointer(&mut self, pointer: Pointer) -> Vec<String> {
        let (block, item) = match pointer {
            Pointer::Null => return vec!["null".into()],
            Pointer::Address(bits) => return vec![address(bits)],
            Pointer::Room(room) => return vec![format!("room for {room}")],
            Pointer::To { block, item } => (block, item),
        };
        match self.graph.blocks.get(block).map(|block| &block.content) {
            None => vec![format!("block {block}")],
            Some(Content::Text(units)) => vec![format!("{:?}", String::from_utf16_lossy(units))],
            Some(Content::Bytes { bytes: all, .. }) => vec![self.shortened(bytes(all))],
            Some(Content::Items { .. }) => {
                if item > 0 {
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
        let Content::Items { of, items, .. } = &self.graph.blocks[block].content else {
            return Vec::new();
        };
        match &items[..] {
            [one] => self.value(of.kind(), one),
            items => self.items(of, items),
        }
    }

    /// Without most of the digits at the end, if few words are wanted.
    fn shortened(&self, text: String) -> String {
        const DIGITS: usize = 12;
        let start = text.rfind(' ').map_or(0, |space| space + 1);
        match text
            .get(..start + DIGITS)
            .filter(|it| self.is_short && it.len() < text.len())
        {
            Some(text) => format!("{text}.."),
            None => text,
        }
    }

    fn items(&mut self, of: &'static Type, items: &[Value]) -> Vec<String> {
        let numbers = || {
            items.iter().filter_map(|value| match value {
                Value::Number(bits) => Some(*bits),
                _ => None,
            })
        };
        // Text in an array.
        if of.name == "WCHAR" {
            let units = numbers().filter_map(|unit| u16::try_from(unit).ok());
            let units: Vec<_> = units.take_while(|unit| *unit != 0).collect();
            return vec![format!("{:?}", String::from_utf16_lossy(&units))];
        }
        if of.name == "UINT8" {
            let bytes = numbers().filter_map(|byte| u8::try_from(byte).ok());
            return vec![hex::encode(bytes.collect::<Vec<_>>())];
        }
        let shown: Vec<_> = items
            .iter()
            .map(|item| self.value(of.kind(), item))
            .collect();
        if shown.iter().all(|lines| lines.len() == 1) {
            let one: Vec<_> = shown.iter().flatten().map(|line| line.trim()).collect();
            let line = format!("[{}]", one.join(", "));
            if line.len() <= LONGEST {
                return vec![line];
            }
        }
        if self.is_short {
            return vec![format!("{} of {of}", items.len())];
        }
        let numbered = shown.into_iter().enumerate();
        numbered
            .flat_map(|(index, lines)| named(&format!("[{index}]"), lines))
            .collect()
    }
}

fn address(bits: u64) -> String {
    match bits {
        0 => "null".into(),
        bits => format!("{bits:#x}"),
    }
}

/// A value as JSON: objects of members by their C names, and arrays. `leaf` says what a number, a handle, a function or a pointer is.
///
/// # Errors
///
/// Those of `leaf`.
pub fn to_json<E>(
    kind: Kind,
    value: &Value,
    leaf: &mut dyn FnMut(Kind, &Value) -> Result<Json, E>,
) -> Result<Json, E> {
    if let (Kind::Structure(of), Value::Fields(values)) = (kind, value) {
        let mut map = Map::new();
        for (field, value) in of.fields.iter().zip(values) {
            let json = to_json(field.kind, value, leaf)?;
            let (name, json) = match (field.kind, value) {
                (Kind::Union(arms), Value::Arm(arm, _)) => match names(field, &arms[*arm]) {
                    ["", name] | [name, ""] => (name, json),
                    [outer, inner] => (outer, Map::from_iter([(inner.to_owned(), json)]).into()),
                },
                _ => (field.name, json),
            };
            map.insert(name.into(), json);
        }
        return Ok(map.into());
    }
    let mut inner = Vec::new();
    if !each_inside(kind, value, &mut |_, kind, value| inner.push((kind, value))) {
        return leaf(kind, value);
    }
    if let (Kind::Union(_), [(kind, value)]) = (kind, &inner[..]) {
        return to_json(*kind, value, leaf);
    }
    let items = inner
        .into_iter()
        .map(|(kind, value)| to_json(kind, value, leaf));
    items.collect::<Result<Vec<_>, E>>().map(Json::Array)
}

/// The value that [`to_json`] made JSON of. `leaf` is its `leaf` the other way round.
///
/// # Errors
///
/// It is no such value, or those of `leaf`; in words.
pub fn from_json(
    kind: Kind,
    json: &Json,
    leaf: &mut dyn FnMut(Kind, &Json) -> Result<Value, String>,
) -> Result<Value, String> {
    match kind {
        Kind::Structure(of) => {
            let mut values = vec![Value::Number(0); of.fields.len()];
            // First what unions depend on.
            for depends in [false, true] {
                for (index, field) in of.fields.iter().enumerate() {
                    if field.kind.depends_on_others() == depends {
                        values[index] = member_from_json(of, field, &values, json, leaf)?;
                    }
                }
            }
            Ok(Value::Fields(values))
        }
        Kind::Array(of, count) => {
            let items = json.as_array().filter(|items| items.len() == count);
            let items = items.ok_or_else(|| format!("{json} is no array of {count} {of}"))?;
            let items = items.iter().map(|json| from_json(of.kind(), json, leaf));
            items.collect::<Result<_, _>>().map(Value::Items)
        }
        kind => leaf(kind, json),
    }
}

fn member_from_json(
    of: &'static Type,
    field: &'static Field,
    values: &[Value],
    json: &Json,
    leaf: &mut dyn FnMut(Kind, &Json) -> Result<Value, String>,
) -> Result<Value, String> {
    fn get<'j>(json: &'j Json, name: &str) -> Result<&'j Json, String> {
        json.get(name).ok_or_else(|| format!("there is no {name}"))
    }
    let mut read = || {
        let Kind::Union(arms) = field.kind else {
            return from_json(field.kind, get(json, field.name)?, leaf);
        };
        let possible = possible(arms, of, values);
        if possible.is_empty() {
            return leaf(field.kind, get(json, field.name)?);
        }
        let mut read = Err(String::new());
        for arm in possible {
            let json = match names(field, &arms[arm]) {
                ["", name] | [name, ""] => get(json, name)?,
                [outer, inner] => get(get(json, outer)?, inner)?,
            };
            read =
                from_json(arms[arm].kind, json, leaf).map(|value| Value::Arm(arm, Box::new(value)));
            if read.is_ok() {
                break;
            }
        }
        read
    };
    read().map_err(|error| format!("{of}.{}: {error}", field.name))
}

/// The arms that it can be; several, the likeliest first, where something behind pointers decides.
fn possible(arms: &[Arm], of: &Type, values: &[Value]) -> Vec<usize> {
    let is_late = |when: &When| when.path.len() > 1;
    if !arms.iter().flat_map(|arm| arm.when).any(is_late) {
        return Vec::from_iter(arm(arms, |when| holds_beside(of, values, when)));
    }
    let may_be = |arm: &usize| {
        let mut conditions = arms[*arm].when.iter();
        conditions.all(|when| is_late(when) || holds_beside(of, values, when))
    };
    (0..arms.len()).rev().filter(may_be).collect()
}
