//! U-ABI: what the driver says of its compiler, and the keys that it looks up, against the compiler plugin.

rules! {
    U_ABI_01 {
        id: "U-ABI-01",
        level: Must,
        section: "Struct: D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA",
        reading: "The driver reports an adapter family that its compiler plugin has.",
        why: "A cache is looked up by the family; without one no precompiled shader is ever used.",
        hint: "Take the name from the table that the plugin has.",
    }

    U_ABI_02 {
        id: "U-ABI-02",
        level: Must,
        section: "Struct: D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA",
        reading: "MaximumABISupportVersion is an ABI version of the plugin for that family, and not below MinimumABISupportVersion.",
        why: "Caches are made for the ABI version that the driver names.",
        hint: "Report the range that the driver can load; its end must be what the plugin compiles.",
    }

    U_ABI_03 {
        id: "U-ABI-03",
        level: Must,
        section: "Struct: D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA",
        reading: "CompilerVersion is that of the plugin for the family.",
        why: "A client asks for a newer cache when its own was made by an older compiler than the driver has.",
        hint: "Build driver and plugin from one version number.",
    }

    U_ABI_04 {
        id: "U-ABI-04",
        level: Should,
        section: "Struct: D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA",
        reading: "Without a description of the application, ApplicationProfileVersion is 0.",
        why: "\"When the desc is not available or does not match a profile, this value should be zero\".",
        hint: "Look profiles up by the description that QueryAdapterInfoCb2 gives.",
    }

    U_ABI_05 {
        id: "U-ABI-05",
        level: Must,
        section: "IHV Dependent Object Subdivision",
        reading: "When the driver creates an object from its description, it looks up every key of object code that the plugin names for it, of each ABI version that both support.",
        why: "The application precompiled the object for nothing where the driver looks for another key: it compiles it again while the game runs.",
        hint: "Derive keys in driver and plugin by the same code, from the description alone: no address, no handle, no state of the device.",
    }
}
