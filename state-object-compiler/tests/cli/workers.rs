//! `compile` with a plugin that ends its process: what it costs, and what the file is worth then.

use std::collections::{BTreeSet, HashSet};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use api_sys::{
    D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS, D3D12_STATE_OBJECT_TYPE_COLLECTION,
};
use serde_json::Value;
use shader_db::psdb::{self, File, Psdb, ValueType, ValueTypes};
use shader_db::sodb::{Access, Export, Sodb, StateObjectDesc};

use crate::list::as_an_engine_reads;
use crate::{Folder, Ran};

/// Pipelines, and families of four state objects.
const PIPELINES: u32 = 360;
const FAMILIES: u32 = 10;
const OBJECTS: usize = 400;

/// What ends the process that compiles it, if anything does.
fn is_deadly(number: u32) -> bool {
    number % 7 == 3
}

/// Objects in the order of the SODB: each number, and that of the one that it is made from.
fn objects() -> Vec<(u32, Option<u32>)> {
    let families = (0..FAMILIES).flat_map(|family| {
        let of = |generation: u32| 1000 * generation + family;
        [1, 2, 3, 4]
            .map(|generation| (of(generation), (generation > 1).then(|| of(generation - 1))))
    });
    let pipelines = (0..PIPELINES).map(|number| (number, None));
    families.chain(pipelines).collect()
}

fn key(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

/// The keys, in hexadecimal digits, of what fails when every deadly object below a number does.
fn failing(below: u32) -> Vec<String> {
    let mut failed = HashSet::new();
    for (number, parent) in objects() {
        let by_itself = is_deadly(number) && number < below;
        if by_itself || parent.is_some_and(|parent| failed.contains(&parent)) {
            failed.insert(number);
        }
    }
    let objects = objects().into_iter();
    let failing = objects.filter(|(number, _)| failed.contains(number));
    failing.map(|(number, _)| format!("{number:08x}")).collect()
}

/// Names the first export of the first library after the number.
fn numbered(number: u32, mut desc: StateObjectDesc) -> StateObjectDesc {
    desc.config = Some(D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS);
    let export = &mut desc.libraries[0].exports[0];
    *export = Export {
        name: format!("{}_{number}", export.name),
        export_to_rename: Some(export.name.clone()),
        flags: 0,
    };
    desc
}

/// A folder with the objects in `a.sodb`.
fn folder() -> Folder {
    let folder = Folder::new();
    let sodb = Sodb::open(folder.path("a.sodb"), Access::Create).unwrap();
    sodb.set_application(&crate::application()).unwrap();
    let passes =
        ["plain", "tex", "lit", "lit_tex", "full"].map(|pass| example_sodb::forward(pass).unwrap());
    for (number, parent) in objects() {
        let (key, parent) = (key(number), parent.map(key));
        let desc = match number / 1000 {
            0 => {
                let mut desc = passes[number as usize % passes.len()].clone();
                desc.fixed_function.sample_mask = Some(number);
                sodb.store_pipeline_state(&key, 1, &desc).unwrap();
                continue;
            }
            1 => example_sodb::noise().unwrap(),
            2 => example_sodb::rays(&parent.unwrap()).unwrap(),
            _ => example_sodb::more_noise().unwrap(),
        };
        let desc = numbered(number, desc);
        let is_addition = number >= 3000;
        let parent = parent.as_ref().filter(|_| is_addition).map(|key| &key[..]);
        assert_eq!(
            desc.kind == D3D12_STATE_OBJECT_TYPE_COLLECTION,
            number < 2000
        );
        sodb.store_state_object(&key, 1, &desc, parent).unwrap();
    }
    sodb.close().unwrap();
    folder
}

/// The plugin, which cargo builds with the tests and puts beside them.
fn plugin() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.with_file_name(format!("{DLL_PREFIX}dying_plugin{DLL_SUFFIX}"))
}

/// A command that compiles, with what the plugin is to do.
fn command(folder: &Folder, output: &str, args: &[&str], env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"));
    command
        .current_dir(folder.path(""))
        .args(["compile", "a.sodb", output, "--plugin"])
        .arg(plugin())
        .args(args)
        // Symbols cost more than the tests.
        .env("RUST_BACKTRACE", "0")
        .envs(env.iter().copied());
    #[cfg(unix)]
    signals_are(libc::SIG_DFL, &mut command);
    command
}

/// A process inherits what is ignored: whoever runs the tests in the background of a shell ignores SIGINT.
#[cfg(unix)]
fn signals_are(handler: libc::sighandler_t, command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    let set = move || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
            // SAFETY: the signals exist, and the handler is SIG_DFL or SIG_IGN.
            unsafe { libc::signal(signal, handler) };
        }
        Ok(())
    };
    // SAFETY: between fork and exec it calls nothing but signal(), which is allowed there.
    unsafe { command.pre_exec(set) };
}

#[cfg(unix)]
fn send(child: &Child, signal: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", signal, &id]).status();
    assert!(sent.unwrap().success());
}

fn ran(command: &mut Command) -> Ran {
    command.output().unwrap().into()
}

fn compile(folder: &Folder, output: &str, args: &[&str], env: &[(&str, &str)]) -> Ran {
    ran(&mut command(folder, output, args, env))
}

