//! `headers/layout_check.cpp`: the recorded facts as static assertions, for any header that
//! declares the DDI.

use std::fmt::Write;

use crate::facts::{Facts, Origin};

const PROLOGUE: &str = include_str!("layout_check/prologue.cpp");

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

/// The text of the file.
pub fn generate(facts: &Facts) -> String {
    let mut text = PROLOGUE.to_owned();
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
        let assertions = assertions(facts, origin);
        if condition.is_empty() {
            write!(text, "\n{assertions}").unwrap();
        } else if !assertions.is_empty() {
            write!(text, "\n{condition}\n\n{assertions}\n#endif\n").unwrap();
        }
    }
    text
}

fn assertions(facts: &Facts, origin: Origin) -> String {
    let mut text = String::new();
    for item in &facts.enums {
        if item.origin == origin {
            let check = if item.name == "DXGI_FORMAT" {
                "DXGI_ENUM"
            } else {
                "ENUM"
            };
            writeln!(text, "{check}({})", item.name).unwrap();
        }
        for enumerator in &item.enumerators {
            if enumerator.origin == origin {
                writeln!(text, "VALUE({}, {:#x}u)", enumerator.name, enumerator.value).unwrap();
            }
        }
    }
    for constant in facts.constants.iter().filter(|item| item.origin == origin) {
        let check = format!("VALUE({}, {:#x}u)", constant.name, constant.value);
        match constant.name.as_str() {
            // HRESULT_FROM_WIN32 is an inline function in Microsoft's headers.
            "E_NOT_SUFFICIENT_BUFFER" => write!(text, "#ifndef _MSC_VER\n{check}\n#endif\n"),
            "D3DDDIERR_NOTAVAILABLE" => {
                write!(text, "#ifdef D3DDDIERR_NOTAVAILABLE\n{check}\n#endif\n")
            }
            _ => writeln!(text, "{check}"),
        }
        .unwrap();
    }
    for record in facts.records.iter().filter(|item| item.origin == origin) {
        let ((s64, s32), (a64, a32)) = (record.size, record.align);
        writeln!(text, "RECORD({}, {s64}, {a64}, {s32}, {a32})", record.name).unwrap();
        for field in &record.fields {
            let (x64, x86) = field.offset;
            let (record, field, ty) = (&record.name, &field.name, &field.ty);
            writeln!(text, "FIELD({record}, {field}, {x64}, {x86}, {ty})").unwrap();
        }
    }
    for alias in facts.aliases.iter().filter(|item| item.origin == origin) {
        writeln!(text, "SAME({}, {})", alias.name, alias.ty).unwrap();
    }
    for function in facts.functions.iter().filter(|item| item.origin == origin) {
        let types: Vec<&str> = function
            .parameters
            .iter()
            .map(|(ty, _)| ty.as_str())
            .collect();
        let (name, result) = (&function.name, &function.result);
        writeln!(text, "FUNCTION({name}, {result}, {})", types.join(", ")).unwrap();
    }
    text
}
