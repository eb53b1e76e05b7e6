//! The log that a user of the plugin switches on.

use std::env;
use std::fs::File;
use std::io::{self, Write as _};
use std::panic::catch_unwind;
use std::sync::{Arc, Once};

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

/// The level: `error`, `warn`, `info`, `debug` or `trace`.
const LEVEL: &str = "D3D12_COMPILER_PLUGIN_LOG";

/// The file that the log is appended to, in place of standard error. `{pid}` in it is the number of the process.
const FILE: &str = "D3D12_COMPILER_PLUGIN_LOG_FILE";

/// Starts the log, in the first open of a plugin's library, if the level is set.
pub(crate) fn start() {
    static STARTED: Once = Once::new();
    // Of what starts a log the plugin's callers know nothing: they get no panic of it.
    let _ = catch_unwind(|| STARTED.call_once(start_first));
}

fn start_first() {
    let Some(level) = env::var_os(LEVEL).filter(|level| !level.is_empty()) else {
        return;
    };
    let Some(level) = level.to_str().and_then(|l| l.parse::<LevelFilter>().ok()) else {
        let levels = "error, warn, info, debug or trace is meant";
        return complain(&format!("{LEVEL}={}: {levels}", level.display()));
    };
    let writer = match env::var_os(FILE) {
        None => BoxMakeWriter::new(io::stderr),
        Some(name) => match open(&name) {
            Ok(file) => BoxMakeWriter::new(Arc::new(file)),
            Err(error) => return complain(&format!("{FILE}={}: {error}", name.display())),
        },
    };
    let log = fmt().with_max_level(level);
    // It fails where the vendor was first: code that runs as the library is loaded.
    let _ = log.with_ansi(false).with_writer(writer).try_init();
}

fn open(name: &std::ffi::OsStr) -> io::Result<File> {
    let process = std::process::id().to_string();
    let name = name.to_str().map_or_else(
        || name.to_owned(),
        |name| name.replace("{pid}", &process).into(),
    );
    File::options().append(true).create(true).open(name)
}

/// There is no other place to say it.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}
