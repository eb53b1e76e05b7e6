//! The defects: each is one deviation from the specification, as somebody who writes a runtime could have
//! made it, and breaks one rule; or a choice that the specification leaves, which breaks none. Its row is in
//! the file that deviates.

use std::sync::LazyLock;

use base_plugin::select;

use crate::Export;
use crate::compiler::Compilers;
use crate::factory::Factory;
use crate::host::Host;
use crate::host::callbacks::Callbacks;
use crate::host::descriptions::Descriptions;
use crate::host::pipelines::Pipelines;
use crate::session::Sessions;

base_plugin::defect! {
    Export, Factory, Sessions, Compilers, Host, Callbacks, Descriptions, Pipelines,
}

impl Defect {
    /// Whether it is one of a host, between the runtime and the plugin.
    pub(crate) fn is_of_host(self) -> bool {
        matches!(
            self,
            Self::Host(_) | Self::Callbacks(_) | Self::Descriptions(_) | Self::Pipelines(_)
        )
    }
}

/// The defect of this process, or the name that is none.
pub(crate) static SELECTED: LazyLock<Result<Option<Defect>, String>> =
    LazyLock::new(|| select(Defect::all()));

/// Whether this process has a defect.
pub(crate) fn has(defect: impl Into<Defect>) -> bool {
    *SELECTED == Ok(Some(defect.into()))
}
