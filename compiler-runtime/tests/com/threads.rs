//! Several threads in one session, several sessions on one file.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use api_sys::*;
use runtime_test_support::api::*;
use runtime_test_support::plugin::{on_compile, on_create};
use windows_core::{HRESULT, Interface};

/// An interface for other threads: the objects are free-threaded, which windows-core does not know.
#[derive(Clone)]
pub struct Shared<I>(I);

// SAFETY: the objects are free-threaded.
unsafe impl<I: Interface> Send for Shared<I> {}
// SAFETY: the objects are free-threaded: several threads may be in their methods at the same time.
unsafe impl<I: Interface> Sync for Shared<I> {}

impl<I> Shared<I> {
    pub fn new(interface: I) -> Self {
        Self(interface)
    }

    pub fn get(&self) -> &I {
        &self.0
    }
}

const THREADS: usize = 8;

/// Runs on eight threads at a time.
pub fn at_once<T: Send>(body: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let barrier = Barrier::new(THREADS);
    let run = |thread| {
        barrier.wait();
        body(thread)
    };
    let run = &run;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || run(thread)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

#[test]
fn a_plugin_makes_one_compiler_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let factory = scripted();
    let session = Shared::new(session(&factory, &folder.path().join("a.psdb")));
    let factory = Shared::new(factory);
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    at_once(|_| {
        let (now, most) = (now.clone(), most.clone());
        on_create(move || {
            most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
            thread::sleep(Duration::from_millis(5));
            now.fetch_sub(1, SeqCst);
        });
        drop(compiler(factory.get(), session.get()));
    });
    assert_eq!(most.load(SeqCst), 1);
}

#[test]
fn of_one_group_exactly_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let factory = scripted();
    let session = session(&factory, &folder.path().join("a.psdb"));
    let compiler = Shared::new(compiler(&factory, &session));
    for round in 0_u8..40 {
        let results: Vec<HRESULT> = at_once(|thread| {
            let version = u32::try_from(thread).unwrap();
            on_compile(move |compile| {
                let key = [round, u8::try_from(thread).unwrap()];
                compile.store_object(&key, b"code")
            });
            let key = [b'g', round];
            compile(compiler.get(), &key, version, &ComputePipeline::default())
        });
        let winners: Vec<_> = (0..THREADS)
            .filter(|thread| results[*thread] == S_OK)
            .collect();
        assert_eq!(winners.len(), 1, "{results:?}");
        let lost = |result: &&HRESULT| **result == DXGI_ERROR_ALREADY_EXISTS;
        assert_eq!(
            results.iter().filter(lost).count(),
            THREADS - 1,
            "{results:?}"
        );
        let winner = u8::try_from(winners[0]).unwrap();
        let keys = group_keys(&session, &[b'g', round], Some(winner.into()));
        assert_eq!(keys, Ok(vec![vec![round, winner]]));
    }
}

#[test]
fn a_value_is_stored_by_exactly_one() {
    let folder = tempfile::tempdir().unwrap();
    let session = Shared::new(session(&scripted(), &folder.path().join("a.psdb")));
    for round in 0_u32..200 {
        let stored = at_once(|thread| {
            let value = [u8::try_from(thread).unwrap()];
            store(
                session.get(),
                &round.to_le_bytes(),
                &[const_value(OBJECT_CODE, &value)],
            )
        });
        let winners: Vec<_> = (0..THREADS)
            .filter(|thread| stored[*thread] == S_OK)
            .collect();
        assert_eq!(winners.len(), 1, "{stored:?}");
        let value = find_one(session.get(), &round.to_le_bytes(), OBJECT_CODE).unwrap();
        assert_eq!(usize::from(value[0]), winners[0]);
    }
}

