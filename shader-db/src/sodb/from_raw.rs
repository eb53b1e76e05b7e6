//! From the API's structures to owned descriptions.
//!
//! Pointers come from a C++ caller. They are checked as far as pointers can be: null, alignment, sizes, counts, types.
//! What a structure means is not judged: a database takes what it can hold.

use std::collections::HashMap;
use std::ffi::c_void;
use std::slice;

use api_sys::caller::{Refused, StreamWalk, array, required, string, wide_string};
#[allow(clippy::wildcard_imports, reason = "the structures of a description")]
use api_sys::*;
use windows_core::{BOOL, PCSTR, PCWSTR};

use super::desc::{
    Associated, Association, Blob, DxilAssociation, DxilLibrary, ExistingCollection, Export,
    FixedFunction, GenericProgram, HitGroup, InputElement, NodeId, OutputOverrides,
    PipelineStateDesc, ShaderNode, ShaderStage, StateObjectDesc, StreamOutput, StreamOutputEntry,
    ViewInstancing, WorkGraph,
};
use super::rows::COLUMNS;
use crate::{Error, Result};

/// More elements than any array of a description has.
const MOST_ELEMENTS: usize = 1 << 20;

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::InvalidArgument(refused.0)
    }
}

fn invalid<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::InvalidArgument(text.into()))
}

/// Says where it is.
fn at<T>(place: &str, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        Error::InvalidArgument(text) => Error::InvalidArgument(format!("{place}: {text}")),
        error => error,
    })
}

/// What a pointer points at; `None` for null.
///
/// # Safety
///
/// As [`required`].
unsafe fn optional<T: Copy>(what: &str, pointer: *const T) -> Result<Option<T>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    Ok(Some(*unsafe { required(what, pointer) }?))
}

/// `None` where null and no bytes are given.
///
/// # Safety
///
/// `pointer` is null or points at `len` readable bytes, unless that is more than a database takes.
unsafe fn blob(what: &str, pointer: *const c_void, len: usize) -> Result<Option<Blob>> {
    match (pointer.is_null(), len) {
        (true, 0) => Ok(None),
        (true, _) => invalid(format!("{what} is null, but has {len} bytes")),
        (false, 0) => invalid(format!("{what} is not null, but has no bytes")),
        (false, _) if len > super::MAX_SIZE => Err(Error::TooBig {
            size: len,
            limit: super::MAX_SIZE,
        }),
        // SAFETY: not null, not too large, and the caller's promise.
        (false, _) => Ok(Some(
            unsafe { slice::from_raw_parts(pointer.cast::<u8>(), len) }.into(),
        )),
    }
}

/// # Safety
///
/// `pointer` is null, not aligned, or points at UTF-16 up to and with a NUL.
unsafe fn text(what: &str, pointer: PCWSTR) -> Result<String> {
    // SAFETY: the caller's promise.
    let units = unsafe { wide_string(what, pointer.0) }?;
    String::from_utf16(units)
        .or_else(|_| invalid(format!("{what} is no UTF-16: a surrogate stands alone")))
}

/// # Safety
///
/// As [`text`].
unsafe fn name(what: &str, pointer: PCWSTR) -> Result<String> {
    // SAFETY: the caller's promise.
    match unsafe { text(what, pointer) }? {
        empty if empty.is_empty() => invalid(format!("{what} is empty")),
        name => Ok(name),
    }
}

/// # Safety
///
/// As [`text`].
unsafe fn optional_text(what: &str, pointer: PCWSTR) -> Result<Option<String>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe { text(what, pointer) }.map(Some)
}

/// A semantic's name.
///
/// # Safety
///
/// `pointer` is null or points at characters up to and with a NUL.
unsafe fn semantic_name(pointer: PCSTR) -> Result<String> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { string("SemanticName", pointer.0) }?;
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => invalid("SemanticName is no semantic"),
    }
}

/// # Safety
///
/// The array and its strings are valid for the call.
unsafe fn names(pointer: *mut PCWSTR, count: u32) -> Result<Vec<String>> {
    // SAFETY: the caller's promise.
    unsafe {
        let names = array(
            "pExports",
            pointer.cast_const(),
            count as usize,
            MOST_ELEMENTS,
        )?;
        names.iter().map(|name| text("pExports", *name)).collect()
    }
}

