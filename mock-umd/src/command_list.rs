//! Command lists: what a host can record, and the functions that record it. Each function of the table
//! is one row of [`commands`]: the row makes the variant of [`Command`], the entry that takes the
//! driver's handles, and, if the runtime can be bypassed (D3D12RuntimeBypass.md, "Applicable APIs"), the
//! entry that takes the application's. Both are the same code.

use std::ffi::c_void;
use std::sync::Arc;

#[allow(clippy::wildcard_imports)] // The rows are written in the DDI's own types.
use ddi_sys::*;
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Map, Value};

use crate::boundary::{self, Error, Result, checked, device_slots, raw};
use crate::descriptors::DescriptorHeap;
use crate::device::{CommandSignature, Device, Fence, ListRuntime, QueryHeap, SchedulingGroup};
use crate::handles::{self, First, Object, ObjectId, Owner, PRIVATE_SIZE};
use crate::memory::{self, Heap, Resource};
use crate::meta_command::{self, MetaCommand};
use crate::objects::RootSignature;
use crate::pipeline::{PipelineState, StateObject};
use crate::trace::{self, Subject};
use crate::values::{self, Json, Recorded};

/// A place in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The buffer, if there is one.
    pub resource: Option<ObjectId>,
    /// Bytes from its start.
    pub offset: u64,
}

impl Placement {
    fn new(owner: &Owner, raw: &D3D12DDIARG_BUFFER_PLACEMENT) -> Result<Self> {
        // SAFETY: the union has one arm.
        let raw = unsafe { raw.BaseAddress.UMD };
        Ok(Self {
            resource: owner.optional_id_of::<Resource>(raw.hResource.pDrvPrivate)?,
            offset: raw.Offset,
        })
    }
}

impl Json for Placement {
    fn json(&self) -> Value {
        serde_json::json!({ "resource": self.resource.json(), "offset": self.offset })
    }
}

/// The driver's object behind an object of the application's; null when there is none.
///
/// # Safety
///
/// Unless it is null or misaligned, `object` points to a header.
unsafe fn driver_object(object: *mut c_void) -> *mut c_void {
    let header: *mut D3D12DDI_RUNTIME_BYPASS_HEADER = object.cast();
    if header.is_null() || !header.is_aligned() {
        return std::ptr::null_mut();
    }
    // SAFETY: `object` is not null and aligned, and so points to a header (`# Safety`).
    unsafe { (*header).pDriverObject }
}

/// The type of an argument in the table.
macro_rules! listed {
    (floats $t:ty) => { *const $t };
    (uints $t:ty) => { *const $t };
    (words $t:ty) => { *const $t };
    (deep $t:ty) => { *const $t };
    (optional_deep $t:ty) => { *const $t };
    (deep_array $t:ty) => { *const $t };
    (deep_value $t:ty) => { $t };
    (floats_or_ones $t:ty) => { *const $t };
    (session $t:ty) => { $t };
    (bytes $t:ty) => { *const $t };
    (object $t:ty) => { $t };
    (optional_object $t:ty) => { $t };
    (object_array $t:ty) => { *mut $t };
    (placement $t:ty) => { $t };
    (placement_at $t:ty) => { *const $t };
    (target_array $t:ty) => { *const $t };
    (positions $t:ty) => { *mut $t };
    (combiners $t:ty) => { *const $t };
    (boxed $t:ty) => { *const $t };
    ($kind:ident $t:ty) => { raw!($kind $t) };
}

/// The type of an argument as both entries pass it on.
macro_rules! passed {
    (object $t:ty) => { *mut c_void };
    (optional_object $t:ty) => { *mut c_void };
    ($kind:ident $t:ty) => { listed!($kind $t) };
}

/// An argument with the driver's handle.
macro_rules! of_driver {
    (object $name:ident) => {
        $name.pDrvPrivate
    };
    (optional_object $name:ident) => {
        $name.pDrvPrivate
    };
    ($kind:ident $name:ident) => {
        $name
    };
}

/// An argument with the application's handle.
macro_rules! of_application {
    (object $name:ident) => {{
        // SAFETY: the DDI: an object of the application begins with a header.
        unsafe { driver_object($name.pDrvPrivate) }
    }};
    (optional_object $name:ident) => {
        of_application!(object $name)
    };
    ($kind:ident $name:ident) => { $name };
}

/// The type of an argument in a bypass entry.
macro_rules! of_bypass {
    ($kind:ident $t:ty; $api:ty) => { $api };
    ($kind:ident $t:ty) => { listed!($kind $t) };
}

/// The type of an argument as it is recorded.
macro_rules! owned {
    (value $t:ty) => { $t };
    (boxed $t:ty) => {
        Box<$t>
    };
    (optional $t:ty) => { Option<$t> };
    (floats $t:ty) => { [$t; 4] };
    (uints $t:ty) => { [$t; 4] };
    (words $t:ty) => { Box<[u32]> };
    (deep $t:ty) => { Box<Value> };
    (optional_deep $t:ty) => { Option<Box<Value>> };
    (deep_array $t:ty) => { Box<Value> };
    (deep_value $t:ty) => { Box<Value> };
    (floats_or_ones $t:ty) => { [$t; 4] };
    (session $t:ty) => { () };
    (bytes $t:ty) => { Box<[u8]> };
    (array $t:ty) => { Box<[$t]> };
    (array_mut $t:ty) => { Box<[$t]> };
    (optional_array $t:ty) => { Option<Box<[$t]>> };
    (object $t:ty) => { ObjectId };
    (optional_object $t:ty) => { Option<ObjectId> };
    (object_array $t:ty) => { Box<[ObjectId]> };
    (placement $t:ty) => { Placement };
    (placement_at $t:ty) => { Option<Box<Placement>> };
    (target_array $t:ty) => { Box<[$t]> };
    (positions $t:ty) => { Box<[$t]> };
    (combiners $t:ty) => { Option<Box<[$t]>> };
}

