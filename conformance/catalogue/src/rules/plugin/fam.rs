//! P-FAM: the adapter families.

rules! {
    P_FAM_01 {
        id: "P-FAM-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES",
        reading: "Adapter families have contiguous indices from 0, and there is at least one.",
        why: "A host stops at the first index that fails; families behind a hole do not exist for it.",
        hint: "Number the families with the index into one array.",
    }

    P_FAM_02 {
        id: "P-FAM-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES",
        reading: "Every index past the last family, UINT_MAX included, gives DXGI_ERROR_NOT_FOUND.",
        why: "The enumeration loop of the specification ends at that code only.",
        hint: "Return DXGI_ERROR_NOT_FOUND and not E_INVALIDARG; compare without narrowing the index.",
    }

    P_FAM_03 {
        id: "P-FAM-03",
        level: Must,
        section: "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY",
        reading: "Each name is a non-empty, well-formed UTF-16 string that is terminated within the 128 WCHARs, and nothing is written past them.",
        why: "The name is matched against the driver's, shown to users and stored in databases.",
        hint: "Keep names to 127 code units, and write the terminator.",
    }

    P_FAM_04 {
        id: "P-FAM-04",
        level: Must,
        section: "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY",
        reading: "The names are unique within the plugin.",
        why: "A name identifies a family; two families of one name cannot be told apart by the driver.",
        hint: "Give every family a name of its own.",
    }

    P_FAM_05 {
        id: "P-FAM-05",
        level: Should,
        section: "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY",
        reading: "The families are the same on every call, every open and in every process, and what follows a name's terminator in the array is zero.",
        why: "Targets name families by index; leftover bytes leak memory into databases and make equal records differ.",
        hint: "Clear the whole array before you copy a name from a constant list.",
    }

    P_FAM_06 {
        id: "P-FAM-06",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES",
        reading: "A null pAdapterFamily gets E_INVALIDARG.",
        why: "The parameter is not optional, and a plugin should survive a host's mistake.",
        hint: "Check the pointer before you write the name.",
    }

    P_FAM_07 {
        id: "P-FAM-07",
        level: Must,
        section: "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY",
        reading: "All adapters of one family share the compiled output of one ABI version.",
        why: "A cache that was compiled for the family is given to every adapter in it.",
        hint: "Split a family when two of its adapters need different code.",
        untestable: "whether code runs on an adapter shows only on the adapters themselves",
    }
}
