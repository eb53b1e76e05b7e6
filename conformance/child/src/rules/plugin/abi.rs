//! P-ABI: the ABI versions of each adapter family.

use std::collections::BTreeSet;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_INVALIDARG, S_OK};

use super::Tests;
use crate::plugin::capabilities::{Capabilities, NO_END, RESERVED_ABI_VERSIONS};
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched, within};
use crate::watch::memory::{Array, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_ABI_01, p_abi_01_answers_the_size_query),
    (rules::P_ABI_02, p_abi_02_fills_a_large_enough_array),
    (rules::P_ABI_03, p_abi_03_newest_comes_first),
    (rules::P_ABI_04, p_abi_04_reserved_versions_are_absent),
    (rules::P_ABI_05, p_abi_05_fills_what_fits),
    (rules::P_ABI_06, p_abi_06_refuses_a_null_count),
    (rules::P_ABI_07, p_abi_07_unknown_families_are_not_found),
    (rules::P_ABI_08, p_abi_08_count_is_right_whatever_happens),
    (rules::P_ABI_09, p_abi_09_lists_have_no_holes),
    (rules::P_ABI_10, p_abi_10_lists_are_stable),
    (rules::P_ABI_11, p_abi_11_refuses_a_null_count_of_no_family),
];

/// Two patterns, so that a version which happens to look like one of them is not taken for unwritten.
const PATTERNS: [u8; 2] = [0xA5, 0x5A];

/// Makes `test` for each family of a new open.
fn for_each_family(
    subject: &Subject,
    mut test: impl FnMut(Capabilities, u32) -> Outcome,
) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    (0..capabilities.families()?).try_for_each(|family| {
        subject.at(format!("pfnGetAdapterFamilyABIVersions of family {family}"));
        test(capabilities, family)
    })
}

fn p_abi_01_answers_the_size_query(subject: &Subject) -> Outcome {
    for_each_family(subject, |capabilities, family| {
        let count = Array::one(0, Place::Roomy)?;
        let result = capabilities.get_adapter_family_abi_versions(family, Some(&count), None);
        let entries = count.get(0);
        ensure!(
            result == S_OK && (1..=NO_END).contains(&entries),
            call: "pfnGetAdapterFamilyABIVersions(family {family}, *pNumABIVersions = 0, null)",
            expected: "S_OK and a count from 1 to {NO_END}",
            got: "returned {result}, with a count of {entries}",
        );
        Ok(())
    })
}

fn p_abi_02_fills_a_large_enough_array(subject: &Subject) -> Outcome {
    const MORE: u32 = 3;
    for_each_family(subject, |capabilities, family| {
        let entries = capabilities.abi_count(family)?;
        for capacity in [entries, entries + MORE] {
            let mut unwritten = vec![true; entries as usize];
            for pattern in PATTERNS {
                let count = Array::one(capacity, Place::Roomy)?;
                let versions = Array::<u64>::new(capacity as usize, Place::Roomy, pattern)?;
                let result = capabilities.get_adapter_family_abi_versions(
                    family,
                    Some(&count),
                    Some(&versions),
                );
                let after = count.get(0);
                ensure!(
                    result == S_OK && after == entries,
                    call: "pfnGetAdapterFamilyABIVersions(family {family}, array of {capacity})",
                    expected: "S_OK and a count of {entries}, as the size query said",
                    got: "returned {result}, with a count of {after}",
                );
                let blank = u64::from_ne_bytes([pattern; 8]);
                let values = versions.values();
                let (list, rest) = values.split_at(entries as usize);
                if let Some(at) = rest.iter().position(|version| *version != blank) {
                    let index = entries as usize + at;
                    broken!(
                        call: "pfnGetAdapterFamilyABIVersions(family {family}, array of {capacity})",
                        expected: "entries from {entries} on left alone",
                        got: "entry {index} was written",
                    );
                }
                for (unwritten, version) in unwritten.iter_mut().zip(list) {
                    *unwritten &= *version == blank;
                }
            }
            if let Some(index) = unwritten.iter().position(|unwritten| *unwritten) {
                broken!(
                    call: "pfnGetAdapterFamilyABIVersions(family {family}, array of {capacity})",
                    expected: "all {entries} versions",
                    got: "nothing in entry {index}",
                );
            }
        }
        Ok(())
    })
}