/// An argument as it is recorded.
macro_rules! recorded {
    ($owner:ident value $name:ident) => { $name };
    ($owner:ident boxed $name:ident) => {{ checked!(input $name); Box::new(*$name) }};
    ($owner:ident optional $name:ident) => {{ checked!(optional $name); $name.copied() }};
    ($owner:ident floats $name:ident) => {{ let four = 4_u32; checked!(array $name four); four_of($name) }};
    ($owner:ident uints $name:ident) => {{ let four = 4_u32; checked!(array $name four); four_of($name) }};
    ($owner:ident floats_or_ones $name:ident) => {{
        let four = 4_u32;
        checked!(optional_array $name four);
        $name.map_or([1.0; 4], four_of)
    }};
    ($owner:ident words $name:ident $count:ident) => {{
        let $name: *const u32 = $name.cast();
        checked!(array $name $count);
        Box::from($name)
    }};
    ($owner:ident deep $name:ident) => {{
        checked!(input $name);
        // SAFETY: the DDI: what the argument leads to lives during the call, as it says.
        Box::new(unsafe { $name.recorded($owner) }?)
    }};
    ($owner:ident optional_deep $name:ident) => {{
        checked!(optional $name);
        // SAFETY: the DDI: what the argument leads to lives during the call, as it says.
        $name.map(|it| unsafe { it.recorded($owner) }).transpose()?.map(Box::new)
    }};
    ($owner:ident deep_array $name:ident $count:ident) => {{
        checked!(array $name $count);
        // SAFETY: the DDI: what the argument leads to lives during the call, as it says.
        Box::new(unsafe { values::values($name, $owner) }?)
    }};
    ($owner:ident deep_value $name:ident) => {
        // SAFETY: the DDI: what the argument leads to lives during the call, as it says.
        Box::new(unsafe { $name.recorded($owner) }?)
    };
    ($owner:ident session $name:ident) => { memory::no_session($name)? };
    ($owner:ident bytes $name:ident $count:ident) => {{
        let $name: *const u8 = $name.cast();
        checked!(array $name $count);
        Box::from($name)
    }};
    ($owner:ident array $name:ident $count:ident) => {{ checked!(array $name $count); Box::from($name) }};
    ($owner:ident optional_array $name:ident $count:ident) => {{
        checked!(optional_array $name $count);
        $name.map(Box::from)
    }};
    ($owner:ident object $name:ident => $object:ty) => { $owner.id_of::<$object>($name)? };
    ($owner:ident optional_object $name:ident => $object:ty) => { $owner.optional_id_of::<$object>($name)? };
    ($owner:ident object_array $name:ident $count:ident => $object:ty) => {{
        checked!(array_mut $name $count);
        $name
            .iter()
            .map(|handle| $owner.id_of::<$object>(handle.pDrvPrivate).map_err(Error::from))
            .collect::<Result<Box<[_]>>>()?
    }};
    ($owner:ident placement $name:ident) => { Placement::new($owner, &$name)? };
    ($owner:ident placement_at $name:ident) => {{
        checked!(optional $name);
        $name.map(|it| Placement::new($owner, it)).transpose()?.map(Box::new)
    }};
    // One handle stands for a range of them when the host says so.
    ($owner:ident target_array $name:ident $count:ident $single:ident) => {{
        let handles = if $single == FALSE { $count } else { $count.min(1) };
        checked!(array $name handles);
        Box::from($name)
    }};
    ($owner:ident positions $name:ident $samples:ident $pixels:ident) => {{
        let count = u64::from($samples) * u64::from($pixels);
        checked!(array_mut $name count);
        Box::from($name)
    }};
    // Two of them, or null.
    ($owner:ident combiners $name:ident) => {{
        let two = 2_u32;
        checked!(optional_array $name two);
        $name.map(Box::from)
    }};
}

fn four_of<T: Copy>(slice: &[T]) -> [T; 4] {
    [slice[0], slice[1], slice[2], slice[3]]
}

/// The entry around the runtime, for rows that have one.
macro_rules! bypass_entry {
    (normal $($rest:tt)*) => {};
    (bypass $variant:ident $name:ident (
        $($kind:ident $arg:ident: $ty:ty $(; $api:ty)? $([$($count:ident),+])? $(=> $object:ty)?),*
    )) => {
        pub(crate) unsafe extern "system" fn $name(
            list: D3D12DDI_API_HCOMMANDLIST $(, $arg: of_bypass!($kind $ty $(; $api)?))*
        ) {
            // SAFETY: the DDI: an object of the application begins with a header.
            let list = unsafe { driver_object(list.pDrvPrivate) };
            $(let $arg = of_application!($kind $arg);)*
            // SAFETY: the arguments are the caller's.
            unsafe { super::$name(list $(, $arg)*) }
        }
    };
}

