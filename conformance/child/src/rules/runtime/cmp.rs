//! R-CMP: compilers.

use std::ptr;

use api_sys::{ID3D12Compiler1, ID3D12CompilerStateObject};
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use conformance_catalogue::{Rule, rules};
use conformance_protocol::record;
use ddi_sys::{DXGI_ERROR_ALREADY_EXISTS, E_INVALIDARG, HRESULT, S_OK};
use windows_core::Interface;

use super::Tests;
use super::refused::r_cmp_16_refuses_what_no_pipeline_has;
use crate::inputs::{Application, Target};
use crate::runtime::{
    ALL_TYPES, Compiler, Kind, Pipeline, Record, Runtime, Session, StateObjectDesc, count, get,
    group_key, kept, made, result, returned,
};
use crate::watch::fault::{Watch, watched};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::R_CMP_01, r_cmp_01_makes_compilers),
    (rules::R_CMP_02, r_cmp_02_refuses_a_null_session),
    (rules::R_CMP_03, r_cmp_03_is_for_the_session),
    (rules::R_CMP_04, r_cmp_04_stores_pipelines),
    (rules::R_CMP_05, r_cmp_05_asks_for_the_types_of_the_session),
    (rules::R_CMP_06, r_cmp_06_refuses_groups_that_are_present),
    (rules::R_CMP_07, r_cmp_07_says_that_groups_are_present),
    (rules::R_CMP_08, r_cmp_08_stores_no_group_of_a_failure),
    (rules::R_CMP_09, r_cmp_09_refuses_null),
    (rules::R_CMP_10, r_cmp_10_stores_state_objects),
    (rules::R_CMP_11, r_cmp_11_stores_additions),
    (rules::R_CMP_12, r_cmp_12_takes_existing_collections),
    (rules::R_CMP_13, r_cmp_13_refuses_other_collections),
    (rules::R_CMP_14, r_cmp_14_are_all_stored),
    (rules::R_CMP_15, r_cmp_15_are_all_refused),
    (rules::R_CMP_16, r_cmp_16_refuses_what_no_pipeline_has),
];

fn r_cmp_01_makes_compilers(runtime: &Runtime) -> Outcome {
    let (factory, session) = runtime.session()?;
    for which in ["first", "second"] {
        let compiler = factory.create_compiler(Some(&session));
        let got = made(&compiler);
        kept(&compiler);
        ensure!(
            compiler.is_ok(),
            call: "CreateCompiler(a session), the {which} for this session",
            expected: "S_OK and a compiler",
            got: "returned {got}",
        );
    }
    Ok(())
}

fn r_cmp_02_refuses_a_null_session(runtime: &Runtime) -> Outcome {
    let factory = runtime.factory()?;
    let follows = failure!(
        call: "CreateCompiler(null)",
        expected: "E_INVALIDARG",
        got: "a memory fault: null is read",
    );
    let give = || factory.give_compiler(None);
    let (returned, place) = watched(vec![Watch::null(follows)], give);
    ensure!(
        returned == E_INVALIDARG && place.is_null(),
        call: "CreateCompiler(null)",
        expected: "E_INVALIDARG, and *ppCompiler null",
        got: "returned {returned}, with {place:p}",
    );
    Ok(())
}

/// An application, as the plugin records it.
fn recorded(application: &Application) -> record::Application {
    record::Application {
        exe: application.exe.into(),
        name: application.name.into(),
        version: application.version,
        engine: application
            .engine
            .map(|(name, version)| (name.into(), version)),
    }
}

