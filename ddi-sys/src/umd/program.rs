//! Work graphs, programs and additions to state objects, as a device has them.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// An argument: `D3D12DDIARG_ADD_TO_STATE_OBJECT_0072`. The device DDI's own form of "add to"; the plugin DDI does not
/// use it.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_ADD_TO_STATE_OBJECT_0072 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_STATE_OBJECT_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub NumSubobjects: UINT,
    /// x64 offset 8, x86 offset 8.
    pub pSubobjects: *const D3D12DDI_STATE_SUBOBJECT_0054,
    /// x64 offset 16, x86 offset 12.
    pub StateObjectToGrowFrom: D3D12DDI_HSTATEOBJECT_0054,
}

/// The structure of `ProgramIdentifier` in [`D3D12DDI_SET_GENERIC_PIPELINE_DESC_0108`],
/// [`D3D12DDI_SET_RAYTRACING_PIPELINE_DESC_0108`] and [`D3D12DDI_SET_WORK_GRAPH_DESC_0108`].
///
/// Source: WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_PROGRAM_IDENTIFIER_0108 {
    /// x64 offset 0, x86 offset 0.
    pub OpaqueData: [UINT64; 4],
}

/// The structure that [`PFND3D12DDI_GET_WORK_GRAPH_MEMORY_REQUIREMENTS_0108`] takes as `pWorkGraphMemoryRequirements`.
///
/// Source: WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_WORK_GRAPH_MEMORY_REQUIREMENTS_0108 {
    /// x64 offset 0, x86 offset 0.
    pub MinSizeInBytes: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub MaxSizeInBytes: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub SizeGranularityInBytes: UINT,
}

/// The structure that [`PFND3D12DDI_SET_PROGRAM_0114`] and [`PFND3D12DDI_SET_PROGRAM_0108`] take as `pSetProgramDesc`.
///
/// Source: WorkGraphs.md, bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_SET_PROGRAM_DESC_0108 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_PROGRAM_TYPE_0108,
    /// The anonymous union at x64 offset 8, x86 offset 8.
    pub Anonymous: D3D12DDI_SET_PROGRAM_DESC_0108_0,
}

/// Union member `Anonymous` of [`D3D12DDI_SET_PROGRAM_DESC_0108`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_SET_PROGRAM_DESC_0108_0 {
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub GenericPipeline: D3D12DDI_SET_GENERIC_PIPELINE_DESC_0108,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub RaytracingPipeline: D3D12DDI_SET_RAYTRACING_PIPELINE_DESC_0108,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub WorkGraph: D3D12DDI_SET_WORK_GRAPH_DESC_0108,
}

/// The structure of `GenericPipeline` in [`D3D12DDI_SET_PROGRAM_DESC_0108`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SET_GENERIC_PIPELINE_DESC_0108 {
    /// x64 offset 0, x86 offset 0.
    pub ProgramIdentifier: D3D12DDI_PROGRAM_IDENTIFIER_0108,
}

/// The structure of `RaytracingPipeline` in [`D3D12DDI_SET_PROGRAM_DESC_0108`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SET_RAYTRACING_PIPELINE_DESC_0108 {
    /// x64 offset 0, x86 offset 0.
    pub ProgramIdentifier: D3D12DDI_PROGRAM_IDENTIFIER_0108,
}

/// The structure of `WorkGraph` in [`D3D12DDI_SET_PROGRAM_DESC_0108`].
///
/// Source: WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SET_WORK_GRAPH_DESC_0108 {
    /// x64 offset 0, x86 offset 0.
    pub ProgramIdentifier: D3D12DDI_PROGRAM_IDENTIFIER_0108,
    /// x64 offset 32, x86 offset 32.
    pub Flags: D3D12DDI_SET_WORK_GRAPH_FLAGS_0108,
    /// x64 offset 40, x86 offset 40.
    pub BackingMemory: D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE,
    /// x64 offset 56, x86 offset 56.
    pub NodeLocalRootArgumentsTable: D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE,
}

/// The structure that [`PFND3D12DDI_DISPATCH_GRAPH_0114`] and [`PFND3D12DDI_DISPATCH_GRAPH_0108`] take as
/// `pDispatchGraphDesc`.
///
/// Source: WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_DISPATCH_GRAPH_DESC_0108 {
    /// x64 offset 0, x86 offset 0.
    pub Mode: D3D12DDI_DISPATCH_MODE_0108,
    /// The anonymous union at x64 offset 8, x86 offset 8.
    pub Anonymous: D3D12DDI_DISPATCH_GRAPH_DESC_0108_0,
}

