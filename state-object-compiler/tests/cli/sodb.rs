//! The commands on SODBs.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use shader_db::sodb::{Access, PipelineStateDesc, ShaderStage, Sodb};

use crate::{Folder, application};

const NAME: &str = "игра ゲーム 🎮.sodb";

fn pipeline(shader: &[u8]) -> PipelineStateDesc {
    let mut desc = PipelineStateDesc::default();
    desc.shaders[ShaderStage::Compute] = Some(shader.into());
    desc
}

/// An SODB of pipelines: key, version, shader.
fn make(path: &Path, objects: &[(&[u8], u32, &[u8])]) {
    let sodb = Sodb::open(path, Access::Create).unwrap();
    for (key, version, shader) in objects {
        let desc = pipeline(shader);
        sodb.store_pipeline_state(key, *version, &desc).unwrap();
    }
    sodb.close().unwrap();
}

fn shader(path: &Path, key: &[u8]) -> Option<(u32, Vec<u8>)> {
    let sodb = Sodb::open(path, Access::Read).unwrap();
    let found = sodb.find_pipeline_state(key).unwrap()?;
    let shader = found.desc.shaders[ShaderStage::Compute].clone();
    Some((found.version, shader.unwrap().to_vec()))
}

#[test]
fn identity_that_was_set_is_printed() {
    let folder = Folder::new();
    make(&folder.path(NAME), &[(b"key", 1, b"code")]);
    let set = [
        "set-identity",
        NAME,
        "--name",
        "Моя игра",
        "--exe-filename",
        "игра.exe",
        "--app-version",
        "1.2.3",
        "--engine",
        "Engine",
        "--engine-version",
        "0xffff000000000001",
    ];
    assert_eq!(folder.output(&set), "");
    assert_eq!(
        folder.output(&["get-identity", NAME]),
        "Application Description:\n\
         \x20       Name: Моя игра\n\
         \x20       Exe Filename: игра.exe\n\
         \x20       Version: 1.2.3.0\n\
         \x20       Engine Name: Engine\n\
         \x20       Engine Version: 65535.0.0.1\n"
    );
    // All of it is replaced.
    folder.output(&[
        "set-identity",
        "--exe-filename",
        "b.exe",
        "--name",
        "B",
        NAME,
    ]);
    assert_eq!(
        folder.output(&["get-identity", NAME]),
        "Application Description:\n\
         \x20       Name: B\n\
         \x20       Exe Filename: b.exe\n\
         \x20       Version: 0.0.0.0\n\
         \x20       Engine Name: \n\
         \x20       Engine Version: 0.0.0.0\n"
    );
    insta::assert_snapshot!(folder.output(&["get-identity", NAME, "--format", "json"]), @r#"
    {
      "name": "B",
      "exe_filename": "b.exe",
      "version": "0.0.0.0",
      "engine_name": null,
      "engine_version": "0.0.0.0"
    }
    "#);
    assert_eq!(
        shader(&folder.path(NAME), b"key"),
        Some((1, b"code".to_vec()))
    );
    assert_eq!(folder.files(), [NAME]);
}

#[test]
fn a_path_is_no_file_name() {
    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[]);
    for path in ["C:\\game\\a.exe", "game/a.exe"] {
        let ran = folder.run(&[
            "set-identity",
            "a.sodb",
            "--name",
            "A",
            "--exe-filename",
            path,
        ]);
        assert_eq!((ran.code, &*ran.stdout), (0, ""));
        assert!(
            ran.stderr
                .starts_with("warning: the executable's file name is a path"),
            "{ran:?}"
        );
        assert!(folder.output(&["get-identity", "a.sodb"]).contains(path));
    }
}

#[test]
fn an_identity_cannot_forge_lines() {
    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[]);
    folder.output(&[
        "set-identity",
        "a.sodb",
        "--name",
        "A\n0:",
        "--exe-filename",
        "a.exe",
    ]);
    let output = folder.output(&["get-identity", "a.sodb"]);
    assert_eq!(output.lines().count(), 6, "{output}");
}