/// Compiles everything, without a death, and gives back the bytes of the file.
#[track_caller]
fn bytes(folder: &Folder, output: &str, args: &[&str]) -> Vec<u8> {
    let ran = compile(folder, output, args, &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    fs::read(folder.path(output)).unwrap()
}

/// Keys and reasons of what a run with `--format json` says has failed.
fn failures(ran: &Ran) -> (Vec<String>, Vec<String>) {
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let failures = report["failures"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    failures
        .map(|failure| (text(&failure["key"]), text(&failure["reason"])))
        .unzip()
}

fn groups(path: &Path) -> usize {
    let groups = File::open(path)
        .and_then(|file| file.counts())
        .map(|counts| counts.groups);
    groups.map_or(0, |groups| usize::try_from(groups).unwrap())
}

/// What there is, for as long as something is to come.
fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_mins(1);
    while !is_there() {
        assert!(Instant::now() < patience, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// A command under a limit, as the shell has it, on systems that have one.
fn limited(limit: &str, command: &Command) -> Command {
    let mut limited = Command::new("sh");
    limited
        .args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\"")])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap());
    limited.envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    limited
}

/// A limit in which a process can start, which under Wine takes its time.
const LIMIT: &str = if cfg!(windows) { "3" } else { "1.5" };

/// A way to end, what the report says of it on Unix and on Windows, and whether it is a death.
type Way = (&'static str, &'static str, &'static str, bool);

const WAYS: [Way; 15] = [
    (
        "segv",
        "SIGSEGV (signal 11)",
        "STATUS_ACCESS_VIOLATION (0xC0000005)",
        true,
    ),
    ("abort", "SIGABRT (signal 6)", "", true),
    (
        "exit 0",
        "it ended its process with exit code 0",
        "it ended its process with exit code 0",
        true,
    ),
    (
        "exit 3",
        "it ended its process with exit code 3",
        "it ended its process with exit code 3",
        true,
    ),
    ("kill", "SIGKILL (signal 9)", "", true),
    ("stack", "SIG", "", true),
    ("memory", "SIGABRT (signal 6)", "", true),
    (
        "thread",
        "it ended its process with exit code 4",
        "it ended its process with exit code 4",
        true,
    ),
    (
        "scribble",
        "it corrupted or closed the pipe that its process reports on",
        "",
        true,
    ),
    (
        "close",
        "it corrupted or closed the pipe that its process reports on",
        "",
        true,
    ),
    (
        "redirect",
        "it corrupted or closed the pipe that its process reports on",
        "",
        true,
    ),
    ("escape", "it ended its process with exit code 6", "", true),
    (
        "hang",
        "it took longer than 1.5 s",
        "it took longer than 3 s",
        true,
    ),
    (
        "panic",
        "DXGI_ERROR_DRIVER_INTERNAL_ERROR",
        "DXGI_ERROR_DRIVER_INTERNAL_ERROR",
        false,
    ),
    ("fail", "E_FAIL", "E_FAIL", false),
];

/// Under Wine a process has no limit of memory, no descriptors to scribble to, and no room to tell of a stack overflow. A process
/// does not escape from a job of Windows.
fn is_here(way: &str) -> bool {
    let not_on_windows = ["memory", "scribble", "close", "redirect", "escape", "stack"];
    !(cfg!(windows) && not_on_windows.contains(&way))
}

/// Compiles everything with a plugin that ends its process on every deadly object below a number, in this way: all others
/// are in the file, which a good plugin then completes. Gives back a row of a table.
fn die((how, on_unix, on_windows, is_death): Way, below: u32, workers: &str) -> String {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    assert_eq!(groups(&folder.path("clean.psdb")), OBJECTS);
    let mut args = vec!["--format", "json", "--max-threads", workers];
    if how == "hang" || how == "ask" {
        args.extend(["--timeout", LIMIT]);
    }
    let env = [("DYING_HOW", how), ("DYING_BELOW", &below.to_string())];
    let mut command = command(&folder, "a.psdb", &args, &env);
    if how == "memory" {
        command = limited("-v 1500000", &command);
    }
    let begun = Instant::now();
    let ran = ran(&mut command);
    let took = begun.elapsed();
    assert_eq!(ran.code, 1, "{how}: {ran:?}");
    let (keys, reasons) = failures(&ran);
    assert_eq!(keys, failing(below), "{how}");
    let expected = if cfg!(windows) { on_windows } else { on_unix };
    let (mut said, mut by_themselves) = (BTreeSet::new(), 0);
    for reason in &reasons {
        if reason.starts_with("it is made from object ") {
            continue;
        }
        by_themselves += 1;
        assert!(reason.contains(expected), "{how}: {reason}");
        let of_death = reason.strip_prefix("the compiler crashed twice: ");
        assert!(of_death.is_some() == is_death, "{how}: {reason}");
        said.insert(of_death.unwrap_or(expected));
    }
    let path = folder.path("a.psdb");
    let there = groups(&path);
    assert_eq!(there, OBJECTS - keys.len(), "{how}");
    assert_eq!(
        psdb::unnamed_keys(&path).unwrap(),
        Vec::<Vec<u8>>::new(),
        "{how}"
    );
    folder.output(&["verify", "a.psdb"]);
    assert!(bytes(&folder, "a.psdb", &[]) == clean, "{how}");
    let said: Vec<&str> = said.into_iter().collect();
    format!(
        "| {how} | {} | {by_themselves} | {} | {there} | {} | {:.1} s |",
        said.join("; "),
        keys.len() - by_themselves,
        ran.code,
        took.as_secs_f64()
    )
}

/// A question to the supervisor gives an object no more time.
#[test]
fn what_looks_for_values_for_ever_takes_too_long() {
    let [on_unix, on_windows] = ["it took longer than 1.5 s", "it took longer than 3 s"];
    die(("ask", on_unix, on_windows, true), 4, "2");
}

fn ways() -> impl Iterator<Item = Way> {
    WAYS.into_iter().filter(|way| is_here(way.0))
}

#[test]
fn whatever_ends_the_plugin_costs_the_object_that_it_was_on() {
    for way in ways() {
        let (below, workers) = match way.0 {
            // On Windows each process takes its time,
            _ if cfg!(windows) => (25, "2"),
            // and everywhere each hang, twice.
            "hang" | "close" | "redirect" => (50, "4"),
            _ => (u32::MAX, "2"),
        };
        println!("{}", die(way, below, workers));
    }
}

/// Prints the table of docs/compile-deaths.md. `DEATHS_BELOW` has it be of the objects below a number.
#[test]
#[ignore = "a hang takes its time, for each of 56 objects"]
fn every_way_to_die_at_every_seventh_object() {
    let below = std::env::var("DEATHS_BELOW").ok();
    let below = below.map_or(u32::MAX, |below| below.parse().expect("a number"));
    println!(
        "| way | what the report says | died on | made from these | in the file | exit code | time |"
    );
    println!("|---|---|---|---|---|---|---|");
    for way in ways() {
        let workers = if way.0 == "hang" { "8" } else { "2" };
        println!("{}", die(way, below, workers));
    }
}

/// Each state object has a value that only its own group names.
#[test]
fn a_file_has_no_values_without_a_group() {
    let folder = folder();
    let unnamed = |name| psdb::unnamed_keys(&folder.path(name)).unwrap();
    let fail = [("DYING_HOW", "fail")];
    let rays = format!("hex:{:08x}", 2001);
    for (more, env) in [
        (&["--key", &rays][..], &[][..]),
        (&["--no-state-objects"], &[]),
        (&["--no-psos", "--no-state-objects"], &fail),
        (&[], &fail),
    ] {
        let all = ["a.psdb", "b.psdb"].map(|output| {
            let mode = ["--in-process"];
            let mode = if output == "a.psdb" {
                &mode[..0]
            } else {
                &mode[..]
            };
            let ran = compile(&folder, output, &[more, mode].concat(), env);
            assert_eq!(ran.code, i32::from(!env.is_empty()), "{ran:?}");
            assert_eq!(unnamed(output), Vec::<Vec<u8>>::new(), "{output}: {more:?}");
            let bytes = fs::read(folder.path(output)).unwrap();
            fs::remove_file(folder.path(output)).unwrap();
            bytes
        });
        assert!(all[0] == all[1], "{more:?}");
    }
    // What others have stored stays.
    bytes(
        &folder,
        "a.psdb",
        &["--no-state-objects", "--no-add-to-state-objects"],
    );
    let files = [(ValueTypes::ALL, folder.path("a.psdb"))];
    let others = Psdb::open(&files, &psdb::Options::default()).unwrap();
    let value = [(ValueType::ObjectCode, &b"of no group"[..])];
    others.store_value(b"theirs", &value).unwrap();
    others.close().unwrap();
    bytes(&folder, "a.psdb", &["--no-state-objects"]);
    assert_eq!(unnamed("a.psdb"), [b"theirs"]);
    folder.output(&["verify", "a.psdb"]);
}

#[test]
fn what_dies_once_is_compiled() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    let below = if cfg!(windows) { 50 } else { u32::MAX };
    let ways = [("segv", "1"), ("exit 0", "2"), ("scribble", "2")];
    for (how, workers) in ways.into_iter().filter(|(how, _)| is_here(how)) {
        let once = folder.path(&format!("{how}, once"));
        fs::create_dir(&once).unwrap();
        let env = [
            ("DYING_HOW", how),
            ("DYING_ONCE", once.to_str().unwrap()),
            ("DYING_BELOW", &below.to_string()),
        ];
        let output = format!("{how}.psdb");
        let ran = compile(&folder, &output, &["--max-threads", workers], &env);
        assert_eq!(ran.code, 0, "{how}: {ran:?}");
        let died = fs::read_dir(&once).unwrap().count();
        let deadly = objects()
            .into_iter()
            .filter(|(number, _)| is_deadly(*number) && *number < below);
        assert_eq!(died, deadly.count(), "{how}");
        assert!(fs::read(folder.path(&output)).unwrap() == clean, "{how}");
    }
}

