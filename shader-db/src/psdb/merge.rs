//! Merging files into a new one in the canonical form, reading each in one pass.

use std::path::{Path, PathBuf};
use std::{fmt, fs};

use compatibility::{Verdict, compiler_of_both, verdict};
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};

use super::create::{is_without_bytes, place};
use super::metadata::Metadata;
use super::part::{Part, Rows};
use super::schema::ELSEWHERE;
use super::source::Source;
use super::{ValueType, digest, lookup};
use crate::{Error, Result, short_hex, sqlite};

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

/// The conflicts of a merge.
#[derive(Default)]
struct Conflicts {
    first: Vec<Conflict>,
    count: u64,
}

impl Conflicts {
    /// Adds the conflict of a key if the files do not all have the same content under it.
    fn add(
        &mut self,
        kind: Option<ValueType>,
        key: &[u8],
        first: Option<&Source>,
        others: &[&Source],
    ) {
        if others.is_empty() {
            return;
        }
        self.count += 1;
        if self.first.len() < TOLD {
            let files = first.into_iter().chain(others.iter().copied());
            self.first.push(Conflict {
                kind,
                key: key.to_vec(),
                files: files.map(|source| source.path.clone()).collect(),
            });
        }
    }

    fn check(self) -> Result<()> {
        let Self { first, count } = self;
        if count == 0 {
            Ok(())
        } else {
            Err(Error::Conflicts { first, count })
        }
    }
}

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
/// ```
/// use shader_db::psdb::{self, Application, Options, Psdb, Target, ValueType, ValueTypes};
///
/// # fn main() -> shader_db::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let options = Options {
/// #     target: Some(Target { family: "GPU".into(), abi: 1, compiler_version: 7, profile_version: 0 }),
/// #     application: Some(Application {
/// #         exe: "game.exe".into(),
/// #         name: "Game".into(),
/// #         version: 1,
/// #         engine_name: None,
/// #         engine_version: 0,
/// #     }),
/// #     ..Options::default()
/// # };
/// let shards = [0_u8, 1, 2].map(|shard| folder.path().join(format!("{shard}.psdb")));
/// for (shard, path) in (0_u8..).zip(&shards) {
///     let psdb = Psdb::open(&[(ValueTypes::ALL, path)], &options)?;
///     psdb.store_value(b"shared", &[(ValueType::ObjectCode, b"the same in all")])?;
///     psdb.store_group(&[shard], 1, &[b"shared"])?;
///     psdb.close()?;
/// }
/// let merged = psdb::merge(&shards, &folder.path().join("game.psdb"), &mut |_| {})?;
/// assert_eq!((merged.values, merged.repeated, merged.groups), (1, 2, 3));
/// # Ok(())
/// # }
/// ```
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
    if sqlite::has_no_folder(output) {
        return Err(Error::NotFound {
            path: output.to_owned(),
        });
    }
    let inputs: Vec<Source> = inputs
        .iter()
        .map(|path| Source::open(path.as_ref()))
        .collect::<Result<_>>()?;
    let Some((first, others)) = inputs.split_first() else {
        return Err(Error::InvalidArgument("a merge needs a file".into()));
    };
    let metadata = merged_metadata(first, others)?;
    let part = Part::of_new(output)?;
    let merged = write(&inputs, &metadata, &part, progress)?;
    // Another program may have made the output meanwhile.
    if !place(&part.file, output)? {
        return Err(exists());
    }
    sqlite::sync_directory(output).map(|()| merged)
}

/// Writes the content of the sources, which are of one target and application, to a new file in the canonical form.
pub fn write(
    sources: &[Source],
    metadata: &Metadata,
    part: &Part,
    progress: &mut dyn FnMut(u64),
) -> Result<Merged> {
    part.write(metadata, |to| {
        let mut merged = Merged::default();
        let mut conflicts = Conflicts::default();
        merge_values(sources, to, &mut merged, &mut conflicts, progress)?;
        merge_groups(sources, to, &mut merged, &mut conflicts)?;
        conflicts.check().map(|()| merged)
    })
}

/// The metadata of the merged file.
fn merged_metadata(first: &Source, others: &[Source]) -> Result<Metadata> {
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
        let compiler = &mut merged.target.compiler_version;
        *compiler = compiler_of_both(*compiler, other.metadata.target.compiler_version);
    }
    Ok(merged)
}

fn prepare<'a>(source: &'a Source, sql: &str) -> Result<Statement<'a>> {
    let statement = source.connection.prepare(sql);
    statement.map_err(|error| source.failure(&error))
}

