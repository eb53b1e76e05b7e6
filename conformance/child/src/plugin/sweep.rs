//! The plans that a test tries: for each call of a compile, and sampled for two of them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use conformance_protocol::{Answer, Fault, FaultPlan, On, Set, Settings, Which};
use ddi_sys::{
    DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_NOT_FOUND, E_FAIL, E_INVALIDARG, E_OUTOFMEMORY,
};
use fastrand::Rng;

use crate::plugin::recorder::Recording;

/// So many calls of a callback are all tried, and as many of the others by chance.
const FIRST: usize = 32;

/// What a host that fails answers.
const FAILURES: [(On, &[Answer]); 3] = [
    (
        On::Find,
        &[Answer::Failure(E_FAIL), Answer::Failure(E_OUTOFMEMORY)],
    ),
    (On::Store, &REFUSALS),
    (On::Keys, &REFUSALS),
];

const REFUSALS: [Answer; 3] = [
    Answer::Failure(E_FAIL),
    Answer::Failure(E_OUTOFMEMORY),
    Answer::Failure(E_INVALIDARG),
];

/// What a find of a value that is there answers when the value was replaced since the last look.
const REPLACED: [Answer; 2] = [Answer::Grow, Answer::Shrink];

/// What the first find of a value that is there answers when it was stored only after that.
const LATE: [Answer; 2] = [NOT_THERE, Answer::Partial];

const NOT_THERE: Answer = Answer::Failure(DXGI_ERROR_NOT_FOUND);
const THERE_BY_NOW: Answer = Answer::Failure(DXGI_ERROR_ALREADY_EXISTS);

/// One call of a compile under no plan.
struct Call {
    on: On,
    number: usize,
    is_first_of_its_key: bool,
    succeeded: bool,
}

impl Call {
    fn answered(&self, answer: Answer) -> Fault {
        Fault {
            on: self.on,
            which: Which::Number(self.number),
            answer,
        }
    }
}

/// The calls of each callback, of not too many.
fn calls(recording: &Recording, random: &mut Rng) -> Vec<Call> {
    let mut chosen = Vec::new();
    for (on, _) in FAILURES {
        let of_callback = recording
            .events
            .iter()
            .filter(|event| event.callback.on() == on);
        let mut seen = Vec::new();
        let mut calls: Vec<Call> = Vec::new();
        for (number, event) in of_callback.enumerate() {
            let key = event.callback.key();
            calls.push(Call {
                on,
                number,
                is_first_of_its_key: !seen.contains(&key),
                succeeded: event.result.is_ok(),
            });
            seen.push(key);
        }
        let mut others = calls.split_off(calls.len().min(FIRST));
        random.shuffle(&mut others);
        others.truncate(FIRST);
        chosen.extend(calls);
        chosen.extend(others);
    }
    chosen
}

/// All choices follow from the seed of the run and from the keys of the object.
fn random(recording: &Recording, settings: &Settings) -> Rng {
    let mut hasher = DefaultHasher::new();
    settings.seed.hash(&mut hasher);
    for event in &recording.events {
        event.callback.key().hash(&mut hasher);
    }
    Rng::with_seed(hasher.finish())
}

/// Another thread stores a value just before the call, or between a find and the store; with `each` each call by
/// itself too.
pub(crate) fn races(recording: &Recording, settings: &Settings, each: bool) -> Vec<FaultPlan> {
    let calls = calls(recording, &mut random(recording, settings));
    let mut plans = Vec::new();
    if each {
        plans.extend(calls.iter().flat_map(race).map(FaultPlan::from));
    }
    if finds_something(recording) {
        plans.extend(LATE.map(|answer| FaultPlan::of(On::Find, Which::FirstOfEachKey, answer)));
    }
    if calls.iter().any(|call| call.on == On::Store) {
        plans.push(FaultPlan::of(On::Store, Which::All, THERE_BY_NOW));
    }
    plans
}

fn race(call: &Call) -> Vec<Fault> {
    match call.on {
        On::Find if call.succeeded && call.is_first_of_its_key => {
            LATE.map(|answer| call.answered(answer)).into()
        }
        On::Store => vec![call.answered(THERE_BY_NOW)],
        _ => Vec::new(),
    }
}

/// A call fails, or finds another value than the look before, each call in one way; with `all_ways` in each, and all
/// calls of a callback.
pub(crate) fn failures(
    recording: &Recording,
    settings: &Settings,
    all_ways: bool,
) -> Vec<FaultPlan> {
    let calls = calls(recording, &mut random(recording, settings));
    if !all_ways {
        let failure = |call: &Call| {
            let failures = failures_of(call);
            failures[call.number % failures.len()].into()
        };
        return calls.iter().map(failure).collect();
    }
    let mut plans: Vec<_> = calls
        .iter()
        .flat_map(failures_of)
        .map(FaultPlan::from)
        .collect();
    for (on, answers) in FAILURES {
        if calls.iter().any(|call| call.on == on) {
            plans.extend(
                answers
                    .iter()
                    .map(|answer| FaultPlan::of(on, Which::All, *answer)),
            );
        }
    }
    plans.extend(replaced(recording));
    plans
}

/// Each find of a value sees another one than that before it.
pub(crate) fn replaced(recording: &Recording) -> Vec<FaultPlan> {
    if finds_something(recording) {
        REPLACED
            .map(|answer| FaultPlan::of(On::Find, Which::All, answer))
            .into()
    } else {
        Vec::new()
    }
}

fn finds_something(recording: &Recording) -> bool {
    let mut events = recording.events.iter();
    events.any(|event| event.callback.on() == On::Find && event.result.is_ok())
}

/// The ways in which one call can fail.
fn failures_of(call: &Call) -> Vec<Fault> {
    let failures = FAILURES.iter().filter(|(on, _)| *on == call.on);
    let mut answers: Vec<_> = failures
        .flat_map(|(_, answers)| *answers)
        .copied()
        .collect();
    if call.on == On::Find && call.succeeded {
        answers.extend(REPLACED);
        if !call.is_first_of_its_key {
            // The value that the look before has found is gone.
            answers.push(NOT_THERE);
        }
    }
    answers
        .into_iter()
        .map(|answer| call.answered(answer))
        .collect()
}

/// Plans of two entries, by chance: a race, and a failure. Two failures would be one, as a compile ends with the first.
pub(crate) fn pairs(recording: &Recording, settings: &Settings) -> Vec<FaultPlan> {
    let count = match settings.set {
        Set::Smoke => 0,
        Set::Full => 4,
        Set::Soak => 64,
    };
    let mut random = random(recording, settings);
    let mut calls = calls(recording, &mut random);
    let races: Vec<_> = calls.iter().flat_map(race).collect();
    if calls.iter().all(|call| call.on != On::Store) {
        // A value that is not found now is stored.
        calls.push(Call {
            on: On::Store,
            number: 0,
            is_first_of_its_key: true,
            succeeded: true,
        });
    }
    let failures: Vec<_> = calls.iter().flat_map(failures_of).collect();
    let pair = || {
        let (race, failure) = (random.choice(&races)?, random.choice(&failures)?);
        Some([*race, *failure])
    };
    let pairs = std::iter::repeat_with(pair).take(count).flatten();
    let of_two_calls = pairs.filter(|[one, other]| (one.on, one.which) != (other.on, other.which));
    of_two_calls.map(FaultPlan::new).collect()
}
