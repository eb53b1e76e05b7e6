//! What one build of a plugin makes of the suite's objects; each build is loaded in a process of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use conformance_catalogue::verdict::Stop;
use conformance_protocol::FaultPlan;
use conformance_protocol::build::{Build, Code, Made, Part};

use crate::inputs::{APPLICATIONS, pipeline};
use crate::plugin::compiler::{Product, USUAL_TYPES};
use crate::plugin::object::{Case, Object};
use crate::plugin::subject::Subject;
use crate::rules::plugin::pso::sharing::profile;
use crate::rules::plugin::{cver, fam};
use crate::watch::fault::{Watch, watched};

/// Compiles the ordinary objects for every target and application, and what is generated and the corpus for the newest
/// target of each family and the usual application.
pub(crate) fn build(subject: &Subject) -> Result<Build, Stop> {
    let rig = subject.rig()?;
    let (names, compilers) = (
        fam::names(rig.capabilities)?,
        cver::versions(rig.capabilities)?,
    );
    let ordinary = [
        Object::all(),
        pipeline::VARIANTS.map(Object::Pipeline).into(),
    ]
    .concat();
    let mut more = rig.generated(subject.settings(), 1)?;
    let newest = rig.newest_targets()?;
    more.extend(rig.cases(&newest, &rig.corpus.pipelines)?.0);
    let mut parts = Vec::new();
    for target in [newest, rig.older_targets()?.0].concat() {
        let family = target.adapter_family_index as usize;
        for (number, application) in APPLICATIONS.iter().enumerate() {
            let compiler = rig.compiler_for(target, application)?;
            let mut objects = ordinary.clone();
            if number == 0 {
                let of_target = more.iter().filter(|case| case.target == target);
                objects.extend(of_target.map(|case| case.object));
            }
            let mut made = BTreeMap::new();
            for object in objects {
                if object.lacks(&rig, target)?.is_none() {
                    let case = Case {
                        target,
                        compiler,
                        object,
                    };
                    made.insert(object.to_string(), make(subject, case)?);
                }
            }
            parts.push(Part {
                family: String::from_utf16_lossy(&names[family]),
                abi: target.abi_version,
                application: application.exe.to_owned(),
                compiler: compilers[family],
                profile: profile(rig.capabilities, target, application)?,
                objects: made,
            });
        }
    }
    Ok(Build(parts))
}

fn make(subject: &Subject, case: Case) -> Result<Made, Stop> {
    subject.at(case.to_string());
    let (cache, repeated) = (Arc::default(), case.repeated()?);
    let start = Instant::now();
    let recording = watched(vec![Watch::needs(case.object.rule())], || {
        repeated.compile(&cache, USUAL_TYPES, &FaultPlan::NONE)
    })?;
    let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let result = recording.result;
    if !result.is_ok() {
        return Ok(Made {
            failure: Some(result.to_string()),
            keys: Vec::new(),
            code: BTreeMap::new(),
            nanoseconds,
        });
    }
    let product = Product::new(&recording, &cache);
    let code = product.code.iter();
    let code = code.map(|(key, code)| (hex::encode(key), Code::of(code)));
    Ok(Made {
        failure: None,
        keys: product.keys.iter().map(hex::encode).collect(),
        code: code.collect(),
        nanoseconds,
    })
}