#[test]
fn the_bytes_do_not_depend_on_who_compiles() {
    let folder = folder();
    let more = |name: &str| [format!("{name}.pdb"), format!("{name}.perf")];
    let mut first: Option<Vec<Vec<u8>>> = None;
    for args in [
        &["--in-process", "--single-threaded"][..],
        &["--in-process", "--max-threads", "2"],
        &["--single-threaded"],
        &["--max-threads", "2"],
        &["--max-threads", "5"],
    ] {
        let name = format!("with {}", args.join(" "));
        let [pdb, perf] = more(&name);
        let output = format!("{name}.psdb");
        let files = ["--pdb", &pdb, "--perf", &perf];
        bytes(&folder, &output, &[args, &files].concat());
        let read = |file: &String| fs::read(folder.path(file)).unwrap();
        let all: Vec<_> = [&output, &pdb, &perf].into_iter().map(read).collect();
        let first = first.get_or_insert_with(|| all.clone());
        assert!(*first == all, "{args:?}");
        folder.output(&["verify", &output, &pdb, &perf]);
    }
}

/// The SDK's compiler refuses everything after a panic.
#[test]
fn a_panic_in_process_costs_the_object_that_it_was_on() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    let once = folder.path("once");
    fs::create_dir(&once).unwrap();
    let panics = ("DYING_HOW", "panic");
    let once = [panics, ("DYING_ONCE", once.to_str().unwrap())];
    for (output, threads, env, failing) in [
        ("1.psdb", "1", &[panics][..], failing(u32::MAX)),
        ("2.psdb", "2", &[panics], failing(u32::MAX)),
        ("once.psdb", "1", &once, Vec::new()),
    ] {
        let args = ["--in-process", "--format", "json", "--max-threads", threads];
        let ran = compile(&folder, output, &args, env);
        let (keys, reasons) = failures(&ran);
        assert_eq!(keys, failing, "{output}: {ran:?}");
        for reason in &reasons {
            let is_made_from = reason.starts_with("it is made from object ");
            let is_panic = reason.contains("DXGI_ERROR_DRIVER_INTERNAL_ERROR");
            assert!(is_made_from || is_panic, "{output}: {reason}");
        }
        assert_eq!(groups(&folder.path(output)), OBJECTS - keys.len());
        assert!(
            bytes(&folder, output, &["--in-process"]) == clean,
            "{output}"
        );
    }
}

