//! Reads a `D3D12_STATE_OBJECT_DESC`: from the caller's pointers to plain data, with every check that
//! needs nothing but the description.

use std::ffi::c_void;
use std::fmt;

use api_sys::caller::{array, required, wide_string};
use api_sys::{
    D3D12_BLEND_DESC, D3D12_BROADCASTING_LAUNCH_OVERRIDES, D3D12_COALESCING_LAUNCH_OVERRIDES,
    D3D12_COMMON_COMPUTE_NODE_OVERRIDES, D3D12_COMPILER_EXISTING_COLLECTION_DESC,
    D3D12_DEPTH_STENCIL_DESC, D3D12_DEPTH_STENCIL_DESC1, D3D12_DEPTH_STENCIL_DESC2,
    D3D12_DXIL_LIBRARY_DESC, D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION, D3D12_EXPORT_DESC,
    D3D12_EXPORT_FLAG_NONE, D3D12_GENERIC_PROGRAM_DESC, D3D12_HIT_GROUP_DESC,
    D3D12_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE, D3D12_HIT_GROUP_TYPE_TRIANGLES,
    D3D12_INPUT_LAYOUT_DESC, D3D12_NODE, D3D12_NODE_ID, D3D12_NODE_MASK,
    D3D12_NODE_OUTPUT_OVERRIDES, D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH,
    D3D12_NODE_OVERRIDES_TYPE_COALESCING_LAUNCH, D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE,
    D3D12_NODE_OVERRIDES_TYPE_NONE, D3D12_NODE_OVERRIDES_TYPE_THREAD_LAUNCH,
    D3D12_NODE_TYPE_SHADER, D3D12_RASTERIZER_DESC2, D3D12_RAYTRACING_PIPELINE_CONFIG,
    D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_SHADER_CONFIG, D3D12_RT_FORMAT_ARRAY,
    D3D12_SERIALIZED_ROOT_SIGNATURE_DESC, D3D12_STATE_OBJECT_CONFIG, D3D12_STATE_OBJECT_DESC,
    D3D12_STATE_SUBOBJECT, D3D12_STREAM_OUTPUT_DESC, D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
    D3D12_THREAD_LAUNCH_OVERRIDES, D3D12_VIEW_INSTANCING_DESC, D3D12_WORK_GRAPH_DESC,
    D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES, DXGI_SAMPLE_DESC,
};
use ddi_sys::{
    D3D12DDI_STATE_OBJECT_TYPE, D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
    D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE, D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
};
use windows_core::{BOOL, PCWSTR};

use super::function::{Launch, NodeId};
use super::library::ExportDesc;
use super::work_graph::{GraphDesc, NodeDesc, OutputOverrides, Overrides, Sharing};
use crate::desc::{Invalid, blob};

/// More elements than any array of a state object has.
const MOST_ELEMENTS: usize = 1 << 20;

/// `D3D12_STATE_OBJECT_FLAGS` that are known; later ones are of previews.
const STATE_OBJECT_FLAGS: u32 = 0b111;
/// `D3D12_RAYTRACING_PIPELINE_FLAGS`.
const PIPELINE_FLAGS: u32 = 0x700;
/// `D3D12_RAYTRACING_MAX_ATTRIBUTE_SIZE_IN_BYTES`.
const MAX_ATTRIBUTE_SIZE: u32 = 32;
/// `D3D12_RAYTRACING_MAX_DECLARABLE_TRACE_RECURSION_DEPTH`.
const MAX_TRACE_RECURSION_DEPTH: u32 = 31;

/// A state object description. Borrows from the caller.
pub(super) struct Description<'a> {
    pub(super) kind: D3D12DDI_STATE_OBJECT_TYPE,
    pub(super) subobjects: Vec<Content<'a>>,
}

/// What a subobject says.
pub(super) enum Content<'a> {
    Config(u32),
    GlobalRootSignature(&'a [u8]),
    LocalRootSignature(&'a [u8]),
    NodeMask(u32),
    Library {
        bytes: &'a [u8],
        exports: Vec<ExportDesc>,
    },
    Collection {
        object: *mut c_void,
        exports: Vec<ExportDesc>,
    },
    Association {
        /// Place of the subobject.
        subobject: usize,
        exports: Vec<String>,
    },
    DxilAssociation {
        subobject: String,
        exports: Vec<String>,
    },
    ShaderConfig(ShaderConfig),
    PipelineConfig(PipelineConfig),
    HitGroup(HitGroup),
    WorkGraph(GraphDesc),
    GenericProgram(GenericProgram),
    State(State<'a>),
}

/// `D3D12_RAYTRACING_SHADER_CONFIG`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShaderConfig {
    pub(super) max_payload_size: u32,
    pub(super) max_attribute_size: u32,
}

/// `D3D12_RAYTRACING_PIPELINE_CONFIG1`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PipelineConfig {
    pub(super) max_trace_recursion_depth: u32,
    pub(super) flags: u32,
}

