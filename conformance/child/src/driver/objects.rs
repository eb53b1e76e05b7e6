//! Objects of the driver under test that an application creates: each in the driver's private memory, with the header of
//! D3D12RuntimeBypass.md somewhere else.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;

use conformance_catalogue::verdict::Stop;
use ddi_sys::{
    D3D12DDI_API_HPIPELINESTATE, D3D12DDI_API_HROOTSIGNATURE, D3D12DDI_BLEND_DESC_0010,
    D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_HBLENDSTATE, D3D12DDI_HDEPTHSTENCILSTATE,
    D3D12DDI_HELEMENTLAYOUT, D3D12DDI_HPIPELINESTATE, D3D12DDI_HRASTERIZERSTATE,
    D3D12DDI_HROOTSIGNATURE, D3D12DDI_HRTPIPELINESTATE, D3D12DDI_HRTSTATEOBJECT_0054,
    D3D12DDI_HSHADER, D3D12DDI_HSTATEOBJECT_0054, D3D12DDI_RASTERIZER_DESC_0102,
    D3D12DDI_RUNTIME_BYPASS_HEADER, D3D12DDIARG_ADD_TO_STATE_OBJECT_0072,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, D3D12DDIARG_CREATE_SHADER_0026,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, HRESULT, S_OK,
};

use super::{Device, Driver, Host, private, slot};
use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::{self, Pipeline};
use crate::plugin::state_object::{self, Description};

/// Where the header of an application's object lies, seen from the driver's private memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Header {
    Elsewhere,
    Before,
    Behind,
}

impl Header {
    pub(crate) const ALL: [Self; 3] = [Self::Elsewhere, Self::Before, Self::Behind];

    /// Private memory of this size, and the header, with room for the runtime's own object behind it.
    pub(super) fn object(self, size: usize) -> Result<Object, Stop> {
        let memory = |room| private(size.saturating_add(room));
        let (header, driver) = match self {
            Self::Elsewhere => (private(ROOM)?, memory(0)?),
            Self::Before => {
                let header = memory(ROOM)?;
                (header, header.wrapping_byte_add(ROOM))
            }
            Self::Behind => {
                let driver = memory(ROOM + 16)?;
                (driver.wrapping_byte_add(size.next_multiple_of(16)), driver)
            }
        };
        let object = Object { header, driver };
        let content = D3D12DDI_RUNTIME_BYPASS_HEADER {
            pInterfaceVtable: ptr::without_provenance(POISON),
            pDriverObject: driver,
        };
        // SAFETY: there is so much room, aligned to 16 bytes.
        unsafe {
            header.cast::<[usize; WORDS]>().write([POISON; WORDS]);
            header
                .cast::<D3D12DDI_RUNTIME_BYPASS_HEADER>()
                .write(content);
        }
        Ok(object)
    }
}

/// The bytes of the header and of the runtime's own object behind it.
const ROOM: usize = 4096;
const WORDS: usize = ROOM / size_of::<usize>();

/// What the runtime's own object holds: no address that a process has.
const POISON: usize = usize::MAX / 255 * 0xA5;

/// An object of the application's, and the driver's part of it.
#[derive(Clone, Copy)]
pub(super) struct Object {
    pub(super) header: *mut c_void,
    pub(super) driver: *mut c_void,
}

impl Object {
    /// Where the driver has written to the runtime's part, in bytes from the header.
    pub(super) fn stray_write(self) -> Option<usize> {
        // SAFETY: the object is never freed.
        let room = unsafe { self.header.cast::<[usize; WORDS]>().read() };
        let driver = offset_of!(D3D12DDI_RUNTIME_BYPASS_HEADER, pDriverObject) / size_of::<usize>();
        let mut before = [POISON; WORDS];
        before[driver] = self.driver.addr();
        let changed = room
            .iter()
            .zip(before)
            .position(|(now, before)| *now != before);
        changed.map(|word| word * size_of::<usize>())
    }
}

