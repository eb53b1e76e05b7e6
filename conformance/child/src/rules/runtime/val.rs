//! R-VAL: StoreValue and FindValue.

use std::ptr;

use api_sys::{D3D12_COMPILER_CACHE_CONST_VALUE, D3D12_COMPILER_CACHE_TYPED_CONST_VALUE};
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, ensure, failure};
use ddi_sys::{
    DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_INVALIDARG,
    E_OUTOFMEMORY, HRESULT, S_OK,
};

use super::Tests;
use crate::inputs::Application;
use crate::runtime::{
    ALL_TYPES, Allocator, Kind, Runtime, Session, buffer, count, kept, size_query, value_key,
};
use crate::watch::fault::{Watch, watched};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::R_VAL_01, r_val_01_are_found_as_stored),
    (rules::R_VAL_02, r_val_02_refuses_to_store_nothing),
    (rules::R_VAL_03, r_val_03_refuses_an_empty_value),
    (rules::R_VAL_04, r_val_04_refuses_a_type_twice),
    (rules::R_VAL_05, r_val_05_are_stored_once),
    (rules::R_VAL_06, r_val_06_are_stored_all_or_none),
    (rules::R_VAL_07, r_val_07_have_sizes),
    (rules::R_VAL_08, r_val_08_are_not_found),
    (rules::R_VAL_09, r_val_09_fit_into_buffers),
    (rules::R_VAL_10, r_val_10_do_not_fit_into_buffers),
    (rules::R_VAL_11, r_val_11_are_allocated),
    (rules::R_VAL_12, r_val_12_are_not_allocated),
    (rules::R_VAL_13, r_val_13_are_found_beside_absent_ones),
    (rules::R_VAL_14, r_val_14_refuses_wrong_keys),
    (rules::R_VAL_15, r_val_15_of_other_types_are_absent),
    (rules::R_VAL_16, r_val_16_fit_into_some_buffers),
    (rules::R_VAL_17, r_val_17_are_allocated_beside_buffers),
];

/// What the tests store where it does not matter.
const VALUE: &[u8] = b"a value of some bytes";

/// A value of each type, of every size from one byte to some pages, and with every byte.
fn one_of_each() -> [(Kind, Vec<u8>); 4] {
    Kind::ALL.map(|kind| {
        let length = [1, 255, 4097, 70_000][kind as usize];
        let bytes = (0..=u8::MAX).cycle().skip(kind as usize);
        (kind, bytes.take(length).collect())
    })
}

/// Stores [`one_of_each`] under the key `all`.
fn put_each(session: &Session) -> Result<[(Kind, Vec<u8>); 4], Stop> {
    let each = one_of_each();
    let values: Vec<_> = each
        .iter()
        .map(|(kind, value)| (*kind, &value[..]))
        .collect();
    session.put(b"all", &values)?;
    Ok(each)
}

/// A session with [`VALUE`] as the object code of the key `key`.
fn session_with_value(runtime: &Runtime) -> Result<Session, Stop> {
    let (_, session) = runtime.session()?;
    session.put(b"key", &[(Kind::ObjectCode, VALUE)])?;
    Ok(session)
}

