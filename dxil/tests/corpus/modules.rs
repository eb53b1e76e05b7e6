//! What a program says of itself is what the parts around it say, which DXC wrote from the same
//! source.

use std::collections::{BTreeMap, BTreeSet};

use dxil::module::{EntryPoint, NodeId, NodeIo, SignatureEntry, Stage};
use dxil::psv0::{ResourceType, StageInfo};
use dxil::rdat::{NodeAttribute, NodeIoAttribute, ResourceFlags, RuntimeData};
use dxil::{Container, FourCc, Module, ResourceClass, ResourceKind, ShaderKind, Signature};

use crate::valid::{Shader, shaders};

/// What `ask` says of each shader of the corpus that has a program.
fn each(mut ask: impl FnMut(&Shader, &Container<'_>, &Module)) {
    for shader in shaders() {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let Ok(program) = container.program() else {
            continue;
        };
        let module = Module::parse(&program)
            .unwrap_or_else(|error| panic!("{}: {error}", shader.entry.name));
        ask(&shader, &container, &module);
    }
}

/// Debug information and reflection are read like the program itself, and say the same.
#[test]
fn ildb_and_stat_have_the_same_interface() {
    let mut compared = 0;
    each(|shader, container, module| {
        for part in [FourCc::ILDB, FourCc::STAT] {
            let Some(part) = container.part(part) else {
                continue;
            };
            let other = Module::parse(&part.program().unwrap()).unwrap();
            let shown = format!("{} {}", shader.entry.name, part.fourcc());
            assert_eq!(other.profile(), module.profile(), "{shown}");
            assert_eq!(other.resources().len(), module.resources().len(), "{shown}");
            let names = |module: &Module| -> Vec<_> {
                let entries = module.entry_points().iter();
                entries
                    .map(|entry| (entry.name.clone(), entry.kind, entry.thread_group))
                    .collect()
            };
            assert_eq!(names(&other), names(module), "{shown}");
            compared += 1;
        }
    });
    assert!(compared > 150, "{compared}");
}

/// In the sources, constant buffers contain arrays in these and in no others. Most others have matrices.
#[test]
fn constant_buffers_with_arrays() {
    let mut found = BTreeSet::new();
    each(|shader, _, module| {
        if module.resources().iter().any(|it| it.has_array) {
            found.insert(shader.source.clone());
        }
    });
    let sources = [
        "geometry_layers",
        "indirect_args",
        "mesh_lines",
        "meshlet",
        "multiview",
        "skinned",
    ];
    let sources = sources.map(|name| format!("hlsl/{name}.hlsl"));
    assert_eq!(found, BTreeSet::from(sources));
}

#[test]
fn versions_and_names_are_those_of_program_and_manifest() {
    each(|shader, container, module| {
        let name = &shader.entry.name;
        let program = container.program().unwrap();
        let profile = shader.profile.split('_').next().unwrap();
        let expected = Some((profile, program.shader_model()));
        assert_eq!(module.profile(), expected, "{name}");
        assert_eq!(
            module.dxil_version(),
            Some(program.dxil_version()),
            "{name}"
        );
        let validator = module.validator_version().unwrap();
        assert_eq!(validator.major, 1, "{name}");
        assert!(validator.minor >= program.dxil_version().minor, "{name}");
        if program.kind() != ShaderKind::Library {
            let [entry] = module.entry_points() else {
                panic!("{name}")
            };
            assert_eq!(entry.name, shader.entry_point, "{name}");
            assert_eq!(entry.kind, program.kind(), "{name}");
            let function = &module.functions()[entry.function.unwrap()];
            assert_eq!(function.name, shader.entry_point, "{name}");
            assert!(function.is_defined, "{name}");
        }
        for function in module.functions().iter().filter(|it| !it.is_defined) {
            let is_intrinsic = function.name.starts_with("dx.op.");
            assert!(
                is_intrinsic || shader.stage == "library",
                "{name} {function:?}"
            );
        }
    });
}

/// Name, semantic index, register, mask, stream.
type Row = (Vec<u8>, u32, Option<u32>, u8, u32);

fn rows_of_part(signature: Option<Signature<'_>>) -> BTreeSet<Row> {
    let elements = signature.iter().flat_map(Signature::elements);
    elements
        .map(|it| {
            let place = it.register();
            let name = it.name().to_vec();
            (name, it.semantic_index(), place, it.mask(), it.stream())
        })
        .collect()
}

fn rows_of_module(signature: &[SignatureEntry]) -> BTreeSet<Row> {
    let rows = signature.iter().flat_map(|entry| {
        assert_eq!(entry.indices.len(), entry.rows as usize);
        (0..entry.rows).map(move |row| {
            let is_placed = entry.start_row != u32::MAX;
            let column = if is_placed { entry.start_column } else { 0 };
            let name = entry.name.clone().into_bytes();
            let index = entry.indices[row as usize];
            let register = is_placed.then(|| entry.start_row + row);
            let mask = ((1_u8 << entry.columns) - 1) << column;
            (name, index, register, mask, entry.stream)
        })
    });
    rows.collect()
}

#[test]
fn signatures_are_those_of_the_parts() {
    let mut compared = 0;
    each(|shader, container, module| {
        if shader.stage == "library" {
            return;
        }
        let [entry] = module.entry_points() else {
            panic!()
        };
        for (part, entries) in [
            (FourCc::ISG1, &entry.inputs),
            (FourCc::OSG1, &entry.outputs),
            (FourCc::PSG1, &entry.patch_or_primitive),
        ] {
            let shown = format!("{} {part}", shader.entry.name);
            let signature = container.signature(part).unwrap();
            let has_part = signature.is_some();
            let rows = rows_of_module(entries);
            if has_part || !rows.is_empty() {
                if container.parts().len() == 1 {
                    continue; // parts_dxil_only_cs
                }
                assert_eq!(rows, rows_of_part(signature), "{shown}");
            }
            compared += rows.len();
        }
    });
    assert!(compared > 400, "{compared}");
}

/// Class, space, first and last register, shape.
type Binding = (ResourceClass, u32, u32, u32, ResourceKind);

fn bindings(module: &Module) -> BTreeSet<Binding> {
    let resources = module.resources().iter();
    resources
        .map(|it| {
            let last = match it.range_size {
                u32::MAX => u32::MAX,
                size => it.lower_bound + (size - 1),
            };
            (it.class, it.space, it.lower_bound, last, it.kind)
        })
        .collect()
}

#[test]
fn resources_are_those_of_psv0() {
    let mut compared = 0;
    each(|shader, container, module| {
        let Some(psv0) = container.pipeline_state_validation().unwrap() else {
            return;
        };
        let expected: BTreeSet<_> = psv0
            .resources()
            .map(|it| {
                let class = match it.resource_type {
                    ResourceType::SAMPLER => ResourceClass::SAMPLER,
                    ResourceType::CBV => ResourceClass::CBV,
                    ResourceType(3..=5) => ResourceClass::SRV,
                    _ => ResourceClass::UAV,
                };
                (
                    class,
                    it.space,
                    it.lower_bound,
                    it.upper_bound,
                    it.kind.unwrap(),
                )
            })
            .collect();
        assert_eq!(bindings(module), expected, "{}", shader.entry.name);
        // A resource with a counter is of a type of its own.
        let with_counter = |it: ResourceType| it == ResourceType(9);
        assert_eq!(
            psv0.resources()
                .filter(|it| with_counter(it.resource_type))
                .count(),
            module
                .resources()
                .iter()
                .filter(|it| it.flags.contains(ResourceFlags::UAV_COUNTER))
                .count(),
            "{}",
            shader.entry.name
        );
        compared += expected.len();
    });
    assert!(compared > 200, "{compared}");
}

#[test]
fn stages_are_those_of_psv0() {
    let mut seen = BTreeSet::new();
    each(|shader, container, module| {
        let Some(psv0) = container.pipeline_state_validation().unwrap() else {
            return;
        };
        let name = &shader.entry.name;
        let entry = &module.entry_points()[0];
        let threads = psv0.num_threads.filter(|&threads| threads != [0; 3]);
        assert_eq!(entry.thread_group, threads, "{name}");
        if let Some(size) = entry.wave_size {
            assert_eq!(
                [size.min, size.max],
                [
                    psv0.minimum_expected_wave_lane_count,
                    psv0.maximum_expected_wave_lane_count
                ],
                "{name}"
            );
            seen.insert("wave size");
        }
        match (entry.stage, psv0.stage_info) {
            (
                Stage::Geometry {
                    input_primitive,
                    max_vertices,
                    streams,
                    topology,
                    instances,
                },
                Some(StageInfo::Geometry {
                    input_primitive: i,
                    output_topology: t,
                    output_stream_mask: s,
                    max_vertex_count: v,
                    ..
                }),
            ) => {
                assert_eq!(
                    (input_primitive, topology, streams, max_vertices),
                    (i, t, s, u32::from(v)),
                    "{name}"
                );
                assert!(instances >= 1, "{name}");
                seen.insert("geometry");
            }
            (
                Stage::Domain {
                    domain,
                    input_points,
                },
                Some(StageInfo::Domain {
                    input_control_point_count: p,
                    tessellator_domain: d,
                    ..
                }),
            ) => {
                assert_eq!((domain, input_points), (d, p), "{name}");
                seen.insert("domain");
            }
            (
                Stage::Hull {
                    patch_function,
                    input_points,
                    output_points,
                    domain,
                    output_primitive,
                    ..
                },
                Some(StageInfo::Hull {
                    input_control_point_count: i,
                    output_control_point_count: o,
                    tessellator_domain: d,
                    tessellator_output_primitive: p,
                }),
            ) => {
                assert_eq!(
                    (input_points, output_points, domain, output_primitive),
                    (i, o, d, p),
                    "{name}"
                );
                assert!(
                    module.functions()[patch_function.unwrap()].is_defined,
                    "{name}"
                );
                seen.insert("hull");
            }
            (
                Stage::Mesh {
                    max_vertices,
                    max_primitives,
                    topology,
                    payload,
                },
                Some(StageInfo::Mesh {
                    payload_size_in_bytes: b,
                    max_output_vertices: v,
                    max_output_primitives: p,
                    output_topology: t,
                    ..
                }),
            ) => {
                assert_eq!(
                    (max_vertices, max_primitives, topology, payload),
                    (v.into(), p.into(), t.into(), b),
                    "{name}"
                );
                seen.insert("mesh");
            }
            (
                Stage::Amplification { payload },
                Some(StageInfo::Amplification {
                    payload_size_in_bytes: b,
                }),
            ) => {
                assert_eq!(payload, b, "{name}");
                seen.insert("amplification");
            }
            (Stage::Other, None | Some(StageInfo::Vertex { .. } | StageInfo::Pixel { .. })) => {}
            other => panic!("{name}: {other:?}"),
        }
    });
    assert_eq!(seen.len(), 6, "{seen:?}");
}

/// The source says what PSV0 does not.
#[test]
fn hull_shader_as_its_source_says() {
    let bytes = std::fs::read(crate::path("dxil/tess_tri_hs.dxil")).unwrap();
    let program = Container::parse(&bytes).unwrap().program().unwrap();
    let module = Module::parse(&program).unwrap();
    let Stage::Hull {
        patch_function,
        partitioning,
        max_factor,
        ..
    } = module.entry_points()[0].stage
    else {
        panic!()
    };
    let name = &module.functions()[patch_function.unwrap()].name;
    assert!(name.starts_with("\u{1}?patch_main@@"), "{name:?}");
    assert_eq!((partitioning, max_factor.to_bits()), (3, 32_f32.to_bits()));
}

#[test]
fn libraries_are_those_of_rdat() {
    let (mut functions, mut nodes) = (0, 0);
    each(|shader, container, module| {
        let Some(data) = container.runtime_data().unwrap() else {
            return;
        };
        let name = &shader.entry.name;
        resources_are_those_of_rdat(name, &data, module);
        let entries: BTreeMap<&str, &EntryPoint> = module
            .entry_points()
            .iter()
            .map(|entry| (entry.name.as_str(), entry))
            .collect();
        assert_eq!(entries.len(), module.entry_points().len(), "{name}");
        let mut found = 0;
        for function in data.functions() {
            let shown = format!("{name} {}", function.name);
            // A function that is no shader is exported, but no entry point.
            let Some(entry) = entries.get(function.name) else {
                assert_eq!(function.kind, ShaderKind::Library, "{shown}");
                let exported = |it: &&dxil::module::Function| it.name == function.name;
                assert!(module.functions().iter().find(exported).unwrap().is_defined);
                continue;
            };
            found += 1;
            assert_eq!(entry.kind, function.kind, "{shown}");
            let name = &module.functions()[entry.function.unwrap()].name;
            assert_eq!(name, function.name, "{shown}");
            let ray = entry.ray.unwrap_or_default();
            assert_eq!(ray.payload, function.payload_size_in_bytes, "{shown}");
            assert_eq!(ray.attributes, function.attribute_size_in_bytes, "{shown}");
            assert_eq!(entry.node.is_some(), function.node.is_some(), "{shown}");
            if let Some(node) = function.node {
                node_is_that_of_rdat(&shown, entry, &node);
                nodes += 1;
            }
        }
        assert_eq!(found, entries.len(), "{name}");
        functions += found;
    });
    assert!(functions > 100 && nodes > 10, "{functions} {nodes}");
}

fn resources_are_those_of_rdat(name: &str, data: &RuntimeData<'_>, module: &Module) {
    // Whether a resource is indexed is in the instructions.
    let indexing = ResourceFlags::DYNAMIC_INDEXING.0;
    let expected: BTreeSet<_> = data
        .resources()
        .map(|it| {
            let binding: Binding = (it.class, it.space, it.lower_bound, it.upper_bound, it.kind);
            (binding, it.id, it.name.to_owned(), it.flags.0 & !indexing)
        })
        .collect();
    let found: BTreeSet<_> = module
        .resources()
        .iter()
        .map(|it| {
            let last = match it.range_size {
                u32::MAX => u32::MAX,
                size => it.lower_bound + (size - 1),
            };
            let binding = (it.class, it.space, it.lower_bound, last, it.kind);
            (binding, it.id, it.name.clone(), it.flags.0)
        })
        .collect();
    assert_eq!(found, expected, "{name}");
}

fn node_is_that_of_rdat(shown: &str, entry: &EntryPoint, expected: &dxil::rdat::Node<'_>) {
    let node = entry.node.as_deref().unwrap();
    assert_eq!(node.launch, expected.launch, "{shown}");
    let same = |id: &Option<NodeId>, name: &str, index| {
        let found = id.as_ref().map(|id| (id.name.as_str(), id.index));
        assert_eq!(found, Some((name, index)), "{shown}");
    };
    let three = |size: dxil::Numbers<'_>| -> [u32; 3] {
        size.iter().collect::<Vec<_>>().try_into().unwrap()
    };
    let mut shares = false;
    for attribute in expected.attributes.iter() {
        match attribute {
            NodeAttribute::Id(id) => same(&node.id, id.name, id.index),
            NodeAttribute::ShareInputOf(id) => {
                same(&node.shares_input_of, id.name, id.index);
                shares = true;
            }
            NodeAttribute::NumThreads(size) => {
                assert_eq!(entry.thread_group, Some(three(size)), "{shown}");
            }
            NodeAttribute::DispatchGrid(size) => {
                assert_eq!(node.dispatch_grid, Some(three(size)), "{shown}");
            }
            NodeAttribute::MaxDispatchGrid(size) => {
                assert_eq!(node.max_dispatch_grid, Some(three(size)), "{shown}");
            }
            NodeAttribute::MaxRecursionDepth(depth) => {
                assert_eq!(node.max_recursion, depth, "{shown}");
            }
            NodeAttribute::LocalRootArgumentsTableIndex(index) => {
                assert_eq!(node.local_root_arguments, index, "{shown}");
            }
            other => panic!("{shown}: {other:?}"),
        }
    }
    assert_eq!(node.shares_input_of.is_some(), shares, "{shown}");
    for (found, expected) in [
        (&node.inputs, expected.inputs),
        (&node.outputs, expected.outputs),
    ] {
        assert_eq!(found.len(), expected.iter().len(), "{shown}");
        for (found, expected) in found.iter().zip(expected.iter()) {
            node_io_is_that_of_rdat(shown, found, &expected);
        }
    }
}

