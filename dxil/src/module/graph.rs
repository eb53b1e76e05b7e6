//! The metadata of a module: a graph of nodes whose leaves are strings and constants.

use std::ops::Range;

use super::walk::Value;
use crate::constants::Constant;
use crate::{Error, ErrorKind};

/// All metadata, by id.
#[derive(Debug, Default)]
pub(super) struct Graph {
    items: Vec<Item>,
    /// What nodes consist of: ids plus 1, and 0 for null.
    operands: Vec<u32>,
    /// What strings consist of.
    text: Vec<u8>,
    /// Names, and the nodes of each.
    named: Vec<(Range<usize>, Range<usize>)>,
}

#[derive(Debug)]
struct Item {
    /// Where its record stands.
    bit: u64,
    kind: ItemKind,
}

#[derive(Debug, Clone)]
pub(super) enum ItemKind {
    String(Range<usize>),
    Node(Range<usize>),
    /// A value of the module, by the ids of its type and itself.
    Value {
        ty: u64,
        id: u64,
    },
    /// Debug information, and whatever else nothing here is made of.
    Other,
}

impl Graph {
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Forgets what a function defined for itself.
    pub(super) fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    pub(super) fn push(&mut self, bit: u64, kind: ItemKind) {
        self.items.push(Item { bit, kind });
    }

    /// Keeps characters; where they are is what a string consists of.
    pub(super) fn keep_text(&mut self, chars: impl Iterator<Item = u64>) -> Range<usize> {
        let start = self.text.len();
        let byte = |char: u64| u8::try_from(char).unwrap_or(b'?');
        self.text.extend(chars.map(byte));
        start..self.text.len()
    }

    /// Keeps ids plus 1; where they are is what a node consists of.
    pub(super) fn keep_operands(&mut self, ids: impl Iterator<Item = u64>) -> Range<usize> {
        let start = self.operands.len();
        // No graph has that many nodes, so the id is unknown as it should be.
        let id = |id: u64| u32::try_from(id).unwrap_or(u32::MAX);
        self.operands.extend(ids.map(id));
        start..self.operands.len()
    }

    pub(super) fn name(&mut self, name: Range<usize>, operands: Range<usize>) {
        self.named.push((name, operands));
    }

    /// The value ids that nodes from `first` on refer to.
    pub(super) fn values_in_nodes(&self, first: usize) -> impl Iterator<Item = u64> {
        let nodes = self.items.iter().skip(first);
        let operands = nodes.filter_map(|item| match &item.kind {
            ItemKind::Node(range) => Some(&self.operands[range.clone()]),
            _ => None,
        });
        operands
            .flatten()
            .filter_map(|&operand| match self.item(operand)?.kind {
                ItemKind::Value { id, .. } => Some(id),
                _ => None,
            })
    }

    fn item(&self, operand: u32) -> Option<&Item> {
        self.items.get(operand.checked_sub(1)? as usize)
    }

    fn text(&self, range: &Range<usize>) -> String {
        String::from_utf8_lossy(&self.text[range.clone()]).into_owned()
    }
}

/// The graph with the values that it refers to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Metadata<'a> {
    pub(super) graph: &'a Graph,
    pub(super) values: &'a [Value],
    pub(super) constants: &'a [Constant],
}

impl<'a> Metadata<'a> {
    /// The nodes of a named node; none where there is no such name.
    pub(super) fn named(self, name: &str) -> impl Iterator<Item = Result<Node<'a>, Error>> {
        let graph = self.graph;
        let of_name =
            move |(text, _): &&(Range<usize>, _)| graph.text[text.clone()] == *name.as_bytes();
        let operands = graph.named.iter().find(of_name);
        let operands = operands.map_or(0..0, |(_, operands)| operands.clone());
        graph.operands[operands].iter().map(move |&operand| {
            let outside = ErrorKind::Metadata {
                node: operand.saturating_sub(1),
                expected: "a node",
            };
            self.node(operand).ok_or(outside.at(0))
        })
    }

    fn node(self, operand: u32) -> Option<Node<'a>> {
        let item = self.graph.item(operand)?;
        let ItemKind::Node(range) = &item.kind else {
            return None;
        };
        Some(Node {
            metadata: self,
            id: operand - 1,
            bit: item.bit,
            operands: &self.graph.operands[range.clone()],
        })
    }
}

/// A node: operands that are nodes, strings, values or null.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a> {
    metadata: Metadata<'a>,
    id: u32,
    bit: u64,
    operands: &'a [u32],
}

