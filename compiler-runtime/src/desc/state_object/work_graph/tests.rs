use api_desc::OutputOverrides;

use super::*;
use crate::desc::state_object::function::{Function, RecordGrid};

const INPUT: u32 = dxil::rdat::NodeIoFlags::INPUT.0;
const OUTPUT: u32 = dxil::rdat::NodeIoFlags::OUTPUT.0;

fn id(name: &str, index: u32) -> NodeId {
    NodeId {
        name: name.to_owned(),
        array_index: index,
    }
}

/// A coalescing node that takes records of 16 bytes and outputs one to each of `outputs`.
fn shader(name: &str, outputs: &[&str]) -> NodeShader {
    NodeShader {
        id: id(name, 0),
        launch: Some(Launch::Coalescing),
        is_entry: false,
        group_shared: 0,
        share_input_of: None,
        dispatch_grid: None,
        max_dispatch_grid: None,
        max_recursion: 0,
        local_root_index: None,
        input: NodeInput {
            flags: INPUT,
            record_size: 16,
            record_grid: None,
            max_records: 1,
        },
        outputs: outputs.iter().map(|to| output(to)).collect(),
    }
}

fn output(to: &str) -> NodeOutput {
    NodeOutput {
        id: id(to, 0),
        flags: OUTPUT | READ_WRITE,
        record_size: 16,
        record_grid: None,
        budget: Budget::Own(1),
        array_size: 1,
        sparse: false,
    }
}

fn available(shaders: &[NodeShader]) -> Vec<Available> {
    let export = |shader: &NodeShader| Available {
        name: format!("{}_{}", shader.id.name, shader.id.array_index),
        shader: Arc::new(shader.clone()),
        local_root_signature: None,
    };
    shaders.iter().map(export).collect()
}

fn all() -> WorkGraph {
    WorkGraph {
        name: "graph".to_owned(),
        flags: D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
        ..WorkGraph::default()
    }
}

fn entry(name: &str) -> WorkGraph {
    WorkGraph {
        entry_points: vec![id(name, 0)],
        flags: 0,
        ..all()
    }
}

fn explicit(export: &str, overrides: ShaderNode) -> WorkGraph {
    WorkGraph {
        nodes: vec![ShaderNode {
            shader: export.to_owned(),
            ..overrides
        }],
        flags: 0,
        ..all()
    }
}

/// The names of the nodes in order, entry points with a star.
fn names(graph: &Graph) -> Vec<String> {
    let name = |n: &Node| format!("{}{}", n.id, if n.is_entry { "*" } else { "" });
    graph.nodes.iter().map(name).collect()
}

#[track_caller]
fn gives(desc: &WorkGraph, shaders: &[NodeShader], expected: &[&str]) -> Graph {
    let graph = build(desc, &available(shaders), None).unwrap();
    assert_eq!(names(&graph), expected);
    graph
}

#[track_caller]
fn fails(desc: &WorkGraph, shaders: &[NodeShader], text: &str) {
    let invalid = build(desc, &available(shaders), None).unwrap_err();
    assert_eq!(invalid.text, text);
}

#[test]
fn entry_points_bring_what_they_lead_to_depth_first() {
    let shaders = [
        shader("d", &[]),
        shader("c", &["d"]),
        shader("b", &[]),
        shader("a", &["c", "b"]),
        shader("unused", &[]),
    ];
    gives(&entry("a"), &shaders, &["a[0]*", "c[0]", "d[0]", "b[0]"]);
}

#[test]
fn all_available_nodes_in_the_order_of_their_export() {
    let shaders = [shader("a", &["c"]), shader("b", &[]), shader("c", &[])];
    let graph = gives(&all(), &shaders, &["a[0]*", "c[0]", "b[0]*"]);
    assert_eq!(graph.nodes[0].targets, [[1]]);
    assert_eq!(graph.inputs(), [vec![], vec![0], vec![]]);
    gives(&all(), &[], &[]);
}