#[test]
fn no_identity_is_an_error() {
    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[]);
    assert_eq!(
        folder.failure(&["get-identity", "a.sodb"], 2),
        "error: a.sodb: no application identity is set; set-identity sets one\n"
    );
}

#[test]
fn reading_changes_no_byte() {
    let folder = Folder::new();
    let path = folder.path("a.sodb");
    make(&path, &[(b"key", 1, b"code")]);
    Sodb::open(&path, Access::Write)
        .unwrap()
        .set_application(&application())
        .unwrap();
    let before = fs::read(&path).unwrap();
    folder.output(&["get-identity", "a.sodb"]);
    folder.output(&["merge-sodb", "a.sodb", "--output", "b.sodb"]);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(folder.files(), ["a.sodb", "b.sodb"]);
}

#[test]
fn a_merge_makes_an_output_with_the_first_identity() {
    let folder = Folder::new();
    make(
        &folder.path("a.sodb"),
        &[(b"1", 1, b"one"), (b"2", 1, b"two"), (b"3", 5, b"new")],
    );
    make(
        &folder.path(NAME),
        &[(b"2", 1, b"two"), (b"3", 4, b"old"), (b"4", 1, b"four")],
    );
    for (file, name) in [("a.sodb", "A"), (NAME, "B")] {
        folder.output(&[
            "set-identity",
            file,
            "--name",
            name,
            "--exe-filename",
            "a.exe",
        ]);
    }
    let ran = folder.run(&["merge-sodb", "a.sodb", NAME, "--output", "out.sodb"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.stdout,
        format!(
            "a.sodb: 3 added, 0 replaced, 0 kept, 0 the same, 0 without a key, 0 left out\n\
             {NAME}: 1 added, 0 replaced, 1 kept, 1 the same, 0 without a key, 0 left out\n\
             out.sodb: 4 keys\n"
        )
    );
    assert_eq!(
        ran.stderr,
        format!(
            "warning: {NAME}: its application identity differs from that of out.sodb, which the output keeps\n\
             warning: key 33: the version in {NAME} is lower and was not taken\n"
        )
    );
    let out = folder.path("out.sodb");
    assert_eq!(shader(&out, b"1"), Some((1, b"one".to_vec())));
    assert_eq!(shader(&out, b"3"), Some((5, b"new".to_vec())));
    assert_eq!(shader(&out, b"4"), Some((1, b"four".to_vec())));
    assert!(
        folder
            .output(&["get-identity", "out.sodb"])
            .contains("Name: A\n")
    );
    assert_eq!(folder.files(), ["a.sodb", "out.sodb", NAME]);
}

#[test]
fn a_log_whose_file_was_removed_is_not_that_of_the_output() {
    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[(b"1", 1, b"one")]);
    let old = folder.path("old.sodb");
    make(&old, &[(b"2", 1, b"two")]);
    let connection = Connection::open(&old).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode=WAL; PRAGMA user_version=99")
        .unwrap();
    fs::copy(folder.path("old.sodb-wal"), folder.path("out.sodb-wal")).unwrap();
    drop(connection);
    fs::remove_file(&old).unwrap();
    folder.output(&["merge-sodb", "a.sodb", "--output", "out.sodb"]);
    assert_eq!(folder.files(), ["a.sodb", "out.sodb"]);
    assert_eq!(
        shader(&folder.path("out.sodb"), b"1"),
        Some((1, b"one".to_vec()))
    );
}

#[test]
fn a_merge_without_output_goes_to_the_last() {
    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[(b"1", 2, b"new")]);
    make(
        &folder.path("b.sodb"),
        &[(b"1", 1, b"old"), (b"2", 1, b"two")],
    );
    let ran = folder.run(&["merge-sodb", "a.sodb", "b.sodb", "--format", "json"]);
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.stdout, @r#"
    {
      "output": "b.sodb",
      "keys": 2,
      "inputs": [
        {
          "file": "a.sodb",
          "added": 0,
          "replaced": 1,
          "kept": 0,
          "same": 0,
          "without_key": 0,
          "left_out": 0
        }
      ],
      "failures": [],
      "warnings": [
        "key 31: the version in a.sodb is higher and was taken"
      ]
    }
    "#);
    assert_eq!(
        ran.stderr,
        "note: the output is the last SODB, b.sodb\n\
         warning: key 31: the version in a.sodb is higher and was taken\n"
    );
    assert_eq!(
        shader(&folder.path("b.sodb"), b"1"),
        Some((2, b"new".to_vec()))
    );
    assert_eq!(
        shader(&folder.path("b.sodb"), b"2"),
        Some((1, b"two".to_vec()))
    );
    assert_eq!(folder.files(), ["a.sodb", "b.sodb"]);
}

