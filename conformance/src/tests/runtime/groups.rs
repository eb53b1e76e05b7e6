//! R-GRP: groups of values.

use crate::Rule;
use crate::fault::{Watch, watched};
use crate::runtime::{ALL_TYPES, Kind, Runtime, Session, group_key, result, value_key};
use crate::verdict::{Outcome, Stop, ensure, failure};
use ddi_sys::{DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_NOT_FOUND, E_INVALIDARG, HRESULT, S_OK};
use std::ptr;

/// The version of the groups here.
const VERSION: u32 = 7;

/// A session with the group `group` of three keys, which have no values.
fn session_with_group(runtime: &Runtime) -> Result<Session, Stop> {
    let (_, session) = runtime.session()?;
    session.put_group(b"group", VERSION, &KEYS)?;
    Ok(session)
}

const KEYS: [&[u8]; 3] = [b"a key", b"another", b"\0"];

/// A session with the group `group`, and two types of value for two of its keys.
fn session_with_values(runtime: &Runtime) -> Result<Session, Stop> {
    let session = session_with_group(runtime)?;
    let pdb = (Kind::DebugPdb, &b"pdb"[..]);
    session.put(KEYS[0], &[(Kind::ObjectCode, b"code of a"), pdb])?;
    session.put(KEYS[1], &[(Kind::ObjectCode, b"code of another")])?;
    session.put(KEYS[2], &[(Kind::ObjectCode, b"code of \\0"), pdb])?;
    Ok(session)
}

pub(crate) fn have_a_version(runtime: &Runtime) -> Outcome {
    let session = session_with_group(runtime)?;
    session.put_group(b"zero", 0, &KEYS)?;
    for (key, expected) in [(&b"group"[..], VERSION), (b"zero", 0)] {
        let got = session.find_group(key);
        ensure!(
            got == Ok(expected),
            call: "FindGroup of a group of version {expected}",
            expected: "S_OK and the version",
            got: "returned {got:?}",
        );
    }
    let follows = failure!(
        call: "FindGroup(null pGroupVersion)",
        expected: "S_OK",
        got: "a memory fault: it writes through null",
    );
    let key = group_key(b"group");
    let returned = watched(vec![Watch::null(follows)], || {
        // SAFETY: the version may be null.
        result(unsafe { session.raw().FindGroup(&raw const key, ptr::null_mut()) })
    });
    ensure!(
        returned == S_OK,
        call: "FindGroup(null pGroupVersion)",
        expected: "S_OK",
        got: "returned {returned}",
    );
    Ok(())
}

pub(crate) fn are_not_found(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    // The keys around one that is there, and one of a value.
    for key in [&b"absent"[..], b"grou", b"group\0", KEYS[0]] {
        let (of_keys, keys) = session.find_group_keys(key, None);
        let (of_values, values) = session.find_group_values(key, None, ALL_TYPES);
        for (name, returned) in [
            ("FindGroup", session.find_group(key).err().unwrap_or(S_OK)),
            ("FindGroupValueKeys", of_keys),
            ("FindGroupValues", of_values),
            (
                "FindGroupValueKeys without a callback",
                session.has_group(key),
            ),
            (
                "FindGroupValues without a callback",
                session.has_group_values(key, ALL_TYPES),
            ),
        ] {
            ensure!(
                returned == DXGI_ERROR_NOT_FOUND,
                call: "{name}({key:?}), a group that does not exist",
                expected: "DXGI_ERROR_NOT_FOUND",
                got: "returned {returned}",
            );
        }
        let calls = keys.len() + values.len();
        ensure!(
            calls == 0,
            call: "FindGroupValueKeys and FindGroupValues({key:?}), a group that does not exist",
            expected: "no callback",
            got: "{calls} calls",
        );
    }
    Ok(())
}

pub(crate) fn have_keys(runtime: &Runtime) -> Outcome {
    let session = session_with_group(runtime)?;
    let (returned, mut keys) = session.find_group_keys(b"group", None);
    keys.sort_unstable();
    let mut expected = KEYS.map(<[u8]>::to_vec);
    expected.sort_unstable();
    ensure!(
        returned == S_OK && keys == expected,
        call: "FindGroupValueKeys of a group with three keys",
        expected: "S_OK, and each key once",
        got: "returned {returned}, with {keys:?}",
    );
    Ok(())
}

