//! P-TBL: the function tables.

rules! {
    P_TBL_01 {
        id: "P-TBL-01",
        level: Must,
        section: "Struct: D3D12DDI_COMPILER_CAPABILITIES_FUNCS",
        reading: "The CAPABILITIES table is filled at its exact size, and none of its seven entries is null.",
        why: "A host calls the entries without a check.",
        hint: "Fill every member; what you do not support returns a failure.",
    }

    P_TBL_02 {
        id: "P-TBL-02",
        level: Must,
        section: "Struct: D3D12DDI_COMPILER_FUNCS",
        reading: "The COMPILER table is filled at its exact size, and none of its nine entries is null.",
        why: "A host calls the entries without a check.",
        hint: "Fill every member; what you do not support returns a failure.",
    }

    P_TBL_03 {
        id: "P-TBL-03",
        level: Must,
        section: "Enumeration: D3D12DDI_COMPILER_TABLE_TYPE",
        reading: "A table type that the specification does not list is refused, and nothing is written.",
        why: "A newer host asks for newer tables and must see that they are absent.",
        hint: "Return E_INVALIDARG from the default branch before you touch pTable.",
    }

    P_TBL_04 {
        id: "P-TBL-04",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "Nothing is written past tableSize, and a size too small for the table is refused.",
        why: "tableSize is all that the host allocated.",
        hint: "Compare tableSize with the size of your structure before you copy.",
    }

    P_TBL_05 {
        id: "P-TBL-05",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "A larger size, as from a newer host, is filled up to what the version has, and the rest is left alone.",
        why: "A later version of a table grows at its end; a host then recognizes the old one by what is missing.",
        hint: "Refuse sizes that are too small only, and copy exactly the structure's size.",
    }

    P_TBL_06 {
        id: "P-TBL-06",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "A null pTable gets E_INVALIDARG.",
        why: "The parameter is not optional, and a plugin should survive a host's mistake.",
        hint: "Check the pointer first.",
    }

    P_TBL_07 {
        id: "P-TBL-07",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "Filling a table twice in one open gives the same entries.",
        why: "Parts of a host may fill tables of their own and expect to reach the same plugin object.",
        hint: "Make the table when the version is selected, and copy it each time.",
    }
}
