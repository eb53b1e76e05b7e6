//! Adapter families, their ABI versions, and what is versioned with them.

use std::ptr;

use ddi_sys::*;
use plugin_sdk::{AdapterFamily, FamilyError, PluginEntry, VersionNumber};
use tracing::Level;

use crate::host::log::capture;
use crate::host::memory::Guarded;
use crate::host::plugin::{Script, TestPlugin, alive};
use crate::host::{Host, Open};

fn enumerate(host: &Host, index: u32, family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY) -> HRESULT {
    host.family(host.open.handle, index, family)
}

fn abi_versions(host: &Host, index: u32, count: *mut u32, versions: *mut u64) -> HRESULT {
    host.abi_versions(host.open.handle, index, count, versions)
}

#[test]
fn names_are_utf16_and_zero_to_the_end() {
    let host = Host::new();
    for (index, name) in ["First", "Second \u{1F3AE}"].into_iter().enumerate() {
        let family = Guarded::new(256, 0);
        let index = u32::try_from(index).unwrap();
        assert_eq!(enumerate(&host, index, family.at().cast()), S_OK);
        family.check();
        let expected: Vec<u8> = name.encode_utf16().flat_map(u16::to_ne_bytes).collect();
        let (name, rest) = family.bytes().split_at(expected.len());
        assert_eq!(name, expected);
        assert!(rest.iter().all(|&byte| byte == 0));
    }
    for index in [2, 3, 1 << 31, u32::MAX] {
        let family = Guarded::new(256, 0);
        assert_eq!(
            enumerate(&host, index, family.at().cast()),
            DXGI_ERROR_NOT_FOUND
        );
        assert!(family.is_untouched());
    }
    assert_eq!(enumerate(&host, 0, ptr::null_mut()), E_INVALIDARG);
}

/// How hosts find out how many there are is no mistake of theirs. What is one is logged as one.
#[test]
fn the_end_of_a_list_is_no_error_in_the_log() {
    let host = Host::new();
    let family = Guarded::new(256, 0);
    let (hresult, end) = capture(|| enumerate(&host, 2, family.at().cast()));
    assert_eq!(hresult, DXGI_ERROR_NOT_FOUND);
    let versions = Guarded::new(8, 0);
    let mut count = 1;
    let (hresult, short) = capture(|| abi_versions(&host, 0, &raw mut count, versions.at().cast()));
    assert_eq!((hresult, count), (DXGI_ERROR_MORE_DATA, 3));
    for (lines, slot) in [
        (end, "pfnEnumerateAdapterFamilies"),
        (short, "pfnGetAdapterFamilyABIVersions"),
    ] {
        assert!(
            matches!(&lines[..], [line] if line.level == Level::DEBUG && line.text.contains(slot)),
            "{lines:?}"
        );
    }
    let (hresult, unknown) = capture(|| abi_versions(&host, 2, &raw mut count, ptr::null_mut()));
    assert_eq!(hresult, DXGI_ERROR_NOT_FOUND);
    assert!(
        matches!(&unknown[..], [line] if line.level == Level::ERROR),
        "{unknown:?}"
    );
}

#[test]
fn abi_versions_come_by_the_two_call_protocol() {
    let host = Host::new();
    for (index, list) in [(0, &[3, 2, 1][..]), (1, &[7][..])] {
        for capacity in 0..=list.len() + 2 {
            let versions = Guarded::new(capacity * 8, 0);
            let mut count = u32::try_from(capacity).unwrap();
            let hresult = abi_versions(&host, index, &raw mut count, versions.at().cast());
            versions.check();
            let written = capacity.min(list.len());
            let short = capacity < list.len();
            assert_eq!(hresult, if short { DXGI_ERROR_MORE_DATA } else { S_OK });
            assert_eq!(
                count as usize,
                list.len(),
                "family {index}, capacity {capacity}"
            );
            let expected: Vec<u8> = list[..written]
                .iter()
                .copied()
                .flat_map(u64::to_ne_bytes)
                .collect();
            let (filled, tail) = versions.bytes().split_at(written * 8);
            assert_eq!(filled, expected, "newest first");
            assert!(tail.iter().all(|&byte| byte == 0xA5));

            let mut count = u32::try_from(capacity).unwrap();
            assert_eq!(
                abi_versions(&host, index, &raw mut count, ptr::null_mut()),
                S_OK
            );
            assert_eq!(count as usize, list.len());
        }
        assert_eq!(
            abi_versions(&host, index, ptr::null_mut(), ptr::null_mut()),
            E_INVALIDARG
        );
    }
    for index in [2, u32::MAX] {
        let (mut count, mut versions) = (3, [9; 3]);
        let hresult = abi_versions(&host, index, &raw mut count, versions.as_mut_ptr());
        assert_eq!(
            (hresult, count, versions),
            (DXGI_ERROR_NOT_FOUND, 0, [9; 3])
        );
        assert_eq!(
            abi_versions(&host, index, ptr::null_mut(), ptr::null_mut()),
            E_INVALIDARG
        );
    }
}

