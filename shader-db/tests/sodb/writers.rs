//! Files as other programs write them.

use std::fs;

use rusqlite::{Connection, params};
use shader_db::Error;
use shader_db::sodb::{
    Access, Associated, Kind, PipelineStateDesc, ShaderStage, Sodb, StateObjectDesc, statements,
};

use crate::hostile::{example, read_all};
use crate::{Place, corpus, files};

/// A writer of its own: the tables first and the indexes behind them, text in UTF-16 if so, other pages.
fn create(place: &Place, encoding: &str) -> Connection {
    let sql = place.sql();
    sql.execute_batch(&format!(
        "PRAGMA encoding = '{encoding}'; PRAGMA page_size = 512; PRAGMA user_version = 2; \
         PRAGMA application_id = 0xD3D50DB;"
    ))
    .unwrap();
    let (indexes, tables): (Vec<_>, Vec<_>) = statements()
        .into_iter()
        .partition(|statement| statement.contains("INDEX"));
    for statement in tables.iter().chain(&indexes) {
        sql.execute_batch(statement).unwrap();
    }
    sql
}

/// The example of all kinds, copied row by row in another order of tables, so that only the order within a table is
/// kept.
fn copy(from: &Place, to: &Connection) {
    let sql = from.sql();
    let mut tables = sql
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name DESC")
        .unwrap();
    let tables: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for table in tables {
        let mut rows = sql
            .prepare(&format!("SELECT * FROM {table} ORDER BY rowid"))
            .unwrap();
        let columns = rows.column_count();
        let places: Vec<String> = (1..=columns).map(|at| format!("?{at}")).collect();
        let insert = format!("INSERT INTO {table} VALUES ({})", places.join(", "));
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let cells: Vec<rusqlite::types::Value> =
                (0..columns).map(|at| row.get(at).unwrap()).collect();
            to.execute(&insert, rusqlite::params_from_iter(cells))
                .unwrap();
        }
    }
}

#[test]
fn another_encoding_and_another_order_make_no_difference() {
    let ours = Place::new();
    let sodb = ours.create();
    corpus::fill(&sodb);
    sodb.close().unwrap();
    let sodb = ours.read();
    for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
        let theirs = Place::new();
        let sql = create(&theirs, encoding);
        copy(&ours, &sql);
        sql.close().unwrap();
        let read = theirs.read();
        assert_eq!(read.application().unwrap(), sodb.application().unwrap());
        assert_eq!(read.entries().unwrap(), sodb.entries().unwrap());
        for entry in sodb.entries().unwrap() {
            assert_eq!(
                read.find_pipeline_state(&entry.key).unwrap(),
                sodb.find_pipeline_state(&entry.key).unwrap()
            );
            assert_eq!(
                read.find_state_object(&entry.key).unwrap(),
                sodb.find_state_object(&entry.key).unwrap()
            );
        }
        drop(read);
        // It can be written on.
        let more = Sodb::open(theirs.path(), Access::Write).unwrap();
        assert_eq!(more.merge(&[&sodb]).unwrap()[0].same, 9);
        more.close().unwrap();
    }
}

