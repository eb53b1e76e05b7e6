/* ddi_conformance.h: the conformance suite of D3D12 compiler plugins, compiler runtimes and user-mode drivers, for C and C++. A
 * test framework enumerates the rules and runs them one by one:
 *
 *     ddi_conformance_options options = {0};
 *     ddi_conformance_suite *suite;
 *     ddi_conformance_result *result;
 *     options.struct_size = sizeof options;
 *     options.library = "my_plugin.dll";
 *     if (ddi_conformance_suite_create(&options, &suite) != DDI_CONFORMANCE_STATUS_OK)
 *         fail(ddi_conformance_last_error());
 *     if (ddi_conformance_suite_run(suite, "P-ABI-05", &result) != DDI_CONFORMANCE_STATUS_OK)
 *         fail(ddi_conformance_last_error());
 *     if (result->outcome == DDI_CONFORMANCE_OUTCOME_FAILED)
 *         fail(result->message);
 *     ddi_conformance_result_free(result);
 *     ddi_conformance_suite_free(suite);
 *
 * Link with the library ddi_conformance_c. Each test runs in a process of its own, of the executable ddi-conformance: what is
 * tested is never loaded into the process that calls here. Any thread may call, several at a time, on one suite or on many.
 * No call throws. Texts are UTF-8 and end with a NUL; nobody may change or free one.
 *
 * cargo xtask headers writes this file.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

#ifndef DDI_CONFORMANCE_H
#define DDI_CONFORMANCE_H

#include <stddef.h>
#include <stdint.h>

/* How strong a rule is. */
typedef enum {
    /* The specification demands it. */
    DDI_CONFORMANCE_LEVEL_MUST = 0,
    /* The specification implies it, or a good library does it. */
    DDI_CONFORMANCE_LEVEL_SHOULD = 1,
    /* The specification can be read in more than one way; whoever keeps to one of them passes. */
    DDI_CONFORMANCE_LEVEL_AMBIGUOUS = 2
} ddi_conformance_level;

/* Who has to keep a rule. */
typedef enum {
    /* A compiler plugin. Its rules are those of DDI_CONFORMANCE_TESTED_PLUGIN. */
    DDI_CONFORMANCE_PARTY_PLUGIN = 0,
    /* A compiler runtime, towards the program that calls it: DDI_CONFORMANCE_TESTED_RUNTIME. */
    DDI_CONFORMANCE_PARTY_RUNTIME = 1,
    /* A compiler runtime, as the host of a plugin: DDI_CONFORMANCE_TESTED_RUNTIME too. */
    DDI_CONFORMANCE_PARTY_HOST = 2,
    /* A user-mode driver: DDI_CONFORMANCE_TESTED_DRIVER. */
    DDI_CONFORMANCE_PARTY_DRIVER = 3
} ddi_conformance_party;

/* What a call returns. ddi_conformance_last_error has the text of a failure. */
typedef enum {
    /* It worked. */
    DDI_CONFORMANCE_STATUS_OK = 0,
    /* A pointer is null, a text is not UTF-8, a number has no meaning, or struct_size is that of another version. */
    DDI_CONFORMANCE_STATUS_INVALID_ARGUMENT = 1,
    /* No rule has this id. */
    DDI_CONFORMANCE_STATUS_UNKNOWN_RULE = 2,
    /* The rule is not about what is tested, or no test can decide it: see party and untestable of the rule. */
    DDI_CONFORMANCE_STATUS_NOT_TESTED = 3,
    /* A file cannot be read or written: the runner, a library, the corpus, the journal. */
    DDI_CONFORMANCE_STATUS_FILE_ERROR = 4,
    /* The suite could not do its work. */
    DDI_CONFORMANCE_STATUS_TOOL_ERROR = 5
} ddi_conformance_status;

