//! `StoreStateObjectDesc` and `FindStateObjectDesc`.

use std::ptr;

use api_sys::*;
use runtime_test_support::api::text;
use runtime_test_support::state_object::*;
use shader_db::sodb::StateObjectDesc;

use crate::database::*;

/// A raytracing pipeline of the API's subobjects, with both kinds of root signature and hit groups.
pub fn raytracing() -> Description {
    Description::new(RAYTRACING)
        .library("rt_pipeline_lib63", &[])
        .global(&global())
        .local(&local())
        .with(&["triangles"])
        .configs()
        .hit_group("triangles", [Some("cutout"), Some("shade_triangle"), None])
        .hit_group("spheres", [None, Some("shade_sphere"), Some("hit_sphere")])
}

/// What can be added to, and be an addition.
pub fn noise(export: &str) -> Description {
    Description::new(RAYTRACING)
        .config(ADDITIONS)
        .library("rt_pipeline_lib63", &[export])
        .configs()
}

fn formats(format: DXGI_FORMAT) -> D3D12_RT_FORMAT_ARRAY {
    let mut formats = D3D12_RT_FORMAT_ARRAY {
        NumRenderTargets: 1,
        ..Default::default()
    };
    formats.RTFormats[0] = format;
    formats
}

/// A generic program `p` of what is added to shaders `vs` and `ps`, the first two subobjects.
pub fn program_of(shaders: Description) -> Description {
    shaders
        .put(
            D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
            D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        )
        .put(
            D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
            formats(DXGI_FORMAT_R8G8B8A8_UNORM),
        )
        .put(
            D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
            D3D12_DEPTH_STENCIL_DESC::default(),
        )
        .program(Some("p"), &["vs", "ps"], &[2, 3, 4])
}

/// A collection of one shader.
pub fn collection(library: &str, export: &str) -> Description {
    Description::new(COLLECTION).library(library, &[export])
}

fn copied(desc: &Description) -> StateObjectDesc {
    // SAFETY: the description is readable, with all that it points at.
    unsafe { StateObjectDesc::from_raw(&desc.desc()) }.unwrap()
}

#[test]
fn a_raytracing_pipeline_and_additions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open(&path);
    let all: [(&[u8], Description, &[u8]); 5] = [
        (b"whole", raytracing(), b""),
        (b"root", noise("noise_a"), b""),
        (b"child", noise("noise_b"), b"root"),
        // Branches are legal, and so are lines.
        (b"other child", noise("noise_c=noise_b"), b"root"),
        (b"grandchild", noise("noise_c=noise_b"), b"child"),
    ];
    for (key, desc, parent) in &all {
        assert_eq!(store_object(&database, key, 3, desc, parent), S_OK);
        // Again.
        assert_eq!(store_object(&database, key, 3, desc, parent), S_OK);
    }
    // The same without its parent is another object.
    let alone = store_object(&database, b"child", 3, &noise("noise_b"), b"");
    assert_eq!(alone, DXGI_ERROR_ALREADY_EXISTS);
    drop(database);
    let database = open_to_read(&path);
    for (key, desc, parent) in &all {
        assert_eq!(version(&database, key), Ok(3));
        assert_eq!(
            object(&database, key),
            Ok((3, copied(desc), parent.to_vec()))
        );
        assert_eq!(pipeline(&database, key).err(), Some(DXGI_ERROR_NOT_FOUND));
    }
}

#[test]
fn associations_point_into_the_found_description() {
    let (_folder, database) = temporary();
    assert_eq!(store_object(&database, b"k", 1, &raytracing(), b""), S_OK);
    let mut found = Vec::new();
    let result = find_object(&database, b"k", |_, _, desc, _| {
        let all = subobjects(desc);
        for subobject in all {
            let mut of = None;
            if subobject.Type == D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                // SAFETY: the type says what it is; the name is the API's string.
                of = unsafe {
                    let association = &*subobject
                        .pDesc
                        .cast::<D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION>();
                    let target = association.pSubobjectToAssociate;
                    let index = all.iter().position(|other| ptr::eq(other, target));
                    let names = (0..association.NumExports as usize)
                        .map(|at| text(*association.pExports.add(at)));
                    index.map(|index| (all[index].Type, names.collect::<Vec<_>>()))
                };
            }
            found.push((subobject.Type, of));
        }
    });
    assert_eq!(result, S_OK);
    let types: Vec<_> = found.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        types,
        [
            D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
            D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
            D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
            D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP,
            D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP,
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
            D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
        ]
    );
    assert_eq!(
        found[7].1,
        Some((
            D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
            vec!["triangles".to_owned()]
        ))
    );
}

/// A program over two collections; the second is taken whole.
fn program_over_collections() -> Description {
    let shaders = with_key(Description::new(EXECUTABLE), b"vertex", &["vs"]);
    program_of(with_key(shaders, b"pixel", &[]))
}

