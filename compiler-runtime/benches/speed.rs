//! What a call through the API costs, each next to what cannot be avoided. `docs/runtime-speed.md` has
//! the results.
//!
//!     cargo bench -p d3d12-compiler-runtime --bench speed -- [compile] [threads] [find] [memory] [sdk]
#![allow(clippy::wildcard_imports, reason = "the names are C's")]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use api_desc::PipelineStateDesc;
use api_sys::*;
use bench_support::{Cost, in_turns, median, memory, remove_database, timed};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE, D3D12DDI_COMPILER_CACHE_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
};
use runtime_test_support::api::*;
use runtime_test_support::plugin::{self, on_compile};
use rusqlite::{Connection, params};
use shader_db::psdb::{SESSION_PAGE_SIZE, TABLES};
use windows_core::Interface;

/// What the plugin stores for each object.
static VALUE: [u8; 9 << 10] = [0x5A; 9 << 10];

/// Objects of a round.
const OBJECTS: u32 = 10_000;
/// Rounds; each runs every row.
const ROUNDS: usize = 5;

/// A key like a hash.
fn key(kind: u8, number: u32) -> [u8; 32] {
    let mut key = [kind; 32];
    for (place, part) in key.chunks_exact_mut(8).zip(1_u64..) {
        let mixed = (u64::from(number) << 8 | u64::from(kind))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_mul(part);
        place.copy_from_slice(&(mixed ^ mixed >> 29).to_be_bytes());
    }
    key
}

/// Something to be timed, with its name.
type Row<'a> = (&'a str, &'a mut dyn FnMut() -> Cost);

