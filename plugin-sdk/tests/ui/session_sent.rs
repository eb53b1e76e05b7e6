//! A thread that outlives the call cannot have the session.

use plugin_sdk::Session;

fn send(session: Session<'_>) {
    std::thread::spawn(move || session.requested());
}

fn main() {}