#[test]
fn compiler_version() {
    let host = Host::new();
    let get = |index, version| host.compiler_version(host.open.handle, index, version);
    for (index, expected, bits) in [
        (0, S_OK, 0x0001_0002_0003_0004),
        (1, S_OK, 0x0001_0002_0003_0004),
        (2, DXGI_ERROR_NOT_FOUND, 0),
        (u32::MAX, DXGI_ERROR_NOT_FOUND, 0),
    ] {
        let mut version = D3D12DDI_VERSION_NUMBER::from_bits(0);
        let hresult = get(index, &raw mut version);
        assert_eq!((hresult, version.bits()), (expected, bits));
    }
    assert_eq!(get(0, ptr::null_mut()), E_INVALIDARG);
}

#[test]
fn every_bad_list_is_refused_at_open_and_the_log_says_why() {
    let version = VersionNumber::new(1, 0, 0, 0);
    let family = |name: &str, abi_versions: &[u64]| {
        AdapterFamily::new(name.to_owned(), abi_versions.to_vec(), version)
    };
    let long = "x".repeat(128);
    let name = |index, name: &str| FamilyError::Name {
        index,
        name: name.into(),
    };
    let cases = [
        (vec![], FamilyError::NoFamilies),
        (vec![family("a", &[1]), family("", &[1])], name(1, "")),
        (vec![family(&long, &[1])], name(0, &long)),
        (vec![family("a\0b", &[1])], name(0, "a\0b")),
        (
            vec![family("a", &[1]), family("b", &[1]), family("a", &[1])],
            FamilyError::DuplicateName {
                index: 2,
                name: "a".into(),
            },
        ),
        (
            vec![family("a", &[])],
            FamilyError::NoAbiVersions { index: 0 },
        ),
        (
            vec![family("a", &[1, 0])],
            FamilyError::ReservedAbiVersion {
                index: 0,
                version: 0,
            },
        ),
        (
            vec![family("a", &[u64::MAX])],
            FamilyError::ReservedAbiVersion {
                index: 0,
                version: u64::MAX,
            },
        ),
        (
            vec![family("a", &[1, 2])],
            FamilyError::AbiVersionOrder {
                index: 0,
                earlier: 1,
                later: 2,
            },
        ),
        (
            vec![family("a", &[3, 3, 1])],
            FamilyError::AbiVersionOrder {
                index: 0,
                earlier: 3,
                later: 3,
            },
        ),
        (
            vec![AdapterFamily::new("a", vec![1], VersionNumber::ZERO)],
            FamilyError::NoCompilerVersion { index: 0 },
        ),
    ];
    for (families, error) in cases {
        let _script = Script {
            families,
            ..Script::default()
        }
        .install();
        let (open, lines) = capture(|| Open::new(TestPlugin::entry_point()));
        assert_eq!(open.err(), Some(E_UNEXPECTED), "{error}");
        assert_eq!(lines.len(), 1, "{lines:?}");
        let line = &lines[0].text;
        assert!(
            line.contains("D3D12OpenCompilerDDI") && line.contains(&error.to_string()),
            "{line}"
        );
        assert_eq!(alive(), 0, "the plugin of a failed open is dropped");
    }
}
