//! P-CAPS: what each target can do, as `pfnGetCaps` says.

use std::collections::BTreeSet;
use std::ptr;

use bytemuck::bytes_of;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use conformance_catalogue::{Rule, rules};
use ddi_sys::{
    D3D12DDI_3DPIPELINELEVEL, D3D12DDI_3DPIPELINESUPPORT1_DATA_0081,
    D3D12DDI_D3D12_SHADER_MODELS_DATA_0011, D3D12DDI_SHADER_MODEL,
    D3D12DDI_SHADER_MODEL_6_1_RELEASE_0033, D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042,
    D3D12DDI_SHADER_MODEL_6_3_RELEASE_0054, D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071,
    D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108, D3D12DDIARG_GETCAPS, D3D12DDICAPS_TYPE,
    D3D12DDICAPS_TYPE_0011_SHADER_MODELS, D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1, E_INVALIDARG,
    HRESULT, S_OK,
};
use region::Protection;

use super::Tests;
use crate::inputs::arena::Surroundings;
use crate::inputs::{Application, Inputs, Target};
use crate::plugin::capabilities::{Capabilities, Models, NO_END, NO_MODEL};
use crate::plugin::caps::{
    Cap, Holds, LATER_OPTIONS, OPTIONS, SHADER, SHADER_MODEL_6_8_OPTIONS, all as plain,
};
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched, within};
use crate::watch::memory::{Array, Guarded, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_CAPS_01, p_caps_01_answers_shader),
    (rules::P_CAPS_02, p_caps_02_answers_options),
    (rules::P_CAPS_03, p_caps_03_answers_later_options),
    (rules::P_CAPS_04, p_caps_04_answers_shader_model_6_8),
    (rules::P_CAPS_05, p_caps_05_writes_its_data_only),
    (rules::P_CAPS_06, p_caps_06_ignores_unknown_applications),
    (rules::P_CAPS_20, p_caps_20_refuses_mistakes),
    (rules::P_CAPS_21, p_caps_21_lists_shader_models),
    (rules::P_CAPS_22, p_caps_22_keeps_to_the_runtimes_level),
    (rules::P_CAPS_23, p_caps_23_fits_together),
];

/// What an answer's memory holds before. A member that is not written shows in one of them.
const FILLS: [u8; 3] = [0x00, 0xFF, 0xA5];

/// An answer: the result, and what is in the memory then.
type Answer = (HRESULT, Vec<u8>);

fn ask(capabilities: Capabilities, inputs: &Inputs, cap: &Cap, fill: u8) -> Result<Answer, Stop> {
    let memory = Guarded::new(cap.size, align_of::<u64>(), Place::Roomy, fill)?;
    let result = capabilities.get_caps_into(inputs, cap.ty, &memory);
    Ok((result, memory.bytes()))
}

fn usual(target: Target) -> Result<Inputs, Stop> {
    Inputs::new(target, &Application::USUAL, Surroundings::USUAL)
}

fn p_caps_01_answers_shader(subject: &Subject) -> Outcome {
    answered(subject, &[SHADER])
}

fn p_caps_02_answers_options(subject: &Subject) -> Outcome {
    answered(subject, &[OPTIONS])
}

fn p_caps_03_answers_later_options(subject: &Subject) -> Outcome {
    answered(subject, &LATER_OPTIONS)
}

fn p_caps_04_answers_shader_model_6_8(subject: &Subject) -> Outcome {
    answered(subject, &[SHADER_MODEL_6_8_OPTIONS])
}

fn answered(subject: &Subject, caps: &[Cap]) -> Outcome {
    subject.for_each_version(|open, version| {
        let capabilities = open.selected_capabilities()?;
        for target in capabilities.targets()? {
            let inputs = usual(target)?;
            let mut failures = Vec::new();
            for cap in caps {
                let ty = cap.ty;
                subject.at(format!("pfnGetCaps({ty:?}, {target})"));
                let (result, _) = ask(capabilities, &inputs, cap, 0)?;
                if result != S_OK {
                    failures.push(format!("{ty:?} returned {result}"));
                }
            }
            let got = failures.join(", ");
            ensure!(
                failures.is_empty(),
                call: "pfnGetCaps({target}) with the DDI version {version}",
                expected: "S_OK",
                got: "the cap {got}",
            );
        }
        for target in capabilities.targets()? {
            for cap in caps {
                is_whole(capabilities, target, cap)?;
            }
        }
        Ok(())
    })?;
    let capabilities = subject.open()?.capabilities()?;
    let second_open = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        for cap in caps {
            is_stable(capabilities, second_open, target, cap)?;
        }
    }
    Ok(())
}

