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
