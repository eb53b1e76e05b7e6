//! Debug information.
//!
//! | offset | bytes | member |
//! |---|---|---|
//! | 0 | 4 | `FBDB` |
//! | 4 | 4 | version, 1 |
//! | 8 | 8 | length of the name |
//! | 16 | | name of the PDB |
//! | | the rest | the DXIL program with debug information, where the host passed one |
//!
//! A host that passes bare programs passes no debug information: then the name is the value's key, by
//! which an address in its code is told from one in other code, and nothing follows.

use crate::unit::{DebugInfo, Source, Unit};

/// The PDB of a unit.
pub(crate) fn bytes(unit: &Unit<'_>) -> Vec<u8> {
    let none = DebugInfo::default();
    let debug = match unit.source() {
        Source::Program(_, debug) | Source::Specialization(_, debug) => debug,
        Source::Template(_) | Source::RootSignature(_) | Source::Link { .. } => &none,
    };
    let own = format!("{:?}.pdb", unit.key());
    let name = if debug.name.is_empty() {
        own.as_bytes()
    } else {
        debug.name.as_bytes()
    };
    let mut bytes = Vec::with_capacity(16 + name.len() + debug.program.len());
    bytes.extend_from_slice(b"FBDB");
    bytes.extend_from_slice(&1u32.to_le_bytes());
    bytes.extend_from_slice(&(name.len() as u64).to_le_bytes());
    bytes.extend_from_slice(name);
    bytes.extend_from_slice(&debug.program);
    bytes
}