/// Whether every member is written, with a value that it may have.
fn is_whole(capabilities: Capabilities, target: Target, cap: &Cap) -> Outcome {
    let (ty, inputs) = (cap.ty, usual(target)?);
    let (_, first) = ask(capabilities, &inputs, cap, FILLS[0])?;
    for fill in FILLS {
        let (result, answer) = ask(capabilities, &inputs, cap, fill)?;
        ensure!(
            result == S_OK,
            call: "pfnGetCaps({ty:?}, {target}), into memory that holds {fill:#04x}",
            expected: "S_OK, as before",
            got: "returned {result}",
        );
        if let Some(member) = cap.difference(&first, &answer) {
            broken!(
                call: "pfnGetCaps({ty:?}, {target}), into memory that holds {fill:#04x}",
                expected: "every member written, and the same values as before",
                got: "another value of {member}",
            );
        }
    }
    for member in cap.members {
        if let Holds::Known(known) = member.holds {
            let (name, value) = (member.name, member.of(&first));
            ensure!(
                known(value),
                call: "pfnGetCaps({ty:?}, {target})",
                expected: "a value of its enumeration in {name}",
                got: "the value {value}",
            );
        }
    }
    Ok(())
}

fn is_stable(
    capabilities: Capabilities,
    second_open: Capabilities,
    target: Target,
    cap: &Cap,
) -> Outcome {
    let ty = cap.ty;
    let (_, first) = ask(capabilities, &usual(target)?, cap, 0)?;
    let other = Inputs::new(target, &Application::USUAL, Surroundings::OTHER)?;
    for (when, who, inputs) in [
        ("a second time", capabilities, usual(target)?),
        (
            "with other addresses and other padding",
            capabilities,
            other,
        ),
        ("of a second open", second_open, usual(target)?),
    ] {
        let (result, again) = ask(who, &inputs, cap, 0)?;
        let difference = cap.difference(&first, &again).unwrap_or("none");
        ensure!(
            result == S_OK && again == first,
            call: "pfnGetCaps({ty:?}, {target}) {when}",
            expected: "S_OK and the same answer",
            got: "returned {result}, with a difference in {difference}",
        );
    }
    Ok(())
}

/// A query with its data, between guard pages.
struct Query {
    ty: D3D12DDICAPS_TYPE,
    data: Guarded,
    /// What the data of shader models points to.
    _models: Option<Box<(Array<u32>, Array<D3D12DDI_SHADER_MODEL>)>>,
}

impl Query {
    /// More models than there are.
    const MANY: u32 = 64;

    /// Every cap, with data that a plugin can answer into `len` bytes of.
    fn all(len: impl Fn(usize) -> usize, place: Place) -> Result<Vec<Self>, Stop> {
        let data = |of: &[u8]| {
            let len = len(of.len());
            let memory = Guarded::new(len, align_of::<u64>(), place, FILLS[2])?;
            memory.write(&of[..len.min(of.len())]);
            Ok::<_, Stop>(memory)
        };
        let mut all = Vec::new();
        for cap in plain() {
            all.push(Self {
                ty: cap.ty,
                data: data(&vec![FILLS[2]; cap.size])?,
                _models: None,
            });
        }
        let (level, _) = D3D12DDI_3DPIPELINELEVEL::ENUMERATORS.last().expect("some");
        all.push(Self {
            ty: D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1,
            data: data(bytes_of(&D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 {
                HighestRuntimeSupportedFeatureLevel: *level,
                MaximumDriverSupportedFeatureLevel: *level,
            }))?,
            _models: None,
        });
        let models = Box::new((
            Array::one(Self::MANY, Place::Roomy)?,
            Models::new(Self::MANY as usize, Place::Roomy, FILLS[2])?,
        ));
        let pointers = [models.0.ptr().addr(), models.1.ptr().addr()];
        all.push(Self {
            ty: D3D12DDICAPS_TYPE_0011_SHADER_MODELS,
            data: data(&pointers.map(usize::to_ne_bytes).concat())?,
            _models: Some(models),
        });
        Ok(all)
    }

