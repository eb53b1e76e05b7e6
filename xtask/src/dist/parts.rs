//! What of others is in the programs and libraries, with its licences.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use cargo_metadata::{Package, PackageId};

use super::build::Built;
use super::platform::Platform;
use super::{error, output_of};
use crate::Error;
use crate::toolchain::rustc;

/// Crates without the text of a licence, the one that we take them under, its text, and why it is not theirs.
const WITHOUT_TEXT: [(&str, &str, &str, &str); 1] = [(
    "maud",
    "Apache-2.0",
    include_str!("../../../LICENSE-APACHE"),
    "the package has no text of its licences, MIT OR Apache-2.0",
)];

/// Crates that link to a library which is not Rust, and the libraries that they bring. Whoever adds one must look what it brings.
const NATIVE: [(&str, &str); 1] = [("sqlite3", "SQLite")];

/// Something of others.
#[derive(Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// An SPDX expression.
    pub licence: String,
    /// The package, of a crate.
    pub id: Option<PackageId>,
    /// The texts of its licences.
    texts: Vec<String>,
}

/// Everything of others in what was built, sorted.
///
/// # Errors
///
/// A crate has no text of a licence, or brings a library of its own, and no table here says what that means.
pub fn parts(platform: &Platform, built: &Built) -> Result<Vec<Part>, Error> {
    let mut parts = Vec::new();
    for id in &built.linked {
        let package = &built.metadata[id];
        if package.source.is_none() {
            continue;
        }
        parts.push(of_crate(package)?);
        let Some(links) = &package.links else {
            continue;
        };
        let native = NATIVE.iter().find(|(name, _)| name == links);
        let (_, native) = native.ok_or_else(|| {
            error(format!(
                "{} brings the library {links}: enter it in xtask/src/dist/parts.rs",
                package.name
            ))
        })?;
        parts.push(Part {
            name: (*native).into(),
            version: sqlite_version(package)?,
            licence: "blessing".into(),
            id: None,
            texts: vec![include_str!("../../dist/licences/sqlite.txt").into()],
        });
    }
    let release = output_of(Command::new(rustc()).arg("--version"))?;
    parts.push(Part {
        name: "The Rust standard library".into(),
        version: release.split(' ').nth(1).unwrap_or_default().into(),
        licence: "MIT OR Apache-2.0".into(),
        id: None,
        texts: Vec::new(),
    });
    if let Some(compiler) = platform.mingw {
        let version = |option| output_of(Command::new(compiler).arg(option));
        parts.push(Part {
            name: "libgcc".into(),
            version: version("-dumpversion")?,
            licence: "GPL-3.0-or-later WITH GCC-exception-3.1".into(),
            id: None,
            texts: vec![include_str!("../../dist/licences/gcc-exception.txt").into()],
        });
        parts.push(Part {
            name: "mingw-w64".into(),
            version: mingw_version(compiler)?,
            licence: "ZPL-2.1".into(),
            id: None,
            texts: vec![include_str!("../../dist/licences/mingw-w64.txt").into()],
        });
    }
    parts.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(parts)
}

fn of_crate(package: &Package) -> Result<Part, Error> {
    let none = || {
        error(format!(
            "{} {}: no licence in its manifest",
            package.name, package.version
        ))
    };
    let mut part = Part {
        name: package.name.to_string(),
        version: package.version.to_string(),
        // The form before SPDX.
        licence: package
            .license
            .clone()
            .ok_or_else(none)?
            .replace('/', " OR "),
        id: Some(package.id.clone()),
        texts: licence_files(
            package
                .manifest_path
                .parent()
                .unwrap_or(&package.manifest_path)
                .as_std_path(),
        )?,
    };
    let known = WITHOUT_TEXT.iter().find(|(name, ..)| *name == part.name);
    match (part.texts.is_empty(), known) {
        (true, Some((_, licence, text, _))) => {
            part.licence = (*licence).into();
            part.texts.push((*text).into());
        }
        (false, None) => {}
        (true, None) => {
            return Err(error(format!(
                "{} {} has no text of a licence: enter it in WITHOUT_TEXT of xtask/src/dist/parts.rs",
                part.name, part.version
            )));
        }
        (false, Some(_)) => {
            let name = part.name;
            return Err(error(format!(
                "{name} has a text of its licence: remove it from WITHOUT_TEXT"
            )));
        }
    }
    Ok(part)
}

/// The texts in a crate's folder whose names say what they are.
fn licence_files(folder: &Path) -> Result<Vec<String>, Error> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(Error::file(folder))? {
        let entry = entry.map_err(Error::file(folder))?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let begins = ["licen", "unlicense", "copying", "copyright", "notice"];
        let path = entry.path();
        if begins.iter().any(|begin| name.starts_with(begin)) && path.is_file() {
            let text = fs::read(&path).map_err(Error::file(&path))?;
            texts.insert(name, String::from_utf8_lossy(&text).into_owned());
        }
    }
    Ok(texts.into_values().collect())
}