/// Keys of 8 and of 16 bytes, no fixed-function state, a version of 0.
#[test]
fn a_graphics_pipeline_of_nothing_but_shaders() {
    let place = Place::new();
    let sql = create(&place, "UTF-8");
    let (key, pso) = (
        [1, 2, 3, 4, 5, 6, 7, 8],
        [1_u8, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0],
    );
    sql.execute_batch(
        "INSERT INTO shader_bytecode VALUES (x'aa', 'VS', x'01'), (x'bb', NULL, x'02'); \
         INSERT INTO root_signatures VALUES (x'cc', x'03');",
    )
    .unwrap();
    sql.execute(
        "INSERT INTO pipeline_states (Key, RootSignature, ByteCode_VS, ByteCode_PS) VALUES (?1, x'cc', x'aa', x'bb')",
        [pso],
    )
    .unwrap();
    sql.execute(
        "INSERT INTO groups VALUES (?1, 0, ?2, NULL)",
        params![key, pso],
    )
    .unwrap();
    sql.execute(
        "INSERT INTO app_id VALUES (7, 'b.exe', 'B', NULL, -1, 0)",
        [],
    )
    .unwrap();
    sql.execute(
        "INSERT INTO app_id VALUES (3, 'a.exe', 'A', NULL, -1, 0)",
        [],
    )
    .unwrap();
    sql.close().unwrap();
    let sodb = place.read();
    let mut desc = PipelineStateDesc {
        root_signature: Some([3].into()),
        ..PipelineStateDesc::default()
    };
    desc.shaders[ShaderStage::Vertex] = Some([1].into());
    desc.shaders[ShaderStage::Pixel] = Some([2].into());
    let found = sodb.find_pipeline_state(&key).unwrap().unwrap();
    assert_eq!((found.version, &found.desc), (0, &desc));
    let application = sodb.application().unwrap().unwrap();
    assert_eq!(
        (application.name.as_str(), application.version),
        ("A", u64::MAX)
    );
    drop(sodb);
    // What they stored is the same as what we store.
    let sodb = Sodb::open(place.path(), Access::Write).unwrap();
    sodb.store_pipeline_state(&key, 0, &desc).unwrap();
    desc.node_mask = Some(1);
    assert_eq!(
        sodb.store_pipeline_state(&key, 0, &desc),
        Err(Error::AlreadyExists)
    );
}

#[test]
fn numbers_and_nulls_as_others_have_them() {
    let place = Place::new();
    let sql = create(&place, "UTF-8");
    sql.execute_batch(
        "INSERT INTO blend_descs (Key, AlphaToCoverageEnable, IndependentBlendEnable) VALUES (x'01', 9, 0); \
         INSERT INTO rasterizer_descs VALUES (x'02', 3, 1, 0, -7, 0, 1.5, 1, 0, 0, 0); \
         INSERT INTO pipeline_states (Key, BlendDesc, RasterizerDesc, InputLayout, SampleMask, SampleDesc_Quality) \
           VALUES (x'10', x'01', x'02', x'99', -1, 4); \
         INSERT INTO groups VALUES (x'20', -1, x'10', NULL);",
    )
    .unwrap();
    sql.close().unwrap();
    let sodb = place.read();
    let found = sodb.find_pipeline_state(&[0x20]).unwrap().unwrap();
    assert_eq!(found.version, u32::MAX);
    let state = found.desc.fixed_function;
    assert_eq!(state.sample_mask, Some(u32::MAX));
    assert_eq!(
        state.sample_desc.map(|desc| (desc.Count, desc.Quality)),
        Some((1, 4))
    );
    assert_eq!(state.input_layout, Some(Vec::new()));
    let rasterizer = state.rasterizer.unwrap();
    assert!((rasterizer.DepthBias + 7.0).abs() < f32::EPSILON);
    let blend = state.blend.unwrap();
    assert_eq!(blend.AlphaToCoverageEnable.0, 1);
    assert_eq!(blend.RenderTarget[7].RenderTargetWriteMask, 15);
}

