//! Reading all of an SODB whose objects share their parts, by one thread and by two; storing and finding in an SODB of
//! many objects, beside the bare statements that finding needs:
//!
//! ```sh
//! cargo bench -p d3d12-shader-db --bench sodb -- [--objects 200000]
//! ```
//!
//! docs/sodb.md has a run.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use api_sys::{
    D3D12_BLEND_DESC, D3D12_DEPTH_STENCIL_DESC2, D3D12_RASTERIZER_DESC2, D3D12_RT_FORMAT_ARRAY,
};
use bench_support::{median, memory, processor_times};
use rusqlite::{Connection, OpenFlags};
use shader_db::sodb::{
    Access, DxilLibrary, InputElement, PipelineStateDesc, ShaderStage, Sodb, StateObjectDesc,
};

/// Bytes of a shader.
const SHADER: usize = 3000;

/// Pipelines that share their parts, and how many are read at once.
const SHARING: u32 = 20_000;
const AT_ONCE: usize = 64;

/// Keys that are looked up.
const FINDS: u32 = 100_000;

/// As many in one go.
const BATCH: u32 = 50;

fn shader(number: u32) -> Vec<u8> {
    let mut state = u64::from(number) + 1;
    let mut bytes = Vec::with_capacity(SHADER);
    while bytes.len() < SHADER {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        bytes.extend((state >> 32).to_le_bytes());
    }
    bytes
}

/// A graphics pipeline with all of its state; every fourth pixel shader is another one's too.
fn pipeline(number: u32) -> PipelineStateDesc {
    let element = |name: &str, offset| InputElement {
        semantic_name: name.into(),
        semantic_index: 0,
        format: 6,
        input_slot: 0,
        aligned_byte_offset: offset,
        input_slot_class: 0,
        instance_data_step_rate: 0,
    };
    let mut desc = PipelineStateDesc {
        root_signature: Some(shader(number % 50)[..200].into()),
        ..PipelineStateDesc::default()
    };
    desc.shaders[ShaderStage::Vertex] = Some(shader(2 * number).into());
    desc.shaders[ShaderStage::Pixel] = Some(shader(number / 4 * 8 + 1).into());
    let state = &mut desc.fixed_function;
    state.input_layout = Some(vec![
        element("POSITION", 0),
        element("NORMAL", 12),
        element("UV", 24),
    ]);
    state.blend = Some(D3D12_BLEND_DESC::default());
    state.rasterizer = Some(D3D12_RASTERIZER_DESC2 {
        ForcedSampleCount: number % 7,
        ..D3D12_RASTERIZER_DESC2::default()
    });
    state.depth_stencil = Some(D3D12_DEPTH_STENCIL_DESC2::default());
    state.render_target_formats = Some(D3D12_RT_FORMAT_ARRAY::default());
    state.primitive_topology = Some(3);
    desc
}

/// A graphics pipeline of which every part is in others too.
fn sharing(number: u32) -> PipelineStateDesc {
    let mut desc = pipeline(number % 40);
    desc.shaders[ShaderStage::Vertex] = Some(shader(number % 120).into());
    desc.shaders[ShaderStage::Pixel] = Some(shader(1000 + number % 301).into());
    desc.fixed_function.sample_mask = Some(number);
    desc
}

/// Processor time of this thread so far.
fn processor_time() -> Duration {
    Duration::from_secs_f64(processor_times()[0])
}

/// Reads all objects in stored order, with so many threads and so many objects at once; gives the time, and that of the
/// processors.
fn read_all(sodb: &Sodb, keys: &[Vec<u8>], threads: usize, at_once: usize) -> [Duration; 2] {
    let next = AtomicUsize::new(0);
    let read = || {
        let start = processor_time();
        loop {
            let first = next.fetch_add(AT_ONCE, Ordering::Relaxed);
            let Some(keys) = keys.get(first..keys.len().min(first + AT_ONCE)) else {
                return processor_time().saturating_sub(start);
            };
            for keys in keys.chunks(at_once) {
                if let [key] = keys {
                    black_box(sodb.find_pipeline_state(key).expect("found")).expect("stored");
                } else {
                    let found = sodb.find_objects(keys).expect("found");
                    assert!(
                        found.len() == keys.len() && found.iter().all(|f| matches!(f, Ok(Some(_))))
                    );
                    black_box(found);
                }
            }
        }
    };
    let start = Instant::now();
    let processors = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(read)).collect();
        let others = others
            .into_iter()
            .map(|other| other.join().expect("no panic"));
        read() + others.sum::<Duration>()
    });
    [start.elapsed(), processors]
}

