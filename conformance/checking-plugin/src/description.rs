//! All memory that a description of a state object reaches, and what it held when it came. H-10.

use std::ffi::c_void;
use std::{ptr, slice};

use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_DEPTH_STENCIL_FORMAT_0084,
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_EXISTING_COLLECTION_DESC_0054,
    D3D12DDI_EXPORT_DESC_0054, D3D12DDI_FUNCTION_SUMMARY_0054, D3D12DDI_GENERIC_PROGRAM_DESC_0108,
    D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054, D3D12DDI_HIT_GROUP_DESC_0054,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12DDI_LOCAL_ROOT_SIGNATURE_0054,
    D3D12DDI_NODE_MASK_0054, D3D12DDI_PIPELINE_STATE_FLAGS, D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084,
    D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075,
    D3D12DDI_RAYTRACING_SHADER_CONFIG_0054, D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
    D3D12DDI_ROOT_SIGNATURE_0013, D3D12DDI_ROOT_SIGNATURE_0100,
    D3D12DDI_ROOT_SIGNATURE_VERSION_1_1, D3D12DDI_ROOT_SIGNATURE_VERSION_1_2,
    D3D12DDI_RT_FORMAT_ARRAY, D3D12DDI_SAMPLE_MASK_0084, D3D12DDI_STATE_OBJECT_CONFIG_0054,
    D3D12DDI_STATE_SUBOBJECT_0054, D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT, D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION, D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP, D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
    D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING, D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
    D3D12DDI_STREAM_OUTPUT_DESC_0108, D3D12DDI_VIEW_INSTANCING_DESC,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, DXGI_SAMPLE_DESC, LPCWSTR, UINT,
};

use crate::work_graph;

/// The first word of a container.
const DXBC: UINT = UINT::from_le_bytes(*b"DXBC");
/// The word of a container that has its size in bytes.
const CONTAINER_SIZE: usize = 6;

/// A description as it was.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Description {
    /// The structure itself, wherever it was: the host may calculate a size with another copy.
    top: Vec<u8>,
    /// What it leads to, each piece behind the one that leads to it.
    pieces: Vec<Piece>,
    /// The handles of the existing collections.
    pub(crate) collections: Vec<usize>,
}

/// A piece of memory.
#[derive(Clone, PartialEq, Eq)]
struct Piece {
    what: &'static str,
    address: usize,
    bytes: Vec<u8>,
}

/// The bytes at an address.
///
/// # Safety
///
/// There are so many.
pub(crate) unsafe fn bytes(address: usize, size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    // SAFETY: there are so many, as this function demands; the copy takes padding as it is.
    unsafe {
        ptr::copy(
            ptr::with_exposed_provenance(address),
            bytes.as_mut_ptr(),
            size,
        );
    };
    bytes
}

impl Description {
    /// # Safety
    ///
    /// `desc` is null or what the DDI says.
    pub(crate) unsafe fn read(desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054) -> Self {
        let mut this = Self::default();
        // SAFETY: `desc` is null or what the DDI says, as this function demands.
        unsafe {
            let Some(arguments) = desc.as_ref() else {
                return this;
            };
            this.top = bytes(desc.expose_provenance(), size_of_val(arguments));
            let subobjects = this.array(
                "the subobjects",
                arguments.pSubobjects,
                arguments.NumSubobjects,
            );
            for subobject in subobjects {
                this.subobject(subobject);
            }
        }
        this
    }

