//! Command lists: what is recorded, by both entries, and what happens to a list that is misused.

use std::ffi::c_void;

use ddi_sys::*;
use mock_umd::inspect;

use crate::host::{Block, Device};

/// A list with what it needs to be recorded, open.
pub struct List<'a> {
    pub device: &'a Device,
    pub handle: D3D12DDI_HCOMMANDLIST,
    pub recorder: D3D12DDI_HCOMMANDRECORDER_0040,
    blocks: [Block; 3],
}

impl<'a> List<'a> {
    pub fn new(device: &'a Device) -> Self {
        let blocks = [Block::new(), Block::new(), Block::new()];
        let handle = D3D12DDI_HCOMMANDLIST {
            pDrvPrivate: blocks[0].address(),
        };
        let recorder = D3D12DDI_HCOMMANDRECORDER_0040 {
            pDrvPrivate: blocks[1].address(),
        };
        let pool = D3D12DDI_HCOMMANDPOOL_0040 {
            pDrvPrivate: blocks[2].address(),
        };
        let core = &device.core;
        let list_desc = D3D12DDIARG_CREATE_COMMAND_LIST_0040 {
            Type: D3D12DDI_COMMAND_LIST_TYPE_DIRECT,
            QueueFlags: D3D12DDI_COMMAND_QUEUE_FLAG_3D,
            ID: 1,
            CommandListFlags: D3D12DDI_COMMAND_LIST_FLAG_NONE,
            NodeMask: 1,
        };
        let pool_desc = D3D12DDIARG_CREATE_COMMAND_POOL_0040 {
            PoolFlags: D3D12DDI_COMMAND_POOL_FLAG_NONE,
        };
        let recorder_desc = D3D12DDIARG_CREATE_COMMAND_RECORDER_0040 {
            QueueFlags: D3D12DDI_COMMAND_QUEUE_FLAG_3D,
            RecorderFlags: D3D12DDI_COMMAND_RECORDER_FLAG_NONE,
        };
        let runtime = D3D12DDI_HRTCOMMANDLIST {
            handle: (&raw const *device.adapter.runtime).cast_mut().cast(),
        };
        // SAFETY: the structures live during the calls, and the blocks are larger than the driver asks
        // for.
        unsafe {
            let create = core.pfnCreateCommandPool.unwrap();
            assert_eq!(create(device.handle, &raw const pool_desc, pool), S_OK);
            let create = core.pfnCreateCommandRecorder.unwrap();
            assert_eq!(
                create(device.handle, &raw const recorder_desc, recorder),
                S_OK
            );
            core.pfnCommandRecorderSetCommandPoolAsTarget.unwrap()(device.handle, recorder, pool);
            let create = core.pfnCreateCommandList.unwrap();
            let created = create(device.handle, &raw const list_desc, handle, runtime);
            assert_eq!(created, S_OK);
        }
        let list = Self {
            device,
            handle,
            recorder,
            blocks,
        };
        list.reset();
        list
    }

    pub fn reset(&self) {
        let arguments = D3D12DDIARG_RESETCOMMANDLIST_0040 {
            hDrvCommandRecorder: self.recorder,
            ID: 1,
            CommandListFlags: D3D12DDI_COMMAND_LIST_FLAG_NONE,
        };
        // SAFETY: the structure lives during the call.
        unsafe { self.device.list.pfnResetCommandList.unwrap()(self.handle, &raw const arguments) };
    }

    pub fn close(&self) {
        // SAFETY: a handle is looked up.
        unsafe { self.device.list.pfnCloseCommandList.unwrap()(self.handle) };
    }

    pub fn pool(&self) -> D3D12DDI_HCOMMANDPOOL_0040 {
        D3D12DDI_HCOMMANDPOOL_0040 {
            pDrvPrivate: self.blocks[2].address(),
        }
    }

    /// What it has recorded, each as text.
    pub fn commands(&self) -> Vec<String> {
        let recording = inspect::recording(self.address()).unwrap();
        recording
            .commands
            .iter()
            .map(|command| format!("{command:?}"))
            .collect()
    }

    pub fn address(&self) -> *mut c_void {
        self.blocks[0].address()
    }
}

