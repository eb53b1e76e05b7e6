//! Descriptions that no application should write.

use std::ptr;

use api_desc::{Association, GenericProgram, StateObjectDesc, Subobject};
#[allow(
    clippy::wildcard_imports,
    reason = "the names are C's, with their prefix"
)]
use api_sys::*;
use compiler_runtime::desc::state_object::{StateObject, read};
use compiler_runtime::message::Messages;
use runtime_test_support::state_object::*;
use windows_core::PCWSTR;

fn translate(desc: *const D3D12_STATE_OBJECT_DESC) -> String {
    let mut messages = Messages::default();
    // SAFETY: what is not readable is null, not aligned, or refused before.
    let desc = match unsafe { read(desc, |_| None) } {
        Ok(desc) => desc,
        Err(invalid) => return invalid.text,
    };
    // SAFETY: there is no plugin.
    let result = unsafe { StateObject::new(&desc, None, None, &mut messages) };
    result.unwrap_err().text
}

#[test]
fn the_description_itself() {
    assert_eq!(
        translate(ptr::null()),
        "the state object description is null"
    );
    let of = |kind, count, array| {
        let desc = D3D12_STATE_OBJECT_DESC {
            Type: kind,
            NumSubobjects: count,
            pSubobjects: array,
        };
        translate(&raw const desc)
    };
    assert_eq!(of(RAYTRACING, 1, ptr::null()), "pSubobjects is null");
    assert_eq!(
        of(RAYTRACING, u32::MAX, ptr::dangling()),
        "pSubobjects has 4294967295 elements, 1048576 is the limit"
    );
    assert_eq!(
        of(RAYTRACING, 1, ptr::without_provenance(9)),
        format!(
            "pSubobjects is not aligned to {} bytes",
            align_of::<D3D12_STATE_SUBOBJECT>()
        )
    );
    assert_eq!(
        of(1, 0, ptr::null()),
        "Type 1 is no type of state object: they are COLLECTION (0), RAYTRACING_PIPELINE (3) and \
         EXECUTABLE (4)"
    );
    Description::new(EXECUTABLE).translate();
    Description::new(COLLECTION).translate();
    Description::new(RAYTRACING).translate();
}

#[test]
fn forms_that_a_compiler_does_not_take() {
    for (kind, text) in [
        (
            1,
            "GLOBAL_ROOT_SIGNATURE): use the SERIALIZED form: a compiler has no ID3D12RootSignature",
        ),
        (
            2,
            "LOCAL_ROOT_SIGNATURE): use the SERIALIZED form: a compiler has no ID3D12RootSignature",
        ),
        (
            6,
            "EXISTING_COLLECTION): use COMPILER_EXISTING_COLLECTION (33) and an \
             ID3D12CompilerStateObject: a compiler has no ID3D12StateObject",
        ),
        (
            36,
            "EXISTING_COLLECTION_BY_KEY): only databases know keys; use COMPILER_EXISTING_COLLECTION \
             (33) and the collection",
        ),
        (
            35,
            "API_EXTENSION): the type is of a preview, which is not supported",
        ),
        (
            37,
            "PARTIAL_GRAPHICS_PROGRAM): the type is of a preview, which is not supported",
        ),
        (
            42,
            "MLIR_PROGRAM): the type is of a preview, which is not supported",
        ),
        (4, "type 4): the type is unknown"),
        (25, "type 25): the type is unknown"),
        (34, "type 34): the type is unknown"),
        (-1, "type -1): the type is unknown"),
        (0x10_0000, "type 1048576): the type is unknown"),
    ] {
        Description::new(RAYTRACING)
            .raw(kind, ptr::null())
            .fails(&format!("pSubobjects[0] ({text}"));
    }
}

