//! Compiled values: looked up through the host's shader cache, compiled by the sample plugin where they are missing.
//!
//! The keys are the plugin's, because the plugin's own code runs over the description: its cache session is the host's shader
//! cache. For each ABI version that the driver reads, the newest first, the plugin is only let look; the first ABI version of
//! which every value is there is used. If there is none, the plugin compiles for the newest one, and what was missing is
//! stored. GetDescCb is never called: an existing creation function hands over the whole description.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use compatibility::{Application, Origin, Verdict, verdict_of_driver};
#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use parking_lot::{Mutex, RwLock};
use plugin_host::session::{CacheSession, Found, Misuse, SessionScope, VALUE_TYPES, Want};
use plugin_host::{ApplicationDesc, CallError, CallFailure, Compiler, Engine};
use sample_plugin::metadata::Origin as MadeBy;
use sample_plugin::object_code::ObjectCode;
use widestring::U16CString;

use crate::abi_support::AbiSupport;
use crate::adapter::Adapter;
use crate::boundary::{Error, Result};
use crate::device::Device;
use crate::features::ShaderCacheCallbacks;
use crate::pipeline::name_at;
use crate::sample;

/// Objects of one kind, as D3D12_CREATE_STATE_OBJECT_STATISTICS counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Created {
    /// All.
    pub all: u64,
    /// Those of which at least one value was missing.
    pub missed: u64,
    /// Those for which the host has no shader cache.
    pub unknown: u64,
}

/// What a device looked up and compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Pipeline states.
    pub pipeline_states: Created,
    /// State objects, additions included.
    pub state_objects: Created,
    /// Values that were found and used.
    pub hits: u64,
    /// Values that were compiled.
    pub compiled: u64,
    /// Values that were found, and not used: damaged, or of a compiler or profile that must be recompiled.
    pub refused: u64,
    /// Values that the host took.
    pub stored: u64,
}

/// The shader cache of a device's host, and the compilers of the device.
pub(crate) struct ShaderCache {
    application: RwLock<ApplicationDesc>,
    /// The version that the application's profile had where it was captured, when the device replays it.
    captured: Option<u64>,
    compilers: Mutex<HashMap<u64, Compiler>>,
    statistics: Mutex<Statistics>,
}

/// A value of a created object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedValue {
    /// Its key.
    pub key: Vec<u8>,
    /// Its object code; empty for a value of a collection or parent.
    pub code: Arc<[u8]>,
}

/// A created object: what the plugin made, and its values in the plugin's order.
pub(crate) struct Loaded<T> {
    pub(crate) object: T,
    pub(crate) values: Vec<LoadedValue>,
    pub(crate) abi_version: u64,
}

/// What is created.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    PipelineState(D3D12DDI_HRTPIPELINESTATE),
    StateObject(D3D12DDI_HRTSTATEOBJECT_0054),
}

// SAFETY: handles are values that the host alone reads.
unsafe impl Send for Kind {}
// SAFETY: through `&Kind` a handle is only read, as a value.
unsafe impl Sync for Kind {}

/// What all devices of the process looked up and compiled.
static TOTAL: Mutex<Statistics> = Mutex::new(Statistics {
    pipeline_states: Created {
        all: 0,
        missed: 0,
        unknown: 0,
    },
    state_objects: Created {
        all: 0,
        missed: 0,
        unknown: 0,
    },
    hits: 0,
    compiled: 0,
    refused: 0,
    stored: 0,
});

/// What all devices looked up and compiled.
pub(crate) fn total() -> Statistics {
    *TOTAL.lock()
}

impl ShaderCache {
    pub(crate) fn new(application: Option<ApplicationDesc>) -> Self {
        Self {
            application: RwLock::new(application.unwrap_or_else(sample::any_application)),
            captured: None,
            compilers: Mutex::default(),
            statistics: Mutex::default(),
        }
    }

    /// For an application that was captured with this version of its profile.
    pub(crate) fn of_state(application: ApplicationDesc, profile: u64) -> Self {
        Self {
            captured: Some(profile),
            ..Self::new(Some(application))
        }
    }

    /// What the driver says of its compiler, for the application.
    ///
    /// # Errors
    ///
    /// There is no such family.
    pub(crate) fn support(&self, family: u32) -> Result<AbiSupport> {
        AbiSupport::of(family, &self.application(), self.captured)
    }

    /// Adds to what the device, and the process, have looked up and compiled.
    fn count(&self, add: impl Fn(&mut Statistics)) {
        add(&mut self.statistics.lock());
        add(&mut TOTAL.lock());
    }

