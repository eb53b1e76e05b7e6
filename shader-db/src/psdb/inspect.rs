//! Inspecting one file, whatever types it has.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use compatibility::Origin;
use rusqlite::{Connection, Row};

use super::content::{Cursor, Entry, Kind, version_of};
use super::merge::CACHE;
use super::open::Opened;
use super::schema::ELSEWHERE;
use super::{Application, Target, ValueType, create, digest};
use crate::{Result, sqlite};

/// How many rows a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Value keys, also those without values.
    pub keys: u64,
    /// Values of each type, by number.
    pub values: [u64; ValueType::ALL.len()],
    /// Bytes of the values.
    pub bytes: u64,
    /// Groups.
    pub groups: u64,
}

/// A group, as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its key.
    pub key: Vec<u8>,
    /// Its version; none if the number is out of range.
    pub version: Option<u32>,
    /// The digest of its version and value keys; a file of another maker has none.
    digest: Option<Vec<u8>>,
}

impl Group {
    /// Whether key and version are the same, and the value keys too if both files have digests.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let are_digests_equal = match (&self.digest, &other.digest) {
            (Some(of_self), Some(of_other)) => of_self == of_other,
            _ => true,
        };
        self.key == other.key && self.version == other.version && are_digests_equal
    }
}

/// Content that a file has lost: its digest is still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// A value.
    Value {
        /// Its key, unless that is lost too.
        key: Option<Vec<u8>>,
        /// Its type.
        kind: ValueType,
    },
    /// A group, and its key with it.
    Group,
}

/// A group that lacks something that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomplete {
    /// The key of the group.
    pub group: Vec<u8>,
    /// The first value key of the group that has no value.
    pub value_key: Vec<u8>,
}

/// The groups that name a key without a value in any of these files of one session, sorted by key. One file alone is not blamed for
/// keys whose values are in other files; one with only debug information or performance data is not blamed for any.
///
/// # Errors
///
/// The errors of reading a file.
pub fn incomplete_groups(files: &[&File]) -> Result<Vec<Incomplete>> {
    let mut incomplete = Vec::new();
    let mut are_sides = true;
    for file in files {
        are_sides &= file.is_side_file()?;
    }
    if are_sides {
        return Ok(incomplete);
    }
    let mut with_values = HashSet::new();
    for file in files {
        file.add_keys_with_values(&mut with_values, files.len() == 1)?;
    }
    for file in files {
        file.for_each_group(&mut |group, content| {
            // A damaged group is another fault.
            let keys = content.map_or(&[][..], |(_, keys)| keys);
            if let Some(key) = keys.iter().find(|key| !with_values.contains(**key)) {
                incomplete.push(Incomplete {
                    group: group.to_vec(),
                    value_key: key.to_vec(),
                });
            }
            ControlFlow::Continue(())
        })?;
    }
    incomplete.sort_unstable_by(|one, other| one.group.cmp(&other.group));
    incomplete.dedup_by(|one, other| one.group == other.group);
    Ok(incomplete)
}

/// Whether these files of one session have metadata and groups, and no object code at all: they had some.
///
/// # Errors
///
/// The errors of reading a file.
pub fn lacks_object_code(files: &[&File]) -> Result<bool> {
    let (mut groups, mut values) = (0, [0; ValueType::ALL.len()]);
    for file in files {
        let counts = file.counts()?;
        groups += counts.groups;
        for (sum, count) in values.iter_mut().zip(counts.values) {
            *sum += count;
        }
    }
    let of = |kind: ValueType| values[kind as usize];
    Ok(groups != 0 && of(ValueType::Metadata) != 0 && of(ValueType::ObjectCode) == 0)
}

const LOST_VALUES: &str = "value_digests WHERE id <> 0 AND NOT EXISTS \
    (SELECT 1 FROM vals WHERE vals.keyid = id >> 2 AND vals.type = id & 3)";
const LOST_GROUPS: &str = "group_digests WHERE groupkeyid NOT IN (SELECT keyid FROM groupkeys)";

/// Rows that lack a row they belong to, each as the text after FROM.
pub(super) const LOOSE: [&str; 5] = [
    "vals WHERE keyid NOT IN (SELECT keyid FROM keys)",
    LOST_VALUES,
    "groupkeys WHERE keyid IN (SELECT groupkeyid FROM groups WHERE valuekeyid NOT IN (SELECT keyid FROM keys))",
    LOST_GROUPS,
    "groups WHERE groupkeyid NOT IN (SELECT keyid FROM groupkeys)",
];

/// Gets a value: its key, its type, and its bytes or the reason not to use them.
pub type EachValue<'a> = dyn FnMut(&[u8], ValueType, Result<&[u8]>) -> ControlFlow<()> + 'a;

