//! What a target cannot do, by its plugin's word.

use std::sync::atomic::{AtomicUsize, Ordering};

use api_sys::*;
use compiler_runtime::desc::target::Capabilities;
use compiler_runtime::message::{MessageId, Severity};
use ddi_sys::{
    D3D12DDI_FORMAT_SUPPORT_RENDERTARGET, D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER,
    D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011, D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042,
};
use plugin_sdk::{AdapterFamily, CompilerPlugin, Target, VersionNumber, plugin_entry};
use runtime_test_support::corpus::{covering, serialized, shader};
use runtime_test_support::linked_in::capabilities;
use runtime_test_support::stream::{StreamBuilder, translate_for};

use crate::plugins::Recorder;

/// A plugin with families of little ability.
pub struct Limited;

plugin_entry!(Limited);

/// Says what it can.
const TRUE: usize = 0;
/// Says nothing of formats, samples and shader models.
const SILENT: usize = 1;

static QUESTIONS: AtomicUsize = AtomicUsize::new(0);

impl CompilerPlugin for Limited {
    type Compiler = Recorder;

    fn open() -> plugin_sdk::Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        let version = VersionNumber::new(1, 0, 0, 0);
        let family = |name| AdapterFamily::new(name, vec![1], version);
        vec![family("True"), family("Silent")]
    }

    fn capabilities(
        &self,
        target: &Target<'_>,
        _: &plugin_sdk::desc::ApplicationDesc<'_>,
    ) -> plugin_sdk::Capabilities {
        let models = [
            D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042,
            D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011,
        ];
        QUESTIONS.fetch_add(1, Ordering::Relaxed);
        let mut capabilities = plugin_sdk::Capabilities::default();
        capabilities.shader_models = match target.family_index {
            TRUE => models.to_vec().into(),
            _ => Vec::new().into(),
        };
        capabilities
    }

    fn format_support(&self, target: &Target<'_>, format: ddi_sys::DXGI_FORMAT) -> u32 {
        QUESTIONS.fetch_add(1, Ordering::Relaxed);
        match format.0 {
            _ if target.family_index == SILENT => 0,
            DXGI_FORMAT_R8G8B8A8_UNORM => {
                D3D12DDI_FORMAT_SUPPORT_RENDERTARGET | D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER
            }
            DXGI_FORMAT_R32G32B32_FLOAT => D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER,
            DXGI_FORMAT_R32_FLOAT => D3D12DDI_FORMAT_SUPPORT_RENDERTARGET,
            _ => 0,
        }
    }

    fn multisample_quality_levels(
        &self,
        target: &Target<'_>,
        _: ddi_sys::DXGI_FORMAT,
        count: u32,
    ) -> u32 {
        QUESTIONS.fetch_add(1, Ordering::Relaxed);
        match count {
            _ if target.family_index == SILENT => 0,
            4 => 2,
            _ => 0,
        }
    }

    fn create_compiler(
        &self,
        _: &Target<'_>,
        _: &plugin_sdk::desc::ApplicationDesc<'_>,
    ) -> plugin_sdk::Result<Recorder> {
        Ok(Recorder)
    }
}

fn plain() -> StreamBuilder {
    StreamBuilder::new()
        .root_signature(&serialized(&covering()))
        .vs(&shader("forward_plain_vs"))
        .ps(&shader("forward_plain_ps"))
}

fn samples(stream: StreamBuilder, count: u32, quality: u32) -> StreamBuilder {
    let desc = DXGI_SAMPLE_DESC {
        Count: count,
        Quality: quality,
    };
    stream.record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, desc)
}

/// The errors of a stream for a target: numbers and texts.
fn errors(mut stream: StreamBuilder, target: &Capabilities) -> Vec<(i32, String)> {
    let desc = stream.desc();
    // SAFETY: the stream is laid out as records, and alive.
    let (result, messages) = unsafe { translate_for(&raw const desc, Some(target)) };
    let errors: Vec<_> = messages
        .into_iter()
        .filter(|message| message.severity <= Severity::Error)
        .map(|message| (message.id.0, message.text))
        .collect();
    assert_eq!(result.is_err(), !errors.is_empty());
    errors
}

