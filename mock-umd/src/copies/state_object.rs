//! Copies of state objects' subobjects.

use std::ffi::c_void;

use ddi_sys::{
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_EXISTING_COLLECTION_DESC_0054,
    D3D12DDI_EXPORT_DESC_0054, D3D12DDI_FUNCTION_SUMMARY_0054, D3D12DDI_GENERIC_PROGRAM_DESC_0108,
    D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054, D3D12DDI_HIT_GROUP_DESC_0054, D3D12DDI_HROOTSIGNATURE,
    D3D12DDI_HSTATEOBJECT_0054, D3D12DDI_LOCAL_ROOT_SIGNATURE_0054, D3D12DDI_STATE_SUBOBJECT_0054,
    D3D12DDI_STREAM_OUTPUT_DESC_0108, D3D12DDI_VIEW_INSTANCING_DESC,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, LPCWSTR, UINT,
};
use plugin_sdk::desc::reading;

use super::Copier;
use crate::boundary::{Error, Result};
use crate::objects::RootSignature;
use crate::pipeline::StateObject;

/// The subobjects that are plain data: their types, and the structures.
macro_rules! plain {
    ($copier:ident, $desc:ident, $kind:ident, { $($type:ident: $structure:ident,)* }) => {
        match $kind {
            $(ddi_sys::$type => Some(
                $copier.arena.put(*required::<ddi_sys::$structure>($desc)?).cast(),
            ),)*
            _ => None,
        }
    };
}

impl Copier {
    /// # Safety
    ///
    /// Everything that `arguments` point at is valid.
    pub(crate) unsafe fn state_object(
        &mut self,
        arguments: &D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> Result<D3D12DDIARG_CREATE_STATE_OBJECT_0054> {
        // SAFETY: there are as many subobjects as it says, each with a structure of its type (`# Safety`).
        unsafe {
            let originals = reading::array(
                "pSubobjects",
                arguments.pSubobjects,
                arguments.NumSubobjects,
            )?;
            // First the array: associations point into it.
            let copies = self.arena.array(originals);
            for (index, original) in originals.iter().enumerate() {
                let desc = self.subobject(original, originals, copies)?;
                (*copies.add(index)).pDesc = desc;
            }
            Ok(D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
                pSubobjects: copies,
                ..*arguments
            })
        }
    }

    fn root_signature_handle(
        &mut self,
        handle: D3D12DDI_HROOTSIGNATURE,
    ) -> Result<D3D12DDI_HROOTSIGNATURE> {
        let Some(root) = self.owner.optional::<RootSignature>(handle.pDrvPrivate)? else {
            return Ok(handle);
        };
        let handle = root.plugin_handle();
        self.root_signatures.push(root);
        Ok(handle)
    }

    fn collection_handle(
        &mut self,
        handle: D3D12DDI_HSTATEOBJECT_0054,
    ) -> Result<D3D12DDI_HSTATEOBJECT_0054> {
        let collection = self.owner.get::<StateObject>(handle.pDrvPrivate)?;
        let handle = collection.plugin_handle();
        self.collections.push(collection);
        Ok(handle)
    }