#[test]
fn explicit_nodes_come_before_shaders_of_the_same_name() {
    let shaders = [shader("a", &["b"]), shader("b", &[]), shader("other", &[])];
    let mut desc = explicit(
        "other_0",
        ShaderNode {
            new_name: Some(id("b", 0)),
            ..ShaderNode::default()
        },
    );
    desc.entry_points.push(id("a", 0));
    let graph = gives(&desc, &shaders, &["b[0]", "a[0]*"]);
    assert_eq!(graph.nodes[0].shader, "other_0");
}

#[test]
fn overrides_take_the_place_of_what_the_shader_says() {
    let shaders = [shader("a", &["x", "y"]), shader("b", &[])];
    let renamed = |output, sparse| OutputOverrides {
        output_index: output,
        new_name: Some(id("b", 0)),
        allow_sparse_nodes: sparse,
        max_records: Some(7),
        max_records_shared_with_output_index: None,
    };
    let overrides = ShaderNode {
        program_entry: Some(true),
        outputs: vec![
            renamed(0, None),
            OutputOverrides {
                output_index: 1,
                allow_sparse_nodes: Some(true),
                max_records_shared_with_output_index: Some(0),
                ..OutputOverrides::default()
            },
        ],
        local_root_arguments_table_index: Some(5),
        ..ShaderNode::default()
    };
    let graph = gives(&explicit("a_0", overrides), &shaders, &["a[0]*", "b[0]"]);
    let node = &graph.nodes[0];
    assert_eq!(node.targets, [vec![1], vec![]]);
    assert_eq!(node.outputs[0].budget, Budget::Own(7));
    assert_eq!(node.outputs[1].budget, Budget::SharedWith(0));
    assert_eq!(node.local_root_index, Some(5));

    let overrides = ShaderNode {
        outputs: vec![renamed(2, None)],
        ..ShaderNode::default()
    };
    fails(
        &explicit("a_0", overrides),
        &shaders,
        "pExplicitlyDefinedNodes[0]: OutputIndex 2 is overridden, but a_0 has 2 outputs",
    );
}

#[test]
fn overrides_that_make_no_sense() {
    let mut unbounded = shader("a", &["b"]);
    (unbounded.outputs[0].array_size, unbounded.outputs[0].sparse) = (UNBOUNDED, true);
    let shaders = [unbounded, shader("b", &[])];
    let wrong = |outputs: &[OutputOverrides], why: &str| {
        let overrides = ShaderNode {
            outputs: outputs.to_vec(),
            ..ShaderNode::default()
        };
        let text = format!("pExplicitlyDefinedNodes[0]: {why}");
        fails(&explicit("a_0", overrides), &shaders, &text);
    };
    let of_first = OutputOverrides::default();
    wrong(
        &[of_first.clone(), of_first.clone()],
        "OutputIndex 0 is overridden twice",
    );
    wrong(
        &[OutputOverrides {
            allow_sparse_nodes: Some(false),
            ..of_first.clone()
        }],
        "output 0 of a_0 has no end, so that it must be sparse",
    );
    wrong(
        &[OutputOverrides {
            max_records: Some(1),
            max_records_shared_with_output_index: Some(1),
            ..of_first
        }],
        "output 0 of a_0: pMaxRecords and pMaxRecordsSharedWithOutputIndex exclude each other",
    );
    let mut desc = explicit("b_0", ShaderNode::default());
    desc.nodes[0].overrides_type = D3D12_NODE_OVERRIDES_TYPE_THREAD_LAUNCH;
    fails(
        &desc,
        &shaders,
        "pExplicitlyDefinedNodes[0]: OverridesType is not that of the launch mode of b_0; use \
         D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE or the shader's own mode",
    );
    let mut desc = explicit("b_0", ShaderNode::default());
    desc.nodes.push(desc.nodes[0].clone());
    fails(
        &desc,
        &shaders,
        "pExplicitlyDefinedNodes[1]: node b[0] is defined twice",
    );
    let overrides = ShaderNode {
        program_entry: Some(false),
        ..ShaderNode::default()
    };
    let mut entry_point = shaders;
    entry_point[1].is_entry = true;
    fails(
        &explicit("b_0", overrides),
        &entry_point,
        "node b[0] is no entry point, and no other node outputs to it",
    );
}

