//! pfnGetCaps and pfnGetApplicationProfileVersion.

use std::ptr;

use bytemuck::bytes_of;
use ddi_sys::*;
use plugin_sdk::{Capabilities, VersionNumber};

use crate::host::memory::Guarded;
use crate::host::plugin::Script;
use crate::host::{Application, Host, TARGET, some};

fn get_caps(host: &Host, kind: D3D12DDICAPS_TYPE, data: *mut u8, size: u32) -> HRESULT {
    let application = Application::new();
    let query = D3D12DDIARG_GETCAPS {
        Type: kind,
        pInfo: ptr::null_mut(),
        pData: data.cast(),
        DataSize: size,
    };
    get_caps_with(host, &raw const TARGET, application.desc, &raw const query)
}

fn get_caps_with(
    host: &Host,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    query: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    host.get_caps(host.open.handle, target, application, query)
}

/// Capabilities in which every byte of every structure differs from its neighbours.
fn distinct() -> Capabilities {
    fn fill<T: bytemuck::Pod>(first: u8) -> T {
        let mut value = T::zeroed();
        for (byte, content) in bytemuck::bytes_of_mut(&mut value).iter_mut().zip(first..) {
            *byte = content;
        }
        value
    }
    let mut answers = Capabilities::default();
    answers.shader = fill(1);
    answers.options = fill(2);
    answers.options_0090 = fill(3);
    answers.options_0091 = fill(4);
    answers.options_0093 = fill(5);
    answers.options_0098 = fill(6);
    answers.options_0101 = fill(7);
    answers.options_0102 = fill(8);
    answers.options1_0103 = fill(9);
    answers.options_0109 = fill(10);
    answers.options_0110 = fill(11);
    answers.shader_model_6_8_options = fill(12);
    answers.shader_models = vec![
        D3D12DDI_SHADER_MODEL_6_6_RELEASE_0082,
        D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071,
        D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011,
    ]
    .into();
    answers.highest_feature_level = D3D12DDI_3DPIPELINELEVEL_12_1;
    answers
}

#[test]
fn each_capability_answers_at_its_size_and_at_no_other() {
    let answers = distinct();
    let _script = Script {
        capabilities: distinct(),
        ..Script::default()
    }
    .install();
    let host = Host::new();
    let plain: [(D3D12DDICAPS_TYPE, &[u8]); 12] = [
        (D3D12DDICAPS_TYPE_SHADER, bytes_of(&answers.shader)),
        (D3D12DDICAPS_TYPE_D3D12_OPTIONS, bytes_of(&answers.options)),
        (
            D3D12DDICAPS_TYPE_OPTIONS_0090,
            bytes_of(&answers.options_0090),
        ),
        (
            D3D12DDICAPS_TYPE_OPTIONS_0091,
            bytes_of(&answers.options_0091),
        ),
        (
            D3D12DDICAPS_TYPE_OPTIONS_0093,
            bytes_of(&answers.options_0093),
        ),
        (
            D3D12DDICAPS_TYPE_OPTIONS_0098,
            bytes_of(&answers.options_0098),
        ),
        (
            D3D12DDICAPS_TYPE_OPTIONS_0101,
            bytes_of(&answers.options_0101),
        ),
        (
            D3D12DDICAPS_TYPE_OPTIONS_0102,
            bytes_of(&answers.options_0102),
        ),
        (
            D3D12DDICAPS_TYPE_OPTIONS1_0103,
            bytes_of(&answers.options1_0103),
        ),
        (
            D3D12DDICAPS_TYPE_OPTIONS_0109,
            bytes_of(&answers.options_0109),
        ),
        (
            D3D12DDICAPS_TYPE_OPTIONS_0110,
            bytes_of(&answers.options_0110),
        ),
        (
            D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110,
            bytes_of(&answers.shader_model_6_8_options),
        ),
    ];
    for (kind, answer) in plain {
        let right = u32::try_from(answer.len()).unwrap();
        for size in some(0..=right + 8).chain([right]) {
            for offset in [0, 1] {
                let data = Guarded::new(size as usize, offset);
                let hresult = get_caps(&host, kind, data.at(), size);
                data.check();
                if size == right {
                    assert_eq!((hresult, data.bytes()), (S_OK, answer), "{kind:?}");
                } else {
                    assert_eq!(hresult, E_INVALIDARG, "{kind:?}, {size} bytes");
                    assert!(data.is_untouched());
                }
            }
        }
        assert_eq!(get_caps(&host, kind, ptr::null_mut(), right), E_INVALIDARG);
    }
}

