//! Shaders and their signatures.

use bytemuck::Zeroable;

use crate::base::{UINT, UINT8};
use crate::pipeline_state::{D3D12DDI_HROOTSIGNATURE, D3D12DDI_LIBRARY_REFERENCE_0010};
use crate::tokenized_program::{
    D3D10_SB_NAME, D3D10_SB_REGISTER_COMPONENT_TYPE, D3D11_SB_OPERAND_MIN_PRECISION,
};

/// One shader: code, signatures and flags. The stage that names it chooses the arm of
/// `IOSignatures`: hull and domain read `Tessellation`, mesh reads `Mesh`, vertex, geometry and
/// pixel read `Standard`, compute and amplification none.
///
/// Source: the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_SHADER_0026 {
    /// x64 offset 0, x86 offset 0.
    pub hRootSignature: D3D12DDI_HROOTSIGNATURE,
    /// A bare DXIL program, whose second word counts its words, or a container; no length crosses
    /// the DDI. x64 offset 8, x86 offset 4.
    pub pShaderCode: *const UINT,
    /// The tagless union `IOSignatures`: x64 offset 16, x86 offset 8.
    pub IOSignatures: D3D12DDIARG_CREATE_SHADER_0026_IOSignatures,
    /// x64 offset 24, x86 offset 12.
    pub Flags: D3D12DDI_CREATE_SHADER_FLAGS,
    /// x64 offset 32, x86 offset 16.
    pub LibraryReference: D3D12DDI_LIBRARY_REFERENCE_0010,
    /// A cache key made by the host; not a hash that a plugin can recompute. x64 offset 48, x86
    /// offset 24.
    pub ShaderCodeHash: D3D12DDI_SHADERCACHE_HASH,
}

/// Union member `IOSignatures` of [`D3D12DDIARG_CREATE_SHADER_0026`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATE_SHADER_0026_IOSignatures {
    /// Vertex, geometry and pixel shaders.
    pub Standard: *const D3D12DDIARG_STAGE_IO_SIGNATURES,
    /// Hull and domain shaders.
    pub Tessellation: *const D3D12DDIARG_TESSELLATION_IO_SIGNATURES,
    /// Mesh shaders.
    pub Mesh: *const D3D12DDIARG_MESH_IO_SIGNATURES,
}

/// A geometry shader and its stream output; begins with the plain shader.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 {
    /// x64 offset 0, x86 offset 0.
    pub CreateShader: D3D12DDIARG_CREATE_SHADER_0026,
    /// x64 offset 64, x86 offset 40.
    pub pOutputStreamDecl: *const D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY,
    /// x64 offset 72, x86 offset 44.
    pub NumEntries: UINT,
    /// x64 offset 80, x86 offset 48.
    pub BufferStridesInBytes: *const UINT,
    /// x64 offset 88, x86 offset 52.
    pub NumStrides: UINT,
    /// x64 offset 92, x86 offset 56.
    pub RasterizedStream: UINT,
}

/// One stream output element.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY {
    /// x64 offset 0, x86 offset 0.
    pub Stream: UINT,
    /// x64 offset 4, x86 offset 4.
    pub OutputSlot: UINT,
    /// x64 offset 8, x86 offset 8.
    pub RegisterIndex: UINT,
    /// x64 offset 12, x86 offset 12.
    pub RegisterMask: UINT8,
}

/// A 16-byte hash.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SHADERCACHE_HASH {
    /// x64 offset 0, x86 offset 0.
    pub Hash: [UINT8; 16],
}

/// Input and output signatures. Each pointer has a deprecated twin at the same place.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_STAGE_IO_SIGNATURES {
    /// The anonymous union at x64 offset 0, x86 offset 0.
    pub Anonymous1: D3D12DDIARG_STAGE_IO_SIGNATURES_0,
    /// x64 offset 8, x86 offset 4.
    pub NumInputSignatureEntries: UINT,
    /// The anonymous union at x64 offset 16, x86 offset 8.
    pub Anonymous2: D3D12DDIARG_STAGE_IO_SIGNATURES_1,
    /// x64 offset 24, x86 offset 12.
    pub NumOutputSignatureEntries: UINT,
}

/// Union member `Anonymous1` of [`D3D12DDIARG_STAGE_IO_SIGNATURES`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_STAGE_IO_SIGNATURES_0 {
    /// One reading of the bytes at x64 offset 0, x86 offset 0.
    pub pInputSignatureDeprecated: *mut D3D12DDIARG_SIGNATURE_ENTRY,
    /// One reading of the bytes at x64 offset 0, x86 offset 0.
    pub pInputSignature: *mut D3D12DDIARG_SIGNATURE_ENTRY_0012,
}

/// Union member `Anonymous2` of [`D3D12DDIARG_STAGE_IO_SIGNATURES`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_STAGE_IO_SIGNATURES_1 {
    /// One reading of the bytes at x64 offset 16, x86 offset 8.
    pub pOutputSignatureDeprecated: *mut D3D12DDIARG_SIGNATURE_ENTRY,
    /// One reading of the bytes at x64 offset 16, x86 offset 8.
    pub pOutputSignature: *mut D3D12DDIARG_SIGNATURE_ENTRY_0012,
}

