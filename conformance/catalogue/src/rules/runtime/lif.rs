//! R-LIF: COM's rules, and threads.

rules! {
    R_LIF_01 {
        id: "R-LIF-01",
        level: Should,
        section: "Interface: ID3D12CompilerFactory",
        reading: "An IID that a session, a compiler or a state object does not have gets E_NOINTERFACE from the call that would create it, and the result is null.",
        why: "The specification states it for the factory only; a caller that asks for a newer interface expects the same of the others.",
        hint: "Check the IID before anything is created, compiled or stored.",
    }

    R_LIF_02 {
        id: "R-LIF-02",
        level: Should,
        section: "Interface: ID3D12CompilerCacheSession",
        reading: "GetFactory, GetCacheSession and GetCompiler, which d3d12compiler.h has beyond the specification, give the object that this one was made with, by COM's rule of identity.",
        why: "Callers compare objects by their IUnknown.",
        hint: "Query the object itself, not a new wrapper around it.",
    }

    R_LIF_03 {
        id: "R-LIF-03",
        level: Should,
        section: "Interface: ID3D12Compiler",
        reading: "An object keeps what it was made with: a session works when its factory is released, a compiler when its session is, a state object when its compiler is.",
        why: "Reference counts are the caller's only means to say what is still needed.",
        hint: "Hold a reference to the parent, and to the plugin, in every child.",
    }

    R_LIF_04 {
        id: "R-LIF-04",
        level: Should,
        section: "Interface: ID3D12CompilerCacheSession",
        reading: "Several threads compile at the same time, with compilers of their own over one session, and every group is stored.",
        why: "Parallel compilation is why the plugin is a library and not a service.",
        hint: "Lock the database for a call, not the plugin for a compile.",
    }
}
