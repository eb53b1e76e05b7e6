//! Merging files into a new one in the canonical form, in one pass over each.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Rows, Statement, params};

use super::{ValueType, digest, read, rewrite, schema};
use crate::{Error, Result, sqlite};

/// What a merge wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Values.
    pub values: u64,
    /// Values that were found again in another input.
    pub repeated: u64,
    /// Bytes of the values.
    pub bytes: u64,
    /// Groups.
    pub groups: u64,
}

/// Merges PSDBs into a new file in the canonical form: the same bytes whatever the order of the inputs, and the same as
/// those of a file that got everything in one session. The inputs stay as they are. `progress` gets the number of bytes
/// of each value that was read.
///
/// Two lists of a group that differ only in order are the same group; the file gets the one that sorts first.
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
/// [`Error::InvalidArgument`]: there are no inputs; they are for different targets or applications; a key has different
/// values of one type, or a group another version or other value keys, in two of them, which the text names; `output`
/// exists. [`Error::Corrupt`]: a digest does not match. Those of opening, reading and writing a file. There is no
/// `output` then.
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
    if fs::symlink_metadata(output).is_ok() {
        return Err(exists());
    }
    let inputs: Vec<Input> = inputs
        .iter()
        .map(|path| Input::open(path.as_ref()))
        .collect::<Result<_>>()?;
    let Some((first, others)) = inputs.split_first() else {
        return Err(Error::InvalidArgument("a merge needs a file".into()));
    };
    for other in others {
        first.check_same_metadata(other)?;
    }
    let part = rewrite::Part(schema::beside(output, ".part"));
    let mut merged = Merged::default();
    rewrite::write_part(&part.0, |to| {
        let on_part = |error| Error::sqlite(&part.0, &error);
        let meta = &first.opened.metadata;
        schema::write(to, &meta.target, &meta.application).map_err(on_part)?;
        merge_values(&inputs, to, &part.0, &mut merged, progress)?;
        merge_groups(&inputs, to, &part.0, &mut merged)
    })?;
    // A link takes no other file's name.
    match fs::hard_link(&part.0, output) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(exists()),
        // The file system has no links.
        Err(_) => fs::rename(&part.0, output).map_err(|error| Error::io(output, &error))?,
        Ok(()) => {}
    }
    sqlite::sync_directory(output).map(|()| merged)
}

struct Input {
    path: PathBuf,
    opened: schema::Opened,
}

impl Input {
    fn open(path: &Path) -> Result<Self> {
        let opened = schema::open(path, false)?;
        let begun = opened.connection.execute_batch(
            "PRAGMA mmap_size=0x7fff0000; PRAGMA cache_size=-2048; BEGIN; SELECT 1 FROM compiler_id;",
        );
        begun.map_err(|error| Error::sqlite(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            opened,
        })
    }

    fn check_same_metadata(&self, other: &Self) -> Result<()> {
        let (mine, its) = (&self.opened.metadata, &other.opened.metadata);
        let what = if mine.application != its.application {
            "application"
        } else if mine.target.family != its.target.family {
            "adapter family"
        } else if mine.target.abi != its.target.abi {
            "ABI version"
        } else if mine.target.compiler_version != its.target.compiler_version {
            "compiler version"
        } else if mine.target.profile_version != its.target.profile_version {
            "application profile version"
        } else {
            return Ok(());
        };
        Err(Error::InvalidArgument(format!(
            "{} and {} cannot be merged: the {what} differs",
            self.path.display(),
            other.path.display()
        )))
    }

    fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        let statement = self.opened.connection.prepare(sql);
        statement.map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &rusqlite::Error) -> Error {
        Error::sqlite(&self.path, error)
    }

    fn corrupt(&self, reason: &str) -> Error {
        Error::Corrupt {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }

    fn check(&self, stored: Option<&[u8]>, computed: impl FnOnce() -> u128) -> Result<()> {
        match stored {
            _ if !self.opened.metadata.verified => Ok(()),
            Some(stored) if *stored == computed().to_be_bytes() => Ok(()),
            Some(_) => Err(self.corrupt("a digest does not match")),
            None => Err(self.corrupt("a digest is missing")),
        }
    }

    fn conflict(&self, other: &Self, what: &str) -> Error {
        Error::InvalidArgument(format!(
            "{what} differ in {} and {}: the plugin does not make the same of the same, or the files are of different \
             versions of it",
            self.path.display(),
            other.path.display()
        ))
    }
}

/// The rows of one input, by keys; column 0 is the key.
struct Cursor<'a> {
    input: &'a Input,
    rows: Rows<'a>,
}

impl<'a> Cursor<'a> {
    fn new(input: &'a Input, statement: &'a mut Statement<'_>) -> Result<Self> {
        let rows = statement.query([]);
        let rows = rows.map_err(|error| input.failure(&error))?;
        let mut cursor = Self { input, rows };
        cursor.advance()?;
        Ok(cursor)
    }

