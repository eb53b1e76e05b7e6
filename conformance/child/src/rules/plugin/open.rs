//! P-OPEN: opening the plugin, and ending it.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use conformance_catalogue::verdict::{Failure, Outcome, Stop, broken, ensure, failure};
use conformance_catalogue::{Rule, rules};
use conformance_protocol::{ProcessChange, Task};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER, E_INVALIDARG,
    E_POINTER, HRESULT, S_OK,
};
use object::Object;
use plugin_host::{DdiVersion, EntryPoint, LoadError};

use super::{Tests, fam};
use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::COMPUTE;
use crate::plugin::compiler::{Compiler, Rig, USUAL_TYPES};
use crate::plugin::function_table::Table;
use crate::plugin::layer::in_front_of;
use crate::plugin::recorder::callbacks;
use crate::plugin::subject::{HOST_HANDLE, Open, OpenArg, Subject, callback_table, dotted};
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::{Array, Guarded, Place};
use crate::watch::resources::{Resources, leaves_nothing};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_OPEN_01, p_open_01_exports_the_entry_point),
    (rules::P_OPEN_02, p_open_02_fills_handle_and_table),
    (rules::P_OPEN_03, p_open_03_leaves_no_entry_null),
    (rules::P_OPEN_04, p_open_04_refuses_null),
    (rules::P_OPEN_05, p_open_05_needs_no_installation),
    (rules::P_OPEN_06, p_open_06_opens_are_independent),
    (rules::P_OPEN_07, p_open_07_destroy_leaves_nothing),
    (rules::P_OPEN_08, p_open_08_destroy_works_before_a_version),
    (rules::P_OPEN_09, p_open_09_writes_nothing_outside),
    (rules::P_OPEN_10, p_open_10_leaves_the_runtime_handle_alone),
    (rules::P_OPEN_11, p_open_11_has_one_owner_of_the_table),
    (rules::P_OPEN_12, super::threads::p_open_12_come_and_go),
];

/// What is in the table before the call, besides zeros.
const JUNK: u8 = 0x5A;

fn p_open_01_exports_the_entry_point(subject: &Subject) -> Outcome {
    if subject.path().is_none() {
        let reason = "the plugin is linked in: there is no library".into();
        return Err(Stop::NotApplicable(reason));
    }
    match subject.load() {
        Ok(library) => {
            std::mem::forget(library);
            Ok(())
        }
        Err(LoadError::NotLoadable { reason, .. }) => broken!(
            call: "loading the library",
            expected: "a library that this system can load",
            got: "the error: {reason}",
        ),
        Err(LoadError::NoEntryPoint { path, reason }) => {
            let similar = similar_exports(&path);
            broken!(
                call: "looking up D3D12OpenCompilerDDI",
                expected: "an export of exactly this name",
                got: "the error: {reason}{similar}",
            )
        }
        Err(LoadError::File { source, .. }) => {
            Err(Stop::Tool(format!("cannot read the library: {source}")))
        }
        Err(error) => Err(Stop::Tool(error.to_string())),
    }
}

/// Exports that look like the right one with something added.
fn similar_exports(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    let exports = object::File::parse(&*bytes).and_then(|file| {
        let exports = file.exports()?;
        Ok(exports
            .iter()
            .map(|e| String::from_utf8_lossy(e.name()).into_owned())
            .collect())
    });
    let names: Vec<String> = exports.unwrap_or_default();
    let similar: Vec<_> = names
        .into_iter()
        .filter(|name| name.contains("OpenCompiler"))
        .collect();
    if similar.is_empty() {
        String::new()
    } else {
        format!("; it exports {}", similar.join(", "))
    }
}

