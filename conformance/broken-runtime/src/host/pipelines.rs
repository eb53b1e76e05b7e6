//! Descriptions of pipelines that are not the application's: copies, in which the defect changes one thing.

use std::ffi::c_void;
use std::ptr;

use base_plugin::defects;
use bytemuck::Zeroable as _;
use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_CULL_MODE_NONE, D3D12DDI_DEPTH_STENCIL_DESC_0095,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_DISABLED, D3D12DDI_PIPELINE_STATE_FLAGS,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
    D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_ROOT_SIGNATURE_0100, D3D12DDI_SHADER_VISIBILITY_ALL,
    D3D12DDI_SHADERCACHE_HASH, D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    D3D12DDIARG_CREATE_SHADER_0026, D3D12DDIARG_CREATEELEMENTLAYOUT_0010, DXGI_FORMAT_UNKNOWN,
};

use super::descriptions::leaked;
use crate::defect::{Defect, SELECTED, has};

/// The defects of this file.
#[macro_export]
macro_rules! pipeline_defects {
    ($take:ident) => {
        $take! {
            /// In the descriptions of pipelines that the plugin gets.
            Pipelines {
                NoPixelShader = "host-no-pixel-shader" breaks H_20:
                    "pixel shaders are left out";
                GeometryAlone = "host-geometry-alone" breaks H_20:
                    "beside a geometry shader the vertex shader is left out";
                NoRootSignature = "host-no-root-signature" breaks H_20:
                    "the root signature is left out";
                RootConstants = "host-root-constants" breaks H_20:
                    "the last root parameter is visible to every stage";
                SwappedFactors = "host-swapped-factors" breaks H_20:
                    "the blend factors of the third render target are swapped";
                NoCoverage = "host-no-coverage" breaks H_20:
                    "AlphaToCoverageEnable is false";
                NoCulling = "host-no-culling" breaks H_20:
                    "the cull mode is none";
                NoForcedSamples = "host-no-forced-samples" breaks H_20:
                    "ForcedSampleCount is 0";
                OneFace = "host-one-face" breaks H_20:
                    "the back face has the stencil masks of the front face";
                NoBounds = "host-no-bounds" breaks H_20:
                    "DepthBoundsTestEnable is false";
                LaidOutAgain = "host-laid-out-again" breaks H_20:
                    "input elements follow one another without gaps";
                OneSlot = "host-one-slot" breaks H_20:
                    "every input element is in slot 0";
                SwappedFormats = "host-swapped-formats" breaks H_20:
                    "the formats of the first two of several render targets are swapped";
                LostTarget = "host-lost-target" breaks H_20:
                    "the last of several render targets is left out";
                NoDepthFormat = "host-no-depth-format" breaks H_20:
                    "the format of the depth buffer is left out";
                OneSample = "host-one-sample" breaks H_20:
                    "pipelines have one sample";
                AllSamples = "host-all-samples" breaks H_20:
                    "the sample mask is left out";
                Triangles = "host-triangles" breaks H_20:
                    "lines are drawn as triangles";
                NoStripCut = "host-no-strip-cut" breaks H_20:
                    "the strip cut value is left out";
                NoFlags = "host-no-flags" breaks H_20:
                    "the pipeline's flags are left out";
                NoNode = "host-no-node" breaks H_20:
                    "the node mask is 0";
                OneView = "host-one-view" breaks H_20:
                    "of several view instances the first is passed on";
                NoStream = "host-no-stream" breaks H_20:
                    "the stride of a stream output's buffer is 0";
                ZeroHash = "host-zero-hash" breaks H_22:
                    "ShaderCodeHash is 0 of every shader";
                FreshHash = "host-fresh-hash" breaks H_22:
                    "ShaderCodeHash is another one each time";
            }
        }
    };
}

pipeline_defects!(defects);

static NO_STRIDES: [u32; 4] = [0; 4];

type Desc = D3D12DDIARG_CREATE_PIPELINE_STATE_0099;

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

/// What the plugin gets for a description: the description, where the defect is none of this file.
///
/// # Safety
///
/// It is one of the runtime's, whose handles lead to create-arguments.
pub(super) unsafe fn changed(desc: *const Desc) -> *const Desc {
    if !matches!(*SELECTED, Ok(Some(Defect::Pipelines(_)))) {
        return desc;
    }
    // SAFETY: it is one of the runtime's, as this function demands.
    let desc = unsafe { &mut leaked(desc, 1)[0] };
    // SAFETY: the handles of the runtime's description lead to create-arguments.
    unsafe {
        shaders(desc);
        root_signature(desc);
        fixed_function(desc);
    }
    numbers(desc);
    desc
}

/// # Safety
///
/// As for [`changed`].
unsafe fn shaders(desc: &mut Desc) {
    use Pipelines::{FreshHash, GeometryAlone, NoPixelShader, NoStream, ZeroHash};
    if has(NoPixelShader) {
        desc.hPixelShader.pDrvPrivate = ptr::null_mut();
    }
    if has(GeometryAlone) && !desc.hGeometryShader.pDrvPrivate.is_null() {
        desc.hVertexShader.pDrvPrivate = ptr::null_mut();
    }
    if has(NoStream) {
        let geometry = &mut desc.hGeometryShader.pDrvPrivate;
        // SAFETY: where there is a stream output, the create-arguments are those with one; the only
        // geometry shaders of the tests have one.
        let with_streams =
            unsafe { own::<D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026>(geometry) };
        if let Some(arguments) = with_streams
            && arguments.NumStrides > 0
        {
            arguments.BufferStridesInBytes = NO_STRIDES.as_ptr();
        }
    }
    if has(ZeroHash) || has(FreshHash) {
        for (number, handle) in [
            &mut desc.hComputeShader,
            &mut desc.hVertexShader,
            &mut desc.hPixelShader,
        ]
        .into_iter()
        .enumerate()
        {
            // SAFETY: as for `changed`.
            let shader = unsafe { own::<D3D12DDIARG_CREATE_SHADER_0026>(&mut handle.pDrvPrivate) };
            let Some(shader) = shader else {
                continue;
            };
            shader.ShaderCodeHash = D3D12DDI_SHADERCACHE_HASH::zeroed();
            if has(FreshHash) {
                // Nothing else has the address of a copy that stays.
                let fresh = ptr::from_ref(shader).addr() + number;
                shader.ShaderCodeHash.Hash[..size_of::<usize>()]
                    .copy_from_slice(&fresh.to_ne_bytes());
            }
        }
    }
}