fn check(source: &Source, stored: Option<&[u8]>, computed: u128) -> Result<()> {
    match stored {
        Some(stored) if *stored != computed.to_be_bytes() => {
            Err(source.corrupt("a digest does not match"))
        }
        _ => Ok(()),
    }
}

/// Checks that an index led to every row of the table: of a damaged file the copy would silently have fewer.
fn check_found(source: &Source, table: &str, found: u64) -> Result<()> {
    let count = format!("SELECT count(*) FROM {table} NOT INDEXED");
    let count = source.connection.query_row(&count, [], |row| row.get(0));
    let count: i64 = count.map_err(|error| source.failure(&error))?;
    if u64::try_from(count) == Ok(found) {
        Ok(())
    } else {
        let reason = format!("{found} of {count} rows of {table} are found through its index");
        Err(source.corrupt(&reason))
    }
}

/// A digest without its value or group shows that the file has lost it; a copy would not have that digest. `of_found` is how many
/// of the values or groups that the cursor found have a digest.
fn check_digests(source: &Source, table: &str, of_found: u64) -> Result<()> {
    if !source.metadata.verified {
        return Ok(());
    }
    let count = format!("SELECT count(*) FROM {table}");
    let count = source.connection.query_row(&count, [], |row| row.get(0));
    let count: i64 = count.map_err(|error| source.failure(&error))?;
    if u64::try_from(count) == Ok(of_found) {
        Ok(())
    } else {
        let reason =
            format!("{table} has {count} rows, and {of_found} of them are of what is there");
        Err(source.corrupt(&reason))
    }
}

/// The rows of one source, sorted by key; column 0 is the key.
struct Cursor<'a> {
    source: &'a Source,
    rows: rusqlite::Rows<'a>,
    /// How many keys, and how many of their values or members, the cursor has found.
    found: [u64; 2],
    /// How many digests.
    digests: u64,
}

impl<'a> Cursor<'a> {
    fn new(source: &'a Source, statement: &'a mut Statement<'_>) -> Result<Self> {
        let rows = statement.query([]);
        let rows = rows.map_err(|error| source.failure(&error))?;
        let mut cursor = Self {
            source,
            rows,
            found: [0; 2],
            digests: 0,
        };
        cursor.advance()?;
        Ok(cursor)
    }

    fn advance(&mut self) -> Result<()> {
        let advanced = self.rows.advance();
        advanced.map_err(|error| self.source.failure(&error))
    }

    fn column<'r, T>(
        &self,
        row: &'r Row<'_>,
        at: usize,
        read: impl FnOnce(ValueRef<'r>) -> rusqlite::types::FromSqlResult<T>,
    ) -> Result<T> {
        let read = row.get_ref(at).and_then(|value| Ok(read(value)?));
        read.map_err(|error| self.source.failure(&error))
    }

    fn key(&self) -> Result<Option<&[u8]>> {
        let row = self.rows.get();
        row.map(|row| self.column(row, 0, |key| key.as_blob()))
            .transpose()
    }

    /// The row, if this is its key.
    fn row_of(&self, key: &[u8]) -> Result<Option<&Row<'a>>> {
        let is_of = self.key()? == Some(key);
        Ok(self.rows.get().filter(|_| is_of))
    }
}

/// Puts the lowest key of all cursors into `key`; false if all are at their ends.
fn lowest(cursors: &[Cursor], key: &mut Vec<u8>) -> Result<bool> {
    let mut lowest: Option<&[u8]> = None;
    for cursor in cursors {
        if let Some(key) = cursor.key()?
            && lowest.is_none_or(|lowest| key < lowest)
        {
            lowest = Some(key);
        }
    }
    key.clear();
    key.extend_from_slice(lowest.unwrap_or_default());
    Ok(lowest.is_some())
}

/// A value of a key in one source.
struct Value<'a> {
    place: usize,
    source: &'a Source,
    bytes: &'a [u8],
    digest: Option<&'a [u8]>,
}

impl<'a> Value<'a> {
    fn of(
        cursor: &'a Cursor<'_>,
        place: usize,
        key: &[u8],
        kind: ValueType,
    ) -> Result<Option<Self>> {
        let Some(row) = cursor.row_of(key)? else {
            return Ok(None);
        };
        if cursor.column(row, 2, |number| number.as_i64_or_null())? != Some(kind as i64) {
            return Ok(None);
        }
        Ok(Some(Self {
            place,
            source: cursor.source,
            bytes: cursor.column(row, 3, |value| value.as_blob())?,
            digest: cursor.column(row, 4, |digest| digest.as_blob_or_null())?,
        }))
    }

