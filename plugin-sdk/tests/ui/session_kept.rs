//! A session ends with its call: it cannot be kept for the next.

use std::cell::RefCell;

use plugin_sdk::Session;

thread_local! {
    static KEPT: RefCell<Option<Session<'static>>> = const { RefCell::new(None) };
}

fn keep(session: Session<'_>) {
    KEPT.set(Some(session));
}

fn main() {}
