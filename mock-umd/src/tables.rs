//! The tables: which function is in which slot, and which table a build has.

use std::slice;

#[allow(clippy::wildcard_imports)] // The rows are the DDI's own names.
use ddi_sys::*;

use crate::command_list::{self, bypass, normal};
use crate::version::{self, Build};
use crate::{abi_support, descriptors, device, features, memory, meta_command, objects, pipeline};

/// A slot of any table.
pub(crate) type Slot = Option<unsafe extern "system" fn()>;

/// The slots that all builds have, then those that a build has of its own.
macro_rules! core {
    ($name:ident, $slots:ident: $table:ident { $($own:tt)* }) => {
        table! { $name, $slots: $table {
            pfnCheckFormatSupport: Some(device::check_format_support),
            pfnCheckMultisampleQualityLevels: Some(device::check_multisample_quality_levels),
            pfnGetMipPacking: Some(memory::get_mip_packing),
            pfnCalcPrivateElementLayoutSize: Some(objects::calc_private_element_layout_size),
            pfnCreateElementLayout: Some(objects::create_element_layout),
            pfnDestroyElementLayout: Some(objects::destroy_element_layout),
            pfnCalcPrivateBlendStateSize: Some(objects::calc_private_blend_state_size),
            pfnCreateBlendState: Some(objects::create_blend_state),
            pfnDestroyBlendState: Some(objects::destroy_blend_state),
            pfnCalcPrivateDepthStencilStateSize: Some(objects::calc_private_depth_stencil_state_size),
            pfnCreateDepthStencilState: Some(objects::create_depth_stencil_state),
            pfnDestroyDepthStencilState: Some(objects::destroy_depth_stencil_state),
            pfnCalcPrivateRasterizerStateSize: Some(objects::calc_private_rasterizer_state_size),
            pfnCreateRasterizerState: Some(objects::create_rasterizer_state),
            pfnDestroyRasterizerState: Some(objects::destroy_rasterizer_state),
            pfnCalcPrivateShaderSize: Some(objects::calc_private_shader_size),
            pfnCreateVertexShader: Some(objects::create_vertex_shader),
            pfnCreatePixelShader: Some(objects::create_pixel_shader),
            pfnCreateGeometryShader: Some(objects::create_geometry_shader),
            pfnCreateComputeShader: Some(objects::create_compute_shader),
            pfnCalcPrivateGeometryShaderWithStreamOutput: Some(objects::calc_private_geometry_shader_with_stream_output_size),
            pfnCreateGeometryShaderWithStreamOutput: Some(objects::create_geometry_shader_with_stream_output),
            pfnCalcPrivateTessellationShaderSize: Some(objects::calc_private_tessellation_shader_size),
            pfnCreateHullShader: Some(objects::create_hull_shader),
            pfnCreateDomainShader: Some(objects::create_domain_shader),
            pfnDestroyShader: Some(objects::destroy_shader),
            pfnCalcPrivateCommandQueueSize: Some(command_list::calc_private_command_queue_size),
            pfnCreateCommandQueue: Some(command_list::create_command_queue),
            pfnDestroyCommandQueue: Some(command_list::destroy_command_queue),
            pfnCalcPrivateCommandPoolSize: Some(command_list::calc_private_command_pool_size),
            pfnCreateCommandPool: Some(command_list::create_command_pool),
            pfnDestroyCommandPool: Some(command_list::destroy_command_pool),
            pfnResetCommandPool: Some(command_list::reset_command_pool),
            pfnCalcPrivatePipelineStateSize: Some(pipeline::calc_private_pipeline_state_size),
            pfnCreatePipelineState: Some(pipeline::create_pipeline_state),
            pfnDestroyPipelineState: Some(pipeline::destroy_pipeline_state),
            pfnCalcPrivateCommandListSize: Some(command_list::calc_private_command_list_size),
            pfnCreateCommandList: Some(command_list::create_command_list),
            pfnDestroyCommandList: Some(command_list::destroy_command_list),
            pfnDestroyFence: Some(device::destroy_fence),
            pfnCalcPrivateDescriptorHeapSize: Some(descriptors::calc_private_descriptor_heap_size),
            pfnCreateDescriptorHeap: Some(descriptors::create_descriptor_heap),
            pfnDestroyDescriptorHeap: Some(descriptors::destroy_descriptor_heap),
            pfnGetDescriptorSizeInBytes: Some(descriptors::get_descriptor_size_in_bytes),
            pfnGetCPUDescriptorHandleForHeapStart: Some(descriptors::get_cpu_descriptor_handle_for_heap_start),
            pfnGetGPUDescriptorHandleForHeapStart: Some(descriptors::get_gpu_descriptor_handle_for_heap_start),
            pfnCreateShaderResourceView: Some(descriptors::create_shader_resource_view),
            pfnCreateConstantBufferView: Some(descriptors::create_constant_buffer_view),
            pfnCreateSampler: Some(descriptors::create_sampler),
            pfnCreateUnorderedAccessView: Some(descriptors::create_unordered_access_view),
            pfnCreateRenderTargetView: Some(descriptors::create_render_target_view),
            pfnCreateDepthStencilView: Some(descriptors::create_depth_stencil_view),
            pfnCalcPrivateRootSignatureSize: Some(objects::calc_private_root_signature_size),
            pfnCreateRootSignature: Some(objects::create_root_signature),
            pfnDestroyRootSignature: Some(objects::destroy_root_signature),
            pfnMapHeap: Some(memory::map_heap),
            pfnUnmapHeap: Some(memory::unmap_heap),
            pfnDestroyHeapAndResource: Some(memory::destroy_heap_and_resource),
            pfnMakeResident: Some(memory::make_resident),
            pfnEvict: Some(memory::evict),
            pfnCalcPrivateOpenedHeapAndResourceSizes: Some(memory::calc_private_opened_heap_and_resource_sizes),
            pfnOpenHeapAndResource: Some(memory::open_heap_and_resource),
            pfnCopyDescriptors: Some(descriptors::copy_descriptors),
            pfnCopyDescriptorsSimple: Some(descriptors::copy_descriptors_simple),
            pfnCalcPrivateQueryHeapSize: Some(device::calc_private_query_heap_size),
            pfnCreateQueryHeap: Some(device::create_query_heap),
            pfnDestroyQueryHeap: Some(device::destroy_query_heap),
            pfnCalcPrivateCommandSignatureSize: Some(device::calc_private_command_signature_size),
            pfnCreateCommandSignature: Some(device::create_command_signature),
            pfnDestroyCommandSignature: Some(device::destroy_command_signature),
            pfnCheckResourceVirtualAddress: Some(memory::check_resource_virtual_address),
            pfnCheckSubresourceInfo: Some(memory::check_subresource_info),
            pfnCheckExistingResourceAllocationInfo: Some(memory::check_existing_resource_allocation_info),
            pfnOfferResources: Some(memory::offer_resources),
            pfnReclaimResources: Some(memory::reclaim_resources),
            pfnGetImplicitPhysicalAdapterMask: Some(device::get_implicit_physical_adapter_mask),
            pfnGetPresentPrivateDriverDataSize: Some(device::get_present_private_driver_data_size),
            pfnQueryNodeMap: Some(device::query_node_map),
            pfnRetrieveShaderComment: Some(pipeline::retrieve_shader_comment),
            pfnCheckResourceAllocationHandle: Some(memory::check_resource_allocation_handle),
            pfnCalcPrivatePipelineLibrarySize: Some(device::calc_private_pipeline_library_size),
            pfnCreatePipelineLibrary: Some(device::create_pipeline_library),
            pfnDestroyPipelineLibrary: Some(device::destroy_pipeline_library),
            pfnAddPipelineStateToLibrary: Some(device::add_pipeline_state_to_library),
            pfnCalcSerializedLibrarySize: Some(device::calc_serialized_library_size),
            pfnSerializeLibrary: Some(device::serialize_library),
            pfnGetDebugAllocationInfo: Some(memory::get_debug_allocation_info),
            pfnCalcPrivateCommandRecorderSize: Some(command_list::calc_private_command_recorder_size),
            pfnCreateCommandRecorder: Some(command_list::create_command_recorder),
            pfnDestroyCommandRecorder: Some(command_list::destroy_command_recorder),
            pfnCommandRecorderSetCommandPoolAsTarget: Some(command_list::command_recorder_set_command_pool_as_target),
            pfnCalcPrivateSchedulingGroupSize: Some(device::calc_private_scheduling_group_size),
            pfnCreateSchedulingGroup: Some(device::create_scheduling_group),
            pfnDestroySchedulingGroup: Some(device::destroy_scheduling_group),
            pfnEnumerateMetaCommands: Some(meta_command::enumerate_meta_commands),
            pfnEnumerateMetaCommandParameters: Some(meta_command::enumerate_meta_command_parameters),
            pfnCalcPrivateMetaCommandSize: Some(meta_command::calc_private_meta_command_size),
            pfnCreateMetaCommand: Some(meta_command::create_meta_command),
            pfnDestroyMetaCommand: Some(meta_command::destroy_meta_command),
            pfnGetMetaCommandRequiredParameterInfo: Some(meta_command::get_meta_command_required_parameter_info),
            pfnCalcPrivateStateObjectSize: Some(pipeline::calc_private_state_object_size),
            pfnCreateStateObject: Some(pipeline::create_state_object_slot),
            pfnDestroyStateObject: Some(pipeline::destroy_state_object),
            pfnGetRaytracingAccelerationStructurePrebuildInfo: Some(device::get_raytracing_prebuild_info),
            pfnCheckDriverMatchingIdentifier: Some(device::check_driver_matching_identifier),
            pfnGetShaderIdentifier: Some(pipeline::get_shader_identifier),
            pfnGetShaderStackSize: Some(pipeline::get_shader_stack_size),
            pfnGetPipelineStackSize: Some(pipeline::get_pipeline_stack_size),
            pfnSetPipelineStackSize: Some(pipeline::set_pipeline_stack_size),
            pfnSetBackgroundProcessingMode: Some(device::set_background_processing_mode),
            pfnCalcPrivateAddToStateObjectSize: Some(pipeline::calc_private_add_to_state_object_size),
            pfnAddToStateObject: Some(pipeline::add_to_state_object),
            pfnCreateSamplerFeedbackUnorderedAccessView: Some(descriptors::create_sampler_feedback_unordered_access_view),
            pfnCreateAmplificationShader: Some(objects::create_amplification_shader),
            pfnCreateMeshShader: Some(objects::create_mesh_shader),
            pfnCalcPrivateMeshShaderSize: Some(objects::calc_private_mesh_shader_size),
            pfnImplicitShaderCacheControl: Some(device::implicit_shader_cache_control),
            pfnGetProgramIdentifier: Some(pipeline::get_program_identifier),
            pfnGetWorkGraphMemoryRequirements: Some(pipeline::get_work_graph_memory_requirements),
            $($own)*
        } }
    };
}

