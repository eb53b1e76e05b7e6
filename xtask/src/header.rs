//! `headers/d3d12_compiler_ddi.h` and `headers/d3d12_umd_ddi.h`.
//!
//! cbindgen writes the declarations from a copy of the source in which every enumeration is a
//! `#[repr(i32)] enum`. What it cannot write is added afterwards: calling convention, unions
//! declared in place, flag operators, and the conditions under which Microsoft's own declarations
//! are used instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use quote::ToTokens;

use crate::ddi::{Constant, Ddi, Enum, Function, Record};
use crate::facts::{Facts, Origin};
use crate::{Error, ctype};

/// Columns of a line of the header.
const WIDTH: usize = 100;

const PROLOGUE: &str = include_str!("header/prologue.h");
const USERMODE: &str = include_str!("header/usermode.h");
const EPILOGUE: &str = include_str!("header/epilogue.h");

/// The text of the header.
///
/// # Errors
/// cbindgen refuses the source, or a name has no recorded origin.
pub fn generate(ddi: &Ddi, facts: &Facts) -> Result<String, Error> {
    let sections = sections(ddi, |name| section(ddi, facts, name).map(Some))?;
    let header = format!("{PROLOGUE}{EPILOGUE}");
    Ok(filled(&header, &sections))
}

/// The text of the header of the usermode DDI: what `ddi` declares beyond `plugin`, whose header it includes.
///
/// # Errors
/// cbindgen refuses the source.
pub fn generate_usermode(ddi: &Ddi, plugin: &Ddi, opaque: &[String]) -> Result<String, Error> {
    let mut sections = sections(ddi, |name| {
        let is_base = ddi.base_types.iter().any(|base| base.name == name);
        Ok(match name {
            _ if plugin.has(name) => None,
            "GUID" | "RECT" => Some("@USERMODE_BASE@"),
            _ if is_base => Some("@USERMODE_BASE@"),
            _ => Some("@USERMODE@"),
        })
    })?;
    let opaque = opaque
        .iter()
        .map(|name| format!("typedef struct {name} {name};\n"));
    sections.insert("@OPAQUE@", opaque.collect());
    Ok(filled(USERMODE, &sections))
}

fn filled(header: &str, sections: &BTreeMap<&str, String>) -> String {
    let mut header = header.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    for (mark, section) in sections {
        header = header.replace(mark, section.trim_end());
    }
    header
}

/// The declarations by the mark that `mark_of` puts them at, in the order of cbindgen.
fn sections(
    ddi: &Ddi,
    mark_of: impl Fn(&str) -> Result<Option<&'static str>, Error>,
) -> Result<BTreeMap<&'static str, String>, Error> {
    let text = cbindgen(ddi)?;
    let mut declarations: Vec<Declaration> =
        text.split("\n\n").filter_map(Declaration::new).collect();
    // cbindgen orders by dependency; the base types need none but their own order.
    declarations.sort_by_key(|declaration| {
        let mut base = ddi.base_types.iter();
        let position = base.position(|base| base.name == declaration.name);
        position.unwrap_or(usize::MAX)
    });

    let mut sections = BTreeMap::<&str, String>::new();
    let mut known = BTreeSet::new();
    for declaration in &declarations {
        let name = declaration.name;
        if ddi.owner_of(name).is_some() {
            continue;
        }
        let mut text = declaration.rewritten(ddi, &declarations);
        known.insert(name);
        for keyword in ["struct ", "union "] {
            text = without_keyword(&text, keyword, name, &known);
        }
        let Some(section) = mark_of(name)? else {
            continue;
        };
        let text = match section {
            "@BASE@" => format!("{text}\n"),
            "@USERMODE_BASE@" if !text.contains('{') => format!("{text}\n"),
            "@RESULT_CODES@" => format!("#ifndef {name}\n{text}\n#endif\n"),
            _ => format!("{text}\n\n"),
        };
        *sections.entry(section).or_default() += &text;
    }
    Ok(sections)
}

/// Where in the header a name is declared: the mark in the prologue or epilogue.
fn section(ddi: &Ddi, facts: &Facts, name: &str) -> Result<&'static str, Error> {
    if ddi.base_types.iter().any(|base| base.name == name) {
        return Ok("@BASE@");
    }
    let origin = facts.origin(name).ok_or_else(|| Error::Unsupported {
        module: "ddi-sys/facts".into(),
        what: format!("{name} is not recorded"),
    })?;
    Ok(match origin {
        Origin::Microsoft | Origin::MicrosoftRecent => match name {
            "DXGI_FORMAT" => "@DXGI_FORMAT@",
            "DXGI_SAMPLE_DESC" => "@DXGI_SAMPLE_DESC@",
            _ if name.contains("_SB_") => "@TOKENIZED_PROGRAM@",
            _ => "@RESULT_CODES@",
        },
        Origin::Sdk26100 => "@SDK@",
        Origin::Wdk28000 => "@WDK@",
        Origin::Specification | Origin::Internal | Origin::Document | Origin::Project => "@PLUGIN@",
    })
}

