//! P-CVER: the version of each family's compiler.

rules! {
    P_CVER_01 {
        id: "P-CVER-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION",
        reading: "GetCompilerVersion returns S_OK and the same version each time for every family, and DXGI_ERROR_NOT_FOUND past the last one.",
        why: "Clients compare the version with that of their cache to decide whether to fetch a new one.",
        hint: "Return a constant for each family.",
    }

    P_CVER_02 {
        id: "P-CVER-02",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION",
        reading: "A null pCompilerVersion gets E_INVALIDARG, and no version is 0.0.0.0.",
        why: "Version 0 compares as older than everything, so no cache would ever be replaced.",
        hint: "Check the pointer; give each family's compiler a version that is not 0.",
    }

    P_CVER_03 {
        id: "P-CVER-03",
        level: Must,
        section: "Adapter Family Compiler Version",
        reading: "The compiler version changes with code generation: major or minor when caches must be rebuilt, build when they should be, revision when they need not.",
        why: "An unchanged version keeps stale code in every cache; a needless change throws good caches away.",
        hint: "Compare the object code of a fixed set of shaders between releases.",
        untestable: "it takes two builds of the plugin to compare",
    }
}
