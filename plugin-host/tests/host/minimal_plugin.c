// The least that a host opens: one version, one adapter family without ABI versions, no compilers.
//
// SPDX-License-Identifier: MIT OR Apache-2.0

#include <stdlib.h>
#include <string.h>

#include "d3d12_compiler_ddi.h"

typedef void (*Entry)(void);

static void D3D12DDI_APIENTRY destroy(D3D12DDI_HCOMPILERDDI ddi)
{
    (void)ddi;
}

static HRESULT D3D12DDI_APIENTRY getSupportedVersions(D3D12DDI_HCOMPILERDDI ddi, UINT32 *count,
                                                      UINT64 *versions)
{
    (void)ddi;
    if (versions && *count) {
        versions[0] = 0x000C000000020000;
    }
    *count = 1;
    return S_OK;
}

static HRESULT D3D12DDI_APIENTRY setSelectedVersion(D3D12DDI_HCOMPILERDDI ddi, UINT64 plugin,
                                                    UINT64 usermode)
{
    (void)ddi;
    return plugin == 0x000C000000020000 && usermode == 0x000C005000730000 ? S_OK : E_INVALIDARG;
}

static HRESULT D3D12DDI_APIENTRY enumerateAdapterFamilies(D3D12DDI_HCOMPILERDDI ddi, UINT index,
                                                          D3D12DDI_COMPILER_ADAPTER_FAMILY *family)
{
    static const WCHAR name[] = D3D12DDI_TEXT("Gr\u00F6\u00DFe");
    (void)ddi;
    if (index != 0) {
        return DXGI_ERROR_NOT_FOUND;
    }
    memcpy(family->szAdapterFamily, name, sizeof name);
    return S_OK;
}

static HRESULT D3D12DDI_APIENTRY getCompilerVersion(D3D12DDI_HCOMPILERDDI ddi, UINT index,
                                                    D3D12DDI_VERSION_NUMBER *version)
{
    (void)ddi;
    if (index != 0) {
        return DXGI_ERROR_NOT_FOUND;
    }
    version->Version = 0x0001000200030004;
    return S_OK;
}

static void notCalled(void)
{
    abort();
}

static HRESULT D3D12DDI_APIENTRY fillDDITable(D3D12DDI_HCOMPILERDDI ddi,
                                              D3D12DDI_COMPILER_TABLE_TYPE type, void *table,
                                              SIZE_T size)
{
    (void)ddi;
    for (SIZE_T i = 0; i < size / sizeof(Entry); ++i) {
        ((Entry *)table)[i] = notCalled;
    }
    if (type == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES) {
        D3D12DDI_COMPILER_CAPABILITIES_FUNCS *capabilities = table;
        capabilities->pfnEnumerateAdapterFamilies = enumerateAdapterFamilies;
        capabilities->pfnGetCompilerVersion = getCompilerVersion;
    }
    return S_OK;
}

static HRESULT D3D12DDI_APIENTRY setCallbackDDITable(D3D12DDI_HCOMPILERDDI ddi,
                                                     D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE type,
                                                     const void *table, SIZE_T size)
{
    (void)ddi;
    (void)table;
    return type == D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE
                && size == sizeof(D3D12DDI_COMPILER_CACHE_CALLBACKS)
            ? S_OK
            : E_INVALIDARG;
}

HRESULT D3D12DDI_APIENTRY D3D12OpenCompilerDDI(D3D12DDIARG_COMPILER_OPEN_DDI *arg)
{
    arg->pDDIFuncs->pfnDestroyCompilerDDI = destroy;
    arg->pDDIFuncs->pfnGetSupportedVersions = getSupportedVersions;
    arg->pDDIFuncs->pfnSetSelectedVersion = setSelectedVersion;
    arg->pDDIFuncs->pfnFillDDITable = fillDDITable;
    arg->pDDIFuncs->pfnSetCallbackDDITable = setCallbackDDITable;
    return S_OK;
}