/// A table, and the names of its slots.
macro_rules! table {
    ($name:ident, $slots:ident: $table:ident { $($slot:ident: $function:expr),* $(,)? }) => {
        static $name: $table = $table { $($slot: $function),* };
        #[allow(dead_code, reason = "the newest table has the slots of the others")]
        static $slots: &[&str] = &[$(stringify!($slot)),*];
    };
}

#[rustfmt::skip]
core!(CORE_0109, CORE_0109_SLOTS: D3D12DDI_DEVICE_FUNCS_CORE_0109 {
    pfnCalcPrivateFenceSize: Some(device::calc_private_fence_size),
    pfnCreateFence: Some(device::create_fence),
    pfnCalcPrivateHeapAndResourceSizes: Some(memory::calc_private_heap_and_resource_sizes_0109),
    pfnCreateHeapAndResource: Some(memory::create_heap_and_resource_0109),
    pfnCheckResourceAllocationInfo: Some(memory::check_resource_allocation_info_0109),
});

#[rustfmt::skip]
core!(CORE_0112, CORE_0112_SLOTS: D3D12DDI_DEVICE_FUNCS_CORE_0112 {
    pfnCalcPrivateFenceSize: Some(device::calc_private_fence_size_0112),
    pfnCreateFence: Some(device::create_fence_0112),
    pfnCalcPrivateHeapAndResourceSizes: Some(memory::calc_private_heap_and_resource_sizes_0111),
    pfnCreateHeapAndResource: Some(memory::create_heap_and_resource_0111),
    pfnCheckResourceAllocationInfo: Some(memory::check_resource_allocation_info_0111),
    pfnGetTextureLayouts: Some(get_texture_layouts),
});

