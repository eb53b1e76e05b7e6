//! What the driver says of its compiler, in `pfnShaderCacheGetCaps`.

use ddi_sys::*;
use defects::{Place as _, rows};

use crate::places::*;

type Data = D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118;

rows! {
    Hook, Device;

    "abi-family-empty" breaks U_ABI_01: "the name of the adapter family is empty",
        at GetShaderCacheCaps |call| answered(call, |data| data.szAdapterFamily[0] = 0);
    "abi-family-unknown" breaks U_ABI_01: "the name of the adapter family has another first letter than that of the plugin",
        at GetShaderCacheCaps |call| answered(call, |data| data.szAdapterFamily[0] += 1);
    "abi-range-reversed" breaks U_ABI_02: "the minimum ABI version is above the maximum",
        at GetShaderCacheCaps |call| answered(call, |data| data.MinimumABISupportVersion = data.MaximumABISupportVersion + 1);
    "abi-newest-unknown" breaks U_ABI_02: "the maximum ABI version is one more than the plugin's newest",
        at GetShaderCacheCaps |call| answered(call, |data| data.MaximumABISupportVersion += 1);
    "abi-compiler-older" breaks U_ABI_03: "the revision of the compiler is one less than the plugin's",
        at GetShaderCacheCaps |call| answered(call, |data| {
            data.CompilerVersion = D3D12DDI_VERSION_NUMBER::from_bits(data.CompilerVersion.bits() - (1 << 16));
        });
    "abi-profile-always" breaks U_ABI_04: "a profile is applied without an application",
        at GetShaderCacheCaps |call| answered(call, |data| {
            data.ApplicationProfileVersion = D3D12DDI_VERSION_NUMBER::from_bits(1 << 48);
        });
}

fn answered(call: &mut GetShaderCacheCaps, change: fn(&mut Data)) -> HRESULT {
    let result = call.pass();
    // SAFETY: the host's structure.
    let arguments = unsafe { &*call.arguments };
    if result.is_ok() && arguments.DataSize as usize == size_of::<Data>() {
        // SAFETY: the data has the size, and the driver has filled it.
        change(unsafe { &mut *arguments.pData.cast() });
    }
    result
}
