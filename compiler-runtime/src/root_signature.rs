//! Serializing root signatures from their descriptions.

use api_desc::caller;
use api_sys::{
    D3D_ROOT_SIGNATURE_VERSION_1_0, D3D_ROOT_SIGNATURE_VERSION_1_1, D3D_ROOT_SIGNATURE_VERSION_1_2,
    D3D12_DESCRIPTOR_RANGE, D3D12_DESCRIPTOR_RANGE1, D3D12_ROOT_CONSTANTS, D3D12_ROOT_PARAMETER,
    D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS, D3D12_ROOT_PARAMETER_TYPE_CBV,
    D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE, D3D12_ROOT_PARAMETER_TYPE_SRV,
    D3D12_ROOT_PARAMETER_TYPE_UAV, D3D12_ROOT_PARAMETER1, D3D12_STATIC_SAMPLER_DESC,
    D3D12_STATIC_SAMPLER_DESC1, D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
};
use dxil::{
    ContainerBuilder, DescriptorRange, DescriptorRangeFlags, DescriptorRangeType, FourCc,
    RootConstants, RootDescriptor, RootDescriptorFlags, RootParameterDesc, RootParameterKindDesc,
    RootSignatureDesc, RootSignatureFlags, SamplerFlags, ShaderVisibility, StaticSampler, Version,
};

use crate::desc::Invalid;
use crate::message::MessageId;

/// More parameters, ranges or samplers than any root signature can have.
const MANY: usize = 1 << 20;

/// Writes a root signature as a container with the part `RTS0`.
///
/// # Errors
///
/// The version is unknown, or `D3D12SerializeVersionedRootSignature` would refuse the description.
///
/// # Safety
///
/// `desc` is null or what the API says: all that it points at is valid during the call.
pub unsafe fn serialize(
    desc: *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
) -> Result<Vec<u8>, Invalid> {
    // SAFETY: `desc` is null or valid during the call with all that it points at (`# Safety`).
    let desc = unsafe { read(desc) }?;
    let payload = desc.serialize().map_err(|error| wrong(error.to_string()))?;
    let mut builder = ContainerBuilder::new();
    builder.set(FourCc::RTS0, payload);
    builder.build().map_err(|error| wrong(error.to_string()))
}

fn wrong(text: impl Into<String>) -> Invalid {
    let id = MessageId::CREATE_ROOT_SIGNATURE_INVALID_CONFIGURATION;
    Invalid::new(id, text)
}

/// # Safety
///
/// As for [`serialize`].
unsafe fn read(
    desc: *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
) -> Result<RootSignatureDesc, Invalid> {
    // SAFETY: `desc` is null or to a description that is valid during the call (`# Safety`).
    let desc = unsafe { caller::required("pRootSignature", desc) }?;
    // SAFETY: `Version` names the union's member; all that it points at is valid during the call (`# Safety`).
    unsafe {
        let union = &desc.Anonymous;
        let (minor, parameters, samplers, flags) = match desc.Version {
            D3D_ROOT_SIGNATURE_VERSION_1_0 => {
                let desc = &union.Desc_1_0;
                (
                    0,
                    each(desc.pParameters, desc.NumParameters, |p| parameter_1_0(p))?,
                    each(desc.pStaticSamplers, desc.NumStaticSamplers, |s| {
                        Ok(sampler(s))
                    })?,
                    desc.Flags,
                )
            }
            D3D_ROOT_SIGNATURE_VERSION_1_1 => {
                let desc = &union.Desc_1_1;
                (
                    1,
                    each(desc.pParameters, desc.NumParameters, |p| parameter_1_1(p))?,
                    each(desc.pStaticSamplers, desc.NumStaticSamplers, |s| {
                        Ok(sampler(s))
                    })?,
                    desc.Flags,
                )
            }
            D3D_ROOT_SIGNATURE_VERSION_1_2 => {
                let desc = &union.Desc_1_2;
                (
                    2,
                    each(desc.pParameters, desc.NumParameters, |p| parameter_1_1(p))?,
                    each(desc.pStaticSamplers, desc.NumStaticSamplers, |s| {
                        Ok(sampler_1_2(s))
                    })?,
                    desc.Flags,
                )
            }
            version => {
                return Err(wrong(format!(
                    "root signature version {version} is unknown"
                )));
            }
        };
        Ok(RootSignatureDesc {
            version: Version { major: 1, minor },
            parameters,
            static_samplers: samplers,
            flags: RootSignatureFlags(flags),
        })
    }
}

/// # Safety
///
/// `first` is null or to `count` elements.
unsafe fn each<T, U>(
    first: *const T,
    count: u32,
    translate: impl Fn(&T) -> Result<U, Invalid>,
) -> Result<Vec<U>, Invalid> {
    let what = std::any::type_name::<T>()
        .rsplit("::")
        .next()
        .unwrap_or_default();
    // SAFETY: `first` is null or to `count` elements (`# Safety`), and the slice ends here.
    let array = unsafe { caller::array(what, first, count as usize, MANY) }?;
    array.iter().map(translate).collect()
}

/// # Safety
///
/// The parameter's ranges are as many as it says.
unsafe fn parameter_1_0(from: &D3D12_ROOT_PARAMETER) -> Result<RootParameterDesc, Invalid> {
    let union = &from.Anonymous;
    let descriptor = || {
        // SAFETY: plain numbers.
        let from = unsafe { union.Descriptor };
        RootDescriptor {
            shader_register: from.ShaderRegister,
            register_space: from.RegisterSpace,
            flags: None,
        }
    };
    let ranges = || {
        // SAFETY: `kind` asks for ranges only where the type says table; they are as many as it says (`# Safety`).
        unsafe {
            let table = union.DescriptorTable;
            each(
                table.pDescriptorRanges,
                table.NumDescriptorRanges,
                |range| Ok(range_1_0(range)),
            )
        }
    };
    // SAFETY: plain numbers, which the type says are there.
    let constants = || unsafe { union.Constants };
    let kind = kind(from.ParameterType, ranges, constants, descriptor)?;
    Ok(RootParameterDesc {
        shader_visibility: visibility(from.ShaderVisibility),
        kind,
    })
}

