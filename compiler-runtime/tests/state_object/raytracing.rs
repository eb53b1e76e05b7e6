//! Raytracing pipelines: libraries, hit groups, associations of all kinds.

use std::sync::Arc;

use runtime_test_support::state_object::*;

use crate::plugins::{Host, associations, lines, read};

/// `rt_pipeline_lib63`, which declares no subobjects, with all that it needs.
pub fn pipeline() -> Description {
    Description::new(RAYTRACING)
        .library("rt_pipeline_lib63", &[])
        .global(&global())
        .local(&local())
        .with(&["triangles"])
        .configs()
        .hit_group("triangles", [Some("cutout"), Some("shade_triangle"), None])
        .hit_group("spheres", [None, Some("shade_sphere"), Some("hit_sphere")])
}

#[test]
fn a_pipeline_described_by_the_api() {
    let text = read(pipeline().translate());
    // The local root signature came to the shaders by way of their hit group.
    assert_eq!(
        associations(&text),
        [
            "camera_rays: [Some(1), Some(3), Some(4)]",
            "sky_miss: [Some(1), Some(3), Some(4)]",
            "shadow_miss: [Some(1), Some(3), Some(4)]",
            "shade_triangle: [Some(1), Some(2), Some(3), Some(4)]",
            "shade_sphere: [Some(1), Some(3), Some(4)]",
            "cutout: [Some(1), Some(2), Some(3), Some(4)]",
            "hit_sphere: [Some(1), Some(3), Some(4)]",
            "noise_a: [Some(1), Some(3), Some(4)]",
            "noise_b: [Some(1), Some(3), Some(4)]",
            "triangles: [Some(1), Some(2), Some(3), Some(4)]",
            "spheres: [Some(1), Some(3), Some(4)]",
        ]
    );
    insta::assert_snapshot!(text);
}

#[test]
fn what_a_library_declares_is_passed_down_with_its_associations_resolved() {
    let text = read(
        Description::new(RAYTRACING)
            .library("rt_subobjects_lib63", &[])
            .translate(),
    );
    assert_eq!(
        associations(&text),
        [
            "gen: [Some(4), Some(1), Some(5), Some(6)]",
            "miss: [Some(4), Some(1), Some(3), Some(5), Some(6)]",
            "closest: [Some(4), Some(1), Some(2), Some(5), Some(6)]",
            "any: [Some(4), Some(1), Some(2), Some(5), Some(6)]",
            "any_box: [Some(4), Some(1), Some(2), Some(5), Some(6)]",
            "box: [Some(4), Some(1), Some(2), Some(5), Some(6)]",
            "tri_group: [Some(4), Some(1), Some(2), Some(5), Some(6)]",
            "box_group: [Some(4), Some(1), Some(2), Some(5), Some(6)]",
        ]
    );
    insta::assert_snapshot!(text);
}

#[test]
fn the_second_pipeline_config() {
    let text = read(
        Description::new(RAYTRACING)
            .library("rt_subobjects_lib65", &[])
            .translate(),
    );
    assert_eq!(
        lines(&text, "MaxTraceRecursionDepth"),
        ["MaxTraceRecursionDepth = 3"]
    );
    assert!(text.contains("Flags = 0x200"), "{text}");
    let text = read(
        Description::new(RAYTRACING)
            .library("rt_pipeline_lib63", &["sky_miss"])
            .shader_config(16, 8)
            .pipeline_config1(1, 0x100)
            .global(&global())
            .translate(),
    );
    assert!(text.contains("Flags = 0x100"), "{text}");
}

