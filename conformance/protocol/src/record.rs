//! What the checking plugin writes about its host: a file of lines, each one [`Entry`] as JSON, so
//! that what came before a crash stays readable.

use conformance_catalogue::Rule;
use serde::{Deserialize, Serialize};

/// The environment variable that names the file. The plugin appends to it; without the variable it
/// checks all the same, refuses what it cannot pass on, and writes nothing.
pub const VARIABLE: &str = "DDI_HOST_RECORD";

/// The environment variable that names a plugin to put behind the checks, in the place of the checking plugin's own small
/// one. Where it cannot be loaded, no open succeeds.
pub const PLUGIN: &str = "DDI_CHECKED_PLUGIN";

/// The name of an application for whose compilers a compile call waits, a while, until another one is
/// in progress. H-09.
pub const TOGETHER: &str = "checking-plugin: compile calls at the same time";

/// The name of an application for whose compilers a compile call uses a null session handle, and that
/// of an earlier call. H-15.
pub const LATE: &str = "checking-plugin: handles of other calls";

/// The name of an application for whose compilers a compile call sets value keys twice. H-16.
pub const KEYS_TWICE: &str = "checking-plugin: value keys twice";

/// The name of an application for whose compilers a compile call passes the callbacks what they have to
/// refuse. H-17.
pub const MISTAKES: &str = "checking-plugin: wrong arguments";

// What the plugin notes as a call besides the functions of the DDI.

/// The host asked for the number of versions, with a null array. H-01.
pub const VERSIONS_SIZE_QUERY: &str = "pfnGetSupportedVersions(null array)";

/// The host asked for the number of ABI versions, with a null array. H-12.
pub const ABI_SIZE_QUERY: &str = "pfnGetAdapterFamilyABIVersions(null array)";

/// The plugin tries the callbacks with values of two types, which the compile call has. H-09 and H-14.
pub const TWO_TYPES: &str = "callbacks with values of two types";

/// The plugin has memory allocated for a null `pValue`. H-18.
pub const NULL_ALLOCATION: &str = "an allocation for a null pValue";

/// The plugin uses a null session handle. H-15.
pub const NULL_HANDLE: &str = "a null session handle";

/// The plugin uses the session handle of an earlier call. H-15.
pub const EARLIER_HANDLE: &str = "the session handle of an earlier call";

/// The plugin sets value keys again. H-16.
pub const SECOND_KEYS: &str = "SetObjectValueKeys(a second list in one compile call)";

/// The plugin passes what the callbacks have to refuse. H-17.
pub const WRONG_ARGUMENTS: &str = "wrong arguments";

/// The plugin found a type that the key lacks, which has another, and the host
/// said DXGI_ERROR_NOT_FOUND in every way to ask. H-13.
pub const LACKING_NOT_FOUND: &str = "a find of a type that the key lacks, DXGI_ERROR_NOT_FOUND";

/// The same where the host said S_OK, with a `ValueSize` of 0. H-13.
pub const LACKING_EMPTY: &str = "a find of a type that the key lacks, S_OK";

/// With what the keys of the values begin that the plugin stores to try the callbacks.
pub const OWN_KEY: &str = "checking-plugin";

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entry {
    /// The host made a call.
    Call(Call),
    /// A compile call of the host has a description that says this: the path to each field, such as
    /// `hBlendState.RenderTarget[2].SrcBlend`, and its value. Of a program the value is its SHA-256.
    Described(Vec<(String, String)>),
    /// The host broke a rule.
    Broken(Broken),
}

/// A call of the host, with what it says where the call has such an argument.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The function, such as `pfnCreateCompiler`.
    pub name: String,
    /// `AdapterFamilyIndex` and `ABIVersion`.
    pub target: Option<(u32, u64)>,
    /// The application.
    pub application: Option<Application>,
    /// `ValueTypeFlags`.
    pub value_types: Option<u32>,
}

/// An application, as the host described it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Application {
    /// `pExeFilename`.
    pub exe: String,
    /// `pName`.
    pub name: String,
    /// `Version`.
    pub version: u64,
    /// `pEngineName` and `EngineVersion`.
    pub engine: Option<(String, u64)>,
}

/// A rule that the host broke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// The rule; a line has its id, such as `H-06`.
    pub rule: Rule,
    /// What was called.
    pub call: String,
    /// What the rule expects.
    pub expected: String,
    /// What came.
    pub got: String,
}

#[cfg(test)]
mod tests {
    use super::{Broken, Entry};
    use conformance_catalogue::rules::H_06;

    #[test]
    fn a_line_names_its_rule_by_its_id() {
        let entry = Entry::Broken(Broken {
            rule: H_06,
            call: "pfnCreateCompiler".into(),
            expected: "a target".into(),
            got: "null".into(),
        });
        let line = serde_json::to_string(&entry).unwrap();
        assert_eq!(
            line,
            r#"{"Broken":{"rule":"H-06","call":"pfnCreateCompiler","expected":"a target","got":"null"}}"#
        );
        assert_eq!(serde_json::from_str::<Entry>(&line).unwrap(), entry);
        let unknown = serde_json::from_str::<Entry>(&line.replace("H-06", "H-99"));
        assert!(unknown.unwrap_err().to_string().contains("H-99"));
    }
}