    /// What of the description at `desc` is not as it was.
    ///
    /// # Safety
    ///
    /// `desc` is where the description was read, and all memory of it is still there.
    pub(crate) unsafe fn changed(&self, desc: usize) -> Option<&'static str> {
        // SAFETY: all memory of it is there. While the pieces before it are as they were, a piece
        // is where it was.
        unsafe {
            if bytes(desc, self.top.len()) != self.top {
                return Some("D3D12DDIARG_CREATE_STATE_OBJECT_0054");
            }
            let changed = |piece: &&Piece| bytes(piece.address, piece.bytes.len()) != piece.bytes;
            self.pieces.iter().find(changed).map(|piece| piece.what)
        }
    }

    /// Notes an array, and gives it. A null one, and one that is not aligned, has no elements.
    ///
    /// # Safety
    ///
    /// `first` is null or has `count` elements.
    pub(crate) unsafe fn array<'a, T>(
        &mut self,
        what: &'static str,
        first: *const T,
        count: UINT,
    ) -> &'a [T] {
        if first.is_null() || !first.is_aligned() || count == 0 {
            return &[];
        }
        // SAFETY: `first` is null or has `count` elements, as this function demands.
        let array = unsafe { slice::from_raw_parts(first, count as usize) };
        let address = first.expose_provenance();
        let piece = Piece {
            what,
            address,
            // SAFETY: `first` has `count` elements, as this function demands.
            bytes: unsafe { bytes(address, size_of_val(array)) },
        };
        self.pieces.push(piece);
        array
    }

    /// Notes a structure, and gives it, unless it is null.
    ///
    /// # Safety
    ///
    /// `pointer` is null or to a `T`.
    pub(crate) unsafe fn one<'a, T>(
        &mut self,
        what: &'static str,
        pointer: *const T,
    ) -> Option<&'a T> {
        // SAFETY: `pointer` is null or to a `T`, as this function demands.
        unsafe { self.array(what, pointer, 1) }.first()
    }

    /// Whether the memory at an address is noted already.
    pub(crate) fn has(&self, pointer: *const c_void) -> bool {
        self.pieces
            .iter()
            .any(|piece| piece.address == pointer.addr())
    }

    /// # Safety
    ///
    /// `text` is null or NUL-terminated.
    pub(crate) unsafe fn text(&mut self, what: &'static str, text: LPCWSTR) {
        let mut units = 0;
        // SAFETY: `text` ends with a NUL, and nothing behind it is read.
        unsafe {
            while !text.is_null() && *text.add(units as usize) != 0 {
                units += 1;
            }
            self.array(what, text, units + 1);
        }
    }

    /// # Safety
    ///
    /// `program` is null or a program or container, as long as it says.
    unsafe fn program(&mut self, program: *const UINT) {
        if program.is_null() || !program.is_aligned() {
            return;
        }
        // SAFETY: it is as long as it says: the second word of a program is its size in words.
        unsafe {
            let words = if *program == DXBC {
                (*program.add(CONTAINER_SIZE)).div_ceil(4)
            } else {
                *program.add(1)
            };
            self.array("a library's program", program, words);
        }
    }

    /// # Safety
    ///
    /// The array is null or has `count` elements, whose strings are null or NUL-terminated.
    unsafe fn exports(&mut self, exports: *const D3D12DDI_EXPORT_DESC_0054, count: UINT) {
        // SAFETY: the array is null or has `count` elements, whose strings are null or
        // NUL-terminated, as this function demands.
        unsafe {
            for export in self.array("an array of exports", exports, count) {
                self.text("an export's name", export.Name);
                self.text("an export's name inside", export.ExportToRename);
            }
        }
    }

    /// # Safety
    ///
    /// `arguments` is null or what the DDI says.
    unsafe fn root_signature(&mut self, arguments: *const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100) {
        const WHAT: &str = "a root signature";
        // SAFETY: what the DDI says: the version says what the pointer is to.
        unsafe {
            let Some(arguments) = self.one(WHAT, arguments) else {
                return;
            };
            let content = arguments.Anonymous.pRootSignature_1_2;
            let (parameters, count) = match arguments.Version {
                D3D12DDI_ROOT_SIGNATURE_VERSION_1_1 => {
                    let content: *const D3D12DDI_ROOT_SIGNATURE_0013 = content.cast();
                    let Some(content) = self.one(WHAT, content) else {
                        return;
                    };
                    self.array(
                        "static samplers",
                        content.pStaticSamplers,
                        content.NumStaticSamplers,
                    );
                    (content.pRootParameters, content.NumParameters)
                }
                D3D12DDI_ROOT_SIGNATURE_VERSION_1_2 => {
                    let content: Option<&D3D12DDI_ROOT_SIGNATURE_0100> = self.one(WHAT, content);
                    let Some(content) = content else {
                        return;
                    };
                    self.array(
                        "static samplers",
                        content.pStaticSamplers,
                        content.NumStaticSamplers,
                    );
                    (content.pRootParameters, content.NumParameters)
                }
                _ => return,
            };
            for parameter in self.array("root parameters", parameters, count) {
                if parameter.ParameterType == D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE {
                    let table = parameter.Anonymous.DescriptorTable;
                    self.array(
                        "a descriptor table",
                        table.pDescriptorRanges,
                        table.NumDescriptorRanges,
                    );
                }
            }
        }
    }

    /// # Safety
    ///
    /// The subobject is what the DDI says. Of the root signatures' handles docs/spec-notes.md says what
    /// they lead to.
    #[allow(clippy::too_many_lines, reason = "one arm for each type of subobject")]
    unsafe fn subobject(&mut self, subobject: &D3D12DDI_STATE_SUBOBJECT_0054) {
        let desc = subobject.pDesc;
        /// Notes the structure of the type; `None` if it is null.
        macro_rules! noted {
            ($type:ty) => {
                self.one::<$type>(stringify!($type), desc.cast())
            };
        }
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: `pDesc` is null or to the
        // structure of the type.
        unsafe {
            match subobject.Type {
                D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => {
                    noted!(D3D12DDI_STATE_OBJECT_CONFIG_0054);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE => {
                    if let Some(desc) = noted!(D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054) {
                        self.root_signature(desc.hGlobalRootSignature.pDrvPrivate.cast());
                    }
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE => {
                    if let Some(desc) = noted!(D3D12DDI_LOCAL_ROOT_SIGNATURE_0054) {
                        self.root_signature(desc.hLocalRootSignature.pDrvPrivate.cast());
                    }
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE
                | D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE => {
                    self.root_signature(desc.cast());
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK => {
                    noted!(D3D12DDI_NODE_MASK_0054);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => {
                    if let Some(desc) = noted!(D3D12DDI_DXIL_LIBRARY_DESC_0054) {
                        self.program(desc.pDXILLibrary);
                        self.exports(desc.pExports, desc.NumExports);
                    }
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION => {
                    if let Some(desc) = noted!(D3D12DDI_EXISTING_COLLECTION_DESC_0054) {
                        let collection = desc.hExistingCollection.pDrvPrivate.addr();
                        self.collections.push(collection);
                        self.exports(desc.pExports, desc.NumExports);
                    }
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG => {
                    noted!(D3D12DDI_RAYTRACING_SHADER_CONFIG_0054);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG => {
                    noted!(D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP => {
                    if let Some(desc) = noted!(D3D12DDI_HIT_GROUP_DESC_0054) {
                        for name in [
                            desc.HitGroupExport,
                            desc.AnyHitShaderImport,
                            desc.ClosestHitShaderImport,
                            desc.IntersectionShaderImport,
                        ] {
                            self.text("a name in a hit group", name);
                        }
                    }
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH => work_graph::note(self, desc.cast()),
                D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT => {
                    if let Some(desc) = noted!(D3D12DDI_STREAM_OUTPUT_DESC_0108) {
                        self.array(
                            "stream output declarations",
                            desc.pSODeclaration,
                            desc.NumEntries,
                        );
                        self.array("buffer strides", desc.pBufferStrides, desc.NumStrides);
                    }
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND => {
                    noted!(D3D12DDI_BLEND_DESC_0010);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK => {
                    noted!(D3D12DDI_SAMPLE_MASK_0084);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER => {
                    noted!(D3D12DDI_RASTERIZER_DESC_0102);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL => {
                    noted!(D3D12DDI_DEPTH_STENCIL_DESC_0095);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT => {
                    if let Some(desc) = noted!(D3D12DDIARG_CREATEELEMENTLAYOUT_0010) {
                        self.array("input elements", desc.pVertexElements, desc.NumElements);
                    }
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE => {
                    noted!(D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY => {
                    noted!(D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS => {
                    noted!(D3D12DDI_RT_FORMAT_ARRAY);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT => {
                    noted!(D3D12DDI_DEPTH_STENCIL_FORMAT_0084);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC => {
                    noted!(DXGI_SAMPLE_DESC);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS => {
                    noted!(D3D12DDI_PIPELINE_STATE_FLAGS);
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING => {
                    if let Some(desc) = noted!(D3D12DDI_VIEW_INSTANCING_DESC) {
                        self.array(
                            "view instance locations",
                            desc.pViewInstanceLocations,
                            desc.ViewInstanceCount,
                        );
                    }
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => {
                    if let Some(desc) = noted!(D3D12DDI_GENERIC_PROGRAM_DESC_0108) {
                        self.text("a generic program's name", desc.ProgramName);
                        let names = self.array(
                            "the exports of a generic program",
                            desc.pExports.cast_const(),
                            desc.NumExports,
                        );
                        for name in names {
                            self.text("the name of a generic program's export", *name);
                        }
                        self.array(
                            "the subobjects of a generic program",
                            desc.pSubobjects,
                            desc.NumSubobjects,
                        );
                    }
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY => {
                    if let Some(desc) = noted!(D3D12DDI_FUNCTION_SUMMARY_0054) {
                        let summaries = self.array(
                            "the summaries of exports",
                            desc.pSummaries,
                            desc.NumExportedFunctions,
                        );
                        for summary in summaries {
                            self.text("a name in a summary", summary.ExportNameUnmangled);
                            self.text("a name in a summary", summary.ExportNameMangled);
                            self.array(
                                "an export's associated subobjects",
                                summary.ppAssociatedSubobjects,
                                summary.NumAssociatedSubobjects,
                            );
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
