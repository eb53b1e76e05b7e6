//! What `headers/ddi_conformance.h` declares; cbindgen takes its comments from here.
#![allow(non_camel_case_types, reason = "the types have their C names")]

use std::ffi::{CStr, c_char};
use std::ptr;

use crate::last_error::{Error, call};
use crate::suite::Suite;
use crate::text::from_c;
use crate::{last_error, result, rule};

/// What a call returns. ddi_conformance_last_error has the text of a failure.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ddi_conformance_status {
    /// It worked.
    Ok = 0,
    /// A pointer is null, a text is not UTF-8, a number has no meaning, or struct_size is that of another version.
    InvalidArgument = 1,
    /// No rule has this id.
    UnknownRule = 2,
    /// The rule is not about what is tested, or no test can decide it: see party and untestable of the rule.
    NotTested = 3,
    /// A file cannot be read or written: the runner, a library, the corpus, the journal.
    FileError = 4,
    /// The suite could not do its work.
    ToolError = 5,
}

/// How strong a rule is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ddi_conformance_level {
    /// The specification demands it.
    Must = 0,
    /// The specification implies it, or a good library does it.
    Should = 1,
    /// The specification can be read in more than one way; whoever keeps to one of them passes.
    Ambiguous = 2,
}

/// Who has to keep a rule.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ddi_conformance_party {
    /// A compiler plugin. Its rules are those of DDI_CONFORMANCE_TESTED_PLUGIN.
    Plugin = 0,
    /// A compiler runtime, towards the program that calls it: DDI_CONFORMANCE_TESTED_RUNTIME.
    Runtime = 1,
    /// A compiler runtime, as the host of a plugin: DDI_CONFORMANCE_TESTED_RUNTIME too.
    Host = 2,
    /// A user-mode driver: DDI_CONFORMANCE_TESTED_DRIVER.
    Driver = 3,
}

/// What is tested.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ddi_conformance_tested {
    /// A compiler plugin.
    Plugin = 0,
    /// A compiler runtime.
    Runtime = 1,
    /// A user-mode driver.
    Driver = 2,
}

/// How thorough the tests of a plugin are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ddi_conformance_set {
    /// Descriptions that vary every field.
    Full = 0,
    /// The ordinary objects only: all rules in seconds.
    Smoke = 1,
    /// Many times as many descriptions as the full set: for a night.
    Soak = 2,
}

/// What a result is to a test framework: a failure is what makes ddi-conformance exit with another code than 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ddi_conformance_outcome {
    /// The rule holds, as far as its test can see.
    Passed = 0,
    /// A MUST is broken or, without a reason that failed before, undecided; the process died or took too long; or the suite
    /// could not do its work. If strict, also a warning and any undecided rule but those of SKIPPED that name another.
    Failed = 1,
    /// The rule does not hold, or nobody knows, and this is no failure: it does not apply, a SHOULD is broken or undecided, or
    /// it is undecided because of another rule that has failed before in this suite. Show why: the summary says it.
    Skipped = 2,
}

/// What the suite says of a rule.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ddi_conformance_verdict {
    /// The rule holds, as far as its test can see.
    Pass = 0,
    /// A SHOULD is broken, or an AMBIGUOUS rule by every reading.
    Warn = 1,
    /// A MUST is broken.
    Fail = 2,
    /// The process of the test died.
    Crash = 3,
    /// The test took too long, and was killed with all that it started.
    Timeout = 4,
    /// The rule does not apply to this library.
    NotApplicable = 5,
    /// The rule applies, and its test could not decide it.
    Undecided = 6,
    /// The suite could not do its work; this says nothing about the library.
    ToolError = 7,
}

