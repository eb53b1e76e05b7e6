//! Descriptions of pipelines that are not the application's: copies, in which the defect changes one thing.

use std::ffi::c_void;
use std::ptr;

use bytemuck::Zeroable as _;
use ddi_sys::*;
use defects::{Place as _, rows};

use super::Asked;
use super::descriptions::leaked;
use crate::places::*;

rows! {
    Hook, Asked;

    "host-no-pixel-shader" breaks H_20: "pixel shaders are left out",
        at Pipeline |call| described(call, |desc| desc.hPixelShader.pDrvPrivate = ptr::null_mut());
    "host-geometry-alone" breaks H_20: "beside a geometry shader the vertex shader is left out",
        at Pipeline |call| described(call, |desc| if !desc.hGeometryShader.pDrvPrivate.is_null() {
            desc.hVertexShader.pDrvPrivate = ptr::null_mut();
        });
    "host-no-root-signature" breaks H_20: "the root signature is left out",
        at Pipeline |call| described(call, |desc| desc.hRootSignature.pDrvPrivate = ptr::null_mut());
    "host-root-constants" breaks H_20: "the last root parameter is visible to every stage",
        at Pipeline |call| described(call, root_constants);
    "host-swapped-factors" breaks H_20: "the blend factors of the third render target are swapped",
        at Pipeline |call| described(call, |desc| blend(desc, |blend| {
            let target = &mut blend.RenderTarget[2];
            (target.SrcBlend, target.DestBlend) = (target.DestBlend, target.SrcBlend);
        }));
    "host-no-coverage" breaks H_20: "AlphaToCoverageEnable is false",
        at Pipeline |call| described(call, |desc| blend(desc, |blend| blend.AlphaToCoverageEnable = 0));
    "host-no-culling" breaks H_20: "the cull mode is none",
        at Pipeline |call| described(call, |desc| rasterizer(desc, |it| it.CullMode = D3D12DDI_CULL_MODE_NONE));
    "host-no-forced-samples" breaks H_20: "ForcedSampleCount is 0",
        at Pipeline |call| described(call, |desc| rasterizer(desc, |it| it.ForcedSampleCount = 0));
    "host-one-face" breaks H_20: "the back face has the stencil masks of the front face",
        at Pipeline |call| described(call, |desc| depth_stencil(desc, |it| {
            it.BackFaceStencilReadMask = it.FrontFaceStencilReadMask;
            it.BackFaceStencilWriteMask = it.FrontFaceStencilWriteMask;
        }));
    "host-no-bounds" breaks H_20: "DepthBoundsTestEnable is false",
        at Pipeline |call| described(call, |desc| depth_stencil(desc, |it| it.DepthBoundsTestEnable = 0));
    "host-laid-out-again" breaks H_20: "input elements follow one another without gaps",
        at Pipeline |call| described(call, |desc| elements(desc, |elements| {
            for (offset, element) in (0..).step_by(16).zip(elements) {
                element.AlignedByteOffset = offset;
            }
        }));
    "host-one-slot" breaks H_20: "every input element is in slot 0",
        at Pipeline |call| described(call, |desc| elements(desc, |elements| {
            for element in elements {
                element.InputSlot = 0;
            }
        }));
    "host-swapped-formats" breaks H_20: "the formats of the first two of several render targets are swapped",
        at Pipeline |call| described(call, |desc| if desc.NumRenderTargets > 1 {
            desc.RTVFormats.swap(0, 1);
        });
    "host-lost-target" breaks H_20: "the last of several render targets is left out",
        at Pipeline |call| described(call, |desc| if desc.NumRenderTargets > 1 {
            desc.NumRenderTargets -= 1;
        });
    "host-no-depth-format" breaks H_20: "the format of the depth buffer is left out",
        at Pipeline |call| described(call, |desc| desc.DSVFormat = DXGI_FORMAT_UNKNOWN);
    "host-one-sample" breaks H_20: "pipelines have one sample",
        at Pipeline |call| described(call, |desc| desc.SampleDesc.Count = 1);
    "host-all-samples" breaks H_20: "the sample mask is left out",
        at Pipeline |call| described(call, |desc| desc.SampleMask = u32::MAX);
    "host-triangles" breaks H_20: "lines are drawn as triangles",
        at Pipeline |call| described(call, |desc| if desc.PrimitiveTopologyType == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE {
            desc.PrimitiveTopologyType = D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE;
        });
    "host-no-strip-cut" breaks H_20: "the strip cut value is left out",
        at Pipeline |call| described(call, |desc| desc.IBStripCutValue = D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_DISABLED);
    "host-no-flags" breaks H_20: "the pipeline's flags are left out",
        at Pipeline |call| described(call, |desc| desc.Flags = D3D12DDI_PIPELINE_STATE_FLAGS(0));
    "host-no-node" breaks H_20: "the node mask is 0",
        at Pipeline |call| described(call, |desc| desc.NodeMask = 0);
    "host-one-view" breaks H_20: "of several view instances the first is passed on",
        at Pipeline |call| described(call, |desc| if desc.ViewInstancingDesc.ViewInstanceCount > 1 {
            desc.ViewInstancingDesc.ViewInstanceCount = 1;
        });
    "host-no-stream" breaks H_20: "the stride of a stream output's buffer is 0",
        at Pipeline |call| described(call, no_stream);
    "host-zero-hash" breaks H_22: "ShaderCodeHash is 0 of every shader",
        at Pipeline |call| described(call, |desc| hashes(desc, |hash| *hash = D3D12DDI_SHADERCACHE_HASH::zeroed()));
    "host-fresh-hash" breaks H_22: "ShaderCodeHash is another one each time",
        at Pipeline |call| described(call, |desc| hashes(desc, |hash| {
            *hash = D3D12DDI_SHADERCACHE_HASH::zeroed();
            // Nothing else has the address of a copy that stays.
            let fresh = ptr::from_ref(hash).addr().to_ne_bytes();
            hash.Hash[..fresh.len()].copy_from_slice(&fresh);
        }));
}

