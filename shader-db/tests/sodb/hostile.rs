//! Files that are damaged, or made to harm: an error or an object, never a crash, and the other objects stay.

use std::fs;

use proptest::prelude::*;
use shader_db::Error;
use shader_db::sodb::{Access, Keys, ObjectName, Sodb};

use crate::{Place, corpus, writers};

pub fn example() -> Place {
    let place = Place::new();
    let sodb = place.create();
    corpus::fill(&sodb);
    sodb.close().unwrap();
    place
}

/// Reads everything; how many objects could be read.
pub fn read_all(sodb: &Sodb) -> Result<usize, Error> {
    let _ = sodb.application();
    let _ = sodb.counts();
    let entries = sodb.entries()?;
    let _ = shader_db::sodb::dependency_order(&entries);
    let mut found = 0;
    for entry in &entries {
        let _ = sodb.object_version(&entry.key);
        if let Ok(Some(pipeline_state)) = sodb.find_pipeline_state(&entry.key) {
            let _ = pipeline_state.desc.to_raw();
            found += 1;
        }
        if let Ok(Some(state_object)) = sodb.find_state_object(&entry.key) {
            let _ = state_object.desc.to_raw();
            found += 1;
        }
    }
    // An index can be damaged, so that what is listed is not found.
    for keys in sodb.pipeline_states()? {
        if let Ok(Some(found)) = sodb.find_pipeline_state_by(by_object(&keys), true) {
            let _ = found.desc.to_raw();
        }
    }
    for keys in sodb.state_objects()? {
        if let Ok(Some(found)) = sodb.find_state_object_by(by_object(&keys), true) {
            let _ = found.desc.to_raw();
        }
    }
    Ok(found)
}

fn by_object(keys: &Keys) -> ObjectName<'_> {
    ObjectName {
        object: Some(&keys.object),
        ..ObjectName::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bytes(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        in_pages in any::<bool>(),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        thread_local! {
            static EXAMPLE: Vec<u8> = fs::read(example().path()).unwrap();
        }
        let mut bytes = EXAMPLE.with(Clone::clone);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            // The starts of pages say what is in them.
            let at = if in_pages { at / 4096 * 4096 + at % 64 } else { at };
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let place = Place::new();
        fs::write(place.path(), &bytes).unwrap();
        if let Ok(sodb) = Sodb::open(place.path(), Access::Read) {
            let _ = read_all(&sodb);
            drop(sodb);
            prop_assert_eq!(fs::read(place.path()).unwrap(), bytes);
        }
        if let Ok(sodb) = Sodb::open(place.path(), Access::Write) {
            let _ = read_all(&sodb);
            let _ = sodb.store_state_object(b"new", 1, &shader_db::sodb::StateObjectDesc::default(), Some(b"rays"));
            let _ = sodb.close();
        }
    }

    #[test]
    fn damaged_logs(
        with_index in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let place = writers::left_log(with_index);
        for (name, mut bytes) in place.files() {
            if name == "test.sodb" {
                continue;
            }
            for (at, byte) in &changes {
                *at.get_mut(&mut bytes) = *byte;
            }
            fs::write(place.folder.path().join(name), bytes).unwrap();
        }
        let before = place.files();
        if let Ok(sodb) = Sodb::open(place.path(), Access::Read) {
            let _ = read_all(&sodb);
            drop(sodb);
            let after = place.files();
            prop_assert_eq!(after.len(), before.len());
            prop_assert_eq!(&after[0], &before[0]);
            prop_assert_eq!(after.last(), before.last());
        }
    }

    #[test]
    fn noise_is_no_database(bytes in prop::collection::vec(any::<u8>(), 1..5000), is_sqlite in any::<bool>()) {
        let place = Place::new();
        let mut bytes = bytes;
        if is_sqlite {
            bytes.splice(0..16.min(bytes.len()), *b"SQLite format 3\0");
        }
        fs::write(place.path(), &bytes).unwrap();
        for access in [Access::Read, Access::Write, Access::Create] {
            prop_assert!(Sodb::open(place.path(), access).is_err());
            prop_assert_eq!(&fs::read(place.path()).unwrap(), &bytes);
        }
    }
}

/// Each column of each table in turn holds what it must not.
#[test]
fn wrong_values_fail_their_object_only() {
    let example = example();
    let sql = example.sql();
    let mut columns = sql
        .prepare(
            "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' \
             ORDER BY t.rowid, c.cid",
        )
        .unwrap();
    let columns: Vec<(String, String)> = columns
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(columns.len(), 238);
    let all = read_all(&example.read()).unwrap();
    assert_eq!(all, 9);
    let bytes = fs::read(example.path()).unwrap();
    let place = Place::new();
    for (table, column) in &columns {
        for value in [
            "zeroblob(3)",
            "'text'",
            "1e300",
            "-9223372036854775808",
            "char(0)",
        ] {
            fs::write(place.path(), &bytes).unwrap();
            let changed = place.sql().execute(
                &format!("UPDATE OR IGNORE {table} SET {column} = {value} WHERE rowid = (SELECT max(rowid) FROM {table})"),
                [],
            );
            if changed.is_err() {
                continue;
            }
            let sodb = place.read();
            let found = read_all(&sodb).unwrap();
            assert!(
                found + 5 >= all,
                "{table}.{column} = {value}: {found} objects are left"
            );
            if table == "groups" || table == "app_id" {
                continue;
            }
            assert_eq!(sodb.entries().unwrap().len(), 9);
        }
    }
}