#[test]
fn most_outputs_and_most_nodes_that_share() {
    let many = |count| {
        let mut producer = shader("a", &[]);
        producer.outputs = vec![output("b"); count];
        for output in &mut producer.outputs[1..] {
            output.budget = Budget::SharedWith(0);
        }
        [producer, shader("b", &[])]
    };
    gives(&entry("a"), &many(1024), &["a[0]*", "b[0]"]);
    fails(
        &entry("a"),
        &many(1025),
        "node a[0] has 1025 outputs, 1024 is the limit",
    );
    let sharing = |count: usize| {
        let mut shaders = vec![shader("b", &[])];
        for index in 1..count {
            let mut node = shader(&format!("s{index}"), &[]);
            node.share_input_of = Some(id("b", 0));
            shaders.push(node);
        }
        build(&all(), &available(&shaders), None).map(|graph| graph.nodes.len())
    };
    assert_eq!(sharing(256), Ok(256));
    assert_eq!(
        sharing(257).unwrap_err().text,
        "257 nodes share the input of node b[0], 256 is the limit"
    );
}

#[test]
fn arrays_are_full_unless_they_are_sparse() {
    let array = |size, sparse| {
        let mut producer = shader("a", &["b"]);
        (producer.outputs[0].array_size, producer.outputs[0].sparse) = (size, sparse);
        let mut second = shader("b", &[]);
        second.id.array_index = 2;
        [producer, second, shader("b", &[])]
    };
    let graph = gives(&entry("a"), &array(4, true), &["a[0]*", "b[0]", "b[2]"]);
    assert_eq!(graph.nodes[0].targets, [[1, 2]]);
    gives(
        &entry("a"),
        &array(UNBOUNDED, true),
        &["a[0]*", "b[0]", "b[2]"],
    );
    gives(&entry("a"), &array(2, true), &["a[0]*", "b[0]"]);
    fails(
        &entry("a"),
        &array(3, false),
        "output 0 of node a[0] goes to 3 nodes from b[0] on, of which the graph has 2; add the node, \
         rename the output, or allow sparse nodes",
    );
}

#[test]
fn what_is_not_there() {
    let shaders = [shader("a", &["gone"]), shader("b", &[])];
    fails(
        &entry("a"),
        &shaders,
        "output 0 of node a[0] goes to gone[0], which is not in the graph; add the node, rename the \
         output, or allow sparse nodes",
    );
    fails(
        &entry("gone"),
        &shaders,
        "pEntrypoints[0]: node gone[0] is none that the state object exports",
    );
    fails(
        &explicit("gone", ShaderNode::default()),
        &shaders,
        "pExplicitlyDefinedNodes[0]: the state object exports no node shader gone",
    );
    fails(
        &explicit("b_0", ShaderNode::default()),
        &shaders,
        "node b[0] is no entry point, and no other node outputs to it",
    );
}

#[test]
fn recursion_is_of_one_node_and_declared() {
    let mut recursive = shader("a", &["a"]);
    fails(
        &entry("a"),
        &[recursive.clone()],
        "node a[0] outputs to itself without NodeMaxRecursionDepth",
    );
    recursive.max_recursion = 32;
    gives(&entry("a"), &[recursive.clone()], &["a[0]*"]);
    recursive.max_recursion = 33;
    fails(
        &entry("a"),
        &[recursive],
        "node a is 33 nodes deep in the graph, 32 is the limit",
    );
    fails(
        &entry("a"),
        &[
            shader("a", &["b"]),
            shader("b", &["c"]),
            shader("c", &["b"]),
        ],
        "node b is part of a cycle, or behind one; only a node that outputs to itself may recurse",
    );
    let mut second = shader("a", &["a"]);
    second.id.array_index = 1;
    fails(
        &WorkGraph {
            entry_points: vec![id("a", 1)],
            ..entry("a")
        },
        &[second, shader("a", &[])],
        "node a[1] outputs to node a[0] of the same array",
    );
}

