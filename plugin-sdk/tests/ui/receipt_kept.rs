//! A receipt cannot be kept for a later call, nor can one that was kept be used.

use std::cell::RefCell;

use plugin_sdk::{ObjectValueKeys, Receipt, Session};

thread_local! {
    static KEPT: RefCell<Option<Receipt<'static>>> = const { RefCell::new(None) };
}

fn keep(receipt: Receipt<'_>) {
    KEPT.set(Some(receipt));
}

fn use_again<'call>(session: Session<'call>) -> ObjectValueKeys<'call> {
    session.finish(KEPT.take())
}

fn main() {}
