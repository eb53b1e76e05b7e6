//! Checks the enumerations and numbers of blend, rasterizer and depth-stencil state. Skips state that is switched off, since
//! applications leave any values there.

use ddi_sys::{
    D3D12DDI_BLEND, D3D12DDI_BLEND_DESC_0010, D3D12DDI_BLEND_DEST_COLOR,
    D3D12DDI_BLEND_INV_DEST_COLOR, D3D12DDI_BLEND_INV_SRC_COLOR, D3D12DDI_BLEND_INV_SRC1_COLOR,
    D3D12DDI_BLEND_SRC_COLOR, D3D12DDI_BLEND_SRC1_COLOR, D3D12DDI_COLOR_WRITE_ENABLE_ALL,
    D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_RASTERIZER_DESC_0102,
    D3D12DDI_RENDER_TARGET_BLEND_DESC, Enumeration,
};

use super::GraphicsState;
use crate::message::{MessageId, Messages};

pub(super) fn check(state: &GraphicsState<'_>, messages: &mut Messages) {
    check_blend(state.blend, messages);
    check_rasterizer(state.rasterizer, messages);
    check_depth_stencil(state.depth_stencil, messages);
    if state.strip_cut.name().is_none() {
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_INVALID_INDEX_BUFFER_PROPERTIES;
        let text = format!("IBStripCutValue {} does not exist", state.strip_cut.0);
        messages.error(id, text);
    }
    let views = state.view_instancing;
    if views.ViewInstanceCount > 0 && views.Flags.name().is_none() {
        let text = format!("view instancing flags {:#x} do not exist", views.Flags.0);
        messages.error(MessageId::VIEW_INSTANCING_INVALIDARGS, text);
    }
}

/// Adds an error for each enumerator that does not exist.
fn check_names(place: &str, fields: &[(&str, &dyn NameOf, MessageId)], messages: &mut Messages) {
    for (field, value, id) in fields {
        if !value.exists() {
            let text = format!("{place}{field} {} does not exist", value.number());
            messages.error(*id, text);
        }
    }
}

/// An enumerator of any type.
trait NameOf {
    fn exists(&self) -> bool;
    fn number(&self) -> i32;
}

impl<T: Enumeration> NameOf for T {
    fn exists(&self) -> bool {
        self.name().is_some()
    }

    fn number(&self) -> i32 {
        self.value()
    }
}

fn check_blend(blend: &D3D12DDI_BLEND_DESC_0010, messages: &mut Messages) {
    let independent = blend.IndependentBlendEnable != 0;
    let count = if independent {
        blend.RenderTarget.len()
    } else {
        1
    };
    for (index, target) in blend.RenderTarget[..count].iter().enumerate() {
        check_target(index, target, independent, messages);
    }
}

fn check_target(
    index: usize,
    target: &D3D12DDI_RENDER_TARGET_BLEND_DESC,
    independent: bool,
    messages: &mut Messages,
) {
    use MessageId as Id;
    let place = format!("BlendState.RenderTarget[{index}].");
    if target.RenderTargetWriteMask & !D3D12DDI_COLOR_WRITE_ENABLE_ALL.0.to_le_bytes()[0] != 0 {
        let text = format!(
            "{place}RenderTargetWriteMask {:#x}",
            target.RenderTargetWriteMask
        );
        messages.error(Id::CREATEBLENDSTATE_INVALIDRENDERTARGETWRITEMASK, text);
    }
    let (blends, logic) = (target.BlendEnable != 0, target.LogicOpEnable != 0);
    if blends {
        check_names(
            &place,
            &[
                (
                    "SrcBlend",
                    &target.SrcBlend,
                    Id::CREATEBLENDSTATE_INVALIDSRCBLEND,
                ),
                (
                    "DestBlend",
                    &target.DestBlend,
                    Id::CREATEBLENDSTATE_INVALIDDESTBLEND,
                ),
                (
                    "BlendOp",
                    &target.BlendOp,
                    Id::CREATEBLENDSTATE_INVALIDBLENDOP,
                ),
                (
                    "SrcBlendAlpha",
                    &target.SrcBlendAlpha,
                    Id::CREATEBLENDSTATE_INVALIDSRCBLENDALPHA,
                ),
                (
                    "DestBlendAlpha",
                    &target.DestBlendAlpha,
                    Id::CREATEBLENDSTATE_INVALIDDESTBLENDALPHA,
                ),
                (
                    "BlendOpAlpha",
                    &target.BlendOpAlpha,
                    Id::CREATEBLENDSTATE_INVALIDBLENDOPALPHA,
                ),
            ],
            messages,
        );
        for (field, factor, id) in [
            (
                "SrcBlendAlpha",
                target.SrcBlendAlpha,
                Id::CREATEBLENDSTATE_INVALIDSRCBLENDALPHA,
            ),
            (
                "DestBlendAlpha",
                target.DestBlendAlpha,
                Id::CREATEBLENDSTATE_INVALIDDESTBLENDALPHA,
            ),
        ] {
            if COLORS.contains(&factor) {
                messages.error(
                    id,
                    format!("{place}{field} is {factor:?}: alpha has no colour"),
                );
            }
        }
    }
    if logic {
        let logic_op = (
            "LogicOp",
            &target.LogicOp as &dyn NameOf,
            Id::CREATEBLENDSTATE_INVALIDLOGICOPS,
        );
        check_names(&place, &[logic_op], messages);
    }
    if logic && (blends || independent) {
        let with = if blends {
            "BlendEnable"
        } else {
            "IndependentBlendEnable"
        };
        let text = format!("{place}LogicOpEnable and {with} exclude each other");
        messages.error(Id::CREATEBLENDSTATE_INVALIDLOGICOPS, text);
    }
}

