//! The places where a defect can have a hook: the functions of the DDI, and what the layer does between them.

use std::ffi::c_void;

use base_plugin::{SLOTS, call, per_slot};
use ddi_sys::*;
use defects::{Place, places};

use crate::compile::{Compile, Handle, Host, Key};
use crate::layer;
use crate::open::OpenPlugin;
use crate::state_object::{Make, ObjectCall};
use crate::{compile, compiler, open, state_object, tables};

/// What a call gets of a plugin that lacks the function.
trait Lacking {
    const ANSWER: Self;
}

impl Lacking for () {
    const ANSWER: Self = ();
}

impl Lacking for SIZE_T {
    const ANSWER: Self = 0;
}

impl Lacking for BOOL {
    const ANSWER: Self = FALSE;
}

impl Lacking for HRESULT {
    const ANSWER: Self = E_UNEXPECTED;
}

/// Calls a function of the base for one of its opens.
macro_rules! of_open {
    ($table:ident.$function:ident($handle:expr $(, $argument:expr)* $(,)?)) => {{
        let open = layer::of($handle);
        call!(open.$table.$function($handle $(, $argument)*) else Lacking::ANSWER)
    }};
}

/// Calls a function of the base for the open in a slot.
macro_rules! of_slot {
    ($slot:expr, $table:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let open = layer::in_slot($slot);
        call!(open.$table.$function($($argument),*) else Lacking::ANSWER)
    }};
}

/// Calls a callback of the host of the open in a slot. Only a defect has the base call one that is not there.
macro_rules! of_host {
    ($slot:expr, $function:ident($($argument:expr),* $(,)?)) => {{
        let host = Host { slot: $slot }.hooked();
        call!(host.$function($($argument),*) else ddi_sys::S_OK)
    }};
}

