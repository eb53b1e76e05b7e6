//! Any description that can be built, and what is equivalent to it.
#![allow(non_snake_case, reason = "fields of the API's structures")]
#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    reason = "each function has the name of what it makes any of"
)]

use api_sys::{
    D3D12_BLEND_DESC, D3D12_DEPTH_STENCIL_DESC2, D3D12_DEPTH_STENCILOP_DESC1,
    D3D12_RASTERIZER_DESC2, D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_SHADER_CONFIG,
    D3D12_RENDER_TARGET_BLEND_DESC, D3D12_RT_FORMAT_ARRAY, D3D12_VIEW_INSTANCE_LOCATION,
    DXGI_SAMPLE_DESC,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use shader_db::sodb::{
    Associated, Association, Blob, DxilAssociation, DxilLibrary, ExistingCollection, Export,
    FixedFunction, GenericProgram, HitGroup, InputElement, NodeId, OutputOverrides,
    PipelineStateDesc, ShaderNode, ShaderStage, StateObjectDesc, StreamOutput, StreamOutputEntry,
    ViewInstancing, WorkGraph,
};
use windows_core::BOOL;

/// Short, so that equal ones are frequent; with what is not ASCII.
fn name() -> BoxedStrategy<String> {
    prop_oneof!["[a-c]{1,2}", "[a-z_*@$Ж日😀]{1,12}"].boxed()
}

fn text() -> BoxedStrategy<String> {
    prop_oneof![Just(String::new()), name()].boxed()
}

fn names() -> BoxedStrategy<Vec<String>> {
    vec(text(), 0..4).boxed()
}

fn blob() -> BoxedStrategy<Blob> {
    let bytes = prop_oneof![vec(0..3_u8, 1..3), vec(any::<u8>(), 1..40)];
    bytes.prop_map(Blob::from).boxed()
}

pub fn bool32() -> BoxedStrategy<BOOL> {
    any::<bool>().prop_map(BOOL::from).boxed()
}

/// Every value but those that are not equal to themselves.
fn float() -> BoxedStrategy<f32> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(f32::MAX),
        Just(f32::MIN_POSITIVE),
        Just(f32::NEG_INFINITY),
        any::<f32>().prop_filter("a number", |float| !float.is_nan()),
    ]
    .boxed()
}

fn number() -> BoxedStrategy<u32> {
    prop_oneof![0..4_u32, Just(u32::MAX), any::<u32>()].boxed()
}

fn value() -> BoxedStrategy<i32> {
    prop_oneof![0..4_i32, any::<i32>()].boxed()
}

prop_compose! {
    fn target()(
        (BlendEnable, LogicOpEnable) in (bool32(), bool32()),
        (SrcBlend, DestBlend, BlendOp) in (value(), value(), value()),
        (SrcBlendAlpha, DestBlendAlpha, BlendOpAlpha, LogicOp) in (value(), value(), value(), value()),
        RenderTargetWriteMask in any::<u8>(),
    ) -> D3D12_RENDER_TARGET_BLEND_DESC {
        D3D12_RENDER_TARGET_BLEND_DESC {
            BlendEnable, LogicOpEnable, SrcBlend, DestBlend, BlendOp, SrcBlendAlpha, DestBlendAlpha, BlendOpAlpha,
            LogicOp, RenderTargetWriteMask,
        }
    }
}

prop_compose! {
    fn blend()(
        AlphaToCoverageEnable in bool32(),
        IndependentBlendEnable in bool32(),
        RenderTarget in prop::array::uniform8(target().boxed()),
    ) -> D3D12_BLEND_DESC {
        D3D12_BLEND_DESC { AlphaToCoverageEnable, IndependentBlendEnable, RenderTarget }
    }
}

prop_compose! {
    pub fn rasterizer()(
        (FillMode, CullMode, FrontCounterClockwise) in (value(), value(), bool32()),
        (DepthBias, DepthBiasClamp, SlopeScaledDepthBias) in (float(), float(), float()),
        (DepthClipEnable, LineRasterizationMode) in (bool32(), value()),
        (ForcedSampleCount, ConservativeRaster) in (number(), value()),
    ) -> D3D12_RASTERIZER_DESC2 {
        D3D12_RASTERIZER_DESC2 {
            FillMode, CullMode, FrontCounterClockwise, DepthBias, DepthBiasClamp, SlopeScaledDepthBias,
            DepthClipEnable, LineRasterizationMode, ForcedSampleCount, ConservativeRaster,
        }
    }
}

