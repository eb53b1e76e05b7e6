//! Descriptions of pipelines: hostile ones are refused, right ones arrive whole.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ptr;
use std::rc::Rc;

use bytemuck::Zeroable;
use ddi_sys::*;
use plugin_sdk::desc::{DescError, PipelineStateDesc, ShaderStage, UnknownValue, unknown_values};
use plugin_sdk::{Error, Result};
use proptest::prelude::*;

use crate::host::description::{DAMAGES, Damage, Point, at};
use crate::host::log::capture;
use crate::host::pipeline::{COMPUTE, PIXEL, Pipeline, VERTEX, program};
use crate::host::plugin::Script;
use crate::host::session::Session;
use crate::host::{Compiler, Host, some};

/// Lets a vendor look at the description; `Err` is what the log says when it never gets there.
fn look<T: 'static>(
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    body: impl Fn(&PipelineStateDesc<'_>) -> T + 'static,
) -> Result<T, String> {
    let seen = Rc::new(RefCell::new(None));
    let sink = seen.clone();
    let _script = Script::compiling(move |desc, _| {
        *sink.borrow_mut() = Some(body(desc));
        Err(Error::unsupported("only looking"))
    });
    let host = Host::new();
    let (compiler, session): (Compiler<'_>, _) = (host.create_compiler(), Session::default());
    let (hresult, lines) = capture(|| compiler.compile(&session, desc));
    assert_eq!(session.calls(), []);
    if let Some(seen) = seen.take() {
        assert_eq!(hresult, DXGI_ERROR_UNSUPPORTED);
        return Ok(seen);
    }
    assert_eq!(hresult, E_INVALIDARG);
    let [line] = &lines[..] else {
        panic!("{lines:?}");
    };
    Err(line.text.clone())
}

/// Uses everything that the view offers.
fn exercise(desc: &PipelineStateDesc<'_>) -> usize {
    let values = unknown_values(desc).len();
    let debug = format!(
        "{desc:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        desc.blend(),
        desc.rasterizer(),
        desc.depth_stencil(),
        desc.input_layout(),
        desc.render_target_formats(),
        desc.depth_stencil_format(),
        desc.sample_desc(),
        desc.view_instances(),
        desc.flags(),
    );
    let parameters = desc
        .root_signature()
        .map_or(0, |root| root.parameters().len());
    let programs = desc
        .shaders()
        .filter(|shader| shader.program().is_ok())
        .count();
    debug.len() + values + parameters + programs
}

#[test]
fn an_empty_description_is_read() {
    let pipeline = Pipeline::zeroed();
    let counts = look(pipeline.raw, |desc| {
        exercise(desc);
        (desc.shaders().count(), desc.render_target_formats().len())
    });
    assert_eq!(counts, Ok((0, 0)));
    let null = look(ptr::null(), exercise).unwrap_err();
    let expected = DescError::Null {
        what: "pPipelineStateArg",
    };
    assert!(null.contains(&expected.to_string()), "{null}");
    let odd = pipeline.raw.wrapping_byte_add(4);
    let expected = DescError::Misaligned {
        what: "pPipelineStateArg",
    };
    assert!(
        look(odd, exercise)
            .unwrap_err()
            .contains(&expected.to_string())
    );
}

#[test]
fn everything_arrives_as_the_host_gave_it() {
    let pipeline = Pipeline::full();
    {
        let raw = pipeline.get();
        raw.SampleMask = 0x1234;
        raw.RTVFormats[1] = DXGI_FORMAT_R8_UNORM;
        raw.DSVFormat = DXGI_FORMAT_D32_FLOAT;
        raw.SampleDesc = DXGI_SAMPLE_DESC {
            Count: 4,
            Quality: 2,
        };
        raw.Flags = D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS;
        raw.PrimitiveTopologyType = D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_PATCH;
        raw.IBStripCutValue = D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFF;
    }
    look(pipeline.raw, |desc| {
        let stages: Vec<_> = desc.shaders().map(|shader| shader.stage).collect();
        let all = [
            ShaderStage::Compute,
            ShaderStage::Vertex,
            ShaderStage::Pixel,
            ShaderStage::Domain,
            ShaderStage::Hull,
            ShaderStage::Geometry,
            ShaderStage::Mesh,
            ShaderStage::Amplification,
        ];
        assert_eq!(stages, all);
        for stage in all {
            let shader = desc.shader(stage).unwrap();
            assert_eq!(shader.program().unwrap().unwrap().kind(), stage.kind());
        }
        let signatures = |stage| {
            let shader = desc.shader(stage).unwrap();
            let patch = shader.patch_constant_or_primitive;
            (shader.input.len(), shader.output.len(), patch.len())
        };
        assert_eq!(signatures(ShaderStage::Compute), (0, 0, 0));
        assert_eq!(signatures(ShaderStage::Vertex), (2, 2, 0));
        assert_eq!(signatures(ShaderStage::Pixel), (2, 2, 0));
        assert_eq!(signatures(ShaderStage::Hull), (2, 2, 2));
        assert_eq!(signatures(ShaderStage::Domain), (2, 2, 2));
        assert_eq!(signatures(ShaderStage::Geometry), (2, 2, 0));
        assert_eq!(signatures(ShaderStage::Mesh), (0, 2, 2));
        assert_eq!(signatures(ShaderStage::Amplification), (0, 0, 0));
        let stream_output = desc
            .shader(ShaderStage::Geometry)
            .unwrap()
            .stream_output
            .unwrap();
        assert_eq!(
            (stream_output.entries.len(), stream_output.strides),
            (3, &[16, 32][..])
        );
        assert!(
            desc.shader(ShaderStage::Vertex)
                .unwrap()
                .root_signature
                .is_some()
        );
        assert_eq!(desc.root_signature().unwrap().parameters().len(), 5);
        assert_eq!(desc.input_layout().unwrap().elements.len(), 2);
        assert_eq!(desc.view_instances().len(), 2);
        assert_eq!(desc.sample_mask(), 0x1234);
        let formats = [
            DXGI_FORMAT_UNKNOWN,
            DXGI_FORMAT_R8_UNORM,
            DXGI_FORMAT_UNKNOWN,
        ];
        assert_eq!(desc.render_target_formats(), formats);
        assert_eq!(desc.depth_stencil_format(), DXGI_FORMAT_D32_FLOAT);
        assert_eq!(
            (desc.sample_desc().Count, desc.sample_desc().Quality),
            (4, 2)
        );
        assert_eq!(
            desc.flags(),
            D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS
        );
        let topology = desc.primitive_topology_type();
        assert_eq!(topology, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_PATCH);
        let cut = desc.index_buffer_strip_cut_value();
        assert_eq!(cut, D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFF);
        assert_eq!(
            desc.blend().unwrap().RenderTarget[0].SrcBlend,
            D3D12DDI_BLEND_ONE
        );
        assert_eq!(unknown_values(desc), []);
        exercise(desc);
    })
    .unwrap();
}

/// Every pointer and count of a description, wrong in every way, one at a time.
#[test]
fn each_wrong_pointer_and_count_has_its_error() {
    let points = Pipeline::full().points.len();
    assert!(points > 50, "{points}");
    for index in some(0..points) {
        for damage in DAMAGES {
            let pipeline = Pipeline::full();
            let point = pipeline.points[index];
            if !point.apply(damage) {
                continue;
            }
            let result = look(pipeline.raw, exercise);
            let message = format!("{} {damage:?}: {result:?}", point.what);
            match point.error(damage) {
                Some(error) => {
                    let expected = format!("{error}: {E_INVALIDARG}");
                    assert!(
                        result.is_err_and(|line| line.contains(&expected)),
                        "{message}"
                    );
                }
                None => assert!(result.is_ok(), "{message}"),
            }
        }
    }
}

/// A pointer's damage, where its parents still lead to it.
fn expected_errors(points: &[Point], damages: &[Damage]) -> HashSet<String> {
    let root = points.iter().position(|p| p.what == "hRootSignature");
    let parent = |index: usize| match points[index].what {
        // Where no root signature allows stream output, nothing says that the structure has it.
        "pOutputStreamDecl" if damages[root.unwrap()] != Damage::None => root,
        _ => points[index].parent,
    };
    let reached = |mut index: usize| {
        while let Some(parent) = parent(index) {
            if damages[parent] != Damage::None {
                return false;
            }
            index = parent;
        }
        true
    };
    (0..points.len())
        .filter(|&index| reached(index))
        .filter_map(|index| points[index].error(damages[index]))
        .map(|error| error.to_string())
        .collect()
}

fn damages(count: usize) -> impl Strategy<Value = Vec<Damage>> {
    let damage = prop_oneof![
        40 => Just(Damage::None),
        1 => Just(Damage::Null),
        1 => Just(Damage::Misaligned),
        1 => Just(Damage::Huge),
        3 => Just(Damage::Empty),
    ];
    prop::collection::vec(damage, count)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 300 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Several wrong at once: refused for one of them, and read when there is none.
    #[test]
    fn any_mixture_of_pointers_and_counts(damages in damages(Pipeline::full().points.len())) {
        let pipeline = Pipeline::full();
        let mut applied = damages.clone();
        for (point, damage) in pipeline.points.iter().zip(&mut applied) {
            // What means nothing to this kind of pointer was not done.
            if !point.apply(*damage) {
                *damage = Damage::None;
            }
        }
        let expected = expected_errors(&pipeline.points, &applied);
        match look(pipeline.raw, exercise) {
            Ok(_) => prop_assert!(expected.is_empty(), "{:?}", expected),
            Err(line) => prop_assert!(expected.iter().any(|e| line.contains(e)), "{} {:?}", line, expected),
        }
    }
}

#[test]
fn values_without_a_name_are_kept_and_reported() {
    /// No enumerator, and a bit that no set of flags has.
    const STRANGE: i32 = 0x4000_0000;
    let count = Pipeline::full().values.len();
    assert!(count > 60, "{count}");
    for index in some(0..count) {
        let pipeline = Pipeline::full();
        let (path, field) = &pipeline.values[index];
        // SAFETY: a field of the description.
        let value = unsafe {
            **field |= STRANGE;
            **field
        };
        let unknown = look(pipeline.raw, |desc| {
            exercise(desc);
            unknown_values(desc)
        });
        let [found] = &unknown.unwrap()[..] else {
            panic!("{path}");
        };
        let UnknownValue {
            path: at,
            value: found,
        } = found;
        assert_eq!(at, path);
        assert!(*found == STRANGE || *found == value, "{path}: {found:#x}");
    }
}

/// Stream output is in the larger structure, which is there only where a root signature allows it: the
/// pipeline's, or without one the shader's own.
#[test]
fn stream_output_is_read_where_a_root_signature_allows_it() {
    let streams = |desc: &PipelineStateDesc<'_>| {
        let shader = desc.shader(ShaderStage::Geometry).unwrap();
        shader.stream_output.is_some()
    };
    let allow = D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT;
    let none = D3D12DDI_ROOT_SIGNATURE_FLAG_NONE;
    // The pipeline's root signature, the shader's, and whether stream output is read.
    let cases = [
        (None, None, false),
        (Some(none), None, false),
        (Some(allow), None, true),
        (None, Some(none), false),
        (None, Some(allow), true),
        (Some(none), Some(allow), false),
        (Some(allow), Some(none), true),
    ];
    for (of_pipeline, of_shader, expected) in cases {
        let mut pipeline = Pipeline::full();
        let (raw, shader) = (pipeline.raw, geometry_shader(&pipeline));
        pipeline.get().hRootSignature = Zeroable::zeroed();
        for (flags, handle) in [
            (of_pipeline, at!(raw, hRootSignature)),
            (of_shader, at!(shader, CreateShader.hRootSignature)),
        ] {
            if let Some(flags) = flags {
                let content = pipeline.root_signature_1_2(handle, "", None);
                // SAFETY: the description's own root signature.
                unsafe { (*content).Flags = flags };
            }
        }
        assert_eq!(
            look(raw, streams),
            Ok(expected),
            "{of_pipeline:?} {of_shader:?}"
        );
    }
}

