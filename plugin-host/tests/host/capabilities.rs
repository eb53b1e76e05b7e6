//! The capability calls: what they pass, what they give, and plugins that answer nonsense.

use std::rc::Rc;

use ddi_sys::*;
use plugin_host::{ApplicationDesc, CallError, CallFailure, Caps, MAX_ENTRIES, Plugin};

use crate::scripted::{
    self, Script, answers, application, error, failed, families, list, take_log, target, units,
};

const FULL: &str = r#"(1, 3, Some("Code.exe"), Some("Code"), 0x0001005d00010000, Some("Godot"), 0x0004000300000000)"#;

#[test]
fn families_end_with_not_found() {
    let names = |family| {
        let script = Script {
            family,
            ..Script::default()
        };
        scripted::plugin(script).adapter_families()
    };
    assert_eq!(
        names(families(&["Gen1", "Größe"])).unwrap(),
        ["Gen1", "Größe"]
    );
    assert!(names(families(&[])).unwrap().is_empty());

    let endless = names(Rc::new(|_| Ok(units("x".encode_utf16(), 0))));
    let call = "pfnEnumerateAdapterFamilies";
    assert_eq!(endless, Err(error(call, CallFailure::TooMany)));
    // The longest list that is taken.
    let longest = names(Rc::new(|index| {
        let more = index < MAX_ENTRIES;
        more.then(|| units("x".encode_utf16(), 0))
            .ok_or(DXGI_ERROR_NOT_FOUND)
    }));
    assert_eq!(longest.unwrap().len(), MAX_ENTRIES as usize);

    let failing = names(Rc::new(|index| match index {
        0 => Ok(units("x".encode_utf16(), 0)),
        _ => Err(E_FAIL),
    }));
    assert_eq!(failing, Err(failed(call, E_FAIL)));

    let unterminated = names(Rc::new(|_| Ok(units("x".encode_utf16(), 0x41))));
    assert_eq!(
        unterminated,
        Err(error(call, CallFailure::Unterminated { index: 0 }))
    );
    let ill_formed = names(Rc::new(|index| {
        let unit = if index == 1 { 0xD800 } else { 0x41 };
        Ok(units([unit].into_iter(), 0))
    }));
    assert_eq!(
        ill_formed,
        Err(error(call, CallFailure::NotUtf16 { index: 1 }))
    );
    let unnamed = names(Rc::new(|_| Ok(units([].into_iter(), 0))));
    assert_eq!(unnamed, Err(error(call, CallFailure::Unnamed { index: 0 })));
    // One that is wrong says nothing of the others.
    let plugin = scripted::plugin(Script {
        family: Rc::new(|index| match index {
            0 => Ok(units("x".encode_utf16(), 0x41)),
            1 => Ok(units("Gen2".encode_utf16(), 0)),
            2 => Err(E_FAIL),
            _ => Err(DXGI_ERROR_NOT_FOUND),
        }),
        ..Script::default()
    });
    assert_eq!(
        plugin.adapter_family(0),
        Err(error(call, CallFailure::Unterminated { index: 0 }))
    );
    assert_eq!(plugin.adapter_family(1), Ok(Some("Gen2".into())));
    assert_eq!(plugin.adapter_family(2), Err(failed(call, E_FAIL)));
    assert_eq!(plugin.adapter_family(3), Ok(None));
    // What follows the NUL is not part of the name.
    let rest = names(Rc::new(|index| match index {
        0 => Ok(units([0x41, 0].into_iter(), 0xD800)),
        _ => Err(DXGI_ERROR_NOT_FOUND),
    }));
    assert_eq!(rest.unwrap(), ["A"]);
}

#[test]
fn versions_come_back_as_reported() {
    let plugin = scripted::plugin(Script::default());
    assert_eq!(plugin.abi_versions(0), Ok(vec![3, 2, 1]));
    assert_eq!(plugin.compiler_version(1), Ok(101));
    let target = target(&plugin);
    assert_eq!(
        plugin.application_profile_version(target, &application()),
        Ok(7)
    );
    assert_eq!(
        take_log(),
        [format!("pfnGetApplicationProfileVersion{FULL}")]
    );
    let no_engine = ApplicationDesc {
        engine: None,
        ..application()
    };
    assert_eq!(
        plugin.application_profile_version(target, &no_engine),
        Ok(7)
    );
    let none = FULL.replace(
        r#"Some("Godot"), 0x0004000300000000"#,
        "None, 0x0000000000000000",
    );
    assert_eq!(
        take_log(),
        [format!("pfnGetApplicationProfileVersion{none}")]
    );

    let plugin = scripted::plugin(Script {
        abi_versions: answers(&[(u32::MAX, S_OK)]),
        ..Script::default()
    });
    let call = "pfnGetAdapterFamilyABIVersions";
    assert_eq!(
        plugin.abi_versions(0),
        Err(error(call, CallFailure::TooMany))
    );
}

