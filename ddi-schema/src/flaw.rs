//! What is wrong with a description, as far as its structure says.

use std::fmt;

use crate::copy::declared_len;
use crate::graph::{Content, Graph, Place, Pointer, Reading, Seen, Value, number_of};
use crate::path::Path;
use crate::types::{Count, Item, Kind, Role, Target};

/// Something that no description can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where.
    pub path: Path,
    /// What.
    pub what: What,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A null pointer where something has to be.
    Null,
    /// A null pointer that has elements.
    NullWithElements(u64),
    /// A pointer that leads nowhere, or to more than a description can have.
    Unreadable(u64),
    /// A pointer that is not aligned.
    Misaligned,
    /// A value that says of no arm of a union that it is the one.
    Undecided,
    /// Shader code that contradicts itself about its size.
    Code,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, what } = self;
        match what {
            What::Null => write!(f, "{path} is null"),
            What::NullWithElements(count) => write!(f, "{path} is null and has {count} elements"),
            What::Unreadable(address) => {
                write!(f, "{path} leads to {address:#x}, where it cannot be read")
            }
            What::Misaligned => write!(f, "{path} is not aligned"),
            What::Undecided => write!(f, "nothing says what {path} is"),
            What::Code => write!(f, "{path} leads to no shader code"),
        }
    }
}

impl Graph {
    /// Everything that is wrong with it, in the order of the walk.
    pub fn flaws(&self) -> impl Iterator<Item = Flaw> {
        let mut places = Vec::new();
        self.walk(|place, seen| {
            if let Some(what) = self.flaw(place, seen) {
                places.push((place.clone(), what));
            }
        });
        let reached = self.reached();
        let flaws = places.into_iter();
        flaws.map(move |(place, what)| Flaw {
            path: self.path(&reached, &place),
            what,
        })
    }

    fn flaw(&self, place: &Place, Seen { kind, value }: Seen<'_>) -> Option<What> {
        match (kind, value) {
            (Kind::Union(_), Value::Unknown(_)) => Some(What::Undecided),
            (Kind::Pointer(target), Value::Pointer(pointer)) => {
                self.flaw_of_pointer(place, &target, *pointer)
            }
            _ => None,
        }
    }

    fn flaw_of_pointer(&self, place: &Place, target: &Target, pointer: Pointer) -> Option<What> {
        let count = || match target.count {
            Count::Says(name) => {
                let owner = self.beside(place, name)?.owner()?;
                let (of, values) = self.structure_at(&owner)?;
                number_of(of, values, name)
            }
            _ => None,
        };
        let is_foreign = self.reading == Reading::Usermode && target.role != Role::Pointer;
        match pointer {
            Pointer::Null if target.is_required && target.is_single() => Some(What::Null),
            Pointer::Null => count()
                .filter(|count| *count > 0)
                .map(What::NullWithElements),
            Pointer::Address(address) if !is_foreign && count() != Some(0) => {
                Some(What::Unreadable(address))
            }
            Pointer::To { block, item } => {
                let block = &self.blocks[block];
                let offset = match &block.content {
                    Content::Items { stride, .. } => item * stride,
                    _ => 0,
                };
                let is_aligned = (block.address + offset).is_multiple_of(block.content.align());
                match &block.content {
                    _ if !is_aligned => Some(What::Misaligned),
                    Content::Bytes { bytes, .. } if matches!(target.item, Item::Code) => {
                        (declared_len(bytes) != Some(bytes.len())).then_some(What::Code)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Sees every handle: its C type, and what it is. In the usermode DDI those of create-arguments too.
    ///
    /// # Errors
    ///
    /// Those of `each`.
    pub fn map_handles<E>(
        &mut self,
        mut each: impl FnMut(&'static str, u64) -> Result<u64, E>,
    ) -> Result<(), E> {
        let mut handles = Vec::new();
        self.walk(|place, Seen { kind, value }| match (kind, value) {
            (Kind::Handle(name), Value::Number(handle)) => {
                handles.push((place.clone(), name, *handle));
            }
            (
                Kind::Pointer(Target {
                    role: Role::Handle(name),
                    ..
                }),
                Value::Pointer(Pointer::Address(handle)),
            ) => handles.push((place.clone(), name, *handle)),
            _ => {}
        });
        for (place, name, handle) in handles {
            let handle = each(name, handle)?;
            match self.at_mut(&place) {
                Some(Value::Number(number)) => *number = handle,
                Some(Value::Pointer(Pointer::Address(address))) => *address = handle,
                _ => {}
            }
        }
        Ok(())
    }

    /// Has pointers to what other objects' descriptions have lead nowhere.
    pub fn forget_others(&mut self) {
        let mut others = Vec::new();
        self.walk(|place, Seen { kind, value }| {
            if let (
                Kind::Pointer(Target {
                    role: Role::Element,
                    ..
                }),
                Value::Pointer(Pointer::Address(_)),
            ) = (kind, value)
            {
                others.push(place.clone());
            }
        });
        for place in others {
            if let Some(value) = self.at_mut(&place) {
                *value = Value::Pointer(Pointer::Null);
            }
        }
    }
}
