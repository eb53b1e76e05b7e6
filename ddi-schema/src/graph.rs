//! A description as a graph: blocks of values, whose pointers lead to other blocks.

use std::sync::Arc;

use crate::types::{Arm, Kind, Target, Test, Type, When};

/// Values with everything that their pointers lead to.
///
/// The first block is where it begins. A block that two pointers lead to is one, and stays one when the graph is placed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    pub(crate) blocks: Vec<Block>,
    pub(crate) reading: Reading,
}

/// Whose handles those of a description are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// The plugin DDI's: some lead to create-arguments.
    #[default]
    Plugin,
    /// The usermode DDI's: all are the driver's, and so is what other objects' descriptions have.
    Usermode,
}

/// A piece of memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What it holds.
    pub content: Content,
    /// Where it was copied from; 0 where it was not.
    pub address: usize,
}

/// What a piece of memory holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Values of one type.
    Items {
        /// The type.
        of: &'static Type,
        /// The values.
        items: Vec<Value>,
        /// How far one is from the next, in bytes.
        stride: usize,
    },
    /// UTF-16, without the NUL that follows it.
    Text(Vec<u16>),
    /// Bytes.
    Bytes {
        /// The bytes.
        bytes: Arc<[u8]>,
        /// How they are aligned.
        align: usize,
    },
}

/// A value; its [`Kind`] says what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number's bits, a handle, or the address of a function.
    Number(u64),
    /// A pointer.
    Pointer(Pointer),
    /// The members of a structure, in their order.
    Fields(Vec<Value>),
    /// The elements of an array.
    Items(Vec<Value>),
    /// An arm of a union, by its place in the table, and what it is.
    Arm(usize, Box<Value>),
    /// A union that no arm is known of: its first word.
    Unknown(u64),
}

/// Where a pointer leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// Nowhere.
    Null,
    /// To an item of a block.
    To {
        /// The block.
        block: usize,
        /// The item.
        item: usize,
    },
    /// To an address, of which nothing more is known.
    Address(u64),
    /// To memory for so many, in which whoever is called writes.
    Room(u64),
}

impl Pointer {
    /// To the beginning of a block.
    pub(crate) const fn to(block: usize) -> Self {
        Self::To { block, item: 0 }
    }
}

/// A value in a graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) block: usize,
    pub(crate) item: usize,
    /// From an item inwards: of a structure which member, of an array which element, of a union 0.
    pub(crate) inner: Vec<usize>,
}

impl Place {
    pub(crate) fn with(&self, index: usize) -> Self {
        let mut place = self.clone();
        place.inner.push(index);
        place
    }

    /// The structure that it is a member of.
    pub(crate) fn owner(&self) -> Option<Self> {
        let mut place = self.clone();
        place.inner.pop()?;
        Some(place)
    }
}

/// Sees what is directly in a value; `false` where that is a leaf.
pub(crate) fn each_inside<'v>(
    kind: Kind,
    value: &'v Value,
    see: &mut dyn FnMut(usize, Kind, &'v Value),
) -> bool {
    match (kind, value) {
        (Kind::Structure(of), Value::Fields(values)) => {
            for (index, (field, value)) in of.fields.iter().zip(values).enumerate() {
                see(index, field.kind, value);
            }
        }
        (Kind::Array(of, _), Value::Items(values)) => {
            for (index, value) in values.iter().enumerate() {
                see(index, of.kind(), value);
            }
        }
        (Kind::Union(arms), Value::Arm(arm, value)) => see(0, arms[*arm].kind, value),
        _ => return false,
    }
    true
}

/// What is inside a value at a place.
pub(crate) fn inside<'v>(
    mut kind: Kind,
    mut value: &'v Value,
    inner: &[usize],
) -> Option<(Kind, &'v Value)> {
    for wanted in inner {
        let mut found = None;
        each_inside(kind, value, &mut |index, kind, value| {
            if index == *wanted {
                found = Some((kind, value));
            }
        });
        (kind, value) = found?;
    }
    Some((kind, value))
}

/// Which arm it is.
pub(crate) fn arm(arms: &[Arm], holds: impl Fn(&When) -> bool) -> Option<usize> {
    arms.iter().position(|arm| arm.when.iter().all(&holds))
}

/// Whether a condition holds of a value.
pub(crate) fn is_met(test: Test, value: Option<&Value>) -> bool {
    let bits = |value: i32| u64::from(value.cast_unsigned());
    match (test, value) {
        (Test::Is(wanted), Some(Value::Number(number))) => *number == bits(wanted),
        (Test::Has(wanted), Some(Value::Number(number))) => *number & bits(wanted) == bits(wanted),
        (Test::IsNull, Some(value)) => {
            matches!(value, Value::Number(0) | Value::Pointer(Pointer::Null))
        }
        _ => false,
    }
}

