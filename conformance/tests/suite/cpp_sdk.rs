//! The SDK for C++: its example keeps every rule, and docs/cpp-sdk-defects.md says which defects it makes impossible.
//!
//! `INSTA_UPDATE=always`, as for snapshots, writes the page.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use conformance_runner::{Options, Verdict, run};

use crate::support::defects::of_plugin;
use crate::support::is_tested_here;
use crate::support::libraries::{changed_cpp_sdk_plugin, cpp_sdk_plugin};

fn keeps_every_rule(plugin: PathBuf) {
    let options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), Some(plugin));
    let report = run(&options, |_| {}).unwrap();
    assert_eq!(report.rules.len(), report.of);
    for rule in report.rules {
        if is_tested_here(rule.rule) {
            assert_eq!(rule.verdict, Verdict::Pass, "{rule:?}");
        } else {
            assert!(
                matches!(rule.verdict, Verdict::NotApplicable { .. }),
                "{rule:?}"
            );
        }
    }
}

#[test]
fn the_example_keeps_every_rule() {
    if let Some(plugin) = cpp_sdk_plugin() {
        keeps_every_rule(plugin);
    }
}

/// Has the example make each value on a thread of its own.
const THREADS: [(&str, &str); 3] = [
    (
        "#include \"d3d12_compiler_plugin.hpp\"\n",
        "#include \"d3d12_compiler_plugin.hpp\"\n#include <thread>\n",
    ),
    (
        "for (const Key& key : keys) {\n            auto receipt = session.findOrStore(",
        "std::vector<std::optional<Result<Receipt>>> made(keys.size());
        std::vector<std::thread> threads;
        for (const Key& key : keys) {
            threads.emplace_back([&key, &session, &to = made[threads.size()]] { to.emplace(session.findOrStore(",
    ),
    (
        "            });\n            if (!receipt) return",
        "            })); });
        }
        for (std::thread& thread : threads) thread.join();
        for (auto& result : made) {
            auto& receipt = *result;
            if (!receipt) return",
    ),
];

#[test]
fn on_several_threads_it_keeps_them_too() {
    // MinGW has std::thread in one of its two forms only.
    if cfg!(unix)
        && let Some(plugin) = changed_cpp_sdk_plugin("threads", &THREADS)
    {
        keeps_every_rule(plugin);
    }
}

#[test]
fn the_log_says_which_call_failed() {
    let Some(plugin) = cpp_sdk_plugin() else {
        return;
    };
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp_sdk.log");
    for level in ["off", "error"] {
        let _ = fs::remove_file(&file);
        let status = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"))
            .args(["run", "--filter", "=P-PSO-17"])
            .arg(&plugin)
            .env("D3D12_COMPILER_PLUGIN_LOG", level)
            .env("D3D12_COMPILER_PLUGIN_LOG_FILE", &file)
            .stdout(Stdio::null())
            .status();
        assert!(status.unwrap().success());
        if level == "off" {
            assert!(!file.exists());
            continue;
        }
        let log = fs::read_to_string(&file).unwrap();
        let begin = "ERROR pfnCompilePipelineState: 0x80070057: ";
        assert!(log.lines().any(|line| line.starts_with(begin)), "{log}");
    }
}

/// The defects that a vendor can still write, by what the vendor does. Every other one is impossible.
const POSSIBLE: [(&str, &[&str]); 13] = [
    (
        "gives answers that are wrong, or change",
        &[
            "abi-hole",
            "abi-per-open",
            "caps-bool-two",
            "caps-from-name",
            "caps-later-no-tier",
            "caps-later-per-call",
            "caps-mesh-without-model",
            "caps-models-from-version",
            "caps-models-twice",
            "caps-no-model",
            "caps-no-tier-of-family",
            "caps-options-with-zeros",
            "caps-shader-per-open",
            "caps-wave-sizes",
            "compiler-version-per-process",
            "families-need-path",
            "families-per-open",
            "format-after-other",
            "format-indexes",
            "format-per-open",
            "profile-absent-not-zero",
            "profile-per-open",
            "samples-low-byte",
            "samples-none-of-oldest",
            "samples-per-call",
        ],
    ),
    (
        "refuses what it could do, or should",
        &[
            "caps-no-mesh-of-family",
            "caps-no-state-objects",
            "compile-no-additions",
            "compile-no-generic-programs",
            "compile-no-mesh",
            "compile-no-tessellation",
            "compile-no-tessellation-of-family",
            "compile-none-of-oldest",
            "compile-pixel-required",
            "compiler-creation-fails",
            "compiler-engine-required",
            "fault-refuses-after-keys",
            "fields-format-refused",
            "open-fails",
            "open-needs-path",
            "open-second-fails",
            "session-one-for-compiler",
            "session-refuses-after-failure",
            "state-object-one-addition",
            "subobjects-node-mask-refused",
        ],
    ),
    (
        "shares variables between objects, or keeps them in static ones",
        &[
            "compiler-destroy-ends-others",
            "compiler-graphics-only-last",
            "compiler-only-last",
            "destroy-ends-all",
            "early-destroy-ends-opening",
            "memory-compiler-by-address",
            "memory-desc-by-address",
            "memory-program-by-address",
            "memory-root-signature-by-address",
            "memory-shader-by-address",
            "session-latest",
            "state-object-destroy-ends-parent",
            "state-object-destroy-ends-siblings",
            "state-object-first-at-address",
            "state-object-latest-parent",
            "state-object-latest-parent-of-family",
            "threads-addition-began",
            "threads-additions-meet",
            "threads-busy-of-family",
            "threads-callbacks-set-during",
            "threads-closed-during",
            "threads-closed-during-of-family",
            "threads-collections-meet",
            "threads-created-during",
            "threads-creation-refused",
            "threads-current-target",
            "threads-destroyed-during",
            "threads-destroyed-during-of-family",
            "threads-filled-during",
            "threads-first-at-address",
            "threads-first-at-address-of-thread",
            "threads-found-by-other",
            "threads-geometry",
            "threads-graphs-meet",
            "threads-kept-by-destroy",
            "threads-key-buffer",
            "threads-keys-of-all",
            "threads-object-destroyed",
            "threads-open-refused",
            "threads-opened-during",
            "threads-parent-ends",
            "threads-selection-refused",
            "threads-serialised",
            "threads-session-in-compiler",
            "threads-session-of-family",
            "threads-sibling-destroyed",
            "threads-stored-by-other",
        ],
    ),
    (
        "leaves memory, threads or files behind",
        &[
            "compile-leaves-memory",
            "compiler-leaves-handle",
            "compiler-leaves-memory",
            "compiler-second-family-leaves-memory",
            "destroy-leaks-handle",
            "destroy-leaks-memory",
            "destroy-leaves-thread",
            "destroy-leaves-worker",
            "state-object-leaves-memory",
        ],
    ),
    (
        "keeps the address of a session, a view or an object past its end",
        &[
            "compiler-keeps-application",
            "compiler-second-family-writes-after-destroy",
            "compiler-writes-after-destroy",
            "fields-blend-previous",
            "memory-keeps-desc",
            "memory-keeps-engine-of-caps",
            "memory-keeps-name-of-profile",
            "memory-keeps-program",
            "memory-keeps-root-signature",
            "session-after-return",
            "session-compiler-destroy-calls-back",
            "session-destroy-calls-back",
            "session-late-performance-data",
            "session-previous",
            "session-state-object-destroy-calls-back",
            "state-object-keeps-desc",
            "state-object-keeps-desc-of-addition",
            "state-object-keeps-desc-of-failure",
            "state-object-keeps-desc-of-family",
            "state-object-keeps-program-of-collection",
            "state-object-reads-after-destroy-of-graph",
            "state-object-writes-after-destroy",
            "state-object-writes-after-destroy-of-addition",
        ],
    ),
    (
        "makes keys or object code of the wrong things",
        &[
            "code-from-decimal-point",
            "code-from-found",
            "code-from-home",
            "code-from-one-string",
            "code-from-temporary-folder",
            "code-from-time-zone",
            "code-from-types-of-addition",
            "code-has-engine-of-profile",
            "code-has-executable",
            "code-has-version",
            "fields-clamp-code-from-name",
            "fields-forgets-back-face-mask",
            "fields-forgets-depth-bias",
            "fields-forgets-flags",
            "fields-forgets-sample-mask",
            "fields-forgets-step-rate",
            "fields-forgets-strip-cut",
            "fields-forgets-views",
            "fields-forgets-write-mask",
            "fields-instances-key-from-address",
            "fields-logic-op-key-from-padding",
            "fields-points-key-from-open",
            "fields-quality-code-from-time",
            "fields-samples-key-with-targets",
            "fields-slope-key-is-long",
            "key-from-computer",
            "key-from-environment",
            "key-from-folder",
            "key-from-identity",
            "key-from-language",
            "key-from-stack",
            "key-from-thread",
            "key-from-user",
            "key-from-variable",
            "key-without-abi-of-state-objects",
            "key-without-abi-of-pixel",
            "key-without-engine",
            "key-without-executable",
            "key-without-profile",
            "session-code-from-address",
            "session-code-from-day",
            "session-code-from-name",
            "session-code-from-second",
            "session-code-from-second-of-oldest",
            "session-code-from-time",
            "session-code-from-version-of-family",
            "session-key-from-address",
            "session-key-from-compiler",
            "session-key-from-open",
            "session-key-from-others",
            "session-key-from-padding",
            "session-key-from-process",
            "session-key-from-types",
            "session-key-has-program",
            "session-key-is-long",
            "session-key-of-addition-is-long",
            "session-key-of-programs",
            "session-key-with-targets",
            "session-key-with-topology-of-family",
            "session-key-without-abi",
            "session-key-without-family",
            "session-records-each",
            "subobjects-depth-and-attributes-code-from-name",
            "subobjects-flags-key-from-open",
            "subobjects-forgets-attributes",
            "subobjects-forgets-flags",
            "subobjects-forgets-node-mask",
            "subobjects-forgets-payload",
            "subobjects-forgets-recursion",
            "subobjects-node-mask-forgets-payload",
            "subobjects-points-key-is-long",
            "subobjects-recursion-code-from-time",
            "subobjects-sample-mask-code-from-name",
        ],
    ),
    (
        "asks for fewer types or values than there are",
        &[
            "fault-store-remembered",
            "fields-depth-bounds-keys-of-stored",
            "fields-stencil-later-skipped",
            "fields-stencil-leaves-out",
            "session-keys-of-stored",
            "session-later-skipped",
            "session-later-skipped-of-addition",
            "session-leaves-out",
            "session-remembers-too-early",
        ],
    ),
    (
        "reads a null pointer",
        &[
            "compile-vertex-required",
            "fields-conservative-faults",
            "fields-views-not-offered",
        ],
    ),
    (
        "reads outside of what a view leads to",
        &[
            "memory-reads-before-program",
            "memory-reads-past-desc",
            "memory-reads-past-elements",
            "memory-reads-past-exe",
            "memory-reads-past-export-name",
            "memory-reads-past-exports",
            "memory-reads-past-library",
            "memory-reads-past-library-of-addition",
            "memory-reads-past-name",
            "memory-reads-past-program",
            "memory-reads-past-root-parameters",
            "memory-reads-past-signature",
            "memory-reads-past-state-object-desc",
            "memory-reads-past-subobjects",
            "memory-reads-past-summaries",
        ],
    ),
    (
        "throws out of a destructor",
        &[
            "boundary-panics-for-malformed",
            "boundary-panics-where-callbacks-fail",
        ],
    ),
    (
        "tries again without an end what the host refuses",
        &["fault-find-for-ever", "fault-store-for-ever"],
    ),
    (
        "runs out of its own memory",
        &[
            "fault-memory-followed",
            "fault-memory-missed",
            "fault-memory-reported",
        ],
    ),
    ("builds no library", &["no-library"]),
];

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cpp-sdk-defects.md");

fn page() -> String {
    let defects = of_plugin();
    let possible: HashSet<_> = POSSIBLE.iter().flat_map(|(_, names)| *names).collect();
    let impossible: Vec<_> = defects
        .iter()
        .filter(|defect| !possible.contains(&defect.name))
        .collect();
    let mut page = format!(
        "# What the SDK for C++ makes impossible\n\n\
         Generated by `INSTA_UPDATE=always cargo test -p conformance --test suite cpp_sdk`. Do not edit.\n\n\
         The plugin with one defect, `conformance/broken-plugin`, has {} of them. With `d3d12_compiler_plugin.hpp` a vendor\n\
         cannot write {} without casting `const` away, writing outside of an object, or naming `detail`;\n\
         {} remain for the suite to find.\n\n\
         ## What a vendor can still get wrong\n\n| the vendor | defects |\n|---|---|\n",
        defects.len(),
        impossible.len(),
        possible.len(),
    );
    for (what, names) in POSSIBLE {
        let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(page, "| {what} | {} |", names.join(", "));
    }
    page += "\n## What cannot be written\n\n| defect | what it does |\n|---|---|\n";
    for defect in impossible {
        let _ = writeln!(page, "| `{}` | {} |", defect.name, defect.what);
    }
    page
}

#[test]
fn the_page_is_up_to_date() {
    let all: HashSet<_> = of_plugin().iter().map(|defect| defect.name).collect();
    let mut seen = BTreeSet::new();
    for name in POSSIBLE.iter().flat_map(|(_, names)| *names) {
        assert!(all.contains(name), "there is no defect {name}");
        assert!(seen.insert(name), "{name} is in the table twice");
    }
    let page = page();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(FILE, page).unwrap_or_else(|error| panic!("{FILE}: {error}"));
        return;
    }
    let committed = fs::read_to_string(FILE).unwrap_or_else(|error| panic!("{FILE}: {error}"));
    assert!(
        committed.replace("\r\n", "\n") == page,
        "docs/cpp-sdk-defects.md is out of date; \
         INSTA_UPDATE=always cargo test -p conformance --test suite cpp_sdk writes it"
    );
}
