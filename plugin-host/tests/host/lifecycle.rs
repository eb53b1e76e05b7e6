//! Open, negotiate, close: in order, and undone wherever it fails.

use ddi_sys::*;
use plugin_host::{CallFailure, MAX_ENTRIES, Open, OpenError, Plugin, SUPPORTED, session};

use crate::scripted::{self, OpenTable, Script, answers, error, failed, list, take_log};

const V1: u64 = 0x000C_0000_0001_0000;
const V2: u64 = 0x000C_0000_0002_0000;

const STEPS: [&str; 6] = [
    "D3D12OpenCompilerDDI",
    "pfnGetSupportedVersions",
    "pfnSetSelectedVersion",
    "pfnFillDDITable(CAPABILITIES)",
    "pfnFillDDITable(COMPILER)",
    "pfnSetCallbackDDITable(CACHE)",
];

fn open(script: Script) -> Result<Plugin, OpenError> {
    Plugin::open(&scripted::library(script))
}

fn destroys() -> usize {
    let log = take_log();
    let destroys = |call: &&String| call.starts_with("pfnDestroyCompilerDDI");
    log.iter().filter(destroys).count()
}

#[test]
fn the_calls_come_in_the_order_of_the_specification() {
    let plugin = open(Script::default()).unwrap();
    assert_eq!(plugin.version(), SUPPORTED[1]);
    let (capabilities, compiler) = plugin.tables();
    assert!(capabilities.pfnGetCaps.is_some() && compiler.pfnDestroyStateObject.is_some());
    drop(plugin.clone());
    drop(plugin);
    assert_eq!(
        take_log(),
        [
            "D3D12OpenCompilerDDI",
            "pfnGetSupportedVersions",
            "pfnGetSupportedVersions",
            "pfnSetSelectedVersion(0xc000000020000, 0xc005000730000)",
            "pfnFillDDITable(CAPABILITIES)",
            "pfnFillDDITable(COMPILER)",
            "pfnSetCallbackDDITable(CACHE)",
            "pfnDestroyCompilerDDI(1)",
        ]
    );
}

#[test]
fn a_failing_step_is_named_and_what_came_before_is_undone() {
    for call in STEPS {
        let script = Script {
            fail: Some((call, E_ACCESSDENIED)),
            ..Script::default()
        };
        let error = open(script).unwrap_err();
        assert_eq!(error, OpenError::Call(failed(call, E_ACCESSDENIED)));
        let text = format!("linked-in plugin: {call} failed: E_ACCESSDENIED (0x80070005)");
        assert_eq!(error.to_string(), text);
        // A failed open is not destroyed; after any other failure the destroy is the next call.
        let log = take_log();
        let failed = log.iter().position(|c| c.starts_with(call)).unwrap();
        match &log[failed + 1..] {
            [] => assert_eq!(call, "D3D12OpenCompilerDDI"),
            [destroy] => assert!(destroy.starts_with("pfnDestroyCompilerDDI"), "{log:?}"),
            _ => panic!("{log:?}"),
        }
    }
}

#[test]
fn a_success_other_than_s_ok_is_a_success() {
    for call in ["D3D12OpenCompilerDDI", "pfnSetSelectedVersion"] {
        let script = Script {
            fail: Some((call, S_FALSE)),
            ..Script::default()
        };
        // The scripted plugin does nothing when it "fails", so the open leaves a null table.
        match open(script) {
            Ok(_) => assert_eq!(call, "pfnSetSelectedVersion"),
            Err(OpenError::NullEntry { entry, .. }) => {
                assert_eq!(
                    (call, entry),
                    ("D3D12OpenCompilerDDI", "pfnDestroyCompilerDDI")
                );
            }
            Err(error) => panic!("{call}: {error}"),
        }
    }
}

