use super::{
    ComponentMask, Fault, INFO_LEN, InterpolationMode, PipelineStateValidation, ResourceFlags,
    ResourceType, SemanticKind, StageInfo, Start,
};
use crate::{ComponentType, ErrorKind, ResourceKind, ShaderKind};

/// Runtime info of the latest revision, its vector counts zero.
fn info(stage: u8) -> Vec<u8> {
    let mut info: Vec<u8> = (0..0x18).map(|n| n + 0x40).collect();
    info.extend([stage, 1, 2, 3]); // view id, vectors
    info.extend([1, 0, 1, 0, 0, 0, 0, 0]); // elements, vectors
    info.extend([7_u32, 8, 9, 1, 10].into_iter().flat_map(u32::to_le_bytes));
    info
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().copied().flat_map(u32::to_le_bytes).collect()
}

/// Two elements: COLOR of two rows, and a depth that is not in a register.
fn elements() -> Vec<u8> {
    let mut bytes = words(&[16, 6, 1]);
    bytes.extend([2, 5, 0b0110_0011, 0, 3, 2, 0b0011_0100, 0]);
    bytes.extend(words(&[0, 0]));
    bytes.extend([1, 0, 0b0000_0001, 17, 3, 0, 0, 0]);
    bytes
}

/// A part: runtime info, a resource, strings, indices, elements, and what follows.
fn part(info: &[u8], tables: &[u32]) -> Vec<u8> {
    let mut bytes = words(&[u32::try_from(info.len()).unwrap()]);
    bytes.extend(info);
    bytes.extend(words(&[1, 24, 8, 1, 2, u32::MAX, 12, 1])); // resource
    bytes.extend(words(&[12])); // strings
    bytes.extend(b"\0main\0COLOR\0");
    bytes.extend(words(&[3, 0, 4, 5])); // indices
    bytes.extend(elements());
    bytes.extend(words(tables));
    bytes
}

#[test]
fn fields() {
    let bytes = part(&info(5), &[]);
    let psv0 = PipelineStateValidation::parse(&bytes).unwrap();
    assert_eq!((psv0.revision, psv0.stage), (4, Some(ShaderKind::Compute)));
    assert_eq!(psv0.minimum_expected_wave_lane_count, 0x5352_5150);
    assert_eq!(psv0.maximum_expected_wave_lane_count, 0x5756_5554);
    assert_eq!(psv0.num_threads, Some([7, 8, 9]));
    assert_eq!(psv0.entry_name, Some("main"));
    assert_eq!(psv0.num_bytes_group_shared_memory, Some(10));
    assert!(psv0.uses_view_id && psv0.stage_info.is_none());
    let resource = psv0.resources().next().unwrap();
    assert_eq!(resource.resource_type, ResourceType::UAV_STRUCTURED);
    assert_eq!([resource.space, resource.lower_bound], [1, 2]);
    assert_eq!(resource.upper_bound, u32::MAX);
    assert_eq!(resource.kind, Some(ResourceKind::STRUCTURED_BUFFER));
    assert_eq!(resource.flags, Some(ResourceFlags::USED_BY_ATOMIC_64));
    let color = psv0.inputs().next().unwrap();
    assert_eq!((color.semantic_name, color.columns), ("COLOR", 3));
    assert!(color.semantic_indices.iter().eq([4, 5]));
    assert_eq!(color.start, Some(Start { row: 5, column: 2 }));
    assert_eq!(color.semantic_kind, SemanticKind::ARBITRARY);
    assert_eq!(color.component_type, ComponentType::FLOAT32);
    assert_eq!(color.interpolation_mode, InterpolationMode::LINEAR);
    assert_eq!((color.dynamic_index_mask, color.output_stream), (4, 3));
    assert_eq!(psv0.outputs().len(), 0);
    let depth = psv0.patch_constants_or_primitives().next().unwrap();
    assert_eq!((depth.semantic_name, depth.start), ("", None));
    assert_eq!(depth.semantic_kind, SemanticKind::DEPTH);
    assert!(format!("{psv0:?}").contains("stage: Some(Compute)"));
}

