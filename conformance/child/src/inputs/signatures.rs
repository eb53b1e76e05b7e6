//! Signatures and root signatures of a container as the structures of the DDI.

use bytemuck::Zeroable;
use conformance_catalogue::verdict::Stop;
use ddi_sys::{
    D3D10_SB_NAME, D3D10_SB_NAME_UNDEFINED, D3D10_SB_REGISTER_COMPONENT_TYPE,
    D3D11_SB_OPERAND_MIN_PRECISION, D3D12DDI_COMPARISON_FUNC, D3D12DDI_DESCRIPTOR_RANGE_0013,
    D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DATA_VOLATILE,
    D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DESCRIPTORS_VOLATILE,
    D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_NONE, D3D12DDI_DESCRIPTOR_RANGE_FLAGS,
    D3D12DDI_DESCRIPTOR_RANGE_TYPE, D3D12DDI_DESCRIPTOR_RANGE_TYPE_CBV,
    D3D12DDI_DESCRIPTOR_RANGE_TYPE_SAMPLER, D3D12DDI_DESCRIPTOR_RANGE_TYPE_SRV,
    D3D12DDI_DESCRIPTOR_RANGE_TYPE_UAV, D3D12DDI_FILTER, D3D12DDI_ROOT_CONSTANTS,
    D3D12DDI_ROOT_DESCRIPTOR_0013, D3D12DDI_ROOT_DESCRIPTOR_FLAG_0013_DATA_VOLATILE,
    D3D12DDI_ROOT_DESCRIPTOR_FLAGS, D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013,
    D3D12DDI_ROOT_PARAMETER_0013, D3D12DDI_ROOT_PARAMETER_0013_0, D3D12DDI_ROOT_PARAMETER_TYPE,
    D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS, D3D12DDI_ROOT_PARAMETER_TYPE_CBV,
    D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE, D3D12DDI_ROOT_PARAMETER_TYPE_SRV,
    D3D12DDI_ROOT_PARAMETER_TYPE_UAV, D3D12DDI_ROOT_SIGNATURE_0100,
    D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT, D3D12DDI_ROOT_SIGNATURE_FLAGS,
    D3D12DDI_ROOT_SIGNATURE_VERSION_1_2, D3D12DDI_SAMPLER_FLAGS_0096, D3D12DDI_SHADER_VISIBILITY,
    D3D12DDI_SHADER_VISIBILITY_ALL, D3D12DDI_STATIC_BORDER_COLOR, D3D12DDI_STATIC_SAMPLER_0100,
    D3D12DDI_TEXTURE_ADDRESS_MODE, D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100_0, D3D12DDIARG_SIGNATURE_ENTRY_0012, DXGI_FORMAT,
    DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R32G32B32A32_SINT, DXGI_FORMAT_R32G32B32A32_UINT,
    DXGI_FORMAT_UNKNOWN,
};
use dxil::psv0::{PipelineStateValidation, ResourceType};
use dxil::{
    ComponentType, FourCc, RootDescriptor, RootParameterKind, SignatureElement, SystemValue,
};

use crate::inputs::arena::Arena;
use crate::inputs::pipeline::Stage;
use crate::inputs::shaders::Shader;

/// A register that is none: the element is not packed.
const NO_REGISTER: u32 = u32::MAX;

/// The entries of one signature part; none when the container has no such part.
pub(crate) fn entries(
    shader: &Shader,
    part: FourCc,
) -> Result<Vec<D3D12DDIARG_SIGNATURE_ENTRY_0012>, Stop> {
    let signature = shader
        .container()?
        .signature(part)
        .map_err(|error| shader.unreadable(&error))?;
    Ok(signature
        .iter()
        .flat_map(dxil::Signature::elements)
        .map(entry)
        .collect())
}

