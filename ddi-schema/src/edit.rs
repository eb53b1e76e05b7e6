//! Builds and changes graphs, part by part. Counts follow arrays, and arms of unions what decides them.

use std::sync::Arc;

use crate::graph::{Block, Content, Graph, Place, Pointer, Value};
use crate::path::Path;
use crate::table::Described;
use crate::types::{Count, Item, Kind, Target};

/// Why a graph cannot be changed in this way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The path leads nowhere.
    #[error("{0} is no part of the description")]
    NoPart(Path),
    /// What is there is something else.
    #[error("{path} is no {wanted}")]
    Other {
        /// The path.
        path: Path,
        /// What it would have to be.
        wanted: &'static str,
    },
    /// A number is too large.
    #[error("{path} has no room for {bits:#x}")]
    TooLarge {
        /// The path.
        path: Path,
        /// The number.
        bits: u64,
    },
    /// An array has as many elements as its type says.
    #[error("{path} has {len} elements, no more and no less")]
    FixedLength {
        /// The path.
        path: Path,
        /// How many.
        len: usize,
    },
}

/// A new value for a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum New {
    /// The bits of a number, or a handle.
    Bits(u64),
    /// A string.
    Text(Vec<u16>),
    /// Bytes.
    Bytes(Arc<[u8]>),
}

macro_rules! from_numbers {
    ($($type:ty)*) => {$(
        impl From<$type> for New {
            fn from(number: $type) -> Self {
                Self::Bits(number.into())
            }
        }
    )*};
}
from_numbers! { u8 u16 u32 u64 bool }

impl From<i32> for New {
    fn from(number: i32) -> Self {
        Self::Bits(number.cast_unsigned().into())
    }
}

impl From<f32> for New {
    fn from(number: f32) -> Self {
        Self::Bits(number.to_bits().into())
    }
}

impl From<&str> for New {
    fn from(text: &str) -> Self {
        Self::Text(text.encode_utf16().collect())
    }
}

impl From<&[u8]> for New {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.into())
    }
}

/// More elements, or bytes, than there is room for at once.
const MOST_ROOM: usize = 1 << 20;

/// A compute shader of eight words, of which the second says so.
const EMPTY: [u8; 32] = {
    let mut bytes = [0; 32];
    (bytes[0], bytes[2], bytes[4]) = (0x60, 5, 8);
    bytes
};

pub(crate) type Result<T = ()> = std::result::Result<T, EditError>;

impl Graph {
    pub(crate) fn find(&self, path: &Path) -> Result<(Place, Kind)> {
        let place = self.resolve(path);
        let found = place.and_then(|place| {
            let kind = self.at(&place)?.kind;
            Some((place, kind))
        });
        found.ok_or_else(|| EditError::NoPart(path.clone()))
    }

    pub(crate) fn put_value(&mut self, place: &Place, value: Value) {
        if let Some(old) = self.at_mut(place) {
            *old = value;
        }
    }

    pub(crate) fn add(&mut self, content: Content) -> Pointer {
        self.blocks.push(Block::new(content));
        Pointer::to(self.blocks.len() - 1)
    }

    /// The bits of a number or handle; of a pointer whether it leads anywhere.
    pub fn bits(&self, path: impl Into<Path>) -> Option<u64> {
        let place = self.resolve(&path.into())?;
        match self.at(&place)?.value {
            Value::Number(bits) | Value::Unknown(bits) => Some(*bits),
            Value::Pointer(pointer) => Some((*pointer != Pointer::Null).into()),
            _ => None,
        }
    }

    /// What a pointer leads to.
    pub fn content(&self, path: impl Into<Path>) -> Option<&Content> {
        let place = self.resolve(&path.into())?;
        match self.at(&place)?.value {
            Value::Pointer(Pointer::To { block, .. }) => Some(&self.blocks[*block].content),
            _ => None,
        }
    }

    /// A string.
    pub fn text(&self, path: impl Into<Path>) -> Option<String> {
        match self.content(path)? {
            Content::Text(units) => Some(String::from_utf16_lossy(units)),
            _ => None,
        }
    }

    /// Bytes, or a program.
    pub fn bytes_at(&self, path: impl Into<Path>) -> Option<Arc<[u8]>> {
        match self.content(path)? {
            Content::Bytes { bytes, .. } => Some(Arc::clone(bytes)),
            _ => None,
        }
    }

