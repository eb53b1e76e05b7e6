//! pfnGetSupportedVersions and pfnSetSelectedVersion.

use std::ptr;

use ddi_sys::*;
use plugin_sdk::PluginEntry;

use crate::host::plugin::TestPlugin;
use crate::host::{Open, PLUGIN_DDI_VERSION, USERMODE_DDI_VERSION};

const VERSIONS: [u64; 2] = [0x000C_0000_0002_0000, 0x000C_0000_0001_0000];

#[test]
fn versions_come_by_the_two_call_protocol() {
    let open = Open::new(TestPlugin::entry_point()).unwrap();
    let cases = [
        // capacity, array, result, entries written
        (0, false, S_OK, 0),
        (2, false, S_OK, 0),
        (0, true, DXGI_ERROR_MORE_DATA, 0),
        (1, true, DXGI_ERROR_MORE_DATA, 1),
        (2, true, S_OK, 2),
        (3, true, S_OK, 2),
    ];
    for (capacity, array, result, written) in cases {
        let mut versions = [0xEE; 4];
        let mut count = capacity;
        let pointer = if array {
            versions.as_mut_ptr()
        } else {
            ptr::null_mut()
        };
        assert_eq!(open.supported_versions(&raw mut count, pointer), result);
        assert_eq!(count, 2, "capacity {capacity}");
        assert_eq!(versions[..written], VERSIONS[..written]);
        assert_eq!(versions[written..], [0xEE; 4][written..]);
    }
    let mut version = 0;
    assert_eq!(
        open.supported_versions(ptr::null_mut(), &raw mut version),
        E_INVALIDARG
    );
    assert_eq!(version, 0);
    open.destroy(open.handle);
}

#[test]
fn versions_are_selected_as_pairs_that_belong_together() {
    let usermode = |major: u64, minor: u64, build: u64| major << 48 | minor << 32 | build << 16;
    let cases = [
        (VERSIONS[0], USERMODE_DDI_VERSION, S_OK),
        (VERSIONS[1], USERMODE_DDI_VERSION, S_OK),
        (PLUGIN_DDI_VERSION, usermode(12, 80, 109), S_OK),
        (PLUGIN_DDI_VERSION, usermode(12, 80, 119), S_OK),
        (PLUGIN_DDI_VERSION, usermode(12, 80, 108), E_INVALIDARG),
        (PLUGIN_DDI_VERSION, usermode(12, 79, 115), E_INVALIDARG),
        (PLUGIN_DDI_VERSION, usermode(12, 81, 115), E_INVALIDARG),
        (PLUGIN_DDI_VERSION, usermode(11, 80, 115), E_INVALIDARG),
        (PLUGIN_DDI_VERSION, 0, E_INVALIDARG),
        (0, USERMODE_DDI_VERSION, E_INVALIDARG),
        (u64::MAX, USERMODE_DDI_VERSION, E_INVALIDARG),
        (0x000C_0000_0003_0000, USERMODE_DDI_VERSION, E_INVALIDARG),
        (PLUGIN_DDI_VERSION + 1, USERMODE_DDI_VERSION, E_INVALIDARG),
    ];
    for (plugin, usermode, expected) in cases {
        let open = Open::new(TestPlugin::entry_point()).unwrap();
        assert_eq!(
            open.select(plugin, usermode),
            expected,
            "{plugin:#x} {usermode:#x}"
        );
        // Only a version that was accepted opens the tables.
        let kind = D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES;
        let filled = open
            .table::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>(kind)
            .is_ok();
        assert_eq!(filled, expected == S_OK);
        open.destroy(open.handle);
    }
}
