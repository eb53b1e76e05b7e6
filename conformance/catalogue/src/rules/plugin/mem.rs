//! P-MEM: the memory of arguments, whatever the call.

rules! {
    P_MEM_01 {
        id: "P-MEM-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "Of what a call is passed, nothing is read beside it: before or behind a structure, an array, a string with its terminator or a program.",
        why: "What lies there is the host's own, or no memory at all.",
        hint: "Take the length of a program from its header and that of an array from its count; a vector load may not cross into the next page.",
    }

    P_MEM_02 {
        id: "P-MEM-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "Targets, applications, pipeline descriptions and the memory of answers are used until their call returns and no longer.",
        why: "No lifetime is promised for them: hosts have them on the stack, or free them at once.",
        hint: "Copy what you need later; a key of a table is the content, not the pointer.",
    }

    P_MEM_03 {
        id: "P-MEM-03",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "An answer and the result of a compile follow from what is at the addresses now: the target, the application, the description, the shaders and states of its handles, and the compiler, whatever was there before.",
        why: "Hosts reuse memory, so that an address says nothing about what is there.",
        hint: "Remember nothing by address; the hash of a shader and the content of a structure tell it apart.",
    }

    P_MEM_04 {
        id: "P-MEM-04",
        level: Ambiguous,
        section: "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER",
        reading: "In private memory that is aligned to 8 bytes or not at all, a compiler or state object either works as in any other, or is refused, or ends the process, as a host that owes the alignment of malloc never gives it such memory.",
        why: "No alignment is stated: a plugin may expect that of malloc, 16 bytes on x64, but may not take memory that it cannot use.",
        hint: "Add the room for the alignment that you need to the size and align the pointer yourself, or refuse other addresses.",
    }

    P_MEM_05 {
        id: "P-MEM-05",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION",
        reading: "A count is written as a UINT and a version as 8 bytes, and pfnGetApplicationProfileVersion and pfnCheckMultisampleQualityLevels only read the target and the application.",
        why: "Beside a number on the stack of a host lie others, and a const structure may lie in read-only memory.",
        hint: "Write through the pointer's own type: a size_t does not fit into a UINT.",
    }
}
