//! R-SES: cache sessions and their files.

use std::path::Path;

use api_sys::{D3D12_APPLICATION_DESC, D3D12_COMPILER_DATABASE_PATH, ID3D12CompilerCacheSession};
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{E_INVALIDARG, S_OK};
use windows_core::{Interface, PCWSTR};

use super::Tests;
use crate::inputs::{Application, Target};
use crate::runtime::{
    ALL_TYPES, Factory, Kind, RawApplication, Runtime, Session, count, give, kept, made,
    raw_target, wide,
};
use crate::watch::fault::{Watch, watched};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::R_SES_01, r_ses_01_creates_the_file),
    (rules::R_SES_02, r_ses_02_opens_for_modification),
    (rules::R_SES_03, r_ses_03_separates_types),
    (rules::R_SES_04, r_ses_04_has_its_target),
    (rules::R_SES_05, r_ses_05_has_its_application),
    (rules::R_SES_06, r_ses_06_owns_its_application),
    (rules::R_SES_07, r_ses_07_has_its_types),
    (rules::R_SES_08, r_ses_08_stores_target_and_application),
    (rules::R_SES_09, r_ses_09_refuses_wrong_paths),
    (rules::R_SES_10, r_ses_10_refuses_other_files),
    (rules::R_SES_11, r_ses_11_refuses_nameless_applications),
];

/// An application without an engine.
const WITHOUT_ENGINE: Application = Application {
    engine: None,
    ..Application::USUAL
};

fn r_ses_01_creates_the_file(runtime: &Runtime) -> Outcome {
    let (target, factory) = (runtime.target()?, runtime.factory()?);
    let file = runtime.file("new.psdb");
    let application = Some(&Application::USUAL);
    let session = factory.create_session(&[(ALL_TYPES, &file)], Some(target), application);
    let got = made(&session);
    kept(&session);
    ensure!(
        session.is_ok(),
        call: "CreateCompilerCacheSession(a path that leads to no file)",
        expected: "S_OK and a session",
        got: "returned {got}",
    );
    ensure!(
        file.is_file(),
        call: "CreateCompilerCacheSession(a path that leads to no file)",
        expected: "the file, created",
        got: "S_OK, and no file",
    );
    Ok(())
}

fn r_ses_02_opens_for_modification(runtime: &Runtime) -> Outcome {
    let (target, factory) = (runtime.target()?, runtime.factory()?);
    let file = runtime.file("again.psdb");
    let session = factory.session_on(&file, target)?;
    session.put(b"first", &[(Kind::ObjectCode, b"code")])?;
    session.put_group(b"group", 3, &[b"first"])?;
    drop(session);
    let again = |which: &str| {
        let application = Some(&Application::USUAL);
        let session = factory.create_session(&[(ALL_TYPES, &file)], Some(target), application);
        let got = made(&session);
        let Ok(session) = session else {
            broken!(
                call: "CreateCompilerCacheSession(the file of an earlier session), the {which}",
                expected: "S_OK and a session",
                got: "returned {got}",
            );
        };
        Ok(session)
    };
    let holds = |session: &Session, key: &[u8], group: &[u8], which: &str| -> Outcome {
        let (value, group) = (
            session.holds(key, Kind::ObjectCode, b"code")?,
            session.group_version(group)?,
        );
        ensure!(
            value && group == Some(3),
            call: "FindValue and FindGroup in the {which} session on a file",
            expected: "what was stored in it: a value, and a group of version 3",
            got: "the value is there: {value}, the group's version: {group:?}",
        );
        Ok(())
    };
    let session = again("second")?;
    holds(&session, b"first", b"group", "second")?;
    let returned = [
        session.store(b"second", &[(Kind::ObjectCode, b"code")]),
        session.store_group(b"second group", 3, &[b"second"]),
    ];
    ensure!(
        returned == [S_OK; 2],
        call: "StoreValue and StoreGroupValueKeys in a second session on a file",
        expected: "S_OK",
        got: "returned {returned:?}",
    );
    holds(&session, b"second", b"second group", "same")?;
    drop(session);
    let session = again("third")?;
    kept(&session.0);
    holds(&session, b"first", b"group", "third")?;
    holds(&session, b"second", b"second group", "third")
}