    /// The application that the device is created for, as the host describes it. A replay stays that of the application
    /// that was captured.
    pub(crate) fn set_application(&self, application: ApplicationDesc) {
        if self.captured.is_some() {
            return;
        }
        *self.application.write() = application;
        self.compilers.lock().clear();
    }

    pub(crate) fn application(&self) -> ApplicationDesc {
        self.application.read().clone()
    }

    pub(crate) fn statistics(&self) -> Statistics {
        *self.statistics.lock()
    }

    fn compiler(&self, family: u32, abi_version: u64) -> Result<Compiler> {
        if let Some(compiler) = self.compilers.lock().get(&abi_version) {
            return Ok(compiler.clone());
        }
        let plugin = sample::plugin();
        let target = plugin.target(family, abi_version).map_err(failed)?;
        let compiler = plugin
            .create_compiler(target, &self.application())
            .map_err(failed)?;
        self.compilers.lock().insert(abi_version, compiler.clone());
        Ok(compiler)
    }

    /// Creates an object by `compile`, which the plugin may be asked for several times. `of_abi` is the ABI version of what
    /// the object is made of, where that is compiled already.
    ///
    /// # Errors
    ///
    /// The plugin refuses the description, or the driver reads no ABI version that the plugin knows.
    pub(crate) fn create<T>(
        device: &Arc<Device>,
        kind: Kind,
        of_abi: Option<u64>,
        compile: impl Fn(&Compiler, SessionScope) -> std::result::Result<(T, Vec<Vec<u8>>), CallError>,
    ) -> Result<Loaded<T>> {
        let cache = &device.compiled;
        let family = device.adapter.family;
        let support = cache.support(family)?;
        let abi_versions = of_abi.map_or_else(|| support.compiled.clone(), |abi| vec![abi]);
        let has_cache = device.shader_cache().callbacks.is_some();
        let run = |abi_version, may_compile| {
            let compiler = cache.compiler(family, abi_version)?;
            let call = Arc::new(Call {
                device: Arc::clone(device),
                kind,
                abi_version,
                support: support.clone(),
                may_compile,
                missed: AtomicBool::new(false),
                refused: AtomicU64::new(0),
                values: Mutex::default(),
            });
            let session = SessionScope::new(Arc::clone(&call) as Arc<dyn CacheSession>);
            let compiled = compile(&compiler, session);
            Ok::<_, Error>((compiled, call))
        };
        let mut looked_up = None;
        if has_cache {
            for abi_version in &abi_versions {
                let (compiled, call) = run(*abi_version, false)?;
                match compiled {
                    Ok(compiled) => {
                        looked_up = Some((compiled, call));
                        break;
                    }
                    // A description that the plugin refuses stays refused.
                    Err(error) if !call.missed.load(Ordering::Relaxed) => {
                        return Err(failed(error));
                    }
                    Err(_) => {}
                }
            }
        }
        let ((object, keys), call) = if let Some(looked_up) = looked_up {
            looked_up
        } else {
            let (compiled, call) = run(abi_versions[0], true)?;
            (compiled.map_err(failed)?, call)
        };
        let missed = call.missed.load(Ordering::Relaxed);
        cache.count(|counts| {
            let created = match kind {
                Kind::PipelineState(_) => &mut counts.pipeline_states,
                Kind::StateObject(_) => &mut counts.state_objects,
            };
            created.all += 1;
            created.missed += u64::from(missed && has_cache);
            created.unknown += u64::from(!has_cache);
        });
        call.finish();
        let mut found = call.values.lock();
        let values = keys.into_iter().map(|key| {
            // An object names values of collections and parents too, which it has not looked up itself.
            let code = found
                .remove(&key)
                .map_or_else(|| Arc::from([]), |value| value.code);
            LoadedValue { key, code }
        });
        let values = values.collect();
        drop(found);
        Ok(Loaded {
            object,
            values,
            abi_version: call.abi_version,
        })
    }
}

#[allow(clippy::needless_pass_by_value)] // As `map_err` calls it.
fn failed(error: CallError) -> Error {
    let result = match error.failure {
        CallFailure::Result(result) => result,
        CallFailure::Memory { .. } => E_OUTOFMEMORY,
        _ => E_FAIL,
    };
    Error::new(result, error.to_string())
}

/// The plugin's cache session in one call.
struct Call {
    device: Arc<Device>,
    kind: Kind,
    abi_version: u64,
    support: AbiSupport,
    /// If not, the first missing value ends the call.
    may_compile: bool,
    missed: AtomicBool,
    refused: AtomicU64,
    values: Mutex<HashMap<Vec<u8>, CallValue>>,
}