prop_compose! {
    fn stencil()(
        (StencilFailOp, StencilDepthFailOp, StencilPassOp, StencilFunc) in (value(), value(), value(), value()),
        (StencilReadMask, StencilWriteMask) in any::<(u8, u8)>(),
    ) -> D3D12_DEPTH_STENCILOP_DESC1 {
        D3D12_DEPTH_STENCILOP_DESC1 {
            StencilFailOp, StencilDepthFailOp, StencilPassOp, StencilFunc, StencilReadMask, StencilWriteMask,
        }
    }
}

prop_compose! {
    pub fn depth_stencil()(
        (DepthEnable, DepthWriteMask, DepthFunc) in (bool32(), value(), value()),
        (StencilEnable, FrontFace, BackFace) in (bool32(), stencil().boxed(), stencil().boxed()),
        DepthBoundsTestEnable in bool32(),
    ) -> D3D12_DEPTH_STENCIL_DESC2 {
        D3D12_DEPTH_STENCIL_DESC2 {
            DepthEnable, DepthWriteMask, DepthFunc, StencilEnable, FrontFace, BackFace, DepthBoundsTestEnable,
        }
    }
}

prop_compose! {
    fn element()(
        semantic_name in text(),
        (semantic_index, format, input_slot) in (number(), value(), number()),
        (aligned_byte_offset, input_slot_class, instance_data_step_rate) in (number(), value(), number()),
    ) -> InputElement {
        InputElement {
            semantic_name, semantic_index, format, input_slot, aligned_byte_offset, input_slot_class,
            instance_data_step_rate,
        }
    }
}

fn input_layout() -> impl Strategy<Value = Vec<InputElement>> {
    vec(element().boxed(), 0..5).prop_map(distinct)
}

prop_compose! {
    fn entry()(
        semantic in option::of((name(), number())),
        (stream, start_component, component_count, output_slot) in (0..2_u32, 0..2_u8, 0..2_u8, any::<bool>()),
    ) -> StreamOutputEntry {
        let (semantic_name, semantic_index) = semantic.unzip();
        let semantic_index = semantic_index.unwrap_or(0);
        StreamOutputEntry { stream, semantic_name, semantic_index, start_component, component_count, output_slot: output_slot.into() }
    }
}

prop_compose! {
    fn stream_output()(
        entries in vec(entry().boxed(), 0..8),
        strides in vec(number(), 0..=4),
        rasterized_stream in number(),
    ) -> StreamOutput {
        let mut kept: Vec<StreamOutputEntry> = Vec::new();
        for entry in entries {
            // Equal gaps may be there, wherever.
            if entry.semantic_name.is_none() || !kept.contains(&entry) {
                kept.push(entry);
            }
        }
        StreamOutput { entries: kept, strides, rasterized_stream }
    }
}

fn views() -> impl Strategy<Value = ViewInstancing> {
    let location =
        (number(), number()).prop_map(|(viewport, target)| D3D12_VIEW_INSTANCE_LOCATION {
            ViewportArrayIndex: viewport,
            RenderTargetArrayIndex: target,
        });
    (vec(location, 0..=4), number())
        .prop_map(|(locations, flags)| ViewInstancing { locations, flags })
}

fn formats() -> impl Strategy<Value = D3D12_RT_FORMAT_ARRAY> {
    (prop::array::uniform8(value()), 0..=8_u32).prop_map(|(formats, count)| D3D12_RT_FORMAT_ARRAY {
        RTFormats: formats,
        NumRenderTargets: count,
    })
}

fn sample_desc() -> impl Strategy<Value = DXGI_SAMPLE_DESC> {
    (number(), number()).prop_map(|(count, quality)| DXGI_SAMPLE_DESC {
        Count: count,
        Quality: quality,
    })
}

prop_compose! {
    fn fixed_function()(
        (stream_output, blend, sample_mask) in (option::of(stream_output().boxed()), option::of(blend().boxed()), option::of(number())),
        (rasterizer, depth_stencil) in (option::of(rasterizer().boxed()), option::of(depth_stencil().boxed())),
        (input_layout, ib_strip_cut_value) in (option::of(input_layout().boxed()), option::of(value())),
        (primitive_topology, render_target_formats) in (option::of(value()), option::of(formats().boxed())),
        (depth_stencil_format, sample_desc) in (option::of(value()), option::of(sample_desc().boxed())),
        (view_instancing, flags) in (option::of(views().boxed()), option::of(number())),
    ) -> FixedFunction {
        FixedFunction {
            stream_output, blend, sample_mask, rasterizer, depth_stencil, input_layout, ib_strip_cut_value,
            primitive_topology, render_target_formats, depth_stencil_format, sample_desc, view_instancing, flags,
        }
    }
}

