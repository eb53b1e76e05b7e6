//! `diff`: shows the parts in which two files differ, and how their content differs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use dxil::{Container, Form, FourCc};
use serde_json::Value;

use crate::failure::{Failure, exit_code};
use crate::text::{BOLD, cell, write_table};
use crate::{file, info};

/// Fields that always differ between files, or that the table of parts shows.
const LEFT_OUT: [&str; 3] = ["file", "parts", "bitcode_offset"];

pub fn command(a: &Path, b: &Path, out: &mut impl Write) -> Result<u8, Failure> {
    file::check_standard_input([a, b])?;
    let [bytes_a, bytes_b] = [file::read(a)?, file::read(b)?];
    if bytes_a == bytes_b {
        return Ok(exit_code::DONE);
    }
    let [pdb_a, pdb_b] = [in_pdb(a, &bytes_a)?, in_pdb(b, &bytes_b)?];
    let parts_a = parts(a, pdb_a.as_deref().unwrap_or(&bytes_a))?;
    let parts_b = parts(b, pdb_b.as_deref().unwrap_or(&bytes_b))?;
    let [name_a, name_b] = [a, b].map(|path| cell(&Value::from(path.to_string_lossy())));
    writeln!(out, "{BOLD}A{BOLD:#} {name_a}\n{BOLD}B{BOLD:#} {name_b}")?;

    writeln!(out, "\n{BOLD}Parts{BOLD:#}")?;
    match part_rows(&parts_a, &parts_b) {
        rows if rows.len() > 1 => write_table(out, &rows)?,
        _ => writeln!(
            out,
            "  are the same; their places, or the bytes between them, differ"
        )?,
    }

    let [info_a, info_b] = [info::info(a, &bytes_a), info::info(b, &bytes_b)];
    let mut rows = Vec::new();
    compare(String::new(), &info_a, &info_b, &mut rows);
    if !rows.is_empty() {
        writeln!(out, "\n{BOLD}Content{BOLD:#}")?;
        let titles = ["field", "A", "B"].map(str::to_owned).to_vec();
        rows.insert(0, titles);
        write_table(out, &rows)?;
    }
    Ok(exit_code::NO)
}

/// An error of a file.
fn not_comparable(path: &Path) -> impl Fn(dxil::Error) -> Failure {
    |error| Failure::NotComparable {
        file: path.to_owned(),
        error,
    }
}

fn in_pdb(path: &Path, bytes: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
    file::in_pdb(bytes).map_err(not_comparable(path))
}

/// A piece of a file: name and payload.
type Piece<'a> = (String, &'a [u8]);

/// The pieces of a container: its header, its parts and what comes after it; a bare program is one piece.
fn parts<'a>(path: &Path, bytes: &'a [u8]) -> Result<Vec<Piece<'a>>, Failure> {
    let first = bytes.first_chunk().copied().unwrap_or_default();
    match Form::sniff(first) {
        Form::Container => {
            let container = Container::parse(bytes).map_err(not_comparable(path))?;
            let parts = container.parts().iter();
            let mut pieces: Vec<Piece<'a>> = parts
                .map(|part| (part.fourcc().to_string(), part.bytes()))
                .collect();
            pieces.insert(0, ("(header)".to_owned(), &bytes[..0x14]));
            if !container.trailing().is_empty() {
                pieces.push(("(behind)".to_owned(), container.trailing()));
            }
            Ok(pieces)
        }
        Form::Program => {
            dxil::Program::parse(bytes).map_err(not_comparable(path))?;
            Ok(vec![(FourCc::DXIL.to_string(), bytes)])
        }
    }
}

fn part_rows(a: &[Piece<'_>], b: &[Piece<'_>]) -> Vec<Vec<String>> {
    let titles = ["part", "size in A", "size in B", "difference"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    let [all_a, all_b] = [a, b].map(|pieces| {
        let pieces = pieces.iter().map(|(name, bytes)| (name.as_str(), *bytes));
        pieces.collect::<BTreeMap<&str, &[u8]>>()
    });
    let mut seen = BTreeSet::new();
    for (name, _) in a.iter().chain(b) {
        if !seen.insert(name) {
            continue;
        }
        let [in_a, in_b] = [&all_a, &all_b].map(|all| all.get(name.as_str()).copied());
        let difference = match (in_a, in_b) {
            (Some(a), Some(b)) if a == b => continue,
            (Some(a), Some(b)) => {
                let equal = a.iter().zip(b).take_while(|(a, b)| a == b).count();
                format!("from its byte {equal:#x} on")
            }
            (Some(_), None) => "only in A".to_owned(),
            _ => "only in B".to_owned(),
        };
        let size = |bytes: Option<&[u8]>| bytes.map_or_else(String::new, |it| it.len().to_string());
        rows.push(vec![name.clone(), size(in_a), size(in_b), difference]);
    }
    rows
}

/// Adds a row for each value that differs.
fn compare(field: String, a: &Value, b: &Value, rows: &mut Vec<Vec<String>>) {
    match (a, b) {
        (a, b) if a == b => {}
        (Value::Object(fields_a), Value::Object(fields_b)) => {
            let names: BTreeSet<&String> = fields_a.keys().chain(fields_b.keys()).collect();
            for name in names {
                if LEFT_OUT.contains(&name.as_str()) {
                    continue;
                }
                let inner = match field.as_str() {
                    "" => name.clone(),
                    field => format!("{field}.{name}"),
                };
                compare(inner, &a[name], &b[name], rows);
            }
        }
        (Value::Array(items_a), Value::Array(items_b)) if items_a.len() == items_b.len() => {
            for (place, (a, b)) in items_a.iter().zip(items_b).enumerate() {
                compare(format!("{field}[{place}]"), a, b, rows);
            }
        }
        // The rows show only the items that one of the two lacks.
        (Value::Array(items_a), Value::Array(items_b)) => {
            let key = |item: &Value| item.to_string();
            let [keys_a, keys_b]: [BTreeSet<String>; 2] =
                [items_a, items_b].map(|items| items.iter().map(key).collect());
            for item in items_a.iter().filter(|item| !keys_b.contains(&key(item))) {
                rows.push(vec![field.clone(), cell(item), String::new()]);
            }
            for item in items_b.iter().filter(|item| !keys_a.contains(&key(item))) {
                rows.push(vec![field.clone(), String::new(), cell(item)]);
            }
        }
        (a, b) => rows.push(vec![field, cell(a), cell(b)]),
    }
}
