//! The WTL log, read with roxmltree.

use std::collections::HashSet;

use conformance_runner::exit_code;
use roxmltree::{Document, Node};

use super::{Journal, count};

/// A log, which is UTF-16, as UTF-8.
pub fn utf8(log: &[u8]) -> String {
    assert_eq!(log[..2], [0xff, 0xfe], "the byte order mark");
    let units = log[2..]
        .chunks_exact(2)
        .map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    String::from_utf16(&units.collect::<Vec<_>>()).unwrap()
}

fn log(journal: &Journal, more: &[&str]) -> String {
    utf8(&journal.report("wtl", more, exit_code::NOT_CONFORMANT))
}

fn named<'d>(root: Node<'d, 'd>, name: &'static str) -> Vec<Node<'d, 'd>> {
    let children = root.children();
    children.filter(|child| child.has_tag_name(name)).collect()
}

#[test]
fn tests_begin_and_end_and_add_up() {
    let journal = Journal::of_all();
    for (more, failed, warned) in [
        (&[][..], &["fail", "crash", "timeout"][..], &["warn"][..]),
        (
            &["--strict"][..],
            &["fail", "crash", "timeout", "warn"],
            &[],
        ),
    ] {
        let json = journal.json(more);
        let text = log(&journal, more);
        let document = Document::parse(&text).unwrap();
        let root = document.root_element();
        assert!(root.has_tag_name("WTT-Logger"));
        let (starts, ends) = (named(root, "StartTest"), named(root, "EndTest"));
        let planned = json["planned"].as_u64().unwrap();
        assert_eq!(starts.len() as u64, planned);
        let identifiers: HashSet<_> = starts.iter().map(|test| test.attribute("TUID")).collect();
        assert_eq!(identifiers.len(), starts.len());
        // What is between them is of their context, which no other test has.
        let contexts: HashSet<_> = named(root, "CTX")
            .iter()
            .map(|node| node.attribute("ID"))
            .collect();
        assert_eq!(contexts.len(), 1 + starts.len());
        let context =
            |node: &Node<'_, '_>| named(*node, "ctx")[0].attribute("id").map(str::to_owned);
        for (start, end) in starts.iter().zip(&ends) {
            for name in ["Title", "TUID"] {
                assert_eq!(start.attribute(name), end.attribute(name));
            }
            let between = start.next_siblings().skip(1).take_while(|node| node != end);
            let between = between.filter(Node::is_element);
            assert!(
                between
                    .map(|node| context(&node))
                    .all(|of| of == context(start))
            );
            assert_eq!(context(start), context(end));
        }
        let left = planned - json["rules"].as_array().unwrap().len() as u64;
        let of = |result: &str| {
            let ends = ends
                .iter()
                .filter(|end| end.attribute("Result") == Some(result));
            ends.count() as u64
        };
        let [roll_up] = named(root, "PFRollup")[..] else {
            panic!("one sum")
        };
        for (result, name, expected) in [
            ("Pass", "Passed", count(&json, &["pass"])),
            ("Fail", "Failed", count(&json, failed)),
            ("Warn", "Warned", count(&json, warned)),
            (
                "Blocked",
                "Blocked",
                count(&json, &["undecided", "tool-error"]) + left,
            ),
            ("Skipped", "Skipped", count(&json, &["not-applicable"])),
        ] {
            assert_eq!(of(result), expected, "{result}");
            assert_eq!(roll_up.attribute(name).unwrap(), expected.to_string());
        }
        assert_eq!(roll_up.attribute("Total").unwrap(), planned.to_string());
        assert_eq!(named(root, "Error").len() as u64, count(&json, failed));
        assert_eq!(named(root, "Warn").len() as u64, count(&json, warned));
    }
}

#[test]
fn a_failure_says_what_the_library_did_and_how_to_repeat_it() {
    let text = log(&Journal::of_all(), &[]);
    let document = Document::parse(&text).unwrap();
    let errors = named(document.root_element(), "Error");
    let said = errors[0].attribute("UserText").unwrap();
    assert!(
        said.starts_with("fail: <script>alert(1)</script>"),
        "{said}"
    );
    let ends = named(document.root_element(), "EndTest");
    let repeat = ends[1].attribute("Repro").unwrap();
    assert!(repeat.contains("--filter =P-OPEN-02"), "{repeat}");
}
