//! The state of graphics pipelines that is no shader, reduced to what the hardware reads of it.
//!
//! Blend factors of a target that does not blend, stencil operations without a stencil test: a host may
//! leave anything there, so it is neither judged, nor in keys and object code.

use plugin_sdk::ddi::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_FORMAT_SUPPORT_BLENDABLE,
    D3D12DDI_FORMAT_SUPPORT_OUTPUT_MERGER_LOGIC_OP, D3D12DDI_FORMAT_SUPPORT_RENDERTARGET,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12DDI_PIPELINE_STATE_FLAGS,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE, D3D12DDI_RASTERIZER_DESC_0102,
    D3D12DDI_RENDER_TARGET_BLEND_DESC, D3D12DDI_VIEW_INSTANCE_LOCATION,
    D3D12DDI_VIEW_INSTANCING_FLAGS, DXGI_FORMAT, DXGI_FORMAT_UNKNOWN, DXGI_SAMPLE_DESC,
    Enumeration, Flags,
};
use plugin_sdk::desc::{
    Describe, Field, Fields, InputLayout, PipelineStateDesc, ShaderStage, StreamOutput,
    unknown_values,
};
use plugin_sdk::{Error, Result};

use crate::families::Generation;
use crate::formats;

/// DXGI_CENTER_MULTISAMPLE_QUALITY_PATTERN; the standard pattern is one more. They go with every sample
/// count.
const CENTER_PATTERN: u32 = 0xFFFF_FFFE;

/// The fixed-function state of one graphics pipeline or generic program; `None` and zero are the
/// defaults.
#[derive(Clone, Copy, Default)]
pub(crate) struct FixedFunction<'a> {
    pub(crate) blend: Option<&'a D3D12DDI_BLEND_DESC_0010>,
    pub(crate) sample_mask: u32,
    pub(crate) rasterizer: Option<&'a D3D12DDI_RASTERIZER_DESC_0102>,
    pub(crate) depth_stencil: Option<&'a D3D12DDI_DEPTH_STENCIL_DESC_0095>,
    pub(crate) input_layout: Option<InputLayout<'a>>,
    pub(crate) strip_cut: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    pub(crate) topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    pub(crate) render_targets: &'a [DXGI_FORMAT],
    pub(crate) depth_stencil_format: DXGI_FORMAT,
    pub(crate) samples: (u32, u32),
    pub(crate) view_instances: &'a [D3D12DDI_VIEW_INSTANCE_LOCATION],
    pub(crate) view_instancing: D3D12DDI_VIEW_INSTANCING_FLAGS,
    pub(crate) flags: D3D12DDI_PIPELINE_STATE_FLAGS,
    pub(crate) stream_output: Option<StreamOutput<'a>>,
}

impl<'a> FixedFunction<'a> {
    /// The state of a pipeline.
    pub(crate) fn of(desc: &PipelineStateDesc<'a>) -> Self {
        let DXGI_SAMPLE_DESC { Count, Quality } = desc.sample_desc();
        Self {
            blend: desc.blend(),
            sample_mask: desc.sample_mask(),
            rasterizer: desc.rasterizer(),
            depth_stencil: desc.depth_stencil(),
            input_layout: desc.input_layout().copied(),
            strip_cut: desc.index_buffer_strip_cut_value(),
            topology: desc.primitive_topology_type(),
            render_targets: desc.render_target_formats(),
            depth_stencil_format: desc.depth_stencil_format(),
            samples: (Count, Quality),
            view_instances: desc.view_instances(),
            view_instancing: desc.view_instancing_flags(),
            flags: desc.flags(),
            stream_output: desc
                .shader(ShaderStage::Geometry)
                .and_then(|s| s.stream_output),
        }
    }