/// Runs the rows in turns, so that whatever else the machine does meets all of them, and reports.
fn compare(title: &str, count: u32, rows: &mut [Row<'_>]) {
    let names: Vec<_> = rows.iter().map(|(row, _)| *row).collect();
    let mut runs: Vec<_> = rows.iter_mut().map(|(_, run)| || run()).collect();
    let costs = in_turns(ROUNDS, &mut runs);
    report(
        title,
        count,
        &names.into_iter().zip(costs).collect::<Vec<_>>(),
    );
}

/// Prints the median time of each row for one of `count`, and the median of its rate over that of the
/// first row: once as the clock has it, once in processor time of all threads, which other programs do
/// not share.
fn report(title: &str, count: u32, rows: &[(&str, Vec<Cost>)]) {
    for (row, costs) in rows {
        let [clock, processor] =
            [|cost: &Cost| cost.clock, |cost: &Cost| cost.processor].map(|part| {
                let rates = rows[0]
                    .1
                    .iter()
                    .zip(costs)
                    .map(|(first, own)| part(first) / part(own));
                let each = 1e6 * median(costs.iter().map(part)) / f64::from(count);
                format!("{each:.2} µs | {:.2}", median(rates))
            });
        println!("| {title} | {row} | {clock} | {processor} |");
    }
}

/// A session on a new file, and a compiler for it.
fn open(path: &Path) -> (ID3D12CompilerCacheSession, ID3D12Compiler1) {
    let factory = scripted();
    let session = session(&factory, path);
    let compiler = compiler(&factory, &session);
    (session, compiler)
}

/// How many groups a connection that knows nothing of the session can read.
fn rows_of_others(path: &Path) -> u32 {
    let file = Connection::open(path).unwrap();
    let count = "SELECT count(*) FROM groupkeys JOIN groups ON groupkeyid = groupkeys.keyid \
                 JOIN vals ON vals.keyid = valuekeyid";
    file.query_row(count, [], |row| row.get(0)).unwrap()
}

fn application() -> plugin_host::ApplicationDesc {
    let text = |text| plugin_host::U16CString::from_str(text).unwrap();
    plugin_host::ApplicationDesc {
        exe_filename: text("Game.exe"),
        name: text("Game"),
        version: 1,
        engine: None,
    }
}

/// Has the plugin store a ready value under the next key, and name it.
fn store_ready_values(first: u32) {
    let next = std::cell::Cell::new(first);
    on_compile(move |compile| {
        let number = next.replace(next.get() + 1);
        compile.store_object(&key(b'v', number), &VALUE)
    });
}

/// A new file for the limit's statements.
fn raw_file(path: &Path) -> Connection {
    let file = Connection::open(path).unwrap();
    file.execute_batch(&format!(
        "PRAGMA page_size={SESSION_PAGE_SIZE}; PRAGMA journal_mode=wal; PRAGMA synchronous=NORMAL; \
         PRAGMA foreign_keys=OFF; PRAGMA wal_autocheckpoint=16384; PRAGMA cache_size=-32768;",
    ))
    .unwrap();
    file.execute_batch(&TABLES.join(";")).unwrap();
    file
}

/// The limit: prepared statements that insert the rows of an object in one transaction, with nothing looked up and nothing
/// computed.
fn insert_object(file: &mut Connection, number: u32) {
    let transaction = file.transaction().unwrap();
    let insert = |sql, row: &[&dyn rusqlite::ToSql]| {
        transaction
            .prepare_cached(sql)
            .unwrap()
            .insert(row)
            .unwrap()
    };
    let digest = &key(b'd', number)[..16];
    let value = insert(
        "INSERT INTO keys(key) VALUES(?1)",
        params![&key(b'v', number)[..]],
    );
    insert(
        "INSERT INTO vals(keyid, type, value) VALUES(?1, 0, ?2)",
        params![value, &VALUE[..]],
    );
    insert(
        "INSERT INTO value_digests(id, digest) VALUES(?1, ?2)",
        params![value * 4, digest],
    );
    let group = insert(
        "INSERT INTO groupkeys(key, version) VALUES(?1, 1)",
        params![&key(b'g', number)[..]],
    );
    insert(
        "INSERT INTO groups(groupkeyid, valuekeyid) VALUES(?1, ?2)",
        params![group, value],
    );
    insert(
        "INSERT INTO group_digests(groupkeyid, digest) VALUES(?1, ?2)",
        params![group, digest],
    );
    transaction.commit().unwrap();
}

/// A name, what was timed, and which part of it.
type Part<'a> = (&'a str, &'a [Cost], fn(&Cost) -> f64);

/// Prints the medians of what was timed beside the rows of a comparison.
fn print_parts(title: &str, count: u32, parts: &[Part<'_>]) {
    for (row, costs, part) in parts {
        let each = 1e6 * median(costs.iter().map(part)) / f64::from(count);
        println!("| {title} | {row} | {each:.2} µs | | | |");
    }
}

fn compile_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let pipeline = ComputePipeline::default();
    let mut raw = || {
        let mut file = raw_file(&path);
        let time = timed(|| (0..OBJECTS).for_each(|number| insert_object(&mut file, number)));
        drop(file);
        remove_database(&path);
        time
    };
    let application = application();
    let target = compiler_runtime::TargetDesc {
        adapter_family_index: 0,
        abi_version: 1,
    };
    let (mut calls, mut closes, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    // In Rust, as COM has no call that waits for the file.
    let mut committed = || {
        let factory = plugin::factory();
        let session = factory
            .cache_session()
            .files([(compiler_runtime::ValueTypes::ALL, &path)])
            .target(target)
            .application(&application)
            .open()
            .unwrap();
        let compiler = factory.create_compiler(&session).unwrap();
        store_ready_values(0);
        let time = timed(|| {
            calls.push(timed(|| {
                for number in 0..OBJECTS {
                    let mut messages = compiler_runtime::message::Messages::default();
                    let group = [(&key(b'g', number)[..], 1)];
                    let raw = pipeline.desc();
                    // SAFETY: the description, and what it points at, lives as long as the result.
                    let (desc, places) =
                        unsafe { PipelineStateDesc::borrow_raw(&raw const raw) }.unwrap();
                    let result =
                        compiler.compile_pipeline_state(&group, &desc, &places, &mut messages);
                    result.unwrap();
                }
            }));
        });
        assert_eq!(rows_of_others(&path), OBJECTS);
        drop(compiler);
        closes.push(timed(|| drop(session)));
        let copy = path.with_extension("copy");
        copies.push(timed(|| {
            std::fs::copy(&path, &copy).unwrap();
            std::fs::File::open(&copy).unwrap().sync_all().unwrap();
        }));
        remove_database(&copy);
        remove_database(&path);
        time
    };
    let mut com_calls = Vec::new();
    let mut com = || {
        let (session, compiler) = open(&path);
        store_ready_values(0);
        com_calls.push(timed(|| {
            for number in 0..OBJECTS {
                let result = compile(&compiler, &key(b'g', number), 1, &pipeline);
                assert_eq!(result, S_OK);
            }
        }));
        drop((compiler, session));
        remove_database(&path);
    };
    let title = "store an object";
    let rows: &mut [Row<'_>] = &mut [
        (
            "limit: prepared statements, the same rows, to the last COMMIT",
            &mut raw,
        ),
        (
            "compiled, plugin stores a ready value of 9 KB, all committed",
            &mut || {
                com();
                committed()
            },
        ),
    ];
    compare(title, OBJECTS, rows);
    let parts: &[Part<'_>] = &[
        (
            "of that, until the last call returns",
            &calls,
            |cost: &Cost| cost.clock,
        ),
        (
            "of that, processor time of the calling thread",
            &calls,
            |cost: &Cost| cost.thread,
        ),
        (
            "ID3D12Compiler::CompilePipelineState, until the last call returns",
            &com_calls,
            |cost: &Cost| cost.clock,
        ),
        (
            "the same, processor time of the calling thread",
            &com_calls,
            |cost: &Cost| cost.thread,
        ),
    ];
    print_parts(title, OBJECTS, parts);
    let rows = [
        ("limit: the file's bytes copied and synced", copies),
        (
            "closing: the file written once more, in canonical order",
            closes,
        ),
    ];
    report("finish a file, for each object", OBJECTS, &rows);

    // Without a database: what is left of a call.
    let mut translate = || {
        let desc = pipeline.desc();
        timed(|| {
            for _ in 0..OBJECTS {
                let mut messages = compiler_runtime::message::Messages::default();
                // SAFETY: the description, and what it points at, lives as long as the result.
                let (desc, places) =
                    unsafe { PipelineStateDesc::borrow_raw(&raw const desc) }.unwrap();
                let translated = compiler_runtime::desc::pipeline_state::PipelineState::new(
                    &desc,
                    &places,
                    None,
                    &mut messages,
                );
                black_box(translated.unwrap());
            }
        })
    };
    let rows: &mut [Row<'_>] =
        &mut [("translating and validating the description", &mut translate)];
    compare("of a call", OBJECTS, rows);
}

/// Works for 1 ms, as a quick compiler does.
fn burn() {
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(1) {
        black_box(key(0, 0));
    }
}

/// Two threads compile objects of a plugin that works, or waits, for 1 ms and stores a value of 9 KB, each object in a transaction
/// of its own.
fn threads_row() {
    const OBJECTS: u32 = 4_000;
    const THREADS: u32 = 2;
    let run = |work: fn()| {
        let folder = tempfile::tempdir().unwrap();
        let (session, compiler) = open(&folder.path().join("a.psdb"));
        let (compiler, barrier) = (Shared(compiler), Barrier::new(THREADS as usize + 1));
        let time = thread::scope(|scope| {
            for thread in 0..THREADS {
                let (compiler, barrier) = (&compiler, &barrier);
                scope.spawn(move || {
                    let first = thread * OBJECTS / THREADS;
                    let next = std::cell::Cell::new(first);
                    on_compile(move |compile| {
                        work();
                        let number = next.replace(next.get() + 1);
                        compile.store_object(&key(b'v', number), &VALUE)
                    });
                    let pipeline = ComputePipeline::default();
                    barrier.wait();
                    for number in first..first + OBJECTS / THREADS {
                        let result = compile(compiler.get(), &key(b'g', number), 1, &pipeline);
                        assert_eq!(result, S_OK);
                    }
                    barrier.wait();
                });
            }
            barrier.wait();
            timed(|| _ = barrier.wait())
        });
        drop((compiler, session));
        time
    };
    let alone = |work: fn()| {
        timed(|| {
            thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| (0..OBJECTS / THREADS).for_each(|_| work()));
                }
            });
        })
    };
    let statements = |work: fn()| {
        let folder = tempfile::tempdir().unwrap();
        let file = Mutex::new(raw_file(&folder.path().join("a.psdb")));
        timed(|| {
            thread::scope(|scope| {
                for thread in 0..THREADS {
                    let file = &file;
                    scope.spawn(move || {
                        let first = thread * OBJECTS / THREADS;
                        for number in first..first + OBJECTS / THREADS {
                            work();
                            insert_object(&mut file.lock().unwrap(), number);
                        }
                    });
                }
            });
        })
    };
    let waiting = || thread::sleep(Duration::from_millis(1));
    for (title, work) in [
        ("two threads, plugin works for 1 ms", burn as fn()),
        ("two threads, plugin waits for 1 ms", waiting),
    ] {
        let rows: &mut [Row<'_>] = &mut [
            ("limit: the plugin's work alone", &mut || alone(work)),
            ("the work, and prepared statements", &mut || {
                statements(work)
            }),
            ("compiled and committed", &mut || run(work)),
        ];
        compare(title, OBJECTS, rows);
    }
}

