//! A host of the plugin under test, and what it has the plugin compile.

pub(crate) mod capabilities;
pub(crate) mod caps;
pub(crate) mod compiler;
pub(crate) mod corpus;
pub(crate) mod function_table;
pub(crate) mod layer;
pub(crate) mod linked_in;
pub(crate) mod malformed;
pub(crate) mod object;
pub(crate) mod recorder;
pub(crate) mod state_object;
pub(crate) mod subject;
pub(crate) mod sweep;