/// A rule. It lives as long as the library is loaded, and never changes.
#[repr(C)]
#[derive(Debug)]
pub struct ddi_conformance_rule {
    /// The bytes that the library knows of this structure: later versions add members at the end.
    pub struct_size: usize,
    /// The id, such as P-ABI-05. It never changes its meaning.
    pub id: *const c_char,
    /// How strong the rule is.
    pub level: ddi_conformance_level,
    /// Who has to keep it.
    pub party: ddi_conformance_party,
    /// Not 0: test it before the others. Where a plugin dies of it, those that would die of it too are undecided, and the death
    /// is told once.
    pub is_gate: i32,
    /// The heading of the specification that it is found under.
    pub section: *const c_char,
    /// What it demands, in one sentence.
    pub reading: *const c_char,
    /// What goes wrong in the field when it is broken.
    pub why: *const c_char,
    /// How to repair what breaks it.
    pub hint: *const c_char,
    /// A UUID for harnesses that want one, in upper case without braces. It is that of the WTL report, and never changes.
    pub tuid: *const c_char,
    /// Why no test can decide it; null for a rule that has a test.
    pub untestable: *const c_char,
}

/// What is tested, and how. Set struct_size and leave all else zero for the tests of a plugin with every default. The texts are
/// needed during ddi_conformance_suite_create only.
#[repr(C)]
#[derive(Debug)]
pub struct ddi_conformance_options {
    /// sizeof(ddi_conformance_options).
    pub struct_size: usize,
    /// The executable ddi-conformance of the same build, which each test starts; null for ddi-conformance or
    /// ddi-conformance.exe in the folder of this library.
    pub runner: *const c_char,
    /// The file that is tested; null for what the suite has linked in: the sample plugin, the compiler runtime, the mock driver.
    pub library: *const c_char,
    /// The file of the plugin that a runtime loads, or that belongs to a driver. Null for none and, of a runtime, for the
    /// checking plugin in the folder of the runner.
    pub plugin: *const c_char,
    /// A folder of DXIL containers that the tests of a plugin compile too; null for none.
    pub corpus: *const c_char,
    /// A new file that gets each result as it falls, of which ddi-conformance report makes reports; null for none.
    pub journal: *const c_char,
    /// What the tests take by chance follows from this number.
    pub seed: u64,
    /// The limit for one test; 0 for 60 seconds.
    pub timeout_seconds: u32,
    /// What is tested, a ddi_conformance_tested.
    pub tested: i32,
    /// How thorough the tests are, a ddi_conformance_set.
    pub set: i32,
    /// Not 0: a warning is a failure, and so is a rule that is undecided by itself.
    pub strict: i32,
}

/// What is tested, and what was found so far.
pub struct ddi_conformance_suite(Suite);

/// The result of a rule. It never changes; texts are not null, but can be empty.
#[repr(C)]
#[derive(Debug)]
pub struct ddi_conformance_result {
    /// The bytes that the library knows of this structure: later versions add members at the end.
    pub struct_size: usize,
    /// The id of the rule.
    pub rule_id: *const c_char,
    /// What it is to a test framework.
    pub outcome: ddi_conformance_outcome,
    /// The verdict.
    pub verdict: ddi_conformance_verdict,
    /// The verdict in one word, such as not-applicable.
    pub verdict_name: *const c_char,
    /// What there is to say besides the verdict, in one line.
    pub summary: *const c_char,
    /// All that there is to say, in several lines: the rule, what was called, expected and got, the last calls, the hint, the
    /// command that repeats the test.
    pub message: *const c_char,
    /// That command alone.
    pub repeat: *const c_char,
    /// The end of what the process of the test printed; empty if the rule holds.
    pub output: *const c_char,
    /// The result as a JSON object, as in the report of ddi-conformance.
    pub json: *const c_char,
    /// What the test says besides, such as how far it could see.
    pub notes: *const *const c_char,
    /// How many notes there are.
    pub note_count: usize,
    /// How long the test took.
    pub milliseconds: u64,
}

/// The version of the suite, such as 0.1.0. The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn ddi_conformance_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version has no NUL"),
        };
    VERSION.as_ptr()
}

/// The number of rules of all parties.
#[unsafe(no_mangle)]
pub extern "C" fn ddi_conformance_rule_count() -> usize {
    rule::all().len()
}

/// A rule by its place, from 0, in the order of the reports. The order can differ in another version; the ids do not. Null beyond
/// the last.
#[unsafe(no_mangle)]
pub extern "C" fn ddi_conformance_rule_at(index: usize) -> *const ddi_conformance_rule {
    rule::all().get(index).map_or(ptr::null(), ptr::from_ref)
}

