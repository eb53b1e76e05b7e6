//! Prints the IIDs of the compiler API and of state object databases: to compare with those of a header.

use api_sys::{
    ID3D12Compiler, ID3D12Compiler1, ID3D12CompilerCacheSession, ID3D12CompilerFactory,
    ID3D12CompilerFactoryChild, ID3D12CompilerStateObject, ID3D12StateObjectDatabase,
    ID3D12StateObjectDatabaseFactory,
};
use windows_core::Interface as _;

macro_rules! print_iids {
    ($($interface:ident)*) => { $(println!("{:?} {}", $interface::IID, stringify!($interface));)* };
}

fn main() {
    print_iids!(
        ID3D12CompilerFactoryChild ID3D12CompilerFactory ID3D12CompilerCacheSession ID3D12CompilerStateObject
        ID3D12Compiler ID3D12Compiler1 ID3D12StateObjectDatabaseFactory ID3D12StateObjectDatabase
    );
}
