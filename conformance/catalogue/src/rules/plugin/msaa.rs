//! P-MSAA: how many samples of each format a target supports.

rules! {
    P_MSAA_01 {
        id: "P-MSAA-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS",
        reading: "CheckMultisampleQualityLevels returns TRUE or FALSE and no other number, the same each time; one sample at level 0 is TRUE for a render target, and FALSE is what a number of samples that no device has and a value that is no format get.",
        why: "The device's function of that name returns a number of levels; a host compares this one with TRUE.",
        hint: "Return `level < levels ? TRUE : FALSE`, where 1, 2, 4, 8, 16 and 32 samples may have levels.",
    }

    P_MSAA_02 {
        id: "P-MSAA-02",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS",
        reading: "A format whose support has MULTISAMPLE_RENDERTARGET has more than one sample at level 0, and below a quality level that is TRUE every level is TRUE.",
        why: "The driver counts the levels of a format from 0, and says the same of it in both functions.",
        hint: "Answer both functions from one table.",
    }

    P_MSAA_03 {
        id: "P-MSAA-03",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS",
        reading: "A null pTarget, and a target that the plugin does not report, get FALSE.",
        why: "The function has no other way to refuse them.",
        hint: "Check the pointer, and look the target up.",
    }
}
