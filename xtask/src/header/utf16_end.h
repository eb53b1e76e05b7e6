#ifdef D3D12_COMPILER_WIDE_WCHAR
#undef WCHAR
#undef PCWSTR
#undef LPCWSTR
#endif
