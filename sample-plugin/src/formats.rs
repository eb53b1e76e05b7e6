//! What each generation can do with each format.
//!
//! What feature level 12_1 requires all generations have ("Format support for Direct3D Feature Level
//! 12.1 hardware" in the DXGI reference); of what it leaves open, the newer ones have more.

#[allow(clippy::wildcard_imports)] // The table's rows are the DDI's own names.
use plugin_sdk::ddi::*;

use crate::families::Generation;

const SAMPLE: u32 = D3D12DDI_FORMAT_SUPPORT_SHADER_SAMPLE;
const GATHER: u32 = D3D12DDI_FORMAT_SUPPORT_SHADER_GATHER;
const TILED: u32 = D3D12DDI_FORMAT_SUPPORT_TILED;
const TARGET: u32 = D3D12DDI_FORMAT_SUPPORT_RENDERTARGET;
const BLEND: u32 = D3D12DDI_FORMAT_SUPPORT_BLENDABLE;
const LOGIC: u32 = D3D12DDI_FORMAT_SUPPORT_OUTPUT_MERGER_LOGIC_OP;
const MSAA: u32 = D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET;
const LOAD: u32 = D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_LOAD;
const VERTEX: u32 = D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER;
const BUFFER: u32 = D3D12DDI_FORMAT_SUPPORT_BUFFER;
const READ: u32 = D3D12DDI_FORMAT_SUPPORT_UAV_READS;
const WRITE: u32 = D3D12DDI_FORMAT_SUPPORT_UAV_WRITES;
const DISPLAY: u32 = D3D12DDI_FORMAT_SUPPORT_DISPLAY;
const OVERLAY: u32 = D3D12DDI_FORMAT_SUPPORT_MULTIPLANE_OVERLAY;
const DECODE: u32 = D3D12DDI_FORMAT_SUPPORT_DECODER_OUTPUT;
const ENCODE: u32 = D3D12DDI_FORMAT_SUPPORT_VIDEO_ENCODER;
const VIDEO_IN: u32 = D3D12DDI_FORMAT_SUPPORT_VIDEO_PROCESSOR_INPUT;
const VIDEO_OUT: u32 = D3D12DDI_FORMAT_SUPPORT_VIDEO_PROCESSOR_OUTPUT;
/// Stands alone, and only on formats for which CheckFormatSupport knows it.
const UNSUPPORTED: u32 = D3D12DDI_FORMAT_SUPPORT_NOT_SUPPORTED;

const TEXTURE: u32 = SAMPLE | GATHER | TILED;
const COLOR: u32 = TARGET | BLEND | MSAA | LOAD;
const INTEGER: u32 = TARGET | MSAA | LOAD;
const FETCH: u32 = VERTEX | BUFFER;
const SCREEN: u32 = DISPLAY | VIDEO_OUT;
const VIDEO: u32 = DECODE | ENCODE | VIDEO_IN | VIDEO_OUT;

/// Most samples on Aurora, Borealis, Cirrus.
type MaxSamples = [u32; 3];
const NONE: MaxSamples = [1, 1, 1];
const EIGHT: MaxSamples = [8, 8, 8];
/// 128 bits a sample.
const WIDE: MaxSamples = [8, 8, 4];
const NEWER: MaxSamples = [8, 8, 1];

/// Format, support on all generations, what Aurora and Borealis have besides, samples.
type Row = (DXGI_FORMAT, u32, u32, MaxSamples);

