//! `diff-psdb`: compares what two compilers, or two versions of one, made of the same objects.
//!
//! The specification keeps version data out of object code, so that equal code is equal bytes whatever compiled it. Value
//! keys may differ all the same: a plugin can include its version in them. So this compares objects by group, and code by its
//! SHA-256.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use compatibility::{Reason, differences};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use shader_db::psdb::{File, ValueType};

use crate::key::short;
use crate::report::{Target, incomplete, open_sound, path_text};
use crate::{Dotted, Result};

/// The differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    files: [Side; 2],
    /// Groups of both with the same version and the same object code.
    same: u64,
    /// Groups that differ, by key.
    differences: Vec<Difference>,
    /// Facts that make the comparison doubtful.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Side {
    file: String,
    target: Target,
    groups: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Difference {
    group: String,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "difference", rename_all = "kebab-case")]
enum Kind {
    /// Only the first file has the group.
    OnlyInFirst,
    /// Only the second file has the group.
    OnlyInSecond,
    /// The versions differ: the application has changed the object.
    Version { first: u32, second: u32 },
    /// The object code differs.
    ObjectCode {
        /// The number of values that both have.
        common: usize,
        first: usize,
        second: usize,
    },
}

impl Report {
    /// Whether the files have the same groups with the same object code.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty()
    }
}

/// The version and the digests of the object code, sorted, of each group.
type Groups = BTreeMap<Vec<u8>, (u32, Vec<[u8; 32]>)>;

/// Compares the object code of each group, but neither which value has which key, nor values without code.
///
/// # Errors
///
/// [`Error::Database`](crate::Error::Database), also for a value or a group that does not match its digest, or is lost.
pub fn diff(first: &Path, second: &Path) -> Result<Report> {
    let mut warnings = Vec::new();
    let [first_file, second_file] = [open_sound(first)?, open_sound(second)?];
    let conflicts = differences(&first_file.origin(), &second_file.origin());
    if conflicts.iter().any(Reason::is_conflict) {
        warnings.push(
            "the files are for different adapter families, ABI versions or applications".into(),
        );
    }
    for (path, file) in [(first, &first_file), (second, &second_file)] {
        let lines = incomplete(&[file])?.into_iter();
        warnings.extend(lines.map(|line| format!("{}: {line}", path.display())));
    }
    let (first_side, first_groups) = read(first, &first_file)?;
    let (second_side, mut second_groups) = read(second, &second_file)?;
    let mut same = 0;
    let mut differences = BTreeMap::new();
    for (key, (version, code)) in first_groups {
        let kind = match second_groups.remove(&key) {
            None => Kind::OnlyInFirst,
            Some((other, _)) if other != version => Kind::Version {
                first: version,
                second: other,
            },
            Some((_, other)) if other != code => Kind::ObjectCode {
                common: common(&code, &other),
                first: code.len(),
                second: other.len(),
            },
            Some(_) => {
                same += 1;
                continue;
            }
        };
        differences.insert(key, kind);
    }
    differences.extend(
        second_groups
            .into_keys()
            .map(|key| (key, Kind::OnlyInSecond)),
    );
    Ok(Report {
        files: [first_side, second_side],
        same,
        differences: differences
            .into_iter()
            .map(|(key, kind)| Difference {
                group: hex::encode(&key),
                kind,
            })
            .collect(),
        warnings,
    })
}

fn read(path: &Path, file: &File) -> Result<(Side, Groups)> {
    let mut result = Ok(());
    let mut code: HashMap<Vec<u8>, [u8; 32]> = HashMap::new();
    file.for_each_value(&mut |key, kind, value| {
        match value {
            Ok(value) if kind == ValueType::ObjectCode => {
                code.insert(key.to_vec(), Sha256::digest(value).into());
            }
            Ok(_) => {}
            Err(error) => {
                result = Err(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    let mut groups = Groups::new();
    file.for_each_group(&mut |key, content| {
        match content {
            Ok((version, keys)) => {
                let mut digests: Vec<_> = keys.iter().filter_map(|key| code.get(*key)).collect();
                digests.sort_unstable();
                let digests = digests.into_iter().copied().collect();
                groups.insert(key.to_vec(), (version, digests));
            }
            Err(error) => {
                result = Err(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    result?;
    let side = Side {
        file: path_text(path),
        target: file.target().into(),
        groups: groups.len() as u64,
    };
    Ok((side, groups))
}

/// How many of two sorted lists are in both.
fn common(a: &[[u8; 32]], b: &[[u8; 32]]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut count = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let order = x.cmp(y);
        count += usize::from(order.is_eq());
        if order.is_le() {
            a.next();
        }
        if order.is_ge() {
            b.next();
        }
    }
    count
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.files;
        for Difference { group, kind } in &self.differences {
            write!(f, "group {}: ", short(group))?;
            match kind {
                Kind::OnlyInFirst => writeln!(f, "only in {}", first.file)?,
                Kind::OnlyInSecond => writeln!(f, "only in {}", second.file)?,
                Kind::Version { first, second } => {
                    writeln!(f, "version {first} and version {second}")?;
                }
                Kind::ObjectCode {
                    common,
                    first,
                    second,
                } => writeln!(
                    f,
                    "object code differs: {first} and {second} values, {common} of them equal"
                )?,
            }
        }
        for side in &self.files {
            let version: Dotted = side.target.compiler_version;
            writeln!(
                f,
                "{}: {} groups, compiler {version}",
                side.file, side.groups
            )?;
        }
        writeln!(f, "{} the same, {} not", self.same, self.differences.len())
    }
}
