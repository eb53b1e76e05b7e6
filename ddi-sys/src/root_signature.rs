//! Root signatures.

use bytemuck::Zeroable;

use crate::base::{FLOAT, UINT};
use crate::fixed_function::D3D12DDI_COMPARISON_FUNC;

/// A root signature. Its union has one arm; with version 1_1 that points at
/// D3D12DDI_ROOT_SIGNATURE_0013 by our reading (docs/spec-notes.md).
///
/// Source: VulkanOn12.md.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 {
    /// x64 offset 0, x86 offset 0.
    pub Version: D3D12DDI_ROOT_SIGNATURE_VERSION,
    /// The anonymous union at x64 offset 8, x86 offset 4.
    pub Anonymous: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100_0,
    /// x64 offset 16, x86 offset 8.
    pub NodeMask: UINT,
}

/// Union member `Anonymous` of [`D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100_0 {
    /// One reading of the bytes at x64 offset 8, x86 offset 4.
    pub pRootSignature_1_2: *const D3D12DDI_ROOT_SIGNATURE_0100,
}

/// A root signature's content, version 1.2.
///
/// Source: VulkanOn12.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ROOT_SIGNATURE_0100 {
    /// x64 offset 0, x86 offset 0.
    pub NumParameters: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pRootParameters: *const D3D12DDI_ROOT_PARAMETER_0013,
    /// x64 offset 16, x86 offset 8.
    pub NumStaticSamplers: UINT,
    /// x64 offset 24, x86 offset 12.
    pub pStaticSamplers: *const D3D12DDI_STATIC_SAMPLER_0100,
    /// x64 offset 32, x86 offset 16.
    pub Flags: D3D12DDI_ROOT_SIGNATURE_FLAGS,
}

/// One root parameter; `ParameterType` chooses the union's arm.
///
/// Source: ResourceBinding.md.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_ROOT_PARAMETER_0013 {
    /// x64 offset 0, x86 offset 0.
    pub ParameterType: D3D12DDI_ROOT_PARAMETER_TYPE,
    /// The anonymous union at x64 offset 8, x86 offset 4.
    pub Anonymous: D3D12DDI_ROOT_PARAMETER_0013_0,
    /// x64 offset 24, x86 offset 16.
    pub ShaderVisibility: D3D12DDI_SHADER_VISIBILITY,
}

/// Union member `Anonymous` of [`D3D12DDI_ROOT_PARAMETER_0013`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_ROOT_PARAMETER_0013_0 {
    /// One reading of the bytes at x64 offset 8, x86 offset 4.
    pub DescriptorTable: D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013,
    /// One reading of the bytes at x64 offset 8, x86 offset 4.
    pub Constants: D3D12DDI_ROOT_CONSTANTS,
    /// One reading of the bytes at x64 offset 8, x86 offset 4.
    pub Descriptor: D3D12DDI_ROOT_DESCRIPTOR_0013,
}

/// A descriptor table.
///
/// Source: ResourceBinding.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013 {
    /// x64 offset 0, x86 offset 0.
    pub NumDescriptorRanges: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pDescriptorRanges: *const D3D12DDI_DESCRIPTOR_RANGE_0013,
}

/// One range of a descriptor table.
///
/// Source: ResourceBinding.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_DESCRIPTOR_RANGE_0013 {
    /// x64 offset 0, x86 offset 0.
    pub RangeType: D3D12DDI_DESCRIPTOR_RANGE_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub NumDescriptors: UINT,
    /// x64 offset 8, x86 offset 8.
    pub BaseShaderRegister: UINT,
    /// x64 offset 12, x86 offset 12.
    pub RegisterSpace: UINT,
    /// x64 offset 16, x86 offset 16.
    pub Flags: D3D12DDI_DESCRIPTOR_RANGE_FLAGS,
    /// x64 offset 20, x86 offset 20.
    pub OffsetInDescriptorsFromTableStart: UINT,
}

/// Root constants.
///
/// Source: ResourceBinding.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ROOT_CONSTANTS {
    /// x64 offset 0, x86 offset 0.
    pub ShaderRegister: UINT,
    /// x64 offset 4, x86 offset 4.
    pub RegisterSpace: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Num32BitValues: UINT,
}

/// A root descriptor.
///
/// Source: ResourceBinding.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ROOT_DESCRIPTOR_0013 {
    /// x64 offset 0, x86 offset 0.
    pub ShaderRegister: UINT,
    /// x64 offset 4, x86 offset 4.
    pub RegisterSpace: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Flags: D3D12DDI_ROOT_DESCRIPTOR_FLAGS,
}