fn r_ses_03_separates_types(runtime: &Runtime) -> Outcome {
    const CODE: u32 = Kind::ObjectCode.flag() | Kind::Metadata.flag();
    const PDB: u32 = Kind::DebugPdb.flag() | Kind::PerformanceData.flag();
    let (target, factory) = (runtime.target()?, runtime.factory()?);
    let (code, pdb) = (runtime.file("code.psdb"), runtime.file("pdb.psdb"));
    let open = |files: &[(u32, &Path)]| {
        factory.create_session(files, Some(target), Some(&Application::USUAL))
    };
    kept(&factory.session_on(&runtime.file("one.psdb"), target)?.0);
    let session = open(&[(CODE, &code), (PDB, &pdb)]);
    let got = made(&session);
    let Ok(session) = session else {
        broken!(
            call: "CreateCompilerCacheSession(two paths with types of their own)",
            expected: "S_OK and a session",
            got: "returned {got}",
        );
    };
    let value = |kind| (kind, &b"a value"[..]);
    session.put(b"key", &Kind::ALL.map(value))?;
    for kind in Kind::ALL {
        ensure!(
            session.holds(b"key", kind, b"a value")?,
            call: "FindValue({kind:?}) in the session with two paths",
            expected: "the value that it stored",
            got: "none, or another",
        );
    }
    drop(session);
    for (file, types) in [(&code, CODE), (&pdb, PDB)] {
        let Ok(session) = open(&[(types, file)]) else {
            return Err(Stop::needs(rules::R_SES_02));
        };
        kept(&session.0);
        for kind in Kind::ALL {
            let mine = types & kind.flag() != 0;
            // A type that the session does not have may be refused in any way.
            let found = match session.holds(b"key", kind, b"a value") {
                Err(Stop::Needs { .. }) if !mine => false,
                found => found?,
            };
            ensure!(
                found == mine,
                call: "FindValue({kind:?}) in a session on the file of Types {types:#x}",
                expected: "a value if the type is one of the file's",
                got: "a value is there: {found}",
            );
        }
    }
    Ok(())
}

fn r_ses_04_has_its_target(runtime: &Runtime) -> Outcome {
    let families = runtime.families()?;
    let factory = runtime.factory()?;
    let mut sessions = Vec::new();
    for family in families {
        for abi_version in family.abi_versions {
            let target = Target {
                adapter_family_index: family.index,
                abi_version,
            };
            let file = runtime.file(&format!("{}-{abi_version}.psdb", family.index));
            let session = factory.session_on(&file, target)?;
            kept(&session.0);
            sessions.push((target, session));
        }
    }
    // When all of them live.
    for (target, session) in sessions {
        let (index, version) = session.target();
        ensure!(
            (index, version) == (target.adapter_family_index, target.abi_version),
            call: "GetCompilerTarget() of a session for {target:?}",
            expected: "the same target",
            got: "family {index} and ABI version {version}",
        );
    }
    Ok(())
}

/// What a description says: executable, name, version, engine and its version; `None` for null.
type Described = (
    Option<String>,
    Option<String>,
    u64,
    Option<String>,
    Option<u64>,
);

/// # Safety
///
/// `desc` is null, or to a description whose strings are null or NUL-terminated.
unsafe fn describe(desc: *const D3D12_APPLICATION_DESC) -> Option<Described> {
    // SAFETY: `desc` is null, or to a description whose strings are null or NUL-terminated, as this
    // function demands.
    let desc = unsafe { desc.as_ref() }?;
    let text = |string: PCWSTR| {
        // SAFETY: the string ends with a NUL, and nothing behind it is read.
        let unit = |at| unsafe { string.0.add(at).read() };
        let units = (0..).map(unit).take_while(|unit| *unit != 0);
        (!string.is_null()).then(|| String::from_utf16_lossy(&units.collect::<Vec<_>>()))
    };
    let engine = text(desc.pEngineName);
    let engine_version = engine.is_some().then(|| desc.EngineVersion.bits());
    Some((
        text(desc.pExeFilename),
        text(desc.pName),
        desc.Version.bits(),
        engine,
        engine_version,
    ))
}

