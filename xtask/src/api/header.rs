//! `headers/d3d12_compiler_api.h`.
//!
//! The declarations are those of `api-sys`. The facts say under which conditions Microsoft's own
//! declarations are used instead.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::facts::{Facts, Origin, Since};
use super::{Api, Docs, Function, Interface, Record};
use crate::Error;

/// Columns of a line of the header.
const WIDTH: usize = 100;

const PROLOGUE: &str = include_str!("header/prologue.h");
const EPILOGUE: &str = include_str!("header/epilogue.h");

/// What the DLLs export, and its type.
const EXPORTS: [(&str, &str); 5] = [
    (
        "D3D12CompilerCreateFactory",
        "PFN_D3D12_COMPILER_CREATE_FACTORY",
    ),
    (NO_HEADERS, "PFN_D3D12_COMPILER_CREATE_FACTORY"),
    (
        "D3D12CompilerSerializeVersionedRootSignature",
        "PFN_D3D12_COMPILER_SERIALIZE_VERSIONED_ROOT_SIGNATURE",
    ),
    (
        "D3D12CompilerGetInterface",
        "PFN_D3D12_COMPILER_GET_INTERFACE",
    ),
    ("D3D12GetInterface", "PFN_D3D12_GET_INTERFACE"),
];

/// The specification's name of `D3D12CompilerCreateFactory`, which no header of Microsoft's declares.
const NO_HEADERS: &str = "D3D12CreateCompilerFactory";

/// One declaration.
struct Item {
    name: String,
    condition: String,
    text: String,
}

/// The text of the header.
///
/// # Errors
/// Something is recorded and not declared.
pub fn generate(api: &Api, facts: &Facts) -> Result<String, Error> {
    let header = Header { api, facts };
    let mut text = format!("{PROLOGUE}@BODY@{EPILOGUE}");
    for (mark, part) in [
        ("@VERSION@", env!("CARGO_PKG_VERSION").to_owned()),
        ("@RESULT_CODES@", header.result_codes()),
        ("@FORWARD@", header.forward()),
        ("@BODY@", header.body()?),
        ("@IIDS@", header.iids()),
    ] {
        text = text.replace(mark, &part);
    }
    Ok(text)
}

/// What a preprocessor without the header of an item says.
pub fn condition(origin: &Origin) -> String {
    let header = &origin.header;
    match (header.as_str(), origin.since) {
        ("d3d12", Since::Retail(version)) => {
            let mingw = origin
                .mingw
                .map(|release| format!(" && D3D12_COMPILER_API_MINGW < {release}"));
            format!(
                "D3D12_COMPILER_API_SDK < {version}{}",
                mingw.unwrap_or_default()
            )
        }
        ("d3d12", Since::Preview(version)) => format!("D3D12_COMPILER_API_PREVIEW < {version}"),
        ("dxgiformat" | "dxgicommon", _) => format!(
            "!defined(_WIN32) && !defined(__{header}_h__) && !defined(D3D12_COMPILER_DDI_H)"
        ),
        (_, Since::Retail(_)) => format!("!defined(__{header}_h__)"),
        (_, Since::Preview(version)) => {
            format!("!defined(__{header}_h__) || D3D12_COMPILER_API_PREVIEW < {version}")
        }
    }
}

struct Header<'a> {
    api: &'a Api,
    facts: &'a Facts,
}

