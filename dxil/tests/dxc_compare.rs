//! Of every container of the corpus, this crate says what the DirectX Shader Compiler (DXC) says.
//!
//! `scripts/dxil-compare` asks DXC and records the answers in `dxc_compare/recorded.txt`.

use std::collections::{BTreeMap, BTreeSet};

use dxil_test_support::comparison::{self, counts, differences, ours, recorded};

#[test]
fn every_container_is_what_dxc_says() {
    let mut different = Vec::new();
    for container in recorded().1 {
        let lines = differences(&container.lines, &ours(&container.file));
        if !lines.is_empty() {
            different.push(format!("{}\n  {}", container.file, lines.join("\n  ")));
        }
    }
    assert!(different.is_empty(), "\n{}", different.join("\n"));
}

#[test]
fn the_recording_has_every_container_and_every_kind_of_line() {
    let (version, containers) = recorded();
    assert!(version.starts_with("DXC 1."), "{version}");
    let recorded: BTreeSet<&str> = containers.iter().map(|it| it.file.as_str()).collect();
    assert_eq!(recorded.len(), containers.len());
    let mut files = BTreeSet::new();
    for folder in ["dxil", "pdb"] {
        let path = format!("{}/corpus/{folder}", env!("CARGO_MANIFEST_DIR"));
        for file in std::fs::read_dir(path).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            files.insert(format!("{folder}/{name}"));
        }
    }
    assert_eq!(recorded, files.iter().map(String::as_str).collect());

    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for line in containers.iter().flat_map(|it| &it.lines) {
        *kinds.entry(line.split(' ').next().unwrap()).or_default() += 1;
    }
    for (kind, at_least) in [
        ("part", 1000),
        ("program", 130),
        ("features", 130),
        ("group", 130),
        ("geometry", 130),
        ("tessellation", 130),
        ("input", 250),
        ("output", 150),
        ("patch", 50),
        ("resource", 400),
        ("buffer", 200),
        ("function", 100),
        ("hash", 150),
        ("debug", 5),
        ("psv", 1500),
        ("interp", 500),
        ("binding", 400),
        ("view", 700),
        ("subobject", 50),
        ("entry", 200),
        ("node", 15),
    ] {
        let found = kinds.remove(kind).unwrap_or_default();
        assert!(found >= at_least, "{kind}: {found}");
    }
    assert!(kinds.is_empty(), "{kinds:?}");
}

/// Whatever line were another, or missing, or too many, or in another place, it would be noticed.
#[test]
fn a_changed_view_is_reported() {
    for container in recorded().1.iter().step_by(7) {
        let dxc = &container.lines;
        assert!(differences(dxc, dxc).is_empty());
        for place in 0..dxc.len() {
            let mut changed = dxc.clone();
            changed[place] += "0";
            let expected = [
                format!("DXC:  {}", dxc[place]),
                format!("dxil: {}0", dxc[place]),
            ];
            assert_eq!(differences(dxc, &changed), expected);

            changed.remove(place);
            assert_eq!(
                differences(dxc, &changed),
                [format!("DXC:  {}", dxc[place])]
            );
            assert_eq!(
                differences(&changed, dxc),
                [format!("dxil: {}", dxc[place])]
            );
        }
        let mut moved = dxc.clone();
        moved.reverse();
        assert_eq!(differences(dxc, &moved).is_empty(), dxc.len() == 1);
    }
}

#[test]
fn the_page_is_what_comes_of_the_recording() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/dxil-against-dxc.md");
    let page = std::fs::read_to_string(path).unwrap();
    let table = comparison::table();
    for (number, (page, table)) in page.lines().zip(table.lines()).enumerate() {
        assert_eq!(
            page,
            table,
            "line {}; scripts/dxil-compare --record",
            number + 1
        );
    }
    assert_eq!(page.lines().count(), table.lines().count());
    assert!(!table.contains("**no**"));
    let counted: usize = recorded().1.iter().map(|it| counts(&it.lines)[0]).sum();
    assert!(counted > 1000, "{counted}");
}
