//! What a resource is: the numbers that the metadata of a program and the parts around it share.

use crate::numbers::number;

number! {
    /// How a resource is bound (`DXIL::ResourceClass` of DirectXShaderCompiler).
    ResourceClass {
        /// Shader resource view, register `t`.
        SRV = 0,
        /// Unordered access view, register `u`.
        UAV = 1,
        /// Constant buffer view, register `b`.
        CBV = 2,
        /// Sampler, register `s`.
        SAMPLER = 3,
    }
}

number! {
    /// The shape of a resource (`DXIL::ResourceKind` of DirectXShaderCompiler).
    ResourceKind {
        /// `Texture1D`.
        TEXTURE_1D = 1,
        /// `Texture2D`.
        TEXTURE_2D = 2,
        /// `Texture2DMS`.
        TEXTURE_2DMS = 3,
        /// `Texture3D`.
        TEXTURE_3D = 4,
        /// `TextureCube`.
        TEXTURE_CUBE = 5,
        /// `Texture1DArray`.
        TEXTURE_1D_ARRAY = 6,
        /// `Texture2DArray`.
        TEXTURE_2D_ARRAY = 7,
        /// `Texture2DMSArray`.
        TEXTURE_2DMS_ARRAY = 8,
        /// `TextureCubeArray`.
        TEXTURE_CUBE_ARRAY = 9,
        /// `Buffer`.
        TYPED_BUFFER = 10,
        /// `ByteAddressBuffer`.
        RAW_BUFFER = 11,
        /// `StructuredBuffer`.
        STRUCTURED_BUFFER = 12,
        /// `ConstantBuffer`.
        CONSTANT_BUFFER = 13,
        /// `SamplerState`.
        SAMPLER = 14,
        /// `tbuffer`.
        TBUFFER = 15,
        /// `RaytracingAccelerationStructure`.
        ACCELERATION_STRUCTURE = 16,
        /// `FeedbackTexture2D`.
        FEEDBACK_TEXTURE_2D = 17,
        /// `FeedbackTexture2DArray`.
        FEEDBACK_TEXTURE_2D_ARRAY = 18,
    }
}