/// # Safety
///
/// The array and its strings are valid for the call.
unsafe fn exports(pointer: *const D3D12_EXPORT_DESC, count: u32) -> Result<Vec<Export>> {
    // SAFETY: the caller's promise.
    unsafe {
        let descs = array("pExports", pointer, count as usize, MOST_ELEMENTS)?;
        let export = |desc: &D3D12_EXPORT_DESC| {
            Ok(Export {
                name: name("Name", desc.Name)?,
                export_to_rename: optional_text("ExportToRename", desc.ExportToRename)?,
                flags: desc.Flags,
            })
        };
        descs.iter().map(export).collect()
    }
}

impl PipelineStateDesc {
    /// Copies a description.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: a null or misaligned pointer, a record that is cut off, of an unknown type or there
    /// twice, an `ID3D12RootSignature`, an absurd count, a string that does not end. [`Error::TooBig`].
    ///
    /// # Safety
    ///
    /// `desc` is null, or what it points at, and all that is reached from there, is readable and unchanged for the call:
    /// each pointer is null or points at as much as the count or size beside it says, each string ends.
    pub unsafe fn from_raw(desc: *const D3D12_PIPELINE_STATE_STREAM_DESC) -> Result<Self> {
        // SAFETY: the caller's promise.
        let desc = unsafe { required("the stream description", desc) }?;
        let mut walk = StreamWalk::new(desc)?;
        let mut read = Self::default();
        let mut seen: u64 = 0;
        while !walk.is_at_end() {
            let place = format!("the record at byte {}", walk.offset());
            // SAFETY: the caller's promise.
            let family = at(&place, unsafe { read.take(&mut walk) })?;
            if seen & 1 << family != 0 {
                return invalid(format!("{place}: there is one of its kind before"));
            }
            seen |= 1 << family;
        }
        Ok(read)
    }

