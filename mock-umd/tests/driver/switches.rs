//! What the switches do. They are of the process, so each test runs in one of its own.

use std::env;
use std::process::Command;
use std::time::{Duration, Instant};

use ddi_sys::*;
use mock_umd::inspect;

use crate::host::{Adapter, Device, Runtime};
use crate::lists::List;
use crate::memory::Memory;

/// Runs an ignored test of this file in a process with variables.
fn run(test: &str, variables: &[(&str, &str)]) {
    run_in(&format!("switches::{test}"), variables);
}

/// Runs an ignored test in a process with variables.
pub fn run_in(test: &str, variables: &[(&str, &str)]) {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--ignored"])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 passed"), "{text}");
}

/// Opens the adapter, as far as that goes without callbacks.
fn open() -> HRESULT {
    let mut arguments = bytemuck::Zeroable::zeroed();
    let callbacks: D3DDDI_ADAPTERCALLBACKS = bytemuck::Zeroable::zeroed();
    let mut funcs: D3D12DDI_ADAPTERFUNCS = bytemuck::Zeroable::zeroed();
    let open: &mut D3D12DDIARG_OPENADAPTER = &mut arguments;
    open.pAdapterCallbacks = &raw const callbacks;
    open.pAdapterFuncs = &raw mut funcs;
    // SAFETY: the structures live during the call.
    unsafe { mock_umd::OpenAdapter12(&raw mut arguments) }
}

/// The open fails, and the reason is the last failure and in the file of calls.
fn named_everywhere(reason: &str) {
    let path = env::var("MOCK_UMD_TRACE").unwrap();
    _ = std::fs::remove_file(&path);
    assert_eq!(open(), E_INVALIDARG);
    let last = inspect::last_failure().unwrap();
    assert!(last.starts_with(reason), "{last}");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let (_, problem) = reason.split_once(": ").unwrap();
    assert!(text.contains(problem), "{text}");
}

/// The answers of a capability, by the sizes of buffers for which there is one.
fn answers(adapter: &Adapter, cap: D3D12DDICAPS_TYPE) -> Vec<(u32, Vec<u32>)> {
    let answer = |words: u32| {
        let mut data = vec![0_u32; words as usize];
        let arguments = D3D12DDIARG_GETCAPS {
            Type: cap,
            pInfo: std::ptr::null_mut(),
            pData: data.as_mut_ptr().cast(),
            DataSize: 4 * words,
        };
        // SAFETY: the data has the size, and null where it has pointers.
        let result =
            unsafe { adapter.funcs.pfnGetCaps.unwrap()(adapter.handle, &raw const arguments) };
        (result == S_OK).then_some((4 * words, data))
    };
    (1..64).filter_map(answer).collect()
}

macro_rules! in_a_process {
    ($($name:ident, $process:ident, [$($variable:literal = $value:expr),*] $body:block)*) => {$(
        #[test]
        fn $name() {
            run(stringify!($process), &[$(($variable, $value)),*]);
        }

        #[test]
        #[ignore = "run in a process of its own"]
        fn $process() $body
    )*};
}

