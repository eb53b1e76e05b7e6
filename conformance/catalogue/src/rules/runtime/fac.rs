//! R-FAC: `D3D12CompilerCreateFactory`.

rules! {
    R_FAC_01 {
        id: "R-FAC-01",
        level: Must,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "The library loads and exports `D3D12CompilerCreateFactory`, or `D3D12CreateCompilerFactory` as the specification spells it, which gives S_OK and a factory for the path of a plugin.",
        why: "A program finds the runtime by this one name; without a factory there is nothing else.",
        hint: "Export it with C linkage and no decoration; load the plugin by the path as it is, and fill *ppFactory before you return S_OK.",
    }

    R_FAC_02 {
        id: "R-FAC-02",
        level: Must,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "An IID that the factory does not have gets E_NOINTERFACE, and *ppFactory is null.",
        why: "A program asks for a newer interface first and falls back; a pointer of another type would be called through the wrong table.",
        hint: "Compare the IID with those of the object and set *ppFactory to null before every failure.",
    }

    R_FAC_03 {
        id: "R-FAC-03",
        level: Must,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "A path that leads to no file gets HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND).",
        why: "A build script tells a plugin that is not installed from one that does not work by this code.",
        hint: "Check whether the file is there before you load it, as the loader's own code may differ.",
    }

    R_FAC_04 {
        id: "R-FAC-04",
        level: Must,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "A null pPluginCompilerDllPath gets E_INVALIDARG.",
        why: "It is the return code that the specification lists, and the one argument that is invalid beyond doubt.",
        hint: "Check the pointer before anything else.",
    }

    R_FAC_05 {
        id: "R-FAC-05",
        level: Should,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "A file that is not a compiler plugin gets a failure, and *ppFactory is null.",
        why: "A wrong path in a configuration file must not crash the program or succeed without a compiler.",
        hint: "Pass on what the loader says, and fail when D3D12OpenCompilerDDI is not exported.",
    }

    R_FAC_06 {
        id: "R-FAC-06",
        level: Should,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "Factories of one plugin live side by side, releasing one leaves the others alone, and after the last a new one can be made.",
        why: "Parallel compile services make a factory for each worker.",
        hint: "Count what the factories share, or let each have an open of its own.",
    }
}
