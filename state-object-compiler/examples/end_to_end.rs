//! From an SODB to a device: compiles `example.sodb` with the sample plugin, and creates all that it has on mock-umd through
//! the test runtime, with the PSDB as the driver's cache; then with drivers that are newer, or of another family.
//!
//! ```text
//! cargo run -p state-object-compiler --example end_to_end
//! ```

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use compiler_runtime::message::Message;
use mock_runtime::adapters::Adapter;
use state_object_compiler::compile::{
    self, ApplicationChanges, Listener, Progress, Recompile, Selection,
};
use state_object_compiler::plugin::PluginChoice;
use state_object_compiler::replay::{self, replay};

/// What is different from the driver that belongs to the plugin: the title, the PSDB, and the switch of mock-umd with its value.
type Driver = (&'static str, usize, Option<(&'static str, &'static str)>);

/// The adapter families and ABI versions of the PSDBs.
const TARGETS: [(&str, u64); 3] = [
    ("Fabrikam Aurora", 3),
    ("Fabrikam Aurora", 1),
    ("Fabrikam Borealis", 5),
];

const DRIVERS: [Driver; 9] = [
    ("nothing", 0, None),
    ("revision", 0, Some(("MOCK_UMD_COMPILER", "4.2.118.1"))),
    ("build", 0, Some(("MOCK_UMD_COMPILER", "4.2.119.0"))),
    ("minor version", 0, Some(("MOCK_UMD_COMPILER", "4.3.0.0"))),
    ("major version", 0, Some(("MOCK_UMD_COMPILER", "5.0.0.0"))),
    ("profile", 0, Some(("MOCK_UMD_PROFILE", "0.0.0.1"))),
    ("older ABI", 1, None),
    ("ABI gone", 1, Some(("MOCK_UMD_ABI", "3"))),
    ("family", 2, None),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mut psdbs = Vec::new();
    for (family, abi) in TARGETS {
        let psdb = folder.path().join(format!("{family} {abi}.psdb"));
        compile(&psdb, family, abi)?;
        psdbs.push(psdb);
    }
    println!(
        "{:<14} {:>7} {:>5} {:>6} {:>8} {:>7}  PSDB",
        "Different", "Created", "Hits", "Shared", "Compiled", "Values"
    );
    for (title, psdb, switch) in DRIVERS {
        if let Some((name, value)) = switch {
            mock_umd::inspect::set(name, value)?;
        }
        let before = values_compiled();
        let report = on_driver(&psdbs[psdb])?;
        let values = values_compiled() - before;
        if let Some((name, _)) = switch {
            mock_umd::inspect::set(name, "")?;
        }
        let (state, reason) = report.first_cache().ok_or("the PSDB is not judged")?;
        println!(
            "{title:<14} {:>7} {:>5} {:>6} {:>8} {values:>7}  {state}{}",
            report.created,
            report.hits,
            report.shared,
            report.compiled,
            reason.map_or_else(String::new, |reason| format!(": {reason}"))
        );
    }
    Ok(())
}

/// How many values the driver says it compiled.
fn values_compiled() -> u64 {
    let statistics = mock_umd::inspect::statistics_json();
    statistics["shader_cache"]["compiled"].as_u64().unwrap_or(0)
}

fn sodb() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/example.sodb")
}

/// Compiles the SODB for a family of the sample plugin.
fn compile(psdb: &Path, family: &str, abi: u64) -> state_object_compiler::Result<()> {
    let options = compile::Options {
        sodb: sodb(),
        output: psdb.to_owned(),
        pdb: None,
        perf: None,
        plugin: PluginChoice::Sample,
        adapter_family: Some(family.into()),
        abi,
        recompile: Recompile::Must,
        application: ApplicationChanges::default(),
        selection: Selection::default(),
        threads: NonZeroUsize::MIN,
        workers: None,
    };
    compile::compile(&options, &Quiet).map(drop)
}

/// Creates all objects on a new device.
fn on_driver(psdb: &Path) -> state_object_compiler::Result<replay::Report> {
    let options = replay::Options {
        sodb: sodb(),
        adapter: Adapter::mock(),
        caches: vec![psdb.to_owned()],
        application: ApplicationChanges::default(),
        selection: Selection::default(),
    };
    replay(&options, &mut |_, _| {})
}

struct Quiet;

impl Listener for Quiet {
    fn progress(&self, _: Progress) {}
    fn message(&self, _: &[u8], _: &Message) {}
    fn interrupts(&self) -> usize {
        0
    }
}
