//! Keys and object code depend on the input and on nothing else, and tell inputs apart.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken};
use conformance_protocol::ProcessChange;
use plugin_host::session::MemoryCache;

use super::products::products_elsewhere;
use super::{each, everything};
use crate::inputs::Application;
use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::{self, COMPUTE};
use crate::plugin::compiler::{Compiler, ForApplications, Product, Rig, USUAL_TYPES, short_hex};
use crate::plugin::object::{Case, Object};
use crate::plugin::subject::Subject;
use crate::watch::process_change::CLOCK_IS_OURS;

/// A case, and what it was compiled to at first.
struct Compiled {
    case: Case,
    product: Product,
}

impl Compiled {
    /// How another product of the case differs, in words.
    fn difference(&self, product: Option<Product>) -> Option<String> {
        match product {
            Some(product) => self.product.difference(&product),
            None => Some("the compile fails".into()),
        }
    }

    fn same(&self, how: &str, product: Option<Product>) -> Outcome {
        let Some(difference) = self.difference(product) else {
            return Ok(());
        };
        let case = self.case;
        broken!(
            call: "{case}, once and then {how}",
            expected: "the same keys and the same object code",
            got: "a difference: {difference}",
        )
    }
}

/// What may lie around an input, and how a failure says it.
const AROUND: [(&str, Surroundings); 3] = [
    (
        "with other bytes in the padding of the structures and between them",
        Surroundings::OTHER,
    ),
    (
        "at other addresses",
        Surroundings {
            gap: 2048,
            ..Surroundings::USUAL
        },
    ),
    (
        "with one pointer to structures that are equal",
        Surroundings {
            shared: true,
            ..Surroundings::USUAL
        },
    ),
];

pub(in crate::rules) fn p_pso_07_is_a_pure_function(subject: &Subject) -> Outcome {
    let (rig, cases) = everything(subject)?;
    let new_rig = subject.rig()?;
    let (mut tried, mut all) = (0, Vec::new());
    let undecided = each(subject, &cases, |case| {
        subject.at(case.to_string());
        tried += 1;
        let product = case.product()?;
        let compiled = Compiled { case, product };
        in_this_process(rig, new_rig, &compiled)?;
        all.push(compiled);
        Ok(())
    });
    match undecided {
        Ok(()) | Err(Stop::Needs { .. }) => {}
        broken => return broken,
    }
    for of_target in all.chunk_by(|one, other| one.case.target == other.case.target) {
        among_others(subject, of_target)?;
        of_one_word(subject, rig, &of_target[0])?;
    }
    in_other_processes(subject, tried, &all)?;
    undecided
}

/// Compiles again, by several compilers and from several places.
fn in_this_process(rig: Rig, new_rig: Rig, compiled: &Compiled) -> Outcome {
    let (case, usual) = (compiled.case, Surroundings::USUAL);
    let of = |compiler: Compiler, surroundings| compiler.product(case.object, surroundings);
    compiled.same("again", of(case.compiler, usual)?)?;
    let is_generated = case.object.is_generated();
    if !is_generated {
        let from_thread = from_another_thread(case)?;
        compiled.same("from another thread", from_thread)?;
        let new = rig.compiler(case.target)?;
        compiled.same("with a new compiler", of(new, usual)?)?;
    }
    if let Object::Pipeline(_) = case.object {
        // What has a field off its default is taken for that field's address and padding.
        let around = if is_generated { &AROUND[..1] } else { &AROUND };
        for &(how, surroundings) in around {
            let compiler = rig.compiler_in(case.target, &Application::USUAL, surroundings)?;
            compiled.same(how, of(compiler, surroundings)?)?;
        }
    }
    let of_new_open = of(new_rig.compiler(case.target)?, usual)?;
    compiled.same("with a new open", of_new_open)
}

