//! What the runtime hands a driver at device creation.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// An argument of a callback: `D3D12DDICB_ALLOCATE_0022`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDICB_ALLOCATE_0022 {
    /// x64 offset 0, x86 offset 0.
    pub pPrivateDriverData: *mut c_void,
    /// x64 offset 8, x86 offset 4.
    pub PrivateDriverDataSize: UINT,
    /// x64 offset 16, x86 offset 8.
    pub hResource: HANDLE,
    /// x64 offset 24, x86 offset 12.
    pub hKMResource: UINT,
    /// x64 offset 28, x86 offset 16.
    pub NumAllocations: UINT,
    /// x64 offset 32, x86 offset 20.
    pub pAllocationInfo: *mut D3D12DDI_ALLOCATION_INFO_0022,
}

/// The structure of `pAllocationInfo` in [`D3D12DDICB_ALLOCATE_0022`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ALLOCATION_INFO_0022 {
    /// x64 offset 0, x86 offset 0.
    pub hAllocation: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pSystemMem: *const c_void,
    /// x64 offset 16, x86 offset 8.
    pub pPrivateDriverData: *mut c_void,
    /// x64 offset 24, x86 offset 12.
    pub PrivateDriverDataSize: UINT,
    /// x64 offset 28, x86 offset 16.
    pub VidPnSourceId: UINT,
    /// x64 offset 32, x86 offset 20.
    pub Flags: D3D12DDI_ALLOCATION_INFO_FLAGS_0022,
    /// x64 offset 40, x86 offset 24.
    pub GpuVirtualAddress: UINT64,
    /// x64 offset 48, x86 offset 32.
    pub Priority: UINT,
    /// x64 offset 56, x86 offset 36.
    pub Reserved: [ULONG_PTR; 5],
}

/// An argument of a callback: `D3D12DDICB_DEALLOCATE_0022`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDICB_DEALLOCATE_0022 {
    /// x64 offset 0, x86 offset 0.
    pub hResource: HANDLE,
    /// x64 offset 8, x86 offset 4.
    pub NumAllocations: UINT,
    /// x64 offset 16, x86 offset 8.
    pub HandleList: *const D3DKMT_HANDLE,
    /// x64 offset 24, x86 offset 12.
    pub Flags: D3D12DDI_DEALLOCATE_FLAGS_0022,
}

/// The function `pfnSetErrorCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SETERROR_CB =
    Option<unsafe extern "system" fn(hRTDevice: D3D12DDI_HRTDEVICE, HRESULT: HRESULT)>;

/// The function `pfnSetCommandListErrorCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SETCOMMANDLISTERROR_CB =
    Option<unsafe extern "system" fn(hRTCommandlist: D3D12DDI_HRTCOMMANDLIST, HRESULT: HRESULT)>;

/// The function `pfnSetCommandListDDITableCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SETCOMMANDLISTDDITABLE_CB = Option<
    unsafe extern "system" fn(hRTCommandlist: D3D12DDI_HRTCOMMANDLIST, hRTTable: D3D12DDI_HRTTABLE),
>;

/// The function `pfnCreateContextCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATECONTEXT_CB = Option<
    unsafe extern "system" fn(
        hRTCommandqueue: D3D12DDI_HRTCOMMANDQUEUE,
        pD3dddicbCreatecontext: *mut D3DDDICB_CREATECONTEXT,
    ) -> HRESULT,
>;

/// The function `pfnCreateContextVirtualCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATECONTEXTVIRTUAL_CB = Option<
    unsafe extern "system" fn(
        hRTCommandqueue: D3D12DDI_HRTCOMMANDQUEUE,
        pD3dddicbCreatecontextvirtual: *mut D3DDDICB_CREATECONTEXTVIRTUAL,
    ) -> HRESULT,
>;

/// The function `pfnDestroyContextCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYCONTEXT_CB = Option<
    unsafe extern "system" fn(
        hRTCommandqueue: D3D12DDI_HRTCOMMANDQUEUE,
        pD3dddicbDestroycontext: *const D3DDDICB_DESTROYCONTEXT,
    ) -> HRESULT,
>;

/// The function `pfnCreatePagingQueueCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATEPAGINGQUEUE_CB = Option<
    unsafe extern "system" fn(
        hRTCommandqueue: D3D12DDI_HRTCOMMANDQUEUE,
        pD3dddicbCreatepagingqueue: *mut D3DDDICB_CREATEPAGINGQUEUE,
    ) -> HRESULT,
>;

/// The function `pfnDestroyPagingQueueCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYPAGINGQUEUE_CB = Option<
    unsafe extern "system" fn(
        hRTCommandqueue: D3D12DDI_HRTCOMMANDQUEUE,
        pD3dddiDestroypagingqueue: *const D3DDDI_DESTROYPAGINGQUEUE,
    ) -> HRESULT,
>;

/// The function `pfnMakeResidentCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_MAKERESIDENT_CB = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        hRTPagingqueue: D3D12DDI_HRTPAGINGQUEUE,
        pD3dddiMakeresident: *mut D3DDDI_MAKERESIDENT,
    ) -> HRESULT,
>;

/// The function `pfnEvictCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_EVICT_CB = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        pD3dddicbEvict: *const D3DDDICB_EVICT,
    ) -> HRESULT,
>;

/// The function `pfnReclaimAllocations2Cb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_RECLAIMALLOCATIONS2_CB = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        hRTPagingqueue: D3D12DDI_HRTPAGINGQUEUE,
        pReclaimallocations2: *mut D3D12DDICB_RECLAIMALLOCATIONS2,
    ) -> HRESULT,
>;

/// The function `pfnOfferAllocationsCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0003`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`] and 4 more.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_OFFERALLOCATIONS_CB = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        pOfferallocations: *const D3D12DDICB_OFFERALLOCATIONS,
    ) -> HRESULT,
>;

/// The function `pfnAllocateCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0050`] and 3 more.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_ALLOCATE_CB_0022 = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        pAllocate: *mut D3D12DDICB_ALLOCATE_0022,
    ) -> HRESULT,
>;

/// The function `pfnDeallocateCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0022`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0050`] and 3 more.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_DEALLOCATE_CB_0022 = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        pDeallocate: *const D3D12DDICB_DEALLOCATE_0022,
    ) -> HRESULT,
>;

/// The function `pfnCreateSchedulingGroupContextCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0050`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0062`] and 2 more.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXT_CB_0050 = Option<
    unsafe extern "system" fn(
        hRTSchedulinggroup: D3D12DDI_HRTSCHEDULINGGROUP_0050,
        pD3dddicbCreatecontext: *mut D3DDDICB_CREATECONTEXT,
    ) -> HRESULT,
>;

/// The function `pfnCreateSchedulingGroupContextVirtualCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0050`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0062`] and 2 more.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXTVIRTUAL_CB_0050 = Option<
    unsafe extern "system" fn(
        hRTSchedulinggroup: D3D12DDI_HRTSCHEDULINGGROUP_0050,
        pD3dddicbCreatecontextvirtual: *mut D3DDDICB_CREATECONTEXTVIRTUAL,
    ) -> HRESULT,
>;

/// The function `pfnCreateHwQueueCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0050`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0062`] and 2 more.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATEHWQUEUE_CB_0050 = Option<
    unsafe extern "system" fn(
        hRTCommandqueue: D3D12DDI_HRTCOMMANDQUEUE,
        pD3dddicbCreatehwqueue: *mut D3DDDICB_CREATEHWQUEUE,
    ) -> HRESULT,
>;

/// The function `pfnQueueBackgroundProcessingWorkCb` of [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0062`],
/// [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0112`] and [`D3D12DDI_CORELAYER_DEVICECALLBACKS_0116`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_QUEUEPROCESSINGWORK_CB_0062 = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        pfnCallback: PFND3D12DDI_UMD_CALLBACK_METHOD,
        pfnCancel: PFND3D12DDI_UMD_CALLBACK_METHOD,
        pContext: *mut c_void,
    ) -> HRESULT,
>;

/// The function that [`PFND3D12DDI_QUEUEPROCESSINGWORK_CB_0062`] takes.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_UMD_CALLBACK_METHOD = Option<unsafe extern "system" fn(pContext: *mut c_void)>;

