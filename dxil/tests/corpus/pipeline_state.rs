//! What PSV0 says is what the sources, and the other parts, say.

use std::collections::BTreeSet;

use dxil::psv0::{Element, PipelineStateValidation, ResourceType, SemanticKind, StageInfo};
use dxil::{Container, FourCc, ResourceKind, SystemValue};

use crate::valid::shaders;

fn read<T>(name: &str, ask: impl FnOnce(PipelineStateValidation<'_>) -> T) -> T {
    let bytes = std::fs::read(crate::path(&format!("dxil/{name}.dxil"))).unwrap();
    let container = Container::parse(&bytes).unwrap();
    ask(container.pipeline_state_validation().unwrap().unwrap())
}

/// Every PSV0 is read to its last byte: reading refuses what is left over. One byte more or less is
/// noticed.
#[test]
fn nothing_is_left_over() {
    let mut revisions = [0; 5];
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let Some(part) = Container::parse(&bytes).unwrap().part(FourCc::PSV0) else {
            continue;
        };
        let psv0 = PipelineStateValidation::parse(part.bytes())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        revisions[psv0.revision] += 1;
        let longer = [part.bytes(), &[0]].concat();
        PipelineStateValidation::parse(&longer).unwrap_err();
        for len in 0..part.bytes().len() {
            PipelineStateValidation::parse(&part.bytes()[..len]).unwrap_err();
        }
    }
    assert!(revisions[2] > 20 && revisions[3] > 90, "{revisions:?}");
}

#[test]
fn stage_and_entry_name_are_those_of_the_manifest() {
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let Some(psv0) = container.pipeline_state_validation().unwrap() else {
            continue;
        };
        assert_eq!(psv0.stage.unwrap().to_string(), shader.stage, "{name}");
        if let Some(entry) = psv0.entry_name {
            assert_eq!(entry, shader.entry_point, "{name}");
        }
        let has_group = ["compute", "mesh", "amplification"].contains(&shader.stage.as_str());
        let num_threads = psv0.num_threads.unwrap();
        assert_eq!(num_threads != [0; 3], has_group, "{name}");
        let has_particulars = shader.stage != "compute";
        assert_eq!(psv0.stage_info.is_some(), has_particulars, "{name}");
    }
}

/// One element here stands for all its rows in the signature, which names system values and has
/// them in another order.
#[test]
fn elements_are_those_of_the_signatures() {
    let mut compared = 0;
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let Some(psv0) = container.pipeline_state_validation().unwrap() else {
            continue;
        };
        let compare = |part, elements: Vec<Element<'_>>| {
            let signature = container.signature(part).unwrap();
            let rows: BTreeSet<_> = signature
                .iter()
                .flat_map(dxil::Signature::elements)
                .map(|row| {
                    let user_name = match row.system_value() {
                        SystemValue::UNDEFINED => row.name(),
                        _ => b"",
                    };
                    let place = row.register().map(|register| (register, row.mask()));
                    let start = place.map(|(register, mask)| (register, mask.trailing_zeros()));
                    (
                        user_name.to_vec(),
                        row.semantic_index(),
                        start,
                        row.mask().count_ones(),
                        row.component_type(),
                        row.stream(),
                    )
                })
                .collect();
            let found: BTreeSet<_> = elements
                .iter()
                .flat_map(|element| {
                    let indices = element.semantic_indices.iter().zip(0..);
                    indices.map(move |(index, row)| {
                        let start = element.start;
                        (
                            element.semantic_name.as_bytes().to_vec(),
                            index,
                            start.map(|it| (u32::from(it.row) + row, it.column.into())),
                            element.columns.into(),
                            element.component_type,
                            element.output_stream.into(),
                        )
                    })
                })
                .collect();
            assert_eq!(found, rows, "{name} {part}");
            let is_named = |kind| !format!("{kind:?}").contains('(');
            for element in elements {
                assert!(is_named(element.semantic_kind), "{name}: {element:?}");
                let has_name = !element.semantic_name.is_empty();
                let is_arbitrary = element.semantic_kind == SemanticKind::ARBITRARY;
                assert_eq!(has_name, is_arbitrary, "{name}: {element:?}");
                assert!(
                    !format!("{:?}", element.interpolation_mode).contains('('),
                    "{name}: {element:?}"
                );
            }
            found.len()
        };
        compared += compare(FourCc::ISG1, psv0.inputs().collect());
        compared += compare(FourCc::OSG1, psv0.outputs().collect());
        compared += compare(FourCc::PSG1, psv0.patch_constants_or_primitives().collect());
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn particulars_of_stages_are_those_of_the_source() {
    // Enumerations of d3dcommon.h: quad domain 3, triangle domain 2, isoline domain 1; output of
    // clockwise triangles 3, of lines 2; input primitive triangle 3; output topology triangle strip
    // 5, points 1.
    let expected = [
        (
            "tess_tri_hs",
            StageInfo::Hull {
                input_control_point_count: 3,
                output_control_point_count: 3,
                tessellator_domain: 2,
                tessellator_output_primitive: 3,
            },
        ),
        (
            "tess_quad_ds",
            StageInfo::Domain {
                input_control_point_count: 4,
                output_position_present: true,
                tessellator_domain: 3,
            },
        ),
        (
            "tess_iso_hs",
            StageInfo::Hull {
                input_control_point_count: 16,
                output_control_point_count: 4,
                tessellator_domain: 1,
                tessellator_output_primitive: 2,
            },
        ),
        (
            "streams_gs",
            StageInfo::Geometry {
                input_primitive: 1,
                output_topology: 1,
                output_stream_mask: 0b111,
                output_position_present: true,
                max_vertex_count: 6,
            },
        ),
        (
            "depth_ps",
            StageInfo::Pixel {
                depth_output: true,
                sample_frequency: false,
            },
        ),
        (
            "forward_lit_vs",
            StageInfo::Vertex {
                output_position_present: true,
            },
        ),
    ];
    for (name, stage_info) in expected {
        read(name, |psv0| {
            assert_eq!(psv0.stage_info, Some(stage_info), "{name}");
        });
    }
}

