//! Probes: a table of numbers and a set of functions, written in C and in Rust, whose object files
//! tell what each compiler makes of the declarations. Nothing is run.

mod c;
mod object_file;
mod rust;

use std::collections::BTreeMap;

use tempfile::TempDir;

pub use c::ask_c;
pub use rust::Rust;

use crate::Error;
use crate::facts::{Bits, Facts, Origin};
use crate::names::find;
use crate::source::Declarations;

/// The table's symbol.
const TABLE: &str = "ddi_probe";
/// Prefix of the functions' symbols; the rest is the type's name.
const FUNCTION: &str = "ddi_call_";

/// One number of the table.
#[derive(Debug)]
pub struct Entry {
    /// The type or constant that the number belongs to.
    pub owner: String,
    /// The member or enumerator, or the owner itself.
    pub item: String,
    /// The meaning of the number.
    pub what: &'static str,
    /// The recorded number for 64-bit and 32-bit targets.
    pub recorded: Option<Bits>,
    /// The number as an expression of C.
    c: String,
    /// The number as an expression of Rust.
    pub rust: String,
    /// Whether the headers of mingw-w64 can answer.
    in_mingw: bool,
}

/// One compiler's numbers for the declarations.
#[derive(Debug, Default)]
pub struct Answer {
    /// The numbers, in the order of the entries; `None` if the compiler's headers have none.
    pub numbers: Vec<Option<u32>>,
    /// Symbols of the functions by type name: `_ddi_call_X@12` where the convention decorates.
    pub symbols: BTreeMap<String, String>,
    /// Signatures that the compiler refused: type name and message.
    pub refusals: Vec<(String, String)>,
}

/// Every number that the languages must agree on.
pub fn entries(declarations: &Declarations, facts: &Facts) -> Vec<Entry> {
    let mut entries = Entries(Vec::new());
    for base in &declarations.base_types {
        let fact = find(&facts.base_types, &base.name);
        entries.type_size(&base.name, fact.map(|fact| fact.size));
        let zero = match base.name.as_str() {
            "HRESULT" => "HRESULT(0).0".to_owned(),
            name => format!("0 as {name}"),
        };
        match fact.map(|fact| fact.class.as_str()) {
            Some("signed") => entries.type_sign(&base.name, &zero, 1),
            Some("unsigned") => entries.type_sign(&base.name, &zero, 0),
            _ => {}
        }
    }
    for record in declarations.named_records() {
        let name = &record.name;
        let fact = find(&facts.records, name);
        entries.type_size(name, fact.map(|fact| fact.size));
        let align = fact.map(|fact| fact.align);
        let (c, rust) = (format!("_Alignof({name})"), format!("align_of::<{name}>()"));
        entries.add(name, name, "alignment", align, c, rust);
        for member in declarations.members(record) {
            let field = fact.and_then(|fact| find(&fact.fields, &member.c));
            entries.member(
                name,
                &member.c,
                &member.rust,
                field.map(|field| field.offset),
            );
        }
    }
    for function in &declarations.functions {
        let fact = find(&facts.functions, &function.name);
        entries.type_size(&function.name, fact.map(|_| (8, 4)));
    }
    for item in &declarations.enums {
        let name = &item.name;
        let fact = find(&facts.enums, name);
        entries.type_size(name, fact.map(|_| (4, 4)));
        let (zero, number) = if item.is_newtype {
            (format!("{name}(0).0"), ".0")
        } else {
            (format!("0 as {name}"), "")
        };
        entries.type_sign(name, &zero, 1);
        for enumerator in &item.enumerators {
            let name = &enumerator.name;
            let fact = fact.and_then(|fact| find(&fact.enumerators, name));
            let value = fact.map(|fact| fact.value);
            entries.value(&item.name, name, &format!("{name}{number}"), value);
        }
    }
    for constant in &declarations.constants {
        let name = &constant.name;
        let fact = find(&facts.constants, name);
        let (c, rust) = (format!("sizeof({name})"), format!("size_of_val(&{name})"));
        entries.add(name, name, "size", fact.map(|_| (4, 4)), c, rust);
        let number = if constant.ty == "HRESULT" { ".0" } else { "" };
        entries.value(
            name,
            name,
            &format!("{name}{number}"),
            fact.map(|fact| fact.value),
        );
    }

    // DXGI_FORMAT is mingw-w64's own there: unsigned, as no enumerator is negative, and without
    // the newest formats.
    let enumerators = facts.enums.iter().flat_map(|item| &item.enumerators);
    let recent: Vec<&str> = enumerators
        .filter(|enumerator| enumerator.origin == Origin::MicrosoftRecent)
        .map(|enumerator| enumerator.name.as_str())
        .collect();
    for entry in &mut entries.0 {
        entry.in_mingw = !recent.contains(&entry.item.as_str())
            && (entry.item.as_str(), entry.what) != ("DXGI_FORMAT", "signedness");
    }
    entries.0
}