#[test]
fn a_bad_object_is_listed_and_the_others_are_merged() {
    let folder = Folder::new();
    let path = folder.path("a.sodb");
    make(
        &path,
        &[(b"1", 1, b"one"), (b"2", 1, b"two"), (b"3", 1, b"three")],
    );
    let sql = Connection::open(&path).unwrap();
    sql.execute_batch(
        "PRAGMA foreign_keys = OFF; \
         UPDATE groups SET Key = x'' WHERE Key = x'31'; \
         DELETE FROM groups WHERE Key = x'33'; \
         INSERT INTO groups VALUES (x'34', 1, x'00', NULL); \
         INSERT INTO pipeline_states (Key, BlendDesc) VALUES (x'01', x'02');",
    )
    .unwrap();
    drop(sql);
    make(&folder.path("b.sodb"), &[(b"9", 1, b"nine")]);
    let ran = folder.run(&["merge-sodb", "a.sodb", "b.sodb", "--output", "out.sodb"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        "a.sodb: 1 added, 0 replaced, 0 kept, 0 the same, 2 without a key, 3 left out\n\
         b.sodb: 1 added, 0 replaced, 0 kept, 0 the same, 0 without a key, 0 left out\n\
         out.sodb: 2 keys\n"
    );
    let errors: Vec<&str> = ran.stderr.lines().collect();
    for (error, parts) in errors.iter().zip([
        [
            "error: an object of a.sodb without a key: ",
            "blend_descs has no row 02",
        ],
        ["error: object  of a.sodb: ", "a key of no bytes"],
        [
            "error: object 34 of a.sodb: ",
            "pipeline_states has no row 00",
        ],
    ]) {
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
    assert_eq!(errors.len(), 3, "{}", ran.stderr);
    assert_eq!(folder.files(), ["a.sodb", "b.sodb", "out.sodb"]);
    let out = folder.path("out.sodb");
    assert_eq!(shader(&out, b"2"), Some((1, b"two".to_vec())));
    assert_eq!(shader(&out, b"9"), Some((1, b"nine".to_vec())));
    let counts = Sodb::open(&out, Access::Read).unwrap().counts().unwrap();
    assert_eq!((counts.pipeline_states, counts.unnamed), (4, 2));
}

/// Whatever input it is that fails, and when.
#[test]
fn an_input_that_fails_leaves_nothing_of_the_others() {
    let folder = Folder::new();
    make(&folder.path("good.sodb"), &[(b"good", 1, b"good")]);
    make(&folder.path("other.sodb"), &[(b"key", 1, b"other")]);
    make(&folder.path("out.sodb"), &[(b"key", 1, b"one")]);
    fs::write(folder.path("foreign.sodb"), b"text").unwrap();
    let before = fs::read(folder.path("out.sodb")).unwrap();
    for bad in ["other.sodb", "foreign.sodb", "missing.sodb"] {
        let ran = folder.run(&["merge-sodb", "good.sodb", bad, "out.sodb"]);
        assert_eq!(ran.code, 2, "{bad}: {}", ran.stderr);
        assert!(ran.stderr.contains(bad), "{}", ran.stderr);
        assert_eq!(shader(&folder.path("out.sodb"), b"good"), None, "{bad}");
    }
    assert_eq!(
        folder.files(),
        ["foreign.sodb", "good.sodb", "other.sodb", "out.sodb"]
    );
    let after = fs::read(folder.path("out.sodb")).unwrap();
    assert_eq!(after.len(), before.len());
}

#[test]
fn a_merge_that_contradicts_makes_nothing() {
    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[(b"key", 1, b"one")]);
    make(&folder.path("b.sodb"), &[(b"key", 1, b"other")]);
    let message = folder.failure(
        &["merge-sodb", "a.sodb", "b.sodb", "--output", "out.sodb"],
        2,
    );
    for part in ["6b6579", "b.sodb"] {
        assert!(message.contains(part), "{message}");
    }
    let ran = folder.run(&["merge-sodb", "a.sodb", "b.sodb"]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        shader(&folder.path("b.sodb"), b"key"),
        Some((1, b"other".to_vec()))
    );
    assert_eq!(folder.files(), ["a.sodb", "b.sodb"]);
}

#[test]
fn a_merge_refuses_a_file_given_twice() {
    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[]);
    let twice = ["merge-sodb", "a.sodb", "./a.sodb", "--output", "out.sodb"];
    assert_eq!(
        folder.failure(&twice, 2),
        "error: ./a.sodb is given twice\n"
    );
    let message = folder.failure(&["merge-sodb", "a.sodb"], 2);
    assert_eq!(
        message,
        "error: merge-sodb needs two SODBs, or --output and one\n"
    );
    assert_eq!(folder.files(), ["a.sodb"]);
}

