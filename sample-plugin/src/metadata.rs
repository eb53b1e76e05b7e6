//! Metadata: what must not be in object code, because two compilers that compile the same must write
//! the same.
//!
//! UTF-8 text, a line for each fact, `name: value`; values are escaped as in a Rust string, so that a
//! name cannot end its line. The first line is `format: fabrikam 1`. Application and compiler are those
//! of the compile that stored the value; others may share it. `key` and `code` say which value it is: its
//! key, and the digest of its object code, so that a driver finds out a cache that mixes values up.

use std::fmt::Write;

use plugin_sdk::desc::ApplicationDesc;
use plugin_sdk::{KeyBuilder, VersionNumber};

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

/// The metadata of a unit with this object code.
pub(crate) fn text(provenance: &Provenance, unit: &Unit<'_>, code: &[u8]) -> Vec<u8> {
    let mut text = provenance.0.clone();
    line(&mut text, "key", &hex(unit.key().as_bytes()));
    line(&mut text, "code", &digest(code));
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

/// What the metadata of a value says of its compiler. The ABI version is in the object code too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Name of the adapter family, escaped as in a Rust string.
    pub family: String,
    /// Version of the compiler.
    pub compiler: u64,
    /// Version of the application's profile; 0 for none.
    pub profile: u64,
    key: String,
    code: String,
}

impl Origin {
    /// Reads metadata; `None` if it is not of this format, or a line is missing.
    pub fn read(metadata: &[u8]) -> Option<Self> {
        let text = str::from_utf8(metadata).ok()?;
        if text.lines().next() != Some("format: fabrikam 1") {
            return None;
        }
        let value = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(": "));
            lines.find(|(of, _)| *of == name).map(|(_, value)| value)
        };
        Some(Self {
            family: value("family")?.into(),
            compiler: version(value("compiler")?)?,
            profile: version(value("profile")?)?,
            key: value("key")?.into(),
            code: value("code")?.into(),
        })
    }

    /// Whether it is the metadata of the value with this key and object code.
    pub fn is_of(&self, key: &[u8], code: &[u8]) -> bool {
        self.key == hex(key) && self.code == digest(code)
    }
}

/// The digest of object code, as the line `code` has it.
pub fn digest(code: &[u8]) -> String {
    let digest = KeyBuilder::new("fabrikam.code")
        .bytes("code", code)
        .finish();
    hex(digest.as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// The four parts of a version as one number.
fn version(text: &str) -> Option<u64> {
    let parts: Vec<u16> = text
        .split('.')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let parts: [u16; 4] = parts.try_into().ok()?;
    Some(
        parts
            .iter()
            .fold(0, |all, &part| all << 16 | u64::from(part)),
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_read_from_its_lines() {
        let code = digest(b"code");
        let text = format!(
            "format: fabrikam 1\nfamily: Fabrikam Aurora\ncompiler: 4.2.118.0\nabi: 3\nprofile: 0.0.0.1\nkey: 0a\ncode: {code}\n"
        );
        let origin = Origin::read(text.as_bytes()).unwrap();
        assert!(origin.is_of(&[10], b"code"));
        assert!(!origin.is_of(&[11], b"code"));
        assert!(!origin.is_of(&[10], b"Code"));
        assert_eq!(origin.family, "Fabrikam Aurora");
        assert_eq!(
            (origin.compiler, origin.profile),
            (0x0004_0002_0076_0000, 1)
        );
        for damaged in [
            text.replace("fabrikam 1", "fabrikam 2"),
            text.replace("compiler", "compilers"),
            text.replace("4.2.118.0", "4.2.118"),
            text.replace("0.0.0.1", "0.0.0.65536"),
            text.replace("key", "keys"),
            text.replace("code", "codes"),
            String::new(),
        ] {
            assert_eq!(Origin::read(damaged.as_bytes()), None, "{damaged}");
        }
        assert_eq!(Origin::read(&[0xFF]), None);
    }
}
