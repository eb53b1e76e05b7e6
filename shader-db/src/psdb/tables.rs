//! Adding items to the tables of a file, and removing rows from them.

use std::collections::HashMap;

use rusqlite::types::ValueRef::{self, Blob, Integer};
use rusqlite::{CachedStatement, Connection, Error, OptionalExtension, Result, params};

use super::insert::{Insert, MEMBERS};
use super::item::Item;
use super::schema::ELSEWHERE;
use super::{ValueType, ValueTypes, digest};

/// The part of a batch that a file gets.
#[derive(Clone, Copy)]
pub struct Share {
    /// Values of these types, and all groups.
    pub types: ValueTypes,
    /// Whether the file also gets the keys of values that are in other files.
    pub is_main: bool,
}

impl Share {
    fn has(self, item: &Item) -> bool {
        self.types.kinds().any(|kind| item.value(kind).is_some())
    }
}

/// The result of adding items to a file.
#[derive(Debug, Default, PartialEq)]
pub struct Added {
    /// For each item, whether this file takes it and did not have its key.
    pub are_new: Vec<bool>,
    /// The index of each item of which the file had a value already, with its type.
    pub had: Vec<(usize, ValueType)>,
}

/// The statements of a batch.
pub struct Tables<'a> {
    keys: Keys<'a, 1>,
    insert_value: CachedStatement<'a>,
    /// For a key of the main file whose values are all in other files.
    mark_elsewhere: CachedStatement<'a>,
    value_digests: Insert<'a, 2>,
    groups: Keys<'a, 2>,
    insert_members: Insert<'a, 2>,
    group_digests: Insert<'a, 2>,
    connection: &'a Connection,
    /// The ids of the keys in the batch.
    ids: HashMap<&'a [u8], i64>,
}

impl<'a> Tables<'a> {
    pub fn new(connection: &'a Connection) -> Result<Self> {
        let value = "INSERT INTO vals(rowid, keyid, type, value) VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
        let mark = format!(
            "UPDATE keys SET last_accessed = {ELSEWHERE} WHERE keyid = ?1 AND last_accessed = 0 \
             AND NOT EXISTS (SELECT 1 FROM vals WHERE vals.keyid = ?1)"
        );
        let members = "INSERT OR IGNORE INTO groups(groupkeyid, valuekeyid)";
        // A digest that is there was left.
        let digests = ["value", "group"].map(|of| format!("INSERT OR REPLACE INTO {of}_digests"));
        Ok(Self {
            keys: Keys::new(connection, "keys", "key")?,
            insert_value: connection.prepare_cached(value)?,
            mark_elsewhere: connection.prepare_cached(&mark)?,
            value_digests: Insert::new(connection, &*digests[0]),
            groups: Keys::new(connection, "groupkeys", "key, version")?,
            insert_members: Insert::new(connection, members),
            group_digests: Insert::new(connection, &*digests[1]),
            connection,
            ids: HashMap::new(),
        })
    }

    /// Adds items and keeps what the file has. Values come sorted by key, and so do groups. With `verified` they get digests.
    pub fn add(&mut self, items: &[&'a Item], share: Share, verified: bool) -> Result<Added> {
        let mut added = Added {
            are_new: vec![false; items.len()],
            had: Vec::new(),
        };
        self.add_values(items, share, verified, &mut added)?;
        self.add_groups(items, verified, &mut added)?;
        Ok(added)
    }

    fn key_id(&mut self, key: &'a [u8]) -> Result<i64> {
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
    ) -> Result<()> {
        let is_of_file = |item: &Item| item.group.is_none() && (share.is_main || share.has(item));
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
            if item.has_values && !share.has(item) {
                elsewhere.push(key);
            }
            for kind in share.types.kinds() {
                let Some((value, digest)) = item.value(kind) else {
                    continue;
                };
                // SQLite has no larger number, so the file is damaged.
                let id = key.checked_mul(4).map(|id| id + kind as i64);
                let id = id.ok_or(Error::IntegralValueOutOfRange(0, key))?;
                // At the row where readers look first, but only if that appends a row.
                let row = (id > last).then_some(id);
                let insert = &mut self.insert_value;
                if insert.execute(params![row, key, kind as u8, value])? == 1 {
                    last = self.connection.last_insert_rowid();
                    digests.push((id, digest.to_be_bytes()));
                } else {
                    added.had.push((position, kind));
                }
            }
        }
        for key in elsewhere {
            self.mark_elsewhere.execute([key])?;
        }
        if verified {
            self.value_digests.insert(&digest_rows(&digests))?;
        }
        Ok(())
    }

