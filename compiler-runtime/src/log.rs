//! The log of a process that has set up none.
//!
//! The DLL has a `tracing` of its own, to which a program in C++ cannot subscribe. So the exports subscribe: they follow the
//! variable, and on Windows send warnings and errors to the debugger. Where neither applies, or the process has a subscriber,
//! they do nothing, at no cost.

use std::env;
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Arc, Once};

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Layer, Registry};

/// `LEVEL:FILE` or `LEVEL:stderr`. The level is `error`, `warn`, `info`, `debug` or `trace`; the log appends to the file.
const VARIABLE: &str = "D3D12_COMPILER_LOG";

type Sink = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts the log, in the first call of the process.
pub(crate) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        if tracing::dispatcher::has_been_set() {
            return;
        }
        let mut sinks: Vec<Sink> = Vec::new();
        if let Some(value) = env::var_os(VARIABLE) {
            match value.to_str().ok_or("not Unicode".into()).and_then(sink) {
                Ok(sink) => sinks.push(sink),
                // There is no other place to report it.
                Err(why) => {
                    let _ = writeln!(
                        io::stderr(),
                        "{VARIABLE}={}: {why}: LEVEL:FILE or LEVEL:stderr is meant",
                        value.display()
                    );
                }
            }
        }
        #[cfg(windows)]
        sinks.push(debugger::sink());
        if !sinks.is_empty() {
            // Another thread may have set one first.
            let _ = tracing::subscriber::set_global_default(Registry::default().with(sinks));
        }
    });
}

/// The sink that a value of the variable names.
fn sink(value: &str) -> Result<Sink, String> {
    let (level, place) = value.split_once(':').ok_or("there is no level")?;
    let level: LevelFilter = level
        .parse()
        .map_err(|_| format!("{level:?} is not a level"))?;
    let writer = if place == "stderr" {
        BoxMakeWriter::new(io::stderr)
    } else {
        let file = File::options().append(true).create(true).open(place);
        BoxMakeWriter::new(Arc::new(file.map_err(|error| error.to_string())?))
    };
    let lines = fmt::layer().with_ansi(false).with_writer(writer);
    Ok(lines.with_filter(level).boxed())
}

#[cfg(windows)]
mod debugger {
    use std::io;

    use tracing_subscriber::filter::LevelFilter;
    use tracing_subscriber::{Layer as _, fmt};
    use windows_sys::Win32::System::Diagnostics::Debug::OutputDebugStringW;

    use super::Sink;

    /// Warnings and errors, in the form of the D3D12 debug layer.
    pub(super) fn sink() -> Sink {
        let lines = fmt::layer().without_time().with_ansi(false);
        let lines = lines.with_writer(|| Output);
        lines.with_filter(LevelFilter::WARN).boxed()
    }

    struct Output;

    impl io::Write for Output {
        /// Writes one line at a time.
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            let text = String::from_utf8_lossy(line);
            let text: Vec<u16> = text.encode_utf16().chain([0]).collect();
            // SAFETY: a string with its NUL.
            unsafe { OutputDebugStringW(text.as_ptr()) };
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
