//! Lays a graph out in memory.

use std::convert::Infallible;
use std::ops::Range;
use std::ptr;

use region::Protection;

use crate::graph::{Block, Content, Graph, Pointer, Reached, Value};
use crate::guard::{Guarded, NoMemory, Side};
use crate::path::Path;
use crate::types::Kind;

/// How a graph lies in memory: what a description does not say, and whoever reads it must not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Where the blocks lie.
    pub pages: Pages,
    /// In which order.
    pub order: Order,
    /// What is in the padding of structures, and between blocks.
    pub fill: u8,
    /// How many bytes lie between two blocks, at least, and before the first, where they do not have pages of their own.
    pub gap: usize,
    /// Whether no block there is aligned to more than it has to be.
    pub is_odd: bool,
}

/// Where blocks lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// On the heap.
    Heap,
    /// Together, in pages that have nothing else.
    Together,
    /// Each in pages of its own, between guard pages.
    Apart(Side),
}

/// The order of blocks in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each behind the one that leads to it.
    Forward,
    /// Each before the one that leads to it.
    Backward,
    /// By chance, the same for the same seed.
    Shuffled(u64),
}

impl Layout {
    /// One block behind the other, with zeros between.
    pub const HEAP: Self = Self {
        pages: Pages::Heap,
        order: Order::Forward,
        fill: 0,
        gap: 0,
        is_odd: false,
    };

    /// Each block in pages of its own.
    pub const fn apart(side: Side) -> Self {
        Self {
            pages: Pages::Apart(side),
            ..Self::HEAP
        }
    }
}

/// A block that is to be placed.
#[derive(Debug)]
pub struct Piece<'g> {
    graph: &'g Graph,
    reached: &'g Reached,
    index: usize,
}

impl Piece<'_> {
    /// Its content.
    pub fn block(&self) -> &Block {
        &self.graph.blocks[self.index]
    }

    /// The path to the pointer that leads to it first.
    pub fn path(&self) -> Path {
        match &self.reached.from[self.index] {
            Some((from, _)) => self.graph.path(self.reached, from),
            None => Path::default(),
        }
    }
}

/// A graph as bytes, and the addresses that it was made for.
#[derive(Debug)]
pub struct Image {
    /// The address and the bytes of each block. The first block is where the graph begins.
    pub blocks: Vec<(usize, Vec<u8>)>,
}

/// A graph in memory.
#[derive(Debug)]
pub struct Placed {
    /// The addresses of its blocks.
    blocks: Vec<Range<usize>>,
    memory: Memory,
}