/// Where the schema lets a column be NULL, what it holds is absent; but for these.
#[test]
fn any_column_that_may_be_null() {
    let needed = [
        ("shader_bytecode", "Bytecode"),
        ("state_objects", "Type"),
        ("shader_nodes", "DispatchGridX"),
        ("shader_nodes", "DispatchGridY"),
        ("shader_nodes", "DispatchGridZ"),
        ("groups", "PSOKey"),
        ("groups", "SOKey"),
    ];
    let example = example();
    let sql = example.sql();
    let mut columns = sql
        .prepare(
            "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c \
             WHERE t.type = 'table' AND NOT c.\"notnull\" AND NOT c.pk",
        )
        .unwrap();
    let columns: Vec<(String, String)> = columns
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(columns.len(), 88);
    let bytes = fs::read(example.path()).unwrap();
    let place = Place::new();
    for (table, column) in &columns {
        fs::write(place.path(), &bytes).unwrap();
        // Of libraries and collections there is one row for all exports.
        place.with(&format!("UPDATE OR IGNORE {table} SET {column} = NULL"));
        let found = read_all(&place.read()).unwrap();
        let is_needed = needed.contains(&(table, column));
        assert_eq!(found < 9, is_needed, "{table}.{column}: {found}");
    }
}

#[test]
fn associations_by_either_number() {
    let place = Place::new();
    let sql = create(&place, "UTF-8");
    sql.execute_batch(
        "INSERT INTO state_objects VALUES (x'01', 3, NULL, 4, NULL); \
         INSERT INTO groups VALUES (x'0a', 1, NULL, x'01'); \
         INSERT INTO root_signatures VALUES (x'02', x'07'); \
         INSERT INTO rt_pipeline_config VALUES (x'03', 1, 0); \
         INSERT INTO so_to_global_rs_associations VALUES (x'01', x'02'); \
         INSERT INTO so_to_local_rs_associations VALUES (x'01', x'02'); \
         INSERT INTO so_to_rt_pipeline_config_associations VALUES (x'01', x'03');",
    )
    .unwrap();
    for (number, key) in [
        (1, "02"),
        (31, "02"),
        (2, "02"),
        (32, "02"),
        (10, "03"),
        (12, "03"),
        (0, "ff"),
    ] {
        sql.execute_batch(&format!(
            "INSERT INTO subobject_to_exports_associations VALUES (x'{number:04}', {number}, x'{key}'); \
             INSERT INTO so_to_subobject_to_exports_associations VALUES (x'01', x'{number:04}');",
        ))
        .unwrap();
    }
    // An owner that is nobody's.
    sql.execute_batch(
        "INSERT INTO string_associations VALUES (NULL, 'stray'), (x'0001', 'Export')",
    )
    .unwrap();
    sql.close().unwrap();
    let desc = place
        .read()
        .find_state_object(&[0x0a])
        .unwrap()
        .unwrap()
        .desc;
    let subobjects: Vec<_> = desc.associations.iter().map(|a| a.subobject).collect();
    let expected = [
        Associated::GlobalRootSignature(0),
        Associated::GlobalRootSignature(0),
        Associated::LocalRootSignature(0),
        Associated::LocalRootSignature(0),
        Associated::PipelineConfig(0),
        Associated::PipelineConfig(0),
        Associated::Config,
    ];
    assert_eq!(subobjects, expected);
    assert_eq!(desc.associations[0].exports, ["Export"]);
}

