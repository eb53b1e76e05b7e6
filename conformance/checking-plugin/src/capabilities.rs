//! The CAPABILITIES table, and what targets and applications have to be.

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::ptr;

use base_plugin::call;
use conformance_catalogue::rules::{H_06, H_07, H_12};
use conformance_protocol::record::{ABI_SIZE_QUERY, Application, Call};
use ddi_sys::{
    BOOL, D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_ADAPTER_FAMILY,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_TARGET, D3D12DDI_HCOMPILERDDI,
    D3D12DDI_VERSION_NUMBER, D3D12DDIARG_GETCAPS, DXGI_ERROR_NOT_FOUND, DXGI_FORMAT, E_INVALIDARG,
    E_UNEXPECTED, HRESULT, S_OK, UINT,
};

use crate::opens::{self, Open};
use crate::writer::{self, broken, called};

/// The table, whose functions have the open's handle.
pub(crate) const TABLE: D3D12DDI_COMPILER_CAPABILITIES_FUNCS =
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
        pfnGetCaps: Some(get_caps),
        pfnEnumerateAdapterFamilies: Some(enumerate_adapter_families),
        pfnGetAdapterFamilyABIVersions: Some(get_adapter_family_abi_versions),
        pfnGetCompilerVersion: Some(get_compiler_version),
        pfnGetApplicationProfileVersion: Some(get_application_profile_version),
        pfnCheckFormatSupport: Some(check_format_support),
        pfnCheckMultisampleQualityLevels: Some(check_multisample_quality_levels),
    };

/// Notes the ABI versions of the families.
pub(crate) fn learn(
    slot: usize,
    handle: D3D12DDI_HCOMPILERDDI,
    base: &D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
) {
    let mut families = Vec::new();
    for family in 0.. {
        let mut count = 0;
        let asked = call!(base.pfnGetAdapterFamilyABIVersions(
            handle,
            family,
            &raw mut count,
            ptr::null_mut()
        ) else DXGI_ERROR_NOT_FOUND);
        if !asked.is_ok() {
            break;
        }
        let mut versions = vec![0; count as usize];
        let _ = call!(base.pfnGetAdapterFamilyABIVersions(
            handle,
            family,
            &raw mut count,
            versions.as_mut_ptr()
        ) else DXGI_ERROR_NOT_FOUND);
        families.push(versions);
    }
    opens::update(slot, |open| open.families = families);
}

/// A target, if it is one. H-06.
///
/// # Safety
///
/// `target` is null or valid.
pub(crate) unsafe fn target(
    open: &Open,
    call: &str,
    target: *const D3D12DDI_COMPILER_TARGET,
) -> Option<(u32, u64)> {
    // SAFETY: `target` is null or valid, as this function demands.
    let Some(target) = (unsafe { target.as_ref() }) else {
        broken(H_06, call, "a target", "pTarget is null");
        return None;
    };
    let (family, version) = (target.AdapterFamilyIndex, target.ABIVersion);
    let versions = open.families.get(family as usize);
    let known = versions.is_some_and(|versions| versions.contains(&version));
    if !known {
        let expected = match versions {
            Some(versions) => format!("one of the ABI versions {versions:?}"),
            None => format!("one of {} families", open.families.len()),
        };
        broken(
            H_06,
            call,
            &expected,
            format!("family {family}, ABI version {version}"),
        );
    }
    known.then_some((family, version))
}

/// An application, if it is one. H-07.
///
/// # Safety
///
/// `application` is null or valid, with strings that are null or NUL-terminated.
pub(crate) unsafe fn application(
    call: &str,
    application: *const D3D12DDI_APPLICATION_DESC,
) -> Option<Application> {
    // SAFETY: `application` is null or valid, with strings that are null or NUL-terminated, as this
    // function demands.
    let Some(desc) = (unsafe { application.as_ref() }) else {
        broken(H_07, call, "an application", "pApplicationDesc is null");
        return None;
    };
    let text = |name: &str, string: *const u16| {
        if string.is_null() {
            broken(H_07, call, &format!("a string in {name}"), "null");
            return None;
        }
        let (mut units, mut next) = (Vec::new(), string);
        // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: there is a NUL, and nothing behind it is
        // read.
        unsafe {
            while *next != 0 {
                units.push(*next);
                next = next.add(1);
            }
        }
        Some(String::from_utf16_lossy(&units))
    };
    let engine = if desc.pEngineName.is_null() {
        None
    } else {
        Some((
            text("pEngineName", desc.pEngineName)?,
            desc.EngineVersion.bits(),
        ))
    };
    Some(Application {
        exe: text("pExeFilename", desc.pExeFilename)?,
        name: text("pName", desc.pName)?,
        version: desc.Version.bits(),
        engine,
    })
}

