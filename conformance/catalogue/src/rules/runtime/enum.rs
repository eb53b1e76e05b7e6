//! R-ENUM: what a factory tells of its plugin.

rules! {
    R_ENUM_01 {
        id: "R-ENUM-01",
        level: Must,
        section: "Method: ID3D12CompilerFactory::EnumerateAdapterFamilies",
        reading: "Indices from 0 give S_OK and the names of the plugin's adapter families, in the plugin's order.",
        why: "The index is what a D3D12_COMPILER_TARGET refers to.",
        hint: "Pass the index to the plugin and copy the name, NUL-terminated, to the caller's structure of 256 bytes.",
    }

    R_ENUM_02 {
        id: "R-ENUM-02",
        level: Must,
        section: "Method: ID3D12CompilerFactory::EnumerateAdapterFamilies",
        reading: "Every index past the last family, UINT_MAX included, gets DXGI_ERROR_NOT_FOUND.",
        why: "The specification's loop over the families ends with this code and with nothing else.",
        hint: "Return the plugin's DXGI_ERROR_NOT_FOUND as it is.",
    }

    R_ENUM_03 {
        id: "R-ENUM-03",
        level: Should,
        section: "Method: ID3D12CompilerFactory::EnumerateAdapterFamilies",
        reading: "A null pAdapterFamily gets E_INVALIDARG.",
        why: "The parameter is not optional, and a runtime should survive its caller's mistake.",
        hint: "Check the pointer first.",
    }

    R_ENUM_04 {
        id: "R-ENUM-04",
        level: Must,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyABIVersions",
        reading: "A null pABIVersions with a count of 0 gets S_OK and the number of ABI versions that the plugin has for the family.",
        why: "This is the size check that comes before the array is allocated.",
        hint: "Set *pNumABIVersions whatever pABIVersions is.",
    }

    R_ENUM_05 {
        id: "R-ENUM-05",
        level: Must,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyABIVersions",
        reading: "An array of the queried size, or a larger one, gets S_OK, the ABI versions of the plugin and their number, and the rest of the array is left alone.",
        why: "A compiled object is of use only to drivers that report its ABI version.",
        hint: "Copy the list and write its length, not the capacity, to *pNumABIVersions.",
    }

    R_ENUM_06 {
        id: "R-ENUM-06",
        level: Must,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyABIVersions",
        reading: "An array that is too small gets a partial list and the full number, and nothing is written past it.",
        why: "The caller needs the number to make the array larger, and what lies behind it is not the runtime's.",
        hint: "Copy the smaller of the capacity and the length of the list.",
    }

    R_ENUM_07 {
        id: "R-ENUM-07",
        level: Should,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyABIVersions",
        reading: "As at the plugin's own interface, the newest ABI version comes first, a list that does not fit gets DXGI_ERROR_MORE_DATA, an unknown family DXGI_ERROR_NOT_FOUND with a count of 0, and a null count E_INVALIDARG.",
        why: "The specification states these rules for the plugin only; a program that knows them expects the same list here.",
        hint: "Sort the list, newest first, and return what PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS returns.",
    }

    R_ENUM_08 {
        id: "R-ENUM-08",
        level: Must,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyCompilerVersion",
        reading: "Every family gets S_OK and the version of the plugin's compiler for it.",
        why: "A change of this number is what tells an application to compile again.",
        hint: "Copy all 64 bits of the plugin's answer.",
    }

    R_ENUM_09 {
        id: "R-ENUM-09",
        level: Should,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyCompilerVersion",
        reading: "An unknown family gets DXGI_ERROR_NOT_FOUND, and a null pCompilerVersion E_INVALIDARG.",
        why: "The specification states no return codes here; these are those of the neighbouring methods.",
        hint: "Check the pointer first, then pass on what the plugin returns.",
    }

    R_ENUM_10 {
        id: "R-ENUM-10",
        level: Must,
        section: "Method: ID3D12CompilerFactory::GetApplicationProfileVersion",
        reading: "Every family with every ABI version gets S_OK and the version of the plugin's profile for the application.",
        why: "A database is of use only as long as its profile version is the driver's.",
        hint: "Pass target and application to the plugin and copy all 64 bits of its answer.",
    }

    R_ENUM_11 {
        id: "R-ENUM-11",
        level: Must,
        section: "Method: ID3D12CompilerFactory::GetApplicationProfileVersion",
        reading: "An ABIVersion of 0 stands for the latest: the call succeeds, and the plugin is asked for the latest ABI version.",
        why: "0 never reaches a plugin as an ABI version, which may refuse it.",
        hint: "Replace 0 by the largest version of the family before you call the plugin.",
    }

    R_ENUM_12 {
        id: "R-ENUM-12",
        level: Should,
        section: "Method: ID3D12CompilerFactory::GetApplicationProfileVersion",
        reading: "A target with an unknown family or ABI version is refused, and a null argument gets E_INVALIDARG.",
        why: "The specification states no return codes here; a version that means nothing would be taken for a profile.",
        hint: "Look the target up among what the plugin reports, and check the pointers first.",
    }

    R_ENUM_13 {
        id: "R-ENUM-13",
        level: Should,
        section: "Struct: D3D12_APPLICATION_DESC",
        reading: "GetApplicationProfileVersion with an application whose pExeFilename or pName is null gets E_INVALIDARG.",
        why: "Both are required, and a plugin compares them without a check; the specification states no return code.",
        hint: "Check the strings of an application before it is passed on.",
    }
}
