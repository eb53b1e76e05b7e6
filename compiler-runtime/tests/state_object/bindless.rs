//! Arrays against root signatures in state objects: unbounded arrays over ranges of fixed size, arrays in root constants, and
//! resources without registers.

use api_sys::*;
use dxil::RootSignatureFlags;
use runtime_test_support::bindless::{cases, constants};
use runtime_test_support::corpus::{compiled, serialized};
use runtime_test_support::state_object::*;

#[test]
fn only_the_first_register_has_to_be_defined() {
    let library = |kind, name: &str| {
        let library = compiled(&format!("bindless_{name}"));
        Description::new(kind).library_of(library.bytes(), &[])
    };
    let program = |name: &str, at: &str| {
        library(EXECUTABLE, name)
            .put(
                D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
                D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
            )
            .program(Some("program"), &[at], &[1])
    };
    let objects: [(&str, &dyn Fn() -> Description); 5] = [
        ("pipeline", &|| library(RAYTRACING, "lib").configs()),
        ("collection", &|| library(COLLECTION, "lib").configs()),
        ("work graph", &|| {
            library(EXECUTABLE, "node_lib").work_graph("graph", &[], true)
        }),
        ("vertex program", &|| program("vs", "vs")),
        ("mesh program", &|| program("ms", "ms")),
    ];
    let local = RootSignatureFlags::LOCAL_ROOT_SIGNATURE;
    for (flags, add) in [
        (
            RootSignatureFlags::NONE,
            Description::global as fn(_, &[u8]) -> _,
        ),
        (local, Description::local),
    ] {
        for case in cases(flags) {
            let root_signature = serialized(&case.root_signature);
            for (name, object) in objects {
                let object = add(object(), root_signature.bytes());
                let error = object.translate_with(None, &[]).err();
                let error = error.map(|error| error.text);
                case.check(&format!("{name} {flags:?}"), error.as_deref());
            }
        }
    }
}

#[test]
fn root_constants_hold_no_array() {
    let local = RootSignatureFlags::LOCAL_ROOT_SIGNATURE;
    for (library, has_array) in [("constants_lib", true), ("constants_matrix_lib", false)] {
        for (flags, add) in [
            (
                RootSignatureFlags::NONE,
                Description::global as fn(_, &[u8]) -> _,
            ),
            (local, Description::local),
        ] {
            for (how, root_signature) in constants(flags) {
                let library = compiled(library);
                let object = Description::new(RAYTRACING)
                    .library_of(library.bytes(), &[])
                    .configs();
                let object = add(object, serialized(&root_signature).bytes());
                let error = object.translate_with(None, &[]).err();
                assert_eq!(
                    error.map(|error| error.text),
                    (has_array && how == "root constants").then(|| {
                        "export gen: it binds constants at b1 in space 0, which contains an array and is in \
                         root constants, where nothing can be indexed: use a root CBV or a descriptor table, \
                         or members without arrays"
                            .to_owned()
                    })
                );
            }
        }
    }
}

#[test]
fn the_author_of_a_library_gives_its_resources_registers() {
    let library = compiled("unassigned_lib");
    let object = Description::new(RAYTRACING).library_of(library.bytes(), &[]);
    object.configs().fails(
        "export gen: it binds Camera, which has no register: the author of the library has to give it one, by \
         register() in HLSL or by the option -auto-binding-space of DXC",
    );
}
