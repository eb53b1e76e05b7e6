//! The defects: one table that the runtime and the tests of the suite share.
//!
//! Each is one deviation from the specification, as somebody who writes a runtime could have made it,
//! and breaks one rule; or a choice that the specification leaves, which breaks none.

/// Selects a defect by its name; unset, or [`NONE`], selects none.
pub const VARIABLE: &str = "DDI_DEFECT";

/// The name of the runtime without a defect.
pub const NONE: &str = "none";

/// One defect.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What the suite has to say of it.
    pub expected: Expected,
    /// What the runtime does.
    pub what: &'static str,
    /// The defect.
    pub defect: Defect,
}

impl Entry {
    /// Whether the defect is one of a host, between the runtime and the plugin.
    pub fn is_of_host(&self) -> bool {
        let of_host = |rule: &&str| rule.starts_with("H-");
        self.expected.rules().iter().any(of_host)
            || matches!(
                self.defect,
                Defect::CodeOnly | Defect::ObjectCodeOnly | Defect::AdditionCodeOnly
            )
    }
}

/// What the suite has to say of a runtime.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// The rule of this id is broken.
    Breaks(&'static [&'static str; 1]),
    /// Every rule holds, and of this one the report says so much.
    Notes(&'static [&'static str; 1], &'static str),
    /// These rules do not apply, and every other one holds.
    Leaves(&'static [&'static str]),
    /// No rule is broken, but the first are left undecided and the others do not apply.
    Hides(&'static [&'static str], &'static [&'static str]),
}

impl Expected {
    /// The ids of the rules that it is about.
    pub fn rules(self) -> &'static [&'static str] {
        match self {
            Self::Breaks(rule) | Self::Notes(rule, _) => rule,
            Self::Leaves(rules) | Self::Hides(rules, _) => rules,
        }
    }
}

macro_rules! expected {
    (breaks $rule:literal) => {
        Expected::Breaks(&[$rule])
    };
    (notes $rule:literal $words:literal) => {
        Expected::Notes(&[$rule], $words)
    };
    (leaves $($rule:literal)*) => {
        Expected::Leaves(&[$($rule),*])
    };
    (hides $first:literal $second:literal $leaves:literal) => {
        Expected::Hides(&[$first, $second], &[$leaves])
    };
}

macro_rules! defects {
    ($($defect:ident = $name:literal $expected:ident $($argument:literal)*: $what:literal;)*) => {
        /// One defect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Defect {
            $(#[doc = $what] $defect,)*
        }

        /// Every defect.
        pub const DEFECTS: &[Entry] = &[$(
            Entry {
                name: $name,
                expected: expected!($expected $($argument)*),
                what: $what,
                defect: Defect::$defect,
            },
        )*];
    };
}

