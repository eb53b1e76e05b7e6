//! Descriptions whose fields are off their defaults: each alone, each two together, and at random several.

use std::fmt::{self, Write as _};

/// At random so many fields are changed, at most.
const MOST: usize = 6;

/// One field at another value.
pub(crate) struct Change<K: Varied> {
    /// The field and the value, as code.
    pub(crate) code: &'static str,
    /// Two changes of one field do not go together.
    pub(crate) field: &'static str,
    /// What a kind has for the change to mean something.
    pub(crate) of: K::Of,
    pub(crate) apply: fn(&mut K::State),
}

impl<K: Varied> fmt::Debug for Change<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

/// Changes that go together.
pub(crate) type Changes<K> = &'static [&'static Change<K>];

/// A kind of description with fields that an application may set.
pub(crate) trait Varied: Copy + 'static {
    /// What a change may need.
    type Of: 'static;
    /// The fields.
    type State: 'static;

    /// Every change, those of one field together.
    const ALL: &'static [Change<Self>];

    fn takes(&self, change: &Change<Self>) -> bool;

    /// Its name, and what is off its default.
    fn parts(&mut self) -> (&mut &'static str, &mut Changes<Self>);

    fn name(mut self) -> &'static str {
        self.parts().0
    }

    fn changes(mut self) -> Changes<Self> {
        self.parts().1
    }

    /// Whether a field is off its default, so that a plugin may say that no device has this.
    fn is_generated(&self) -> bool {
        !self.changes().is_empty()
    }

    /// The same with these fields changed. It stays.
    fn with(mut self, changes: Vec<&'static Change<Self>>) -> &'static Self {
        // Of a generated one, the name of what it was made from.
        let name = self.name();
        let mut name = name.split(" with { ").next().unwrap_or(name).to_owned();
        for (number, change) in changes.iter().enumerate() {
            let before = if number == 0 { " with { " } else { ", " };
            // Writing to a string does not fail.
            let _ = write!(name, "{before}{}", change.code);
        }
        if !changes.is_empty() {
            name.push_str(" }");
        }
        let parts = self.parts();
        (*parts.0, *parts.1) = (name.leak(), changes.leak());
        Box::leak(Box::new(self))
    }
}

/// The changes that mean something for a kind.
fn taken<K: Varied>(kind: &K) -> Vec<&'static Change<K>> {
    let all = K::ALL.iter();
    all.filter(|change| kind.takes(change)).collect()
}

/// The kind, with each field that it has changed alone.
pub(crate) fn walk<K: Varied>(kind: &'static K) -> impl Iterator<Item = &'static K> {
    let changes = taken(kind).into_iter();
    changes.map(|change| kind.with(vec![change]))
}

/// The kind, with each two fields that it has changed together, to values that follow from the seed.
pub(crate) fn pairs<K: Varied>(kind: &'static K, seed: u64) -> Vec<&'static K> {
    let mut random = fastrand::Rng::with_seed(seed);
    let changes = taken(kind);
    let of_field = |one: &&Change<K>, other: &&Change<K>| one.field == other.field;
    let fields: Vec<_> = changes.chunk_by(of_field).collect();
    let mut pairs = Vec::new();
    for (number, first) in fields.iter().enumerate() {
        for second in &fields[number + 1..] {
            let changes = [first, second].map(|values| values[random.usize(..values.len())]);
            pairs.push(kind.with(changes.to_vec()));
        }
    }
    pairs
}

/// Any of the kinds, with several of its fields changed. The same seed gives the same ones.
pub(crate) fn random<K: Varied>(
    kinds: &'static [&'static K],
    seed: u64,
) -> impl Iterator<Item = &'static K> {
    let mut random = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(move || {
        let kind = kinds[random.usize(..kinds.len())];
        let all = taken(kind);
        let mut drawn: Vec<usize> = Vec::new();
        for _ in 0..random.usize(2..=MOST) {
            let one = random.usize(..all.len().max(1));
            let is_new =
                |change: &&Change<K>| drawn.iter().all(|other| all[*other].field != change.field);
            if all.get(one).is_some_and(is_new) {
                drawn.push(one);
            }
        }
        // As the table has them, so that the same ones make the same description.
        drawn.sort_unstable();
        kind.with(drawn.into_iter().map(|one| all[one]).collect())
    })
    .filter(|kind| kind.changes().len() > 1)
}

