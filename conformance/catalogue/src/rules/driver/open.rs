//! U-OPEN: `OpenAdapter12`, versions, devices and their tables.

rules! {
    U_OPEN_01 {
        id: "U-OPEN-01",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_OPENADAPTER",
        reading: "The library loads and exports `OpenAdapter12`, which gives S_OK, the driver's adapter handle and all eight functions of the adapter.",
        why: "A runtime finds a driver by this one name; a null function ends its process at the first use.",
        hint: "Export it with C linkage and no decoration, and fill every member of pAdapterFuncs.",
    }

    U_OPEN_02 {
        id: "U-OPEN-02",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_GETSUPPORTEDVERSIONS",
        reading: "`pfnGetSupportedVersions` gives the number of versions for a null array, and fills an array of that size.",
        why: "The runtime chooses the newest version that both sides know from this list.",
        hint: "Keep the list in one place; write *puEntries on every path.",
    }

    U_OPEN_03 {
        id: "U-OPEN-03",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_CREATEDEVICE_0109",
        reading: "For every listed build from 109 to 115 a device can be created, and its core table is filled.",
        why: "A build that is listed and does not work leaves a machine without Direct3D.",
        hint: "List the builds whose structures and tables the driver has.",
    }

    U_OPEN_04 {
        id: "U-OPEN-04",
        level: Must,
        section: "d3d12umddi.h: PFND3D12DDI_FILLDDITTABLE",
        reading: "`pfnFillDDITable` writes no byte behind the tableSize that it is given.",
        why: "An older runtime has its own data there: functions of a newer build would overwrite it.",
        hint: "Copy as many bytes as the build's table has, and never more than tableSize.",
    }

    U_OPEN_05 {
        id: "U-OPEN-05",
        level: Should,
        section: "d3d12umddi.h: D3D12DDI_DEVICE_FUNCS_CORE_0109",
        reading: "No function of a core table is null.",
        why: "A runtime calls what the table has a place for; the specification names no function that may be missing.",
        hint: "Fill what the driver does not implement with a function that reports an error.",
    }
}
