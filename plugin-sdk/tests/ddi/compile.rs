//! Compile calls: what a session asks and stores, and what the host learns of it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use ddi_sys::*;
use plugin_sdk::{Error, Key, Result, Session as VendorSession, ValueType, ValueTypes, Values};

use crate::host::log::capture;
use crate::host::pipeline::Pipeline;
use crate::host::plugin::{Installed, Script, made, value_of};
use crate::host::session::{ALL_TYPES, Call, Find, Session};
use crate::host::{Compiler, Host, some};

const KEY: &[u8] = b"the key";

fn key(name: &[u8]) -> Key {
    Key::from_bytes(name).unwrap()
}

/// The types of a bit set, as the DDI numbers them.
fn numbers(set: i32) -> Vec<i32> {
    ALL_TYPES
        .into_iter()
        .filter(|kind| set >> kind & 1 == 1)
        .collect()
}

fn value(kind: i32) -> Vec<u8> {
    value_of(ValueType::ALL[usize::try_from(kind).unwrap()])
}

fn values(set: i32) -> BTreeMap<i32, Vec<u8>> {
    numbers(set)
        .into_iter()
        .map(|kind| (kind, value(kind)))
        .collect()
}

fn find(key: &[u8], set: i32) -> Call {
    Call::Find {
        key: key.into(),
        types: numbers(set),
        allocates: false,
    }
}

fn store(key: &[u8], set: i32) -> Call {
    Call::Store {
        key: key.into(),
        values: values(set),
    }
}

fn set_keys(keys: &[&[u8]]) -> Call {
    Call::SetKeys(keys.iter().map(|key| key.to_vec()).collect())
}

/// Compiles an empty pipeline, whose compilation the script decides.
fn compile(compiler: &Compiler<'_>, session: &Session, flags: i32) -> HRESULT {
    compiler.compile_types(session, flags, Pipeline::zeroed().raw)
}

/// A vendor that makes sure of one value.
fn one_value() -> Installed {
    Script::compiling(|_, session| {
        let receipt = session.find_or_store(key(KEY), |missing| Ok(made(missing)))?;
        Ok(session.finish([receipt]))
    })
}

/// A vendor that does something with its session, and has one value of object code.
fn with_session(body: impl Fn(&VendorSession<'_>) -> Result<()> + 'static) -> Installed {
    Script::compiling(move |_, session| {
        body(&session)?;
        let receipt = session.find_or_store(key(b"other"), |missing| Ok(made(missing)))?;
        Ok(session.finish([receipt]))
    })
}

#[test]
fn what_is_requested_and_missing_is_made_and_nothing_else() {
    for requested in 0..16 {
        for present in some(0..16) {
            let asked_for = Rc::new(Cell::new(None));
            let made_for = asked_for.clone();
            let _script = Script::compiling(move |_, session| {
                let receipt = session.find_or_store(key(KEY), |missing| {
                    made_for.set(Some(missing));
                    // More than is asked for must not reach the host.
                    Ok(made(ValueTypes::all()))
                })?;
                assert_eq!(receipt.key().as_bytes(), KEY);
                Ok(session.finish([receipt]))
            });
            let host = Host::new();
            let (compiler, session) = (host.create_compiler(), Session::default());
            for kind in numbers(present) {
                session.put(KEY, kind, b"from before");
            }
            assert_eq!(compile(&compiler, &session, requested), S_OK);

            let missing = requested & !present;
            let mut expected = Vec::new();
            if requested != 0 {
                expected.push(find(KEY, requested));
            }
            if missing != 0 {
                expected.push(store(KEY, missing));
            }
            expected.push(set_keys(&[KEY]));
            assert_eq!(
                session.calls(),
                expected,
                "{requested:#x} with {present:#x} there"
            );
            let asked_for = asked_for.get().map(|types| types.types().count());
            let count = numbers(missing).len();
            assert_eq!(asked_for, (count > 0).then_some(count));

            let mut stored = values(missing);
            stored.extend(
                numbers(present)
                    .into_iter()
                    .map(|k| (k, b"from before".to_vec())),
            );
            assert_eq!(session.values(KEY), stored);
            let here = std::thread::current().id();
            let state = session.state();
            assert!(state.threads.iter().all(|&thread| thread == here));
        }
    }
}

#[test]
fn flags_that_the_ddi_does_not_define_are_ignored() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let sink = seen.clone();
    let _script = Script::compiling(move |_, session| {
        sink.borrow_mut().push(session.requested());
        let receipt = session.find_or_store(key(KEY), |missing| Ok(made(missing)))?;
        Ok(session.finish([receipt]))
    });
    let host = Host::new();
    let compiler = host.create_compiler();
    for (flags, requested) in [
        (0x10, ValueTypes::empty()),
        (0x7FFF_FFF1, ValueTypes::OBJECT_CODE),
        (-1, ValueTypes::all()),
        (i32::MIN | 4, ValueTypes::DEBUG_PDB),
    ] {
        let session = Session::default();
        assert_eq!(compile(&compiler, &session, flags), S_OK);
        assert_eq!(seen.borrow_mut().pop(), Some(requested), "{flags:#x}");
        let stored = session.values(KEY);
        assert_eq!(stored.len(), requested.types().count());
    }
}