/// An interface for other threads.
struct Shared<I>(I);

// SAFETY: the objects are free-threaded.
unsafe impl<I: Interface> Sync for Shared<I> {}

impl<I> Shared<I> {
    fn get(&self) -> &I {
        &self.0
    }
}

fn find_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let values = session(&scripted(), &path);
    for number in 0..OBJECTS {
        let stored = store(
            &values,
            &key(b'v', number),
            &[const_value(OBJECT_CODE, &VALUE)],
        );
        assert_eq!(stored, S_OK);
    }
    drop(values);
    // In no order of the file.
    let numbers = || (0..OBJECTS).map(|number| number.wrapping_mul(7919) % OBJECTS);

    let file = Connection::open(&path).unwrap();
    file.execute_batch("PRAGMA mmap_size=0x7fff0000; PRAGMA cache_size=-2048;")
        .unwrap();
    let sql = "SELECT vals.value FROM keys \
               JOIN vals ON vals.keyid = keys.keyid AND vals.type = 0 WHERE keys.key = ?1";
    let mut buffer = vec![0_u8; VALUE.len()];
    let mut raw = || {
        file.execute_batch("BEGIN").unwrap();
        let mut find = file.prepare_cached(sql).unwrap();
        let time = timed(|| {
            for number in numbers() {
                let mut rows = find.query([&key(b'v', number)[..]]).unwrap();
                let row = rows.next().unwrap().unwrap();
                buffer.copy_from_slice(row.get_ref(0).unwrap().as_blob().unwrap());
                black_box(&buffer);
            }
        });
        drop(find);
        file.execute_batch("COMMIT").unwrap();
        time
    };
    let session = session(&scripted(), &path);
    let mut own = vec![0_u8; VALUE.len()];
    let mut to_buffer = || {
        timed(|| {
            for number in numbers() {
                let size = u32::try_from(own.len()).unwrap();
                let mut value = [typed_value(OBJECT_CODE, own.as_mut_ptr().cast(), size)];
                assert_eq!(find(&session, &key(b'v', number), &mut value, None), S_OK);
                black_box(&own);
            }
        })
    };
    let mut allocating = || {
        timed(|| {
            for number in numbers() {
                let value = find_one(&session, &key(b'v', number), OBJECT_CODE);
                black_box(value);
            }
        })
    };
    let mut sizes = || {
        timed(|| {
            for number in numbers() {
                let mut value = [size_query(OBJECT_CODE)];
                assert_eq!(find(&session, &key(b'v', number), &mut value, None), S_OK);
            }
        })
    };
    let rows: &mut [Row<'_>] = &mut [
        (
            "limit: prepared SELECT in one transaction, copied",
            &mut raw,
        ),
        ("FindValue into a buffer, digest verified", &mut to_buffer),
        (
            "FindValue with an allocation callback, digest verified",
            &mut allocating,
        ),
        ("FindValue, size query", &mut sizes),
    ];
    compare("find a value of 9 KB", OBJECTS, rows);

    // The plugin's callback, in a session that stays, as the limit's connection does.
    let factory = scripted();
    let session = self::session(&factory, &path);
    let compiler = compiler(&factory, &session);
    let of_plugin = |capacity: usize| {
        let time = std::rc::Rc::new(std::cell::Cell::new(Cost::default()));
        let place = std::rc::Rc::clone(&time);
        on_compile(move |compile| {
            let mut buffer = vec![0_u8; VALUE.len()];
            place.set(timed(|| {
                for number in numbers() {
                    let mut value = [D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
                        Type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
                        Value: D3D12DDI_COMPILER_CACHE_VALUE {
                            pValue: buffer.as_mut_ptr().cast(),
                            ValueSize: capacity,
                        },
                    }];
                    let (key, none) = (key(b'v', number), std::ptr::null_mut());
                    // SAFETY: the buffer is at least as large as it says.
                    let found = unsafe { compile.find(&key, &mut value, None, none) };
                    assert_eq!(found, ddi_sys::S_OK);
                }
            }));
            ddi_sys::E_ABORT
        });
        assert!(compile(&compiler, b"group", 1, &ComputePipeline::default()).is_err());
        time.get()
    };
    let rows: &mut [Row<'_>] = &mut [
        (
            "limit: prepared SELECT in one transaction, copied",
            &mut raw,
        ),
        ("pfnCompilerCacheFindValue into a buffer", &mut || {
            of_plugin(VALUE.len())
        }),
        ("pfnCompilerCacheFindValue, size query", &mut || {
            of_plugin(0)
        }),
    ];
    compare("the plugin finds a value of 9 KB", OBJECTS, rows);
}

