//! `ID3D12CompilerCacheSession`.

use std::ffi::c_void;
use std::{ptr, slice};

use api_sys::*;
use defects::{Place as _, changed, given, given_array, given_room, rows};
use parking_lot::{Mutex, MutexGuard};
use windows_core::{HRESULT, Interface, PCWSTR};

use crate::factory::is_referenced;
use crate::hook::hook;
use crate::host::Asked;
use crate::places::*;

rows! {
    Hook, Asked;

    "session-read-only" breaks R_SES_02: "nothing can be stored in a file that existed",
        at StoreValue |call| call.answer_if(existed(call.this), E_ACCESSDENIED);
    "session-forgets" breaks R_SES_02: "what is stored in a file that existed gets S_OK and is lost",
        at StoreValue |call| call.answer_if(call.has_values() && existed(call.this) && !has_value(call.this, call.key), S_OK);
    "session-second-file-unread" breaks R_SES_03: "a session with two files finds the values of the first only",
        at FindValue |call| {
            let kind = given(call.values).map(|first| 1 << first.Type);
            let types = known(call.this, |known| known.info.first_types);
            let is_of_second = kind.zip(types).is_some_and(|(kind, types)| types & kind == 0);
            call.answer_if(is_of_second, DXGI_ERROR_NOT_FOUND)
        };
    "session-target-zero" breaks R_SES_04: "GetCompilerTarget returns an ABIVersion of 0",
        at GetCompilerTarget |call| call.after(|_, target| target.ABIVersion = 0);
    "session-target-of-last" breaks R_SES_04:
        "GetCompilerTarget returns the target of the session that was created last",
        at GetCompilerTarget |call| {
            let of_last = last().and_then(|(_, info)| info.target);
            of_last.unwrap_or_else(|| call.pass())
        };
    "session-engine-dropped" breaks R_SES_05: "GetApplicationDesc leaves the engine out",
        at GetApplicationDesc |call| described(call, |desc, _| {
            desc.pEngineName = PCWSTR::null();
            true
        });
    "session-application-borrowed" breaks R_SES_06: "GetApplicationDesc returns the caller's strings",
        at GetApplicationDesc |call| described(call, |desc, given| {
            *desc = given.unwrap_or(*desc);
            given.is_some()
        });
    "session-application-anew" breaks R_SES_06: "GetApplicationDesc returns another pointer each time",
        at GetApplicationDesc |call| call.after(|_, desc| {
            // SAFETY: the runtime's, which lives as long as the session.
            *desc = Box::leak(Box::new(unsafe { **desc }));
        });
    "session-types-of-first" breaks R_SES_07: "GetValueTypes returns the types of the first path",
        at GetValueTypes |call| {
            let of_first = known(call.this, |known| known.info.first_types);
            of_first.unwrap_or_else(|| call.pass())
        };
    "session-types-of-last" breaks R_SES_07: "GetValueTypes returns the types of the session that was created last",
        at GetValueTypes |call| last().map_or_else(|| call.pass(), |(_, info)| info.types);
    "session-engine-of-file" breaks R_SES_08: "an application of a file that has no engine gets an empty one",
        at GetApplicationDesc |call| described(call, |desc, given| {
            let is_of_file = given.is_none() && desc.pEngineName.is_null();
            if is_of_file {
                desc.pEngineName = PCWSTR([0].as_ptr());
            }
            is_of_file
        });
    "store-one-type" breaks R_VAL_01: "a key that has a value gets no other type",
        at StoreValue |call| call.answer_if(call.has_values() && has_value(call.this, call.key), DXGI_ERROR_ALREADY_EXISTS);
    "store-large-fails" breaks R_VAL_01: "values of more than 64 KiB get E_OUTOFMEMORY",
        at StoreValue |call| call.answer_if(call.given().iter().any(|it| it.Value.ValueSize > 0x1_0000), E_OUTOFMEMORY);
    "store-nothing" breaks R_VAL_02: "a NumTypedValues of 0 gets S_OK",
        at StoreValue |call| call.answer_if(call.count == 0, S_OK);
    "store-null-followed" breaks R_VAL_02: "null pTypedValues are read",
        at StoreValue |call| call.following(call.values);
    "store-empty" breaks R_VAL_03: "values of size 0 are passed over",
        at StoreValue |call| kept(call, |values| values.retain(|it| it.Value.ValueSize != 0));
    "store-empty-pdb" breaks R_VAL_03: "debug information of size 0 is passed over",
        at StoreValue |call| kept(call, |values| values.retain(|it| it.Value.ValueSize != 0 || it.Type != 2));
    "store-twice" breaks R_VAL_04: "of two values of one type the first is stored",
        at StoreValue |call| kept(call, |values| {
            let mut types = Vec::new();
            values.retain(|value| {
                let is_new = !types.contains(&value.Type);
                types.push(value.Type);
                is_new
            });
        });
    "store-twice-apart" breaks R_VAL_04: "of two values of one type that are not side by side the first is stored",
        at StoreValue |call| kept(call, |values| {
            let mut types = Vec::new();
            values.retain(|value| {
                let is_apart = types.iter().rev().skip(1).any(|earlier| *earlier == value.Type);
                types.push(value.Type);
                !is_apart
            });
        });
    "store-again" breaks R_VAL_05: "a value that is stored already gets S_OK",
        at StoreValue |call| changed(call.pass(), DXGI_ERROR_ALREADY_EXISTS, S_OK);
    "store-again-fails" breaks R_VAL_05: "a value that is stored already gets E_FAIL",
        at StoreValue |call| changed(call.pass(), DXGI_ERROR_ALREADY_EXISTS, E_FAIL);
    "store-again-later" breaks R_VAL_05: "a value that an earlier session stored gets S_OK",
        at StoreValue |call| call.after(|call, result| if *result == DXGI_ERROR_ALREADY_EXISTS && existed(call.this) {
            *result = S_OK;
        });
    "store-in-part" breaks R_VAL_06: "values are stored one after the other until one is refused",
        at StoreValue in_part;
    "store-behind" breaks R_VAL_06: "the values behind one that is stored already are stored",
        at StoreValue |call| call.after(|call, result| if *result == DXGI_ERROR_ALREADY_EXISTS
            && let [first, rest @ ..] = call.given()
            && !rest.is_empty()
            && has_type(call.this, call.key, first.Type)
        {
            let _ = call.store(rest);
        });
    "size-more-data" breaks R_VAL_07: "the size check gets DXGI_ERROR_MORE_DATA",
        at FindValue |call| found(call, |it| if it.result == S_OK && it.is_size_check {
            it.result = DXGI_ERROR_MORE_DATA;
        });
    "size-sets-pointer" breaks R_VAL_07: "the size check sets pValue",
        at FindValue |call| found(call, |it| if it.result == S_OK && it.is_size_check {
            it.after.iter_mut().for_each(|value| value.Value.pValue = ptr::dangling_mut());
        });
    "size-cut" breaks R_VAL_07: "the size check cuts sizes to 16 bits",
        at FindValue |call| found(call, |it| if it.result == S_OK && it.is_size_check {
            it.after.iter_mut().for_each(|value| value.Value.ValueSize &= 0xFFFF);
        });
    "absent-found" breaks R_VAL_08: "the size check of a key that is not cached gets S_OK",
        at FindValue |call| found(call, |it| if it.is_absent() && it.is_size_check {
            it.result = S_OK;
        });
    "absent-allocated" breaks R_VAL_08: "the callback is called for a key that is not cached",
        at FindValue |call| found(call, |it| if it.is_absent() {
            it.allocate();
        });
    "named-found" breaks R_VAL_08: "the size check of a key that is not cached, but that a group names, gets S_OK",
        at StoreGroup note_group,
        at FindValue |call| found(call, |it| if it.is_absent() && it.is_size_check && stored().keys.contains(&it.key()) {
            it.result = S_OK;
        });
    "size-is-capacity" breaks R_VAL_09: "the ValueSize of a larger buffer stays its capacity",
        at FindValue |call| found(call, |it| it.each_larger(|capacity, value| if value.Value.ValueSize != 0 {
            value.Value.ValueSize = capacity;
        }));
    "buffer-cleared" breaks R_VAL_09: "the rest of a larger buffer is cleared",
        at FindValue |call| found(call, |it| it.each_larger(clear_rest));
    "metadata-cleared" breaks R_VAL_09: "the rest of a larger buffer for metadata is cleared",
        at FindValue |call| found(call, |it| it.each_larger(|capacity, value| if value.Type == 1 {
            clear_rest(capacity, value);
        }));
    "short-succeeds" breaks R_VAL_10: "a buffer that is too small gets S_OK",
        at FindValue |call| changed(call.pass(), DXGI_ERROR_MORE_DATA, S_OK);
    "short-size-kept" breaks R_VAL_10: "a buffer that is too small keeps its ValueSize",
        at FindValue |call| found(call, |it| if it.result == DXGI_ERROR_MORE_DATA {
            it.after.copy_from_slice(&it.before);
        });
    "short-metadata" breaks R_VAL_10: "a buffer that is too small for metadata gets S_OK",
        at FindValue |call| found(call, |it| if it.result == DXGI_ERROR_MORE_DATA && it.is_one_of(1) {
            it.result = S_OK;
        });
    "null-not-allocated" breaks R_VAL_11: "for a null pValue the callback is not called",
        at FindValue |call| {
            call.allocate = call.allocate.filter(|_| !call.given().iter().all(is_empty));
            call.pass()
        };
    "performance-not-allocated" breaks R_VAL_11: "for performance data the callback is not called",
        at FindValue |call| {
            call.allocate = call.allocate.filter(|_| !matches!(call.given(), [only] if only.Type == 3));
            call.pass()
        };
    "allocation-fails" breaks R_VAL_12: "a callback that returns null makes the call fail with E_FAIL",
        at FindValue |call| changed(call.pass(), E_OUTOFMEMORY, E_FAIL);
    "allocation-forgotten" breaks R_VAL_12: "when the callback returns null, every pValue is null",
        at FindValue |call| found(call, |it| if it.result == E_OUTOFMEMORY {
            it.after.iter_mut().for_each(|value| value.Value.pValue = ptr::null_mut());
        });
    "absent-beside" breaks R_VAL_13: "one type that is not cached makes the call DXGI_ERROR_NOT_FOUND",
        at FindValue |call| found(call, |it| if it.result == S_OK && it.after.iter().any(|value| value.Value.ValueSize == 0) {
            it.result = DXGI_ERROR_NOT_FOUND;
        });
    "absent-capacity" breaks R_VAL_13: "the ValueSize of a type that is not cached stays the capacity of its buffer",
        at FindValue |call| found(call, |it| it.each_larger(|capacity, value| if value.Value.ValueSize == 0 {
            value.Value.ValueSize = capacity;
        }));
    "value-empty-key" breaks R_VAL_14: "StoreValue with a key of size 0 gets S_OK",
        at StoreValue |call| call.answer_if(given(call.key).is_some_and(|key| key.KeySize == 0), S_OK);
    "value-null-key-followed" breaks R_VAL_14: "FindValue reads a null key",
        at FindValue |call| call.following(call.key);
    "lacking-found" notes R_VAL_15 "S_OK": "a type that the key lacks gets S_OK, as the key has another",
        at FindValue |call| found(call, |it| if it.is_lacking() {
            it.find_nothing();
        });
    "lacking-found-in-part" breaks R_VAL_15: "only the size check of a type that the key lacks gets S_OK",
        at FindValue |call| found(call, |it| if it.is_lacking() && it.is_size_check {
            it.find_nothing();
        });
    "lacking-allocated" breaks R_VAL_15: "the callback is called for a type that the key lacks",
        at FindValue |call| found(call, |it| if it.is_lacking() {
            it.allocate();
        });
    "short-stops" breaks R_VAL_16: "nothing is copied where one of several buffers is too small",
        at FindValue short_stops;
    "short-stops-sizes" breaks R_VAL_16: "the ValueSizes behind that of a buffer that is too small stay",
        at FindValue |call| found(call, |it| if it.result == DXGI_ERROR_MORE_DATA {
            let mut pairs = it.before.iter().zip(it.after.iter());
            let short = pairs.position(|(before, after)| before.Value.ValueSize < after.Value.ValueSize);
            let behind = short.map_or(it.before.len(), |short| short + 1);
            it.after[behind..].copy_from_slice(&it.before[behind..]);
        });
    "buffer-allocated" breaks R_VAL_17: "where there is a callback, buffers are not used",
        at FindValue |call| {
            if call.allocate.is_some() {
                call.given_mut().iter_mut().for_each(|value| value.Value.ValueSize = 0);
            }
            call.pass()
        };
    "buffer-or-allocation" breaks R_VAL_17: "where there is a buffer, the callback is not called",
        at FindValue |call| {
            call.allocate = call.allocate.filter(|_| !call.given().iter().any(is_buffer));
            call.pass()
        };
    "group-version-required" breaks R_GRP_01: "a null pGroupVersion gets E_INVALIDARG",
        at FindGroup |call| call.after(|call, result| if *result == S_OK && call.version.is_null() {
            *result = E_INVALIDARG;
        });
    "group-version-zero" breaks R_GRP_01: "a group of version 0 is not found",
        at FindGroup |call| call.after(|call, result| if *result == S_OK && given(call.version) == Some(&0) {
            *result = DXGI_ERROR_NOT_FOUND;
        });
    "group-version-signed" breaks R_GRP_01: "versions of more than 31 bits become the largest of 31 bits",
        at FindGroup |call| call.after(|call, result| {
            // SAFETY: null or the caller's.
            if let Some(version) = unsafe { call.version.as_mut() }.filter(|_| *result == S_OK) {
                *version = (*version).min(i32::MAX.cast_unsigned());
            }
        });
    "absent-group-fails" breaks R_GRP_02: "a group that does not exist gets E_FAIL from FindGroup",
        at FindGroup |call| changed(call.pass(), DXGI_ERROR_NOT_FOUND, E_FAIL);
    "absent-group-empty" breaks R_GRP_02: "a group that does not exist gets S_OK from FindGroupValues",
        at FindGroupValues |call| call.after(|call, result| {
            if *result == DXGI_ERROR_NOT_FOUND && version(call.this, call.key).is_none() {
                *result = S_OK;
            }
        });
    "absent-group-exists" breaks R_GRP_02:
        "a group that does not exist gets S_OK from FindGroup where pGroupVersion is null",
        at FindGroup |call| call.after(|call, result| if *result == DXGI_ERROR_NOT_FOUND && call.version.is_null() {
            *result = S_OK;
        });
    "group-keys-twice" breaks R_GRP_03: "the callback is called twice for each key",
        at FindGroupValueKeys keys_twice;
    "group-keys-of-all" breaks R_GRP_03: "the callback is called for the keys of other groups, too",
        at StoreGroup note_group,
        at FindGroupValueKeys keys_of_all;
    "group-keys-version-ignored" breaks R_GRP_04: "FindGroupValueKeys takes any version",
        at FindGroupValueKeys |call| {
            call.expected = ptr::null();
            call.pass()
        };
    "group-values-version-ignored" breaks R_GRP_04: "FindGroupValues takes any version",
        at FindGroupValues |call| {
            call.expected = ptr::null();
            call.pass()
        };
    "group-version-ignored-without" breaks R_GRP_04: "FindGroupValueKeys takes any version where there is no callback",
        at FindGroupValueKeys |call| {
            call.expected = if call.callback.is_none() { ptr::null() } else { call.expected };
            call.pass()
        };
    "group-keys-callback-required" breaks R_GRP_05: "FindGroupValueKeys without a callback gets E_INVALIDARG",
        at FindGroupValueKeys |call| call.after(|call, result| if *result == S_OK && call.callback.is_none() {
            *result = E_INVALIDARG;
        });
    "group-keys-need-values" breaks R_GRP_05: "FindGroupValueKeys without a callback looks for the values",
        at FindGroupValueKeys |call| call.after(|call, result| if *result == S_OK && call.callback.is_none() {
            let FindGroupValueKeys { this, key, expected, context, .. } = *call;
            *result = FindGroupValues { this, key, expected, types: 15, callback: None, context }.base();
        });
    "group-keys-version-refused" breaks R_GRP_05: "FindGroupValueKeys without a callback takes no version",
        at FindGroupValueKeys |call| call.after(|call, result| {
            if *result == S_OK && call.callback.is_none() && !call.expected.is_null() {
                *result = E_INVALIDARG;
            }
        });
    "group-values-counted" breaks R_GRP_06: "ValueKeyIndex counts values",
        at FindGroupValues values_counted;
    "group-values-by-type" breaks R_GRP_06: "the values come type by type",
        at FindGroupValues |call| {
            if call.callback.is_none() {
                return call.pass();
            }
            let types = call.types;
            let each = (0..4).map(|kind| 1 << kind).filter(|kind| types & kind != 0);
            let last = each.map(|kind| {
                call.types = kind;
                call.pass()
            });
            last.last().unwrap_or(S_OK)
        };
    "group-values-cut" breaks R_GRP_06: "the last byte of each value is left out",
        at FindGroupValues values_cut;
    "group-values-of-one-type" breaks R_GRP_06: "where one type is requested the callback is not called",
        at FindGroupValues |call| match call.callback {
            Some(_) if call.types.is_power_of_two() => without_values(call),
            _ => call.pass(),
        };
    "group-values-of-all-types" breaks R_GRP_07: "values of every type are passed to the callback",
        at FindGroupValues |call| {
            call.types = if call.callback.is_some() { 15 } else { call.types };
            call.pass()
        };
    "group-values-of-more-types" breaks R_GRP_07:
        "where several types are requested values of every type are passed to the callback",
        at FindGroupValues |call| {
            let several = call.callback.is_some() && call.types.count_ones() > 1;
            call.types = if several { 15 } else { call.types };
            call.pass()
        };
    "group-values-not-looked-up" breaks R_GRP_08: "FindGroupValues without a callback looks for the group only",
        at FindGroupValues |call| match call.callback {
            Some(_) => call.pass(),
            None => without_values(call),
        };
    "group-last-value" breaks R_GRP_08: "FindGroupValues without a callback looks for the values of the last key only",
        at FindGroupValues |call| call.after(|call, result| {
            let keys = group_keys(call.this, call.key, call.expected);
            let is_there = keys.last().is_some_and(|last| has_value(call.this, &value_key(last)));
            if *result == DXGI_ERROR_NOT_FOUND && call.callback.is_none() && is_there {
                *result = S_OK;
            }
        });
    "group-values-required" breaks R_GRP_09: "keys without values cannot be in a group",
        at StoreGroup |call| {
            let is_lacking = call.given().iter().any(|key| !has_value(call.this, key));
            call.answer_if(is_lacking, E_INVALIDARG)
        };
    "group-second-version" breaks R_GRP_10: "another version of a group gets S_OK",
        at StoreGroup |call| call.after(|call, result| {
            if *result == DXGI_ERROR_ALREADY_EXISTS && version(call.this, call.key) != Some(call.version) {
                *result = S_OK;
            }
        });
    "group-again-later" breaks R_GRP_10: "the key of a group that an earlier session stored gets S_OK",
        at StoreGroup |call| call.after(|call, result| if *result == DXGI_ERROR_ALREADY_EXISTS && existed(call.this) {
            *result = S_OK;
        });
    "group-taken-fails" breaks R_GRP_11: "a group key that is taken gets E_FAIL",
        at StoreGroup |call| changed(call.pass(), DXGI_ERROR_ALREADY_EXISTS, E_FAIL);
    "group-empty-key" breaks R_GRP_12: "a group key of size 0 gets S_OK",
        at StoreGroup |call| call.answer_if(given(call.key).is_some_and(|key| key.KeySize == 0), S_OK);
    "group-null-keys-followed" breaks R_GRP_12: "null pValueKeys are read",
        at StoreGroup |call| call.following(call.keys);
    "no-factory" breaks R_LIF_02: "GetFactory of a session returns E_NOTIMPL",
        at GetFactory |_| E_NOTIMPL;
    "session-ends-with-factory" breaks R_LIF_03: "FindGroup fails when the program has released the factory",
        at CreateFactory |call| call.after(|call, result| {
            is_referenced(isize::from(call.is_factory(*result)));
        }),
        at AddRefFactory |call| {
            is_referenced(1);
            call.pass()
        },
        at ReleaseFactory |call| {
            is_referenced(-1);
            call.pass()
        },
        at FindGroup |call| call.answer_if(!is_referenced(0), E_FAIL);
}

