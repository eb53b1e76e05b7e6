//! Builds pipeline state streams as C lays them out.

use std::any::Any;
use std::ffi::{CString, c_void};
use std::mem::MaybeUninit;
use std::rc::Rc;

use api_desc::PipelineStateDesc;
use api_sys::*;
use compiler_runtime::desc::Invalid;
use compiler_runtime::desc::pipeline_state::PipelineState;
use compiler_runtime::desc::target::Capabilities;
use compiler_runtime::message::{Message, Messages, Severity};
use dxil::{FourCc, Signature, SystemValue};

use crate::corpus::Blob;

const WORD: usize = size_of::<*const c_void>();

/// A stream, and what it points to.
#[derive(Clone, Default)]
pub struct StreamBuilder {
    words: Vec<MaybeUninit<usize>>,
    kept: Vec<Rc<dyn Any>>,
}

impl StreamBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a record.
    pub fn record<T: Copy>(mut self, kind: i32, payload: T) -> Self {
        let start = self.words.len();
        let at = size_of::<i32>().next_multiple_of(align_of::<T>());
        let words = (at + size_of::<T>()).div_ceil(WORD);
        self.words.resize(start + words, MaybeUninit::new(0));
        let record = self.words[start..].as_mut_ptr();
        // SAFETY: the words were just added, and are as many as type and payload take.
        unsafe {
            record.cast::<i32>().write(kind);
            record.byte_add(at).cast::<T>().write(payload);
        }
        self
    }

    fn keep<T: 'static>(&mut self, value: T) -> Rc<T> {
        let value = Rc::new(value);
        self.kept.push(value.clone());
        value
    }

    pub fn shader(mut self, kind: i32, container: &Blob) -> Self {
        let container = self.keep(container.clone());
        let payload = D3D12_SHADER_BYTECODE {
            pShaderBytecode: container.bytes().as_ptr().cast(),
            BytecodeLength: container.bytes().len(),
        };
        self.record(kind, payload)
    }

    pub fn vs(self, container: &Blob) -> Self {
        self.shader(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS, container)
    }

    pub fn ps(self, container: &Blob) -> Self {
        self.shader(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS, container)
    }

    pub fn cs(self, container: &Blob) -> Self {
        self.shader(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS, container)
    }

    pub fn root_signature(mut self, blob: &Blob) -> Self {
        let blob = self.keep(blob.clone());
        let payload = D3D12_SERIALIZED_ROOT_SIGNATURE_DESC {
            pSerializedBlob: blob.bytes().as_ptr().cast(),
            SerializedBlobSizeInBytes: blob.bytes().len(),
        };
        self.record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE,
            payload,
        )
    }

    pub fn targets(self, formats: &[DXGI_FORMAT]) -> Self {
        let mut targets = D3D12_RT_FORMAT_ARRAY {
            NumRenderTargets: u32::try_from(formats.len()).unwrap(),
            ..Default::default()
        };
        targets.RTFormats[..formats.len()].copy_from_slice(formats);
        self.record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
            targets,
        )
    }

    pub fn depth_format(self, format: DXGI_FORMAT) -> Self {
        self.record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
            format,
        )
    }

    pub fn topology(self, topology: D3D12_PRIMITIVE_TOPOLOGY_TYPE) -> Self {
        self.record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
            topology,
        )
    }

    /// An input layout of these elements; the names replace those of the elements.
    pub fn input_layout(mut self, elements: &[(&str, D3D12_INPUT_ELEMENT_DESC)]) -> Self {
        let elements: Vec<_> = elements
            .iter()
            .map(|(name, element)| {
                let name = self.keep(CString::new(*name).unwrap());
                D3D12_INPUT_ELEMENT_DESC {
                    SemanticName: windows_core::PCSTR(name.as_ptr().cast()),
                    ..*element
                }
            })
            .collect();
        let elements = self.keep(elements);
        let payload = D3D12_INPUT_LAYOUT_DESC {
            pInputElementDescs: elements.as_ptr(),
            NumElements: u32::try_from(elements.len()).unwrap(),
        };
        self.record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, payload)
    }

    /// An input layout that feeds a vertex shader from slot 0.
    pub fn fed(self, vertex_shader: &Blob) -> Self {
        let container = dxil::Container::parse(vertex_shader.bytes()).unwrap();
        let input = container.signature(FourCc::ISG1).unwrap();
        let elements: Vec<_> = input
            .iter()
            .flat_map(Signature::elements)
            .filter(|input| input.system_value() == SystemValue::UNDEFINED)
            .map(|input| {
                let formats = match input.component_type() {
                    dxil::ComponentType::UINT32 => [
                        DXGI_FORMAT_R32_UINT,
                        DXGI_FORMAT_R32G32_UINT,
                        DXGI_FORMAT_R32G32B32_UINT,
                        DXGI_FORMAT_R32G32B32A32_UINT,
                    ],
                    dxil::ComponentType::SINT32 => [
                        DXGI_FORMAT_R32_SINT,
                        DXGI_FORMAT_R32G32_SINT,
                        DXGI_FORMAT_R32G32B32_SINT,
                        DXGI_FORMAT_R32G32B32A32_SINT,
                    ],
                    _ => [
                        DXGI_FORMAT_R32_FLOAT,
                        DXGI_FORMAT_R32G32_FLOAT,
                        DXGI_FORMAT_R32G32B32_FLOAT,
                        DXGI_FORMAT_R32G32B32A32_FLOAT,
                    ],
                };
                let element = D3D12_INPUT_ELEMENT_DESC {
                    SemanticIndex: input.semantic_index(),
                    Format: formats[input.mask().count_ones() as usize - 1],
                    AlignedByteOffset: D3D12_APPEND_ALIGNED_ELEMENT,
                    ..Default::default()
                };
                (str::from_utf8(input.name()).unwrap().to_owned(), element)
            })
            .collect();
        let elements: Vec<_> = elements.iter().map(|(name, e)| (&name[..], *e)).collect();
        self.input_layout(&elements)
    }

    /// A stream output with these entries and strides; a name of `None` is a gap.
    pub fn stream_output(
        mut self,
        entries: &[(Option<&str>, D3D12_SO_DECLARATION_ENTRY)],
        strides: &[u32],
        rasterized_stream: u32,
    ) -> Self {
        let entries: Vec<_> = entries
            .iter()
            .map(|(name, entry)| {
                let name = name.map(|name| self.keep(CString::new(name).unwrap()));
                let name = name.map_or(std::ptr::null(), |name| name.as_ptr().cast());
                D3D12_SO_DECLARATION_ENTRY {
                    SemanticName: windows_core::PCSTR(name),
                    ..*entry
                }
            })
            .collect();
        let (entries, strides) = (self.keep(entries), self.keep(strides.to_vec()));
        let payload = D3D12_STREAM_OUTPUT_DESC {
            pSODeclaration: entries.as_ptr(),
            NumEntries: u32::try_from(entries.len()).unwrap(),
            pBufferStrides: strides.as_ptr(),
            NumStrides: u32::try_from(strides.len()).unwrap(),
            RasterizedStream: rasterized_stream,
        };
        self.record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT, payload)
    }

    /// The description, valid as long as `self` and until something is added.
    pub fn desc(&mut self) -> D3D12_PIPELINE_STATE_STREAM_DESC {
        D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: self.words.len() * WORD,
            pPipelineStateSubobjectStream: self.words.as_mut_ptr().cast(),
        }
    }

    /// Translates the stream; it has to stay alive as long as the result is used.
    pub fn translate(&mut self) -> (Result<PipelineState<'_>, Invalid>, Vec<Message>) {
        let desc = self.desc();
        // SAFETY: this builder lays a stream out as records, and lives as long as the result.
        unsafe { translate(&raw const desc) }
    }

    /// The errors of a stream that is refused.
    #[track_caller]
    pub fn errors(mut self) -> Vec<Message> {
        let (result, messages) = self.translate();
        let refused = result.map(|_| ()).unwrap_err();
        let errors: Vec<_> = messages
            .into_iter()
            .filter(|m| m.severity == Severity::Error)
            .collect();
        assert_eq!((refused.id, &refused.text), (errors[0].id, &errors[0].text));
        errors
    }
}

/// Translates what is at `desc`.
///
/// # Safety
///
/// `desc` is null, or points to a description whose pointers are as the API says, or wrong in a way that reading finds.
pub unsafe fn translate<'a>(
    desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
) -> (Result<PipelineState<'a>, Invalid>, Vec<Message>) {
    // SAFETY: the caller's `desc` is as `translate_for` asks.
    unsafe { translate_for(desc, None) }
}

/// As [`translate`], for a target.
///
/// # Safety
///
/// As for [`translate`].
pub unsafe fn translate_for<'a>(
    desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    target: Option<&Capabilities>,
) -> (Result<PipelineState<'a>, Invalid>, Vec<Message>) {
    let mut messages = Messages::default();
    // SAFETY: the caller's `desc` is as `borrow_raw` asks.
    let result = match unsafe { PipelineStateDesc::borrow_raw(desc) } {
        Ok((desc, places)) => PipelineState::new(&desc, &places, target, &mut messages),
        Err(invalid) => Err(messages.refuse(invalid.into())),
    };
    (result, messages.take())
}
