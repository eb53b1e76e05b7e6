//! A connection with the queries of readers, which stay prepared.

use rusqlite::{Connection, PrepFlags, Statement};
use self_cell::self_cell;

/// What readers ask a PSDB for.
#[derive(Clone, Copy)]
pub enum Query {
    Begin,
    /// Takes the snapshot of a transaction.
    First,
    Commit,
    /// A value and its digest: in the row that has the digest's number, where [`super::write`] puts values if it can.
    Value,
    /// The same by the index.
    ValueByIndex,
    ValueSize,
    ValueSizeByIndex,
    /// The types of a key's values.
    Types,
    HasGroup,
    /// The id, version and digest of a group.
    Group,
    /// The value keys of a group.
    List,
}

impl Query {
    const COUNT: usize = Self::List as usize + 1;

    const fn sql(self) -> &'static str {
        match self {
            Self::Begin => "BEGIN",
            Self::First => "SELECT 1 FROM compiler_id",
            Self::Commit => "COMMIT",
            Self::Value => {
                "SELECT vals.value, value_digests.digest FROM keys \
                 LEFT JOIN vals ON vals.rowid = keys.keyid * 4 + ?2 AND +vals.keyid = keys.keyid AND +vals.type = ?2 \
                 LEFT JOIN value_digests ON value_digests.id = keys.keyid * 4 + ?2 WHERE keys.key = ?1"
            }
            Self::ValueByIndex => {
                "SELECT vals.value, value_digests.digest FROM keys \
                 LEFT JOIN vals ON vals.keyid = keys.keyid AND vals.type = ?2 \
                 LEFT JOIN value_digests ON value_digests.id = keys.keyid * 4 + ?2 WHERE keys.key = ?1"
            }
            Self::ValueSize => {
                "SELECT length(vals.value) FROM keys \
                 LEFT JOIN vals ON vals.rowid = keys.keyid * 4 + ?2 AND +vals.keyid = keys.keyid AND +vals.type = ?2 \
                 WHERE keys.key = ?1"
            }
            Self::ValueSizeByIndex => {
                "SELECT length(vals.value) FROM keys \
                 LEFT JOIN vals ON vals.keyid = keys.keyid AND vals.type = ?2 WHERE keys.key = ?1"
            }
            Self::Types => {
                "SELECT vals.type FROM keys JOIN vals ON vals.keyid = keys.keyid WHERE keys.key = ?1"
            }
            Self::HasGroup => "SELECT 1 FROM groupkeys WHERE key = ?1",
            Self::Group => {
                "SELECT groupkeys.groupkeyid, version, digest FROM (SELECT keyid AS groupkeyid, version FROM groupkeys \
                 WHERE key = ?1) AS groupkeys LEFT JOIN group_digests USING (groupkeyid)"
            }
            Self::List => {
                "SELECT keys.key FROM groups LEFT JOIN keys ON keys.keyid = groups.valuekeyid \
                 WHERE groups.groupkeyid = ?1 ORDER BY groups.rowid"
            }
        }
    }
}

#[derive(Default)]
struct Statements<'c>([Option<Statement<'c>>; Query::COUNT]);

// SAFETY: the connection that they borrow and SQLite's pointers keep them from being Send, and they go to another thread in
// one cell with their connection. SQLite lets any thread use a connection and its statements, one at a time.
unsafe impl Send for Statements<'_> {}

self_cell! {
    struct Cell {
        owner: Connection,
        #[covariant]
        dependent: Statements,
    }
}

/// A connection whose queries are prepared when they are first run. rusqlite's own cache hashes a query's text each time,
/// twice, which a find would notice.
pub struct Prepared(Cell);

impl Prepared {
    pub fn new(connection: Connection) -> Self {
        Self(Cell::new(connection, |_| Statements::default()))
    }

    pub fn connection(&self) -> &Connection {
        self.0.borrow_owner()
    }

    /// Runs a query, which must be ended when `run` returns.
    pub fn run<T>(
        &mut self,
        query: Query,
        run: impl FnOnce(&mut Statement<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.0.with_dependent_mut(|connection, statements| {
            let statement = match &mut statements.0[query as usize] {
                Some(statement) => statement,
                empty => empty.insert(
                    connection
                        .prepare_with_flags(query.sql(), PrepFlags::SQLITE_PREPARE_PERSISTENT)?,
                ),
            };
            let result = run(statement);
            // A key may be large.
            statement.clear_bindings();
            result
        })
    }
}
