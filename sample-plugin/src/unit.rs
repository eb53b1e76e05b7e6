//! Units of compilation: one cached value each.
//!
//! A unit is what a description is reduced to before code is generated. Its object code is a function
//! of its source and the machine alone, and its key is a hash of the same two, so different object code
//! cannot have the same key. Making a unit is cheap; values are made of it only when they are missing
//! from the session.

use std::borrow::Cow;

use plugin_sdk::{Key, KeyBuilder, ValueType, ValueTypes, Values};

use crate::families::Machine;
use crate::metadata::Provenance;
use crate::object_code::{Content, Interface, Link, ObjectCode, Part, Program, Role, RootLayout};
use crate::switches::Switches;
use crate::{metadata, pdb, performance, program};

/// What one value is made of.
pub(crate) struct Unit<'a> {
    key: Key,
    source: Source<'a>,
}

/// The source of a unit's code.
pub(crate) enum Source<'a> {
    /// A shader, or a library of shaders.
    Program(ProgramSource<'a>),
    /// A root signature.
    RootSignature(RootLayout),
    /// What puts other units together.
    Link {
        /// Its object code.
        link: Link,
        /// The names in its state, which object code has as hashes.
        names: Vec<String>,
    },
}

/// The source of a program's code.
pub(crate) struct ProgramSource<'a> {
    pub(crate) kind: dxil::ShaderKind,
    pub(crate) shader_model: dxil::Version,
    pub(crate) switches: Switches,
    pub(crate) interface: Interface,
    pub(crate) bitcode: Cow<'a, [u8]>,
    pub(crate) debug: DebugInfo<'a>,
}

/// Debug information that came with a program; empty where none did. Code is the same with and without
/// it, so it is not in the key: a PDB is that of the first compile which stored one.
#[derive(Default)]
pub(crate) struct DebugInfo<'a> {
    /// The name of the PDB that the DXIL compiler wrote.
    pub(crate) name: Cow<'a, [u8]>,
    /// The program with debug information.
    pub(crate) program: Cow<'a, [u8]>,
}

impl<'a> Unit<'a> {
    /// A program; `hash` is that of the program which the bitcode is of.
    pub(crate) fn program(machine: Machine, hash: &[u8; 32], source: ProgramSource<'a>) -> Self {
        let mut interface = Vec::new();
        source.interface.write(&mut interface);
        let key = key(machine, "fabrikam.program")
            .bytes("program", hash)
            .u64("switches", source.switches.bits().into())
            .bytes("interface", &interface)
            .finish();
        Self {
            key,
            source: Source::Program(source),
        }
    }

    /// A root signature.
    pub(crate) fn root_signature(machine: Machine, layout: RootLayout) -> Self {
        let mut bytes = Vec::new();
        layout.write(&mut bytes);
        let key = key(machine, "fabrikam.root-signature").bytes("layout", &bytes);
        Self {
            key: key.finish(),
            source: Source::RootSignature(layout),
        }
    }

    /// A link; `key` has everything that its state was made of.
    pub(crate) fn link(key: Key, link: Link, names: Vec<String>) -> Self {
        Self {
            key,
            source: Source::Link { link, names },
        }
    }

    pub(crate) fn key(&self) -> &Key {
        &self.key
    }

    pub(crate) fn source(&self) -> &Source<'a> {
        &self.source
    }

    /// The unit as part of a link.
    pub(crate) fn part(&self) -> Part {
        let mut key = [0; 32];
        // Keys of KeyBuilder have this length.
        key.copy_from_slice(self.key.as_bytes());
        Part {
            role: match &self.source {
                Source::Program(program) => Role::Program(program.kind),
                Source::RootSignature(_) => Role::RootSignature,
                Source::Link { .. } => Role::Link,
            },
            key,
        }
    }

    /// The unit without borrows, to be kept.
    pub(crate) fn into_owned(self) -> Unit<'static> {
        Unit {
            key: self.key,
            source: match self.source {
                Source::Program(program) => Source::Program(ProgramSource {
                    bitcode: program.bitcode.into_owned().into(),
                    debug: DebugInfo {
                        name: program.debug.name.into_owned().into(),
                        program: program.debug.program.into_owned().into(),
                    },
                    ..program
                }),
                Source::RootSignature(layout) => Source::RootSignature(layout),
                Source::Link { link, names } => Source::Link { link, names },
            },
        }
    }

    /// The unit's values of some types.
    pub(crate) fn values(
        &self,
        machine: Machine,
        provenance: &Provenance,
        types: ValueTypes,
    ) -> Values<'static> {
        types.iter().fold(Values::new(), |values, kind| {
            let value = match kind {
                ValueType::ObjectCode => self.object_code(machine).to_bytes(),
                ValueType::Metadata => metadata::text(provenance, self),
                ValueType::DebugPdb => pdb::bytes(self),
                ValueType::PerformanceData => performance::bytes(self),
            };
            values.with(kind, value)
        })
    }

    /// The unit's object code.
    pub(crate) fn object_code(&self, machine: Machine) -> ObjectCode<'_> {
        ObjectCode {
            isa: machine.isa,
            abi_version: machine.abi.version,
            content: match &self.source {
                Source::Program(source) => Content::Program(Program {
                    kind: source.kind,
                    shader_model: source.shader_model,
                    switches: source.switches.bits(),
                    interface: Cow::Borrowed(&source.interface),
                    instructions: program::instructions(machine, source).into(),
                }),
                Source::RootSignature(layout) => Content::RootSignature(Cow::Borrowed(layout)),
                Source::Link { link, .. } => Content::Link(Cow::Borrowed(link)),
            },
        }
    }
}