pub(crate) fn of_other_versions_are_not_found(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    for expected in [VERSION - 1, VERSION, VERSION + 1, 0] {
        let (of_keys, keys) = session.find_group_keys(b"group", Some(expected));
        let (of_values, values) = session.find_group_values(b"group", Some(expected), ALL_TYPES);
        let own = expected == VERSION;
        for (name, returned, calls) in [
            ("FindGroupValueKeys", of_keys, keys.len()),
            ("FindGroupValues", of_values, values.len()),
        ] {
            let right = if own { S_OK } else { DXGI_ERROR_NOT_FOUND };
            ensure!(
                returned == right && own == (calls > 0),
                call: "{name}(expected version {expected}) of a group of version {VERSION}",
                expected: "{right}, and callbacks only for the group's own version",
                got: "returned {returned}, with {calls} callbacks",
            );
        }
    }
    Ok(())
}

pub(crate) fn exist_without_values(runtime: &Runtime) -> Outcome {
    let session = session_with_group(runtime)?;
    let follows = failure!(
        call: "FindGroupValueKeys(no callback)",
        expected: "S_OK",
        got: "a memory fault: the null callback is called",
    );
    let returned = watched(vec![Watch::null(follows)], || session.has_group(b"group"));
    ensure!(
        returned == S_OK,
        call: "FindGroupValueKeys(no callback) of a group whose values are not cached",
        expected: "S_OK",
        got: "returned {returned}",
    );
    Ok(())
}

/// What FindGroupValues should tell of the types of `flags`: by the place of the key, the type and
/// the value. Needs R-GRP-03 and R-VAL-09.
fn expected_values(session: &Session, flags: u32) -> Result<Vec<(u32, Kind, Vec<u8>)>, Stop> {
    let mut expected = Vec::new();
    let keys = session.group_keys(b"group")?;
    if keys.len() != KEYS.len() {
        return Err(Stop::needs(Rule::R_GRP_03));
    }
    for (index, key) in (0..).zip(keys) {
        for kind in Kind::ALL
            .into_iter()
            .filter(|kind| flags & kind.flag() != 0)
        {
            if let Some(value) = session.read(&key, kind)? {
                expected.push((index, kind, value));
            }
        }
    }
    Ok(expected)
}

pub(crate) fn have_values(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    let expected = expected_values(&session, ALL_TYPES)?;
    let (returned, values) = session.find_group_values(b"group", None, ALL_TYPES);
    ensure!(
        returned == S_OK,
        call: "FindGroupValues",
        expected: "S_OK",
        got: "returned {returned}",
    );
    let places: Vec<_> = values
        .iter()
        .map(|(index, kind, _)| (*index, *kind))
        .collect();
    ensure!(
        places.is_sorted_by_key(|(index, _)| index),
        call: "FindGroupValues",
        expected: "the values of one key together, and the keys in the order of their index",
        got: "{places:?}, as pairs of ValueKeyIndex and Type",
    );
    let mut left = values;
    for (index, kind, memory) in expected {
        let this = |(i, k, value): &(u32, i32, Vec<u8>)| {
            (*i, *k) == (index, kind as i32) && memory.starts_with(value) && !value.is_empty()
        };
        let found = left.iter().position(this);
        ensure!(
            found.is_some(),
            call: "FindGroupValues",
            expected: "the {kind:?} of the key that FindGroupValueKeys has at {index}",
            got: "{places:?}, as pairs of ValueKeyIndex and Type, and that value nowhere",
        );
        found.map(|found| left.swap_remove(found));
    }
    let more = left.len();
    ensure!(
        more == 0,
        call: "FindGroupValues",
        expected: "each value once",
        got: "{more} callbacks more",
    );
    Ok(())
}

pub(crate) fn have_values_of_types(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    for kind in [Kind::ObjectCode, Kind::DebugPdb, Kind::Metadata] {
        let expected = expected_values(&session, kind.flag())?.len();
        let (returned, values) = session.find_group_values(b"group", None, kind.flag());
        let (calls, other) = (
            values.len(),
            values.iter().any(|(_, other, _)| *other != kind as i32),
        );
        ensure!(
            !other && (calls == 0 || returned == S_OK) && calls <= expected,
            call: "FindGroupValues(ValueTypeFlags for {kind:?} alone)",
            expected: "callbacks for the {expected} values of this type",
            got: "returned {returned}, with {calls} callbacks, and another type: {other}",
        );
    }
    Ok(())
}

