//! Additions to state objects.

use std::sync::Arc;

use compiler_runtime::desc::state_object::StateObject;
use runtime_test_support::state_object::*;

use crate::plugins::{Host, associations};

fn noise(export: &str) -> Description {
    Description::new(RAYTRACING)
        .config(ADDITIONS)
        .library("rt_pipeline_lib63", &[export])
        .configs()
}

#[track_caller]
fn refused(parent: &Arc<StateObject>, addition: Description, text: &str) {
    assert_eq!(
        addition.translate_with(Some(parent), &[]).unwrap_err().text,
        text
    );
}

fn add(parent: &Arc<StateObject>, addition: Description) -> Arc<StateObject> {
    Arc::new(addition.translate_with(Some(parent), &[]).unwrap())
}

#[test]
fn additions_to_a_raytracing_pipeline() {
    let parent = Arc::new(noise("noise_a").translate());
    let addition = add(&parent, noise("noise_b"));
    // Branches are legal.
    add(&parent, noise("noise_c=noise_b"));
    let grandchild = add(&addition, noise("noise_c=noise_b"));
    drop(addition);
    let twice = "export noise_a: the state object that is added to has an export of this name";
    refused(&parent, noise("noise_a"), twice);
    refused(&grandchild, noise("noise_a"), twice);

    let host = Host::reader();
    let first = host.compile(&parent, None);
    let second = host.compile(&add(&parent, noise("noise_b")), Some(&first));
    assert_eq!(
        associations(&second.text()),
        ["noise_b: [Some(0), Some(2), Some(3)]"]
    );

    let host = Host::sample();
    let first = host.compile(&parent, None);
    let second = host.compile(&add(&parent, noise("noise_b")), Some(&first));
    assert!(second.keys.len() >= first.keys.len());
}

#[test]
fn both_sides_allow_it() {
    let parent = |desc: Description| Arc::new(desc.translate());
    let plain = |export| {
        Description::new(RAYTRACING)
            .library("rt_pipeline_lib63", &[export])
            .configs()
    };
    refused(
        &parent(plain("noise_a")),
        noise("noise_b"),
        "the state object that is added to lacks ALLOW_STATE_OBJECT_ADDITIONS",
    );
    refused(
        &parent(noise("noise_a")),
        plain("noise_b"),
        "the addition lacks ALLOW_STATE_OBJECT_ADDITIONS",
    );
    refused(
        &parent(noise("noise_a").kind(COLLECTION)),
        noise("noise_b"),
        "a collection cannot be added to",
    );
    refused(
        &parent(noise("noise_a")),
        Description::new(EXECUTABLE).config(ADDITIONS),
        "an addition of type 4 to a state object of type 3",
    );
}

#[test]
fn additions_stand_on_their_own_and_agree_with_the_rest() {
    let parent = Arc::new(noise("noise_a").translate());
    refused(
        &parent,
        Description::new(RAYTRACING)
            .config(ADDITIONS)
            .library("rt_pipeline_lib63", &["noise_b"]),
        "export noise_b: a callable shader needs a RAYTRACING_SHADER_CONFIG",
    );
    refused(
        &parent,
        Description::new(RAYTRACING)
            .config(ADDITIONS)
            .library("rt_pipeline_lib63", &["noise_b"])
            .shader_config(32, 32)
            .pipeline_config(3),
        "pSubobjects[3] (RAYTRACING_PIPELINE_CONFIG): the state object that is added to has another \
         RAYTRACING_PIPELINE_CONFIG",
    );
}

#[test]
fn a_node_mask_is_that_of_all_exports() {
    let plain = || Arc::new(noise("noise_a").translate());
    let masked = || Arc::new(noise("noise_a").node_mask(1).translate());
    add(&plain(), noise("noise_b"));
    add(&masked(), noise("noise_b").node_mask(1));
    refused(
        &masked(),
        noise("noise_b").node_mask(2),
        "pSubobjects[4] (NODE_MASK): the state object that is added to has another NODE_MASK",
    );
    refused(
        &masked(),
        noise("noise_b"),
        "all exports have the same NODE_MASK, but those of the state object that is added to have one \
         and those of the addition have none",
    );
    refused(
        &plain(),
        noise("noise_b").node_mask(1),
        "all exports have the same NODE_MASK, but those of the addition have one and those of the state \
         object that is added to have none",
    );
    // An addition of no exports has none to associate.
    add(&masked(), Description::new(RAYTRACING).config(ADDITIONS));
}

#[test]
fn functions_and_subobjects_may_come_again() {
    let with = |export| noise(export).library("functions_lib63", &[]);
    let parent = Arc::new(with("noise_a").translate());
    add(&parent, with("noise_b"));
}

#[test]
fn additions_to_an_executable_form_a_line() {
    let executable = || Description::new(EXECUTABLE).config(ADDITIONS);
    let parent = Arc::new(
        executable()
            .library("stages_lib68", &["lib_cs"])
            .global(&global())
            .translate(),
    );
    let addition = add(&parent, executable());
    refused(
        &parent,
        executable(),
        "the state object has been added to already; additions to a state object of type EXECUTABLE \
         are made to the latest one",
    );
    add(&addition, executable());
    drop(addition);
    // What is gone was not the latest.
    let again = add(&parent, executable());
    // And a refused addition was none.
    drop(again);
    refused(
        &parent,
        executable()
            .library("stages_lib68", &["lib_cs"])
            .global(&global()),
        "export lib_cs: the state object that is added to has an export of this name",
    );
    add(&parent, executable());
}

#[test]
fn a_long_line_of_additions_ends_without_recursion() {
    let executable = || Description::new(EXECUTABLE).config(ADDITIONS);
    let first = Arc::new(executable().translate());
    let last = (0..2_000).fold(first.clone(), |parent, _| add(&parent, executable()));
    // There is no room for a call for each of them.
    let thread = std::thread::Builder::new().stack_size(64 << 10);
    thread.spawn(|| drop(last)).unwrap().join().unwrap();
    // All of it is gone, so there can be another line.
    add(&first, executable());
}