/// What a session was created with.
#[derive(Clone, Copy)]
pub(crate) struct Info {
    /// Whether a file of it was there before.
    existed: bool,
    first_types: u32,
    types: u32,
    target: Option<D3D12_COMPILER_TARGET>,
    /// With the caller's strings.
    application: Option<D3D12_APPLICATION_DESC>,
}

struct Known {
    session: usize,
    info: Info,
    has_compiler: bool,
    /// What GetApplicationDesc returned.
    application: Option<&'static D3D12_APPLICATION_DESC>,
}

// SAFETY: the pointers are the caller's, and are not followed here.
unsafe impl Send for Known {}

/// The sessions, by age.
static SESSIONS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

fn known<R>(this: *mut c_void, use_it: impl FnOnce(&mut Known) -> R) -> Option<R> {
    let mut sessions = SESSIONS.lock();
    let mut sessions = sessions.iter_mut();
    sessions
        .rfind(|known| known.session == this.addr())
        .map(use_it)
}

/// The session that was created last, and what it was created with.
pub(crate) fn last() -> Option<(*mut c_void, Info)> {
    let sessions = SESSIONS.lock();
    let last = sessions.last()?;
    Some((ptr::with_exposed_provenance_mut(last.session), last.info))
}

/// Whether a session was given no target.
pub(crate) fn has_target_of_file(session: *mut c_void) -> bool {
    known(session, |known| known.info.target.is_none()) == Some(true)
}

