//! Work graphs, as a plugin gets them.

use std::fmt::Write as _;
use std::sync::Arc;

#[allow(
    clippy::wildcard_imports,
    reason = "the names are C's, with their prefix"
)]
use api_sys::*;
use compiler_runtime::desc::state_object::StateObject;
#[allow(clippy::wildcard_imports, reason = "likewise")]
use ddi_sys::*;
use runtime_test_support::state_object::*;

use crate::plugins::{Host, read};

fn bins() -> Vec<u8> {
    root_signature(
        &[
            (dxil::DescriptorRangeType::UAV, 0, 2, 0),
            (dxil::DescriptorRangeType::SRV, 0, 1, 0),
            (dxil::DescriptorRangeType::CBV, 0, 1, 0),
        ],
        false,
    )
}

pub fn nodes() -> Description {
    Description::new(EXECUTABLE)
        .library("wg_nodes_lib68", &[])
        .global(&bins())
}

/// What only pointers say: who outputs to whom, who shares whose input.
fn links(object: &StateObject) -> String {
    unsafe fn text(name: LPCWSTR) -> String {
        // SAFETY: names end.
        let units = (0..)
            .map(|index| unsafe { *name.add(index) })
            .take_while(|unit| *unit != 0);
        String::from_utf16(&units.collect::<Vec<_>>()).unwrap()
    }
    unsafe fn id(node: *const D3D12DDI_NODE_0108) -> String {
        // SAFETY: the name is the first member of each of the structures.
        unsafe {
            let id = *(*node)
                .Anonymous
                .Shader
                .Anonymous
                .pThreadLaunchNodeProperties
                .cast::<D3D12DDI_NODE_ID_0108>();
            format!("{}[{}]", text(id.Name), id.ArrayIndex)
        }
    }
    unsafe fn list(mut entry: *const D3D12DDI_NODE_LIST_ENTRY_0108) -> String {
        let mut names = Vec::new();
        // SAFETY: lists end.
        unsafe {
            while let Some(this) = entry.as_ref() {
                names.push(id(this.pNode));
                entry = this.pNext;
            }
        }
        names.join(" ")
    }
    let mut lines = String::new();
    let arg = object.arg();
    // SAFETY: the description is alive; types say what is where.
    unsafe {
        for index in 0..arg.NumSubobjects as usize {
            let subobject = &*arg.pSubobjects.add(index);
            if subobject.Type != D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH {
                continue;
            }
            let graph = &*subobject.pDesc.cast::<D3D12DDI_WORK_GRAPH_DESC_0108>();
            let mut entry = graph.pNodes.cast_const();
            while let Some(this) = entry.as_ref() {
                let shader = (*this.pNode).Anonymous.Shader;
                macro_rules! common {
                    ($arm:ident) => {{
                        let p = &*shader.Anonymous.$arm;
                        (
                            p.pInputNodes,
                            p.pNodesSharingInputWithThisNode,
                            p.pShareInputOfNode,
                            std::slice::from_raw_parts(
                                if p.NumOutputs == 0 {
                                    std::ptr::NonNull::dangling().as_ptr()
                                } else {
                                    p.pOutputs.cast_mut()
                                }
                                .cast_const(),
                                p.NumOutputs as usize,
                            ),
                        )
                    }};
                }
                let (inputs, sharing, source, outputs) = match shader.PropertiesType {
                    D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108 => {
                        common!(pBroadcastingLaunchNodeProperties)
                    }
                    D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108 => {
                        common!(pCoalescingLaunchNodeProperties)
                    }
                    _ => common!(pThreadLaunchNodeProperties),
                };
                let _ = write!(lines, "{} v{}", id(this.pNode), (*this.pNode).VersionAdded);
                let _ = write!(lines, " from ({})", list(inputs));
                for output in outputs {
                    let _ = write!(lines, " to ({})", list(output.pOutputs));
                }
                if !sharing.is_null() {
                    let _ = write!(lines, " shared by ({})", list(sharing));
                }
                if !source.is_null() {
                    let _ = write!(lines, " shares {}", id(source));
                }
                lines.push('\n');
                entry = this.pNext;
            }
            let _ = writeln!(lines, "entry points ({})", list(graph.pEntrypoints));
        }
    }
    lines
}

#[test]
fn all_nodes_of_a_library() {
    let object = nodes().work_graph("graph", &[], true).translate();
    assert_eq!(
        links(&object),
        "clear_bins[0] v0 from () to (done[0])\n\
         done[0] v0 from (clear_bins[0])\n\
         finish[2] v0 from (split[0])\n\
         gather[0] v0 from (split[0])\n\
         split[0] v0 from () to (gather[0]) to (finish[2])\n\
         entry points (clear_bins[0] split[0])\n"
    );
    insta::assert_snapshot!(read(object));
}