#[test]
fn what_make_leaves_out_or_leaves_empty_fails_the_compile() {
    let makes: [fn(ValueTypes) -> Values<'static>; 3] = [
        |_| Values::new(),
        |_| Values::new().with(ValueType::ObjectCode, value_of(ValueType::ObjectCode)),
        |_| made(ValueTypes::all()).with(ValueType::Metadata, Vec::new()),
    ];
    for make in makes {
        let _script = Script::compiling(move |_, session| {
            let receipt = session.find_or_store(key(KEY), |missing| Ok(make(missing)))?;
            Ok(session.finish([receipt]))
        });
        let host = Host::new();
        let (compiler, session) = (host.create_compiler(), Session::default());
        let (hresult, lines) = capture(|| compile(&compiler, &session, 3));
        assert_eq!(hresult, E_FAIL);
        assert!(lines[0].text.contains("Metadata") || lines[0].text.contains("ObjectCode"));
        assert_eq!(session.calls(), [find(KEY, 3)]);
    }
}

/// `only` names the types that a value has at all.
#[test]
fn a_value_of_some_types_is_asked_for_those() {
    let two_values = |only: ValueTypes| {
        Script::compiling(move |_, session| {
            let whole = session.find_or_store(key(b"whole"), |missing| Ok(made(missing)))?;
            let part =
                session.find_or_store_only(key(b"part"), only, |missing| Ok(made(missing)))?;
            Ok(session.finish([part, whole]))
        })
    };
    let host = Host::new();
    let compiler = host.create_compiler();
    // Both: code and metadata are requested, the part has code only.
    let script = two_values(ValueTypes::OBJECT_CODE);
    let session = Session::default();
    assert_eq!(compile(&compiler, &session, 3), S_OK);
    let expected = [
        find(b"whole", 3),
        store(b"whole", 3),
        find(b"part", 1),
        store(b"part", 1),
        set_keys(&[b"part", b"whole"]),
    ];
    assert_eq!(session.calls(), expected);
    drop(script);

    // Metadata is requested, the part has code only: it is named as soon as the session holds it.
    let _script = two_values(ValueTypes::OBJECT_CODE);
    for stored_before in [false, true] {
        let session = Session::default();
        if stored_before {
            session.put(b"part", 0, b"code");
        }
        assert_eq!(compile(&compiler, &session, 2), S_OK);
        let keys = session.object_keys().unwrap();
        let expected: &[&[u8]] = if stored_before {
            &[b"part", b"whole"]
        } else {
            &[b"whole"]
        };
        assert_eq!(keys, expected);
    }
}