/// Makes a version depend on all that it was asked for, so that it shows whether a host passes on what its
/// caller asked for.
///
/// # Safety
///
/// `version` is valid.
unsafe fn mark(version: *mut D3D12DDI_VERSION_NUMBER, asked: &impl Hash) {
    let mut hasher = DefaultHasher::new();
    asked.hash(&mut hasher);
    // SAFETY: `version` is valid, as this function demands.
    unsafe {
        let changed = (*version).bits() ^ (hasher.finish() >> 32);
        version.write(D3D12DDI_VERSION_NUMBER::from_bits(changed));
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_CAPS: the pointers are null or valid.
unsafe extern "system" fn get_caps(
    handle: D3D12DDI_HCOMPILERDDI,
    pointer: *const D3D12DDI_COMPILER_TARGET,
    application_pointer: *const D3D12DDI_APPLICATION_DESC,
    caps: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    const NAME: &str = "pfnGetCaps";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_GET_CAPS demands of a host.
    let known = unsafe {
        (
            target(&open, NAME, pointer),
            application(NAME, application_pointer),
        )
    };
    let (Some(_), Some(_)) = known else {
        return E_INVALIDARG;
    };
    call!(open.capabilities.pfnGetCaps(handle, pointer, application_pointer, caps)
        else E_UNEXPECTED)
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES: the pointer is null or valid.
unsafe extern "system" fn enumerate_adapter_families(
    handle: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY,
) -> HRESULT {
    const NAME: &str = "pfnEnumerateAdapterFamilies";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    call!(open.capabilities.pfnEnumerateAdapterFamilies(handle, index, family) else E_UNEXPECTED)
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS: `count` is null or valid, `versions` null or
/// as long as it says.
unsafe extern "system" fn get_adapter_family_abi_versions(
    handle: D3D12DDI_HCOMPILERDDI,
    family: UINT,
    count: *mut UINT,
    versions: *mut u64,
) -> HRESULT {
    const NAME: &str = "pfnGetAdapterFamilyABIVersions";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    if versions.is_null() {
        called(ABI_SIZE_QUERY);
    }
    // SAFETY: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS: null, or valid for the call.
    let capacity = unsafe { count.as_ref() }.copied();
    if versions.is_null() && capacity.is_some_and(|capacity| capacity != 0) {
        let got = format!("a count of {}", capacity.unwrap_or(0));
        broken(H_12, NAME, "a count of 0 with a null array", got);
    }
    call!(open.capabilities.pfnGetAdapterFamilyABIVersions(handle, family, count, versions)
        else E_UNEXPECTED)
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_COMPILER_VERSION: the pointer is null or valid.
unsafe extern "system" fn get_compiler_version(
    handle: D3D12DDI_HCOMPILERDDI,
    family: UINT,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    const NAME: &str = "pfnGetCompilerVersion";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    let result = call!(open.capabilities.pfnGetCompilerVersion(handle, family, version)
        else E_UNEXPECTED);
    if result == S_OK {
        // SAFETY: the base has written to it.
        unsafe { mark(version, &family) };
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: the pointers are null or valid.
unsafe extern "system" fn get_application_profile_version(
    handle: D3D12DDI_HCOMPILERDDI,
    pointer: *const D3D12DDI_COMPILER_TARGET,
    application_pointer: *const D3D12DDI_APPLICATION_DESC,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    const NAME: &str = "pfnGetApplicationProfileVersion";
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION demands of
    // a host.
    let known = unsafe {
        (
            target(&open, NAME, pointer),
            application(NAME, application_pointer),
        )
    };
    writer::call(Call {
        name: NAME.into(),
        target: known.0,
        application: known.1.clone(),
        value_types: None,
    });
    let (Some(_), Some(_)) = known else {
        return E_INVALIDARG;
    };
    let result = call!(open.capabilities.pfnGetApplicationProfileVersion(
        handle,
        pointer,
        application_pointer,
        version
    ) else E_UNEXPECTED);
    if result == S_OK {
        // SAFETY: the base has written to it.
        unsafe { mark(version, &known) };
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT: the pointers are null or valid.
unsafe extern "system" fn check_format_support(
    handle: D3D12DDI_HCOMPILERDDI,
    pointer: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    support: *mut UINT,
) -> HRESULT {
    const NAME: &str = "pfnCheckFormatSupport";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT demands of a host.
    if unsafe { target(&open, NAME, pointer) }.is_none() {
        return E_INVALIDARG;
    }
    call!(open.capabilities.pfnCheckFormatSupport(handle, pointer, format, support)
        else E_UNEXPECTED)
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS: the pointer is null or valid.
unsafe extern "system" fn check_multisample_quality_levels(
    handle: D3D12DDI_HCOMPILERDDI,
    pointer: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    samples: UINT,
    quality: UINT,
) -> BOOL {
    const NAME: &str = "pfnCheckMultisampleQualityLevels";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return 0;
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS demands of
    // a host.
    if unsafe { target(&open, NAME, pointer) }.is_none() {
        return 0;
    }
    call!(open.capabilities.pfnCheckMultisampleQualityLevels(
        handle, pointer, format, samples, quality
    ) else 0)
}