type Desc = D3D12DDIARG_CREATE_PIPELINE_STATE_0099;

/// Compiles what `change` makes of a pipeline.
fn described(call: &mut Pipeline, change: fn(&mut Desc)) -> HRESULT {
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: the runtime's description.
    let desc = unsafe { &mut leaked(call.desc, 1)[0] };
    change(desc);
    call.desc = desc;
    call.pass()
}

/// A copy of what a handle leads to, which the handle leads to from then on.
///
/// # Safety
///
/// The handle is null or to a `T`.
unsafe fn own<T: Clone>(handle: &mut *mut c_void) -> Option<&'static mut T> {
    if handle.is_null() {
        return None;
    }
    // SAFETY: the handle is to a `T`, as this function demands.
    let copy = unsafe { &mut leaked(handle.cast::<T>().cast_const(), 1)[0] };
    *handle = ptr::from_mut(copy).cast();
    Some(copy)
}

fn blend(desc: &mut Desc, change: fn(&mut D3D12DDI_BLEND_DESC_0010)) {
    // SAFETY: a handle of the runtime's description is null or leads to create-arguments.
    unsafe { own(&mut desc.hBlendState.pDrvPrivate) }.map(change);
}

fn rasterizer(desc: &mut Desc, change: fn(&mut D3D12DDI_RASTERIZER_DESC_0102)) {
    // SAFETY: a handle of the runtime's description is null or leads to create-arguments.
    unsafe { own(&mut desc.hRasterizerState.pDrvPrivate) }.map(change);
}

fn depth_stencil(desc: &mut Desc, change: fn(&mut D3D12DDI_DEPTH_STENCIL_DESC_0095)) {
    // SAFETY: a handle of the runtime's description is null or leads to create-arguments.
    unsafe { own(&mut desc.hDepthStencilState.pDrvPrivate) }.map(change);
}

fn elements(desc: &mut Desc, change: fn(&mut [D3D12DDIARG_INPUT_ELEMENT_DESC])) {
    let handle = &mut desc.hElementLayout.pDrvPrivate;
    // SAFETY: a handle of the runtime's description is null or leads to create-arguments.
    let layout = unsafe { own::<D3D12DDIARG_CREATEELEMENTLAYOUT_0010>(handle) };
    if let Some(layout) = layout.filter(|layout| layout.NumElements > 0) {
        // SAFETY: there are so many.
        let elements = unsafe { leaked(layout.pVertexElements, layout.NumElements as usize) };
        change(elements);
        layout.pVertexElements = elements.as_ptr();
    }
}

fn hashes(desc: &mut Desc, change: fn(&mut D3D12DDI_SHADERCACHE_HASH)) {
    let Desc {
        hComputeShader,
        hVertexShader,
        hPixelShader,
        ..
    } = desc;
    for handle in [hComputeShader, hVertexShader, hPixelShader] {
        // SAFETY: a handle of the runtime's description is null or leads to create-arguments.
        let shader = unsafe { own::<D3D12DDIARG_CREATE_SHADER_0026>(&mut handle.pDrvPrivate) };
        if let Some(shader) = shader {
            change(&mut shader.ShaderCodeHash);
        }
    }
}

fn no_stream(desc: &mut Desc) {
    static NO_STRIDES: [u32; 4] = [0; 4];
    let handle = &mut desc.hGeometryShader.pDrvPrivate;
    // SAFETY: where there is a stream output, the create-arguments are those with one; the only
    // geometry shaders of the tests have one.
    let streams =
        unsafe { own::<D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026>(handle) };
    if let Some(streams) = streams.filter(|streams| streams.NumStrides > 0) {
        streams.BufferStridesInBytes = NO_STRIDES.as_ptr();
    }
}

fn root_constants(desc: &mut Desc) {
    let handle = &mut desc.hRootSignature.pDrvPrivate;
    // SAFETY: a handle of the runtime's description is null or leads to create-arguments.
    let arguments = unsafe { own::<D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100>(handle) };
    let Some(arguments) = arguments else {
        return;
    };
    // SAFETY: the runtime's root signatures have version 1.2, and as many parameters as they say.
    let (content, parameters) = unsafe {
        let content = &mut leaked(arguments.Anonymous.pRootSignature_1_2, 1)[0];
        let (first, count) = (content.pRootParameters, content.NumParameters as usize);
        (content, leaked(first, count))
    };
    if let Some(last) = parameters.last_mut() {
        last.ShaderVisibility = D3D12DDI_SHADER_VISIBILITY_ALL;
    }
    content.pRootParameters = parameters.as_ptr();
    arguments.Anonymous.pRootSignature_1_2 = content;
}
