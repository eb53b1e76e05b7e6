//! Root signatures for the shaders of `bindless.hlsl`, which use an unbounded array of each class, and of `constants.hlsl`.

use dxil::*;

use crate::corpus::{range, table};

/// An unbounded array of the shaders.
#[derive(Clone, Copy)]
struct Array {
    class: DescriptorRangeType,
    letter: char,
    space: u32,
    first: u32,
    is_buffer: bool,
}

const ARRAYS: [Array; 5] = {
    const fn array(class: DescriptorRangeType, letter: char, space: u32, first: u32) -> Array {
        // The array in space 2 is of textures.
        let is_buffer = space != 2 && letter != 's';
        Array {
            class,
            letter,
            space,
            first,
            is_buffer,
        }
    }
    [
        array(DescriptorRangeType::SRV, 't', 2, 7),
        array(DescriptorRangeType::SRV, 't', 3, 7),
        array(DescriptorRangeType::UAV, 'u', 4, 5),
        array(DescriptorRangeType::CBV, 'b', 5, 3),
        array(DescriptorRangeType::SAMPLER, 's', 6, 2),
    ]
};

/// A root signature, and the words of the message that refuses it, if any does.
pub struct Case {
    pub name: String,
    pub root_signature: RootSignatureDesc,
    pub refused: Option<String>,
}

fn of_ranges(array: Array, ranges: &[(u32, u32)]) -> Vec<RootParameterDesc> {
    let of = |&(first, count)| DescriptorRange {
        base_shader_register: first,
        ..range(array.class, count, array.space)
    };
    vec![table(ranges.iter().map(of).collect())]
}

fn root_descriptor(array: Array, register: u32) -> Vec<RootParameterDesc> {
    let descriptor = RootDescriptor {
        shader_register: register,
        register_space: array.space,
        flags: Some(RootDescriptorFlags::NONE),
    };
    vec![RootParameterDesc {
        shader_visibility: ShaderVisibility::ALL,
        kind: match array.class {
            DescriptorRangeType::CBV => RootParameterKindDesc::Cbv(descriptor),
            DescriptorRangeType::SRV => RootParameterKindDesc::Srv(descriptor),
            _ => RootParameterKindDesc::Uav(descriptor),
        },
    }]
}

fn static_sampler(space: u32, register: u32) -> StaticSampler {
    StaticSampler {
        filter: 0,
        address_u: 1,
        address_v: 1,
        address_w: 1,
        mip_lod_bias: 0.0,
        max_anisotropy: 1,
        comparison_func: 1,
        border_color: 0,
        min_lod: 0.0,
        max_lod: 1.0,
        shader_register: register,
        register_space: space,
        shader_visibility: ShaderVisibility::ALL,
        flags: None,
    }
}

/// Every way to define one of the arrays, beside ranges of fixed size for the others.
pub fn cases(flags: RootSignatureFlags) -> Vec<Case> {
    const UNBOUNDED: u32 = DescriptorRange::UNBOUNDED;
    let mut cases = Vec::new();
    for array in ARRAYS {
        let mut add = |name: &str, parameters, samplers, refused: Option<&str>| {
            let others = ARRAYS.iter().filter(|other| other.space != array.space);
            let others = others.flat_map(|other| of_ranges(*other, &[(other.first, 16)]));
            let at = format!(
                "{}{} and up in space {}",
                array.letter, array.first, array.space
            );
            cases.push(Case {
                name: format!("{name} for {at}"),
                root_signature: RootSignatureDesc {
                    version: Version { major: 1, minor: 1 },
                    parameters: others.chain(parameters).collect(),
                    static_samplers: samplers,
                    flags,
                },
                refused: refused.map(|why| format!("{at}|{why}")),
            });
        };
        let first = array.first;
        let missing = Some("no root signature of the shader defines");
        for (name, ranges, refused) in [
            (
                "a range from the first register on",
                &[(first, 16)][..],
                None,
            ),
            ("the first register", &[(first, 1)], None),
            ("a range around the first register", &[(0, 64)], None),
            (
                "a range that ends with the first register",
                &[(0, first + 1)],
                None,
            ),
            ("an unbounded range", &[(first, UNBOUNDED)], None),
            ("an unbounded range from 0 on", &[(0, UNBOUNDED)], None),
            ("a range up to the register before", &[(0, first)], missing),
            (
                "a range from the next register on",
                &[(first + 1, 64)],
                missing,
            ),
            (
                "an unbounded range from the next register on",
                &[(first + 1, UNBOUNDED)],
                missing,
            ),
            (
                "ranges on both sides",
                &[(0, first), (first + 1, 16)],
                missing,
            ),
        ] {
            add(name, of_ranges(array, ranges), Vec::new(), refused);
        }
        add("nothing", Vec::new(), Vec::new(), missing);
        if array.class == DescriptorRangeType::SAMPLER {
            for (register, refused) in [(first, None), (first + 1, missing)] {
                let sampler = static_sampler(array.space, register);
                add("a static sampler", Vec::new(), vec![sampler], refused);
            }
            continue;
        }
        let unaddressable = (!array.is_buffer).then_some("is in a root descriptor");
        for (register, refused) in [(first, unaddressable), (first + 1, missing)] {
            add(
                "a root descriptor",
                root_descriptor(array, register),
                Vec::new(),
                refused,
            );
        }
    }
    cases
}

impl Case {
    /// Checks the messages with which a description was refused; `None` if it was not.
    #[track_caller]
    pub fn check(&self, place: &str, errors: Option<&str>) {
        let name = &self.name;
        match (&self.refused, errors) {
            (None, None) => {}
            (Some(words), Some(errors)) => {
                let found = words.split('|').all(|word| errors.contains(word));
                assert!(found, "{place}: {name}: {errors}");
            }
            (None, Some(errors)) => panic!("{place}: {name} is refused: {errors}"),
            (Some(_), None) => panic!("{place}: {name} is not refused"),
        }
    }
}

/// Root signatures for `constants.hlsl`, with b1 as root constants, as a root descriptor and in a table.
pub fn constants(flags: RootSignatureFlags) -> [(&'static str, RootSignatureDesc); 3] {
    let parameter = |kind| RootParameterDesc {
        shader_visibility: ShaderVisibility::ALL,
        kind,
    };
    let descriptor = |register| RootDescriptor {
        shader_register: register,
        register_space: 0,
        flags: Some(RootDescriptorFlags::NONE),
    };
    let constants = RootConstants {
        shader_register: 1,
        register_space: 0,
        num_32bit_values: 40,
    };
    [
        (
            "root constants",
            RootParameterKindDesc::Constants(constants),
        ),
        ("root descriptor", RootParameterKindDesc::Cbv(descriptor(1))),
        (
            "table",
            RootParameterKindDesc::DescriptorTable(vec![range(DescriptorRangeType::CBV, 8, 0)]),
        ),
    ]
    .map(|(how, kind)| {
        let desc = RootSignatureDesc {
            version: Version { major: 1, minor: 1 },
            parameters: vec![
                parameter(kind),
                parameter(RootParameterKindDesc::Uav(descriptor(0))),
            ],
            static_samplers: Vec::new(),
            flags,
        };
        (how, desc)
    })
}
