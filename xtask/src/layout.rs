//! `ddi-sys/src/layout.rs`: the recorded layouts as assertions that every build of the crate checks.

use std::fmt::Write;

use crate::ddi::Ddi;
use crate::facts::Facts;
use crate::probe;

const PROLOGUE: &str = include_str!("layout/prologue.rs");

/// The text of the file.
pub fn generate(ddi: &Ddi, facts: &Facts) -> String {
    let mut text = PROLOGUE.to_owned();
    for entry in probe::entries(ddi, facts) {
        let is_layout = matches!(entry.what, "size" | "alignment" | "offset");
        if let (true, Some((x64, x86))) = (is_layout, entry.recorded) {
            writeln!(text, "layout! {{ {}, {x64} {x86} }}", entry.rust).unwrap();
        }
    }
    text
}
