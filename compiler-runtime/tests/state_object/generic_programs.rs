//! Generic programs.

use std::sync::Arc;

#[allow(
    clippy::wildcard_imports,
    reason = "the names are C's, with their prefix"
)]
use api_sys::*;
use runtime_test_support::state_object::*;

use crate::plugins::{Host, associations, lines, read};

const TRIANGLE: D3D12_PRIMITIVE_TOPOLOGY_TYPE = D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE;

pub fn formats(format: i32) -> D3D12_RT_FORMAT_ARRAY {
    let mut formats = D3D12_RT_FORMAT_ARRAY {
        NumRenderTargets: 1,
        ..D3D12_RT_FORMAT_ARRAY::default()
    };
    formats.RTFormats[0] = format;
    formats
}

/// A full-screen triangle, which brings its own root signature: subobjects 0 and 1 are the shaders, 2
/// to 4 are state.
pub fn fullscreen() -> Description {
    Description::new(EXECUTABLE)
        .library("fullscreen_vs", &["vs=*"])
        .library("fullscreen_ps", &["ps=*"])
        .put(D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, TRIANGLE)
        .put(
            D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
            formats(28),
        )
        .put(
            D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
            D3D12_DEPTH_STENCIL_DESC::default(),
        )
}

#[test]
fn a_program_of_two_shaders() {
    let text = read(
        fullscreen()
            .program(Some("p"), &["vs", "ps"], &[2, 3, 4])
            .translate(),
    );
    // The root signatures in the shaders came behind the rest.
    assert_eq!(lines(&text, "GlobalRootSignature").len(), 2);
    assert_eq!(associations(&text), ["vs: [Some(6)]", "ps: [Some(7)]"]);
    insta::assert_snapshot!(text);
}

#[test]
fn the_root_signature_in_a_shader_is_the_one_of_the_program() {
    fullscreen()
        .global(&global())
        .program(Some("p"), &["vs", "ps"], &[2, 3, 4])
        .fails(
            "export vs: the root signature in the shader differs from the one that is associated with \
             it, pSubobjects[5] (GLOBAL_SERIALIZED_ROOT_SIGNATURE)",
        );
}

#[test]
fn layouts_and_streams_are_by_the_registers_of_the_shaders() {
    let mut desc = Description::new(EXECUTABLE)
        .library("forward_plain_vs", &["vs"].map(|_| "vs=vs_main"))
        .library("forward_plain_ps", &["ps=ps_main"])
        .put(D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, TRIANGLE)
        .put(
            D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
            formats(28),
        )
        .put(
            D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2,
            D3D12_DEPTH_STENCIL_DESC2::default(),
        )
        .global(&root_signature(
            &[
                (dxil::DescriptorRangeType::CBV, 0, 4, 0),
                (dxil::DescriptorRangeType::SRV, 0, 8, 0),
                (dxil::DescriptorRangeType::SAMPLER, 0, 4, 0),
            ],
            false,
        ));
    let container = corpus("forward_plain_vs");
    let container = dxil::Container::parse(&container).unwrap();
    let input = container.signature(dxil::FourCc::ISG1).unwrap().unwrap();
    let elements: Vec<_> = input
        .elements()
        .filter(|e| e.system_value() == dxil::SystemValue(0))
        .map(|element| {
            let mut name = element.name().to_vec();
            name.push(0);
            D3D12_INPUT_ELEMENT_DESC {
                SemanticName: windows_core::PCSTR(desc.arena().array(&name)),
                SemanticIndex: element.semantic_index(),
                Format: 2,
                AlignedByteOffset: D3D12_APPEND_ALIGNED_ELEMENT,
                ..D3D12_INPUT_ELEMENT_DESC::default()
            }
        })
        .collect();
    assert!(!elements.is_empty());
    let layout = D3D12_INPUT_LAYOUT_DESC {
        pInputElementDescs: desc.arena().array(&elements),
        NumElements: elements.len().try_into().unwrap(),
    };
    let desc = desc
        .put(D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT, layout)
        .program(Some("p"), &["vs", "ps"], &[2, 3, 4, 6])
        .program(Some("q"), &["vs", "ps"], &[2, 3, 4, 6]);
    let text = read(desc.translate());
    // Once for each program, behind everything else but the summary.
    assert_eq!(lines(&text, "InputLayout").len(), 2);
    let registers: Vec<_> = input
        .elements()
        .filter(|e| e.system_value() == dxil::SystemValue(0))
        .filter_map(|e| e.register())
        .collect();
    let expected: Vec<_> = [&registers[..], &registers[..]]
        .concat()
        .iter()
        .map(|r| format!("InputRegister = {r}"))
        .collect();
    assert_eq!(lines(&text, "InputRegister"), expected);
}

