//! Work graphs.

use bytemuck::Zeroable;

use crate::base::{BOOL, LPCWSTR, UINT, UINT8, UINT16};

/// Subobject [`D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH`](crate::D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH).
///
/// Source: WorkGraphs.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_WORK_GRAPH_DESC_0108 {
    /// x64 offset 0, x86 offset 0.
    pub ProgramName: LPCWSTR,
    /// x64 offset 8, x86 offset 4.
    pub Version: UINT,
    /// x64 offset 12, x86 offset 8.
    pub Flags: D3D12DDI_WORK_GRAPH_FLAGS_0108,
    /// x64 offset 16, x86 offset 12.
    pub NumNodes: UINT,
    /// x64 offset 24, x86 offset 16.
    pub pNodes: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    /// x64 offset 32, x86 offset 20.
    pub NumEntrypoints: UINT,
    /// x64 offset 40, x86 offset 24.
    pub pEntrypoints: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
}

/// A singly linked list of nodes, ended by a null `pNext`.
///
/// Source: WorkGraphs.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_NODE_LIST_ENTRY_0108 {
    /// x64 offset 0, x86 offset 0.
    pub pNode: *mut D3D12DDI_NODE_0108,
    /// x64 offset 8, x86 offset 4.
    pub pNext: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
}

/// A work graph node; `NodeType` chooses the union's arm.
///
/// Source: WorkGraphs.md. Its second arm, for program nodes, "not supported yet", is left out.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_NODE_0108 {
    /// x64 offset 0, x86 offset 0.
    pub VersionAdded: UINT,
    /// x64 offset 4, x86 offset 4.
    pub NodeType: D3D12DDI_NODE_TYPE_0108,
    /// The anonymous union at x64 offset 8, x86 offset 8.
    pub Anonymous: D3D12DDI_NODE_0108_0,
}

/// Union member `Anonymous` of [`D3D12DDI_NODE_0108`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_NODE_0108_0 {
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub Shader: D3D12DDI_SHADER_NODE_0108,
}

/// A shader node; `PropertiesType` chooses the union's arm.
///
/// Source: WorkGraphs.md.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_SHADER_NODE_0108 {
    /// x64 offset 0, x86 offset 0.
    pub Shader: LPCWSTR,
    /// x64 offset 8, x86 offset 4.
    pub PropertiesType: D3D12DDI_NODE_PROPERTIES_TYPE_0108,
    /// The anonymous union at x64 offset 16, x86 offset 8.
    pub Anonymous: D3D12DDI_SHADER_NODE_0108_0,
}

/// Union member `Anonymous` of [`D3D12DDI_SHADER_NODE_0108`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_SHADER_NODE_0108_0 {
    /// One reading of the bytes at x64 offset 16, x86 offset 8.
    pub pBroadcastingLaunchNodeProperties: *const D3D12DDI_BROADCASTING_LAUNCH_NODE_PROPERTIES_0108,
    /// One reading of the bytes at x64 offset 16, x86 offset 8.
    pub pCoalescingLaunchNodeProperties: *const D3D12DDI_COALESCING_LAUNCH_NODE_PROPERTIES_0108,
    /// One reading of the bytes at x64 offset 16, x86 offset 8.
    pub pThreadLaunchNodeProperties: *const D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108,
}

/// A node's name and array index.
///
/// Source: WorkGraphs.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_NODE_ID_0108 {
    /// x64 offset 0, x86 offset 0.
    pub Name: LPCWSTR,
    /// x64 offset 8, x86 offset 4.
    pub ArrayIndex: UINT,
}

