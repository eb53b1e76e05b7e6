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

#ifndef D3D12_MOCK_UMD_H
#define D3D12_MOCK_UMD_H

#include "d3d12_umd_ddi.h"

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Writes all calls since the library was loaded, as JSON, with a NUL. What reads, as this function, is not among them: the text
 * has the size that was asked for, unless another thread has called the driver meanwhile.
 *
 * `buffer` is null, or has `*size` bytes; `*size` becomes the number that is needed. Returns S_OK,
 * E_NOT_SUFFICIENT_BUFFER with nothing written, or E_INVALIDARG. */
HRESULT D3D12DDI_APIENTRY MockUmdStatistics(char *buffer, SIZE_T *size);
typedef HRESULT (D3D12DDI_APIENTRY *PFN_MockUmdStatistics)(char *buffer, SIZE_T *size);

/* Writes what a command list has recorded since its last reset, as JSON, with a NUL, by the driver's handle: its `pDrvPrivate`.
 * Returns E_INVALIDARG when no list has it; the rest is as for MockUmdStatistics. */
HRESULT D3D12DDI_APIENTRY MockUmdCommandList(void *list, char *buffer, SIZE_T *size);
typedef HRESULT (D3D12DDI_APIENTRY *PFN_MockUmdCommandList)(void *list, char *buffer, SIZE_T *size);

/* Sets a switch by the name of its environment variable; null or an empty value is its default. Returns E_INVALIDARG for a
 * name or a value that there is not: `last_failure` of the statistics says what is wrong. */
HRESULT D3D12DDI_APIENTRY MockUmdSet(const char *name, const char *value);
typedef HRESULT (D3D12DDI_APIENTRY *PFN_MockUmdSet)(const char *name, const char *value);

/* How many commands a list has recorded since its last reset, by the driver's handle: its `pDrvPrivate`; 0 when no list has
 * it. */
UINT32 D3D12DDI_APIENTRY MockUmdCommandCount(void *list);
typedef UINT32 (D3D12DDI_APIENTRY *PFN_MockUmdCommandCount)(void *list);

#ifdef __cplusplus
} /* extern "C" */
#endif /* __cplusplus */

#endif  /* D3D12_MOCK_UMD_H */
