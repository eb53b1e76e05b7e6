//! Descriptions as a C++ application writes them.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

#[allow(
    clippy::wildcard_imports,
    reason = "the names are C's, with their prefix"
)]
use api_sys::*;
use compiler_runtime::desc::Invalid;
use compiler_runtime::desc::arena::Arena;
use compiler_runtime::desc::state_object::{Collection, StateObject, read, refuse};
use compiler_runtime::desc::target::Capabilities;
use compiler_runtime::message::Messages;
use dxil::{
    DescriptorRange, DescriptorRangeType, RootParameterDesc, RootParameterKindDesc,
    RootSignatureDesc, RootSignatureFlags, ShaderVisibility, Version,
};
use windows_core::PCWSTR;

use crate::corpus::folder;

pub const COLLECTION: i32 = D3D12_STATE_OBJECT_TYPE_COLLECTION;
pub const RAYTRACING: i32 = D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE;
pub const EXECUTABLE: i32 = D3D12_STATE_OBJECT_TYPE_EXECUTABLE;

/// Flags of state objects.
pub const ON_EXTERNAL: u32 = 1;
pub const FOR_EXTERNAL: u32 = 2;
pub const ADDITIONS: u32 = 4;

/// A container of the corpus.
pub fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("dxil/{name}.dxil"))).unwrap()
}

/// A container of the corpus with other runtime data.
pub fn with_runtime_data(name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let bytes = corpus(name);
    let container = dxil::Container::parse(&bytes).unwrap();
    let mut data = container.part(dxil::FourCc::RDAT).unwrap().bytes().to_vec();
    change(&mut data);
    let mut builder = dxil::ContainerBuilder::from(&container);
    builder.set(dxil::FourCc::RDAT, data);
    builder.build().unwrap()
}

/// A root signature with one table: registers as `t0-2,space1`, say.
pub fn root_signature(registers: &[(DescriptorRangeType, u32, u32, u32)], local: bool) -> Vec<u8> {
    let range = |&(range_type, base, count, space): &(DescriptorRangeType, u32, u32, u32)| {
        RootParameterDesc {
            shader_visibility: ShaderVisibility::ALL,
            kind: RootParameterKindDesc::DescriptorTable(vec![DescriptorRange {
                range_type,
                num_descriptors: count,
                base_shader_register: base,
                register_space: space,
                flags: None,
                offset_in_descriptors_from_table_start: 0,
            }]),
        }
    };
    let flags = if local {
        RootSignatureFlags::LOCAL_ROOT_SIGNATURE
    } else {
        RootSignatureFlags::ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT
    };
    let desc = RootSignatureDesc {
        version: Version { major: 1, minor: 0 },
        parameters: registers.iter().map(range).collect(),
        static_samplers: Vec::new(),
        flags,
    };
    desc.serialize().unwrap()
}

/// What `rt_pipeline_lib63` binds in space 0, for all its shaders.
pub fn global() -> Vec<u8> {
    root_signature(
        &[
            (DescriptorRangeType::SRV, 0, 4, 0),
            (DescriptorRangeType::SRV, 0, 2, 1),
            (DescriptorRangeType::UAV, 0, 1, 0),
            (DescriptorRangeType::CBV, 0, 1, 0),
            (DescriptorRangeType::SAMPLER, 0, 1, 0),
        ],
        false,
    )
}

/// What its closest hit shader for triangles takes from shader records.
pub fn local() -> Vec<u8> {
    root_signature(&[(DescriptorRangeType::CBV, 0, 1, 1)], true)
}

/// A description in memory of its own, which goes with it.
pub struct Description {
    arena: Arena,
    kind: i32,
    count: usize,
    array: *mut D3D12_STATE_SUBOBJECT,
}

const MOST: usize = 16;

impl Description {
    pub fn new(kind: i32) -> Self {
        let mut arena = Arena::new();
        let array = arena.array(&[D3D12_STATE_SUBOBJECT::default(); MOST]);
        Self {
            arena,
            kind,
            count: 0,
            array,
        }
    }

    pub fn kind(mut self, kind: i32) -> Self {
        self.kind = kind;
        self
    }

    /// The address of a subobject, whether it is there yet or not.
    pub fn at(&self, index: usize) -> *mut D3D12_STATE_SUBOBJECT {
        assert!(index < MOST);
        self.array.wrapping_add(index)
    }

    pub fn raw(mut self, kind: i32, desc: *const c_void) -> Self {
        let subobject = D3D12_STATE_SUBOBJECT {
            Type: kind,
            pDesc: desc,
        };
        // SAFETY: the array has that many elements.
        unsafe { self.at(self.count).write(subobject) };
        self.count += 1;
        self
    }

    pub fn put<T: Copy>(mut self, kind: i32, value: T) -> Self {
        let desc = self.arena.put(value);
        self.raw(kind, desc.cast_const().cast())
    }

