//! What another process makes of everything, for comparison.

use std::collections::BTreeMap;

use conformance_catalogue::verdict::Stop;
use conformance_protocol::{ProcessChange, Task};
use serde::{Deserialize, Serialize};

use crate::inputs::arena::Surroundings;
use crate::plugin::compiler::Product;
use crate::plugin::object::Case;
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched};

/// What a second process made of each target and object, in the words of [`Case`].
#[derive(Serialize, Deserialize)]
pub(crate) struct Products {
    made: BTreeMap<String, Option<Product>>,
    /// Of what should be different, what could not be made so.
    pub(crate) unchanged: Vec<ProcessChange>,
}

impl Products {
    /// Whether it tried one. Of the corpus it tries only what compiles.
    pub(crate) fn have(&self, case: &Case) -> bool {
        !case.object.is_generated() || self.made.contains_key(&case.to_string())
    }

    /// What it made of one; `None` where that did not compile.
    pub(crate) fn of(&self, case: &Case) -> Option<Product> {
        self.made.get(&case.to_string()).cloned().flatten()
    }
}

/// What another process makes: of the first ones of everything, as many as a test has compiled, or of `only` one; with changes
/// around it, of nothing that is generated.
pub(super) fn products_elsewhere(
    subject: &Subject,
    first: Option<usize>,
    only: Option<&Case>,
    changes: &[ProcessChange],
) -> Result<Products, Stop> {
    let only = only.map(ToString::to_string);
    subject.ask_with(Task::Products { only, first }, |request| {
        request.changes = changes.to_vec();
    })
}

/// Makes them in this process: of the first of everything, or of `only` one object; of what is generated only where nothing is
/// to be different.
pub(crate) fn products(
    subject: &Subject,
    only: Option<&str>,
    first: Option<usize>,
    changes: &[ProcessChange],
    unchanged: Vec<ProcessChange>,
) -> Result<Products, Stop> {
    let rig = subject.rig()?;
    let (mut cases, _) = rig.everything(subject.settings(), 1)?;
    cases.truncate(first.unwrap_or(usize::MAX));
    cases.retain(|case| match only {
        Some(only) => case.to_string() == only,
        None => changes.is_empty() || !case.object.is_generated(),
    });
    let product = |case: Case| {
        let made = watched(vec![Watch::needs(case.object.rule())], || {
            case.compiler.product(case.object, Surroundings::USUAL)
        })?;
        Ok((case.to_string(), made))
    };
    // In the other order than the test's own process, so that no state of the plugin is the same.
    let products = cases.into_iter().rev().map(product);
    let made = products.collect::<Result<_, Stop>>()?;
    Ok(Products { made, unchanged })
}
