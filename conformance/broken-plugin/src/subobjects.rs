//! Defects that show only where something in the description of a state object is off its default, or two things are.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use base_plugin::defects;
use ddi_sys::{
    D3D12DDI_EXPORT_DESC_0054, D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_POINT, D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075,
    D3D12DDI_RAYTRACING_SHADER_CONFIG_0054, D3D12DDI_STATE_OBJECT_CONFIG_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE, D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
    D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
    D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
};

use crate::defect::{Defect, Session, selected};
use crate::need::{Need, met_if};
use crate::session::OfField;
use crate::state_object::{Desc, content, has, library, subobjects};

/// The defects of this file.
#[macro_export]
macro_rules! subobject_defects {
    ($take:ident) => {
        $take! {
            /// In the compile of a state object with a field off its default.
            Subobjects {
                PayloadKeysTwice = "subobjects-payload-keys-twice" breaks P_PSO_01:
                    "with another payload size the value keys are set twice",
                    where Field;
                NodeMaskKeyOfNoValue = "subobjects-node-mask-key-of-no-value" breaks P_PSO_02:
                    "with a node mask a value key has no value",
                    where Field;
                ExportsUnrequested = "subobjects-exports-unrequested" breaks P_PSO_03:
                    "of a library with two exports value types are stored that were not requested",
                    where Field;
                AttributesEmptyValue = "subobjects-attributes-empty-value" breaks P_PSO_04:
                    "with another attribute size a value has no bytes",
                    where Field;
                RecursionCodeFromTime = "subobjects-recursion-code-from-time" breaks P_PSO_07:
                    "with a recursion depth of 31 object code has the time in it",
                    where Field;
                FlagsKeyFromOpen = "subobjects-flags-key-from-open" breaks P_PSO_07:
                    "with flags of a raytracing pipeline keys depend on how often the plugin was opened",
                    where Field;
                ForgetsPayload = "subobjects-forgets-payload" breaks P_PSO_08:
                    "the key does not have the payload size, which changes the object code",
                    where Field;
                ForgetsAttributes = "subobjects-forgets-attributes" breaks P_PSO_08:
                    "the key does not have the attribute size, which changes the object code",
                    where Field;
                ForgetsRecursion = "subobjects-forgets-recursion" breaks P_PSO_08:
                    "the key does not have the recursion depth, which changes the object code",
                    where Field;
                ForgetsFlags = "subobjects-forgets-flags" breaks P_PSO_08:
                    "the key does not have the flags of a raytracing pipeline, which change the object code",
                    where Field;
                ForgetsNodeMask = "subobjects-forgets-node-mask" breaks P_PSO_08:
                    "the key does not have the node mask, which changes the object code",
                    where Field;
                PointsKeyIsLong = "subobjects-points-key-is-long" breaks P_PSO_10:
                    "of a generic program of points the keys are longer than the programs",
                    where Field;
                SampleMaskCodeFromName = "subobjects-sample-mask-code-from-name" breaks P_PSO_11:
                    "of a generic program with a sample mask keys and object code depend on the application's name",
                    where Field;
                DepthFormatUnnamed = "subobjects-depth-format-unnamed" breaks P_PSO_22:
                    "of a generic program with a depth format values are stored that the value keys do not name",
                    where Field;
                TwoExportsWritten = "subobjects-two-exports-written" breaks P_SO_08:
                    "two exports of a library are written to",
                    where Field;
                NodeMaskForgetsPayload = "subobjects-node-mask-forgets-payload" breaks P_PSO_08:
                    "with a node mask the key does not have the payload size, which changes the object code",
                    where Field;
                DepthAndAttributesCodeFromName = "subobjects-depth-and-attributes-code-from-name" breaks P_PSO_11:
                    "with another recursion depth and attribute size keys and object code depend on the application's name",
                    where Field;
                SamplesOfPointsUnnamed = "subobjects-samples-of-points-unnamed" breaks P_PSO_22:
                    "of a generic program of points with samples values are stored that the value keys do not name",
                    where Field;
                FlaggedExportsWritten = "subobjects-flagged-exports-written" breaks P_SO_08:
                    "two exports of a library are written to in a raytracing pipeline with flags",
                    where Field;
                NodeMaskRefused = "subobjects-node-mask-refused" notes P_SO_07 "refused":
                    "state objects with a node mask are refused",
                    where Field;
            }
        }
    };
}

subobject_defects!(defects);

/// What the defect does to a state object that has the field off its default.
pub(crate) enum Deviation {
    /// It has this defect, which others have in any object.
    Session(Session),
    /// The keys are made of this.
    KeysOf(u64),
    /// This is written to.
    Writes(*mut D3D12DDI_EXPORT_DESC_0054),
    Refuses,
}

impl Deviation {
    pub(crate) fn in_callbacks(&self) -> Option<OfField> {
        match self {
            Self::Session(defect) => Some(OfField::Defect(*defect)),
            Self::KeysOf(number) => Some(OfField::KeysOf(*number)),
            Self::Writes(_) | Self::Refuses => None,
        }
    }
}

const SIZES: D3D12DDI_STATE_SUBOBJECT_TYPE = D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG;
const RAYS: D3D12DDI_STATE_SUBOBJECT_TYPE =
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG;

