//! Every slot with handles that are null, of a destroyed object, or of another kind, and with null for all
//! else: each answers, and nothing crashes.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use bytemuck::Zeroable;
use ddi_sys::*;

use crate::host::{Block, Device};

/// What the handles of a call are.
pub struct Given {
    pub device: *mut c_void,
    /// All but the device's.
    pub other: *mut c_void,
    /// An object of the application's with the other as the driver's.
    pub api: *mut c_void,
    /// Those of some types, instead.
    pub kinds: HashMap<&'static str, *mut c_void>,
}

/// An argument: a handle, or nothing.
pub trait Argument {
    fn of(given: &Given) -> Self;
}

macro_rules! handles {
    ($member:ident: $($handle:ident),* $(,)?) => {$(
        impl Argument for $handle {
            fn of(given: &Given) -> Self {
                let of_kind = given.kinds.get(stringify!($handle));
                Self { pDrvPrivate: of_kind.copied().unwrap_or(given.$member) }
            }
        }
    )*};
}

handles!(device: D3D12DDI_HDEVICE);
handles!(api: D3D12DDI_API_HCOMMANDLIST, D3D12DDI_API_HPIPELINESTATE, D3D12DDI_API_HROOTSIGNATURE, D3D12DDI_API_HSTATEOBJECT);
handles!(other: D3D12DDI_HBLENDSTATE, D3D12DDI_HCOMMANDLIST, D3D12DDI_HCOMMANDPOOL_0040, D3D12DDI_HCOMMANDQUEUE, D3D12DDI_HCOMMANDRECORDER_0040, D3D12DDI_HCOMMANDSIGNATURE, D3D12DDI_HDEPTHSTENCILSTATE, D3D12DDI_HDESCRIPTORHEAP, D3D12DDI_HELEMENTLAYOUT, D3D12DDI_HFENCE, D3D12DDI_HHEAP, D3D12DDI_HMETACOMMAND_0052, D3D12DDI_HPIPELINELIBRARY, D3D12DDI_HPIPELINESTATE, D3D12DDI_HPROTECTEDRESOURCESESSION_0030, D3D12DDI_HQUERYHEAP, D3D12DDI_HRASTERIZERSTATE, D3D12DDI_HRESOURCE, D3D12DDI_HROOTSIGNATURE, D3D12DDI_HSCHEDULINGGROUP_0050, D3D12DDI_HSHADER, D3D12DDI_HSTATEOBJECT_0054);

macro_rules! nothing {
    ($($argument:ty),* $(,)?) => {$(
        impl Argument for $argument {
            fn of(_: &Given) -> Self {
                Self::zeroed()
            }
        }
    )*};
}

nothing!(
    D3D12DDIARG_BUFFER_PLACEMENT,
    D3D12DDIARG_PLACED_RESOURCE,
    D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    D3D12DDI_DESCRIPTOR_HEAP_TYPE,
    D3D12DDI_GPU_DESCRIPTOR_HANDLE,
    D3D12DDI_HRTCOMMANDLIST,
    D3D12DDI_HRTCOMMANDQUEUE,
    D3D12DDI_HRTMETACOMMAND_0052,
    D3D12DDI_HRTPIPELINESTATE,
    D3D12DDI_HRTRESOURCE,
    D3D12DDI_HRTSCHEDULINGGROUP_0050,
    D3D12DDI_HRTSTATEOBJECT_0054,
    D3D12DDI_IMPLICIT_SHADER_CACHE_CONTROL_FLAGS_0080,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    D3D12DDI_META_COMMAND_PARAMETER_STAGE,
    D3D12DDI_PREDICATION_OP,
    D3D12DDI_PRIMITIVE_TOPOLOGY,
    D3D12DDI_QUERY_TYPE,
    D3D12DDI_RESOLVE_MODE,
    D3D12DDI_RESOURCE_OPTIMIZATION_FLAGS,
    D3D12DDI_SERIALIZED_DATA_TYPE,
    D3D12DDI_SHADING_RATE_0062,
    D3D12DDI_TILE_COPY_FLAGS,
    D3D12DDI_TILE_MAPPING_FLAGS,
    DXGI_FORMAT,
    GUID,
    f32,
    i32,
    u32,
    u64,
    u8,
    usize
);

impl Argument for D3D12DDI_HANDLE_AND_TYPE {
    fn of(given: &Given) -> Self {
        Self {
            Handle: given.other,
            Type: D3D12DDI_HT_HEAP,
        }
    }
}

