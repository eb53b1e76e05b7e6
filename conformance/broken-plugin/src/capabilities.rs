//! The CAPABILITIES table.

use std::mem::offset_of;
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_ADAPTER_FAMILY,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDI_HCOMPILERDDI,
    D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED, D3D12DDI_OPTIONS1_DATA_0103,
    D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED, D3D12DDI_VERSION_NUMBER,
    D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED, D3D12DDIARG_GETCAPS, D3D12DDICAPS_TYPE_D3D12_OPTIONS,
    D3D12DDICAPS_TYPE_OPTIONS1_0103, DXGI_ERROR_NOT_FOUND, E_INVALIDARG, E_UNEXPECTED, HRESULT,
    S_OK, UINT,
};

use crate::defect::{Defect, Engine, selected};
use crate::layer::{self, Open};
use crate::list::{self, Mistake};
use base_plugin::{call, defects, follow};

/// The defects of this file.
#[macro_export]
macro_rules! capabilities_defects {
    ($take:ident) => {
        $take! {
            /// In `pfnEnumerateAdapterFamilies`.
            Families {
                FromOne = "families-from-one" breaks P_FAM_01:
                    "the first family has the index 1";
                Hole = "families-hole" breaks P_FAM_01:
                    "the second family has the index 5";
                InOrder = "families-in-order" breaks P_FAM_01:
                    "a family is found only right after the one before it, or again";
                NeedPath = "families-need-path" breaks P_OPEN_05:
                    "the second family is there only where PATH is set";
                PastEndInvalid = "families-past-end-invalid" breaks P_FAM_02:
                    "an index past the end gets E_INVALIDARG";
                MaxWraps = "families-max-wraps" breaks P_FAM_02:
                    "the index UINT_MAX is taken for the first family";
                EmptyName = "families-empty-name" breaks P_FAM_03:
                    "a name is empty";
                Unterminated = "families-unterminated" breaks P_FAM_03:
                    "a name fills all 128 WCHARs";
                Surrogate = "families-surrogate" breaks P_FAM_03:
                    "a name ends with half of a surrogate pair";
                NameOverrun = "families-name-overrun" breaks P_FAM_03:
                    "a terminator is written behind the 128 WCHARs";
                SameNames = "families-same-names" breaks P_FAM_04:
                    "two families have one name";
                Leftovers = "families-leftovers" breaks P_FAM_05:
                    "what follows the terminator of a name is not zero";
                PerOpen = "families-per-open" breaks P_FAM_05:
                    "every second open has the families in another order";
                PerVersion = "families-per-version" breaks P_FAM_05:
                    "with the oldest version selected the families have another order";
                NullAccepted = "families-null-accepted" breaks P_FAM_06:
                    "a null pAdapterFamily gets S_OK";
                NullFollowed = "families-null-followed" breaks P_FAM_06:
                    "a null pAdapterFamily is read";
                SecondNullFollowed = "families-second-null-followed" breaks P_FAM_06:
                    "a null pAdapterFamily is read for the second family";
            }

            /// In `pfnGetAdapterFamilyABIVersions`.
            AbiVersions {
                SizeQueryFails = "abi-size-query-fails" breaks P_ABI_01:
                    "the size query returns DXGI_ERROR_MORE_DATA";
                None = "abi-none" breaks P_ABI_01:
                    "a family has no ABI version";
                ExactRefused = "abi-exact-refused" breaks P_ABI_02:
                    "an array of the exact size gets DXGI_ERROR_MORE_DATA";
                CountIsCapacity = "abi-count-is-capacity" breaks P_ABI_02:
                    "the count of a larger array stays its capacity";
                TailCleared = "abi-tail-cleared" breaks P_ABI_02:
                    "the entries of a larger array past the list are cleared";
                OldestFirst = "abi-oldest-first" breaks P_ABI_03:
                    "the list starts with the oldest version";
                Twice = "abi-twice" breaks P_ABI_03:
                    "the newest version is listed twice";
                Zero = "abi-zero" breaks P_ABI_04:
                    "version 0 is listed";
                Max = "abi-max" breaks P_ABI_04:
                    "version UINT64_MAX is listed";
                ShortFails = "abi-short-fails" breaks P_ABI_05:
                    "an array that is too small gets E_FAIL";
                ShortSucceeds = "abi-short-succeeds" breaks P_ABI_05:
                    "an array that is too small gets S_OK";
                ShortFromOldest = "abi-short-from-oldest" breaks P_ABI_05:
                    "an array that is too small gets the oldest versions";
                ShortUnwritten = "abi-short-unwritten" breaks P_ABI_05:
                    "an array that is too small is left as it was";
                Overrun = "abi-overrun" breaks P_ABI_05:
                    "one entry more is written than an array that is too small has";
                EmptyIsSizeQuery = "abi-empty-is-size-query" breaks P_ABI_05:
                    "an array of length 0 that is not null is taken for the size query";
                NullCountAccepted = "abi-null-count-accepted" breaks P_ABI_06:
                    "a null count gets S_OK";
                NullCountFollowed = "abi-null-count-followed" breaks P_ABI_06:
                    "a null count is read";
                UnknownNullCountFollowed = "abi-unknown-null-count-followed" breaks P_ABI_06:
                    "a null count is written for an unknown family";
                UnknownCountKept = "abi-unknown-count-kept" breaks P_ABI_07:
                    "the count of an unknown family is left as it was";
                UnknownInvalid = "abi-unknown-invalid" breaks P_ABI_07:
                    "an unknown family gets E_INVALIDARG";
                CountKeptWhenShort = "abi-count-kept-when-short" breaks P_ABI_08:
                    "the count stays the capacity of an array that is too small";
                CountKeptWhenNull = "abi-count-kept-when-null" breaks P_ABI_08:
                    "the count of a null array is left as it was when it is not 0";
                ShortNullFollowed = "abi-short-null-followed" breaks P_ABI_08:
                    "a null array is written as far as the count goes, if that is short";
                Hole = "abi-hole" breaks P_ABI_09:
                    "a version inside the list is missing",
                    also P_PROF_05 because "a target of the missing version is as good as others",
                    also P_CMP_05 because "a target of the missing version is as good as others";
                PerOpen = "abi-per-open" breaks P_ABI_10:
                    "every second open lacks the oldest version";
                PerVersion = "abi-per-version" breaks P_ABI_10:
                    "with the oldest DDI version selected the oldest ABI version is missing";
            }

            /// In `pfnGetCompilerVersion`.
            CompilerVersion {
                PerCall = "compiler-version-per-call" breaks P_CVER_01:
                    "the version counts the calls";
                PerProcess = "compiler-version-per-process" breaks P_CVER_01:
                    "the version has the number of the process in it";
                PastEndInvalid = "compiler-version-past-end-invalid" breaks P_CVER_01:
                    "a family past the end gets E_INVALIDARG";
                PastEndAccepted = "compiler-version-past-end-accepted" breaks P_CVER_01:
                    "a family past the end has a version";
                PastEndWraps = "compiler-version-past-end-wraps" breaks P_CVER_01:
                    "of the family's index the lowest 8 bits count";
                Zero = "compiler-version-zero" breaks P_CVER_02:
                    "the version is 0.0.0.0";
                NullAccepted = "compiler-version-null-accepted" breaks P_CVER_02:
                    "a null pCompilerVersion gets S_OK";
                NullFollowed = "compiler-version-null-followed" breaks P_CVER_02:
                    "a null pCompilerVersion is read";
            }

            /// In `pfnGetApplicationProfileVersion`.
            Profile {
                AbsentFails = "profile-absent-fails" breaks P_PROF_01:
                    "an application without a profile gets DXGI_ERROR_NOT_FOUND";
                PerOpen = "profile-per-open" breaks P_PROF_01:
                    "every second open has another version";
                FromPadding = "profile-from-padding" breaks P_PROF_01:
                    "the version depends on the padding of pTarget";
                AbsentNotZero = "profile-absent-not-zero" breaks P_PROF_02:
                    "an application without a profile gets version 1.0.0.0";
                EngineRequired = "profile-engine-required" breaks P_PROF_03:
                    "an application without an engine gets E_INVALIDARG";
                EngineFollowed = "profile-engine-followed" breaks P_PROF_03:
                    "a null pEngineName is read";
                NullTargetAccepted = "profile-null-target-accepted" breaks P_PROF_04:
                    "a null pTarget gets S_OK";
                NullApplicationFollowed = "profile-null-application-followed" breaks P_PROF_04:
                    "a null pApplicationDesc is read";
                SecondNullFollowed = "profile-second-null-followed" breaks P_PROF_04:
                    "a null pApplicationDesc is read for the second family";
                NullVersionFollowed = "profile-null-version-followed" breaks P_PROF_04:
                    "a null pApplicationProfileVersion is read";
                UnknownFamily = "profile-unknown-family" breaks P_PROF_05:
                    "an unknown family has a profile version";
                UnknownAbi = "profile-unknown-abi" breaks P_PROF_05:
                    "an unknown ABI version has a profile version";
                OtherFamilysAbi = "profile-other-familys-abi" breaks P_PROF_05:
                    "an ABI version of another family has a profile version";
            }

            /// In what `pfnGetCaps` says that the plugin can do.
            Caps {
                NoMeshOfFamily = "caps-no-mesh-of-family" notes P_PSO_18 "6 of 8 kinds for family 1, whose caps offer no mesh shaders":
                    "the second family does not offer mesh shaders";
                NoStateObjects = "caps-no-state-objects" leaves P_SO_07:
                    "neither raytracing nor work graphs are offered";
                Unanswered = "caps-unanswered" leaves P_SO_07:
                    "no cap is answered, so nothing optional is offered";
            }
        }
    };
}