#[test]
fn a_chain_of_32_nodes_is_the_longest() {
    let chain = |length: usize| -> Vec<_> {
        let names: Vec<_> = (0..=length).map(|n| format!("n{n}")).collect();
        (0..length)
            .map(|n| {
                let to = [&*names[n + 1]];
                shader(&names[n], if n + 1 < length { &to } else { &[] })
            })
            .collect()
    };
    build(&all(), &available(&chain(32)), None).unwrap();
    fails(
        &all(),
        &chain(33),
        "node n32 is 33 nodes deep in the graph, 32 is the limit",
    );
}

#[test]
fn records_fit() {
    let with = |change: &dyn Fn(&mut NodeShader)| {
        let mut consumer = shader("b", &[]);
        change(&mut consumer);
        [shader("a", &["b"]), consumer]
    };
    let misfit = |change: &dyn Fn(&mut NodeShader), why| {
        let text = format!("output 0 of node a[0] does not fit the input of node b[0]: {why}");
        fails(&entry("a"), &with(change), &text);
    };
    misfit(
        &|b| b.input.record_size = 20,
        "records have 16 and 20 bytes",
    );
    misfit(
        &|b| b.input.flags |= EMPTY_RECORD,
        "one of them is empty, the other not",
    );
    misfit(
        &|b| b.input.flags |= TRACK_RW_INPUT_SHARING,
        "only the input has NodeTrackRWInputSharing",
    );
    misfit(
        &|b| {
            launch_by_record(b);
            b.input.record_grid = Some(grid_at(4));
        },
        "SV_DispatchGrid is not in the same place",
    );
}

fn grid_at(byte_offset: u16) -> RecordGrid {
    RecordGrid {
        byte_offset,
        components: 1,
        is_16_bit: true,
    }
}

type Change = dyn Fn(&mut NodeShader);

const GRID: Option<[u32; 3]> = Some([2, 2, 1]);

/// Makes a node one that launches by the grid in its record.
fn launch_by_record(node: &mut NodeShader) {
    launch_by_itself(node);
    (node.dispatch_grid, node.max_dispatch_grid) = (None, GRID);
}

/// Makes a node one with a fixed grid, of which the record has one too.
fn launch_by_itself(node: &mut NodeShader) {
    node.launch = Some(Launch::Broadcasting);
    node.dispatch_grid = GRID;
    node.input.record_grid = Some(grid_at(0));
}

