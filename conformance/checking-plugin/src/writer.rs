//! Appending to the record.

use std::fs::File;
use std::io::Write as _;
use std::sync::{LazyLock, Mutex, PoisonError};

use conformance_catalogue::Rule;
use conformance_protocol::record::{Broken, Call, Entry, VARIABLE};

static FILE: LazyLock<Option<Mutex<File>>> = LazyLock::new(|| {
    let path = std::env::var_os(VARIABLE)?;
    let file = File::options().append(true).create(true).open(&path);
    file.inspect_err(|error| eprintln!("checking-plugin: {}: {error}", path.display()))
        .ok()
        .map(Mutex::new)
});

/// Whether there is a record.
pub(crate) fn records() -> bool {
    FILE.is_some()
}

/// Notes a call that says nothing else.
pub(crate) fn called(name: &str) {
    call(Call {
        name: name.into(),
        ..Call::default()
    });
}

/// Notes a call.
pub(crate) fn call(call: Call) {
    write(&Entry::Call(call));
}

/// Notes that a rule is broken.
pub(crate) fn broken(rule: Rule, call: &str, expected: &str, got: impl Into<String>) {
    write(&Entry::Broken(Broken {
        rule,
        call: call.into(),
        expected: expected.into(),
        got: got.into(),
    }));
}

/// Notes what a description says: paths and values.
pub(crate) fn described(fields: Vec<(String, String)>) {
    write(&Entry::Described(fields));
}

/// One call for each line, and one thread at a time: Wine looks for the end of the file before it appends.
fn write(entry: &Entry) {
    if let Some(file) = FILE.as_ref()
        && let Ok(mut line) = serde_json::to_vec(entry)
    {
        line.push(b'\n');
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // A record that cannot be written ends where it ends.
        let _ = file.write_all(&line);
    }
}