/// The values of one call.
type Values<'v> = &'v [(Kind, &'v [u8])];

fn r_val_01_are_found_as_stored(runtime: &Runtime) -> Outcome {
    let (_, session) = runtime.session()?;
    let values = one_of_each();
    let slices: Vec<_> = values
        .iter()
        .map(|(kind, value)| (*kind, &value[..]))
        .collect();
    let singles: Vec<_> = slices.chunks(1).collect();
    let ways: [(&str, &[u8], &[Values]); 2] = [
        ("in one call", b"at once", &[&slices]),
        ("type by type", b"one by one", &singles),
    ];
    for (how, key, calls) in ways {
        for values in calls {
            let returned = session.store(key, values);
            ensure!(
                returned == S_OK,
                call: "StoreValue {how}",
                expected: "S_OK",
                got: "returned {returned}",
            );
        }
        for (kind, value) in &values {
            ensure!(
                session.holds(key, *kind, value)?,
                call: "FindValue({kind:?}) of values that were stored {how}",
                expected: "the value",
                got: "none, or another",
            );
        }
    }
    Ok(())
}

fn r_val_02_refuses_to_store_nothing(runtime: &Runtime) -> Outcome {
    let (_, session) = runtime.session()?;
    let typed = [D3D12_COMPILER_CACHE_TYPED_CONST_VALUE::default()];
    for (what, values, count) in [
        ("null pTypedValues", ptr::null(), 1),
        ("null pTypedValues, NumTypedValues 0", ptr::null(), 0),
        ("NumTypedValues 0", typed.as_ptr(), 0),
    ] {
        let follows = failure!(
            call: "StoreValue({what})",
            expected: "E_INVALIDARG",
            got: "a memory fault: null is read",
        );
        let key = value_key(b"nothing");
        let store = || session.store_raw(&raw const key, values, count);
        let returned = watched(vec![Watch::null(follows)], store);
        ensure!(
            returned == E_INVALIDARG,
            call: "StoreValue({what})",
            expected: "E_INVALIDARG",
            got: "returned {returned}",
        );
    }
    Ok(())
}

fn r_val_03_refuses_an_empty_value(runtime: &Runtime) -> Outcome {
    let (_, session) = runtime.session()?;
    let empty = (Kind::ObjectCode, &[][..]);
    let typed = [D3D12_COMPILER_CACHE_TYPED_CONST_VALUE {
        Type: Kind::ObjectCode as i32,
        Value: D3D12_COMPILER_CACHE_CONST_VALUE::default(),
    }];
    let follows = failure!(
        call: "StoreValue(a null value of size 0)",
        expected: "a failure",
        got: "a memory fault: null is read",
    );
    let null = watched(vec![Watch::null(follows)], || {
        session.store_raw(&value_key(b"null"), typed.as_ptr(), count(&typed))
    });
    let second = [(Kind::Metadata, VALUE), empty];
    let of_kinds = Kind::ALL.map(|kind| {
        let key = format!("empty {kind:?}");
        (
            "a value of size 0",
            session.store(key.as_bytes(), &[(kind, &[])]),
        )
    });
    for (what, returned) in of_kinds.into_iter().chain([
        ("a null value of size 0", null),
        (
            "a value of size 0 behind another",
            session.store(b"second", &second),
        ),
    ]) {
        ensure!(
            !returned.is_ok(),
            call: "StoreValue({what})",
            expected: "a failure, best E_INVALIDARG",
            got: "returned {returned}",
        );
    }
    Ok(())
}

fn r_val_04_refuses_a_type_twice(runtime: &Runtime) -> Outcome {
    let (_, session) = runtime.session()?;
    for kind in Kind::ALL {
        let (first, second) = ((kind, VALUE), (kind, &b"other"[..]));
        let between = (
            if kind == Kind::Metadata {
                Kind::ObjectCode
            } else {
                Kind::Metadata
            },
            VALUE,
        );
        for (what, values) in [
            ("two values", &[first, second][..]),
            ("the same value twice", &[first, first]),
            (
                "two values, one of another type between them",
                &[first, between, second],
            ),
        ] {
            let key = format!("{kind:?}: {what}");
            let returned = session.store(key.as_bytes(), values);
            ensure!(
                !returned.is_ok(),
                call: "StoreValue({what}, of type {kind:?})",
                expected: "a failure, best E_INVALIDARG",
                got: "returned {returned}",
            );
        }
    }
    Ok(())
}

fn r_val_05_are_stored_once(runtime: &Runtime) -> Outcome {
    let (factory, session) = runtime.session()?;
    session.put(b"key", &[(Kind::ObjectCode, VALUE)])?;
    for (what, values) in [
        ("the same value again", vec![(Kind::ObjectCode, VALUE)]),
        ("another value", vec![(Kind::ObjectCode, &b"other"[..])]),
        (
            "a new type and one that is stored",
            vec![(Kind::DebugPdb, VALUE), (Kind::ObjectCode, b"other")],
        ),
    ] {
        let returned = session.store(b"key", &values);
        ensure!(
            returned == DXGI_ERROR_ALREADY_EXISTS,
            call: "StoreValue({what})",
            expected: "DXGI_ERROR_ALREADY_EXISTS",
            got: "returned {returned}",
        );
        ensure!(
            session.holds(b"key", Kind::ObjectCode, VALUE)?,
            call: "FindValue after StoreValue({what})",
            expected: "the value that was stored first",
            got: "another, or none",
        );
    }
    // What an earlier session stored, of each type.
    let (target, file) = (runtime.target()?, runtime.file("later.psdb"));
    let earlier = factory.session_on(&file, target)?;
    earlier.put(b"key", &Kind::ALL.map(|kind| (kind, VALUE)))?;
    drop(earlier);
    let application = Some(&Application::USUAL);
    let later = factory.create_session(&[(ALL_TYPES, &file)], Some(target), application);
    let later = later.map_err(|_| Stop::needs(rules::R_SES_02))?;
    kept(&later.0);
    if later.store(b"new", &[(Kind::ObjectCode, VALUE)]) != S_OK {
        return Err(Stop::needs(rules::R_SES_02));
    }
    for kind in Kind::ALL {
        if !later.holds(b"key", kind, VALUE)? {
            return Err(Stop::needs(rules::R_SES_02));
        }
        let returned = later.store(b"key", &[(kind, b"other")]);
        ensure!(
            returned == DXGI_ERROR_ALREADY_EXISTS && later.holds(b"key", kind, VALUE)?,
            call: "StoreValue({kind:?} under a key for which an earlier session stored one)",
            expected: "DXGI_ERROR_ALREADY_EXISTS, and the value that was stored first",
            got: "returned {returned}, or another value is there",
        );
    }
    Ok(())
}

fn r_val_06_are_stored_all_or_none(runtime: &Runtime) -> Outcome {
    let session = session_with_value(runtime)?;
    let new = (Kind::DebugPdb, VALUE);
    if session.store(b"key", &[new, (Kind::ObjectCode, VALUE)]) != DXGI_ERROR_ALREADY_EXISTS {
        return Err(Stop::needs(rules::R_VAL_05));
    }
    if session
        .store(b"empty", &[new, (Kind::ObjectCode, &[])])
        .is_ok()
    {
        return Err(Stop::needs(rules::R_VAL_03));
    }
    let behind = (Kind::Metadata, VALUE);
    let twice = [new, (Kind::ObjectCode, VALUE), (Kind::ObjectCode, VALUE)];
    if session.store(b"key", &[(Kind::ObjectCode, VALUE), behind]) != DXGI_ERROR_ALREADY_EXISTS {
        return Err(Stop::needs(rules::R_VAL_05));
    }
    if session.store(b"twice", &twice).is_ok() {
        return Err(Stop::needs(rules::R_VAL_04));
    }
    for (what, key, kind) in [
        (
            "the second refused as it is stored already",
            &b"key"[..],
            new.0,
        ),
        (
            "the first refused as it is stored already",
            b"key",
            behind.0,
        ),
        ("the second refused as it has no bytes", b"empty", new.0),
        (
            "two others refused as they are of one type",
            b"twice",
            new.0,
        ),
    ] {
        ensure!(
            session.read(key, kind)?.is_none(),
            call: "FindValue of the {kind:?} after StoreValue(with it, {what})",
            expected: "no value",
            got: "the value: the call stored a part",
        );
    }
    Ok(())
}

fn r_val_07_have_sizes(runtime: &Runtime) -> Outcome {
    let session = session_with_value(runtime)?;
    let mut values = [size_query(Kind::ObjectCode)];
    let returned = session.find(b"key", &mut values, None);
    let (size, length) = (values[0].Value.ValueSize as usize, VALUE.len());
    ensure!(
        returned == S_OK && size == length,
        call: "FindValue(null pValue, ValueSize 0, no callback)",
        expected: "S_OK and a ValueSize of {length}",
        got: "returned {returned}, with {size}",
    );
    ensure!(
        values[0].Value.pValue.is_null(),
        call: "FindValue(null pValue, ValueSize 0, no callback)",
        expected: "pValue null",
        got: "pValue is set",
    );
    let each = put_each(&session)?;
    let whole: Vec<_> = each.iter().collect();
    for asked in whole.chunks(1).chain([&whole[..]]) {
        let mut values: Vec<_> = asked.iter().map(|(kind, _)| size_query(*kind)).collect();
        let returned = session.find(b"all", &mut values, None);
        let sizes: Vec<_> = values
            .iter()
            .map(|value| value.Value.ValueSize as usize)
            .collect();
        let lengths: Vec<_> = asked.iter().map(|(_, value)| value.len()).collect();
        let kinds: Vec<_> = asked.iter().map(|(kind, _)| *kind).collect();
        ensure!(
            returned == S_OK && sizes == lengths,
            call: "FindValue(the size check of {kinds:?})",
            expected: "S_OK and sizes of {lengths:?}",
            got: "returned {returned}, with {sizes:?}",
        );
    }
    Ok(())
}

fn r_val_08_are_not_found(runtime: &Runtime) -> Outcome {
    let session = session_with_value(runtime)?;
    session.put_group(b"group", 1, &[b"in a group"])?;
    let mut memory = [0xA5; 64];
    let mut allocator = Allocator::new(usize::MAX);
    // The keys around one that is there, that of a group, and one that a group names.
    for key in [&b"absent"[..], b"ke", b"key\0", b"group", b"in a group"] {
        let mut allocated = [size_query(Kind::ObjectCode)];
        for (what, returned) in [
            (
                "the size check",
                session.find(key, &mut [size_query(Kind::ObjectCode)], None),
            ),
            (
                "a buffer",
                session.find(key, &mut [buffer(Kind::ObjectCode, &mut memory)], None),
            ),
            (
                "the callback",
                session.find(key, &mut allocated, Some(&mut allocator)),
            ),
        ] {
            ensure!(
                returned == DXGI_ERROR_NOT_FOUND,
                call: "FindValue({key:?}, {what}), a key that is not cached",
                expected: "DXGI_ERROR_NOT_FOUND",
                got: "returned {returned}",
            );
        }
    }
    let calls = allocator.sizes.len();
    ensure!(
        calls == 0,
        call: "FindValue(a key that is not cached, the callback)",
        expected: "no call of the callback",
        got: "{calls} calls",
    );
    Ok(())
}

fn r_val_09_fit_into_buffers(runtime: &Runtime) -> Outcome {
    let (_, session) = runtime.session()?;
    let each = put_each(&session)?;
    for (kind, value) in each {
        let length = value.len();
        for room in [0, 1, 40] {
            let mut memory = vec![0xA5; length + room + 16];
            let capacity = length + room;
            let mut values = [buffer(kind, &mut memory[..capacity])];
            let returned = session.find(b"all", &mut values, None);
            let size = values[0].Value.ValueSize;
            ensure!(
                returned == S_OK && size as usize == length,
                call: "FindValue({kind:?}, a buffer of {capacity} bytes for a value of {length})",
                expected: "S_OK and a ValueSize of {length}",
                got: "returned {returned}, with {size}",
            );
            ensure!(
                memory.starts_with(&value),
                call: "FindValue({kind:?}, a buffer of {capacity} bytes for a value of {length})",
                expected: "the value in the buffer",
                got: "something else",
            );
            ensure!(
                memory[length..].iter().all(|byte| *byte == 0xA5),
                call: "FindValue({kind:?}, a buffer of {capacity} bytes for a value of {length})",
                expected: "nothing written behind the value",
                got: "more is written",
            );
        }
    }
    Ok(())
}

fn r_val_10_do_not_fit_into_buffers(runtime: &Runtime) -> Outcome {
    let (_, session) = runtime.session()?;
    session.put(b"key", &Kind::ALL.map(|kind| (kind, VALUE)))?;
    let length = VALUE.len();
    for kind in Kind::ALL {
        for capacity in [1, length - 1] {
            let mut memory = vec![0xA5; length + 16];
            let mut values = [buffer(kind, &mut memory[..capacity])];
            let returned = session.find(b"key", &mut values, None);
            let size = values[0].Value.ValueSize;
            ensure!(
                returned == DXGI_ERROR_MORE_DATA && size as usize == length,
                call: "FindValue({kind:?}, a buffer of {capacity} bytes for a value of {length})",
                expected: "DXGI_ERROR_MORE_DATA and a ValueSize of {length}",
                got: "returned {returned}, with {size}",
            );
            ensure!(
                memory[capacity..].iter().all(|byte| *byte == 0xA5),
                call: "FindValue({kind:?}, a buffer of {capacity} bytes for a value of {length})",
                expected: "nothing written behind the buffer",
                got: "more is written",
            );
        }
    }
    Ok(())
}

fn r_val_11_are_allocated(runtime: &Runtime) -> Outcome {
    let session = session_with_value(runtime)?;
    session.put(b"key", &[(Kind::Metadata, b"metadata")])?;
    let mut stale = 0_u8;
    for (what, pointer) in [
        ("null", ptr::null_mut()),
        ("not null", (&raw mut stale).cast()),
    ] {
        let mut allocator = Allocator::new(usize::MAX);
        let mut values = [Kind::ObjectCode, Kind::Metadata].map(size_query);
        values[0].Value.pValue = pointer;
        let returned = session.find(b"key", &mut values, Some(&mut allocator));
        let sizes = values.map(|value| value.Value.ValueSize as usize);
        let asked = &allocator.sizes;
        ensure!(
            returned == S_OK && sizes == [VALUE.len(), 8] && asked[..] == sizes,
            call: "FindValue(pValue {what}, ValueSize 0, the callback)",
            expected: "S_OK, and one call for each value's size, which is in ValueSize",
            got: "returned {returned}, with {sizes:?}, and calls for {asked:?}",
        );
        let pointers = values.map(|value| value.Value.pValue.cast_const().cast());
        let memory: Vec<_> = allocator.memory.iter().map(Vec::as_ptr).collect();
        ensure!(
            pointers[..] == memory[..],
            call: "FindValue(pValue {what}, ValueSize 0, the callback)",
            expected: "what the callback returned in each pValue, {memory:?}",
            got: "in them is {pointers:?}",
        );
        ensure!(
            allocator.bytes(0) == VALUE && allocator.bytes(1) == b"metadata",
            call: "FindValue(pValue {what}, ValueSize 0, the callback)",
            expected: "the values in the memory of the callback",
            got: "something else",
        );
    }
    let each = put_each(&session)?;
    for (kind, value) in each {
        let mut allocator = Allocator::new(usize::MAX);
        let mut values = [size_query(kind)];
        let returned = session.find(b"all", &mut values, Some(&mut allocator));
        let (asked, length) = (&allocator.sizes, value.len());
        ensure!(
            returned == S_OK && asked[..] == [length] && allocator.bytes(0) == value,
            call: "FindValue({kind:?}, a value of {length} bytes, the callback)",
            expected: "S_OK, one call for its size, and the value in the memory",
            got: "returned {returned}, with calls for {asked:?}",
        );
    }
    Ok(())
}

fn r_val_12_are_not_allocated(runtime: &Runtime) -> Outcome {
    let session = session_with_value(runtime)?;
    session.put(b"key", &[(Kind::Metadata, b"metadata")])?;
    let mut allocator = Allocator::new(usize::MAX);
    let found = session.find(
        b"key",
        &mut [size_query(Kind::ObjectCode)],
        Some(&mut allocator),
    );
    if found != S_OK || allocator.sizes.is_empty() {
        return Err(Stop::needs(rules::R_VAL_11));
    }
    for left in [0, 1] {
        let mut allocator = Allocator::new(left);
        let mut values = [Kind::ObjectCode, Kind::Metadata].map(size_query);
        let follows = failure!(
            call: "FindValue(two values, a callback that fails)",
            expected: "E_OUTOFMEMORY",
            got: "a memory fault: it writes through null",
        );
        let returned = watched(vec![Watch::null(follows)], || {
            session.find(b"key", &mut values, Some(&mut allocator))
        });
        ensure!(
            returned == E_OUTOFMEMORY,
            call: "FindValue(two values, a callback that returns null after {left} calls)",
            expected: "E_OUTOFMEMORY",
            got: "returned {returned}",
        );
        if allocator.memory.len() != left {
            return Err(Stop::needs(rules::R_VAL_11));
        }
        for (value, memory) in values.iter().zip(&allocator.memory) {
            let (pointer, memory) = (value.Value.pValue.cast_const().cast(), memory.as_ptr());
            ensure!(
                pointer == memory,
                call: "FindValue(two values, a callback that returns null after {left} calls)",
                expected: "what it returned before in the pValue it is for, {memory:p}",
                got: "in it is {pointer:p}",
            );
        }
    }
    Ok(())
}

fn r_val_13_are_found_beside_absent_ones(runtime: &Runtime) -> Outcome {
    let session = session_with_value(runtime)?;
    let mut alone = [size_query(Kind::ObjectCode)];
    if session.find(b"key", &mut alone, None) != S_OK
        || alone[0].Value.ValueSize as usize != VALUE.len()
    {
        return Err(Stop::needs(rules::R_VAL_07));
    }
    for kinds in [
        [Kind::ObjectCode, Kind::DebugPdb],
        [Kind::DebugPdb, Kind::ObjectCode],
    ] {
        let mut values = kinds.map(size_query);
        let returned = session.find(b"key", &mut values, None);
        let sizes = values.map(|value| value.Value.ValueSize as usize);
        let expected = kinds.map(|kind| {
            if kind == Kind::ObjectCode {
                VALUE.len()
            } else {
                0
            }
        });
        ensure!(
            returned == S_OK && sizes == expected,
            call: "FindValue({kinds:?}, where the key has object code only)",
            expected: "S_OK and sizes of {expected:?}",
            got: "returned {returned}, with {sizes:?}",
        );
        let mut memory = [[0xA5; 64]; 2];
        let [first, second] = &mut memory;
        let buffers = [buffer(kinds[0], first), buffer(kinds[1], second)];
        let mut allocator = Allocator::new(usize::MAX);
        for (how, mut values, allocator) in [
            ("buffers", buffers, None),
            ("the callback", kinds.map(size_query), Some(&mut allocator)),
        ] {
            let returned = session.find(b"key", &mut values, allocator);
            let lacking = kinds.iter().position(|kind| *kind != Kind::ObjectCode);
            let size = lacking.map(|lacking| values[lacking].Value.ValueSize);
            ensure!(
                returned == S_OK && size == Some(0),
                call: "FindValue({kinds:?}, {how}, where the key has object code only)",
                expected: "S_OK and a size of 0 for the type that is not cached",
                got: "returned {returned}, with {size:?}",
            );
        }
        let asked = &allocator.sizes;
        ensure!(
            !asked.contains(&0) && asked.len() < 2,
            call: "FindValue({kinds:?}, the callback, where the key has object code only)",
            expected: "no call of the callback for the type that is not cached",
            got: "calls for {asked:?} bytes",
        );
    }
    Ok(())
}

fn r_val_14_refuses_wrong_keys(runtime: &Runtime) -> Outcome {
    let (_, session) = runtime.session()?;
    let (empty, mut null) = (value_key(b""), value_key(b"key"));
    null.pKey = ptr::null();
    for (what, key) in [
        ("a null pValueKey", ptr::null()),
        ("a key of size 0", &raw const empty),
        ("a null pKey", &raw const null),
    ] {
        let typed = [D3D12_COMPILER_CACHE_TYPED_CONST_VALUE {
            Type: Kind::ObjectCode as i32,
            Value: D3D12_COMPILER_CACHE_CONST_VALUE {
                pValue: VALUE.as_ptr().cast(),
                ValueSize: count(VALUE),
            },
        }];
        let store = || session.store_raw(key, typed.as_ptr(), count(&typed));
        let find = || {
            let mut values = [size_query(Kind::ObjectCode)];
            let (values, none) = (values.as_mut_ptr(), ptr::null_mut());
            // SAFETY: one entry; the key is what is tested.
            HRESULT(unsafe { session.raw().FindValue(key, values, 1, None, none) }.0)
        };
        let calls: [(&str, &dyn Fn() -> HRESULT); 2] =
            [("StoreValue", &store), ("FindValue", &find)];
        for (name, call) in calls {
            let follows = failure!(
                call: "ID3D12CompilerCacheSession::{name}({what})",
                expected: "E_INVALIDARG",
                got: "a memory fault: null is read",
            );
            let returned = watched(vec![Watch::null(follows)], call);
            ensure!(
                returned == E_INVALIDARG,
                call: "ID3D12CompilerCacheSession::{name}({what})",
                expected: "E_INVALIDARG",
                got: "returned {returned}",
            );
        }
    }
    Ok(())
}

/// What is said of a type that a key lacks, which has another, by one of the readings.
fn reading(returned: HRESULT, sizes: &[u32]) -> Option<&'static str> {
    match returned {
        DXGI_ERROR_NOT_FOUND => Some("DXGI_ERROR_NOT_FOUND"),
        S_OK if sizes.iter().all(|size| *size == 0) => Some("S_OK, with a ValueSize of 0"),
        _ => None,
    }
}

fn r_val_15_of_other_types_are_absent(runtime: &Runtime) -> Outcome {
    let session = session_with_value(runtime)?;
    let mut memory = [0xA5; 64];
    let mut allocator = Allocator::new(usize::MAX);
    let lacking = [Kind::DebugPdb, Kind::Metadata];
    let mut ways = [
        ("the size check", vec![size_query(lacking[0])], None),
        (
            "the size check of two types",
            lacking.map(size_query).to_vec(),
            None,
        ),
        ("a buffer", vec![buffer(lacking[0], &mut memory)], None),
        (
            "the callback",
            vec![size_query(lacking[0])],
            Some(&mut allocator),
        ),
    ];
    let mut first = None;
    for (what, entries, allocator) in &mut ways {
        let returned = session.find(b"key", entries, allocator.as_deref_mut());
        let sizes: Vec<_> = entries.iter().map(|entry| entry.Value.ValueSize).collect();
        let own = reading(returned, &sizes);
        let before = *first.get_or_insert(own);
        ensure!(
            own.is_some() && own == before,
            call: "FindValue({what}, of types that the key lacks)",
            expected: "DXGI_ERROR_NOT_FOUND, or S_OK with a ValueSize of 0, the same in every way to ask",
            got: "returned {returned}, with sizes of {sizes:?}, and before: {before:?}",
        );
    }
    let calls = allocator.sizes.len();
    ensure!(
        calls == 0,
        call: "FindValue(the callback, for a type that the key lacks)",
        expected: "no call of the callback",
        got: "{calls} calls",
    );
    let reading = first.flatten().expect("every way keeps to it");
    runtime.note(format!("a type that the key lacks gets {reading}"));
    Ok(())
}

/// A session with two values of a key.
fn session_with_two_values(runtime: &Runtime) -> Result<(Session, [&'static [u8]; 2]), Stop> {
    let (_, session) = runtime.session()?;
    let values = [VALUE, b"metadata"];
    session.put(b"key", &[(Kind::ObjectCode, values[0])])?;
    session.put(b"key", &[(Kind::Metadata, values[1])])?;
    Ok((session, values))
}

fn r_val_16_fit_into_some_buffers(runtime: &Runtime) -> Outcome {
    let (session, values) = session_with_two_values(runtime)?;
    let lengths = values.map(<[u8]>::len);
    let mut short = [0; 2];
    let mut alone = [buffer(Kind::ObjectCode, &mut short)];
    let returned = session.find(b"key", &mut alone, None);
    if returned != DXGI_ERROR_MORE_DATA || alone[0].Value.ValueSize as usize != lengths[0] {
        return Err(Stop::needs(rules::R_VAL_10));
    }
    for short in [0, 1] {
        let mut memory = [[0xA5; 64]; 2];
        let [code, metadata] = &mut memory;
        let mut room = [40; 2];
        room[short] = lengths[short] - 1;
        let mut entries = [
            buffer(Kind::ObjectCode, &mut code[..room[0]]),
            buffer(Kind::Metadata, &mut metadata[..room[1]]),
        ];
        let returned = session.find(b"key", &mut entries, None);
        let sizes = entries.map(|entry| entry.Value.ValueSize as usize);
        ensure!(
            returned == DXGI_ERROR_MORE_DATA && sizes == lengths,
            call: "FindValue(two buffers of {room:?} bytes for values of {lengths:?})",
            expected: "DXGI_ERROR_MORE_DATA, and each ValueSize that of the value",
            got: "returned {returned}, with {sizes:?}",
        );
        let fits = 1 - short;
        ensure!(
            memory[fits].starts_with(values[fits]),
            call: "FindValue(two buffers of {room:?} bytes for values of {lengths:?})",
            expected: "the value that fits in its buffer",
            got: "something else",
        );
    }
    Ok(())
}

fn r_val_17_are_allocated_beside_buffers(runtime: &Runtime) -> Outcome {
    let (session, values) = session_with_two_values(runtime)?;
    let mut allocator = Allocator::new(usize::MAX);
    let mut alone = [size_query(Kind::ObjectCode)];
    let allocated = session.find(b"key", &mut alone, Some(&mut allocator));
    if allocated != S_OK || allocator.sizes.is_empty() {
        return Err(Stop::needs(rules::R_VAL_11));
    }
    for allocated in [0, 1] {
        let mut memory = [0xA5; 64];
        let place = memory.as_mut_ptr();
        let mut allocator = Allocator::new(usize::MAX);
        let mut entries = [Kind::ObjectCode, Kind::Metadata].map(size_query);
        let filled = 1 - allocated;
        let kind = [Kind::ObjectCode, Kind::Metadata][filled];
        entries[filled] = buffer(kind, &mut memory);
        let returned = session.find(b"key", &mut entries, Some(&mut allocator));
        let asked = &allocator.sizes;
        let expected = [values[allocated].len()];
        ensure!(
            returned == S_OK && asked[..] == expected,
            call: "FindValue(a buffer for {kind:?}, the callback for the other type)",
            expected: "S_OK, and calls of the callback for {expected:?} bytes",
            got: "returned {returned}, and calls for {asked:?}",
        );
        let kept = entries[filled].Value.pValue.cast::<u8>() == place;
        ensure!(
            kept && memory.starts_with(values[filled]),
            call: "FindValue(a buffer for {kind:?}, the callback for the other type)",
            expected: "the value in the buffer, and its pValue as it was",
            got: "pValue is as it was: {kept}, or the buffer has something else",
        );
        ensure!(
            allocator.bytes(0) == values[allocated],
            call: "FindValue(a buffer for {kind:?}, the callback for the other type)",
            expected: "the other value in the memory of the callback",
            got: "something else",
        );
    }
    Ok(())
}
