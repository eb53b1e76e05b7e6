//! P-MSAA: how many samples of each format a target supports.

use std::ptr;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, broken, ensure, failure};
use ddi_sys::{
    D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET, D3D12DDI_FORMAT_SUPPORT_RENDERTARGET, FALSE,
    TRUE,
};

use super::Tests;
use super::fmt::{formats, no_formats, support};
use crate::inputs::arena::Surroundings;
use crate::inputs::{Application, Inputs, Target};
use crate::plugin::capabilities::Capabilities;
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_MSAA_01, p_msaa_01_says_true_or_false),
    (rules::P_MSAA_02, p_msaa_02_agrees_with_format_support),
    (rules::P_MSAA_03, p_msaa_03_refuses_mistakes),
];

/// The numbers of samples that a device may have.
const SAMPLES: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Numbers of samples that none has.
const NO_SAMPLES: [u32; 10] = [0, 3, 5, 6, 7, 9, 31, 33, 64, u32::MAX];

/// Quality levels, the first ones without a gap.
const LEVELS: [u32; 8] = [0, 1, 2, 3, 4, 16, 255, u32::MAX];

fn p_msaa_01_says_true_or_false(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, _| {
        let capabilities = open.selected_capabilities()?;
        for target in capabilities.targets()? {
            says_true_or_false(subject, capabilities, target)?;
        }
        Ok(())
    })?;
    let capabilities = subject.open()?.capabilities()?;
    let second_open = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        let usual = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
        let other = Inputs::new(target, &Application::USUAL, Surroundings::OTHER)?;
        for (format, name) in formats() {
            for (samples, level) in every() {
                let first = capabilities.check_multisample_quality_levels(
                    usual.target,
                    format,
                    samples,
                    level,
                );
                for (when, who, inputs) in [
                    ("a second time", capabilities, &usual),
                    (
                        "with other addresses and other padding",
                        capabilities,
                        &other,
                    ),
                    ("of a second open", second_open, &usual),
                ] {
                    let again =
                        who.check_multisample_quality_levels(inputs.target, format, samples, level);
                    ensure!(
                        again == first,
                        call: "pfnCheckMultisampleQualityLevels({target}, {name}, {samples} samples, level {level}) {when}",
                        expected: "the same answer, {first}",
                        got: "the answer {again}",
                    );
                }
            }
        }
    }
    Ok(())
}

/// Every number of samples with every level.
fn every() -> impl Iterator<Item = (u32, u32)> {
    let samples = SAMPLES.into_iter().chain(NO_SAMPLES);
    samples.flat_map(|samples| LEVELS.map(|level| (samples, level)))
}

fn says_true_or_false(subject: &Subject, capabilities: Capabilities, target: Target) -> Outcome {
    let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
    for (format, name) in formats() {
        subject.at(format!(
            "pfnCheckMultisampleQualityLevels({target}, {name})"
        ));
        let fault = Watch::anywhere(failure!(
            call: "pfnCheckMultisampleQualityLevels({target}, {name}) of 0 to 2^32 - 1 samples",
            expected: "TRUE or FALSE",
            got: "a memory fault",
        ));
        let all: Vec<_> = watched(vec![fault], || {
            let ask = |(samples, level)| {
                let target = inputs.target;
                capabilities.check_multisample_quality_levels(target, format, samples, level)
            };
            every().map(ask).collect()
        });
        for ((samples, level), answer) in every().zip(all) {
            ensure!(
                answer == FALSE || answer == TRUE,
                call: "pfnCheckMultisampleQualityLevels({target}, {name}, {samples} samples, level {level})",
                expected: "TRUE (1) or FALSE (0)",
                got: "the number {answer}",
            );
            ensure!(
                answer == FALSE || !NO_SAMPLES.contains(&samples),
                call: "pfnCheckMultisampleQualityLevels({target}, {name}, {samples} samples, level {level})",
                expected: "FALSE, as no device has so many samples",
                got: "TRUE",
            );
        }
        let is_target =
            support(capabilities, &inputs, format)? & D3D12DDI_FORMAT_SUPPORT_RENDERTARGET;
        ensure!(
            is_target == 0 || capabilities.check_multisample_quality_levels(inputs.target, format, 1, 0) == TRUE,
            call: "pfnCheckMultisampleQualityLevels({target}, {name}, 1 sample, level 0)",
            expected: "TRUE, as the format's support has RENDERTARGET",
            got: "FALSE",
        );
    }
    for format in no_formats() {
        let value = format.0;
        subject.at(format!(
            "pfnCheckMultisampleQualityLevels({target}, {value:#x})"
        ));
        let fault = Watch::anywhere(failure!(
            call: "pfnCheckMultisampleQualityLevels({target}, {value:#x}), which is no format",
            expected: "FALSE",
            got: "a memory fault",
        ));
        let all = watched(vec![fault], || {
            SAMPLES.map(|samples| {
                capabilities.check_multisample_quality_levels(inputs.target, format, samples, 0)
            })
        });
        for (samples, answer) in SAMPLES.into_iter().zip(all) {
            ensure!(
                answer == FALSE,
                call: "pfnCheckMultisampleQualityLevels({target}, {value:#x}, {samples} samples, level 0), which is no format",
                expected: "FALSE",
                got: "the number {answer}",
            );
        }
    }
    Ok(())
}