#[test]
fn the_object_overrides_the_library() {
    let other = root_signature(
        &[
            (dxil::DescriptorRangeType::CBV, 1, 1, 0),
            (dxil::DescriptorRangeType::SRV, 2, 1, 0),
        ],
        true,
    );
    let library = || Description::new(RAYTRACING).library("rt_subobjects_lib63", &[]);
    let text = read(library().local(&other).translate());
    let own = |text: &str| {
        associations(text)
            .iter()
            .filter(|a| a.contains("Some(1)"))
            .count()
    };
    assert_eq!(own(&text), 8, "{text}");
    // An explicit one for the hit groups, and so for all their shaders.
    let text = read(
        library()
            .local(&other)
            .with(&["tri_group", "box_group"])
            .translate(),
    );
    assert_eq!(own(&text), 6, "{text}");
    // The library's own, by name.
    let text = read(library().dxil_associate("tiny_rs", &["gen"]).translate());
    assert!(text.contains("gen: [Some(4), Some(1), Some(3), "), "{text}");
    // Not for one shader of the group alone.
    library().local(&other).with(&["closest"]).fails(
        "hit group tri_group: its LOCAL_ROOT_SIGNATURE is local_rs of pSubobjects[0] (DXIL_LIBRARY), \
         but that of its shader closest is pSubobjects[1] (LOCAL_SERIALIZED_ROOT_SIGNATURE)",
    );
}

#[test]
fn a_part_of_a_library_under_new_names() {
    let text = read(
        Description::new(RAYTRACING)
            .library(
                "rt_subobjects_lib63",
                &[
                    "first=closest",
                    "any",
                    "tri_group",
                    "local_rs",
                    "local_link",
                    "shader_config",
                    "pipeline_config",
                ],
            )
            .translate(),
    );
    // The library means its own shader, whatever it is called outside.
    assert_eq!(
        lines(&text, "ShaderImport"),
        [
            "AnyHitShaderImport = \"any\"",
            "ClosestHitShaderImport = \"first\"",
            "IntersectionShaderImport = -",
        ]
    );
    assert_eq!(
        lines(&text, "Name"),
        [
            "Name = \"first\"",
            "Name = \"any\"",
            "ExportNameUnmangled = \"first\"",
            "ExportNameUnmangled = \"any\"",
            "ExportNameUnmangled = \"tri_group\"",
        ]
        .iter()
        .flat_map(|line| match *line {
            line @ "ExportNameUnmangled = \"first\"" => {
                vec![
                    line,
                    "ExportNameMangled = \"\\u{1}?first@@YAXUPayload@@UAttr@@@Z\"",
                ]
            }
            line @ "ExportNameUnmangled = \"any\"" => {
                vec![
                    line,
                    "ExportNameMangled = \"\\u{1}?any@@YAXUPayload@@UAttr@@@Z\"",
                ]
            }
            line @ "ExportNameUnmangled = \"tri_group\"" => {
                vec![line, "ExportNameMangled = \"tri_group\""]
            }
            line => vec![line],
        })
        .collect::<Vec<_>>()
    );
}

#[test]
fn a_library_of_which_only_subobjects_are_taken_is_not_passed_down() {
    let text = read(
        Description::new(RAYTRACING)
            .library(
                "rt_subobjects_lib63",
                &["shader_config", "pipeline_config", "global_rs"],
            )
            .library("rt_pipeline_lib63", &["noise_a"])
            .dxil_associate("shader_config", &[])
            .dxil_associate("pipeline_config", &[])
            .translate(),
    );
    assert_eq!(lines(&text, "DxilLibrary").len(), 1);
    assert_eq!(associations(&text), ["noise_a: [Some(1), Some(2)]"]);
}

#[test]
fn what_must_be_there() {
    let noise = || Description::new(RAYTRACING).library("rt_pipeline_lib63", &["noise_a"]);
    noise().fails("export noise_a: a callable shader needs a RAYTRACING_SHADER_CONFIG");
    noise()
        .shader_config(4, 4)
        .fails("export noise_a: a callable shader needs a RAYTRACING_PIPELINE_CONFIG");
    noise().configs().translate();

    let miss = || {
        Description::new(RAYTRACING)
            .library("rt_pipeline_lib63", &["sky_miss"])
            .configs()
    };
    miss().fails(
        "export sky_miss: it binds linear_clamp at s0 in space 0, which no root signature of the shader defines",
    );
    miss().global(&global()).translate();
    let sky = [
        (dxil::DescriptorRangeType::SRV, 1, 1, 0),
        (dxil::DescriptorRangeType::SAMPLER, 0, 1, 0),
    ];
    miss().global(&global()).local(&root_signature(&sky, true)).fails(
        "export sky_miss: it binds linear_clamp at s0 in space 0, which both its global and its local root signature define",
    );
    Description::new(RAYTRACING)
        .library("functions_lib63", &[])
        .translate();
}

