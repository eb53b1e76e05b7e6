//! Families, their versions, and profiles of applications: functions of the CAPABILITIES table.

use std::process;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use ddi_sys::*;
use defects::{Place as _, changed, given, rows, write};

use crate::about::*;
use crate::layer::{self, Open};
use crate::list::{Mistake, answer, repeat_first};
use crate::memory::padding;
use crate::need;
use crate::places::*;
use crate::targets::{
    abi_versions, of_known_abi, of_known_abi_of_others, of_known_family, second_or_only,
};

rows! {
    Hook, About;

    // In `pfnEnumerateAdapterFamilies`.
    "families-from-one" breaks P_FAM_01: "the first family has the index 1",
        at EnumerateFamilies |call| call.before(|call| call.family = from_one(call.family)),
        at GetAbiVersions |call| call.before(|call| call.family = from_one(call.family)),
        at GetCompilerVersion |call| call.before(|call| call.family = from_one(call.family));
    "families-hole" breaks P_FAM_01: "the second family has the index 5",
        needs need::SECOND_FAMILY,
        at EnumerateFamilies |call| call.before(|call| call.family = behind_hole(call.family)),
        at GetAbiVersions |call| call.before(|call| call.family = behind_hole(call.family)),
        at GetCompilerVersion |call| call.before(|call| call.family = behind_hole(call.family));
    "families-in-order" breaks P_FAM_01: "a family is found only right after the one before it, or again",
        needs need::SECOND_FAMILY,
        at EnumerateFamilies |call| {
            static BEFORE: AtomicU32 = AtomicU32::new(0);
            let before = BEFORE.swap(call.family, Ordering::Relaxed);
            let is_in_order = [0, before, before.wrapping_add(1)].contains(&call.family);
            call.answer_if(!is_in_order, DXGI_ERROR_NOT_FOUND)
        };
    "families-need-path" breaks P_OPEN_05: "the second family is there only where PATH is set",
        needs need::SECOND_FAMILY,
        where INDEX_1,
        also P_PSO_07: "for that family a process without variables compiles nothing",
        at EnumerateFamilies |call| call.answer_if(std::env::var_os("PATH").is_none(), DXGI_ERROR_NOT_FOUND);
    "families-past-end-invalid" breaks P_FAM_02: "an index past the end gets E_INVALIDARG",
        at EnumerateFamilies |call| changed(call.pass(), DXGI_ERROR_NOT_FOUND, E_INVALIDARG);
    "families-max-wraps" breaks P_FAM_02: "the index UINT_MAX is taken for the first family",
        at EnumerateFamilies |call| call.before(|call| call.family = call.family.wrapping_add(1).saturating_sub(1));
    "families-empty-name" breaks P_FAM_03: "a name is empty",
        at EnumerateFamilies |call| renamed(call, |name, _| name.fill(0));
    "families-unterminated" breaks P_FAM_03: "a name fills all 128 WCHARs",
        at EnumerateFamilies |call| renamed(call, |name, used| name[used..].fill(u16::from(b'x')));
    "families-surrogate" breaks P_FAM_03: "a name ends with half of a surrogate pair",
        at EnumerateFamilies |call| renamed(call, |name, used| name[used] = 0xD83C);
    "families-name-overrun" breaks P_FAM_03: "a terminator is written behind the 128 WCHARs",
        at EnumerateFamilies |call| renamed(call, |name, _| write(name.as_ptr_range().end, 0_u16));
    "families-same-names" breaks P_FAM_04: "two families have one name",
        needs need::SECOND_FAMILY,
        at EnumerateFamilies |call| call.after(|call, result| if *result == S_OK {
            call.family = 0;
            *result = call.pass();
        });
    "families-leftovers" breaks P_FAM_05: "what follows the terminator of a name is not zero",
        at EnumerateFamilies |call| renamed(call, |name, used| name[used + 1] = u16::from(b'?'));
    "families-per-open" breaks P_FAM_05: "every second open has the families in another order",
        needs need::SECOND_FAMILY, where SECOND_OPEN,
        at EnumerateFamilies |call| {
            call.family = if call.family < 2 { 1 - call.family } else { call.family };
            call.pass()
        };
    "families-per-version" breaks P_FAM_05: "with the oldest version selected the families have another order",
        needs need::SECOND_FAMILY, needs need::TWO_VERSIONS, where OLDEST_DDI,
        at EnumerateFamilies |call| {
            call.family = if call.family < 2 { 1 - call.family } else { call.family };
            call.pass()
        };
    "families-null-accepted" breaks P_FAM_06: "a null pAdapterFamily gets S_OK",
        at EnumerateFamilies |call| call.answer_if(call.place.is_null(), S_OK);
    "families-null-followed" breaks P_FAM_06: "a null pAdapterFamily is read",
        at EnumerateFamilies |call| call.following(call.place);
    "families-second-null-followed" breaks P_FAM_06: "a null pAdapterFamily is read for the second family",
        needs need::SECOND_FAMILY,
        where INDEX_1, at EnumerateFamilies |call| call.following(call.place);

    // In `pfnGetAdapterFamilyABIVersions`.
    "abi-size-query-fails" breaks P_ABI_01: "the size query returns DXGI_ERROR_MORE_DATA",
        at GetAbiVersions |call| mistaken(call, Mistake::SizeQueryFails);
    "abi-none" breaks P_ABI_01: "a family has no ABI version",
        at GetAbiVersions |call| {
            let is_it = call.family == second_or_only(&layer::of(call.handle));
            listed(call, |list| if is_it {
                list.clear();
            })
        };
    "abi-exact-refused" breaks P_ABI_02: "an array of the exact size gets DXGI_ERROR_MORE_DATA",
        at GetAbiVersions |call| mistaken(call, Mistake::ExactRefused);
    "abi-count-is-capacity" breaks P_ABI_02: "the count of a larger array stays its capacity",
        at GetAbiVersions |call| mistaken(call, Mistake::CountIsCapacity);
    "abi-tail-cleared" breaks P_ABI_02: "the entries of a larger array past the list are cleared",
        at GetAbiVersions |call| mistaken(call, Mistake::TailCleared);
    "abi-oldest-first" breaks P_ABI_03: "the list starts with the oldest version",
        needs need::TWO_ABI_VERSIONS, at GetAbiVersions |call| listed(call, |list| list.reverse());
    "abi-twice" breaks P_ABI_03: "the newest version is listed twice",
        at GetAbiVersions |call| listed(call, repeat_first);
    "abi-zero" breaks P_ABI_04: "version 0 is listed",
        at GetAbiVersions |call| listed(call, |list| list.push(0));
    "abi-max" breaks P_ABI_04: "version UINT64_MAX is listed",
        at GetAbiVersions |call| listed(call, |list| list.insert(0, u64::MAX));
    "abi-short-fails" breaks P_ABI_05: "an array that is too small gets E_FAIL",
        at GetAbiVersions |call| mistaken(call, Mistake::ShortFails);
    "abi-short-succeeds" breaks P_ABI_05: "an array that is too small gets S_OK",
        at GetAbiVersions |call| mistaken(call, Mistake::ShortSucceeds);
    "abi-short-from-oldest" breaks P_ABI_05: "an array that is too small gets the oldest versions",
        needs need::TWO_ABI_VERSIONS, at GetAbiVersions |call| mistaken(call, Mistake::ShortFromEnd);
    "abi-short-unwritten" breaks P_ABI_05: "an array that is too small is left as it was",
        needs need::TWO_ABI_VERSIONS, at GetAbiVersions |call| mistaken(call, Mistake::ShortUnwritten);
    "abi-overrun" breaks P_ABI_05: "one entry more is written than an array that is too small has",
        at GetAbiVersions |call| mistaken(call, Mistake::Overrun);
    "abi-empty-is-size-query" breaks P_ABI_05: "an array of length 0 that is not null is taken for the size query",
        at GetAbiVersions |call| mistaken(call, Mistake::EmptyIsSizeQuery);
    "abi-null-count-accepted" breaks P_ABI_06: "a null count gets S_OK",
        at GetAbiVersions |call| mistaken(call, Mistake::NullCountAccepted);
    "abi-null-count-followed" breaks P_ABI_06: "a null count is read",
        at GetAbiVersions |call| mistaken(call, Mistake::NullCountFollowed);
    "abi-unknown-null-count-followed" breaks P_ABI_11: "a null count is written for an unknown family",
        at GetAbiVersions |call| if is_unknown(call) { call.following(call.count) } else { call.pass() };
    "abi-unknown-null-count-accepted" breaks P_ABI_11: "a null count for an unknown family gets S_OK",
        at GetAbiVersions |call| call.answer_if(is_unknown(call) && call.count.is_null(), S_OK);
    "abi-unknown-null-count-not-found" notes P_ABI_11 "DXGI_ERROR_NOT_FOUND":
        "a null count for an unknown family gets DXGI_ERROR_NOT_FOUND",
        at GetAbiVersions |call| call.answer_if(is_unknown(call) && call.count.is_null(), DXGI_ERROR_NOT_FOUND);
    "abi-unknown-count-kept" breaks P_ABI_07: "the count of an unknown family is left as it was",
        at GetAbiVersions |call| call.answer_if(is_unknown(call) && !call.count.is_null(), DXGI_ERROR_NOT_FOUND);
    "abi-unknown-invalid" breaks P_ABI_07: "an unknown family gets E_INVALIDARG",
        at GetAbiVersions |call| call.after(|call, result| if is_unknown(call) {
            *result = E_INVALIDARG;
        });
    "abi-count-kept-when-short" breaks P_ABI_08: "the count stays the capacity of an array that is too small",
        at GetAbiVersions |call| mistaken(call, Mistake::CountKeptWhenShort);
    "abi-count-kept-when-null" breaks P_ABI_08: "the count of a null array is left as it was when it is not 0",
        at GetAbiVersions |call| mistaken(call, Mistake::CountKeptWhenNull);
    "abi-short-null-followed" breaks P_ABI_08: "a null array is written as far as the count goes, if that is short",
        needs need::TWO_ABI_VERSIONS, at GetAbiVersions |call| mistaken(call, Mistake::ShortNullFollowed);
    "abi-hole" breaks P_ABI_09: "a version inside the list is missing",
        needs need::THREE_ABI_VERSIONS,
        also P_PROF_05 P_CMP_05 P_CAPS_20 P_FMT_02 P_MSAA_03: "a target of the missing version is as good as others",
        at GetAbiVersions |call| listed(call, |list| if list.len() > 2 {
            list.remove(1);
        });
    "abi-per-open" breaks P_ABI_10: "every second open lacks the oldest version",
        needs need::TWO_ABI_VERSIONS, where SECOND_OPEN,
        at GetAbiVersions |call| listed(call, |list| {
            list.pop();
        });
    "abi-per-version" breaks P_ABI_10: "with the oldest DDI version selected the oldest ABI version is missing",
        needs need::TWO_VERSIONS, where OLDEST_DDI,
        at GetAbiVersions |call| listed(call, |list| {
            list.pop();
        });

    // In `pfnGetCompilerVersion`.
    "compiler-version-per-call" breaks P_CVER_01: "the version counts the calls",
        at GetCompilerVersion |call| {
            static CALLS: AtomicU64 = AtomicU64::new(0);
            versioned(call, 1 + CALLS.fetch_add(1, Ordering::Relaxed))
        };
    "compiler-version-per-process" breaks P_CVER_01: "the version has the number of the process in it",
        at GetCompilerVersion |call| versioned(call, 1 << 48 | u64::from(process::id()));
    "compiler-version-past-end-invalid" breaks P_CVER_01: "a family past the end gets E_INVALIDARG",
        at GetCompilerVersion |call| changed(call.pass(), DXGI_ERROR_NOT_FOUND, E_INVALIDARG);
    "compiler-version-past-end-accepted" breaks P_CVER_01: "a family past the end has a version",
        at GetCompilerVersion |call| call.after(|call, result| if *result == DXGI_ERROR_NOT_FOUND {
            call.family = 0;
            *result = call.pass();
        });
    "compiler-version-past-end-wraps" breaks P_CVER_01: "of the family's index the lowest 8 bits count",
        at GetCompilerVersion |call| call.before(|call| call.family &= 0xFF);
    "compiler-version-zero" breaks P_CVER_02: "the version is 0.0.0.0",
        at GetCompilerVersion |call| versioned(call, 0);
    "compiler-version-null-accepted" breaks P_CVER_02: "a null pCompilerVersion gets S_OK",
        at GetCompilerVersion |call| call.answer_if(call.version.is_null(), S_OK);
    "compiler-version-null-followed" breaks P_CVER_02: "a null pCompilerVersion is read",
        at GetCompilerVersion |call| call.following(call.version);

    // In `pfnGetApplicationProfileVersion`.
    "profile-absent-fails" breaks P_PROF_01: "an application without a profile gets DXGI_ERROR_NOT_FOUND",
        at GetProfile |call| changed(call.pass(), S_OK, DXGI_ERROR_NOT_FOUND);
    "profile-per-open" breaks P_PROF_01: "every second open has another version",
        at GetProfile |call| profiled(call, (layer::of(call.handle).number % 2) as u64);
    "profile-from-padding" breaks P_PROF_01: "the version depends on the padding of pTarget",
        at GetProfile |call| profiled(call, padding(call.target));
    "profile-absent-not-zero" breaks P_PROF_02: "an application without a profile gets version 1.0.0.0",
        at GetProfile |call| profiled(call, 1 << 48);
    "profile-engine-required" breaks P_PROF_03: "an application without an engine gets E_INVALIDARG",
        at GetProfile |call| call.answer_if(given(call.application).is_some_and(|it| it.pEngineName.is_null()), E_INVALIDARG);
    "profile-engine-followed" breaks P_PROF_03: "a null pEngineName is read",
        at GetProfile |call| match given(call.application) {
            Some(application) => call.following(application.pEngineName),
            None => call.pass(),
        };
    "profile-null-target-accepted" breaks P_PROF_04: "a null pTarget gets S_OK",
        at GetProfile |call| call.answer_if(call.target.is_null(), S_OK);
    "profile-null-application-followed" breaks P_PROF_04: "a null pApplicationDesc is read",
        at GetProfile |call| call.following(call.application);
    "profile-second-null-followed" breaks P_PROF_04: "a null pApplicationDesc is read for the second family",
        where SECOND_FAMILY, at GetProfile |call| call.following(call.application);
    "profile-null-version-followed" breaks P_PROF_04: "a null pApplicationProfileVersion is read",
        at GetProfile |call| call.following(call.version);
    "profile-unknown-family" breaks P_PROF_05: "an unknown family has a profile version",
        at GetProfile |call| of_other(call, of_known_family);
    "profile-unknown-abi" breaks P_PROF_05: "an unknown ABI version has a profile version",
        at GetProfile |call| of_other(call, of_known_abi);
    "profile-other-familys-abi" breaks P_PROF_05: "an ABI version of another family has a profile version",
        needs need::OTHER_FAMILYS_ABI, at GetProfile |call| of_other(call, of_known_abi_of_others);
}

