//! U-OPEN: `OpenAdapter12`, versions, devices and their tables.

use ddi_sys::{D3D12DDI_TABLE_TYPE_DEVICE_CORE, S_OK};

use crate::driver::{Driver, OLDEST, State, core_size};
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
        reading: "`pfnGetSupportedVersions` gives the number of versions for a null array, fills an array of that size, and lists no version twice.",
        why: "The runtime chooses the newest version that both sides know from this list.",
        hint: "Keep the list in one place; write *puEntries on every path.",
        test: Driver(u_open_02_lists_versions),
    }

    U_OPEN_03 {
        id: "U-OPEN-03",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_CREATEDEVICE_0109",
        reading: "For every listed build from 109 to 115 a device can be created, and its core table is filled without a null function.",
        why: "A build that is listed and does not work leaves a machine without Direct3D.",
        hint: "Fill what the driver does not implement with a function that reports an error.",
        test: Driver(u_open_03_each_build_has_a_device),
    }

    U_OPEN_04 {
        id: "U-OPEN-04",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_FILLDDITTABLE",
        reading: "`pfnFillDDITable` writes no byte behind the table of the chosen build.",
        why: "An older runtime has its own data there: functions of a newer build would overwrite it.",
        hint: "Copy as many bytes as the build's table has, and never more than tableSize.",
        test: Driver(u_open_04_a_table_ends),
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
    let mut distinct = versions.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let count = versions.len();
    ensure!(
        result == S_OK && count > 0 && distinct.len() == count && !versions.contains(&0),
        call: "pfnGetSupportedVersions, for the count and then for the list",
        expected: "S_OK and at least one version, each once",
        got: "returned {result}, with the versions {versions:x?}",
    );
    let builds = adapter.builds()?;
    driver.note(format!("builds of release 8: {builds:?}"));
    Ok(())
}

fn u_open_03_each_build_has_a_device(driver: &Driver) -> Outcome {
    let adapter = driver.open(State::None)?;
    adapter.newest(OLDEST)?;
    for build in adapter.known(OLDEST)? {
        let adapter = driver.open(State::None)?;
        let device = match driver.device_of(adapter, build, &[]) {
            Ok(device) => device?,
            Err(result) => broken!(
                call: "pfnCreateDevice for build {build}",
                expected: "S_OK",
                got: "returned {result}",
            ),
        };
        let slots = core_size(device.build) / size_of::<usize>();
        // SAFETY: a table of functions, each as large as a number of pointers' size; null where there is none.
        let table =
            unsafe { std::slice::from_raw_parts((&raw const device.core).cast::<usize>(), slots) };
        if let Some(slot) = table.iter().position(|function| *function == 0) {
            broken!(
                call: "pfnFillDDITable(DEVICE_CORE) for build {build}",
                expected: "no null function",
                got: "left slot {slot} of {slots} null",
            );
        }
    }
    Ok(())
}

/// A number that no function has as its address.
const UNTOUCHED: usize = 0x5E55_1001;

fn u_open_04_a_table_ends(driver: &Driver) -> Outcome {
    let adapter = driver.open(State::None)?;
    adapter.newest(OLDEST)?;
    for build in adapter.known(OLDEST)? {
        let adapter = driver.open(State::None)?;
        if driver.device_of(adapter, build, &[]).is_err() {
            return Err(Stop::needs(U_OPEN_03));
        }
        let mut table = [UNTOUCHED; 256];
        let size = core_size(build);
        driver.at("pfnFillDDITable(DEVICE_CORE)");
        // SAFETY: there is more room than the size says.
        let result = unsafe {
            adapter.fill_table(
                D3D12DDI_TABLE_TYPE_DEVICE_CORE,
                table.as_mut_ptr().cast(),
                size,
            )?
        };
        let slots = size / size_of::<usize>();
        let written = table[slots..].iter().position(|slot| *slot != UNTOUCHED);
        if let Some(written) = written {
            let slot = slots + written;
            broken!(
                call: "pfnFillDDITable(DEVICE_CORE, tableSize {size}) for build {build}",
                expected: "{slots} slots written at most",
                got: "returned {result}, and wrote to slot {slot}",
            );
        }
    }
    Ok(())
}
