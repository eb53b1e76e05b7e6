//! The package for NuGet: what C and C++ projects of Visual Studio need of an archive.

use super::archive::{Entry, Tree};
use super::{error, fill};
use crate::Error;

/// The files that are no copies.
const OWN: [(&str, &str); 6] = [
    (
        "D3D12CompilerKit.nuspec",
        include_str!("../../dist/nuget/D3D12CompilerKit.nuspec"),
    ),
    (
        "[Content_Types].xml",
        include_str!("../../dist/nuget/content-types.xml"),
    ),
    ("_rels/.rels", include_str!("../../dist/nuget/rels.xml")),
    ("README.md", include_str!("../../dist/nuget/README.md")),
    (
        "build/native/D3D12CompilerKit.props",
        include_str!("../../dist/nuget/D3D12CompilerKit.props"),
    ),
    (
        "build/native/D3D12CompilerKit.targets",
        include_str!("../../dist/nuget/D3D12CompilerKit.targets"),
    ),
];

/// Where the files of the archive go, by the beginnings and the ends of their paths; `@` is the processor.
const COPIED: [(&str, &str, &str); 5] = [
    ("include/", "", "build/native/include/"),
    ("lib/", ".lib", "build/native/lib/@/"),
    ("bin/", "", "build/native/bin/@/"),
    ("LICENSE-", "", "LICENSE-"),
    ("THIRD-PARTY-LICENSES", "", "THIRD-PARTY-LICENSES"),
];

/// The folder of the files of MSBuild, in these.
const THIS_FOLDER: (&str, &str) = ("$(MSBuildThisFileDirectory)", "build/native/");

/// The files of the package.
///
/// # Errors
///
/// A file of MSBuild names one that the archive lacks.
pub fn tree(
    archive: &Tree,
    processor: &str,
    version: &str,
    licence: &str,
    commit: &str,
) -> Result<Tree, Error> {
    let words = [
        ("@VERSION@", version),
        ("@PROCESSOR@", processor),
        ("@LICENCE@", licence),
        ("@COMMIT@", commit),
    ];
    let own = OWN.map(|(path, text)| {
        (
            path.to_owned(),
            Entry::Data(fill(text, &words).into_bytes()),
        )
    });
    let mut tree = Tree::from(own);
    for (path, entry) in archive {
        let to = COPIED.iter().find_map(|(begin, end, to)| {
            let rest = path
                .strip_prefix(begin)
                .filter(|rest| rest.ends_with(end))?;
            Some(to.replace('@', processor) + rest)
        });
        if let (Some(to), Some(bytes)) = (to, entry.bytes()) {
            tree.insert(to, Entry::Data(bytes.to_vec()));
        }
    }
    for path in named(&tree) {
        let is_there = if path.ends_with('/') {
            tree.keys().any(|key| key.starts_with(&*path))
        } else {
            tree.contains_key(&*path)
        };
        if !is_there {
            return Err(error(format!("the package for NuGet has no {path}")));
        }
    }
    Ok(tree)
}

/// The files and folders that the files of MSBuild name.
fn named(tree: &Tree) -> Vec<String> {
    let (variable, folder) = THIS_FOLDER;
    let own = tree.iter().filter(|(path, _)| path.starts_with(folder));
    let is_of_msbuild = |path: &str| {
        let end = path.rsplit_once('.').map(|(_, end)| end);
        end.is_some_and(|end| ["props", "targets"].contains(&end))
    };
    let texts = own.filter(|(path, _)| is_of_msbuild(path));
    texts
        .filter_map(|(_, entry)| std::str::from_utf8(entry.bytes()?).ok())
        .flat_map(|text| text.split(variable).skip(1))
        .filter_map(|rest| rest.split([';', '<']).next())
        .map(|path| folder.to_owned() + &path.replace('\\', "/"))
        .collect()
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::super::build::{LIBRARIES, PROGRAMS};
    use super::*;

    fn archive() -> Tree {
        let programs = PROGRAMS
            .iter()
            .map(|(_, name, _)| format!("bin/{name}.exe"));
        let libraries = LIBRARIES.iter().map(|(_, name)| format!("bin/{name}.dll"));
        let others = [
            "README.md",
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "THIRD-PARTY-LICENSES",
            "THIRD-PARTY-LICENSES-rust.html",
            "examples/host.c",
            "include/d3d12_compiler_plugin.hpp",
            "include/ddi_conformance.h",
            "lib/compiler_runtime.lib",
            "lib/D3D12Core.lib",
            "lib/D3D12StateObjectCompiler.lib",
            "lib/ddi_conformance_c.lib",
            "lib/cmake/D3D12CompilerKit/D3D12CompilerKitConfig.cmake",
        ];
        let files = programs.chain(libraries).chain(others.map(String::from));
        files
            .map(|path| (path, Entry::Data(b"content".to_vec())))
            .collect()
    }

    fn package() -> Tree {
        tree(&archive(), "x64", "1.2.3", "MIT OR Apache-2.0", "0123abcd").unwrap()
    }

    fn text<'a>(package: &'a Tree, path: &str) -> &'a str {
        std::str::from_utf8(package[path].bytes().unwrap()).unwrap()
    }

    #[test]
    fn what_the_files_of_msbuild_name_is_in_the_package() {
        assert_eq!(named(&package()).len(), 8);
        for path in [
            "bin/dxil-tool.exe",
            "lib/D3D12Core.lib",
            "include/ddi_conformance.h",
        ] {
            let mut archive = archive();
            let folder = path.split_once('/').unwrap().0;
            archive.retain(|other, _| {
                other != path && !(folder != "bin" && other.starts_with(folder))
            });
            let error = tree(&archive, "x64", "1.2.3", "MIT", "0123abcd").unwrap_err();
            assert!(
                error.to_string().contains("has no build/native/"),
                "{error}"
            );
        }
    }

    #[test]
    fn every_file_has_a_content_type_and_the_manifest_its_place() {
        let package = package();
        let types = Document::parse(text(&package, "[Content_Types].xml")).unwrap();
        let attribute = |name: &str| -> Vec<&str> {
            types
                .descendants()
                .filter_map(|node| node.attribute(name))
                .collect()
        };
        let (ends, parts) = (attribute("Extension"), attribute("PartName"));
        for path in package.keys().filter(|path| *path != "[Content_Types].xml") {
            let end = path
                .rsplit_once('/')
                .map_or(&**path, |(_, name)| name)
                .rsplit_once('.')
                .map(|(_, end)| end);
            let is_typed = match end {
                Some(end) => ends.contains(&end),
                None => parts.contains(&&*format!("/{path}")),
            };
            assert!(is_typed, "{path} has no content type");
        }
        let relations = Document::parse(text(&package, "_rels/.rels")).unwrap();
        let targets: Vec<&str> = relations
            .descendants()
            .filter_map(|node| node.attribute("Target"))
            .collect();
        assert_eq!(targets, ["/D3D12CompilerKit.nuspec"]);

        let manifest = Document::parse(text(&package, "D3D12CompilerKit.nuspec")).unwrap();
        let value = |name: &str| {
            let node = manifest
                .descendants()
                .find(|node| node.tag_name().name() == name);
            node.and_then(|node| node.text()).unwrap().to_owned()
        };
        assert_eq!(
            (value("id"), value("version")),
            ("D3D12CompilerKit".into(), "1.2.3".into())
        );
        assert_eq!(value("license"), "MIT OR Apache-2.0");
        assert!(package.contains_key(&value("readme")));
        assert!(!text(&package, "README.md").contains('@'));
    }
}