#[test]
fn missing_rows_are_named() {
    let example = example();
    let bytes = fs::read(example.path()).unwrap();
    let place = Place::new();
    for (table, key, text) in [
        (
            "shader_bytecode",
            &b"pipeline 1"[..],
            "shader_bytecode has no row",
        ),
        (
            "rasterizer_descs",
            b"pipeline 0",
            "rasterizer_descs has no row",
        ),
        (
            "depth_stencil_op_descs",
            b"pipeline 0",
            "depth_stencil_op_descs has no row",
        ),
        (
            "input_element_descs",
            b"pipeline 0",
            "input_element_descs has no row",
        ),
        (
            "rt_hit_groups",
            b"rays",
            "so_to_hit_group_associations names",
        ),
        ("exports", b"vs", "exports has no row"),
        ("root_signatures", b"rays", "root_signatures has no row"),
        (
            "subobject_to_exports_associations",
            b"rays",
            "subobject_to_exports_associations has no row",
        ),
        (
            "so_to_local_rs_associations",
            b"rays",
            "that it does not have",
        ),
        (
            "generic_programs",
            b"program",
            "generic_programs has no row",
        ),
        ("node_ids", b"graph", "node_ids has no row"),
        ("shader_nodes", b"graph", "shader_nodes has no row"),
        (
            "node_output_overrides",
            b"graph",
            "node_output_overrides has no row",
        ),
        ("state_objects", b"rays", "state_objects has no row"),
    ] {
        fs::write(place.path(), &bytes).unwrap();
        place.with(&format!("DELETE FROM {table}"));
        let sodb = place.read();
        let found = if key.starts_with(b"pipeline") {
            sodb.find_pipeline_state(key).map(drop)
        } else {
            sodb.find_state_object(key).map(drop)
        };
        let Err(Error::Corrupt { reason, .. }) = found else {
            panic!("{table}: {found:?}");
        };
        assert!(
            reason.contains(text) && reason.starts_with("object "),
            "{reason}"
        );
        assert!(read_all(&sodb).unwrap() < 9);
    }
}

#[test]
fn cycles_are_read_and_have_no_order() {
    let place = example();
    place.with(
        "UPDATE state_objects SET AddToStateObjectParent = Key; \
         INSERT INTO so_to_existing_so_associations SELECT Key, Key, NULL FROM state_objects;",
    );
    let sodb = place.read();
    let found = sodb.find_state_object(b"rays").unwrap().unwrap();
    assert_eq!(found.parent.as_deref(), Some(&b"rays"[..]));
    let entries = sodb.entries().unwrap();
    assert!(shader_db::sodb::dependency_order(&entries).is_err());
    let to = Place::new();
    let merged = &to.create().merge(&[&sodb]).unwrap()[0];
    // The pipelines are in no cycle.
    assert_eq!((merged.added.len(), merged.left_out.len()), (3, 6));
}

#[test]
fn other_things_in_place_of_tables() {
    for (statements, text) in [
        ("DROP TABLE groups", "table groups is missing"),
        (
            "DROP TABLE groups; CREATE VIEW groups AS SELECT 1 Key, 1 Version, 1 PSOKey, 1 SOKey",
            "groups is a view",
        ),
        (
            "DROP TABLE node_ids; CREATE VIRTUAL TABLE node_ids USING fts5(Key, Name, ArrayIndex)",
            "node_ids is a virtual",
        ),
        (
            "DROP TABLE exports; CREATE TABLE exports (Key BLOB PRIMARY KEY, Name, ExportToRename, Flags) WITHOUT ROWID",
            "exports has no rowid",
        ),
        (
            "DROP TABLE exports; CREATE TABLE exports (Key BLOB PRIMARY KEY, Name AS (zeroblob(999999999)), \
             ExportToRename, Flags)",
            "exports has no column Name",
        ),
        (
            "ALTER TABLE groups RENAME COLUMN SOKey TO Other",
            "groups has no column SOKey",
        ),
        (
            "CREATE TRIGGER t AFTER INSERT ON groups BEGIN DELETE FROM groups; END",
            "it has a trigger (t)",
        ),
        (
            "PRAGMA application_id = 1",
            "its application_id is 0x00000001",
        ),
        ("PRAGMA user_version = 1", "version 1 of"),
        ("PRAGMA user_version = 3", "version 3 of"),
        ("PRAGMA user_version = -1", "version -1 of"),
    ] {
        let place = Place::new();
        place.with(statements);
        let before = place.files();
        for access in [Access::Read, Access::Write, Access::Create] {
            let Err(Error::BadFormat { reason, .. }) = Sodb::open(place.path(), access) else {
                panic!("{statements}");
            };
            assert!(reason.contains(text), "{reason}");
            assert_eq!(place.files(), before);
        }
    }
}

