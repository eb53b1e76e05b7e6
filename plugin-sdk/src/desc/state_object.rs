//! State objects and their subobjects.

use std::ffi::c_void;

use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_DEPTH_STENCIL_FORMAT_0084,
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_EXISTING_COLLECTION_DESC_0054,
    D3D12DDI_EXPORT_DESC_0054, D3D12DDI_EXPORT_FLAGS, D3D12DDI_EXPORT_SUMMARY_FLAGS,
    D3D12DDI_FUNCTION_SUMMARY_0054, D3D12DDI_GENERIC_PROGRAM_DESC_0108,
    D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054, D3D12DDI_HIT_GROUP_DESC_0054, D3D12DDI_HIT_GROUP_TYPE,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12DDI_LOCAL_ROOT_SIGNATURE_0054,
    D3D12DDI_NODE_MASK_0054, D3D12DDI_PIPELINE_STATE_FLAGS, D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE, D3D12DDI_RASTERIZER_DESC_0102,
    D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075, D3D12DDI_RAYTRACING_SHADER_CONFIG_0054,
    D3D12DDI_RT_FORMAT_ARRAY, D3D12DDI_SAMPLE_MASK_0084, D3D12DDI_STATE_OBJECT_CONFIG_0054,
    D3D12DDI_STATE_OBJECT_FLAGS, D3D12DDI_STATE_OBJECT_TYPE, D3D12DDI_STATE_SUBOBJECT_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE, D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT, D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION, D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP, D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
    D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING, D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
    D3D12DDI_STREAM_OUTPUT_DESC_0108, D3D12DDI_VIEW_INSTANCE_LOCATION,
    D3D12DDI_VIEW_INSTANCING_DESC, D3D12DDI_VIEW_INSTANCING_FLAGS, D3D12DDI_WORK_GRAPH_DESC_0108,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, DXGI_FORMAT, DXGI_SAMPLE_DESC, UINT,
};
use widestring::U16Str;

use super::fields::{AsField, Describe, Field, Fields, each, fields, optional};
use super::reading::{self, DescError};
use super::{InputLayout, RootSignature, ShaderCode, StreamOutput, WorkGraph};

/// A state object to compile, or an addition to one: D3D12DDIARG_CREATE_STATE_OBJECT_0054. `S` is the
/// vendor's state object, which existing collections give access to.
#[derive(Clone, Debug)]
pub struct StateObjectDesc<'a, S> {
    kind: D3D12DDI_STATE_OBJECT_TYPE,
    subobjects: Vec<Subobject<'a, S>>,
}

