//! Adding a batch to the tables of a file.

use std::collections::HashMap;

use rusqlite::types::ValueRef::{self, Blob, Integer};
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::batch::{Content, Item};
use super::file_writer::Share;
use super::insert::{Insert, MEMBERS};
use super::schema::ELSEWHERE;
use super::{ValueType, digest};

/// The result of adding items to a file.
#[derive(Debug, PartialEq)]
pub struct Added {
    /// For each item, whether this file takes it and did not have its key.
    pub are_new: Vec<bool>,
    /// The index of each item of which the file had a value already, with its type, or the group.
    pub had: Vec<(usize, Option<ValueType>)>,
}

/// The statements of a batch.
pub struct Tables<'a> {
    keys: Keys<'a, 1>,
    insert_value: CachedStatement<'a>,
    value_digests: Digests<'a>,
    groups: Keys<'a, 2>,
    insert_members: Insert<'a, 2>,
    group_digests: Digests<'a>,
    connection: &'a Connection,
    /// The ids of the keys in the batch.
    ids: HashMap<&'a [u8], i64>,
}

impl<'a> Tables<'a> {
    pub fn new(connection: &'a Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            keys: Keys::new(connection, "keys", "key")?,
            insert_value: connection.prepare_cached(
                "INSERT INTO vals(rowid, keyid, type, value) VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )?,
            value_digests: Digests::new(connection, "value_digests(id, digest)"),
            groups: Keys::new(connection, "groupkeys", "key, version")?,
            insert_members: Insert::new(
                connection,
                "INSERT OR IGNORE INTO groups(groupkeyid, valuekeyid)",
            ),
            group_digests: Digests::new(connection, "group_digests(groupkeyid, digest)"),
            connection,
            ids: HashMap::new(),
        })
    }

    /// Adds items, which come sorted by key, and keeps what the file has.
    pub fn add(
        &mut self,
        items: &[&'a Item],
        share: Share,
        verified: bool,
    ) -> rusqlite::Result<Added> {
        let mut added = Added {
            are_new: vec![false; items.len()],
            had: Vec::new(),
        };
        self.add_values(items, share, verified, &mut added)?;
        self.add_groups(items, verified, &mut added)?;
        Ok(added)
    }

    fn key_id(&mut self, key: &'a [u8]) -> rusqlite::Result<i64> {
        if let Some(id) = self.ids.get(key) {
            return Ok(*id);
        }
        let id = match self.keys.find(key)? {
            Some(id) => id,
            None => self.keys.add(&[[Blob(key)]])?[0],
        };
        self.ids.insert(key, id);
        Ok(id)
    }

    fn add_values(
        &mut self,
        items: &[&'a Item],
        share: Share,
        verified: bool,
        added: &mut Added,
    ) -> rusqlite::Result<()> {
        let is_of_file = |item: &Item| match item.content {
            Content::Values(_) if share.is_main => true,
            Content::Values(_) => share.types.iter().any(|kind| item.value(kind).is_some()),
            Content::Group { .. } => false,
        };
        let items = items.iter().copied().enumerate();
        let items: Vec<(usize, &Item)> = items.filter(|(_, item)| is_of_file(item)).collect();
        let mut keys: Vec<&[u8]> = items.iter().map(|(_, item)| item.key()).collect();
        keys.dedup();
        let rows: Vec<_> = keys.iter().map(|key| [Blob(key)]).collect();
        let before = self.keys.last;
        for (key, id) in keys.into_iter().zip(self.keys.add(&rows)?) {
            self.ids.insert(key, id);
        }
        let mut last = last_row(self.connection, "vals")?;
        let (mut digests, mut elsewhere) = (Vec::new(), Vec::new());
        for (position, item) in items {
            let key = self.key_id(item.key())?;
            added.are_new[position] = key > before;
            if share.types.iter().all(|kind| item.value(kind).is_none()) {
                elsewhere.push(key);
            }
            for kind in share.types.iter() {
                let Some((value, digest)) = item.value(kind) else {
                    continue;
                };
                // SQLite has no larger number, so the file is damaged.
                let id = key.checked_mul(4).map(|id| id + kind as i64);
                let id = id.ok_or(rusqlite::Error::IntegralValueOutOfRange(0, key))?;
                // At the row where readers look first, but only if that appends a row.
                let row = (id > last).then_some(id);
                let inserted = self
                    .insert_value
                    .execute(params![row, key, kind as u8, value])?;
                if inserted == 1 {
                    last = self.connection.last_insert_rowid();
                    digests.push((id, digest.to_be_bytes()));
                } else {
                    added.had.push((position, Some(kind)));
                }
            }
        }
        // The keys of the main file whose values are all in other files.
        for key in elsewhere {
            let mark = format!(
                "UPDATE keys SET last_accessed = {ELSEWHERE} WHERE keyid = ?1 AND last_accessed = 0 \
                 AND NOT EXISTS (SELECT 1 FROM vals WHERE vals.keyid = ?1)"
            );
            self.connection.prepare_cached(&mark)?.execute([key])?;
        }
        if verified {
            self.value_digests.set(&digests)?;
        }
        Ok(())
    }

    fn add_groups(
        &mut self,
        items: &[&'a Item],
        verified: bool,
        added: &mut Added,
    ) -> rusqlite::Result<()> {
        let groups = items.iter().enumerate();
        let groups = groups.filter_map(|(position, &item)| match item.content {
            Content::Group { version, digest } => Some((position, item, version, digest)),
            Content::Values(_) => None,
        });
        let groups: Vec<(usize, &Item, u32, u128)> = groups.collect();
        let rows: Vec<_> = groups
            .iter()
            .map(|&(_, item, version, _)| [Blob(item.key()), Integer(version.into())])
            .collect();
        let before = self.groups.last;
        let ids = self.groups.add(&rows)?;
        let mut previous = None;
        let (mut members, mut digests) = (Vec::new(), Vec::new());
        for ((position, item, _, digest), id) in groups.into_iter().zip(ids) {
            // Repeats of a key are neighbours.
            let is_new = id > before && previous != Some(id);
            added.are_new[position] = is_new;
            previous = Some(id);
            if !is_new {
                added.had.push((position, None));
                continue;
            }
            for key in digest::keys_of(item.list()) {
                let key = self.key_id(key)?;
                members.push([Integer(id), Integer(key)]);
                if members.len() >= MEMBERS {
                    self.insert_members.insert(&members)?;
                    members.clear();
                }
            }
            digests.push((id, digest.to_be_bytes()));
        }
        self.insert_members.insert(&members)?;
        if verified {
            self.group_digests.set(&digests)?;
        }
        Ok(())
    }
}

/// A table of keys, each with a number. A row has the key in the first of `N` columns.
struct Keys<'a, const N: usize> {
    insert: Insert<'a, N>,
    find: CachedStatement<'a>,
    connection: &'a Connection,
    table: &'static str,
    /// The highest number.
    last: i64,
}

impl<'a, const N: usize> Keys<'a, N> {
    fn new(
        connection: &'a Connection,
        table: &'static str,
        columns: &str,
    ) -> rusqlite::Result<Self> {
        let find = format!("SELECT keyid FROM {table} WHERE key = ?1");
        Ok(Self {
            insert: Insert::new(
                connection,
                format!("INSERT OR IGNORE INTO {table}({columns})"),
            ),
            find: connection.prepare_cached(&find)?,
            connection,
            table,
            last: last_row(connection, table)?,
        })
    }

    fn find(&mut self, key: &[u8]) -> rusqlite::Result<Option<i64>> {
        self.find.query_row([key], |row| row.get(0)).optional()
    }

    /// Adds the rows whose keys are not there. Returns the numbers of all; new rows have numbers above the last.
    fn add(&mut self, rows: &[[ValueRef; N]]) -> rusqlite::Result<Vec<i64>> {
        let before = self.last;
        // Past the highest number SQLite would look for free ones below. No file has so many rows: it is damaged.
        let last = i64::try_from(rows.len()).ok();
        let last = last.and_then(|count| before.checked_add(count));
        let last = last.ok_or(rusqlite::Error::IntegralValueOutOfRange(0, before))?;
        if self.insert.insert(rows)? == rows.len() {
            self.last = last;
            return Ok((before..last).map(|id| id + 1).collect());
        }
        self.last = last_row(self.connection, self.table)?;
        let mut ids = Vec::with_capacity(rows.len());
        for row in rows {
            let id = self.find.query_row([row[0].as_blob()?], |row| row.get(0))?;
            // The index has a row that the table does not have.
            if id > self.last {
                return Err(rusqlite::Error::IntegralValueOutOfRange(0, id));
            }
            ids.push(id);
        }
        Ok(ids)
    }
}

fn last_row(connection: &Connection, table: &str) -> rusqlite::Result<i64> {
    let last = format!("SELECT ifnull(max(rowid), 0) FROM {table}");
    connection
        .prepare_cached(&last)?
        .query_row([], |row| row.get(0))
}

/// A table of digests.
struct Digests<'a> {
    insert: Insert<'a, 2>,
    connection: &'a Connection,
    table: &'static str,
}

