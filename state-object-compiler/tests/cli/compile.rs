//! `compile`, with the sample plugin and the SODB that ships as an example.

use std::fs;
use std::path::Path;

use shader_db::psdb::{File, remove_groups};
use shader_db::sodb::{
    Access, DxilLibrary, ExistingCollection, Export, PipelineStateDesc, ShaderStage, Sodb,
    StateObjectDesc,
};

use crate::{Folder, Ran};

/// Objects of the example.
pub const OBJECTS: usize = 18;

/// A folder with the example.
pub fn example() -> Folder {
    let folder = Folder::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/example.sodb");
    fs::copy(from, folder.path("пример.sodb")).unwrap();
    folder
}

/// The arguments that compile the example.
pub fn args<'a>(output: &'a str, family: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let args = [
        "compile",
        "пример.sodb",
        output,
        "--plugin",
        "sample",
        "--adapter-family",
        family,
    ];
    [&args, more].concat()
}

/// Compiles the example for the first family.
fn compile(folder: &Folder, output: &str, more: &[&str]) -> Ran {
    folder.run(&args(output, "0", more))
}

/// Compiles, without failures, and gives back the bytes of the file.
#[track_caller]
fn bytes(folder: &Folder, output: &str, more: &[&str]) -> Vec<u8> {
    let ran = compile(folder, output, more);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    fs::read(folder.path(output)).unwrap()
}

/// What a run said it did: compiled, up to date, failed.
pub fn counts(ran: &Ran) -> [usize; 3] {
    ["Compiled: ", "Up to date: ", "Failed: "].map(|label| {
        let line = ran.stdout.lines().find_map(|line| line.strip_prefix(label));
        line.expect("the line is there").parse().expect("a number")
    })
}

/// The lines that engine tools take for progress.
fn progress(output: &str) -> Vec<&str> {
    let is_progress =
        |line: &&str| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(" / ");
    output
        .split(['\n', '\r'])
        .map(str::trim_end)
        .filter(is_progress)
        .collect()
}

fn groups(path: &Path) -> u64 {
    File::open(path).unwrap().counts().unwrap().groups
}

#[test]
fn the_example_is_what_its_program_makes() {
    let folder = example();
    let made = Sodb::open(folder.path("made.sodb"), Access::Create).unwrap();
    example_sodb::fill(&made).unwrap();
    let shipped = Sodb::open(folder.path("пример.sodb"), Access::Read).unwrap();
    assert_eq!(shipped.application().unwrap(), made.application().unwrap());
    let entries = made.entries().unwrap();
    assert_eq!(entries.len(), OBJECTS);
    assert_eq!(shipped.entries().unwrap(), entries);
    for entry in entries {
        let key = &entry.key;
        assert_eq!(
            shipped.find_pipeline_state(key).unwrap(),
            made.find_pipeline_state(key).unwrap()
        );
        assert_eq!(
            shipped.find_state_object(key).unwrap(),
            made.find_state_object(key).unwrap()
        );
    }
}

