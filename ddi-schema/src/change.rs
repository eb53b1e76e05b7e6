//! The parts of a description, and every change of one of them.

use std::fmt;
use std::sync::Arc;

use crate::edit::{EditError, New};
use crate::graph::{Content, Graph, Place, Pointer, Reached, Seen, Value};
use crate::path::Path;
use crate::types::{Arm, Count, Item, Kind, Meaning, Number, Target, Type};

/// A part of a description that can be changed.
#[derive(Clone, Debug)]
pub struct Part {
    /// Where it is.
    pub path: Path,
    /// What it is.
    pub what: PartKind,
}

/// What a part is.
#[derive(Clone, Debug)]
pub enum PartKind {
    /// A number.
    Number {
        /// What it means.
        number: Number,
        /// Its bits.
        bits: u64,
        /// What others take it for.
        role: NumberRole,
    },
    /// A handle, and its C type.
    Handle(&'static str, u64),
    /// A string.
    Text(Vec<u16>),
    /// A DXIL program or container.
    Code(Arc<[u8]>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// An array.
    Array {
        /// Of what.
        of: &'static Type,
        /// How many elements it has.
        len: usize,
        /// Whether it always has as many.
        is_fixed: bool,
    },
    /// A pointer to one structure, or to nothing; an array without elements.
    Optional {
        /// Whether it leads anywhere.
        is_there: bool,
        /// Whether it has to.
        is_required: bool,
    },
}

/// What a number is to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberRole {
    /// Nothing.
    Plain,
    /// How many elements an array has.
    Count,
    /// What decides which arm a union has.
    Decides,
}

/// A change of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A number is another one, a string or bytes are others.
    Set(Path, New),
    /// An array has these of its elements, in this order; `None` is a new one of zeros.
    Rearrange(Path, Vec<Option<usize>>),
    /// A null pointer leads to something.
    Make(Path),
    /// A pointer leads nowhere.
    Clear(Path),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(path, New::Bits(bits)) => write!(f, "{path} = {bits:#x}"),
            Self::Set(path, New::Text(text)) => {
                write!(f, "{path} = {:?}", String::from_utf16_lossy(text))
            }
            Self::Set(path, New::Bytes(bytes)) => {
                write!(f, "{path} = {}", crate::print::bytes(bytes))
            }
            Self::Rearrange(path, order) => {
                let order = order
                    .iter()
                    .map(|from| from.map_or("new".into(), |from| from.to_string()));
                write!(f, "{path} = [{}]", order.collect::<Vec<_>>().join(", "))
            }
            Self::Make(path) => write!(f, "{path} = new"),
            Self::Clear(path) => write!(f, "{path} = null"),
        }
    }
}

impl Change {
    /// The part that it changes.
    pub fn path(&self) -> &Path {
        match self {
            Self::Set(path, _)
            | Self::Rearrange(path, _)
            | Self::Make(path)
            | Self::Clear(path) => path,
        }
    }
}

impl Graph {
    /// Every part, each once, in the order of the walk.
    pub fn parts(&self) -> Vec<Part> {
        let reached = self.reached();
        let mut parts = Vec::new();
        self.walk(|place, seen| {
            if let Some(what) = self.part(&reached, place, seen) {
                let path = self.path(&reached, place);
                parts.push(Part { path, what });
            }
        });
        parts
    }

    fn part(
        &self,
        reached: &Reached,
        place: &Place,
        Seen { kind, value }: Seen<'_>,
    ) -> Option<PartKind> {
        Some(match (kind, value) {
            (Kind::Number(number), Value::Number(bits)) => PartKind::Number {
                number,
                bits: *bits,
                role: self.role(reached, place),
            },
            (Kind::Handle(name), Value::Number(bits)) => PartKind::Handle(name, *bits),
            (Kind::Array(of, len), _) => PartKind::Array {
                of,
                len,
                is_fixed: true,
            },
            (Kind::Pointer(target), Value::Pointer(pointer)) => {
                self.part_behind(&target, *pointer)?
            }
            _ => return None,
        })
    }

    fn part_behind(&self, target: &Target, pointer: Pointer) -> Option<PartKind> {
        let is_required = target.is_required;
        let Pointer::To { block, .. } = pointer else {
            let is_null = pointer == Pointer::Null;
            return is_null.then_some(PartKind::Optional {
                is_there: false,
                is_required,
            });
        };
        Some(match (&self.blocks[block].content, target.item) {
            (Content::Text(units), _) => PartKind::Text(units.clone()),
            (Content::Bytes { bytes, .. }, Item::Code) => PartKind::Code(Arc::clone(bytes)),
            (Content::Bytes { bytes, .. }, _) => PartKind::Bytes(Arc::clone(bytes)),
            (Content::Items { of, items, .. }, _) if !target.is_single() => PartKind::Array {
                of,
                len: items.len(),
                is_fixed: matches!(target.count, Count::Is(_)),
            },
            _ => PartKind::Optional {
                is_there: true,
                is_required,
            },
        })
    }

    /// What a number is to its neighbors.
    fn role(&self, reached: &Reached, place: &Place) -> NumberRole {
        // A number of its own is what the pointer to it is to its neighbors.
        let member = match (&place.inner[..], reached.from.get(place.block)) {
            ([], Some(Some((from, _)))) => from,
            _ => place,
        };
        let owner = member.owner().and_then(|owner| self.structure_at(&owner));
        let (Some((of, _)), Some(index)) = (owner, member.inner.last()) else {
            return NumberRole::Plain;
        };
        let name = of.fields[*index].name;
        let roles = of.fields.iter().map(|field| role_in(field.kind, name));
        roles.fold(NumberRole::Plain, |role, other| match other {
            NumberRole::Plain => role,
            other => other,
        })
    }

