//! R-GRP: groups of values.

rules! {
    R_GRP_01 {
        id: "R-GRP-01",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindGroup",
        reading: "A group that exists gets S_OK and its version, or S_OK alone where pGroupVersion is null.",
        why: "The version decides whether the cached binaries are those of the state object.",
        hint: "Write the version only when the pointer is not null.",
    }

    R_GRP_02 {
        id: "R-GRP-02",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindGroup",
        reading: "A group that does not exist gets DXGI_ERROR_NOT_FOUND from FindGroup, FindGroupValueKeys and FindGroupValues, and no callback is called.",
        why: "Build systems decide by it what has to be compiled.",
        hint: "Compare keys by size and bytes: a prefix of a key is another key.",
    }

    R_GRP_03 {
        id: "R-GRP-03",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValueKeys",
        reading: "The callback is called once for each value key of the group, with that key and the caller's context.",
        why: "A key that is left out is a part of the state object that is not shipped.",
        hint: "Keep the key's bytes valid until the callback returns.",
    }

    R_GRP_04 {
        id: "R-GRP-04",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValueKeys",
        reading: "An expected version that is not the group's gets DXGI_ERROR_NOT_FOUND from FindGroupValueKeys and FindGroupValues without a callback, and the group's own version gets S_OK.",
        why: "Binaries of an older state object must not be used for the newer one.",
        hint: "Compare the version before anything is read.",
    }

    R_GRP_05 {
        id: "R-GRP-05",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValueKeys",
        reading: "Without a callback FindGroupValueKeys returns S_OK for a group that exists, whether its values do or not.",
        why: "This is the cheap way to ask whether a state object was compiled.",
        hint: "A null callback is not an error, whatever the header's annotation says.",
    }

    R_GRP_06 {
        id: "R-GRP-06",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValues",
        reading: "The callback is called once for each value of the requested types, with the context, the value, and the place of its key among those of FindGroupValueKeys; the types of one key come together.",
        why: "The index is all that says which values belong together.",
        hint: "Count keys, not values.",
    }

    R_GRP_07 {
        id: "R-GRP-07",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValues",
        reading: "Values of types that are not in ValueTypeFlags are not passed to the callback.",
        why: "The flags are there so that large values are not read for nothing.",
        hint: "Test the flag of each type before you read the value.",
    }

    R_GRP_08 {
        id: "R-GRP-08",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValues",
        reading: "Without a callback FindGroupValues returns S_OK for a group whose values are cached, and fails for one whose values are not (DXGI_ERROR_NOT_FOUND is best).",
        why: "This is how a build system learns that nothing is left to compile.",
        hint: "Look every value key up; that the group exists is not enough.",
    }

    R_GRP_09 {
        id: "R-GRP-09",
        level: Must,
        section: "ID3D12CompilerCacheSession::StoreGroupValueKeys",
        reading: "StoreGroupValueKeys returns S_OK for keys of values that are not in the database.",
        why: "Groups and values may be stored in any order.",
        hint: "Do not look the value keys up.",
    }

    R_GRP_10 {
        id: "R-GRP-10",
        level: Must,
        section: "ID3D12CompilerCacheSession::StoreGroupValueKeys",
        reading: "A second group with a key that is taken is refused, whether its version is the same or another, and the first one stays.",
        why: "One key stands for one state object, in one version.",
        hint: "Look for the key, not for the key and the version.",
    }

    R_GRP_11 {
        id: "R-GRP-11",
        level: Should,
        section: "ID3D12CompilerCacheSession::StoreGroupValueKeys",
        reading: "The code for a group key that is taken is DXGI_ERROR_ALREADY_EXISTS.",
        why: "The specification names no code here; it is the one that StoreValue has for the same case.",
        hint: "Return the code of StoreValue.",
    }

    R_GRP_12 {
        id: "R-GRP-12",
        level: Should,
        section: "Struct: D3D12_COMPILER_CACHE_GROUP_KEY",
        reading: "A null group key, and a group key of size 0, get E_INVALIDARG, and so does a null pValueKeys with a NumValueKeys that is not 0.",
        why: "None of them identifies anything, and a runtime should survive its caller's mistake.",
        hint: "Check the pointers and the size first.",
    }
}