/// Starts the key of a unit: every value depends on the machine.
pub(crate) fn key(machine: Machine, domain: &str) -> KeyBuilder {
    KeyBuilder::new(domain)
        .u64("isa", machine.isa.into())
        .u64("abi", machine.abi.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;
    use crate::object_code::{Argument, Element, Sampler};

    fn machine(family: usize, abi: usize) -> Machine {
        let family = &FAMILIES[family];
        Machine {
            isa: family.isa,
            abi: &family.abis[abi],
        }
    }

    fn source() -> ProgramSource<'static> {
        ProgramSource {
            kind: dxil::ShaderKind::Vertex,
            shader_model: dxil::Version { major: 6, minor: 0 },
            switches: Switches::NONE,
            interface: Interface::default(),
            bitcode: vec![1, 2, 3, 4].into(),
            debug: DebugInfo::default(),
        }
    }

    fn program(machine: Machine, change: impl Fn(&mut ProgramSource<'static>)) -> Unit<'static> {
        let mut source = source();
        change(&mut source);
        let mut hash = [0; 32];
        hash[..source.bitcode.len()].copy_from_slice(&source.bitcode);
        Unit::program(machine, &hash, source)
    }

    /// Each thing that code depends on changes key and code, and no two of the results are the same.
    #[test]
    fn keys_and_code_depend_on_the_same() {
        let m = machine(0, 0);
        let mut units = vec![
            (m, program(m, |_| {})),
            (m, program(m, |s| s.bitcode.to_mut()[2] = 9)),
            (
                m,
                program(m, |s| s.switches = Switches::UNFUSED_MULTIPLY_ADD),
            ),
            (m, program(m, |s| s.switches = Switches::TRACING)),
            (
                m,
                program(m, |s| s.interface.inputs.push(Element::default())),
            ),
            (
                m,
                program(m, |s| s.interface.outputs.push(Element::default())),
            ),
            (
                m,
                program(m, |s| s.interface.patch_constants.push(Element::default())),
            ),
            (
                m,
                program(m, |s| s.interface.arguments.push(Argument::default())),
            ),
            (
                m,
                program(m, |s| s.interface.samplers.push(Sampler::default())),
            ),
            (m, Unit::root_signature(m, RootLayout::default())),
        ];
        for (family, other) in FAMILIES.iter().enumerate() {
            for abi in 0..other.abis.len() {
                if (family, abi) != (0, 0) {
                    let m = machine(family, abi);
                    units.push((m, program(m, |_| {})));
                    units.push((m, Unit::root_signature(m, RootLayout::default())));
                }
            }
        }
        for (i, (a_machine, a)) in units.iter().enumerate() {
            for (b_machine, b) in &units[i + 1..] {
                assert_ne!(a.key(), b.key());
                assert_ne!(
                    a.object_code(*a_machine).to_bytes(),
                    b.object_code(*b_machine).to_bytes()
                );
            }
        }
    }

    #[test]
    fn instructions_depend_on_instruction_set_encoding_and_switches() {
        let of = |m, switches| {
            let unit = program(m, |s| s.switches = switches);
            let Content::Program(program) = unit.object_code(m).content else {
                unreachable!("a program was made")
            };
            program.instructions.into_owned()
        };
        let none = Switches::NONE;
        let base = of(machine(0, 0), none);
        assert_eq!(base, of(machine(0, 1), none), "the same encoding");
        assert_ne!(base, of(machine(0, 2), none));
        assert_ne!(base, of(machine(1, 0), none));
        assert_ne!(base, of(machine(0, 0), Switches::TRACING));
    }

    #[test]
    fn equal_input_gives_an_equal_key_and_code_whoever_compiles() {
        let m = machine(1, 2);
        let (a, b) = (program(m, |_| {}), program(m, |_| {}).into_owned());
        assert_eq!(a.key(), b.key());
        assert_eq!(a.object_code(m), b.object_code(m));
    }

    #[test]
    fn debug_information_changes_nothing_but_the_pdb() {
        let m = machine(0, 0);
        let plain = program(m, |_| {});
        let debug = program(m, |s| s.debug.name = b"a.pdb"[..].into());
        assert_eq!(plain.key(), debug.key());
        assert_eq!(plain.object_code(m), debug.object_code(m));
        assert_ne!(pdb::bytes(&plain), pdb::bytes(&debug));
    }
}
