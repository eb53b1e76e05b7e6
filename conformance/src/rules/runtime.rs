//! The rules of compiler runtimes.

pub(crate) mod cmp;
mod described;
pub(crate) mod r#enum;
pub(crate) mod fac;
pub(crate) mod grp;
pub(crate) mod host;
pub(crate) mod lif;
mod refused;
pub(crate) mod ses;
pub(crate) mod val;