/// The numbers of the processes that run in a folder, but for those that nobody has taken note of the end of.
#[cfg(target_os = "linux")]
fn processes(folder: &Folder) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let number = |entry: fs::DirEntry| {
        let runs_in = fs::read_link(entry.path().join("cwd")).ok()?;
        let number = entry.file_name().to_str()?.parse().ok();
        number.filter(|_| runs_in == folder.path(""))
    };
    processes.filter_map(number).collect()
}

/// What closes its pipes is not waited for, and what keeps those of a dead process open neither, whatever the time limit is.
#[cfg(target_os = "linux")]
#[test]
fn pipes_cannot_hold_up_a_run() {
    for how in ["close", "redirect", "escape"] {
        let folder = folder();
        let env = [("DYING_HOW", how), ("DYING_BELOW", "10")];
        let begun = Instant::now();
        let ran = compile(&folder, "a.psdb", &["--timeout", "600"], &env);
        let took = begun.elapsed();
        let is_death = |ran: &Ran| ran.stderr.contains("the compiler crashed twice: it ");
        assert!(ran.code == 1 && is_death(&ran), "{how}: {ran:?}");
        // Two processes die on it, one after the other.
        assert!(took < Duration::from_secs(8), "{how}: {took:?}");
        assert_eq!(processes(&folder), Vec::<u32>::new(), "{how}");
        let open = ["list", "--timeout", "600", "--plugin"];
        let begun = Instant::now();
        let ran = Ran::from(folder.command(&open).arg(plugin()).env("DYING_OPEN", how));
        let took = begun.elapsed();
        assert!(ran.code == 2 && is_death(&ran), "{how}: {ran:?}");
        assert!(took < Duration::from_secs(8), "{how}: {took:?}");
    }
}

/// Starts a run that takes a second or more, and waits until so many objects are in its file.
fn begin(
    folder: &Folder,
    output: &str,
    args: &[&str],
    env: &[(&str, &str)],
    count: usize,
) -> Child {
    let env = [&[("DYING_BURN", "5000")], env].concat();
    let child = command(folder, output, args, &env)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let path = folder.path(output);
    wait_for("objects in the file", || groups(&path) >= count);
    child
}

