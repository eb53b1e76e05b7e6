//! What a pipeline is made of: shaders, root signatures and fixed-function state, as copies of their create-arguments.
//!
//! In the compiler plugin's DDI the handle of such an object is a pointer to its create-arguments (docs/spec-notes.md,
//! "Handles inside create arguments"): [`PluginForm`] has a pipeline's description in that form.

use std::ptr;
use std::sync::Arc;

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use plugin_host::arena::Arena;
use plugin_sdk::desc::ShaderCode;

use crate::boundary::{self, Error, Private, Result, checked, device_slots, raw};
use crate::copies::{Copier, Kept};
use crate::device::{Device, PipelineLibrary};
use crate::handles::{Object, Owner, PRIVATE_SIZE};

/// A shader. The larger structure begins with the plain one, and every shader has it.
pub(crate) struct Shader {
    arg: Kept<D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026>,
    _copies: Arena,
    _root_signature: Option<Arc<RootSignature>>,
}

impl Object for Shader {
    const KIND: &'static str = "shader";
}

/// Which signatures a shader has.
#[derive(Clone, Copy)]
enum Signatures {
    /// Compute and amplification shaders.
    None,
    /// Vertex, geometry and pixel shaders.
    Standard,
    /// Hull and domain shaders.
    Tessellation,
    Mesh,
}

/// A root signature.
pub(crate) struct RootSignature {
    arg: Kept<D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100>,
    _copies: Arena,
}

impl Object for RootSignature {
    const KIND: &'static str = "root signature";
}

impl RootSignature {
    /// Its handle in the plugin's DDI.
    pub(crate) fn plugin_handle(&self) -> D3D12DDI_HROOTSIGNATURE {
        D3D12DDI_HROOTSIGNATURE {
            pDrvPrivate: self.arg.as_ptr().cast_mut().cast(),
        }
    }
}

macro_rules! states {
    ($($name:ident($desc:ty) = $kind:literal;)*) => {$(
        pub(crate) struct $name {
            arg: Kept<$desc>,
            _copies: Arena,
        }

        impl Object for $name {
            const KIND: &'static str = $kind;
        }

        impl $name {
            fn new(arg: $desc, mut copies: Arena) -> Self {
                let arg = copies.put(arg);
                Self {
                    // SAFETY: the copy, and what it points to, is in `_copies`.
                    arg: unsafe { Kept::new(arg) },
                    _copies: copies,
                }
            }
        }
    )*};
}

states! {
    BlendState(D3D12DDI_BLEND_DESC_0010) = "blend state";
    RasterizerState(D3D12DDI_RASTERIZER_DESC_0102) = "rasterizer state";
    DepthStencilState(D3D12DDI_DEPTH_STENCIL_DESC_0095) = "depth-stencil state";
    ElementLayout(D3D12DDIARG_CREATEELEMENTLAYOUT_0010) = "element layout";
}

/// No pipeline library: the plugin's DDI has none.
const NO_LIBRARY: D3D12DDI_LIBRARY_REFERENCE_0010 = D3D12DDI_LIBRARY_REFERENCE_0010 {
    hLibrary: D3D12DDI_HPIPELINELIBRARY {
        pDrvPrivate: ptr::null_mut(),
    },
    PipelineIndex: 0,
};

/// Checks a reference to a pipeline library, and takes it away.
fn without_library(owner: &Owner, reference: &mut D3D12DDI_LIBRARY_REFERENCE_0010) -> Result<()> {
    owner.optional::<PipelineLibrary>(reference.hLibrary.pDrvPrivate)?;
    *reference = NO_LIBRARY;
    Ok(())
}

