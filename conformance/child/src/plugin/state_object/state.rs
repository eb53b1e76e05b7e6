//! What an application sets in the description of a state object, besides its libraries.

use api_sys::{
    D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
    D3D12_RAYTRACING_PIPELINE_CONFIG, D3D12_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_RAYTRACING_PIPELINE_FLAG_NONE, D3D12_RAYTRACING_SHADER_CONFIG, D3D12_RT_FORMAT_ARRAY,
    D3D12_STATE_OBJECT_CONFIG, D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS,
    D3D12_STATE_OBJECT_FLAGS, D3D12_STATE_SUBOBJECT_TYPE,
    D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, DXGI_FORMAT, DXGI_FORMAT_R8G8B8A8_UNORM,
};

use super::{Feature, Kind};
use crate::runtime::{Owned, StateObjectDesc, count};

/// The fields that a change may change. Each kind of description has some of them.
pub(crate) struct State {
    /// What a target must offer.
    pub(super) feature: Feature,
    /// How the program is called.
    pub(super) program: &'static str,
    /// The exports of a raytracing library, each with its name in the library.
    pub(super) exports: Vec<(&'static str, &'static str)>,
    pub(super) flags: Option<D3D12_STATE_OBJECT_FLAGS>,
    pub(super) shader_config: D3D12_RAYTRACING_SHADER_CONFIG,
    pub(super) pipeline_config: D3D12_RAYTRACING_PIPELINE_CONFIG1,
    pub(super) global_root_signature: Option<&'static [u8]>,
    /// That of the first export.
    pub(super) local_root_signature: Option<&'static [u8]>,
    pub(super) topology: D3D12_PRIMITIVE_TOPOLOGY_TYPE,
    pub(super) targets: Vec<DXGI_FORMAT>,
    /// Subobjects that the ordinary description does not have.
    pub(super) others: Vec<Owned>,
}

impl State {
    /// What a kind has.
    pub(super) fn of(kind: &Kind) -> Self {
        let allows_additions = kind.feature == Feature::RaytracingAdditions;
        let mut state = Self {
            feature: kind.feature,
            program: kind.program,
            exports: vec![(kind.program, "noise_a")],
            flags: allows_additions.then_some(D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS),
            shader_config: D3D12_RAYTRACING_SHADER_CONFIG {
                MaxPayloadSizeInBytes: 32,
                MaxAttributeSizeInBytes: 16,
            },
            pipeline_config: D3D12_RAYTRACING_PIPELINE_CONFIG1 {
                MaxTraceRecursionDepth: 2,
                Flags: D3D12_RAYTRACING_PIPELINE_FLAG_NONE,
            },
            global_root_signature: None,
            local_root_signature: None,
            topology: D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
            targets: vec![DXGI_FORMAT_R8G8B8A8_UNORM],
            others: Vec::new(),
        };
        for change in kind.changes {
            (change.apply)(&mut state);
        }
        state
    }

    /// Adds a subobject that the ordinary description does not have.
    pub(super) fn push<T: 'static>(&mut self, kind: D3D12_STATE_SUBOBJECT_TYPE, desc: T) {
        self.others.push(Owned::new(kind, desc));
    }

    pub(super) fn raytracing_pipeline(self) -> StateObjectDesc {
        let config = self.pipeline_config;
        let mut desc = StateObjectDesc::of_exports(&self.exports).with_other(
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
            self.shader_config,
        );
        desc = match self.flags {
            None => desc.without_additions(),
            Some(flags) => desc.with_other(
                D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
                D3D12_STATE_OBJECT_CONFIG { Flags: flags },
            ),
        };
        // Only devices that have flags know the second of the two structures.
        desc = if config.Flags == D3D12_RAYTRACING_PIPELINE_FLAG_NONE {
            desc.with_other(
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
                D3D12_RAYTRACING_PIPELINE_CONFIG {
                    MaxTraceRecursionDepth: config.MaxTraceRecursionDepth,
                },
            )
        } else {
            desc.without(D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG)
                .with_other(
                    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
                    config,
                )
        };
        desc = self
            .others
            .into_iter()
            .fold(desc, StateObjectDesc::with_owned);
        if let Some(blob) = self.global_root_signature {
            desc = desc.with_global_root_signature(blob);
        }
        // Its association points at a subobject, so the array grows no more.
        if let Some(blob) = self.local_root_signature {
            desc = desc.with_local_root_signature(self.exports[0].0, blob);
        }
        desc
    }

    pub(super) fn collection(self) -> StateObjectDesc {
        self.raytracing_pipeline().into_collection()
    }

    pub(super) fn generic_program(self) -> StateObjectDesc {
        let mut targets = D3D12_RT_FORMAT_ARRAY::default();
        targets.RTFormats[..self.targets.len()].copy_from_slice(&self.targets);
        targets.NumRenderTargets = count(&self.targets);
        StateObjectDesc::generic_program(self.others)
            .with_other(D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, self.topology)
            .with_other(D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS, targets)
    }

    pub(super) fn work_graph(self) -> StateObjectDesc {
        let desc = StateObjectDesc::work_graph_named(self.program);
        self.others
            .into_iter()
            .fold(desc, StateObjectDesc::with_owned)
    }
}