#[test]
fn generic_programs_over_collections_by_key() {
    let (_folder, database) = temporary();
    let program = program_over_collections();
    // Collections come first.
    let store = |key, desc: &Description| store_object(&database, key, 1, desc, b"");
    assert_eq!(store(b"program", &program), DXGI_ERROR_NOT_FOUND);
    assert_eq!(store(b"vertex", &collection("fullscreen_vs", "vs=*")), S_OK);
    assert_eq!(store(b"program", &program), DXGI_ERROR_NOT_FOUND);
    assert_eq!(store(b"pixel", &collection("fullscreen_ps", "ps=*")), S_OK);
    assert_eq!(version(&database, b"program"), Err(DXGI_ERROR_NOT_FOUND));
    assert_eq!(store(b"program", &program), S_OK);

    let (_, desc, parent) = object(&database, b"program").unwrap();
    assert_eq!((&desc, &parent[..]), (&copied(&program), &b""[..]));
    let keys: Vec<_> = desc
        .collections
        .iter()
        .map(|it| &it.collection[..])
        .collect();
    assert_eq!(keys, [b"vertex", &b"pixel"[..]]);

    // The program lists subobjects of the description that is found.
    let mut listed = Vec::new();
    let result = find_object(&database, b"program", |_, _, desc, _| {
        let all = subobjects(desc);
        let programs = all
            .iter()
            .filter(|it| it.Type == D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM);
        for program in programs {
            // SAFETY: the type says what it is.
            unsafe {
                let program = &*program.pDesc.cast::<D3D12_GENERIC_PROGRAM_DESC>();
                for at in 0..program.NumSubobjects as usize {
                    let target = *program.ppSubobjects.add(at);
                    let target = all.iter().find(|other| ptr::eq(*other, target));
                    listed.push(target.map(|target| target.Type));
                }
            }
        }
    });
    assert_eq!(result, S_OK);
    listed.sort_unstable();
    assert_eq!(
        listed,
        [
            D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
            D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
            D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2,
        ]
        .map(Some)
    );
}

#[test]
fn parents_and_collections_are_state_objects_of_the_database() {
    let (_folder, database) = temporary();
    let mut stream = crate::pipelines::embedded();
    assert_eq!(
        store_pipeline(&database, b"pipeline", 1, &stream.desc()),
        S_OK
    );
    for key in [b"pipeline", &b"nothing"[..]] {
        let child = store_object(&database, b"k", 1, &noise("noise_a"), key);
        assert_eq!(child, DXGI_ERROR_NOT_FOUND);
        let over = with_key(Description::new(RAYTRACING), key, &[]);
        let over = store_object(&database, b"k", 1, &over, b"");
        assert_eq!(over, DXGI_ERROR_NOT_FOUND);
    }
    let own = store_object(&database, b"k", 1, &noise("noise_a"), b"k");
    assert_eq!(own, E_INVALIDARG);
    assert_eq!(version(&database, b"k"), Err(DXGI_ERROR_NOT_FOUND));
}

#[test]
fn what_is_refused_stores_nothing() {
    let (_folder, database) = temporary();
    let object = ptr::dangling::<u64>();
    for desc in [
        // Objects of the API.
        noise("noise_a").put(D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, object),
        noise("noise_a").put(D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, object),
        noise("noise_a").raw(
            D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
            object.cast(),
        ),
        noise("noise_a").collection(0x1000, &[]),
        // No types.
        noise("noise_a").put(4, 0_u64),
        noise("noise_a").put(1000, 0_u64),
        noise("noise_a").raw(D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, ptr::null()),
        // An association with a subobject of no description.
        noise("noise_a").put(
            D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
            D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                pSubobjectToAssociate: object.cast(),
                ..Default::default()
            },
        ),
        with_key(noise("noise_a"), b"", &[]),
    ] {
        assert_eq!(store_object(&database, b"k", 1, &desc, b""), E_INVALIDARG);
    }
    let good = noise("noise_a");
    let (good, none, key) = (good.desc(), ptr::null(), b"k".as_ptr().cast());
    for (key, size, desc, parent, parent_size) in [
        (none, 1, &raw const good, none, 0),
        (none, 0, &raw const good, none, 0),
        (key, 0, &raw const good, none, 0),
        (key, 1, ptr::null(), none, 0),
        (key, 1, &raw const good, none, 1),
        (key, 1, &raw const good, key, 0),
    ] {
        // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
        let result =
            unsafe { database.StoreStateObjectDesc(key, size, 1, desc, parent, parent_size) };
        assert_eq!(result, E_INVALIDARG);
    }
    assert_eq!(version(&database, b"k"), Err(DXGI_ERROR_NOT_FOUND));
}

#[test]
fn what_is_made_from_a_key_follows_it() {
    let (_folder, database) = temporary();
    let store = |key, version, desc: &Description, parent| {
        store_object(&database, key, version, desc, parent)
    };
    assert_eq!(store(b"root", 1, &noise("noise_a"), b""), S_OK);
    assert_eq!(store(b"child", 1, &noise("noise_b"), b"root"), S_OK);
    let newer = noise("noise_d=noise_a");
    assert_eq!(store(b"root", 2, &newer, b""), S_OK);
    assert_eq!(object(&database, b"child").unwrap().2, b"root");
    assert_eq!(
        object(&database, b"root"),
        Ok((2, copied(&newer), Vec::new()))
    );
}

#[test]
fn an_object_whose_parent_has_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open(&path);
    let store = |key, export, parent| store_object(&database, key, 1, &noise(export), parent);
    assert_eq!(store(b"root", "noise_a", b""), S_OK);
    assert_eq!(store(b"child", "noise_b", b"root"), S_OK);
    drop(database);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let deleted = connection.execute("DELETE FROM groups WHERE Key = ?1", [&b"root"[..]]);
    assert_eq!(deleted.unwrap(), 1);
    drop(connection);
    let database = open_to_read(&path);
    assert_eq!(
        object(&database, b"child").err(),
        Some(DXGI_ERROR_NOT_FOUND)
    );
    assert_eq!(version(&database, b"child"), Ok(1));
}
