//! The description of a state object, each part of it between guard pages.

use std::sync::Arc;
use std::{ptr, slice};

use ddi_sys::{
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_EXISTING_COLLECTION_DESC_0054,
    D3D12DDI_EXPORT_DESC_0054, D3D12DDI_FUNCTION_SUMMARY_0054, D3D12DDI_GENERIC_PROGRAM_DESC_0108,
    D3D12DDI_HIT_GROUP_DESC_0054, D3D12DDI_NODE_MASK_0054,
    D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075, D3D12DDI_RAYTRACING_SHADER_CONFIG_0054,
    D3D12DDI_STATE_OBJECT_CONFIG_0054, D3D12DDI_STATE_SUBOBJECT_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM, D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP,
    D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
};

use super::Description;
use crate::arena::Piece;
use crate::memory::Place;
use crate::verdict::Stop;

impl Description {
    /// A copy of it with the argument, the array of subobjects, and the structures, arrays, programs and strings of
    /// subobjects, each in pages of its own, which stay as long as the pieces do.
    pub(crate) fn set_apart(&self, place: Place) -> Result<(Self, Vec<Piece>), Stop> {
        // SAFETY: a description that `translate` made has an array of as many subobjects as it says, each of which
        // has the structure of its type.
        unsafe {
            let mut arg = self.arg().read();
            let subobjects = slice::from_raw_parts(arg.pSubobjects, arg.NumSubobjects as usize);
            let mut apart = Apart {
                place,
                pieces: Vec::new(),
                subobjects,
                copies: ptr::null_mut(),
            };
            let count = subobjects.len();
            apart.copies = apart.copy(subobjects.as_ptr(), count, "the array of subobjects")?;
            for index in 0..count {
                apart.subobject(&mut *apart.copies.add(index))?;
            }
            arg.pSubobjects = apart.copies;
            let arg = apart.structure(arg, "the argument")?.cast();
            let translated = Arc::clone(&self.translated);
            Ok((Self { translated, arg }, apart.pieces))
        }
    }
}

struct Apart<'d> {
    place: Place,
    pieces: Vec<Piece>,
    subobjects: &'d [D3D12DDI_STATE_SUBOBJECT_0054],
    /// As many as there are subobjects.
    copies: *mut D3D12DDI_STATE_SUBOBJECT_0054,
}

