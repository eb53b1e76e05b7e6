//! Pipeline states and state objects: loaded object code, and for state objects what an addition needs.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use parking_lot::Mutex;
use plugin_host::arena::Arena;

use crate::boundary::{self, Error, Private, Result, checked, device_slots, raw};
use crate::cache::{Kind, Loaded, LoadedValue, ShaderCache};
use crate::copies::{Copier, Kept};
use crate::device::Device;
use crate::handles::{self, First, Object, Owner, PRIVATE_SIZE};
use crate::objects::{PluginForm, RootSignature};

/// A pipeline state.
pub(crate) struct PipelineState {
    pub(crate) values: Vec<LoadedValue>,
}

impl Object for PipelineState {
    const KIND: &'static str = "pipeline state";
}

impl First for PipelineState {}

/// A state object.
pub(crate) struct StateObject {
    /// Before what it was made of, which it points into.
    object: plugin_host::StateObject,
    _form: StateForm,
    pub(crate) values: Vec<LoadedValue>,
    abi_version: u64,
    stack_size: AtomicU32,
    /// By export: whoever asks again gets the same address.
    identifiers: Mutex<HashMap<Vec<u16>, Box<[u8; IDENTIFIER_SIZE]>>>,
}

impl Object for StateObject {
    const KIND: &'static str = "state object";
}

impl First for StateObject {}

/// Of each value, what is loaded and what says who made it.
const VALUE_TYPES: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE
        .union(D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA);

/// D3D12_SHADER_IDENTIFIER_SIZE_IN_BYTES, and that of a program identifier.
const IDENTIFIER_SIZE: usize = 32;

/// What a pipeline's stack has by default.
const STACK_SIZE: u32 = 256;

/// A copy of a state object's description in the plugin's form, and what its handles stand for.
struct StateForm {
    arg: Kept<D3D12DDIARG_CREATE_STATE_OBJECT_0054>,
    _arena: Arena,
    _root_signatures: Vec<Arc<RootSignature>>,
    _collections: Vec<Arc<StateObject>>,
    _parent: Option<Arc<StateObject>>,
    /// The ABI version of its collections and its parent, if it has any.
    abi_version: Option<u64>,
}

impl StateForm {
    /// # Safety
    ///
    /// All that `subobjects` points to is valid for the call.
    unsafe fn new(
        owner: Owner,
        kind: D3D12DDI_STATE_OBJECT_TYPE,
        count: u32,
        subobjects: *const D3D12DDI_STATE_SUBOBJECT_0054,
        parent: Option<Arc<StateObject>>,
    ) -> Result<Self> {
        let mut copier = Copier::new(owner);
        let arg = D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
            Type: kind,
            NumSubobjects: count,
            pSubobjects: subobjects,
        };
        // SAFETY: all that `subobjects` points to is valid for the call (`# Safety`).
        let arg = unsafe { copier.state_object(&arg) }?;
        let abi_versions = copier
            .collections
            .iter()
            .chain(&parent)
            .map(|object| object.abi_version);
        let abi_version = abi_versions.clone().next();
        if abi_versions.clone().any(|other| Some(other) != abi_version) {
            return Err(Error::invalid("collections of several ABI versions"));
        }
        drop(abi_versions);
        let arg = copier.arena.put(arg);
        Ok(Self {
            // SAFETY: the copies are in `_arena`, and handles point to the objects beside it.
            arg: unsafe { Kept::new(arg) },
            _arena: copier.arena,
            _root_signatures: copier.root_signatures,
            _collections: copier.collections,
            _parent: parent,
            abi_version,
        })
    }
}

fn create_state_object(
    device: &Arc<Device>,
    form: StateForm,
    parent: Option<&StateObject>,
    runtime: D3D12DDI_HRTSTATEOBJECT_0054,
    private: Private,
) -> Result<()> {
    let compile = |compiler: &plugin_host::Compiler, session| {
        // SAFETY: the plugin's form is the DDI's; it lives as long as the object, which owns it.
        unsafe {
            match parent {
                None => compiler.create_state_object(session, VALUE_TYPES, form.arg.get()),
                Some(parent) => parent.object.add_to(session, VALUE_TYPES, form.arg.get()),
            }
        }
    };
    let kind = Kind::StateObject(runtime);
    let loaded = ShaderCache::create(device, kind, form.abi_version, compile)?;
    let Loaded {
        object,
        values,
        abi_version,
    } = loaded;
    private.create(device, || {
        Ok(StateObject {
            object,
            _form: form,
            values,
            abi_version,
            stack_size: AtomicU32::new(STACK_SIZE),
            identifiers: Mutex::default(),
        })
    })?;
    Ok(())
}

