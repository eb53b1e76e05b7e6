//! The rules: what the specifications oblige a plugin, a compiler runtime and a driver to, with the test of each,
//! which fails for that rule only.
//!
//! A file holds one family: P-ABI is in `rules/abi.rs`, R-VAL in `rules/runtime/val.rs`. It begins with
//! the table of its rules. An entry of the table ends with the rule's test, a function that is named by
//! the id, or with the reason why no test can decide the rule from outside; one that has neither does
//! not compile. The rules of hosts are in the package `host-rules`, as the checking plugin names them
//! too, and their tests in `rules/runtime/host.rs`.

use host_rules::Rule;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use uuid::{Uuid, uuid};

use crate::driver::Driver;
use crate::runtime::Runtime;
use crate::subject::Subject;
use crate::verdict::Outcome;

/// How a rule is decided.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    /// By a test of a plugin.
    Plugin(fn(&Subject) -> Outcome),
    /// By a test of a runtime.
    Runtime(fn(&Runtime) -> Outcome),
    /// By a test of a driver.
    Driver(fn(&Driver) -> Outcome),
    /// No test can decide it from outside, for this reason.
    Untestable(&'static str),
}

/// The rules of a family, in order, each with its test.
type Family = &'static [(Rule, Test)];

/// The rules of a family: a constant for each, and the table of all with their tests.
macro_rules! rules {
    ($($rule:ident {
        id: $id:literal,
        level: $level:ident,
        section: $section:literal,
        reading: $reading:literal,
        why: $why:literal,
        hint: $hint:literal,
        test: $kind:ident($by:expr),
    })*) => {
        $(#[doc = $reading]
        pub const $rule: $crate::Rule = $crate::Rule::new(&host_rules::Text {
            id: $id,
            level: $crate::Level::$level,
            section: $section,
            reading: $reading,
            why: $why,
            hint: $hint,
        });)*

        /// Every rule of the family, with its test.
        pub(crate) const FAMILY: $crate::rules::Family =
            &[$(($rule, $crate::rules::Test::$kind($by))),*];
    };
}

mod abi;
mod bnd;
mod caps;
mod cbt;
mod cmp;
mod cver;
mod driver;
mod fam;
mod fmt;
mod mem;
mod msaa;
mod open;
mod prof;
mod pso;
mod runtime;
mod so;
mod tbl;
mod threads;
mod ver;

pub use abi::*;
pub use bnd::*;
pub(crate) use bnd::{Ended, out_of_memory, provoke};
pub(crate) use caps::shader_models;
pub use caps::*;
pub use cbt::*;
pub use cmp::*;
pub(crate) use cver::versions as compiler_versions;
pub use cver::*;
pub(crate) use driver::abi::keys_of_abi;
pub use driver::abi::*;
pub use driver::asds::*;
pub(crate) use driver::asds::{StateOfDevice, blob_of, state_of_device};
pub use driver::gpuva::*;
pub use driver::open::*;
pub use driver::rtbp::*;
pub(crate) use fam::names as family_names;
pub use fam::*;
pub use fmt::*;
pub use host_rules::host::*;
pub(crate) use mem::works_at;
pub use mem::*;
pub use msaa::*;
pub use open::*;
pub use prof::*;
pub(crate) use pso::sharing::profile;
pub use pso::*;
pub use runtime::cmp::*;
pub use runtime::r#enum::*;
pub use runtime::fac::*;
pub use runtime::grp::*;
pub use runtime::lif::*;
pub use runtime::ses::*;
pub use runtime::val::*;
pub use so::*;
pub use tbl::*;
pub use ver::*;

