//! Pipelines whose fields are off their defaults: each alone, and at random several together.

use std::fmt::Write as _;

use ddi_sys::{D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE, DXGI_FORMAT_UNKNOWN};

use super::changes::{CHANGES, Change, Of};
use super::{KINDS, Kind, Root, Stage};

/// At random so many fields are changed, at most.
const MOST: usize = 6;

impl Kind {
    fn takes(&self, change: &Change) -> bool {
        let is_graphics = self.shader(Stage::Compute).is_none();
        match change.of {
            Of::All => true,
            Of::Root => matches!(self.root, Root::Covering),
            Of::Graphics => is_graphics,
            Of::Targets => !self.targets.is_empty(),
            Of::Depth => self.depth != DXGI_FORMAT_UNKNOWN,
            // The vertex shaders of these have two inputs at least, and draw no patches.
            Of::Layout => self.layout_may_change(),
            Of::Triangles => self.topology == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        }
    }

    fn layout_may_change(&self) -> bool {
        let is_first =
            self.shader(Stage::Vertex).is_some() && self.shader(Stage::Geometry).is_none();
        is_first
            && self.topology == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE
            && super::state::State::new(self).is_ok_and(|state| state.elements.len() > 1)
    }

    /// Whether a field is off its default, so that a plugin may say that no device has this.
    pub(crate) fn is_generated(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The same with these fields changed. It stays.
    fn with(&self, changes: Vec<&'static Change>) -> &'static Self {
        // Of a generated one, the name of what it was made from.
        let base = self.name.split(" with { ").next().unwrap_or(self.name);
        let mut name = base.to_owned();
        for (number, change) in changes.iter().enumerate() {
            let before = if number == 0 { " with { " } else { ", " };
            // Writing to a string does not fail.
            let _ = write!(name, "{before}{}", change.code);
        }
        if !changes.is_empty() {
            name.push_str(" }");
        }
        Box::leak(Box::new(Self {
            name: name.leak(),
            changes: changes.leak(),
            ..*self
        }))
    }
}

/// The kind, with each field that it has changed alone.
pub(crate) fn walk(kind: &'static Kind) -> impl Iterator<Item = &'static Kind> {
    let changes = CHANGES.iter().filter(|change| kind.takes(change));
    changes.map(|change| kind.with(vec![change]))
}

/// Any kind, with several of its fields changed. The same seed gives the same ones.
pub(crate) fn random(seed: u64) -> impl Iterator<Item = &'static Kind> {
    let mut random = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(move || {
        let kind = KINDS[random.usize(..KINDS.len())];
        let mut changes: Vec<&'static Change> = Vec::new();
        for _ in 0..random.usize(2..=MOST) {
            let change = &CHANGES[random.usize(..CHANGES.len())];
            if kind.takes(change) && changes.iter().all(|other| other.field != change.field) {
                changes.push(change);
            }
        }
        kind.with(changes)
    })
    .filter(|kind| kind.is_generated())
}

/// The same with one change less, each in turn; nothing of one that has no more than one.
pub(crate) fn reduced(kind: &'static Kind) -> impl Iterator<Item = &'static Kind> {
    let count = kind.changes.len();
    (0..count).filter(move |_| count > 1).map(move |left_out| {
        let mut changes = kind.changes.to_vec();
        changes.remove(left_out);
        kind.with(changes)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{GRAPHICS, Pipeline};
    use super::{CHANGES, random, reduced, walk};
    use crate::arena::Surroundings;
    use std::collections::BTreeSet;

    /// The bytes of a description with other padding are not compared: a change shows in what it sets.
    #[test]
    fn each_change_changes_the_description() {
        let described = |kind| {
            let pipeline = Pipeline::new(kind, Surroundings::USUAL).unwrap();
            pipeline.arena.memory.bytes()
        };
        let mut seen = BTreeSet::from([described(&GRAPHICS)]);
        let mut walked = BTreeSet::new();
        for kind in walk(&GRAPHICS) {
            assert!(seen.insert(described(kind)), "{}", kind.name);
            walked.insert(kind.changes[0].code);
        }
        for change in CHANGES {
            assert!(walked.contains(change.code), "{change:?} is of no pipeline");
        }
    }

    #[test]
    fn a_seed_is_a_sequence_of_descriptions_that_can_be_built() {
        let names = |seed| random(seed).take(200).map(|kind| kind.name);
        assert!(names(7).eq(names(7)));
        assert!(!names(7).eq(names(8)));
        for kind in random(0).take(200) {
            Pipeline::new(kind, Surroundings::OTHER).unwrap();
            for smaller in reduced(kind) {
                assert_eq!(smaller.changes.len() + 1, kind.changes.len());
            }
        }
    }
}