#[test]
fn each_capability_has_its_type_and_size() {
    fn check<T: Caps>(plugin: &Plugin, name: &str) {
        let target = target(plugin);
        let data: T = plugin.get_caps(target, &application()).unwrap();
        let (last, written) = bytemuck::bytes_of(&data).split_last().unwrap();
        // The plugin has the true size; what it leaves out is 0.
        assert!(written.iter().all(|byte| *byte == 7) && *last == 0);
        assert_eq!(take_log(), [format!("pfnGetCaps({name}){FULL}")]);
        assert_eq!(T::TYPE.name(), Some(name));
    }
    macro_rules! check_all {
        ($($data:ty: $name:ident,)*) => {
            let plugin = scripted::plugin(Script::default());
            $(check::<$data>(&plugin, stringify!($name));)*
        };
    }
    check_all! {
        D3D12DDI_SHADER_CAPS_0084: D3D12DDICAPS_TYPE_SHADER,
        D3D12DDI_D3D12_OPTIONS_DATA_0089: D3D12DDICAPS_TYPE_D3D12_OPTIONS,
        D3D12DDI_OPTIONS_DATA_0090: D3D12DDICAPS_TYPE_OPTIONS_0090,
        D3D12DDI_OPTIONS_DATA_0091: D3D12DDICAPS_TYPE_OPTIONS_0091,
        D3D12DDI_OPTIONS_DATA_0093: D3D12DDICAPS_TYPE_OPTIONS_0093,
        D3D12DDI_OPTIONS_DATA_0098: D3D12DDICAPS_TYPE_OPTIONS_0098,
        D3D12DDI_OPTIONS_DATA_0101: D3D12DDICAPS_TYPE_OPTIONS_0101,
        D3D12DDI_OPTIONS_DATA_0102: D3D12DDICAPS_TYPE_OPTIONS_0102,
        D3D12DDI_OPTIONS_DATA_0103: D3D12DDICAPS_TYPE_OPTIONS1_0103,
        D3D12DDI_OPTIONS_DATA_0109: D3D12DDICAPS_TYPE_OPTIONS_0109,
        D3D12DDI_OPTIONS_DATA_0110: D3D12DDICAPS_TYPE_OPTIONS_0110,
        D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110: D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110,
    }
}

#[test]
fn feature_level_passes_the_runtimes_highest() {
    let plugin = scripted::plugin(Script::default());
    let target = target(&plugin);
    let level = D3D12DDI_3DPIPELINELEVEL_12_1;
    assert_eq!(
        plugin.feature_level(target, &application(), level),
        Ok(level)
    );
    let call = "pfnGetCaps(D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1)";
    assert_eq!(take_log(), [format!("{call}{FULL}")]);
}

#[test]
fn shader_models_are_counted_first() {
    let models = |shader_models| {
        let plugin = scripted::plugin(Script {
            shader_models,
            ..Script::default()
        });
        plugin.shader_models(target(&plugin), &application())
    };
    assert_eq!(
        models(list(&[0x60065, 0x60060])),
        Ok(vec![
            D3D12DDI_SHADER_MODEL_6_6_RELEASE_0082,
            D3D12DDI_SHADER_MODEL_6_6_EXPERIMENTAL_0071
        ])
    );
    assert_eq!(models(list(&[])), Ok(vec![]));
}

#[test]
fn any_capability_can_be_asked_for_raw() {
    let plugin = scripted::plugin(Script::default());
    let mut data = [0_u8; 6];
    let arg = D3D12DDIARG_GETCAPS {
        Type: D3D12DDICAPS_TYPE(77),
        pInfo: std::ptr::null_mut(),
        pData: data.as_mut_ptr().cast(),
        DataSize: 5,
    };
    // SAFETY: the scripted plugin writes bytes, and no more than `DataSize`.
    let result = unsafe { plugin.get_caps_raw(target(&plugin), &application(), &arg) };
    assert_eq!((result, data), (Ok(()), [7, 7, 7, 7, 0, 0]));
    assert_eq!(
        take_log(),
        [format!("pfnGetCaps(D3D12DDICAPS_TYPE(77)){FULL}")]
    );
}

#[test]
fn formats_and_samples() {
    let plugin = scripted::plugin(Script::default());
    let target = target(&plugin);
    let format = DXGI_FORMAT_R8G8B8A8_UNORM;
    assert_eq!(plugin.check_format_support(target, format), Ok(28 + 1));
    let supports = |level| plugin.check_multisample_quality_levels(target, format, 4, level);
    assert_eq!((supports(1), supports(2)), (Ok(true), Ok(false)));
}