capabilities_defects!(defects);

/// The table in front of the base's.
pub(crate) fn table(
    base: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
) -> D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
        pfnGetCaps: Some(get_caps),
        pfnEnumerateAdapterFamilies: Some(enumerate_adapter_families),
        pfnGetAdapterFamilyABIVersions: Some(get_adapter_family_abi_versions),
        pfnGetCompilerVersion: Some(get_compiler_version),
        pfnGetApplicationProfileVersion: Some(get_application_profile_version),
        ..base
    }
}

/// Whether there is an application, and it has no engine.
///
/// # Safety
/// `application` is null or valid.
pub(crate) unsafe fn lacks_engine(application: *const D3D12DDI_APPLICATION_DESC) -> bool {
    // SAFETY: `application` is null or valid, as this function demands.
    unsafe { application.as_ref() }.is_some_and(|application| application.pEngineName.is_null())
}

/// # Safety
/// PFND3D12DDI_COMPILER_GET_CAPS: the pointers are null or valid for the call, and `caps` leads to as many
/// bytes as it says.
unsafe extern "system" fn get_caps(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    caps: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    let Some((_, open)) = layer::of(handle) else {
        return E_INVALIDARG;
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_GET_CAPS demands of a host.
    if unsafe { lacks_engine(application) } {
        match selected() {
            Some(Defect::Engine(Engine::CapsFollow)) => follow(ptr::null::<u16>()),
            Some(Defect::Engine(Engine::CapsRequire)) => return E_INVALIDARG,
            _ => {}
        }
    }
    if selected() == Some(Defect::Caps(Caps::Unanswered)) {
        return E_INVALIDARG;
    }
    let result = call!(open.capabilities.pfnGetCaps(handle, target, application, caps)
        else E_UNEXPECTED);
    if let (true, Some(Defect::Caps(defect))) = (result.is_ok(), selected()) {
        // SAFETY: the base succeeded, so the arguments and the answer of their type are there.
        unsafe {
            let second = (*target).AdapterFamilyIndex == 1;
            let (kind, data) = ((*caps).Type, (*caps).pData);
            let options = data.cast::<D3D12DDI_D3D12_OPTIONS_DATA_0089>();
            let options1 = data.cast::<D3D12DDI_OPTIONS1_DATA_0103>();
            match (defect, kind) {
                (Caps::NoMeshOfFamily, D3D12DDICAPS_TYPE_D3D12_OPTIONS) if second => {
                    (*options).MeshShaderTier = D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED;
                }
                (Caps::NoStateObjects, D3D12DDICAPS_TYPE_D3D12_OPTIONS) => {
                    (*options).RaytracingTier = D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED;
                }
                (Caps::NoStateObjects, D3D12DDICAPS_TYPE_OPTIONS1_0103) => {
                    (*options1).WorkGraphsTier = D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED;
                }
                _ => {}
            }
        }
    }
    result
}

/// # Safety
/// PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES: `family` is null or valid for writes.
unsafe extern "system" fn enumerate_adapter_families(
    handle: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY,
) -> HRESULT {
    let Some((_, open)) = layer::of(handle) else {
        return E_INVALIDARG;
    };
    let base = |index: UINT| {
        call!(open.capabilities.pfnEnumerateAdapterFamilies(handle, index, family)
            else E_UNEXPECTED)
    };
    let Some(Defect::Families(defect)) = selected() else {
        return base(index);
    };
    // Changes a family's name: its 128 WCHARs and how many of them the base uses.
    let renamed = |renamed: UINT, change: fn(*mut u16, usize)| {
        let result = base(index);
        if result.is_ok() && index == renamed {
            // SAFETY: the base succeeded, so the name is there.
            let name = unsafe { &raw mut (*family).szAdapterFamily }.cast::<u16>();
            // SAFETY: inside the 128 WCHARs, as the base terminates its names.
            let used = (0..128).find(|&i| unsafe { name.add(i).read() } == 0);
            change(name, used.unwrap_or(128));
        }
        result
    };
    match defect {
        Families::FromOne | Families::Hole => base(family_of_base(index)),
        Families::NeedPath if index == 1 && std::env::var_os("PATH").is_none() => {
            DXGI_ERROR_NOT_FOUND
        }
        Families::PastEndInvalid => match base(index) {
            DXGI_ERROR_NOT_FOUND => E_INVALIDARG,
            result => result,
        },
        Families::MaxWraps => base(index.wrapping_add(1).saturating_sub(1)),
        Families::EmptyName => renamed(1, |name, _| {
            // SAFETY: inside the 128 WCHARs.
            unsafe { name.write_bytes(0, 128) };
        }),
        Families::Unterminated => renamed(1, |name, used| {
            for index in used..128 {
                // SAFETY: inside the 128 WCHARs.
                unsafe { name.add(index).write(u16::from(b'x')) };
            }
        }),
        Families::Surrogate => renamed(1, |name, used| {
            // SAFETY: inside the 128 WCHARs, as the name and its terminator are shorter.
            unsafe { name.add(used).write(0xD83C) };
        }),
        Families::NameOverrun => renamed(1, |name, _| {
            // SAFETY: none; that is the defect.
            unsafe { name.add(128).write(0) };
        }),
        Families::SameNames => match base(index) {
            S_OK => base(0),
            failure => failure,
        },
        Families::Leftovers => renamed(1, |name, used| {
            // SAFETY: inside the 128 WCHARs, as the name and its terminator are shorter.
            unsafe { name.add(used + 1).write(u16::from(b'?')) };
        }),
        Families::PerOpen if open.number % 2 == 1 && index < 2 => base(1 - index),
        Families::PerVersion if open.is_oldest() && index < 2 => base(1 - index),
        Families::InOrder => {
            static BEFORE: AtomicU32 = AtomicU32::new(0);
            let before = BEFORE.swap(index, Ordering::Relaxed);
            if index == 0 || index == before || index == before.wrapping_add(1) {
                base(index)
            } else {
                DXGI_ERROR_NOT_FOUND
            }
        }
        Families::SecondNullFollowed => {
            if index == 1 {
                follow(family);
            }
            base(index)
        }
        Families::NullAccepted if family.is_null() => S_OK,
        Families::NullFollowed => {
            follow(family);
            base(index)
        }
        Families::NeedPath | Families::PerOpen | Families::PerVersion | Families::NullAccepted => {
            base(index)
        }
    }
}

/// The base's index of a family, which is another one where a defect numbers them otherwise.
fn family_of_base(index: UINT) -> UINT {
    const NONE: UINT = UINT::MAX;
    match (selected(), index) {
        (Some(Defect::Families(Families::FromOne)), _) => index.checked_sub(1).unwrap_or(NONE),
        (Some(Defect::Families(Families::Hole)), 5) => 1,
        (Some(Defect::Families(Families::Hole)), 1..) => NONE,
        _ => index,
    }
}

/// A family's ABI versions, from the base; `None` for an unknown family.
fn abi_versions(open: &Open, family: UINT) -> Option<Vec<u64>> {
    let mut count = 0;
    let result = call!(open.capabilities.pfnGetAdapterFamilyABIVersions(
        open.handle(),
        family,
        &raw mut count,
        ptr::null_mut(),
    ) else E_UNEXPECTED);
    let mut versions = vec![0; count as usize];
    let all = call!(open.capabilities.pfnGetAdapterFamilyABIVersions(
        open.handle(),
        family,
        &raw mut count,
        versions.as_mut_ptr(),
    ) else E_UNEXPECTED);
    (result.is_ok() && all.is_ok()).then_some(versions)
}

/// # Safety
/// PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS: `count` is null or valid for reads and
/// writes, `array` null or as long as it says.
unsafe extern "system" fn get_adapter_family_abi_versions(
    handle: D3D12DDI_HCOMPILERDDI,
    family: UINT,
    count: *mut UINT,
    array: *mut u64,
) -> HRESULT {
    let Some((_, open)) = layer::of(handle) else {
        return E_INVALIDARG;
    };
    let family = family_of_base(family);
    let base = || {
        call!(open.capabilities.pfnGetAdapterFamilyABIVersions(handle, family, count, array)
            else E_UNEXPECTED)
    };
    let Some(Defect::AbiVersions(defect)) = selected() else {
        return base();
    };
    let Some(mut list) = abi_versions(&open, family) else {
        return match defect {
            AbiVersions::UnknownCountKept if !count.is_null() => DXGI_ERROR_NOT_FOUND,
            AbiVersions::UnknownNullCountFollowed => {
                follow(count);
                base()
            }
            AbiVersions::UnknownInvalid => {
                let _ = base();
                E_INVALIDARG
            }
            _ => base(),
        };
    };
    let mistake = match defect {
        AbiVersions::SizeQueryFails => Some(Mistake::SizeQueryFails),
        AbiVersions::None => {
            if family == 1 {
                list.clear();
            }
            None
        }
        AbiVersions::ExactRefused => Some(Mistake::ExactRefused),
        AbiVersions::CountIsCapacity => Some(Mistake::CountIsCapacity),
        AbiVersions::TailCleared => Some(Mistake::TailCleared),
        AbiVersions::OldestFirst => {
            list.reverse();
            None
        }
        AbiVersions::Twice => {
            list.insert(0, list[0]);
            None
        }
        AbiVersions::Zero => {
            list.push(0);
            None
        }
        AbiVersions::Max => {
            list.insert(0, u64::MAX);
            None
        }
        AbiVersions::ShortFails => Some(Mistake::ShortFails),
        AbiVersions::ShortSucceeds => Some(Mistake::ShortSucceeds),
        AbiVersions::ShortFromOldest => Some(Mistake::ShortFromEnd),
        AbiVersions::ShortUnwritten => Some(Mistake::ShortUnwritten),
        AbiVersions::Overrun => Some(Mistake::Overrun),
        AbiVersions::EmptyIsSizeQuery => Some(Mistake::EmptyIsSizeQuery),
        AbiVersions::NullCountAccepted => Some(Mistake::NullCountAccepted),
        AbiVersions::NullCountFollowed => Some(Mistake::NullCountFollowed),
        AbiVersions::UnknownCountKept
        | AbiVersions::UnknownInvalid
        | AbiVersions::UnknownNullCountFollowed => None,
        AbiVersions::ShortNullFollowed => Some(Mistake::ShortNullFollowed),
        AbiVersions::CountKeptWhenShort => Some(Mistake::CountKeptWhenShort),
        AbiVersions::CountKeptWhenNull => Some(Mistake::CountKeptWhenNull),
        AbiVersions::Hole => {
            list.remove(1);
            None
        }
        AbiVersions::PerVersion => {
            if open.is_oldest() {
                list.pop();
            }
            None
        }
        AbiVersions::PerOpen => {
            if open.number % 2 == 1 {
                list.pop();
            }
            None
        }
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS demands of
    // a host.
    unsafe { list::answer(&list, mistake, count, array) }
}

/// # Safety
/// PFND3D12DDI_COMPILER_GET_COMPILER_VERSION: `version` is null or valid for writes.
unsafe extern "system" fn get_compiler_version(
    handle: D3D12DDI_HCOMPILERDDI,
    family: UINT,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let Some((_, open)) = layer::of(handle) else {
        return E_INVALIDARG;
    };
    let family = family_of_base(family);
    let base = |family: UINT| call!(open.capabilities.pfnGetCompilerVersion(handle, family, version) else E_UNEXPECTED);
    let Some(Defect::CompilerVersion(defect)) = selected() else {
        return base(family);
    };
    // The base's answer with another version.
    let answered = |bits: u64| {
        let result = base(family);
        if result.is_ok() {
            // SAFETY: the base succeeded, so the version is there.
            unsafe { version.write(D3D12DDI_VERSION_NUMBER::from_bits(bits)) };
        }
        result
    };
    match defect {
        CompilerVersion::PerCall => answered(1 + CALLS.fetch_add(1, Ordering::Relaxed)),
        CompilerVersion::PastEndInvalid => match base(family) {
            DXGI_ERROR_NOT_FOUND => E_INVALIDARG,
            result => result,
        },
        CompilerVersion::PastEndAccepted => match base(family) {
            DXGI_ERROR_NOT_FOUND => base(0),
            result => result,
        },
        CompilerVersion::PastEndWraps => base(family & 0xFF),
        CompilerVersion::PerProcess => answered(1 << 48 | u64::from(process::id())),
        CompilerVersion::Zero => answered(0),
        CompilerVersion::NullAccepted if version.is_null() => S_OK,
        CompilerVersion::NullFollowed => {
            follow(version);
            base(family)
        }
        CompilerVersion::NullAccepted => base(family),
    }
}

/// What [`get_compiler_version`] does, at another address.
///
/// # Safety
/// As [`get_compiler_version`].
pub(crate) unsafe extern "system" fn get_compiler_version_again(
    handle: D3D12DDI_HCOMPILERDDI,
    family: UINT,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    // SAFETY: the arguments are what pfnGetCompilerVersion takes (`# Safety`).
    unsafe { get_compiler_version(handle, family, version) }
}

/// # Safety
/// PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: the pointers are null or valid for the call,
/// the strings terminated.
unsafe extern "system" fn get_application_profile_version(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    let Some((_, open)) = layer::of(handle) else {
        return E_INVALIDARG;
    };
    let base = |target: *const D3D12DDI_COMPILER_TARGET| {
        call!(open.capabilities.pfnGetApplicationProfileVersion(
            handle,
            target,
            application,
            version,
        ) else E_UNEXPECTED)
    };
    let Some(Defect::Profile(defect)) = selected() else {
        return base(target);
    };
    // The base's answer with another version.
    let answered = |bits: u64| {
        let result = base(target);
        if result.is_ok() {
            // SAFETY: the base succeeded, so the version is there.
            unsafe { version.write(D3D12DDI_VERSION_NUMBER::from_bits(bits)) };
        }
        result
    };
    // SAFETY: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: a pointer that is not null is
    // valid for the call.
    let engine = unsafe { application.as_ref() }.map(|application| application.pEngineName);
    // SAFETY: so is the target.
    let known_target = unsafe { target.as_ref() };
    match defect {
        Profile::AbsentFails => match base(target) {
            S_OK => DXGI_ERROR_NOT_FOUND,
            failure => failure,
        },
        Profile::PerOpen => answered((open.number % 2) as u64),
        Profile::AbsentNotZero => answered(1 << 48),
        Profile::EngineRequired if engine.is_some_and(<*const u16>::is_null) => E_INVALIDARG,
        Profile::EngineFollowed => {
            if let Some(engine) = engine {
                follow(engine);
            }
            base(target)
        }
        Profile::NullTargetAccepted if target.is_null() => S_OK,
        Profile::FromPadding => {
            let (start, end) = (
                offset_of!(D3D12DDI_COMPILER_TARGET, AdapterFamilyIndex) + size_of::<UINT>(),
                offset_of!(D3D12DDI_COMPILER_TARGET, ABIVersion),
            );
            // SAFETY: inside the host's structure, which it initialised as bytes.
            let byte = |at| unsafe { target.cast::<u8>().add(at).read_volatile() };
            let padding = known_target.map(|_| (start..end).map(|at| u64::from(byte(at))).sum());
            answered(padding.unwrap_or_default())
        }
        Profile::SecondNullFollowed => {
            if known_target.is_some_and(|target| target.AdapterFamilyIndex == 1) {
                follow(application);
            }
            base(target)
        }
        Profile::OtherFamilysAbi => {
            let known = known_target.map(|target| nearest_of_others(&open, *target));
            base(known.as_ref().map_or(ptr::null(), ptr::from_ref))
        }
        Profile::NullApplicationFollowed => {
            follow(application);
            base(target)
        }
        Profile::NullVersionFollowed => {
            follow(version);
            base(target)
        }
        Profile::UnknownFamily | Profile::UnknownAbi => {
            let known = known_target
                .map(|target| nearest(&open, *target, defect == Profile::UnknownFamily));
            base(known.as_ref().map_or(ptr::null(), ptr::from_ref))
        }
        Profile::EngineRequired | Profile::NullTargetAccepted => base(target),
    }
}

/// Whether the base has a target.
pub(crate) fn exists(open: &Open, target: D3D12DDI_COMPILER_TARGET) -> bool {
    abi_versions(open, target.AdapterFamilyIndex)
        .is_some_and(|versions| versions.contains(&target.ABIVersion))
}

/// The newest target of a family.
pub(crate) fn newest(open: &Open, family: UINT) -> D3D12DDI_COMPILER_TARGET {
    let versions = abi_versions(open, family).unwrap_or_default();
    D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: family,
        ABIVersion: versions.first().copied().unwrap_or_default(),
    }
}

/// A target that the base has, for one that it has not: the first family for an unknown one with
/// `families`, else the newest ABI version for an unknown one.
pub(crate) fn nearest(
    open: &Open,
    mut target: D3D12DDI_COMPILER_TARGET,
    families: bool,
) -> D3D12DDI_COMPILER_TARGET {
    let versions = abi_versions(open, target.AdapterFamilyIndex);
    if families == versions.is_some() || exists(open, target) {
        return target;
    }
    if families {
        target.AdapterFamilyIndex = 0;
    }
    let newest = abi_versions(open, target.AdapterFamilyIndex).and_then(|v| v.first().copied());
    target.ABIVersion = newest.unwrap_or_default();
    target
}

/// As [`nearest`] for an unknown ABI version, if another family has it.
pub(crate) fn nearest_of_others(
    open: &Open,
    target: D3D12DDI_COMPILER_TARGET,
) -> D3D12DDI_COMPILER_TARGET {
    let others = [0, 1].map(|family| D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: family,
        ..target
    });
    if others.into_iter().any(|other| exists(open, other)) {
        nearest(open, target, false)
    } else {
        target
    }
}
