//! The functions of the COMPILER table that are told no `hCompilerDDI`, once for each slot of an open.
//!
//! Each is one jump to a function that knows all about the call but the slot, so that a slot costs 32
//! bytes of code and 16 of addresses.

use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_TARGET, D3D12DDI_HCOMPILER, D3D12DDI_HRTCOMPILER,
    HRESULT, SIZE_T,
};

use crate::boundary;
use crate::open::in_slot;

/// How many opens can be alive at once in a process.
pub(crate) const SLOTS: usize = SIDE * SIDE;

/// Slots are numbered by two digits, since a generic argument cannot be computed from others.
const SIDE: usize = 32;

type CalcSize = unsafe extern "system" fn(
    *const D3D12DDI_COMPILER_TARGET,
    *const D3D12DDI_APPLICATION_DESC,
) -> SIZE_T;

type Create = unsafe extern "system" fn(
    *const D3D12DDI_COMPILER_TARGET,
    *const D3D12DDI_APPLICATION_DESC,
    D3D12DDI_HCOMPILER,
    D3D12DDI_HRTCOMPILER,
) -> HRESULT;

/// What a slot's COMPILER table has for `pfnCalcPrivateCompilerSize` and `pfnCreateCompiler`.
pub(crate) fn functions(slot: usize) -> (CalcSize, Create) {
    FUNCTIONS[slot / SIDE][slot % SIDE]
}

/// Expands a macro with the digits of a slot's number.
macro_rules! with_digits {
    ($name:ident) => {
        $name!(
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        )
    };
}

static FUNCTIONS: [[(CalcSize, Create); SIDE]; SIDE] = {
    macro_rules! rows {
        ($($row:literal)*) => { [$(row::<$row>()),*] };
    }
    with_digits!(rows)
};

const fn row<const ROW: usize>() -> [(CalcSize, Create); SIDE] {
    macro_rules! places {
        ($($place:literal)*) => {
            [$((
                calc_private_compiler_size::<ROW, $place> as CalcSize,
                create_compiler::<ROW, $place> as Create,
            )),*]
        };
    }
    with_digits!(places)
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE: the arguments are valid for the call.
unsafe extern "system" fn calc_private_compiler_size<const ROW: usize, const PLACE: usize>(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
) -> SIZE_T {
    // SAFETY: the arguments are valid for the call (`# Safety`).
    unsafe { calc_size_in(target, application, ROW * SIDE + PLACE) }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CREATE_COMPILER: the arguments are valid for the call, and the memory has the
/// bytes that were calculated and is the object's until it is destroyed.
unsafe extern "system" fn create_compiler<const ROW: usize, const PLACE: usize>(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    _: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    // SAFETY: the arguments are valid for the call, and the memory is the object's (`# Safety`).
    unsafe { create_in(target, application, compiler, ROW * SIDE + PLACE) }
}

/// # Safety
///
/// As for [`calc_private_compiler_size`].
#[inline(never)]
unsafe extern "system" fn calc_size_in(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    slot: usize,
) -> SIZE_T {
    boundary::slot("pfnCalcPrivateCompilerSize", || {
        // SAFETY: the arguments are valid for the call (`# Safety`).
        unsafe { in_slot(slot)?.calc_private_compiler_size(target, application) }
    })
}

/// # Safety
///
/// As for [`create_compiler`].
#[inline(never)]
unsafe extern "system" fn create_in(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    slot: usize,
) -> HRESULT {
    boundary::slot("pfnCreateCompiler", || {
        // SAFETY: the arguments are valid for the call, and the memory is the object's (`# Safety`).
        unsafe { in_slot(slot)?.create_compiler(target, application, compiler) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slot_has_functions_of_its_own() {
        let mut addresses: Vec<_> = (0..SLOTS)
            .flat_map(|slot| {
                let (calc_size, create) = functions(slot);
                [calc_size as usize, create as usize]
            })
            .collect();
        addresses.sort_unstable();
        addresses.dedup();
        assert_eq!(addresses.len(), 2 * SLOTS);
    }
}
