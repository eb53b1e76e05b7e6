//! The places where a defect can have a hook: towards the program the methods of the runtime's objects, and towards the plugin
//! the functions of the DDI, in both directions.

use std::ffi::c_void;
use std::mem;
use std::sync::OnceLock;

use api_sys::{S_OK, *};
use ddi_sys::{HRESULT as DDI_HRESULT, *};
use defects::{Place, given, places};
use windows_core::{GUID, HRESULT, Interface as _, Ref};

use crate::export::CreateFactory;
use crate::host::callbacks::GiveSession;
use crate::host::descriptions::Describe;
use crate::host::{self, callbacks, plugin};
use crate::{compiler, session};

/// The methods of the runtime's own objects, of which all of a class have the same.
pub(crate) static FACTORY: OnceLock<ID3D12CompilerFactory_Vtbl> = OnceLock::new();
pub(crate) static SESSION: OnceLock<ID3D12CompilerCacheSession_Vtbl> = OnceLock::new();
pub(crate) static COMPILER: OnceLock<ID3D12Compiler1_Vtbl> = OnceLock::new();
pub(crate) static OBJECT: OnceLock<ID3D12CompilerStateObject_Vtbl> = OnceLock::new();

/// Calls a method of the runtime's own.
macro_rules! com {
    ($class:ident.$($method:ident).+($($argument:expr),* $(,)?)) => {{
        let methods = $class.get().expect("set before a method is replaced");
        // SAFETY: this method was in the vtable of the object, and the arguments are those of the call, or a defect's.
        unsafe { (methods.$($method).+)($($argument),*) }
    }};
}

/// Calls a function of the plugin, or a callback of the runtime.
macro_rules! ddi {
    ($table:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let function = plugin().$table.$function.expect("neither side has null entries");
        // SAFETY: the arguments are those of the call, which are as the DDI demands, or a defect's.
        unsafe { function($($argument),*) }
    }};
}

