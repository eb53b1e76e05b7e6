//! The capability calls: what they pass, what they give, and plugins that answer nonsense.

use std::rc::Rc;

use ddi_sys::*;
use plugin_host::{ApplicationDesc, CallError, MAX_ENTRIES};

use crate::scripted::{
    self, Script, TARGET, answers, application, families, list, take_log, units,
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
    assert_eq!(endless, Err(CallError::TooMany { call }));
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
    let hresult = E_FAIL;
    assert_eq!(failing, Err(CallError::Failed { call, hresult }));

    let unterminated = names(Rc::new(|_| Ok(units("x".encode_utf16(), 0x41))));
    assert_eq!(unterminated, Err(CallError::Unterminated { index: 0 }));
    let ill_formed = names(Rc::new(|index| {
        let unit = if index == 1 { 0xD800 } else { 0x41 };
        Ok(units([unit].into_iter(), 0))
    }));
    assert_eq!(ill_formed, Err(CallError::NotUtf16 { index: 1 }));
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
    take_log();
    assert_eq!(
        plugin.application_profile_version(TARGET, &application()),
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
        plugin.application_profile_version(TARGET, &no_engine),
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
    assert_eq!(plugin.abi_versions(0), Err(CallError::TooMany { call }));
}

#[test]
fn caps_are_typed() {
    let plugin = scripted::plugin(Script::default());
    let mut data = D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 {
        HighestRuntimeSupportedFeatureLevel: D3D12DDI_3DPIPELINELEVEL_12_1,
        ..Default::default()
    };
    let caps_type = D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1;
    plugin
        .get_caps(TARGET, &application(), caps_type, &mut data)
        .unwrap();
    assert_eq!(
        data.MaximumDriverSupportedFeatureLevel,
        D3D12DDI_3DPIPELINELEVEL_12_1
    );
    assert_eq!(take_log(), [format!("pfnGetCaps{FULL}")]);
    assert_eq!(
        plugin.shader_models(TARGET, &application()),
        Ok(vec![
            D3D12DDI_SHADER_MODEL_6_6_RELEASE_0082,
            D3D12DDI_SHADER_MODEL_6_6_EXPERIMENTAL_0071
        ])
    );

    let plugin = scripted::plugin(Script {
        shader_models: list(&[]),
        ..Script::default()
    });
    assert_eq!(plugin.shader_models(TARGET, &application()), Ok(vec![]));
}

#[test]
fn formats_and_samples() {
    let plugin = scripted::plugin(Script::default());
    let format = DXGI_FORMAT_R8G8B8A8_UNORM;
    assert_eq!(plugin.check_format_support(TARGET, format), Ok(28 + 1));
    assert!(plugin.check_multisample_quality_levels(TARGET, format, 4, 1));
    assert!(!plugin.check_multisample_quality_levels(TARGET, format, 4, 2));
}

#[test]
fn a_failing_call_is_named() {
    for call in [
        "pfnEnumerateAdapterFamilies",
        "pfnGetAdapterFamilyABIVersions",
        "pfnGetCompilerVersion",
        "pfnGetApplicationProfileVersion",
        "pfnGetCaps",
        "pfnGetCaps(0011_SHADER_MODELS)",
        "pfnCheckFormatSupport",
    ] {
        let plugin = scripted::plugin(Script {
            fail: Some((call, E_INVALIDARG)),
            ..Script::default()
        });
        let application = application();
        let mut data = D3D12DDI_3DPIPELINESUPPORT1_DATA_0081::default();
        let caps_type = D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1;
        let errors = [
            plugin.adapter_families().err(),
            plugin.abi_versions(0).err(),
            plugin.compiler_version(0).err(),
            plugin
                .application_profile_version(TARGET, &application)
                .err(),
            plugin
                .get_caps(TARGET, &application, caps_type, &mut data)
                .err(),
            plugin.shader_models(TARGET, &application).err(),
            plugin
                .check_format_support(TARGET, DXGI_FORMAT_R8G8B8A8_UNORM)
                .err(),
        ];
        let hresult = E_INVALIDARG;
        let errors: Vec<CallError> = errors.into_iter().flatten().collect();
        assert_eq!(errors, [CallError::Failed { call, hresult }]);
    }
}