/// Somebody else stores between our find and our store.
#[test]
fn a_lost_race_is_success_and_leaves_the_winners_values() {
    let _script = one_value();
    let host = Host::new();
    let compiler = host.create_compiler();
    for requested in 1..16 {
        for raced in some(1..16) {
            let session = Session::default();
            let winner: BTreeMap<i32, Vec<u8>> = numbers(raced)
                .into_iter()
                .map(|kind| (kind, b"the winner".to_vec()))
                .collect();
            session.state().race = Some((KEY.to_vec(), winner.clone()));
            assert_eq!(compile(&compiler, &session, requested), S_OK);
            assert_eq!(session.object_keys(), Some(vec![KEY.to_vec()]));
            let mut expected = values(requested);
            expected.extend(winner);
            assert_eq!(
                session.values(KEY),
                expected,
                "{requested:#x} requested, {raced:#x} lost"
            );
        }
    }
}

#[test]
fn a_callback_that_fails_fails_the_compile_at_once() {
    let _script = Script::compiling(|_, session| {
        let mut receipts = Vec::new();
        for name in [b"one", b"two"] {
            receipts.push(session.find_or_store(key(name), |missing| Ok(made(missing)))?);
        }
        Ok(session.finish(receipts))
    });
    let host = Host::new();
    let compiler = host.create_compiler();
    let whole = ["find", "store", "find", "store", "set_keys"];
    let failures = [
        E_FAIL,
        E_OUTOFMEMORY,
        E_INVALIDARG,
        E_UNEXPECTED,
        E_ACCESSDENIED,
        DXGI_ERROR_MORE_DATA,
        DXGI_ERROR_DEVICE_REMOVED,
        DXGI_ERROR_CACHE_FULL,
        HRESULT(i32::MIN),
        HRESULT(-1),
    ];
    for at in 0..whole.len() {
        for failure in some(failures) {
            let session = Session::default();
            session.state().fail = Some((at, failure));
            let (hresult, lines) = capture(|| compile(&compiler, &session, 1));
            assert_eq!(hresult, failure, "call {at}");
            assert_eq!(
                session.call_names(),
                whole[..=at],
                "nothing after the failure"
            );
            assert_eq!(lines.len(), 1);

            // The same again, in the same session, finds what is there and completes.
            session.state().fail = None;
            session.calls();
            assert_eq!(compile(&compiler, &session, 1), S_OK);
            let keys = session.object_keys().unwrap();
            assert_eq!(keys, [b"one", b"two"]);
            for key in keys {
                assert_eq!(session.values(&key), values(1));
            }
        }
        // A success that is not S_OK is a success.
        let session = Session::default();
        session.state().fail = Some((at, S_FALSE));
        assert_eq!(compile(&compiler, &session, 1), S_OK, "call {at}");
        assert_eq!(session.call_names(), whole);
    }
}

#[test]
fn keys_are_set_once_on_success_and_never_on_failure() {
    type Outcome = fn() -> Result<()>;

    let host = Host::new();
    let compiler = host.create_compiler();
    let results: [(Outcome, HRESULT); 4] = [
        (|| Ok(()), S_OK),
        (
            || Err(Error::unsupported("no such target")),
            DXGI_ERROR_UNSUPPORTED,
        ),
        (
            || Err(Error::new(DXGI_ERROR_CACHE_FULL, "full")),
            DXGI_ERROR_CACHE_FULL,
        ),
        (
            || Err(Error::new(S_OK, "an error that says success")),
            E_FAIL,
        ),
    ];
    for (result, expected) in results {
        let _script = Script::compiling(move |_, session| {
            let receipt = session.find_or_store(key(KEY), |missing| Ok(made(missing)))?;
            let keys = session.finish([receipt]);
            result().map(|()| keys)
        });
        let session = Session::default();
        assert_eq!(compile(&compiler, &session, 1), expected);
        assert_eq!(session.object_keys().is_some(), expected == S_OK);
    }
}

