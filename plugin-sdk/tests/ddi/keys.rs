//! Keys from whole descriptions: everything that is compiled counts, and nothing else.

use std::collections::HashSet;

use ddi_sys::*;
use plugin_sdk::{Key, KeyBuilder};

use crate::host::description::{Damage, Description, Kind, OPTIONAL};
use crate::host::memory::Guarded;
use crate::host::pipeline::{HULL, Pipeline, VERTEX, program};
use crate::host::plugin::{Script, made};
use crate::host::session::Session;
use crate::host::state_object::StateObject;
use crate::host::{Compiler, Host, some};
use crate::state_object_descs::look;

fn pipeline_key(compiler: &Compiler<'_>, pipeline: &Pipeline) -> Vec<u8> {
    let _script = Script::compiling(|desc, session| {
        let key = KeyBuilder::new("test").describe("desc", desc).finish();
        let receipt = session.find_or_store(key, |missing| Ok(made(missing)))?;
        Ok(session.finish([receipt]))
    });
    let session = Session::default();
    assert_eq!(compiler.compile(&session, pipeline.raw), S_OK);
    let keys = session.object_keys().unwrap();
    assert_eq!((keys.len(), keys[0].len()), (1, 32));
    keys[0].clone()
}

fn state_object_key(host: &Host, compiler: &Compiler<'_>, desc: &StateObject) -> Vec<u8> {
    let session = Session::default();
    let memory = Guarded::new(host.calc_state_object_size(compiler.handle()), 0);
    let at = memory.at().cast();
    assert_eq!(
        host.create_state_object_in(compiler.handle(), &session, desc.raw, at),
        S_OK
    );
    host.destroy_state_object(compiler.handle(), at);
    session.object_keys().unwrap().remove(0)
}

/// The same description at other addresses, with other bytes wherever nothing is said.
#[test]
fn addresses_padding_and_what_is_not_compiled_do_not_count() {
    let host = Host::new();
    let compiler = host.create_compiler();
    let expected = pipeline_key(&compiler, &Pipeline::full());
    assert_eq!(pipeline_key(&compiler, &Pipeline::full()), expected);

    let pipeline = Pipeline::full();
    // The gaps of the structure on 64-bit systems.
    #[cfg(target_pointer_width = "64")]
    for gap in [68..72, 156..160, 172..176, 180..184, 196..200, 220..224] {
        for offset in gap {
            // SAFETY: inside the structure.
            unsafe { pipeline.raw.cast::<u8>().add(offset).write(0xA5) };
        }
    }
    let raw = pipeline.get();
    raw.NodeMask = 7;
    raw.LibraryReference.PipelineIndex = 9;
    raw.LibraryReference.hLibrary.pDrvPrivate = std::ptr::without_provenance_mut(64);
    // Formats past the count.
    raw.RTVFormats[5] = DXGI_FORMAT_R8_UNORM;
    let vertex: *mut D3D12DDIARG_CREATE_SHADER_0026 = raw.hVertexShader.pDrvPrivate.cast();
    let blend: *mut D3D12DDI_BLEND_DESC_0010 = raw.hBlendState.pDrvPrivate.cast();
    // SAFETY: the description's own structures.
    unsafe {
        (*vertex).ShaderCodeHash.Hash = [0xEE; 16];
        (*vertex).LibraryReference.PipelineIndex = 3;
        (*blend).LibraryReference.PipelineIndex = 3;
        // Any BOOL that is not 0 is true.
        (*blend).AlphaToCoverageEnable = 0;
    }
    assert_eq!(pipeline_key(&compiler, &pipeline), expected);
}

#[test]
fn a_bool_is_true_whatever_its_number() {
    let host = Host::new();
    let compiler = host.create_compiler();
    let keys = [0, 1, -1, 0x100].map(|value| {
        let pipeline = Pipeline::full();
        let blend: *mut D3D12DDI_BLEND_DESC_0010 = pipeline.get().hBlendState.pDrvPrivate.cast();
        // SAFETY: the description's own blend state.
        unsafe { (*blend).AlphaToCoverageEnable = value };
        pipeline_key(&compiler, &pipeline)
    });
    assert_ne!(keys[0], keys[1]);
    assert_eq!(keys[1..], [&keys[1][..]; 3]);
}

