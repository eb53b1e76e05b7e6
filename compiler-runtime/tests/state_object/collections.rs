//! Collections: what they may leave open, and how others take them in.

use std::sync::Arc;

use compiler_runtime::desc::Invalid;
use compiler_runtime::desc::state_object::StateObject;
use runtime_test_support::state_object::*;

use crate::plugins::{Compiled, Host, associations, lines};

const NUMBER: usize = 0x1000;

fn compile(host: &Host, desc: Description) -> Compiled {
    host.compile(&Arc::new(desc.translate()), None)
}

/// A raytracing pipeline with a collection in it.
fn include(collection: &Compiled, desc: Description) -> Result<StateObject, Invalid> {
    desc.translate_with(None, &[(NUMBER, collection.collection())])
}

#[track_caller]
fn refused(collection: &Compiled, desc: Description, text: &str) {
    assert_eq!(include(collection, desc).unwrap_err().text, text);
}

/// All of `rt_subobjects_lib63`.
fn whole(flags: u32) -> Description {
    Description::new(COLLECTION)
        .library("rt_subobjects_lib63", &[])
        .config(flags)
}

fn importing(exports: &[&str]) -> Description {
    Description::new(RAYTRACING).collection(NUMBER, exports)
}

#[test]
fn a_whole_collection_and_its_associations() {
    let host = Host::reader();
    let collection = compile(&host, whole(0));
    let pipeline = Arc::new(include(&collection, importing(&[])).unwrap());
    let compiled = host.compile(&pipeline, None);
    // What they are associated with stands in the collection.
    assert_eq!(associations(&compiled.text()).len(), 8);
    assert_eq!(
        associations(&compiled.text())[0],
        "gen: [None, None, None, None]"
    );
    // The pointers are those of the collection's own description.
    let theirs = collection.desc.arg();
    let ours = pipeline.arg();
    // SAFETY: both descriptions are alive; the summary is the last subobject.
    unsafe {
        let subobjects =
            std::slice::from_raw_parts(theirs.pSubobjects, theirs.NumSubobjects as usize);
        let last = ours.pSubobjects.add(ours.NumSubobjects as usize - 1);
        let summary = &*(*last)
            .pDesc
            .cast::<ddi_sys::D3D12DDI_FUNCTION_SUMMARY_0054>();
        let nodes =
            std::slice::from_raw_parts(summary.pSummaries, summary.NumExportedFunctions as usize);
        for node in nodes {
            let associated = std::slice::from_raw_parts(
                node.ppAssociatedSubobjects,
                node.NumAssociatedSubobjects as usize,
            );
            assert!(
                associated
                    .iter()
                    .all(|a| subobjects.as_ptr_range().contains(a))
            );
        }
    }
    assert_eq!(pipeline.collections().len(), 1);
}

#[test]
fn a_collection_outlives_those_that_made_it() {
    let host = Host::sample();
    let compiled = {
        let collection = compile(&host, whole(0));
        let pipeline = Arc::new(include(&collection, importing(&[])).unwrap());
        host.compile(&pipeline, None)
    };
    assert_eq!(compiled.keys.len(), 8);
}

#[test]
fn exports_are_chosen_and_renamed() {
    let host = Host::reader();
    let collection = compile(&host, whole(0));
    let desc = importing(&["gen", "again=gen", "sky=miss"]);
    let text = host
        .compile(&Arc::new(include(&collection, desc).unwrap()), None)
        .text();
    assert_eq!(
        lines(&text, "Name"),
        [
            "Name = \"gen\"",
            "Name = \"again\"",
            "Name = \"sky\"",
            "ExportNameUnmangled = \"gen\"",
            "ExportNameMangled = \"\\u{1}?gen@@YAXXZ\"",
            "ExportNameUnmangled = \"again\"",
            "ExportNameMangled = \"\\u{1}?again@@YAXXZ\"",
            "ExportNameUnmangled = \"sky\"",
            "ExportNameMangled = \"\\u{1}?sky@@YAXUPayload@@@Z\"",
        ]
    );
    refused(
        &collection,
        importing(&["gone"]),
        "pSubobjects[0] (COMPILER_EXISTING_COLLECTION): the collection has no export gone",
    );
    refused(
        &collection,
        importing(&["gen", "gen=miss"]),
        "export gen is there twice; export one of them under another name",
    );
}

