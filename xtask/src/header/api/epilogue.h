#ifdef __cplusplus
#define D3D12_COMPILER_API_STATIC_ASSERT static_assert
#else
#define D3D12_COMPILER_API_STATIC_ASSERT _Static_assert
#endif
D3D12_COMPILER_API_STATIC_ASSERT(
    sizeof(D3D12_ADAPTER_FAMILY) == 256,
    "d3d12compiler.h declares this with WCHARs of 32 bits: build with -fshort-wchar");
#undef D3D12_COMPILER_API_STATIC_ASSERT

#ifndef D3D12_MAKE_VERSION_NUMBER
/// The Version of a D3D12_VERSION_NUMBER.
#define D3D12_MAKE_VERSION_NUMBER(major, minor, build, revision)                                   \
    ((UINT64)(UINT16)(major) << 48 | (UINT64)(UINT16)(minor) << 32 |                               \
     (UINT64)(UINT16)(build) << 16 | (UINT64)(UINT16)(revision))
#endif

/// GetCompilerTarget, which C++ compilers for Windows do not agree how to call, for any of them.
static inline D3D12_COMPILER_TARGET D3D12CompilerCacheSessionTarget(
    ID3D12CompilerCacheSession *pCompilerCacheSession)
{
#if defined(__cplusplus) && !defined(CINTERFACE)
#if defined(_WIN32) && !defined(_MSC_VER)
    D3D12_COMPILER_TARGET target;
    return *pCompilerCacheSession->GetCompilerTarget(&target);
#else
    return pCompilerCacheSession->GetCompilerTarget();
#endif
#elif defined(_WIN32)
    D3D12_COMPILER_TARGET target;
    return *pCompilerCacheSession->lpVtbl->GetCompilerTarget(pCompilerCacheSession, &target);
#else
    return pCompilerCacheSession->lpVtbl->GetCompilerTarget(pCompilerCacheSession);
#endif
}

#ifdef __cplusplus
} // extern "C"

/// `D3D12CompilerIid<ID3D12Compiler>::value` is the IID, for any interface of this header, whoever
/// declares the interface.
template <class Interface> struct D3D12CompilerIid;
template <class Interface> struct D3D12CompilerIid<Interface &> : D3D12CompilerIid<Interface>
{
};
@IIDS@

/// What IID_PPV_ARGS is where __uuidof is: the two last arguments of most calls.
#define D3D12_COMPILER_IID_PPV_ARGS(place) \
    D3D12CompilerIid<decltype(**(place))>::value, reinterpret_cast<void **>(place)
#endif

// Headers that are included later have these types from here.
#ifndef __dxgiformat_h__
#define __dxgiformat_h__
#endif
#ifndef __dxgicommon_h__
#define __dxgicommon_h__
#endif

@UTF16_END@

#endif // D3D12_COMPILER_API_H