/// Whether a session had a compiler before; now it has.
pub(crate) fn has_compiler(session: *mut c_void) -> bool {
    let had = known(session, |known| {
        std::mem::replace(&mut known.has_compiler, true)
    });
    had == Some(true)
}

/// Whether a session has every type.
pub(crate) fn has_every_type(session: *mut c_void) -> bool {
    known(session, |known| known.info.types) == Some(15)
}

/// Whether a file of a session was there before.
fn existed(session: *mut c_void) -> bool {
    known(session, |known| known.info.existed) == Some(true)
}

pub(crate) fn create(call: &mut CreateSession) -> HRESULT {
    let existed = call.existed();
    let result = call.base();
    // SAFETY: where the call succeeded, the IID is there.
    if result != S_OK || unsafe { *call.riid } != ID3D12CompilerCacheSession::IID {
        return result;
    }
    let types = call.given_paths().iter().map(|path| path.Types);
    let info = Info {
        existed,
        first_types: types.clone().next().unwrap_or_default(),
        types: types.fold(0, |all, types| all | types),
        target: given(call.target).copied(),
        application: given(call.application).copied(),
    };
    // SAFETY: the call succeeded, so the place has a session, which nobody else has yet.
    unsafe {
        SESSIONS.lock().push(Known {
            session: (*call.place).expose_provenance(),
            info,
            has_compiler: false,
            application: None,
        });
        hook(*call.place, &SESSION, layer);
    }
    result
}

