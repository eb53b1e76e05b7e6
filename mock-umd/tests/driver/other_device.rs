//! Objects of another device: refused wherever a handle can be, as those of no device are.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use bytemuck::Zeroable;
use ddi_sys::*;
use mock_umd::inspect::{self, ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB};

use crate::bad_handles::{self, Given};
use crate::host::{Block, Device};
use crate::lists::List;
use crate::memory::{Memory, buffer_desc, heap_desc};
use crate::{pipelines, switches};

/// One object of each kind, by the type of its handle.
struct Objects<'a> {
    list: List<'a>,
    _memory: Memory<'a>,
    blocks: Vec<Block>,
    by_type: HashMap<&'static str, *mut c_void>,
}

/// The handle of a type, of an object of these.
macro_rules! handle {
    ($objects:expr, $handle:ident) => {
        $handle {
            pDrvPrivate: $objects.by_type[stringify!($handle)],
        }
    };
}

impl<'a> Objects<'a> {
    fn new(device: &'a Device) -> Self {
        let heap = heap_desc(0x1_0000);
        let memory = Memory::new(device, Some(&heap), Some(&buffer_desc(0x1_0000, 0))).unwrap();
        let mut objects = Self {
            list: List::new(device),
            by_type: HashMap::from([
                ("D3D12DDI_HHEAP", memory.heap.pDrvPrivate),
                ("D3D12DDI_HRESOURCE", memory.resource.pDrvPrivate),
            ]),
            _memory: memory,
            blocks: Vec::new(),
        };
        let list = &objects.list;
        let of_list = [
            ("D3D12DDI_HCOMMANDLIST", list.handle.pDrvPrivate),
            ("D3D12DDI_HCOMMANDRECORDER_0040", list.recorder.pDrvPrivate),
            ("D3D12DDI_HCOMMANDPOOL_0040", list.pool().pDrvPrivate),
        ];
        objects.by_type.extend(of_list);
        let [pipeline, state_object, root_signature] = [
            "D3D12DDI_HPIPELINESTATE",
            "D3D12DDI_HSTATEOBJECT_0054",
            "D3D12DDI_HROOTSIGNATURE",
        ]
        .map(|handle| objects.block(handle));
        pipelines::create(device, pipeline, state_object, root_signature);
        // What is only looked up can be made of the simplest description.
        macro_rules! create {
            ($($slot:ident($handle:ident: $($argument:tt)*);)*) => {$(
                let at = $handle { pDrvPrivate: objects.block(stringify!($handle)) };
                create!(@ device.core.$slot.unwrap(), device.handle, at, $($argument)*);
            )*};
            (@ $create:expr, $device:expr, $at:ident, handle $(, $argument:expr)*) => {
                // SAFETY: the arguments live during the call; the memory is larger than the driver asks for.
                _ = unsafe { $create($device, $at $(, $argument)*) };
            };
            (@ $create:expr, $device:expr, $at:ident, $first:expr, handle $(, $argument:expr)*) => {
                let desc = $first;
                // SAFETY: the arguments live during the call; the memory is larger than the driver asks for.
                _ = unsafe { $create($device, &raw const desc, $at $(, $argument)*) };
            };
        }
        let argument = D3D12DDI_INDIRECT_ARGUMENT_DESC::zeroed();
        let signature = D3D12DDIARG_CREATE_COMMAND_SIGNATURE_0001 {
            NumArgumentDescs: 1,
            pArgumentDescs: &raw const argument,
            ..Zeroable::zeroed()
        };
        let fence = D3D12DDIARG_CREATE_FENCE_0112::zeroed();
        let query_heap = D3D12DDIARG_CREATE_QUERY_HEAP_0001 {
            Count: 1,
            ..Zeroable::zeroed()
        };
        let descriptor_heap = D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001 {
            NumDescriptors: 1,
            ..Zeroable::zeroed()
        };
        let mesh_code = pipelines::corpus("hash_zero_cs.dxil");
        let shader = D3D12DDIARG_CREATE_SHADER_0026 {
            pShaderCode: mesh_code.as_ptr(),
            ..Zeroable::zeroed()
        };
        create! {
            pfnCreateFence(D3D12DDI_HFENCE: handle, &raw const fence);
            pfnCreateQueryHeap(D3D12DDI_HQUERYHEAP: query_heap, handle);
            pfnCreateCommandSignature(D3D12DDI_HCOMMANDSIGNATURE: signature, handle);
            pfnCreatePipelineLibrary(D3D12DDI_HPIPELINELIBRARY: D3D12DDIARG_CREATE_PIPELINE_LIBRARY_0010::zeroed(), handle);
            pfnCreateSchedulingGroup(D3D12DDI_HSCHEDULINGGROUP_0050: D3D12DDIARG_CREATESCHEDULINGGROUP_0050::zeroed(), handle,
                D3D12DDI_HRTSCHEDULINGGROUP_0050 { handle: null_mut() });
            pfnCreateCommandQueue(D3D12DDI_HCOMMANDQUEUE: D3D12DDIARG_CREATECOMMANDQUEUE_0050::zeroed(), handle,
                D3D12DDI_HRTCOMMANDQUEUE { handle: null_mut() });
            pfnCreateDescriptorHeap(D3D12DDI_HDESCRIPTORHEAP: descriptor_heap, handle);
            pfnCreateComputeShader(D3D12DDI_HSHADER: shader, handle);
            pfnCreateBlendState(D3D12DDI_HBLENDSTATE: D3D12DDI_BLEND_DESC_0010::zeroed(), handle);
            pfnCreateRasterizerState(D3D12DDI_HRASTERIZERSTATE: D3D12DDI_RASTERIZER_DESC_0102::zeroed(), handle);
            pfnCreateDepthStencilState(D3D12DDI_HDEPTHSTENCILSTATE: D3D12DDI_DEPTH_STENCIL_DESC_0095::zeroed(), handle);
            pfnCreateElementLayout(D3D12DDI_HELEMENTLAYOUT: D3D12DDIARG_CREATEELEMENTLAYOUT_0010::zeroed(), handle);
        }
        let meta = D3D12DDI_HMETACOMMAND_0052 {
            pDrvPrivate: objects.block("D3D12DDI_HMETACOMMAND_0052"),
        };
        let id = ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB;
        let runtime = D3D12DDI_HRTMETACOMMAND_0052 { handle: null_mut() };
        let create = device.core.pfnCreateMetaCommand.unwrap();
        // SAFETY: the memory is larger than the driver asks for.
        let created = unsafe { create(device.handle, id, 1, null(), 0, meta, runtime) };
        assert_eq!((created, device.errors()), (S_OK, vec![]));
        assert_eq!(objects.by_type.len(), KINDS);
        objects
    }

