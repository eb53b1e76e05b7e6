//! The plugin DDI in ShaderCompilerPlugin.md, read sentence by sentence: what obliges somebody, and the rules that
//! test it. `docs/rules.md` shows it.
//!
//! A row is `"words" [RULES];`, then what makes the sentence ambiguous, then what no rule tests, and why:
//! `unclear "…" because Unseen "…"`. The words are a quotation, at most 12 of them; `…` leaves some out.

use crate::{Rule, rules};

/// A section, by its heading.
pub(crate) struct Section {
    pub(crate) heading: &'static str,
    pub(crate) sentences: &'static [Sentence],
}

/// A sentence that obliges somebody, or a declaration that does.
pub(crate) struct Sentence {
    pub(crate) words: &'static str,
    pub(crate) rules: &'static [Rule],
    /// Why it can be read in more than one way.
    pub(crate) unclear: Option<&'static str>,
    /// What no rule tests, and why.
    pub(crate) gap: Option<(Gap, &'static str)>,
}

/// Why no rule tests a sentence, or a part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    Permits,
    Others,
    Unseen,
}

impl Gap {
    pub(crate) const ALL: [Self; 3] = [Self::Permits, Self::Others, Self::Unseen];

    /// As the page says it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Permits => "permits",
            Self::Others => "obliges others",
            Self::Unseen => "not to be seen",
        }
    }

    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Permits => "it allows or describes something, and nothing can break it",
            Self::Others => {
                "it obliges somebody whom the suite does not test: who designs the DDI, a vendor's releases, a store, \
                 a client, an application"
            }
            Self::Unseen => "no test can decide it from outside",
        }
    }
}

macro_rules! sections {
    ($($heading:literal {
        $($words:literal [$($rule:ident)*] $(unclear $unclear:literal)? $(because $gap:ident $why:literal)?;)*
    })*) => {
        &[$(Section {
            heading: $heading,
            sentences: &[$(Sentence {
                words: $words,
                rules: &[$(rules::$rule),*],
                unclear: sections!(option $($unclear)?),
                gap: sections!(option $((Gap::$gap, $why))?),
            }),*],
        }),*]
    };
    (option) => { None };
    (option $some:expr) => { Some($some) };
}

