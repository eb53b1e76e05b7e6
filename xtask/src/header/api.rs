//! `headers/d3d12_compiler_api.h`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{WIDTH, cbindgen, comment, filled};
use crate::Error;
use crate::facts::{Facts, Origin, Since};
use crate::input::Input;
use crate::names::{Signature, find};
use crate::source::{Declarations, Function, Interface};

const PROLOGUE: &str = include_str!("api/prologue.h");
const EPILOGUE: &str = include_str!("api/epilogue.h");

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
/// cbindgen refuses the source, or something is in the tables of facts, but not declared in the source.
pub fn generate(api: &Declarations, facts: &Facts) -> Result<String, Error> {
    let written = cbindgen::write(api, facts)?.into_iter().collect();
    let header = Header {
        api,
        facts,
        written,
    };
    let parts = [
        ("@RESULT_CODES@", header.result_codes()),
        ("@FORWARD@", header.forward()),
        ("@BODY@", header.body()?),
        ("@IIDS@", header.iids()),
    ];
    let frame = format!("{PROLOGUE}@BODY@\n\n{EPILOGUE}");
    Ok(filled(&frame, &BTreeMap::from(parts)))
}

/// What a preprocessor without the header of an item says.
pub fn condition(origin: &Origin) -> String {
    let Origin::Api(header) = origin else {
        return String::new();
    };
    let name = &header.name;
    match (name.as_str(), header.since) {
        ("d3d12", Since::Retail(version)) => {
            let mingw = header
                .mingw
                .map(|release| format!(" && D3D12_COMPILER_API_MINGW < {release}"));
            format!(
                "D3D12_COMPILER_API_SDK < {version}{}",
                mingw.unwrap_or_default()
            )
        }
        ("d3d12", Since::Preview(version)) => format!("D3D12_COMPILER_API_PREVIEW < {version}"),
        (_, Since::Retail(_)) => format!("!defined(__{name}_h__)"),
        (_, Since::Preview(version)) => {
            format!("!defined(__{name}_h__) || D3D12_COMPILER_API_PREVIEW < {version}")
        }
    }
}

struct Header<'a> {
    api: &'a Declarations,
    facts: &'a Facts,
    written: BTreeMap<String, String>,
}

