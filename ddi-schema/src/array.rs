//! Arrays of a graph: longer, shorter, in another order. Counts and pointers follow.

use crate::edit::{EditError, Result};
use crate::graph::{Block, Content, Graph, Place, Pointer, Value};
use crate::path::Path;
use crate::table::Described;
use crate::types::{Count, Item, Kind, Target, Type};

impl Graph {
    /// How many elements an array has; `None` where the path leads to none.
    pub fn len(&self, path: impl Into<Path>) -> Option<usize> {
        let place = self.resolve(&path.into())?;
        let seen = self.at(&place)?;
        match (seen.kind, seen.value) {
            (Kind::Array(_, count), _) => Some(count),
            (Kind::Pointer(target), Value::Pointer(pointer)) if !target.is_single() => {
                match pointer {
                    Pointer::Null => Some(0),
                    Pointer::To { block, .. } => self.blocks[*block].len(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Gives an array these of its elements, in this order; `None` is a new one of zeros. Pointers to elements follow them, and
    /// those to elements that are gone become null, or leave the list that they are in.
    ///
    /// # Errors
    ///
    /// The path leads to no array, or to one whose length is fixed and another.
    pub fn rearrange(&mut self, path: impl Into<Path>, order: &[Option<usize>]) -> Result {
        let path = path.into();
        let (place, kind) = self.find(&path)?;
        let arranged = |of: &'static Type, items: &[Value]| -> Vec<Value> {
            let item = |from: &Option<usize>| from.and_then(|from| items.get(from)).cloned();
            let all = order
                .iter()
                .map(|from| item(from).unwrap_or_else(|| Value::zeroed(of.kind())));
            all.collect()
        };
        if let Kind::Array(of, len) = kind {
            if order.len() != len {
                return Err(EditError::FixedLength { path, len });
            }
            if let Some(Value::Items(items)) = self.at(&place).map(|leaf| leaf.value) {
                let items = arranged(of, items);
                self.put_value(&place, Value::Items(items));
            }
            return Ok(());
        }
        let (place, target, pointer) = self.pointer(&path)?;
        let Item::Of(of) = target.item else {
            return Err(EditError::Other {
                path,
                wanted: "array",
            });
        };
        let of = of();
        if let Count::Is(len) = target.count
            && order.len() != len
        {
            return Err(EditError::FixedLength { path, len });
        }
        let block = match pointer {
            Pointer::To { block, item: 0 } => block,
            Pointer::Null => {
                let Pointer::To { block, .. } = self.add(Block::items(of, Vec::new()).content)
                else {
                    return Ok(());
                };
                self.put_value(&place, Value::Pointer(Pointer::to(block)));
                block
            }
            _ => {
                return Err(EditError::Other {
                    path,
                    wanted: "array",
                });
            }
        };
        if let Content::Items { items, .. } = &mut self.blocks[block].content {
            *items = arranged(of, items);
        }
        self.follow(block, order);
        self.settle();
        Ok(())
    }

    /// Gives an array so many elements: more are zeros.
    ///
    /// # Errors
    ///
    /// As [`rearrange`](Self::rearrange).
    pub fn resize(&mut self, path: impl Into<Path>, len: usize) -> Result {
        let path = path.into();
        let now = self
            .len(&path)
            .ok_or_else(|| EditError::NoPart(path.clone()))?;
        let order: Vec<_> = (0..len)
            .map(|index| (index < now).then_some(index))
            .collect();
        self.rearrange(path, &order)
    }

    /// After a block's items have been put into another order: what leads to it.
    fn follow(&mut self, block: usize, order: &[Option<usize>]) {
        let mut leading = Vec::new();
        for index in 0..self.blocks.len() {
            self.values_of(index, &mut |place, seen| {
                if let (Kind::Pointer(target), Value::Pointer(Pointer::To { block: to, item })) =
                    (seen.kind, seen.value)
                    && *to == block
                {
                    leading.push((place.clone(), target, *item));
                }
            });
        }
        let mut lists = Vec::new();
        for (place, target, item) in leading {
            if target.is_single() {
                let now = order.iter().position(|from| *from == Some(item));
                let pointer = now.map_or(Pointer::Null, |item| Pointer::To { block, item });
                self.put_value(&place, Value::Pointer(pointer));
                // An element of a list of pointers.
                if now.is_none() && place.inner.is_empty() && !lists.contains(&place.block) {
                    lists.push(place.block);
                }
            } else if item == 0 {
                if order.is_empty() {
                    self.put_value(&place, Value::Pointer(Pointer::Null));
                }
                self.count(&place, &target, order.len());
            }
        }
        for list in lists {
            let Content::Items { items, .. } = &mut self.blocks[list].content else {
                continue;
            };
            let left: Vec<_> = (0..items.len())
                .filter(|index| items[*index] != Value::Pointer(Pointer::Null))
                .map(Some)
                .collect();
            items.retain(|item| *item != Value::Pointer(Pointer::Null));
            self.follow(list, &left);
        }
    }

    /// Writes how many a pointer leads to where others look for it.
    pub(crate) fn count(&mut self, place: &Place, target: &Target, len: usize) {
        let len = len as u64;
        match target.count {
            Count::Is(_) => {}
            Count::Says(name) => {
                self.put_beside(place, name, len);
                self.lengthen_others(place, name, len);
            }
            // So many records of one size.
            Count::Product(count, size) => {
                let sized =
                    self.beside(place, size)
                        .and_then(|place| match self.at(&place)?.value {
                            Value::Number(size) => Some(*size),
                            _ => None,
                        });
                let fits = |size: &u64| *size > 0 && len.is_multiple_of(*size);
                let of = sized.filter(fits).unwrap_or(1);
                self.put_beside(place, size, of);
                self.put_beside(place, count, len / of);
            }
            Count::SaysAt(name) => {
                let number = Block::items(u32::TYPE, vec![Value::Number(len)]);
                if let Some(place) = self.beside(place, name) {
                    let number = self.add(number.content);
                    self.put_value(&place, Value::Pointer(number));
                }
            }
        }
        if let (Some(stride), Item::Of(of)) = (target.stride, target.item) {
            self.put_beside(place, stride, of().size as u64);
        }
    }

    /// Gives other arrays of the same count as many elements.
    fn lengthen_others(&mut self, place: &Place, name: &str, len: u64) {
        let owner = self.beside(place, name).and_then(|place| place.owner());
        let Some((owner, (of, values))) =
            owner.and_then(|owner| Some((owner.clone(), self.structure_at(&owner)?)))
        else {
            return;
        };
        let mut others = Vec::new();
        for (index, (field, value)) in of.fields.iter().zip(values).enumerate() {
            if let (Kind::Pointer(target), Value::Pointer(Pointer::To { block, .. })) =
                (field.kind, value)
                && matches!(target.count, Count::Says(other) if other == name)
                && self.blocks[*block]
                    .len()
                    .is_some_and(|now| now as u64 != len)
            {
                others.push((owner.with(index), *block));
            }
        }
        for (place, block) in others {
            if let Content::Items { of, items, .. } = &mut self.blocks[block].content
                && let Ok(len) = usize::try_from(len)
            {
                items.resize(len, Value::zeroed(of.kind()));
            }
            if len == 0 {
                self.put_value(&place, Value::Pointer(Pointer::Null));
            }
        }
    }

    fn put_beside(&mut self, place: &Place, name: &str, number: u64) {
        if let Some(place) = self.beside(place, name) {
            self.put_value(&place, Value::Number(number));
        }
    }
}