/// cbindgen's C for `ddi`.
fn cbindgen(ddi: &Ddi) -> Result<String, Error> {
    let folder = tempfile::tempdir().map_err(Error::file("temporary folder".as_ref()))?;
    let source = folder.path().join("ddi.rs");
    fs::write(&source, bare_source(ddi)).map_err(Error::file(&source))?;

    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        cpp_compat: true,
        no_includes: true,
        usize_is_size_t: true,
        documentation_style: cbindgen::DocumentationStyle::Cxx,
        line_length: WIDTH,
        tab_width: 4,
        ..Default::default()
    };
    // Without a function to export, cbindgen keeps only what it is told to.
    let records = ddi.records.iter().map(|record| &record.name);
    let enums = ddi.enums.iter().map(|item| &item.name);
    let aliases = ddi
        .base_types
        .iter()
        .chain(&ddi.aliases)
        .map(|alias| &alias.name);
    let functions = ddi.functions.iter().map(|function| &function.name);
    let names = records.chain(enums).chain(aliases).chain(functions);
    config.export.include = names.cloned().collect();

    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(&source)
        .generate()
        .map_err(|error| Error::Cbindgen(error.to_string()))?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).map_err(|error| Error::Cbindgen(error.to_string()))
}

/// The declarations as Rust that cbindgen understands, with short documentation.
fn bare_source(ddi: &Ddi) -> String {
    let mut source = String::new();
    for alias in ddi.base_types.iter().chain(&ddi.aliases) {
        document(&mut source, &alias.docs);
        writeln!(
            source,
            "pub type {} = {};",
            alias.name,
            alias.ty.to_token_stream()
        )
        .unwrap();
    }
    for item in &ddi.enums {
        document(&mut source, &item.docs);
        writeln!(source, "#[repr(i32)]\npub enum {} {{", item.name).unwrap();
        for enumerator in &item.enumerators {
            document(&mut source, &enumerator.docs);
            writeln!(source, "{} = {},", enumerator.name, enumerator.literal).unwrap();
        }
        source.push_str("}\n");
    }
    for record in &ddi.records {
        document(&mut source, &record.docs);
        let keyword = if record.is_union { "union" } else { "struct" };
        writeln!(source, "#[repr(C)]\npub {keyword} {} {{", record.name).unwrap();
        for field in &record.fields {
            document(&mut source, &field.docs);
            writeln!(
                source,
                "pub {}: {},",
                field.name,
                field.ty.to_token_stream()
            )
            .unwrap();
        }
        source.push_str("}\n");
    }
    for function in &ddi.functions {
        document(&mut source, &function.docs);
        writeln!(
            source,
            "pub type {} = {};",
            function.name,
            function.ty.to_token_stream()
        )
        .unwrap();
    }
    for constant in &ddi.constants {
        document(&mut source, &constant.docs);
        let (name, ty, value) = (&constant.name, &constant.ty, &constant.value);
        writeln!(source, "pub const {name}: {ty} = {value};").unwrap();
    }
    source
}

/// The first paragraph of `docs`, without what only Rust needs.
fn document(source: &mut String, docs: &[String]) {
    let paragraph: Vec<&str> = docs
        .iter()
        .map(String::as_str)
        .take_while(|line| !line.is_empty())
        .collect();
    let mut text = paragraph.join(" ").replace(['`', '[', ']'], "");
    for noise in [
        "x64 offset",
        "The anonymous union",
        "The tagless union",
        "One reading of",
    ] {
        text.truncate(text.find(noise).unwrap_or(text.len()));
    }
    if text.starts_with("Value ") {
        return;
    }
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() + word.len() > WIDTH - "    /// ".len() {
            writeln!(source, "/// {}", line.trim_end()).unwrap();
            line.clear();
        }
        line += word;
        line += " ";
    }
    if !line.is_empty() {
        writeln!(source, "/// {}", line.trim_end()).unwrap();
    }
}

/// One declaration as cbindgen writes it.
struct Declaration<'a> {
    name: &'a str,
    comments: Vec<&'a str>,
    code: Vec<&'a str>,
}

