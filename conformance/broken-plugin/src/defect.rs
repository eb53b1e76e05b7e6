//! The defects: each is one deviation from the specification, as a vendor could have made it, and breaks
//! one rule; or a choice that the specification leaves, which breaks none. Its row is in the file that
//! deviates, and the code names it nowhere but where it deviates.

use std::sync::LazyLock;

use base_plugin::select;

pub(crate) use crate::capabilities::{
    AbiVersions, Caps, CompilerVersion, Families, Formats, Profile, Samples,
};
pub(crate) use crate::compiler::{Compile, Compilers, Engine};
pub(crate) use crate::open::{Callbacks, Export, Fill, Open, Opens, Select, Versions};
pub(crate) use crate::session::Session;
pub(crate) use crate::state_object::StateObjects;
pub(crate) use crate::threads::Threads;

base_plugin::defect! {
    Export, Open, Opens, Versions, Select, Fill, Callbacks, Families, AbiVersions, CompilerVersion,
    Profile, Engine, Compilers, Caps, Formats, Samples, Compile, Session, StateObjects, Threads,
}

/// The defect of this process, or the name that is none.
pub(crate) static SELECTED: LazyLock<Result<Option<Defect>, String>> =
    LazyLock::new(|| select(Defect::all()));

/// The defect of this process.
pub(crate) fn selected() -> Option<Defect> {
    SELECTED.as_ref().ok().copied().flatten()
}