#[test]
fn entry_points_and_what_they_lead_to() {
    let object = nodes()
        .work_graph("graph", &["clear_bins"], false)
        .translate();
    assert_eq!(
        links(&object),
        "clear_bins[0] v0 from () to (done[0])\n\
         done[0] v0 from (clear_bins[0])\n\
         entry points (clear_bins[0])\n"
    );
    nodes().work_graph("graph", &["gone"], false).fails(
        "pSubobjects[2] (WORK_GRAPH): pEntrypoints[0]: node gone[0] is none that the state object \
         exports",
    );
    nodes()
        .work_graph("graph", &[], true)
        .work_graph("graph", &[], true)
        .fails("pSubobjects[3] (WORK_GRAPH): there is a program graph already");
    nodes().work_graph("empty", &[], false).translate();
}

/// The graph of `wg_arrays_lib68` with an output that goes nowhere overridden, and a recursive node.
fn arrays() -> Description {
    let mut desc = Description::new(EXECUTABLE)
        .library("wg_arrays_lib68", &[])
        .global(&bins());
    let yes = desc
        .arena()
        .put(windows_core::BOOL::from(true))
        .cast_const();
    let max = desc.arena().put(2_u32).cast_const();
    let name = desc.node_id("merge_elsewhere", 7);
    let new_name = desc.arena().put(name).cast_const();
    let sink = |index, max_records| D3D12_NODE_OUTPUT_OVERRIDES {
        OutputIndex: index,
        pNewName: if index == 0 {
            new_name
        } else {
            std::ptr::null()
        },
        pAllowSparseNodes: yes,
        pMaxRecords: max_records,
        ..D3D12_NODE_OUTPUT_OVERRIDES::default()
    };
    let sinks = [sink(0, max), sink(1, std::ptr::null())];
    let outputs = desc.arena().array(&sinks);
    let grid = desc.arena().put([3_u32, 2, 1]).cast_const().cast();
    let overrides = desc.arena().put(D3D12_BROADCASTING_LAUNCH_OVERRIDES {
        pDispatchGrid: grid,
        NumOutputOverrides: 2,
        pOutputOverrides: outputs,
        ..D3D12_BROADCASTING_LAUNCH_OVERRIDES::default()
    });
    let node = D3D12_NODE {
        NodeType: D3D12_NODE_TYPE_SHADER,
        Anonymous: D3D12_NODE_0 {
            Shader: D3D12_SHADER_NODE {
                Shader: desc.string("shade_glass_log"),
                OverridesType: D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH,
                Anonymous: D3D12_SHADER_NODE_0 {
                    pBroadcastingLaunchOverrides: overrides,
                },
            },
        },
    };
    let nodes = desc.arena().put(node);
    let entry = desc.node_id("bounce", 0);
    let entry_points = desc.arena().put(entry);
    let graph = D3D12_WORK_GRAPH_DESC {
        ProgramName: desc.string("arrays"),
        Flags: 0,
        NumEntrypoints: 1,
        pEntrypoints: entry_points,
        NumExplicitlyDefinedNodes: 1,
        pExplicitlyDefinedNodes: nodes,
    };
    desc.put(D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, graph)
}

#[test]
fn arrays_sharing_recursion_and_overrides() {
    let object = arrays().translate();
    assert_eq!(
        links(&object),
        "shade_glass_log[0] v0 from () to () to () shares shade[3]\n\
         bounce[0] v0 from (bounce[0]) to (shade[0] shade[3]) to (bounce[0])\n\
         shade[0] v0 from (bounce[0])\n\
         shade[3] v0 from (bounce[0]) to (merge[0]) shared by (shade_glass_log[0])\n\
         merge[0] v0 from (shade[3])\n\
         entry points (bounce[0])\n"
    );
    insta::assert_snapshot!(read(object));
}

fn grids() -> Description {
    Description::new(EXECUTABLE)
        .library_of(include_bytes!("shaders/wg_grids.dxil"), &[])
        .global(&root_signature(
            &[(dxil::DescriptorRangeType::UAV, 0, 1, 0)],
            false,
        ))
}

