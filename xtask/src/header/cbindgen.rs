//! The declarations as cbindgen writes them, with what it cannot write: enumerations of a fixed width, calling
//! conventions, unions declared in place, flag operators.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use super::{WIDTH, comment};
use crate::Error;
use crate::ctype::to_rust;
use crate::facts::Facts;
use crate::input::Input;
use crate::names::find;
use crate::source::{Constant, Declarations, Enum, Function, Record};

/// Every declaration that C has by name: the name and its text, in an order in which each has before it what it needs.
///
/// # Errors
///
/// cbindgen refuses the source.
pub fn write(declarations: &Declarations, facts: &Facts) -> Result<Vec<(String, String)>, Error> {
    let text = cbindgen(declarations, facts)?;
    let mut written: Vec<Written<'_>> = text.split("\n\n").filter_map(Written::new).collect();
    // The base types need none but their own order.
    written.sort_by_key(|item| {
        let mut base = declarations.base_types.iter();
        let position = base.position(|base| base.name == item.name);
        position.unwrap_or(usize::MAX)
    });
    let writer = Writer {
        declarations,
        facts,
        written: &written,
    };
    let mut known = BTreeSet::new();
    let named = written.iter().filter(|item| !writer.is_in_place(item.name));
    let texts = named.map(|item| {
        let mut text = writer.rewritten(item);
        known.insert(item.name);
        for keyword in ["struct ", "union "] {
            text = without_keyword(&text, keyword, item.name, &known);
        }
        (item.name.to_owned(), text)
    });
    Ok(texts.collect())
}

/// cbindgen's C.
fn cbindgen(declarations: &Declarations, facts: &Facts) -> Result<String, Error> {
    let folder = tempfile::tempdir().map_err(Error::file("temporary folder".as_ref()))?;
    let file = folder.path().join("declarations.rs");
    let source = BareSource::new(declarations, facts);
    fs::write(&file, source.text).map_err(Error::file(&file))?;

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
    config.export.include = source.names;

    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(&file)
        .generate()
        .map_err(|error| Error::Cbindgen(error.to_string()))?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).map_err(|error| Error::Cbindgen(error.to_string()))
}

/// The declarations as Rust that cbindgen understands, in which every enumeration is a `#[repr(i32)] enum`, with the
/// documentation of the header.
struct BareSource {
    input: Input,
    text: String,
    names: Vec<String>,
}

impl BareSource {
    fn new(declarations: &Declarations, facts: &Facts) -> Self {
        let mut source = Self {
            input: declarations.input,
            text: String::new(),
            names: Vec::new(),
        };
        for record in &declarations.records {
            let keyword = if record.is_union { "union" } else { "struct" };
            source.text += "#[repr(C)]\n";
            source.item(&record.name, &record.docs, keyword, "{");
            for field in &record.fields {
                source.document(&field.docs);
                writeln!(source.text, "pub {}: {},", field.name, to_rust(&field.ty)).unwrap();
            }
            source.text += "}\n";
        }
        for item in &declarations.enums {
            source.text += "#[repr(i32)]\n";
            source.item(&item.name, &item.docs, "enum", "{");
            let mut enumerators: Vec<_> = item.enumerators.iter().collect();
            let recorded = find(&facts.enums, &item.name).map(|fact| &fact.enumerators);
            enumerators.sort_by_key(|own| {
                recorded.and_then(|facts| facts.iter().position(|fact| fact.name == own.name))
            });
            for own in enumerators {
                source.document(&own.docs);
                writeln!(source.text, "{} = {},", own.name, own.literal).unwrap();
            }
            source.text += "}\n";
        }
        for base in &declarations.base_types {
            source.item(&base.name, &base.docs, "type", &format!("= {};", base.ty));
        }
        for alias in &declarations.aliases {
            let ty = format!("= {};", to_rust(&alias.ty));
            source.item(&alias.name, &alias.docs, "type", &ty);
        }
        for function in &declarations.functions {
            let Function { abi, signature, .. } = function;
            let parameters = signature.parameters.iter();
            let parameters = parameters.map(|(name, ty)| format!("{name}: {}", to_rust(ty)));
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            let result = match signature.result.as_str() {
                "void" => String::new(),
                result => format!(" -> {}", to_rust(result)),
            };
            let ty = format!("= Option<unsafe extern \"{abi}\" fn({parameters}){result}>;");
            source.item(&function.name, &function.docs, "type", &ty);
        }
        // Those of the API are expressions of Rust: their numbers are in the facts.
        let is_api = declarations.input == Input::Api;
        for constant in declarations.constants.iter().filter(|_| !is_api) {
            let value = format!(": {} = {};", constant.ty, constant.value);
            source.item(&constant.name, &constant.docs, "const", &value);
        }
        source
    }

