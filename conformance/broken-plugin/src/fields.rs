//! Defects that show only where a field of a pipeline description is off its default, as those of vendors do.

use base_plugin::defects;
use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE_ON,
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDI_DEPTH_STENCIL_DESC_0095,
    D3D12DDI_FILL_MODE_WIREFRAME, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_POINT,
    D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_VIEW_INSTANCING_TIER_NOT_SUPPORTED,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, D3D12DDIARG_GETCAPS, D3D12DDIARG_INPUT_ELEMENT_DESC,
    D3D12DDICAPS_TYPE_D3D12_OPTIONS, DXGI_FORMAT_D16_UNORM, DXGI_FORMAT_R10G10B10A2_UNORM, HRESULT,
};

use crate::defect::{Defect, Session, selected};
use crate::need::{Need, met_if};
use crate::session::OfField;

/// The defects of this file.
#[macro_export]
macro_rules! fields_defects {
    ($take:ident) => {
        $take! {
            /// In pipelines that have a field off its default.
            Fields {
                ViewsKeysTwice = "fields-view-instancing-keys-twice" breaks P_PSO_01:
                    "with view instances the value keys are set twice",
                    where Field;
                EightTargetsNoValue = "fields-eight-targets-no-value" breaks P_PSO_02:
                    "with eight render targets the value keys name one more that has no value",
                    where Field;
                CoverageUnrequested = "fields-coverage-unrequested" breaks P_PSO_03:
                    "with alpha to coverage performance data is stored whether it is requested or not",
                    where Field;
                StencilLeavesOut = "fields-stencil-leaves-out" breaks P_PSO_03:
                    "with stencil debug information is left out",
                    where Field;
                SamplesEmptyValue = "fields-samples-empty-value" breaks P_PSO_04:
                    "with four samples a value of size 0 is stored",
                    where Field;
                StripCutSameType = "fields-strip-cut-same-type" breaks P_PSO_04:
                    "with a strip cut value of 0xFFFF a store has two values of one type",
                    where Field;
                WireframeNullKey = "fields-wireframe-null-key" breaks P_PSO_04:
                    "in wireframe a store has a null key",
                    where Field;
                BlendPrevious = "fields-blend-previous" breaks P_PSO_05:
                    "with blending a callback has the session of the compile before",
                    where Field;
                BoundsKeysOfStored = "fields-depth-bounds-keys-of-stored" breaks P_PSO_06:
                    "with a depth bounds test the value keys name only what this compile stored",
                    where Field;
                InstancesAddress = "fields-instances-key-from-address" breaks P_PSO_07:
                    "with data per instance keys depend on the address of the shader code",
                    where Field;
                QualityTime = "fields-quality-code-from-time" breaks P_PSO_07:
                    "with a quality level object code has the time in it",
                    where Field;
                LogicOpPadding = "fields-logic-op-key-from-padding" breaks P_PSO_07:
                    "with a logic operation keys depend on the padding of the pipeline description",
                    where Field;
                PointsOpen = "fields-points-key-from-open" breaks P_PSO_07:
                    "of points keys depend on how many opens there were before",
                    where Field;
                ForgetsSampleMask = "fields-forgets-sample-mask" breaks P_PSO_08:
                    "the key does not have the sample mask, which changes the object code",
                    where Field;
                ForgetsStripCut = "fields-forgets-strip-cut" breaks P_PSO_08:
                    "the key does not have the strip cut value, which changes the object code",
                    where Field;
                ForgetsViews = "fields-forgets-views" breaks P_PSO_08:
                    "the key does not have the view instances, which change the object code",
                    where Field;
                ForgetsWriteMask = "fields-forgets-write-mask" breaks P_PSO_08:
                    "the key does not have the write mask of a render target, which changes the object code",
                    where Field;
                ForgetsDepthBias = "fields-forgets-depth-bias" breaks P_PSO_08:
                    "the key does not have the depth bias, which changes the object code",
                    where Field;
                ForgetsBackMask = "fields-forgets-back-face-mask" breaks P_PSO_08:
                    "the key does not have the stencil read mask of back faces, which changes the object code",
                    where Field;
                ForgetsStepRate = "fields-forgets-step-rate" breaks P_PSO_08:
                    "the key does not have the step rate of instance data, which changes the object code",
                    where Field;
                ForgetsFlags = "fields-forgets-flags" breaks P_PSO_08:
                    "the key does not have the pipeline's flags, which change the object code",
                    where Field;
                SamplesKeyWithTargets = "fields-samples-key-with-targets" breaks P_PSO_09:
                    "with two samples every key depends on the format of the first render target, object code does not",
                    where Field;
                SlopeKeyIsLong = "fields-slope-key-is-long" breaks P_PSO_10:
                    "with a depth bias by slope keys are followed by 64 KiB of zeros",
                    where Field;
                ClampCodeFromName = "fields-clamp-code-from-name" breaks P_PSO_11:
                    "with a clamp of the depth bias keys and object code depend on the application's name",
                    where NoProfile,
                    where Field;
                SlotFindsNoKey = "fields-slot-finds-no-key" breaks P_PSO_12:
                    "with input slot 15 a find has a null key",
                    where Find,
                    where Field;
                FrontsRaceLost = "fields-fronts-race-lost" breaks P_PSO_13:
                    "where counterclockwise faces are front faces DXGI_ERROR_ALREADY_EXISTS of a value that was not found is passed on",
                    where Field;
                StencilFailureIgnored = "fields-stencil-failure-ignored" breaks P_PSO_14:
                    "with stencil a store that fails is taken for one that succeeded",
                    where Field;
                StencilLaterSkipped = "fields-stencil-later-skipped" breaks P_PSO_15:
                    "with stencil no other types are added where a key has values",
                    where FoundInPart,
                    where Field;
                StencilNoTypesUnnamed = "fields-stencil-no-types-unnamed" breaks P_PSO_16:
                    "with stencil and no value types a compile succeeds without value keys",
                    where Field;
                ConservativeFaults = "fields-conservative-faults" breaks P_PSO_18:
                    "with conservative rasterization a null pointer is read",
                    where Field;
                DepthFormatWritesDesc = "fields-depth-format-writes-desc" breaks P_PSO_20:
                    "with the depth format D16_UNORM the description is written to",
                    where Field;
                SamplerUnnamed = "fields-sampler-unnamed" breaks P_PSO_22:
                    "with a static sampler values are stored that the value keys do not name",
                    where Field;
                FormatRefused = "fields-format-refused" notes P_PSO_18 "refused":
                    "pipelines with a render target of R10G10B10A2_UNORM are refused",
                    where Field;
                ViewsNotOffered = "fields-views-not-offered" notes P_PSO_09 "a database keeps":
                    "the caps offer no view instancing, and with view instances a null pointer is read",
                    where Field;
            }
        }
    };
}