/// An entry point, targets of it, nodes that share inputs and an array, with fixed grids and grids in the record side by side.
#[test]
fn fixed_grids_beside_a_grid_in_the_record() {
    let object = grids().work_graph("graph", &[], true).translate();
    assert_eq!(
        links(&object),
        "begin[0] v0 from () to (fixed_inside[0]) to (by_record[0]) to (one[0]) to (mixed[0] mixed[1])\n\
         fixed_inside[0] v0 from (begin[0]) shared by (share_by_record[0])\n\
         by_record[0] v0 from (begin[0]) shared by (fixed_share[0])\n\
         one[0] v0 from (begin[0])\n\
         mixed[0] v0 from (begin[0])\n\
         mixed[1] v0 from (begin[0])\n\
         fixed_share[0] v0 from () shares by_record[0]\n\
         share_by_record[0] v0 from () shares fixed_inside[0]\n\
         entry points (begin[0])\n"
    );
    // The driver learns both, of each node that has both.
    let text = read(object);
    let of = |name| crate::plugins::lines(&text, name);
    let fixed = of("pDispatchGrid");
    let most = of("pMaxDispatchGrid");
    let in_record = of("pRecordDispatchGrid");
    insta::assert_snapshot!(format!("{fixed:#?}\n{most:#?}\n{in_record:#?}"));
}

#[test]
fn overrides_fix_a_grid_that_is_in_the_record() {
    for is_most in [false, true] {
        for shader in ["begin", "by_record"] {
            let mut desc = grids();
            let grid = desc.arena().put([3_u32, 2, 1]).cast_const().cast();
            let program_entry = desc.arena().put(1_i32).cast_const().cast();
            let mut overrides = D3D12_BROADCASTING_LAUNCH_OVERRIDES {
                pProgramEntry: program_entry,
                ..D3D12_BROADCASTING_LAUNCH_OVERRIDES::default()
            };
            if is_most {
                overrides.pMaxDispatchGrid = grid;
            } else {
                overrides.pDispatchGrid = grid;
            }
            let overrides = desc.arena().put(overrides);
            let node = D3D12_NODE {
                NodeType: D3D12_NODE_TYPE_SHADER,
                Anonymous: D3D12_NODE_0 {
                    Shader: D3D12_SHADER_NODE {
                        Shader: desc.string(shader),
                        OverridesType: D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH,
                        Anonymous: D3D12_SHADER_NODE_0 {
                            pBroadcastingLaunchOverrides: overrides,
                        },
                    },
                },
            };
            let nodes = desc.arena().put(node);
            let graph = D3D12_WORK_GRAPH_DESC {
                ProgramName: desc.string("graph"),
                NumExplicitlyDefinedNodes: 1,
                pExplicitlyDefinedNodes: nodes,
                ..D3D12_WORK_GRAPH_DESC::default()
            };
            let object = desc
                .put(D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, graph)
                .translate();
            let text = read(object);
            let grid = |name: &str| {
                let lines = crate::plugins::lines(&text, name);
                lines[..lines.len().min(3)].join(", ")
            };
            let mut names = ["pDispatchGrid", "pMaxDispatchGrid"];
            names.rotate_left(is_most.into());
            let [set, other] = names;
            assert_eq!(
                grid(set),
                format!("{set} = 3, {set} = 2, {set} = 1"),
                "{shader}"
            );
            assert!(grid(other).starts_with(&format!("{other} = -")), "{shader}");
        }
    }
}

#[test]
fn local_root_arguments_have_places() {
    let object = nodes()
        .local(&root_signature(
            &[(dxil::DescriptorRangeType::CBV, 5, 1, 5)],
            true,
        ))
        .work_graph("graph", &[], true)
        .translate();
    let text = read(object);
    assert_eq!(
        crate::plugins::lines(&text, "pLocalRootArgumentsTableIndex")[..5],
        [
            // Its shader says so.
            "pLocalRootArgumentsTableIndex = 3",
            "pLocalRootArgumentsTableIndex = 0",
            "pLocalRootArgumentsTableIndex = 1",
            "pLocalRootArgumentsTableIndex = 2",
            "pLocalRootArgumentsTableIndex = 4",
        ]
    );
}

/// The nodes of an array by themselves: one at the start, others in additions.
fn growing() -> Description {
    Description::new(EXECUTABLE)
        .config(ADDITIONS)
        .library("wg_arrays_lib68", &["bounce", "shade_matte"])
        .global(&bins())
        .work_graph("graph", &["bounce"], false)
}