    /// Sets a number, a handle, a string or bytes. A string and bytes become this pointer's own.
    ///
    /// # Errors
    ///
    /// There is no such part, or it takes no such value.
    pub fn set(&mut self, path: impl Into<Path>, new: impl Into<New>) -> Result {
        let path = path.into();
        let (place, kind) = self.find(&path)?;
        match (kind, new.into()) {
            (Kind::Number(number), New::Bits(bits)) => {
                if bits > number.most() {
                    return Err(EditError::TooLarge { path, bits });
                }
                self.put_value(&place, Value::Number(bits));
                self.settle();
            }
            (Kind::Handle(_) | Kind::Function, New::Bits(bits)) => {
                self.put_value(&place, Value::Number(bits));
            }
            (Kind::Pointer(target), new) => {
                let (content, len) = match (target.item, new) {
                    (Item::Text, New::Text(units)) => (Content::Text(units), 1),
                    (Item::Code, New::Bytes(bytes)) => {
                        let align = align_of::<u32>();
                        (Content::Bytes { bytes, align }, 1)
                    }
                    (Item::Bytes, New::Bytes(bytes)) => {
                        let len = bytes.len();
                        (Content::Bytes { bytes, align: 1 }, len)
                    }
                    (_, New::Bits(bits)) => {
                        self.put_value(&place, Value::Pointer(Pointer::Address(bits)));
                        return Ok(());
                    }
                    _ => {
                        return Err(EditError::Other {
                            path,
                            wanted: "such value",
                        });
                    }
                };
                let pointer = self.add(content);
                self.put_value(&place, Value::Pointer(pointer));
                self.count(&place, &target, len);
                self.settle();
            }
            _ => {
                return Err(EditError::Other {
                    path,
                    wanted: "such value",
                });
            }
        }
        Ok(())
    }

    /// The pointer at a path.
    pub(crate) fn pointer(&self, path: &Path) -> Result<(Place, Target, Pointer)> {
        let (place, kind) = self.find(path)?;
        match (kind, self.at(&place).map(|leaf| leaf.value)) {
            (Kind::Pointer(target), Some(Value::Pointer(pointer))) => Ok((place, target, *pointer)),
            _ => Err(EditError::Other {
                path: path.clone(),
                wanted: "pointer",
            }),
        }
    }

    /// Gives what is to be written memory of zeros.
    pub fn fill_rooms(&mut self) {
        let mut rooms = Vec::new();
        self.walk(|place, seen| {
            if let (Kind::Pointer(target), Value::Pointer(Pointer::Room(room))) =
                (seen.kind, seen.value)
            {
                // What a caller says of its memory can be more than there ever was.
                let room = usize::try_from(*room).unwrap_or(MOST_ROOM).min(MOST_ROOM);
                rooms.push((place.clone(), target.item, room));
            }
        });
        for (place, item, room) in rooms {
            let content = match item {
                Item::Of(of) => Block::items(of(), vec![Value::zeroed(of().kind()); room]).content,
                _ => Content::Bytes {
                    bytes: vec![0; room].into(),
                    align: 1,
                },
            };
            let pointer = self.add(content);
            self.put_value(&place, Value::Pointer(pointer));
        }
    }

    /// Has a null pointer lead to something: zeros, an array of one, an empty string, a program of nothing but its length.
    ///
    /// # Errors
    ///
    /// It is no pointer.
    pub fn make(&mut self, path: impl Into<Path>) -> Result {
        let path = path.into();
        let (place, target, pointer) = self.pointer(&path)?;
        if pointer != Pointer::Null {
            return Ok(());
        }
        let len = match target.count {
            Count::Is(count) => count,
            _ => 1,
        };
        let (content, len) = match target.item {
            Item::Of(of) => (
                Block::items(of(), vec![Value::zeroed(of().kind()); len]).content,
                len,
            ),
            Item::Text => (Content::Text(Vec::new()), 1),
            Item::Code => (
                Content::Bytes {
                    bytes: EMPTY.into(),
                    align: 4,
                },
                1,
            ),
            Item::Bytes => (
                Content::Bytes {
                    bytes: [0].into(),
                    align: 1,
                },
                1,
            ),
        };
        let made = self.add(content);
        self.put_value(&place, Value::Pointer(made));
        self.count(&place, &target, len);
        self.settle();
        Ok(())
    }