#[test]
fn a_target_is_one_that_the_plugin_reports() {
    let plugin = scripted::plugin(Script {
        abi_versions: list(&[u64::MAX, 3, 1, 0]),
        ..Script::default()
    });
    let target = plugin.target(1, 3).unwrap();
    assert_eq!(
        (target.adapter_family_index(), target.abi_version()),
        (1, 3)
    );
    let raw = target.raw();
    assert_eq!((raw.AdapterFamilyIndex, raw.ABIVersion), (1, 3));

    // Reserved numbers are refused even to a plugin that reports them.
    for abi_version in [2, 4, 0, u64::MAX] {
        let failure = CallFailure::NoSuchAbiVersion {
            adapter_family_index: 1,
            abi_version,
            reported: vec![u64::MAX, 3, 1, 0],
        };
        let expected = error("pfnGetAdapterFamilyABIVersions", failure);
        assert_eq!(plugin.target(1, abi_version), Err(expected));
    }
    assert_eq!(
        plugin.target(1, 2).unwrap_err().to_string(),
        "linked-in plugin: pfnGetAdapterFamilyABIVersions reports ABI versions \
         18446744073709551615, 3, 1, 0 for family 1, not 2"
    );

    let call = "pfnGetAdapterFamilyABIVersions";
    let plugin = scripted::plugin(Script {
        fail: Some((call, DXGI_ERROR_NOT_FOUND)),
        ..Script::default()
    });
    assert_eq!(plugin.target(9, 3), Err(failed(call, DXGI_ERROR_NOT_FOUND)));
}

#[test]
fn a_target_is_for_the_open_that_checked_it() {
    let plugin = scripted::plugin(Script::default());
    let other = scripted::plugin(Script::default());
    let (own, foreign) = (target(&plugin), target(&other));
    assert_ne!(own, foreign);
    let application = application();
    let format = DXGI_FORMAT_R8G8B8A8_UNORM;
    let arg = D3D12DDIARG_GETCAPS {
        Type: D3D12DDICAPS_TYPE_SHADER,
        pInfo: std::ptr::null_mut(),
        pData: std::ptr::null_mut(),
        DataSize: 0,
    };
    let errors = [
        plugin
            .application_profile_version(foreign, &application)
            .err(),
        plugin
            .get_caps::<D3D12DDI_SHADER_CAPS_0084>(foreign, &application)
            .err(),
        plugin
            .feature_level(foreign, &application, D3D12DDI_3DPIPELINELEVEL_12_2)
            .err(),
        plugin.shader_models(foreign, &application).err(),
        // SAFETY: the call is not made.
        unsafe { plugin.get_caps_raw(foreign, &application, &arg) }.err(),
        plugin.check_format_support(foreign, format).err(),
        plugin
            .check_multisample_quality_levels(foreign, format, 1, 0)
            .err(),
        plugin.create_compiler(foreign, &application).err(),
    ];
    let calls = [
        "pfnGetApplicationProfileVersion",
        "pfnGetCaps(D3D12DDICAPS_TYPE_SHADER)",
        "pfnGetCaps(D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1)",
        "pfnGetCaps(D3D12DDICAPS_TYPE_0011_SHADER_MODELS)",
        "pfnGetCaps",
        "pfnCheckFormatSupport",
        "pfnCheckMultisampleQualityLevels",
        "pfnCreateCompiler",
    ];
    let expected = calls.map(|call| Some(error(call, CallFailure::ForeignTarget)));
    assert_eq!(errors, expected);
    assert!(take_log().is_empty());
    // A clone is the same open.
    let clone = plugin.clone();
    assert!(clone.check_format_support(own, format).is_ok());
}

#[test]
fn a_failing_call_is_named() {
    for call in [
        "pfnEnumerateAdapterFamilies",
        "pfnGetAdapterFamilyABIVersions",
        "pfnGetCompilerVersion",
        "pfnGetApplicationProfileVersion",
        "pfnGetCaps(D3D12DDICAPS_TYPE_SHADER)",
        "pfnGetCaps(D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1)",
        "pfnGetCaps(D3D12DDICAPS_TYPE_0011_SHADER_MODELS)",
        "pfnCheckFormatSupport",
    ] {
        let plugin = scripted::plugin(Script::default());
        let target = target(&plugin);
        scripted::library(Script {
            fail: Some((call, E_INVALIDARG)),
            ..Script::default()
        });
        let application = application();
        let level = D3D12DDI_3DPIPELINELEVEL_12_2;
        let errors = [
            plugin.adapter_families().err(),
            plugin.abi_versions(0).err(),
            plugin.compiler_version(0).err(),
            plugin
                .application_profile_version(target, &application)
                .err(),
            plugin
                .get_caps::<D3D12DDI_SHADER_CAPS_0084>(target, &application)
                .err(),
            plugin.feature_level(target, &application, level).err(),
            plugin.shader_models(target, &application).err(),
            plugin
                .check_format_support(target, DXGI_FORMAT_R8G8B8A8_UNORM)
                .err(),
        ];
        let errors: Vec<CallError> = errors.into_iter().flatten().collect();
        assert_eq!(errors, [failed(call, E_INVALIDARG)]);
    }
}
