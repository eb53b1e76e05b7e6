//! What a pipeline or a state object is divided into.

use std::slice;

use ddi_sys::{
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_EXISTING_COLLECTION_DESC_0054,
    D3D12DDI_STATE_SUBOBJECT_0054, D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_SHADER_0026, D3D12DDIARG_CREATE_STATE_OBJECT_0054, DXGI_ERROR_UNSUPPORTED,
    E_FAIL, E_POINTER, HRESULT,
};
use dxil::ShaderKind;
use sha2::{Digest, Sha256};

use crate::family::Family;
use crate::program;

/// What the code of one compiler depends on besides the object.
pub(crate) struct Compiler {
    pub(crate) family: &'static Family,
    family_index: u32,
    /// 0 where the code is the same for all.
    abi_version: u64,
    profile: u64,
}

impl Compiler {
    pub(crate) fn new(
        (family, family_index): (&'static Family, u32),
        abi_version: u64,
        profile: u64,
    ) -> Self {
        let abi_version = if family.code_has_abi { abi_version } else { 0 };
        Self {
            family,
            family_index,
            abi_version,
            profile,
        }
    }
}

/// A value of the cache: a key with the code of a part.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    pub(crate) key: Vec<u8>,
    pub(crate) code: Vec<u8>,
}

impl Part {
    /// The code that everything begins with, on every target.
    fn prologue() -> Self {
        Self {
            key: b"p".to_vec(),
            code: b"OTHR prologue".to_vec(),
        }
    }

    /// The code that follows from `inputs`, under a key that is their hash and as long as the hash says.
    fn of(compiler: &Compiler, what: &str, inputs: &[&[u8]]) -> Self {
        const LONGEST: usize = 700;
        let mut hash = Sha256::new();
        hash.update(compiler.family_index.to_le_bytes());
        hash.update(compiler.abi_version.to_le_bytes());
        hash.update(compiler.profile.to_le_bytes());
        for input in inputs.iter().chain([&what.as_bytes()]) {
            hash.update((input.len() as u64).to_le_bytes());
            hash.update(input);
        }
        let hash: [u8; 32] = hash.finalize().into();
        let len = hash.len() + usize::from(hash[0]) * (LONGEST - hash.len()) / usize::from(u8::MAX);
        let key = hash.iter().copied().cycle().take(len).collect();
        Self {
            key,
            code: [b"OTHR", &hash[..]].concat(),
        }
    }
}

/// The parts of a pipeline: the prologue, one for each shader, and what links them.
///
/// # Safety
///
/// Everything that the description points at is valid for the call.
pub(crate) unsafe fn pipeline(
    compiler: &Compiler,
    desc: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> Result<Vec<Part>, HRESULT> {
    let stages = [
        (ShaderKind::Compute, desc.hComputeShader),
        (ShaderKind::Vertex, desc.hVertexShader),
        (ShaderKind::Hull, desc.hHullShader),
        (ShaderKind::Domain, desc.hDomainShader),
        (ShaderKind::Geometry, desc.hGeometryShader),
        (ShaderKind::Pixel, desc.hPixelShader),
        (ShaderKind::Amplification, desc.hAmplificationShader),
        (ShaderKind::Mesh, desc.hMeshShader),
    ];
    if !desc.hMeshShader.pDrvPrivate.is_null() && !compiler.family.has_features {
        return Err(DXGI_ERROR_UNSUPPORTED);
    }
    let mut parts = vec![Part::prologue()];
    let mut linked = Vec::new();
    for (kind, handle) in stages {
        let shader: *const D3D12DDIARG_CREATE_SHADER_0026 = handle.pDrvPrivate.cast();
        // SAFETY: a handle is null or points at a description (`# Safety`).
        let Some(shader) = (unsafe { shader.as_ref() }) else {
            continue;
        };
        // A geometry stage without code passes vertices to stream output.
        if shader.pShaderCode.is_null() && kind == ShaderKind::Geometry {
            linked.extend_from_slice(b"stream output");
            continue;
        }
        // SAFETY: null, or code that is valid for the call (`# Safety`).
        let hash = unsafe { program::hash(shader.pShaderCode, |other| other == kind) }?;
        parts.push(Part::of(compiler, "stage", &[&hash]));
        linked.extend_from_slice(&hash);
    }
    if linked.is_empty() {
        return Err(E_FAIL);
    }
    let formats = desc.RTVFormats.iter().take(desc.NumRenderTargets as usize);
    let state: Vec<u8> = [
        desc.PrimitiveTopologyType.0,
        desc.DSVFormat.0,
        desc.SampleDesc.Count.cast_signed(),
    ]
    .into_iter()
    .chain(formats.map(|format| format.0))
    .flat_map(i32::to_le_bytes)
    .collect();
    parts.push(Part::of(compiler, "link", &[&linked, &state]));
    Ok(parts)
}

/// What later compiles need to know of a state object.
pub(crate) type StateObject = [u8; 32];

/// The parts of a state object that it has of its own, and what it is for later compiles; `known` finds what there is
/// of a collection.
///
/// # Safety
///
/// Everything that the description points at is valid for the call.
pub(crate) unsafe fn state_object(
    compiler: &Compiler,
    desc: &D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: Option<StateObject>,
    known: impl Fn(usize) -> Option<StateObject>,
) -> Result<(Vec<Part>, StateObject), HRESULT> {
    if !compiler.family.has_features {
        return Err(DXGI_ERROR_UNSUPPORTED);
    }
    let subobjects: &[D3D12DDI_STATE_SUBOBJECT_0054] = if desc.NumSubobjects == 0 {
        &[]
    } else if desc.pSubobjects.is_null() {
        return Err(E_POINTER);
    } else {
        // SAFETY: an array of so many (`# Safety`).
        unsafe { slice::from_raw_parts(desc.pSubobjects, desc.NumSubobjects as usize) }
    };
    // Those of generic programs are the shaders of a pipeline.
    let is_generic = subobjects
        .iter()
        .any(|subobject| subobject.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM);
    let is_right = |kind| (kind == ShaderKind::Library) != is_generic;
    let mut parts = vec![Part::prologue()];
    let mut object = Sha256::new();
    object.update(desc.Type.0.to_le_bytes());
    object.update(parent.unwrap_or_default());
    for subobject in subobjects {
        if subobject.pDesc.is_null() {
            return Err(E_POINTER);
        }
        match subobject.Type {
            D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => {
                let library: *const D3D12DDI_DXIL_LIBRARY_DESC_0054 = subobject.pDesc.cast();
                // SAFETY: a subobject of this type has this description, with code that is valid for the call
                // (`# Safety`).
                let hash = unsafe { program::hash((*library).pDXILLibrary, is_right) }?;
                parts.push(Part::of(compiler, "library", &[&hash]));
                object.update(hash);
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION => {
                let collection: *const D3D12DDI_EXISTING_COLLECTION_DESC_0054 =
                    subobject.pDesc.cast();
                // SAFETY: a subobject of this type has this description (`# Safety`).
                let handle = unsafe { (*collection).hExistingCollection };
                object.update(known(handle.pDrvPrivate.addr()).ok_or(E_FAIL)?);
            }
            _ => object.update(subobject.Type.0.to_le_bytes()),
        }
    }
    let object: StateObject = object.finalize().into();
    parts.push(Part::of(compiler, "state object", &[&object]));
    Ok((parts, object))
}