/// Texts of the schema that SQLite would have to run.
#[test]
fn what_a_schema_has_sqlite_do_is_limited() {
    let long = "a".repeat(200_000);
    let deep = "NOT ".repeat(200);
    let slow = "%a".repeat(30);
    for (statement, text) in [
        (
            "CREATE INDEX more ON groups (zeroblob(300000000))".into(),
            "too big",
        ),
        (
            format!("CREATE TABLE more (a CHECK (a <> '{long}'))"),
            "more",
        ),
        (format!("CREATE TABLE more (a CHECK ({deep} a))"), "more"),
        (
            format!("CREATE INDEX more ON groups (Version) WHERE 'aaaa' LIKE '{slow}'"),
            "too complex",
        ),
    ] {
        let place = Place::new();
        place.with(&statement);
        let stored = Sodb::open(place.path(), Access::Write).and_then(|sodb| {
            sodb.store_state_object(
                b"new",
                1,
                &shader_db::sodb::StateObjectDesc::default(),
                None,
            )
        });
        let Err(Error::Corrupt { reason, .. }) = stored else {
            panic!("{statement}: {stored:?}");
        };
        assert!(reason.contains(text), "{reason}");
        assert!(fs::metadata(place.path()).unwrap().len() < 2_000_000);
    }
}

#[test]
fn counts_that_are_too_large() {
    for (statements, text) in [
        (
            "UPDATE render_target_formats SET NumRenderTargets = 9",
            "NumRenderTargets",
        ),
        (
            "UPDATE render_target_formats SET NumRenderTargets = -1",
            "NumRenderTargets",
        ),
        (
            "UPDATE rasterizer_descs SET ForcedSampleCount = 1 << 40",
            "ForcedSampleCount",
        ),
        (
            "UPDATE depth_stencil_op_descs SET StencilReadMask = 256",
            "StencilReadMask",
        ),
    ] {
        let place = example();
        place.with(statements);
        let Err(Error::Corrupt { reason, .. }) = place.read().find_pipeline_state(b"pipeline 0")
        else {
            panic!("{statements}");
        };
        assert!(reason.contains(text), "{reason}");
    }
    for (statements, text) in [
        (
            "UPDATE shader_nodes SET DispatchGridY = NULL",
            "DispatchGrid",
        ),
        (
            "UPDATE shader_nodes SET OverridesType = 5",
            "OverridesType 5",
        ),
        (
            "UPDATE shader_nodes SET OverridesType = 2",
            "dispatch grids",
        ),
        ("UPDATE shader_nodes SET NodeType = 1", "NodeType"),
        (
            "UPDATE shader_nodes SET MaxInputRecordsPerGraphEntryRecord_RecordCount = 1",
            "MaxInputRecordsPerGraphEntryRecord_RecordCount",
        ),
    ] {
        let place = example();
        place.with(statements);
        let Err(Error::Corrupt { reason, .. }) = place.read().find_state_object(b"graph") else {
            panic!("{statements}");
        };
        assert!(reason.contains(text), "{reason}");
    }
}

/// Keys that are text or nothing, the same key twice: the schema does not have to be the published one.
#[test]
fn a_schema_without_constraints() {
    let place = example();
    place.with(
        "CREATE TABLE copy AS SELECT * FROM groups; DROP TABLE groups; ALTER TABLE copy RENAME TO groups; \
         INSERT INTO groups SELECT Key, Version + 1, PSOKey, SOKey FROM groups; \
         INSERT INTO groups VALUES (NULL, 1, NULL, NULL), ('text', 1, NULL, NULL), (x'', 1, x'00', NULL), \
           (x'0b', 'text', NULL, NULL), (x'0c', 1, 'text', NULL), (x'0d', 1, NULL, 5); \
         UPDATE groups SET Key = 'functions' WHERE Key = CAST('functions' AS BLOB);",
    );
    let sodb = place.read();
    assert_eq!(sodb.entries().unwrap().len(), 24);
    assert_eq!(sodb.object_version(b"graph").unwrap(), Some(5));
    let unnamed = sodb.find_state_object(b"rays").unwrap_err();
    assert!(matches!(unnamed, Error::UnknownKey { .. }), "{unnamed}");
    for key in [0x0b, 0x0c, 0x0d] {
        assert!(sodb.find_state_object(&[key]).is_err());
        assert!(sodb.find_pipeline_state(&[key]).is_err());
    }
    assert!(read_all(&sodb).unwrap() >= 7);
}
