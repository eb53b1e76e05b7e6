//! Translates serialized root signatures to create arguments.

use std::fmt;

use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_COMPARISON_FUNC, D3D12DDI_DESCRIPTOR_RANGE_0013,
    D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DATA_VOLATILE,
    D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DESCRIPTORS_VOLATILE, D3D12DDI_DESCRIPTOR_RANGE_FLAGS,
    D3D12DDI_DESCRIPTOR_RANGE_TYPE, D3D12DDI_FILTER, D3D12DDI_ROOT_CONSTANTS,
    D3D12DDI_ROOT_DESCRIPTOR_0013, D3D12DDI_ROOT_DESCRIPTOR_FLAG_0013_DATA_VOLATILE,
    D3D12DDI_ROOT_DESCRIPTOR_FLAGS, D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013,
    D3D12DDI_ROOT_PARAMETER_0013, D3D12DDI_ROOT_PARAMETER_0013_0, D3D12DDI_ROOT_PARAMETER_TYPE,
    D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS, D3D12DDI_ROOT_PARAMETER_TYPE_CBV,
    D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE, D3D12DDI_ROOT_PARAMETER_TYPE_SRV,
    D3D12DDI_ROOT_PARAMETER_TYPE_UAV, D3D12DDI_ROOT_SIGNATURE_0100, D3D12DDI_ROOT_SIGNATURE_FLAGS,
    D3D12DDI_ROOT_SIGNATURE_VERSION_1_2, D3D12DDI_SAMPLER_FLAGS_0096, D3D12DDI_SHADER_VISIBILITY,
    D3D12DDI_STATIC_BORDER_COLOR, D3D12DDI_STATIC_SAMPLER_0100, D3D12DDI_TEXTURE_ADDRESS_MODE,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100_0, UINT,
};
use dxil::rdat::SubobjectKind;
use dxil::{
    Container, DescriptorRange, DescriptorRangeType, FeatureFlags, FourCc, RootDescriptor,
    RootParameterKind, RootSignature, RootSignatureDesc, RootSignatureFlags, StaticSampler,
};

use super::arena::Arena;
use super::known::CheckedBytes;
use super::{Invalid, length, shader};
use crate::message::MessageId;

/// The use of a root signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For a pipeline, or for the shaders of a state object.
    Global,
    /// For shader records; it has the flag LOCAL_ROOT_SIGNATURE.
    Local,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Global => "global",
            Self::Local => "local",
        })
    }
}

/// What indexing descriptor heaps needs of the (global) root signature.
pub const HEAP_INDEXING: [(FeatureFlags, RootSignatureFlags, &str); 2] = [
    (
        FeatureFlags::RESOURCE_DESCRIPTOR_HEAP_INDEXING,
        RootSignatureFlags::CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED,
        "CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED",
    ),
    (
        FeatureFlags::SAMPLER_DESCRIPTOR_HEAP_INDEXING,
        RootSignatureFlags::SAMPLER_HEAP_DIRECTLY_INDEXED,
        "SAMPLER_HEAP_DIRECTLY_INDEXED",
    ),
];

/// Reads a serialized root signature: a [payload] or what contains one.
///
/// # Errors
///
/// There is [none](payload), it is malformed, the D3D12 runtime refuses it ([`RootSignatureDesc::validate`]), or it is for
/// another scope.
pub fn read(bytes: &[u8], scope: Scope) -> Result<RootSignature<'_>, Invalid> {
    let payload = payload(bytes, scope)?;
    let read = RootSignature::parse(payload).map_err(unreadable)?;
    check(payload, &read, scope)?;
    Ok(read)
}

fn unreadable(why: impl fmt::Display) -> Invalid {
    let id = MessageId::CREATE_ROOT_SIGNATURE_DESERIALIZE_FAILED;
    Invalid::new(id, format!("no serialized root signature: {why}"))
}

