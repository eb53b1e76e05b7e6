//! What a compile call that fails leaves of its key list.

use std::sync::Arc;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, ensure};

use super::compile_malformed;
use crate::plugin::compiler::USUAL_TYPES;
use crate::plugin::malformed::{Part, malformed};
use crate::plugin::object::Object;
use crate::plugin::recorder::SET_KEYS;
use crate::plugin::state_object::RAYTRACING;
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::Place;

pub(super) fn p_pso_24_sets_keys_once_or_not_at_all(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let target = rig.target()?;
    let (mut without, mut with) = (0, 0);
    for malformed in malformed()?.iter().filter(|malformed| malformed.obvious) {
        let object = match malformed.part {
            Part::Stage(kind, _) => Object::Pipeline(kind),
            Part::Library => Object::StateObject(&RAYTRACING),
        };
        let Some(&case) = rig.cases(&[target], &[object])?.0.first() else {
            continue;
        };
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let what = format!("{case} of a malformed program: {}", malformed.what);
        subject.at(what.as_str());
        let program = malformed.placed(Place::Roomy)?;
        let watches = vec![Watch::needs(rules::P_PSO_17)];
        let recording = watched(watches, || compile_malformed(case, malformed, &program))?;
        // The plugin may look at it again.
        std::mem::forget(program);
        if recording.result.is_ok() {
            return Err(Stop::needs(rules::P_PSO_17));
        }
        let lists = recording.key_lists().count();
        ensure!(
            lists <= 1,
            call: "{what}, which fails",
            expected: "no call of {SET_KEYS}, or one",
            got: "{lists} calls",
        );
        *if lists == 0 { &mut without } else { &mut with } += 1;
    }
    subject.note(match (without, with) {
        (_, 0) => "a compile call that fails sets no value keys".to_owned(),
        (0, _) => "a compile call that fails sets its value keys too".to_owned(),
        _ => format!("{with} compile calls that failed set value keys, and {without} did not"),
    });
    Ok(())
}
