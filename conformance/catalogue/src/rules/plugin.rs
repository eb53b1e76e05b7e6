//! The rules of plugins.

pub(super) mod abi;
pub(super) mod bnd;
pub(super) mod caps;
pub(super) mod cbt;
pub(super) mod cmp;
pub(super) mod cver;
pub(super) mod fam;
pub(super) mod fmt;
pub(super) mod mem;
pub(super) mod msaa;
pub(super) mod open;
pub(super) mod prof;
pub(super) mod pso;
pub(super) mod so;
pub(super) mod tbl;
pub(super) mod ver;
