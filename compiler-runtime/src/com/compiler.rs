//! `ID3D12Compiler1` and `ID3D12CompilerStateObject`.

use std::ffi::c_void;

use api_desc::PipelineStateDesc;
use api_sys::{
    D3D12_COMPILER_CACHE_GROUP_KEY, D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_STATE_OBJECT_DESC,
    ID3D12Compiler, ID3D12Compiler_Impl, ID3D12Compiler1, ID3D12Compiler1_Impl,
    ID3D12CompilerFactoryChild, ID3D12CompilerFactoryChild_Impl, ID3D12CompilerStateObject,
    ID3D12CompilerStateObject_Impl, S_OK,
};
use windows_core::{ComObject, GUID, HRESULT, IUnknown, IUnknownImpl, Interface, Ref, implement};

use super::cache_session::ComCacheSession;
use super::factory::ComFactory;
use super::{IOfLibrary, IOfLibrary_Impl, Owned, arguments, call, give, library, log, own};
use crate::desc::state_object;
use crate::message::Messages;
use crate::{Compiler, Error, Group, StateObject};

#[implement(ID3D12Compiler1)]
pub(super) struct ComCompiler {
    compiler: Owned<Compiler>,
    session: ComObject<ComCacheSession>,
    factory: ComObject<ComFactory>,
}

#[implement(ID3D12CompilerStateObject, IOfLibrary)]
pub(super) struct ComStateObject {
    object: Owned<StateObject>,
    compiler: ComObject<ComCompiler>,
}

impl ComCompiler {
    pub(super) const IIDS: [GUID; 4] = [
        IUnknown::IID,
        ID3D12CompilerFactoryChild::IID,
        ID3D12Compiler::IID,
        ID3D12Compiler1::IID,
    ];

    pub(super) fn new(
        compiler: Compiler,
        factory: ComObject<ComFactory>,
        session: ComObject<ComCacheSession>,
    ) -> Self {
        Self {
            compiler: Owned::new(compiler),
            session,
            factory,
        }
    }
}

impl ComStateObject {
    const IIDS: [GUID; 2] = [IUnknown::IID, ID3D12CompilerStateObject::IID];
}

impl ID3D12CompilerFactoryChild_Impl for ComCompiler_Impl {
    unsafe fn GetFactory(&self, riid: *const GUID, ppCompilerFactory: *mut *mut c_void) -> HRESULT {
        call("GetFactory", || {
            let factory = || Ok(self.factory.to_interface::<IUnknown>());
            // SAFETY: the API's contract.
            unsafe { give(riid, ppCompilerFactory, &ComFactory::IIDS, factory) }
        })
    }
}

/// Keys and their versions.
///
/// # Safety
///
/// Both arrays are null or have `count` elements; the keys are null or what the API says, valid for
/// `'a`.
unsafe fn groups<'a>(
    keys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    versions: *const u32,
    count: u32,
) -> Result<Vec<Group<'a>>, Error> {
    // SAFETY: `keys` and `versions` are null or to `count` elements that are valid for `'a` (`# Safety`).
    let (keys, versions) = unsafe {
        (
            arguments::array("pGroupKeys", keys, count)?,
            arguments::array("pVersions", versions, count)?,
        )
    };
    let group = |(key, version): (&D3D12_COMPILER_CACHE_GROUP_KEY, &u32)| {
        // SAFETY: `key` is an element, and its `pKey` is null or to `KeySize` bytes that are valid for `'a` (`# Safety`).
        Ok((unsafe { arguments::group_key(key) }?, *version))
    };
    keys.iter().zip(versions).map(group).collect()
}

/// The state object behind a pointer.
fn object_of(object: &ID3D12CompilerStateObject) -> Option<StateObject> {
    let object = own::<ComStateObject>(object)?;
    Some(StateObject::clone(&object.object))
}