#[track_caller]
fn error(stream: StreamBuilder, target: &Capabilities, id: i32, text: &str) {
    let errors = errors(stream, target);
    assert!(MessageId(id).name().is_some());
    assert!(
        matches!(&errors[..], [(found, said)] if *found == id && said.contains(text)),
        "{errors:#?}"
    );
}

#[track_caller]
fn fine(stream: StreamBuilder, target: &Capabilities) {
    assert_eq!(errors(stream, target), []);
}

const COLOR: DXGI_FORMAT = DXGI_FORMAT_R8G8B8A8_UNORM;
/// The standard pattern, which is no quality level.
const STANDARD: u32 = 0xFFFF_FFFF;

#[test]
fn what_the_adapter_family_cannot_do() {
    let target = capabilities::<Limited>(TRUE);
    let targets = |formats: &[DXGI_FORMAT]| plain().targets(formats);
    fine(
        targets(&[COLOR, DXGI_FORMAT_UNKNOWN, DXGI_FORMAT_R32_FLOAT]),
        &target,
    );
    for nonexistent in [5_000, -1] {
        let text = "does not exist";
        error(targets(&[COLOR, nonexistent]), &target, 36, text);
        error(plain().depth_format(nonexistent), &target, 47, text);
    }
    fine(plain().depth_format(DXGI_FORMAT_D24_UNORM_S8_UINT), &target);

    let many = |count, quality| samples(targets(&[COLOR]), count, quality);
    for (count, quality) in [(1, 0), (4, 0), (4, 1), (4, STANDARD), (4, STANDARD - 1)] {
        fine(many(count, quality), &target);
    }
    for (count, quality) in [(2, 0), (3, 0), (4, 2), (8, 0), (8, STANDARD), (32, 0)] {
        let text = format!("{count} samples at quality {quality}");
        error(many(count, quality), &target, 685, &text);
    }
    let depth = plain().depth_format(DXGI_FORMAT_D32_FLOAT);
    error(samples(depth, 8, 0), &target, 685, "DXGI_FORMAT_D32_FLOAT");

    let element = |format| D3D12_INPUT_ELEMENT_DESC {
        Format: format,
        AlignedByteOffset: D3D12_APPEND_ALIGNED_ELEMENT,
        ..Default::default()
    };
    let layout = |texcoord| {
        StreamBuilder::new()
            .root_signature(&serialized(&covering()))
            .vs(&shader("tess_tri_vs"))
            .input_layout(&[
                ("POSITION", element(DXGI_FORMAT_R32G32B32_FLOAT)),
                ("NORMAL", element(DXGI_FORMAT_R32G32B32_FLOAT)),
                ("TEXCOORD", element(texcoord)),
            ])
    };
    fine(layout(COLOR), &target);
    let text = "input element 2 (TEXCOORD0): the adapter family has no vertex buffers of";
    error(layout(DXGI_FORMAT_R32G32_FLOAT), &target, 54, text);

    let newer = StreamBuilder::new()
        .root_signature(&serialized(&covering()))
        .cs(&shader("heap_cs"));
    let text = "CS: the program is of shader model 6.6, the adapter family has 6.2 at most";
    error(newer, &target, 322, text);
}

