//! `cargo xtask headers` writes the generated files of `headers/`; with `--check` it only compares.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use xtask::ddi::Ddi;
use xtask::facts::Facts;
use xtask::{Error, header, layout_check, workspace};

const USAGE: &str = "usage: cargo xtask headers [--check]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["headers"] => generated().and_then(write),
        ["headers", "--check"] => generated().and_then(check),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Each generated file and its text.
fn generated() -> Result<Vec<(PathBuf, String)>, Error> {
    let root = workspace();
    let facts = Facts::read(&root.join("ddi-sys/facts"))?;
    let ddi = Ddi::read(&root.join("ddi-sys/src"))?;
    let headers = root.join("headers");
    Ok(vec![
        (
            headers.join("d3d12_compiler_ddi.h"),
            header::generate(&ddi, &facts)?,
        ),
        (
            headers.join("layout_check.cpp"),
            layout_check::generate(&facts),
        ),
    ])
}

fn write(files: Vec<(PathBuf, String)>) -> Result<bool, Error> {
    for (path, text) in files {
        fs::write(&path, text).map_err(|source| Error::File { path, source })?;
    }
    Ok(true)
}

/// Whether every file is as generated; prints the first line that is not.
fn check(files: Vec<(PathBuf, String)>) -> Result<bool, Error> {
    let mut same = true;
    for (path, text) in files {
        let committed = fs::read_to_string(&path).map_err(|source| Error::File {
            path: path.clone(),
            source,
        })?;
        // A checkout may have given the file the line ends of its system.
        let committed = committed.replace("\r\n", "\n");
        if committed != text {
            same = false;
            let (number, old, new) = first_difference(&committed, &text);
            eprintln!(
                "{}:{number}: not what ddi-sys generates; run `cargo xtask headers`\n  \
                 committed: {old}\n  generated: {new}",
                path.display()
            );
        }
    }
    Ok(same)
}

fn first_difference<'a>(old: &'a str, new: &'a str) -> (usize, &'a str, &'a str) {
    const END: &str = "(end of file)";
    let (mut old, mut new) = (old.lines(), new.lines());
    let mut number = 1;
    loop {
        match (old.next(), new.next()) {
            (Some(a), Some(b)) if a == b => number += 1,
            (a, b) => return (number, a.unwrap_or(END), b.unwrap_or(END)),
        }
    }
}
