//! P-FMT: what each target supports of each format.

use std::ptr;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, ensure, failure};
use ddi_sys::{D3D12DDI_FORMAT_SUPPORT_ALL, DXGI_FORMAT, E_INVALIDARG, HRESULT, S_OK};

use super::Tests;
use crate::inputs::arena::Surroundings;
use crate::inputs::{Application, Inputs, Target};
use crate::plugin::capabilities::Capabilities;
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::{Array, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_FMT_01, p_fmt_01_answers_for_every_format),
    (rules::P_FMT_02, p_fmt_02_refuses_mistakes),
    (rules::P_FMT_03, p_fmt_03_writes_one_number),
];

/// Every enumerator.
pub(super) fn formats()
-> impl DoubleEndedIterator<Item = (DXGI_FORMAT, &'static str)> + ExactSizeIterator {
    DXGI_FORMAT::ENUMERATORS.iter().copied()
}

/// Values that are no format: the ends of the type, and formats with other bits set.
pub(super) fn no_formats() -> impl Iterator<Item = DXGI_FORMAT> {
    let near =
        formats().flat_map(|(format, _)| [0x4000, 0x1_0000, i32::MIN].map(|bit| format.0 | bit));
    let ends = [-1, i32::MIN, i32::MAX];
    ends.into_iter().chain(near).map(DXGI_FORMAT)
}

/// What the answer holds before: what is not written shows in one of them.
const BEFORE: [u32; 3] = [0, u32::MAX, 0xA5A5_A5A5];

/// Asks over each of the first values: the results, and what is in the memory then.
fn ask(
    capabilities: Capabilities,
    inputs: &Inputs,
    format: DXGI_FORMAT,
    support: &Array<u32>,
) -> [(HRESULT, u32); 3] {
    BEFORE.map(|before| {
        support.set(0, before);
        let result = capabilities.check_format_support(inputs.target, format, Some(support));
        (result, support.get(0))
    })
}

/// The bits of a format. Needs P-FMT-01.
pub(super) fn support(
    capabilities: Capabilities,
    inputs: &Inputs,
    format: DXGI_FORMAT,
) -> Result<u32, Stop> {
    let [first, rest @ ..] = ask(capabilities, inputs, format, &Array::one(0, Place::Roomy)?);
    if first.0 == S_OK && rest.iter().all(|again| *again == first) {
        Ok(first.1)
    } else {
        Err(Stop::needs(rules::P_FMT_01))
    }
}

fn p_fmt_01_answers_for_every_format(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, _| {
        let capabilities = open.selected_capabilities()?;
        for target in capabilities.targets()? {
            answers_for_every_format(subject, capabilities, target)?;
        }
        Ok(())
    })?;
    let capabilities = subject.open()?.capabilities()?;
    let second_open = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        let all = |capabilities, surroundings| {
            let inputs = Inputs::new(target, &Application::USUAL, surroundings)?;
            let support = formats().map(|(format, _)| support(capabilities, &inputs, format));
            support.collect::<Result<Vec<_>, Stop>>()
        };
        let usual = Surroundings::USUAL;
        let first = all(capabilities, usual)?;
        for (when, again) in [
            ("a second time", all(capabilities, usual)?),
            (
                "with other addresses and other padding",
                all(capabilities, Surroundings::OTHER)?,
            ),
            ("of a second open", all(second_open, usual)?),
        ] {
            for (((_, name), first), again) in formats().zip(&first).zip(again) {
                ensure!(
                    *first == again,
                    call: "pfnCheckFormatSupport({name}, {target}) {when}",
                    expected: "the same bits, {first:#x}",
                    got: "the bits {again:#x}",
                );
            }
        }
    }
    Ok(())
}

