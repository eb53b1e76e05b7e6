//! Memory as a trace has it: blocks, whose pointers lead to other blocks. Copied from the memory of a call, and built again for
//! one that is made again.
//!
//! Nothing is taken on trust: what cannot be read, has no known type or is larger than a description can be stays an address.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use ddi_sys::{D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT, D3D12DDI_ROOT_SIGNATURE_FLAGS};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::memory;
use crate::schema::{self, Count, Item, Kind, Target, Type, Way};

/// More elements than an array of the DDI can mean.
const MOST_ITEMS: u64 = 1 << 20;
/// More bytes than one call can mean.
const MOST_BYTES: usize = 1 << 28;
/// More characters than a name has.
const LONGEST_TEXT: usize = 1 << 16;
/// So many bytes stand in the block itself; more of them stand in the trace once.
const SHORT: usize = 64;

/// What a block is that has no type.
const TEXT: &str = "text";
const BYTES: &str = "bytes";

/// Some memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Block {
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
    Items { of: String, items: Vec<Value> },
}

/// Bytes that blocks refer to, by their SHA-256.
pub(crate) type Blobs = BTreeMap<String, Arc<[u8]>>;

/// Copies memory, block by block.
pub(crate) struct Copy {
    /// What the callee writes is there now.
    after: bool,
    pub(crate) blocks: Vec<Block>,
    pub(crate) blobs: Blobs,
    /// By address.
    known: BTreeMap<usize, Vec<Known>>,
    /// How much room there is, by address, for what the callee writes.
    pub(crate) rooms: BTreeMap<usize, u64>,
    /// Blocks whose bytes are copied and not yet read.
    left: VecDeque<(usize, &'static Type, Vec<u8>, Option<usize>)>,
    bytes: usize,
}

/// A block that was copied.
struct Known {
    block: usize,
    /// The type's name; of other memory what it is.
    of: &'static str,
    size: usize,
    count: usize,
}

impl Copy {
    /// Of the arguments of a call.
    pub(crate) fn before() -> Self {
        Self {
            after: false,
            blocks: Vec::new(),
            blobs: Blobs::new(),
            known: BTreeMap::new(),
            rooms: BTreeMap::new(),
            left: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Of what a call has written, for which there was so much room.
    pub(crate) fn after(rooms: BTreeMap<usize, u64>) -> Self {
        Self {
            after: true,
            rooms,
            ..Self::before()
        }
    }

    /// Where a pointer leads: `count` of `item`.
    pub(crate) fn pointer(&mut self, address: usize, target: Target, count: u64) -> Value {
        self.lead(address, target, count, None)
    }

    /// Reads all that is left to read.
    pub(crate) fn finish(&mut self) {
        while let Some((block, of, bytes, root_signature)) = self.left.pop_front() {
            let items = bytes
                .chunks_exact(of.size)
                .map(|item| self.item(of, item, root_signature))
                .collect();
            self.blocks[block] = Block::Items {
                of: of.name.to_owned(),
                items,
            };
        }
    }

    fn lead(
        &mut self,
        address: usize,
        target: Target,
        count: u64,
        root_signature: Option<usize>,
    ) -> Value {
        if address == 0 {
            return Value::Null;
        }
        if target.way == Way::Out {
            let room = *self.rooms.entry(address).or_insert(count);
            // What does not fit was not written.
            if !self.after || room < count {
                return json!({ "room": room });
            }
        }
        let block = match target.item {
            Item::Text => self.text(address),
            Item::Code => self.code(address),
            Item::Bytes => self.plain(address, count),
            Item::Of(of) => self.items(address, of, count, None),
            Item::GeometryShader => {
                let of = geometry_shader(address, root_signature);
                self.items(address, of, count, None)
            }
            // Its structure knows.
            Item::By(..) | Item::SizedBy(..) => None,
        };
        match block {
            Some((block, 0)) => json!({ "block": block }),
            Some((block, item)) => json!({ "block": block, "item": item }),
            None => at(address),
        }
    }

    /// The block at an address, and which of its items.
    fn block(&self, address: usize, of: &'static str, count: usize) -> Option<(usize, usize)> {
        let (start, known) = self.known.range(..=address).next_back()?;
        let offset = address - start;
        known.iter().find_map(|known| {
            let item = offset.checked_div(known.size)?;
            let fits = known.of == of
                && offset.is_multiple_of(known.size)
                && item.checked_add(count)? <= known.count;
            fits.then_some((known.block, item))
        })
    }

    fn add(&mut self, address: usize, known: Known, block: Block) -> (usize, usize) {
        let number = known.block;
        self.known.entry(address).or_default().push(known);
        self.blocks.push(block);
        (number, 0)
    }

    fn take(&mut self, size: usize) -> Option<()> {
        self.bytes = self
            .bytes
            .checked_add(size)
            .filter(|all| *all <= MOST_BYTES)?;
        Some(())
    }

    fn text(&mut self, address: usize) -> Option<(usize, usize)> {
        if let Some(found) = self.block(address, TEXT, 1) {
            return Some(found);
        }
        let units = memory::read_text(address, LONGEST_TEXT)?;
        self.take(2 * units.len())?;
        let known = Known {
            block: self.blocks.len(),
            of: TEXT,
            size: 2 * (units.len() + 1),
            count: 1,
        };
        let block = String::from_utf16(&units).map_or(Block::Utf16(units), Block::Text);
        Some(self.add(address, known, block))
    }

    fn code(&mut self, address: usize) -> Option<(usize, usize)> {
        let head = memory::read(address, 32);
        let declared = |head: &[u8]| match dxil::Form::sniff(*head.first_chunk()?) {
            dxil::Form::Program => dxil::Program::declared_len(head.first_chunk()?).ok(),
            dxil::Form::Container => dxil::Container::declared_len(head.first_chunk()?).ok(),
        };
        // Of code that says nothing sensible, the head says so.
        let size = declared(&head).unwrap_or(head.len());
        self.plain(address, size as u64)
    }

    /// As many of the bytes as are there.
    fn plain(&mut self, address: usize, size: u64) -> Option<(usize, usize)> {
        let size = usize::try_from(size).ok()?.min(MOST_BYTES - self.bytes);
        if let Some(found) = self.block(address, BYTES, 1)
            && self.known[&address]
                .iter()
                .any(|known| known.block == found.0 && known.size == size)
        {
            return Some(found);
        }
        let bytes = memory::read(address, size);
        self.take(bytes.len())?;
        if bytes.is_empty() && size > 0 {
            return None;
        }
        let known = Known {
            block: self.blocks.len(),
            of: BYTES,
            size: size.max(1),
            count: 1,
        };
        let block = if bytes.len() <= SHORT {
            Block::Hex(hex::encode(bytes))
        } else {
            let (sha256, size) = (hex::encode(Sha256::digest(&bytes)), bytes.len());
            self.blobs
                .entry(sha256.clone())
                .or_insert_with(|| bytes.into());
            Block::Bytes { sha256, size }
        };
        Some(self.add(address, known, block))
    }

    fn items(
        &mut self,
        address: usize,
        of: &'static Type,
        count: u64,
        root_signature: Option<usize>,
    ) -> Option<(usize, usize)> {
        let count = usize::try_from(count)
            .ok()
            .filter(|_| count <= MOST_ITEMS)?;
        if let Some(found) = self.block(address, of.name, count) {
            return Some(found);
        }
        let size = of.size * count;
        if size > MOST_BYTES - self.bytes {
            return None;
        }
        let bytes = memory::read_all(address, size)?;
        self.take(size)?;
        let block = self.blocks.len();
        let known = Known {
            block,
            of: of.name,
            size: of.size,
            count,
        };
        let root_signature = root_signature.or_else(|| {
            let field = of.field("hRootSignature")?;
            let address = schema::read(bytes.get(field.offset..)?, size_of::<usize>())?;
            usize::try_from(address)
                .ok()
                .filter(|address| *address != 0)
        });
        self.left.push_back((block, of, bytes, root_signature));
        let empty = Block::Items {
            of: of.name.to_owned(),
            items: Vec::new(),
        };
        Some(self.add(address, known, empty))
    }

    fn item(&mut self, of: &'static Type, bytes: &[u8], root_signature: Option<usize>) -> Value {
        let mut fields = Map::new();
        for field in of.fields {
            let value = self.field(of, field.kind, bytes, field.offset, root_signature);
            if field.name.is_empty() {
                return value;
            }
            fields.insert(field.name.to_owned(), value);
        }
        Value::Object(fields)
    }

    fn field(
        &mut self,
        of: &'static Type,
        kind: Kind,
        bytes: &[u8],
        offset: usize,
        root_signature: Option<usize>,
    ) -> Value {
        let here = &bytes[offset..];
        let word = || schema::read(here, size_of::<usize>()).unwrap_or_default();
        let one_of = |field, types| of.number_in(field, bytes).and_then(|is| find(types, is));
        match kind {
            Kind::Number(number) => json!(schema::read(here, number.size)),
            Kind::Handle => at_word(word()),
            Kind::Function => json!(word() != 0),
            Kind::Array(of, 1) => self.item(of, &here[..of.size], root_signature),
            Kind::Array(of, count) => here[..of.size * count]
                .chunks_exact(of.size)
                .map(|item| self.item(of, item, root_signature))
                .collect(),
            Kind::By(field, types) => match one_of(field, types) {
                Some(of) => self.item(of, &here[..of.size], root_signature),
                None => Value::Null,
            },
            Kind::Pointer(target) => {
                let Ok(address) = usize::try_from(word()) else {
                    return at_word(word());
                };
                let mut count = match target.count {
                    Count::Is(count) => Some(count as u64),
                    Count::Says(field) => of.number_in(field, bytes),
                    Count::SaysAt(field) => of.field(field).and_then(|field| {
                        let address = schema::read(&bytes[field.offset..], size_of::<usize>())?;
                        let number = memory::read_all(usize::try_from(address).ok()?, 4)?;
                        schema::read(&number, 4)
                    }),
                };
                let item = match target.item {
                    Item::By(field, types) => match one_of(field, types) {
                        Some(of) => Item::Of(of),
                        None => return at(address),
                    },
                    Item::SizedBy(field, types) => {
                        let sized = one_of(field, types).filter(|of| count == Some(of.size as u64));
                        count = sized.map_or(count, |_| Some(1));
                        sized.map_or(Item::Bytes, Item::Of)
                    }
                    item => item,
                };
                let target = Target { item, ..target };
                match count {
                    // Nobody follows a pointer to nothing.
                    Some(0) if !matches!(target.item, Item::Bytes) => at(address),
                    Some(count) => self.lead(address, target, count, root_signature),
                    None => at(address),
                }
            }
        }
    }
}

fn find(types: &[(i32, &'static Type)], value: u64) -> Option<&'static Type> {
    let value = u32::try_from(value).ok()?.cast_signed();
    let of = types.iter().find(|(known, _)| *known == value)?;
    Some(of.1)
}

/// An address, or a handle, that nothing more is known of.
fn at(address: usize) -> Value {
    at_word(address as u64)
}

fn at_word(word: u64) -> Value {
    if word == 0 {
        return Value::Null;
    }
    json!(format!("{word:#x}"))
}

/// The number of an address or a handle.
pub(crate) fn word_of(value: &Value) -> Option<u64> {
    match value {
        Value::Null => Some(0),
        Value::String(text) => u64::from_str_radix(text.strip_prefix("0x")?, 16).ok(),
        Value::Number(number) => number.as_u64(),
        Value::Bool(there) => Some((*there).into()),
        _ => None,
    }
}

/// The type of a geometry shader's create-arguments: its own root signature decides where the pipeline has none.
fn geometry_shader(address: usize, root_signature: Option<usize>) -> &'static Type {
    let word = |address: usize| {
        let bytes = memory::read_all(address, size_of::<usize>())?;
        usize::try_from(schema::read(&bytes, size_of::<usize>())?).ok()
    };
    // Handle, version and flags are at the places that the table says.
    let offset = |of: &Type, field: &str| of.field(field).map_or(0, |field| field.offset);
    let arguments = root_signature.or_else(|| {
        let own = address.checked_add(offset(&schema::SHADER, "hRootSignature"))?;
        word(own).filter(|address| *address != 0)
    });
    let flags = arguments.and_then(|arguments| {
        let content =
            arguments.checked_add(offset(&schema::ROOT_SIGNATURE_ARGUMENTS, "Anonymous"))?;
        let flags = word(content)?.checked_add(offset(&schema::ROOT_SIGNATURE_1_2, "Flags"))?;
        let bytes = memory::read_all(flags, 4)?;
        let flags = u32::try_from(schema::read(&bytes, 4)?).ok()?;
        Some(D3D12DDI_ROOT_SIGNATURE_FLAGS(flags.cast_signed()))
    });
    let streams = D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT;
    if flags.is_some_and(|flags| flags.contains(streams)) {
        &schema::GEOMETRY_SHADER
    } else {
        &schema::SHADER
    }
}

/// Memory that was built again.
#[derive(Debug, Default)]
pub(crate) struct Built {
    /// Each block, in words so that everything in it is aligned.
    blocks: Vec<Box<[u128]>>,
    sizes: Vec<usize>,
    /// What each is: a type's name, or text, or bytes.
    kinds: Vec<&'static str>,
    rooms: Vec<Box<[u128]>>,
}

impl Built {
    /// Builds the blocks; `handle` says what a handle of the trace is now.
    ///
    /// # Errors
    ///
    /// A block is none that a trace can have; in words.
    pub(crate) fn new(
        blocks: &[Block],
        blobs: &Blobs,
        handle: &dyn Fn(u64) -> u64,
    ) -> Result<Self, String> {
        let mut this = Self::default();
        for block in blocks {
            let ((bytes, size), kind) = match block {
                Block::Text(text) => (of_units(text.encode_utf16()), TEXT),
                Block::Utf16(units) => (of_units(units.iter().copied()), TEXT),
                Block::Hex(bytes) => {
                    let bytes = hex::decode(bytes).map_err(|error| error.to_string())?;
                    let len = bytes.len();
                    ((bytes, len), BYTES)
                }
                Block::Bytes { sha256, size } => {
                    let blob = blobs.get(sha256).filter(|blob| blob.len() == *size);
                    let blob =
                        blob.ok_or_else(|| format!("the bytes {sha256} are not in the trace"))?;
                    ((blob.to_vec(), *size), BYTES)
                }
                Block::Items { of, items } => {
                    let of = type_of(of)?;
                    ((vec![0; of.size * items.len()], of.size), of.name)
                }
            };
            this.blocks.push(words(&bytes));
            this.sizes.push(size.max(1));
            this.kinds.push(kind);
        }
        for (number, block) in blocks.iter().enumerate() {
            if let Block::Items { of, items } = block {
                let of = type_of(of)?;
                let mut bytes = Vec::with_capacity(of.size * items.len());
                for item in items {
                    let mut whole = vec![0; of.size];
                    this.write(of, item, &mut whole, handle)?;
                    bytes.extend(whole);
                }
                let place: *mut u8 = this.blocks[number].as_mut_ptr().cast();
                // SAFETY: the block has been made as large as its items.
                unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            }
        }
        Ok(this)
    }

    /// Where a pointer of the trace leads now.
    ///
    /// # Errors
    ///
    /// It leads to no block; in words.
    pub(crate) fn address(&mut self, pointer: &Value, target: Target) -> Result<u64, String> {
        let number = |name| pointer.get(name).and_then(Value::as_u64);
        let wrong = || format!("{pointer} is no pointer of a trace");
        if let Some(room) = number("room") {
            let size = match target.item {
                Item::Of(of) => of.size,
                _ => 1,
            };
            // What a caller says of its memory can be more than there ever was.
            let room = usize::try_from(room.min(MOST_ITEMS)).map_err(|_| wrong())?;
            self.rooms.push(words(&vec![0; room * size]));
            return Ok(self
                .rooms
                .last()
                .map_or(0, |room| room.as_ptr().addr() as u64));
        }
        let Some(block) = number("block") else {
            return word_of(pointer).ok_or_else(wrong);
        };
        let block = usize::try_from(block).map_err(|_| wrong())?;
        let memory = self.blocks.get(block).ok_or_else(wrong)?;
        let fits = match target.item {
            Item::Of(of) => self.kinds[block] == of.name,
            Item::Text => self.kinds[block] == TEXT,
            Item::Code | Item::Bytes => self.kinds[block] == BYTES,
            // The description that it belongs to says which.
            Item::By(..) | Item::SizedBy(..) | Item::GeometryShader => true,
        };
        if !fits {
            return Err(wrong());
        }
        let item = usize::try_from(number("item").unwrap_or_default()).map_err(|_| wrong())?;
        let offset = self.sizes[block].checked_mul(item).ok_or_else(wrong)?;
        if offset > 0 && offset >= size_of_val(&**memory) {
            return Err(wrong());
        }
        Ok((memory.as_ptr().expose_provenance() + offset) as u64)
    }

    fn write(
        &mut self,
        of: &'static Type,
        item: &Value,
        to: &mut [u8],
        handle: &dyn Fn(u64) -> u64,
    ) -> Result<(), String> {
        for field in of.fields {
            let wrong = || format!("{} has no {} that a trace can have", of.name, field.name);
            let value = match field.name {
                "" => item,
                name => item.get(name).ok_or_else(wrong)?,
            };
            let here = to.get_mut(field.offset..).ok_or_else(wrong)?;
            match field.kind {
                Kind::Number(number) => {
                    let value = value.as_u64().ok_or_else(wrong)?;
                    put(here, value, number.size).ok_or_else(wrong)?;
                }
                Kind::Handle => {
                    let value = word_of(value).ok_or_else(wrong)?;
                    put(here, handle(value), size_of::<usize>()).ok_or_else(wrong)?;
                }
                // Whoever builds them sets them.
                Kind::Function => {}
                Kind::Array(of, 1) => self.write(of, value, &mut here[..of.size], handle)?,
                Kind::Array(of, count) => {
                    let items = value.as_array().filter(|items| items.len() == count);
                    for (item, to) in items
                        .ok_or_else(wrong)?
                        .iter()
                        .zip(here.chunks_exact_mut(of.size))
                    {
                        self.write(of, item, to, handle)?;
                    }
                }
                Kind::By(other, types) => {
                    let is = item.get(other).and_then(Value::as_u64);
                    if let Some(of) = is.and_then(|is| find(types, is)) {
                        self.write(of, value, &mut here[..of.size], handle)?;
                    }
                }
                Kind::Pointer(target) => {
                    let address = self.address(value, target)?;
                    put(here, address, size_of::<usize>()).ok_or_else(wrong)?;
                }
            }
        }
        Ok(())
    }
}

fn type_of(name: &str) -> Result<&'static Type, String> {
    Type::named(name).ok_or_else(|| format!("{name} is no type of the DDI"))
}

fn of_units(units: impl Iterator<Item = u16>) -> (Vec<u8>, usize) {
    let bytes: Vec<u8> = units.chain([0]).flat_map(u16::to_le_bytes).collect();
    let len = bytes.len();
    (bytes, len)
}

fn put(to: &mut [u8], value: u64, size: usize) -> Option<()> {
    to.get_mut(..size)?
        .copy_from_slice(value.to_le_bytes().get(..size)?);
    Some(())
}

/// The bytes in memory that is aligned for everything.
pub(crate) fn words(bytes: &[u8]) -> Box<[u128]> {
    let mut words = vec![0; bytes.len().div_ceil(16).max(1)];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(16)) {
        let mut whole = [0; 16];
        whole[..bytes.len()].copy_from_slice(bytes);
        *word = u128::from_le_bytes(whole);
    }
    words.into()
}

#[cfg(test)]
mod tests {
    use super::{Blobs, Block, Built, Copy};
    use crate::schema::{Count, Item, Kind, Target, Type, Way};
    use serde_json::{Map, Value, json};

    /// Values of every type, each with numbers of its own, and blocks for what their pointers lead to.
    #[derive(Default)]
    struct Made {
        blocks: Vec<Block>,
        number: u64,
    }

    /// Lists lead to themselves.
    const DEEPEST: usize = 6;

    impl Made {
        fn item(&mut self, of: &'static Type, depth: usize) -> Value {
            let mut fields = Map::new();
            for field in of.fields {
                let value = self.field(of, field.kind, &fields, depth);
                if field.name.is_empty() {
                    return value;
                }
                fields.insert(field.name.into(), value);
            }
            // Counts are known when what they count is.
            for field in of.fields {
                if let Kind::Pointer(Target {
                    count: Count::Says(count),
                    item,
                    ..
                }) = field.kind
                {
                    let block = fields[field.name].get("block").and_then(Value::as_u64);
                    let size = block.map_or(0, |block| {
                        match &self.blocks[usize::try_from(block).unwrap()] {
                            Block::Items { items, .. } => items.len(),
                            Block::Hex(bytes) => bytes.len() / 2,
                            _ => 0,
                        }
                    });
                    let size = match item {
                        // One of another type, whose size is the count: see the test of capabilities.
                        Item::SizedBy(..) => 0,
                        _ => size,
                    };
                    fields.insert(count.into(), json!(size));
                }
            }
            Value::Object(fields)
        }

        fn field(
            &mut self,
            of: &'static Type,
            kind: Kind,
            before: &Map<String, Value>,
            depth: usize,
        ) -> Value {
            match kind {
                Kind::Number(number) => {
                    self.number += 1;
                    // A discriminant comes before what it says: each of its values in turn.
                    let arms = of.fields.iter().find_map(|field| match field.kind {
                        Kind::By(name, arms)
                        | Kind::Pointer(Target {
                            item: Item::By(name, arms),
                            ..
                        }) if !before.contains_key(name) => Some(arms),
                        _ => None,
                    });
                    let is_first = number.size == 4;
                    match arms.filter(|_| is_first) {
                        Some(arms) => {
                            json!(arms[usize::try_from(self.number).unwrap() % arms.len()].0)
                        }
                        None => json!(self.number % (1 << (8 * number.size.min(4) - 1))),
                    }
                }
                Kind::Handle => {
                    self.number += 1;
                    json!(format!("{:#x}", self.number))
                }
                Kind::Function => json!(false),
                Kind::Array(of, 1) => self.item(of, depth),
                Kind::Array(of, count) => (0..count).map(|_| self.item(of, depth)).collect(),
                Kind::By(name, arms) => {
                    let is = before[name].as_i64().unwrap();
                    match arms.iter().find(|arm| i64::from(arm.0) == is) {
                        Some((_, of)) => self.item(of, depth),
                        None => Value::Null,
                    }
                }
                Kind::Pointer(target) if target.way == Way::In && depth < DEEPEST => {
                    let block = match target.item {
                        Item::Of(of) => self.block(of, target.count, depth),
                        Item::By(name, arms) => {
                            let is = before[name].as_i64().unwrap();
                            match arms.iter().find(|arm| i64::from(arm.0) == is) {
                                Some((_, of)) => self.block(of, target.count, depth),
                                None => return Value::Null,
                            }
                        }
                        Item::Text => {
                            self.number += 1;
                            Block::Text(format!("name {}", self.number))
                        }
                        Item::Code => {
                            // A program of 32 bytes, as its second word says.
                            self.number += 1;
                            Block::Hex(format!(
                                "60000100{:08x}{:048x}",
                                8_u32.swap_bytes(),
                                self.number
                            ))
                        }
                        Item::Bytes => {
                            self.number += 1;
                            Block::Hex(format!("{:016x}", self.number))
                        }
                        Item::GeometryShader | Item::SizedBy(..) => return Value::Null,
                    };
                    self.blocks.push(block);
                    json!({ "block": self.blocks.len() - 1 })
                }
                Kind::Pointer(_) => Value::Null,
            }
        }

        fn block(&mut self, of: &'static Type, count: Count, depth: usize) -> Block {
            let count = match count {
                Count::Is(count) => count,
                _ => 2,
            };
            let items = (0..count).map(|_| self.item(of, depth + 1)).collect();
            Block::Items {
                of: of.name.into(),
                items,
            }
        }
    }

    /// What a pointer leads to, whatever the blocks' numbers are.
    fn unfolded(pointer: &Value, blocks: &[Block]) -> Value {
        match pointer {
            Value::Object(fields) => match fields.get("block").and_then(Value::as_u64) {
                Some(block) => match &blocks[usize::try_from(block).unwrap()] {
                    Block::Items { of, items } => {
                        let item = fields
                            .get("item")
                            .and_then(Value::as_u64)
                            .unwrap_or_default();
                        let items: Vec<_> =
                            items.iter().map(|item| unfolded(item, blocks)).collect();
                        json!([of, item, items])
                    }
                    other => json!(other),
                },
                None => fields
                    .iter()
                    .map(|(name, value)| (name.clone(), unfolded(value, blocks)))
                    .collect(),
            },
            Value::Array(items) => items.iter().map(|item| unfolded(item, blocks)).collect(),
            other => other.clone(),
        }
    }

    #[test]
    fn what_is_built_is_copied_again_whatever_its_type() {
        for of in Type::all() {
            // So many that each arm of a union has its turn.
            for turn in 0..32 {
                let mut made = Made {
                    number: turn,
                    ..Made::default()
                };
                let root = made.block(of, Count::Is(1), 0);
                made.blocks.push(root);
                let pointer = json!({ "block": made.blocks.len() - 1 });
                let target = Target {
                    item: Item::Of(of),
                    count: Count::Is(1),
                    way: Way::In,
                };
                let mut built = Built::new(&made.blocks, &Blobs::new(), &|handle| handle).unwrap();
                let address = usize::try_from(built.address(&pointer, target).unwrap()).unwrap();
                let mut copy = Copy::before();
                let copied = copy.pointer(address, target, 1);
                copy.finish();
                assert_eq!(
                    unfolded(&copied, &copy.blocks),
                    unfolded(&pointer, &made.blocks),
                    "{} {turn}",
                    of.name
                );
            }
        }
    }

    #[test]
    fn blocks_that_no_trace_has_are_refused() {
        let blocks = |blocks: Value| -> Vec<Block> { serde_json::from_value(blocks).unwrap() };
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
        for block in refused {
            let built = Built::new(&blocks(block.clone()), &Blobs::new(), &|handle| handle);
            assert!(built.is_err(), "{block}");
        }
    }

    #[test]
    fn a_list_that_leads_back_to_itself_has_an_end() {
        let blocks: Vec<Block> = serde_json::from_value(json!([
            { "items": { "of": "D3D12DDI_NODE_LIST_ENTRY_0108", "items": [{ "pNode": null, "pNext": { "block": 0 } }] } }
        ]))
        .unwrap();
        let of = Type::named("D3D12DDI_NODE_LIST_ENTRY_0108").unwrap();
        let target = Target {
            item: Item::Of(of),
            count: Count::Is(1),
            way: Way::In,
        };
        let mut built = Built::new(&blocks, &Blobs::new(), &|handle| handle).unwrap();
        let address =
            usize::try_from(built.address(&json!({ "block": 0 }), target).unwrap()).unwrap();
        let mut copy = Copy::before();
        let _ = copy.pointer(address, target, 1);
        copy.finish();
        assert_eq!(copy.blocks, blocks);
    }
}
