//! R-ENUM: what a factory tells of its plugin.

use std::ptr;

use api_sys::D3D12_VERSION_NUMBER;
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, ensure, failure};
use ddi_sys::{DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_INVALIDARG, HRESULT, S_OK};
use plugin_host::Plugin;

use super::Tests;
use crate::inputs::{Application, Target};
use crate::plugin::subject::dotted;
use crate::runtime::{Factory, Family, RawApplication, Runtime, raw_target, result};
use crate::watch::fault::{Watch, watched};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::R_ENUM_01, r_enum_01_names_the_families),
    (rules::R_ENUM_02, r_enum_02_ends_with_not_found),
    (rules::R_ENUM_03, r_enum_03_refuses_a_null_family),
    (rules::R_ENUM_04, r_enum_04_counts_abi_versions),
    (rules::R_ENUM_05, r_enum_05_lists_abi_versions),
    (rules::R_ENUM_06, r_enum_06_lists_what_fits),
    (rules::R_ENUM_07, r_enum_07_lists_as_a_plugin_does),
    (rules::R_ENUM_08, r_enum_08_knows_compiler_versions),
    (rules::R_ENUM_09, r_enum_09_refuses_other_compiler_versions),
    (rules::R_ENUM_10, r_enum_10_knows_profile_versions),
    (rules::R_ENUM_11, r_enum_11_takes_0_for_the_latest),
    (rules::R_ENUM_12, r_enum_12_refuses_other_profile_versions),
    (rules::R_ENUM_13, r_enum_13_refuses_nameless_applications),
];

/// What is in an array before a call, and in what is left alone after it.
const UNWRITTEN: u64 = 0xA5A5_A5A5_A5A5_A5A5;

fn r_enum_01_names_the_families(runtime: &Runtime) -> Outcome {
    let (families, factory) = (runtime.families()?, runtime.factory()?);
    // There and back: an index means the same in every call.
    for family in families.iter().chain(families.iter().rev()) {
        let (index, expected) = (family.index, &family.name);
        let (returned, units) = factory.enumerate_adapter_families(index);
        let length = units.iter().position(|unit| *unit == 0);
        let name = length.map_or("no string".into(), |length| {
            String::from_utf16_lossy(&units[..length])
        });
        ensure!(
            returned == S_OK && name == *expected,
            call: "EnumerateAdapterFamilies({index})",
            expected: "S_OK and the plugin's \"{expected}\"",
            got: "returned {returned}, with \"{name}\"",
        );
    }
    Ok(())
}

fn r_enum_02_ends_with_not_found(runtime: &Runtime) -> Outcome {
    let (families, factory) = (runtime.families()?, runtime.factory()?);
    let count = u32::try_from(families.len()).expect("few families");
    for index in [count, count + 1, 1000, u32::MAX] {
        let (returned, _) = factory.enumerate_adapter_families(index);
        ensure!(
            returned == DXGI_ERROR_NOT_FOUND,
            call: "EnumerateAdapterFamilies({index}), where the plugin has {count} families",
            expected: "DXGI_ERROR_NOT_FOUND",
            got: "returned {returned}",
        );
    }
    Ok(())
}

fn r_enum_03_refuses_a_null_family(runtime: &Runtime) -> Outcome {
    let factory = runtime.factory()?;
    let follows = failure!(
        call: "EnumerateAdapterFamilies(0, null)",
        expected: "E_INVALIDARG",
        got: "a memory fault: it writes through null",
    );
    // SAFETY: null is what is tested.
    let call = || result(unsafe { factory.0.EnumerateAdapterFamilies(0, ptr::null_mut()) });
    let returned = watched(vec![Watch::null(follows)], call);
    ensure!(
        returned == E_INVALIDARG,
        call: "EnumerateAdapterFamilies(0, null)",
        expected: "E_INVALIDARG",
        got: "returned {returned}",
    );
    Ok(())
}

