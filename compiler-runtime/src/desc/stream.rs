//! Pipeline state streams: records of a type and a payload, one behind the other.

use std::ffi::c_void;
use std::fmt;

use api_sys::caller::{Refused, StreamWalk, required};
use api_sys::{
    D3D12_BLEND_DESC, D3D12_CACHED_PIPELINE_STATE, D3D12_DEPTH_STENCIL_DESC,
    D3D12_DEPTH_STENCIL_DESC1, D3D12_DEPTH_STENCIL_DESC2, D3D12_INDEX_BUFFER_STRIP_CUT_VALUE,
    D3D12_INPUT_LAYOUT_DESC, D3D12_PIPELINE_STATE_FLAGS, D3D12_PIPELINE_STATE_STREAM_DESC,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_RASTERIZER_DESC, D3D12_RASTERIZER_DESC1,
    D3D12_RASTERIZER_DESC2, D3D12_RT_FORMAT_ARRAY, D3D12_SERIALIZED_ROOT_SIGNATURE_DESC,
    D3D12_SHADER_BYTECODE, D3D12_STREAM_OUTPUT_DESC, D3D12_VIEW_INSTANCING_DESC, DXGI_FORMAT,
    DXGI_SAMPLE_DESC,
};

use super::Invalid;
use crate::message::MessageId;

/// Where a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// How many records are before it.
    pub index: usize,
    /// Bytes from the start of the stream to its type.
    pub offset: usize,
    /// Its type, without `D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_`.
    pub name: &'static str,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            index,
            offset,
            name,
        } = self;
        write!(f, "record {index} at byte {offset} ({name})")
    }
}

/// A record of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a, T> {
    /// Where it is.
    pub place: Place,
    /// Its payload.
    pub payload: &'a T,
}

macro_rules! records {
    ($($field:ident: $name:ident, $number:ident, $family:literal, $payload:ty;)*) => {
        /// The records of a stream by their types; none of them means anything yet.
        #[derive(Clone, Copy, Debug, Default)]
        #[allow(missing_docs, reason = "named by their types")]
        pub struct Stream<'a> {
            $(pub $field: Option<Record<'a, $payload>>,)*
        }

        impl<'a> Stream<'a> {
            /// Takes the record that `walk` has come to, and goes on; gives its family and place.
            ///
            /// # Safety
            ///
            /// The stream's bytes are valid and unchanged for `'a`.
            unsafe fn take(
                &mut self,
                walk: &mut StreamWalk,
                index: usize,
            ) -> Result<(usize, Place), Invalid> {
                let offset = walk.offset();
                let place = |name| Place { index, offset, name };
                // SAFETY: the caller's promise.
                let kind = unsafe { walk.kind() };
                match kind.map_err(|refused| cut_off(place("the type"), refused))? {
                    $(api_sys::$number => {
                        let place = place(stringify!($name));
                        // SAFETY: the caller's promise.
                        let payload = unsafe { walk.payload::<$payload>() };
                        let payload = payload.map_err(|refused| cut_off(place, refused))?;
                        self.$field = Some(Record { place, payload });
                        Ok(($family, place))
                    })*
                    kind => {
                        let text = format!("record {index} at byte {offset}: type {kind} is unknown");
                        Err(Invalid::new(MessageId::CREATEPIPELINESTATE_UNKNOWN_SUBOBJECT, text))
                    }
                }
            }
        }
    };
}

