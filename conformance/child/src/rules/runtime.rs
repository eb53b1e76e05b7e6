//! The tests of the rules of compiler runtimes.

mod cmp;
mod r#enum;
mod fac;
mod grp;
pub(super) mod lif;
mod refused;
mod ses;
mod val;

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::Outcome;

use super::host;
use crate::runtime::Runtime;

type Test = fn(&Runtime) -> Outcome;
pub(super) type Tests = super::Tests<Test>;

/// In the order of the catalogue.
pub(super) const FAMILIES: &[Tests] = &[
    fac::TESTS,
    r#enum::TESTS,
    ses::TESTS,
    val::TESTS,
    grp::TESTS,
    cmp::TESTS,
    lif::TESTS,
    host::TESTS,
];

/// The test of a rule of runtimes, toward their callers or as hosts.
pub(crate) fn test(rule: Rule) -> Option<Test> {
    super::among(FAMILIES, rule)
}
