//! The rules as C sees them.

use std::ffi::CString;
use std::ptr;
use std::sync::OnceLock;

use conformance_runner::{Level, Party, Rule, is_gate, rules};

use crate::api::{ddi_conformance_level, ddi_conformance_party, ddi_conformance_rule};
use crate::text::c_string;

struct Table(Vec<ddi_conformance_rule>);

// SAFETY: nothing changes the rules, and their texts live as long as the process.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// Every rule, in the order of the reports.
pub(crate) fn all() -> &'static [ddi_conformance_rule] {
    static TABLE: OnceLock<Table> = OnceLock::new();
    &TABLE
        .get_or_init(|| Table(rules::all().map(of).collect()))
        .0
}

fn of(rule: Rule) -> ddi_conformance_rule {
    // The table is made once, and never goes.
    let text = |text: &str| CString::into_raw(c_string(text)).cast_const();
    ddi_conformance_rule {
        struct_size: size_of::<ddi_conformance_rule>(),
        id: text(rule.id()),
        level: match rule.level() {
            Level::Must => ddi_conformance_level::Must,
            Level::Should => ddi_conformance_level::Should,
            Level::Ambiguous => ddi_conformance_level::Ambiguous,
        },
        party: match rule.party() {
            Party::Plugin => ddi_conformance_party::Plugin,
            Party::Runtime => ddi_conformance_party::Runtime,
            Party::Host => ddi_conformance_party::Host,
            Party::Driver => ddi_conformance_party::Driver,
        },
        is_gate: is_gate(rule).into(),
        section: text(rule.section()),
        reading: text(rule.reading()),
        why: text(rule.why()),
        hint: text(rule.hint()),
        tuid: text(&rules::tuid(rule)),
        untestable: rule.untestable().map_or(ptr::null(), text),
    }
}
