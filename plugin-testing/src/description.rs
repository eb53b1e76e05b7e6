//! Descriptions around shaders that come without one.

use api_desc::{Blob, InputElement, PipelineStateDesc, ShaderStage};
use api_sys::{
    D3D12_APPEND_ALIGNED_ELEMENT, D3D12_INPUT_CLASSIFICATION_PER_VERTEX_DATA,
    D3D12_RT_FORMAT_ARRAY, DXGI_FORMAT, DXGI_FORMAT_D24_UNORM_S8_UINT, DXGI_FORMAT_R8G8B8A8_UNORM,
    DXGI_FORMAT_R32G32B32A32_FLOAT, DXGI_FORMAT_R32G32B32A32_SINT, DXGI_FORMAT_R32G32B32A32_UINT,
    DXGI_FORMAT_UNKNOWN,
};
use compiler_runtime::desc::root_signature::HEAP_INDEXING;
use compiler_runtime::desc::shader::{Shader, Stage};
use dxil::psv0::{PipelineStateValidation, Resource, ResourceType};
use dxil::{
    ComponentType, Container, ContainerBuilder, DescriptorRange, DescriptorRangeFlags,
    DescriptorRangeType, Form, FourCc, Program, RootParameterDesc, RootParameterKindDesc,
    RootSignatureDesc, RootSignatureFlags, ShaderKind, ShaderVisibility, Signature,
    SignatureElement, StoredHash, SystemValue, Version,
};

use crate::Error;

/// What a stage is called where.
const STAGES: [(Stage, ShaderStage, ShaderVisibility); 8] = [
    (
        Stage::Amplification,
        ShaderStage::Amplification,
        ShaderVisibility::AMPLIFICATION,
    ),
    (Stage::Mesh, ShaderStage::Mesh, ShaderVisibility::MESH),
    (Stage::Vertex, ShaderStage::Vertex, ShaderVisibility::VERTEX),
    (Stage::Hull, ShaderStage::Hull, ShaderVisibility::HULL),
    (Stage::Domain, ShaderStage::Domain, ShaderVisibility::DOMAIN),
    (
        Stage::Geometry,
        ShaderStage::Geometry,
        ShaderVisibility::GEOMETRY,
    ),
    (Stage::Pixel, ShaderStage::Pixel, ShaderVisibility::PIXEL),
    (Stage::Compute, ShaderStage::Compute, ShaderVisibility::ALL),
];

/// A pipeline of these shaders, whose kinds say which stages they are. Each is a container, signed or not, or a program alone.
///
/// The rest is what the shaders need and nothing else:
///
/// - the root signature that is embedded in them, or else a table for each resource that their PSV0 parts list
/// - an input layout with four components of 32 bits for each input of the vertex shader
/// - a render target for each that the pixel shader writes: `R8G8B8A8_UNORM`, or 32 bits for integers
/// - a depth-stencil buffer of `D24_UNORM_S8_UINT`
///
/// and the API's defaults.
///
/// # Errors
///
/// [`Error::Shader`]: the code is not DXIL, or is no shader of a pipeline, or two are of one stage.
/// [`Error::Description`]: the container has a fault.
pub fn pipeline_desc(shaders: &[&[u8]]) -> Result<PipelineStateDesc, Error> {
    let mut desc = PipelineStateDesc::default();
    let mut root_signature = RootSignatureDesc {
        version: Version { major: 1, minor: 1 },
        parameters: Vec::new(),
        static_samplers: Vec::new(),
        flags: RootSignatureFlags::NONE,
    };
    let mut is_embedded = false;
    for code in shaders {
        let code = container(code)?;
        let kind = kind(&code)?;
        let Some((stage, of_api, visibility)) =
            STAGES.into_iter().find(|(stage, ..)| stage.kind() == kind)
        else {
            let text = format!("code of kind {kind} is no shader of a pipeline");
            return Err(Error::Shader(text));
        };
        let shader = Shader::new(stage, &code)?;
        is_embedded |= shader.container.part(FourCc::RTS0).is_some();
        bind(&shader, visibility, &mut root_signature);
        match stage {
            Stage::Vertex => desc.fixed_function.input_layout = Some(input_layout(&shader)?),
            Stage::Pixel => desc.fixed_function.render_target_formats = Some(targets(&shader)),
            _ => {}
        }
        if desc.shaders[of_api].replace(code).is_some() {
            return Err(Error::Shader(format!(
                "two of the shaders are of stage {stage}"
            )));
        }
    }
    if desc.shaders[ShaderStage::Compute].is_none() {
        desc.fixed_function.depth_stencil_format = Some(DXGI_FORMAT_D24_UNORM_S8_UINT);
        root_signature.flags =
            root_signature.flags | RootSignatureFlags::ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT;
    }
    if !is_embedded {
        let bytes = root_signature.serialize().map_err(|error| {
            Error::Shader(format!(
                "no root signature can be made for the shaders, so one must be embedded: {error}"
            ))
        })?;
        desc.root_signature = Some(bytes.into());
    }
    Ok(desc)
}

