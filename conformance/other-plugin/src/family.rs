//! The adapter families, and the one application that has a profile.

use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_TARGET, DXGI_ERROR_NOT_FOUND,
    DXGI_ERROR_UNSUPPORTED, E_INVALIDARG, HRESULT, WCHAR,
};

/// How a compile uses the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    /// It finds nothing, and stores each value in a call of its own.
    Stores,
    /// It gets the values with the allocation callback, and stores those that are missing in one call.
    Fetches,
    /// It asks for the size of each value, and stores those that are missing from the last type to the first.
    Asks,
}

/// An adapter family.
pub(crate) struct Family {
    name: &'static str,
    /// Newest first.
    pub(crate) abi_versions: &'static [u64],
    pub(crate) compiler_version: u64,
    pub(crate) cache: Cache,
    /// Whether the code is another for each ABI version.
    pub(crate) code_has_abi: bool,
    /// Mesh shaders, raytracing, work graphs and wave operations.
    pub(crate) has_features: bool,
}

pub(crate) static FAMILIES: [Family; 3] = [
    Family {
        name: "Other One \u{1D11E}",
        abi_versions: &[u64::MAX - 1],
        compiler_version: 0x0000_0000_0000_0001,
        cache: Cache::Stores,
        code_has_abi: true,
        has_features: true,
    },
    Family {
        name: "Anders \u{00E9}\u{0301}",
        abi_versions: &[0x1_0000_0001, 0x1_0000_0000, 0xFFFF_FFFF],
        compiler_version: u64::MAX,
        cache: Cache::Fetches,
        code_has_abi: false,
        has_features: true,
    },
    Family {
        name: "\u{5225}\u{306E}",
        abi_versions: &[12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
        compiler_version: 0x0001_0000_0000_0000,
        cache: Cache::Asks,
        code_has_abi: true,
        has_features: false,
    },
];

impl Family {
    /// The name, which fills the array but for its terminator.
    pub(crate) fn name(&self) -> [WCHAR; 128] {
        let mut name = [0; 128];
        let units = self
            .name
            .encode_utf16()
            .chain("\u{1F680}".encode_utf16().cycle());
        let last = name.len() - 1;
        name.iter_mut()
            .take(last)
            .zip(units)
            .for_each(|(to, unit)| *to = unit);
        // A surrogate without its second half.
        if (0xD800..0xDC00).contains(&name[last - 1]) {
            name[last - 1] = u16::from(b'.');
        }
        name
    }
}

/// The family of an index.
pub(crate) fn family(index: u32) -> Option<&'static Family> {
    FAMILIES.get(index as usize)
}

/// The family of a target that exists, and the target.
///
/// # Safety
///
/// The pointer is null or valid for the call.
pub(crate) unsafe fn target(
    target: *const D3D12DDI_COMPILER_TARGET,
) -> Result<(&'static Family, D3D12DDI_COMPILER_TARGET), HRESULT> {
    // SAFETY: null or valid (`# Safety`).
    let target = *unsafe { target.as_ref() }.ok_or(E_INVALIDARG)?;
    let family = family(target.AdapterFamilyIndex).ok_or(DXGI_ERROR_NOT_FOUND)?;
    if family.abi_versions.contains(&target.ABIVersion) {
        Ok((family, target))
    } else {
        Err(DXGI_ERROR_UNSUPPORTED)
    }
}

/// The version of an application's profile.
///
/// # Safety
///
/// The pointer is null, or it and the application's strings are valid for the call.
pub(crate) unsafe fn profile(
    application: *const D3D12DDI_APPLICATION_DESC,
) -> Result<u64, HRESULT> {
    const KNOWN: &str = "Code.exe";
    const VERSION: u64 = 0x0000_0000_0000_0007;
    // SAFETY: null or valid (`# Safety`).
    let exe = unsafe { application.as_ref() }
        .ok_or(E_INVALIDARG)?
        .pExeFilename;
    if exe.is_null() {
        return Err(E_INVALIDARG);
    }
    let mut known = KNOWN.encode_utf16().chain([0]).enumerate();
    // SAFETY: a string with a NUL at its end, which is read no further than to the first difference.
    let is_known = known.all(|(at, unit)| unsafe { exe.add(at).read() } == unit);
    Ok(if is_known { VERSION } else { 0 })
}