fn entry(element: SignatureElement<'_>) -> D3D12DDIARG_SIGNATURE_ENTRY_0012 {
    D3D12DDIARG_SIGNATURE_ENTRY_0012 {
        SystemValue: system_value(element),
        Register: element.register().unwrap_or(NO_REGISTER),
        Mask: element.mask(),
        Stream: low_byte(element.stream()),
        RegisterComponentType: D3D10_SB_REGISTER_COMPONENT_TYPE(
            element.component_type().0.cast_signed(),
        ),
        MinPrecision: D3D11_SB_OPERAND_MIN_PRECISION(element.min_precision().0.cast_signed()),
    }
}

fn low_byte(number: u32) -> u8 {
    number.to_le_bytes()[0]
}

/// A container numbers system values as `D3D_NAME`, the DDI as `D3D10_SB_NAME`: there each row of the
/// tessellation factors has a name of its own, and a pixel shader's outputs have none.
fn system_value(element: SignatureElement<'_>) -> D3D10_SB_NAME {
    let rows_from = |first: u32| first + element.semantic_index();
    let name = match element.system_value() {
        SystemValue::FINAL_QUAD_EDGE_TESSFACTOR => rows_from(11),
        SystemValue::FINAL_QUAD_INSIDE_TESSFACTOR => rows_from(15),
        SystemValue::FINAL_TRI_EDGE_TESSFACTOR => rows_from(17),
        SystemValue::FINAL_TRI_INSIDE_TESSFACTOR => 20,
        SystemValue::FINAL_LINE_DETAIL_TESSFACTOR => 21,
        SystemValue::FINAL_LINE_DENSITY_TESSFACTOR => 22,
        SystemValue(other) if other < SystemValue::TARGET.0 => other,
        _ => return D3D10_SB_NAME_UNDEFINED,
    };
    D3D10_SB_NAME(name.cast_signed())
}

/// The root signature that is embedded in a shader, in version 1.2.
pub(crate) fn embedded(
    shader: &Shader,
    arena: &Arena,
) -> Result<*mut D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, Stop> {
    let container = shader.container()?;
    let signature = container
        .root_signature()
        .map_err(|error| shader.unreadable(&error))?
        .ok_or_else(|| shader.unreadable(&"no root signature"))?;
    let mut parameters = Vec::new();
    for parameter in signature.parameters() {
        let visibility = D3D12DDI_SHADER_VISIBILITY(parameter.shader_visibility.0.cast_signed());
        let descriptor = |from: RootDescriptor| {
            D3D12DDI_ROOT_PARAMETER_0013_0 {
                Descriptor: D3D12DDI_ROOT_DESCRIPTOR_0013 {
                    ShaderRegister: from.shader_register,
                    RegisterSpace: from.register_space,
                    // Version 1.0 has no flags, and this is what it means.
                    Flags: from
                        .flags
                        .map_or(D3D12DDI_ROOT_DESCRIPTOR_FLAG_0013_DATA_VOLATILE, |flags| {
                            D3D12DDI_ROOT_DESCRIPTOR_FLAGS(flags.0.cast_signed())
                        }),
                },
            }
        };
        let (parameter_type, content) = match parameter.kind {
            RootParameterKind::DescriptorTable(table) => {
                let ranges = table.ranges().map(|range| {
                    let range_type =
                        D3D12DDI_DESCRIPTOR_RANGE_TYPE(range.range_type.0.cast_signed());
                    D3D12DDI_DESCRIPTOR_RANGE_0013 {
                        RangeType: range_type,
                        NumDescriptors: range.num_descriptors,
                        BaseShaderRegister: range.base_shader_register,
                        RegisterSpace: range.register_space,
                        Flags: range.flags.map_or(flags_of_1_0(range_type), |flags| {
                            D3D12DDI_DESCRIPTOR_RANGE_FLAGS(flags.0.cast_signed())
                        }),
                        OffsetInDescriptorsFromTableStart: range
                            .offset_in_descriptors_from_table_start,
                    }
                });
                let ranges: Vec<_> = ranges.collect();
                (
                    D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
                    table_of(&ranges, arena),
                )
            }
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
            RootParameterKind::Cbv(from) => (D3D12DDI_ROOT_PARAMETER_TYPE_CBV, descriptor(from)),
            RootParameterKind::Srv(from) => (D3D12DDI_ROOT_PARAMETER_TYPE_SRV, descriptor(from)),
            RootParameterKind::Uav(from) => (D3D12DDI_ROOT_PARAMETER_TYPE_UAV, descriptor(from)),
        };
        parameters.push(parameter_of(parameter_type, content, visibility));
    }
    let samplers: Vec<_> = signature
        .static_samplers()
        .map(|from| D3D12DDI_STATIC_SAMPLER_0100 {
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
        })
        .collect();
    let flags = D3D12DDI_ROOT_SIGNATURE_FLAGS(signature.flags().0.cast_signed());
    Ok(place(&parameters, &samplers, flags, arena))
}

