//! Units of compilation: one cached value each.
//!
//! A unit is what a description is reduced to before code is generated. Its object code is a function
//! of its source and the machine alone, and its key is a hash of the same two, so different object code
//! cannot have the same key. Making a unit is cheap; values are made of it only when they are missing
//! from the session.
//!
//! A program with [literals] is two units: a template, which has all of its code but not their values,
//! and a specialization, which has nothing else. Programs that differ in these values alone share the
//! template, and whichever is compiled first stores it.

use std::borrow::Cow;
use std::cell::LazyCell;

use dxil::ShaderKind;
use plugin_sdk::{Key, KeyBuilder, ValueType, ValueTypes, Values};

use crate::families::Machine;
use crate::literals::{self, LiteralField};
use crate::metadata::Provenance;
use crate::object_code::{
    Content, Interface, Link, ObjectCode, Part, Program, Role, RootLayout, Specialization,
};
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
    Program(ProgramSource<'a>, DebugInfo<'a>),
    /// The same, without the values of its literals.
    Template(ProgramSource<'a>),
    /// The values of a template's literals.
    Specialization(Specialization, DebugInfo<'a>),
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
    pub(crate) kind: ShaderKind,
    pub(crate) shader_model: dxil::Version,
    pub(crate) switches: Switches,
    pub(crate) interface: Interface,
    /// A unit has it without the literals.
    pub(crate) bitcode: Cow<'a, [u8]>,
    /// By their places.
    pub(crate) literals: Vec<LiteralField>,
    /// Those of the literals; in a template 0.
    pub(crate) values: Vec<u64>,
}

/// Debug information that came with a program; empty where none did. Code is the same with and without
/// it, so it is not in the key: a PDB is that of the first compile which stored one. It shows the values
/// of literals, so of a template and a specialization it belongs to the latter.
#[derive(Default)]
pub(crate) struct DebugInfo<'a> {
    /// The name of the PDB that the DXIL compiler wrote.
    pub(crate) name: Cow<'a, str>,
    /// The program with debug information.
    pub(crate) program: Cow<'a, [u8]>,
}

impl<'a> Unit<'a> {
    /// A program in one piece.
    pub(crate) fn program(
        machine: Machine,
        mut source: ProgramSource<'a>,
        debug: DebugInfo<'a>,
    ) -> Self {
        source.take_out_literals();
        Self {
            key: source.key(machine, "fabrikam.program"),
            source: Source::Program(source, debug),
        }
    }

    /// A program whose literals are left open, whatever they are in the bitcode.
    pub(crate) fn template(machine: Machine, mut source: ProgramSource<'a>) -> Self {
        source.take_out_literals();
        source.values.fill(0);
        Self {
            key: source.key(machine, "fabrikam.template"),
            source: Source::Template(source),
        }
    }

