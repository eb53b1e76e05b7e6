//! Structures of `ddi-sys/src/umd/meta_command.rs`.

use ddi_sys::*;

structures! {
    D3D12DDIARG_META_COMMAND_DESC { Id, Name: text, InitializationDirtyState, ExecutionDirtyState }
    D3D12DDIARG_META_COMMAND_PARAMETER_DESC { Name: text, Type, Flags, RequiredResourceState }
    D3D12DDIARG_META_COMMAND_REQUIRED_PARAMETER_INFO { ResourceSize }
    D3D12DDICAPS_QUERY_META_COMMAND_CAPS_0061 {
        CommandId, pQueryInputData: bytes(QueryInputDataSizeInBytes), QueryInputDataSizeInBytes,
        pQueryOutputData: out(bytes(QueryOutputDataSizeInBytes)), QueryOutputDataSizeInBytes,
    }
}