/// The peak of resident memory in MB, where the system tells.
fn peak() -> u64 {
    memory("VmHWM") / 1000
}

fn read_sharing(folder: &Path) -> shader_db::Result<()> {
    let path = folder.join("sharing.sodb");
    let sodb = Sodb::open(&path, Access::Create)?;
    for number in 0..SHARING {
        sodb.store_pipeline_state(&number.to_le_bytes(), 1, &sharing(number))?;
    }
    sodb.close()?;
    let entries = Sodb::open(&path, Access::Read)?.entries()?;
    let keys: Vec<Vec<u8>> = entries.into_iter().map(|entry| entry.key).collect();
    let before = peak();
    for (threads, at_once) in [(1, AT_ONCE), (2, AT_ONCE), (1, 1), (2, 1)] {
        let mut times = Vec::new();
        for _ in 0..5 {
            let sodb = Sodb::open(&path, Access::Read)?;
            times.push(read_all(&sodb, &keys, threads, at_once));
        }
        let [clock, processors] = [0, 1].map(|which| {
            let times = times.iter().map(|times| times[which].as_secs_f64());
            each(median(times), SHARING)
        });
        println!(
            "read all of {SHARING} in order, {threads} threads, {at_once} at once: {clock}, {processors} of a processor"
        );
    }
    println!("memory for that:       {} MB", peak() - before);
    Ok(())
}

/// A collection, and additions to the one before.
fn addition(number: u32) -> StateObjectDesc {
    StateObjectDesc {
        libraries: vec![DxilLibrary {
            bytecode: shader(1 << 30 | number).into(),
            exports: Vec::new(),
        }],
        config: Some(4),
        ..StateObjectDesc::default()
    }
}

/// The statements that a pipeline needs, and nothing around them.
const STATEMENTS: [&str; 11] = [
    "SELECT Version, PSOKey, SOKey FROM groups WHERE Key = ?1",
    "SELECT * FROM pipeline_states WHERE Key = ?1",
    "SELECT value FROM root_signatures WHERE Key = ?1",
    "SELECT Bytecode FROM shader_bytecode WHERE Key = ?1",
    "SELECT e.* FROM input_layout_to_input_element_associations a LEFT JOIN input_element_descs e \
     ON e.Key = a.InputElementKey WHERE a.InputLayoutKey = ?1 ORDER BY a.rowid",
    "SELECT * FROM depth_stencil_descs WHERE Key = ?1",
    "SELECT * FROM depth_stencil_op_descs WHERE Key = ?1",
    "SELECT * FROM render_target_formats WHERE Key = ?1",
    "SELECT * FROM blend_descs WHERE Key = ?1",
    "SELECT * FROM render_target_blend_descs WHERE Key = ?1",
    "SELECT * FROM rasterizer_descs WHERE Key = ?1",
];

/// Runs them for a key; gives how many bytes were seen.
fn bare(statements: &mut [rusqlite::Statement<'_>], key: &[u8]) -> rusqlite::Result<usize> {
    let mut seen = 0;
    let mut run = |at: usize, key: &[u8], wanted: &[usize]| -> rusqlite::Result<Vec<Vec<u8>>> {
        let columns = statements[at].column_count();
        let mut rows = statements[at].query([key])?;
        let mut keys = Vec::new();
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                let value = row.get_ref(column)?;
                seen += value.as_bytes().map_or(8, <[u8]>::len);
                if wanted.contains(&column) {
                    keys.push(value.as_blob().map(<[u8]>::to_vec).unwrap_or_default());
                }
            }
        }
        Ok(keys)
    };
    let group = run(0, key, &[1])?;
    // RootSignature, InputLayout, VS, PS; the state.
    let keys = run(1, &group[0], &[1, 2, 3, 4, 11, 12, 13, 14])?;
    run(2, &keys[0], &[0])?;
    run(4, &keys[1], &[])?;
    run(3, &keys[2], &[0])?;
    run(3, &keys[3], &[0])?;
    for face in run(5, &keys[4], &[5, 6])? {
        run(6, &face, &[])?;
    }
    run(7, &keys[5], &[])?;
    let targets = run(8, &keys[6], &[3])?;
    run(9, &targets[0], &[])?;
    run(10, &keys[7], &[])?;
    Ok(seen)
}

