//! Metadata: what must not be in object code, because two compilers that compile the same must write
//! the same.
//!
//! UTF-8 text, a line for each fact, `name: value`; values are escaped as in a Rust string, so that a
//! name cannot end its line. The first line is `format: fabrikam 1`. Application and compiler are those
//! of the compile that stored the value; others may share it.

use plugin_sdk::VersionNumber;
use plugin_sdk::desc::ApplicationDesc;

use crate::families::{Family, Machine};
use crate::unit::{ProgramSource, Source, Unit};

/// The lines that all values of a compiler have.
pub(crate) struct Provenance(String);

impl Provenance {
    pub(crate) fn new(
        family: &Family,
        machine: Machine,
        application: &ApplicationDesc<'_>,
        profile: VersionNumber,
    ) -> Self {
        let mut lines = String::new();
        let mut add = |name, value: &str| line(&mut lines, name, value);
        add("format", "fabrikam 1");
        add("family", family.name);
        add("compiler", &family.compiler_version.to_string());
        add("abi", &machine.abi.version.to_string());
        add("profile", &profile.to_string());
        add("executable", &application.exe_filename.to_string_lossy());
        add("application", &application.name.to_string_lossy());
        add("application version", &application.version.to_string());
        if let Some((engine, version)) = application.engine {
            add("engine", &engine.to_string_lossy());
            add("engine version", &version.to_string());
        }
        Self(lines)
    }
}

/// The metadata of a unit.
pub(crate) fn text(provenance: &Provenance, unit: &Unit<'_>) -> Vec<u8> {
    let mut text = provenance.0.clone();
    match unit.source() {
        Source::Program(program, _) => {
            line(&mut text, "value", "program");
            lines_of_program(&mut text, program);
        }
        Source::Template(program) => {
            line(&mut text, "value", "template");
            lines_of_program(&mut text, program);
            line(&mut text, "literals", &program.literals.len().to_string());
        }
        Source::Specialization(specialization, _) => {
            line(&mut text, "value", "specialization");
            line(&mut text, "kind", &specialization.kind.to_string());
            for value in &specialization.values {
                line(&mut text, "literal", &format!("{value:#x}"));
            }
        }
        Source::RootSignature(_) => line(&mut text, "value", "root signature"),
        Source::Link { link, names } => {
            line(&mut text, "value", "link");
            line(&mut text, "kind", &format!("{:?}", link.kind));
            for name in names {
                line(&mut text, "name", name);
            }
        }
    }
    text.into_bytes()
}

fn lines_of_program(text: &mut String, program: &ProgramSource<'_>) {
    line(text, "kind", &program.kind.to_string());
    line(text, "shader model", &program.shader_model.to_string());
    line(
        text,
        "resources",
        &program.interface.resources.len().to_string(),
    );
}

fn line(text: &mut String, name: &str, value: &str) {
    text.push_str(name);
    text.push_str(": ");
    text.extend(value.escape_debug());
    text.push('\n');
}
