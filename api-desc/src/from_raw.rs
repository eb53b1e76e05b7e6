//! Reads the API's structures into descriptions.

use std::ffi::c_void;

use crate::caller::{StreamWalk, array, required, string, wide_string};
#[allow(clippy::wildcard_imports, reason = "the structures of a description")]
use api_sys::*;
use windows_core::{BOOL, PCSTR, PCWSTR};

use crate::place::newest;
use crate::{
    Association, CollectionOfCaller, DxilAssociation, DxilLibrary, ExistingCollection, Export,
    GenericProgram, HitGroup, InputElement, Invalid, NodeId, OutputOverrides, PipelineStateDesc,
    Reason, RecordPlace, RecordPlaces, ShaderNode, ShaderStage, State, StateObjectDesc,
    StreamOutput, StreamOutputEntry, Subobject, SubobjectPlace, ViewInstancing, WorkGraph,
};

type Result<T> = std::result::Result<T, Invalid>;

/// A limit on the elements of an array, far above what a description needs.
const MOST_ELEMENTS: usize = 1 << 20;
/// A limit on input elements; Direct3D 12 allows 32.
const MOST_INPUT_ELEMENTS: usize = 1024;
/// A limit on the entries and strides of a stream output, which has 128 components in each of 4 streams.
const MOST_STREAM_OUTPUT: usize = 512;
/// The most views of a pipeline (`D3D12_MAX_VIEW_INSTANCE_COUNT`).
const MOST_VIEW_INSTANCES: usize = 4;
/// A limit on the bytes of a container.
const MOST_BYTES: usize = 1 << 31;

fn refuse<T>(text: impl Into<String>) -> Result<T> {
    Err(Invalid::new(Reason::Other, text))
}

/// Copies what a pointer points at; `None` for null.
///
/// # Safety
///
/// As [`required`].
unsafe fn optional<T: Copy>(what: &str, pointer: *const T) -> Result<Option<T>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: `pointer` is not null; it is not aligned, or to a `T` that is valid for the call (`# Safety`).
    Ok(Some(*unsafe { required(what, pointer) }?))
}

/// Borrows `len` bytes; `None` for null and no bytes.
///
/// # Safety
///
/// `pointer` is null or points at `len` bytes, readable and unchanged for `'a`, unless that is more than a container has.
unsafe fn blob<'a>(what: &str, pointer: *const c_void, len: usize) -> Result<Option<&'a [u8]>> {
    if len == 0 {
        if pointer.is_null() {
            return Ok(None);
        }
        return refuse(format!("{what} is not null, but has no bytes"));
    }
    // SAFETY: `pointer` is null or points at `len` bytes for `'a`, unless that is more than a container has (`# Safety`).
    Ok(Some(unsafe {
        array(what, pointer.cast(), len, MOST_BYTES)
    }?))
}

/// Reads a string, which may be empty.
///
/// # Safety
///
/// As [`wide_string`].
unsafe fn text(what: &str, pointer: PCWSTR) -> Result<String> {
    // SAFETY: `pointer` is null, not aligned, or to units up to a NUL (`# Safety`).
    let units = unsafe { wide_string(what, pointer.0) }?;
    String::from_utf16(units)
        .or_else(|_| refuse(format!("{what} is no UTF-16: a surrogate stands alone")))
}

/// # Safety
///
/// `pointer` is null, or as [`text`] wants it.
unsafe fn optional_text(what: &str, pointer: PCWSTR) -> Result<Option<String>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: `pointer` is not null; it is not aligned, or to units up to a NUL (`# Safety`).
    unsafe { text(what, pointer) }.map(Some)
}

/// Reads a semantic's name.
///
/// # Safety
///
/// As [`string`].
unsafe fn semantic_name(pointer: PCSTR) -> Result<String> {
    // SAFETY: `pointer` is null or to bytes up to a NUL (`# Safety`).
    let bytes = unsafe { string("SemanticName", pointer.0) }?;
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => refuse("SemanticName is no UTF-8"),
    }
}

/// # Safety
///
/// The array and its strings are readable for the call.
unsafe fn names(pointer: *mut PCWSTR, count: u32) -> Result<Vec<String>> {
    let what = "pExports";
    // SAFETY: array and strings are readable (`# Safety`).
    unsafe {
        let names = array(what, pointer.cast_const(), count as usize, MOST_ELEMENTS)?;
        let name = |(index, name): (usize, &PCWSTR)| text(&format!("{what}[{index}]"), *name);
        names.iter().enumerate().map(name).collect()
    }
}

