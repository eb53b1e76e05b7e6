//! Opening, handles, and the life of an open.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{ptr, thread};

use ddi_sys::*;
use plugin_sdk::{Error, PluginEntry};

use crate::host::log::{capture, listen};
use crate::host::memory::Guarded;
use crate::host::pipeline::{COMPUTE, Pipeline, program};
use crate::host::plugin::{OtherPlugin, Script, TestPlugin, alive};
use crate::host::session::{self, Session};
use crate::host::{Application, Host, Open, PLUGIN_DDI_VERSION, TARGET, USERMODE_DDI_VERSION};

#[test]
fn null_arguments_are_refused() {
    listen();
    let open = TestPlugin::entry_point();
    let mut argument = D3D12DDIARG_COMPILER_OPEN_DDI {
        hRTCompilerDDI: D3D12DDI_HRTCOMPILERDDI {
            handle: ptr::null_mut(),
        },
        hCompilerDDI: D3D12DDI_HCOMPILERDDI {
            pDrvPrivate: ptr::null_mut(),
        },
        pDDIFuncs: ptr::null_mut(),
    };
    // SAFETY: null, or an argument whose table is null.
    unsafe {
        assert_eq!(open(ptr::null_mut()), E_INVALIDARG);
        assert_eq!(open(&raw mut argument), E_INVALIDARG);
    }
    assert!(argument.hCompilerDDI.pDrvPrivate.is_null());
    assert_eq!(alive(), 0);
}

#[test]
fn an_open_writes_its_argument_and_its_table_only() {
    listen();
    let argument = Guarded::new(size_of::<D3D12DDIARG_COMPILER_OPEN_DDI>(), 0);
    let table = Guarded::new(size_of::<D3D12DDI_COMPILER_DDI_FUNCS>(), 0);
    let raw: *mut D3D12DDIARG_COMPILER_OPEN_DDI = argument.at().cast();
    let runtime = ptr::without_provenance_mut(0x5157);
    // SAFETY: aligned memory of the argument's size; the entry point gets it as it is.
    unsafe {
        (*raw).hRTCompilerDDI.handle = runtime;
        (*raw).pDDIFuncs = table.at().cast();
        assert_eq!(TestPlugin::entry_point()(raw), S_OK);
        assert_eq!((*raw).hRTCompilerDDI.handle, runtime);
        assert_eq!((*raw).pDDIFuncs.cast(), table.at());
        let funcs = *(*raw).pDDIFuncs;
        assert!(!format!("{funcs:?}").contains("None"));
        funcs.pfnDestroyCompilerDDI.unwrap()((*raw).hCompilerDDI);
    }
    argument.check();
    table.check();
    assert_eq!(alive(), 0);
}

#[test]
fn a_failed_open_gives_its_error_and_takes_no_slot() {
    let _script = Script {
        open: || Err(Error::new(E_ACCESSDENIED, "no licence")),
        ..Script::default()
    }
    .install();
    for _ in 0..70 {
        // `Open::new` checks that nothing was written.
        let (open, lines) = capture(|| Open::new(TestPlugin::entry_point()));
        assert_eq!(open.err(), Some(E_ACCESSDENIED));
        assert!(lines[0].text.contains("no licence"), "{lines:?}");
    }
}