fn p_open_02_fills_handle_and_table(subject: &Subject) -> Outcome {
    let entry = subject.entry_point()?;
    let arg = OpenArg::over(Place::Roomy, JUNK)?;
    subject.at("D3D12OpenCompilerDDI");
    let result = arg.call(entry);
    ensure!(
        result == S_OK,
        call: "D3D12OpenCompilerDDI",
        expected: "S_OK",
        got: "returned {result}",
    );
    ensure!(
        !arg.handle().pDrvPrivate.is_null(),
        call: "D3D12OpenCompilerDDI",
        expected: "hCompilerDDI set to the plugin's object",
        got: "S_OK, and hCompilerDDI is still null",
    );
    let Some(funcs) = arg.funcs() else {
        broken!(
            call: "D3D12OpenCompilerDDI",
            expected: "pDDIFuncs pointing to a table of functions",
            got: "S_OK, and pDDIFuncs is null",
        );
    };
    let untouched = |(_, address): &(_, usize)| *address == junk_address();
    ensure!(
        !funcs.entries().iter().all(untouched),
        call: "D3D12OpenCompilerDDI",
        expected: "pDDIFuncs pointing to a table of functions",
        got: "S_OK, and not one entry of the host's table written",
    );
    Ok(())
}

fn junk_address() -> usize {
    usize::from_ne_bytes([JUNK; size_of::<usize>()])
}

fn p_open_03_leaves_no_entry_null(subject: &Subject) -> Outcome {
    let entry = subject.entry_point()?;
    let arg = OpenArg::over(Place::Roomy, JUNK)?;
    subject.at("D3D12OpenCompilerDDI");
    if arg.call(entry) != S_OK {
        return Err(Stop::needs(rules::P_OPEN_02));
    }
    let funcs = arg.funcs().ok_or(Stop::needs(rules::P_OPEN_02))?;
    let entries = funcs.entries();
    if entries
        .iter()
        .all(|(_, address)| *address == junk_address())
    {
        return Err(Stop::needs(rules::P_OPEN_02));
    }
    for (entry, address) in entries {
        ensure!(
            address != 0,
            call: "D3D12OpenCompilerDDI",
            expected: "no entry of D3D12DDI_COMPILER_DDI_FUNCS null",
            got: "{entry} is null",
        );
        ensure!(
            address != junk_address(),
            call: "D3D12OpenCompilerDDI",
            expected: "every entry of D3D12DDI_COMPILER_DDI_FUNCS written",
            got: "{entry} is what it was before",
        );
    }
    Ok(())
}

fn p_open_04_refuses_null(subject: &Subject) -> Outcome {
    let entry = subject.entry_point()?;
    subject.at("D3D12OpenCompilerDDI(null)");
    let fault = Watch::null(failure!(
        call: "D3D12OpenCompilerDDI(null)",
        expected: "E_INVALIDARG",
        got: "the null pointer was used",
    ));
    // SAFETY: what the plugin does with a null argument is what is tested.
    let of_null = watched(vec![fault], || unsafe { entry(std::ptr::null_mut()) });
    let arg = OpenArg::new(Place::Roomy)?;
    arg.without_table();
    subject.at("D3D12OpenCompilerDDI with a null pDDIFuncs");
    let fault = Watch::null(failure!(
        call: "D3D12OpenCompilerDDI with a null pDDIFuncs",
        expected: "E_INVALIDARG, or S_OK and a table of the plugin's own",
        got: "the null pointer was used",
    ));
    let without_table = watched(vec![fault], || arg.call(entry));
    // Whoever reads "out" as a pointer that the plugin sets does not look at what it was (P-OPEN-11).
    let sets_own = without_table == S_OK && !arg.arg().pDDIFuncs.is_null();
    // That a valid open works is another rule's business.
    subject.open_with(entry)?;
    ensure!(
        of_null == E_INVALIDARG,
        call: "D3D12OpenCompilerDDI(null)",
        expected: "E_INVALIDARG",
        got: "returned {of_null}",
    );
    ensure!(
        without_table == E_INVALIDARG || sets_own,
        call: "D3D12OpenCompilerDDI with a null pDDIFuncs",
        expected: "E_INVALIDARG, or S_OK and a table of the plugin's own",
        got: "returned {without_table}, and pDDIFuncs is not set",
    );
    Ok(())
}

/// The families of the plugin in a new process that starts in an empty folder, with nothing in its
/// environment that an installation could have put there.
fn families_of_no_installation(subject: &Subject) -> Result<Vec<Vec<u16>>, Stop> {
    subject.ask_with(Task::Families, |request| {
        request.changes = vec![ProcessChange::Variables, ProcessChange::Folder];
    })
}

