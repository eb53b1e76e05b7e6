//! Translates pipeline states to D3D12DDIARG_CREATE_PIPELINE_STATE_0099.

use std::marker::PhantomData;

use api_desc::{PipelineStateDesc, RecordPlaces, ShaderStage, StreamOutput};
use api_sys::{
    D3D12_PIPELINE_STATE_FLAG_DISABLE_CACHED_BLOB, D3D12_PIPELINE_STATE_FLAG_TOOL_DEBUG,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING, D3D12_RT_FORMAT_ARRAY,
};
use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_HBLENDSTATE,
    D3D12DDI_HDEPTHSTENCILSTATE, D3D12DDI_HELEMENTLAYOUT, D3D12DDI_HRASTERIZERSTATE,
    D3D12DDI_HROOTSIGNATURE, D3D12DDI_HSHADER, D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    D3D12DDI_PIPELINE_STATE_FLAGS, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED,
    D3D12DDI_RASTERIZER_DESC_0102, D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, D3D12DDIARG_CREATE_SHADER_0026, DXGI_FORMAT,
    DXGI_FORMAT_UNKNOWN, UINT,
};
use dxil::RootSignature;

use super::arena::Arena;
use super::fixed_function::{self, VertexElement};
use super::root_signature::{self, Scope};
use super::shader::{self, Code, Shader, Shaders, Stage};
use super::target::Capabilities;
use super::validate::{self, GraphicsState, PipelineKind};
use super::{Invalid, length};
use crate::message::{MessageId, Messages};

/// A translated pipeline state: the DDI's description, and the memory of what it points to.
///
/// Programs stay in the caller's memory: a plugin keeps nothing of a pipeline after the call that compiles it.
#[derive(Debug)]
pub struct PipelineState<'a> {
    /// In the arena.
    arg: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    _arena: Arena,
    programs: PhantomData<&'a [u8]>,
}

impl<'a> PipelineState<'a> {
    /// Translates and validates a description. Adds errors, warnings and remarks to `messages`, with places from `places`.
    /// Without a target, it skips the checks that depend on one.
    ///
    /// # Errors
    ///
    /// The description has a fault that the D3D12 runtime refuses without asking a device (docs/runtime-validation.md). The
    /// error is the first one in `messages`.
    pub fn new(
        desc: &PipelineStateDesc<&'a [u8]>,
        places: &RecordPlaces,
        target: Option<&Capabilities>,
        messages: &mut Messages,
    ) -> Result<Self, Invalid> {
        let first = messages.as_slice().len();
        let translated = translate(desc, places, target, messages);
        let (arg, arena) = translated.map_err(|invalid| messages.refuse(invalid))?;
        messages.check_from(first)?;
        Ok(Self {
            arg,
            _arena: arena,
            programs: PhantomData,
        })
    }

    /// The description. What it points to is valid as long as `self`.
    pub fn arg(&self) -> &D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        // SAFETY: `translate` put it into the arena, which lives as long as `self` and which nothing
        // writes to any more.
        unsafe { &*self.arg }
    }
}

/// The description, and the arena that it is in.
type Translated = (*const D3D12DDIARG_CREATE_PIPELINE_STATE_0099, Arena);