pub(crate) fn have_their_values(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    session.put_group(b"without", VERSION, &[b"no value", b"no other"])?;
    session.put_group(b"half", VERSION, &[KEYS[0], b"no value"])?;
    for (what, key, cached) in [
        ("whose values are cached", &b"group"[..], true),
        ("whose values are not cached", b"without", false),
        ("with a value that is not cached", b"half", false),
    ] {
        let follows = failure!(
            call: "FindGroupValues(no callback) of a group {what}",
            expected: "an answer",
            got: "a memory fault: the null callback is called",
        );
        let find = || session.has_group_values(key, Kind::ObjectCode.flag());
        let returned = watched(vec![Watch::null(follows)], find);
        let right = if cached {
            "S_OK"
        } else {
            "DXGI_ERROR_NOT_FOUND, or another failure"
        };
        ensure!(
            if cached { returned == S_OK } else { !returned.is_ok() },
            call: "FindGroupValues(no callback) of a group {what}",
            expected: "the answer {right}",
            got: "returned {returned}",
        );
    }
    Ok(())
}

pub(crate) fn are_stored_without_values(runtime: &Runtime) -> Outcome {
    let (_, session) = runtime.session()?;
    let returned = session.store_group(b"group", VERSION, &KEYS);
    ensure!(
        returned == S_OK,
        call: "StoreGroupValueKeys(keys whose values are not cached)",
        expected: "S_OK",
        got: "returned {returned}",
    );
    Ok(())
}

pub(crate) fn are_stored_once(runtime: &Runtime) -> Outcome {
    let session = session_with_group(runtime)?;
    let before = session.group_keys(b"group")?;
    for version in [VERSION, VERSION + 1] {
        let returned = session.store_group(b"group", version, &[b"other"]);
        ensure!(
            !returned.is_ok(),
            call: "StoreGroupValueKeys(version {version}) with the key of a group of version {VERSION}",
            expected: "a failure",
            got: "returned {returned}",
        );
        let (stored, keys) = (
            session.group_version(b"group")?,
            session.group_keys(b"group")?,
        );
        ensure!(
            stored == Some(VERSION) && keys == before,
            call: "FindGroup and FindGroupValueKeys after a second StoreGroupValueKeys",
            expected: "the group that was stored first, of version {VERSION}",
            got: "version {stored:?}, with {keys:?}",
        );
    }
    Ok(())
}

pub(crate) fn exist_already(runtime: &Runtime) -> Outcome {
    let session = session_with_group(runtime)?;
    for version in [VERSION, VERSION + 1] {
        let returned = session.store_group(b"group", version, &[b"other"]);
        if returned.is_ok() {
            return Err(Stop::needs(Rule::R_GRP_10));
        }
        ensure!(
            returned == DXGI_ERROR_ALREADY_EXISTS,
            call: "StoreGroupValueKeys(version {version}) with the key of a group of version {VERSION}",
            expected: "DXGI_ERROR_ALREADY_EXISTS",
            got: "returned {returned}",
        );
    }
    Ok(())
}

pub(crate) fn refuses_wrong_keys(runtime: &Runtime) -> Outcome {
    let (_, session) = runtime.session()?;
    let (good, empty, mut null) = (group_key(b"group"), group_key(b""), group_key(b"key"));
    null.pKey = ptr::null();
    let value = value_key(b"value");
    let raw = session.raw();
    for (what, key, keys) in [
        ("a null pGroupKey", ptr::null(), &raw const value),
        ("a key of size 0", &raw const empty, &raw const value),
        ("a null pKey", &raw const null, &raw const value),
        ("null pValueKeys", &raw const good, ptr::null()),
    ] {
        let (none, context) = (ptr::null(), ptr::null_mut());
        let store = || session.store_group_raw(key, 1, keys, 1);
        // SAFETY: the key is what is tested; here and below.
        let group = || result(unsafe { raw.FindGroup(key, ptr::null_mut()) });
        // SAFETY: as above.
        let of_keys = || result(unsafe { raw.FindGroupValueKeys(key, none, None, context) });
        let of_values = || {
            // SAFETY: as above.
            result(unsafe { raw.FindGroupValues(key, none, ALL_TYPES, None, context) })
        };
        let calls: [(&str, &dyn Fn() -> HRESULT); 4] = [
            ("StoreGroupValueKeys", &store),
            ("FindGroup", &group),
            ("FindGroupValueKeys", &of_keys),
            ("FindGroupValues", &of_values),
        ];
        // The others take no value keys.
        let calls = if keys.is_null() {
            &calls[..1]
        } else {
            &calls[..]
        };
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
