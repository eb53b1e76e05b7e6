//! P-PSO: compiling pipelines, and what holds for state objects alike.

rules! {
    P_PSO_01 {
        id: "P-PSO-01",
        level: Must,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB",
        reading: "When a compile succeeds, SetObjectValueKeys was called exactly once before the return, with this call's session.",
        why: "The list maps the pipeline to its values; without it the driver finds nothing, with two lists the host cannot tell which is right.",
        hint: "Collect the keys and make the call as the last step of every successful compile.",
    }

    P_PSO_02 {
        id: "P-PSO-02",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "Every key that SetObjectValueKeys names holds a value in the session by the time the compile returns.",
        why: "The driver is handed the values of these keys; one that is missing means compiling at run time.",
        hint: "Store first, and list the keys that you stored or found.",
    }

    P_PSO_03 {
        id: "P-PSO-03",
        level: Must,
        section: "Enumeration: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS",
        reading: "The value types that ValueTypeFlags names are stored, and no others; metadata, which \"the compiler may provide\", may be left out.",
        why: "A database is made for certain types; others bloat it or are missing from it.",
        hint: "Build the list of values to store from the flags.",
    }

    P_PSO_04 {
        id: "P-PSO-04",
        level: Must,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB",
        reading: "Each store has at least one value, every value a size that is not 0, one value for each type, and a key that is not null or empty.",
        why: "The callback refuses anything else, and the compile is lost.",
        hint: "Store a value of at least one byte for each type that is asked for, and none for the others.",
    }

    P_PSO_05 {
        id: "P-PSO-05",
        level: Must,
        section: "Callback Handle: D3D12DDI_HRTCOMPILERCACHESESSION",
        reading: "A compile uses its own session handle only, and no callback is made when no compile is in progress: not after the return, from no thread, and not in the calls that destroy.",
        why: "The session ends with the call; a late store writes into freed memory or into another session.",
        hint: "Wait for your worker threads before you return, and pass the handle down instead of keeping it.",
    }

    P_PSO_06 {
        id: "P-PSO-06",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "The same pipeline again, in a session that has its values, succeeds with the same keys and stores nothing new; DXGI_ERROR_ALREADY_EXISTS is not let through.",
        why: "Pipelines share shaders, so most compiles meet values that are there already.",
        hint: "Ask FindValue first, and take DXGI_ERROR_ALREADY_EXISTS from StoreValue as success.",
    }

    P_PSO_07 {
        id: "P-PSO-07",
        level: Must,
        section: "IHV Dependent Object Subdivision",
        reading: "Keys and object code are a pure function of the input: the same for a new compiler, open, thread or process, in another order, over a session with other values, at another time, at other addresses, with other bytes in the padding and between the structures, with one copy or several of what is equal, and whatever the folder, the environment, the user, the time zone and the locale are.",
        why: "The driver derives the same keys from the same description to find the values again, in another process on another machine.",
        hint: "Hash fields one by one, never raw structures or pointers; sort what comes out of hash tables; use no time, no random number and no function of the C library that follows the locale. Where a second process differs, the failure names what is different around it; on Linux the suite answers clock_gettime, gettimeofday and time itself, and gives that process another time.",
    }

    P_PSO_08 {
        id: "P-PSO-08",
        level: Must,
        section: "IHV Dependent Object Subdivision",
        reading: "Different object code never has one key, whatever it was compiled from and for which family, ABI version and application.",
        why: "A cache keeps the first value of a key, so everything that has the key later gets code that was made for something else.",
        hint: "Put every input that contributes to the code into the key, the target and the application's profile included.",
    }

    P_PSO_09 {
        id: "P-PSO-09",
        level: Should,
        section: "IHV Dependent Object Subdivision",
        reading: "Object code that several objects of a target have is stored under one key.",
        why: "Objects are divided so that what they share is stored once; a key of more than what the code depends on makes copies.",
        hint: "Put into the key of each part only what its code depends on: the state of the blender is no input of a vertex shader.",
    }

    P_PSO_10 {
        id: "P-PSO-10",
        level: Should,
        section: "IHV Dependent Object Subdivision",
        reading: "The keys of an object are smaller than its programs, and have no piece of a program in them.",
        why: "Applications save memory by naming objects instead of describing them, which a key as large as the description undoes.",
        hint: "Replace each program by a hash, such as the ShaderCodeHash that comes with it.",
    }

    P_PSO_11 {
        id: "P-PSO-11",
        level: Should,
        section: "IHV Dependent Object Subdivision",
        reading: "Object code is the same for all applications that have no profile, whatever their names and versions are.",
        why: "Values are compared between applications and versions of them; what binaries do not depend on must not be in them.",
        hint: "Store the application's version as METADATA, and let only a profile change the code.",
    }

    P_PSO_12 {
        id: "P-PSO-12",
        level: Must,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB",
        reading: "Each find has a key of at least one byte, at least one value, types that exist, and a buffer wherever it says that there is one.",
        why: "The host refuses anything else, and the value is compiled again.",
        hint: "For a size check leave pValue null and ValueSize 0; else pass a buffer of ValueSize bytes.",
    }

    P_PSO_13 {
        id: "P-PSO-13",
        level: Must,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB",
        reading: "When another thread stores the values between a find and the store, which is answered DXGI_ERROR_ALREADY_EXISTS, the compile succeeds with the same keys.",
        why: "Hosts compile in many threads over one database, and pipelines share shaders.",
        hint: "Take DXGI_ERROR_ALREADY_EXISTS from StoreValue as success, and name the key as if you had stored it.",
    }

    P_PSO_14 {
        id: "P-PSO-14",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "When a callback fails, the compile fails or makes up for it, no list names a key without a value, and the same compile succeeds afterwards.",
        why: "Disks fill and memory ends; a compile that claims to have succeeded leaves a hole in a database that nobody sees.",
        hint: "Return what the callback returned, set the keys last, and remember a value as stored only after StoreValue succeeded.",
    }

    P_PSO_15 {
        id: "P-PSO-15",
        level: Must,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB",
        reading: "Types of values that are asked for later, of an object that has others already, are added under the same keys, and object code does not depend on what else is asked for.",
        why: "Debug information and performance data are made for code that was compiled before.",
        hint: "Ask with FindValue for each type that is requested, and store those whose ValueSize is 0; leave the types out of the key.",
    }

    P_PSO_16 {
        id: "P-PSO-16",
        level: Ambiguous,
        section: "Enumeration: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS",
        reading: "A compile with no value types stores nothing, and either succeeds with the usual keys or fails without any.",
        why: "A tool may ask for the keys alone; whether it may is not stated, so either answer is good if it is whole.",
        hint: "Make the key list as always, and skip the stores.",
    }

    P_PSO_17 {
        id: "P-PSO-17",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "A shader program that its header gives away as malformed (another magic, impossible sizes, another stage) gets a failure, and no malformed program makes the plugin crash or read past the program.",
        why: "Shaders come from databases that anyone can write, into a service that compiles for everyone.",
        hint: "Check kind, word count and bitcode bounds against each other before you hand the bitcode on.",
    }

    P_PSO_18 {
        id: "P-PSO-18",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "Every kind of pipeline compiles that the caps offer: VS, VS and PS, GS, HS and DS, CS, MS, AS and MS, with null handles where a stage is absent; and for every ABI version a CS.",
        why: "An application uses them all; a kind that fails is compiled on the player's machine.",
        hint: "The failure names the shaders and what the compile returned: where it is a feature of a shader that the target lacks, the caps say so too (SHADER_MODELS, MeshShaderTier); otherwise derive the stages from the handles that are not null, as mesh pipelines have no vertex shader.",
    }

    P_PSO_19 {
        id: "P-PSO-19",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "Compile calls at the same time, with a compiler each or all with one, over a database each or all over one, give the keys and the object code that one thread gets.",
        why: "A cloud service compiles on all processors, and the tools do so unless they are told not to.",
        hint: "Keep what belongs to a call on its stack, and pass its session down instead of storing it.",
    }

    P_PSO_20 {
        id: "P-PSO-20",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "The pipeline description, and everything that it points to, is never written.",
        why: "It is const, and a host compiles one description in several threads.",
        hint: "Work on copies, for instance when you patch bitcode.",
    }

    P_PSO_21 {
        id: "P-PSO-21",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "A null description, of a pipeline, a state object or an addition, gets E_INVALIDARG.",
        why: "The parameter is not optional, and a plugin should survive a host's mistake.",
        hint: "Check the pointer first.",
    }

    P_PSO_22 {
        id: "P-PSO-22",
        level: Must,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB",
        reading: "What a compile stores is stored under keys that it names in SetObjectValueKeys.",
        why: "The driver receives the values of the named keys only; what no object names is dead weight in a database, and is removed from it.",
        hint: "Put the key of every StoreValue into the list, also of those parts that only some stages have.",
    }

    P_PSO_23 {
        id: "P-PSO-23",
        level: Must,
        section: "Enumeration: D3D12DDI_COMPILER_CACHE_VALUE_TYPE",
        reading: "Object code has no version of the compiler and no time of its build in it.",
        why: "Users compare the code of two versions byte for byte to see what changed.",
        hint: "Store them as METADATA.",
        untestable: "it takes two builds of the plugin to compare",
    }

    P_PSO_24 {
        id: "P-PSO-24",
        level: Ambiguous,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB",
        reading: "A compile call that fails for its program calls SetObjectValueKeys either not at all or once.",
        why: "The specification asks for one call before a compile returns, and does not say whether one that fails makes it, too.",
        hint: "Leave a compile that fails before the call, or make the call in one place only.",
    }
}