fn translate(
    desc: &PipelineStateDesc<&[u8]>,
    places: &RecordPlaces,
    target: Option<&Capabilities>,
    messages: &mut Messages,
) -> Result<Translated, Invalid> {
    let mut shaders = read_shaders(desc, places)?;
    let kind = validate::pipeline_kind(&shaders)?;
    if kind == PipelineKind::Compute && shaders.remove(Stage::Pixel) {
        let text = "the pixel shader beside the compute shader is ignored";
        messages.warning(MessageId::UNKNOWN, text);
    }
    let root_signature = read_root_signature(desc, places, &shaders, kind)?;
    if desc.has_cached_blob {
        let text = "the cached blob is ignored: it is of a driver on a device";
        messages.info(MessageId::CREATEPIPELINESTATE_CACHEDBLOBIGNORED, text);
    }

    let mut arena = Arena::new();
    // The API's 0 means the only node.
    let node_mask = desc.node_mask.unwrap_or(0).max(1);
    let root = root_signature::translate(&root_signature, node_mask, &mut arena);
    let root = D3D12DDI_HROOTSIGNATURE {
        pDrvPrivate: shader::pointer(root),
    };
    let mut arg = D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        hRootSignature: root,
        NodeMask: node_mask,
        Flags: flags(desc, places)?,
        ..Zeroable::zeroed()
    };
    for shader in shaders.iter() {
        if shader.stage != Stage::Geometry {
            let create = shader.create_arg(root, Code::Borrowed, &mut arena);
            *shader::handle(&mut arg, shader.stage) = D3D12DDI_HSHADER {
                pDrvPrivate: shader::pointer(arena.put(create)),
            };
        }
    }
    if kind == PipelineKind::Compute {
        validate::check_bindings(&shaders, &root_signature, messages);
        if let Some(target) = target {
            validate::check_shader_models(&shaders, target, messages);
        }
    } else {
        let graphics = Graphics::read(desc, places, target, messages)?;
        graphics.put(&shaders, kind, &mut arg, &mut arena)?;
        let state = GraphicsState {
            target,
            ..graphics.state(&shaders, &root_signature, &arg)
        };
        validate::graphics(&state, messages);
    }
    Ok((arena.put(arg), arena))
}

fn read_shaders<'a>(
    desc: &PipelineStateDesc<&'a [u8]>,
    places: &RecordPlaces,
) -> Result<Shaders<'a>, Invalid> {
    let mut shaders = Shaders::default();
    for (stage, of_api) in [
        (Stage::Vertex, ShaderStage::Vertex),
        (Stage::Pixel, ShaderStage::Pixel),
        (Stage::Domain, ShaderStage::Domain),
        (Stage::Hull, ShaderStage::Hull),
        (Stage::Geometry, ShaderStage::Geometry),
        (Stage::Compute, ShaderStage::Compute),
        (Stage::Amplification, ShaderStage::Amplification),
        (Stage::Mesh, ShaderStage::Mesh),
    ] {
        if let Some(bytes) = desc.shaders[of_api] {
            let shader = Shader::new(stage, bytes);
            shaders.insert(shader.map_err(|error| error.at(places.of(of_api.record_type())))?);
        }
    }
    Ok(shaders)
}

/// The root signature of the description, or else the one that is embedded in the shaders.
fn read_root_signature<'a>(
    desc: &PipelineStateDesc<&'a [u8]>,
    places: &RecordPlaces,
    shaders: &Shaders<'a>,
    kind: PipelineKind,
) -> Result<RootSignature<'a>, Invalid> {
    let place = places.of(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE);
    if desc.has_root_signature_object {
        let object = places.of(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE);
        return Err(match desc.root_signature {
            Some(_) => Invalid::new(
                MessageId::CREATEPIPELINESTATE_MULTIPLE_ROOT_SIGNATURES_DEFINED,
                format!("{object} and {place} exclude each other"),
            ),
            None => Invalid::other(
                "an ID3D12RootSignature belongs to a device, and there is none: give a \
                 SERIALIZED_ROOT_SIGNATURE in its place",
            )
            .at(object),
        });
    }
    if let Some(bytes) = desc.root_signature {
        return root_signature::read(bytes, Scope::Global).map_err(|error| error.at(place));
    }
    let mut found: Option<(Stage, RootSignature<'a>)> = None;
    for shader in shaders.iter() {
        let stage = shader.stage;
        let embedded = root_signature::embedded(&shader.container);
        let Some(embedded) = embedded.map_err(|error| error.at(stage))? else {
            continue;
        };
        match &found {
            Some((first, root_signature)) if *root_signature != embedded => {
                let text = format!("the root signatures embedded in {first} and {stage} differ");
                let id = MessageId::CREATEPIPELINESTATE_MULTIPLE_ROOT_SIGNATURES_DEFINED;
                return Err(Invalid::new(id, text));
            }
            Some(_) => {}
            None => found = Some((stage, embedded)),
        }
    }
    found.map(|(_, root_signature)| root_signature).ok_or_else(|| {
        let id = match kind {
            PipelineKind::Compute => MessageId::CREATECOMPUTEPIPELINESTATE_MISSING_ROOT_SIGNATURE,
            _ => MessageId::CREATEGRAPHICSPIPELINESTATE_MISSING_ROOT_SIGNATURE,
        };
        let text = "there is no root signature: neither in a record SERIALIZED_ROOT_SIGNATURE nor \
                    embedded in a shader";
        Invalid::new(id, text)
    })
}

