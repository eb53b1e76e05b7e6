//! Root signatures inside descriptions.

use std::cell::RefCell;
use std::ptr;
use std::rc::Rc;

use ddi_sys::*;
use plugin_sdk::Error;
use plugin_sdk::desc::{DescError, RootParameter, RootSignature, StaticSamplers};

use crate::host::Host;
use crate::host::description::at;
use crate::host::log::capture;
use crate::host::pipeline::Pipeline;
use crate::host::plugin::Script;
use crate::host::session::Session;

/// Lets a vendor look at the root signature, or gives what the log says.
fn look<T: 'static>(
    pipeline: &Pipeline,
    body: impl Fn(&RootSignature<'_>) -> T + 'static,
) -> Result<T, String> {
    let seen = Rc::new(RefCell::new(None));
    let sink = seen.clone();
    let _script = Script::compiling(move |desc, _| {
        *sink.borrow_mut() = desc.root_signature().map(&body);
        Err(Error::unsupported("only looking"))
    });
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    let (_, lines) = capture(|| compiler.compile(&session, pipeline.raw));
    seen.take().ok_or_else(|| lines[0].text.clone())
}

fn version_1_1() -> Pipeline {
    let mut pipeline = Pipeline::zeroed();
    pipeline.root_signature_1_1(at!(pipeline.raw, hRootSignature), "", None);
    pipeline
}

fn version_1_2() -> (Pipeline, *mut D3D12DDI_ROOT_SIGNATURE_0100) {
    let mut pipeline = Pipeline::zeroed();
    let content = pipeline.root_signature_1_2(at!(pipeline.raw, hRootSignature), "", None);
    (pipeline, content)
}

#[test]
fn both_versions_are_read_in_their_own_shape() {
    fn parameters(root: &RootSignature<'_>) -> String {
        let kinds = root.parameters().map(|(parameter, _)| match parameter {
            RootParameter::Table(ranges) => format!("table of {}", ranges.len()),
            RootParameter::Constants(_) => "constants".into(),
            RootParameter::Cbv(_) => "cbv".into(),
            RootParameter::Srv(_) => "srv".into(),
            RootParameter::Uav(_) => "uav".into(),
            other => format!("{other:?}"),
        });
        kinds.collect::<Vec<_>>().join(", ")
    }
    let expected = "table of 2, constants, cbv, srv, uav";
    let (old, new) = (
        D3D12DDI_ROOT_SIGNATURE_VERSION_1_1,
        D3D12DDI_ROOT_SIGNATURE_VERSION_1_2,
    );
    look(&version_1_1(), move |root| {
        assert_eq!((root.version(), parameters(root).as_str()), (old, expected));
        let StaticSamplers::V1_1(samplers) = root.static_samplers() else {
            panic!("{root:?}");
        };
        assert_eq!(samplers[1].AddressW, D3D12DDI_TEXTURE_ADDRESS_MODE_CLAMP);
    })
    .unwrap();
    let (pipeline, content) = version_1_2();
    // SAFETY: the pipeline's own root signature.
    unsafe { (*content).Flags = D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_VERTEX_SHADER_ROOT_ACCESS };
    look(&pipeline, move |root| {
        assert_eq!((root.version(), parameters(root).as_str()), (new, expected));
        let flags = D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_VERTEX_SHADER_ROOT_ACCESS;
        assert_eq!(root.flags(), flags);
        let StaticSamplers::V1_2(samplers) = root.static_samplers() else {
            panic!("{root:?}");
        };
        assert_eq!(samplers[1].AddressW, D3D12DDI_TEXTURE_ADDRESS_MODE_CLAMP);
    })
    .unwrap();
}

#[test]
fn other_versions_are_refused() {
    for version in [0, 1, 4, -1, i32::MAX] {
        let (pipeline, _) = version_1_2();
        let root = pipeline.get().hRootSignature.pDrvPrivate;
        let root: *mut D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 = root.cast();
        // SAFETY: the pipeline's own root signature.
        unsafe { (*root).Version = D3D12DDI_ROOT_SIGNATURE_VERSION(version) };
        let line = look(&pipeline, |_| ()).unwrap_err();
        let expected = DescError::RootSignatureVersion { version };
        assert!(line.contains(&expected.to_string()), "{line}");
    }
}

/// Only a table has a pointer: whatever lies in the others' place is not followed.
#[test]
fn a_parameter_of_an_unknown_type_is_kept_and_not_followed() {
    let (pipeline, content) = version_1_2();
    for index in 0..5 {
        // SAFETY: the pipeline's own root signature, which has five parameters.
        let parameter = unsafe { &mut *(*content).pRootParameters.cast_mut().add(index) };
        parameter.ParameterType = D3D12DDI_ROOT_PARAMETER_TYPE(5);
        parameter.Anonymous.DescriptorTable = D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013 {
            NumDescriptorRanges: u32::MAX,
            pDescriptorRanges: ptr::without_provenance(8),
        };
    }
    let unknown = look(&pipeline, |root| {
        assert!(!format!("{root:?}").is_empty());
        root.parameters()
            .filter(|(parameter, _)| matches!(parameter, RootParameter::Unknown(_)))
            .count()
    });
    assert_eq!(unknown, Ok(5));
}
