//! Copies memory. Nothing is taken on trust: what cannot be read, has no known type or is larger than a description can be stays an
//! address.

use std::collections::{BTreeMap, VecDeque};
use std::ptr;

use crate::graph::{
    Block, Content, Graph, Place, Pointer, Reading, Value, arm, holds_beside, number_of,
};
use crate::memory::{Access, number};
use crate::table::Described;
use crate::types::{Arm, Count, Item, Kind, Role, Target, Type, Way};

/// More elements than an array of the DDI can mean.
const MOST_ITEMS: u64 = 1 << 20;
/// More bytes than one description can mean.
const MOST_BYTES: usize = 1 << 28;
/// More characters than a name has.
const LONGEST_TEXT: usize = 1 << 16;

/// Copies memory into graphs.
#[derive(Clone, Debug)]
pub struct Copier {
    access: Access,
    reading: Reading,
    /// Whether what the callee writes is there now.
    is_after: bool,
    rooms: BTreeMap<usize, u64>,
}

impl Copier {
    /// Of memory that may be anything: what cannot be read is told, and never ends the process.
    pub fn checked() -> Self {
        Self {
            access: Access::Checked,
            reading: Reading::Plugin,
            is_after: false,
            rooms: BTreeMap::new(),
        }
    }

    /// Of memory that is as the DDI says, without the system's help.
    ///
    /// # Safety
    ///
    /// Whatever the copier is given to copy is valid, and so is what the table says that it leads to.
    pub unsafe fn trusted() -> Self {
        Self {
            access: Access::Trusted,
            ..Self::checked()
        }
    }

    /// The same for the usermode DDI, which has other handles.
    #[must_use]
    pub fn usermode(self) -> Self {
        Self {
            reading: Reading::Usermode,
            ..self
        }
    }

    /// The same for what a call has written into memory of which [`rooms`](Self::rooms) told how much there is.
    #[must_use]
    pub fn after(self, rooms: BTreeMap<usize, u64>) -> Self {
        Self {
            is_after: true,
            rooms,
            ..self
        }
    }

    /// How much room there is for what the callee writes, by address.
    pub fn rooms(&self) -> &BTreeMap<usize, u64> {
        &self.rooms
    }

    /// Copies so many of a type, with all that they lead to; `None` where they cannot be read.
    pub fn copy(&mut self, of: &'static Type, address: usize, count: usize) -> Option<Graph> {
        let size = of
            .size
            .checked_mul(count)
            .filter(|size| *size <= MOST_BYTES);
        let bytes = self.access.read_all(address, size?)?;
        Some(self.copy_bytes(of, bytes, address))
    }

    /// Copies what a structure in memory of the caller's own leads to.
    pub fn copy_bytes(&mut self, of: &'static Type, bytes: Vec<u8>, address: usize) -> Graph {
        let mut copy = Copy {
            copier: self,
            graph: Graph::default(),
            known: BTreeMap::new(),
            queue: VecDeque::new(),
            late: Vec::new(),
            size: 0,
        };
        copy.graph.reading = copy.copier.reading;
        copy.add_items(address, of, bytes, of.size);
        copy.finish();
        copy.graph
    }
}

impl Graph {
    /// A copy of a structure, with all that it leads to. Pointers that lead nowhere stay addresses.
    pub fn copy<T: Described>(it: &T) -> Self {
        let address = ptr::from_ref(it).expose_provenance();
        let copy = Copier::checked().copy(T::TYPE, address, 1);
        copy.unwrap_or_default()
    }
}

/// A union that something behind pointers decides, which are not followed yet.
struct Late {
    place: Place,
    arms: &'static [Arm],
    of: &'static Type,
    bytes: Vec<u8>,
}

struct Copy<'c> {
    copier: &'c mut Copier,
    graph: Graph,
    /// Blocks by their address.
    known: BTreeMap<usize, Vec<usize>>,
    /// Blocks whose bytes are copied and not yet read.
    queue: VecDeque<(usize, Vec<u8>)>,
    late: Vec<Late>,
    size: usize,
}