#[derive(Debug)]
enum Memory {
    Heap(#[expect(dead_code, reason = "it is there to stay")] Box<[u128]>),
    Pages(Vec<Guarded>),
}

impl Graph {
    /// The bytes of every block that it leads to. `address` says where a block is to be; `fill` is in the padding.
    ///
    /// # Errors
    ///
    /// Those of `address`.
    pub fn image<E>(
        &self,
        fill: u8,
        order: Order,
        mut address: impl FnMut(&Piece<'_>) -> Result<usize, E>,
    ) -> Result<Image, E> {
        let reached = self.reached();
        let mut addresses = vec![0; self.blocks.len()];
        for index in order.of(&reached) {
            addresses[index] = address(&Piece {
                graph: self,
                reached: &reached,
                index,
            })?;
        }
        let blocks = reached.order.iter();
        let blocks = blocks.map(|&block| (addresses[block], self.bytes(block, fill, &addresses)));
        Ok(Image {
            blocks: blocks.collect(),
        })
    }

    fn bytes(&self, block: usize, fill: u8, addresses: &[usize]) -> Vec<u8> {
        let content = &self.blocks[block].content;
        match content {
            Content::Text(units) => units
                .iter()
                .chain(&[0])
                .flat_map(|unit| unit.to_le_bytes())
                .collect(),
            Content::Bytes { bytes, .. } => bytes.to_vec(),
            Content::Items { of, items, stride } => {
                let mut bytes = vec![fill; content.size()];
                for (index, item) in items.iter().enumerate() {
                    self.write(of.kind(), item, &mut bytes[index * stride..], addresses);
                }
                bytes
            }
        }
    }

    /// Writes a value; what is between its members stays.
    fn write(&self, kind: Kind, value: &Value, to: &mut [u8], addresses: &[usize]) {
        let mut put = |bits: u64, size: usize| {
            to[..size].copy_from_slice(&bits.to_le_bytes()[..size]);
        };
        let word = size_of::<usize>();
        match (kind, value) {
            (Kind::Number(number), Value::Number(bits)) => put(*bits, number.size),
            (_, Value::Number(bits)) => put(*bits, word),
            (_, Value::Pointer(pointer)) => put(self.address(*pointer, addresses), word),
            (Kind::Structure(of), Value::Fields(values)) => {
                for (field, value) in of.fields.iter().zip(values) {
                    self.write(field.kind, value, &mut to[field.offset..], addresses);
                }
            }
            (Kind::Array(of, _), Value::Items(values)) => {
                for (value, to) in values.iter().zip(to.chunks_mut(of.size)) {
                    self.write(of.kind(), value, to, addresses);
                }
            }
            (Kind::Union(arms), Value::Arm(arm, value)) => {
                self.write(arms[*arm].kind, value, to, addresses);
            }
            (_, Value::Unknown(bits)) => put(*bits, word.min(kind.size())),
            _ => {}
        }
    }

    fn address(&self, pointer: Pointer, addresses: &[usize]) -> u64 {
        match pointer {
            Pointer::Null | Pointer::Room(_) => 0,
            Pointer::Address(address) => address,
            Pointer::To { block, item } => {
                let stride = match self.blocks[block].content {
                    Content::Items { stride, .. } => stride,
                    _ => 0,
                };
                (addresses[block] + item * stride) as u64
            }
        }
    }

    /// The same description with equal blocks as one.
    #[must_use]
    pub fn merged(&self) -> Self {
        let mut merged = self.clone();
        loop {
            let mut firsts: Vec<usize> = Vec::new();
            let mut same = Vec::new();
            for (index, block) in merged.blocks.iter().enumerate() {
                let known = firsts
                    .iter()
                    .find(|known| merged.blocks[**known].content == block.content);
                same.push(known.copied().unwrap_or(index));
                if known.is_none() {
                    firsts.push(index);
                }
            }
            let mut has_changed = false;
            for block in &mut merged.blocks {
                block.redirect(&mut |pointer| match pointer {
                    Pointer::To { block, item } if same[block] != block => {
                        has_changed = true;
                        Pointer::To {
                            block: same[block],
                            item,
                        }
                    }
                    other => other,
                });
            }
            if !has_changed {
                return merged;
            }
        }
    }

    /// Lays it out in memory of its own.
    ///
    /// # Errors
    ///
    /// The system has no memory for it.
    pub fn place(&self, layout: &Layout) -> Result<Placed, NoMemory> {
        let (image, memory) = match layout.pages {
            Pages::Apart(side) => {
                let mut pages = Vec::new();
                let image = self.image(layout.fill, layout.order, |piece| {
                    let content = &piece.block().content;
                    let room = Guarded::new(content.size(), content.align(), side, layout.fill)?;
                    let address = room.ptr::<u8>().expose_provenance();
                    pages.push(room);
                    Ok::<_, NoMemory>(address)
                })?;
                (image, Memory::Pages(pages))
            }
            Pages::Together => {
                let size = self.size(layout);
                let room = Guarded::new(size, ALIGN, Side::Roomy, layout.fill)?;
                let image = self.image_at(layout, room.ptr::<u8>().expose_provenance());
                (image, Memory::Pages(vec![room]))
            }
            Pages::Heap => {
                let fill = u128::from_ne_bytes([layout.fill; 16]);
                let mut room = vec![fill; self.size(layout).div_ceil(ALIGN)].into_boxed_slice();
                let image = self.image_at(layout, room.as_mut_ptr().expose_provenance());
                (image, Memory::Heap(room))
            }
        };
        let blocks = image.blocks.iter().map(|(address, bytes)| {
            let to: *mut u8 = ptr::with_exposed_provenance_mut(*address);
            // SAFETY: the block is in `memory`, which is as large as the blocks in it, writable and nobody else's.
            unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            *address..*address + bytes.len()
        });
        let blocks = blocks.collect();
        Ok(Placed { blocks, memory })
    }

    /// How much room it takes, one block behind the other.
    fn size(&self, layout: &Layout) -> usize {
        let mut end = 0;
        for block in layout.order.of(&self.reached()) {
            layout.next(&mut end, &self.blocks[block].content);
        }
        end + layout.gap
    }

    /// Its image for one block behind the other, from an address on.
    fn image_at(&self, layout: &Layout, base: usize) -> Image {
        let mut end = 0;
        let next = |piece: &Piece<'_>| {
            let start = layout.next(&mut end, &piece.block().content);
            Ok::<_, Infallible>(base + start)
        };
        match self.image(layout.fill, layout.order, next) {
            Ok(image) => image,
            Err(never) => match never {},
        }
    }
}

impl Order {
    /// The blocks in this order.
    fn of(self, reached: &Reached) -> Vec<usize> {
        let mut blocks = reached.order.clone();
        match self {
            Self::Forward => {}
            Self::Backward => blocks.reverse(),
            Self::Shuffled(seed) => fastrand::Rng::with_seed(seed).shuffle(&mut blocks),
        }
        blocks
    }
}

/// What blocks are aligned to that lie one behind the other, unless they are to be odd.
const ALIGN: usize = size_of::<u128>();

impl Layout {
    /// Where the next block begins, behind the end of the one before.
    fn next(&self, end: &mut usize, content: &Content) -> usize {
        let align = content.align();
        let start = (*end + self.gap).next_multiple_of(if self.is_odd { align } else { ALIGN });
        let is_too_even = self.is_odd && start.is_multiple_of(2 * align);
        let start = start + if is_too_even { align } else { 0 };
        *end = start + content.size().max(1);
        start
    }
}

impl Placed {
    /// Where it begins.
    pub fn ptr<T>(&self) -> *const T {
        let address = self.blocks.first().map_or(0, |block| block.start);
        ptr::with_exposed_provenance(address)
    }

    /// The addresses of its blocks, of which the first is where it begins.
    pub fn blocks(&self) -> &[Range<usize>] {
        &self.blocks
    }

    /// Its pages; none where it is on the heap.
    pub fn pages(&self) -> &[Guarded] {
        match &self.memory {
            Memory::Heap(_) => &[],
            Memory::Pages(pages) => pages,
        }
    }

    /// Changes what may be done with its pages.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn protect(&self, protection: Protection) -> Result<(), NoMemory> {
        let mut pages = self.pages().iter();
        pages.try_for_each(|pages| pages.protect(protection))
    }
}