const COLORS: [D3D12DDI_BLEND; 6] = [
    D3D12DDI_BLEND_SRC_COLOR,
    D3D12DDI_BLEND_INV_SRC_COLOR,
    D3D12DDI_BLEND_DEST_COLOR,
    D3D12DDI_BLEND_INV_DEST_COLOR,
    D3D12DDI_BLEND_SRC1_COLOR,
    D3D12DDI_BLEND_INV_SRC1_COLOR,
];

fn check_rasterizer(rasterizer: &D3D12DDI_RASTERIZER_DESC_0102, messages: &mut Messages) {
    use MessageId as Id;
    let place = "RasterizerState.";
    check_names(
        place,
        &[
            (
                "FillMode",
                &rasterizer.FillMode,
                Id::CREATERASTERIZERSTATE_INVALIDFILLMODE,
            ),
            (
                "CullMode",
                &rasterizer.CullMode,
                Id::CREATERASTERIZERSTATE_INVALIDCULLMODE,
            ),
            (
                "LineRasterizationMode",
                &rasterizer.LineRasterizationMode,
                Id::CREATERASTERIZERSTATE_INVALID_LINERASTERIZATIONMODE,
            ),
            (
                "ConservativeRaster",
                &rasterizer.ConservativeRasterizationMode,
                Id::CREATERASTERIZERSTATE_INVALID_CONSERVATIVERASTERMODE,
            ),
        ],
        messages,
    );
    for (field, value, id) in [
        ("DepthBias", rasterizer.DepthBias, Id::UNKNOWN),
        (
            "DepthBiasClamp",
            rasterizer.DepthBiasClamp,
            Id::CREATERASTERIZERSTATE_INVALIDDEPTHBIASCLAMP,
        ),
        (
            "SlopeScaledDepthBias",
            rasterizer.SlopeScaledDepthBias,
            Id::CREATERASTERIZERSTATE_INVALIDSLOPESCALEDDEPTHBIAS,
        ),
    ] {
        if value.is_nan() {
            messages.error(id, format!("{place}{field} is not a number"));
        }
    }
    let samples = rasterizer.ForcedSampleCount;
    if ![0, 1, 2, 4, 8, 16].contains(&samples) {
        let text = format!("{place}ForcedSampleCount {samples}: 0, 1, 2, 4, 8 and 16 are possible");
        messages.error(Id::CREATERASTERIZERSTATE_INVALIDFORCEDSAMPLECOUNT, text);
    }
}

fn check_depth_stencil(state: &D3D12DDI_DEPTH_STENCIL_DESC_0095, messages: &mut Messages) {
    use MessageId as Id;
    let place = "DepthStencilState.";
    if state.DepthEnable != 0 {
        check_names(
            place,
            &[
                (
                    "DepthWriteMask",
                    &state.DepthWriteMask,
                    Id::CREATEDEPTHSTENCILSTATE_INVALIDDEPTHWRITEMASK,
                ),
                (
                    "DepthFunc",
                    &state.DepthFunc,
                    Id::CREATEDEPTHSTENCILSTATE_INVALIDDEPTHFUNC,
                ),
            ],
            messages,
        );
    }
    if state.StencilEnable == 0 {
        return;
    }
    let (front, back) = (&state.FrontFace, &state.BackFace);
    check_names(
        place,
        &[
            (
                "FrontFace.StencilFailOp",
                &front.StencilFailOp,
                Id::CREATEDEPTHSTENCILSTATE_INVALIDFRONTFACESTENCILFAILOP,
            ),
            (
                "FrontFace.StencilDepthFailOp",
                &front.StencilDepthFailOp,
                Id::CREATEDEPTHSTENCILSTATE_INVALIDFRONTFACESTENCILZFAILOP,
            ),
            (
                "FrontFace.StencilPassOp",
                &front.StencilPassOp,
                Id::CREATEDEPTHSTENCILSTATE_INVALIDFRONTFACESTENCILPASSOP,
            ),
            (
                "FrontFace.StencilFunc",
                &front.StencilFunc,
                Id::CREATEDEPTHSTENCILSTATE_INVALIDFRONTFACESTENCILFUNC,
            ),
            (
                "BackFace.StencilFailOp",
                &back.StencilFailOp,
                Id::CREATEDEPTHSTENCILSTATE_INVALIDBACKFACESTENCILFAILOP,
            ),
            (
                "BackFace.StencilDepthFailOp",
                &back.StencilDepthFailOp,
                Id::CREATEDEPTHSTENCILSTATE_INVALIDBACKFACESTENCILZFAILOP,
            ),
            (
                "BackFace.StencilPassOp",
                &back.StencilPassOp,
                Id::CREATEDEPTHSTENCILSTATE_INVALIDBACKFACESTENCILPASSOP,
            ),
            (
                "BackFace.StencilFunc",
                &back.StencilFunc,
                Id::CREATEDEPTHSTENCILSTATE_INVALIDBACKFACESTENCILFUNC,
            ),
        ],
        messages,
    );
}
