//! U-OPEN: `OpenAdapter12`, versions, devices and their tables.

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure};
use ddi_sys::{D3D12DDI_TABLE_TYPE_DEVICE_CORE, S_OK};

use super::Tests;
use crate::driver::{Device, Driver, OLDEST, State, core_size};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::U_OPEN_01, u_open_01_opens_an_adapter),
    (rules::U_OPEN_02, u_open_02_lists_versions),
    (rules::U_OPEN_03, u_open_03_each_build_has_a_device),
    (rules::U_OPEN_04, u_open_04_a_table_ends),
    (rules::U_OPEN_05, u_open_05_no_function_is_null),
];

/// The functions of an adapter by name, and whether they are there.
macro_rules! functions {
    ($funcs:expr; $($name:ident),*) => { [$((stringify!($name), $funcs.$name.is_some())),*] };
}

fn u_open_01_opens_an_adapter(driver: &Driver) -> Outcome {
    let export = driver.load();
    let reason = export.as_ref().err().cloned().unwrap_or_default();
    let Ok(export) = export else {
        broken!(
            call: "loading the library and looking up OpenAdapter12",
            expected: "the export",
            got: "it {reason}",
        );
    };
    let (result, adapter) = driver.try_open(export, State::None);
    let handle = adapter.handle.pDrvPrivate;
    ensure!(
        result == S_OK && !handle.is_null(),
        call: "OpenAdapter12(callbacks, a table of functions)",
        expected: "S_OK and a handle",
        got: "returned {result}, with the handle {handle:p}",
    );
    let functions = functions!(
        adapter.funcs; pfnCalcPrivateDeviceSize, pfnCreateDevice, pfnCloseAdapter, pfnGetSupportedVersions, pfnGetCaps,
        pfnGetOptionalDDITables, pfnFillDDITable, pfnDestroyDevice
    );
    for (name, is_there) in functions {
        ensure!(
            is_there,
            call: "OpenAdapter12(callbacks, a table of functions)",
            expected: "every function of the adapter",
            got: "left {name} null",
        );
    }
    Ok(())
}

fn u_open_02_lists_versions(driver: &Driver) -> Outcome {
    let adapter = driver.open(State::None)?;
    driver.at("pfnGetSupportedVersions");
    let (result, versions) = adapter.versions()?;
    ensure!(
        result == S_OK && !versions.is_empty() && !versions.contains(&0),
        call: "pfnGetSupportedVersions, for the count and then for the list",
        expected: "S_OK and at least one version",
        got: "returned {result}, with the versions {versions:x?}",
    );
    let builds = adapter.builds()?;
    driver.note(format!("builds of release 8: {builds:?}"));
    Ok(())
}

/// Creates a device of each build that both sides know, one after the other.
fn each_device(driver: &Driver, check: impl Fn(&Device) -> Outcome) -> Outcome {
    let adapter = driver.open(State::None)?;
    adapter.newest(OLDEST)?;
    for build in adapter.known(OLDEST)? {
        match driver.device_of(driver.open(State::None)?, build, &[])? {
            Ok(device) => {
                check(&device)?;
                device.destroy()?;
            }
            Err(result) => {
                let got = format!("pfnCreateDevice returned {result} for build {build}");
                return Err(Stop::needs_but_got(rules::U_OPEN_03, got));
            }
        }
    }
    Ok(())
}

fn u_open_03_each_build_has_a_device(driver: &Driver) -> Outcome {
    each_device(driver, |_| Ok(()))
}

/// A number that no function has as its address.
const UNTOUCHED: usize = 0x5E55_1001;

fn u_open_04_a_table_ends(driver: &Driver) -> Outcome {
    each_device(driver, |Device { adapter, build, .. }| {
        let size = core_size(*build);
        driver.at("pfnFillDDITable(DEVICE_CORE)");
        let (result, table) = adapter.slots(D3D12DDI_TABLE_TYPE_DEVICE_CORE, size, UNTOUCHED)?;
        let end = size / size_of::<usize>();
        let written = table[end..].iter().position(|slot| *slot != UNTOUCHED);
        if let Some(written) = written {
            let slot = end + written;
            broken!(
                call: "pfnFillDDITable(DEVICE_CORE, tableSize {size}) for build {build}",
                expected: "{end} slots written at most",
                got: "returned {result}, and wrote to slot {slot}",
            );
        }
        Ok(())
    })
}

fn u_open_05_no_function_is_null(driver: &Driver) -> Outcome {
    each_device(driver, |Device { adapter, build, .. }| {
        driver.at("pfnFillDDITable(DEVICE_CORE)");
        let size = core_size(*build);
        let (_, table) = adapter.slots(D3D12DDI_TABLE_TYPE_DEVICE_CORE, size, UNTOUCHED)?;
        let slots = size / size_of::<usize>();
        let missing = table[..slots]
            .iter()
            .position(|slot| [0, UNTOUCHED].contains(slot));
        if let Some(slot) = missing {
            broken!(
                call: "pfnFillDDITable(DEVICE_CORE) for build {build}",
                expected: "{slots} functions",
                got: "left slot {slot} null, or as it was",
            );
        }
        Ok(())
    })
}