    fn arg(&self) -> D3D12DDIARG_GETCAPS {
        D3D12DDIARG_GETCAPS {
            Type: self.ty,
            pInfo: ptr::null_mut(),
            pData: self.data.ptr(),
            DataSize: u32::try_from(self.data.len()).expect("a small structure"),
        }
    }
}

/// A change to the size of a structure.
type Resize = fn(usize) -> usize;

fn p_caps_05_writes_its_data_only(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    let sizes: [Resize; 6] = [
        |len| len,
        |_| 0,
        |_| 1,
        |len| len / 2,
        |len| len - 1,
        |len| len + 1,
    ];
    for target in capabilities.targets()? {
        let inputs = Inputs::read_only(target)?;
        for (resize, place) in sizes
            .iter()
            .flat_map(|size| Place::TIGHT.map(|place| (size, place)))
        {
            for query in Query::all(resize, place)? {
                writes_its_data_only(subject, capabilities, target, &inputs, &query)?;
            }
        }
    }
    Ok(())
}

fn writes_its_data_only(
    subject: &Subject,
    capabilities: Capabilities,
    target: Target,
    inputs: &Inputs,
    query: &Query,
) -> Outcome {
    let (ty, size) = (query.ty, query.data.len());
    let arg = Guarded::new(
        size_of::<D3D12DDIARG_GETCAPS>(),
        align_of::<D3D12DDIARG_GETCAPS>(),
        Place::Roomy,
        0,
    )?;
    arg.put(query.arg());
    arg.protect(Protection::READ)?;
    let outside = failure!(
        call: "pfnGetCaps({ty:?}, {target}) with a DataSize of {size}",
        expected: "nothing read or written beside these bytes",
        got: "memory beside them was touched",
    );
    let written = |what: &str| {
        failure!(
            call: "pfnGetCaps({ty:?}, {target}) with a DataSize of {size}",
            expected: "arguments that are only read",
            got: "a write to {what}",
        )
    };
    let of_inputs = written("the target or the application");
    let mut watches = inputs.arena().watches(&of_inputs);
    watches.extend([
        Watch::of(&query.data, "pData", outside.clone()),
        Watch::of(&arg, "pCaps", written("pCaps")),
    ]);
    subject.at(format!("pfnGetCaps({ty:?}, {target}), DataSize {size}"));
    // Whether it is refused is P-CAPS-20's business.
    let _ = watched(watches, || {
        capabilities.get_caps_raw(inputs.target, inputs.application, arg.ptr())
    });
    query.data.untouched("pData", &outside)
}

/// Applications of random names.
const UNKNOWN: [Application; 3] = [
    Application {
        exe: "1b4e28ba-2fa1-41d2-883f-0016d3cca427.exe",
        name: "6fa459ea-ee8a-4ca4-894e-db77e160355e",
        version: 0x0001_0000_0000_0000,
        engine: Some((
            "16fd2706-8baf-433b-82eb-8c7fada847da",
            0x0001_0000_0000_0000,
        )),
    },
    Application {
        exe: "a.exe",
        name: "886313e1-3b8a-5372-9b90-0c9aee199e5d and more than that",
        version: u64::MAX,
        engine: Some(("b", u64::MAX)),
    },
    Application {
        exe: "c9f2a1de-7d3b-4a57-9c11-2f7f0b4f6f0e in a long name.exe",
        name: "d",
        version: 0,
        engine: Some(("", 0)),
    },
];