/// # Safety
///
/// The array and its strings are readable for the call.
unsafe fn exports(pointer: *const D3D12_EXPORT_DESC, count: u32) -> Result<Vec<Export>> {
    // SAFETY: the array is readable (`# Safety`).
    let descs = unsafe { array("pExports", pointer, count as usize, MOST_ELEMENTS) }?;
    // SAFETY: the strings are readable (`# Safety`).
    let export = |desc: &D3D12_EXPORT_DESC| unsafe {
        Ok(Export {
            name: text("Name", desc.Name)?,
            export_to_rename: optional_text("ExportToRename", desc.ExportToRename)?,
            flags: desc.Flags,
        })
    };
    let export = |(index, desc)| {
        export(desc).map_err(|error: Invalid| error.at(format_args!("pExports[{index}]")))
    };
    descs.iter().enumerate().map(export).collect()
}

impl PipelineStateDesc<&[u8]> {
    /// Reads a description. Shaders and root signature stay where they are.
    ///
    /// # Errors
    ///
    /// A pointer is null or misaligned, a record is cut off, of an unknown type or repeated, a count is above its limit, or a
    /// string has no end.
    ///
    /// # Safety
    ///
    /// `desc` is null, or it and all that can be reached from it are readable and unchanged for the call, and the shaders and
    /// the root signature as long as the result lives. Each pointer is null or points at as much as the count or size beside it
    /// says. Each string ends with NUL.
    pub unsafe fn borrow_raw(
        desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> Result<(Self, RecordPlaces)> {
        let invalid = |text| Invalid::new(Reason::Stream, text);
        // SAFETY: the structure is readable (`# Safety`).
        let desc = unsafe { required("the stream description", desc) };
        let desc = desc.map_err(|refused| invalid(refused.0))?;
        let mut walk = StreamWalk::new(desc).map_err(|refused| match desc.SizeInBytes {
            0 => Invalid::new(Reason::EmptyStream, refused.0),
            _ => invalid(refused.0),
        })?;
        let mut read = Self::default();
        let mut places = RecordPlaces::default();
        while !walk.is_at_end() {
            let (index, offset) = (places.0.len(), walk.offset());
            // SAFETY: the stream is readable (`# Safety`).
            let kind = unsafe { walk.kind() }.map_err(|refused| {
                invalid(refused.0).at(format_args!("record {index} at byte {offset} (the type)"))
            })?;
            let place = RecordPlace {
                index,
                offset,
                kind,
            };
            let is_same = |before: &&RecordPlace| newest(before.kind) == newest(kind);
            if let Some(before) = places.0.iter().find(is_same) {
                let text = format!("{place} repeats {before}");
                return Err(Invalid::new(Reason::RepeatedRecord, text));
            }
            // SAFETY: the stream, and all that is reached from there, is readable (`# Safety`).
            let is_known = unsafe { read.take(&mut walk, kind) };
            if !is_known.map_err(|error| error.at(place))? {
                let text = format!("record {index} at byte {offset}: type {kind} is unknown");
                return Err(Invalid::new(Reason::UnknownRecord, text));
            }
            places.0.push(place);
        }
        Ok((read, places))
    }

    /// Reads the next record; returns whether its type is known.
    ///
    /// # Safety
    ///
    /// As [`borrow_raw`](Self::borrow_raw) for what is reached from the stream.
    unsafe fn take(&mut self, walk: &mut StreamWalk, kind: i32) -> Result<bool> {
        // SAFETY: the type says what the payload is; it is readable, with what it points at (`# Safety`).
        unsafe {
            match kind {
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE => {
                    let object = *walk.next::<*const c_void>()?;
                    self.has_root_signature_object = !object.is_null();
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE => {
                    self.root_signature = root_signature(walk.next()?)?;
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK => {
                    self.node_mask = Some(*walk.next()?);
                }
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CACHED_PSO => {
                    let cached = walk.next::<D3D12_CACHED_PIPELINE_STATE>()?;
                    self.has_cached_blob = !cached.pCachedBlob.is_null();
                }
                kind => {
                    let mut stages = ShaderStage::ALL.into_iter();
                    if let Some(stage) = stages.find(|stage| stage.record_type() == kind) {
                        self.shaders[stage] = bytecode("pShaderBytecode", walk.next()?)?;
                    } else if let Some(state) = state_of_record(walk, kind)? {
                        self.fixed_function.set(state);
                    } else {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}

impl PipelineStateDesc {
    /// Copies a description.
    ///
    /// # Errors
    ///
    /// As [`borrow_raw`](Self::borrow_raw).
    ///
    /// # Safety
    ///
    /// As [`borrow_raw`](Self::borrow_raw), for the call.
    pub unsafe fn from_raw(desc: *const D3D12_PIPELINE_STATE_STREAM_DESC) -> Result<Self> {
        // SAFETY: `desc` is null, or all that is reached from there is readable for the call (`# Safety`).
        unsafe { PipelineStateDesc::borrow_raw(desc) }.map(|(desc, _)| desc.to_shared())
    }
}

/// What has a structure to read: a record of a stream, or a subobject.
trait Payload {
    /// # Safety
    ///
    /// The structure is a `T`, readable and unchanged for `'a`, and any bits are a valid `T`.
    unsafe fn next<'a, T>(&mut self) -> Result<&'a T>;
}

impl Payload for StreamWalk {
    unsafe fn next<'a, T>(&mut self) -> Result<&'a T> {
        // SAFETY: the record's payload is a `T` that is readable for `'a`, and any bits are a `T` (`# Safety`).
        let payload = unsafe { self.payload() };
        payload.map_err(|refused| Invalid::new(Reason::Stream, refused.0))
    }
}

impl Payload for D3D12_STATE_SUBOBJECT {
    unsafe fn next<'a, T>(&mut self) -> Result<&'a T> {
        // SAFETY: `pDesc` is null, not aligned, or to a `T` that is readable for `'a` (`# Safety`).
        Ok(unsafe { required("pDesc", self.pDesc.cast()) }?)
    }
}

/// The state that a record of a stream sets; `None` for a record of another type.
///
/// # Safety
///
/// The payload has the type that `kind` says, and is readable for the call with all that it points at.
unsafe fn state_of_record(from: &mut StreamWalk, kind: i32) -> Result<Option<State>> {
    // SAFETY: the type says what the payload is; it is readable, with what it points at (`# Safety`).
    unsafe {
        let kind = match kind {
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER => {
                let desc = *from.next::<D3D12_RASTERIZER_DESC>()?;
                return Ok(Some(State::Rasterizer(desc.into())));
            }
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER1 => {
                let desc = *from.next::<D3D12_RASTERIZER_DESC1>()?;
                return Ok(Some(State::Rasterizer(desc.into())));
            }
            kind => STATE_TYPES.iter().find(|(record, _)| *record == kind),
        };
        match kind {
            Some((_, kind)) => state(from, *kind),
            None => Ok(None),
        }
    }
}

/// The state that a subobject sets; `None` for a subobject of another type.
///
/// # Safety
///
/// As [`state_of_record`].
unsafe fn state(from: &mut impl Payload, kind: i32) -> Result<Option<State>> {
    // SAFETY: the type says what the payload is; it is readable, with what it points at (`# Safety`).
    unsafe {
        Ok(Some(match kind {
            D3D12_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT => {
                State::StreamOutput(stream_output(from.next()?)?)
            }
            D3D12_STATE_SUBOBJECT_TYPE_BLEND => State::Blend(Box::new(*from.next()?)),
            D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK => State::SampleMask(*from.next()?),
            D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER => State::Rasterizer(*from.next()?),
            D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL => State::DepthStencil(*from.next()?),
            D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1 => State::DepthStencil1(*from.next()?),
            D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2 => State::DepthStencil2(*from.next()?),
            D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT => {
                State::InputLayout(input_layout(from.next()?)?)
            }
            D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE => State::IbStripCutValue(*from.next()?),
            D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY => {
                State::PrimitiveTopology(*from.next()?)
            }
            D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS => {
                State::RenderTargetFormats(*from.next()?)
            }
            D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT => {
                State::DepthStencilFormat(*from.next()?)
            }
            D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC => State::SampleDesc(*from.next()?),
            D3D12_STATE_SUBOBJECT_TYPE_FLAGS => State::Flags(*from.next()?),
            D3D12_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING => {
                State::ViewInstancing(view_instancing(from.next()?)?)
            }
            _ => return Ok(None),
        }))
    }
}

/// Types of records, each with the type of the subobject that has the same structure.
pub(crate) const STATE_TYPES: [(i32, i32); 15] = [
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
        D3D12_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND,
        D3D12_STATE_SUBOBJECT_TYPE_BLEND,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
        D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2,
        D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
        D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1,
        D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2,
        D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
        D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
        D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
        D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
        D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
        D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
        D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS,
        D3D12_STATE_SUBOBJECT_TYPE_FLAGS,
    ),
    (
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING,
        D3D12_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING,
    ),
];

/// # Safety
///
/// The bytes are readable and unchanged for `'a`.
unsafe fn bytecode<'a>(what: &str, code: &D3D12_SHADER_BYTECODE) -> Result<Option<&'a [u8]>> {
    // SAFETY: the bytes are readable (`# Safety`).
    unsafe { blob(what, code.pShaderBytecode, code.BytecodeLength) }
}

/// # Safety
///
/// The bytes are readable and unchanged for `'a`.
unsafe fn root_signature<'a>(
    desc: &D3D12_SERIALIZED_ROOT_SIGNATURE_DESC,
) -> Result<Option<&'a [u8]>> {
    // SAFETY: the bytes are readable (`# Safety`).
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
    let limit = MOST_STREAM_OUTPUT;
    // SAFETY: the arrays are readable (`# Safety`).
    let (entries, strides): (_, Result<&[u32]>) = unsafe {
        (
            array(
                "pSODeclaration",
                desc.pSODeclaration,
                desc.NumEntries as usize,
                limit,
            )
            .map_err(|refused| Invalid::new(Reason::StreamOutputEntries, refused.0)),
            array(
                "pBufferStrides",
                desc.pBufferStrides,
                desc.NumStrides as usize,
                limit,
            )
            .map_err(|refused| Invalid::new(Reason::StreamOutputStrides, refused.0)),
        )
    };
    let (entries, strides) = (entries?, strides?);
    let entry = |(index, desc): (usize, &D3D12_SO_DECLARATION_ENTRY)| {
        let semantic_name = if desc.SemanticName.is_null() {
            None
        } else {
            // SAFETY: the names are readable (`# Safety`).
            let name = unsafe { semantic_name(desc.SemanticName) };
            Some(name.map_err(|error| error.at(format_args!("stream output entry {index}")))?)
        };
        Ok(StreamOutputEntry {
            stream: desc.Stream,
            semantic_name,
            semantic_index: desc.SemanticIndex,
            start_component: desc.StartComponent,
            component_count: desc.ComponentCount,
            output_slot: desc.OutputSlot,
        })
    };
    Ok(StreamOutput {
        entries: entries
            .iter()
            .enumerate()
            .map(entry)
            .collect::<Result<_>>()?,
        strides: strides.to_vec(),
        rasterized_stream: desc.RasterizedStream,
    })
}

/// # Safety
///
/// The array and names are readable for the call.
unsafe fn input_layout(desc: &D3D12_INPUT_LAYOUT_DESC) -> Result<Vec<InputElement>> {
    // SAFETY: the array is readable (`# Safety`).
    let elements: &[D3D12_INPUT_ELEMENT_DESC] = unsafe {
        array(
            "pInputElementDescs",
            desc.pInputElementDescs,
            desc.NumElements as usize,
            MOST_INPUT_ELEMENTS,
        )
    }
    .map_err(|refused| Invalid::new(Reason::InputElements, refused.0))?;
    let element = |(index, desc): (usize, &D3D12_INPUT_ELEMENT_DESC)| {
        // SAFETY: the names are readable (`# Safety`).
        let name = unsafe { semantic_name(desc.SemanticName) }.map_err(|error| {
            let error = error.or(Reason::InputSemantic);
            error.at(format_args!("input element {index}"))
        })?;
        Ok(InputElement {
            semantic_name: name,
            semantic_index: desc.SemanticIndex,
            format: desc.Format,
            input_slot: desc.InputSlot,
            aligned_byte_offset: desc.AlignedByteOffset,
            input_slot_class: desc.InputSlotClass,
            instance_data_step_rate: desc.InstanceDataStepRate,
        })
    };
    elements.iter().enumerate().map(element).collect()
}

/// # Safety
///
/// The array is readable for the call.
unsafe fn view_instancing(desc: &D3D12_VIEW_INSTANCING_DESC) -> Result<ViewInstancing> {
    // SAFETY: the array is readable (`# Safety`).
    let locations: &[D3D12_VIEW_INSTANCE_LOCATION] = unsafe {
        array(
            "pViewInstanceLocations",
            desc.pViewInstanceLocations,
            desc.ViewInstanceCount as usize,
            MOST_VIEW_INSTANCES,
        )
    }
    .map_err(|refused| Invalid::new(Reason::ViewInstances, refused.0))?;
    Ok(ViewInstancing {
        locations: locations.to_vec(),
        flags: desc.Flags,
    })
}

impl StateObjectDesc<CollectionOfCaller, &[u8]> {
    /// Reads a description. Libraries and root signatures stay where they are. `refused` returns the reason if the caller does
    /// not take subobjects of a type; this does not read what such a subobject points at.
    ///
    /// # Errors
    ///
    /// A pointer is null or misaligned, a subobject is of an unknown or refused type, an association or a program points
    /// outside of the description or at a subobject of the wrong type, a count is above its limit, or a string has no end or is
    /// not UTF-16.
    ///
    /// # Safety
    ///
    /// `desc` is null, or it and all that can be reached from it are readable and unchanged for the call, and the libraries and
    /// the root signatures as long as the result lives. Each pointer is null or points at as much as the count or size beside
    /// it says. Each string ends with NUL. This does not follow pointers to API objects.
    pub unsafe fn from_raw(
        desc: *const D3D12_STATE_OBJECT_DESC,
        refused: impl Fn(D3D12_STATE_SUBOBJECT_TYPE) -> Option<&'static str>,
    ) -> Result<Self> {
        // SAFETY: the structure and its array are readable (`# Safety`).
        let (desc, all): (_, &[D3D12_STATE_SUBOBJECT]) = unsafe {
            let desc = required("the state object description", desc)?;
            let count = desc.NumSubobjects as usize;
            (
                desc,
                array("pSubobjects", desc.pSubobjects, count, MOST_ELEMENTS)?,
            )
        };
        let subobject = |(index, raw): (usize, &D3D12_STATE_SUBOBJECT)| {
            let read = match refused(raw.Type) {
                Some(why) => refuse(why),
                // SAFETY: all that is reached from the subobject is readable (`# Safety`).
                None => unsafe { subobject(*raw, all) },
            };
            read.map_err(|error| error.at(place(index, all)))
        };
        Ok(Self {
            kind: desc.Type,
            subobjects: all
                .iter()
                .enumerate()
                .map(subobject)
                .collect::<Result<_>>()?,
        })
    }
}

fn place(index: usize, all: &[D3D12_STATE_SUBOBJECT]) -> SubobjectPlace {
    SubobjectPlace {
        index,
        kind: all[index].Type,
    }
}

/// # Safety
///
/// As [`StateObjectDesc::from_raw`] for what is reached from the subobject.
unsafe fn subobject<'a>(
    mut raw: D3D12_STATE_SUBOBJECT,
    all: &[D3D12_STATE_SUBOBJECT],
) -> Result<Subobject<CollectionOfCaller, &'a [u8]>> {
    let kind = raw.Type;
    // SAFETY: the type says what `pDesc` points at; it is readable, with what it points at (`# Safety`).
    unsafe {
        Ok(match kind {
            D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => {
                Subobject::Config(raw.next::<D3D12_STATE_OBJECT_CONFIG>()?.Flags)
            }
            D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE
            | D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE => {
                return refuse(
                    "use the SERIALIZED form: an ID3D12RootSignature belongs to a device",
                );
            }
            D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK => {
                Subobject::NodeMask(raw.next::<D3D12_NODE_MASK>()?.NodeMask)
            }
            D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => {
                let desc = raw.next::<D3D12_DXIL_LIBRARY_DESC>()?;
                let Some(bytecode) = bytecode("DXILLibrary", &desc.DXILLibrary)? else {
                    return refuse("DXILLibrary is empty");
                };
                Subobject::Library(DxilLibrary {
                    bytecode,
                    exports: exports(desc.pExports, desc.NumExports)?,
                })
            }
            D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION
            | D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION => {
                // The two structures differ in the type of the object. This reads an address, which may be null; an interface
                // may not.
                let desc = raw.next::<D3D12_COMPILER_EXISTING_COLLECTION_DESC>()?;
                let object = (&raw const desc.pExistingCollection)
                    .cast::<*mut c_void>()
                    .read();
                Subobject::Collection(ExistingCollection {
                    collection: match kind {
                        D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION => {
                            CollectionOfCaller::StateObject(object)
                        }
                        _ => CollectionOfCaller::Compiled(object),
                    },
                    exports: exports(desc.pExports, desc.NumExports)?,
                })
            }
            D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY => {
                let desc = raw.next::<D3D12_EXISTING_COLLECTION_BY_KEY_DESC>()?;
                let Some(key) = blob("pKey", desc.pKey, desc.KeySize as usize)? else {
                    return refuse("pKey is null");
                };
                Subobject::Collection(ExistingCollection {
                    collection: CollectionOfCaller::Key(key.to_vec()),
                    exports: exports(desc.pExports, desc.NumExports)?,
                })
            }
            D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                let desc = raw.next::<D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION>()?;
                Subobject::Association(Association {
                    subobject: associated(desc.pSubobjectToAssociate, all)?,
                    exports: names(desc.pExports, desc.NumExports)?,
                })
            }
            D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                let desc = raw.next::<D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION>()?;
                Subobject::DxilAssociation(DxilAssociation {
                    subobject: text("SubobjectToAssociate", desc.SubobjectToAssociate)?,
                    exports: names(desc.pExports, desc.NumExports)?,
                })
            }
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG => {
                Subobject::ShaderConfig(*raw.next()?)
            }
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG => {
                Subobject::PipelineConfig(*raw.next()?)
            }
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1 => {
                Subobject::PipelineConfig1(*raw.next()?)
            }
            D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP => Subobject::HitGroup(hit_group(raw.next()?)?),
            D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH => Subobject::WorkGraph(work_graph(raw.next()?)?),
            D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => {
                Subobject::GenericProgram(generic_program(raw.next()?, all)?)
            }
            // Both structures hold one root signature and nothing else.
            D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE
            | D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE => {
                let Some(bytes) = root_signature(raw.next()?)? else {
                    return refuse("pSerializedBlob is empty");
                };
                match kind {
                    D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE => {
                        Subobject::GlobalRootSignature(bytes)
                    }
                    _ => Subobject::LocalRootSignature(bytes),
                }
            }
            D3D12_STATE_SUBOBJECT_TYPE_API_EXTENSION
            | D3D12_STATE_SUBOBJECT_TYPE_PARTIAL_GRAPHICS_PROGRAM
                ..=D3D12_STATE_SUBOBJECT_TYPE_MLIR_PROGRAM => {
                return refuse("the type is of a preview, which is not supported");
            }
            _ => match state(&mut raw, kind)? {
                Some(state) => Subobject::State(state),
                None => return refuse("the type is unknown"),
            },
        })
    }
}

/// The index of the subobject that a pointer points at, which must be in this description. Compares the pointer and never
/// follows it.
fn position(pointer: *const D3D12_STATE_SUBOBJECT, all: &[D3D12_STATE_SUBOBJECT]) -> Option<usize> {
    let offset = pointer.addr().checked_sub(all.as_ptr().addr())?;
    let index = offset / size_of::<D3D12_STATE_SUBOBJECT>();
    let is_element = offset.is_multiple_of(size_of::<D3D12_STATE_SUBOBJECT>()) && index < all.len();
    is_element.then_some(index)
}

/// The subobject that an association points at.
fn associated(
    pointer: *const D3D12_STATE_SUBOBJECT,
    all: &[D3D12_STATE_SUBOBJECT],
) -> Result<usize> {
    let Some(index) = position(pointer, all) else {
        return refuse("pSubobjectToAssociate is no element of pSubobjects");
    };
    if !matches!(
        all[index].Type,
        D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG
            | D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE
            | D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE
            | D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK
            | D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG
            | D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG
            | D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1
    ) {
        return refuse(format!(
            "{} cannot be associated with exports",
            place(index, all)
        ));
    }
    Ok(index)
}

/// # Safety
///
/// The strings are readable for the call.
unsafe fn hit_group(desc: &D3D12_HIT_GROUP_DESC) -> Result<HitGroup> {
    // SAFETY: the strings are readable (`# Safety`).
    unsafe {
        Ok(HitGroup {
            export: text("HitGroupExport", desc.HitGroupExport)?,
            kind: desc.Type,
            any_hit: optional_text("AnyHitShaderImport", desc.AnyHitShaderImport)?,
            closest_hit: optional_text("ClosestHitShaderImport", desc.ClosestHitShaderImport)?,
            intersection: optional_text("IntersectionShaderImport", desc.IntersectionShaderImport)?,
        })
    }
}

/// # Safety
///
/// The arrays and strings are readable for the call.
unsafe fn generic_program(
    desc: &D3D12_GENERIC_PROGRAM_DESC,
    all: &[D3D12_STATE_SUBOBJECT],
) -> Result<GenericProgram> {
    // SAFETY: arrays and strings are readable (`# Safety`).
    let (name, exports, pointers) = unsafe {
        let count = desc.NumSubobjects as usize;
        (
            optional_text("ProgramName", desc.ProgramName)?,
            names(desc.pExports, desc.NumExports)?,
            array("ppSubobjects", desc.ppSubobjects, count, MOST_ELEMENTS)?,
        )
    };
    let listed = |(index, &pointer): (usize, &*const D3D12_STATE_SUBOBJECT)| {
        let Some(listed) = position(pointer, all) else {
            return refuse(format!(
                "ppSubobjects[{index}] is no element of pSubobjects"
            ));
        };
        let kind = all[listed].Type;
        if !STATE_TYPES.iter().any(|(_, state)| *state == kind) {
            return refuse(format!(
                "ppSubobjects[{index}] is {}, which generic programs do not list",
                place(listed, all)
            ));
        }
        Ok(listed)
    };
    Ok(GenericProgram {
        name,
        exports,
        state: pointers
            .iter()
            .enumerate()
            .map(listed)
            .collect::<Result<_>>()?,
    })
}

/// # Safety
///
/// The arrays, with all that they point at, are readable for the call.
unsafe fn work_graph(desc: &D3D12_WORK_GRAPH_DESC) -> Result<WorkGraph> {
    // SAFETY: the arrays are readable, with all that they point at (`# Safety`).
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
        for (index, id) in entry_points.iter().enumerate() {
            let id = node_id(id);
            let id = id.map_err(|error| error.at(format_args!("pEntrypoints[{index}]")))?;
            graph.entry_points.push(id);
        }
        for (index, node) in nodes.iter().enumerate() {
            let place = format_args!("pExplicitlyDefinedNodes[{index}]");
            let node = shader_node(node).map_err(|error| error.at(place))?;
            graph.nodes.push(node);
        }
        Ok(graph)
    }
}