/// A value that the call has found or compiled.
struct CallValue {
    code: Arc<[u8]>,
    metadata: Arc<[u8]>,
    origin: From,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Cache,
    Compiler { stored: bool },
}

impl Call {
    /// Adds what became of the values of a call whose object is created.
    fn finish(&self) {
        let values = self.values.lock();
        let count = |is: fn(From) -> bool| {
            let count = values.values().filter(|value| is(value.origin)).count();
            count as u64
        };
        self.device.compiled.count(|counts| {
            counts.hits += count(|from| from == From::Cache);
            counts.compiled += count(|from| from != From::Cache);
            counts.stored += count(|from| from == From::Compiler { stored: true });
            counts.refused += self.refused.load(Ordering::Relaxed);
        });
    }

    /// The values of a key, if the host has some that the driver can use.
    fn look_up(&self, key: &[u8]) -> Option<CallValue> {
        let (code, metadata) = self.get(key)?;
        if self.is_usable(key, &code, &metadata) {
            return Some(CallValue {
                code: code.into(),
                metadata: metadata.into(),
                origin: From::Cache,
            });
        }
        self.refused.fetch_add(1, Ordering::Relaxed);
        None
    }

    /// Whether the driver can load object code: it is undamaged and of the ABI version in question, and its metadata, which must
    /// be there, says that it belongs to the key and need not be recompiled.
    fn is_usable(&self, key: &[u8], code: &[u8], metadata: &[u8]) -> bool {
        let (Ok(parsed), Some(made_by)) = (ObjectCode::parse(code), MadeBy::read(metadata)) else {
            return false;
        };
        if !made_by.is_of(key, code)
            || parsed.abi_version != self.support.abi_of_code(self.abi_version)
        {
            return false;
        }
        // Application and engine do not matter: whatever application has the value's key may use it.
        let application = Application {
            exe: String::new(),
            name: String::new(),
            version: 0,
            engine_name: None,
            engine_version: 0,
        };
        let stored = Origin {
            family: &made_by.family,
            abi: parsed.abi_version,
            compiler: made_by.compiler,
            profile: made_by.profile,
            application: &application,
        };
        !matches!(
            verdict_of_driver(&stored, &self.support.driver()),
            Verdict::MustRecompile(_)
        )
    }

    /// What the host has under a key: object code and metadata, which may be empty.
    fn get(&self, key: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        let device = self.device.runtime.handle;
        let callbacks = self.callbacks()?;
        match callbacks {
            ShaderCacheCallbacks::V0021(callbacks) => {
                let Kind::PipelineState(pipeline) = self.kind else {
                    return None;
                };
                let get = callbacks.pfnShaderCacheGetValueCb?;
                let mut size = 0;
                let mut value = Vec::<u8>::new();
                // The size may have grown between the two calls; a host whose sizes never settle has no value.
                for _ in 0..3 {
                    let place = if value.is_empty() {
                        ptr::null_mut()
                    } else {
                        value.as_mut_ptr()
                    };
                    // SAFETY: the callback of this handle's host; key and value have the sizes that are passed.
                    let result = unsafe {
                        get(
                            device,
                            pipeline,
                            ptr::null(),
                            key.as_ptr().cast(),
                            key.len(),
                            place.cast(),
                            &raw mut size,
                        )
                    };
                    if result.is_ok() && !value.is_empty() {
                        value.truncate(size);
                        return unpack(&value);
                    }
                    if size == 0
                        || size > LARGEST_VALUE
                        || !(result.is_ok()
                            || result == E_NOT_SUFFICIENT_BUFFER
                            || result == DXGI_ERROR_MORE_DATA)
                    {
                        return None;
                    }
                    value.resize(size, 0);
                }
                None
            }
            ShaderCacheCallbacks::V0114(_) | ShaderCacheCallbacks::V0118(_) => {
                let get = match callbacks {
                    ShaderCacheCallbacks::V0114(callbacks) => callbacks.pfnShaderCacheGetValueCb,
                    ShaderCacheCallbacks::V0118(callbacks) => callbacks.pfnShaderCacheGetValueCb,
                    ShaderCacheCallbacks::V0021(_) => None,
                }?;
                let mut buffers = Buffers::default();
                let empty = D3D12DDI_SHADER_CACHE_VALUE {
                    // Not null: the plugin's callback of the same shape allocates only then, by one reading.
                    pValue: ptr::NonNull::<u64>::dangling().as_ptr().cast(),
                    ValueSize: 0,
                };
                let (mut code, mut metadata) = (empty, empty);
                // While the driver tries one ABI version after the other, a miss says nothing.
                let flags = match callbacks {
                    ShaderCacheCallbacks::V0118(_) if !self.may_compile => {
                        D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED
                    }
                    _ => D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_NONE,
                };
                // SAFETY: the callback of this handle's host; the key has the size that is passed, and the context is that of
                // `allocate`.
                let result = unsafe {
                    get(
                        device,
                        self.object(),
                        key.as_ptr().cast(),
                        key.len(),
                        flags,
                        &raw mut code,
                        &raw mut metadata,
                        Some(allocate),
                        (&raw mut buffers).cast(),
                    )
                };
                if !result.is_ok() {
                    return None;
                }
                let code = buffers.take(code)?;
                Some((code, buffers.take(metadata).unwrap_or_default()))
            }
        }
    }