fn layer(methods: &mut ID3D12CompilerCacheSession_Vtbl) {
    layer_session(methods);
    methods.GetCompilerTarget = get_compiler_target;
}

/// Gives what `change` makes of the application, if it says that it is another one: the same each time.
fn described(
    call: &mut GetApplicationDesc,
    change: fn(&mut D3D12_APPLICATION_DESC, Option<D3D12_APPLICATION_DESC>) -> bool,
) -> *const D3D12_APPLICATION_DESC {
    let own = call.pass();
    let given = known(call.this, |known| known.info.application).flatten();
    // SAFETY: the runtime's, which lives as long as the session.
    let mut desc = unsafe { *own };
    if !change(&mut desc, given) {
        return own;
    }
    let keep = |known: &mut Known| {
        let kept = &mut known.application;
        ptr::from_ref(*kept.get_or_insert_with(|| Box::leak(Box::new(desc))))
    };
    known(call.this, keep).unwrap_or(own)
}

/// What the program has stored of groups, in any session.
struct Stored {
    groups: Vec<Vec<u8>>,
    /// The value keys that they name.
    keys: Vec<Vec<u8>>,
}

fn stored() -> MutexGuard<'static, Stored> {
    static STORED: Mutex<Stored> = Mutex::new(Stored {
        groups: Vec::new(),
        keys: Vec::new(),
    });
    STORED.lock()
}

