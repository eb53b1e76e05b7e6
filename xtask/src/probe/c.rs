//! The C compilers' side.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::object_file::{function_symbols, table};
use super::{Answer, Entry, FUNCTION, TABLE, refusals, refused, scratch};
use crate::Error;
use crate::facts::Facts;
use crate::toolchain::{Target, run};

/// Asks a C compiler about the header of this name in `folder`.
pub fn ask_c(
    compiler: &str,
    target: &Target,
    (folder, header): (&Path, &str),
    entries: &[Entry],
    facts: &Facts,
) -> Result<Answer, Error> {
    let scratch = scratch()?;
    let asked = |entry: &&Entry| entry.in_mingw || !target.is_windows;
    let mut text = format!("#include <stddef.h>\n#include \"{header}\"\n");
    writeln!(
        text,
        "extern const unsigned {TABLE}[];\nconst unsigned {TABLE}[] = {{"
    )
    .unwrap();
    for entry in entries.iter().filter(asked) {
        writeln!(text, "(unsigned)({}),", entry.c).unwrap();
    }
    text.push_str("};\n");
    let compile = |name: &str, text: &str| {
        let source = scratch.path().join(name);
        fs::write(&source, text).map_err(Error::file(&source))?;
        let object = source.with_extension("o");
        let mut command = Command::new(compiler);
        // In another language "error" would be another word.
        command.env("LC_ALL", "C");
        command
            .args(["-std=c11", "-Werror", "-c", "-I"])
            .arg(folder);
        let output = run(command.arg(&source).arg("-o").arg(&object))?;
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok::<_, Error>((object, output.status.success(), messages))
    };
    let (object, ok, messages) = compile("numbers.c", &text)?;
    if !ok {
        return Err(refused(compiler, "the C numbers", messages));
    }
    let mut numbers = table(&object, entries.iter().filter(asked).count())?.into_iter();
    let numbers = entries
        .iter()
        .map(|entry| if asked(&entry) { numbers.next() } else { None });

    let mut answer = Answer {
        numbers: numbers.collect(),
        ..Answer::default()
    };
    // The convention is spelt out here: the header's own word for it is what is checked.
    let mut text = format!(
        "#include \"{header}\"\n\
         #ifdef _WIN32\n#define CONVENTION __stdcall\n#else\n#define CONVENTION\n#endif\n"
    );
    let first = text.lines().count() + 1;
    for function in &facts.functions {
        let (name, signature) = (&function.name, &function.signature);
        let result = &signature.result;
        let parameters = signature.parameters.iter();
        let parameters: Vec<_> = parameters
            .map(|(name, ty)| format!("{ty} {name}"))
            .collect();
        let parameters = if parameters.is_empty() {
            "void".to_owned()
        } else {
            parameters.join(", ")
        };
        writeln!(
            text,
            "{result} CONVENTION {FUNCTION}{name}({parameters}) {{ for (;;) {{}} }} \
             extern {name} pointer_{name}; {name} pointer_{name} = {FUNCTION}{name};"
        )
        .unwrap();
    }
    let (object, ok, messages) = compile("signatures.c", &text)?;
    if ok {
        answer.symbols = function_symbols(&object)?;
    } else {
        answer.refusals = refusals(compiler, "signatures.c", first, &messages, facts)?;
    }
    Ok(answer)
}
