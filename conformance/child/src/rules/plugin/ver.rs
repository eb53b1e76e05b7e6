//! P-VER: the negotiation of versions.

use std::collections::BTreeSet;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_FUNCS, E_INVALIDARG, S_OK};
use plugin_host::USERMODE_DDI_VERSION;

use super::Tests;
use crate::plugin::capabilities::NO_END;
use crate::plugin::function_table::FilledTable;
use crate::plugin::subject::{Open, Subject, dotted};
use crate::watch::fault::{Watch, watched, within};
use crate::watch::memory::{Array, Guarded, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_VER_01, p_ver_01_answers_the_size_query),
    (rules::P_VER_02, p_ver_02_fills_an_exact_array),
    (rules::P_VER_03, p_ver_03_fills_a_larger_array),
    (rules::P_VER_04, p_ver_04_respects_a_smaller_array),
    (rules::P_VER_05, p_ver_05_refuses_a_null_count),
    (
        rules::P_VER_06,
        p_ver_06_versions_are_well_formed_and_stable,
    ),
    (rules::P_VER_07, p_ver_07_every_version_can_be_selected),
    (rules::P_VER_08, p_ver_08_refuses_a_version_never_reported),
    (rules::P_VER_09, p_ver_09_refuses_tables_before_selection),
    (rules::P_VER_10, p_ver_10_counts_right_for_a_smaller_array),
];

/// Two patterns, so that a value which happens to look like one of them is not taken for unwritten.
const PATTERNS: [u8; 2] = [0xA5, 0x5A];

fn p_ver_01_answers_the_size_query(subject: &Subject) -> Outcome {
    let open = subject.open()?;
    let count = Array::one(0, Place::Roomy)?;
    subject.at("pfnGetSupportedVersions, size query");
    let result = open.get_supported_versions(Some(&count), None);
    let entries = count.get(0);
    ensure!(
        result == S_OK && (1..=NO_END).contains(&entries),
        call: "pfnGetSupportedVersions(*puEntries = 0, null)",
        expected: "S_OK and a count from 1 to {NO_END}",
        got: "returned {result}, with a count of {entries}",
    );
    Ok(())
}

/// The true number of versions. Needs P-VER-01.
fn true_count(open: Open) -> Result<u32, Stop> {
    let count = Array::one(0, Place::Roomy)?;
    let result = open.get_supported_versions(Some(&count), None);
    if result == S_OK && (1..=NO_END).contains(&count.get(0)) {
        Ok(count.get(0))
    } else {
        Err(Stop::needs(rules::P_VER_01))
    }
}

fn p_ver_02_fills_an_exact_array(subject: &Subject) -> Outcome {
    let open = subject.open()?;
    let entries = true_count(open)?;
    let mut unwritten: BTreeSet<u32> = (0..entries).collect();
    for pattern in PATTERNS {
        let count = Array::one(entries, Place::Roomy)?;
        let versions = Array::<u64>::new(entries as usize, Place::Roomy, pattern)?;
        subject.at(format!(
            "pfnGetSupportedVersions with an array of {entries}"
        ));
        let result = open.get_supported_versions(Some(&count), Some(&versions));
        let after = count.get(0);
        ensure!(
            result == S_OK && after == entries,
            call: "pfnGetSupportedVersions(*puEntries = {entries}, array of {entries})",
            expected: "S_OK and a count of {entries}, as the size query said",
            got: "returned {result}, with a count of {after}",
        );
        let blank = u64::from_ne_bytes([pattern; 8]);
        unwritten.retain(|index| versions.get(*index as usize) == blank);
    }
    if let Some(index) = unwritten.first() {
        broken!(
            call: "pfnGetSupportedVersions(*puEntries = {entries}, array of {entries})",
            expected: "every entry written",
            got: "entry {index} still holds what was in the array before",
        );
    }
    Ok(())
}