/// `SV_DispatchGrid` in a record means something to the nodes that launch by it, and nothing to others (WorkGraphs.md,
/// "SV_DispatchGrid"): wherever a node gets its records from, and whoever gets the same.
#[test]
fn a_grid_in_the_record_concerns_nodes_that_launch_by_it() {
    let plain: [(&str, &Change); 3] = [
        ("a fixed grid", &launch_by_itself),
        ("coalescing", &|node| {
            node.input.record_grid = Some(grid_at(8));
        }),
        ("a thread", &|node| {
            node.launch = Some(Launch::Thread);
            node.input.record_grid = Some(grid_at(8));
        }),
    ];
    for (what, change) in plain {
        for has_field in [true, false] {
            let mut node = shader("b", &[]);
            change(&mut node);
            if !has_field {
                node.input.record_grid = None;
            }
            // As an entry point.
            build(&entry("b"), &available(&[node.clone()]), None).expect(what);
            for place in [None, Some(grid_at(0)), Some(grid_at(4))] {
                let mut from = shader("a", &["b"]);
                from.outputs[0].record_grid = place;
                // As the target of another node.
                let inner = [from.clone(), node.clone()];
                build(&entry("a"), &available(&inner), None).expect(what);
                // As a node that shares an input with one that launches by the record, either way round.
                let mut dynamic = shader("d", &[]);
                launch_by_record(&mut dynamic);
                let mut shares = node.clone();
                shares.share_input_of = Some(id("d", 0));
                let mut to_dynamic = from.clone();
                to_dynamic.outputs[0].id = id("d", 0);
                let fits = place == Some(grid_at(0));
                let shaders = available(&[to_dynamic, dynamic.clone(), shares]);
                assert_eq!(build(&all(), &shaders, None).is_ok(), fits, "{what}");
                dynamic.share_input_of = Some(id("b", 0));
                let shaders = available(&[from, node.clone(), dynamic]);
                assert_eq!(build(&all(), &shaders, None).is_ok(), fits, "{what}");
            }
        }
    }
    // Two that share an input and launch by different parts of it.
    let mut first = shader("b", &[]);
    launch_by_record(&mut first);
    let mut second = shader("s", &[]);
    launch_by_record(&mut second);
    second.input.record_grid = Some(grid_at(4));
    second.share_input_of = Some(id("b", 0));
    fails(
        &all(),
        &[first, second],
        "node s[0] cannot share the input of b[0]: their records differ",
    );
}

/// Overrides give a node another kind of grid, and the shader's own does not apply any more.
#[test]
fn overrides_of_grids() {
    let overrides = |fixed, most| {
        explicit(
            "a_0",
            ShaderNode {
                overrides_type: D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH,
                program_entry: Some(true),
                dispatch_grid: fixed,
                max_dispatch_grid: most,
                ..ShaderNode::default()
            },
        )
    };
    let other = Some([3, 1, 1]);
    let own: [(&str, &Change); 2] = [
        ("by the record", &launch_by_record),
        ("by itself", &launch_by_itself),
    ];
    for (what, change) in own {
        let mut node = shader("a", &[]);
        change(&mut node);
        let own = (node.dispatch_grid, node.max_dispatch_grid);
        for (given, expected) in [
            ((None, None), own),
            ((other, None), (other, None)),
            ((None, other), (None, other)),
        ] {
            let graph = build(
                &overrides(given.0, given.1),
                &available(&[node.clone()]),
                None,
            );
            let node = &graph.expect(what).nodes[0];
            assert_eq!(
                (node.dispatch_grid, node.max_dispatch_grid),
                expected,
                "{what}"
            );
        }
        fails(
            &overrides(other, other),
            &[node.clone()],
            "node a[0] has NodeDispatchGrid and NodeMaxDispatchGrid, which exclude each other",
        );
        node.input.record_grid = None;
        build(&overrides(other, None), &available(&[node.clone()]), None).expect(what);
        fails(
            &overrides(None, other),
            &[node],
            "node a[0] has no SV_DispatchGrid in its record, so it needs NodeDispatchGrid",
        );
    }
}