impl Header<'_> {
    fn body(&self) -> Result<String, Error> {
        let enums = self.facts.enums.iter();
        let enums = enums.map(|fact| self.written(&fact.name, &fact.origin));
        let enums = enums.collect::<Result<_, Error>>()?;
        let records = self.facts.records.iter().filter(|fact| !fact.is_inner);
        let records = records.map(|fact| self.written(&fact.name, &fact.origin));
        let functions = self.facts.functions.iter();
        let functions = functions.map(|fact| self.written(&fact.name, &fact.origin));
        let types = records.chain(functions).collect::<Result<_, Error>>()?;
        let interfaces = self.facts.interfaces.iter().map(|fact| {
            let declared = find(&self.api.interfaces, &fact.name);
            let interface = declared.ok_or_else(|| Input::Api.undeclared(&fact.name))?;
            Ok(Item {
                name: fact.name.clone(),
                condition: condition(&fact.origin),
                text: self.interface(interface),
            })
        });
        let interfaces = interfaces.collect::<Result<_, Error>>()?;
        let guids = self.facts.guids.iter().map(|fact| {
            let declared = find(&self.api.guids, &fact.name);
            let guid = declared.ok_or_else(|| Input::Api.undeclared(&fact.name))?;
            Ok(Item {
                name: fact.name.clone(),
                condition: condition(&fact.origin),
                text: format!(
                    "{}D3D12_COMPILER_API_GUID CLSID {} =\n    {};\n",
                    comment(Input::Api, &guid.docs, ""),
                    fact.name,
                    guid_initializer(guid.value)
                ),
            })
        });
        let guids = guids.collect::<Result<_, Error>>()?;

        let mut text = grouped(&self.ordered(enums));
        text += &self.later_enumerators();
        text += &self.constants();
        text += &grouped(&self.ordered(types));
        text += &grouped(&self.ordered(interfaces));
        text += &grouped(&self.ordered(guids));
        text += &grouped(&self.exports());
        Ok(text)
    }

    /// A declaration of cbindgen's.
    fn written(&self, name: &str, origin: &Origin) -> Result<Item, Error> {
        let text = self.written.get(name);
        let text = text.ok_or_else(|| Input::Api.undeclared(name))?;
        Ok(Item {
            name: name.into(),
            condition: condition(origin),
            text: format!("{text}\n"),
        })
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

    /// Enumerators that an older header's enumeration does not have.
    fn later_enumerators(&self) -> String {
        let mut items = Vec::new();
        for item in &self.facts.enums {
            let own = condition(&item.origin);
            for enumerator in &item.enumerators {
                let missing = condition(&enumerator.origin);
                // The last number of an older header stays its own.
                if !matches!(&item.origin, Origin::Api(header) if header.name == "d3d12")
                    || missing == own
                    || enumerator.name.ends_with("_MAX_VALID")
                {
                    continue;
                }
                let (name, value) = (&enumerator.name, enumerator.value.cast_signed());
                items.push(Item {
                    name: name.clone(),
                    condition: format!("!({own}) && {missing}"),
                    text: format!("#define {name} (({}){value})\n", item.name),
                });
            }
        }
        grouped(&self.ordered(items))
    }

    fn interface(&self, interface: &Interface) -> String {
        let name = &interface.name;
        let mut text = comment(Input::Api, &interface.docs, "");
        text += "#if defined(__cplusplus) && !defined(CINTERFACE)\n";
        match &interface.base {
            Some(base) => writeln!(text, "struct {name} : public {base}\n{{").unwrap(),
            None => writeln!(text, "struct {name}\n{{").unwrap(),
        }
        for method in &interface.methods {
            text += &comment(Input::Api, &method.docs, "    ");
            let condition = "defined(_WIN32) && !defined(_MSC_VER)";
            text += &self.by_value(&method.signature, condition, |signature| {
                let own = format!("D3D12_COMPILER_APIENTRY {}", method.name);
                let head = format!("    virtual {}", declared(&signature.result, &own));
                call(&head, None, signature, " = 0;\n", "    ")
            });
        }
        text += "};\n#else\n";

        let mut lineage = vec![interface];
        while let Some(base) = lineage.last().and_then(|last| last.base.as_ref()) {
            match find(&self.api.interfaces, base) {
                Some(base) => lineage.push(base),
                None => break,
            }
        }
        let mut methods: Vec<(&str, Signature)> = Vec::new();
        if lineage.last().is_some_and(|root| root.base.is_some()) {
            methods.extend(unknown_methods());
        }
        for interface in lineage.iter().rev() {
            let own = interface.methods.iter();
            methods.extend(own.map(|own| (own.name.as_str(), own.signature.clone())));
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
        signature: &Signature,
        condition: &str,
        text: impl Fn(&Signature) -> String,
    ) -> String {
        if find(&self.api.records, &signature.result).is_none() {
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
            let Function {
                docs, signature, ..
            } = find(&self.api.functions, ty)?;
            let fact = find(&self.facts.functions, ty)?;
            let own = format!("D3D12_COMPILER_APIENTRY {name}");
            let head = declared(&signature.result, &own);
            Some(Item {
                name: (*name).into(),
                condition: match *name {
                    NO_HEADERS => String::new(),
                    _ => condition(&fact.origin),
                },
                text: comment(Input::Api, docs, "") + &call(&head, None, signature, ";\n", ""),
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
                guid_initializer(fact.iid)
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
        let interface = find(&self.api.interfaces, &item.name);
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

/// The methods that every interface begins with, as C has them.
fn unknown_methods() -> [(&'static str, Signature); 3] {
    let function = |result: &str, parameters: &[(&str, &str)]| Signature {
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
fn call(head: &str, this: Option<&str>, signature: &Signature, end: &str, indent: &str) -> String {
    let this = this.map(|name| format!("{name} *This"));
    let parameters = signature
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

/// A GUID as C initializes one.
pub fn guid_initializer(guid: u128) -> String {
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
