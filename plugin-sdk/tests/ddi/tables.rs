//! pfnFillDDITable and pfnSetCallbackDDITable.

use std::ptr;

use ddi_sys::*;
use plugin_sdk::PluginEntry;

use crate::host::memory::Guarded;
use crate::host::pipeline::Pipeline;
use crate::host::plugin::TestPlugin;
use crate::host::session::{self, Session};
use crate::host::{Host, Open, PLUGIN_DDI_VERSION, USERMODE_DDI_VERSION};

const TABLES: [(D3D12DDI_COMPILER_TABLE_TYPE, usize); 2] = [
    (
        D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES,
        size_of::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>(),
    ),
    (
        D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
        size_of::<D3D12DDI_COMPILER_FUNCS>(),
    ),
];

fn negotiated() -> Open {
    let open = Open::new(TestPlugin::entry_point()).unwrap();
    assert_eq!(open.select(PLUGIN_DDI_VERSION, USERMODE_DDI_VERSION), S_OK);
    open
}

#[test]
fn a_table_is_filled_when_it_fits_and_else_left_alone() {
    let open = negotiated();
    for (kind, needed) in TABLES {
        let reference = Guarded::new(needed, 0);
        assert_eq!(open.fill(kind, reference.at().cast(), needed), S_OK);
        let pointers = reference.bytes().chunks(size_of::<usize>());
        assert!(
            pointers.clone().all(|entry| entry.iter().any(|&b| b != 0)),
            "a null entry"
        );

        for size in [
            0,
            1,
            needed - 8,
            needed - 1,
            needed,
            needed + 1,
            needed + 64,
        ] {
            // A buffer of bytes has no alignment to promise.
            for offset in [0, 1, 4] {
                let table = Guarded::new(size, offset);
                let hresult = open.fill(kind, table.at().cast(), size);
                table.check();
                if size < needed {
                    assert_eq!(hresult, E_INVALIDARG, "{kind:?}, {size} bytes");
                    assert!(table.is_untouched());
                } else {
                    assert_eq!(hresult, S_OK, "{kind:?}, {size} bytes");
                    let (filled, tail) = table.bytes().split_at(needed);
                    assert_eq!(
                        filled,
                        reference.bytes(),
                        "the table changes from fill to fill"
                    );
                    assert!(tail.iter().all(|&byte| byte == 0xA5));
                }
            }
        }
        assert_eq!(open.fill(kind, ptr::null_mut(), needed), E_INVALIDARG);
    }
    open.destroy(open.handle);
}

#[test]
fn unknown_tables_are_refused() {
    let open = negotiated();
    for kind in [2, 3, -1, i32::MIN, i32::MAX] {
        let table = Guarded::new(4096, 0);
        let kind = D3D12DDI_COMPILER_TABLE_TYPE(kind);
        assert_eq!(
            open.fill(kind, table.at().cast(), 4096),
            E_INVALIDARG,
            "{kind:?}"
        );
        assert!(table.is_untouched());
    }
    let callbacks = session::callbacks::<0>();
    for kind in [1, 2, -1, i32::MAX] {
        let kind = D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE(kind);
        let table = (&raw const callbacks).cast();
        assert_eq!(
            open.set_callbacks(kind, table, size_of_val(&callbacks)),
            E_INVALIDARG
        );
    }
    open.destroy(open.handle);
}

#[test]
fn a_callback_table_that_is_short_or_has_holes_is_refused() {
    let open = negotiated();
    let kind = D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE;
    let needed = size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();
    let full = session::callbacks::<0>();
    assert_eq!(open.set_callbacks(kind, ptr::null(), needed), E_INVALIDARG);
    for size in [0, 1, needed - 8, needed - 1] {
        let table = (&raw const full).cast();
        assert_eq!(
            open.set_callbacks(kind, table, size),
            E_INVALIDARG,
            "{size} bytes"
        );
    }
    let holes: [fn(&mut D3D12DDI_COMPILER_CACHE_CALLBACKS); 3] = [
        |table| table.pfnCompilerCacheFindValue = None,
        |table| table.pfnCompilerCacheStoreValue = None,
        |table| table.pfnCompilerCacheSetObjectValueKeys = None,
    ];
    for hole in holes {
        let mut table = full;
        hole(&mut table);
        assert_eq!(open.set_cache_callbacks(&table), E_INVALIDARG);
    }
    // A newer host's table is longer, and may lie anywhere.
    for (size, offset) in [(needed, 0), (needed, 1), (needed + 8, 4)] {
        let table = Guarded::new(size, offset);
        let at: *mut D3D12DDI_COMPILER_CACHE_CALLBACKS = table.at().cast();
        // SAFETY: room for a table.
        unsafe { at.write_unaligned(full) };
        assert_eq!(open.set_callbacks(kind, table.at().cast(), size), S_OK);
    }
    open.destroy(open.handle);
}

#[test]
fn the_callback_table_is_copied() {
    let mut table = session::callbacks::<5>();
    let host = Host::with_callbacks(TestPlugin::entry_point(), &table).unwrap();
    table = D3D12DDI_COMPILER_CACHE_CALLBACKS::default();
    assert!(table.pfnCompilerCacheFindValue.is_none());
    let compiler = host.create_compiler();
    let session = Session::default();
    assert_eq!(compiler.compile(&session, Pipeline::graphics().raw), S_OK);
    assert!(session.state().tables.iter().all(|&table| table == 5));
}

/// The callbacks of a compiler are those of its creation; a table that is refused changes nothing.
#[test]
fn a_later_callback_table_is_for_later_compilers() {
    let host = Host::new();
    let (first, session) = (host.create_compiler(), Session::default());
    assert_eq!(
        host.open.set_cache_callbacks(&session::callbacks::<6>()),
        S_OK
    );
    let empty = D3D12DDI_COMPILER_CACHE_CALLBACKS::default();
    assert_eq!(host.open.set_cache_callbacks(&empty), E_INVALIDARG);
    let second = host.create_compiler();
    let pipeline = Pipeline::graphics();
    for (compiler, table) in [(&first, 0), (&second, 6)] {
        assert_eq!(compiler.compile(&session, pipeline.raw), S_OK);
        let tables = std::mem::take(&mut session.state().tables);
        assert!(!tables.is_empty() && tables.iter().all(|&t| t == table));
    }
}
