//! The tests: one for each rule, which fails with that rule only.

pub(crate) mod abi;
pub(crate) mod callback_table;
pub(crate) mod compiler_object;
pub(crate) mod compiler_version;
pub(crate) mod family;
pub(crate) mod open;
pub(crate) mod pipeline_state;
pub(crate) mod profile;
pub(crate) mod runtime;
pub(crate) mod table;
pub(crate) mod version;

use crate::runtime::Runtime;
use crate::subject::Subject;
use crate::verdict::Outcome;

pub(crate) use compiler_version::versions as compiler_versions;
pub(crate) use family::names as family_names;

/// A test.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    Plugin(fn(&Subject) -> Outcome),
    Runtime(fn(&Runtime) -> Outcome),
}