fn r_cmp_03_is_for_the_session(runtime: &Runtime) -> Outcome {
    const OTHER: Application = Application {
        name: "Another",
        engine: None,
        ..Application::USUAL
    };
    let families = runtime.families()?;
    let factory = runtime.factory()?;
    // All sessions first, so that none is taken for another.
    let mut sessions = Vec::new();
    for family in &families {
        let zero = Target {
            abi_version: 0,
            ..family.latest()
        };
        for (given, expected, application) in [
            (family.oldest(), family.oldest(), Application::USUAL),
            (zero, family.latest(), OTHER),
        ] {
            let (index, version) = (given.adapter_family_index, given.abi_version);
            let file = runtime.file(&format!("{index}-{version}"));
            let create = |target, application| {
                let session = factory.create_session(&[(ALL_TYPES, &file)], target, application);
                session.inspect(|session| kept(&session.0))
            };
            let session = create(Some(given), Some(&application));
            let session = session.map_err(|_| Stop::needs(rules::R_SES_01))?;
            let of_file = create(None, None).map_err(|_| Stop::needs(rules::R_SES_08))?;
            let described = format!("a session of family {index} and ABIVersion {version}");
            let again = format!("{described}, from its file");
            sessions.push((described, session, expected, application));
            sessions.push((again, of_file, expected, application));
        }
    }
    for (what, session, expected, application) in sessions {
        let before = Record::read()?.calls("pfnCreateCompiler").count();
        let compiler = factory.create_compiler(Some(&session));
        let got = made(&compiler);
        kept(&compiler);
        ensure!(
            compiler.is_ok(),
            call: "CreateCompiler for {what}",
            expected: "S_OK and a compiler",
            got: "returned {got}",
        );
        let record = Record::read()?;
        let call = record.calls("pfnCreateCompiler").skip(before).last();
        let (target, of_plugin) = call.map_or((None, None), |call| {
            (call.target, call.application.as_ref())
        });
        let (family, abi_version) = (expected.adapter_family_index, expected.abi_version);
        ensure!(
            target == Some((family, abi_version)),
            call: "CreateCompiler for {what}",
            expected: "the plugin's compiler for ABI version {abi_version} of family {family}",
            got: "one for {target:?}",
        );
        let application = recorded(&application);
        ensure!(
            of_plugin == Some(&application),
            call: "CreateCompiler for {what}",
            expected: "the plugin's compiler for its application, {application:?}",
            got: "one for {of_plugin:?}",
        );
    }
    Ok(())
}

fn r_cmp_04_stores_pipelines(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    for (version, what, pipeline) in [
        (1, "compute", Pipeline::compute()),
        (9, "graphics", Pipeline::graphics()),
    ] {
        let returned = compiler.compile_pipeline(what.as_bytes(), version, &pipeline);
        ensure!(
            returned == S_OK,
            call: "CompilePipelineState(a {what} pipeline)",
            expected: "S_OK",
            got: "returned {returned}",
        );
        if let Some(got) = session.incomplete(what.as_bytes(), version)? {
            broken!(
                call: "the session after CompilePipelineState(a {what} pipeline, version {version})",
                expected: "the group, of this version, and the values of its keys",
                got: "found {got}",
            );
        }
    }
    Ok(())
}

fn r_cmp_05_asks_for_the_types_of_the_session(runtime: &Runtime) -> Outcome {
    let (target, factory) = (runtime.target()?, runtime.factory()?);
    for types in [
        Kind::ObjectCode.flag(),
        Kind::ObjectCode.flag() | Kind::DebugPdb.flag(),
        ALL_TYPES,
    ] {
        let file = runtime.file(&format!("{types}.psdb"));
        let application = Some(&Application::USUAL);
        let session = factory.create_session(&[(types, &file)], Some(target), application);
        let session = session.map_err(|_| Stop::needs(rules::R_SES_01))?;
        kept(&session.0);
        let compiler = factory.compiler(&session)?;
        let parent = compiler.state_object(b"parent", &StateObjectDesc::new("first"))?;
        let pipeline = || compiler.compile_pipeline(b"pipeline", 1, &Pipeline::graphics());
        let object = || {
            let desc = StateObjectDesc::new("second");
            returned(&compiler.compile_state_object(b"object", 1, &desc))
        };
        let addition = || {
            let desc = StateObjectDesc::new("third");
            returned(&compiler.compile_addition(b"addition", 1, &desc, &parent))
        };
        let calls: [(&str, &str, Rule, &dyn Fn() -> HRESULT); 3] = [
            (
                "pipeline",
                "pfnCompilePipelineState",
                rules::R_CMP_04,
                &pipeline,
            ),
            (
                "object",
                "pfnCompileCreateStateObject",
                rules::R_CMP_10,
                &object,
            ),
            (
                "addition",
                "pfnCompileAddToStateObject",
                rules::R_CMP_11,
                &addition,
            ),
        ];
        for (what, function, rule, call) in calls {
            let group = what.as_bytes();
            if call() != S_OK || session.incomplete(group, 1)?.is_some() {
                return Err(Stop::needs(rule));
            }
            let record = Record::read()?;
            let last = record.calls(function).last();
            let asked = last.and_then(|call| call.value_types).unwrap_or_default();
            ensure!(
                asked == types,
                call: "{function}, for a {what} in a session with Types {types:#x}",
                expected: "the plugin is asked for these types",
                got: "it is asked for {asked:#x}",
            );
            // The checking plugin makes every type that it is asked for, of each value.
            for key in session.group_keys(group)? {
                let mut found = 0;
                for kind in Kind::ALL {
                    if types & kind.flag() != 0 && session.read(&key, kind)?.is_some() {
                        found |= kind.flag();
                    }
                }
                ensure!(
                    found == types,
                    call: "the session with Types {types:#x} after the compile of a {what}",
                    expected: "values of every type under each key",
                    got: "under one, values of {found:#x}",
                );
            }
        }
    }
    Ok(())
}