// Types of one family exclude each other: they are versions of one thing.
records! {
    root_signature: ROOT_SIGNATURE, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE, 0, *const c_void;
    vs: VS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS, 1, D3D12_SHADER_BYTECODE;
    ps: PS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS, 2, D3D12_SHADER_BYTECODE;
    ds: DS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS, 3, D3D12_SHADER_BYTECODE;
    hs: HS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS, 4, D3D12_SHADER_BYTECODE;
    gs: GS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS, 5, D3D12_SHADER_BYTECODE;
    cs: CS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS, 6, D3D12_SHADER_BYTECODE;
    stream_output: STREAM_OUTPUT, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT, 7, D3D12_STREAM_OUTPUT_DESC;
    blend: BLEND, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND, 8, D3D12_BLEND_DESC;
    sample_mask: SAMPLE_MASK, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, 9, u32;
    rasterizer: RASTERIZER, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER, 10, D3D12_RASTERIZER_DESC;
    rasterizer1: RASTERIZER1, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER1, 10, D3D12_RASTERIZER_DESC1;
    rasterizer2: RASTERIZER2, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2, 10, D3D12_RASTERIZER_DESC2;
    depth_stencil: DEPTH_STENCIL, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL, 11, D3D12_DEPTH_STENCIL_DESC;
    depth_stencil1: DEPTH_STENCIL1, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1, 11, D3D12_DEPTH_STENCIL_DESC1;
    depth_stencil2: DEPTH_STENCIL2, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2, 11, D3D12_DEPTH_STENCIL_DESC2;
    input_layout: INPUT_LAYOUT, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, 12, D3D12_INPUT_LAYOUT_DESC;
    ib_strip_cut_value: IB_STRIP_CUT_VALUE, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE, 13, D3D12_INDEX_BUFFER_STRIP_CUT_VALUE;
    primitive_topology: PRIMITIVE_TOPOLOGY, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, 14, D3D12_PRIMITIVE_TOPOLOGY_TYPE;
    render_target_formats: RENDER_TARGET_FORMATS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, 15, D3D12_RT_FORMAT_ARRAY;
    depth_stencil_format: DEPTH_STENCIL_FORMAT, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT, 16, DXGI_FORMAT;
    sample_desc: SAMPLE_DESC, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, 17, DXGI_SAMPLE_DESC;
    node_mask: NODE_MASK, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK, 18, u32;
    cached_pso: CACHED_PSO, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CACHED_PSO, 19, D3D12_CACHED_PIPELINE_STATE;
    flags: FLAGS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS, 20, D3D12_PIPELINE_STATE_FLAGS;
    view_instancing: VIEW_INSTANCING, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING, 22, D3D12_VIEW_INSTANCING_DESC;
    amplification_shader: AS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS, 24, D3D12_SHADER_BYTECODE;
    ms: MS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS, 25, D3D12_SHADER_BYTECODE;
    serialized_root_signature: SERIALIZED_ROOT_SIGNATURE, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE, 29, D3D12_SERIALIZED_ROOT_SIGNATURE_DESC;
}

/// One more than the largest family.
const FAMILIES: usize = 30;

fn cut_off(place: Place, refused: Refused) -> Invalid {
    let id = MessageId::CREATEPIPELINESTATE_INVALID_STREAM;
    Invalid::new(id, refused.0).at(place)
}

impl Stream<'_> {
    /// Reads the records of a stream.
    ///
    /// # Errors
    ///
    /// A null or empty stream, one that is not aligned, a record that is cut off, of an unknown type,
    /// or of a family that was there before.
    ///
    /// # Safety
    ///
    /// `desc` is null or points at a description; its stream is null or has as many bytes as it says,
    /// valid and unchanged for as long as the result lives.
    pub unsafe fn read(desc: *const D3D12_PIPELINE_STATE_STREAM_DESC) -> Result<Self, Invalid> {
        let invalid = MessageId::CREATEPIPELINESTATE_INVALID_STREAM;
        // SAFETY: the caller's promise.
        let desc = unsafe { required("the stream description", desc) }
            .map_err(|refused| Invalid::new(invalid, refused.0))?;
        let id = match desc.SizeInBytes {
            0 => MessageId::CREATEPIPELINESTATE_ZERO_SIZE_STREAM,
            _ => invalid,
        };
        let mut walk = StreamWalk::new(desc).map_err(|refused| Invalid::new(id, refused.0))?;
        let mut stream = Self::default();
        let mut seen: [Option<Place>; FAMILIES] = [None; FAMILIES];
        let mut index = 0;
        while !walk.is_at_end() {
            // SAFETY: the caller's promise.
            let (family, place) = unsafe { stream.take(&mut walk, index) }?;
            if let Some(before) = seen[family].replace(place) {
                let id = MessageId::CREATEPIPELINESTATE_DUPLICATE_SUBOBJECT;
                return Err(Invalid::new(id, format!("{place} repeats {before}")));
            }
            index += 1;
        }
        Ok(stream)
    }
}
