//! R-GRP: groups of values.

use std::ptr;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, ensure, failure};
use ddi_sys::{DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_NOT_FOUND, E_INVALIDARG, HRESULT, S_OK};

use super::Tests;
use crate::inputs::Application;
use crate::runtime::{ALL_TYPES, Kind, Runtime, Session, group_key, kept, result, value_key};
use crate::watch::fault::{Watch, watched};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::R_GRP_01, r_grp_01_have_a_version),
    (rules::R_GRP_02, r_grp_02_are_not_found),
    (rules::R_GRP_03, r_grp_03_have_keys),
    (rules::R_GRP_04, r_grp_04_of_other_versions_are_not_found),
    (rules::R_GRP_05, r_grp_05_exist_without_values),
    (rules::R_GRP_06, r_grp_06_have_values),
    (rules::R_GRP_07, r_grp_07_have_values_of_types),
    (rules::R_GRP_08, r_grp_08_have_their_values),
    (rules::R_GRP_09, r_grp_09_are_stored_without_values),
    (rules::R_GRP_10, r_grp_10_are_stored_once),
    (rules::R_GRP_11, r_grp_11_exist_already),
    (rules::R_GRP_12, r_grp_12_refuses_wrong_keys),
];

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
    let pdb = (Kind::DebugPdb, PDB);
    session.put(KEYS[0], &[(Kind::ObjectCode, CODE[0]), pdb])?;
    session.put(KEYS[1], &[(Kind::ObjectCode, CODE[1])])?;
    session.put(KEYS[2], &[(Kind::ObjectCode, CODE[2]), pdb])?;
    Ok(session)
}

/// The object code of the keys; all but the second have [`PDB`] too.
const CODE: [&[u8]; 3] = [b"code of a", b"code of another", b"code of \0"];
const PDB: &[u8] = b"pdb";

