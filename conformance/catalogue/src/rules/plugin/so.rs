//! P-SO: state objects.

rules! {
    P_SO_01 {
        id: "P-SO-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE",
        reading: "CalcPrivateStateObjectSize and CalcPrivateAddToStateObjectSize give the same size for the same input, and from its creation to its destruction only that many bytes of a state object are written, whatever they held before.",
        why: "The host allocates exactly that much and clears nothing; what lies beside it is another state object.",
        hint: "Calculate the size of what you construct, for additions too, and construct the object instead of assuming zeros.",
    }

    P_SO_03 {
        id: "P-SO-03",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT",
        reading: "What is made from a state object, an addition or a pipeline with a collection, is the same whichever other state objects live, whichever had its address before, and however much was made from it already.",
        why: "Hosts keep many state objects, reuse memory, and grow several objects from one.",
        hint: "Keep a state object's state in its private memory: not in a table by address that outlives it, and not with what was made last.",
    }

    P_SO_04 {
        id: "P-SO-04",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "The description of a state object or an addition is used until DestroyStateObject and no longer, and one that only a size was calculated for, or whose compile failed, until that call returns.",
        why: "Its lifetime is promised with its state object; then the host frees it.",
        hint: "Drop every pointer into a description in DestroyStateObject and where a compile fails, and keep none where you calculate a size.",
    }

    P_SO_06 {
        id: "P-SO-06",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT",
        reading: "DestroyStateObject leaves the memory to the host, nothing touches it afterwards, and what it was made from and what was made from the same go on as before, whichever is destroyed first.",
        why: "The host frees or reuses the block at once, and applications drop additions in any order.",
        hint: "Run the object's destructor, free nothing of the block, and unregister the object from its parent.",
    }

    P_SO_07 {
        id: "P-SO-07",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "Every kind of state object compiles that the caps offer: raytracing pipelines, collections, pipelines with collections, additions to pipelines and to additions, generic programs, work graphs.",
        why: "An application uses them all; a kind that fails is compiled on the player's machine.",
        hint: "Where a feature is missing, say so in the caps: RaytracingTier, WorkGraphsTier, and for generic programs a newest shader model before 6.8.",
    }

    P_SO_08 {
        id: "P-SO-08",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "The description of a state object or an addition, everything that it points to, and the descriptions of what it is made from are never written.",
        why: "They are const, the descriptions of several objects, and the host reads them again for each addition.",
        hint: "Work on copies, for instance when you sort exports or patch bitcode.",
    }

    P_SO_09 {
        id: "P-SO-09",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT",
        reading: "State objects that are compiled and destroyed at the same time, also from one parent or collection, give the keys and the object code that one thread gets.",
        why: "A service makes the additions of one pipeline on all processors, and drops each when it is stored.",
        hint: "Change nothing in a parent while you add to it, or take a lock for that; and keep what belongs to a call on its stack.",
    }
}