/// Callbacks of the runtime that stay in user mode, from DDI 0003 on. Begins with the table before it.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_CORELAYER_DEVICECALLBACKS_0003 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnSetErrorCb: PFND3D12DDI_SETERROR_CB,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnSetCommandListErrorCb: PFND3D12DDI_SETCOMMANDLISTERROR_CB,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnSetCommandListDDITableCb: PFND3D12DDI_SETCOMMANDLISTDDITABLE_CB,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnCreateContextCb: PFND3D12DDI_CREATECONTEXT_CB,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCreateContextVirtualCb: PFND3D12DDI_CREATECONTEXTVIRTUAL_CB,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnDestroyContextCb: PFND3D12DDI_DESTROYCONTEXT_CB,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnCreatePagingQueueCb: PFND3D12DDI_CREATEPAGINGQUEUE_CB,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnDestroyPagingQueueCb: PFND3D12DDI_DESTROYPAGINGQUEUE_CB,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnMakeResidentCb: PFND3D12DDI_MAKERESIDENT_CB,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnEvictCb: PFND3D12DDI_EVICT_CB,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnReclaimAllocations2Cb: PFND3D12DDI_RECLAIMALLOCATIONS2_CB,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnOfferAllocationsCb: PFND3D12DDI_OFFERALLOCATIONS_CB,
}

/// Callbacks of the runtime that stay in user mode, from DDI 0022 on. Begins with the table before it.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_CORELAYER_DEVICECALLBACKS_0022 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnSetErrorCb: PFND3D12DDI_SETERROR_CB,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnSetCommandListErrorCb: PFND3D12DDI_SETCOMMANDLISTERROR_CB,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnSetCommandListDDITableCb: PFND3D12DDI_SETCOMMANDLISTDDITABLE_CB,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnCreateContextCb: PFND3D12DDI_CREATECONTEXT_CB,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCreateContextVirtualCb: PFND3D12DDI_CREATECONTEXTVIRTUAL_CB,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnDestroyContextCb: PFND3D12DDI_DESTROYCONTEXT_CB,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnCreatePagingQueueCb: PFND3D12DDI_CREATEPAGINGQUEUE_CB,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnDestroyPagingQueueCb: PFND3D12DDI_DESTROYPAGINGQUEUE_CB,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnMakeResidentCb: PFND3D12DDI_MAKERESIDENT_CB,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnEvictCb: PFND3D12DDI_EVICT_CB,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnReclaimAllocations2Cb: PFND3D12DDI_RECLAIMALLOCATIONS2_CB,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnOfferAllocationsCb: PFND3D12DDI_OFFERALLOCATIONS_CB,
    /// Slot 12. x64 offset 96, x86 offset 48.
    pub pfnAllocateCb: PFND3D12DDI_ALLOCATE_CB_0022,
    /// Slot 13. x64 offset 104, x86 offset 52.
    pub pfnDeallocateCb: PFND3D12DDI_DEALLOCATE_CB_0022,
}

/// Callbacks of the runtime that stay in user mode, from DDI 0050 on. Begins with the table before it.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_CORELAYER_DEVICECALLBACKS_0050 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnSetErrorCb: PFND3D12DDI_SETERROR_CB,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnSetCommandListErrorCb: PFND3D12DDI_SETCOMMANDLISTERROR_CB,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnSetCommandListDDITableCb: PFND3D12DDI_SETCOMMANDLISTDDITABLE_CB,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnCreateContextCb: PFND3D12DDI_CREATECONTEXT_CB,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCreateContextVirtualCb: PFND3D12DDI_CREATECONTEXTVIRTUAL_CB,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnDestroyContextCb: PFND3D12DDI_DESTROYCONTEXT_CB,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnCreatePagingQueueCb: PFND3D12DDI_CREATEPAGINGQUEUE_CB,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnDestroyPagingQueueCb: PFND3D12DDI_DESTROYPAGINGQUEUE_CB,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnMakeResidentCb: PFND3D12DDI_MAKERESIDENT_CB,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnEvictCb: PFND3D12DDI_EVICT_CB,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnReclaimAllocations2Cb: PFND3D12DDI_RECLAIMALLOCATIONS2_CB,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnOfferAllocationsCb: PFND3D12DDI_OFFERALLOCATIONS_CB,
    /// Slot 12. x64 offset 96, x86 offset 48.
    pub pfnAllocateCb: PFND3D12DDI_ALLOCATE_CB_0022,
    /// Slot 13. x64 offset 104, x86 offset 52.
    pub pfnDeallocateCb: PFND3D12DDI_DEALLOCATE_CB_0022,
    /// Slot 14. x64 offset 112, x86 offset 56.
    pub pfnCreateSchedulingGroupContextCb: PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXT_CB_0050,
    /// Slot 15. x64 offset 120, x86 offset 60.
    pub pfnCreateSchedulingGroupContextVirtualCb:
        PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXTVIRTUAL_CB_0050,
    /// Slot 16. x64 offset 128, x86 offset 64.
    pub pfnCreateHwQueueCb: PFND3D12DDI_CREATEHWQUEUE_CB_0050,
}