macro_rules! commands {
    ($(
        $mode:ident $variant:ident $name:ident $slot:literal (
            $($kind:ident $arg:ident: $ty:ty $(; $api:ty)? $([$($count:ident),+])? $(=> $object:ty)?),* $(,)?
        )
    )*) => {
        /// A recorded call. What leads to more (structures with pointers, handles or unions) is a JSON value with all of it in
        /// its place; handles are the numbers of objects.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)] // The arguments have the names of the DDI.
        #[non_exhaustive]
        pub enum Command {
            $($variant { $($arg: owned!($kind $ty)),* },)*
            Present { queue: ObjectId, arguments: Option<Box<Value>> },
            ExecuteMetaCommand { command: ObjectId, parameters: Box<Value> },
            BeginRenderPass { render_targets: UINT, depth_stencil: bool, flags: D3D12DDIARG_RENDER_PASS_FLAGS_0053 },
            EndRenderPass {},
        }

        impl Command {
            /// The table's member.
            pub fn slot(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $slot,)*
                    Self::Present { .. } => "pfnPresent",
                    Self::ExecuteMetaCommand { .. } => "pfnExecuteMetaCommand",
                    Self::BeginRenderPass { .. } => "pfnBeginRenderPass",
                    Self::EndRenderPass {} => "pfnEndRenderPass",
                }
            }

            /// The call and the values of its arguments.
            pub(crate) fn json(&self) -> Value {
                let mut map = Map::new();
                let mut add = |name: &str, value: Value| map.insert(name.into(), value);
                match self {
                    $(Self::$variant { $($arg),* } => { $(add(stringify!($arg), $arg.json());)* })*
                    Self::Present { queue, arguments } => {
                        add("queue", queue.json());
                        add("arguments", arguments.json());
                    }
                    Self::ExecuteMetaCommand { command, parameters } => {
                        add("command", command.json());
                        add("parameters", parameters.json());
                    }
                    Self::BeginRenderPass { render_targets, depth_stencil, flags } => {
                        add("render_targets", render_targets.json());
                        add("depth_stencil", depth_stencil.json());
                        add("flags", flags.json());
                    }
                    Self::EndRenderPass {} => {}
                }
                serde_json::json!({ "call": self.slot(), "arguments": map })
            }

            /// The slots that have an entry around the runtime.
            pub const BYPASS: &'static [&'static str] = &[$(bypass_slot!($mode $slot)),*];
        }

        $(
            /// # Safety
            ///
            /// The arguments are as the DDI says.
            #[allow(clippy::too_many_arguments)] // The DDI's.
            #[allow(clippy::inline_always)] // Both entries are this code.
            #[inline(always)]
            unsafe fn $name(list: *mut c_void $(, $arg: passed!($kind $ty))*) {
                record($slot, list, |owner| {
                    _ = owner;
                    Ok(Command::$variant {
                        $($arg: recorded!(owner $kind $arg $($($count)+)? $(=> $object)?)),*
                    })
                });
            }
        )*

        /// The entries that take the driver's handles.
        pub(crate) mod normal {
            #[allow(clippy::wildcard_imports)]
            use super::*;
            $(
                pub(crate) unsafe extern "system" fn $name(
                    list: D3D12DDI_HCOMMANDLIST $(, $arg: listed!($kind $ty))*
                ) {
                    // SAFETY: the arguments are the caller's.
                    unsafe { super::$name(list.pDrvPrivate $(, of_driver!($kind $arg))*) }
                }
            )*
        }

        /// The entries that take the application's handles.
        pub(crate) mod bypass {
            #[allow(clippy::wildcard_imports)]
            use super::*;
            $(bypass_entry! { $mode $variant $name (
                $($kind $arg: $ty $(; $api)? $([$($count),+])? $(=> $object)?),*
            ) })*
        }
    };
}

/// The slot, or nothing when there is no entry around the runtime.
macro_rules! bypass_slot {
    (normal $slot:literal) => {
        ""
    };
    (bypass $slot:literal) => {
        $slot
    };
}

