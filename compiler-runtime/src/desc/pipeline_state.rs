//! Pipeline states: from a stream to D3D12DDIARG_CREATE_PIPELINE_STATE_0099.

use api_sys::{
    D3D12_PIPELINE_STATE_FLAG_DISABLE_CACHED_BLOB, D3D12_PIPELINE_STATE_FLAG_TOOL_DEBUG,
    D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_RT_FORMAT_ARRAY, D3D12_SHADER_BYTECODE,
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
    DXGI_FORMAT_UNKNOWN, DXGI_SAMPLE_DESC, UINT,
};
use dxil::RootSignature;

use super::arena::Arena;
use super::fixed_function::{self, StreamOutput, VertexElement};
use super::root_signature::{self, Scope};
use super::shader::{self, Code, Shader, Shaders, Stage};
use super::stream::{Record, Stream};
use super::target::Capabilities;
use super::validate::{self, GraphicsState, PipelineKind};
use super::{Invalid, blob, length};
use crate::message::{MessageId, Messages};

/// A translated pipeline state: the DDI's description, and the memory of what it points to.
///
/// Programs are not copied. They stay in the caller's containers, which have to outlive the use of
/// the description: a plugin keeps nothing of a pipeline beyond the call that compiles it.
#[derive(Debug)]
pub struct PipelineState {
    /// In the arena.
    arg: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    _arena: Arena,
}

impl PipelineState {
    /// Translates and validates a stream. Faults, warnings and remarks go to `messages`. Without a
    /// target, what depends on it is not checked.
    ///
    /// # Errors
    ///
    /// What the D3D12 runtime would refuse without a device (docs/runtime-validation.md); the first of
    /// the errors in `messages`.
    ///
    /// # Safety
    ///
    /// `desc` is null, or what it points at, and all that is reached from there, is valid and
    /// unchanged for as long as the description is used: each pointer is null or points at as much as
    /// the count or size beside it says, each string ends.
    pub unsafe fn new(
        desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
        target: Option<&Capabilities>,
        messages: &mut Messages,
    ) -> Result<Self, Invalid> {
        let first = messages.as_slice().len();
        // SAFETY: the caller's promise.
        let translated =
            unsafe { Stream::read(desc).and_then(|stream| translate(&stream, target, messages)) };
        let (arg, arena) = translated.map_err(|invalid| messages.refuse(invalid))?;
        messages.check_from(first)?;
        Ok(Self { arg, _arena: arena })
    }

    /// The description. What it points to is valid as long as `self` and the caller's memory.
    pub fn arg(&self) -> &D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        // SAFETY: `translate` put it into the arena, which lives as long as `self` and which nothing
        // writes to any more.
        unsafe { &*self.arg }
    }
}

/// The description, and the arena that it is in.
type Translated = (*const D3D12DDIARG_CREATE_PIPELINE_STATE_0099, Arena);

/// # Safety
///
/// As [`PipelineState::new`].
unsafe fn translate(
    stream: &Stream<'_>,
    target: Option<&Capabilities>,
    messages: &mut Messages,
) -> Result<Translated, Invalid> {
    // SAFETY: the caller's promise.
    let shaders = unsafe { read_shaders(stream) }?;
    let kind = validate::pipeline_kind(&shaders)?;
    // SAFETY: as above.
    let root_signature = unsafe { read_root_signature(stream, &shaders, kind) }?;
    if stream
        .cached_pso
        .is_some_and(|record| !record.payload.pCachedBlob.is_null())
    {
        let text = "the cached blob is ignored: it is of a driver on a device";
        messages.info(MessageId::CREATEPIPELINESTATE_CACHEDBLOBIGNORED, text);
    }

    let mut arena = Arena::new();
    let node_mask = node_mask(stream);
    let root = root_signature::translate(&root_signature, node_mask, &mut arena);
    let root = D3D12DDI_HROOTSIGNATURE {
        pDrvPrivate: shader::pointer(root),
    };
    let mut arg = D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        hRootSignature: root,
        NodeMask: node_mask,
        Flags: flags(stream)?,
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
        // SAFETY: as above.
        let graphics = unsafe { Graphics::read(stream) }?;
        // SAFETY: as above.
        unsafe { graphics.put(stream, &shaders, kind, &mut arg, &mut arena) }?;
        let state = GraphicsState {
            target,
            ..graphics.state(&shaders, &root_signature, &arg)
        };
        validate::graphics(&state, messages);
    }
    Ok((arena.put(arg), arena))
}

