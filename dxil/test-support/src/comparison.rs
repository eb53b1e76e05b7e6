//! What the DirectX Shader Compiler (DXC) says of the corpus, against what this crate reads.

use std::fmt::Write;
use std::iter::once;
use std::path::Path;

use dxil::{Container, pdb_container};

use crate::view;

/// What DXC says of a container.
pub struct Recorded {
    /// The path in the corpus.
    pub file: String,
    /// See `scripts/dxil-compare`.
    pub lines: Vec<String>,
}

/// The version of DXC, and what it said of each container.
pub fn recorded() -> (String, Vec<Recorded>) {
    let mut lines = include_str!("../../tests/dxc_compare/recorded.txt").lines();
    let version = lines.next().unwrap().to_owned();
    let mut containers: Vec<Recorded> = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        if let Some(file) = line.strip_prefix("container ") {
            containers.push(Recorded {
                file: file.to_owned(),
                lines: Vec::new(),
            });
        } else {
            containers.last_mut().unwrap().lines.push(comparable(line));
        }
    }
    (version, containers)
}

/// A line without what DXC takes from the HLSL types in the reflection, which this crate does not
/// read: how many components a texture has, which are flags of a resource, and the size of a
/// `tbuffer`.
fn comparable(line: &str) -> String {
    /// `D3D_SIF_TEXTURE_COMPONENTS`
    const COMPONENTS: u32 = 0xc;
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    match words[0].as_str() {
        "resource" => {
            let flags: u32 = words[4].parse().unwrap();
            words[4] = (flags & !COMPONENTS).to_string();
        }
        "buffer" if words[1] == "1" => "?".clone_into(&mut words[2]),
        _ => {}
    }
    words.join(" ")
}

/// What this crate says of a file of the corpus.
pub fn ours(file: &str) -> Vec<String> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let read = |file: &str| {
        let bytes = std::fs::read(corpus.join(file));
        bytes.unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    let bytes = read(file);
    let lines = match file
        .strip_prefix("pdb/")
        .and_then(|it| it.strip_suffix(".pdb"))
    {
        None => Container::parse(&bytes).and_then(|it| view::lines(&it, None)),
        Some(name) => pdb_container(&bytes).and_then(|bytes| {
            let shader = read(&format!("dxil/{name}.dxil"));
            let shader = Container::parse(&shader)?;
            view::lines(&Container::parse(&bytes)?, Some(&shader))
        }),
    };
    lines.unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The columns of the table, and the first words of the lines that are counted in them.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("parts", &["part"]),
    ("resources", &["binding"]),
    ("exports", &["function"]),
    ("signature elements", &["input", "output", "patch"]),
    ("reflected resources, buffers", &["resource", "buffer"]),
    (
        "stage",
        &[
            "program",
            "features",
            "group",
            "geometry",
            "tessellation",
            "hash",
            "debug",
            "psv",
            "interp",
        ],
    ),
    ("dependencies, subobjects", &["view", "subobject"]),
    ("entry points", &["entry", "node"]),
];

/// How many lines there are for each column. Every line is in one.
pub fn counts(lines: &[String]) -> [usize; COLUMNS.len()] {
    let mut counts = [0; COLUMNS.len()];
    for line in lines {
        let word = line.split(' ').next().unwrap();
        let column = COLUMNS.iter().position(|(_, words)| words.contains(&word));
        counts[column.unwrap_or_else(|| panic!("{line}"))] += 1;
    }
    counts
}

/// What only one of the two says, each line on one of its own; nothing if they agree.
pub fn differences(dxc: &[String], ours: &[String]) -> Vec<String> {
    let mut differences = Vec::new();
    let mut rest: Vec<&String> = ours.iter().collect();
    for line in dxc {
        match rest.iter().position(|other| *other == line) {
            Some(place) => {
                rest.remove(place);
            }
            None => differences.push(format!("DXC:  {line}")),
        }
    }
    differences.extend(rest.iter().map(|line| format!("dxil: {line}")));
    if differences.is_empty()
        && let Some((dxc, ours)) = dxc.iter().zip(ours).find(|(dxc, ours)| dxc != ours)
    {
        differences.push(format!("in another order: DXC: {dxc}, dxil: {ours}"));
    }
    differences
}

/// A row: the container, what DXC lists, what this crate does, and whether they are equal.
type Row = (String, [usize; COLUMNS.len()], [usize; COLUMNS.len()], bool);