/// `raw_copy.hlsl`: constants `b0`, a `ByteAddressBuffer` `t0`, a `RWByteAddressBuffer` `u0`.
#[test]
fn resources_are_those_of_the_source() {
    for name in ["raw_copy_cs", "raw_copy_cs_linux", "raw_copy_cs_old"] {
        read(name, |psv0| {
            let found: Vec<_> = psv0
                .resources()
                .map(|it| {
                    (
                        it.resource_type,
                        it.space,
                        it.lower_bound,
                        it.upper_bound,
                        it.kind,
                    )
                })
                .collect();
            let expected = [
                (ResourceType::CBV, ResourceKind::CONSTANT_BUFFER),
                (ResourceType::SRV_RAW, ResourceKind::RAW_BUFFER),
                (ResourceType::UAV_RAW, ResourceKind::RAW_BUFFER),
            ]
            .map(|(ty, kind)| (ty, 0, 0, 0, Some(kind)));
            assert_eq!(found, expected, "{name}");
        });
    }
    read("bindless_ps", |psv0| {
        let unbounded = psv0.resources().filter(|it| it.upper_bound == u32::MAX);
        assert_eq!(unbounded.count(), 2);
    });
    // What comes from a heap is not listed.
    read("heap_cs", |psv0| assert_eq!(psv0.resources().len(), 1));
}

/// In `fullscreen.hlsl` the texture coordinate, and in `multiview.hlsl` the view, make the position.
#[test]
fn dependencies_are_those_of_the_source() {
    read("forward_lit_vs", |psv0| {
        // Component 3 of register 3 is the alpha of COLOR, and goes to register 5 unchanged.
        let on_alpha = psv0.input_outputs(0).iter().nth(15).unwrap();
        assert_eq!(on_alpha.iter().collect::<Vec<_>>(), [23]);
        assert!(on_alpha.contains(23) && !on_alpha.contains(22) && !on_alpha.contains(1000));
    });
    read("multiview_vs", |psv0| {
        assert!(psv0.uses_view_id);
        assert!(psv0.view_id_outputs(0).iter().next().is_some());
        assert_eq!(psv0.view_id_outputs(1).iter().count(), 0);
        assert_eq!(psv0.view_id_outputs(9).iter().count(), 0);
    });
    read("tess_tri_ds", |psv0| {
        let on_patch_constants = psv0.patch_constant_outputs();
        assert!(on_patch_constants.iter().len() > 0);
        assert_eq!(psv0.input_patch_constants().iter().len(), 0);
    });
    read("streams_gs", |psv0| {
        let rows = |stream| psv0.input_outputs(stream).iter().len();
        assert_eq!(rows(0), rows(2));
        assert_eq!([rows(3), rows(4)], [0, 0]);
    });
}