fn p_abi_03_newest_comes_first(subject: &Subject) -> Outcome {
    for_each_family(subject, |capabilities, family| {
        let versions = capabilities.abi_versions(family)?;
        ensure!(
            versions.is_sorted_by(|newer, older| newer > older),
            call: "pfnGetAdapterFamilyABIVersions(family {family})",
            expected: "versions that strictly fall, from the newest at index 0",
            got: "the list {versions:?}",
        );
        Ok(())
    })
}

fn p_abi_04_reserved_versions_are_absent(subject: &Subject) -> Outcome {
    for_each_family(subject, |capabilities, family| {
        let versions = capabilities.abi_versions(family)?;
        if let Some(reserved) = versions.iter().find(|v| RESERVED_ABI_VERSIONS.contains(v)) {
            broken!(
                call: "pfnGetAdapterFamilyABIVersions(family {family})",
                expected: "neither 0 nor UINT64_MAX, which are reserved",
                got: "the version {reserved:#x}",
            );
        }
        Ok(())
    })
}

fn p_abi_05_fills_what_fits(subject: &Subject) -> Outcome {
    for_each_family(subject, |capabilities, family| {
        let full = capabilities.abi_versions(family)?;
        let entries = capabilities.abi_count(family)?;
        for capacity in 0..entries {
            for place in Place::TIGHT {
                let count = Array::one(capacity, Place::Roomy)?;
                let versions = Array::<u64>::new(capacity as usize, place, PATTERNS[0])?;
                let past = failure!(
                    call: "pfnGetAdapterFamilyABIVersions(family {family}, array of {capacity})",
                    expected: "nothing written past the array, although there are {entries} versions",
                    got: "memory beside the array was touched",
                );
                let result = within(versions.memory(), "the array", &past, || {
                    capabilities.get_adapter_family_abi_versions(
                        family,
                        Some(&count),
                        Some(&versions),
                    )
                })?;
                ensure!(
                    result == DXGI_ERROR_MORE_DATA,
                    call: "pfnGetAdapterFamilyABIVersions(family {family}, array of {capacity})",
                    expected: "DXGI_ERROR_MORE_DATA, as there are {entries} versions",
                    got: "returned {result}",
                );
                let (got, fit) = (versions.values(), &full[..capacity as usize]);
                ensure!(
                    got == fit,
                    call: "pfnGetAdapterFamilyABIVersions(family {family}, array of {capacity})",
                    expected: "the newest versions, {fit:?}",
                    got: "the list {got:?}",
                );
            }
        }
        Ok(())
    })
}

fn p_abi_06_refuses_a_null_count(subject: &Subject) -> Outcome {
    for_each_family(subject, |capabilities, family| {
        let array = Array::<u64>::new(4, Place::Roomy, 0)?;
        for (what, versions) in [("null", None), ("array", Some(&array))] {
            let fault = Watch::null(failure!(
                call: "pfnGetAdapterFamilyABIVersions(family {family}, null, {what})",
                expected: "E_INVALIDARG",
                got: "the null pointer was used",
            ));
            let result = watched(vec![fault], || {
                capabilities.get_adapter_family_abi_versions(family, None, versions)
            });
            ensure!(
                result == E_INVALIDARG,
                call: "pfnGetAdapterFamilyABIVersions(family {family}, null, {what})",
                expected: "E_INVALIDARG",
                got: "returned {result}",
            );
        }
        Ok(())
    })
}

