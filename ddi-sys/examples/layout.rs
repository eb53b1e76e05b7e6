//! Prints the layout of the structures with which a host opens a plugin, as this target has them: to compare with what a C
//! compiler says of a header.

use std::mem::offset_of;

use ddi_sys::{
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_TARGET, D3D12DDIARG_COMPILER_OPEN_DDI,
};

macro_rules! print_layout {
    ($structure:ident: $($field:ident)*) => {
        println!("{} {} bytes", stringify!($structure), size_of::<$structure>());
        $(println!("{:5}  {}", offset_of!($structure, $field), stringify!($field));)*
    };
}

fn main() {
    print_layout!(D3D12DDIARG_COMPILER_OPEN_DDI: hRTCompilerDDI hCompilerDDI pDDIFuncs);
    print_layout!(D3D12DDI_COMPILER_DDI_FUNCS:
        pfnDestroyCompilerDDI pfnGetSupportedVersions pfnSetSelectedVersion pfnFillDDITable pfnSetCallbackDDITable);
    print_layout!(D3D12DDI_COMPILER_TARGET: AdapterFamilyIndex ABIVersion);
}