fn expected(application: &Application) -> Described {
    (
        Some(application.exe.into()),
        Some(application.name.into()),
        application.version,
        application.engine.map(|(name, _)| name.into()),
        application.engine.map(|(_, version)| version),
    )
}

/// What a session says of its application.
fn application(session: &Session) -> Option<Described> {
    // SAFETY: whether the session keeps the API is what is tested, in a process that exists for it.
    unsafe { describe(session.application()) }
}

fn r_ses_05_has_its_application(runtime: &Runtime) -> Outcome {
    let (target, factory) = (runtime.target()?, runtime.factory()?);
    for (file, given) in [
        ("engine.psdb", &Application::USUAL),
        ("none.psdb", &WITHOUT_ENGINE),
    ] {
        let file = runtime.file(file);
        // It lives as long as the session: whether that is needed is another rule's business.
        let raw = RawApplication::new(given);
        let files = [(ALL_TYPES, &*file)];
        let session = factory.create_session_raw(&files, Some(target), Some(&raw.desc));
        let session = session.map_err(|_| Stop::needs(rules::R_SES_01))?;
        kept(&session.0);
        let (got, expected) = (application(&session), Some(expected(given)));
        ensure!(
            got == expected,
            call: "GetApplicationDesc() of a session for {given:?}",
            expected: "the same application, {expected:?}",
            got: "it says {got:?}",
        );
    }
    Ok(())
}

fn r_ses_06_owns_its_application(runtime: &Runtime) -> Outcome {
    let target = runtime.target()?;
    let factory = runtime.own_factory()?;
    let mut raw = RawApplication::new(&Application::USUAL);
    let file = runtime.file("own.psdb");
    let session = factory.create_session_raw(&[(ALL_TYPES, &file)], Some(target), Some(&raw.desc));
    let session = session.map_err(|_| Stop::needs(rules::R_SES_01))?;
    kept(&session.0);
    let (first, before) = (session.application(), application(&session));
    if before != Some(expected(&Application::USUAL)) {
        return Err(Stop::needs(rules::R_SES_05));
    }
    // All but the NUL of each string becomes another character.
    let strings = [&mut raw.exe, &mut raw.name].into_iter();
    for string in strings.chain(&mut raw.engine) {
        let length = string.len() - 1;
        string[..length].fill(u16::from(b'?'));
    }
    let other = runtime.file("other.psdb");
    drop(factory.create_session(&[(ALL_TYPES, &other)], Some(target), Some(&WITHOUT_ENGINE)));
    drop(factory);
    let faults = failure!(
        call: "GetApplicationDesc() when the factory and another session are released",
        expected: "the same application",
        got: "a memory fault",
    );
    let (second, after) = watched(vec![Watch::anywhere(faults)], || {
        (session.application(), application(&session))
    });
    ensure!(
        after == before,
        call: "GetApplicationDesc() when the caller's strings are overwritten",
        expected: "the same application, {before:?}",
        got: "it says {after:?}",
    );
    ensure!(
        first == second,
        call: "GetApplicationDesc() again",
        expected: "the same pointer, {first:p}",
        got: "another, {second:p}",
    );
    Ok(())
}