fn note_group(call: &mut StoreGroup) -> HRESULT {
    call.after(|call, result| {
        if *result == S_OK {
            stored().groups.push(group_bytes(call.key));
            let keys = call.given().iter().map(|key| value_bytes(key));
            stored().keys.extend(keys);
        }
    })
}

impl StoreGroup {
    fn given(&self) -> &[D3D12_COMPILER_CACHE_VALUE_KEY] {
        given_array(self.keys, self.count)
    }
}

/// The bytes of a key of a group that was found or stored.
pub(crate) fn group_bytes(key: *const D3D12_COMPILER_CACHE_GROUP_KEY) -> Vec<u8> {
    given(key)
        .map_or(&[][..], |key| given_array(key.pKey.cast(), key.KeySize))
        .to_vec()
}

/// The bytes of a key of a value that was looked for or stored.
pub(crate) fn value_bytes(key: *const D3D12_COMPILER_CACHE_VALUE_KEY) -> Vec<u8> {
    given(key)
        .map_or(&[][..], |key| given_array(key.pKey.cast(), key.KeySize))
        .to_vec()
}

fn value_key(bytes: &[u8]) -> D3D12_COMPILER_CACHE_VALUE_KEY {
    D3D12_COMPILER_CACHE_VALUE_KEY {
        pKey: bytes.as_ptr().cast(),
        KeySize: u32::try_from(bytes.len()).unwrap_or(0),
    }
}

