//! What a driver's hit costs: each pipeline of `examples/example.sodb` is created on mock-umd with a PSDB that has all of its
//! values, beside the bare read of these values from the PSDB, and what the test runtime does itself.
//!
//!     cargo bench -p state-object-compiler --bench pipeline

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use api_desc::RecordPlaces;
use bench_support::{in_turns, median, timed};
use compiler_runtime::desc::pipeline_state::PipelineState;
use compiler_runtime::message::{Message, Messages};
use mock_runtime::adapter::{DriverState, OpenAdapter};
use mock_runtime::device::{Device, DeviceOptions};
use mock_runtime::umd::Umd;
use shader_db::psdb::{Access, Options, Psdb, ValueType, ValueTypes};
use shader_db::sodb::{Object, Sodb};
use state_object_compiler::compile::{
    self, ApplicationChanges, Listener, Progress, Recompile, Selection,
};
use state_object_compiler::plugin::PluginChoice;

const TURNS: usize = 101;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let psdb = folder.path().join("example.psdb");
    compile(&psdb)?;
    let options = Options {
        access: Access::Read,
        ..Options::default()
    };
    let bare = Psdb::open(&[(ValueTypes::ALL, &psdb)], &options)?;

    let sodb = Sodb::open(example(), Access::Read)?;
    let mut pipelines = Vec::new();
    for entry in sodb.entries()? {
        let found = sodb.find_objects(&[&entry.key])?.pop();
        if let Some(Object::PipelineState(pipeline)) = found.transpose()?.flatten() {
            let keys = bare.group_value_keys(&entry.key, pipeline.version)?;
            pipelines.push((pipeline, keys.unwrap_or_default()));
        }
    }
    let count = u32::try_from(pipelines.len())?;
    let values: usize = pipelines.iter().map(|(_, keys)| keys.len()).sum();

    let adapter = OpenAdapter::open(&Umd::mock(), DriverState::default(), None)?;
    let device = |caches: Vec<PathBuf>| {
        let options = DeviceOptions {
            caches,
            ..DeviceOptions::default()
        };
        Device::new(&adapter, &options)
    };
    let (hits, compiles) = (device(vec![psdb.clone()])?, device(Vec::new())?);
    let create_all = |device: &Device| {
        for (pipeline, _) in &pipelines {
            let desc = pipeline.desc.borrowed();
            let made = device.create_pipeline_state(&desc, &mut Messages::default());
            black_box(made).expect("the pipeline is valid");
        }
    };
    // The first creation makes the compiler, and opens connections.
    create_all(&hits);
    create_all(&compiles);

    let mut read = || {
        for key in pipelines.iter().flat_map(|(_, keys)| keys) {
            for kind in [ValueType::ObjectCode, ValueType::Metadata] {
                let found = bare.find_value(key, kind, <[u8]>::to_vec);
                let found = black_box(found).expect("the file can be read");
                assert!(found.is_some(), "the value is there");
            }
        }
    };
    let mut translate = || {
        for (pipeline, _) in &pipelines {
            let desc = pipeline.desc.borrowed();
            let places = RecordPlaces::default();
            let state = PipelineState::new(&desc, &places, None, &mut Messages::default());
            black_box(state).expect("the pipeline is valid");
        }
    };
    let mut hit = || create_all(&hits);
    let mut compile = || create_all(&compiles);
    let rows: &mut [&mut dyn FnMut()] = &mut [&mut read, &mut translate, &mut hit, &mut compile];
    let mut rows: Vec<_> = rows
        .iter_mut()
        .map(|row| || timed(&mut *row).thread)
        .collect();
    let times = in_turns(TURNS, &mut rows).into_iter().map(median);
    let each: Vec<f64> = times.map(|time| 1e6 * time / f64::from(count)).collect();
    let statistics = hits.statistics().PipelineStateObjectStatistics;
    assert_eq!(statistics.NumTotalCacheMissed, 0, "everything is a hit");

    println!("{count} pipelines, {values} keys; microseconds a pipeline, medians of {TURNS} turns");
    for (name, time) in [
        "bare read of the values",
        "runtime: validation and translation",
        "creation, all values found",
        "creation, without a cache",
    ]
    .into_iter()
    .zip(&each)
    {
        println!("{name:<38} {time:>9.1} {:>7.2}", time / each[0]);
    }
    Ok(())
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/example.sodb")
}

fn compile(psdb: &Path) -> state_object_compiler::Result<()> {
    let options = compile::Options {
        sodb: example(),
        output: psdb.to_owned(),
        pdb: None,
        perf: None,
        plugin: PluginChoice::Sample,
        adapter_family: Some("Fabrikam Aurora".into()),
        abi: 3,
        recompile: Recompile::Must,
        application: ApplicationChanges::default(),
        selection: Selection::default(),
        threads: NonZeroUsize::MIN,
        workers: None,
    };
    compile::compile(&options, &Quiet).map(drop)
}

struct Quiet;

impl Listener for Quiet {
    fn progress(&self, _: Progress) {}
    fn message(&self, _: &[u8], _: &Message) {}
    fn interrupts(&self) -> usize {
        0
    }
}