#[test]
fn a_closed_collection_has_all_that_it_needs() {
    let noise = || Description::new(COLLECTION).library("rt_pipeline_lib63", &["noise_a"]);
    noise().configs().translate();
    noise().fails(
        "export noise_a: a callable shader needs a RAYTRACING_SHADER_CONFIG; or set \
         ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS",
    );
    noise().configs().dxil_associate("gone", &["noise_a"]).fails(
        "pSubobjects[3] (DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION): no library declares a subobject gone",
    );
    noise()
        .configs()
        .local(&local())
        .with(&["elsewhere"])
        .fails(
            "pSubobjects[4] (SUBOBJECT_TO_EXPORTS_ASSOCIATION): there is no export elsewhere; a \
         collection that lacks ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS is associated with \
         its own exports only",
        );
}

#[test]
fn an_open_collection_says_what_it_lacks() {
    let host = Host::reader();
    let text = |desc: Description| compile(&host, desc).text();
    let open = || Description::new(COLLECTION).config(ON_EXTERNAL);
    let flags = |text: &str| -> Vec<String> {
        lines(text, "Flags")
            .iter()
            .map(|line| (*line).to_owned())
            .collect()
    };
    // Configs, then bindings, then both; a hit group without its shader.
    let lacking = text(open().library("rt_pipeline_lib63", &["noise_a", "sky_miss"]));
    assert!(
        flags(&lacking).contains(&"OverallFlags = 0x5".to_owned()),
        "{lacking}"
    );
    let lacking = text(open().library("rt_pipeline_lib63", &["sky_miss"]).configs());
    assert!(
        flags(&lacking).contains(&"OverallFlags = 0x1".to_owned()),
        "{lacking}"
    );
    let lacking = text(open().hit_group("g", [None, Some("elsewhere"), None]));
    assert!(
        flags(&lacking).contains(&"OverallFlags = 0x2".to_owned()),
        "{lacking}"
    );
    assert!(
        flags(&lacking).contains(&"SummaryFlags = 0x2".to_owned()),
        "{lacking}"
    );
}

#[test]
fn what_a_collection_lacks_is_found_in_what_contains_it() {
    let host = Host::reader();
    let open = Description::new(COLLECTION)
        .config(ON_EXTERNAL)
        .library("rt_pipeline_lib63", &["sky_miss"]);
    let collection = compile(&host, open);
    refused(
        &collection,
        importing(&[]).configs(),
        "export sky_miss: it binds linear_clamp at s0 in space 0, which no root signature of the shader defines",
    );
    let whole = importing(&[]).configs().global(&global());
    let text = host
        .compile(&Arc::new(include(&collection, whole).unwrap()), None)
        .text();
    assert_eq!(
        associations(&text),
        ["sky_miss: [None, Some(3), Some(1), Some(2)]"]
    );
}

#[test]
fn a_collection_may_describe_exports_elsewhere() {
    let host = Host::reader();
    let collection = |flags| {
        Description::new(COLLECTION)
            .config(flags)
            .global(&global())
            .with(&["sky_miss"])
    };
    let collection = compile(&host, collection(FOR_EXTERNAL));
    let desc = importing(&[])
        .library("rt_pipeline_lib63", &["sky_miss"])
        .configs();
    let text = host
        .compile(&Arc::new(include(&collection, desc).unwrap()), None)
        .text();
    assert_eq!(associations(&text), ["sky_miss: [None, Some(2), Some(3)]"]);
}