    /// Checks that the hardware can do it.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG for values that the DDI does not define, DXGI_ERROR_UNSUPPORTED for formats and
    /// sample counts that the generation cannot render to.
    pub(crate) fn check(&self, generation: Generation) -> Result<()> {
        if let Some(unknown) = unknown_values(self).first() {
            let message = format!("{} is {}, which is undefined", unknown.path, unknown.value);
            return Err(Error::invalid_argument(message));
        }
        let samples = |format| {
            let (count, quality) = self.samples;
            let levels = formats::quality_levels(generation, format, count);
            count <= 1 || levels > 0 && (quality < levels || quality >= CENTER_PATTERN)
        };
        for (index, &format) in self.render_targets.iter().enumerate() {
            if format == DXGI_FORMAT_UNKNOWN {
                continue;
            }
            let mut needs = D3D12DDI_FORMAT_SUPPORT_RENDERTARGET;
            if let Some(target) = self.blend_of(index) {
                if target.BlendEnable != 0 {
                    needs |= D3D12DDI_FORMAT_SUPPORT_BLENDABLE;
                }
                if target.LogicOpEnable != 0 {
                    needs |= D3D12DDI_FORMAT_SUPPORT_OUTPUT_MERGER_LOGIC_OP;
                }
            }
            if needs & !formats::support(generation, format) != 0 || !samples(format) {
                return Err(Error::unsupported(format!(
                    "render target {index}: {format:?}, {:?} samples, support {needs:#x}",
                    self.samples
                )));
            }
        }
        let depth = self.depth_stencil_format;
        if depth != DXGI_FORMAT_UNKNOWN && !(formats::is_depth_stencil(depth) && samples(depth)) {
            return Err(Error::unsupported(format!(
                "depth-stencil buffer: {depth:?}, {:?} samples",
                self.samples
            )));
        }
        Ok(())
    }

    /// How a render target blends.
    fn blend_of(&self, target: usize) -> Option<&'a D3D12DDI_RENDER_TARGET_BLEND_DESC> {
        let blend = self.blend?;
        let independent = blend.IndependentBlendEnable != 0;
        blend.RenderTarget.get(if independent { target } else { 0 })
    }
}

impl Describe for FixedFunction<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        let alpha_to_coverage = self.blend.map_or(0, |blend| blend.AlphaToCoverageEnable);
        to.field("AlphaToCoverageEnable", boolean(alpha_to_coverage));
        to.field(
            "NumRenderTargets",
            Field::Unsigned(self.render_targets.len() as u64),
        );
        for (index, &format) in self.render_targets.iter().enumerate() {
            to.field("RTVFormats", enumeration(format));
            match self.blend_of(index) {
                Some(blend) => to.group("RenderTarget", Some(index), &Blend(blend)),
                None => to.field("RenderTarget", Field::Absent),
            }
        }
        to.field("DSVFormat", enumeration(self.depth_stencil_format));
        to.field("SampleMask", Field::Unsigned(self.sample_mask.into()));
        to.field("Count", Field::Unsigned(self.samples.0.into()));
        to.field("Quality", Field::Unsigned(self.samples.1.into()));
        optional(to, "RasterizerState", self.rasterizer);
        optional(
            to,
            "DepthStencilState",
            self.depth_stencil.map(DepthStencil).as_ref(),
        );
        optional(to, "ElementLayout", self.input_layout.as_ref());
        optional(to, "StreamOutput", self.stream_output.as_ref());
        to.field("IBStripCutValue", enumeration(self.strip_cut));
        to.field("PrimitiveTopologyType", enumeration(self.topology));
        to.field(
            "ViewInstanceCount",
            Field::Unsigned(self.view_instances.len() as u64),
        );
        for (index, location) in self.view_instances.iter().enumerate() {
            to.group("ViewInstance", Some(index), location);
        }
        to.field("ViewInstancing", flags(self.view_instancing));
        to.field("Flags", flags(self.flags));
    }
}

fn optional<T: Describe>(to: &mut dyn Fields, name: &'static str, state: Option<&T>) {
    match state {
        Some(state) => to.group(name, None, state),
        None => to.field(name, Field::Absent),
    }
}

/// What is read of the blending of one target.
struct Blend<'a>(&'a D3D12DDI_RENDER_TARGET_BLEND_DESC);

impl Describe for Blend<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        let Self(b) = self;
        to.field(
            "RenderTargetWriteMask",
            Field::Unsigned(b.RenderTargetWriteMask.into()),
        );
        to.field("BlendEnable", boolean(b.BlendEnable));
        if b.BlendEnable != 0 {
            to.field("SrcBlend", enumeration(b.SrcBlend));
            to.field("DestBlend", enumeration(b.DestBlend));
            to.field("BlendOp", enumeration(b.BlendOp));
            to.field("SrcBlendAlpha", enumeration(b.SrcBlendAlpha));
            to.field("DestBlendAlpha", enumeration(b.DestBlendAlpha));
            to.field("BlendOpAlpha", enumeration(b.BlendOpAlpha));
        }
        to.field("LogicOpEnable", boolean(b.LogicOpEnable));
        if b.LogicOpEnable != 0 {
            to.field("LogicOp", enumeration(b.LogicOp));
        }
    }
}