#[test]
fn order_is_that_of_the_rows() {
    let place = Place::new();
    let sql = create(&place, "UTF-8");
    sql.execute_batch(
        "INSERT INTO input_element_descs VALUES (x'01', 'A', 0, 6, 0, 4294967295, 0, 0), (x'02', 'B', 0, 6, 0, -1, 0, 0), \
           (x'03', 'C', 0, 6, 0, 12, 0, 0); \
         INSERT INTO input_layout_to_input_element_associations VALUES (x'11', x'03'), (x'12', x'01'), (x'11', x'01'), \
           (x'11', x'02'); \
         INSERT INTO stream_out_descs VALUES (x'21', 4, 8, 12, 16, 2, -1); \
         INSERT INTO so_declarations VALUES (x'31', 0, '', 5, 0, 4, 0), (x'32', 0, 'POSITION', 0, 0, 4, 0); \
         INSERT INTO stream_output_desc_to_stream_output_decl_associations VALUES (x'21', x'32'), (x'21', x'31'); \
         INSERT INTO pipeline_states (Key, InputLayout, StreamOutDesc) VALUES (x'41', x'11', x'21'); \
         INSERT INTO groups VALUES (x'51', 0, x'41', NULL);",
    )
    .unwrap();
    sql.close().unwrap();
    let desc = place
        .read()
        .find_pipeline_state(&[0x51])
        .unwrap()
        .unwrap()
        .desc;
    let layout = desc.fixed_function.input_layout.unwrap();
    let names: Vec<_> = layout
        .iter()
        .map(|element| &element.semantic_name[..])
        .collect();
    assert_eq!(names, ["C", "A", "B"]);
    assert_eq!(
        [layout[1].aligned_byte_offset, layout[2].aligned_byte_offset],
        [u32::MAX; 2]
    );
    let output = desc.fixed_function.stream_output.unwrap();
    assert_eq!(
        (&output.strides[..], output.rasterized_stream),
        (&[4, 8][..], u32::MAX)
    );
    let semantics: Vec<_> = output
        .entries
        .iter()
        .map(|entry| {
            entry
                .semantic_name
                .clone()
                .map(|name| (name, entry.semantic_index))
        })
        .collect();
    assert_eq!(semantics, [Some(("POSITION".into(), 0)), None]);
}

#[test]
fn objects_of_several_keys_and_of_none() {
    let place = Place::new();
    let sql = create(&place, "UTF-8");
    sql.execute_batch(
        "INSERT INTO state_objects VALUES (x'01', 0, NULL, NULL, NULL), (x'02', 3, NULL, NULL, x'01'), \
           (x'03', 3, NULL, NULL, x'04'), (x'04', 0, NULL, NULL, NULL), (x'05', NULL, NULL, NULL, NULL); \
         INSERT INTO pipeline_states (Key) VALUES (x'01'); \
         INSERT INTO groups VALUES (x'a2', 1, NULL, x'02'), (x'a1', 1, NULL, x'01'), (x'a0', 2, NULL, x'01'), \
           (x'a3', 1, NULL, x'03'), (x'a4', 1, NULL, NULL), (x'a5', 1, x'01', x'01'), (x'a6', 1, NULL, x'05'); ",
    )
    .unwrap();
    sql.close().unwrap();
    let sodb = place.read();
    let found = sodb.find_state_object(&[0xa2]).unwrap().unwrap();
    assert_eq!(found.parent, Some(vec![0xa1]), "the first of two");
    let unnamed = sodb.find_state_object(&[0xa3]).unwrap_err();
    assert!(matches!(unnamed, Error::UnknownKey { .. }), "{unnamed}");
    for refused in [
        sodb.find_state_object(&[0xa4]).map(drop),
        sodb.find_pipeline_state(&[0xa4]).map(drop),
    ] {
        assert!(refused.unwrap_err().to_string().contains("names no object"));
    }
    // Of both, the pipeline state.
    assert_eq!(
        sodb.find_pipeline_state(&[0xa5]).unwrap().unwrap().desc,
        PipelineStateDesc::default()
    );
    assert_eq!(sodb.find_state_object(&[0xa5]).unwrap(), None);
    let no_type = sodb.find_state_object(&[0xa6]).unwrap_err();
    assert!(
        no_type.to_string().contains("state_objects.Type"),
        "{no_type}"
    );
    let kinds: Vec<_> = sodb
        .entries()
        .unwrap()
        .iter()
        .map(|e| (e.kind, e.is_incomplete))
        .collect();
    let expected = [
        (Kind::StateObject(Some(3)), false),
        (Kind::StateObject(Some(0)), false),
        (Kind::StateObject(Some(0)), false),
        (Kind::StateObject(Some(3)), true),
        (Kind::Nothing, false),
        (Kind::PipelineState, false),
        (Kind::StateObject(None), false),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(sodb.counts().unwrap().unnamed, 1);
}

#[test]
fn tables_and_columns_beyond_the_schema_are_ignored() {
    let place = Place::new();
    let sodb = place.create();
    corpus::fill(&sodb);
    sodb.close().unwrap();
    place.with(
        "CREATE TABLE notes (a, b); INSERT INTO notes VALUES (1, 2); CREATE INDEX more ON groups (SOKey); \
         ALTER TABLE groups ADD COLUMN note TEXT; CREATE VIEW looks AS SELECT * FROM groups;",
    );
    let sodb = Sodb::open(place.path(), Access::Write).unwrap();
    assert_eq!(sodb.entries().unwrap().len(), 9);
    sodb.store_state_object(b"new", 1, &StateObjectDesc::default(), None)
        .unwrap();
    assert_eq!(sodb.object_version(b"new").unwrap(), Some(1));
}

/// What a capture leaves: content that is in the log only.
pub fn left_log(with_index: bool) -> Place {
    let source = Place::new();
    let sql = create(&source, "UTF-8");
    sql.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; \
         INSERT INTO pipeline_states (Key) VALUES (x'01'); INSERT INTO groups VALUES (x'0a', 3, x'01', NULL);",
    )
    .unwrap();
    let place = Place::new();
    for (name, content) in files(source.folder.path()) {
        if with_index || !name.ends_with("-shm") {
            fs::write(place.folder.path().join(name), content).unwrap();
        }
    }
    place
}

