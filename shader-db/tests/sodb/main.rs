//! State object databases.

mod corpus;
mod hostile;
mod merging;
mod reading;
mod round_trip;
mod rules;
mod structures;
mod writers;

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use shader_db::sodb::{Access, Sodb};
use tempfile::TempDir;

/// A database in a folder of its own.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("test.sodb")
    }

    fn create(&self) -> Sodb {
        Sodb::open(self.path(), Access::Create).expect("a new database")
    }

    fn read(&self) -> Sodb {
        Sodb::open(self.path(), Access::Read).expect("a database")
    }

    /// The file as SQLite has it.
    fn sql(&self) -> Connection {
        let sql = Connection::open(self.path()).expect("a SQLite database");
        sql.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;")
            .expect("switches");
        sql
    }

    /// Creates a database and runs statements on it.
    fn with(&self, statements: &str) {
        if !self.path().exists() {
            self.create().close().expect("closed");
        }
        let sql = self.sql();
        sql.execute_batch(statements).expect("statements");
        sql.close().expect("closed");
    }

    /// The names and contents of all files.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        files(self.folder.path())
    }
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("a name");
            (name, std::fs::read(entry.path()).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

fn count(sql: &Connection, table: &str) -> u32 {
    sql.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
        row.get(0)
    })
    .expect("a count")
}