device_slots! {
    calc_private_pipeline_state_size = "pfnCalcPrivatePipelineStateSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_pipeline_state = "pfnCreatePipelineState"(
        device,
        input desc: D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
        private pipeline: D3D12DDI_HPIPELINESTATE,
        value runtime: D3D12DDI_HRTPIPELINESTATE,
    ) -> HRESULT {
        device.check_removed()?;
        let form = PluginForm::of(&device.owner(), desc)?;
        let loaded = ShaderCache::create(device, Kind::PipelineState(runtime), None, |compiler, session| {
            // SAFETY: the plugin's form is the DDI's, and lives during the call.
            let keys = unsafe { compiler.compile_pipeline_state(session, VALUE_TYPES, &form.arg) }?;
            Ok(((), keys))
        })?;
        pipeline.create(device, || Ok(PipelineState { values: loaded.values }))?;
        S_OK
    }

    destroy_pipeline_state = "pfnDestroyPipelineState"(device, value pipeline: D3D12DDI_HPIPELINESTATE) {
        device.owner().remove::<PipelineState>(pipeline.pDrvPrivate)?;
    }

    retrieve_shader_comment = "pfnRetrieveShaderComment"(
        device, value pipeline: D3D12DDI_HPIPELINESTATE, pointer buffer: WCHAR, pointer count: SIZE_T,
    ) -> HRESULT {
        let pipeline = device.owner().get::<PipelineState>(pipeline.pDrvPrivate)?;
        let comment = format!("Fabrikam: {} values\0", pipeline.values.len());
        let comment: Vec<u16> = comment.encode_utf16().collect();
        // SAFETY: the DDI: it points to the number of characters in the buffer.
        let room = *unsafe { boundary::input(count.cast_const(), "CharacterCountIncludingNullTerminator") }?;
        // SAFETY: the DDI: it points to the number of characters; `input` found it not null and aligned.
        unsafe { count.write(comment.len()) };
        if buffer.is_null() {
            return Ok(S_OK);
        }
        if room < comment.len() {
            return Err(Error::new(E_NOT_SUFFICIENT_BUFFER, "the buffer is too small"));
        }
        // SAFETY: the DDI: the buffer has as many characters as the host says.
        unsafe { ptr::copy_nonoverlapping(comment.as_ptr().cast::<u8>(), buffer.cast(), 2 * comment.len()) };
        S_OK
    }

    calc_private_state_object_size = "pfnCalcPrivateStateObjectSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_state_object_slot = "pfnCreateStateObject"(
        device,
        input desc: D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        private object: D3D12DDI_HSTATEOBJECT_0054,
        value runtime: D3D12DDI_HRTSTATEOBJECT_0054,
    ) -> HRESULT {
        device.check_removed()?;
        // SAFETY: the DDI: the host lends it for the call.
        let form = unsafe { StateForm::new(device.owner(), desc.Type, desc.NumSubobjects, desc.pSubobjects, None) }?;
        create_state_object(device, form, None, runtime, object)?;
        S_OK
    }

    destroy_state_object = "pfnDestroyStateObject"(device, value object: D3D12DDI_HSTATEOBJECT_0054) {
        device.owner().remove::<StateObject>(object.pDrvPrivate)?;
    }

    calc_private_add_to_state_object_size = "pfnCalcPrivateAddToStateObjectSize"(
        _device, value _desc: *const D3D12DDIARG_ADD_TO_STATE_OBJECT_0072,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    add_to_state_object = "pfnAddToStateObject"(
        device,
        input desc: D3D12DDIARG_ADD_TO_STATE_OBJECT_0072,
        private object: D3D12DDI_HSTATEOBJECT_0054,
        value runtime: D3D12DDI_HRTSTATEOBJECT_0054,
    ) -> HRESULT {
        device.check_removed()?;
        let parent = device.owner().get::<StateObject>(desc.StateObjectToGrowFrom.pDrvPrivate)?;
        // SAFETY: the DDI: the host lends it for the call.
        let form = unsafe {
            StateForm::new(device.owner(), desc.Type, desc.NumSubobjects, desc.pSubobjects, Some(Arc::clone(&parent)))
        }?;
        create_state_object(device, form, Some(&parent), runtime, object)?;
        S_OK
    }
}

/// The most characters of a name that are read.
const LONGEST_NAME: usize = 1 << 16;