fn r_enum_04_counts_abi_versions(runtime: &Runtime) -> Outcome {
    let (families, factory) = (runtime.families()?, runtime.factory()?);
    for family in families {
        let (index, total) = (family.index, family.abi_versions.len());
        let mut count = 0;
        let returned = factory.enumerate_abi_versions(index, &raw mut count, ptr::null_mut());
        ensure!(
            returned == S_OK && count as usize == total,
            call: "EnumerateAdapterFamilyABIVersions(family {index}, count 0, null)",
            expected: "S_OK and the plugin's number of ABI versions, {total}",
            got: "returned {returned}, with a count of {count}",
        );
    }
    Ok(())
}

/// What a call with an array writes.
struct Listed {
    returned: HRESULT,
    count: u32,
    array: Vec<u64>,
    /// Whether what lies behind the array is as it was.
    tidy: bool,
}

/// Lists with an array of `capacity`, which has some room behind it.
fn list(factory: &Factory, family: u32, capacity: usize) -> Listed {
    let mut array = vec![UNWRITTEN; capacity + 8];
    let mut count = u32::try_from(capacity).expect("a small array");
    let returned = factory.enumerate_abi_versions(family, &raw mut count, array.as_mut_ptr());
    let tidy = array[capacity..].iter().all(|entry| *entry == UNWRITTEN);
    array.truncate(capacity);
    Listed {
        returned,
        count,
        array,
        tidy,
    }
}

fn r_enum_05_lists_abi_versions(runtime: &Runtime) -> Outcome {
    let (families, factory) = (runtime.families()?, runtime.factory()?);
    for family in families {
        let (index, expected) = (family.index, family.abi_versions);
        for room in [0, 3] {
            let capacity = expected.len() + room;
            let Listed {
                returned,
                count,
                array,
                tidy,
            } = list(&factory, index, capacity);
            let (list, rest) = array.split_at(expected.len());
            let mut sorted = list.to_vec();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            ensure!(
                returned == S_OK && count as usize == expected.len() && sorted == expected,
                call: "EnumerateAdapterFamilyABIVersions(family {index}, an array of {capacity})",
                expected: "S_OK and the plugin's ABI versions {expected:?}",
                got: "returned {returned}, with a count of {count} and {list:?}",
            );
            ensure!(
                tidy && rest.iter().all(|entry| *entry == UNWRITTEN),
                call: "EnumerateAdapterFamilyABIVersions(family {index}, an array of {capacity})",
                expected: "nothing written behind the list",
                got: "the rest of the array is written",
            );
        }
    }
    Ok(())
}

/// The families with more than one ABI version, which an array can be too small for.
fn lists(runtime: &Runtime) -> Result<Vec<(u32, Vec<u64>)>, Stop> {
    let families = runtime.families()?.into_iter();
    let lists: Vec<_> = families
        .filter(|family| family.abi_versions.len() > 1)
        .map(|family| (family.index, family.abi_versions))
        .collect();
    some_of(lists)
}

/// The lists, if there are any.
fn some_of(lists: Vec<(u32, Vec<u64>)>) -> Result<Vec<(u32, Vec<u64>)>, Stop> {
    if lists.is_empty() {
        let reason = "the plugin has no family with several ABI versions";
        return Err(Stop::Undecided(reason.into()));
    }
    Ok(lists)
}

/// Whether a list is a part of the versions, with each of them once.
fn is_part(list: &[u64], versions: &[u64]) -> bool {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() == list.len() && list.iter().all(|version| versions.contains(version))
}

fn r_enum_06_lists_what_fits(runtime: &Runtime) -> Outcome {
    let (lists, factory) = (lists(runtime)?, runtime.factory()?);
    for (family, versions) in lists {
        let total = versions.len();
        for capacity in 1..total {
            let Listed {
                count, array, tidy, ..
            } = list(&factory, family, capacity);
            ensure!(
                count as usize == total,
                call: "EnumerateAdapterFamilyABIVersions(family {family}, an array of {capacity})",
                expected: "a count of {total}",
                got: "a count of {count}",
            );
            let untidy = !tidy;
            ensure!(
                is_part(&array, &versions) && tidy,
                call: "EnumerateAdapterFamilyABIVersions(family {family}, an array of {capacity})",
                expected: "{capacity} of the ABI versions, each once, and nothing behind them",
                got: "{array:?}, and written behind it: {untidy}",
            );
        }
    }
    Ok(())
}