    fn block(&mut self, handle: &'static str) -> *mut c_void {
        let block = Block::new();
        let address = block.address();
        self.blocks.push(block);
        self.by_type.insert(handle, address);
        address
    }
}

/// As many kinds of objects as a device has.
const KINDS: usize = 21;

/// What the driver has found wrong since the last time.
fn problem() -> String {
    let problem = inspect::last_failure().unwrap_or_default();
    inspect::reset_calls();
    problem
}

/// Slots that have a handle only where it is not looked up: in memory for a new object, or of a session, which
/// this driver has none of.
fn has_no_object(slot: &str) -> bool {
    slot.starts_with("pfnCalcPrivate")
        || slot.starts_with("pfnCreate") && slot != "pfnCreateSamplerFeedbackUnorderedAccessView"
}

/// What says why else a call without arguments is refused, or that it has no handle but its device's or list's.
const OTHER_PROBLEMS: &[&str] = &[
    "neither a heap nor a resource",
    " is null",
    "no meta command",
    "the driver opens no shared heaps",
];

#[test]
fn no_slot_takes_an_object_of_another_device() {
    switches::run_in("other_device::in_a_process_of_its_own", &[]);
}

#[test]
#[ignore = "run in a process of its own: the driver has one last failure"]
fn in_a_process_of_its_own() {
    by_every_slot();
    by_every_structure();
}