/// Gets a group: its key, and its version and value keys or the reason not to use them.
pub type EachGroup<'a> = dyn FnMut(&[u8], Result<(u32, &[&[u8]])>) -> ControlFlow<()> + 'a;

/// One PSDB file, open to lookup, in the state of that moment: what other sessions add stays unseen.
pub struct File(Opened);

impl File {
    /// Opens a file. Files of another maker can be read if they have the same tables.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a directory,
    /// [`BadFormat`](crate::Error::BadFormat) if it is no PSDB; the errors of reading a file.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self(Opened::snapshot(path)?.map(CACHE)?))
    }

    /// The target that the values are compiled for.
    pub fn target(&self) -> &Target {
        &self.0.metadata.target
    }

    /// The application that the values are compiled for.
    pub fn application(&self) -> &Application {
        &self.0.metadata.application
    }

    /// The origin by which a file is compared with others.
    pub fn origin(&self) -> Origin<'_> {
        self.0.metadata.origin()
    }

    /// Whether the file has digests, which show that each value and group is as somebody stored it.
    pub fn is_verified(&self) -> bool {
        self.0.metadata.verified
    }

    /// Whether a session has closed the file in one piece: it needs no file beside it.
    pub fn is_finished(&self) -> bool {
        !self.0.unfinished
    }

    /// Whether the file is as [`rewrite`](super::rewrite()) leaves it, and nothing lies beside it. Otherwise a session, or another
    /// program, has changed it since, or was killed before it had rewritten it.
    pub fn is_canonical(&self) -> bool {
        // The one in which it was written.
        const CHANGES: u32 = 1;
        let path = &create::path_of_file(&self.0.path);
        let has_beside =
            ["-journal", "-wal", "-shm"].map(|suffix| sqlite::has_beside(path, suffix));
        self.is_finished()
            && sqlite::header(&self.0.connection).changes() == CHANGES
            && !has_beside.contains(&true)
    }

    /// Counts the rows.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn counts(&self) -> Result<Counts> {
        let mut counts = Counts {
            keys: self.0.count("keys NOT INDEXED")?,
            values: [0; 4],
            bytes: 0,
            groups: self.0.count("groupkeys NOT INDEXED")?,
        };
        // GROUP BY would sort the values and hold the largest several times in memory.
        let select = "SELECT sum(octet_length(value)), count(*) FILTER (WHERE type = 0), \
                      count(*) FILTER (WHERE type = 1), count(*) FILTER (WHERE type = 2), \
                      count(*) FILTER (WHERE type = 3) FROM vals NOT INDEXED";
        let read = |row: &Row| {
            counts.bytes = row.get::<_, Option<u64>>(0)?.unwrap_or_default();
            for (place, values) in counts.values.iter_mut().enumerate() {
                *values = row.get(1 + place)?;
            }
            Ok(counts)
        };
        self.0.run(|of| of.query_row(select, [], read))
    }

    /// The groups, sorted by the bytes of their keys. Unlike [`for_each_group`](Self::for_each_group), this verifies nothing.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn groups(&self) -> Result<Vec<Group>> {
        let select = "SELECT key, version, digest FROM groupkeys \
                      LEFT JOIN group_digests ON group_digests.groupkeyid = groupkeys.keyid ORDER BY key";
        let read = |row: &Row| {
            Ok(Group {
                key: row.get(0)?,
                version: version_of(row.get(1)?),
                digest: row.get(2)?,
            })
        };
        self.0
            .run(|connection| connection.prepare(select)?.query_map([], read)?.collect())
    }

    /// The value keys, sorted by their bytes.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn keys(&self) -> Result<Vec<Vec<u8>>> {
        self.0.run(|connection| {
            let mut keys = connection.prepare("SELECT key FROM keys ORDER BY key")?;
            keys.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// Hands every value to `each`, sorted by the bytes of its key and by type: key, type, and the value, or the error if it
    /// does not match its digest.
    ///
    /// # Errors
    ///
    /// The errors of reading a file, apart from values that do not match.
    pub fn for_each_value(&self, each: &mut EachValue) -> Result<()> {
        self.0.run(|connection| {
            let mut values = connection.prepare(Kind::Values.select())?;
            let mut values = Cursor::new(Kind::Values, values.query([])?)?;
            while let Some(entry) = values.next()? {
                for (kind, value) in entry.item.values() {
                    let fault = entry.fault.filter(|_| entry.damaged.has(kind));
                    let value = fault.map_or(Ok(value), |fault| Err(self.0.corrupt(fault)));
                    if each(entry.item.key(), kind, value).is_break() {
                        return Ok(());
                    }
                }
            }
            Ok(())
        })
    }

    /// Hands every group to `each`, sorted by the bytes of its key: key, and its version and value keys in stored order, or
    /// the error if it does not match its digest.
    ///
    /// # Errors
    ///
    /// The errors of reading a file, apart from groups that do not match.
    pub fn for_each_group(&self, each: &mut EachGroup) -> Result<()> {
        self.0.run(|connection| {
            let mut groups = connection.prepare(Kind::Groups.select())?;
            let mut groups = Cursor::new(Kind::Groups, groups.query([])?)?;
            while let Some(Entry { item, fault, .. }) = groups.next()? {
                let keys: Vec<&[u8]> = digest::keys_of(item.list()).collect();
                let content = match (fault, item.group) {
                    (None, Some((version, _))) => Ok((version, &keys[..])),
                    (fault, _) => Err(self.0.corrupt(fault.unwrap_or_default())),
                };
                if each(item.key(), content).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Whether the file has only debug information and performance data: it is for use beside another one, which has the object
    /// code.
    fn is_side_file(&self) -> Result<bool> {
        let values = self.counts()?.values;
        let of = |kind: ValueType| values[kind as usize];
        let has_beside = of(ValueType::DebugPdb) + of(ValueType::PerformanceData) != 0;
        Ok(has_beside && of(ValueType::ObjectCode) + of(ValueType::Metadata) == 0)
    }

    /// Adds the keys that have values, or with `elsewhere` those that had them in other files.
    fn add_keys_with_values(&self, keys: &mut HashSet<Vec<u8>>, elsewhere: bool) -> Result<()> {
        let select = "SELECT key FROM keys WHERE EXISTS (SELECT 1 FROM vals WHERE vals.keyid = keys.keyid) \
                      OR last_accessed = ?1";
        self.0.run(|connection| {
            let mut select = connection.prepare(select)?;
            let found = select.query_map([elsewhere.then_some(ELSEWHERE)], |row| row.get(0))?;
            for key in found {
                keys.insert(key?);
            }
            Ok(())
        })
    }

    /// The values and groups that the file has lost and whose digests are still there.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn lost(&self) -> Result<Vec<Lost>> {
        let select = format!(
            "SELECT (SELECT key FROM keys WHERE keyid = id >> 2), id & 3 FROM {LOST_VALUES}"
        );
        let read = |row: &Row| {
            let number: usize = row.get(1)?;
            Ok(Lost::Value {
                key: row.get(0)?,
                kind: ValueType::ALL[number & 3],
            })
        };
        let values =
            |connection: &Connection| connection.prepare(&select)?.query_map([], read)?.collect();
        let mut lost: Vec<Lost> = self.0.run(values)?;
        let groups = self.0.count(LOST_GROUPS)?;
        lost.extend((0..groups).map(|_| Lost::Group));
        Ok(lost)
    }

    /// Whether a row lacks one that belongs to it: a value its key, a group a key that it names, or a digest its value or group.
    /// [`remove_loose`] removes such rows.
    ///
    /// [`remove_loose`]: super::remove_loose()
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn is_loose(&self) -> Result<bool> {
        for rows in LOOSE {
            if self.0.count(rows)? != 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How many values and groups have no digest in a file that has digests: another program added them. They are used as they
    /// are, and [`rewrite`](super::rewrite()) gives them digests.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn unverified(&self) -> Result<[u64; 2]> {
        if !self.is_verified() {
            return Ok([0; 2]);
        }
        let values = "vals WHERE NOT EXISTS (SELECT 1 FROM value_digests WHERE id = vals.keyid * 4 + vals.type)";
        let groups = "groupkeys WHERE keyid NOT IN (SELECT groupkeyid FROM group_digests)";
        Ok([self.0.count(values)?, self.0.count(groups)?])
    }

    /// Checks that the file is whole: a fault that SQLite's check finds in its structure, or lost content, is an error. Only
    /// reading a value shows whether it is the one that somebody stored.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`](crate::Error::Corrupt), with the first fault; the errors of reading a file.
    pub fn check_whole(&self) -> Result<()> {
        if let Some(problem) = self.check_structure()?.first() {
            return Err(self.0.corrupt(problem));
        }
        match self.lost()?.len() {
            0 => Ok(()),
            count => Err(self.0.corrupt(format!("{count} values or groups are lost"))),
        }
    }

    /// The faults that SQLite's own check finds in the file's structure; it does not know the digests.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn check_structure(&self) -> Result<Vec<String>> {
        self.0.run(|connection| {
            let mut check = connection.prepare("PRAGMA integrity_check")?;
            let found = check.query_map([], |row| row.get(0))?;
            let mut found: Vec<String> = found.collect::<Result<_, _>>()?;
            let mut check = connection.prepare("PRAGMA foreign_key_check")?;
            let mut rows = check.query([])?;
            while let Some(row) = rows.next()? {
                let (table, other): (String, String) = (row.get(0)?, row.get(2)?);
                found.push(format!("a row of {table} refers to none of {other}"));
            }
            found.retain(|line| line != "ok");
            Ok(found)
        })
    }
}
