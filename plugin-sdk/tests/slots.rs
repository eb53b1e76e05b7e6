//! Many opens at once. They share the slots of a process, so these tests have one of their own, and
//! take turns in it.

#[path = "ddi/host/mod.rs"]
#[allow(dead_code, reason = "made for the tests in ddi/")]
mod host;

use ddi_sys::*;
use parking_lot::{Mutex, MutexGuard};
use plugin_sdk::PluginEntry;

use host::memory::Guarded;
use host::pipeline::Pipeline;
use host::plugin::{OtherPlugin, TestPlugin, alive};
use host::session::{self, Session};
use host::{Application, Host, Open, TARGET};

/// As many as the SDK has, and how many hosts of their own the tests tell apart.
const SLOTS: usize = 1024;
const HOSTS: usize = 64;

fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock()
}

macro_rules! tables {
    ($($index:literal)*) => { [$(session::callbacks::<$index>()),*] };
}

/// A callback table for each host.
fn tables() -> [D3D12DDI_COMPILER_CACHE_CALLBACKS; HOSTS] {
    tables!(
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33
        34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
    )
}

#[test]
fn a_thousand_opens_at_once_and_each_calls_back_its_own_host() {
    let _turn = turn();
    let tables = tables();
    let open = |number: usize| {
        let index = number % HOSTS;
        let host = Host::with_callbacks(TestPlugin::entry_point(), &tables[index]);
        (index, host.unwrap())
    };
    let mut hosts: Vec<_> = (0..SLOTS).map(open).collect();
    assert_eq!(alive().unsigned_abs(), SLOTS);

    // One more is refused, whatever plugin it is of, and nothing of it stays.
    let full = Some(DXGI_ERROR_NOT_CURRENTLY_AVAILABLE);
    assert_eq!(Open::new(TestPlugin::entry_point()).err(), full);
    assert_eq!(Open::new(OtherPlugin::entry_point()).err(), full);
    assert_eq!(alive().unsigned_abs(), SLOTS);

    let pipeline = Pipeline::graphics();
    let check = |hosts: &[(usize, Host)]| {
        let compilers: Vec<_> = hosts
            .iter()
            .map(|(_, host)| host.create_compiler())
            .collect();
        for ((index, _), compiler) in hosts.iter().zip(&compilers) {
            let session = Session::default();
            assert_eq!(compiler.compile(&session, pipeline.raw), S_OK);
            assert!(session.state().tables.iter().all(|table| table == index));
        }
    };
    check(&hosts);

    // One ends, and its place is free again, for another open of the same plugin.
    let (_, ended) = hosts.remove(700);
    let stale = ended.open.handle;
    drop(ended);
    assert_eq!(Open::new(OtherPlugin::entry_point()).err(), full);
    hosts.push(open(700));
    assert_eq!(Open::new(TestPlugin::entry_point()).err(), full);
    hosts[0].1.open.destroy(stale);
    check(&hosts);

    while hosts.len() > 1 {
        hosts.truncate(hosts.len() / 2);
        check(&hosts);
    }
    // A table that is used after its open is destroyed leads to no other plugin: the slots stay those of the
    // plugin that they were first used for.
    drop(hosts);
    assert_eq!(alive(), 0);
    assert_eq!(Open::new(OtherPlugin::entry_point()).err(), full);
}

#[test]
fn the_tables_of_a_destroyed_open_are_dead() {
    let _turn = turn();
    let host = Host::new();
    host.open.destroy(host.open.handle);
    let (application, memory) = (Application::new(), Guarded::new(4096, 0));
    assert_eq!(
        host.calc_compiler_size(&raw const TARGET, application.desc),
        0
    );
    let at = memory.at().cast();
    let hresult = host.create_compiler_in(&raw const TARGET, application.desc, at);
    assert_eq!(hresult, E_INVALIDARG);
    assert!(memory.is_untouched());
}

#[test]
fn opens_come_and_go_on_many_threads() {
    let _turn = turn();
    let tables = tables();
    std::thread::scope(|scope| {
        for (thread, table) in tables.iter().enumerate().take(4) {
            scope.spawn(move || {
                let pipeline = Pipeline::graphics();
                for _ in 0..if cfg!(miri) { 2 } else { 50 } {
                    let open = || Host::with_callbacks(TestPlugin::entry_point(), table).unwrap();
                    let (first, second) = (open(), open());
                    let compiler = first.create_compiler();
                    drop(second);
                    let session = Session::default();
                    assert_eq!(compiler.compile(&session, pipeline.raw), S_OK);
                    assert!(session.state().tables.iter().all(|&table| table == thread));
                }
                assert_eq!(alive(), 0);
            });
        }
    });
}