fn p_abi_11_refuses_a_null_count_of_no_family(subject: &Subject) -> Outcome {
    let mut readings = BTreeSet::new();
    let capabilities = subject.open()?.capabilities()?;
    for family in capabilities.past_the_end()? {
        let fault = Watch::null(failure!(
            call: "pfnGetAdapterFamilyABIVersions(family {family}, which is unknown, null, null)",
            expected: "E_INVALIDARG or DXGI_ERROR_NOT_FOUND",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || {
            capabilities.get_adapter_family_abi_versions(family, None, None)
        });
        ensure!(
            [E_INVALIDARG, DXGI_ERROR_NOT_FOUND].contains(&result),
            call: "pfnGetAdapterFamilyABIVersions(family {family}, which is unknown, null, null)",
            expected: "E_INVALIDARG or DXGI_ERROR_NOT_FOUND",
            got: "returned {result}",
        );
        readings.insert(result.to_string());
    }
    let readings: Vec<_> = readings.into_iter().collect();
    subject.note(readings.join(", or ") + " for an unknown family");
    Ok(())
}

fn p_abi_07_unknown_families_are_not_found(subject: &Subject) -> Outcome {
    const CAPACITY: u32 = 4;
    let capabilities = subject.open()?.capabilities()?;
    let families = capabilities.families()?;
    for family in capabilities.past_the_end()? {
        let array = Array::<u64>::new(CAPACITY as usize, Place::Roomy, 0)?;
        for (capacity, versions) in [(0, None), (CAPACITY, Some(&array))] {
            let count = Array::one(capacity, Place::Roomy)?;
            subject.at(format!("pfnGetAdapterFamilyABIVersions of family {family}"));
            let result =
                capabilities.get_adapter_family_abi_versions(family, Some(&count), versions);
            let after = count.get(0);
            ensure!(
                result == DXGI_ERROR_NOT_FOUND && after == 0,
                call: "pfnGetAdapterFamilyABIVersions(family {family}, *pNumABIVersions = {capacity}), where {families} families were enumerated",
                expected: "DXGI_ERROR_NOT_FOUND and a count of 0",
                got: "returned {result}, with a count of {after}",
            );
        }
    }
    Ok(())
}

fn p_abi_08_count_is_right_whatever_happens(subject: &Subject) -> Outcome {
    for_each_family(subject, |capabilities, family| {
        let entries = capabilities.abi_count(family)?;
        for capacity in 0..entries {
            let count = Array::one(capacity, Place::Roomy)?;
            let versions = Array::<u64>::new(capacity as usize, Place::Roomy, 0)?;
            let result =
                capabilities.get_adapter_family_abi_versions(family, Some(&count), Some(&versions));
            let after = count.get(0);
            ensure!(
                after == entries,
                call: "pfnGetAdapterFamilyABIVersions(family {family}, array of {capacity})",
                expected: "a count of {entries}, as the size query said",
                got: "a count of {after}, with {result}",
            );
        }
        // Fewer and more than there are.
        for odd in (1..=entries).chain([entries + 5]) {
            let count = Array::one(odd, Place::Roomy)?;
            let null = failure!(
                call: "pfnGetAdapterFamilyABIVersions(family {family}, *pNumABIVersions = {odd}, null)",
                expected: "a count of {entries}, as the size query said",
                got: "the null pointer was used",
            );
            let result = watched(vec![Watch::null(null)], || {
                capabilities.get_adapter_family_abi_versions(family, Some(&count), None)
            });
            let after = count.get(0);
            ensure!(
                after == entries,
                call: "pfnGetAdapterFamilyABIVersions(family {family}, *pNumABIVersions = {odd}, null)",
                expected: "a count of {entries}, as the size query said",
                got: "a count of {after}, with {result}",
            );
        }
        Ok(())
    })
}

fn p_abi_09_lists_have_no_holes(subject: &Subject) -> Outcome {
    for_each_family(subject, |capabilities, family| {
        let versions = capabilities.abi_versions(family)?;
        if !versions.is_sorted_by(|newer, older| newer > older) {
            return Err(Stop::needs(rules::P_ABI_03));
        }
        if versions
            .iter()
            .any(|version| RESERVED_ABI_VERSIONS.contains(version))
        {
            return Err(Stop::needs(rules::P_ABI_04));
        }
        ensure!(
            versions.windows(2).all(|pair| pair[0] - pair[1] == 1),
            call: "pfnGetAdapterFamilyABIVersions(family {family})",
            expected: "versions that differ by one",
            got: "the list {versions:?}",
        );
        Ok(())
    })
}

fn p_abi_10_lists_are_stable(subject: &Subject) -> Outcome {
    let second_open = subject.open()?.capabilities()?;
    let oldest = subject.open_oldest()?.selected_capabilities()?;
    for_each_family(subject, |capabilities, family| {
        let first = capabilities.abi_versions(family)?;
        for (when, again) in [
            ("a second time", capabilities.abi_versions(family)?),
            ("of a second open", second_open.abi_versions(family)?),
            ("with the oldest DDI version", oldest.abi_versions(family)?),
        ] {
            ensure!(
                again == first,
                call: "pfnGetAdapterFamilyABIVersions(family {family}) {when}",
                expected: "the same list, {first:?}",
                got: "the list {again:?}",
            );
        }
        Ok(())
    })
}
