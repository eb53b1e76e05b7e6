//! D3D12DDI_COMPILER_CAPABILITIES_FUNCS.

use ddi_sys::{
    BOOL, D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_ADAPTER_FAMILY,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_TARGET, D3D12DDI_FORMAT_SUPPORT_ALL,
    D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET, D3D12DDI_FORMAT_SUPPORT_RENDERTARGET,
    D3D12DDI_HCOMPILERDDI, D3D12DDI_VERSION_NUMBER, D3D12DDIARG_GETCAPS, DXGI_FORMAT, E_UNEXPECTED,
    HRESULT, UINT,
};

use crate::boundary::slot;
use crate::desc::ApplicationDesc;
use crate::error::{Error, Result};
use crate::family::encode_name;
use crate::open::Open;
use crate::plugin::CompilerPlugin;
use crate::two_call;

pub(crate) fn table<P: CompilerPlugin>() -> D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
        pfnGetCaps: Some(get_caps::<P>),
        pfnEnumerateAdapterFamilies: Some(enumerate_adapter_families::<P>),
        pfnGetAdapterFamilyABIVersions: Some(get_adapter_family_abi_versions::<P>),
        pfnGetCompilerVersion: Some(get_compiler_version::<P>),
        pfnGetApplicationProfileVersion: Some(get_application_profile_version::<P>),
        pfnCheckFormatSupport: Some(check_format_support::<P>),
        pfnCheckMultisampleQualityLevels: Some(check_multisample_quality_levels::<P>),
    }
}

/// # Safety
///
/// `out` is null or valid for writes.
unsafe fn write<T>(what: &'static str, out: *mut T, value: T) -> Result<()> {
    // SAFETY: `out` is null, which `nonnull` refuses, or valid for writes (`# Safety`).
    unsafe { nonnull(what, out)?.write(value) };
    Ok(())
}

fn nonnull<T>(what: &'static str, out: *mut T) -> Result<*mut T> {
    if out.is_null() {
        return Err(Error::invalid_argument(format!("{what} is null")));
    }
    Ok(out)
}

unsafe extern "system" fn get_caps<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    query: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    slot("pfnGetCaps", || {
        let open = Open::<P>::of(handle)?;
        // SAFETY: PFND3D12DDI_COMPILER_GET_CAPS: pTarget, pApplicationDesc and pCaps are _In_; pData has DataSize bytes.
        unsafe {
            let target = open.target(target)?;
            let application = ApplicationDesc::read(application)?;
            let query = query
                .as_ref()
                .ok_or_else(|| Error::invalid_argument("pCaps is null"))?;
            let capabilities = open
                .poison
                .guard(|| Ok(open.plugin.capabilities(&target, &application)))?;
            capabilities.answer(query)
        }
    })
}

unsafe extern "system" fn enumerate_adapter_families<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY,
) -> HRESULT {
    slot("pfnEnumerateAdapterFamilies", || {
        let open = Open::<P>::of(handle)?;
        let out = nonnull("pAdapterFamily", family)?;
        // Past the last family: this is how a host finds out how many there are.
        let (_, family) = open.family(index).map_err(Error::into_answer)?;
        let name = encode_name(&family.name)
            .ok_or_else(|| Error::new(E_UNEXPECTED, "the family's name does not fit"))?;
        // SAFETY: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES: pAdapterFamily is _Out_, one structure to write.
        unsafe { write("pAdapterFamily", out, name) }
    })
}

unsafe extern "system" fn get_adapter_family_abi_versions<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    count: *mut UINT,
    versions: *mut u64,
) -> HRESULT {
    slot("pfnGetAdapterFamilyABIVersions", || {
        let open = Open::<P>::of(handle)?;
        // SAFETY: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS: pNumABIVersions is null or _Inout_, pABIVersions
        // _Out_writes_opt_(*pNumABIVersions).
        unsafe {
            match open.family(index) {
                Ok((_, family)) => two_call::fill(&family.abi_versions, count, versions),
                Err(error) => {
                    write("pNumABIVersions", count, 0)?;
                    Err(error)
                }
            }
        }
    })
}

unsafe extern "system" fn get_compiler_version<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    slot("pfnGetCompilerVersion", || {
        let open = Open::<P>::of(handle)?;
        let (_, family) = open.family(index)?;
        // SAFETY: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION: pCompilerVersion is _Out_, one number to write.
        unsafe { write("pCompilerVersion", version, family.compiler_version.into()) }
    })
}

unsafe extern "system" fn get_application_profile_version<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    slot("pfnGetApplicationProfileVersion", || {
        let open = Open::<P>::of(handle)?;
        // SAFETY: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: pTarget and pApplicationDesc are _In_,
        // pApplicationProfileVersion is _Out_.
        unsafe {
            let target = open.target(target)?;
            let application = ApplicationDesc::read(application)?;
            let out = nonnull("pApplicationProfileVersion", version)?;
            let version = open.poison.guard(|| {
                Ok(open
                    .plugin
                    .application_profile_version(&target, &application))
            })?;
            write("pApplicationProfileVersion", out, version.into())
        }
    })
}

unsafe extern "system" fn check_format_support<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    support: *mut UINT,
) -> HRESULT {
    slot("pfnCheckFormatSupport", || {
        let open = Open::<P>::of(handle)?;
        // SAFETY: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT: pTarget is _In_, pFormatSupport _Out_.
        unsafe {
            let target = open.target(target)?;
            let out = nonnull("pFormatSupport", support)?;
            let bits = open
                .poison
                .guard(|| Ok(open.plugin.format_support(&target, format)))?;
            write("pFormatSupport", out, bits & D3D12DDI_FORMAT_SUPPORT_ALL)
        }
    })
}

unsafe extern "system" fn check_multisample_quality_levels<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    sample_count: UINT,
    quality_level: UINT,
) -> BOOL {
    slot("pfnCheckMultisampleQualityLevels", || {
        let open = Open::<P>::of(handle)?;
        // SAFETY: PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS: pTarget is _In_.
        let target = unsafe { open.target(target)? };
        open.poison.guard(|| {
            Ok(match sample_count {
                1 => {
                    // A depth format is rendered to without being a render target.
                    let renderable = D3D12DDI_FORMAT_SUPPORT_RENDERTARGET
                        | D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET;
                    let support = open.plugin.format_support(&target, format);
                    quality_level == 0 && support & renderable != 0
                }
                2 | 4 | 8 | 16 | 32 => {
                    let levels =
                        open.plugin
                            .multisample_quality_levels(&target, format, sample_count);
                    quality_level < levels
                }
                _ => false,
            })
        })
    })
}