    /// Verifies the value, and returns its digest.
    fn check(&self, key: &[u8], kind: ValueType) -> Result<u128> {
        let digest = digest::value(key, kind as u8, self.bytes);
        check(self.source, self.digest, digest).map(|()| digest)
    }
}

/// The value that the output gets: the first object code, as all must be equal; of other types, which can differ for equal object
/// code, that of the newest compiler, and of those the one that sorts first.
fn chosen<'v, 'a>(values: &'v [Value<'a>], kind: ValueType) -> Option<&'v Value<'a>> {
    if kind == ValueType::ObjectCode {
        return values.first();
    }
    let age = |value: &Value| std::cmp::Reverse(value.source.metadata.target.compiler_version);
    values
        .iter()
        .min_by(|one, other| (age(one), one.bytes).cmp(&(age(other), other.bytes)))
}

fn merge_values(
    sources: &[Source],
    to: &mut Rows,
    merged: &mut Merged,
    conflicts: &mut Conflicts,
    progress: &mut dyn FnMut(u64),
) -> Result<()> {
    let mut statements: Vec<Statement> = sources
        .iter()
        .map(|source| {
            prepare(
                source,
                "SELECT keys.key, keys.last_accessed, vals.type, vals.value, value_digests.digest FROM keys \
                 LEFT JOIN vals ON vals.keyid = keys.keyid \
                 LEFT JOIN value_digests ON value_digests.id = vals.keyid * 4 + vals.type \
                 ORDER BY keys.key, vals.type",
            )
        })
        .collect::<Result<_>>()?;
    let mut cursors: Vec<Cursor> = sources
        .iter()
        .zip(&mut statements)
        .map(|(source, statement)| Cursor::new(source, statement))
        .collect::<Result<_>>()?;
    let mut key = Vec::new();
    let mut here = Vec::new();
    while lowest(&cursors, &mut key)? {
        here.clear();
        let (mut accessed, mut has_values) = (i64::MIN, false);
        for (place, cursor) in cursors.iter().enumerate() {
            if let Some(row) = cursor.row_of(&key)? {
                here.push(place);
                accessed = accessed.max(cursor.column(row, 1, |number| number.as_i64())?);
                has_values |= cursor
                    .column(row, 2, |number| number.as_i64_or_null())?
                    .is_some();
            }
        }
        if has_values && accessed == ELSEWHERE {
            accessed = 0;
        }
        for &place in &here {
            cursors[place].found[0] += 1;
        }
        to.key(&key, accessed)?;
        for kind in ValueType::ALL {
            let mut values = Vec::new();
            for &place in &here {
                if let Some(value) = Value::of(&cursors[place], place, &key, kind)? {
                    progress(value.bytes.len() as u64);
                    values.push(value);
                }
            }
            let Some(chosen) = chosen(&values, kind) else {
                continue;
            };
            to.value(kind, chosen.bytes, chosen.check(&key, kind)?)?;
            merged.values += 1;
            merged.bytes += chosen.bytes.len() as u64;
            let mut others = Vec::new();
            for value in &values {
                if value.place == chosen.place {
                    continue;
                }
                // The chosen one is verified.
                if value.bytes == chosen.bytes {
                    merged.repeated += 1;
                    continue;
                }
                value.check(&key, kind)?;
                if kind == ValueType::ObjectCode {
                    others.push(value.source);
                } else {
                    merged.older[kind as usize] += 1;
                }
            }
            conflicts.add(Some(kind), &key, Some(chosen.source), &others);
            let values = values
                .iter()
                .map(|value| (value.place, value.digest.is_some()));
            for (place, has_digest) in values.collect::<Vec<_>>() {
                cursors[place].found[1] += 1;
                cursors[place].digests += u64::from(has_digest);
                cursors[place].advance()?;
            }
        }
        for &place in &here {
            let cursor = &mut cursors[place];
            if let Some(row) = cursor.row_of(&key)? {
                // A key without values has one row.
                if let Some(kind) = cursor.column(row, 2, |number| number.as_i64_or_null())? {
                    let reason = format!("a value of type {kind}, which is unknown or there twice");
                    return Err(cursor.source.corrupt(&reason));
                }
                cursor.advance()?;
            }
        }
    }
    for cursor in &cursors {
        let Cursor { source, found, .. } = cursor;
        check_found(source, "keys", found[0])?;
        check_found(source, "vals", found[1])?;
        // The digest of the metadata belongs to no value.
        check_digests(source, "value_digests", cursor.digests + 1)?;
    }
    Ok(())
}

