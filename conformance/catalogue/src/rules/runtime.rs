//! The rules of compiler runtimes.

pub(super) mod cmp;
pub(super) mod r#enum;
pub(super) mod fac;
pub(super) mod grp;
pub(super) mod lif;
pub(super) mod ses;
pub(super) mod val;