impl Header<'_> {
    fn body(&self) -> Result<String, Error> {
        let mut enums = Vec::new();
        for fact in &self.facts.enums {
            enums.push(Item {
                name: fact.name.clone(),
                condition: condition(&fact.origin),
                text: self.enumeration(fact)?,
            });
        }
        let types = self.types()?;
        let mut interfaces = Vec::new();
        for fact in &self.facts.interfaces {
            let name = &fact.name;
            let interface = self
                .api
                .interfaces
                .get(name)
                .ok_or_else(|| undeclared(name))?;
            interfaces.push(Item {
                name: name.clone(),
                condition: condition(&fact.origin),
                text: self.interface(name, interface),
            });
        }
        let guids = self.facts.guids.iter().map(|fact| {
            let declared = self.api.guids.get(&fact.name);
            let (docs, guid) = declared.ok_or_else(|| undeclared(&fact.name))?;
            Ok(Item {
                name: fact.name.clone(),
                condition: condition(&fact.origin),
                text: format!(
                    "{}D3D12_COMPILER_API_GUID CLSID {} =\n    {};\n",
                    comment(docs, ""),
                    fact.name,
                    guid_initializer(*guid)
                ),
            })
        });
        let guids = guids.collect::<Result<Vec<_>, Error>>()?;

        let mut text = grouped(&self.ordered(enums));
        text += &self.later_enumerators();
        text += &self.constants();
        text += &grouped(&self.ordered(types));
        text += &grouped(&self.ordered(interfaces));
        text += &grouped(&self.ordered(guids));
        text += &grouped(&self.exports());
        Ok(text)
    }

    fn result_codes(&self) -> String {
        let codes = self
            .facts
            .constants
            .iter()
            .filter(|item| item.ty == "HRESULT");
        let codes = codes.map(|item| {
            let value = match item.value {
                small @ 0..2 => small.to_string(),
                code => format!("{code:#010X}").replace("0X", "0x"),
            };
            format!(
                "#ifndef {0}\n#define {0} ((HRESULT){value})\n#endif",
                item.name
            )
        });
        codes.collect::<Vec<_>>().join("\n")
    }

    fn constants(&self) -> String {
        let mut text = String::new();
        for item in self
            .facts
            .constants
            .iter()
            .filter(|item| item.ty != "HRESULT")
        {
            let suffix = if item.ty == "UINT" { "u" } else { "" };
            let (name, value) = (&item.name, item.value);
            writeln!(
                text,
                "#ifndef {name}\n#define {name} {value:#x}{suffix}\n#endif"
            )
            .unwrap();
        }
        text + "\n"
    }

    fn forward(&self) -> String {
        let interfaces = self.facts.interfaces.iter();
        let names = interfaces.map(|item| format!("typedef struct {0} {0};", item.name));
        names.collect::<Vec<_>>().join("\n")
    }

    fn enumeration(&self, fact: &super::facts::Enum) -> Result<String, Error> {
        let name = &fact.name;
        let item = self.api.enums.get(name).ok_or_else(|| undeclared(name))?;
        let mut text = comment(&item.docs, "");
        writeln!(text, "D3D12_COMPILER_API_ENUM({name})\n{{").unwrap();
        for enumerator in &fact.enumerators {
            let (docs, value) = self.enumerator(&enumerator.name)?;
            text += &comment(docs, "    ");
            writeln!(text, "    {} = {value},", enumerator.name).unwrap();
        }
        text += "};\n";
        if item.is_flags {
            writeln!(text, "DEFINE_ENUM_FLAG_OPERATORS({name})").unwrap();
        }
        Ok(text)
    }

    fn enumerator(&self, name: &str) -> Result<(&Docs, i32), Error> {
        let constant = self.api.constants.get(name);
        let (docs, _, value) = constant.ok_or_else(|| undeclared(name))?;
        let number = value.replace([' ', '_'], "");
        // 32 bits, whatever sign Rust's type gives them.
        let number = match number.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).map(u32::cast_signed),
            None => number
                .parse()
                .or_else(|_| number.parse().map(u32::cast_signed)),
        };
        let number = number.map_err(|error| Error::Unsupported {
            module: "api-sys/facts".into(),
            what: format!("{name} = {value}: {error}"),
        })?;
        Ok((docs, number))
    }

    /// Enumerators that an older header's enumeration does not have.
    fn later_enumerators(&self) -> String {
        let mut items = Vec::new();
        for item in &self.facts.enums {
            let own = condition(&item.origin);
            for enumerator in &item.enumerators {
                let origin = Origin {
                    header: item.origin.header.clone(),
                    ..enumerator.origin.clone()
                };
                let missing = condition(&origin);
                // The last number of an older header stays its own.
                if item.origin.header != "d3d12"
                    || missing == own
                    || enumerator.name.ends_with("_MAX_VALID")
                {
                    continue;
                }
                let (_, value) = self.enumerator(&enumerator.name).expect("declared above");
                items.push(Item {
                    name: enumerator.name.clone(),
                    condition: format!("!({own}) && {missing}"),
                    text: format!("#define {} (({}){value})\n", enumerator.name, item.name),
                });
            }
        }
        grouped(&self.ordered(items))
    }

    fn types(&self) -> Result<Vec<Item>, Error> {
        let mut items = Vec::new();
        for fact in self.facts.records.iter().filter(|fact| !fact.is_inner) {
            let name = &fact.name;
            let record = self.api.records.get(name).ok_or_else(|| undeclared(name))?;
            let keyword = if record.is_union { "union" } else { "struct" };
            let mut text = comment(&record.docs, "");
            writeln!(text, "typedef {keyword} {name}\n{{").unwrap();
            for (member, docs, ty) in &record.fields {
                let union = self.api.records.get(ty);
                if let Some(union) = union.filter(|_| member == "Anonymous") {
                    text += "    union\n    {\n";
                    for (arm, docs, ty) in &union.fields {
                        text += &comment(docs, "        ");
                        writeln!(text, "        {};", declared(ty, arm)).unwrap();
                    }
                    text += "    };\n";
                } else if let Some(inner) = self.inner(ty) {
                    writeln!(text, "    struct {ty}\n    {{").unwrap();
                    for (part, docs, ty) in &inner.fields {
                        text += &comment(docs, "        ");
                        writeln!(text, "        {};", declared(ty, part)).unwrap();
                    }
                    writeln!(text, "    }} {member};").unwrap();
                } else {
                    text += &comment(docs, "    ");
                    writeln!(text, "    {};", declared(ty, member)).unwrap();
                }
            }
            writeln!(text, "}} {name};").unwrap();
            items.push(Item {
                name: name.clone(),
                condition: condition(&fact.origin),
                text,
            });
        }
        for fact in &self.facts.functions {
            let name = &fact.name;
            let function = self
                .api
                .functions
                .get(name)
                .ok_or_else(|| undeclared(name))?;
            let pointer = format!("(D3D12_COMPILER_APIENTRY *{name})");
            let head = format!("typedef {}", declared(&function.result, &pointer));
            items.push(Item {
                name: name.clone(),
                condition: condition(&fact.origin),
                text: comment(&function.docs, "") + &call(&head, None, function, ";\n", ""),
            });
        }
        Ok(items)
    }

    /// The record that is declared where a member has it as its type.
    fn inner(&self, ty: &str) -> Option<&Record> {
        let mut facts = self.facts.records.iter();
        facts.find(|fact| fact.is_inner && fact.name == ty)?;
        self.api.records.get(ty)
    }

    fn interface(&self, name: &str, interface: &Interface) -> String {
        let mut text = comment(&interface.docs, "");
        text += "#if defined(__cplusplus) && !defined(CINTERFACE)\n";
        match &interface.base {
            Some(base) => writeln!(text, "struct {name} : public {base}\n{{").unwrap(),
            None => writeln!(text, "struct {name}\n{{").unwrap(),
        }
        for (method, signature) in &interface.methods {
            text += &comment(&signature.docs, "    ");
            text += &self.by_value(
                signature,
                "defined(_WIN32) && !defined(_MSC_VER)",
                |signature| {
                    let own = format!("D3D12_COMPILER_APIENTRY {method}");
                    let head = format!("    virtual {}", declared(&signature.result, &own));
                    call(&head, None, signature, " = 0;\n", "    ")
                },
            );
        }
        text += "};\n#else\n";

        let mut lineage = vec![interface];
        while let Some(base) = lineage.last().and_then(|last| last.base.as_ref()) {
            match self.api.interfaces.get(base) {
                Some(base) => lineage.push(base),
                None => break,
            }
        }
        let mut methods: Vec<(&str, Function)> = Vec::new();
        if lineage.last().is_some_and(|root| root.base.is_some()) {
            methods.extend(unknown_methods());
        }
        for interface in lineage.iter().rev() {
            let own = interface.methods.iter();
            methods.extend(own.map(|(name, function)| (name.as_str(), function.clone())));
        }
        writeln!(text, "typedef struct {name}Vtbl\n{{").unwrap();
        for (method, signature) in &methods {
            text += &self.by_value(signature, "defined(_WIN32)", |signature| {
                let pointer = format!("(D3D12_COMPILER_APIENTRY *{method})");
                let head = format!("    {}", declared(&signature.result, &pointer));
                call(&head, Some(name), signature, ";\n", "    ")
            });
        }
        writeln!(text, "}} {name}Vtbl;").unwrap();
        writeln!(
            text,
            "struct {name}\n{{\n    const {name}Vtbl *lpVtbl;\n}};"
        )
        .unwrap();
        for (method, signature) in &methods {
            text += &self.by_value(signature, "defined(_WIN32)", |signature| {
                let names = signature
                    .parameters
                    .iter()
                    .map(|(name, _)| format!(", {name}"));
                let names: String = names.collect();
                let head = format!("#define {name}_{method}(This{names})");
                let body = format!("((This)->lpVtbl->{method}(This{names}))");
                if head.len() + 1 + body.len() > WIDTH {
                    format!("{head} \\\n    {body}\n")
                } else {
                    format!("{head} {body}\n")
                }
            });
        }
        text += "#endif\n";
        writeln!(
            text,
            "D3D12_COMPILER_API_GUID IID IID_{name} =\n    {};",
            guid_initializer(interface.iid)
        )
        .unwrap();
        text
    }

    /// `text` of a signature. One that returns a structure by value is that only where `condition`
    /// does not hold; where it does, the caller gives the place for the result.
    fn by_value(
        &self,
        signature: &Function,
        condition: &str,
        text: impl Fn(&Function) -> String,
    ) -> String {
        if !self.api.records.contains_key(&signature.result) {
            return text(signature);
        }
        let mut place = signature.clone();
        place.result += "*";
        place
            .parameters
            .push(("RetVal".into(), place.result.clone()));
        format!(
            "#if {condition}\n{}#else\n{}#endif\n",
            text(&place),
            text(signature)
        )
    }

    fn exports(&self) -> Vec<Item> {
        let exports = EXPORTS.iter().filter_map(|(name, ty)| {
            let function = self.api.functions.get(*ty)?;
            let fact = self.facts.functions.iter().find(|fact| fact.name == *ty)?;
            let head = declared(&function.result, &format!("D3D12_COMPILER_APIENTRY {name}"));
            Some(Item {
                name: (*name).into(),
                condition: match *name {
                    NO_HEADERS => String::new(),
                    _ => condition(&fact.origin),
                },
                text: comment(&function.docs, "") + &call(&head, None, function, ";\n", ""),
            })
        });
        exports.collect()
    }

    fn iids(&self) -> String {
        let interfaces = self.facts.interfaces.iter();
        let iids = interfaces.map(|fact| {
            let name = &fact.name;
            format!(
                "template <> struct D3D12CompilerIid<{name}>\n{{\n    static constexpr IID value =\n        {};\n}};",
                guid_initializer(self.api.interfaces[name].iid)
            )
        });
        iids.collect::<Vec<_>>().join("\n")
    }

    /// The items in an order in which each has before it what it names; of those that could be next,
    /// one with the condition of the last.
    fn ordered(&self, mut items: Vec<Item>) -> Vec<Item> {
        let mut ordered: Vec<Item> = Vec::new();
        while !items.is_empty() {
            let waiting: BTreeSet<&str> = items.iter().map(|item| item.name.as_str()).collect();
            let is_ready = |item: &Item| {
                let code = item
                    .text
                    .lines()
                    .filter(|line| !line.trim().starts_with("//"));
                let words = code.flat_map(|line| line.split(is_no_part_of_a_name));
                let is_named = |word: &str| word != item.name && waiting.contains(word);
                !self.needs(item, words).any(is_named)
            };
            let ready: Vec<usize> = (0..items.len()).filter(|&i| is_ready(&items[i])).collect();
            let last = ordered.last().map(|item| &item.condition);
            let next = ready.iter().find(|&&i| Some(&items[i].condition) == last);
            let next = *next.or(ready.first()).expect("no declaration needs itself");
            ordered.push(items.remove(next));
        }
        ordered
    }

    /// The words of a declaration that must be declared before it: not the interfaces that it only
    /// points to.
    fn needs<'w>(
        &self,
        item: &Item,
        words: impl Iterator<Item = &'w str>,
    ) -> impl Iterator<Item = &'w str> {
        let interface = self.api.interfaces.get(&item.name);
        let base = interface.map(|interface| interface.base.clone());
        words.filter(move |word| match &base {
            Some(base) => base.as_deref() == Some(word),
            None => true,
        })
    }
}