/// Every function that takes an hCompilerDDI, called with arguments that are right otherwise.
fn results_with(host: &Host, handle: D3D12DDI_HCOMPILERDDI) -> Vec<HRESULT> {
    let application = Application::new();
    let callbacks = session::callbacks::<0>();
    let (target, r8) = (&raw const TARGET, DXGI_FORMAT_R8_UNORM);
    let mut count = 2;
    let mut versions = [0; 2];
    let mut abi_count = 3;
    let mut abi_versions = [0; 3];
    let mut table = D3D12DDI_COMPILER_FUNCS::default();
    let mut family = D3D12DDI_COMPILER_ADAPTER_FAMILY {
        szAdapterFamily: [0; 128],
    };
    let mut version = D3D12DDI_VERSION_NUMBER::from_bits(0);
    let mut support = 0;
    let mut options = D3D12DDI_OPTIONS_DATA_0090::default();
    let query = D3D12DDIARG_GETCAPS {
        Type: D3D12DDICAPS_TYPE_OPTIONS_0090,
        pInfo: ptr::null_mut(),
        pData: (&raw mut options).cast(),
        DataSize: 4,
    };
    let open = Open {
        handle,
        funcs: host.open.funcs,
    };
    let results = vec![
        open.supported_versions(&raw mut count, versions.as_mut_ptr()),
        open.select(PLUGIN_DDI_VERSION, USERMODE_DDI_VERSION),
        open.fill(
            D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
            (&raw mut table).cast(),
            size_of_val(&table),
        ),
        open.set_cache_callbacks(&callbacks),
        host.get_caps(handle, target, application.desc, &raw const query),
        host.family(handle, 0, &raw mut family),
        host.abi_versions(handle, 0, &raw mut abi_count, abi_versions.as_mut_ptr()),
        host.compiler_version(handle, 0, &raw mut version),
        host.profile_version(handle, target, application.desc, &raw mut version),
        host.format_support(handle, target, r8, &raw mut support),
    ];
    if results[0] != S_OK {
        assert!(count == 2 && versions == [0; 2] && abi_count == 3 && abi_versions == [0; 3]);
        assert!(table.pfnCreateCompiler.is_none() && family.szAdapterFamily == [0; 128]);
        assert_eq!((version.bits(), support), (0, 0));
    }
    let supported = host.quality_level(handle, target, r8, 1, 0);
    let yes = if results[0] == S_OK { TRUE } else { FALSE };
    assert_eq!(supported, yes);
    results
}

fn handle_of(value: usize) -> D3D12DDI_HCOMPILERDDI {
    D3D12DDI_HCOMPILERDDI {
        pDrvPrivate: ptr::without_provenance_mut(value),
    }
}

#[test]
fn handles_that_are_not_live_opens_are_refused_by_every_function() {
    let _script = Script {
        format_support: D3D12DDI_FORMAT_SUPPORT_RENDERTARGET,
        ..Script::default()
    }
    .install();
    let host = Host::new();
    let good = host.open.handle;
    let address = good.pDrvPrivate.addr();
    assert_eq!(results_with(&host, good), [S_OK; 10]);
    let other = Host::of::<OtherPlugin>().unwrap();
    let stale = Host::new();
    let stale_handle = stale.open.handle;
    drop(stale);
    // Null, never given, and other generations of the slot: a neighbour's would be somebody's.
    let forged = [
        0,
        1,
        address - 64,
        address + 64,
        address + (64 << 20),
        usize::MAX,
    ];
    for handle in forged
        .map(handle_of)
        .into_iter()
        .chain([stale_handle, other.open.handle])
    {
        assert_eq!(
            results_with(&host, handle),
            [E_INVALIDARG; 10],
            "{handle:?}"
        );
        host.open.destroy(handle);
    }
    // None of those destroys hit an open that is alive.
    assert_eq!(results_with(&host, good), [S_OK; 10]);
    let mut count = 0;
    assert_eq!(
        other
            .open
            .supported_versions(&raw mut count, ptr::null_mut()),
        S_OK
    );
    drop((host, other));
    assert_eq!(alive(), 0);
}

#[test]
fn the_second_destroy_does_not_hit_the_slots_next_open() {
    let first = Host::new();
    let handle = first.open.handle;
    first.open.destroy(handle);
    assert_eq!(alive(), 0);
    let others: Vec<_> = (0..3).map(|_| Host::new()).collect();
    first.open.destroy(handle);
    assert_eq!(alive(), 3);
    drop((first, others));
    assert_eq!(alive(), 0);
}

