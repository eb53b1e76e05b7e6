//! How values are divided and named, so that databases stay small.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure};
use ddi_sys::S_OK;
use memchr::memmem;

use super::{each, everything, key_list};
use crate::inputs::arena::Surroundings;
use crate::inputs::{Application, Inputs, Target, pipeline};
use crate::plugin::compiler::{ForApplications, Product, USUAL_TYPES, short_hex};
use crate::plugin::object::{Case, Object};
use crate::plugin::subject::{Subject, dotted};
use crate::watch::memory::{Array, Place};

pub(super) fn p_pso_09_stores_code_once(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let variants = pipeline::VARIANTS.map(Object::Pipeline);
    let objects = [Object::all(), variants.into()].concat();
    let mut more = rig.of_corpus()?;
    more.extend(rig.generated(subject.settings(), 1)?);
    for target in rig.newest_targets()? {
        let mut sizes = Sizes::default();
        let mut known: BTreeMap<Vec<u8>, (Vec<u8>, Case)> = BTreeMap::new();
        let mut cases = rig.cases(&[target], &objects)?.0;
        cases.extend(more.iter().filter(|case| case.target == target));
        let outcome = each(subject, &cases, |case| {
            subject.at(case.to_string());
            let product = case.product()?;
            sizes.add(case, &product)?;
            // What is not named is another rule's business, or another object's.
            let keys = product.keys;
            for (key, code) in product.code {
                if !keys.contains(&key) {
                    continue;
                }
                let (first, of) = known.entry(code).or_insert_with(|| (key.clone(), case));
                if *first == key {
                    continue;
                }
                // Keys that differ from time to time are another rule's business.
                rig.expected(of.target, of.object)?;
                rig.expected(case.target, case.object)?;
                let (one, other) = (short_hex(first), short_hex(&key));
                broken!(
                    call: "{of}, then {case}",
                    expected: "object code that both have under one key",
                    got: "the same object code under the keys {one} and {other}",
                );
            }
            Ok(())
        });
        subject.note(format!("{target}: {sizes}"));
        outcome?;
    }
    Ok(())
}

/// How much of what many objects have a database keeps.
#[derive(Default)]
struct Sizes {
    objects: usize,
    programs: usize,
    keys: usize,
    /// Values of object code, and their bytes, of each object on its own.
    values: usize,
    bytes: usize,
    /// The bytes under each key.
    kept: BTreeMap<Vec<u8>, usize>,
}

impl Sizes {
    fn add(&mut self, case: Case, product: &Product) -> Outcome {
        let programs = case.object.program_bytes()?;
        self.objects += 1;
        self.programs += programs.iter().map(|program| program.len()).sum::<usize>();
        self.keys += product.keys.iter().map(Vec::len).sum::<usize>();
        self.values += product.code.len();
        for (key, code) in &product.code {
            self.bytes += code.len();
            self.kept.insert(key.clone(), code.len());
        }
        Ok(())
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            objects,
            programs,
            keys,
            values,
            bytes,
            kept,
        } = self;
        let (count, kept) = (kept.len(), kept.values().sum::<usize>());
        let saved = bytes - kept;
        let percent = 100 * saved / (*bytes).max(1);
        write!(
            f,
            "of {objects} objects, whose programs have {programs} bytes and their keys {keys}, a database keeps \
             {count} of {values} values of object code, {kept} of {bytes} bytes: {saved} bytes ({percent} %) are saved"
        )
    }
}

/// So many bytes of a program in a row are no coincidence.
const CHUNK: usize = 64;

/// Whether bytes tell a place in a program: padding does not.
fn is_distinct(chunk: &[u8]) -> bool {
    chunk.iter().collect::<BTreeSet<_>>().len() >= 16
}

pub(super) fn p_pso_10_keeps_keys_small(subject: &Subject) -> Outcome {
    each(subject, &everything(subject)?.1, |case| {
        subject.at(case.to_string());
        let keys = key_list(&case.compiled(&Arc::default(), USUAL_TYPES)?)?;
        let programs = case.object.program_bytes()?;
        for key in keys.iter().flatten() {
            let shown = short_hex(key);
            for program in &programs {
                let mut chunks = key.windows(CHUNK).filter(|chunk| is_distinct(chunk));
                let found = |chunk: &[u8]| memmem::find(program, chunk).is_some();
                ensure!(
                    !chunks.any(found),
                    call: "{case}, its value keys",
                    expected: "a hash of each program instead of the program",
                    got: "{CHUNK} bytes of a program in the key {shown}",
                );
            }
        }
        let of_keys: usize = keys.iter().flatten().map(Vec::len).sum();
        let of_programs: usize = programs.iter().map(|program| program.len()).sum();
        ensure!(
            of_keys < of_programs,
            call: "{case}, its value keys",
            expected: "fewer bytes than its programs have, {of_programs}",
            got: "{of_keys} bytes",
        );
        Ok(())
    })
}