/// Finds the payload of a serialized root signature. The bytes are a container with a part `RTS0`, as
/// `D3D12SerializeVersionedRootSignature` makes them, a shader with one embedded, a library that declares exactly one root
/// signature of that scope, or the payload itself.
///
/// # Errors
///
/// They are a container that is damaged or not signed, or in which there is no root signature or more than one.
pub fn payload(bytes: &[u8], scope: Scope) -> Result<&[u8], Invalid> {
    if !bytes.starts_with(&FourCc::DXBC.0) {
        return Ok(bytes);
    }
    let container = Container::parse(bytes).map_err(unreadable)?;
    let damaged = MessageId::CREATE_ROOT_SIGNATURE_DESERIALIZE_FAILED;
    shader::check_hash(&container).map_err(|text| Invalid::new(damaged, text))?;
    if let Some(part) = container.part(FourCc::RTS0) {
        return Ok(part.bytes());
    }
    let id = MessageId::CREATE_ROOT_SIGNATURE_BLOB_NOT_FOUND;
    let Some(data) = container.runtime_data().map_err(unreadable)? else {
        let text = "the container has no root signature (no part RTS0)";
        return Err(Invalid::new(id, text));
    };
    let declared = data
        .subobjects()
        .filter_map(|subobject| match (scope, subobject.kind) {
            (Scope::Global, SubobjectKind::GlobalRootSignature(payload))
            | (Scope::Local, SubobjectKind::LocalRootSignature(payload)) => {
                Some((subobject.name, payload))
            }
            _ => None,
        });
    let declared: Vec<_> = declared.collect();
    match declared[..] {
        [(_, payload)] => Ok(payload),
        [] => {
            let text = format!("the library declares no {scope} root signature");
            Err(Invalid::new(id, text))
        }
        [(first, _), (second, _), ..] => Err(unreadable(format!(
            "the library declares {} {scope} root signatures, such as {first} and {second}: it stands for a root signature only if \
             it declares one",
            declared.len()
        ))),
    }
}

/// The root signature that is embedded in a shader; `None` if there is none.
///
/// # Errors
///
/// As [`read`].
pub fn embedded<'a>(container: &Container<'a>) -> Result<Option<RootSignature<'a>>, Invalid> {
    let part = container.part(FourCc::RTS0);
    let read = part.map(|part| read(part.bytes(), Scope::Global));
    read.transpose()
        .map_err(|error| error.at("embedded root signature"))
}

/// Root signatures that are known to be valid.
pub(super) static VALID: CheckedBytes = CheckedBytes::new();

fn check(payload: &[u8], read: &RootSignature<'_>, scope: Scope) -> Result<(), Invalid> {
    let wrong = |text| Invalid::new(MessageId::CREATE_ROOT_SIGNATURE_INVALID_CONFIGURATION, text);
    VALID.check(payload, || {
        let desc = RootSignatureDesc::try_from(read).map_err(|error| wrong(error.to_string()))?;
        desc.validate().map_err(|error| wrong(error.to_string()))
    })?;
    let local = RootSignatureFlags::LOCAL_ROOT_SIGNATURE;
    match (scope, read.flags().contains(local)) {
        (Scope::Global, true) => Err(wrong(
            "a local root signature in the place of a global one".into(),
        )),
        (Scope::Local, false) => Err(wrong(
            "a global root signature in the place of a local one".into(),
        )),
        _ => Ok(()),
    }
}

/// Translates a root signature into `arena`. The DDI's structure has version 1.2, which differs from 1.1 only in the flags of
/// static samplers. Version 1.0 promises nothing about descriptors and data, so they become volatile.
pub fn translate(
    from: &RootSignature<'_>,
    node_mask: UINT,
    arena: &mut Arena,
) -> *mut D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 {
    let tables: Vec<_> = from
        .parameters()
        .iter()
        .map(|parameter| match parameter.kind {
            RootParameterKind::DescriptorTable(table) => {
                let ranges = table.ranges();
                let count = UINT::try_from(ranges.len()).unwrap_or(UINT::MAX);
                D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013 {
                    NumDescriptorRanges: count,
                    pDescriptorRanges: arena.array_of(ranges.map(range)),
                }
            }
            _ => Zeroable::zeroed(),
        })
        .collect();
    let parameters = from
        .parameters()
        .iter()
        .zip(tables)
        .map(|(parameter, table)| {
            let (parameter_type, content) = parameter_content(&parameter.kind, table);
            D3D12DDI_ROOT_PARAMETER_0013 {
                ParameterType: parameter_type,
                Anonymous: content,
                ShaderVisibility: D3D12DDI_SHADER_VISIBILITY(
                    parameter.shader_visibility.0.cast_signed(),
                ),
            }
        });
    let num_parameters = length(from.parameters());
    let parameters = arena.array_of(parameters);
    let samplers = from.static_samplers();
    let num_samplers = UINT::try_from(samplers.len()).unwrap_or(UINT::MAX);
    let samplers = arena.array_of(samplers.map(|sampler| static_sampler(&sampler)));
    let content = arena.put(D3D12DDI_ROOT_SIGNATURE_0100 {
        NumParameters: num_parameters,
        pRootParameters: parameters,
        NumStaticSamplers: num_samplers,
        pStaticSamplers: samplers,
        Flags: D3D12DDI_ROOT_SIGNATURE_FLAGS(from.flags().0.cast_signed()),
    });
    arena.put(D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 {
        Version: D3D12DDI_ROOT_SIGNATURE_VERSION_1_2,
        Anonymous: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100_0 {
            pRootSignature_1_2: content,
        },
        NodeMask: node_mask,
    })
}