/// From the header that the crate has.
fn sqlite_version(package: &Package) -> Result<String, Error> {
    let path = package
        .manifest_path
        .with_file_name("sqlite3")
        .join("sqlite3.h");
    let header = fs::read_to_string(&path).map_err(Error::file(path.as_std_path()))?;
    let version = header
        .lines()
        .find_map(|line| line.strip_prefix("#define SQLITE_VERSION "));
    let version = version.ok_or_else(|| error(format!("{path}: no version")))?;
    Ok(version.trim().trim_matches('"').into())
}

fn mingw_version(compiler: &str) -> Result<String, Error> {
    let header = ["-include", "_mingw.h", "-dM", "-E", "-x", "c", "-"];
    let macros = output_of(Command::new(compiler).args(header))?;
    let number = |name: &str| {
        let start = format!("#define {name} ");
        macros
            .lines()
            .find_map(|line| line.strip_prefix(&*start))
            .unwrap_or("?")
            .to_owned()
    };
    Ok([
        number("__MINGW64_VERSION_MAJOR"),
        number("__MINGW64_VERSION_MINOR"),
        number("__MINGW64_VERSION_BUGFIX"),
    ]
    .join("."))
}

/// The file `THIRD-PARTY-LICENSES`.
pub fn text(parts: &[Part]) -> String {
    let mut file = String::from(
        "The programs and libraries of this archive contain what is listed here. Below the list are the texts of the licences, each\n\
         once, with whom it is for. What the Rust standard library contains is in THIRD-PARTY-LICENSES-rust.html.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in parts {
        let name = format!("{} {}", part.name, part.version);
        let why = WITHOUT_TEXT
            .iter()
            .find(|(crate_name, ..)| *crate_name == part.name);
        let why = why.map_or(String::new(), |(.., why)| format!(" ({why})"));
        let _ = writeln!(file, "{name}: {}{why}", part.licence);
        for text in &part.texts {
            texts.entry(normal(text)).or_default().push(name.clone());
        }
    }
    // By the first that each is for.
    let mut texts: Vec<_> = texts
        .into_iter()
        .map(|(text, names)| (names, text))
        .collect();
    texts.sort();
    for (names, text) in texts {
        let _ = write!(
            file,
            "\n{}\n{}\n\n{text}\n",
            "-".repeat(80),
            names.join(", ")
        );
    }
    file
}

/// The text without what differs between copies of it.
fn normal(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, texts: &[&str]) -> Part {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Part {
            name: name.into(),
            version: "1.0.0".into(),
            licence: "MIT".into(),
            id: None,
            texts,
        }
    }

    #[test]
    fn a_text_is_there_once_with_everybody_whom_it_is_for() {
        let file = text(&[
            part("a", &["Licence of a"]),
            part(
                "b",
                &["The same licence\r\n\r\nfor all  \r\n", "Notice of b"],
            ),
            part("c", &["\nThe same licence\n\nfor all"]),
        ]);
        assert!(
            file.contains("\na 1.0.0: MIT\nb 1.0.0: MIT\nc 1.0.0: MIT\n"),
            "{file}"
        );
        assert!(
            file.contains("\nb 1.0.0, c 1.0.0\n\nThe same licence\n\nfor all\n"),
            "{file}"
        );
        assert_eq!(file.matches("The same licence").count(), 1);
        assert!(file.contains("\nb 1.0.0\n\nNotice of b\n"), "{file}");
    }

    /// A package whose folder has a file with each of these names.
    fn package(folder: &Path, name: &str, files: &[&str]) -> Package {
        for file in files {
            fs::write(folder.join(file), file).unwrap();
        }
        serde_json::from_value(serde_json::json!({
            "name": name,
            "version": "1.0.0",
            "id": name,
            "license": "MIT/Apache-2.0",
            "manifest_path": folder.join("Cargo.toml"),
            "dependencies": [],
            "targets": [],
            "features": {},
        }))
        .unwrap()
    }

    #[test]
    fn the_texts_of_a_crate_are_those_of_its_licences() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["LICENSE-MIT", "COPYING", "license.txt", "README.md"];
        let part = of_crate(&package(folder.path(), "a", &files)).unwrap();
        assert_eq!(part.texts, ["COPYING", "LICENSE-MIT", "license.txt"]);
        assert_eq!(part.licence, "MIT OR Apache-2.0");
    }

    #[test]
    fn a_crate_without_a_text_needs_a_row_and_one_with_a_text_has_none() {
        let (known, ..) = WITHOUT_TEXT[0];
        for (name, files, is_refused) in [
            ("a", &["README.md"][..], true),
            ("a", &["LICENSE"], false),
            (known, &["README.md"], false),
            (known, &["LICENSE"], true),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let part = of_crate(&package(folder.path(), name, files));
            assert_eq!(part.is_err(), is_refused, "{name}, {files:?}");
        }
    }
}
