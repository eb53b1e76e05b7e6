//! Structures of `ddi-sys/src/pipeline_state.rs`.

use ddi_sys::*;

use super::kinds::{Described, handle};
use super::shader::{MESH, STANDARD, TESSELLATION};
use crate::types::{Arm, Kind, Test, When};

const STREAMS: Test = Test::Has(D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT.0);

/// A geometry shader, with stream output where the root signature allows it: the pipeline's, or its own where that has none.
const GEOMETRY: Kind = Kind::Union(&[
    Arm {
        name: "",
        when: &[When {
            path: &["hRootSignature", "Anonymous", "Flags"],
            test: STREAMS,
        }],
        kind: handle(
            "D3D12DDI_HSHADER",
            D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026::of,
        ),
    },
    Arm {
        name: "",
        when: &[
            When {
                path: &["hRootSignature"],
                test: Test::IsNull,
            },
            When {
                path: &["hGeometryShader", "hRootSignature", "Anonymous", "Flags"],
                test: STREAMS,
            },
        ],
        kind: handle(
            "D3D12DDI_HSHADER",
            D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026::of,
        ),
    },
    Arm {
        name: "",
        when: &[],
        kind: handle("D3D12DDI_HSHADER", || &STANDARD),
    },
]);

structures! {
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        hComputeShader: arguments(D3D12DDIARG_CREATE_SHADER_0026::of), hVertexShader: arguments(|| &STANDARD),
        hPixelShader: arguments(|| &STANDARD), hDomainShader: arguments(|| &TESSELLATION),
        hHullShader: arguments(|| &TESSELLATION), hGeometryShader: is(GEOMETRY), hRootSignature, hBlendState,
        SampleMask, hRasterizerState, hDepthStencilState, hElementLayout, IBStripCutValue, PrimitiveTopologyType,
        NumRenderTargets, RTVFormats, DSVFormat, SampleDesc, NodeMask, LibraryReference, ViewInstancingDesc,
        hMeshShader: arguments(|| &MESH), hAmplificationShader: arguments(D3D12DDIARG_CREATE_SHADER_0026::of), Flags,
    }
    D3D12DDI_LIBRARY_REFERENCE_0010 { hLibrary, PipelineIndex }
    D3D12DDI_VIEW_INSTANCING_DESC { ViewInstanceCount, pViewInstanceLocations: array(ViewInstanceCount), Flags }
    D3D12DDI_VIEW_INSTANCE_LOCATION { ViewportArrayIndex, RenderTargetArrayIndex }
}