/// A static sampler, version 1.2.
///
/// Source: VulkanOn12.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_STATIC_SAMPLER_0100 {
    /// x64 offset 0, x86 offset 0.
    pub Filter: D3D12DDI_FILTER,
    /// x64 offset 4, x86 offset 4.
    pub AddressU: D3D12DDI_TEXTURE_ADDRESS_MODE,
    /// x64 offset 8, x86 offset 8.
    pub AddressV: D3D12DDI_TEXTURE_ADDRESS_MODE,
    /// x64 offset 12, x86 offset 12.
    pub AddressW: D3D12DDI_TEXTURE_ADDRESS_MODE,
    /// x64 offset 16, x86 offset 16.
    pub MipLODBias: FLOAT,
    /// x64 offset 20, x86 offset 20.
    pub MaxAnisotropy: UINT,
    /// x64 offset 24, x86 offset 24.
    pub ComparisonFunc: D3D12DDI_COMPARISON_FUNC,
    /// x64 offset 28, x86 offset 28.
    pub BorderColor: D3D12DDI_STATIC_BORDER_COLOR,
    /// x64 offset 32, x86 offset 32.
    pub MinLOD: FLOAT,
    /// x64 offset 36, x86 offset 36.
    pub MaxLOD: FLOAT,
    /// x64 offset 40, x86 offset 40.
    pub ShaderRegister: UINT,
    /// x64 offset 44, x86 offset 44.
    pub RegisterSpace: UINT,
    /// x64 offset 48, x86 offset 48.
    pub ShaderVisibility: D3D12DDI_SHADER_VISIBILITY,
    /// x64 offset 52, x86 offset 52.
    pub Flags: D3D12DDI_SAMPLER_FLAGS_0096,
}

/// A static sampler, version 1.1.
///
/// Source: ResourceBinding.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_STATIC_SAMPLER {
    /// x64 offset 0, x86 offset 0.
    pub Filter: D3D12DDI_FILTER,
    /// x64 offset 4, x86 offset 4.
    pub AddressU: D3D12DDI_TEXTURE_ADDRESS_MODE,
    /// x64 offset 8, x86 offset 8.
    pub AddressV: D3D12DDI_TEXTURE_ADDRESS_MODE,
    /// x64 offset 12, x86 offset 12.
    pub AddressW: D3D12DDI_TEXTURE_ADDRESS_MODE,
    /// x64 offset 16, x86 offset 16.
    pub MipLODBias: FLOAT,
    /// x64 offset 20, x86 offset 20.
    pub MaxAnisotropy: UINT,
    /// x64 offset 24, x86 offset 24.
    pub ComparisonFunc: D3D12DDI_COMPARISON_FUNC,
    /// x64 offset 28, x86 offset 28.
    pub BorderColor: D3D12DDI_STATIC_BORDER_COLOR,
    /// x64 offset 32, x86 offset 32.
    pub MinLOD: FLOAT,
    /// x64 offset 36, x86 offset 36.
    pub MaxLOD: FLOAT,
    /// x64 offset 40, x86 offset 40.
    pub ShaderRegister: UINT,
    /// x64 offset 44, x86 offset 44.
    pub RegisterSpace: UINT,
    /// x64 offset 48, x86 offset 48.
    pub ShaderVisibility: D3D12DDI_SHADER_VISIBILITY,
}

/// A root signature's content, version 1.1.
///
/// Source: ResourceBinding.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ROOT_SIGNATURE_0013 {
    /// x64 offset 0, x86 offset 0.
    pub NumParameters: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pRootParameters: *const D3D12DDI_ROOT_PARAMETER_0013,
    /// x64 offset 16, x86 offset 8.
    pub NumStaticSamplers: UINT,
    /// x64 offset 24, x86 offset 12.
    pub pStaticSamplers: *const D3D12DDI_STATIC_SAMPLER,
    /// x64 offset 32, x86 offset 16.
    pub Flags: D3D12DDI_ROOT_SIGNATURE_FLAGS,
}

/// A root signature in the older form, version 1.1.
///
/// Source: ResourceBinding.md.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_ROOT_SIGNATURE_0013 {
    /// x64 offset 0, x86 offset 0.
    pub Version: D3D12DDI_ROOT_SIGNATURE_VERSION,
    /// The anonymous union at x64 offset 8, x86 offset 4.
    pub Anonymous: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0013_0,
    /// x64 offset 16, x86 offset 8.
    pub NodeMask: UINT,
}

