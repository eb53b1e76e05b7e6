//! What a driver can call while it works for a device.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use bytemuck::Zeroable;
use compiler_runtime::desc::state_object::StateObject;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CONST_VALUE, D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE, D3D12DDI_COMPILER_CACHE_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE_KEY, D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
    D3D12DDI_CORELAYER_DEVICECALLBACKS_0112, D3D12DDI_HANDLE_AND_TYPE, D3D12DDI_HRTCOMMANDLIST,
    D3D12DDI_HRTDEVICE, D3D12DDI_HRTPIPELINESTATE, D3D12DDI_HRTSTATEOBJECT_0054, D3D12DDI_HRTTABLE,
    D3D12DDI_SHADER_CACHE_VALUE, D3D12DDI_SHADERCACHE_CALLBACKS_0021,
    D3D12DDI_SHADERCACHE_CALLBACKS_0114, D3D12DDI_SHADERCACHE_CALLBACKS_0118,
    D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_NONE, D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS,
    D3D12DDI_SHADERCACHE_HASH, D3D12DDI_SHADERCACHE_UNUSED_VALUE_FLAGS,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054, E_INVALIDARG, HRESULT,
    PFND3D12DDI_SHADERCACHEALLOCATIONFUNC, S_OK, SIZE_T,
};
use plugin_host::session::{SessionScope, callbacks};

use crate::command_list::ListErrors;
use crate::device::Events;
use crate::registry;
use crate::shader_cache::{OfObject, Outcome};

/// An object while the driver creates it, by the runtime's handle of it.
#[derive(Debug)]
pub(crate) struct Creating {
    lookups: OfObject,
    /// For calls without flags.
    plain: SessionScope,
    /// The description of a state object.
    desc: Option<Arc<StateObject>>,
}

impl Creating {
    pub(crate) fn new(lookups: OfObject, desc: Option<Arc<StateObject>>) -> Self {
        Self {
            plain: SessionScope::new(Arc::new(lookups.clone())),
            lookups,
            desc,
        }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.lookups.outcome()
    }
}

/// The object of a handle.
fn creating(device: D3D12DDI_HRTDEVICE, object: *mut c_void) -> Option<Arc<Creating>> {
    let events = registry::find::<Events>(device.handle)?;
    let creating = registry::find(object);
    if creating.is_none() {
        events.add_fault("a call of the shader cache is for no object that is being created");
    }
    creating
}

/// The core layer's callbacks. There is no kernel here: what would reach it is missing.
pub(crate) fn core_layer() -> D3D12DDI_CORELAYER_DEVICECALLBACKS_0112 {
    D3D12DDI_CORELAYER_DEVICECALLBACKS_0112 {
        pfnSetErrorCb: Some(set_error),
        pfnSetCommandListErrorCb: Some(set_command_list_error),
        pfnSetCommandListDDITableCb: Some(set_command_list_table),
        ..Zeroable::zeroed()
    }
}

pub(crate) const SHADER_CACHE_0021: D3D12DDI_SHADERCACHE_CALLBACKS_0021 =
    D3D12DDI_SHADERCACHE_CALLBACKS_0021 {
        pfnShaderCacheGetValueCb: Some(get_value_0021),
        pfnShaderCacheStoreValueCb: Some(store_value_0021),
    };

pub(crate) const SHADER_CACHE_0114: D3D12DDI_SHADERCACHE_CALLBACKS_0114 =
    D3D12DDI_SHADERCACHE_CALLBACKS_0114 {
        pfnShaderCacheGetValueCb: Some(get_value),
        pfnShaderCacheStoreValueCb: Some(store_value),
        pfnShaderCacheGetDescCb: Some(get_desc),
    };

pub(crate) const SHADER_CACHE_0118: D3D12DDI_SHADERCACHE_CALLBACKS_0118 =
    D3D12DDI_SHADERCACHE_CALLBACKS_0118 {
        pfnShaderCacheGetValueCb: Some(get_value),
        pfnShaderCacheStoreValueCb: Some(store_value),
        pfnShaderCacheUnusedValueCb: Some(unused_value),
    };

unsafe extern "system" fn set_error(device: D3D12DDI_HRTDEVICE, result: HRESULT) {
    if let Some(events) = registry::find::<Events>(device.handle) {
        events.set_error(result);
    }
}

unsafe extern "system" fn set_command_list_error(list: D3D12DDI_HRTCOMMANDLIST, result: HRESULT) {
    if let Some(errors) = registry::find::<ListErrors>(list.handle) {
        errors.set(result);
    }
}

