//! Speed of a PSDB beside the limit of plain prepared statements on the same tables, in one run:
//!
//! ```sh
//! cargo bench -p d3d12-shader-db --bench psdb -- [store] [find] [finish] [merge] [pages] [open] [memory] [--objects 30000]
//! ```
//!
//! Without names everything runs. docs/psdb-speed.md has the tables of a run.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use bench_support::{in_turns, median, processor_times, remove_database};
use rusqlite::{Connection, params};
use shader_db::psdb::{
    Access, Application, Batch, Options, Psdb, SESSION_PAGE_SIZE, TABLES, Target, ValueType,
    ValueTypes, merge, rewrite,
};

/// Counts what this program, but not SQLite's C code, allocates.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static ALLOCATED: AtomicU64 = AtomicU64::new(0);

// SAFETY: each method is that of the system's allocator, a `GlobalAlloc`; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        ALLOCATED.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: `layout` has a size other than 0, as `GlobalAlloc::alloc` demands of its caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` is of `alloc` with this layout, as `GlobalAlloc::dealloc` demands, and so the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(count: u64, run: impl FnOnce()) -> String {
    let before = [
        ALLOCATIONS.load(Ordering::Relaxed),
        ALLOCATED.load(Ordering::Relaxed),
    ];
    run();
    let after = [
        ALLOCATIONS.load(Ordering::Relaxed),
        ALLOCATED.load(Ordering::Relaxed),
    ];
    let each = |at: usize| per(after[at] - before[at], count);
    format!("{:.1} allocations, {:.0} bytes", each(0), each(1))
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn per(total: u64, count: u64) -> f64 {
    total as f64 / count as f64
}

const VALUE: usize = 9 << 10;

/// Keys like hashes, values that cannot be compressed.
struct Data {
    pool: Vec<u8>,
}

fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Data {
    fn new() -> Self {
        Self {
            pool: (0..4_u64 << 20)
                .flat_map(|number| mix(number).to_le_bytes())
                .collect(),
        }
    }

    fn key(kind: u64, number: u64) -> [u8; 32] {
        let mut key = [0; 32];
        for (part, bytes) in key.chunks_exact_mut(8).enumerate() {
            bytes.copy_from_slice(&mix(number * 8 + kind * 4 + part as u64).to_le_bytes());
        }
        key
    }

    fn value(&self, number: u64, size: usize) -> &[u8] {
        let start = usize::try_from(mix(number)).expect("64 bits") % (self.pool.len() - size);
        &self.pool[start..start + size]
    }

    /// From 256 bytes to 64 KiB, the small ones more often; 11.5 KB on average.
    fn mixed_size(number: u64) -> usize {
        let part =
            f64::from(u32::try_from(mix(number) >> 32).expect("32 bits")) / f64::from(u32::MAX);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within 256..=65536"
        )]
        let size = (256.0 * 256.0_f64.powf(part)) as usize;
        size
    }
}

fn options() -> Options {
    Options {
        target: Some(Target {
            family: "GPU".into(),
            abi: 1,
            compiler_version: 1,
            profile_version: 0,
        }),
        application: Some(Application {
            exe: "a.exe".into(),
            name: "A".into(),
            version: 1,
            engine_name: None,
            engine_version: 0,
        }),
        access: Access::Create,
        ..Options::default()
    }
}

/// The limit: prepared statements, one thread, nothing looked up, nothing computed.
struct Raw {
    connection: Connection,
}

impl Raw {
    fn create(path: &Path, page_size: u32, journal: &str) -> Self {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(&format!(
                "PRAGMA page_size={page_size}; PRAGMA journal_mode={journal}; PRAGMA synchronous=NORMAL; \
                 PRAGMA foreign_keys=OFF; PRAGMA cache_size=-32768; PRAGMA wal_autocheckpoint={};",
                (128 << 20) / page_size
            ))
            .unwrap();
        connection.execute_batch(&TABLES.join(";")).unwrap();
        Self { connection }
    }

