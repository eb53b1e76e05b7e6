//! An open command list of the driver under test.

use std::ptr;

use conformance_catalogue::verdict::Stop;
use ddi_sys::{
    D3D12DDI_API_HCOMMANDLIST, D3D12DDI_COMMAND_LIST_FLAG_NONE,
    D3D12DDI_COMMAND_LIST_FUNCS_3D_0114, D3D12DDI_COMMAND_LIST_TYPE_DIRECT,
    D3D12DDI_COMMAND_POOL_FLAG_NONE, D3D12DDI_COMMAND_QUEUE_FLAG_3D,
    D3D12DDI_COMMAND_RECORDER_FLAG_NONE, D3D12DDI_HCOMMANDLIST, D3D12DDI_HCOMMANDPOOL_0040,
    D3D12DDI_HCOMMANDRECORDER_0040, D3D12DDI_HMETACOMMAND_0052, D3D12DDI_HRTCOMMANDLIST,
    D3D12DDI_HRTMETACOMMAND_0052, D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D,
    D3D12DDIARG_CREATE_COMMAND_LIST_0040, D3D12DDIARG_CREATE_COMMAND_POOL_0040,
    D3D12DDIARG_CREATE_COMMAND_RECORDER_0040, D3D12DDIARG_META_COMMAND_DESC,
    D3D12DDIARG_RESETCOMMANDLIST_0040, GUID, HRESULT, S_OK,
};

use super::objects::{Header, Object, create, is_created, succeeded};
use super::{Device, Driver, listed, private, slot};

/// A command list, open, and its table.
pub(crate) struct List<'d> {
    device: &'d Device,
    object: Object,
    table: Box<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>,
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