unsafe extern "system" fn set_command_list_table(
    _list: D3D12DDI_HRTCOMMANDLIST,
    _table: D3D12DDI_HRTTABLE,
) {
    // A driver may switch between the tables that it filled; this runtime asks for one.
}

/// The parts of a key's value that the DDI's call names, in the structures of a compiler's cache session, whose protocol is
/// the same.
struct Parts {
    entries: [D3D12DDI_COMPILER_CACHE_TYPED_VALUE; 2],
    count: u32,
}

impl Parts {
    /// # Safety
    ///
    /// Each is null, or a value of the driver's.
    unsafe fn new(values: [*const D3D12DDI_SHADER_CACHE_VALUE; 2]) -> Self {
        let mut parts = Self {
            entries: Zeroable::zeroed(),
            count: 0,
        };
        for (kind, value) in KINDS.into_iter().zip(values) {
            // SAFETY: `value` is null, or a value of the driver's (`# Safety`).
            if let Some(value) = unsafe { value.as_ref() } {
                parts.entries[parts.count as usize] = D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
                    Type: kind,
                    Value: D3D12DDI_COMPILER_CACHE_VALUE {
                        pValue: value.pValue,
                        ValueSize: value.ValueSize,
                    },
                };
                parts.count += 1;
            }
        }
        parts
    }
}

/// The types of a driver's values.
const KINDS: [D3D12DDI_COMPILER_CACHE_VALUE_TYPE; 2] = [
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA,
];

fn key(key: *const c_void, len: SIZE_T) -> Option<D3D12DDI_COMPILER_CACHE_VALUE_KEY> {
    Some(D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey: key,
        KeySize: u32::try_from(len).ok()?,
    })
}

unsafe extern "system" fn get_value(
    device: D3D12DDI_HRTDEVICE,
    object: D3D12DDI_HANDLE_AND_TYPE,
    key: *const c_void,
    key_len: SIZE_T,
    flags: D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS,
    object_code: *mut D3D12DDI_SHADER_CACHE_VALUE,
    metadata: *mut D3D12DDI_SHADER_CACHE_VALUE,
    allocate: PFND3D12DDI_SHADERCACHEALLOCATIONFUNC,
    context: *mut c_void,
) -> HRESULT {
    let (Some(creating), Some(key)) = (creating(device, object.Handle), self::key(key, key_len))
    else {
        return E_INVALIDARG;
    };
    let with_flags;
    let session = if flags == D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_NONE {
        &creating.plain
    } else {
        with_flags = SessionScope::new(Arc::new(creating.lookups.with(flags)));
        &with_flags
    };
    // SAFETY: null or the driver's, as the DDI says.
    let mut parts = unsafe { Parts::new([object_code.cast_const(), metadata.cast_const()]) };
    let Some(find) = callbacks().pfnCompilerCacheFindValue else {
        return E_INVALIDARG;
    };
    // SAFETY: the key, the buffers and the allocation function are the driver's, as the DDI says; the entries are here.
    let result = unsafe {
        find(
            session.handle(),
            &raw const key,
            parts.entries.as_mut_ptr(),
            parts.count,
            allocate,
            context,
        )
    };
    let mut answers = parts.entries.iter();
    for value in [object_code, metadata] {
        // SAFETY: null or the driver's, as the DDI says.
        if let Some(value) = unsafe { value.as_mut() }
            && let Some(answer) = answers.next()
        {
            value.pValue = answer.Value.pValue;
            value.ValueSize = answer.Value.ValueSize;
        }
    }
    result
}

unsafe extern "system" fn store_value(
    device: D3D12DDI_HRTDEVICE,
    object: D3D12DDI_HANDLE_AND_TYPE,
    key: *const c_void,
    key_len: SIZE_T,
    object_code: *const D3D12DDI_SHADER_CACHE_VALUE,
    metadata: *const D3D12DDI_SHADER_CACHE_VALUE,
) -> HRESULT {
    // SAFETY: null or the driver's, as the DDI says.
    let parts = unsafe { Parts::new([object_code, metadata]) };
    // SAFETY: the key and the values are the driver's, as the DDI says.
    unsafe { store(device, object.Handle, key, key_len, &parts) }
}

