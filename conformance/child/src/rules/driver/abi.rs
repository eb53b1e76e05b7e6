//! U-ABI: what the driver says of its compiler, and the keys that it looks up, against the compiler plugin.

use std::ffi::c_void;
use std::ptr;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, ensure};
use ddi_sys::{
    D3D12DDI_EXTENDED_FEATURES_FUNCS_0096, D3D12DDI_FEATURE_0021_SHADERCACHING,
    D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114, D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118,
    D3D12DDI_SHADERCACHE_FUNCS_0114, D3D12DDI_SHADERCACHE_FUNCS_0118,
    D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES, D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS,
    D3D12DDI_VERSION_NUMBER, D3D12DDIARG_SHADERCACHE_GETCAPS,
    D3D12DDICAPS_TYPE_SHADERCACHE_ABI_SUPPORT, S_OK,
};
use plugin_host::{CallError, Plugin};

use super::Tests;
use crate::driver::{Device, Driver, Padded, listed};
use crate::plugin::subject::dotted;

mod keys;

pub(crate) use keys::keys_of_abi;

/// The build that brought the functions of the shader cache.
const BUILD: u32 = 114;

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::U_ABI_01, u_abi_01_the_plugin_has_the_family),
    (rules::U_ABI_02, u_abi_02_the_plugin_has_the_newest_abi),
    (rules::U_ABI_03, u_abi_03_the_compiler_is_the_plugins),
    (rules::U_ABI_04, u_abi_04_no_application_has_no_profile),
    (rules::U_ABI_05, keys::u_abi_05_the_keys_are_the_plugins),
];

/// What the driver says of its compiler.
struct Support {
    family: String,
    /// The minimum and the maximum.
    abi: (u64, u64),
    /// Of the compiler and of the application's profile.
    versions: Option<(u64, u64)>,
}

/// No version of a compiler.
const UNWRITTEN: u64 = u64::MAX;

/// Enables the newest version of the shader cache that both sides know, from 2 on, as a runtime does before it asks for
/// its functions. Not applicable where the driver has none.
fn enable_shader_cache(
    driver: &Driver,
    device: &Device,
) -> Result<(u32, D3D12DDI_EXTENDED_FEATURES_FUNCS_0096), Stop> {
    let none =
        |what: String| Stop::NotApplicable(format!("the driver reports no ABI support: {what}"));
    let feature = D3D12DDI_FEATURE_0021_SHADERCACHING;
    let size = size_of::<D3D12DDI_EXTENDED_FEATURES_FUNCS_0096>();
    driver.at("pfnFillDDITable(EXTENDED_FEATURES)");
    let table = D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES;
    let (result, features) = device
        .adapter
        .table::<D3D12DDI_EXTENDED_FEATURES_FUNCS_0096>(table, size)?;
    let (S_OK, Some(get), Some(enable)) = (
        result,
        features.pfnGetSupportedExtendedFeatureVersions,
        features.pfnEnableExtendedFeature,
    ) else {
        return Err(none(format!("no extended features ({result})")));
    };
    driver.at("pfnGetSupportedExtendedFeatureVersions(SHADERCACHING)");
    // SAFETY: the device's handle; the array is null, or has the entries.
    let call = |count, array| unsafe { get(device.handle, feature, count, array) };
    let (result, versions) = listed(call);
    let versions = versions.map_err(|got| Stop::needs_but_got(rules::U_ABI_01, got))?;
    let known = versions.iter().filter(|version| [2, 3].contains(*version));
    let (S_OK, Some(version)) = (result, known.max()) else {
        let what = format!("versions {versions:?} of the shader cache ({result})");
        return Err(none(what));
    };
    driver.at("pfnEnableExtendedFeature(SHADERCACHING)");
    // SAFETY: the device's handle.
    let result = unsafe { enable(device.handle, feature, *version) };
    if result != S_OK {
        let got = format!("pfnEnableExtendedFeature returned {result} for version {version}");
        return Err(Stop::needs_but_got(rules::U_ABI_01, got));
    }
    Ok((*version, features))
}