#[rustfmt::skip]
core!(CORE_0113, CORE_0113_SLOTS: D3D12DDI_DEVICE_FUNCS_CORE_0113 {
    pfnCalcPrivateFenceSize: Some(device::calc_private_fence_size_0112),
    pfnCreateFence: Some(device::create_fence_0112),
    pfnCalcPrivateHeapAndResourceSizes: Some(memory::calc_private_heap_and_resource_sizes_0111),
    pfnCreateHeapAndResource: Some(memory::create_heap_and_resource_0111),
    pfnCheckResourceAllocationInfo: Some(memory::check_resource_allocation_info_0111),
    pfnGetTextureLayouts: Some(get_texture_layouts),
    pfnGetApplicationSpecificDriverState: Some(device::get_application_specific_driver_state),
    pfnGetApplicationSpecificDriverBlobStatus: Some(device::get_application_specific_driver_blob_status),
    pfnGetApplicationSpecificDriverStateBlobSize: Some(device::get_application_specific_driver_state_blob_size),
});

table!(LIST_0108, LIST_0108_SLOTS: D3D12DDI_COMMAND_LIST_FUNCS_3D_0108 {
    pfnCloseCommandList: Some(command_list::close),
    pfnResetCommandList: Some(command_list::reset),
    pfnDrawInstanced: Some(normal::draw_instanced),
    pfnDrawIndexedInstanced: Some(normal::draw_indexed_instanced),
    pfnDispatch: Some(normal::dispatch),
    pfnClearUnorderedAccessViewUint: Some(normal::clear_unordered_access_view_uint),
    pfnClearUnorderedAccessViewFloat: Some(normal::clear_unordered_access_view_float),
    pfnClearRenderTargetView: Some(normal::clear_render_target_view),
    pfnClearDepthStencilView: Some(normal::clear_depth_stencil_view),
    pfnDiscardResource: Some(normal::discard_resource),
    pfnCopyTextureRegion: Some(normal::copy_texture_region),
    pfnResourceCopy: Some(normal::resource_copy),
    pfnCopyTiles: Some(normal::copy_tiles),
    pfnCopyBufferRegion: Some(normal::copy_buffer_region),
    pfnResourceResolveSubresource: Some(normal::resource_resolve_subresource),
    pfnExecuteBundle: Some(normal::execute_bundle),
    pfnExecuteIndirect: Some(normal::execute_indirect),
    pfnResourceBarrier: Some(normal::resource_barrier),
    pfnBlt: Some(normal::blt),
    pfnPresent: Some(command_list::present),
    pfnBeginQuery: Some(normal::begin_query),
    pfnEndQuery: Some(normal::end_query),
    pfnResolveQueryData: Some(normal::resolve_query_data),
    pfnSetPredication: Some(normal::set_predication),
    pfnIaSetTopology: Some(normal::ia_set_topology),
    pfnRsSetViewports: Some(normal::rs_set_viewports),
    pfnRsSetScissorRects: Some(normal::rs_set_scissor_rects),
    pfnOmSetBlendFactor: Some(normal::om_set_blend_factor),
    pfnOmSetStencilRef: Some(normal::om_set_stencil_ref),
    pfnSetPipelineState: Some(normal::set_pipeline_state),
    pfnSetDescriptorHeaps: Some(normal::set_descriptor_heaps),
    pfnSetComputeRootSignature: Some(normal::set_compute_root_signature),
    pfnSetGraphicsRootSignature: Some(normal::set_graphics_root_signature),
    pfnSetComputeRootDescriptorTable: Some(normal::set_compute_root_descriptor_table),
    pfnSetGraphicsRootDescriptorTable: Some(normal::set_graphics_root_descriptor_table),
    pfnSetComputeRoot32BitConstant: Some(normal::set_compute_root_32bit_constant),
    pfnSetGraphicsRoot32BitConstant: Some(normal::set_graphics_root_32bit_constant),
    pfnSetComputeRoot32BitConstants: Some(normal::set_compute_root_32bit_constants),
    pfnSetGraphicsRoot32BitConstants: Some(normal::set_graphics_root_32bit_constants),
    pfnSetComputeRootConstantBufferView: Some(normal::set_compute_root_constant_buffer_view),
    pfnSetGraphicsRootConstantBufferView: Some(normal::set_graphics_root_constant_buffer_view),
    pfnSetComputeRootShaderResourceView: Some(normal::set_compute_root_shader_resource_view),
    pfnSetGraphicsRootShaderResourceView: Some(normal::set_graphics_root_shader_resource_view),
    pfnSetComputeRootUnorderedAccessView: Some(normal::set_compute_root_unordered_access_view),
    pfnSetGraphicsRootUnorderedAccessView: Some(normal::set_graphics_root_unordered_access_view),
    pfnIASetIndexBuffer: Some(normal::ia_set_index_buffer),
    pfnIASetVertexBuffers: Some(normal::ia_set_vertex_buffers),
    pfnSOSetTargets: Some(normal::so_set_targets),
    pfnOMSetRenderTargets: Some(normal::om_set_render_targets),
    pfnSetMarker: Some(normal::set_marker),
    pfnClearRootArguments: Some(normal::clear_root_arguments),
    pfnAtomicCopyBufferRegion: Some(normal::atomic_copy_buffer_region),
    pfnOMSetDepthBounds: Some(normal::om_set_depth_bounds),
    pfnSetSamplePositions: Some(normal::set_sample_positions),
    pfnResourceResolveSubresourceRegion: Some(command_list::resource_resolve_subresource_region),
    pfnSetProtectedResourceSession: Some(normal::set_protected_resource_session),
    pfnWriteBufferImmediate: Some(normal::write_buffer_immediate),
    pfnSetViewInstanceMask: Some(normal::set_view_instance_mask),
    pfnInitializeMetaCommand: Some(normal::initialize_meta_command),
    pfnExecuteMetaCommand: Some(command_list::execute_meta_command),
    pfnBuildRaytracingAccelerationStructure: Some(normal::build_raytracing_acceleration_structure),
    pfnEmitRaytracingAccelerationStructurePostbuildInfo: Some(
        normal::emit_raytracing_acceleration_structure_postbuild_info,
    ),
    pfnCopyRaytracingAccelerationStructure: Some(normal::copy_raytracing_acceleration_structure),
    pfnSetPipelineState1: Some(normal::set_pipeline_state1),
    pfnDispatchRays: Some(normal::dispatch_rays),
    pfnRSSetShadingRate: Some(normal::rs_set_shading_rate),
    pfnRSSetShadingRateImage: Some(normal::rs_set_shading_rate_image),
    pfnDispatchMesh: Some(normal::dispatch_mesh),
    pfnBarrier: Some(normal::barrier),
    pfnOmSetAlphaBlendFactor: Some(command_list::om_set_alpha_blend_factor),
    pfnOmSetFrontAndBackStencilRef: Some(normal::om_set_front_and_back_stencil_ref),
    pfnRSSetDepthBias: Some(normal::rs_set_depth_bias),
    pfnIASetIndexBufferStripCutValue: Some(normal::ia_set_index_buffer_strip_cut_value),
    pfnSetProgram: Some(normal::set_program),
    pfnDispatchGraph: Some(normal::dispatch_graph),
});