fn r_ses_07_has_its_types(runtime: &Runtime) -> Outcome {
    const CODE: u32 = Kind::ObjectCode.flag();
    const PDB: u32 = Kind::DebugPdb.flag();
    let (target, factory) = (runtime.target()?, runtime.factory()?);
    let [a, b] = ["a", "b"].map(|name| runtime.file(name));
    let [c, d] = ["c", "d"].map(|name| runtime.file(name));
    let cases: [&[(u32, &Path)]; 3] = [&[(ALL_TYPES, &a)], &[(CODE, &b)], &[(CODE, &c), (PDB, &d)]];
    let mut sessions = Vec::new();
    for files in cases {
        let session = factory.create_session(files, Some(target), Some(&Application::USUAL));
        let session = session.map_err(|_| match files.len() {
            1 => Stop::needs(rules::R_SES_01),
            _ => Stop::needs(rules::R_SES_03),
        })?;
        kept(&session.0);
        sessions.push((files, session));
    }
    // When all of them live.
    for (files, session) in sessions {
        let expected = files.iter().fold(0, |types, (more, _)| types | more);
        let (got, paths) = (session.types(), files.len());
        ensure!(
            got == expected,
            call: "GetValueTypes() of a session with {paths} paths",
            expected: "the types of all of them, {expected:#x}",
            got: "it says {got:#x}",
        );
    }
    Ok(())
}

fn r_ses_08_stores_target_and_application(runtime: &Runtime) -> Outcome {
    let families = runtime.families()?;
    let factory = runtime.factory()?;
    let target = families[families.len() - 1].oldest();
    for (name, given) in [
        ("with an engine", &Application::USUAL),
        ("without an engine", &WITHOUT_ENGINE),
    ] {
        let file = runtime.file(name);
        let raw = RawApplication::new(given);
        let files = [(ALL_TYPES, &*file)];
        let session = factory.create_session_raw(&files, Some(target), Some(&raw.desc));
        let session = session.map_err(|_| Stop::needs(rules::R_SES_01))?;
        if session.target() != (target.adapter_family_index, target.abi_version) {
            return Err(Stop::needs(rules::R_SES_04));
        }
        if application(&session) != Some(expected(given)) {
            return Err(Stop::needs(rules::R_SES_05));
        }
        drop(session);
        for (what, again, desc) in [
            ("null target, null application", None, None),
            ("null target", None, Some(&raw.desc)),
            ("null application", Some(target), None),
        ] {
            let session = factory.create_session_raw(&files, again, desc);
            let got = made(&session);
            let Ok(session) = session else {
                broken!(
                    call: "CreateCompilerCacheSession(the file of an earlier session, {what})",
                    expected: "S_OK and a session",
                    got: "returned {got}",
                );
            };
            let (family, abi_version) = session.target();
            ensure!(
                (family, abi_version) == (target.adapter_family_index, target.abi_version),
                call: "GetCompilerTarget() of a session on a file, {what}",
                expected: "that of the file, {target:?}",
                got: "family {family} and ABI version {abi_version}",
            );
            let (got, expected) = (application(&session), Some(expected(given)));
            ensure!(
                got == expected,
                call: "GetApplicationDesc() of a session on a file, {what}",
                expected: "that of the file, {expected:?}",
                got: "it says {got:?}",
            );
        }
    }
    Ok(())
}

/// Creates a session with these paths as they are.
fn with_paths(
    runtime: &Runtime,
    factory: &Factory,
    paths: *const D3D12_COMPILER_DATABASE_PATH,
    count: u32,
) -> Result<(ddi_sys::HRESULT, bool), Stop> {
    let (target, application) = (
        raw_target(runtime.target()?),
        RawApplication::new(&Application::USUAL),
    );
    let (target, desc) = (&raw const target, &raw const application.desc);
    let (returned, place) = give(&ID3D12CompilerCacheSession::IID, |iid, place| {
        // SAFETY: a target and an application; the paths are what is tested.
        unsafe {
            factory
                .0
                .CreateCompilerCacheSession(paths, count, target, desc, iid, place)
        }
    });
    Ok((returned, place.is_null()))
}

