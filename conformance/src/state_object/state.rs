//! What the description of a state object says, field by field.

use api_sys::{
    D3D12_NODE_MASK, D3D12_RAYTRACING_PIPELINE_CONFIG, D3D12_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_STATE_OBJECT_CONFIG,
    D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS, D3D12_STATE_OBJECT_FLAGS,
    D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
};

use crate::runtime::{Owned, StateObjectDesc};
use crate::shaders::Shader;

/// What is described.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Raytracing,
    Collection,
    /// A raytracing library that defines its own subobjects.
    Library,
    Program,
    WorkGraph,
}

/// A description; its form says which of the fields count.
pub(super) struct State {
    form: Form,
    /// The names of shaders, and those that they have in the library.
    pub(super) exports: Vec<(&'static str, &'static str)>,
    pub(super) flags: Option<D3D12_STATE_OBJECT_FLAGS>,
    pub(super) shader_config: D3D12_RAYTRACING_SHADER_CONFIG,
    /// A D3D12_RAYTRACING_PIPELINE_CONFIG where it has no flags.
    pub(super) pipeline_config: D3D12_RAYTRACING_PIPELINE_CONFIG1,
    pub(super) node_mask: Option<u32>,
    pub(super) global: Option<&'static Shader>,
    /// For the first export.
    pub(super) local: Option<&'static Shader>,
    /// What a generic program has besides the ordinary subobjects, or instead of those of its type.
    pub(super) of_program: Vec<Owned>,
    /// Of a work graph.
    pub(super) program_name: &'static str,
}

impl State {
    pub(super) fn new(form: Form) -> Self {
        Self {
            form,
            exports: Vec::new(),
            flags: None,
            shader_config: D3D12_RAYTRACING_SHADER_CONFIG {
                MaxPayloadSizeInBytes: 32,
                MaxAttributeSizeInBytes: 16,
            },
            pipeline_config: D3D12_RAYTRACING_PIPELINE_CONFIG1 {
                MaxTraceRecursionDepth: 2,
                Flags: 0,
            },
            node_mask: None,
            global: None,
            local: None,
            of_program: Vec::new(),
            program_name: "graph",
        }
    }

    /// Of a callable shader with this name.
    pub(super) fn of_shader(form: Form, name: &'static str) -> Self {
        Self {
            exports: vec![(name, "noise_a")],
            ..Self::new(form)
        }
    }

    /// The same, which can be added to.
    pub(super) fn addable(name: &'static str) -> Self {
        Self {
            flags: Some(D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS),
            ..Self::of_shader(Form::Raytracing, name)
        }
    }

    pub(super) fn describe(self) -> StateObjectDesc {
        let mut desc = match self.form {
            Form::Raytracing => self.raytracing(),
            Form::Collection => self.raytracing().into_collection(),
            Form::Library => StateObjectDesc::of_library(),
            Form::Program => StateObjectDesc::generic_program(self.of_program),
            Form::WorkGraph => StateObjectDesc::work_graph_named(self.program_name),
        };
        if let Some(mask) = self.node_mask {
            let mask = D3D12_NODE_MASK { NodeMask: mask };
            desc = desc.with_other(D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, mask);
        }
        if let Some(blob) = self.global {
            desc = desc.with_global_root_signature(blob.bytes());
        }
        if let (Some(blob), [(export, _), ..]) = (self.local, &*self.exports) {
            desc = desc.with_local_root_signature(export, blob.bytes());
        }
        desc
    }

    fn raytracing(&self) -> StateObjectDesc {
        let desc = StateObjectDesc::of_exports(&self.exports);
        let desc = match self.flags {
            None => desc.without_additions(),
            Some(flags) => desc.with_other(
                D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
                D3D12_STATE_OBJECT_CONFIG { Flags: flags },
            ),
        };
        let desc = desc.with_other(
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
            self.shader_config,
        );
        let with_flags = self.pipeline_config;
        if with_flags.Flags == 0 {
            let depth = with_flags.MaxTraceRecursionDepth;
            desc.with_other(
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
                D3D12_RAYTRACING_PIPELINE_CONFIG {
                    MaxTraceRecursionDepth: depth,
                },
            )
        } else {
            desc.without(D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG)
                .with_other(
                    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
                    with_flags,
                )
        }
    }
}