/// `D3D12_HIT_GROUP_DESC`.
#[derive(Clone, Debug)]
pub(super) struct HitGroup {
    pub(super) export: String,
    pub(super) is_procedural: bool,
    /// Any hit, closest hit and intersection.
    pub(super) imports: [Option<String>; 3],
}

/// `D3D12_GENERIC_PROGRAM_DESC`.
#[derive(Clone, Debug)]
pub(super) struct GenericProgram {
    pub(super) name: Option<String>,
    pub(super) exports: Vec<String>,
    /// Places of its subobjects.
    pub(super) subobjects: Vec<usize>,
}

/// State that generic programs list.
#[derive(Clone, Copy)]
pub(super) enum State<'a> {
    StreamOutput(&'a D3D12_STREAM_OUTPUT_DESC),
    Blend(&'a D3D12_BLEND_DESC),
    SampleMask(u32),
    Rasterizer(&'a D3D12_RASTERIZER_DESC2),
    DepthStencil(&'a D3D12_DEPTH_STENCIL_DESC),
    InputLayout(&'a D3D12_INPUT_LAYOUT_DESC),
    IndexBufferStripCutValue(i32),
    PrimitiveTopology(i32),
    RenderTargetFormats(&'a D3D12_RT_FORMAT_ARRAY),
    DepthStencilFormat(i32),
    SampleDesc(DXGI_SAMPLE_DESC),
    Flags(u32),
    DepthStencil1(&'a D3D12_DEPTH_STENCIL_DESC1),
    ViewInstancing(&'a D3D12_VIEW_INSTANCING_DESC),
    DepthStencil2(&'a D3D12_DEPTH_STENCIL_DESC2),
}

/// The types of subobjects, of previews too, by their names without `D3D12_STATE_SUBOBJECT_TYPE_`.
macro_rules! types {
    ($($name:ident = $constant:ident,)*) => {
        $(const $name: i32 = api_sys::$constant;)*

        const TYPE_NAMES: &[(i32, &str)] = &[$(($name, stringify!($name)),)*];
    };
}

types! {
    STATE_OBJECT_CONFIG = D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
    GLOBAL_ROOT_SIGNATURE = D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
    LOCAL_ROOT_SIGNATURE = D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
    NODE_MASK = D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK,
    DXIL_LIBRARY = D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
    EXISTING_COLLECTION = D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
    SUBOBJECT_TO_EXPORTS_ASSOCIATION = D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
    DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION = D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
    RAYTRACING_SHADER_CONFIG = D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    RAYTRACING_PIPELINE_CONFIG = D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    HIT_GROUP = D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP,
    RAYTRACING_PIPELINE_CONFIG1 = D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
    WORK_GRAPH = D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
    STREAM_OUTPUT = D3D12_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
    BLEND = D3D12_STATE_SUBOBJECT_TYPE_BLEND,
    SAMPLE_MASK = D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
    RASTERIZER = D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER,
    DEPTH_STENCIL = D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
    INPUT_LAYOUT = D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
    IB_STRIP_CUT_VALUE = D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
    PRIMITIVE_TOPOLOGY = D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    RENDER_TARGET_FORMATS = D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    DEPTH_STENCIL_FORMAT = D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
    SAMPLE_DESC = D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
    FLAGS = D3D12_STATE_SUBOBJECT_TYPE_FLAGS,
    DEPTH_STENCIL1 = D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1,
    VIEW_INSTANCING = D3D12_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING,
    GENERIC_PROGRAM = D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
    DEPTH_STENCIL2 = D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2,
    GLOBAL_SERIALIZED_ROOT_SIGNATURE = D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    LOCAL_SERIALIZED_ROOT_SIGNATURE = D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    COMPILER_EXISTING_COLLECTION = D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
    API_EXTENSION = D3D12_STATE_SUBOBJECT_TYPE_API_EXTENSION,
    EXISTING_COLLECTION_BY_KEY = D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
    PARTIAL_GRAPHICS_PROGRAM = D3D12_STATE_SUBOBJECT_TYPE_PARTIAL_GRAPHICS_PROGRAM,
    OUTPUT_LINKAGE_SIGNATURE = D3D12_STATE_SUBOBJECT_TYPE_OUTPUT_LINKAGE_SIGNATURE,
    PRERASTERIZATION_OUTPUT_LINKAGE_SIGNATURE = D3D12_STATE_SUBOBJECT_TYPE_PRERASTERIZATION_OUTPUT_LINKAGE_SIGNATURE,
    PRERASTERIZATION_SHADERS_PARTIAL_PROGRAM_FIELDS = D3D12_STATE_SUBOBJECT_TYPE_PRERASTERIZATION_SHADERS_PARTIAL_PROGRAM_FIELDS,
    PIXEL_SHADER_PARTIAL_PROGRAM_FIELDS = D3D12_STATE_SUBOBJECT_TYPE_PIXEL_SHADER_PARTIAL_PROGRAM_FIELDS,
    MLIR_PROGRAM = D3D12_STATE_SUBOBJECT_TYPE_MLIR_PROGRAM,
}

/// A subobject's place and type, as messages name it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) index: usize,
    pub(super) kind: i32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pSubobjects[{}] (", self.index)?;
        match TYPE_NAMES.iter().find(|(number, _)| *number == self.kind) {
            Some((_, name)) => write!(f, "{name})"),
            None => write!(f, "type {})", self.kind),
        }
    }
}

fn refuse<T>(text: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}

impl<'a> Description<'a> {
    /// Reads a description, and the places of its subobjects.
    ///
    /// # Safety
    ///
    /// `desc` and all that it points at are as the API has them, valid and unchanged for `'a`; pointers
    /// may be null or not aligned.
    pub(super) unsafe fn read(
        desc: *const D3D12_STATE_OBJECT_DESC,
    ) -> Result<(Self, Vec<Place>), Invalid> {
        // SAFETY: the caller's promise.
        let (desc, raw): (&D3D12_STATE_OBJECT_DESC, &'a [D3D12_STATE_SUBOBJECT]) = unsafe {
            let desc: &D3D12_STATE_OBJECT_DESC = required("the state object description", desc)?;
            let count = desc.NumSubobjects as usize;
            (
                desc,
                array("pSubobjects", desc.pSubobjects, count, MOST_ELEMENTS)?,
            )
        };
        let kind = D3D12DDI_STATE_OBJECT_TYPE(desc.Type);
        if ![
            D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
            D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
            D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE,
        ]
        .contains(&kind)
        {
            return refuse(format!(
                "Type {} is no type of state object: they are COLLECTION (0), RAYTRACING_PIPELINE (3) \
                 and EXECUTABLE (4)",
                desc.Type
            ));
        }
        let mut subobjects = Vec::with_capacity(raw.len());
        let mut places = Vec::with_capacity(raw.len());
        for (index, subobject) in raw.iter().enumerate() {
            let place = Place {
                index,
                kind: subobject.Type,
            };
            // SAFETY: the caller's promise.
            let content = unsafe { content(subobject, raw) }.map_err(|error| error.at(place))?;
            subobjects.push(content);
            places.push(place);
        }
        Ok((Self { kind, subobjects }, places))
    }
}

/// # Safety
///
/// As [`Description::read`].
unsafe fn content<'a>(
    raw: &D3D12_STATE_SUBOBJECT,
    all: &[D3D12_STATE_SUBOBJECT],
) -> Result<Content<'a>, Invalid> {
    /// The payload as a structure.
    macro_rules! payload {
        ($payload:ty) => {
            required::<$payload>("pDesc", raw.pDesc.cast())?
        };
    }
    let at_root_signature = "use the SERIALIZED form: a compiler has no ID3D12RootSignature";
    // SAFETY: the caller's promise; the type says what `pDesc` points at.
    unsafe {
        Ok(match raw.Type {
            STATE_OBJECT_CONFIG => {
                let config = payload!(D3D12_STATE_OBJECT_CONFIG);
                check_flags("Flags", config.Flags, STATE_OBJECT_FLAGS)?;
                Content::Config(config.Flags)
            }
            GLOBAL_ROOT_SIGNATURE | LOCAL_ROOT_SIGNATURE => return refuse(at_root_signature),
            NODE_MASK => Content::NodeMask(payload!(D3D12_NODE_MASK).NodeMask),
            DXIL_LIBRARY => {
                let library = payload!(D3D12_DXIL_LIBRARY_DESC);
                let code = &library.DXILLibrary;
                let bytes = blob("DXILLibrary", code.pShaderBytecode, code.BytecodeLength)?;
                let Some(bytes) = bytes else {
                    return refuse("DXILLibrary is empty");
                };
                Content::Library {
                    bytes,
                    exports: exports(library.pExports, library.NumExports)?,
                }
            }
            EXISTING_COLLECTION => {
                return refuse(
                    "use COMPILER_EXISTING_COLLECTION (33) and an ID3D12CompilerStateObject: a \
                     compiler has no ID3D12StateObject",
                );
            }
            SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                let association = payload!(D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION);
                Content::Association {
                    subobject: associated(association.pSubobjectToAssociate, all)?,
                    exports: names("pExports", association.pExports, association.NumExports)?,
                }
            }
            DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                let association = payload!(D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION);
                Content::DxilAssociation {
                    subobject: text("SubobjectToAssociate", association.SubobjectToAssociate)?,
                    exports: names("pExports", association.pExports, association.NumExports)?,
                }
            }
            RAYTRACING_SHADER_CONFIG => {
                let config = payload!(D3D12_RAYTRACING_SHADER_CONFIG);
                let config = ShaderConfig {
                    max_payload_size: config.MaxPayloadSizeInBytes,
                    max_attribute_size: config.MaxAttributeSizeInBytes,
                };
                config.check()?;
                Content::ShaderConfig(config)
            }
            RAYTRACING_PIPELINE_CONFIG => {
                let config = payload!(D3D12_RAYTRACING_PIPELINE_CONFIG);
                let config = PipelineConfig {
                    max_trace_recursion_depth: config.MaxTraceRecursionDepth,
                    flags: 0,
                };
                config.check()?;
                Content::PipelineConfig(config)
            }
            HIT_GROUP => Content::HitGroup(hit_group(payload!(D3D12_HIT_GROUP_DESC))?),
            RAYTRACING_PIPELINE_CONFIG1 => {
                let config = payload!(D3D12_RAYTRACING_PIPELINE_CONFIG1);
                let config = PipelineConfig {
                    max_trace_recursion_depth: config.MaxTraceRecursionDepth,
                    flags: config.Flags,
                };
                config.check()?;
                Content::PipelineConfig(config)
            }
            WORK_GRAPH => Content::WorkGraph(work_graph(payload!(D3D12_WORK_GRAPH_DESC))?),
            STREAM_OUTPUT => {
                Content::State(State::StreamOutput(payload!(D3D12_STREAM_OUTPUT_DESC)))
            }
            BLEND => Content::State(State::Blend(payload!(D3D12_BLEND_DESC))),
            SAMPLE_MASK => Content::State(State::SampleMask(*payload!(u32))),
            RASTERIZER => Content::State(State::Rasterizer(payload!(D3D12_RASTERIZER_DESC2))),
            DEPTH_STENCIL => {
                Content::State(State::DepthStencil(payload!(D3D12_DEPTH_STENCIL_DESC)))
            }
            INPUT_LAYOUT => Content::State(State::InputLayout(payload!(D3D12_INPUT_LAYOUT_DESC))),
            IB_STRIP_CUT_VALUE => Content::State(State::IndexBufferStripCutValue(*payload!(i32))),
            PRIMITIVE_TOPOLOGY => Content::State(State::PrimitiveTopology(*payload!(i32))),
            RENDER_TARGET_FORMATS => {
                Content::State(State::RenderTargetFormats(payload!(D3D12_RT_FORMAT_ARRAY)))
            }
            DEPTH_STENCIL_FORMAT => Content::State(State::DepthStencilFormat(*payload!(i32))),
            SAMPLE_DESC => Content::State(State::SampleDesc(*payload!(DXGI_SAMPLE_DESC))),
            FLAGS => Content::State(State::Flags(*payload!(u32))),
            DEPTH_STENCIL1 => {
                Content::State(State::DepthStencil1(payload!(D3D12_DEPTH_STENCIL_DESC1)))
            }
            VIEW_INSTANCING => {
                Content::State(State::ViewInstancing(payload!(D3D12_VIEW_INSTANCING_DESC)))
            }
            GENERIC_PROGRAM => {
                Content::GenericProgram(generic_program(payload!(D3D12_GENERIC_PROGRAM_DESC), all)?)
            }
            DEPTH_STENCIL2 => {
                Content::State(State::DepthStencil2(payload!(D3D12_DEPTH_STENCIL_DESC2)))
            }
            // The two structures hold the same one and nothing else.
            GLOBAL_SERIALIZED_ROOT_SIGNATURE | LOCAL_SERIALIZED_ROOT_SIGNATURE => {
                let desc = payload!(D3D12_SERIALIZED_ROOT_SIGNATURE_DESC);
                let size = desc.SerializedBlobSizeInBytes;
                let Some(bytes) = blob("pSerializedBlob", desc.pSerializedBlob, size)? else {
                    return refuse("pSerializedBlob is empty");
                };
                match raw.Type {
                    GLOBAL_SERIALIZED_ROOT_SIGNATURE => Content::GlobalRootSignature(bytes),
                    _ => Content::LocalRootSignature(bytes),
                }
            }
            COMPILER_EXISTING_COLLECTION => {
                let collection = payload!(D3D12_COMPILER_EXISTING_COLLECTION_DESC);
                // The interface is no business of this module: whoever made it knows it by its address.
                let object = (&raw const collection.pExistingCollection).cast::<*mut c_void>();
                let object = *object;
                if object.is_null() {
                    return refuse("pExistingCollection is null");
                }
                Content::Collection {
                    object,
                    exports: exports(collection.pExports, collection.NumExports)?,
                }
            }
            EXISTING_COLLECTION_BY_KEY => {
                return refuse(
                    "only databases know keys; use COMPILER_EXISTING_COLLECTION (33) and the collection",
                );
            }
            API_EXTENSION | PARTIAL_GRAPHICS_PROGRAM..=MLIR_PROGRAM => {
                return refuse("the type is of a preview, which is not supported");
            }
            _ => return refuse("the type is unknown"),
        })
    }
}

impl ShaderConfig {
    pub(super) fn check(self) -> Result<(), Invalid> {
        if self.max_attribute_size > MAX_ATTRIBUTE_SIZE {
            return refuse(format!(
                "MaxAttributeSizeInBytes is {}, {MAX_ATTRIBUTE_SIZE} is the limit",
                self.max_attribute_size
            ));
        }
        Ok(())
    }
}

impl PipelineConfig {
    pub(super) fn check(self) -> Result<(), Invalid> {
        if self.max_trace_recursion_depth > MAX_TRACE_RECURSION_DEPTH {
            return refuse(format!(
                "MaxTraceRecursionDepth is {}, {MAX_TRACE_RECURSION_DEPTH} is the limit",
                self.max_trace_recursion_depth
            ));
        }
        check_flags("Flags", self.flags, PIPELINE_FLAGS)?;
        if self.flags & 0x300 == 0x300 {
            return refuse("Flags skip triangles as well as procedural primitives");
        }
        Ok(())
    }
}

impl HitGroup {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        let name = &self.export;
        if name.is_empty() {
            return refuse("HitGroupExport is empty");
        }
        match (self.is_procedural, &self.imports[2]) {
            (false, Some(shader)) => refuse(format!(
                "hit group {name} is of triangles, which have no intersection shader such as {shader}"
            )),
            (true, None) => refuse(format!(
                "hit group {name} is of procedural primitives, which need an intersection shader"
            )),
            _ => Ok(()),
        }
    }
}

/// The flags of a state object that a library declares.
pub(super) fn check_config(flags: u32) -> Result<(), Invalid> {
    check_flags("Flags", flags, STATE_OBJECT_FLAGS)
}

fn check_flags(what: &str, flags: u32, known: u32) -> Result<(), Invalid> {
    if flags & !known != 0 {
        return refuse(format!("{what} has the unknown bits {:#x}", flags & !known));
    }
    Ok(())
}

/// A string as UTF-8; it may be empty.
///
/// # Safety
///
/// As [`wide_string`].
unsafe fn text(what: &str, pointer: PCWSTR) -> Result<String, Invalid> {
    // SAFETY: the caller's promise.
    let units = unsafe { wide_string(what, pointer.0) }?;
    String::from_utf16(units)
        .map_err(|_| Invalid::other(format!("{what} is no UTF-16: a surrogate stands alone")))
}

/// # Safety
///
/// As [`wide_string`].
unsafe fn optional_text(what: &str, pointer: PCWSTR) -> Result<Option<String>, Invalid> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe { text(what, pointer) }.map(Some)
}

/// # Safety
///
/// The array and its strings are valid for the call.
unsafe fn names(what: &str, pointer: *mut PCWSTR, count: u32) -> Result<Vec<String>, Invalid> {
    // SAFETY: the caller's promise.
    unsafe {
        let names = array(what, pointer.cast_const(), count as usize, MOST_ELEMENTS)?;
        let name = |(index, &name)| text(&format!("{what}[{index}]"), name);
        names.iter().enumerate().map(name).collect()
    }
}

/// # Safety
///
/// The array and its strings are valid for the call.
unsafe fn exports(
    pointer: *const D3D12_EXPORT_DESC,
    count: u32,
) -> Result<Vec<ExportDesc>, Invalid> {
    // SAFETY: the caller's promise.
    let descs = unsafe { array("pExports", pointer, count as usize, MOST_ELEMENTS) }?;
    let export = |desc: &D3D12_EXPORT_DESC| {
        check_flags("Flags", desc.Flags, D3D12_EXPORT_FLAG_NONE)?;
        // SAFETY: the caller's promise.
        let (name, export_to_rename) = unsafe {
            let name = text("Name", desc.Name)?;
            (name, optional_text("ExportToRename", desc.ExportToRename)?)
        };
        if name.is_empty() || export_to_rename.as_ref().is_some_and(String::is_empty) {
            return refuse("a name is empty");
        }
        Ok(ExportDesc {
            name,
            export_to_rename,
        })
    };
    let at =
        |(index, desc)| export(desc).map_err(|error| error.at(format_args!("pExports[{index}]")));
    descs.iter().enumerate().map(at).collect()
}

/// Where the subobject that a pointer means stands: it is one of the description's own. The pointer is
/// compared, never followed.
fn position(pointer: *const D3D12_STATE_SUBOBJECT, all: &[D3D12_STATE_SUBOBJECT]) -> Option<usize> {
    let offset = pointer.addr().checked_sub(all.as_ptr().addr())?;
    let index = offset / size_of::<D3D12_STATE_SUBOBJECT>();
    let is_element = offset.is_multiple_of(size_of::<D3D12_STATE_SUBOBJECT>()) && index < all.len();
    is_element.then_some(index)
}

fn associated(
    pointer: *const D3D12_STATE_SUBOBJECT,
    all: &[D3D12_STATE_SUBOBJECT],
) -> Result<usize, Invalid> {
    let Some(index) = position(pointer, all) else {
        return refuse("pSubobjectToAssociate is no element of pSubobjects");
    };
    let place = Place {
        index,
        kind: all[index].Type,
    };
    if !matches!(
        place.kind,
        STATE_OBJECT_CONFIG
            | GLOBAL_SERIALIZED_ROOT_SIGNATURE
            | LOCAL_SERIALIZED_ROOT_SIGNATURE
            | NODE_MASK
            | RAYTRACING_SHADER_CONFIG
            | RAYTRACING_PIPELINE_CONFIG
            | RAYTRACING_PIPELINE_CONFIG1
    ) {
        return refuse(format!("{place} cannot be associated with exports"));
    }
    Ok(index)
}

/// # Safety
///
/// The strings are valid for the call.
unsafe fn hit_group(desc: &D3D12_HIT_GROUP_DESC) -> Result<HitGroup, Invalid> {
    let is_procedural = match desc.Type {
        D3D12_HIT_GROUP_TYPE_TRIANGLES => false,
        D3D12_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE => true,
        unknown => return refuse(format!("Type {unknown} is unknown")),
    };
    // An empty name is no shader, as HLSL writes it.
    let some = |name: Option<String>| name.filter(|name| !name.is_empty());
    // SAFETY: the caller's promise.
    let group = unsafe {
        HitGroup {
            export: text("HitGroupExport", desc.HitGroupExport)?,
            is_procedural,
            imports: [
                some(optional_text(
                    "AnyHitShaderImport",
                    desc.AnyHitShaderImport,
                )?),
                some(optional_text(
                    "ClosestHitShaderImport",
                    desc.ClosestHitShaderImport,
                )?),
                some(optional_text(
                    "IntersectionShaderImport",
                    desc.IntersectionShaderImport,
                )?),
            ],
        }
    };
    group.check()?;
    Ok(group)
}

/// # Safety
///
/// The arrays and strings are valid for the call.
unsafe fn generic_program(
    desc: &D3D12_GENERIC_PROGRAM_DESC,
    all: &[D3D12_STATE_SUBOBJECT],
) -> Result<GenericProgram, Invalid> {
    // SAFETY: the caller's promise.
    let (name, exports, pointers) = unsafe {
        let count = desc.NumSubobjects as usize;
        (
            optional_text("ProgramName", desc.ProgramName)?,
            names("pExports", desc.pExports, desc.NumExports)?,
            array("ppSubobjects", desc.ppSubobjects, count, MOST_ELEMENTS)?,
        )
    };
    if name.as_ref().is_some_and(String::is_empty) {
        return refuse("ProgramName is empty");
    }
    let mut subobjects = Vec::with_capacity(pointers.len());
    for (index, &pointer) in pointers.iter().enumerate() {
        let Some(place) = position(pointer, all) else {
            return refuse(format!(
                "ppSubobjects[{index}] is no element of pSubobjects"
            ));
        };
        let kind = all[place].Type;
        if !matches!(
            kind,
            STREAM_OUTPUT..=SAMPLE_DESC | FLAGS..=VIEW_INSTANCING | DEPTH_STENCIL2
        ) {
            let place = Place { index: place, kind };
            return refuse(format!(
                "ppSubobjects[{index}] is {place}, which generic programs do not list"
            ));
        }
        subobjects.push(place);
    }
    Ok(GenericProgram {
        name,
        exports,
        subobjects,
    })
}

/// # Safety
///
/// The arrays, with all that they point at, are valid for the call.
unsafe fn work_graph(desc: &D3D12_WORK_GRAPH_DESC) -> Result<GraphDesc, Invalid> {
    check_flags(
        "Flags",
        desc.Flags,
        D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
    )?;
    // SAFETY: the caller's promise.
    let (name, entry_points, nodes) = unsafe {
        let entry_points: &[D3D12_NODE_ID] = array(
            "pEntrypoints",
            desc.pEntrypoints,
            desc.NumEntrypoints as usize,
            MOST_ELEMENTS,
        )?;
        let nodes: &[D3D12_NODE] = array(
            "pExplicitlyDefinedNodes",
            desc.pExplicitlyDefinedNodes,
            desc.NumExplicitlyDefinedNodes as usize,
            MOST_ELEMENTS,
        )?;
        let entry = |(index, id)| {
            node_id(id).map_err(|error| error.at(format_args!("pEntrypoints[{index}]")))
        };
        let node = |(index, desc)| {
            node(desc).map_err(|error| error.at(format_args!("pExplicitlyDefinedNodes[{index}]")))
        };
        (
            text("ProgramName", desc.ProgramName)?,
            entry_points
                .iter()
                .enumerate()
                .map(entry)
                .collect::<Result<_, _>>()?,
            nodes
                .iter()
                .enumerate()
                .map(node)
                .collect::<Result<_, _>>()?,
        )
    };
    if name.is_empty() {
        return refuse("ProgramName is empty");
    }
    Ok(GraphDesc {
        name,
        include_all: desc.Flags & D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES != 0,
        entry_points,
        nodes,
    })
}

/// # Safety
///
/// The name is valid for the call.
unsafe fn node_id(id: &D3D12_NODE_ID) -> Result<NodeId, Invalid> {
    // SAFETY: the caller's promise.
    let name = unsafe { text("Name", id.Name) }?;
    if name.is_empty() {
        return refuse("Name is empty");
    }
    Ok(NodeId {
        name,
        index: id.ArrayIndex,
    })
}

/// # Safety
///
/// The node, with all that it points at, is valid for the call.
unsafe fn node(node: &D3D12_NODE) -> Result<NodeDesc, Invalid> {
    if node.NodeType != D3D12_NODE_TYPE_SHADER {
        return refuse(format!("NodeType {} is unknown", node.NodeType));
    }
    /// The members that all structures have.
    macro_rules! common {
        ($overrides:expr) => {{
            let o = $overrides;
            Overrides {
                local_root_index: optional(
                    "pLocalRootArgumentsTableIndex",
                    o.pLocalRootArgumentsTableIndex,
                )?,
                is_entry: optional::<BOOL>("pProgramEntry", o.pProgramEntry)?.map(BOOL::as_bool),
                new_name: optional_id("pNewName", o.pNewName)?,
                sharing: sharing(o.pShareInputOf)?,
                dispatch_grid: None,
                max_dispatch_grid: None,
                outputs: outputs(o.pOutputOverrides, o.NumOutputOverrides)?,
            }
        }};
    }
    // SAFETY: the type says which arm of each union is set; the rest by the caller's promise.
    unsafe {
        let shader = &node.Anonymous.Shader;
        let arm = &shader.Anonymous;
        let what = "the overrides";
        let (launch, overrides) = match shader.OverridesType {
            D3D12_NODE_OVERRIDES_TYPE_NONE => (None, Overrides::default()),
            D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH => {
                let o: &D3D12_BROADCASTING_LAUNCH_OVERRIDES =
                    required(what, arm.pBroadcastingLaunchOverrides)?;
                let overrides = Overrides {
                    dispatch_grid: optional("pDispatchGrid", o.pDispatchGrid.cast())?,
                    max_dispatch_grid: optional("pMaxDispatchGrid", o.pMaxDispatchGrid.cast())?,
                    ..common!(o)
                };
                (Some(Launch::Broadcasting), overrides)
            }
            D3D12_NODE_OVERRIDES_TYPE_COALESCING_LAUNCH => {
                let o: &D3D12_COALESCING_LAUNCH_OVERRIDES =
                    required(what, arm.pCoalescingLaunchOverrides)?;
                (Some(Launch::Coalescing), common!(o))
            }
            D3D12_NODE_OVERRIDES_TYPE_THREAD_LAUNCH => {
                let o: &D3D12_THREAD_LAUNCH_OVERRIDES = required(what, arm.pThreadLaunchOverrides)?;
                (Some(Launch::Thread), common!(o))
            }
            D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE => {
                let o: &D3D12_COMMON_COMPUTE_NODE_OVERRIDES =
                    required(what, arm.pCommonComputeNodeOverrides)?;
                (None, common!(o))
            }
            unknown => return refuse(format!("OverridesType {unknown} is unknown")),
        };
        Ok(NodeDesc {
            shader: text("Shader", shader.Shader)?,
            launch,
            overrides,
        })
    }
}

/// What a pointer points at; `None` for null.
///
/// # Safety
///
/// As [`required`].
unsafe fn optional<T: Copy>(what: &str, pointer: *const T) -> Result<Option<T>, Invalid> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    Ok(Some(*unsafe { required(what, pointer) }?))
}

