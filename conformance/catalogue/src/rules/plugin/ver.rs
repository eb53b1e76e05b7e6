//! P-VER: the negotiation of versions.

rules! {
    P_VER_01 {
        id: "P-VER-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "The size query, 0 entries and a null array, returns S_OK and a count of at least 1.",
        why: "The runtime asks for the size first; without it nothing is negotiated.",
        hint: "Treat a null array as the size query: set *puEntries and return S_OK.",
    }

    P_VER_02 {
        id: "P-VER-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "With an array of exactly the queried size it returns S_OK, leaves the count as it is and writes every entry.",
        why: "This is the call that every host makes; an entry left unwritten is garbage that the host may select.",
        hint: "Copy the whole list whenever *puEntries is at least its length.",
    }

    P_VER_03 {
        id: "P-VER-03",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "With a larger array it returns S_OK, sets the count to the true number and leaves the entries past it alone.",
        why: "A host with a fixed array trusts the count to know where the list ends.",
        hint: "Write the list's length to *puEntries, not the capacity, and do not clear the rest.",
    }

    P_VER_04 {
        id: "P-VER-04",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "With an array that is too small nothing is written past it, and the call fails (DXGI_ERROR_MORE_DATA is best).",
        why: "Writing past the array corrupts the host; success hides the missing versions.",
        hint: "Compare *puEntries with the length of the list before you copy; write what fits.",
    }

    P_VER_05 {
        id: "P-VER-05",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "A null puEntries gets E_INVALIDARG.",
        why: "The parameter is not optional, and a plugin should survive a host's mistake.",
        hint: "Check the pointer first.",
    }

    P_VER_06 {
        id: "P-VER-06",
        level: Should,
        section: "Plugin DDI Versioning",
        reading: "The versions are distinct, have the form MAJOR.MINOR.BUILD.REVISION with a MAJOR that is not 0, and are the same on every call and every open.",
        why: "A host compares them as numbers and may ask again at any time.",
        hint: "Report a constant list.",
    }

    P_VER_07 {
        id: "P-VER-07",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION",
        reading: "Every reported version can be selected together with the usermode DDI version that belongs to it.",
        why: "A plugin must report only versions that it supports; a host selects one and does not try another.",
        hint: "Check the pair in SetSelectedVersion against the same list that GetSupportedVersions reports.",
    }

    P_VER_08 {
        id: "P-VER-08",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION",
        reading: "A version that was not reported is refused.",
        why: "Accepting it means tables and structures that one side does not know.",
        hint: "Look the version up in your list; return E_INVALIDARG when it is not there.",
    }

    P_VER_09 {
        id: "P-VER-09",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "A table that is asked for before a version is selected is refused, and the same call works after.",
        why: "The selected version decides what the tables look like.",
        hint: "Keep the selected version in the open's object, and fail FillDDITable while there is none.",
    }

    P_VER_10 {
        id: "P-VER-10",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "The count is the true number of versions on return, also when the array is too small.",
        why: "The host needs it to make the array larger.",
        hint: "Set *puEntries before you look at the capacity that it held.",
    }
}