impl<T> Argument for *const T {
    fn of(_: &Given) -> Self {
        null()
    }
}

impl<T> Argument for *mut T {
    fn of(_: &Given) -> Self {
        null_mut()
    }
}

/// What a slot returns.
trait Outcome {
    fn result(self) -> Option<HRESULT>;
}

impl Outcome for HRESULT {
    fn result(self) -> Option<HRESULT> {
        Some(self)
    }
}

macro_rules! no_result {
    ($($outcome:ty),* $(,)?) => {$(
        impl Outcome for $outcome {
            fn result(self) -> Option<HRESULT> {
                None
            }
        }
    )*};
}

no_result!(
    (),
    u32,
    u64,
    usize,
    *mut c_void,
    D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    D3D12DDI_GPU_DESCRIPTOR_HANDLE,
    D3D12DDI_HEAP_AND_RESOURCE_SIZES,
    D3D12DDI_PROGRAM_IDENTIFIER_0108,
    D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS
);

/// A slot that can be called.
trait Call {
    /// # Safety
    ///
    /// The slot is of a driver, and the handles are of the driver's or of none.
    unsafe fn call(self, given: &Given) -> Option<HRESULT>;
}

macro_rules! call {
    ($($argument:ident)*) => {
        impl<R: Outcome, $($argument: Argument),*> Call for Option<unsafe extern "system" fn($($argument),*) -> R> {
            unsafe fn call(self, given: &Given) -> Option<HRESULT> {
                // SAFETY: the slot is of a driver, which looks the handles up (`# Safety`).
                unsafe { self.unwrap()($($argument::of(given)),*) }.result()
            }
        }
    };
}

call!(A);
call!(A B);
call!(A B C);
call!(A B C D);
call!(A B C D E);
call!(A B C D E F);
call!(A B C D E F G);
call!(A B C D E F G H);
call!(A B C D E F G H I);
call!(A B C D E F G H I J);
call!(A B C D E F G H I J K);

macro_rules! slots {
    ($table:expr, $given:expr, $check:expr; $($slot:ident)*) => {$(
        // SAFETY: the table is the driver's.
        $check(stringify!($slot), unsafe { $table.$slot.call($given) });
    )*};
}