/// Compiles a group, of a version.
type CompileGroup<'c> = &'c dyn Fn(&[u8], u32) -> HRESULT;

/// Compiles groups that are there by each of the three calls: one that was stored, and one that was
/// compiled.
fn over_groups(
    runtime: &Runtime,
    check: impl Fn(&Session, &[u8], &[Vec<u8>], &str, HRESULT) -> Outcome,
) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    let parent = compiler.state_object(b"parent", &StateObjectDesc::new("first"))?;
    session.put_group(b"stored", 5, &[b"a key"])?;
    if compiler.compile_pipeline(b"compiled", 5, &Pipeline::compute()) != S_OK
        || session.group_version(b"compiled")? != Some(5)
    {
        return Err(Stop::needs(rules::R_CMP_04));
    }
    let calls: [(&str, CompileGroup); 3] = [
        ("CompilePipelineState", &|group, version| {
            compiler.compile_pipeline(group, version, &Pipeline::compute())
        }),
        ("CompileStateObject", &|group, version| {
            let desc = StateObjectDesc::new("second");
            let object = compiler.compile_state_object(group, version, &desc);
            kept(&object);
            returned(&object)
        }),
        ("CompileAddToStateObject", &|group, version| {
            let desc = StateObjectDesc::new("third");
            let object = compiler.compile_addition(group, version, &desc, &parent);
            kept(&object);
            returned(&object)
        }),
    ];
    for (how, group) in [("stored", &b"stored"[..]), ("compiled", b"compiled")] {
        let keys = session.group_keys(group)?;
        for (name, call) in calls {
            for version in [5, 6] {
                let name = format!("{name}(version {version}) with the key of a {how} group");
                check(&session, group, &keys, &name, call(group, version))?;
            }
        }
    }
    Ok(())
}

fn r_cmp_06_refuses_groups_that_are_present(runtime: &Runtime) -> Outcome {
    over_groups(runtime, |session, group, before, call, returned| {
        ensure!(
            !returned.is_ok(),
            call: "{call} of version 5",
            expected: "a failure",
            got: "returned {returned}",
        );
        let (version, keys) = (session.group_version(group)?, session.group_keys(group)?);
        ensure!(
            version == Some(5) && keys == before,
            call: "the group of version 5 after {call}",
            expected: "the group as it was",
            got: "version {version:?}, with {keys:?}",
        );
        Ok(())
    })
}

fn r_cmp_07_says_that_groups_are_present(runtime: &Runtime) -> Outcome {
    over_groups(runtime, |_, _, _, call, returned| {
        if returned.is_ok() {
            return Err(Stop::needs(rules::R_CMP_06));
        }
        ensure!(
            returned == DXGI_ERROR_ALREADY_EXISTS,
            call: "{call} of version 5",
            expected: "DXGI_ERROR_ALREADY_EXISTS",
            got: "returned {returned}",
        );
        Ok(())
    })
}

/// Makes a compile call.
type Compile<'c> = &'c dyn Fn() -> HRESULT;