fn r_enum_07_lists_as_a_plugin_does(runtime: &Runtime) -> Outcome {
    let (lists, factory) = (lists(runtime)?, runtime.factory()?);
    for (family, versions) in &lists {
        let whole = list(&factory, *family, versions.len()).array;
        ensure!(
            whole.is_sorted_by(|a, b| a > b),
            call: "EnumerateAdapterFamilyABIVersions(family {family}, an array for all)",
            expected: "the newest first",
            got: "the list {whole:?}",
        );
        for capacity in 1..versions.len() {
            let Listed {
                returned, array, ..
            } = list(&factory, *family, capacity);
            if !is_part(&array, versions) {
                return Err(Stop::needs(rules::R_ENUM_06));
            }
            ensure!(
                returned == DXGI_ERROR_MORE_DATA && versions.starts_with(&array),
                call: "EnumerateAdapterFamilyABIVersions(family {family}, an array of {capacity})",
                expected: "DXGI_ERROR_MORE_DATA and the newest",
                got: "returned {returned}, with {array:?}",
            );
        }
    }
    for family in unknown_families(runtime)? {
        let mut count = 0;
        let returned = factory.enumerate_abi_versions(family, &raw mut count, ptr::null_mut());
        let Listed {
            returned: with_array,
            count: of_array,
            ..
        } = list(&factory, family, 4);
        ensure!(
            [returned, with_array] == [DXGI_ERROR_NOT_FOUND; 2] && [count, of_array] == [0; 2],
            call: "EnumerateAdapterFamilyABIVersions(family {family}), without and with an array",
            expected: "DXGI_ERROR_NOT_FOUND and a count of 0",
            got: "returned {returned} and {with_array}, with counts of {count} and {of_array}",
        );
    }
    let follows = failure!(
        call: "EnumerateAdapterFamilyABIVersions(family 0, null count)",
        expected: "E_INVALIDARG",
        got: "a memory fault: it reads the null count",
    );
    let returned = watched(vec![Watch::null(follows)], || {
        factory.enumerate_abi_versions(0, ptr::null_mut(), ptr::null_mut())
    });
    ensure!(
        returned == E_INVALIDARG,
        call: "EnumerateAdapterFamilyABIVersions(family 0, null count)",
        expected: "E_INVALIDARG",
        got: "returned {returned}",
    );
    Ok(())
}

/// Indices of families that there are not.
fn unknown_families(runtime: &Runtime) -> Result<[u32; 3], Stop> {
    let count = u32::try_from(runtime.families()?.len()).expect("few families");
    Ok([count, 1000, u32::MAX])
}

fn r_enum_08_knows_compiler_versions(runtime: &Runtime) -> Outcome {
    let (families, factory) = (runtime.families()?, runtime.factory()?);
    for family in families {
        let (index, expected) = (family.index, family.compiler_version);
        let (returned, version) = factory.compiler_version(index);
        let (shown, wanted) = (dotted(version), dotted(expected));
        ensure!(
            returned == S_OK && version == expected,
            call: "EnumerateAdapterFamilyCompilerVersion({index})",
            expected: "S_OK and the plugin's {wanted}",
            got: "returned {returned}, with {shown}",
        );
    }
    Ok(())
}

fn r_enum_09_refuses_other_compiler_versions(runtime: &Runtime) -> Outcome {
    let (unknown, factory) = (unknown_families(runtime)?, runtime.factory()?);
    for family in unknown {
        let (returned, _) = factory.compiler_version(family);
        ensure!(
            returned == DXGI_ERROR_NOT_FOUND,
            call: "EnumerateAdapterFamilyCompilerVersion({family})",
            expected: "DXGI_ERROR_NOT_FOUND",
            got: "returned {returned}",
        );
    }
    let follows = failure!(
        call: "EnumerateAdapterFamilyCompilerVersion(0, null)",
        expected: "E_INVALIDARG",
        got: "a memory fault: it writes through null",
    );
    let returned = watched(vec![Watch::null(follows)], || {
        let null = ptr::null_mut();
        // SAFETY: null is what is tested.
        result(unsafe { factory.0.EnumerateAdapterFamilyCompilerVersion(0, null) })
    });
    ensure!(
        returned == E_INVALIDARG,
        call: "EnumerateAdapterFamilyCompilerVersion(0, null)",
        expected: "E_INVALIDARG",
        got: "returned {returned}",
    );
    Ok(())
}

