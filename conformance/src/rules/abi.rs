//! P-ABI: the ABI versions of each adapter family.

use std::collections::BTreeSet;

use ddi_sys::{DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_INVALIDARG, S_OK};

use crate::capabilities::{Capabilities, RESERVED_ABI_VERSIONS};
use crate::fault::{Watch, watched, within};
use crate::memory::{Array, Place};
use crate::subject::{NO_END, Subject};
use crate::verdict::{Outcome, Stop, broken, ensure, failure};

rules! {
    P_ABI_01 {
        id: "P-ABI-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The size query, a null array and a count of 0, returns S_OK and a count of at least 1 for every family.",
        why: "A family without an ABI version cannot be a target.",
        hint: "Treat a null array as the size query: set *pNumABIVersions and return S_OK.",
        test: Plugin(p_abi_01_answers_the_size_query),
    }

    P_ABI_02 {
        id: "P-ABI-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "An array as large as the list, or larger, gets S_OK, the whole list and the exact count, and the entries past the list are left alone.",
        why: "A host takes exactly count entries as targets.",
        hint: "Copy the list, then set the count to its length.",
        test: Plugin(p_abi_02_fills_a_large_enough_array),
    }

    P_ABI_03 {
        id: "P-ABI-03",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The newest ABI version is at index 0 and the oldest comes last, strictly falling.",
        why: "A host that wants the latest version reads one entry; the specification's word \"ascending\" contradicts its own definition of the order, which wins.",
        hint: "Report the list from the highest number to the lowest, each number once.",
        test: Plugin(p_abi_03_newest_comes_first),
    }

    P_ABI_04 {
        id: "P-ABI-04",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The reserved versions 0 and UINT64_MAX are never reported.",
        why: "0 means \"the latest\" to the API, so a target of version 0 can never be meant.",
        hint: "Number ABI versions from 1.",
        test: Plugin(p_abi_04_reserved_versions_are_absent),
    }

    P_ABI_05 {
        id: "P-ABI-05",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "An array that is too small, of length 0 but not null included, gets as many versions as fit, from the newest, and DXGI_ERROR_MORE_DATA.",
        why: "A host may ask for just the newest version with an array of one entry.",
        hint: "Copy min(capacity, length) entries, then return DXGI_ERROR_MORE_DATA when the capacity was smaller.",
        test: Plugin(p_abi_05_fills_what_fits),
    }

    P_ABI_06 {
        id: "P-ABI-06",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "A null pNumABIVersions gets E_INVALIDARG for every family that the plugin reports.",
        why: "The specification names this code.",
        hint: "Check the pointer before the family and the array.",
        test: Plugin(p_abi_06_refuses_a_null_count),
    }

    P_ABI_07 {
        id: "P-ABI-07",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "An unknown family gets DXGI_ERROR_NOT_FOUND and a count of 0.",
        why: "A host that ignores the code must still see an empty list.",
        hint: "Set *pNumABIVersions to 0 before you return DXGI_ERROR_NOT_FOUND.",
        test: Plugin(p_abi_07_unknown_families_are_not_found),
    }

    P_ABI_08 {
        id: "P-ABI-08",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "For a valid family and a count that is not null, the count is right on return also when the array is too small, or null with a count that is not 0.",
        why: "The count tells a host how large the array has to be.",
        hint: "Set *pNumABIVersions to the length of the list before any other check.",
        test: Plugin(p_abi_08_count_is_right_whatever_happens),
    }

    P_ABI_09 {
        id: "P-ABI-09",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "ABI versions grow by one, so a list has no holes between its newest and its oldest version.",
        why: "Versions are a counter that starts at 1; a hole usually is a typing error or a packed number of another form.",
        hint: "Count ABI versions up by one; drop support from the oldest end.",
        test: Plugin(p_abi_09_lists_have_no_holes),
    }

    P_ABI_10 {
        id: "P-ABI-10",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The list is the same on every call and every open.",
        why: "A target that was valid when it was chosen must be valid when it is used.",
        hint: "Report a constant list.",
        test: Plugin(p_abi_10_lists_are_stable),
    }

    P_ABI_11 {
        id: "P-ABI-11",
        level: Ambiguous,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "A null pNumABIVersions for an unknown family gets either E_INVALIDARG, as a null count does, or DXGI_ERROR_NOT_FOUND, as an unknown family does.",
        why: "Each of two sentences names its own code, and a host that makes both mistakes must not crash the plugin.",
        hint: "Check the count first; write 0 to it for an unknown family only where it is not null.",
        test: Plugin(p_abi_11_refuses_a_null_count_of_no_family),
    }
}

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
            return Err(Stop::needs(P_ABI_03));
        }
        if versions
            .iter()
            .any(|version| RESERVED_ABI_VERSIONS.contains(version))
        {
            return Err(Stop::needs(P_ABI_04));
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
