//! `D3D12CompilerSerializeVersionedRootSignature`.

use std::ptr;

use api_sys::*;
use compiler_runtime::exports::D3D12CompilerSerializeVersionedRootSignature;
use windows_core::HRESULT;

fn bytes(blob: &ID3DBlob) -> Vec<u8> {
    // SAFETY: the blob is alive, and its memory with it.
    unsafe {
        let start = blob.GetBufferPointer().cast::<u8>();
        std::slice::from_raw_parts(start, blob.GetBufferSize()).to_vec()
    }
}

/// The container, or the result and the text.
fn serialize(desc: &D3D12_VERSIONED_ROOT_SIGNATURE_DESC) -> Result<Vec<u8>, (HRESULT, String)> {
    let (mut blob, mut error) = (None, None);
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let result = unsafe {
        D3D12CompilerSerializeVersionedRootSignature(desc, &raw mut blob, &raw mut error)
    };
    if result == S_OK {
        assert!(error.is_none());
        return Ok(bytes(&blob.unwrap()));
    }
    assert!(blob.is_none());
    let text = bytes(&error.unwrap());
    assert_eq!(text.last(), Some(&0));
    Err((
        result,
        String::from_utf8(text[..text.len() - 1].to_vec()).unwrap(),
    ))
}

fn sampler() -> D3D12_STATIC_SAMPLER_DESC {
    D3D12_STATIC_SAMPLER_DESC {
        Filter: 0x15,
        AddressU: 1,
        AddressV: 2,
        AddressW: 3,
        MipLODBias: 0.5,
        MaxAnisotropy: 4,
        ComparisonFunc: 1,
        BorderColor: 2,
        MinLOD: 0.0,
        MaxLOD: 8.0,
        ShaderRegister: 3,
        RegisterSpace: 0,
        ShaderVisibility: 5,
    }
}

fn desc_1_0(
    parameters: &[D3D12_ROOT_PARAMETER],
    samplers: &[D3D12_STATIC_SAMPLER_DESC],
) -> D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
    D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
        Version: D3D_ROOT_SIGNATURE_VERSION_1_0,
        Anonymous: D3D12_VERSIONED_ROOT_SIGNATURE_DESC_0 {
            Desc_1_0: D3D12_ROOT_SIGNATURE_DESC {
                NumParameters: u32::try_from(parameters.len()).unwrap(),
                pParameters: parameters.as_ptr(),
                NumStaticSamplers: u32::try_from(samplers.len()).unwrap(),
                pStaticSamplers: samplers.as_ptr(),
                Flags: D3D12_ROOT_SIGNATURE_FLAG_ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT,
            },
        },
    }
}

fn constants(register: u32) -> D3D12_ROOT_PARAMETER {
    D3D12_ROOT_PARAMETER {
        ParameterType: D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS,
        Anonymous: D3D12_ROOT_PARAMETER_0 {
            Constants: D3D12_ROOT_CONSTANTS {
                ShaderRegister: register,
                RegisterSpace: 1,
                Num32BitValues: 4,
            },
        },
        ShaderVisibility: D3D12_SHADER_VISIBILITY_VERTEX,
    }
}

fn read(container: &[u8]) -> dxil::RootSignatureDesc {
    let container = dxil::Container::parse(container).unwrap();
    assert_eq!(
        container.hash(),
        dxil::StoredHash::Hash(container.computed_hash())
    );
    let root_signature = container.root_signature().unwrap().unwrap();
    dxil::RootSignatureDesc::try_from(&root_signature).unwrap()
}