/// Input, output and patch-constant signatures.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_TESSELLATION_IO_SIGNATURES {
    /// The anonymous union at x64 offset 0, x86 offset 0.
    pub Anonymous1: D3D12DDIARG_TESSELLATION_IO_SIGNATURES_0,
    /// x64 offset 8, x86 offset 4.
    pub NumInputSignatureEntries: UINT,
    /// The anonymous union at x64 offset 16, x86 offset 8.
    pub Anonymous2: D3D12DDIARG_TESSELLATION_IO_SIGNATURES_1,
    /// x64 offset 24, x86 offset 12.
    pub NumOutputSignatureEntries: UINT,
    /// The anonymous union at x64 offset 32, x86 offset 16.
    pub Anonymous3: D3D12DDIARG_TESSELLATION_IO_SIGNATURES_2,
    /// x64 offset 40, x86 offset 20.
    pub NumPatchConstantSignatureEntries: UINT,
}

/// Union member `Anonymous1` of [`D3D12DDIARG_TESSELLATION_IO_SIGNATURES`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_TESSELLATION_IO_SIGNATURES_0 {
    /// One reading of the bytes at x64 offset 0, x86 offset 0.
    pub pInputSignatureDeprecated: *mut D3D12DDIARG_SIGNATURE_ENTRY,
    /// One reading of the bytes at x64 offset 0, x86 offset 0.
    pub pInputSignature: *mut D3D12DDIARG_SIGNATURE_ENTRY_0012,
}

/// Union member `Anonymous2` of [`D3D12DDIARG_TESSELLATION_IO_SIGNATURES`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_TESSELLATION_IO_SIGNATURES_1 {
    /// One reading of the bytes at x64 offset 16, x86 offset 8.
    pub pOutputSignatureDeprecated: *mut D3D12DDIARG_SIGNATURE_ENTRY,
    /// One reading of the bytes at x64 offset 16, x86 offset 8.
    pub pOutputSignature: *mut D3D12DDIARG_SIGNATURE_ENTRY_0012,
}

/// Union member `Anonymous3` of [`D3D12DDIARG_TESSELLATION_IO_SIGNATURES`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_TESSELLATION_IO_SIGNATURES_2 {
    /// One reading of the bytes at x64 offset 32, x86 offset 16.
    pub pPatchConstantSignatureDeprecated: *mut D3D12DDIARG_SIGNATURE_ENTRY,
    /// One reading of the bytes at x64 offset 32, x86 offset 16.
    pub pPatchConstantSignature: *mut D3D12DDIARG_SIGNATURE_ENTRY_0012,
}

/// Per-primitive and per-vertex output signatures.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_MESH_IO_SIGNATURES {
    /// x64 offset 0, x86 offset 0.
    pub pPrimitiveOutputSignature: *mut D3D12DDIARG_SIGNATURE_ENTRY_0012,
    /// x64 offset 8, x86 offset 4.
    pub NumPrimitiveOutputSignatureEntries: UINT,
    /// x64 offset 16, x86 offset 8.
    pub pVertexOutputSignature: *mut D3D12DDIARG_SIGNATURE_ENTRY_0012,
    /// x64 offset 24, x86 offset 12.
    pub NumVertexOutputSignatureEntries: UINT,
}

/// One signature element; semantic names do not cross the DDI.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_SIGNATURE_ENTRY_0012 {
    /// x64 offset 0, x86 offset 0.
    pub SystemValue: D3D10_SB_NAME,
    /// x64 offset 4, x86 offset 4.
    pub Register: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Mask: UINT8,
    /// x64 offset 9, x86 offset 9.
    pub Stream: UINT8,
    /// x64 offset 12, x86 offset 12.
    pub RegisterComponentType: D3D10_SB_REGISTER_COMPONENT_TYPE,
    /// x64 offset 16, x86 offset 16.
    pub MinPrecision: D3D11_SB_OPERAND_MIN_PRECISION,
}

/// One signature element in the deprecated form, without a stream.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_SIGNATURE_ENTRY {
    /// x64 offset 0, x86 offset 0.
    pub SystemValue: D3D10_SB_NAME,
    /// x64 offset 4, x86 offset 4.
    pub Register: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Mask: UINT8,
    /// x64 offset 12, x86 offset 12.
    pub RegisterComponentType: D3D10_SB_REGISTER_COMPONENT_TYPE,
    /// x64 offset 16, x86 offset 16.
    pub MinPrecision: D3D11_SB_OPERAND_MIN_PRECISION,
}

ddi_flags! {
    /// Flags of a shader.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_CREATE_SHADER_FLAGS {
        /// Value 0.
        D3D12DDI_CREATE_SHADER_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_CREATE_SHADER_FLAG_ENABLE_SHADER_TRACING = 1,
        /// Value 2.
        D3D12DDI_CREATE_SHADER_FLAG_DISABLE_OPTIMIZATION_0024 = 2,
    }
}
