//! The tests of compiler runtimes.

pub(crate) mod compile;
pub(crate) mod enumeration;
pub(crate) mod factory;
pub(crate) mod groups;
pub(crate) mod groups_at_once;
pub(crate) mod host;
pub(crate) mod lifetime;
pub(crate) mod session;
pub(crate) mod values;