#[test]
fn grids_are_fixed_or_in_the_record() {
    let with = |fixed, most, in_record: bool| {
        let mut node = shader("a", &[]);
        node.launch = Some(Launch::Broadcasting);
        (node.dispatch_grid, node.max_dispatch_grid) = (fixed, most);
        node.input.record_grid = in_record.then_some(RecordGrid {
            byte_offset: 0,
            components: 1,
            is_16_bit: true,
        });
        [node]
    };
    let one = Some([1, 1, 1]);
    gives(&entry("a"), &with(one, None, false), &["a[0]*"]);
    gives(&entry("a"), &with(one, None, true), &["a[0]*"]);
    gives(&entry("a"), &with(None, one, true), &["a[0]*"]);
    let fixed = "node a[0] has no SV_DispatchGrid in its record, so it needs NodeDispatchGrid";
    let either = "node a[0] has no dispatch grid: it needs NodeMaxDispatchGrid for the SV_DispatchGrid \
                  in its record, or NodeDispatchGrid";
    let both = "node a[0] has NodeDispatchGrid and NodeMaxDispatchGrid, which exclude each other";
    for (given, in_record, text) in [
        ((None, None), false, fixed),
        ((None, one), false, fixed),
        ((one, one), false, both),
        ((None, None), true, either),
        ((one, one), true, both),
    ] {
        fails(&entry("a"), &with(given.0, given.1, in_record), text);
    }
    for grid in [[65_536, 1, 1], [4096, 4096, 1]] {
        fails(
            &entry("a"),
            &with(Some(grid), None, false),
            &format!(
                "node a[0]: a dispatch grid of {grid:?} is over the limit of 65535 a side and \
                 16777215 in all"
            ),
        );
    }
    let mut node = shader("a", &[]);
    node.dispatch_grid = one;
    fails(
        &entry("a"),
        &[node],
        "node a[0] has a dispatch grid, but is no broadcasting launch node",
    );
}

#[test]
fn limits_of_what_a_group_puts_out() {
    let with = |change: &dyn Fn(&mut NodeShader)| {
        let mut producer = shader("a", &["b", "b"]);
        change(&mut producer);
        [producer, shader("b", &[])]
    };
    let over = |change: &dyn Fn(&mut NodeShader), text| fails(&entry("a"), &with(change), text);
    gives(
        &entry("a"),
        &with(&|a| a.outputs[0].budget = Budget::Own(255)),
        &["a[0]*", "b[0]"],
    );
    over(
        &|a| a.outputs[0].budget = Budget::Own(256),
        "node a[0]: output records are 257, 256 is the limit",
    );
    over(
        &|a| (a.launch, a.outputs[0].budget) = (Some(Launch::Thread), Budget::Own(8)),
        "node a[0]: output records are 9, 8 is the limit",
    );
    over(
        &|a| a.group_shared = 32_769,
        "node a[0]: bytes of group-shared memory are 32769, 32768 is the limit",
    );
    // Shared budgets count once.
    let shared = with(&|a| {
        a.outputs[0].budget = Budget::Own(256);
        a.outputs[1].budget = Budget::SharedWith(0);
    });
    gives(&entry("a"), &shared, &["a[0]*", "b[0]"]);
    over(
        &|a| a.outputs[0].budget = Budget::SharedWith(0),
        "output 0 of node a[0] shares the records of output 0, which has none of its own",
    );
    over(
        &|a| a.outputs[0].budget = Budget::SharedWith(9),
        "output 0 of node a[0] shares the records of output 9, which has none of its own",
    );
    // Large records, alone and together with memory of the group.
    let large = |size, memory| {
        let mut producer = shader("a", &["b"]);
        producer.group_shared = memory;
        producer.outputs[0].record_size = size;
        let mut consumer = shader("b", &[]);
        consumer.input.record_size = size;
        [producer, consumer]
    };
    gives(&entry("a"), &large(32_768, 0), &["a[0]*", "b[0]"]);
    fails(
        &entry("a"),
        &large(32_772, 0),
        "node a[0]: bytes of output records are 32772, 32768 is the limit",
    );
    fails(
        &entry("a"),
        &large(32_768, 16_384),
        "node a[0]: bytes of output records, group-shared memory and bookkeeping are 49160, 49152 is \
         the limit",
    );
}