fn p_open_05_needs_no_installation(subject: &Subject) -> Outcome {
    // That it works here, with whatever is installed, is other rules' business.
    let here = fam::names(subject.open()?.capabilities()?)?;
    let there = match families_of_no_installation(subject) {
        Ok(families) => families,
        Err(Stop::Needs { rule, .. }) => broken!(
            call: "opening from an empty folder, without the environment of this system",
            expected: "the same as with it",
            got: "a failure: {rule} does not hold there, though it does here",
        ),
        Err(Stop::CrashElsewhere(how)) => broken!(
            call: "opening from an empty folder, without the environment of this system",
            expected: "the same as with it",
            got: "this end: {how}",
        ),
        Err(other) => return Err(other),
    };
    let (count, others) = (here.len(), there.len());
    ensure!(
        there == here,
        call: "enumerating families from an empty folder, without the environment of this system",
        expected: "the same as with it, {count} in number",
        got: "others, {others} in number",
    );
    Ok(())
}

/// An open that compiles through a callback table of its own.
struct Independent {
    name: &'static str,
    table: usize,
    rig: Rig,
    compiler: Compiler,
}

impl Independent {
    fn new(
        subject: &Subject,
        name: &'static str,
        table: usize,
        callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    ) -> Result<Self, Stop> {
        let rig = subject.rig_with(callbacks)?;
        let compiler = rig.compiler(rig.target()?)?;
        Ok(Self {
            name,
            table,
            rig,
            compiler,
        })
    }

    /// With another compiler of the same open.
    fn again(self, subject: &Subject) -> Result<Self, Stop> {
        let name = self.name;
        subject.at(format!("pfnCreateCompiler in open {name}, again"));
        match self.rig.compiler(self.rig.target()?) {
            Ok(compiler) => Ok(Self { compiler, ..self }),
            Err(Stop::Needs { got, .. }) => {
                let got = got.unwrap_or_default();
                broken!(
                    call: "pfnCreateCompiler in open {name}, after another open compiled",
                    expected: "success, as before",
                    got: "a failure: {got}",
                )
            }
            Err(other) => Err(other),
        }
    }

    /// Compiles, and expects its own callbacks.
    fn compile(&self, subject: &Subject, when: &str) -> Outcome {
        let name = self.name;
        subject.at(format!("compiling with open {name} {when}"));
        let fault = Watch::anywhere(failure!(
            call: "compiling with open {name} {when}",
            expected: "that opens are independent",
            got: "a memory fault",
        ));
        let cache = Arc::default();
        let recording = watched(vec![fault], || {
            self.compiler
                .compile_object(&cache, USUAL_TYPES, &COMPUTE, Surroundings::USUAL)
        })?;
        let result = recording.result;
        ensure!(
            result.is_ok(),
            call: "compiling with open {name} {when}",
            expected: "success, as with one open",
            got: "returned {result}",
        );
        if let Some(event) = recording
            .events
            .iter()
            .find(|event| event.own_session && event.table != self.table)
        {
            let callback = event.callback.name();
            broken!(
                call: "compiling with open {name} {when}",
                expected: "callbacks through the table that was set in open {name}",
                got: "{callback} of another open's table",
            );
        }
        Ok(())
    }

    fn end(self, subject: &Subject) {
        let name = self.name;
        subject.at(format!("ending open {name}"));
        let fault = || {
            Watch::anywhere(failure!(
                call: "pfnDestroyCopiler and pfnDestroyCompilerDDI of open {name}, while others live",
                expected: "that opens are independent",
                got: "a memory fault",
            ))
        };
        watched(vec![fault()], || {
            self.compiler.destroy();
            self.rig.open.destroy();
        });
    }
}

/// An open while another lives, or after another ended, which is as good as the first.
fn later<T>(open: Result<T, Stop>) -> Result<T, Stop> {
    match open {
        Err(Stop::Needs { rule, got }) => {
            let got = got.unwrap_or_else(|| format!("{rule} does not hold"));
            broken!(
                call: "opening the plugin again in one process",
                expected: "an open that is as good as the first",
                got: "of the later one: {got}",
            )
        }
        other => other,
    }
}