prop_compose! {
    pub fn pipeline_state()(
        root_signature in option::of(blob()),
        shaders in prop::array::uniform8(option::of(blob())),
        fixed_function in fixed_function().boxed(),
        node_mask in option::of(number()),
    ) -> PipelineStateDesc {
        let mut desc = PipelineStateDesc { root_signature, fixed_function, node_mask, ..PipelineStateDesc::default() };
        for (stage, shader) in ShaderStage::ALL.into_iter().zip(shaders) {
            desc.shaders[stage] = shader;
        }
        desc
    }
}

fn exports() -> BoxedStrategy<Vec<Export>> {
    let export = (name(), option::of(text()), number());
    let export = export.prop_map(|(name, export_to_rename, flags)| Export {
        name,
        export_to_rename,
        flags,
    });
    vec(export, 0..4).boxed()
}

prop_compose! {
    fn hit_group()(
        (export, kind) in (text(), value()),
        (any_hit, closest_hit, intersection) in (option::of(text()), option::of(text()), option::of(text())),
    ) -> HitGroup {
        HitGroup { export, kind, any_hit, closest_hit, intersection }
    }
}

fn node_id() -> impl Strategy<Value = NodeId> {
    (name(), number()).prop_map(|(name, array_index)| NodeId { name, array_index })
}

/// With the one that says that nothing is shared.
fn shared() -> impl Strategy<Value = NodeId> {
    prop_oneof![node_id(), Just(NodeId::default())]
}

prop_compose! {
    fn output()(
        output_index in number(),
        new_name in option::of(node_id().boxed()),
        allow_sparse_nodes in option::of(any::<bool>()),
        max_records in option::of(number()),
        max_records_shared_with_output_index in option::of(number()),
    ) -> OutputOverrides {
        OutputOverrides {
            output_index, new_name, allow_sparse_nodes, max_records, max_records_shared_with_output_index,
        }
    }
}

prop_compose! {
    fn node()(
        (shader, overrides_type) in (text(), 0..=4_i32),
        (local_root_arguments_table_index, program_entry) in (option::of(number()), option::of(any::<bool>())),
        (new_name, share_input_of) in (option::of(node_id().boxed()), option::of(shared().boxed())),
        grids in prop::array::uniform2(option::of(prop::array::uniform3(number()))),
        outputs in vec(output().boxed(), 0..3),
    ) -> ShaderNode {
        let mut node = ShaderNode {
            shader, overrides_type, local_root_arguments_table_index, program_entry, new_name, share_input_of,
            dispatch_grid: None, max_dispatch_grid: None, outputs,
        };
        match overrides_type {
            0 => node = ShaderNode { shader: node.shader, ..ShaderNode::default() },
            1 => [node.dispatch_grid, node.max_dispatch_grid] = grids,
            _ => {}
        }
        node
    }
}

prop_compose! {
    fn graph()(
        (name, flags) in (text(), number()),
        entry_points in vec(node_id().boxed(), 0..3),
        nodes in vec(node().boxed(), 0..4),
    ) -> WorkGraph {
        WorkGraph { name, flags, entry_points, nodes }
    }
}

fn program() -> impl Strategy<Value = GenericProgram> {
    (option::of(text()), names(), fixed_function().boxed()).prop_map(|(name, exports, state)| {
        GenericProgram {
            name,
            exports: distinct(exports),
            state,
        }
    })
}

fn shader_config() -> impl Strategy<Value = D3D12_RAYTRACING_SHADER_CONFIG> {
    (number(), number()).prop_map(|(payload, attributes)| D3D12_RAYTRACING_SHADER_CONFIG {
        MaxPayloadSizeInBytes: payload,
        MaxAttributeSizeInBytes: attributes,
    })
}

fn pipeline_config() -> impl Strategy<Value = D3D12_RAYTRACING_PIPELINE_CONFIG1> {
    (number(), number()).prop_map(|(depth, flags)| D3D12_RAYTRACING_PIPELINE_CONFIG1 {
        MaxTraceRecursionDepth: depth,
        Flags: flags,
    })
}

/// Of collections.
pub fn keys() -> Vec<Vec<u8>> {
    vec![b"first".to_vec(), vec![0, 255, 0], vec![7; 300]]
}

