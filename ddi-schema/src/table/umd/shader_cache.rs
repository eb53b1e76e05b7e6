//! Structures of `ddi-sys/src/umd/shader_cache.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114 {
        szAdapterFamily: characters(128), MinimumABISupportVersion, MaximumABISupportVersion,
    }
    D3D12DDI_SHADER_CACHE_VALUE { pValue: out(bytes(ValueSize)), ValueSize }
}