/// Union member `Anonymous` of [`D3D12DDIARG_CREATE_ROOT_SIGNATURE_0013`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATE_ROOT_SIGNATURE_0013_0 {
    /// One reading of the bytes at x64 offset 8, x86 offset 4.
    pub pRootSignature_1_1: *const D3D12DDI_ROOT_SIGNATURE_0013,
}

ddi_enum! {
    /// Version of a root signature; the runtime converts 1.0 before the DDI.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
    pub enum D3D12DDI_ROOT_SIGNATURE_VERSION {
        /// Value 2.
        D3D12DDI_ROOT_SIGNATURE_VERSION_1_1 = 2,
        /// Value 3.
        D3D12DDI_ROOT_SIGNATURE_VERSION_1_2 = 3,
    }
}

ddi_flags! {
    /// Flags of a root signature.
    ///
    /// Source: the WDK reference pages. ResourceBinding.md prints the first seven without FLAG in
    /// the names.
    pub enum D3D12DDI_ROOT_SIGNATURE_FLAGS {
        /// Value 0.
        D3D12DDI_ROOT_SIGNATURE_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT = 1,
        /// Value 2.
        D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_VERTEX_SHADER_ROOT_ACCESS = 2,
        /// Value 4.
        D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_HULL_SHADER_ROOT_ACCESS = 4,
        /// Value 8.
        D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_DOMAIN_SHADER_ROOT_ACCESS = 8,
        /// Value 16.
        D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_GEOMETRY_SHADER_ROOT_ACCESS = 0x10,
        /// Value 32.
        D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_PIXEL_SHADER_ROOT_ACCESS = 0x20,
        /// Value 64.
        D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT = 0x40,
        /// Value 128.
        D3D12DDI_ROOT_SIGNATURE_FLAG_LOCAL_ROOT_SIGNATURE = 0x80,
        /// Value 256.
        D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_AMPLIFICATION_SHADER_ROOT_ACCESS = 0x100,
        /// Value 512.
        D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_MESH_SHADER_ROOT_ACCESS = 0x200,
        /// Value 1024.
        D3D12DDI_ROOT_SIGNATURE_FLAG_CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED = 0x400,
        /// Value 2048.
        D3D12DDI_ROOT_SIGNATURE_FLAG_SAMPLER_HEAP_DIRECTLY_INDEXED = 0x800,
    }
}

ddi_enum! {
    /// Kind of root parameter.
    ///
    /// Source: ResourceBinding.md for the values, which prints the names without TYPE; the names
    /// from bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_ROOT_PARAMETER_TYPE {
        /// Value 0.
        D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE = 0,
        /// Value 1.
        D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS = 1,
        /// Value 2.
        D3D12DDI_ROOT_PARAMETER_TYPE_CBV = 2,
        /// Value 3.
        D3D12DDI_ROOT_PARAMETER_TYPE_SRV = 3,
        /// Value 4.
        D3D12DDI_ROOT_PARAMETER_TYPE_UAV = 4,
    }
}

ddi_enum! {
    /// Stages that see a root parameter.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_SHADER_VISIBILITY {
        /// Value 0.
        D3D12DDI_SHADER_VISIBILITY_ALL = 0,
        /// Value 1.
        D3D12DDI_SHADER_VISIBILITY_VERTEX = 1,
        /// Value 2.
        D3D12DDI_SHADER_VISIBILITY_HULL = 2,
        /// Value 3.
        D3D12DDI_SHADER_VISIBILITY_DOMAIN = 3,
        /// Value 4.
        D3D12DDI_SHADER_VISIBILITY_GEOMETRY = 4,
        /// Value 5.
        D3D12DDI_SHADER_VISIBILITY_PIXEL = 5,
        /// Value 6.
        D3D12DDI_SHADER_VISIBILITY_AMPLIFICATION = 6,
        /// Value 7.
        D3D12DDI_SHADER_VISIBILITY_MESH = 7,
    }
}

ddi_enum! {
    /// Kind of descriptors in a range.
    ///
    /// Source: ResourceBinding.md for the values, which prints the names without TYPE; the names
    /// from bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_DESCRIPTOR_RANGE_TYPE {
        /// Value 0.
        D3D12DDI_DESCRIPTOR_RANGE_TYPE_SRV = 0,
        /// Value 1.
        D3D12DDI_DESCRIPTOR_RANGE_TYPE_UAV = 1,
        /// Value 2.
        D3D12DDI_DESCRIPTOR_RANGE_TYPE_CBV = 2,
        /// Value 3.
        D3D12DDI_DESCRIPTOR_RANGE_TYPE_SAMPLER = 3,
    }
}

