//! The defects that the layer can have in front of any plugin: those of `broken-plugin` that break a rule.

use conformance_catalogue::Defect;
use conformance_runner::Layer;
use conformance_runner::package::DefectCounts;

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

/// The rule that a row is about, if it breaks one.
macro_rules! broken {
    (breaks $rule:ident) => {
        Some(conformance_catalogue::rules::$rule)
    };
    ($($other:tt)*) => {
        None
    };
}

/// Each row of one file of `broken-plugin`: its name, what the plugin does, and the rule that it breaks.
macro_rules! rows {
    ($(
        $(#[doc = $place:literal])*
        $group:ident {
            $($defect:ident = $name:literal $expected:ident $($rule:ident)* $($words:literal)?: $what:literal
                $(, where $need:ident)*
                $(, also $other:ident because $reason:literal)*
                $(, sometimes $chance:ident because $luck:literal)*;)*
        }
    )*) => {
        [$($(($name, $what, broken!($expected $($rule)*)),)*)*].as_slice()
    };
}

/// How many defects of the suite's own libraries break each rule, by its id. The suite's own tests show that the test of the
/// rule notices each of them.
pub fn counts() -> DefectCounts {
    let of_plugin = broken_plugin::all_defects!(rows);
    let of_runtime = [
        broken_runtime::export_defects!(rows),
        broken_runtime::factory_defects!(rows),
        broken_runtime::session_defects!(rows),
        broken_runtime::compiler_defects!(rows),
        broken_runtime::host_defects!(rows),
        broken_runtime::callback_defects!(rows),
        broken_runtime::description_defects!(rows),
        broken_runtime::pipeline_defects!(rows),
    ];
    let of_driver = [
        broken_umd::adapter_defects!(rows),
        broken_umd::state_defects!(rows),
        broken_umd::memory_defects!(rows),
        broken_umd::bypass_defects!(rows),
        broken_umd::shader_cache_defects!(rows),
        broken_umd::keys_defects!(rows),
    ];
    let rows = of_plugin.into_iter().chain(of_runtime).chain(of_driver);
    let mut counts = DefectCounts::new();
    for rule in rows.flatten().filter_map(|&(_, _, rule)| rule) {
        *counts.entry(rule.id()).or_default() += 1;
    }
    counts
}

/// The layer that `selftest` puts in front of a plugin.
pub fn layer() -> Layer {
    Layer {
        unchanged: base_plugin::NONE,
        defects: all(),
    }
}

/// Every one.
fn all() -> Vec<Defect> {
    let rows = broken_plugin::all_defects!(rows);
    let defects = rows
        .into_iter()
        .flatten()
        .filter_map(|&(name, what, rule)| {
            let rule = rule?;
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
