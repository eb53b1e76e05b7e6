//! The project that a vendor starts with: the templates of `xtask/templates/new-plugin`, with the vendor's name and the way to
//! the kit.

use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::{Error, workspace};

/// The language of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Rust, with `plugin-sdk`.
    Rust,
    /// C++17, with `d3d12_compiler_plugin.hpp`.
    Cpp,
}

/// What a file of a project is made from.
enum Content {
    /// Text, in which the words between `@` are replaced.
    Template(&'static str),
    Copy(&'static [u8]),
}

use Content::{Copy, Template};

const RUST: &[(&str, Content)] = &[
    (
        "Cargo.toml",
        Template(include_str!("../templates/new-plugin/rust/Cargo.toml")),
    ),
    (
        ".cargo/config.toml",
        Template(include_str!("../templates/new-plugin/rust/config.toml")),
    ),
    (
        "src/lib.rs",
        Template(include_str!("../templates/new-plugin/rust/lib.rs")),
    ),
    (
        "src/cs.dxil",
        Copy(include_bytes!("../../dxil/corpus/dxil/raw_copy_cs.dxil")),
    ),
    (
        "README.md",
        Template(include_str!("../templates/new-plugin/rust/README.md")),
    ),
    (
        ".github/workflows/ci.yml",
        Template(include_str!("../templates/new-plugin/rust/ci.yml")),
    ),
    (
        ".gitignore",
        Template(include_str!("../templates/new-plugin/rust/gitignore")),
    ),
];

const CPP: &[(&str, Content)] = &[
    (
        "CMakeLists.txt",
        Template(include_str!("../templates/new-plugin/cpp/CMakeLists.txt")),
    ),
    (
        "plugin.cpp",
        Copy(include_bytes!("../../headers/examples/sdk_plugin.cpp")),
    ),
    (
        "d3d12_compiler_plugin.hpp",
        Copy(include_bytes!("../../headers/d3d12_compiler_plugin.hpp")),
    ),
    (
        "d3d12_compiler_ddi.h",
        Copy(include_bytes!("../../headers/d3d12_compiler_ddi.h")),
    ),
    (
        "README.md",
        Template(include_str!("../templates/new-plugin/cpp/README.md")),
    ),
    (
        ".github/workflows/ci.yml",
        Template(include_str!("../templates/new-plugin/cpp/ci.yml")),
    ),
    (
        ".gitignore",
        Template(include_str!("../templates/new-plugin/cpp/gitignore")),
    ),
];

/// Names that Cargo, CMake or Windows does not take for a library, and those of crates that the project depends on.
const TAKEN: [&str; 17] = [
    "all",
    "alloc",
    "aux",
    "clean",
    "con",
    "core",
    "help",
    "install",
    "nul",
    "package",
    "plugin-sdk",
    "plugin-testing",
    "prn",
    "proc-macro",
    "proc_macro",
    "std",
    "test",
];

/// A project to write.
#[derive(Debug)]
pub struct Project {
    language: Language,
    name: String,
    folder: PathBuf,
    /// The kit, from the project's folder.
    kit: String,
    /// Where the project and the kit are on a machine that has both below one folder.
    checkouts: (String, String),
}

impl Project {
    /// Decides about a project in a folder, whose name it gets unless another is given.
    ///
    /// # Errors
    ///
    /// The name is not one of a library, the folder is not empty or in the kit, or there is no relative path from there to the
    /// kit that every tool can read.
    pub fn new(language: Language, folder: &Path, name: Option<String>) -> Result<Self, Error> {
        let at = real(folder)?;
        let name = name.or_else(|| Some(at.file_name()?.to_str()?.to_owned()));
        let name =
            name.ok_or_else(|| error("the folder's name is no text: give one with --name"))?;
        check_name(&name)?;
        let file = Error::file(folder);
        if at.exists() && fs::read_dir(&at).map_err(file)?.next().is_some() {
            let what = format!("{}: the folder is not empty", folder.display());
            return Err(error(what));
        }
        let kit = workspace();
        let kit = dunce::canonicalize(&kit).map_err(Error::file(&kit))?;
        if at.starts_with(&kit) {
            let what = format!(
                "{}: the folder is in the kit: choose one beside it",
                folder.display()
            );
            return Err(error(what));
        }
        let (kit, checkouts) = way(&at, &kit, &name)?;
        Ok(Self {
            language,
            name,
            folder: folder.to_owned(),
            kit,
            checkouts,
        })
    }

    /// Writes the files.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn write(&self) -> Result<(), Error> {
        let files = match self.language {
            Language::Rust => RUST,
            Language::Cpp => CPP,
        };
        for (name, content) in files {
            let path = self.folder.join(name);
            let folder = path.parent().unwrap_or(&self.folder);
            fs::create_dir_all(folder).map_err(Error::file(folder))?;
            let written = match content {
                Template(text) => fs::write(&path, self.fill(text)),
                Copy(bytes) => fs::write(&path, bytes),
            };
            written.map_err(Error::file(&path))?;
        }
        Ok(())
    }

    fn fill(&self, template: &str) -> String {
        let (project, kit) = &self.checkouts;
        [
            ("@NAME@", &self.name),
            ("@CRATE@", &self.name.replace('-', "_")),
            ("@KIT@", &self.kit),
            ("@CI_PROJECT@", project),
            ("@CI_KIT@", kit),
        ]
        .into_iter()
        .fold(template.to_owned(), |text, (word, value)| {
            text.replace(word, value)
        })
    }
}

/// What comes next.
impl fmt::Display for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commands: &[&str] = match self.language {
            Language::Rust => &["cargo test"],
            Language::Cpp => &[
                "cmake -B build -DCMAKE_BUILD_TYPE=Release",
                "cmake --build build --config Release",
                "ctest --test-dir build -C Release --output-on-failure",
            ],
        };
        let folder = self.folder.display();
        writeln!(
            f,
            "The plugin {} is in {folder}. Next:\n\n    cd {folder}",
            self.name
        )?;
        for command in commands {
            writeln!(f, "    {command}")?;
        }
        write!(
            f,
            "\nIts README.md has the other commands, docs/vendor-guide.md of the kit goes on from there."
        )
    }
}