fn p_ver_03_fills_a_larger_array(subject: &Subject) -> Outcome {
    const MORE: u32 = 3;
    let open = subject.open()?;
    let entries = true_count(open)?;
    let capacity = entries + MORE;
    for pattern in PATTERNS {
        let count = Array::one(capacity, Place::Roomy)?;
        let versions = Array::<u64>::new(capacity as usize, Place::Roomy, pattern)?;
        subject.at(format!(
            "pfnGetSupportedVersions with an array of {capacity}"
        ));
        let result = open.get_supported_versions(Some(&count), Some(&versions));
        let after = count.get(0);
        ensure!(
            result == S_OK && after == entries,
            call: "pfnGetSupportedVersions(*puEntries = {capacity}, array of {capacity})",
            expected: "S_OK and a count of {entries}, as the size query said",
            got: "returned {result}, with a count of {after}",
        );
        let blank = u64::from_ne_bytes([pattern; 8]);
        let past = (entries..capacity).find(|index| versions.get(*index as usize) != blank);
        if let Some(index) = past {
            broken!(
                call: "pfnGetSupportedVersions(*puEntries = {capacity}, array of {capacity})",
                expected: "entries from {entries} on left alone",
                got: "entry {index} was written",
            );
        }
    }
    Ok(())
}

// The smallest array that is too small is an empty one, which is not null. A plugin may take it for a
// size query, so its result is open; to write to it is not.

fn p_ver_04_respects_a_smaller_array(subject: &Subject) -> Outcome {
    let open = subject.open()?;
    let entries = true_count(open)?;
    for capacity in 0..entries {
        for place in Place::TIGHT {
            let count = Array::one(capacity, Place::Roomy)?;
            let versions = Array::<u64>::new(capacity as usize, place, 0)?;
            let past = failure!(
                call: "pfnGetSupportedVersions(*puEntries = {capacity}, array of {capacity})",
                expected: "nothing written past the array, although there are {entries} versions",
                got: "memory beside the array was touched",
            );
            subject.at(format!(
                "pfnGetSupportedVersions with an array of {capacity}"
            ));
            let result = within(versions.memory(), "the array", &past, || {
                open.get_supported_versions(Some(&count), Some(&versions))
            })?;
            ensure!(
                !result.is_ok() || capacity == 0,
                call: "pfnGetSupportedVersions(*puEntries = {capacity}, array of {capacity})",
                expected: "a failure, best DXGI_ERROR_MORE_DATA, as there are {entries} versions",
                got: "returned {result}",
            );
        }
    }
    Ok(())
}

fn p_ver_10_counts_right_for_a_smaller_array(subject: &Subject) -> Outcome {
    let open = subject.open()?;
    let entries = true_count(open)?;
    for capacity in 0..entries {
        let count = Array::one(capacity, Place::Roomy)?;
        let versions = Array::<u64>::new(capacity as usize, Place::Roomy, 0)?;
        subject.at(format!(
            "pfnGetSupportedVersions with an array of {capacity}"
        ));
        let result = open.get_supported_versions(Some(&count), Some(&versions));
        let after = count.get(0);
        ensure!(
            after == entries,
            call: "pfnGetSupportedVersions(*puEntries = {capacity}, array of {capacity})",
            expected: "a count of {entries}, as the size query said",
            got: "a count of {after}, with {result}",
        );
    }
    Ok(())
}