#[test]
fn a_null_entry_is_named_and_the_plugin_destroyed() {
    let tables: [(&str, &[&str]); 3] = [
        (
            "D3D12DDI_COMPILER_DDI_FUNCS",
            &[
                "pfnDestroyCompilerDDI",
                "pfnGetSupportedVersions",
                "pfnSetSelectedVersion",
                "pfnFillDDITable",
                "pfnSetCallbackDDITable",
            ],
        ),
        (
            "D3D12DDI_COMPILER_CAPABILITIES_FUNCS",
            &[
                "pfnGetCaps",
                "pfnEnumerateAdapterFamilies",
                "pfnGetAdapterFamilyABIVersions",
                "pfnGetCompilerVersion",
                "pfnGetApplicationProfileVersion",
                "pfnCheckFormatSupport",
                "pfnCheckMultisampleQualityLevels",
            ],
        ),
        (
            "D3D12DDI_COMPILER_FUNCS",
            &[
                "pfnCalcPrivateCompilerSize",
                "pfnCreateCompiler",
                "pfnDestroyCopiler",
                "pfnCompilePipelineState",
                "pfnCalcPrivateStateObjectSize",
                "pfnCompileCreateStateObject",
                "pfnCalcPrivateAddToStateObjectSize",
                "pfnCompileAddToStateObject",
                "pfnDestroyStateObject",
            ],
        ),
    ];
    for (table, entries) in tables {
        for &entry in entries {
            let script = Script {
                null: Some(entry),
                ..Script::default()
            };
            let error = open(script).unwrap_err();
            let path = None;
            assert_eq!(error, OpenError::NullEntry { path, table, entry });
            let expected = usize::from(entry != "pfnDestroyCompilerDDI");
            assert_eq!(destroys(), expected, "{entry}");
        }
    }
}

#[test]
fn the_newest_common_version_is_selected() {
    let cases: [(&[u64], Option<u64>); 6] = [
        (&[V1], Some(V1)),
        (&[V2, V1], Some(V2)),
        (&[V1, V2, V2, V1], Some(V2)),
        (&[u64::MAX, V1, 0], Some(V1)),
        (&[0x000C_0000_0003_0000], None),
        (&[], None),
    ];
    for (offered, selected) in cases {
        let script = Script {
            versions: list(offered),
            ..Script::default()
        };
        match (open(script), selected) {
            (Ok(plugin), Some(version)) => assert_eq!(plugin.version().plugin, version),
            (Err(error), None) => {
                let (path, offered) = (None, offered.to_vec());
                let known = SUPPORTED.iter().map(|version| version.plugin).collect();
                let expected = OpenError::NoCommonVersion {
                    path,
                    offered,
                    known,
                };
                assert_eq!(error, expected);
                // Nothing is selected, filled or set, and the plugin is not left open.
                let calls = if error.to_string().contains("offers no version,") {
                    3
                } else {
                    4
                };
                assert_eq!(take_log().len(), calls);
                continue;
            }
            (result, _) => panic!("{offered:x?}: {result:?}"),
        }
        assert_eq!(destroys(), 1);
    }
}

#[test]
fn versions_that_do_not_meet_are_both_named() {
    let script = Script {
        versions: list(&[0x000C_0000_0003_0000, 1]),
        ..Script::default()
    };
    assert_eq!(
        open(script).unwrap_err().to_string(),
        "linked-in plugin: pfnGetSupportedVersions offers 12.0.3.0, 0.0.0.1, this host knows \
         12.0.1.0, 12.0.2.0: one side must be updated. If the structures of one that it offers are known to be the \
         same, allow it together with its usermode DDI version: D3D12_COMPILER_DDI_VERSIONS=12.0.3.0=<usermode DDI>, \
         or --ddi-versions of the tools"
    );
}