/// Every enumerator of DXGI_FORMAT, in its order.
#[rustfmt::skip]
static FORMATS: [Row; 122] = [
    (DXGI_FORMAT_UNKNOWN, BUFFER | TILED, 0, NONE),
    (DXGI_FORMAT_R32G32B32A32_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_R32G32B32A32_FLOAT, TEXTURE | COLOR | FETCH | WRITE | READ, 0, WIDE),
    (DXGI_FORMAT_R32G32B32A32_UINT, INTEGER | FETCH | LOGIC | WRITE | READ | TILED, 0, WIDE),
    (DXGI_FORMAT_R32G32B32A32_SINT, INTEGER | FETCH | WRITE | READ | TILED, 0, WIDE),
    // 96 bits: no render target, so nothing that depends on one.
    (DXGI_FORMAT_R32G32B32_TYPELESS, 0, 0, NONE),
    (DXGI_FORMAT_R32G32B32_FLOAT, FETCH, 0, NONE),
    (DXGI_FORMAT_R32G32B32_UINT, FETCH, 0, NONE),
    (DXGI_FORMAT_R32G32B32_SINT, FETCH, 0, NONE),
    (DXGI_FORMAT_R16G16B16A16_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_R16G16B16A16_FLOAT, TEXTURE | COLOR | FETCH | WRITE | READ | VIDEO_IN | SCREEN, OVERLAY, EIGHT),
    (DXGI_FORMAT_R16G16B16A16_UNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R16G16B16A16_UINT, INTEGER | FETCH | LOGIC | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_R16G16B16A16_SNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R16G16B16A16_SINT, INTEGER | FETCH | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_R32G32_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_R32G32_FLOAT, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R32G32_UINT, INTEGER | FETCH | LOGIC | WRITE | TILED, READ, EIGHT),
    (DXGI_FORMAT_R32G32_SINT, INTEGER | FETCH | WRITE | TILED, READ, EIGHT),
    (DXGI_FORMAT_R32G8X24_TYPELESS, 0, 0, NONE),
    (DXGI_FORMAT_D32_FLOAT_S8X24_UINT, MSAA, 0, EIGHT),
    (DXGI_FORMAT_R32_FLOAT_X8X24_TYPELESS, SAMPLE | GATHER | LOAD, 0, EIGHT),
    (DXGI_FORMAT_X32_TYPELESS_G8X24_UINT, LOAD, 0, EIGHT),
    (DXGI_FORMAT_R10G10B10A2_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_R10G10B10A2_UNORM, TEXTURE | COLOR | FETCH | WRITE | VIDEO_IN | SCREEN, READ | OVERLAY, EIGHT),
    (DXGI_FORMAT_R10G10B10A2_UINT, INTEGER | FETCH | LOGIC | WRITE | TILED, READ, EIGHT),
    (DXGI_FORMAT_R11G11B10_FLOAT, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R8G8B8A8_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_R8G8B8A8_UNORM, TEXTURE | COLOR | FETCH | WRITE | READ | VIDEO_IN | SCREEN, 0, EIGHT),
    (DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, TEXTURE | COLOR | SCREEN, 0, EIGHT),
    (DXGI_FORMAT_R8G8B8A8_UINT, INTEGER | FETCH | LOGIC | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_R8G8B8A8_SNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R8G8B8A8_SINT, INTEGER | FETCH | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_R16G16_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_R16G16_FLOAT, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R16G16_UNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R16G16_UINT, INTEGER | FETCH | LOGIC | WRITE | TILED, READ, EIGHT),
    (DXGI_FORMAT_R16G16_SNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R16G16_SINT, INTEGER | FETCH | WRITE | TILED, READ, EIGHT),
    (DXGI_FORMAT_R32_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_D32_FLOAT, MSAA | TILED, 0, EIGHT),
    (DXGI_FORMAT_R32_FLOAT, TEXTURE | COLOR | FETCH | WRITE | READ, 0, EIGHT),
    (DXGI_FORMAT_R32_UINT, INTEGER | FETCH | LOGIC | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_R32_SINT, INTEGER | FETCH | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_R24G8_TYPELESS, 0, 0, NONE),
    (DXGI_FORMAT_D24_UNORM_S8_UINT, MSAA, 0, EIGHT),
    (DXGI_FORMAT_R24_UNORM_X8_TYPELESS, SAMPLE | GATHER | LOAD, 0, EIGHT),
    (DXGI_FORMAT_X24_TYPELESS_G8_UINT, LOAD, 0, EIGHT),
    (DXGI_FORMAT_R8G8_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_R8G8_UNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R8G8_UINT, INTEGER | FETCH | LOGIC | WRITE | TILED, READ, EIGHT),
    (DXGI_FORMAT_R8G8_SNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R8G8_SINT, INTEGER | FETCH | WRITE | TILED, READ, EIGHT),
    (DXGI_FORMAT_R16_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_R16_FLOAT, TEXTURE | COLOR | FETCH | WRITE | READ, 0, EIGHT),
    (DXGI_FORMAT_D16_UNORM, MSAA | TILED, 0, EIGHT),
    (DXGI_FORMAT_R16_UNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R16_UINT, INTEGER | FETCH | LOGIC | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_R16_SNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R16_SINT, INTEGER | FETCH | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_R8_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_R8_UNORM, TEXTURE | COLOR | FETCH | WRITE | READ, 0, EIGHT),
    (DXGI_FORMAT_R8_UINT, INTEGER | FETCH | LOGIC | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_R8_SNORM, TEXTURE | COLOR | FETCH | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R8_SINT, INTEGER | FETCH | WRITE | READ | TILED, 0, EIGHT),
    (DXGI_FORMAT_A8_UNORM, TEXTURE | COLOR | WRITE, READ, EIGHT),
    (DXGI_FORMAT_R1_UNORM, 0, 0, NONE),
    (DXGI_FORMAT_R9G9B9E5_SHAREDEXP, TEXTURE, 0, NONE),
    (DXGI_FORMAT_R8G8_B8G8_UNORM, SAMPLE | GATHER, 0, NONE),
    (DXGI_FORMAT_G8R8_G8B8_UNORM, SAMPLE | GATHER, 0, NONE),
    (DXGI_FORMAT_BC1_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_BC1_UNORM, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC1_UNORM_SRGB, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC2_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_BC2_UNORM, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC2_UNORM_SRGB, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC3_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_BC3_UNORM, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC3_UNORM_SRGB, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC4_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_BC4_UNORM, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC4_SNORM, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC5_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_BC5_UNORM, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC5_SNORM, TEXTURE, 0, NONE),
    (DXGI_FORMAT_B5G6R5_UNORM, TEXTURE | COLOR, WRITE | READ, EIGHT),
    (DXGI_FORMAT_B5G5R5A1_UNORM, TEXTURE, COLOR, NEWER),
    (DXGI_FORMAT_B8G8R8A8_UNORM, TEXTURE | COLOR | FETCH | VIDEO_IN | SCREEN, WRITE | READ | OVERLAY, EIGHT),
    (DXGI_FORMAT_B8G8R8X8_UNORM, TEXTURE | COLOR | FETCH, 0, EIGHT),
    (DXGI_FORMAT_R10G10B10_XR_BIAS_A2_UNORM, SCREEN | TILED, 0, NONE),
    (DXGI_FORMAT_B8G8R8A8_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, TEXTURE | COLOR | SCREEN, 0, EIGHT),
    (DXGI_FORMAT_B8G8R8X8_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_B8G8R8X8_UNORM_SRGB, TEXTURE | COLOR, 0, EIGHT),
    (DXGI_FORMAT_BC6H_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_BC6H_UF16, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC6H_SF16, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC7_TYPELESS, TILED, 0, NONE),
    (DXGI_FORMAT_BC7_UNORM, TEXTURE, 0, NONE),
    (DXGI_FORMAT_BC7_UNORM_SRGB, TEXTURE, 0, NONE),
    (DXGI_FORMAT_AYUV, SAMPLE | GATHER | TARGET | BLEND | WRITE | VIDEO_IN, 0, NONE),
    (DXGI_FORMAT_Y410, SAMPLE | GATHER | WRITE, 0, NONE),
    (DXGI_FORMAT_Y416, UNSUPPORTED, 0, NONE),
    (DXGI_FORMAT_NV12, SAMPLE | GATHER | TARGET | BLEND | WRITE | VIDEO, OVERLAY, NONE),
    (DXGI_FORMAT_P010, SAMPLE | GATHER | TARGET | BLEND | WRITE | VIDEO, OVERLAY, NONE),
    (DXGI_FORMAT_P016, UNSUPPORTED, 0, NONE),
    (DXGI_FORMAT_420_OPAQUE, DECODE | VIDEO_IN | VIDEO_OUT, 0, NONE),
    (DXGI_FORMAT_YUY2, SAMPLE | GATHER | WRITE | VIDEO_IN, OVERLAY, NONE),
    (DXGI_FORMAT_Y210, UNSUPPORTED, 0, NONE),
    (DXGI_FORMAT_Y216, UNSUPPORTED, 0, NONE),
    (DXGI_FORMAT_NV11, UNSUPPORTED, 0, NONE),
    (DXGI_FORMAT_AI44, UNSUPPORTED, 0, NONE),
    (DXGI_FORMAT_IA44, UNSUPPORTED, 0, NONE),
    (DXGI_FORMAT_P8, UNSUPPORTED, 0, NONE),
    (DXGI_FORMAT_A8P8, UNSUPPORTED, 0, NONE),
    (DXGI_FORMAT_B4G4R4A4_UNORM, TEXTURE, 0, NONE),
    (DXGI_FORMAT_P208, 0, 0, NONE),
    (DXGI_FORMAT_V208, 0, 0, NONE),
    (DXGI_FORMAT_V408, 0, 0, NONE),
    (DXGI_FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE, 0, 0, NONE),
    (DXGI_FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE, 0, 0, NONE),
    (DXGI_FORMAT_A4B4G4R4_UNORM, 0, TEXTURE, NONE),
];