fn geometry_shader(
    pipeline: &Pipeline,
) -> *mut D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 {
    pipeline.get().hGeometryShader.pDrvPrivate.cast()
}

#[test]
fn only_a_stage_that_streams_out_may_be_without_code() {
    let pipeline = Pipeline::full();
    let geometry = geometry_shader(&pipeline);
    // SAFETY: the description's own geometry shader.
    unsafe { (*geometry).CreateShader.pShaderCode = ptr::null() };
    let code = |desc: &PipelineStateDesc<'_>| {
        let shader = desc.shader(ShaderStage::Geometry).unwrap();
        (shader.code.is_some(), shader.program().unwrap().is_some())
    };
    assert_eq!(look(pipeline.raw, code), Ok((false, false)));
    // SAFETY: `geometry` is the description's own geometry shader, which `pipeline` keeps; no view of it is alive.
    unsafe { (*geometry).NumEntries = 0 };
    let expected = DescError::Null {
        what: "pShaderCode",
    };
    assert!(
        look(pipeline.raw, code)
            .unwrap_err()
            .contains(&expected.to_string())
    );
}

#[test]
fn a_shader_of_another_stage_is_refused_by_program() {
    let (pipeline, expected) = (Pipeline::compute(program(VERTEX)), "Vertex");
    let error = look(pipeline.raw, |desc| {
        desc.shader(ShaderStage::Compute)
            .unwrap()
            .program()
            .unwrap_err()
    })
    .unwrap();
    assert_eq!(error.hresult(), E_INVALIDARG);
    assert!(error.to_string().contains(expected), "{error}");
    for container in [COMPUTE, VERTEX, PIXEL] {
        let pipeline = Pipeline::compute(program(container));
        let fits = look(pipeline.raw, |desc| {
            desc.shaders().next().unwrap().program().is_ok()
        });
        assert_eq!(fits, Ok(container == COMPUTE));
    }
}