    /// Stores both values; whether the host took them, or has some already. A cache is not what the object depends on.
    fn put(&self, key: &[u8], code: &[u8], metadata: &[u8]) -> bool {
        let device = self.device.runtime.handle;
        let (key_place, key_size) = (key.as_ptr().cast(), key.len());
        let value = |bytes: &[u8]| D3D12DDI_SHADER_CACHE_VALUE {
            pValue: bytes.as_ptr().cast_mut().cast(),
            ValueSize: bytes.len(),
        };
        let values = [value(code), value(metadata)];
        let store = match self.callbacks() {
            Some(ShaderCacheCallbacks::V0021(callbacks)) => {
                let (Kind::PipelineState(pipeline), Some(store)) =
                    (self.kind, callbacks.pfnShaderCacheStoreValueCb)
                else {
                    return false;
                };
                let packed = pack(code, metadata);
                let (place, size) = (packed.as_ptr().cast(), packed.len());
                // SAFETY: the callback of this handle's host; key and value have the sizes that are passed.
                let stored = unsafe {
                    store(
                        device,
                        pipeline,
                        ptr::null(),
                        key_place,
                        key_size,
                        place,
                        size,
                    )
                };
                return stored.is_ok() || stored == DXGI_ERROR_ALREADY_EXISTS;
            }
            Some(ShaderCacheCallbacks::V0114(callbacks)) => callbacks.pfnShaderCacheStoreValueCb,
            Some(ShaderCacheCallbacks::V0118(callbacks)) => callbacks.pfnShaderCacheStoreValueCb,
            None => None,
        };
        let Some(store) = store else {
            return false;
        };
        // SAFETY: the callback of this handle's host; key and values have the sizes that are passed.
        let stored = unsafe {
            store(
                device,
                self.object(),
                key_place,
                key_size,
                &raw const values[0],
                &raw const values[1],
            )
        };
        stored.is_ok() || stored == DXGI_ERROR_ALREADY_EXISTS
    }

    fn callbacks(&self) -> Option<ShaderCacheCallbacks> {
        self.device.shader_cache().callbacks
    }

    fn object(&self) -> D3D12DDI_HANDLE_AND_TYPE {
        match self.kind {
            Kind::PipelineState(pipeline) => D3D12DDI_HANDLE_AND_TYPE {
                Handle: pipeline.handle,
                Type: D3D12DDI_HT_PIPELINE_STATE,
            },
            Kind::StateObject(object) => D3D12DDI_HANDLE_AND_TYPE {
                Handle: object.handle,
                Type: D3D12DDI_HT_0054_STATE_OBJECT,
            },
        }
    }
}

/// No value of the sample plugin comes near: a host that says so is wrong.
const LARGEST_VALUE: usize = 1 << 30;

impl CacheSession for Call {
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> std::result::Result<(), HRESULT> {
        let known = self.values.lock().contains_key(key);
        if !known {
            // The host may call the driver: no lock is held.
            let Some(value) = self.look_up(key) else {
                self.missed.store(true, Ordering::Relaxed);
                return if self.may_compile {
                    Ok(())
                } else {
                    Err(E_ABORT)
                };
            };
            self.values.lock().insert(key.to_vec(), value);
        }
        let values = self.values.lock();
        let Some(value) = values.get(key) else {
            return Ok(());
        };
        for (kind, bytes) in [
            (D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE, &value.code),
            (D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA, &value.metadata),
        ] {
            let place = usize::try_from(kind.0).unwrap_or(usize::MAX);
            match wants.get(place) {
                Some(Want::Size) => found(kind, Found::Size(bytes.len())),
                Some(Want::Value) => found(kind, Found::Value(bytes)),
                _ => {}
            }
        }
        Ok(())
    }