/// # Safety
///
/// The name is valid for the call.
unsafe fn optional_id(what: &str, id: *const D3D12_NODE_ID) -> Result<Option<NodeId>, Invalid> {
    // SAFETY: the caller's promise.
    unsafe {
        let id = optional(what, id)?;
        id.map(|id| node_id(&id).map_err(|error| error.at(what)))
            .transpose()
    }
}

/// # Safety
///
/// The name is valid for the call.
unsafe fn sharing(id: *const D3D12_NODE_ID) -> Result<Sharing, Invalid> {
    let what = "pShareInputOf";
    // SAFETY: the caller's promise.
    unsafe {
        Ok(match optional(what, id)? {
            None => Sharing::Unchanged,
            Some(id) if id.Name.is_null() => Sharing::Nothing,
            Some(id) => Sharing::Of(node_id(&id).map_err(|error| error.at(what))?),
        })
    }
}

/// # Safety
///
/// The array, with all that it points at, is valid for the call.
unsafe fn outputs(
    pointer: *const D3D12_NODE_OUTPUT_OVERRIDES,
    count: u32,
) -> Result<Vec<OutputOverrides>, Invalid> {
    // SAFETY: the caller's promise.
    unsafe {
        array("pOutputOverrides", pointer, count as usize, MOST_ELEMENTS)?
            .iter()
            .map(|o: &D3D12_NODE_OUTPUT_OVERRIDES| {
                let shared = o.pMaxRecordsSharedWithOutputIndex;
                Ok(OutputOverrides {
                    output: o.OutputIndex,
                    new_name: optional_id("pNewName", o.pNewName)?,
                    sparse: optional::<BOOL>("pAllowSparseNodes", o.pAllowSparseNodes)?
                        .map(BOOL::as_bool),
                    max_records: optional("pMaxRecords", o.pMaxRecords)?,
                    shared_with: optional("pMaxRecordsSharedWithOutputIndex", shared)?,
                })
            })
            .collect()
    }
}