table!(LIST_0114, LIST_0114_SLOTS: D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 {
    pfnCloseCommandList: Some(command_list::close),
    pfnResetCommandList: Some(command_list::reset),
    pfnDrawInstanced: Some(bypass::draw_instanced),
    pfnDrawIndexedInstanced: Some(bypass::draw_indexed_instanced),
    pfnDispatch: Some(bypass::dispatch),
    pfnClearUnorderedAccessViewUint: Some(normal::clear_unordered_access_view_uint),
    pfnClearUnorderedAccessViewFloat: Some(normal::clear_unordered_access_view_float),
    pfnClearRenderTargetView: Some(normal::clear_render_target_view),
    pfnClearDepthStencilView: Some(normal::clear_depth_stencil_view),
    pfnDiscardResource: Some(normal::discard_resource),
    pfnCopyTextureRegion: Some(normal::copy_texture_region),
    pfnResourceCopy: Some(normal::resource_copy),
    pfnCopyTiles: Some(normal::copy_tiles),
    pfnCopyBufferRegion: Some(normal::copy_buffer_region),
    pfnResourceResolveSubresource: Some(normal::resource_resolve_subresource),
    pfnExecuteBundle: Some(normal::execute_bundle),
    pfnExecuteIndirect: Some(normal::execute_indirect),
    pfnResourceBarrier: Some(normal::resource_barrier),
    pfnBlt: Some(normal::blt),
    pfnPresent: Some(command_list::present),
    pfnBeginQuery: Some(normal::begin_query),
    pfnEndQuery: Some(normal::end_query),
    pfnResolveQueryData: Some(normal::resolve_query_data),
    pfnSetPredication: Some(normal::set_predication),
    pfnIaSetTopology: Some(bypass::ia_set_topology),
    pfnRsSetViewports: Some(bypass::rs_set_viewports),
    pfnRsSetScissorRects: Some(bypass::rs_set_scissor_rects),
    pfnOmSetBlendFactor: Some(bypass::om_set_blend_factor),
    pfnOmSetStencilRef: Some(bypass::om_set_stencil_ref),
    pfnSetPipelineState: Some(bypass::set_pipeline_state),
    pfnSetDescriptorHeaps: Some(normal::set_descriptor_heaps),
    pfnSetComputeRootSignature: Some(bypass::set_compute_root_signature),
    pfnSetGraphicsRootSignature: Some(bypass::set_graphics_root_signature),
    pfnSetComputeRootDescriptorTable: Some(bypass::set_compute_root_descriptor_table),
    pfnSetGraphicsRootDescriptorTable: Some(bypass::set_graphics_root_descriptor_table),
    pfnSetComputeRoot32BitConstant: Some(bypass::set_compute_root_32bit_constant),
    pfnSetGraphicsRoot32BitConstant: Some(bypass::set_graphics_root_32bit_constant),
    pfnSetComputeRoot32BitConstants: Some(bypass::set_compute_root_32bit_constants),
    pfnSetGraphicsRoot32BitConstants: Some(bypass::set_graphics_root_32bit_constants),
    pfnSetComputeRootConstantBufferView: Some(bypass::set_compute_root_constant_buffer_view),
    pfnSetGraphicsRootConstantBufferView: Some(bypass::set_graphics_root_constant_buffer_view),
    pfnSetComputeRootShaderResourceView: Some(bypass::set_compute_root_shader_resource_view),
    pfnSetGraphicsRootShaderResourceView: Some(bypass::set_graphics_root_shader_resource_view),
    pfnSetComputeRootUnorderedAccessView: Some(bypass::set_compute_root_unordered_access_view),
    pfnSetGraphicsRootUnorderedAccessView: Some(bypass::set_graphics_root_unordered_access_view),
    pfnIASetIndexBuffer: Some(bypass::ia_set_index_buffer),
    pfnIASetVertexBuffers: Some(bypass::ia_set_vertex_buffers),
    pfnSOSetTargets: Some(bypass::so_set_targets),
    pfnOMSetRenderTargets: Some(bypass::om_set_render_targets),
    pfnSetMarker: Some(normal::set_marker),
    pfnClearRootArguments: Some(normal::clear_root_arguments),
    pfnAtomicCopyBufferRegion: Some(normal::atomic_copy_buffer_region),
    pfnOMSetDepthBounds: Some(bypass::om_set_depth_bounds),
    pfnSetSamplePositions: Some(bypass::set_sample_positions),
    pfnResourceResolveSubresourceRegion: Some(command_list::resource_resolve_subresource_region),
    pfnSetProtectedResourceSession: Some(normal::set_protected_resource_session),
    pfnWriteBufferImmediate: Some(normal::write_buffer_immediate),
    pfnSetViewInstanceMask: Some(bypass::set_view_instance_mask),
    pfnInitializeMetaCommand: Some(normal::initialize_meta_command),
    pfnExecuteMetaCommand: Some(command_list::execute_meta_command),
    pfnBuildRaytracingAccelerationStructure: Some(normal::build_raytracing_acceleration_structure),
    pfnEmitRaytracingAccelerationStructurePostbuildInfo: Some(
        normal::emit_raytracing_acceleration_structure_postbuild_info,
    ),
    pfnCopyRaytracingAccelerationStructure: Some(normal::copy_raytracing_acceleration_structure),
    pfnSetPipelineState1: Some(bypass::set_pipeline_state1),
    pfnDispatchRays: Some(bypass::dispatch_rays),
    pfnRSSetShadingRate: Some(bypass::rs_set_shading_rate),
    pfnRSSetShadingRateImage: Some(normal::rs_set_shading_rate_image),
    pfnDispatchMesh: Some(bypass::dispatch_mesh),
    pfnBarrier: Some(normal::barrier),
    pfnOmSetAlphaBlendFactor: Some(command_list::om_set_alpha_blend_factor),
    pfnOmSetFrontAndBackStencilRef: Some(bypass::om_set_front_and_back_stencil_ref),
    pfnRSSetDepthBias: Some(bypass::rs_set_depth_bias),
    pfnIASetIndexBufferStripCutValue: Some(bypass::ia_set_index_buffer_strip_cut_value),
    pfnSetProgram: Some(bypass::set_program),
    pfnDispatchGraph: Some(bypass::dispatch_graph),
});