/// Each slot, with a handle of another device for every object that it takes by itself.
fn by_every_slot() {
    let (own, other) = (Device::new(115), Device::new(115));
    let (mine, foreign) = (Objects::new(&own), Objects::new(&other));
    let header = |driver| D3D12DDI_RUNTIME_BYPASS_HEADER {
        pInterfaceVtable: null(),
        pDriverObject: driver,
    };
    let list = header(mine.list.address());
    let headers = [
        (
            "D3D12DDI_API_HPIPELINESTATE",
            header(foreign.by_type["D3D12DDI_HPIPELINESTATE"]),
        ),
        (
            "D3D12DDI_API_HSTATEOBJECT",
            header(foreign.by_type["D3D12DDI_HSTATEOBJECT_0054"]),
        ),
        (
            "D3D12DDI_API_HROOTSIGNATURE",
            header(foreign.by_type["D3D12DDI_HROOTSIGNATURE"]),
        ),
    ];
    let mut kinds = foreign.by_type.clone();
    for (handle, header) in &headers {
        kinds.insert(handle, (&raw const *header).cast_mut().cast());
    }
    kinds.insert(
        "D3D12DDI_API_HCOMMANDLIST",
        (&raw const list).cast_mut().cast(),
    );
    let mut given = Given {
        device: own.handle.pDrvPrivate,
        other: null_mut(),
        api: null_mut(),
        kinds,
    };
    let legacy = Device::new(113);
    let of_legacy = Objects::new(&legacy);
    problem();
    let mut refused = 0;
    let mut commands = 0;
    let mut check = |slot: &'static str, _| {
        let problem = problem();
        let lists = [&mine.list, &of_legacy.list];
        let now = lists.map(|list| inspect::recording(list.address()).unwrap().commands.len());
        let before = std::mem::replace(&mut commands, now.iter().sum());
        if slot == "pfnResetCommandList" {
            for list in lists {
                list.reset();
            }
            inspect::reset_calls();
        }
        if problem.ends_with(" is of another device") {
            refused += 1;
            assert!(commands <= before, "{slot} is recorded");
            return;
        }
        let otherwise =
            problem.is_empty() || OTHER_PROBLEMS.iter().any(|other| problem.contains(other));
        let private = has_no_object(slot) && problem.contains("the private memory");
        assert!(otherwise || private, "{problem}");
    };
    bad_handles::core(&own, &given, &mut check);
    // The list or queue is this device's.
    for (handle, address) in [
        ("D3D12DDI_HCOMMANDLIST", mine.list.address()),
        (
            "D3D12DDI_HCOMMANDQUEUE",
            mine.by_type["D3D12DDI_HCOMMANDQUEUE"],
        ),
    ] {
        given.kinds.insert(handle, address);
    }
    bad_handles::bypass(&own, &given, &mut check);
    bad_handles::queue(&own, &given, &mut check);
    given
        .kinds
        .insert("D3D12DDI_HCOMMANDLIST", of_legacy.list.address());
    bad_handles::list(&legacy, &given, &mut check);
    assert_eq!(refused, SLOTS);
    // Every object is still there: its own device destroys it.
    let other_errors = other.errors();
    drop(foreign);
    assert_eq!((other_errors, other.errors()), (vec![], vec![]));
}

/// So many slots take an object by itself, those of both tables of lists counted.
const SLOTS: usize = 70;

/// A call with an object of these.
type Case<'a> = Box<dyn Fn(&Objects<'_>) + 'a>;