/// Every section on the plugin and its DDI, in the order of the text.
pub(crate) const SECTIONS: &[Section] = sections! {
    "Compiler Availability" {
        "IHVs should ship their compilers via their websites" []
            because Others "where a vendor publishes its plugin";
    }
    "IHV Compiler Plugin" {
        "supplies a Compiler Plugin DDI that IHVs implement" [P_OPEN_01 P_TBL_01 P_TBL_02];
    }
    "Driver Independent Plugin" {
        "must be usable without a hardware adapter present" [P_OPEN_05 P_SO_07 P_PSO_18];
        "may not currently have a firm versioning boundary" []
            because Permits "it says how things were";
        "any driver revision results in invalidated shader caches" []
            because Permits "it says how things were";
        "evolve compilers toward being an independent versioned component" []
            because Others "an aim of a vendor's releases";
        "nothing will prevent implementing the plugin DDI with the usermode DDI" []
            because Permits "one library may have both";
        "it must not require being installed or having an adapter present" [P_OPEN_05];
    }
    "Plugin DDI Versioning" {
        "will consist of 4 16bit parts packed into a UINT64 number" [P_VER_06];
        "The plugin reports the list of compiler plugin versions it supports" [P_VER_01 P_VER_02];
        "selects one of these and reports that version to the driver" [H_02];
    }
    "Shared Concepts with Runtime" {
        "must be first introduced in the D3D12 runtime" []
            because Others "the order in which Microsoft designs";
        "has exactly one usermode DDI version associated with it" [P_VER_07 H_02]
            unclear "no public text says which one";
        "will set this version to the driver along with the plugin version" [H_02];
        "must only report plugin DDI versions when they can support" [P_VER_07];
        "must introduce a new plugin DDI version" []
            because Others "who designs the DDI";
    }
    "Package Version" {
        "updates anytime anything in the compiler package changes" []
            because Others "a vendor's packages: no call of the DDI has the number";
        "will be shared with any services running the compile" []
            because Others "stores and their services";
    }
    "Adapter Families" {
        "a string identifier to indicate a grouping of adapters" [P_FAM_03 P_FAM_07];
        "per adapter family that's rev'd with changes impacting that adapter family" [P_CVER_01 P_CVER_03];
        "The plugin can also support a range of ABI versions" [P_ABI_01 P_ABI_02];
        "A newer compiler version can target an older ABI" [P_CMP_03];
    }
    "Adapter Family Compiler Version" {
        "reports a single compiler version per adapter family" [P_CVER_01];
        "a four part version as Major.Minor.Build.Revision" [P_CVER_02];
        "application targeted changes should rev the" [P_PROF_06];
        "the ABI version should also be rev'd" []
            because Unseen "it takes two builds of the plugin, and the drivers of both";
        "The version scheme should indicate the severity of the change" [P_CVER_03];
        "Major/Minor version change … Build for … Revision for less" [P_CVER_03];
    }
    "Adapter Family ABI Version" {
        "an ABI version that can rev when there are breaking changes" []
            because Unseen "it takes two builds of the plugin, and the drivers of both";
        "IHVs assign each adapter to a family and report" [U_ABI_01 U_ABI_02];
        "also enumerate which ABI Versions are supported by an adapter family" [P_ABI_01 P_ABI_02];
        "allows for deprecating support for some of the adapters" []
            because Permits "a vendor may";
    }
    "Application Profile Version" {
        "can be communicated without versioning the compiler" [P_PROF_06];
    }
    "Capability Checks" {
        "queries certain caps to facilitate processing API state object descriptions" []
            unclear "which caps, and what follows from them"
            because Permits "a host may ask for what it needs";
        "re-use DDI structures to support common implementation" []
            because Permits "it says where the structures come from";
        "dictates which version of these structures and behavior to use" [P_VER_07 P_CAPS_01 P_CAPS_02 P_CAPS_03];
    }
    "IHV Dependent Object Subdivision" {
        "may sub-divide DDI objects" [P_PSO_09];
        "responsible for generating value keys from the inputs that contribute" [P_PSO_07 P_PSO_08 P_PSO_09];
        "may also checks for previously compiled duplicates" [P_PSO_06];
        "derives the same keys for looking up all values" [U_ABI_05];
        "provides the list of keys and values associated with the object" []
            because Others "the D3D12 runtime, when an object is created";
        "driver key generation is expected to reduce desc" [P_PSO_10];
        "must not use this every time or it defeats" []
            because Others "a driver's rate of callbacks, when an object is created";
        "may be directly compared with previous compiler version output" [P_PSO_08 P_PSO_23];
        "should refrain from storing additional data in the same value buffer" [P_PSO_07 P_PSO_11 P_PSO_23];
        "can instead store compiler metadata for each compiler output" [P_PSO_03];
        "storing compiler version or application version information" [P_PSO_11 P_PSO_23];
    }
    "Example Cache Update Flow" {
        "driver ABI version range is used check for compiler updates" []
            because Others "a client and its server";
    }
    "Microsoft Compiler Runtime" {
        "validates API state objects and translates them into DDI representations" [R_CMP_04 R_CMP_08 R_CMP_10 R_CMP_16 H_20 H_21];
        "shared with the D3D12 runtime" []
            because Others "how Microsoft builds its runtime";
        "is expected to decompose this object, compile, and store" [P_PSO_02 P_PSO_03];
        "finally sets the list of values associated with the input object" [P_PSO_01 P_PSO_02];
        "stores this list of values as a value group" [R_CMP_04 R_CMP_10 R_CMP_11];
    }
    "Storing Compiled Objects" {
        "Metadata about the target application and adapter family" [R_SES_08];
        "Compiled objects produced by the IHV compiler plugin are stored" [R_CMP_04 R_CMP_10];
        "A single PSO or SO compilation produces multiple values" []
            because Permits "a plugin may store one";
        "has a single value group that maps all of the values" [P_PSO_22 R_CMP_04];
        "Values may appear in more than one group" [P_PSO_09];
    }
    "Offline Compile AddToStateObject" {
        "so the compiler API and state object database continues to support both" [P_SO_07 R_CMP_11];
    }
    "Application Identity Metadata" {
        "offline compilers are not run in the the applications process" [P_PSO_07];
        "game store services are expected to supply this information" []
            because Others "stores";
        "metadata passed to the store is shared with the compiler" [R_CMP_03];
        "it acquires this information … and shares it with the driver" []
            because Others "the D3D12 runtime and its drivers, when a title runs";
        "Matching Application information must be stored in each" []
            because Others "applications, and the tools that capture them";
    }
    "Plugin DDI" {}
    "Open/Version Compiler DDI" {
        "used to open the compiler DDI and negotiate versions" [P_OPEN_02 P_OPEN_03];
    }
    "Handle: D3D12DDI_HCOMPILERDDI" {
        "created when opening the plugin DDI" [P_OPEN_02];
        "This object negotiates the DDI version" [P_OPEN_06];
        "any objects or function tables … are no longer used" [H_04 H_11];
    }
    "Callback Handle: D3D12DDI_HRTCOMPILERDDI" {
        "May be used for future callbacks" []
            because Permits "no callback takes the handle";
    }
    "Struct: D3D12DDIARG_COMPILER_OPEN_DDI" {
        "in: Runtime handle" [P_OPEN_10];
        "out: Plugin handle" [P_OPEN_02 P_OPEN_09];
        "out: Plugin function table" [P_OPEN_02 P_OPEN_09 P_OPEN_11]
            unclear "the plugin fills the host's table, or the pointer comes to a table of its own";
        "allocated by plugin during PFND3D12DDI_COMPILER_OPEN_DDI" [P_OPEN_02 P_OPEN_06];
        "Functions for version negotiation and retrieving additional tables" [P_OPEN_03];
    }
    "Function: PFND3D12DDI_COMPILER_OPEN_DDI" {
        "IHVs export this from plugin DLLs as \"D3D12OpenCompilerDDI\"" [P_OPEN_01];
        "Opens the compiler DDI and retrieves the initial DDI table" [P_OPEN_02];
        "_Inout_ D3D12DDIARG_COMPILER_OPEN_DDI* pOpenDDIArg" [P_OPEN_04 P_OPEN_09];
    }
    "Versioning and Function Retrieval" {
        "A basic set of functions is retrieved during opening" [P_OPEN_03];
    }
    "Struct: D3D12DDI_COMPILER_DDI_FUNCS" {
        "The function table retrieved during plugin DDI open" [P_OPEN_03];
    }
    "Function: PFND3D12DDI_COMPILER_DESTROY_DDI" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "Destroys the compiler DDI object" [P_OPEN_06 P_OPEN_07 P_OPEN_08];
        "Any function tables retrieved from the DDI are now invalid" [H_11];
    }
    "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS" {
        "_Inout_ UINT32* puEntries" [P_VER_05 P_VER_10];
        "_Out_writes_opt_( *puEntries ) UINT64* pSupportedPluginDDIVersions" [P_VER_02 P_VER_03 P_VER_04];
        "only necessary to expose a new DDI version" []
            because Others "when a vendor makes a new version";
        "is assigned a single D3D12 Usermode DDI version at design time" [P_VER_07 H_02];
        "Usermode DDI version is set at runtime during" [H_02];
        "calls the plugin to retrieve a list of the supported DDI versions" [H_01];
        "assign the size of the supported versions array to *puEntries" [P_VER_01 P_VER_02 P_VER_03 P_VER_10];
        "*puEntries initially set to zero and SupportedPluginDDIVersions set to nullptr" [P_VER_01 H_01];
        "*puEntries will be the size of the SupportedPluginDDIVersions" [P_VER_02 H_01];
        "Plugin copies the version list into this array" [P_VER_02 P_VER_04];
    }
    "Function: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION" {
        "Sets the DDI version that the State Object Compiler runtime selects" [P_VER_07 H_02];
        "typically picks the latest version supported by both" []
            because Permits "\"typically\": a host may take an older one";
        "selected from the list reported by the plugin" [P_VER_08 H_02];
        "dictates which version of function tables and behaviors used" [P_TBL_01 P_TBL_02]
            because Unseen "all known DDI versions have the same tables";
        "usermode DDI version associated with PluginDDIVersion" [P_VER_07 H_02];
        "must be called before any calls to PFND3D12DDI_COMPILER_FILL_DDI_TABLE" [P_VER_09 H_02];
        "it is assigned a UsermodeDDIVersion at design time" []
            because Others "who designs the DDI";
        "The UsermodeDDIVersion may not change for a given PluginDDIVersion" [H_02];
        "must only report PluginDDIVersions that it also supports" [P_VER_07];
        "may be relied upon when sharing implementation" [H_02];
    }
    "Enumeration: D3D12DDI_COMPILER_TABLE_TYPE" {
        "Retrieve functions for checking plugin capabilities" [P_TBL_01 P_TBL_03];
        "functions for creating and invoking an adapter families compiler" [P_TBL_02 P_TBL_03];
    }
    "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "Request additional function tables from the compiler plugin" [P_TBL_01 P_TBL_02 P_TBL_07];
        "_Inout_ VOID* pTable" [P_TBL_06];
        "Buffer pointer that the plugin must copy the function table too" [P_TBL_01 P_TBL_02];
        "The size in bytes of the pTable buffer" [P_TBL_04 P_TBL_05];
        "must be called by the plugin runtime before calling this function" [P_VER_09 H_02];
        "enables function table versioning based on the selected version" []
            because Unseen "all known DDI versions have the same tables";
    }
    "Enumeration: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE" {
        "Sets the D3D12DDI_COMPILER_CACHE_CALLBACKS table" [P_CBT_01 P_CBT_03];
        "always set before any compiler objects are created" [P_CBT_04 H_03];
    }
    "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "Sets function tables that the driver uses to callback" [P_OPEN_06 P_CBT_01];
        "_In_reads_(TableSize) const void* pTable" [P_CBT_02 P_CBT_03 P_CBT_05]
            unclear "whether the table stays after the call: the plugin copies it";
        "contains the State Object Compiler runtime callback table" [H_03];
        "The size in bytes of the pTable buffer" [P_CBT_03 P_CBT_06 H_03];
    }
    "Application and Compiler Descs" {}
    "Struct: D3D12DDI_VERSION_NUMBER" {
        "The most significant 16bits are the first number" []
            unclear "VersionParts[0] could be the first number too"
            because Unseen "the parts of a version never cross the DDI by themselves";
    }
    "Struct: D3D12DDI_APPLICATION_DESC" {
        "Includes the file extension, i.e \"Code.exe\"" []
            because Others "who describes an application";
        "This parameter is required and must be null terminated" [H_07];
        "may be used from other executables within the same application" []
            because Others "drivers and the D3D12 runtime, which find the application's files";
        "is not guaranteed to match the host executable" []
            because Others "drivers and the D3D12 runtime";
        "Applications must use the same pExeFilename string" []
            because Others "applications";
        "The version of the application … This parameter is required" []
            because Unseen "every number is a version";
        "is optional, but should be provided whenever possible" [P_PROF_03 H_07]
            because Others "who describes an application";
        "Use nullptr to indicate unspecified" [P_PROF_03];
        "This parameter is required if pEngineName is non-nullptr" []
            because Unseen "every number is a version";
        "the application information must be identical between them" []
            because Others "applications";
    }
    "Struct: D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA" {
        "CONST CHAR szAdapterFamily[128]" [U_ABI_01]
            unclear "the plugin's family is WCHAR, and a driver cannot write a const member";
        "IHVs assign one or more adapters to an adapter family" [U_ABI_01];
        "They then supply a compiler for that family" [U_ABI_01];
        "is compared to the ABI version of the compiler" []
            because Others "clients and the D3D12 runtime";
        "The lowest compiler ABI version supported by the driver" [U_ABI_02 U_ABI_05]
            because Unseen "whether a driver can run what it finds shows only on an adapter";
        "The highest compiler ABI version supported by the driver" [U_ABI_02];
        "The Compiler Version of the compiler used by driver" [U_ABI_03];
        "The version of the compiler profile that targets this application" [U_ABI_04]
            because Unseen "how a driver asks for the application's description is not public";
        "These values are expected to match the locally registered compiler" [U_ABI_01 U_ABI_02 U_ABI_03];
        "szAdapterFamily must be supported by the compiler plugin" [U_ABI_01];
        "MaximumABISupportedVersion must be supported by the compiler plugin" [U_ABI_02];
        "CompilerVersion must match the CompilerVersion of the corresponding compiler" [U_ABI_03];
        "must also match the compiler given the same adapter family" [U_ABI_04]
            because Unseen "how a driver asks for the application's description is not public";
        "this value should be zero" [P_PROF_02 U_ABI_04];
        "the blob should allow returning an value here" []
            because Unseen "how a driver asks for the application's description is not public";
    }
    "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY" {
        "WCHAR szAdapterFamily[128]" [P_FAM_03 P_FAM_05];
        "Uniquely identifies an adapter family for a hardware vendor" [P_FAM_04]
            because Unseen "the names in the vendor's other plugins";
        "all share the same compiled output for a given ABI version" [P_FAM_07];
    }
    "Struct: D3D12DDI_COMPILER_TARGET" {
        "The index of the target adapter family" [P_CMP_05 H_06];
        "The target ABIVersion the AdapterFamily" [P_CMP_05 H_06];
        "validates the ABIVersion is one returned from" [H_06 R_ENUM_12];
    }
    "Checking Capabilities" {}
    "Struct: D3D12DDI_COMPILER_CAPABILITIES_FUNCS" {
        "Function table w/ various compiler plugin entrypoints" [P_TBL_01];
    }
    "Function: PFND3D12DDI_COMPILER_GET_CAPS" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "Returns capabilities for D3D12 DDI Caps" [P_CAPS_01 P_CAPS_02 P_CAPS_03 P_CAPS_04 P_CAPS_21 P_CAPS_22];
        "_In_ const D3D12DDIARG_GETCAPS* pCaps" [P_CAPS_05 P_CAPS_20]
            unclear "const, but the answer goes through it";
        "The ABIVersion of pAdapterFamily to retrieve caps for" [P_CAPS_01]
            unclear "no such parameter: the target's is meant";
        "Contains the adapter family and ABI version" [P_CAPS_20 H_06];
        "Cap type, inputs and outputs" [P_CAPS_05 P_CAPS_20];
        "expected to match UMD implementation for adapter drivers" [P_CAPS_07];
        "The following caps may be queried" [P_CAPS_01 P_CAPS_02 P_CAPS_03 P_CAPS_04 P_CAPS_21 P_CAPS_22]
            unclear "whether a plugin must answer each: a host may ask, so it must";
        "D3D12DDICAPS_TYPE_OPTIONS_*" [P_CAPS_03]
            unclear "which types these are: every one up to the selected version";
        "pApplicationDesc should not typically used" [P_CAPS_06];
        "drivers have changed capability reporting for a specific application" [P_CAPS_06]
            because Permits "a plugin may, for an application that it knows";
    }
    "Function: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "_Out_ D3D12DDI_COMPILER_ADAPTER_FAMILY* pAdapterFamily" [P_FAM_03 P_FAM_06];
        "Retrieve a list of all adapter families supported by the plugin" [P_FAM_01];
        "must expose adapter families with contiguous indices starting at index zero" [P_FAM_01];
        "When the index exceeds the available families, return DXGI_ERROR_NOT_FOUND" [P_FAM_02];
        "Enumerating all adapter families can be accomplished like so" [P_FAM_02 R_ENUM_02]
            unclear "the sample calls pfnEnumerateCompilers, and ends on one error only";
    }
    "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "Retrieve the list of ABI versions supported for an adapter family" [P_ABI_02];
        "On input, describes the size of pABIVersions" [P_ABI_02 P_ABI_05];
        "*pNumABIVersions is zero when pABIVersions is nullptr" [P_ABI_01 H_12];
        "may be used to retrieve a partial list" [P_ABI_05];
        "returns the number of ABI Versions for pAdapterFamily" [P_ABI_02 P_ABI_08];
        "May be nullptr when performing a size check" [P_ABI_01];
        "Returns the the compiler ABI version supported by the compiled binaries" [P_ABI_02 P_FAM_07];
        "A range of ABI versions is supported for an adapter family" []
            because Permits "one is enough";
        "The index of the target adapter family" [P_ABI_07];
        "may not be used with drivers that do not report" []
            because Others "clients and the D3D12 runtime";
        "ABI version is used to check for precompiled cache updates" []
            because Others "clients";
        "is not one of the families returned by" [P_ABI_07];
        "If pNumABIVersions is nullptr, return E_INVALIDARG" [P_ABI_06 P_ABI_11]
            unclear "for an unknown family another sentence says DXGI_ERROR_NOT_FOUND: either passes";
        "to the correct number of ABI versions for the family on return" [P_ABI_08]
            unclear "it calls the count puEntries: pNumABIVersions is meant";
        "Otherwise, set it to zero" [P_ABI_07];
        "pAdapterFamily may be nullptr when performing a size check" [P_ABI_01]
            unclear "pABIVersions is meant: the family is an index";
        "to the number of ABI versions for the adapter family and return" [P_ABI_01];
        "are reserved and must not be returned" [P_ABI_04];
        "report version 1 for the initial version of an adapter families" []
            because Unseen "it takes the plugin's first build";
        "increments this counter every time the ABI version changes" [P_ABI_09]
            because Unseen "what changed between two builds of the plugin";
        "must be reported in ascending order, so the latest ABI version appears" [P_ABI_03]
            unclear "ascending order, and the latest first: the second wins";
        "must fill out as many ABI versions as there is room for" [P_ABI_05];
        "may be used to only retrieve the latest ABI version supported" [P_ABI_03 P_ABI_05];
        "version or larger, copy the complete list and set" [P_ABI_02];
    }
    "Function: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "Describes the version of a compiler for an adapter family" [P_CVER_01];
        "_Out_ D3D12DDI_VERSION_NUMBER* pCompilerVersion" [P_CVER_02];
        "The index specifies adapter family" [P_CVER_01];
        "signify changes in code generation that potentially impact all applications" [P_CVER_03];
        "Major/Minor version change … Build for … Revision for less" [P_CVER_03];
    }
    "Function: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "Return the application profile version number" [P_PROF_01];
        "_In_ const D3D12DDI_APPLICATION_DESC* pApplicationDesc" [P_PROF_04 P_MEM_05];
        "settings that do not impact compilation for other applications" [P_PSO_11]
            because Unseen "which applications have a profile";
        "Any time those settings change … update the version number" [P_PROF_06];
        "Contains the adapter family and ABI version" [P_PROF_05 H_06];
        "specified by application identifier and application version" [P_PROF_01];
        "may revise this number to indicate application specific changes" [P_PROF_06];
        "can be versioned when there application specific changes" [P_PROF_06];
    }
    "Function: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "Check support for features that are optional on some formats" [P_FMT_01]
            unclear "whether a plugin may leave out what every device has";
        "_Out_ UINT* pFormatSupport" [P_FMT_02 P_FMT_03];
        "Contains the adapter family and ABI version" [P_FMT_02 H_06];
        "A D3D12DDI_FORMAT_SUPPORT bitfield" [P_FMT_01];
        "expected to match UMD implementation for adapter drivers" [P_CAPS_07];
    }
    "Function: PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS" {
        "The handle to the plugin compiler DDI object" [H_04 H_11];
        "supported for a given format and sample count" [P_MSAA_01 P_MSAA_02];
        "Contains the adapter family and ABI version" [P_MSAA_03 H_06];
        "Returns TRUE if supported, FALSE otherwise" [P_MSAA_01 P_MSAA_03];
        "expected to be consistent with the UMD implementation for adapter drivers" [P_CAPS_07];
    }
    "Cache Session Callbacks" {
        "Callbacks passed to compiler object creation" [H_03]
            unclear "no parameter of the creation has them: pfnSetCallbackDDITable is meant";
        "store compilation results and lookup previous compilation results" [P_PSO_03 P_PSO_06 H_09 H_17];
    }
    "Callback Handle: D3D12DDI_HRTCOMPILERCACHESESSION" {
        "must be used to call D3D12DDI_COMPILER_CACHE_CALLBACKS" [P_PSO_01 P_PSO_05];
        "only valid and has the lifetime of a single compile DDI" [P_PSO_05 H_09 H_15];
    }
    "Enumeration: D3D12DDI_COMPILER_CACHE_VALUE_TYPE" {
        "used when only a single value type may be selected" [P_PSO_04 P_PSO_12];
        "The compiled executable code that is run on GPU" []
            because Unseen "whether code runs shows only on the adapters";
        "Metadata that the compiler may provide" []
            because Permits "what is in it is the vendor's";
        "should not be put inside of the object code" [P_PSO_11 P_PSO_23];
        "An opaque blob that still requires IHV interpretation" []
            because Unseen "only the vendor's tools read it";
    }
    "Enumeration: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS" {
        "No selected value types" [P_PSO_16]
            unclear "whether a compile call without any succeeds: either passes";
        "Indicates object code … Indicates Debug PDB … Indicates Performance Data" [P_PSO_03 H_08]
            unclear "METADATA has a flag, and no description: it is valid";
        "which value types must be loaded/stored during" [P_PSO_03 R_CMP_05];
    }
    "Struct: D3D12DDI_COMPILER_CACHE_VALUE_KEY" {
        "_Field_size_bytes_full_(KeySize) const void* pKey" [P_PSO_04 P_PSO_12 H_17];
        "uniquely identifies an object in the database" [P_PSO_08];
        "The size in bytes of pKey" [P_PSO_04 P_PSO_12 H_17];
    }
    "Struct: D3D12DDI_COMPILER_CACHE_VALUE" {
        "_Field_size_bytes_opt_(ValueSize) void* pValue" [P_PSO_12 H_17];
        "A pointer to a member buffer containing the value" [P_PSO_12 H_17];
        "The size of the pValue buffer in bytes" [P_PSO_12 H_09];
    }
    "Struct: D3D12DDI_COMPILER_CACHE_TYPED_VALUE" {
        "The type of the value" [P_PSO_12 H_17];
        "where the compiler may modify the value buffer" [H_09];
    }
    "Struct: D3D12DDI_COMPILER_CACHE_CONST_VALUE" {
        "Specifies a non-const value buffer and buffer size" []
            unclear "copied from the structure before: the member is const"
            because Permits "the declaration counts";
        "_Field_size_bytes_opt_(ValueSize) const void* pValue" [P_PSO_04 H_17];
        "The size of the pValue buffer in bytes" [P_PSO_04 H_09];
    }
    "Struct: D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE" {
        "The type of the value" [P_PSO_03 P_PSO_04 H_17];
        "where the compiler may not modify the value buffer" [H_19]
            unclear "the buffer is the compiler's own: it is the host that must not";
    }
    "Struct: D3D12DDI_COMPILER_CACHE_CALLBACKS" {
        "pfnCompilerCacheFindValue … pfnCompilerCacheStoreValue … pfnCompilerCacheSetObjectValueKeys" [P_CBT_01 H_03];
    }
    "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB" {
        "Find a previously stored value in the cache" [P_PSO_06 H_09];
        "callback handle received during a compilation operation" [P_PSO_05 H_15];
        "_Inout_count_(NumValues) D3D12DDI_COMPILER_CACHE_TYPED_VALUE* pValues" [P_PSO_12 H_17];
        "The unique identifier for the value" [P_PSO_12 H_17];
        "The number of values in the pValues array" [P_PSO_12 H_09];
        "An optional callback function for allocating value buffers" [H_09];
        "context pointer that is passed to the callback" [H_09];
        "specifies the size in bytes of the buffer pointed to by" [P_PSO_12 H_09];
        "Use zero when querying size or using the allocation callback" [P_PSO_12];
        "the ValueSize member is assigned the size of the value" [H_09];
        "for each D3D12DDI_COMPILER_CACHE_VALUE that is not a nullptr" [H_18]
            unclear "the values are structures: their pValue may be meant";
        "the pValue member must point to a buffer of that size" [P_PSO_12 H_17];
        "greater than or equal to the value's actual size, the value" [H_09];
        "DXGI_ERROR_MORE_DATA is returned and the required size is assigned" [H_09];
        "pValue member is non-nullptr, pCallbackFunc is called to allocate a buffer" [H_09 H_18]
            unclear "whether for a null pValue too, as in the API's sample";
        "returned by pCallbackFunc is assigned to the pValue member on return" [H_09];
        "If pCallbackFunc returns nullptr, the call fails and returns E_OUTOFMEMORY" [P_PSO_14 H_09];
        "The ValueSize member is assigned the value's actual size before returning" [H_09];
        "To perform a size check, use a nullptr pValue" [P_PSO_12 H_09];
        "A return value of S_OK indicates the value is cached" [H_09 H_14]
            unclear "of several types, some may be cached";
        "A return value of DXGI_ERROR_NOT_FOUND indicates a value with that key" [H_09 H_13]
            unclear "the key may have other types than those asked for";
        "ValueSize is non-zero for a cached value type" [H_09 H_14];
    }
    "Callback Function: PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB" {
        "Add a key/value pair to the compiler cache" [H_09];
        "callback handle received during a compilation operation" [P_PSO_05 H_15];
        "A unique sequence of bytes that uniquely identifies an object" [P_PSO_08]
            unclear "no parameter pKey: the member of pValueKey is meant";
        "_In_reads_(NumValues) const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE* pValues" [P_PSO_04 H_17];
        "At least one value must be stored in the store operation" [P_PSO_04];
        "returns E_INVALIDARG if pValues nullptr or NumValues is zero" [H_09];
        "Each value must have a non-zero size" [P_PSO_04 H_09];
        "Only one value per type may be stored at a time" [P_PSO_04 H_09];
        "returns DXGI_ERROR_ALREADY_EXISTS if one of the non-nullptr values" [P_PSO_06 P_PSO_13 H_09];
        "Flags during the compile operation indicate which values must be stored" [P_PSO_03]
            unclear "an object may have no value of a type";
        "Values are optionally stored to accommodate various scenarios" [P_PSO_15];
    }
    "Callback Function: PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB" {
        "A callback to set the list of value keys associated" [P_PSO_01 P_PSO_22];
        "callback handle received during a compilation operation" [P_PSO_01 H_15];
        "The unique identifiers for the values" [P_PSO_02 H_17];
        "specifies the values that the driver receives" [P_PSO_02 P_PSO_22];
        "The number of keys specified by pValueKey" [P_PSO_02 H_17];
        "used for other database management operations" []
            because Permits "a host may";
        "must call this function once before returning from a compile operation" [P_PSO_01 P_PSO_24 H_16]
            unclear "whether a compile call that fails must, too";
    }
    "Compiling State Objects" {
        "instanced from a adapter family and application identity" [P_CMP_03 R_CMP_03];
    }
    "Handle: D3D12DDI_HCOMPILER" {
        "representing the plugin's compiler object" [H_04];
    }
    "Callback Handle: D3D12DDI_HRTCOMPILER" {
        "Allows compiler plugins to call back into runtime" []
            because Permits "no callback takes the handle";
    }
    "Handle: D3D12DDI_HCOMPILERSTATEOBJECT" {
        "to store state between Create and AddTo state object calls" [P_SO_07];
    }
    "Struct: D3D12DDI_COMPILER_FUNCS" {
        "creation and destruction of compiler objects and the compilation" [P_TBL_02];
    }
    "Function: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE" {
        "Determine the size of the driver compiler object" [P_CMP_01];
        "Contains the adapter family and ABI version" [P_CMP_05 H_06];
        "object representing the compiler is allocated by the caller" [P_CMP_01 P_CMP_04 H_05];
        "This method is used to calculate the plugins object size" [P_CMP_01 H_05];
    }
    "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER" {
        "Handle for plugin compiler object" [H_04];
        "Create the driver compiler object" [P_CMP_03];
        "Contains the adapter family and ABI version" [P_CMP_05 H_06];
        "_In_ const D3D12DDI_COMPILER_TARGET* pTarget" [P_CMP_02 P_CMP_06 P_CMP_07]
            unclear "how long the target stays: for the call";
        "_In_ const D3D12DDI_APPLICATION_DESC* pApplicationDesc" [P_CMP_02 P_CMP_06 P_CMP_07]
            unclear "how long the description stays: for the call";
        "Memory is allocated by the caller, and plugin places compiler object" [P_CMP_01 H_05];
    }
    "Function: PFND3D12DDI_COMPILER_DESTROY_COMPILER" {
        "Handle for plugin compiler object" [H_04];
        "De-allocate a plugin compiler object" [P_CMP_03 P_CMP_04 P_CMP_08 H_04]
            unclear "the memory is the host's: what the plugin allocated besides";
    }
    "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE" {
        "Handle for plugin compiler object" [H_04];
        "Compile a graphics or compute pipeline state" [P_PSO_18];
        "callback handle. Used with cache operations to find/store values" [P_PSO_05 H_09];
        "Specify which values types to store in the cache session" [P_PSO_03 H_08];
        "Creation arguments for the pipeline state object to compile" [P_PSO_17 P_PSO_20 P_PSO_21 P_MEM_01 P_MEM_02 P_MEM_03 H_20 H_22]
            unclear "no call of the DDI creates the objects of its handles";
        "Compiled output is stored via the" [P_PSO_02 P_PSO_03];
        "Check for previously compiled duplicates via the" [P_PSO_06 P_PSO_12];
        "are supplied during creation of the plugin compiler object" [H_03]
            unclear "no parameter of the creation has them: pfnSetCallbackDDITable is meant";
        "Compiler is expected to sub-divide objects in an IHV dependent way" [P_PSO_09];
        "Multiple values may be stored per compile" []
            because Permits "one is enough";
        "must not return until all compiled output is stored" [P_PSO_02 P_PSO_03 P_PSO_05];
        "The driver must call … once before returning" [P_PSO_01];
    }
    "Function: PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE" {
        "Handle for plugin compiler object" [H_04];
        "the size needed for compilers state object implementation" [P_SO_01 H_05];
        "Creation arguments for the state object" [P_SO_08 P_PSO_21];
    }
    "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT" {
        "Handle for plugin compiler object" [H_04];
        "callback handle. Used with cache operations to find/store values" [P_PSO_05 H_09];
        "Specify which values types to store in the cache session" [P_PSO_03 H_08];
        "Creation arguments for the state object" [P_SO_07 P_SO_08 P_PSO_17 P_PSO_21 H_21];
        "A handle pointing to the pre-allocated space" [P_SO_01 H_05];
        "uses it to store state to support future calls to" [P_SO_07];
        "The lifetime of pCreateStateObjectArg is guaranteed until hStateObject is destroyed" [P_SO_04 H_10];
        "must store other state needed for future compilation with hStateObject" [P_SO_03 P_SO_07];
        "Compiled output is stored via the" [P_PSO_02 P_PSO_03];
        "Check for previously compiled duplicates via the" [P_PSO_06 P_PSO_12];
        "are supplied during creation of the plugin compiler object" [H_03]
            unclear "no parameter of the creation has them: pfnSetCallbackDDITable is meant";
        "Compiler is expected to sub-divide objects in an IHV dependent way" [P_PSO_09];
        "Multiple values may be stored per compile" []
            because Permits "one is enough";
        "must not return until all compiled output is stored" [P_PSO_02 P_PSO_03 P_PSO_05];
        "The driver must call … once before returning" [P_PSO_01];
    }
    "Function: PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE" {
        "Handle for plugin compiler object" [H_04];
        "the size needed for compilers state object implementation when adding" [P_SO_01 H_05];
        "Specify which values types to store in the cache session" []
            unclear "no such parameter: left over"
            because Permits "the declaration counts";
        "Creation arguments for the add operation" [P_SO_08 P_PSO_21];
        "The state object being added to" [P_SO_07 H_04];
    }
    "Function: PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT" {
        "Handle for plugin compiler object" [H_04];
        "callback handle. Used with cache operations to find/store values" [P_PSO_05 H_09];
        "Specify which values types to store in the cache session" [P_PSO_03 H_08];
        "Creation arguments for the add operation" [P_SO_07 P_SO_08 P_PSO_17 P_PSO_21 H_21];
        "The state object being added to" [P_SO_07 H_04];
        "A handle pointing to the pre-allocated space" [P_SO_01 H_05];
        "uses it to store state to support future AdddtoStateObject calls" [P_SO_07];
        "embedded StateObjectToGrowFrom is guaranteed until hStateObject is destroyed" [P_SO_04 P_SO_06 H_10]
            unclear "the argument embeds no such member: the parameter is meant";
        "must store other state needed for future compilation with hStateObject" [P_SO_03 P_SO_07];
        "Compiled output is stored via ID3D12CompilerCacheSession::StoreValue" [P_PSO_02 P_PSO_03]
            unclear "a plugin has no such object: the callback is meant";
        "duplicates via ID3D12CompilerCacheSession::FindValue" [P_PSO_06 P_PSO_12]
            unclear "a plugin has no such object: the callback is meant";
        "Compiler is expected to sub-divide objects in an IHV dependent way" [P_PSO_09];
        "Multiple values may be stored per compile" []
            because Permits "one is enough";
        "must not return until all compiled output is stored" [P_PSO_02 P_PSO_03 P_PSO_05];
        "The driver must call … once before returning" [P_PSO_01];
    }
    "Function: PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT" {
        "Handle for plugin compiler object" [H_04];
        "Destroys a compiler state object handle" [P_SO_06 P_PSO_05 H_04];
    }
};