places! {
    crate::LIBRARY;

    inner {
        CreateFactory -> HRESULT;
        CreateCompiler -> HRESULT;
        CompileAddition -> HRESULT;
        CompileAddition1 -> HRESULT;
        GetCompilerTarget -> D3D12_COMPILER_TARGET;
        GiveSession -> D3D12DDI_HRTCOMPILERCACHESESSION;
        Describe;
    }

    fn layer_factory(ID3D12CompilerFactory_Vtbl) by com(FACTORY) {
        AddRefFactory: base__.AddRef(this: *mut c_void) -> u32;
        ReleaseFactory: base__.Release(this: *mut c_void) -> u32;
        EnumerateFamilies: EnumerateAdapterFamilies(this: *mut c_void, index: u32, family: *mut D3D12_ADAPTER_FAMILY) -> HRESULT;
        EnumerateAbiVersions: EnumerateAdapterFamilyABIVersions(
            this: *mut c_void, family: u32, count: *mut u32, versions: *mut u64
        ) -> HRESULT;
        EnumerateCompilerVersion: EnumerateAdapterFamilyCompilerVersion(
            this: *mut c_void, family: u32, version: *mut D3D12_VERSION_NUMBER
        ) -> HRESULT;
        GetProfileVersion: GetApplicationProfileVersion(
            this: *mut c_void, target: *const D3D12_COMPILER_TARGET, application: *const D3D12_APPLICATION_DESC,
            version: *mut D3D12_VERSION_NUMBER
        ) -> HRESULT;
        CreateSession: CreateCompilerCacheSession(
            this: *mut c_void, paths: *const D3D12_COMPILER_DATABASE_PATH, count: u32, target: *const D3D12_COMPILER_TARGET,
            application: *const D3D12_APPLICATION_DESC, riid: *const GUID, place: *mut *mut c_void
        ) -> HRESULT, via session::create;
    }

    fn layer_session(ID3D12CompilerCacheSession_Vtbl) by com(SESSION) {
        GetFactory: base__.GetFactory(this: *mut c_void, riid: *const GUID, place: *mut *mut c_void) -> HRESULT;
        FindGroup: FindGroup(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY, version: *mut u32) -> HRESULT;
        FindGroupValueKeys: FindGroupValueKeys(
            this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY, expected: *const u32,
            callback: D3D12CompilerCacheSessionGroupValueKeysFunc, context: *mut c_void
        ) -> HRESULT;
        FindGroupValues: FindGroupValues(
            this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY, expected: *const u32, types: u32,
            callback: D3D12CompilerCacheSessionGroupValuesFunc, context: *mut c_void
        ) -> HRESULT;
        FindValue: FindValue(
            this: *mut c_void, key: *const D3D12_COMPILER_CACHE_VALUE_KEY, values: *mut D3D12_COMPILER_CACHE_TYPED_VALUE,
            count: u32, allocate: D3D12CompilerCacheSessionAllocationFunc, context: *mut c_void
        ) -> HRESULT;
        GetApplicationDesc: GetApplicationDesc(this: *mut c_void) -> *const D3D12_APPLICATION_DESC;
        GetValueTypes: GetValueTypes(this: *mut c_void) -> u32;
        StoreGroup: StoreGroupValueKeys(
            this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY, version: u32,
            keys: *const D3D12_COMPILER_CACHE_VALUE_KEY, count: u32
        ) -> HRESULT;
        StoreValue: StoreValue(
            this: *mut c_void, key: *const D3D12_COMPILER_CACHE_VALUE_KEY, values: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
            count: u32
        ) -> HRESULT;
    }

    fn layer_compiler(ID3D12Compiler1_Vtbl) by com(COMPILER) {
        QueryCompiler: base__.base__.base__.QueryInterface(
            this: *mut c_void, iid: *const GUID, place: *mut *mut c_void
        ) -> HRESULT;
        GetCacheSession: base__.GetCacheSession(this: *mut c_void, riid: *const GUID, place: *mut *mut c_void) -> HRESULT;
        CompilePipelineState: base__.CompilePipelineState(
            this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY, version: u32,
            desc: *const D3D12_PIPELINE_STATE_STREAM_DESC
        ) -> HRESULT;
        CompileStateObject: base__.CompileStateObject(
            this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY, version: u32, desc: *const D3D12_STATE_OBJECT_DESC,
            riid: *const GUID, place: *mut *mut c_void
        ) -> HRESULT, via compiler::compile_state_object;
        CompilePipelineState1: CompilePipelineState1(
            this: *mut c_void, keys: *const D3D12_COMPILER_CACHE_GROUP_KEY, versions: *const u32, count: u32,
            desc: *const D3D12_PIPELINE_STATE_STREAM_DESC
        ) -> HRESULT;
        CompileStateObject1: CompileStateObject1(
            this: *mut c_void, keys: *const D3D12_COMPILER_CACHE_GROUP_KEY, versions: *const u32, count: u32,
            desc: *const D3D12_STATE_OBJECT_DESC, riid: *const GUID, place: *mut *mut c_void
        ) -> HRESULT;
    }

    fn layer_object(ID3D12CompilerStateObject_Vtbl) by com(OBJECT) {
        GetCompiler: GetCompiler(this: *mut c_void, riid: *const GUID, place: *mut *mut c_void) -> HRESULT;
    }

    fn layer_ddi(D3D12DDI_COMPILER_DDI_FUNCS) by ddi(base) {
        DestroyDdi: pfnDestroyCompilerDDI(handle: D3D12DDI_HCOMPILERDDI);
        GetVersions: pfnGetSupportedVersions(handle: D3D12DDI_HCOMPILERDDI, count: *mut u32, versions: *mut u64) -> DDI_HRESULT;
        SetVersion: pfnSetSelectedVersion(handle: D3D12DDI_HCOMPILERDDI, version: u64, usermode: u64) -> DDI_HRESULT,
            of host::asked;
        FillTable: pfnFillDDITable(
            handle: D3D12DDI_HCOMPILERDDI, kind: D3D12DDI_COMPILER_TABLE_TYPE, table: *mut c_void, size: SIZE_T
        ) -> DDI_HRESULT, via host::fill_table;
        SetCallbacks: pfnSetCallbackDDITable(
            handle: D3D12DDI_HCOMPILERDDI, kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE, table: *const c_void, size: SIZE_T
        ) -> DDI_HRESULT, via host::set_callbacks, of host::asked;
    }

    fn layer_capabilities(D3D12DDI_COMPILER_CAPABILITIES_FUNCS) by ddi(capabilities) {
        GetAbiVersions: pfnGetAdapterFamilyABIVersions(
            handle: D3D12DDI_HCOMPILERDDI, family: UINT, count: *mut UINT, versions: *mut u64
        ) -> DDI_HRESULT;
        AskProfileVersion: pfnGetApplicationProfileVersion(
            handle: D3D12DDI_HCOMPILERDDI, target: *const D3D12DDI_COMPILER_TARGET,
            application: *const D3D12DDI_APPLICATION_DESC, version: *mut D3D12DDI_VERSION_NUMBER
        ) -> DDI_HRESULT, of host::asked_for_target;
    }

    fn layer_functions(D3D12DDI_COMPILER_FUNCS) by ddi(compiler) {
        CalcSize: pfnCalcPrivateCompilerSize(
            target: *const D3D12DDI_COMPILER_TARGET, application: *const D3D12DDI_APPLICATION_DESC
        ) -> SIZE_T;
        Create: pfnCreateCompiler(
            target: *const D3D12DDI_COMPILER_TARGET, application: *const D3D12DDI_APPLICATION_DESC,
            compiler: D3D12DDI_HCOMPILER, runtime: D3D12DDI_HRTCOMPILER
        ) -> DDI_HRESULT;
        Destroy: pfnDestroyCopiler(compiler: D3D12DDI_HCOMPILER);
        Pipeline: pfnCompilePipelineState(
            compiler: D3D12DDI_HCOMPILER, session: D3D12DDI_HRTCOMPILERCACHESESSION, flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
            desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099
        ) -> DDI_HRESULT, via callbacks::compile_pipeline;
        CalcObjectSize: pfnCalcPrivateStateObjectSize(
            compiler: D3D12DDI_HCOMPILER, desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054
        ) -> SIZE_T, via host::calc_object_size;
        CalcAdditionSize: pfnCalcPrivateAddToStateObjectSize(
            compiler: D3D12DDI_HCOMPILER, desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054, parent: D3D12DDI_HCOMPILERSTATEOBJECT
        ) -> SIZE_T, via host::calc_addition_size;
        Object: pfnCompileCreateStateObject(
            compiler: D3D12DDI_HCOMPILER, session: D3D12DDI_HRTCOMPILERCACHESESSION, flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
            desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054, object: D3D12DDI_HCOMPILERSTATEOBJECT
        ) -> DDI_HRESULT, via callbacks::compile_object;
        Addition: pfnCompileAddToStateObject(
            compiler: D3D12DDI_HCOMPILER, session: D3D12DDI_HRTCOMPILERCACHESESSION, flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
            desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054, parent: D3D12DDI_HCOMPILERSTATEOBJECT,
            object: D3D12DDI_HCOMPILERSTATEOBJECT
        ) -> DDI_HRESULT, via callbacks::compile_addition;
        DestroyObject: pfnDestroyStateObject(compiler: D3D12DDI_HCOMPILER, object: D3D12DDI_HCOMPILERSTATEOBJECT);
    }

    fn layer_callbacks(D3D12DDI_COMPILER_CACHE_CALLBACKS) by ddi(callbacks) {
        Find: pfnCompilerCacheFindValue(
            session: D3D12DDI_HRTCOMPILERCACHESESSION, key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
            values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE, count: UINT, allocate: PFND3D12DDI_COMPILER_ALLOCATION,
            context: *mut c_void
        ) -> DDI_HRESULT, via callbacks::find;
        Store: pfnCompilerCacheStoreValue(
            session: D3D12DDI_HRTCOMPILERCACHESESSION, key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
            values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, count: UINT
        ) -> DDI_HRESULT, via callbacks::store;
        SetKeys: pfnCompilerCacheSetObjectValueKeys(
            session: D3D12DDI_HRTCOMPILERCACHESESSION, keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY, count: UINT
        ) -> DDI_HRESULT, via callbacks::set_keys;
    }
}