    fn item(&mut self, name: &str, docs: &[String], keyword: &str, rest: &str) {
        self.document(docs);
        writeln!(self.text, "pub {keyword} {name} {rest}").unwrap();
        self.names.push(name.into());
    }

    fn document(&mut self, docs: &[String]) {
        self.text += &comment(self.input, docs, "");
    }
}

/// One declaration as cbindgen writes it.
struct Written<'a> {
    name: &'a str,
    comments: Vec<&'a str>,
    code: Vec<&'a str>,
}

impl<'a> Written<'a> {
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
}

/// Makes the header's declarations of cbindgen's.
struct Writer<'a> {
    declarations: &'a Declarations,
    facts: &'a Facts,
    written: &'a [Written<'a>],
}

impl Writer<'_> {
    /// Whether C declares a record inside the only one that has a member of it.
    fn is_in_place(&self, name: &str) -> bool {
        let is_inner = find(&self.facts.records, name).is_some_and(|record| record.is_inner);
        is_inner || self.declarations.owner_of(name).is_some()
    }

    fn rewritten(&self, item: &Written<'_>) -> String {
        let mut lines: Vec<String> = item.comments.iter().map(ToString::to_string).collect();
        let (name, source) = (item.name, self.declarations);
        if let Some(own) = find(&source.enums, name) {
            self.enumeration(item, own, &mut lines);
        } else if let Some(record) = find(&source.records, name) {
            self.record(item, record, &mut lines);
        } else if let Some(function) = find(&source.functions, name) {
            self.function(item, function, &mut lines);
        } else if let Some(constant) = find(&source.constants, name) {
            lines.push(format!("#define {name} {}", c_value(constant)));
        } else {
            lines.extend(item.code.iter().map(ToString::to_string));
        }
        lines.join("\n")
    }

    /// cbindgen's enumerators between a head of ours, with numbers as the source spells them.
    fn enumeration(&self, item: &Written<'_>, own: &Enum, lines: &mut Vec<String>) {
        let prefix = self.declarations.input.macros();
        lines.push(format!("{prefix}_ENUM({})\n{{", own.name));
        let body = item.code.iter().skip_while(|line| **line != " {").skip(1);
        for line in body.take_while(|line| **line != "};") {
            let name = line.split_once(" = ").map_or("", |(name, _)| name.trim());
            match find(&own.enumerators, name) {
                Some(own) => lines.push(format!("    {name} = {},", own.literal)),
                None => lines.push((*line).into()),
            }
        }
        lines.push("};".into());
        if own.is_flags {
            lines.push(format!("DEFINE_ENUM_FLAG_OPERATORS({})", own.name));
        }
    }

    /// cbindgen's members, with records in place of those that only this one has.
    fn record(&self, item: &Written<'_>, record: &Record, lines: &mut Vec<String>) {
        for line in &item.code {
            let mut fields = record.fields.iter();
            let field = fields.find(|field| {
                line.ends_with(&format!(" {};", field.name)) && self.is_in_place(&field.ty)
            });
            if let Some(field) = field {
                lines.push(match find(&self.declarations.records, &field.ty) {
                    Some(inner) if !inner.is_union => format!("    struct {}\n    {{", inner.name),
                    _ => "    union\n    {".into(),
                });
                let mut written = self.written.iter();
                let inner = written.find(|other| other.name == field.ty);
                let arms = inner.into_iter().flat_map(|inner| &inner.code);
                let arms = arms.filter(|arm| arm.starts_with("    "));
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
    fn function(&self, item: &Written<'_>, function: &Function, lines: &mut Vec<String>) {
        let pointer = match function.abi.as_str() {
            "system" => format!("({} *", self.declarations.input.convention()),
            _ => "(*".into(),
        };
        let words: Vec<&str> = item.code.iter().map(|line| line.trim()).collect();
        let line = words.join(" ").replacen("(*", &pointer, 1);
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