fn each(seconds: f64, count: u32) -> String {
    format!("{:.1} us", seconds * 1e6 / f64::from(count))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let objects = arguments
        .iter()
        .position(|argument| argument == "--objects");
    let objects: u32 = match objects.and_then(|at| arguments.get(at + 1)) {
        Some(number) => number.parse()?,
        None => 200_000,
    };
    let folder = tempfile::tempdir()?;
    read_sharing(folder.path())?;
    let path = folder.path().join("bench.sodb");
    let sodb = Sodb::open(&path, Access::Create)?;
    let additions = objects / 10;
    let start = Instant::now();
    for number in 0..objects - additions {
        sodb.store_pipeline_state(&number.to_le_bytes(), 1, &pipeline(number))?;
    }
    println!(
        "store a pipeline:      {}",
        each(start.elapsed().as_secs_f64(), objects - additions)
    );
    let start = Instant::now();
    for number in 0..additions {
        let parent = format!("addition {}", number.wrapping_sub(1));
        let parent = (number % 100 != 0).then_some(parent.as_bytes());
        sodb.store_state_object(
            format!("addition {number}").as_bytes(),
            1,
            &addition(number),
            parent,
        )?;
    }
    println!(
        "store an addition:     {}",
        each(start.elapsed().as_secs_f64(), additions.max(1))
    );
    let start = Instant::now();
    sodb.close()?;
    println!(
        "fold and close:        {:.2} s, {} MB",
        start.elapsed().as_secs_f64(),
        std::fs::metadata(&path)?.len() / 1_000_000
    );

    let sodb = Sodb::open(&path, Access::Read)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&path, flags)?;
    connection.execute_batch("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")?;
    let mut statements: Vec<_> = STATEMENTS
        .iter()
        .map(|statement| connection.prepare(statement))
        .collect::<Result<_, _>>()?;
    let mut begin = connection.prepare("BEGIN")?;
    let mut commit = connection.prepare("COMMIT")?;
    let key = |at: u32| {
        let number = u64::from(at).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let number = u32::try_from(number % u64::from(objects - additions));
        number.expect("less than all").to_le_bytes()
    };
    // In turns, so that what else the machine does meets both.
    let mut times = Vec::new();
    for first in (0..FINDS).step_by(BATCH as usize) {
        let start = Instant::now();
        for at in first..first + BATCH {
            begin.execute([])?;
            black_box(bare(&mut statements, &key(at))?);
            commit.execute([])?;
        }
        let alone = start.elapsed();
        let start = Instant::now();
        for at in first..first + BATCH {
            // Others than those that were just brought into memory.
            let key = key(at + FINDS);
            black_box(sodb.find_pipeline_state(&key)?.ok_or("not found")?);
        }
        times.push((alone, start.elapsed()));
    }
    let ratios = times
        .iter()
        .map(|(alone, found)| found.as_secs_f64() / alone.as_secs_f64());
    println!(
        "find a pipeline:       {}, the statements alone {}: {:.2} times; medians",
        each(
            median(times.iter().map(|(_, found)| found.as_secs_f64())),
            BATCH
        ),
        each(
            median(times.iter().map(|(alone, _)| alone.as_secs_f64())),
            BATCH
        ),
        median(ratios)
    );
    let start = Instant::now();
    let additions_found = additions.min(FINDS);
    for number in 0..additions_found {
        black_box(
            sodb.find_state_object(format!("addition {number}").as_bytes())?
                .ok_or("not found")?,
        );
    }
    println!(
        "find an addition:      {}",
        each(start.elapsed().as_secs_f64(), additions_found.max(1))
    );
    let start = Instant::now();
    let entries = sodb.entries()?;
    println!(
        "list {} entries:   {:.2} s",
        entries.len(),
        start.elapsed().as_secs_f64()
    );
    let start = Instant::now();
    let count = shader_db::sodb::dependency_order(&entries)?.len();
    println!(
        "order them ({count}):   {:.2} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
