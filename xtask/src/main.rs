//! `cargo xtask headers` writes the files that are generated from `ddi-sys`, and the header of the conformance suite; `cargo
//! xtask api` writes those that are generated from Microsoft's metadata and `api-sys`; with `--check` they only compare. `cargo
//! xtask import-libs` writes import libraries of the runtime. `cargo xtask dll` shows what DLLs export and import, `cargo xtask
//! verdicts` compares reports of `ddi-conformance`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use xtask::dll::Dll;
use xtask::facts::Facts;
use xtask::input::Input;
use xtask::source::Declarations;
use xtask::verdicts::Verdicts;
use xtask::{Error, bindings, header, import_libs, layout, layout_check, workspace};

const USAGE: &str = "\
usage: cargo xtask headers [--check]
           Write the files that are generated from ddi-sys, and the header of the conformance suite
       cargo xtask api [--check]
           Write the files that are generated from Microsoft's metadata and from api-sys
       cargo xtask import-libs FOLDER
           Write import libraries of the compiler runtime
       cargo xtask dll DLL...
           Show what plugins, or the compiler runtime, export and import; fail if a DLL needs more than Windows
       cargo xtask verdicts SYSTEM=REPORT.JSON SYSTEM=REPORT.JSON...
           Compare reports of ddi-conformance; fail if a verdict differs

With --check, the command writes nothing, and fails if a file is out of date.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [command @ ("headers" | "api")] => generate(command, write),
        [command @ ("headers" | "api"), "--check"] => generate(command, check),
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

/// Generated files and their texts.
type Files = Vec<(PathBuf, String)>;

/// Generates the files of a command and calls `place` with them.
fn generate(
    command: &str,
    place: impl Fn(&str, Files) -> Result<bool, Error>,
) -> Result<bool, Error> {
    if command == "headers" {
        return place(command, headers()?);
    }
    // The other files depend on these, so these must be in place first.
    let same = place(command, vec![bindings()?])?;
    Ok(place(command, api()?)? && same)
}

fn read(input: Input) -> Result<(Declarations, Facts), Error> {
    let declarations = Declarations::read(&input.source(), input)?;
    Ok((declarations, Facts::read(&input.tables(), input)?))
}

fn in_headers(file: &str) -> PathBuf {
    workspace().join("headers").join(file)
}

/// What windows-bindgen generates, which is part of what is read of the API.
fn bindings() -> Result<(PathBuf, String), Error> {
    let api_sys = workspace().join("api-sys");
    let text = bindings::generate(&api_sys.join("d3d12.filter"))?;
    Ok((api_sys.join("src/d3d12.rs"), text))
}

/// What is generated from `api-sys`.
fn api() -> Result<Files, Error> {
    let (api, facts) = read(Input::Api)?;
    let layout = Input::Api.source().join("layout.rs");
    Ok(vec![
        (layout, layout::generate(&api, &facts)?),
        (
            in_headers(Input::Api.header()),
            header::api::generate(&api, &facts)?,
        ),
        (
            in_headers("api_layout_check.c"),
            layout_check::generate_api(&facts),
        ),
    ])
}

/// What is generated from `ddi-sys`, and from the C API of the suite.
fn headers() -> Result<Files, Error> {
    let (plugin, plugin_facts) = read(Input::Plugin)?;
    let (usermode, facts) = read(Input::Usermode)?;
    let opaque = Declarations::opaque(&Input::Usermode.source())?;
    let layout = Input::Usermode.source().join("layout.rs");
    Ok(vec![
        (layout, layout::generate(&usermode, &facts)?),
        (
            in_headers(Input::Plugin.header()),
            header::generate(&plugin, &plugin_facts)?,
        ),
        (
            in_headers(Input::Usermode.header()),
            header::generate_usermode(&usermode, &facts, &plugin, &opaque)?,
        ),
        (
            in_headers("layout_check.cpp"),
            layout_check::generate(&plugin_facts),
        ),
        (
            in_headers("ddi_conformance.h"),
            header::conformance::generate()?,
        ),
    ])
}

fn write(_: &str, files: Files) -> Result<bool, Error> {
    for (path, text) in files {
        fs::write(&path, text).map_err(|source| Error::File { path, source })?;
    }
    Ok(true)
}

/// Whether every file is as generated; prints the first line that is not.
fn check(command: &str, files: Files) -> Result<bool, Error> {
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
                "{}:{number}: out of date: run `cargo xtask {command}`\n  \
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
        let bytes = bytes_of(file)?;
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
        let report = serde_json::from_slice(&bytes_of(file)?).map_err(|error| Error::Report {
            what: format!("{file}: {error}"),
        })?;
        Ok((system.to_owned(), report))
    };
    let reports: Vec<_> = reports.iter().map(parse).collect::<Result<_, Error>>()?;
    let verdicts = Verdicts::new(&reports).map_err(|what| Error::Report { what })?;
    println!("{verdicts}");
    Ok(verdicts.differences().is_empty())
}

fn bytes_of(file: &str) -> Result<Vec<u8>, Error> {
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
