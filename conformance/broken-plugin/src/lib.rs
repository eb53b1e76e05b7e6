//! A plugin with one defect, to prove that the rules of the suite bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first open, names the defect: one of
//! [`defect::DEFECTS`]. Without it the plugin conforms. That plugin is in `base.rs`, written with the
//! SDK; what the SDK makes impossible is done by a layer between it and the host, which has the
//! plugin's export, passes every call on, and changes exactly one thing.

mod base;
mod capabilities;
mod compiler;
pub mod defect;
mod layer;
mod list;
mod open;
mod session;

pub use open::D3D12OpenCompilerDDI;

/// Calls an entry of a table of the base or the host, or gives a value where it is null.
macro_rules! call {
    ($($table:ident).+ ($($argument:expr),* $(,)?) else $absent:expr) => {
        match $($table).+ {
            // SAFETY: the host's arguments are passed on as they came, or are our own for as long as
            // the call; what a defect changes in them is the defect.
            Some(call) => unsafe { call($($argument),*) },
            None => $absent,
        }
    };
}
pub(crate) use call;
