//! Flags keep every bit, and name those that they know.

use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_DEBUG_PDB as DEBUG_PDB,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE as OBJECT_CODE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS as Flags,
};

#[test]
fn bits_without_a_name_are_kept() {
    let mut flags = Flags::from_bits_retain(0x4000_0001);
    flags |= DEBUG_PDB;
    assert_eq!(flags.bits(), 0x4000_0001 | DEBUG_PDB.0);
    assert!(flags.contains(OBJECT_CODE | DEBUG_PDB));
    assert_eq!((!flags).bits(), !(0x4000_0001 | DEBUG_PDB.0));
    assert_eq!((flags & Flags::KNOWN), OBJECT_CODE | DEBUG_PDB);
}

#[test]
fn debug_names_bits() {
    let both = OBJECT_CODE | DEBUG_PDB | Flags(0x4000_0000);
    assert_eq!(
        format!("{both:?}"),
        "D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE | \
         D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_DEBUG_PDB | 0x40000000"
    );
}

#[test]
fn layouts_are_those_of_an_int() {
    static_assertions::assert_eq_size!(Flags, i32);
    static_assertions::assert_eq_align!(Flags, i32);
}
