//! P-PROF: the versions of application profiles.

use std::ptr;
use std::sync::Arc;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, ensure, failure};
use ddi_sys::{
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDICAPS_TYPE_D3D12_OPTIONS, E_INVALIDARG, HRESULT, S_OK,
};

use super::Tests;
use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::COMPUTE;
use crate::inputs::{APPLICATIONS, Application, Inputs, Target};
use crate::plugin::capabilities::Capabilities;
use crate::plugin::compiler::{ABSURD_SIZE, PRIVATE_ALIGN, Rig, USUAL_TYPES};
use crate::plugin::subject::{Subject, dotted};
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::{Array, Guarded, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (
        rules::P_PROF_01,
        p_prof_01_answers_for_every_target_and_application,
    ),
    (rules::P_PROF_02, p_prof_02_is_zero_without_a_profile),
    (rules::P_PROF_03, p_prof_03_accepts_no_engine),
    (rules::P_PROF_04, p_prof_04_refuses_null),
    (rules::P_PROF_05, p_prof_05_refuses_unknown_targets),
];

/// Two patterns, so that a version which happens to look like one of them is not taken for unwritten.
const PATTERNS: [u8; 2] = [0xA5, 0x5A];

/// An application that no vendor knows.
const UNKNOWN: Application = Application {
    exe: "0f8fad5b-d9cb-469f-a165-70867728950e.exe",
    name: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    version: 0x0001_0000_0000_0000,
    engine: Some((
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        0x0001_0000_0000_0000,
    )),
};

/// Asks over both patterns: the result, and the version if it was written.
fn ask(
    capabilities: Capabilities,
    target: Target,
    application: &Application,
    surroundings: Surroundings,
) -> Result<(HRESULT, Option<u64>), Stop> {
    let mut answer = (S_OK, None);
    for pattern in PATTERNS {
        let inputs = Inputs::new(target, application, surroundings)?;
        let version = Array::<u64>::new(1, Place::Roomy, pattern)?;
        answer.0 = capabilities.get_application_profile_version(
            inputs.target,
            inputs.application,
            Some(&version),
        );
        let got = version.get(0);
        answer.1 = answer
            .1
            .or(Some(got).filter(|got| *got != u64::from_ne_bytes([pattern; 8])));
    }
    Ok(answer)
}

fn p_prof_01_answers_for_every_target_and_application(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let second_open = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        for application in &APPLICATIONS {
            let exe = application.exe;
            subject.at(format!("pfnGetApplicationProfileVersion({target}, {exe})"));
            let (result, version) = ask(capabilities, target, application, Surroundings::USUAL)?;
            ensure!(
                result == S_OK && version.is_some(),
                call: "pfnGetApplicationProfileVersion({target}, {exe})",
                expected: "S_OK and a version",
                got: "returned {result}, with {version:?}",
            );
            for (when, who, surroundings) in [
                ("a second time", capabilities, Surroundings::USUAL),
                (
                    "with other addresses and other padding",
                    capabilities,
                    Surroundings::OTHER,
                ),
                ("of a second open", second_open, Surroundings::USUAL),
            ] {
                let (result, again) = ask(who, target, application, surroundings)?;
                ensure!(
                    result == S_OK && again == version,
                    call: "pfnGetApplicationProfileVersion({target}, {exe}) {when}",
                    expected: "S_OK and the same answer, {version:?}",
                    got: "returned {result}, with {again:?}",
                );
            }
        }
    }
    Ok(())
}

fn p_prof_02_is_zero_without_a_profile(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        subject.at(format!("pfnGetApplicationProfileVersion({target})"));
        let (result, version) = ask(capabilities, target, &UNKNOWN, Surroundings::USUAL)?;
        let (S_OK, Some(version)) = (result, version) else {
            return Err(Stop::needs(rules::P_PROF_01));
        };
        let got = dotted(version);
        ensure!(
            version == 0,
            call: "pfnGetApplicationProfileVersion({target}) of an application with random names",
            expected: "the version 0, as it has no profile",
            got: "the version {got}",
        );
    }
    Ok(())
}

/// An application without an engine.
const NO_ENGINE: Application = Application {
    engine: None,
    ..Application::USUAL
};

/// In every call that takes an application, and in the compile that follows.
fn p_prof_03_accepts_no_engine(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    for target in rig.capabilities.targets()? {
        capabilities_without(subject, rig.capabilities, target)?;
    }
    for target in rig.capabilities.some_targets(subject.journal())? {
        compiler_without(subject, &rig, target)?;
    }
    Ok(())
}

/// Makes a call for an application without an engine.
fn without<R>(subject: &Subject, target: Target, function: &str, call: impl FnOnce() -> R) -> R {
    subject.at(format!("{function} ({target}) without an engine"));
    let fault = Watch::null(failure!(
        call: "{function} ({target}) with a null pEngineName",
        expected: "what comes of an application with an engine",
        got: "the null pointer was used",
    ));
    watched(vec![fault], call)
}

