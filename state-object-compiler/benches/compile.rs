//! What `compile` costs beside the plugin: `cargo bench -p state-object-compiler --bench compile -- [objects] [burn]
//! [linear] [again]`. docs/compile-speed.md has the results.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bench_support::{Cost, in_turns, median, timed};
use example_sodb::many;
use rusqlite::{Connection, params};
use shader_db::sodb::{Access, Sodb};

/// How often the rows of a group are run, in turns.
const TURNS: usize = 5;
/// Bytes of a value: of what a pipeline has for itself if its shaders are values of their own, and of a whole one.
const SMALL: usize = 400;
const VALUE: usize = 9 << 10;

const IN_PROCESS: [&str; 2] = ["--in-process", "--max-threads"];
const IN_WORKERS: [&str; 1] = ["--max-threads"];

/// Makes an SODB of so many pipelines.
fn make(folder: &Path, objects: u32) -> PathBuf {
    let path = folder.join(format!("{objects}.sodb"));
    let sodb = Sodb::open(&path, Access::Create).expect("a new file");
    many::fill(&sodb, objects).expect("the corpus is there");
    sodb.close().expect("the file is whole");
    path
}

/// The plugin, which cargo builds with the benchmark and puts beside it.
fn plugin() -> PathBuf {
    let bench = std::env::current_exe().expect("this program's file");
    bench.with_file_name(format!("{DLL_PREFIX}dying_plugin{DLL_SUFFIX}"))
}

/// Compiles an SODB, into a new file unless there is one; returns also the most resident memory that no file backs, in MB,
/// of all processes at once.
fn compile(
    sodb: &Path,
    output: &Path,
    how: &[&str],
    threads: usize,
    env: &[(&str, String)],
) -> (Cost, f64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_D3D12StateObjectCompiler"));
    command
        .arg("compile")
        .args([sodb, output])
        .arg("--plugin")
        .arg(plugin())
        .args(how)
        .arg(threads.to_string())
        .envs(env.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::null());
    let before = processor_of_children();
    let start = Instant::now();
    let mut child = command.spawn().expect("the program runs");
    let memory = memory_until_end(&mut child);
    let clock = start.elapsed().as_secs_f64();
    assert!(child.wait().expect("it has ended").success());
    let cost = Cost {
        clock,
        processor: processor_of_children() - before,
        ..Cost::default()
    };
    (cost, memory)
}

/// Waits for a process; returns the most memory that it and those that it started had, in MB.
fn memory_until_end(child: &mut Child) -> f64 {
    let mut most = 0;
    loop {
        most = most.max(memory(child.id()));
        if child.try_wait().expect("a child").is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    f64::from(u32::try_from(most).unwrap_or(u32::MAX)) / 1024.0
}

/// Resident memory of a process and of those that it started, in KiB.
fn memory(process: u32) -> u64 {
    let read = |name: &str| fs::read_to_string(format!("/proc/{process}/{name}"));
    let status = read("status").unwrap_or_default();
    let own = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let own = own.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let started = fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|children| {
            let children = children.split_whitespace().map(str::parse);
            children.collect::<Vec<_>>()
        });
    own.unwrap_or(0) + started.flatten().map(memory).sum::<u64>()
}

/// Processor time of children that have ended, in seconds.
#[cfg(unix)]
fn processor_of_children() -> f64 {
    // SAFETY: zero is a value of every field.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is writable.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let seconds = |time: libc::timeval| {
        let time = Duration::new(
            time.tv_sec.unsigned_abs(),
            u32::try_from(time.tv_usec * 1000).unwrap_or(0),
        );
        time.as_secs_f64()
    };
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

#[cfg(not(unix))]
fn processor_of_children() -> f64 {
    0.0
}

/// A row's name, and how it is run.
type Row<'a> = (String, Box<dyn FnMut() -> Cost + 'a>);

/// With which row the one of a place is compared.
type Base = fn(usize) -> usize;