// What takes a `Ref`, which is a pointer, or returns a structure, as each system does in its own way.

pub(crate) struct CreateCompiler {
    pub(crate) this: *mut c_void,
    pub(crate) session: *mut c_void,
    pub(crate) riid: *const GUID,
    pub(crate) place: *mut *mut c_void,
}

impl Place for CreateCompiler {
    type Answer = HRESULT;

    fn pass(&mut self) -> HRESULT {
        let Self {
            this,
            session,
            riid,
            place,
        } = *self;
        let result = com!(FACTORY.CreateCompiler(this, mem::transmute_copy(&session), riid, place));
        if result == S_OK && given(riid) == Some(&ID3D12Compiler::IID) {
            compiler::created(place);
        }
        result
    }
}

pub(crate) unsafe extern "system" fn create_compiler(
    this: *mut c_void,
    session: Ref<ID3D12CompilerCacheSession>,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    // SAFETY: a Ref is the pointer.
    let session = unsafe { mem::transmute_copy(&session) };
    CreateCompiler {
        this,
        session,
        riid,
        place,
    }
    .hooked()
}

pub(crate) struct CompileAddition {
    pub(crate) this: *mut c_void,
    pub(crate) key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    pub(crate) version: u32,
    pub(crate) addition: *const D3D12_STATE_OBJECT_DESC,
    pub(crate) parent: *mut c_void,
    pub(crate) riid: *const GUID,
    pub(crate) place: *mut *mut c_void,
}

