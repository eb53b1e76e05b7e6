//! P-FAM: the adapter families.

use std::collections::BTreeMap;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use conformance_protocol::Task;
use ddi_sys::{DXGI_ERROR_NOT_FOUND, E_INVALIDARG, S_OK};

use super::Tests;
use crate::plugin::capabilities::{Capabilities, FAMILY_SIZE, HOLE, NO_END};
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched, within};
use crate::watch::memory::{Guarded, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_FAM_01, p_fam_01_indices_are_contiguous),
    (rules::P_FAM_02, p_fam_02_not_found_past_the_end),
    (rules::P_FAM_03, p_fam_03_names_are_strings),
    (rules::P_FAM_04, p_fam_04_names_are_unique),
    (rules::P_FAM_05, p_fam_05_names_are_stable_and_clean),
    (rules::P_FAM_06, p_fam_06_refuses_null),
];

/// Two patterns, so that a unit which happens to look like one of them is not taken for unwritten.
const PATTERNS: [u8; 2] = [0xA5, 0x5A];

/// The 128 units that a family's name is returned in.
fn units(memory: &Guarded) -> Vec<u16> {
    memory
        .bytes()
        .as_chunks()
        .0
        .iter()
        .map(|unit| u16::from_ne_bytes(*unit))
        .collect()
}

fn name_memory(fill: u8) -> Result<Guarded, Stop> {
    Guarded::new(FAMILY_SIZE, 2, Place::Roomy, fill)
}

/// The names, without terminator. Needs P-FAM-01 and P-FAM-03.
pub(crate) fn names(capabilities: Capabilities) -> Result<Vec<Vec<u16>>, Stop> {
    (0..capabilities.families()?)
        .map(|index| {
            let memory = name_memory(0)?;
            if !capabilities
                .enumerate_adapter_families(index, Some(&memory))
                .is_ok()
            {
                return Err(Stop::needs(rules::P_FAM_01));
            }
            let units = units(&memory);
            let end = units.iter().position(|unit| *unit == 0);
            Ok(units[..end.ok_or(Stop::needs(rules::P_FAM_03))?].to_vec())
        })
        .collect()
}

fn readable(name: &[u16]) -> String {
    String::from_utf16_lossy(name)
}

fn p_fam_01_indices_are_contiguous(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let memory = name_memory(0)?;
    let at = |index| {
        subject.at(format!("pfnEnumerateAdapterFamilies({index})"));
        capabilities.enumerate_adapter_families(index, Some(&memory))
    };
    let first = at(0);
    ensure!(
        first == S_OK,
        call: "pfnEnumerateAdapterFamilies(0)",
        expected: "S_OK, as there is at least one family",
        got: "returned {first}",
    );
    let Some(end) = (1..NO_END).find(|index| !at(*index).is_ok()) else {
        broken!(
            call: "pfnEnumerateAdapterFamilies(0 to {NO_END})",
            expected: "an index past the last family",
            got: "success at every index",
        );
    };
    if let Some(behind) = (end + 1..end + HOLE).find(|index| at(*index).is_ok()) {
        broken!(
            call: "pfnEnumerateAdapterFamilies({end}), then pfnEnumerateAdapterFamilies({behind})",
            expected: "no family behind an index that fails",
            got: "a failure, then a family",
        );
    }
    if let Some(index) = (0..end).rev().find(|index| !at(*index).is_ok()) {
        broken!(
            call: "pfnEnumerateAdapterFamilies({index}), from the last family to the first",
            expected: "S_OK, as from the first family to the last",
            got: "a failure",
        );
    }
    Ok(())
}

