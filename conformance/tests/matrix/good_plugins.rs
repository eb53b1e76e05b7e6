//! Plugins that conform, and differ wherever the specification leaves a choice: the suite says nothing against
//! any of them.

use std::path::PathBuf;

use conformance_runner::{Filter, Options, Rule, Verdict, exit_code, plan, rules, run};

#[cfg(target_os = "linux")]
use crate::support::libraries::broken;
use crate::support::libraries::{library, minimal_plugin};
use crate::support::{is_tested_here, turn};

/// Runs the suite: every rule holds, but those in `absent`, which do not apply; of P-OPEN-11 the report
/// says whose the first table is.
fn passes(plugin: PathBuf, table: &str, absent: &[Rule]) {
    let options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), Some(plugin));
    let turn = turn();
    let report = run(&options, |_| {}).expect("a report");
    drop(turn);
    for result in &report.rules {
        let is_absent = absent.contains(&result.rule) || !is_tested_here(result.rule);
        let holds = match result.verdict {
            Verdict::Pass => !is_absent,
            Verdict::NotApplicable { .. } => is_absent,
            _ => false,
        };
        assert!(holds, "{result:#?}");
        if result.rule == rules::P_OPEN_11 {
            assert!(result.notes.concat().contains(table), "{result:#?}");
        }
    }
    let all = plan(&options.tested, &Filter::all()).len();
    assert_eq!(report.rules.len(), all);
    assert_eq!(report.exit_code(true), exit_code::CONFORMANT);
}

#[test]
fn the_sample_plugin_passes() {
    passes(library("sample-plugin"), "the host's table", &[]);
}

#[test]
fn the_example_in_cpp_passes() {
    if let Some(plugin) = minimal_plugin() {
        // Of state objects it has generic programs alone, which nothing is made from.
        passes(plugin, "the host's table", &[rules::P_SO_03]);
    }
}

#[test]
fn the_plugin_that_chooses_otherwise_passes() {
    passes(library("other-plugin"), "a table of its own", &[]);
}

#[test]
fn the_plugin_that_compiles_on_several_threads_passes() {
    passes(library("parallel-plugin"), "the host's table", &[]);
}

/// Builds a library by its name.
#[cfg(target_os = "linux")]
type Build = fn(&str) -> PathBuf;

/// The libraries of the workspace that stay loaded where a host unloads them: `stay_loaded.rs`.
#[cfg(target_os = "linux")]
const STAY: [(&str, Build); 13] = [
    ("broken-plugin", broken),
    ("broken-runtime", broken),
    ("broken-umd", broken),
    ("checking-plugin", library),
    ("ddi_conformance_c", library),
    ("dying-plugin", library),
    ("mangled-export", broken),
    ("mock-runtime", library),
    ("mock-umd", library),
    ("other-plugin", library),
    ("panicking", broken),
    ("parallel-plugin", library),
    ("trace-plugin", library),
];

/// Those that are unloaded: `tests/unload.rs` of the runtime has a thread of the host outlive the first two. The others are made
/// with the SDK alone, as the sample plugin is.
#[cfg(target_os = "linux")]
const UNLOADED: [&str; 4] = [
    "compiler-runtime",
    "sample-plugin",
    "first_plugin",
    "unsteady_plugin",
];

/// No library leaves a destructor behind for the end of a thread of the host.
#[cfg(target_os = "linux")]
#[test]
fn every_library_is_there_when_a_thread_that_used_it_ends() {
    let metadata = std::process::Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let targets = packages
        .iter()
        .flat_map(|package| package["targets"].as_array().unwrap());
    let is_library = |target: &&serde_json::Value| {
        let kinds = target["crate_types"].as_array().unwrap();
        kinds.contains(&"cdylib".into())
    };
    let mut found: Vec<String> = targets
        .filter(is_library)
        .map(|target| target["name"].as_str().unwrap().replace('_', "-"))
        .collect();
    found.sort();
    let stay = STAY.iter().map(|(name, _)| *name);
    let mut known: Vec<String> = stay
        .chain(UNLOADED)
        .map(|name| name.replace('_', "-"))
        .collect();
    known.sort();
    assert_eq!(found, known);
    for (name, built) in STAY {
        let path = built(name);
        assert!(stays(&path), "{}", path.display());
    }
    // The flag is not there by itself.
    assert!(!stays(&library("sample-plugin")));
}

/// Whether a library has the flag by which `dlclose` leaves it.
#[cfg(target_os = "linux")]
fn stays(path: &std::path::Path) -> bool {
    use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _, SectionHeader as _};
    use object::{Endianness, elf};

    let bytes = std::fs::read(path).unwrap();
    let file = ElfFile64::<Endianness>::parse(&*bytes).unwrap();
    let (endian, header) = (file.endian(), file.elf_header());
    let sections = header.sections(endian, &*bytes).unwrap();
    let entries = sections.iter().find_map(|section| {
        let dynamic = section.dynamic(endian, &*bytes).unwrap();
        dynamic.map(|(entries, _)| entries)
    });
    let flags = entries.unwrap().iter().find_map(|entry| {
        let is_flags = entry.d_tag(endian) == elf::DT_FLAGS_1;
        is_flags.then(|| entry.d_val(endian))
    });
    flags.is_some_and(|flags| flags & u64::from(elf::DF_1_NODELETE) != 0)
}