#[test]
fn a_collection_may_want_subobjects_from_elsewhere() {
    let host = Host::reader();
    let collection = compile(
        &host,
        Description::new(COLLECTION)
            .config(ON_EXTERNAL)
            .library("rt_pipeline_lib63", &["noise_a"])
            .configs()
            .dxil_associate("tiny_rs", &["noise_a"]),
    );
    let flags = collection.text();
    assert!(flags.contains("OverallFlags = 0x4"), "{flags}");
    let whole = importing(&[]).library("rt_subobjects_lib63", &["tiny_rs"]);
    let text = host
        .compile(&Arc::new(include(&collection, whole).unwrap()), None)
        .text();
    assert_eq!(
        associations(&text),
        ["noise_a: [None, Some(1), None, None]"]
    );
    refused(
        &collection,
        importing(&[]),
        "pSubobjects[4] (DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION) of the collection in pSubobjects[0]: \
         no library declares a subobject tiny_rs",
    );
}

#[test]
fn nothing_overrides_a_collection() {
    let host = Host::reader();
    let collection = compile(&host, whole(0));
    refused(
        &collection,
        importing(&[]).local(&local()).with(&["gen", "closest"]),
        "export closest: two different LOCAL_ROOT_SIGNATURE subobjects are associated with it: \
         local_rs of pSubobjects[0] (DXIL_LIBRARY) of the collection in pSubobjects[0], and \
         pSubobjects[1] (LOCAL_SERIALIZED_ROOT_SIGNATURE)",
    );
    let config = importing(&[]).shader_config(8, 8).with(&["gen"]);
    refused(
        &collection,
        config,
        "export gen: two different RAYTRACING_SHADER_CONFIG subobjects are associated with it: \
         shader_config of pSubobjects[0] (DXIL_LIBRARY) of the collection in pSubobjects[0], and \
         pSubobjects[1] (RAYTRACING_SHADER_CONFIG)",
    );
    // A default leaves them alone.
    include(&collection, importing(&[]).local(&local())).unwrap();
}

#[test]
fn shaders_of_a_closed_collection_are_no_ones_parts() {
    let host = Host::reader();
    let hit = |flags| {
        compile(
            &host,
            Description::new(COLLECTION)
                .config(flags)
                .library("rt_pipeline_lib63", &["shade_sphere"])
                .configs(),
        )
    };
    let desc = || importing(&[]).hit_group("g", [None, Some("shade_sphere"), None]);
    refused(
        &hit(0),
        desc(),
        "pSubobjects[1] (HIT_GROUP): ClosestHitShaderImport shade_sphere is in a collection that \
         lacks ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS",
    );
    include(&hit(FOR_EXTERNAL), desc()).unwrap();
}

/// A collection with a closest hit shader and a callable one.
fn hit_and_noise(flags: u32) -> Description {
    Description::new(COLLECTION)
        .config(flags)
        .library("rt_pipeline_lib63", &["shade_sphere", "noise_a"])
        .configs()
}