fn flags(
    desc: &PipelineStateDesc<&[u8]>,
    places: &RecordPlaces,
) -> Result<D3D12DDI_PIPELINE_STATE_FLAGS, Invalid> {
    let Some(flags) = desc.fixed_function.flags else {
        return Ok(D3D12DDI_PIPELINE_STATE_FLAGS::default());
    };
    let invalid = |text: String| {
        let id = MessageId::CREATEPIPELINESTATE_INVALID_FLAGS;
        Invalid::new(id, text).at(places.of(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS))
    };
    // The runtime alone decides about the blob.
    let flags = flags & !D3D12_PIPELINE_STATE_FLAG_DISABLE_CACHED_BLOB;
    if flags & D3D12_PIPELINE_STATE_FLAG_TOOL_DEBUG != 0 {
        return Err(invalid("TOOL_DEBUG is for WARP devices only".into()));
    }
    let known = ddi_sys::D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS
        | ddi_sys::D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_INDEX_BUFFER_STRIP_CUT;
    let translated = D3D12DDI_PIPELINE_STATE_FLAGS(flags.cast_signed());
    if !known.contains(translated) {
        return Err(invalid(format!(
            "flags {:#x} do not exist",
            flags & !known.0.cast_unsigned()
        )));
    }
    Ok(translated)
}

/// The state that only a graphics pipeline has, with defaults for what the description leaves out.
struct Graphics<'a> {
    desc: &'a api_desc::FixedFunction,
    places: &'a RecordPlaces,
    blend: D3D12DDI_BLEND_DESC_0010,
    rasterizer: D3D12DDI_RASTERIZER_DESC_0102,
    depth_stencil: D3D12DDI_DEPTH_STENCIL_DESC_0095,
    input_layout: Option<Vec<VertexElement<'a>>>,
    stream_output: Option<&'a StreamOutput>,
    topology: Option<D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE>,
    render_targets: Option<D3D12_RT_FORMAT_ARRAY>,
    depth_stencil_format: Option<DXGI_FORMAT>,
}

impl<'a> Graphics<'a> {
    fn read(
        desc: &'a PipelineStateDesc<&[u8]>,
        places: &'a RecordPlaces,
        target: Option<&Capabilities>,
        messages: &mut Messages,
    ) -> Result<Self, Invalid> {
        let desc = &desc.fixed_function;
        let (render_targets, depth_stencil_format) = validate::usable_formats(
            desc.render_target_formats,
            desc.depth_stencil_format.map(DXGI_FORMAT),
            target,
            messages,
        );
        let depth_stencil = match desc.depth_stencil {
            Some(desc) => fixed_function::depth_stencil(desc),
            // Without depth-stencil state, the default tests depth if there is a buffer.
            None => fixed_function::default_depth_stencil(
                depth_stencil_format.is_some_and(|format| format != DXGI_FORMAT_UNKNOWN),
            ),
        };
        let stream_output = desc.stream_output.as_ref();
        let stream_output = stream_output.map(fixed_function::stream_output).transpose();
        let stream_output = stream_output.map_err(|error| {
            error.at(places.of(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT))
        })?;
        Ok(Self {
            desc,
            places,
            blend: desc
                .blend
                .as_ref()
                .map_or_else(fixed_function::default_blend, fixed_function::blend),
            rasterizer: desc.rasterizer.map_or_else(
                fixed_function::default_rasterizer,
                fixed_function::rasterizer,
            ),
            depth_stencil,
            input_layout: desc
                .input_layout
                .as_deref()
                .map(fixed_function::vertex_elements),
            stream_output: stream_output.flatten(),
            topology: desc
                .primitive_topology
                .map(D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE),
            render_targets,
            depth_stencil_format,
        })
    }