impl Drop for List<'_> {
    fn drop(&mut self) {
        let core = &self.device.core;
        // SAFETY: handles are looked up.
        unsafe {
            core.pfnDestroyCommandList.unwrap()(self.device.handle, self.handle);
            core.pfnDestroyCommandRecorder.unwrap()(self.device.handle, self.recorder);
            core.pfnDestroyCommandPool.unwrap()(self.device.handle, self.pool());
        }
    }
}

#[test]
fn a_list_records_while_it_is_open() {
    let device = Device::new(113);
    let list = List::new(&device);
    let draw = device.list.pfnDrawInstanced.unwrap();
    // SAFETY: a handle is looked up.
    unsafe { draw(list.handle, 3, 1, 0, 0) };
    let drawn = [
        "DrawInstanced { vertex_count: 3, instance_count: 1, start_vertex: 0, start_instance: 0 }",
    ];
    assert_eq!(list.commands(), drawn);
    assert_eq!(device.list_errors(), []);
    list.close();
    // SAFETY: a handle is looked up.
    unsafe { draw(list.handle, 4, 1, 0, 0) };
    assert_eq!(list.commands(), drawn);
    assert_eq!(device.list_errors(), [DXGI_ERROR_INVALID_CALL]);
    list.close();
    assert_eq!(device.list_errors(), [DXGI_ERROR_INVALID_CALL]);
    list.reset();
    assert_eq!(device.list_errors(), []);
    assert!(list.commands().is_empty());
    list.reset();
    assert_eq!(device.list_errors(), [DXGI_ERROR_INVALID_CALL]);
}

#[test]
fn a_call_without_a_result_reports_its_failure_to_the_device() {
    let device = Device::new(109);
    let fence = D3D12DDI_HFENCE {
        pDrvPrivate: std::ptr::null_mut(),
    };
    // SAFETY: null is refused.
    unsafe { device.core.pfnDestroyFence.unwrap()(device.handle, fence) };
    assert_eq!(device.errors(), [E_INVALIDARG]);
}

#[test]
fn an_entry_around_the_runtime_takes_the_application_s_object() {
    let device = Device::new(114);
    let list = List::new(&device);
    let object = D3D12DDI_RUNTIME_BYPASS_HEADER {
        pInterfaceVtable: std::ptr::null(),
        pDriverObject: list.address(),
    };
    let draw = device.bypass.pfnDrawInstanced.unwrap();
    for api in [(&raw const object).cast_mut().cast(), std::ptr::null_mut()] {
        let api = D3D12DDI_API_HCOMMANDLIST { pDrvPrivate: api };
        // SAFETY: the object begins with a header, or null is refused.
        unsafe { draw(api, 3, 1, 0, 0) };
    }
    assert_eq!(list.commands().len(), 1);
}

#[test]
fn a_queue_takes_closed_lists_in_order() {
    let block = Block::new();
    let device = Device::new(115);
    let list = List::new(&device);
    let queue = D3D12DDI_HCOMMANDQUEUE {
        pDrvPrivate: block.address(),
    };
    let desc = D3D12DDIARG_CREATECOMMANDQUEUE_0050 {
        QueueFlags: D3D12DDI_COMMAND_QUEUE_FLAG_3D,
        NodeMask: 1,
        QueueCreationFlags: D3D12DDI_COMMAND_QUEUE_CREATION_FLAG_NONE,
        SchedulingGroup: D3D12DDI_HSCHEDULINGGROUP_0050 {
            pDrvPrivate: std::ptr::null_mut(),
        },
    };
    let runtime = D3D12DDI_HRTCOMMANDQUEUE {
        handle: std::ptr::null_mut(),
    };
    let execute = device.queue.pfnExecuteCommandLists.unwrap();
    let executed = || inspect::executed(block.address()).unwrap();
    // SAFETY: the structures live during the calls; the block is larger than the driver asks for.
    unsafe {
        let create = device.core.pfnCreateCommandQueue.unwrap();
        assert_eq!(create(device.handle, &raw const desc, queue, runtime), S_OK);
        execute(queue, 1, &raw const list.handle);
        assert_eq!(device.errors(), [DXGI_ERROR_INVALID_CALL]);
        assert!(executed().is_empty());
        list.close();
        execute(queue, 1, &raw const list.handle);
    }
    assert_eq!(device.errors(), []);
    assert_eq!(executed(), [inspect::list_id(list.address()).unwrap()]);
}