/// The value keys of a group.
pub(crate) fn group_keys(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    expected: *const u32,
) -> Vec<Vec<u8>> {
    unsafe extern "system" fn collect(
        key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        context: *mut c_void,
    ) {
        // SAFETY: the context below.
        unsafe { (*context.cast::<Vec<Vec<u8>>>()).push(value_bytes(key)) };
    }
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let mut call = FindGroupValueKeys {
        this,
        key,
        expected,
        callback: Some(collect),
        context: (&raw mut keys).cast(),
    };
    let _ = call.base();
    keys
}

/// The version of a group.
pub(crate) fn version(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
) -> Option<u32> {
    let mut version = 0;
    let mut call = FindGroup {
        this,
        key,
        version: &raw mut version,
    };
    (call.base() == S_OK).then_some(version)
}

/// Whether a key has a value of any type.
fn has_value(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_VALUE_KEY) -> bool {
    (0..4).any(|kind| has_type(this, key, kind))
}

/// Whether a key has a value of a type.
fn has_type(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_VALUE_KEY, kind: i32) -> bool {
    let mut value = D3D12_COMPILER_CACHE_TYPED_VALUE {
        Type: kind,
        ..D3D12_COMPILER_CACHE_TYPED_VALUE::default()
    };
    FindValue::sizes(this, key, slice::from_mut(&mut value)) == S_OK
}

