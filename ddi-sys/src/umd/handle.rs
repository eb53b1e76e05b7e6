//! Handles of the usermode DDI: one pointer each, passed by value.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::base::HANDLE;

/// The handle `D3D12DDI_HADAPTER` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HADAPTER {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HCOMMANDLIST` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HCOMMANDLIST {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HCOMMANDPOOL_0040` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HCOMMANDPOOL_0040 {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HCOMMANDQUEUE` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HCOMMANDQUEUE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HCOMMANDRECORDER_0040` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HCOMMANDRECORDER_0040 {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HCOMMANDSIGNATURE` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HCOMMANDSIGNATURE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HDESCRIPTORHEAP` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HDESCRIPTORHEAP {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HDEVICE` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HDEVICE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HFENCE` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HFENCE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HHEAP` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HHEAP {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HMETACOMMAND_0052` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HMETACOMMAND_0052 {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HPIPELINESTATE` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HPIPELINESTATE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HPROTECTEDRESOURCESESSION_0030` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HPROTECTEDRESOURCESESSION_0030 {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HQUERYHEAP` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HQUERYHEAP {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle `D3D12DDI_HRESOURCE` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRESOURCE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The runtime's handle `D3D12DDI_HRTADAPTER`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTADAPTER {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTCOMMANDLIST`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTCOMMANDLIST {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTCOMMANDQUEUE`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTCOMMANDQUEUE {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTDEVICE`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTDEVICE {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTFENCE`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTFENCE {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTMETACOMMAND_0052`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTMETACOMMAND_0052 {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTPAGINGQUEUE`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTPAGINGQUEUE {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTPIPELINESTATE`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTPIPELINESTATE {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTRESOURCE`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTRESOURCE {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTSCHEDULINGGROUP_0050`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTSCHEDULINGGROUP_0050 {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTSTATEOBJECT_0054`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTSTATEOBJECT_0054 {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The runtime's handle `D3D12DDI_HRTTABLE`.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTTABLE {
    /// The host's value, opaque to the driver.
    pub handle: HANDLE,
}

/// The handle `D3D12DDI_HSCHEDULINGGROUP_0050` of a driver's object.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HSCHEDULINGGROUP_0050 {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}
