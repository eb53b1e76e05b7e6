//! State objects and their subobjects.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::base::{LPCWSTR, UINT};
use crate::dxgi::DXGI_FORMAT;
use crate::pipeline_state::{D3D12DDI_HROOTSIGNATURE, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE};
use crate::root_signature::D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100;
use crate::shader::D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY;

/// A state object of the usermode DDI; in the plugin DDI it carries the `pDrvPrivate` of a
/// [`D3D12DDI_HCOMPILERSTATEOBJECT`](crate::D3D12DDI_HCOMPILERSTATEOBJECT).
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
/// What it points to here is in docs/spec-notes.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HSTATEOBJECT_0054 {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// A state object: its type and subobjects.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_STATE_OBJECT_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub NumSubobjects: UINT,
    /// x64 offset 8, x86 offset 8.
    pub pSubobjects: *const D3D12DDI_STATE_SUBOBJECT_0054,
}

/// One subobject: a type and a pointer to the structure of that type.
///
/// Source: Raytracing.md and the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_STATE_SUBOBJECT_0054 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_STATE_SUBOBJECT_TYPE,
    /// x64 offset 8, x86 offset 4.
    pub pDesc: *const c_void,
}

ddi_enum! {
    /// Kind of state object.
    ///
    /// Source: the WDK reference pages for the names of the first two; values, and EXECUTABLE, from
    /// bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_STATE_OBJECT_TYPE {
        /// Value 0.
        D3D12DDI_STATE_OBJECT_TYPE_COLLECTION = 0,
        /// Value 3.
        D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE = 3,
        /// Value 4.
        D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE = 4,
    }
}

ddi_enum! {
    /// Kind of subobject, each with what its `pDesc` points at. The API's associations, its second
    /// raytracing pipeline config and its newer depth-stencil descs are resolved before the DDI; the
    /// numbers of the API's twins can differ.
    ///
    /// Source: Raytracing.md for the kinds up to HIT_GROUP, WorkGraphs.md for WORK_GRAPH and
    /// SHADER_EXPORT_SUMMARY; the rest from bindings generated from the SDK 10.0.26100 header and
    /// bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_STATE_SUBOBJECT_TYPE {
        /// D3D12DDI_STATE_OBJECT_CONFIG_0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG = 0,
        /// D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE = 1,
        /// D3D12DDI_LOCAL_ROOT_SIGNATURE_0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE = 2,
        /// D3D12DDI_NODE_MASK_0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK = 3,
        /// D3D12DDI_DXIL_LIBRARY_DESC_0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY = 5,
        /// D3D12DDI_EXISTING_COLLECTION_DESC_0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION = 6,
        /// D3D12DDI_RAYTRACING_SHADER_CONFIG_0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG = 9,
        /// D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075; before DDI 0075, 0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG = 10,
        /// D3D12DDI_HIT_GROUP_DESC_0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP = 11,
        /// D3D12DDI_WORK_GRAPH_DESC_0108.
        D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH = 13,
        /// D3D12DDI_STREAM_OUTPUT_DESC_0108.
        D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT = 14,
        /// D3D12DDI_BLEND_DESC_0010, by our reading.
        D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND = 15,
        /// D3D12DDI_SAMPLE_MASK_0084.
        D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK = 16,
        /// D3D12DDI_RASTERIZER_DESC_0102, by our reading.
        D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER = 17,
        /// D3D12DDI_DEPTH_STENCIL_DESC_0095, by our reading.
        D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL = 18,
        /// D3D12DDIARG_CREATEELEMENTLAYOUT_0010, by our reading.
        D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT = 19,
        /// D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, by our reading.
        D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE = 20,
        /// D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084.
        D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY = 21,
        /// D3D12DDI_RT_FORMAT_ARRAY.
        D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS = 22,
        /// D3D12DDI_DEPTH_STENCIL_FORMAT_0084.
        D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT = 23,
        /// DXGI_SAMPLE_DESC.
        D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC = 24,
        /// D3D12DDI_PIPELINE_STATE_FLAGS, by our reading.
        D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS = 26,
        /// D3D12DDI_VIEW_INSTANCING_DESC.
        D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING = 28,
        /// D3D12DDI_GENERIC_PROGRAM_DESC_0108.
        D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM = 29,
        /// D3D12DDI_GLOBAL_SERIALIZED_ROOT_SIGNATURE_0114, from the WDK 10.0.28000 on; the API's twin
        /// is 31.
        D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE = 30,
        /// D3D12DDI_LOCAL_SERIALIZED_ROOT_SIGNATURE_0114, from the WDK 10.0.28000 on; the API's twin
        /// is 32.
        D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE = 31,
        /// D3D12DDI_FUNCTION_SUMMARY_0054.
        D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY = 0x0010_0000,
    }
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG`].
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_STATE_OBJECT_CONFIG_0054 {
    /// x64 offset 0, x86 offset 0.
    pub Flags: D3D12DDI_STATE_OBJECT_FLAGS,
}

ddi_flags! {
    /// Flags of a state object.
    ///
    /// Source: the WDK reference pages and D3D12DebugBreak.md.
    pub enum D3D12DDI_STATE_OBJECT_FLAGS {
        /// Value 0.
        D3D12DDI_STATE_OBJECT_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS = 1,
        /// Value 2.
        D3D12DDI_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS = 2,
        /// Value 4.
        D3D12DDI_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS = 4,
        /// D3D12DebugBreak.md only.
        D3D12DDI_STATE_OBJECT_FLAG_DEBUG_BREAK_ALWAYS_HALT = 0x200,
        /// D3D12DebugBreak.md only.
        D3D12DDI_STATE_OBJECT_FLAG_DEBUG_BREAK_FORCE_NOP = 0x400,
    }
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE`].
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054 {
    /// x64 offset 0, x86 offset 0.
    pub hGlobalRootSignature: D3D12DDI_HROOTSIGNATURE,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE`].
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_LOCAL_ROOT_SIGNATURE_0054 {
    /// x64 offset 0, x86 offset 0.
    pub hLocalRootSignature: D3D12DDI_HROOTSIGNATURE,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE`]; despite its name
