//! The description of a state object with what its subobjects lead to between guard pages.

use std::{ptr, slice};

use ddi_sys::{
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_EXISTING_COLLECTION_DESC_0054,
    D3D12DDI_EXPORT_DESC_0054, D3D12DDI_HIT_GROUP_DESC_0054, D3D12DDI_NODE_MASK_0054,
    D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075, D3D12DDI_RAYTRACING_SHADER_CONFIG_0054,
    D3D12DDI_STATE_OBJECT_CONFIG_0054, D3D12DDI_STATE_SUBOBJECT_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
    D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP, D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
};

use super::Description;
use crate::arena::Piece;
use crate::memory::Place;
use crate::verdict::Stop;

impl Description {
    /// Moves the structures, programs and strings of its subobjects to pages of their own. The subobjects
    /// stay where they are, as other structures point to them. No plugin has seen the description yet.
    pub(crate) fn set_apart(&self, place: Place) -> Result<Vec<Piece>, Stop> {
        let mut apart = Apart {
            place,
            pieces: Vec::new(),
        };
        // SAFETY: a description that `translate` made has an array of as many subobjects as it says.
        let subobjects = unsafe {
            let arg = &*self.arg();
            let first = arg.pSubobjects.cast_mut();
            (0..arg.NumSubobjects as usize).map(move |at| first.add(at))
        };
        for subobject in subobjects {
            // SAFETY: of a description of ours, in writable memory that nobody reads meanwhile; it has the
            // structure of its type.
            unsafe { apart.subobject(&mut *subobject) }?;
        }
        Ok(apart.pieces)
    }
}

struct Apart {
    place: Place,
    pieces: Vec<Piece>,
}

impl Apart {
    /// # Safety
    ///
    /// The subobject has the structure of its type, as `translate` makes it.
    unsafe fn subobject(
        &mut self,
        subobject: &mut D3D12DDI_STATE_SUBOBJECT_0054,
    ) -> Result<(), Stop> {
        let desc = subobject.pDesc;
        // SAFETY: as this function demands; so do the strings end with a NUL, and the arrays have as many
        // exports as their structures say.
        subobject.pDesc = unsafe {
            match subobject.Type {
                D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => {
                    let mut library = desc.cast::<D3D12DDI_DXIL_LIBRARY_DESC_0054>().read();
                    library.pDXILLibrary = self.program(library.pDXILLibrary)?;
                    library.pExports = self.exports(library.pExports, library.NumExports)?;
                    self.structure(library, "a library's description")?
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION => {
                    let mut collection =
                        desc.cast::<D3D12DDI_EXISTING_COLLECTION_DESC_0054>().read();
                    collection.pExports =
                        self.exports(collection.pExports, collection.NumExports)?;
                    self.structure(collection, "a collection's description")?
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP => {
                    let mut group = desc.cast::<D3D12DDI_HIT_GROUP_DESC_0054>().read();
                    for name in [
                        &mut group.HitGroupExport,
                        &mut group.AnyHitShaderImport,
                        &mut group.ClosestHitShaderImport,
                        &mut group.IntersectionShaderImport,
                    ] {
                        *name = self.string(*name)?;
                    }
                    self.structure(group, "a hit group's description")?
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => {
                    let config = desc.cast::<D3D12DDI_STATE_OBJECT_CONFIG_0054>().read();
                    self.structure(config, "the state object's configuration")?
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK => {
                    let mask = desc.cast::<D3D12DDI_NODE_MASK_0054>().read();
                    self.structure(mask, "the node mask")?
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG => {
                    let config = desc.cast::<D3D12DDI_RAYTRACING_SHADER_CONFIG_0054>().read();
                    self.structure(config, "the shader configuration")?
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG => {
                    let config = desc
                        .cast::<D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075>()
                        .read();
                    self.structure(config, "the pipeline configuration")?
                }
                _ => desc,
            }
        };
        Ok(())
    }

    /// # Safety
    ///
    /// The array has as many exports.
    unsafe fn exports(
        &mut self,
        exports: *mut D3D12DDI_EXPORT_DESC_0054,
        count: u32,
    ) -> Result<*mut D3D12DDI_EXPORT_DESC_0054, Stop> {
        if count == 0 {
            return Ok(exports);
        }
        // SAFETY: as this function demands; the strings are null or end with a NUL.
        let array = unsafe {
            let exports = slice::from_raw_parts_mut(exports, count as usize);
            for export in &mut *exports {
                export.Name = self.string(export.Name)?;
                export.ExportToRename = self.string(export.ExportToRename)?;
            }
            self.copy(exports.as_ptr(), exports.len(), "the array of exports")?
        };
        Ok(array)
    }

    /// # Safety
    ///
    /// The program's header is right.
    unsafe fn program(&mut self, program: *const u32) -> Result<*const u32, Stop> {
        // SAFETY: the second word of the header is the number of words.
        unsafe {
            let words = program.add(1).read() as usize;
            Ok(self.copy(program, words, "the library's program")?)
        }
    }

    /// # Safety
    ///
    /// The string is null or ends with a NUL.
    unsafe fn string(&mut self, text: *const u16) -> Result<*const u16, Stop> {
        if text.is_null() {
            return Ok(text);
        }
        // SAFETY: as this function demands.
        unsafe {
            let mut units = 1;
            while text.add(units - 1).read() != 0 {
                units += 1;
            }
            Ok(self.copy(text, units, "a name")?)
        }
    }

    fn structure<T: Copy>(
        &mut self,
        structure: T,
        what: &str,
    ) -> Result<*const std::ffi::c_void, Stop> {
        // SAFETY: one value, whose padding came from the translation, which has zeros there.
        Ok(unsafe { self.copy(ptr::from_ref(&structure), 1, what) }?.cast())
    }

    /// # Safety
    ///
    /// The array has as many values, with every byte set.
    unsafe fn copy<T: Copy>(
        &mut self,
        values: *const T,
        count: usize,
        what: &str,
    ) -> Result<*mut T, Stop> {
        // SAFETY: as this function demands.
        let bytes = unsafe { slice::from_raw_parts(values.cast::<u8>(), count * size_of::<T>()) };
        let piece = Piece::new(what.to_owned(), bytes, align_of::<T>(), self.place)?;
        let copy = piece.ptr();
        self.pieces.push(piece);
        Ok(copy)
    }
}