    /// What a program is besides its template.
    pub(crate) fn specialization(
        machine: Machine,
        template: &Unit<'_>,
        kind: ShaderKind,
        values: Vec<u64>,
        debug: DebugInfo<'a>,
    ) -> Self {
        let key = key(machine, "fabrikam.specialization").key("template", &template.key);
        let key = values
            .iter()
            .fold(key, |key, &value| key.u64("value", value));
        let specialization = Specialization {
            kind,
            template: template.key_bytes(),
            values,
        };
        Self {
            key: key.finish(),
            source: Source::Specialization(specialization, debug),
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

    /// The key, as links have it.
    pub(crate) fn key_bytes(&self) -> [u8; 32] {
        let mut key = [0; 32];
        // Keys of KeyBuilder have this length.
        key.copy_from_slice(self.key.as_bytes());
        key
    }

    /// The unit as part of a link; `None` for a template, which its specializations refer to.
    pub(crate) fn part(&self) -> Option<Part> {
        let role = match &self.source {
            Source::Program(program, _) => Role::Program(program.kind),
            Source::Specialization(specialization, _) => Role::Program(specialization.kind),
            Source::Template(_) => return None,
            Source::RootSignature(_) => Role::RootSignature,
            Source::Link { .. } => Role::Link,
        };
        let key = self.key_bytes();
        Some(Part { role, key })
    }

    /// The unit without borrows, to be kept.
    pub(crate) fn into_owned(self) -> Unit<'static> {
        Unit {
            key: self.key,
            source: match self.source {
                Source::Program(program, debug) => {
                    Source::Program(program.into_owned(), debug.into_owned())
                }
                Source::Template(program) => Source::Template(program.into_owned()),
                Source::Specialization(specialization, debug) => {
                    Source::Specialization(specialization, debug.into_owned())
                }
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
        let code = LazyCell::new(|| self.object_code(machine).to_bytes());
        let value = |kind| match kind {
            ValueType::ObjectCode => Some(code.clone()),
            ValueType::Metadata => Some(metadata::text(provenance, self, &code)),
            ValueType::DebugPdb => Some(pdb::bytes(self)),
            ValueType::PerformanceData => Some(performance::bytes(self)),
            // A later type, which this compiler has nothing for.
            _ => None,
        };
        types
            .types()
            .filter_map(|kind| Some((kind, value(kind)?)))
            .collect()
    }

    /// The unit's object code.
    pub(crate) fn object_code(&self, machine: Machine) -> ObjectCode<'_> {
        ObjectCode {
            isa: machine.isa,
            abi_version: machine.abi.version,
            content: match &self.source {
                Source::Program(source, _) => Content::Program(Program {
                    literals: Vec::new(),
                    ..source.code(machine)
                }),
                Source::Template(source) => Content::Program(source.code(machine)),
                Source::Specialization(specialization, _) => {
                    Content::Specialization(Cow::Borrowed(specialization))
                }
                Source::RootSignature(layout) => Content::RootSignature(Cow::Borrowed(layout)),
                Source::Link { link, .. } => Content::Link(Cow::Borrowed(link)),
            },
        }
    }
}

impl ProgramSource<'_> {
    fn key(&self, machine: Machine, domain: &str) -> Key {
        let mut interface = Vec::new();
        self.interface.write(&mut interface);
        let model = self.shader_model;
        let key = key(machine, domain)
            .u64("kind", self.kind as u64)
            .u64(
                "shader model",
                u64::from(model.major) << 32 | u64::from(model.minor),
            )
            .u64("switches", self.switches.bits().into())
            .bytes("interface", &interface)
            .bytes("bitcode", &self.bitcode);
        let literals = self.literals.iter().zip(&self.values);
        literals
            .fold(key, |key, (literal, &value)| {
                key.u64("literal", literal.bit)
                    .u64("len", literal.len)
                    .u64("width", literal.width.into())
                    .u64("value", value)
            })
            .finish()
    }

    fn take_out_literals(&mut self) {
        if !self.literals.is_empty() {
            literals::clear(self.bitcode.to_mut(), &self.literals);
        }
    }

    /// The program's code, and where its literals are.
    fn code(&self, machine: Machine) -> Program<'_> {
        let (instructions, literals) = program::instructions(machine, self);
        Program {
            kind: self.kind,
            shader_model: self.shader_model,
            switches: self.switches.bits(),
            interface: Cow::Borrowed(&self.interface),
            literals,
            instructions: instructions.into(),
        }
    }

    fn into_owned(self) -> ProgramSource<'static> {
        ProgramSource {
            bitcode: self.bitcode.into_owned().into(),
            ..self
        }
    }
}

