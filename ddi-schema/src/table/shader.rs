//! Structures of `ddi-sys/src/shader.rs`. The create-arguments of a shader do not say which signatures they have: who knows the
//! shader's stage knows it.

use ddi_sys::*;

structures! {
    D3D12DDIARG_CREATE_SHADER_0026 {
        hRootSignature, pShaderCode: code, IOSignatures: handle, Flags, LibraryReference, ShaderCodeHash,
    }
    D3D12DDIARG_CREATE_SHADER_0026 [STANDARD "Standard"] {
        hRootSignature, pShaderCode: code, IOSignatures: union(Standard), Flags, LibraryReference, ShaderCodeHash,
    }
    D3D12DDIARG_CREATE_SHADER_0026 [TESSELLATION "Tessellation"] {
        hRootSignature, pShaderCode: code, IOSignatures: union(Tessellation), Flags, LibraryReference, ShaderCodeHash,
    }
    D3D12DDIARG_CREATE_SHADER_0026 [MESH "Mesh"] {
        hRootSignature, pShaderCode: code, IOSignatures: union(Mesh), Flags, LibraryReference, ShaderCodeHash,
    }
    D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 {
        CreateShader: structure(&STANDARD), pOutputStreamDecl: array(NumEntries), NumEntries,
        BufferStridesInBytes: array(NumStrides), NumStrides, RasterizedStream,
    }
    D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY { Stream, OutputSlot, RegisterIndex, RegisterMask }
    D3D12DDI_SHADERCACHE_HASH { Hash }
    D3D12DDIARG_STAGE_IO_SIGNATURES {
        Anonymous1: union(pInputSignature(array(NumInputSignatureEntries))), NumInputSignatureEntries,
        Anonymous2: union(pOutputSignature(array(NumOutputSignatureEntries))), NumOutputSignatureEntries,
    }
    D3D12DDIARG_TESSELLATION_IO_SIGNATURES {
        Anonymous1: union(pInputSignature(array(NumInputSignatureEntries))), NumInputSignatureEntries,
        Anonymous2: union(pOutputSignature(array(NumOutputSignatureEntries))), NumOutputSignatureEntries,
        Anonymous3: union(pPatchConstantSignature(array(NumPatchConstantSignatureEntries))),
        NumPatchConstantSignatureEntries,
    }
    D3D12DDIARG_MESH_IO_SIGNATURES {
        pPrimitiveOutputSignature: array(NumPrimitiveOutputSignatureEntries), NumPrimitiveOutputSignatureEntries,
        pVertexOutputSignature: array(NumVertexOutputSignatureEntries), NumVertexOutputSignatureEntries,
    }
    D3D12DDIARG_SIGNATURE_ENTRY_0012 { SystemValue, Register, Mask, Stream, RegisterComponentType, MinPrecision }
    D3D12DDIARG_SIGNATURE_ENTRY { SystemValue, Register, Mask, RegisterComponentType, MinPrecision }
}
