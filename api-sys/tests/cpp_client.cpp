// A C++ client and a C++ implementation of a cache session, built by cpp.rs.

#include "d3d12_compiler_api.h"

#ifdef _WIN32
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

/// What the session answers, by the three methods without an HRESULT and by one with it.
struct Answers
{
    D3D12_COMPILER_TARGET target;
    const D3D12_APPLICATION_DESC *application;
    D3D12_COMPILER_VALUE_TYPE_FLAGS types;
    UINT version;
    HRESULT found;
};

EXPORT void ask(ID3D12CompilerCacheSession *session, Answers *answers)
{
    answers->application = session->GetApplicationDesc();
    answers->target = D3D12CompilerCacheSessionTarget(session);
    answers->types = session->GetValueTypes();
    D3D12_COMPILER_CACHE_GROUP_KEY key = {"key", 3};
    answers->found = session->FindGroup(&key, &answers->version);
}

namespace
{
class Session final : public ID3D12CompilerCacheSession
{
    ULONG references = 1;

  public:
    HRESULT D3D12_COMPILER_APIENTRY QueryInterface(REFIID, void **) override { return E_NOINTERFACE; }
    ULONG D3D12_COMPILER_APIENTRY AddRef() override { return ++references; }
    ULONG D3D12_COMPILER_APIENTRY Release() override
    {
        const ULONG left = --references;
        if (left == 0)
            delete this;
        return left;
    }
    HRESULT D3D12_COMPILER_APIENTRY GetFactory(REFIID, void **) override { return E_NOTIMPL; }
    HRESULT D3D12_COMPILER_APIENTRY FindGroup(
        const D3D12_COMPILER_CACHE_GROUP_KEY *key, UINT *version) override
    {
        *version = key->KeySize;
        return S_OK;
    }
    HRESULT D3D12_COMPILER_APIENTRY FindGroupValueKeys(
        const D3D12_COMPILER_CACHE_GROUP_KEY *, const UINT *,
        D3D12CompilerCacheSessionGroupValueKeysFunc, void *) override
    {
        return E_NOTIMPL;
    }
    HRESULT D3D12_COMPILER_APIENTRY FindGroupValues(
        const D3D12_COMPILER_CACHE_GROUP_KEY *, const UINT *, D3D12_COMPILER_VALUE_TYPE_FLAGS,
        D3D12CompilerCacheSessionGroupValuesFunc, void *) override
    {
        return E_NOTIMPL;
    }
    HRESULT D3D12_COMPILER_APIENTRY FindValue(
        const D3D12_COMPILER_CACHE_VALUE_KEY *, D3D12_COMPILER_CACHE_TYPED_VALUE *, UINT,
        D3D12CompilerCacheSessionAllocationFunc, void *) override
    {
        return E_NOTIMPL;
    }
    const D3D12_APPLICATION_DESC *D3D12_COMPILER_APIENTRY GetApplicationDesc() override
    {
        return nullptr;
    }
#if defined(_WIN32) && !defined(_MSC_VER)
    D3D12_COMPILER_TARGET *D3D12_COMPILER_APIENTRY GetCompilerTarget(
        D3D12_COMPILER_TARGET *result) override
    {
        *result = {5, 0xFEDCBA9876543210};
        return result;
    }
#else
    D3D12_COMPILER_TARGET D3D12_COMPILER_APIENTRY GetCompilerTarget() override
    {
        return {5, 0xFEDCBA9876543210};
    }
#endif
    D3D12_COMPILER_VALUE_TYPE_FLAGS D3D12_COMPILER_APIENTRY GetValueTypes() override
    {
        return D3D12_COMPILER_VALUE_TYPE_FLAGS_DEBUG_PDB;
    }
    HRESULT D3D12_COMPILER_APIENTRY StoreGroupValueKeys(
        const D3D12_COMPILER_CACHE_GROUP_KEY *, UINT, const D3D12_COMPILER_CACHE_VALUE_KEY *,
        UINT) override
    {
        return E_NOTIMPL;
    }
    HRESULT D3D12_COMPILER_APIENTRY StoreValue(
        const D3D12_COMPILER_CACHE_VALUE_KEY *, const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE *,
        UINT) override
    {
        return E_NOTIMPL;
    }
};
} // namespace

EXPORT ID3D12CompilerCacheSession *make() { return new Session; }
