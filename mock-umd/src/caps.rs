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

/// The capabilities that a build after the oldest has brought, and which.
static SINCE: &[(D3D12DDICAPS_TYPE, Build)] = &[
    (D3D12DDICAPS_TYPE_OPTIONS_0110, Build(110)),
    (D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110, Build(110)),
    (D3D12DDICAPS_TYPE_TIGHT_ALIGNMENT_TIER_0111, Build(111)),
    (D3D12DDICAPS_TYPE_GUID_TEXTURE_LAYOUT_TIER_0111, Build(111)),
    (
        D3D12DDICAPS_TYPE_GUID_TEXTURE_LAYOUT_GUID_SUPPORT_0111,
        Build(111),
    ),
    (D3D12DDICAPS_TYPE_0112_NATIVE_FENCE_SUPPORT, Build(112)),
    (
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113,
        version::DRIVER_STATE,
    ),
    // The compiler plugin knows it; no build of the driver does.
    (D3D12DDICAPS_TYPE_OPTIONS_0118, Build(118)),
];

/// What the plugin is not asked, as the 32-bit words of its structure.
static OWN: &[(D3D12DDICAPS_TYPE, &[u32])] = &[
    // UMA, IOCoherent, CacheCoherent, the tiers of heap and resource serialization.
    (D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE, &[NO, NO, NO, 0, 0]),
    // TileBasedDeferredRenderer.
    (D3D12DDICAPS_TYPE_ARCHITECTURE_INFO, &[NO]),
    // MaxGPUVirtualAddressBitsPerResource.
    (D3D12DDICAPS_TYPE_GPUVA_CAPS, &[ADDRESS_BITS]),
    // Counts of layouts and swizzles that depend on the device, then standard swizzle, row-major
    // textures, indexable swizzle patterns.
    (D3D12DDICAPS_TYPE_0022_TEXTURE_LAYOUT, &[0, 0, NO, NO, NO]),
    // ComputeQueuesPer3DQueue.
    (D3D12DDICAPS_TYPE_0050_HARDWARE_SCHEDULING_CAPS, &[0]),
    // SupportedQueueFlagsForGlobalRealtimeQueues.
    (
        D3D12DDICAPS_TYPE_0023_UMD_BASED_COMMAND_QUEUE_PRIORITY,
        &[0],
    ),
    // Supported.
    (D3D12DDI_FEATURE_D3D12_PREDICATION_106, &[YES]),
    (D3D12DDI_FEATURE_HARDWARE_COPY_106, &[NO]),
    // FenceSupport: none.
    (D3D12DDICAPS_TYPE_0112_NATIVE_FENCE_SUPPORT, &[NO]),
    // Supported.
    (D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113, &[YES]),
    // Tiers: none.
    (D3D12DDICAPS_TYPE_TIGHT_ALIGNMENT_TIER_0111, &[NO]),
    (D3D12DDICAPS_TYPE_GUID_TEXTURE_LAYOUT_TIER_0111, &[NO]),
];

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
    let since = SINCE.iter().find(|(cap, _)| *cap == arguments.Type);
    if since.is_some_and(|(_, first)| build < *first) {
        return Err(Error::invalid(format!(
            "build {} has no {:?}",
            build.0, arguments.Type
        )));
    }
    if let Some((_, words)) = OWN.iter().find(|(cap, _)| *cap == arguments.Type) {
        // SAFETY: `pData` is null or has `DataSize` bytes that can be written (`# Safety`).
        return unsafe { write(arguments, words) };
    }
    if arguments.Type == D3D12DDI_FEATURE_PLACED_RESOURCE_SUPPORT_INFO_106 {
        // SAFETY: `pData` is null or has `DataSize` bytes that can be written (`# Safety`); all placed resources are supported.
        return unsafe { write_supported(arguments) };
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
