//! P-CMP: compiler objects.

rules! {
    P_CMP_01 {
        id: "P-CMP-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE",
        reading: "CalcPrivateCompilerSize gives the same size for the same input, and a compiler writes only inside that many bytes, whatever they held before.",
        why: "The host allocates exactly that much and clears nothing.",
        hint: "Add the room that alignment needs; construct the object instead of assuming zeros.",
    }

    P_CMP_02 {
        id: "P-CMP-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER",
        reading: "The target, the application description and its strings are used during CreateCompiler only: when the host reuses their memory, compiles still work.",
        why: "No lifetime is promised for them, unlike the descriptions of state objects.",
        hint: "Copy what you need into the compiler object.",
    }

    P_CMP_03 {
        id: "P-CMP-03",
        level: Must,
        section: "Compiling State Objects",
        reading: "Several compilers live at once, for different targets, compile for their own target, and can be destroyed in any order.",
        why: "A service compiles for all families side by side.",
        hint: "Keep a compiler's state in its private memory, not in globals.",
    }

    P_CMP_04 {
        id: "P-CMP-04",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_COMPILER",
        reading: "DestroyCompiler leaves the memory to the host, and nothing touches it afterwards.",
        why: "The host frees or reuses the block at once.",
        hint: "Run the object's destructor, free nothing of the block, and unregister the object from lists and threads.",
    }

    P_CMP_05 {
        id: "P-CMP-05",
        level: Should,
        section: "Struct: D3D12DDI_COMPILER_TARGET",
        reading: "Creating a compiler for an unknown family or ABI version fails, and leaves nothing behind that would have to be destroyed.",
        why: "Code for a target that does not exist is worse than an error.",
        hint: "Look the target up before you construct anything.",
    }

    P_CMP_06 {
        id: "P-CMP-06",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER",
        reading: "The target, the application description and its strings are never written.",
        why: "They are const, may be shared between threads or lie in read-only memory.",
        hint: "Work on copies, for instance when you fold the case of a name.",
    }

    P_CMP_07 {
        id: "P-CMP-07",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER",
        reading: "With a null pTarget or pApplicationDesc CreateCompiler returns E_INVALIDARG, and CalcPrivateCompilerSize, which cannot refuse, any size.",
        why: "The parameters are not optional, and a plugin should survive a host's mistake.",
        hint: "Check both pointers first.",
    }

    P_CMP_08 {
        id: "P-CMP-08",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_COMPILER",
        reading: "A compile that has returned leaves no memory and no open handle behind, nor does a compiler or a state object that is destroyed.",
        why: "A service compiles whatever there is in one process.",
        hint: "Free what you allocate beside the host's memory: for a compile before it returns, for an object when it is destroyed.",
    }

    P_CMP_09 {
        id: "P-CMP-09",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER",
        reading: "Compilers that are created, used and destroyed while others compile, each in memory that held one for another target, compile for their own target, and so do the others.",
        why: "A service has a compiler for each job, and its jobs begin and end at any time.",
        hint: "Keep a compiler's state in its private memory; what you keep by its address ends with DestroyCompiler.",
    }
}
