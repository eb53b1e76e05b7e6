//! The test of each rule, which fails for that rule only.
//!
//! A test is a function that is named by the id. It stands in the file of its family, at the path that the texts of the family
//! have in the crate `conformance-catalogue`, or in a folder beside that file.

pub(crate) mod driver;
pub(crate) mod host;
pub(crate) mod plugin;
pub(crate) mod runtime;

use conformance_catalogue::Rule;
use conformance_catalogue::rules::FAMILIES;

/// The rules of a family that a test can decide, in order, with their tests.
type Tests<T> = &'static [(Rule, T)];

/// The test of a rule; `None` if it is of no family of these.
fn among<T: Copy>(families: &[Tests<T>], rule: Rule) -> Option<T> {
    let mut tests = families.iter().copied().flatten();
    tests
        .find(|(tested, _)| *tested == rule)
        .map(|(_, test)| *test)
}

// A rule without a test and without a reason for that does not compile, nor does a test that stands out of order.
const _: () = {
    let mut next = 0;
    next = tested(plugin::FAMILIES, next);
    next = tested(runtime::FAMILIES, next);
    next = tested(driver::FAMILIES, next);
    assert!(rule(next).is_none(), "the last rules have no tests");
};

/// The number of the rule after those that `families` have the tests of, where `next` is the number of the first.
const fn tested<T>(families: &[Tests<T>], mut next: usize) -> usize {
    let mut family = 0;
    while family < families.len() {
        let mut test = 0;
        while test < families[family].len() {
            next = testable(next);
            let named = families[family][test].0.id();
            match rule(next) {
                Some(rule) if is_same(rule.id(), named) => next += 1,
                _ => panic!("{}", named),
            }
            test += 1;
        }
        family += 1;
    }
    testable(next)
}

/// The first number from `next` on that is not of a rule which no test can decide.
const fn testable(mut next: usize) -> usize {
    while let Some(rule) = rule(next)
        && rule.untestable().is_some()
    {
        next += 1;
    }
    next
}

/// The rule of a number in the order of the catalogue.
const fn rule(mut number: usize) -> Option<Rule> {
    let mut family = 0;
    while family < FAMILIES.len() {
        if number < FAMILIES[family].len() {
            return Some(FAMILIES[family][number]);
        }
        number -= FAMILIES[family].len();
        family += 1;
    }
    None
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
