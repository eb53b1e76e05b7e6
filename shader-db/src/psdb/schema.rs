//! The tables.

use rusqlite::{Connection, OptionalExtension};

/// `PRAGMA application_id` of a PSDB: "PSDB" in ASCII.
pub const APPLICATION_ID: u32 = 0x5053_4442;

/// `PRAGMA user_version`: the version of this schema.
pub const USER_VERSION: u32 = 1;

/// Bytes of a page of a finished file. docs/psdb-speed.md has the measurements that led to it.
pub const PAGE_SIZE: u32 = 65536;

/// Bytes of a page of a new file, until the session that made it closes it. A commit writes each page that it touches, some ten
/// of them for one object.
pub const SESSION_PAGE_SIZE: u32 = 4096;

/// `last_accessed` of a key whose values are all in other files of the session: without those files it is not incomplete.
pub const ELSEWHERE: i64 = 1;

/// The text of the tables, byte for byte as `sqlite_schema` has it, in the order of creation.
///
/// The text is part of the format: tools that merge databases of other makers demand the same text in every file.
pub const TABLES: [&str; 8] = [
    "CREATE TABLE keys(keyid INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, last_accessed INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE vals(keyid INTEGER NOT NULL REFERENCES keys(keyid), \
     type INTEGER NOT NULL CHECK(type BETWEEN 0 AND 3), value BLOB NOT NULL, UNIQUE(keyid, type))",
    "CREATE TABLE groupkeys(keyid INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, version INTEGER NOT NULL)",
    "CREATE TABLE groups(groupkeyid INTEGER NOT NULL REFERENCES groupkeys(keyid), \
     valuekeyid INTEGER NOT NULL REFERENCES keys(keyid), UNIQUE(groupkeyid, valuekeyid))",
    "CREATE TABLE compiler_id(id INTEGER PRIMARY KEY, abi INTEGER NOT NULL, version INTEGER NOT NULL, \
     family TEXT NOT NULL)",
    "CREATE TABLE app_id(id INTEGER PRIMARY KEY, exe_path TEXT NOT NULL, app_name TEXT NOT NULL, engine_name TEXT, \
     app_version INTEGER NOT NULL, engine_version INTEGER NOT NULL, app_profile_version INTEGER NOT NULL)",
    "CREATE TABLE value_digests(id INTEGER PRIMARY KEY, digest BLOB NOT NULL)",
    "CREATE TABLE group_digests(groupkeyid INTEGER PRIMARY KEY, digest BLOB NOT NULL)",
];

/// The columns with which a file of another maker is readable; it has no digests.
const COLUMNS: [&str; 6] = [
    "keyid, key, last_accessed",
    "keyid, type, value",
    "keyid, key, version",
    "groupkeyid, valuekeyid",
    "id, abi, version, family",
    "id, exe_path, app_name, engine_name, app_version, engine_version, app_profile_version",
];

/// The name in a `CREATE TABLE` text.
fn name_of(table: &str) -> &str {
    table["CREATE TABLE ".len()..]
        .split('(')
        .next()
        .expect("a name before the columns")
}

/// What is wrong with the tables of a file, if anything is. One of another maker gets empty tables of digests, which the connection
/// alone has.
pub fn fault(connection: &Connection, foreign: bool) -> rusqlite::Result<Option<String>> {
    let find = "SELECT type, sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
    for (position, table) in TABLES.iter().enumerate() {
        let name = name_of(table);
        let columns = COLUMNS.get(position);
        let found = connection.query_row(find, [name], |row| Ok((row.get(0)?, row.get(1)?)));
        let found: Option<(String, String)> = found.optional()?;
        let reason = match found {
            None if foreign && columns.is_none() => {
                connection.execute_batch(&table.replacen("TABLE", "TEMP TABLE", 1))?;
                continue;
            }
            None => format!("table {name} is missing"),
            Some((kind, _)) if kind != "table" => format!("{name} is a {kind}, not a table"),
            Some((_, sql)) if !foreign && sql == *table => continue,
            Some(_) if foreign => match columns {
                None => "its application_id is not that of its tables".into(),
                Some(columns) => {
                    let select = format!("SELECT {columns} FROM {name}");
                    if connection.prepare(&select).is_ok() {
                        continue;
                    }
                    format!("table {name} has not the columns {columns}")
                }
            },
            Some(_) => format!("table {name} has other columns"),
        };
        return Ok(Some(reason));
    }
    let triggers = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'trigger')";
    let has_triggers: bool = connection.query_row(triggers, [], |row| row.get(0))?;
    Ok((has_triggers && !foreign).then(|| "it has triggers".into()))
}
