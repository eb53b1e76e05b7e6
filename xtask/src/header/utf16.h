#ifdef D3D12_COMPILER_WIDE_WCHAR
// As on Windows, until the end of this header.
#define WCHAR D3D12_COMPILER_WCHAR
#define PCWSTR D3D12_COMPILER_PCWSTR
#define LPCWSTR D3D12_COMPILER_PCWSTR
#endif
