//! The tests of the rules of user-mode drivers.

pub(crate) mod abi;
pub(crate) mod asds;
mod gpuva;
mod open;
mod rtbp;

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::Outcome;

use crate::driver::Driver;

type Test = fn(&Driver) -> Outcome;
type Tests = super::Tests<Test>;

/// In the order of the catalogue.
pub(super) const FAMILIES: &[Tests] = &[
    open::TESTS,
    asds::TESTS,
    gpuva::TESTS,
    rtbp::TESTS,
    abi::TESTS,
];

/// The test of a rule of drivers.
pub(crate) fn test(rule: Rule) -> Option<Test> {
    super::among(FAMILIES, rule)
}
