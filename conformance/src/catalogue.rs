//! The rules: what the specification obliges a plugin and a compiler runtime to, one entry for each
//! obligation.
//!
//! An id never changes its meaning and is never used again. An entry ends with the rule's test, or with
//! the reason why no test can decide it from outside; one that has neither does not compile.

use crate::tests::{self, Test};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// How strong an obligation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The specification demands it. Breaking it is a failure.
    Must,
    /// The specification implies it, or a good plugin does it. Breaking it is a warning, and a
    /// failure when strictness is asked for.
    Should,
    /// The specification can be read in more than one way. A library that keeps to one of the readings
    /// passes, and the report says which one it is.
    Ambiguous,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::Ambiguous => "AMBIGUOUS",
        })
    }
}

/// Who has the obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// The compiler plugin.
    Plugin,
    /// The compiler runtime, towards the program that calls its API.
    Runtime,
    /// The compiler runtime, as the host of a plugin.
    Host,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Plugin => "plugin",
            Self::Runtime => "runtime",
            Self::Host => "host",
        })
    }
}

/// What the catalogue says about one rule.
#[derive(Debug)]
struct Entry {
    id: &'static str,
    level: Level,
    party: Party,
    section: &'static str,
    reading: &'static str,
    why: &'static str,
    hint: &'static str,
    decided: Result<Test, Untestable>,
}

/// Why no test can decide a rule from outside.
type Untestable = &'static str;

/// How a rule is decided; a test is one of the rule's party.
macro_rules! decided {
    (Plugin, test: $test:expr) => {
        Ok(Test::Plugin($test))
    };
    (Runtime, test: $test:expr) => {
        Ok(Test::Runtime($test))
    };
    (Host, test: $test:expr) => {
        Ok(Test::Runtime($test))
    };
    ($party:ident, untestable: $reason:expr) => {
        Err($reason)
    };
}

macro_rules! rules {
    ($($rule:ident {
        id: $id:literal,
        level: $level:ident,
        party: $party:ident,
        section: $section:literal,
        reading: $reading:literal,
        why: $why:literal,
        hint: $hint:literal,
        $decided:ident: $by:expr,
    })*) => {
        /// A rule of the catalogue.
        #[allow(non_camel_case_types, reason = "a variant is its id with the hyphens replaced")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $reading] $rule,)*
        }

        impl Rule {
            /// Every rule, in the order of the catalogue.
            pub const ALL: &'static [Self] = &[$(Self::$rule),*];

            const fn entry(self) -> &'static Entry {
                match self {
                    $(Self::$rule => &Entry {
                        id: $id,
                        level: Level::$level,
                        party: Party::$party,
                        section: $section,
                        reading: $reading,
                        why: $why,
                        hint: $hint,
                        decided: decided!($party, $decided: $by),
                    },)*
                }
            }
        }
    };
}

impl Rule {
    /// The id: `P-ABI-05`.
    pub const fn id(self) -> &'static str {
        self.entry().id
    }

    /// How strong the obligation is.
    pub const fn level(self) -> Level {
        self.entry().level
    }

    /// Who has the obligation.
    pub const fn party(self) -> Party {
        self.entry().party
    }

    /// The heading of ShaderCompilerPlugin.md that the rule is found under.
    pub const fn section(self) -> &'static str {
        self.entry().section
    }

    /// The obligation as we read it, in one sentence.
    pub const fn reading(self) -> &'static str {
        self.entry().reading
    }

    /// What goes wrong in the field when the rule is broken.
    pub const fn why(self) -> &'static str {
        self.entry().why
    }

    /// How to repair a plugin or a runtime that breaks the rule.
    pub const fn hint(self) -> &'static str {
        self.entry().hint
    }

    /// Why no test can decide the rule from outside; `None` for a rule that has a test.
    pub const fn untestable(self) -> Option<&'static str> {
        match self.entry().decided {
            Ok(_) => None,
            Err(reason) => Some(reason),
        }
    }

    /// The test; `None` for a rule that has none.
    pub(crate) fn test(self) -> Option<Test> {
        self.entry().decided.ok()
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// No rule has this id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rule has the id \"{0}\"; `ddi-conformance list` shows them all")]
pub struct UnknownRule(pub String);

/// Reads an id, in upper or lower case.
impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(id: &str) -> Result<Self, UnknownRule> {
        Self::ALL
            .iter()
            .copied()
            .find(|rule| rule.id().eq_ignore_ascii_case(id))
            .ok_or_else(|| UnknownRule(id.to_owned()))
    }
}

/// As its id.
impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