/// What one of them looks at, the other may have ended, and its slot be another open's.
#[test]
#[cfg_attr(miri, ignore = "it takes many tries")]
fn two_destroys_at_a_time_end_one_open() {
    let current = AtomicUsize::new(0);
    let funcs = Host::of::<OtherPlugin>().unwrap().open.funcs;
    let destroy = || {
        let handle = handle_of(current.load(Ordering::Relaxed));
        // SAFETY: any handle may be passed: the SDK never follows it.
        unsafe { funcs.pfnDestroyCompilerDDI.unwrap()(handle) }
    };
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                destroy();
            }
        });
        let is_alive = || {
            let first = Open::new(OtherPlugin::entry_point()).unwrap();
            current.store(first.handle.pDrvPrivate.addr(), Ordering::Relaxed);
            destroy();
            let next = Open::new(OtherPlugin::entry_point()).unwrap();
            let selected = next.select(PLUGIN_DDI_VERSION, USERMODE_DDI_VERSION);
            next.destroy(next.handle);
            selected == S_OK
        };
        let are_alive = (0..200_000).all(|_| is_alive());
        is_done.store(true, Ordering::Relaxed);
        assert!(are_alive);
    });
}

#[test]
fn an_open_can_be_destroyed_before_anything_is_negotiated() {
    for steps in 0..4 {
        let open = Open::new(TestPlugin::entry_point()).unwrap();
        if steps > 0 {
            assert_eq!(open.select(PLUGIN_DDI_VERSION, USERMODE_DDI_VERSION), S_OK);
        }
        if steps > 1 {
            let kind = D3D12DDI_COMPILER_TABLE_TYPE_COMPILER;
            open.table::<D3D12DDI_COMPILER_FUNCS>(kind).unwrap();
        }
        if steps > 2 {
            assert_eq!(open.set_cache_callbacks(&session::callbacks::<0>()), S_OK);
        }
        open.destroy(open.handle);
        assert_eq!(alive(), 0, "after {steps} steps");
    }
}

#[test]
fn wrong_order_is_refused() {
    let open = Open::new(TestPlugin::entry_point()).unwrap();
    let kind = D3D12DDI_COMPILER_TABLE_TYPE_COMPILER;
    let early = open.table::<D3D12DDI_COMPILER_FUNCS>(kind);
    assert_eq!(early.err(), Some(DXGI_ERROR_INVALID_CALL));
    assert_eq!(open.select(PLUGIN_DDI_VERSION, USERMODE_DDI_VERSION), S_OK);
    let host = Host {
        capabilities: open
            .table(D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES)
            .unwrap(),
        compiler: open.table(kind).unwrap(),
        open,
    };
    // No callbacks yet: a compiler has nowhere to store to.
    let application = Application::new();
    let size = host.calc_compiler_size(&raw const TARGET, application.desc);
    let memory = Guarded::new(size, 0);
    let create =
        || host.create_compiler_in(&raw const TARGET, application.desc, memory.at().cast());
    assert_eq!(create(), DXGI_ERROR_INVALID_CALL);
    assert!(memory.is_untouched());
    assert_eq!(
        host.open.set_cache_callbacks(&session::callbacks::<0>()),
        S_OK
    );
    assert_eq!(create(), S_OK);
    host.destroy_compiler(D3D12DDI_HCOMPILER {
        pDrvPrivate: memory.at().cast(),
    });
}

/// The specification forbids it, but a host's mistake must not become a crash.
#[test]
fn a_compiler_outlives_its_open() {
    let host = Host::new();
    let compiler = host.create_compiler();
    host.open.destroy(host.open.handle);
    assert_eq!(alive(), 2, "the compiler keeps its plugin");
    let session = Session::default();
    assert_eq!(
        compiler.compile(&session, Pipeline::compute(program(COMPUTE)).raw),
        S_OK
    );
    drop(compiler);
    assert_eq!(alive(), 0);
}
