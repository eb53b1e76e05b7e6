//! The files of an archive.

use std::fs;

use super::archive::{Entry, Tree};
use super::build::{Built, PROGRAMS};
use super::platform::Platform;
use super::{check, error, fill};
use crate::dll::Dll;
use crate::{Error, import_libs, workspace};

/// Folders of the repository of which the archive has files, by the ends of their names, and where.
const COPIED: [(&str, &[&str], &str); 4] = [
    ("docs", &[".md"], "docs"),
    ("docs/pictures", &[".png"], "docs/pictures"),
    ("headers", &[".h", ".hpp"], "include"),
    ("headers/examples", &[".c", ".cpp", ".def"], "examples"),
];

/// What the examples read.
const SHADERS: [&str; 9] = [
    "forward_lit_ps",
    "forward_lit_tex_ps",
    "forward_lit_vs",
    "forward_plain_ps",
    "forward_plain_vs",
    "fullscreen_ps",
    "fullscreen_vs",
    "raw_copy_cs",
    "rt_pipeline_lib63",
];

/// The libraries that C and C++ programs are linked to, with the functions of a DLL, and what each takes from the stack of a
/// program of 32 bits, where it does.
const LINKED: [(&str, Option<usize>); 2] = [
    ("compiler_runtime", Some(import_libs::STACK)),
    ("ddi_conformance_c", None),
];

/// Links for Linux: the folder, and the file that a program or library of that folder looks for beside itself.
const BESIDE: [(&str, &str); 2] = [
    ("bin", "lib/libchecking_plugin.so"),
    ("lib", "bin/ddi-conformance"),
];

/// The files of the CMake package.
const CMAKE: [(&str, &str); 2] = [
    (
        "D3D12CompilerKitConfig.cmake",
        include_str!("../../dist/cmake/D3D12CompilerKitConfig.cmake"),
    ),
    (
        "D3D12CompilerKitConfigVersion.cmake",
        include_str!("../../dist/cmake/D3D12CompilerKitConfigVersion.cmake"),
    ),
];

/// The files, but for the bill of materials and the licences of others.
///
/// # Errors
///
/// A file cannot be read, or is not what it should be.
pub fn tree(
    platform: &Platform,
    built: &Built,
    version: &str,
    commit: &str,
) -> Result<Tree, Error> {
    let mut tree = Tree::new();
    for (folder, ends, to) in COPIED {
        let folder = workspace().join(folder);
        for entry in fs::read_dir(&folder).map_err(Error::file(&folder))? {
            let path = entry.map_err(Error::file(&folder))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if ends.iter().any(|end| name.ends_with(end)) {
                let entry = Entry::Data(fs::read(&path).map_err(Error::file(&path))?);
                tree.insert(format!("{to}/{name}"), entry);
            }
        }
    }
    let shaders = SHADERS.map(|name| {
        (
            format!("dxil/corpus/dxil/{name}.dxil"),
            format!("examples/dxil/{name}.dxil"),
        )
    });
    let single = [
        ("LICENSE-APACHE", "LICENSE-APACHE"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        (
            "state-object-compiler/examples/example.sodb",
            "examples/example.sodb",
        ),
    ];
    let single = single.map(|(from, to)| (from.to_owned(), to.to_owned()));
    for (from, to) in shaders.into_iter().chain(single) {
        let path = workspace().join(from);
        tree.insert(
            to,
            Entry::Data(fs::read(&path).map_err(Error::file(&path))?),
        );
    }
    code(platform, built, &mut tree)?;
    let library = platform.library("@");
    let (before, after) = library.split_once('@').unwrap_or_default();
    let libraries = libraries(platform);
    let words = [
        ("@VERSION@", version),
        ("@LIBRARIES@", libraries),
        ("@BEFORE@", before),
        ("@AFTER@", after),
        ("@EXE@", platform.end_of_programs()),
        ("@POINTER@", platform.pointer),
        ("@SYSTEM@", platform.system),
    ];
    for (name, text) in CMAKE {
        let text = fill(text, &words).into_bytes();
        tree.insert(
            format!("lib/cmake/D3D12CompilerKit/{name}"),
            Entry::Data(text),
        );
    }

    let glibc = check::glibc(&tree)?
        .map(|(major, minor)| format!(" with the GNU C library {major}.{minor} or newer"));
    let needs = platform.needs.to_owned() + glibc.as_deref().unwrap_or_default();
    let slash = if platform.is_windows() { "\\" } else { "/" };
    // For Linux the commands make DLLs for what most machines run.
    let mingw = if platform.pointer == "4" {
        "i686-w64-mingw32"
    } else {
        "x86_64-w64-mingw32"
    };
    let readme = fill(
        include_str!("../../dist/README.md"),
        &[
            ("@VERSION@", version),
            ("@PLATFORM@", platform.name),
            ("@COMMIT@", commit),
            ("@NEEDS@", &needs),
            ("@/@", slash),
            ("@LIBRARIES@", libraries),
            ("@MINGW@", mingw),
            ("@SAMPLE_PLUGIN@", &platform.library("sample_plugin")),
        ],
    );
    tree.insert("README.md".into(), Entry::Data(readme.into_bytes()));
    Ok(tree)
}

/// The programs, the libraries, and what programs are linked with.
fn code(platform: &Platform, built: &Built, tree: &mut Tree) -> Result<(), Error> {
    for (name, path) in &built.files {
        let bytes = fs::read(path).map_err(Error::file(path))?;
        let is_program = PROGRAMS.iter().any(|(_, program, _)| program == name);
        let (folder, file) = if is_program {
            ("bin", platform.program(name))
        } else {
            (libraries(platform), platform.library(name))
        };
        tree.insert(format!("{folder}/{file}"), Entry::Code(bytes));
    }
    let Some(machine) = platform.machine else {
        // What looks for another file beside itself finds it there.
        for (folder, to) in BESIDE {
            let name = to.rsplit('/').next().unwrap_or(to);
            tree.insert(format!("{folder}/{name}"), Entry::Link(format!("../{to}")));
        }
        return Ok(());
    };
    for (dll, stack) in LINKED {
        let file = format!("bin/{dll}.dll");
        let bytes = tree.get(&file).and_then(Entry::bytes).unwrap_or_default();
        let exports = Dll::read(bytes)
            .map_err(|cause| error(format!("{file}: {cause}")))?
            .exports;
        let library = import_libs::library(dll, &exports, machine, stack)
            .map_err(|cause| error(format!("{dll}: {cause}")))?;
        tree.insert(format!("lib/{dll}.lib"), Entry::Data(library));
    }
    for (dll, functions) in import_libs::DLLS {
        let library = import_libs::library(dll, functions, machine, Some(import_libs::STACK));
        tree.insert(
            format!("lib/{dll}.lib"),
            Entry::Data(library.map_err(|cause| error(format!("{dll}: {cause}")))?),
        );
    }
    Ok(())
}

/// The folder of the libraries: on Windows they are beside the programs, which find them there.
fn libraries(platform: &Platform) -> &'static str {
    if platform.is_windows() { "bin" } else { "lib" }
}