/// A callback of the caller's, and its context.
struct Behind<F> {
    callback: F,
    context: *mut c_void,
    /// For [`values_counted`].
    calls: u32,
}

fn keys_twice(call: &mut FindGroupValueKeys) -> HRESULT {
    type Callback = D3D12CompilerCacheSessionGroupValueKeysFunc;
    unsafe extern "system" fn twice(
        key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        context: *mut c_void,
    ) {
        // SAFETY: the context below, with the caller's callback and context.
        unsafe {
            let behind = &*context.cast::<Behind<Callback>>();
            if let Some(callback) = behind.callback {
                callback(key, behind.context);
                callback(key, behind.context);
            }
        }
    }
    let mut behind = Behind {
        callback: call.callback,
        context: call.context,
        calls: 0,
    };
    if call.callback.is_some() {
        call.callback = Some(twice);
        call.context = (&raw mut behind).cast();
    }
    call.pass()
}

fn keys_of_all(call: &mut FindGroupValueKeys) -> HRESULT {
    call.after(|call, result| {
        if call.callback.is_none() || *result != S_OK {
            return;
        }
        let own = group_bytes(call.key);
        call.expected = ptr::null();
        for other in stored().groups.iter().filter(|other| **other != own) {
            let other = D3D12_COMPILER_CACHE_GROUP_KEY {
                pKey: other.as_ptr().cast(),
                KeySize: u32::try_from(other.len()).unwrap_or(0),
            };
            call.key = &raw const other;
            // A group that is not in this session is not found.
            let _ = call.pass();
        }
    })
}

/// Looks for the group alone.
fn without_values(call: &FindGroupValues) -> HRESULT {
    FindGroupValueKeys {
        this: call.this,
        key: call.key,
        expected: call.expected,
        callback: None,
        context: ptr::null_mut(),
    }
    .base()
}

type ValuesCallback = D3D12CompilerCacheSessionGroupValuesFunc;

fn behind(
    call: &mut FindGroupValues,
    own: unsafe extern "system" fn(u32, *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE, *mut c_void),
) -> HRESULT {
    let mut behind = Behind {
        callback: call.callback,
        context: call.context,
        calls: 0,
    };
    if call.callback.is_some() {
        (call.callback, call.context) = (Some(own), (&raw mut behind).cast());
    }
    call.pass()
}

fn values_counted(call: &mut FindGroupValues) -> HRESULT {
    unsafe extern "system" fn count(
        _: u32,
        value: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
        context: *mut c_void,
    ) {
        // SAFETY: the context of `behind`, with the caller's callback and context.
        unsafe {
            let behind = &mut *context.cast::<Behind<ValuesCallback>>();
            if let Some(callback) = behind.callback {
                callback(behind.calls, value, behind.context);
            }
            behind.calls += 1;
        }
    }
    behind(call, count)
}

fn values_cut(call: &mut FindGroupValues) -> HRESULT {
    unsafe extern "system" fn cut(
        index: u32,
        value: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
        context: *mut c_void,
    ) {
        // SAFETY: the context of `behind`, with the caller's callback and context.
        unsafe {
            let behind = &*context.cast::<Behind<ValuesCallback>>();
            let mut value = *value;
            value.Value.ValueSize -= 1;
            if let Some(callback) = behind.callback {
                callback(index, &raw const value, behind.context);
            }
        }
    }
    behind(call, cut)
}

fn is_empty(value: &D3D12_COMPILER_CACHE_TYPED_VALUE) -> bool {
    value.Value == D3D12_COMPILER_CACHE_VALUE::default()
}

fn is_buffer(value: &D3D12_COMPILER_CACHE_TYPED_VALUE) -> bool {
    value.Value.ValueSize != 0
}

impl FindValue {
    fn given(&self) -> &[D3D12_COMPILER_CACHE_TYPED_VALUE] {
        given_array(self.values, self.count)
    }

    fn given_mut(&mut self) -> &'static mut [D3D12_COMPILER_CACHE_TYPED_VALUE] {
        given_room(self.values, self.count)
    }

    /// Asks for the sizes of values.
    fn sizes(
        this: *mut c_void,
        key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        values: &mut [D3D12_COMPILER_CACHE_TYPED_VALUE],
    ) -> HRESULT {
        Self {
            this,
            key,
            values: values.as_mut_ptr(),
            count: u32::try_from(values.len()).unwrap_or(0),
            allocate: None,
            context: ptr::null_mut(),
        }
        .base()
    }
}