/// The rules of the plugin DDI that no sentence states, and where each comes from.
pub(crate) const BEYOND: &[(Rule, &str)] = &[
    (
        rules::P_ABI_10,
        "no sentence says that a list stays as it is; a host asks for it more than once",
    ),
    (
        rules::P_BND_01,
        "no sentence speaks of exceptions; functions of a C interface cannot throw one at their caller",
    ),
    (
        rules::P_BND_02,
        "no sentence says what a plugin does that gets no memory for itself",
    ),
    (
        rules::P_CAPS_23,
        "of the capabilities' own documents, not of this one: what goes with what",
    ),
    (
        rules::P_MEM_04,
        "no sentence states an alignment of private memory; a plugin may expect that of malloc, or none",
    ),
    (
        rules::P_OPEN_12,
        "no sentence says which calls may be made at the same time; parts of one program know nothing of each other",
    ),
    (
        rules::P_CMP_09,
        "no sentence says which calls may be made at the same time; a cloud's jobs begin and end at any time",
    ),
    (
        rules::P_PSO_19,
        "no sentence says which calls may be made at the same time; a cloud compiles in many threads",
    ),
    (
        rules::P_SO_09,
        "no sentence says which calls may be made at the same time; a cloud compiles in many threads",
    ),
];

#[cfg(test)]
mod tests {
    use super::{BEYOND, SECTIONS, Sentence};
    use crate::rules::all;
    use crate::{Level, Rule};
    use std::collections::HashSet;

