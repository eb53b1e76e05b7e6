//! The first difference between two graphs.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::graph::{Content, Graph, Place, Pointer, Value, each_inside};
use crate::path::Path;
use crate::types::Kind;

/// What is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub path: Path,
    /// What one graph has there.
    pub one: String,
    /// What the other has.
    pub other: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, one, other } = self;
        write!(f, "{path} is {one}, and {other}")
    }
}

/// What a comparison counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// What the descriptions say, wherever they lie.
    Content,
    /// Where they were copied from, too.
    Addresses,
}

impl Graph {
    /// The first difference from another graph, in the order of the walk.
    pub fn difference(&self, other: &Self, counts: Counts) -> Option<Difference> {
        let mut compare = Compare {
            one: self,
            other,
            counts,
            known: BTreeMap::from([(0, 0)]),
            queue: VecDeque::from([(0, 0)]),
        };
        let (place, one, other) = compare.first()?;
        Some(Difference {
            path: self.path(&self.reached(), &place),
            one,
            other,
        })
    }
}

struct Compare<'g> {
    one: &'g Graph,
    other: &'g Graph,
    counts: Counts,
    /// Which block of the other graph a block is.
    known: BTreeMap<usize, usize>,
    queue: VecDeque<(usize, usize)>,
}

type Found = Option<(Place, String, String)>;

impl Compare<'_> {
    fn first(&mut self) -> Found {
        while let Some((one, other)) = self.queue.pop_front() {
            if let Some(found) = self.blocks(one, other) {
                return Some(found);
            }
        }
        None
    }

    fn blocks(&mut self, one: usize, other: usize) -> Found {
        let (Some(first), Some(second)) = (self.one.blocks.get(one), self.other.blocks.get(other))
        else {
            return None;
        };
        let (
            Content::Items { of, items, .. },
            Content::Items {
                of: _,
                items: others,
                ..
            },
        ) = (&first.content, &second.content)
        else {
            return None;
        };
        for (item, (value, other)) in items.iter().zip(others).enumerate() {
            let mut at = Place {
                block: one,
                item,
                inner: Vec::new(),
            };
            if let Some(found) = self.values(of.kind(), value, other, &mut at) {
                return Some(found);
            }
        }
        None
    }

    fn values(&mut self, kind: Kind, one: &Value, other: &Value, at: &mut Place) -> Found {
        let shown = |kind: Kind, value: &Value| match (kind, value) {
            (Kind::Number(number), Value::Number(bits)) => number.shown(*bits),
            (Kind::Union(arms), Value::Arm(arm, _)) => format!("an arm {}", arms[*arm].name),
            (_, Value::Number(bits) | Value::Unknown(bits)) => format!("{bits:#x}"),
            (_, other) => format!("{other:?}"),
        };
        let differ = |at: &Place| Some((at.clone(), shown(kind, one), shown(kind, other)));
        match (kind, one, other) {
            (Kind::Pointer(_), Value::Pointer(one), Value::Pointer(other)) => {
                let (one, other) = self.pointers(*one, *other)?;
                return Some((at.clone(), one, other));
            }
            // Of a function it matters whether there is one.
            (Kind::Function, Value::Number(first), Value::Number(second))
                if (*first == 0) == (*second == 0) =>
            {
                return None;
            }
            (Kind::Union(_), Value::Arm(first, _), Value::Arm(second, _)) if first != second => {
                return differ(at);
            }
            _ => {}
        }
        let mut others = Vec::new();
        let is_inner = each_inside(kind, other, &mut |_, _, value| others.push(value));
        let mut found = None;
        let mut count = 0;
        let goes_in = each_inside(kind, one, &mut |index, kind, value| {
            count += 1;
            if found.is_none()
                && let Some(other) = others.get(index)
            {
                at.inner.push(index);
                found = self.values(kind, value, other, at);
                at.inner.pop();
            }
        });
        match (goes_in, is_inner) {
            (true, true) if count == others.len() => found,
            (false, false) if one == other => None,
            _ => differ(at),
        }
    }

    /// What is different about two pointers, and what they lead to; blocks with values are compared later.
    fn pointers(&mut self, one: Pointer, other: Pointer) -> Option<(String, String)> {
        let (
            Pointer::To { block: first, item },
            Pointer::To {
                block: second,
                item: other_item,
            },
        ) = (one, other)
        else {
            return (one != other).then(|| (self.one.named(one), self.other.named(other)));
        };
        let (blocks, others) = (&self.one.blocks, &self.other.blocks);
        if item != other_item {
            return Some((format!("element {item}"), format!("element {other_item}")));
        }
        let (block, other_block) = (&blocks[first], &others[second]);
        if self.counts == Counts::Addresses && block.address != other_block.address {
            let at = |address: usize| format!("at {address:#x}");
            return Some((at(block.address), at(other_block.address)));
        }
        if self.known.insert(first, second) == Some(second) {
            return None;
        }
        match (&block.content, &other_block.content) {
            (
                Content::Items { of, items, .. },
                Content::Items {
                    of: other,
                    items: others,
                    ..
                },
            ) if of == other && items.len() == others.len() => {
                self.queue.push_back((first, second));
                None
            }
            (Content::Text(one), Content::Text(other)) if one == other => None,
            (Content::Bytes { bytes: one, .. }, Content::Bytes { bytes: other, .. })
                if one == other =>
            {
                None
            }
            _ => Some((self.one.named(one), self.other.named(other))),
        }
    }
}

impl Graph {
    /// Where a pointer leads, in words.
    fn named(&self, pointer: Pointer) -> String {
        match pointer {
            Pointer::Null => "null".into(),
            Pointer::Address(address) => format!("{address:#x}"),
            Pointer::Room(room) => format!("room for {room}"),
            Pointer::To { block, .. } => match &self.blocks[block].content {
                Content::Items { of, items, .. } => format!("{} of {of}", items.len()),
                Content::Text(units) => format!("{:?}", String::from_utf16_lossy(units)),
                Content::Bytes { bytes, .. } => crate::print::bytes(bytes),
            },
        }
    }
}
