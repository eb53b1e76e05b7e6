//! What the checking plugin writes about its host: a file of lines, each one [`Entry`] as JSON, so
//! that what came before a crash stays readable. The plugin and the suite share this file.

use serde::{Deserialize, Serialize};

/// The environment variable that names the file. The plugin appends to it; without the variable it
/// checks all the same, refuses what it cannot pass on, and writes nothing.
pub const VARIABLE: &str = "DDI_HOST_RECORD";

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

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entry {
    /// The host made a call.
    Call(Call),
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The rule's id, such as `H-06`.
    pub rule: String,
    /// What was called.
    pub call: String,
    /// What the rule expects.
    pub expected: String,
    /// What came.
    pub got: String,
}