/// an expanded root signature, not a blob.
///
/// Source: bindings generated from the WDK 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_GLOBAL_SERIALIZED_ROOT_SIGNATURE_0114 {
    /// x64 offset 0, x86 offset 0.
    pub RootSignature: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE`]; see the global one.
///
/// Source: bindings generated from the WDK 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_LOCAL_SERIALIZED_ROOT_SIGNATURE_0114 {
    /// x64 offset 0, x86 offset 0.
    pub RootSignature: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK`].
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_NODE_MASK_0054 {
    /// x64 offset 0, x86 offset 0.
    pub NodeMask: UINT,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY`]; like shader code, without a length.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_DXIL_LIBRARY_DESC_0054 {
    /// x64 offset 0, x86 offset 0.
    pub pDXILLibrary: *const UINT,
    /// x64 offset 8, x86 offset 4.
    pub NumExports: UINT,
    /// x64 offset 16, x86 offset 8.
    pub pExports: *mut D3D12DDI_EXPORT_DESC_0054,
}

/// One export of a library or collection, perhaps renamed.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_EXPORT_DESC_0054 {
    /// x64 offset 0, x86 offset 0.
    pub Name: LPCWSTR,
    /// x64 offset 8, x86 offset 4.
    pub ExportToRename: LPCWSTR,
    /// x64 offset 16, x86 offset 8.
    pub Flags: D3D12DDI_EXPORT_FLAGS,
}

ddi_flags! {
    /// Flags of an export; none is defined.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_EXPORT_FLAGS {
        /// Value 0.
        D3D12DDI_EXPORT_FLAG_NONE = 0,
    }
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION`]; in the plugin DDI the handle
/// carries the plugin's own state object.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_EXISTING_COLLECTION_DESC_0054 {
    /// x64 offset 0, x86 offset 0.
    pub hExistingCollection: D3D12DDI_HSTATEOBJECT_0054,
    /// x64 offset 8, x86 offset 4.
    pub NumExports: UINT,
    /// x64 offset 16, x86 offset 8.
    pub pExports: *mut D3D12DDI_EXPORT_DESC_0054,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG`].
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RAYTRACING_SHADER_CONFIG_0054 {
    /// x64 offset 0, x86 offset 0.
    pub MaxPayloadSizeInBytes: UINT,
    /// x64 offset 4, x86 offset 4.
    pub MaxAttributeSizeInBytes: UINT,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG`] from build 0075 on.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075 {
    /// x64 offset 0, x86 offset 0.
    pub MaxTraceRecursionDepth: UINT,
    /// x64 offset 4, x86 offset 4.
    pub Flags: D3D12DDI_RAYTRACING_PIPELINE_FLAGS,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG`] before build 0075: the
/// first member of the newer one.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0054 {
    /// x64 offset 0, x86 offset 0.
    pub MaxTraceRecursionDepth: UINT,
}

ddi_flags! {
    /// Flags of a raytracing pipeline.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_RAYTRACING_PIPELINE_FLAGS {
        /// Value 0.
        D3D12DDI_RAYTRACING_PIPELINE_FLAG_NONE = 0,
        /// Value 256.
        D3D12DDI_RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES = 0x100,
        /// Value 512.
        D3D12DDI_RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES = 0x200,
        /// From the WDK 10.0.28000 on.
        D3D12DDI_RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS_0110 = 0x400,
    }
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP`].
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_HIT_GROUP_DESC_0054 {
    /// x64 offset 0, x86 offset 0.
    pub HitGroupExport: LPCWSTR,
    /// x64 offset 8, x86 offset 4.
    pub Type: D3D12DDI_HIT_GROUP_TYPE,
    /// x64 offset 16, x86 offset 8.
    pub AnyHitShaderImport: LPCWSTR,
    /// x64 offset 24, x86 offset 12.
    pub ClosestHitShaderImport: LPCWSTR,
    /// x64 offset 32, x86 offset 16.
    pub IntersectionShaderImport: LPCWSTR,
    /// x64 offset 40, x86 offset 20.
    pub SummaryFlags: D3D12DDI_EXPORT_SUMMARY_FLAGS,
}