/// # Safety
///
/// The key and the values are readable for their sizes.
unsafe fn store(
    device: D3D12DDI_HRTDEVICE,
    object: *mut c_void,
    key: *const c_void,
    key_len: SIZE_T,
    parts: &Parts,
) -> HRESULT {
    let (Some(creating), Some(key)) = (creating(device, object), self::key(key, key_len)) else {
        return E_INVALIDARG;
    };
    let values = parts
        .entries
        .map(|part| D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
            Type: part.Type,
            Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
                pValue: part.Value.pValue.cast_const(),
                ValueSize: part.Value.ValueSize,
            },
        });
    let Some(store) = callbacks().pfnCompilerCacheStoreValue else {
        return E_INVALIDARG;
    };
    // SAFETY: key and values are readable for their sizes (`# Safety`); the entries are here.
    unsafe {
        store(
            creating.plain.handle(),
            &raw const key,
            values.as_ptr(),
            parts.count,
        )
    }
}

/// The value of the older form, which has object code alone.
const fn only(value: *mut c_void, len: SIZE_T) -> D3D12DDI_SHADER_CACHE_VALUE {
    D3D12DDI_SHADER_CACHE_VALUE {
        pValue: value,
        ValueSize: len,
    }
}

unsafe extern "system" fn get_value_0021(
    device: D3D12DDI_HRTDEVICE,
    pipeline: D3D12DDI_HRTPIPELINESTATE,
    _hash: *const D3D12DDI_SHADERCACHE_HASH,
    key: *const c_void,
    key_len: SIZE_T,
    value: *mut c_void,
    value_len: *mut SIZE_T,
) -> HRESULT {
    // SAFETY: null or the driver's, as the DDI says.
    let Some(len) = (unsafe { value_len.as_mut() }) else {
        return E_INVALIDARG;
    };
    // Without a buffer it is a question for the size.
    let mut found = only(value, if value.is_null() { 0 } else { *len });
    // SAFETY: the key and the buffer are the driver's, as the DDI says; the value is here.
    let result = unsafe {
        get_value(
            device,
            object_of(pipeline),
            key,
            key_len,
            D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_NONE,
            &raw mut found,
            ptr::null_mut(),
            None,
            ptr::null_mut(),
        )
    };
    *len = found.ValueSize;
    result
}

unsafe extern "system" fn store_value_0021(
    device: D3D12DDI_HRTDEVICE,
    pipeline: D3D12DDI_HRTPIPELINESTATE,
    _hash: *const D3D12DDI_SHADERCACHE_HASH,
    key: *const c_void,
    key_len: SIZE_T,
    value: *const c_void,
    value_len: SIZE_T,
) -> HRESULT {
    let value = only(value.cast_mut(), value_len);
    // SAFETY: the value is here.
    let parts = unsafe { Parts::new([&raw const value, ptr::null()]) };
    // SAFETY: the key and the value are the driver's, as the DDI says.
    unsafe { store(device, pipeline.handle, key, key_len, &parts) }
}

fn object_of(pipeline: D3D12DDI_HRTPIPELINESTATE) -> D3D12DDI_HANDLE_AND_TYPE {
    D3D12DDI_HANDLE_AND_TYPE {
        Handle: pipeline.handle,
        Type: ddi_sys::D3D12DDI_HT_PIPELINE_STATE,
    }
}

unsafe extern "system" fn get_desc(
    device: D3D12DDI_HRTDEVICE,
    object: D3D12DDI_HRTSTATEOBJECT_0054,
    desc: *mut D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> HRESULT {
    let Some(events) = registry::find::<Events>(device.handle) else {
        return E_INVALIDARG;
    };
    events.add_asked_desc();
    let Some(creating) = creating(device, object.handle) else {
        return E_INVALIDARG;
    };
    let (false, Some(of_object)) = (desc.is_null(), &creating.desc) else {
        return E_INVALIDARG;
    };
    // SAFETY: the driver's structure is writable, as the DDI says.
    unsafe { desc.write(*of_object.arg()) };
    S_OK
}

unsafe extern "system" fn unused_value(
    device: D3D12DDI_HRTDEVICE,
    object: D3D12DDI_HANDLE_AND_TYPE,
    _key: *const c_void,
    _key_len: SIZE_T,
    _flags: D3D12DDI_SHADERCACHE_UNUSED_VALUE_FLAGS,
) -> HRESULT {
    match creating(device, object.Handle) {
        // A hint for a runtime that keeps files small.
        Some(_) => S_OK,
        None => E_INVALIDARG,
    }
}
