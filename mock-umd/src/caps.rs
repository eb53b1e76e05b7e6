//! Capabilities. What the compiler plugin is asked too, it answers for the driver; the others are here.

use std::ffi::c_void;
use std::mem::offset_of;

#[allow(clippy::wildcard_imports)] // The table's rows are the DDI's own names.
use ddi_sys::*;

use crate::address_space::ADDRESS_BITS;
use crate::boundary::{Error, Result};
use crate::sample;
use crate::switches;
use crate::version::{self, Build};

const YES: u32 = 1;
const NO: u32 = 0;

/// What the plugin is not asked, as the 32-bit words of its structure, and the first build that has it.
static OWN: &[(D3D12DDICAPS_TYPE, Build, &[u32])] = &[
    // UMA, IOCoherent, CacheCoherent, the tiers of heap and resource serialization.
    (
        D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE,
        version::OLDEST,
        &[NO, NO, NO, 0, 0],
    ),
    // TileBasedDeferredRenderer.
    (D3D12DDICAPS_TYPE_ARCHITECTURE_INFO, version::OLDEST, &[NO]),
    // MaxGPUVirtualAddressBitsPerResource.
    (
        D3D12DDICAPS_TYPE_GPUVA_CAPS,
        version::OLDEST,
        &[ADDRESS_BITS],
    ),
    // Counts of layouts and swizzles that depend on the device, then standard swizzle, row-major
    // textures, indexable swizzle patterns.
    (
        D3D12DDICAPS_TYPE_0022_TEXTURE_LAYOUT,
        version::OLDEST,
        &[0, 0, NO, NO, NO],
    ),
    // ComputeQueuesPer3DQueue.
    (
        D3D12DDICAPS_TYPE_0050_HARDWARE_SCHEDULING_CAPS,
        version::OLDEST,
        &[0],
    ),
    // SupportedQueueFlagsForGlobalRealtimeQueues.
    (
        D3D12DDICAPS_TYPE_0023_UMD_BASED_COMMAND_QUEUE_PRIORITY,
        version::OLDEST,
        &[0],
    ),
    // Supported.
    (
        D3D12DDI_FEATURE_D3D12_PREDICATION_106,
        version::OLDEST,
        &[YES],
    ),
    (D3D12DDI_FEATURE_HARDWARE_COPY_106, version::OLDEST, &[NO]),
    // FenceSupport: none.
    (
        D3D12DDICAPS_TYPE_0112_NATIVE_FENCE_SUPPORT,
        Build(112),
        &[NO],
    ),
    // Supported.
    (
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113,
        version::DRIVER_STATE,
        &[YES],
    ),
    // Tiers: none.
    (
        D3D12DDICAPS_TYPE_TIGHT_ALIGNMENT_TIER_0111,
        Build(111),
        &[NO],
    ),
    (
        D3D12DDICAPS_TYPE_GUID_TEXTURE_LAYOUT_TIER_0111,
        Build(111),
        &[NO],
    ),
];

/// The family of an index, checked.
///
/// # Errors
///
/// The sample plugin has no such family.
pub(crate) fn family(index: u32) -> Result<u32> {
    match sample::plugin().adapter_family(index) {
        Ok(Some(_)) => Ok(index),
        Ok(None) => Err(Error::invalid(format!(
            "MOCK_UMD_ADAPTER={index}: the vendor has no such adapter family"
        ))),
        Err(error) => Err(Error::new(E_FAIL, error.to_string())),
    }
}

/// Answers a capability, as far as `MOCK_UMD_CAPS` has no other words for it.
///
/// # Errors
///
/// The build has no such capability, or the buffer is not of its size. Nothing is written then.
///
/// # Safety
///
/// `pData` is null, or has `DataSize` bytes that can be written, and the inputs of the capability.
pub(crate) unsafe fn get(
    family: u32,
    build: Build,
    arguments: &D3D12DDIARG_GETCAPS,
) -> Result<HRESULT> {
    // SAFETY: what `own` demands, this function demands too.
    let result = unsafe { own(family, build, arguments) }?;
    let settings = switches::settings()?;
    let other = settings.caps.iter().find(|(cap, _)| *cap == arguments.Type);
    if let Some((_, words)) = other {
        let room = arguments.DataSize as usize;
        let size = size_of_val(&words[..]).min(room);
        // SAFETY: `pData` is not null where there is an answer, and has `DataSize` bytes that can be written (`# Safety`).
        unsafe {
            std::ptr::copy_nonoverlapping(
                words.as_ptr().cast::<u8>(),
                arguments.pData.cast(),
                size,
            );
        };
    }
    Ok(result)
}