/// Whether a condition about a field beside it holds.
pub(crate) fn holds_beside(of: &Type, values: &[Value], when: &When) -> bool {
    let &[name] = when.path else {
        return false;
    };
    let value = of.field(name).and_then(|(index, _)| values.get(index));
    is_met(when.test, value)
}

/// The number in a field.
pub(crate) fn number_of(of: &Type, values: &[Value], name: &str) -> Option<u64> {
    let (index, _) = of.field(name)?;
    match values.get(index)? {
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

impl Value {
    /// Zero: every number 0, every pointer null.
    pub fn zeroed(kind: Kind) -> Self {
        match kind {
            Kind::Number(_) | Kind::Handle(_) | Kind::Function => Self::Number(0),
            Kind::Pointer(_) => Self::Pointer(Pointer::Null),
            Kind::Array(of, count) => Self::Items(vec![Self::zeroed(of.kind()); count]),
            Kind::Structure(of) => {
                let fields = of.fields.iter();
                let mut values: Vec<_> = fields.map(|field| Self::zeroed(field.kind)).collect();
                for (index, field) in of.fields.iter().enumerate() {
                    if let Kind::Union(arms) = field.kind {
                        let arm = arm(arms, |when| holds_beside(of, &values, when));
                        values[index] = Self::of_arm(arms, arm);
                    }
                }
                Self::Fields(values)
            }
            Kind::Union(_) => Self::Unknown(0),
        }
    }

    /// An arm of zeros.
    pub(crate) fn of_arm(arms: &[Arm], arm: Option<usize>) -> Self {
        match arm {
            Some(arm) => Self::Arm(arm, Box::new(Self::zeroed(arms[arm].kind))),
            None => Self::Unknown(0),
        }
    }
}

impl Block {
    /// A block that was not copied.
    pub fn new(content: Content) -> Self {
        Self {
            content,
            address: 0,
        }
    }

    /// Of values of a type, one behind the other.
    pub fn items(of: &'static Type, items: Vec<Value>) -> Self {
        Self::new(Content::Items {
            of,
            items,
            stride: of.size,
        })
    }

    /// How many items it has, if it has a type.
    pub(crate) fn len(&self) -> Option<usize> {
        match &self.content {
            Content::Items { items, .. } => Some(items.len()),
            _ => None,
        }
    }
}

impl Block {
    /// Has its pointers lead elsewhere.
    pub(crate) fn redirect(&mut self, to: &mut dyn FnMut(Pointer) -> Pointer) {
        if let Content::Items { items, .. } = &mut self.content {
            for item in items {
                item.redirect(to);
            }
        }
    }
}

impl Value {
    fn redirect(&mut self, to: &mut dyn FnMut(Pointer) -> Pointer) {
        match self {
            Self::Pointer(pointer) => *pointer = to(*pointer),
            Self::Fields(values) | Self::Items(values) => {
                for value in values {
                    value.redirect(to);
                }
            }
            Self::Arm(_, value) => value.redirect(to),
            Self::Number(_) | Self::Unknown(_) => {}
        }
    }
}

impl Content {
    /// How many bytes it has in memory.
    pub fn size(&self) -> usize {
        match self {
            Self::Items { of, items, stride } => match items.len() {
                0 => 0,
                len => stride * (len - 1) + of.size,
            },
            Self::Text(units) => size_of::<u16>() * (units.len() + 1),
            Self::Bytes { bytes, .. } => bytes.len(),
        }
    }

    /// How it is aligned in memory.
    pub fn align(&self) -> usize {
        match self {
            Self::Items { of, .. } => of.align,
            Self::Text(_) => align_of::<u16>(),
            Self::Bytes { align, .. } => *align,
        }
    }
}

/// A value, and what it is.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'g> {
    pub(crate) kind: Kind,
    pub(crate) value: &'g Value,
}

/// The blocks that something leads to, and what leads to each of them first.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) order: Vec<usize>,
    pub(crate) from: Vec<Option<(Place, Target)>>,
}

impl Graph {
    /// A value of a type, all zeros.
    pub fn zeroed(of: &'static Type) -> Self {
        Self {
            blocks: vec![Block::items(of, vec![Value::zeroed(of.kind())])],
            reading: Reading::Plugin,
        }
    }

    /// A graph of blocks, of which the first is where it begins; `None` where a pointer leads to no block, or to no item of it.
    pub fn from_blocks(mut blocks: Vec<Block>) -> Option<Self> {
        let lens: Vec<_> = blocks
            .iter()
            .map(|block| block.len().unwrap_or(1))
            .collect();
        let mut is_whole = true;
        for block in &mut blocks {
            block.redirect(&mut |pointer| {
                if let Pointer::To { block, item } = pointer {
                    is_whole &= lens.get(block).is_some_and(|len| item == 0 || item < *len);
                }
                pointer
            });
        }
        is_whole.then_some(Self {
            blocks,
            reading: Reading::Plugin,
        })
    }