fn capabilities_without(subject: &Subject, capabilities: Capabilities, target: Target) -> Outcome {
    let with = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
    let inputs = Inputs::new(target, &NO_ENGINE, Surroundings::USUAL)?;
    // That an application with an engine is accepted is another rule's business.
    let version = Array::one(0, Place::Roomy)?;
    let profile = |inputs: &Inputs| {
        capabilities.get_application_profile_version(
            inputs.target,
            inputs.application,
            Some(&version),
        )
    };
    if profile(&with) != S_OK {
        return Err(Stop::needs(rules::P_PROF_01));
    }
    let function = "pfnGetApplicationProfileVersion";
    let result = without(subject, target, function, || profile(&inputs));
    ensure!(
        result == S_OK,
        call: "{function} ({target}) with a null pEngineName",
        expected: "S_OK",
        got: "returned {result}",
    );
    let options = |inputs: &Inputs| {
        let cap = D3D12DDICAPS_TYPE_D3D12_OPTIONS;
        capabilities.get_caps::<D3D12DDI_D3D12_OPTIONS_DATA_0089>(inputs, cap)
    };
    let (expected, _) = options(&with)?;
    let function = "pfnGetCaps (D3D12_OPTIONS)";
    let (result, _) = without(subject, target, function, || options(&inputs))?;
    ensure!(
        result == expected,
        call: "{function} ({target}) with a null pEngineName",
        expected: "{expected}, as with an engine",
        got: "returned {result}",
    );
    Ok(())
}

fn compiler_without(subject: &Subject, rig: &Rig, target: Target) -> Outcome {
    rig.compiler(target)?
        .compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
    let inputs = Inputs::new(target, &NO_ENGINE, Surroundings::USUAL)?;
    let size = without(subject, target, "pfnCalcPrivateCompilerSize", || {
        rig.calc_private_compiler_size(inputs.target, inputs.application)
    });
    let memory = Guarded::new(size.min(ABSURD_SIZE), PRIVATE_ALIGN, Place::Roomy, 0)?;
    let created = without(subject, target, "pfnCreateCompiler", || {
        rig.create_compiler(inputs.target, inputs.application, &memory)
    });
    ensure!(
        created.is_ok(),
        call: "pfnCreateCompiler ({target}) with a null pEngineName",
        expected: "success, as with an engine",
        got: "returned {created}",
    );
    let compiler = rig.created(memory);
    let function = "pfnCompilePipelineState, of a compiler";
    let recording = without(subject, target, function, || {
        compiler.compile_object(&Arc::default(), USUAL_TYPES, &COMPUTE, Surroundings::USUAL)
    })?;
    let result = recording.result;
    ensure!(
        result.is_ok(),
        call: "{function} ({target}) that was created with a null pEngineName",
        expected: "success, as with an engine",
        got: "returned {result}",
    );
    Ok(())
}

fn p_prof_04_refuses_null(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let mut targets = capabilities.targets()?.into_iter();
    targets.try_for_each(|target| null(subject, capabilities, target))
}

fn null(subject: &Subject, capabilities: Capabilities, of: Target) -> Outcome {
    let inputs = Inputs::new(of, &Application::USUAL, Surroundings::USUAL)?;
    let version = Array::one(0, Place::Roomy)?;
    let cases = [
        ("pTarget", ptr::null(), inputs.application, Some(&version)),
        (
            "pApplicationDesc",
            inputs.target,
            ptr::null(),
            Some(&version),
        ),
        (
            "pApplicationProfileVersion",
            inputs.target,
            inputs.application,
            None,
        ),
    ];
    for (null, target, application, version) in cases {
        subject.at(format!(
            "pfnGetApplicationProfileVersion with a null {null}"
        ));
        let fault = Watch::null(failure!(
            call: "pfnGetApplicationProfileVersion ({of}) with a null {null}",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || {
            capabilities.get_application_profile_version(target, application, version)
        });
        ensure!(
            result == E_INVALIDARG,
            call: "pfnGetApplicationProfileVersion ({of}) with a null {null}",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn p_prof_05_refuses_unknown_targets(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for target in capabilities.unknown_targets()? {
        subject.at(format!("pfnGetApplicationProfileVersion({target})"));
        let (result, _) = ask(
            capabilities,
            target,
            &Application::USUAL,
            Surroundings::USUAL,
        )?;
        ensure!(
            !result.is_ok(),
            call: "pfnGetApplicationProfileVersion({target}), which the plugin does not report",
            expected: "a failure",
            got: "returned {result}",
        );
    }
    Ok(())
}