/// # Safety
///
/// All that `desc` points to lives during the call, and its union holds the arm of `signatures`.
unsafe fn copy_shader(
    owner: &Owner,
    desc: &D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    signatures: Signatures,
) -> Result<Shader> {
    let mut copies = Arena::new();
    let mut arg = *desc;
    let shader = &mut arg.CreateShader;
    without_library(owner, &mut shader.LibraryReference)?;
    let root_signature = owner.optional::<RootSignature>(shader.hRootSignature.pDrvPrivate)?;
    shader.hRootSignature.pDrvPrivate = root_signature
        .as_ref()
        .map_or(ptr::null_mut(), |root| root.plugin_handle().pDrvPrivate);
    // A geometry stage that passes vertices on to stream output has no code.
    if !shader.pShaderCode.is_null() || desc.NumEntries == 0 {
        // SAFETY: `pShaderCode` is null or points to a container that lives during the call (`# Safety`).
        let code = unsafe { ShaderCode::new("pShaderCode", shader.pShaderCode) }?;
        shader.pShaderCode = copies.array(code.bytes()).cast_const().cast();
    }
    // SAFETY: the union holds the arm of `signatures`, and the arrays, which live during the call, have their counts (`# Safety`).
    unsafe {
        let mut entries = |entries: &mut *mut D3D12DDIARG_SIGNATURE_ENTRY_0012, count, name| {
            let array = boundary::array(entries.cast_const(), count, name)?;
            *entries = copies.array(array);
            Ok::<_, Error>(())
        };
        match signatures {
            Signatures::None => shader.IOSignatures.Standard = ptr::null(),
            Signatures::Standard => {
                let arm = shader.IOSignatures.Standard;
                if let Some(arm) = boundary::optional(arm, "IOSignatures.Standard")? {
                    let mut arm = *arm;
                    let count = arm.NumInputSignatureEntries;
                    entries(
                        &mut arm.Anonymous1.pInputSignature,
                        count,
                        "pInputSignature",
                    )?;
                    let count = arm.NumOutputSignatureEntries;
                    entries(
                        &mut arm.Anonymous2.pOutputSignature,
                        count,
                        "pOutputSignature",
                    )?;
                    shader.IOSignatures.Standard = copies.put(arm);
                }
            }
            Signatures::Tessellation => {
                let arm = shader.IOSignatures.Tessellation;
                if let Some(arm) = boundary::optional(arm, "IOSignatures.Tessellation")? {
                    let mut arm = *arm;
                    let count = arm.NumInputSignatureEntries;
                    entries(
                        &mut arm.Anonymous1.pInputSignature,
                        count,
                        "pInputSignature",
                    )?;
                    let count = arm.NumOutputSignatureEntries;
                    entries(
                        &mut arm.Anonymous2.pOutputSignature,
                        count,
                        "pOutputSignature",
                    )?;
                    let count = arm.NumPatchConstantSignatureEntries;
                    let place = &mut arm.Anonymous3.pPatchConstantSignature;
                    entries(place, count, "pPatchConstantSignature")?;
                    shader.IOSignatures.Tessellation = copies.put(arm);
                }
            }
            Signatures::Mesh => {
                let arm = shader.IOSignatures.Mesh;
                if let Some(arm) = boundary::optional(arm, "IOSignatures.Mesh")? {
                    let mut arm = *arm;
                    let count = arm.NumPrimitiveOutputSignatureEntries;
                    let place = &mut arm.pPrimitiveOutputSignature;
                    entries(place, count, "pPrimitiveOutputSignature")?;
                    let count = arm.NumVertexOutputSignatureEntries;
                    entries(
                        &mut arm.pVertexOutputSignature,
                        count,
                        "pVertexOutputSignature",
                    )?;
                    shader.IOSignatures.Mesh = copies.put(arm);
                }
            }
        }
        let declaration =
            boundary::array(arg.pOutputStreamDecl, arg.NumEntries, "pOutputStreamDecl")?;
        arg.pOutputStreamDecl = copies.array(declaration);
        let strides = boundary::array(
            arg.BufferStridesInBytes,
            arg.NumStrides,
            "BufferStridesInBytes",
        )?;
        arg.BufferStridesInBytes = copies.array(strides);
    }
    let arg = copies.put(arg);
    Ok(Shader {
        // SAFETY: the copy, and what it points to, is in `_copies` and `_root_signature`.
        arg: unsafe { Kept::new(arg) },
        _copies: copies,
        _root_signature: root_signature,
    })
}