/// An SODB as a program that was killed leaves it: with its log.
fn make_with_log(folder: &Folder, name: &str) {
    let path = folder.path("live.sodb");
    let sodb = Sodb::open(&path, Access::Create).unwrap();
    sodb.store_pipeline_state(b"key", 1, &pipeline(b"code"))
        .unwrap();
    fs::copy(&path, folder.path(name)).unwrap();
    let log = format!("{name}-wal");
    fs::copy(folder.path("live.sodb-wal"), folder.path(&log)).unwrap();
    drop(sodb);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_checkpoint_folds_the_log() {
    let folder = Folder::new();
    make_with_log(&folder, NAME);
    assert_eq!(folder.files(), [NAME.to_owned(), format!("{NAME}-wal")]);
    assert_eq!(folder.output(&["checkpoint-db", NAME]), "");
    assert_eq!(folder.files(), [NAME]);
    let moved = folder.path("moved.sodb");
    fs::rename(folder.path(NAME), &moved).unwrap();
    assert_eq!(shader(&moved, b"key"), Some((1, b"code".to_vec())));
    // Without a log there is nothing to do.
    assert_eq!(folder.output(&["checkpoint-db", "moved.sodb"]), "");
}

#[test]
fn a_log_is_read_and_left_alone() {
    let folder = Folder::new();
    make_with_log(&folder, "a.sodb");
    let before = fs::read(folder.path("a.sodb")).unwrap();
    folder.output(&["merge-sodb", "a.sodb", "--output", "out.sodb"]);
    assert_eq!(
        shader(&folder.path("out.sodb"), b"key"),
        Some((1, b"code".to_vec()))
    );
    assert_eq!(fs::read(folder.path("a.sodb")).unwrap(), before);
    assert_eq!(folder.files(), ["a.sodb", "a.sodb-wal", "out.sodb"]);
}

#[test]
fn a_file_in_use_is_worth_a_retry() {
    let folder = Folder::new();
    let sodb = Sodb::open(folder.path("a.sodb"), Access::Create).unwrap();
    sodb.store_pipeline_state(b"key", 1, &pipeline(b"code"))
        .unwrap();
    let message = folder.failure(&["checkpoint-db", "a.sodb"], 75);
    assert!(
        message.ends_with("a.sodb: locked by another session\n"),
        "{message}"
    );
}

#[test]
fn a_damaged_input_leaves_the_output_as_it_was() {
    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[(b"1", 1, b"one")]);
    make(&folder.path("b.sodb"), &[(b"2", 1, b"two")]);
    let path = folder.path("b.sodb");
    let mut bytes = fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let before = fs::read(folder.path("a.sodb")).unwrap();
    for args in [
        &["merge-sodb", "b.sodb", "a.sodb"][..],
        &["merge-sodb", "a.sodb", "b.sodb", "--output", "out.sodb"],
    ] {
        let ran = folder.run(args);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("b.sodb"), "{}", ran.stderr);
        assert_eq!(fs::read(folder.path("a.sodb")).unwrap(), before);
        assert_eq!(folder.files(), ["a.sodb", "b.sodb"]);
    }
}

