//! What libraries export, use and declare is what the sources say.

use std::collections::{BTreeMap, BTreeSet};

use dxil::rdat::{
    Function, Node, NodeAttribute, NodeIo, NodeIoAttribute, RuntimeData, Subobject, SubobjectKind,
};
use dxil::{Container, FourCc, RootSignature, ShaderKind};
use serde::Deserialize;

use crate::valid::shaders;
use crate::{Entry, manifest};

/// What the manifest says of a library, written by hand from the source.
#[derive(Deserialize)]
struct Library {
    #[serde(flatten)]
    entry: Entry,
    stage: String,
    /// Unmangled name to kind.
    exports: Option<BTreeMap<String, String>>,
    #[serde(default)]
    subobjects: Vec<String>,
}

fn read<T>(name: &str, ask: impl FnOnce(RuntimeData<'_>) -> T) -> T {
    let bytes = std::fs::read(crate::path(&format!("dxil/{name}.dxil"))).unwrap();
    let container = Container::parse(&bytes).unwrap();
    ask(container.runtime_data().unwrap().unwrap())
}

#[test]
fn exports_and_subobjects_are_those_of_the_manifest() {
    let mut exports = 0;
    for library in manifest::<Library>("manifest.json") {
        let name = &library.entry.name;
        let bytes = library.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let runtime_data = container
            .runtime_data()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(runtime_data.is_some(), library.stage == "library", "{name}");
        let Some(runtime_data) = runtime_data else {
            assert!(library.exports.is_none(), "{name}");
            continue;
        };
        let found: BTreeMap<String, String> = runtime_data
            .functions()
            .map(|function| {
                (
                    function.unmangled_name.to_owned(),
                    function.kind.to_string(),
                )
            })
            .collect();
        // Overloads share a name; the mangled one is their own.
        let mangled: BTreeSet<_> = runtime_data.functions().map(|it| it.name).collect();
        assert_eq!(mangled.len(), runtime_data.functions().len(), "{name}");
        assert_eq!(Some(&found), library.exports.as_ref(), "{name}");
        let subobjects: Vec<_> = runtime_data.subobjects().map(|it| it.name).collect();
        assert_eq!(subobjects, library.subobjects, "{name}");
        exports += found.len();
    }
    assert!(exports > 100, "{exports}");
}

/// What holds of every function, by its kind.
#[test]
fn functions_are_plausible() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let Some(runtime_data) = container.runtime_data().unwrap() else {
            continue;
        };
        let is_old = shader.entry.name.ends_with("_old") || shader.entry.name.ends_with("_linux");
        for function in runtime_data.functions() {
            let shown = format!("{}: {function:?}", shader.entry.name);
            let is_mangled = function.name.starts_with('\u{1}');
            let number = ShaderKind::ALL
                .iter()
                .position(|&kind| kind == function.kind);
            let is_shader = function.kind != ShaderKind::Library;
            let mangles = (ShaderKind::Library..=ShaderKind::Callable).contains(&function.kind);
            assert_eq!(is_mangled, mangles, "{shown}");
            assert!(
                function.name.contains(function.unmangled_name) || is_mangled,
                "{shown}"
            );
            assert_eq!(
                is_shader,
                function.stages == 1 << number.unwrap(),
                "{shown}"
            );
            assert_eq!(
                function.node.is_some(),
                function.kind == ShaderKind::Node,
                "{shown}"
            );
            assert_eq!(function.wave_sizes.is_none(), is_old, "{shown}");
            assert_eq!(function.min_shader_model.major, 6, "{shown}");
            let has_payload = (ShaderKind::AnyHit..=ShaderKind::Callable).contains(&function.kind);
            assert_eq!(function.payload_size_in_bytes > 0, has_payload, "{shown}");
            let has_attributes =
                matches!(function.kind, ShaderKind::AnyHit | ShaderKind::ClosestHit);
            assert_eq!(
                function.attribute_size_in_bytes > 0,
                has_attributes,
                "{shown}"
            );
        }
    }
}

/// Class, number of a register, space, kind and name.
fn resources(function: &Function<'_>) -> Vec<String> {
    function
        .resources
        .iter()
        .map(|resource| {
            format!(
                "{:?} {}..={} space{} {:?} {}",
                resource.class,
                resource.lower_bound,
                resource.upper_bound,
                resource.space,
                resource.kind,
                resource.name
            )
        })
        .collect()
}

fn export<'a>(data: &RuntimeData<'a>, name: &str) -> Function<'a> {
    let mut functions = data.functions();
    functions
        .find(|function| function.unmangled_name == name)
        .unwrap()
}

