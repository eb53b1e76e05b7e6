//! The rules: what the specifications oblige a plugin, a compiler runtime and a driver to.
//!
//! A file holds one family: P-ABI is in `rules/plugin/abi.rs`, R-VAL in `rules/runtime/val.rs`, U-OPEN in
//! `rules/driver/open.rs`, H in `rules/host.rs`. The tests of a family stand in the file of the same path in the crate
//! `conformance-child`, which does not compile while a rule has neither a test there nor, here, the reason why no test can
//! decide it from outside.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use uuid::{Uuid, uuid};

use crate::Rule;

/// The rules of a family, in order.
pub type Family = &'static [Rule];

/// The rules of a family: a constant for each, and the table of all.
macro_rules! rules {
    (@reason) => {
        None
    };
    (@reason $reason:literal) => {
        Some($reason)
    };
    ($($rule:ident {
        id: $id:literal,
        level: $level:ident,
        section: $section:literal,
        reading: $reading:literal,
        why: $why:literal,
        hint: $hint:literal,
        $(untestable: $untestable:literal,)?
    })*) => {
        $(#[doc = $reading]
        pub const $rule: $crate::Rule = $crate::Rule::new(&$crate::rule::Text {
            id: $id,
            level: $crate::Level::$level,
            section: $section,
            reading: $reading,
            why: $why,
            hint: $hint,
            untestable: rules!(@reason $($untestable)?),
        });)*

        /// Every rule of the family.
        pub(crate) const FAMILY: $crate::rules::Family = &[$($rule),*];
    };
}

mod driver;
mod host;
mod plugin;
mod runtime;

pub use driver::abi::*;
pub use driver::asds::*;
pub use driver::gpuva::*;
pub use driver::open::*;
pub use driver::rtbp::*;
pub use host::*;
pub use plugin::abi::*;
pub use plugin::bnd::*;
pub use plugin::caps::*;
pub use plugin::cbt::*;
pub use plugin::cmp::*;
pub use plugin::cver::*;
pub use plugin::fam::*;
pub use plugin::fmt::*;
pub use plugin::mem::*;
pub use plugin::msaa::*;
pub use plugin::open::*;
pub use plugin::prof::*;
pub use plugin::pso::*;
pub use plugin::so::*;
pub use plugin::tbl::*;
pub use plugin::ver::*;
pub use runtime::cmp::*;
pub use runtime::r#enum::*;
pub use runtime::fac::*;
pub use runtime::grp::*;
pub use runtime::lif::*;
pub use runtime::ses::*;
pub use runtime::val::*;

/// Every family, in the order of the reports.
#[allow(
    unused_qualifications,
    reason = "the globs above import each FAMILY, which makes the bare name ambiguous"
)]
pub const FAMILIES: &[Family] = &[
    plugin::open::FAMILY,
    plugin::ver::FAMILY,
    plugin::tbl::FAMILY,
    plugin::cbt::FAMILY,
    plugin::fam::FAMILY,
    plugin::abi::FAMILY,
    plugin::cver::FAMILY,
    plugin::prof::FAMILY,
    plugin::caps::FAMILY,
    plugin::fmt::FAMILY,
    plugin::msaa::FAMILY,
    plugin::cmp::FAMILY,
    plugin::pso::FAMILY,
    plugin::so::FAMILY,
    plugin::mem::FAMILY,
    plugin::bnd::FAMILY,
    runtime::fac::FAMILY,
    runtime::r#enum::FAMILY,
    runtime::ses::FAMILY,
    runtime::val::FAMILY,
    runtime::grp::FAMILY,
    runtime::cmp::FAMILY,
    runtime::lif::FAMILY,
    host::FAMILY,
    driver::open::FAMILY,
    driver::asds::FAMILY,
    driver::gpuva::FAMILY,
    driver::rtbp::FAMILY,
    driver::abi::FAMILY,
];

/// Every rule, in the order of the reports.
pub fn all() -> impl Iterator<Item = Rule> {
    FAMILIES.iter().copied().flatten().copied()
}