fn r_cmp_08_stores_no_group_of_a_failure(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    let parent = |key: &[u8]| compiler.state_object(key, &StateObjectDesc::new("first"));
    let parents = [parent(b"a parent")?, parent(b"another parent")?];
    let object = |key: &[u8], desc: &StateObjectDesc| {
        let object = compiler.compile_state_object(key, 1, desc);
        kept(&object);
        returned(&object)
    };
    let addition = |key: &[u8], desc: &StateObjectDesc, parent| {
        let object = compiler.compile_addition(key, 1, desc, parent);
        kept(&object);
        returned(&object)
    };
    let good = || StateObjectDesc::new("second");
    let impossible = || StateObjectDesc::new("second").with_unknown();
    // Each with the key of the failure, and once with another, as it may not work at all.
    let calls: [(&str, Rule, [Compile; 3]); 3] = [
        (
            "CompilePipelineState(a compute shader as the vertex shader)",
            rules::R_CMP_04,
            [
                &|| compiler.compile_pipeline(b"0", 1, &Pipeline::impossible()),
                &|| compile(&compiler, b"other 0"),
                &|| compile(&compiler, b"0"),
            ],
        ),
        (
            "CompileStateObject(a subobject of a type that does not exist)",
            rules::R_CMP_10,
            [
                &|| object(b"1", &impossible()),
                &|| object(b"other 1", &good()),
                &|| object(b"1", &good()),
            ],
        ),
        (
            "CompileAddToStateObject(a subobject of a type that does not exist)",
            rules::R_CMP_11,
            [
                &|| addition(b"2", &impossible(), &parents[0]),
                &|| addition(b"other 2", &good(), &parents[1]),
                &|| addition(b"2", &good(), &parents[0]),
            ],
        ),
    ];
    for ((name, rule, [fails, other, again]), key) in calls.into_iter().zip([b"0", b"1", b"2"]) {
        let returned = fails();
        ensure!(
            !returned.is_ok(),
            call: "the compile call {name}",
            expected: "a failure",
            got: "returned {returned}",
        );
        let version = session.group_version(key)?;
        ensure!(
            version.is_none(),
            call: "FindGroup after {name} failed",
            expected: "no group",
            got: "one of version {version:?}",
        );
        if other() != S_OK {
            return Err(Stop::needs(rule));
        }
        let returned = again();
        ensure!(
            returned == S_OK,
            call: "a good compile with the key of {name}, which failed",
            expected: "S_OK",
            got: "returned {returned}",
        );
    }
    Ok(())
}

fn r_cmp_09_refuses_null(runtime: &Runtime) -> Outcome {
    let (_, _, compiler) = runtime.compiler()?;
    let parent = compiler.state_object(b"parent", &StateObjectDesc::new("first"))?;
    let (key, pipeline) = (group_key(b"group"), Pipeline::compute());
    let (object, desc) = (StateObjectDesc::new("first"), pipeline.desc());
    let object = object.desc();
    let compile = |key, desc| {
        // SAFETY: the nulls are what is tested.
        result(unsafe { compiler.0.CompilePipelineState(key, 1, desc) })
    };
    let compile_object = |key, desc| {
        let made = get::<ID3D12CompilerStateObject>(|iid, place| {
            // SAFETY: the nulls are what is tested.
            unsafe { compiler.0.CompileStateObject(key, 1, desc, iid, place) }
        });
        kept(&made);
        returned(&made)
    };
    let add = |key, desc| {
        let made = get::<ID3D12CompilerStateObject>(|iid, place| {
            // SAFETY: the nulls are what is tested.
            unsafe {
                compiler
                    .0
                    .CompileAddToStateObject(key, 1, desc, &parent, iid, place)
            }
        });
        kept(&made);
        returned(&made)
    };
    let (key, desc, object) = (&raw const key, &raw const desc, &raw const object);
    let calls: [(&str, &dyn Fn() -> HRESULT); 6] = [
        ("CompilePipelineState(null key)", &|| {
            compile(ptr::null(), desc)
        }),
        ("CompilePipelineState(null desc)", &|| {
            compile(key, ptr::null())
        }),
        ("CompileStateObject(null key)", &|| {
            compile_object(ptr::null(), object)
        }),
        ("CompileStateObject(null desc)", &|| {
            compile_object(key, ptr::null())
        }),
        ("CompileAddToStateObject(null key)", &|| {
            add(ptr::null(), object)
        }),
        ("CompileAddToStateObject(null desc)", &|| {
            add(key, ptr::null())
        }),
    ];
    for (name, call) in calls {
        let follows = failure!(
            call: "ID3D12Compiler::{name}",
            expected: "E_INVALIDARG",
            got: "a memory fault: null is read",
        );
        let returned = watched(vec![Watch::null(follows)], call);
        ensure!(
            returned == E_INVALIDARG,
            call: "ID3D12Compiler::{name}",
            expected: "E_INVALIDARG",
            got: "returned {returned}",
        );
    }
    Ok(())
}

/// What is wrong with a state object that was compiled, or with its group.
fn check_object<T: Clone>(
    session: &Session,
    name: &str,
    key: &[u8],
    version: u32,
    object: &Result<T, HRESULT>,
) -> Outcome {
    let got = made(object);
    kept(object);
    ensure!(
        object.is_ok(),
        call: "ID3D12Compiler::{name}",
        expected: "S_OK and a state object",
        got: "returned {got}",
    );
    if let Some(got) = session.incomplete(key, version)? {
        broken!(
            call: "the session after {name}",
            expected: "the group, of version {version}, and the values of its keys",
            got: "found {got}",
        );
    }
    Ok(())
}

