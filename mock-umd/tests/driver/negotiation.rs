//! Opening, versions and tables.

use std::ffi::c_void;
use std::ptr::null_mut;

use ddi_sys::*;

use crate::host::{Adapter, Device, Runtime, Slot, version};

/// How many slots of a table the driver writes at most, into room for `room`.
fn filled(adapter: &Adapter, table_type: D3D12DDI_TABLE_TYPE, room: usize) -> (HRESULT, usize) {
    unsafe extern "system" fn untouched() {}
    let mut slots: Vec<Slot> = vec![Some(untouched); 200];
    let mark = slots[0].map(|slot| slot as usize);
    // SAFETY: the table has at least this size.
    let result = unsafe {
        adapter.funcs.pfnFillDDITable.unwrap()(
            adapter.handle,
            table_type,
            slots.as_mut_ptr().cast::<c_void>(),
            room * size_of::<Slot>(),
            0,
            D3D12DDI_HRTTABLE { handle: null_mut() },
        )
    };
    let written = slots
        .iter()
        .position(|slot| slot.map(|slot| slot as usize) == mark);
    (result, written.unwrap())
}

fn negotiated(build: u32) -> Device {
    Device::new(build)
}

#[test]
fn the_versions_are_the_builds_of_r8() {
    let adapter = Adapter::open(Runtime::default());
    let expected: Vec<_> = (109..=115).map(version).collect();
    assert_eq!(adapter.versions(), expected);
}

#[test]
fn each_build_has_its_tables_and_no_later_function() {
    let core = D3D12DDI_TABLE_TYPE_DEVICE_CORE;
    for (build, core_slots, shader_cache) in [
        (109, 124, None),
        (110, 124, None),
        (111, 124, None),
        (112, 125, None),
        (113, 128, None),
        (114, 128, Some(3)),
        (115, 128, Some(3)),
    ] {
        let device = negotiated(build);
        let adapter = &device.adapter;
        assert_eq!(filled(adapter, core, 150), (S_OK, core_slots), "{build}");
        // A host that knows less gets less, and nothing is written behind its table.
        for room in [1, 100, 124] {
            assert_eq!(filled(adapter, core, room), (S_OK, room), "{build}");
        }
        let of = |table_type| filled(adapter, table_type, 150);
        assert_eq!(of(D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D), (S_OK, 75));
        assert_eq!(of(D3D12DDI_TABLE_TYPE_COMMAND_QUEUE_3D), (S_OK, 7));
        assert_eq!(of(D3D12DDI_TABLE_TYPE_0043_RENDER_PASS), (S_OK, 2));
        assert_eq!(of(D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES), (S_OK, 4));
        let cache = of(D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS);
        let expected = shader_cache.map_or((E_INVALIDARG, 0), |slots| (S_OK, slots));
        assert_eq!(cache, expected, "{build}");
        assert_eq!(of(D3D12DDI_TABLE_TYPE_DXGI), (E_INVALIDARG, 0));
        assert_eq!(filled(adapter, core, 0), (E_INVALIDARG, 0));
    }
}

#[test]
fn every_slot_is_filled() {
    let device = negotiated(115);
    for (table_type, count) in [
        (D3D12DDI_TABLE_TYPE_DEVICE_CORE, 128),
        (D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D, 75),
        (D3D12DDI_TABLE_TYPE_0043_RENDER_PASS, 2),
        (D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES, 4),
        (D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS, 3),
    ] {
        let mut slots: [Slot; 200] = [None; 200];
        // SAFETY: the table has the size.
        let result = unsafe {
            device.adapter.funcs.pfnFillDDITable.unwrap()(
                device.adapter.handle,
                table_type,
                slots.as_mut_ptr().cast(),
                size_of_val(&slots),
                0,
                D3D12DDI_HRTTABLE { handle: null_mut() },
            )
        };
        assert_eq!(result, S_OK);
        for (index, slot) in slots[..count].iter().enumerate() {
            assert!(slot.is_some(), "{table_type:?}, slot {index}");
        }
    }
}

#[test]
fn other_versions_are_refused() {
    for build in [0, 80, 108, 116] {
        let adapter = Adapter::open(Runtime::default());
        assert_eq!(
            adapter.device(build, &[]).err(),
            Some(E_INVALIDARG),
            "{build}"
        );
    }
}

#[test]
fn tables_need_a_negotiated_version() {
    let adapter = Adapter::open(Runtime::default());
    let core = filled(&adapter, D3D12DDI_TABLE_TYPE_DEVICE_CORE, 150);
    assert_eq!(core, (E_INVALIDARG, 0));
}

#[test]
fn a_null_or_incomplete_argument_is_refused() {
    // SAFETY: null is refused.
    assert_eq!(unsafe { mock_umd::OpenAdapter12(null_mut()) }, E_INVALIDARG);
}

#[test]
fn a_closed_adapter_is_no_adapter() {
    let adapter = Adapter::open(Runtime::default());
    let (handle, funcs) = (adapter.handle, adapter.funcs);
    drop(adapter);
    let mut count = 0;
    // SAFETY: a stale handle is refused.
    unsafe {
        let versions = funcs.pfnGetSupportedVersions.unwrap();
        assert_eq!(versions(handle, &raw mut count, null_mut()), E_INVALIDARG);
        assert_eq!(funcs.pfnCloseAdapter.unwrap()(handle), E_INVALIDARG);
    }
}