/// What the DDI has no value 0 for, and lists that must not be empty: P-CAPS-02, 03, 21 and 22 of the suite.
#[test]
fn the_default_is_what_a_target_must_have() {
    let least = Capabilities::default();
    let tiers = (
        least.options.ResourceBindingTier,
        least.options.ResourceHeapTier,
        least.options_0110.ExecuteIndirectTier,
    );
    let first = (
        D3D12DDI_RESOURCE_BINDING_TIER_1,
        D3D12DDI_RESOURCE_HEAP_TIER_1,
        D3D12DDI_EXECUTE_INDIRECT_TIER_1_0,
    );
    assert_eq!(tiers, first);
    let models = [D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011];
    assert_eq!(*least.shader_models, models);
    assert_eq!(least.highest_feature_level, D3D12DDI_3DPIPELINELEVEL_11_0);
}

#[test]
fn what_plugins_are_not_asked_for_is_refused() {
    let host = Host::new();
    let kinds = [
        D3D12DDICAPS_TYPE_TEXTURE_LAYOUT,
        D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE,
        D3D12DDICAPS_TYPE(0),
        D3D12DDICAPS_TYPE(-1),
        D3D12DDICAPS_TYPE(i32::MAX),
    ];
    for kind in kinds {
        for size in [0, 4, 64] {
            let data = Guarded::new(64, 0);
            assert_eq!(
                get_caps(&host, kind, data.at(), size),
                E_INVALIDARG,
                "{kind:?}"
            );
            assert!(data.is_untouched());
        }
    }
}

#[test]
fn shader_models_come_by_the_two_call_protocol() {
    let models = distinct().shader_models;
    let _script = Script {
        capabilities: distinct(),
        ..Script::default()
    }
    .install();
    let host = Host::new();
    let kind = D3D12DDICAPS_TYPE_0011_SHADER_MODELS;
    let size = u32::try_from(size_of::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>()).unwrap();
    for (capacity, array) in [
        (0, false),
        (3, false),
        (0, true),
        (1, true),
        (3, true),
        (5, true),
    ] {
        let list = Guarded::new(capacity * 4, 0);
        let mut count = u32::try_from(capacity).unwrap();
        let mut data = D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
            pNumShaderModelsSupported: &raw mut count,
            pShaderModelsSupported: if array {
                list.at().cast()
            } else {
                ptr::null_mut()
            },
        };
        let hresult = get_caps(&host, kind, (&raw mut data).cast(), size);
        list.check();
        let short = array && capacity < models.len();
        assert_eq!(hresult, if short { DXGI_ERROR_MORE_DATA } else { S_OK });
        assert_eq!(count as usize, models.len());
        let written = if array { capacity.min(models.len()) } else { 0 };
        let (filled, tail) = list.bytes().split_at(written * 4);
        let expected: Vec<u8> = models[..written]
            .iter()
            .flat_map(|model| model.0.to_ne_bytes())
            .collect();
        assert_eq!(filled, expected);
        assert!(tail.iter().all(|&byte| byte == 0xA5));
    }
    let mut data = D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
        pNumShaderModelsSupported: ptr::null_mut(),
        pShaderModelsSupported: ptr::null_mut(),
    };
    assert_eq!(
        get_caps(&host, kind, (&raw mut data).cast(), size),
        E_INVALIDARG
    );
    for size in [0, 4, size - 1, size + 1] {
        let data = Guarded::new(size as usize, 0);
        assert_eq!(get_caps(&host, kind, data.at(), size), E_INVALIDARG);
        assert!(data.is_untouched());
    }
}

#[test]
fn the_feature_level_is_never_above_the_runtimes() {
    let levels = [
        D3D12DDI_3DPIPELINELEVEL_1_0_GENERIC,
        D3D12DDI_3DPIPELINELEVEL_1_0_CORE,
        D3D12DDI_3DPIPELINELEVEL_11_0,
        D3D12DDI_3DPIPELINELEVEL_11_1,
        D3D12DDI_3DPIPELINELEVEL_12_0,
        D3D12DDI_3DPIPELINELEVEL_12_1,
        D3D12DDI_3DPIPELINELEVEL_12_2,
    ];
    let kind = D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1;
    for highest in levels {
        let mut capabilities = Capabilities::default();
        capabilities.highest_feature_level = highest;
        let _script = Script {
            capabilities,
            ..Script::default()
        }
        .install();
        let host = Host::new();
        for runtime in levels {
            let mut data = D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 {
                HighestRuntimeSupportedFeatureLevel: runtime,
                MaximumDriverSupportedFeatureLevel: D3D12DDI_3DPIPELINELEVEL(-1),
            };
            assert_eq!(get_caps(&host, kind, (&raw mut data).cast(), 8), S_OK);
            assert_eq!(data.HighestRuntimeSupportedFeatureLevel, runtime);
            assert_eq!(
                data.MaximumDriverSupportedFeatureLevel,
                highest.min(runtime)
            );
        }
        for size in [0, 4, 7, 9] {
            let data = Guarded::new(size as usize, 0);
            assert_eq!(get_caps(&host, kind, data.at(), size), E_INVALIDARG);
            assert!(data.is_untouched());
        }
    }
}

