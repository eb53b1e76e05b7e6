//! R-CMP: the calls of `ID3D12Compiler1`, which store several groups.

use super::compile::of_state_objects;
use crate::Rule;
use crate::runtime::{
    Pipeline, Runtime, Session, StateObjectDesc, count, get, group_key, kept, result, returned,
};
use crate::verdict::{Outcome, Stop, broken, ensure};
use api_sys::{ID3D12Compiler1, ID3D12CompilerStateObject};
use ddi_sys::{HRESULT, S_OK};
use windows_core::Interface;

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
        // SAFETY: arguments as the API says, `count` keys and versions.
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

pub(crate) fn are_all_stored(runtime: &Runtime) -> Outcome {
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

pub(crate) fn are_all_refused(runtime: &Runtime) -> Outcome {
    let (session, calls) = Calls::new(runtime)?;
    let returned = calls.call("CompilePipelineState1", &[(b"one", 1), (b"two", 2)]);
    if returned != S_OK || session.group_version(b"two")?.is_none() {
        return Err(Stop::needs(Rule::R_CMP_14));
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