fn parameter_content(
    kind: &RootParameterKind<'_>,
    table: D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013,
) -> (D3D12DDI_ROOT_PARAMETER_TYPE, D3D12DDI_ROOT_PARAMETER_0013_0) {
    match kind {
        RootParameterKind::DescriptorTable(_) => (
            D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
            D3D12DDI_ROOT_PARAMETER_0013_0 {
                DescriptorTable: table,
            },
        ),
        RootParameterKind::Constants(constants) => (
            D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS,
            D3D12DDI_ROOT_PARAMETER_0013_0 {
                Constants: D3D12DDI_ROOT_CONSTANTS {
                    ShaderRegister: constants.shader_register,
                    RegisterSpace: constants.register_space,
                    Num32BitValues: constants.num_32bit_values,
                },
            },
        ),
        RootParameterKind::Cbv(cbv) => (D3D12DDI_ROOT_PARAMETER_TYPE_CBV, descriptor(cbv)),
        RootParameterKind::Srv(srv) => (D3D12DDI_ROOT_PARAMETER_TYPE_SRV, descriptor(srv)),
        RootParameterKind::Uav(uav) => (D3D12DDI_ROOT_PARAMETER_TYPE_UAV, descriptor(uav)),
    }
}

fn descriptor(from: &RootDescriptor) -> D3D12DDI_ROOT_PARAMETER_0013_0 {
    D3D12DDI_ROOT_PARAMETER_0013_0 {
        Descriptor: D3D12DDI_ROOT_DESCRIPTOR_0013 {
            ShaderRegister: from.shader_register,
            RegisterSpace: from.register_space,
            Flags: from
                .flags
                .map_or(D3D12DDI_ROOT_DESCRIPTOR_FLAG_0013_DATA_VOLATILE, |flags| {
                    D3D12DDI_ROOT_DESCRIPTOR_FLAGS(flags.0.cast_signed())
                }),
        },
    }
}

fn range(from: DescriptorRange) -> D3D12DDI_DESCRIPTOR_RANGE_0013 {
    // Samplers have no data.
    let volatile = if from.range_type == DescriptorRangeType::SAMPLER {
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DESCRIPTORS_VOLATILE
    } else {
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DESCRIPTORS_VOLATILE
            | D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DATA_VOLATILE
    };
    D3D12DDI_DESCRIPTOR_RANGE_0013 {
        RangeType: D3D12DDI_DESCRIPTOR_RANGE_TYPE(from.range_type.0.cast_signed()),
        NumDescriptors: from.num_descriptors,
        BaseShaderRegister: from.base_shader_register,
        RegisterSpace: from.register_space,
        Flags: from.flags.map_or(volatile, |flags| {
            D3D12DDI_DESCRIPTOR_RANGE_FLAGS(flags.0.cast_signed())
        }),
        OffsetInDescriptorsFromTableStart: from.offset_in_descriptors_from_table_start,
    }
}

fn static_sampler(from: &StaticSampler) -> D3D12DDI_STATIC_SAMPLER_0100 {
    D3D12DDI_STATIC_SAMPLER_0100 {
        Filter: D3D12DDI_FILTER(from.filter.cast_signed()),
        AddressU: D3D12DDI_TEXTURE_ADDRESS_MODE(from.address_u.cast_signed()),
        AddressV: D3D12DDI_TEXTURE_ADDRESS_MODE(from.address_v.cast_signed()),
        AddressW: D3D12DDI_TEXTURE_ADDRESS_MODE(from.address_w.cast_signed()),
        MipLODBias: from.mip_lod_bias,
        MaxAnisotropy: from.max_anisotropy,
        ComparisonFunc: D3D12DDI_COMPARISON_FUNC(from.comparison_func.cast_signed()),
        BorderColor: D3D12DDI_STATIC_BORDER_COLOR(from.border_color.cast_signed()),
        MinLOD: from.min_lod,
        MaxLOD: from.max_lod,
        ShaderRegister: from.shader_register,
        RegisterSpace: from.register_space,
        ShaderVisibility: D3D12DDI_SHADER_VISIBILITY(from.shader_visibility.0.cast_signed()),
        Flags: D3D12DDI_SAMPLER_FLAGS_0096(from.flags.map_or(0, |flags| flags.0.cast_signed())),
    }
}