/// The path without links, also of a folder that does not exist.
fn real(folder: &Path) -> Result<PathBuf, Error> {
    let absolute = std::path::absolute(folder).map_err(Error::file(folder))?;
    let mut missing = Vec::new();
    let mut existing = &*absolute;
    while let (false, Some(parent), Some(name)) =
        (existing.exists(), existing.parent(), existing.file_name())
    {
        missing.push(name);
        existing = parent;
    }
    let existing = dunce::canonicalize(existing).map_err(Error::file(folder))?;
    Ok(existing.join(missing.iter().rev().collect::<PathBuf>()))
}

fn check_name(name: &str) -> Result<(), Error> {
    let is_identifier = syn::parse_str::<syn::Ident>(&name.replace('-', "_")).is_ok();
    let is_plain = name.is_ascii() && name.starts_with(|first: char| first.is_ascii_alphabetic());
    if is_identifier && is_plain && !TAKEN.contains(&&*name.to_ascii_lowercase()) {
        return Ok(());
    }
    Err(error(format!(
        "{name:?} is no name for a plugin: it begins with a letter, goes on with letters, digits, '-' and '_', and is no word \
         of Rust or of the system. Give another one with --name"
    )))
}

/// The relative path from a project to the kit; and paths for both below one folder, between which it is the same.
fn way(project: &Path, kit: &Path, name: &str) -> Result<(String, (String, String)), Error> {
    let path = pathdiff::diff_paths(kit, project).filter(|path| path.is_relative());
    let path = path.ok_or_else(|| {
        error("the folder is on another drive than the kit: choose one on the same")
    })?;
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| part.as_os_str().to_str())
        .collect();
    let is_plain = |part: &&str| {
        !part.contains(['"', '\\', '$', '`', ';', '@']) && !part.contains(char::is_control)
    };
    let Some(parts) = parts.filter(|parts| parts.iter().all(is_plain)) else {
        let what = format!(
            "{}: a character in this path means something to a build tool",
            path.display()
        );
        return Err(error(what));
    };
    let ups = path
        .components()
        .filter(|part| *part == Component::ParentDir)
        .count();
    let below = parts[ups..].join("/");
    let checkouts = match ups {
        0 => (name.to_owned(), format!("{name}/{below}")),
        _ => ("folder/".repeat(ups - 1) + name, below),
    };
    Ok((parts.join("/"), checkouts))
}

fn error(what: impl Into<String>) -> Error {
    Error::Project { what: what.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_libraries() {
        for good in ["my-plugin", "a", "Contoso_Compiler2"] {
            check_name(good).unwrap();
        }
        for bad in [
            "",
            "2d",
            "-a",
            "_",
            "my plugin",
            "fn",
            "test",
            "CON",
            "plugin-sdk",
            "\u{e9}",
            "a/b",
            "a.b",
            "a\"b",
        ] {
            let error = check_name(bad).unwrap_err().to_string();
            assert!(error.contains("--name"), "{bad}: {error}");
        }
    }

    #[test]
    fn the_way_to_the_kit_is_the_same_between_the_checkouts() {
        let root = Path::new(if cfg!(windows) { r"C:\" } else { "/" });
        for (project, kit, relative, checkouts) in [
            ("work/p", "work/kit", "../kit", ("name", "kit")),
            (
                "tmp/a/p",
                "work/kit",
                "../../../work/kit",
                ("folder/folder/name", "work/kit"),
            ),
            ("work/p", "work/p/kit", "kit", ("name", "name/kit")),
        ] {
            let (found, (of_project, of_kit)) =
                way(&root.join(project), &root.join(kit), "name").unwrap();
            assert_eq!(found, relative);
            assert_eq!((&*of_project, &*of_kit), checkouts);
        }
        assert!(way(&root.join("p"), &root.join("a\"b"), "name").is_err());
    }
}
