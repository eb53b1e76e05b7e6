//! Performance data: what a tool shows of the code.
//!
//! | offset | bytes | member |
//! |---|---|---|
//! | 0 | 4 | `FBPD` |
//! | 4 | 4 | version, 1 |
//! | 8 | 4 | instructions |
//! | 12 | 4 | vector registers |
//! | 16 | 4 | waves that a core can hold |
//! | 20 | 4 | root arguments in registers: of a root signature all, of a program those that it uses |
//! | 24 | 4 | root arguments in memory |
//! | 28 | 4 | other values that are linked or specialized |

use crate::interface;
use crate::object_code::Element;
use crate::root_layout;
use crate::unit::{Source, Unit};

/// Vector registers of a core.
const REGISTERS: u32 = 1024;
/// Most waves of a core.
const WAVES: u32 = 16;

/// The performance data of a unit. As code generation is a stand-in, instructions and registers are
/// estimates: an instruction for each word of bitcode, four registers for each row of the signatures.
pub(crate) fn bytes(unit: &Unit<'_>) -> Vec<u8> {
    let (mut instructions, mut registers, mut parts) = (0, 0, 0);
    let places: Vec<u32> = match unit.source() {
        Source::Program(program, _) | Source::Template(program) => {
            let i = &program.interface;
            instructions = count(program.bitcode.len() / 4);
            let rows = rows(&i.inputs)
                .max(rows(&i.outputs))
                .max(rows(&i.patch_constants));
            registers = rows.saturating_add(2).saturating_mul(4).min(REGISTERS / 4);
            let bound = i.resources.iter().filter(|r| r.access < interface::UNBOUND);
            bound.map(|r| r.place).collect()
        }
        Source::RootSignature(layout) => layout.arguments.iter().map(|a| a.place).collect(),
        Source::Specialization(..) => {
            parts = 1;
            Vec::new()
        }
        Source::Link { link, .. } => {
            parts = count(link.parts.len());
            Vec::new()
        }
    };
    let spilled = places
        .iter()
        .filter(|&&place| root_layout::is_in_memory(place))
        .count();
    let waves = REGISTERS.checked_div(registers).unwrap_or(0).min(WAVES);
    let members = [
        1,
        instructions,
        registers,
        waves,
        count(places.len() - spilled),
        count(spilled),
        parts,
    ];
    let members = members.into_iter().flat_map(u32::to_le_bytes);
    b"FBPD".iter().copied().chain(members).collect()
}

/// How many registers the elements take.
fn rows(elements: &[Element]) -> u32 {
    let registers = elements
        .iter()
        .map(|e| e.register)
        .filter(|&r| r != u32::MAX);
    registers
        .max()
        .map_or(0, |register| register.saturating_add(1))
}

fn count(items: usize) -> u32 {
    items.try_into().unwrap_or(u32::MAX)
}