/// What makes a raytracing pipeline or collection another one, but for a field.
///
/// # Safety
/// The description is valid.
unsafe fn without(desc: Desc, forgotten: Subobjects) -> u64 {
    let mut hasher = DefaultHasher::new();
    // SAFETY: the description is valid, as this function demands.
    let all = unsafe {
        (*desc).Type.0.hash(&mut hasher);
        subobjects(desc)
    };
    for subobject in all {
        let kind = subobject.Type;
        let is_forgotten = kind == D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK
            && forgotten == Subobjects::ForgetsNodeMask;
        if !is_forgotten {
            kind.0.hash(&mut hasher);
        }
    }
    let forgets_payload = match forgotten {
        Subobjects::ForgetsPayload => true,
        Subobjects::NodeMaskForgetsPayload => has(desc, D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK),
        _ => false,
    };
    // SAFETY: the descriptions of these types, and as many exports as the library says, with names that end.
    unsafe {
        if let Some(sizes) = content::<D3D12DDI_RAYTRACING_SHADER_CONFIG_0054>(desc, SIZES) {
            if !forgets_payload {
                sizes.MaxPayloadSizeInBytes.hash(&mut hasher);
            }
            if forgotten != Subobjects::ForgetsAttributes {
                sizes.MaxAttributeSizeInBytes.hash(&mut hasher);
            }
        }
        if let Some(rays) = content::<D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075>(desc, RAYS) {
            if forgotten != Subobjects::ForgetsRecursion {
                rays.MaxTraceRecursionDepth.hash(&mut hasher);
            }
            if forgotten != Subobjects::ForgetsFlags {
                rays.Flags.0.hash(&mut hasher);
            }
        }
        if let Some(config) = content::<D3D12DDI_STATE_OBJECT_CONFIG_0054>(
            desc,
            D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
        ) {
            config.Flags.0.hash(&mut hasher);
        }
        if let Some(library) = library(desc) {
            for at in 0..library.NumExports as usize {
                let mut name = (*library.pExports.add(at)).Name.cast::<u16>();
                while name.read() != 0 {
                    name.read().hash(&mut hasher);
                    name = name.add(1);
                }
            }
        }
    }
    hasher.finish()
}

/// What the defect does to this state object; `None` where the field is at its default.
///
/// # Safety
/// The description is null or valid.
pub(crate) unsafe fn deviation(desc: Desc) -> Option<Deviation> {
    let Some(Defect::Subobjects(defect)) = selected() else {
        return None;
    };
    // SAFETY: null or valid, as this function demands; the contents of these types.
    let (sizes, rays, topology, library) = unsafe {
        (
            content::<D3D12DDI_RAYTRACING_SHADER_CONFIG_0054>(desc, SIZES),
            content::<D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075>(desc, RAYS),
            content::<D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084>(
                desc,
                D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
            ),
            library(desc),
        )
    };
    let payload = sizes.filter(|sizes| sizes.MaxPayloadSizeInBytes != 32);
    let attributes = sizes.filter(|sizes| sizes.MaxAttributeSizeInBytes != 16);
    let depth = rays.filter(|rays| rays.MaxTraceRecursionDepth != 2);
    let flags = rays.filter(|rays| rays.Flags.0 != 0);
    let is_of_points = topology
        .is_some_and(|desc| desc.PrimitiveTopology == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_POINT);
    let two_exports = library.filter(|library| library.NumExports == 2);
    let has = |kind| has(desc, kind);
    let session = |is_about_it: bool, defect| is_about_it.then_some(Deviation::Session(defect));
    let deviation = match defect {
        Subobjects::PayloadKeysTwice => session(payload.is_some(), Session::KeysTwice),
        Subobjects::NodeMaskKeyOfNoValue => session(
            has(D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK),
            Session::KeyOfNoValue,
        ),
        Subobjects::ExportsUnrequested => session(two_exports.is_some(), Session::Unrequested),
        Subobjects::AttributesEmptyValue => session(attributes.is_some(), Session::EmptyValue),
        Subobjects::RecursionCodeFromTime => {
            let is_deep = depth.is_some_and(|rays| rays.MaxTraceRecursionDepth == 31);
            session(is_deep, Session::CodeFromTime)
        }
        Subobjects::FlagsKeyFromOpen => session(flags.is_some(), Session::KeyFromOpen),
        Subobjects::PointsKeyIsLong => session(is_of_points, Session::KeyIsLong),
        Subobjects::SampleMaskCodeFromName => {
            let is_about_it = has(D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK);
            session(is_about_it, Session::CodeFromName)
        }
        Subobjects::DepthFormatUnnamed => {
            let is_about_it = has(D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT);
            session(is_about_it, Session::UnnamedOfGeometry)
        }
        Subobjects::DepthAndAttributesCodeFromName => {
            let is_about_it = depth.is_some() && attributes.is_some();
            session(is_about_it, Session::CodeFromName)
        }
        Subobjects::SamplesOfPointsUnnamed => {
            let is_about_it = is_of_points && has(D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC);
            session(is_about_it, Session::UnnamedOfGeometry)
        }
        Subobjects::ForgetsPayload
        | Subobjects::ForgetsAttributes
        | Subobjects::ForgetsRecursion
        | Subobjects::ForgetsFlags
        | Subobjects::ForgetsNodeMask
        | Subobjects::NodeMaskForgetsPayload => {
            // SAFETY: it has a subobject, so it is there.
            sizes.map(|_| Deviation::KeysOf(unsafe { without(desc, defect) }))
        }
        Subobjects::TwoExportsWritten => {
            two_exports.map(|library| Deviation::Writes(library.pExports))
        }
        Subobjects::FlaggedExportsWritten => {
            let exports = two_exports.filter(|_| flags.is_some());
            exports.map(|library| Deviation::Writes(library.pExports))
        }
        Subobjects::NodeMaskRefused => {
            has(D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK).then_some(Deviation::Refuses)
        }
    };
    met_if(deviation.is_some(), Need::Field);
    deviation
}