/// A table with members that are not functions.
struct Shared<T>(T);

// SAFETY: nothing writes the pointers or what they point to: they are null.
unsafe impl<T> Sync for Shared<T> {}

static QUEUE_0001: Shared<D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001> =
    Shared(D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001 {
        pfnExecuteCommandLists: Some(command_list::execute_command_lists),
        pfnUnused: std::ptr::null_mut(),
        pfnUnused2: std::ptr::null_mut(),
        pfnUpdateTileMappings: Some(command_list::update_tile_mappings),
        pfnCopyTileMappings: Some(command_list::copy_tile_mappings),
        pfnSignalFence: Some(command_list::signal_fence),
        pfnWaitForFence: Some(command_list::wait_for_fence),
    });

table!(RENDER_PASS, RENDER_PASS_SLOTS: D3D12DDI_RENDER_PASS_FUNCS_0053 {
    pfnBeginRenderPass: Some(command_list::begin_render_pass),
    pfnEndRenderPass: Some(command_list::end_render_pass),
});

table!(FEATURES_0096, FEATURES_0096_SLOTS: D3D12DDI_EXTENDED_FEATURES_FUNCS_0096 {
        // SAFETY: a slot is one function pointer, whatever its parameters; hosts call it with those of
        // the form of 0020, which is this function's.
        pfnGetSupportedExtendedFeatures: unsafe {
            std::mem::transmute::<
                PFND3D12DDI_GET_SUPPORTED_EXTENDED_FEATURES_0020,
                PFND3D12DDI_UNKNOWN,
            >(Some(features::get_supported_extended_features))
        },
        pfnGetSupportedExtendedFeatureVersions: Some(
            features::get_supported_extended_feature_versions,
        ),
        pfnEnableExtendedFeature: Some(features::enable_extended_feature),
        pfnSetExtendedFeatureCallbacks: Some(features::set_extended_feature_callbacks),
});