    /// Stores objects in transactions of at least so many bytes.
    fn store(
        &self,
        data: &Data,
        objects: u64,
        size: impl Fn(u64) -> usize,
        transaction: usize,
    ) -> Duration {
        let prepare = |sql| self.connection.prepare(sql).unwrap();
        let mut key = prepare("INSERT INTO keys(key) VALUES(?1)");
        let mut value = prepare("INSERT INTO vals(keyid, type, value) VALUES(?1, ?2, ?3)");
        let mut digest = prepare("INSERT INTO value_digests(id, digest) VALUES(?1, ?2)");
        let mut group = prepare("INSERT INTO groupkeys(key, version) VALUES(?1, ?2)");
        let mut member = prepare("INSERT INTO groups(groupkeyid, valuekeyid) VALUES(?1, ?2)");
        let mut group_digest =
            prepare("INSERT INTO group_digests(groupkeyid, digest) VALUES(?1, ?2)");
        let start = Instant::now();
        let mut batch = 0;
        for number in 0..objects {
            if batch == 0 {
                self.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
            }
            let bytes = data.value(number, size(number));
            key.execute([&Data::key(0, number)[..]]).unwrap();
            let id = self.connection.last_insert_rowid();
            value.execute(params![id, 0, bytes]).unwrap();
            digest.execute(params![id * 4, &[1_u8; 16][..]]).unwrap();
            group
                .execute(params![&Data::key(1, number)[..], 1])
                .unwrap();
            let group_id = self.connection.last_insert_rowid();
            member.execute(params![group_id, id]).unwrap();
            group_digest
                .execute(params![group_id, &[1_u8; 16][..]])
                .unwrap();
            batch += bytes.len();
            if batch >= transaction {
                self.connection.execute_batch("COMMIT").unwrap();
                batch = 0;
            }
        }
        if batch != 0 {
            self.connection.execute_batch("COMMIT").unwrap();
        }
        start.elapsed()
    }

    fn find(path: &Path, objects: u64, finds: u64) -> Duration {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch("PRAGMA mmap_size=0x7fff0000; PRAGMA cache_size=-4096; BEGIN")
            .unwrap();
        let mut find = connection
            .prepare(
                "SELECT vals.value FROM keys JOIN vals ON vals.keyid = keys.keyid AND vals.type = ?2 \
                 WHERE keys.key = ?1",
            )
            .unwrap();
        let mut buffer = vec![0; 1 << 16];
        let start = Instant::now();
        for number in 0..finds {
            let key = Data::key(0, mix(number) % objects);
            let mut rows = find.query(params![&key[..], 0]).unwrap();
            let value = rows
                .next()
                .unwrap()
                .unwrap()
                .get_ref(0)
                .unwrap()
                .as_blob()
                .unwrap();
            buffer[..value.len()].copy_from_slice(value);
            black_box(&buffer);
        }
        start.elapsed()
    }
}

/// Stores each object in a transaction of its own.
fn store(
    psdb: &Psdb,
    data: &Data,
    numbers: impl Iterator<Item = u64>,
    size: impl Fn(u64) -> usize,
) {
    for number in numbers {
        let mut batch = psdb.batch();
        add(&mut batch, data, number, size(number));
        let added = psdb.transaction(|transaction| transaction.add(&batch).map(drop));
        added.unwrap();
    }
}

/// Stores objects in transactions of 8 MiB.
fn store_many(psdb: &Psdb, data: &Data, objects: u64, size: impl Fn(u64) -> usize) {
    let mut batch = psdb.batch();
    for number in 0..objects {
        add(&mut batch, data, number, size(number));
        if batch.size() >= LARGE || number + 1 == objects {
            let added = psdb.transaction(|transaction| transaction.add(&batch).map(drop));
            added.unwrap();
            batch = psdb.batch();
        }
    }
}

fn add(batch: &mut Batch, data: &Data, number: u64, size: usize) {
    let key = Data::key(0, number);
    let value = [(ValueType::ObjectCode, data.value(number, size))];
    batch.add_values(&key, &value).unwrap();
    batch.add_group(&Data::key(1, number), 1, &[&key]).unwrap();
}

/// Bytes of a large transaction.
const LARGE: usize = 8 << 20;

fn find(psdb: &Psdb, keys: impl Iterator<Item = u64>) {
    let mut buffer = vec![0; 1 << 16];
    for number in keys {
        let copy = |value: &[u8]| buffer[..value.len()].copy_from_slice(value);
        let found = psdb.find_value(&Data::key(0, number), ValueType::ObjectCode, copy);
        assert_eq!(found, Ok(Some(())));
        black_box(&buffer);
    }
}

struct Row {
    name: &'static str,
    count: u64,
    time: Duration,
    /// The part of the first row's rate.
    share: Option<f64>,
}