/// What vkd3d-proton's `test_raytracing` creates on the native runtime: the collections have a flag that the pipeline lacks,
/// and a hit group of the pipeline is of a collection's shader.
#[test]
fn a_hit_group_over_a_collection_has_the_config_of_its_own_object() {
    let host = Host::reader();
    let collection = compile(&host, hit_and_noise(FOR_EXTERNAL));
    let hit_group = |desc: Description| desc.hit_group("g", [None, Some("shade_sphere"), None]);
    let own = |desc: Description| desc.library("rt_pipeline_lib63", &["noise_b"]).configs();
    // With own shaders and without, with a config and without, which is a default, and with explicit associations.
    for desc in [
        own(hit_group(importing(&[]).config(0))),
        own(hit_group(importing(&[]))),
        hit_group(importing(&[]).config(0)),
        hit_group(importing(&[])),
        own(importing(&[]).config(0)),
        own(hit_group(importing(&[]).config(0).with(&["g", "noise_b"]))),
        own(hit_group(
            importing(&["noise_a", "h=shade_sphere"]).config(0),
        ))
        .hit_group("i", [None, Some("h"), None])
        .library("rt_pipeline_lib63", &["shade_sphere"]),
    ] {
        include(&collection, desc).unwrap();
    }
    let text = host
        .compile(
            &Arc::new(include(&collection, hit_group(importing(&[]).config(0))).unwrap()),
            None,
        )
        .text();
    // The shaders have the collection's three, and the group the object's config and the collection's two.
    assert_eq!(
        associations(&text),
        [
            "shade_sphere: [None, None, None]",
            "noise_a: [None, None, None]",
            "g: [Some(1), None, None]",
        ]
    );
    // The object's own exports have one config.
    refused(
        &collection,
        own(hit_group(importing(&[]).config(0).with(&["noise_b"]))),
        "all exports have the same STATE_OBJECT_CONFIG, but noise_b has pSubobjects[1] \
         (STATE_OBJECT_CONFIG) and g has nothing",
    );
    // Nothing overrides the collection's.
    refused(
        &collection,
        importing(&[]).config(0).with(&["noise_a"]),
        "export noise_a: two different STATE_OBJECT_CONFIG subobjects are associated with it: \
         pSubobjects[0] (STATE_OBJECT_CONFIG) of the collection in pSubobjects[0], and pSubobjects[1] \
         (STATE_OBJECT_CONFIG)",
    );
}

/// A node mask is that of the whole: what has the collection's shader has its node mask.
#[test]
fn a_node_mask_is_that_of_collections_too() {
    let host = Host::reader();
    let hit_group = |desc: Description| desc.hit_group("g", [None, Some("shade_sphere"), None]);
    let own = |desc: Description| desc.library("rt_pipeline_lib63", &["noise_b"]).configs();
    let masked = compile(&host, hit_and_noise(FOR_EXTERNAL).node_mask(1));
    include(&masked, hit_group(importing(&[]))).unwrap();
    include(&masked, own(hit_group(importing(&[]).node_mask(1)))).unwrap();
    refused(
        &masked,
        own(hit_group(importing(&[]))),
        "all exports have the same NODE_MASK, but shade_sphere has pSubobjects[4] (NODE_MASK) of the \
         collection in pSubobjects[0] and noise_b has nothing",
    );
    refused(
        &masked,
        own(importing(&[]).node_mask(2)),
        "all exports have the same NODE_MASK, but shade_sphere has pSubobjects[4] (NODE_MASK) of the \
         collection in pSubobjects[0] and noise_b has pSubobjects[1] (NODE_MASK)",
    );
    // A default reaches what the collection left open.
    let plain = compile(&host, hit_and_noise(FOR_EXTERNAL));
    include(&plain, own(hit_group(importing(&[]).node_mask(1)))).unwrap();
}

/// vkd3d-proton's `test_raytracing` adds to a pipeline on the native runtime: both sides have the flag, not their collections.
#[test]
fn an_addition_has_no_config_from_its_collections() {
    let host = Host::reader();
    let collection = compile(&host, hit_and_noise(FOR_EXTERNAL | ADDITIONS));
    let parent = Arc::new(
        Description::new(RAYTRACING)
            .config(ADDITIONS)
            .library("rt_pipeline_lib63", &["noise_b"])
            .configs()
            .translate(),
    );
    let add = |desc: Description| {
        desc.translate_with(Some(&parent), &[(NUMBER, collection.collection())])
    };
    let hit_group = |desc: Description| desc.hit_group("g", [None, Some("shade_sphere"), None]);
    add(hit_group(importing(&[]).config(ADDITIONS))).unwrap();
    for desc in [
        hit_group(importing(&[])),
        importing(&[]),
        hit_group(importing(&[]).config(0)),
        hit_group(importing(&[]))
            .library("rt_pipeline_lib63", &["noise_c=noise_b"])
            .configs(),
    ] {
        assert_eq!(
            add(desc).unwrap_err().text,
            "the addition lacks ALLOW_STATE_OBJECT_ADDITIONS"
        );
    }
    // Nor has the object that is added to.
    let parent = include(&collection, hit_group(importing(&[]))).unwrap();
    let addition = Description::new(RAYTRACING).config(ADDITIONS);
    assert_eq!(
        addition
            .translate_with(Some(&Arc::new(parent)), &[])
            .unwrap_err()
            .text,
        "the state object that is added to lacks ALLOW_STATE_OBJECT_ADDITIONS"
    );
}