#[test]
fn payloads_that_are_null_or_not_aligned() {
    for (kind, name) in [
        (0, "STATE_OBJECT_CONFIG"),
        (3, "NODE_MASK"),
        (5, "DXIL_LIBRARY"),
        (7, "SUBOBJECT_TO_EXPORTS_ASSOCIATION"),
        (8, "DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION"),
        (9, "RAYTRACING_SHADER_CONFIG"),
        (10, "RAYTRACING_PIPELINE_CONFIG"),
        (11, "HIT_GROUP"),
        (12, "RAYTRACING_PIPELINE_CONFIG1"),
        (13, "WORK_GRAPH"),
        (14, "STREAM_OUTPUT"),
        (15, "BLEND"),
        (16, "SAMPLE_MASK"),
        (17, "RASTERIZER"),
        (18, "DEPTH_STENCIL"),
        (19, "INPUT_LAYOUT"),
        (20, "IB_STRIP_CUT_VALUE"),
        (21, "PRIMITIVE_TOPOLOGY"),
        (22, "RENDER_TARGET_FORMATS"),
        (23, "DEPTH_STENCIL_FORMAT"),
        (24, "SAMPLE_DESC"),
        (26, "FLAGS"),
        (27, "DEPTH_STENCIL1"),
        (28, "VIEW_INSTANCING"),
        (29, "GENERIC_PROGRAM"),
        (30, "DEPTH_STENCIL2"),
        (31, "GLOBAL_SERIALIZED_ROOT_SIGNATURE"),
        (32, "LOCAL_SERIALIZED_ROOT_SIGNATURE"),
        (33, "COMPILER_EXISTING_COLLECTION"),
    ] {
        Description::new(EXECUTABLE)
            .raw(kind, ptr::null())
            .fails(&format!("pSubobjects[0] ({name}): pDesc is null"));
        let invalid = Description::new(EXECUTABLE)
            .raw(kind, ptr::without_provenance(0x1001))
            .translate_with(None, &[])
            .unwrap_err();
        let text = format!("pSubobjects[0] ({name}): pDesc is not aligned to ");
        assert!(invalid.text.starts_with(&text), "{invalid}");
    }
}

#[test]
fn members_that_are_wrong() {
    let one = |desc: Description, text: &str| desc.fails(&format!("pSubobjects[0] ({text}"));
    let new = || Description::new(RAYTRACING);
    one(
        new().config(0x48),
        "STATE_OBJECT_CONFIG): Flags has the unknown bits 0x48",
    );
    one(
        new().pipeline_config(32),
        "RAYTRACING_PIPELINE_CONFIG): MaxTraceRecursionDepth is 32, 31 is the limit",
    );
    one(
        new().pipeline_config1(1, 0x800),
        "RAYTRACING_PIPELINE_CONFIG1): Flags has the unknown bits 0x800",
    );
    one(
        new().pipeline_config1(1, 0x300),
        "RAYTRACING_PIPELINE_CONFIG1): Flags skip triangles as well as procedural primitives",
    );
    one(
        new().library_of(&[], &[]),
        "DXIL_LIBRARY): DXILLibrary is empty",
    );
    one(
        new().hit_group("", [None, None, None]),
        "HIT_GROUP): HitGroupExport is empty",
    );
    one(
        new().global(&[]),
        "GLOBAL_SERIALIZED_ROOT_SIGNATURE): pSerializedBlob is empty",
    );
    one(
        new().global(&local()),
        "GLOBAL_SERIALIZED_ROOT_SIGNATURE): a local root signature in the place of a global one",
    );
    one(
        new().local(&global()),
        "LOCAL_SERIALIZED_ROOT_SIGNATURE): a global root signature in the place of a local one",
    );
    one(
        new().collection(0, &[]),
        "COMPILER_EXISTING_COLLECTION): pExistingCollection is null",
    );
    one(
        new().library("rt_pipeline_lib63", &["a="]),
        "DXIL_LIBRARY): pExports[0]: a name is empty",
    );
    one(
        new().library("rt_pipeline_lib63", &["gone"]),
        "DXIL_LIBRARY): the library exports no function and no subobject gone",
    );
    one(
        new().kind(EXECUTABLE).work_graph("", &[], true),
        "WORK_GRAPH): ProgramName is empty",
    );
    one(
        new().kind(EXECUTABLE).program(Some(""), &[], &[]),
        "GENERIC_PROGRAM): ProgramName is empty",
    );
    one(
        new().kind(EXECUTABLE).hit_group("g", [None, None, None]),
        "HIT_GROUP): ray tracing has its own type of state object, RAYTRACING_PIPELINE; an EXECUTABLE \
         has no hit groups",
    );
    let hit_group = |kind, intersection| {
        let mut desc = new();
        let group = D3D12_HIT_GROUP_DESC {
            HitGroupExport: desc.string("g"),
            Type: kind,
            IntersectionShaderImport: desc.optional_string(intersection),
            ..D3D12_HIT_GROUP_DESC::default()
        };
        desc.put(D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, group)
    };
    one(hit_group(2, None), "HIT_GROUP): Type 2 is unknown");
    one(
        hit_group(0, Some("i")),
        "HIT_GROUP): hit group g is of triangles, which have no intersection shader such as i",
    );
    one(
        hit_group(1, Some("")),
        "HIT_GROUP): hit group g is of procedural primitives, which need an intersection shader",
    );
}