#[test]
fn the_example_is_compiled_into_a_sound_file() {
    let folder = example();
    let before = fs::read(folder.path("пример.sodb")).unwrap();
    let ran = compile(&folder, "выход 🎮.psdb", &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let progress = progress(&ran.stdout);
    let last = progress.last().unwrap();
    assert_eq!(
        last.split_once(": ").unwrap().1,
        format!("{OBJECTS} / {OBJECTS}")
    );
    let (time, _) = last.split_once(": ").unwrap();
    assert!(
        time.len() == 8 && time.split(':').all(|part| part.parse::<u8>().is_ok()),
        "{time}"
    );
    assert!(ran.stdout.ends_with(
        "Output: выход 🎮.psdb\n\
         Adapter Family: Fabrikam Aurora\n\
         ABI Version: 3\n\
         Compiler Version: 4.2.118.0\n\
         Compiled: 18\n\
         Up to date: 0\n\
         Failed: 0\n"
    ));
    folder.output(&["verify", "выход 🎮.psdb"]);
    assert_eq!(groups(&folder.path("выход 🎮.psdb")), OBJECTS as u64);
    assert_eq!(folder.files(), ["выход 🎮.psdb", "пример.sodb"]);
    assert_eq!(fs::read(folder.path("пример.sodb")).unwrap(), before);
}

#[test]
fn the_bytes_do_not_depend_on_how_they_came() {
    let folder = example();
    let whole = bytes(&folder, "whole.psdb", &["--single-threaded"]);
    assert!(bytes(&folder, "threads.psdb", &["--max-threads", "7"]) == whole);
    // Again: nothing to do.
    let ran = compile(&folder, "whole.psdb", &[]);
    assert_eq!((ran.code, counts(&ran)), (0, [0, OBJECTS, 0]));
    assert!(fs::read(folder.path("whole.psdb")).unwrap() == whole);
    // In steps, the last of which has to make again what is there, because more is made from it.
    bytes(
        &folder,
        "steps.psdb",
        &["--no-psos", "--no-add-to-state-objects"],
    );
    bytes(&folder, "steps.psdb", &["--key", "forward lit"]);
    let ran = compile(&folder, "steps.psdb", &[]);
    assert_eq!((ran.code, counts(&ran)), (0, [OBJECTS - 5, 5, 0]));
    assert!(fs::read(folder.path("steps.psdb")).unwrap() == whole);
    // In parts that are merged.
    bytes(
        &folder,
        "a.psdb",
        &["--no-state-objects", "--no-add-to-state-objects"],
    );
    bytes(&folder, "b.psdb", &["--no-psos"]);
    folder.output(&["merge-psdb", "b.psdb", "a.psdb", "--output", "merged.psdb"]);
    assert!(fs::read(folder.path("merged.psdb")).unwrap() == whole);
    folder.output(&["diff-psdb", "merged.psdb", "whole.psdb"]);
}

#[test]
fn only_what_is_asked_for_is_stored() {
    let folder = example();
    for (file, args, stored) in [
        ("a.psdb", &["--no-psos"][..], 5),
        ("b.psdb", &["--no-state-objects"], 14),
        ("c.psdb", &["--no-psos", "--no-state-objects"], 1),
        ("d.psdb", &["--no-psos", "--psos"], OBJECTS),
        ("e.psdb", &["--key", "rays: more noise"], 1),
        ("f.psdb", &["--key", "rays", "--psos", "--state-objects"], 1),
    ] {
        bytes(&folder, file, args);
        assert_eq!(groups(&folder.path(file)), stored as u64, "{args:?}");
    }
    for (key, form) in [
        ("rays", "text"),
        ("hex:72617973", "hexadecimal digits"),
        ("72617973", "hexadecimal digits"),
    ] {
        let ran = compile(&folder, "g.psdb", &["--key", key]);
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        let line = format!("\nKey: 72617973, given as {form}\n");
        assert!(ran.stdout.contains(&line), "{key}: {}", ran.stdout);
    }
    let none = compile(&folder, "h.psdb", &["--key", "none"]);
    assert_eq!(none.code, 2);
    assert!(!folder.path("h.psdb").exists());
}

#[test]
fn what_a_program_passes_for_nothing_is_nothing() {
    let folder = example();
    let nothing = ["--key", "", "--pdb", "", "--perf", "", "--abi", "0"];
    assert!(bytes(&folder, "a.psdb", &nothing) == bytes(&folder, "b.psdb", &[]));
    let args = ["replay", "пример.sodb", "--adapter", "0", "--key", ""];
    let text = folder.output(&args);
    assert!(text.contains("Created: 18 of 18"), "{text}");
}

/// Where a row has no key, or text for one.
#[test]
fn a_row_without_a_key_costs_only_itself() {
    let folder = example();
    let sodb = rusqlite::Connection::open(folder.path("пример.sodb")).unwrap();
    for key in ["x''", "'text'"] {
        let insert = format!(
            "INSERT INTO groups(Key, Version, PSOKey, SOKey) SELECT {key}, Version, PSOKey, SOKey FROM groups LIMIT 1"
        );
        sodb.execute(&insert, []).unwrap();
    }
    drop(sodb);
    for (output, mode) in [("a.psdb", &[][..]), ("b.psdb", &["--in-process"])] {
        for expected in [[OBJECTS, 0, 2], [0, OBJECTS, 2], [0, OBJECTS, 2]] {
            let ran = compile(&folder, output, mode);
            assert_eq!((ran.code, counts(&ran)), (1, expected), "{ran:?}");
            let line = "error: object without a key: its key in the SODB is not a blob of 1 to ";
            let lines = ran.stderr.lines().filter(|text| text.starts_with(line));
            assert_eq!(
                (lines.count(), ran.stderr.lines().count()),
                (2, 2),
                "{ran:?}"
            );
        }
    }
    // A version that is none is not another version of what the file has.
    let sodb = rusqlite::Connection::open(folder.path("пример.sodb")).unwrap();
    let damage = "UPDATE groups SET Version = 'new' WHERE Key = CAST('rays' AS BLOB)";
    assert_eq!(sodb.execute(damage, []).unwrap(), 1);
    drop(sodb);
    let before = fs::read(folder.path("a.psdb")).unwrap();
    let ran = compile(&folder, "a.psdb", &[]);
    assert_eq!(
        (ran.code, counts(&ran)),
        (1, [0, OBJECTS - 1, 3]),
        "{ran:?}"
    );
    assert_eq!(ran.stderr.lines().count(), 3, "{ran:?}");
    assert!(fs::read(folder.path("a.psdb")).unwrap() == before);
}

/// The version of an engine without a name is none, whoever wrote it, and wherever the plugin runs.
#[test]
fn the_version_of_no_engine_is_0() {
    let folder = example();
    let modes = [("a.psdb", &[][..]), ("b.psdb", &["--in-process"])];
    for (output, mode) in modes {
        let ran = compile(
            &folder,
            output,
            &[mode, &["--engine-version", "7"]].concat(),
        );
        assert_eq!(ran.code, 2);
        let message = "error: --engine-version needs an engine: ";
        assert!(ran.stderr.starts_with(message), "{ran:?}");
        assert!(!folder.path(output).exists());
        bytes(
            &folder,
            output,
            &[mode, &["--engine-version", "0x0"]].concat(),
        );
        fs::remove_file(folder.path(output)).unwrap();
    }
    let sodb = rusqlite::Connection::open(folder.path("пример.sodb")).unwrap();
    let version = "UPDATE app_id SET engine_name = NULL, engine_version = 7";
    assert_eq!(sodb.execute(version, []).unwrap(), 1);
    drop(sodb);
    for (output, mode) in modes {
        let ran = compile(&folder, output, mode);
        let warning =
            "warning: пример.sodb has the version 0.0.0.7 of an engine without a name; 0 is used\n";
        assert_eq!((ran.code, &*ran.stderr), (0, warning));
        let file = File::open(&folder.path(output)).unwrap();
        assert_eq!(file.application().engine_version, 0);
    }
    assert!(fs::read(folder.path("a.psdb")).unwrap() == fs::read(folder.path("b.psdb")).unwrap());
    for (output, mode) in [("a.psdb", &["--in-process"][..]), ("b.psdb", &[])] {
        let ran = compile(&folder, output, mode);
        assert_eq!((ran.code, counts(&ran)), (0, [0, OBJECTS, 0]), "{ran:?}");
    }
}

/// What programs make to have a name of their own.
#[test]
fn files_without_a_byte_are_new_ones() {
    let folder = example();
    let with = |output: &str, debug: &str| bytes(&folder, output, &["--pdb", debug]);
    let expected = with("a.psdb", "a.pdb.psdb");
    for name in ["b.psdb", "b.pdb.psdb"] {
        fs::write(folder.path(name), "").unwrap();
    }
    assert!(with("b.psdb", "b.pdb.psdb") == expected);
    let [a, b] = ["a", "b"].map(|name| fs::read(folder.path(&format!("{name}.pdb.psdb"))).unwrap());
    assert!(a == b);
    for (merge, input, output) in [
        ("merge-psdb", "a.psdb", "merged.psdb"),
        ("merge-sodb", "пример.sodb", "merged.sodb"),
    ] {
        fs::write(folder.path(output), "").unwrap();
        folder.output(&[merge, input, "--output", output]);
        assert!(
            fs::metadata(folder.path(output)).unwrap().len() > 0,
            "{merge}"
        );
    }
}

/// The list of what is taken of a collection does not hide what that needs.
#[test]
fn a_listed_hit_group_has_its_shaders() {
    let folder = example();
    let sodb = Sodb::open(folder.path("пример.sodb"), Access::Write).unwrap();
    let library =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../dxil/corpus/dxil/rt_subobjects_lib63.dxil");
    let collection = StateObjectDesc {
        kind: api_sys::D3D12_STATE_OBJECT_TYPE_COLLECTION,
        libraries: vec![DxilLibrary {
            bytecode: fs::read(library).unwrap().into(),
            exports: Vec::new(),
        }],
        ..Default::default()
    };
    let pipeline = StateObjectDesc {
        kind: api_sys::D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
        collections: vec![ExistingCollection {
            collection: b"hits".as_slice().into(),
            exports: vec![Export {
                name: "boxes".into(),
                export_to_rename: Some("box_group".into()),
                flags: 0,
            }],
        }],
        ..Default::default()
    };
    for (key, desc) in [(&b"hits"[..], &collection), (b"over hits", &pipeline)] {
        sodb.store_state_object(key, 1, desc, None).unwrap();
    }
    sodb.close().unwrap();
    let ran = compile(&folder, "a.psdb", &[]);
    assert_eq!(
        (ran.code, counts(&ran)),
        (0, [OBJECTS + 2, 0, 0]),
        "{ran:?}"
    );
}

/// Names in an SODB, and with them messages, are anybody's.
#[test]
fn a_name_forges_no_line() {
    let folder = example();
    let sodb = Sodb::open(folder.path("пример.sodb"), Access::Write).unwrap();
    let mut desc = example_sodb::noise().unwrap();
    desc.libraries[0].exports[0].name = "a\n00:00:01: 998 / 999\n\u{1b}[2J".into();
    sodb.store_state_object(b"forged", 1, &desc, None).unwrap();
    sodb.close().unwrap();
    for mode in [&[][..], &["--in-process"]] {
        let ran = compile(&folder, "a.psdb", &[mode, &["--show-info-queue"]].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        let shown = ran.stderr.lines().find(|line| line.contains("998 / 999"));
        let shown = shown.expect("the name is shown");
        assert!(
            shown.starts_with("info queue: object 666f72676564: "),
            "{shown}"
        );
        assert_eq!(progress(&ran.stderr), Vec::<&str>::new());
        assert!(!ran.stderr.contains('\u{1b}'), "{ran:?}");
    }
}

#[test]
fn every_family_and_abi_compiles_or_lists_what_it_has_not() {
    let folder = example();
    for (family, abis, failed) in [
        ("Fabrikam Aurora", &["1", "2", "3"][..], 0),
        ("Fabrikam Borealis", &["3", "4", "5"], 1),
        ("Fabrikam Cirrus", &["1"], 4),
    ] {
        for abi in abis {
            let output = format!("{family} {abi}.psdb");
            // As an engine's tool calls it.
            let more = [
                "--abi",
                abi,
                "--name",
                "Example",
                "--exe-filename",
                "Example.exe",
            ];
            let ran = folder.run(&args(&output, family, &more));
            assert_eq!(ran.code, i32::from(failed != 0));
            assert_eq!(counts(&ran), [OBJECTS - failed, 0, failed]);
            assert_eq!(ran.stderr.lines().count(), failed, "{}", ran.stderr);
            assert_eq!(groups(&folder.path(&output)), (OBJECTS - failed) as u64);
            folder.output(&["verify", &output]);
        }
    }
}

/// Also if the plugin has newer ones.
#[test]
fn what_fails_is_listed_with_what_is_made_from_it() {
    let folder = example();
    let ran = folder.run(&args("a.psdb", "2", &[]));
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!(ran.stderr);
    fs::remove_file(folder.path("a.psdb")).unwrap();
    let json = folder.run(&args("a.psdb", "2", &["--format", "json"]));
    assert_eq!((json.code, json.stderr), (1, ran.stderr));
    insta::assert_snapshot!(json.stdout);
}

#[test]
fn a_bad_object_costs_only_itself() {
    let folder = example();
    let sodb = Sodb::open(folder.path("пример.sodb"), Access::Write).unwrap();
    let mut bad = PipelineStateDesc::default();
    bad.shaders[ShaderStage::Compute] = Some(b"no DXIL"[..].into());
    sodb.store_pipeline_state(b"bad\0", 1, &bad).unwrap();
    sodb.close().unwrap();
    let ran = compile(&folder, "a.psdb", &["--show-info-queue"]);
    assert_eq!(ran.code, 1);
    assert_eq!(counts(&ran), [OBJECTS, 0, 1]);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let message = "info queue: object 62616400: ERROR: ";
    let id = "CREATECOMPUTESHADER_INVALIDSHADERBYTECODE";
    let mut shown = lines.iter().filter(|line| line.starts_with(message));
    assert!(
        shown.next().is_some_and(|line| line.contains(id)),
        "{lines:?}"
    );
    let last = lines[lines.len() - 1];
    assert!(
        last.starts_with("error: object 62616400 (\"bad\"): "),
        "{last}"
    );
    let quiet = compile(&folder, "b.psdb", &[]);
    assert_eq!(quiet.stderr.lines().count(), 1);
    // It is tried again, and the others are not.
    let again = compile(&folder, "a.psdb", &[]);
    assert_eq!((again.code, counts(&again)), (1, [0, OBJECTS, 1]));
}

#[test]
fn messages_of_validation_are_shown_with_severity_category_id_and_key() {
    let folder = example();
    let sodb = Sodb::open(folder.path("пример.sodb"), Access::Write).unwrap();
    let mut desc = example_sodb::forward("plain").unwrap();
    desc.fixed_function.sample_mask = Some(0);
    sodb.store_pipeline_state(b"\xff", 1, &desc).unwrap();
    desc.shaders[ShaderStage::Vertex] = Some(b"no DXIL"[..].into());
    sodb.store_pipeline_state(b"bad", 1, &desc).unwrap();
    sodb.close().unwrap();
    let ran = compile(&folder, "a.psdb", &["--show-info-queue"]);
    assert_eq!((ran.code, counts(&ran)), (1, [OBJECTS + 1, 0, 1]));
    for (object, ending) in [
        (
            "ff: WARNING: ",
            " [STATE_CREATION #1352: GRAPHICS_PIPELINE_STATE_DESC_ZERO_SAMPLE_MASK]",
        ),
        (
            "626164: ERROR: ",
            " [STATE_CREATION #67: CREATEVERTEXSHADER_INVALIDSHADERBYTECODE]",
        ),
    ] {
        let begin = format!("info queue: object {object}");
        let mut lines = ran.stderr.lines();
        let found = lines.find(|line| line.starts_with(&begin) && line.ends_with(ending));
        assert!(found.is_some(), "{begin}{ending}: {}", ran.stderr);
    }
    let quiet = compile(&folder, "b.psdb", &[]);
    assert_eq!(quiet.stderr.lines().count(), 1, "{}", quiet.stderr);
}

/// What `/proc` says of a process's threads.
#[cfg(target_os = "linux")]
fn niceness(process: u32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let stats = threads.into_iter().flatten().flatten();
    let stats = stats.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
    stats
        .map(|stat| {
            let (_, fields) = stat.rsplit_once(") ").expect("a name in brackets");
            let field = fields.split(' ').nth(16).expect("the 19th field");
            field.parse().expect("a number")
        })
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn every_thread_gives_way() {
    let folder = Folder::new();
    make_many(&folder.path("a.sodb"), 1000);
    for (number, (priority, nice)) in [
        (&["--priority=idle"][..], 19),
        (&["--priority", "below-normal"], 10),
        (&["--priority"], 10),
    ]
    .into_iter()
    .enumerate()
    {
        let output = format!("{number}.psdb");
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"))
            .current_dir(folder.path(""))
            .args(["compile", "a.sodb", &output, "--plugin", "sample"])
            .args(["--adapter-family", "0", "--max-threads", "2"])
            .args(priority)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // The main thread and those that compile.
        let mut seen = Vec::new();
        while child.try_wait().unwrap().is_none() && seen.len() < 3 {
            seen = niceness(child.id());
        }
        let _ = child.kill();
        child.wait().unwrap();
        assert!(
            seen.len() >= 3 && seen.iter().all(|seen| *seen >= nice),
            "{priority:?}: {seen:?}"
        );
    }
}

/// Gives these pipelines of the example another content, and version.
fn change(folder: &Folder, keys: &[&[u8]], version: u32) {
    let sodb = Sodb::open(folder.path("пример.sodb"), Access::Write).unwrap();
    for key in keys {
        let mut desc = sodb.find_pipeline_state(key).unwrap().unwrap().desc;
        desc.node_mask = Some(version);
        sodb.store_pipeline_state(key, version, &desc).unwrap();
    }
    sodb.close().unwrap();
}

fn set_journal_mode(path: &Path, mode: &str) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection
        .query_row(&format!("PRAGMA journal_mode={mode}"), [], |_| Ok(()))
        .unwrap();
}

#[test]
fn a_changed_object_is_compiled_again() {
    let folder = example();
    bytes(&folder, "a.psdb", &[]);
    change(&folder, &[b"heap_cs", b"meshlets"], 2);
    let ran = compile(&folder, "a.psdb", &[]);
    assert_eq!((ran.code, counts(&ran)), (0, [2, OBJECTS - 2, 0]));
    assert_eq!(
        ran.stderr,
        "warning: 2 objects of пример.sodb have no key and are not compiled\n\
         warning: 2 objects had another version in a.psdb: they are compiled again\n"
    );
    assert_eq!(compile(&folder, "new.psdb", &[]).code, 0);
    let [added_to, new] = ["a.psdb", "new.psdb"].map(|name| fs::read(folder.path(name)).unwrap());
    assert!(added_to == new);
}

/// The run before was killed when some files had lost what has another version now, or could not go on.
#[test]
fn what_was_removed_from_one_file_only_is_removed_from_the_others() {
    let pdb = ["--pdb", "a.pdb"];
    for (mode, more) in [
        ("delete", &[][..]),
        ("wal", &[]),
        ("wal", &["--in-process"]),
    ] {
        let folder = example();
        bytes(&folder, "a.psdb", &pdb);
        change(&folder, &[b"heap_cs", b"meshlets"], 2);
        set_journal_mode(&folder.path("a.psdb"), mode);
        remove_groups(&[folder.path("a.pdb")], &[b"heap_cs"]).unwrap();
        let ran = compile(&folder, "a.psdb", &[&pdb[..], more].concat());
        assert_eq!(
            (ran.code, counts(&ran)),
            (0, [2, OBJECTS - 2, 0]),
            "{}",
            ran.stderr
        );
        assert_eq!(compile(&folder, "b.psdb", &["--pdb", "b.pdb"]).code, 0);
        for end in ["psdb", "pdb"] {
            let [a, b] = ["a", "b"].map(|name| fs::read(folder.path(&format!("{name}.{end}"))));
            assert!(a.unwrap() == b.unwrap(), "{mode} {end}");
        }
    }
}

#[test]
fn pdbs_and_performance_data_go_to_files_of_their_own() {
    let folder = example();
    bytes(
        &folder,
        "code.psdb",
        &["--pdb", "pdb.psdb", "--perf", "perf.psdb"],
    );
    let values = |file| {
        File::open(&folder.path(file))
            .unwrap()
            .counts()
            .unwrap()
            .values
    };
    let [code, metadata, pdbs, performance] = values("code.psdb");
    assert!(code > 0 && metadata > 0 && pdbs == 0 && performance == 0);
    assert!(matches!(values("pdb.psdb"), [0, 0, 1..=u64::MAX, 0]));
    assert!(matches!(values("perf.psdb"), [0, 0, 0, 1..=u64::MAX]));
    folder.output(&["verify", "code.psdb", "pdb.psdb", "perf.psdb"]);
    let ran = compile(&folder, "new.psdb", &["--pdb", "pdb.psdb"]);
    assert_eq!(ran.code, 2);
    let text = "error: pdb.psdb exists, and new.psdb does not: ";
    assert!(ran.stderr.contains(text), "{}", ran.stderr);
    assert!(!folder.path("new.psdb").exists());
}

/// A session commits to the side files first.
#[test]
fn what_only_a_side_file_got_is_compiled_again() {
    let folder = example();
    bytes(&folder, "whole.psdb", &["--pdb", "whole.pdb"]);
    for end in ["psdb", "pdb"] {
        let [whole, path] = ["whole", "a"].map(|name| folder.path(&format!("{name}.{end}")));
        fs::copy(whole, path).unwrap();
    }
    let [main, side] = ["a.psdb", "a.pdb"].map(|name| folder.path(name));
    remove_groups(&[&main], &[b"heap_cs"]).unwrap();
    // As a killed run leaves them.
    for path in [&main, &side] {
        set_journal_mode(path, "wal");
    }
    let ran = compile(&folder, "a.psdb", &["--pdb", "a.pdb"]);
    assert_eq!(
        (ran.code, counts(&ran)),
        (0, [1, OBJECTS - 1, 0]),
        "{}",
        ran.stderr
    );
    for end in ["psdb", "pdb"] {
        let [a, whole] = ["a", "whole"].map(|name| fs::read(folder.path(&format!("{name}.{end}"))));
        assert!(a.unwrap() == whole.unwrap(), "{end}");
    }
}

/// Not even if the SODB has a third one.
#[test]
fn files_with_other_versions_of_an_object_are_not_written_together() {
    let folder = example();
    bytes(&folder, "one.psdb", &["--pdb", "one.pdb"]);
    change(&folder, &[b"meshlets"], 2);
    assert_eq!(compile(&folder, "two.psdb", &["--pdb", "two.pdb"]).code, 0);
    change(&folder, &[b"meshlets"], 3);
    let read = || ["one.psdb", "two.pdb"].map(|file| fs::read(folder.path(file)).unwrap());
    let before = read();
    for more in [&[][..], &["--perf", "new.perf"]] {
        let args = [&["--pdb", "two.pdb"], more].concat();
        let ran = compile(&folder, "one.psdb", &args);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(before == read());
        assert!(!folder.path("new.perf").exists());
    }
}

/// As many objects, but others.
#[test]
fn files_of_several_runs_are_not_written_together() {
    let folder = example();
    for (name, key) in [("one", "rays"), ("two", "heap_cs")] {
        let [output, pdb] = ["psdb", "pdb"].map(|end| format!("{name}.{end}"));
        bytes(&folder, &output, &["--key", key, "--pdb", &pdb]);
    }
    let (output, pdb) = ("one.psdb", "two.pdb");
    // Nor is anything of another version removed from them.
    for changed in [None, Some(b"meshlets".as_slice()), Some(b"heap_cs")] {
        change(&folder, changed.as_slice(), 2);
        let read = || [output, pdb].map(|file| fs::read(folder.path(file)).unwrap());
        // Also if a run that was killed has left one of them.
        for (killed, mode) in [(false, "delete"), (true, "wal")] {
            set_journal_mode(&folder.path(output), mode);
            let before = read();
            for more in [&[][..], &["--in-process"]] {
                let ran = compile(&folder, output, &[&["--pdb", pdb], more].concat());
                assert_eq!(ran.code, 2, "{killed}: {}", ran.stderr);
                let message = format!("{pdb} has objects that {output} has not");
                assert!(ran.stderr.contains(&message), "{}", ran.stderr);
            }
            assert!(before == read());
        }
        let verified = folder.run(&["verify", output, pdb]);
        assert_eq!(verified.code, 1, "{}", verified.stdout);
        let missing = format!("is missing; {output} has it");
        assert!(verified.stdout.contains(&missing), "{}", verified.stdout);
    }
}

#[test]
fn a_run_that_was_killed_before_it_had_made_the_second_file_goes_on() {
    let folder = example();
    bytes(
        &folder,
        "none.psdb",
        &[
            "--no-psos",
            "--no-state-objects",
            "--no-add-to-state-objects",
        ],
    );
    let ran = compile(&folder, "none.psdb", &["--pdb", "none.pdb"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder.output(&["verify", "none.psdb", "none.pdb"]);
}

#[test]
fn a_key_that_is_left_out_is_a_warning() {
    let folder = example();
    for (more, text) in [
        (&["--no-psos"][..], "of a kind that is left out"),
        (&["--shard", "0/3"], "not in shard 0/3, or is left out"),
    ] {
        let args = [&["--key", "heap_cs"], more].concat();
        let ran = compile(&folder, "a.psdb", &args);
        let warning = format!("warning: nothing is compiled: the object of this key is {text}\n");
        assert_eq!((ran.code, ran.stderr), (0, warning));
    }
}

#[test]
fn the_identity_is_that_of_the_sodb_with_what_is_given() {
    let folder = example();
    let ran = compile(
        &folder,
        "a.psdb",
        &["--app-version", "9.8", "--engine", "Engine"],
    );
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.stderr,
        "warning: the application identity differs from that of пример.sodb, by which a runtime finds the objects\n"
    );
    let file = File::open(&folder.path("a.psdb")).unwrap();
    let application = file.application();
    assert_eq!(
        (&*application.name, &*application.exe),
        ("Example", "Example.exe")
    );
    assert_eq!(application.version, 0x0009_0008_0000_0000);
    assert_eq!(application.engine_name.as_deref(), Some("Engine"));
    // The file is of that identity now.
    let other = compile(&folder, "a.psdb", &[]);
    assert_eq!(other.code, 2);
    assert!(
        other
            .stderr
            .contains("a.psdb: its application's version is 9.8.0.0, not "),
        "{}",
        other.stderr
    );
    let same = ["--app-version", "9.8", "--engine", "Engine"];
    let other = folder.run(&args("a.psdb", "1", &same));
    assert_eq!(other.code, 2);
    let text = "its adapter family is \"Fabrikam Aurora\", not \"Fabrikam Borealis\"";
    assert!(other.stderr.contains(text), "{}", other.stderr);

    Sodb::open(folder.path("bare.sodb"), Access::Create)
        .unwrap()
        .close()
        .unwrap();
    let args = [
        "compile",
        "bare.sodb",
        "b.psdb",
        "--plugin",
        "sample",
        "--adapter-family",
        "0",
    ];
    assert_eq!(
        folder.failure(&args, 2),
        "error: bare.sodb does not say which application it is for: give --name and --exe-filename, or use \
         set-identity\n"
    );
    folder.output(&[&args[..], &["--name", "Bare", "--exe-filename", "b.exe"]].concat());
}

#[test]
fn what_cannot_begin_exits_with_2_and_makes_nothing() {
    let folder = example();
    for (args, text) in [
        (&["--adapter-family", "0"][..], "try --plugin sample"),
        (
            &["--plugin", "sample"],
            "0 (Fabrikam Aurora), 1 (Fabrikam Borealis), 2 (Fabrikam Cirrus)",
        ),
        (
            &["--plugin", "sample", "--adapter-family", "3"],
            "no adapter family \"3\"",
        ),
        (
            &["--plugin", "sample", "--adapter-family", "fabrikam aurora"],
            "no adapter family",
        ),
        (
            &["--plugin", "sample", "--adapter-family", "0", "--abi", "9"],
            "reports ABI versions 3, 2, 1 for family 0, not 9",
        ),
        (
            &["--plugin", "none.dll", "--adapter-family", "0"],
            "none.dll",
        ),
        (
            &[
                "--plugin",
                "sample",
                "--adapter-family",
                "0",
                "--max-threads",
                "0",
            ],
            "--max-threads",
        ),
        (
            &[
                "--plugin",
                "sample",
                "--adapter-family",
                "0",
                "--app-version",
                "x",
            ],
            "--app-version",
        ),
    ] {
        let all = [&["compile", "пример.sodb", "a.psdb"], args].concat();
        let message = folder.failure(&all, 2);
        assert!(message.contains(text), "{args:?}: {message}");
        assert_eq!(folder.files(), ["пример.sodb"], "{args:?}");
    }
    let ran = compile(&folder, "no/such/a.psdb", &[]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    fs::write(folder.path("a.psdb"), "mine").unwrap();
    assert_eq!(compile(&folder, "a.psdb", &[]).code, 2);
    assert_eq!(fs::read(folder.path("a.psdb")).unwrap(), b"mine");
}

#[test]
fn damage_in_the_sodb_costs_only_what_it_is_in() {
    let folder = example();
    // In the DXIL of one shader that nothing else uses.
    let shader = fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../dxil/corpus/dxil/histogram_cs.dxil"),
    )
    .unwrap();
    crate::damage(&folder.path("пример.sodb"), &shader[8..40]);
    let ran = compile(&folder, "a.psdb", &[]);
    assert!([0, 1].contains(&ran.code), "{ran:?}");
    let [compiled, _, failed] = counts(&ran);
    assert!(
        compiled >= OBJECTS - 1 && compiled + failed == OBJECTS,
        "{ran:?}"
    );
    folder.output(&["verify", "a.psdb"]);
}

/// Pipelines that differ in a number only, so that each is compiled.
pub fn make_many(path: &Path, count: u32) {
    let sodb = Sodb::open(path, Access::Create).unwrap();
    sodb.set_application(&crate::application()).unwrap();
    let mut desc = example_sodb::forward("full").unwrap();
    for number in 0..count {
        desc.fixed_function.sample_mask = Some(number);
        let key = number.to_le_bytes();
        sodb.store_pipeline_state(&key, 1, &desc).unwrap();
    }
    sodb.close().unwrap();
}

#[test]
fn a_run_that_is_killed_goes_on() {
    const COUNT: usize = 1000;
    let folder = Folder::new();
    make_many(&folder.path("a.sodb"), u32::try_from(COUNT).unwrap());
    let args = |output| {
        [
            "compile",
            "a.sodb",
            output,
            "--plugin",
            "sample",
            "--adapter-family",
            "0",
        ]
    };
    let whole = folder.run(&args("whole.psdb"));
    assert_eq!(
        (whole.code, counts(&whole)),
        (0, [COUNT, 0, 0]),
        "{whole:?}"
    );

    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"))
        .current_dir(folder.path(""))
        .args(args("killed.psdb"))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let is_stored = || {
        let file = File::open(&folder.path("killed.psdb"));
        file.and_then(|file| file.counts())
            .is_ok_and(|counts| counts.groups > 0)
    };
    while child.try_wait().unwrap().is_none() && !is_stored() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let resumed = folder.run(&args("killed.psdb"));
    let [compiled, up_to_date, failed] = counts(&resumed);
    assert_eq!((resumed.code, compiled + up_to_date, failed), (0, COUNT, 0));
    assert!(up_to_date > 0);
    let read = |name| fs::read(folder.path(name)).unwrap();
    assert!(read("killed.psdb") == read("whole.psdb"));
    assert_eq!(folder.files(), ["a.sodb", "killed.psdb", "whole.psdb"]);
}