    fn advance(&mut self) -> Result<()> {
        let advanced = self.rows.advance();
        advanced.map_err(|error| self.input.failure(&error))
    }

    fn column<'r, T>(
        &self,
        row: &'r Row<'_>,
        at: usize,
        read: impl FnOnce(ValueRef<'r>) -> rusqlite::types::FromSqlResult<T>,
    ) -> Result<T> {
        let read = row.get_ref(at).and_then(|value| Ok(read(value)?));
        read.map_err(|error| self.input.failure(&error))
    }

    fn key(&self) -> Result<Option<&[u8]>> {
        let row = self.rows.get();
        row.map(|row| self.column(row, 0, |key| key.as_blob()))
            .transpose()
    }

    /// The row, if it is one of the key.
    fn row_of(&self, key: &[u8]) -> Result<Option<&Row<'a>>> {
        let is_of = self.key()? == Some(key);
        Ok(self.rows.get().filter(|_| is_of))
    }
}

/// Puts the lowest key of all into `key`; false if all are at their ends.
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

fn merge_values(
    inputs: &[Input],
    to: &Connection,
    part: &Path,
    merged: &mut Merged,
    progress: &mut dyn FnMut(u64),
) -> Result<()> {
    let written = |error| Error::sqlite(part, &error);
    let mut statements: Vec<Statement> = inputs
        .iter()
        .map(|input| {
            input.prepare(
                "SELECT keys.key, keys.last_accessed, vals.type, vals.value, value_digests.digest FROM keys \
                 LEFT JOIN vals ON vals.keyid = keys.keyid \
                 LEFT JOIN value_digests ON value_digests.id = vals.keyid * 4 + vals.type \
                 ORDER BY keys.key, vals.type",
            )
        })
        .collect::<Result<_>>()?;
    let mut cursors: Vec<Cursor> = inputs
        .iter()
        .zip(&mut statements)
        .map(|(input, statement)| Cursor::new(input, statement))
        .collect::<Result<_>>()?;
    let mut add_key = to
        .prepare("INSERT INTO keys(keyid, key, last_accessed) VALUES(?1, ?2, ?3)")
        .map_err(written)?;
    let mut add_value = to
        .prepare("INSERT INTO vals(keyid, type, value) VALUES(?1, ?2, ?3)")
        .map_err(written)?;
    let mut add_digest = to
        .prepare("INSERT INTO value_digests(id, digest) VALUES(?1, ?2)")
        .map_err(written)?;
    let mut key = Vec::new();
    let mut next = 0_i64;
    while lowest(&cursors, &mut key)? {
        next += 1;
        let mut here = Vec::new();
        let mut accessed = i64::MIN;
        for (place, cursor) in cursors.iter().enumerate() {
            if let Some(row) = cursor.row_of(&key)? {
                here.push(place);
                accessed = accessed.max(cursor.column(row, 1, |number| number.as_i64())?);
            }
        }
        add_key
            .execute(params![next, key, accessed])
            .map_err(written)?;
        for kind in ValueType::ALL {
            let mut first: Option<(&Cursor, &[u8])> = None;
            let mut of_kind = Vec::new();
            for &place in &here {
                let cursor = &cursors[place];
                let Some(row) = cursor.row_of(&key)? else {
                    continue;
                };
                if cursor.column(row, 2, |number| number.as_i64_or_null())? != Some(kind as i64) {
                    continue;
                }
                of_kind.push(place);
                let value = cursor.column(row, 3, |value| value.as_blob())?;
                let stored = cursor.column(row, 4, |digest| digest.as_blob_or_null())?;
                progress(value.len() as u64);
                let digest = || digest::value(&key, kind as u8, value);
                match first {
                    None => {
                        let digest = digest();
                        cursor.input.check(stored, || digest)?;
                        add_value
                            .execute(params![next, kind as u8, value])
                            .map_err(written)?;
                        let id = next * 4 + i64::from(kind as u8);
                        add_digest
                            .execute(params![id, &digest.to_be_bytes()[..]])
                            .map_err(written)?;
                        merged.values += 1;
                        merged.bytes += value.len() as u64;
                        first = Some((cursor, value));
                    }
                    // The first was verified.
                    Some((_, first)) if first == value => merged.repeated += 1,
                    Some((first, _)) => {
                        cursor.input.check(stored, digest)?;
                        let what = format!("the {kind:?} values of key {}", hex(&key));
                        return Err(first.input.conflict(cursor.input, &what));
                    }
                }
            }
            for place in of_kind {
                cursors[place].advance()?;
            }
        }
        for place in here {
            let cursor = &mut cursors[place];
            if let Some(row) = cursor.row_of(&key)? {
                // A key without values has one row.
                if let Some(kind) = cursor.column(row, 2, |number| number.as_i64_or_null())? {
                    let reason = format!("a value of type {kind}, which is unknown or there twice");
                    return Err(cursor.input.corrupt(&reason));
                }
                cursor.advance()?;
            }
        }
    }
    Ok(())
}

