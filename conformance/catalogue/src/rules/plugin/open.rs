//! P-OPEN: opening the plugin, and ending it.

rules! {
    P_OPEN_01 {
        id: "P-OPEN-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_OPEN_DDI",
        reading: "The library loads and exports `D3D12OpenCompilerDDI` under exactly that name.",
        why: "A host finds a plugin by this one name; without it there is no plugin.",
        hint: "Export it with C linkage and a .def file or an export attribute, so that no decoration is left on the name; link what the library needs at load time.",
    }

    P_OPEN_02 {
        id: "P-OPEN-02",
        level: Must,
        section: "Struct: D3D12DDIARG_COMPILER_OPEN_DDI",
        reading: "A valid open returns S_OK and sets hCompilerDDI, and pDDIFuncs then points to a table of the plugin's functions.",
        why: "Every later call goes through that table, with that handle.",
        hint: "Copy the five functions into *pDDIFuncs; store a pointer to an object of your own in hCompilerDDI.",
    }

    P_OPEN_03 {
        id: "P-OPEN-03",
        level: Must,
        section: "Struct: D3D12DDI_COMPILER_DDI_FUNCS",
        reading: "All five entries of the table that an open fills are set, and none is null.",
        why: "No entry is marked optional, so a host calls them without a check.",
        hint: "Fill every member; a call that you do not support returns E_NOTIMPL instead of being absent.",
    }

    P_OPEN_04 {
        id: "P-OPEN-04",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_OPEN_DDI",
        reading: "A null argument gets E_INVALIDARG, and so does a null pDDIFuncs in it, unless the plugin sets it to a table of its own.",
        why: "The open is the one call that any program can make; a crash there takes the program down.",
        hint: "Check both pointers before anything else.",
    }

    P_OPEN_05 {
        id: "P-OPEN-05",
        level: Must,
        section: "Driver Independent Plugin",
        reading: "Opening works with no adapter, no driver and no installation: from an empty folder, in an environment that no installer has touched.",
        why: "Cloud compilation runs on machines that have neither the adapter nor the vendor's driver.",
        hint: "Find your files beside the library itself, not through the environment, the registry or the working directory, and ask for no adapter.",
    }

    P_OPEN_06 {
        id: "P-OPEN-06",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "Several opens in one process are independent: interleaved calls keep their own versions and callback tables, and destroying one leaves the others alone.",
        why: "CreateCompiler has no hCompilerDDI, so a plugin that keeps the last callback table in a global calls the wrong host.",
        hint: "Give each open a function table of its own, so that the functions know which open they belong to.",
    }

    P_OPEN_07 {
        id: "P-OPEN-07",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_DDI",
        reading: "DestroyCompilerDDI ends the object: opening, negotiating and destroying many times leaks no memory, handle or thread, and afterwards the library can be unloaded.",
        why: "A compile service opens plugins for months; a thread that outlives its library crashes the process.",
        hint: "Free everything that the open and the calls after it allocated, and join your threads before DestroyCompilerDDI returns.",
    }

    P_OPEN_08 {
        id: "P-OPEN-08",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_DDI",
        reading: "DestroyCompilerDDI works straight after the open, before a version is selected, and leaves other opens and later ones alone.",
        why: "A host that supports none of the reported versions opens a plugin only to close it.",
        hint: "Destroy must cope with state that SetSelectedVersion or SetCallbackDDITable would have made.",
    }

    P_OPEN_09 {
        id: "P-OPEN-09",
        level: Must,
        section: "Struct: D3D12DDIARG_COMPILER_OPEN_DDI",
        reading: "An open writes nothing outside the argument structure and the table.",
        why: "What lies beside them is the host's stack or heap.",
        hint: "Write five pointers, not a later and longer version of the table.",
    }

    P_OPEN_10 {
        id: "P-OPEN-10",
        level: Must,
        section: "Struct: D3D12DDIARG_COMPILER_OPEN_DDI",
        reading: "The member hRTCompilerDDI is input, and comes back as it was.",
        why: "A host that reads its own handle back from the structure would use the plugin's value.",
        hint: "Set hCompilerDDI and the table only.",
    }

    P_OPEN_11 {
        id: "P-OPEN-11",
        level: Ambiguous,
        section: "Struct: D3D12DDIARG_COMPILER_OPEN_DDI",
        reading: "The member pDDIFuncs is commented \"out\": either the host owns the table and the plugin fills it, or the plugin sets the pointer to a table of its own; whichever is written is written whole.",
        why: "A host that keeps to one reading finds no functions in a plugin that keeps to the other; a plugin that does half of each works with neither.",
        hint: "Fill the host's table, as OpenAdapter12 does; a host reads the table through the pointer that it finds after the call.",
    }

    P_OPEN_12 {
        id: "P-OPEN-12",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_DDI",
        reading: "Opens that are made, negotiated, used and destroyed while other opens of the process compile leave those compiles alone, and work themselves.",
        why: "Each part of a program that loads the plugin opens it, and none knows of the others.",
        hint: "Keep versions, callback tables and compilers with their open, and take a lock for what all opens share.",
    }
}
