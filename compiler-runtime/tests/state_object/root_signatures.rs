//! Serialized root signatures in state objects.

use dxil::DescriptorRangeType as Kind;
use dxil::{ContainerBuilder, FourCc};
use runtime_test_support::corpus::{Blob, compiled, damaged};
use runtime_test_support::state_object::*;

/// A library with u4, and a root signature for it.
fn object(add: Add, blob: &Blob) -> Description {
    let library = compiled("roots_none_lib");
    let object = Description::new(RAYTRACING)
        .library_of(library.bytes(), &[])
        .configs();
    add(object, blob.bytes())
}

type Add = fn(Description, &[u8]) -> Description;

const PLACES: [(&str, Add, bool); 2] = [
    ("global", Description::global, false),
    ("local", Description::local, true),
];

#[test]
fn the_hash_of_the_container_is_right() {
    for (place, add, is_local) in PLACES {
        let payload = root_signature(&[(Kind::UAV, 4, 1, 0)], is_local);
        let mut container = ContainerBuilder::new();
        container.set(FourCc::RTS0, payload);
        let container = Blob::new(&container.build().unwrap());
        let library = compiled(&format!("roots_{place}_lib"));
        for container in [container, library] {
            for (name, blob, refused) in damaged(&container) {
                let error = object(add, &blob).translate_with(None, &[]).err();
                let error = error.map(|error| error.text);
                match (refused, &error) {
                    (None, None) => {}
                    (Some(text), Some(error)) => assert!(error.contains(text), "{place}: {error}"),
                    _ => panic!("{place}, {name}: {error:?}"),
                }
            }
        }
    }
}

#[test]
fn a_library_that_declares_one_of_its_scope() {
    for (place, add, _) in PLACES {
        for (library, refused) in [
            ("both".to_owned(), None),
            (place.to_owned(), None),
            (
                format!("{place}s"),
                Some(format!("the library declares 2 {place} root signatures")),
            ),
            (
                "none".to_owned(),
                Some(format!("the library declares no {place} root signature")),
            ),
        ] {
            let blob = compiled(&format!("roots_{library}_lib"));
            let error = object(add, &blob).translate_with(None, &[]).err();
            let error = error.map(|error| error.text);
            match (&refused, &error) {
                (None, None) => {}
                (Some(text), Some(error)) => assert!(error.contains(text), "{error}"),
                _ => panic!("{library} as {place}: {error:?}"),
            }
        }
    }
}