ddi_enum! {
    /// Triangles or procedural primitives.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_HIT_GROUP_TYPE {
        /// Value 0.
        D3D12DDI_HIT_GROUP_TYPE_TRIANGLES = 0,
        /// Value 1.
        D3D12DDI_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE = 1,
    }
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY`], made by the runtime: the
/// exports and what is associated with each.
///
/// Source: Raytracing.md and the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_FUNCTION_SUMMARY_0054 {
    /// x64 offset 0, x86 offset 0.
    pub NumExportedFunctions: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pSummaries: *const D3D12DDI_FUNCTION_SUMMARY_NODE_0054,
    /// x64 offset 16, x86 offset 8.
    pub OverallFlags: D3D12DDI_EXPORT_SUMMARY_FLAGS,
}

/// One exported function and its associated subobjects.
///
/// Source: Raytracing.md and the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_FUNCTION_SUMMARY_NODE_0054 {
    /// x64 offset 0, x86 offset 0.
    pub ExportNameUnmangled: LPCWSTR,
    /// x64 offset 8, x86 offset 4.
    pub ExportNameMangled: LPCWSTR,
    /// x64 offset 16, x86 offset 8.
    pub NumAssociatedSubobjects: UINT,
    /// x64 offset 24, x86 offset 12.
    pub ppAssociatedSubobjects: *const *const D3D12DDI_STATE_SUBOBJECT_0054,
    /// x64 offset 32, x86 offset 16.
    pub Flags: D3D12DDI_EXPORT_SUMMARY_FLAGS,
}

ddi_flags! {
    /// What an export still lacks. Raytracing.md prints it as D3D12DDI_SHADER_EXPORT_SUMMARY_FLAGS.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_EXPORT_SUMMARY_FLAGS {
        /// Value 0.
        D3D12DDI_EXPORT_SUMMARY_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_RESOURCE_BINDINGS = 1,
        /// Value 2.
        D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_FUNCTIONS = 2,
        /// Value 4.
        D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_ASSOCIATIONS = 4,
    }
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_GENERIC_PROGRAM_DESC_0108 {
    /// x64 offset 0, x86 offset 0.
    pub ProgramName: LPCWSTR,
    /// x64 offset 8, x86 offset 4.
    pub NumExports: UINT,
    /// x64 offset 16, x86 offset 8.
    pub pExports: *mut LPCWSTR,
    /// x64 offset 24, x86 offset 12.
    pub NumSubobjects: UINT,
    /// x64 offset 32, x86 offset 16.
    pub pSubobjects: *const *const D3D12DDI_STATE_SUBOBJECT_0054,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_STREAM_OUTPUT_DESC_0108 {
    /// x64 offset 0, x86 offset 0.
    pub pSODeclaration: *const D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY,
    /// x64 offset 8, x86 offset 4.
    pub NumEntries: UINT,
    /// x64 offset 16, x86 offset 8.
    pub pBufferStrides: *const UINT,
    /// x64 offset 24, x86 offset 12.
    pub NumStrides: UINT,
    /// x64 offset 28, x86 offset 16.
    pub RasterizedStream: UINT,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK`].
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SAMPLE_MASK_0084 {
    /// x64 offset 0, x86 offset 0.
    pub SampleMask: UINT,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY`].
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084 {
    /// x64 offset 0, x86 offset 0.
    pub PrimitiveTopology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS`].
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RT_FORMAT_ARRAY {
    /// x64 offset 0, x86 offset 0.
    pub RTFormats: [DXGI_FORMAT; 8],
    /// x64 offset 32, x86 offset 32.
    pub NumRenderTargets: UINT,
}

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT`].
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_DEPTH_STENCIL_FORMAT_0084 {
    /// x64 offset 0, x86 offset 0.
    pub DepthStencilFormat: DXGI_FORMAT,
}