/// # Safety
///
/// The name is readable for the call.
unsafe fn node_id(id: &D3D12_NODE_ID) -> Result<NodeId> {
    // SAFETY: the name is readable (`# Safety`).
    let name = unsafe { text("Name", id.Name) }?;
    if name.is_empty() {
        return refuse("Name is empty");
    }
    Ok(NodeId {
        name,
        array_index: id.ArrayIndex,
    })
}

/// # Safety
///
/// The node, with all that it points at, is readable for the call.
unsafe fn shader_node(node: &D3D12_NODE) -> Result<ShaderNode> {
    if node.NodeType != D3D12_NODE_TYPE_SHADER {
        return refuse(format!("NodeType {} is unknown", node.NodeType));
    }
    /// The members that the structures of all launch modes have.
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
    // SAFETY: the type says which arm of each union is set; what it points at is readable (`# Safety`).
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
            unknown => return refuse(format!("OverridesType {unknown} is unknown")),
        }
        Ok(read)
    }
}

/// # Safety
///
/// As [`required`]; the name is readable for the call.
unsafe fn optional_id(what: &str, id: *const D3D12_NODE_ID) -> Result<Option<NodeId>> {
    // SAFETY: what the pointer points at is readable, with its names (`# Safety`).
    unsafe {
        let id = optional(what, id)?;
        id.map(|id| node_id(&id).map_err(|error| error.at(what)))
            .transpose()
    }
}

/// # Safety
///
/// As [`optional_id`].
unsafe fn share_input_of(id: *const D3D12_NODE_ID) -> Result<Option<NodeId>> {
    // SAFETY: what the pointer points at is readable, with its names (`# Safety`).
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
    // SAFETY: what the pointer points at is readable, with its names (`# Safety`).
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