/// The same with one change less, each in turn; nothing of one that has no more than one.
pub(crate) fn reduced<K: Varied>(kind: &'static K) -> impl Iterator<Item = &'static K> {
    let count = kind.changes().len();
    (0..count).filter(move |_| count > 1).map(move |left_out| {
        let mut changes = kind.changes().to_vec();
        changes.remove(left_out);
        kind.with(changes)
    })
}

#[cfg(test)]
mod tests {
    use super::{Change, Changes, Varied, pairs, random, reduced, walk};
    use std::collections::BTreeSet;

    #[derive(Clone, Copy)]
    struct Kind {
        name: &'static str,
        is_large: bool,
        changes: Changes<Self>,
    }

    const fn change(code: &'static str, field: &'static str, of: bool) -> Change<Kind> {
        let apply = |(): &mut ()| {};
        Change {
            code,
            field,
            of,
            apply,
        }
    }

    impl Varied for Kind {
        type Of = bool;
        type State = ();

        const ALL: &'static [Change<Self>] = &[
            change("A: 1", "A", false),
            change("A: 2", "A", false),
            change("B: 1", "B", false),
            change("C: 1", "C", true),
        ];

        fn takes(&self, change: &Change<Self>) -> bool {
            self.is_large || !change.of
        }

        fn parts(&mut self) -> (&mut &'static str, &mut Changes<Self>) {
            (&mut self.name, &mut self.changes)
        }
    }

    static KINDS: [&Kind; 2] = [
        &Kind {
            name: "small",
            is_large: false,
            changes: &[],
        },
        &Kind {
            name: "large",
            is_large: true,
            changes: &[],
        },
    ];

    #[test]
    fn fields_are_changed_alone_and_in_pairs() {
        let walked: Vec<_> = walk(KINDS[0]).map(|kind| kind.name).collect();
        assert_eq!(
            walked,
            [
                "small with { A: 1 }",
                "small with { A: 2 }",
                "small with { B: 1 }"
            ]
        );
        let mut values = BTreeSet::new();
        for seed in 0..16 {
            let names = pairs(KINDS[1], seed);
            let [ab, ac, bc] = names[..] else {
                panic!("{} pairs", names.len())
            };
            assert_eq!(bc.name, "large with { B: 1, C: 1 }");
            values.extend([ab.name, ac.name]);
        }
        let expected = [
            "large with { A: 1, B: 1 }",
            "large with { A: 1, C: 1 }",
            "large with { A: 2, B: 1 }",
            "large with { A: 2, C: 1 }",
        ];
        assert_eq!(values, BTreeSet::from(expected));
    }

    #[test]
    fn a_seed_is_a_sequence_of_mixes() {
        let names = |seed| random(&KINDS, seed).take(50).map(|kind| kind.name);
        assert!(names(7).eq(names(7)));
        assert!(!names(7).eq(names(8)));
        for kind in random(&KINDS, 0).take(50) {
            let fields: BTreeSet<_> = kind.changes.iter().map(|change| change.field).collect();
            assert_eq!(fields.len(), kind.changes.len(), "{}", kind.name);
            let smaller: Vec<_> = reduced(kind).collect();
            assert_eq!(smaller.len(), kind.changes.len());
            for smaller in smaller {
                assert_eq!(smaller.changes.len() + 1, kind.changes.len());
                assert!(smaller.name.len() < kind.name.len(), "{}", smaller.name);
            }
        }
        assert_eq!(reduced(walk(KINDS[0]).next().unwrap()).count(), 0);
    }
}
