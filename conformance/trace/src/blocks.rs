//! Arguments and what they lead to, as the lines of a trace have them: JSON, with blocks of memory that pointers refer to.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use ddi_schema::{
    Block, Content, Field, Graph, Item, Kind, Pointer, Type, Value, from_json, to_json,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

/// So many bytes stand in the block itself; more of them stand in the trace once.
const SHORT: usize = 64;

/// Some memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Memory {
    /// UTF-16, without the NUL that follows it.
    Text(String),
    /// UTF-16 that is not well formed, without the NUL that follows it.
    Utf16(Vec<u16>),
    /// Bytes, in hexadecimal.
    Hex(String),
    /// Bytes that stand elsewhere in the trace.
    Bytes {
        /// In hexadecimal.
        sha256: String,
        size: usize,
    },
    /// Values of one type.
    Items { of: String, items: Vec<Json> },
}

/// Bytes that blocks refer to, by their SHA-256.
pub(crate) type Blobs = BTreeMap<String, Arc<[u8]>>;

/// A number, handle, function or pointer. The arguments themselves are the first block of a graph, and none of the memory.
fn leaf(kind: Kind, value: &Value) -> Json {
    match (kind, value) {
        (Kind::Number(_), Value::Number(bits)) => json!(bits),
        (Kind::Function, Value::Number(bits)) => json!(*bits != 0),
        (_, Value::Number(bits) | Value::Unknown(bits)) => word(*bits),
        (_, Value::Pointer(pointer)) => match pointer {
            Pointer::Null => Json::Null,
            Pointer::Address(bits) => word(*bits),
            Pointer::Room(room) => json!({ "room": room }),
            Pointer::To { block, item: 0 } => json!({ "block": block.saturating_sub(1) }),
            Pointer::To { block, item } => {
                json!({ "block": block.saturating_sub(1), "item": item })
            }
        },
        (_, other) => json!(format!("{other:?}")),
    }
}

fn word(bits: u64) -> Json {
    match bits {
        0 => Json::Null,
        bits => json!(format!("{bits:#x}")),
    }
}

/// The bits of a number, a handle or an address.
fn bits_of(json: &Json) -> Option<u64> {
    match json {
        Json::Null => Some(0),
        Json::String(text) => u64::from_str_radix(text.strip_prefix("0x")?, 16).ok(),
        Json::Number(number) => number.as_u64(),
        Json::Bool(there) => Some((*there).into()),
        _ => None,
    }
}

fn json_of(kind: Kind, value: &Value) -> Json {
    let Ok(json) = to_json(kind, value, &mut |kind, value| {
        Ok::<_, Infallible>(leaf(kind, value))
    });
    json
}

/// The arguments that a graph begins with, of which `is_one` says so, the memory that they lead to, and the bytes that a trace has
/// once.
pub(crate) fn written(
    graph: &Graph,
    is_one: impl Fn(&Field, &Value) -> bool,
) -> (Map<String, Json>, Vec<Memory>, Blobs) {
    let (mut values, mut blobs) = (Map::new(), Blobs::new());
    for (field, value) in arguments(graph) {
        if is_one(field, value) {
            values.insert(field.name.to_owned(), json_of(field.kind, value));
        }
    }
    let memory = graph
        .blocks()
        .iter()
        .skip(1)
        .map(|block| match &block.content {
            Content::Text(units) => match String::from_utf16(units) {
                Ok(text) => Memory::Text(text),
                Err(_) => Memory::Utf16(units.clone()),
            },
            Content::Bytes { bytes, .. } if bytes.len() <= SHORT => Memory::Hex(hex::encode(bytes)),
            Content::Bytes { bytes, .. } => {
                let (sha256, size) = (hex::encode(Sha256::digest(bytes)), bytes.len());
                blobs.insert(sha256.clone(), Arc::clone(bytes));
                Memory::Bytes { sha256, size }
            }
            Content::Items { of, items, .. } => Memory::Items {
                of: of.name.to_owned(),
                items: items.iter().map(|item| json_of(of.kind(), item)).collect(),
            },
        });
    let memory = memory.collect();
    (values, memory, blobs)
}

/// The arguments that a graph begins with.
pub(crate) fn arguments(graph: &Graph) -> impl Iterator<Item = (&'static Field, &Value)> {
    let first = graph
        .blocks()
        .first()
        .and_then(|block| match &block.content {
            Content::Items { of, items, .. } => Some((*of, items.first()?)),
            _ => None,
        });
    let members = first.and_then(|(of, value)| match value {
        Value::Fields(values) => Some(of.fields.iter().zip(values)),
        _ => None,
    });
    members.into_iter().flatten()
}

/// The graph that begins with these arguments. What is no argument here is zero.
///
/// # Errors
///
/// They are none that a trace can have; in words.
pub(crate) fn read(
    of: &'static Type,
    values: &Map<String, Json>,
    memory: &[Memory],
    blobs: &Blobs,
) -> Result<Graph, String> {
    let mut leaf = |kind, json: &Json| value(kind, json, memory);
    let values = of.fields.iter().map(|field| match values.get(field.name) {
        Some(json) => from_json(field.kind, json, &mut leaf),
        None => Ok(Value::zeroed(field.kind)),
    });
    let values = Value::Fields(values.collect::<Result<_, _>>()?);
    let mut blocks = vec![Block::items(of, vec![values])];
    for one in memory {
        blocks.push(Block::new(content(one, memory, blobs)?));
    }
    Graph::from_blocks(blocks).ok_or_else(|| "a pointer leads nowhere".into())
}

