// conformance_gtest.cpp: the conformance suite of compiler plugins as GoogleTest tests, one for each rule.
//
//     DDI_PLUGIN=my_plugin.dll conformance_gtest --gtest_filter=*/P_ABI_*
//
// The environment variable DDI_PLUGIN, or the first argument that is none of GoogleTest's, is the plugin. DDI_RUNNER is
// the executable ddi-conformance, unless it is beside the library ddi_conformance_c. DDI_JOURNAL is a new file, of which
// `ddi-conformance report` makes reports in its forms.
//
// SPDX-License-Identifier: MIT OR Apache-2.0

#include "ddi_conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

// How GoogleTest shows the parameter of a test.
void PrintTo(const ddi_conformance_rule *rule, std::ostream *out)
{
    *out << rule->id;
}

namespace {

struct Free {
    void operator()(ddi_conformance_suite *suite) const { ddi_conformance_suite_free(suite); }
    void operator()(ddi_conformance_result *result) const { ddi_conformance_result_free(result); }
};

const char *plugin = nullptr;
std::unique_ptr<ddi_conformance_suite, Free> suite;

// One suite for all tests: it remembers what has failed, and tells one death once.
class Suite : public testing::Environment {
    void SetUp() override
    {
        ASSERT_NE(plugin, nullptr) << "name the plugin: DDI_PLUGIN=my_plugin.dll, or an argument";
        ddi_conformance_options options = {};
        options.struct_size = sizeof options;
        options.library = plugin;
        options.runner = std::getenv("DDI_RUNNER");
        options.journal = std::getenv("DDI_JOURNAL");
        ddi_conformance_suite *created = nullptr;
        ASSERT_EQ(ddi_conformance_suite_create(&options, &created), DDI_CONFORMANCE_STATUS_OK)
            << ddi_conformance_last_error();
        suite.reset(created);
    }

    void TearDown() override { suite.reset(); }
};

// The rules of plugins that a test can decide, first those that most others build on.
std::vector<const ddi_conformance_rule *> rules()
{
    std::vector<const ddi_conformance_rule *> rules;
    for (size_t i = 0; i < ddi_conformance_rule_count(); ++i) {
        const ddi_conformance_rule *rule = ddi_conformance_rule_at(i);
        if (rule->party == DDI_CONFORMANCE_PARTY_PLUGIN && rule->untestable == nullptr)
            rules.push_back(rule);
    }
    std::stable_partition(rules.begin(), rules.end(), [](const ddi_conformance_rule *rule) { return rule->is_gate != 0; });
    return rules;
}

class Plugin : public testing::TestWithParam<const ddi_conformance_rule *> {};

TEST_P(Plugin, Keeps)
{
    const ddi_conformance_rule *rule = GetParam();
    ddi_conformance_result *given = nullptr;
    ASSERT_EQ(ddi_conformance_suite_run(suite.get(), rule->id, &given), DDI_CONFORMANCE_STATUS_OK)
        << ddi_conformance_last_error();
    std::unique_ptr<ddi_conformance_result, Free> result(given);
    RecordProperty("rule", rule->reading);
    RecordProperty("verdict", result->verdict_name);
    if (result->outcome == DDI_CONFORMANCE_OUTCOME_FAILED)
        FAIL() << result->verdict_name << "\n" << result->message << result->output;
    if (result->outcome == DDI_CONFORMANCE_OUTCOME_SKIPPED)
        GTEST_SKIP() << result->verdict_name << ": " << result->summary;
}

// P_ABI_05, as a name of GoogleTest has no hyphens.
std::string name(const testing::TestParamInfo<const ddi_conformance_rule *> &info)
{
    std::string id = info.param->id;
    std::replace(id.begin(), id.end(), '-', '_');
    return id;
}

INSTANTIATE_TEST_SUITE_P(Ddi, Plugin, testing::ValuesIn(rules()), name);

} // namespace

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    plugin = argc > 1 ? argv[1] : std::getenv("DDI_PLUGIN");
    testing::AddGlobalTestEnvironment(new Suite);
    return RUN_ALL_TESTS();
}