fields_defects!(defects);

/// A copy of a pipeline description, which may be changed.
pub(crate) struct Copied {
    arg: Box<D3D12DDIARG_CREATE_PIPELINE_STATE_0099>,
    blend: Option<Box<D3D12DDI_BLEND_DESC_0010>>,
    rasterizer: Option<Box<D3D12DDI_RASTERIZER_DESC_0102>>,
    depth_stencil: Option<Box<D3D12DDI_DEPTH_STENCIL_DESC_0095>>,
    layout: Option<Box<D3D12DDIARG_CREATEELEMENTLAYOUT_0010>>,
    elements: Vec<D3D12DDIARG_INPUT_ELEMENT_DESC>,
    samplers: u32,
}

impl Copied {
    /// # Safety
    /// What the description points at is valid.
    unsafe fn new(desc: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> Self {
        // SAFETY: each handle is null or points at create-arguments, as this function demands, which say how long
        // their arrays are.
        unsafe {
            let blend: *const D3D12DDI_BLEND_DESC_0010 = desc.hBlendState.pDrvPrivate.cast();
            let rasterizer: *const D3D12DDI_RASTERIZER_DESC_0102 =
                desc.hRasterizerState.pDrvPrivate.cast();
            let depth_stencil: *const D3D12DDI_DEPTH_STENCIL_DESC_0095 =
                desc.hDepthStencilState.pDrvPrivate.cast();
            let layout: *const D3D12DDIARG_CREATEELEMENTLAYOUT_0010 =
                desc.hElementLayout.pDrvPrivate.cast();
            let root: *const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 =
                desc.hRootSignature.pDrvPrivate.cast();
            let layout = layout.as_ref();
            let elements = layout.map(|layout| match layout.NumElements {
                0 => Vec::new(),
                count => {
                    std::slice::from_raw_parts(layout.pVertexElements, count as usize).to_vec()
                }
            });
            let root = root.as_ref();
            let root = root.and_then(|root| root.Anonymous.pRootSignature_1_2.as_ref());
            Self {
                arg: Box::new(*desc),
                blend: blend.as_ref().map(|desc| Box::new(*desc)),
                rasterizer: rasterizer.as_ref().map(|desc| Box::new(*desc)),
                depth_stencil: depth_stencil.as_ref().map(|desc| Box::new(*desc)),
                layout: layout.map(|desc| Box::new(*desc)),
                elements: elements.unwrap_or_default(),
                samplers: root.map_or(0, |root| root.NumStaticSamplers),
            }
        }
    }

    /// The description, with handles of the copies.
    pub(crate) fn arg(&mut self) -> *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        if let Some(blend) = &mut self.blend {
            self.arg.hBlendState.pDrvPrivate = (&raw mut **blend).cast();
        }
        if let Some(rasterizer) = &mut self.rasterizer {
            self.arg.hRasterizerState.pDrvPrivate = (&raw mut **rasterizer).cast();
        }
        if let Some(depth_stencil) = &mut self.depth_stencil {
            self.arg.hDepthStencilState.pDrvPrivate = (&raw mut **depth_stencil).cast();
        }
        if let Some(layout) = &mut self.layout {
            if !self.elements.is_empty() {
                layout.pVertexElements = self.elements.as_ptr();
            }
            self.arg.hElementLayout.pDrvPrivate = (&raw mut **layout).cast();
        }
        &raw const *self.arg
    }
}