const FIRST: Base = |_| 0;
/// Rows for one thread or process, each followed by the one for two.
const ONE: Base = |place| place / 2 * 2;

/// Runs the rows in turns, and prints each with its speed as a multiple of that of its base.
fn compare(title: &str, count: u32, base: Base, mut rows: Vec<Row<'_>>) {
    let mut runs: Vec<_> = rows.iter_mut().map(|(_, run)| || run()).collect();
    let costs = in_turns(TURNS, &mut runs);
    for (place, ((row, _), of_row)) in rows.iter().zip(&costs).enumerate() {
        let each =
            |part: fn(&Cost) -> f64| 1e6 * median(of_row.iter().map(part)) / f64::from(count);
        let speeds = costs[base(place)].iter().zip(of_row);
        let speed = median(speeds.map(|(base, own)| base.clock / own.clock));
        println!(
            "| {title} | {row} | {:.1} µs | {speed:.2} | {:.1} µs |",
            each(|cost| cost.clock),
            each(|cost| cost.processor),
        );
    }
}

/// The limit: the rows of the output, inserted by prepared statements in one transaction, and synced.
fn insert_rows(path: &Path, count: u32, size: usize) {
    let mut file = Connection::open(path).expect("a new file");
    file.execute_batch("PRAGMA page_size=65536; PRAGMA foreign_keys=OFF;")
        .expect("new");
    for table in shader_db::psdb::TABLES {
        file.execute_batch(table).expect("the table is new");
    }
    let value = vec![0x5a_u8; size];
    let transaction = file.transaction().expect("nobody else");
    {
        let prepare = |sql| transaction.prepare(sql).expect("the tables are there");
        let mut keys = prepare("INSERT INTO keys(key) VALUES(?1)");
        let mut vals = prepare("INSERT INTO vals(keyid, type, value) VALUES(?1, ?2, ?3)");
        let mut digests = prepare("INSERT INTO value_digests(id, digest) VALUES(?1, ?2)");
        let mut group_keys = prepare("INSERT INTO groupkeys(key, version) VALUES(?1, 1)");
        let mut groups = prepare("INSERT INTO groups(groupkeyid, valuekeyid) VALUES(?1, ?2)");
        let mut group_digests =
            prepare("INSERT INTO group_digests(groupkeyid, digest) VALUES(?1, ?2)");
        for number in 0..count {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&many::key(number));
            let id = keys.insert([&key[..]]).expect("a row");
            vals.execute(params![id, 0, value]).expect("a row");
            vals.execute(params![id, 1, b"metadata"]).expect("a row");
            for kind in 0..2 {
                digests
                    .execute(params![id * 4 + kind, &key[..16]])
                    .expect("a row");
            }
            let group = group_keys.insert([&key[..8]]).expect("a row");
            groups.execute([group, id]).expect("a row");
            group_digests
                .execute(params![group, &key[..16]])
                .expect("a row");
        }
    }
    transaction.commit().expect("it is written");
}

/// The rows of a group: in this process and in workers, one at a time and two.
fn rows<'a>(sodb: &'a Path, output: &'a Path, env: &'a [(&'a str, String)]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for (how, args) in [
        ("in process", &IN_PROCESS[..]),
        ("worker processes", &IN_WORKERS[..]),
    ] {
        for threads in [1, 2] {
            let run = move || {
                let (cost, _) = compile(sodb, output, args, threads, env);
                fs::remove_file(output).expect("the output is there");
                cost
            };
            rows.push((format!("{how}, {threads}"), Box::new(run)));
        }
    }
    rows
}