    /// # Safety
    ///
    /// What the subobject points at is valid, and what its type says.
    unsafe fn subobject(
        &mut self,
        subobject: &D3D12DDI_STATE_SUBOBJECT_0054,
        originals: &[D3D12DDI_STATE_SUBOBJECT_0054],
        copies: *const D3D12DDI_STATE_SUBOBJECT_0054,
    ) -> Result<*const c_void> {
        let (kind, desc) = (subobject.Type, subobject.pDesc);
        // SAFETY: the type says which structure is there; it is valid with all that it points at (`# Safety`).
        unsafe {
            if let Some(copy) = plain!(self, desc, kind, {
                D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG: D3D12DDI_STATE_OBJECT_CONFIG_0054,
                D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK: D3D12DDI_NODE_MASK_0054,
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG: D3D12DDI_RAYTRACING_SHADER_CONFIG_0054,
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG: D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075,
                D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND: D3D12DDI_BLEND_DESC_0010,
                D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK: D3D12DDI_SAMPLE_MASK_0084,
                D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER: D3D12DDI_RASTERIZER_DESC_0102,
                D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL: D3D12DDI_DEPTH_STENCIL_DESC_0095,
                D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
                D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY: D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084,
                D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS: D3D12DDI_RT_FORMAT_ARRAY,
                D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT: D3D12DDI_DEPTH_STENCIL_FORMAT_0084,
                D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC: DXGI_SAMPLE_DESC,
                D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS: D3D12DDI_PIPELINE_STATE_FLAGS,
            }) {
                return Ok(copy);
            }
            Ok(match kind {
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE => {
                    let mut d: D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054 = *required(desc)?;
                    d.hGlobalRootSignature = self.root_signature_handle(d.hGlobalRootSignature)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE => {
                    let mut d: D3D12DDI_LOCAL_ROOT_SIGNATURE_0054 = *required(desc)?;
                    d.hLocalRootSignature = self.root_signature_handle(d.hLocalRootSignature)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE
                | ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE => {
                    let d: &D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 = required(desc)?;
                    let d = self.root_signature(d)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => {
                    let mut d: D3D12DDI_DXIL_LIBRARY_DESC_0054 = *required(desc)?;
                    d.pDXILLibrary = self.code("pDXILLibrary", d.pDXILLibrary)?;
                    d.pExports = self.exports(d.pExports, d.NumExports)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION => {
                    let mut d: D3D12DDI_EXISTING_COLLECTION_DESC_0054 = *required(desc)?;
                    d.hExistingCollection = self.collection_handle(d.hExistingCollection)?;
                    d.pExports = self.exports(d.pExports, d.NumExports)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP => {
                    let mut d: D3D12DDI_HIT_GROUP_DESC_0054 = *required(desc)?;
                    d.HitGroupExport = self.text("HitGroupExport", d.HitGroupExport)?;
                    d.AnyHitShaderImport = self.text("AnyHitShaderImport", d.AnyHitShaderImport)?;
                    d.ClosestHitShaderImport =
                        self.text("ClosestHitShaderImport", d.ClosestHitShaderImport)?;
                    d.IntersectionShaderImport =
                        self.text("IntersectionShaderImport", d.IntersectionShaderImport)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH => {
                    let d = self.work_graph(required(desc)?)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT => {
                    let mut d: D3D12DDI_STREAM_OUTPUT_DESC_0108 = *required(desc)?;
                    d.pSODeclaration =
                        self.array("pSODeclaration", d.pSODeclaration, d.NumEntries)?;
                    d.pBufferStrides =
                        self.array("pBufferStrides", d.pBufferStrides, d.NumStrides)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT => {
                    let d: &D3D12DDIARG_CREATEELEMENTLAYOUT_0010 = required(desc)?;
                    let d = self.element_layout(d)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING => {
                    let mut d: D3D12DDI_VIEW_INSTANCING_DESC = *required(desc)?;
                    let (locations, count) = (d.pViewInstanceLocations, d.ViewInstanceCount);
                    d.pViewInstanceLocations =
                        self.array("pViewInstanceLocations", locations, count)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => {
                    let mut d: D3D12DDI_GENERIC_PROGRAM_DESC_0108 = *required(desc)?;
                    d.ProgramName = self.text("ProgramName", d.ProgramName)?;
                    d.pExports = self.texts(d.pExports, d.NumExports)?;
                    let (parts, count) = (d.pSubobjects, d.NumSubobjects);
                    d.pSubobjects = self.within("pSubobjects", parts, count, originals, copies)?;
                    self.arena.put(d).cast()
                }
                ddi_sys::D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY => {
                    let mut d: D3D12DDI_FUNCTION_SUMMARY_0054 = *required(desc)?;
                    let (nodes, count) = (d.pSummaries, d.NumExportedFunctions);
                    let mut nodes = reading::array("pSummaries", nodes, count)?.to_vec();
                    for node in &mut nodes {
                        node.ExportNameUnmangled =
                            self.text("ExportNameUnmangled", node.ExportNameUnmangled)?;
                        node.ExportNameMangled =
                            self.text("ExportNameMangled", node.ExportNameMangled)?;
                        node.ppAssociatedSubobjects = self.within(
                            "ppAssociatedSubobjects",
                            node.ppAssociatedSubobjects,
                            node.NumAssociatedSubobjects,
                            originals,
                            copies,
                        )?;
                    }
                    d.pSummaries = self.arena.array(&nodes);
                    self.arena.put(d).cast()
                }
                unknown => {
                    let text = format!("a subobject has the unknown type {unknown:?}");
                    return Err(Error::invalid(text));
                }
            })
        }
    }

    /// # Safety
    ///
    /// The exports and their names are valid.
    unsafe fn exports(
        &mut self,
        exports: *mut D3D12DDI_EXPORT_DESC_0054,
        count: UINT,
    ) -> Result<*mut D3D12DDI_EXPORT_DESC_0054> {
        // SAFETY: there are `count` exports, with names (`# Safety`).
        unsafe {
            let mut exports = reading::array("pExports", exports.cast_const(), count)?.to_vec();
            for export in &mut exports {
                export.Name = self.text("Name", export.Name)?;
                export.ExportToRename = self.text("ExportToRename", export.ExportToRename)?;
            }
            Ok(self.arena.array(&exports))
        }
    }

    /// # Safety
    ///
    /// There are as many names, and they are valid.
    unsafe fn texts(&mut self, texts: *mut LPCWSTR, count: UINT) -> Result<*mut LPCWSTR> {
        // SAFETY: there are `count` names (`# Safety`).
        unsafe {
            let mut texts = reading::array("pExports", texts.cast_const(), count)?.to_vec();
            for text in &mut texts {
                *text = self.text("pExports", *text)?;
            }
            Ok(self.arena.array(&texts))
        }
    }

    /// Pointers into the host's array of subobjects become pointers into the copy. One to elsewhere, such as
    /// into an existing collection, becomes null: nothing says how long what it points at lives.
    ///
    /// # Safety
    ///
    /// There are as many pointers; they are not followed.
    unsafe fn within(
        &mut self,
        what: &'static str,
        pointers: *const *const D3D12DDI_STATE_SUBOBJECT_0054,
        count: UINT,
        originals: &[D3D12DDI_STATE_SUBOBJECT_0054],
        copies: *const D3D12DDI_STATE_SUBOBJECT_0054,
    ) -> Result<*const *const D3D12DDI_STATE_SUBOBJECT_0054> {
        // SAFETY: there are `count` pointers (`# Safety`).
        let pointers = unsafe { reading::array(what, pointers, count) }?;
        // A state object has hundreds of subobjects, and as many exports that name some.
        let size = size_of::<D3D12DDI_STATE_SUBOBJECT_0054>();
        let moved = pointers.iter().map(|pointer| {
            let offset = pointer.addr().wrapping_sub(originals.as_ptr().addr());
            let inside = offset % size == 0 && offset / size < originals.len();
            if inside {
                copies.wrapping_add(offset / size)
            } else {
                std::ptr::null()
            }
        });
        Ok(self.arena.array_of(moved).cast_const())
    }
}

/// # Safety
///
/// `desc` is null or to a `T`.
unsafe fn required<'a, T>(desc: *const c_void) -> Result<&'a T> {
    // SAFETY: `desc` is null or to a `T` (`# Safety`).
    Ok(unsafe { reading::required("pDesc", desc.cast()) }?)
}
