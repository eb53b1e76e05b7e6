//! `docs/rules.md` is what the catalogue makes of the rules, of their sentences and of the numbers of defects.
//!
//! `INSTA_UPDATE=always`, as for snapshots, writes the page.

use std::collections::BTreeMap;

use conformance_catalogue::page::page;

use crate::support::defects::{of_api, of_driver, of_host, of_plugin};
use crate::support::matrix::Expected;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md");

#[test]
fn the_page_is_up_to_date() {
    let mut defects = BTreeMap::new();
    for defect in [of_plugin(), of_api(), of_host(), of_driver()].concat() {
        if let Expected::Breaks(rule) = defect.expected {
            *defects.entry(rule.id()).or_default() += 1;
        }
    }
    let page = page(&defects);
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(FILE, page).unwrap_or_else(|error| panic!("{FILE}: {error}"));
        return;
    }
    let committed = include_str!("../../../docs/rules.md").replace("\r\n", "\n");
    let differs = committed
        .lines()
        .zip(page.lines())
        .find(|(committed, page)| committed != page);
    assert!(
        committed == page,
        "docs/rules.md is out of date; INSTA_UPDATE=always cargo test -p conformance --test suite rules_page \
         writes it. The first line that differs: {differs:#?}"
    );
}