commands! {
    bypass DrawInstanced draw_instanced "pfnDrawInstanced" (
        value vertex_count: UINT, value instance_count: UINT, value start_vertex: UINT, value start_instance: UINT,
    )
    bypass DrawIndexedInstanced draw_indexed_instanced "pfnDrawIndexedInstanced" (
        value index_count: UINT, value instance_count: UINT, value start_index: UINT,
        value base_vertex: INT, value start_instance: UINT,
    )
    bypass Dispatch dispatch "pfnDispatch" (value x: UINT, value y: UINT, value z: UINT)
    normal ClearUnorderedAccessViewUint clear_unordered_access_view_uint "pfnClearUnorderedAccessViewUint" (
        value gpu_view: D3D12DDI_GPU_DESCRIPTOR_HANDLE, value cpu_view: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        object resource: D3D12DDI_HRESOURCE => Resource, uints values: UINT,
        value num_rects: UINT, array rects: D3D12DDI_RECT[num_rects],
    )
    normal ClearUnorderedAccessViewFloat clear_unordered_access_view_float "pfnClearUnorderedAccessViewFloat" (
        value gpu_view: D3D12DDI_GPU_DESCRIPTOR_HANDLE, value cpu_view: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        object resource: D3D12DDI_HRESOURCE => Resource, floats values: FLOAT,
        value num_rects: UINT, array rects: D3D12DDI_RECT[num_rects],
    )
    normal ClearRenderTargetView clear_render_target_view "pfnClearRenderTargetView" (
        value view: D3D12DDI_CPU_DESCRIPTOR_HANDLE, floats color: FLOAT,
        value num_rects: UINT, array rects: D3D12DDI_RECT[num_rects],
    )
    normal ClearDepthStencilView clear_depth_stencil_view "pfnClearDepthStencilView" (
        value view: D3D12DDI_CPU_DESCRIPTOR_HANDLE, value flags: UINT, value depth: FLOAT, value stencil: UINT8,
        value num_rects: UINT, array rects: D3D12DDI_RECT[num_rects],
    )
    normal DiscardResource discard_resource "pfnDiscardResource" (
        object resource: D3D12DDI_HRESOURCE => Resource, optional_deep region: D3D12DDIARG_DISCARD_RESOURCE_0003,
    )
    normal CopyTextureRegion copy_texture_region "pfnCopyTextureRegion" (
        placement_at destination_buffer: D3D12DDIARG_BUFFER_PLACEMENT,
        deep_value destination: D3D12DDIARG_PLACED_RESOURCE, value x: UINT, value y: UINT, value z: UINT,
        placement_at source_buffer: D3D12DDIARG_BUFFER_PLACEMENT,
        deep_value source: D3D12DDIARG_PLACED_RESOURCE, optional_deep source_box: D3D12DDI_BOX,
    )
    normal ResourceCopy resource_copy "pfnResourceCopy" (
        object destination: D3D12DDI_HRESOURCE => Resource, object source: D3D12DDI_HRESOURCE => Resource,
    )
    normal CopyTiles copy_tiles "pfnCopyTiles" (
        object resource: D3D12DDI_HRESOURCE => Resource, optional_deep start: D3D12DDI_TILED_RESOURCE_COORDINATE,
        optional_deep size: D3D12DDI_TILE_REGION_SIZE, object buffer: D3D12DDI_HRESOURCE => Resource,
        value offset: UINT64, value flags: D3D12DDI_TILE_COPY_FLAGS,
    )
    normal CopyBufferRegion copy_buffer_region "pfnCopyBufferRegion" (
        placement destination: D3D12DDIARG_BUFFER_PLACEMENT, placement source: D3D12DDIARG_BUFFER_PLACEMENT,
        value bytes: UINT64,
    )
    normal ResourceResolveSubresource resource_resolve_subresource "pfnResourceResolveSubresource" (
        object destination: D3D12DDI_HRESOURCE => Resource, value destination_subresource: UINT,
        object source: D3D12DDI_HRESOURCE => Resource, value source_subresource: UINT, value format: DXGI_FORMAT,
    )
    normal ExecuteBundle execute_bundle "pfnExecuteBundle" (
        object bundle: D3D12DDI_HCOMMANDLIST => CommandList,
    )
    normal ExecuteIndirect execute_indirect "pfnExecuteIndirect" (
        object signature: D3D12DDI_HCOMMANDSIGNATURE => CommandSignature, value max_count: UINT,
        placement arguments: D3D12DDIARG_BUFFER_PLACEMENT, placement count: D3D12DDIARG_BUFFER_PLACEMENT,
    )
    normal ResourceBarrier resource_barrier "pfnResourceBarrier" (
        value count: UINT, deep_array barriers: D3D12DDIARG_RESOURCE_BARRIER_0022[count],
    )
    normal Blt blt "pfnBlt" (deep arguments: D3D12DDIARG_BLT)
    normal BeginQuery begin_query "pfnBeginQuery" (
        object heap: D3D12DDI_HQUERYHEAP => QueryHeap, value query_type: D3D12DDI_QUERY_TYPE, value index: UINT,
    )
    normal EndQuery end_query "pfnEndQuery" (
        object heap: D3D12DDI_HQUERYHEAP => QueryHeap, value query_type: D3D12DDI_QUERY_TYPE, value index: UINT,
    )
    normal ResolveQueryData resolve_query_data "pfnResolveQueryData" (
        object heap: D3D12DDI_HQUERYHEAP => QueryHeap, value query_type: D3D12DDI_QUERY_TYPE, value start: UINT,
        value count: UINT, object destination: D3D12DDI_HRESOURCE => Resource, value offset: UINT64,
    )
    normal SetPredication set_predication "pfnSetPredication" (
        optional_object buffer: D3D12DDI_HRESOURCE => Resource, value offset: UINT64,
        value operation: D3D12DDI_PREDICATION_OP,
    )
    bypass IaSetTopology ia_set_topology "pfnIaSetTopology" (value topology: D3D12DDI_PRIMITIVE_TOPOLOGY)
    bypass RsSetViewports rs_set_viewports "pfnRsSetViewports" (
        value count: UINT, array viewports: D3D12DDI_VIEWPORT[count],
    )
    bypass RsSetScissorRects rs_set_scissor_rects "pfnRsSetScissorRects" (
        value count: UINT, array rects: D3D12DDI_RECT[count],
    )
    bypass OmSetBlendFactor om_set_blend_factor "pfnOmSetBlendFactor" (floats_or_ones factor: FLOAT)
    bypass OmSetStencilRef om_set_stencil_ref "pfnOmSetStencilRef" (value reference: UINT)
    bypass SetPipelineState set_pipeline_state "pfnSetPipelineState" (
        object pipeline: D3D12DDI_HPIPELINESTATE; D3D12DDI_API_HPIPELINESTATE => PipelineState,
    )
    normal SetDescriptorHeaps set_descriptor_heaps "pfnSetDescriptorHeaps" (
        value count: UINT, object_array heaps: D3D12DDI_HDESCRIPTORHEAP[count] => DescriptorHeap,
    )
    bypass SetComputeRootSignature set_compute_root_signature "pfnSetComputeRootSignature" (
        optional_object signature: D3D12DDI_HROOTSIGNATURE; D3D12DDI_API_HROOTSIGNATURE => RootSignature,
    )
    bypass SetGraphicsRootSignature set_graphics_root_signature "pfnSetGraphicsRootSignature" (
        optional_object signature: D3D12DDI_HROOTSIGNATURE; D3D12DDI_API_HROOTSIGNATURE => RootSignature,
    )
    bypass SetComputeRootDescriptorTable set_compute_root_descriptor_table "pfnSetComputeRootDescriptorTable" (
        value parameter: UINT, value base: D3D12DDI_GPU_DESCRIPTOR_HANDLE,
    )
    bypass SetGraphicsRootDescriptorTable set_graphics_root_descriptor_table "pfnSetGraphicsRootDescriptorTable" (
        value parameter: UINT, value base: D3D12DDI_GPU_DESCRIPTOR_HANDLE,
    )
    bypass SetComputeRoot32BitConstant set_compute_root_32bit_constant "pfnSetComputeRoot32BitConstant" (
        value parameter: UINT, value data: UINT, value offset: UINT,
    )
    bypass SetGraphicsRoot32BitConstant set_graphics_root_32bit_constant "pfnSetGraphicsRoot32BitConstant" (
        value parameter: UINT, value data: UINT, value offset: UINT,
    )
    bypass SetComputeRoot32BitConstants set_compute_root_32bit_constants "pfnSetComputeRoot32BitConstants" (
        value parameter: UINT, value count: UINT, words data: c_void[count], value offset: UINT,
    )
    bypass SetGraphicsRoot32BitConstants set_graphics_root_32bit_constants "pfnSetGraphicsRoot32BitConstants" (
        value parameter: UINT, value count: UINT, words data: c_void[count], value offset: UINT,
    )
    bypass SetComputeRootConstantBufferView set_compute_root_constant_buffer_view "pfnSetComputeRootConstantBufferView" (
        value parameter: UINT, value location: D3D12DDI_GPU_VIRTUAL_ADDRESS,
    )
    bypass SetGraphicsRootConstantBufferView set_graphics_root_constant_buffer_view "pfnSetGraphicsRootConstantBufferView" (
        value parameter: UINT, value location: D3D12DDI_GPU_VIRTUAL_ADDRESS,
    )
    bypass SetComputeRootShaderResourceView set_compute_root_shader_resource_view "pfnSetComputeRootShaderResourceView" (
        value parameter: UINT, value location: D3D12DDI_GPU_VIRTUAL_ADDRESS,
    )
    bypass SetGraphicsRootShaderResourceView set_graphics_root_shader_resource_view "pfnSetGraphicsRootShaderResourceView" (
        value parameter: UINT, value location: D3D12DDI_GPU_VIRTUAL_ADDRESS,
    )
    bypass SetComputeRootUnorderedAccessView set_compute_root_unordered_access_view "pfnSetComputeRootUnorderedAccessView" (
        value parameter: UINT, value location: D3D12DDI_GPU_VIRTUAL_ADDRESS,
    )
    bypass SetGraphicsRootUnorderedAccessView set_graphics_root_unordered_access_view "pfnSetGraphicsRootUnorderedAccessView" (
        value parameter: UINT, value location: D3D12DDI_GPU_VIRTUAL_ADDRESS,
    )
    bypass IASetIndexBuffer ia_set_index_buffer "pfnIASetIndexBuffer" (
        optional view: D3D12DDI_INDEX_BUFFER_VIEW,
    )
    bypass IASetVertexBuffers ia_set_vertex_buffers "pfnIASetVertexBuffers" (
        value start_slot: UINT, value count: UINT, optional_array views: D3D12DDI_VERTEX_BUFFER_VIEW[count],
    )
    bypass SOSetTargets so_set_targets "pfnSOSetTargets" (
        value start_slot: UINT, value count: UINT, optional_array views: D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW[count],
    )
    bypass OMSetRenderTargets om_set_render_targets "pfnOMSetRenderTargets" (
        value count: UINT, target_array targets: D3D12DDI_CPU_DESCRIPTOR_HANDLE[count, single],
        value single: BOOL, optional depth_stencil: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    )
    normal SetMarker set_marker "pfnSetMarker" (value marker: UINT64)
    normal ClearRootArguments clear_root_arguments "pfnClearRootArguments" ()
    normal AtomicCopyBufferRegion atomic_copy_buffer_region "pfnAtomicCopyBufferRegion" (
        placement destination: D3D12DDIARG_BUFFER_PLACEMENT, placement source: D3D12DDIARG_BUFFER_PLACEMENT,
        value bytes: UINT64,
    )
    bypass OMSetDepthBounds om_set_depth_bounds "pfnOMSetDepthBounds" (value min: FLOAT, value max: FLOAT)
    bypass SetSamplePositions set_sample_positions "pfnSetSamplePositions" (
        value samples: UINT, value pixels: UINT, positions positions: D3D12DDI_SAMPLE_POSITION[samples, pixels],
    )
    normal SetProtectedResourceSession set_protected_resource_session "pfnSetProtectedResourceSession" (
        session session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    )
    normal WriteBufferImmediate write_buffer_immediate "pfnWriteBufferImmediate" (
        value count: UINT, array parameters: D3D12DDI_WRITEBUFFERIMMEDIATE_PARAMETER_0032[count],
        optional_array modes: D3D12DDI_WRITEBUFFERIMMEDIATE_MODE_0032[count],
    )
    bypass SetViewInstanceMask set_view_instance_mask "pfnSetViewInstanceMask" (value mask: UINT)
    normal InitializeMetaCommand initialize_meta_command "pfnInitializeMetaCommand" (
        object command: D3D12DDI_HMETACOMMAND_0052 => MetaCommand, bytes parameters: c_void[size], value size: SIZE_T,
    )
    normal BuildRaytracingAccelerationStructure build_raytracing_acceleration_structure
        "pfnBuildRaytracingAccelerationStructure" (
        deep arguments: D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054,
    )
    normal EmitRaytracingAccelerationStructurePostbuildInfo emit_raytracing_acceleration_structure_postbuild_info
        "pfnEmitRaytracingAccelerationStructurePostbuildInfo" (
        deep arguments: D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054,
    )
    normal CopyRaytracingAccelerationStructure copy_raytracing_acceleration_structure
        "pfnCopyRaytracingAccelerationStructure" (
        deep arguments: D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054,
    )
    bypass SetPipelineState1 set_pipeline_state1 "pfnSetPipelineState1" (
        object state_object: D3D12DDI_HSTATEOBJECT_0054; D3D12DDI_API_HSTATEOBJECT => StateObject,
    )
    bypass DispatchRays dispatch_rays "pfnDispatchRays" (boxed arguments: D3D12DDIARG_DISPATCH_RAYS_0054)
    bypass RSSetShadingRate rs_set_shading_rate "pfnRSSetShadingRate" (
        value rate: D3D12DDI_SHADING_RATE_0062, combiners combiners: D3D12DDI_SHADING_RATE_COMBINER_0062,
    )
    normal RSSetShadingRateImage rs_set_shading_rate_image "pfnRSSetShadingRateImage" (
        optional_object image: D3D12DDI_HRESOURCE => Resource,
    )
    bypass DispatchMesh dispatch_mesh "pfnDispatchMesh" (value x: UINT, value y: UINT, value z: UINT)
    normal Barrier barrier "pfnBarrier" (
        value count: UINT32, deep_array barriers: D3D12DDIARG_BARRIER_0094[count],
    )
    bypass OmSetFrontAndBackStencilRef om_set_front_and_back_stencil_ref "pfnOmSetFrontAndBackStencilRef" (
        value front: UINT, value back: UINT,
    )
    bypass RSSetDepthBias rs_set_depth_bias "pfnRSSetDepthBias" (
        value bias: FLOAT, value clamp: FLOAT, value slope_scaled: FLOAT,
    )
    bypass IASetIndexBufferStripCutValue ia_set_index_buffer_strip_cut_value "pfnIASetIndexBufferStripCutValue" (
        value cut_value: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    )
    bypass SetProgram set_program "pfnSetProgram" (deep desc: D3D12DDI_SET_PROGRAM_DESC_0108)
    bypass DispatchGraph dispatch_graph "pfnDispatchGraph" (deep desc: D3D12DDI_DISPATCH_GRAPH_DESC_0108)
}