/// Callbacks of the runtime that stay in user mode, from DDI 0062 on. Begins with the table before it.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_CORELAYER_DEVICECALLBACKS_0062 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnSetErrorCb: PFND3D12DDI_SETERROR_CB,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnSetCommandListErrorCb: PFND3D12DDI_SETCOMMANDLISTERROR_CB,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnSetCommandListDDITableCb: PFND3D12DDI_SETCOMMANDLISTDDITABLE_CB,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnCreateContextCb: PFND3D12DDI_CREATECONTEXT_CB,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCreateContextVirtualCb: PFND3D12DDI_CREATECONTEXTVIRTUAL_CB,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnDestroyContextCb: PFND3D12DDI_DESTROYCONTEXT_CB,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnCreatePagingQueueCb: PFND3D12DDI_CREATEPAGINGQUEUE_CB,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnDestroyPagingQueueCb: PFND3D12DDI_DESTROYPAGINGQUEUE_CB,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnMakeResidentCb: PFND3D12DDI_MAKERESIDENT_CB,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnEvictCb: PFND3D12DDI_EVICT_CB,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnReclaimAllocations2Cb: PFND3D12DDI_RECLAIMALLOCATIONS2_CB,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnOfferAllocationsCb: PFND3D12DDI_OFFERALLOCATIONS_CB,
    /// Slot 12. x64 offset 96, x86 offset 48.
    pub pfnAllocateCb: PFND3D12DDI_ALLOCATE_CB_0022,
    /// Slot 13. x64 offset 104, x86 offset 52.
    pub pfnDeallocateCb: PFND3D12DDI_DEALLOCATE_CB_0022,
    /// Slot 14. x64 offset 112, x86 offset 56.
    pub pfnCreateSchedulingGroupContextCb: PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXT_CB_0050,
    /// Slot 15. x64 offset 120, x86 offset 60.
    pub pfnCreateSchedulingGroupContextVirtualCb:
        PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXTVIRTUAL_CB_0050,
    /// Slot 16. x64 offset 128, x86 offset 64.
    pub pfnCreateHwQueueCb: PFND3D12DDI_CREATEHWQUEUE_CB_0050,
    /// Slot 17. x64 offset 136, x86 offset 68.
    pub pfnQueueBackgroundProcessingWorkCb: PFND3D12DDI_QUEUEPROCESSINGWORK_CB_0062,
}