/// The plugin's own answer.
fn profile(plugin: &Plugin, target: Target, application: &Application) -> Result<u64, Stop> {
    let unable = |error: &dyn std::fmt::Display| Stop::Tool(format!("the plugin: {error}"));
    let text = |text: &str| plugin_host::U16CString::from_str(text).expect("no NUL");
    let target = plugin
        .target(target.adapter_family_index, target.abi_version)
        .map_err(|error| unable(&error))?;
    let application = plugin_host::ApplicationDesc {
        exe_filename: text(application.exe),
        name: text(application.name),
        version: application.version,
        engine: application
            .engine
            .map(|(name, version)| plugin_host::Engine {
                name: text(name),
                version,
            }),
    };
    plugin
        .application_profile_version(target, &application)
        .map_err(|error| unable(&error))
}

/// Applications with and without an engine; the sample plugin has a profile for the second.
const APPLICATIONS: [Application; 2] = [
    Application::USUAL,
    Application {
        exe: "ContosoRally.exe",
        name: "Contoso Rally",
        version: 0x0002_0000_0000_0000,
        engine: None,
    },
];

fn r_enum_10_knows_profile_versions(runtime: &Runtime) -> Outcome {
    let (families, plugin) = (runtime.families()?, runtime.vendor()?);
    let mut expected = Vec::new();
    for family in &families {
        for abi_version in &family.abi_versions {
            let target = Target {
                adapter_family_index: family.index,
                abi_version: *abi_version,
            };
            for application in APPLICATIONS {
                let version = profile(&plugin, target, &application)?;
                expected.push((target, application, version));
            }
        }
    }
    drop(plugin);
    let factory = runtime.factory()?;
    for (target, application, expected) in expected {
        let (returned, version) = factory.profile_version(Some(target), Some(&application));
        let (shown, wanted) = (dotted(version), dotted(expected));
        ensure!(
            returned == S_OK && version == expected,
            call: "GetApplicationProfileVersion({target:?}, {application:?})",
            expected: "S_OK and the plugin's {wanted}",
            got: "returned {returned}, with {shown}",
        );
    }
    Ok(())
}

fn r_enum_11_takes_0_for_the_latest(runtime: &Runtime) -> Outcome {
    let (families, plugin) = (runtime.families()?, runtime.vendor()?);
    let latest = |family: &Family| {
        let target = family.latest();
        Ok((target, profile(&plugin, target, &Application::USUAL)?))
    };
    let expected = families
        .iter()
        .map(latest)
        .collect::<Result<Vec<_>, Stop>>()?;
    drop(plugin);
    let factory = runtime.factory()?;
    for (latest, expected) in expected {
        let application = Some(&Application::USUAL);
        if factory.profile_version(Some(latest), application) != (S_OK, expected) {
            return Err(Stop::needs(rules::R_ENUM_10));
        }
        let index = latest.adapter_family_index;
        let zero = Target {
            abi_version: 0,
            ..latest
        };
        let (returned, version) = factory.profile_version(Some(zero), application);
        let (shown, wanted) = (dotted(version), dotted(expected));
        ensure!(
            returned == S_OK && version == expected,
            call: "GetApplicationProfileVersion(family {index}, ABIVersion 0)",
            expected: "S_OK and the profile version of the latest ABI version, {wanted}",
            got: "returned {returned}, with {shown}",
        );
    }
    Ok(())
}

