//! Modules: what they say, and their constants patched.

use std::cell::Cell;

use dxil::constants::Scope;
use dxil::module::Stage;
use dxil::patch::{PatchTable, Patchable, Value};
use dxil::{Form, Module, Program};

/// The first byte is the kind of shader, the rest its bitcode: so that what the fuzzer cuts or
/// inserts does not end at the lengths in the header.
pub fn program(bytes: &[u8]) -> Vec<u8> {
    let (&kind, bitcode) = bytes.split_first().unwrap_or((&5, &[]));
    let padded = bitcode.len().next_multiple_of(4) as u32;
    let len = bitcode.len() as u32;
    let words = [
        u32::from(kind % 16) << 16 | 0x68,
        6 + padded / 4,
        u32::from_le_bytes(*b"DXIL"),
        0x108,
        16,
        len,
    ];
    let mut program: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    program.extend(bitcode);
    program.resize(24 + padded as usize, 0);
    program
}

/// Reads a module to its end: what it refers to is in it.
pub fn module(bytes: &[u8]) {
    let bytes = program(bytes);
    let Ok(program) = Program::parse(&bytes) else {
        return;
    };
    let module = match Module::parse(&program) {
        Ok(module) => module,
        Err(error) => {
            assert!(error.offset <= bytes.len() && !error.to_string().is_empty());
            return;
        }
    };
    let functions = module.functions().len();
    for entry in module.entry_points() {
        assert!(entry.function.is_none_or(|place| place < functions));
        if let Stage::Hull { patch_function, .. } = entry.stage {
            assert!(patch_function.is_none_or(|place| place < functions));
        }
    }
    for constant in module.constants() {
        let end = constant.field.bit + constant.field.len;
        assert!(end <= 8 * program.bitcode().len() as u64);
        assert!(u64::MAX >> (64 - constant.ty.width()) >= constant.bits);
        if let Scope::Function(place) = constant.scope {
            assert!(place < functions);
        }
    }
    let _ = (module.profile(), module.resources().len(), module.flags());
}

/// Patches every constant of a program, or of a container: its own bits change, and no others, and
/// they read as the value.
pub fn patch(bytes: &[u8]) {
    let shader = match bytes.first_chunk().map(|&first| Form::sniff(first)) {
        Some(Form::Container) => bytes.to_vec(),
        _ => program(bytes),
    };
    // Each constant has an id of its own.
    let find = |shader: &[u8]| {
        let count = Cell::new(0);
        PatchTable::find(shader, |_| Some(count.replace(count.get() + 1)))
    };
    let Ok(table) = find(&shader) else {
        return;
    };
    // A few of them, or the fuzzer would get to few inputs.
    let step = table.constants().len() / 8 + 1;
    for (place, constant) in table.constants().iter().enumerate().step_by(step) {
        let bits = bytes[place % bytes.len()];
        let values = [
            Value::Bits(!constant.bits),
            Value::Bits(u64::from(bits).wrapping_mul(0x0101_0101_0101_0101)),
            Value::Integer(-1),
            Value::Float(-0.5),
            Value::Bool(true),
        ];
        for value in values {
            patch_one(&shader, &table, constant, value, &find);
        }
    }
}

fn patch_one(
    shader: &[u8],
    table: &PatchTable,
    constant: &Patchable,
    value: Value,
    find: impl Fn(&[u8]) -> Result<PatchTable, dxil::Error>,
) {
    let mut patched = shader.to_vec();
    if let Err(error) = table.patch(&mut patched, &[(constant.id, value)]) {
        assert!(patched == shader && !error.to_string().is_empty());
        return;
    }
    assert_eq!(patched.len(), shader.len());
    let is_of_constant = |bit: u64| {
        let mut fields = constant.sites.iter().map(|site| site.field);
        fields.any(|field| (field.bit..field.bit + field.len).contains(&bit))
    };
    let bytes = shader.iter().zip(&patched).enumerate();
    for (place, (old, new)) in bytes.filter(|(_, (old, new))| old != new) {
        for bit in (0..8).filter(|bit| (old ^ new) >> bit & 1 != 0) {
            assert!(
                is_of_constant(8 * place as u64 + bit),
                "{value:?} at {place:#x}"
            );
        }
    }
    // Parts of a container may overlap, and then a constant of one can be anything in the other.
    if shader.starts_with(b"DXBC") {
        return;
    }
    let again = find(&patched).expect("a patched program reads as before");
    let bits = value
        .bits(constant.id, constant.ty)
        .expect("it was patched in");
    for (old, new) in table.constants().iter().zip(again.constants()) {
        let expected = if old.id == constant.id {
            bits
        } else {
            old.bits
        };
        assert_eq!((new.id, new.ty, new.bits), (old.id, old.ty, expected));
        assert_eq!(new.sites, old.sites);
    }
    assert_eq!(again.constants().len(), table.constants().len());
}