#[test]
fn strings_that_are_none() {
    let associate = |name: PCWSTR| {
        let mut desc = Description::new(RAYTRACING);
        let names = desc.arena().put(name);
        let text = desc.string("subobject");
        desc.put(
            D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
            D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                SubobjectToAssociate: text,
                NumExports: 1,
                pExports: names,
            },
        )
    };
    let place = "pSubobjects[0] (DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION): ";
    associate(PCWSTR::null()).fails(&format!("{place}pExports[0] is null"));
    associate(PCWSTR(ptr::without_provenance(3)))
        .fails(&format!("{place}pExports[0] is not aligned to 2 bytes"));
    let endless = vec![u16::from(b'x'); 1 << 16];
    associate(PCWSTR(endless.as_ptr())).fails(&format!(
        "{place}pExports[0] has no NUL within 65536 characters"
    ));
    let alone = [0xd800_u16, 0];
    associate(PCWSTR(alone.as_ptr())).fails(&format!(
        "{place}pExports[0] is no UTF-16: a surrogate stands alone"
    ));
}

#[test]
fn associations_of_what_is_no_subobject_of_the_description() {
    let text = "pSubobjects[1] (SUBOBJECT_TO_EXPORTS_ASSOCIATION): ";
    let associate = |pointer: *const D3D12_STATE_SUBOBJECT| {
        Description::new(RAYTRACING).local(&local()).put(
            D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
            D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                pSubobjectToAssociate: pointer,
                ..D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION::default()
            },
        )
    };
    let none = format!("{text}pSubobjectToAssociate is no element of pSubobjects");
    associate(ptr::null()).fails(&none);
    associate(ptr::without_provenance(8)).fails(&none);
    // A copy of the subobject is not the subobject; nor is what lies behind the array or inside.
    let mut desc = Description::new(RAYTRACING);
    let copy = desc.arena().put(D3D12_STATE_SUBOBJECT::default());
    let _ = desc;
    associate(copy).fails(&none);
    Description::new(RAYTRACING)
        .local(&local())
        .associate(2, &[])
        .fails(&none);
    let desc = Description::new(RAYTRACING).local(&local());
    let inside = desc.at(0).wrapping_byte_add(1);
    let association = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
        pSubobjectToAssociate: inside,
        ..D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION::default()
    };
    desc.put(
        D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
        association,
    )
    .fails(&none);
    // Not everything can be associated.
    Description::new(RAYTRACING)
        .hit_group("g", [None, None, None])
        .associate(0, &[])
        .fails(&format!(
            "{text}pSubobjects[0] (HIT_GROUP) cannot be associated with exports"
        ));
}

/// No reader makes these: a caller in Rust can.
#[test]
fn places_that_are_not_in_the_description() {
    let refused = |subobject| {
        let desc = StateObjectDesc {
            kind: EXECUTABLE,
            subobjects: vec![subobject, Subobject::NodeMask(1)],
        };
        let mut messages = Messages::default();
        // SAFETY: there is no plugin.
        let result = unsafe { StateObject::new(&desc, None, None, &mut messages) };
        result.unwrap_err().text
    };
    for place in [0, 2, usize::MAX] {
        let association = Association {
            subobject: place,
            exports: Vec::new(),
        };
        assert_eq!(
            refused(Subobject::Association(association)),
            "pSubobjects[0] (SUBOBJECT_TO_EXPORTS_ASSOCIATION): it is of no subobject that can be \
             associated with exports"
        );
    }
    for place in [0, 1, 2, usize::MAX] {
        let program = GenericProgram {
            name: None,
            exports: Vec::new(),
            state: vec![place],
        };
        assert_eq!(
            refused(Subobject::GenericProgram(program)),
            "pSubobjects[0] (GENERIC_PROGRAM): it lists what generic programs do not"
        );
    }
}

#[test]
fn libraries_that_are_none() {
    let folder = runtime_test_support::corpus::folder().join("malformed");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "dxil") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        if !bytes.is_empty() {
            // Some are sound shaders, with a fault where a state object does not look.
            drop(
                Description::new(RAYTRACING)
                    .library_of(&bytes, &[])
                    .translate_with(None, &[]),
            );
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
    for (bytes, text) in [
        (
            corpus("rt_pipeline_lib63_linux"),
            "the container is not signed",
        ),
        (b"DXBC".to_vec(), "no DXIL container"),
    ] {
        let desc = Description::new(RAYTRACING).library_of(&bytes, &[]);
        let invalid = desc.translate_with(None, &[]).unwrap_err();
        assert!(invalid.text.contains(text), "{invalid}");
    }
}
