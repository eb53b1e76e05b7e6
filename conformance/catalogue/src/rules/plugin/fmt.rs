//! P-FMT: what each target supports of each format.

rules! {
    P_FMT_01 {
        id: "P-FMT-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT",
        reading: "CheckFormatSupport gives S_OK and bits of D3D12DDI_FORMAT_SUPPORT for every DXGI_FORMAT and target, the same each time, and survives a value that is no format.",
        why: "A host asks for the formats of an application's pipelines, whatever they are.",
        hint: "Look the format up, and write 0 where you find none; do not use the value as an index.",
    }

    P_FMT_02 {
        id: "P-FMT-02",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT",
        reading: "A null pTarget or pFormatSupport gets E_INVALIDARG, and a target that the plugin does not report is refused.",
        why: "The parameters are not optional, and support of a target that does not exist means nothing.",
        hint: "Check both pointers, and look the target up.",
    }

    P_FMT_03 {
        id: "P-FMT-03",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT",
        reading: "Nothing is written but the UINT at pFormatSupport, and the target is only read.",
        why: "The memory behind it is the host's.",
        hint: "Write one 32-bit number.",
    }
}
