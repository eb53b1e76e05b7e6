//! The description of a state object, each part of it between guard pages.

use std::sync::Arc;
use std::{ptr, slice};

use conformance_catalogue::verdict::{Failure, Stop};
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
use crate::inputs::arena::Piece;
use crate::watch::fault::Watch;
use crate::watch::memory::Place;

impl Description {
    /// A copy of it with the argument, the array of subobjects, and the structures, arrays, programs and strings of
    /// subobjects, each in pages of its own.
    pub(crate) fn set_apart(&self, place: Place) -> Result<Self, Stop> {
        // SAFETY: a description that `translate` made has an array of as many subobjects as it says, each of which
        // has the structure of its type.
        unsafe {
            let (subobjects, count) = ((*self.arg()).pSubobjects, (*self.arg()).NumSubobjects);
            let count = count as usize;
            let mut apart = Apart {
                place,
                pieces: Vec::new(),
                subobjects: if count == 0 {
                    &[]
                } else {
                    slice::from_raw_parts(subobjects, count)
                },
                copies: ptr::null_mut(),
            };
            apart.copies = apart.copy(subobjects, count, "the array of subobjects")?;
            for index in 0..count {
                apart.subobject(&mut *apart.copies.add(index))?;
            }
            let arg = apart.copy(self.arg(), 1, "the argument")?;
            (*arg).pSubobjects = apart.copies;
            Ok(Self {
                translated: Arc::clone(&self.translated),
                pieces: apart.pieces.leak(),
                arg,
            })
        }
    }

    /// Watches of each of its pieces, and of what is beside them.
    pub(crate) fn watches(&self, failure: &Failure) -> Vec<Watch> {
        let pieces = self.pieces.iter();
        pieces.map(|piece| piece.watch(failure)).collect()
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
        /// Copies the structure, and has each of its pointers point at a copy.
        macro_rules! structure {
            ($desc:ty, $what:literal $(, |$apart:ident, $structure:ident| $change:block)?) => {
                self.array(
                    desc.cast::<$desc>(),
                    1,
                    $what,
                    structure!(@change $(|$apart, $structure| $change)?),
                )?
                .cast_const()
                .cast()
            };
            (@change) => {
                |_, _| Ok(())
            };
            (@change |$apart:ident, $structure:ident| $change:block) => {
                |$apart, $structure| {
                    $change
                    Ok(())
                }
            };
        }
        // SAFETY: as this function demands; so do the strings end with a NUL, and the arrays have as many
        // values as their structures say.
        subobject.pDesc = unsafe {
            match subobject.Type {
                D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => structure!(
                    D3D12DDI_DXIL_LIBRARY_DESC_0054,
                    "a library's description",
                    |apart, library| {
                        library.pDXILLibrary = apart.program(library.pDXILLibrary)?;
                        library.pExports = apart.exports(library.pExports, library.NumExports)?;
                    }
                ),
                D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION => structure!(
                    D3D12DDI_EXISTING_COLLECTION_DESC_0054,
                    "a collection's description",
                    |apart, collection| {
                        collection.pExports =
                            apart.exports(collection.pExports, collection.NumExports)?;
                    }
                ),
                D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP => structure!(
                    D3D12DDI_HIT_GROUP_DESC_0054,
                    "a hit group's description",
                    |apart, group| {
                        for name in [
                            &mut group.HitGroupExport,
                            &mut group.AnyHitShaderImport,
                            &mut group.ClosestHitShaderImport,
                            &mut group.IntersectionShaderImport,
                        ] {
                            *name = apart.string(*name)?;
                        }
                    }
                ),
                D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => structure!(
                    D3D12DDI_STATE_OBJECT_CONFIG_0054,
                    "the state object's configuration"
                ),
                D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK => {
                    structure!(D3D12DDI_NODE_MASK_0054, "the node mask")
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG => structure!(
                    D3D12DDI_RAYTRACING_SHADER_CONFIG_0054,
                    "the shader configuration"
                ),
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG => structure!(
                    D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075,
                    "the pipeline configuration"
                ),
                D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY => structure!(
                    D3D12DDI_FUNCTION_SUMMARY_0054,
                    "the summary of exports",
                    |apart, summary| {
                        summary.pSummaries = apart.array(
                            summary.pSummaries,
                            summary.NumExportedFunctions,
                            "the array of summaries",
                            |apart, node| {
                                node.ExportNameUnmangled =
                                    apart.string(node.ExportNameUnmangled)?;
                                node.ExportNameMangled = apart.string(node.ExportNameMangled)?;
                                let (list, count) =
                                    (node.ppAssociatedSubobjects, node.NumAssociatedSubobjects);
                                node.ppAssociatedSubobjects = apart.list(list, count)?;
                                Ok(())
                            },
                        )?;
                    }
                ),
                D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => structure!(
                    D3D12DDI_GENERIC_PROGRAM_DESC_0108,
                    "a program's description",
                    |apart, program| {
                        program.ProgramName = apart.string(program.ProgramName)?;
                        program.pExports = apart.array(
                            program.pExports,
                            program.NumExports,
                            "the array of names",
                            |apart, name| {
                                *name = apart.string(*name)?;
                                Ok(())
                            },
                        )?;
                        program.pSubobjects =
                            apart.list(program.pSubobjects, program.NumSubobjects)?;
                    }
                ),
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
    /// The array has as many values.
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

    /// # Safety
    ///
    /// The array has as many values.
    unsafe fn copy<T: Copy>(
        &mut self,
        values: *const T,
        count: usize,
        what: &str,
    ) -> Result<*mut T, Stop> {
        // SAFETY: as this function demands.
        let piece = unsafe { Piece::copied(what.to_owned(), values, count, self.place) }?;
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
    use crate::watch::memory::Place;
    use std::slice::from_raw_parts;

    #[test]
    fn copies_point_at_copies() {
        let (mut associated, mut listed) = (0, 0);
        for kind in KINDS {
            let From::Nothing = kind.from else { continue };
            let of_kind = kind.described(None).unwrap();
            let apart = of_kind.set_apart(Place::End).unwrap();
            // SAFETY: the copies have as many values as they say.
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
