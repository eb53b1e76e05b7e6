#ifndef D3D12_COMPILER_BASE_TYPES
#define D3D12_COMPILER_BASE_TYPES

#include <stddef.h>
#include <stdint.h>

// The base types are the system's on Windows. Elsewhere <unknwn.h> has them where the compiler finds
// one, as in wsl/stubs of Microsoft's DirectX-Headers: d3d12.h then comes before or after. Where
// there is none they are declared here.
#ifdef _WIN32

#include <windows.h>

#include <dxgicommon.h>
#include <dxgiformat.h>

#elif __has_include(<unknwn.h>)

#include <unknwn.h>
#if __has_include(<directx/dxgiformat.h>)
#include <directx/dxgicommon.h>
#include <directx/dxgiformat.h>
#elif __has_include(<dxgiformat.h>)
#include <dxgicommon.h>
#include <dxgiformat.h>
#endif

#else

#define D3D12_COMPILER_OWN_BASE_TYPES

typedef uint32_t UINT;
typedef uint32_t ULONG;
typedef int32_t INT;
typedef int32_t LONG;
typedef int8_t INT8;
typedef uint8_t UINT8;
typedef uint8_t BYTE;
typedef uint16_t UINT16;
typedef uint32_t UINT32;
typedef uint64_t UINT64;
typedef int32_t BOOL;
typedef float FLOAT;
typedef size_t SIZE_T;
typedef size_t ULONG_PTR;
// u"..." is an array of char16_t: the same as uint16_t in C, a type of its own in C++.
#ifdef __cplusplus
typedef char16_t WCHAR;
#else
typedef uint16_t WCHAR;
#endif
typedef const WCHAR *PCWSTR;
typedef const WCHAR *LPCWSTR;
typedef const char *LPCSTR;
typedef void *HANDLE;
typedef int32_t HRESULT;

typedef struct RECT
{
    LONG left;
    LONG top;
    LONG right;
    LONG bottom;
} RECT;

#ifndef GUID_DEFINED
#define GUID_DEFINED
typedef struct GUID
{
    UINT32 Data1;
    UINT16 Data2;
    UINT16 Data3;
    UINT8 Data4[8];
} GUID;
#endif
typedef GUID IID;
typedef GUID CLSID;
#ifdef __cplusplus
#define REFGUID const GUID &
#define REFIID const IID &
#define REFCLSID const CLSID &
#else
#define REFGUID const GUID *
#define REFIID const IID *
#define REFCLSID const CLSID *
#endif

#endif

// Strings are UTF-16 on every system. D3D12_COMPILER_WCHAR is a code unit of theirs: WCHAR, but where
// Microsoft's stubs for Linux make that a wchar_t of 32 bits (without -fshort-wchar).
// D3D12_COMPILER_TEXT("...") is a string of them.
#if !defined(_WIN32) && !defined(D3D12_COMPILER_OWN_BASE_TYPES) && __SIZEOF_WCHAR_T__ != 2
#define D3D12_COMPILER_WIDE_WCHAR
#endif
#if defined(D3D12_COMPILER_OWN_BASE_TYPES) || defined(D3D12_COMPILER_WIDE_WCHAR)
#ifdef __cplusplus
typedef char16_t D3D12_COMPILER_WCHAR;
#else
typedef uint16_t D3D12_COMPILER_WCHAR;
#endif
#define D3D12_COMPILER_TEXT(string) u##string
#else
typedef WCHAR D3D12_COMPILER_WCHAR;
#define D3D12_COMPILER_TEXT(string) L##string
#endif
typedef const D3D12_COMPILER_WCHAR *D3D12_COMPILER_PCWSTR;

#ifndef SUCCEEDED
#define SUCCEEDED(hr) ((HRESULT)(hr) >= 0)
#endif
#ifndef FAILED
#define FAILED(hr) ((HRESULT)(hr) < 0)
#endif
#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

#ifndef DEFINE_ENUM_FLAG_OPERATORS
#ifdef __cplusplus
#define DEFINE_ENUM_FLAG_OPERATORS(T)                                                              \
    extern "C++" {                                                                                 \
    constexpr T operator|(T a, T b) { return T(INT(a) | INT(b)); }                                 \
    constexpr T operator&(T a, T b) { return T(INT(a) & INT(b)); }                                 \
    constexpr T operator^(T a, T b) { return T(INT(a) ^ INT(b)); }                                 \
    constexpr T operator~(T a) { return T(~INT(a)); }                                              \
    inline T &operator|=(T &a, T b) { return a = a | b; }                                          \
    inline T &operator&=(T &a, T b) { return a = a & b; }                                          \
    inline T &operator^=(T &a, T b) { return a = a ^ b; }                                          \
    }
#else
#define DEFINE_ENUM_FLAG_OPERATORS(T)
#endif
#endif

#endif // D3D12_COMPILER_BASE_TYPES