impl Copy<'_> {
    fn finish(&mut self) {
        loop {
            while let Some((block, bytes)) = self.queue.pop_front() {
                self.read_items(block, &bytes);
            }
            let Some(late) = self.late.pop() else {
                return;
            };
            self.decide(&late);
        }
    }

    /// Reads a union whose conditions can be told now.
    fn decide(&mut self, late: &Late) {
        let Some(owner) = late.place.owner() else {
            return;
        };
        let Some(chosen) = arm(late.arms, |when| self.graph.holds(&owner, when)) else {
            return;
        };
        if let Some(Value::Arm(now, _)) = self.graph.at(&late.place).map(|leaf| leaf.value)
            && *now == chosen
        {
            return;
        }
        let Some((_, values)) = self.graph.structure_at(&owner) else {
            return;
        };
        let values = values.to_vec();
        let kind = late.arms[chosen].kind;
        let value = self.value(late.of, kind, &late.bytes, &values, &late.place.with(0));
        if let Some(place) = self.graph.at_mut(&late.place) {
            *place = Value::Arm(chosen, Box::new(value));
        }
    }

    fn read_items(&mut self, block: usize, bytes: &[u8]) {
        let Content::Items { of, stride, .. } = self.graph.blocks[block].content else {
            return;
        };
        let count = if bytes.is_empty() {
            0
        } else {
            1 + (bytes.len() - of.size) / stride.max(1)
        };
        let items = (0..count)
            .map(|item| {
                let at = Place {
                    block,
                    item,
                    inner: Vec::new(),
                };
                let bytes = &bytes[item * stride..][..of.size];
                self.value(of, of.kind(), bytes, &[], &at)
            })
            .collect();
        self.graph.blocks[block].content = Content::Items { of, items, stride };
    }

    /// A value; `of` and `values` are the structure that it is a member of, as far as that is read.
    fn value(
        &mut self,
        of: &'static Type,
        kind: Kind,
        bytes: &[u8],
        values: &[Value],
        at: &Place,
    ) -> Value {
        let word = || number(bytes, size_of::<usize>()).unwrap_or_default();
        match kind {
            Kind::Number(it) => Value::Number(number(bytes, it.size).unwrap_or_default()),
            Kind::Handle(_) | Kind::Function => Value::Number(word()),
            Kind::Structure(of) => Value::Fields(self.structure(of, bytes, at)),
            Kind::Array(of, count) => {
                let parts = bytes.chunks_exact(of.size).take(count).enumerate();
                let items = parts
                    .map(|(index, bytes)| self.value(of, of.kind(), bytes, &[], &at.with(index)));
                Value::Items(items.collect())
            }
            Kind::Union(arms) => self.union(of, arms, bytes, values, at),
            Kind::Pointer(target) => Value::Pointer(self.pointer(of, target, word(), values)),
        }
    }

    fn structure(&mut self, of: &'static Type, bytes: &[u8], at: &Place) -> Vec<Value> {
        let mut values = vec![Value::Number(0); of.fields.len()];
        // First what others depend on.
        for depends in [false, true] {
            for (index, field) in of.fields.iter().enumerate() {
                if field.kind.depends_on_others() == depends {
                    let bytes = &bytes[field.offset..];
                    let value = self.value(of, field.kind, bytes, &values, &at.with(index));
                    values[index] = value;
                }
            }
        }
        values
    }

    fn union(
        &mut self,
        of: &'static Type,
        arms: &'static [Arm],
        bytes: &[u8],
        values: &[Value],
        at: &Place,
    ) -> Value {
        let mut conditions = arms.iter().flat_map(|arm| arm.when);
        if conditions.any(|when| when.path.len() > 1) {
            self.late.push(Late {
                place: at.clone(),
                arms,
                of,
                bytes: bytes.to_vec(),
            });
        }
        match arm(arms, |when| holds_beside(of, values, when)) {
            Some(arm) => {
                let value = self.value(of, arms[arm].kind, bytes, values, &at.with(0));
                Value::Arm(arm, Box::new(value))
            }
            None => Value::Unknown(number(bytes, size_of::<usize>()).unwrap_or_default()),
        }
    }

    fn pointer(
        &mut self,
        of: &'static Type,
        target: Target,
        word: u64,
        values: &[Value],
    ) -> Pointer {
        if word == 0 {
            return Pointer::Null;
        }
        let is_foreign = self.graph.reading == Reading::Usermode;
        let Ok(address) = usize::try_from(word) else {
            return Pointer::Address(word);
        };
        if is_foreign && matches!(target.role, Role::Handle(_)) {
            return Pointer::Address(word);
        }
        let Some(count) = self.count(of, target.count, values) else {
            return Pointer::Address(word);
        };
        let count = match target.way {
            Way::Out => match self.written(address, target.item, count) {
                Ok(count) => count,
                Err(room) => return Pointer::Room(room),
            },
            _ => count,
        };
        // Nobody follows a pointer to nothing.
        if count == 0 && !matches!(target.item, Item::Bytes) {
            return Pointer::Address(word);
        }
        let stride = target.stride.and_then(|field| number_of(of, values, field));
        let found = self.lead(address, target, count, stride);
        found.map_or(Pointer::Address(word), |(block, item)| Pointer::To {
            block,
            item,
        })
    }

    /// How much of what the callee writes is there; or how much room there is for it.
    fn written(&mut self, address: usize, item: Item, count: u64) -> Result<u64, u64> {
        let room = *self.copier.rooms.entry(address).or_insert(count);
        let is_in_part = matches!(item, Item::Of(_)) && room > 0;
        match self.copier.is_after {
            true if room >= count => Ok(count),
            true if is_in_part => Ok(room),
            // What does not fit was not written.
            _ => Err(room),
        }
    }

    fn count(&self, of: &'static Type, count: Count, values: &[Value]) -> Option<u64> {
        match count {
            Count::Is(count) => Some(count as u64),
            Count::Says(field) => number_of(of, values, field),
            Count::Product(one, other) => {
                number_of(of, values, one)?.checked_mul(number_of(of, values, other)?)
            }
            Count::SaysAt(field) => {
                let (index, _) = of.field(field)?;
                let address = match values.get(index)? {
                    Value::Pointer(Pointer::To { block, item }) => {
                        let block = self.graph.blocks.get(*block)?;
                        block.address + item * size_of::<u32>()
                    }
                    Value::Pointer(Pointer::Address(address)) => usize::try_from(*address).ok()?,
                    _ => return None,
                };
                number(
                    &self.copier.access.read_all(address, size_of::<u32>())?,
                    size_of::<u32>(),
                )
            }
        }
    }

    fn lead(
        &mut self,
        address: usize,
        target: Target,
        count: u64,
        stride: Option<u64>,
    ) -> Option<(usize, usize)> {
        match target.item {
            Item::Text => self.text(address),
            Item::Code => self.code(address),
            Item::Bytes => self.plain(address, count, 1),
            Item::Of(of) => {
                let is_foreign =
                    target.role == Role::Element && self.graph.reading == Reading::Usermode;
                self.items(address, of(), count, stride, is_foreign)
            }
        }
    }

    fn add(&mut self, address: usize, content: Content) -> (usize, usize) {
        let block = self.graph.blocks.len();
        self.known.entry(address).or_default().push(block);
        self.graph.blocks.push(Block { content, address });
        (block, 0)
    }

    fn take(&mut self, size: usize) -> Option<()> {
        self.size = self
            .size
            .checked_add(size)
            .filter(|all| *all <= MOST_BYTES)?;
        Some(())
    }

    /// A block that begins here.
    fn known_at(&self, address: usize, is_it: impl Fn(&Content) -> bool) -> Option<(usize, usize)> {
        let known = self.known.get(&address)?.iter();
        let mut known = known.filter(|block| is_it(&self.graph.blocks[**block].content));
        known.next().map(|block| (*block, 0))
    }

    fn text(&mut self, address: usize) -> Option<(usize, usize)> {
        if let Some(known) = self.known_at(address, |it| matches!(it, Content::Text(_))) {
            return Some(known);
        }
        let units = self.copier.access.read_text(address, LONGEST_TEXT)?;
        self.take(size_of::<u16>() * units.len())?;
        Some(self.add(address, Content::Text(units)))
    }

    fn code(&mut self, address: usize) -> Option<(usize, usize)> {
        let access = self.copier.access;
        let first = access.read_all(address, 4)?;
        let header = match dxil::Form::sniff(*first.first_chunk()?) {
            dxil::Form::Program => 8,
            dxil::Form::Container => 32,
        };
        let header = access.read(address, header);
        // Of code that says nothing sensible, the header says so.
        let size = declared_len(&header).unwrap_or(header.len());
        self.plain(address, size as u64, align_of::<u32>())
    }

    /// As many of the bytes as are there.
    fn plain(&mut self, address: usize, size: u64, align: usize) -> Option<(usize, usize)> {
        let size = usize::try_from(size).ok()?.min(MOST_BYTES - self.size);
        let is_it =
            |it: &Content| matches!(it, Content::Bytes { bytes, .. } if bytes.len() == size);
        if let Some(known) = self.known_at(address, is_it) {
            return Some(known);
        }
        let bytes = self.copier.access.read(address, size);
        self.take(bytes.len())?;
        if bytes.is_empty() && size > 0 {
            return None;
        }
        let bytes = bytes.into();
        Some(self.add(address, Content::Bytes { bytes, align }))
    }

    fn items(
        &mut self,
        address: usize,
        of: &'static Type,
        count: u64,
        stride: Option<u64>,
        is_foreign: bool,
    ) -> Option<(usize, usize)> {
        let count = usize::try_from(count)
            .ok()
            .filter(|_| count <= MOST_ITEMS)?;
        if let Some(found) = self.known_items(address, of, count) {
            return Some(found);
        }
        if is_foreign {
            return None;
        }
        let stride = match stride {
            // What overlaps is no array.
            Some(stride) if count > 1 => {
                usize::try_from(stride).ok().filter(|it| *it >= of.size)?
            }
            _ => of.size,
        };
        let size = stride.checked_mul(count - 1)?.checked_add(of.size)?;
        self.take(size)?;
        let bytes = self.copier.access.read_all(address, size)?;
        Some(self.add_items(address, of, bytes, stride))
    }

    fn add_items(
        &mut self,
        address: usize,
        of: &'static Type,
        bytes: Vec<u8>,
        stride: usize,
    ) -> (usize, usize) {
        let block = self.graph.blocks.len();
        // As many as there will be, so that pointers into the block find it.
        let count = bytes.len().div_ceil(stride.max(1));
        let items = vec![Value::Unknown(0); count];
        self.queue.push_back((block, bytes));
        self.add(address, Content::Items { of, items, stride })
    }

    /// The block of items that has these, and which of them.
    fn known_items(
        &self,
        address: usize,
        of: &'static Type,
        count: usize,
    ) -> Option<(usize, usize)> {
        let (start, known) = self.known.range(..=address).next_back()?;
        let offset = address - start;
        known.iter().find_map(|block| {
            let Content::Items {
                of: other,
                items,
                stride,
            } = &self.graph.blocks[*block].content
            else {
                return None;
            };
            let item = offset.checked_div(*stride)?;
            let fits = *other == of
                && offset.is_multiple_of(*stride)
                && item.checked_add(count)? <= items.len();
            fits.then_some((*block, item))
        })
    }
}

/// How long shader code says that it is.
pub(crate) fn declared_len(code: &[u8]) -> Option<usize> {
    match dxil::Form::sniff(*code.first_chunk()?) {
        dxil::Form::Program => dxil::Program::declared_len(code.first_chunk()?).ok(),
        dxil::Form::Container => dxil::Container::declared_len(code.first_chunk()?).ok(),
    }
}
