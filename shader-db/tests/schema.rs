//! The text of the tables is part of the format.

use sha2::{Digest, Sha256};
use shader_db::psdb::{APPLICATION_ID, MAX_SIZE, PAGE_SIZE, TABLES, USER_VERSION};

const SHA256: &str = "f1570e4919738e3844dd263c1308729b4e192d6fc6704d5ed216c6547eb173cf";

#[test]
fn the_schema_is_that_of_its_version() {
    let digest = hex::encode(Sha256::digest(TABLES.join("\n")));
    assert_eq!((APPLICATION_ID.to_be_bytes(), USER_VERSION), (*b"PSDB", 1));
    assert_eq!(digest, SHA256, "another text needs another user_version");
}

#[test]
fn the_page_says_what_the_schema_is() {
    let page = include_str!("../../docs/psdb.md");
    let sql = page
        .split("```sql\n")
        .nth(1)
        .and_then(|rest| rest.split("\n```").next());
    assert_eq!(sql, Some(&*TABLES.join("\n")));
    assert!(page.contains(SHA256));
    assert!(
        page.contains("| `PRAGMA application_id` | 0x50534442,") && APPLICATION_ID == 0x5053_4442
    );
    assert!(page.contains("pages of 64 KiB") && PAGE_SIZE == 64 << 10);
    assert!(page.contains("1 to 999,995,904 bytes") && MAX_SIZE == 999_995_904);
}