in_a_process! {
    an_older_driver_shows_fewer_builds, older, ["MOCK_UMD_BUILD" = "111"] {
        assert_eq!(Adapter::open(Runtime::default()).versions().len(), 3);
        assert_eq!(Adapter::open(Runtime::default()).device(113, &[]).err(), Some(E_INVALIDARG));
    }

    a_slot_fails_as_often_as_it_is_said_to, failing,
        ["MOCK_UMD_FAIL" = "pfnCreateHeapAndResource:E_OUTOFMEMORY:2,pfnDrawInstanced:E_FAIL"] {
        let device = Device::new(113);
        let create = || Memory::committed(&device, 1, 0).err();
        assert_eq!([create(), create(), create()], [None, Some(E_OUTOFMEMORY), None]);
        let list = List::new(&device);
        // SAFETY: a handle is looked up.
        unsafe { device.list.pfnDrawInstanced.unwrap()(list.handle, 1, 1, 0, 0) };
        assert_eq!(device.list_errors(), [E_FAIL]);
        assert!(list.commands().is_empty());
    }

    a_cap_has_the_level_that_is_asked_for, capped,
        ["MOCK_UMD_CAPS" = "D3D12DDICAPS_TYPE_OPTIONS_0109:0,D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE:1:0:1"] {
        let adapter = Adapter::open(Runtime::default());
        let get = |cap, data: &mut [u32]| {
            let arguments = D3D12DDIARG_GETCAPS {
                Type: cap,
                pInfo: std::ptr::null_mut(),
                pData: data.as_mut_ptr().cast(),
                DataSize: u32::try_from(size_of_val(data)).unwrap(),
            };
            // SAFETY: the data has the size.
            unsafe { adapter.funcs.pfnGetCaps.unwrap()(adapter.handle, &raw const arguments) }
        };
        let mut options = [7];
        assert_eq!(get(D3D12DDICAPS_TYPE_OPTIONS_0109, &mut options), S_OK);
        assert_eq!(options, [0]);
        let mut memory = [7; 5];
        assert_eq!(get(D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE, &mut memory), S_OK);
        assert_eq!(memory[..3], [1, 0, 1]);
        // The rest is the driver's own answer, and a size that is wrong is refused as before.
        assert!(memory[3..].iter().all(|word| *word != 7));
        assert_eq!(get(D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE, &mut [7; 2]), E_INVALIDARG);
    }

    memory_ends, small, ["MOCK_UMD_MEMORY" = "200000"] {
        let device = Device::new(113);
        let first = Memory::committed(&device, 150_000, 0).unwrap();
        assert_eq!(Memory::committed(&device, 60_000, 0).err(), Some(E_OUTOFMEMORY));
        drop(first);
        Memory::committed(&device, 60_000, 0).unwrap();
    }

    a_device_is_removed_at_the_call_that_is_named, removed, ["MOCK_UMD_REMOVED" = "1"] {
        let device = Device::new(113);
        let block = crate::host::Block::new();
        let queue = D3D12DDI_HCOMMANDQUEUE { pDrvPrivate: block.address() };
        let desc = bytemuck::Zeroable::zeroed();
        let runtime = D3D12DDI_HRTCOMMANDQUEUE { handle: std::ptr::null_mut() };
        // SAFETY: the structure lives during the call, and the block is large enough.
        unsafe {
            let create = device.core.pfnCreateCommandQueue.unwrap();
            assert_eq!(create(device.handle, &raw const desc, queue, runtime), S_OK);
            device.queue.pfnExecuteCommandLists.unwrap()(queue, 0, std::ptr::null());
        }
        assert_eq!(device.errors(), [DXGI_ERROR_DEVICE_REMOVED]);
        let later = Memory::committed(&device, 1, 0).err();
        assert_eq!(later, Some(DXGI_ERROR_DEVICE_REMOVED));
    }

    creating_is_slow, slow, ["MOCK_UMD_SLOW" = "60"] {
        let device = Device::new(113);
        let start = Instant::now();
        let _memory = Memory::committed(&device, 1, 0).unwrap();
        // A heap and a resource.
        assert!(start.elapsed() >= Duration::from_millis(120));
    }

    a_value_that_is_none_fails_the_open, wrong, ["MOCK_UMD_BUILD" = "new"] {
        assert_eq!(open(), E_INVALIDARG);
        let error = inspect::set("MOCK_UMD_SLOW", "1").unwrap_err().to_string();
        assert!(error.starts_with("MOCK_UMD_BUILD=new: "), "{error}");
    }

    a_wrong_value_is_named_in_the_error_and_in_the_trace, wrong_value,
        ["MOCK_UMD_TRACE" = env::temp_dir().join("mock-umd-wrong.jsonl").to_str().unwrap(), "MOCK_UMD_BUILD" = "108"] {
        named_everywhere("OpenAdapter12: MOCK_UMD_BUILD=108: the driver has no such build; expected a DDI build from 109 to 115");
    }

    a_variable_that_is_no_switch_is_named_too, wrong_name,
        ["MOCK_UMD_TRACE" = env::temp_dir().join("mock-umd-name.jsonl").to_str().unwrap(), "MOCK_UMD_BIULD" = "109"] {
        named_everywhere("OpenAdapter12: no switch is called MOCK_UMD_BIULD");
    }

    a_capability_is_the_same_before_during_and_after_a_device, caps_before,
        [] {
        let all = D3D12DDICAPS_TYPE::ENUMERATORS.iter().map(|(cap, _)| *cap);
        let all: Vec<_> = all.collect();
        for build in 109..=115 {
            inspect::set("MOCK_UMD_BUILD", &build.to_string()).unwrap();
            let adapter = Adapter::open(Runtime::default());
            let before: Vec<_> = all.iter().map(|cap| answers(&adapter, *cap)).collect();
            let device = adapter.device(build, &[]).unwrap();
            let after: Vec<_> = all.iter().map(|cap| answers(&device.adapter, *cap)).collect();
            for ((cap, before), after) in all.iter().zip(&before).zip(&after) {
                assert_eq!(before, after, "{cap:?} of build {build}");
            }
            let of = |cap| answers(&device.adapter, cap);
            let tier = of(D3D12DDICAPS_TYPE_OPTIONS_0109);
            assert_eq!(tier, [(4, vec![u32::from(build >= 111)])], "{build}");
            for (cap, first) in [
                (D3D12DDICAPS_TYPE_OPTIONS_0110, 110),
                (D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110, 110),
                (D3D12DDICAPS_TYPE_TIGHT_ALIGNMENT_TIER_0111, 111),
                (D3D12DDICAPS_TYPE_GUID_TEXTURE_LAYOUT_TIER_0111, 111),
                (D3D12DDICAPS_TYPE_0112_NATIVE_FENCE_SUPPORT, 112),
                (D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113, 113),
                (D3D12DDICAPS_TYPE_OPTIONS_0118, 118),
            ] {
                assert_eq!(!of(cap).is_empty(), build >= first, "{cap:?} of build {build}");
            }
        }
    }

    calls_are_written_to_a_file, traced, ["MOCK_UMD_TRACE" = env::temp_dir().join("mock-umd-calls.jsonl").to_str().unwrap()] {
        let path = env::var("MOCK_UMD_TRACE").unwrap();
        _ = std::fs::remove_file(&path);
        drop(Device::new(113));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(text.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{text}");
        for call in ["OpenAdapter12", "pfnCreateDevice", "pfnDestroyDevice", "pfnCloseAdapter"] {
            assert_eq!(text.matches(&format!("\"{call}\"")).count(), 1, "{call}: {text}");
        }
    }
}