    fn add_groups(&mut self, items: &[&'a Item], verified: bool, added: &mut Added) -> Result<()> {
        let items = items.iter().enumerate();
        let groups = items.filter_map(|(position, &item)| Some((position, item, item.group?)));
        let groups: Vec<(usize, &Item, (u32, u128))> = groups.collect();
        let rows: Vec<_> = groups
            .iter()
            .map(|&(_, item, (version, _))| [Blob(item.key()), Integer(version.into())])
            .collect();
        let before = self.groups.last;
        let ids = self.groups.add(&rows)?;
        let mut previous = None;
        let (mut members, mut digests) = (Vec::new(), Vec::new());
        for ((position, item, (_, digest)), id) in groups.into_iter().zip(ids) {
            // Repeats of a key are neighbours.
            let is_new = id > before && previous != Some(id);
            added.are_new[position] = is_new;
            previous = Some(id);
            if !is_new {
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
            self.group_digests.insert(&digest_rows(&digests))?;
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
    fn new(connection: &'a Connection, table: &'static str, columns: &str) -> Result<Self> {
        let find = format!("SELECT keyid FROM {table} WHERE key = ?1");
        let insert = format!("INSERT OR IGNORE INTO {table}({columns})");
        Ok(Self {
            insert: Insert::new(connection, insert),
            find: connection.prepare_cached(&find)?,
            connection,
            table,
            last: last_row(connection, table)?,
        })
    }

    fn find(&mut self, key: &[u8]) -> Result<Option<i64>> {
        self.find.query_row([key], |row| row.get(0)).optional()
    }

    /// Adds the rows whose keys are not there. Returns the numbers of all; new rows have numbers above the last.
    fn add(&mut self, rows: &[[ValueRef; N]]) -> Result<Vec<i64>> {
        let before = self.last;
        // Past the highest number SQLite would look for free ones below. No file has so many rows: it is damaged.
        let last = i64::try_from(rows.len()).ok();
        let last = last.and_then(|count| before.checked_add(count));
        let last = last.ok_or(Error::IntegralValueOutOfRange(0, before))?;
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
                return Err(Error::IntegralValueOutOfRange(0, id));
            }
            ids.push(id);
        }
        Ok(ids)
    }
}

fn last_row(connection: &Connection, table: &str) -> Result<i64> {
    let last = format!("SELECT ifnull(max(rowid), 0) FROM {table}");
    connection
        .prepare_cached(&last)?
        .query_row([], |row| row.get(0))
}

fn digest_rows(digests: &[(i64, [u8; 16])]) -> Vec<[ValueRef<'_>; 2]> {
    let digests = digests.iter();
    digests
        .map(|(id, digest)| [Integer(*id), Blob(digest)])
        .collect()
}

/// Removes a group. Here and below rows that refer to others come before those others.
pub fn delete_group(connection: &Connection, id: i64) -> Result<()> {
    delete(connection, id, "group_digests WHERE groupkeyid = ?1")?;
    delete(connection, id, "groups WHERE groupkeyid = ?1")?;
    delete(connection, id, "groupkeys WHERE keyid = ?1")
}

/// Removes the values of a key.
pub fn delete_values(connection: &Connection, key: i64) -> Result<()> {
    let digests = "value_digests WHERE id <> 0 AND id BETWEEN ?1 * 4 AND ?1 * 4 + 3";
    delete(connection, key, digests)?;
    delete(connection, key, "vals WHERE keyid = ?1")
}

/// Removes a key, which no group may name, with its values.
pub fn delete_key(connection: &Connection, key: i64) -> Result<()> {
    delete_values(connection, key)?;
    delete(connection, key, "keys WHERE keyid = ?1")
}

fn delete(connection: &Connection, id: i64, rows: &str) -> Result<()> {
    let mut delete = connection.prepare_cached(&format!("DELETE FROM {rows}"))?;
    delete.execute([id]).map(drop)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::collections::btree_map::Entry;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::content::{Cursor, Kind};
    use super::super::create::{self, example};
    use super::super::schema::TABLES;
    use super::*;

    const ALL: Share = Share {
        types: ValueTypes::ALL,
        is_main: true,
    };

    fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        create::write(&connection, &example::metadata()).unwrap();
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
        let group = group.prop_map(|(key, version, list)| Stored::Group(key, version, list));
        prop_oneof![values, group]
    }

    fn item(stored: &Stored) -> Item {
        match stored {
            Stored::Values(key, values) => {
                let bytes = |(kind, value)| (kind, std::slice::from_ref(value));
                let values = values.iter().map(|(kind, value)| bytes((*kind, value)));
                Item::of_values(&[*key], &values.collect::<Vec<_>>())
            }
            Stored::Group(key, version, list) => {
                let keys: Vec<&[u8]> = list.iter().map(std::slice::from_ref).collect();
                Item::of_group(&[*key], *version, &keys)
            }
        }
    }

    type Bytes = Vec<u8>;

    #[derive(Debug, Default, PartialEq)]
    struct Content {
        values: BTreeMap<(Bytes, ValueType), Bytes>,
        groups: BTreeMap<Bytes, (u32, Bytes)>,
        /// All keys, and whether they have values, be it in other files.
        keys: BTreeMap<Bytes, bool>,
    }

    impl Content {
        /// Adds an item and returns whether it is new, given the value keys that were there before its batch, and the types of its
        /// values that were there.
        fn add(&mut self, item: &Item, share: Share, before: &[Bytes]) -> (bool, Vec<ValueType>) {
            let key = item.key().to_vec();
            let mut had = Vec::new();
            if let Some((version, _)) = item.group {
                let is_new = !self.groups.contains_key(&key);
                if is_new {
                    for key in digest::keys_of(item.list()) {
                        self.keys.entry(key.to_vec()).or_default();
                    }
                    self.groups.insert(key, (version, item.list().to_vec()));
                }
                return (is_new, had);
            }
            let mut is_of_file = share.is_main;
            for (kind, value) in item.values().filter(|(kind, _)| share.types.has(*kind)) {
                is_of_file = true;
                match self.values.entry((key.clone(), kind)) {
                    Entry::Vacant(place) => drop(place.insert(value.to_vec())),
                    Entry::Occupied(_) => had.push(kind),
                }
            }
            let is_new = is_of_file && !before.contains(&key);
            if is_of_file {
                self.keys.insert(key, true);
            }
            (is_new, had)
        }

        /// Reads what matches its digests, and says how many values and groups have one.
        fn read(connection: &Connection) -> (Self, [u64; 2]) {
            let mut content = Self::default();
            let mut statement = connection.prepare(Kind::Values.select()).unwrap();
            let rows = statement.query([]).unwrap();
            let mut values = Cursor::new(Kind::Values, rows).unwrap();
            while let Some(entry) = values.next().unwrap() {
                assert_eq!(entry.fault, None);
                let key = entry.item.key();
                for (kind, value) in entry.item.values() {
                    content.values.insert((key.to_vec(), kind), value.to_vec());
                }
                content.keys.insert(key.to_vec(), entry.item.has_values);
            }
            let mut statement = connection.prepare(Kind::Groups.select()).unwrap();
            let rows = statement.query([]).unwrap();
            let mut groups = Cursor::new(Kind::Groups, rows).unwrap();
            while let Some(entry) = groups.next().unwrap() {
                assert_eq!(entry.fault, None);
                let (version, _) = entry.item.group.unwrap();
                let group = (version, entry.item.list().to_vec());
                content.groups.insert(entry.item.key().to_vec(), group);
            }
            (content, [values.found[2], groups.found[2]])
        }

        fn count(&self) -> [u64; 2] {
            [self.values.len(), self.groups.len()].map(|count| count as u64)
        }
    }

    proptest! {
        #[test]
        fn the_first_of_a_key_stays(
            batches in vec(vec(stored(), 0..150), 1..4), all in any::<bool>(), is_main in any::<bool>(),
            verified in any::<bool>(),
        ) {
            let types = if all { ValueTypes::ALL } else { ValueTypes::DEBUG_PDB };
            let share = Share { types, is_main };
            let connection = database();
            let mut expected = Content::default();
            for batch in &batches {
                let mut items: Vec<Item> = batch.iter().map(item).collect();
                items.sort_by(|one, other| one.key().cmp(other.key()));
                let keys: Vec<Bytes> = expected.keys.keys().cloned().collect();
                let mut result = Added::default();
                for (place, item) in items.iter().enumerate() {
                    let (is_new, had) = expected.add(item, share, &keys);
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
                prop_assert_eq!(tables.add(&items, share, verified), Ok(result));
                prop_assert_eq!(until(), before, "rows are only appended");
            }
            let digests = if verified { expected.count() } else { [0, 0] };
            prop_assert_eq!(Content::read(&connection), (expected, digests));
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
        let mut tables = Tables::new(&connection).unwrap();
        tables.add(&items, ALL, true).unwrap();
        let mut expected = Content::default();
        for item in items {
            assert!(expected.add(item, ALL, &[]).0);
        }
        assert_eq!(Content::read(&connection), (expected, [1, 1]));
    }

    #[test]
    fn a_damaged_number_gets_no_successor() {
        for (table, columns) in [
            ("keys", "keyid, last_accessed"),
            ("groupkeys", "keyid, version"),
        ] {
            let connection = database();
            let last = format!("INSERT INTO {table}({columns}, key) VALUES(?1, ?1, x'00')");
            connection.execute(&last, [i64::MAX]).unwrap();
            let group = item(&Stored::Group(2, 1, vec![1]));
            let added = Tables::new(&connection).unwrap().add(&[&group], ALL, true);
            let error = Error::IntegralValueOutOfRange(0, i64::MAX);
            assert_eq!(added, Err(error), "{table}");
        }
    }

    /// In a damaged file, a row that the index has and the table lacks would take the place of the new ones.
    #[test]
    fn a_row_that_only_the_index_has_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Connection::open(folder.path().join("a")).unwrap();
        create::write(&open(), &example::metadata()).unwrap();
        // Each connection reads the schema anew.
        let run = |sql: &str| {
            let sql = format!("PRAGMA writable_schema=ON; {sql}");
            open().execute_batch(&sql).unwrap();
        };
        run("INSERT INTO groupkeys(keyid, key, version) VALUES(1000, x'02', 1)");
        let index = "sqlite_autoindex_groupkeys_1";
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let root = open().query_row(root, [index], |row| row.get::<_, i64>(0));
        run(&format!(
            "UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE', '') WHERE name = 'groupkeys'; \
             DELETE FROM sqlite_schema WHERE name = '{index}'"
        ));
        run("DELETE FROM groupkeys");
        run(&format!(
            "UPDATE sqlite_schema SET sql = '{}' WHERE name = 'groupkeys'; \
             INSERT INTO sqlite_schema VALUES('index', '{index}', 'groupkeys', {}, NULL)",
            TABLES[2],
            root.unwrap()
        ));
        let connection = open();
        let items = [2, 3].map(|key| item(&Stored::Group(key, 1, vec![1])));
        let items: Vec<&Item> = items.iter().collect();
        let mut tables = Tables::new(&connection).unwrap();
        let error = Error::IntegralValueOutOfRange(0, 1000);
        assert_eq!(tables.add(&items, ALL, true), Err(error));
    }
}
