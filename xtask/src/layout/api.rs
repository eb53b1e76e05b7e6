use static_assertions::const_assert;
use windows_core::{GUID, Interface};

macro_rules! slot {
    ($table:ident, $method:ident, $slot:literal) => {
        const_assert_eq!(offset_of!($table, $method), $slot * size_of::<usize>());
    };
}

macro_rules! iid {
    ($guid:expr, $value:literal) => {
        const_assert!(same($guid, $value));
    };
}

const fn same(guid: GUID, value: u128) -> bool {
    guid.to_u128() == value
}

// The only constant that is no number.
// SAFETY: a string with a NUL.
const _: () = assert!(unsafe { *D3D_SHADER_CACHE_NO_SODB.0 } == 0);