#[test]
fn different_groups_through_one_compiler_and_through_many() {
    let folder = tempfile::tempdir().unwrap();
    for shared in [true, false] {
        let factory = sample();
        let path = folder.path().join(format!("{shared}.psdb"));
        let session = Shared::new(session(&factory, &path));
        let factory = Shared::new(factory);
        let one = Shared::new(compiler(factory.get(), session.get()));
        let names = ["raw_copy_cs.dxil", "indirect_args_cs.dxil", "heap_cs.dxil"];
        at_once(|thread| {
            let own = compiler(factory.get(), session.get());
            let compiler = if shared { one.get() } else { &own };
            for round in 0..12_usize {
                let pipeline = ComputePipeline::new(names[(round + thread) % names.len()]);
                let key = format!("{thread} {round}");
                assert_eq!(compile(compiler, key.as_bytes(), 1, &pipeline), S_OK);
                assert!(
                    !group_keys(session.get(), key.as_bytes(), Some(1))
                        .unwrap()
                        .is_empty()
                );
            }
        });
        // Eight times twelve groups of three different objects.
        let mut kinds = BTreeSet::new();
        for thread in 0..THREADS {
            for round in 0..12_usize {
                let key = format!("{thread} {round}");
                let keys = group_keys(session.get(), key.as_bytes(), Some(1)).unwrap();
                for (_, _, value) in group_values(session.get(), key.as_bytes(), None, ALL).unwrap()
                {
                    assert!(!value.is_empty());
                }
                kinds.insert(keys);
            }
        }
        assert_eq!(kinds.len(), names.len());
    }
}

#[test]
fn several_sessions_on_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    at_once(|thread| {
        let session = session(&scripted(), &path);
        for round in 0..20_u8 {
            let key = [u8::try_from(thread).unwrap(), round];
            assert_eq!(
                store(&session, &key, &[const_value(OBJECT_CODE, &key)]),
                S_OK
            );
            assert_eq!(store_group(&session, &key, 1, &[&key]), S_OK);
        }
    });
    let session = session(&scripted(), &path);
    for thread in 0..u8::try_from(THREADS).unwrap() {
        for round in 0..20 {
            let key = [thread, round];
            let value = group_values(&session, &key, Some(1), ALL).unwrap();
            assert_eq!(value, [(0, OBJECT_CODE, key.to_vec())]);
        }
    }
}

#[test]
fn a_finished_file_is_added_to_by_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    drop(session(&scripted(), &path));
    let factory = scripted();
    let session = session(&factory, &path);
    let compiler = Shared::new(compiler(&factory, &session));
    at_once(|thread| {
        let pipeline = ComputePipeline::default();
        for number in 0..500_u32 {
            let key = [&[u8::try_from(thread).unwrap()][..], &number.to_le_bytes()].concat();
            let value = key.clone();
            on_compile(move |compile| compile.store_object(&value, b"code"));
            assert_eq!(compile(compiler.get(), &key, 1, &pipeline), S_OK);
        }
    });
}

/// The file that the child processes store into, and what their keys begin with.
const CHILD: [&str; 2] = ["COMPILER_RUNTIME_TEST_FILE", "COMPILER_RUNTIME_TEST_PREFIX"];

#[test]
#[ignore = "the child process of the test below"]
fn child() {
    let [path, prefix] = CHILD.map(|name| std::env::var(name).unwrap());
    for round in 0..5 {
        let session = session(&scripted(), path.as_ref());
        for number in 0..10 {
            let key = format!("{prefix} {round} {number}");
            let key = key.as_bytes();
            assert_eq!(store(&session, key, &[const_value(OBJECT_CODE, key)]), S_OK);
            assert_eq!(store_group(&session, key, 1, &[key]), S_OK);
        }
    }
}

#[test]
fn several_processes_on_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let children: Vec<_> = (0..4)
        .map(|number| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "threads::child", "--ignored"])
                .env(CHILD[0], &path)
                .env(CHILD[1], number.to_string())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
    }
    let session = session(&scripted(), &path);
    for process in 0..4 {
        for round in 0..5 {
            for number in 0..10 {
                let key = format!("{process} {round} {number}");
                let value = group_values(&session, key.as_bytes(), Some(1), ALL).unwrap();
                assert_eq!(value, [(0, OBJECT_CODE, key.into_bytes())]);
            }
        }
    }
}