fn r_grp_01_have_a_version(runtime: &Runtime) -> Outcome {
    let session = session_with_group(runtime)?;
    session.put_group(b"zero", 0, &KEYS)?;
    // Not the largest, which is in the place of the version before the call.
    let large = u32::MAX - 1;
    session.put_group(b"large", large, &KEYS)?;
    for (key, expected) in [(&b"group"[..], VERSION), (b"zero", 0), (b"large", large)] {
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

fn r_grp_02_are_not_found(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    // The keys around one that is there, and one of a value.
    for key in [&b"absent"[..], b"grou", b"group\0", KEYS[0]] {
        let (of_keys, keys) = session.find_group_keys(key, None);
        let (of_values, values) = session.find_group_values(key, None, ALL_TYPES);
        let raw = group_key(key);
        // SAFETY: the version may be null.
        let exists = unsafe { session.raw().FindGroup(&raw const raw, ptr::null_mut()) };
        for (name, returned) in [
            ("FindGroup", session.find_group(key).err().unwrap_or(S_OK)),
            ("FindGroup with a null pGroupVersion", result(exists)),
            ("FindGroupValueKeys", of_keys),
            ("FindGroupValues", of_values),
            (
                "FindGroupValueKeys without a callback",
                session.has_group(key, None),
            ),
            (
                "FindGroupValues without a callback",
                session.has_group_values(key, None, ALL_TYPES),
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

fn r_grp_03_have_keys(runtime: &Runtime) -> Outcome {
    let session = session_with_group(runtime)?;
    // Before and behind, in the order of their names and in that of their storing.
    let others: [(&[u8], &[&[u8]]); 3] = [
        (b"a group", &[b"of another"]),
        (b"group", &KEYS),
        (b"other", &[KEYS[0]]),
    ];
    session.put_group(others[0].0, VERSION, others[0].1)?;
    session.put_group(others[2].0, VERSION + 1, others[2].1)?;
    for (group, expected) in others {
        let (returned, mut keys) = session.find_group_keys(group, None);
        keys.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        let count = expected.len();
        ensure!(
            returned == S_OK && keys == expected,
            call: "FindGroupValueKeys of one of three groups, with {count} keys",
            expected: "S_OK, and each key of this group once",
            got: "returned {returned}, with {keys:?}",
        );
    }
    Ok(())
}

fn r_grp_04_of_other_versions_are_not_found(runtime: &Runtime) -> Outcome {
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
        for (name, returned) in [
            (
                "FindGroupValueKeys",
                session.has_group(b"group", Some(expected)),
            ),
            (
                "FindGroupValues",
                session.has_group_values(b"group", Some(expected), Kind::ObjectCode.flag()),
            ),
        ] {
            // What it returns for its own version without a callback is for other rules.
            ensure!(
                own || returned == DXGI_ERROR_NOT_FOUND,
                call: "{name}(expected version {expected}, no callback) of a group of version {VERSION}",
                expected: "DXGI_ERROR_NOT_FOUND",
                got: "returned {returned}",
            );
        }
    }
    Ok(())
}

fn r_grp_05_exist_without_values(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    session.put_group(b"without", VERSION, &[b"no value"])?;
    for (what, key) in [("are", &b"group"[..]), ("are not", b"without")] {
        for expected in [None, Some(VERSION)] {
            let follows = failure!(
                call: "FindGroupValueKeys(no callback)",
                expected: "S_OK",
                got: "a memory fault: the null callback is called",
            );
            let returned = watched(vec![Watch::null(follows)], || {
                session.has_group(key, expected)
            });
            ensure!(
                returned == S_OK,
                call: "FindGroupValueKeys(no callback, version {expected:?}) of a group whose values {what} cached",
                expected: "S_OK",
                got: "returned {returned}",
            );
        }
    }
    Ok(())
}

/// A value of a group: the place of its key, its type and its bytes.
type Placed = (u32, Kind, &'static [u8]);

/// What FindGroupValues should tell of the types of `flags`: by the place of the key, the type and
/// the value. Needs R-GRP-03.
fn expected_values(session: &Session, flags: u32) -> Result<Vec<Placed>, Stop> {
    let mut expected = Vec::new();
    let keys = session.group_keys(b"group")?;
    if keys.len() != KEYS.len() {
        return Err(Stop::needs(rules::R_GRP_03));
    }
    for (index, key) in (0..).zip(keys) {
        let number = KEYS.iter().position(|own| *own == key);
        let number = number.ok_or(Stop::needs(rules::R_GRP_03))?;
        let pdb = (number != 1).then_some((index, Kind::DebugPdb, PDB));
        let values = [(index, Kind::ObjectCode, CODE[number])].into_iter();
        let asked = |(_, kind, _): &Placed| flags & kind.flag() != 0;
        expected.extend(values.chain(pdb).filter(asked));
    }
    Ok(expected)
}

fn r_grp_06_have_values(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    session.put(b"of another", &[(Kind::ObjectCode, b"code of a group")])?;
    session.put_group(b"a group", VERSION, &[b"of another"])?;
    let code = Kind::ObjectCode.flag();
    for types in [ALL_TYPES, code, code | Kind::DebugPdb.flag()] {
        let expected = expected_values(&session, types)?;
        let (returned, values) = session.find_group_values(b"group", None, types);
        ensure!(
            returned == S_OK,
            call: "FindGroupValues(types {types:#x})",
            expected: "S_OK",
            got: "returned {returned}",
        );
        let places: Vec<_> = values
            .iter()
            .map(|(index, kind, _)| (*index, *kind))
            .collect();
        ensure!(
            places.is_sorted_by_key(|(index, _)| index),
            call: "FindGroupValues(types {types:#x})",
            expected: "the values of one key together, and the keys in the order of their index",
            got: "{places:?}, as pairs of ValueKeyIndex and Type",
        );
        // Those of other types are another rule's business.
        let asked = |(_, kind, _): &(u32, i32, Vec<u8>)| types & (1 << kind) != 0;
        let mut left: Vec<_> = values.into_iter().filter(asked).collect();
        for (index, kind, value) in expected {
            let this = |(i, k, got): &(u32, i32, Vec<u8>)| {
                (*i, *k, &got[..]) == (index, kind as i32, value)
            };
            let found = left.iter().position(this);
            ensure!(
                found.is_some(),
                call: "FindGroupValues(types {types:#x})",
                expected: "the {kind:?} of the key that FindGroupValueKeys has at {index}, all of it",
                got: "{places:?}, as pairs of ValueKeyIndex and Type, and that value nowhere",
            );
            found.map(|found| left.swap_remove(found));
        }
        let more = left.len();
        ensure!(
            more == 0,
            call: "FindGroupValues(types {types:#x})",
            expected: "each value once",
            got: "{more} callbacks more",
        );
    }
    Ok(())
}

fn r_grp_07_have_values_of_types(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    session.put(KEYS[0], &[(Kind::Metadata, b"metadata")])?;
    let [code, metadata, pdb, _] = Kind::ALL.map(Kind::flag);
    for types in [code, pdb, metadata, code | pdb, code | metadata] {
        let (returned, values) = session.find_group_values(b"group", None, types);
        let other = values.iter().find(|(_, kind, _)| types & (1 << kind) == 0);
        let other = other.map(|(_, kind, _)| *kind);
        let calls = values.len();
        ensure!(
            other.is_none() && (calls == 0 || returned == S_OK),
            call: "FindGroupValues(ValueTypeFlags {types:#x})",
            expected: "callbacks for the values of these types",
            got: "returned {returned}, with {calls} callbacks, and another type: {other:?}",
        );
    }
    Ok(())
}

fn r_grp_08_have_their_values(runtime: &Runtime) -> Outcome {
    let session = session_with_values(runtime)?;
    session.put_group(b"without", VERSION, &[b"no value", b"no other"])?;
    session.put_group(b"half", VERSION, &[KEYS[0], b"no value"])?;
    session.put_group(b"other half", VERSION, &[b"no value", KEYS[0]])?;
    for (what, key, cached) in [
        ("whose values are cached", &b"group"[..], true),
        ("whose values are not cached", b"without", false),
        ("with a value that is not cached", b"half", false),
        ("whose first value is not cached", b"other half", false),
    ] {
        let follows = failure!(
            call: "FindGroupValues(no callback) of a group {what}",
            expected: "an answer",
            got: "a memory fault: the null callback is called",
        );
        let find = || session.has_group_values(key, None, Kind::ObjectCode.flag());
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

fn r_grp_09_are_stored_without_values(runtime: &Runtime) -> Outcome {
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

fn r_grp_10_are_stored_once(runtime: &Runtime) -> Outcome {
    let (factory, session) = runtime.session()?;
    session.put_group(b"group", VERSION, &KEYS)?;
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
    // What an earlier session stored.
    let (target, file) = (runtime.target()?, runtime.file("later.psdb"));
    let earlier = factory.session_on(&file, target)?;
    earlier.put_group(b"group", VERSION, &KEYS)?;
    drop(earlier);
    let application = Some(&Application::USUAL);
    let later = factory.create_session(&[(ALL_TYPES, &file)], Some(target), application);
    let later = later.map_err(|_| Stop::needs(rules::R_SES_02))?;
    kept(&later.0);
    if later.group_version(b"group")? != Some(VERSION) {
        return Err(Stop::needs(rules::R_SES_02));
    }
    for version in [VERSION, VERSION + 1] {
        let returned = later.store_group(b"group", version, &[b"other"]);
        let stored = later.group_version(b"group")?;
        ensure!(
            !returned.is_ok() && stored == Some(VERSION),
            call: "StoreGroupValueKeys(version {version}) with the key of a group of an earlier session",
            expected: "a failure, and the group that was stored first, of version {VERSION}",
            got: "returned {returned}, with version {stored:?}",
        );
    }
    Ok(())
}

fn r_grp_11_exist_already(runtime: &Runtime) -> Outcome {
    let session = session_with_group(runtime)?;
    for version in [VERSION, VERSION + 1] {
        let returned = session.store_group(b"group", version, &[b"other"]);
        if returned.is_ok() {
            return Err(Stop::needs(rules::R_GRP_10));
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

fn r_grp_12_refuses_wrong_keys(runtime: &Runtime) -> Outcome {
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
        // SAFETY: the key is what is tested.
        let of_keys = || result(unsafe { raw.FindGroupValueKeys(key, none, None, context) });
        let of_values = || {
            // SAFETY: the key is what is tested.
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