/// The version of an application's profile. Needs P-PROF-01, and P-PROF-03 of an application without an engine.
pub(crate) fn profile(
    capabilities: crate::plugin::capabilities::Capabilities,
    target: Target,
    application: &Application,
) -> Result<u64, Stop> {
    let inputs = Inputs::new(target, application, Surroundings::USUAL)?;
    let version = Array::one(u64::MAX, Place::Roomy)?;
    let result = application.watched(|| {
        capabilities.get_application_profile_version(
            inputs.target,
            inputs.application,
            Some(&version),
        )
    });
    if result == S_OK {
        Ok(version.get(0))
    } else {
        let exe = application.exe;
        let rule = application.rule(rules::P_PROF_01);
        let got = format!("pfnGetApplicationProfileVersion({target}, {exe}) returned {result}");
        Err(Stop::needs_but_got(rule, got))
    }
}

/// The object code, without the keys.
fn codes(product: &Product) -> Vec<&[u8]> {
    let mut codes: Vec<_> = product
        .code
        .iter()
        .map(|(_, code)| code.as_slice())
        .collect();
    codes.sort_unstable();
    codes
}

/// What of the marked application object code has in it, in words.
fn marker_in(product: &Product) -> Option<String> {
    let marked = Application::MARKED;
    let (engine, engine_version) = marked.engine?;
    let names = [
        ("pExeFilename", marked.exe),
        ("pName", marked.name),
        ("pEngineName", engine),
    ];
    let names = names.into_iter().flat_map(|(field, name)| {
        let units = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let in_words = |form| format!("{field}, `{name}`, as {form}");
        [
            (in_words("UTF-8"), name.as_bytes().to_vec()),
            (in_words("UTF-16"), units),
        ]
    });
    let versions = [
        ("Version", marked.version),
        ("EngineVersion", engine_version),
    ];
    let versions = versions.map(|(field, version)| {
        let in_words = format!("{field}, {}", dotted(version));
        (in_words, version.to_le_bytes().to_vec())
    });
    names.chain(versions).find_map(|(what, bytes)| {
        let is_there = |code: &&[u8]| memmem::find(code, &bytes).is_some();
        let of = codes(product).into_iter().find(is_there)?.len();
        Some(format!("{what}, in object code of {of} bytes"))
    })
}

pub(super) fn p_pso_11_is_for_every_application(subject: &Subject) -> Outcome {
    let (rig, cases) = everything(subject)?;
    let mut compilers = ForApplications::default();
    let mut is_compared = true;
    each(subject, &cases, |case| {
        subject.at(case.to_string());
        let mut expected: Option<(&Application, Product)> = None;
        let mut without_profile = 0;
        for &(application, compiler) in compilers.of(&rig, case)? {
            let has_profile = profile(rig.capabilities, case.target, application)? != 0;
            let is_marked = application.exe == Application::MARKED.exe;
            if has_profile && !is_marked {
                continue;
            }
            // That it compiles is another rule's business.
            let product = Case { compiler, ..case }.product()?;
            // Different code under one key is another rule's business.
            let is_taken =
                |(key, code): &(_, _)| product.code.iter().any(|(k, c)| k == key && c != code);
            if let Some((first, expected)) = &expected
                && expected.code.iter().any(is_taken)
            {
                // So is code that differs from time to time.
                let first = rig.compiler_for(case.target, first)?;
                let (first, again) = (
                    first.expected(case.object)?,
                    compiler.expected(case.object)?,
                );
                let is_pure = codes(&first) == codes(expected) && codes(&again) == codes(&product);
                return Err(Stop::needs(if is_pure {
                    rules::P_PSO_08
                } else {
                    rules::P_PSO_07
                }));
            }
            if let Some(marker) = marker_in(&product).filter(|_| is_marked) {
                let exe = application.exe;
                broken!(
                    call: "{case}, for {exe}",
                    expected: "object code that has nothing of the application's description in it",
                    got: "it has {marker}",
                );
            }
            if has_profile {
                continue;
            }
            without_profile += 1;
            let (first, expected) = expected.get_or_insert_with(|| (application, product.clone()));
            if codes(expected) == codes(&product) {
                continue;
            }
            // So is code that differs from time to time.
            let usual = rig.compiler_for(case.target, first)?;
            for _ in 0..3 {
                let made = [usual, compiler, usual].map(|compiler| compiler.expected(case.object));
                let [one, other, again] = made;
                let (one, other, again) = (one?, other?, again?);
                if one != again || codes(&one) == codes(&other) {
                    return Err(Stop::needs(rules::P_PSO_07));
                }
            }
            let (one, other) = (first.exe, application.exe);
            broken!(
                call: "{case}, for {one} and for {other}, which have no profile",
                expected: "the same object code",
                got: "a difference",
            );
        }
        // Of what is generated there are two applications only.
        is_compared &= without_profile > 1 || case.object.is_generated();
        Ok(())
    })?;
    if is_compared {
        return Ok(());
    }
    let got = "of the applications of this suite fewer than two have no profile";
    Err(Stop::needs_but_got(rules::P_PROF_02, got.into()))
}