/// Every function that takes a target and an application refuses what is wrong with them.
#[test]
fn targets_and_applications_are_checked() {
    type Mutation = fn(&mut Application);

    let host = Host::new();
    let profile = |target, application, version: *mut D3D12DDI_VERSION_NUMBER| {
        host.profile_version(host.open.handle, target, application, version)
    };
    let results = |target, application| {
        let mut version = D3D12DDI_VERSION_NUMBER::from_bits(7);
        let mut options = D3D12DDI_OPTIONS_DATA_0090::default();
        let query = D3D12DDIARG_GETCAPS {
            Type: D3D12DDICAPS_TYPE_OPTIONS_0090,
            pInfo: ptr::null_mut(),
            pData: (&raw mut options).cast(),
            DataSize: 4,
        };
        let memory = Guarded::new(4096, 0);
        let results = [
            get_caps_with(&host, target, application, &raw const query),
            profile(target, application, &raw mut version),
            host.create_compiler_in(target, application, memory.at().cast()),
        ];
        let created = results[2] == S_OK;
        assert_eq!(host.calc_compiler_size(target, application) > 0, created);
        if created {
            host.destroy_compiler(D3D12DDI_HCOMPILER {
                pDrvPrivate: memory.at().cast(),
            });
        } else {
            assert!(version.bits() == 7 && memory.is_untouched());
        }
        results
    };
    let application = Application::new();
    let target = |family, abi| D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: family,
        ABIVersion: abi,
    };
    let targets = [
        (target(0, 3), S_OK),
        (target(0, 1), S_OK),
        (target(1, 7), S_OK),
        (target(1, 3), E_INVALIDARG),
        (target(0, 0), E_INVALIDARG),
        (target(0, 4), E_INVALIDARG),
        (target(0, u64::MAX), E_INVALIDARG),
        (target(2, 1), DXGI_ERROR_NOT_FOUND),
        (target(u32::MAX, 1), DXGI_ERROR_NOT_FOUND),
    ];
    for (target, expected) in targets {
        assert_eq!(
            results(&raw const target, application.desc),
            [expected; 3],
            "{target:?}"
        );
    }
    assert_eq!(results(ptr::null(), application.desc), [E_INVALIDARG; 3]);
    assert_eq!(results(&raw const TARGET, ptr::null()), [E_INVALIDARG; 3]);

    let mutations: [(Mutation, HRESULT); 7] = [
        (|a| a.raw().pEngineName = ptr::null(), S_OK),
        (|a| a.raw().pExeFilename = a.arena.text(""), S_OK),
        (|a| a.raw().pExeFilename = ptr::null(), E_INVALIDARG),
        (|a| a.raw().pName = ptr::null(), E_INVALIDARG),
        (
            |a| a.raw().pName = a.raw().pName.wrapping_byte_add(1),
            E_INVALIDARG,
        ),
        (
            |a| a.raw().pEngineName = a.arena.slice(vec![b'x'.into(); 1 << 16]),
            E_INVALIDARG,
        ),
        (
            |a| {
                let longest = "x".repeat((1 << 16) - 1);
                a.raw().pName = a.arena.text(&longest);
            },
            S_OK,
        ),
    ];
    for (index, (mutate, expected)) in some(mutations).enumerate() {
        let mut application = Application::new();
        mutate(&mut application);
        assert_eq!(
            results(&raw const TARGET, application.desc),
            [expected; 3],
            "{index}"
        );
    }

    assert_eq!(
        profile(&raw const TARGET, application.desc, ptr::null_mut()),
        E_INVALIDARG
    );
    assert_eq!(
        get_caps_with(&host, &raw const TARGET, application.desc, ptr::null()),
        E_INVALIDARG
    );
}

#[test]
fn profile_versions_are_the_vendors() {
    for bits in [0, 0x0001_0002_0003_0004] {
        let _script = Script {
            profile: VersionNumber::from_bits(bits),
            ..Script::default()
        }
        .install();
        let (host, application) = (Host::new(), Application::new());
        let mut version = D3D12DDI_VERSION_NUMBER::from_bits(99);
        let (open, target) = (host.open.handle, &raw const TARGET);
        let hresult = host.profile_version(open, target, application.desc, &raw mut version);
        assert_eq!((hresult, version.bits()), (S_OK, bits));
    }
}
