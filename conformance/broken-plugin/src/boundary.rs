//! Defects in how a call ends: by a panic.

use base_plugin::{SLOTS, defects, per_slot};
use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_TARGET, D3D12DDI_HCOMPILER, D3D12DDI_HRTCOMPILER,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, E_INVALIDARG, HRESULT,
    PFND3D12DDI_COMPILER_CREATE_COMPILER,
};

use crate::capabilities::exists;
use crate::compiler::{MAGIC, create_compiler, shaders};
use crate::defect::{Defect, selected};
use crate::layer;

/// The defects of this file.
#[macro_export]
macro_rules! boundary_defects {
    ($take:ident) => {
        $take! {
            /// In the end of a call.
            Boundary {
                PanicsForMalformed = "boundary-panics-for-malformed" breaks P_BND_01:
                    "a compile panics for a program without the magic of DXIL",
                    also P_PSO_17 because "the panic ends the process of its test",
                    also P_PSO_24 because "the panic ends the process of its test";
                PanicsWhereCallbacksFail = "boundary-panics-where-callbacks-fail" breaks P_BND_01:
                    "a compile panics where a callback fails",
                    also P_PSO_14 because "the panic ends the process of its test";
                UnwindsForUnknown = "boundary-unwinds-for-unknown" breaks P_BND_01:
                    "a panic leaves pfnCreateCompiler for a target that does not exist",
                    also P_CMP_05 because "the panic ends the process of its test";
            }
        }
    };
}

boundary_defects!(defects);

/// What a defect does where the compile of a pipeline fails.
///
/// # Panics
///
/// That is the defect.
///
/// # Safety
///
/// The description is null or valid.
pub(crate) unsafe fn after_pipeline(
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    result: HRESULT,
) {
    match selected() {
        Some(Defect::Boundary(Boundary::PanicsForMalformed)) => {
            // SAFETY: null or valid, as this function demands.
            let mut programs = unsafe { desc.as_ref() }.into_iter().flat_map(shaders);
            // SAFETY: the host's code is as long as its header says, which is longer than this.
            let has_magic = |code: *const u32| unsafe { code.add(2).read() } == MAGIC;
            assert!(
                programs.all(|(_, code)| has_magic(code)),
                "a malformed program"
            );
        }
        Some(Defect::Boundary(Boundary::PanicsWhereCallbacksFail)) => {
            assert!(
                result.is_ok() || result == E_INVALIDARG,
                "a callback failed"
            );
        }
        _ => {}
    }
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
    // SAFETY: what this function demands.
    let result = unsafe { create_compiler::<SLOT>(target, application, compiler, runtime) };
    // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: the target is null or valid for the call.
    if let (Some(target), Some(open)) = (unsafe { target.as_ref() }, layer::OPENS.in_slot(SLOT)) {
        assert!(exists(&open, *target), "no such target");
    }
    result
}

type CreateOrUnwind = unsafe extern "system-unwind" fn(
    *const D3D12DDI_COMPILER_TARGET,
    *const D3D12DDI_APPLICATION_DESC,
    D3D12DDI_HCOMPILER,
    D3D12DDI_HRTCOMPILER,
) -> HRESULT;

const fn unwinding<const SLOT: usize>() -> CreateOrUnwind {
    create_or_unwind::<SLOT>
}

static UNWINDING: [CreateOrUnwind; SLOTS] = per_slot!(unwinding);

/// The pfnCreateCompiler of a slot that a defect has in place of `usual`.
pub(crate) fn creation(
    slot: usize,
    usual: PFND3D12DDI_COMPILER_CREATE_COMPILER,
) -> PFND3D12DDI_COMPILER_CREATE_COMPILER {
    if selected() == Some(Defect::Boundary(Boundary::UnwindsForUnknown)) {
        // SAFETY: an `Option` of a function is one, and the types differ in nothing but that a panic may leave this one;
        // that is the defect.
        unsafe {
            std::mem::transmute::<CreateOrUnwind, PFND3D12DDI_COMPILER_CREATE_COMPILER>(
                UNWINDING[slot],
            )
        }
    } else {
        usual
    }
}
