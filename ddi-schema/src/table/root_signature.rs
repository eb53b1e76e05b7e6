//! Structures of `ddi-sys/src/root_signature.rs`.

use ddi_sys::*;

structures! {
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 {
        Version, Anonymous: one_of(Version:
            D3D12DDI_ROOT_SIGNATURE_VERSION_1_1 => D3D12DDI_ROOT_SIGNATURE_0013 as pRootSignature_1_1,
            D3D12DDI_ROOT_SIGNATURE_VERSION_1_2 => D3D12DDI_ROOT_SIGNATURE_0100 as pRootSignature_1_2,
        ),
        NodeMask,
    }
    D3D12DDI_ROOT_SIGNATURE_0100 {
        NumParameters, pRootParameters: array(NumParameters), NumStaticSamplers,
        pStaticSamplers: array(NumStaticSamplers), Flags,
    }
    D3D12DDI_ROOT_PARAMETER_0013 {
        ParameterType, Anonymous: union(
            DescriptorTable if ParameterType is D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
            Constants if ParameterType is D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS,
            Descriptor if ParameterType is D3D12DDI_ROOT_PARAMETER_TYPE_CBV,
            Descriptor if ParameterType is D3D12DDI_ROOT_PARAMETER_TYPE_SRV,
            Descriptor if ParameterType is D3D12DDI_ROOT_PARAMETER_TYPE_UAV,
        ),
        ShaderVisibility,
    }
    D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013 { NumDescriptorRanges, pDescriptorRanges: array(NumDescriptorRanges) }
    D3D12DDI_DESCRIPTOR_RANGE_0013 {
        RangeType, NumDescriptors, BaseShaderRegister, RegisterSpace, Flags, OffsetInDescriptorsFromTableStart,
    }
    D3D12DDI_ROOT_CONSTANTS { ShaderRegister, RegisterSpace, Num32BitValues }
    D3D12DDI_ROOT_DESCRIPTOR_0013 { ShaderRegister, RegisterSpace, Flags }
    D3D12DDI_STATIC_SAMPLER_0100 {
        Filter, AddressU, AddressV, AddressW, MipLODBias, MaxAnisotropy, ComparisonFunc, BorderColor, MinLOD, MaxLOD,
        ShaderRegister, RegisterSpace, ShaderVisibility, Flags,
    }
    D3D12DDI_STATIC_SAMPLER {
        Filter, AddressU, AddressV, AddressW, MipLODBias, MaxAnisotropy, ComparisonFunc, BorderColor, MinLOD, MaxLOD,
        ShaderRegister, RegisterSpace, ShaderVisibility,
    }
    D3D12DDI_ROOT_SIGNATURE_0013 {
        NumParameters, pRootParameters: array(NumParameters), NumStaticSamplers,
        pStaticSamplers: array(NumStaticSamplers), Flags,
    }
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0013 {
        Version, Anonymous: union(pRootSignature_1_1(required()) if Version is D3D12DDI_ROOT_SIGNATURE_VERSION_1_1),
        NodeMask,
    }
}