/// # Safety
///
/// As [`PipelineState::new`].
unsafe fn read_shaders<'a>(stream: &Stream<'a>) -> Result<Shaders<'a>, Invalid> {
    let records: [(Stage, Option<Record<'a, D3D12_SHADER_BYTECODE>>); 8] = [
        (Stage::Vertex, stream.vs),
        (Stage::Pixel, stream.ps),
        (Stage::Domain, stream.ds),
        (Stage::Hull, stream.hs),
        (Stage::Geometry, stream.gs),
        (Stage::Compute, stream.cs),
        (Stage::Amplification, stream.amplification_shader),
        (Stage::Mesh, stream.ms),
    ];
    let mut shaders = Shaders::default();
    for (stage, record) in records {
        let Some(record) = record else {
            continue;
        };
        // SAFETY: the caller's promise.
        let shader = unsafe { shader::bytecode(record.payload) }
            .and_then(|bytes| bytes.map(|bytes| Shader::new(stage, bytes)).transpose())
            .map_err(|error| error.at(record.place))?;
        if let Some(shader) = shader {
            shaders.insert(shader);
        }
    }
    Ok(shaders)
}

/// The root signature of the stream, or else the one that the shaders bring.
///
/// # Safety
///
/// As [`PipelineState::new`].
unsafe fn read_root_signature<'a>(
    stream: &Stream<'a>,
    shaders: &Shaders<'a>,
    kind: PipelineKind,
) -> Result<RootSignature<'a>, Invalid> {
    let serialized = match stream.serialized_root_signature {
        None => None,
        Some(record) => {
            let desc = record.payload;
            // SAFETY: the caller's promise.
            unsafe {
                blob(
                    "pSerializedBlob",
                    desc.pSerializedBlob,
                    desc.SerializedBlobSizeInBytes,
                )
            }
            .map_err(|error| error.at(record.place))?
            .map(|bytes| (record.place, bytes))
        }
    };
    if let Some(object) = stream.root_signature
        && !object.payload.is_null()
    {
        return Err(match serialized {
            Some((place, _)) => Invalid::new(
                MessageId::CREATEPIPELINESTATE_MULTIPLE_ROOT_SIGNATURES_DEFINED,
                format!("{} and {place} exclude each other", object.place),
            ),
            None => Invalid::other(
                "an ID3D12RootSignature belongs to a device, and there is none: give a \
                 SERIALIZED_ROOT_SIGNATURE in its place",
            )
            .at(object.place),
        });
    }
    if let Some((place, bytes)) = serialized {
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

/// The API's 0 means the only node.
fn node_mask(stream: &Stream<'_>) -> UINT {
    stream.node_mask.map_or(0, |record| *record.payload).max(1)
}

fn flags(stream: &Stream<'_>) -> Result<D3D12DDI_PIPELINE_STATE_FLAGS, Invalid> {
    let Some(record) = stream.flags else {
        return Ok(D3D12DDI_PIPELINE_STATE_FLAGS::default());
    };
    let invalid = |text: String| {
        let id = MessageId::CREATEPIPELINESTATE_INVALID_FLAGS;
        Invalid::new(id, text).at(record.place)
    };
    // The blob is the runtime's to make or not.
    let flags = *record.payload & !D3D12_PIPELINE_STATE_FLAG_DISABLE_CACHED_BLOB;
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

/// What only a graphics pipeline has, defaults in place of what is not in the stream.
struct Graphics<'a> {
    blend: D3D12DDI_BLEND_DESC_0010,
    rasterizer: D3D12DDI_RASTERIZER_DESC_0102,
    depth_stencil: D3D12DDI_DEPTH_STENCIL_DESC_0095,
    input_layout: Option<Vec<VertexElement<'a>>>,
    stream_output: Option<StreamOutput<'a>>,
    topology: Option<D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE>,
    render_targets: Option<&'a D3D12_RT_FORMAT_ARRAY>,
    depth_stencil_format: Option<DXGI_FORMAT>,
}

impl<'a> Graphics<'a> {
    /// # Safety
    ///
    /// As [`PipelineState::new`].
    unsafe fn read(stream: &Stream<'a>) -> Result<Self, Invalid> {
        let rasterizer = if let Some(record) = stream.rasterizer2 {
            fixed_function::rasterizer(*record.payload)
        } else if let Some(record) = stream.rasterizer1 {
            fixed_function::rasterizer((*record.payload).into())
        } else if let Some(record) = stream.rasterizer {
            fixed_function::rasterizer((*record.payload).into())
        } else {
            fixed_function::default_rasterizer()
        };
        let depth_stencil_format = stream.depth_stencil_format.map(|r| DXGI_FORMAT(*r.payload));
        let depth_stencil = if let Some(record) = stream.depth_stencil2 {
            fixed_function::depth_stencil(*record.payload)
        } else if let Some(record) = stream.depth_stencil1 {
            fixed_function::depth_stencil((*record.payload).into())
        } else if let Some(record) = stream.depth_stencil {
            fixed_function::depth_stencil((*record.payload).into())
        } else {
            // A buffer that nothing is said of is there to be tested against.
            let has_buffer = depth_stencil_format.is_some_and(|f| f != DXGI_FORMAT_UNKNOWN);
            fixed_function::default_depth_stencil(has_buffer)
        };
        let input_layout = stream.input_layout.map(|record| {
            // SAFETY: the caller's promise.
            let elements = unsafe { fixed_function::vertex_elements(record.payload) };
            elements.map_err(|error| error.at(record.place))
        });
        let stream_output = stream.stream_output.map(|record| {
            // SAFETY: the caller's promise.
            let stream_output = unsafe { fixed_function::stream_output(record.payload) };
            stream_output.map_err(|error| error.at(record.place))
        });
        Ok(Self {
            blend: stream
                .blend
                .map_or_else(fixed_function::default_blend, |r| {
                    fixed_function::blend(r.payload)
                }),
            rasterizer,
            depth_stencil,
            input_layout: input_layout.transpose()?,
            stream_output: stream_output.transpose()?.flatten(),
            topology: stream
                .primitive_topology
                .map(|record| D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE(*record.payload)),
            render_targets: stream.render_target_formats.map(|record| record.payload),
            depth_stencil_format,
        })
    }

    /// Puts it into the description.
    ///
    /// # Safety
    ///
    /// As [`PipelineState::new`].
    unsafe fn put(
        &self,
        stream: &Stream<'_>,
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
        arg.SampleMask = stream
            .sample_mask
            .map_or(UINT::MAX, |record| *record.payload);
        arg.hRasterizerState = D3D12DDI_HRASTERIZERSTATE {
            pDrvPrivate: shader::pointer(arena.put(self.rasterizer)),
        };
        arg.hDepthStencilState = D3D12DDI_HDEPTHSTENCILSTATE {
            pDrvPrivate: shader::pointer(arena.put(self.depth_stencil)),
        };
        arg.IBStripCutValue = D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE(
            stream
                .ib_strip_cut_value
                .map_or(0, |record| *record.payload),
        );
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
        let (count, quality) = stream.sample_desc.map_or((1, 0), |record| {
            (record.payload.Count, record.payload.Quality)
        });
        arg.SampleDesc = DXGI_SAMPLE_DESC {
            Count: count,
            Quality: quality,
        };
        if let Some(record) = stream.view_instancing {
            // SAFETY: the caller's promise.
            let views = unsafe { fixed_function::view_instancing(record.payload, arena) };
            arg.ViewInstancingDesc = views.map_err(|error| error.at(record.place))?;
        }
        Ok(())
    }

    /// The geometry shader with its stream output. Stream output without a geometry shader makes one
    /// without code, which passes through what the stage before puts out.
    fn put_geometry_shader(
        &self,
        shaders: &Shaders<'_>,
        arg: &mut D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
        arena: &mut Arena,
    ) {
        let root = arg.hRootSignature;
        let last = shaders.last_before_rasterizer();
        let output = last.and_then(|shader| shader.output);
        let create_shader = match (shaders.get(Stage::Geometry), &self.stream_output) {
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
        if let Some(streams) = &self.stream_output {
            create.pOutputStreamDecl =
                fixed_function::stream_output_entries(streams, output.as_ref(), arena);
            create.NumEntries = length(&streams.entries);
            create.BufferStridesInBytes = arena.array(streams.strides);
            create.NumStrides = length(streams.strides);
            create.RasterizedStream = streams.rasterized_stream;
        }
        arg.hGeometryShader = D3D12DDI_HSHADER {
            pDrvPrivate: shader::pointer(arena.put(create)),
        };
    }

    /// What is validated.
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
            stream_output: self.stream_output.as_ref(),
            strip_cut: arg.IBStripCutValue,
            topology: self.topology,
            render_targets: self.render_targets,
            depth_stencil_format: self.depth_stencil_format,
            sample_desc: arg.SampleDesc,
            view_instancing: arg.ViewInstancingDesc,
            target: None,
        }
    }
}