fn node_io_is_that_of_rdat(shown: &str, io: &NodeIo, expected: &dxil::rdat::NodeIo<'_>) {
    assert_eq!(io.flags, expected.flags, "{shown}");
    for attribute in expected.attributes.iter() {
        match attribute {
            NodeIoAttribute::OutputId(id) => {
                let found = io.node.as_ref().unwrap();
                assert_eq!(
                    (found.name.as_str(), found.index),
                    (id.name, id.index),
                    "{shown}"
                );
            }
            NodeIoAttribute::MaxRecords(records) => assert_eq!(io.max_records, records, "{shown}"),
            NodeIoAttribute::MaxRecordsSharedWith(other) => {
                assert_eq!(io.shares_records_with, Some(other), "{shown}");
            }
            NodeIoAttribute::RecordSizeInBytes(size) => {
                assert_eq!(io.record_size, size, "{shown}");
            }
            NodeIoAttribute::RecordAlignmentInBytes(alignment) => {
                assert_eq!(io.record_alignment, alignment, "{shown}");
            }
            NodeIoAttribute::RecordDispatchGrid {
                byte_offset,
                component_count,
                component_type,
            } => {
                let (offset, ty, count) = io.dispatch_grid.unwrap();
                assert_eq!(
                    (offset, ty.0, count),
                    (
                        byte_offset.into(),
                        component_type.into(),
                        component_count.into()
                    ),
                    "{shown}"
                );
            }
            NodeIoAttribute::OutputArraySize(size) => assert_eq!(io.array_size, size, "{shown}"),
            NodeIoAttribute::AllowSparseNodes(allows) => {
                assert_eq!(io.allows_sparse, allows, "{shown}");
            }
            other => panic!("{shown}: {other:?}"),
        }
    }
}
