//! The HTML page, as text and in a browser.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Journal, count};

#[test]
fn the_page_has_each_rule_and_loads_nothing() {
    let journal = Journal::of_all();
    let (page, json) = (journal.text("html", &[]), journal.json(&[]));
    for rule in json["rules"].as_array().unwrap() {
        let id = rule["id"].as_str().unwrap();
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    for (verdict, number) in json["totals"].as_object().unwrap() {
        let rows = page.matches(&format!("data-verdict=\"{verdict}\"")).count();
        assert_eq!(rows as u64, number.as_u64().unwrap(), "{verdict}");
    }
    assert_eq!(page.matches("data-verdict=\"not-tested\"").count(), 1);
    assert_eq!(count(&json, &["pass"]), 1);
    assert!(page.contains("content=\"default-src 'none'; "), "{page}");
    for load in [
        "http:", "https:", "src=", "<link", "<img", "url(", "@import",
    ] {
        assert!(!page.contains(load), "{load}");
    }
}

#[test]
fn what_a_library_says_is_text() {
    let page = Journal::of_all().text("html", &[]);
    let said = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;amp;]]&gt;";
    // The name of the library, thrice; a note; the failures, also what was printed; the crash; the reasons.
    assert!(page.matches(said).count() > 15, "{page}");
    for markup in ["<script", "</script", "<style", "<table", "</table"] {
        assert_eq!(page.matches(markup).count(), 1, "{markup}");
    }
    assert!(!page.contains("<!--"));
    let is_control = |c: char| c.is_control() && !"\r\n\t".contains(c);
    assert!(!page.contains(is_control));
}

/// A browser of this machine; `None`, with a line on stderr, where there is none.
fn browser() -> Option<&'static str> {
    const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "msedge"];
    let starts = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let browser = NAMES.into_iter().find(starts);
    if browser.is_none() {
        eprintln!("skipped: none of the browsers {}", NAMES.join(", "));
    }
    browser
}

/// What is left of a page when its script has run, and what the browser said.
fn dom(browser: &str, page: &Path, more: &[&str]) -> (String, String) {
    let mut command = Command::new(browser);
    command
        // The sandbox does not start for root, and the page is ours.
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
            "--enable-logging=stderr",
        ])
        .arg(format!(
            "--user-data-dir={}",
            page.with_extension("profile").display()
        ))
        .args(more)
        .arg(format!("file://{}", page.display()));
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_browser_shows_the_page() {
    let Some(browser) = browser() else { return };
    let journal = Journal::of_all();
    let page = journal.text("html", &[]);
    let path = journal.path().with_extension("html");
    fs::write(&path, &page).unwrap();
    let (shown, said) = dom(browser, &path, &[]);
    // The script ran, and its policy refused nothing.
    assert!(
        shown.contains("<output>10 of 10 rules</output>"),
        "{shown} {said}"
    );
    assert!(!said.contains("Content Security Policy"), "{said}");
    assert_eq!(shown.matches("<script").count(), 1);
    assert_eq!(shown.matches("<tr ").count(), 10);

    // A script that looks at the page is one that the policy refuses.
    let probe =
        "const of = document.documentElement; of.dataset.fits = of.scrollWidth <= innerWidth;
        of.dataset.paper = getComputedStyle(document.body).backgroundColor;";
    let (before, policy) = page
        .split_once("<meta http-equiv=\"Content-Security-Policy\"")
        .unwrap();
    let (_, after) = policy.split_once('>').unwrap();
    let probed = format!("{before}{after}<script>{probe}</script>");
    fs::write(&path, probed).unwrap();
    let dark = [
        "--force-dark-mode",
        "--blink-settings=preferredColorScheme=0",
    ];
    for (width, colours, paper) in [
        ("1400", &[][..], "rgb(255, 255, 255)"),
        ("400", &[], "rgb(255, 255, 255)"),
        ("1400", &dark, "rgb(20, 23, 27)"),
        ("400", &dark, "rgb(20, 23, 27)"),
    ] {
        let size = format!("--window-size={width},900");
        let (shown, said) = dom(browser, &path, &[&[size.as_str()], colours].concat());
        for attribute in [
            "data-fits=\"true\"".to_owned(),
            format!("data-paper=\"{paper}\""),
        ] {
            assert!(shown.contains(&attribute), "{width} {attribute}: {said}");
        }
    }
}
