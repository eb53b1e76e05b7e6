//! `cargo xtask headers` writes what is generated from `ddi-sys`, `cargo xtask api` what is generated
//! from Microsoft's metadata and `api-sys`; with `--check` they only compare.
//! `cargo xtask import-libs` writes import libraries of the runtime.
//! `cargo xtask dll` shows what DLLs export and import, `cargo xtask verdicts` compares reports of
//! `ddi-conformance`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use xtask::api::{self, Api};
use xtask::ddi::{Ddi, Scope};
use xtask::dll::Dll;
use xtask::facts::Facts;
use xtask::verdicts::Verdicts;
use xtask::{Error, header, import_libs, layout, layout_check, workspace};

const USAGE: &str = "\
usage: cargo xtask headers [--check]
       cargo xtask api [--check]
       cargo xtask import-libs FOLDER
       cargo xtask dll PLUGIN-OR-RUNTIME.DLL...
       cargo xtask verdicts SYSTEM=REPORT.JSON SYSTEM=REPORT.JSON...";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["headers"] => headers().and_then(write),
        ["headers", "--check"] => headers().and_then(|files| check("headers", files)),
        ["api"] => bindings()
            .and_then(write)
            .and_then(|_| api())
            .and_then(write),
        ["api", "--check"] => bindings()
            .and_then(|files| check("api", files))
            .and_then(|same| Ok(check("api", api()?)? && same)),
        ["import-libs", folder] => import_libraries(folder),
        ["dll", ref files @ ..] if !files.is_empty() => dlls(files),
        ["verdicts", ref reports @ ..] if reports.len() > 1 => verdicts(reports),
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

/// What windows-bindgen generates, which is part of what [`api`] reads.
fn bindings() -> Result<Vec<(PathBuf, String)>, Error> {
    let api_sys = workspace().join("api-sys");
    Ok(vec![(
        api_sys.join("src/d3d12.rs"),
        api::bindings::generate(&api_sys.join("d3d12.filter"))?,
    )])
}

/// What is generated from `api-sys`, each file and its text.
fn api() -> Result<Vec<(PathBuf, String)>, Error> {
    let root = workspace();
    let facts = api::facts::Facts::read(&root.join("api-sys/facts"))?;
    let api = Api::read(&root.join("api-sys/src"))?;
    Ok(vec![
        (
            root.join("api-sys/src/layout.rs"),
            api::layout::generate(&api, &facts)?,
        ),
        (
            root.join("headers/d3d12_compiler_api.h"),
            api::header::generate(&api, &facts)?,
        ),
        (
            root.join("headers/api_layout_check.c"),
            api::layout_check::generate(&facts),
        ),
    ])
}

/// What is generated from `ddi-sys`, each file and its text.
fn headers() -> Result<Vec<(PathBuf, String)>, Error> {
    let root = workspace();
    let (source, tables) = (root.join("ddi-sys/src"), root.join("ddi-sys/facts"));
    let facts = Facts::read(&tables, Scope::Plugin)?;
    let ddi = Ddi::read(&source, Scope::Plugin)?;
    let usermode_facts = Facts::read(&tables, Scope::Usermode)?;
    let usermode = Ddi::read(&source, Scope::Usermode)?;
    let headers = root.join("headers");
    Ok(vec![
        (
            root.join("ddi-sys/src/layout.rs"),
            layout::generate(&usermode, &usermode_facts),
        ),
        (
            headers.join("d3d12_compiler_ddi.h"),
            header::generate(&ddi, &facts)?,
        ),
        (
            headers.join("d3d12_umd_ddi.h"),
            header::generate_usermode(&usermode, &ddi, &Ddi::opaque(&source)?)?,
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
fn check(command: &str, files: Vec<(PathBuf, String)>) -> Result<bool, Error> {
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
                "{}:{number}: not what is generated; run `cargo xtask {command}`\n  \
                 committed: {old}\n  generated: {new}",
                path.display()
            );
        }
    }
    Ok(same)
}

/// Writes the import libraries; prints where.
fn import_libraries(folder: &str) -> Result<bool, Error> {
    for path in import_libs::write(folder.as_ref())? {
        println!("{}", path.display());
    }
    Ok(true)
}

/// Whether every DLL is a plugin, or the runtime, that needs nothing but Windows; prints what each exports and imports.
fn dlls(files: &[&str]) -> Result<bool, Error> {
    let mut good = true;
    for file in files {
        let bytes = read(file)?;
        let dll = Dll::read(&bytes).map_err(|error| Error::Object {
            file: (*file).to_owned(),
            what: error.to_string(),
        })?;
        println!("{file}\n  exports {}", dll.exports.join(", "));
        println!("  imports from {}", dll.imports.join(", "));
        for fault in dll.faults() {
            good = false;
            eprintln!("{file}: {fault}");
        }
    }
    Ok(good)
}

/// Whether all reports have the same verdicts; prints them side by side.
fn verdicts(reports: &[&str]) -> Result<bool, Error> {
    let parse = |argument: &&str| {
        let (system, file) = argument.split_once('=').unwrap_or(("", argument));
        let report = serde_json::from_slice(&read(file)?).map_err(|error| Error::Report {
            what: format!("{file}: {error}"),
        })?;
        Ok((system.to_owned(), report))
    };
    let reports: Vec<_> = reports.iter().map(parse).collect::<Result<_, Error>>()?;
    let verdicts = Verdicts::new(&reports).map_err(|what| Error::Report { what })?;
    println!("{verdicts}");
    Ok(verdicts.differences().is_empty())
}

fn read(file: &str) -> Result<Vec<u8>, Error> {
    fs::read(file).map_err(|source| Error::File {
        path: file.into(),
        source,
    })
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