fn merge_groups(
    sources: &[Source],
    to: &mut Rows,
    merged: &mut Merged,
    conflicts: &mut Conflicts,
) -> Result<()> {
    // One statement for all groups: its cursors keep the upper pages of the trees. A group's rows come sorted by the numbers
    // of the value keys.
    let mut statements: Vec<Statement> = sources
        .iter()
        .map(|source| {
            prepare(
                source,
                "SELECT groupkeys.key, groupkeys.version, group_digests.digest, groups.rowid, keys.key FROM groupkeys \
                 LEFT JOIN group_digests ON group_digests.groupkeyid = groupkeys.keyid \
                 LEFT JOIN groups ON groups.groupkeyid = groupkeys.keyid \
                 LEFT JOIN keys ON keys.keyid = groups.valuekeyid ORDER BY groupkeys.key",
            )
        })
        .collect::<Result<_>>()?;
    let mut cursors: Vec<Cursor> = sources
        .iter()
        .zip(&mut statements)
        .map(|(source, statement)| Cursor::new(source, statement))
        .collect::<Result<_>>()?;
    let (mut key, mut others) = (Vec::new(), Vec::new());
    while lowest(&cursors, &mut key)? {
        others.clear();
        let mut chosen: Option<(&Source, u32, Vec<u8>)> = None;
        for cursor in &mut cursors {
            let Some((version, list)) = take_group(cursor, &key)? else {
                continue;
            };
            match &mut chosen {
                None => chosen = Some((cursor.source, version, list)),
                Some((_, other, its)) if *other == version && is_same_set(its, &list) => {
                    if list < *its {
                        *its = list;
                    }
                }
                Some(_) => others.push(cursor.source),
            }
        }
        let (first, version, list) = chosen.expect("the lowest key is that of a cursor");
        conflicts.add(None, &key, Some(first), &others);
        to.group(&key, version, &list, digest::group(&key, version, &list))?;
        merged.groups += 1;
    }
    for cursor in &cursors {
        let Cursor { source, found, .. } = cursor;
        check_found(source, "groupkeys", found[0])?;
        check_found(source, "groups", found[1])?;
        check_digests(source, "group_digests", cursor.digests)?;
    }
    Ok(())
}

/// Reads all rows of a group, if the cursor is at it: its version, and its value keys as [`digest::push_key`] makes a
/// list of them.
fn take_group(cursor: &mut Cursor, key: &[u8]) -> Result<Option<(u32, Vec<u8>)>> {
    let source = cursor.source;
    let Some(row) = cursor.row_of(key)? else {
        return Ok(None);
    };
    let version = lookup::version_of(cursor.column(row, 1, |number| number.as_i64())?);
    let version = version.ok_or_else(|| source.corrupt("a group's version is out of range"))?;
    let stored = cursor.column(row, 2, |digest| digest.as_blob_or_null())?;
    let stored = stored.map(<[u8]>::to_vec);
    let mut members: Vec<(i64, Vec<u8>)> = Vec::new();
    while let Some(row) = cursor.row_of(key)? {
        // A group without keys has one row.
        if let Some(place) = cursor.column(row, 3, |number| number.as_i64_or_null())? {
            let member = cursor.column(row, 4, |key| key.as_blob_or_null())?;
            let member =
                member.ok_or_else(|| source.corrupt("a group names a key that is missing"))?;
            members.push((place, member.to_vec()));
        }
        cursor.advance()?;
    }
    cursor.found[0] += 1;
    cursor.found[1] += members.len() as u64;
    cursor.digests += u64::from(stored.is_some());
    members.sort_unstable();
    let mut list = Vec::new();
    for (_, member) in &members {
        digest::push_key(&mut list, member);
    }
    check(
        source,
        stored.as_deref(),
        digest::group(key, version, &list),
    )?;
    Ok(Some((version, list)))
}

fn is_same_set(a: &[u8], b: &[u8]) -> bool {
    let sorted = |list| {
        let mut keys: Vec<&[u8]> = digest::keys_of(list).collect();
        keys.sort_unstable();
        keys
    };
    a == b || sorted(a) == sorted(b)
}
