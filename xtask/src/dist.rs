//! The archives of a release: programs, libraries, headers, documents and examples, for machines without Rust.
//!
//! An archive is the same bytes wherever it is made from the same commit with the same compilers: `build` has the settings for
//! that, `archive` the order and the times of the files, and `check` looks whether a folder of this machine got into one.

mod archive;
mod build;
mod check;
mod contents;
mod nuget;
mod parts;
mod platform;
mod sbom;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use crate::{Error, workspace};
use archive::Entry;
use build::Folders;
use platform::{PLATFORMS, Platform};

/// The version and the licence of everything in the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const LICENCE: &str = "MIT OR Apache-2.0";

/// The notices of the standard library, in the folder of the toolchain.
const STANDARD_LIBRARY: &str = "share/doc/rust/COPYRIGHT-library.html";

/// The platform with a triple, without one that of this machine.
///
/// # Errors
///
/// There are no archives for it.
pub fn platform(triple: Option<&str>) -> Result<&'static Platform, Error> {
    let host = output_of(Command::new(crate::toolchain::rustc()).args(["--print", "host-tuple"]))?;
    let triple = triple.unwrap_or(&host);
    Platform::of(triple).ok_or_else(|| {
        let all = PLATFORMS.map(|platform| platform.triple).join(", ");
        error(format!("{triple}: there are archives for {all}"))
    })
}

/// A file for Cargo's option `--config`: a build with it shares what [`write()`] builds.
///
/// # Errors
///
/// Cargo or the compiler cannot be asked.
pub fn config(platform: &Platform) -> Result<String, Error> {
    let metadata = build::metadata(platform)?;
    build::config(platform, &Folders::new(&metadata)?)
}

/// Builds what is in an archive and writes it, for some platforms with a package for NuGet, and the checksum of each file.
///
/// # Errors
///
/// Something cannot be built or written, a licence is missing, or a folder of this machine is in a file.
pub fn write(platform: &Platform, output: &Path) -> Result<Vec<PathBuf>, Error> {
    let (time, commit) = (time()?, commit()?);
    let built = build::build(platform)?;
    let parts = parts::parts(platform, &built)?;
    let archive = format!("d3d12-compiler-kit-{VERSION}-{}", platform.name);
    let mut tree = contents::tree(platform, &built, VERSION, &commit)?;
    let standard_library = standard_library()?;
    for (path, bytes) in [
        (
            "sbom.cdx.json",
            sbom::json(&archive, VERSION, LICENCE, &built, &parts, time)?,
        ),
        ("THIRD-PARTY-LICENSES", parts::text(&parts).into_bytes()),
        ("THIRD-PARTY-LICENSES-rust.html", standard_library),
    ] {
        tree.insert(path.into(), Entry::Data(bytes));
    }
    check::has_no_folder(&tree, &Folders::new(&built.metadata)?)?;

    let mut files = Vec::new();
    files.push(if platform.is_windows() {
        let prefix = format!("{archive}/");
        (format!("{archive}.zip"), archive::zip(&prefix, &tree, time))
    } else {
        (
            format!("{archive}.tar.gz"),
            archive::tar_gz(&archive, &tree, time),
        )
    });
    if let Some(processor) = platform.nuget {
        let package = nuget::tree(&tree, processor, VERSION, LICENCE, &commit)?;
        files.push((
            format!("D3D12CompilerKit.{VERSION}.nupkg"),
            archive::zip("", &package, time),
        ));
    }
    fs::create_dir_all(output).map_err(Error::file(output))?;
    let mut written = Vec::new();
    for (name, bytes) in files {
        let path = output.join(&name);
        let bytes = bytes.map_err(Error::file(&path))?;
        let sum = format!("{}  {name}\n", hex::encode(Sha256::digest(&bytes)));
        let sum_path = output.join(format!("{name}.sha256"));
        fs::write(&path, bytes).map_err(Error::file(&path))?;
        fs::write(&sum_path, sum).map_err(Error::file(&sum_path))?;
        written.extend([path, sum_path]);
    }
    Ok(written)
}

/// The time of all files: `SOURCE_DATE_EPOCH`, or that of the commit.
fn time() -> Result<DateTime<Utc>, Error> {
    let seconds = match env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => seconds,
        Err(_) => git(&["log", "-1", "--format=%ct"])?,
    };
    let time = seconds
        .parse()
        .ok()
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.ok_or_else(|| error(format!("{seconds}: no number of seconds since 1970")))
}

/// The commit; of a changed work tree with an addition that says so.
fn commit() -> Result<String, Error> {
    git(&[
        "describe",
        "--always",
        "--dirty=-changed",
        "--abbrev=40",
        "--exclude=*",
    ])
}

fn git(arguments: &[&str]) -> Result<String, Error> {
    output_of(
        Command::new("git")
            .arg("-C")
            .arg(workspace())
            .args(arguments),
    )
}

/// The notices of what the standard library contains.
fn standard_library() -> Result<Vec<u8>, Error> {
    let sysroot = output_of(Command::new(crate::toolchain::rustc()).args(["--print", "sysroot"]))?;
    let path = Path::new(&sysroot).join(STANDARD_LIBRARY);
    fs::read(&path).map_err(Error::file(&path))
}

/// What a command that succeeds prints, without the last end of line.
fn output_of(command: &mut Command) -> Result<String, Error> {
    let output = crate::toolchain::run(command)?;
    let text = String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(error(format!("{command:?}: {}: {errors}", output.status)))
}

/// The template with its words replaced.
fn fill(template: &str, words: &[(&str, &str)]) -> String {
    words
        .iter()
        .fold(template.to_owned(), |text, (word, value)| {
            text.replace(word, value)
        })
}

fn error(what: impl Into<String>) -> Error {
    Error::Dist { what: what.into() }
}
