//! A session belongs to the thread of its call.

use plugin_sdk::Session;

fn on_another_thread(_: impl FnOnce() + Send) {}

fn send(session: &Session<'_>) {
    on_another_thread(|| {
        session.requested();
    });
}

fn main() {}