fn p_fam_02_not_found_past_the_end(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let families = capabilities.families()?;
    let memory = name_memory(0)?;
    for index in capabilities.past_the_end()? {
        subject.at(format!("pfnEnumerateAdapterFamilies({index})"));
        let result = capabilities.enumerate_adapter_families(index, Some(&memory));
        ensure!(
            result == DXGI_ERROR_NOT_FOUND,
            call: "pfnEnumerateAdapterFamilies({index}), where {families} families were enumerated",
            expected: "DXGI_ERROR_NOT_FOUND",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn p_fam_03_names_are_strings(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for index in 0..capabilities.families()? {
        for place in Place::TIGHT {
            let memory = Guarded::new(FAMILY_SIZE, 2, place, 0xFF)?;
            let past = failure!(
                call: "pfnEnumerateAdapterFamilies({index})",
                expected: "nothing written outside of the 128 WCHARs",
                got: "memory outside was touched",
            );
            subject.at(format!("pfnEnumerateAdapterFamilies({index})"));
            let result = within(&memory, "pAdapterFamily", &past, || {
                capabilities.enumerate_adapter_families(index, Some(&memory))
            })?;
            if !result.is_ok() {
                return Err(Stop::needs(rules::P_FAM_01));
            }
            let units = units(&memory);
            let Some(end) = units.iter().position(|unit| *unit == 0) else {
                broken!(
                    call: "pfnEnumerateAdapterFamilies({index})",
                    expected: "a name with a NUL within the 128 WCHARs",
                    got: "no NUL in them",
                );
            };
            let name = &units[..end];
            ensure!(
                !name.is_empty(),
                call: "pfnEnumerateAdapterFamilies({index})",
                expected: "a name of at least one character",
                got: "an empty name",
            );
            if String::from_utf16(name).is_err() {
                let shown = readable(name);
                broken!(
                    call: "pfnEnumerateAdapterFamilies({index})",
                    expected: "a name in well-formed UTF-16",
                    got: "a surrogate on its own in \"{shown}\"",
                );
            }
        }
    }
    Ok(())
}

fn p_fam_04_names_are_unique(subject: &Subject) -> Outcome {
    let mut seen = BTreeMap::new();
    for (index, name) in names(subject.open()?.capabilities()?)?
        .into_iter()
        .enumerate()
    {
        let shown = readable(&name);
        if let Some(earlier) = seen.insert(name, index) {
            broken!(
                call: "pfnEnumerateAdapterFamilies({earlier}) and pfnEnumerateAdapterFamilies({index})",
                expected: "different names",
                got: "\"{shown}\" for both",
            );
        }
    }
    Ok(())
}

fn p_fam_05_names_are_stable_and_clean(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let first = names(capabilities)?;
    let list = |names: &[Vec<u16>]| {
        names
            .iter()
            .map(|n| readable(n))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let expected = list(&first);
    let again = [
        ("a second time", names(capabilities)?),
        ("of a second open", names(subject.open()?.capabilities()?)?),
        (
            "with the oldest DDI version",
            names(subject.open_oldest()?.selected_capabilities()?)?,
        ),
        ("in a new process", subject.ask(Task::Families)?),
    ];
    for (when, names) in again {
        let got = list(&names);
        ensure!(
            names == first,
            call: "pfnEnumerateAdapterFamilies {when}",
            expected: "the same families, {expected}",
            got: "the families {got}",
        );
    }
    for (index, name) in (0..).zip(&first) {
        let mut leftover: Option<usize> = None;
        for pattern in PATTERNS {
            let memory = name_memory(pattern)?;
            subject.at(format!("pfnEnumerateAdapterFamilies({index})"));
            if !capabilities
                .enumerate_adapter_families(index, Some(&memory))
                .is_ok()
            {
                return Err(Stop::needs(rules::P_FAM_01));
            }
            let rest = &units(&memory)[name.len()..];
            leftover = leftover.or(rest.iter().position(|unit| *unit != 0));
        }
        if let Some(at) = leftover {
            let unit = name.len() + at;
            broken!(
                call: "pfnEnumerateAdapterFamilies({index})",
                expected: "zeros behind the name's NUL",
                got: "something else in unit {unit}",
            );
        }
    }
    Ok(())
}

fn p_fam_06_refuses_null(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for index in 0..capabilities.families()? {
        subject.at(format!("pfnEnumerateAdapterFamilies({index}, null)"));
        let fault = Watch::null(failure!(
            call: "pfnEnumerateAdapterFamilies({index}, null)",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || {
            capabilities.enumerate_adapter_families(index, None)
        });
        ensure!(
            result == E_INVALIDARG,
            call: "pfnEnumerateAdapterFamilies({index}, null)",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}
