//! `api-sys/src/layout.rs`: the recorded facts as assertions that every build of the crate checks.

use std::fmt::Write;

use super::Api;
use super::facts::Facts;
use crate::Error;

const PROLOGUE: &str = include_str!("layout/prologue.rs");

/// The text of the file.
///
/// # Errors
/// A recorded structure or member is not declared.
#[expect(clippy::missing_panics_doc, reason = "writing to a String cannot fail")]
pub fn generate(api: &Api, facts: &Facts) -> Result<String, Error> {
    let mut text = PROLOGUE.to_owned();
    let undeclared = |name: &str| Error::Unsupported {
        module: "api-sys/facts".into(),
        what: format!("{name} is recorded and not declared"),
    };
    for record in &facts.records {
        let name = &record.name;
        if !api.records.contains_key(name) {
            return Err(undeclared(name));
        }
        let members = api.members(name);
        let ((s64, s32), (a64, a32)) = (record.size, record.align);
        writeln!(text, "record! {{ {name}, {s64} {s32}, {a64} {a32} }}").unwrap();
        for field in &record.fields {
            let member = members.iter().find(|member| member.c == field.name);
            let member = member.ok_or_else(|| undeclared(&format!("{name}.{}", field.name)))?;
            let (x64, x86) = field.offset;
            writeln!(text, "field! {{ {name}, {}, {x64} {x86} }}", member.rust).unwrap();
        }
    }
    for interface in &facts.interfaces {
        let (name, iid) = (&interface.name, interface.iid.replace('-', "_"));
        match interface.base {
            Some(_) => writeln!(text, "iid! {{ {name}::IID, 0x{iid} }}"),
            None => writeln!(text, "iid! {{ IID_{name}, 0x{iid} }}"),
        }
        .unwrap();
        for method in &interface.methods {
            writeln!(
                text,
                "slot! {{ {name}_Vtbl, {}, {} }}",
                method.name, method.slot
            )
            .unwrap();
        }
    }
    for guid in &facts.guids {
        let (name, value) = (&guid.name, guid.value.replace('-', "_"));
        writeln!(text, "iid! {{ {name}, 0x{value} }}").unwrap();
    }
    for item in &facts.enums {
        for enumerator in &item.enumerators {
            let bits = enumerator.value.cast_unsigned();
            writeln!(text, "value! {{ {}, {bits:#x} }}", enumerator.name).unwrap();
        }
    }
    for constant in &facts.constants {
        let number = if constant.ty == "HRESULT" { ".0" } else { "" };
        let (name, value) = (&constant.name, constant.value);
        writeln!(text, "value! {{ {name}{number}, {value:#x} }}").unwrap();
    }
    Ok(text)
}