prop_compose! {
    /// Made from collections of these keys.
    pub fn state_object(keys: Vec<Vec<u8>>)(
        (kind, config, node_mask) in (value(), option::of(number()), option::of(number())),
        (global_root_signatures, local_root_signatures) in (vec(blob(), 0..3), vec(blob(), 0..3)),
        libraries in vec((blob(), exports()), 0..4),
        collections in vec((any::<prop::sample::Index>(), exports()), 0..4),
        (hit_groups, shader_configs) in (vec(hit_group().boxed(), 0..4), vec(shader_config().boxed(), 0..3)),
        pipeline_configs in vec(pipeline_config().boxed(), 0..3),
        (generic_programs, work_graphs) in (vec(program().boxed(), 0..3), vec(graph().boxed(), 0..3)),
        associations in vec((0..6, any::<prop::sample::Index>(), names()), 0..5),
        dxil_associations in vec((text(), names()), 0..3),
        keys in Just(keys),
    ) -> StateObjectDesc {
        let mut desc = StateObjectDesc {
            kind, config, node_mask, global_root_signatures, local_root_signatures, hit_groups, shader_configs,
            pipeline_configs, generic_programs, work_graphs, ..StateObjectDesc::default()
        };
        desc.libraries = libraries.into_iter().map(|(bytecode, exports)| DxilLibrary { bytecode, exports }).collect();
        if !keys.is_empty() {
            let collection = |(index, exports): (prop::sample::Index, _)| ExistingCollection {
                collection: index.get(&keys).clone(),
                exports,
            };
            let collections = collections.into_iter().map(collection);
            for collection in collections {
                // Each is there once with a list, and once with all of its exports.
                let is_there = desc.collections.iter().any(|there| {
                    there.collection == collection.collection
                        && there.exports.is_empty() == collection.exports.is_empty()
                });
                if !is_there {
                    desc.collections.push(collection);
                }
            }
        }
        for (what, index, exports) in associations {
            let place = |len: usize| (len != 0).then(|| index.index(len));
            let subobject = match what {
                0 => desc.config.map(|_| Associated::Config),
                1 => desc.node_mask.map(|_| Associated::NodeMask),
                2 => place(desc.global_root_signatures.len()).map(Associated::GlobalRootSignature),
                3 => place(desc.local_root_signatures.len()).map(Associated::LocalRootSignature),
                4 => place(desc.shader_configs.len()).map(Associated::ShaderConfig),
                _ => place(desc.pipeline_configs.len()).map(Associated::PipelineConfig),
            };
            desc.associations.extend(subobject.map(|subobject| Association { subobject, exports }));
        }
        let association = |(subobject, exports)| DxilAssociation { subobject, exports };
        desc.dxil_associations = dxil_associations.into_iter().map(association).collect();
        desc
    }
}

/// Some of a few, so that many are equal.
pub fn repeated<T: Clone + std::fmt::Debug>(
    one: impl Strategy<Value = T>,
) -> impl Strategy<Value = Vec<T>> {
    let picks = vec(any::<prop::sample::Index>(), 0..6);
    (vec(one, 1..4), picks).prop_map(|(descs, picks)| {
        let picks = picks.iter();
        picks.map(|pick| pick.get(&descs).clone()).collect()
    })
}

pub fn distinct<T: PartialEq>(items: Vec<T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

/// What only the first of equal ones says.
fn collapse<T: PartialEq>(items: &mut Vec<T>) {
    *items = distinct(std::mem::take(items));
}

/// The equivalent description that a database gives back.
pub trait Equivalent {
    #[must_use]
    fn equivalent(self) -> Self;
}

impl Equivalent for FixedFunction {
    fn equivalent(mut self) -> Self {
        if let Some(blend) = &mut self.blend
            && !blend.IndependentBlendEnable.as_bool()
        {
            // Of the others nothing is used.
            let unused = D3D12_RENDER_TARGET_BLEND_DESC {
                BlendEnable: BOOL(0),
                LogicOpEnable: BOOL(0),
                SrcBlend: api_sys::D3D12_BLEND_ONE,
                DestBlend: api_sys::D3D12_BLEND_ZERO,
                BlendOp: api_sys::D3D12_BLEND_OP_ADD,
                SrcBlendAlpha: api_sys::D3D12_BLEND_ONE,
                DestBlendAlpha: api_sys::D3D12_BLEND_ZERO,
                BlendOpAlpha: api_sys::D3D12_BLEND_OP_ADD,
                LogicOp: api_sys::D3D12_LOGIC_OP_NOOP,
                RenderTargetWriteMask: 15,
            };
            blend.RenderTarget[1..].fill(unused);
        }
        self
    }
}

impl Equivalent for PipelineStateDesc {
    fn equivalent(mut self) -> Self {
        self.fixed_function = self.fixed_function.equivalent();
        self
    }
}

impl Equivalent for StateObjectDesc {
    fn equivalent(mut self) -> Self {
        for program in &mut self.generic_programs {
            program.state = std::mem::take(&mut program.state).equivalent();
        }
        for association in &mut self.associations {
            collapse(&mut association.exports);
        }
        for association in &mut self.dxil_associations {
            collapse(&mut association.exports);
        }
        self
    }
}