defects! {
    CreateFails = "create-fails" breaks "R-FAC-01":
        "a factory is refused with E_FAIL";
    CreateGivesNull = "create-gives-null" breaks "R-FAC-01":
        "S_OK comes without a factory";
    CreateIidInvalid = "create-iid-invalid" breaks "R-FAC-02":
        "an unknown IID gets E_INVALIDARG";
    CreateIidIgnored = "create-iid-ignored" breaks "R-FAC-02":
        "an unknown IID gets a factory";
    MissingFileOtherwise = "create-missing-file-otherwise" breaks "R-FAC-03":
        "a missing file gets the loader's ERROR_MOD_NOT_FOUND";
    MissingFolderOtherwise = "create-missing-folder-otherwise" breaks "R-FAC-03":
        "a path into a missing folder gets the system's ERROR_PATH_NOT_FOUND";
    NullPathPointer = "create-null-path-pointer" breaks "R-FAC-04":
        "a null path gets E_POINTER";
    NullPathFollowed = "create-null-path-followed" breaks "R-FAC-04":
        "a null path is read";
    NoPluginAccepted = "create-no-plugin-accepted" breaks "R-FAC-05":
        "a file that is no plugin gets S_FALSE";
    NoPluginPlace = "create-no-plugin-place" breaks "R-FAC-05":
        "a file that is no plugin leaves *ppFactory as it was";
    CreateOnlyOne = "create-only-one" breaks "R-FAC-06":
        "a second factory while one lives is refused";
    CreateNotAgain = "create-not-again" breaks "R-FAC-06":
        "after the last factory is released no more can be made";
    CreateEndsOthers = "create-ends-others" breaks "R-FAC-06":
        "when a factory is released the others create no compilers any more";

    FamiliesReversed = "families-reversed" breaks "R-ENUM-01":
        "the families come in the reverse order";
    FamilyTruncated = "family-truncated" breaks "R-ENUM-01":
        "names of families are cut after 4 characters";
    FamiliesInTurn = "families-in-turn" breaks "R-ENUM-01":
        "each call gives the next family, whatever its index is";
    PastTheEndInvalid = "families-end-invalid" breaks "R-ENUM-02":
        "an index past the end gets E_INVALIDARG";
    PastTheEndLast = "families-end-last" breaks "R-ENUM-02":
        "UINT_MAX gets the last family";
    NullFamilyAccepted = "families-null-accepted" breaks "R-ENUM-03":
        "a null pAdapterFamily gets S_OK";
    NullFamilyFollowed = "families-null-followed" breaks "R-ENUM-03":
        "a null pAdapterFamily is written to";
    AbiSizeQueryFails = "abi-size-query-fails" breaks "R-ENUM-04":
        "the size check gets DXGI_ERROR_MORE_DATA";
    AbiSizeQueryZero = "abi-size-query-zero" breaks "R-ENUM-04":
        "the size check leaves the count at 0";
    AbiCountIsCapacity = "abi-count-is-capacity" breaks "R-ENUM-05":
        "the count of a larger array stays its capacity";
    AbiTailCleared = "abi-tail-cleared" breaks "R-ENUM-05":
        "the rest of a larger array is cleared";
    AbiOverrun = "abi-overrun" breaks "R-ENUM-06":
        "one entry more is written than a short array has";
    AbiCountKept = "abi-count-kept" breaks "R-ENUM-06":
        "the count of a short array stays its capacity";
    AbiRepeats = "abi-repeats" breaks "R-ENUM-06":
        "a short array has the newest version in every place";
    AbiOldestFirst = "abi-oldest-first" breaks "R-ENUM-07":
        "the oldest ABI version comes first";
    AbiShortSucceeds = "abi-short-succeeds" breaks "R-ENUM-07":
        "a short array gets S_OK";
    AbiUnknownInvalid = "abi-unknown-invalid" breaks "R-ENUM-07":
        "an unknown family gets E_INVALIDARG";
    AbiOnePast = "abi-one-past" breaks "R-ENUM-07":
        "the first index past the families gets S_OK";
    AbiNullCountFollowed = "abi-null-count-followed" breaks "R-ENUM-07":
        "a null count is read";
    CompilerVersionCut = "compiler-version-cut" breaks "R-ENUM-08":
        "the revision of the compiler's version is left out";
    CompilerVersionOfFirst = "compiler-version-of-first" breaks "R-ENUM-08":
        "every family has the compiler's version of the first";
    CompilerVersionUnknown = "compiler-version-unknown" breaks "R-ENUM-09":
        "an unknown family gets S_OK";
    CompilerVersionOnePast = "compiler-version-one-past" breaks "R-ENUM-09":
        "the first index past the families gets S_OK";
    CompilerVersionNullFollowed = "compiler-version-null-followed" breaks "R-ENUM-09":
        "a null pCompilerVersion is written to";
    ProfileVersionZero = "profile-version-zero" breaks "R-ENUM-10":
        "the profile version is 0";
    ProfileOfFirst = "profile-of-first" breaks "R-ENUM-10":
        "every family has the profile version of the first";
    ProfileEngineDropped = "profile-engine-dropped" breaks "R-ENUM-10":
        "the application's engine does not reach the plugin";
    ProfileZeroRefused = "profile-zero-refused" breaks "R-ENUM-11":
        "an ABIVersion of 0 is refused";
    ProfileZeroIsOldest = "profile-zero-is-oldest" breaks "R-ENUM-11":
        "an ABIVersion of 0 stands for the oldest";
    ProfileUnknownAccepted = "profile-unknown-accepted" breaks "R-ENUM-12":
        "an unknown target gets S_OK";
    ProfileForeignAbi = "profile-foreign-abi" breaks "R-ENUM-12":
        "the ABI version of another family gets S_OK";
    ProfileNullFollowed = "profile-null-followed" breaks "R-ENUM-12":
        "a null target is read";
    ProfileNameless = "profile-nameless-accepted" breaks "R-ENUM-13":
        "an application without a name gets S_OK";
    ProfileNameFollowed = "profile-name-followed" breaks "R-ENUM-13":
        "a null pExeFilename is read";

    SessionElsewhere = "session-elsewhere" breaks "R-SES-01":
        "a new database is created beside the path";
    SessionFails = "session-fails" breaks "R-SES-01":
        "a path that leads to no file gets E_FAIL";
    SessionReadOnly = "session-read-only" breaks "R-SES-02":
        "nothing can be stored in a file that existed";
    SessionForgets = "session-forgets" breaks "R-SES-02":
        "what is stored in a file that existed gets S_OK and is lost";
    SessionOneFile = "session-one-file" breaks "R-SES-03":
        "every type is stored in the file of the first path";
    SecondFileUnread = "session-second-file-unread" breaks "R-SES-03":
        "a session with two files finds the values of the first only";
    TargetZero = "session-target-zero" breaks "R-SES-04":
        "GetCompilerTarget returns an ABIVersion of 0";
    TargetOfLast = "session-target-of-last" breaks "R-SES-04":
        "GetCompilerTarget returns the target of the session that was created last";
    EngineDropped = "session-engine-dropped" breaks "R-SES-05":
        "GetApplicationDesc leaves the engine out";
    ApplicationBorrowed = "session-application-borrowed" breaks "R-SES-06":
        "GetApplicationDesc returns the caller's strings";
    ApplicationAnew = "session-application-anew" breaks "R-SES-06":
        "GetApplicationDesc returns another pointer each time";
    TypesOfFirst = "session-types-of-first" breaks "R-SES-07":
        "GetValueTypes returns the types of the first path";
    TypesOfLast = "session-types-of-last" breaks "R-SES-07":
        "GetValueTypes returns the types of the session that was created last";
    TargetRequired = "session-target-required" breaks "R-SES-08":
        "a null target is refused for a file that exists";
    BothOrNeither = "session-both-or-neither" breaks "R-SES-08":
        "a target without an application is refused, and an application without a target";
    EngineOfFile = "session-engine-of-file" breaks "R-SES-08":
        "an application of a file that has no engine gets an empty one";
    NoPathsOtherwise = "session-no-paths-fail" breaks "R-SES-09":
        "no paths get E_FAIL";
    NullPathsFollowed = "session-null-paths-followed" breaks "R-SES-09":
        "null pPaths are read";
    SecondPathDropped = "session-second-path-dropped" breaks "R-SES-09":
        "paths behind the first that are null are passed over";
    FileReplaced = "session-file-replaced" breaks "R-SES-10":
        "a file that is no database is replaced by one";
    SecondFileReplaced = "session-second-file-replaced" breaks "R-SES-10":
        "a second file that is no database is replaced by one";
    SessionNameless = "session-nameless-accepted" breaks "R-SES-11":
        "an application without a name gets a session";
    SessionNamelessFails = "session-nameless-fails" breaks "R-SES-11":
        "an application without an executable gets E_FAIL";
    SessionNamelessPlace = "session-nameless-place" breaks "R-SES-11":
        "an application without a name leaves *ppCompilerCacheSession as it was";

    StoreOneType = "store-one-type" breaks "R-VAL-01":
        "a key that has a value gets no other type";
    StoreLargeFails = "store-large-fails" breaks "R-VAL-01":
        "values of more than 64 KiB get E_OUTOFMEMORY";
    StoreNothing = "store-nothing" breaks "R-VAL-02":
        "a NumTypedValues of 0 gets S_OK";
    StoreNullFollowed = "store-null-followed" breaks "R-VAL-02":
        "null pTypedValues are read";
    StoreEmpty = "store-empty" breaks "R-VAL-03":
        "values of size 0 are passed over";
    StoreEmptyPdb = "store-empty-pdb" breaks "R-VAL-03":
        "debug information of size 0 is passed over";
    StoreTwice = "store-twice" breaks "R-VAL-04":
        "of two values of one type the first is stored";
    StoreTwiceApart = "store-twice-apart" breaks "R-VAL-04":
        "of two values of one type that are not side by side the first is stored";
    StoreAgain = "store-again" breaks "R-VAL-05":
        "a value that is stored already gets S_OK";
    StoreAgainFails = "store-again-fails" breaks "R-VAL-05":
        "a value that is stored already gets E_FAIL";
    StoreAgainLater = "store-again-later" breaks "R-VAL-05":
        "a value that an earlier session stored gets S_OK";
    StoreInPart = "store-in-part" breaks "R-VAL-06":
        "values are stored one after the other until one is refused";
    StoreBehind = "store-behind" breaks "R-VAL-06":
        "the values behind one that is stored already are stored";
    SizeMoreData = "size-more-data" breaks "R-VAL-07":
        "the size check gets DXGI_ERROR_MORE_DATA";
    SizeSetsPointer = "size-sets-pointer" breaks "R-VAL-07":
        "the size check sets pValue";
    SizeCut = "size-cut" breaks "R-VAL-07":
        "the size check cuts sizes to 16 bits";
    AbsentFound = "absent-found" breaks "R-VAL-08":
        "the size check of a key that is not cached gets S_OK";
    AbsentAllocated = "absent-allocated" breaks "R-VAL-08":
        "the callback is called for a key that is not cached";
    NamedFound = "named-found" breaks "R-VAL-08":
        "the size check of a key that is not cached, but that a group names, gets S_OK";
    SizeIsCapacity = "size-is-capacity" breaks "R-VAL-09":
        "the ValueSize of a larger buffer stays its capacity";
    BufferCleared = "buffer-cleared" breaks "R-VAL-09":
        "the rest of a larger buffer is cleared";
    MetadataCleared = "metadata-cleared" breaks "R-VAL-09":
        "the rest of a larger buffer for metadata is cleared";
    ShortSucceeds = "short-succeeds" breaks "R-VAL-10":
        "a buffer that is too small gets S_OK";
    ShortSizeKept = "short-size-kept" breaks "R-VAL-10":
        "a buffer that is too small keeps its ValueSize";
    ShortMetadata = "short-metadata" breaks "R-VAL-10":
        "a buffer that is too small for metadata gets S_OK";
    NullNotAllocated = "null-not-allocated" breaks "R-VAL-11":
        "for a null pValue the callback is not called";
    PerformanceNotAllocated = "performance-not-allocated" breaks "R-VAL-11":
        "for performance data the callback is not called";
    AllocationFails = "allocation-fails" breaks "R-VAL-12":
        "a callback that returns null makes the call fail with E_FAIL";
    AllocationForgotten = "allocation-forgotten" breaks "R-VAL-12":
        "when the callback returns null, every pValue is null";
    AbsentBeside = "absent-beside" breaks "R-VAL-13":
        "one type that is not cached makes the call DXGI_ERROR_NOT_FOUND";
    AbsentCapacity = "absent-capacity" breaks "R-VAL-13":
        "the ValueSize of a type that is not cached stays the capacity of its buffer";
    EmptyKeyAccepted = "value-empty-key" breaks "R-VAL-14":
        "StoreValue with a key of size 0 gets S_OK";
    NullKeyFollowed = "value-null-key-followed" breaks "R-VAL-14":
        "FindValue reads a null key";
    LackingFound = "lacking-found" notes "R-VAL-15" "S_OK":
        "a type that the key lacks gets S_OK, as the key has another";
    LackingFoundInPart = "lacking-found-in-part" breaks "R-VAL-15":
        "only the size check of a type that the key lacks gets S_OK";
    LackingAllocated = "lacking-allocated" breaks "R-VAL-15":
        "the callback is called for a type that the key lacks";
    ShortStops = "short-stops" breaks "R-VAL-16":
        "nothing is copied where one of several buffers is too small";
    ShortStopsSizes = "short-stops-sizes" breaks "R-VAL-16":
        "the ValueSizes behind that of a buffer that is too small stay";
    BufferAllocated = "buffer-allocated" breaks "R-VAL-17":
        "where there is a callback, buffers are not used";
    BufferOrAllocation = "buffer-or-allocation" breaks "R-VAL-17":
        "where there is a buffer, the callback is not called";

    VersionRequired = "group-version-required" breaks "R-GRP-01":
        "a null pGroupVersion gets E_INVALIDARG";
    VersionZero = "group-version-zero" breaks "R-GRP-01":
        "a group of version 0 is not found";
    VersionSigned = "group-version-signed" breaks "R-GRP-01":
        "versions of more than 31 bits become the largest of 31 bits";
    AbsentGroupFails = "absent-group-fails" breaks "R-GRP-02":
        "a group that does not exist gets E_FAIL from FindGroup";
    AbsentGroupEmpty = "absent-group-empty" breaks "R-GRP-02":
        "a group that does not exist gets S_OK from FindGroupValues";
    AbsentGroupExists = "absent-group-exists" breaks "R-GRP-02":
        "a group that does not exist gets S_OK from FindGroup where pGroupVersion is null";
    KeysTwice = "group-keys-twice" breaks "R-GRP-03":
        "the callback is called twice for each key";
    KeysOfAll = "group-keys-of-all" breaks "R-GRP-03":
        "the callback is called for the keys of other groups, too";
    KeysVersionIgnored = "group-keys-version-ignored" breaks "R-GRP-04":
        "FindGroupValueKeys takes any version";
    ValuesVersionIgnored = "group-values-version-ignored" breaks "R-GRP-04":
        "FindGroupValues takes any version";
    VersionIgnoredWithout = "group-version-ignored-without" breaks "R-GRP-04":
        "FindGroupValueKeys takes any version where there is no callback";
    KeysCallbackRequired = "group-keys-callback-required" breaks "R-GRP-05":
        "FindGroupValueKeys without a callback gets E_INVALIDARG";
    KeysNeedValues = "group-keys-need-values" breaks "R-GRP-05":
        "FindGroupValueKeys without a callback looks for the values";
    KeysVersionRefused = "group-keys-version-refused" breaks "R-GRP-05":
        "FindGroupValueKeys without a callback takes no version";
    ValuesCounted = "group-values-counted" breaks "R-GRP-06":
        "ValueKeyIndex counts values";
    ValuesByType = "group-values-by-type" breaks "R-GRP-06":
        "the values come type by type";
    ValuesCut = "group-values-cut" breaks "R-GRP-06":
        "the last byte of each value is left out";
    ValuesOfOneType = "group-values-of-one-type" breaks "R-GRP-06":
        "where one type is requested the callback is not called";
    ValuesOfAllTypes = "group-values-of-all-types" breaks "R-GRP-07":
        "values of every type are passed to the callback";
    ValuesOfMoreTypes = "group-values-of-more-types" breaks "R-GRP-07":
        "where several types are requested values of every type are passed to the callback";
    ValuesNotLookedUp = "group-values-not-looked-up" breaks "R-GRP-08":
        "FindGroupValues without a callback looks for the group only";
    LastValue = "group-last-value" breaks "R-GRP-08":
        "FindGroupValues without a callback looks for the values of the last key only";
    ValuesRequired = "group-values-required" breaks "R-GRP-09":
        "keys without values cannot be in a group";
    SecondVersion = "group-second-version" breaks "R-GRP-10":
        "another version of a group gets S_OK";
    GroupAgainLater = "group-again-later" breaks "R-GRP-10":
        "the key of a group that an earlier session stored gets S_OK";
    GroupTakenFails = "group-taken-fails" breaks "R-GRP-11":
        "a group key that is taken gets E_FAIL";
    EmptyGroupKey = "group-empty-key" breaks "R-GRP-12":
        "a group key of size 0 gets S_OK";
    NullKeysFollowed = "group-null-keys-followed" breaks "R-GRP-12":
        "null pValueKeys are read";

    OneCompiler = "compiler-only-one" breaks "R-CMP-01":
        "a session gets one compiler";
    NullSessionPointer = "compiler-null-session-pointer" breaks "R-CMP-02":
        "a null session gets E_POINTER";
    NullSessionFollowed = "compiler-null-session-followed" breaks "R-CMP-02":
        "a null session is called";
    NullSessionPlace = "compiler-null-session-place" breaks "R-CMP-02":
        "a null session leaves *ppCompiler as it was";
    ZeroIsOldest = "compiler-zero-is-oldest" breaks "R-CMP-03":
        "a session's ABIVersion of 0 stands for the oldest";
    CompilerOfLast = "compiler-of-last-session" breaks "R-CMP-03":
        "a compiler is for the session that was created last";
    CompilerNeedsTarget = "compiler-needs-target" breaks "R-CMP-03":
        "a session whose target is that of its file gets no compiler";
    NoGroup = "compile-no-group" breaks "R-CMP-04":
        "a compiled pipeline's group has another key";
    NoGraphics = "compile-no-graphics" breaks "R-CMP-04":
        "graphics pipelines get E_NOTIMPL";
    CodeOnly = "compile-code-only" breaks "R-CMP-05":
        "the plugin is asked for object code only";
    ObjectCodeOnly = "compile-object-code-only" breaks "R-CMP-05":
        "for state objects the plugin is asked for object code only";
    AdditionCodeOnly = "compile-addition-code-only" breaks "R-CMP-05":
        "for additions the plugin is asked for object code only";
    FirstValueOnly = "compile-first-value-only" breaks "R-CMP-05":
        "of several values of a pipeline one has object code";
    PresentAccepted = "compile-present-accepted" breaks "R-CMP-06":
        "a group that is present makes CompilePipelineState return S_OK";
    CompiledAccepted = "compile-compiled-accepted" breaks "R-CMP-06":
        "a group that was compiled before makes CompilePipelineState return S_OK";
    PresentFails = "compile-present-fails" breaks "R-CMP-07":
        "a group that is present makes CompilePipelineState return E_FAIL";
    GroupOfFailure = "compile-group-of-failure" breaks "R-CMP-08":
        "a failed compile stores an empty group";
    GroupOfAddition = "compile-group-of-addition" breaks "R-CMP-08":
        "an addition that fails stores an empty group";
    NullDescPointer = "compile-null-desc-pointer" breaks "R-CMP-09":
        "a null description gets E_POINTER";
    NullGroupKeyFollowed = "compile-null-key-followed" breaks "R-CMP-09":
        "a null group key is read";
    AdditionNullDesc = "compile-addition-null-desc" breaks "R-CMP-09":
        "a null description of an addition gets E_POINTER";
    NoStateObjects = "compile-no-state-objects" breaks "R-CMP-10":
        "CompileStateObject returns E_NOTIMPL";
    NoObjectGroup = "compile-no-object-group" breaks "R-CMP-10":
        "a state object's group has another key";
    NoGrandchildren = "compile-no-grandchildren" breaks "R-CMP-11":
        "nothing grows from a state object that was grown";
    OneChild = "compile-one-child" breaks "R-CMP-11":
        "a state object grows once";
    NoCollections = "compile-no-collections" breaks "R-CMP-12":
        "collections get E_NOTIMPL";
    CollectionUnknown = "compile-collection-unknown" breaks "R-CMP-12":
        "a state object with an existing collection gets E_INVALIDARG";
    CollectionFollowed = "compile-null-collection-followed" breaks "R-CMP-13":
        "an existing collection that is null is called";
    CollectionPassedOver = "compile-collection-passed-over" breaks "R-CMP-13":
        "a collection that is given by its key is passed over";
    FirstGroupOnly = "compile-first-group-only" breaks "R-CMP-14":
        "of several groups the first is stored";
    OneVersion = "compile-one-version" breaks "R-CMP-14":
        "several groups are stored under the version of the first";
    NewGroupsStored = "compile-new-groups-stored" breaks "R-CMP-15":
        "where a group is present the others are stored";
    NoCompiler1 = "compiler-of-one-interface" leaves "R-CMP-14" "R-CMP-15":
        "the compiler has no ID3D12Compiler1";

    CompilerIidIgnored = "compiler-iid-ignored" breaks "R-LIF-01":
        "an unknown IID gets a compiler";
    SessionIidInvalid = "session-iid-invalid" breaks "R-LIF-01":
        "an unknown IID of a session gets E_INVALIDARG";
    AdditionIidIgnored = "addition-iid-ignored" breaks "R-LIF-01":
        "an unknown IID gets a grown state object";
    NoFactory = "no-factory" breaks "R-LIF-02":
        "GetFactory of a session returns E_NOTIMPL";
    NoCompiler = "no-compiler" breaks "R-LIF-02":
        "GetCompiler returns E_NOTIMPL";
    NoCompilerOfGrown = "no-compiler-of-grown" breaks "R-LIF-02":
        "GetCompiler of a grown state object returns E_NOTIMPL";
    LastCacheSession = "last-cache-session" breaks "R-LIF-02":
        "GetCacheSession gives the session that was created last";
    SessionEnds = "session-ends-with-factory" breaks "R-LIF-03":
        "FindGroup fails when the program has released the factory";
    OneAtATime = "compile-one-at-a-time" breaks "R-LIF-04":
        "a compile while another runs is refused";
    OneObjectAtATime = "compile-one-object-at-a-time" breaks "R-LIF-04":
        "a state object while another is compiled is refused";

    HostSizeQuery = "host-size-query" breaks "H-01":
        "the size query has one entry";
    HostShortArray = "host-short-array" breaks "H-01":
        "the array has room for one version less";
    HostFixedArrays = "host-fixed-arrays" leaves "H-01" "H-12":
        "versions are asked for with arrays that are large enough, and their numbers never";
    HostOtherVersion = "host-other-version" breaks "H-02":
        "a version that is not reported is tried first";
    HostEarlyTable = "host-early-table" breaks "H-02":
        "a table is asked for before a version is selected";
    HostEarlyTableAgain = "host-early-table-again" breaks "H-02":
        "when the plugin is opened again a table is asked for before a version is selected";
    HostNullCallback = "host-null-callback" breaks "H-03":
        "a callback table with a null entry is set first";
    HostLateCallbacks = "host-late-callbacks" breaks "H-03":
        "the callback table is set when a compiler could not be created";
    HostLateCallbacksAgain = "host-late-callbacks-again" breaks "H-03":
        "when the plugin is opened again the callback table is set too late";
    HostDeadCompiler = "host-dead-compiler" breaks "H-04":
        "a compiler is used after it was destroyed";
    HostDestroysTwice = "host-destroys-twice" breaks "H-04":
        "a state object is destroyed twice";
    HostForgetsCompilers = "host-forgets-compilers" breaks "H-04":
        "compilers are not destroyed";
    HostDestroysNothing = "host-destroys-nothing" hides "H-04" "H-10" "H-11":
        "nothing is destroyed while the process runs";
    HostNoSize = "host-no-size" breaks "H-05":
        "a compiler is tried with memory of a size that was not calculated";
    HostUsesMemory = "host-uses-memory" breaks "H-05":
        "the last bytes of a compiler's memory are used for something else";
    HostAbiZero = "host-abi-zero" breaks "H-06":
        "a profile version is asked for ABI version 0";
    HostAbiZeroOfLater = "host-abi-zero-of-later" breaks "H-06":
        "a profile version of a later family is asked for ABI version 0";
    HostNullName = "host-null-name" breaks "H-07":
        "a profile version is asked for an application without a name";
    HostNameHandedDown = "host-name-handed-down" breaks "H-07":
        "an application's null name reaches the plugin";
    HostUnknownType = "host-unknown-type" breaks "H-08":
        "a compile is tried with a value type that does not exist";
    HostStoresAgain = "host-stores-again" breaks "H-09":
        "storing a value again gets S_OK";
    HostShortBuffer = "host-short-buffer" breaks "H-09":
        "finding into a buffer that is too small gets S_OK";
    HostSharedSession = "host-shared-session" breaks "H-09":
        "compile calls at the same time have one session handle";
    HostNullSession = "host-null-session" breaks "H-09":
        "the first compile call has a null session handle";
    HostSizeMoreData = "host-size-more-data" breaks "H-09":
        "the size check of one value gets DXGI_ERROR_MORE_DATA";
    HostSizeKept = "host-size-kept" breaks "H-09":
        "the size check of one value leaves ValueSize at 0";
    HostSizeSetsPointer = "host-size-sets-pointer" breaks "H-09":
        "the size check sets pValue";
    HostShortSizeKept = "host-short-size-kept" breaks "H-09":
        "a buffer that is too small keeps its ValueSize";
    HostShortOverrun = "host-short-overrun" breaks "H-09":
        "one byte is written behind a buffer that is too small";
    HostBufferCleared = "host-buffer-cleared" breaks "H-09":
        "the rest of a larger buffer is cleared";
    HostSizeIsCapacity = "host-size-is-capacity" breaks "H-09":
        "the ValueSize of a larger buffer stays its capacity";
    HostAbsentFound = "host-absent-found" breaks "H-09":
        "the size check of a key that is not cached gets S_OK";
    HostAbsentFails = "host-absent-fails" breaks "H-09":
        "finding a key that is not cached into a buffer gets E_FAIL";
    HostAbsentAllocated = "host-absent-allocated" breaks "H-09":
        "the allocation callback is called for a key that is not cached";
    HostNotAllocated = "host-not-allocated" breaks "H-09":
        "the allocation callback is not called";
    HostAllocationSize = "host-allocation-size" breaks "H-09":
        "the allocation callback is asked for one byte more";
    HostAllocationKept = "host-allocation-kept" breaks "H-09":
        "pValue does not become what the allocation callback returned";
    HostAllocationFails = "host-allocation-fails" breaks "H-09":
        "an allocation callback that returns null makes the find fail with E_FAIL";
    HostAllocationIgnored = "host-allocation-ignored" breaks "H-09":
        "an allocation callback that returns null makes the find return S_OK";
    HostAllocationForgotten = "host-allocation-forgotten" breaks "H-09":
        "when the allocation callback returns null, every pValue is null";
    HostBufferAllocated = "host-buffer-allocated" breaks "H-09":
        "where there is an allocation callback, buffers are not used";
    HostFirstOnly = "host-first-only" breaks "H-09":
        "of several buffers the first is filled";
    HostShortStops = "host-short-stops" breaks "H-09":
        "nothing is copied where one of several buffers is too small";
    HostStoresNothing = "host-stores-nothing" breaks "H-09":
        "storing no values gets S_OK";
    HostStoresNull = "host-stores-null" breaks "H-09":
        "storing null gets S_OK";
    HostStoresEmpty = "host-stores-empty" breaks "H-09":
        "values of size 0 are passed over";
    HostStoresTwice = "host-stores-twice" breaks "H-09":
        "of two values of one type the first is stored";
    HostAgainFails = "host-again-fails" breaks "H-09":
        "storing a value again gets E_FAIL";
    HostPdbAgain = "host-pdb-again" breaks "H-09":
        "storing debug information again gets S_OK";
    HostReplaces = "host-replaces" breaks "H-09":
        "storing another value gets DXGI_ERROR_ALREADY_EXISTS and replaces the first";
    HostChangesDesc = "host-changes-desc" breaks "H-10":
        "the description of a state object is cleared after the call";
    HostParentFirst = "host-parent-first" breaks "H-10":
        "a parent is destroyed before its children";
    HostFreesNames = "host-frees-names" breaks "H-10":
        "the names of a library's exports are cleared after the call";
    HostFreesPrograms = "host-frees-programs" breaks "H-10":
        "the programs of libraries are cleared after the call";
    HostFreesConfigs = "host-frees-configs" breaks "H-10":
        "the raytracing configs are cleared after the call";
    HostFreesRootSignatures = "host-frees-root-signatures" breaks "H-10":
        "root signatures are cleared after the call";
    HostFreesNodes = "host-frees-nodes" breaks "H-10":
        "the first node of a work graph is cleared after the call";
    HostCollectionFirst = "host-collection-first" breaks "H-10":
        "a collection is destroyed before what it is in";
    HostNoWorkGraphs = "host-no-work-graphs" notes "H-10" "work graph":
        "work graphs are refused";
    HostLateCall = "host-late-call" breaks "H-11":
        "families are enumerated after DestroyCompilerDDI";
    HostKeepsOpen = "host-keeps-open" leaves "H-11":
        "the plugin is never closed";
    HostNullCount = "host-null-count" breaks "H-12":
        "a null array comes with a count of 1";
    HostLackingFound = "host-lacking-found" notes "H-13" "S_OK":
        "finding a type that the key lacks gets S_OK, as the key has another";
    HostLackingFoundInPart = "host-lacking-found-in-part" breaks "H-13":
        "only the size check of a type that the key lacks gets S_OK";
    HostLackingAllocated = "host-lacking-allocated" breaks "H-13":
        "the allocation callback is called for a type that the key lacks";
    HostAbsentBeside = "host-absent-beside" breaks "H-14":
        "one type that is not cached makes a find DXGI_ERROR_NOT_FOUND";
    HostAbsentCapacity = "host-absent-capacity" breaks "H-14":
        "the ValueSize of a type that is not cached stays the capacity of its buffer";
    HostLateSession = "host-late-session" breaks "H-15":
        "the callbacks return S_OK for the session handle of an earlier call";
    HostSessionFollowed = "host-session-followed" breaks "H-15":
        "the callbacks follow the session handle of an earlier call";
    HostSessionAgain = "host-session-again" notes "H-15" "again":
        "one compile call after the other has the same session handle";
    HostKeysTwice = "host-keys-twice" breaks "H-16":
        "a second list of value keys gets S_OK";
    HostKeysLast = "host-keys-last" breaks "H-16":
        "of two lists of value keys the second is refused and taken";
    HostNullKeyFollowed = "host-null-key-followed" breaks "H-17":
        "finding reads a null key";
    HostEmptyKey = "host-empty-key" breaks "H-17":
        "storing with a key of size 0 gets S_OK";
    HostNullBuffer = "host-null-buffer" breaks "H-17":
        "finding into a null buffer is the size check";
    HostUnknownTypeLost = "host-unknown-type-lost" breaks "H-17":
        "values of types that do not exist are passed over";
    HostRefusedInPart = "host-refused-in-part" breaks "H-17":
        "the values before one of a type that does not exist are stored";
    HostNullValue = "host-null-value" breaks "H-17":
        "null values that have a size are passed over";
    HostFindsNothing = "host-finds-nothing" breaks "H-17":
        "finding no values gets S_OK";
    HostNullKeys = "host-null-keys" breaks "H-17":
        "a null list of value keys gets S_OK";
    HostNullNotAllocated = "host-null-not-allocated" breaks "H-18":
        "for a null pValue the allocation callback is not called";
}
