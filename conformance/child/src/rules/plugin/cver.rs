//! P-CVER: the version of each family's compiler.

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use conformance_protocol::Task;
use ddi_sys::{DXGI_ERROR_NOT_FOUND, E_INVALIDARG, HRESULT, S_OK};

use super::Tests;
use crate::plugin::capabilities::Capabilities;
use crate::plugin::subject::{Subject, dotted};
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::{Array, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_CVER_01, p_cver_01_is_known_for_every_family),
    (rules::P_CVER_02, p_cver_02_refuses_null_and_is_not_zero),
];

/// Two patterns, so that a version which happens to look like one of them is not taken for unwritten.
const PATTERNS: [u8; 2] = [0xA5, 0x5A];

/// Asks over both patterns: the result, and the version if it was written.
fn ask(capabilities: Capabilities, family: u32) -> Result<(HRESULT, Option<u64>), Stop> {
    let mut answer = (S_OK, None);
    for pattern in PATTERNS {
        let version = Array::<u64>::new(1, Place::Roomy, pattern)?;
        answer.0 = capabilities.get_compiler_version(family, Some(&version));
        let got = version.get(0);
        answer.1 = answer
            .1
            .or(Some(got).filter(|got| *got != u64::from_ne_bytes([pattern; 8])));
    }
    Ok(answer)
}

/// The version of every family. Needs P-CVER-01.
pub(crate) fn versions(capabilities: Capabilities) -> Result<Vec<u64>, Stop> {
    (0..capabilities.families()?)
        .map(|family| match ask(capabilities, family)? {
            (S_OK, Some(version)) => Ok(version),
            _ => Err(Stop::needs(rules::P_CVER_01)),
        })
        .collect()
}

fn p_cver_01_is_known_for_every_family(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let second_open = subject.open()?.capabilities()?;
    let families = capabilities.families()?;
    for family in 0..families {
        subject.at(format!("pfnGetCompilerVersion of family {family}"));
        let (result, version) = ask(capabilities, family)?;
        ensure!(
            result == S_OK,
            call: "pfnGetCompilerVersion(family {family})",
            expected: "S_OK",
            got: "returned {result}",
        );
        let shown = version.map_or("nothing".into(), dotted);
        ensure!(
            version.is_some(),
            call: "pfnGetCompilerVersion(family {family})",
            expected: "a version",
            got: "S_OK, and nothing written",
        );
        for (when, who) in [
            ("a second time", capabilities),
            ("of a second open", second_open),
        ] {
            let (result, again) = ask(who, family)?;
            let got = again.map_or("nothing".into(), dotted);
            ensure!(
                result == S_OK && again == version,
                call: "pfnGetCompilerVersion(family {family}) {when}",
                expected: "S_OK and the same version, {shown}",
                got: "returned {result}, with {got}",
            );
        }
    }
    let here: Vec<_> = versions(capabilities)?;
    let elsewhere = match subject.ask::<Vec<u64>>(Task::CompilerVersions) {
        Err(Stop::Needs { rule, .. }) => broken!(
            call: "pfnGetCompilerVersion of every family in a new process",
            expected: "the same versions as in this one",
            got: "a failure: {rule} does not hold there",
        ),
        other => other?,
    };
    for (family, (here, elsewhere)) in here.into_iter().zip(elsewhere).enumerate() {
        let (here, elsewhere) = (dotted(here), dotted(elsewhere));
        ensure!(
            here == elsewhere,
            call: "pfnGetCompilerVersion(family {family}) in a new process",
            expected: "the same version, {here}",
            got: "the version {elsewhere}",
        );
    }
    for family in capabilities.past_the_end()? {
        subject.at(format!("pfnGetCompilerVersion of family {family}"));
        let (result, _) = ask(capabilities, family)?;
        ensure!(
            result == DXGI_ERROR_NOT_FOUND,
            call: "pfnGetCompilerVersion(family {family}), where {families} families were enumerated",
            expected: "DXGI_ERROR_NOT_FOUND",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn p_cver_02_refuses_null_and_is_not_zero(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for family in 0..capabilities.families()? {
        subject.at(format!("pfnGetCompilerVersion of family {family}"));
        let version = Array::one(u64::MAX, Place::Roomy)?;
        let result = capabilities.get_compiler_version(family, Some(&version));
        ensure!(
            result != S_OK || version.get(0) != 0,
            call: "pfnGetCompilerVersion(family {family})",
            expected: "a version that is not 0.0.0.0",
            got: "the version 0.0.0.0",
        );
        let fault = Watch::null(failure!(
            call: "pfnGetCompilerVersion(family {family}, null)",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || {
            capabilities.get_compiler_version(family, None)
        });
        ensure!(
            result == E_INVALIDARG,
            call: "pfnGetCompilerVersion(family {family}, null)",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}