/// The first file of a name that begins like this.
#[cfg(unix)]
fn temporary(folder: &Folder) -> Option<String> {
    let mut files = folder.files().into_iter();
    files.find(|name| name.starts_with(".shader-db-"))
}

#[cfg(unix)]
#[test]
fn an_interrupted_merge_leaves_nothing() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[(b"key", 1, b"code")]);
    let holder = Connection::open(folder.path("a.sodb")).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"))
        .current_dir(folder.path(""))
        .args(["merge-sodb", "a.sodb", "--output", "new.sodb"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let patience = Instant::now() + Duration::from_secs(30);
    while temporary(&folder).is_none() {
        assert!(Instant::now() < patience, "{:?}", folder.files());
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", "TERM", &id]).status();
    assert!(sent.unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(75));
    drop(holder);
    assert_eq!(folder.files(), ["a.sodb"]);
}

/// Whatever is beside the output, of any name, is no part of it.
#[test]
fn a_merge_takes_nothing_that_is_there() {
    let folder = Folder::new();
    make(&folder.path("a.sodb"), &[(b"key", 1, b"code")]);
    // As long as file systems have names.
    let output = format!("{}.sodb", "o".repeat(250));
    folder.output(&["merge-sodb", "a.sodb", "--output", &output]);
    assert_eq!(folder.files(), ["a.sodb", output.as_str()]);
    assert_eq!(shader(&folder.path(&output), b"key").unwrap().0, 1);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("real.sodb", folder.path("link.sodb")).unwrap();
        folder.output(&["merge-sodb", "a.sodb", "--output", "link.sodb"]);
        assert!(folder.path("link.sodb").is_symlink());
        assert!(shader(&folder.path("real.sodb"), b"key").is_some());
    }
}

#[test]
fn a_path_that_no_file_can_have_is_not_tried_again() {
    let folder = Folder::new();
    fs::write(folder.path("file"), "text").unwrap();
    make(&folder.path("a.sodb"), &[(b"key", 1, b"code")]);
    let long = "n".repeat(300);
    let is_no_path = [
        (long.as_str(), "the name is too long"),
        (
            "file/a",
            "a part of the path in front of the name is no folder",
        ),
        #[cfg(unix)]
        ("round", "its symbolic links lead in a circle"),
    ];
    #[cfg(unix)]
    std::os::unix::fs::symlink("round", folder.path("round")).unwrap();
    for (path, reason) in is_no_path {
        for args in [
            &["get-identity", path][..],
            &["stats", path],
            &["set-identity", path, "--name=a", "--exe-filename=a.exe"],
            &["merge-sodb", "a.sodb", "--output", path],
            &["merge-psdb", "a.psdb", "--output", path],
            &["compile", path, "out.psdb", "--plugin=sample"],
            &[
                "compile",
                "a.sodb",
                path,
                "--plugin=sample",
                "--name=a",
                "--exe-filename=a",
                "--adapter-family=0",
            ],
            &["list", "--plugin", path],
        ] {
            let ran = folder.run(args);
            assert_eq!(
                (ran.code, &*ran.stdout),
                (2, ""),
                "{args:?}: {}",
                ran.stderr
            );
            let is_said = ran.stderr.contains(reason) || cfg!(windows);
            assert!(
                is_said || ["merge-psdb", "list"].contains(&args[0]),
                "{args:?}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn a_precompiled_shader_database_is_called_so() {
    let folder = Folder::new();
    crate::make_psdb(&folder.path("a.psdb"), &[], &[]);
    assert_eq!(
        folder.failure(&["get-identity", "a.psdb"], 2),
        "error: a.psdb: not a database of this kind: it is a precompiled shader database (PSDB), not a state object \
         database (SODB)\n"
    );
}
