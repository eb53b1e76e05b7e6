//! `layout.rs` of `ddi-sys` and of `api-sys`: the recorded facts as assertions that every build of the crate checks.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::Error;
use crate::facts::Facts;
use crate::input::Input;
use crate::probe;
use crate::source::Declarations;

const PROLOGUE: &str = include_str!("layout/prologue.rs");
const API: &str = include_str!("layout/api.rs");

/// The text of the file.
///
/// # Errors
///
/// Something is in the tables of facts, but not declared in the source.
pub fn generate(declarations: &Declarations, facts: &Facts) -> Result<String, Error> {
    let input = declarations.input;
    let mut text = PROLOGUE.replace("@COMMAND@", input.command());
    if input == Input::Api {
        text += API;
    }
    let mut declared = BTreeSet::new();
    for entry in probe::entries(declarations, facts) {
        if let Some((x64, x86)) = entry.recorded {
            match entry.what {
                "size" | "alignment" | "offset" => {
                    writeln!(text, "layout! {{ {}, {x64} {x86} }}", entry.rust).unwrap();
                }
                "value" => writeln!(text, "value! {{ {}, {x64:#x} }}", entry.rust).unwrap(),
                _ => {}
            }
        }
        declared.insert(entry.item);
    }
    if let Some(missing) = facts.items().find(|item| !declared.contains(item)) {
        return Err(input.undeclared(&missing));
    }

    for interface in &facts.interfaces {
        let name = &interface.name;
        let iid = match interface.base {
            Some(_) => format!("{name}::IID"),
            None => format!("IID_{name}"),
        };
        writeln!(text, "iid! {{ {iid}, {:#034x} }}", interface.iid).unwrap();
        for method in &interface.methods {
            let (method, slot) = (&method.name, method.slot);
            writeln!(text, "slot! {{ {name}_Vtbl, {method}, {slot} }}").unwrap();
        }
    }
    for guid in &facts.guids {
        writeln!(text, "iid! {{ {}, {:#034x} }}", guid.name, guid.value).unwrap();
    }
    Ok(text)
}
