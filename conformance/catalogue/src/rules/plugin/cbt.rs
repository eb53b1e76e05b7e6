//! P-CBT: the table of the host's callbacks.

rules! {
    P_CBT_01 {
        id: "P-CBT-01",
        level: Must,
        section: "Enumeration: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE",
        reading: "The CACHE callback table is accepted at its exact size.",
        why: "Without it a compiler has nowhere to store its output.",
        hint: "Copy the three functions and return S_OK.",
    }

    P_CBT_02 {
        id: "P-CBT-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "The callback table is copied: when the host reuses its buffer after the call, compiles still reach the right callbacks.",
        why: "The buffer is an argument, usually on the host's stack.",
        hint: "Copy the table's content, never keep pTable.",
    }

    P_CBT_03 {
        id: "P-CBT-03",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "An unknown callback table type, a short size and a null table are refused.",
        why: "A host must learn at once that its callbacks will not be used.",
        hint: "Check type, size and pointer before you copy.",
    }

    P_CBT_04 {
        id: "P-CBT-04",
        level: Should,
        section: "Enumeration: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE",
        reading: "A compiler that is created before any callback table is set fails cleanly: its creation, or at the latest its compile, returns a failure.",
        why: "A host that forgets the table should get an error and not a call through null.",
        hint: "Check in CreateCompiler that the callback table is there.",
    }

    P_CBT_05 {
        id: "P-CBT-05",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "The callback table is only read, and only within its TableSize bytes.",
        why: "pTable is const, and past its end lies the host's stack or heap.",
        hint: "Copy min(TableSize, sizeof) bytes out of the buffer; do not use it as scratch memory.",
    }

    P_CBT_06 {
        id: "P-CBT-06",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "A callback table of a larger size, as from a newer host, is accepted, and compiles reach the three callbacks that are known.",
        why: "A host that knows more callbacks passes them all; a plugin that refuses them, or takes them for its own, works with no newer host.",
        hint: "Ask for a TableSize that is at least the size of the table you know, copy as much, and leave the rest alone.",
    }
}
