//! Limits the output for a file that refers to the same bytes again and again.

use std::cell::Cell;
use std::fmt::{self, Display, Write};

use serde_json::Value;

/// The most bytes to show. DXIL shares records and names, so a short file can stand for a text of any length. Real files stay
/// far below this.
const BYTES: usize = 32 << 20;

/// The cost of an item besides its texts.
const ITEM: usize = 512;

/// The number of bytes that may still be shown.
pub struct Limit(Cell<usize>);

impl Limit {
    pub fn new() -> Self {
        Self(Cell::new(BYTES))
    }

    /// The message if something is not shown.
    pub fn problem(&self) -> Option<&'static str> {
        (self.0.get() == 0)
            .then_some("the file refers to the same bytes too often to show all of it")
    }

    fn take(&self, bytes: usize) -> bool {
        let rest = self.0.get().checked_sub(bytes);
        self.0.set(rest.unwrap_or(0));
        rest.is_some()
    }

    /// The items, up to the limit.
    pub fn list<T>(
        &self,
        items: impl IntoIterator<Item = T>,
        show: impl FnMut(T) -> Value,
    ) -> Value {
        let items = items.into_iter().take_while(|_| self.take(ITEM));
        Value::Array(items.map(show).collect())
    }

    /// The text, up to the limit.
    pub fn text(&self, text: impl Display) -> String {
        let mut limited = Limited {
            limit: self,
            text: String::new(),
        };
        // Fails only at the limit; then the text ends there.
        let _ = write!(limited, "{text}");
        limited.text
    }
}

struct Limited<'a> {
    limit: &'a Limit,
    text: String,
}

impl Write for Limited<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !self.limit.take(text.len()) {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}
