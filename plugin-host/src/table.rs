//! Function tables without null entries.

use ddi_sys::{
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS,
    PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE,
    PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE,
    PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE, PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT,
    PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS,
    PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT,
    PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT, PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE,
    PFND3D12DDI_COMPILER_CREATE_COMPILER, PFND3D12DDI_COMPILER_DESTROY_COMPILER,
    PFND3D12DDI_COMPILER_DESTROY_DDI, PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT,
    PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES, PFND3D12DDI_COMPILER_FILL_DDI_TABLE,
    PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS,
    PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION, PFND3D12DDI_COMPILER_GET_CAPS,
    PFND3D12DDI_COMPILER_GET_COMPILER_VERSION, PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS,
    PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE, PFND3D12DDI_COMPILER_SET_SELECTED_VERSION,
};

use crate::{Library, OpenError};

/// The function behind a nullable entry.
pub(crate) trait Entry {
    type Fn;
}

impl<F> Entry for Option<F> {
    type Fn = F;
}

/// A table without null entries.
pub(crate) trait Table: Sized {
    /// The table as a plugin fills it.
    type Raw: Default;

    /// Fails with the name of the first null entry.
    fn check(library: &Library, raw: Self::Raw) -> Result<Self, OpenError>;
}

macro_rules! checked_table {
    ($checked:ident from $raw:ident { $($entry:ident: $pfn:ident,)* }) => {
        #[derive(Clone, Copy, Debug)]
        #[allow(non_snake_case, reason = "the entries have their C names")]
        pub(crate) struct $checked {
            pub(crate) raw: $raw,
            $(pub(crate) $entry: <$pfn as Entry>::Fn,)*
        }

        impl Table for $checked {
            type Raw = $raw;

            fn check(library: &Library, raw: $raw) -> Result<Self, OpenError> {
                let null = |entry| OpenError::NullEntry {
                    path: library.shared_path(),
                    table: stringify!($raw),
                    entry,
                };
                Ok(Self {
                    raw,
                    $($entry: raw.$entry.ok_or_else(|| null(stringify!($entry)))?,)*
                })
            }
        }
    };
}

checked_table!(DdiFuncs from D3D12DDI_COMPILER_DDI_FUNCS {
    pfnDestroyCompilerDDI: PFND3D12DDI_COMPILER_DESTROY_DDI,
    pfnGetSupportedVersions: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS,
    pfnSetSelectedVersion: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION,
    pfnFillDDITable: PFND3D12DDI_COMPILER_FILL_DDI_TABLE,
    pfnSetCallbackDDITable: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE,
});

checked_table!(CapabilitiesFuncs from D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
    pfnGetCaps: PFND3D12DDI_COMPILER_GET_CAPS,
    pfnEnumerateAdapterFamilies: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES,
    pfnGetAdapterFamilyABIVersions: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS,
    pfnGetCompilerVersion: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION,
    pfnGetApplicationProfileVersion: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION,
    pfnCheckFormatSupport: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT,
    pfnCheckMultisampleQualityLevels: PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS,
});

checked_table!(CompilerFuncs from D3D12DDI_COMPILER_FUNCS {
    pfnCalcPrivateCompilerSize: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE,
    pfnCreateCompiler: PFND3D12DDI_COMPILER_CREATE_COMPILER,
    pfnDestroyCopiler: PFND3D12DDI_COMPILER_DESTROY_COMPILER,
    pfnCompilePipelineState: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE,
    pfnCalcPrivateStateObjectSize: PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE,
    pfnCompileCreateStateObject: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT,
    pfnCalcPrivateAddToStateObjectSize: PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE,
    pfnCompileAddToStateObject: PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT,
    pfnDestroyStateObject: PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT,
});