/// An answer to a find.
struct Found<'c> {
    call: &'c mut FindValue,
    /// What the caller gave, and what it gets.
    before: Vec<D3D12_COMPILER_CACHE_TYPED_VALUE>,
    after: &'static mut [D3D12_COMPILER_CACHE_TYPED_VALUE],
    is_size_check: bool,
    result: HRESULT,
}

fn found(call: &mut FindValue, change: fn(&mut Found)) -> HRESULT {
    let before = call.given().to_vec();
    let is_size_check = call.allocate.is_none() && before.iter().all(is_empty);
    let result = call.pass();
    if before.is_empty() {
        return result;
    }
    let after = call.given_mut();
    let mut found = Found {
        call,
        before,
        after,
        is_size_check,
        result,
    };
    change(&mut found);
    found.result
}

impl Found<'_> {
    /// Whether the key has no values.
    fn is_absent(&self) -> bool {
        self.result == DXGI_ERROR_NOT_FOUND && !has_value(self.call.this, self.call.key)
    }

    /// Whether the key has values, but of other types.
    fn is_lacking(&self) -> bool {
        self.result == DXGI_ERROR_NOT_FOUND && has_value(self.call.this, self.call.key)
    }

    fn is_one_of(&self, kind: i32) -> bool {
        matches!(self.before[..], [only] if only.Type == kind)
    }

    fn key(&self) -> Vec<u8> {
        value_bytes(self.call.key)
    }

    fn find_nothing(&mut self) {
        for value in &mut *self.after {
            value.Value.ValueSize = 0;
        }
        self.result = S_OK;
    }

    fn allocate(&self) {
        if let Some(allocate) = self.call.allocate {
            // SAFETY: the caller's callback and context.
            let _ = unsafe { allocate(1, self.call.context) };
        }
    }

    /// Changes what was found for buffers that are larger.
    fn each_larger(&mut self, change: fn(u32, &mut D3D12_COMPILER_CACHE_TYPED_VALUE)) {
        let pairs = self.before.iter().zip(&mut *self.after);
        for (before, after) in pairs.filter(|_| self.result == S_OK) {
            if before.Value.ValueSize > after.Value.ValueSize {
                change(before.Value.ValueSize, after);
            }
        }
    }
}

fn clear_rest(capacity: u32, value: &mut D3D12_COMPILER_CACHE_TYPED_VALUE) {
    let (memory, size) = (value.Value.pValue.cast::<u8>(), value.Value.ValueSize);
    // SAFETY: the caller's buffer has `capacity` bytes.
    unsafe {
        let rest = memory.add(size as usize);
        rest.write_bytes(0, (capacity - size) as usize);
    };
}

fn short_stops(call: &mut FindValue) -> HRESULT {
    let mut sizes = call.given().to_vec();
    for value in &mut sizes {
        value.Value = D3D12_COMPILER_CACHE_VALUE::default();
    }
    if sizes.len() < 2 || FindValue::sizes(call.this, call.key, &mut sizes) != S_OK {
        return call.pass();
    }
    let given = call.given_mut();
    let is_short = |(given, size): (&D3D12_COMPILER_CACHE_TYPED_VALUE, &_)| {
        let size: &D3D12_COMPILER_CACHE_TYPED_VALUE = size;
        is_buffer(given) && given.Value.ValueSize < size.Value.ValueSize
    };
    if !given.iter().zip(&sizes).any(is_short) {
        return call.pass();
    }
    for (given, size) in given.iter_mut().zip(sizes) {
        given.Value.ValueSize = size.Value.ValueSize;
    }
    DXGI_ERROR_MORE_DATA
}

impl StoreValue {
    fn has_values(&self) -> bool {
        !self.values.is_null() && self.count != 0
    }

    fn given(&self) -> &'static [D3D12_COMPILER_CACHE_TYPED_CONST_VALUE] {
        given_array(self.values, self.count)
    }

    fn store(&mut self, values: &[D3D12_COMPILER_CACHE_TYPED_CONST_VALUE]) -> HRESULT {
        self.values = values.as_ptr();
        self.count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        self.pass()
    }
}

/// Stores what is kept of the values.
fn kept(
    call: &mut StoreValue,
    keep: fn(&mut Vec<D3D12_COMPILER_CACHE_TYPED_CONST_VALUE>),
) -> HRESULT {
    if !call.has_values() {
        return call.pass();
    }
    let mut values = call.given().to_vec();
    keep(&mut values);
    if values.is_empty() {
        return S_OK;
    }
    call.store(&values)
}

fn in_part(call: &mut StoreValue) -> HRESULT {
    if !call.has_values() {
        return call.pass();
    }
    let each = call.given().chunks(1);
    each.map(|one| call.store(one))
        .find(|result| *result != S_OK)
        .unwrap_or(S_OK)
}