/// Each structure that has a handle: with an object of the same device, and of another.
#[allow(clippy::too_many_lines)] // One case after the other.
fn by_every_structure() {
    let (own, other) = (Device::new(115), Device::new(115));
    let (mine, foreign) = (Objects::new(&own), Objects::new(&other));
    let (own, mine, foreign) = (&own, &mine, &foreign);
    let core = &own.core;
    let table = &own.bypass;
    let list = mine.list.handle;
    let device = own.handle;
    let queue = handle!(mine, D3D12DDI_HCOMMANDQUEUE);
    let resource = handle!(mine, D3D12DDI_HRESOURCE);
    let at = {
        let start = core.pfnGetCPUDescriptorHandleForHeapStart.unwrap();
        // SAFETY: a handle is looked up.
        unsafe { start(device, handle!(mine, D3D12DDI_HDESCRIPTORHEAP)) }
    };
    let place = |resource| D3D12DDIARG_BUFFER_PLACEMENT {
        BaseAddress: D3D12DDIARG_BUFFER_PLACEMENT_BaseAddress {
            UMD: D3D12DDIARG_HRESOURCE_PLACEMENT {
                hResource: resource,
                Offset: 0,
            },
        },
    };
    let mut cases: Vec<(String, Case<'_>)> = Vec::new();
    macro_rules! case {
        ($name:expr, |$objects:ident| $body:expr) => {
            #[allow(unused_unsafe, reason = "one case is a safe call")]
            // SAFETY: structures live during the calls; handles are looked up, and new objects have their memory.
            cases.push(($name.to_string(), Box::new(move |$objects| unsafe { _ = $body })));
        };
    }
    macro_rules! pipeline {
        ($($member:ident: $handle:ident),* $(,)?) => {$(
            case!(concat!("pipeline ", stringify!($member)), |it| {
                let desc = D3D12DDIARG_CREATE_PIPELINE_STATE_0099 { $member: handle!(it, $handle), ..Zeroable::zeroed() };
                let block = Block::new();
                let at = D3D12DDI_HPIPELINESTATE { pDrvPrivate: block.address() };
                core.pfnCreatePipelineState.unwrap()(device, &raw const desc, at, D3D12DDI_HRTPIPELINESTATE { handle: null_mut() })
            });
        )*};
    }
    pipeline! {
        hComputeShader: D3D12DDI_HSHADER, hVertexShader: D3D12DDI_HSHADER, hPixelShader: D3D12DDI_HSHADER,
        hDomainShader: D3D12DDI_HSHADER, hHullShader: D3D12DDI_HSHADER, hGeometryShader: D3D12DDI_HSHADER,
        hMeshShader: D3D12DDI_HSHADER, hAmplificationShader: D3D12DDI_HSHADER, hRootSignature: D3D12DDI_HROOTSIGNATURE,
        hBlendState: D3D12DDI_HBLENDSTATE, hRasterizerState: D3D12DDI_HRASTERIZERSTATE,
        hDepthStencilState: D3D12DDI_HDEPTHSTENCILSTATE, hElementLayout: D3D12DDI_HELEMENTLAYOUT,
    }
    let library = |it: &Objects<'_>| D3D12DDI_LIBRARY_REFERENCE_0010 {
        hLibrary: handle!(it, D3D12DDI_HPIPELINELIBRARY),
        PipelineIndex: 0,
    };
    case!("pipeline LibraryReference", |it| {
        let desc = D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
            LibraryReference: library(it),
            ..Zeroable::zeroed()
        };
        let block = Block::new();
        let at = D3D12DDI_HPIPELINESTATE {
            pDrvPrivate: block.address(),
        };
        core.pfnCreatePipelineState.unwrap()(
            device,
            &raw const desc,
            at,
            D3D12DDI_HRTPIPELINESTATE { handle: null_mut() },
        )
    });
    macro_rules! shader {
        ($($create:ident: $member:ident = $of:expr;)*) => {$(
            case!(concat!(stringify!($create), " ", stringify!($member)), |it| {
                let of: fn(&Objects<'_>) -> _ = $of;
                let desc = D3D12DDIARG_CREATE_SHADER_0026 { $member: of(it), ..Zeroable::zeroed() };
                let block = Block::new();
                core.$create.unwrap()(device, &raw const desc, D3D12DDI_HSHADER { pDrvPrivate: block.address() });
            });
        )*};
    }
    shader! {
        pfnCreateVertexShader: hRootSignature = |it| handle!(it, D3D12DDI_HROOTSIGNATURE);
        pfnCreateHullShader: hRootSignature = |it| handle!(it, D3D12DDI_HROOTSIGNATURE);
        pfnCreateMeshShader: hRootSignature = |it| handle!(it, D3D12DDI_HROOTSIGNATURE);
        pfnCreateComputeShader: LibraryReference = |it| D3D12DDI_LIBRARY_REFERENCE_0010 {
            hLibrary: handle!(it, D3D12DDI_HPIPELINELIBRARY),
            PipelineIndex: 0,
        };
    }
    case!("stream output shader hRootSignature", |it| {
        let mut desc = D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026::zeroed();
        desc.CreateShader.hRootSignature = handle!(it, D3D12DDI_HROOTSIGNATURE);
        let block = Block::new();
        let at = D3D12DDI_HSHADER {
            pDrvPrivate: block.address(),
        };
        core.pfnCreateGeometryShaderWithStreamOutput.unwrap()(device, &raw const desc, at);
    });
    case!("element layout LibraryReference", |it| {
        let desc = D3D12DDIARG_CREATEELEMENTLAYOUT_0010 {
            LibraryReference: library(it),
            ..Zeroable::zeroed()
        };
        let block = Block::new();
        let at = D3D12DDI_HELEMENTLAYOUT {
            pDrvPrivate: block.address(),
        };
        core.pfnCreateElementLayout.unwrap()(device, &raw const desc, at);
    });
    case!("library's pipeline", |it| core
        .pfnAddPipelineStateToLibrary
        .unwrap()(
        device,
        handle!(mine, D3D12DDI_HPIPELINELIBRARY),
        handle!(it, D3D12DDI_HPIPELINESTATE),
        0
    ));
    case!("command signature hRootSignature", |it| {
        let argument = D3D12DDI_INDIRECT_ARGUMENT_DESC::zeroed();
        let desc = D3D12DDIARG_CREATE_COMMAND_SIGNATURE_0001 {
            NumArgumentDescs: 1,
            pArgumentDescs: &raw const argument,
            hRootSignature: handle!(it, D3D12DDI_HROOTSIGNATURE),
            ..Zeroable::zeroed()
        };
        let block = Block::new();
        let at = D3D12DDI_HCOMMANDSIGNATURE {
            pDrvPrivate: block.address(),
        };
        core.pfnCreateCommandSignature.unwrap()(device, &raw const desc, at)
    });
    case!("queue SchedulingGroup", |it| {
        let desc = D3D12DDIARG_CREATECOMMANDQUEUE_0050 {
            SchedulingGroup: handle!(it, D3D12DDI_HSCHEDULINGGROUP_0050),
            ..Zeroable::zeroed()
        };
        let block = Block::new();
        let at = D3D12DDI_HCOMMANDQUEUE {
            pDrvPrivate: block.address(),
        };
        core.pfnCreateCommandQueue.unwrap()(
            device,
            &raw const desc,
            at,
            D3D12DDI_HRTCOMMANDQUEUE { handle: null_mut() },
        )
    });
    macro_rules! state_object {
        ($($name:literal: $subobject:ident, $desc:ident $member:ident = $handle:ident;)*) => {$(
            case!($name, |it| {
                let mut desc = $desc::zeroed();
                desc.$member = handle!(it, $handle);
                let subobject = D3D12DDI_STATE_SUBOBJECT_0054 { Type: $subobject, pDesc: (&raw const desc).cast() };
                let desc = D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
                    Type: D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
                    NumSubobjects: 1,
                    pSubobjects: &raw const subobject,
                };
                let block = Block::new();
                let at = D3D12DDI_HSTATEOBJECT_0054 { pDrvPrivate: block.address() };
                core.pfnCreateStateObject.unwrap()(device, &raw const desc, at, D3D12DDI_HRTSTATEOBJECT_0054 { handle: null_mut() })
            });
        )*};
    }
    state_object! {
        "global root signature": D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
            D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054 hGlobalRootSignature = D3D12DDI_HROOTSIGNATURE;
        "local root signature": D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
            D3D12DDI_LOCAL_ROOT_SIGNATURE_0054 hLocalRootSignature = D3D12DDI_HROOTSIGNATURE;
        "collection": D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
            D3D12DDI_EXISTING_COLLECTION_DESC_0054 hExistingCollection = D3D12DDI_HSTATEOBJECT_0054;
    }
    case!("state object that grows", |it| {
        let desc = D3D12DDIARG_ADD_TO_STATE_OBJECT_0072 {
            StateObjectToGrowFrom: handle!(it, D3D12DDI_HSTATEOBJECT_0054),
            ..Zeroable::zeroed()
        };
        let block = Block::new();
        let at = D3D12DDI_HSTATEOBJECT_0054 {
            pDrvPrivate: block.address(),
        };
        core.pfnAddToStateObject.unwrap()(
            device,
            &raw const desc,
            at,
            D3D12DDI_HRTSTATEOBJECT_0054 { handle: null_mut() },
        )
    });
    case!("pool of a recorder", |it| core
        .pfnCommandRecorderSetCommandPoolAsTarget
        .unwrap()(
        device,
        handle!(mine, D3D12DDI_HCOMMANDRECORDER_0040),
        handle!(it, D3D12DDI_HCOMMANDPOOL_0040)
    ));
    case!("recorder of a reset", |it| {
        let desc = D3D12DDIARG_RESETCOMMANDLIST_0040 {
            hDrvCommandRecorder: handle!(it, D3D12DDI_HCOMMANDRECORDER_0040),
            ..Zeroable::zeroed()
        };
        table.pfnCloseCommandList.unwrap()(list);
        table.pfnResetCommandList.unwrap()(list, &raw const desc);
        let problem = inspect::last_failure();
        mine.list.reset();
        if problem.is_some() {
            // Again: the reset in between was one of the list's own.
            table.pfnCloseCommandList.unwrap()(list);
            table.pfnResetCommandList.unwrap()(list, &raw const desc);
            mine.list.reset();
        }
    });
    macro_rules! view {
        ($($create:ident: $desc:ident;)*) => {$(
            case!(stringify!($create), |it| {
                let desc = $desc { hDrvResource: handle!(it, D3D12DDI_HRESOURCE), ..Zeroable::zeroed() };
                core.$create.unwrap()(device, &raw const desc, at);
            });
        )*};
    }
    view! {
        pfnCreateShaderResourceView: D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002;
        pfnCreateUnorderedAccessView: D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002;
        pfnCreateRenderTargetView: D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002;
        pfnCreateDepthStencilView: D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW;
    }
    case!("counter of a view", |it| {
        let mut desc = D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002 {
            hDrvResource: resource,
            ResourceDimension: D3D12DDI_RD_BUFFER,
            ..Zeroable::zeroed()
        };
        desc.Anonymous.Buffer.hDrvCounterResource = handle!(it, D3D12DDI_HRESOURCE);
        core.pfnCreateUnorderedAccessView.unwrap()(device, &raw const desc, at);
    });
    case!("feedback resource", |it| core
        .pfnCreateSamplerFeedbackUnorderedAccessView
        .unwrap()(
        device,
        resource,
        handle!(it, D3D12DDI_HRESOURCE),
        at
    ));
    case!("buffer of a placed one", |it| {
        let mut desc = buffer_desc(16, 0);
        desc.ReuseBufferGPUVA = place(handle!(it, D3D12DDI_HRESOURCE));
        drop(Memory::new(own, None, Some(&desc)));
    });
    case!("heap of a placed one", |it| {
        let desc = buffer_desc(16, 0);
        let block = Block::new();
        let at = D3D12DDI_HRESOURCE {
            pDrvPrivate: block.address(),
        };
        let none = D3D12DDI_HPROTECTEDRESOURCESESSION_0030 {
            pDrvPrivate: null_mut(),
        };
        let runtime = D3D12DDI_HRTRESOURCE { handle: null_mut() };
        let heap = handle!(it, D3D12DDI_HHEAP);
        core.pfnCreateHeapAndResource.unwrap()(
            device,
            null(),
            heap,
            runtime,
            &raw const desc,
            null(),
            none,
            at,
        )
    });
    for (handle, handle_type) in [
        ("D3D12DDI_HHEAP", D3D12DDI_HT_HEAP),
        ("D3D12DDI_HRESOURCE", D3D12DDI_HT_0012_RESOURCE),
        ("D3D12DDI_HDESCRIPTORHEAP", D3D12DDI_HT_DESCRIPTOR_HEAP),
        ("D3D12DDI_HQUERYHEAP", D3D12DDI_HT_QUERY_HEAP),
        ("D3D12DDI_HPIPELINESTATE", D3D12DDI_HT_PIPELINE_STATE),
        ("D3D12DDI_HSTATEOBJECT_0054", D3D12DDI_HT_0054_STATE_OBJECT),
    ] {
        let object = move |it: &Objects<'_>| D3D12DDI_HANDLE_AND_TYPE {
            Handle: it.by_type[handle],
            Type: handle_type,
        };
        macro_rules! residency {
            ($($slot:ident: $argument:ident;)*) => {$(
                case!(format!("{} {handle}", stringify!($slot)), |it| {
                    let object = object(it);
                    let mut argument = $argument { pObjects: (&raw const object).cast_mut(), NumObjects: 1, ..Zeroable::zeroed() };
                    core.$slot.unwrap()(device, &raw mut argument)
                });
            )*};
        }
        residency! {
            pfnMakeResident: D3D12DDIARG_MAKERESIDENT_0001;
            pfnEvict: D3D12DDIARG_EVICT;
            pfnOfferResources: D3D12DDIARG_OFFERRESOURCES;
            pfnReclaimResources: D3D12DDIARG_RECLAIMRESOURCES_0001;
        }
        case!(format!("allocations of {handle}"), |it| {
            let (mut addresses, mut allocations) = (0, 0);
            let get = core.pfnGetDebugAllocationInfo.unwrap();
            get(
                device,
                object(it),
                &raw mut addresses,
                null_mut(),
                &raw mut allocations,
                null_mut(),
            );
        });
    }
    case!("executed list", |it| {
        let list = it.list.handle;
        own.queue.pfnExecuteCommandLists.unwrap()(queue, 1, &raw const list);
    });
    macro_rules! fence {
        ($($slot:ident)*) => {$(
            case!(stringify!($slot), |it| {
                let mut operation = D3D12DDIARG_FENCE_OPERATION { Fence: handle!(it, D3D12DDI_HFENCE), ..Zeroable::zeroed() };
                own.queue.$slot.unwrap()(queue, &raw mut operation);
            });
        )*};
    }
    fence! { pfnSignalFence pfnWaitForFence }
    case!("heap of tiles", |it| own
        .queue
        .pfnUpdateTileMappings
        .unwrap()(
        queue,
        resource,
        0,
        null(),
        null(),
        handle!(it, D3D12DDI_HHEAP),
        0,
        null(),
        null(),
        null(),
        D3D12DDI_TILE_MAPPING_FLAGS(0)
    ));
    case!("source of tiles", |it| own
        .queue
        .pfnCopyTileMappings
        .unwrap()(
        queue,
        resource,
        null(),
        handle!(it, D3D12DDI_HRESOURCE),
        null(),
        null(),
        D3D12DDI_TILE_MAPPING_FLAGS(0)
    ));
    case!("bundle", |it| table.pfnExecuteBundle.unwrap()(
        list,
        it.list.handle
    ));
    case!("source of a copy", |it| table.pfnResourceCopy.unwrap()(
        list,
        resource,
        handle!(it, D3D12DDI_HRESOURCE)
    ));
    case!("tiles' buffer", |it| table.pfnCopyTiles.unwrap()(
        list,
        resource,
        null(),
        null(),
        handle!(it, D3D12DDI_HRESOURCE),
        0,
        D3D12DDI_TILE_COPY_FLAG_NONE
    ));
    case!("buffer's source", |it| table.pfnCopyBufferRegion.unwrap()(
        list,
        place(resource),
        place(handle!(it, D3D12DDI_HRESOURCE)),
        8
    ));
    case!("buffer's destination", |it| table
        .pfnAtomicCopyBufferRegion
        .unwrap()(
        list,
        place(handle!(it, D3D12DDI_HRESOURCE)),
        place(resource),
        8
    ));
    case!("texture's buffer", |it| {
        let from = place(handle!(it, D3D12DDI_HRESOURCE));
        let none = D3D12DDIARG_PLACED_RESOURCE::zeroed();
        table.pfnCopyTextureRegion.unwrap()(
            list,
            null(),
            none,
            0,
            0,
            0,
            &raw const from,
            none,
            null(),
        );
    });
    case!("arguments of ExecuteIndirect", |it| table
        .pfnExecuteIndirect
        .unwrap()(
        list,
        handle!(mine, D3D12DDI_HCOMMANDSIGNATURE),
        1,
        place(handle!(it, D3D12DDI_HRESOURCE)),
        Zeroable::zeroed()
    ));
    case!("destination of queries", |it| table
        .pfnResolveQueryData
        .unwrap()(
        list,
        handle!(mine, D3D12DDI_HQUERYHEAP),
        D3D12DDI_QUERY_TYPE(0),
        0,
        1,
        handle!(it, D3D12DDI_HRESOURCE),
        0
    ));
    case!("descriptor heaps", |it| {
        let mut heaps = [mine, it].map(|it| handle!(it, D3D12DDI_HDESCRIPTORHEAP));
        table.pfnSetDescriptorHeaps.unwrap()(list, 2, heaps.as_mut_ptr());
    });
    case!("source of a blt", |it| {
        let arguments = D3D12DDIARG_BLT {
            hDstResource: resource,
            hSrcResource: handle!(it, D3D12DDI_HRESOURCE),
            ..Zeroable::zeroed()
        };
        table.pfnBlt.unwrap()(list, &raw const arguments);
    });
    case!("presented surface", |it| {
        let surface = D3D12DDI_ARG_PRESENTSURFACE {
            hSurface: handle!(it, D3D12DDI_HRESOURCE),
            SubResourceIndex: 0,
        };
        let arguments = D3D12DDIARG_PRESENT_0001 {
            phSurfacesToPresent: &raw const surface,
            SurfacesToPresent: 1,
            ..Zeroable::zeroed()
        };
        table.pfnPresent.unwrap()(
            list,
            queue,
            &raw const arguments,
            null_mut(),
            null_mut(),
            null_mut(),
        );
    });
    case!("queue of a present", |it| table.pfnPresent.unwrap()(
        list,
        handle!(it, D3D12DDI_HCOMMANDQUEUE),
        null(),
        null_mut(),
        null_mut(),
        null_mut()
    ));
    macro_rules! barriers {
        ($slot:ident $barrier:ident: $($kind:ident => $arm:ident),* $(,)?) => {$(
            case!(stringify!($kind), |it| {
                let mut barrier = $barrier { Type: $kind, ..Zeroable::zeroed() };
                barrier.Anonymous.$arm.hResource = handle!(it, D3D12DDI_HRESOURCE);
                // Behind one of this device's.
                let mut first = barrier;
                first.Anonymous.$arm.hResource = resource;
                let barriers = [first, barrier];
                table.$slot.unwrap()(list, 2, barriers.as_ptr());
            });
        )*};
    }
    barriers! { pfnResourceBarrier D3D12DDIARG_RESOURCE_BARRIER_0022:
        D3D12DDI_RESOURCE_BARRIER_TYPE_TRANSITION => Transition,
        D3D12DDI_RESOURCE_BARRIER_TYPE_UAV => UAV,
        D3D12DDI_RESOURCE_BARRIER_TYPE_0022_RANGED => Ranged,
    }
    barriers! { pfnBarrier D3D12DDIARG_BARRIER_0094:
        D3D12DDI_BARRIER_TYPE_TEXTURE => TextureBarrier,
        D3D12DDI_BARRIER_TYPE_BUFFER => BufferBarrier,
        D3D12DDI_BARRIER_TYPE_RANGED => RangedBarrier,
    }
    macro_rules! answers {
        ($($slot:ident($($answer:ident: $of:ty),*);)*) => {$(
            case!(stringify!($slot), |it| {
                $(let mut $answer = <$of>::zeroed();)*
                core.$slot.unwrap()(device, handle!(it, D3D12DDI_HRESOURCE) $(, &raw mut $answer)*);
            });
        )*};
    }
    answers! {
        pfnGetMipPacking(packed: UINT, tiles: UINT);
        pfnCheckExistingResourceAllocationInfo(info: D3D12DDI_RESOURCE_ALLOCATION_INFO_0022);
    }
    case!("pfnCheckSubresourceInfo", |it| {
        let mut info = D3D12DDI_SUBRESOURCE_INFO::zeroed();
        core.pfnCheckSubresourceInfo.unwrap()(
            device,
            handle!(it, D3D12DDI_HRESOURCE),
            0,
            &raw mut info,
        );
    });
    let (gpu_view, view) = (Zeroable::zeroed(), Zeroable::zeroed());
    let words = [0_u32; 4];
    case!("cleared view", |it| table
        .pfnClearUnorderedAccessViewUint
        .unwrap()(
        list,
        gpu_view,
        view,
        handle!(it, D3D12DDI_HRESOURCE),
        words.as_ptr().cast(),
        0,
        null()
    ));
    case!("cleared view of floats", |it| table
        .pfnClearUnorderedAccessViewFloat
        .unwrap()(
        list,
        gpu_view,
        view,
        handle!(it, D3D12DDI_HRESOURCE),
        words.as_ptr().cast(),
        0,
        null()
    ));
    case!("executed meta command", |it| {
        let enable = true;
        let command = handle!(it, D3D12DDI_HMETACOMMAND_0052);
        table.pfnExecuteMetaCommand.unwrap()(list, command, (&raw const enable).cast(), 1);
    });
    let blob = |device: &Device| {
        let size = device.core.pfnGetApplicationSpecificDriverStateBlobSize;
        // SAFETY: a handle is looked up.
        unsafe { size.unwrap()(device.handle) }
    };
    for (name, case) in &cases {
        problem();
        let before = inspect::recording(mine.list.address())
            .unwrap()
            .commands
            .len();
        case(foreign);
        let found = problem();
        assert!(found.ends_with(" is of another device"), "{name}: {found}");
        let after = inspect::recording(mine.list.address())
            .unwrap()
            .commands
            .len();
        assert!(after <= before, "{name} is recorded");
        assert_eq!((blob(own), blob(&other)), (0, 0), "{name}");
        if name == "executed meta command" {
            break;
        }
        case(mine);
        let found = problem();
        assert!(
            !found.contains("device"),
            "{name} of its own device: {found}"
        );
    }
}
