//! The defects: one table that the plugin and the tests of the suite share.
//!
//! Each is one deviation from the specification, as a vendor could have made it, and breaks one rule; or
//! a choice that the specification leaves, which breaks none.
//! The plugin's code names each variant where it deviates, and nowhere else.

/// Selects a defect by its name; unset, or [`NONE`], selects none.
pub const VARIABLE: &str = "DDI_DEFECT";

/// The name of the plugin without a defect.
pub const NONE: &str = "none";

/// One defect.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What the suite has to say of it.
    pub expected: Expected,
    /// What the plugin does.
    pub what: &'static str,
    /// Other rules that notice it too, each with the reason why that cannot be helped.
    pub also: &'static [(&'static str, &'static str)],
    /// Rules that notice it now and then, by chance.
    pub sometimes: &'static [(&'static str, &'static str)],
    /// Where it is.
    pub defect: Defect,
}

/// What the suite has to say of a plugin.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// The rule of this id is broken.
    Breaks(&'static str),
    /// Every rule holds, and of this one the report says so much.
    Notes(&'static str, &'static str),
    /// Every rule holds: the specification leaves the choice.
    Passes,
    /// The rule of this id does not apply, and every other one holds.
    Leaves(&'static str),
    /// No rule is broken, and rules of level MUST are left undecided.
    Undecided,
}

impl Expected {
    /// The id of the rule that it is about.
    pub fn rule(self) -> Option<&'static str> {
        match self {
            Self::Breaks(rule) | Self::Notes(rule, _) | Self::Leaves(rule) => Some(rule),
            Self::Passes | Self::Undecided => None,
        }
    }
}

macro_rules! expected {
    (breaks $rule:literal) => {
        Expected::Breaks($rule)
    };
    (notes $rule:literal $words:literal) => {
        Expected::Notes($rule, $words)
    };
    (passes) => {
        Expected::Passes
    };
    (leaves $rule:literal) => {
        Expected::Leaves($rule)
    };
    (undecided) => {
        Expected::Undecided
    };
}

