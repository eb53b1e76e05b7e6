//! An open command list of the driver under test, and objects that it is given: each in the driver's private memory, with
//! the header of D3D12RuntimeBypass.md somewhere else.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;

use ddi_sys::{
    D3D12DDI_API_HCOMMANDLIST, D3D12DDI_API_HPIPELINESTATE, D3D12DDI_API_HROOTSIGNATURE,
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_COMMAND_LIST_FLAG_NONE, D3D12DDI_COMMAND_LIST_FUNCS_3D_0114,
    D3D12DDI_COMMAND_LIST_TYPE_DIRECT, D3D12DDI_COMMAND_POOL_FLAG_NONE,
    D3D12DDI_COMMAND_QUEUE_FLAG_3D, D3D12DDI_COMMAND_RECORDER_FLAG_NONE,
    D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_HBLENDSTATE, D3D12DDI_HCOMMANDLIST,
    D3D12DDI_HCOMMANDPOOL_0040, D3D12DDI_HCOMMANDRECORDER_0040, D3D12DDI_HDEPTHSTENCILSTATE,
    D3D12DDI_HELEMENTLAYOUT, D3D12DDI_HMETACOMMAND_0052, D3D12DDI_HPIPELINESTATE,
    D3D12DDI_HRASTERIZERSTATE, D3D12DDI_HROOTSIGNATURE, D3D12DDI_HRTCOMMANDLIST,
    D3D12DDI_HRTMETACOMMAND_0052, D3D12DDI_HRTPIPELINESTATE, D3D12DDI_HSHADER,
    D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_RUNTIME_BYPASS_HEADER,
    D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D, D3D12DDIARG_CREATE_COMMAND_LIST_0040,
    D3D12DDIARG_CREATE_COMMAND_POOL_0040, D3D12DDIARG_CREATE_COMMAND_RECORDER_0040,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, D3D12DDIARG_CREATE_SHADER_0026,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, D3D12DDIARG_META_COMMAND_DESC,
    D3D12DDIARG_RESETCOMMANDLIST_0040, GUID, HRESULT, S_OK,
};