fn each(time: Duration, count: u64) -> f64 {
    time.as_secs_f64() * 1e6 / per(count, 1)
}

impl Row {
    fn print(&self) {
        let each = each(self.time, self.count);
        let share = self
            .share
            .map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
        println!(
            "| {} | {each:.2} µs | {:.0}/s | {share} |",
            self.name,
            1e6 / each
        );
    }
}

fn head(title: &str) {
    println!(
        "\n{title}\n\n| | each, best of {TURNS} | rate | of the limit, median |\n|---|---|---|---|"
    );
}

const TURNS: usize = 5;

/// Runs the rows in turns, so that what else the machine does meets all of them: the best time of each, and the median
/// of what it was of the first row's rate in the same turn.
fn turns(rows: &mut [(&'static str, u64, &mut dyn FnMut() -> Duration)]) -> Vec<Row> {
    let mut runs: Vec<_> = rows.iter_mut().map(|(_, _, run)| || run()).collect();
    let times = in_turns(TURNS, &mut runs);
    let rate = |row: usize, turn: usize| per(rows[row].1, 1) / times[row][turn].as_secs_f64();
    let row = |row: usize| {
        let shares = (0..TURNS).map(|turn| rate(row, turn) / rate(0, turn));
        Row {
            name: rows[row].0,
            count: rows[row].1,
            time: times[row].iter().copied().min().expect("some turns"),
            share: Some(median(shares)),
        }
    };
    (0..rows.len()).map(row).collect()
}

fn timed(run: impl FnOnce()) -> Duration {
    Duration::from_secs_f64(bench_support::timed(run).clock)
}

/// Copies files, and syncs the copies: as durable as what a session and a merge leave.
fn copy(files: &[PathBuf], folder: &Path) -> Duration {
    let copies = files
        .iter()
        .map(|file| folder.join("copies").join(file.file_name().unwrap()));
    let copies: Vec<PathBuf> = copies.collect();
    fs::create_dir(folder.join("copies")).unwrap();
    let time = timed(|| {
        for (file, copy) in files.iter().zip(&copies) {
            fs::copy(file, copy).unwrap();
            let copy = fs::File::options().write(true).open(copy).unwrap();
            copy.sync_all().unwrap();
        }
    });
    fs::remove_dir_all(folder.join("copies")).unwrap();
    time
}

/// The best of three runs, which interruptions by others have hurt least.
fn best(mut run: impl FnMut() -> Duration) -> Duration {
    (0..3).map(|_| run()).min().expect("three runs")
}

/// Processor time of all threads so far.
fn processor() -> Duration {
    Duration::from_secs_f64(processor_times()[1])
}

/// Resident memory in MB: what no file backs, and all.
fn memory() -> [u64; 2] {
    ["RssAnon", "VmRSS"].map(|name| bench_support::memory(name) >> 10)
}

fn main() {
    let mut objects = 30_000;
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--objects" => {
                objects = arguments
                    .next()
                    .and_then(|number| number.parse().ok())
                    .expect("a number");
            }
            option if option.starts_with("--") => {}
            name => names.push(name.to_owned()),
        }
    }
    let wants = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let folder =
        tempfile::tempdir_in(std::env::var_os("PSDB_BENCH_DIR").unwrap_or(".".into())).unwrap();
    let data = Data::new();
    let nine = |_| VALUE;
    let raw_path = folder.path().join("raw.db");
    let path = folder.path().join("a.psdb");
    let open = || Psdb::open(&[(ValueTypes::ALL, &path)], &options()).unwrap();

    if wants("store") {
        head(&format!(
            "Store: {objects} objects, each a fresh value of 9 KiB and a group; WAL; until committed"
        ));
        let mut limit_used = Duration::MAX;
        let mut used = Duration::MAX;
        let results = turns(&mut [
            (
                "one object a transaction: statements (limit)",
                objects,
                &mut || {
                    remove_database(&raw_path);
                    let raw = Raw::create(&raw_path, SESSION_PAGE_SIZE, "WAL");
                    let before = processor();
                    let time = raw.store(&data, objects, nine, 1);
                    limit_used = limit_used.min(processor().saturating_sub(before));
                    time
                },
            ),
            ("psdb, one thread", objects, &mut || {
                remove_database(&path);
                let psdb = open();
                let before = processor();
                let time = timed(|| store(&psdb, &data, 0..objects, nine));
                used = used.min(processor().saturating_sub(before));
                psdb.close().unwrap();
                time
            }),
            ("8 MiB a transaction: statements", objects, &mut || {
                remove_database(&raw_path);
                Raw::create(&raw_path, SESSION_PAGE_SIZE, "WAL").store(&data, objects, nine, LARGE)
            }),
            ("psdb, one thread", objects, &mut || {
                remove_database(&path);
                let psdb = open();
                timed(|| store_many(&psdb, &data, objects, nine))
            }),
            ("psdb, two threads", objects, &mut || {
                remove_database(&path);
                let psdb = open();
                timed(|| {
                    thread::scope(|scope| {
                        scope.spawn(|| store(&psdb, &data, (0..objects).step_by(2), nine));
                        store(&psdb, &data, (1..objects).step_by(2), nine);
                    });
                })
            }),
        ]);
        results.iter().for_each(Row::print);
        let row = |name, time, limit| {
            Row {
                name,
                count: objects,
                time,
                share: limit,
            }
            .print();
        };
        row("processor time: statements", limit_used, None);
        row("processor time: psdb, all its threads", used, None);
        remove_database(&path);
        let psdb = open();
        store(&psdb, &data, 0..objects, nine);
        println!(
            "\nA store of a value and one of a group: {}",
            allocations(1000, || store(&psdb, &data, objects..objects + 1000, nine))
        );
        let again = timed(|| {
            for number in 0..objects {
                let key = Data::key(0, number);
                let value = [(ValueType::ObjectCode, data.value(number, VALUE))];
                psdb.store_value(&key, &value).unwrap_err();
            }
        });
        println!(
            "A store of what is stored already: {:.2} µs",
            each(again, objects)
        );
    }

    if wants("find") {
        let finds = 50_000;
        head(&format!(
            "Find: {finds} of {objects} values of 9 KiB at random, each copied to the caller; warm"
        ));
        remove_database(&path);
        let psdb = open();
        store(&psdb, &data, 0..objects, nine);
        psdb.close().unwrap();
        let random = || (0..finds).map(|number| mix(number) % objects);
        let psdb = open();
        find(&psdb, random());
        let results = turns(&mut [
            (
                "prepared SELECT in one transaction (limit)",
                finds,
                &mut || Raw::find(&path, objects, finds),
            ),
            ("find_value, verified", finds, &mut || {
                timed(|| find(&psdb, random()))
            }),
            ("find_value in a snapshot", finds, &mut || {
                psdb.keep_snapshot(true);
                let time = timed(|| find(&psdb, random()));
                psdb.keep_snapshot(false);
                time
            }),
            ("find_value, two threads", 2 * finds, &mut || {
                timed(|| {
                    thread::scope(|scope| {
                        scope.spawn(|| find(&psdb, random()));
                        find(&psdb, random());
                    });
                })
            }),
            ("find_value, absent", finds, &mut || {
                timed(|| {
                    for number in random() {
                        let key = Data::key(0, objects + number);
                        let found = psdb.find_value(&key, ValueType::ObjectCode, <[u8]>::len);
                        assert_eq!(found, Ok(None));
                    }
                })
            }),
            ("value_size", finds, &mut || {
                timed(|| {
                    for number in random() {
                        let key = Data::key(0, number);
                        assert!(
                            psdb.value_size(&key, ValueType::ObjectCode)
                                .unwrap()
                                .is_some()
                        );
                    }
                })
            }),
            ("find_group, verified", finds, &mut || {
                timed(|| {
                    for number in random() {
                        assert!(psdb.find_group(&Data::key(1, number)).unwrap().is_some());
                    }
                })
            }),
        ]);
        results.iter().for_each(Row::print);
        println!(
            "\nA find: {}, but for SQLite's",
            allocations(finds, || find(&psdb, random()))
        );
        store(&psdb, &data, objects..objects + 100, nine);
        let wal = timed(|| find(&psdb, objects..objects + 100));
        println!("A find in the WAL: {:.2} µs", each(wal, 100));
    }

    if wants("finish") {
        head(&format!(
            "Finish: {objects} objects, each a fresh value of 9 KiB and a group; `close` after `flush`"
        ));
        let make = || {
            remove_database(&path);
            let psdb = open();
            store(&psdb, &data, 0..objects, nine);
            timed(|| psdb.close().unwrap())
        };
        make();
        let results = turns(&mut [
            ("copying the file, synced (limit)", objects, &mut || {
                copy(std::slice::from_ref(&path), folder.path())
            }),
            ("close of a new file", objects, &mut || make()),
            ("rewrite of a finished file", objects, &mut || {
                timed(|| rewrite(&path).unwrap())
            }),
        ]);
        results.iter().for_each(Row::print);
    }

    if wants("merge") {
        let shards: u64 = 8;
        let shared = objects / shards / 4;
        let own = objects / shards - shared;
        head(&format!(
            "Merge: {shards} files of {} values of 9 KiB, each with a group; {shared} are in all of them",
            shared + own
        ));
        let inputs: Vec<PathBuf> = (0..shards)
            .map(|shard| {
                let path = folder.path().join(format!("{shard}.psdb"));
                let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &options()).unwrap();
                let first = shared + shard * own;
                store(&psdb, &data, (0..shared).chain(first..first + own), nine);
                psdb.close().unwrap();
                path
            })
            .collect();
        let count = shards * (shared + own);
        let results = turns(&mut [
            ("copying the inputs, synced (limit)", count, &mut || {
                copy(&inputs, folder.path())
            }),
            ("merge", count, &mut || {
                remove_database(&path);
                timed(|| {
                    let merged = merge(&inputs, &path, &mut |_| {}).unwrap();
                    assert_eq!(merged.values, shared + shards * own);
                })
            }),
        ]);
        results.iter().for_each(Row::print);
        for path in &inputs {
            remove_database(path);
        }
    }

    if wants("pages") {
        println!("\nPage size: {objects} objects of 256 B to 64 KiB, plain statements");
        println!(
            "\n| pages | journal | store | find | file / values | empty file |\n|---|---|---|---|---|---|"
        );
        let payload: u64 = (0..objects)
            .map(|number| Data::mixed_size(number) as u64)
            .sum();
        for page_size in [4096, 16384, 65536] {
            for journal in ["WAL", "OFF"] {
                remove_database(&raw_path);
                let raw = Raw::create(&raw_path, page_size, journal);
                let empty: u64 = raw
                    .connection
                    .query_row("SELECT * FROM pragma_page_count", [], |row| row.get(0))
                    .unwrap();
                let stored = raw.store(&data, objects, Data::mixed_size, LARGE);
                drop(raw);
                let found = best(|| Raw::find(&raw_path, objects, objects));
                println!(
                    "| {} KiB | {journal} | {:.1} µs | {:.2} µs | {:.3} | {} KiB |",
                    page_size >> 10,
                    each(stored, objects),
                    each(found, objects),
                    per(fs::metadata(&raw_path).unwrap().len(), payload),
                    (empty * u64::from(page_size)) >> 10,
                );
            }
        }
    }

    if wants("open") {
        println!(
            "\nOpen to the first verified value, warm\n\n| values | size | to read | to store |\n|---|---|---|---|"
        );
        for (values, size) in [(10_000, VALUE), (100_000, VALUE), (500_000, 1024)] {
            remove_database(&path);
            let psdb = open();
            store(&psdb, &data, 0..values, |_| size);
            psdb.close().unwrap();
            let first = |access| {
                let options = Options {
                    access,
                    ..Options::default()
                };
                best(|| {
                    let start = Instant::now();
                    let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &options).unwrap();
                    find(&psdb, std::iter::once(values / 3));
                    start.elapsed()
                })
            };
            let [read, write] =
                [Access::Read, Access::Create].map(|access| first(access).as_secs_f64() * 1e3);
            println!("| {values} | {size} B | {read:.2} ms | {write:.2} ms |");
        }
    }

    if wants("memory") {
        println!("\nMemory while storing values of 9 KiB, beyond that of the benchmark itself\n");
        println!("| objects | private | with mapped pages |\n|---|---|---|");
        remove_database(&path);
        let before = memory();
        let psdb = open();
        let mut stored = 0;
        for until in [1_000, 10_000, 50_000, 100_000, 200_000] {
            store(&psdb, &data, stored..until, nine);
            stored = until;
            let now = memory();
            println!(
                "| {until} | {} MB | {} MB |",
                now[0] - before[0],
                now[1] - before[1]
            );
        }
        psdb.close().unwrap();
        let now = memory();
        println!(
            "| closed | {} MB | {} MB |",
            now[0].saturating_sub(before[0]),
            now[1].saturating_sub(before[1])
        );
    }
}
