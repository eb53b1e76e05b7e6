//! The report of a run.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use shader_db::psdb::Target;

use super::options::Options;
use super::run::{Outcome, Run};
use crate::Dotted;
use crate::key::{FoundKey, shown};
use crate::report::{one_line, path_text};
use crate::shard::Shard;

/// The key and the version of an object that the output has.
pub type Stored = (Vec<u8>, u32);

/// The report of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub(crate) output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<Shard>,
    /// The only object, if the selection has a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<FoundKey>,
    pub(crate) adapter_family: String,
    pub(crate) abi_version: u64,
    pub(crate) compiler_version: Dotted,
    /// Objects that the run compiled and stored.
    pub(crate) compiled: usize,
    /// Objects that the output already had, in the same version.
    pub(crate) up_to_date: usize,
    /// Objects that the run compiled only because others are made from them.
    pub(crate) needed: usize,
    /// Objects that an interrupted run did not reach.
    pub not_done: usize,
    /// Whether the output is still the old one, because the old or the new one is in use.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) in_use: bool,
    /// For each type of value that the user asked for, by name, how many objects of the output have no value of it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) without: BTreeMap<&'static str, usize>,
    /// The types of value that the user asked for and that no object of the output has. Single objects can have none by their
    /// nature: a root signature has nothing to debug.
    #[serde(skip)]
    pub never_stored: Vec<&'static str>,
    /// Objects that are not in the output, in the order of the SODB.
    pub failures: Vec<Failure>,
    /// Facts that the user may not expect.
    pub warnings: Vec<String>,
}

/// An object that the run could not compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// In hexadecimal digits.
    key: String,
    #[serde(skip)]
    shown: String,
    pub(super) reason: String,
}

impl Failure {
    pub(super) fn new(key: &[u8], reason: &str) -> Self {
        Self {
            key: hex::encode(key),
            shown: shown(key),
            reason: one_line(reason),
        }
    }

    pub(super) fn hex(&self) -> String {
        self.key.clone()
    }

    /// The key, in hexadecimal digits, and the reason.
    pub(crate) fn parts(&self) -> (&str, &str) {
        (&self.key, &self.reason)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object {}: {}", self.shown, self.reason)
    }
}

impl Report {
    /// The report of a run that has compiled nothing yet.
    pub(super) fn new(options: &Options, key: Option<FoundKey>, target: &Target) -> Self {
        Self {
            output: path_text(&options.output),
            shard: options.selection.shard,
            key,
            adapter_family: one_line(&target.family),
            abi_version: target.abi,
            compiler_version: Dotted(target.compiler_version),
            compiled: 0,
            up_to_date: 0,
            needed: 0,
            not_done: 0,
            in_use: false,
            without: BTreeMap::new(),
            never_stored: Vec::new(),
            failures: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds the outcomes of the objects, and returns those that the output has.
    pub(super) fn add<M: Send>(&mut self, run: &Run<M>) -> Vec<Stored> {
        self.not_done = run.left();
        let mut stored = Vec::new();
        for (entry, outcome) in run.entries.iter().zip(run.outcomes()) {
            if let Some(Outcome::Stored | Outcome::UpToDate) = outcome {
                stored.push((entry.key.clone(), entry.version));
            }
            match outcome {
                Some(Outcome::Failed(reason)) => {
                    self.failures.push(Failure::new(&entry.key, &reason));
                }
                Some(Outcome::Stored) => self.compiled += 1,
                Some(Outcome::UpToDate) => self.up_to_date += 1,
                Some(Outcome::Needed) => self.needed += 1,
                None => {}
            }
        }
        stored
    }

    /// Whether all objects are in the output, with what the user asked for; false if the run was interrupted.
    pub fn is_complete(&self) -> bool {
        self.failures.is_empty() && !self.is_to_be_repeated() && self.never_stored.is_empty()
    }

    /// Whether the same command has more to do: the run was interrupted, or could not put its files in their places.
    pub fn is_to_be_repeated(&self) -> bool {
        self.not_done != 0 || self.in_use
    }
}

/// No line begins with a digit: engine tools take such lines for progress.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Output: {}", self.output)?;
        if let Some(shard) = self.shard {
            writeln!(f, "Shard: {shard}")?;
        }
        if let Some(key) = &self.key {
            writeln!(f, "Key: {key}")?;
        }
        writeln!(f, "Adapter Family: {}", self.adapter_family)?;
        writeln!(f, "ABI Version: {}", self.abi_version)?;
        writeln!(f, "Compiler Version: {}", self.compiler_version)?;
        writeln!(f, "Compiled: {}", self.compiled)?;
        writeln!(f, "Up to date: {}", self.up_to_date)?;
        writeln!(f, "Failed: {}", self.failures.len())?;
        if self.not_done != 0 {
            writeln!(f, "Not done: {}", self.not_done)?;
        }
        for (name, objects) in &self.without {
            writeln!(f, "Without {name}: {objects}")?;
        }
        Ok(())
    }
}