struct Entries(Vec<Entry>);

impl Entries {
    fn add(
        &mut self,
        owner: &str,
        item: &str,
        what: &'static str,
        recorded: Option<Bits>,
        c: String,
        rust: String,
    ) {
        self.0.push(Entry {
            owner: owner.into(),
            item: item.into(),
            what,
            recorded,
            c,
            rust,
            in_mingw: true,
        });
    }

    fn type_size(&mut self, name: &str, recorded: Option<Bits>) {
        let (c, rust) = (format!("sizeof({name})"), format!("size_of::<{name}>()"));
        self.add(name, name, "size", recorded, c, rust);
    }

    /// 1 when one less than `zero` is less than it.
    fn type_sign(&mut self, name: &str, zero: &str, recorded: u32) {
        let c = format!("(({name})-1 < ({name})1)");
        let rust = format!("{{ let zero = {zero}; zero.wrapping_sub(1) < zero }}");
        self.add(
            name,
            name,
            "signedness",
            Some((recorded, recorded)),
            c,
            rust,
        );
    }

    fn member(&mut self, record: &str, c: &str, rust: &str, offset: Option<Bits>) {
        let item = format!("{record}.{c}");
        let c_offset = format!("offsetof({record}, {c})");
        let rust_offset = format!("offset_of!({record}, {rust})");
        self.add(record, &item, "offset", offset, c_offset, rust_offset);
        let c_size = format!("sizeof((({record}*)0)->{c})");
        let rust_size = format!(
            "{{ let value = MaybeUninit::<{record}>::uninit(); \
             size_of_pointee(unsafe {{ &raw const (*value.as_ptr()).{rust} }}) }}"
        );
        self.add(record, &item, "size", None, c_size, rust_size);
    }

    fn value(&mut self, owner: &str, name: &str, rust: &str, recorded: Option<u32>) {
        let recorded = recorded.map(|value| (value, value));
        self.add(owner, name, "value", recorded, name.into(), rust.into());
    }
}

fn scratch() -> Result<TempDir, Error> {
    tempfile::tempdir().map_err(Error::file("temporary folder".as_ref()))
}

fn refused(program: &str, file: &str, output: String) -> Error {
    Error::Compile {
        program: program.into(),
        file: file.into(),
        output,
    }
}

/// The function of each error in `file`, whose functions begin at line `first`, one on each line.
fn refusals(
    program: &str,
    file: &str,
    first: usize,
    messages: &str,
    facts: &Facts,
) -> Result<Vec<(String, String)>, Error> {
    let mut refusals = BTreeMap::new();
    for message in messages.lines().filter(|message| message.contains("error")) {
        let place = message.split_once(&format!("{file}:"));
        let line = place.and_then(|(_, place)| place.split(':').next()?.parse::<usize>().ok());
        let function = line
            .and_then(|line| line.checked_sub(first))
            .and_then(|index| facts.functions.get(index));
        if let (Some(function), Some((_, text))) = (function, message.split_once("error")) {
            let text = format!("{program}: error{text}");
            refusals.entry(function.name.clone()).or_insert(text);
        }
    }
    if refusals.is_empty() {
        return Err(refused(program, file, messages.into()));
    }
    Ok(refusals.into_iter().collect())
}
