//! Unions follow what decides them.

use std::ptr;

use crate::graph::{Block, Content, Graph, Pointer, Seen, Value, arm};
use crate::types::{Item, Kind, Target, Type};

impl Graph {
    /// Gives every union the arm that is decided for it. What the new arm and the old one have in common stays.
    pub fn settle(&mut self) {
        // One that changes may decide another.
        for _ in 0..8 {
            let mut unions = Vec::new();
            for block in 0..self.blocks.len() {
                self.values_of(block, &mut |place, Seen { kind, value }| {
                    let (Kind::Union(arms), Some(owner)) = (kind, place.owner()) else {
                        return;
                    };
                    let wanted = arm(arms, |when| self.holds(&owner, when));
                    let now = match value {
                        Value::Arm(arm, _) => Some(*arm),
                        _ => None,
                    };
                    if wanted != now {
                        unions.push((place.clone(), arms, now, wanted));
                    }
                });
            }
            if unions.is_empty() {
                return;
            }
            for (place, arms, now, wanted) in unions {
                let old = match self.at(&place).map(|seen| seen.value) {
                    Some(Value::Arm(_, value)) => Some((**value).clone()),
                    _ => None,
                };
                let value = match wanted {
                    None => Value::Unknown(0),
                    Some(wanted) => {
                        let from = now.and_then(|now| Some((arms[now].kind, old?)));
                        let value = self.converted(from, arms[wanted].kind);
                        Value::Arm(wanted, Box::new(value))
                    }
                };
                self.put_value(&place, value);
            }
        }
    }

    /// A value as another kind: what they have in common, by its name.
    fn converted(&mut self, from: Option<(Kind, Value)>, to: Kind) -> Value {
        let Some((kind, value)) = from else {
            return self.made(to);
        };
        match (kind, to, value) {
            (Kind::Number(one), Kind::Number(other), value) if one.size == other.size => value,
            (Kind::Handle(_), Kind::Handle(_), value) | (Kind::Function, Kind::Function, value) => {
                value
            }
            (Kind::Structure(one), Kind::Structure(other), value) => {
                self.structure_as(one, other, value)
            }
            (Kind::Pointer(one), Kind::Pointer(other), Value::Pointer(pointer)) => {
                match self.pointer_as(&one, &other, pointer) {
                    Pointer::Null => self.made(to),
                    pointer => Value::Pointer(pointer),
                }
            }
            (Kind::Array(one, len), Kind::Array(other, other_len), value)
                if one == other && len == other_len =>
            {
                value
            }
            (Kind::Union(one), Kind::Union(other), value) if ptr::eq(one, other) => value,
            _ => self.made(to),
        }
    }

    /// Zeros; what a pointer must lead to is there.
    fn made(&mut self, kind: Kind) -> Value {
        match kind {
            Kind::Pointer(Target {
                item: Item::Of(of),
                is_required: true,
                ..
            }) => {
                let block = Block::items(of(), vec![Value::zeroed(of().kind())]);
                Value::Pointer(self.add(block.content))
            }
            kind => Value::zeroed(kind),
        }
    }

    fn structure_as(&mut self, one: &'static Type, other: &'static Type, value: Value) -> Value {
        if one == other {
            return value;
        }
        let begins_with = |of: &Type, with: &Type| {
            let first = of.fields.first().map(|field| field.kind);
            matches!(first, Some(Kind::Structure(first)) if first == with)
        };
        let Value::Fields(values) = value else {
            return Value::zeroed(Kind::Structure(other));
        };
        if begins_with(one, other) {
            return values.into_iter().next().unwrap_or(Value::Unknown(0));
        }
        let mut made = Value::zeroed(Kind::Structure(other));
        let Value::Fields(fields) = &mut made else {
            return made;
        };
        if begins_with(other, one) {
            fields[0] = Value::Fields(values);
            return made;
        }
        for (index, field) in other.fields.iter().enumerate() {
            if let Some((from, known)) = one.field(field.name) {
                fields[index] =
                    self.converted(Some((known.kind, values[from].clone())), field.kind);
            }
        }
        made
    }

    fn pointer_as(&mut self, one: &Target, other: &Target, pointer: Pointer) -> Pointer {
        let Pointer::To { block, .. } = pointer else {
            return pointer;
        };
        match (one.item, other.item) {
            (Item::Text, Item::Text) | (Item::Code, Item::Code) | (Item::Bytes, Item::Bytes) => {
                pointer
            }
            (Item::Of(one), Item::Of(other)) if one() == other() => pointer,
            (Item::Of(one), Item::Of(other)) => {
                let (one, other) = (one(), other());
                let Content::Items { items, .. } = &self.blocks[block].content else {
                    return Pointer::Null;
                };
                let items = items.clone();
                let items = items
                    .into_iter()
                    .map(|item| self.converted(Some((one.kind(), item)), other.kind()))
                    .collect();
                self.add(Block::items(other, items).content)
            }
            _ => Pointer::Null,
        }
    }
}
