//! `plan`, and the shards of an SODB that it shows: the objects that each of several runs compiles, on whatever machine.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use shader_db::sodb::{Access, Entry, Kind, Sodb};

use crate::report::{one_line, path_text};
use crate::schedule::Graph;
use crate::{Error, Result};

/// The greatest number of shards of an SODB.
pub const MAX_SHARDS: u32 = 100_000;

/// The variables in which batch engines give the index of a task.
const VARIABLES: [&str; 3] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "HQ_TASK_ID"];

/// A shard of the objects of an SODB.
///
/// ```
/// use state_object_compiler::shard::Shard;
///
/// assert_eq!(Shard::parse("7/8").unwrap().to_string(), "7/8");
/// assert_eq!(Shard::parse("8/8").unwrap_err(), "the shards of 8 are 0/8 to 7/8");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// Reads `K/N`: the shard K of N, counted from 0.
    ///
    /// # Errors
    ///
    /// The fault of the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(index, count)| number(index).zip(number(count)));
        let (index, count) = numbers.ok_or("a shard is K/N, for example 0/8, the first of 8")?;
        Self::new(index, count)
    }

    fn new(index: u32, count: u32) -> Result<Self, String> {
        if count == 0 || count > MAX_SHARDS {
            return Err(format!("there are 1 to {MAX_SHARDS} shards"));
        }
        if index >= count {
            return Err(match count {
                1 => "the only shard of 1 is 0/1".into(),
                _ => format!(
                    "the shards of {count} are 0/{count} to {}/{count}",
                    count - 1
                ),
            });
        }
        Ok(Self { index, count })
    }

    /// The shard of `count` whose index a batch engine has put into the environment, which `get` reads.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`], with the names of the variables: none is set, two differ, or one is no index of a shard.
    pub fn from_environment(count: u32, get: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let set: Vec<(&str, String)> = VARIABLES
            .iter()
            .filter_map(|name| Some((*name, one_line(&get(name)?.to_string_lossy()))))
            // Container templates set variables to nothing.
            .filter(|(_, value)| !value.is_empty())
            .collect();
        let Some((name, value)) = set.first() else {
            return Err(Error::Usage(format!(
                "which of the {count} shards? Give --shard K/{count}, or set one of {}, as batch engines do",
                VARIABLES.join(", ")
            )));
        };
        if let Some((other, its)) = set.iter().find(|(_, its)| its != value) {
            return Err(Error::Usage(format!(
                "{name} is {value:?} and {other} is {its:?}: give --shard K/{count}"
            )));
        }
        let index = number(value).ok_or_else(|| "the index of a shard is a number".into());
        index
            .and_then(|index| Self::new(index, count))
            .map_err(|text| Error::Usage(format!("{name} is {value:?}: {text}")))
    }

    /// For each entry, whether the shard has it.
    pub(crate) fn members(self, sodb: &Sodb, entries: &[Entry]) -> Result<Vec<bool>> {
        let mut members = vec![false; entries.len()];
        for part in divide(entries, &costs(sodb, entries)?, self.count) {
            if part.shard == self.index {
                for place in part.places {
                    members[place] = true;
                }
            }
        }
        Ok(members)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Serialize for Shard {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}

/// Digits only: no sign.
fn number(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// The bytes of each object's shaders. An object without any, such as a pipeline of collections, counts as some work.
fn costs(sodb: &Sodb, entries: &[Entry]) -> Result<Vec<u64>> {
    let sizes = sodb.bytecode_sizes()?;
    let cost = |entry: &Entry| sizes.get(&entry.key).copied().unwrap_or(0).max(1);
    Ok(entries.iter().map(cost).collect())
}

/// Objects that stay together, because they are made from one another, directly or indirectly.
struct Part {
    /// In the order of the entries.
    places: Vec<usize>,
    cost: u64,
    shard: u32,
}

/// Divides objects: each part, the costliest first, goes to the shard with the least cost. The result depends only on the
/// keys, costs and links, not on the order of the entries.
fn divide(entries: &[Entry], costs: &[u64], count: u32) -> Vec<Part> {
    let mut parts = parts(entries, costs);
    let first_key = |part: &Part| part.places.iter().map(|place| &entries[*place].key).min();
    parts.sort_by_cached_key(|part| (Reverse(part.cost), first_key(part).cloned()));
    let mut loads: BinaryHeap<_> = (0..count).map(|shard| Reverse((0_u64, shard))).collect();
    for part in &mut parts {
        let mut least = loads.peek_mut().expect("there is a shard");
        let Reverse((load, shard)) = &mut *least;
        *load = load.saturating_add(part.cost);
        part.shard = *shard;
    }
    parts
}

/// The connected components, each without a shard yet.
fn parts(entries: &[Entry], costs: &[u64]) -> Vec<Part> {
    let graph = Graph::new(entries);
    let mut is_seen = vec![false; entries.len()];
    let mut parts = Vec::new();
    for start in 0..entries.len() {
        if is_seen[start] {
            continue;
        }
        is_seen[start] = true;
        let mut places = vec![start];
        let mut next = 0;
        while let Some(place) = places.get(next).copied() {
            next += 1;
            for neighbour in graph.needs[place].iter().chain(&graph.users[place]) {
                if !std::mem::replace(&mut is_seen[*neighbour], true) {
                    places.push(*neighbour);
                }
            }
        }
        places.sort_unstable();
        parts.push(Part {
            cost: total(places.iter().map(|place| costs[*place])),
            places,
            shard: 0,
        });
    }
    parts
}

fn total(costs: impl Iterator<Item = u64>) -> u64 {
    costs.fold(0, u64::saturating_add)
}

/// The division of an SODB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    sodb: String,
    /// The cost of an even share, rounded up.
    even_share: u64,
    shards: Vec<Planned>,
    /// Objects that are made from one another and cost more than an even share. They stay together.
    whole: Vec<Whole>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Planned {
    shard: Shard,
    objects: usize,
    pipelines: usize,
    /// State objects without the additions.
    state_objects: usize,
    additions: usize,
    /// Bytes of shaders; at least 1 for each object.
    cost: u64,
    /// In hexadecimal digits, in the order of the SODB.
    keys: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Whole {
    shard: Shard,
    objects: usize,
    cost: u64,
}

/// Divides the objects of an SODB into `count` shards, from 1 to [`MAX_SHARDS`].
///
/// # Errors
///
/// [`Error::Usage`] for another `count`; [`Error::Database`].
pub fn plan(path: &Path, count: u32) -> Result<Plan> {
    Shard::new(0, count).map_err(Error::Usage)?;
    let sodb = Sodb::open(path, Access::Read)?;
    let entries = sodb.entries()?;
    let costs = costs(&sodb, &entries)?;
    let parts = divide(&entries, &costs, count);
    let even_share = total(costs.iter().copied()).div_ceil(count.into());

    let shard = |index| Shard { index, count };
    let whole = parts
        .iter()
        .filter(|part| part.places.len() > 1 && part.cost > even_share)
        .map(|part| Whole {
            shard: shard(part.shard),
            objects: part.places.len(),
            cost: part.cost,
        })
        .collect();
    let mut places = vec![Vec::new(); count as usize];
    for part in parts {
        places[part.shard as usize].extend(part.places);
    }
    let shards = (0..).zip(places).map(|(index, mut places)| {
        places.sort_unstable();
        let of = |wanted: fn(&Entry) -> bool| {
            let places = places.iter();
            places.filter(|place| wanted(&entries[**place])).count()
        };
        Planned {
            shard: shard(index),
            objects: places.len(),
            pipelines: of(|entry| entry.kind == Kind::PipelineState),
            state_objects: of(|entry| {
                matches!(entry.kind, Kind::StateObject(_)) && entry.parent.is_none()
            }),
            additions: of(|entry| entry.parent.is_some()),
            cost: total(places.iter().map(|place| costs[*place])),
            keys: places
                .iter()
                .map(|place| hex::encode(&entries[*place].key))
                .collect(),
        }
    });
    Ok(Plan {
        sodb: path_text(path),
        even_share,
        shards: shards.collect(),
        whole,
    })
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<14}{:>10}{:>12}{:>16}{:>12}{:>16}",
            "Shard", "Objects", "Pipelines", "State objects", "Additions", "Cost"
        )?;
        for shard in &self.shards {
            writeln!(
                f,
                "{:<14}{:>10}{:>12}{:>16}{:>12}{:>16}",
                shard.shard.to_string(),
                shard.objects,
                shard.pipelines,
                shard.state_objects,
                shard.additions,
                shard.cost
            )?;
        }
        writeln!(
            f,
            "Cost is bytes of shaders; an even share is {}",
            self.even_share
        )?;
        for whole in &self.whole {
            writeln!(
                f,
                "Shard {}: {} objects stay together, as they are made from one another; they cost {}, more than an \
                 even share",
                whole.shard, whole.objects, whole.cost
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::schedule::tests::entry;

    /// The shard of each key, and the loads.
    fn divided(entries: &[(Entry, u64)], count: u32) -> (BTreeMap<u8, u32>, Vec<u64>) {
        let (entries, costs): (Vec<_>, Vec<_>) = entries.iter().cloned().unzip();
        let mut shards = BTreeMap::new();
        let mut loads = vec![0; count as usize];
        for part in divide(&entries, &costs, count) {
            loads[part.shard as usize] += part.cost;
            for place in part.places {
                assert_eq!(shards.insert(entries[place].key[0], part.shard), None);
            }
        }
        assert_eq!(shards.len(), entries.len());
        (shards, loads)
    }

    #[test]
    fn what_is_made_from_one_another_stays_together() {
        let entries = [
            (entry(0, None, &[]), 5),
            (entry(1, Some(0), &[3]), 1),
            (entry(2, None, &[]), 4),
            (entry(3, None, &[]), 1),
            (entry(4, None, &[3]), 1),
            // Objects made from themselves, from each other, and from an absent one.
            (entry(5, Some(5), &[]), 1),
            (entry(6, Some(7), &[]), 1),
            (entry(7, None, &[6]), 1),
            (entry(8, Some(99), &[99]), 1),
        ];
        for count in 1..12 {
            let (shards, _) = divided(&entries, count);
            for together in [&[0, 1, 3, 4][..], &[6, 7]] {
                assert!(
                    together
                        .iter()
                        .all(|key| shards[key] == shards[&together[0]])
                );
            }
        }
        let (shards, loads) = divided(&entries, 2);
        assert_ne!(shards[&0], shards[&2]);
        assert_eq!(loads, [8, 8]);
    }

    #[test]
    fn shares_are_balanced_and_independent_of_the_order() {
        let mut entries: Vec<(Entry, u64)> = (0..200)
            .map(|key| (entry(key, None, &[]), u64::from(key) * 37 % 101 + 1))
            .collect();
        let (shards, loads) = divided(&entries, 7);
        let (most, least) = (loads.iter().max().unwrap(), loads.iter().min().unwrap());
        assert!(most - least <= 101, "{loads:?}");
        entries.reverse();
        entries.rotate_left(33);
        assert_eq!(divided(&entries, 7), (shards, loads));
    }

    #[test]
    fn text_that_is_no_shard_is_refused() {
        for text in [
            "", "/", "1", "0/0", "1/1", "-0/2", "+0/2", " 0/2", "0/2/3", "0/100001", "x/2",
        ] {
            assert!(Shard::parse(text).is_err(), "{text}");
        }
        assert_eq!(Shard::parse("0/1").unwrap().to_string(), "0/1");
        assert_eq!(
            Shard::parse("1/1").unwrap_err(),
            "the only shard of 1 is 0/1"
        );
        assert_eq!(
            Shard::parse("9/8").unwrap_err(),
            "the shards of 8 are 0/8 to 7/8"
        );
    }

    #[test]
    fn the_environment_says_which() {
        let from = |set: &[(&str, &str)]| {
            let value = |name: &str| {
                set.iter()
                    .find(|(its, _)| *its == name)
                    .map(|(_, value)| value.into())
            };
            Shard::from_environment(8, value).map_err(|error| error.to_string())
        };
        for name in VARIABLES {
            assert_eq!(from(&[(name, "3")]), Ok(Shard { index: 3, count: 8 }));
            assert_eq!(
                from(&[(name, "8")]),
                Err(format!("{name} is \"8\": the shards of 8 are 0/8 to 7/8"))
            );
            for value in ["", "-1", "+1", "1 ", "x", "99999999999"] {
                assert!(
                    from(&[(name, value)]).is_err_and(|text| text.contains(name)),
                    "{value}"
                );
            }
        }
        let [slurm, kubernetes, hq] = VARIABLES;
        assert!(from(&[(slurm, "3"), (hq, "3")]).is_ok());
        let text = from(&[(slurm, "3"), (kubernetes, "3"), (hq, "4")]).unwrap_err();
        assert!(text.contains(slurm) && text.contains(hq), "{text}");
        let text = from(&[]).unwrap_err();
        assert!(VARIABLES.iter().all(|name| text.contains(name)), "{text}");
    }
}
