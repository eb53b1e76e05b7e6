//! Structures of the host's as text, for recordings: those with pointers show their addresses, those with
//! unions the arm that is meant.

use std::fmt::Debug;

#[allow(clippy::wildcard_imports)] // The structures are the DDI's own.
use ddi_sys::*;

/// What can be shown.
pub(crate) trait Text {
    fn text(&self) -> String;
}

macro_rules! as_debug {
    ($($structure:ident),* $(,)?) => {$(
        impl Text for $structure {
            fn text(&self) -> String {
                format!("{self:?}")
            }
        }
    )*};
}

as_debug! {
    D3D12DDIARG_BLT,
    D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054,
    D3D12DDIARG_DISCARD_RESOURCE_0003,
    D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054,
    D3D12DDI_BOX,
    D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    D3D12DDI_TILED_RESOURCE_COORDINATE,
    D3D12DDI_TILE_REGION_SIZE,
}

fn with_arm(kind: &dyn Debug, arm: &dyn Debug) -> String {
    format!("{kind:?} {arm:?}")
}

impl Text for D3D12DDI_SET_PROGRAM_DESC_0108 {
    fn text(&self) -> String {
        // SAFETY: the type says which arm the host has written; all are plain numbers.
        unsafe {
            let arm: &dyn Debug = match self.Type {
                D3D12DDI_PROGRAM_TYPE_GENERIC_PIPELINE_0108 => &self.Anonymous.GenericPipeline,
                D3D12DDI_PROGRAM_TYPE_RAYTRACING_PIPELINE_0108 => {
                    &self.Anonymous.RaytracingPipeline
                }
                D3D12DDI_PROGRAM_TYPE_WORK_GRAPH_0108 => &self.Anonymous.WorkGraph,
                _ => &(),
            };
            with_arm(&self.Type, arm)
        }
    }
}

impl Text for D3D12DDI_DISPATCH_GRAPH_DESC_0108 {
    fn text(&self) -> String {
        // SAFETY: the mode says which arm the host has written; all are plain numbers.
        unsafe {
            let arm: &dyn Debug = match self.Mode {
                D3D12DDI_DISPATCH_MODE_NODE_CPU_INPUT_0108 => &self.Anonymous.NodeCPUInput,
                D3D12DDI_DISPATCH_MODE_NODE_GPU_INPUT_0108 => &self.Anonymous.NodeGPUInput,
                D3D12DDI_DISPATCH_MODE_MULTI_NODE_CPU_INPUT_0108 => {
                    &self.Anonymous.MultiNodeCPUInput
                }
                D3D12DDI_DISPATCH_MODE_MULTI_NODE_GPU_INPUT_0108 => {
                    &self.Anonymous.MultiNodeGPUInput
                }
                _ => &(),
            };
            with_arm(&self.Mode, arm)
        }
    }
}

impl Text for D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
    fn text(&self) -> String {
        format!(
            "{:?} {:?}, {} of {:?}, from {:#x} to {:#x}, scratch {:#x}, {} postbuild infos",
            self.Inputs.Type,
            self.Inputs.Flags,
            self.Inputs.NumDescs,
            self.Inputs.DescsLayout,
            self.SourceAccelerationStructureData,
            self.DestAccelerationStructureData,
            self.ScratchAccelerationStructureData,
            self.NumPostbuildInfoDescs,
        )
    }
}

/// Structures of which the members outside their union are shown.
macro_rules! without_union {
    ($($structure:ident: $($member:ident),*;)*) => {$(
        impl Text for $structure {
            fn text(&self) -> String {
                let mut text = String::new();
                $(
                    if !text.is_empty() {
                        text.push_str(", ");
                    }
                    text.push_str(&format!(concat!(stringify!($member), " {:?}"), self.$member));
                )*
                text
            }
        }
    )*};
}

without_union! {
    D3D12DDIARG_BARRIER_0094: Type;
    D3D12DDIARG_RESOURCE_BARRIER_0022: Type, Flags;
    D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002: Format, ResourceDimension, Shader4ComponentMapping;
    D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002: Format, ResourceDimension;
    D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002: Format, ResourceDimension;
    D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW: Format, ResourceDimension, Flags;
    D3D12DDI_CONSTANT_BUFFER_VIEW_DESC: BufferLocation, SizeInBytes;
    D3D12DDI_SAMPLER_DESC_0096: Filter, AddressU, AddressV, AddressW, MipLODBias, MaxAnisotropy, ComparisonFunc, MinLOD, MaxLOD, Flags;
}