/// # Safety
///
/// As for [`changed`].
unsafe fn root_signature(desc: &mut Desc) {
    let handle = &mut desc.hRootSignature.pDrvPrivate;
    if has(Pipelines::NoRootSignature) {
        *handle = ptr::null_mut();
    }
    if has(Pipelines::RootConstants) {
        // SAFETY: as for `changed`; the runtime's root signatures have version 1.2.
        unsafe {
            let Some(arguments) = own::<D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100>(handle) else {
                return;
            };
            let content = arguments.Anonymous.pRootSignature_1_2;
            let content: &mut D3D12DDI_ROOT_SIGNATURE_0100 = &mut leaked(content, 1)[0];
            let parameters = leaked(content.pRootParameters, content.NumParameters as usize);
            if let Some(last) = parameters.last_mut() {
                last.ShaderVisibility = D3D12DDI_SHADER_VISIBILITY_ALL;
            }
            content.pRootParameters = parameters.as_ptr();
            arguments.Anonymous.pRootSignature_1_2 = content;
        }
    }
}

/// # Safety
///
/// As for [`changed`].
unsafe fn fixed_function(desc: &mut Desc) {
    // SAFETY: as for `changed`.
    let (blend, rasterizer, depth, layout) = unsafe {
        (
            own::<D3D12DDI_BLEND_DESC_0010>(&mut desc.hBlendState.pDrvPrivate),
            own::<D3D12DDI_RASTERIZER_DESC_0102>(&mut desc.hRasterizerState.pDrvPrivate),
            own::<D3D12DDI_DEPTH_STENCIL_DESC_0095>(&mut desc.hDepthStencilState.pDrvPrivate),
            own::<D3D12DDIARG_CREATEELEMENTLAYOUT_0010>(&mut desc.hElementLayout.pDrvPrivate),
        )
    };
    if let Some(blend) = blend {
        if has(Pipelines::SwappedFactors) {
            let target = &mut blend.RenderTarget[2];
            (target.SrcBlend, target.DestBlend) = (target.DestBlend, target.SrcBlend);
        }
        if has(Pipelines::NoCoverage) {
            blend.AlphaToCoverageEnable = 0;
        }
    }
    if let Some(rasterizer) = rasterizer {
        if has(Pipelines::NoCulling) {
            rasterizer.CullMode = D3D12DDI_CULL_MODE_NONE;
        }
        if has(Pipelines::NoForcedSamples) {
            rasterizer.ForcedSampleCount = 0;
        }
    }
    if let Some(depth) = depth {
        if has(Pipelines::OneFace) {
            depth.BackFaceStencilReadMask = depth.FrontFaceStencilReadMask;
            depth.BackFaceStencilWriteMask = depth.FrontFaceStencilWriteMask;
        }
        if has(Pipelines::NoBounds) {
            depth.DepthBoundsTestEnable = 0;
        }
    }
    if let Some(layout) = layout
        && layout.NumElements > 0
    {
        // SAFETY: there are so many.
        let elements = unsafe { leaked(layout.pVertexElements, layout.NumElements as usize) };
        for (offset, element) in (0..).step_by(16).zip(&mut *elements) {
            if has(Pipelines::LaidOutAgain) {
                element.AlignedByteOffset = offset;
            }
            if has(Pipelines::OneSlot) {
                element.InputSlot = 0;
            }
        }
        layout.pVertexElements = elements.as_ptr();
    }
}

/// The members of the description itself.
fn numbers(desc: &mut Desc) {
    if desc.NumRenderTargets > 1 && has(Pipelines::SwappedFormats) {
        desc.RTVFormats.swap(0, 1);
    }
    if desc.NumRenderTargets > 1 && has(Pipelines::LostTarget) {
        desc.NumRenderTargets -= 1;
    }
    if has(Pipelines::NoDepthFormat) {
        desc.DSVFormat = DXGI_FORMAT_UNKNOWN;
    }
    if has(Pipelines::OneSample) {
        desc.SampleDesc.Count = 1;
    }
    if has(Pipelines::AllSamples) {
        desc.SampleMask = u32::MAX;
    }
    if desc.PrimitiveTopologyType == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE
        && has(Pipelines::Triangles)
    {
        desc.PrimitiveTopologyType = D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE;
    }
    if has(Pipelines::NoStripCut) {
        desc.IBStripCutValue = D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_DISABLED;
    }
    if has(Pipelines::NoFlags) {
        desc.Flags = D3D12DDI_PIPELINE_STATE_FLAGS(0);
    }
    if has(Pipelines::NoNode) {
        desc.NodeMask = 0;
    }
    if desc.ViewInstancingDesc.ViewInstanceCount > 1 && has(Pipelines::OneView) {
        desc.ViewInstancingDesc.ViewInstanceCount = 1;
    }
}