/// # Safety
///
/// Unless it is null or misaligned, `name` points to a string that ends with a NUL.
pub(crate) unsafe fn name_at<'a>(name: LPCWSTR) -> Result<&'a [u16]> {
    if name.is_null() || !name.is_aligned() {
        return Err(Error::invalid("the name is null or not aligned"));
    }
    // SAFETY: no character before the last one read is the NUL.
    let length = (0..LONGEST_NAME).find(|&index| unsafe { *name.add(index) } == 0);
    let length = length.ok_or_else(|| Error::invalid("the name has no end"))?;
    // SAFETY: these characters have been read.
    Ok(unsafe { std::slice::from_raw_parts(name, length) })
}

impl StateObject {
    /// Its handle in the plugin's DDI.
    pub(crate) fn plugin_handle(&self) -> D3D12DDI_HSTATEOBJECT_0054 {
        D3D12DDI_HSTATEOBJECT_0054 {
            pDrvPrivate: self.object.handle().pDrvPrivate,
        }
    }

    /// The identifier of an export, as 32 bytes that stay where they are.
    fn identifier(&self, id: u64, name: &[u16]) -> *mut c_void {
        let mut identifiers = self.identifiers.lock();
        let identifier = identifiers.entry(name.to_vec()).or_insert_with(|| {
            let mut bytes = [0; IDENTIFIER_SIZE];
            bytes[..8].copy_from_slice(b"FABRIKAM");
            bytes[8..16].copy_from_slice(&id.to_le_bytes());
            for (index, unit) in name.iter().enumerate() {
                let place = 16 + index % 8 * 2;
                let mixed =
                    u16::from_le_bytes([bytes[place], bytes[place + 1]]).rotate_left(5) ^ unit;
                bytes[place..place + 2].copy_from_slice(&mixed.to_le_bytes());
            }
            Box::new(bytes)
        });
        identifier.as_mut_ptr().cast()
    }
}

/// Functions that take a state object and no device.
macro_rules! state_object_slots {
    ($($name:ident = $slot:literal($object:ident, $id:ident $(, $arg:ident: $ty:ty)*) $(-> $ret:ty)? $body:block)*) => {$(
        pub(crate) unsafe extern "system" fn $name(
            object: D3D12DDI_HSTATEOBJECT_0054 $(, $arg: $ty)*
        ) $(-> $ret)? {
            let id = handles::id_of::<StateObject>(object.pDrvPrivate);
            boundary::call($slot, handles::subject::<StateObject>(object.pDrvPrivate), |_| {}, || {
                let $object = handles::get::<StateObject>(object.pDrvPrivate)?;
                let $id = id?;
                let _ = (&$object, &$id);
                Ok($body)
            })
        }
    )*};
}

state_object_slots! {
    get_shader_identifier = "pfnGetShaderIdentifier"(object, id, name: LPCWSTR) -> *mut c_void {
        // SAFETY: the DDI: a string with its NUL.
        let name = unsafe { name_at(name) }?;
        object.identifier(id.get(), name)
    }

    get_shader_stack_size = "pfnGetShaderStackSize"(object, id, name: LPCWSTR) -> UINT {
        // SAFETY: the DDI: a string with its NUL.
        unsafe { name_at(name) }?;
        STACK_SIZE
    }

    get_pipeline_stack_size = "pfnGetPipelineStackSize"(object, id) -> UINT {
        object.stack_size.load(Ordering::Relaxed)
    }

    set_pipeline_stack_size = "pfnSetPipelineStackSize"(object, id, size: UINT) {
        object.stack_size.store(size, Ordering::Relaxed);
    }

    get_program_identifier = "pfnGetProgramIdentifier"(object, id, name: LPCWSTR) -> D3D12DDI_PROGRAM_IDENTIFIER_0108 {
        // SAFETY: the DDI: a string with its NUL.
        let name = unsafe { name_at(name) }?;
        let identifier = object.identifier(id.get(), name);
        // SAFETY: 32 bytes, as the structure has.
        unsafe { identifier.cast::<D3D12DDI_PROGRAM_IDENTIFIER_0108>().read_unaligned() }
    }

    get_work_graph_memory_requirements = "pfnGetWorkGraphMemoryRequirements"(
        object, id, name: LPCWSTR, requirements: *mut D3D12DDI_WORK_GRAPH_MEMORY_REQUIREMENTS_0108
    ) {
        // Not simulated: no graph runs, so none needs memory.
        // SAFETY: the DDI: memory for the answer, and a string with its NUL.
        unsafe {
            name_at(name)?;
            if requirements.is_null() || !requirements.is_aligned() {
                return Err(Error::invalid("pWorkGraphMemoryRequirements is null or not aligned"));
            }
            ptr::write_bytes(requirements, 0, 1);
        }
    }
}
