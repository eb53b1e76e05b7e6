//! A log subscriber that panics ends no process: the call says E_FAIL, and objects are released.
//!
//! One test in a process of its own: where other threads log without a subscriber, the log may be
//! taken for unwanted on all threads.
#![allow(clippy::wildcard_imports, reason = "the names are C's")]

use std::ptr;

use api_sys::*;
use runtime_test_support::api::*;
use runtime_test_support::plugin::{alive, on_compile};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

struct Panics;

impl Subscriber for Panics {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        // A second panic while the first unwinds would be an abort.
        assert!(std::thread::panicking(), "as the test wants it");
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn calls_and_releases_survive() {
    std::panic::set_hook(Box::new(|_| {}));
    let folder = tempfile::tempdir().unwrap();
    let before = alive();
    let factory = scripted();
    let session = session(&factory, &folder.path().join("a.psdb"));
    let compiler = compiler(&factory, &session);
    let pipeline = ComputePipeline::default();
    tracing::subscriber::with_default(Panics, || {
        // The plugin's callbacks log too, and the plugin hears E_FAIL.
        on_compile(|compile| compile.store_object(b"key", b"code"));
        assert_eq!(compile(&compiler, b"group", 1, &pipeline), E_FAIL);
        // SAFETY: nulls are what is tested.
        unsafe {
            assert_eq!(session.FindGroup(ptr::null(), ptr::null_mut()), E_FAIL);
            assert_eq!(factory.EnumerateAdapterFamilies(0, ptr::null_mut()), E_FAIL);
        }
        drop((compiler, session, factory));
    });
    assert_eq!(alive(), before);
}