    #[test]
    fn every_sentence_has_a_rule_or_a_reason() {
        for section in SECTIONS {
            for sentence in section.sentences {
                let (heading, words) = (section.heading, sentence.words);
                assert!(
                    !sentence.rules.is_empty() || sentence.gap.is_some(),
                    "{heading}: {words}: no rule and no reason"
                );
                assert!(
                    (1..=12).contains(&words.split_whitespace().count()),
                    "{heading}: {words}: quote at most 12 words"
                );
                let reasons = sentence.gap.map(|(_, why)| why).into_iter();
                for reason in reasons.chain(sentence.unclear) {
                    assert!(!reason.is_empty() && !reason.ends_with('.'), "{reason}");
                }
            }
        }
    }

    #[test]
    fn every_rule_of_plugins_and_hosts_has_a_sentence_or_a_reason() {
        let sentences = || SECTIONS.iter().flat_map(|section| section.sentences);
        let with_sentence: HashSet<Rule> = sentences()
            .flat_map(|sentence| sentence.rules)
            .copied()
            .collect();
        let beyond: HashSet<Rule> = BEYOND.iter().map(|(rule, _)| *rule).collect();
        assert_eq!(beyond.len(), BEYOND.len(), "a rule is there twice");
        for rule in all().filter(|rule| rule.is_of_the_plugin_ddi()) {
            assert!(
                with_sentence.contains(&rule) != beyond.contains(&rule),
                "{rule}: name it at a sentence, or say in BEYOND why it has none, and not both"
            );
            assert!(
                SECTIONS
                    .iter()
                    .any(|section| section.heading == rule.section()),
                "{rule}: SECTIONS has no {:?}",
                rule.section()
            );
            let of_unclear = sentences().any(|s| s.unclear.is_some() && s.rules.contains(&rule));
            assert!(
                rule.level() != Level::Ambiguous || of_unclear || beyond.contains(&rule),
                "{rule}: AMBIGUOUS, but no sentence of it is unclear"
            );
        }
        for (rule, reason) in BEYOND {
            assert!(
                rule.is_of_the_plugin_ddi() && reason.len() > 10 && !reason.ends_with('.'),
                "{rule}: {reason}"
            );
        }
    }

