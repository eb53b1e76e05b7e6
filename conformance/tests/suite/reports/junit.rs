//! JUnit XML, read with roxmltree.

use roxmltree::{Document, Node};

use super::{Journal, count};

fn children<'d>(node: Node<'d, 'd>, name: &'static str) -> impl Iterator<Item = Node<'d, 'd>> {
    node.children()
        .filter(move |child| child.has_tag_name(name))
}

fn number(node: Node<'_, '_>, name: &str) -> u64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// What a case has besides its properties and what was printed: nothing where it is green.
fn colour<'d>(case: Node<'d, 'd>) -> Option<Node<'d, 'd>> {
    case.children().find(|child| {
        ["failure", "error", "skipped"]
            .iter()
            .any(|name| child.has_tag_name(*name))
    })
}

#[test]
fn cases_are_red_and_green_as_the_json_report_says() {
    let journal = Journal::of_all();
    for (more, failures, skipped) in [
        (&[][..], &["fail"][..], &["warn", "not-applicable"][..]),
        (&["--strict"][..], &["fail", "warn"], &["not-applicable"]),
    ] {
        let json = journal.json(more);
        let text = journal.text("junit", more);
        let document = Document::parse(&text).unwrap();
        let root = document.root_element();
        assert!(root.has_tag_name("testsuites"));
        let planned = json["planned"].as_u64().unwrap();
        assert_eq!(number(root, "tests"), planned);
        assert_eq!(number(root, "failures"), count(&json, failures));
        // The first undecided rule is a MUST, the second is not.
        let open = if more.is_empty() { 1 } else { 2 };
        let not_tested = planned - json["rules"].as_array().unwrap().len() as u64;
        assert_eq!(not_tested, 1);
        let died = count(&json, &["crash", "timeout", "tool-error"]);
        assert_eq!(number(root, "errors"), died + open + not_tested);
        let suites: Vec<_> = children(root, "testsuite").collect();
        let names: Vec<_> = suites
            .iter()
            .map(|suite| suite.attribute("name").unwrap())
            .collect();
        assert_eq!(names, ["P-OPEN", "P-VER", "P-FAM", "P-ABI", "P-SO"]);
        let cases: Vec<_> = suites
            .iter()
            .flat_map(|suite| children(*suite, "testcase"))
            .collect();
        let of = |name: &str| {
            let colours = cases.iter().filter_map(|case| colour(*case));
            colours.filter(|colour| colour.has_tag_name(name)).count() as u64
        };
        assert_eq!(of("skipped"), count(&json, skipped) + 2 - open);
        let green: Vec<_> = cases
            .iter()
            .filter(|case| colour(**case).is_none())
            .collect();
        assert_eq!(green.len() as u64, count(&json, &["pass"]));
        for rule in json["rules"].as_array().unwrap() {
            let case = cases
                .iter()
                .find(|case| case.attribute("name") == rule["id"].as_str());
            let kind = colour(*case.unwrap()).map(|colour| colour.attribute("type").unwrap());
            assert_eq!(kind.unwrap_or("pass"), rule["verdict"]);
        }
    }
}

#[test]
fn a_failure_is_there_in_full_whatever_its_characters() {
    let text = Journal::of_all().text("junit", &[]);
    let document = Document::parse(&text).unwrap();
    let case = document
        .descendants()
        .find(|node| node.attribute("name") == Some("P-OPEN-02"))
        .unwrap();
    let failure = colour(case).unwrap();
    let said = failure.text().unwrap();
    for part in [
        "<script>alert(1)</script>",
        "]]>",
        "\u{1F600}",
        "ddi-conformance run",
        "called",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(failure.attribute("message").unwrap().contains("<script>"));
    let printed = children(case, "system-err").next().unwrap();
    assert!(printed.text().unwrap().contains("<script>"));
}