impl Apart<'_> {
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
                D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY => {
                    let mut summary = desc.cast::<D3D12DDI_FUNCTION_SUMMARY_0054>().read();
                    let count = summary.NumExportedFunctions;
                    summary.pSummaries = self.array(
                        summary.pSummaries,
                        count,
                        "the array of summaries",
                        |apart, node| {
                            node.ExportNameUnmangled = apart.string(node.ExportNameUnmangled)?;
                            node.ExportNameMangled = apart.string(node.ExportNameMangled)?;
                            let (list, count) =
                                (node.ppAssociatedSubobjects, node.NumAssociatedSubobjects);
                            node.ppAssociatedSubobjects = apart.list(list, count)?;
                            Ok(())
                        },
                    )?;
                    self.structure(summary, "the summary of exports")?
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => {
                    let mut program = desc.cast::<D3D12DDI_GENERIC_PROGRAM_DESC_0108>().read();
                    program.ProgramName = self.string(program.ProgramName)?;
                    let names = self.array(
                        program.pExports,
                        program.NumExports,
                        "the array of names",
                        |apart, name| {
                            *name = apart.string(*name)?;
                            Ok(())
                        },
                    )?;
                    program.pExports = names;
                    program.pSubobjects = self.list(program.pSubobjects, program.NumSubobjects)?;
                    self.structure(program, "a program's description")?
                }
                _ => desc,
            }
        };
        Ok(())
    }

    /// # Safety
    ///
    /// The list has as many subobjects.
    unsafe fn list(
        &mut self,
        list: *const *const D3D12DDI_STATE_SUBOBJECT_0054,
        count: u32,
    ) -> Result<*const *const D3D12DDI_STATE_SUBOBJECT_0054, Stop> {
        // SAFETY: as this function demands.
        let list = unsafe {
            self.array(list, count, "the list of subobjects", |apart, listed| {
                // Those of collections are in their descriptions.
                let mut own = apart.subobjects.iter();
                if let Some(index) = own.position(|own| ptr::eq(own, *listed)) {
                    *listed = apart.copies.wrapping_add(index);
                }
                Ok(())
            })
        };
        Ok(list?)
    }

    /// The array, with what `each` makes of each of its values.
    ///
    /// # Safety
    ///
    /// The array has as many values, with every byte set.
    unsafe fn array<T: Copy>(
        &mut self,
        values: *const T,
        count: u32,
        what: &str,
        mut each: impl FnMut(&mut Self, &mut T) -> Result<(), Stop>,
    ) -> Result<*mut T, Stop> {
        if count == 0 {
            return Ok(values.cast_mut());
        }
        // SAFETY: as this function demands; the copy has as many values.
        unsafe {
            let copy = self.copy(values, count as usize, what)?;
            for index in 0..count as usize {
                each(self, &mut *copy.add(index))?;
            }
            Ok(copy)
        }
    }

    /// # Safety
    ///
    /// The array has as many exports.
    unsafe fn exports(
        &mut self,
        exports: *mut D3D12DDI_EXPORT_DESC_0054,
        count: u32,
    ) -> Result<*mut D3D12DDI_EXPORT_DESC_0054, Stop> {
        // SAFETY: as this function demands; the strings are null or end with a NUL.
        unsafe {
            self.array(exports, count, "the array of exports", |apart, export| {
                export.Name = apart.string(export.Name)?;
                export.ExportToRename = apart.string(export.ExportToRename)?;
                Ok(())
            })
        }
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

#[cfg(test)]
mod tests {
    use super::super::{From, KINDS};
    use super::{
        D3D12DDI_FUNCTION_SUMMARY_0054, D3D12DDI_GENERIC_PROGRAM_DESC_0108,
        D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
        D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY,
    };
    use crate::memory::Place;
    use std::slice::from_raw_parts;

    #[test]
    fn copies_point_at_copies() {
        let (mut associated, mut listed) = (0, 0);
        for kind in KINDS {
            let From::Nothing = kind.from else { continue };
            let of_kind = kind.described(None).unwrap();
            let (apart, _pieces) = of_kind.set_apart(Place::End).unwrap();
            // SAFETY: the pieces have the copies, with as many values as they say.
            unsafe {
                let (old, new) = (*of_kind.arg(), *apart.arg());
                assert_eq!(old.NumSubobjects, new.NumSubobjects);
                assert_ne!(old.pSubobjects, new.pSubobjects);
                let subobjects = from_raw_parts(new.pSubobjects, new.NumSubobjects as usize);
                let copies = subobjects.as_ptr_range();
                for subobject in subobjects {
                    if subobject.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY {
                        let summary = *subobject.pDesc.cast::<D3D12DDI_FUNCTION_SUMMARY_0054>();
                        for index in 0..summary.NumExportedFunctions as usize {
                            let node = *summary.pSummaries.add(index);
                            for at in 0..node.NumAssociatedSubobjects as usize {
                                let one = *node.ppAssociatedSubobjects.add(at);
                                assert!(copies.contains(&one), "{}", kind.name);
                                associated += 1;
                            }
                        }
                    }
                    if subobject.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM {
                        let program = *subobject.pDesc.cast::<D3D12DDI_GENERIC_PROGRAM_DESC_0108>();
                        for at in 0..program.NumSubobjects as usize {
                            let one = *program.pSubobjects.add(at);
                            assert!(copies.contains(&one), "{}", kind.name);
                            listed += 1;
                        }
                    }
                }
            }
        }
        assert!(associated > 0 && listed > 0, "{associated}, {listed}");
    }
}
