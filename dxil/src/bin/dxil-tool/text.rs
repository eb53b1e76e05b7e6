//! Prints what `info` knows as text: lines of a name and a value, and tables.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde_json::{Map, Value};

pub const FAINT: Style = Style::new().dimmed();
pub const BOLD: Style = Style::new().bold();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const ODD: Style = AnsiColor::Yellow.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();

/// Text from a file, without control characters that a terminal would obey.
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            // This is common: mangled names start with the byte 1.
            printable.extend([format!("\\x{:02x}", u32::from(character))]);
        } else {
            printable.push(character);
        }
    }
    printable
}

/// The most width of a column. Wider cells stick out of it: otherwise one cell of a crafted file would widen thousands.
const MAX_WIDTH: usize = 100;

/// Prints a table: titles in the first row, columns as wide as needed, numbers to the right.
pub fn write_table(out: &mut impl Write, rows: &[Vec<String>]) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let widths = rows.iter().map(|row| cell(row, column).chars().count());
            widths.max().unwrap_or(0).min(MAX_WIDTH)
        })
        .collect();
    let is_number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => digits.bytes().all(|it| it.is_ascii_hexdigit()),
        None => text.bytes().all(|it| it.is_ascii_digit()),
    };
    let is_right: Vec<bool> = (0..columns)
        .map(|column| rows.iter().skip(1).all(|row| is_number(&cell(row, column))))
        .collect();
    for (index, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for column in 0..columns {
            let (text, width) = (cell(row, column), widths[column]);
            let padded = if is_right[column] {
                format!("  {text:>width$}")
            } else {
                format!("  {text:<width$}")
            };
            line.push_str(&padded);
        }
        let line = line.trim_end();
        if index == 0 {
            writeln!(out, "{FAINT}{line}{FAINT:#}")?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// A value in a cell.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => printable(text),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(cell).collect();
            values.join(", ")
        }
        Value::Object(fields) => object(fields),
    }
}

/// An object in a cell: `name[index]` for a node, otherwise each field that has a value.
fn object(fields: &Map<String, Value>) -> String {
    if let (2, Some(index), Some(name)) = (fields.len(), fields.get("index"), fields.get("name")) {
        return format!("{}[{}]", cell(name), cell(index));
    }
    let fields = fields.iter().filter_map(|(name, value)| {
        let name = name.replace('_', " ");
        match (value, cell(value).as_str()) {
            (Value::Bool(false), _) | (_, "") => None,
            (Value::Bool(true), _) => Some(name),
            (Value::Array(_), text) => Some(format!("{name} ({text})")),
            (_, text) => Some(format!("{name} {text}")),
        }
    });
    fields.collect::<Vec<_>>().join(", ")
}

/// The items of an array; none for another value.
pub fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn hexadecimal(value: &Value) -> String {
    value
        .as_u64()
        .map_or_else(String::new, |it| format!("{it:#x}"))
}