    /// The blocks, of which the first is where it begins.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The type that it begins with.
    pub fn of(&self) -> Option<&'static Type> {
        match self.blocks.first()?.content {
            Content::Items { of, .. } => Some(of),
            _ => None,
        }
    }

    /// What is at a place.
    pub(crate) fn at(&self, place: &Place) -> Option<Seen<'_>> {
        let Content::Items { of, items, .. } = &self.blocks.get(place.block)?.content else {
            return None;
        };
        let (kind, value) = inside(of.kind(), items.get(place.item)?, &place.inner)?;
        Some(Seen { kind, value })
    }

    pub(crate) fn at_mut(&mut self, place: &Place) -> Option<&mut Value> {
        let Content::Items { items, .. } = &mut self.blocks.get_mut(place.block)?.content else {
            return None;
        };
        let mut value = items.get_mut(place.item)?;
        for index in &place.inner {
            value = match value {
                Value::Fields(values) | Value::Items(values) => values.get_mut(*index)?,
                Value::Arm(_, value) => value,
                _ => return None,
            };
        }
        Some(value)
    }

    /// The structure at a place, and its members.
    pub(crate) fn structure_at(&self, place: &Place) -> Option<(&'static Type, &[Value])> {
        let leaf = self.at(place)?;
        match (leaf.kind, leaf.value) {
            (Kind::Structure(of), Value::Fields(values)) => Some((of, values)),
            _ => None,
        }
    }

    /// Sees a value and all that is inside it.
    fn values_in<'g>(
        kind: Kind,
        value: &'g Value,
        at: &mut Place,
        see: &mut dyn FnMut(&Place, Seen<'g>),
    ) {
        see(at, Seen { kind, value });
        each_inside(kind, value, &mut |index, kind, value| {
            at.inner.push(index);
            Self::values_in(kind, value, at, see);
            at.inner.pop();
        });
    }

    /// Sees every value of a block.
    pub(crate) fn values_of<'g>(&'g self, block: usize, see: &mut dyn FnMut(&Place, Seen<'g>)) {
        let Some(Content::Items { of, items, .. }) = self.blocks.get(block).map(|it| &it.content)
        else {
            return;
        };
        for (item, value) in items.iter().enumerate() {
            let mut at = Place {
                block,
                item,
                inner: Vec::new(),
            };
            Self::values_in(of.kind(), value, &mut at, see);
        }
    }

    /// The walk: sees every value that the graph leads to, once; a structure before its members.
    pub(crate) fn walk<'g>(&'g self, mut see: impl FnMut(&Place, Seen<'g>)) {
        for block in self.reached().order {
            self.values_of(block, &mut see);
        }
    }

    /// The blocks that it leads to, in the order in which their pointers are found.
    pub(crate) fn reached(&self) -> Reached {
        let mut reached = Reached {
            order: Vec::new(),
            from: vec![None; self.blocks.len()],
        };
        let mut is_known = vec![false; self.blocks.len()];
        if let Some(first) = is_known.first_mut() {
            *first = true;
            reached.order.push(0);
        }
        let mut next = 0;
        while let Some(&block) = reached.order.get(next) {
            next += 1;
            self.values_of(block, &mut |place, leaf| {
                if let (Kind::Pointer(target), Value::Pointer(Pointer::To { block, .. })) =
                    (leaf.kind, leaf.value)
                    && is_known.get(*block) == Some(&false)
                {
                    is_known[*block] = true;
                    reached.order.push(*block);
                    reached.from[*block] = Some((place.clone(), target));
                }
            });
        }
        reached
    }

    /// Whether a condition holds of the structure at a place.
    pub(crate) fn holds(&self, owner: &Place, when: &When) -> bool {
        let Some((of, values)) = self.structure_at(owner) else {
            return false;
        };
        match when.path {
            [_] => holds_beside(of, values, when),
            path => is_met(when.test, self.behind(owner.clone(), path)),
        }
    }

    /// What is at the end of a path of members, through pointers and whichever arms unions have. What a structure has not is
    /// looked for in the structure that it begins with.
    fn behind(&self, mut at: Place, path: &[&str]) -> Option<&Value> {
        for name in path {
            loop {
                let leaf = self.at(&at)?;
                match (leaf.kind, leaf.value) {
                    (Kind::Structure(of), _) => match of.field(name) {
                        Some((index, _)) => {
                            at.inner.push(index);
                            break;
                        }
                        None => at.inner.push(0),
                    },
                    (Kind::Union(_), Value::Arm(..)) => at.inner.push(0),
                    (Kind::Pointer(_), Value::Pointer(Pointer::To { block, item })) => {
                        at = Place {
                            block: *block,
                            item: *item,
                            inner: Vec::new(),
                        };
                    }
                    _ => return None,
                }
            }
        }
        self.at(&at).map(|leaf| leaf.value)
    }
}