/// Each revision has what the one before has, and more.
#[test]
fn revisions() {
    for (revision, len) in INFO_LEN.into_iter().enumerate() {
        let info = &info(1)[..len as usize];
        let mut bytes = part(info, &[]);
        if revision == 0 {
            bytes.truncate(4 + 24 + 32);
        }
        let psv0 = PipelineStateValidation::parse(&bytes).unwrap();
        assert_eq!(psv0.revision, revision);
        assert_eq!(psv0.stage.is_some(), revision >= 1);
        assert_eq!(psv0.inputs().len(), usize::from(revision >= 1));
        assert_eq!(psv0.num_threads.is_some(), revision >= 2);
        assert_eq!(psv0.entry_name.is_some(), revision >= 3);
        assert_eq!(psv0.num_bytes_group_shared_memory.is_some(), revision >= 4);
        let vertex = StageInfo::Vertex {
            output_position_present: true,
        };
        assert_eq!(psv0.stage_info, (revision >= 1).then_some(vertex));
    }
    // Of what comes later, what is known is read.
    let mut later = info(1);
    later.extend([1; 8]);
    let mut bytes = part(&later, &[]);
    bytes.push(0);
    assert_eq!(PipelineStateValidation::parse(&bytes).unwrap().revision, 4);
}

/// Resources of revisions 0 and 1 have no kind; later ones may be longer.
#[test]
fn resources_have_any_length() {
    for (len, has_kind) in [(16, false), (24, true), (28, true)] {
        let mut bytes = words(&[24]);
        bytes.extend([0; 24]);
        bytes.extend(words(&[2, len]));
        for n in 0..2 {
            bytes.extend(words(&[1, n, 0, 0, 14, 0, 0][..len as usize / 4]));
        }
        let psv0 = PipelineStateValidation::parse(&bytes).unwrap();
        assert!(psv0.resources().map(|it| it.space).eq([0, 1]), "{len}");
        assert!(psv0.resources().all(|it| it.kind.is_some() == has_kind));
    }
}

#[test]
fn particulars_of_each_stage() {
    let of = |stage| {
        let mut info = info(stage);
        info[0x1c..0x24].fill(0);
        info[0x19] = 0;
        let mut bytes = part(&info, &[]);
        bytes.truncate(bytes.len() - elements().len());
        PipelineStateValidation::parse(&bytes).unwrap().stage_info
    };
    let at = |at: u32| (at + 0x40) * 0x0101_0101 + 0x0302_0100;
    assert_eq!(
        of(0),
        Some(StageInfo::Pixel {
            depth_output: true,
            sample_frequency: true
        })
    );
    assert_eq!(
        of(2),
        Some(StageInfo::Geometry {
            input_primitive: at(0),
            output_topology: at(4),
            output_stream_mask: at(8),
            output_position_present: true,
            max_vertex_count: 0x302,
        })
    );
    assert_eq!(
        of(3),
        Some(StageInfo::Hull {
            input_control_point_count: at(0),
            output_control_point_count: at(4),
            tessellator_domain: at(8),
            tessellator_output_primitive: at(12),
        })
    );
    assert_eq!(
        of(4),
        Some(StageInfo::Domain {
            input_control_point_count: at(0),
            output_position_present: true,
            tessellator_domain: at(8),
        })
    );
    assert_eq!(
        of(13),
        Some(StageInfo::Mesh {
            group_shared_bytes_used: at(0),
            group_shared_bytes_dependent_on_view_id: at(4),
            payload_size_in_bytes: at(8),
            max_output_vertices: 0x4d4c,
            max_output_primitives: 0x4f4e,
            output_topology: 3,
        })
    );
    assert_eq!(
        of(14),
        Some(StageInfo::Amplification {
            payload_size_in_bytes: at(0)
        })
    );
    assert_eq!(of(5), None);
}