/// A command list.
pub(crate) struct CommandList {
    device: Arc<Device>,
    runtime: ListRuntime,
    state: Mutex<State>,
}

impl Object for CommandList {
    const KIND: &'static str = "command list";
}

impl First for CommandList {}

#[derive(Default)]
struct State {
    commands: Vec<Command>,
    open: bool,
    /// The first failure since the last reset.
    error: Option<HRESULT>,
}

/// What a list has recorded since its last reset.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recording {
    /// The calls.
    pub commands: Vec<Command>,
    /// Whether it is not closed.
    pub open: bool,
    /// The first failure, which the host was told by `pfnSetCommandListErrorCb`.
    pub error: Option<HRESULT>,
}

impl CommandList {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    #[allow(clippy::inline_always)] // As for `record`.
    #[inline(always)]
    fn push(&self, command: Command) -> Result<()> {
        let mut state = self.lock();
        if !state.open {
            return Err(closed());
        }
        state.commands.push(command);
        Ok(())
    }

    fn fail(&self, result: HRESULT) {
        self.lock().error.get_or_insert(result);
        self.device.report_list(self.runtime, result);
    }

    pub(crate) fn recording(&self) -> Recording {
        let state = self.lock();
        Recording {
            commands: state.commands.clone(),
            open: state.open,
            error: state.error,
        }
    }
}