#[test]
fn configs_are_the_same_everywhere() {
    let two = || {
        Description::new(RAYTRACING)
            .library("rt_pipeline_lib63", &["noise_a", "noise_b"])
            .shader_config(16, 8)
            .with(&["noise_a"])
            .pipeline_config(1)
    };
    two().shader_config(16, 8).with(&["noise_b"]).translate();
    two().shader_config(20, 8).with(&["noise_b"]).fails(
        "all exports have the same RAYTRACING_SHADER_CONFIG, but noise_a has pSubobjects[1] \
         (RAYTRACING_SHADER_CONFIG) and noise_b has pSubobjects[4] (RAYTRACING_SHADER_CONFIG)",
    );
    let masked = || {
        Description::new(RAYTRACING)
            .library("rt_pipeline_lib63", &["noise_a", "noise_b"])
            .configs()
    };
    masked().config(0).with(&["noise_a"]).fails(
        "all exports have the same STATE_OBJECT_CONFIG, but noise_a has pSubobjects[3] \
         (STATE_OBJECT_CONFIG) and noise_b has nothing",
    );
    masked().node_mask(1).translate();
    masked().node_mask(1).with(&["noise_a"]).fails(
        "all exports have the same NODE_MASK, but noise_a has pSubobjects[3] (NODE_MASK) and noise_b \
         has nothing",
    );
}

/// Native results: vkd3d-proton, `test_raytracing_default_association_tiebreak` and
/// `test_raytracing_reject_duplicate_objects`.
#[test]
fn an_association_without_exports_wins_over_what_nothing_mentions() {
    let miss = || {
        Description::new(RAYTRACING)
            .library("rt_pipeline_lib63", &["sky_miss"])
            .configs()
    };
    let other = root_signature(&[(dxil::DescriptorRangeType::UAV, 9, 1, 9)], false);
    let conflict = |kind, first, second| {
        format!(
            "export sky_miss: two different {kind} subobjects are associated with it: {first}, and {second}"
        )
    };
    miss().global(&global()).global(&other).fails(&conflict(
        "GLOBAL_ROOT_SIGNATURE",
        "pSubobjects[3] (GLOBAL_SERIALIZED_ROOT_SIGNATURE)",
        "pSubobjects[4] (GLOBAL_SERIALIZED_ROOT_SIGNATURE)",
    ));
    miss()
        .global(&other)
        .global(&global())
        .with(&[])
        .translate();
    miss().global(&global()).global(&other).with(&[]).fails(
        "export sky_miss: it binds linear_clamp at s0 in space 0, which no root signature of the shader defines",
    );
    let whole = || miss().global(&global());
    let other_local = root_signature(&[(dxil::DescriptorRangeType::UAV, 9, 1, 9)], true);
    let two: [&dyn Fn() -> Description; 6] = [
        &|| whole().pipeline_config(9),
        &|| whole().pipeline_config1(9, 0x100),
        &|| whole().shader_config(40, 8),
        &|| whole().node_mask(1).node_mask(2),
        &|| whole().config(0).config(4),
        &|| whole().local(&local()).local(&other_local),
    ];
    for desc in two {
        assert!(desc().translate_with(None, &[]).is_err());
        desc().with(&[]).translate();
        assert!(desc().with(&["sky_miss"]).translate_with(None, &[]).is_ok());
    }
    // Equal ones are one, mentioned or not.
    whole().global(&global()).translate();
    whole().global(&global()).with(&[]).translate();
    // A library's, which the object declares to be its default, wins over the object's.
    let library = || {
        Description::new(RAYTRACING)
            .library("rt_subobjects_lib63", &[])
            .local(&other_local)
    };
    assert!(library().translate_with(None, &[]).is_err());
    library().dxil_associate("local_rs", &[]).translate();
}

