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

use crate::defect::{AbiVersions, Caps, CompilerVersion, Defect, Engine, Families, Profile};
use crate::layer::{self, Open, follow, selected};
use crate::list::{self, Mistake};
use base_plugin::call;

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
    // SAFETY: the caller's promise.
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
    // SAFETY: the host's promise is passed on.
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
    // SAFETY: the host's promise is passed on.
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
    // SAFETY: the host's promise is passed on.
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
    // SAFETY: the host's promise for a pointer that is not null.
    let engine = unsafe { application.as_ref() }.map(|application| application.pEngineName);
    // SAFETY: as before.
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