#[test]
fn keys_are_named_once_in_the_vendors_order() {
    let _script = Script::compiling(|_, session| {
        let mut receipts = Vec::new();
        for name in ["c", "a", "c", "b", "a"] {
            receipts.push(session.find_or_store(key(name.as_bytes()), |m| Ok(made(m)))?);
        }
        Ok(session.finish(receipts))
    });
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    assert_eq!(compile(&compiler, &session, 1), S_OK);
    assert_eq!(session.object_keys().unwrap(), [b"c", b"a", b"b"]);
}

#[test]
fn many_keys_are_named_once_too() {
    let name = |number: u32| format!("key {}", number % 30);
    let _script = Script::compiling(move |_, session| {
        let receipts = (0..100).map(|number| {
            session.find_or_store(key(name(number).as_bytes()), |missing| Ok(made(missing)))
        });
        let receipts = receipts.collect::<Result<Vec<_>>>()?;
        Ok(session.finish(receipts))
    });
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    assert_eq!(compile(&compiler, &session, 1), S_OK);
    let expected: Vec<_> = (0..30).map(|number| name(number).into_bytes()).collect();
    assert_eq!(session.object_keys().unwrap(), expected);
}

/// Asked for by code that has nothing to store, and then stored.
#[test]
fn a_key_that_was_empty_at_first_is_named() {
    let make = |missing| Ok(made(missing));
    for others in [1, 20] {
        let names = (0..others).map(|number: u32| format!("other {number}").into_bytes());
        let names: Vec<_> = names.collect();
        let expected = [&names[..], &[KEY.to_vec()]].concat();
        let _script = Script::compiling(move |_, session| {
            let receipts = names
                .iter()
                .map(|name| session.find_or_store(key(name), make));
            let mut receipts = receipts.collect::<Result<Vec<_>>>()?;
            receipts.push(session.find_or_store_only(key(KEY), ValueTypes::OBJECT_CODE, make)?);
            receipts.push(session.find_or_store(key(KEY), make)?);
            Ok(session.finish(receipts))
        });
        let host = Host::new();
        let (compiler, session) = (host.create_compiler(), Session::default());
        assert_eq!(compile(&compiler, &session, 2), S_OK);
        assert_eq!(session.object_keys().unwrap(), expected);
    }
}

#[test]
fn an_object_without_values_is_refused() {
    let _script = Script::compiling(|_, session| Ok(session.finish([])));
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    assert_eq!(compile(&compiler, &session, 1), E_FAIL);
    assert_eq!(session.calls(), []);
}

#[test]
fn store_takes_what_is_requested_and_not_there() {
    fn try_store(values: fn() -> Values<'static>) -> (HRESULT, Vec<Call>) {
        let _script = Script::compiling(move |_, session| {
            let receipt = session.store(key(KEY), &values())?;
            Ok(session.finish([receipt]))
        });
        let host = Host::new();
        let (compiler, session) = (host.create_compiler(), Session::default());
        session.put(KEY, 1, b"there already");
        (compile(&compiler, &session, 3), session.calls())
    }
    let (hresult, calls) = try_store(|| made(ValueTypes::OBJECT_CODE));
    assert_eq!(
        (hresult, calls),
        (S_OK, vec![store(KEY, 1), set_keys(&[KEY])])
    );
    // Refused by the host: the vendor gets the host's word.
    let (hresult, calls) = try_store(|| made(ValueTypes::METADATA));
    assert_eq!(
        (hresult, calls),
        (DXGI_ERROR_ALREADY_EXISTS, vec![store(KEY, 2)])
    );
    // Refused before the host is asked.
    let refused: [fn() -> Values<'static>; 3] = [
        Values::new,
        || made(ValueTypes::DEBUG_PDB),
        || made(ValueTypes::OBJECT_CODE | ValueTypes::PERFORMANCE_DATA),
    ];
    for values in refused {
        assert_eq!(try_store(values), (E_INVALIDARG, vec![]));
    }
}

#[test]
fn already_exists_can_be_told_from_other_errors() {
    let _script = with_session(|session| {
        let error = session
            .store(key(KEY), &made(ValueTypes::OBJECT_CODE))
            .err()
            .unwrap();
        assert!(error.is_already_exists());
        Ok(())
    });
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    session.put(KEY, 0, b"there already");
    assert_eq!(compile(&compiler, &session, 1), S_OK);
}