/// # Safety
///
/// All that `desc` points to lives during the call.
unsafe fn copy_root_signature(
    owner: Owner,
    desc: &D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
) -> Result<RootSignature> {
    let mut copier = Copier::new(owner);
    // SAFETY: all that `desc` points to lives during the call (`# Safety`).
    let arg = unsafe { copier.root_signature(desc) }?;
    let mut copies = copier.arena;
    let arg = copies.put(arg);
    Ok(RootSignature {
        // SAFETY: the copy, and what it points to, is in `_copies`.
        arg: unsafe { Kept::new(arg) },
        _copies: copies,
    })
}

/// A pipeline's description in the plugin's form, and the objects that it points to.
pub(crate) struct PluginForm {
    pub(crate) arg: D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    _objects: Vec<Arc<dyn Send + Sync>>,
}

impl PluginForm {
    /// # Errors
    ///
    /// A handle is of no object, of another kind, or of another device.
    pub(crate) fn of(owner: &Owner, desc: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> Result<Self> {
        let mut arg = *desc;
        let mut objects: Vec<Arc<dyn Send + Sync>> = Vec::new();
        macro_rules! resolve {
            ($($kind:ident: $($member:ident),*;)*) => {$($(
                if let Some(object) = owner.optional::<$kind>(arg.$member.pDrvPrivate)? {
                    arg.$member.pDrvPrivate = object.arg.as_ptr().cast_mut().cast();
                    objects.push(object);
                }
            )*)*};
        }
        resolve! {
            Shader: hComputeShader, hVertexShader, hPixelShader, hDomainShader, hHullShader, hGeometryShader, hMeshShader,
                hAmplificationShader;
            RootSignature: hRootSignature;
            BlendState: hBlendState;
            RasterizerState: hRasterizerState;
            DepthStencilState: hDepthStencilState;
            ElementLayout: hElementLayout;
        }
        without_library(owner, &mut arg.LibraryReference)?;
        Ok(Self {
            arg,
            _objects: objects,
        })
    }
}

fn create_shader(
    device: &Device,
    desc: &D3D12DDIARG_CREATE_SHADER_0026,
    private: Private,
    signatures: Signatures,
) -> Result<()> {
    let desc = D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 {
        CreateShader: *desc,
        pOutputStreamDecl: ptr::null(),
        NumEntries: 0,
        BufferStridesInBytes: ptr::null(),
        NumStrides: 0,
        RasterizedStream: 0,
    };
    // SAFETY: the DDI: what the arguments point to lives during the call, and the arm is that of the slot's stage.
    private.create(device, || unsafe {
        copy_shader(&device.owner(), &desc, signatures)
    })?;
    Ok(())
}

macro_rules! shader_slots {
    ($($name:ident = $slot:literal, $signatures:ident;)*) => {
        device_slots! {$(
            $name = $slot(
                device, input desc: D3D12DDIARG_CREATE_SHADER_0026, private shader: D3D12DDI_HSHADER,
            ) {
                create_shader(device, desc, shader, Signatures::$signatures)?
            }
        )*}
    };
}

shader_slots! {
    create_vertex_shader = "pfnCreateVertexShader", Standard;
    create_pixel_shader = "pfnCreatePixelShader", Standard;
    create_geometry_shader = "pfnCreateGeometryShader", Standard;
    create_compute_shader = "pfnCreateComputeShader", None;
    create_hull_shader = "pfnCreateHullShader", Tessellation;
    create_domain_shader = "pfnCreateDomainShader", Tessellation;
    create_amplification_shader = "pfnCreateAmplificationShader", None;
    create_mesh_shader = "pfnCreateMeshShader", Mesh;
}

/// The slots of a state: its size, its creation, its end.
macro_rules! state_slots {
    ($($kind:ident($desc:ty, $handle:ty): $calc:ident = $calc_slot:literal, $create:ident = $create_slot:literal,
        $destroy:ident = $destroy_slot:literal;)*) => {
        device_slots! {$(
            $calc = $calc_slot(_device, value _desc: *const $desc) -> SIZE_T { PRIVATE_SIZE }

            $create = $create_slot(device, input desc: $desc, private state: $handle) {
                state.create(device, || Ok($kind::new(*desc, Arena::new())))?;
            }

            $destroy = $destroy_slot(device, value state: $handle) {
                device.owner().remove::<$kind>(state.pDrvPrivate)?;
            }
        )*}
    };
}

state_slots! {
    BlendState(D3D12DDI_BLEND_DESC_0010, D3D12DDI_HBLENDSTATE): calc_private_blend_state_size =
        "pfnCalcPrivateBlendStateSize", create_blend_state = "pfnCreateBlendState",
        destroy_blend_state = "pfnDestroyBlendState";
    RasterizerState(D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_HRASTERIZERSTATE): calc_private_rasterizer_state_size =
        "pfnCalcPrivateRasterizerStateSize", create_rasterizer_state = "pfnCreateRasterizerState",
        destroy_rasterizer_state = "pfnDestroyRasterizerState";
    DepthStencilState(D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_HDEPTHSTENCILSTATE):
        calc_private_depth_stencil_state_size = "pfnCalcPrivateDepthStencilStateSize",
        create_depth_stencil_state = "pfnCreateDepthStencilState",
        destroy_depth_stencil_state = "pfnDestroyDepthStencilState";
}

device_slots! {
    calc_private_shader_size = "pfnCalcPrivateShaderSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_SHADER_0026,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    calc_private_tessellation_shader_size = "pfnCalcPrivateTessellationShaderSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_SHADER_0026,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    calc_private_mesh_shader_size = "pfnCalcPrivateMeshShaderSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_SHADER_0026,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    calc_private_geometry_shader_with_stream_output_size = "pfnCalcPrivateGeometryShaderWithStreamOutput"(
        _device, value _desc: *const D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_geometry_shader_with_stream_output = "pfnCreateGeometryShaderWithStreamOutput"(
        device,
        input desc: D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
        private shader: D3D12DDI_HSHADER,
    ) {
        // SAFETY: the DDI: what the arguments point to lives during the call.
        shader.create(device, || unsafe { copy_shader(&device.owner(), desc, Signatures::Standard) })?;
    }

    destroy_shader = "pfnDestroyShader"(device, value shader: D3D12DDI_HSHADER) {
        device.owner().remove::<Shader>(shader.pDrvPrivate)?;
    }

    calc_private_root_signature_size = "pfnCalcPrivateRootSignatureSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_root_signature = "pfnCreateRootSignature"(
        device, input desc: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, private root: D3D12DDI_HROOTSIGNATURE,
    ) -> HRESULT {
        // SAFETY: the DDI: what the arguments point to lives during the call.
        root.create(device, || unsafe { copy_root_signature(device.owner(), desc) })?;
        S_OK
    }