fn r_cmp_10_stores_state_objects(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    for (version, shader) in [(1, "first"), (9, "second")] {
        let (key, desc) = (shader.as_bytes(), StateObjectDesc::new(shader));
        let object = compiler.compile_state_object(key, version, &desc);
        check_object(
            &session,
            "CompileStateObject(a raytracing pipeline)",
            key,
            version,
            &object,
        )?;
    }
    Ok(())
}

fn r_cmp_11_stores_additions(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    // By the place of the parent: the first is compiled, the others are grown.
    let mut objects = vec![compiler.state_object(b"parent", &StateObjectDesc::new("first"))?];
    for (version, shader, parent, name) in [
        (1, "second", 0, "to a compiled object"),
        (2, "third", 1, "to a grown object"),
        (3, "fourth", 0, "to a compiled object again"),
        (4, "fifth", 1, "to a grown object again"),
    ] {
        let key = shader.as_bytes();
        let desc = StateObjectDesc::new(shader);
        let object = compiler.compile_addition(key, version, &desc, &objects[parent]);
        let name = format!("CompileAddToStateObject({name})");
        check_object(&session, &name, key, version, &object)?;
        objects.extend(object);
    }
    Ok(())
}

/// A session and a compiler that R-CMP-10 holds of, as far as it can be seen from one object.
pub(crate) fn of_state_objects(runtime: &Runtime) -> Result<(Session, Compiler), Stop> {
    let (_, session, compiler) = runtime.compiler()?;
    compiler.state_object(b"plain", &StateObjectDesc::new("first"))?;
    if session.incomplete(b"plain", 1)?.is_some() {
        return Err(Stop::needs(rules::R_CMP_10));
    }
    Ok((session, compiler))
}

fn r_cmp_12_takes_existing_collections(runtime: &Runtime) -> Outcome {
    let (session, compiler) = of_state_objects(runtime)?;
    let desc = StateObjectDesc::new("second").into_collection();
    let collection = compiler.compile_state_object(b"collection", 3, &desc);
    check_object(
        &session,
        "CompileStateObject(a collection)",
        b"collection",
        3,
        &collection,
    )?;
    let desc = StateObjectDesc::new("third").with(collection.as_ref().ok());
    let whole = compiler.compile_state_object(b"whole", 4, &desc);
    check_object(
        &session,
        "CompileStateObject(a raytracing pipeline with an existing collection)",
        b"whole",
        4,
        &whole,
    )
}

fn r_cmp_13_refuses_other_collections(runtime: &Runtime) -> Outcome {
    let (_, compiler) = of_state_objects(runtime)?;
    let collection = StateObjectDesc::new("second").into_collection();
    let collection = compiler.compile_state_object(b"collection", 1, &collection);
    kept(&collection);
    if collection.is_err() {
        return Err(Stop::needs(rules::R_CMP_12));
    }
    for (what, desc) in [
        (
            "an existing collection that is null",
            StateObjectDesc::new("third").with(None),
        ),
        (
            "an existing collection by its key",
            StateObjectDesc::new("third").with_key(b"collection"),
        ),
    ] {
        let follows = failure!(
            call: "CompileStateObject({what})",
            expected: "E_INVALIDARG",
            got: "a memory fault: null is followed",
        );
        let object = watched(vec![Watch::null(follows)], || {
            compiler.compile_state_object(what.as_bytes(), 1, &desc)
        });
        let got = made(&object);
        kept(&object);
        ensure!(
            object.is_err_and(|failure| failure == E_INVALIDARG),
            call: "CompileStateObject({what})",
            expected: "E_INVALIDARG",
            got: "returned {got}",
        );
    }
    Ok(())
}

/// For a compile on the way to something else.
pub(crate) fn compile(compiler: &Compiler, key: &[u8]) -> HRESULT {
    compiler.compile_pipeline(key, 1, &Pipeline::compute())
}

/// Key and version of each group.
type Groups<'a> = [(&'a [u8], u32)];

/// The three calls by their names.
struct Calls {
    compiler: ID3D12Compiler1,
    parent: ID3D12CompilerStateObject,
}

