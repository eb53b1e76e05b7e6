//! `run --corpus`: shaders of a vendor's own.

use std::path::{Path, PathBuf};

use conformance_runner::{Options, Report, RunError, Tested, Verdict, run};
use defects::{NONE, VARIABLE};

use crate::support::libraries::broken;

const SHADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../dxil/corpus");

/// A compute shader of model 6.6; the built-in one is older.
const NEW_MODEL: &str = "dxil/heap_cs.dxil";

fn options(plugin: Option<PathBuf>, corpus: Option<&Path>, filter: &str) -> Options {
    let mut options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), plugin);
    options.settings.corpus = corpus.map(Path::to_owned);
    options.filter = filter.parse().expect("a filter");
    options
}

fn passes(report: &Report) -> bool {
    let mut rules = report.rules.iter();
    rules.all(|result| result.verdict == Verdict::Pass)
}

/// A folder with these files of the corpus in a folder of their own.
fn folder(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).expect("a folder can be made");
    for file in files {
        let from = Path::new(SHADERS).join(file);
        let name = from.file_name().expect("a file");
        std::fs::copy(&from, inner.join(name)).expect("a file can be copied");
    }
    folder
}

#[test]
fn every_container_is_compiled_or_accounted_for() {
    let corpus = folder(&[
        "dxil/blur_h2_cs.dxil",
        "dxil/forward_lit_vs.dxil",
        "dxil/forward_lit_ps.dxil",
        "dxil/depth_ps.dxil",
        "dxil/layers_gs.dxil",
        "malformed/dxbc_sm4_ps.dxil",
    ]);
    let report = run(&options(None, Some(corpus.path()), "=P-PSO-18"), |_| {}).expect("a report");
    assert!(passes(&report), "{:?}", report.rules);
    let notes = &report.rules[0].notes;
    let noted = |words: &str| notes.iter().any(|note| note.contains(words));
    assert!(noted("0 refused"), "{notes:?}");
    assert!(noted("malformed: inner/dxbc_sm4_ps.dxil"), "{notes:?}");
    assert!(noted("1 libraries and geometry"), "{notes:?}");
}

#[test]
fn a_defect_shows_that_only_a_shader_of_the_corpus_brings_out() {
    let corpus = folder(&[NEW_MODEL]);
    let verdict = |defect: &str, corpus: Option<&Path>| {
        let mut options = options(Some(broken("broken-plugin")), corpus, "=P-PSO-02");
        options.env = vec![(VARIABLE.into(), defect.into())];
        let mut report = run(&options, |_| {}).expect("a report");
        report.rules.remove(0).verdict
    };
    let defect = "session-key-of-no-value-of-new-model";
    assert_eq!(verdict(NONE, Some(corpus.path())), Verdict::Pass);
    assert_eq!(verdict(defect, None), Verdict::Pass);
    let failed = verdict(defect, Some(corpus.path()));
    let names_shader = |call: &str| call.contains("inner/heap_cs.dxil");
    assert!(
        matches!(&failed, Verdict::Fail(failure) if names_shader(&failure.call)),
        "{failed:?}"
    );
}

#[test]
fn a_corpus_that_is_none_stops_the_run() {
    let empty = tempfile::tempdir().expect("a folder can be made");
    let missing = empty.path().join("missing");
    for corpus in [empty.path(), &missing] {
        let result = run(&options(None, Some(corpus), "=P-PSO-18"), |_| {});
        assert!(matches!(result, Err(RunError::Corpus { .. })), "{result:?}");
    }
    let mut driver = options(None, Some(Path::new(SHADERS)), "U-OPEN");
    driver.tested = Tested::Driver {
        library: None,
        plugin: None,
    };
    let result = run(&driver, |_| {});
    assert!(matches!(result, Err(RunError::Corpus { .. })), "{result:?}");
}