    destroy_root_signature = "pfnDestroyRootSignature"(device, value root: D3D12DDI_HROOTSIGNATURE) {
        device.owner().remove::<RootSignature>(root.pDrvPrivate)?;
    }

    calc_private_element_layout_size = "pfnCalcPrivateElementLayoutSize"(
        _device, value _desc: *const D3D12DDIARG_CREATEELEMENTLAYOUT_0010,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_element_layout = "pfnCreateElementLayout"(
        device, input desc: D3D12DDIARG_CREATEELEMENTLAYOUT_0010, private layout: D3D12DDI_HELEMENTLAYOUT,
    ) {
        // SAFETY: the DDI: what the arguments point to lives during the call.
        let elements = unsafe { boundary::array(desc.pVertexElements, desc.NumElements, "pVertexElements") }?;
        let mut copies = Arena::new();
        let mut arg = D3D12DDIARG_CREATEELEMENTLAYOUT_0010 {
            pVertexElements: copies.array(elements),
            NumElements: desc.NumElements,
            LibraryReference: desc.LibraryReference,
        };
        without_library(&device.owner(), &mut arg.LibraryReference)?;
        layout.create(device, || Ok(ElementLayout::new(arg, copies)))?;
    }

    destroy_element_layout = "pfnDestroyElementLayout"(device, value layout: D3D12DDI_HELEMENTLAYOUT) {
        device.owner().remove::<ElementLayout>(layout.pDrvPrivate)?;
    }
}