/// What a range of version 1.0 means, which has no flags.
fn flags_of_1_0(range_type: D3D12DDI_DESCRIPTOR_RANGE_TYPE) -> D3D12DDI_DESCRIPTOR_RANGE_FLAGS {
    if range_type == D3D12DDI_DESCRIPTOR_RANGE_TYPE_SAMPLER {
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DESCRIPTORS_VOLATILE
    } else {
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DESCRIPTORS_VOLATILE
            | D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DATA_VOLATILE
    }
}

/// What a covering root signature has besides the tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Covering {
    pub(crate) flags: D3D12DDI_ROOT_SIGNATURE_FLAGS,
    pub(crate) range_flags: D3D12DDI_DESCRIPTOR_RANGE_FLAGS,
    /// So many 32-bit values in space 7, if any.
    pub(crate) constants: u32,
    /// The visibility of a descriptor of a constant buffer in space 8, if there is one.
    pub(crate) descriptor: Option<D3D12DDI_SHADER_VISIBILITY>,
    /// A static sampler in space 9, if there is one.
    pub(crate) sampler: Option<D3D12DDI_STATIC_SAMPLER_0100>,
}

impl Covering {
    pub(crate) const USUAL: Self = Self {
        flags: D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT,
        range_flags: D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_NONE,
        constants: 0,
        descriptor: None,
        sampler: None,
    };
}

/// A root signature that covers every shader which takes its resources from space 0: a table for each
/// kind of descriptor, visible to all stages.
pub(crate) fn covering(
    with: &Covering,
    arena: &Arena,
) -> *mut D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 {
    const UNBOUNDED: u32 = u32::MAX;
    let tables = [
        (D3D12DDI_DESCRIPTOR_RANGE_TYPE_CBV, 14),
        (D3D12DDI_DESCRIPTOR_RANGE_TYPE_SRV, UNBOUNDED),
        (D3D12DDI_DESCRIPTOR_RANGE_TYPE_UAV, 64),
        (D3D12DDI_DESCRIPTOR_RANGE_TYPE_SAMPLER, 16),
    ]
    .map(|(range_type, count)| {
        let range = D3D12DDI_DESCRIPTOR_RANGE_0013 {
            RangeType: range_type,
            NumDescriptors: count,
            BaseShaderRegister: 0,
            RegisterSpace: 0,
            Flags: if range_type == D3D12DDI_DESCRIPTOR_RANGE_TYPE_SAMPLER {
                D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_NONE
            } else {
                with.range_flags
            },
            OffsetInDescriptorsFromTableStart: 0,
        };
        parameter_of(
            D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
            table_of(&[range], arena),
            D3D12DDI_SHADER_VISIBILITY_ALL,
        )
    });
    let constants = (with.constants > 0).then(|| {
        let constants = D3D12DDI_ROOT_CONSTANTS {
            ShaderRegister: 0,
            RegisterSpace: 7,
            Num32BitValues: with.constants,
        };
        parameter_of(
            D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS,
            D3D12DDI_ROOT_PARAMETER_0013_0 {
                Constants: constants,
            },
            D3D12DDI_SHADER_VISIBILITY_ALL,
        )
    });
    let descriptor = with.descriptor.map(|visibility| {
        let descriptor = D3D12DDI_ROOT_DESCRIPTOR_0013 {
            ShaderRegister: 0,
            RegisterSpace: 8,
            Flags: D3D12DDI_ROOT_DESCRIPTOR_FLAGS(0),
        };
        parameter_of(
            D3D12DDI_ROOT_PARAMETER_TYPE_CBV,
            D3D12DDI_ROOT_PARAMETER_0013_0 {
                Descriptor: descriptor,
            },
            visibility,
        )
    });
    let parameters: Vec<_> = tables
        .into_iter()
        .chain(constants)
        .chain(descriptor)
        .collect();
    place(&parameters, with.sampler.as_slice(), with.flags, arena)
}