/// The keys with each registered enumeration changed, and without each part that is optional.
fn variants<T: bytemuck::Zeroable + 'static>(
    full: fn() -> Description<T>,
    key: impl Fn(&Description<T>) -> Vec<u8>,
) -> Vec<(String, Vec<u8>)> {
    let mut keys = Vec::new();
    for index in some(0..full().values.len()) {
        let description = full();
        let (path, field) = &description.values[index];
        // SAFETY: a field of the description. Flags and enumerators both have a bit 0, or take any
        // other value for an unknown one.
        unsafe { **field ^= 0x2000_0000 };
        keys.push((path.clone(), key(&description)));
    }
    for index in some(0..full().points.len()) {
        let description = full();
        let point = description.points[index];
        let damage = match point.kind {
            Kind::Array { .. } => Damage::Empty,
            OPTIONAL => Damage::Null,
            _ => continue,
        };
        // SAFETY: a field of the description.
        if unsafe { *point.field }.is_null() {
            continue;
        }
        point.apply(damage);
        // Signatures without entries are the same as none.
        if point.what.starts_with("IOSignatures") {
            continue;
        }
        keys.push((point.what.to_owned(), key(&description)));
    }
    keys
}

/// The keys of a full description and of its variants, which are all different.
fn distinct(full: Vec<u8>, variants: Vec<(String, Vec<u8>)>) -> HashSet<Vec<u8>> {
    let mut keys = HashSet::from([full]);
    for (what, key) in variants {
        assert!(keys.insert(key), "{what} does not count");
    }
    keys
}

#[test]
fn every_part_of_a_pipeline_counts() {
    type Change = fn(&mut D3D12DDIARG_CREATE_PIPELINE_STATE_0099);

    let host = Host::new();
    let compiler = host.create_compiler();
    let key = |pipeline: &Pipeline| pipeline_key(&compiler, pipeline);
    let mut keys = distinct(key(&Pipeline::full()), variants(Pipeline::full, key));

    let numbers: [(&str, Change); 6] = [
        ("SampleMask", |raw| raw.SampleMask ^= 1),
        ("NumRenderTargets", |raw| raw.NumRenderTargets += 1),
        ("SampleDesc.Count", |raw| raw.SampleDesc.Count += 1),
        ("SampleDesc.Quality", |raw| raw.SampleDesc.Quality += 1),
        ("RTVFormats[0]", |raw| {
            raw.RTVFormats[0] = DXGI_FORMAT_R8_UNORM;
        }),
        ("RTVFormats[1]", |raw| {
            raw.RTVFormats[1] = DXGI_FORMAT_R8_UNORM;
        }),
    ];
    for (name, change) in numbers {
        let pipeline = Pipeline::full();
        change(pipeline.get());
        assert!(
            keys.insert(pipeline_key(&compiler, &pipeline)),
            "{name} does not count"
        );
    }

    // Other code in one stage; the same code in another.
    for stage in 0..2 {
        let mut pipeline = Pipeline::zeroed();
        let shader = pipeline.shader(program(if stage == 0 { VERTEX } else { HULL }));
        pipeline.get().hVertexShader.pDrvPrivate = shader.cast();
        assert!(keys.insert(pipeline_key(&compiler, &pipeline)));
        pipeline.get().hVertexShader.pDrvPrivate = std::ptr::null_mut();
        pipeline.get().hHullShader.pDrvPrivate = shader.cast();
        assert!(keys.insert(pipeline_key(&compiler, &pipeline)));
    }
}