/// The family's and the build's own answer.
///
/// # Errors
///
/// As [`get`].
///
/// # Safety
///
/// As [`get`].
unsafe fn own(family: u32, build: Build, arguments: &D3D12DDIARG_GETCAPS) -> Result<HRESULT> {
    if arguments.pData.is_null() {
        return Err(Error::invalid("pData is null"));
    }
    let own = OWN
        .iter()
        .find(|(caps_type, ..)| *caps_type == arguments.Type);
    if let Some((caps_type, first, words)) = own {
        if build < *first {
            return Err(Error::invalid(format!(
                "build {} has no {caps_type:?}",
                build.0
            )));
        }
        // SAFETY: `pData` is null or has `DataSize` bytes that can be written (`# Safety`).
        return unsafe { write(arguments, words) };
    }
    if arguments.Type == D3D12DDI_FEATURE_PLACED_RESOURCE_SUPPORT_INFO_106 {
        // SAFETY: `pData` is null or has `DataSize` bytes that can be written (`# Safety`); all placed resources are supported.
        return unsafe { write_supported(arguments) };
    }
    let newer = (arguments.Type == D3D12DDICAPS_TYPE_OPTIONS_0110
        || arguments.Type == D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110)
        && build < Build(110);
    if newer {
        return Err(Error::invalid("the capability is of build 110"));
    }
    // SAFETY: the plugin DDI takes the same structure, whose `pData` has `DataSize` bytes and the inputs of the capability
    // (`# Safety`); the plugin checks the size.
    unsafe {
        sample::plugin().get_caps_raw(
            sample::target(family)?,
            &sample::any_application(),
            arguments,
        )
    }
    .map_err(|error| Error::invalid(error.to_string()))?;
    if arguments.Type == D3D12DDICAPS_TYPE_OPTIONS_0109 && build < version::RECREATE_AT {
        // "While the DDI rev is on 109, RecreateAt functionality is gated behind DDI 0111."
        // SAFETY: `pData` is null or has `DataSize` bytes that can be written (`# Safety`).
        return unsafe { write(arguments, &[NO]) };
    }
    Ok(S_OK)
}

/// # Safety
///
/// As [`get`].
unsafe fn write(arguments: &D3D12DDIARG_GETCAPS, words: &[u32]) -> Result<HRESULT> {
    let size = size_of_val(words);
    if usize::try_from(arguments.DataSize) != Ok(size) {
        let message = format!(
            "{:?} has {size} bytes; DataSize is {}",
            arguments.Type, arguments.DataSize
        );
        return Err(Error::invalid(message));
    }
    // SAFETY: `pData` has `DataSize` bytes that can be written (`# Safety`), and `DataSize` is `size`.
    unsafe {
        std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), arguments.pData.cast(), size);
    };
    Ok(S_OK)
}

/// # Safety
///
/// As [`get`].
unsafe fn write_supported(arguments: &D3D12DDIARG_GETCAPS) -> Result<HRESULT> {
    type Info = D3D12DDI_FEATURE_DATA_PLACED_RESOURCE_SUPPORT_INFO_106;
    if usize::try_from(arguments.DataSize) != Ok(size_of::<Info>()) {
        return Err(Error::invalid("DataSize is not that of the structure"));
    }
    let member: *mut c_void = arguments
        .pData
        .wrapping_byte_add(offset_of!(Info, Supported));
    // SAFETY: `pData` has `DataSize` bytes that can be written (`# Safety`), those of `Info`, as was checked.
    unsafe { member.cast::<BOOL>().write_unaligned(TRUE) };
    Ok(S_OK)
}