/// What is read of the tests of depth and stencil.
struct DepthStencil<'a>(&'a D3D12DDI_DEPTH_STENCIL_DESC_0095);

impl Describe for DepthStencil<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        let Self(d) = self;
        to.field("DepthEnable", boolean(d.DepthEnable));
        if d.DepthEnable != 0 {
            to.field("DepthWriteMask", enumeration(d.DepthWriteMask));
            to.field("DepthFunc", enumeration(d.DepthFunc));
        }
        to.field("DepthBoundsTestEnable", boolean(d.DepthBoundsTestEnable));
        to.field("StencilEnable", boolean(d.StencilEnable));
        if d.StencilEnable == 0 {
            return;
        }
        to.field("FrontEnable", boolean(d.FrontEnable));
        to.field("BackEnable", boolean(d.BackEnable));
        for (name, mask) in [
            ("FrontFaceStencilReadMask", d.FrontFaceStencilReadMask),
            ("FrontFaceStencilWriteMask", d.FrontFaceStencilWriteMask),
            ("BackFaceStencilReadMask", d.BackFaceStencilReadMask),
            ("BackFaceStencilWriteMask", d.BackFaceStencilWriteMask),
        ] {
            to.field(name, Field::Unsigned(mask.into()));
        }
        to.group("FrontFace", None, &d.FrontFace);
        to.group("BackFace", None, &d.BackFace);
    }
}

fn boolean(value: i32) -> Field<'static> {
    Field::Bool(value != 0)
}

fn enumeration<T: Enumeration>(value: T) -> Field<'static> {
    Field::Enumeration {
        value: value.value(),
        name: value.name(),
    }
}