#[test]
fn values_are_found_by_size_into_a_buffer_and_by_allocation() {
    let _script = with_session(|session| {
        let (code, other) = (ValueType::ObjectCode, ValueType::DebugPdb);
        for size in [1, 7, 16, 4096, 100_000] {
            let name = key(format!("{size}").as_bytes());
            assert_eq!(session.find_size(&name, code)?, Some(size));
            let found = session.find(&name, code)?.unwrap();
            assert_eq!(&*found, vec![b'v'; size]);
            assert_eq!(found.as_ptr().addr() % 16, 0, "aligned for any type");
            for room in [0, 1, size - 1, size, size + 1] {
                let mut buffer = vec![b'.'; room];
                assert_eq!(session.find_into(&name, code, &mut buffer)?, Some(size));
                let copied = if room < size { 0 } else { size };
                assert_eq!(buffer[..copied], vec![b'v'; copied]);
                assert!(buffer[copied..].iter().all(|&b| b == b'.'));
            }
            // The key without the type, and no key at all.
            for (name, kind) in [(&name, other), (&key(b"absent"), code)] {
                assert_eq!(session.find_size(name, kind)?, None);
                assert!(session.find(name, kind)?.is_none());
                assert_eq!(session.find_into(name, kind, &mut [0; 8])?, None);
                assert_eq!(session.find_into(name, kind, &mut [])?, None);
            }
        }
        Ok(())
    });
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    for size in [1, 7, 16, 4096, 100_000] {
        session.put(format!("{size}").as_bytes(), 0, &vec![b'v'; size]);
    }
    assert_eq!(compile(&compiler, &session, 1), S_OK);
    assert_eq!(session.object_keys(), Some(vec![b"other".to_vec()]));
}

