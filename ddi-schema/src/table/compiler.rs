//! Structures of `ddi-sys/src/compiler.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_APPLICATION_DESC { pExeFilename: text, pName: text, Version, pEngineName: text, EngineVersion }
    D3D12DDIARG_COMPILER_OPEN_DDI { hRTCompilerDDI, hCompilerDDI, pDDIFuncs: handle }
    D3D12DDI_COMPILER_ADAPTER_FAMILY { szAdapterFamily: characters(128) }
    D3D12DDI_COMPILER_TARGET { AdapterFamilyIndex, ABIVersion }
    D3D12DDI_COMPILER_CACHE_VALUE_KEY { pKey: required(bytes(KeySize)), KeySize }
    D3D12DDI_COMPILER_CACHE_VALUE { pValue: out(bytes(ValueSize)), ValueSize }
    D3D12DDI_COMPILER_CACHE_CONST_VALUE { pValue: bytes(ValueSize), ValueSize }
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE { Type, Value }
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE { Type, Value }
    D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheFindValue: function, pfnCompilerCacheStoreValue: function,
        pfnCompilerCacheSetObjectValueKeys: function,
    }
    D3D12DDIARG_SHADERCACHE_GETCAPS {
        Type, pInfo, pData: sized(DataSize; Type:
            D3D12DDICAPS_TYPE_SHADERCACHE_ABI_SUPPORT => D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118,
        ),
        DataSize,
    }
    D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118 {
        szAdapterFamily: characters(128), MinimumABISupportVersion, MaximumABISupportVersion, CompilerVersion,
        ApplicationProfileVersion,
    }
}