fn is_no_part_of_a_name(c: char) -> bool {
    !c.is_alphanumeric() && c != '_'
}

fn undeclared(name: &str) -> Error {
    Error::Unsupported {
        module: "api-sys/facts".into(),
        what: format!("{name} is recorded and not declared"),
    }
}

/// The methods that every interface begins with, as C has them.
fn unknown_methods() -> [(&'static str, Function); 3] {
    let function = |result: &str, parameters: &[(&str, &str)]| Function {
        docs: Vec::new(),
        parameters: parameters
            .iter()
            .map(|&(name, ty)| (name.into(), ty.into()))
            .collect(),
        result: result.into(),
    };
    [
        (
            "QueryInterface",
            function("HRESULT", &[("riid", "REFIID"), ("ppvObject", "void**")]),
        ),
        ("AddRef", function("ULONG", &[])),
        ("Release", function("ULONG", &[])),
    ]
}

/// Items of one condition together.
fn grouped(items: &[Item]) -> String {
    let mut text = String::new();
    for group in items.chunk_by(|a, b| a.condition == b.condition) {
        let condition = &group[0].condition;
        if !condition.is_empty() {
            writeln!(text, "#if {condition}\n").unwrap();
        }
        for item in group {
            text += &item.text;
            // Macros are a block.
            if !item.text.starts_with("#define") {
                text.push('\n');
            }
        }
        if !text.ends_with("\n\n") {
            text.push('\n');
        }
        if !condition.is_empty() {
            text += "#endif\n\n";
        }
    }
    text
}

/// `ty name` as C writes it.
fn declared(ty: &str, name: &str) -> String {
    if let Some((element, len)) = ty.strip_suffix(']').and_then(|ty| ty.split_once('[')) {
        return format!("{element} {name}[{len}]");
    }
    let word = ty.trim_end_matches("*const*").trim_end_matches('*');
    let pointers = ty[word.len()..].replace("*const*", "*const *");
    format!("{word} {pointers}{name}")
}

/// `head(parameters)end`, a parameter on each line when it is long.
fn call(head: &str, this: Option<&str>, function: &Function, end: &str, indent: &str) -> String {
    let this = this.map(|name| format!("{name} *This"));
    let parameters = function
        .parameters
        .iter()
        .map(|(name, ty)| declared(ty, name));
    let parameters: Vec<String> = this.into_iter().chain(parameters).collect();
    // An empty list is no prototype in C.
    let none = if head.contains("virtual") { "" } else { "void" };
    let line = match parameters.len() {
        0 => format!("{head}({none}){end}"),
        _ => format!("{head}({}){end}", parameters.join(", ")),
    };
    if line.len() <= WIDTH + 1 {
        return line;
    }
    format!(
        "{head}(\n{indent}    {}){end}",
        parameters.join(&format!(",\n{indent}    "))
    )
}

fn guid_initializer(guid: u128) -> String {
    let digits = format!("{guid:032x}");
    let (data1, rest) = digits.split_at(8);
    let (data2, rest) = rest.split_at(4);
    let (data3, rest) = rest.split_at(4);
    let data4: Vec<String> = (0..16)
        .step_by(2)
        .map(|at| format!("0x{}", &rest[at..at + 2]))
        .collect();
    let data4 = data4.join(", ");
    format!("{{0x{data1}, 0x{data2}, 0x{data3}, {{{data4}}}}}")
}

/// Documentation as C has it: without the links of Rust.
fn comment(docs: &Docs, indent: &str) -> String {
    let lines = docs.iter().map(|line| {
        let mut plain = String::new();
        let mut rest = line.as_str();
        // [`X`] and [`X`](path) are X.
        while let Some((before, link)) = rest.split_once('[') {
            let Some((name, after)) = link.split_once(']') else {
                break;
            };
            plain += before;
            plain += name;
            rest = match after
                .strip_prefix('(')
                .and_then(|after| after.split_once(')'))
            {
                Some((_, after)) => after,
                None => after,
            };
        }
        plain += rest;
        format!("{indent}/// {plain}\n").replace('`', "")
    });
    lines.collect()
}