#[test]
fn every_part_of_a_state_object_counts() {
    let host = Host::new();
    let compiler = host.create_compiler();
    let key = |desc: &StateObject| state_object_key(&host, &compiler, desc);
    let mut keys = distinct(key(&StateObject::full()), variants(StateObject::full, key));
    // The order of subobjects counts too: it is what associations refer to.
    let full = StateObject::full();
    let raw = full.get();
    // SAFETY: the description's own array.
    let subobjects = unsafe {
        std::slice::from_raw_parts_mut(raw.pSubobjects.cast_mut(), raw.NumSubobjects as usize)
    };
    subobjects.swap(7, 8);
    assert!(keys.insert(key(&full)));
}

fn canonical_key(desc: &StateObject) -> Vec<u8> {
    let key = look(desc, |desc| -> Key {
        let canonical = desc.canonical(|_| unreachable!("there is no collection"));
        KeyBuilder::new("test")
            .describe("desc", &canonical)
            .finish()
    });
    key.unwrap().as_bytes().to_vec()
}

/// Every subobject, and a generic program that lists all of its state.
fn listed() -> StateObject {
    let desc = StateObject::full();
    let program: *mut D3D12DDI_GENERIC_PROGRAM_DESC_0108 =
        desc.content(D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM);
    let states = D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT.0
        ..=D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING.0;
    let states = desc
        .subobjects()
        .iter()
        .filter(|own| states.contains(&own.Type.0));
    let states: Vec<*const D3D12DDI_STATE_SUBOBJECT_0054> =
        states.map(std::ptr::from_ref).collect();
    assert_eq!(states.len(), 13);
    // SAFETY: the description's own program.
    unsafe {
        (*program).NumSubobjects = 13;
        (*program).pSubobjects = states.leak().as_ptr();
    }
    desc
}

#[test]
fn in_canonical_order_every_part_of_a_state_object_counts() {
    let full = canonical_key(&listed());
    // Which of two equal subobjects was another one cannot be told.
    for (what, key) in variants(listed, canonical_key) {
        assert_ne!(key, full, "{what} does not count");
    }
}

#[test]
fn in_canonical_order_no_order_counts() {
    type Change = fn(&StateObject);

    let expected = canonical_key(&listed());
    let changes: [(&str, Change); 5] = [
        ("subobjects", |desc| desc.subobjects().swap(7, 8)),
        ("exports of a library", |desc| {
            let library: *mut D3D12DDI_DXIL_LIBRARY_DESC_0054 =
                desc.content(D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY);
            // SAFETY: the description's own library, with two exports.
            unsafe { (*library).pExports.swap((*library).pExports.add(1)) };
        }),
        ("exports of a program", |desc| {
            let program: *mut D3D12DDI_GENERIC_PROGRAM_DESC_0108 =
                desc.content(D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM);
            // SAFETY: the description's own program, with two exports.
            unsafe { (*program).pExports.swap((*program).pExports.add(1)) };
        }),
        ("state of a program", |desc| {
            let program: *mut D3D12DDI_GENERIC_PROGRAM_DESC_0108 =
                desc.content(D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM);
            // SAFETY: the list that `listed` made.
            unsafe {
                let list = (*program).pSubobjects.cast_mut();
                list.swap(list.add(12));
            }
        }),
        ("associated subobjects", |desc| {
            let summary: *mut D3D12DDI_FUNCTION_SUMMARY_0054 =
                desc.content(D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY);
            // SAFETY: the description's own summary, with three subobjects.
            unsafe {
                let list = (*(*summary).pSummaries).ppAssociatedSubobjects.cast_mut();
                list.swap(list.add(2));
            }
        }),
    ];
    for (what, change) in changes {
        let desc = listed();
        let plain = |desc: &StateObject| {
            let key = look(desc, |desc| {
                KeyBuilder::new("test").describe("desc", desc).finish()
            });
            key.unwrap()
        };
        let before = plain(&desc);
        change(&desc);
        assert_ne!(plain(&desc), before, "{what} did not change");
        assert_eq!(canonical_key(&desc), expected, "the order of {what} counts");
    }
}