pub(crate) fn enumerate(call: &mut EnumerateFamilies) -> HRESULT {
    let result = call.base();
    need::SECOND_FAMILY.met_if(call.family == 1 && result.is_ok());
    result
}

pub(crate) fn get_profile(call: &mut GetProfile) -> HRESULT {
    let result = call.base();
    let version = given(call.version).filter(|_| result.is_ok());
    need::NO_PROFILE.met_if(version.is_some_and(|version| version.bits() == 0));
    result
}

/// The base's index of a family, where the first has the index 1.
fn from_one(index: UINT) -> UINT {
    index.checked_sub(1).unwrap_or(UINT::MAX)
}

/// The base's index of a family, where the second has the index 5.
fn behind_hole(index: UINT) -> UINT {
    match index {
        0 => 0,
        5 => 1,
        _ => UINT::MAX,
    }
}

/// Changes the name of the second family, or of the only one: its 128 WCHARs, of which the base uses so many.
fn renamed(call: &mut EnumerateFamilies, change: fn(&mut [u16; 128], usize)) -> HRESULT {
    call.after(|call, result| {
        if !result.is_ok() || call.family != second_or_only(&layer::of(call.handle)) {
            return;
        }
        // SAFETY: the base succeeded, so the name is there.
        let name = unsafe { &mut (*call.place).szAdapterFamily };
        let used = name.iter().position(|unit| *unit == 0);
        change(name, used.unwrap_or(name.len()));
    })
}