/// A library with a callable shader `falloff` (of which `?falloff@@YAMMM@Z` is the mangled name), which
/// calls a function that the library has too, `quad_mean`.
fn caller_and_callee() -> Vec<u8> {
    with_runtime_data("functions_lib63", |data| {
        const CALLEE: &[u8] = b"\x01?quad_mean@@YAMM@Z\0";
        for old in [
            &b"\x01?external_curve@@YAMM@Z"[..],
            b"\x01?quad_mean@@YAXAIAV?$vector@M$03@@@Z",
        ] {
            let at = data.windows(old.len()).position(|w| w == old).unwrap();
            data[at..at + CALLEE.len()].copy_from_slice(CALLEE);
        }
        // The kind of the first function, which stands in its record's fifth word.
        let at = 4 * (66 + 4);
        assert_eq!(data[at..at + 4], 6_u32.to_le_bytes());
        data[at..at + 4].copy_from_slice(&12_u32.to_le_bytes());
    })
}

const CALLER: &str = "shade=?falloff@@YAMMM@Z";
const NOT_THERE: &str = "it calls ?quad_mean@@YAMM@Z, which is not there";

/// A collection of both, which are in two libraries of it.
fn calling(flags: u32) -> Description {
    let library = caller_and_callee();
    Description::new(COLLECTION)
        .config(flags)
        .library_of(&library, &[CALLER])
        .library_of(&library, &["quad_mean"])
        .configs()
}

#[test]
fn what_a_listed_shader_calls_need_not_be_listed() {
    let host = Host::reader();
    for flags in [0, FOR_EXTERNAL] {
        let collection = compile(&host, calling(flags));
        for list in [
            &["shade"][..],
            &["new=shade"],
            &["shade", "again=shade"],
            &["shade", "quad_mean"],
            &["shade", "new=quad_mean"],
            &["quad_mean"],
            &[],
        ] {
            include(&collection, importing(list)).unwrap();
        }
    }
    // Nobody else calls what is not listed, or what has another name.
    let collection = compile(&host, calling(FOR_EXTERNAL));
    let desc = |list: &[&str]| {
        importing(list)
            .library_of(&caller_and_callee(), &["other=?falloff@@YAMMM@Z"])
            .configs()
    };
    include(&collection, desc(&["quad_mean"])).unwrap();
    include(&collection, desc(&["new=shade", "quad_mean"])).unwrap();
    for list in [
        &["shade"][..],
        &["new=quad_mean"],
        &["shade", "new=quad_mean"],
    ] {
        refused(
            &collection,
            desc(list),
            &format!("export other: {NOT_THERE}"),
        );
    }
    refused(
        &compile(&host, calling(0)),
        desc(&["quad_mean"]),
        &format!("export other: {NOT_THERE}"),
    );
    // What is called in the collection is not what has its name outside.
    include(
        &collection,
        importing(&["shade"]).library_of(&caller_and_callee(), &["quad_mean"]),
    )
    .unwrap();
}

