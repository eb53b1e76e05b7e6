/* client.c: calls every function of ddi_conformance.h, also as nobody should, in C89.
 *
 *     client <runner> <plugin> <new file for a journal>
 *
 * With "-" for the runner it is the one beside the library. Prints what it found, and leaves with 1 at the first call that
 * does not answer as the header says.
 */

#include "ddi_conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(holds) check((holds), #holds, __LINE__)

static void check(int holds, const char *what, int line)
{
    if (!holds) {
        fprintf(stderr, "client.c:%d: not %s; the last error: %s\n", line, what, ddi_conformance_last_error());
        exit(EXIT_FAILURE);
    }
}

/* A call must have failed with this status, and have said so. */
#define FAILS(call, status, text) CHECK((call) == DDI_CONFORMANCE_STATUS_##status && says(text))

static int says(const char *text)
{
    return strstr(ddi_conformance_last_error(), text) != NULL;
}

static ddi_conformance_options no_options(void)
{
    ddi_conformance_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

static void enumerate(void)
{
    const ddi_conformance_rule *rule, *abi = NULL;
    size_t count = ddi_conformance_rule_count(), i, untestable = 0, gates = 0, parties[4] = {0, 0, 0, 0};

    for (i = 0; i < count; ++i) {
        rule = ddi_conformance_rule_at(i);
        CHECK(rule != NULL && rule->struct_size == sizeof *rule);
        CHECK(rule->id[1] == '-' && strlen(rule->tuid) == 36);
        CHECK(rule->section[0] != 0 && rule->reading[0] != 0 && rule->why[0] != 0 && rule->hint[0] != 0);
        CHECK((unsigned)rule->level <= DDI_CONFORMANCE_LEVEL_AMBIGUOUS);
        ++parties[rule->party];
        gates += rule->is_gate != 0;
        untestable += rule->untestable != NULL;
        if (strcmp(rule->id, "P-ABI-05") == 0)
            abi = rule;
    }
    CHECK(ddi_conformance_rule_at(count) == NULL && ddi_conformance_rule_at((size_t)-1) == NULL);
    for (i = 0; i < 4; ++i)
        CHECK(parties[i] > 0);
    CHECK(untestable > 0 && untestable < count / 4);
    CHECK(ddi_conformance_rule_at(0)->is_gate != 0 && gates == 3);
    CHECK(abi != NULL && abi->is_gate == 0 && abi->level == DDI_CONFORMANCE_LEVEL_MUST && abi->untestable == NULL);
    CHECK(abi->party == DDI_CONFORMANCE_PARTY_PLUGIN);
    CHECK(strcmp(abi->tuid, "7FF42A93-0862-53E4-902E-BEF3CE7C4E8F") == 0);
}

static void create_wrongly(const char *runner, const char *journal)
{
    ddi_conformance_options options = no_options();
    ddi_conformance_suite *suite = NULL;

    FAILS(ddi_conformance_suite_create(&options, NULL), INVALID_ARGUMENT, "suite is null");
    FAILS(ddi_conformance_suite_create(NULL, &suite), INVALID_ARGUMENT, "options is null");
    options.struct_size = sizeof options - 1;
    suite = (ddi_conformance_suite *)&options;
    FAILS(ddi_conformance_suite_create(&options, &suite), INVALID_ARGUMENT, "struct_size");
    CHECK(suite == NULL);

    options = no_options();
    options.runner = "no such runner";
    FAILS(ddi_conformance_suite_create(&options, &suite), FILE_ERROR, "no such runner does not exist");
    options.runner = "\377";
    FAILS(ddi_conformance_suite_create(&options, &suite), INVALID_ARGUMENT, "runner is not UTF-8");
    options.runner = "";
    FAILS(ddi_conformance_suite_create(&options, &suite), INVALID_ARGUMENT, "runner: ");
    options.runner = runner;

    options.library = "no such plugin";
    FAILS(ddi_conformance_suite_create(&options, &suite), FILE_ERROR, "no such plugin");
    options.library = NULL;
    options.plugin = runner;
    FAILS(ddi_conformance_suite_create(&options, &suite), INVALID_ARGUMENT, "plugin goes with");
    options.plugin = "no such plugin";
    options.tested = DDI_CONFORMANCE_TESTED_RUNTIME;
    FAILS(ddi_conformance_suite_create(&options, &suite), FILE_ERROR, "no such plugin");
    options.plugin = NULL;
    options.tested = 3;
    FAILS(ddi_conformance_suite_create(&options, &suite), INVALID_ARGUMENT, "tested is 3");
    options.tested = DDI_CONFORMANCE_TESTED_PLUGIN;
    options.set = -1;
    FAILS(ddi_conformance_suite_create(&options, &suite), INVALID_ARGUMENT, "set is -1");
    options.set = DDI_CONFORMANCE_SET_SMOKE;
    options.corpus = "no such corpus";
    FAILS(ddi_conformance_suite_create(&options, &suite), FILE_ERROR, "no such corpus");
    options.corpus = NULL;
    options.journal = journal;
    CHECK(ddi_conformance_suite_create(&options, &suite) == DDI_CONFORMANCE_STATUS_OK && suite != NULL);
    ddi_conformance_suite_free(suite);
    FAILS(ddi_conformance_suite_create(&options, &suite), FILE_ERROR, "the file exists");
    CHECK(suite == NULL && remove(journal) == 0);
}

static const char *const OUTCOMES[] = {"passed", "failed", "skipped"};

/* Runs a rule and prints its result, which is then the caller's. */
static ddi_conformance_result *run(ddi_conformance_suite *suite, const char *id)
{
    ddi_conformance_result *result;

    CHECK(ddi_conformance_suite_run(suite, id, &result) == DDI_CONFORMANCE_STATUS_OK && result != NULL);
    CHECK(result->struct_size == sizeof *result);
    CHECK(strstr(result->json, result->rule_id) != NULL && result->json[0] == '{');
    CHECK(strstr(result->repeat, "ddi-conformance run") != NULL && strstr(result->message, result->repeat) != NULL);
    CHECK(result->milliseconds < 60000);
    printf("%s: %s, %s\n", result->rule_id, result->verdict_name, OUTCOMES[result->outcome]);
    return result;
}

int main(int argc, char **argv)
{
    ddi_conformance_options options = no_options();
    ddi_conformance_suite *suite;
    ddi_conformance_result *result, *other;
    const char *untestable = "P-FAM-07";

    if (argc != 4) {
        fprintf(stderr, "usage: client <runner> <plugin> <journal>\n");
        return 2;
    }
    CHECK(ddi_conformance_last_error()[0] == 0);
    printf("version %s\n", ddi_conformance_version());
    enumerate();
    if (strcmp(argv[1], "-") != 0) {
        options.runner = argv[1];
        create_wrongly(argv[1], argv[3]);
    }

    options.library = argv[2];
    options.journal = argv[3];
    options.set = DDI_CONFORMANCE_SET_SMOKE;
    options.seed = ((uint64_t)1 << 32) + 7;
    options.timeout_seconds = 50;
    if (ddi_conformance_suite_create(&options, &suite) != DDI_CONFORMANCE_STATUS_OK) {
        fprintf(stderr, "%s\n", ddi_conformance_last_error());
        return 3;
    }
    FAILS(ddi_conformance_suite_run(NULL, "P-ABI-05", &result), INVALID_ARGUMENT, "suite is null");
    FAILS(ddi_conformance_suite_run(suite, NULL, &result), INVALID_ARGUMENT, "rule_id is null");
    FAILS(ddi_conformance_suite_run(suite, "P-ABI-05", NULL), INVALID_ARGUMENT, "result is null");
    FAILS(ddi_conformance_suite_run(suite, "P-ABI-99", &result), UNKNOWN_RULE, "P-ABI-99");
    FAILS(ddi_conformance_suite_run(suite, "R-FAC-01", &result), NOT_TESTED, "R-FAC-01");
    FAILS(ddi_conformance_suite_run(suite, untestable, &result), NOT_TESTED, untestable);
    CHECK(result == NULL);

    result = run(suite, "p-abi-05");
    CHECK(result->verdict == DDI_CONFORMANCE_VERDICT_PASS && result->outcome == DDI_CONFORMANCE_OUTCOME_PASSED);
    CHECK(strcmp(result->rule_id, "P-ABI-05") == 0 && result->output[0] == 0 && result->note_count == 0);
    CHECK(strstr(result->repeat, "--set smoke --seed 4294967303") != NULL);
    other = run(suite, "P-OPEN-11");
    CHECK(other->note_count == 1 && strcmp(other->notes[0], other->summary) == 0 && other->summary[0] != 0);
    ddi_conformance_result_free(other);
    /* A rule can be run again, and a result outlives its suite. */
    other = run(suite, "P-ABI-05");
    ddi_conformance_suite_free(suite);
    CHECK(strcmp(result->message, other->message) == 0);
    ddi_conformance_result_free(result);
    ddi_conformance_result_free(other);

    /* The sample plugin that the suite has linked in, which has no file to load. */
    options.library = options.journal = NULL;
    CHECK(ddi_conformance_suite_create(&options, &suite) == DDI_CONFORMANCE_STATUS_OK);
    result = run(suite, "P-OPEN-01");
    CHECK(result->verdict == DDI_CONFORMANCE_VERDICT_NOT_APPLICABLE && result->summary[0] != 0);
    ddi_conformance_result_free(result);
    ddi_conformance_suite_free(suite);
    ddi_conformance_suite_free(NULL);
    ddi_conformance_result_free(NULL);
    printf("every call answered as the header says\n");
    return 0;
}