#[test]
fn a_run_that_is_killed_takes_its_workers_along_and_goes_on() {
    let folder = folder();
    let pdb = ["--pdb", "pdb.psdb"];
    let clean = bytes(
        &folder,
        "clean.psdb",
        &[&["--in-process"], &pdb[..]].concat(),
    );
    let clean_pdb = fs::read(folder.path("pdb.psdb")).unwrap();
    // The pipelines that hang come after the 40 state objects.
    let hang = [("DYING_HOW", "hang"), ("DYING_BELOW", "25")];
    for (count, env) in [(1, &[][..]), (30, &hang), (100, &[]), (250, &[])] {
        let output = format!("{count}.psdb");
        fs::remove_file(folder.path("pdb.psdb")).unwrap();
        let args = [&["--max-threads", "2"], &pdb[..]].concat();
        let mut child = begin(&folder, &output, &args, env, count);
        child.kill().unwrap();
        child.wait().unwrap();
        #[cfg(target_os = "linux")]
        wait_for("the workers are gone", || processes(&folder).is_empty());
        let before = groups(&folder.path(&output));
        let args = [&["--format", "json"], &pdb[..]].concat();
        let resumed = compile(&folder, &output, &args, &[]);
        assert_eq!(resumed.code, 0, "{resumed:?}");
        let report: Value = serde_json::from_str(&resumed.stdout).unwrap();
        assert!(report["up_to_date"].as_u64().unwrap() >= before.max(1) as u64);
        assert!(fs::read(folder.path(&output)).unwrap() == clean, "{output}");
        assert!(
            fs::read(folder.path("pdb.psdb")).unwrap() == clean_pdb,
            "{output}"
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_a_good_file_and_goes_on() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    for (signal, args) in [
        ("INT", &["--max-threads", "2"][..]),
        ("TERM", &["--single-threaded"]),
        ("INT", &["--in-process"]),
    ] {
        let output = format!("{signal} {}.psdb", args.len());
        let child = begin(&folder, &output, args, &[], 20);
        send(&child, signal);
        let ended = child.wait_with_output().unwrap();
        let text = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(75), "{text}");
        assert_eq!(
            text,
            "warning: interrupted: run the same command again to continue\n"
        );
        let stdout = String::from_utf8(ended.stdout).unwrap();
        let done = groups(&folder.path(&output));
        assert!(
            stdout.contains(&format!("\nCompiled: {done}\n")),
            "{stdout}"
        );
        assert!(
            stdout.ends_with(&format!("\nNot done: {}\n", OBJECTS - done)),
            "{stdout}"
        );
        // In one piece.
        assert!(!folder.path(&format!("{output}-wal")).exists());
        folder.output(&["verify", &output]);
        assert!(bytes(&folder, &output, &[]) == clean, "{args:?}");
    }
}

/// The second interrupt does not wait for an object that takes long.
#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_what_hangs() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    let hang = [("DYING_HOW", "hang")];
    let child = begin(&folder, "a.psdb", &["--max-threads", "2"], &hang, 10);
    let begun = Instant::now();
    for _ in 0..2 {
        send(&child, "INT");
        thread::sleep(Duration::from_millis(300));
    }
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(75));
    assert!(
        begun.elapsed() < Duration::from_secs(4),
        "{:?}",
        begun.elapsed()
    );
    assert!(bytes(&folder, "a.psdb", &[]) == clean);
}

#[cfg(unix)]
#[test]
fn signals_that_were_ignored_stay_so() {
    let folder = folder();
    for args in [&["--max-threads", "2"][..], &["--in-process"]] {
        let mut command = command(&folder, "a.psdb", args, &[("DYING_BURN", "5000")]);
        signals_are(libc::SIG_IGN, &mut command);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        wait_for("objects in the file", || {
            groups(&folder.path("a.psdb")) >= 10
        });
        assert!(child.try_wait().unwrap().is_none());
        for signal in ["HUP", "INT", "TERM"] {
            send(&child, signal);
        }
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0));
        fs::remove_file(folder.path("a.psdb")).unwrap();
    }
}

#[test]
fn what_the_plugin_prints_is_no_output_of_ours() {
    let folder = folder();
    let ran = compile(&folder, "a.psdb", &[], &[("DYING_HOW", "print")]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.stdout.contains("999"), "{}", ran.stdout);
    for line in [
        "plugin: 00:00:01: 998 / 999\n",
        "plugin: 00:00:02: 999 / 999\n",
    ] {
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
    }
    // An engine's tool takes a line that begins with a digit for one of ours.
    let mut lines = ran.stderr.lines();
    assert!(
        lines.all(|line| line.starts_with("plugin: ")),
        "{}",
        ran.stderr
    );
}

/// An engine's tool asks every plugin of a folder.
#[test]
fn a_plugin_that_is_listed_can_do_no_harm() {
    let folder = Folder::new();
    let plugin = plugin();
    let list = |how: &str| {
        let args = [
            "list",
            "--timeout",
            LIMIT,
            "--plugin",
            plugin.to_str().unwrap(),
        ];
        Ran::from(folder.command(&args).env("DYING_OPEN", how))
    };
    for (how, on_unix, on_windows, is_death) in WAYS.into_iter().filter(|way| is_here(way.0)) {
        if how == "memory" {
            continue;
        }
        let ran = list(how);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{how}: {ran:?}");
        let error = ran.stderr.lines().find(|line| line.starts_with("error: "));
        let error = error.unwrap_or_else(|| panic!("{how}: {ran:?}"));
        let expected = if cfg!(windows) { on_windows } else { on_unix };
        // One that says so itself is not asked again.
        let is_known = error
            .contains("the plugin cannot say what it compiles for: the compiler crashed twice: ");
        assert!(
            error.contains(expected) && is_known == is_death,
            "{how}: {error}"
        );
        assert!(
            as_an_engine_reads(&(ran.stdout + &ran.stderr)).is_empty(),
            "{how}"
        );
    }
    let ran = list("print");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("plugin: 7:\n") && ran.stderr.contains("plugin: 8:\n"),
        "{ran:?}"
    );
    let families = as_an_engine_reads(&(ran.stdout + &ran.stderr));
    assert_eq!(families, [["Dying", "1.0.0.0", "{1}"]]);
}