/// # Safety
///
/// As for [`parameter_1_0`].
unsafe fn parameter_1_1(from: &D3D12_ROOT_PARAMETER1) -> Result<RootParameterDesc, Invalid> {
    let union = &from.Anonymous;
    let descriptor = || {
        // SAFETY: plain numbers.
        let from = unsafe { union.Descriptor };
        RootDescriptor {
            shader_register: from.ShaderRegister,
            register_space: from.RegisterSpace,
            flags: Some(RootDescriptorFlags(from.Flags)),
        }
    };
    let ranges = || {
        // SAFETY: `kind` asks for ranges only where the type says table; they are as many as it says (`# Safety`).
        unsafe {
            let table = union.DescriptorTable;
            each(
                table.pDescriptorRanges,
                table.NumDescriptorRanges,
                |range| Ok(range_1_1(range)),
            )
        }
    };
    // SAFETY: plain numbers, which the type says are there.
    let constants = || unsafe { union.Constants };
    let kind = kind(from.ParameterType, ranges, constants, descriptor)?;
    Ok(RootParameterDesc {
        shader_visibility: visibility(from.ShaderVisibility),
        kind,
    })
}

/// The member of the union that the type names.
fn kind(
    parameter_type: i32,
    ranges: impl FnOnce() -> Result<Vec<DescriptorRange>, Invalid>,
    constants: impl FnOnce() -> D3D12_ROOT_CONSTANTS,
    descriptor: impl FnOnce() -> RootDescriptor,
) -> Result<RootParameterKindDesc, Invalid> {
    use RootParameterKindDesc as Kind;
    Ok(match parameter_type {
        D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE => Kind::DescriptorTable(ranges()?),
        D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS => {
            let constants = constants();
            Kind::Constants(RootConstants {
                shader_register: constants.ShaderRegister,
                register_space: constants.RegisterSpace,
                num_32bit_values: constants.Num32BitValues,
            })
        }
        D3D12_ROOT_PARAMETER_TYPE_CBV => Kind::Cbv(descriptor()),
        D3D12_ROOT_PARAMETER_TYPE_SRV => Kind::Srv(descriptor()),
        D3D12_ROOT_PARAMETER_TYPE_UAV => Kind::Uav(descriptor()),
        other => return Err(wrong(format!("root parameter type {other} is unknown"))),
    })
}

fn visibility(visibility: i32) -> ShaderVisibility {
    ShaderVisibility(visibility.cast_unsigned())
}

fn range_1_0(from: &D3D12_DESCRIPTOR_RANGE) -> DescriptorRange {
    DescriptorRange {
        range_type: DescriptorRangeType(from.RangeType.cast_unsigned()),
        num_descriptors: from.NumDescriptors,
        base_shader_register: from.BaseShaderRegister,
        register_space: from.RegisterSpace,
        flags: None,
        offset_in_descriptors_from_table_start: from.OffsetInDescriptorsFromTableStart,
    }
}

fn range_1_1(from: &D3D12_DESCRIPTOR_RANGE1) -> DescriptorRange {
    DescriptorRange {
        range_type: DescriptorRangeType(from.RangeType.cast_unsigned()),
        num_descriptors: from.NumDescriptors,
        base_shader_register: from.BaseShaderRegister,
        register_space: from.RegisterSpace,
        flags: Some(DescriptorRangeFlags(from.Flags)),
        offset_in_descriptors_from_table_start: from.OffsetInDescriptorsFromTableStart,
    }
}

fn sampler(from: &D3D12_STATIC_SAMPLER_DESC) -> StaticSampler {
    StaticSampler {
        filter: from.Filter.cast_unsigned(),
        address_u: from.AddressU.cast_unsigned(),
        address_v: from.AddressV.cast_unsigned(),
        address_w: from.AddressW.cast_unsigned(),
        mip_lod_bias: from.MipLODBias,
        max_anisotropy: from.MaxAnisotropy,
        comparison_func: from.ComparisonFunc.cast_unsigned(),
        border_color: from.BorderColor.cast_unsigned(),
        min_lod: from.MinLOD,
        max_lod: from.MaxLOD,
        shader_register: from.ShaderRegister,
        register_space: from.RegisterSpace,
        shader_visibility: visibility(from.ShaderVisibility),
        flags: None,
    }
}

fn sampler_1_2(from: &D3D12_STATIC_SAMPLER_DESC1) -> StaticSampler {
    StaticSampler {
        filter: from.Filter.cast_unsigned(),
        address_u: from.AddressU.cast_unsigned(),
        address_v: from.AddressV.cast_unsigned(),
        address_w: from.AddressW.cast_unsigned(),
        mip_lod_bias: from.MipLODBias,
        max_anisotropy: from.MaxAnisotropy,
        comparison_func: from.ComparisonFunc.cast_unsigned(),
        border_color: from.BorderColor.cast_unsigned(),
        min_lod: from.MinLOD,
        max_lod: from.MaxLOD,
        shader_register: from.ShaderRegister,
        register_space: from.RegisterSpace,
        shader_visibility: visibility(from.ShaderVisibility),
        flags: Some(SamplerFlags(from.Flags)),
    }
}