fn row(format: DXGI_FORMAT) -> Option<&'static Row> {
    let index = FORMATS.binary_search_by_key(&format, |row| row.0).ok()?;
    FORMATS.get(index)
}

/// D3D12DDI_FORMAT_SUPPORT bits; none for a value that is no format.
pub(crate) fn support(generation: Generation, format: DXGI_FORMAT) -> u32 {
    row(format).map_or(0, |&(_, all, newer, _)| match generation {
        Generation::Aurora | Generation::Borealis => all | newer,
        Generation::Cirrus => all,
    })
}

/// Quality levels at a sample count above 1: the standard one where the hardware has that count.
pub(crate) fn quality_levels(generation: Generation, format: DXGI_FORMAT, samples: u32) -> u32 {
    let most = row(format).map_or(1, |row| row.3[generation as usize]);
    (samples > 1 && samples <= most && samples.is_power_of_two()).into()
}

/// Whether the format is one of depth-stencil buffers, for which D3D12DDI_FORMAT_SUPPORT has no bit.
pub(crate) fn is_depth_stencil(format: DXGI_FORMAT) -> bool {
    matches!(
        format,
        DXGI_FORMAT_D16_UNORM
            | DXGI_FORMAT_D24_UNORM_S8_UINT
            | DXGI_FORMAT_D32_FLOAT
            | DXGI_FORMAT_D32_FLOAT_S8X24_UINT
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;

    #[test]
    fn every_enumerator_has_its_row_in_order() {
        let named: Vec<_> = DXGI_FORMAT::ENUMERATORS.iter().map(|e| e.0).collect();
        let rows: Vec<_> = FORMATS.iter().map(|row| row.0).collect();
        assert_eq!(rows, named);
        assert!(rows.is_sorted());
    }

    #[test]
    fn values_that_are_no_format_get_nothing() {
        for value in [-1, 116, 129, 188, 192, i32::MAX, i32::MIN] {
            let format = DXGI_FORMAT(value);
            for family in &FAMILIES {
                assert_eq!(support(family.generation, format), 0);
                assert_eq!(quality_levels(family.generation, format, 4), 0);
            }
        }
    }

    #[test]
    fn bits_are_defined_and_fit_together() {
        for family in &FAMILIES {
            for &(format, name) in DXGI_FORMAT::ENUMERATORS {
                let bits = support(family.generation, format);
                let has = |bit| bits & bit != 0;
                assert_eq!(bits & !D3D12DDI_FORMAT_SUPPORT_ALL, 0, "{name}");
                assert!(!has(UNSUPPORTED) || bits == UNSUPPORTED, "{name}");
                for (bit, needs) in [
                    (BLEND, TARGET),
                    (LOGIC, TARGET),
                    (GATHER, SAMPLE),
                    (READ, WRITE),
                    (VERTEX, BUFFER),
                ] {
                    assert!(
                        !has(bit) || has(needs),
                        "{name}: {bit:#x} without {needs:#x}"
                    );
                }
                assert!(
                    !has(MSAA) || has(TARGET) || is_depth_stencil(format),
                    "{name}"
                );
                assert!(!(has(TARGET) && is_depth_stencil(format)), "{name}");
                // Those with X8 are views of depth buffers.
                let typeless = name.ends_with("_TYPELESS") && !name.contains("_X8");
                assert!(!typeless || bits & !TILED == 0, "{name}");
            }
        }
    }

    #[test]
    fn sample_counts_agree_with_the_bits() {
        for family in &FAMILIES {
            for &(format, name) in DXGI_FORMAT::ENUMERATORS {
                let multisampled = support(family.generation, format) & (MSAA | LOAD) != 0;
                let levels = |samples| quality_levels(family.generation, format, samples);
                // 4 samples are what the feature level requires of such formats.
                assert_eq!(levels(4) != 0, multisampled, "{name}");
                assert!(levels(2) >= levels(4) && levels(4) >= levels(8), "{name}");
                for samples in [0, 3, 5, 16, 32, 64, u32::MAX] {
                    assert_eq!(levels(samples), 0, "{name}, {samples} samples");
                }
            }
        }
    }
}
