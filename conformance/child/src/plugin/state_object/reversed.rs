//! The same state object with its subobjects the other way round.

use std::{ptr, slice};

use ddi_sys::{
    D3D12DDI_FUNCTION_SUMMARY_0054, D3D12DDI_FUNCTION_SUMMARY_NODE_0054,
    D3D12DDI_GENERIC_PROGRAM_DESC_0108, D3D12DDI_STATE_SUBOBJECT_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    UINT,
};

/// The description with its subobjects in reverse. It stays until the process ends.
pub(crate) fn reversed(
    arg: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> *const D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
    // SAFETY: a description that `translate` made, which stays, with an array of as many subobjects as it says.
    let (arg, subobjects) = unsafe {
        let count = (*arg).NumSubobjects as usize;
        (*arg, slice::from_raw_parts((*arg).pSubobjects, count))
    };
    let copies: Vec<_> = subobjects.iter().rev().copied().collect();
    let copies = copies.leak();
    let moved = Moved {
        from: subobjects,
        to: copies.as_mut_ptr(),
    };
    for copy in copies {
        match copy.Type {
            D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => {
                let program: *const D3D12DDI_GENERIC_PROGRAM_DESC_0108 = copy.pDesc.cast();
                // SAFETY: a subobject of this type has this description.
                let program = unsafe { *program };
                copy.pDesc = leaked(D3D12DDI_GENERIC_PROGRAM_DESC_0108 {
                    pSubobjects: moved.list(program.pSubobjects, program.NumSubobjects),
                    ..program
                })
                .cast();
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY => {
                let summary: *const D3D12DDI_FUNCTION_SUMMARY_0054 = copy.pDesc.cast();
                // SAFETY: a subobject of this type has this description, with as many summaries as it says.
                let (summary, of) = unsafe {
                    let count = (*summary).NumExportedFunctions as usize;
                    let of = match count {
                        0 => &[][..],
                        _ => slice::from_raw_parts((*summary).pSummaries, count),
                    };
                    (*summary, of)
                };
                let of = of.iter().map(|of| D3D12DDI_FUNCTION_SUMMARY_NODE_0054 {
                    ppAssociatedSubobjects: moved
                        .list(of.ppAssociatedSubobjects, of.NumAssociatedSubobjects),
                    ..*of
                });
                copy.pDesc = leaked(D3D12DDI_FUNCTION_SUMMARY_0054 {
                    pSummaries: of.collect::<Vec<_>>().leak().as_ptr(),
                    ..summary
                })
                .cast();
            }
            _ => {}
        }
    }
    leaked(D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
        pSubobjects: moved.to,
        ..arg
    })
}

fn leaked<T>(value: T) -> *const T {
    ptr::from_ref(Box::leak(Box::new(value)))
}

/// Where subobjects are now.
struct Moved {
    from: &'static [D3D12DDI_STATE_SUBOBJECT_0054],
    to: *mut D3D12DDI_STATE_SUBOBJECT_0054,
}

impl Moved {
    /// A list of subobjects. Those of collections stay where they are.
    fn list(
        &self,
        list: *const *const D3D12DDI_STATE_SUBOBJECT_0054,
        count: UINT,
    ) -> *const *const D3D12DDI_STATE_SUBOBJECT_0054 {
        if count == 0 {
            return list;
        }
        // SAFETY: a list in the description, with as many pointers as that says.
        let list = unsafe { slice::from_raw_parts(list, count as usize) };
        let list = list.iter().map(|&listed| {
            let place = self.from.iter().position(|own| ptr::eq(own, listed));
            let last = self.from.len() - 1;
            place.map_or(listed, |place| {
                self.to.wrapping_add(last - place).cast_const()
            })
        });
        list.collect::<Vec<_>>().leak().as_ptr()
    }
}
