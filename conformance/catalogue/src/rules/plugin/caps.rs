//! P-CAPS: what each target can do, as `pfnGetCaps` says.

rules! {
    P_CAPS_01 {
        id: "P-CAPS-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "D3D12DDICAPS_TYPE_SHADER is answered for every target: S_OK, the whole structure of the selected DDI version, values of their enumerations, the same each time.",
        why: "A host decides by the caps which shaders it offers to compile, and stores nothing of what it does not offer.",
        hint: "Fill a zeroed structure and copy it whole; keep the answers in a constant table for each family.",
    }

    P_CAPS_02 {
        id: "P-CAPS-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "D3D12DDICAPS_TYPE_D3D12_OPTIONS is answered for every target: S_OK, the whole structure of the selected DDI version, values of their enumerations, the same each time.",
        why: "It has the tiers of raytracing, mesh shaders and resource binding, without which a host compiles none of them.",
        hint: "The tiers of resource binding and of resource heaps have no value 0; set every member of the structure of build 0089.",
    }

    P_CAPS_03 {
        id: "P-CAPS-03",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "Every D3D12DDICAPS_TYPE_OPTIONS_* up to the selected DDI version is answered for every target: S_OK, the whole structure, values of their enumerations, the same each time.",
        why: "The specification lists them by a pattern; a host asks for each, work graphs among them.",
        hint: "They are OPTIONS_0090, 0091, 0093, 0098, 0101, 0102, 0109, 0110 and OPTIONS1_0103; ExecuteIndirectTier has no value 0.",
    }

    P_CAPS_04 {
        id: "P-CAPS-04",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110 is answered for every target: S_OK, the whole structure, the same each time.",
        why: "It is on the list of what a host may ask for.",
        hint: "Answer it also for targets without shader model 6.8: both members are FALSE there.",
    }

    P_CAPS_05 {
        id: "P-CAPS-05",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "Nothing is written but the DataSize bytes at pData, whatever DataSize is, and pCaps, the target and the application are only read.",
        why: "DataSize is all that the plugin knows of the host's memory, and the arguments are const.",
        hint: "Compare DataSize with the structure before you touch pData.",
    }

    P_CAPS_06 {
        id: "P-CAPS-06",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "Applications that no vendor knows get the same capabilities.",
        why: "The application should not typically be used, and then for a specific one with known issues.",
        hint: "Change an answer for an application only where its names match one of your list.",
    }

    P_CAPS_07 {
        id: "P-CAPS-07",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "Caps, format support and quality levels of a family are those that the user-mode driver of its adapters reports.",
        why: "What is compiled for other caps than the adapter has does not run on it.",
        hint: "Build driver and plugin from one table.",
        untestable: "it takes the drivers of the family's adapters to compare",
    }

    P_CAPS_20 {
        id: "P-CAPS-20",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "A null pointer gets E_INVALIDARG; a DataSize that is no structure's, a cap type that does not exist and a target that the plugin does not report are refused, and nothing is written.",
        why: "A host that is newer or mistaken must not take what it left in its memory for an answer.",
        hint: "Check the pointers, the target, the type and the size in this order, and write last.",
    }

    P_CAPS_21 {
        id: "P-CAPS-21",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "D3D12DDICAPS_TYPE_0011_SHADER_MODELS is answered for every target: a null array gets S_OK and the count, at least 1; an array of that size, or a larger one, S_OK, the true count and every model once; a smaller one is not overrun.",
        why: "The cap has pointers to a count and an array of its own, which DataSize says nothing about.",
        hint: "Write the count first, then as many models as there is room for, all of them enumerators of D3D12DDI_SHADER_MODEL.",
    }

    P_CAPS_22 {
        id: "P-CAPS-22",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1 is answered for every target, never above the level that the runtime says it supports, and with the target's own level where the runtime has that.",
        why: "A runtime does not know levels above its own; one below what both have takes features from the application.",
        hint: "Read HighestRuntimeSupportedFeatureLevel, and answer the smaller of that and your own highest level.",
    }

    P_CAPS_23 {
        id: "P-CAPS-23",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_GET_CAPS",
        reading: "The capabilities of a target fit together: a BOOL is TRUE or FALSE, wave sizes are powers of two from 4 to 128, and a feature comes with the shader model that it needs.",
        why: "No driver reports such caps, so they match no driver's.",
        hint: "The failure names the members; mesh shaders, sampler feedback and raytracing tier 1.1 need shader model 6.5, raytracing 6.3, native 16-bit operations 6.2, barycentrics 6.1, work graphs 6.8.",
    }
}