/// `docs/dxil-against-dxc.md`.
pub fn table() -> String {
    let (version, containers) = recorded();
    let rows: Vec<Row> = containers
        .iter()
        .map(|it| {
            let ours = ours(&it.file);
            let is_equal = differences(&it.lines, &ours).is_empty();
            let name = format!("`{}`", it.file);
            (name, counts(&it.lines), counts(&ours), is_equal)
        })
        .collect();
    let equal = rows.iter().filter(|(.., is_equal)| *is_equal).count();
    let mut table = format!(
        "\
# dxil against DXC

Every container of the [test corpus](../dxil/corpus/README.md), as {version} sees it and as the crate `dxil` reads it:
{equal} of {} are equal.

A cell has the number of items that DXC lists, and then the number that `dxil` does. They are compared one by one, in all
that the next table says, and in DXC's order; the last column says whether all are the same.

| column | items | DXC's word for it | read by `dxil` from |
|---|---|---|---|
| parts | name, size, hash of the bytes | `IDxcContainerReflection` | the container |
| resources | name, class, format, dimension, id, register, space, count | the disassembly, \"Resource Bindings\" \
| the metadata |
| exports | mangled name, kind, shader model, required features | `ID3D12LibraryReflection` | `RDAT` |
| signature elements | name, index, register, system value, type, mask, read or write mask, stream, precision \
| `ID3D12ShaderReflection` | the metadata; and `ISG1`, `OSG1`, `PSG1`, which must say the same |
| reflected resources, buffers | of each shader, or export of a library: kind, registers, space, count, flags, format, \
dimension, samples or stride, id; size of buffers | `ID3D12ShaderReflection`, `ID3D12FunctionReflection` | the metadata; \
which export uses what, from `RDAT` |
| stage | kind and model, required features, thread group, geometry and tessellation; hash, name of the PDB, pipeline \
state validation, interpolation | `ID3D12ShaderReflection`; the disassembly | the metadata, `SFI0`, `HASH`, `ILDN`, `PSV0` |
| dependencies, subobjects | which outputs depend on which inputs and on `SV_ViewID`; subobjects with their \
properties | the disassembly, \"ViewId state\" and \"Subobjects\" | `PSV0`, `RDAT` |
| entry points | of each, or of each export that is a shader: stage properties, thread group, wave size, sizes of ray \
payload and attributes, node properties, inputs and outputs | the disassembly, `!dx.entryPoints` | the metadata |

The metadata is that of the part `STAT`, else `ILDB`, else `DXIL`, as with DXC. That of `DXIL`, which is all that a driver
gets, must say the same but for the names of resources.

What DXC says and `dxil` does not read:

- The members of buffers, the size of a `tbuffer`, and how many components a texture has: these are in the HLSL types of the
  reflection. The recording has the latter two, as the size of a buffer of kind 1 and as two bits of a resource's flags; the
  comparison leaves them out.
- Of functions of libraries the flags in the metadata, which `RDAT` has as required features; and the space for registers that
  the source does not name, which is for linking.

Where DXC's reflection differs from the parts that DXC wrote, the comparison is with each in its own way:

- The reflection has semantic names in upper case.
- It does not tell types of 16 bits from those of 32 bits with minimum precision; the signature parts do.
- It has both factors of an isoline as those of detail; in `PSG1` the first is the density.
- It has the mask of patch constants as what is not written, of domain shaders too; in their `PSG1` it is what is read.
- It has a `cbuffer`'s size in whole registers.
- Of pixel shaders in libraries it does not say that they use derivatives; `RDAT` does.

DXC takes dependencies from the bitcode, `dxil` from `PSV0`. A PDB has none; there it is that of the shader it belongs to.
Root signatures are compared as parts: DXC reflects nothing of them.

`DXC_LIBRARY=... scripts/dxil-compare` asks DXC again, and compares. What it said is in
[`dxil/tests/dxc_compare/recorded.txt`](../dxil/tests/dxc_compare/recorded.txt); `cargo test -p d3d12-dxil` compares with that,
and that this page is what comes of it.

| container |",
        rows.len()
    );
    for (name, _) in COLUMNS {
        write!(table, " {name} |").unwrap();
    }
    table += " equal |\n|---|";
    table += &"---|".repeat(COLUMNS.len() + 1);
    let sum = |counts: &dyn Fn(&Row) -> [usize; COLUMNS.len()]| {
        let add = |sum: [usize; COLUMNS.len()], row| {
            let row = counts(row);
            std::array::from_fn(|column| sum[column] + row[column])
        };
        rows.iter().fold([0; COLUMNS.len()], add)
    };
    let all: Row = (
        format!("all {}", rows.len()),
        sum(&|row| row.1),
        sum(&|row| row.2),
        equal == rows.len(),
    );
    for (name, dxc, ours, is_equal) in once(&all).chain(&rows) {
        write!(table, "\n| {name} |").unwrap();
        for (dxc, ours) in dxc.iter().zip(ours) {
            match (dxc, ours) {
                (0, 0) => table += " – |",
                (dxc, ours) => write!(table, " {dxc} = {ours} |").unwrap(),
            }
        }
        table += if *is_equal { " ✓ |" } else { " **no** |" };
    }
    table + "\n"
}
