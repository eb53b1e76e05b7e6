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
            // SAFETY: `riid` is null or to a GUID, `ppCompilerFactory` null or to a pointer.
            unsafe { give(riid, ppCompilerFactory, &ComFactory::IIDS, factory) }
        })
    }
}

/// The keys of groups and their versions, as a method takes them.
#[derive(Clone, Copy)]
enum GroupKeys {
    One(*const D3D12_COMPILER_CACHE_GROUP_KEY, u32),
    Many(*const D3D12_COMPILER_CACHE_GROUP_KEY, *const u32, u32),
}

impl GroupKeys {
    /// # Safety
    ///
    /// Each pointer is null or to one element, of `Many` to as many as the count says. `pKey` of each key is null or to `KeySize`
    /// bytes. All are valid and unchanged for `'a`.
    unsafe fn read<'a>(self) -> Result<Vec<Group<'a>>, Error> {
        match self {
            // SAFETY: `key` is null or to a key, whose `pKey` is null or to `KeySize` bytes (`# Safety`).
            Self::One(key, version) => Ok(vec![(unsafe { arguments::group_key(key) }?, version)]),
            Self::Many(keys, versions, count) => {
                // SAFETY: `keys` and `versions` are null or to `count` elements (`# Safety`).
                let (keys, versions) = unsafe {
                    (
                        arguments::array("pGroupKeys", keys, count)?,
                        arguments::array("pVersions", versions, count)?,
                    )
                };
                let group = |(key, version): (&D3D12_COMPILER_CACHE_GROUP_KEY, &u32)| {
                    // SAFETY: `key` is an element, and its `pKey` is null or to `KeySize` bytes (`# Safety`).
                    Ok((unsafe { arguments::group_key(key) }?, *version))
                };
                keys.iter().zip(versions).map(group).collect()
            }
        }
    }
}

/// The state object behind a pointer.
fn object_of(object: &ID3D12CompilerStateObject) -> Option<StateObject> {
    let object = own::<ComStateObject>(object)?;
    Some(StateObject::clone(&object.object))
}

/// The state object behind a pointer in a description.
fn collection(pointer: *mut c_void) -> Option<StateObject> {
    // SAFETY: `pExistingCollection` of D3D12_COMPILER_EXISTING_COLLECTION_DESC is null or to a live
    // ID3D12CompilerStateObject (`# Safety` of api-sys); `read` gives no other addresses.
    unsafe { ID3D12CompilerStateObject::from_raw_borrowed(&pointer) }.and_then(object_of)
}