impl DebugInfo<'_> {
    fn into_owned(self) -> DebugInfo<'static> {
        DebugInfo {
            name: self.name.into_owned().into(),
            program: self.program.into_owned().into(),
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
    use crate::object_code::{Attribute, Element, EntryPoint, Resource, Sampler};

    fn machine(family: usize, abi: usize) -> Machine {
        let family = &FAMILIES[family];
        Machine {
            isa: family.isa,
            abi: &family.abis[abi],
        }
    }

    fn source() -> ProgramSource<'static> {
        ProgramSource {
            kind: ShaderKind::Vertex,
            shader_model: dxil::Version { major: 6, minor: 0 },
            switches: Switches::NONE,
            interface: Interface::default(),
            bitcode: vec![1, 2, 3, 4].into(),
            literals: Vec::new(),
            values: Vec::new(),
        }
    }

    fn program(machine: Machine, change: impl Fn(&mut ProgramSource<'static>)) -> Unit<'static> {
        let mut source = source();
        change(&mut source);
        Unit::program(machine, source, DebugInfo::default())
    }

    fn with_literal(literal: LiteralField, value: u64) -> ProgramSource<'static> {
        ProgramSource {
            literals: vec![literal],
            values: vec![value],
            ..source()
        }
    }

    fn template(machine: Machine, literal: LiteralField) -> Unit<'static> {
        Unit::template(machine, with_literal(literal, 1))
    }

    const LITERAL: LiteralField = LiteralField {
        bit: 3,
        len: 24,
        width: 16,
    };

    fn specialization(template: &Unit<'_>, values: &[u64]) -> Unit<'static> {
        let (machine, kind) = (machine(0, 0), ShaderKind::Vertex);
        let debug = DebugInfo::default();
        Unit::specialization(machine, template, kind, values.to_vec(), debug)
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
            (m, program(m, |s| s.kind = ShaderKind::Pixel)),
            (m, program(m, |s| s.shader_model.minor = 5)),
            (m, program(m, |s| s.interface.flags = 1)),
            (
                m,
                program(m, |s| s.interface.entry_points.push(EntryPoint::default())),
            ),
            (
                m,
                program(m, |s| s.interface.attributes.push(Attribute::default())),
            ),
            (
                m,
                program(m, |s| s.interface.resources.push(Resource::default())),
            ),
            (
                m,
                program(m, |s| s.interface.samplers.push(Sampler::default())),
            ),
            (m, program(m, |s| *s = with_literal(LITERAL, 1))),
            (m, program(m, |s| *s = with_literal(LITERAL, 2))),
            (m, Unit::root_signature(m, RootLayout::default())),
            (m, template(m, LITERAL)),
            (m, template(m, LiteralField { len: 20, ..LITERAL })),
            (
                m,
                template(
                    m,
                    LiteralField {
                        width: 32,
                        ..LITERAL
                    },
                ),
            ),
            (m, specialization(&template(m, LITERAL), &[1])),
            (m, specialization(&template(m, LITERAL), &[2])),
            (m, specialization(&template(m, LITERAL), &[1, 2])),
            (m, specialization(&program(m, |_| {}), &[1])),
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
        let info = DebugInfo {
            name: "a.pdb".into(),
            ..DebugInfo::default()
        };
        let debug = Unit::program(m, source(), info);
        assert_eq!(plain.key(), debug.key());
        assert_eq!(plain.object_code(m), debug.object_code(m));
        assert_ne!(pdb::bytes(&plain), pdb::bytes(&debug));
    }

    #[test]
    fn a_template_does_not_depend_on_the_values_in_its_bitcode() {
        let m = machine(0, 0);
        let with = |bitcode: [u8; 4]| {
            let source = ProgramSource {
                bitcode: bitcode.to_vec().into(),
                ..with_literal(LITERAL, bitcode[1].into())
            };
            Unit::template(m, source)
        };
        let (a, b) = (with([0xAF, 1, 2, 0xF8]), with([0x57, 3, 4, 0xFF]));
        assert_eq!(a.key(), b.key());
        assert_eq!(a.object_code(m), b.object_code(m));
        // The bits before and behind the literal are part of the code.
        for other in [[0x50, 3, 4, 0xFF], [0x57, 3, 4, 0xF7]] {
            assert_ne!(a.key(), with(other).key());
            assert_ne!(a.object_code(m), with(other).object_code(m));
        }
        assert_eq!(a.part(), None);
        let part = specialization(&a, &[7]).part().unwrap();
        assert_eq!(part.role, Role::Program(ShaderKind::Vertex));
    }
}