impl Calls {
    const NAMES: [&str; 3] = [
        "CompilePipelineState1",
        "CompileStateObject1",
        "CompileAddToStateObject1",
    ];

    /// Not applicable to a compiler without the interface. Needs R-CMP-10.
    fn new(runtime: &Runtime) -> Result<(Session, Self), Stop> {
        let (session, compiler) = of_state_objects(runtime)?;
        let parent = compiler.state_object(b"parent", &StateObjectDesc::new("first"))?;
        let Ok(compiler) = compiler.0.cast::<ID3D12Compiler1>() else {
            let reason = "the compiler has no ID3D12Compiler1, which is of a preview";
            return Err(Stop::NotApplicable(reason.into()));
        };
        kept(&compiler);
        Ok((session, Self { compiler, parent }))
    }

    fn call(&self, name: &str, groups: &Groups<'_>) -> HRESULT {
        let keys: Vec<_> = groups.iter().map(|(key, _)| group_key(key)).collect();
        let versions: Vec<u32> = groups.iter().map(|(_, version)| *version).collect();
        let (keys, versions, count) = (keys.as_ptr(), versions.as_ptr(), count(groups));
        let object = StateObjectDesc::new("second");
        let pipeline = Pipeline::compute();
        let (desc, stream) = (object.desc(), pipeline.desc());
        // SAFETY: there are `count` keys and versions; what the arguments point at outlives the call.
        let made = unsafe {
            match name {
                "CompilePipelineState1" => {
                    return result(self.compiler.CompilePipelineState1(
                        keys,
                        versions,
                        count,
                        &raw const stream,
                    ));
                }
                "CompileStateObject1" => get::<ID3D12CompilerStateObject>(|iid, place| {
                    let desc = &raw const desc;
                    self.compiler
                        .CompileStateObject1(keys, versions, count, desc, iid, place)
                }),
                _ => get(|iid, place| {
                    let (desc, parent) = (&raw const desc, &self.parent);
                    self.compiler
                        .CompileAddToStateObject1(keys, versions, count, desc, parent, iid, place)
                }),
            }
        };
        kept(&made);
        returned(&made)
    }
}

fn r_cmp_14_are_all_stored(runtime: &Runtime) -> Outcome {
    let (session, calls) = Calls::new(runtime)?;
    for name in Calls::NAMES {
        let [first, second] = ["first", "second"].map(|key| format!("{name} {key}"));
        let groups = [(first.as_bytes(), 3), (second.as_bytes(), 8)];
        let returned = calls.call(name, &groups);
        ensure!(
            returned == S_OK,
            call: "ID3D12Compiler1::{name}(two groups)",
            expected: "S_OK",
            got: "returned {returned}",
        );
        for (key, version) in groups {
            if let Some(got) = session.incomplete(key, version)? {
                broken!(
                    call: "the session after {name}(two groups)",
                    expected: "both, each of its own version, and the values of their keys",
                    got: "found {got}",
                );
            }
        }
        let [first, second] = [
            session.group_keys(first.as_bytes())?,
            session.group_keys(second.as_bytes())?,
        ];
        ensure!(
            first == second,
            call: "the two groups of {name}",
            expected: "the same value keys",
            got: "{first:?} and {second:?} differ",
        );
    }
    Ok(())
}

fn r_cmp_15_are_all_refused(runtime: &Runtime) -> Outcome {
    let (session, calls) = Calls::new(runtime)?;
    let returned = calls.call("CompilePipelineState1", &[(b"one", 1), (b"two", 2)]);
    if returned != S_OK || session.group_version(b"two")?.is_none() {
        return Err(Stop::needs(rules::R_CMP_14));
    }
    session.put_group(b"present", 5, &[b"a key"])?;
    for name in Calls::NAMES {
        for groups in [
            [(&b"new"[..], 1), (&b"present"[..], 5)],
            [(b"present", 6), (b"new", 1)],
        ] {
            let returned = calls.call(name, &groups);
            ensure!(
                !returned.is_ok(),
                call: "ID3D12Compiler1::{name}(a new group and one that is present)",
                expected: "a failure",
                got: "returned {returned}",
            );
            let (new, present) = (
                session.group_version(b"new")?,
                session.group_version(b"present")?,
            );
            ensure!(
                new.is_none() && present == Some(5),
                call: "the session after {name}(a new group and one of version 5) failed",
                expected: "no new group, and the other as it was",
                got: "versions {new:?} and {present:?}",
            );
        }
    }
    Ok(())
}