fn r_ses_09_refuses_wrong_paths(runtime: &Runtime) -> Outcome {
    let factory = runtime.factory()?;
    let file = wide(&runtime.file("unused.psdb").to_string_lossy());
    let path = |types, path| {
        [D3D12_COMPILER_DATABASE_PATH {
            Types: types,
            pPath: path,
        }]
    };
    let (good, no_types, no_path) = (
        path(ALL_TYPES, PCWSTR(file.as_ptr())),
        path(0, PCWSTR(file.as_ptr())),
        path(ALL_TYPES, PCWSTR::null()),
    );
    let other = wide(&runtime.file("other.psdb").to_string_lossy());
    let behind = |types, pointer| {
        let first = path(Kind::ObjectCode.flag(), PCWSTR(other.as_ptr()));
        [first, path(types, pointer)].concat()
    };
    let no_second = behind(Kind::DebugPdb.flag(), PCWSTR::null());
    let no_second_types = behind(0, PCWSTR(file.as_ptr()));
    for (what, paths, count) in [
        ("no paths", good.as_ptr(), 0),
        ("null pPaths", std::ptr::null(), 1),
        ("a null pPath", no_path.as_ptr(), count(&no_path)),
        ("Types of 0", no_types.as_ptr(), count(&no_types)),
        (
            "a second pPath that is null",
            no_second.as_ptr(),
            count(&no_second),
        ),
        (
            "second Types of 0",
            no_second_types.as_ptr(),
            count(&no_second_types),
        ),
    ] {
        let follows = failure!(
            call: "CreateCompilerCacheSession({what})",
            expected: "E_INVALIDARG",
            got: "a memory fault: null is read",
        );
        let (returned, null) = watched(vec![Watch::null(follows)], || {
            with_paths(runtime, &factory, paths, count)
        })?;
        ensure!(
            returned == E_INVALIDARG && null,
            call: "CreateCompilerCacheSession({what})",
            expected: "E_INVALIDARG, and *ppCompilerCacheSession null",
            got: "returned {returned}, and the result is null: {null}",
        );
    }
    Ok(())
}

fn r_ses_10_refuses_other_files(runtime: &Runtime) -> Outcome {
    const TEXT: &[u8] =
        b"This is not a database, but it is longer than the header of one would be, \
        so that nobody can take it for a database that was just begun.\n";
    const CODE: u32 = Kind::ObjectCode.flag();
    let (target, factory) = (runtime.target()?, runtime.factory()?);
    let unable = |error| Stop::Tool(format!("a file of the test: {error}"));
    let [file, new] = ["text.psdb", "new.psdb"].map(|name| runtime.file(name));
    std::fs::write(&file, TEXT).map_err(unable)?;
    let files: [&[(u32, &Path)]; 2] = [
        &[(ALL_TYPES, &file)],
        &[(CODE, &new), (ALL_TYPES & !CODE, &file)],
    ];
    for (what, files) in ["a text file", "a new file and a text file"]
        .into_iter()
        .zip(files)
    {
        let session = factory.create_session(files, Some(target), Some(&Application::USUAL));
        let got = made(&session);
        kept(&session);
        ensure!(
            session.is_err_and(|failure| !failure.is_ok()),
            call: "CreateCompilerCacheSession({what})",
            expected: "a failure",
            got: "returned {got}",
        );
        let after = std::fs::read(&file).map_err(unable)?;
        let length = after.len();
        ensure!(
            after == TEXT,
            call: "CreateCompilerCacheSession({what})",
            expected: "the text file as it was",
            got: "it is another, of {length} bytes",
        );
    }
    Ok(())
}

fn r_ses_11_refuses_nameless_applications(runtime: &Runtime) -> Outcome {
    let target = runtime.target()?;
    let factory = runtime.factory()?;
    for (what, raw) in RawApplication::nameless() {
        let file = runtime.file(&format!("{what}.psdb"));
        let follows = failure!(
            call: "CreateCompilerCacheSession(an application, {what} null)",
            expected: "E_INVALIDARG",
            got: "a memory fault: null is read",
        );
        let (returned, place) = watched(vec![Watch::null(follows)], || {
            factory.give_session(&[(ALL_TYPES, &file)], Some(target), Some(&raw.desc))
        });
        ensure!(
            returned == E_INVALIDARG && place.is_null(),
            call: "CreateCompilerCacheSession(an application, {what} null)",
            expected: "E_INVALIDARG, and *ppCompilerCacheSession null",
            got: "returned {returned}, with {place:p}",
        );
    }
    Ok(())
}
