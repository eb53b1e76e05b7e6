//! Descriptions of every type are placed, copied, compared and changed.

use std::collections::BTreeMap;

use ddi_schema::guard::Side;
use ddi_schema::{
    Change, Copier, Counts, Described, Graph, Layout, Meaning, New, NumberRole, Order, Pages, Part,
    PartKind, Type,
};
use ddi_sys::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A program of 32 bytes, as its second word says.
fn program(number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(0x0001_0060_u32.to_le_bytes());
    bytes.extend(8_u32.to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(number.to_le_bytes());
    bytes
}

/// A description of a type with values by chance.
fn arbitrary(of: &'static Type, seed: u64) -> Graph {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut graph = Graph::zeroed(of);
    for round in 0..5 {
        for Part { path, what } in graph.parts() {
            let depth = path.steps().len();
            let new = match what {
                PartKind::Number {
                    role: NumberRole::Count,
                    ..
                } => continue,
                PartKind::Number { number, .. } => {
                    let known: Vec<_> = number.meaning.enumerators().collect();
                    let most = u64::MAX >> (64 - 8 * number.size);
                    New::Bits(match number.meaning {
                        Meaning::Enumeration(_) => random
                            .choice(known)
                            .map_or(0, |(value, _)| value.cast_unsigned().into()),
                        _ => random.u64(..) & most,
                    })
                }
                PartKind::Handle(..) => New::Bits(random.u32(..).into()),
                PartKind::Text(_) => format!("name {}", random.u16(..)).as_str().into(),
                PartKind::Code(_) => program(random.u64(..)).as_slice().into(),
                PartKind::Bytes(_) => [random.u8(..), 1, 2][..random.usize(1..3)].into(),
                PartKind::Array {
                    len,
                    is_fixed: false,
                    ..
                } if len < 3 => {
                    let _ = graph.resize(path, random.usize(1..4));
                    continue;
                }
                PartKind::Optional {
                    is_there: false, ..
                } if round < 4 && depth < 14 && random.u8(..3) > 0 => {
                    let _ = graph.make(path);
                    continue;
                }
                _ => continue,
            };
            // A part that another change has taken away is none any more.
            let _ = graph.set(path, new);
        }
    }
    graph
}

fn copied(of: &'static Type, address: usize) -> Graph {
    let mut copier = Copier::checked().after(BTreeMap::new());
    copier.copy(of, address, 1).unwrap()
}

fn layouts(seed: u64) -> [Layout; 5] {
    let together = Layout {
        pages: Pages::Together,
        order: Order::Backward,
        ..Layout::HEAP
    };
    [
        Layout::HEAP,
        Layout {
            fill: 0xA7,
            gap: 40,
            is_odd: true,
            ..Layout::HEAP
        },
        Layout {
            order: Order::Shuffled(seed),
            fill: 0xFF,
            ..together
        },
        Layout::apart(Side::Start),
        Layout {
            fill: 0x5C,
            ..Layout::apart(Side::End)
        },
    ]
}

#[test]
fn what_is_placed_is_copied_again_whatever_its_type_and_layout() {
    for of in Type::all() {
        for seed in 0..6 {
            let graph = arbitrary(of, seed);
            for layout in layouts(seed) {
                let placed = graph.place(&layout).unwrap();
                let copy = copied(of, placed.ptr::<u8>().addr());
                assert_eq!(
                    graph.difference(&copy, Counts::Content),
                    None,
                    "{of} {seed} {layout:?}"
                );
                assert_eq!(
                    copy.difference(&graph, Counts::Content),
                    None,
                    "{of} {seed}"
                );
                assert_eq!(copy.lines(), graph.lines(), "{of} {seed}");
            }
        }
    }
}

#[test]
fn every_change_is_seen_and_survives_memory() {
    let mut changes = 0;
    for of in Type::all() {
        let graph = arbitrary(of, 1);
        for change in graph.changes() {
            let mut changed = graph.clone();
            let done = changed.apply(&change);
            assert_eq!(done, Ok(()), "{of}: {change}");
            if changed == graph {
                // Two elements that are equal were exchanged.
                assert!(matches!(change, Change::Rearrange(..)), "{of}: {change}");
                continue;
            }
            let difference = graph.difference(&changed, Counts::Content);
            assert!(difference.is_some(), "{of}: {change}");
            changes += 1;
            if changes % 4 == 0 {
                let placed = changed.place(&Layout::HEAP).unwrap();
                let copy = copied(of, placed.ptr::<u8>().addr());
                assert_eq!(
                    changed.difference(&copy, Counts::Content),
                    None,
                    "{of}: {change}"
                );
            }
        }
    }
    assert!(changes > 10_000, "{changes}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_of_any_kind_ends_in_a_graph_or_an_error(
        which in any::<prop::sample::Index>(),
        words in prop::collection::vec(prop_oneof![
            Just(0_u64), 1_u64..64, any::<u64>(), 0x7F00_0000_0000_u64..0x7FFF_FFFF_FFFF,
        ], 0..64),
    ) {
        let types: Vec<_> = Type::all().collect();
        let of = *which.get(&types);
        let memory = ddi_schema::guard::Guarded::new(of.size, 1, Side::End, 0).unwrap();
        // Some of the words lead back into the memory itself.
        let own = memory.addresses();
        let words = words.into_iter().map(|word| if word % 7 == 3 { own.start as u64 } else { word });
        let bytes: Vec<u8> = words.cycle().take(of.size).flat_map(u64::to_le_bytes).take(of.size).collect();
        memory.write(&bytes);
        for reading in [Copier::checked(), Copier::checked().usermode()] {
            let graph = reading.clone().copy(of, own.start, 1).unwrap();
            let _ = (graph.flaws().count(), graph.lines(), graph.parts(), graph.changes());
            prop_assert_eq!(reading.clone().copy(of, own.end - of.size + 1, 1).is_none(), of.size > 0);
            graph.place(&Layout::HEAP).unwrap();
        }
    }
}

fn pipeline() -> Graph {
    let mut graph = Graph::zeroed(D3D12DDIARG_CREATE_PIPELINE_STATE_0099::TYPE);
    for stage in ["hVertexShader", "hPixelShader", "hGeometryShader"] {
        graph.make(stage).unwrap();
        graph
            .set(format!("{stage}.pShaderCode"), program(1).as_slice())
            .unwrap();
    }
    graph.make("hRootSignature").unwrap();
    graph
        .set(
            "hRootSignature.Version",
            D3D12DDI_ROOT_SIGNATURE_VERSION_1_2.0,
        )
        .unwrap();
    graph
        .put(
            "hBlendState",
            &D3D12DDI_BLEND_DESC_0010 {
                AlphaToCoverageEnable: TRUE,
                ..bytemuck::Zeroable::zeroed()
            },
        )
        .unwrap();
    graph
}

#[test]
fn counts_follow_arrays_and_arms_what_decides_them() {
    let mut graph = pipeline();
    assert_eq!(graph.bits("hBlendState.AlphaToCoverageEnable"), Some(1));
    let content = "hRootSignature.pRootSignature_1_2";
    graph
        .resize(format!("{content}.pRootParameters"), 3)
        .unwrap();
    assert_eq!(graph.bits(format!("{content}.NumParameters")), Some(3));
    let table = format!("{content}.pRootParameters[2].DescriptorTable.pDescriptorRanges");
    graph.resize(table.clone(), 2).unwrap();
    graph.set(format!("{table}[1].NumDescriptors"), 7).unwrap();
    graph
        .resize(format!("{content}.pStaticSamplers"), 1)
        .unwrap();
    graph
        .set(format!("{content}.pStaticSamplers[0].MipLODBias"), 0.5_f32)
        .unwrap();
    // The first to the end: the table is the second now.
    graph
        .rearrange(
            format!("{content}.pRootParameters"),
            &[Some(1), Some(2), Some(0)],
        )
        .unwrap();
    let table = format!("{content}.pRootParameters[1].DescriptorTable.pDescriptorRanges");
    assert_eq!(graph.bits(format!("{table}[1].NumDescriptors")), Some(7));
    // The other version has the same parameters, and samplers of another type with the same members.
    graph
        .set(
            "hRootSignature.Version",
            D3D12DDI_ROOT_SIGNATURE_VERSION_1_1.0,
        )
        .unwrap();
    assert_eq!(graph.bits(format!("{table}[1].NumDescriptors")), None);
    let table = table.replace("1_2", "1_1");
    assert_eq!(graph.bits(format!("{table}[1].NumDescriptors")), Some(7));
    let bias = "hRootSignature.pRootSignature_1_1.pStaticSamplers[0].MipLODBias";
    assert_eq!(graph.bits(bias), Some(0.5_f32.to_bits().into()));
    // Constants have no ranges.
    let parameter = "hRootSignature.pRootSignature_1_1.pRootParameters[1]";
    graph
        .set(
            format!("{parameter}.ParameterType"),
            D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS.0,
        )
        .unwrap();
    assert_eq!(
        graph.bits(format!("{parameter}.Constants.Num32BitValues")),
        Some(0)
    );
    assert_eq!(graph.bits(format!("{table}[1].NumDescriptors")), None);
    // A geometry shader has stream output where the root signature allows it, and keeps its program.
    assert_eq!(graph.bits("hGeometryShader.NumEntries"), None);
    let flags = "hRootSignature.pRootSignature_1_1.Flags";
    graph
        .set(flags, D3D12DDI_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT.0)
        .unwrap();
    assert_eq!(graph.bits("hGeometryShader.NumEntries"), Some(0));
    assert_eq!(
        graph
            .bytes_at("hGeometryShader.CreateShader.pShaderCode")
            .unwrap()[..],
        program(1)[..]
    );
    let placed = graph.place(&Layout::HEAP).unwrap();
    let copy = copied(graph.of().unwrap(), placed.ptr::<u8>().addr());
    assert_eq!(graph.difference(&copy, Counts::Content), None);
    graph.set(flags, 0).unwrap();
    assert_eq!(
        graph.bytes_at("hGeometryShader.pShaderCode").unwrap()[..],
        program(1)[..]
    );
    assert_eq!(graph.flaws().count(), 0);
}

#[test]
fn pointers_to_elements_follow_them_and_leave_with_them() {
    let mut graph = Graph::zeroed(D3D12DDIARG_CREATE_STATE_OBJECT_0054::TYPE);
    graph.resize("pSubobjects", 3).unwrap();
    let kinds = [
        D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK,
        D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
        D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
    ];
    for (index, kind) in kinds.iter().enumerate() {
        graph
            .set(format!("pSubobjects[{index}].Type"), kind.0)
            .unwrap();
    }
    graph.set("pSubobjects[0].pDesc.NodeMask", 5).unwrap();
    let list = "pSubobjects[2].pDesc.pSubobjects";
    graph.resize(list, 2).unwrap();
    graph.point(format!("{list}[0]"), "pSubobjects[0]").unwrap();
    graph.point(format!("{list}[1]"), "pSubobjects[1]").unwrap();
    graph
        .rearrange("pSubobjects", &[Some(2), Some(1), Some(0)])
        .unwrap();
    let list = "pSubobjects[0].pDesc.pSubobjects";
    assert_eq!(graph.bits(format!("{list}[0].pDesc.NodeMask")), Some(5));
    let other = graph.clone();
    graph.rearrange("pSubobjects", &[Some(0), Some(2)]).unwrap();
    assert_eq!(graph.len(list), Some(1));
    assert_eq!(graph.bits("pSubobjects[0].pDesc.NumSubobjects"), Some(1));
    assert_eq!(graph.bits(format!("{list}[0].pDesc.NodeMask")), Some(5));
    let difference = other.difference(&graph, Counts::Content).unwrap();
    assert_eq!(difference.path.to_string(), "NumSubobjects");
    // To another element with equal content.
    let mut moved = other.clone();
    moved.point(format!("{list}[0]"), "pSubobjects[1]").unwrap();
    let difference = other.difference(&moved, Counts::Content).unwrap();
    assert_eq!(
        difference.to_string(),
        format!("{list}[0] is element 2, and element 1")
    );
}

#[test]
fn equal_blocks_can_be_one_and_a_string_that_changes_is_ones_own() {
    let mut graph = Graph::zeroed(D3D12DDI_EXPORT_DESC_0054::TYPE);
    for name in ["Name", "ExportToRename"] {
        graph.set(name, "same").unwrap();
    }
    let merged = graph.merged();
    assert_eq!(graph.difference(&merged, Counts::Content), None);
    let placed = merged.place(&Layout::HEAP).unwrap();
    // SAFETY: a description that lives.
    let export = unsafe { &*placed.ptr::<D3D12DDI_EXPORT_DESC_0054>() };
    assert_eq!(export.Name, export.ExportToRename);
    let copy = Graph::copy(export);
    assert_eq!(copy.blocks().len(), 2);
    let mut other = copy;
    other.set("Name", "other").unwrap();
    assert_eq!(other.text("ExportToRename").as_deref(), Some("same"));
    let difference = graph.difference(&other, Counts::Content).unwrap();
    assert_eq!(difference.to_string(), r#"Name is "same", and "other""#);
}

#[test]
fn what_no_description_can_have_is_told_with_its_path() {
    let mut graph = pipeline();
    graph.make("hElementLayout").unwrap();
    graph.set("hElementLayout.NumElements", 3).unwrap();
    graph.set("hRootSignature.Version", 77).unwrap();
    graph
        .set("hVertexShader.pShaderCode", &b"no program of any kind"[..])
        .unwrap();
    graph.set("hBlendState", 8).unwrap();
    let flaws: Vec<_> = graph.flaws().map(|flaw| flaw.to_string()).collect();
    assert_eq!(
        flaws,
        [
            "hBlendState leads to 0x8, where it cannot be read",
            "hVertexShader.pShaderCode leads to no shader code",
            "nothing says what hRootSignature.Anonymous is",
            "hElementLayout.pVertexElements is null and has 3 elements",
        ]
    );
}

#[test]
fn a_list_that_leads_back_to_itself_has_an_end() {
    let mut graph = Graph::zeroed(D3D12DDI_NODE_LIST_ENTRY_0108::TYPE);
    graph.make("pNext").unwrap();
    graph.make("pNext.pNext").unwrap();
    graph.point("pNext.pNext", "pNext").unwrap();
    let placed = graph.place(&Layout::HEAP).unwrap();
    let copy = copied(graph.of().unwrap(), placed.ptr::<u8>().addr());
    assert_eq!(graph.difference(&copy, Counts::Content), None);
    assert_eq!(
        copy.lines(),
        [
            "pNode: null",
            "pNext",
            "  pNode: null",
            "  pNext: block 1, as above"
        ]
    );
}

#[test]
fn a_long_list_is_shown_whole_and_shortly() {
    const NODES: usize = 20_000;
    let mut node = <D3D12DDI_NODE_0108 as bytemuck::Zeroable>::zeroed();
    let mut links = vec![<D3D12DDI_NODE_LIST_ENTRY_0108 as bytemuck::Zeroable>::zeroed(); NODES];
    let first = links.as_mut_ptr();
    for (index, link) in links.iter_mut().enumerate() {
        link.pNode = &raw mut node;
        if index + 1 < NODES {
            link.pNext = first.wrapping_add(index + 1);
        }
    }
    let graph = Graph::copy(&links[0]);
    assert_eq!(
        graph
            .lines()
            .iter()
            .filter(|line| line.contains("pNode: block 1, as above"))
            .count(),
        NODES - 1
    );
    assert_eq!(graph.blocks().len(), NODES + 1);
    let flaw = graph.flaws().next().unwrap();
    assert_eq!(
        flaw.to_string(),
        "nothing says what pNode.Shader.Anonymous is"
    );
}