/// Objects that share a value, which two workers or threads make at a time.
#[test]
fn what_is_made_with_different_bytes_is_told() {
    let folder = Folder::new();
    let sodb = Sodb::open(folder.path("a.sodb"), Access::Create).unwrap();
    sodb.set_application(&crate::application()).unwrap();
    let desc = example_sodb::forward("plain").unwrap();
    for key in [b"a", b"b"] {
        sodb.store_pipeline_state(key, 1, &desc).unwrap();
    }
    sodb.close().unwrap();
    let plugin = crate::unsteady_plugin();
    let in_process = "--in-process";
    for (mode, told, how) in [
        ("code, together", true, "--timeout=60"),
        ("together", false, "--timeout=60"),
        ("code, together", true, in_process),
        ("together", false, in_process),
    ] {
        let output = format!("{mode} {how}.psdb");
        let args = [
            "compile",
            "a.sodb",
            &output,
            how,
            "--max-threads",
            "2",
            "--manifest",
            "a.json",
            "--plugin",
        ];
        let mut command = folder.command(&args);
        command
            .arg(&plugin)
            .env("UNSTEADY", mode)
            .env("UNSTEADY_TOGETHER", folder.path(&format!("{mode} {how}")));
        let ran = Ran::from(&mut command);
        assert_eq!(ran.code, 0, "{ran:?}");
        let manifest = fs::read(folder.path("a.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        let warnings = manifest["warnings"].as_array().unwrap();
        assert_eq!(warnings.is_empty(), !told, "{ran:?}");
        let begin = "the plugin is not deterministic: object-code of value key ";
        let of_code = |text: &Value| text.as_str().unwrap().starts_with(begin);
        assert_eq!(warnings.iter().any(of_code), told, "{warnings:?}");
        assert_eq!(
            ran.stderr.matches(&format!("warning: {begin}")).count(),
            usize::from(told)
        );
        assert_eq!(groups(&folder.path(&output)), 2);
    }
}

/// A plugin has the rights of its user.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_the_plugin_cuts_off_ends_the_run_with_a_word() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    let ran = compile(&folder, "a.psdb", &[], &[("DYING_HOW", "cut")]);
    assert_eq!(ran.code, 75, "{ran:?}");
    let said = "error: a database was cut off by another program";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(bytes(&folder, "a.psdb", &[]) == clean);
}

/// The limit of `ulimit -f`, in blocks of 512 or 1,024 bytes.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_is_worth_another_try() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    let ran = ran(&mut limited(
        "-f 500",
        &command(&folder, "a.psdb", &[], &[]),
    ));
    assert_eq!(ran.code, 75, "{ran:?}");
    assert!(ran.stderr.contains("error: a.psdb: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("(ulimit -f)"), "{}", ran.stderr);
    assert!(bytes(&folder, "a.psdb", &[]) == clean);
}

/// Workers get on no command line what they are to do.
#[test]
fn paths_can_begin_with_a_dash_and_an_identity_can_be_long() {
    let folder = Folder::new();
    let sodb = Sodb::open(folder.path("-a.sodb"), Access::Create).unwrap();
    let application = psdb::Application {
        // More bytes than one argument can have, in fewer characters than the SDK refuses.
        name: "本".repeat(60_000),
        ..crate::application()
    };
    sodb.set_application(&application).unwrap();
    let desc = example_sodb::forward("plain").unwrap();
    sodb.store_pipeline_state(b"a", 1, &desc).unwrap();
    sodb.close().unwrap();
    let named = format!("-plugin{DLL_SUFFIX}");
    fs::copy(plugin(), folder.path(&named)).unwrap();
    let plugin = format!("--plugin={named}");
    let args = [
        "compile",
        &plugin,
        "--pdb=-p.psdb",
        "--",
        "-a.sodb",
        "-a.psdb",
    ];
    let ran = folder.run(&args);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(groups(&folder.path("-a.psdb")), 1);
    assert_eq!(groups(&folder.path("-p.psdb")), 1);
    folder.output(&["list", &plugin]);
}

/// A plugin's library may be gone, or another, when a worker loads it.
#[test]
fn workers_that_cannot_begin_end_the_run() {
    let folder = folder();
    let once = folder.path("once");
    fs::create_dir(&once).unwrap();
    let env = [
        ("DYING_HOW", "open"),
        ("DYING_ONCE", once.to_str().unwrap()),
    ];
    let ran = compile(&folder, "a.psdb", &[], &env);
    assert_eq!(ran.code, 75, "{ran:?}");
    assert_eq!(
        ran.stderr,
        "error: worker process: it ended before it was ready: it ended its process with exit code 5\n"
    );
    bytes(&folder, "a.psdb", &[]);
}

/// It is asked for its families in a worker process as well.
#[test]
fn a_plugin_that_dies_when_it_is_opened_is_named() {
    let folder = folder();
    for (how, on_unix, on_windows) in [
        (
            "segv",
            "SIGSEGV (signal 11)",
            "STATUS_ACCESS_VIOLATION (0xC0000005)",
        ),
        (
            "exit 0",
            "it ended its process with exit code 0",
            "it ended its process with exit code 0",
        ),
        (
            "hang",
            "it took longer than 1.5 s",
            "it took longer than 3 s",
        ),
    ] {
        let args = match how {
            "hang" => &["--timeout", LIMIT][..],
            _ => &[],
        };
        let ran = compile(&folder, "a.psdb", args, &[("DYING_OPEN", how)]);
        let how = if cfg!(windows) { on_windows } else { on_unix };
        let expected = format!(
            "error: {}: the plugin cannot say what it compiles for: the compiler crashed twice: {how}\n",
            plugin().display()
        );
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (2, "", &*expected));
    }
    let failed = compile(&folder, "a.psdb", &[], &[("DYING_OPEN", "fail")]);
    assert_eq!(failed.code, 2);
    assert!(failed.stderr.contains("E_FAIL"), "{failed:?}");
    assert_eq!(folder.files(), ["a.sodb"]);

    let once = folder.path("once");
    fs::create_dir(&once).unwrap();
    let env = [
        ("DYING_OPEN", "segv"),
        ("DYING_ONCE", once.to_str().unwrap()),
    ];
    let ran = compile(&folder, "a.psdb", &[], &env);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{ran:?}");
    assert_eq!(fs::read_dir(&once).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_plugin_that_hangs_when_it_is_opened_can_be_interrupted() {
    let folder = folder();
    let once = folder.path("once");
    fs::create_dir(&once).unwrap();
    let env = [
        ("DYING_OPEN", "hang"),
        ("DYING_ONCE", once.to_str().unwrap()),
    ];
    let child = command(&folder, "a.psdb", &[], &env)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("the plugin hangs", || once.join("DYING_OPEN").exists());
    send(&child, "INT");
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(75));
    assert_eq!(
        String::from_utf8_lossy(&ended.stderr),
        "error: interrupted\n"
    );
}

/// SQLite reads a log that was left behind in one process only.
#[test]
fn an_sodb_with_a_log_that_was_left_behind_is_compiled() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    fs::rename(folder.path("a.sodb"), folder.path("whole.sodb")).unwrap();
    let sodb = Sodb::open(folder.path("whole.sodb"), Access::Write).unwrap();
    let key = key(1);
    let desc = sodb.find_pipeline_state(&key).unwrap().unwrap().desc;
    sodb.store_pipeline_state(&key, 2, &desc).unwrap();
    sodb.store_pipeline_state(&key, 1, &desc).unwrap();
    for suffix in ["", "-wal"] {
        let from = folder.path(&format!("whole.sodb{suffix}"));
        fs::copy(from, folder.path(&format!("a.sodb{suffix}"))).unwrap();
    }
    sodb.close().unwrap();
    let log = fs::read(folder.path("a.sodb-wal")).unwrap();
    assert!(!log.is_empty());
    assert!(bytes(&folder, "a.psdb", &[]) == clean);
    assert!(fs::read(folder.path("a.sodb-wal")).unwrap() == log);

    // Workers read a copy, which nobody is told of.
    let sodb = rusqlite::Connection::open(folder.path("whole.sodb")).unwrap();
    sodb.pragma_update(None, "journal_mode", "wal").unwrap();
    let damage = "UPDATE pipeline_states SET SampleMask = 'many' WHERE SampleMask = 1";
    assert_eq!(sodb.execute(damage, []).unwrap(), 1);
    for suffix in ["", "-wal"] {
        let from = folder.path(&format!("whole.sodb{suffix}"));
        fs::copy(from, folder.path(&format!("a.sodb{suffix}"))).unwrap();
    }
    drop(sodb);
    let ran = compile(&folder, "b.psdb", &["--format", "json"], &[]);
    let (keys, reasons) = failures(&ran);
    assert_eq!(keys, ["00000001"]);
    assert!(reasons[0].starts_with("a.sodb: "), "{reasons:?}");
}

