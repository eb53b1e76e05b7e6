//! `headers/api_layout_check.c`: the recorded facts as static assertions, for any header that
//! declares the API.

use std::fmt::Write;

use super::facts::{Facts, Signature};
use super::header::condition;
use crate::facts::Bits;

const PROLOGUE: &str = include_str!("layout_check/prologue.h");

/// The text of the file.
pub fn generate(facts: &Facts) -> String {
    let mut text = PROLOGUE.to_owned();
    for item in &facts.enums {
        writeln!(text, "ENUM({})", item.name).unwrap();
        for enumerator in &item.enumerators {
            let check = format!("VALUE({}, {})", enumerator.name, enumerator.value);
            if enumerator.name.ends_with("_MAX_VALID") {
                // Each version has its own.
                writeln!(
                    text,
                    "#if D3D12_COMPILER_API_SDK == 0 && D3D12_COMPILER_API_MINGW == 0"
                )
                .unwrap();
                writeln!(text, "{check}\n#endif").unwrap();
            } else if item.origin.header == "dxgiformat" && enumerator.origin.mingw.is_none() {
                writeln!(text, "#ifndef __MINGW32__\n{check}\n#endif").unwrap();
            } else {
                writeln!(text, "{check}").unwrap();
            }
        }
    }
    for constant in &facts.constants {
        writeln!(text, "VALUE({}, {:#x})", constant.name, constant.value).unwrap();
    }
    for record in facts.records.iter().filter(|record| !record.is_inner) {
        let ((s64, s32), (a64, a32)) = (record.size, record.align);
        writeln!(text, "RECORD({}, {s64}, {a64}, {s32}, {a32})", record.name).unwrap();
        for field in &record.fields {
            let (x64, x86) = field.offset;
            let mut records = facts.records.iter();
            let own = condition(&record.origin);
            let ty = records.find(|other| other.name == field.ty);
            let check = |name: &str, (x64, x86): Bits, ty: &str| {
                format!("FIELD({}, {name}, {x64}, {x86}, {ty})", record.name)
            };
            let check = match ty.filter(|ty| ty.is_inner) {
                Some(ty) => {
                    let parts = ty.fields.iter().map(|part| {
                        let offset = (x64 + part.offset.0, x86 + part.offset.1);
                        check(&format!("{}.{}", field.name, part.name), offset, &part.ty)
                    });
                    parts.collect::<Vec<_>>().join("\n")
                }
                None => check(&field.name, field.offset, &field.ty),
            };
            match ty {
                // An older header's union has no member of a type that this header adds.
                Some(ty) if ty.origin.since != record.origin.since => {
                    let added = condition(&ty.origin);
                    writeln!(text, "#if ({own}) || !({added})\n{check}\n#endif").unwrap();
                }
                _ => writeln!(text, "{check}").unwrap(),
            }
        }
    }
    for function in &facts.functions {
        let types = types(&function.signature);
        writeln!(text, "FUNCTION({}, {types})", function.name).unwrap();
    }
    for interface in &facts.interfaces {
        let name = &interface.name;
        writeln!(text, "INTERFACE_ID({name}, {})", guid(&interface.iid)).unwrap();
        for method in &interface.methods {
            let (slot, own) = (method.slot, &method.name);
            let types = types(&method.signature);
            let by_value = facts
                .records
                .iter()
                .any(|record| record.name == method.signature.result);
            let check = if by_value { "BY_VALUE" } else { "METHOD" };
            writeln!(text, "{check}({name}, {own}, {slot}, {types})").unwrap();
        }
    }
    text
}

/// Result, then parameters.
fn types(signature: &Signature) -> String {
    let parameters = signature.parameters.iter().map(|(ty, _)| ty.as_str());
    let types: Vec<&str> = std::iter::once(signature.result.as_str())
        .chain(parameters)
        .collect();
    types.join(", ")
}

fn guid(text: &str) -> String {
    let digits = text.replace('-', "");
    let bytes: Vec<&str> = (16..32).step_by(2).map(|at| &digits[at..at + 2]).collect();
    format!(
        "0x{}, 0x{}, 0x{}, 0x{}",
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        bytes.join(", 0x")
    )
}
