//! P-SO: state objects.

use super::pso::compiles;
use crate::object::Object;
use crate::subject::Subject;
use crate::verdict::Outcome;

rules! {
    P_SO_07 {
        id: "P-SO-07",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "Every kind of state object compiles that the caps offer: raytracing pipelines, collections, pipelines with collections, additions to pipelines and to additions, work graphs.",
        why: "An application uses them all; a kind that fails is compiled on the player's machine.",
        hint: "Where a feature is missing, say so in the caps: RaytracingTier and WorkGraphsTier.",
        test: Plugin(p_so_07_compiles_every_state_object),
    }
}

fn p_so_07_compiles_every_state_object(subject: &Subject) -> Outcome {
    compiles(subject, &Object::state_objects())
}