#[test]
fn what_another_run_has_stored_meanwhile_is_up_to_date() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    for (output, args) in [
        ("a.psdb", &["--max-threads", "2", "--format", "json"][..]),
        ("b.psdb", &["--in-process", "--format", "json"]),
    ] {
        let child = begin(&folder, output, args, &[], 1);
        let other = compile(&folder, output, args, &[]);
        let ran = Ran::from(child.wait_with_output().unwrap());
        let both = [ran, other];
        assert!(both.iter().any(|ran| ran.code == 0), "{both:?}");
        for ran in both {
            if ran.code == 75 {
                // Only the last to end can finish the file; for the other it is in use.
                continue;
            }
            assert_eq!(ran.code, 0, "{ran:?}");
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            let count = |name: &str| report[name].as_u64().unwrap();
            assert_eq!(count("compiled") + count("up_to_date"), OBJECTS as u64);
        }
        assert!(bytes(&folder, output, &[]) == clean, "{output}");
    }
}

#[test]
fn what_fails_when_it_is_made_once_more_says_why() {
    let folder = folder();
    for args in [&["--in-process"][..], &["--max-threads", "2"]] {
        let first = [args, &["--no-add-to-state-objects"]].concat();
        bytes(&folder, "a.psdb", &first);
        let args = [args, &["--format", "json"]].concat();
        let ran = compile(&folder, "a.psdb", &args, &[("DYING_HOW", "fail")]);
        let (keys, reasons) = failures(&ran);
        // 4 is that of the collection that the pipeline, which is up to date, is made from.
        let parents = format!("{:08x}", 3004);
        let place = keys.iter().position(|key| *key == parents);
        let reason = &reasons[place.unwrap_or_else(|| panic!("{ran:?}"))];
        assert!(
            reason.contains("which is up to date, and could not be compiled once more"),
            "{reason}"
        );
        assert!(reason.contains("E_FAIL"), "{reason}");
        let progress = compile(&folder, "a.psdb", &args[..args.len() - 2], &[]);
        let last = format!(": {OBJECTS} / {OBJECTS}\nOutput: ");
        assert!(progress.stdout.contains(&last), "{progress:?}");
        fs::remove_file(folder.path("a.psdb")).unwrap();
    }
}