table!(SHADER_CACHE_0114, SHADER_CACHE_0114_SLOTS: D3D12DDI_SHADERCACHE_FUNCS_0114 {
    pfnShaderCacheGetCaps: Some(abi_support::shader_cache_get_caps),
    pfnShaderCacheAllocationFunc: Some(features::shader_cache_allocation),
    pfnShaderCacheSetApplicationInfo: Some(features::shader_cache_set_application_info),
});

/// `pfnGetTextureLayouts`, whose parameters in the table of these builds are not public. Nothing calls it: the driver
/// reports no layouts with GUIDs.
unsafe extern "system" fn get_texture_layouts() {}

/// Whether a table has a slot, or the adapter a function, of this name.
pub(crate) fn is_slot(name: &str) -> bool {
    const OTHERS: &[&str] = &[
        "OpenAdapter12",
        "pfnCalcPrivateDeviceSize",
        "pfnCreateDevice",
        "pfnCloseAdapter",
        "pfnGetSupportedVersions",
        "pfnGetCaps",
        "pfnGetOptionalDDITables",
        "pfnFillDDITable",
        "pfnDestroyDevice",
        "pfnExecuteCommandLists",
        "pfnUpdateTileMappings",
        "pfnCopyTileMappings",
        "pfnSignalFence",
        "pfnWaitForFence",
    ];
    [
        OTHERS,
        CORE_0113_SLOTS,
        LIST_0114_SLOTS,
        RENDER_PASS_SLOTS,
        FEATURES_0096_SLOTS,
        SHADER_CACHE_0114_SLOTS,
    ]
    .into_iter()
    .any(|slots| slots.contains(&name))
}

