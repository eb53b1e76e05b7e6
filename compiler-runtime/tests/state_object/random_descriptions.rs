//! Whatever a description says: it is translated or refused, and what was translated can be read and
//! does not depend on the application's memory.

use std::sync::Arc;

#[allow(
    clippy::wildcard_imports,
    reason = "the names are C's, with their prefix"
)]
use api_sys::*;
use proptest::prelude::*;
use runtime_test_support::state_object::*;

use crate::plugins::Host;

/// One subobject of a description.
#[derive(Clone, Debug)]
enum Random {
    Config(u32),
    NodeMask(u32),
    ShaderConfig(u32, u32),
    PipelineConfig(u32, u32),
    Global(bool),
    Local(bool),
    Library(&'static str, Vec<&'static str>),
    HitGroup(&'static str, [Option<&'static str>; 3]),
    Associate(usize, Vec<&'static str>),
    DxilAssociate(&'static str, Vec<&'static str>),
    WorkGraph(&'static str, Vec<&'static str>, bool),
    Program(Option<&'static str>, Vec<&'static str>, Vec<usize>),
    Topology(i32),
    Blend,
    Unknown(i32),
}

const NAMES: [&str; 16] = [
    "gen",
    "miss",
    "closest",
    "any",
    "tri_group",
    "box_group",
    "local_rs",
    "shader_config",
    "g",
    "vs",
    "split",
    "clear_bins",
    "gather",
    "noise_a",
    "sky_miss",
    "gone",
];

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

fn names() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(name(), 0..3)
}

fn random() -> impl Strategy<Value = Random> {
    let libraries = prop::sample::select(vec![
        "rt_subobjects_lib63",
        "rt_pipeline_lib63",
        "wg_nodes_lib68",
        "wg_arrays_lib68",
        "functions_lib63",
        "stages_lib68",
        "fullscreen_vs",
        "fullscreen_ps",
    ]);
    let exports = prop_oneof![3 => Just(Vec::new()), 1 => names(), 1 => Just(vec!["vs=*"])];
    prop_oneof![
        1 => (0..16_u32).prop_map(Random::Config),
        1 => (0..3_u32).prop_map(Random::NodeMask),
        1 => (0..40_u32, 0..40_u32).prop_map(|(a, b)| Random::ShaderConfig(a, b)),
        1 => (0..40_u32, prop::sample::select(vec![0, 0x100, 0x300, 0x1000]))
            .prop_map(|(a, b)| Random::PipelineConfig(a, b)),
        1 => any::<bool>().prop_map(Random::Global),
        1 => any::<bool>().prop_map(Random::Local),
        3 => (libraries, exports).prop_map(|(l, e)| Random::Library(l, e)),
        1 => (name(), [prop::option::of(name()), prop::option::of(name()), prop::option::of(name())])
            .prop_map(|(n, s)| Random::HitGroup(n, s)),
        1 => (0..10_usize, names()).prop_map(|(i, n)| Random::Associate(i, n)),
        1 => (name(), names()).prop_map(|(s, n)| Random::DxilAssociate(s, n)),
        1 => (name(), names(), any::<bool>()).prop_map(|(n, e, a)| Random::WorkGraph(n, e, a)),
        1 => (prop::option::of(name()), names(), prop::collection::vec(0..10_usize, 0..3))
            .prop_map(|(n, e, s)| Random::Program(n, e, s)),
        1 => (-1..7_i32).prop_map(Random::Topology),
        1 => Just(Random::Blend),
        1 => (-3..50_i32).prop_map(Random::Unknown),
    ]
}