/// A root signature with a table for each binding that the shaders have, visible to all stages.
pub(crate) fn binding(
    shaders: &[(Stage, &'static Shader)],
    arena: &Arena,
) -> Result<*mut D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, Stop> {
    let mut ranges = Vec::new();
    for (_, shader) in shaders {
        let validation = shader
            .container()?
            .pipeline_state_validation()
            .map_err(|error| shader.unreadable(&error))?;
        for resource in validation
            .iter()
            .flat_map(PipelineStateValidation::resources)
        {
            let range_type = match resource.resource_type {
                ResourceType::SAMPLER => D3D12DDI_DESCRIPTOR_RANGE_TYPE_SAMPLER,
                ResourceType::CBV => D3D12DDI_DESCRIPTOR_RANGE_TYPE_CBV,
                ResourceType::SRV_TYPED | ResourceType::SRV_RAW | ResourceType::SRV_STRUCTURED => {
                    D3D12DDI_DESCRIPTOR_RANGE_TYPE_SRV
                }
                _ => D3D12DDI_DESCRIPTOR_RANGE_TYPE_UAV,
            };
            let (first, last) = (resource.lower_bound, resource.upper_bound);
            let range = (range_type, resource.space, first, last);
            if !ranges.contains(&range) {
                ranges.push(range);
            }
        }
    }
    let parameters: Vec<_> = ranges
        .into_iter()
        .map(|(range_type, space, first, last)| {
            let range = D3D12DDI_DESCRIPTOR_RANGE_0013 {
                RangeType: range_type,
                // A range without an end has the largest number.
                NumDescriptors: (last - first).saturating_add(u32::from(last != u32::MAX)),
                BaseShaderRegister: first,
                RegisterSpace: space,
                Flags: D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_NONE,
                OffsetInDescriptorsFromTableStart: 0,
            };
            parameter_of(
                D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
                table_of(&[range], arena),
                D3D12DDI_SHADER_VISIBILITY_ALL,
            )
        })
        .collect();
    let flags = D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT;
    Ok(place(&parameters, &[], flags, arena))
}

/// Formats for the render targets that a pixel shader writes.
pub(crate) fn targets(shader: &Shader) -> Result<Vec<DXGI_FORMAT>, Stop> {
    let outputs = shader
        .container()?
        .signature(FourCc::OSG1)
        .map_err(|error| shader.unreadable(&error))?;
    let mut targets = Vec::new();
    for output in outputs.iter().flat_map(dxil::Signature::elements) {
        if output.system_value() != SystemValue::TARGET {
            continue;
        }
        let index = output.semantic_index().min(7) as usize;
        targets.resize(targets.len().max(index + 1), DXGI_FORMAT_UNKNOWN);
        targets[index] = match output.component_type() {
            ComponentType::UINT32 => DXGI_FORMAT_R32G32B32A32_UINT,
            ComponentType::SINT32 => DXGI_FORMAT_R32G32B32A32_SINT,
            _ => DXGI_FORMAT_R8G8B8A8_UNORM,
        };
    }
    Ok(targets)
}

fn table_of(
    ranges: &[D3D12DDI_DESCRIPTOR_RANGE_0013],
    arena: &Arena,
) -> D3D12DDI_ROOT_PARAMETER_0013_0 {
    D3D12DDI_ROOT_PARAMETER_0013_0 {
        DescriptorTable: D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013 {
            NumDescriptorRanges: length(ranges),
            pDescriptorRanges: arena.array(ranges),
        },
    }
}

fn parameter_of(
    parameter_type: D3D12DDI_ROOT_PARAMETER_TYPE,
    content: D3D12DDI_ROOT_PARAMETER_0013_0,
    visibility: D3D12DDI_SHADER_VISIBILITY,
) -> D3D12DDI_ROOT_PARAMETER_0013 {
    D3D12DDI_ROOT_PARAMETER_0013 {
        ParameterType: parameter_type,
        Anonymous: content,
        ShaderVisibility: visibility,
    }
}

fn place(
    parameters: &[D3D12DDI_ROOT_PARAMETER_0013],
    samplers: &[D3D12DDI_STATIC_SAMPLER_0100],
    flags: D3D12DDI_ROOT_SIGNATURE_FLAGS,
    arena: &Arena,
) -> *mut D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 {
    let content = arena.put(D3D12DDI_ROOT_SIGNATURE_0100 {
        NumParameters: length(parameters),
        pRootParameters: arena.array(parameters),
        NumStaticSamplers: length(samplers),
        pStaticSamplers: arena.array(samplers),
        Flags: flags,
    });
    arena.put(D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 {
        Version: D3D12DDI_ROOT_SIGNATURE_VERSION_1_2,
        Anonymous: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100_0 {
            pRootSignature_1_2: content,
        },
        ..Zeroable::zeroed()
    })
}

/// The length of an array as the DDI counts.
pub(crate) fn length<T>(array: &[T]) -> u32 {
    u32::try_from(array.len()).expect("arrays of the corpus are short")
}

#[cfg(test)]
mod tests {
    use super::{embedded, entries};
    use crate::inputs::arena::{Arena, Surroundings};
    use crate::inputs::shaders::*;
    use dxil::FourCc;

    /// Name, register and mask, as the sources in the corpus say.
    #[test]
    fn entries_have_the_numbers_of_the_ddi() {
        let of = |shader, part| {
            let entries = entries(shader, part).unwrap();
            entries
                .iter()
                .map(|e| (e.SystemValue.0, e.Register, e.Mask))
                .collect::<Vec<_>>()
        };
        let factors = of(&tess_tri_hs, FourCc::PSG1);
        let names: Vec<i32> = factors.iter().map(|(name, ..)| *name).collect();
        for name in [17, 18, 19, 20, 0] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        assert_eq!(of(&forward_plain_ps, FourCc::OSG1), [(0, 0, 0xF)]);
        assert_eq!(
            of(&tess_tri_vs, FourCc::ISG1),
            [(0, 0, 7), (0, 1, 7), (0, 2, 3)]
        );
        assert!(of(&raw_copy_cs, FourCc::ISG1).is_empty());
        assert!(of(&raw_copy_cs, FourCc::PSG1).is_empty());
    }

    #[test]
    fn an_embedded_root_signature_is_taken_over() {
        let arena = Arena::new(Arena::SIZE, Surroundings::USUAL).unwrap();
        let arg = embedded(&raw_copy_cs, &arena).unwrap();
        // SAFETY: the arena holds the structures, and the union has one arm.
        let (content, parameters) = unsafe {
            let content = *(*arg).Anonymous.pRootSignature_1_2;
            let parameters =
                std::slice::from_raw_parts(content.pRootParameters, content.NumParameters as usize);
            (content, parameters)
        };
        assert_eq!(
            parameters
                .iter()
                .map(|p| p.ParameterType.0)
                .collect::<Vec<_>>(),
            [1, 3, 4]
        );
        // SAFETY: the first parameter holds constants.
        let constants = unsafe { parameters[0].Anonymous.Constants };
        assert_eq!(constants.Num32BitValues, 3);
        assert_eq!((content.NumStaticSamplers, content.Flags.0), (0, 0));
        assert!(embedded(&forward_plain_vs, &arena).is_err());
    }
}