#[cold]
fn closed() -> Error {
    Error::new(DXGI_ERROR_INVALID_CALL, "the command list is closed")
}

/// Records a command, or tells the host that the list cannot be used. There is nobody to tell when there is no
/// such list.
#[allow(clippy::inline_always)] // A command is made where it is stored.
#[inline(always)]
fn record(slot: &'static str, list: *mut c_void, command: impl FnOnce(&Owner) -> Result<Command>) {
    let recorded = boundary::run(slot, || {
        let owner = Owner::default();
        // First: the handles of its arguments are looked up too.
        let command = command(&owner)?;
        handles::with::<CommandList, _>(list, |found, _, device| {
            owner.check::<CommandList>(device, list)?;
            found.push(command)
        })?
    });
    if let Err(error) = recorded {
        failed(slot, list, &error);
    }
}

#[cold]
fn failed(slot: &'static str, list: *mut c_void, error: &Error) {
    let found = handles::get::<CommandList>(list).ok();
    let subject = handles::subject::<CommandList>(list);
    trace::call(slot, subject, error.result, Some(&error.message));
    if let Some(list) = found {
        list.fail(error.result);
    }
}

/// Runs a function of a list that is not recorded.
fn on_list(
    slot: &'static str,
    list: D3D12DDI_HCOMMANDLIST,
    body: impl FnOnce(&Arc<CommandList>) -> Result<()>,
) {
    let list = list.pDrvPrivate;
    let done = boundary::run(slot, || body(&handles::get::<CommandList>(list)?));
    match done {
        Ok(()) => trace::call(slot, handles::subject::<CommandList>(list), S_OK, None),
        Err(error) => failed(slot, list, &error),
    }
}

/// `pfnCloseCommandList`.
pub(crate) unsafe extern "system" fn close(list: D3D12DDI_HCOMMANDLIST) {
    on_list("pfnCloseCommandList", list, |list| {
        let was_open = std::mem::replace(&mut list.lock().open, false);
        if was_open { Ok(()) } else { Err(closed()) }
    });
}

/// `pfnResetCommandList`.
pub(crate) unsafe extern "system" fn reset(
    list: D3D12DDI_HCOMMANDLIST,
    arguments: *const D3D12DDIARG_RESETCOMMANDLIST_0040,
) {
    on_list("pfnResetCommandList", list, |list| {
        checked!(input arguments);
        let recorder = arguments.hDrvCommandRecorder.pDrvPrivate;
        let recorder = list.device.owner().get::<CommandRecorder>(recorder)?;
        if recorder.pool().is_none() {
            return Err(Error::invalid("the command recorder has no command pool"));
        }
        let mut state = list.lock();
        if state.open {
            return Err(Error::new(
                DXGI_ERROR_INVALID_CALL,
                "the command list is not closed",
            ));
        }
        // The memory stays for the next frame.
        state.commands.clear();
        state.open = true;
        state.error = None;
        Ok(())
    });
}

/// `pfnExecuteMetaCommand`: what it does, it does while it is recorded.
pub(crate) unsafe extern "system" fn execute_meta_command(
    list: D3D12DDI_HCOMMANDLIST,
    command: D3D12DDI_HMETACOMMAND_0052,
    parameters: *const c_void,
    size: SIZE_T,
) {
    on_list("pfnExecuteMetaCommand", list, |list| {
        let owner = list.device.owner();
        let id = owner.id_of::<MetaCommand>(command.pDrvPrivate)?;
        let command = owner.get::<MetaCommand>(command.pDrvPrivate)?;
        if !list.lock().open {
            return Err(closed());
        }
        // SAFETY: the DDI: the parameters have this size, and are those of the command.
        let parameters =
            unsafe { meta_command::execute(&list.device, &command, parameters, size) }?;
        list.push(Command::ExecuteMetaCommand {
            command: id,
            parameters: Box::new(parameters),
        })
    });
}

/// `pfnOmSetAlphaBlendFactor`: VulkanOn12.md says that no host calls it, and its parameters are not
/// public.
pub(crate) unsafe extern "system" fn om_set_alpha_blend_factor() {}

/// `pfnResourceResolveSubresourceRegion`: not recorded, because only its first two parameters are certain.
pub(crate) unsafe extern "system" fn resource_resolve_subresource_region(
    list: D3D12DDI_HCOMMANDLIST,
    destination: D3D12DDI_HRESOURCE,
    _destination_subresource: UINT,
    _x: UINT,
    _y: UINT,
    _source: D3D12DDI_HRESOURCE,
    _source_subresource: UINT,
    _rect: *mut D3D12DDI_RECT,
    _format: DXGI_FORMAT,
    _mode: D3D12DDI_RESOLVE_MODE,
) {
    on_list("pfnResourceResolveSubresourceRegion", list, |list| {
        list.device
            .owner()
            .id_of::<Resource>(destination.pDrvPrivate)?;
        Ok(())
    });
}