/* What a result is to a test framework: a failure is what makes ddi-conformance exit with another code than 0. */
typedef enum {
    /* The rule holds, as far as its test can see. */
    DDI_CONFORMANCE_OUTCOME_PASSED = 0,
    /* A MUST is broken or, without a reason that failed before, undecided; the process died or took too long; or the suite
     * could not do its work. If strict, also a warning and any undecided rule but those of SKIPPED that name another. */
    DDI_CONFORMANCE_OUTCOME_FAILED = 1,
    /* The rule does not hold, or nobody knows, and this is no failure: it does not apply, a SHOULD is broken or undecided, or
     * it is undecided because of another rule that has failed before in this suite. Show why: the summary says it. */
    DDI_CONFORMANCE_OUTCOME_SKIPPED = 2
} ddi_conformance_outcome;

/* What the suite says of a rule. */
typedef enum {
    /* The rule holds, as far as its test can see. */
    DDI_CONFORMANCE_VERDICT_PASS = 0,
    /* A SHOULD is broken, or an AMBIGUOUS rule by every reading. */
    DDI_CONFORMANCE_VERDICT_WARN = 1,
    /* A MUST is broken. */
    DDI_CONFORMANCE_VERDICT_FAIL = 2,
    /* The process of the test died. */
    DDI_CONFORMANCE_VERDICT_CRASH = 3,
    /* The test took too long, and was killed with all that it started. */
    DDI_CONFORMANCE_VERDICT_TIMEOUT = 4,
    /* The rule does not apply to this library. */
    DDI_CONFORMANCE_VERDICT_NOT_APPLICABLE = 5,
    /* The rule applies, and its test could not decide it. */
    DDI_CONFORMANCE_VERDICT_UNDECIDED = 6,
    /* The suite could not do its work; this says nothing about the library. */
    DDI_CONFORMANCE_VERDICT_TOOL_ERROR = 7
} ddi_conformance_verdict;

/* What is tested. */
typedef enum {
    /* A compiler plugin. */
    DDI_CONFORMANCE_TESTED_PLUGIN = 0,
    /* A compiler runtime. */
    DDI_CONFORMANCE_TESTED_RUNTIME = 1,
    /* A user-mode driver. */
    DDI_CONFORMANCE_TESTED_DRIVER = 2
} ddi_conformance_tested;

/* How thorough the tests of a plugin are. */
typedef enum {
    /* Descriptions that vary every field. */
    DDI_CONFORMANCE_SET_FULL = 0,
    /* The ordinary objects only: all rules in seconds. */
    DDI_CONFORMANCE_SET_SMOKE = 1,
    /* Many times as many descriptions as the full set: for a night. */
    DDI_CONFORMANCE_SET_SOAK = 2
} ddi_conformance_set;

/* What is tested, and what was found so far. */
typedef struct ddi_conformance_suite ddi_conformance_suite;

/* A rule. It lives as long as the library is loaded, and never changes. */
typedef struct {
    /* The bytes that the library knows of this structure: later versions add members at the end. */
    size_t struct_size;
    /* The id, such as P-ABI-05. It never changes its meaning. */
    const char *id;
    /* How strong the rule is. */
    ddi_conformance_level level;
    /* Who has to keep it. */
    ddi_conformance_party party;
    /* Not 0: test it before the others. Where a plugin dies of it, those that would die of it too are undecided, and the death
     * is told once. */
    int32_t is_gate;
    /* The heading of the specification that it is found under. */
    const char *section;
    /* What it demands, in one sentence. */
    const char *reading;
    /* What goes wrong in the field when it is broken. */
    const char *why;
    /* How to repair what breaks it. */
    const char *hint;
    /* A UUID for harnesses that want one, in upper case without braces. It is that of the WTL report, and never changes. */
    const char *tuid;
    /* Why no test can decide it; null for a rule that has a test. */
    const char *untestable;
} ddi_conformance_rule;

/* What is tested, and how. Set struct_size and leave all else zero for the tests of a plugin with every default. The texts are
 * needed during ddi_conformance_suite_create only. */