/// Properties of a broadcasting launch node.
///
/// Source: WorkGraphs.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_BROADCASTING_LAUNCH_NODE_PROPERTIES_0108 {
    /// x64 offset 0, x86 offset 0.
    pub FinalName: D3D12DDI_NODE_ID_0108,
    /// x64 offset 16, x86 offset 8.
    pub bProgramEntry: BOOL,
    /// x64 offset 20, x86 offset 12.
    pub InputNodeIOKind: D3D12DDI_NODE_IO_KIND_0108,
    /// Bits of [`D3D12DDI_NODE_IO_FLAGS_0108`]. x64 offset 24, x86 offset 16.
    pub InputNodeIOFlags: UINT,
    /// x64 offset 28, x86 offset 20.
    pub InputRecordSizeInBytes: UINT,
    /// x64 offset 32, x86 offset 24.
    pub GroupSharedUsageInBytes: UINT,
    /// x64 offset 36, x86 offset 28.
    pub MaxRecursionDepth: UINT,
    /// x64 offset 40, x86 offset 32.
    pub pLocalRootArgumentsTableIndex: *const UINT,
    /// x64 offset 48, x86 offset 36.
    pub pShareInputOfNode: *const D3D12DDI_NODE_0108,
    /// x64 offset 56, x86 offset 40.
    pub pDispatchGrid: *const UINT,
    /// x64 offset 64, x86 offset 44.
    pub pMaxDispatchGrid: *const UINT,
    /// x64 offset 72, x86 offset 48.
    pub pRecordDispatchGrid: *const D3D12DDI_RECORD_DISPATCH_GRID_0108,
    /// x64 offset 80, x86 offset 52.
    pub pInputNodes: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    /// x64 offset 88, x86 offset 56.
    pub pNodesSharingInputWithThisNode: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    /// x64 offset 96, x86 offset 60.
    pub NumOutputs: UINT,
    /// x64 offset 104, x86 offset 64.
    pub pOutputs: *const D3D12DDI_NODE_OUTPUT_0108,
}

/// Properties of a coalescing launch node.
///
/// Source: WorkGraphs.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COALESCING_LAUNCH_NODE_PROPERTIES_0108 {
    /// x64 offset 0, x86 offset 0.
    pub FinalName: D3D12DDI_NODE_ID_0108,
    /// x64 offset 16, x86 offset 8.
    pub bProgramEntry: BOOL,
    /// x64 offset 20, x86 offset 12.
    pub InputNodeIOKind: D3D12DDI_NODE_IO_KIND_0108,
    /// Bits of [`D3D12DDI_NODE_IO_FLAGS_0108`]. x64 offset 24, x86 offset 16.
    pub InputNodeIOFlags: UINT,
    /// x64 offset 28, x86 offset 20.
    pub InputRecordSizeInBytes: UINT,
    /// x64 offset 32, x86 offset 24.
    pub InputMaxRecordArraySize: UINT,
    /// x64 offset 36, x86 offset 28.
    pub GroupSharedUsageInBytes: UINT,
    /// x64 offset 40, x86 offset 32.
    pub MaxRecursionDepth: UINT,
    /// x64 offset 48, x86 offset 36.
    pub pLocalRootArgumentsTableIndex: *const UINT,
    /// x64 offset 56, x86 offset 40.
    pub pShareInputOfNode: *const D3D12DDI_NODE_0108,
    /// x64 offset 64, x86 offset 44.
    pub pInputNodes: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    /// x64 offset 72, x86 offset 48.
    pub pNodesSharingInputWithThisNode: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    /// x64 offset 80, x86 offset 52.
    pub NumOutputs: UINT,
    /// x64 offset 88, x86 offset 56.
    pub pOutputs: *const D3D12DDI_NODE_OUTPUT_0108,
}

/// Properties of a thread launch node.
///
/// Source: WorkGraphs.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108 {
    /// x64 offset 0, x86 offset 0.
    pub FinalName: D3D12DDI_NODE_ID_0108,
    /// x64 offset 16, x86 offset 8.
    pub bProgramEntry: BOOL,
    /// x64 offset 20, x86 offset 12.
    pub InputNodeIOKind: D3D12DDI_NODE_IO_KIND_0108,
    /// Bits of [`D3D12DDI_NODE_IO_FLAGS_0108`]. x64 offset 24, x86 offset 16.
    pub InputNodeIOFlags: UINT,
    /// x64 offset 28, x86 offset 20.
    pub InputRecordSizeInBytes: UINT,
    /// x64 offset 32, x86 offset 24.
    pub GroupSharedUsageInBytes: UINT,
    /// x64 offset 36, x86 offset 28.
    pub MaxRecursionDepth: UINT,
    /// x64 offset 40, x86 offset 32.
    pub pLocalRootArgumentsTableIndex: *const UINT,
    /// x64 offset 48, x86 offset 36.
    pub pShareInputOfNode: *const D3D12DDI_NODE_0108,
    /// x64 offset 56, x86 offset 40.
    pub pInputNodes: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    /// x64 offset 64, x86 offset 44.
    pub pNodesSharingInputWithThisNode: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    /// x64 offset 72, x86 offset 48.
    pub NumOutputs: UINT,
    /// x64 offset 80, x86 offset 52.
    pub pOutputs: *const D3D12DDI_NODE_OUTPUT_0108,
}