/// The state object behind a pointer in a description.
fn collection(pointer: *mut c_void) -> Option<StateObject> {
    // SAFETY: the pointer is null or, as the API says, to a live state object.
    unsafe { ID3D12CompilerStateObject::from_raw_borrowed(&pointer) }.and_then(object_of)
}

impl ID3D12Compiler_Impl for ComCompiler_Impl {
    unsafe fn CompilePipelineState(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        GroupVersion: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT {
        call("CompilePipelineState", || {
            // SAFETY: the API's contract.
            let group = (unsafe { arguments::group_key(pGroupKey) }?, GroupVersion);
            // SAFETY: the API's contract.
            unsafe { self.pipeline_state("CompilePipelineState", &[group], pDesc) }?;
            Ok(S_OK)
        })
    }

    unsafe fn CompileStateObject(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        GroupVersion: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        riid: *const GUID,
        ppCompilerStateObject: *mut *mut c_void,
    ) -> HRESULT {
        call("CompileStateObject", || {
            let make = || {
                // SAFETY: the API's contract.
                let group = (unsafe { arguments::group_key(pGroupKey) }?, GroupVersion);
                // SAFETY: the API's contract.
                Ok(unsafe { self.state_object("CompileStateObject", &[group], pDesc, None) }?)
            };
            // SAFETY: the API's contract.
            unsafe { give(riid, ppCompilerStateObject, &ComStateObject::IIDS, make) }
        })
    }

    unsafe fn CompileAddToStateObject(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        GroupVersion: u32,
        pAddition: *const D3D12_STATE_OBJECT_DESC,
        pCompilerStateObjectToGrowFrom: Ref<ID3D12CompilerStateObject>,
        riid: *const GUID,
        ppNewCompilerStateObject: *mut *mut c_void,
    ) -> HRESULT {
        let name = "CompileAddToStateObject";
        call(name, || {
            let make = || {
                // SAFETY: the API's contract.
                let group = (unsafe { arguments::group_key(pGroupKey) }?, GroupVersion);
                let grow_from = grow_from(&pCompilerStateObjectToGrowFrom)?;
                // SAFETY: the API's contract.
                Ok(unsafe { self.state_object(name, &[group], pAddition, Some(&grow_from)) }?)
            };
            // SAFETY: the API's contract.
            unsafe { give(riid, ppNewCompilerStateObject, &ComStateObject::IIDS, make) }
        })
    }

    unsafe fn GetCacheSession(
        &self,
        riid: *const GUID,
        ppCompilerCacheSession: *mut *mut c_void,
    ) -> HRESULT {
        call("GetCacheSession", || {
            let session = || Ok(self.session.to_interface::<IUnknown>());
            // SAFETY: the API's contract.
            unsafe {
                give(
                    riid,
                    ppCompilerCacheSession,
                    &ComCacheSession::IIDS,
                    session,
                )
            }
        })
    }
}

impl ID3D12Compiler1_Impl for ComCompiler_Impl {
    unsafe fn CompilePipelineState1(
        &self,
        pGroupKeys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT {
        call("CompilePipelineState1", || {
            // SAFETY: the API's contract.
            let groups = unsafe { groups(pGroupKeys, pVersions, NumGroupKeys) }?;
            // SAFETY: the API's contract.
            unsafe { self.pipeline_state("CompilePipelineState1", &groups, pDesc) }?;
            Ok(S_OK)
        })
    }

    unsafe fn CompileStateObject1(
        &self,
        pGroupKeys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        riid: *const GUID,
        ppCompilerStateObject: *mut *mut c_void,
    ) -> HRESULT {
        call("CompileStateObject1", || {
            let make = || {
                // SAFETY: the API's contract.
                let groups = unsafe { groups(pGroupKeys, pVersions, NumGroupKeys) }?;
                // SAFETY: the API's contract.
                Ok(unsafe { self.state_object("CompileStateObject1", &groups, pDesc, None) }?)
            };
            // SAFETY: the API's contract.
            unsafe { give(riid, ppCompilerStateObject, &ComStateObject::IIDS, make) }
        })
    }

    unsafe fn CompileAddToStateObject1(
        &self,
        pGroupKeys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pAddition: *const D3D12_STATE_OBJECT_DESC,
        pCompilerStateObjectToGrowFrom: Ref<ID3D12CompilerStateObject>,
        riid: *const GUID,
        ppNewCompilerStateObject: *mut *mut c_void,
    ) -> HRESULT {
        let name = "CompileAddToStateObject1";
        call(name, || {
            let make = || {
                // SAFETY: the API's contract.
                let groups = unsafe { groups(pGroupKeys, pVersions, NumGroupKeys) }?;
                let grow_from = grow_from(&pCompilerStateObjectToGrowFrom)?;
                // SAFETY: the API's contract.
                Ok(unsafe { self.state_object(name, &groups, pAddition, Some(&grow_from)) }?)
            };
            // SAFETY: the API's contract.
            unsafe { give(riid, ppNewCompilerStateObject, &ComStateObject::IIDS, make) }
        })
    }
}

fn grow_from(object: &Ref<ID3D12CompilerStateObject>) -> Result<StateObject, Error> {
    let object = object.as_ref().and_then(object_of);
    object.ok_or_else(|| {
        Error::argument("the state object to grow from is null or not of this library")
    })
}

impl ComCompiler_Impl {
    /// # Safety
    ///
    /// `desc` is null or what the API says.
    unsafe fn pipeline_state(
        &self,
        name: &'static str,
        groups: &[Group<'_>],
        desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> Result<(), Error> {
        let mut messages = Messages::default();
        // SAFETY: the API's contract: what the description points at is readable for the call.
        let read = unsafe { PipelineStateDesc::borrow_raw(desc) };
        let result = match read {
            Ok((desc, places)) => {
                let compiler = &self.compiler;
                compiler.compile_pipeline_state(groups, &desc, &places, &mut messages)
            }
            Err(invalid) => Err(messages.refuse(invalid.into()).into()),
        };
        log(name, &messages, &result);
        result
    }

    /// # Safety
    ///
    /// As for [`pipeline_state`](Self::pipeline_state).
    unsafe fn state_object(
        &self,
        name: &'static str,
        groups: &[Group<'_>],
        desc: *const D3D12_STATE_OBJECT_DESC,
        grow_from: Option<&StateObject>,
    ) -> Result<ComStateObject, Error> {
        let mut messages = Messages::default();
        let compiler = &*self.compiler;
        // SAFETY: the API's contract: what the description points at is readable for the call.
        let read = unsafe { state_object::read(desc, collection) };
        let result = match (read, grow_from) {
            (Ok(desc), None) => compiler.compile_state_object(groups, desc, &mut messages),
            (Ok(desc), Some(object)) => {
                compiler.compile_add_to_state_object(groups, desc, object, &mut messages)
            }
            (Err(invalid), grow_from) => {
                Err(state_object::refuse(invalid, grow_from.is_some(), &mut messages).into())
            }
        };
        log(name, &messages, &result);
        Ok(ComStateObject {
            object: Owned::new(result?),
            compiler: self.to_object(),
        })
    }
}

impl ID3D12CompilerStateObject_Impl for ComStateObject_Impl {
    unsafe fn GetCompiler(&self, riid: *const GUID, ppCompiler: *mut *mut c_void) -> HRESULT {
        call("GetCompiler", || {
            let compiler = || Ok(self.compiler.to_interface::<IUnknown>());
            // SAFETY: the API's contract.
            unsafe { give(riid, ppCompiler, &ComCompiler::IIDS, compiler) }
        })
    }
}

impl IOfLibrary_Impl for ComStateObject_Impl {
    unsafe fn Library(&self) -> usize {
        library()
    }
}