#[test]
fn payloads_and_attributes_fit_the_config() {
    let miss = |payload, attributes| {
        Description::new(RAYTRACING)
            .library("rt_subobjects_lib63", &["closest"])
            .global(&global())
            .local(&root_signature(
                &[(dxil::DescriptorRangeType::CBV, 1, 1, 0)],
                true,
            ))
            .shader_config(payload, attributes)
            .pipeline_config(1)
    };
    miss(28, 8).translate();
    miss(27, 8).fails("export closest: its payload has 28 bytes, MaxPayloadSizeInBytes is 27");
    miss(28, 4).fails("export closest: its attributes have 8 bytes, MaxAttributeSizeInBytes is 4");
    miss(28, 33).fails(
        "pSubobjects[3] (RAYTRACING_SHADER_CONFIG): MaxAttributeSizeInBytes is 33, 32 is the limit",
    );
}

#[test]
fn hit_groups_are_of_the_right_shaders() {
    let group = |shaders| {
        Description::new(RAYTRACING)
            .library("rt_pipeline_lib63", &[])
            .global(&global())
            .local(&local())
            .with(&["shade_triangle"])
            .configs()
            .hit_group("g", shaders)
    };
    group([Some("cutout"), Some("shade_sphere"), Some("hit_sphere")]).translate();
    group([None, None, None]).translate();
    group([Some("shade_sphere"), None, None]).fails(
        "pSubobjects[6] (HIT_GROUP): AnyHitShaderImport shade_sphere is a closesthit shader",
    );
    group([Some("g"), None, None])
        .fails("pSubobjects[6] (HIT_GROUP): AnyHitShaderImport g is a hit group");
    group([None, Some("gone"), None]).fails("export g: there is no shader gone for the hit group");
    // The two shaders of a group have one local root signature.
    Description::new(RAYTRACING)
        .library("rt_pipeline_lib63", &[])
        .global(&global())
        .local(&local())
        .with(&["shade_triangle"])
        .local(&root_signature(
            &[(dxil::DescriptorRangeType::CBV, 9, 1, 9)],
            true,
        ))
        .with(&["cutout"])
        .configs()
        .hit_group("g", [Some("cutout"), Some("shade_triangle"), None])
        .fails(
            "hit group g: its LOCAL_ROOT_SIGNATURE is pSubobjects[4] \
             (LOCAL_SERIALIZED_ROOT_SIGNATURE), but that of its shader shade_triangle is \
             pSubobjects[2] (LOCAL_SERIALIZED_ROOT_SIGNATURE)",
        );
}

/// Names need not be identifiers of HLSL (dxil-spirv's issue 142).
#[test]
fn exports_may_have_any_name() {
    let dashed = include_bytes!("shaders/dashed_names.dxil");
    let registers = |first, count, local| {
        root_signature(&[(dxil::DescriptorRangeType::UAV, first, count, 0)], local)
    };
    let all = |exports: &[&str]| {
        Description::new(RAYTRACING)
            .library_of(dashed, exports)
            .configs()
            .global(&registers(4, 2, false))
    };
    let split = |exports: &[&str], name: &str| {
        Description::new(RAYTRACING)
            .library_of(dashed, exports)
            .configs()
            .global(&registers(5, 1, false))
            .local(&registers(4, 1, true))
            .with(&[name])
    };
    let name = "14AB-0000-1";
    all(&[]).translate();
    split(&[name], name).translate();
    split(&["my-gen=14AB-0000-1"], "my-gen").translate();
    split(&["Größe☃.@x=Second"], "Größe☃.@x").translate();
    // By its mangled name, with its first byte or without.
    all(&["?14AB-0000-1@@YAXXZ"]).translate();
    all(&["\u{1}?14AB-0000-1@@YAXXZ"]).translate();
    all(&["14AB"]).fails(
        "pSubobjects[0] (DXIL_LIBRARY): the library exports no function and no subobject 14AB",
    );
    Description::new(RAYTRACING)
        .library_of(include_bytes!("shaders/name_with_a_prefix.dxil"), &["14AB"])
        .configs()
        .global(&registers(4, 2, false))
        .translate();
}

