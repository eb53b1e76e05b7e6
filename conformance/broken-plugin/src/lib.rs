//! A plugin with one defect, to prove that the rules of the suite bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first open, names the defect. Without it the plugin
//! conforms. That plugin is in `base-plugin`, written with the SDK; what the SDK makes impossible is done by
//! a layer between it and the host, which has the plugin's entry point, passes every call on, and changes
//! exactly one thing.
//!
//! The suite's self-test has the layer in front of other plugins: [`in_front_of`].
//!
//! The library that hosts load is the example `broken-plugin`, which exports the entry point: the suite, which
//! links this package, exports none.

/// The rows of every file of defects: an array of what `$take` makes of each.
#[macro_export]
macro_rules! all_defects {
    ($take:ident) => {
        [
            $crate::open_defects!($take),
            $crate::capabilities_defects!($take),
            $crate::compiler_defects!($take),
            $crate::fields_defects!($take),
            $crate::session_defects!($take),
            $crate::purity_defects!($take),
            $crate::fault_defects!($take),
            $crate::state_object_defects!($take),
            $crate::subobject_defects!($take),
            $crate::thread_defects!($take),
            $crate::memory_defects!($take),
            $crate::boundary_defects!($take),
        ]
    };
}

mod boundary;
mod capabilities;
mod compiler;
mod defect;
mod faults;
mod fields;
mod layer;
mod list;
mod memory;
mod need;
mod open;
mod purity;
mod session;
mod state_object;
mod subobjects;
mod threads;

pub use defect::in_front_of;
pub use need::unmet;
pub use open::open_compiler_ddi;