#[test]
fn sharing_an_input() {
    let with = |change: &dyn Fn(&mut [NodeShader; 3])| {
        let mut second = shader("s", &[]);
        second.share_input_of = Some(id("b", 0));
        let mut shaders = [shader("a", &["b"]), shader("b", &[]), second];
        change(&mut shaders);
        shaders
    };
    let graph = gives(&all(), &with(&|_| ()), &["a[0]*", "b[0]", "s[0]"]);
    assert_eq!(graph.nodes[2].shares_input_of, Some(1));
    assert_eq!(graph.sharing(), [vec![], vec![2], vec![]]);
    let cannot = |change: &dyn Fn(&mut [NodeShader; 3]), why| {
        let text = format!("node s[0] cannot share the input of b[0]: {why}");
        fails(&all(), &with(change), &text);
    };
    cannot(&|s| s[2].is_entry = true, "it is an entry point");
    cannot(
        &|s| s[0].outputs.push(output("s")),
        "another node outputs to it",
    );
    cannot(
        &|s| s[2].input.flags |= READ_WRITE,
        "the input can be written",
    );
    cannot(
        &|s| s[1].input.flags |= READ_WRITE,
        "the input can be written",
    );
    cannot(&|s| s[2].input.record_size = 4, "their records differ");
    cannot(
        &|s| (s[2].outputs, s[2].max_recursion) = (vec![output("s")], 2),
        "it recurses",
    );
    cannot(
        &|s| (s[1].outputs, s[1].max_recursion) = (vec![output("b")], 2),
        "that node recurses",
    );
    fails(
        &all(),
        &with(&|s| s[1].is_entry = true),
        "node b[0], whose input is shared, gets it from other nodes as well as from outside",
    );
    fails(
        &all(),
        &with(&|s| s[2].share_input_of = Some(id("gone", 0))),
        "node s[0] shares the input of gone[0], which is not in the graph",
    );
    // Two nodes take the records: each costs twice.
    fails(
        &all(),
        &with(&|s| s[0].outputs[0].budget = Budget::Own(129)),
        "node a[0]: output records are 258, 256 is the limit",
    );
}

#[test]
fn nodes_of_an_array_are_alike() {
    let with = |change: &dyn Fn(&mut NodeShader)| {
        let mut second = shader("a", &[]);
        second.id.array_index = 1;
        change(&mut second);
        [shader("a", &[]), second]
    };
    gives(&all(), &with(&|_| ()), &["a[0]*", "a[1]*"]);
    let differ = |change: &dyn Fn(&mut NodeShader), what| {
        let text = format!("nodes a[0] and a[1], of one array, differ in the {what}");
        fails(&all(), &with(change), &text);
    };
    let mut grids = [shader("a", &[]), shader("a", &[])];
    grids[1].id.array_index = 1;
    launch_by_record(&mut grids[0]);
    launch_by_itself(&mut grids[1]);
    gives(&all(), &grids, &["a[0]*", "a[1]*"]);
    differ(&|n| n.launch = Some(Launch::Thread), "launch mode");
    differ(&|n| n.input.record_size = 4, "size of an input record");
    differ(&|n| n.input.flags |= READ_WRITE, "access to its input");
    fails(
        &all(),
        &with(&|n| n.id.array_index = 0xff_ffff),
        "node indices and recursion depths come to 16777216, 16777215 is the limit",
    );
}

#[test]
fn local_root_indices_are_given_out_in_order() {
    let shaders = [
        shader("a", &[]),
        shader("b", &[]),
        shader("c", &[]),
        shader("d", &[]),
    ];
    let mut exports = available(&shaders);
    for (export, index) in exports
        .iter_mut()
        .zip([None, Some(0), Some(u32::MAX), None])
    {
        Arc::make_mut(&mut export.shader).local_root_index = index;
        export.local_root_signature = (export.name != "d_0").then(|| vec![1]);
    }
    let graph = build(&all(), &exports, None).unwrap();
    let indices: Vec<_> = graph
        .nodes
        .iter()
        .map(|node| node.local_root_index)
        .collect();
    assert_eq!(indices, [Some(1), Some(0), Some(2), None]);

    Arc::make_mut(&mut exports[3].shader).local_root_index = Some(0);
    assert_eq!(
        build(&all(), &exports, None).unwrap_err().text,
        "nodes b[0] and d[0] have entry 0 of the local root arguments table, but different local root \
         signatures"
    );
}

