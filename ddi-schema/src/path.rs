//! Paths to the parts of a description, as C code would reach them: `hBlendState.RenderTarget[3].BlendOp`.

use std::borrow::Cow;
use std::fmt;

use crate::graph::{Block, Content, Graph, Place, Pointer, Reached, Value, inside};
use crate::types::{Arm, Field, Kind, Target};

/// The way to a part of a description. A pointer is followed where the way goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<Step>);

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// To a member.
    Member(Cow<'static, str>),
    /// To an element.
    Element(usize),
}

impl Path {
    /// Its steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The path to an element of what it leads to.
    #[must_use]
    pub fn element(&self, index: usize) -> Self {
        let mut path = self.clone();
        path.0.push(Step::Element(index));
        path
    }

    /// The path to a member of what it leads to.
    #[must_use]
    pub fn member(&self, name: impl Into<Cow<'static, str>>) -> Self {
        let mut path = self.clone();
        path.0.push(Step::Member(name.into()));
        path
    }

    fn push(&mut self, name: &'static str) {
        if !name.is_empty() {
            self.0.push(Step::Member(name.into()));
        }
    }
}

/// What is no step of a path leads to no part of a description.
impl From<&str> for Path {
    fn from(text: &str) -> Self {
        let mut steps = Vec::new();
        for part in text.split('.').filter(|part| !part.is_empty()) {
            let mut pieces = part.split('[');
            let name = pieces.next().unwrap_or_default();
            if !name.is_empty() {
                steps.push(Step::Member(name.to_owned().into()));
            }
            for piece in pieces {
                let index = piece.strip_suffix(']').and_then(|index| index.parse().ok());
                steps.push(match index {
                    Some(index) => Step::Element(index),
                    None => Step::Member(format!("[{piece}").into()),
                });
            }
        }
        Self(steps)
    }
}

impl From<String> for Path {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&Self> for Path {
    fn from(path: &Self) -> Self {
        path.clone()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Element(element) => write!(f, "[{element}]")?,
                Step::Member(name) if index == 0 => f.write_str(name)?,
                Step::Member(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

/// The names by which C code reaches an arm of a union: that of the union, unless it is anonymous, and that of the arm.
pub(crate) fn names(field: &'static Field, arm: &'static Arm) -> [&'static str; 2] {
    match (field.is_anonymous(), arm.name) {
        (true, "") => [field.name, ""],
        (true, name) => ["", name],
        (false, name) => [field.name, name],
    }
}

impl Graph {
    /// The path to a place.
    pub(crate) fn path(&self, reached: &Reached, place: &Place) -> Path {
        // A list may be long: from the place back to the beginning, and then the names.
        let mut way = vec![place];
        while let Some(Some((from, _))) = way.last().and_then(|at| reached.from.get(at.block)) {
            way.push(from);
        }
        let mut path = Path::default();
        if self.blocks.first().and_then(Block::len) != Some(1) {
            path.0
                .extend(way.last().map(|first| Step::Element(first.item)));
        }
        for (at, next) in way
            .iter()
            .rev()
            .zip(way.iter().rev().skip(1).map(Some).chain([None]))
        {
            let pointer = self.name(at, &mut path);
            if let (Some(next), Some((target, first))) = (next, pointer)
                && target.is_indexed()
            {
                path.0.push(Step::Element(next.item.saturating_sub(first)));
            }
        }
        path
    }

    /// Adds the names from an item of a block to a place in it; where it is a pointer, what that leads to, and the first item.
    fn name(&self, place: &Place, path: &mut Path) -> Option<(Target, usize)> {
        let Content::Items { of, items, .. } = &self.blocks.get(place.block)?.content else {
            return None;
        };
        let (mut kind, mut value) = (of.kind(), items.get(place.item)?);
        let mut union = None;
        for index in &place.inner {
            match (kind, value) {
                (Kind::Structure(of), _) => {
                    let member = &of.fields[*index];
                    // A union's name is known with its arm.
                    match member.kind {
                        Kind::Union(_) => union = Some(member),
                        _ => path.push(member.name),
                    }
                }
                (Kind::Array(..), _) => path.0.push(Step::Element(*index)),
                (Kind::Union(arms), Value::Arm(arm, _)) => {
                    for name in union
                        .take()
                        .map_or(["", ""], |field| names(field, &arms[*arm]))
                    {
                        path.push(name);
                    }
                }
                _ => {}
            }
            (kind, value) = inside(kind, value, &[*index])?;
        }
        path.push(union.map_or("", |field| field.name));
        match (kind, value) {
            (Kind::Pointer(target), Value::Pointer(Pointer::To { item, .. })) => {
                Some((target, *item))
            }
            _ => None,
        }
    }

    /// The place that a path leads to, and whether it leads to an element of what a pointer leads to.
    pub(crate) fn resolve(&self, path: &Path) -> Option<Place> {
        let mut at = Place {
            block: 0,
            item: 0,
            inner: Vec::new(),
        };
        let mut steps = path.0.iter().peekable();
        if self.blocks.first()?.len()? != 1 {
            match steps.next() {
                Some(Step::Element(item)) => at.item = *item,
                Some(Step::Member(_)) => return None,
                None => return Some(at),
            }
        }
        loop {
            // An arm has no step of its own where the union, or the arm, has no name.
            let leaf = self.at(&at)?;
            let Some(step) = steps.peek() else {
                return Some(at);
            };
            match (leaf.kind, leaf.value, step) {
                (Kind::Pointer(target), Value::Pointer(Pointer::To { block, item }), step) => {
                    let (block, mut item) = (*block, *item);
                    if target.is_indexed() {
                        let Step::Element(index) = step else {
                            return None;
                        };
                        item += index;
                        steps.next();
                    }
                    at = Place {
                        block,
                        item,
                        inner: Vec::new(),
                    };
                }
                (Kind::Structure(of), Value::Fields(values), Step::Member(name)) => {
                    let inner = of.fields.iter().zip(values).enumerate();
                    let (index, is_arm) =
                        inner.into_iter().find_map(|(index, (field, value))| {
                            let arm = match (field.kind, value) {
                                (Kind::Union(arms), Value::Arm(arm, _)) => Some(&arms[*arm]),
                                _ => None,
                            };
                            let names = arm.map_or([field.name, ""], |arm| names(field, arm));
                            let found = names.iter().position(|it| !it.is_empty())?;
                            // The other name, if there is one, is another step.
                            let is_whole = names[1 - found].is_empty();
                            (names[found] == name.as_ref())
                                .then_some((index, arm.is_some() && is_whole))
                        })?;
                    at.inner.push(index);
                    if is_arm {
                        at.inner.push(0);
                    }
                    steps.next();
                }
                (Kind::Union(arms), Value::Arm(arm, _), Step::Member(name)) => {
                    if arms[*arm].name != name.as_ref() {
                        return None;
                    }
                    at.inner.push(0);
                    steps.next();
                }
                (Kind::Array(_, count), _, Step::Element(index)) if *index < count => {
                    at.inner.push(*index);
                    steps.next();
                }
                _ => return None,
            }
        }
    }
}
