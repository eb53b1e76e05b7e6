//! Descriptions of state objects: hostile ones are refused, right ones arrive whole.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ptr;
use std::rc::Rc;

use bytemuck::Zeroable;
use ddi_sys::*;
use plugin_sdk::desc::{DescError, StateObjectDesc, Subobject, WorkGraph, unknown_values};
use plugin_sdk::{Error, Result};

use crate::host::description::DAMAGES;
use crate::host::log::capture;
use crate::host::memory::Guarded;
use crate::host::plugin::{Script, TestState};
use crate::host::session::Session;
use crate::host::state_object::StateObject;
use crate::host::{Host, some};

pub type Desc<'a> = StateObjectDesc<'a, TestState>;

/// Lets a vendor look at the description; `Err` is what the log says when it never gets there.
pub fn look<T: 'static>(
    desc: &StateObject,
    body: impl Fn(&Desc<'_>) -> T + 'static,
) -> Result<T, String> {
    let seen = Rc::new(RefCell::new(None));
    let sink = seen.clone();
    let _script = Script {
        compile_state_object: Box::new(move |_, desc, _| {
            *sink.borrow_mut() = Some(body(desc));
            Err(Error::unsupported("only looking"))
        }),
        ..Script::default()
    }
    .install();
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    let memory = Guarded::new(host.calc_state_object_size(compiler.handle()), 0);
    let (hresult, lines) = capture(|| {
        let at = memory.at().cast();
        host.create_state_object_in(compiler.handle(), &session, desc.raw, at)
    });
    assert!(session.calls().is_empty() && memory.is_untouched());
    if let Some(seen) = seen.take() {
        assert_eq!(hresult, DXGI_ERROR_UNSUPPORTED);
        return Ok(seen);
    }
    assert_eq!(hresult, E_INVALIDARG);
    let [line] = &lines[..] else {
        panic!("{lines:?}");
    };
    Err(line.text.clone())
}

/// Uses everything that the view offers.
fn exercise(desc: &Desc<'_>) -> usize {
    // A state of the vendor's is in the view by reference; its own Debug is not needed for the rest.
    let debug: usize = desc
        .subobjects()
        .iter()
        .map(|subobject| match subobject {
            Subobject::DxilLibrary(library) => format!("{library:?}").len(),
            Subobject::WorkGraph(graph) => format!("{graph:?}").len(),
            Subobject::GlobalRootSignature(root) | Subobject::LocalRootSignature(root) => {
                format!("{root:?}").len()
            }
            Subobject::HitGroup(group) => format!("{group:?}").len(),
            Subobject::GenericProgram(program) => format!("{program:?}").len(),
            Subobject::ExportSummary { associations, .. } => format!("{associations:?}").len(),
            _ => 0,
        })
        .sum();
    let (libraries, collections) = (desc.libraries().count(), desc.collections().count());
    debug + unknown_values(desc).len() + libraries + collections
}

#[test]
fn an_empty_description_is_read() {
    let empty = StateObject::of(&[]);
    let kind = look(&empty, |desc| (desc.kind(), desc.subobjects().len()));
    assert_eq!(
        kind,
        Ok((D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, 0))
    );
}

#[test]
fn every_subobject_arrives_as_the_host_gave_it() {
    look(&StateObject::full(), |desc| {
        exercise(desc);
        assert_eq!(unknown_values(desc), []);
        let mut kinds = HashSet::new();
        for subobject in desc.subobjects() {
            kinds.insert(std::mem::discriminant(subobject));
            match subobject {
                Subobject::GlobalRootSignature(root) | Subobject::LocalRootSignature(root) => {
                    assert_eq!(root.unwrap().parameters().len(), 5);
                }
                Subobject::DxilLibrary(library) => {
                    let names: Vec<_> = library
                        .exports
                        .iter()
                        .map(|export| {
                            let rename = export.export_to_rename.unwrap();
                            (export.name.to_string_lossy(), rename.to_string_lossy())
                        })
                        .collect();
                    let expected = [("RayGen", "Primary"), ("Miss", "Sky")]
                        .map(|(name, rename)| (name.to_owned(), rename.to_owned()));
                    assert_eq!(names, expected);
                    let kind = library.code.program().unwrap().kind();
                    assert_eq!(kind.to_string(), "library");
                }
                Subobject::HitGroup(group) => {
                    assert_eq!(group.export.to_string_lossy(), "Group");
                    let closest_hit = group.closest_hit.unwrap().to_string_lossy();
                    assert_eq!(closest_hit, "ClosestHitShaderImport");
                }
                Subobject::StreamOutput(streams) => {
                    assert_eq!(
                        (streams.entries.len(), streams.strides),
                        (2, &[16, 32, 48][..])
                    );
                }
                Subobject::NodeMask(mask) | Subobject::SampleMask(mask) => assert_eq!(*mask, 1),
                Subobject::SampleDesc(desc) => assert_eq!((desc.Count, desc.Quality), (4, 2)),
                Subobject::ViewInstancing { locations, .. } => assert_eq!(locations.len(), 2),
                Subobject::GenericProgram(program) => {
                    assert_eq!(program.name.unwrap().to_string_lossy(), "Program");
                    let exports: Vec<_> = program
                        .exports
                        .iter()
                        .map(|name| name.to_string_lossy())
                        .collect();
                    assert_eq!(exports, ["Vertex", "Pixel"]);
                    assert_eq!(program.subobjects, [Some(1), None, Some(0)]);
                }
                Subobject::ExportSummary { associations, .. } => {
                    let [association] = &associations[..] else {
                        panic!("{associations:?}");
                    };
                    assert_eq!(
                        association.name_unmangled.unwrap().to_string_lossy(),
                        "Miss"
                    );
                    assert_eq!(association.subobjects, [Some(1), None, Some(0)]);
                }
                Subobject::Unknown(kind) => panic!("{kind:?}"),
                _ => {}
            }
        }
        // Two subobjects of each of two kinds: plain and serialized root signatures.
        assert_eq!(kinds.len(), desc.subobjects().len() - 2);
    })
    .unwrap();
}

