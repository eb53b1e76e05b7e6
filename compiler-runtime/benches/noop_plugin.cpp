// A plugin whose compile calls ask for one value, find it and name it: the least that a C++ plugin can
// cost. The bench `speed` builds it.

#include "d3d12_compiler_ddi.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace {

// The same in every open: hosts give every open the same callbacks.
D3D12DDI_COMPILER_CACHE_CALLBACKS g_callbacks;

HRESULT one(UINT64 entry, UINT32* count, UINT64* array)
{
    const UINT32 capacity = *count;
    *count = 1;
    if (array && capacity != 0) {
        *array = entry;
    }
    return array && capacity == 0 ? DXGI_ERROR_MORE_DATA : S_OK;
}

// ---- Table COMPILER -----------------------------------------------------------------------------

SIZE_T D3D12DDI_APIENTRY calcPrivateCompilerSize(const D3D12DDI_COMPILER_TARGET*,
                                                 const D3D12DDI_APPLICATION_DESC*) noexcept
{
    return 1;
}

HRESULT D3D12DDI_APIENTRY createCompiler(const D3D12DDI_COMPILER_TARGET*,
                                         const D3D12DDI_APPLICATION_DESC*, D3D12DDI_HCOMPILER,
                                         D3D12DDI_HRTCOMPILER) noexcept
{
    return S_OK;
}

void D3D12DDI_APIENTRY destroyCompiler(D3D12DDI_HCOMPILER) noexcept {}

HRESULT D3D12DDI_APIENTRY compilePipelineState(
    D3D12DDI_HCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION session, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    const D3D12DDIARG_CREATE_PIPELINE_STATE_0099*) noexcept
{
    const D3D12DDI_COMPILER_CACHE_VALUE_KEY key = {"value", 5};
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE size = {D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
                                                {nullptr, 0}};
    const HRESULT found =
        g_callbacks.pfnCompilerCacheFindValue(session, &key, &size, 1, nullptr, nullptr);
    return found != S_OK ? found : g_callbacks.pfnCompilerCacheSetObjectValueKeys(session, &key, 1);
}

SIZE_T D3D12DDI_APIENTRY calcPrivateStateObjectSize(
    D3D12DDI_HCOMPILER, const D3D12DDIARG_CREATE_STATE_OBJECT_0054*) noexcept
{
    return 1;
}

HRESULT D3D12DDI_APIENTRY compileCreateStateObject(
    D3D12DDI_HCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    const D3D12DDIARG_CREATE_STATE_OBJECT_0054*, D3D12DDI_HCOMPILERSTATEOBJECT) noexcept
{
    return E_NOTIMPL;
}

SIZE_T D3D12DDI_APIENTRY calcPrivateAddToStateObjectSize(
    D3D12DDI_HCOMPILER, const D3D12DDIARG_CREATE_STATE_OBJECT_0054*,
    D3D12DDI_HCOMPILERSTATEOBJECT) noexcept
{
    return 1;
}

HRESULT D3D12DDI_APIENTRY compileAddToStateObject(
    D3D12DDI_HCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    const D3D12DDIARG_CREATE_STATE_OBJECT_0054*, D3D12DDI_HCOMPILERSTATEOBJECT,
    D3D12DDI_HCOMPILERSTATEOBJECT) noexcept
{
    return E_NOTIMPL;
}

void D3D12DDI_APIENTRY destroyStateObject(D3D12DDI_HCOMPILER,
                                          D3D12DDI_HCOMPILERSTATEOBJECT) noexcept
{
}

// ---- Table CAPABILITIES -------------------------------------------------------------------------

HRESULT D3D12DDI_APIENTRY getCaps(D3D12DDI_HCOMPILERDDI, const D3D12DDI_COMPILER_TARGET*,
                                  const D3D12DDI_APPLICATION_DESC*,
                                  const D3D12DDIARG_GETCAPS*) noexcept
{
    return E_INVALIDARG;
}