fn is_unknown(call: &GetAbiVersions) -> bool {
    abi_versions(&layer::of(call.handle), call.family).is_none()
}

/// Answers with a mistake for a known family.
fn mistaken(call: &mut GetAbiVersions, mistake: Mistake) -> HRESULT {
    match abi_versions(&layer::of(call.handle), call.family) {
        Some(list) => answer(&list, Some(mistake), call.count, call.array),
        None => call.pass(),
    }
}

/// Answers with another list for a known family.
fn listed(call: &mut GetAbiVersions, change: impl FnOnce(&mut Vec<u64>)) -> HRESULT {
    let Some(mut list) = abi_versions(&layer::of(call.handle), call.family) else {
        return call.pass();
    };
    change(&mut list);
    answer(&list, None, call.count, call.array)
}

/// Gives another version.
fn versioned(call: &mut GetCompilerVersion, bits: u64) -> HRESULT {
    call.after(|call, result| {
        if result.is_ok() {
            // SAFETY: the base succeeded, so the version is there.
            unsafe { call.version.write(D3D12DDI_VERSION_NUMBER::from_bits(bits)) };
        }
    })
}

/// Gives another version.
pub(crate) fn profiled(call: &mut GetProfile, bits: u64) -> HRESULT {
    call.after(|call, result| {
        if result.is_ok() {
            // SAFETY: the base succeeded, so the version is there.
            unsafe { call.version.write(D3D12DDI_VERSION_NUMBER::from_bits(bits)) };
        }
    })
}

fn of_other(
    call: &mut GetProfile,
    other: fn(&Open, D3D12DDI_COMPILER_TARGET) -> D3D12DDI_COMPILER_TARGET,
) -> HRESULT {
    let open = layer::of(call.handle);
    let target = given(call.target).map(|target| other(&open, *target));
    call.target = target.as_ref().map_or(ptr::null(), ptr::from_ref);
    call.pass()
}