fn work_graph<'d, 'a>(desc: &'d Desc<'a>) -> &'d WorkGraph<'a> {
    let graph = desc
        .subobjects()
        .iter()
        .find_map(|subobject| match subobject {
            Subobject::WorkGraph(graph) => Some(graph),
            _ => None,
        });
    graph.unwrap()
}

#[test]
fn a_work_graph_arrives_as_the_host_gave_it() {
    look(&StateObject::full(), |desc| {
        let graph = desc
            .subobjects()
            .iter()
            .find_map(|subobject| match subobject {
                Subobject::WorkGraph(graph) => Some(graph),
                _ => None,
            });
        let graph = graph.unwrap();
        assert_eq!(
            (graph.name.to_string_lossy().as_str(), graph.version),
            ("Graph", 1)
        );
        let [broadcasting, coalescing, thread] = &graph.nodes[..] else {
            panic!("{graph:?}");
        };
        assert_eq!(
            broadcasting.shader.unwrap().to_string_lossy(),
            "Broadcasting"
        );
        let launch = broadcasting.launch.as_ref().unwrap();
        assert_eq!(
            launch.mode,
            D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108
        );
        assert!(launch.program_entry);
        assert_eq!(launch.local_root_arguments_table_index, Some(9));
        assert_eq!(launch.dispatch_grid, Some([1, 2, 3]));
        assert_eq!(launch.max_dispatch_grid, Some([4, 5, 6]));
        assert_eq!(launch.input_max_record_array_size, None);
        let shared = launch.shares_input_of.unwrap();
        assert_eq!(
            (shared.name.to_string_lossy().as_str(), shared.array_index),
            ("shared", 7)
        );
        let [output] = &launch.outputs[..] else {
            panic!("{launch:?}");
        };
        assert_eq!(
            (output.max_records, output.max_records_shared_with),
            (Some(64), Some(0))
        );
        let launch = coalescing.launch.as_ref().unwrap();
        assert_eq!(launch.input_max_record_array_size, Some(12));
        assert_eq!(launch.id.unwrap().array_index, 4);
        assert_eq!(launch.dispatch_grid, None);
        let launch = thread.launch.as_ref().unwrap();
        assert_eq!(
            launch.mode,
            D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108
        );
        let [entry] = &graph.entry_points[..] else {
            panic!("{graph:?}");
        };
        let id = entry.launch.as_ref().unwrap().id.unwrap();
        assert_eq!(id.name.to_string_lossy(), "entry");
    })
    .unwrap();
}

/// A later DDI can have other properties, whose first member need not be a name.
#[test]
fn the_properties_of_a_shared_node_are_read_only_if_their_type_is_known() {
    let desc = StateObject::full();
    let mut of_sharing = desc.points.iter();
    let point = of_sharing.find(|point| point.what == "pShareInputOfNode");
    let mut node = D3D12DDI_NODE_0108::zeroed();
    node.Anonymous.Shader = D3D12DDI_SHADER_NODE_0108 {
        Shader: ptr::null(),
        PropertiesType: D3D12DDI_NODE_PROPERTIES_TYPE_0108(99),
        Anonymous: D3D12DDI_SHADER_NODE_0108_0 {
            pThreadLaunchNodeProperties: ptr::without_provenance(8),
        },
    };
    // SAFETY: the field belongs to the description's arena, and no reference to it is alive; the node outlives the call.
    unsafe { *point.unwrap().field = (&raw const node).cast() };
    look(&desc, |desc| {
        let node = &work_graph(desc).nodes[0];
        assert!(node.launch.as_ref().unwrap().shares_input_of.is_none());
    })
    .unwrap();
}

