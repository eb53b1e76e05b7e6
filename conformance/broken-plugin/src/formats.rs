//! `pfnCheckFormatSupport` and `pfnCheckMultisampleQualityLevels`.

use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use ddi_sys::*;
use defects::{Place as _, given, rewrite, rows, write};

use crate::about::*;
use crate::layer::{self, Open};
use crate::places::*;
use crate::targets::{of_known_abi, of_known_family};

rows! {
    Hook, About;

    // In `pfnCheckFormatSupport`.
    "format-other-bit" breaks P_FMT_01: "a format of the second family has a bit that does not exist",
        where SECOND_FAMILY, at CheckFormat |call| supported(call, |bits| *bits |= 0x4_0000);
    "format-unwritten" breaks P_FMT_01: "where a format has no support nothing is written",
        at CheckFormat |call| {
            let before = given(call.support).copied().unwrap_or_default();
            call.after(|call, result| if result.is_ok() && given(call.support) == Some(&0) {
                write(call.support, before);
            })
        };
    "format-fails" breaks P_FMT_01: "a format without support gets E_INVALIDARG",
        at CheckFormat |call| call.after(|call, result| if result.is_ok() && given(call.support) == Some(&0) {
            *result = E_INVALIDARG;
        });
    "format-last-fails" breaks P_FMT_01: "the format with the greatest number gets E_INVALIDARG",
        at CheckFormat |call| call.answer_if(call.format == last(), E_INVALIDARG);
    "format-after-other" breaks P_FMT_01:
        "the bits are those of the format before, if that is the one with the next smaller number",
        at CheckFormat |call| {
            static BEFORE: AtomicI32 = AtomicI32::new(0);
            let before = BEFORE.swap(call.format.0, Ordering::Relaxed);
            if before == DXGI_FORMAT_R8G8B8A8_UNORM.0 && call.format.0 == before + 1 {
                call.format = DXGI_FORMAT(before);
            }
            call.pass()
        };
    "format-per-open" breaks P_FMT_01: "every second open has another bit",
        where SECOND_OPEN, at CheckFormat |call| supported(call, |bits| *bits |= D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER);
    "format-indexes" breaks P_FMT_01: "a value that is no format is used as an index",
        at CheckFormat |call| {
            let is_format = (0..=last().0).contains(&call.format.0);
            if is_format { call.pass() } else { call.following(ptr::null::<u32>()) }
        };
    "format-null-target-followed" breaks P_FMT_02: "a null pTarget is read",
        at CheckFormat |call| call.following(call.target);
    "format-null-accepted" breaks P_FMT_02: "a null pFormatSupport gets S_OK for a format without support",
        at CheckFormat |call| call.answer_if(call.support.is_null() && call.format != DXGI_FORMAT_R8G8B8A8_UNORM, S_OK);
    "format-unknown-family" breaks P_FMT_02: "an unknown family has support",
        at CheckFormat |call| of_other(call, of_known_family);
    "format-unknown-abi" breaks P_FMT_02: "an unknown ABI version has support",
        at CheckFormat |call| of_other(call, of_known_abi);
    "format-overrun" breaks P_FMT_03: "64 bits are written",
        at CheckFormat |call| call.after(|call, result| if let (true, Some(bits)) = (result.is_ok(), given(call.support)) {
            write(call.support, u64::from(*bits));
        });
    "format-overrun-of-family" breaks P_FMT_03: "for one format of the second family 64 bits are written",
        where SECOND_FAMILY, at CheckFormat |call| supported(call, |bits| write(bits, u64::from(*bits)));
    "format-writes-target" breaks P_FMT_03: "pTarget is written to",
        at CheckFormat |call| call.before(|call| rewrite(call.target));

    // In `pfnCheckMultisampleQualityLevels`.
    "samples-minus-one" breaks P_MSAA_01: "the answer of more than one sample is -1 instead of TRUE",
        at CheckSamples |call| call.after(|call, answer| if call.samples > 1 {
            *answer = -*answer;
        });
    "samples-levels" breaks P_MSAA_01:
        "for the oldest ABI version the answer is the number of levels, of which 8 samples have two",
        where OLDEST_ABI,
        at CheckSamples |call| call.after(|call, answer| if call.samples == 8 {
            *answer *= 2;
        });
    "samples-three" breaks P_MSAA_01: "for 3 samples the answer is that for 4",
        at CheckSamples |call| {
            call.samples = if call.samples == 3 { 4 } else { call.samples };
            call.pass()
        };
    "samples-zero" breaks P_MSAA_01: "for 0 samples the answer is that for 1",
        at CheckSamples |call| call.before(|call| call.samples = call.samples.max(1));
    "samples-one-of-family" breaks P_MSAA_01: "for the second family one sample is not supported",
        where SECOND_FAMILY, at CheckSamples |call| call.answer_if(call.samples == 1, FALSE);
    "samples-low-byte" breaks P_MSAA_01: "of a format's number the lowest 8 bits count",
        at CheckSamples |call| call.before(|call| call.format.0 &= 0xFF);
    "samples-per-call" breaks P_MSAA_01: "every second answer for 8 samples is FALSE",
        at CheckSamples |call| {
            static CALLS: AtomicU32 = AtomicU32::new(0);
            let is_second = call.samples == 8 && CALLS.fetch_add(1, Ordering::Relaxed) % 2 == 1;
            call.answer_if(is_second, FALSE)
        };
    "samples-none-of-oldest" breaks P_MSAA_02: "for the oldest ABI version only one sample is supported",
        where OLDEST_ABI, at CheckSamples |call| call.answer_if(call.samples > 1, FALSE);
    "samples-second-level-only" breaks P_MSAA_02: "8 samples have a second quality level, and no first one",
        at CheckSamples |call| {
            let is_first = call.samples == 8 && call.level == 0;
            call.level -= UINT::from(call.samples == 8 && !is_first);
            call.answer_if(is_first, FALSE)
        };
    "samples-null-target-followed" breaks P_MSAA_03: "a null pTarget is read for 8 samples",
        at CheckSamples |call| if call.samples == 8 { call.following(call.target) } else { call.pass() };
    "samples-null-target-accepted" breaks P_MSAA_03: "a null pTarget gets TRUE",
        at CheckSamples |call| call.answer_if(call.target.is_null(), TRUE);
    "samples-unknown-family" breaks P_MSAA_03: "an unknown family has samples",
        at CheckSamples |call| {
            let open = layer::of(call.handle);
            let known = given(call.target).map(|target| of_known_family(&open, *target));
            call.target = known.as_ref().map_or(ptr::null(), ptr::from_ref);
            call.pass()
        };
}

/// The format with the greatest number.
fn last() -> DXGI_FORMAT {
    let (last, _) = DXGI_FORMAT::ENUMERATORS[DXGI_FORMAT::ENUMERATORS.len() - 1];
    last
}

/// Changes the bits of a format that has support.
fn supported(call: &mut CheckFormat, change: fn(&mut UINT)) -> HRESULT {
    call.after(|call, result| {
        // SAFETY: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT: null or valid for the call.
        let bits = unsafe { call.support.as_mut() }.filter(|_| result.is_ok());
        if let Some(bits) = bits.filter(|bits| **bits != 0) {
            change(bits);
        }
    })
}

fn of_other(
    call: &mut CheckFormat,
    other: fn(&Open, D3D12DDI_COMPILER_TARGET) -> D3D12DDI_COMPILER_TARGET,
) -> HRESULT {
    let open = layer::of(call.handle);
    let target = given(call.target).map(|target| other(&open, *target));
    call.target = target.as_ref().map_or(ptr::null(), ptr::from_ref);
    call.pass()
}