/// Creates one of the driver's objects: the size, the memory, the object.
macro_rules! create {
    ($device:expr, $place:expr, $handle:ident, $desc:expr, $calc:ident, $create:ident $(, $more:expr)*) => {{
        let (calc, create) = (slot!(core.$calc of $device.core), slot!(core.$create of $device.core));
        // SAFETY: the description lives during the call.
        let object = $place.object(unsafe { calc($device.handle, $desc) })?;
        let handle = $handle { pDrvPrivate: object.driver };
        // SAFETY: the description lives during the call, and the memory has the size that the driver asked for.
        let result = unsafe { create($device.handle, $desc, handle $(, $more)*) };
        (object, handle, result)
    }};
}

pub(super) use create;

/// What a function without a result returns is no failure.
pub(super) fn is_created(host: &Host, name: &str) -> Result<(), Stop> {
    match host.take_errors().first() {
        None => Ok(()),
        Some(error) => Err(Stop::Undecided(format!("{name} reported {error}"))),
    }
}

pub(super) fn succeeded(name: &str, result: HRESULT) -> Result<(), Stop> {
    if result == S_OK {
        Ok(())
    } else {
        Err(Stop::Undecided(format!("{name} returned {result}")))
    }
}

/// A pipeline with its root signature.
pub(crate) struct PipelineState {
    pipeline: Object,
    root_signature: Object,
}

impl PipelineState {
    /// Undecided where the driver refuses it.
    pub(crate) fn new(
        driver: &Driver,
        device: &Device,
        kind: &pipeline::Kind,
        place: Header,
    ) -> Result<Self, Stop> {
        let desc = Pipeline::new(kind, Surroundings::USUAL)?;
        // SAFETY: the description lives here.
        let mut arg = unsafe { *desc.arg };
        let host = device.adapter.host;
        driver.at("creating a pipeline");
        let root = arg
            .hRootSignature
            .pDrvPrivate
            .cast::<D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100>();
        let (root_signature, root, result) = create!(
            device,
            place,
            D3D12DDI_HROOTSIGNATURE,
            root.cast_const(),
            pfnCalcPrivateRootSignatureSize,
            pfnCreateRootSignature
        );
        succeeded("pfnCreateRootSignature", result)?;
        arg.hRootSignature = root;
        // A description of the plugin DDI has in the place of each handle a pointer to what the object is created from.
        macro_rules! part {
            ($field:ident: $handle:ident of $desc:ty, $calc:ident, $create:ident) => {
                let desc = arg.$field.pDrvPrivate.cast::<$desc>().cast_const();
                if !desc.is_null() {
                    let (_, handle, ()) =
                        create!(device, Header::Elsewhere, $handle, desc, $calc, $create);
                    is_created(host, stringify!($create))?;
                    arg.$field = handle;
                }
            };
        }
        part!(hBlendState: D3D12DDI_HBLENDSTATE of D3D12DDI_BLEND_DESC_0010, pfnCalcPrivateBlendStateSize, pfnCreateBlendState);
        part!(hRasterizerState: D3D12DDI_HRASTERIZERSTATE of D3D12DDI_RASTERIZER_DESC_0102, pfnCalcPrivateRasterizerStateSize, pfnCreateRasterizerState);
        part!(hDepthStencilState: D3D12DDI_HDEPTHSTENCILSTATE of D3D12DDI_DEPTH_STENCIL_DESC_0095, pfnCalcPrivateDepthStencilStateSize, pfnCreateDepthStencilState);
        part!(hElementLayout: D3D12DDI_HELEMENTLAYOUT of D3D12DDIARG_CREATEELEMENTLAYOUT_0010, pfnCalcPrivateElementLayoutSize, pfnCreateElementLayout);
        macro_rules! shader {
            ($field:ident, $calc:ident, $create:ident) => {
                let desc = arg.$field.pDrvPrivate.cast::<D3D12DDIARG_CREATE_SHADER_0026>();
                // SAFETY: null, or the stage's description.
                if let Some(desc) = unsafe { desc.as_mut() } {
                    desc.hRootSignature = root;
                    part!($field: D3D12DDI_HSHADER of D3D12DDIARG_CREATE_SHADER_0026, $calc, $create);
                }
            };
        }
        shader!(
            hVertexShader,
            pfnCalcPrivateShaderSize,
            pfnCreateVertexShader
        );
        shader!(hPixelShader, pfnCalcPrivateShaderSize, pfnCreatePixelShader);
        shader!(
            hGeometryShader,
            pfnCalcPrivateShaderSize,
            pfnCreateGeometryShader
        );
        shader!(
            hHullShader,
            pfnCalcPrivateTessellationShaderSize,
            pfnCreateHullShader
        );
        shader!(
            hDomainShader,
            pfnCalcPrivateTessellationShaderSize,
            pfnCreateDomainShader
        );
        shader!(
            hComputeShader,
            pfnCalcPrivateShaderSize,
            pfnCreateComputeShader
        );
        shader!(
            hAmplificationShader,
            pfnCalcPrivateMeshShaderSize,
            pfnCreateAmplificationShader
        );
        shader!(
            hMeshShader,
            pfnCalcPrivateMeshShaderSize,
            pfnCreateMeshShader
        );
        let runtime = D3D12DDI_HRTPIPELINESTATE {
            handle: host.object_handle(),
        };
        let (pipeline, _, result) = create!(
            device,
            place,
            D3D12DDI_HPIPELINESTATE,
            &raw const arg,
            pfnCalcPrivatePipelineStateSize,
            pfnCreatePipelineState,
            runtime
        );
        succeeded("pfnCreatePipelineState", result)?;
        desc.keep(kind);
        Ok(Self {
            pipeline,
            root_signature,
        })
    }