impl<'a> Declaration<'a> {
    fn new(text: &'a str) -> Option<Self> {
        let lines = text.lines().filter(|line| !line.is_empty());
        let (comments, code): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with("//"));
        let (first, last) = (code.first()?, code.last()?);
        let name = if let Some(rest) = first
            .strip_prefix("#define ")
            .or(first.strip_prefix("enum "))
        {
            rest.split(' ').next()?
        } else if let Some((_, rest)) = first.split_once("(*") {
            rest.split(')').next()?
        } else {
            last.strip_suffix(';')?.rsplit([' ', '*']).next()?
        };
        Some(Self {
            name,
            comments,
            code,
        })
    }

    /// The declaration as the header has it.
    fn rewritten(&self, ddi: &Ddi, declarations: &[Self]) -> String {
        let mut lines: Vec<String> = self.comments.iter().map(ToString::to_string).collect();
        let name = self.name;
        if let Some(item) = ddi.enums.iter().find(|item| item.name == name) {
            self.enumeration(item, &mut lines);
        } else if let Some(record) = ddi.records.iter().find(|item| item.name == name) {
            self.record(record, ddi, declarations, &mut lines);
        } else if let Some(function) = ddi.functions.iter().find(|item| item.name == name) {
            self.function(function, &mut lines);
        } else if let Some(constant) = ddi.constants.iter().find(|item| item.name == name) {
            lines.push(format!("#define {name} {}", c_value(constant)));
        } else if name == "WCHAR" {
            // u"..." is an array of char16_t: the same as uint16_t in C, a type of its own in C++.
            lines.push("#ifdef __cplusplus\ntypedef char16_t WCHAR;\n#else".into());
            lines.extend(self.code.iter().map(ToString::to_string));
            lines.push("#endif".into());
        } else {
            lines.extend(self.code.iter().map(ToString::to_string));
        }
        lines.join("\n")
    }

    /// cbindgen's enumerators between a head of ours, with numbers as the source spells them.
    fn enumeration(&self, item: &Enum, lines: &mut Vec<String>) {
        lines.push(format!("D3D12DDI_ENUM({})\n{{", item.name));
        let body = self.code.iter().skip_while(|line| **line != " {").skip(1);
        for line in body.take_while(|line| **line != "};") {
            let name = line.split_once(" = ").map(|(name, _)| name.trim());
            let mut enumerators = item.enumerators.iter();
            match enumerators.find(|enumerator| Some(enumerator.name.as_str()) == name) {
                Some(own) => lines.push(format!("    {} = {},", own.name, own.literal)),
                None => lines.push((*line).into()),
            }
        }
        lines.push("};".into());
        if item.is_flags {
            lines.push(format!("DEFINE_ENUM_FLAG_OPERATORS({})", item.name));
        }
    }

    /// cbindgen's members, with unions in place of those that only this record has.
    fn record(&self, record: &Record, ddi: &Ddi, declarations: &[Self], lines: &mut Vec<String>) {
        for line in &self.code {
            let field = record.fields.iter().find(|field| {
                line.ends_with(&format!(" {};", field.name))
                    && ctype::to_c(&field.ty).is_some_and(|union| ddi.owner_of(&union).is_some())
            });
            if let Some(field) = field {
                let union = ctype::to_c(&field.ty);
                let union = declarations
                    .iter()
                    .find(|other| Some(other.name) == union.as_deref());
                let arms = union.into_iter().flat_map(|union| &union.code);
                let arms = arms.filter(|arm| arm.starts_with("    "));
                lines.push("    union {".into());
                lines.extend(arms.map(|arm| format!("    {arm}")));
                lines.push(if field.is_anonymous() {
                    "    };".into()
                } else {
                    format!("    }} {};", field.name)
                });
            } else if let Some(head) = line.strip_suffix(" {") {
                lines.push(format!("{head}\n{{"));
            } else {
                lines.push((*line).into());
            }
        }
    }

    /// cbindgen's function pointer with a calling convention, a parameter on each line when long.
    fn function(&self, function: &Function, lines: &mut Vec<String>) {
        let pointer = match function.abi.as_str() {
            "system" => "(D3D12DDI_APIENTRY *",
            _ => "(*",
        };
        let words: Vec<&str> = self.code.iter().map(|line| line.trim()).collect();
        let line = words.join(" ").replacen("(*", pointer, 1);
        match line.split_once(")(") {
            Some((head, parameters)) if line.len() > WIDTH => {
                lines.push(format!("{head})("));
                lines.push(format!("    {}", parameters.replace(", ", ",\n    ")));
            }
            _ => lines.push(line),
        }
    }
}

fn c_value(constant: &Constant) -> String {
    let value = &constant.value;
    match constant.ty.as_str() {
        "HRESULT" => format!("((HRESULT){value})"),
        "UINT" if value.contains('|') => {
            format!("\\\n    ({})", value.replace(" | ", " | \\\n     "))
        }
        "UINT" => format!("{value}u"),
        _ => value.clone(),
    }
}

/// `text` without `keyword` before every name that is declared by now, but for its own.
fn without_keyword(text: &str, keyword: &str, own: &str, known: &BTreeSet<&str>) -> String {
    let mut parts = text.split(keyword);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
        let tag = &part[..end.unwrap_or(part.len())];
        if tag == own || !known.contains(tag) {
            result += keyword;
        }
        result += part;
    }
    result
}