places! {
    crate::defect::ACTING;

    inner {
        OpenPlugin -> HRESULT;
        CompilerCall;
        ObjectCall;
        Make -> HRESULT, of Make::about;
        Compile -> HRESULT, of Compile::about;
        Key, of Key::about;
        Handle -> D3D12DDI_HRTCOMPILERCACHESESSION, of Handle::about;
        Host -> D3D12DDI_COMPILER_CACHE_CALLBACKS;
    }

    fn layer_open(D3D12DDI_COMPILER_DDI_FUNCS) by of_open(base) {
        DestroyDdi: pfnDestroyCompilerDDI(handle: D3D12DDI_HCOMPILERDDI), via open::destroy, of DestroyDdi::about;
        GetVersions: pfnGetSupportedVersions(handle: D3D12DDI_HCOMPILERDDI, count: *mut u32, array: *mut u64) -> HRESULT,
            of GetVersions::about;
        SetVersion: pfnSetSelectedVersion(handle: D3D12DDI_HCOMPILERDDI, version: u64, usermode: u64) -> HRESULT,
            via open::set_version, of SetVersion::about;
        FillTable: pfnFillDDITable(
            handle: D3D12DDI_HCOMPILERDDI, kind: D3D12DDI_COMPILER_TABLE_TYPE, table: *mut c_void, size: SIZE_T
        ) -> HRESULT, via tables::fill, of FillTable::about;
        SetCallbacks: pfnSetCallbackDDITable(
            handle: D3D12DDI_HCOMPILERDDI, kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE, table: *const c_void, size: SIZE_T
        ) -> HRESULT, via tables::set_callbacks;
    }

    fn layer_capabilities(D3D12DDI_COMPILER_CAPABILITIES_FUNCS) by of_open(capabilities) {
        GetCaps: pfnGetCaps(
            handle: D3D12DDI_HCOMPILERDDI, target: *const D3D12DDI_COMPILER_TARGET,
            application: *const D3D12DDI_APPLICATION_DESC, caps: *const D3D12DDIARG_GETCAPS
        ) -> HRESULT, via crate::caps::get_caps, of GetCaps::about;
        EnumerateFamilies: pfnEnumerateAdapterFamilies(
            handle: D3D12DDI_HCOMPILERDDI, family: UINT, place: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY
        ) -> HRESULT, via crate::families::enumerate, of EnumerateFamilies::about;
        GetAbiVersions: pfnGetAdapterFamilyABIVersions(
            handle: D3D12DDI_HCOMPILERDDI, family: UINT, count: *mut UINT, array: *mut u64
        ) -> HRESULT, of GetAbiVersions::about;
        GetCompilerVersion: pfnGetCompilerVersion(
            handle: D3D12DDI_HCOMPILERDDI, family: UINT, version: *mut D3D12DDI_VERSION_NUMBER
        ) -> HRESULT;
        GetProfile: pfnGetApplicationProfileVersion(
            handle: D3D12DDI_HCOMPILERDDI, target: *const D3D12DDI_COMPILER_TARGET,
            application: *const D3D12DDI_APPLICATION_DESC, version: *mut D3D12DDI_VERSION_NUMBER
        ) -> HRESULT, via crate::families::get_profile, of GetProfile::about;
        CheckFormat: pfnCheckFormatSupport(
            handle: D3D12DDI_HCOMPILERDDI, target: *const D3D12DDI_COMPILER_TARGET, format: DXGI_FORMAT, support: *mut UINT
        ) -> HRESULT, of CheckFormat::about;
        CheckSamples: pfnCheckMultisampleQualityLevels(
            handle: D3D12DDI_HCOMPILERDDI, target: *const D3D12DDI_COMPILER_TARGET, format: DXGI_FORMAT, samples: UINT, level: UINT
        ) -> BOOL, of CheckSamples::about;
    }

    slotted layer_slot(D3D12DDI_COMPILER_FUNCS) by of_slot(compiler) {
        CalcSize: pfnCalcPrivateCompilerSize(
            target: *const D3D12DDI_COMPILER_TARGET, application: *const D3D12DDI_APPLICATION_DESC
        ) -> SIZE_T, via compiler::calc_size, of CalcSize::about;
        Create: pfnCreateCompiler(
            target: *const D3D12DDI_COMPILER_TARGET, application: *const D3D12DDI_APPLICATION_DESC,
            compiler: D3D12DDI_HCOMPILER, runtime: D3D12DDI_HRTCOMPILER
        ) -> HRESULT, via compiler::create, of Create::about;
        Destroy: pfnDestroyCopiler(compiler: D3D12DDI_HCOMPILER), via compiler::destroy, of Destroy::about;
        Pipeline: pfnCompilePipelineState(
            compiler: D3D12DDI_HCOMPILER, session: D3D12DDI_HRTCOMPILERCACHESESSION, flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
            desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099
        ) -> HRESULT, via compile::pipeline, of Pipeline::about;
        CalcObjectSize: pfnCalcPrivateStateObjectSize(
            compiler: D3D12DDI_HCOMPILER, desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054
        ) -> SIZE_T, via state_object::calc_size;
        CalcAdditionSize: pfnCalcPrivateAddToStateObjectSize(
            compiler: D3D12DDI_HCOMPILER, desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054, parent: D3D12DDI_HCOMPILERSTATEOBJECT
        ) -> SIZE_T, via state_object::calc_addition_size;
        Object: pfnCompileCreateStateObject(
            compiler: D3D12DDI_HCOMPILER, session: D3D12DDI_HRTCOMPILERCACHESESSION, flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
            desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054, object: D3D12DDI_HCOMPILERSTATEOBJECT
        ) -> HRESULT, via state_object::create, of Object::about;
        Addition: pfnCompileAddToStateObject(
            compiler: D3D12DDI_HCOMPILER, session: D3D12DDI_HRTCOMPILERCACHESESSION, flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
            desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054, parent: D3D12DDI_HCOMPILERSTATEOBJECT,
            object: D3D12DDI_HCOMPILERSTATEOBJECT
        ) -> HRESULT, via state_object::add, of Addition::about;
        DestroyObject: pfnDestroyStateObject(
            compiler: D3D12DDI_HCOMPILER, object: D3D12DDI_HCOMPILERSTATEOBJECT
        ), via state_object::destroy, of DestroyObject::about;
    }

    slotted layer_callbacks(D3D12DDI_COMPILER_CACHE_CALLBACKS) by of_host() {
        Find: pfnCompilerCacheFindValue(
            session: D3D12DDI_HRTCOMPILERCACHESESSION, key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
            values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE, count: UINT, allocate: PFND3D12DDI_COMPILER_ALLOCATION,
            context: *mut c_void
        ) -> HRESULT, via compile::find, of Find::about;
        Store: pfnCompilerCacheStoreValue(
            session: D3D12DDI_HRTCOMPILERCACHESESSION, key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
            values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, count: UINT
        ) -> HRESULT, via compile::store, of Store::about;
        SetKeys: pfnCompilerCacheSetObjectValueKeys(
            session: D3D12DDI_HRTCOMPILERCACHESESSION, keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY, count: UINT
        ) -> HRESULT, via compile::set_keys, of SetKeys::about;
    }
}

/// Any call of a function for compilers and pipelines, as it begins.
pub(crate) struct CompilerCall;

impl Place for CompilerCall {
    type Answer = ();

    fn pass(&mut self) {}
}

/// Puts the functions of a slot into the COMPILER table.
pub(crate) fn layer_compiler(slot: usize, table: &mut D3D12DDI_COMPILER_FUNCS) {
    const fn layer<const SLOT: usize>() -> fn(&mut D3D12DDI_COMPILER_FUNCS) {
        layer_slot::<SLOT>
    }
    static LAYERS: [fn(&mut D3D12DDI_COMPILER_FUNCS); SLOTS] = per_slot!(layer);
    LAYERS[slot](table);
}

/// The callbacks that the base gets, of a slot.
pub(crate) fn callbacks(slot: usize) -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    const fn callbacks<const SLOT: usize>() -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
        D3D12DDI_COMPILER_CACHE_CALLBACKS {
            pfnCompilerCacheFindValue: Some(Find::entry::<SLOT>),
            pfnCompilerCacheStoreValue: Some(Store::entry::<SLOT>),
            pfnCompilerCacheSetObjectValueKeys: Some(SetKeys::entry::<SLOT>),
        }
    }
    static CALLBACKS: [D3D12DDI_COMPILER_CACHE_CALLBACKS; SLOTS] = per_slot!(callbacks);
    CALLBACKS[slot]
}