/// Where the memory of commands comes from.
pub(crate) struct CommandPool;

impl Object for CommandPool {
    const KIND: &'static str = "command pool";
}

/// What lists record with.
#[derive(Default)]
pub(crate) struct CommandRecorder(Mutex<Option<ObjectId>>);

impl Object for CommandRecorder {
    const KIND: &'static str = "command recorder";
}

impl CommandRecorder {
    fn pool(&self) -> Option<ObjectId> {
        *self.0.lock()
    }
}

device_slots! {
    calc_private_command_list_size = "pfnCalcPrivateCommandListSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_COMMAND_LIST_0040,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    // A list is created closed, and opened by its first reset: that is what names its recorder.
    create_command_list = "pfnCreateCommandList"(
        device,
        input _desc: D3D12DDIARG_CREATE_COMMAND_LIST_0040,
        private list: D3D12DDI_HCOMMANDLIST,
        value runtime: D3D12DDI_HRTCOMMANDLIST,
    ) -> HRESULT {
        list.create(device, || Ok(CommandList {
            device: Arc::clone(device),
            runtime: ListRuntime(runtime),
            state: Mutex::default(),
        }))?;
        S_OK
    }

    destroy_command_list = "pfnDestroyCommandList"(device, value list: D3D12DDI_HCOMMANDLIST) {
        device.owner().remove::<CommandList>(list.pDrvPrivate)?;
    }

    calc_private_command_pool_size = "pfnCalcPrivateCommandPoolSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_COMMAND_POOL_0040,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_command_pool = "pfnCreateCommandPool"(
        device,
        input _desc: D3D12DDIARG_CREATE_COMMAND_POOL_0040,
        private pool: D3D12DDI_HCOMMANDPOOL_0040,
    ) -> HRESULT {
        pool.create(device, || Ok(CommandPool))?;
        S_OK
    }

    destroy_command_pool = "pfnDestroyCommandPool"(device, value pool: D3D12DDI_HCOMMANDPOOL_0040) {
        device.owner().remove::<CommandPool>(pool.pDrvPrivate)?;
    }

    // Lists own what they have recorded.
    reset_command_pool = "pfnResetCommandPool"(device, value pool: D3D12DDI_HCOMMANDPOOL_0040) {
        device.owner().get::<CommandPool>(pool.pDrvPrivate)?;
    }

    calc_private_command_recorder_size = "pfnCalcPrivateCommandRecorderSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_COMMAND_RECORDER_0040,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_command_recorder = "pfnCreateCommandRecorder"(
        device,
        input _desc: D3D12DDIARG_CREATE_COMMAND_RECORDER_0040,
        private recorder: D3D12DDI_HCOMMANDRECORDER_0040,
    ) -> HRESULT {
        recorder.create(device, || Ok(CommandRecorder::default()))?;
        S_OK
    }

    destroy_command_recorder = "pfnDestroyCommandRecorder"(device, value recorder: D3D12DDI_HCOMMANDRECORDER_0040) {
        device.owner().remove::<CommandRecorder>(recorder.pDrvPrivate)?;
    }

    command_recorder_set_command_pool_as_target = "pfnCommandRecorderSetCommandPoolAsTarget"(
        device, value recorder: D3D12DDI_HCOMMANDRECORDER_0040, value pool: D3D12DDI_HCOMMANDPOOL_0040,
    ) {
        let pool = device.owner().id_of::<CommandPool>(pool.pDrvPrivate)?;
        let recorder = device.owner().get::<CommandRecorder>(recorder.pDrvPrivate)?;
        *recorder.0.lock() = Some(pool);
    }
}

/// A command queue.
pub(crate) struct CommandQueue {
    device: Arc<Device>,
    executed: Mutex<Vec<ObjectId>>,
}

impl Object for CommandQueue {
    const KIND: &'static str = "command queue";
}

impl First for CommandQueue {}

impl CommandQueue {
    /// The lists that it was given, in order.
    pub(crate) fn executed(&self) -> Vec<ObjectId> {
        self.executed.lock().clone()
    }
}