/// Written by hand from `rt_subobjects.hlsl`.
#[test]
fn functions_of_ray_tracing() {
    for name in [
        "rt_subobjects_lib63",
        "rt_subobjects_lib63_linux",
        "rt_subobjects_lib63_old",
    ] {
        read(name, |data| {
            assert_eq!(
                resources(&export(&data, "gen")),
                [
                    "CBV 0..=0 space0 CONSTANT_BUFFER G",
                    "SRV 0..=0 space0 ACCELERATION_STRUCTURE scene",
                    "UAV 0..=0 space0 TEXTURE_2D image",
                ]
            );
            let closest = export(&data, "closest");
            assert_eq!(
                resources(&closest),
                [
                    "CBV 1..=1 space0 CONSTANT_BUFFER L",
                    "SRV 2..=2 space0 RAW_BUFFER local_data",
                ]
            );
            assert_eq!(closest.name, "\u{1}?closest@@YAXUPayload@@UAttr@@@Z");
            assert_eq!(closest.payload_size_in_bytes, 28);
            assert_eq!(closest.attribute_size_in_bytes, 8);
            // Older compilers say 6.0 of what would do with it by itself.
            let min_shader_model = if name == "rt_subobjects_lib63" {
                "6.3"
            } else {
                "6.0"
            };
            assert_eq!(closest.min_shader_model.to_string(), min_shader_model);
            assert_eq!(closest.dependencies.iter().len(), 0);
            assert_eq!(data.resources().len(), 5);
        });
    }
}

/// Every field of a subobject.
fn subobject_text(subobject: &Subobject<'_>) -> String {
    let content = match subobject.kind {
        SubobjectKind::StateObjectConfig { flags } => format!("config {flags:#x}"),
        SubobjectKind::GlobalRootSignature(bytes) => {
            let root_signature = RootSignature::parse(bytes).unwrap();
            format!("global {:?}", root_signature.flags())
        }
        SubobjectKind::LocalRootSignature(bytes) => {
            let root_signature = RootSignature::parse(bytes).unwrap();
            format!("local {:?}", root_signature.flags())
        }
        SubobjectKind::SubobjectToExportsAssociation { subobject, exports } => {
            format!("{subobject} to {exports:?}")
        }
        SubobjectKind::RaytracingShaderConfig {
            max_payload_size_in_bytes: payload,
            max_attribute_size_in_bytes: attributes,
        } => format!("shader config {payload} {attributes}"),
        SubobjectKind::RaytracingPipelineConfig {
            max_trace_recursion_depth: depth,
        } => format!("pipeline config {depth}"),
        SubobjectKind::RaytracingPipelineConfig1 {
            max_trace_recursion_depth: depth,
            flags,
        } => format!("pipeline config {depth} {flags:#x}"),
        SubobjectKind::HitGroup {
            hit_group_type,
            any_hit,
            closest_hit,
            intersection,
        } => format!("{hit_group_type:?} {any_hit},{closest_hit},{intersection}"),
        other => panic!("{other:?}"),
    };
    format!("{}: {content}", subobject.name)
}

/// Written by hand from `rt_subobjects.hlsl`; the pipeline configuration differs in version 6.5.
#[test]
fn subobjects_are_those_of_the_source() {
    let expected = |pipeline_config: &str| {
        [
            "global_rs: global {}",
            "local_rs: local {LOCAL_ROOT_SIGNATURE}",
            "tiny_rs: local {LOCAL_ROOT_SIGNATURE}",
            "object_config: config 0x5",
            r#"local_link: local_rs to ["tri_group", "box_group", "closest"]"#,
            r#"tiny_link: tiny_rs to ["miss"]"#,
            "config_link: shader_config to []",
            "shader_config: shader config 32 16",
            pipeline_config,
            "tri_group: TRIANGLES any,closest,",
            "box_group: PROCEDURAL_PRIMITIVE any_box,closest,box",
        ]
        .map(str::to_owned)
    };
    let found = |name| {
        read(name, |data| {
            data.subobjects()
                .map(|subobject| subobject_text(&subobject))
                .collect::<Vec<_>>()
        })
    };
    for name in [
        "rt_subobjects_lib63",
        "rt_subobjects_lib63_linux",
        "rt_subobjects_lib63_old",
        "dbg_rt_lib_embed",
    ] {
        assert_eq!(
            found(name),
            expected("pipeline_config: pipeline config 3"),
            "{name}"
        );
    }
    assert_eq!(
        found("rt_subobjects_lib65"),
        expected("pipeline_config: pipeline config 3 0x200")
    );
}

/// Everything that is said of a node, as the source would say it.
fn node_text(node: &Node<'_>) -> Vec<String> {
    let attributes: Vec<_> = node.attributes.iter().map(attribute_text).collect();
    let head = format!("{:?} {}", node.launch, attributes.join(", "));
    let inputs = node.inputs.iter().map(|io| format!("in {}", io_text(&io)));
    let outputs = node
        .outputs
        .iter()
        .map(|io| format!("out {}", io_text(&io)));
    [head].into_iter().chain(inputs).chain(outputs).collect()
}

fn attribute_text(attribute: NodeAttribute<'_>) -> String {
    match attribute {
        NodeAttribute::Id(id) => format!("id {}[{}]", id.name, id.index),
        NodeAttribute::ShareInputOf(id) => format!("shares {}[{}]", id.name, id.index),
        NodeAttribute::NumThreads(size) => format!("threads {size:?}"),
        NodeAttribute::DispatchGrid(grid) => format!("grid {grid:?}"),
        NodeAttribute::MaxDispatchGrid(grid) => format!("max grid {grid:?}"),
        NodeAttribute::MaxRecursionDepth(depth) => format!("recursion {depth}"),
        NodeAttribute::LocalRootArgumentsTableIndex(index) => format!("arguments {index}"),
        other => panic!("{other:?}"),
    }
}

