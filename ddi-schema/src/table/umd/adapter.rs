//! Structures of `ddi-sys/src/umd/adapter.rs`.

use ddi_sys::*;

structures! {
    D3D12DDIARG_OPENADAPTER { hRTAdapter, hAdapter, pAdapterCallbacks: handle, pAdapterFuncs: handle }
    D3DDDICB_QUERYADAPTERINFO { pPrivateDriverData: inout(bytes(PrivateDriverDataSize)), PrivateDriverDataSize }
    D3DDDICB_QUERYADAPTERINFO2 {
        QueryType, pPrivateDriverData: inout(bytes(PrivateDriverDataSize)), PrivateDriverDataSize,
    }
    D3D12DDI_TABLE_REQUEST { tableType, numTables }
}
