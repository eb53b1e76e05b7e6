//! The tests of compiler runtimes.

mod compile;
mod enumeration;
mod factory;
mod groups;
mod groups_at_once;
mod host;
mod lifetime;
mod session;
mod values;

use crate::Rule;
use crate::runtime::Runtime;
use crate::verdict::Outcome;

/// The test of a rule about runtimes.
pub(super) fn test(rule: Rule) -> Option<fn(&Runtime) -> Outcome> {
    Some(match rule {
        Rule::R_FAC_01 => factory::gives_a_factory,
        Rule::R_FAC_02 => factory::refuses_an_unknown_iid,
        Rule::R_FAC_03 => factory::reports_a_missing_file,
        Rule::R_FAC_04 => factory::refuses_a_null_path,
        Rule::R_FAC_05 => factory::refuses_what_is_no_plugin,
        Rule::R_FAC_06 => factory::factories_live_side_by_side,

        Rule::R_ENUM_01 => enumeration::names_the_families,
        Rule::R_ENUM_02 => enumeration::ends_with_not_found,
        Rule::R_ENUM_03 => enumeration::refuses_a_null_family,
        Rule::R_ENUM_04 => enumeration::counts_abi_versions,
        Rule::R_ENUM_05 => enumeration::lists_abi_versions,
        Rule::R_ENUM_06 => enumeration::lists_what_fits,
        Rule::R_ENUM_07 => enumeration::lists_as_a_plugin_does,
        Rule::R_ENUM_08 => enumeration::knows_compiler_versions,
        Rule::R_ENUM_09 => enumeration::refuses_other_compiler_versions,
        Rule::R_ENUM_10 => enumeration::knows_profile_versions,
        Rule::R_ENUM_11 => enumeration::takes_0_for_the_latest,
        Rule::R_ENUM_12 => enumeration::refuses_other_profile_versions,
        Rule::R_ENUM_13 => enumeration::refuses_nameless_applications,

        Rule::R_SES_01 => session::creates_the_file,
        Rule::R_SES_02 => session::opens_for_modification,
        Rule::R_SES_03 => session::separates_types,
        Rule::R_SES_04 => session::has_its_target,
        Rule::R_SES_05 => session::has_its_application,
        Rule::R_SES_06 => session::owns_its_application,
        Rule::R_SES_07 => session::has_its_types,
        Rule::R_SES_08 => session::stores_target_and_application,
        Rule::R_SES_09 => session::refuses_wrong_paths,
        Rule::R_SES_10 => session::refuses_other_files,
        Rule::R_SES_11 => session::refuses_nameless_applications,

        Rule::R_VAL_01 => values::are_found_as_stored,
        Rule::R_VAL_02 => values::refuses_to_store_nothing,
        Rule::R_VAL_03 => values::refuses_an_empty_value,
        Rule::R_VAL_04 => values::refuses_a_type_twice,
        Rule::R_VAL_05 => values::are_stored_once,
        Rule::R_VAL_06 => values::are_stored_all_or_none,
        Rule::R_VAL_07 => values::have_sizes,
        Rule::R_VAL_08 => values::are_not_found,
        Rule::R_VAL_09 => values::fit_into_buffers,
        Rule::R_VAL_10 => values::do_not_fit_into_buffers,
        Rule::R_VAL_11 => values::are_allocated,
        Rule::R_VAL_12 => values::are_not_allocated,
        Rule::R_VAL_13 => values::are_found_beside_absent_ones,
        Rule::R_VAL_14 => values::refuses_wrong_keys,
        Rule::R_VAL_15 => values::of_other_types_are_not_found,
        Rule::R_VAL_16 => values::fit_into_some_buffers,
        Rule::R_VAL_17 => values::are_allocated_beside_buffers,

        Rule::R_GRP_01 => groups::have_a_version,
        Rule::R_GRP_02 => groups::are_not_found,
        Rule::R_GRP_03 => groups::have_keys,
        Rule::R_GRP_04 => groups::of_other_versions_are_not_found,
        Rule::R_GRP_05 => groups::exist_without_values,
        Rule::R_GRP_06 => groups::have_values,
        Rule::R_GRP_07 => groups::have_values_of_types,
        Rule::R_GRP_08 => groups::have_their_values,
        Rule::R_GRP_09 => groups::are_stored_without_values,
        Rule::R_GRP_10 => groups::are_stored_once,
        Rule::R_GRP_11 => groups::exist_already,
        Rule::R_GRP_12 => groups::refuses_wrong_keys,

        Rule::R_CMP_01 => compile::makes_compilers,
        Rule::R_CMP_02 => compile::refuses_a_null_session,
        Rule::R_CMP_03 => compile::is_for_the_session,
        Rule::R_CMP_04 => compile::stores_pipelines,
        Rule::R_CMP_05 => compile::asks_for_the_types_of_the_session,
        Rule::R_CMP_06 => compile::refuses_groups_that_are_present,
        Rule::R_CMP_07 => compile::says_that_groups_are_present,
        Rule::R_CMP_08 => compile::stores_no_group_of_a_failure,
        Rule::R_CMP_09 => compile::refuses_null,
        Rule::R_CMP_10 => compile::stores_state_objects,
        Rule::R_CMP_11 => compile::stores_additions,
        Rule::R_CMP_12 => compile::takes_existing_collections,
        Rule::R_CMP_13 => compile::refuses_other_collections,
        Rule::R_CMP_14 => groups_at_once::are_all_stored,
        Rule::R_CMP_15 => groups_at_once::are_all_refused,

        Rule::R_LIF_01 => lifetime::refuses_unknown_iids,
        Rule::R_LIF_02 => lifetime::gives_parents,
        Rule::R_LIF_03 => lifetime::keeps_parents,
        Rule::R_LIF_04 => lifetime::compiles_on_threads,

        Rule::H_01 => host::asks_for_versions,
        Rule::H_02 => host::selects_a_version,
        Rule::H_03 => host::sets_callbacks,
        Rule::H_04 => host::uses_living_handles,
        Rule::H_05 => host::lends_memory,
        Rule::H_06 => host::names_targets,
        Rule::H_07 => host::describes_applications,
        Rule::H_08 => host::knows_value_types,
        Rule::H_09 => host::answers_callbacks,
        Rule::H_10 => host::keeps_descriptions,
        Rule::H_11 => host::forgets_tables,
        Rule::H_12 => host::counts_from_0,
        Rule::H_13 => host::finds_no_lacking_type,
        Rule::H_14 => host::finds_beside_lacking_types,
        Rule::H_15 => host::refuses_other_handles,
        Rule::H_16 => host::takes_value_keys_once,
        Rule::H_17 => host::refuses_mistakes,
        Rule::H_18 => host::allocates_for_null,

        _ => return None,
    })
}