#[test]
fn what_a_program_is_made_of() {
    let with = |exports: &[&str], subobjects: &[usize]| {
        fullscreen().program(Some("p"), exports, subobjects)
    };
    with(&["ps"], &[2, 3, 4]).fails(
        "pSubobjects[5] (GENERIC_PROGRAM): there is neither a vertex nor a mesh shader among the exports",
    );
    with(&["vs", "gone"], &[2, 3, 4])
        .fails("pSubobjects[5] (GENERIC_PROGRAM): there is no export gone");
    with(&["vs", "vs"], &[2, 3, 4])
        .fails("pSubobjects[5] (GENERIC_PROGRAM): export vs is a second vertex shader");
    with(&["vs", "ps"], &[3, 4]).fails(
        "pSubobjects[5] (GENERIC_PROGRAM): a program with a vertex shader needs a PRIMITIVE_TOPOLOGY \
         subobject",
    );
    with(&["vs", "ps"], &[2, 2, 3, 4])
        .fails("pSubobjects[5] (GENERIC_PROGRAM): the program lists a second PRIMITIVE_TOPOLOGY");
    with(&["vs", "ps"], &[0]).fails(
        "pSubobjects[5] (GENERIC_PROGRAM): ppSubobjects[0] is pSubobjects[0] (DXIL_LIBRARY), which \
         generic programs do not list",
    );
    with(&["vs", "ps"], &[2, 3, 4])
        .program(Some("p"), &["vs", "ps"], &[2, 3, 4])
        .fails("pSubobjects[6] (GENERIC_PROGRAM): there is a program p already");
    Description::new(EXECUTABLE)
        .library("stages_lib68", &["lib_vs"])
        .global(&global())
        .program(Some("p"), &["lib_vs"], &[])
        .fails(
            "pSubobjects[2] (GENERIC_PROGRAM): export lib_vs is of a library; generic programs take \
             shaders that were compiled for their stage, such as vs_6_0",
        );
    Description::new(EXECUTABLE)
        .library("raw_copy_cs", &[])
        .program(Some("p"), &["main"], &[])
        .translate_with(None, &[])
        .unwrap_err();
    Description::new(RAYTRACING).library("fullscreen_vs", &["vs=*"]).fails(
        "pSubobjects[0] (DXIL_LIBRARY): a raytracing pipeline takes libraries, and this is a vertex \
         shader",
    );
}

#[test]
fn shaders_of_a_program_have_one_root_signature() {
    let plain = || {
        Description::new(EXECUTABLE)
            .library("forward_plain_vs", &["vs=*"])
            .library("forward_plain_ps", &["ps=*"])
            .put(D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, TRIANGLE)
            .global(&wide(0))
            .with(&["vs"])
            .global(&wide(9))
    };
    plain()
        .with(&["ps"])
        .program(None, &["vs", "ps"], &[2])
        .fails(
            "pSubobjects[7] (GENERIC_PROGRAM): exports vs and ps have different global root \
             signatures",
        );
}

/// A root signature for all of `forward_plain`, and one register more.
fn wide(space: u32) -> Vec<u8> {
    root_signature(
        &[
            (dxil::DescriptorRangeType::CBV, 0, 4, 0),
            (dxil::DescriptorRangeType::SRV, 0, 8, 0),
            (dxil::DescriptorRangeType::SAMPLER, 0, 4, 0),
            (dxil::DescriptorRangeType::UAV, 0, 1, space),
        ],
        false,
    )
}

#[test]
fn the_checks_of_pipelines_count_for_programs() {
    let invalid = fullscreen()
        .put(
            D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER,
            D3D12_RASTERIZER_DESC2::default(),
        )
        .program(None, &["vs", "ps"], &[2, 3, 4, 5])
        .translate_with(None, &[])
        .unwrap_err();
    assert!(
        invalid
            .text
            .starts_with("pSubobjects[6] (GENERIC_PROGRAM): "),
        "{invalid}"
    );
}

#[test]
fn programs_in_additions_use_shaders_that_are_there() {
    let parent = Arc::new(
        fullscreen()
            .config(ADDITIONS)
            .program(Some("p"), &["vs", "ps"], &[2, 3, 4])
            .translate(),
    );
    let addition = |name| {
        Description::new(EXECUTABLE)
            .config(ADDITIONS)
            .put(D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, TRIANGLE)
            .put(
                D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
                formats(28),
            )
            .put(
                D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1,
                D3D12_DEPTH_STENCIL_DESC1::default(),
            )
            .program(Some(name), &["vs", "ps"], &[1, 2, 3])
    };
    let invalid = addition("p")
        .translate_with(Some(&parent), &[])
        .unwrap_err();
    assert_eq!(
        invalid.text,
        "pSubobjects[4] (GENERIC_PROGRAM): there is a program p already"
    );
    let addition = Arc::new(addition("q").translate_with(Some(&parent), &[]).unwrap());
    let host = Host::sample();
    let first = host.compile(&parent, None);
    assert!(!host.compile(&addition, Some(&first)).keys.is_empty());
}
