//! P-BND: what may not leave a call of the plugin, whatever happens inside.

rules! {
    P_BND_01 {
        id: "P-BND-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "Whatever goes wrong in a call, it returns: no C++ exception and no panic leaves it, and none ends the process.",
        why: "A host in another language cannot catch it, and loses every other compile of its process.",
        hint: "Catch everything in each function of the tables and return a failure; the output shows the type of the exception where the C++ runtime prints it.",
    }

    P_BND_02 {
        id: "P-BND-02",
        level: Ambiguous,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "When the plugin gets no memory for itself, a compile call fails and the next one works, or makes do without, or the process ends at once.",
        why: "A compile that claims to have succeeded leaves a hole in a database; whether a service outlives the end of its memory is not stated, and in some languages no plugin can see to it.",
        hint: "Check what malloc returns, and return E_OUTOFMEMORY where nothing can be done without.",
    }
}