    pub fn arena(&mut self) -> &mut Arena {
        &mut self.arena
    }

    pub fn string(&mut self, text: &str) -> PCWSTR {
        PCWSTR(self.arena.string(&text.encode_utf16().collect::<Vec<_>>()))
    }

    pub fn optional_string(&mut self, text: Option<&str>) -> PCWSTR {
        text.map_or(PCWSTR::null(), |text| self.string(text))
    }

    pub fn strings(&mut self, texts: &[&str]) -> *mut PCWSTR {
        let strings: Vec<_> = texts.iter().map(|text| self.string(text)).collect();
        self.arena.array(&strings)
    }

    pub fn config(self, flags: u32) -> Self {
        let config = D3D12_STATE_OBJECT_CONFIG { Flags: flags };
        self.put(D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, config)
    }

    pub fn node_mask(self, mask: u32) -> Self {
        let mask = D3D12_NODE_MASK { NodeMask: mask };
        self.put(D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, mask)
    }

    pub fn shader_config(self, payload: u32, attributes: u32) -> Self {
        let config = D3D12_RAYTRACING_SHADER_CONFIG {
            MaxPayloadSizeInBytes: payload,
            MaxAttributeSizeInBytes: attributes,
        };
        self.put(D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, config)
    }

    pub fn pipeline_config(self, depth: u32) -> Self {
        let config = D3D12_RAYTRACING_PIPELINE_CONFIG {
            MaxTraceRecursionDepth: depth,
        };
        self.put(
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
            config,
        )
    }

    pub fn pipeline_config1(self, depth: u32, flags: u32) -> Self {
        let config = D3D12_RAYTRACING_PIPELINE_CONFIG1 {
            MaxTraceRecursionDepth: depth,
            Flags: flags,
        };
        self.put(
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
            config,
        )
    }

    /// The configs that every raytracing shader needs.
    pub fn configs(self) -> Self {
        self.shader_config(32, 32).pipeline_config(2)
    }

    fn serialized(mut self, kind: i32, blob: &[u8]) -> Self {
        let bytes = self.arena.array(blob);
        let desc = D3D12_SERIALIZED_ROOT_SIGNATURE_DESC {
            pSerializedBlob: bytes.cast_const().cast(),
            SerializedBlobSizeInBytes: blob.len(),
        };
        self.put(kind, desc)
    }

    pub fn global(self, blob: &[u8]) -> Self {
        self.serialized(
            D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
            blob,
        )
    }

    pub fn local(self, blob: &[u8]) -> Self {
        self.serialized(
            D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
            blob,
        )
    }

    /// Exports as `name` or `name=export to rename`.
    fn exports(&mut self, exports: &[&str]) -> *const D3D12_EXPORT_DESC {
        let export = |export: &&str| {
            let (name, rename) = match export.split_once('=') {
                Some((name, rename)) => (name, Some(rename)),
                None => (*export, None),
            };
            D3D12_EXPORT_DESC {
                Name: self.string(name),
                ExportToRename: self.optional_string(rename),
                Flags: 0,
            }
        };
        let descs: Vec<_> = exports.iter().map(export).collect();
        self.arena.array(&descs)
    }

    pub fn library(self, name: &str, exports: &[&str]) -> Self {
        self.library_of(&corpus(name), exports)
    }

    pub fn library_of(mut self, bytes: &[u8], exports: &[&str]) -> Self {
        let code = self.arena.array(bytes);
        let desc = D3D12_DXIL_LIBRARY_DESC {
            DXILLibrary: D3D12_SHADER_BYTECODE {
                pShaderBytecode: code.cast_const().cast(),
                BytecodeLength: bytes.len(),
            },
            NumExports: exports.len().try_into().unwrap(),
            pExports: self.exports(exports),
        };
        self.put(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, desc)
    }

    /// A collection that the test knows by a number.
    pub fn collection(mut self, number: usize, exports: &[&str]) -> Self {
        #[repr(C)]
        #[derive(Clone, Copy)]
        struct Desc {
            object: *mut c_void,
            count: u32,
            exports: *const D3D12_EXPORT_DESC,
        }
        let desc = Desc {
            object: ptr::without_provenance_mut(number),
            count: exports.len().try_into().unwrap(),
            exports: self.exports(exports),
        };
        assert_eq!(
            size_of::<Desc>(),
            size_of::<D3D12_COMPILER_EXISTING_COLLECTION_DESC>()
        );
        self.put(
            D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
            desc,
        )
    }