/// Callbacks of the runtime that stay in user mode, from DDI 0112 on. Begins with the table before it.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_CORELAYER_DEVICECALLBACKS_0112 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnSetErrorCb: PFND3D12DDI_SETERROR_CB,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnSetCommandListErrorCb: PFND3D12DDI_SETCOMMANDLISTERROR_CB,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnSetCommandListDDITableCb: PFND3D12DDI_SETCOMMANDLISTDDITABLE_CB,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnCreateContextCb: PFND3D12DDI_CREATECONTEXT_CB,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCreateContextVirtualCb: PFND3D12DDI_CREATECONTEXTVIRTUAL_CB,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnDestroyContextCb: PFND3D12DDI_DESTROYCONTEXT_CB,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnCreatePagingQueueCb: PFND3D12DDI_CREATEPAGINGQUEUE_CB,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnDestroyPagingQueueCb: PFND3D12DDI_DESTROYPAGINGQUEUE_CB,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnMakeResidentCb: PFND3D12DDI_MAKERESIDENT_CB,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnEvictCb: PFND3D12DDI_EVICT_CB,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnReclaimAllocations2Cb: PFND3D12DDI_RECLAIMALLOCATIONS2_CB,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnOfferAllocationsCb: PFND3D12DDI_OFFERALLOCATIONS_CB,
    /// Slot 12. x64 offset 96, x86 offset 48.
    pub pfnAllocateCb: PFND3D12DDI_ALLOCATE_CB_0022,
    /// Slot 13. x64 offset 104, x86 offset 52.
    pub pfnDeallocateCb: PFND3D12DDI_DEALLOCATE_CB_0022,
    /// Slot 14. x64 offset 112, x86 offset 56.
    pub pfnCreateSchedulingGroupContextCb: PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXT_CB_0050,
    /// Slot 15. x64 offset 120, x86 offset 60.
    pub pfnCreateSchedulingGroupContextVirtualCb:
        PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXTVIRTUAL_CB_0050,
    /// Slot 16. x64 offset 128, x86 offset 64.
    pub pfnCreateHwQueueCb: PFND3D12DDI_CREATEHWQUEUE_CB_0050,
    /// Slot 17. x64 offset 136, x86 offset 68.
    pub pfnQueueBackgroundProcessingWorkCb: PFND3D12DDI_QUEUEPROCESSINGWORK_CB_0062,
    /// Slot 18. x64 offset 144, x86 offset 72.
    pub pfnCreateNativeFenceCb: PFND3D12DDI_UNKNOWN,
}

/// Callbacks of the runtime that stay in user mode, from DDI 0116 on. Begins with the table before it.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_CORELAYER_DEVICECALLBACKS_0116 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnSetErrorCb: PFND3D12DDI_SETERROR_CB,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnSetCommandListErrorCb: PFND3D12DDI_SETCOMMANDLISTERROR_CB,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnSetCommandListDDITableCb: PFND3D12DDI_SETCOMMANDLISTDDITABLE_CB,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnCreateContextCb: PFND3D12DDI_CREATECONTEXT_CB,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCreateContextVirtualCb: PFND3D12DDI_CREATECONTEXTVIRTUAL_CB,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnDestroyContextCb: PFND3D12DDI_DESTROYCONTEXT_CB,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnCreatePagingQueueCb: PFND3D12DDI_CREATEPAGINGQUEUE_CB,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnDestroyPagingQueueCb: PFND3D12DDI_DESTROYPAGINGQUEUE_CB,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnMakeResidentCb: PFND3D12DDI_MAKERESIDENT_CB,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnEvictCb: PFND3D12DDI_EVICT_CB,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnReclaimAllocations2Cb: PFND3D12DDI_RECLAIMALLOCATIONS2_CB,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnOfferAllocationsCb: PFND3D12DDI_OFFERALLOCATIONS_CB,
    /// Slot 12. x64 offset 96, x86 offset 48.
    pub pfnAllocateCb: PFND3D12DDI_ALLOCATE_CB_0022,
    /// Slot 13. x64 offset 104, x86 offset 52.
    pub pfnDeallocateCb: PFND3D12DDI_DEALLOCATE_CB_0022,
    /// Slot 14. x64 offset 112, x86 offset 56.
    pub pfnCreateSchedulingGroupContextCb: PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXT_CB_0050,
    /// Slot 15. x64 offset 120, x86 offset 60.
    pub pfnCreateSchedulingGroupContextVirtualCb:
        PFND3D12DDI_CREATESCHEDULINGGROUPCONTEXTVIRTUAL_CB_0050,
    /// Slot 16. x64 offset 128, x86 offset 64.
    pub pfnCreateHwQueueCb: PFND3D12DDI_CREATEHWQUEUE_CB_0050,
    /// Slot 17. x64 offset 136, x86 offset 68.
    pub pfnQueueBackgroundProcessingWorkCb: PFND3D12DDI_QUEUEPROCESSINGWORK_CB_0062,
    /// Slot 18. x64 offset 144, x86 offset 72.
    pub pfnCreateNativeFenceCb: PFND3D12DDI_UNKNOWN,
    /// Slot 19. x64 offset 152, x86 offset 76.
    pub pfnOpenNativeFenceCb: PFND3D12DDI_UNKNOWN,
}