fn answers_for_every_format(
    subject: &Subject,
    capabilities: Capabilities,
    target: Target,
) -> Outcome {
    let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
    let memory = Array::one(0, Place::Roomy)?;
    let mut known = Vec::new();
    for (format, name) in formats() {
        subject.at(format!("pfnCheckFormatSupport({name}, {target})"));
        let answers = ask(capabilities, &inputs, format, &memory);
        let [(result, bits), ..] = answers;
        ensure!(
            answers.iter().all(|(result, _)| *result == S_OK),
            call: "pfnCheckFormatSupport({name}, {target})",
            expected: "S_OK, and 0 for a format without optional features",
            got: "returned {result}",
        );
        ensure!(
            answers.iter().all(|(_, again)| *again == bits),
            call: "pfnCheckFormatSupport({name}, {target}), over several numbers",
            expected: "the same bits written each time",
            got: "the results and bits {answers:x?}",
        );
        ensure!(
            bits & !D3D12DDI_FORMAT_SUPPORT_ALL == 0,
            call: "pfnCheckFormatSupport({name}, {target})",
            expected: "bits of D3D12DDI_FORMAT_SUPPORT",
            got: "{bits:#x}, with others",
        );
        known.push(bits);
    }
    // In the other order, so that no format depends on the one before.
    for ((format, name), first) in formats().zip(&known).rev() {
        let [(result, bits), ..] = ask(capabilities, &inputs, format, &memory);
        ensure!(
            result == S_OK && bits == *first,
            call: "pfnCheckFormatSupport({name}, {target}), from the last format to the first",
            expected: "S_OK and {first:#x}, as from the first to the last",
            got: "returned {result}, with {bits:#x}",
        );
    }
    for format in no_formats() {
        let value = format.0;
        subject.at(format!("pfnCheckFormatSupport({value:#x}, {target})"));
        let fault = Watch::anywhere(failure!(
            call: "pfnCheckFormatSupport({value:#x}, {target}), which is no format",
            expected: "an answer, or a failure",
            got: "a memory fault",
        ));
        let [(result, bits), ..] =
            watched(vec![fault], || ask(capabilities, &inputs, format, &memory));
        ensure!(
            !result.is_ok() || bits & !D3D12DDI_FORMAT_SUPPORT_ALL == 0,
            call: "pfnCheckFormatSupport({value:#x}, {target}), which is no format",
            expected: "a failure, or bits of D3D12DDI_FORMAT_SUPPORT",
            got: "returned {result}, with {bits:#x}",
        );
    }
    Ok(())
}

fn p_fmt_02_refuses_mistakes(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let memory = Array::one(0, Place::Roomy)?;
    for of in capabilities.targets()? {
        let inputs = Inputs::new(of, &Application::USUAL, Surroundings::USUAL)?;
        for (format, name) in formats() {
            for (null, target, support) in [
                ("pTarget", ptr::null(), Some(&memory)),
                ("pFormatSupport", inputs.target, None),
            ] {
                subject.at(format!(
                    "pfnCheckFormatSupport({name}, {of}) with a null {null}"
                ));
                let fault = Watch::null(failure!(
                    call: "pfnCheckFormatSupport({name}, {of}) with a null {null}",
                    expected: "E_INVALIDARG",
                    got: "the null pointer was used",
                ));
                let result = watched(vec![fault], || {
                    capabilities.check_format_support(target, format, support)
                });
                ensure!(
                    result == E_INVALIDARG,
                    call: "pfnCheckFormatSupport({name}, {of}) with a null {null}",
                    expected: "E_INVALIDARG",
                    got: "returned {result}",
                );
            }
        }
    }
    for target in capabilities.unknown_targets()? {
        let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
        subject.at(format!("pfnCheckFormatSupport({target})"));
        for (format, name) in formats() {
            let result = capabilities.check_format_support(inputs.target, format, Some(&memory));
            ensure!(
                !result.is_ok(),
                call: "pfnCheckFormatSupport({name}, {target}), which the plugin does not report",
                expected: "a failure",
                got: "returned {result}",
            );
        }
    }
    Ok(())
}

fn p_fmt_03_writes_one_number(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        let inputs = Inputs::read_only(target)?;
        for place in Place::TIGHT {
            let memory = Array::one(0, place)?;
            for (format, name) in formats() {
                subject.at(format!("pfnCheckFormatSupport({name}, {target})"));
                let outside = |got: &str| {
                    failure!(
                        call: "pfnCheckFormatSupport({name}, {target})",
                        expected: "nothing written but the number",
                        got: "{got} was written",
                    )
                };
                let beside = outside("memory beside it");
                let mut watches = inputs.arena().watches(&outside("the target"));
                watches.push(Watch::of(memory.memory(), "the number", beside.clone()));
                // Whether it succeeds is P-FMT-01's business.
                let _ = watched(watches, || {
                    capabilities.check_format_support(inputs.target, format, Some(&memory))
                });
                memory.memory().untouched("the number", &beside)?;
            }
        }
    }
    Ok(())
}