    /// Writes this state into the DDI's description.
    fn put(
        &self,
        shaders: &Shaders<'_>,
        kind: PipelineKind,
        arg: &mut D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
        arena: &mut Arena,
    ) -> Result<(), Invalid> {
        if kind == PipelineKind::Vertex {
            self.put_geometry_shader(shaders, arg, arena);
            let input = shaders.get(Stage::Vertex).and_then(|shader| shader.input);
            let elements = self.input_layout.as_deref().unwrap_or_default();
            let layout = fixed_function::element_layout(elements, input.as_ref(), arena);
            arg.hElementLayout = D3D12DDI_HELEMENTLAYOUT {
                pDrvPrivate: shader::pointer(arena.put(layout)),
            };
        }
        arg.hBlendState = D3D12DDI_HBLENDSTATE {
            pDrvPrivate: shader::pointer(arena.put(self.blend)),
        };
        arg.SampleMask = self.desc.sample_mask.unwrap_or(UINT::MAX);
        arg.hRasterizerState = D3D12DDI_HRASTERIZERSTATE {
            pDrvPrivate: shader::pointer(arena.put(self.rasterizer)),
        };
        arg.hDepthStencilState = D3D12DDI_HDEPTHSTENCILSTATE {
            pDrvPrivate: shader::pointer(arena.put(self.depth_stencil)),
        };
        arg.IBStripCutValue =
            D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE(self.desc.ib_strip_cut_value.unwrap_or(0));
        arg.PrimitiveTopologyType = self.topology.unwrap_or_else(|| match kind {
            PipelineKind::Mesh => D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED,
            _ => validate::implied_topology(shaders)
                .unwrap_or(D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE),
        });
        if let Some(targets) = self.render_targets {
            arg.NumRenderTargets = targets.NumRenderTargets;
            arg.RTVFormats = targets.RTFormats.map(DXGI_FORMAT);
        }
        arg.DSVFormat = self.depth_stencil_format.unwrap_or(DXGI_FORMAT_UNKNOWN);
        arg.SampleDesc = fixed_function::sample_desc(self.desc.sample_desc);
        if let Some(views) = &self.desc.view_instancing {
            let views = fixed_function::view_instancing(views, arena);
            arg.ViewInstancingDesc = views.map_err(|error| {
                let kind = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING;
                error.at(self.places.of(kind))
            })?;
        }
        Ok(())
    }

    /// The geometry shader with its stream output. For stream output without a geometry shader this makes one without code,
    /// which passes on what the stage before it outputs.
    fn put_geometry_shader(
        &self,
        shaders: &Shaders<'_>,
        arg: &mut D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
        arena: &mut Arena,
    ) {
        let root = arg.hRootSignature;
        let last = shaders.last_before_rasterizer();
        let output = last.and_then(|shader| shader.output);
        let create_shader = match (shaders.get(Stage::Geometry), self.stream_output) {
            (Some(geometry), _) => geometry.create_arg(root, Code::Borrowed, arena),
            (None, Some(_)) => D3D12DDIARG_CREATE_SHADER_0026 {
                hRootSignature: root,
                IOSignatures: shader::standard(output.as_ref(), output.as_ref(), arena),
                ..Zeroable::zeroed()
            },
            (None, None) => return,
        };
        let mut create = D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 {
            CreateShader: create_shader,
            ..Zeroable::zeroed()
        };
        if let Some(streams) = self.stream_output {
            create.pOutputStreamDecl =
                fixed_function::stream_output_entries(streams, output.as_ref(), arena);
            create.NumEntries = length(&streams.entries);
            create.BufferStridesInBytes = arena.array(&streams.strides);
            create.NumStrides = length(&streams.strides);
            create.RasterizedStream = streams.rasterized_stream;
        }
        arg.hGeometryShader = D3D12DDI_HSHADER {
            pDrvPrivate: shader::pointer(arena.put(create)),
        };
    }

    /// The input of validation.
    fn state<'s>(
        &'s self,
        shaders: &'s Shaders<'s>,
        root_signature: &'s RootSignature<'s>,
        arg: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> GraphicsState<'s> {
        GraphicsState {
            shaders,
            root_signature: Some(root_signature),
            blend: &self.blend,
            sample_mask: arg.SampleMask,
            rasterizer: &self.rasterizer,
            depth_stencil: &self.depth_stencil,
            input_layout: self.input_layout.as_deref(),
            stream_output: self.stream_output,
            strip_cut: arg.IBStripCutValue,
            topology: self.topology,
            render_targets: self.render_targets.as_ref(),
            depth_stencil_format: self.depth_stencil_format,
            sample_desc: arg.SampleDesc,
            view_instancing: arg.ViewInstancingDesc,
            target: None,
        }
    }
}