#[test]
fn additions() {
    let mut sparse = shader("a", &["b"]);
    (sparse.outputs[0].array_size, sparse.outputs[0].sparse) = (4, true);
    let before = gives(
        &entry("a"),
        &[sparse.clone(), shader("b", &[])],
        &["a[0]*", "b[0]"],
    );

    let mut hole = shader("b", &[]);
    hole.id.array_index = 2;
    let shaders = [sparse, hole, shader("n", &["b"]), shader("m", &["a"])];
    let add = |desc: &WorkGraph| build(desc, &available(&shaders), Some(&before));
    let mut desc = entry("n");
    desc.nodes = explicit("b_2", ShaderNode::default()).nodes;
    let graph = add(&desc).unwrap();
    assert_eq!(names(&graph), ["a[0]*", "b[0]", "b[2]", "n[0]*"]);
    assert_eq!(
        (
            graph.version,
            graph.nodes[1].version,
            graph.nodes[2].version
        ),
        (1, 0, 1)
    );
    assert_eq!(graph.nodes[0].targets, [[1, 2]]);
    assert_eq!(graph.nodes[3].targets, [[1]]);

    let refused = |desc: &WorkGraph, text: &str| assert_eq!(add(desc).unwrap_err().text, text);
    refused(
        &entry("a"),
        "pEntrypoints[0]: node a[0] is one of an earlier version of the graph",
    );
    refused(
        &explicit("a_0", ShaderNode::default()),
        "pExplicitlyDefinedNodes[0]: node a[0] is in an earlier version of the graph",
    );
    refused(
        &entry("m"),
        "the addition puts node a of an earlier version of the graph at a depth of 2 instead of 1",
    );
    let overrides = ShaderNode {
        new_name: Some(id("s", 0)),
        share_input_of: Some(id("b", 0)),
        ..ShaderNode::default()
    };
    refused(
        &explicit("b_2", overrides),
        "node s[0] cannot share the input of b[0]: that node is in an earlier version of the graph",
    );
}

#[test]
fn graphs_of_compiled_libraries() {
    let exports = |library: &[u8]| -> Vec<Available> {
        let container = dxil::Container::parse(library).unwrap();
        let model = container.program().unwrap().shader_model();
        let data = container.runtime_data().unwrap().unwrap();
        let export = |function: dxil::rdat::Function<'_>| Available {
            name: function.unmangled_name.to_owned(),
            shader: Arc::new(Function::of_library(&function, model, &[]).node.unwrap()),
            local_root_signature: None,
        };
        data.functions().map(export).collect()
    };
    let nodes = exports(include_bytes!(
        "../../../../../dxil/corpus/dxil/wg_nodes_lib68.dxil"
    ));
    let graph = build(&all(), &nodes, None).unwrap();
    assert_eq!(
        names(&graph),
        [
            "split[0]*",
            "gather[0]",
            "finish[2]",
            "clear_bins[0]*",
            "done[0]"
        ]
    );
    let split = &graph.nodes[0];
    assert_eq!(
        (split.max_dispatch_grid, split.dispatch_grid),
        (Some([64, 64, 1]), None)
    );
    assert_eq!(split.targets, [[1], [2]]);
    assert_eq!(graph.nodes[1].input.max_records, 64);
    assert_eq!(graph.nodes[3].local_root_index, Some(3));

    let arrays = exports(include_bytes!(
        "../../../../../dxil/corpus/dxil/wg_arrays_lib68.dxil"
    ));
    assert!(
        build(&all(), &arrays, None)
            .unwrap_err()
            .text
            .contains("sink_a[0], which is not")
    );
    let graph = build(&entry("bounce"), &arrays, None).unwrap();
    assert_eq!(
        names(&graph),
        ["bounce[0]*", "shade[0]", "shade[3]", "merge[0]"]
    );
    assert_eq!(graph.nodes[0].targets, [vec![1, 2], vec![0]]);
}