impl ID3D12Compiler_Impl for ComCompiler_Impl {
    unsafe fn CompilePipelineState(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        GroupVersion: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT {
        let groups = GroupKeys::One(pGroupKey, GroupVersion);
        // SAFETY: key and description are null or what their types say, with all that they point at (`# Safety` of api-sys).
        unsafe { self.pipeline_state("CompilePipelineState", groups, pDesc) }
    }

    unsafe fn CompileStateObject(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        GroupVersion: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        riid: *const GUID,
        ppCompilerStateObject: *mut *mut c_void,
    ) -> HRESULT {
        let groups = GroupKeys::One(pGroupKey, GroupVersion);
        let (name, place) = ("CompileStateObject", ppCompilerStateObject);
        // SAFETY: key, description, IID and place are null or what their types say, with all that they point at (`# Safety` of
        // api-sys).
        unsafe { self.state_object(name, groups, pDesc, None, riid, place) }
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
        let groups = GroupKeys::One(pGroupKey, GroupVersion);
        let (name, place) = ("CompileAddToStateObject", ppNewCompilerStateObject);
        let grow_from = Some(&pCompilerStateObjectToGrowFrom);
        // SAFETY: key, description, IID and place are null or what their types say, with all that they point at (`# Safety` of
        // api-sys).
        unsafe { self.state_object(name, groups, pAddition, grow_from, riid, place) }
    }

    unsafe fn GetCacheSession(
        &self,
        riid: *const GUID,
        ppCompilerCacheSession: *mut *mut c_void,
    ) -> HRESULT {
        call("GetCacheSession", || {
            let session = || Ok(self.session.to_interface::<IUnknown>());
            let (place, iids) = (ppCompilerCacheSession, &ComCacheSession::IIDS);
            // SAFETY: `riid` is null or to a GUID, `ppCompilerCacheSession` null or to a pointer.
            unsafe { give(riid, place, iids, session) }
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
        let groups = GroupKeys::Many(pGroupKeys, pVersions, NumGroupKeys);
        // SAFETY: the arrays are null or have `NumGroupKeys` elements, the description is null or what its type says, each with
        // all that it points at (`# Safety` of api-sys).
        unsafe { self.pipeline_state("CompilePipelineState1", groups, pDesc) }
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
        let groups = GroupKeys::Many(pGroupKeys, pVersions, NumGroupKeys);
        let (name, place) = ("CompileStateObject1", ppCompilerStateObject);
        // SAFETY: the arrays are null or have `NumGroupKeys` elements; description, IID and place are null or what their types say,
        // each with all that it points at (`# Safety` of api-sys).
        unsafe { self.state_object(name, groups, pDesc, None, riid, place) }
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
        let groups = GroupKeys::Many(pGroupKeys, pVersions, NumGroupKeys);
        let (name, place) = ("CompileAddToStateObject1", ppNewCompilerStateObject);
        let grow_from = Some(&pCompilerStateObjectToGrowFrom);
        // SAFETY: the arrays are null or have `NumGroupKeys` elements; description, IID and place are null or what their types say,
        // each with all that it points at (`# Safety` of api-sys).
        unsafe { self.state_object(name, groups, pAddition, grow_from, riid, place) }
    }
}

fn grow_from(object: &Ref<ID3D12CompilerStateObject>) -> Result<StateObject, Error> {
    let object = object.as_ref().and_then(object_of);
    object.ok_or_else(|| {
        Error::argument("the state object to grow from is null or not of this library")
    })
}

impl ComCompiler_Impl {
    /// Compiles a pipeline and stores it as each group.
    ///
    /// # Safety
    ///
    /// As for [`GroupKeys::read`]. `desc` is null or to a description. What it points at is readable and unchanged for the call.
    unsafe fn pipeline_state(
        &self,
        name: &'static str,
        groups: GroupKeys,
        desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT {
        call(name, || {
            // SAFETY: keys and versions are null or as many as their count, for the call (`# Safety`).
            let groups = unsafe { groups.read() }?;
            let mut messages = Messages::default();
            // SAFETY: `desc` is null, or what it points at is readable and unchanged for the call (`# Safety`).
            let read = unsafe { PipelineStateDesc::borrow_raw(desc) };
            let result = match read {
                Ok((desc, places)) => {
                    let compiler = &self.compiler;
                    compiler.compile_pipeline_state(&groups, &desc, &places, &mut messages)
                }
                Err(invalid) => Err(messages.refuse(invalid.into()).into()),
            };
            log(name, &messages, &result);
            result?;
            Ok(S_OK)
        })
    }

    /// Compiles a state object, or an addition to `grow_from`, stores it as each group, and returns it at `place` as `riid`.
    ///
    /// # Safety
    ///
    /// As for [`pipeline_state`](Self::pipeline_state). `riid` is null or to a GUID, `place` null or to a pointer.
    unsafe fn state_object(
        &self,
        name: &'static str,
        groups: GroupKeys,
        desc: *const D3D12_STATE_OBJECT_DESC,
        to_grow_from: Option<&Ref<ID3D12CompilerStateObject>>,
        riid: *const GUID,
        place: *mut *mut c_void,
    ) -> HRESULT {
        let make = || {
            // SAFETY: keys and versions are null or as many as their count, for the call (`# Safety`).
            let groups = unsafe { groups.read() }?;
            let grow_from = to_grow_from.map(grow_from).transpose()?;
            let mut messages = Messages::default();
            let compiler = &*self.compiler;
            // SAFETY: `desc` is null, or what it points at is readable and unchanged for the call (`# Safety`).
            let read = unsafe { state_object::read(desc, collection) };
            let result = match (read, &grow_from) {
                (Ok(desc), None) => compiler.compile_state_object(&groups, desc, &mut messages),
                (Ok(desc), Some(object)) => {
                    compiler.compile_add_to_state_object(&groups, desc, object, &mut messages)
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
        };
        call(name, || {
            // SAFETY: `riid` is null or to a GUID, `place` null or to a pointer (`# Safety`).
            unsafe { give(riid, place, &ComStateObject::IIDS, make) }
        })
    }
}

impl ID3D12CompilerStateObject_Impl for ComStateObject_Impl {
    unsafe fn GetCompiler(&self, riid: *const GUID, ppCompiler: *mut *mut c_void) -> HRESULT {
        call("GetCompiler", || {
            let compiler = || Ok(self.compiler.to_interface::<IUnknown>());
            // SAFETY: `riid` is null or to a GUID, `ppCompiler` null or to a pointer.
            unsafe { give(riid, ppCompiler, &ComCompiler::IIDS, compiler) }
        })
    }
}

impl IOfLibrary_Impl for ComStateObject_Impl {
    unsafe fn Library(&self) -> usize {
        library()
    }
}