/// The code as a container that a runtime takes: DXC's own validator signs, a compiler library alone does not.
///
/// # Errors
///
/// It is neither a container nor a program.
pub(crate) fn container(code: &[u8]) -> Result<Blob, Error> {
    let unreadable = |error: dxil::Error| Error::Shader(format!("no DXIL: {error}"));
    let form = code.first_chunk().copied().map(Form::sniff);
    if form == Some(Form::Program) {
        let mut builder = ContainerBuilder::new();
        builder.set(
            FourCc::DXIL,
            Program::parse(code).map_err(unreadable)?.bytes(),
        );
        return Ok(builder.build().map_err(unreadable)?.into());
    }
    let container = Container::parse(code).map_err(unreadable)?;
    if container.hash() != StoredHash::Unsigned {
        return Ok(code.into());
    }
    let mut bytes = container.bytes().to_vec();
    dxil::sign(&mut bytes, dxil::Signing::Hash).map_err(unreadable)?;
    Ok(bytes.into())
}

/// What the program of a container is.
///
/// # Errors
///
/// It has no program.
pub(crate) fn kind(container: &[u8]) -> Result<ShaderKind, Error> {
    let program = Container::parse(container).and_then(|container| container.program());
    let program = program.map_err(|error| Error::Shader(format!("no DXIL: {error}")))?;
    Ok(program.kind())
}

/// Adds a table for each resource of the shader, and what it needs to index descriptor heaps.
fn bind(shader: &Shader<'_>, visibility: ShaderVisibility, root_signature: &mut RootSignatureDesc) {
    let resources = shader
        .psv0
        .iter()
        .flat_map(PipelineStateValidation::resources);
    let tables = resources.map(|resource| RootParameterDesc {
        shader_visibility: visibility,
        kind: RootParameterKindDesc::DescriptorTable(vec![range(&resource)]),
    });
    root_signature.parameters.extend(tables);
    for (feature, flag, _) in HEAP_INDEXING {
        if shader.features.contains(feature) {
            root_signature.flags = root_signature.flags | flag;
        }
    }
}

fn range(resource: &Resource) -> DescriptorRange {
    let count = resource.upper_bound - resource.lower_bound;
    DescriptorRange {
        range_type: match resource.resource_type {
            ResourceType::SAMPLER => DescriptorRangeType::SAMPLER,
            ResourceType::CBV => DescriptorRangeType::CBV,
            ResourceType::SRV_TYPED | ResourceType::SRV_RAW | ResourceType::SRV_STRUCTURED => {
                DescriptorRangeType::SRV
            }
            _ => DescriptorRangeType::UAV,
        },
        num_descriptors: match resource.upper_bound {
            u32::MAX => DescriptorRange::UNBOUNDED,
            _ => count + 1,
        },
        base_shader_register: resource.lower_bound,
        register_space: resource.space,
        flags: Some(DescriptorRangeFlags::NONE),
        offset_in_descriptors_from_table_start: 0,
    }
}

fn input_layout(vertex: &Shader<'_>) -> Result<Vec<InputElement>, Error> {
    // The input assembler makes these itself.
    let generated = [SystemValue::VERTEX_ID, SystemValue::INSTANCE_ID];
    let inputs = vertex.input.iter().flat_map(Signature::elements);
    let inputs = inputs.filter(|input| !generated.contains(&input.system_value()));
    inputs
        .map(|input| {
            let name = str::from_utf8(input.name())
                .map_err(|_| Error::Shader("a semantic of VS is not UTF-8".to_owned()))?;
            Ok(InputElement {
                semantic_name: name.to_owned(),
                semantic_index: input.semantic_index(),
                format: format(&input, DXGI_FORMAT_R32G32B32A32_FLOAT),
                input_slot: 0,
                aligned_byte_offset: D3D12_APPEND_ALIGNED_ELEMENT,
                input_slot_class: D3D12_INPUT_CLASSIFICATION_PER_VERTEX_DATA,
                instance_data_step_rate: 0,
            })
        })
        .collect()
}

fn targets(pixel: &Shader<'_>) -> D3D12_RT_FORMAT_ARRAY {
    let mut targets = D3D12_RT_FORMAT_ARRAY {
        RTFormats: [DXGI_FORMAT_UNKNOWN; 8],
        NumRenderTargets: 0,
    };
    let outputs = pixel.output.iter().flat_map(Signature::elements);
    for output in outputs.filter(|output| output.system_value() == SystemValue::TARGET) {
        let index = output.semantic_index();
        if let Some(target) = targets.RTFormats.get_mut(index as usize) {
            *target = format(&output, DXGI_FORMAT_R8G8B8A8_UNORM);
            targets.NumRenderTargets = targets.NumRenderTargets.max(index + 1);
        }
    }
    targets
}

/// A format of the element's type.
fn format(element: &SignatureElement<'_>, of_floats: DXGI_FORMAT) -> DXGI_FORMAT {
    match element.component_type() {
        ComponentType::UINT32 => DXGI_FORMAT_R32G32B32A32_UINT,
        ComponentType::SINT32 => DXGI_FORMAT_R32G32B32A32_SINT,
        _ => of_floats,
    }
}