fn p_ver_05_refuses_a_null_count(subject: &Subject) -> Outcome {
    let open = subject.open()?;
    let array = Array::<u64>::new(4, Place::Roomy, 0)?;
    for (what, array) in [("null", None), ("array", Some(&array))] {
        subject.at("pfnGetSupportedVersions with a null count");
        let fault = Watch::null(failure!(
            call: "pfnGetSupportedVersions(null, {what})",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || open.get_supported_versions(None, array));
        ensure!(
            result == E_INVALIDARG,
            call: "pfnGetSupportedVersions(null, {what})",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn p_ver_06_versions_are_well_formed_and_stable(subject: &Subject) -> Outcome {
    let open = subject.open()?;
    let versions = open.versions()?;
    let text = |versions: &[u64]| {
        versions
            .iter()
            .copied()
            .map(dotted)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let list = text(&versions);
    let distinct: BTreeSet<_> = versions.iter().collect();
    ensure!(
        distinct.len() == versions.len(),
        call: "pfnGetSupportedVersions",
        expected: "distinct versions",
        got: "the list {list}",
    );
    ensure!(
        versions.iter().all(|version| version >> 48 != 0),
        call: "pfnGetSupportedVersions",
        expected: "versions of the form MAJOR.MINOR.BUILD.REVISION, MAJOR in the highest 16 bits and not 0",
        got: "the list {list}",
    );
    let again = text(&open.versions()?);
    ensure!(
        again == list,
        call: "pfnGetSupportedVersions, a second time",
        expected: "the same list, {list}",
        got: "the list {again}",
    );
    let other = text(&subject.open()?.versions()?);
    ensure!(
        other == list,
        call: "pfnGetSupportedVersions of a second open",
        expected: "the same list, {list}",
        got: "the list {other}",
    );
    for version in open.known_versions()? {
        let open = subject.open()?;
        open.select_version(version)?;
        let after = text(&open.versions()?);
        ensure!(
            after == list,
            call: "pfnGetSupportedVersions after pfnSetSelectedVersion({version})",
            expected: "the same list, {list}",
            got: "the list {after}",
        );
    }
    Ok(())
}

fn p_ver_07_every_version_can_be_selected(subject: &Subject) -> Outcome {
    let open = subject.open()?;
    let known = open.known_versions()?;
    for version in &known {
        subject.at(format!("pfnSetSelectedVersion({version})"));
        let result = subject
            .open()?
            .set_selected_version(version.plugin, version.usermode);
        ensure!(
            result.is_ok(),
            call: "pfnSetSelectedVersion({version})",
            expected: "success, as the plugin reports this version",
            got: "returned {result}",
        );
    }
    let mut others = open.versions()?;
    others.retain(|version| known.iter().all(|known| known.plugin != *version));
    if !others.is_empty() {
        let others: Vec<_> = others.into_iter().map(dotted).collect();
        subject.note(format!(
            "not tried, as this tool does not know them: {}; --ddi-versions allows one",
            others.join(", ")
        ));
    }
    Ok(())
}

/// Versions that are not among those that were reported: around the oldest and the newest, and at the
/// ends.
fn never_reported(reported: &[u64]) -> Vec<u64> {
    const STEPS: [u64; 4] = [1, 1 << 16, 1 << 32, 1 << 48];
    let newest = reported.iter().copied().max().unwrap_or_default();
    let oldest = reported.iter().copied().min().unwrap_or_default();
    let newer = STEPS.map(|step| newest.wrapping_add(step));
    let older = STEPS.map(|step| oldest.wrapping_sub(step));
    let candidates = [0, u64::MAX].into_iter().chain(newer).chain(older);
    candidates
        .filter(|version| !reported.contains(version))
        .collect()
}

fn p_ver_08_refuses_a_version_never_reported(subject: &Subject) -> Outcome {
    let versions = subject.open()?.versions()?;
    for version in never_reported(&versions) {
        let text = dotted(version);
        subject.at(format!("pfnSetSelectedVersion({text})"));
        let result = subject
            .open()?
            .set_selected_version(version, USERMODE_DDI_VERSION);
        ensure!(
            !result.is_ok(),
            call: "pfnSetSelectedVersion({text}), a version that was not reported",
            expected: "a failure",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn p_ver_09_refuses_tables_before_selection(subject: &Subject) -> Outcome {
    early::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>(subject)?;
    early::<D3D12DDI_COMPILER_FUNCS>(subject)
}

fn early<T: FilledTable>(subject: &Subject) -> Outcome {
    // That the table can be had at all is another rule's business.
    let open = subject.open()?;
    open.select()?;
    open.table::<T>()?;

    let (word, name) = (T::WORD, T::NAME);
    let open = subject.open()?;
    let table = Guarded::new(size_of::<T>(), align_of::<T>(), Place::Roomy, 0)?;
    subject.at(format!(
        "pfnFillDDITable({word}) before pfnSetSelectedVersion"
    ));
    let result = open.fill_ddi_table(T::TYPE, Some(&table), size_of::<T>());
    ensure!(
        !result.is_ok(),
        call: "pfnFillDDITable({word}) before pfnSetSelectedVersion",
        expected: "a failure",
        got: "returned {result}",
    );
    // A version that is refused is not selected.
    for version in never_reported(&open.versions()?) {
        if open
            .set_selected_version(version, USERMODE_DDI_VERSION)
            .is_ok()
        {
            return Err(Stop::needs(rules::P_VER_08));
        }
    }
    let result = open.fill_ddi_table(T::TYPE, Some(&table), size_of::<T>());
    ensure!(
        !result.is_ok(),
        call: "pfnFillDDITable({word}) after a pfnSetSelectedVersion that failed",
        expected: "a failure, as no version is selected",
        got: "returned {result}",
    );
    open.select()?;
    let result = open.fill_ddi_table(T::TYPE, Some(&table), size_of::<T>());
    ensure!(
        result.is_ok(),
        call: "pfnFillDDITable({word}) after pfnSetSelectedVersion, having been refused before",
        expected: "success and a {name}",
        got: "returned {result}",
    );
    Ok(())
}
