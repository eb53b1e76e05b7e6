//! `headers/layout_check.cpp` and `headers/api_layout_check.c`: the recorded facts as static assertions, for any header
//! that declares the DDI or the API.

use std::fmt::Write;

use crate::facts::{Bits, Enum, Enumerator, Facts, Origin, Record, Since};
use crate::header::api::{condition, guid_initializer};
use crate::names::{Signature, find};

const DDI: &str = include_str!("layout_check/ddi.cpp");
const API: &str = include_str!("layout_check/api.h");

/// What a header that is not ours must declare for the assertions of an origin.
const CONDITIONS: [(Origin, &str); 8] = [
    (Origin::Microsoft, ""),
    (
        Origin::MicrosoftRecent,
        "#ifndef __MINGW32__ // mingw-w64 10 does not have these.",
    ),
    (Origin::Sdk26100, "#if CHECK_SDK_26100"),
    (Origin::Wdk28000, "#if CHECK_WDK_28000"),
    (Origin::Specification, "#if CHECK_PLUGIN_DDI"),
    (
        Origin::Internal,
        "#if CHECK_OURS // Marked internal in ShaderCompilerPlugin.md.",
    ),
    (
        Origin::Document,
        "#if CHECK_OURS // In a document of DirectX-Specs only.",
    ),
    (Origin::Project, "#if CHECK_OURS // This project's own."),
];

/// The text of `layout_check.cpp`.
pub fn generate(facts: &Facts) -> String {
    let mut text = DDI.to_owned();
    for base in &facts.base_types {
        let (x64, x86) = base.size;
        let class = match base.class.as_str() {
            "signed" => "BASE_SIGNED",
            "unsigned" => "BASE_UNSIGNED",
            _ => "BASE",
        };
        writeln!(text, "{class}({}, {x64}, {x86})", base.name).unwrap();
        if base.class.ends_with('*') {
            writeln!(text, "SAME({}, {})", base.name, base.class).unwrap();
        }
    }
    for (origin, condition) in CONDITIONS {
        let assertions = assertions(facts, |own| *own == origin);
        if condition.is_empty() {
            write!(text, "\n{assertions}").unwrap();
        } else if !assertions.is_empty() {
            write!(text, "\n{condition}\n\n{assertions}\n#endif\n").unwrap();
        }
    }
    text
}

/// The text of `api_layout_check.c`.
pub fn generate_api(facts: &Facts) -> String {
    API.to_owned() + &assertions(facts, |_| true)
}

/// The assertions about what is declared where `is_asked` says.
fn assertions(facts: &Facts, is_asked: impl Fn(&Origin) -> bool) -> String {
    let mut text = String::new();
    for item in &facts.enums {
        if is_asked(&item.origin) {
            let check = match (&item.origin, item.name.as_str()) {
                (Origin::Microsoft, "DXGI_FORMAT") => "DXGI_ENUM",
                _ => "ENUM",
            };
            writeln!(text, "{check}({})", item.name).unwrap();
        }
        for enumerator in &item.enumerators {
            if is_asked(&enumerator.origin) {
                text += &value(
                    &enumerator.name,
                    enumerator.value,
                    without(item, enumerator),
                );
            }
        }
    }
    for constant in facts.constants.iter().filter(|item| is_asked(&item.origin)) {
        let condition = match constant.name.as_str() {
            // HRESULT_FROM_WIN32 is an inline function in Microsoft's headers.
            "E_NOT_SUFFICIENT_BUFFER" => "#ifndef _MSC_VER",
            "D3DDDIERR_NOTAVAILABLE" => "#ifdef D3DDDIERR_NOTAVAILABLE",
            _ => "",
        };
        text += &value(&constant.name, constant.value, condition);
    }
    let records = facts.records.iter().filter(|item| is_asked(&item.origin));
    for record in records.filter(|record| !record.is_inner) {
        let ((s64, s32), (a64, a32)) = (record.size, record.align);
        writeln!(text, "RECORD({}, {s64}, {a64}, {s32}, {a32})", record.name).unwrap();
        fields(&mut text, facts, record);
    }
    for alias in facts.aliases.iter().filter(|item| is_asked(&item.origin)) {
        writeln!(text, "SAME({}, {})", alias.name, alias.ty).unwrap();
    }
    for function in facts.functions.iter().filter(|item| is_asked(&item.origin)) {
        let types = types(&function.signature);
        writeln!(text, "FUNCTION({}, {types})", function.name).unwrap();
    }
    for interface in &facts.interfaces {
        let name = &interface.name;
        let iid = guid_initializer(interface.iid).replace(['{', '}'], "");
        writeln!(text, "INTERFACE_ID({name}, {iid})").unwrap();
        for method in &interface.methods {
            let (slot, own) = (method.slot, &method.name);
            let check = match find(&facts.records, &method.signature.result) {
                Some(_) => "BY_VALUE",
                None => "METHOD",
            };
            let types = types(&method.signature);
            writeln!(text, "{check}({name}, {own}, {slot}, {types})").unwrap();
        }
    }
    text
}

/// The value of a name, where a condition holds.
fn value(name: &str, value: u32, condition: &str) -> String {
    let check = format!("VALUE({name}, {value:#x}u)\n");
    match condition {
        "" => check,
        _ => format!("{condition}\n{check}#endif\n"),
    }
}

/// The condition that leaves an enumerator of the API out.
fn without(item: &Enum, enumerator: &Enumerator) -> &'static str {
    let (Origin::Api(header), Origin::Api(own)) = (&item.origin, &enumerator.origin) else {
        return "";
    };
    if enumerator.name.ends_with("_MAX_VALID") {
        // Each version has its own.
        "#if D3D12_COMPILER_API_SDK == 0 && D3D12_COMPILER_API_MINGW == 0"
    } else if header.name == "dxgiformat" && own.mingw.is_none() {
        "#ifndef __MINGW32__"
    } else {
        ""
    }
}

fn fields(text: &mut String, facts: &Facts, record: &Record) {
    for field in &record.fields {
        let (x64, x86) = field.offset;
        let check = |name: &str, (x64, x86): Bits, ty: &str| {
            format!("FIELD({}, {name}, {x64}, {x86}, {ty})\n", record.name)
        };
        let ty = find(&facts.records, &field.ty);
        let check = match ty.filter(|ty| ty.is_inner) {
            Some(ty) => {
                let parts = ty.fields.iter().map(|part| {
                    let offset = (x64 + part.offset.0, x86 + part.offset.1);
                    check(&format!("{}.{}", field.name, part.name), offset, &part.ty)
                });
                parts.collect()
            }
            None => check(&field.name, field.offset, &field.ty),
        };
        match ty {
            // An older header's union has no member of a type that this header adds.
            Some(ty) if since(&ty.origin) != since(&record.origin) => {
                let (own, added) = (condition(&record.origin), condition(&ty.origin));
                write!(text, "#if ({own}) || !({added})\n{check}#endif\n").unwrap();
            }
            _ => *text += &check,
        }
    }
}

/// The version of the API's headers that has what is declared at `origin`.
fn since(origin: &Origin) -> Option<Since> {
    match origin {
        Origin::Api(header) => Some(header.since),
        _ => None,
    }
}

/// Result, then parameters.
fn types(signature: &Signature) -> String {
    let parameters = signature.parameters.iter().map(|(_, ty)| ty.as_str());
    let types: Vec<&str> = std::iter::once(signature.result.as_str())
        .chain(parameters)
        .collect();
    types.join(", ")
}