    /// Makes a change.
    ///
    /// # Errors
    ///
    /// There is no such part, or it cannot be changed in this way.
    pub fn apply(&mut self, change: &Change) -> Result<(), EditError> {
        match change {
            Change::Set(path, new) => self.set(path, new.clone()),
            Change::Rearrange(path, order) => self.rearrange(path, order),
            Change::Make(path) => self.make(path),
            Change::Clear(path) => self.clear(path),
        }
    }

    /// Every change of one part: each number to others that its type has, each array longer, shorter and in another order, each
    /// string and blob to another one, each optional part away or there. Counts follow their arrays; programs and handles, which
    /// must be somebody's, stay.
    pub fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        for Part { path, what } in self.parts() {
            match what {
                PartKind::Number { number, bits, role } if role != NumberRole::Count => {
                    let others = number.others(bits).into_iter();
                    changes.extend(others.map(|bits| Change::Set(path.clone(), New::Bits(bits))));
                }
                PartKind::Text(units) => {
                    let mut longer = units.clone();
                    longer.push(b'x'.into());
                    changes.push(Change::Set(path.clone(), New::Text(longer)));
                    if let Some((last, start)) = units.split_last() {
                        let other = if *last == u16::from(b'x') { b'y' } else { b'x' };
                        let other = [start, &[other.into()]].concat();
                        changes.push(Change::Set(path.clone(), New::Text(other)));
                    }
                }
                PartKind::Bytes(bytes) => {
                    if let Some((last, start)) = bytes.split_last() {
                        let other = [start, &[last ^ 1]].concat();
                        changes.push(Change::Set(path.clone(), New::Bytes(other.into())));
                    }
                }
                PartKind::Array { len, is_fixed, .. } => {
                    let orders = orders(len, is_fixed).into_iter();
                    changes.extend(orders.map(|order| Change::Rearrange(path.clone(), order)));
                }
                PartKind::Optional {
                    is_there: false, ..
                } => changes.push(Change::Make(path)),
                PartKind::Optional {
                    is_there: true,
                    is_required: false,
                } => {
                    changes.push(Change::Clear(path));
                }
                _ => {}
            }
        }
        changes
    }
}

/// Other orders of an array: longer by a copy of the last element and by a new one, without each element, each two neighbors
/// exchanged, and in reverse.
fn orders(len: usize, is_fixed: bool) -> Vec<Vec<Option<usize>>> {
    let same: Vec<_> = (0..len).map(Some).collect();
    let mut orders = Vec::new();
    if !is_fixed {
        if len > 0 {
            orders.push([&same[..], &[Some(len - 1)]].concat());
        }
        orders.push([&same[..], &[None]].concat());
        for index in 0..len {
            let mut shorter = same.clone();
            shorter.remove(index);
            orders.push(shorter);
        }
    }
    for index in 1..len {
        let mut exchanged = same.clone();
        exchanged.swap(index - 1, index);
        orders.push(exchanged);
    }
    if len > 2 {
        orders.push(same.into_iter().rev().collect());
    }
    orders
}

fn role_in(kind: Kind, name: &str) -> NumberRole {
    match kind {
        Kind::Pointer(Target {
            count: Count::Says(count) | Count::SaysAt(count),
            ..
        }) if count == name => NumberRole::Count,
        Kind::Pointer(Target {
            count: Count::Product(one, other),
            ..
        }) if one == name || other == name => NumberRole::Count,
        Kind::Pointer(Target {
            stride: Some(stride),
            ..
        }) if stride == name => NumberRole::Count,
        Kind::Union(arms) => {
            let decides = |arm: &Arm| arm.when.iter().any(|when| when.path == [name]);
            let counts = arms
                .iter()
                .any(|arm| role_in(arm.kind, name) == NumberRole::Count);
            match (counts, arms.iter().any(decides)) {
                (true, _) => NumberRole::Count,
                (_, true) => NumberRole::Decides,
                _ => NumberRole::Plain,
            }
        }
        _ => NumberRole::Plain,
    }
}

impl Number {
    /// Other numbers: every other enumerator, each bit that has a name the other way, another truth, neighbors and limits.
    pub fn others(self, bits: u64) -> Vec<u64> {
        let most = self.most();
        let word = |value: i32| u64::from(value.cast_unsigned());
        let mut others: Vec<u64> = match self.meaning {
            Meaning::Bool => vec![u64::from(bits == 0)],
            Meaning::Enumeration(_) => self
                .meaning
                .enumerators()
                .map(|(value, _)| word(value))
                .collect(),
            Meaning::Flags(_) => {
                let single = self.meaning.enumerators().map(|(value, _)| word(value));
                let single = single.filter(|value| value.is_power_of_two());
                single.map(|value| bits ^ value).collect()
            }
            Meaning::Float => {
                let float = |float: f32| u64::from(float.to_bits());
                vec![float(0.0), float(1.0), float(-1.0), bits ^ 1]
            }
            Meaning::Version => vec![bits ^ 1, bits ^ 1 << 16, bits ^ 1 << 32, bits ^ 1 << 48],
            Meaning::Unsigned | Meaning::Signed => {
                vec![
                    bits.wrapping_add(1) & most,
                    bits.wrapping_sub(1) & most,
                    0,
                    most,
                ]
            }
        };
        others.retain(|other| *other != bits);
        others.sort_unstable();
        others.dedup();
        others
    }
}