ddi_flags! {
    /// Volatility of a descriptor range.
    ///
    /// Source: ResourceBinding.md and the WDK reference pages.
    pub enum D3D12DDI_DESCRIPTOR_RANGE_FLAGS {
        /// Value 0.
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_NONE = 0,
        /// Value 1.
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DESCRIPTORS_VOLATILE = 1,
        /// Value 2.
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DATA_VOLATILE = 2,
        /// Value 4.
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DATA_STATIC_WHILE_SET_AT_EXECUTE = 4,
        /// Value 8.
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DATA_STATIC = 8,
        /// Value 0x10000.
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0052_DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS = 0x10000,
    }
}

ddi_flags! {
    /// Volatility of a root descriptor.
    ///
    /// Source: ResourceBinding.md.
    pub enum D3D12DDI_ROOT_DESCRIPTOR_FLAGS {
        /// Value 0.
        D3D12DDI_ROOT_DESCRIPTOR_FLAG_0013_NONE = 0,
        /// Value 2.
        D3D12DDI_ROOT_DESCRIPTOR_FLAG_0013_DATA_VOLATILE = 2,
        /// Value 4.
        D3D12DDI_ROOT_DESCRIPTOR_FLAG_0013_DATA_STATIC_WHILE_SET_AT_EXECUTE = 4,
        /// Value 8.
        D3D12DDI_ROOT_DESCRIPTOR_FLAG_0013_DATA_STATIC = 8,
    }
}

ddi_enum! {
    /// Sampler filter.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
    pub enum D3D12DDI_FILTER {
        /// Value 0.
        D3D12DDI_FILTER_MIN_MAG_MIP_POINT = 0,
        /// Value 1.
        D3D12DDI_FILTER_MIN_MAG_POINT_MIP_LINEAR = 1,
        /// Value 4.
        D3D12DDI_FILTER_MIN_POINT_MAG_LINEAR_MIP_POINT = 4,
        /// Value 5.
        D3D12DDI_FILTER_MIN_POINT_MAG_MIP_LINEAR = 5,
        /// Value 16.
        D3D12DDI_FILTER_MIN_LINEAR_MAG_MIP_POINT = 16,
        /// Value 17.
        D3D12DDI_FILTER_MIN_LINEAR_MAG_POINT_MIP_LINEAR = 17,
        /// Value 20.
        D3D12DDI_FILTER_MIN_MAG_LINEAR_MIP_POINT = 20,
        /// Value 21.
        D3D12DDI_FILTER_MIN_MAG_MIP_LINEAR = 21,
        /// Value 84.
        D3D12DDI_FILTER_MIN_MAG_ANISOTROPIC_MIP_POINT = 84,
        /// Value 85.
        D3D12DDI_FILTER_ANISOTROPIC = 85,
        /// Value 128.
        D3D12DDI_FILTER_COMPARISON_MIN_MAG_MIP_POINT = 128,
        /// Value 129.
        D3D12DDI_FILTER_COMPARISON_MIN_MAG_POINT_MIP_LINEAR = 129,
        /// Value 132.
        D3D12DDI_FILTER_COMPARISON_MIN_POINT_MAG_LINEAR_MIP_POINT = 132,
        /// Value 133.
        D3D12DDI_FILTER_COMPARISON_MIN_POINT_MAG_MIP_LINEAR = 133,
        /// Value 144.
        D3D12DDI_FILTER_COMPARISON_MIN_LINEAR_MAG_MIP_POINT = 144,
        /// Value 145.
        D3D12DDI_FILTER_COMPARISON_MIN_LINEAR_MAG_POINT_MIP_LINEAR = 145,
        /// Value 148.
        D3D12DDI_FILTER_COMPARISON_MIN_MAG_LINEAR_MIP_POINT = 148,
        /// Value 149.
        D3D12DDI_FILTER_COMPARISON_MIN_MAG_MIP_LINEAR = 149,
        /// Value 212.
        D3D12DDI_FILTER_COMPARISON_MIN_MAG_ANISOTROPIC_MIP_POINT = 212,
        /// Value 213.
        D3D12DDI_FILTER_COMPARISON_ANISOTROPIC = 213,
        /// Value 256.
        D3D12DDI_FILTER_MINIMUM_MIN_MAG_MIP_POINT = 256,
        /// Value 257.
        D3D12DDI_FILTER_MINIMUM_MIN_MAG_POINT_MIP_LINEAR = 257,
        /// Value 260.
        D3D12DDI_FILTER_MINIMUM_MIN_POINT_MAG_LINEAR_MIP_POINT = 260,
        /// Value 261.
        D3D12DDI_FILTER_MINIMUM_MIN_POINT_MAG_MIP_LINEAR = 261,
        /// Value 272.
        D3D12DDI_FILTER_MINIMUM_MIN_LINEAR_MAG_MIP_POINT = 272,
        /// Value 273.
        D3D12DDI_FILTER_MINIMUM_MIN_LINEAR_MAG_POINT_MIP_LINEAR = 273,
        /// Value 276.
        D3D12DDI_FILTER_MINIMUM_MIN_MAG_LINEAR_MIP_POINT = 276,
        /// Value 277.
        D3D12DDI_FILTER_MINIMUM_MIN_MAG_MIP_LINEAR = 277,
        /// Value 340.
        D3D12DDI_FILTER_MINIMUM_MIN_MAG_ANISOTROPIC_MIP_POINT = 340,
        /// Value 341.
        D3D12DDI_FILTER_MINIMUM_ANISOTROPIC = 341,
        /// Value 384.
        D3D12DDI_FILTER_MAXIMUM_MIN_MAG_MIP_POINT = 384,
        /// Value 385.
        D3D12DDI_FILTER_MAXIMUM_MIN_MAG_POINT_MIP_LINEAR = 385,
        /// Value 388.
        D3D12DDI_FILTER_MAXIMUM_MIN_POINT_MAG_LINEAR_MIP_POINT = 388,
        /// Value 389.
        D3D12DDI_FILTER_MAXIMUM_MIN_POINT_MAG_MIP_LINEAR = 389,
        /// Value 400.
        D3D12DDI_FILTER_MAXIMUM_MIN_LINEAR_MAG_MIP_POINT = 400,
        /// Value 401.
        D3D12DDI_FILTER_MAXIMUM_MIN_LINEAR_MAG_POINT_MIP_LINEAR = 401,
        /// Value 404.
        D3D12DDI_FILTER_MAXIMUM_MIN_MAG_LINEAR_MIP_POINT = 404,
        /// Value 405.
        D3D12DDI_FILTER_MAXIMUM_MIN_MAG_MIP_LINEAR = 405,
        /// Value 468.
        D3D12DDI_FILTER_MAXIMUM_MIN_MAG_ANISOTROPIC_MIP_POINT = 468,
        /// Value 469.
        D3D12DDI_FILTER_MAXIMUM_ANISOTROPIC = 469,
    }
}