fn io_text(io: &NodeIo<'_>) -> String {
    let attributes = io.attributes.iter().map(|attribute| match attribute {
        NodeIoAttribute::OutputId(id) => format!("{}[{}]", id.name, id.index),
        NodeIoAttribute::MaxRecords(count) => format!("max {count}"),
        NodeIoAttribute::MaxRecordsSharedWith(output) => format!("max of output {output}"),
        NodeIoAttribute::RecordSizeInBytes(size) => format!("{size} bytes"),
        NodeIoAttribute::RecordAlignmentInBytes(align) => format!("align {align}"),
        NodeIoAttribute::OutputArraySize(size) => format!("array {size}"),
        NodeIoAttribute::AllowSparseNodes(sparse) => format!("sparse {sparse}"),
        NodeIoAttribute::RecordDispatchGrid {
            byte_offset,
            component_count,
            component_type,
        } => format!("grid at {byte_offset}: {component_count} of type {component_type}"),
        other => panic!("{other:?}"),
    });
    format!(
        "{:?} {}",
        io.flags,
        attributes.collect::<Vec<_>>().join(", ")
    )
}

/// Written by hand from `wg_nodes.hlsl` and `wg_arrays.hlsl`; that outputs read and write, and the
/// alignment of records, is what the language says where the source is silent.
#[test]
fn nodes_are_those_of_the_source() {
    #[rustfmt::skip]
    let expected: [(&str, &str, &[&str]); 6] = [
        ("wg_nodes_lib68", "split", &[
            "BROADCASTING id split[0], threads [8, 8, 1], max grid [64, 64, 1]",
            "in {INPUT, DISPATCH_RECORD} 24 bytes, grid at 0: 3 of type 5, align 4",
            "out {OUTPUT, READ_WRITE} gather[0], array 0, max 64, 8 bytes, align 4",
            "out {OUTPUT, READ_WRITE} finish[2], array 0, max 8, 8 bytes, align 4",
        ]),
        ("wg_nodes_lib68", "gather", &[
            "COALESCING id gather[0], threads [64, 1, 1]",
            "in {INPUT, GROUP_RECORD} max 64, 8 bytes, align 4",
        ]),
        ("wg_nodes_lib68", "clear_bins", &[
            "BROADCASTING id clear_bins[0], threads [32, 1, 1], arguments 3, grid [4, 1, 1]",
            "out {OUTPUT, EMPTY_RECORD} done[0], array 0, max 1",
        ]),
        ("wg_nodes_lib68", "done", &[
            "COALESCING id done[0], threads [1, 1, 1]",
            "in {INPUT, EMPTY_RECORD} max 4",
        ]),
        ("wg_arrays_lib68", "bounce", &[
            "THREAD id bounce[0], threads [1, 1, 1], recursion 4",
            "in {INPUT, READ_WRITE, THREAD_RECORD} 32 bytes, align 4",
            "out {OUTPUT, READ_WRITE, NODE_ARRAY} shade[0], array 8, max 1, sparse true, 32 bytes, align 4",
            "out {OUTPUT, READ_WRITE} bounce[0], array 0, max 1, 32 bytes, align 4",
        ]),
        ("wg_arrays_lib68", "shade_glass_log", &[
            "BROADCASTING id shade_glass_log[0], threads [4, 4, 1], shares shade[3], grid [1, 2, 1]",
            "in {INPUT, DISPATCH_RECORD} 32 bytes, align 4",
            "out {OUTPUT, READ_WRITE} sink_a[0], array 0, max 4, 32 bytes, align 4",
            "out {OUTPUT, READ_WRITE} sink_b[0], array 0, max of output 0, 32 bytes, align 4",
        ]),
    ];
    for (library, name, expected) in expected {
        read(library, |data| {
            let node = export(&data, name).node.unwrap();
            assert_eq!(node_text(&node), expected, "{library} {name}");
        });
    }
    read("wg_nodes_lib68", |data| {
        let entries: Vec<_> = data
            .functions()
            .filter(|function| function.is_program_entry)
            .map(|function| function.name)
            .collect();
        assert_eq!(entries, ["split", "clear_bins"]);
    });
}

/// A library has no PSV0, and everything else no RDAT.
#[test]
fn libraries_have_runtime_data_in_place_of_pipeline_state() {
    for shader in shaders() {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let has = [FourCc::RDAT, FourCc::PSV0].map(|part| container.part(part).is_some());
        let is_library = shader.stage == "library";
        let is_shader = !is_library && shader.stage != "rootsig";
        if shader.entry.name != "parts_dxil_only_cs" {
            assert_eq!(has, [is_library, is_shader], "{}", shader.entry.name);
        }
    }
}