    /// Takes the next record. Gives its family, of which there may be one in a stream: versions of one thing.
    ///
    /// # Safety
    ///
    /// The stream, and all that is reached from there, is readable and unchanged for the call.
    unsafe fn take(&mut self, walk: &mut StreamWalk) -> Result<i32> {
        let state = &mut self.fixed_function;
        // SAFETY: the caller's promise; the type says what the payload is.
        unsafe {
            let kind = walk.kind()?;
            let stage = match kind {
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS => Some(ShaderStage::Vertex),
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS => Some(ShaderStage::Pixel),
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS => Some(ShaderStage::Domain),
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS => Some(ShaderStage::Hull),
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS => Some(ShaderStage::Geometry),
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS => Some(ShaderStage::Compute),
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS => Some(ShaderStage::Amplification),
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS => Some(ShaderStage::Mesh),
                _ => None,
            };
            if let Some(stage) = stage {
                let code = walk.payload::<D3D12_SHADER_BYTECODE>()?;
                self.shaders[stage] =
                    blob(stage.name(), code.pShaderBytecode, code.BytecodeLength)?;
                return Ok(kind);
            }
            match kind {
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE => {
                    if !walk.payload::<*const c_void>()?.is_null() {
                        return invalid(
                            "an ID3D12RootSignature cannot be stored: give a SERIALIZED_ROOT_SIGNATURE in its place",
                        );
                    }
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE => {
                    let desc = walk.payload::<D3D12_SERIALIZED_ROOT_SIGNATURE_DESC>()?;
                    self.root_signature = root_signature(desc)?;
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT => {
                    state.stream_output = Some(stream_output(walk.payload()?)?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND => {
                    state.blend = Some(*walk.payload::<D3D12_BLEND_DESC>()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_MASK => {
                    state.sample_mask = Some(*walk.payload()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER => {
                    state.rasterizer = Some((*walk.payload::<D3D12_RASTERIZER_DESC>()?).into());
                    return Ok(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER1 => {
                    state.rasterizer = Some((*walk.payload::<D3D12_RASTERIZER_DESC1>()?).into());
                    return Ok(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2 => {
                    state.rasterizer = Some(*walk.payload::<D3D12_RASTERIZER_DESC2>()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL => {
                    state.depth_stencil =
                        Some((*walk.payload::<D3D12_DEPTH_STENCIL_DESC>()?).into());
                    return Ok(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1 => {
                    state.depth_stencil =
                        Some((*walk.payload::<D3D12_DEPTH_STENCIL_DESC1>()?).into());
                    return Ok(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2 => {
                    state.depth_stencil = Some(*walk.payload::<D3D12_DEPTH_STENCIL_DESC2>()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT => {
                    state.input_layout = Some(input_layout(walk.payload()?)?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE => {
                    state.ib_strip_cut_value = Some(*walk.payload()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY => {
                    state.primitive_topology = Some(*walk.payload()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS => {
                    state.render_target_formats = Some(*walk.payload::<D3D12_RT_FORMAT_ARRAY>()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT => {
                    state.depth_stencil_format = Some(*walk.payload()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC => {
                    state.sample_desc = Some(*walk.payload::<DXGI_SAMPLE_DESC>()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK => {
                    self.node_mask = Some(*walk.payload()?);
                }
                // It is of a driver on a device, and the schema has no place for it.
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CACHED_PSO => {
                    walk.payload::<D3D12_CACHED_PIPELINE_STATE>()?;
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS => {
                    state.flags = Some(*walk.payload()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING => {
                    state.view_instancing = Some(view_instancing(walk.payload()?)?);
                }
                _ => return invalid(format!("type {kind} is unknown")),
            }
            Ok(kind)
        }
    }
}

/// # Safety
///
/// The blob is readable for the call.
unsafe fn root_signature(desc: &D3D12_SERIALIZED_ROOT_SIGNATURE_DESC) -> Result<Option<Blob>> {
    // SAFETY: the caller's promise.
    unsafe {
        blob(
            "pSerializedBlob",
            desc.pSerializedBlob,
            desc.SerializedBlobSizeInBytes,
        )
    }
}

/// # Safety
///
/// The arrays and names are readable for the call.
unsafe fn stream_output(desc: &D3D12_STREAM_OUTPUT_DESC) -> Result<StreamOutput> {
    // SAFETY: the caller's promise.
    unsafe {
        let entries = array(
            "pSODeclaration",
            desc.pSODeclaration,
            desc.NumEntries as usize,
            MOST_ELEMENTS,
        )?;
        let entry = |desc: &D3D12_SO_DECLARATION_ENTRY| {
            let name = if desc.SemanticName.0.is_null() {
                String::new()
            } else {
                semantic_name(desc.SemanticName)?
            };
            Ok(StreamOutputEntry {
                stream: desc.Stream,
                semantic: (!name.is_empty()).then_some((name, desc.SemanticIndex)),
                start_component: desc.StartComponent,
                component_count: desc.ComponentCount,
                output_slot: desc.OutputSlot,
            })
        };
        Ok(StreamOutput {
            entries: entries.iter().map(entry).collect::<Result<_>>()?,
            strides: array(
                "pBufferStrides",
                desc.pBufferStrides,
                desc.NumStrides as usize,
                COLUMNS,
            )?
            .to_vec(),
            rasterized_stream: desc.RasterizedStream,
        })
    }
}

/// # Safety
///
/// The array and names are readable for the call.
unsafe fn input_layout(desc: &D3D12_INPUT_LAYOUT_DESC) -> Result<Vec<InputElement>> {
    // SAFETY: the caller's promise.
    unsafe {
        let elements = array(
            "pInputElementDescs",
            desc.pInputElementDescs,
            desc.NumElements as usize,
            MOST_ELEMENTS,
        )?;
        let element = |desc: &D3D12_INPUT_ELEMENT_DESC| {
            Ok(InputElement {
                semantic_name: semantic_name(desc.SemanticName)?,
                semantic_index: desc.SemanticIndex,
                format: desc.Format,
                input_slot: desc.InputSlot,
                aligned_byte_offset: desc.AlignedByteOffset,
                input_slot_class: desc.InputSlotClass,
                instance_data_step_rate: desc.InstanceDataStepRate,
            })
        };
        elements.iter().map(element).collect()
    }
}

/// # Safety
///
/// The array is readable for the call.
unsafe fn view_instancing(desc: &D3D12_VIEW_INSTANCING_DESC) -> Result<ViewInstancing> {
    let count = desc.ViewInstanceCount;
    let locations = desc.pViewInstanceLocations;
    // SAFETY: the caller's promise.
    let locations: &[D3D12_VIEW_INSTANCE_LOCATION] =
        unsafe { array("pViewInstanceLocations", locations, count as usize, COLUMNS) }?;
    Ok(ViewInstancing {
        locations: locations.to_vec(),
        flags: desc.Flags,
    })
}

/// Gives the key of the row that a state object of the API is stored in.
pub type RowOf<'r> = dyn Fn(*mut c_void) -> Result<Vec<u8>> + 'r;

impl StateObjectDesc {
    /// Copies a description.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: a null or misaligned pointer, a subobject that is unknown or holds an API object, an
    /// association or a program that points outside of the description, two different configurations or node masks, an
    /// absurd count, a string that does not end or is no UTF-16. [`Error::TooBig`].
    ///
    /// # Safety
    ///
    /// As [`PipelineStateDesc::from_raw`].
    pub unsafe fn from_raw(desc: *const D3D12_STATE_OBJECT_DESC) -> Result<Self> {
        // SAFETY: the caller's promise.
        unsafe { Self::read(desc, None) }.map(|(desc, _)| desc)
    }

    /// Copies a description that may have collections as objects of the API: `row_of` gives the key of the row that one is
    /// stored in. Such a collection has no key in the description; its row's is in its place of the list, which is that of
    /// [`Origins::collections`](super::Origins::collections).
    ///
    /// # Errors
    ///
    /// As [`from_raw`](Self::from_raw), and what `row_of` gives.
    ///
    /// # Safety
    ///
    /// As [`from_raw`](Self::from_raw).
    pub unsafe fn from_raw_with(
        desc: *const D3D12_STATE_OBJECT_DESC,
        row_of: &RowOf<'_>,
    ) -> Result<(Self, Vec<Option<Vec<u8>>>)> {
        // SAFETY: the caller's promise.
        unsafe { Self::read(desc, Some(row_of)) }
    }

    /// # Safety
    ///
    /// As [`from_raw`](Self::from_raw).
    unsafe fn read(
        desc: *const D3D12_STATE_OBJECT_DESC,
        row_of: Option<&RowOf<'_>>,
    ) -> Result<(Self, Vec<Option<Vec<u8>>>)> {
        // SAFETY: the caller's promise.
        let (desc, all) = unsafe {
            let desc = required("the state object description", desc)?;
            let all = array(
                "pSubobjects",
                desc.pSubobjects,
                desc.NumSubobjects as usize,
                MOST_ELEMENTS,
            )?;
            (desc, all)
        };
        let mut read = Self {
            kind: desc.Type,
            ..Self::default()
        };
        let mut targets = HashMap::new();
        let mut rows = Vec::new();
        for (index, subobject) in all.iter().enumerate() {
            // SAFETY: the caller's promise.
            let target = at(&place(index, subobject.Type), unsafe {
                read.take(subobject, all, row_of, &mut rows)
            })?;
            targets.extend(target.map(|target| (index, target)));
        }
        // What is associated may stand behind its association.
        for (index, subobject) in all.iter().enumerate() {
            if subobject.Type == D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                // SAFETY: the caller's promise; the type says what `pDesc` points at.
                let association = unsafe { read_association(subobject, all, &targets) };
                let association = at(&place(index, subobject.Type), association)?;
                read.associations.push(association);
            }
        }
        Ok((read, rows))
    }

    /// Takes a subobject; gives what an association with it means. `rows` has a place for each collection.
    ///
    /// # Safety
    ///
    /// As [`from_raw`](Self::from_raw).
    unsafe fn take(
        &mut self,
        raw: &D3D12_STATE_SUBOBJECT,
        all: &[D3D12_STATE_SUBOBJECT],
        row_of: Option<&RowOf<'_>>,
        rows: &mut Vec<Option<Vec<u8>>>,
    ) -> Result<Option<Associated>> {
        /// The payload as a structure.
        macro_rules! payload {
            ($payload:ty) => {
                required::<$payload>("pDesc", raw.pDesc.cast())?
            };
        }
        // SAFETY: the caller's promise; the type says what `pDesc` points at.
        unsafe {
            match raw.Type {
                D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => {
                    only(&mut self.config, *payload!(u32))?;
                    return Ok(Some(Associated::Config));
                }
                D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK => {
                    only(&mut self.node_mask, *payload!(u32))?;
                    return Ok(Some(Associated::NodeMask));
                }
                D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE
                | D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE => {
                    return invalid(
                        "an ID3D12RootSignature cannot be stored: use the SERIALIZED form",
                    );
                }
                // The two structures hold the same one and nothing else.
                D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE
                | D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE => {
                    let desc = payload!(D3D12_SERIALIZED_ROOT_SIGNATURE_DESC);
                    let Some(bytes) = root_signature(desc)? else {
                        return invalid("pSerializedBlob is empty");
                    };
                    let is_global =
                        raw.Type == D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE;
                    return Ok(Some(if is_global {
                        Associated::GlobalRootSignature(add(
                            &mut self.global_root_signatures,
                            bytes,
                        ))
                    } else {
                        Associated::LocalRootSignature(add(&mut self.local_root_signatures, bytes))
                    }));
                }
                D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => {
                    let desc = payload!(D3D12_DXIL_LIBRARY_DESC);
                    let code = &desc.DXILLibrary;
                    let Some(bytecode) =
                        blob("DXILLibrary", code.pShaderBytecode, code.BytecodeLength)?
                    else {
                        return invalid("DXILLibrary is empty");
                    };
                    let exports = exports(desc.pExports, desc.NumExports)?;
                    self.libraries.push(DxilLibrary { bytecode, exports });
                }
                D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION
                | D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION => {
                    let Some(row_of) = row_of else {
                        return invalid(
                            "a collection that is an object cannot be stored: use EXISTING_COLLECTION_BY_KEY",
                        );
                    };
                    // The other structure differs in the type of the object.
                    let desc = payload!(D3D12_EXISTING_COLLECTION_DESC);
                    let object = (&raw const desc.pExistingCollection).cast::<*mut c_void>();
                    rows.push(Some(row_of(object.read())?));
                    self.collections.push(ExistingCollection {
                        key: Vec::new(),
                        exports: exports(desc.pExports, desc.NumExports)?,
                    });
                }
                D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY => {
                    let desc = payload!(D3D12_EXISTING_COLLECTION_BY_KEY_DESC);
                    let Some(key) = blob("pKey", desc.pKey, desc.KeySize as usize)? else {
                        return invalid("pKey is null");
                    };
                    let exports = exports(desc.pExports, desc.NumExports)?;
                    rows.push(None);
                    self.collections.push(ExistingCollection {
                        key: key.to_vec(),
                        exports,
                    });
                }
                // Read when everything that can be associated is known.
                D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION => {}
                D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                    let desc = payload!(D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION);
                    let association = DxilAssociation {
                        subobject: text("SubobjectToAssociate", desc.SubobjectToAssociate)?,
                        exports: names(desc.pExports, desc.NumExports)?,
                    };
                    self.dxil_associations.push(association);
                }
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG => {
                    let config = *payload!(D3D12_RAYTRACING_SHADER_CONFIG);
                    let place = add(&mut self.shader_configs, config);
                    return Ok(Some(Associated::ShaderConfig(place)));
                }
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG => {
                    let config = D3D12_RAYTRACING_PIPELINE_CONFIG1 {
                        MaxTraceRecursionDepth: payload!(D3D12_RAYTRACING_PIPELINE_CONFIG)
                            .MaxTraceRecursionDepth,
                        Flags: 0,
                    };
                    let place = add(&mut self.pipeline_configs, config);
                    return Ok(Some(Associated::PipelineConfig(place)));
                }
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1 => {
                    let config = *payload!(D3D12_RAYTRACING_PIPELINE_CONFIG1);
                    let place = add(&mut self.pipeline_configs, config);
                    return Ok(Some(Associated::PipelineConfig(place)));
                }
                D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP => {
                    let desc = payload!(D3D12_HIT_GROUP_DESC);
                    let group = HitGroup {
                        export: text("HitGroupExport", desc.HitGroupExport)?,
                        kind: desc.Type,
                        any_hit: optional_text("AnyHitShaderImport", desc.AnyHitShaderImport)?,
                        closest_hit: optional_text(
                            "ClosestHitShaderImport",
                            desc.ClosestHitShaderImport,
                        )?,
                        intersection: optional_text(
                            "IntersectionShaderImport",
                            desc.IntersectionShaderImport,
                        )?,
                    };
                    self.hit_groups.push(group);
                }
                D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => {
                    let program = generic_program(payload!(D3D12_GENERIC_PROGRAM_DESC), all)?;
                    self.generic_programs.push(program);
                }
                D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH => {
                    let graph = work_graph(payload!(D3D12_WORK_GRAPH_DESC))?;
                    self.work_graphs.push(graph);
                }
                // Read where a generic program lists it.
                kind if is_listed(kind) => {}
                kind => return invalid(format!("type {kind} is unknown, or of a preview")),
            }
        }
        Ok(None)
    }
}

fn place(index: usize, kind: i32) -> String {
    format!("pSubobjects[{index}] (type {kind})")
}

/// Adds an item; gives its place.
fn add<T>(items: &mut Vec<T>, item: T) -> usize {
    items.push(item);
    items.len() - 1
}

/// Sets what a state object can have one of.
fn only(place: &mut Option<u32>, value: u32) -> Result<()> {
    match place.replace(value) {
        Some(before) if before != value => invalid(format!(
            "it is {value:#x}, but one before is {before:#x}; the schema has a place for one"
        )),
        _ => Ok(()),
    }
}

/// Where the subobject that a pointer means stands: it is one of the description's own. The pointer is compared, never
/// followed.
fn position(pointer: *const D3D12_STATE_SUBOBJECT, all: &[D3D12_STATE_SUBOBJECT]) -> Option<usize> {
    let offset = pointer.addr().checked_sub(all.as_ptr().addr())?;
    let index = offset / size_of::<D3D12_STATE_SUBOBJECT>();
    let is_element = offset.is_multiple_of(size_of::<D3D12_STATE_SUBOBJECT>()) && index < all.len();
    is_element.then_some(index)
}

/// # Safety
///
/// `pDesc` is null, not aligned, or points at an association that is readable for the call, with its strings.
unsafe fn read_association(
    raw: &D3D12_STATE_SUBOBJECT,
    all: &[D3D12_STATE_SUBOBJECT],
    targets: &HashMap<usize, Associated>,
) -> Result<Association> {
    // SAFETY: the caller's promise.
    unsafe {
        let desc = required::<D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION>("pDesc", raw.pDesc.cast())?;
        let Some(index) = position(desc.pSubobjectToAssociate, all) else {
            return invalid("pSubobjectToAssociate is no element of pSubobjects");
        };
        let Some(target) = targets.get(&index) else {
            return invalid(format!(
                "{} cannot be associated with exports",
                place(index, all[index].Type)
            ));
        };
        Ok(Association {
            subobject: *target,
            exports: names(desc.pExports, desc.NumExports)?,
        })
    }
}

/// Whether generic programs list subobjects of the type.
fn is_listed(kind: i32) -> bool {
    matches!(
        kind,
        D3D12_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT..=D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC
            | D3D12_STATE_SUBOBJECT_TYPE_FLAGS..=D3D12_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING
            | D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2
    )
}

/// # Safety
///
/// The arrays, strings and subobjects are readable for the call.
unsafe fn generic_program(
    desc: &D3D12_GENERIC_PROGRAM_DESC,
    all: &[D3D12_STATE_SUBOBJECT],
) -> Result<GenericProgram> {
    // SAFETY: the caller's promise.
    unsafe {
        let listed = array(
            "ppSubobjects",
            desc.ppSubobjects,
            desc.NumSubobjects as usize,
            MOST_ELEMENTS,
        )?;
        let mut state = FixedFunction::default();
        let mut seen = 0_u64;
        for pointer in listed {
            let Some(index) = position(*pointer, all) else {
                return invalid("ppSubobjects points at no element of pSubobjects");
            };
            let subobject = &all[index];
            if !is_listed(subobject.Type) {
                return invalid(format!(
                    "ppSubobjects lists {}, which no generic program does",
                    place(index, subobject.Type)
                ));
            }
            let family = at(&place(index, subobject.Type), state.take(subobject))?;
            if seen & 1 << family != 0 {
                return invalid(format!(
                    "ppSubobjects lists {} beside another of its kind",
                    place(index, subobject.Type)
                ));
            }
            seen |= 1 << family;
        }
        Ok(GenericProgram {
            name: optional_text("ProgramName", desc.ProgramName)?,
            exports: names(desc.pExports, desc.NumExports)?,
            state,
        })
    }
}

impl FixedFunction {
    /// Takes a subobject that a generic program lists; gives its family.
    ///
    /// # Safety
    ///
    /// `pDesc` is null, not aligned, or points at what the type says, readable for the call.
    unsafe fn take(&mut self, raw: &D3D12_STATE_SUBOBJECT) -> Result<i32> {
        /// The payload as a structure.
        macro_rules! payload {
            () => {
                required("pDesc", raw.pDesc.cast())?
            };
        }
        // SAFETY: the caller's promise.
        unsafe {
            match raw.Type {
                D3D12_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT => {
                    self.stream_output = Some(stream_output(payload!())?);
                }
                D3D12_STATE_SUBOBJECT_TYPE_BLEND => self.blend = Some(*payload!()),
                D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK => self.sample_mask = Some(*payload!()),
                D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER => self.rasterizer = Some(*payload!()),
                D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL => {
                    let desc: &D3D12_DEPTH_STENCIL_DESC = payload!();
                    self.depth_stencil = Some((*desc).into());
                    return Ok(D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2);
                }
                D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1 => {
                    let desc: &D3D12_DEPTH_STENCIL_DESC1 = payload!();
                    self.depth_stencil = Some((*desc).into());
                    return Ok(D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2);
                }
                D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2 => self.depth_stencil = Some(*payload!()),
                D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT => {
                    self.input_layout = Some(input_layout(payload!())?);
                }
                D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE => {
                    self.ib_strip_cut_value = Some(*payload!());
                }
                D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY => {
                    self.primitive_topology = Some(*payload!());
                }
                D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS => {
                    self.render_target_formats = Some(*payload!());
                }
                D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT => {
                    self.depth_stencil_format = Some(*payload!());
                }
                D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC => self.sample_desc = Some(*payload!()),
                D3D12_STATE_SUBOBJECT_TYPE_FLAGS => self.flags = Some(*payload!()),
                D3D12_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING => {
                    self.view_instancing = Some(view_instancing(payload!())?);
                }
                kind => return invalid(format!("type {kind} is not listed by generic programs")),
            }
        }
        Ok(raw.Type)
    }
}

/// # Safety
///
/// The arrays, with all that they point at, are readable for the call.
unsafe fn work_graph(desc: &D3D12_WORK_GRAPH_DESC) -> Result<WorkGraph> {
    // SAFETY: the caller's promise.
    unsafe {
        let entry_points = array(
            "pEntrypoints",
            desc.pEntrypoints,
            desc.NumEntrypoints as usize,
            MOST_ELEMENTS,
        )?;
        let nodes = array(
            "pExplicitlyDefinedNodes",
            desc.pExplicitlyDefinedNodes,
            desc.NumExplicitlyDefinedNodes as usize,
            MOST_ELEMENTS,
        )?;
        let mut graph = WorkGraph {
            name: text("ProgramName", desc.ProgramName)?,
            flags: desc.Flags,
            ..WorkGraph::default()
        };
        for id in entry_points {
            let id = at("pEntrypoints", node_id(id))?;
            graph.entry_points.push(id);
        }
        for (index, node) in nodes.iter().enumerate() {
            let node = at(
                &format!("pExplicitlyDefinedNodes[{index}]"),
                shader_node(node),
            )?;
            graph.nodes.push(node);
        }
        Ok(graph)
    }
}

/// # Safety
///
/// The name is readable for the call.
unsafe fn node_id(id: &D3D12_NODE_ID) -> Result<NodeId> {
    Ok(NodeId {
        // SAFETY: the caller's promise.
        name: unsafe { name("Name", id.Name) }?,
        array_index: id.ArrayIndex,
    })
}

/// # Safety
///
/// The node, with all that it points at, is readable for the call.
unsafe fn shader_node(node: &D3D12_NODE) -> Result<ShaderNode> {
    if node.NodeType != D3D12_NODE_TYPE_SHADER {
        return invalid(format!("NodeType {} is unknown", node.NodeType));
    }
    /// The members that all structures have.
    macro_rules! common {
        ($node:expr, $overrides:expr) => {{
            let (node, o) = ($node, $overrides);
            node.local_root_arguments_table_index = optional(
                "pLocalRootArgumentsTableIndex",
                o.pLocalRootArgumentsTableIndex,
            )?;
            node.program_entry =
                optional::<BOOL>("pProgramEntry", o.pProgramEntry)?.map(BOOL::as_bool);
            node.new_name = optional_id("pNewName", o.pNewName)?;
            node.share_input_of = share_input_of(o.pShareInputOf)?;
            node.outputs = outputs(o.pOutputOverrides, o.NumOutputOverrides)?;
        }};
    }
    // SAFETY: the type says which arm of each union is set; the rest by the caller's promise.
    unsafe {
        let shader = &node.Anonymous.Shader;
        let arm = &shader.Anonymous;
        let what = "the overrides";
        let mut read = ShaderNode {
            shader: text("Shader", shader.Shader)?,
            overrides_type: shader.OverridesType,
            ..ShaderNode::default()
        };
        match shader.OverridesType {
            D3D12_NODE_OVERRIDES_TYPE_NONE => {}
            D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH => {
                let o: &D3D12_BROADCASTING_LAUNCH_OVERRIDES =
                    required(what, arm.pBroadcastingLaunchOverrides)?;
                common!(&mut read, o);
                read.dispatch_grid = optional("pDispatchGrid", o.pDispatchGrid.cast())?;
                read.max_dispatch_grid = optional("pMaxDispatchGrid", o.pMaxDispatchGrid.cast())?;
            }
            D3D12_NODE_OVERRIDES_TYPE_COALESCING_LAUNCH => {
                let o: &D3D12_COALESCING_LAUNCH_OVERRIDES =
                    required(what, arm.pCoalescingLaunchOverrides)?;
                common!(&mut read, o);
            }
            D3D12_NODE_OVERRIDES_TYPE_THREAD_LAUNCH => {
                let o: &D3D12_THREAD_LAUNCH_OVERRIDES = required(what, arm.pThreadLaunchOverrides)?;
                common!(&mut read, o);
            }
            D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE => {
                let o: &D3D12_COMMON_COMPUTE_NODE_OVERRIDES =
                    required(what, arm.pCommonComputeNodeOverrides)?;
                common!(&mut read, o);
            }
            unknown => return invalid(format!("OverridesType {unknown} is unknown")),
        }
        Ok(read)
    }
}

/// # Safety
///
/// As [`required`]; the name is readable for the call.
unsafe fn optional_id(what: &str, id: *const D3D12_NODE_ID) -> Result<Option<NodeId>> {
    // SAFETY: the caller's promise.
    unsafe {
        let id = optional(what, id)?;
        id.map(|id| at(what, node_id(&id))).transpose()
    }
}

/// # Safety
///
/// As [`optional_id`].
unsafe fn share_input_of(id: *const D3D12_NODE_ID) -> Result<Option<NodeId>> {
    // SAFETY: the caller's promise.
    unsafe {
        match optional("pShareInputOf", id)? {
            Some(D3D12_NODE_ID { Name, .. }) if Name.is_null() => Ok(Some(NodeId::default())),
            _ => optional_id("pShareInputOf", id),
        }
    }
}

/// # Safety
///
/// The array, with all that it points at, is readable for the call.
unsafe fn outputs(
    pointer: *const D3D12_NODE_OUTPUT_OVERRIDES,
    count: u32,
) -> Result<Vec<OutputOverrides>> {
    // SAFETY: the caller's promise.
    unsafe {
        let outputs = array("pOutputOverrides", pointer, count as usize, MOST_ELEMENTS)?;
        let mut read = Vec::new();
        for o in outputs {
            let shared = o.pMaxRecordsSharedWithOutputIndex;
            let output = OutputOverrides {
                output_index: o.OutputIndex,
                new_name: optional_id("pNewName", o.pNewName)?,
                allow_sparse_nodes: optional::<BOOL>("pAllowSparseNodes", o.pAllowSparseNodes)?
                    .map(BOOL::as_bool),
                max_records: optional("pMaxRecords", o.pMaxRecords)?,
                max_records_shared_with_output_index: optional(
                    "pMaxRecordsSharedWithOutputIndex",
                    shared,
                )?,
            };
            read.push(output);
        }
        Ok(read)
    }
}
