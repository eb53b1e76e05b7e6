//! Merging files into a new one in the canonical form, reading each in one pass.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use compatibility::{Verdict, verdict};

use super::content::{Cursor, Kind};
use super::create::{is_without_bytes, place};
use super::item::Item;
use super::metadata::Metadata;
use super::open::Opened;
use super::part::{self, Items};
use super::{ValueType, digest};
use crate::error::At as _;
use crate::temporary::Temporary;
use crate::{Error, Result, short_hex, sqlite};

/// KiB of pages that SQLite caches of each file: a merge reads most of them once.
pub const CACHE: u32 = 2048;

/// The counts of what a merge wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Values.
    pub values: u64,
    /// Values that another input repeated.
    pub repeated: u64,
    /// Bytes of the values.
    pub bytes: u64,
    /// Groups.
    pub groups: u64,
    /// By type: values other than object code that the output does not have, since it has those of another input under their
    /// keys.
    pub older: [u64; ValueType::ALL.len()],
}

/// A key whose content differs between files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The type of its values; none if it is the key of a group, whose version or value keys differ.
    pub kind: Option<ValueType>,
    /// The key.
    pub key: Vec<u8>,
    /// The first file that has the key, and those that differ from it.
    pub files: Vec<PathBuf>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = short_hex(&self.key);
        match self.kind {
            Some(kind) => write!(f, "the {kind:?} values of key {key} differ in ")?,
            None => write!(f, "the versions or value keys of group {key} differ in ")?,
        }
        for (place, file) in self.files.iter().enumerate() {
            let and = if place == 0 { "" } else { " and " };
            write!(f, "{and}{}", file.display())?;
        }
        Ok(())
    }
}

/// The error names at most this many conflicts.
const TOLD: usize = 20;

