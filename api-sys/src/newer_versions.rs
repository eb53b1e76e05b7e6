//! Older versions of a structure as newer ones, which say the same: as the helpers of the API have it.

use windows_core::BOOL;

use crate::{
    D3D12_DEPTH_STENCIL_DESC, D3D12_DEPTH_STENCIL_DESC1, D3D12_DEPTH_STENCIL_DESC2,
    D3D12_DEPTH_STENCILOP_DESC, D3D12_DEPTH_STENCILOP_DESC1, D3D12_LINE_RASTERIZATION_MODE_ALIASED,
    D3D12_LINE_RASTERIZATION_MODE_ALPHA_ANTIALIASED,
    D3D12_LINE_RASTERIZATION_MODE_QUADRILATERAL_WIDE, D3D12_RASTERIZER_DESC,
    D3D12_RASTERIZER_DESC1, D3D12_RASTERIZER_DESC2,
};

/// The depth bias becomes a float.
impl From<D3D12_RASTERIZER_DESC> for D3D12_RASTERIZER_DESC1 {
    fn from(desc: D3D12_RASTERIZER_DESC) -> Self {
        Self {
            FillMode: desc.FillMode,
            CullMode: desc.CullMode,
            FrontCounterClockwise: desc.FrontCounterClockwise,
            #[expect(clippy::cast_precision_loss, reason = "what the newer structure has")]
            DepthBias: desc.DepthBias as f32,
            DepthBiasClamp: desc.DepthBiasClamp,
            SlopeScaledDepthBias: desc.SlopeScaledDepthBias,
            DepthClipEnable: desc.DepthClipEnable,
            MultisampleEnable: desc.MultisampleEnable,
            AntialiasedLineEnable: desc.AntialiasedLineEnable,
            ForcedSampleCount: desc.ForcedSampleCount,
            ConservativeRaster: desc.ConservativeRaster,
        }
    }
}

/// The two switches for lines become one mode; `MultisampleEnable` is the stronger one.
impl From<D3D12_RASTERIZER_DESC1> for D3D12_RASTERIZER_DESC2 {
    fn from(desc: D3D12_RASTERIZER_DESC1) -> Self {
        Self {
            FillMode: desc.FillMode,
            CullMode: desc.CullMode,
            FrontCounterClockwise: desc.FrontCounterClockwise,
            DepthBias: desc.DepthBias,
            DepthBiasClamp: desc.DepthBiasClamp,
            SlopeScaledDepthBias: desc.SlopeScaledDepthBias,
            DepthClipEnable: desc.DepthClipEnable,
            LineRasterizationMode: if desc.MultisampleEnable.as_bool() {
                D3D12_LINE_RASTERIZATION_MODE_QUADRILATERAL_WIDE
            } else if desc.AntialiasedLineEnable.as_bool() {
                D3D12_LINE_RASTERIZATION_MODE_ALPHA_ANTIALIASED
            } else {
                D3D12_LINE_RASTERIZATION_MODE_ALIASED
            },
            ForcedSampleCount: desc.ForcedSampleCount,
            ConservativeRaster: desc.ConservativeRaster,
        }
    }
}

/// By way of [`D3D12_RASTERIZER_DESC1`].
impl From<D3D12_RASTERIZER_DESC> for D3D12_RASTERIZER_DESC2 {
    fn from(desc: D3D12_RASTERIZER_DESC) -> Self {
        D3D12_RASTERIZER_DESC1::from(desc).into()
    }
}

/// Without a depth bounds test.
impl From<D3D12_DEPTH_STENCIL_DESC> for D3D12_DEPTH_STENCIL_DESC1 {
    fn from(desc: D3D12_DEPTH_STENCIL_DESC) -> Self {
        Self {
            DepthEnable: desc.DepthEnable,
            DepthWriteMask: desc.DepthWriteMask,
            DepthFunc: desc.DepthFunc,
            StencilEnable: desc.StencilEnable,
            StencilReadMask: desc.StencilReadMask,
            StencilWriteMask: desc.StencilWriteMask,
            FrontFace: desc.FrontFace,
            BackFace: desc.BackFace,
            DepthBoundsTestEnable: BOOL(0),
        }
    }
}

/// The stencil masks become those of both faces.
impl From<D3D12_DEPTH_STENCIL_DESC1> for D3D12_DEPTH_STENCIL_DESC2 {
    fn from(desc: D3D12_DEPTH_STENCIL_DESC1) -> Self {
        let face = |face: D3D12_DEPTH_STENCILOP_DESC| D3D12_DEPTH_STENCILOP_DESC1 {
            StencilFailOp: face.StencilFailOp,
            StencilDepthFailOp: face.StencilDepthFailOp,
            StencilPassOp: face.StencilPassOp,
            StencilFunc: face.StencilFunc,
            StencilReadMask: desc.StencilReadMask,
            StencilWriteMask: desc.StencilWriteMask,
        };
        Self {
            DepthEnable: desc.DepthEnable,
            DepthWriteMask: desc.DepthWriteMask,
            DepthFunc: desc.DepthFunc,
            StencilEnable: desc.StencilEnable,
            FrontFace: face(desc.FrontFace),
            BackFace: face(desc.BackFace),
            DepthBoundsTestEnable: desc.DepthBoundsTestEnable,
        }
    }
}