/// Everything that an application may ask for a target. Needs P-CAPS-01 to 04, 21 and 22.
fn everything(
    capabilities: Capabilities,
    inputs: &Inputs,
) -> Result<Vec<(D3D12DDICAPS_TYPE, Vec<u8>)>, Stop> {
    let mut all = Vec::new();
    for cap in plain() {
        let (result, answer) = ask(capabilities, inputs, &cap, 0)?;
        if result != S_OK {
            return Err(Stop::needs(rule_of(cap.ty)));
        }
        all.push((cap.ty, answer));
    }
    let models = capabilities.shader_models(inputs)?;
    let models = models.iter().flat_map(|model| model.0.to_ne_bytes());
    all.push((D3D12DDICAPS_TYPE_0011_SHADER_MODELS, models.collect()));
    let (highest, _) = D3D12DDI_3DPIPELINELEVEL::ENUMERATORS.last().expect("some");
    let (result, level) = level(capabilities, inputs, *highest, 0)?;
    if result != S_OK {
        return Err(Stop::needs(rules::P_CAPS_22));
    }
    let level = level.0.to_ne_bytes().to_vec();
    all.push((D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1, level));
    Ok(all)
}

/// The rule that a cap is answered at all.
fn rule_of(ty: D3D12DDICAPS_TYPE) -> Rule {
    if ty == SHADER.ty {
        rules::P_CAPS_01
    } else if ty == OPTIONS.ty {
        rules::P_CAPS_02
    } else if ty == SHADER_MODEL_6_8_OPTIONS.ty {
        rules::P_CAPS_04
    } else if ty == D3D12DDICAPS_TYPE_0011_SHADER_MODELS {
        rules::P_CAPS_21
    } else if ty == D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1 {
        rules::P_CAPS_22
    } else {
        rules::P_CAPS_03
    }
}

fn p_caps_06_ignores_unknown_applications(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        subject.at(format!("pfnGetCaps({target})"));
        let of = |application| {
            let inputs = Inputs::new(target, application, Surroundings::USUAL)?;
            everything(capabilities, &inputs)
        };
        let [first, others @ ..] = &UNKNOWN;
        let (expected, again) = (of(first)?, of(first)?);
        // Answers that change by themselves are other rules' business.
        if let Some((same, _)) = expected.iter().zip(&again).find(|(a, b)| a != b) {
            return Err(Stop::needs(rule_of(same.0)));
        }
        for other in others {
            let answers = of(other)?;
            if let Some((cap, _)) = expected.iter().zip(&answers).find(|(a, b)| a != b) {
                let ty = cap.0;
                broken!(
                    call: "pfnGetCaps({ty:?}, {target}) for two applications of random names",
                    expected: "the same answer",
                    got: "different answers",
                );
            }
        }
    }
    Ok(())
}

/// Types of no build: gaps and the ends of the enumeration.
const NO_TYPES: [i32; 8] = [0, 1, 999, 1008, 1999, -1, i32::MIN, i32::MAX];

fn p_caps_20_refuses_mistakes(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        let inputs = usual(target)?;
        refuses_sizes(subject, capabilities, target, &inputs)?;
        refuses_null(subject, capabilities, target, &inputs)?;
        for number in NO_TYPES {
            let query = Query {
                ty: D3D12DDICAPS_TYPE(number),
                data: Guarded::new(256, align_of::<u64>(), Place::Roomy, FILLS[2])?,
                _models: None,
            };
            refuses(subject, capabilities, target, &inputs, &query)?;
        }
    }
    for target in capabilities.unknown_targets()? {
        let inputs = usual(target)?;
        for query in Query::all(|len| len, Place::Roomy)? {
            refuses(subject, capabilities, target, &inputs, &query)?;
        }
    }
    Ok(())
}

/// Of sizes that no structure has, as all their members have 4 bytes.
fn refuses_sizes(
    subject: &Subject,
    capabilities: Capabilities,
    target: Target,
    inputs: &Inputs,
) -> Outcome {
    let sizes: [Resize; 4] = [|_| 0, |_| 1, |len| len - 1, |len| len + 1];
    for resize in sizes {
        for query in Query::all(resize, Place::Roomy)? {
            refuses(subject, capabilities, target, inputs, &query)?;
        }
    }
    Ok(())
}

