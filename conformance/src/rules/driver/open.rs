//! U-OPEN: `OpenAdapter12`, versions, devices and their tables.

use ddi_sys::{D3D12DDI_TABLE_TYPE_DEVICE_CORE, S_OK};

use crate::driver::{Device, Driver, OLDEST, State, core_size};
use crate::verdict::{Outcome, Stop, broken, ensure};

rules! {
    U_OPEN_01 {
        id: "U-OPEN-01",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_OPENADAPTER",
        reading: "The library loads and exports `OpenAdapter12`, which gives S_OK, the driver's adapter handle and all eight functions of the adapter.",
        why: "A runtime finds a driver by this one name; a null function ends its process at the first use.",
        hint: "Export it with C linkage and no decoration, and fill every member of pAdapterFuncs.",
        test: Driver(u_open_01_opens_an_adapter),
    }

    U_OPEN_02 {
        id: "U-OPEN-02",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_GETSUPPORTEDVERSIONS",
        reading: "`pfnGetSupportedVersions` gives the number of versions for a null array, and fills an array of that size.",
        why: "The runtime chooses the newest version that both sides know from this list.",
        hint: "Keep the list in one place; write *puEntries on every path.",
        test: Driver(u_open_02_lists_versions),
    }

    U_OPEN_03 {
        id: "U-OPEN-03",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_CREATEDEVICE_0109",
        reading: "For every listed build from 109 to 115 a device can be created, and its core table is filled.",
        why: "A build that is listed and does not work leaves a machine without Direct3D.",
        hint: "List the builds whose structures and tables the driver has.",
        test: Driver(u_open_03_each_build_has_a_device),
    }

    U_OPEN_04 {
        id: "U-OPEN-04",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_FILLDDITTABLE",
        reading: "`pfnFillDDITable` writes no byte behind the tableSize that it is given.",
        why: "An older runtime has its own data there: functions of a newer build would overwrite it.",
        hint: "Copy as many bytes as the build's table has, and never more than tableSize.",
        test: Driver(u_open_04_a_table_ends),
    }

    U_OPEN_05 {
        id: "U-OPEN-05",
        level: Should,
        section: "d3d12umddi.h: D3D12DDI_DEVICE_FUNCS_CORE_0109",
        reading: "No function of a core table is null.",
        why: "A runtime calls what the table has a place for; the specification names no function that may be missing.",
        hint: "Fill what the driver does not implement with a function that reports an error.",
        test: Driver(u_open_05_no_function_is_null),
    }
}

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
                return Err(Stop::needs_but_got(U_OPEN_03, got));
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