/// Union member `Anonymous` of [`D3D12DDI_DISPATCH_GRAPH_DESC_0108`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_DISPATCH_GRAPH_DESC_0108_0 {
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub NodeCPUInput: D3D12DDI_NODE_CPU_INPUT_0108,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub NodeGPUInput: UINT64,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub MultiNodeCPUInput: D3D12DDI_MULTI_NODE_CPU_INPUT_0108,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub MultiNodeGPUInput: UINT64,
}

/// The structure of members of [`D3D12DDI_DISPATCH_GRAPH_DESC_0108`] and [`D3D12DDI_MULTI_NODE_CPU_INPUT_0108`].
///
/// Source: WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_NODE_CPU_INPUT_0108 {
    /// x64 offset 0, x86 offset 0.
    pub EntrypointIndex: UINT,
    /// x64 offset 4, x86 offset 4.
    pub NumRecords: UINT,
    /// x64 offset 8, x86 offset 8.
    pub pRecords: *const c_void,
    /// x64 offset 16, x86 offset 16.
    pub RecordStrideInBytes: UINT64,
}

/// The structure `D3D12DDI_NODE_GPU_INPUT_0108`.
///
/// Source: WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_NODE_GPU_INPUT_0108 {
    /// x64 offset 0, x86 offset 0.
    pub EntrypointIndex: UINT,
    /// x64 offset 4, x86 offset 4.
    pub NumRecords: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Records: D3D12DDI_GPU_VIRTUAL_ADDRESS_AND_STRIDE,
}

/// The structure of `MultiNodeCPUInput` in [`D3D12DDI_DISPATCH_GRAPH_DESC_0108`].
///
/// Source: WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_MULTI_NODE_CPU_INPUT_0108 {
    /// x64 offset 0, x86 offset 0.
    pub NumNodeInputs: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pNodeInputs: *const D3D12DDI_NODE_CPU_INPUT_0108,
    /// x64 offset 16, x86 offset 8.
    pub NodeInputStrideInBytes: UINT64,
}

/// The structure `D3D12DDI_MULTI_NODE_GPU_INPUT_0108`.
///
/// Source: WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_MULTI_NODE_GPU_INPUT_0108 {
    /// x64 offset 0, x86 offset 0.
    pub NumNodeInputs: UINT,
    /// x64 offset 8, x86 offset 8.
    pub NodeInputs: D3D12DDI_GPU_VIRTUAL_ADDRESS_AND_STRIDE,
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDI_SET_PROGRAM_DESC_0108`].
    ///
    /// Source: MlirPrograms.md, WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_PROGRAM_TYPE_0108 {
        /// Value 1.
        D3D12DDI_PROGRAM_TYPE_GENERIC_PIPELINE_0108 = 1,
        /// Value 4.
        D3D12DDI_PROGRAM_TYPE_RAYTRACING_PIPELINE_0108 = 4,
        /// Value 5.
        D3D12DDI_PROGRAM_TYPE_WORK_GRAPH_0108 = 5,
        /// Value 6. MlirPrograms.md only.
        D3D12DDI_PROGRAM_TYPE_MLIR_PROGRAM_0119 = 6,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDI_SET_WORK_GRAPH_DESC_0108`].
    ///
    /// Source: WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_SET_WORK_GRAPH_FLAGS_0108 {
        /// Value 0.
        D3D12DDI_SET_WORK_GRAPH_FLAG_NONE_0108 = 0,
        /// Value 1.
        D3D12DDI_SET_WORK_GRAPH_FLAG_INITIALIZE_0108 = 1,
    }
}

ddi_enum! {
    /// The enumeration of `Mode` in [`D3D12DDI_DISPATCH_GRAPH_DESC_0108`].
    ///
    /// Source: MlirPrograms.md, WorkGraphs.md and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_DISPATCH_MODE_0108 {
        /// Value 0.
        D3D12DDI_DISPATCH_MODE_NODE_CPU_INPUT_0108 = 0,
        /// Value 1.
        D3D12DDI_DISPATCH_MODE_NODE_GPU_INPUT_0108 = 1,
        /// Value 2.
        D3D12DDI_DISPATCH_MODE_MULTI_NODE_CPU_INPUT_0108 = 2,
        /// Value 3.
        D3D12DDI_DISPATCH_MODE_MULTI_NODE_GPU_INPUT_0108 = 3,
    }
}