    fn store(
        &self,
        key: &[u8],
        values: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> std::result::Result<(), HRESULT> {
        let of_type = |wanted| {
            let value = values.iter().find(|(kind, _)| *kind == wanted);
            value.map_or(&[][..], |(_, value)| value)
        };
        let (code, metadata) = self.support.labelled(
            self.abi_version,
            of_type(D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE),
            of_type(D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA),
        );
        let stored = self.put(key, &code, &metadata);
        let value = CallValue {
            code: code.into(),
            metadata: metadata.into(),
            origin: From::Compiler { stored },
        };
        self.values.lock().insert(key.to_vec(), value);
        Ok(())
    }

    fn misuse(&self, _: &'static str, _: &Misuse) {}
}

/// The memory that a host asks for in GetValueCb.
#[derive(Default)]
struct Buffers(Vec<Vec<u8>>);

impl Buffers {
    /// The bytes of a value that the host has put in one of the buffers.
    fn take(&mut self, value: D3D12DDI_SHADER_CACHE_VALUE) -> Option<Vec<u8>> {
        if value.ValueSize == 0 {
            return None;
        }
        let is_its = |buffer: &Vec<u8>| buffer.as_ptr().cast() == value.pValue.cast_const();
        let place = self.0.iter().position(is_its)?;
        let mut buffer = self.0.swap_remove(place);
        if value.ValueSize > buffer.len() {
            return None;
        }
        buffer.truncate(value.ValueSize);
        Some(buffer)
    }
}

/// PFND3D12DDI_SHADERCACHEALLOCATIONFUNC.
///
/// # Safety
///
/// `context` is the [`Buffers`] of the GetValueCb call that calls this.
unsafe extern "system" fn allocate(size: usize, context: *mut c_void) -> *mut c_void {
    if size == 0 || size > LARGEST_VALUE {
        return ptr::null_mut();
    }
    let mut buffer = Vec::new();
    if buffer.try_reserve_exact(size).is_err() {
        return ptr::null_mut();
    }
    buffer.resize(size, 0_u8);
    let place = buffer.as_mut_ptr().cast();
    // SAFETY: `context` is the `Buffers` of a GetValueCb call (`# Safety`), which the driver does not touch until the call returns.
    unsafe { (*context.cast::<Buffers>()).0.push(buffer) };
    place
}

/// What begins the one value that a host of build 0021 keeps for a key.
const PACKED: [u8; 4] = *b"FBPV";

/// Both values in one: magic, 64 bits for the size of the object code, object code, metadata.
fn pack(code: &[u8], metadata: &[u8]) -> Vec<u8> {
    let size = code.len() as u64;
    [&PACKED[..], &size.to_le_bytes(), code, metadata].concat()
}

fn unpack(packed: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (size, rest) = packed.strip_prefix(&PACKED)?.split_first_chunk()?;
    let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
    let (code, metadata) = rest.split_at_checked(size)?;
    Some((code.to_vec(), metadata.to_vec()))
}

/// The application that the adapter's host describes, if it does (D3DDDI_QUERYADAPTERTYPE_APPLICATIONDESC).
pub(crate) fn application_of_host(adapter: &Adapter) -> Option<ApplicationDesc> {
    let mut buffer = [0; size_of::<D3D12DDI_APPLICATION_DESC>()];
    let (result, size) = adapter
        .runtime
        .query(D3DDDI_QUERYADAPTERTYPE_APPLICATIONDESC, &mut buffer);
    if !result.is_ok() || size != buffer.len() {
        return None;
    }
    // SAFETY: the structure is numbers and pointers, which any bytes are.
    let desc = unsafe {
        buffer
            .as_ptr()
            .cast::<D3D12DDI_APPLICATION_DESC>()
            .read_unaligned()
    };
    // SAFETY: the DDI: the host has put its strings there, which live until the adapter is closed.
    unsafe { application(&desc) }.ok()
}

/// A copy of an application's description.
///
/// # Errors
///
/// A string is missing or has no end.
///
/// # Safety
///
/// The strings are null, misaligned, or end with a NUL.
pub(crate) unsafe fn application(desc: &D3D12DDI_APPLICATION_DESC) -> Result<ApplicationDesc> {
    let text = |name| {
        // SAFETY: `name` is a string of `desc`: null, misaligned, or with a NUL at its end (`# Safety`).
        let units = unsafe { name_at(name) }?;
        U16CString::from_vec(units).map_err(|error| Error::invalid(error.to_string()))
    };
    let engine = if desc.pEngineName.is_null() {
        None
    } else {
        Some(Engine {
            name: text(desc.pEngineName)?,
            version: desc.EngineVersion.bits(),
        })
    };
    Ok(ApplicationDesc {
        exe_filename: text(desc.pExeFilename)?,
        name: text(desc.pName)?,
        version: desc.Version.bits(),
        engine,
    })
}
