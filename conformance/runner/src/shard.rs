//! A part of the rules of a run, so that several machines share it.

use std::fmt;
use std::str::FromStr;

use conformance_catalogue::Rule;

/// Every n-th of the selected rules.
///
/// ```
/// let shard: conformance_runner::Shard = "2/3".parse()?;
/// assert_eq!(shard.to_string(), "2/3");
/// assert!("4/3".parse::<conformance_runner::Shard>().is_err());
/// # Ok::<(), conformance_runner::ShardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    number: usize,
    of: usize,
}

impl Default for Shard {
    /// All of them.
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

/// What is no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a part of the rules is I/N, such as 2/3: the second of three")]
pub struct ShardError;

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, of) = text.split_once('/').ok_or(ShardError)?;
        let [number, of] = [number, of].map(str::parse::<usize>);
        match (number, of) {
            (Ok(number), Ok(of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(ShardError),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Shard {
    /// Its rules of all. Neighbours, which are of one family and take as long, are in different parts.
    pub(crate) fn of(self, rules: &[Rule]) -> Vec<Rule> {
        rules
            .iter()
            .copied()
            .skip(self.number - 1)
            .step_by(self.of)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;
    use conformance_catalogue::rules;

    #[test]
    fn each_rule_is_in_one_part() {
        let all: Vec<_> = rules::all().collect();
        for of in 1..5 {
            let parts = (1..=of).map(|number| Shard { number, of }.of(&all));
            let mut rules: Vec<_> = parts.flatten().collect();
            assert_eq!(rules.len(), all.len());
            rules.sort_by_key(|rule| all.iter().position(|other| other == rule));
            assert_eq!(rules, all);
        }
        for wrong in ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