fn addition(exports: &[&str], shader: &str, graph: &str) -> Description {
    let mut desc = Description::new(EXECUTABLE)
        .config(ADDITIONS)
        .library("wg_arrays_lib68", exports)
        .global(&bins());
    let node = D3D12_NODE {
        NodeType: D3D12_NODE_TYPE_SHADER,
        Anonymous: D3D12_NODE_0 {
            Shader: D3D12_SHADER_NODE {
                Shader: desc.string(shader),
                OverridesType: D3D12_NODE_OVERRIDES_TYPE_NONE,
                ..D3D12_SHADER_NODE::default()
            },
        },
    };
    let nodes = desc.arena().put(node);
    let graph = D3D12_WORK_GRAPH_DESC {
        ProgramName: desc.string(graph),
        NumExplicitlyDefinedNodes: 1,
        pExplicitlyDefinedNodes: nodes,
        ..D3D12_WORK_GRAPH_DESC::default()
    };
    desc.put(D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, graph)
}

#[test]
fn a_graph_grows_in_place() {
    let parent = Arc::new(growing().translate());
    let before = links(&parent);
    assert_eq!(
        before,
        "bounce[0] v0 from (bounce[0]) to (shade[0]) to (bounce[0])\n\
         shade[0] v0 from (bounce[0])\n\
         entry points (bounce[0])\n"
    );
    // A hole in an array is filled; the new node's own output does not exist, so it must not be
    // there either.
    let refused = addition(&["shade_glass"], "shade_glass", "graph");
    assert!(
        refused
            .translate_with(Some(&parent), &[])
            .unwrap_err()
            .text
            .contains("goes to merge[0], which is not in the graph")
    );
    assert_eq!(links(&parent), before);

    let grow = || {
        let mut desc = Description::new(EXECUTABLE)
            .config(ADDITIONS)
            .library("wg_arrays_lib68", &["shade_glass", "merge"])
            .global(&bins());
        let shaders = ["shade_glass", "merge"].map(|shader| D3D12_NODE {
            NodeType: D3D12_NODE_TYPE_SHADER,
            Anonymous: D3D12_NODE_0 {
                Shader: D3D12_SHADER_NODE {
                    Shader: desc.string(shader),
                    ..D3D12_SHADER_NODE::default()
                },
            },
        });
        let nodes = desc.arena().array(&shaders);
        let graph = D3D12_WORK_GRAPH_DESC {
            ProgramName: desc.string("graph"),
            NumExplicitlyDefinedNodes: 2,
            pExplicitlyDefinedNodes: nodes,
            ..D3D12_WORK_GRAPH_DESC::default()
        };
        desc.put(D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, graph)
    };
    let grown = Arc::new(grow().translate_with(Some(&parent), &[]).unwrap());
    let after = "shade[3] v1 from (bounce[0]) to (merge[0])\n\
                 merge[0] v1 from (shade[3])\n\
                 bounce[0] v0 from (bounce[0]) to (shade[3] shade[0]) to (bounce[0])\n\
                 shade[0] v0 from (bounce[0])\n\
                 entry points (bounce[0])\n";
    assert_eq!(links(&grown), after);
    // One representation of all versions: the older one's node leads to the new ones.
    assert!(links(&parent).contains("bounce[0] v0 from (bounce[0]) to (shade[3] shade[0])"));
    drop(grown);
    assert_eq!(links(&parent), before);

    let host = Host::reader();
    let first = host.compile(&parent, None);
    let grown = Arc::new(grow().translate_with(Some(&parent), &[]).unwrap());
    let text = host.compile(&grown, Some(&first)).text();
    assert!(
        crate::plugins::lines(&text, "Version = ").contains(&"Version = 1"),
        "{text}"
    );
    assert!(text.contains("Flags = 0x1\n"), "{text}");
}

#[test]
fn another_graph_of_shaders_that_are_there() {
    let parent = Arc::new(growing().translate());
    let desc =
        Description::new(EXECUTABLE)
            .config(ADDITIONS)
            .work_graph("other", &["bounce"], false);
    let other = desc.translate_with(Some(&parent), &[]).unwrap();
    assert_eq!(
        links(&other),
        "bounce[0] v0 from (bounce[0]) to (shade[0]) to (bounce[0])\n\
         shade[0] v0 from (bounce[0])\n\
         entry points (bounce[0])\n"
    );
}

#[test]
fn the_sample_plugin_compiles_them() {
    let host = Host::sample();
    let compile = |desc: Description| host.compile(&Arc::new(desc.translate()), None).keys.len();
    // Library, root signature, graph, and the link of all.
    assert_eq!(compile(nodes().work_graph("graph", &[], true)), 4);
    assert_eq!(compile(arrays()), 4);
}