fn p_msaa_02_agrees_with_format_support(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
        for (format, name) in formats() {
            subject.at(format!(
                "pfnCheckMultisampleQualityLevels({target}, {name})"
            ));
            let has = |samples, level| {
                capabilities.check_multisample_quality_levels(inputs.target, format, samples, level)
                    != FALSE
            };
            let bits = support(capabilities, &inputs, format)?;
            ensure!(
                bits & D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET == 0
                    || SAMPLES[1..].iter().any(|samples| has(*samples, 0)),
                call: "pfnCheckMultisampleQualityLevels({target}, {name}) of 2 to 32 samples at level 0",
                expected: "TRUE for one of them, as the format's support has MULTISAMPLE_RENDERTARGET",
                got: "FALSE for all",
            );
            for samples in SAMPLES {
                let mut below = None;
                for level in LEVELS {
                    let answer = has(samples, level);
                    if let (true, Some(below)) = (answer, below) {
                        broken!(
                            call: "pfnCheckMultisampleQualityLevels({target}, {name}, {samples} samples, level {level})",
                            expected: "FALSE, as level {below} is FALSE",
                            got: "TRUE",
                        );
                    }
                    below = below.or((!answer).then_some(level));
                }
            }
        }
    }
    Ok(())
}

fn p_msaa_03_refuses_mistakes(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for (format, name) in formats() {
        subject.at(format!("pfnCheckMultisampleQualityLevels(null, {name})"));
        for samples in SAMPLES {
            let fault = Watch::null(failure!(
                call: "pfnCheckMultisampleQualityLevels({name}, {samples} samples, level 0) with a null pTarget",
                expected: "FALSE",
                got: "the null pointer was used",
            ));
            let answer = watched(vec![fault], || {
                capabilities.check_multisample_quality_levels(ptr::null(), format, samples, 0)
            });
            ensure!(
                answer == FALSE,
                call: "pfnCheckMultisampleQualityLevels({name}, {samples} samples, level 0) with a null pTarget",
                expected: "FALSE",
                got: "the number {answer}",
            );
        }
    }
    for target in capabilities.unknown_targets()? {
        let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
        subject.at(format!("pfnCheckMultisampleQualityLevels({target})"));
        for (format, name) in formats() {
            for samples in SAMPLES {
                let answer = capabilities.check_multisample_quality_levels(
                    inputs.target,
                    format,
                    samples,
                    0,
                );
                ensure!(
                    answer == FALSE,
                    call: "pfnCheckMultisampleQualityLevels({target}, {name}, {samples} samples, level 0), which the plugin does not report",
                    expected: "FALSE",
                    got: "the number {answer}",
                );
            }
        }
    }
    Ok(())
}