    /// Associates the subobject of that index.
    pub fn associate(mut self, index: usize, exports: &[&str]) -> Self {
        let desc = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
            pSubobjectToAssociate: self.at(index),
            NumExports: exports.len().try_into().unwrap(),
            pExports: self.strings(exports),
        };
        self.put(
            D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
            desc,
        )
    }

    /// Associates the last subobject.
    pub fn with(self, exports: &[&str]) -> Self {
        let last = self.count - 1;
        self.associate(last, exports)
    }

    pub fn dxil_associate(mut self, subobject: &str, exports: &[&str]) -> Self {
        let desc = D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
            SubobjectToAssociate: self.string(subobject),
            NumExports: exports.len().try_into().unwrap(),
            pExports: self.strings(exports),
        };
        self.put(
            D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
            desc,
        )
    }

    /// A hit group: any hit, closest hit, and for procedural primitives an intersection shader.
    pub fn hit_group(mut self, name: &str, shaders: [Option<&str>; 3]) -> Self {
        let [any_hit, closest_hit, intersection] = shaders;
        let desc = D3D12_HIT_GROUP_DESC {
            HitGroupExport: self.string(name),
            Type: intersection.is_some().into(),
            AnyHitShaderImport: self.optional_string(any_hit),
            ClosestHitShaderImport: self.optional_string(closest_hit),
            IntersectionShaderImport: self.optional_string(intersection),
        };
        self.put(D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, desc)
    }

    /// A work graph of nodes that are named by their entry points, or of all.
    pub fn work_graph(mut self, name: &str, entry_points: &[&str], all: bool) -> Self {
        let ids: Vec<_> = entry_points.iter().map(|id| self.node_id(id, 0)).collect();
        let desc = D3D12_WORK_GRAPH_DESC {
            ProgramName: self.string(name),
            Flags: all.into(),
            NumEntrypoints: ids.len().try_into().unwrap(),
            pEntrypoints: self.arena.array(&ids),
            ..D3D12_WORK_GRAPH_DESC::default()
        };
        self.put(D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, desc)
    }

    pub fn node_id(&mut self, name: &str, index: u32) -> D3D12_NODE_ID {
        D3D12_NODE_ID {
            Name: self.string(name),
            ArrayIndex: index,
        }
    }

    /// A generic program of exports and subobjects by their indices.
    pub fn program(mut self, name: Option<&str>, exports: &[&str], subobjects: &[usize]) -> Self {
        let pointers: Vec<_> = subobjects
            .iter()
            .map(|&i| self.at(i).cast_const())
            .collect();
        let desc = D3D12_GENERIC_PROGRAM_DESC {
            ProgramName: self.optional_string(name),
            NumExports: exports.len().try_into().unwrap(),
            pExports: self.strings(exports),
            NumSubobjects: pointers.len().try_into().unwrap(),
            ppSubobjects: self.arena.array(&pointers),
        };
        self.put(D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM, desc)
    }

    pub fn desc(&self) -> D3D12_STATE_OBJECT_DESC {
        D3D12_STATE_OBJECT_DESC {
            Type: self.kind,
            NumSubobjects: self.count.try_into().unwrap(),
            pSubobjects: self.array,
        }
    }

    /// Translates it; `self`, and with it all of the application's memory, is gone afterwards.
    pub fn translate_with(
        self,
        parent: Option<&Arc<StateObject>>,
        collections: &[(usize, Collection)],
    ) -> Result<StateObject, Invalid> {
        self.translate_for(parent, collections, None)
    }

    /// As [`translate_with`](Self::translate_with), for a target.
    pub fn translate_for(
        self,
        parent: Option<&Arc<StateObject>>,
        collections: &[(usize, Collection)],
        target: Option<&Capabilities>,
    ) -> Result<StateObject, Invalid> {
        let mut messages = Messages::default();
        let mut find = |object: *mut c_void| {
            let known = collections
                .iter()
                .find(|(number, _)| *number == object.addr());
            known.map(|(_, collection)| collection.clone())
        };
        let desc = self.desc();
        // SAFETY: the description is in `self`.
        let read = unsafe { read(&raw const desc, &mut find) };
        let result = match read {
            // SAFETY: no plugin is in a call meanwhile.
            Ok(desc) => unsafe { StateObject::new(&desc, parent, target, &mut messages) },
            Err(invalid) => Err(refuse(invalid, parent.is_some(), &mut messages)),
        };
        let errors = messages
            .as_slice()
            .iter()
            .filter(|m| m.severity <= compiler_runtime::message::Severity::Error);
        let errors: Vec<_> = errors.map(|message| &*message.text).collect();
        match &result {
            Ok(_) => assert!(errors.is_empty(), "{errors:?}"),
            Err(invalid) => assert!(errors.contains(&&*invalid.text), "{invalid} in {errors:?}"),
        }
        result
    }

    #[track_caller]
    pub fn translate(self) -> StateObject {
        self.translate_with(None, &[]).unwrap()
    }

    #[track_caller]
    pub fn fails(self, text: &str) {
        let invalid = self.translate_with(None, &[]).unwrap_err();
        assert_eq!(invalid.text, text);
        assert_eq!(invalid.result, ddi_sys::E_INVALIDARG);
    }
}