/// `verify` compiles in workers as well.
fn verify(folder: &Folder, env: &[(&str, &str)]) -> Command {
    let temporary = folder.path("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"));
    command
        .current_dir(folder.path(""))
        .args(["verify", "a.psdb", "--sodb", "a.sodb", "--plugin"])
        .arg(plugin())
        .envs(env.iter().copied());
    for name in ["TMPDIR", "TMP", "TEMP"] {
        command.env(name, &temporary);
    }
    command
}

#[test]
fn verify_has_the_limits_of_compile() {
    let folder = folder();
    bytes(&folder, "a.psdb", &["--in-process"]);
    let env = [("DYING_HOW", "hang"), ("DYING_BELOW", "4")];
    let mut command = verify(&folder, &env);
    let ran = ran(command.args(["--timeout", LIMIT, "--max-threads", "1"]));
    assert_eq!((ran.code, &*ran.stderr), (1, ""), "{ran:?}");
    let problem = format!(
        "a.psdb: group 00000003: it is not compiled again: \
         the compiler crashed twice: it took longer than {LIMIT} s\n"
    );
    assert!(ran.stdout.starts_with(&problem), "{ran:?}");
    assert!(ran.stdout.ends_with("\n1 problem\n"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_verification_leaves_nothing_behind() {
    let folder = folder();
    bytes(&folder, "a.psdb", &["--in-process"]);
    let once = folder.path("once");
    fs::create_dir(&once).unwrap();
    for (how, name) in [("DYING_HOW", "3"), ("DYING_OPEN", "DYING_OPEN")] {
        let env = [
            (how, "hang"),
            ("DYING_BELOW", "4"),
            ("DYING_ONCE", once.to_str().unwrap()),
        ];
        let child = verify(&folder, &env)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for("the plugin hangs", || once.join(name).exists());
        send(&child, "TERM");
        let ended = Ran::from(child.wait_with_output().unwrap());
        assert_eq!((ended.code, &*ended.stderr), (75, "error: interrupted\n"));
        assert_eq!(fs::read_dir(folder.path("tmp")).unwrap().count(), 0);
    }
}

/// Each worker has two pipes.
#[cfg(unix)]
#[test]
fn there_are_no_more_at_a_time_than_the_limit_of_open_files_allows() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    for args in [
        &["--max-threads", "100000"][..],
        &["--max-threads", "100000", "--in-process"],
    ] {
        let output = format!("{}.psdb", args.len());
        let command = command(&folder, &output, args, &[]);
        let ran = ran(&mut limited("-n 96", &command));
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{ran:?}");
        assert!(fs::read(folder.path(&output)).unwrap() == clean);
    }
}

/// What no file could be opened for is done by the next run.
#[cfg(unix)]
#[test]
fn too_few_files_that_can_be_open_are_worth_another_try() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    for args in [&["--in-process"][..], &["--max-threads", "1"]] {
        let mut refusals = 0;
        for limit in 4..=11 {
            let command = command(&folder, "a.psdb", args, &[]);
            let ran = ran(&mut limited(&format!("-n {limit}"), &command));
            if ran.code == 0 {
                continue;
            }
            refusals += 1;
            assert_eq!(ran.code, 75, "{limit}: {ran:?}");
            assert!(
                ran.stderr.to_lowercase().contains("too many") && ran.stderr.contains("open"),
                "{limit}: {ran:?}"
            );
        }
        assert!(refusals > 2, "{refusals}");
        assert!(bytes(&folder, "a.psdb", args) == clean);
        fs::remove_file(folder.path("a.psdb")).unwrap();
    }
}

/// To a file that is finished, several processes read while one begins to write.
#[test]
fn a_finished_file_is_added_to() {
    let folder = folder();
    let clean = bytes(&folder, "clean.psdb", &["--in-process"]);
    let first = [&["--no-psos"][..], &["--max-threads", "4"]].concat();
    bytes(&folder, "a.psdb", &first);
    assert!(File::open(&folder.path("a.psdb")).unwrap().is_finished());
    let added = compile(
        &folder,
        "a.psdb",
        &["--max-threads", "4"],
        &[("DYING_BURN", "2000")],
    );
    assert_eq!(added.code, 0, "{added:?}");
    assert!(fs::read(folder.path("a.psdb")).unwrap() == clean);
}
