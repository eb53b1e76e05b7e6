//! The commands of `cargo xtask`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser};
use xtask::dll::Dll;
use xtask::facts::Facts;
use xtask::input::Input;
use xtask::new_plugin::{Language, Project};
use xtask::source::Declarations;
use xtask::verdicts::Verdicts;
use xtask::{Error, bindings, dist, header, import_libs, layout, layout_check, workspace};

/// Generates and checks files of the kit, starts a plugin, makes the archives of a release
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    /// Write the files that are generated from ddi-sys, and the headers of the conformance suite and of mock-umd
    Headers(Generate),
    /// Write the files that are generated from Microsoft's metadata and from api-sys
    Api(Generate),
    /// Write import libraries of the compiler runtime
    ImportLibs {
        /// Where
        folder: PathBuf,
    },
    /// Build the archive of a release, and the NuGet package of Windows for 64 bits: docs/releases.md
    Dist {
        /// The folder of the files
        #[arg(long, required_unless_present = "print_config")]
        output: Option<PathBuf>,
        /// The target triple [default: that of this machine]
        #[arg(long, value_name = "TRIPLE")]
        target: Option<String>,
        /// Build nothing; print a file for Cargo's --config, with which another build shares what this one builds
        #[arg(long)]
        print_config: bool,
    },
    /// Show what plugins, or the compiler runtime, export and import; fail if a DLL needs more than Windows
    Dll {
        /// The files
        #[arg(required = true, value_name = "DLL")]
        files: Vec<PathBuf>,
    },
    /// Compare reports of ddi-conformance; fail if a verdict differs
    Verdicts {
        /// At least two reports, each with the name of its system
        #[arg(required = true, num_args = 2.., value_name = "SYSTEM=REPORT.JSON")]
        reports: Vec<String>,
    },
    /// Start a plugin: write a project that builds, passes the conformance suite, and has tests and a CI workflow
    NewPlugin {
        /// The language of the project
        #[arg(long)]
        lang: Language,
        /// The name of the project and of its DLL: letters, digits, '-' and '_'; by default that of the folder
        #[arg(long)]
        name: Option<String>,
        /// A folder that does not exist or is empty, outside the kit. The project refers to the kit by a relative path
        path: PathBuf,
    },
}

#[derive(Args)]
struct Generate {
    /// Write nothing, and fail if a file is out of date
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Headers(how) => generate("headers", &how),
        Command::Api(how) => generate("api", &how),
        Command::ImportLibs { folder } => import_libraries(&folder),
        Command::Dist {
            output,
            target,
            print_config,
        } => dist(output.filter(|_| !print_config), target.as_deref()),
        Command::Dll { files } => dlls(&files),
        Command::Verdicts { reports } => verdicts(&reports),
        Command::NewPlugin { lang, name, path } => new_plugin(lang, name, &path),
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

/// Generates the files of a command, and writes or checks them.
fn generate(command: &str, how: &Generate) -> Result<bool, Error> {
    let place = if how.check { check } else { write };
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
            header::own::generate(&header::own::CONFORMANCE)?,
        ),
        (
            in_headers("d3d12_mock_umd.h"),
            header::own::generate(&header::own::MOCK_UMD)?,
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
fn import_libraries(folder: &Path) -> Result<bool, Error> {
    for path in import_libs::write(folder)? {
        println!("{}", path.display());
    }
    Ok(true)
}

/// Writes the archive and prints where; without a folder, prints the settings of its build.
fn dist(output: Option<PathBuf>, target: Option<&str>) -> Result<bool, Error> {
    let platform = dist::platform(target)?;
    let Some(output) = output else {
        print!("{}", dist::config(platform)?);
        return Ok(true);
    };
    for path in dist::write(platform, &output)? {
        println!("{}", path.display());
    }
    Ok(true)
}

/// Whether every DLL is a plugin, or the runtime, that needs nothing but Windows; prints what each exports and imports.
fn dlls(files: &[PathBuf]) -> Result<bool, Error> {
    let mut good = true;
    for file in files {
        let bytes = bytes_of(file)?;
        let dll = Dll::read(&bytes).map_err(|error| Error::Object {
            file: file.display().to_string(),
            what: error.to_string(),
        })?;
        println!("{}\n  exports {}", file.display(), dll.exports.join(", "));
        println!("  imports from {}", dll.imports.join(", "));
        for fault in dll.faults() {
            good = false;
            eprintln!("{}: {fault}", file.display());
        }
    }
    Ok(good)
}

/// Whether all reports have the same verdicts; prints them side by side.
fn verdicts(reports: &[String]) -> Result<bool, Error> {
    let parse = |argument: &String| {
        let (system, file) = argument.split_once('=').unwrap_or(("", argument.as_str()));
        let report =
            serde_json::from_slice(&bytes_of(file.as_ref())?).map_err(|error| Error::Report {
                what: format!("{file}: {error}"),
            })?;
        Ok((system.to_owned(), report))
    };
    let reports: Vec<_> = reports.iter().map(parse).collect::<Result<_, Error>>()?;
    let verdicts = Verdicts::new(&reports).map_err(|what| Error::Report { what })?;
    println!("{verdicts}");
    Ok(verdicts.differences().is_empty())
}

/// Writes a project; prints what comes next.
fn new_plugin(lang: Language, name: Option<String>, path: &Path) -> Result<bool, Error> {
    let project = Project::new(lang, path, name)?;
    project.write()?;
    println!("{project}");
    Ok(true)
}

fn bytes_of(file: &Path) -> Result<Vec<u8>, Error> {
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
