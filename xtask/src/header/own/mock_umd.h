/* d3d12_mock_umd.h: what mock-umd, the user-mode driver of a fake vendor, exports beside OpenAdapter12, for the tests of a
 * runtime in C and C++: its switches, and what it has recorded.
 *
 *     SIZE_T size = 0;
 *     char *text;
 *     MockUmdSet("MOCK_UMD_FAIL", "pfnCreateFence:E_OUTOFMEMORY");
 *     MockUmdStatistics(NULL, &size);
 *     text = malloc(size);
 *     MockUmdStatistics(text, &size);
 *
 * Link with the library mock_umd, or look the functions up in it by their names. Any thread may call, several at a time. No
 * call throws. Texts are UTF-8 and end with a NUL; docs/testing-a-runtime.md has the switches and the members of the JSON.
 *
 * cargo xtask headers writes this file.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