pub(super) fn p_open_06_opens_are_independent(subject: &Subject) -> Outcome {
    let first = Independent::new(subject, "A", 1, callbacks::<1>())?;
    let alone = first
        .compiler
        .compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
    if alone.events.is_empty() {
        return Err(Stop::needs(rules::P_PSO_01));
    }
    let second = later(Independent::new(subject, "B", 2, callbacks::<2>()))?;
    ensure!(
        first.rig.open.handle != second.rig.open.handle,
        call: "D3D12OpenCompilerDDI, twice",
        expected: "two objects",
        got: "the same hCompilerDDI twice",
    );
    first.compile(subject, "while B is open")?;
    second.compile(subject, "while A is open")?;
    first.compile(subject, "after B compiled")?;
    // A new compiler of the older open, too.
    let first = first.again(subject)?;
    first.compile(subject, "with a compiler that was created after B compiled")?;

    // An open that selects nothing yet, or the oldest version, must not disturb the others.
    let idle = later(subject.open())?;
    first.compile(subject, "while a third open has selected no version")?;
    let known = idle.known_versions()?;
    let oldest = known[0];
    if !idle
        .set_selected_version(oldest.plugin, oldest.usermode)
        .is_ok()
    {
        return Err(Stop::needs(rules::P_VER_07));
    }
    let version = dotted(oldest.plugin);
    first.compile(subject, &format!("after a third open selected {version}"))?;
    subject.at(format!(
        "pfnFillDDITable after a third open selected {version}"
    ));
    if let Err(Stop::Needs { got, .. }) = first.rig.open.selected_rig() {
        let got = got.unwrap_or_default();
        broken!(
            call: "pfnFillDDITable in open A, again, after a third open selected {version}",
            expected: "the tables, as before",
            got: "a failure: {got}",
        );
    }

    second.end(subject);
    first.compile(subject, "after B ended")?;
    let third = later(Independent::new(subject, "C", 3, callbacks::<3>()))?;
    third.compile(subject, "while A is open")?;
    first.compile(subject, "after C compiled")?;
    first.end(subject);
    third.compile(subject, "after A ended, the first of all")
}

/// What one open after another is made with.
struct Cycle {
    arg: OpenArg,
    version: DdiVersion,
    count: Array<u32>,
    versions: Array<u64>,
    capabilities: Guarded,
    compiler: Guarded,
    callbacks: Guarded,
}

impl Cycle {
    fn new(version: DdiVersion, versions: usize) -> Result<Self, Stop> {
        let memory = |size| Guarded::new(size, align_of::<usize>(), Place::Roomy, 0);
        Ok(Self {
            arg: OpenArg::new(Place::Roomy)?,
            version,
            count: Array::one(0, Place::Roomy)?,
            versions: Array::blank(versions)?,
            capabilities: memory(size_of::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>())?,
            compiler: memory(size_of::<D3D12DDI_COMPILER_FUNCS>())?,
            callbacks: callback_table(callbacks::<0>(), Place::Roomy)?,
        })
    }

    /// Opens, negotiates and destroys once: the first step that fails, and its result.
    fn run(&self, entry: EntryPoint) -> Result<(), (&'static str, HRESULT)> {
        let check = |step, result: HRESULT| {
            if result.is_ok() {
                Ok(())
            } else {
                Err((step, result))
            }
        };
        self.arg.reset();
        self.callbacks.put(callbacks::<0>());
        self.count.set(0, 0);
        check("D3D12OpenCompilerDDI", self.arg.call(entry))?;
        let open = Open {
            handle: self.arg.handle(),
            funcs: self
                .arg
                .funcs()
                .ok_or(("D3D12OpenCompilerDDI", E_POINTER))?,
        };
        for array in [None, Some(&self.versions)] {
            let asked = open.get_supported_versions(Some(&self.count), array);
            check("pfnGetSupportedVersions", asked)?;
        }
        let (plugin, usermode) = (self.version.plugin, self.version.usermode);
        check(
            "pfnSetSelectedVersion",
            open.set_selected_version(plugin, usermode),
        )?;
        for (table_type, table) in [
            (
                D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES,
                &self.capabilities,
            ),
            (D3D12DDI_COMPILER_TABLE_TYPE_COMPILER, &self.compiler),
        ] {
            let filled = open.fill_ddi_table(table_type, Some(table), table.len());
            check("pfnFillDDITable", filled)?;
        }
        let (cache, table) = (D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE, &self.callbacks);
        let set = open.set_callback_ddi_table(cache, Some(table), table.len());
        check("pfnSetCallbackDDITable", set)?;
        open.destroy();
        Ok(())
    }
}