fn merge_groups(inputs: &[Input], to: &Connection, part: &Path, merged: &mut Merged) -> Result<()> {
    let written = |error| Error::sqlite(part, &error);
    let mut statements: Vec<Statement> = inputs
        .iter()
        .map(|input| {
            input.prepare(
                "SELECT key, keyid, version, digest FROM groupkeys \
                 LEFT JOIN group_digests ON group_digests.groupkeyid = groupkeys.keyid ORDER BY key",
            )
        })
        .collect::<Result<_>>()?;
    let mut cursors: Vec<Cursor> = inputs
        .iter()
        .zip(&mut statements)
        .map(|(input, statement)| Cursor::new(input, statement))
        .collect::<Result<_>>()?;
    let mut members: Vec<Statement> = inputs
        .iter()
        .map(|input| {
            input.prepare(
                "SELECT keys.key FROM groups LEFT JOIN keys ON keys.keyid = groups.valuekeyid \
                 WHERE groups.groupkeyid = ?1 ORDER BY groups.rowid",
            )
        })
        .collect::<Result<_>>()?;
    let mut find_key = to
        .prepare("SELECT keyid FROM keys WHERE key = ?1")
        .map_err(written)?;
    let mut add_group = to
        .prepare("INSERT INTO groupkeys(keyid, key, version) VALUES(?1, ?2, ?3)")
        .map_err(written)?;
    let mut add_member = to
        .prepare("INSERT INTO groups(groupkeyid, valuekeyid) VALUES(?1, ?2)")
        .map_err(written)?;
    let mut add_digest = to
        .prepare("INSERT INTO group_digests(groupkeyid, digest) VALUES(?1, ?2)")
        .map_err(written)?;
    let mut key = Vec::new();
    let mut next = 0_i64;
    while lowest(&cursors, &mut key)? {
        next += 1;
        let mut chosen: Option<(&Input, u32, Vec<u8>)> = None;
        for (cursor, members) in cursors.iter_mut().zip(&mut members) {
            let Some(row) = cursor.row_of(&key)? else {
                continue;
            };
            let input = cursor.input;
            let id = cursor.column(row, 1, |number| number.as_i64())?;
            let version = read::version_of(cursor.column(row, 2, |number| number.as_i64())?);
            let version =
                version.ok_or_else(|| input.corrupt("a group's version is out of range"))?;
            let list = list_of(input, members, id)?;
            let stored = cursor.column(row, 3, |digest| digest.as_blob_or_null())?;
            input.check(stored, || digest::group(&key, version, &list))?;
            match &mut chosen {
                None => chosen = Some((input, version, list)),
                Some((_, other, its)) if *other == version && is_same_set(its, &list) => {
                    if list < *its {
                        *its = list;
                    }
                }
                Some((other, _, _)) => {
                    let what = format!("the versions or value keys of group {}", hex(&key));
                    return Err(other.conflict(input, &what));
                }
            }
            cursor.advance()?;
        }
        let (_, version, list) = chosen.expect("the lowest key is that of a cursor");
        add_group
            .execute(params![next, key, version])
            .map_err(written)?;
        for member in digest::keys_of(&list) {
            let id: i64 = find_key
                .query_row([member], |row| row.get(0))
                .map_err(written)?;
            add_member.execute(params![next, id]).map_err(written)?;
        }
        let digest = digest::group(&key, version, &list);
        add_digest
            .execute(params![next, &digest.to_be_bytes()[..]])
            .map_err(written)?;
        merged.groups += 1;
    }
    Ok(())
}

/// The value keys of a group, as [`digest::push_key`] makes a list of them.
fn list_of(input: &Input, members: &mut Statement, group: i64) -> Result<Vec<u8>> {
    let mut list = Vec::new();
    let mut read = || {
        let mut rows = members.query([group])?;
        while let Some(row) = rows.next()? {
            match row.get_ref(0)?.as_blob_or_null()? {
                Some(key) => digest::push_key(&mut list, key),
                None => return Ok(false),
            }
        }
        Ok(true)
    };
    if read().map_err(|error| input.failure(&error))? {
        Ok(list)
    } else {
        Err(input.corrupt("a group names a key that is missing"))
    }
}

fn is_same_set(a: &[u8], b: &[u8]) -> bool {
    let sorted = |list| {
        let mut keys: Vec<&[u8]> = digest::keys_of(list).collect();
        keys.sort_unstable();
        keys
    };
    a == b || sorted(a) == sorted(b)
}

/// A key as messages show it.
fn hex(key: &[u8]) -> String {
    use std::fmt::Write as _;
    key.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}