/// By way of [`D3D12_DEPTH_STENCIL_DESC1`].
impl From<D3D12_DEPTH_STENCIL_DESC> for D3D12_DEPTH_STENCIL_DESC2 {
    fn from(desc: D3D12_DEPTH_STENCIL_DESC) -> Self {
        D3D12_DEPTH_STENCIL_DESC1::from(desc).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rasterizers() {
        let first = D3D12_RASTERIZER_DESC {
            FillMode: 3,
            CullMode: 2,
            FrontCounterClockwise: BOOL(1),
            DepthBias: -7,
            DepthBiasClamp: 0.5,
            SlopeScaledDepthBias: 1.5,
            DepthClipEnable: BOOL(1),
            ForcedSampleCount: 4,
            ConservativeRaster: 1,
            ..D3D12_RASTERIZER_DESC::default()
        };
        for (multisample, antialiased, mode) in [
            (0, 0, D3D12_LINE_RASTERIZATION_MODE_ALIASED),
            (0, 1, D3D12_LINE_RASTERIZATION_MODE_ALPHA_ANTIALIASED),
            (1, 0, D3D12_LINE_RASTERIZATION_MODE_QUADRILATERAL_WIDE),
            (1, 1, D3D12_LINE_RASTERIZATION_MODE_QUADRILATERAL_WIDE),
        ] {
            let desc = D3D12_RASTERIZER_DESC {
                MultisampleEnable: BOOL(multisample),
                AntialiasedLineEnable: BOOL(antialiased),
                ..first
            };
            let expected = D3D12_RASTERIZER_DESC2 {
                FillMode: 3,
                CullMode: 2,
                FrontCounterClockwise: BOOL(1),
                DepthBias: -7.0,
                DepthBiasClamp: 0.5,
                SlopeScaledDepthBias: 1.5,
                DepthClipEnable: BOOL(1),
                LineRasterizationMode: mode,
                ForcedSampleCount: 4,
                ConservativeRaster: 1,
            };
            assert_eq!(D3D12_RASTERIZER_DESC2::from(desc), expected);
            let second = D3D12_RASTERIZER_DESC1::from(desc);
            assert_eq!(D3D12_RASTERIZER_DESC2::from(second), expected);
        }
    }

    #[test]
    fn depth_and_stencil() {
        let face = |first| D3D12_DEPTH_STENCILOP_DESC {
            StencilFailOp: first,
            StencilDepthFailOp: first + 1,
            StencilPassOp: first + 2,
            StencilFunc: first + 3,
        };
        let newer_face = |first| D3D12_DEPTH_STENCILOP_DESC1 {
            StencilFailOp: first,
            StencilDepthFailOp: first + 1,
            StencilPassOp: first + 2,
            StencilFunc: first + 3,
            StencilReadMask: 0xF0,
            StencilWriteMask: 0x0F,
        };
        let second = D3D12_DEPTH_STENCIL_DESC1 {
            DepthEnable: BOOL(1),
            DepthWriteMask: 1,
            DepthFunc: 4,
            StencilEnable: BOOL(1),
            StencilReadMask: 0xF0,
            StencilWriteMask: 0x0F,
            FrontFace: face(1),
            BackFace: face(5),
            DepthBoundsTestEnable: BOOL(1),
        };
        let expected = D3D12_DEPTH_STENCIL_DESC2 {
            DepthEnable: BOOL(1),
            DepthWriteMask: 1,
            DepthFunc: 4,
            StencilEnable: BOOL(1),
            FrontFace: newer_face(1),
            BackFace: newer_face(5),
            DepthBoundsTestEnable: BOOL(1),
        };
        assert_eq!(D3D12_DEPTH_STENCIL_DESC2::from(second), expected);
        let first = D3D12_DEPTH_STENCIL_DESC {
            DepthEnable: BOOL(1),
            DepthWriteMask: 1,
            DepthFunc: 4,
            StencilEnable: BOOL(1),
            StencilReadMask: 0xF0,
            StencilWriteMask: 0x0F,
            FrontFace: face(1),
            BackFace: face(5),
        };
        let expected = D3D12_DEPTH_STENCIL_DESC2 {
            DepthBoundsTestEnable: BOOL(0),
            ..expected
        };
        assert_eq!(D3D12_DEPTH_STENCIL_DESC2::from(first), expected);
    }
}
