//! Defects in how a call ends: by a panic.

use base_plugin::{SLOTS, per_slot};
use ddi_sys::*;
use defects::{Place as _, given, rows};

use crate::about::*;
use crate::compiler::shaders;
use crate::layer::{self, OPENS};
use crate::pipelines::MAGIC;
use crate::places::*;
use crate::targets::exists;

rows! {
    Hook, About;

    "boundary-panics-for-malformed" breaks P_BND_01: "a compile panics for a program without the magic of DXIL",
        also P_PSO_17 P_PSO_24: "the panic ends the process of its test",
        at Pipeline |call| call.after(|call, _| assert!(has_magic(call), "a malformed program"));
    "boundary-panics-where-callbacks-fail" breaks P_BND_01: "a compile panics where a callback fails",
        also P_PSO_14: "the panic ends the process of its test",
        at Pipeline |call| call.after(|_, result| {
            assert!(result.is_ok() || *result == E_INVALIDARG, "a callback failed");
        });
    "boundary-unwinds-for-unknown" breaks P_BND_01: "a panic leaves pfnCreateCompiler for a target that does not exist",
        also P_CMP_05: "the panic ends the process of its test",
        at FillTable unwinding;
}

fn has_magic(call: &Pipeline) -> bool {
    let mut programs = given(call.desc).into_iter().flat_map(shaders);
    // SAFETY: the host's code is as long as its header says, which is longer than this.
    programs.all(|(_, code)| unsafe { code.add(2).read() } == MAGIC)
}

/// pfnCreateCompiler, which a panic may leave.
///
/// # Safety
/// PFND3D12DDI_COMPILER_CREATE_COMPILER.
unsafe extern "system-unwind" fn create_or_unwind<const SLOT: usize>(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    runtime: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    let slot = SLOT;
    let result = Create {
        slot,
        target,
        application,
        compiler,
        runtime,
    }
    .pass();
    if let Some(target) = given(target) {
        assert!(exists(&layer::in_slot(SLOT), *target), "no such target");
    }
    result
}

type CreateOrUnwind = unsafe extern "system-unwind" fn(
    *const D3D12DDI_COMPILER_TARGET,
    *const D3D12DDI_APPLICATION_DESC,
    D3D12DDI_HCOMPILER,
    D3D12DDI_HRTCOMPILER,
) -> HRESULT;

fn unwinding(call: &mut FillTable) -> HRESULT {
    const fn of_slot<const SLOT: usize>() -> CreateOrUnwind {
        create_or_unwind::<SLOT>
    }
    static CREATIONS: [CreateOrUnwind; SLOTS] = per_slot!(of_slot);
    let Some((slot, _)) = OPENS.of(call.handle) else {
        return call.pass();
    };
    call.filled(|table: &mut D3D12DDI_COMPILER_FUNCS| {
        // SAFETY: an `Option` of a function is one, and the types differ in nothing but that a panic may leave this one;
        // that is the defect.
        table.pfnCreateCompiler = unsafe {
            std::mem::transmute::<CreateOrUnwind, PFND3D12DDI_COMPILER_CREATE_COMPILER>(
                CREATIONS[slot],
            )
        };
    })
}