#[test]
fn version_1_0() {
    use dxil::RootParameterKindDesc as Kind;
    let ranges = [D3D12_DESCRIPTOR_RANGE {
        RangeType: D3D12_DESCRIPTOR_RANGE_TYPE_UAV,
        NumDescriptors: u32::MAX,
        BaseShaderRegister: 2,
        RegisterSpace: 3,
        OffsetInDescriptorsFromTableStart: u32::MAX,
    }];
    let table = D3D12_ROOT_PARAMETER {
        ParameterType: D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
        Anonymous: D3D12_ROOT_PARAMETER_0 {
            DescriptorTable: D3D12_ROOT_DESCRIPTOR_TABLE {
                NumDescriptorRanges: 1,
                pDescriptorRanges: ranges.as_ptr(),
            },
        },
        ShaderVisibility: D3D12_SHADER_VISIBILITY_ALL,
    };
    let descriptor = |kind, register| D3D12_ROOT_PARAMETER {
        ParameterType: kind,
        Anonymous: D3D12_ROOT_PARAMETER_0 {
            Descriptor: D3D12_ROOT_DESCRIPTOR {
                ShaderRegister: register,
                RegisterSpace: 9,
            },
        },
        ShaderVisibility: D3D12_SHADER_VISIBILITY_PIXEL,
    };
    let parameters = [
        table,
        constants(5),
        descriptor(D3D12_ROOT_PARAMETER_TYPE_CBV, 6),
        descriptor(D3D12_ROOT_PARAMETER_TYPE_SRV, 7),
        descriptor(D3D12_ROOT_PARAMETER_TYPE_UAV, 8),
    ];
    let read = read(&serialize(&desc_1_0(&parameters, &[sampler()])).unwrap());
    assert_eq!(read.version, dxil::Version { major: 1, minor: 0 });
    assert_eq!(read.flags.0, 1);
    let kinds: Vec<_> = read
        .parameters
        .iter()
        .map(|parameter| &parameter.kind)
        .collect();
    let root = |register| dxil::RootDescriptor {
        shader_register: register,
        register_space: 9,
        flags: None,
    };
    let range = dxil::DescriptorRange {
        range_type: dxil::DescriptorRangeType::UAV,
        num_descriptors: u32::MAX,
        base_shader_register: 2,
        register_space: 3,
        flags: None,
        offset_in_descriptors_from_table_start: u32::MAX,
    };
    let four = dxil::RootConstants {
        shader_register: 5,
        register_space: 1,
        num_32bit_values: 4,
    };
    let expected = [
        &Kind::DescriptorTable(vec![range]),
        &Kind::Constants(four),
        &Kind::Cbv(root(6)),
        &Kind::Srv(root(7)),
        &Kind::Uav(root(8)),
    ];
    assert_eq!(kinds, expected);
    let visible: Vec<_> = read
        .parameters
        .iter()
        .map(|p| p.shader_visibility.0)
        .collect();
    assert_eq!(visible, [0, 1, 5, 5, 5]);
    let expected = dxil::StaticSampler {
        filter: 0x15,
        address_u: 1,
        address_v: 2,
        address_w: 3,
        mip_lod_bias: 0.5,
        max_anisotropy: 4,
        comparison_func: 1,
        border_color: 2,
        min_lod: 0.0,
        max_lod: 8.0,
        shader_register: 3,
        register_space: 0,
        shader_visibility: dxil::ShaderVisibility(5),
        flags: None,
    };
    assert_eq!(read.static_samplers, [expected]);
}