use super::{Device, Driver, Host, listed, private, slot};
use crate::arena::Surroundings;
use crate::pipeline::{Kind, Pipeline};
use crate::verdict::Stop;

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
    fn object(self, size: usize) -> Result<Object, Stop> {
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
struct Object {
    header: *mut c_void,
    driver: *mut c_void,
}

impl Object {
    /// Where the driver has written to the runtime's part, in bytes from the header.
    fn stray_write(self) -> Option<usize> {
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

/// A command list, open, and its table.
pub(crate) struct List<'d> {
    device: &'d Device,
    object: Object,
    table: Box<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>,
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

/// What a function without a result returns is no failure.
fn is_created(host: &Host, name: &str) -> Result<(), Stop> {
    match host.take_errors().first() {
        None => Ok(()),
        Some(error) => Err(Stop::Undecided(format!("{name} reported {error}"))),
    }
}

fn succeeded(name: &str, result: HRESULT) -> Result<(), Stop> {
    if result == S_OK {
        Ok(())
    } else {
        Err(Stop::Undecided(format!("{name} returned {result}")))
    }
}

/// Whether the driver lists a meta command of this GUID.
fn has_meta_command(device: &Device, id: GUID) -> Result<bool, Stop> {
    let enumerate = slot!(core.pfnEnumerateMetaCommands of device.core);
    // SAFETY: the device's handle; the array is null, or has the entries.
    let call = |count, array: *mut D3D12DDIARG_META_COMMAND_DESC| unsafe {
        enumerate(device.handle, count, array)
    };
    let (result, commands) = listed(call);
    let commands = commands.unwrap_or_default();
    Ok(result == S_OK && commands.iter().any(|command| command.Id == id))
}

impl<'d> List<'d> {
    /// A list that records; undecided where the driver refuses it.
    pub(crate) fn new(driver: &Driver, device: &'d Device, place: Header) -> Result<Self, Stop> {
        // The tables of the builds before have as many functions.
        let size = size_of::<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>();
        let (result, table) = device
            .adapter
            .table::<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>(
                D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D,
                size,
            )?;
        succeeded("pfnFillDDITable(COMMAND_LIST_3D)", result)?;
        let table = Box::new(table);
        driver.at("creating a command list");
        let elsewhere = Header::Elsewhere;
        let pool = D3D12DDIARG_CREATE_COMMAND_POOL_0040 {
            PoolFlags: D3D12DDI_COMMAND_POOL_FLAG_NONE,
        };
        let (_, pool, result) = create!(
            device,
            elsewhere,
            D3D12DDI_HCOMMANDPOOL_0040,
            &raw const pool,
            pfnCalcPrivateCommandPoolSize,
            pfnCreateCommandPool
        );
        succeeded("pfnCreateCommandPool", result)?;
        let recorder = D3D12DDIARG_CREATE_COMMAND_RECORDER_0040 {
            QueueFlags: D3D12DDI_COMMAND_QUEUE_FLAG_3D,
            RecorderFlags: D3D12DDI_COMMAND_RECORDER_FLAG_NONE,
        };
        let (_, recorder, result) = create!(
            device,
            elsewhere,
            D3D12DDI_HCOMMANDRECORDER_0040,
            &raw const recorder,
            pfnCalcPrivateCommandRecorderSize,
            pfnCreateCommandRecorder
        );
        succeeded("pfnCreateCommandRecorder", result)?;
        let set = slot!(core.pfnCommandRecorderSetCommandPoolAsTarget of device.core);
        // SAFETY: handles of the driver's.
        unsafe { set(device.handle, recorder, pool) };
        let list = D3D12DDIARG_CREATE_COMMAND_LIST_0040 {
            Type: D3D12DDI_COMMAND_LIST_TYPE_DIRECT,
            QueueFlags: D3D12DDI_COMMAND_QUEUE_FLAG_3D,
            ID: 1,
            CommandListFlags: D3D12DDI_COMMAND_LIST_FLAG_NONE,
            NodeMask: 1,
        };
        let runtime = D3D12DDI_HRTCOMMANDLIST {
            handle: device.adapter.host.list_handle(),
        };
        let (object, handle, result) = create!(
            device,
            place,
            D3D12DDI_HCOMMANDLIST,
            &raw const list,
            pfnCalcPrivateCommandListSize,
            pfnCreateCommandList,
            runtime
        );
        succeeded("pfnCreateCommandList", result)?;
        let reset = D3D12DDIARG_RESETCOMMANDLIST_0040 {
            hDrvCommandRecorder: recorder,
            ID: 1,
            CommandListFlags: D3D12DDI_COMMAND_LIST_FLAG_NONE,
        };
        // SAFETY: the structure lives during the call.
        unsafe { slot!(list.pfnResetCommandList of table)(handle, &raw const reset) };
        is_created(device.adapter.host, "pfnResetCommandList")?;
        Ok(Self {
            device,
            object,
            table,
        })
    }

    pub(crate) fn table(&self) -> &D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 {
        &self.table
    }

    /// The address of the application's object.
    pub(crate) fn api(&self) -> D3D12DDI_API_HCOMMANDLIST {
        D3D12DDI_API_HCOMMANDLIST {
            pDrvPrivate: self.object.header,
        }
    }

    fn handle(&self) -> D3D12DDI_HCOMMANDLIST {
        D3D12DDI_HCOMMANDLIST {
            pDrvPrivate: self.object.driver,
        }
    }

    /// Where the driver has written to the runtime's part of the list, in bytes from the header.
    pub(crate) fn stray_write(&self) -> Option<usize> {
        self.object.stray_write()
    }

    pub(crate) fn close(&self) -> Result<(), Stop> {
        let close = slot!(list.pfnCloseCommandList of self.table);
        // SAFETY: a list of the driver's.
        unsafe { close(self.handle()) };
        Ok(())
    }

    /// The errors that the driver has told of since the last call of this function.
    pub(crate) fn take_errors(&self) -> Vec<HRESULT> {
        self.device.adapter.host.take_errors()
    }

    /// Executes a meta command that takes nothing for its creation; `None` for a driver that does not have it.
    ///
    /// # Safety
    ///
    /// The parameters are the command's.
    pub(crate) unsafe fn execute<T>(
        &self,
        id: GUID,
        parameters: &mut T,
    ) -> Result<Option<()>, Stop> {
        let device = self.device;
        if !has_meta_command(device, id)? {
            return Ok(None);
        }
        let calc = slot!(core.pfnCalcPrivateMetaCommandSize of device.core);
        let create = slot!(core.pfnCreateMetaCommand of device.core);
        // SAFETY: there are no parameters.
        let size = unsafe { calc(device.handle, id, 1, ptr::null(), 0) };
        let handle = D3D12DDI_HMETACOMMAND_0052 {
            pDrvPrivate: private(size)?,
        };
        let runtime = D3D12DDI_HRTMETACOMMAND_0052 {
            handle: device.adapter.host.object_handle(),
        };
        // SAFETY: there are no parameters, and the memory has the size that the driver asked for.
        let result = unsafe { create(device.handle, id, 1, ptr::null(), 0, handle, runtime) };
        if result != S_OK {
            return Ok(None);
        }
        let execute = slot!(list.pfnExecuteMetaCommand of self.table);
        let parameters: *mut T = parameters;
        // SAFETY: the parameters live during the call, and are the command's (`# Safety`).
        unsafe { execute(self.handle(), handle, parameters.cast(), size_of::<T>()) };
        Ok(Some(()))
    }
}

/// A pipeline with its root signature.
pub(crate) struct Drawn {
    pipeline: Object,
    root_signature: Object,
}

impl Drawn {
    /// A pipeline without a geometry shader, undecided where the driver refuses it.
    pub(crate) fn new(
        driver: &Driver,
        device: &Device,
        kind: &Kind,
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
        std::mem::forget(desc);
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
