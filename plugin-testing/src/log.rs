//! What the SDK logs of a call, for the error.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::Level;
use tracing::subscriber::NoSubscriber;

/// Makes a call to the plugin; also returns what it logged as a warning or an error on this thread. A subscriber of the test
/// keeps the log to itself.
pub(crate) fn collect<T>(call: impl FnOnce() -> T) -> (T, String) {
    if tracing::dispatcher::get_default(|current| !current.is::<NoSubscriber>()) {
        return (call(), String::new());
    }
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(Level::WARN)
        .with_ansi(false)
        .with_target(false)
        .without_time()
        .with_writer(move || writer.clone())
        .finish();
    let result = tracing::subscriber::with_default(subscriber, call);
    (result, lines.text())
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn text(&self) -> String {
        let bytes = self.0.lock();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut lines = self.0.lock();
        lines.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