/// Begins a suite, which tests nothing yet. It reads the files for their hashes, and loads none of them into this process.
/// Free it with ddi_conformance_suite_free. *suite is null after a failure:
///
/// INVALID_ARGUMENT, as its description says; FILE_ERROR, a file is missing or cannot be read, or the journal exists already;
/// TOOL_ERROR, there is no folder for temporary files.
///
/// # Safety
///
/// The pointers are null or to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ddi_conformance_suite_create(
    options: *const ddi_conformance_options,
    suite: *mut *mut ddi_conformance_suite,
) -> ddi_conformance_status {
    call(|| {
        // SAFETY: null or the caller's place (`# Safety`).
        let place = unsafe { suite.as_mut() }.ok_or_else(|| Error::invalid("suite is null"))?;
        *place = ptr::null_mut();
        if options.is_null() {
            return Err(Error::invalid("options is null"));
        }
        // SAFETY: `options` is not null, and every version of it begins with this member (`# Safety`).
        let size = unsafe { (&raw const (*options).struct_size).read() };
        if size != size_of::<ddi_conformance_options>() {
            return Err(Error::invalid(format!(
                "struct_size of the options is {size}, not {}: the header and the library are of different versions",
                size_of::<ddi_conformance_options>()
            )));
        }
        // SAFETY: its size says that all of it is there, and its texts are null or end (`# Safety`).
        let new = unsafe { Suite::new(&*options) }?;
        *place = Box::into_raw(Box::new(ddi_conformance_suite(new)));
        Ok(())
    })
}

/// Tests a rule in a process of its own, and returns when that has ended. Any number of threads may call it on one suite at a
/// time. A rule can be run again.
///
/// A library that breaks the rule, crashes or hangs is no failure of this call, but its result.
///
/// Free the result with ddi_conformance_result_free; it can outlive the suite. *result is null after a failure:
///
/// INVALID_ARGUMENT, as its description says; UNKNOWN_RULE; NOT_TESTED; FILE_ERROR, the journal cannot be written.
///
/// # Safety
///
/// The pointers are null or to what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ddi_conformance_suite_run(
    suite: *mut ddi_conformance_suite,
    rule_id: *const c_char,
    result: *mut *mut ddi_conformance_result,
) -> ddi_conformance_status {
    call(|| {
        // SAFETY: null or the caller's place (`# Safety`).
        let place = unsafe { result.as_mut() }.ok_or_else(|| Error::invalid("result is null"))?;
        *place = ptr::null_mut();
        // SAFETY: null or of `ddi_conformance_suite_create`, and not freed; calls share it (`# Safety`).
        let suite = unsafe { suite.as_ref() }.ok_or_else(|| Error::invalid("suite is null"))?;
        // SAFETY: null or a text that ends (`# Safety`).
        let id = unsafe { from_c("rule_id", rule_id) }?;
        *place = suite
            .0
            .run(id.ok_or_else(|| Error::invalid("rule_id is null"))?)?;
        Ok(())
    })
}

/// Ends a suite, and its journal. Nothing may use it at the time or later. Null does nothing.
///
/// # Safety
///
/// The pointer is null, or of `ddi_conformance_suite_create` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ddi_conformance_suite_free(suite: *mut ddi_conformance_suite) {
    // A journal that cannot be ended has every result; nobody can be told.
    let _ = call(|| {
        if !suite.is_null() {
            // SAFETY: `ddi_conformance_suite_create` made it of a box, and nothing uses it (`# Safety`).
            unsafe { Box::from_raw(suite) }.0.finish()?;
        }
        Ok(())
    });
}

/// Frees a result. Null does nothing.
///
/// # Safety
///
/// The pointer is null, or of `ddi_conformance_suite_run` and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ddi_conformance_result_free(result: *mut ddi_conformance_result) {
    // SAFETY: null, or of `ddi_conformance_suite_run` and not freed (`# Safety`).
    unsafe { result::free(result) };
}

/// The text of this thread's last failure; empty if there was none. It is good until the thread's next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn ddi_conformance_last_error() -> *const c_char {
    last_error::last_error()
}