fn memory_row() {
    const OBJECTS: u32 = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let (session, compiler) = open(&folder.path().join("a.psdb"));
    store_ready_values(0);
    let pipeline = ComputePipeline::default();
    for number in 0..OBJECTS {
        let result = compile(&compiler, &key(b'g', number), 1, &pipeline);
        assert_eq!(result, S_OK);
        if (number + 1) % 20_000 == 0 {
            println!(
                "| memory | after {} objects of 9 KB | {} MB | | | |",
                number + 1,
                memory("RssAnon") / 1024
            );
        }
    }
    drop((compiler, session));
    println!(
        "| memory | after closing | {} MB | | | |",
        memory("RssAnon") / 1024
    );
}

mod no_op {
    //! A plugin that is written with the SDK and has nothing to compile.

    use plugin_sdk::desc::{ApplicationDesc, PipelineStateDesc};
    use plugin_sdk::{
        AdapterFamily, Compiler, CompilerPlugin, Key, ObjectValueKeys, Result, Session, Target,
        VersionNumber, plugin_entry,
    };

    pub struct NoOp;

    plugin_entry!(NoOp);

    impl CompilerPlugin for NoOp {
        type Compiler = Self;

        fn open() -> Result<Self> {
            Ok(Self)
        }

        fn adapter_families(&self) -> Vec<AdapterFamily> {
            vec![AdapterFamily::new(
                "Gen1",
                vec![1],
                VersionNumber::new(1, 0, 0, 0),
            )]
        }

        fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<Self> {
            Ok(Self)
        }
    }

    impl Compiler for NoOp {
        type StateObject = ();

        fn compile_pipeline_state<'call>(
            &self,
            _: &PipelineStateDesc<'call>,
            session: Session<'call>,
        ) -> Result<ObjectValueKeys<'call>> {
            let key = Key::from_bytes(&b"value"[..])?;
            let value = session.find_or_store(key, |_| unreachable!("it is stored"))?;
            Ok(session.finish([value]))
        }
    }
}

/// `noop_plugin.cpp`, built and loaded; `None` where there is no C++ compiler.
fn cpp_plugin(folder: &Path) -> Option<compiler_runtime::Factory> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let headers = repository.join("headers");
    let library = folder.join(format!("noop_plugin{}", std::env::consts::DLL_SUFFIX));
    let mut command = Command::new(if cfg!(windows) { "g++" } else { "c++" });
    command
        .args(["-std=c++17", "-O2", "-shared", "-I"])
        .arg(&headers)
        .arg(repository.join("compiler-runtime/benches/noop_plugin.cpp"))
        .arg("-o")
        .arg(&library);
    if cfg!(windows) {
        command
            .args(["-static", "-Wl,--enable-stdcall-fixup"])
            .arg(headers.join("examples/minimal_plugin.def"));
    } else {
        command.arg("-fPIC");
    }
    assert!(command.status().ok()?.success(), "{command:?}");
    // SAFETY: the plugin keeps the DDI.
    Some(unsafe { compiler_runtime::Factory::load(&library) }.unwrap())
}

