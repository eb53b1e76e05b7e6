//! A log subscriber that panics on the writer's thread: the session has failed, and nobody waits for it for ever.
//!
//! One test in a process of its own, whose subscriber is that of all threads.

mod common;

use shader_db::Error;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use common::create;

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
        panic!("as the test wants it");
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn the_session_fails() {
    std::panic::set_hook(Box::new(|_| {}));
    tracing::subscriber::set_global_default(Panics).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let [first, second] = [create(&path), create(&path)];
    // The second to write finds the other's group in the file, and warns.
    first.store_group(b"group", 1, &[]).unwrap();
    second.store_group(b"group", 2, &[]).unwrap();
    first.flush().unwrap();
    let error = second.flush().unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert_eq!(second.store_group(b"next", 1, &[]), Err(error.clone()));
    // What was stored is lost.
    assert_ne!(second.find_group(b"group"), Ok(Some(2)));
    assert_eq!(second.close(), Err(error));
    // The other session is none the worse.
    first.store_group(b"next", 1, &[]).unwrap();
    first.close().unwrap();
}
