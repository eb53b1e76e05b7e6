//! The defects: each is one deviation from the specification, as a vendor could have made it, and breaks
//! one rule; or a choice that the specification leaves, which breaks none. Its row is in the file that
//! deviates, and the code names it nowhere but where it deviates.

use std::ffi::OsStr;
use std::sync::{OnceLock, PoisonError, RwLock};

use base_plugin::{Base, EntryPoint, PluginEntry as _, named, select};

pub(crate) use crate::boundary::Boundary;
pub(crate) use crate::capabilities::{
    AbiVersions, Caps, CompilerVersion, Families, Formats, Profile, Samples,
};
pub(crate) use crate::compiler::{Compile, Compilers, Engine};
pub(crate) use crate::faults::Faults;
pub(crate) use crate::fields::Fields;
pub(crate) use crate::memory::Memory;
pub(crate) use crate::open::{Callbacks, Export, Fill, Open, Opens, Select, Versions};
pub(crate) use crate::purity::Purity;
pub(crate) use crate::session::Session;
pub(crate) use crate::state_object::StateObjects;
pub(crate) use crate::subobjects::Subobjects;
pub(crate) use crate::threads::Threads;

base_plugin::defect! {
    Export, Open, Opens, Versions, Select, Fill, Callbacks, Families, AbiVersions, CompilerVersion,
    Profile, Engine, Compilers, Caps, Formats, Samples, Compile, Fields, Session, Purity, Faults,
    StateObjects, Subobjects, Threads, Memory, Boundary,
}

/// The defect of this process, or the name that is none.
pub(crate) fn defect_or_name() -> &'static Result<Option<Defect>, String> {
    SELECTED.get_or_init(|| select(Defect::all()))
}

static SELECTED: OnceLock<Result<Option<Defect>, String>> = OnceLock::new();

/// The defect of this process.
pub(crate) fn selected() -> Option<Defect> {
    defect_or_name().as_ref().ok().copied().flatten()
}

/// The plugin underneath; [`Base`] unless [`in_front_of`] sets another.
static UNDERNEATH: RwLock<Option<EntryPoint>> = RwLock::new(None);

pub(crate) fn underneath() -> EntryPoint {
    let entry = *UNDERNEATH.read().unwrap_or_else(PoisonError::into_inner);
    entry.unwrap_or_else(Base::entry_point)
}

/// Puts the layer with the defect of this name in front of another plugin, and gives the entry point of both:
/// [`open_compiler_ddi`](crate::open_compiler_ddi). A process has one defect: only the first name counts.
pub fn in_front_of(plugin: EntryPoint, defect: &OsStr) -> EntryPoint {
    *UNDERNEATH.write().unwrap_or_else(PoisonError::into_inner) = Some(plugin);
    SELECTED.get_or_init(|| named(defect, Defect::all()));
    crate::open_compiler_ddi
}
