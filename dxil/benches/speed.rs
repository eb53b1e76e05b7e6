//! What reading, listing and patching cost, each next to the one thing that cannot be avoided: the
//! hash of the bytes, or reading them at all. `docs/dxil-speed.md` has the results.

use criterion::{BenchmarkId, Criterion, Throughput};
use dxil::patch::{PatchTable, Pattern, Value};
use dxil::{Container, ContainerBuilder, FourCc, Module, Signing, container_hash, sign};
use md5::{Digest, Md5};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// What the hash does not cover: magic and hash.
const HASHED_FROM: usize = 0x14;

fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/dxil");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|file| {
            let path = file.expect("the folder can be read").path();
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(path).expect("the file can be read"))
        })
        .collect();
    files.sort();
    files
}

fn shader(name: &str) -> Vec<u8> {
    let found = corpus().into_iter().find(|(found, _)| found == name);
    found.expect("the shader is in the corpus").1
}

/// Something to be timed, with its name.
type Row<'a> = (&'a str, &'a mut dyn FnMut());

/// Times each row by itself; then all in turns, so that whatever else the machine does meets all of
/// them, and prints what each takes of the time of the first one.
fn compare(criterion: &mut Criterion, name: &str, bytes: usize, rows: &mut [Row<'_>]) {
    const ROUNDS: usize = 201;
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes as u64));
    for (name, run) in &mut *rows {
        group.bench_function(*name, |bencher| bencher.iter(&mut **run));
    }
    group.finish();
    let mut ratios = vec![Vec::new(); rows.len()];
    for _ in 0..ROUNDS {
        let mut first = None;
        for ((_, run), ratios) in rows.iter_mut().zip(&mut ratios) {
            let start = Instant::now();
            run();
            let time = start.elapsed().as_secs_f64();
            ratios.push(time / *first.get_or_insert(time));
        }
    }
    for ((row, _), mut ratios) in rows.iter().zip(ratios) {
        ratios.sort_by(f64::total_cmp);
        println!(
            "{name}/{row}: {:.3} of the baseline's time",
            ratios[ROUNDS / 2]
        );
    }
}

/// Parsing and hashing against the md-5 crate on the same bytes.
fn hash(criterion: &mut Criterion) {
    let corpus = corpus();
    let lengths = corpus.iter().map(|(_, bytes)| bytes.len() - HASHED_FROM);
    let mut baseline = || {
        for (_, bytes) in &corpus {
            black_box(Md5::digest(&bytes[HASHED_FROM..]));
        }
    };
    let mut ours = || {
        for (_, bytes) in &corpus {
            let container = Container::parse(bytes).expect("the corpus is sound");
            black_box(container.computed_hash());
        }
    };
    let rows: &mut [Row<'_>] = &mut [
        ("baseline: Md5::digest", &mut baseline),
        ("Container::parse and computed_hash", &mut ours),
    ];
    compare(criterion, "corpus", lengths.sum(), rows);
}

/// All that the program says of itself, against reading the bitcode to its end.
fn module(criterion: &mut Criterion) {
    let corpus = corpus();
    let programs: Vec<_> = corpus
        .iter()
        .filter_map(|(_, bytes)| Container::parse(bytes).ok()?.program().ok())
        .collect();
    let lengths = programs.iter().map(|program| program.bitcode().len());
    let mut baseline = || {
        for program in &programs {
            black_box(program.check_bitcode().is_ok());
        }
    };
    let mut ours = || {
        for program in &programs {
            black_box(Module::parse(program).is_ok());
        }
    };
    let rows: &mut [Row<'_>] = &mut [
        ("baseline: Program::check_bitcode", &mut baseline),
        ("Module::parse", &mut ours),
    ];
    compare(criterion, "programs", lengths.sum(), rows);
}

/// Names, kinds and resources of all exports, from the bytes of a container.
fn exports(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exports");
    for (name, bytes) in corpus() {
        let container = Container::parse(&bytes).expect("the corpus is sound");
        let Some(data) = container.runtime_data().expect("the corpus is sound") else {
            continue;
        };
        group.throughput(Throughput::Elements(data.functions().len() as u64));
        group.bench_with_input(
            BenchmarkId::from_parameter(name),
            &bytes,
            |bencher, bytes| {
                bencher.iter(|| {
                    let container = Container::parse(bytes).expect("the corpus is sound");
                    let data = container.runtime_data().expect("the corpus is sound");
                    for function in data.iter().flat_map(dxil::rdat::RuntimeData::functions) {
                        let resources = function.resources.iter().count();
                        black_box((function.name, function.kind, resources));
                    }
                });
            },
        );
    }
    group.finish();
}

/// A variant of a shader of 20 KB, against hashing it once.
fn patch(criterion: &mut Criterion) {
    // The largest shader with constants of every type, filled up with data that is hashed as well.
    let library = shader("spec_stages_lib");
    let container = Container::parse(&library).expect("the corpus is sound");
    let fill = vec![0x5a; 20 * 1024 - library.len() - 12];
    let mut builder = ContainerBuilder::from(&container);
    builder.set(FourCc::PRIV, fill);
    let original = builder.build().expect("the container can be written");
    assert_eq!(original.len(), 20 * 1024);

    let id = |constant: &dxil::constants::Constant| Pattern::id(&Pattern::DEFAULT, constant);
    let table = PatchTable::find(&original, id).expect("the corpus is sound");
    let values: Vec<(u32, Value)> = table
        .constants()
        .iter()
        .map(|constant| (constant.id, Value::Bits(1)))
        .collect();
    let variant = |values: &[(u32, Value)], variant: &mut [u8]| {
        variant.copy_from_slice(black_box(&original));
        table.patch(variant, values).expect("the values fit");
        sign(variant, Signing::Hash).expect("it is a container");
    };
    let (mut of_one, mut of_all) = (original.clone(), original.clone());
    let mut baseline = || _ = black_box(container_hash(black_box(&original[HASHED_FROM..])));
    let mut one = || variant(&values[..1], &mut of_one);
    let mut all = || variant(&values, &mut of_all);
    let mut find = || _ = black_box(PatchTable::find(black_box(&original), id));
    let rows: &mut [Row<'_>] = &mut [
        ("baseline: container_hash", &mut baseline),
        ("copy, patch 1 constant in 7 functions, sign", &mut one),
        ("copy, patch 8 constants in 7 functions, sign", &mut all),
        ("PatchTable::find, once for each shader", &mut find),
    ];
    compare(criterion, "a shader of 20 KB", original.len(), rows);
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    hash(&mut criterion);
    module(&mut criterion);
    exports(&mut criterion);
    patch(&mut criterion);
    criterion.final_summary();
}
