//! The defects: each is one deviation, as somebody who writes a driver could have made it, and breaks one rule. Its row is in
//! the file that deviates.

use std::sync::LazyLock;

use base_plugin::select;

use crate::Adapter;
use crate::bypass::Bypass;
use crate::keys::Keys;
use crate::memory::Memory;
use crate::shader_cache::ShaderCache;
use crate::state::State;

base_plugin::defect! {
    Adapter, State, Memory, Bypass, ShaderCache, Keys,
}

/// The defect of this process, or the name that is none.
pub(crate) static SELECTED: LazyLock<Result<Option<Defect>, String>> =
    LazyLock::new(|| select(Defect::all()));

/// Whether this process has a defect.
pub(crate) fn has(defect: impl Into<Defect>) -> bool {
    *SELECTED == Ok(Some(defect.into()))
}
