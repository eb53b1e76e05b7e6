//! P-PROF: the versions of application profiles.

use crate::Rule;
use crate::arena::Surroundings;
use crate::capabilities::Capabilities;
use crate::fault::{Watch, watched};
use crate::inputs::{Application, Inputs, Target};
use crate::memory::{Array, Place};
use crate::subject::{Subject, dotted};
use crate::verdict::{Outcome, Stop, ensure, failure};
use ddi_sys::{E_INVALIDARG, HRESULT, S_OK};
use std::ptr;

/// Two patterns, so that a version which happens to look like one of them is not taken for unwritten.
const PATTERNS: [u8; 2] = [0xA5, 0x5A];

/// Applications with an engine; those without are P-PROF-03's.
const APPLICATIONS: [Application; 4] = [
    Application::USUAL,
    Application {
        exe: "Code.exe",
        name: "Visual Studio Code",
        version: 0x0001_005D_0001_0000,
        engine: Some(("Electron", u64::MAX)),
    },
    Application {
        exe: "игра.exe",
        name: "日本語 𝄞 \u{1F680}",
        version: u64::MAX,
        engine: Some(("Движок", 0)),
    },
    Application {
        exe: "a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-\
              a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-\
              a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-\
              a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-a-long-name.exe",
        name: "?*\"<>|%s%n\\..\\..",
        version: 0,
        engine: Some(("", 1)),
    },
];

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
) -> Result<(HRESULT, Option<u64>), Stop> {
    let mut answer = (S_OK, None);
    for pattern in PATTERNS {
        let inputs = Inputs::new(target, application, Surroundings::USUAL)?;
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

fn shown(target: Target) -> String {
    format!(
        "family {}, ABI version {}",
        target.adapter_family_index, target.abi_version
    )
}

pub(crate) fn answers_for_every_target_and_application(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let second_open = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        for application in &APPLICATIONS {
            let (at, exe) = (shown(target), application.exe);
            subject.at(format!("pfnGetApplicationProfileVersion({at}, {exe})"));
            let (result, version) = ask(capabilities, target, application)?;
            ensure!(
                result == S_OK && version.is_some(),
                call: "pfnGetApplicationProfileVersion({at}, {exe})",
                expected: "S_OK and a version",
                got: "returned {result}, with {version:?}",
            );
            for (when, who) in [
                ("a second time", capabilities),
                ("of a second open", second_open),
            ] {
                let (result, again) = ask(who, target, application)?;
                ensure!(
                    result == S_OK && again == version,
                    call: "pfnGetApplicationProfileVersion({at}, {exe}) {when}",
                    expected: "S_OK and the same answer, {version:?}",
                    got: "returned {result}, with {again:?}",
                );
            }
        }
    }
    Ok(())
}

pub(crate) fn is_zero_without_a_profile(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        let at = shown(target);
        subject.at(format!("pfnGetApplicationProfileVersion({at})"));
        let (result, version) = ask(capabilities, target, &UNKNOWN)?;
        let (S_OK, Some(version)) = (result, version) else {
            return Err(Stop::needs(Rule::P_PROF_01));
        };
        let got = dotted(version);
        ensure!(
            version == 0,
            call: "pfnGetApplicationProfileVersion({at}) of an application with random names",
            expected: "the version 0, as it has no profile",
            got: "the version {got}",
        );
    }
    Ok(())
}

pub(crate) fn accepts_no_engine(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let application = Application {
        engine: None,
        ..Application::USUAL
    };
    for target in capabilities.targets()? {
        let at = shown(target);
        // That an application with an engine is accepted is another rule's business.
        if ask(capabilities, target, &Application::USUAL)?.0 != S_OK {
            return Err(Stop::needs(Rule::P_PROF_01));
        }
        subject.at(format!(
            "pfnGetApplicationProfileVersion({at}) without an engine"
        ));
        let inputs = Inputs::new(target, &application, Surroundings::USUAL)?;
        let version = Array::one(0, Place::Roomy)?;
        let fault = Watch::null(failure!(
            call: "pfnGetApplicationProfileVersion({at}) with a null pEngineName",
            expected: "S_OK",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || {
            capabilities.get_application_profile_version(
                inputs.target,
                inputs.application,
                Some(&version),
            )
        });
        ensure!(
            result == S_OK,
            call: "pfnGetApplicationProfileVersion({at}) with a null pEngineName",
            expected: "S_OK",
            got: "returned {result}",
        );
    }
    Ok(())
}

pub(crate) fn refuses_null(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let target = capabilities.targets()?[0];
    let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
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
            call: "pfnGetApplicationProfileVersion with a null {null}",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || {
            capabilities.get_application_profile_version(target, application, version)
        });
        ensure!(
            result == E_INVALIDARG,
            call: "pfnGetApplicationProfileVersion with a null {null}",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}

pub(crate) fn refuses_unknown_targets(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for target in capabilities.unknown_targets()? {
        let at = shown(target);
        subject.at(format!("pfnGetApplicationProfileVersion({at})"));
        let (result, _) = ask(capabilities, target, &Application::USUAL)?;
        ensure!(
            !result.is_ok(),
            call: "pfnGetApplicationProfileVersion({at}), which the plugin does not report",
            expected: "a failure",
            got: "returned {result}",
        );
    }
    Ok(())
}