fn flags<T: Flags>(value: T) -> Field<'static> {
    Field::Flags {
        bits: value.value(),
        unknown: value.value() & !T::KNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable as _;
    use plugin_sdk::KeyBuilder;
    use plugin_sdk::ddi::{
        D3D12DDI_BLEND, D3D12DDI_BLEND_ONE, D3D12DDI_BLEND_OP_ADD, D3D12DDI_COMPARISON_FUNC,
        D3D12DDI_STENCIL_OP, DXGI_ERROR_UNSUPPORTED, DXGI_FORMAT_D32_FLOAT,
        DXGI_FORMAT_R8G8B8A8_UINT, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R32G32B32A32_FLOAT,
        E_INVALIDARG,
    };

    /// Owns what a description borrows.
    #[derive(Clone)]
    struct State {
        blend: D3D12DDI_BLEND_DESC_0010,
        depth_stencil: D3D12DDI_DEPTH_STENCIL_DESC_0095,
        formats: Vec<DXGI_FORMAT>,
        depth_stencil_format: DXGI_FORMAT,
        samples: (u32, u32),
        topology: i32,
        rasterized_stream: Option<u32>,
    }

    impl State {
        fn new(change: impl Fn(&mut Self)) -> Self {
            let mut state = Self {
                blend: D3D12DDI_BLEND_DESC_0010::zeroed(),
                depth_stencil: D3D12DDI_DEPTH_STENCIL_DESC_0095::zeroed(),
                formats: vec![DXGI_FORMAT_R8G8B8A8_UNORM],
                depth_stencil_format: DXGI_FORMAT_UNKNOWN,
                samples: (1, 0),
                topology: 3,
                rasterized_stream: None,
            };
            change(&mut state);
            state
        }

        fn view(&self) -> FixedFunction<'_> {
            FixedFunction {
                blend: Some(&self.blend),
                depth_stencil: Some(&self.depth_stencil),
                render_targets: &self.formats,
                depth_stencil_format: self.depth_stencil_format,
                samples: self.samples,
                topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE(self.topology),
                stream_output: self
                    .rasterized_stream
                    .map(|rasterized_stream| StreamOutput {
                        entries: &[],
                        strides: &[16],
                        rasterized_stream,
                    }),
                ..FixedFunction::default()
            }
        }
    }

    fn key(change: impl Fn(&mut State)) -> plugin_sdk::Key {
        let state = State::new(change);
        KeyBuilder::new("test")
            .describe("state", &state.view())
            .finish()
    }

    fn check(change: impl Fn(&mut State)) -> Result<()> {
        State::new(change).view().check(Generation::Cirrus)
    }

    fn blending(state: &mut State) {
        let target = &mut state.blend.RenderTarget[0];
        target.BlendEnable = 1;
        (target.SrcBlend, target.DestBlend) = (D3D12DDI_BLEND_ONE, D3D12DDI_BLEND_ONE);
        (target.SrcBlendAlpha, target.DestBlendAlpha) = (D3D12DDI_BLEND_ONE, D3D12DDI_BLEND_ONE);
        (target.BlendOp, target.BlendOpAlpha) = (D3D12DDI_BLEND_OP_ADD, D3D12DDI_BLEND_OP_ADD);
    }

    #[test]
    fn what_is_not_read_neither_counts_nor_is_judged() {
        let garbage = |state: &mut State| {
            state.blend.RenderTarget[0].SrcBlend = D3D12DDI_BLEND(99);
            state.blend.RenderTarget[1].BlendEnable = 1;
            state.blend.RenderTarget[1].DestBlend = D3D12DDI_BLEND(99);
            state.depth_stencil.DepthFunc = D3D12DDI_COMPARISON_FUNC(99);
            state.depth_stencil.FrontFace.StencilPassOp = D3D12DDI_STENCIL_OP(99);
            state.depth_stencil.FrontFaceStencilReadMask = 99;
        };
        assert_eq!(key(|_| {}), key(garbage));
        check(garbage).unwrap();
    }

    #[test]
    fn what_is_read_counts() {
        let changes: [fn(&mut State); 11] = [
            |_| {},
            |s| s.blend.RenderTarget[0].RenderTargetWriteMask = 15,
            |s| s.blend.AlphaToCoverageEnable = 1,
            blending,
            |s| {
                blending(s);
                s.blend.RenderTarget[0].DestBlend = D3D12DDI_BLEND(1);
            },
            |s| s.depth_stencil.DepthEnable = 1,
            |s| s.formats[0] = DXGI_FORMAT_R8G8B8A8_UINT,
            |s| s.samples.0 = 4,
            |s| s.topology = 2,
            |s| s.rasterized_stream = Some(0),
            |s| s.rasterized_stream = Some(1),
        ];
        for (i, a) in changes.iter().enumerate() {
            for b in &changes[i + 1..] {
                assert_ne!(key(a), key(b));
            }
        }
    }

    #[test]
    fn what_the_hardware_cannot_do_is_refused() {
        let unsupported = Some(DXGI_ERROR_UNSUPPORTED);
        let invalid = Some(E_INVALIDARG);
        let cases: [(fn(&mut State), _); 15] = [
            (|_| {}, None),
            (|s| s.formats.clear(), None),
            (|s| s.formats[0] = DXGI_FORMAT_UNKNOWN, None),
            (|s| s.depth_stencil_format = DXGI_FORMAT_D32_FLOAT, None),
            (|s| s.samples = (8, 0), None),
            (|s| s.samples = (4, u32::MAX), None),
            (|s| s.samples = (4, 1), unsupported),
            (|s| s.samples = (16, u32::MAX), unsupported),
            (|s| s.topology = 5, invalid),
            (|s| s.formats[0] = DXGI_FORMAT(1000), invalid),
            (|s| s.formats[0] = DXGI_FORMAT_D32_FLOAT, unsupported),
            (
                |s| s.depth_stencil_format = DXGI_FORMAT_R8G8B8A8_UNORM,
                unsupported,
            ),
            (|s| s.samples = (3, 0), unsupported),
            // 128 bits have 4 samples at most here.
            (
                |s| {
                    s.formats[0] = DXGI_FORMAT_R32G32B32A32_FLOAT;
                    s.samples = (8, 0);
                },
                unsupported,
            ),
            // Integers do not blend.
            (
                |s| {
                    blending(s);
                    s.formats[0] = DXGI_FORMAT_R8G8B8A8_UINT;
                },
                unsupported,
            ),
        ];
        for (index, (change, expected)) in cases.into_iter().enumerate() {
            assert_eq!(
                check(change).err().map(|e| e.hresult()),
                expected,
                "case {index}"
            );
        }
    }
}
