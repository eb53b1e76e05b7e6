//! Links: the state that is no value of its own, and the keys of the values that it goes with.

use plugin_sdk::KeyBuilder;
use plugin_sdk::desc::{Describe, Field, Fields};

use crate::families::Machine;
use crate::object_code::{Link, LinkKind, Part};
use crate::unit::{self, Unit};

/// Stands for something optional that is not there.
const ABSENT: u32 = u32::MAX;

/// Links `parts` in the state that `description` describes.
pub(crate) fn link(
    machine: Machine,
    kind: LinkKind,
    description: &dyn Describe,
    parts: Vec<Part>,
) -> Unit<'static> {
    let key = unit::key(machine, "fabrikam.link")
        .u64("kind", kind as u64)
        .describe("state", description);
    let key = parts
        .iter()
        .fold(key, |key, part| key.bytes("part", &part.key));
    let mut state = State::default();
    description.describe(&mut state);
    let link = Link {
        kind,
        parts,
        state: state.words,
    };
    Unit::link(key.finish(), link, state.names)
}

/// Writes a description down as words, in its own order.
#[derive(Default)]
struct State {
    words: Vec<u32>,
    names: Vec<String>,
}

impl Fields for State {
    fn field(&mut self, _: &'static str, value: Field<'_>) {
        match value {
            Field::Unsigned(value) => self.words.push(value.try_into().unwrap_or(u32::MAX)),
            Field::Float(value) => self.words.push(value.to_bits()),
            Field::Bool(value) => self.words.push(value.into()),
            Field::Enumeration { value, .. } | Field::Flags { bits: value, .. } => {
                self.words.push(value.cast_unsigned());
            }
            Field::Text(name) => {
                let units: Vec<u8> = name
                    .as_slice()
                    .iter()
                    .flat_map(|u| u.to_le_bytes())
                    .collect();
                self.words.extend(name_hash(&units));
                self.names.push(name.to_string_lossy());
            }
            Field::Absent => self.words.push(ABSENT),
            // Code is among the parts; and a field of a kind that this code does not know is in the key
            // all the same.
            _ => {}
        }
    }

    fn group(&mut self, _: &'static str, _: Option<usize>, content: &dyn Describe) {
        content.describe(self);
    }
}

/// What object code has in place of a name, which is UTF-16, little-endian.
pub(crate) fn name_hash(units: &[u8]) -> [u32; 2] {
    let key = KeyBuilder::new("fabrikam.name")
        .bytes("name", units)
        .finish();
    let (words, _) = key.as_bytes().as_chunks();
    [0, 1].map(|word| words.get(word).map_or(0, |&word| u32::from_le_bytes(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;
    use crate::object_code::Role;
    use crate::unit::Source;
    use widestring::U16String;

    const MACHINE: Machine = Machine {
        isa: 1,
        abi: &FAMILIES[0].abis[0],
    };

    struct Described(Vec<u64>, &'static str);

    impl Describe for Described {
        fn describe(&self, to: &mut dyn Fields) {
            for &number in &self.0 {
                to.field("number", Field::Unsigned(number));
            }
            to.field("name", Field::Text(&U16String::from_str(self.1)));
            to.field("nothing", Field::Absent);
        }
    }

    fn part(key: u8) -> Part {
        Part {
            role: Role::RootSignature,
            key: [key; 32],
        }
    }

    #[test]
    fn kind_state_and_parts_make_the_key() {
        let of = |kind, numbers: &[u64], name, parts: &[Part]| {
            link(
                MACHINE,
                kind,
                &Described(numbers.to_vec(), name),
                parts.to_vec(),
            )
        };
        let (a, b) = (part(1), part(2));
        let units = [
            of(LinkKind::Graphics, &[1], "n", &[a, b]),
            of(LinkKind::Compute, &[1], "n", &[a, b]),
            of(LinkKind::Graphics, &[2], "n", &[a, b]),
            of(LinkKind::Graphics, &[1, 1], "n", &[a, b]),
            of(LinkKind::Graphics, &[1], "m", &[a, b]),
            of(LinkKind::Graphics, &[1], "n", &[b, a]),
            of(LinkKind::Graphics, &[1], "n", &[a]),
        ];
        for (i, a) in units.iter().enumerate() {
            for b in &units[i + 1..] {
                assert_ne!(a.key(), b.key());
                assert_ne!(a.object_code(MACHINE), b.object_code(MACHINE));
            }
        }
        let again = of(LinkKind::Graphics, &[1], "n", &[a, b]);
        assert_eq!(units[0].key(), again.key());
    }

    #[test]
    fn names_are_hashes_in_code_and_text_in_metadata() {
        let unit = link(
            MACHINE,
            LinkKind::HitGroup,
            &Described(vec![7], "Name"),
            Vec::new(),
        );
        let Source::Link { link, names } = unit.source() else {
            unreachable!("a link was made")
        };
        assert_eq!((link.state[0], link.state.len()), (7, 4));
        assert_eq!(link.state[3], ABSENT);
        assert_eq!(names, &["Name"]);
        let code = unit.object_code(MACHINE).to_bytes();
        assert!(!code.windows(2).any(|pair| pair == b"Na" || pair == b"N\0"));
    }
}
