//! The targets that the base has.

use std::ptr;

use ddi_sys::*;

use crate::layer::Open;
use crate::need;
use crate::places::*;

/// A family's ABI versions, from the base; `None` for an unknown family.
pub(crate) fn abi_versions(open: &Open, family: UINT) -> Option<Vec<u64>> {
    let mut count = 0;
    let mut ask = GetAbiVersions {
        handle: open.handle(),
        family,
        count: &raw mut count,
        array: ptr::null_mut(),
    };
    let result = ask.base();
    // SAFETY: a number of our own, which the call may have written.
    let mut versions = vec![0; unsafe { ask.count.read() } as usize];
    ask.array = versions.as_mut_ptr();
    let all = ask.base();
    need::TWO_ABI_VERSIONS.met_if(versions.len() > 1);
    need::THREE_ABI_VERSIONS.met_if(versions.len() > 2);
    (result.is_ok() && all.is_ok()).then_some(versions)
}

/// The second family, or the only one.
pub(crate) fn second_or_only(open: &Open) -> UINT {
    abi_versions(open, 1).is_some().into()
}

/// Whether a target has the oldest ABI version of the first family.
pub(crate) fn is_oldest(open: &Open, target: D3D12DDI_COMPILER_TARGET) -> bool {
    let versions = abi_versions(open, 0).unwrap_or_default();
    target.AdapterFamilyIndex == 0 && versions.into_iter().min() == Some(target.ABIVersion)
}

/// Whether the base has a target.
pub(crate) fn exists(open: &Open, target: D3D12DDI_COMPILER_TARGET) -> bool {
    abi_versions(open, target.AdapterFamilyIndex)
        .is_some_and(|versions| versions.contains(&target.ABIVersion))
}

/// The newest target of a family.
pub(crate) fn newest(open: &Open, family: UINT) -> D3D12DDI_COMPILER_TARGET {
    let versions = abi_versions(open, family).unwrap_or_default();
    D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: family,
        ABIVersion: versions.first().copied().unwrap_or_default(),
    }
}

/// For a target of an unknown family the newest of the first one.
pub(crate) fn of_known_family(
    open: &Open,
    target: D3D12DDI_COMPILER_TARGET,
) -> D3D12DDI_COMPILER_TARGET {
    match abi_versions(open, target.AdapterFamilyIndex) {
        Some(_) => target,
        None => newest(open, 0),
    }
}

/// For a target of an unknown ABI version the newest of its family.
pub(crate) fn of_known_abi(
    open: &Open,
    target: D3D12DDI_COMPILER_TARGET,
) -> D3D12DDI_COMPILER_TARGET {
    match abi_versions(open, target.AdapterFamilyIndex) {
        Some(versions) if !versions.contains(&target.ABIVersion) => {
            newest(open, target.AdapterFamilyIndex)
        }
        _ => target,
    }
}

/// As [`of_known_abi`], if another family has the ABI version.
pub(crate) fn of_known_abi_of_others(
    open: &Open,
    target: D3D12DDI_COMPILER_TARGET,
) -> D3D12DDI_COMPILER_TARGET {
    let others = [0, 1].map(|family| D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: family,
        ..target
    });
    if !others.into_iter().any(|other| exists(open, other)) {
        return target;
    }
    let nearest = of_known_abi(open, target);
    need::OTHER_FAMILYS_ABI.met_if(nearest.ABIVersion != target.ABIVersion);
    nearest
}
