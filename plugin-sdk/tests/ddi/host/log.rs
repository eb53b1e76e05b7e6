//! What the plugin logs on this thread.

use std::cell::RefCell;
use std::fmt::{Debug, Write as _};
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// One event: its level, and its fields as `name=value`, the message without a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub level: Level,
    pub text: String,
}

thread_local! {
    static LINES: RefCell<Option<Vec<Line>>> = const { RefCell::new(None) };
}

/// Runs `body` and returns what was logged on this thread meanwhile.
pub fn capture<T>(body: impl FnOnce() -> T) -> (T, Vec<Line>) {
    listen();
    LINES.set(Some(Vec::new()));
    let result = body();
    (result, LINES.take().unwrap())
}

/// Makes the collector the subscriber of all threads, before anything can be logged: a place that logs
/// for the first time while another thread installs a subscriber may not be heard ever after.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Collector).unwrap());
}

struct Collector;

impl Subscriber for Collector {
    fn enabled(&self, of: &Metadata<'_>) -> bool {
        of.target().starts_with("plugin_sdk")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        LINES.with_borrow_mut(|lines| {
            let Some(lines) = lines else { return };
            let mut text = Text(String::new());
            event.record(&mut text);
            lines.push(Line {
                level: *event.metadata().level(),
                text: text.0,
            });
        });
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let separator = if self.0.is_empty() { "" } else { " " };
        let written = match field.name() {
            "message" => write!(self.0, "{separator}{value:?}"),
            name => write!(self.0, "{separator}{name}={value:?}"),
        };
        written.unwrap();
    }
}