fn r_enum_12_refuses_other_profile_versions(runtime: &Runtime) -> Outcome {
    let usual = runtime.target()?;
    let (families, factory) = (runtime.families()?, runtime.factory()?);
    let targets = |family: u32, versions: &[u64]| {
        versions
            .iter()
            .map(|abi_version| Target {
                adapter_family_index: family,
                abi_version: *abi_version,
            })
            .collect::<Vec<_>>()
    };
    let mut unknown = Vec::new();
    for family in &families {
        let is_free = |version: &u64| !family.abi_versions.contains(version);
        let of_none: Vec<u64> = (1..u64::MAX).find(is_free).into_iter().collect();
        unknown.extend(targets(family.index, &of_none));
    }
    for family in unknown_families(runtime)? {
        unknown.extend(targets(family, &[0, 1, usual.abi_version]));
    }
    // The ABI versions of the other families.
    for family in &families {
        for other in &families {
            let others = other.abi_versions.iter().copied();
            let foreign: Vec<_> = others
                .filter(|version| !family.abi_versions.contains(version))
                .collect();
            unknown.extend(targets(family.index, &foreign));
        }
    }
    for target in unknown {
        let (returned, version) = factory.profile_version(Some(target), Some(&Application::USUAL));
        let version = dotted(version);
        ensure!(
            !returned.is_ok(),
            call: "GetApplicationProfileVersion({target:?})",
            expected: "a failure",
            got: "returned {returned}, with {version}",
        );
    }
    let nulls = [
        ("null target", None, Some(&Application::USUAL)),
        ("null application", Some(usual), None),
    ];
    for (what, target, application) in nulls {
        let follows = failure!(
            call: "GetApplicationProfileVersion({what})",
            expected: "E_INVALIDARG",
            got: "a memory fault: null is read",
        );
        let (returned, _) = watched(vec![Watch::null(follows)], || {
            factory.profile_version(target, application)
        });
        ensure!(
            returned == E_INVALIDARG,
            call: "GetApplicationProfileVersion({what})",
            expected: "E_INVALIDARG",
            got: "returned {returned}",
        );
    }
    let follows = failure!(
        call: "GetApplicationProfileVersion(null version)",
        expected: "E_INVALIDARG",
        got: "a memory fault: it writes through null",
    );
    let (target, application) = (raw_target(usual), RawApplication::new(&Application::USUAL));
    let (target, application) = (&raw const target, &raw const application.desc);
    let null: *mut D3D12_VERSION_NUMBER = ptr::null_mut();
    let returned = watched(vec![Watch::null(follows)], || {
        // SAFETY: null is what is tested.
        result(unsafe {
            factory
                .0
                .GetApplicationProfileVersion(target, application, null)
        })
    });
    ensure!(
        returned == E_INVALIDARG,
        call: "GetApplicationProfileVersion(null version)",
        expected: "E_INVALIDARG",
        got: "returned {returned}",
    );
    Ok(())
}

fn r_enum_13_refuses_nameless_applications(runtime: &Runtime) -> Outcome {
    let target = runtime.target()?;
    let factory = runtime.factory()?;
    for (what, raw) in RawApplication::nameless() {
        let follows = failure!(
            call: "GetApplicationProfileVersion(an application, {what} null)",
            expected: "E_INVALIDARG",
            got: "a memory fault: null is read",
        );
        let (returned, _) = watched(vec![Watch::null(follows)], || {
            factory.profile_version_raw(Some(target), Some(&raw.desc))
        });
        ensure!(
            returned == E_INVALIDARG,
            call: "GetApplicationProfileVersion(an application, {what} null)",
            expected: "E_INVALIDARG",
            got: "returned {returned}",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{is_part, some_of};
    use conformance_catalogue::verdict::Stop;

    #[test]
    fn without_several_abi_versions_no_array_is_too_small() {
        assert!(matches!(some_of(vec![]), Err(Stop::Undecided(_))));
        assert!(some_of(vec![(0, vec![2, 1])]).is_ok());
    }

    #[test]
    fn a_part_has_each_version_once() {
        assert!(is_part(&[1, 3], &[3, 2, 1]));
        assert!(!is_part(&[3, 3], &[3, 2, 1]));
        assert!(!is_part(&[4], &[3, 2, 1]));
    }
}