rules! {
    P_OPEN_01 {
        id: "P-OPEN-01",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_OPEN_DDI",
        reading: "The library loads and exports `D3D12OpenCompilerDDI` under exactly that name.",
        why: "A host finds a plugin by this one name; without it there is no plugin.",
        hint: "Export it with C linkage and a .def file or an export attribute, so that no decoration is left on the name; link what the library needs at load time.",
        test: tests::open::exports_the_entry_point,
    }
    P_OPEN_02 {
        id: "P-OPEN-02",
        level: Must,
        party: Plugin,
        section: "Struct: D3D12DDIARG_COMPILER_OPEN_DDI",
        reading: "A valid open returns S_OK and sets hCompilerDDI, and pDDIFuncs then points to a table of the plugin's functions.",
        why: "Every later call goes through that table, with that handle.",
        hint: "Copy the five functions into *pDDIFuncs; store a pointer to an object of your own in hCompilerDDI.",
        test: tests::open::fills_handle_and_table,
    }
    P_OPEN_03 {
        id: "P-OPEN-03",
        level: Must,
        party: Plugin,
        section: "Struct: D3D12DDI_COMPILER_DDI_FUNCS",
        reading: "All five entries of the table that an open fills are set, and none is null.",
        why: "No entry is marked optional, so a host calls them without a check.",
        hint: "Fill every member; a call that you do not support returns E_NOTIMPL instead of being absent.",
        test: tests::open::leaves_no_entry_null,
    }
    P_OPEN_04 {
        id: "P-OPEN-04",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_OPEN_DDI",
        reading: "A null argument, or a null pDDIFuncs in it, gets E_INVALIDARG.",
        why: "The open is the one call that any program can make; a crash there takes the program down.",
        hint: "Check both pointers before anything else.",
        test: tests::open::refuses_null,
    }
    P_OPEN_05 {
        id: "P-OPEN-05",
        level: Must,
        party: Plugin,
        section: "Driver Independent Plugin",
        reading: "Opening works with no adapter, no driver and no installation: from an empty folder, in an environment that no installer has touched.",
        why: "Cloud compilation runs on machines that have neither the adapter nor the vendor's driver.",
        hint: "Find your files beside the library itself, not through the environment, the registry or the working directory, and ask for no adapter.",
        test: tests::open::needs_no_installation,
    }
    P_OPEN_06 {
        id: "P-OPEN-06",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "Several opens in one process are independent: interleaved calls keep their own versions and callback tables, and destroying one leaves the others alone.",
        why: "CreateCompiler has no hCompilerDDI, so a plugin that keeps the last callback table in a global calls the wrong host.",
        hint: "Give each open a function table of its own, so that the functions know which open they belong to.",
        test: tests::open::opens_are_independent,
    }
    P_OPEN_07 {
        id: "P-OPEN-07",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_DDI",
        reading: "DestroyCompilerDDI ends the object: opening, negotiating and destroying many times leaks no memory, handle or thread, and afterwards the library can be unloaded.",
        why: "A compile service opens plugins for months; a thread that outlives its library crashes the process.",
        hint: "Free everything that the open and the calls after it allocated, and join your threads before DestroyCompilerDDI returns.",
        test: tests::open::destroy_leaves_nothing,
    }
    P_OPEN_08 {
        id: "P-OPEN-08",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_DDI",
        reading: "DestroyCompilerDDI works straight after the open, before a version is selected, and leaves other opens and later ones alone.",
        why: "A host that supports none of the reported versions opens a plugin only to close it.",
        hint: "Destroy must cope with state that SetSelectedVersion or SetCallbackDDITable would have made.",
        test: tests::open::destroy_works_before_a_version,
    }
    P_OPEN_09 {
        id: "P-OPEN-09",
        level: Must,
        party: Plugin,
        section: "Struct: D3D12DDIARG_COMPILER_OPEN_DDI",
        reading: "An open writes nothing outside the argument structure and the table.",
        why: "What lies beside them is the host's stack or heap.",
        hint: "Write five pointers, not a later and longer version of the table.",
        test: tests::open::writes_nothing_outside,
    }
    P_OPEN_10 {
        id: "P-OPEN-10",
        level: Must,
        party: Plugin,
        section: "Struct: D3D12DDIARG_COMPILER_OPEN_DDI",
        reading: "The member hRTCompilerDDI is input, and comes back as it was.",
        why: "A host that reads its own handle back from the structure would use the plugin's value.",
        hint: "Set hCompilerDDI and the table only.",
        test: tests::open::leaves_the_runtime_handle_alone,
    }
    P_OPEN_11 {
        id: "P-OPEN-11",
        level: Ambiguous,
        party: Plugin,
        section: "Struct: D3D12DDIARG_COMPILER_OPEN_DDI",
        reading: "The member pDDIFuncs is commented \"out\": either the host owns the table and the plugin fills it, or the plugin sets the pointer to a table of its own; whichever is written is written whole.",
        why: "A host that keeps to one reading finds no functions in a plugin that keeps to the other; a plugin that does half of each works with neither.",
        hint: "Fill the host's table, as OpenAdapter12 does; a host reads the table through the pointer that it finds after the call.",
        test: tests::open::has_one_owner_of_the_table,
    }

    P_VER_01 {
        id: "P-VER-01",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "The size query, 0 entries and a null array, returns S_OK and a count of at least 1.",
        why: "The runtime asks for the size first; without it nothing is negotiated.",
        hint: "Treat a null array as the size query: set *puEntries and return S_OK.",
        test: tests::version::answers_the_size_query,
    }
    P_VER_02 {
        id: "P-VER-02",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "With an array of exactly the queried size it returns S_OK, leaves the count as it is and writes every entry.",
        why: "This is the call that every host makes; an entry left unwritten is garbage that the host may select.",
        hint: "Copy the whole list whenever *puEntries is at least its length.",
        test: tests::version::fills_an_exact_array,
    }
    P_VER_03 {
        id: "P-VER-03",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "With a larger array it returns S_OK, sets the count to the true number and leaves the entries past it alone.",
        why: "A host with a fixed array trusts the count to know where the list ends.",
        hint: "Write the list's length to *puEntries, not the capacity, and do not clear the rest.",
        test: tests::version::fills_a_larger_array,
    }
    P_VER_04 {
        id: "P-VER-04",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "With an array that is too small nothing is written past it, and the call fails (DXGI_ERROR_MORE_DATA is best).",
        why: "Writing past the array corrupts the host; success hides the missing versions.",
        hint: "Compare *puEntries with the length of the list before you copy; write what fits.",
        test: tests::version::respects_a_smaller_array,
    }
    P_VER_05 {
        id: "P-VER-05",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "A null puEntries gets E_INVALIDARG.",
        why: "The parameter is not optional, and a plugin should survive a host's mistake.",
        hint: "Check the pointer first.",
        test: tests::version::refuses_a_null_count,
    }
    P_VER_06 {
        id: "P-VER-06",
        level: Should,
        party: Plugin,
        section: "Plugin DDI Versioning",
        reading: "The versions are distinct, have the form MAJOR.MINOR.BUILD.REVISION with a MAJOR that is not 0, and are the same on every call and every open.",
        why: "A host compares them as numbers and may ask again at any time.",
        hint: "Report a constant list.",
        test: tests::version::versions_are_well_formed_and_stable,
    }
    P_VER_07 {
        id: "P-VER-07",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION",
        reading: "Every reported version can be selected together with the usermode DDI version that belongs to it.",
        why: "A plugin must report only versions that it supports; a host selects one and does not try another.",
        hint: "Check the pair in SetSelectedVersion against the same list that GetSupportedVersions reports.",
        test: tests::version::every_version_can_be_selected,
    }
    P_VER_08 {
        id: "P-VER-08",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION",
        reading: "A version that was not reported is refused.",
        why: "Accepting it means tables and structures that one side does not know.",
        hint: "Look the version up in your list; return E_INVALIDARG when it is not there.",
        test: tests::version::refuses_a_version_never_reported,
    }
    P_VER_09 {
        id: "P-VER-09",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "A table that is asked for before a version is selected is refused, and the same call works after.",
        why: "The selected version decides what the tables look like.",
        hint: "Keep the selected version in the open's object, and fail FillDDITable while there is none.",
        test: tests::version::refuses_tables_before_selection,
    }
    P_VER_10 {
        id: "P-VER-10",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "The count is the true number of versions on return, also when the array is too small.",
        why: "The host needs it to make the array larger.",
        hint: "Set *puEntries before you look at the capacity that it held.",
        test: tests::version::counts_right_for_a_smaller_array,
    }

    P_TBL_01 {
        id: "P-TBL-01",
        level: Must,
        party: Plugin,
        section: "Struct: D3D12DDI_COMPILER_CAPABILITIES_FUNCS",
        reading: "The CAPABILITIES table is filled at its exact size, and none of its seven entries is null.",
        why: "A host calls the entries without a check.",
        hint: "Fill every member; what you do not support returns a failure.",
        test: tests::table::fills_capabilities,
    }
    P_TBL_02 {
        id: "P-TBL-02",
        level: Must,
        party: Plugin,
        section: "Struct: D3D12DDI_COMPILER_FUNCS",
        reading: "The COMPILER table is filled at its exact size, and none of its nine entries is null.",
        why: "A host calls the entries without a check.",
        hint: "Fill every member; what you do not support returns a failure.",
        test: tests::table::fills_compiler,
    }
    P_TBL_03 {
        id: "P-TBL-03",
        level: Must,
        party: Plugin,
        section: "Enumeration: D3D12DDI_COMPILER_TABLE_TYPE",
        reading: "A table type that the specification does not list is refused, and nothing is written.",
        why: "A newer host asks for newer tables and must see that they are absent.",
        hint: "Return E_INVALIDARG from the default branch before you touch pTable.",
        test: tests::table::refuses_unknown_types,
    }
    P_TBL_04 {
        id: "P-TBL-04",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "Nothing is written past tableSize, and a size too small for the table is refused.",
        why: "tableSize is all that the host allocated.",
        hint: "Compare tableSize with the size of your structure before you copy.",
        test: tests::table::stays_within_the_size,
    }
    P_TBL_05 {
        id: "P-TBL-05",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "A larger size, as from a newer host, is filled up to what the version has, and the rest is left alone.",
        why: "A later version of a table grows at its end; a host then recognizes the old one by what is missing.",
        hint: "Refuse sizes that are too small only, and copy exactly the structure's size.",
        test: tests::table::accepts_a_larger_size,
    }
    P_TBL_06 {
        id: "P-TBL-06",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "A null pTable gets E_INVALIDARG.",
        why: "The parameter is not optional, and a plugin should survive a host's mistake.",
        hint: "Check the pointer first.",
        test: tests::table::refuses_null,
    }
    P_TBL_07 {
        id: "P-TBL-07",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        reading: "Filling a table twice in one open gives the same entries.",
        why: "Parts of a host may fill tables of their own and expect to reach the same plugin object.",
        hint: "Make the table when the version is selected, and copy it each time.",
        test: tests::table::fills_the_same_twice,
    }

    P_CBT_01 {
        id: "P-CBT-01",
        level: Must,
        party: Plugin,
        section: "Enumeration: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE",
        reading: "The CACHE callback table is accepted at its exact size.",
        why: "Without it a compiler has nowhere to store its output.",
        hint: "Copy the three functions and return S_OK.",
        test: tests::callback_table::accepts_the_exact_size,
    }
    P_CBT_02 {
        id: "P-CBT-02",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "The callback table is copied: when the host reuses its buffer after the call, compiles still reach the right callbacks.",
        why: "The buffer is an argument, usually on the host's stack.",
        hint: "Copy the table's content, never keep pTable.",
        test: tests::callback_table::is_copied,
    }
    P_CBT_03 {
        id: "P-CBT-03",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "An unknown callback table type, a short size and a null table are refused.",
        why: "A host must learn at once that its callbacks will not be used.",
        hint: "Check type, size and pointer before you copy.",
        test: tests::callback_table::refuses_what_is_wrong,
    }
    P_CBT_04 {
        id: "P-CBT-04",
        level: Should,
        party: Plugin,
        section: "Enumeration: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE",
        reading: "A compiler that is created before any callback table is set fails cleanly: its creation, or at the latest its compile, returns a failure.",
        why: "A host that forgets the table should get an error and not a call through null.",
        hint: "Check in CreateCompiler that the callback table is there.",
        test: tests::callback_table::compiler_without_one_fails,
    }
    P_CBT_05 {
        id: "P-CBT-05",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "The callback table is only read, and only within its TableSize bytes.",
        why: "pTable is const, and past its end lies the host's stack or heap.",
        hint: "Copy min(TableSize, sizeof) bytes out of the buffer; do not use it as scratch memory.",
        test: tests::callback_table::is_only_read,
    }
    P_CBT_06 {
        id: "P-CBT-06",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "A callback table of a larger size, as from a newer host, is accepted, and compiles reach the three callbacks that are known.",
        why: "A host that knows more callbacks passes them all; a plugin that refuses them, or takes them for its own, works with no newer host.",
        hint: "Ask for a TableSize that is at least the size of the table you know, copy as much, and leave the rest alone.",
        test: tests::callback_table::accepts_a_larger_size,
    }

    P_FAM_01 {
        id: "P-FAM-01",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES",
        reading: "Adapter families have contiguous indices from 0, and there is at least one.",
        why: "A host stops at the first index that fails; families behind a hole do not exist for it.",
        hint: "Number the families with the index into one array.",
        test: tests::family::indices_are_contiguous,
    }
    P_FAM_02 {
        id: "P-FAM-02",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES",
        reading: "Every index past the last family, UINT_MAX included, gives DXGI_ERROR_NOT_FOUND.",
        why: "The enumeration loop of the specification ends at that code only.",
        hint: "Return DXGI_ERROR_NOT_FOUND and not E_INVALIDARG; compare without narrowing the index.",
        test: tests::family::not_found_past_the_end,
    }
    P_FAM_03 {
        id: "P-FAM-03",
        level: Must,
        party: Plugin,
        section: "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY",
        reading: "Each name is a non-empty, well-formed UTF-16 string that is terminated within the 128 WCHARs, and nothing is written past them.",
        why: "The name is matched against the driver's, shown to users and stored in databases.",
        hint: "Keep names to 127 code units, and write the terminator.",
        test: tests::family::names_are_strings,
    }
    P_FAM_04 {
        id: "P-FAM-04",
        level: Must,
        party: Plugin,
        section: "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY",
        reading: "The names are unique within the plugin.",
        why: "A name identifies a family; two families of one name cannot be told apart by the driver.",
        hint: "Give every family a name of its own.",
        test: tests::family::names_are_unique,
    }
    P_FAM_05 {
        id: "P-FAM-05",
        level: Should,
        party: Plugin,
        section: "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY",
        reading: "The families are the same on every call, every open and in every process, and what follows a name's terminator in the array is zero.",
        why: "Targets name families by index; leftover bytes leak memory into databases and make equal records differ.",
        hint: "Clear the whole array before you copy a name from a constant list.",
        test: tests::family::names_are_stable_and_clean,
    }
    P_FAM_06 {
        id: "P-FAM-06",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES",
        reading: "A null pAdapterFamily gets E_INVALIDARG.",
        why: "The parameter is not optional, and a plugin should survive a host's mistake.",
        hint: "Check the pointer before you write the name.",
        test: tests::family::refuses_null,
    }
    P_FAM_07 {
        id: "P-FAM-07",
        level: Must,
        party: Plugin,
        section: "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY",
        reading: "All adapters of one family share the compiled output of one ABI version.",
        why: "A cache that was compiled for the family is given to every adapter in it.",
        hint: "Split a family when two of its adapters need different code.",
        untestable: "whether code runs on an adapter shows only on the adapters themselves",
    }

    P_ABI_01 {
        id: "P-ABI-01",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The size query, a null array and a count of 0, returns S_OK and a count of at least 1 for every family.",
        why: "A family without an ABI version cannot be a target.",
        hint: "Treat a null array as the size query: set *pNumABIVersions and return S_OK.",
        test: tests::abi::answers_the_size_query,
    }
    P_ABI_02 {
        id: "P-ABI-02",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "An array as large as the list, or larger, gets S_OK, the whole list and the exact count, and the entries past the list are left alone.",
        why: "A host takes exactly count entries as targets.",
        hint: "Copy the list, then set the count to its length.",
        test: tests::abi::fills_a_large_enough_array,
    }
    P_ABI_03 {
        id: "P-ABI-03",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The newest ABI version is at index 0 and the oldest comes last, strictly falling.",
        why: "A host that wants the latest version reads one entry; the specification's word \"ascending\" contradicts its own definition of the order, which wins.",
        hint: "Report the list from the highest number to the lowest, each number once.",
        test: tests::abi::newest_comes_first,
    }
    P_ABI_04 {
        id: "P-ABI-04",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The reserved versions 0 and UINT64_MAX are never reported.",
        why: "0 means \"the latest\" to the API, so a target of version 0 can never be meant.",
        hint: "Number ABI versions from 1.",
        test: tests::abi::reserved_versions_are_absent,
    }
    P_ABI_05 {
        id: "P-ABI-05",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "An array that is too small, of length 0 but not null included, gets as many versions as fit, from the newest, and DXGI_ERROR_MORE_DATA.",
        why: "A host may ask for just the newest version with an array of one entry.",
        hint: "Copy min(capacity, length) entries, then return DXGI_ERROR_MORE_DATA when the capacity was smaller.",
        test: tests::abi::fills_what_fits,
    }
    P_ABI_06 {
        id: "P-ABI-06",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "A null pNumABIVersions gets E_INVALIDARG.",
        why: "The specification names this code.",
        hint: "Check the pointer before the family and the array.",
        test: tests::abi::refuses_a_null_count,
    }
    P_ABI_07 {
        id: "P-ABI-07",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "An unknown family gets DXGI_ERROR_NOT_FOUND and a count of 0.",
        why: "A host that ignores the code must still see an empty list.",
        hint: "Set *pNumABIVersions to 0 before you return DXGI_ERROR_NOT_FOUND.",
        test: tests::abi::unknown_families_are_not_found,
    }
    P_ABI_08 {
        id: "P-ABI-08",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "For a valid family and a count that is not null, the count is right on return also when the array is too small, or null with a count that is not 0.",
        why: "The count tells a host how large the array has to be.",
        hint: "Set *pNumABIVersions to the length of the list before any other check.",
        test: tests::abi::count_is_right_whatever_happens,
    }
    P_ABI_09 {
        id: "P-ABI-09",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "ABI versions grow by one, so a list has no holes between its newest and its oldest version.",
        why: "Versions are a counter that starts at 1; a hole usually is a typing error or a packed number of another form.",
        hint: "Count ABI versions up by one; drop support from the oldest end.",
        test: tests::abi::lists_have_no_holes,
    }
    P_ABI_10 {
        id: "P-ABI-10",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "The list is the same on every call and every open.",
        why: "A target that was valid when it was chosen must be valid when it is used.",
        hint: "Report a constant list.",
        test: tests::abi::lists_are_stable,
    }

    P_CVER_01 {
        id: "P-CVER-01",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION",
        reading: "GetCompilerVersion returns S_OK and the same version each time for every family, and DXGI_ERROR_NOT_FOUND past the last one.",
        why: "Clients compare the version with that of their cache to decide whether to fetch a new one.",
        hint: "Return a constant for each family.",
        test: tests::compiler_version::is_known_for_every_family,
    }
    P_CVER_02 {
        id: "P-CVER-02",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION",
        reading: "A null pCompilerVersion gets E_INVALIDARG, and no version is 0.0.0.0.",
        why: "Version 0 compares as older than everything, so no cache would ever be replaced.",
        hint: "Check the pointer; give each family's compiler a version that is not 0.",
        test: tests::compiler_version::refuses_null_and_is_not_zero,
    }
    P_CVER_03 {
        id: "P-CVER-03",
        level: Must,
        party: Plugin,
        section: "Adapter Family Compiler Version",
        reading: "The compiler version changes with code generation: major or minor when caches must be rebuilt, build when they should be, revision when they need not.",
        why: "An unchanged version keeps stale code in every cache; a needless change throws good caches away.",
        hint: "Compare the object code of a fixed set of shaders between releases.",
        untestable: "it takes two builds of the plugin to compare",
    }

    P_PROF_01 {
        id: "P-PROF-01",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION",
        reading: "GetApplicationProfileVersion returns S_OK for every family, ABI version and application, and the same answer for the same input.",
        why: "The runtime stores the answer with every database that it writes.",
        hint: "An application that you have no profile for is no error.",
        test: tests::profile::answers_for_every_target_and_application,
    }
    P_PROF_02 {
        id: "P-PROF-02",
        level: Should,
        party: Plugin,
        section: "Struct: D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA",
        reading: "An application without a profile gets version 0.",
        why: "The driver reports 0 when no profile matches, and the two are compared.",
        hint: "Write 0 when no profile matches the description.",
        test: tests::profile::is_zero_without_a_profile,
    }
    P_PROF_03 {
        id: "P-PROF-03",
        level: Should,
        party: Plugin,
        section: "Struct: D3D12DDI_APPLICATION_DESC",
        reading: "An application without an engine, with a null pEngineName, is accepted.",
        why: "The engine name is the one optional member, and many applications have none.",
        hint: "Test pEngineName for null before you read it.",
        test: tests::profile::accepts_no_engine,
    }
    P_PROF_04 {
        id: "P-PROF-04",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION",
        reading: "A null pTarget, pApplicationDesc or pApplicationProfileVersion gets E_INVALIDARG.",
        why: "The parameters are not optional, and a plugin should survive a host's mistake.",
        hint: "Check the three pointers first.",
        test: tests::profile::refuses_null,
    }
    P_PROF_05 {
        id: "P-PROF-05",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION",
        reading: "A target with an unknown family, or an ABI version that the family does not list, is refused.",
        why: "An answer for a target that does not exist ends up in a database.",
        hint: "Look the target up; return DXGI_ERROR_NOT_FOUND for the family, E_INVALIDARG for the ABI version.",
        test: tests::profile::refuses_unknown_targets,
    }
    P_PROF_06 {
        id: "P-PROF-06",
        level: Must,
        party: Plugin,
        section: "Application Profile Version",
        reading: "The profile version changes whenever the settings for that application change.",
        why: "It is what invalidates the application's cache and no other.",
        hint: "Keep the version beside the settings and change both together.",
        untestable: "it takes two builds of the plugin to compare",
    }

    P_CMP_01 {
        id: "P-CMP-01",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE",
        reading: "CalcPrivateCompilerSize gives the same size for the same input, and a compiler writes only inside that many bytes, whatever they held before.",
        why: "The host allocates exactly that much and clears nothing.",
        hint: "Add the room that alignment needs; construct the object instead of assuming zeros.",
        test: tests::compiler_object::stays_within_its_memory,
    }
    P_CMP_02 {
        id: "P-CMP-02",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER",
        reading: "The target, the application description and its strings are used during CreateCompiler only: when the host reuses their memory, compiles still work.",
        why: "No lifetime is promised for them, unlike the descriptions of state objects.",
        hint: "Copy what you need into the compiler object.",
        test: tests::compiler_object::keeps_no_input,
    }
    P_CMP_03 {
        id: "P-CMP-03",
        level: Must,
        party: Plugin,
        section: "Compiling State Objects",
        reading: "Several compilers live at once, for different targets, compile for their own target, and can be destroyed in any order.",
        why: "A service compiles for all families side by side.",
        hint: "Keep a compiler's state in its private memory, not in globals.",
        test: tests::compiler_object::several_live_at_once,
    }
    P_CMP_04 {
        id: "P-CMP-04",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_COMPILER",
        reading: "DestroyCompiler leaves the memory to the host, and nothing touches it afterwards.",
        why: "The host frees or reuses the block at once.",
        hint: "Run the object's destructor, free nothing of the block, and unregister the object from lists and threads.",
        test: tests::compiler_object::leaves_its_memory_alone_after_destroy,
    }
    P_CMP_05 {
        id: "P-CMP-05",
        level: Should,
        party: Plugin,
        section: "Struct: D3D12DDI_COMPILER_TARGET",
        reading: "Creating a compiler for an unknown family or ABI version fails, and leaves nothing behind that would have to be destroyed.",
        why: "Code for a target that does not exist is worse than an error.",
        hint: "Look the target up before you construct anything.",
        test: tests::compiler_object::refuses_unknown_targets,
    }
    P_CMP_06 {
        id: "P-CMP-06",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER",
        reading: "The target, the application description and its strings are never written.",
        why: "They are const, may be shared between threads or lie in read-only memory.",
        hint: "Work on copies, for instance when you fold the case of a name.",
        test: tests::compiler_object::writes_no_input,
    }
    P_CMP_07 {
        id: "P-CMP-07",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER",
        reading: "CreateCompiler with a null pTarget or pApplicationDesc gets E_INVALIDARG.",
        why: "The parameters are not optional, and a plugin should survive a host's mistake.",
        hint: "Check both pointers first.",
        test: tests::compiler_object::refuses_null,
    }

    P_PSO_01 {
        id: "P-PSO-01",
        level: Must,
        party: Plugin,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB",
        reading: "When a compile succeeds, SetObjectValueKeys was called exactly once before the return, with this call's session.",
        why: "The list maps the pipeline to its values; without it the driver finds nothing, with two lists the host cannot tell which is right.",
        hint: "Collect the keys and make the call as the last step of every successful compile.",
        test: tests::pipeline_state::sets_the_keys_once,
    }
    P_PSO_02 {
        id: "P-PSO-02",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "Every key that SetObjectValueKeys names holds a value in the session by the time the compile returns.",
        why: "The driver is handed the values of these keys; one that is missing means compiling at run time.",
        hint: "Store first, and list the keys that you stored or found.",
        test: tests::pipeline_state::every_key_has_a_value,
    }
    P_PSO_03 {
        id: "P-PSO-03",
        level: Must,
        party: Plugin,
        section: "Enumeration: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS",
        reading: "The value types that ValueTypeFlags names are stored, and no others.",
        why: "A database is made for certain types; others bloat it or are missing from it.",
        hint: "Build the list of values to store from the flags.",
        test: tests::pipeline_state::stores_the_types_asked_for,
    }
    P_PSO_04 {
        id: "P-PSO-04",
        level: Must,
        party: Plugin,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB",
        reading: "Each store has at least one value, every value a size that is not 0, one value for each type, and a key that is not null or empty.",
        why: "The callback refuses anything else, and the compile is lost.",
        hint: "Store a value of at least one byte for each type that is asked for, and none for the others.",
        test: tests::pipeline_state::stores_are_well_formed,
    }
    P_PSO_05 {
        id: "P-PSO-05",
        level: Must,
        party: Plugin,
        section: "Callback Handle: D3D12DDI_HRTCOMPILERCACHESESSION",
        reading: "A compile uses its own session handle only, and no callback is made when no compile is in progress: not after the return, from no thread, and not in the calls that destroy.",
        why: "The session ends with the call; a late store writes into freed memory or into another session.",
        hint: "Wait for your worker threads before you return, and pass the handle down instead of keeping it.",
        test: tests::pipeline_state::calls_back_only_in_its_own_session,
    }
    P_PSO_06 {
        id: "P-PSO-06",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "The same pipeline again, in a session that has its values, succeeds with the same keys and stores nothing new; DXGI_ERROR_ALREADY_EXISTS is not let through.",
        why: "Pipelines share shaders, so most compiles meet values that are there already.",
        hint: "Ask FindValue first, and take DXGI_ERROR_ALREADY_EXISTS from StoreValue as success.",
        test: tests::pipeline_state::compiles_again_over_its_values,
    }
    P_PSO_07 {
        id: "P-PSO-07",
        level: Must,
        party: Plugin,
        section: "IHV Dependent Object Subdivision",
        reading: "Keys and object code are a pure function of the input: the same for a new compiler, open or process, at another time, at other addresses, and with other bytes in the padding and between the structures.",
        why: "The driver derives the same keys from the same description to find the values again, in another process on another machine.",
        hint: "Hash fields one by one, never raw structures or pointers; sort what comes out of hash tables; use no time and no random number; on Linux the suite answers clock_gettime, gettimeofday and time itself, and gives one process another time.",
        test: tests::pipeline_state::is_a_pure_function,
    }
    P_PSO_08 {
        id: "P-PSO-08",
        level: Must,
        party: Plugin,
        section: "IHV Dependent Object Subdivision",
        reading: "Different object code never has one key, whatever it was compiled from and for which family and ABI version.",
        why: "A cache keeps the first value of a key, so everything that has the key later gets code that was made for something else.",
        hint: "Put every input that contributes to the code into the key, the target included.",
        test: tests::pipeline_state::keys_tell_code_apart,
    }
    P_PSO_17 {
        id: "P-PSO-17",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "A shader program that its header gives away as malformed (another magic, impossible sizes, another stage) gets a failure, and no malformed program makes the plugin crash, read past the program or set keys for a compile that fails.",
        why: "Shaders come from databases that anyone can write, into a service that compiles for everyone.",
        hint: "Check kind, word count and bitcode bounds against each other before you hand the bitcode on.",
        test: tests::pipeline_state::refuses_malformed_programs,
    }
    P_PSO_18 {
        id: "P-PSO-18",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "Every kind of pipeline compiles that the caps offer: VS, VS and PS, GS, HS and DS, CS, MS, AS and MS, with null handles where a stage is absent.",
        why: "An application uses them all; a kind that fails is compiled on the player's machine.",
        hint: "The failure names the shaders and what the compile returned: where it is a feature of a shader that the target lacks, the caps say so too (SHADER_MODELS, MeshShaderTier); otherwise derive the stages from the handles that are not null, as mesh pipelines have no vertex shader.",
        test: tests::pipeline_state::compiles_every_kind,
    }
    P_PSO_20 {
        id: "P-PSO-20",
        level: Must,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "The pipeline description, and everything that it points to, is never written.",
        why: "It is const, and a host compiles one description in several threads.",
        hint: "Work on copies, for instance when you patch bitcode.",
        test: tests::pipeline_state::writes_no_input,
    }
    P_PSO_21 {
        id: "P-PSO-21",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "A null description, of a pipeline, a state object or an addition, gets E_INVALIDARG, and no key list.",
        why: "The parameter is not optional, and a plugin should survive a host's mistake.",
        hint: "Check the pointer first.",
        test: tests::pipeline_state::refuses_null,
    }
    P_PSO_22 {
        id: "P-PSO-22",
        level: Must,
        party: Plugin,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB",
        reading: "What a compile stores is stored under keys that it names in SetObjectValueKeys.",
        why: "The driver receives the values of the named keys only; what no object names is dead weight in a database, and is removed from it.",
        hint: "Put the key of every StoreValue into the list, also of those parts that only some stages have.",
        test: tests::pipeline_state::every_value_has_a_key,
    }

    P_SO_07 {
        id: "P-SO-07",
        level: Should,
        party: Plugin,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "Every kind of state object compiles that the caps offer: raytracing pipelines, collections, pipelines with collections, additions to pipelines and to additions, work graphs.",
        why: "An application uses them all; a kind that fails is compiled on the player's machine.",
        hint: "Where a feature is missing, say so in the caps: RaytracingTier and WorkGraphsTier.",
        test: tests::pipeline_state::compiles_every_state_object,
    }

    R_FAC_01 {
        id: "R-FAC-01",
        level: Must,
        party: Runtime,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "The library loads and exports `D3D12CompilerCreateFactory`, or `D3D12CreateCompilerFactory` as the specification spells it, which gives S_OK and a factory for the path of a plugin.",
        why: "A program finds the runtime by this one name; without a factory there is nothing else.",
        hint: "Export it with C linkage and no decoration; load the plugin by the path as it is, and fill *ppFactory before you return S_OK.",
        test: tests::runtime::factory::gives_a_factory,
    }
    R_FAC_02 {
        id: "R-FAC-02",
        level: Must,
        party: Runtime,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "An IID that the factory does not have gets E_NOINTERFACE, and *ppFactory is null.",
        why: "A program asks for a newer interface first and falls back; a pointer of another type would be called through the wrong table.",
        hint: "Compare the IID with those of the object and set *ppFactory to null before every failure.",
        test: tests::runtime::factory::refuses_an_unknown_iid,
    }
    R_FAC_03 {
        id: "R-FAC-03",
        level: Must,
        party: Runtime,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "A path that leads to no file gets HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND).",
        why: "A build script tells a plugin that is not installed from one that does not work by this code.",
        hint: "Check whether the file is there before you load it, as the loader's own code may differ.",
        test: tests::runtime::factory::reports_a_missing_file,
    }
    R_FAC_04 {
        id: "R-FAC-04",
        level: Must,
        party: Runtime,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "A null pPluginCompilerDllPath gets E_INVALIDARG.",
        why: "It is the return code that the specification lists, and the one argument that is invalid beyond doubt.",
        hint: "Check the pointer before anything else.",
        test: tests::runtime::factory::refuses_a_null_path,
    }
    R_FAC_05 {
        id: "R-FAC-05",
        level: Should,
        party: Runtime,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "A file that is not a compiler plugin gets a failure, and *ppFactory is null.",
        why: "A wrong path in a configuration file must not crash the program or succeed without a compiler.",
        hint: "Pass on what the loader says, and fail when D3D12OpenCompilerDDI is not exported.",
        test: tests::runtime::factory::refuses_what_is_no_plugin,
    }
    R_FAC_06 {
        id: "R-FAC-06",
        level: Should,
        party: Runtime,
        section: "Function: D3D12CreateCompilerFactory",
        reading: "Factories of one plugin live side by side, releasing one leaves the others alone, and after the last a new one can be made.",
        why: "Parallel compile services make a factory for each worker.",
        hint: "Count what the factories share, or let each have an open of its own.",
        test: tests::runtime::factory::factories_live_side_by_side,
    }

    R_ENUM_01 {
        id: "R-ENUM-01",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerFactory::EnumerateAdapterFamilies",
        reading: "Indices from 0 give S_OK and the names of the plugin's adapter families, in the plugin's order.",
        why: "The index is what a D3D12_COMPILER_TARGET refers to.",
        hint: "Pass the index to the plugin and copy the name, NUL-terminated, to the caller's structure of 256 bytes.",
        test: tests::runtime::enumeration::names_the_families,
    }
    R_ENUM_02 {
        id: "R-ENUM-02",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerFactory::EnumerateAdapterFamilies",
        reading: "Every index past the last family, UINT_MAX included, gets DXGI_ERROR_NOT_FOUND.",
        why: "The specification's loop over the families ends with this code and with nothing else.",
        hint: "Return the plugin's DXGI_ERROR_NOT_FOUND as it is.",
        test: tests::runtime::enumeration::ends_with_not_found,
    }
    R_ENUM_03 {
        id: "R-ENUM-03",
        level: Should,
        party: Runtime,
        section: "Method: ID3D12CompilerFactory::EnumerateAdapterFamilies",
        reading: "A null pAdapterFamily gets E_INVALIDARG.",
        why: "The parameter is not optional, and a runtime should survive its caller's mistake.",
        hint: "Check the pointer first.",
        test: tests::runtime::enumeration::refuses_a_null_family,
    }
    R_ENUM_04 {
        id: "R-ENUM-04",
        level: Must,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyABIVersions",
        reading: "A null pABIVersions with a count of 0 gets S_OK and the number of ABI versions that the plugin has for the family.",
        why: "This is the size check that comes before the array is allocated.",
        hint: "Set *pNumABIVersions whatever pABIVersions is.",
        test: tests::runtime::enumeration::counts_abi_versions,
    }
    R_ENUM_05 {
        id: "R-ENUM-05",
        level: Must,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyABIVersions",
        reading: "An array of the queried size, or a larger one, gets S_OK, the ABI versions of the plugin and their number, and the rest of the array is left alone.",
        why: "A compiled object is of use only to drivers that report its ABI version.",
        hint: "Copy the list and write its length, not the capacity, to *pNumABIVersions.",
        test: tests::runtime::enumeration::lists_abi_versions,
    }
    R_ENUM_06 {
        id: "R-ENUM-06",
        level: Must,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyABIVersions",
        reading: "An array that is too small gets a partial list and the full number, and nothing is written past it.",
        why: "The caller needs the number to make the array larger, and what lies behind it is not the runtime's.",
        hint: "Copy the smaller of the capacity and the length of the list.",
        test: tests::runtime::enumeration::lists_what_fits,
    }
    R_ENUM_07 {
        id: "R-ENUM-07",
        level: Should,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyABIVersions",
        reading: "As at the plugin's own interface, the newest ABI version comes first, a list that does not fit gets DXGI_ERROR_MORE_DATA, an unknown family DXGI_ERROR_NOT_FOUND with a count of 0, and a null count E_INVALIDARG.",
        why: "The specification states these rules for the plugin only; a program that knows them expects the same list here.",
        hint: "Sort the list, newest first, and return what PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS returns.",
        test: tests::runtime::enumeration::lists_as_a_plugin_does,
    }
    R_ENUM_08 {
        id: "R-ENUM-08",
        level: Must,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyCompilerVersion",
        reading: "Every family gets S_OK and the version of the plugin's compiler for it.",
        why: "A change of this number is what tells an application to compile again.",
        hint: "Copy all 64 bits of the plugin's answer.",
        test: tests::runtime::enumeration::knows_compiler_versions,
    }
    R_ENUM_09 {
        id: "R-ENUM-09",
        level: Should,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::EnumerateAdapterFamilyCompilerVersion",
        reading: "An unknown family gets DXGI_ERROR_NOT_FOUND, and a null pCompilerVersion E_INVALIDARG.",
        why: "The specification states no return codes here; these are those of the neighbouring methods.",
        hint: "Check the pointer first, then pass on what the plugin returns.",
        test: tests::runtime::enumeration::refuses_other_compiler_versions,
    }
    R_ENUM_10 {
        id: "R-ENUM-10",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerFactory::GetApplicationProfileVersion",
        reading: "Every family with every ABI version gets S_OK and the version of the plugin's profile for the application.",
        why: "A database is of use only as long as its profile version is the driver's.",
        hint: "Pass target and application to the plugin and copy all 64 bits of its answer.",
        test: tests::runtime::enumeration::knows_profile_versions,
    }
    R_ENUM_11 {
        id: "R-ENUM-11",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerFactory::GetApplicationProfileVersion",
        reading: "An ABIVersion of 0 stands for the latest: the call succeeds, and the plugin is asked for the latest ABI version.",
        why: "0 never reaches a plugin as an ABI version, which may refuse it.",
        hint: "Replace 0 by the largest version of the family before you call the plugin.",
        test: tests::runtime::enumeration::takes_0_for_the_latest,
    }
    R_ENUM_12 {
        id: "R-ENUM-12",
        level: Should,
        party: Runtime,
        section: "Method: ID3D12CompilerFactory::GetApplicationProfileVersion",
        reading: "A target with an unknown family or ABI version is refused, and a null argument gets E_INVALIDARG.",
        why: "The specification states no return codes here; a version that means nothing would be taken for a profile.",
        hint: "Look the target up among what the plugin reports, and check the pointers first.",
        test: tests::runtime::enumeration::refuses_other_profile_versions,
    }
    R_ENUM_13 {
        id: "R-ENUM-13",
        level: Should,
        party: Runtime,
        section: "Struct: D3D12_APPLICATION_DESC",
        reading: "GetApplicationProfileVersion with an application whose pExeFilename or pName is null gets E_INVALIDARG.",
        why: "Both are required, and a plugin compares them without a check; the specification states no return code.",
        hint: "Check the strings of an application before it is passed on.",
        test: tests::runtime::enumeration::refuses_nameless_applications,
    }

    R_SES_01 {
        id: "R-SES-01",
        level: Must,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::CreateCompilerCacheSession",
        reading: "With a path that leads to no file the call returns S_OK and a session, and the file is created.",
        why: "This is how every database begins.",
        hint: "Create the file, for the types of the path, when the session is made.",
        test: tests::runtime::session::creates_the_file,
    }
    R_SES_02 {
        id: "R-SES-02",
        level: Must,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::CreateCompilerCacheSession",
        reading: "A file that exists is opened for modification: what an earlier session stored is found, and more can be stored.",
        why: "Databases grow over many builds; a session that begins anew throws the work of all others away.",
        hint: "Open without truncating, and have everything written when the last reference to a session is gone.",
        test: tests::runtime::session::opens_for_modification,
    }
    R_SES_03 {
        id: "R-SES-03",
        level: Must,
        party: Runtime,
        section: "Struct: D3D12_COMPILER_DATABASE_PATH",
        reading: "With several paths each value type is stored in the database of its path: a later session on that file alone finds the values of its types, and no others.",
        why: "PDBs are kept apart so that they need not be shipped.",
        hint: "Choose the database by the type of the value, for stores and for finds.",
        test: tests::runtime::session::separates_types,
    }
    R_SES_04 {
        id: "R-SES-04",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::GetCompilerTarget",
        reading: "GetCompilerTarget returns the target that the session was created with.",
        why: "It decides what is compiled, and for whom.",
        hint: "Keep the target; mind that a structure returned by value is written through a hidden pointer by Microsoft's compilers.",
        test: tests::runtime::session::has_its_target,
    }
    R_SES_05 {
        id: "R-SES-05",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::GetApplicationDesc",
        reading: "GetApplicationDesc returns the application that the session was created with: both names, the version, and the engine with its version.",
        why: "The plugin chooses a profile by it, and the installer the database.",
        hint: "Copy every member; a null engine name stays null.",
        test: tests::runtime::session::has_its_application,
    }
    R_SES_06 {
        id: "R-SES-06",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::GetApplicationDesc",
        reading: "The returned structure and its strings live as long as the session, whatever becomes of the caller's own, of the factory and of other sessions.",
        why: "Callers keep the pointer instead of copying six members.",
        hint: "Copy the strings into memory of the session and return the same pointer every time.",
        test: tests::runtime::session::owns_its_application,
    }
    R_SES_07 {
        id: "R-SES-07",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::GetValueTypes",
        reading: "GetValueTypes returns the value types of all paths that the session was created with.",
        why: "A compiler asks it what to produce.",
        hint: "Return the union of the Types of the paths.",
        test: tests::runtime::session::has_its_types,
    }
    R_SES_08 {
        id: "R-SES-08",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::GetCompilerTarget",
        reading: "Target and application are stored in the database: a later session on the file that is given neither, as both are optional, has them.",
        why: "Tools that only read a database do not know whose it is.",
        hint: "Write both when the file is created, and read them when pTarget or pApplicationDesc is null.",
        test: tests::runtime::session::stores_target_and_application,
    }
    R_SES_09 {
        id: "R-SES-09",
        level: Should,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::CreateCompilerCacheSession",
        reading: "No paths, a null pPaths, a null pPath and Types without a type get E_INVALIDARG, and no session.",
        why: "The specification states no return codes here; a session that stores nothing hides the mistake.",
        hint: "Check the paths before any file is touched.",
        test: tests::runtime::session::refuses_wrong_paths,
    }
    R_SES_10 {
        id: "R-SES-10",
        level: Should,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::CreateCompilerCacheSession",
        reading: "A file that is not a database is refused and stays as it was.",
        why: "A mistyped path must not cost the file that it leads to.",
        hint: "Look at the beginning of a file that exists before you open it for modification.",
        test: tests::runtime::session::refuses_other_files,
    }
    R_SES_11 {
        id: "R-SES-11",
        level: Should,
        party: Runtime,
        section: "Struct: D3D12_APPLICATION_DESC",
        reading: "CreateCompilerCacheSession with an application whose pExeFilename or pName is null gets E_INVALIDARG, and no session.",
        why: "Both are required, and the database would be nobody's; the specification states no return code.",
        hint: "Check the strings of an application before any file is touched.",
        test: tests::runtime::session::refuses_nameless_applications,
    }

    R_VAL_01 {
        id: "R-VAL-01",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "StoreValue returns S_OK for values of every type of the session, in one call or type by type under the same key, and they are found as they were stored.",
        why: "Everything that a compile produces goes through this call.",
        hint: "Look for an existing value of the same key and type, not of the same key.",
        test: tests::runtime::values::are_found_as_stored,
    }
    R_VAL_02 {
        id: "R-VAL-02",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "A null pTypedValues, or a NumTypedValues of 0, gets E_INVALIDARG.",
        why: "A key without a value would be found, and have nothing.",
        hint: "Check both before anything is stored.",
        test: tests::runtime::values::refuses_to_store_nothing,
    }
    R_VAL_03 {
        id: "R-VAL-03",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "A value of size 0 is refused.",
        why: "A size of 0 is how FindValue says that a type is not cached.",
        hint: "Check every ValueSize before anything is stored.",
        test: tests::runtime::values::refuses_an_empty_value,
    }
    R_VAL_04 {
        id: "R-VAL-04",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "Two values of one type in one call are refused.",
        why: "Only one of them could be found again, and nobody could say which.",
        hint: "Check the types for duplicates before anything is stored.",
        test: tests::runtime::values::refuses_a_type_twice,
    }
    R_VAL_05 {
        id: "R-VAL-05",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "A value whose key and type are stored already gets DXGI_ERROR_ALREADY_EXISTS, and the stored value stays.",
        why: "Objects that share a part store it independently, and one of them is first.",
        hint: "Look before you store; the bytes are not compared.",
        test: tests::runtime::values::are_stored_once,
    }
    R_VAL_06 {
        id: "R-VAL-06",
        level: Should,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "A call that is refused for one of its values stores none of the others.",
        why: "The specification does not say it, but a caller that is refused tries again with what is missing.",
        hint: "Store the values of a call in one transaction.",
        test: tests::runtime::values::are_stored_all_or_none,
    }
    R_VAL_07 {
        id: "R-VAL-07",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "The size check, a null pValue of size 0 without a callback, gets S_OK and the size of a cached value, and leaves pValue null.",
        why: "This is how a compiler asks whether a value is there without reading it.",
        hint: "Answer from the stored size alone.",
        test: tests::runtime::values::have_sizes,
    }
    R_VAL_08 {
        id: "R-VAL-08",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A key that is not cached gets DXGI_ERROR_NOT_FOUND in the size check, with a buffer and with the callback, which is not called.",
        why: "A compiler takes any success for a value that it need not compile.",
        hint: "Decide before you allocate.",
        test: tests::runtime::values::are_not_found,
    }
    R_VAL_09 {
        id: "R-VAL-09",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A buffer of the value's size, or a larger one, gets S_OK, the value and its size, and nothing is written behind the value.",
        why: "What lies behind it is the caller's.",
        hint: "Copy the value's size, not the buffer's, and set ValueSize to it.",
        test: tests::runtime::values::fit_into_buffers,
    }
    R_VAL_10 {
        id: "R-VAL-10",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A buffer that is too small gets DXGI_ERROR_MORE_DATA and the required size, and nothing is written behind it.",
        why: "The caller needs the size to make the buffer larger.",
        hint: "Compare ValueSize with the value's size before you copy.",
        test: tests::runtime::values::do_not_fit_into_buffers,
    }
    R_VAL_11 {
        id: "R-VAL-11",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "With a callback and a ValueSize of 0 the callback is called with the value's size and the context, pValue becomes what it returns, and holds the value; also for a null pValue, as in the specification's example.",
        why: "It is the one way to get values in a single call.",
        hint: "Allocate whenever ValueSize is 0 and there is a callback, whatever pValue is.",
        test: tests::runtime::values::are_allocated,
    }
    R_VAL_12 {
        id: "R-VAL-12",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A callback that returns null makes the call fail with E_OUTOFMEMORY, and what it returned for earlier values is in their pValue.",
        why: "The caller frees every pValue; one that was forgotten is a leak.",
        hint: "Assign each pValue as soon as the callback returns.",
        test: tests::runtime::values::are_not_allocated,
    }
    R_VAL_13 {
        id: "R-VAL-13",
        level: Should,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "Where the key has one of the requested types and lacks another, the call returns S_OK, and the ValueSize of the type that is not cached is 0.",
        why: "The specification says of a cached type that its ValueSize is non-zero; a compiler asks for several at once to learn which it must make.",
        hint: "Return DXGI_ERROR_NOT_FOUND only when the key has none of the types.",
        test: tests::runtime::values::are_found_beside_absent_ones,
    }
    R_VAL_14 {
        id: "R-VAL-14",
        level: Should,
        party: Runtime,
        section: "Struct: D3D12_COMPILER_CACHE_VALUE_KEY",
        reading: "A null key, and a key of size 0, get E_INVALIDARG from StoreValue and FindValue.",
        why: "Neither identifies a value, and a runtime should survive its caller's mistake.",
        hint: "Check the pointers and the size first.",
        test: tests::runtime::values::refuses_wrong_keys,
    }
    R_VAL_15 {
        id: "R-VAL-15",
        level: Ambiguous,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "Where the key has other types than the requested ones, either the call gets DXGI_ERROR_NOT_FOUND, or it gets S_OK and each ValueSize is 0, the same in every way to ask; the callback is not called.",
        why: "DXGI_ERROR_NOT_FOUND means that no value with the key is cached, but a size check asks for a type: a program that looks at the code only, or at ValueSize only, works with one of the readings.",
        hint: "Decide by the requested types, not by the key; a program checks the code and ValueSize.",
        test: tests::runtime::values::of_other_types_are_absent,
    }
    R_VAL_16 {
        id: "R-VAL-16",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "Where one of several buffers is too small the call gets DXGI_ERROR_MORE_DATA, every ValueSize is the value's size, and the values that fit are copied.",
        why: "The caller makes one buffer larger and has the others already.",
        hint: "Answer every entry, and return the failure at the end.",
        test: tests::runtime::values::fit_into_some_buffers,
    }
    R_VAL_17 {
        id: "R-VAL-17",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A buffer is used also where there is a callback: it gets the value, its pValue stays, and the callback is called for the entries with a ValueSize of 0 only.",
        why: "ValueSize decides how an entry is answered; the callback is that of the whole call.",
        hint: "Look at each ValueSize before you allocate.",
        test: tests::runtime::values::are_allocated_beside_buffers,
    }

    R_GRP_01 {
        id: "R-GRP-01",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindGroup",
        reading: "A group that exists gets S_OK and its version, or S_OK alone where pGroupVersion is null.",
        why: "The version decides whether the cached binaries are those of the state object.",
        hint: "Write the version only when the pointer is not null.",
        test: tests::runtime::groups::have_a_version,
    }
    R_GRP_02 {
        id: "R-GRP-02",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindGroup",
        reading: "A group that does not exist gets DXGI_ERROR_NOT_FOUND from FindGroup, FindGroupValueKeys and FindGroupValues, and no callback is called.",
        why: "Build systems decide by it what has to be compiled.",
        hint: "Compare keys by size and bytes: a prefix of a key is another key.",
        test: tests::runtime::groups::are_not_found,
    }
    R_GRP_03 {
        id: "R-GRP-03",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValueKeys",
        reading: "The callback is called once for each value key of the group, with that key and the caller's context.",
        why: "A key that is left out is a part of the state object that is not shipped.",
        hint: "Keep the key's bytes valid until the callback returns.",
        test: tests::runtime::groups::have_keys,
    }
    R_GRP_04 {
        id: "R-GRP-04",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValueKeys",
        reading: "An expected version that is not the group's gets DXGI_ERROR_NOT_FOUND from FindGroupValueKeys and FindGroupValues without a callback, and the group's own version gets S_OK.",
        why: "Binaries of an older state object must not be used for the newer one.",
        hint: "Compare the version before anything is read.",
        test: tests::runtime::groups::of_other_versions_are_not_found,
    }
    R_GRP_05 {
        id: "R-GRP-05",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValueKeys",
        reading: "Without a callback FindGroupValueKeys returns S_OK for a group that exists, whether its values do or not.",
        why: "This is the cheap way to ask whether a state object was compiled.",
        hint: "A null callback is not an error, whatever the header's annotation says.",
        test: tests::runtime::groups::exist_without_values,
    }
    R_GRP_06 {
        id: "R-GRP-06",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValues",
        reading: "The callback is called once for each value of the requested types, with the context, the value, and the place of its key among those of FindGroupValueKeys; the types of one key come together.",
        why: "The index is all that says which values belong together.",
        hint: "Count keys, not values.",
        test: tests::runtime::groups::have_values,
    }
    R_GRP_07 {
        id: "R-GRP-07",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValues",
        reading: "Values of types that are not in ValueTypeFlags are not passed to the callback.",
        why: "The flags are there so that large values are not read for nothing.",
        hint: "Test the flag of each type before you read the value.",
        test: tests::runtime::groups::have_values_of_types,
    }
    R_GRP_08 {
        id: "R-GRP-08",
        level: Must,
        party: Runtime,
        section: "Method: ID3D12CompilerCacheSession::FindGroupValues",
        reading: "Without a callback FindGroupValues returns S_OK for a group whose values are cached, and fails for one whose values are not (DXGI_ERROR_NOT_FOUND is best).",
        why: "This is how a build system learns that nothing is left to compile.",
        hint: "Look every value key up; that the group exists is not enough.",
        test: tests::runtime::groups::have_their_values,
    }
    R_GRP_09 {
        id: "R-GRP-09",
        level: Must,
        party: Runtime,
        section: "ID3D12CompilerCacheSession::StoreGroupValueKeys",
        reading: "StoreGroupValueKeys returns S_OK for keys of values that are not in the database.",
        why: "Groups and values may be stored in any order.",
        hint: "Do not look the value keys up.",
        test: tests::runtime::groups::are_stored_without_values,
    }
    R_GRP_10 {
        id: "R-GRP-10",
        level: Must,
        party: Runtime,
        section: "ID3D12CompilerCacheSession::StoreGroupValueKeys",
        reading: "A second group with a key that is taken is refused, whether its version is the same or another, and the first one stays.",
        why: "One key stands for one state object, in one version.",
        hint: "Look for the key, not for the key and the version.",
        test: tests::runtime::groups::are_stored_once,
    }
    R_GRP_11 {
        id: "R-GRP-11",
        level: Should,
        party: Runtime,
        section: "ID3D12CompilerCacheSession::StoreGroupValueKeys",
        reading: "The code for a group key that is taken is DXGI_ERROR_ALREADY_EXISTS.",
        why: "The specification names no code here; it is the one that StoreValue has for the same case.",
        hint: "Return the code of StoreValue.",
        test: tests::runtime::groups::exist_already,
    }
    R_GRP_12 {
        id: "R-GRP-12",
        level: Should,
        party: Runtime,
        section: "Struct: D3D12_COMPILER_CACHE_GROUP_KEY",
        reading: "A null group key, and a group key of size 0, get E_INVALIDARG, and so does a null pValueKeys with a NumValueKeys that is not 0.",
        why: "None of them identifies anything, and a runtime should survive its caller's mistake.",
        hint: "Check the pointers and the size first.",
        test: tests::runtime::groups::refuses_wrong_keys,
    }

    R_CMP_01 {
        id: "R-CMP-01",
        level: Must,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::CreateCompiler",
        reading: "CreateCompiler returns S_OK and a compiler for a session of the same factory, several for one session too.",
        why: "Every compile begins with it.",
        hint: "Create the plugin's compiler for the session's target and application.",
        test: tests::runtime::compile::makes_compilers,
    }
    R_CMP_02 {
        id: "R-CMP-02",
        level: Should,
        party: Runtime,
        section: "Method ID3D12CompilerFactory::CreateCompiler",
        reading: "A null pCompilerCacheSession gets E_INVALIDARG, and no compiler.",
        why: "The parameter is not optional, and a runtime should survive its caller's mistake.",
        hint: "Check the pointer first.",
        test: tests::runtime::compile::refuses_a_null_session,
    }
    R_CMP_03 {
        id: "R-CMP-03",
        level: Must,
        party: Runtime,
        section: "Struct: D3D12_COMPILER_TARGET",
        reading: "The plugin's compiler is created for the target and the application of the session, with the latest ABI version where the session's was given as 0.",
        why: "Code for another ABI version is of no use to the driver, and another application has another profile.",
        hint: "Pass on what the session has; replace an ABIVersion of 0.",
        test: tests::runtime::compile::is_for_the_session,
    }
    R_CMP_04 {
        id: "R-CMP-04",
        level: Must,
        party: Runtime,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "CompilePipelineState returns S_OK for a compute and for a graphics pipeline, and by then the group is stored under the given key and version and the object code of its values is in the session.",
        why: "The next thing that a build does may be to close the session.",
        hint: "Store the group after the plugin has returned, with the keys that it set.",
        test: tests::runtime::compile::stores_pipelines,
    }
    R_CMP_05 {
        id: "R-CMP-05",
        level: Must,
        party: Runtime,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "Of the value types that the plugin makes, exactly those of the session are asked for and stored.",
        why: "A database for PDBs stays empty when nobody asks the plugin for them.",
        hint: "Pass the types of the session's paths to the plugin as ValueTypeFlags.",
        test: tests::runtime::compile::asks_for_the_types_of_the_session,
    }
    R_CMP_06 {
        id: "R-CMP-06",
        level: Must,
        party: Runtime,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "A compile call for a group key that is present in the session fails, whatever the version, and the group stays as it was; so do CompileStateObject and CompileAddToStateObject.",
        why: "One key stands for one state object, in one version.",
        hint: "Look for the group before you call the plugin.",
        test: tests::runtime::compile::refuses_groups_that_are_present,
    }
    R_CMP_07 {
        id: "R-CMP-07",
        level: Should,
        party: Runtime,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "The code for a group that is present is DXGI_ERROR_ALREADY_EXISTS.",
        why: "The specification names no code here; it is the one that StoreValue has for the same case.",
        hint: "Return the code of StoreValue.",
        test: tests::runtime::compile::says_that_groups_are_present,
    }
    R_CMP_08 {
        id: "R-CMP-08",
        level: Must,
        party: Runtime,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "A compile call that fails, as for a description that no pipeline can have, stores no group, and the same key can be used again.",
        why: "A group is what says that a state object was compiled.",
        hint: "Store the group last.",
        test: tests::runtime::compile::stores_no_group_of_a_failure,
    }
    R_CMP_09 {
        id: "R-CMP-09",
        level: Should,
        party: Runtime,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "A null group key and a null description get E_INVALIDARG.",
        why: "Neither is optional, and a runtime should survive its caller's mistake.",
        hint: "Check the pointers first.",
        test: tests::runtime::compile::refuses_null,
    }
    R_CMP_10 {
        id: "R-CMP-10",
        level: Must,
        party: Runtime,
        section: "Method ID3D12Compiler::CompileStateObject",
        reading: "CompileStateObject returns S_OK and a state object, and by then the group is stored under the given key and version and the object code of its values is in the session.",
        why: "Raytracing and work graphs are compiled by it.",
        hint: "Keep the description alive for the plugin as long as the state object lives.",
        test: tests::runtime::compile::stores_state_objects,
    }
    R_CMP_11 {
        id: "R-CMP-11",
        level: Must,
        party: Runtime,
        section: "Method ID3D12Compiler::CompileAddToStateObject",
        reading: "CompileAddToStateObject grows a new state object from one that was compiled, and from one that was grown, and stores a group for each.",
        why: "Engines add shaders to a raytracing pipeline as they are needed.",
        hint: "The new object holds its parent, for the plugin reads the parent's description.",
        test: tests::runtime::compile::stores_additions,
    }
    R_CMP_12 {
        id: "R-CMP-12",
        level: Should,
        party: Runtime,
        section: "Method ID3D12Compiler::CompileStateObject",
        reading: "A collection is compiled as other state objects are, and a state object that names it in a D3D12_COMPILER_EXISTING_COLLECTION_DESC (subobject type 33) is too.",
        why: "The specification does not describe existing collections; d3d12compiler.h has them so, as the subobject of the device API is for objects of a device.",
        hint: "The plugin gets its own handle of the collection, which the new object keeps.",
        test: tests::runtime::compile::takes_existing_collections,
    }
    R_CMP_13 {
        id: "R-CMP-13",
        level: Should,
        party: Runtime,
        section: "Method ID3D12Compiler::CompileStateObject",
        reading: "An existing collection that is null gets E_INVALIDARG, and so does one that is given by its key (subobject type 36), which is for state object databases only.",
        why: "A state object without a part that its description names is another one.",
        hint: "Check the pointers of subobjects too, and refuse what you do not know.",
        test: tests::runtime::compile::refuses_other_collections,
    }
    R_CMP_14 {
        id: "R-CMP-14",
        level: Should,
        party: Runtime,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "A compiler that has ID3D12Compiler1 stores one group for each key of CompilePipelineState1, CompileStateObject1 and CompileAddToStateObject1, each under its own version and with the same value keys.",
        why: "Databases have one description under several keys; it is compiled once.",
        hint: "Call the plugin once, then store the groups.",
        test: tests::runtime::groups_at_once::are_all_stored,
    }
    R_CMP_15 {
        id: "R-CMP-15",
        level: Should,
        party: Runtime,
        section: "Method ID3D12Compiler::CompilePipelineState",
        reading: "Where one of several group keys is present in the session, each of the three calls of ID3D12Compiler1 fails and stores none of the others.",
        why: "The same holds for a call with one key; a caller that gets a failure takes nothing as stored.",
        hint: "Look for all groups before you call the plugin.",
        test: tests::runtime::groups_at_once::are_all_refused,
    }

    R_LIF_01 {
        id: "R-LIF-01",
        level: Should,
        party: Runtime,
        section: "Interface: ID3D12CompilerFactory",
        reading: "An IID that a session, a compiler or a state object does not have gets E_NOINTERFACE from the call that would create it, and the result is null.",
        why: "The specification states it for the factory only; a caller that asks for a newer interface expects the same of the others.",
        hint: "Check the IID before anything is created, compiled or stored.",
        test: tests::runtime::lifetime::refuses_unknown_iids,
    }
    R_LIF_02 {
        id: "R-LIF-02",
        level: Should,
        party: Runtime,
        section: "Interface: ID3D12CompilerCacheSession",
        reading: "GetFactory, GetCacheSession and GetCompiler, which d3d12compiler.h has beyond the specification, give the object that this one was made with, by COM's rule of identity.",
        why: "Callers compare objects by their IUnknown.",
        hint: "Query the object itself, not a new wrapper around it.",
        test: tests::runtime::lifetime::gives_parents,
    }
    R_LIF_03 {
        id: "R-LIF-03",
        level: Should,
        party: Runtime,
        section: "Interface: ID3D12Compiler",
        reading: "An object keeps what it was made with: a session works when its factory is released, a compiler when its session is, a state object when its compiler is.",
        why: "Reference counts are the caller's only means to say what is still needed.",
        hint: "Hold a reference to the parent, and to the plugin, in every child.",
        test: tests::runtime::lifetime::keeps_parents,
    }
    R_LIF_04 {
        id: "R-LIF-04",
        level: Should,
        party: Runtime,
        section: "Interface: ID3D12CompilerCacheSession",
        reading: "Several threads compile at the same time, with compilers of their own over one session, and every group is stored.",
        why: "Parallel compilation is why the plugin is a library and not a service.",
        hint: "Lock the database for a call, not the plugin for a compile.",
        test: tests::runtime::lifetime::compiles_on_threads,
    }

    H_01 {
        id: "H-01",
        level: Must,
        party: Host,
        section: "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS",
        reading: "The size query for the versions comes as 0 entries and a null array, and the array that follows has room for the number that was answered.",
        why: "A plugin may know no other way of being asked.",
        hint: "Ask for the size, allocate, and ask again with that size.",
        test: tests::runtime::host::asks_for_versions,
    }
    H_02 {
        id: "H-02",
        level: Must,
        party: Host,
        section: "Function: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION",
        reading: "One of the reported versions is selected, with the usermode DDI version that belongs to it, before the first FillDDITable.",
        why: "The selection decides what tables and structures look like.",
        hint: "Choose the newest version that both sides know, and keep the pairs of versions in one table.",
        test: tests::runtime::host::selects_a_version,
    }
    H_03 {
        id: "H-03",
        level: Must,
        party: Host,
        section: "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        reading: "The CACHE callback table, at its size and with all three entries, is set before any compiler is created.",
        why: "A plugin calls the entries without a check.",
        hint: "Set the table when the plugin is opened.",
        test: tests::runtime::host::sets_callbacks,
    }
    H_04 {
        id: "H-04",
        level: Must,
        party: Host,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_COMPILER",
        reading: "Handles are those of living objects: none is used after its destroy or after a create that failed, none is destroyed twice, and a compiler is destroyed after its state objects and before its open.",
        why: "A handle is a pointer that the plugin follows.",
        hint: "Let each object hold the one that it was made with, and forget the handle of a create that fails.",
        test: tests::runtime::host::uses_living_handles,
    }
    H_05 {
        id: "H-05",
        level: Must,
        party: Host,
        section: "Function: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE",
        reading: "The private memory of a compiler or state object has the size that was calculated for the same arguments, and is the plugin's alone until the destroy.",
        why: "The plugin builds its object in it.",
        hint: "Calculate for every object, allocate that much, and put nothing of your own into it.",
        test: tests::runtime::host::lends_memory,
    }
    H_06 {
        id: "H-06",
        level: Must,
        party: Host,
        section: "Struct: D3D12DDI_COMPILER_TARGET",
        reading: "A target names a family that the plugin enumerates and one of its ABI versions, never 0.",
        why: "The API's 0 for the latest version has no meaning to a plugin.",
        hint: "Resolve and check the caller's target before the plugin is called.",
        test: tests::runtime::host::names_targets,
    }
    H_07 {
        id: "H-07",
        level: Must,
        party: Host,
        section: "Struct: D3D12DDI_APPLICATION_DESC",
        reading: "An application has an executable and a name, which are not null and end with a NUL.",
        why: "Plugins compare them with the names in their profiles.",
        hint: "Refuse an application without them at the API.",
        test: tests::runtime::host::describes_applications,
    }
    H_08 {
        id: "H-08",
        level: Must,
        party: Host,
        section: "Enumeration: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS",
        reading: "ValueTypeFlags has no bit that is not a value type.",
        why: "A plugin may refuse what it does not know.",
        hint: "Mask what the caller gave, or refuse it.",
        test: tests::runtime::host::knows_value_types,
    }
    H_09 {
        id: "H-09",
        level: Must,
        party: Host,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB",
        reading: "A compile call has a session handle of its own, whose callbacks answer as specified, for one value and for several: the size check, the buffer that fits and the one that does not, the allocation, E_INVALIDARG for no values, a failure for a value of size 0 and for two of one type, DXGI_ERROR_ALREADY_EXISTS and DXGI_ERROR_NOT_FOUND.",
        why: "A plugin stores nothing that a wrong answer made it believe is there.",
        hint: "Test the callbacks as the API's cache session is tested; the rules are the same.",
        test: tests::runtime::host::answers_callbacks,
    }
    H_10 {
        id: "H-10",
        level: Must,
        party: Host,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "The description of a state object, with all that it leads to, stays where it is and as it is until the state object and all that grew from it are destroyed, and a parent or an existing collection is destroyed after what was made with it.",
        why: "A plugin keeps pointers into it, as the specification lets it.",
        hint: "Copy the description, names, programs and root signatures included, into memory of the state object, and let it hold its parent and its collections.",
        test: tests::runtime::host::keeps_descriptions,
    }
    H_11 {
        id: "H-11",
        level: Must,
        party: Host,
        section: "Function: PFND3D12DDI_COMPILER_DESTROY_DDI",
        reading: "No function of an open's tables is called after its DestroyCompilerDDI.",
        why: "The tables and what is behind them are gone.",
        hint: "Destroy the open when the last object that uses its tables is gone.",
        test: tests::runtime::host::forgets_tables,
    }
    H_12 {
        id: "H-12",
        level: Must,
        party: Host,
        section: "Function: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS",
        reading: "A null array comes with a count of 0.",
        why: "The specification tells plugins that it does; one may check.",
        hint: "Set the count to 0 before the size query.",
        test: tests::runtime::host::counts_from_0,
    }
    H_13 {
        id: "H-13",
        level: Ambiguous,
        party: Host,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB",
        reading: "A find whose key has other types than the requested ones gets either DXGI_ERROR_NOT_FOUND, or S_OK and a ValueSize of 0, the same in every way to ask; the allocation callback is not called.",
        why: "DXGI_ERROR_NOT_FOUND means that no value with the key is cached, but a size check asks for a type: a plugin that looks at the code only, or at ValueSize only, works with one of the readings.",
        hint: "Decide by the requested types, not by the key; a plugin checks the code and ValueSize.",
        test: tests::runtime::host::tells_of_lacking_types,
    }
    H_14 {
        id: "H-14",
        level: Should,
        party: Host,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB",
        reading: "A find whose key has one of the requested types and lacks another gets S_OK, and the ValueSize of the type that is not cached is 0.",
        why: "The specification says of a cached type that its ValueSize is non-zero; a plugin asks for several at once to learn which it must make.",
        hint: "Return DXGI_ERROR_NOT_FOUND only when the key has none of the types.",
        test: tests::runtime::host::finds_beside_lacking_types,
    }
    H_15 {
        id: "H-15",
        level: Should,
        party: Host,
        section: "Callback Handle: D3D12DDI_HRTCOMPILERCACHESESSION",
        reading: "A callback with a null session handle, or with that of a compile call that is over, gets E_INVALIDARG.",
        why: "A handle is valid for a single compile call, and a plugin that keeps one should learn of it before it corrupts another call.",
        hint: "Look handles up instead of following them, and give a number only once.",
        test: tests::runtime::host::refuses_other_handles,
    }
    H_16 {
        id: "H-16",
        level: Should,
        party: Host,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB",
        reading: "A second list of value keys in one compile call is refused, and the group has the keys of the first.",
        why: "A plugin calls it once; the values of a list that was replaced would be in no group.",
        hint: "Keep the list with the session of the call, and refuse another.",
        test: tests::runtime::host::takes_value_keys_once,
    }
    H_17 {
        id: "H-17",
        level: Should,
        party: Host,
        section: "Cache Session Callbacks",
        reading: "Null and empty keys, null arrays, a null value or buffer that has a size, no entries to find and types that do not exist get E_INVALIDARG, and a store that is refused stores nothing.",
        why: "The specification does not say it; a host should survive its plugin's mistake.",
        hint: "Check every argument before the first is used.",
        test: tests::runtime::host::refuses_mistakes,
    }
    H_18 {
        id: "H-18",
        level: Should,
        party: Host,
        section: "Callback Function: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB",
        reading: "With an allocation callback and a ValueSize of 0 memory is allocated for a null pValue, too.",
        why: "The specification has pValue not null there, but there is no buffer yet for it to point at, and its own example for the API passes null.",
        hint: "Allocate whenever ValueSize is 0 and there is a callback, whatever pValue is.",
        test: tests::runtime::host::allocates_for_null,
    }
}

