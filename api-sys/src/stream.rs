//! How a pipeline state stream is laid out.

use crate::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE;

/// One record of the stream that a
/// [`D3D12_PIPELINE_STATE_STREAM_DESC`](crate::D3D12_PIPELINE_STATE_STREAM_DESC) points at; a
/// structure of records is a stream.
///
/// Records begin where a pointer may; the payload follows the type at its own alignment.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PipelineStateSubobject<T> {
    align: [*const (); 0],
    /// What the payload is.
    pub Type: D3D12_PIPELINE_STATE_SUBOBJECT_TYPE,
    /// The payload.
    pub Payload: T,
}

impl<T> PipelineStateSubobject<T> {
    /// A record.
    pub const fn new(Type: D3D12_PIPELINE_STATE_SUBOBJECT_TYPE, Payload: T) -> Self {
        Self {
            align: [],
            Type,
            Payload,
        }
    }
}

// Sizes of records for 64-bit and 32-bit targets, of the layouts that payloads have: as measured with
// mingw-w64 of Microsoft's CD3DX12_PIPELINE_STATE_STREAM_SUBOBJECT.
macro_rules! size {
    ($payload:ty, $x64:literal, $x86:literal) => {
        const _: () = assert!(
            size_of::<PipelineStateSubobject<$payload>>()
                == if size_of::<usize>() == 8 { $x64 } else { $x86 }
        );
    };
}

size!(*const (), 16, 8);
size!(crate::D3D12_SHADER_BYTECODE, 24, 12);
size!(crate::D3D12_STREAM_OUTPUT_DESC, 40, 24);
size!(crate::D3D12_BLEND_DESC, 336, 332);
size!(u32, 8, 8);
size!(crate::D3D12_RASTERIZER_DESC, 48, 48);
size!(crate::D3D12_RASTERIZER_DESC1, 48, 48);
size!(crate::D3D12_RASTERIZER_DESC2, 48, 44);
size!(crate::D3D12_DEPTH_STENCIL_DESC, 56, 56);
size!(crate::D3D12_DEPTH_STENCIL_DESC1, 64, 60);
size!(crate::D3D12_DEPTH_STENCIL_DESC2, 64, 64);
size!(crate::D3D12_INPUT_LAYOUT_DESC, 24, 12);
size!(crate::D3D12_RT_FORMAT_ARRAY, 40, 40);
size!(crate::DXGI_SAMPLE_DESC, 16, 12);
size!(crate::D3D12_CACHED_PIPELINE_STATE, 24, 12);
size!(crate::D3D12_VIEW_INSTANCING_DESC, 32, 16);
size!(crate::D3D12_SERIALIZED_ROOT_SIGNATURE_DESC, 24, 12);