HRESULT D3D12DDI_APIENTRY enumerateAdapterFamilies(D3D12DDI_HCOMPILERDDI, UINT index,
                                                   D3D12DDI_COMPILER_ADAPTER_FAMILY* family) noexcept
{
    constexpr WCHAR kName[] = D3D12DDI_TEXT("Gen1");
    if (index != 0) {
        return DXGI_ERROR_NOT_FOUND;
    }
    std::copy(std::begin(kName), std::end(kName), family->szAdapterFamily);
    return S_OK;
}

HRESULT D3D12DDI_APIENTRY getAdapterFamilyABIVersions(D3D12DDI_HCOMPILERDDI, UINT, UINT* count,
                                                      UINT64* versions) noexcept
{
    return one(1, count, versions);
}

HRESULT D3D12DDI_APIENTRY getCompilerVersion(D3D12DDI_HCOMPILERDDI, UINT,
                                             D3D12DDI_VERSION_NUMBER* version) noexcept
{
    version->Version = 0x0001000000000000;
    return S_OK;
}

HRESULT D3D12DDI_APIENTRY getApplicationProfileVersion(D3D12DDI_HCOMPILERDDI,
                                                       const D3D12DDI_COMPILER_TARGET*,
                                                       const D3D12DDI_APPLICATION_DESC*,
                                                       D3D12DDI_VERSION_NUMBER* version) noexcept
{
    version->Version = 0;
    return S_OK;
}

HRESULT D3D12DDI_APIENTRY checkFormatSupport(D3D12DDI_HCOMPILERDDI, const D3D12DDI_COMPILER_TARGET*,
                                             DXGI_FORMAT, UINT* support) noexcept
{
    *support = 0;
    return S_OK;
}

BOOL D3D12DDI_APIENTRY checkMultisampleQualityLevels(D3D12DDI_HCOMPILERDDI,
                                                     const D3D12DDI_COMPILER_TARGET*, DXGI_FORMAT,
                                                     UINT, UINT) noexcept
{
    return FALSE;
}

// ---- The first table ----------------------------------------------------------------------------

void D3D12DDI_APIENTRY destroyCompilerDDI(D3D12DDI_HCOMPILERDDI) noexcept {}

HRESULT D3D12DDI_APIENTRY getSupportedVersions(D3D12DDI_HCOMPILERDDI, UINT32* count,
                                               UINT64* versions) noexcept
{
    return one(0x000C000000020000, count, versions);
}

HRESULT D3D12DDI_APIENTRY setSelectedVersion(D3D12DDI_HCOMPILERDDI, UINT64, UINT64) noexcept
{
    return S_OK;
}

HRESULT D3D12DDI_APIENTRY fillDDITable(D3D12DDI_HCOMPILERDDI, D3D12DDI_COMPILER_TABLE_TYPE type,
                                       void* table, SIZE_T) noexcept
{
    if (type == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES) {
        *static_cast<D3D12DDI_COMPILER_CAPABILITIES_FUNCS*>(table) = {
            getCaps,
            enumerateAdapterFamilies,
            getAdapterFamilyABIVersions,
            getCompilerVersion,
            getApplicationProfileVersion,
            checkFormatSupport,
            checkMultisampleQualityLevels,
        };
    } else {
        *static_cast<D3D12DDI_COMPILER_FUNCS*>(table) = {
            calcPrivateCompilerSize,
            createCompiler,
            destroyCompiler,
            compilePipelineState,
            calcPrivateStateObjectSize,
            compileCreateStateObject,
            calcPrivateAddToStateObjectSize,
            compileAddToStateObject,
            destroyStateObject,
        };
    }
    return S_OK;
}

HRESULT D3D12DDI_APIENTRY setCallbackDDITable(D3D12DDI_HCOMPILERDDI,
                                              D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
                                              const void* table, SIZE_T) noexcept
{
    std::memcpy(&g_callbacks, table, sizeof g_callbacks);
    return S_OK;
}

} // namespace

// On Windows headers/examples/minimal_plugin.def exports it.
HRESULT D3D12DDI_APIENTRY D3D12OpenCompilerDDI(D3D12DDIARG_COMPILER_OPEN_DDI* open)
{
    *open->pDDIFuncs = {
        destroyCompilerDDI, getSupportedVersions, setSelectedVersion,
        fillDDITable,       setCallbackDDITable,
    };
    return S_OK;
}
