//! U-RTBP: command lists that an application calls without the runtime.

rules! {
    U_RTBP_01 {
        id: "U-RTBP-01",
        level: Should,
        section: "D3D12RuntimeBypass.md: DDI Implementation",
        reading: "The command list table of build 114 is filled without a null function.",
        why: "The runtime copies the functions of this table into the v-tables that applications call.",
        hint: "Fill D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 whole, with its own functions and those that did not change.",
    }

    U_RTBP_02 {
        id: "U-RTBP-02",
        level: Must,
        section: "D3D12RuntimeBypass.md: DDI Implementation",
        reading: "A function of build 114 finds the command list by the header's `pDriverObject`, wherever header and private memory lie.",
        why: "\"There is not a guarantee\" that one lies behind the other: the driver would record into memory that is not its own.",
        hint: "Read pDriverObject, as GetDriverCommandListHandle of the specification does; compute no address from another.",
    }

    U_RTBP_03 {
        id: "U-RTBP-03",
        level: Must,
        section: "D3D12RuntimeBypass.md: Modifiable V-Tables",
        reading: "`pfnSetPipelineState`, `pfnSetGraphicsRootSignature` and `pfnSetComputeRootSignature` of build 114 find their second object by its header too.",
        why: "The application passes its own objects, not the driver's.",
        hint: "Convert every argument of a D3D12DDI_API_H type.",
    }
}
