//! Interfaces implemented in Rust, called through their vtables.
#![allow(non_snake_case, reason = "the names are C's")]

use api_sys::{
    D3D12_COMPILER_CACHE_GROUP_KEY, D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE, E_NOINTERFACE,
    ID3D12Compiler, ID3D12CompilerFactoryChild, S_OK,
};
use windows_core::{IUnknown, Interface};

use crate::session::{TARGET, session};

#[test]
fn the_target_is_the_same_on_every_system() {
    // SAFETY: the object is a session.
    assert_eq!(unsafe { session().compiler_target() }, TARGET);
}

#[test]
fn methods_around_the_target_are_in_their_slots() {
    let session = session();
    let key = D3D12_COMPILER_CACHE_GROUP_KEY {
        pKey: std::ptr::null(),
        KeySize: 17,
    };
    let mut version = 0;
    // SAFETY: the object is a session; the key and the version live as long as the call.
    unsafe {
        assert_eq!(session.FindGroup(&raw const key, &raw mut version), S_OK);
        assert_eq!(
            session.GetValueTypes(),
            D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE
        );
        assert!((*session.GetApplicationDesc()).pName.is_null());
    }
    assert_eq!(version, 17);
}

#[test]
fn query_interface_finds_bases_and_nothing_else() {
    let session = session();
    assert_eq!(session.cast::<IUnknown>().unwrap(), session.clone().into());
    assert!(session.cast::<ID3D12CompilerFactoryChild>().is_ok());
    assert_eq!(
        session.cast::<ID3D12Compiler>().unwrap_err().code(),
        E_NOINTERFACE
    );
}

#[test]
fn an_inherited_method_reaches_the_implementation() {
    let mut factory: Option<IUnknown> = None;
    // SAFETY: the IID is that of the place for the result.
    let result = unsafe { session().GetFactory(&IUnknown::IID, (&raw mut factory).cast()) };
    assert_eq!(result, S_OK);
    assert!(factory.is_some());
}