#[test]
fn versions_1_1_and_1_2_have_flags() {
    let ranges = [D3D12_DESCRIPTOR_RANGE1 {
        RangeType: D3D12_DESCRIPTOR_RANGE_TYPE_SRV,
        NumDescriptors: 2,
        BaseShaderRegister: 0,
        RegisterSpace: 0,
        Flags: D3D12_DESCRIPTOR_RANGE_FLAG_DATA_VOLATILE,
        OffsetInDescriptorsFromTableStart: 4,
    }];
    let parameters = [
        D3D12_ROOT_PARAMETER1 {
            ParameterType: D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
            Anonymous: D3D12_ROOT_PARAMETER1_0 {
                DescriptorTable: D3D12_ROOT_DESCRIPTOR_TABLE1 {
                    NumDescriptorRanges: 1,
                    pDescriptorRanges: ranges.as_ptr(),
                },
            },
            ShaderVisibility: D3D12_SHADER_VISIBILITY_ALL,
        },
        D3D12_ROOT_PARAMETER1 {
            ParameterType: D3D12_ROOT_PARAMETER_TYPE_CBV,
            Anonymous: D3D12_ROOT_PARAMETER1_0 {
                Descriptor: D3D12_ROOT_DESCRIPTOR1 {
                    ShaderRegister: 0,
                    RegisterSpace: 0,
                    Flags: D3D12_ROOT_DESCRIPTOR_FLAG_DATA_STATIC,
                },
            },
            ShaderVisibility: D3D12_SHADER_VISIBILITY_ALL,
        },
    ];
    let from = sampler();
    let samplers = [D3D12_STATIC_SAMPLER_DESC1 {
        Filter: from.Filter,
        AddressU: from.AddressU,
        AddressV: from.AddressV,
        AddressW: from.AddressW,
        MipLODBias: from.MipLODBias,
        MaxAnisotropy: from.MaxAnisotropy,
        ComparisonFunc: from.ComparisonFunc,
        BorderColor: from.BorderColor,
        MinLOD: from.MinLOD,
        MaxLOD: from.MaxLOD,
        ShaderRegister: from.ShaderRegister,
        RegisterSpace: from.RegisterSpace,
        ShaderVisibility: from.ShaderVisibility,
        Flags: D3D12_SAMPLER_FLAG_NON_NORMALIZED_COORDINATES,
    }];
    // Unnormalized coordinates want a sampler of their own.
    let samplers_1_1 = [from];
    let desc_1_1 = D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
        Version: D3D_ROOT_SIGNATURE_VERSION_1_1,
        Anonymous: D3D12_VERSIONED_ROOT_SIGNATURE_DESC_0 {
            Desc_1_1: D3D12_ROOT_SIGNATURE_DESC1 {
                NumParameters: 2,
                pParameters: parameters.as_ptr(),
                NumStaticSamplers: 1,
                pStaticSamplers: samplers_1_1.as_ptr(),
                Flags: 0,
            },
        },
    };
    let desc_1_2 = D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
        Version: D3D_ROOT_SIGNATURE_VERSION_1_2,
        Anonymous: D3D12_VERSIONED_ROOT_SIGNATURE_DESC_0 {
            Desc_1_2: D3D12_ROOT_SIGNATURE_DESC2 {
                NumParameters: 2,
                pParameters: parameters.as_ptr(),
                NumStaticSamplers: 1,
                pStaticSamplers: samplers.as_ptr(),
                Flags: 0,
            },
        },
    };
    for (minor, desc) in [(1, desc_1_1), (2, desc_1_2)] {
        let read = read(&serialize(&desc).unwrap());
        assert_eq!(read.version, dxil::Version { major: 1, minor });
        let dxil::RootParameterKindDesc::DescriptorTable(ranges) = &read.parameters[0].kind else {
            panic!("{read:?}");
        };
        assert_eq!(ranges[0].flags, Some(dxil::DescriptorRangeFlags(2)));
        assert_eq!(ranges[0].offset_in_descriptors_from_table_start, 4);
        let dxil::RootParameterKindDesc::Cbv(cbv) = &read.parameters[1].kind else {
            panic!("{read:?}");
        };
        assert_eq!(cbv.flags, Some(dxil::RootDescriptorFlags(8)));
        let flags = read.static_samplers[0].flags;
        assert_eq!(flags, (minor == 2).then_some(dxil::SamplerFlags(2)));
    }
}

#[test]
fn what_is_refused_is_in_the_error_blob() {
    let overlap = serialize(&desc_1_0(&[constants(0), constants(0)], &[])).unwrap_err();
    assert_eq!(overlap.0, E_INVALIDARG);
    assert_eq!(
        overlap.1,
        "root parameter 1: register b0 in space 1 is already taken by root parameter 0\n"
    );
    let unknown = D3D12_ROOT_PARAMETER {
        ParameterType: 5,
        ..constants(0)
    };
    assert_eq!(
        serialize(&desc_1_0(&[unknown], &[])).unwrap_err().0,
        E_INVALIDARG
    );
    let version = D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
        Version: 4,
        ..desc_1_0(&[], &[])
    };
    assert_eq!(serialize(&version).unwrap_err().0, E_INVALIDARG);
    let mut null = desc_1_0(&[], &[]);
    null.Anonymous.Desc_1_0 = D3D12_ROOT_SIGNATURE_DESC {
        NumParameters: 1,
        ..D3D12_ROOT_SIGNATURE_DESC::default()
    };
    assert_eq!(serialize(&null).unwrap_err().0, E_INVALIDARG);

    let (mut blob, none) = (None, ptr::null_mut());
    let (good, bad) = (desc_1_0(&[], &[]), version);
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        let call =
            |desc, blob, error| D3D12CompilerSerializeVersionedRootSignature(desc, blob, error);
        // The error blob is optional, the blob is not.
        assert_eq!(call(&raw const good, &raw mut blob, none), S_OK);
        assert_eq!(call(&raw const bad, &raw mut blob, none), E_INVALIDARG);
        assert!(blob.is_none());
        assert_eq!(call(&raw const good, none, none), E_INVALIDARG);
        assert_eq!(call(ptr::null(), &raw mut blob, none), E_INVALIDARG);
    }
}
