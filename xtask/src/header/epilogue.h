@PLUGIN@

/// The one export of a plugin library, undecorated on 32-bit Windows too.
HRESULT D3D12DDI_APIENTRY D3D12OpenCompilerDDI(D3D12DDIARG_COMPILER_OPEN_DDI *pOpenDDIArg);

#ifdef __cplusplus
} // extern "C"
#endif

@UTF16_END@

// The layout of Windows, or no build: 16-bit code units, 32-bit BOOL, 64-bit integers aligned to 8.
#ifdef __cplusplus
#define D3D12DDI_STATIC_ASSERT static_assert
#else
#define D3D12DDI_STATIC_ASSERT _Static_assert
#endif
D3D12DDI_STATIC_ASSERT(sizeof(D3D12DDI_COMPILER_ADAPTER_FAMILY) == 256, "strings are not UTF-16");
D3D12DDI_STATIC_ASSERT(sizeof(BOOL) == 4, "BOOL is not 32 bits");
D3D12DDI_STATIC_ASSERT(offsetof(D3D12DDI_COMPILER_TARGET, ABIVersion) == 8,
                       "UINT64 is not aligned to 8");
#undef D3D12DDI_STATIC_ASSERT
#undef D3D12DDI_ENUM

#endif // D3D12_COMPILER_DDI_H