/// Each way to list exports of a collection is right, and gives those exports with what they were
/// associated with when the collection was made.
#[test]
fn every_mix_of_listed_and_unlisted_exports() {
    const ALL: [(&str, usize); 8] = [
        ("gen", 4),
        ("miss", 5),
        ("closest", 5),
        ("any", 5),
        ("any_box", 5),
        ("box", 5),
        ("tri_group", 5),
        ("box_group", 5),
    ];
    let host = Host::reader();
    let collections = [0, FOR_EXTERNAL, ON_EXTERNAL].map(|flags| compile(&host, whole(flags)));
    for mix in 1..1_usize << ALL.len() {
        let collection = &collections[mix % collections.len()];
        let listed = ALL.iter().enumerate();
        let listed: Vec<_> = listed.filter(|(bit, _)| mix >> bit & 1 != 0).collect();
        // Every third one gets another name, every fifth one a second one.
        let mut exports = Vec::new();
        let mut expected = Vec::new();
        for (bit, (name, associated)) in listed {
            let nones = vec!["None"; *associated].join(", ");
            let mut add = |new: String, export: String| {
                expected.push(format!("{new}: [{nones}]"));
                exports.push(export);
            };
            match (bit + mix) % 5 {
                0 | 3 => add(format!("new_{name}"), format!("new_{name}={name}")),
                1 => {
                    add((*name).to_owned(), (*name).to_owned());
                    add(format!("second_{name}"), format!("second_{name}={name}"));
                }
                _ => add((*name).to_owned(), (*name).to_owned()),
            }
        }
        let exports: Vec<_> = exports.iter().map(String::as_str).collect();
        let pipeline = include(collection, importing(&exports));
        let pipeline = pipeline.unwrap_or_else(|error| panic!("{exports:?}: {error}"));
        let text = host.compile(&Arc::new(pipeline), None).text();
        assert_eq!(associations(&text), expected);
    }
}

#[test]
fn unlisted_shaders_get_what_their_hit_group_is_associated_with() {
    let host = Host::reader();
    let open = Description::new(COLLECTION)
        .config(ON_EXTERNAL)
        .library("rt_pipeline_lib63", &[])
        .hit_group("triangles", [Some("cutout"), Some("shade_triangle"), None]);
    let collection = compile(&host, open);
    let desc = || importing(&["new=triangles"]).configs().global(&global());
    refused(
        &collection,
        desc(),
        "export shade_triangle: it binds HitRecord at b0 in space 1, which no root signature of the shader defines",
    );
    let desc = desc().local(&local()).with(&["new"]);
    let text = host
        .compile(&Arc::new(include(&collection, desc).unwrap()), None)
        .text();
    assert_eq!(
        associations(&text),
        ["new: [None, Some(3), Some(4), Some(1), Some(2)]"]
    );
    // Outside, a name that is not listed means nothing.
    let desc = importing(&["new=triangles"])
        .configs()
        .global(&global())
        .local(&local())
        .with(&["triangles"]);
    refused(
        &collection,
        desc,
        "pSubobjects[5] (SUBOBJECT_TO_EXPORTS_ASSOCIATION): there is no export triangles",
    );
}

#[test]
fn unlisted_shaders_are_no_ones_parts() {
    let host = Host::reader();
    let collection = compile(&host, whole(FOR_EXTERNAL));
    let desc = |list: &[&str]| importing(list).hit_group("mine", [None, Some("closest"), None]);
    refused(
        &collection,
        desc(&["tri_group"]),
        "export mine: there is no shader closest for the hit group",
    );
    include(&collection, desc(&["tri_group", "closest"])).unwrap();
    // The name is free for others.
    let own = importing(&["tri_group"])
        .library("rt_pipeline_lib63", &["closest=noise_a"])
        .shader_config(32, 16)
        .pipeline_config(3);
    include(&collection, own).unwrap();
}