#[test]
fn a_version_list_that_lies_is_no_danger() {
    const MORE: HRESULT = DXGI_ERROR_MORE_DATA;
    let call = "pfnGetSupportedVersions";
    let versions = |list: scripted::List| {
        let script = Script {
            versions: list,
            ..Script::default()
        };
        Open::new(&scripted::library(script))
            .unwrap()
            .supported_versions()
    };
    // Grows between the calls, with either result: asked again.
    for result in [MORE, S_OK] {
        let calls = std::cell::Cell::new(0);
        let grown = list(&[V1, V2, 3]);
        let growing = move |array: &mut [u64]| match calls.replace(calls.get() + 1) {
            0 => (2, S_OK),
            1 => (3, result),
            _ => grown(array),
        };
        assert_eq!(versions(std::rc::Rc::new(growing)), Ok(vec![V1, V2, 3]));
    }
    // Shrinks: the entries past the count are not the plugin's.
    assert_eq!(versions(answers(&[(3, S_OK), (1, S_OK)])), Ok(vec![0]));
    assert_eq!(versions(answers(&[(3, S_OK), (0, S_OK)])), Ok(vec![]));
    // Grows without end.
    let growing = answers(&[(1, S_OK), (2, MORE), (3, MORE), (4, S_OK), (5, MORE)]);
    assert_eq!(versions(growing), Err(error(call, CallFailure::Growing)));
    // Absurd counts, at once or later.
    let absurd = answers(&[(u32::MAX, S_OK)]);
    assert_eq!(versions(absurd), Err(error(call, CallFailure::TooMany)));
    let later = answers(&[(1, S_OK), (MAX_ENTRIES + 1, MORE)]);
    assert_eq!(versions(later), Err(error(call, CallFailure::TooMany)));
    // "More data", although there is none.
    let contradiction = answers(&[(2, S_OK), (2, MORE)]);
    assert_eq!(versions(contradiction), Err(failed(call, MORE)));
    // Fails in the second call.
    let fails = answers(&[(2, S_OK), (9, E_FAIL)]);
    assert_eq!(versions(fails), Err(failed(call, E_FAIL)));
    assert_eq!(destroys(), 9);
}

#[test]
fn the_table_may_be_the_plugins_own() {
    for table in [OpenTable::Plugins, OpenTable::Nulled] {
        let script = Script {
            table,
            ..Script::default()
        };
        drop(open(script).unwrap());
        assert_eq!(destroys(), 1);
    }
}

#[test]
fn the_steps_can_be_taken_one_by_one() {
    let mut open = Open::new(&scripted::library(Script::default())).unwrap();
    assert_eq!(open.supported_versions(), Ok(vec![V1, V2]));
    assert_eq!(open.handle().pDrvPrivate.addr(), 1);
    assert!(open.raw().pfnFillDDITable.is_some());
    // SAFETY: the version is one that the scripted plugin reports; it stands any order.
    let plugin = unsafe {
        let compiler = open.fill_compiler_table().unwrap();
        assert!(compiler.pfnCreateCompiler.is_some());
        let capabilities = open.fill_capabilities_table().unwrap();
        assert!(capabilities.pfnGetCaps.is_some());
        open.set_selected_version(SUPPORTED[0]).unwrap();
        open.set_cache_callbacks(session::callbacks()).unwrap();
        open.set_cache_callbacks(session::callbacks()).unwrap();
        open.negotiate(SUPPORTED[0], session::callbacks()).unwrap()
    };
    assert_eq!(plugin.version(), SUPPORTED[0]);
    drop(plugin);
    assert_eq!(destroys(), 1);
    // Straight after the open, too.
    drop(Open::new(&scripted::library(Script::default())).unwrap());
    assert_eq!(
        take_log(),
        ["D3D12OpenCompilerDDI", "pfnDestroyCompilerDDI(2)"]
    );
}

#[test]
fn several_opens_are_independent() {
    let library = scripted::library(Script::default());
    let first = Plugin::open(&library).unwrap();
    let second = Plugin::open(&library).unwrap();
    drop(library);
    assert_eq!(first.library().path(), None);
    take_log();
    drop(first);
    assert_eq!(take_log(), ["pfnDestroyCompilerDDI(1)"]);
    assert_eq!(second.adapter_families().unwrap(), ["Gen1", "Gen2"]);
    take_log();
    drop(second);
    assert_eq!(take_log(), ["pfnDestroyCompilerDDI(2)"]);
}