#[test]
fn a_find_that_fails_gives_the_hosts_error() {
    let finds: [fn(&VendorSession<'_>) -> Result<()>; 3] = [
        |s| s.find_size(&key(KEY), ValueType::Metadata).map(drop),
        |s| s.find(&key(KEY), ValueType::Metadata).map(drop),
        |s| {
            s.find_into(&key(KEY), ValueType::Metadata, &mut [0; 4])
                .map(drop)
        },
    ];
    let host = Host::new();
    let compiler = host.create_compiler();
    for find in finds {
        let _script = with_session(find);
        for failure in [
            E_OUTOFMEMORY,
            DXGI_ERROR_MORE_DATA,
            DXGI_ERROR_ALREADY_EXISTS,
        ] {
            let session = Session::default();
            session.state().fail = Some((0, failure));
            assert_eq!(compile(&compiler, &session, 1), failure);
            assert_eq!(session.call_names(), ["find"]);
        }
    }
}

/// What comes back must be in the memory that was given, whatever the host says.
#[test]
fn a_host_that_lies_about_a_value_is_not_believed() {
    static ELSEWHERE: [u8; 64] = [7; 64];

    let by_allocation: [(Find, HRESULT); 8] = [
        // Memory that nobody gave.
        (
            |values, _| {
                values[0].Value.pValue = (&raw const ELSEWHERE).cast_mut().cast();
                values[0].Value.ValueSize = ELSEWHERE.len();
                S_OK
            },
            E_UNEXPECTED,
        ),
        // The dummy pointer that the plugin passed.
        (
            |values, _| {
                values[0].Value.ValueSize = 16;
                S_OK
            },
            E_UNEXPECTED,
        ),
        // More, and less, than was asked for.
        (
            |values, allocate| {
                values[0].Value.pValue = allocate(16);
                values[0].Value.ValueSize = 17;
                S_OK
            },
            E_UNEXPECTED,
        ),
        (
            |values, allocate| {
                values[0].Value.pValue = allocate(16);
                values[0].Value.ValueSize = usize::MAX;
                S_OK
            },
            E_UNEXPECTED,
        ),
        // Inside the memory, but not its start.
        (
            |values, allocate| {
                values[0].Value.pValue = allocate(16).wrapping_byte_add(8);
                values[0].Value.ValueSize = 8;
                S_OK
            },
            E_UNEXPECTED,
        ),
        // Sizes that cannot be had: null, and no panic.
        (
            |_, allocate| {
                let refused = [0, usize::MAX, isize::MAX.cast_unsigned()].map(allocate);
                if refused.iter().all(|memory| memory.is_null()) {
                    E_OUTOFMEMORY
                } else {
                    E_FAIL
                }
            },
            E_OUTOFMEMORY,
        ),
        // Allocates, and then finds nothing, or fails: the memory is the plugin's to free.
        (
            |_, allocate| {
                allocate(64);
                DXGI_ERROR_NOT_FOUND
            },
            S_OK,
        ),
        (
            |_, allocate| {
                allocate(64);
                E_FAIL
            },
            E_FAIL,
        ),
    ];
    let host = Host::new();
    let compiler = host.create_compiler();
    let script = Script::compiling(|_, session| {
        session.find(&key(KEY), ValueType::ObjectCode)?;
        let receipt = session.store(key(KEY), &made(ValueTypes::OBJECT_CODE))?;
        Ok(session.finish([receipt]))
    });
    for (index, (find, expected)) in by_allocation.into_iter().enumerate() {
        let session = Session::default();
        session.state().find = Some(find);
        assert_eq!(compile(&compiler, &session, 1), expected, "lie {index}");
    }
    drop(script);

    let into_a_buffer: [(Find, HRESULT); 3] = [
        (
            |values, _| {
                values[0].Value.ValueSize += 1;
                S_OK
            },
            E_UNEXPECTED,
        ),
        (
            |values, _| {
                values[0].Value.ValueSize = usize::MAX;
                S_OK
            },
            E_UNEXPECTED,
        ),
        // Too small, and yet as large as is needed.
        (|_, _| DXGI_ERROR_MORE_DATA, DXGI_ERROR_MORE_DATA),
    ];
    let _script = Script::compiling(|_, session| {
        session.find_into(&key(KEY), ValueType::ObjectCode, &mut [0; 16])?;
        let receipt = session.store(key(KEY), &made(ValueTypes::OBJECT_CODE))?;
        Ok(session.finish([receipt]))
    });
    for (index, (find, expected)) in into_a_buffer.into_iter().enumerate() {
        let session = Session::default();
        session.state().find = Some(find);
        assert_eq!(compile(&compiler, &session, 1), expected, "lie {index}");
    }
}

#[test]
fn of_several_allocations_the_one_that_the_host_names_counts() {
    let _script = with_session(|session| {
        let found = session.find(&key(KEY), ValueType::ObjectCode)?.unwrap();
        assert_eq!(*found, [2; 8]);
        Ok(())
    });
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    session.state().find = Some(|values, allocate| {
        if values[0].Value.pValue.is_null() {
            return DXGI_ERROR_NOT_FOUND;
        }
        let memory = [1, 2, 3].map(|content: u8| {
            let memory = allocate(8).cast::<u8>();
            // SAFETY: eight bytes that were just given.
            unsafe { memory.write_bytes(content, 8) };
            memory
        });
        values[0].Value.pValue = memory[1].cast();
        values[0].Value.ValueSize = 8;
        S_OK
    });
    assert_eq!(compile(&compiler, &session, 1), S_OK);
}

/// A host that says ALREADY_EXISTS of everything and finds nothing: the values are there, by its word.
#[test]
fn already_exists_is_believed() {
    let _script = one_value();
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    for kind in ALL_TYPES {
        session.put(KEY, kind, b"there");
    }
    session.state().find = Some(|_, _| DXGI_ERROR_NOT_FOUND);
    assert_eq!(compile(&compiler, &session, 15), S_OK);
    assert_eq!(session.object_keys(), Some(vec![KEY.to_vec()]));
}