/// So long may a round of opens take.
const ROUND: Duration = Duration::from_millis(500);
/// So many opens are in a round at most.
const MOST: u32 = 8000;
/// Less memory than this for each open is no leak.
const NOISE_EACH: u64 = 12;
/// So many opens show whether each leaves a handle open, and do not use up what a process may have.
const FEW: u32 = 64;

fn p_open_07_destroy_leaves_nothing(subject: &Subject) -> Outcome {
    let threads_before = Resources::now().threads;
    let library = subject.load().map_err(|_| Stop::needs(rules::P_OPEN_01))?;
    let entry = in_front_of(library.entry_point(), subject.path())?;
    // An open that does not work at all is other rules' business.
    let open = subject.open_with(entry)?;
    let version = *open.known_versions()?.last().expect("at least one");
    let versions = open.versions()?.len();
    open.select()?;
    let rig = open.selected_rig()?;
    open.set_callbacks(callbacks::<0>())?;
    // Threads may begin with the first compiler, and with the first compile.
    let compiler = rig.compiler(rig.target()?)?;
    compiler.compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
    compiler.destroy();
    open.destroy();

    let cycle = Cycle::new(version, versions)?;
    let round = |cycles: u32| -> Result<u32, Stop> {
        let start = Instant::now();
        for done in 0..cycles {
            if start.elapsed() > ROUND {
                return Ok(done);
            }
            if let Err((step, result)) = cycle.run(entry) {
                broken!(
                    call: "opening, negotiating and destroying many times",
                    expected: "success each time",
                    got: "after {done} times {step} returned {result}",
                );
            }
        }
        Ok(cycles)
    };
    subject.at("opening and destroying many times");
    let what = "opening, negotiating and destroying";
    leaves_nothing(what, (FEW, MOST), NOISE_EACH, round)?;
    no_thread_left(threads_before, "after the last pfnDestroyCompilerDDI")?;
    subject.at("unloading the library");
    drop(library);
    thread::sleep(Duration::from_millis(100));
    no_thread_left(threads_before, "after the library was unloaded")
}