#[test]
fn a_log_that_was_left_is_read_and_stays() {
    for with_index in [false, true] {
        let place = left_log(with_index);
        let before = place.files();
        assert_eq!(before.len(), if with_index { 3 } else { 2 });
        let sodb = place.read();
        assert_eq!(sodb.object_version(&[0x0a]).unwrap(), Some(3));
        assert!(sodb.find_pipeline_state(&[0x0a]).unwrap().is_some());
        drop(sodb);
        let after = place.files();
        let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
            files.iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(&after), names(&before));
        for ((name, before), (_, after)) in before.iter().zip(&after) {
            assert!(
                name.ends_with("-shm") || before == after,
                "{name} was changed"
            );
        }
    }
}

/// Of a file that cannot be written, which the tests of an administrator can all the same, a copy is read.
#[test]
fn a_log_beside_a_file_that_cannot_be_written_is_read() {
    let place = left_log(false);
    let before = place.files();
    let mut permissions = fs::metadata(place.path()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(place.path(), permissions).unwrap();
    assert_eq!(place.read().object_version(&[0x0a]).unwrap(), Some(3));
    assert_eq!(place.files(), before);
    let (folder, copy) = shader_db::temporary::copy_with_log(&place.path()).unwrap();
    Sodb::checkpoint(&copy).unwrap();
    let read = Sodb::open(&copy, Access::Read).unwrap();
    assert_eq!(read.object_version(&[0x0a]).unwrap(), Some(3));
    drop(read);
    drop(folder);
    assert!(!copy.exists());
    assert_eq!(place.files(), before);
}

#[test]
fn a_number_of_views_that_is_too_large_is_told_by_its_column() {
    let place = Place::new();
    let sql = create(&place, "UTF-8");
    sql.execute_batch(
        "INSERT INTO view_instancing_descs (Key, ViewInstanceCount, RenderFlags) VALUES (x'02', 4294967295, 0); \
         INSERT INTO pipeline_states (Key, ViewInstancingDesc) VALUES (x'01', x'02'); \
         INSERT INTO groups VALUES (x'0a', 3, x'01', NULL);",
    )
    .unwrap();
    sql.close().unwrap();
    let error = place.read().find_pipeline_state(&[0x0a]).unwrap_err();
    let told = "view_instancing_descs.ViewInstanceCount holds no number of views";
    assert!(error.to_string().ends_with(told), "{error}");
}

#[test]
fn a_log_that_was_left_is_folded_on_demand() {
    let place = left_log(true);
    Sodb::checkpoint(place.path()).unwrap();
    let after = place.files();
    assert_eq!(after.len(), 1);
    assert_eq!(after[0].1[18..20], [1, 1]);
    assert_eq!(place.read().object_version(&[0x0a]).unwrap(), Some(3));
    // There is nothing more to do.
    Sodb::checkpoint(place.path()).unwrap();
    assert_eq!(place.files(), after);

    let place = left_log(false);
    let other = Connection::open(place.path()).unwrap();
    other.execute_batch("BEGIN; SELECT * FROM groups;").unwrap();
    let busy = Sodb::checkpoint(place.path());
    assert!(matches!(busy, Err(Error::Busy { .. })), "{busy:?}");
    drop(other);
    Sodb::checkpoint(place.path()).unwrap();
    assert!(matches!(
        Sodb::checkpoint(place.folder.path().join("nobody")),
        Err(Error::NotFound { .. })
    ));
}

/// Closed in order, but never set back from the log.
#[test]
fn a_file_that_announces_a_log_and_has_none_is_read_in_place() {
    let place = Place::new();
    let sql = create(&place, "UTF-8");
    sql.execute_batch(
        "PRAGMA journal_mode = WAL; INSERT INTO pipeline_states (Key) VALUES (x'01'); \
         INSERT INTO groups VALUES (x'0a', 3, x'01', NULL);",
    )
    .unwrap();
    sql.close().unwrap();
    // Characters that mean something in a URI.
    let name = if cfg!(windows) {
        "a b#c%41&é.sodb"
    } else {
        "a ?b#c%41&é.sodb"
    };
    let odd = place.folder.path().join(name);
    fs::rename(place.path(), &odd).unwrap();
    let before = files(place.folder.path());
    assert_eq!(before.len(), 1);
    assert_eq!(before[0].1[18..20], [2, 2]);
    let sodb = Sodb::open(&odd, Access::Read).unwrap();
    // Of Windows, this is the form without limits.
    let again = Sodb::open(fs::canonicalize(&odd).unwrap(), Access::Read).unwrap();
    assert_eq!(sodb.object_version(&[0x0a]).unwrap(), Some(3));
    assert_eq!(files(place.folder.path()), before);
    drop((sodb, again));
    assert_eq!(files(place.folder.path()), before);
}

/// A writer without a log that died: the file is half-written, and its journal has what was there.
#[test]
fn a_journal_that_was_left_is_played_back() {
    let source = Place::new();
    let sql = create(&source, "UTF-8");
    sql.execute_batch(
        "INSERT INTO pipeline_states (Key) VALUES (x'01'); INSERT INTO groups VALUES (x'0a', 3, x'01', NULL); \
         PRAGMA cache_size = 2; BEGIN; UPDATE groups SET Version = 4; \
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) \
           INSERT INTO root_signatures SELECT randomblob(8), zeroblob(400) FROM n;",
    )
    .unwrap();
    for access in [Access::Read, Access::Write] {
        let place = Place::new();
        for (name, content) in files(source.folder.path()) {
            fs::write(place.folder.path().join(name), content).unwrap();
        }
        assert_eq!(place.files().len(), 2);
        let sodb = Sodb::open(place.path(), access).unwrap();
        assert_eq!(sodb.object_version(&[0x0a]).unwrap(), Some(3));
        sodb.close().unwrap();
        assert_eq!(place.files().len(), 1);
    }
}

#[cfg(unix)]
#[test]
fn media_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let place = left_log(false);
    let sqlite = |mode| {
        for (name, _) in place.files() {
            let path = place.folder.path().join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    sqlite(0o444);
    let before = place.files();
    // Who may do everything is not stopped by this; it is right either way.
    let sodb = place.read();
    assert_eq!(sodb.object_version(&[0x0a]).unwrap(), Some(3));
    drop(sodb);
    assert_eq!(place.files(), before);
    sqlite(0o644);
}
