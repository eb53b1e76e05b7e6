//! `headers/ddi_conformance.h`: what the library of `conformance/c-api` exports, for C89 and C++.

use std::fmt::Write;

use cbindgen::{
    Builder, Config, DocumentationLength, DocumentationStyle, EnumConfig, ExportConfig, Language,
    RenameRule, Style,
};

use super::WIDTH;
use crate::{Error, workspace};

const PROLOGUE: &str = include_str!("conformance/prologue.h");

/// What no declaration names, as C passes it as a number: a number without a name would be undefined in Rust.
const NUMBERS: [&str; 2] = ["ddi_conformance_tested", "ddi_conformance_set"];

/// The text of the header.
///
/// # Errors
/// cbindgen refuses the source.
pub fn generate() -> Result<String, Error> {
    let config = Config {
        language: Language::C,
        cpp_compat: true,
        header: Some(PROLOGUE.trim_end().into()),
        include_guard: Some("DDI_CONFORMANCE_H".into()),
        no_includes: true,
        sys_includes: vec!["stddef.h".into(), "stdint.h".into()],
        usize_is_size_t: true,
        documentation_style: DocumentationStyle::Cxx,
        documentation_length: DocumentationLength::Full,
        line_length: WIDTH,
        tab_width: 4,
        style: Style::Type,
        export: ExportConfig {
            include: NUMBERS.map(String::from).into(),
            ..ExportConfig::default()
        },
        enumeration: EnumConfig {
            rename_variants: RenameRule::QualifiedScreamingSnakeCase,
            ..EnumConfig::default()
        },
        ..Config::default()
    };
    let source = workspace().join("conformance/c-api/src/api.rs");
    let bindings = Builder::new()
        .with_config(config)
        .with_src(source)
        .generate()
        .map_err(|error| Error::Cbindgen(error.to_string()))?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    let text = String::from_utf8(text).map_err(|error| Error::Cbindgen(error.to_string()))?;
    Ok(c89(&text))
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
