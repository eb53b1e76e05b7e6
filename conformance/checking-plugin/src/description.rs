//! What a description of a state object held when it came. H-10.

use std::slice;

use ddi_sys::{
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_STATE_SUBOBJECT_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
};

/// The description, its array of subobjects, and the programs of its libraries.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Description {
    header: (i32, u32, usize),
    subobjects: Vec<(i32, usize)>,
    programs: Vec<Vec<u32>>,
}

impl Description {
    /// # Safety
    /// `desc` is null or what the DDI says.
    pub(crate) unsafe fn read(desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054) -> Self {
        let mut this = Self {
            header: (0, 0, 0),
            subobjects: Vec::new(),
            programs: Vec::new(),
        };
        // SAFETY: the caller's promise.
        let Some(desc) = (unsafe { desc.as_ref() }) else {
            return this;
        };
        this.header = (desc.Type.0, desc.NumSubobjects, desc.pSubobjects.addr());
        if desc.pSubobjects.is_null() {
            return this;
        }
        // SAFETY: the DDI's promise: as many as it says.
        let subobjects: &[D3D12DDI_STATE_SUBOBJECT_0054] =
            unsafe { slice::from_raw_parts(desc.pSubobjects, desc.NumSubobjects as usize) };
        for subobject in subobjects {
            this.subobjects
                .push((subobject.Type.0, subobject.pDesc.addr()));
            if subobject.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY {
                let library: *const D3D12DDI_DXIL_LIBRARY_DESC_0054 = subobject.pDesc.cast();
                // SAFETY: the DDI's promise for the type.
                let program = unsafe { library.as_ref() }.map(|library| library.pDXILLibrary);
                // SAFETY: the DDI's promise: the second word of a program is its size in words.
                let words = program
                    .filter(|program| !program.is_null())
                    .map(|program| unsafe {
                        slice::from_raw_parts(program, program.add(1).read() as usize).to_vec()
                    });
                this.programs.extend(words);
            }
        }
        this
    }
}
