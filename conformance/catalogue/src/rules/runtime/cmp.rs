//! R-CMP: compilers.

rules! {
    R_CMP_01 {
        id: "R-CMP-01",
        level: Must,
        section: "Method ID3D12CompilerFactory::CreateCompiler",
        reading: "CreateCompiler returns S_OK and a compiler for a session of the same factory, several for one session too.",
        why: "Every compile begins with it.",
        hint: "Create the plugin's compiler for the session's target and application.",
    }

    R_CMP_02 {
        id: "R-CMP-02",
        level: Should,
        section: "Method ID3D12CompilerFactory::CreateCompiler",
        reading: "A null pCompilerCacheSession gets E_INVALIDARG, and no compiler.",
        why: "The parameter is not optional, and a runtime should survive its caller's mistake.",
        hint: "Check the pointer first.",
    }

    R_CMP_03 {
        id: "R-CMP-03",
        level: Must,
        section: "Struct: D3D12_COMPILER_TARGET",
        reading: "The plugin's compiler is created for the target and the application of the session, with the latest ABI version where the session's was given as 0.",
        why: "Code for another ABI version is of no use to the driver, and another application has another profile.",
        hint: "Pass on what the session has; replace an ABIVersion of 0.",
    }

    R_CMP_04 {
        id: "R-CMP-04",
        level: Must,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "CompilePipelineState returns S_OK for a compute and for a graphics pipeline, and by then the group is stored under the given key and version and the object code of its values is in the session.",
        why: "The next thing that a build does may be to close the session.",
        hint: "Store the group after the plugin has returned, with the keys that it set.",
    }

    R_CMP_05 {
        id: "R-CMP-05",
        level: Must,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "Of the value types that the plugin makes, exactly those of the session are asked for and stored.",
        why: "A database for PDBs stays empty when nobody asks the plugin for them.",
        hint: "Pass the types of the session's paths to the plugin as ValueTypeFlags.",
    }

    R_CMP_06 {
        id: "R-CMP-06",
        level: Must,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "A compile call for a group key that is present in the session fails, whatever the version, and the group stays as it was; so do CompileStateObject and CompileAddToStateObject.",
        why: "One key stands for one state object, in one version.",
        hint: "Look for the group before you call the plugin.",
    }

    R_CMP_07 {
        id: "R-CMP-07",
        level: Should,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "The code for a group that is present is DXGI_ERROR_ALREADY_EXISTS.",
        why: "The specification names no code here; it is the one that StoreValue has for the same case.",
        hint: "Return the code of StoreValue.",
    }

    R_CMP_08 {
        id: "R-CMP-08",
        level: Must,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "A compile call that fails, as for a description that no pipeline can have, stores no group, and the same key can be used again.",
        why: "A group is what says that a state object was compiled.",
        hint: "Store the group last.",
    }

    R_CMP_09 {
        id: "R-CMP-09",
        level: Should,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "A null group key and a null description get E_INVALIDARG.",
        why: "Neither is optional, and a runtime should survive its caller's mistake.",
        hint: "Check the pointers first.",
    }

    R_CMP_10 {
        id: "R-CMP-10",
        level: Must,
        section: "Method ID3D12Compiler::CompileStateObject",
        reading: "CompileStateObject returns S_OK and a state object, and by then the group is stored under the given key and version and the object code of its values is in the session.",
        why: "Raytracing and work graphs are compiled by it.",
        hint: "Keep the description alive for the plugin as long as the state object lives.",
    }

    R_CMP_11 {
        id: "R-CMP-11",
        level: Must,
        section: "Method ID3D12Compiler::CompileAddToStateObject",
        reading: "CompileAddToStateObject grows a new state object from one that was compiled, and from one that was grown, and stores a group for each.",
        why: "Engines add shaders to a raytracing pipeline as they are needed.",
        hint: "The new object holds its parent, for the plugin reads the parent's description.",
    }

    R_CMP_12 {
        id: "R-CMP-12",
        level: Should,
        section: "Method ID3D12Compiler::CompileStateObject",
        reading: "A collection is compiled as other state objects are, and a state object that names it in a D3D12_COMPILER_EXISTING_COLLECTION_DESC (subobject type 33) is too.",
        why: "The specification does not describe existing collections; d3d12compiler.h has them so, as the subobject of the device API is for objects of a device.",
        hint: "The plugin gets its own handle of the collection, which the new object keeps.",
    }

    R_CMP_13 {
        id: "R-CMP-13",
        level: Should,
        section: "Method ID3D12Compiler::CompileStateObject",
        reading: "An existing collection that is null gets E_INVALIDARG, and so does one that is given by its key (subobject type 36), which is for state object databases only.",
        why: "A state object without a part that its description names is another one.",
        hint: "Check the pointers of subobjects too, and refuse what you do not know.",
    }

    R_CMP_14 {
        id: "R-CMP-14",
        level: Should,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "A compiler that has ID3D12Compiler1 stores one group for each key of CompilePipelineState1, CompileStateObject1 and CompileAddToStateObject1, each under its own version and with the same value keys.",
        why: "Databases have one description under several keys; it is compiled once.",
        hint: "Call the plugin once, then store the groups.",
    }

    R_CMP_15 {
        id: "R-CMP-15",
        level: Should,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "Where one of several group keys is present in the session, each of the three calls of ID3D12Compiler1 fails and stores none of the others.",
        why: "The same holds for a call with one key; a caller that gets a failure takes nothing as stored.",
        hint: "Look for all groups before you call the plugin.",
    }

    R_CMP_16 {
        id: "R-CMP-16",
        level: Must,
        section: "Microsoft Compiler Runtime",
        reading: "CompilePipelineState fails for a description that no device takes, and the plugin is not called: a stream of wrong records, stages that do not go together, a program that is broken or of another stage, an input without an element, enumerators that do not exist, counts beyond their limits.",
        why: "Plugins read what they are given without checking it again, as drivers do behind the D3D12 runtime.",
        hint: "Check the description before you translate it; docs/runtime-validation.md has a list.",
    }
}