fn objects(folder: &Path) {
    const OBJECTS: u32 = 20_000;
    let sodb = make(folder, OBJECTS);
    let output = folder.join("out.psdb");
    for size in [SMALL, VALUE] {
        let env = [("DYING_READY", size.to_string())];
        let mut all: Vec<Row<'_>> = vec![(
            "limit: the same rows by prepared statements".into(),
            Box::new(|| {
                let cost = timed(|| insert_rows(&output, OBJECTS, size));
                fs::remove_file(&output).expect("the output is there");
                cost
            }),
        )];
        all.extend(rows(&sodb, &output, &env));
        compare(&format!("ready value of {size} bytes"), OBJECTS, FIRST, all);
    }
}

fn burn(folder: &Path) {
    const OBJECTS: u32 = 3_000;
    let sodb = make(folder, OBJECTS);
    let output = folder.join("out.psdb");
    let env = [
        ("DYING_READY", VALUE.to_string()),
        ("DYING_BURN", "1000".into()),
    ];
    let all = rows(&sodb, &output, &env);
    compare("plugin works for 1 ms", OBJECTS, ONE, all);
    let work = |threads: u64| {
        timed(|| {
            thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| (0..400_000_000 / threads).fold(1, |a, b| black_box(a ^ b)));
                }
            });
        })
    };
    let limit = [1, 2]
        .map(|threads| -> Row<'_> { (format!("{threads}"), Box::new(move || work(threads))) });
    compare("limit: arithmetic alone", 1, ONE, limit.into());
}

/// One run of each: the largest take half a minute.
fn linear(folder: &Path) {
    println!(
        "| value | objects | row | time each | processor time each | memory | output |\n|---|---|---|---|---|---|---|"
    );
    for objects in [2_000, 20_000, 200_000] {
        let sodb = make(folder, objects);
        for size in [SMALL, VALUE] {
            linear_rows(folder, &sodb, objects, size);
        }
    }
}

fn linear_rows(folder: &Path, sodb: &Path, objects: u32, size: usize) {
    let output = folder.join("out.psdb");
    let env = [("DYING_READY", size.to_string())];
    let row = |how: &str, run: &dyn Fn() -> (Cost, f64)| {
        let (cost, memory) = run();
        let written = fs::metadata(&output).expect("the output is there").len() >> 20;
        fs::remove_file(&output).expect("the output is there");
        let each = |time: f64| 1e6 * time / f64::from(objects);
        println!(
            "| {size} bytes | {objects} | {how} | {:.1} µs | {:.1} µs | {:.0} MB | {written} MB |",
            each(cost.clock),
            each(cost.processor),
            memory
        );
    };
    row("limit: the same rows by prepared statements", &|| {
        (timed(|| insert_rows(&output, objects, size)), 0.0)
    });
    for (how, args) in [
        ("in process, 2", &IN_PROCESS[..]),
        ("worker processes, 2", &IN_WORKERS[..]),
    ] {
        row(how, &|| compile(sodb, &output, args, 2, &env));
    }
}

fn again(folder: &Path) {
    const OBJECTS: u32 = 200_000;
    let sodb = make(folder, OBJECTS);
    let output = folder.join("out.psdb");
    let env = [("DYING_READY", "100".into())];
    compile(&sodb, &output, &IN_PROCESS, 2, &env);
    let rows: Vec<Row<'_>> = vec![(
        "everything is there".into(),
        Box::new(|| compile(&sodb, &output, &IN_WORKERS, 2, &env).0),
    )];
    compare("run again", OBJECTS, FIRST, rows);
}

/// A group's name, and what it measures in a folder of its own.
type Group = (&'static str, fn(&Path));

fn main() {
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with("--"))
        .collect();
    let folder = tempfile::tempdir_in(".").expect("a folder");
    println!("| what | row | time each | speed | processor time each |\n|---|---|---|---|---|");
    let groups: [Group; 4] = [
        ("objects", objects),
        ("burn", burn),
        ("again", again),
        ("linear", linear),
    ];
    for (name, run) in groups {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            let folder = folder.path().join(name);
            fs::create_dir(&folder).expect("a new folder");
            run(&folder);
            fs::remove_dir_all(&folder).expect("the folder is there");
        }
    }
}
