//! The rules of user-mode drivers.

pub(super) mod abi;
pub(super) mod asds;
pub(super) mod gpuva;
pub(super) mod open;
pub(super) mod rtbp;
