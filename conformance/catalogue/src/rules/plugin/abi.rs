//! P-ABI: the ABI versions of each adapter family.

rules! {
    P_ABI_01 {
        id: "P-ABI-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The size query, a null array and a count of 0, returns S_OK and a count of at least 1 for every family.",
        why: "A family without an ABI version cannot be a target.",
        hint: "Treat a null array as the size query: set *pNumABIVersions and return S_OK.",
    }

    P_ABI_02 {
        id: "P-ABI-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "An array as large as the list, or larger, gets S_OK, the whole list and the exact count, and the entries past the list are left alone.",
        why: "A host takes exactly count entries as targets.",
        hint: "Copy the list, then set the count to its length.",
    }

    P_ABI_03 {
        id: "P-ABI-03",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The newest ABI version is at index 0 and the oldest comes last, strictly falling.",
        why: "A host that wants the latest version reads one entry; the specification's word \"ascending\" contradicts its own definition of the order, which wins.",
        hint: "Report the list from the highest number to the lowest, each number once.",
    }

    P_ABI_04 {
        id: "P-ABI-04",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The reserved versions 0 and UINT64_MAX are never reported.",
        why: "0 means \"the latest\" to the API, so a target of version 0 can never be meant.",
        hint: "Number ABI versions from 1.",
    }

    P_ABI_05 {
        id: "P-ABI-05",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "An array that is too small, of length 0 but not null included, gets as many versions as fit, from the newest, and DXGI_ERROR_MORE_DATA.",
        why: "A host may ask for just the newest version with an array of one entry.",
        hint: "Copy min(capacity, length) entries, then return DXGI_ERROR_MORE_DATA when the capacity was smaller.",
    }

    P_ABI_06 {
        id: "P-ABI-06",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "A null pNumABIVersions gets E_INVALIDARG for every family that the plugin reports.",
        why: "The specification names this code.",
        hint: "Check the pointer before the family and the array.",
    }

    P_ABI_07 {
        id: "P-ABI-07",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "An unknown family gets DXGI_ERROR_NOT_FOUND and a count of 0.",
        why: "A host that ignores the code must still see an empty list.",
        hint: "Set *pNumABIVersions to 0 before you return DXGI_ERROR_NOT_FOUND.",
    }

    P_ABI_08 {
        id: "P-ABI-08",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "For a valid family and a count that is not null, the count is right on return also when the array is too small, or null with a count that is not 0.",
        why: "The count tells a host how large the array has to be.",
        hint: "Set *pNumABIVersions to the length of the list before any other check.",
    }

    P_ABI_09 {
        id: "P-ABI-09",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "ABI versions grow by one, so a list has no holes between its newest and its oldest version.",
        why: "Versions are a counter that starts at 1; a hole usually is a typing error or a packed number of another form.",
        hint: "Count ABI versions up by one; drop support from the oldest end.",
    }

    P_ABI_10 {
        id: "P-ABI-10",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The list is the same on every call and every open.",
        why: "A target that was valid when it was chosen must be valid when it is used.",
        hint: "Report a constant list.",
    }

    P_ABI_11 {
        id: "P-ABI-11",
        level: Ambiguous,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "A null pNumABIVersions for an unknown family gets either E_INVALIDARG, as a null count does, or DXGI_ERROR_NOT_FOUND, as an unknown family does.",
        why: "Each of two sentences names its own code, and a host that makes both mistakes must not crash the plugin.",
        hint: "Check the count first; write 0 to it for an unknown family only where it is not null.",
    }
}
