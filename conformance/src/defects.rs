//! The defects that the layer can have in front of any plugin: those of `broken-plugin` that break a rule.

use conformance_catalogue::Defect;
use conformance_runner::Layer;
use conformance_runner::package::DefectCounts;

use ::defects::Expected;
use conformance_catalogue::{Rule, rules};
use conformance_child::CLOCK_IS_OURS;

/// Those that no layer can have: two are libraries of their own, and the third exchanges the private memory of
/// state objects, which not every plugin survives.
const OF_LIBRARIES: [&str; 3] = [
    "export-mangled",
    "no-library",
    "state-object-first-at-address",
];

/// Only where the suite can set the clock does a date change within a run.
const OF_THE_CLOCK: &str = "session-code-from-day";

/// The rule that a defect breaks. Rows name a rule by its constant.
///
/// # Panics
///
/// There is no such rule.
fn broken(defect: &::defects::Defect) -> Option<Rule> {
    let Expected::Breaks(name) = defect.expected else {
        return None;
    };
    let id = name.replace('_', "-");
    Some(rules::find(&id).unwrap_or_else(|error| panic!("{error}")))
}

/// How many defects of the suite's own libraries break each rule, by its id. The suite's own tests show that the test of the
/// rule notices each of them.
pub fn counts() -> DefectCounts {
    let of_plugin = broken_plugin::all_defects();
    let of_runtime = broken_runtime::all_defects();
    let all = of_plugin.chain(of_runtime).chain(broken_umd::all_defects());
    let mut counts = DefectCounts::new();
    for rule in all.filter_map(broken) {
        *counts.entry(rule.id()).or_default() += 1;
    }
    counts
}

/// The layer that `selftest` puts in front of a plugin.
pub fn layer() -> Layer {
    Layer {
        unchanged: ::defects::NONE,
        defects: all(),
    }
}

/// Every one.
fn all() -> Vec<Defect> {
    let defects = broken_plugin::all_defects().filter_map(|defect| {
        let rule = broken(defect)?;
        let ::defects::Defect { name, what, .. } = *defect;
        Some(Defect { name, what, rule })
    });
    defects
        .filter(|defect| !OF_LIBRARIES.contains(&defect.name))
        .filter(|defect| CLOCK_IS_OURS || defect.name != OF_THE_CLOCK)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{OF_LIBRARIES, OF_THE_CLOCK, all};
    use std::collections::HashSet;

    #[test]
    fn every_defect_is_there_once() {
        let all = all();
        let names: HashSet<_> = all.iter().map(|defect| defect.name).collect();
        assert_eq!(names.len(), all.len());
        assert!(names.len() > 300, "{}", names.len());
        assert!(OF_LIBRARIES.iter().all(|name| !names.contains(name)));
        assert!(names.contains(OF_THE_CLOCK) || !super::CLOCK_IS_OURS);
    }
}