pub fn core(device: &Device, given: &Given, mut check: impl FnMut(&'static str, Option<HRESULT>)) {
    slots!(device.core, given, check;
        pfnCheckFormatSupport pfnCheckMultisampleQualityLevels pfnGetMipPacking pfnCalcPrivateElementLayoutSize pfnCreateElementLayout pfnDestroyElementLayout pfnCalcPrivateBlendStateSize pfnCreateBlendState pfnDestroyBlendState pfnCalcPrivateDepthStencilStateSize pfnCreateDepthStencilState pfnDestroyDepthStencilState pfnCalcPrivateRasterizerStateSize pfnCreateRasterizerState pfnDestroyRasterizerState pfnCalcPrivateShaderSize pfnCreateVertexShader pfnCreatePixelShader pfnCreateGeometryShader pfnCreateComputeShader pfnCalcPrivateGeometryShaderWithStreamOutput pfnCreateGeometryShaderWithStreamOutput pfnCalcPrivateTessellationShaderSize pfnCreateHullShader pfnCreateDomainShader pfnDestroyShader pfnCalcPrivateCommandQueueSize pfnCreateCommandQueue pfnDestroyCommandQueue pfnCalcPrivateCommandPoolSize pfnCreateCommandPool pfnDestroyCommandPool pfnResetCommandPool pfnCalcPrivatePipelineStateSize pfnCreatePipelineState pfnDestroyPipelineState pfnCalcPrivateCommandListSize pfnCreateCommandList pfnDestroyCommandList pfnCalcPrivateFenceSize pfnCreateFence pfnDestroyFence pfnCalcPrivateDescriptorHeapSize pfnCreateDescriptorHeap pfnDestroyDescriptorHeap pfnGetDescriptorSizeInBytes pfnGetCPUDescriptorHandleForHeapStart pfnGetGPUDescriptorHandleForHeapStart pfnCreateShaderResourceView pfnCreateConstantBufferView pfnCreateSampler pfnCreateUnorderedAccessView pfnCreateRenderTargetView pfnCreateDepthStencilView pfnCalcPrivateRootSignatureSize pfnCreateRootSignature pfnDestroyRootSignature pfnMapHeap pfnUnmapHeap pfnCalcPrivateHeapAndResourceSizes pfnCreateHeapAndResource pfnDestroyHeapAndResource pfnMakeResident pfnEvict pfnCalcPrivateOpenedHeapAndResourceSizes pfnOpenHeapAndResource pfnCopyDescriptors pfnCopyDescriptorsSimple pfnCalcPrivateQueryHeapSize pfnCreateQueryHeap pfnDestroyQueryHeap pfnCalcPrivateCommandSignatureSize pfnCreateCommandSignature pfnDestroyCommandSignature pfnCheckResourceVirtualAddress pfnCheckResourceAllocationInfo pfnCheckSubresourceInfo pfnCheckExistingResourceAllocationInfo pfnOfferResources pfnReclaimResources pfnGetImplicitPhysicalAdapterMask pfnGetPresentPrivateDriverDataSize pfnQueryNodeMap pfnRetrieveShaderComment pfnCheckResourceAllocationHandle pfnCalcPrivatePipelineLibrarySize pfnCreatePipelineLibrary pfnDestroyPipelineLibrary pfnAddPipelineStateToLibrary pfnCalcSerializedLibrarySize pfnSerializeLibrary pfnGetDebugAllocationInfo pfnCalcPrivateCommandRecorderSize pfnCreateCommandRecorder pfnDestroyCommandRecorder pfnCommandRecorderSetCommandPoolAsTarget pfnCalcPrivateSchedulingGroupSize pfnCreateSchedulingGroup pfnDestroySchedulingGroup pfnEnumerateMetaCommands pfnEnumerateMetaCommandParameters pfnCalcPrivateMetaCommandSize pfnCreateMetaCommand pfnDestroyMetaCommand pfnGetMetaCommandRequiredParameterInfo pfnCalcPrivateStateObjectSize pfnCreateStateObject pfnDestroyStateObject pfnGetRaytracingAccelerationStructurePrebuildInfo pfnCheckDriverMatchingIdentifier pfnGetShaderIdentifier pfnGetShaderStackSize pfnGetPipelineStackSize pfnSetPipelineStackSize pfnSetBackgroundProcessingMode pfnCalcPrivateAddToStateObjectSize pfnAddToStateObject pfnCreateSamplerFeedbackUnorderedAccessView pfnCreateAmplificationShader pfnCreateMeshShader pfnCalcPrivateMeshShaderSize pfnImplicitShaderCacheControl pfnGetProgramIdentifier pfnGetWorkGraphMemoryRequirements pfnGetApplicationSpecificDriverState pfnGetApplicationSpecificDriverBlobStatus pfnGetApplicationSpecificDriverStateBlobSize
    );
}

pub fn list(device: &Device, given: &Given, mut check: impl FnMut(&'static str, Option<HRESULT>)) {
    slots!(device.list, given, check;
        pfnCloseCommandList pfnResetCommandList pfnDrawInstanced pfnDrawIndexedInstanced pfnDispatch pfnClearUnorderedAccessViewUint pfnClearUnorderedAccessViewFloat pfnClearRenderTargetView pfnClearDepthStencilView pfnDiscardResource pfnCopyTextureRegion pfnResourceCopy pfnCopyTiles pfnCopyBufferRegion pfnResourceResolveSubresource pfnExecuteBundle pfnExecuteIndirect pfnResourceBarrier pfnBlt pfnPresent pfnBeginQuery pfnEndQuery pfnResolveQueryData pfnSetPredication pfnIaSetTopology pfnRsSetViewports pfnRsSetScissorRects pfnOmSetBlendFactor pfnOmSetStencilRef pfnSetPipelineState pfnSetDescriptorHeaps pfnSetComputeRootSignature pfnSetGraphicsRootSignature pfnSetComputeRootDescriptorTable pfnSetGraphicsRootDescriptorTable pfnSetComputeRoot32BitConstant pfnSetGraphicsRoot32BitConstant pfnSetComputeRoot32BitConstants pfnSetGraphicsRoot32BitConstants pfnSetComputeRootConstantBufferView pfnSetGraphicsRootConstantBufferView pfnSetComputeRootShaderResourceView pfnSetGraphicsRootShaderResourceView pfnSetComputeRootUnorderedAccessView pfnSetGraphicsRootUnorderedAccessView pfnIASetIndexBuffer pfnIASetVertexBuffers pfnSOSetTargets pfnOMSetRenderTargets pfnSetMarker pfnClearRootArguments pfnAtomicCopyBufferRegion pfnOMSetDepthBounds pfnSetSamplePositions pfnResourceResolveSubresourceRegion pfnSetProtectedResourceSession pfnWriteBufferImmediate pfnSetViewInstanceMask pfnInitializeMetaCommand pfnExecuteMetaCommand pfnBuildRaytracingAccelerationStructure pfnEmitRaytracingAccelerationStructurePostbuildInfo pfnCopyRaytracingAccelerationStructure pfnSetPipelineState1 pfnDispatchRays pfnRSSetShadingRate pfnRSSetShadingRateImage pfnDispatchMesh pfnBarrier pfnOmSetFrontAndBackStencilRef pfnRSSetDepthBias pfnIASetIndexBufferStripCutValue pfnSetProgram pfnDispatchGraph
    );
}

pub fn bypass(
    device: &Device,
    given: &Given,
    mut check: impl FnMut(&'static str, Option<HRESULT>),
) {
    slots!(device.bypass, given, check;
        pfnCloseCommandList pfnResetCommandList pfnDrawInstanced pfnDrawIndexedInstanced pfnDispatch pfnClearUnorderedAccessViewUint pfnClearUnorderedAccessViewFloat pfnClearRenderTargetView pfnClearDepthStencilView pfnDiscardResource pfnCopyTextureRegion pfnResourceCopy pfnCopyTiles pfnCopyBufferRegion pfnResourceResolveSubresource pfnExecuteBundle pfnExecuteIndirect pfnResourceBarrier pfnBlt pfnPresent pfnBeginQuery pfnEndQuery pfnResolveQueryData pfnSetPredication pfnIaSetTopology pfnRsSetViewports pfnRsSetScissorRects pfnOmSetBlendFactor pfnOmSetStencilRef pfnSetPipelineState pfnSetDescriptorHeaps pfnSetComputeRootSignature pfnSetGraphicsRootSignature pfnSetComputeRootDescriptorTable pfnSetGraphicsRootDescriptorTable pfnSetComputeRoot32BitConstant pfnSetGraphicsRoot32BitConstant pfnSetComputeRoot32BitConstants pfnSetGraphicsRoot32BitConstants pfnSetComputeRootConstantBufferView pfnSetGraphicsRootConstantBufferView pfnSetComputeRootShaderResourceView pfnSetGraphicsRootShaderResourceView pfnSetComputeRootUnorderedAccessView pfnSetGraphicsRootUnorderedAccessView pfnIASetIndexBuffer pfnIASetVertexBuffers pfnSOSetTargets pfnOMSetRenderTargets pfnSetMarker pfnClearRootArguments pfnAtomicCopyBufferRegion pfnOMSetDepthBounds pfnSetSamplePositions pfnResourceResolveSubresourceRegion pfnSetProtectedResourceSession pfnWriteBufferImmediate pfnSetViewInstanceMask pfnInitializeMetaCommand pfnExecuteMetaCommand pfnBuildRaytracingAccelerationStructure pfnEmitRaytracingAccelerationStructurePostbuildInfo pfnCopyRaytracingAccelerationStructure pfnSetPipelineState1 pfnDispatchRays pfnRSSetShadingRate pfnRSSetShadingRateImage pfnDispatchMesh pfnBarrier pfnOmSetFrontAndBackStencilRef pfnRSSetDepthBias pfnIASetIndexBufferStripCutValue pfnSetProgram pfnDispatchGraph
    );
}

pub fn queue(device: &Device, given: &Given, mut check: impl FnMut(&'static str, Option<HRESULT>)) {
    slots!(device.queue, given, check;
        pfnExecuteCommandLists pfnUpdateTileMappings pfnCopyTileMappings pfnSignalFence pfnWaitForFence
    );
}

/// Slots that answer something else than E_INVALIDARG to a call without arguments, and why.
const OTHERWISE: &[(&str, Option<HRESULT>)] = &[
    // Take nothing but a device, or count 0.
    ("pfnGetDescriptorSizeInBytes", None),
    ("pfnCopyDescriptors", None),
    ("pfnCopyDescriptorsSimple", None),
    ("pfnGetImplicitPhysicalAdapterMask", None),
    ("pfnGetPresentPrivateDriverDataSize", None),
    ("pfnQueryNodeMap", None),
    ("pfnSetBackgroundProcessingMode", None),
    ("pfnImplicitShaderCacheControl", Some(S_OK)),
    ("pfnGetApplicationSpecificDriverState", Some(S_OK)),
    ("pfnGetApplicationSpecificDriverBlobStatus", None),
    ("pfnGetApplicationSpecificDriverStateBlobSize", None),
    // Have no device to tell, and a handle that is of none.
    ("pfnGetMetaCommandRequiredParameterInfo", None),
    ("pfnGetShaderIdentifier", None),
    ("pfnGetShaderStackSize", None),
    ("pfnGetPipelineStackSize", None),
    ("pfnSetPipelineStackSize", None),
    ("pfnGetProgramIdentifier", None),
    ("pfnGetWorkGraphMemoryRequirements", None),
    // The GUID comes first.
    ("pfnCreateMetaCommand", Some(DXGI_ERROR_NOT_FOUND)),
    // Is refused, whatever its arguments.
    ("pfnOpenHeapAndResource", Some(E_NOTIMPL)),
];

/// Handles that no object of the slot's kind has.
fn bad_handles(device: &Device, fence: &Block, stale: &Block) -> [*mut c_void; 3] {
    let desc = D3D12DDIARG_CREATE_FENCE_0112::zeroed();
    for block in [fence, stale] {
        let handle = D3D12DDI_HFENCE {
            pDrvPrivate: block.address(),
        };
        let create = device.core.pfnCreateFence.unwrap();
        // SAFETY: the structure lives during the call.
        let result = unsafe { create(device.handle, handle, &raw const desc) };
        assert_eq!(result, S_OK);
    }
    let handle = D3D12DDI_HFENCE {
        pDrvPrivate: stale.address(),
    };
    // SAFETY: a handle is looked up.
    unsafe { device.core.pfnDestroyFence.unwrap()(device.handle, handle) };
    [null_mut(), fence.address(), stale.address()]
}

#[test]
fn no_slot_of_the_device_takes_a_bad_handle() {
    let (fence, stale) = (Block::new(), Block::new());
    let device = Device::new(115);
    for other in bad_handles(&device, &fence, &stale) {
        let given = Given {
            device: device.handle.pDrvPrivate,
            other,
            api: null_mut(),
            kinds: HashMap::new(),
        };
        device.errors();
        core(&device, &given, |slot, result| {
            let errors = device.errors();
            // Sizes do not depend on what is created; the bad handle is that of a fence.
            if slot.starts_with("pfnCalcPrivate") || slot == "pfnDestroyFence" {
                return;
            }
            let otherwise = OTHERWISE.iter().find(|(other, _)| *other == slot);
            let expected = otherwise.map_or(Some(E_INVALIDARG), |(_, result)| *result);
            match result {
                Some(_) => assert_eq!((result, errors), (expected, vec![]), "{slot} {other:?}"),
                None => assert_eq!(errors.first().copied(), expected, "{slot} {other:?}"),
            }
        });
    }
}

#[test]
fn no_slot_takes_a_bad_device() {
    let (fence, stale) = (Block::new(), Block::new());
    let device = Device::new(115);
    for bad in bad_handles(&device, &fence, &stale) {
        let given = Given {
            device: bad,
            other: null_mut(),
            api: null_mut(),
            kinds: HashMap::new(),
        };
        core(&device, &given, |slot, result| {
            assert!(
                result.is_none_or(|result| result == E_INVALIDARG),
                "{slot}: {result:?}"
            );
            assert_eq!(device.errors(), [], "{slot}: the device is not known");
        });
    }
}

#[test]
fn no_slot_of_a_list_or_queue_takes_a_bad_handle() {
    let (fence, stale) = (Block::new(), Block::new());
    let (device, newer) = (Device::new(113), Device::new(115));
    for other in bad_handles(&device, &fence, &stale) {
        let header = D3D12DDI_RUNTIME_BYPASS_HEADER {
            pInterfaceVtable: null(),
            pDriverObject: other,
        };
        let given = Given {
            device: null_mut(),
            other,
            api: (&raw const header).cast_mut().cast(),
            kinds: HashMap::new(),
        };
        let nothing = |_: &'static str, result: Option<HRESULT>| assert_eq!(result, None);
        list(&device, &given, nothing);
        bypass(&newer, &given, nothing);
        queue(&device, &given, nothing);
        let null_object = Given {
            api: null_mut(),
            kinds: HashMap::new(),
            ..given
        };
        bypass(&newer, &null_object, nothing);
        for device in [&device, &newer] {
            assert_eq!((device.errors(), device.list_errors()), (vec![], vec![]));
        }
    }
}