impl<'a> Node<'a> {
    pub(super) fn len(self) -> usize {
        self.operands.len()
    }

    /// The error that something else than `expected` is here.
    pub(super) fn error(self, expected: &'static str) -> Error {
        let node = self.id;
        let offset = usize::try_from(self.bit / 8).unwrap_or(usize::MAX);
        ErrorKind::Metadata { node, expected }.at(offset)
    }

    fn operand(self, index: usize) -> u32 {
        self.operands.get(index).copied().unwrap_or(0)
    }

    /// Whether null stands at a place, or nothing at all.
    pub(super) fn is_null(self, index: usize) -> bool {
        self.operand(index) == 0
    }

    /// How long the string at a place is; 0 where there is none.
    pub(super) fn string_len(self, index: usize) -> usize {
        match self.metadata.graph.item(self.operand(index)) {
            Some(Item {
                kind: ItemKind::String(range),
                ..
            }) => range.len(),
            _ => 0,
        }
    }

    pub(super) fn string(self, index: usize, expected: &'static str) -> Result<String, Error> {
        match self.metadata.graph.item(self.operand(index)) {
            Some(Item {
                kind: ItemKind::String(range),
                ..
            }) => Ok(self.metadata.graph.text(range)),
            _ => Err(self.error(expected)),
        }
    }

    /// The node at a place; `None` for null and behind the end.
    pub(super) fn node(
        self,
        index: usize,
        expected: &'static str,
    ) -> Result<Option<Node<'a>>, Error> {
        match self.operand(index) {
            0 => Ok(None),
            operand => match self.metadata.node(operand) {
                Some(node) => Ok(Some(node)),
                None => Err(self.error(expected)),
            },
        }
    }

    /// The nodes that it consists of. Nulls are left out.
    pub(super) fn nodes(
        self,
        expected: &'static str,
    ) -> impl Iterator<Item = Result<Node<'a>, Error>> {
        (0..self.len()).filter_map(move |index| self.node(index, expected).transpose())
    }

    fn value(self, index: usize) -> Option<&'a Value> {
        let ItemKind::Value { id, .. } = self.metadata.graph.item(self.operand(index))?.kind else {
            return None;
        };
        self.metadata.values.get(usize::try_from(id).ok()?)
    }

    /// The type of the value at a place.
    pub(super) fn value_type(self, index: usize) -> Option<u64> {
        match self.metadata.graph.item(self.operand(index))?.kind {
            ItemKind::Value { ty, .. } => Some(ty),
            _ => None,
        }
    }

    /// An integer, without a sign.
    pub(super) fn long(self, index: usize, expected: &'static str) -> Result<u64, Error> {
        match self.value(index) {
            Some(Value::Null) => Ok(0),
            Some(&Value::Scalar(constant)) => Ok(self.metadata.constants[constant].bits),
            _ => Err(self.error(expected)),
        }
    }

    /// The low word of an integer.
    #[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
    pub(super) fn int(self, index: usize, expected: &'static str) -> Result<u32, Error> {
        Ok(self.long(index, expected)? as u32)
    }

    /// The integers that it consists of, if there are as many.
    pub(super) fn ints<const N: usize>(self, expected: &'static str) -> Result<[u32; N], Error> {
        if self.len() != N {
            return Err(self.error(expected));
        }
        let mut ints = [0; N];
        for (index, int) in ints.iter_mut().enumerate() {
            *int = self.int(index, expected)?;
        }
        Ok(ints)
    }

    /// The low words of an array of integers.
    #[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
    pub(super) fn sequence(self, index: usize, expected: &'static str) -> Result<Vec<u32>, Error> {
        match self.value(index) {
            Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Sequence(elements)) => {
                let elements = &self.metadata.constants[elements.clone()];
                Ok(elements.iter().map(|element| element.bits as u32).collect())
            }
            _ => Err(self.error(expected)),
        }
    }

    /// The function at a place, by its place in the module.
    pub(super) fn function(self, index: usize) -> Option<usize> {
        match self.value(index) {
            Some(&Value::Function(function)) => Some(function),
            _ => None,
        }
    }

    /// Its operands as pairs of a tag and the place of what the tag is about.
    pub(super) fn tags(
        self,
        expected: &'static str,
    ) -> impl Iterator<Item = Result<(u32, usize), Error>> {
        (0..self.len() / 2).map(move |pair| Ok((self.int(2 * pair, expected)?, 2 * pair + 1)))
    }
}