device_slots! {
    calc_private_command_queue_size = "pfnCalcPrivateCommandQueueSize"(
        _device, value _desc: *const D3D12DDIARG_CREATECOMMANDQUEUE_0050,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_command_queue = "pfnCreateCommandQueue"(
        device,
        input desc: D3D12DDIARG_CREATECOMMANDQUEUE_0050,
        private queue: D3D12DDI_HCOMMANDQUEUE,
        value _runtime: D3D12DDI_HRTCOMMANDQUEUE,
    ) -> HRESULT {
        device.owner().optional::<SchedulingGroup>(desc.SchedulingGroup.pDrvPrivate)?;
        queue.create(device, || Ok(CommandQueue {
            device: Arc::clone(device),
            executed: Mutex::default(),
        }))?;
        S_OK
    }

    destroy_command_queue = "pfnDestroyCommandQueue"(device, value queue: D3D12DDI_HCOMMANDQUEUE) {
        device.owner().remove::<CommandQueue>(queue.pDrvPrivate)?;
    }
}

/// Runs a function of a queue; a failure is the device's.
fn on_queue(
    slot: &'static str,
    queue: D3D12DDI_HCOMMANDQUEUE,
    body: impl FnOnce(&CommandQueue) -> Result<()>,
) {
    let queue = handles::get::<CommandQueue>(queue.pDrvPrivate);
    let device = queue.as_ref().ok().map(|queue| Arc::clone(&queue.device));
    boundary::call(
        slot,
        device
            .as_ref()
            .map_or(Subject::None, |device| Subject::Device(device.id())),
        |result| {
            if let Some(device) = &device {
                device.report(result);
            }
        },
        || body(&*queue?),
    );
}

/// `pfnExecuteCommandLists`: notes the lists; the work of a GPU is not simulated.
pub(crate) unsafe extern "system" fn execute_command_lists(
    queue: D3D12DDI_HCOMMANDQUEUE,
    count: UINT,
    lists: *const D3D12DDI_HCOMMANDLIST,
) {
    on_queue("pfnExecuteCommandLists", queue, |queue| {
        checked!(array lists count);
        queue.device.execute()?;
        let owner = queue.device.owner();
        let mut executed = Vec::new();
        for list in lists {
            let id = owner.id_of::<CommandList>(list.pDrvPrivate)?;
            let list = owner.get::<CommandList>(list.pDrvPrivate)?;
            let state = list.lock();
            if state.open {
                return Err(Error::new(
                    DXGI_ERROR_INVALID_CALL,
                    "a command list is not closed",
                ));
            }
            if let Some(error) = state.error {
                return Err(Error::new(error, "a command list has failed"));
            }
            executed.push(id);
        }
        let mut all = queue.executed.lock();
        all.append(&mut executed);
        Ok(())
    });
}

/// `pfnUpdateTileMappings`: no tile is mapped.
pub(crate) unsafe extern "system" fn update_tile_mappings(
    queue: D3D12DDI_HCOMMANDQUEUE,
    resource: D3D12DDI_HRESOURCE,
    _regions: UINT,
    _starts: *const D3D12DDI_TILED_RESOURCE_COORDINATE,
    _sizes: *const D3D12DDI_TILE_REGION_SIZE,
    heap: D3D12DDI_HHEAP,
    _ranges: UINT,
    _flags: *const D3D12DDI_TILE_RANGE_FLAGS,
    _offsets: *const UINT,
    _counts: *const UINT,
    _mapping: D3D12DDI_TILE_MAPPING_FLAGS,
) {
    on_queue("pfnUpdateTileMappings", queue, |queue| {
        let owner = queue.device.owner();
        owner.id_of::<Resource>(resource.pDrvPrivate)?;
        owner.optional_id_of::<Heap>(heap.pDrvPrivate)?;
        Ok(())
    });
}

/// `pfnCopyTileMappings`: no tile is mapped.
pub(crate) unsafe extern "system" fn copy_tile_mappings(
    queue: D3D12DDI_HCOMMANDQUEUE,
    destination: D3D12DDI_HRESOURCE,
    _start: *const D3D12DDI_TILED_RESOURCE_COORDINATE,
    source: D3D12DDI_HRESOURCE,
    _source_start: *const D3D12DDI_TILED_RESOURCE_COORDINATE,
    _size: *const D3D12DDI_TILE_REGION_SIZE,
    _flags: D3D12DDI_TILE_MAPPING_FLAGS,
) {
    on_queue("pfnCopyTileMappings", queue, |queue| {
        let owner = queue.device.owner();
        owner.id_of::<Resource>(destination.pDrvPrivate)?;
        owner.id_of::<Resource>(source.pDrvPrivate)?;
        Ok(())
    });
}

/// `pfnSignalFence`: all work is done at once.
pub(crate) unsafe extern "system" fn signal_fence(
    queue: D3D12DDI_HCOMMANDQUEUE,
    operation: *mut D3D12DDIARG_FENCE_OPERATION,
) {
    on_queue("pfnSignalFence", queue, |queue| {
        checked!(input_mut operation);
        queue
            .device
            .owner()
            .id_of::<Fence>(operation.Fence.pDrvPrivate)?;
        Ok(())
    });
}

/// `pfnWaitForFence`: nothing is ever waited for.
pub(crate) unsafe extern "system" fn wait_for_fence(
    queue: D3D12DDI_HCOMMANDQUEUE,
    operation: *mut D3D12DDIARG_FENCE_OPERATION,
) {
    on_queue("pfnWaitForFence", queue, |queue| {
        checked!(input_mut operation);
        queue
            .device
            .owner()
            .id_of::<Fence>(operation.Fence.pDrvPrivate)?;
        Ok(())
    });
}

/// `pfnPresent`: nothing is shown.
pub(crate) unsafe extern "system" fn present(
    list: D3D12DDI_HCOMMANDLIST,
    queue: D3D12DDI_HCOMMANDQUEUE,
    arguments: *const D3D12DDIARG_PRESENT_0001,
    _present: *mut D3D12DDI_PRESENT_0051,
    _contexts: *mut D3D12DDI_PRESENT_CONTEXTS_0051,
    _queues: *mut D3D12DDI_PRESENT_HWQUEUES_0051,
) {
    record("pfnPresent", list.pDrvPrivate, |owner| {
        Ok(Command::Present {
            queue: owner.id_of::<CommandQueue>(queue.pDrvPrivate)?,
            arguments: recorded!(owner optional_deep arguments),
        })
    });
}

/// `pfnBeginRenderPass`.
pub(crate) unsafe extern "system" fn begin_render_pass(
    list: D3D12DDI_HCOMMANDLIST,
    count: UINT,
    _targets: *const D3D12DDIARG_RENDER_PASS_RENDER_TARGET_DESC_0053,
    depth_stencil: *const D3D12DDIARG_RENDER_PASS_DEPTH_STENCIL_DESC_0053,
    flags: D3D12DDIARG_RENDER_PASS_FLAGS_0053,
) {
    record("pfnBeginRenderPass", list.pDrvPrivate, |_| {
        Ok(Command::BeginRenderPass {
            render_targets: count,
            depth_stencil: !depth_stencil.is_null(),
            flags,
        })
    });
}

/// `pfnEndRenderPass`.
pub(crate) unsafe extern "system" fn end_render_pass(list: D3D12DDI_HCOMMANDLIST) {
    record("pfnEndRenderPass", list.pDrvPrivate, |_| {
        Ok(Command::EndRenderPass {})
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_small() {
        // Frames have many: the rare ones with much content have it elsewhere.
        assert!(size_of::<Command>() <= 80, "{}", size_of::<Command>());
    }
}