impl<'a> Digests<'a> {
    fn new(connection: &'a Connection, table: &'static str) -> Self {
        Self {
            insert: Insert::new(connection, format!("INSERT OR IGNORE INTO {table}")),
            connection,
            table,
        }
    }

    /// Adds digests, and replaces those that are there.
    fn set(&self, digests: &[(i64, [u8; 16])]) -> rusqlite::Result<()> {
        let rows: Vec<_> = digests
            .iter()
            .map(|(id, digest)| [Integer(*id), Blob(digest)])
            .collect();
        if self.insert.insert(&rows)? < rows.len() {
            let replace = format!("INSERT OR REPLACE INTO {} VALUES(?1, ?2)", self.table);
            let mut replace = self.connection.prepare_cached(&replace)?;
            for (id, digest) in digests {
                replace.execute(params![id, &digest[..]])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::btree_map::Entry;
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::create::{self, example};
    use super::super::{ValueType, ValueTypes};
    use super::*;

    const ALL: Share = Share {
        types: ValueTypes::ALL,
        is_main: true,
        compiler: None,
    };

    fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        create::write(&connection, &example::target(), &example::application()).unwrap();
        connection
    }

    /// A key, and values of some types or the version and list of a group.
    #[derive(Clone, Debug)]
    enum Stored {
        Values(u8, Vec<(ValueType, u8)>),
        Group(u8, u32, Vec<u8>),
    }

    fn stored() -> impl Strategy<Value = Stored> {
        let types = proptest::sample::subsequence(ValueType::ALL.to_vec(), 1..=4);
        let values = (0_u8..40, types, any::<u8>()).prop_map(|(key, types, value)| {
            Stored::Values(key, types.into_iter().map(|kind| (kind, value)).collect())
        });
        let group = (0_u8..40, 1_u32..3, vec(0_u8..40, 0..5));
        prop_oneof![
            values,
            group.prop_map(|(key, version, list)| Stored::Group(key, version, list))
        ]
    }

    fn item(stored: &Stored) -> Item {
        match stored {
            Stored::Values(key, values) => {
                let values = values
                    .iter()
                    .map(|(kind, value)| (*kind, std::slice::from_ref(value)));
                let values: Vec<_> = values.collect();
                Item::values(&[*key], &values)
            }
            Stored::Group(key, version, list) => {
                let keys: Vec<&[u8]> = list.iter().map(std::slice::from_ref).collect();
                Item::group(&[*key], *version, &keys)
            }
        }
    }

    type Bytes = Vec<u8>;

    /// Values with their digests by key and type, groups with their digests, and all keys.
    #[derive(Debug, Default, PartialEq)]
    struct Content {
        values: BTreeMap<(Bytes, i64), (Bytes, Option<Bytes>)>,
        groups: BTreeMap<Bytes, (i64, Bytes, Option<Bytes>)>,
        keys: BTreeSet<Bytes>,
    }

    impl Content {
        /// Adds an item and returns whether it is new, given the value keys that were there before its batch, and what was there:
        /// the types of its values, or the group.
        fn add(
            &mut self,
            item: &Item,
            share: Share,
            verified: bool,
            before: &BTreeSet<Bytes>,
        ) -> (bool, Vec<Option<ValueType>>) {
            let digest_of = |digest: u128| verified.then(|| digest.to_be_bytes().to_vec());
            let key = item.key().to_vec();
            if let super::Content::Group { version, digest } = item.content {
                let is_new = !self.groups.contains_key(&key);
                if is_new {
                    let members = digest::keys_of(item.list()).map(<[u8]>::to_vec);
                    self.keys.extend(members);
                    let group = (version.into(), item.list().to_vec(), digest_of(digest));
                    self.groups.insert(key, group);
                    return (true, Vec::new());
                }
                return (false, vec![None]);
            }
            let mut had = Vec::new();
            let mut is_of_file = share.is_main;
            for kind in share.types.iter() {
                if let Some((value, digest)) = item.value(kind) {
                    is_of_file = true;
                    let value = (value.to_vec(), digest_of(digest));
                    match self.values.entry((key.clone(), kind as i64)) {
                        Entry::Vacant(place) => drop(place.insert(value)),
                        Entry::Occupied(_) => had.push(Some(kind)),
                    }
                }
            }
            if is_of_file {
                self.keys.insert(key.clone());
            }
            (is_of_file && !before.contains(&key), had)
        }

        fn read(connection: &Connection) -> Self {
            let mut content = Self::default();
            let mut keys = connection.prepare("SELECT key FROM keys").unwrap();
            let mut rows = keys.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                content.keys.insert(row.get(0).unwrap());
            }
            let values = "SELECT key, type, value, digest FROM vals JOIN keys USING (keyid) \
                          LEFT JOIN value_digests ON id = vals.keyid * 4 + type";
            let mut values = connection.prepare(values).unwrap();
            let mut rows = values.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let value = (row.get(2).unwrap(), row.get(3).unwrap());
                content
                    .values
                    .insert((row.get(0).unwrap(), row.get(1).unwrap()), value);
            }
            let groups = "SELECT groupkeys.key, version, digest, keys.key FROM groupkeys \
                          LEFT JOIN group_digests ON group_digests.groupkeyid = groupkeys.keyid \
                          LEFT JOIN groups ON groups.groupkeyid = groupkeys.keyid \
                          LEFT JOIN keys ON keys.keyid = valuekeyid ORDER BY groups.rowid";
            let mut groups = connection.prepare(groups).unwrap();
            let mut rows = groups.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let group = (row.get(1).unwrap(), Vec::new(), row.get(2).unwrap());
                let (_, list, _) = content.groups.entry(row.get(0).unwrap()).or_insert(group);
                if let Some(member) = row.get::<_, Option<Bytes>>(3).unwrap() {
                    digest::push_key(list, &member);
                }
            }
            content
        }
    }

    proptest! {
        #[test]
        fn the_first_of_a_key_stays(
            batches in vec(vec(stored(), 0..150), 1..4), all in any::<bool>(), is_main in any::<bool>(),
            verified in any::<bool>(),
        ) {
            let types = if all { ValueTypes::ALL } else { ValueType::DebugPdb.into() };
            let share = Share { types, is_main, compiler: None };
            let connection = database();
            let mut expected = Content::default();
            for batch in &batches {
                let mut items: Vec<Item> = batch.iter().map(item).collect();
                items.sort_by(|one, other| one.key().cmp(other.key()));
                let keys = expected.keys.clone();
                let mut result = Added { are_new: Vec::new(), had: Vec::new() };
                for (place, item) in items.iter().enumerate() {
                    let (is_new, had) = expected.add(item, share, verified, &keys);
                    result.are_new.push(is_new);
                    result.had.extend(had.into_iter().map(|kind| (place, kind)));
                }
                let items: Vec<&Item> = items.iter().collect();
                let last = last_row(&connection, "vals").unwrap();
                let until = || -> i64 {
                    let until = "SELECT count(*) FROM vals WHERE rowid <= ?1";
                    connection.query_row(until, [last], |row| row.get(0)).unwrap()
                };
                let before = until();
                let mut tables = Tables::new(&connection).unwrap();
                let mut added = tables.add(&items, share, verified).unwrap();
                added.had.sort_unstable();
                prop_assert_eq!(added, result);
                prop_assert_eq!(until(), before, "rows are only appended");
            }
            prop_assert_eq!(Content::read(&connection), expected);
            let check = "SELECT group_concat(integrity_check) FROM pragma_integrity_check";
            let check: String = connection.query_row(check, [], |row| row.get(0)).unwrap();
            prop_assert_eq!(check, "ok");
        }
    }

    #[test]
    fn a_digest_that_was_left_is_replaced() {
        let connection = database();
        let items = [
            item(&Stored::Values(1, vec![(ValueType::Metadata, 9)])),
            item(&Stored::Group(2, 1, vec![1])),
        ];
        let leave = "INSERT INTO value_digests VALUES(5, x'00'); INSERT INTO group_digests VALUES(1, x'00')";
        connection.execute_batch(leave).unwrap();
        let items: Vec<&Item> = items.iter().collect();
        Tables::new(&connection)
            .unwrap()
            .add(&items, ALL, true)
            .unwrap();
        let mut expected = Content::default();
        for item in items {
            assert!(expected.add(item, ALL, true, &BTreeSet::new()).0);
        }
        assert_eq!(Content::read(&connection), expected);
    }

    #[test]
    fn a_damaged_number_gets_no_successor() {
        for (table, columns) in [("keys", "keyid, key"), ("groupkeys", "version, keyid, key")] {
            let connection = database();
            let values = if table == "keys" { "" } else { "1, " };
            let last = format!(
                "INSERT INTO {table}({columns}) VALUES({values}{}, x'00')",
                i64::MAX
            );
            connection.execute(&last, []).unwrap();
            let group = item(&Stored::Group(2, 1, vec![1]));
            let added = Tables::new(&connection).unwrap().add(&[&group], ALL, true);
            let error = rusqlite::Error::IntegralValueOutOfRange(0, i64::MAX);
            assert_eq!(added, Err(error), "{table}");
        }
    }

    /// In a damaged file, a row that the index has and the table lacks would take the place of the new ones.
    #[test]
    fn a_row_that_only_the_index_has_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Connection::open(folder.path().join("a")).unwrap();
        let connection = database();
        let backup = format!("VACUUM INTO '{}'", folder.path().join("a").display());
        connection.execute_batch(&backup).unwrap();
        let connection = open();
        connection
            .execute_batch("INSERT INTO groupkeys(keyid, key, version) VALUES(1000, x'02', 1)")
            .unwrap();
        let schema = "SELECT sql FROM sqlite_schema WHERE name = 'groupkeys'";
        let text: String = connection.query_row(schema, [], |row| row.get(0)).unwrap();
        let index = "sqlite_autoindex_groupkeys_1";
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let root: i64 = connection
            .query_row(root, [index], |row| row.get(0))
            .unwrap();
        // Each connection reads the schema anew.
        let change = |change: &str| {
            let connection = open();
            connection
                .execute_batch("PRAGMA writable_schema=ON")
                .unwrap();
            connection.execute_batch(change).unwrap();
        };
        change(&format!(
            "UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE', '') WHERE name = 'groupkeys'; \
             DELETE FROM sqlite_schema WHERE name = '{index}'"
        ));
        open().execute_batch("DELETE FROM groupkeys").unwrap();
        change(&format!(
            "UPDATE sqlite_schema SET sql = '{text}' WHERE name = 'groupkeys'; \
             INSERT INTO sqlite_schema VALUES('index', '{index}', 'groupkeys', {root}, NULL)"
        ));
        let connection = open();
        let items = [2, 3].map(|key| item(&Stored::Group(key, 1, vec![1])));
        let items: Vec<&Item> = items.iter().collect();
        let mut tables = Tables::new(&connection).unwrap();
        let added = tables.add(&items, ALL, true);
        assert_eq!(
            added,
            Err(rusqlite::Error::IntegralValueOutOfRange(0, 1000))
        );
    }
}