/// No rule has this id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rule has the id \"{0}\"; `ddi-conformance list` shows them all")]
pub struct UnknownRule(pub String);

/// The rule of an id, in upper or lower case.
///
/// # Errors
///
/// There is none.
pub fn find(id: &str) -> Result<Rule, UnknownRule> {
    all()
        .find(|rule| rule.id().eq_ignore_ascii_case(id))
        .ok_or_else(|| UnknownRule(id.to_owned()))
}

/// The SHA-256, in hexadecimal, of every rule with all its texts, in the order of [`all`]: two tools with the same one mean the
/// same by their verdicts.
pub fn digest() -> String {
    let mut digest = Sha256::new();
    for rule in all() {
        // A line of JSON has one reading: no text can end where another begins.
        let line = json!([
            rule.id(),
            rule.level().to_string(),
            rule.party().to_string(),
            rule.section(),
            rule.reading(),
            rule.why(),
            rule.hint(),
            rule.untestable(),
        ]);
        digest.update(format!("{line}\n"));
    }
    hex::encode(digest.finalize())
}

/// The namespace of the tests' identifiers. The README has it, and it never changes.
const TUIDS: Uuid = uuid!("fdfb004d-8a0d-4c87-88e0-0a82523c2a6e");

/// What harnesses of Windows know the test of a rule by: the UUID version 5 of its id, in upper case.
pub fn tuid(rule: Rule) -> String {
    let tuid = Uuid::new_v5(&TUIDS, rule.id().as_bytes());
    let mut buffer = Uuid::encode_buffer();
    tuid.hyphenated().encode_upper(&mut buffer).to_owned()
}

#[cfg(test)]
mod unit {
    use super::{H_01, P_ABI_05, UnknownRule, all, find, tuid};
    use crate::{Party, Rule};
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_and_well_formed() {
        let ids: BTreeSet<_> = all().map(Rule::id).collect();
        assert_eq!(ids.len(), all().count());
        for rule in all() {
            let (party, family, number) = match rule.id().split('-').collect::<Vec<_>>()[..] {
                [party, family, number] => (party, family, number),
                // A dozen, which need no families.
                [party, number] => (party, "", number),
                _ => panic!("{rule} is not PARTY-FAMILY-NUMBER"),
            };
            let letter = match rule.party() {
                Party::Plugin => "P",
                Party::Runtime => "R",
                Party::Host => "H",
                Party::Driver => "U",
            };
            assert_eq!(party, letter, "{rule}");
            assert_eq!(family.is_empty(), rule.party() == Party::Host, "{rule}");
            assert!(family.chars().all(|c| c.is_ascii_uppercase()), "{rule}");
            assert!(number.len() == 2 && number.parse::<u8>().is_ok(), "{rule}");
        }
    }

    #[test]
    fn identifiers_of_tests_never_change() {
        assert_eq!(tuid(P_ABI_05), "7FF42A93-0862-53E4-902E-BEF3CE7C4E8F");
        assert_eq!(tuid(H_01), "B9247B18-4876-53AB-B98B-A3861A650072");
    }

    #[test]
    fn every_text_is_one_that_can_be_read() {
        for rule in all() {
            for text in [rule.reading(), rule.why(), rule.hint()] {
                assert!(text.ends_with('.') && text.len() > 20, "{rule}: {text}");
            }
            assert!(
                !rule.reading().contains(". "),
                "{rule}: more than one sentence"
            );
            assert!(
                !rule.section().starts_with('#') && rule.section().len() > 5,
                "{rule}"
            );
            assert!(
                rule.untestable().is_none_or(|reason| reason.len() > 10),
                "{rule}"
            );
        }
    }

    #[test]
    fn ids_are_read_back_and_unknown_ones_refused() {
        for rule in all() {
            assert_eq!(find(rule.id()), Ok(rule));
            assert_eq!(find(&rule.id().to_lowercase()), Ok(rule));
        }
        assert_eq!(find("P-ABI-99"), Err(UnknownRule("P-ABI-99".into())));
        assert_eq!(find(""), Err(UnknownRule(String::new())));
    }
}
