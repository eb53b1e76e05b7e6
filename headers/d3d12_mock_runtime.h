// d3d12_mock_runtime.h: the test runtime of mock-runtime, for programs in C and C++. It drives a user-mode
// driver of Direct3D 12 (mock-umd, which is linked in, or any other by its OpenAdapter12) as far as creating
// devices, pipeline states, state objects and command lists goes.
//
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Adapters, devices and command lists are handles, which are looked up: a stale one gets E_INVALIDARG. Any
// thread may call, several at a time; one thread at a time records a command list. A failure is an HRESULT,
// the driver's where a call of the driver failed; MockRuntimeGetLastError has the text. Texts are UTF-8.

#ifndef D3D12_MOCK_RUNTIME_H
#define D3D12_MOCK_RUNTIME_H

#include "d3d12_compiler_api.h"

#if defined(_WIN32)
#define MOCK_RUNTIME_CALL __stdcall
#else
#define MOCK_RUNTIME_CALL
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MOCK_RUNTIME_ADAPTER_DESC
{
    // The driver's file; null for mock-umd.
    const char *pUmdPath;
    // The answer when the driver asks for its application specific state: 0 D3DDDIERR_NOTAVAILABLE,
    // 1 E_INVALIDARG as from an older runtime, 2 the blob.
    UINT DriverState;
    const void *pBlob;
    SIZE_T BlobSize;
    // The application that the driver can ask for, or null.
    const D3D12_APPLICATION_DESC *pApplication;
} MOCK_RUNTIME_ADAPTER_DESC;

typedef struct MOCK_RUNTIME_RANGE
{
    UINT64 Start;
    UINT64 Size;
} MOCK_RUNTIME_RANGE;

typedef struct MOCK_RUNTIME_DEVICE_DESC
{
    // The DDI build, such as 114; 0 for the newest that both sides know.
    UINT Build;
    // Precompiled shader databases, in the order in which they answer. One that the driver cannot use is
    // not used.
    UINT NumCaches;
    const char *const *ppCaches;
    // The GPU virtual addresses that the driver reserves.
    const MOCK_RUNTIME_RANGE *pReservedRanges;
    UINT NumReservedRanges;
    // A state object database that gets what is created, or null. It is complete when the device is
    // released.
    const char *pCapture;
} MOCK_RUNTIME_DEVICE_DESC;

// What the shader cache did for an object, in value keys.
typedef struct MOCK_RUNTIME_OUTCOME
{
    UINT64 NumFromDatabase;
    UINT64 NumFromDriver;
    UINT64 NumMissed;
    UINT64 NumStored;
} MOCK_RUNTIME_OUTCOME;

typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeOpenAdapter)(
    const MOCK_RUNTIME_ADAPTER_DESC *pDesc, void **phAdapter);

typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeCreateDevice)(
    void *hAdapter, const MOCK_RUNTIME_DEVICE_DESC *pDesc, void **phDevice);

// Creates an object under a key, which must be new. pOutcome can be null.
typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeCreatePipelineState)(
    void *hDevice, const void *pKey, UINT KeySize, const D3D12_PIPELINE_STATE_STREAM_DESC *pDesc,
    MOCK_RUNTIME_OUTCOME *pOutcome);

// With the key of a parent, an addition to it. Collections are EXISTING_COLLECTION_BY_KEY.
typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeCreateStateObject)(
    void *hDevice, const void *pKey, UINT KeySize, const D3D12_STATE_OBJECT_DESC *pDesc,
    const void *pParentKey, UINT ParentKeySize, MOCK_RUNTIME_OUTCOME *pOutcome);

typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeGetStatistics)(
    void *hDevice, D3D12_STATE_OBJECT_STATISTICS *pStatistics);

// The address of an object, which begins with D3D12DDI_RUNTIME_BYPASS_HEADER. It lives as long as the device.
typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeGetObject)(
    void *hDevice, const void *pKey, UINT KeySize, void **ppObject);

// A command list, closed: its handle for the functions here, and its address, which begins with
// D3D12DDI_RUNTIME_BYPASS_HEADER. Its v-table is a D3D12DDI_COMMAND_LIST_FUNCS_3D_0114, of which the
// functions that can bypass the runtime are there.
typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeCreateCommandList)(
    void *hDevice, void **phList, void **ppObject);

// Puts the driver's functions into the v-table, or with FALSE the runtime's, as at first. Drivers before
// build 0114 get E_INVALIDARG.
typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeSetDirect)(void *hList, BOOL Direct);

typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeReset)(void *hList);

// Fails with the first error since the list was opened.
typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeClose)(void *hList);

// Ends a handle of any kind. What it stands for lives as long as something made from it.
typedef HRESULT(MOCK_RUNTIME_CALL *PFN_MockRuntimeRelease)(void *hObject);

// Copies the text of the thread's last failure as far as there is room, with a NUL; the bytes that it has
// with the NUL.
typedef SIZE_T(MOCK_RUNTIME_CALL *PFN_MockRuntimeGetLastError)(char *pBuffer, SIZE_T Size);

#ifdef __cplusplus
}
#endif

#endif