/// A column: its title, and the text of its cells.
type Column = (&'static str, fn(&Value) -> String);

fn write_list(
    out: &mut impl Write,
    title: &str,
    list: &Value,
    columns: &[Column],
) -> io::Result<()> {
    if items(list).is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{BOLD}{title}{BOLD:#}")?;
    let titles = columns.iter().map(|(title, _)| (*title).to_owned());
    let mut rows = vec![titles.collect::<Vec<_>>()];
    for item in items(list) {
        rows.push(columns.iter().map(|(_, show)| show(item)).collect());
    }
    // Leave out empty columns.
    let is_empty = |column: usize| rows[1..].iter().all(|row| row[column].is_empty());
    let shown: Vec<usize> = (0..columns.len())
        .filter(|&column| !is_empty(column))
        .collect();
    let pick = |row: &Vec<String>| shown.iter().map(|&column| row[column].clone()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(pick).collect();
    write_table(out, &rows)
}

/// The registers of a resource, such as `t3`, `t0-t7` or `t0-`; `unassigned` where it has none.
fn registers(item: &Value) -> String {
    if let Some(unassigned) = item["register"].as_str() {
        return unassigned.to_owned();
    }
    let class = item["class"].as_str().unwrap_or_default();
    let letter = match class.split(' ').next() {
        Some("srv") => "t",
        Some("uav") => "u",
        Some("cbv") => "b",
        Some("sampler") => "s",
        _ => "",
    };
    let first = item["register"].as_u64().unwrap_or(0);
    match &item["count"] {
        Value::Number(number) => match number.as_u64() {
            Some(0 | 1) | None => format!("{letter}{first}"),
            Some(count) => format!(
                "{letter}{first}-{letter}{}",
                first.saturating_add(count - 1)
            ),
        },
        _ => format!("{letter}{first}-"),
    }
}

/// Registers and, unless it is 0, the space.
fn binding(item: &Value) -> String {
    match item["space"].as_u64() {
        None | Some(0) => registers(item),
        Some(space) => format!("{} space{space}", registers(item)),
    }
}

fn resource_type(item: &Value) -> String {
    let shape = cell(&item["type"]);
    let argument = match (
        &item["element"],
        item["stride"].as_u64(),
        item["size"].as_u64(),
    ) {
        (Value::String(element), ..) => element.clone(),
        (_, Some(stride), _) => format!("{stride} bytes"),
        (.., Some(size)) => format!("{size} bytes"),
        _ => return shape,
    };
    format!("{shape}<{argument}>")
}

fn unless(text: String, default: &str) -> String {
    if text == default { String::new() } else { text }
}

const PARTS: &[Column] = &[
    ("part", |it| cell(&it["part"])),
    ("offset", |it| hexadecimal(&it["offset"])),
    ("size", |it| cell(&it["size"])),
    ("what it is", |it| cell(&it["about"])),
];

const SIGNATURE: &[Column] = &[
    ("name", |it| cell(&it["name"])),
    ("index", |it| cell(&it["index"])),
    ("type", |it| cell(&it["type"])),
    ("precision", |it| {
        unless(cell(&it["min_precision"]), "default")
    }),
    ("register", |it| cell(&it["register"])),
    ("mask", |it| cell(&it["mask"])),
    ("system value", |it| cell(&it["system_value"])),
    ("interpolation", |it| {
        unless(cell(&it["interpolation"]), "undefined")
    }),
    ("stream", |it| unless(cell(&it["stream"]), "0")),
];

const RESOURCES: &[Column] = &[
    ("class", |it| cell(&it["class"])),
    ("name", |it| cell(&it["name"])),
    ("type", resource_type),
    ("registers", registers),
    ("space", |it| cell(&it["space"])),
    ("samples", |it| cell(&it["samples"])),
    ("sampler", |it| unless(cell(&it["sampler"]), "default")),
    ("flags", |it| cell(&it["flags"])),
];

const ENTRY_POINTS: &[Column] = &[
    ("name", |it| cell(&it["name"])),
    ("kind", |it| cell(&it["kind"])),
    ("thread group", |it| cell(&it["thread_group"])),
    ("wave size", |it| cell(&it["wave_size"])),
    ("payload", |it| cell(&it["payload_size"])),
    ("attributes", |it| cell(&it["attribute_size"])),
    ("properties", |it| cell(&it["stage"])),
];

const EXPORTS: &[Column] = &[
    ("name", |it| cell(&it["name"])),
    ("kind", |it| unless(cell(&it["kind"]), "library")),
    ("payload", |it| unless(cell(&it["payload_size"]), "0")),
    ("attributes", |it| unless(cell(&it["attribute_size"]), "0")),
    ("model", |it| cell(&it["min_shader_model"])),
    ("wave size", |it| cell(&it["wave_size"])),
    ("resources", |it| {
        let resources = items(&it["resources"]).iter().map(binding);
        resources.collect::<Vec<_>>().join(", ")
    }),
    ("calls", |it| cell(&it["dependencies"])),
    ("features", |it| cell(&it["features"])),
];

const SUBOBJECTS: &[Column] = &[
    ("name", |it| cell(&it["name"])),
    ("kind", |it| cell(&it["subobject"]["kind"])),
    ("what it says", |it| {
        let subobject = &it["subobject"];
        if let Value::String(text) = &subobject["root_signature"]["text"] {
            return printable(text);
        }
        let fields = subobject.as_object().into_iter().flatten();
        let fields = fields.filter(|(name, _)| *name != "kind");
        object(
            &fields
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }),
];

/// The items of a root signature, each with its comma.
fn root_signature_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let is_end = move |character| {
        depth += match character {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0 && character == ','
    };
    text.split_inclusive(is_end).map(str::trim_start)
}

/// Writes what `info` knows of a file.
pub fn write_info(info: &Value, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}", cell(&info["file"]))?;
    for line in summary(info) {
        let (name, value) = line;
        writeln!(out, "  {FAINT}{name:<12}{FAINT:#}  {value}")?;
    }
    write_list(out, "Parts", &info["parts"], PARTS)?;
    write_list(out, "Entry points", &info["entry_points"], ENTRY_POINTS)?;
    let signatures = [
        ("Inputs", "inputs"),
        ("Outputs", "outputs"),
        (
            "Patch constants or primitives",
            "patch_constants_or_primitives",
        ),
    ];
    for (title, field) in signatures {
        write_list(out, title, &info[field], SIGNATURE)?;
    }
    write_list(out, "Resources", &info["resources"], RESOURCES)?;
    let data = &info["runtime_data"];
    write_list(out, "Exports", &data["exports"], EXPORTS)?;
    write_list(out, "Subobjects", &data["subobjects"], SUBOBJECTS)?;
    write_nodes(info, out)?;
    if let Value::Object(root_signature) = &info["root_signature"] {
        let version = cell(&root_signature["version"]);
        writeln!(out, "\n{BOLD}Root signature {version}{BOLD:#}")?;
        let text = cell(&root_signature["text"]);
        for line in root_signature_lines(&text) {
            writeln!(out, "  {line}")?;
        }
    }
    write_problems(info, out)
}

/// Prints why something is missing.
pub fn write_problems(info: &Value, out: &mut impl Write) -> io::Result<()> {
    for problem in items(&info["problems"]) {
        writeln!(out, "\n{BAD}problem{BAD:#}: {}", cell(problem))?;
    }
    Ok(())
}

/// The nodes of a work graph, by the program.
fn write_nodes(info: &Value, out: &mut impl Write) -> io::Result<()> {
    let nodes = items(&info["entry_points"]).iter();
    for entry in nodes.filter(|entry| entry["node"].is_object()) {
        let node = &entry["node"];
        writeln!(out, "\n{BOLD}Node {}{BOLD:#}", cell(&entry["name"]))?;
        for (name, value) in node.as_object().into_iter().flatten() {
            let name = name.replace('_', " ");
            match value {
                Value::Null | Value::Bool(false) => {}
                Value::Array(values) if values.first().is_some_and(Value::is_object) => {
                    for value in values {
                        writeln!(out, "  {FAINT}{name:<20}{FAINT:#}  {}", cell(value))?;
                    }
                }
                Value::Array(values) if values.is_empty() => {}
                value => writeln!(out, "  {FAINT}{name:<20}{FAINT:#}  {}", cell(value))?,
            }
        }
    }
    Ok(())
}

/// The lines of a name and a value, which come before the tables.
fn summary(info: &Value) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let container = &info["container"];
    if container.is_object() {
        let of_pdb = if info["form"] == "pdb" {
            " in a PDB"
        } else {
            ""
        };
        let [version, size] = ["version", "size"].map(|field| cell(&container[field]));
        lines.push((
            "container",
            format!("version {version}{of_pdb}, {size} bytes"),
        ));
        if container["trailing"] != 0 {
            let trailing = cell(&container["trailing"]);
            lines.push((
                "behind it",
                format!("{trailing} bytes that do not belong to it"),
            ));
        }
        let [state, stored, computed] =
            ["hash", "stored_hash", "computed_hash"].map(|field| cell(&container[field]));
        let hash = match state.as_str() {
            "signed" => format!("{GOOD}signed{GOOD:#}  {stored}"),
            "wrong" => format!("{BAD}wrong{BAD:#}  {stored}, should be {computed}"),
            "unsigned" => format!("{ODD}unsigned{ODD:#}"),
            reserved => format!("{ODD}{}{ODD:#}", reserved.to_uppercase().replace(' ', "_")),
        };
        lines.push(("hash", hash));
    }
    let program = &info["program"];
    if program.is_object() {
        let text = |field: &str| cell(&program[field]);
        let validator = match text("validator_version").as_str() {
            "" => String::new(),
            version => format!(", for validator {version}"),
        };
        let kind = match text("kind").as_str() {
            "library" => "library".to_owned(),
            kind => format!("{kind} shader"),
        };
        let [profile, version] = ["profile", "dxil_version"].map(text);
        lines.push((
            "program",
            format!("{kind}, {profile}, DXIL {version}{validator}"),
        ));
        let size = text("bitcode_size");
        let offset = hexadecimal(&program["bitcode_offset"]);
        lines.push(("bitcode", format!("{size} bytes at {offset}")));
    }
    let pipeline_state = &info["pipeline_state"];
    if pipeline_state.is_object() {
        let [min, max] = ["min_wave_lanes", "max_wave_lanes"].map(|field| &pipeline_state[field]);
        if *min != 0 || *max != "unbounded" {
            lines.push(("wave lanes", format!("{} to {}", cell(min), cell(max))));
        }
        let shared = &pipeline_state["group_shared_bytes"];
        if shared.as_u64().is_some_and(|bytes| bytes > 0) {
            lines.push(("group shared", format!("{} bytes", cell(shared))));
        }
    }
    if !items(&info["features"]).is_empty() {
        lines.push(("features", cell(&info["features"])));
    }
    let hash = &info["shader_hash"];
    if hash.is_object() {
        let source = if hash["includes_source"] == true {
            ", of the program with debug information"
        } else {
            ""
        };
        let other = if hash["is_of_program"] == false {
            format!(", {ODD}of another program{ODD:#}")
        } else {
            String::new()
        };
        lines.push((
            "shader hash",
            format!("{}{source}{other}", cell(&hash["digest"])),
        ));
    }
    if !info["debug_name"].is_null() {
        lines.push(("PDB", cell(&info["debug_name"])));
    }
    let compiler = &info["compiler"];
    if compiler.is_object() {
        let [version, file, commit] =
            ["version", "file_version", "commit"].map(|field| cell(&compiler[field]));
        lines.push((
            "compiler",
            format!("version {version} ({file}), commit {commit}"),
        ));
    }
    lines
}
