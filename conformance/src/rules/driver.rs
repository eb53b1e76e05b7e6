//! The rules of user-mode drivers.

pub(crate) mod abi;
pub(crate) mod asds;
pub(crate) mod gpuva;
pub(crate) mod open;
pub(crate) mod rtbp;
