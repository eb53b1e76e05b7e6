//! Objects that a command list can be given, by the simplest descriptions.

use std::ffi::c_void;
use std::path::Path;
use std::ptr::null_mut;

use bytemuck::Zeroable;
use ddi_sys::*;

use crate::host::{Block, Device};

pub fn corpus(name: &str) -> Vec<u32> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dxil/corpus/dxil");
    let bytes = std::fs::read(path.join(name)).unwrap();
    let words = bytes.chunks(4).map(|bytes| {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    });
    words.collect()
}

/// Creates a compute pipeline, a collection and an empty root signature in the memory of these addresses.
pub fn create(
    device: &Device,
    pipeline: *mut c_void,
    state_object: *mut c_void,
    root_signature: *mut c_void,
) {
    let core = &device.core;
    let empty = D3D12DDI_ROOT_SIGNATURE_0100::zeroed();
    let desc = D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 {
        Version: D3D12DDI_ROOT_SIGNATURE_VERSION_1_2,
        Anonymous: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100_0 {
            pRootSignature_1_2: &raw const empty,
        },
        NodeMask: 1,
    };
    let root_signature = D3D12DDI_HROOTSIGNATURE {
        pDrvPrivate: root_signature,
    };
    let create = core.pfnCreateRootSignature.unwrap();
    // SAFETY: the structures live during the call; the memory is larger than the driver asks for.
    let result = unsafe { create(device.handle, &raw const desc, root_signature) };
    assert_eq!(result, S_OK);

    let code = corpus("hash_zero_cs.dxil");
    let block = Block::new();
    let shader = D3D12DDI_HSHADER {
        pDrvPrivate: block.address(),
    };
    let desc = D3D12DDIARG_CREATE_SHADER_0026 {
        hRootSignature: root_signature,
        pShaderCode: code.as_ptr(),
        ..Zeroable::zeroed()
    };
    let create = core.pfnCreateComputeShader.unwrap();
    // SAFETY: the structures live during the call; the memory is larger than the driver asks for.
    unsafe { create(device.handle, &raw const desc, shader) };
    assert_eq!(device.errors(), []);

    let desc = D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        hComputeShader: shader,
        hRootSignature: root_signature,
        NodeMask: 1,
        ..Zeroable::zeroed()
    };
    let pipeline = D3D12DDI_HPIPELINESTATE {
        pDrvPrivate: pipeline,
    };
    let runtime = D3D12DDI_HRTPIPELINESTATE { handle: null_mut() };
    let create = core.pfnCreatePipelineState.unwrap();
    // SAFETY: the structures live during the call; the memory is larger than the driver asks for.
    let result = unsafe { create(device.handle, &raw const desc, pipeline, runtime) };
    assert_eq!(result, S_OK, "{:?}", mock_umd::inspect::last_failure());
    // SAFETY: a handle is looked up.
    unsafe { core.pfnDestroyShader.unwrap()(device.handle, shader) };

    // The host keeps what a state object is made of until it destroys the object.
    let code = corpus("functions_lib63.dxil").leak();
    let library = Box::leak(Box::new(D3D12DDI_DXIL_LIBRARY_DESC_0054 {
        pDXILLibrary: code.as_ptr(),
        NumExports: 0,
        pExports: null_mut(),
    }));
    let subobject = Box::leak(Box::new(D3D12DDI_STATE_SUBOBJECT_0054 {
        Type: D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
        pDesc: (&raw const *library).cast(),
    }));
    let desc = D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
        Type: D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
        NumSubobjects: 1,
        pSubobjects: &raw const *subobject,
    };
    let state_object = D3D12DDI_HSTATEOBJECT_0054 {
        pDrvPrivate: state_object,
    };
    let runtime = D3D12DDI_HRTSTATEOBJECT_0054 { handle: null_mut() };
    let create = core.pfnCreateStateObject.unwrap();
    // SAFETY: the structures live during the call; the memory is larger than the driver asks for.
    let result = unsafe { create(device.handle, &raw const desc, state_object, runtime) };
    assert_eq!(result, S_OK, "{:?}", mock_umd::inspect::last_failure());
}
