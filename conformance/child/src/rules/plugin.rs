//! The tests of the rules of plugins.

pub(crate) mod abi;
pub(crate) mod bnd;
pub(crate) mod caps;
mod cbt;
mod cmp;
pub(crate) mod cver;
pub(crate) mod fam;
mod fmt;
pub(crate) mod mem;
mod msaa;
mod open;
mod prof;
pub(crate) mod pso;
mod so;
mod tbl;
mod threads;
mod ver;

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::Outcome;

use crate::plugin::subject::Subject;

type Test = fn(&Subject) -> Outcome;
type Tests = super::Tests<Test>;

/// In the order of the catalogue.
pub(super) const FAMILIES: &[Tests] = &[
    open::TESTS,
    ver::TESTS,
    tbl::TESTS,
    cbt::TESTS,
    fam::TESTS,
    abi::TESTS,
    cver::TESTS,
    prof::TESTS,
    caps::TESTS,
    fmt::TESTS,
    msaa::TESTS,
    cmp::TESTS,
    pso::TESTS,
    so::TESTS,
    mem::TESTS,
    bnd::TESTS,
];

/// The test of a rule of plugins.
pub(crate) fn test(rule: Rule) -> Option<Test> {
    super::among(FAMILIES, rule)
}