fn refuses(
    subject: &Subject,
    capabilities: Capabilities,
    target: Target,
    inputs: &Inputs,
    query: &Query,
) -> Outcome {
    let (ty, size) = (query.ty, query.data.len());
    subject.at(format!("pfnGetCaps({ty:?}, {target}), DataSize {size}"));
    let before = query.data.bytes();
    let arg = query.arg();
    let result = capabilities.get_caps_raw(inputs.target, inputs.application, &raw const arg);
    ensure!(
        !result.is_ok(),
        call: "pfnGetCaps({ty:?}, {target}) with a DataSize of {size}",
        expected: "a failure, as there is no such type, size or target",
        got: "returned {result}",
    );
    ensure!(
        query.data.bytes() == before,
        call: "pfnGetCaps({ty:?}, {target}) with a DataSize of {size}, which returned {result}",
        expected: "nothing written by a call that fails",
        got: "other bytes at pData than before",
    );
    Ok(())
}

fn refuses_null(
    subject: &Subject,
    capabilities: Capabilities,
    of: Target,
    inputs: &Inputs,
) -> Outcome {
    let mut cases = Vec::new();
    let queries = Query::all(|len| len, Place::Roomy)?;
    for query in &queries {
        let (ty, arg) = (query.ty, query.arg());
        let without_data = D3D12DDIARG_GETCAPS {
            pData: ptr::null_mut(),
            ..arg
        };
        let given = (inputs.target, inputs.application, Some(arg));
        cases.extend([
            (ty, "pTarget", (ptr::null(), given.1, given.2)),
            (ty, "pApplicationDesc", (given.0, ptr::null(), given.2)),
            (ty, "pCaps", (given.0, given.1, None)),
            (ty, "pData", (given.0, given.1, Some(without_data))),
        ]);
    }
    let no_count = Guarded::new(
        size_of::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>(),
        align_of::<u64>(),
        Place::Roomy,
        0,
    )?;
    let models = Query {
        ty: D3D12DDICAPS_TYPE_0011_SHADER_MODELS,
        data: no_count,
        _models: None,
    };
    cases.push((
        models.ty,
        "pNumShaderModelsSupported",
        (inputs.target, inputs.application, Some(models.arg())),
    ));
    for (ty, null, (target, application, arg)) in cases {
        subject.at(format!("pfnGetCaps({ty:?}, {of}) with a null {null}"));
        let fault = Watch::null(failure!(
            call: "pfnGetCaps({ty:?}, {of}) with a null {null}",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let arg = arg.as_ref().map_or(ptr::null(), ptr::from_ref);
        let result = watched(vec![fault], || {
            capabilities.get_caps_raw(target, application, arg)
        });
        ensure!(
            result == E_INVALIDARG,
            call: "pfnGetCaps({ty:?}, {of}) with a null {null}",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn p_caps_21_lists_shader_models(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, version| {
        let capabilities = open.selected_capabilities()?;
        for target in capabilities.targets()? {
            subject.at(format!(
                "pfnGetCaps(SHADER_MODELS, {target}) with the DDI version {version}"
            ));
            lists_shader_models(capabilities, target)?;
        }
        Ok(())
    })?;
    let capabilities = subject.open()?.capabilities()?;
    let second_open = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        let first = capabilities.shader_models(&usual(target)?)?;
        let other = Inputs::new(target, &Application::USUAL, Surroundings::OTHER)?;
        for (when, models) in [
            (
                "a second time",
                capabilities.shader_models(&usual(target)?)?,
            ),
            (
                "with other addresses and other padding",
                capabilities.shader_models(&other)?,
            ),
            (
                "of a second open",
                second_open.shader_models(&usual(target)?)?,
            ),
        ] {
            ensure!(
                models == first,
                call: "pfnGetCaps(SHADER_MODELS, {target}) {when}",
                expected: "the same models, {first:?}",
                got: "the models {models:?}",
            );
        }
    }
    Ok(())
}

fn lists_shader_models(capabilities: Capabilities, target: Target) -> Outcome {
    let inputs = usual(target)?;
    let count = Array::one(0, Place::Roomy)?;
    let result = capabilities.ask_models(&inputs, &count, None)?;
    let total = count.get(0);
    ensure!(
        result == S_OK && (1..=NO_END).contains(&total),
        call: "pfnGetCaps(SHADER_MODELS, {target}) with a null array",
        expected: "S_OK and the number of models, at least 1",
        got: "returned {result}, with a count of {total}",
    );
    let mut first = None;
    for capacity in [total, total + 3] {
        let models = Models::new(capacity as usize, Place::Roomy, NO_MODEL)?;
        count.set(0, capacity);
        let result = capabilities.ask_models(&inputs, &count, Some(&models))?;
        let got = count.get(0);
        ensure!(
            result == S_OK && got == total,
            call: "pfnGetCaps(SHADER_MODELS, {target}) with an array of {capacity}, of {total} models",
            expected: "S_OK and a count of {total}",
            got: "returned {result}, with a count of {got}",
        );
        let values = models.values();
        let (listed, tail) = values.split_at(total as usize);
        if let Some(model) = listed.iter().find(|model| model.name().is_none()) {
            broken!(
                call: "pfnGetCaps(SHADER_MODELS, {target}) with an array of {capacity}, of {total} models",
                expected: "enumerators of D3D12DDI_SHADER_MODEL in the first {total} entries",
                got: "the value {model:?}",
            );
        }
        ensure!(
            tail.iter().all(|model| model.0 == i32::from_ne_bytes([NO_MODEL; 4])),
            call: "pfnGetCaps(SHADER_MODELS, {target}) with an array of {capacity}, of {total} models",
            expected: "entries past the models left as they were",
            got: "another value in one of them",
        );
        let different: BTreeSet<_> = listed.iter().collect();
        ensure!(
            different.len() == listed.len(),
            call: "pfnGetCaps(SHADER_MODELS, {target})",
            expected: "every model once",
            got: "one of them twice in {listed:?}",
        );
        let listed = listed.to_vec();
        let first = first.get_or_insert_with(|| listed.clone());
        ensure!(
            *first == listed,
            call: "pfnGetCaps(SHADER_MODELS, {target}) with an array of {capacity}, of {total} models",
            expected: "the same models as with an array of {total}, {first:?}",
            got: "the models {listed:?}",
        );
    }
    for capacity in 0..total {
        let models = Models::new(capacity as usize, Place::End, NO_MODEL)?;
        count.set(0, capacity);
        let past = failure!(
            call: "pfnGetCaps(SHADER_MODELS, {target}) with an array of {capacity}, of {total} models",
            expected: "nothing written past the array",
            got: "memory behind it was touched",
        );
        // What it returns is not stated.
        let _ = within(models.memory(), "the array of models", &past, || {
            capabilities.ask_models(&inputs, &count, Some(&models))
        })??;
    }
    Ok(())
}

/// The answer to a runtime that has `highest`, over a first value of the answer.
fn level(
    capabilities: Capabilities,
    inputs: &Inputs,
    highest: D3D12DDI_3DPIPELINELEVEL,
    before: i32,
) -> Result<(HRESULT, D3D12DDI_3DPIPELINELEVEL), Stop> {
    let data = D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 {
        HighestRuntimeSupportedFeatureLevel: highest,
        MaximumDriverSupportedFeatureLevel: D3D12DDI_3DPIPELINELEVEL(before),
    };
    let memory = Guarded::new(size_of_val(&data), align_of::<u64>(), Place::Roomy, 0)?;
    memory.put(data);
    let ty = D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1;
    let result = capabilities.get_caps_into(inputs, ty, &memory);
    let answer: D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 = memory.get();
    Ok((result, answer.MaximumDriverSupportedFeatureLevel))
}

fn p_caps_22_keeps_to_the_runtimes_level(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, version| {
        let capabilities = open.selected_capabilities()?;
        for target in capabilities.targets()? {
            subject.at(format!(
                "pfnGetCaps(3DPIPELINESUPPORT1, {target}) with the DDI version {version}"
            ));
            keeps_to_the_runtimes_level(capabilities, target)?;
        }
        Ok(())
    })
}

fn keeps_to_the_runtimes_level(capabilities: Capabilities, target: Target) -> Outcome {
    let levels = D3D12DDI_3DPIPELINELEVEL::ENUMERATORS;
    let other = Inputs::new(target, &Application::USUAL, Surroundings::OTHER)?;
    let inputs = usual(target)?;
    let (newest, _) = levels.last().expect("some");
    let (result, own) = level(capabilities, &inputs, *newest, 0)?;
    ensure!(
        result == S_OK && own.name().is_some() && own <= *newest,
        call: "pfnGetCaps(3DPIPELINESUPPORT1, {target}) of a runtime that supports {newest:?}",
        expected: "S_OK and a level that exists, none above that",
        got: "returned {result}, with {own:?}",
    );
    for (runtime, _) in levels {
        for (inputs, before) in [(&inputs, 0), (&inputs, -1), (&other, i32::MAX)] {
            let (result, answer) = level(capabilities, inputs, *runtime, before)?;
            // A plugin may have no level so low.
            ensure!(
                result == S_OK || *runtime < own,
                call: "pfnGetCaps(3DPIPELINESUPPORT1, {target}) of a runtime that supports {runtime:?}",
                expected: "S_OK, as the target has {own:?}",
                got: "returned {result}",
            );
            ensure!(
                !result.is_ok() || (answer.name().is_some() && answer <= *runtime),
                call: "pfnGetCaps(3DPIPELINESUPPORT1, {target}) of a runtime that supports {runtime:?}",
                expected: "a level that exists, none above that",
                got: "the level {answer:?}",
            );
            ensure!(
                !result.is_ok() || *runtime < own || answer == own,
                call: "pfnGetCaps(3DPIPELINESUPPORT1, {target}) of a runtime that supports {runtime:?}",
                expected: "{own:?}, the target's own level",
                got: "the level {answer:?}",
            );
        }
    }
    Ok(())
}

fn p_caps_23_fits_together(subject: &Subject) -> Outcome {
    let capabilities = subject.open()?.capabilities()?;
    for target in capabilities.targets()? {
        subject.at(format!("pfnGetCaps({target})"));
        fits_together(capabilities, target)?;
    }
    Ok(())
}

fn fits_together(capabilities: Capabilities, target: Target) -> Outcome {
    let inputs = usual(target)?;
    let mut answers = Vec::new();
    for cap in plain() {
        let (result, answer) = ask(capabilities, &inputs, &cap, 0)?;
        if result != S_OK {
            return Err(Stop::needs(rule_of(cap.ty)));
        }
        for member in cap.members {
            let (ty, name, value) = (cap.ty, member.name, member.of(&answer));
            ensure!(
                !matches!(member.holds, Holds::Bool) || (0..=1).contains(&value),
                call: "pfnGetCaps({ty:?}, {target})",
                expected: "TRUE or FALSE in {name}",
                got: "the value {value}",
            );
            answers.push((name, value));
        }
    }
    let value = |name: &str| {
        let found = answers.iter().find(|(known, _)| *known == name);
        found.expect("a member of one of the structures").1
    };
    let (least, most) = (value("WaveLaneCountMin"), value("WaveLaneCountMax"));
    let is_size = |lanes: i32| (4..=128).contains(&lanes) && lanes.count_ones() == 1;
    ensure!(
        value("WaveOps") == 0 || (is_size(least) && is_size(most) && least <= most),
        call: "pfnGetCaps(D3D12DDICAPS_TYPE_SHADER, {target}), which has WaveOps",
        expected: "powers of two from 4 to 128 in WaveLaneCountMin and WaveLaneCountMax, the first no larger",
        got: "{least} and {most}",
    );
    let models = capabilities.shader_models(&inputs)?;
    let newest = models.iter().max().copied().unwrap_or_default();
    // A tier is a number that grows with what it has; tier 1.1 of raytracing is 11.
    for (member, from, needed) in [
        (
            "BarycentricsSupported",
            1,
            D3D12DDI_SHADER_MODEL_6_1_RELEASE_0033,
        ),
        ("Native16BitOps", 1, D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042),
        ("RaytracingTier", 1, D3D12DDI_SHADER_MODEL_6_3_RELEASE_0054),
        ("RaytracingTier", 11, D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071),
        ("MeshShaderTier", 1, D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071),
        (
            "SamplerFeedbackTier",
            1,
            D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071,
        ),
        ("WorkGraphsTier", 10, D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108),
    ] {
        let has = value(member);
        ensure!(
            has < from || newest >= needed,
            call: "pfnGetCaps({target}), which has {has} in {member}",
            expected: "{needed:?} in SHADER_MODELS, or a later one",
            got: "none after {newest:?}",
        );
    }
    Ok(())
}
