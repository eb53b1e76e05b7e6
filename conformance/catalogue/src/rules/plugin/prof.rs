//! P-PROF: the versions of application profiles.

rules! {
    P_PROF_01 {
        id: "P-PROF-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION",
        reading: "GetApplicationProfileVersion returns S_OK for every family, ABI version and application, and the same answer for the same input.",
        why: "The runtime stores the answer with every database that it writes.",
        hint: "An application that you have no profile for is no error.",
    }

    P_PROF_02 {
        id: "P-PROF-02",
        level: Should,
        section: "Struct: D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA",
        reading: "An application without a profile gets version 0.",
        why: "The driver reports 0 when no profile matches, and the two are compared.",
        hint: "Write 0 when no profile matches the description.",
    }

    P_PROF_03 {
        id: "P-PROF-03",
        level: Should,
        section: "Struct: D3D12DDI_APPLICATION_DESC",
        reading: "An application without an engine, with a null pEngineName, is accepted.",
        why: "The engine name is the one optional member, and many applications have none.",
        hint: "Test pEngineName for null before you read it.",
    }

    P_PROF_04 {
        id: "P-PROF-04",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION",
        reading: "A null pTarget, pApplicationDesc or pApplicationProfileVersion gets E_INVALIDARG.",
        why: "The parameters are not optional, and a plugin should survive a host's mistake.",
        hint: "Check the three pointers first.",
    }

    P_PROF_05 {
        id: "P-PROF-05",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION",
        reading: "A target with an unknown family, or an ABI version that the family does not list, is refused.",
        why: "An answer for a target that does not exist ends up in a database.",
        hint: "Look the target up; return DXGI_ERROR_NOT_FOUND for the family, E_INVALIDARG for the ABI version.",
    }

    P_PROF_06 {
        id: "P-PROF-06",
        level: Must,
        section: "Application Profile Version",
        reading: "The profile version changes whenever the settings for that application change.",
        why: "It is what invalidates the application's cache and no other.",
        hint: "Keep the version beside the settings and change both together.",
        untestable: "it takes two builds of the plugin to compare",
    }
}