/// Compile calls of a plugin that looks for one value, finds it and names it: one in C++, one written
/// with the SDK. The host is `plugin-host` with a cache in memory.
fn sdk_row() {
    use plugin_host::session::{CacheSession as _, MemoryCache, SessionScope};
    use plugin_sdk::PluginEntry as _;

    const CODE: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS =
        ddi_sys::D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;
    // Many, as each takes so little.
    const CALLS: u32 = 20 * OBJECTS;
    let cache = std::sync::Arc::new(MemoryCache::default());
    let value = [(D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE, &b"code"[..])];
    cache.store(b"value", &value).unwrap();
    let pipeline = ComputePipeline::default();
    let mut messages = compiler_runtime::message::Messages::default();
    let raw = pipeline.desc();
    // SAFETY: the description, and what it points at, lives as long as the result.
    let (desc, places) = unsafe { PipelineStateDesc::borrow_raw(&raw const raw) }.unwrap();
    let desc = compiler_runtime::desc::pipeline_state::PipelineState::new(
        &desc,
        &places,
        None,
        &mut messages,
    );
    let desc = desc.unwrap();
    let calls = |factory: &compiler_runtime::Factory| {
        let target = factory.plugin().target(0, 1).unwrap();
        let compiler = factory.plugin().create_compiler(target, &application());
        let compiler = compiler.unwrap();
        let (cache, desc) = (&cache, &desc);
        move || {
            timed(|| {
                for _ in 0..CALLS {
                    let scope = SessionScope::new(cache.clone());
                    // SAFETY: the translation lives.
                    let keys = unsafe { compiler.compile_pipeline_state(scope, CODE, desc.arg()) };
                    assert_eq!(black_box(keys).unwrap().len(), 1);
                }
            })
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let cpp = cpp_plugin(folder.path());
    // SAFETY: the plugin keeps the DDI.
    let sdk = unsafe { compiler_runtime::Factory::from_entry(no_op::NoOp::entry_point()) }.unwrap();
    let title = "a compile call that does nothing";
    let mut sdk_calls = calls(&sdk);
    let sdk_row: Row<'_> = ("the same plugin written with plugin-sdk", &mut sdk_calls);
    if let Some(cpp) = &cpp {
        let mut cpp_calls = calls(cpp);
        let cpp_row: Row<'_> = ("limit: a C++ plugin", &mut cpp_calls);
        compare(title, CALLS, &mut [cpp_row, sdk_row]);
    } else {
        println!("| {title} | limit: a C++ plugin: no C++ compiler is here | | | | |");
        compare(title, CALLS, &mut [sdk_row]);
    }
}

fn main() {
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'))
        .collect();
    println!("| what | row | time each | rate | processor time each | rate |");
    println!("|---|---|---|---|---|---|");
    let rows: [(&str, fn()); 5] = [
        ("compile", compile_row),
        ("threads", threads_row),
        ("find", find_row),
        ("memory", memory_row),
        ("sdk", sdk_row),
    ];
    for (name, row) in rows {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            row();
        }
    }
}