fn content(one: &Memory, memory: &[Memory], blobs: &Blobs) -> Result<Content, String> {
    let bytes = |bytes: Arc<[u8]>| Content::Bytes {
        bytes,
        align: ALIGN,
    };
    Ok(match one {
        Memory::Text(text) => Content::Text(text.encode_utf16().collect()),
        Memory::Utf16(units) => Content::Text(units.clone()),
        Memory::Hex(hex) => bytes(hex::decode(hex).map_err(|error| error.to_string())?.into()),
        Memory::Bytes { sha256, size } => {
            let blob = blobs.get(sha256).filter(|blob| blob.len() == *size);
            let blob = blob.ok_or_else(|| format!("the bytes {sha256} are not in the trace"))?;
            bytes(Arc::clone(blob))
        }
        Memory::Items { of, items } => {
            let of = Type::named(of).ok_or_else(|| format!("{of} is no type of the DDI"))?;
            let mut leaf = |kind, json: &Json| value(kind, json, memory);
            let items = items
                .iter()
                .map(|json| from_json(of.kind(), json, &mut leaf));
            Block::items(of, items.collect::<Result<_, _>>()?).content
        }
    })
}

/// A number, handle, function or pointer.
fn value(kind: Kind, json: &Json, memory: &[Memory]) -> Result<Value, String> {
    let bits = bits_of(json);
    let value = match (kind, bits) {
        (Kind::Number(number), _) => {
            let bits = json.as_u64().filter(|bits| *bits <= number.most());
            bits.map(Value::Number)
        }
        (Kind::Pointer(_), Some(0)) => Some(Value::Pointer(Pointer::Null)),
        (Kind::Pointer(_), Some(bits)) => Some(Value::Pointer(Pointer::Address(bits))),
        (Kind::Pointer(target), None) => pointer(json, target.item, memory).map(Value::Pointer),
        (Kind::Union(_), Some(bits)) => Some(Value::Unknown(bits)),
        (_, bits) => bits.map(Value::Number),
    };
    value.ok_or_else(|| format!("{json} is nothing that a trace can have here"))
}

fn pointer(json: &Json, item: Item, memory: &[Memory]) -> Option<Pointer> {
    let number = |name: &str| json.get(name).and_then(Json::as_u64);
    if let Some(room) = number("room") {
        return Some(Pointer::Room(room));
    }
    let block = usize::try_from(number("block")?).ok()?;
    let fits = match (memory.get(block)?, item) {
        (Memory::Items { of: known, .. }, Item::Of(of)) => known == of().name,
        (Memory::Text(_) | Memory::Utf16(_), Item::Text)
        | (Memory::Hex(_) | Memory::Bytes { .. }, Item::Code | Item::Bytes) => true,
        _ => false,
    };
    let item = usize::try_from(number("item").unwrap_or_default()).ok()?;
    let block = block + 1;
    fits.then_some(Pointer::To { block, item })
}

/// How bytes are aligned, which a trace does not say.
const ALIGN: usize = 16;

#[cfg(test)]
mod tests {
    use super::{Blobs, Memory, read, written};
    use crate::functions::Function;
    use ddi_schema::{Change, Counts, Graph};
    use serde_json::{Map, Value as Json, json};

    #[test]
    fn arguments_of_every_function_are_read_as_they_were_written() {
        for signature in Function::SIGNATURES {
            let mut graph = Graph::zeroed(&signature.arguments);
            for round in 0..5 {
                for change in graph.changes() {
                    let is_new = matches!(&change, Change::Make(_));
                    let is_longer = matches!(&change, Change::Rearrange(_, order) if order.last() == Some(&None));
                    let is_value = matches!(&change, Change::Set(..)) && round == 4;
                    if is_new || is_longer || is_value {
                        // What an earlier change has taken away cannot be changed any more.
                        let _ = graph.apply(&change);
                    }
                }
            }
            let (values, memory, blobs) = written(&graph, |_, _| true);
            let again = read(&signature.arguments, &values, &memory, &blobs).unwrap();
            let difference = graph.difference(&again, Counts::Content);
            assert_eq!(difference, None, "{}", signature.function.name());
        }
    }

    #[test]
    fn blocks_that_no_trace_has_are_refused() {
        let of = &Function::pfnDestroyCompilerDDI.signature().arguments;
        let refused = [
            json!([{ "items": { "of": "NO_TYPE", "items": [] } }]),
            json!([{ "items": { "of": "UINT", "items": ["one"] } }]),
            json!([{ "items": { "of": "LPCWSTR", "items": [{ "block": 7 }] } }]),
            json!([{ "items": { "of": "LPCWSTR", "items": [{ "block": 0, "item": 9 }] } }]),
            json!([{ "items": { "of": "D3D12DDI_COMPILER_TARGET", "items": [{ "ABIVersion": 1 }] } }]),
            json!([{ "bytes": { "sha256": "00", "size": 3 } }]),
            json!([{ "hex": "xyz" }]),
            json!([{ "items": { "of": "LPCWSTR", "items": [{ "block": 1 }] } }, { "hex": "00" }]),
        ];
        let read = |memory: Json| {
            let memory: Vec<Memory> = serde_json::from_value(memory).unwrap();
            read(of, &Map::new(), &memory, &Blobs::new())
        };
        assert!(read(json!([{ "hex": "00" }])).is_ok());
        for memory in refused {
            assert!(read(memory.clone()).is_err(), "{memory}");
        }
    }
}