#[cfg(test)]
mod unit {
    use super::{Party, Rule, UnknownRule};
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_and_well_formed() {
        let ids: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids.len(), Rule::ALL.len());
        for rule in Rule::ALL {
            let (party, family, number) = match rule.id().split('-').collect::<Vec<_>>()[..] {
                [party, family, number] => (party, family, number),
                // A dozen, which need no families.
                [party, number] => (party, "", number),
                _ => panic!("{rule} is not PARTY-FAMILY-NUMBER"),
            };
            let letter = match rule.party() {
                Party::Plugin => "P",
                Party::Runtime => "R",
                Party::Host => "H",
            };
            assert_eq!(party, letter, "{rule}");
            assert_eq!(family.is_empty(), rule.party() == Party::Host, "{rule}");
            assert!(family.chars().all(|c| c.is_ascii_uppercase()), "{rule}");
            assert!(number.len() == 2 && number.parse::<u8>().is_ok(), "{rule}");
        }
    }

    #[test]
    fn every_text_is_one_that_can_be_read() {
        for rule in Rule::ALL {
            for text in [rule.reading(), rule.why(), rule.hint()] {
                assert!(text.ends_with('.') && text.len() > 20, "{rule}: {text}");
            }
            assert!(
                !rule.reading().contains(". "),
                "{rule}: more than one sentence"
            );
            assert!(
                !rule.section().starts_with('#') && rule.section().len() > 5,
                "{rule}"
            );
            assert!(
                rule.untestable().is_none_or(|reason| reason.len() > 10),
                "{rule}"
            );
        }
    }

    #[test]
    fn ids_are_read_back_and_unknown_ones_refused() {
        for rule in Rule::ALL {
            assert_eq!(rule.id().parse(), Ok(*rule));
            assert_eq!(rule.id().to_lowercase().parse(), Ok(*rule));
        }
        assert_eq!(
            "P-ABI-99".parse::<Rule>(),
            Err(UnknownRule("P-ABI-99".into()))
        );
        assert_eq!("".parse::<Rule>(), Err(UnknownRule(String::new())));
    }
}