/// HLSL gives any hit, closest hit and intersection shader by their order (DirectX-Specs' issue 205).
#[test]
fn hit_groups_of_libraries_are_of_the_right_shaders() {
    let of = |library: &[u8]| Description::new(RAYTRACING).library_of(library, &[]);
    of(include_bytes!("shaders/hit_groups.dxil")).translate();
    of(include_bytes!("shaders/hit_groups_empty.dxil")).translate();
    of(include_bytes!("shaders/hit_groups_swapped.dxil")).fails(
        "tri of pSubobjects[0] (DXIL_LIBRARY): AnyHitShaderImport Solid is a closesthit shader",
    );
    of(include_bytes!("shaders/hit_groups_intersection_first.dxil")).fails(
        "box of pSubobjects[0] (DXIL_LIBRARY): AnyHitShaderImport BoxHit is a intersection shader",
    );
}

#[test]
fn names_are_there_once() {
    Description::new(RAYTRACING)
        .library("rt_pipeline_lib63", &["noise_a"])
        .library("rt_pipeline_lib63", &["noise_a=noise_b"])
        .configs()
        .fails("export noise_a is there twice; export one of them under another name");
    pipeline()
        .hit_group("noise_a", [None, None, None])
        .fails("export noise_a is there twice; export one of them under another name");
    Description::new(RAYTRACING)
        .library("functions_lib63", &[])
        .library("functions_lib63", &[])
        .fails("function ?falloff@@YAMMM@Z is there twice; export one of them under another name");
    // The same library twice is fine under other names.
    Description::new(RAYTRACING)
        .library("rt_pipeline_lib63", &["noise_a"])
        .library("rt_pipeline_lib63", &["noise_c=noise_a"])
        .configs()
        .translate();
}

#[test]
fn associations_lead_somewhere() {
    pipeline()
        .local(&local())
        .with(&["gone"])
        .fails("pSubobjects[9] (SUBOBJECT_TO_EXPORTS_ASSOCIATION): there is no export gone");
    pipeline().dxil_associate("gone", &["noise_a"]).fails(
        "pSubobjects[8] (DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION): no library declares a subobject gone",
    );
}

#[test]
fn the_sample_plugin_compiles_what_comes_out() {
    let host = Host::sample();
    let keys = |desc: Description| host.compile(&Arc::new(desc.translate()), None).keys;
    let all = keys(pipeline());
    // The library, two root signatures, two hit groups and the link of all.
    assert_eq!(all.len(), 6);
    assert_eq!(
        keys(pipeline()),
        all,
        "keys depend on the description alone"
    );
    assert_ne!(keys(pipeline().node_mask(0)).last(), all.last());
    assert_eq!(
        keys(Description::new(RAYTRACING).library("rt_subobjects_lib63", &[])).len(),
        7
    );
    for library in [
        "rt_subobjects_lib65",
        "rt_payload_lib67",
        "rt_pipeline_lib66",
    ] {
        let desc = Description::new(RAYTRACING).library(library, &[]);
        let own = library.starts_with("rt_subobjects");
        let wide = root_signature(
            &[
                (dxil::DescriptorRangeType::SRV, 0, 4, 2),
                (dxil::DescriptorRangeType::UAV, 0, 4, 2),
                (dxil::DescriptorRangeType::SRV, 0, 4, 0),
                (dxil::DescriptorRangeType::SRV, 0, 4, 1),
                (dxil::DescriptorRangeType::UAV, 0, 4, 0),
                (dxil::DescriptorRangeType::CBV, 0, 4, 0),
                (dxil::DescriptorRangeType::CBV, 0, 4, 1),
                (dxil::DescriptorRangeType::SAMPLER, 0, 4, 0),
            ],
            false,
        );
        let desc = if own {
            desc
        } else {
            desc.global(&wide).configs()
        };
        assert!(!keys(desc).is_empty());
    }
}