/// A domain shader of 9 output vectors, and so two words for each mask, 1 input and 2 patch-constant
/// vectors.
#[test]
fn dependencies() {
    let mut info = info(4);
    info[0x1f] = 1;
    info[0x20] = 9;
    let mut tables: Vec<u32> = vec![1, 1 << 3]; // view id
    tables.extend((0..4).flat_map(|row| [1 << row, 0]));
    tables.extend((0..8).flat_map(|row| [0, 1 << row]));
    let bytes = part(&info, &tables);
    let psv0 = PipelineStateValidation::parse(&bytes).unwrap();
    let view_id = psv0.view_id_outputs(0);
    assert!(view_id.iter().eq([0, 35]) && view_id.contains(35) && !view_id.contains(64));
    assert_eq!(format!("{view_id:?}"), "{0, 35}");
    let rows = psv0.input_outputs(0);
    assert_eq!(format!("{rows:?}"), "[{0}, {1}, {2}, {3}]");
    let rows = psv0.patch_constant_outputs();
    assert!(rows.iter().zip(32..).all(|(row, n)| row.iter().eq([n])));
    assert_eq!(rows.iter().len(), 8);
    assert_eq!(
        psv0.view_id_patch_constants_or_primitives(),
        ComponentMask::default()
    );
    assert_eq!(psv0.input_patch_constants().iter().len(), 0);

    let section = "dependencies";
    let (len, available) = (8 * 2 * 4, 8 * 2 * 4 - 1);
    let past_end = Fault::PastEnd {
        section,
        len,
        available,
    };
    assert_eq!(
        PipelineStateValidation::parse(&bytes[..bytes.len() - 1]).map(drop),
        Err(ErrorKind::PipelineStateValidation(past_end).at(4 + 0x1f))
    );
}

/// One field wrong at a time, at the edge of what is allowed.
#[test]
fn each_field_is_checked() {
    let good = part(&info(5), &[]);
    let [resources, strings] = [60, 92];
    let indices = strings + 4 + 12;
    let elements = indices + 4 + 12;
    let rest = |at: usize| good.len() - at;
    let past_end = |section, len, available| Fault::PastEnd {
        section,
        len,
        available,
    };
    let too_short = |section, len, least| Fault::TooShort {
        section,
        len,
        least,
    };
    let string = |offset| Fault::String {
        offset,
        strings: 12,
    };
    let at = |index, rows| Fault::SemanticIndices {
        index,
        rows,
        indices: 3,
    };
    let cases: [(usize, u32, Fault, usize); 16] = [
        (0, 23, too_short("runtime info", 23, 24), 0),
        (
            0,
            u32::MAX,
            past_end("runtime info", 0xffff_ffff, rest(4)),
            0,
        ),
        (4 + 0x18, 16, Fault::Stage { stage: 16 }, 4 + 0x18),
        (4 + 0x30, 12, string(12), 4 + 0x30),
        (
            resources,
            u32::MAX,
            past_end("resources", 24 * 0xffff_ffff, rest(resources + 8)),
            resources,
        ),
        (
            resources + 4,
            15,
            too_short("resources", 15, 16),
            resources + 4,
        ),
        (
            resources + 4,
            u32::MAX,
            past_end("resources", 0xffff_ffff, rest(resources + 8)),
            resources,
        ),
        (
            strings,
            u32::MAX,
            past_end("strings", 0xffff_ffff, rest(strings + 4)),
            strings,
        ),
        (strings + 4, 0xff, Fault::StringsNotUtf8, strings + 4),
        (
            indices,
            u32::MAX,
            past_end("semantic indices", 4 * 0xffff_ffff, rest(indices + 4)),
            indices,
        ),
        (
            elements,
            15,
            too_short("signature elements", 15, 16),
            elements,
        ),
        (
            elements,
            17,
            past_end("signature elements", 34, 32),
            4 + 0x1c,
        ),
        (elements + 4, 12, string(12), elements + 4),
        (elements + 8, 2, at(2, 2), elements + 8),
        (elements + 8, u32::MAX, at(u32::MAX, 2), elements + 8),
        (elements + 20 + 4, 3, at(3, 1), elements + 20 + 4),
    ];
    for (field, value, fault, offset) in cases {
        let mut bytes = good.clone();
        bytes[field..field + 4].copy_from_slice(&value.to_le_bytes());
        let expected = ErrorKind::PipelineStateValidation(fault).at(offset);
        let found = PipelineStateValidation::parse(&bytes).map(drop);
        assert_eq!(found, Err(expected), "{value:#x} at {field:#x}");
    }
    let mut longer = good.clone();
    longer.push(0);
    let trailing = Fault::Trailing { len: 1 };
    assert_eq!(
        PipelineStateValidation::parse(&longer).map(drop),
        Err(ErrorKind::PipelineStateValidation(trailing).at(good.len()))
    );
    for len in 0..good.len() {
        PipelineStateValidation::parse(&good[..len]).unwrap_err();
    }
}