/// What a compile on another thread makes of it; the thread ends with it.
fn from_another_thread(case: Case) -> Result<Option<Product>, Stop> {
    struct Sent(Case);
    // SAFETY: a compiler may be used on any thread, and this one waits.
    unsafe impl Send for Sent {}
    let sent = Sent(case);
    let compile = move || {
        let Sent(case) = { sent };
        case.compiler.product(case.object, Surroundings::USUAL)
    };
    let ended = thread::scope(|scope| scope.spawn(compile).join());
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Compiles each object in a session that has the values of the objects before it.
fn among_others(subject: &Subject, of_target: &[Compiled]) -> Outcome {
    let cache: Arc<MemoryCache> = Arc::default();
    for compiled in of_target {
        let case = compiled.case;
        subject.at(case.to_string());
        let recording = case.compile(&cache, USUAL_TYPES)?;
        let mut product = Product::new(&recording, &cache);
        let own = &compiled.product.code;
        product
            .code
            .retain(|(key, _)| own.iter().any(|(own, _)| own == key));
        // Code of another object under the key of this one is another rule's business.
        let is_of_another = |code| {
            let mut all = of_target.iter();
            all.any(|of| of.case.object != case.object && of.product.code.contains(code))
        };
        let is_taken = |code| !own.contains(code) && is_of_another(code);
        if product.code.iter().any(is_taken) {
            return Err(Stop::needs(rules::P_PSO_08));
        }
        let product = recording.result.is_ok().then_some(product);
        if compiled.difference(product.clone()).is_some() {
            let cache = Arc::default();
            let alone = Product::new(&case.compiled(&cache, USUAL_TYPES)?, &cache);
            compiled.same("again", Some(alone))?;
            // What comes of a session that has its own values is another rule's business.
            let again = case.compile(&cache, USUAL_TYPES)?;
            let over_own = again.result.is_ok();
            let over_own = over_own.then(|| Product::new(&again, &cache));
            if compiled.difference(over_own).is_some() {
                return Err(Stop::needs(rules::P_PSO_06));
            }
        }
        compiled.same("in a session that has the values of other objects", product)?;
    }
    Ok(())
}

/// Compiles for an application whose strings are equal, with one copy of them and with three.
fn of_one_word(subject: &Subject, rig: Rig, compiled: &Compiled) -> Outcome {
    const APPLICATION: Application = Application {
        exe: "Conformance",
        name: "Conformance",
        engine: Some(("Conformance", 1)),
        ..Application::USUAL
    };
    let Case { target, object, .. } = compiled.case;
    let of = |surroundings| {
        let compiler = rig.compiler_in(target, &APPLICATION, surroundings)?;
        compiler.product(object, Surroundings::USUAL)
    };
    subject.at(compiled.case.to_string());
    let [.., (how, shared)] = AROUND;
    let product = of(Surroundings::USUAL)?.ok_or(Stop::needs(object.rule()))?;
    let case = compiled.case;
    Compiled { case, product }.same(
        &format!("{how}, of an application whose strings are equal"),
        of(shared)?,
    )
}

/// Compares with new processes: one like this, and one around which everything is different.
fn in_other_processes(subject: &Subject, tried: usize, all: &[Compiled]) -> Outcome {
    if !CLOCK_IS_OURS {
        subject.note("the clock cannot be set here: it moved by 2 seconds");
    }
    let alike = products_elsewhere(subject, Some(tried), None, &[])?;
    for compiled in all.iter().filter(|compiled| alike.have(&compiled.case)) {
        let product = alike.of(&compiled.case);
        compiled.same("in a new process, in the other order", product)?;
    }
    let changed = match products_elsewhere(subject, None, None, &ProcessChange::ALL) {
        // It works in a process that has this one's environment.
        Err(Stop::Needs { got, .. }) => {
            return Err(Stop::Needs {
                rule: rules::P_OPEN_05,
                got,
            });
        }
        products => products?,
    };
    for change in &changed.unchanged {
        let words = change.words();
        subject.note(format!("no process could be made {words}"));
    }
    // What has a field off its default is taken for that field: the process like this one has it.
    let ordinary = |compiled: &&Compiled| !compiled.case.object.is_generated();
    for compiled in all.iter().filter(ordinary) {
        let product = changed.of(&compiled.case);
        let Some(difference) = compiled.difference(product) else {
            continue;
        };
        // Which of the changes makes the difference?
        let mut how = ProcessChange::ALL.map(ProcessChange::words).join(", ");
        for change in ProcessChange::ALL
            .into_iter()
            .skip(1)
            .chain([ProcessChange::Variables])
        {
            let alone = products_elsewhere(subject, None, Some(&compiled.case), &[change])?;
            let product = alone.of(&compiled.case);
            if compiled.difference(product).is_some() {
                how = change.words().into();
                break;
            }
        }
        let case = compiled.case;
        broken!(
            call: "{case}, once and then in a new process {how}",
            expected: "the same keys and the same object code",
            got: "a difference: {difference}",
        );
    }
    Ok(())
}

pub(in crate::rules) fn p_pso_08_keys_tell_code_apart(subject: &Subject) -> Outcome {
    let (rig, mut cases) = everything(subject)?;
    let variants = pipeline::VARIANTS.map(Object::Pipeline);
    let newest = rig.newest_targets()?;
    cases.extend(rig.cases(&newest, &variants)?.0);
    // Of the older targets everything has one pipeline; what else there is they may refuse.
    let may_refuse =
        |case: &Case| !newest.contains(&case.target) && case.object != Object::Pipeline(&COMPUTE);
    let mut older = rig.cases(&rig.older_targets()?.0, &Object::all())?.0;
    older.retain(may_refuse);
    cases.extend(older);
    let mut known: BTreeMap<Vec<u8>, (Vec<u8>, Case, &Application)> = BTreeMap::new();
    let mut compilers = ForApplications::default();
    each(subject, &cases, |case| {
        subject.at(case.to_string());
        let mut applications = compilers.of(&rig, case)?;
        if !newest.contains(&case.target) {
            applications = &applications[..1];
        }
        for &(application, compiler) in applications {
            let product = match (Case { compiler, ..case }).product() {
                Err(Stop::Needs { rule, .. })
                    if rule == case.object.rule() && may_refuse(&case) =>
                {
                    return Ok(());
                }
                product => product?,
            };
            for (key, code) in product.code {
                let shown = short_hex(&key);
                let (first, of, of_application) = known
                    .entry(key)
                    .or_insert_with(|| (code.clone(), Case { compiler, ..case }, application));
                if *first == code {
                    continue;
                }
                // Code that differs from time to time is another rule's business.
                let again = of.compiler.product(of.object, Surroundings::USUAL)?;
                if !again.is_some_and(|again| again.code.iter().any(|(_, code)| code == first)) {
                    return Err(Stop::needs(rules::P_PSO_07));
                }
                let (one, other) = (of_application.exe, application.exe);
                broken!(
                    call: "{of} for {one}, then {case} for {other}",
                    expected: "keys that tell different object code apart",
                    got: "different object code under one key, {shown}",
                );
            }
        }
        Ok(())
    })
}