/// One output of a node. WorkGraphs.md gives the last pointer's type the suffix 0103, a misprint.
///
/// Source: WorkGraphs.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_NODE_OUTPUT_0108 {
    /// x64 offset 0, x86 offset 0.
    pub FinalName: D3D12DDI_NODE_ID_0108,
    /// x64 offset 16, x86 offset 8.
    pub OutputIndex: UINT,
    /// x64 offset 20, x86 offset 12.
    pub NodeIOKind: D3D12DDI_NODE_IO_KIND_0108,
    /// Bits of [`D3D12DDI_NODE_IO_FLAGS_0108`]. x64 offset 24, x86 offset 16.
    pub NodeIOFlags: UINT,
    /// x64 offset 28, x86 offset 20.
    pub RecordSizeInBytes: UINT,
    /// x64 offset 32, x86 offset 24.
    pub bAllowSparseNodes: BOOL,
    /// x64 offset 40, x86 offset 28.
    pub pRecordDispatchGrid: *const D3D12DDI_RECORD_DISPATCH_GRID_0108,
    /// x64 offset 48, x86 offset 32.
    pub pMaxRecords: *const UINT,
    /// x64 offset 56, x86 offset 36.
    pub pMaxRecordsSharedWithOutputIndex: *const UINT,
    /// x64 offset 64, x86 offset 40.
    pub ArraySize: UINT,
    /// x64 offset 72, x86 offset 44.
    pub pOutputs: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
}

/// Where a record holds its dispatch grid.
///
/// Source: WorkGraphs.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RECORD_DISPATCH_GRID_0108 {
    /// x64 offset 0, x86 offset 0.
    pub ByteOffset: UINT16,
    /// x64 offset 2, x86 offset 2.
    pub NumComponents: UINT8,
    /// x64 offset 4, x86 offset 4.
    pub b16BitsPerComponent: BOOL,
}

ddi_flags! {
    /// Flags of a work graph.
    ///
    /// Source: WorkGraphs.md.
    pub enum D3D12DDI_WORK_GRAPH_FLAGS_0108 {
        /// Value 0.
        D3D12DDI_WORK_GRAPH_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_WORK_GRAPH_FLAG_ADD_TO_EXISTING_WORK_GRAPH = 1,
        /// WorkGraphs.md only.
        D3D12DDI_WORK_GRAPH_FLAG_ENTRYPOINT_GRAPHICS_NODES_RASTERIZE_IN_ORDER = 2,
    }
}

ddi_enum! {
    /// Kind of node.
    ///
    /// Source: WorkGraphs.md.
    pub enum D3D12DDI_NODE_TYPE_0108 {
        /// Value 0.
        D3D12DDI_NODE_TYPE_SHADER_0108 = 0,
        /// WorkGraphs.md only.
        D3D12DDI_NODE_TYPE_PROGRAM_0110 = 1,
    }
}

ddi_enum! {
    /// Launch mode of a shader node.
    ///
    /// Source: WorkGraphs.md.
    pub enum D3D12DDI_NODE_PROPERTIES_TYPE_0108 {
        /// Value 1.
        D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108 = 1,
        /// Value 2.
        D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108 = 2,
        /// Value 3.
        D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108 = 3,
    }
}