/// The slots of a table.
fn slots<T>(table: &'static T) -> &'static [Slot] {
    const { assert!(size_of::<T>().is_multiple_of(size_of::<Slot>())) };
    let count = size_of::<T>() / size_of::<Slot>();
    // SAFETY: a table is function pointers, or null pointers in their place, and nothing else.
    unsafe { slice::from_raw_parts(std::ptr::from_ref(table).cast(), count) }
}

/// The table of a type that a build has.
pub(crate) fn table(table_type: D3D12DDI_TABLE_TYPE, build: Build) -> Option<&'static [Slot]> {
    Some(match table_type {
        D3D12DDI_TABLE_TYPE_DEVICE_CORE if build < version::TEXTURE_LAYOUTS => slots(&CORE_0109),
        D3D12DDI_TABLE_TYPE_DEVICE_CORE if build < version::DRIVER_STATE => slots(&CORE_0112),
        D3D12DDI_TABLE_TYPE_DEVICE_CORE => slots(&CORE_0113),
        D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D if build < version::BYPASS => slots(&LIST_0108),
        D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D => slots(&LIST_0114),
        D3D12DDI_TABLE_TYPE_COMMAND_QUEUE_3D => slots(&QUEUE_0001.0),
        D3D12DDI_TABLE_TYPE_0043_RENDER_PASS => slots(&RENDER_PASS),
        D3D12DDI_TABLE_TYPE_0020_EXTENDED_FEATURES | D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES => {
            slots(&FEATURES_0096)
        }
        D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS if build >= version::BYPASS => {
            slots(&SHADER_CACHE_0114)
        }
        _ => return None,
    })
}

/// The tables that not every driver has.
pub(crate) fn optional(build: Build) -> Vec<D3D12DDI_TABLE_REQUEST> {
    [
        D3D12DDI_TABLE_TYPE_0043_RENDER_PASS,
        D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES,
        D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS,
    ]
    .into_iter()
    .filter(|table_type| table(*table_type, build).is_some())
    .map(|table_type| D3D12DDI_TABLE_REQUEST {
        tableType: table_type,
        numTables: 1,
    })
    .collect()
}