/// As the D3D12 runtime takes them; the plugin does not get them.
#[test]
fn formats_that_cannot_be_used_are_as_good_as_none() {
    let target = capabilities::<Limited>(TRUE);
    let enabled = D3D12_DEPTH_STENCIL_DESC {
        DepthEnable: true.into(),
        DepthWriteMask: D3D12_DEPTH_WRITE_MASK_ALL,
        DepthFunc: D3D12_COMPARISON_FUNC_ALWAYS,
        ..Default::default()
    };
    for (stream, id, text) in [
        (
            plain().targets(&[DXGI_FORMAT_BC6H_UF16]),
            36,
            "the format of render target 0 is DXGI_FORMAT_BC6H_UF16",
        ),
        (
            plain().targets(&[COLOR, DXGI_FORMAT_R32_TYPELESS]),
            36,
            "the format of render target 1 is DXGI_FORMAT_R32_TYPELESS",
        ),
        (
            // Its samples do not matter either.
            samples(plain().targets(&[DXGI_FORMAT_R11G11B10_FLOAT]), 8, 0),
            36,
            "the format of render target 0 is DXGI_FORMAT_R11G11B10_FLOAT",
        ),
        (
            plain().depth_format(DXGI_FORMAT_BC7_UNORM),
            47,
            "the format of the depth-stencil buffer is DXGI_FORMAT_BC7_UNORM",
        ),
        (
            plain().depth_format(COLOR),
            47,
            "the format of the depth-stencil buffer is DXGI_FORMAT_R8G8B8A8_UNORM",
        ),
    ] {
        let record = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL;
        let mut stream = stream.record(record, enabled);
        let desc = stream.desc();
        // SAFETY: the stream is laid out as records, and alive.
        let (result, messages) = unsafe { translate_for(&raw const desc, Some(&target)) };
        let state = result.unwrap_or_else(|error| panic!("{error}"));
        let said = |message: &compiler_runtime::message::Message| {
            (message.severity, message.id.0) == (Severity::Warning, id)
                && message.text.starts_with(text)
        };
        assert!(messages.iter().any(said), "{messages:#?}");
        let arg = state.arg();
        let formats: Vec<_> = arg.RTVFormats.iter().chain([&arg.DSVFormat]).collect();
        assert!(
            formats.iter().all(|format| [0, COLOR].contains(&format.0)),
            "{formats:?}"
        );
        // Without a plugin's word, all formats are as they are.
        let (state, _) = stream.translate();
        let state = state.unwrap_or_else(|error| panic!("{error}"));
        let arg = state.arg();
        let mut formats = arg.RTVFormats.iter().chain([&arg.DSVFormat]);
        assert!(formats.any(|format| text.ends_with(format.name().unwrap())));
    }
}

#[test]
fn a_target_is_asked_once() {
    let target = capabilities::<Limited>(TRUE);
    let stream = || samples(plain().targets(&[COLOR, DXGI_FORMAT_R32_FLOAT]), 4, 0);
    fine(stream(), &target);
    let asked = QUESTIONS.load(Ordering::Relaxed);
    // Tests that run beside this one ask too.
    let quiet = (0..100).any(|_| {
        let before = QUESTIONS.load(Ordering::Relaxed);
        fine(stream(), &target);
        QUESTIONS.load(Ordering::Relaxed) == before
    });
    assert!(asked > 0 && quiet);
}

#[test]
fn a_plugin_that_does_not_say_refuses_nothing() {
    let target = capabilities::<Limited>(SILENT);
    let all = plain().targets(&[COLOR, DXGI_FORMAT_R11G11B10_FLOAT]);
    fine(samples(all, 8, 0), &target);
    let newer = StreamBuilder::new()
        .root_signature(&serialized(&covering()))
        .cs(&shader("heap_cs"));
    fine(newer, &target);
}

/// The sample plugin's newest family takes what the corpus has.
#[test]
fn the_sample_plugin_answers() {
    let target = capabilities::<sample_plugin::SamplePlugin>(0);
    let formats = [
        COLOR,
        DXGI_FORMAT_R11G11B10_FLOAT,
        DXGI_FORMAT_R16G16B16A16_FLOAT,
    ];
    let stream = plain()
        .targets(&formats)
        .depth_format(DXGI_FORMAT_D32_FLOAT);
    fine(samples(stream, 8, 0), &target);
    let packed = plain().targets(&[DXGI_FORMAT_R9G9B9E5_SHAREDEXP]);
    fine(packed, &target);
    assert!(!target.renders_to(ddi_sys::DXGI_FORMAT_R9G9B9E5_SHAREDEXP));
}