/// What the driver says, in the structure of the feature's version. Needs U-ABI-01.
fn support(driver: &Driver) -> Result<Support, Stop> {
    let device = driver.device(BUILD)?;
    let (version, _) = enable_shader_cache(driver, &device)?;
    let size = if version == 2 {
        size_of::<D3D12DDI_SHADERCACHE_FUNCS_0114>()
    } else {
        size_of::<D3D12DDI_SHADERCACHE_FUNCS_0118>()
    };
    let table = D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS;
    driver.at("pfnFillDDITable(SHADERCACHE)");
    // The older table begins with the newer one's function.
    let (result, funcs) = device
        .adapter
        .table::<D3D12DDI_SHADERCACHE_FUNCS_0118>(table, size)?;
    let needs = |got| Stop::needs_but_got(rules::U_ABI_01, got);
    let get = funcs.pfnShaderCacheGetCaps.filter(|_| result == S_OK);
    let get = get.ok_or_else(|| needs(format!("there is no pfnShaderCacheGetCaps ({result})")))?;
    let ask = |data: *mut c_void, size: usize| {
        let arguments = D3D12DDIARG_SHADERCACHE_GETCAPS {
            Type: D3D12DDICAPS_TYPE_SHADERCACHE_ABI_SUPPORT,
            pInfo: ptr::null_mut(),
            pData: data,
            DataSize: u32::try_from(size).expect("a small structure"),
        };
        // SAFETY: the device's handle; the data has more than the size.
        unsafe { get(device.handle, &raw const arguments) }
    };
    driver.at("pfnShaderCacheGetCaps(ABI_SUPPORT)");
    if version == 2 {
        let mut data = Padded::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114>::new();
        let result = ask((&raw mut *data).cast(), size_of_val(&data.value));
        let data = data.value;
        return match result {
            S_OK => Ok(Support {
                family: name(&data.szAdapterFamily),
                abi: (
                    data.MinimumABISupportVersion.into(),
                    data.MaximumABISupportVersion.into(),
                ),
                versions: None,
            }),
            result => Err(needs(format!("returned {result}"))),
        };
    }
    let mut data = Padded::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118>::new();
    data.value.CompilerVersion = D3D12DDI_VERSION_NUMBER::from_bits(UNWRITTEN);
    let result = ask((&raw mut *data).cast(), size_of_val(&data.value));
    let data = data.value;
    if result != S_OK || data.CompilerVersion.bits() == UNWRITTEN {
        let got = format!("returned {result}, for the structure of 0118, or wrote an older one");
        return Err(needs(got));
    }
    let versions = (
        data.CompilerVersion.bits(),
        data.ApplicationProfileVersion.bits(),
    );
    Ok(Support {
        family: name(&data.szAdapterFamily),
        abi: (data.MinimumABISupportVersion, data.MaximumABISupportVersion),
        versions: Some(versions),
    })
}

fn name(units: &[u16]) -> String {
    let end = units.iter().position(|unit| *unit == 0);
    String::from_utf16_lossy(&units[..end.unwrap_or(units.len())])
}

/// The answer, the plugin, and the index of the family. Needs U-ABI-01.
fn of_family(driver: &Driver) -> Result<(Support, Plugin, u32), Stop> {
    let support = support(driver)?;
    let plugin = driver.plugin()?;
    let families = plugin.adapter_families().map_err(|error| unable(&error))?;
    let index = families.iter().position(|family| *family == support.family);
    let index = index.ok_or_else(|| Stop::needs(rules::U_ABI_01))?;
    Ok((
        support,
        plugin,
        u32::try_from(index).expect("a few families"),
    ))
}

fn unable(error: &CallError) -> Stop {
    Stop::Tool(format!("the plugin: {error}"))
}

/// The versions of the compiler and of the profile.
fn versions(support: &Support) -> Result<(u64, u64), Stop> {
    support.versions.ok_or_else(|| {
        Stop::NotApplicable(
            "the driver has version 2 of the shader cache, whose structure has no versions".into(),
        )
    })
}

fn u_abi_01_the_plugin_has_the_family(driver: &Driver) -> Outcome {
    let support = support(driver)?;
    let families = driver
        .plugin()?
        .adapter_families()
        .map_err(|error| unable(&error))?;
    let name = &support.family;
    ensure!(
        families.contains(name),
        call: "pfnShaderCacheGetCaps(ABI_SUPPORT)",
        expected: "one of the plugin's families {families:?}",
        got: "the family is {name:?}",
    );
    driver.note(format!("the family is {name}"));
    Ok(())
}

fn u_abi_02_the_plugin_has_the_newest_abi(driver: &Driver) -> Outcome {
    let (support, plugin, index) = of_family(driver)?;
    let versions = plugin.abi_versions(index).map_err(|error| unable(&error))?;
    let (min, max) = support.abi;
    ensure!(
        min <= max && versions.contains(&max),
        call: "pfnShaderCacheGetCaps(ABI_SUPPORT)",
        expected: "a range that ends with one of the plugin's ABI versions {versions:?}",
        got: "the range is {min} to {max}",
    );
    Ok(())
}

fn u_abi_03_the_compiler_is_the_plugins(driver: &Driver) -> Outcome {
    let (support, plugin, index) = of_family(driver)?;
    let (compiler, _) = versions(&support)?;
    let expected = plugin
        .compiler_version(index)
        .map_err(|error| unable(&error))?;
    let (expected, got) = (dotted(expected), dotted(compiler));
    ensure!(
        expected == got,
        call: "pfnShaderCacheGetCaps(ABI_SUPPORT)",
        expected: "the plugin's compiler version {expected}",
        got: "it is {got}",
    );
    Ok(())
}

fn u_abi_04_no_application_has_no_profile(driver: &Driver) -> Outcome {
    let support = support(driver)?;
    let (_, profile) = versions(&support)?;
    let got = dotted(profile);
    ensure!(
        profile == 0,
        call: "pfnShaderCacheGetCaps(ABI_SUPPORT), on a runtime that describes no application",
        expected: "a profile version of 0",
        got: "it is {got}",
    );
    Ok(())
}
