//! The tests: one for each rule, which fails with that rule only.

mod abi;
mod callback_table;
mod compiler_object;
mod compiler_version;
mod family;
mod open;
mod pipeline_state;
mod profile;
mod runtime;
mod table;
mod version;

use crate::Rule;
use crate::runtime::Runtime;
use crate::subject::Subject;
use crate::verdict::Outcome;

pub(crate) use family::names as family_names;

/// A test.
#[derive(Clone, Copy)]
pub(crate) enum Test {
    Plugin(fn(&Subject) -> Outcome),
    Runtime(fn(&Runtime) -> Outcome),
}

/// The test of a rule; `None` for a rule that cannot be tested.
pub(crate) fn test(rule: Rule) -> Option<Test> {
    let test: fn(&Subject) -> Outcome = match rule {
        Rule::P_OPEN_01 => open::exports_the_entry_point,
        Rule::P_OPEN_02 => open::fills_handle_and_table,
        Rule::P_OPEN_03 => open::leaves_no_entry_null,
        Rule::P_OPEN_04 => open::refuses_null,
        Rule::P_OPEN_05 => open::needs_no_installation,
        Rule::P_OPEN_06 => open::opens_are_independent,
        Rule::P_OPEN_07 => open::destroy_leaves_nothing,
        Rule::P_OPEN_08 => open::destroy_works_before_a_version,
        Rule::P_OPEN_09 => open::writes_nothing_outside,
        Rule::P_OPEN_10 => open::leaves_inputs_alone,

        Rule::P_VER_01 => version::answers_the_size_query,
        Rule::P_VER_02 => version::fills_an_exact_array,
        Rule::P_VER_03 => version::fills_a_larger_array,
        Rule::P_VER_04 => version::respects_a_smaller_array,
        Rule::P_VER_05 => version::refuses_a_null_count,
        Rule::P_VER_06 => version::versions_are_well_formed_and_stable,
        Rule::P_VER_07 => version::every_version_can_be_selected,
        Rule::P_VER_08 => version::refuses_a_version_never_reported,
        Rule::P_VER_09 => version::refuses_tables_before_selection,
        Rule::P_VER_10 => version::counts_right_for_a_smaller_array,

        Rule::P_TBL_01 => table::fills_capabilities,
        Rule::P_TBL_02 => table::fills_compiler,
        Rule::P_TBL_03 => table::refuses_unknown_types,
        Rule::P_TBL_04 => table::stays_within_the_size,
        Rule::P_TBL_05 => table::accepts_a_larger_size,
        Rule::P_TBL_06 => table::refuses_null,
        Rule::P_TBL_07 => table::fills_the_same_twice,

        Rule::P_CBT_01 => callback_table::accepts_the_exact_size,
        Rule::P_CBT_02 => callback_table::is_copied,
        Rule::P_CBT_03 => callback_table::refuses_what_is_wrong,
        Rule::P_CBT_04 => callback_table::compiler_without_one_fails,
        Rule::P_CBT_05 => callback_table::is_only_read,

        Rule::P_FAM_01 => family::indices_are_contiguous,
        Rule::P_FAM_02 => family::not_found_past_the_end,
        Rule::P_FAM_03 => family::names_are_strings,
        Rule::P_FAM_04 => family::names_are_unique,
        Rule::P_FAM_05 => family::names_are_stable_and_clean,
        Rule::P_FAM_06 => family::refuses_null,

        Rule::P_ABI_01 => abi::answers_the_size_query,
        Rule::P_ABI_02 => abi::fills_a_large_enough_array,
        Rule::P_ABI_03 => abi::newest_comes_first,
        Rule::P_ABI_04 => abi::reserved_versions_are_absent,
        Rule::P_ABI_05 => abi::fills_what_fits,
        Rule::P_ABI_06 => abi::refuses_a_null_count,
        Rule::P_ABI_07 => abi::unknown_families_are_not_found,
        Rule::P_ABI_08 => abi::count_is_right_whatever_happens,
        Rule::P_ABI_09 => abi::lists_have_no_holes,
        Rule::P_ABI_10 => abi::lists_are_stable,

        Rule::P_CVER_01 => compiler_version::is_known_for_every_family,
        Rule::P_CVER_02 => compiler_version::refuses_null_and_is_not_zero,

        Rule::P_PROF_01 => profile::answers_for_every_target_and_application,
        Rule::P_PROF_02 => profile::is_zero_without_a_profile,
        Rule::P_PROF_03 => profile::accepts_no_engine,
        Rule::P_PROF_04 => profile::refuses_null,
        Rule::P_PROF_05 => profile::refuses_unknown_targets,

        Rule::P_CMP_01 => compiler_object::stays_within_its_memory,
        Rule::P_CMP_02 => compiler_object::keeps_no_input,
        Rule::P_CMP_03 => compiler_object::several_live_at_once,
        Rule::P_CMP_04 => compiler_object::leaves_its_memory_alone_after_destroy,
        Rule::P_CMP_05 => compiler_object::refuses_unknown_targets,
        Rule::P_CMP_06 => compiler_object::writes_no_input,
        Rule::P_CMP_07 => compiler_object::refuses_null,

        Rule::P_PSO_01 => pipeline_state::sets_the_keys_once,
        Rule::P_PSO_02 => pipeline_state::every_key_has_a_value,
        Rule::P_PSO_03 => pipeline_state::stores_the_types_asked_for,
        Rule::P_PSO_04 => pipeline_state::stores_are_well_formed,
        Rule::P_PSO_05 => pipeline_state::calls_back_only_in_its_own_session,
        Rule::P_PSO_06 => pipeline_state::compiles_again_over_its_values,
        Rule::P_PSO_07 => pipeline_state::is_a_pure_function,
        Rule::P_PSO_17 => pipeline_state::refuses_malformed_programs,
        Rule::P_PSO_18 => pipeline_state::compiles_every_kind,
        Rule::P_PSO_20 => pipeline_state::writes_no_input,
        Rule::P_PSO_21 => pipeline_state::refuses_null,

        Rule::P_FAM_07 | Rule::P_CVER_03 | Rule::P_PROF_06 => return None,

        _ => return runtime::test(rule).map(Test::Runtime),
    };
    Some(Test::Plugin(test))
}

#[cfg(test)]
mod unit {
    use super::{Test, test};
    use crate::{Party, Rule};

    #[test]
    fn a_rule_has_a_test_of_its_party_or_a_reason() {
        for rule in Rule::ALL {
            let of_plugin = test(*rule).map(|test| matches!(test, Test::Plugin(_)));
            let expected = rule.untestable().is_none();
            assert_eq!(of_plugin.is_some(), expected, "{rule}");
            assert!(
                of_plugin.is_none_or(|of| of == (rule.party() == Party::Plugin)),
                "{rule}"
            );
        }
    }
}
