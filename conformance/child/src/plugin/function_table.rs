//! The plugin's function tables: their entries by name, and which is filled for which type.

use conformance_catalogue::{Rule, rules};
use ddi_sys::{
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_COMPILER_TABLE_TYPE, D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES,
    D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
};

use crate::watch::memory::Plain;

/// A function table of the plugin.
pub(crate) trait Table: Plain {
    /// Its name in the specification.
    const NAME: &'static str;

    /// Each entry's name and address.
    fn entries(&self) -> Vec<(&'static str, usize)>;
}

/// A table that `pfnFillDDITable` fills.
pub(crate) trait FilledTable: Table {
    const TYPE: D3D12DDI_COMPILER_TABLE_TYPE;
    /// What the specification calls the type.
    const WORD: &'static str;
    /// The rule that it is filled.
    const RULE: Rule;
}

macro_rules! table {
    ($table:ident { $($entry:ident,)* }) => {
        impl Table for $table {
            const NAME: &'static str = stringify!($table);

            fn entries(&self) -> Vec<(&'static str, usize)> {
                vec![$((stringify!($entry), self.$entry.map_or(0, |entry| entry as usize)),)*]
            }
        }
    };
}

table!(D3D12DDI_COMPILER_DDI_FUNCS {
    pfnDestroyCompilerDDI,
    pfnGetSupportedVersions,
    pfnSetSelectedVersion,
    pfnFillDDITable,
    pfnSetCallbackDDITable,
});

table!(D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
    pfnGetCaps,
    pfnEnumerateAdapterFamilies,
    pfnGetAdapterFamilyABIVersions,
    pfnGetCompilerVersion,
    pfnGetApplicationProfileVersion,
    pfnCheckFormatSupport,
    pfnCheckMultisampleQualityLevels,
});

table!(D3D12DDI_COMPILER_FUNCS {
    pfnCalcPrivateCompilerSize,
    pfnCreateCompiler,
    pfnDestroyCopiler,
    pfnCompilePipelineState,
    pfnCalcPrivateStateObjectSize,
    pfnCompileCreateStateObject,
    pfnCalcPrivateAddToStateObjectSize,
    pfnCompileAddToStateObject,
    pfnDestroyStateObject,
});

impl FilledTable for D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
    const TYPE: D3D12DDI_COMPILER_TABLE_TYPE = D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES;
    const WORD: &'static str = "CAPABILITIES";
    const RULE: Rule = rules::P_TBL_01;
}

impl FilledTable for D3D12DDI_COMPILER_FUNCS {
    const TYPE: D3D12DDI_COMPILER_TABLE_TYPE = D3D12DDI_COMPILER_TABLE_TYPE_COMPILER;
    const WORD: &'static str = "COMPILER";
    const RULE: Rule = rules::P_TBL_02;
}

/// The function of an entry that was checked when its table was filled, to be called at once.
macro_rules! entry {
    ($table:expr, $entry:ident) => {
        conformance_protocol::calls::Noted::new(
            stringify!($entry),
            $table.$entry.expect("checked when the table was filled"),
        )
    };
}

pub(crate) use entry;