/// What the defect of a field does to a pipeline that has the field off its default.
pub(crate) enum Deviation {
    /// It has this defect, which others have in any pipeline.
    Session(Session),
    /// The base gets this, where the field is at its default.
    Forgets(Copied),
    Faults,
    Writes,
    Refuses,
}

impl Deviation {
    pub(crate) fn in_callbacks(&self) -> Option<OfField> {
        match self {
            Self::Session(defect) => Some(OfField::Defect(*defect)),
            Self::Forgets(_) => Some(OfField::Forgets),
            Self::Faults | Self::Writes | Self::Refuses => None,
        }
    }
}

fn defect() -> Option<Fields> {
    match selected() {
        Some(Defect::Fields(defect)) => Some(defect),
        _ => None,
    }
}

/// Sets a field to its default, and says whether it was another.
fn forget<T: PartialEq>(field: &mut T, default: T) -> bool {
    let was = *field != default;
    *field = default;
    was
}

/// What the defect of a field does to this pipeline; `None` where the field is at its default.
///
/// # Safety
/// The description is null or valid.
pub(crate) unsafe fn deviation(
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> Option<Deviation> {
    let defect = defect()?;
    // SAFETY: the description is null or valid, as this function demands.
    let mut copied = unsafe { Copied::new(desc.as_ref()?) };
    let Copied {
        arg,
        blend,
        rasterizer,
        depth_stencil,
        elements,
        samplers,
        ..
    } = &mut copied;
    let blend = blend.as_deref_mut();
    let rasterizer = rasterizer.as_deref_mut();
    let depth_stencil = depth_stencil.as_deref_mut();
    let blends = |is: fn(&D3D12DDI_BLEND_DESC_0010) -> bool| blend.as_deref().is_some_and(is);
    let rasterizes =
        |is: fn(&D3D12DDI_RASTERIZER_DESC_0102) -> bool| rasterizer.as_deref().is_some_and(is);
    let tests = |is: fn(&D3D12DDI_DEPTH_STENCIL_DESC_0095) -> bool| {
        depth_stencil.as_deref().is_some_and(is)
    };
    let has_stencil = tests(|desc| desc.StencilEnable != 0);
    let has_views = arg.ViewInstancingDesc.ViewInstanceCount > 0;
    let has = Deviation::Session;
    // Whether it is about this pipeline, and what it does; nothing where it forgets the field.
    let (is_about_it, does) = match defect {
        Fields::ViewsKeysTwice => (has_views, Some(has(Session::KeysTwice))),
        Fields::EightTargetsNoValue => {
            (arg.NumRenderTargets == 8, Some(has(Session::KeyOfNoValue)))
        }
        Fields::CoverageUnrequested => (
            blends(|desc| desc.AlphaToCoverageEnable != 0),
            Some(has(Session::Unrequested)),
        ),
        Fields::StencilLeavesOut => (has_stencil, Some(has(Session::LeavesOut))),
        Fields::StencilFailureIgnored => (has_stencil, Some(has(Session::StoreFailureIgnored))),
        Fields::StencilLaterSkipped => (has_stencil, Some(has(Session::LaterSkipped))),
        Fields::StencilNoTypesUnnamed => (has_stencil, Some(has(Session::NoTypesUnnamed))),
        Fields::SamplesEmptyValue => (arg.SampleDesc.Count == 4, Some(has(Session::EmptyValue))),
        Fields::SamplesKeyWithTargets => (
            arg.SampleDesc.Count == 2,
            Some(has(Session::KeyWithTargets)),
        ),
        Fields::QualityTime => (arg.SampleDesc.Quality > 0, Some(has(Session::CodeFromTime))),
        Fields::BlendPrevious => (
            blends(|desc| desc.RenderTarget[0].BlendEnable != 0),
            Some(has(Session::Previous)),
        ),
        Fields::LogicOpPadding => (
            blends(|desc| desc.RenderTarget[0].LogicOpEnable != 0),
            Some(has(Session::KeyFromPadding)),
        ),
        Fields::SlopeKeyIsLong => (
            rasterizes(|desc| desc.SlopeScaledDepthBias != 0.0),
            Some(has(Session::KeyIsLong)),
        ),
        Fields::ClampCodeFromName => (
            rasterizes(|desc| desc.DepthBiasClamp != 0.0),
            Some(has(Session::CodeFromName)),
        ),
        Fields::FrontsRaceLost => (
            rasterizes(|desc| desc.FrontCounterClockwise != 0),
            Some(has(Session::RaceLost)),
        ),
        Fields::WireframeNullKey => (
            rasterizes(|desc| desc.FillMode == D3D12DDI_FILL_MODE_WIREFRAME),
            Some(has(Session::NullKey)),
        ),
        Fields::BoundsKeysOfStored => (
            tests(|desc| desc.DepthBoundsTestEnable != 0),
            Some(has(Session::KeysOfStored)),
        ),
        Fields::StripCutSameType => (arg.IBStripCutValue.0 == 1, Some(has(Session::SameType))),
        Fields::InstancesAddress => (
            elements.iter().any(|desc| desc.InstanceDataStepRate > 0),
            Some(has(Session::KeyFromAddress)),
        ),
        Fields::SlotFindsNoKey => (
            elements.iter().any(|desc| desc.InputSlot == 15),
            Some(has(Session::FindsNoKey)),
        ),
        Fields::PointsOpen => (
            arg.PrimitiveTopologyType == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_POINT,
            Some(has(Session::KeyFromOpen)),
        ),
        Fields::SamplerUnnamed => (*samplers > 0, Some(has(Session::UnnamedOfGeometry))),
        Fields::ViewsNotOffered => (has_views, Some(Deviation::Faults)),
        Fields::ConservativeFaults => (
            rasterizes(|desc| {
                desc.ConservativeRasterizationMode == D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE_ON
            }),
            Some(Deviation::Faults),
        ),
        Fields::DepthFormatWritesDesc => (
            arg.DSVFormat == DXGI_FORMAT_D16_UNORM,
            Some(Deviation::Writes),
        ),
        Fields::FormatRefused => (
            arg.RTVFormats[0] == DXGI_FORMAT_R10G10B10A2_UNORM,
            Some(Deviation::Refuses),
        ),
        Fields::ForgetsSampleMask => (
            rasterizer.is_some() && forget(&mut arg.SampleMask, u32::MAX),
            None,
        ),
        Fields::ForgetsStripCut => (forget(&mut arg.IBStripCutValue.0, 0), None),
        Fields::ForgetsViews => (
            forget(&mut arg.ViewInstancingDesc.ViewInstanceCount, 0),
            None,
        ),
        Fields::ForgetsWriteMask => {
            let target = blend.map(|desc| &mut desc.RenderTarget[0]);
            let mask = target.map(|target| forget(&mut target.RenderTargetWriteMask, 0xF));
            (mask == Some(true), None)
        }
        Fields::ForgetsDepthBias => (
            rasterizer.is_some_and(|desc| forget(&mut desc.DepthBias, 0.0)),
            None,
        ),
        Fields::ForgetsBackMask => (
            depth_stencil.is_some_and(|desc| forget(&mut desc.BackFaceStencilReadMask, 0xFF)),
            None,
        ),
        Fields::ForgetsStepRate => {
            let mut forgets = false;
            for desc in elements
                .iter_mut()
                .filter(|desc| desc.InstanceDataStepRate > 1)
            {
                forgets |= forget(&mut desc.InstanceDataStepRate, 1);
            }
            (forgets, None)
        }
        Fields::ForgetsFlags => (forget(&mut arg.Flags.0, 0), None),
    };
    met_if(is_about_it, Need::Field);
    is_about_it.then(|| does.unwrap_or(Deviation::Forgets(copied)))
}

/// Changes the base's answer to a cap, which is in `caps`.
///
/// # Safety
/// `caps` is null or valid.
pub(crate) unsafe fn after_caps(caps: *const D3D12DDIARG_GETCAPS, result: HRESULT) {
    if defect() != Some(Fields::ViewsNotOffered) || !result.is_ok() {
        return;
    }
    // SAFETY: null or valid, as this function demands; the base has filled the structure of that cap.
    unsafe {
        if let Some(caps) = caps.as_ref()
            && caps.Type == D3D12DDICAPS_TYPE_D3D12_OPTIONS
        {
            let options = caps.pData.cast::<D3D12DDI_D3D12_OPTIONS_DATA_0089>();
            (*options).ViewInstancingTier = D3D12DDI_VIEW_INSTANCING_TIER_NOT_SUPPORTED;
        }
    }
}
