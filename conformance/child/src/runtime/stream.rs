//! Pipeline state streams of any records.

use std::any::Any;
use std::mem::MaybeUninit;

use api_sys::{
    D3D12_INPUT_ELEMENT_DESC, D3D12_INPUT_LAYOUT_DESC, D3D12_PIPELINE_STATE_STREAM_DESC,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT, D3D12_SERIALIZED_ROOT_SIGNATURE_DESC,
    D3D12_SO_DECLARATION_ENTRY, D3D12_STREAM_OUTPUT_DESC,
};
use dxil::{
    ContainerBuilder, DescriptorRange, DescriptorRangeFlags, DescriptorRangeType, FourCc,
    RootConstants, RootParameterDesc, RootParameterKindDesc, RootSignatureDesc, RootSignatureFlags,
    ShaderVisibility, Signing, Version,
};
use windows_core::PCSTR;

use super::count;
use super::descriptions::bytecode;
use crate::inputs::shaders::Shader;

/// A stream, and what its records point at.
#[derive(Default)]
pub(crate) struct Stream {
    // For records begin where a pointer may, and may hold one.
    words: Vec<MaybeUninit<*const ()>>,
    kept: Vec<Box<dyn Any>>,
}

impl Stream {
    pub(crate) fn record<T: Copy>(
        mut self,
        kind: D3D12_PIPELINE_STATE_SUBOBJECT_TYPE,
        payload: T,
    ) -> Self {
        let word = size_of::<*const ()>();
        let start = self.words.len();
        let at = size_of_val(&kind).next_multiple_of(align_of::<T>());
        let words = (at + size_of::<T>()).div_ceil(word);
        self.words.resize(start + words, MaybeUninit::zeroed());
        let record = self.words[start..].as_mut_ptr();
        // SAFETY: the words were just added, and are as many as type and payload take.
        unsafe {
            record
                .cast::<D3D12_PIPELINE_STATE_SUBOBJECT_TYPE>()
                .write(kind);
            record.byte_add(at).cast::<T>().write(payload);
        }
        self
    }

    /// Keeps an array that a record points at.
    pub(crate) fn array<T: 'static>(&mut self, array: Vec<T>) -> *const T {
        let first = array.as_ptr();
        self.kept.push(Box::new(array));
        first
    }

    fn text(&mut self, text: &str) -> PCSTR {
        PCSTR(self.array([text.as_bytes(), &[0]].concat()))
    }

    pub(crate) fn shader(self, kind: D3D12_PIPELINE_STATE_SUBOBJECT_TYPE, shader: &Shader) -> Self {
        self.record(kind, bytecode(shader))
    }

    pub(crate) fn root_signature(mut self, desc: &RootSignatureDesc) -> Self {
        let mut builder = ContainerBuilder::new();
        builder.set(FourCc::RTS0, desc.serialize().expect("a valid one"));
        builder.sign(Signing::Hash);
        let blob = builder.build().expect("one small part");
        let payload = D3D12_SERIALIZED_ROOT_SIGNATURE_DESC {
            SerializedBlobSizeInBytes: blob.len(),
            pSerializedBlob: self.array(blob).cast(),
        };
        self.record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE,
            payload,
        )
    }

    /// An input layout of these elements, with these names.
    pub(crate) fn input_layout(mut self, elements: &[(&str, D3D12_INPUT_ELEMENT_DESC)]) -> Self {
        let elements: Vec<_> = elements
            .iter()
            .map(|(name, element)| D3D12_INPUT_ELEMENT_DESC {
                SemanticName: self.text(name),
                ..*element
            })
            .collect();
        let payload = D3D12_INPUT_LAYOUT_DESC {
            NumElements: count(&elements),
            pInputElementDescs: self.array(elements),
        };
        self.record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, payload)
    }

    /// A stream output of one entry of SV_Position, into one buffer.
    pub(crate) fn stream_output(mut self, components: u8, stride: u32) -> Self {
        let entries = vec![D3D12_SO_DECLARATION_ENTRY {
            SemanticName: self.text("SV_Position"),
            ComponentCount: components,
            ..D3D12_SO_DECLARATION_ENTRY::default()
        }];
        let payload = D3D12_STREAM_OUTPUT_DESC {
            NumEntries: count(&entries),
            pSODeclaration: self.array(entries),
            NumStrides: 1,
            pBufferStrides: self.array(vec![stride]),
            RasterizedStream: 0,
        };
        self.record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT, payload)
    }

    /// Valid as long as `self`.
    pub(crate) fn desc(&self) -> D3D12_PIPELINE_STATE_STREAM_DESC {
        D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size_of_val(self.words.as_slice()),
            pPipelineStateSubobjectStream: self.words.as_ptr().cast_mut().cast(),
        }
    }
}

/// A root signature that has everything in the first spaces, and constants behind them.
pub(crate) fn covering() -> RootSignatureDesc {
    let classes = [
        DescriptorRangeType::CBV,
        DescriptorRangeType::SRV,
        DescriptorRangeType::UAV,
        DescriptorRangeType::SAMPLER,
    ];
    let table = |range_type, register_space| RootParameterDesc {
        shader_visibility: ShaderVisibility::ALL,
        kind: RootParameterKindDesc::DescriptorTable(vec![DescriptorRange {
            range_type,
            num_descriptors: DescriptorRange::UNBOUNDED,
            base_shader_register: 0,
            register_space,
            flags: Some(DescriptorRangeFlags::NONE),
            offset_in_descriptors_from_table_start: 0,
        }]),
    };
    let constants = RootParameterDesc {
        shader_visibility: ShaderVisibility::VERTEX,
        kind: RootParameterKindDesc::Constants(RootConstants {
            shader_register: 5,
            register_space: 9,
            num_32bit_values: 3,
        }),
    };
    RootSignatureDesc {
        version: Version { major: 1, minor: 1 },
        parameters: classes
            .into_iter()
            .flat_map(|class| (0..4).map(move |space| table(class, space)))
            .chain([constants])
            .collect(),
        static_samplers: Vec::new(),
        flags: RootSignatureFlags(
            RootSignatureFlags::ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT.0
                | RootSignatureFlags::ALLOW_STREAM_OUTPUT.0,
        ),
    }
}