fn describe(kind: i32, subobjects: &[Random]) -> Description {
    let mut desc = Description::new(kind);
    for subobject in subobjects {
        desc = match subobject.clone() {
            Random::Config(flags) => desc.config(flags),
            Random::NodeMask(mask) => desc.node_mask(mask),
            Random::ShaderConfig(payload, attributes) => desc.shader_config(payload, attributes),
            Random::PipelineConfig(depth, flags) => desc.pipeline_config1(depth, flags),
            Random::Global(right) => desc.global(&if right { global() } else { local() }),
            Random::Local(right) => desc.local(&if right { local() } else { global() }),
            Random::Library(library, exports) => desc.library(library, &exports),
            Random::HitGroup(name, shaders) => desc.hit_group(name, shaders),
            Random::Associate(index, exports) => desc.associate(index, &exports),
            Random::DxilAssociate(name, exports) => desc.dxil_associate(name, &exports),
            Random::WorkGraph(name, entry_points, all) => desc.work_graph(name, &entry_points, all),
            Random::Program(name, exports, subobjects) => desc.program(name, &exports, &subobjects),
            Random::Topology(topology) => {
                desc.put(D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, topology)
            }
            Random::Blend => desc.put(
                D3D12_STATE_SUBOBJECT_TYPE_BLEND,
                D3D12_BLEND_DESC::default(),
            ),
            Random::Unknown(kind) => desc.raw(kind, std::ptr::null()),
        };
    }
    desc
}

/// A library whose runtime data has other numbers in some places.
fn changed(library: &str, changes: &[(usize, u32)]) -> Vec<u8> {
    with_runtime_data(library, |data| {
        for &(place, value) in changes {
            let at = place % (data.len() / 4) * 4;
            data[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
    })
}

fn numbers() -> impl Strategy<Value = u32> {
    prop_oneof![
        0..24_u32,
        any::<u32>(),
        Just(u32::MAX),
        (0..32_u32).prop_map(|bit| 1 << bit)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn translated_or_refused(
        kind in prop::sample::select(vec![COLLECTION, RAYTRACING, EXECUTABLE]),
        flags in prop::option::of(0..8_u32),
        subobjects in prop::collection::vec(random(), 0..6),
    ) {
        let all = || {
            let config = flags.map(Random::Config);
            config.into_iter().chain(subobjects.clone()).collect::<Vec<_>>()
        };
        let first = describe(kind, &all()).translate_with(None, &[]);
        let second = describe(kind, &all()).translate_with(None, &[]);
        match (first, second) {
            (Ok(first), Ok(second)) => {
                let host = Host::reader();
                let first = host.compile(&Arc::new(first), None);
                let second = host.compile(&Arc::new(second), None);
                prop_assert_eq!(first.text(), second.text());
            }
            (Err(first), Err(second)) => prop_assert_eq!(first, second),
            _ => prop_assert!(false, "translated once, refused once"),
        }
    }

    #[test]
    fn whatever_runtime_data_says(
        library in prop::sample::select(vec!["wg_nodes_lib68", "wg_arrays_lib68"]),
        changes in prop::collection::vec((any::<usize>(), numbers()), 0..4),
        all in any::<bool>(),
    ) {
        let desc = Description::new(EXECUTABLE)
            .config(ADDITIONS)
            .library_of(&changed(library, &changes), &[])
            .global(&root_signature(&[
                (dxil::DescriptorRangeType::UAV, 0, 8, 0),
                (dxil::DescriptorRangeType::SRV, 0, 8, 0),
                (dxil::DescriptorRangeType::CBV, 0, 8, 0),
            ], false))
            .work_graph("graph", if all { &[] } else { &["bounce"] }, all);
        if let Ok(object) = desc.translate_with(None, &[]) {
            Host::reader().compile(&Arc::new(object), None);
        }
    }

    #[test]
    fn whatever_runtime_data_says_of_rays(
        library in prop::sample::select(vec!["rt_subobjects_lib63", "rt_subobjects_lib65"]),
        changes in prop::collection::vec((any::<usize>(), numbers()), 0..4),
        kind in prop::sample::select(vec![COLLECTION, RAYTRACING]),
    ) {
        let desc = Description::new(kind).library_of(&changed(library, &changes), &[]);
        if let Ok(object) = desc.translate_with(None, &[]) {
            Host::reader().compile(&Arc::new(object), None);
        }
    }
}