/// Waits for threads that are ending.
fn no_thread_left(before: Option<u64>, when: &str) -> Outcome {
    let patience = Instant::now() + Duration::from_secs(2);
    while let (Some(before), Some(now)) = (before, Resources::now().threads) {
        if now <= before {
            break;
        }
        ensure!(
            Instant::now() < patience,
            call: "counting threads {when}",
            expected: "{before}, as before the library was loaded",
            got: "{now} threads",
        );
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn p_open_08_destroy_works_before_a_version(subject: &Subject) -> Outcome {
    const TIMES: u32 = 50;
    let entry = subject.entry_point()?;
    // That a version can be selected at all is another rule's business.
    subject.open_with(entry)?.select()?;
    let bystander = subject.open_with(entry)?;
    bystander.versions()?;
    for time in 1..=TIMES {
        let open: Open = match subject.open_with(entry) {
            Ok(open) => open,
            Err(Stop::Needs { .. }) if time > 1 => broken!(
                call: "D3D12OpenCompilerDDI, after opens that were destroyed before a version was selected",
                expected: "S_OK, as before",
                got: "a failure at open {time}",
            ),
            Err(stop) => return Err(stop),
        };
        subject.at("pfnDestroyCompilerDDI straight after the open");
        watched(vec![Watch::anywhere(destroyed_early())], || open.destroy());
        let after = watched(vec![Watch::anywhere(destroyed_early())], || {
            bystander.versions()
        });
        ensure!(
            after.is_ok(),
            call: "pfnGetSupportedVersions of one open, after another was destroyed before a version was selected",
            expected: "the versions, as before",
            got: "a failure",
        );
    }
    for (which, open) in [
        ("an open that lived meanwhile", bystander),
        ("a new open", subject.open_with(entry)?),
    ] {
        let selected = watched(vec![Watch::anywhere(destroyed_early())], || open.select());
        ensure!(
            selected.is_ok(),
            call: "pfnSetSelectedVersion of {which}, after others were destroyed before a version was selected",
            expected: "success, as before",
            got: "a failure",
        );
    }
    Ok(())
}

fn destroyed_early() -> Failure {
    failure!(
        call: "pfnDestroyCompilerDDI straight after the open, before a version is selected",
        expected: "that it returns, and that other opens are left alone",
        got: "a memory fault",
    )
}

fn p_open_09_writes_nothing_outside(subject: &Subject) -> Outcome {
    let entry = subject.entry_point()?;
    for (place, needed) in Place::TIGHT
        .into_iter()
        .zip([rules::P_OPEN_02, rules::P_OPEN_06])
    {
        let arg = OpenArg::new(place)?;
        let outside = |what| {
            failure!(
                call: "D3D12OpenCompilerDDI",
                expected: "nothing written outside of {what}",
                got: "memory beside it was touched",
            )
        };
        let watches = arg
            .memory()
            .map(|(what, memory)| Watch::of(memory, what, outside(what)));
        subject.at("D3D12OpenCompilerDDI between guard pages");
        let result = watched(watches.into(), || arg.call(entry));
        if result != S_OK {
            return Err(Stop::needs_but_got(needed, format!("returned {result}")));
        }
        for (what, memory) in arg.memory() {
            memory.untouched(what, &outside(what))?;
        }
    }
    Ok(())
}

fn p_open_10_leaves_the_runtime_handle_alone(subject: &Subject) -> Outcome {
    let entry = subject.entry_point()?;
    let arg = OpenArg::new(Place::Roomy)?;
    subject.at("D3D12OpenCompilerDDI");
    if arg.call(entry) != S_OK {
        return Err(Stop::needs(rules::P_OPEN_02));
    }
    ensure!(
        arg.arg().hRTCompilerDDI.handle.addr() == HOST_HANDLE,
        call: "D3D12OpenCompilerDDI",
        expected: "hRTCompilerDDI as it was",
        got: "another value in it",
    );
    Ok(())
}

/// One open and another have the same.
fn p_open_11_has_one_owner_of_the_table(subject: &Subject) -> Outcome {
    let entry = subject.entry_point()?;
    let first = owner(subject, entry, rules::P_OPEN_02)?;
    let second = owner(subject, entry, rules::P_OPEN_06)?;
    ensure!(
        first == second,
        call: "D3D12OpenCompilerDDI, twice",
        expected: "the same both times",
        got: "{first}, then {second}",
    );
    subject.note(first);
    Ok(())
}

/// Whose the table is that an open sets, in words. Needs `open`.
fn owner(subject: &Subject, entry: EntryPoint, open: Rule) -> Result<&'static str, Stop> {
    let arg = OpenArg::over(Place::Roomy, JUNK)?;
    subject.at("D3D12OpenCompilerDDI");
    if arg.call(entry) != S_OK || arg.arg().pDDIFuncs.is_null() {
        return Err(Stop::needs(open));
    }
    if arg.is_given(arg.arg().pDDIFuncs) {
        return Ok("the plugin fills the host's table");
    }
    let given = arg.given_table();
    if given.bytes().iter().all(|byte| *byte == JUNK) {
        return Ok("the plugin sets pDDIFuncs to a table of its own");
    }
    let filled: D3D12DDI_COMPILER_DDI_FUNCS = given.get();
    let own = arg.funcs().map(|own| own.entries());
    ensure!(
        own.is_some_and(|own| own == filled.entries()),
        call: "D3D12OpenCompilerDDI",
        expected: "the host's table filled, or pDDIFuncs set to a table of the plugin's own",
        got: "another pDDIFuncs, and the host's table written in part",
    );
    Ok("the plugin fills the host's table, and sets pDDIFuncs to one of its own")
}