    /// Words with which a sentence obliges.
    const OBLIGING: &[&str] = &[
        "must",
        "should",
        "required",
        "guaranteed",
        "expected",
        "always",
        "may not",
        "reserved",
        "only valid",
        "responsible",
        "will ",
    ];

    #[test]
    #[ignore = "needs DDI_SPECIFICATION=<ShaderCompilerPlugin.md>"]
    fn every_obliging_sentence_of_the_specification_is_listed() {
        let path = std::env::var("DDI_SPECIFICATION").expect("DDI_SPECIFICATION names the file");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut missing = Vec::new();
        let mut headings = Vec::new();
        let (mut heading, mut obliging, mut body) = ("", Vec::new(), String::new());
        let mut check = |heading: &'static str, obliging: &[&str], body: &str| {
            let Some(section) = SECTIONS.iter().find(|section| section.heading == heading) else {
                return;
            };
            headings.push(heading);
            let body = plain(body);
            let quoted = |words: &str| words.split(" … ").map(plain).collect::<Vec<_>>();
            for sentence in section.sentences {
                if !quoted(sentence.words)
                    .iter()
                    .all(|part| body.contains(part))
                {
                    missing.push(format!("{heading}: it does not say {:?}", sentence.words));
                }
            }
            for line in obliging {
                let line = plain(line);
                let listed = |s: &Sentence| quoted(s.words).iter().any(|part| line.contains(part));
                if !section.sentences.iter().any(listed) {
                    missing.push(format!("{heading}: not listed: {line}"));
                }
            }
        };
        for line in text.lines().chain(["# "]) {
            if let Some(next) = line.strip_prefix('#') {
                check(heading, &obliging, &body);
                let next = next.trim_start_matches('#').trim();
                let known = SECTIONS.iter().find(|section| section.heading == next);
                heading = known.map_or("", |section| section.heading);
                obliging.clear();
                body.clear();
            } else {
                body.push_str(line);
                body.push('\n');
                // Not at every full stop: "i.e." and "1.93" have some.
                let sentences = line.split(".  ").flat_map(|part| part.split(". "));
                obliging.extend(sentences.filter(|sentence| {
                    let sentence = sentence.to_lowercase();
                    OBLIGING.iter().any(|word| sentence.contains(word))
                }));
            }
        }
        for section in SECTIONS {
            if !headings.contains(&section.heading) {
                missing.push(format!("no heading {:?}", section.heading));
            }
        }
        assert!(missing.is_empty(), "{}", missing.join("\n"));
    }
}