/// Every pointer and count of a description, wrong in every way, one at a time.
#[test]
fn each_wrong_pointer_and_count_has_its_error() {
    let points = StateObject::full().points.len();
    assert!(points > 80, "{points}");
    for index in some(0..points) {
        for damage in DAMAGES {
            let desc = StateObject::full();
            let point = desc.points[index];
            if !point.apply(damage) {
                continue;
            }
            let result = look(&desc, exercise);
            let message = format!("{} {damage:?}: {result:?}", point.what);
            match point.error(damage) {
                Some(error) => {
                    let expected = format!("{error}: {E_INVALIDARG}");
                    assert!(
                        result.is_err_and(|line| line.contains(&expected)),
                        "{message}"
                    );
                }
                None => assert!(result.is_ok(), "{message}"),
            }
        }
    }
}

#[test]
fn values_without_a_name_are_kept_and_reported() {
    /// No enumerator, and a bit that no set of flags has.
    const STRANGE: i32 = 0x4000_0000;
    let count = StateObject::full().values.len();
    assert!(count > 50, "{count}");
    for index in some(0..count) {
        let desc = StateObject::full();
        let (path, field) = &desc.values[index];
        // SAFETY: a field of the description.
        let value = unsafe {
            **field |= STRANGE;
            **field
        };
        let unknown = look(&desc, |desc| {
            exercise(desc);
            unknown_values(desc)
        });
        let [found] = &unknown.unwrap()[..] else {
            panic!("{path}");
        };
        assert_eq!(found.path, *path);
        assert!(
            found.value == STRANGE || found.value == value,
            "{path}: {found:?}"
        );
    }
}

#[test]
fn a_subobject_of_a_type_that_nobody_knows_is_reported_and_not_followed() {
    for kind in [4, 7, 8, 12, 25, 27, 32, -1, i32::MAX] {
        let desc = StateObject::of(&[D3D12DDI_STATE_SUBOBJECT_TYPE(kind)]);
        // Nothing is there to be read.
        desc.subobjects()[0].pDesc = ptr::without_provenance(8);
        let unknown = look(&desc, |desc| {
            assert!(matches!(desc.subobjects(), [Subobject::Unknown(_)]));
            unknown_values(desc)
        });
        let unknown = unknown.unwrap();
        assert_eq!(
            (unknown[0].path.as_str(), unknown[0].value),
            ("pSubobjects[0].Type", kind)
        );
    }
}

#[test]
fn a_string_without_an_end_is_refused() {
    let mut desc = StateObject::raytracing();
    let endless = desc.arena.slice(vec![u16::from(b'x'); 1 << 16]);
    let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY;
    let library = desc.content::<D3D12DDI_DXIL_LIBRARY_DESC_0054>(kind);
    // SAFETY: the description's own library, and its first export.
    unsafe { (*(*library).pExports).Name = endless };
    let expected = DescError::Unterminated {
        what: "Name",
        limit: 1 << 16,
    };
    let line = look(&desc, exercise).unwrap_err();
    assert!(line.contains(&expected.to_string()), "{line}");
}

fn graph(desc: &StateObject) -> *mut D3D12DDI_WORK_GRAPH_DESC_0108 {
    desc.content(D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH)
}

#[test]
fn a_list_of_nodes_is_not_followed_past_its_count() {
    for case in 0..3 {
        let desc = StateObject::full();
        let graph = graph(&desc);
        // SAFETY: the description's own graph of three nodes.
        let count = unsafe {
            match case {
                0 => {
                    // The last bites the first.
                    let second = (*(*graph).pNodes).pNext;
                    (*(*second).pNext).pNext = (*graph).pNodes;
                }
                1 => (*graph).NumNodes = 2,
                _ => (*graph).NumNodes = 0,
            }
            (*graph).NumNodes
        };
        let expected = DescError::EndlessList {
            what: "pNodes",
            count,
        };
        let line = look(&desc, exercise).unwrap_err();
        assert!(line.contains(&expected.to_string()), "{line}");
    }
}

#[test]
fn a_node_that_is_no_shader_is_kept_by_its_type() {
    let desc = StateObject::full();
    // SAFETY: the description's own graph.
    unsafe {
        let node = (*(*graph(&desc)).pNodes).pNode;
        *node = D3D12DDI_NODE_0108::zeroed();
        (*node).NodeType = D3D12DDI_NODE_TYPE_PROGRAM_0110;
    }
    look(&desc, |desc| {
        let node = &work_graph(desc).nodes[0];
        assert_eq!(node.node_type, D3D12DDI_NODE_TYPE_PROGRAM_0110);
        assert!(node.shader.is_none() && node.launch.is_none());
    })
    .unwrap();
}
