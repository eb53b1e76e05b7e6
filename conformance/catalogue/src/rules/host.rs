//! The rules of hosts: H.

rules! {
    H_01 {
        id: "H-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "The size query for the versions comes as 0 entries and a null array, and the array that follows has room for the number that was answered.",
        why: "A plugin may know no other way of being asked.",
        hint: "Ask for the size, allocate, and ask again with that size.",
    }

    H_02 {
        id: "H-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION",
        reading: "One of the reported versions is selected, with the usermode DDI version that belongs to it, before the first FillDDITable.",
        why: "The selection decides what tables and structures look like.",
        hint: "Choose the newest version that both sides know, and keep the pairs of versions in one table.",
    }

    H_03 {
        id: "H-03",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "The CACHE callback table, at its size and with all three entries, is set before any compiler is created.",
        why: "A plugin calls the entries without a check.",
        hint: "Set the table when the plugin is opened.",
    }

    H_04 {
        id: "H-04",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_COMPILER",
        reading: "Handles are those of living objects: none is used after its destroy or after a create that failed, none is destroyed twice, and a compiler is destroyed after its state objects and before its open.",
        why: "A handle is a pointer that the plugin follows.",
        hint: "Let each object hold the one that it was made with, and forget the handle of a create that fails.",
    }

    H_05 {
        id: "H-05",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE",
        reading: "The private memory of a compiler or state object has the size that was calculated for the same arguments, and is the plugin's alone until the destroy.",
        why: "The plugin builds its object in it.",
        hint: "Calculate for every object, allocate that much, and put nothing of your own into it.",
    }

    H_06 {
        id: "H-06",
        level: Must,
        section: "Struct: D3D12DDI_COMPILER_TARGET",
        reading: "A target names a family that the plugin enumerates and one of its ABI versions, never 0.",
        why: "The API's 0 for the latest version has no meaning to a plugin.",
        hint: "Resolve and check the caller's target before the plugin is called.",
    }

    H_07 {
        id: "H-07",
        level: Must,
        section: "Struct: D3D12DDI_APPLICATION_DESC",
        reading: "An application has an executable and a name, which are not null and end with a NUL.",
        why: "Plugins compare them with the names in their profiles.",
        hint: "Refuse an application without them at the API.",
    }

    H_08 {
        id: "H-08",
        level: Must,
        section: "Enumeration: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS",
        reading: "ValueTypeFlags has no bit that is not a value type.",
        why: "A plugin may refuse what it does not know.",
        hint: "Mask what the caller gave, or refuse it.",
    }

    H_09 {
        id: "H-09",
        level: Must,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB",
        reading: "A compile call has a session handle of its own, whose callbacks answer as specified, for one value and for several: the size check, the buffer that fits and the one that does not, the allocation, E_INVALIDARG for no values, a failure for a value of size 0 and for two of one type, DXGI_ERROR_ALREADY_EXISTS and DXGI_ERROR_NOT_FOUND.",
        why: "A plugin stores nothing that a wrong answer made it believe is there.",
        hint: "Test the callbacks as the API's cache session is tested; the rules are the same.",
    }

    H_10 {
        id: "H-10",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "The description of a state object, with all that it leads to, stays where it is and as it is until the state object and all that grew from it are destroyed, and a parent or an existing collection is destroyed after what was made with it.",
        why: "A plugin keeps pointers into it, as the specification lets it.",
        hint: "Copy the description, names, programs and root signatures included, into memory of the state object, and let it hold its parent and its collections.",
    }

    H_11 {
        id: "H-11",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_DDI",
        reading: "No function of an open's tables is called after its DestroyCompilerDDI.",
        why: "The tables and what is behind them are gone.",
        hint: "Destroy the open when the last object that uses its tables is gone.",
    }

    H_12 {
        id: "H-12",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "A null array comes with a count of 0.",
        why: "The specification tells plugins that it does; one may check.",
        hint: "Set the count to 0 before the size query.",
    }

    H_13 {
        id: "H-13",
        level: Ambiguous,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB",
        reading: "A find whose key has other types than the requested ones gets either DXGI_ERROR_NOT_FOUND, or S_OK and a ValueSize of 0, the same in every way to ask; the allocation callback is not called.",
        why: "DXGI_ERROR_NOT_FOUND means that no value with the key is cached, but a size check asks for a type: a plugin that looks at the code only, or at ValueSize only, works with one of the readings.",
        hint: "Decide by the requested types, not by the key; a plugin checks the code and ValueSize.",
    }

    H_14 {
        id: "H-14",
        level: Should,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB",
        reading: "A find whose key has one of the requested types and lacks another gets S_OK, and the ValueSize of the type that is not cached is 0.",
        why: "The specification says of a cached type that its ValueSize is non-zero; a plugin asks for several at once to learn which it must make.",
        hint: "Return DXGI_ERROR_NOT_FOUND only when the key has none of the types.",
    }

    H_15 {
        id: "H-15",
        level: Should,
        section: "Callback Handle: D3D12DDI_HRTCOMPILERCACHESESSION",
        reading: "A callback with a null session handle, or with that of a compile call that is over, gets E_INVALIDARG.",
        why: "A handle is valid for a single compile call, and a plugin that keeps one should learn of it before it corrupts another call.",
        hint: "Look handles up instead of following them, and give a number only once.",
    }

    H_16 {
        id: "H-16",
        level: Should,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB",
        reading: "A second list of value keys in one compile call is refused, and the group has the keys of the first.",
        why: "A plugin calls it once; the values of a list that was replaced would be in no group.",
        hint: "Keep the list with the session of the call, and refuse another.",
    }

    H_17 {
        id: "H-17",
        level: Should,
        section: "Cache Session Callbacks",
        reading: "Null and empty keys, null arrays, a null value or buffer that has a size, no entries to find and types that do not exist get E_INVALIDARG, and a store that is refused stores nothing.",
        why: "The specification does not say it; a host should survive its plugin's mistake.",
        hint: "Check every argument before the first is used.",
    }

    H_18 {
        id: "H-18",
        level: Should,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB",
        reading: "With an allocation callback and a ValueSize of 0 memory is allocated for a null pValue, too.",
        why: "The specification has pValue not null there, but there is no buffer yet for it to point at, and its own example for the API passes null.",
        hint: "Allocate whenever ValueSize is 0 and there is a callback, whatever pValue is.",
    }

    H_19 {
        id: "H-19",
        level: Must,
        section: "Struct: D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE",
        reading: "A store, whatever it returns, leaves the plugin's key and values as they are.",
        why: "They are the plugin's, which may share them with other calls or have them in memory that cannot be written.",
        hint: "Copy a value before you compress or encrypt it.",
    }

    H_20 {
        id: "H-20",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "The description of a pipeline says what the application's says: its programs and no others, its root signature, and each value of its fixed-function state, formats, samples, topology, view instances, flags and node mask.",
        why: "Code for another pipeline draws something else, or its key is one that the driver never looks for.",
        hint: "The report names the field; compare your translation of it with the API's structure, member by member.",
    }

    H_21 {
        id: "H-21",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "The description of a state object or of an addition says what the application's says: its type, its libraries with their exports, its configs, root signatures and work graphs.",
        why: "Code for another state object does something else, or its key is one that the driver never looks for.",
        hint: "The report names the field, without the place of its subobject, which a host may choose; compare your translation with the API's structure.",
    }

    H_22 {
        id: "H-22",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "The ShaderCodeHash of one program is always the same, and those of two programs differ.",
        why: "The specification does not describe it; a plugin or a driver that uses it as a key takes one program for the other.",
        hint: "Pass the hash of the container, or another one of the whole program.",
    }
}