    pub(crate) fn pipeline(&self) -> D3D12DDI_API_HPIPELINESTATE {
        D3D12DDI_API_HPIPELINESTATE {
            pDrvPrivate: self.pipeline.header,
        }
    }

    pub(crate) fn root_signature(&self) -> D3D12DDI_API_HROOTSIGNATURE {
        D3D12DDI_API_HROOTSIGNATURE {
            pDrvPrivate: self.root_signature.header,
        }
    }
}

/// A state object.
pub(crate) struct StateObject {
    desc: Description,
    handle: D3D12DDI_HSTATEOBJECT_0054,
}

impl StateObject {
    /// A state object, and before it what it is made from; undecided where the driver refuses it.
    pub(crate) fn new(
        driver: &Driver,
        device: &Device,
        kind: &'static state_object::Kind,
    ) -> Result<Self, Stop> {
        let from = kind.base().map(|base| Self::new(driver, device, base));
        let from = from.transpose()?;
        let made_from = from
            .as_ref()
            .map(|from| (&from.desc, from.handle.pDrvPrivate));
        let desc = kind.described_from(made_from)?;
        driver.at("creating a state object");
        let runtime = D3D12DDI_HRTSTATEOBJECT_0054 {
            handle: device.adapter.host.object_handle(),
        };
        let handle = if let Some(parent) = from.filter(|_| kind.is_addition()) {
            // SAFETY: the description lives here.
            let arg = unsafe { &*desc.arg() };
            let addition = D3D12DDIARG_ADD_TO_STATE_OBJECT_0072 {
                Type: arg.Type,
                NumSubobjects: arg.NumSubobjects,
                pSubobjects: arg.pSubobjects,
                StateObjectToGrowFrom: parent.handle,
            };
            let (_, handle, result) = create!(
                device,
                Header::Elsewhere,
                D3D12DDI_HSTATEOBJECT_0054,
                &raw const addition,
                pfnCalcPrivateAddToStateObjectSize,
                pfnAddToStateObject,
                runtime
            );
            succeeded("pfnAddToStateObject", result)?;
            handle
        } else {
            let (_, handle, result) = create!(
                device,
                Header::Elsewhere,
                D3D12DDI_HSTATEOBJECT_0054,
                desc.arg(),
                pfnCalcPrivateStateObjectSize,
                pfnCreateStateObject,
                runtime
            );
            succeeded("pfnCreateStateObject", result)?;
            handle
        };
        Ok(Self { desc, handle })
    }
}
