//! Inspecting one file, whatever types it has.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use compatibility::Origin;

use super::schema::ELSEWHERE;
use super::source::Source;
use super::{Application, Target, ValueType, create, digest, lookup};
use crate::{Result, sqlite};

/// How many rows a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Value keys, also those without values.
    pub keys: u64,
    /// Values of each type, by number.
    pub values: [u64; ValueType::ALL.len()],
    /// Bytes of the values of each type, by number.
    pub bytes: [u64; ValueType::ALL.len()],
    /// Groups.
    pub groups: u64,
    /// Value keys that groups name, counted once for each group.
    pub members: u64,
}

/// A group, as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its key.
    pub key: Vec<u8>,
    /// Its version, as the column has it.
    version: i64,
    /// The digest of its version and value keys; a file of another maker has none.
    digest: Option<Vec<u8>>,
}

impl Group {
    /// Its version; `None` if the number is out of range.
    pub fn version(&self) -> Option<u32> {
        lookup::version_of(self.version)
    }

    /// Whether key and version are the same, and the value keys too if both files have digests.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let are_digests_equal = match (&self.digest, &other.digest) {
            (Some(of_self), Some(of_other)) => of_self == of_other,
            _ => true,
        };
        self.key == other.key && self.version() == other.version() && are_digests_equal
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
    let mut sides = 0;
    for file in files {
        sides += usize::from(file.is_side_file()?);
    }
    if sides == files.len() {
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

/// Rows that lack a row they belong to, each as the text after FROM.
pub(super) const LOOSE: [&str; 5] = [
    "vals WHERE keyid NOT IN (SELECT keyid FROM keys)",
    "value_digests WHERE id <> 0 AND NOT EXISTS (SELECT 1 FROM vals WHERE vals.keyid = id >> 2 AND vals.type = id & 3)",
    "groupkeys WHERE keyid IN (SELECT groupkeyid FROM groups WHERE valuekeyid NOT IN (SELECT keyid FROM keys))",
    "group_digests WHERE groupkeyid NOT IN (SELECT keyid FROM groupkeys)",
    "groups WHERE groupkeyid NOT IN (SELECT keyid FROM groupkeys)",
];

/// Gets a value: its key, its type, and its bytes or the reason not to use them.
pub type EachValue<'a> = dyn FnMut(&[u8], ValueType, Result<&[u8]>) -> ControlFlow<()> + 'a;

/// Gets a group: its key, and its version and value keys or the reason not to use them.
pub type EachGroup<'a> = dyn FnMut(&[u8], Result<(u32, &[&[u8]])>) -> ControlFlow<()> + 'a;

/// One PSDB file, open to lookup, in the state of that moment: what other sessions add stays unseen.
pub struct File(Source);

impl File {
    /// Opens a file. Files of another maker can be read if they have the same tables.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a directory,
    /// [`BadFormat`](crate::Error::BadFormat) if it is no PSDB; the errors of reading a file.
    pub fn open(path: &Path) -> Result<Self> {
        Source::open(path).map(Self)
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
        let Source {
            path, connection, ..
        } = &self.0;
        let path = &create::path_of_file(path);
        let has_beside =
            ["-journal", "-wal", "-shm"].map(|suffix| sqlite::has_beside(path, suffix));
        self.is_finished()
            && sqlite::header(connection).changes() == CHANGES
            && !has_beside.contains(&true)
    }

    /// Counts the rows.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn counts(&self) -> Result<Counts> {
        let count = |sql: &str| self.0.connection.query_row(sql, [], |row| row.get(0));
        let counts = || {
            let mut counts = Counts {
                keys: count("SELECT count(*) FROM keys NOT INDEXED")?,
                values: [0; 4],
                bytes: [0; 4],
                groups: count("SELECT count(*) FROM groupkeys NOT INDEXED")?,
                members: count("SELECT count(*) FROM groups NOT INDEXED")?,
            };
            // GROUP BY would sort the values and hold the largest several times in memory.
            let columns = ValueType::ALL.map(|kind| {
                let is_of_kind = format!("FILTER (WHERE type = {})", kind as u8);
                format!("count(*) {is_of_kind}, coalesce(sum(octet_length(value)) {is_of_kind}, 0)")
            });
            let sql = format!("SELECT {} FROM vals NOT INDEXED", columns.join(", "));
            self.0.connection.query_row(&sql, [], |row| {
                for kind in 0..ValueType::ALL.len() {
                    counts.values[kind] = row.get(2 * kind)?;
                    counts.bytes[kind] = row.get(2 * kind + 1)?;
                }
                Ok(counts)
            })
        };
        counts().map_err(|error| self.0.failure(&error))
    }

    /// Whether there is a group.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn has_groups(&self) -> Result<bool> {
        let sql = "SELECT EXISTS(SELECT 1 FROM groupkeys)";
        let found = self.0.connection.query_row(sql, [], |row| row.get(0));
        found.map_err(|error| self.0.failure(&error))
    }

    /// The groups, sorted by the bytes of their keys. Unlike [`for_each_group`](Self::for_each_group), this verifies nothing.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn groups(&self) -> Result<Vec<Group>> {
        let run = || {
            let mut groups = self.0.connection.prepare(
                "SELECT key, version, digest FROM groupkeys \
                 LEFT JOIN group_digests ON group_digests.groupkeyid = groupkeys.keyid ORDER BY key",
            )?;
            let rows = groups.query_map([], |row| {
                Ok(Group {
                    key: row.get(0)?,
                    version: row.get(1)?,
                    digest: row.get(2)?,
                })
            })?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        run().map_err(|error| self.0.failure(&error))
    }

    /// Hands every value key to `each`, sorted by its bytes.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn for_each_key(&self, each: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        let run = || {
            let mut keys = self
                .0
                .connection
                .prepare("SELECT key FROM keys ORDER BY key")?;
            let mut rows = keys.query([])?;
            while let Some(row) = rows.next()? {
                if each(row.get_ref(0)?.as_blob()?).is_break() {
                    break;
                }
            }
            Ok(())
        };
        let mut run = run;
        run().map_err(|error| self.0.failure(&error))
    }

    /// Hands every value to `each`, sorted by the bytes of its key and by type: key, type, and the value, or the error if it
    /// does not match its digest.
    ///
    /// # Errors
    ///
    /// The errors of reading a file, apart from values that do not match.
    pub fn for_each_value(&self, each: &mut EachValue) -> Result<()> {
        let mut run = || {
            let mut values = self.0.connection.prepare(
                "SELECT keys.key, vals.type, vals.value, value_digests.digest FROM keys \
                 JOIN vals ON vals.keyid = keys.keyid \
                 LEFT JOIN value_digests ON value_digests.id = vals.keyid * 4 + vals.type \
                 ORDER BY keys.key, vals.type",
            )?;
            let mut rows = values.query([])?;
            while let Some(row) = rows.next()? {
                let key = row.get_ref(0)?.as_blob()?;
                let number: u32 = row.get(1)?;
                let Some(kind) = ValueType::from_number(number) else {
                    return Ok(Err(self.0.corrupt("a value's type is unknown")));
                };
                let value = row.get_ref(2)?.as_blob()?;
                let stored = row.get_ref(3)?.as_blob_or_null()?;
                let checked =
                    self.check(stored, || digest::value(key, kind as u8, value), "a value");
                if each(key, kind, checked.map(|()| value)).is_break() {
                    break;
                }
            }
            Ok(Ok(()))
        };
        run().map_err(|error| self.0.failure(&error))?
    }

    fn check(
        &self,
        stored: Option<&[u8]>,
        computed: impl FnOnce() -> u128,
        what: &str,
    ) -> Result<()> {
        match stored {
            Some(stored) if *stored != computed().to_be_bytes() => {
                Err(self.0.corrupt(&format!("{what} does not match its digest")))
            }
            _ => Ok(()),
        }
    }

    /// Hands every group to `each`, sorted by the bytes of its key: key, and its version and value keys in stored order, or
    /// the error if it does not match its digest.
    ///
    /// # Errors
    ///
    /// The errors of reading a file, apart from groups that do not match.
    pub fn for_each_group(&self, each: &mut EachGroup) -> Result<()> {
        let mut run = || {
            let mut groups = self.0.connection.prepare(
                "SELECT keyid, key, version, digest FROM groupkeys \
                 LEFT JOIN group_digests ON group_digests.groupkeyid = groupkeys.keyid ORDER BY key",
            )?;
            let mut members = self.0.connection.prepare(
                "SELECT keys.key FROM groups LEFT JOIN keys ON keys.keyid = groups.valuekeyid \
                 WHERE groups.groupkeyid = ?1 ORDER BY groups.rowid",
            )?;
            let mut rows = groups.query([])?;
            while let Some(row) = rows.next()? {
                let key = row.get_ref(1)?.as_blob()?;
                let stored = row.get_ref(3)?.as_blob_or_null()?;
                let mut list = Vec::new();
                let mut rows = members.query([row.get::<_, i64>(0)?])?;
                let mut whole = true;
                while let Some(member) = rows.next()? {
                    match member.get_ref(0)?.as_blob_or_null()? {
                        Some(key) => digest::push_key(&mut list, key),
                        None => whole = false,
                    }
                }
                let checked = match lookup::version_of(row.get(2)?) {
                    None => Err(self.0.corrupt("a group's version is out of range")),
                    Some(_) if !whole => Err(self.0.corrupt("a group names a key that is missing")),
                    Some(version) => self
                        .check(stored, || digest::group(key, version, &list), "a group")
                        .map(|()| version),
                };
                let keys: Vec<&[u8]> = digest::keys_of(&list).collect();
                if each(key, checked.map(|version| (version, &keys[..]))).is_break() {
                    break;
                }
            }
            Ok(())
        };
        run().map_err(|error| self.0.failure(&error))
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
        let mut run = || {
            let mut select = self.0.connection.prepare(
                "SELECT key FROM keys WHERE EXISTS (SELECT 1 FROM vals WHERE vals.keyid = keys.keyid) \
                 OR last_accessed = ?1",
            )?;
            let mut rows = select.query([elsewhere.then_some(ELSEWHERE)])?;
            while let Some(row) = rows.next()? {
                keys.insert(row.get(0)?);
            }
            Ok(())
        };
        run().map_err(|error| self.0.failure(&error))
    }

    /// The values and groups that the file has lost and whose digests are still there.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn lost(&self) -> Result<Vec<Lost>> {
        let run = || {
            let mut values = self.0.connection.prepare(
                "SELECT keys.key, value_digests.id & 3 FROM value_digests \
                 LEFT JOIN vals ON vals.keyid = value_digests.id >> 2 AND vals.type = value_digests.id & 3 \
                 LEFT JOIN keys ON keys.keyid = value_digests.id >> 2 \
                 WHERE value_digests.id <> 0 AND vals.keyid IS NULL",
            )?;
            let mut lost = values
                .query_map([], |row| {
                    let number: usize = row.get(1)?;
                    Ok(Lost::Value {
                        key: row.get(0)?,
                        kind: ValueType::ALL[number & 3],
                    })
                })?
                .collect::<Result<Vec<_>, _>>()?;
            let groups: usize = self.0.connection.query_row(
                "SELECT count(*) FROM group_digests WHERE groupkeyid NOT IN (SELECT keyid FROM groupkeys)",
                [],
                |row| row.get(0),
            )?;
            lost.extend(std::iter::repeat_n(Lost::Group, groups));
            Ok(lost)
        };
        run().map_err(|error| self.0.failure(&error))
    }

    /// None if each row has the rows that belong to it: a value its key, a group the keys that it names, and a digest its value or
    /// group. Otherwise the keys of values that are lost; [`remove_loose`] removes such rows.
    ///
    /// [`remove_loose`]: super::remove_loose()
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn loose_keys(&self) -> Result<Option<Vec<Vec<u8>>>> {
        let run = || {
            let connection = &self.0.connection;
            let mut is_any = false;
            for rows in LOOSE {
                let exists = format!("SELECT EXISTS(SELECT 1 FROM {rows})");
                is_any |= connection.query_row(&exists, [], |row| row.get::<_, bool>(0))?;
            }
            if !is_any {
                return Ok(None);
            }
            let mut keys = connection.prepare(
                "SELECT DISTINCT keys.key FROM keys WHERE keyid IN (SELECT id >> 2 FROM value_digests \
                 LEFT JOIN vals ON vals.keyid = id >> 2 AND vals.type = id & 3 WHERE id <> 0 AND vals.keyid IS NULL)",
            )?;
            let keys = keys.query_map([], |row| row.get(0))?;
            keys.collect::<Result<Vec<_>, _>>().map(Some)
        };
        run().map_err(|error| self.0.failure(&error))
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
        let count = |sql: &str| self.0.connection.query_row(sql, [], |row| row.get(0));
        let values = count(
            "SELECT count(*) FROM vals WHERE NOT EXISTS \
             (SELECT 1 FROM value_digests WHERE id = vals.keyid * 4 + vals.type)",
        );
        let groups = count(
            "SELECT count(*) FROM groupkeys WHERE keyid NOT IN (SELECT groupkeyid FROM group_digests)",
        );
        let counts = values.and_then(|values| Ok([values, groups?]));
        counts.map_err(|error| self.0.failure(&error))
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
            count => Err(self
                .0
                .corrupt(&format!("{count} values or groups are lost"))),
        }
    }

    /// The faults that SQLite's own check finds in the file's structure; it does not know the digests.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn check_structure(&self) -> Result<Vec<String>> {
        let run = || {
            let mut check = self.0.connection.prepare("PRAGMA integrity_check")?;
            let mut found: Vec<String> = check
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            let mut check = self.0.connection.prepare("PRAGMA foreign_key_check")?;
            let mut rows = check.query([])?;
            while let Some(row) = rows.next()? {
                found.push(format!(
                    "a row of {} refers to none of {}",
                    row.get::<_, String>(0)?,
                    row.get::<_, String>(2)?
                ));
            }
            found.retain(|line| line != "ok");
            Ok(found)
        };
        run().map_err(|error: rusqlite::Error| self.0.failure(&error))
    }
}
