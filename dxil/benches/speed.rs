//! What reading, listing and patching cost, each next to the one thing that cannot be avoided: the
//! hash of the bytes, or reading them at all. `docs/dxil-speed.md` has the results.

use std::hint::black_box;
use std::path::Path;

use bench_support::{in_turns, median, timed};
use dxil::patch::{PatchTable, Pattern, Value};
use dxil::{Container, ContainerBuilder, FourCc, Module, Signing, container_hash, sign};
use md5::{Digest, Md5};

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

/// Prints the median time of each row, and the median of what it is of the first row's time in the same turn.
fn compare(title: &str, rows: &mut [Row<'_>]) {
    const TURNS: usize = 201;
    let mut runs: Vec<_> = rows
        .iter_mut()
        .map(|(_, run)| || timed(&mut **run).clock)
        .collect();
    let times = in_turns(TURNS, &mut runs);
    for ((name, _), of_row) in rows.iter().zip(&times) {
        let ratios = times[0].iter().zip(of_row).map(|(first, own)| own / first);
        let each = 1e6 * median(of_row.iter().copied());
        println!(
            "| {title} | {name} | {each:.1} µs | {:.2} |",
            median(ratios)
        );
    }
}

/// Parsing and hashing against the md-5 crate on the same bytes.
fn hash() {
    let corpus = corpus();
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
    compare("corpus", rows);
}

/// All that the program says of itself, against reading the bitcode to its end.
fn module() {
    let corpus = corpus();
    let programs: Vec<_> = corpus
        .iter()
        .filter_map(|(_, bytes)| Container::parse(bytes).ok()?.program().ok())
        .collect();
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
    compare("programs", rows);
}

/// Names, kinds and resources of all exports, from the bytes of a container.
fn exports() {
    const CALLS: u32 = 10_000;
    for (name, bytes) in corpus() {
        let container = Container::parse(&bytes).expect("the corpus is sound");
        let Some(data) = container.runtime_data().expect("the corpus is sound") else {
            continue;
        };
        let exports = data.functions().len();
        let list = || {
            for _ in 0..CALLS {
                let container = Container::parse(black_box(&bytes)).expect("the corpus is sound");
                let data = container.runtime_data().expect("the corpus is sound");
                for function in data.iter().flat_map(dxil::rdat::RuntimeData::functions) {
                    let resources = function.resources.iter().count();
                    black_box((function.name, function.kind, resources));
                }
            }
        };
        let times = (0..5).map(|_| timed(list).clock);
        let each = 1e6 * median(times) / f64::from(CALLS);
        println!("| exports of {name} | {exports} | {each:.1} µs | |");
    }
}

/// A variant of a shader of 20 KB, against hashing it once.
fn patch() {
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
    compare("a shader of 20 KB", rows);
}

fn main() {
    println!("| what | row | time | of the baseline's |\n|---|---|---|---|");
    hash();
    module();
    exports();
    patch();
}