/// Every family, in the order of the reports.
#[allow(
    unused_qualifications,
    reason = "the globs above import each FAMILY, which makes the bare name ambiguous"
)]
const FAMILIES: &[Family] = &[
    open::FAMILY,
    ver::FAMILY,
    tbl::FAMILY,
    cbt::FAMILY,
    fam::FAMILY,
    abi::FAMILY,
    cver::FAMILY,
    prof::FAMILY,
    caps::FAMILY,
    fmt::FAMILY,
    msaa::FAMILY,
    cmp::FAMILY,
    pso::FAMILY,
    so::FAMILY,
    mem::FAMILY,
    bnd::FAMILY,
    runtime::fac::FAMILY,
    runtime::r#enum::FAMILY,
    runtime::ses::FAMILY,
    runtime::val::FAMILY,
    runtime::grp::FAMILY,
    runtime::cmp::FAMILY,
    runtime::lif::FAMILY,
    runtime::host::FAMILY,
    driver::open::FAMILY,
    driver::asds::FAMILY,
    driver::gpuva::FAMILY,
    driver::rtbp::FAMILY,
    driver::abi::FAMILY,
];

fn entries() -> impl Iterator<Item = (Rule, Test)> {
    FAMILIES.iter().copied().flatten().copied()
}

/// Every rule, in the order of the reports.
pub fn all() -> impl Iterator<Item = Rule> {
    entries().map(|(rule, _)| rule)
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

/// Why no test can decide the rule from outside; `None` for a rule that has a test.
pub fn untestable(rule: Rule) -> Option<&'static str> {
    match test(rule) {
        Test::Untestable(reason) => Some(reason),
        Test::Plugin(_) | Test::Runtime(_) | Test::Driver(_) => None,
    }
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
            untestable(rule),
        ]);
        digest.update(format!("{line}\n"));
    }
    hex::encode(digest.finalize())
}

/// How a rule is decided.
pub(crate) fn test(rule: Rule) -> Test {
    let entry = entries().find(|(other, _)| *other == rule);
    entry.map_or(
        Test::Untestable("the suite has no such rule"),
        |(_, test)| test,
    )
}

/// The namespace of the tests' identifiers. The README has it, and it never changes.
const TUIDS: Uuid = uuid!("fdfb004d-8a0d-4c87-88e0-0a82523c2a6e");

/// What harnesses of Windows know the test of a rule by: the UUID version 5 of its id, in upper case.
pub fn tuid(rule: Rule) -> String {
    let tuid = Uuid::new_v5(&TUIDS, rule.id().as_bytes());
    let mut buffer = Uuid::encode_buffer();
    tuid.hyphenated().encode_upper(&mut buffer).to_owned()
}

/// Reads a rule by its id.
pub(crate) fn by_id<'de, D: Deserializer<'de>>(from: D) -> Result<Rule, D::Error> {
    find(&String::deserialize(from)?).map_err(D::Error::custom)
}

/// Reads a rule by its id, where there is one.
pub(crate) fn by_id_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Rule>, D::Error> {
    let id = Option::<String>::deserialize(from)?;
    id.map(|id| find(&id)).transpose().map_err(D::Error::custom)
}

/// Reads rules by their ids.
pub(crate) fn by_ids<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Rule>, D::Error> {
    let ids = Vec::<String>::deserialize(from)?.into_iter();
    let rules = ids.map(|id| find(&id)).collect::<Result<_, _>>();
    rules.map_err(D::Error::custom)
}

#[cfg(test)]
mod unit {
    use super::{
        H_01, HOST_RULES, P_ABI_05, Test, UnknownRule, all, entries, find, tuid, untestable,
    };
    use host_rules::{Party, Rule};
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
    fn a_test_is_of_what_owes_the_rule() {
        for (rule, test) in entries() {
            match test {
                Test::Plugin(_) => assert_eq!(rule.party(), Party::Plugin, "{rule}"),
                Test::Runtime(_) => {
                    assert!(
                        matches!(rule.party(), Party::Runtime | Party::Host),
                        "{rule}"
                    );
                }
                Test::Driver(_) => assert_eq!(rule.party(), Party::Driver, "{rule}"),
                Test::Untestable(_) => {}
            }
        }
    }

    #[test]
    fn hosts_have_a_test_for_each_of_their_rules() {
        let of_host = all().filter(|rule| rule.party() == Party::Host);
        assert!(of_host.eq(HOST_RULES.iter().copied()));
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
                untestable(rule).is_none_or(|reason| reason.len() > 10),
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