    /// Has a pointer lead nowhere, and its array have no elements.
    ///
    /// # Errors
    ///
    /// It is no pointer.
    pub fn clear(&mut self, path: impl Into<Path>) -> Result {
        let (place, target, _) = self.pointer(&path.into())?;
        self.put_value(&place, Value::Pointer(Pointer::Null));
        self.count(&place, &target, 0);
        self.settle();
        Ok(())
    }

    /// Has a pointer lead where another part is, which may be an element of an array.
    ///
    /// # Errors
    ///
    /// It is no pointer, or the other part is no element.
    pub fn point(&mut self, path: impl Into<Path>, to: impl Into<Path>) -> Result {
        let (place, target, _) = self.pointer(&path.into())?;
        let to = to.into();
        let (other, _) = self.find(&to)?;
        let pointer = match self.at(&other).map(|leaf| leaf.value) {
            Some(Value::Pointer(pointer)) => *pointer,
            _ if other.inner.is_empty() => Pointer::To {
                block: other.block,
                item: other.item,
            },
            _ => {
                return Err(EditError::Other {
                    path: to,
                    wanted: "element",
                });
            }
        };
        self.put_value(&place, Value::Pointer(pointer));
        if let Pointer::To { block, .. } = pointer {
            let len = self.blocks[block].len().unwrap_or(1);
            self.count(&place, &target, len);
        }
        self.settle();
        Ok(())
    }

    /// Puts a structure, with all that it leads to, where a path leads to.
    ///
    /// # Errors
    ///
    /// What is there is of another type.
    pub fn put<T: Described>(&mut self, path: impl Into<Path>, it: &T) -> Result {
        self.put_graph(path, &Self::copy(it))
    }

    /// Puts an array, with all that it leads to, where a pointer leads to.
    ///
    /// # Errors
    ///
    /// It is a pointer to another type.
    pub fn put_all<T: Described>(&mut self, path: impl Into<Path>, all: &[T]) -> Result {
        if all.is_empty() {
            return self.clear(path);
        }
        let address = all.as_ptr().expose_provenance();
        let copy = crate::Copier::checked().copy(T::TYPE, address, all.len());
        self.put_graph(path, &copy.unwrap_or_default())
    }

    /// Puts what another graph begins with where a path leads to.
    ///
    /// # Errors
    ///
    /// What is there is of another type.
    pub fn put_graph(&mut self, path: impl Into<Path>, other: &Self) -> Result {
        let path = path.into();
        let (place, kind) = self.find(&path)?;
        let first = self.blocks.len();
        let Some(Content::Items { of: given, .. }) = other.blocks.first().map(|it| &it.content)
        else {
            return Err(EditError::Other {
                path,
                wanted: "such type",
            });
        };
        let is_pointer = match kind {
            Kind::Pointer(Target {
                item: Item::Of(of), ..
            }) if of() == *given => true,
            Kind::Structure(of) if of == *given => false,
            _ => {
                return Err(EditError::Other {
                    path,
                    wanted: "such type",
                });
            }
        };
        for block in &other.blocks {
            let mut block = block.clone();
            block.redirect(&mut |pointer| match pointer {
                Pointer::To { block, item } => Pointer::To {
                    block: block + first,
                    item,
                },
                other => other,
            });
            self.blocks.push(block);
        }
        if is_pointer {
            let (place, target, _) = self.pointer(&path)?;
            self.put_value(&place, Value::Pointer(Pointer::to(first)));
            let len = self.blocks[first].len().unwrap_or(1);
            self.count(&place, &target, len);
        } else if let Content::Items { items, .. } = &self.blocks[first].content
            && let [value] = &items[..]
        {
            let value = value.clone();
            self.put_value(&place, value);
        }
        self.settle();
        Ok(())
    }

    /// A member of the structure that something is in.
    pub(crate) fn beside(&self, place: &Place, name: &str) -> Option<Place> {
        let mut owner = place.owner()?;
        loop {
            if let Some((of, _)) = self.structure_at(&owner)
                && let Some((index, _)) = of.field(name)
            {
                return Some(owner.with(index));
            }
            owner = owner.owner()?;
        }
    }
}