typedef struct {
    /* sizeof(ddi_conformance_options). */
    size_t struct_size;
    /* The executable ddi-conformance of the same build, which each test starts; null for ddi-conformance or
     * ddi-conformance.exe in the folder of this library. */
    const char *runner;
    /* The file that is tested; null for what the suite has linked in: the sample plugin, the compiler runtime, the mock driver. */
    const char *library;
    /* The file of the plugin that a runtime loads, or that belongs to a driver. Null for none and, of a runtime, for the
     * checking plugin in the folder of the runner. */
    const char *plugin;
    /* A folder of DXIL containers that the tests of a plugin compile too; null for none. */
    const char *corpus;
    /* A new file that gets each result as it falls, of which ddi-conformance report makes reports; null for none. */
    const char *journal;
    /* What the tests take by chance follows from this number. */
    uint64_t seed;
    /* The limit for one test; 0 for 60 seconds. */
    uint32_t timeout_seconds;
    /* What is tested, a ddi_conformance_tested. */
    int32_t tested;
    /* How thorough the tests are, a ddi_conformance_set. */
    int32_t set;
    /* Not 0: a warning is a failure, and so is a rule that is undecided by itself. */
    int32_t strict;
} ddi_conformance_options;

/* The result of a rule. It never changes; texts are not null, but can be empty. */
typedef struct {
    /* The bytes that the library knows of this structure: later versions add members at the end. */
    size_t struct_size;
    /* The id of the rule. */
    const char *rule_id;
    /* What it is to a test framework. */
    ddi_conformance_outcome outcome;
    /* The verdict. */
    ddi_conformance_verdict verdict;
    /* The verdict in one word, such as not-applicable. */
    const char *verdict_name;
    /* What there is to say besides the verdict, in one line. */
    const char *summary;
    /* All that there is to say, in several lines: the rule, what was called, expected and got, the last calls, the hint, the
     * command that repeats the test. */
    const char *message;
    /* That command alone. */
    const char *repeat;
    /* The end of what the process of the test printed; empty if the rule holds. */
    const char *output;
    /* The result as a JSON object, as in the report of ddi-conformance. */
    const char *json;
    /* What the test says besides, such as how far it could see. */
    const char *const *notes;
    /* How many notes there are. */
    size_t note_count;
    /* How long the test took. */
    uint64_t milliseconds;
} ddi_conformance_result;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* The version of the suite, such as 0.1.0. The text is static. */
const char *ddi_conformance_version(void);

/* The number of rules of all parties. */
size_t ddi_conformance_rule_count(void);

/* A rule by its place, from 0, in the order of the reports. The order can differ in another version; the ids do not. Null beyond
 * the last. */
const ddi_conformance_rule *ddi_conformance_rule_at(size_t index);

/* Begins a suite, which tests nothing yet. It reads the files for their hashes, and loads none of them into this process.
 * Free it with ddi_conformance_suite_free. *suite is null after a failure:
 *
 * INVALID_ARGUMENT, as its description says; FILE_ERROR, a file is missing or cannot be read, or the journal exists already;
 * TOOL_ERROR, there is no folder for temporary files. */
ddi_conformance_status ddi_conformance_suite_create(const ddi_conformance_options *options,
                                                    ddi_conformance_suite **suite);

/* Tests a rule in a process of its own, and returns when that has ended. Any number of threads may call it on one suite at a
 * time. A rule can be run again.
 *
 * A library that breaks the rule, crashes or hangs is no failure of this call, but its result.
 *
 * Free the result with ddi_conformance_result_free; it can outlive the suite. *result is null after a failure:
 *
 * INVALID_ARGUMENT, as its description says; UNKNOWN_RULE; NOT_TESTED; FILE_ERROR, the journal cannot be written. */
ddi_conformance_status ddi_conformance_suite_run(ddi_conformance_suite *suite,
                                                 const char *rule_id,
                                                 ddi_conformance_result **result);

/* Ends a suite, and its journal. Nothing may use it at the time or later. Null does nothing. */
void ddi_conformance_suite_free(ddi_conformance_suite *suite);

/* Frees a result. Null does nothing. */
void ddi_conformance_result_free(ddi_conformance_result *result);

/* The text of this thread's last failure; empty if there was none. It is good until the thread's next call that fails. */
const char *ddi_conformance_last_error(void);

#ifdef __cplusplus
} /* extern "C" */
#endif /* __cplusplus */

#endif  /* DDI_CONFORMANCE_H */
