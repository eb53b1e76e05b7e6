//! The headers of this project's own libraries, for C89 and C++: `headers/ddi_conformance.h` and `headers/d3d12_mock_umd.h`.

use std::fmt::Write;
use std::fs;

use cbindgen::{
    Builder, Config, DocumentationLength, DocumentationStyle, EnumConfig, ExportConfig, Language,
    RenameRule, Style,
};

use super::WIDTH;
use crate::{Error, workspace};

/// A header, and the source with what it declares.
pub struct Header {
    source: &'static str,
    prologue: &'static str,
    guard: &'static str,
    system_includes: &'static [&'static str],
    includes: &'static [&'static str],
    /// What no declaration names, as C passes it as a number: a number without a name would be undefined in Rust.
    numbers: &'static [&'static str],
    /// The macro of the calling convention, of functions that a program may look up in a library.
    convention: Option<&'static str>,
}

/// What the library of `conformance/c-api` exports.
pub const CONFORMANCE: Header = Header {
    source: "conformance/c-api/src/api.rs",
    prologue: include_str!("own/conformance.h"),
    guard: "DDI_CONFORMANCE_H",
    system_includes: &["stddef.h", "stdint.h"],
    includes: &[],
    numbers: &["ddi_conformance_tested", "ddi_conformance_set"],
    convention: None,
};

/// What `mock-umd` exports beside the entry point of a driver.
pub const MOCK_UMD: Header = Header {
    source: "mock-umd/src/exports.rs",
    prologue: include_str!("own/mock_umd.h"),
    guard: "D3D12_MOCK_UMD_H",
    system_includes: &[],
    includes: &["d3d12_umd_ddi.h"],
    numbers: &[],
    convention: Some("D3D12DDI_APIENTRY"),
};

/// The text of a header.
///
/// # Errors
/// The source cannot be read, or cbindgen refuses it.
pub fn generate(header: &Header) -> Result<String, Error> {
    let strings = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    let config = Config {
        language: Language::C,
        cpp_compat: true,
        header: Some(header.prologue.trim_end().into()),
        include_guard: Some(header.guard.into()),
        no_includes: true,
        sys_includes: strings(header.system_includes),
        includes: strings(header.includes),
        usize_is_size_t: true,
        documentation_style: DocumentationStyle::Cxx,
        documentation_length: DocumentationLength::Full,
        line_length: WIDTH,
        tab_width: 4,
        style: Style::Type,
        export: ExportConfig {
            include: strings(header.numbers),
            ..ExportConfig::default()
        },
        enumeration: EnumConfig {
            rename_variants: RenameRule::QualifiedScreamingSnakeCase,
            ..EnumConfig::default()
        },
        ..Config::default()
    };
    let source = workspace().join(header.source);
    let text = fs::read_to_string(&source).map_err(Error::file(&source))?;
    let folder = tempfile::tempdir().map_err(Error::file("temporary folder".as_ref()))?;
    let bare = folder.path().join("source.rs");
    // cbindgen has no other convention than C's: it is written into the header afterwards.
    let text = text.replace("extern \"system\"", "extern \"C\"");
    fs::write(&bare, text).map_err(Error::file(&bare))?;
    let bindings = Builder::new()
        .with_config(config)
        .with_src(bare)
        .generate()
        .map_err(|error| Error::Cbindgen(error.to_string()))?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    let text = String::from_utf8(text).map_err(|error| Error::Cbindgen(error.to_string()))?;
    let text = match header.convention {
        Some(convention) => with_convention(&text, convention),
        None => text,
    };
    Ok(c89(&text))
}

/// The header with the calling convention of each function, and the type of a pointer to it.
fn with_convention(text: &str, convention: &str) -> String {
    let mut header = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let is_function = line.contains('(') && !line.starts_with(['/', '#', ' ']);
        if !is_function {
            writeln!(header, "{line}").unwrap();
            continue;
        }
        let mut function = line.to_owned();
        while !function.ends_with(';') {
            function.push(' ');
            function += lines.next().unwrap_or(";").trim();
        }
        let (head, parameters) = function.split_once('(').unwrap_or((&function, ");"));
        let (result, name) = head.rsplit_once(' ').unwrap_or(("void", head));
        writeln!(header, "{result} {convention} {name}({parameters}").unwrap();
        writeln!(
            header,
            "typedef {result} ({convention} *PFN_{name})({parameters}"
        )
        .unwrap();
    }
    header
}

/// The header as C89 reads it, which has no `//` and no comma after the last enumerator, and without what only Rust needs.
fn c89(text: &str) -> String {
    let mut lines = text.lines().peekable();
    let mut header = String::new();
    while let Some(line) = lines.next() {
        let Some((indent, first)) = documentation(line) else {
            let line = match line.split_once(" // ") {
                Some((code, what)) => format!("{} /* {what} */", code.trim_end()),
                None => line.to_owned(),
            };
            writeln!(header, "{line}").unwrap();
            continue;
        };
        let mut said = vec![first];
        while let Some((_, next)) = lines.peek().copied().and_then(documentation) {
            said.push(next);
            lines.next();
        }
        let for_c = said.split(|line| *line == "# Safety").next();
        let for_c: Vec<_> = for_c
            .unwrap_or_default()
            .iter()
            .map(|line| line.trim())
            .collect();
        let paragraphs = for_c.join("\n");
        let margin = format!("\n{indent} * ");
        let comment = paragraphs
            .trim()
            .replace('\n', &margin)
            .replace(" * \n", " *\n");
        writeln!(header, "{indent}/* {comment} */").unwrap();
    }
    header.replace(",\n}", "\n}")
}

/// A line of documentation, after its indentation.
fn documentation(line: &str) -> Option<(&str, &str)> {
    let (indent, said) = line.split_once("///")?;
    indent.trim().is_empty().then_some((indent, said.trim()))
}