/// Merges PSDBs into a new file in the canonical form: the same bytes whatever the order of the inputs, and the same as those
/// of a file that one session wrote with all the content. The inputs stay as they are. `progress` gets the number of bytes of
/// each value that the merge has read.
///
/// The merge takes inputs of other revisions or builds of the compiler, and gives the output the lowest version of them. It
/// refuses those that must be compiled again beside each other ([`verdict`]).
///
/// Object code under one key must be the same in all inputs. Metadata, debug information and performance data need not be:
/// the output gets those of the newest compiler, and [`Merged::older`] counts the others.
///
/// Two lists of a group that differ only in order are the same group; the output gets the one that sorts first.
///
/// # Errors
///
/// [`Error::InvalidArgument`]: there are no inputs; they are for different targets or applications; `output` exists.
/// [`Error::Conflicts`]: two inputs have different object code under a key, or a group with another version or other
/// value keys. [`Error::Corrupt`]: a digest does not match. Further the errors of opening, reading and writing a file. After
/// an error there is no `output`.
pub fn merge<P: AsRef<Path>>(
    inputs: &[P],
    output: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<Merged> {
    let exists = || {
        Error::InvalidArgument(format!(
            "{}: exists already; a merge makes a new file",
            output.display()
        ))
    };
    // An empty file counts as none.
    if !is_without_bytes(output) && fs::symlink_metadata(output).is_ok() {
        return Err(exists());
    }
    let inputs = inputs
        .iter()
        .map(|path| Opened::snapshot(path.as_ref())?.map(CACHE));
    let inputs: Vec<Opened> = inputs.collect::<Result<_>>()?;
    let Some((first, others)) = inputs.split_first() else {
        return Err(Error::InvalidArgument("a merge needs a file".into()));
    };
    let metadata = merged_metadata(first, others)?;
    let new = Temporary::beside(output).at(output)?;
    let merged = write(&inputs, &metadata, new.path(), output, progress)?;
    // Another program may have made the output meanwhile.
    if !place(&new, output)? {
        return Err(exists());
    }
    sqlite::sync_directory(output).map(|()| merged)
}

/// Writes the content of files, which are of one target and application, to a new file in the canonical form, which is to take the
/// place of `target`.
pub fn write(
    sources: &[Opened],
    metadata: &Metadata,
    new: &Path,
    target: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<Merged> {
    part::write(new, target, metadata, |to| {
        let mut merge = Merge {
            sources,
            merged: Merged::default(),
            conflicts: Vec::new(),
            count: 0,
        };
        merge.values(to, progress)?;
        merge.groups(to)?;
        let (first, count) = (merge.conflicts, merge.count);
        match count {
            0 => Ok(merge.merged),
            _ => Err(Error::Conflicts { first, count }),
        }
    })
}

/// The metadata of the merged file.
fn merged_metadata(first: &Opened, others: &[Opened]) -> Result<Metadata> {
    let mut merged = first.metadata.clone();
    for other in others {
        if let Verdict::MustRecompile(reason) =
            verdict(&first.metadata.origin(), &other.metadata.origin())
        {
            return Err(Error::InvalidArgument(format!(
                "{} and {} cannot be merged: the {} differs",
                first.path.display(),
                other.path.display(),
                reason.what
            )));
        }
        merged.add(&other.metadata);
    }
    Ok(merged)
}

/// Hands over what the files have under each key, with the index of the file, and checks at the end that it was everything.
fn for_each_key(
    sources: &[Opened],
    kind: Kind,
    mut each: impl FnMut(Vec<(usize, Item)>) -> Result<()>,
) -> Result<()> {
    let statements = sources.iter();
    let statements = statements.map(|of| of.connection.prepare(kind.select()).at(&of.path));
    let mut statements = statements.collect::<Result<Vec<_>>>()?;
    let rows = sources.iter().zip(&mut statements);
    let cursors = rows.map(|(source, rows)| {
        let cursor = rows.query([]).and_then(|rows| Cursor::new(kind, rows));
        cursor.at(&source.path)
    });
    let mut cursors = cursors.collect::<Result<Vec<_>>>()?;
    let read = |source: &Opened, cursor: &mut Cursor| {
        let next = cursor.next().at(&source.path)?;
        next.map(|entry| entry.sound(&source.path)).transpose()
    };
    let heads = sources.iter().zip(&mut cursors);
    let heads = heads.map(|(source, cursor)| read(source, cursor));
    let mut heads = heads.collect::<Result<Vec<_>>>()?;
    while let Some(key) = heads.iter().flatten().map(Item::key).min() {
        let (key, mut items) = (key.to_vec(), Vec::new());
        for (place, head) in heads.iter_mut().enumerate() {
            if let Some(item) = head.take_if(|head| head.key() == key) {
                items.push((place, item));
                *head = read(&sources[place], &mut cursors[place])?;
            }
        }
        each(items)?;
    }
    // Through a damaged index some rows are not found: the copy would silently have fewer. A digest without its value or group
    // shows that the file has lost it; the digest of the metadata has neither.
    let (tables, others) = match kind {
        Kind::Values => (["keys", "vals", "value_digests"], 1),
        Kind::Groups => (["groupkeys", "groups", "group_digests"], 0),
    };
    for (source, cursor) in sources.iter().zip(cursors) {
        let [keys, rows, digests] = cursor.found;
        let others = if source.metadata.verified { others } else { 0 };
        for (table, found) in tables.into_iter().zip([keys, rows, digests + others]) {
            let count = source.count(&format!("{table} NOT INDEXED"))?;
            if count != found {
                let reason = format!("{table} has {count} rows, and {found} of them are found");
                return Err(source.corrupt(reason));
            }
        }
    }
    Ok(())
}

struct Merge<'a> {
    sources: &'a [Opened],
    merged: Merged,
    /// The first conflicts,
    conflicts: Vec<Conflict>,
    /// and how many there are.
    count: u64,
}

impl Merge<'_> {
    /// Notes the conflict of a key if `others` have something else under it than the first file that has it.
    fn compare(&mut self, kind: Option<ValueType>, key: &[u8], first: usize, others: &[usize]) {
        if others.is_empty() {
            return;
        }
        self.count += 1;
        if self.conflicts.len() < TOLD {
            let files = std::iter::once(&first).chain(others);
            self.conflicts.push(Conflict {
                kind,
                key: key.to_vec(),
                files: files.map(|file| self.sources[*file].path.clone()).collect(),
            });
        }
    }

    fn values(&mut self, to: &mut Items, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let sources = self.sources;
        let age = |source: usize| Reverse(sources[source].metadata.target.compiler_version);
        for_each_key(sources, Kind::Values, |items| {
            let mut chosen = Vec::new();
            for kind in ValueType::ALL {
                let values = items.iter();
                let values =
                    values.filter_map(|(source, item)| Some((*source, item.value(kind)?.0)));
                // All object code must be equal. Other types can differ for equal object code: the newest compiler's, and of those
                // the one that sorts first.
                let is_code = kind == ValueType::ObjectCode;
                let rank = |(source, value): &(usize, _)| (age(*source), *value);
                let first = values
                    .clone()
                    .min_by_key(|value| (!is_code).then(|| rank(value)));
                let Some((source, value)) = first else {
                    continue;
                };
                let mut others = Vec::new();
                for (other, its) in values {
                    progress(its.len() as u64);
                    if its != value && is_code {
                        others.push(other);
                    } else if its != value {
                        self.merged.older[kind as usize] += 1;
                    } else if other != source {
                        self.merged.repeated += 1;
                    }
                }
                self.compare(Some(kind), items[0].1.key(), source, &others);
                self.merged.values += 1;
                self.merged.bytes += value.len() as u64;
                chosen.push((kind, value));
            }
            if items.len() == 1 {
                return items.into_iter().try_for_each(|(_, item)| to.add(item));
            }
            let mut item = Item::of_values(items[0].1.key(), &chosen);
            item.has_values |= items.iter().any(|(_, item)| item.has_values);
            to.add(item)
        })
    }

    fn groups(&mut self, to: &mut Items) -> Result<()> {
        for_each_key(self.sources, Kind::Groups, |mut items| {
            let (first, mut chosen) = items.remove(0);
            let mut others = Vec::new();
            for (source, item) in items {
                if !is_same_group(&item, &chosen) {
                    others.push(source);
                } else if item.list() < chosen.list() {
                    chosen = item;
                }
            }
            self.compare(None, chosen.key(), first, &others);
            self.merged.groups += 1;
            to.add(chosen)
        })
    }
}

/// Whether the versions are the same, and the value keys, in whatever order.
fn is_same_group(a: &Item, b: &Item) -> bool {
    let version = |item: &Item| item.group.map(|(version, _)| version);
    let sorted = |item: &Item| {
        let mut keys: Vec<_> = digest::keys_of(item.list()).map(<[u8]>::to_vec).collect();
        keys.sort_unstable();
        keys
    };
    version(a) == version(b) && (a.list() == b.list() || sorted(a) == sorted(b))
}
