//! The result of a rule as C sees it.

use std::ffi::{CString, c_char};

use conformance_runner::{Effect, RuleReport, Session, Verdict};

use crate::api::{ddi_conformance_outcome, ddi_conformance_result, ddi_conformance_verdict};
use crate::text::c_string;

/// What C sees, and what it points to.
#[repr(C)]
struct Owned {
    shown: ddi_conformance_result,
    _texts: Vec<CString>,
    _notes: Vec<*const c_char>,
}

/// Makes a result, which is C's from now on.
pub(crate) fn given(
    session: &Session,
    result: &RuleReport,
    strict: bool,
) -> *mut ddi_conformance_result {
    let mut texts = Vec::new();
    let mut text = |text: &str| {
        texts.push(c_string(text));
        // The bytes stay where they are while the list grows.
        texts.last().map_or(c"".as_ptr(), |text| text.as_ptr())
    };
    let report = session.report();
    let notes: Vec<_> = result.notes.iter().map(|note| text(note)).collect();
    let shown = ddi_conformance_result {
        struct_size: size_of::<ddi_conformance_result>(),
        rule_id: text(result.rule.id()),
        outcome: match session.effect(result, strict) {
            Effect::Holds => ddi_conformance_outcome::Passed,
            Effect::Fails => ddi_conformance_outcome::Failed,
            Effect::Minor => ddi_conformance_outcome::Skipped,
        },
        verdict: match result.verdict {
            Verdict::Pass => ddi_conformance_verdict::Pass,
            Verdict::Warn(_) => ddi_conformance_verdict::Warn,
            Verdict::Fail(_) => ddi_conformance_verdict::Fail,
            Verdict::Crash { .. } => ddi_conformance_verdict::Crash,
            Verdict::Timeout { .. } => ddi_conformance_verdict::Timeout,
            Verdict::NotApplicable { .. } => ddi_conformance_verdict::NotApplicable,
            Verdict::Undecided { .. } => ddi_conformance_verdict::Undecided,
            Verdict::ToolError { .. } => ddi_conformance_verdict::ToolError,
        },
        verdict_name: text(result.verdict.word()),
        summary: text(&report.summary(result).unwrap_or_default()),
        message: text(&report.full_text(result)),
        repeat: text(&report.repeat_of(result)),
        output: text(&result.output),
        json: text(&report.rule_json(result).to_string()),
        notes: notes.as_ptr(),
        note_count: notes.len(),
        milliseconds: u64::try_from(result.elapsed.as_millis()).unwrap_or(u64::MAX),
    };
    let owned = Owned {
        shown,
        _texts: texts,
        _notes: notes,
    };
    Box::into_raw(Box::new(owned)).cast()
}

/// Takes a result back.
///
/// # Safety
///
/// `result` is null or of [`given`], and nothing uses it from now on.
pub(crate) unsafe fn free(result: *mut ddi_conformance_result) {
    if !result.is_null() {
        // SAFETY: `given` made it of a box, whose first member is what C sees (`# Safety`).
        drop(unsafe { Box::from_raw(result.cast::<Owned>()) });
    }
}
