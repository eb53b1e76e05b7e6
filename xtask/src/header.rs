//! `headers/d3d12_compiler_ddi.h`, `headers/d3d12_umd_ddi.h` and `headers/d3d12_compiler_api.h`; [`own`] has
//! those of this project's libraries, of which Microsoft has nothing.
//!
//! cbindgen writes the declarations of all of them. The facts say under which conditions Microsoft's own declarations are used
//! instead: in the headers of the DDI each condition is a part of the header, which a mark in its frame names; in that of the
//! API, [`api`], a condition goes around each group of declarations. Interfaces are in [`api`] alone: cbindgen has no abstract
//! classes, and C's tables of methods take the same parameters.

pub mod api;
mod cbindgen;
pub mod own;

use std::collections::BTreeMap;

use crate::Error;
use crate::facts::{Facts, Origin};
use crate::input::Input;
use crate::names::find;
use crate::source::Declarations;

/// Columns of a line of the header.
const WIDTH: usize = 100;

const BASE_TYPES: &str = include_str!("header/base_types.h");
const UTF16: &str = include_str!("header/utf16.h");
const UTF16_END: &str = include_str!("header/utf16_end.h");
const PROLOGUE: &str = include_str!("header/prologue.h");
const USERMODE: &str = include_str!("header/usermode.h");
const EPILOGUE: &str = include_str!("header/epilogue.h");

/// The text of the header of the plugin DDI.
///
/// # Errors
/// cbindgen refuses the source, or a name has no recorded origin.
pub fn generate(ddi: &Declarations, facts: &Facts) -> Result<String, Error> {
    let parts = parts(ddi, facts, |name| part(ddi, facts, name))?;
    Ok(filled(&format!("{PROLOGUE}{EPILOGUE}"), &parts))
}

/// The text of the header of the usermode DDI: what `ddi` declares beyond `plugin`, whose header it includes.
///
/// # Errors
/// cbindgen refuses the source.
pub fn generate_usermode(
    ddi: &Declarations,
    facts: &Facts,
    plugin: &Declarations,
    opaque: &[String],
) -> Result<String, Error> {
    let mut parts = parts(ddi, facts, |name| {
        let is_new = !plugin.has(name) && !is_base_type(ddi, name);
        Ok(is_new.then_some("@USERMODE@"))
    })?;
    let opaque = opaque
        .iter()
        .map(|name| format!("typedef struct {name} {name};\n"));
    parts.insert("@OPAQUE@", opaque.collect());
    Ok(filled(USERMODE, &parts))
}

/// A frame with the version and the parts in place of their marks.
fn filled(frame: &str, parts: &BTreeMap<&str, String>) -> String {
    let constant = [
        ("@VERSION@", env!("CARGO_PKG_VERSION")),
        ("@BASE_TYPES@", BASE_TYPES),
        ("@UTF16@", UTF16),
        ("@UTF16_END@", UTF16_END),
    ];
    let parts = parts.iter().map(|(mark, part)| (*mark, part.as_str()));
    let mut header = frame.to_owned();
    for (mark, part) in constant.into_iter().chain(parts) {
        header = header.replace(mark, part.trim_end());
    }
    header
}

/// The declarations by the mark that `mark_of` puts them at.
fn parts(
    ddi: &Declarations,
    facts: &Facts,
    mark_of: impl Fn(&str) -> Result<Option<&'static str>, Error>,
) -> Result<BTreeMap<&'static str, String>, Error> {
    let mut parts = BTreeMap::<&str, String>::new();
    for (name, text) in cbindgen::write(ddi, facts)? {
        let Some(mark) = mark_of(&name)? else {
            continue;
        };
        let text = match mark {
            "@RESULT_CODES@" => format!("#ifndef {name}\n{text}\n#endif\n"),
            _ => format!("{text}\n\n"),
        };
        *parts.entry(mark).or_default() += &text;
    }
    Ok(parts)
}

/// Whether `base_types.h` declares it.
fn is_base_type(ddi: &Declarations, name: &str) -> bool {
    find(&ddi.base_types, name).is_some() || matches!(name, "GUID" | "RECT" | "TRUE" | "FALSE")
}

/// Where in the header a name is declared: the mark in the prologue or epilogue.
fn part(ddi: &Declarations, facts: &Facts, name: &str) -> Result<Option<&'static str>, Error> {
    if is_base_type(ddi, name) {
        return Ok(None);
    }
    let origin = facts.origin(name);
    let origin = origin.ok_or_else(|| Input::Plugin.unrecorded(name))?;
    Ok(Some(match origin {
        Origin::Microsoft | Origin::MicrosoftRecent => match name {
            "DXGI_FORMAT" => "@DXGI_FORMAT@",
            "DXGI_SAMPLE_DESC" => "@DXGI_SAMPLE_DESC@",
            _ if name.contains("_SB_") => "@TOKENIZED_PROGRAM@",
            _ => "@RESULT_CODES@",
        },
        Origin::Sdk26100 => "@SDK@",
        Origin::Wdk28000 => "@WDK@",
        _ => "@PLUGIN@",
    }))
}

/// Documentation as C has it: of the DDI the first paragraph, without what only Rust needs.
fn comment(input: Input, docs: &[String], indent: &str) -> String {
    if input == Input::Api {
        let lines = docs
            .iter()
            .map(|line| format!("{indent}/// {}\n", plain(line)));
        return lines.collect();
    }
    let paragraph: Vec<&str> = docs
        .iter()
        .map(String::as_str)
        .take_while(|line| !line.is_empty())
        .collect();
    let mut text = plain(&paragraph.join(" "));
    for noise in [
        "x64 offset",
        "The anonymous union",
        "The tagless union",
        "One reading of",
    ] {
        text.truncate(text.find(noise).unwrap_or(text.len()));
    }
    if text.starts_with("Value ") {
        return String::new();
    }
    let mut lines = Vec::<String>::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if format!("    /// {line} {word}").len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    let lines = lines.iter().map(|line| format!("{indent}/// {line}\n"));
    lines.collect()
}

/// Text without the links of Rust.
fn plain(text: &str) -> String {
    // [`X`] and [`X`](path) are X.
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((name, after)) = link.split_once(']') else {
            break;
        };
        plain += before;
        plain += name;
        let path = after
            .strip_prefix('(')
            .and_then(|after| after.split_once(')'));
        rest = path.map_or(after, |(_, after)| after);
    }
    (plain + rest).replace('`', "")
}