/// One subobject.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Subobject<'a, S> {
    /// Flags of the state object.
    Config(D3D12DDI_STATE_OBJECT_FLAGS),
    /// The root signature of all shaders; absent when the host gave none.
    GlobalRootSignature(Option<RootSignature<'a>>),
    /// A root signature for the shaders that it is associated with.
    LocalRootSignature(Option<RootSignature<'a>>),
    /// Which nodes of the adapter it is for.
    NodeMask(u32),
    /// A library of shaders.
    DxilLibrary(DxilLibrary<'a>),
    /// Another state object whose exports come along.
    ExistingCollection {
        /// The vendor's object for it.
        state: &'a S,
        /// What it exports; empty means everything.
        exports: Vec<Export<'a>>,
    },
    /// Sizes of raytracing payload and attributes.
    RaytracingShaderConfig(&'a D3D12DDI_RAYTRACING_SHADER_CONFIG_0054),
    /// Depth and flags of the raytracing pipeline.
    RaytracingPipelineConfig(&'a D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075),
    /// A hit group.
    HitGroup(HitGroup<'a>),
    /// A work graph.
    WorkGraph(WorkGraph<'a>),
    /// Stream output of generic programs.
    StreamOutput(StreamOutput<'a>),
    /// Blend state of generic programs.
    Blend(&'a D3D12DDI_BLEND_DESC_0010),
    /// Sample mask of generic programs.
    SampleMask(u32),
    /// Rasterizer state of generic programs.
    Rasterizer(&'a D3D12DDI_RASTERIZER_DESC_0102),
    /// Depth-stencil state of generic programs.
    DepthStencil(&'a D3D12DDI_DEPTH_STENCIL_DESC_0095),
    /// Input layout of generic programs.
    InputLayout(InputLayout<'a>),
    /// Strip cut value of generic programs.
    IndexBufferStripCutValue(D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE),
    /// Primitive topology of generic programs.
    PrimitiveTopology(D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE),
    /// Render target formats of generic programs.
    RenderTargetFormats(&'a D3D12DDI_RT_FORMAT_ARRAY),
    /// Depth-stencil format of generic programs.
    DepthStencilFormat(DXGI_FORMAT),
    /// Samples per pixel of generic programs.
    SampleDesc(DXGI_SAMPLE_DESC),
    /// Pipeline flags of generic programs.
    Flags(D3D12DDI_PIPELINE_STATE_FLAGS),
    /// View instancing of generic programs.
    ViewInstancing {
        /// The instances.
        locations: &'a [D3D12DDI_VIEW_INSTANCE_LOCATION],
        /// Flags.
        flags: D3D12DDI_VIEW_INSTANCING_FLAGS,
    },
    /// A generic program.
    GenericProgram(GenericProgram<'a>),
    /// The runtime's summary: every export and what is associated with it.
    ExportSummary {
        /// The exports.
        associations: Vec<Association<'a>>,
        /// What any of them lacks.
        flags: D3D12DDI_EXPORT_SUMMARY_FLAGS,
    },
    /// A type that this SDK does not know; a compiler refuses it.
    Unknown(D3D12DDI_STATE_SUBOBJECT_TYPE),
}

// SAFETY: what it points at is unchanged for `'a` (`StateObjectDesc::read`), on whatever thread it is read; of the vendor's state
// object it has a reference.
unsafe impl<S: Sync> Send for Subobject<'_, S> {}
// SAFETY: as above; shared access only reads.
unsafe impl<S: Sync> Sync for Subobject<'_, S> {}

/// D3D12DDI_DXIL_LIBRARY_DESC_0054.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DxilLibrary<'a> {
    /// The library's code.
    pub code: ShaderCode<'a>,
    /// What it exports; empty means everything.
    pub exports: Vec<Export<'a>>,
}

/// D3D12DDI_EXPORT_DESC_0054.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Export<'a> {
    /// The name that it has outside.
    pub name: &'a U16Str,
    /// The name that it has inside, when another.
    pub export_to_rename: Option<&'a U16Str>,
    /// Flags.
    pub flags: D3D12DDI_EXPORT_FLAGS,
}

/// D3D12DDI_HIT_GROUP_DESC_0054.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[allow(missing_docs)] // Members of the C structure by their own names.
pub struct HitGroup<'a> {
    pub export: &'a U16Str,
    pub kind: D3D12DDI_HIT_GROUP_TYPE,
    pub any_hit: Option<&'a U16Str>,
    pub closest_hit: Option<&'a U16Str>,
    pub intersection: Option<&'a U16Str>,
    pub summary_flags: D3D12DDI_EXPORT_SUMMARY_FLAGS,
}

/// D3D12DDI_GENERIC_PROGRAM_DESC_0108.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GenericProgram<'a> {
    /// Its name.
    pub name: Option<&'a U16Str>,
    /// The exports that it is made of.
    pub exports: Vec<&'a U16Str>,
    /// Its subobjects, as indices into [`StateObjectDesc::subobjects`]; `None` is one that stands
    /// elsewhere, such as in an existing collection.
    pub subobjects: Vec<Option<usize>>,
}

/// D3D12DDI_FUNCTION_SUMMARY_NODE_0054: one export and what is associated with it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Association<'a> {
    /// The export's name as written.
    pub name_unmangled: Option<&'a U16Str>,
    /// The export's name as the compiler mangled it.
    pub name_mangled: Option<&'a U16Str>,
    /// Its subobjects, as indices into [`StateObjectDesc::subobjects`]; `None` is one that stands
    /// elsewhere, such as in an existing collection.
    pub subobjects: Vec<Option<usize>>,
    /// What it lacks.
    pub flags: D3D12DDI_EXPORT_SUMMARY_FLAGS,
}

impl<S> Subobject<'_, S> {
    /// Whether it is state that a generic program lists.
    pub(super) fn is_of_generic_programs(&self) -> bool {
        matches!(
            self,
            Self::StreamOutput(_)
                | Self::Blend(_)
                | Self::SampleMask(_)
                | Self::Rasterizer(_)
                | Self::DepthStencil(_)
                | Self::InputLayout(_)
                | Self::IndexBufferStripCutValue(_)
                | Self::PrimitiveTopology(_)
                | Self::RenderTargetFormats(_)
                | Self::DepthStencilFormat(_)
                | Self::SampleDesc(_)
                | Self::Flags(_)
                | Self::ViewInstancing { .. }
        )
    }
}

/// How existing collections become the vendor's objects.
pub(crate) trait Collections<S> {
    /// The vendor's object at a collection's `pDrvPrivate`.
    ///
    /// # Safety
    ///
    /// The pointer is null or a state object of the host's that lives for `'a`.
    unsafe fn get<'a>(&self, collection: *mut c_void) -> Option<&'a S>;
}

impl<'a, S> StateObjectDesc<'a, S> {
    /// # Safety
    ///
    /// `desc` is null or a description that is valid and unchanged for `'a` with all that it points
    /// at, handles and collections included.
    pub(crate) unsafe fn read(
        desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        collections: &dyn Collections<S>,
    ) -> Result<Self, DescError> {
        // SAFETY: `desc` is null or, with subobjects, handles and collections, valid and unchanged for `'a` (`# Safety`).
        unsafe {
            let desc: &D3D12DDIARG_CREATE_STATE_OBJECT_0054 =
                reading::required("pCreateStateObject", desc)?;
            let raw = reading::array("pSubobjects", desc.pSubobjects, desc.NumSubobjects)?;
            let subobjects = raw
                .iter()
                .map(|s| subobject(s, raw, collections))
                .collect::<Result<_, _>>()?;
            Ok(Self {
                kind: desc.Type,
                subobjects,
            })
        }
    }

    /// Collection, raytracing pipeline or executable.
    pub fn kind(&self) -> D3D12DDI_STATE_OBJECT_TYPE {
        self.kind
    }

    /// The subobjects, in the host's order.
    pub fn subobjects(&self) -> &[Subobject<'a, S>] {
        &self.subobjects
    }

    /// The libraries.
    pub fn libraries(&self) -> impl Iterator<Item = &DxilLibrary<'a>> {
        self.subobjects.iter().filter_map(|s| match s {
            Subobject::DxilLibrary(library) => Some(library),
            _ => None,
        })
    }

    /// The vendor's objects of the existing collections.
    pub fn collections(&self) -> impl Iterator<Item = &'a S> {
        self.subobjects.iter().filter_map(|s| match s {
            Subobject::ExistingCollection { state, .. } => Some(*state),
            _ => None,
        })
    }
}

/// # Safety
///
/// What the subobject points at is valid and unchanged for `'a`, as its type says.
unsafe fn subobject<'a, S>(
    raw: &D3D12DDI_STATE_SUBOBJECT_0054,
    all: &[D3D12DDI_STATE_SUBOBJECT_0054],
    collections: &dyn Collections<S>,
) -> Result<Subobject<'a, S>, DescError> {
    // SAFETY: `Type` says which structure `pDesc` points at; it is valid for `'a` with all that it points at (`# Safety`).
    unsafe {
        Ok(match raw.Type {
            D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => {
                Subobject::Config(desc::<D3D12DDI_STATE_OBJECT_CONFIG_0054>(raw)?.Flags)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE => {
                let d: &D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054 = desc(raw)?;
                Subobject::GlobalRootSignature(RootSignature::from_handle(d.hGlobalRootSignature)?)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE => {
                let d: &D3D12DDI_LOCAL_ROOT_SIGNATURE_0054 = desc(raw)?;
                Subobject::LocalRootSignature(RootSignature::from_handle(d.hLocalRootSignature)?)
            }
            // The serialized forms hold the create-arguments by value.
            D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE => {
                let d: &D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 = desc(raw)?;
                Subobject::GlobalRootSignature(Some(RootSignature::new(d)?))
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE => {
                let d: &D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 = desc(raw)?;
                Subobject::LocalRootSignature(Some(RootSignature::new(d)?))
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK => {
                Subobject::NodeMask(desc::<D3D12DDI_NODE_MASK_0054>(raw)?.NodeMask)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => {
                let d: &D3D12DDI_DXIL_LIBRARY_DESC_0054 = desc(raw)?;
                Subobject::DxilLibrary(DxilLibrary {
                    code: ShaderCode::new("pDXILLibrary", d.pDXILLibrary)?,
                    exports: exports(d.pExports, d.NumExports)?,
                })
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION => {
                let d: &D3D12DDI_EXISTING_COLLECTION_DESC_0054 = desc(raw)?;
                Subobject::ExistingCollection {
                    state: collections
                        .get(d.hExistingCollection.pDrvPrivate)
                        .ok_or(DescError::ForeignCollection)?,
                    exports: exports(d.pExports, d.NumExports)?,
                }
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG => {
                Subobject::RaytracingShaderConfig(desc(raw)?)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG => {
                Subobject::RaytracingPipelineConfig(desc(raw)?)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP => Subobject::HitGroup(hit_group(desc(raw)?)?),
            D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH => {
                Subobject::WorkGraph(WorkGraph::new(desc::<D3D12DDI_WORK_GRAPH_DESC_0108>(raw)?)?)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT => {
                let d: &D3D12DDI_STREAM_OUTPUT_DESC_0108 = desc(raw)?;
                let entries = (d.pSODeclaration, d.NumEntries);
                let strides = (d.pBufferStrides, d.NumStrides);
                Subobject::StreamOutput(StreamOutput::new(entries, strides, d.RasterizedStream)?)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND => Subobject::Blend(desc(raw)?),
            D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK => {
                Subobject::SampleMask(desc::<D3D12DDI_SAMPLE_MASK_0084>(raw)?.SampleMask)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER => Subobject::Rasterizer(desc(raw)?),
            D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL => Subobject::DepthStencil(desc(raw)?),
            D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT => {
                let d: &D3D12DDIARG_CREATEELEMENTLAYOUT_0010 = desc(raw)?;
                Subobject::InputLayout(InputLayout::new(d)?)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE => {
                Subobject::IndexBufferStripCutValue(*desc(raw)?)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY => {
                let d: &D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084 = desc(raw)?;
                Subobject::PrimitiveTopology(d.PrimitiveTopology)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS => {
                Subobject::RenderTargetFormats(desc(raw)?)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT => {
                let d: &D3D12DDI_DEPTH_STENCIL_FORMAT_0084 = desc(raw)?;
                Subobject::DepthStencilFormat(d.DepthStencilFormat)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC => Subobject::SampleDesc(*desc(raw)?),
            D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS => Subobject::Flags(*desc(raw)?),
            D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING => {
                let d: &D3D12DDI_VIEW_INSTANCING_DESC = desc(raw)?;
                let (locations, count) = (d.pViewInstanceLocations, d.ViewInstanceCount);
                Subobject::ViewInstancing {
                    locations: reading::array("pViewInstanceLocations", locations, count)?,
                    flags: d.Flags,
                }
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => {
                Subobject::GenericProgram(generic_program(desc(raw)?, all)?)
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY => {
                let d: &D3D12DDI_FUNCTION_SUMMARY_0054 = desc(raw)?;
                Subobject::ExportSummary {
                    associations: associations(d, all)?,
                    flags: d.OverallFlags,
                }
            }
            unknown => Subobject::Unknown(unknown),
        })
    }
}

/// # Safety
///
/// `pDesc` is null or points at a `T`, valid and unchanged for `'a`.
unsafe fn desc<'a, T>(raw: &D3D12DDI_STATE_SUBOBJECT_0054) -> Result<&'a T, DescError> {
    // SAFETY: `pDesc` is null or points at a `T` that is valid and unchanged for `'a` (`# Safety`).
    unsafe { reading::required("pDesc", raw.pDesc.cast()) }
}

/// # Safety
///
/// The exports and their names are valid and unchanged for `'a`.
unsafe fn exports<'a>(
    exports: *mut D3D12DDI_EXPORT_DESC_0054,
    count: UINT,
) -> Result<Vec<Export<'a>>, DescError> {
    // SAFETY: `exports` has `count` elements, which are valid and unchanged for `'a` with both of their names (`# Safety`).
    unsafe {
        reading::array("pExports", exports.cast_const(), count)?
            .iter()
            .map(|e| {
                Ok(Export {
                    name: reading::text("Name", e.Name)?,
                    export_to_rename: reading::optional_text("ExportToRename", e.ExportToRename)?,
                    flags: e.Flags,
                })
            })
            .collect()
    }
}

/// # Safety
///
/// The names are valid and unchanged for `'a`.
unsafe fn hit_group<'a>(d: &D3D12DDI_HIT_GROUP_DESC_0054) -> Result<HitGroup<'a>, DescError> {
    // SAFETY: the export and the three imports are null or NUL-terminated, valid and unchanged for `'a` (`# Safety`).
    unsafe {
        Ok(HitGroup {
            export: reading::text("HitGroupExport", d.HitGroupExport)?,
            kind: d.Type,
            any_hit: reading::optional_text("AnyHitShaderImport", d.AnyHitShaderImport)?,
            closest_hit: reading::optional_text(
                "ClosestHitShaderImport",
                d.ClosestHitShaderImport,
            )?,
            intersection: reading::optional_text(
                "IntersectionShaderImport",
                d.IntersectionShaderImport,
            )?,
            summary_flags: d.SummaryFlags,
        })
    }
}

/// # Safety
///
/// The names and arrays are valid and unchanged for `'a`.
unsafe fn generic_program<'a>(
    d: &D3D12DDI_GENERIC_PROGRAM_DESC_0108,
    all: &[D3D12DDI_STATE_SUBOBJECT_0054],
) -> Result<GenericProgram<'a>, DescError> {
    // SAFETY: `ProgramName`, `pExports` with its names, and `pSubobjects` are valid and unchanged for `'a` (`# Safety`).
    unsafe {
        Ok(GenericProgram {
            name: reading::optional_text("ProgramName", d.ProgramName)?,
            exports: reading::array("pExports", d.pExports.cast_const(), d.NumExports)?
                .iter()
                .map(|&name| reading::text("pExports", name))
                .collect::<Result<_, _>>()?,
            subobjects: indices(d.pSubobjects, d.NumSubobjects, all)?,
        })
    }
}

/// # Safety
///
/// The names and arrays are valid and unchanged for `'a`.
unsafe fn associations<'a>(
    d: &D3D12DDI_FUNCTION_SUMMARY_0054,
    all: &[D3D12DDI_STATE_SUBOBJECT_0054],
) -> Result<Vec<Association<'a>>, DescError> {
    // SAFETY: `pSummaries`, and the names and the array in each, are valid and unchanged for `'a` (`# Safety`).
    unsafe {
        reading::array("pSummaries", d.pSummaries, d.NumExportedFunctions)?
            .iter()
            .map(|n| {
                let unmangled = n.ExportNameUnmangled;
                Ok(Association {
                    name_unmangled: reading::optional_text("ExportNameUnmangled", unmangled)?,
                    name_mangled: reading::optional_text("ExportNameMangled", n.ExportNameMangled)?,
                    subobjects: indices(n.ppAssociatedSubobjects, n.NumAssociatedSubobjects, all)?,
                    flags: n.Flags,
                })
            })
            .collect()
    }
}

/// Where the pointed-at subobjects stand in the state object's own array.
///
/// # Safety
///
/// The array of pointers is valid.
unsafe fn indices(
    pointers: *const *const D3D12DDI_STATE_SUBOBJECT_0054,
    count: UINT,
    all: &[D3D12DDI_STATE_SUBOBJECT_0054],
) -> Result<Vec<Option<usize>>, DescError> {
    // SAFETY: `pointers` has `count` elements (`# Safety`), which are compared, never followed.
    let pointers = unsafe { reading::array("ppAssociatedSubobjects", pointers, count) }?;
    let place = |&pointer| all.iter().position(|own| std::ptr::eq(own, pointer));
    Ok(pointers.iter().map(place).collect())
}

/// In the host's order; for keys use [`StateObjectDesc::canonical`]. An existing collection enters by its exports only: what
/// is in it, the vendor's object knows.
impl<S> Describe for StateObjectDesc<'_, S> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("Type", self.kind.as_field());
        each(to, "pSubobjects", &self.subobjects);
    }
}

impl<S> Describe for Subobject<'_, S> {
    fn describe(&self, to: &mut dyn Fields) {
        match self {
            Self::Config(flags) => to.field("Config", flags.as_field()),
            Self::GlobalRootSignature(r) => {
                optional(
                    to,
                    "GlobalRootSignature",
                    r.as_ref().map(|r| r as &dyn Describe),
                );
            }
            Self::LocalRootSignature(r) => {
                optional(
                    to,
                    "LocalRootSignature",
                    r.as_ref().map(|r| r as &dyn Describe),
                );
            }
            // Which node it is for changes nothing of what is compiled.
            Self::NodeMask(_) => to.field("NodeMask", Field::Absent),
            Self::DxilLibrary(library) => to.group("DxilLibrary", None, library),
            Self::ExistingCollection { exports, .. } => each(to, "ExistingCollection", exports),
            Self::RaytracingShaderConfig(c) => {
                fields!(to, c, MaxPayloadSizeInBytes, MaxAttributeSizeInBytes);
            }
            Self::RaytracingPipelineConfig(c) => fields!(to, c, MaxTraceRecursionDepth, Flags),
            Self::HitGroup(group) => to.group("HitGroup", None, group),
            Self::WorkGraph(graph) => to.group("WorkGraph", None, graph),
            Self::StreamOutput(s) => to.group("StreamOutput", None, s),
            Self::Blend(b) => to.group("Blend", None, *b),
            Self::SampleMask(mask) => to.field("SampleMask", mask.as_field()),
            Self::Rasterizer(r) => to.group("Rasterizer", None, *r),
            Self::DepthStencil(d) => to.group("DepthStencil", None, *d),
            Self::InputLayout(l) => to.group("InputLayout", None, l),
            Self::IndexBufferStripCutValue(v) => to.field("IBStripCutValue", v.as_field()),
            Self::PrimitiveTopology(t) => to.field("PrimitiveTopology", t.as_field()),
            Self::RenderTargetFormats(f) => {
                fields!(to, f, NumRenderTargets);
                for format in f.RTFormats.iter().take(f.NumRenderTargets as usize) {
                    to.field("RTFormats", format.as_field());
                }
            }
            Self::DepthStencilFormat(f) => to.field("DepthStencilFormat", f.as_field()),
            Self::SampleDesc(s) => to.group("SampleDesc", None, s),
            Self::Flags(f) => to.field("Flags", f.as_field()),
            Self::ViewInstancing { locations, flags } => {
                each(to, "pViewInstanceLocations", locations);
                to.field("ViewInstancing.Flags", flags.as_field());
            }
            Self::GenericProgram(p) => to.group("GenericProgram", None, p),
            Self::ExportSummary {
                associations,
                flags,
            } => {
                each(to, "pSummaries", associations);
                to.field("OverallFlags", flags.as_field());
            }
            Self::Unknown(kind) => to.field("Type", kind.as_field()),
        }
    }
}

impl Describe for DxilLibrary<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("pDXILLibrary", Field::Bytecode(self.code));
        each(to, "pExports", &self.exports);
    }
}

impl Describe for Export<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("Name", self.name.as_field());
        to.field("ExportToRename", self.export_to_rename.as_field());
        to.field("Flags", self.flags.as_field());
    }
}

impl Describe for HitGroup<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("HitGroupExport", self.export.as_field());
        to.field("Type", self.kind.as_field());
        to.field("AnyHitShaderImport", self.any_hit.as_field());
        to.field("ClosestHitShaderImport", self.closest_hit.as_field());
        to.field("IntersectionShaderImport", self.intersection.as_field());
        to.field("SummaryFlags", self.summary_flags.as_field());
    }
}

impl Describe for GenericProgram<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("ProgramName", self.name.as_field());
        for export in &self.exports {
            to.field("pExports", export.as_field());
        }
        for &index in &self.subobjects {
            to.field("pSubobjects", place(index));
        }
    }
}

impl Describe for Association<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("ExportNameUnmangled", self.name_unmangled.as_field());
        to.field("ExportNameMangled", self.name_mangled.as_field());
        for &index in &self.subobjects {
            to.field("ppAssociatedSubobjects", place(index));
        }
        to.field("Flags", self.flags.as_field());
    }
}

fn place(index: Option<usize>) -> Field<'static> {
    index.map_or(Field::Absent, |index| Field::Unsigned(index as u64))
}
