//! pfnCheckFormatSupport and pfnCheckMultisampleQualityLevels.

use std::ptr;

use ddi_sys::*;

use crate::host::plugin::Script;
use crate::host::{Host, TARGET, some};

fn format_support(
    host: &Host,
    target: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    support: *mut u32,
) -> HRESULT {
    host.format_support(host.open.handle, target, format, support)
}

fn quality_level(
    host: &Host,
    target: *const D3D12DDI_COMPILER_TARGET,
    samples: u32,
    level: u32,
) -> BOOL {
    let format = DXGI_FORMAT_R8G8B8A8_UNORM;
    host.quality_level(host.open.handle, target, format, samples, level)
}

#[test]
fn only_bits_that_the_ddi_defines_are_reported() {
    let defined = D3D12DDI_FORMAT_SUPPORT_SHADER_SAMPLE | D3D12DDI_FORMAT_SUPPORT_NOT_SUPPORTED;
    for (vendor, reported) in [
        (0, 0),
        (defined, defined),
        (u32::MAX, D3D12DDI_FORMAT_SUPPORT_ALL),
        (1 << 20, 0),
    ] {
        let _script = Script {
            format_support: vendor,
            ..Script::default()
        }
        .install();
        let host = Host::new();
        for format in [-1, 0, 28, 190, i32::MAX] {
            let mut support = 0x5555;
            let format = DXGI_FORMAT(format);
            let hresult = format_support(&host, &raw const TARGET, format, &raw mut support);
            assert_eq!((hresult, support), (S_OK, reported), "{format:?}");
        }
    }
    assert_eq!(D3D12DDI_FORMAT_SUPPORT_ALL & (1 << 20), 0);
}

#[test]
fn what_is_wrong_is_refused_and_nothing_written() {
    let host = Host::new();
    let mut support = 7;
    let unknown = D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: 9,
        ABIVersion: 1,
    };
    let format = DXGI_FORMAT_R8_UNORM;
    let out = &raw mut support;
    assert_eq!(
        format_support(&host, ptr::null(), format, out),
        E_INVALIDARG
    );
    assert_eq!(
        format_support(&host, &raw const unknown, format, out),
        DXGI_ERROR_NOT_FOUND
    );
    let null = ptr::null_mut();
    assert_eq!(
        format_support(&host, &raw const TARGET, format, null),
        E_INVALIDARG
    );
    assert_eq!(support, 7);
    assert_eq!(quality_level(&host, ptr::null(), 1, 0), FALSE);
    assert_eq!(quality_level(&host, &raw const unknown, 1, 0), FALSE);
}

#[test]
fn multisampling_is_answered_for_real_sample_counts_only() {
    for (support, levels) in [
        (0, 0),
        (D3D12DDI_FORMAT_SUPPORT_RENDERTARGET, 0),
        (D3D12DDI_FORMAT_SUPPORT_RENDERTARGET, 1),
        (D3D12DDI_FORMAT_SUPPORT_RENDERTARGET, 17),
    ] {
        let _script = Script {
            format_support: support,
            quality_levels: levels,
            ..Script::default()
        }
        .install();
        let host = Host::new();
        let counts = (0..=33).chain([64, 1 << 31, u32::MAX]);
        for samples in some(counts) {
            for level in [0, 1, 16, 17, u32::MAX] {
                let expected = match samples {
                    1 => support != 0 && level == 0,
                    2 | 4 | 8 | 16 | 32 => level < levels,
                    _ => false,
                };
                let answer = quality_level(&host, &raw const TARGET, samples, level);
                let expected = if expected { TRUE } else { FALSE };
                assert_eq!(
                    answer, expected,
                    "{samples} samples at level {level} of {levels}"
                );
            }
        }
    }
}