ddi_enum! {
    /// Addressing outside a texture.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
    pub enum D3D12DDI_TEXTURE_ADDRESS_MODE {
        /// Value 1.
        D3D12DDI_TEXTURE_ADDRESS_MODE_WRAP = 1,
        /// Value 2.
        D3D12DDI_TEXTURE_ADDRESS_MODE_MIRROR = 2,
        /// Value 3.
        D3D12DDI_TEXTURE_ADDRESS_MODE_CLAMP = 3,
        /// Value 4.
        D3D12DDI_TEXTURE_ADDRESS_MODE_BORDER = 4,
        /// Value 5.
        D3D12DDI_TEXTURE_ADDRESS_MODE_MIRRORONCE = 5,
    }
}

ddi_enum! {
    /// Border colour of a static sampler.
    ///
    /// Source: ResourceBinding.md.
    pub enum D3D12DDI_STATIC_BORDER_COLOR {
        /// Value 0.
        D3D12DDI_STATIC_BORDER_COLOR_TRANSPARENT_BLACK = 0,
        /// Value 1.
        D3D12DDI_STATIC_BORDER_COLOR_OPAQUE_BLACK = 1,
        /// Value 2.
        D3D12DDI_STATIC_BORDER_COLOR_OPAQUE_WHITE = 2,
        /// Value 3.
        D3D12DDI_STATIC_BORDER_COLOR_OPAQUE_BLACK_UINT = 3,
        /// Value 4.
        D3D12DDI_STATIC_BORDER_COLOR_OPAQUE_WHITE_UINT = 4,
    }
}

ddi_flags! {
    /// Flags of a static sampler.
    ///
    /// Source: VulkanOn12.md.
    pub enum D3D12DDI_SAMPLER_FLAGS_0096 {
        /// Value 0.
        D3D12DDI_SAMPLER_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_SAMPLER_FLAG_UINT_BORDER_COLOR = 1,
        /// Value 2.
        D3D12DDI_SAMPLER_FLAG_NON_NORMALIZED_COORDINATES = 2,
    }
}