impl Place for CompileAddition {
    type Answer = HRESULT;

    fn pass(&mut self) -> HRESULT {
        let Self {
            this,
            key,
            version,
            addition,
            parent,
            riid,
            place,
        } = *self;
        let result = com!(COMPILER.base__.CompileAddToStateObject(
            this,
            key,
            version,
            addition,
            mem::transmute_copy(&parent),
            riid,
            place
        ));
        compiler::grown(result, place);
        compiler::made(result, riid, place);
        result
    }
}

pub(crate) unsafe extern "system" fn compile_addition(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    version: u32,
    addition: *const D3D12_STATE_OBJECT_DESC,
    parent: Ref<ID3D12CompilerStateObject>,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    // SAFETY: a Ref is the pointer.
    let parent = unsafe { mem::transmute_copy(&parent) };
    CompileAddition {
        this,
        key,
        version,
        addition,
        parent,
        riid,
        place,
    }
    .hooked()
}

pub(crate) struct CompileAddition1 {
    pub(crate) this: *mut c_void,
    pub(crate) keys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    pub(crate) versions: *const u32,
    pub(crate) count: u32,
    addition: *const D3D12_STATE_OBJECT_DESC,
    parent: *mut c_void,
    riid: *const GUID,
    place: *mut *mut c_void,
}

impl Place for CompileAddition1 {
    type Answer = HRESULT;

    fn pass(&mut self) -> HRESULT {
        let Self {
            this,
            keys,
            versions,
            count,
            addition,
            parent,
            riid,
            place,
        } = *self;
        com!(COMPILER.CompileAddToStateObject1(
            this,
            keys,
            versions,
            count,
            addition,
            mem::transmute_copy(&parent),
            riid,
            place
        ))
    }
}

pub(crate) unsafe extern "system" fn compile_addition1(
    this: *mut c_void,
    keys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    versions: *const u32,
    count: u32,
    addition: *const D3D12_STATE_OBJECT_DESC,
    parent: Ref<ID3D12CompilerStateObject>,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    // SAFETY: a Ref is the pointer.
    let parent = unsafe { mem::transmute_copy(&parent) };
    CompileAddition1 {
        this,
        keys,
        versions,
        count,
        addition,
        parent,
        riid,
        place,
    }
    .hooked()
}

pub(crate) struct GetCompilerTarget {
    pub(crate) this: *mut c_void,
}

impl Place for GetCompilerTarget {
    type Answer = D3D12_COMPILER_TARGET;

    #[cfg(windows)]
    fn pass(&mut self) -> D3D12_COMPILER_TARGET {
        let mut target = D3D12_COMPILER_TARGET::default();
        com!(SESSION.GetCompilerTarget(self.this, &raw mut target));
        target
    }

    #[cfg(not(windows))]
    fn pass(&mut self) -> D3D12_COMPILER_TARGET {
        com!(SESSION.GetCompilerTarget(self.this))
    }
}

#[cfg(windows)]
pub(crate) unsafe extern "system" fn get_compiler_target(
    this: *mut c_void,
    place: *mut D3D12_COMPILER_TARGET,
) -> *mut D3D12_COMPILER_TARGET {
    // SAFETY: the caller's compiler reserves the place of the result.
    unsafe { place.write(GetCompilerTarget { this }.hooked()) };
    place
}

#[cfg(not(windows))]
pub(crate) unsafe extern "system" fn get_compiler_target(
    this: *mut c_void,
) -> D3D12_COMPILER_TARGET {
    GetCompilerTarget { this }.hooked()
}