macro_rules! defects {
    ($(
        $(#[doc = $where:literal])*
        $group:ident {
            $($defect:ident = $name:literal $expected:ident $($rule:literal)*: $what:literal
                $(, also $other:literal because $reason:literal)*
                $(, sometimes $chance:literal because $luck:literal)*;)*
        }
    )*) => {
        /// One defect, by the place where it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Defect {
            $($(#[doc = $where])* $group($group),)*
        }

        $(
            $(#[doc = $where])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $group {
                $(#[doc = $what] $defect,)*
            }
        )*

        /// Every defect.
        pub const DEFECTS: &[Entry] = &[$($(
            Entry {
                name: $name,
                expected: expected!($expected $($rule)*),
                what: $what,
                also: &[$(($other, $reason)),*],
                sometimes: &[$(($chance, $luck)),*],
                defect: Defect::$group($group::$defect),
            },
        )*)*];
    };
}

defects! {
    /// Before there is a plugin to open: libraries of their own.
    Export {
        Mangled = "export-mangled" breaks "P-OPEN-01":
            "the export has the mangled name of a C++ function";
        NoLibrary = "no-library" breaks "P-OPEN-01":
            "the file is not a library";
    }

    /// In `D3D12OpenCompilerDDI`.
    Open {
        Fails = "open-fails" breaks "P-OPEN-02":
            "a valid open returns E_FAIL";
        SFalse = "open-s-false" breaks "P-OPEN-02":
            "a valid open returns S_FALSE";
        NullHandle = "open-null-handle" breaks "P-OPEN-02":
            "hCompilerDDI is left null";
        NeedsPath = "open-needs-path" breaks "P-OPEN-05":
            "the driver is searched for along PATH, and without one opening fails";
        NullEntry = "open-null-entry" breaks "P-OPEN-03":
            "pfnSetCallbackDDITable is null";
        NullArgumentAccepted = "open-null-argument-accepted" breaks "P-OPEN-04":
            "a null argument gets S_OK";
        NullArgumentFollowed = "open-null-argument-followed" breaks "P-OPEN-04":
            "a null argument is read";
        NullTableFollowed = "open-null-table-followed" breaks "P-OPEN-04":
            "a null pDDIFuncs is read";
        WritesPastArgument = "open-writes-past-argument" breaks "P-OPEN-09":
            "a byte behind the argument structure is written";
        WritesPastTable = "open-writes-past-table" breaks "P-OPEN-09":
            "a sixth entry is written behind the table";
        OwnTable = "open-own-table" notes "P-OPEN-11" "a table of its own":
            "pDDIFuncs is set to a table of the plugin's own, and the host's is left alone";
        NullTable = "open-null-table" breaks "P-OPEN-02":
            "pDDIFuncs is set to null";
        OwnAndHostTable = "open-own-and-host-table" notes "P-OPEN-11" "fills the host's table, and sets":
            "pDDIFuncs is set to a table of the plugin's own after the host's was filled";
        OwnAndHalfTable = "open-own-and-half-table" breaks "P-OPEN-11":
            "pDDIFuncs is set to a table of the plugin's own, and the host's gets the first function only";
        ZeroTable = "open-zero-table" breaks "P-OPEN-03":
            "the whole table is cleared";
        SecondOwnTable = "open-second-own-table" breaks "P-OPEN-11":
            "the first open fills the host's table, a later one sets pDDIFuncs to the plugin's own";
        SecondFails = "open-second-fails" breaks "P-OPEN-06":
            "an open while another lives gets E_FAIL";
        ReplacesRuntimeHandle = "open-replaces-runtime-handle" breaks "P-OPEN-10":
            "hRTCompilerDDI is overwritten";
    }

    /// In what several opens share, and in `pfnDestroyCompilerDDI`.
    Opens {
        OneCallbackTable = "one-callback-table" breaks "P-OPEN-06":
            "compiles of every open reach the callbacks that were set last";
        OneCallbackTableAtCreation = "one-callback-table-at-creation" breaks "P-OPEN-06":
            "a new compiler gets the callbacks that were set last, in whatever open";
        OneVersion = "one-version" breaks "P-OPEN-06":
            "an open cannot fill its tables once another has selected another version";
        DestroyEndsAll = "destroy-ends-all" breaks "P-OPEN-06":
            "destroying an open that has selected a version ends the others";
        LeaksMemory = "destroy-leaks-memory" breaks "P-OPEN-07":
            "each destroyed open leaves 256 bytes behind";
        AskingLeaksMemory = "versions-leak-memory" breaks "P-OPEN-07":
            "each pfnGetSupportedVersions leaves 256 bytes behind";
        LeaksHandle = "destroy-leaks-handle" breaks "P-OPEN-07":
            "each destroyed open leaves a file open";
        LeavesThread = "destroy-leaves-thread" breaks "P-OPEN-07":
            "destroying starts a thread that never ends";
        LeavesWorker = "destroy-leaves-worker" breaks "P-OPEN-07":
            "the first compiler starts a thread that outlives its open";
        LeavesOpen = "destroy-does-nothing" breaks "P-OPEN-07":
            "a destroyed open lives on, until there is no place for another";
        EarlyDestroyFollowsNull = "early-destroy-follows-null" breaks "P-OPEN-08":
            "destroying before a version is selected reads what the selection would have made";
        EarlyDestroyEndsOpening = "early-destroy-ends-opening" breaks "P-OPEN-08":
            "after destroying before a version is selected every open fails";
        EarlyDestroyEndsSelection = "early-destroy-ends-selection" breaks "P-OPEN-08":
            "after destroying before a version is selected no open can select one";
    }

    /// In `pfnGetSupportedVersions`.
    Versions {
        SizeQueryFails = "versions-size-query-fails" breaks "P-VER-01":
            "the size query returns DXGI_ERROR_MORE_DATA";
        None = "versions-none" breaks "P-VER-01":
            "the list is empty";
        ExactRefused = "versions-exact-refused" breaks "P-VER-02":
            "an array of the exact size gets DXGI_ERROR_MORE_DATA";
        LastUnwritten = "versions-last-unwritten" breaks "P-VER-02":
            "in an array of the exact size the last entry is left as it was";
        CountIsCapacity = "versions-count-is-capacity" breaks "P-VER-03":
            "the count of a larger array stays its capacity";
        TailCleared = "versions-tail-cleared" breaks "P-VER-03":
            "the entries of a larger array past the list are cleared";
        Overrun = "versions-overrun" breaks "P-VER-04":
            "one entry more is written than an array that is too small has";
        ShortSucceeds = "versions-short-succeeds" breaks "P-VER-04":
            "an array that is too small gets S_OK";
        NullCountAccepted = "versions-null-count-accepted" breaks "P-VER-05":
            "a null count gets S_OK";
        NullCountFollowed = "versions-null-count-followed" breaks "P-VER-05":
            "a null count is read";
        Twice = "versions-twice" breaks "P-VER-06":
            "the newest version is listed twice";
        MajorZero = "versions-major-zero" breaks "P-VER-06":
            "a version has the form 0.12.0.1";
        PerOpen = "versions-per-open" breaks "P-VER-06":
            "every second open has the list in the opposite order";
        AfterSelection = "versions-after-selection" breaks "P-VER-06":
            "a version that was selected is the only one of the list";
        EmptyOverrun = "versions-empty-overrun" breaks "P-VER-04":
            "the first entry is written to an array of length 0";
        CountKeptWhenShort = "versions-count-kept-when-short" breaks "P-VER-10":
            "the count stays the capacity of an array that is too small";
        OnlyFuture = "versions-only-future" undecided:
            "the one version is 12.0.3.0, which nobody else knows yet";
        FutureToo = "versions-future-too" notes "P-VER-07" "12.0.3.0":
            "12.0.3.0 is one of the versions";
    }

    /// In `pfnSetSelectedVersion`.
    Select {
        OlderRefused = "select-older-refused" breaks "P-VER-07":
            "only the newest of the reported versions can be selected";
        AnyAccepted = "select-any-accepted" breaks "P-VER-08":
            "a version that was not reported is accepted";
        AnyOlderAccepted = "select-any-older-accepted" breaks "P-VER-08":
            "every version that is older than the newest is accepted";
        RefusedCounts = "select-refused-counts" breaks "P-VER-09":
            "a version that is refused is selected all the same";
    }

    /// In `pfnFillDDITable`.
    Fill {
        BeforeSelection = "fill-before-selection" breaks "P-VER-09":
            "tables are filled before a version is selected";
        CapabilitiesNullEntry = "capabilities-null-entry" breaks "P-TBL-01":
            "pfnCheckMultisampleQualityLevels is null";
        CapabilitiesExactRefused = "capabilities-exact-refused" breaks "P-TBL-01":
            "the CAPABILITIES table is refused at its exact size";
        CompilerNullEntry = "compiler-null-entry" breaks "P-TBL-02":
            "pfnCompileAddToStateObject is null";
        CompilerExactRefused = "compiler-exact-refused" breaks "P-TBL-02":
            "the COMPILER table is refused at its exact size";
        OldCapabilitiesRefused = "old-capabilities-refused" breaks "P-TBL-01":
            "the CAPABILITIES table of the oldest version is refused";
        OldCompilerNullEntry = "old-compiler-null-entry" breaks "P-TBL-02":
            "pfnCompileAddToStateObject of the oldest version is null";
        UnknownAccepted = "fill-unknown-accepted" breaks "P-TBL-03":
            "an unknown table type gets S_OK";
        UnknownWritten = "fill-unknown-written" breaks "P-TBL-03":
            "the memory for a table of unknown type is cleared before it is refused";
        Overrun = "fill-overrun" breaks "P-TBL-04":
            "the whole table is written whatever tableSize says";
        ShortAccepted = "fill-short-accepted" breaks "P-TBL-04":
            "a size that is too small is filled in part, with S_OK";
        OlderAccepted = "fill-older-accepted" breaks "P-TBL-04":
            "a size of five entries is filled so far, with S_OK";
        LargerRefused = "fill-larger-refused" breaks "P-TBL-05":
            "a size that is larger than the table is refused";
        LargerCleared = "fill-larger-cleared" breaks "P-TBL-05":
            "what is behind the table in a larger size is cleared";
        LongRefused = "fill-long-refused" breaks "P-TBL-05":
            "a size of more than 256 bytes is refused";
        NullAccepted = "fill-null-accepted" breaks "P-TBL-06":
            "a null pTable gets S_OK";
        NullOfNoSizeAccepted = "fill-null-of-no-size-accepted" breaks "P-TBL-06":
            "a null pTable gets S_OK if tableSize is 0";
        NullFollowed = "fill-null-followed" breaks "P-TBL-06":
            "a null pTable is read";
        Differs = "fill-differs" breaks "P-TBL-07":
            "every second table has another pfnGetCompilerVersion";
        DiffersLater = "fill-differs-after-callbacks" breaks "P-TBL-07":
            "once the callbacks are set, the CAPABILITIES table has another pfnGetCompilerVersion";
    }

    /// In `pfnSetCallbackDDITable`.
    Callbacks {
        ExactRefused = "callbacks-exact-refused" breaks "P-CBT-01":
            "the callback table is refused at its exact size";
        LostByFill = "callbacks-lost-by-fill" breaks "P-CBT-01":
            "the callbacks are forgotten when the COMPILER table is filled";
        Kept = "callbacks-kept" breaks "P-CBT-02":
            "pTable is kept, and read at each callback";
        UnknownAccepted = "callbacks-unknown-accepted" breaks "P-CBT-03":
            "an unknown callback table type gets S_OK";
        ShortAccepted = "callbacks-short-accepted" breaks "P-CBT-03":
            "a size that is too small gets S_OK";
        TwoAccepted = "callbacks-two-accepted" breaks "P-CBT-03":
            "a table of two callbacks gets S_OK";
        RefusedKept = "callbacks-refused-kept" breaks "P-CBT-03":
            "a table that is refused for its size takes the place of the one before";
        NullAccepted = "callbacks-null-accepted" breaks "P-CBT-03":
            "a null table gets S_OK";
        AbsentIgnored = "callbacks-absent-ignored" breaks "P-CBT-04":
            "without callbacks compiles store nothing and succeed";
        AbsentFollowed = "callbacks-absent-followed" breaks "P-CBT-04":
            "without callbacks compiles call through null";
        AbsentIgnoredLater = "callbacks-absent-second-family" breaks "P-CBT-04":
            "without callbacks compiles for the second family store nothing and succeed";
        Written = "callbacks-written" breaks "P-CBT-05":
            "the callback table is written to";
        ReadPast = "callbacks-read-past" breaks "P-CBT-05":
            "a fourth callback is read behind the table";
        ShortReadPast = "callbacks-short-read-past" breaks "P-CBT-05":
            "a table that is too short is read as a whole before it is refused";
        LargerRefused = "callbacks-larger-refused" breaks "P-CBT-06":
            "a size that is larger than the table is refused";
        LargerFollowed = "callbacks-larger-followed" breaks "P-CBT-06":
            "what is behind the third callback of a larger table is called";
        LargerIgnored = "callbacks-larger-ignored" breaks "P-CBT-06":
            "a larger table gets S_OK, and its callbacks are not taken";
    }

    /// In `pfnEnumerateAdapterFamilies`.
    Families {
        FromOne = "families-from-one" breaks "P-FAM-01":
            "the first family has the index 1";
        Hole = "families-hole" breaks "P-FAM-01":
            "the second family has the index 5";
        InOrder = "families-in-order" breaks "P-FAM-01":
            "a family is found only right after the one before it, or again";
        NeedPath = "families-need-path" breaks "P-OPEN-05":
            "the second family is there only where PATH is set";
        PastEndInvalid = "families-past-end-invalid" breaks "P-FAM-02":
            "an index past the end gets E_INVALIDARG";
        MaxWraps = "families-max-wraps" breaks "P-FAM-02":
            "the index UINT_MAX is taken for the first family";
        EmptyName = "families-empty-name" breaks "P-FAM-03":
            "a name is empty";
        Unterminated = "families-unterminated" breaks "P-FAM-03":
            "a name fills all 128 WCHARs";
        Surrogate = "families-surrogate" breaks "P-FAM-03":
            "a name ends with half of a surrogate pair";
        NameOverrun = "families-name-overrun" breaks "P-FAM-03":
            "a terminator is written behind the 128 WCHARs";
        SameNames = "families-same-names" breaks "P-FAM-04":
            "two families have one name";
        Leftovers = "families-leftovers" breaks "P-FAM-05":
            "what follows the terminator of a name is not zero";
        PerOpen = "families-per-open" breaks "P-FAM-05":
            "every second open has the families in another order";
        PerVersion = "families-per-version" breaks "P-FAM-05":
            "with the oldest version selected the families have another order";
        NullAccepted = "families-null-accepted" breaks "P-FAM-06":
            "a null pAdapterFamily gets S_OK";
        NullFollowed = "families-null-followed" breaks "P-FAM-06":
            "a null pAdapterFamily is read";
        SecondNullFollowed = "families-second-null-followed" breaks "P-FAM-06":
            "a null pAdapterFamily is read for the second family";
    }

    /// In `pfnGetAdapterFamilyABIVersions`.
    AbiVersions {
        SizeQueryFails = "abi-size-query-fails" breaks "P-ABI-01":
            "the size query returns DXGI_ERROR_MORE_DATA";
        None = "abi-none" breaks "P-ABI-01":
            "a family has no ABI version";
        ExactRefused = "abi-exact-refused" breaks "P-ABI-02":
            "an array of the exact size gets DXGI_ERROR_MORE_DATA";
        CountIsCapacity = "abi-count-is-capacity" breaks "P-ABI-02":
            "the count of a larger array stays its capacity";
        TailCleared = "abi-tail-cleared" breaks "P-ABI-02":
            "the entries of a larger array past the list are cleared";
        OldestFirst = "abi-oldest-first" breaks "P-ABI-03":
            "the list starts with the oldest version";
        Twice = "abi-twice" breaks "P-ABI-03":
            "the newest version is listed twice";
        Zero = "abi-zero" breaks "P-ABI-04":
            "version 0 is listed";
        Max = "abi-max" breaks "P-ABI-04":
            "version UINT64_MAX is listed";
        ShortFails = "abi-short-fails" breaks "P-ABI-05":
            "an array that is too small gets E_FAIL";
        ShortSucceeds = "abi-short-succeeds" breaks "P-ABI-05":
            "an array that is too small gets S_OK";
        ShortFromOldest = "abi-short-from-oldest" breaks "P-ABI-05":
            "an array that is too small gets the oldest versions";
        ShortUnwritten = "abi-short-unwritten" breaks "P-ABI-05":
            "an array that is too small is left as it was";
        Overrun = "abi-overrun" breaks "P-ABI-05":
            "one entry more is written than an array that is too small has";
        EmptyIsSizeQuery = "abi-empty-is-size-query" breaks "P-ABI-05":
            "an array of length 0 that is not null is taken for the size query";
        NullCountAccepted = "abi-null-count-accepted" breaks "P-ABI-06":
            "a null count gets S_OK";
        NullCountFollowed = "abi-null-count-followed" breaks "P-ABI-06":
            "a null count is read";
        UnknownNullCountFollowed = "abi-unknown-null-count-followed" breaks "P-ABI-06":
            "a null count is written for an unknown family";
        UnknownCountKept = "abi-unknown-count-kept" breaks "P-ABI-07":
            "the count of an unknown family is left as it was";
        UnknownInvalid = "abi-unknown-invalid" breaks "P-ABI-07":
            "an unknown family gets E_INVALIDARG";
        CountKeptWhenShort = "abi-count-kept-when-short" breaks "P-ABI-08":
            "the count stays the capacity of an array that is too small";
        CountKeptWhenNull = "abi-count-kept-when-null" breaks "P-ABI-08":
            "the count of a null array is left as it was when it is not 0";
        ShortNullFollowed = "abi-short-null-followed" breaks "P-ABI-08":
            "a null array is written as far as the count goes, if that is short";
        Hole = "abi-hole" breaks "P-ABI-09":
            "a version inside the list is missing",
            also "P-PROF-05" because "a target of the missing version is as good as others",
            also "P-CMP-05" because "a target of the missing version is as good as others";
        PerOpen = "abi-per-open" breaks "P-ABI-10":
            "every second open lacks the oldest version";
        PerVersion = "abi-per-version" breaks "P-ABI-10":
            "with the oldest DDI version selected the oldest ABI version is missing";
    }

    /// In `pfnGetCompilerVersion`.
    CompilerVersion {
        PerCall = "compiler-version-per-call" breaks "P-CVER-01":
            "the version counts the calls";
        PerProcess = "compiler-version-per-process" breaks "P-CVER-01":
            "the version has the number of the process in it";
        PastEndInvalid = "compiler-version-past-end-invalid" breaks "P-CVER-01":
            "a family past the end gets E_INVALIDARG";
        PastEndAccepted = "compiler-version-past-end-accepted" breaks "P-CVER-01":
            "a family past the end has a version";
        PastEndWraps = "compiler-version-past-end-wraps" breaks "P-CVER-01":
            "of the family's index the lowest 8 bits count";
        Zero = "compiler-version-zero" breaks "P-CVER-02":
            "the version is 0.0.0.0";
        NullAccepted = "compiler-version-null-accepted" breaks "P-CVER-02":
            "a null pCompilerVersion gets S_OK";
        NullFollowed = "compiler-version-null-followed" breaks "P-CVER-02":
            "a null pCompilerVersion is read";
    }

    /// In `pfnGetApplicationProfileVersion`.
    Profile {
        AbsentFails = "profile-absent-fails" breaks "P-PROF-01":
            "an application without a profile gets DXGI_ERROR_NOT_FOUND";
        PerOpen = "profile-per-open" breaks "P-PROF-01":
            "every second open has another version";
        FromPadding = "profile-from-padding" breaks "P-PROF-01":
            "the version depends on the padding of pTarget";
        AbsentNotZero = "profile-absent-not-zero" breaks "P-PROF-02":
            "an application without a profile gets version 1.0.0.0";
        EngineRequired = "profile-engine-required" breaks "P-PROF-03":
            "an application without an engine gets E_INVALIDARG";
        EngineFollowed = "profile-engine-followed" breaks "P-PROF-03":
            "a null pEngineName is read";
        NullTargetAccepted = "profile-null-target-accepted" breaks "P-PROF-04":
            "a null pTarget gets S_OK";
        NullApplicationFollowed = "profile-null-application-followed" breaks "P-PROF-04":
            "a null pApplicationDesc is read";
        SecondNullFollowed = "profile-second-null-followed" breaks "P-PROF-04":
            "a null pApplicationDesc is read for the second family";
        NullVersionFollowed = "profile-null-version-followed" breaks "P-PROF-04":
            "a null pApplicationProfileVersion is read";
        UnknownFamily = "profile-unknown-family" breaks "P-PROF-05":
            "an unknown family has a profile version";
        UnknownAbi = "profile-unknown-abi" breaks "P-PROF-05":
            "an unknown ABI version has a profile version";
        OtherFamilysAbi = "profile-other-familys-abi" breaks "P-PROF-05":
            "an ABI version of another family has a profile version";
    }

    /// In whatever takes an application, where it has no engine.
    Engine {
        CapsFollow = "caps-engine-followed" breaks "P-PROF-03":
            "pfnGetCaps reads a null pEngineName";
        CapsRequire = "caps-engine-required" breaks "P-PROF-03":
            "pfnGetCaps of an application without an engine gets E_INVALIDARG";
        SizeFollows = "compiler-size-engine-followed" breaks "P-PROF-03":
            "pfnCalcPrivateCompilerSize reads a null pEngineName";
        CreationFollows = "compiler-engine-followed" breaks "P-PROF-03":
            "pfnCreateCompiler reads a null pEngineName";
        CreationRequires = "compiler-engine-required" breaks "P-PROF-03":
            "a compiler of the second family needs an engine";
        CompileFollows = "compile-engine-followed" breaks "P-PROF-03":
            "a compile reads what was a null pEngineName at the creation of its compiler";
    }

    /// In the size, creation and destruction of compilers.
    Compilers {
        SizeVaries = "compiler-size-varies" breaks "P-CMP-01":
            "the private size grows with each call";
        CreationFails = "compiler-creation-fails" breaks "P-CMP-01":
            "pfnCreateCompiler returns E_FAIL";
        WritesPast = "compiler-writes-past" breaks "P-CMP-01":
            "a byte behind the private memory is written";
        WritesBefore = "compiler-writes-before" breaks "P-CMP-01":
            "a byte in front of the private memory is written";
        AssumesZeros = "compiler-assumes-zeros" breaks "P-CMP-01":
            "private memory that is not zero is taken for a compiler that lives already";
        WritesPastForGraphics = "compiler-graphics-writes-past" breaks "P-CMP-01":
            "a byte behind the private memory is written by a compile for more than one stage";
        WritesPastForName = "compiler-long-name-writes-past" breaks "P-CMP-01":
            "a byte behind the private memory is written for a long pExeFilename";
        NeedsAlignment = "compiler-needs-alignment" breaks "P-CMP-01":
            "private memory that is not aligned to 64 bytes gets E_INVALIDARG";
        KeepsTarget = "compiler-keeps-target" breaks "P-CMP-02":
            "pTarget is kept, and read at each compile";
        KeepsApplication = "compiler-keeps-application" breaks "P-CMP-02":
            "pApplicationDesc is kept, and read at each compile";
        SecondKeepsTarget = "compiler-second-family-keeps-target" breaks "P-CMP-02":
            "pTarget is kept for the second family, and read at each compile";
        OnlyLast = "compiler-only-last" breaks "P-CMP-03":
            "every compile is made by the compiler that was created last",
            also "P-PSO-07" because "a new compiler makes what the one before it did not make";
        OnlyLastForGraphics = "compiler-graphics-only-last" breaks "P-CMP-03":
            "pipelines of more than one stage are compiled by the compiler that was created last",
            also "P-PSO-07" because "the compilers of several targets live when it compiles again";
        DestroyEndsOthers = "compiler-destroy-ends-others" breaks "P-CMP-03":
            "destroying a compiler ends the others";
        WritesAfterDestroy = "compiler-writes-after-destroy" breaks "P-CMP-04":
            "the memory of a destroyed compiler is written to by the next call";
        SecondWritesAfterDestroy = "compiler-second-family-writes-after-destroy" breaks "P-CMP-04":
            "the memory of a destroyed compiler of the second family is written to by the next call";
        UnknownFamily = "compiler-unknown-family" breaks "P-CMP-05":
            "a compiler for an unknown family is created";
        UnknownAbi = "compiler-unknown-abi" breaks "P-CMP-05":
            "a compiler for an unknown ABI version is created";
        OtherFamilysAbi = "compiler-other-familys-abi" breaks "P-CMP-05":
            "a compiler for an ABI version of another family is created";
        WritesTarget = "compiler-writes-target" breaks "P-CMP-06":
            "pTarget is written to";
        WritesApplication = "compiler-writes-application" breaks "P-CMP-06":
            "the case of the executable's name is folded in place";
        NullTargetAccepted = "compiler-null-target-accepted" breaks "P-CMP-07":
            "a compiler is created for a null pTarget";
        NullApplicationFollowed = "compiler-null-application-followed" breaks "P-CMP-07":
            "a null pApplicationDesc is read";
        SecondNullFollowed = "compiler-second-null-followed" breaks "P-CMP-07":
            "a null pApplicationDesc is read for the second family";
    }

    /// In what `pfnGetCaps` says that the plugin can do.
    Caps {
        NoMeshOfFamily = "caps-no-mesh-of-family" notes "P-PSO-18" "6 of 8 kinds for family 1, whose caps offer no mesh shaders":
            "the second family does not offer mesh shaders";
        NoStateObjects = "caps-no-state-objects" leaves "P-SO-07":
            "neither raytracing nor work graphs are offered";
        Unanswered = "caps-unanswered" leaves "P-SO-07":
            "no cap is answered, so nothing optional is offered";
    }

    /// In `pfnCompilePipelineState`.
    Compile {
        AcceptsOtherStage = "compile-accepts-other-stage" breaks "P-PSO-17":
            "a program of another stage is stored as it is";
        AcceptsOtherMagic = "compile-accepts-other-magic" breaks "P-PSO-17":
            "a program without its magic is stored as it is";
        AcceptsAnySize = "compile-accepts-any-size" breaks "P-PSO-17":
            "a program whose size is less than its header is stored as it is";
        AcceptsOtherBitcode = "compile-accepts-other-bitcode" passes:
            "a program whose bitcode is none, or has a size that is no multiple of 4, is stored as it is";
        AcceptsOtherMagicOfLibrary = "compile-accepts-malformed-library" breaks "P-PSO-17":
            "a state object with a library that is no program is stored as it is";
        KeysForMalformed = "compile-keys-for-malformed" breaks "P-PSO-17":
            "the value keys are set for a program that is refused";
        TrustsBitcodeSize = "compile-trusts-bitcode-size" breaks "P-PSO-17":
            "bitcode is read as far as the program's header says";
        PixelRequired = "compile-pixel-required" breaks "P-PSO-18":
            "graphics pipelines without a pixel shader are refused";
        NoTessellation = "compile-no-tessellation" breaks "P-PSO-18":
            "pipelines with a hull shader are refused";
        NoTessellationOfFamily = "compile-no-tessellation-of-family" breaks "P-PSO-18":
            "the second family refuses pipelines with a hull shader, which its caps offer";
        NoAdditions = "compile-no-additions" breaks "P-SO-07":
            "additions are refused, which the caps offer";
        NoMesh = "compile-no-mesh" breaks "P-PSO-18":
            "pipelines with a mesh shader are refused";
        VertexRequired = "compile-vertex-required" breaks "P-PSO-18":
            "the vertex shader of a mesh pipeline is read";
        WritesDesc = "compile-writes-desc" breaks "P-PSO-20":
            "the pipeline description is written to";
        WritesCode = "compile-writes-code" breaks "P-PSO-20":
            "shader code is patched in place";
        NullAccepted = "compile-null-accepted" breaks "P-PSO-21":
            "a null pPipelineStateArg gets S_OK";
        NullAdditionAccepted = "compile-null-addition-accepted" breaks "P-PSO-21":
            "an addition with a null description gets S_OK";
        NullFollowed = "compile-null-followed" breaks "P-PSO-21":
            "a null pPipelineStateArg is read";
    }

    /// In the calls of the host's callbacks.
    Session {
        KeysTwice = "session-keys-twice" breaks "P-PSO-01":
            "the value keys are set twice";
        KeysTwiceOfFound = "session-keys-twice-of-found" breaks "P-PSO-01":
            "the value keys are set twice where every value was found";
        KeysTwiceOfAddition = "session-keys-twice-of-addition" breaks "P-PSO-01":
            "the value keys of an addition are set twice";
        KeysNever = "session-keys-never" breaks "P-PSO-01":
            "the value keys are not set";
        KeysPrevious = "session-keys-previous" breaks "P-PSO-01":
            "the value keys are set in the session of the compile before";
        KeysNeverWithoutCode = "session-keys-never-without-code" breaks "P-PSO-01":
            "the value keys are not set where object code is not requested";
        KeyOfNoValue = "session-key-of-no-value" breaks "P-PSO-02":
            "the value keys name one more that has no value";
        KeyOfNoValueOfFamily = "session-key-of-no-value-of-family" breaks "P-PSO-02":
            "for the second family the value keys name one more that has no value";
        Unrequested = "session-unrequested" breaks "P-PSO-03":
            "performance data is stored whether it is requested or not";
        LeavesOut = "session-leaves-out" breaks "P-PSO-03":
            "debug information is left out";
        EmptyValue = "session-empty-value" breaks "P-PSO-04":
            "a value of size 0 is stored";
        NoValues = "session-no-values" breaks "P-PSO-04":
            "a store has no values";
        SameType = "session-same-type" breaks "P-PSO-04":
            "a store has two values of one type";
        NullKey = "session-null-key" breaks "P-PSO-04":
            "a store has a null key";
        EmptyKey = "session-empty-key" breaks "P-PSO-04":
            "a store has a key of size 0";
        AfterReturn = "session-after-return" breaks "P-PSO-05":
            "a thread makes a callback after the compile has returned";
        LatePerformanceData = "session-late-performance-data" breaks "P-PSO-05":
            "a thread stores performance data, where it is requested, after the compile has returned",
            sometimes "P-PSO-22" because "on a busy machine the compile returns after the thread";
        CompilerDestroyCallsBack = "session-compiler-destroy-calls-back" breaks "P-PSO-05":
            "destroying a compiler makes a callback";
        StateObjectDestroyCallsBack = "session-state-object-destroy-calls-back" breaks "P-PSO-05":
            "destroying a state object makes a callback";
        DestroyCallsBack = "session-destroy-calls-back" breaks "P-PSO-05":
            "destroying the open makes a callback";
        Previous = "session-previous" breaks "P-PSO-05":
            "a callback has the session of the compile before";
        RecordsEach = "session-records-each" breaks "P-PSO-06":
            "each compile stores a record of itself under a new key",
            also "P-PSO-22" because "the key of the record is not named";
        AlreadyExists = "session-already-exists" breaks "P-PSO-06":
            "DXGI_ERROR_ALREADY_EXISTS is passed on";
        KeysOfStored = "session-keys-of-stored" breaks "P-PSO-06":
            "the value keys name only what this compile stored";
        KeyFromAddress = "session-key-from-address" breaks "P-PSO-07":
            "keys depend on the address of the shader code";
        KeyFromPadding = "session-key-from-padding" breaks "P-PSO-07":
            "keys depend on the padding of the pipeline description";
        KeyFromCompiler = "session-key-from-compiler" breaks "P-PSO-07":
            "keys depend on how many compilers there were before";
        KeyFromOpen = "session-key-from-open" breaks "P-PSO-07":
            "keys depend on how many opens there were before";
        KeyFromProcess = "session-key-from-process" breaks "P-PSO-07":
            "keys depend on the process";
        CodeFromTime = "session-code-from-time" breaks "P-PSO-07":
            "object code has the time in it";
        CodeFromSecond = "session-code-from-second" breaks "P-PSO-07":
            "object code has the time in it, in seconds",
            sometimes "P-CMP-01" because "a second begins between two compiles",
            sometimes "P-CMP-02" because "a second begins between two compiles",
            sometimes "P-CMP-03" because "a second begins between two compiles",
            sometimes "P-CMP-04" because "a second begins between two compiles";
        CodeFromDay = "session-code-from-day" breaks "P-PSO-07":
            "object code has the date in it";
        CodeFromSecondOfOldest = "session-code-from-second-of-oldest" breaks "P-PSO-07":
            "for ABI version 1 object code has the time in it, in seconds",
            sometimes "P-CMP-01" because "a second begins between two compiles",
            sometimes "P-CMP-02" because "a second begins between two compiles",
            sometimes "P-CMP-04" because "a second begins between two compiles",
            sometimes "P-CMP-03" because "a second begins between two compiles";
        KeyOfPrograms = "session-key-of-programs" breaks "P-PSO-08":
            "of a pipeline nothing but the programs are in the keys";
        KeyWithoutFamily = "session-key-without-family" breaks "P-PSO-08":
            "keys are the same for all families, object code is not";
        KeyWithoutAbi = "session-key-without-abi" breaks "P-PSO-08":
            "keys are the same for all ABI versions, object code is not";
        UnnamedOfGeometry = "session-unnamed-of-geometry" breaks "P-PSO-22":
            "with a geometry shader values are stored that the value keys do not name";
        UnnamedOfAddition = "session-unnamed-of-addition" breaks "P-PSO-22":
            "of an addition values are stored that the value keys do not name";
        CodeFromAddress = "session-code-from-address" breaks "P-PSO-07":
            "object code depends on the address of the pipeline description";
    }
}