#[test]
fn a_hit_group_of_which_a_part_is_elsewhere() {
    let host = Host::reader();
    let open = Description::new(COLLECTION)
        .config(ON_EXTERNAL)
        .library("rt_pipeline_lib63", &["shade_triangle"])
        .configs()
        .hit_group("triangles", [Some("cutout"), Some("shade_triangle"), None]);
    let collection = compile(&host, open);
    for (list, name) in [
        (&["triangles"][..], "triangles"),
        (&["new=triangles"], "new"),
        (&[], "triangles"),
    ] {
        let desc = || {
            importing(list)
                .global(&global())
                .local(&local())
                .with(&[name])
                .configs()
        };
        refused(
            &collection,
            desc(),
            &format!("export {name}: there is no shader cutout for the hit group"),
        );
        include(
            &collection,
            desc().library("rt_pipeline_lib63", &["cutout"]),
        )
        .unwrap();
    }
}

#[test]
fn a_collections_own_associations_use_its_own_names() {
    let host = Host::reader();
    let collection = compile(
        &host,
        Description::new(COLLECTION)
            .config(ON_EXTERNAL)
            .library("rt_pipeline_lib63", &["noise_a", "noise_b"])
            .configs()
            .dxil_associate("tiny_rs", &["noise_a"]),
    );
    let with = |list: &[&str], expected: &[&str]| {
        let desc = importing(list).library("rt_subobjects_lib63", &["tiny_rs"]);
        let text = host
            .compile(&Arc::new(include(&collection, desc).unwrap()), None)
            .text();
        assert_eq!(associations(&text), expected);
    };
    with(&["new=noise_a"], &["new: [None, Some(1), None, None]"]);
    with(&["noise_a=noise_b"], &["noise_a: [None, None, None]"]);
    with(&["noise_b"], &["noise_b: [None, None, None]"]);
}

#[test]
fn additions_may_list_what_others_hide() {
    let host = Host::reader();
    let collection = compile(&host, whole(ADDITIONS));
    let importing = |list: &[&str]| importing(list).config(ADDITIONS);
    let parent = Arc::new(include(&collection, importing(&["tri_group"])).unwrap());
    let add = |parent: &Arc<StateObject>, list: &[&str]| {
        importing(list)
            .translate_with(Some(parent), &[(NUMBER, collection.collection())])
            .map(Arc::new)
    };
    // Both groups have the same closest hit shader, which no one has listed so far.
    let second = add(&parent, &["box_group"]).unwrap();
    let third = add(&second, &["closest"]).unwrap();
    assert_eq!(
        add(&third, &["closest"]).unwrap_err().text,
        "export closest: the state object that is added to has an export of this name"
    );
    add(&third, &["new=closest"]).unwrap();
}

#[test]
fn what_cannot_contain_what() {
    let host = Host::reader();
    let collection = compile(&host, whole(0));
    refused(
        &collection,
        importing(&[]).kind(COLLECTION),
        "pSubobjects[0] (COMPILER_EXISTING_COLLECTION): a collection cannot contain a collection",
    );
    importing(&[]).fails(
        "pSubobjects[0] (COMPILER_EXISTING_COLLECTION): pExistingCollection is no state object of \
         this compiler",
    );
    let pipeline = compile(&host, crate::raytracing::pipeline());
    refused(
        &pipeline,
        importing(&[]),
        "pSubobjects[0] (COMPILER_EXISTING_COLLECTION): pExistingCollection is a state object of \
         another type",
    );
    refused(
        &compile(&host, whole(0).kind(COLLECTION)),
        importing(&[]).config(ADDITIONS).with(&[]),
        "pSubobjects[0]: the collection lacks ALLOW_STATE_OBJECT_ADDITIONS, which the state object has",
    );
    include(
        &compile(&host, whole(ADDITIONS)),
        importing(&[]).config(ADDITIONS),
    )
    .unwrap();
    Description::new(COLLECTION)
        .work_graph("graph", &[], true)
        .fails("pSubobjects[0] (WORK_GRAPH): only a state object of type EXECUTABLE has programs");
}