ddi_enum! {
    /// Kind of a node's input or output.
    ///
    /// Source: WorkGraphs.md.
    pub enum D3D12DDI_NODE_IO_KIND_0108 {
        /// Value 0.
        D3D12DDI_NODE_IO_KIND_INVALID = 0,
        /// Value 9.
        D3D12DDI_NODE_IO_KIND_EMPTY_INPUT_0108 = 9,
        /// Value 6.
        D3D12DDI_NODE_IO_KIND_NODE_OUTPUT_0108 = 6,
        /// Value 22.
        D3D12DDI_NODE_IO_KIND_NODE_OUTPUT_ARRAY_0108 = 22,
        /// Value 10.
        D3D12DDI_NODE_IO_KIND_EMPTY_OUTPUT_0108 = 10,
        /// Value 26.
        D3D12DDI_NODE_IO_KIND_EMPTY_OUTPUT_ARRAY_0108 = 26,
        /// Value 97.
        D3D12DDI_NODE_IO_KIND_DISPATCH_NODE_INPUT_RECORD_0108 = 97,
        /// Value 65.
        D3D12DDI_NODE_IO_KIND_GROUP_NODE_INPUT_RECORDS_0108 = 65,
        /// Value 33.
        D3D12DDI_NODE_IO_KIND_THREAD_NODE_INPUT_RECORD_0108 = 33,
        /// Value 101.
        D3D12DDI_NODE_IO_KIND_READ_WRITE_DISPATCH_NODE_INPUT_RECORD_0108 = 101,
        /// Value 69.
        D3D12DDI_NODE_IO_KIND_READ_WRITE_GROUP_NODE_INPUT_RECORDS_0108 = 69,
        /// Value 37.
        D3D12DDI_NODE_IO_KIND_READ_WRITE_THREAD_NODE_INPUT_RECORD_0108 = 37,
        /// Value 70.
        D3D12DDI_NODE_IO_KIND_GROUP_NODE_OUTPUT_RECORDS_0108 = 70,
        /// Value 38.
        D3D12DDI_NODE_IO_KIND_THREAD_NODE_OUTPUT_RECORDS_0108 = 38,
    }
}

ddi_flags! {
    /// What a node's input or output is and how it is used: the low seven bits are its
    /// [`D3D12DDI_NODE_IO_KIND_0108`], the others are flags.
    ///
    /// Source: WorkGraphs.md, which makes RECORD_FLAGS_MASK 0x300; 0x100 in bindings generated from
    /// the SDK 10.0.26100 header. See docs/spec-notes.md.
    pub enum D3D12DDI_NODE_IO_FLAGS_0108 {
        /// Value 1.
        D3D12DDI_NODE_IO_FLAG_INPUT = 1,
        /// Value 2.
        D3D12DDI_NODE_IO_FLAG_OUTPUT = 2,
        /// Value 4.
        D3D12DDI_NODE_IO_FLAG_READ_WRITE = 4,
        /// Value 8.
        D3D12DDI_NODE_IO_FLAG_EMPTY_RECORD = 8,
        /// Value 16.
        D3D12DDI_NODE_IO_FLAG_NODE_ARRAY = 0x10,
        /// Value 32.
        D3D12DDI_NODE_IO_FLAG_THREAD_RECORD = 0x20,
        /// Value 64.
        D3D12DDI_NODE_IO_FLAG_GROUP_RECORD = 0x40,
        /// Value 96.
        D3D12DDI_NODE_IO_FLAG_DISPATCH_RECORD = 0x60,
        /// Value 96.
        D3D12DDI_NODE_IO_FLAG_RECORD_GRANULARITY_MASK = 0x60,
        /// Value 127.
        D3D12DDI_NODE_IO_FLAG_KIND_MASK = 0x7F,
        /// Value 256.
        D3D12DDI_NODE_IO_FLAG_TRACK_RW_INPUT_SHARING = 0x100,
        /// Value 256.
        D3D12DDI_NODE_IO_FLAG_NODE_FLAGS_MASK = 0x100,
        /// Value 256.
        D3D12DDI_NODE_IO_FLAG_RECORD_FLAGS_MASK = 0x100,
        /// WorkGraphs.md only.
        D3D12DDI_NODE_IO_FLAG_GLOBALLY_COHERENT = 0x200,
    }
}
