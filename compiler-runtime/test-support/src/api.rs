//! The interfaces as a C++ caller uses them, with less to write.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr;

use api_sys::*;
use compiler_runtime::Factory;
use plugin_sdk::PluginEntry as _;
use sample_plugin::SamplePlugin;
use windows_core::{GUID, HRESULT, Interface, PCWSTR};

use crate::corpus::folder;

pub const OBJECT_CODE: i32 = D3D12_COMPILER_VALUE_TYPE_OBJECT_CODE;
pub const METADATA: i32 = D3D12_COMPILER_VALUE_TYPE_METADATA;
pub const DEBUG_PDB: i32 = D3D12_COMPILER_VALUE_TYPE_DEBUG_PDB;
pub const PERFORMANCE_DATA: i32 = D3D12_COMPILER_VALUE_TYPE_PERFORMANCE_DATA;
/// All value types.
pub const ALL: u32 = 15;

pub const FILE_NOT_FOUND: HRESULT = HRESULT(0x8007_0002_u32.cast_signed());
pub const BAD_FORMAT: HRESULT = HRESULT(0x8007_000B_u32.cast_signed());

/// A string with a NUL.
pub fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

/// A string of the API; `-` for null.
///
/// # Safety
///
/// It is null or NUL-terminated, and alive.
pub unsafe fn text(string: PCWSTR) -> String {
    if string.is_null() {
        return "-".into();
    }
    // SAFETY: `string` was found not null, and has a NUL (`# Safety`), at which the reading ends. (`PCWSTR::len` counts 32-bit
    // units where wchar_t has them.)
    let units = (0..).map(|index| unsafe { *string.0.add(index) });
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16(&units).unwrap()
}

pub fn wide_path(path: &Path) -> Vec<u16> {
    wide(path.to_str().unwrap())
}

/// A factory over the sample plugin, linked in.
pub fn sample() -> ID3D12CompilerFactory {
    // SAFETY: the sample plugin keeps the DDI.
    unsafe { Factory::from_entry(SamplePlugin::entry_point()) }
        .unwrap()
        .into()
}

/// A factory over the plugin of these tests.
pub fn scripted() -> ID3D12CompilerFactory {
    crate::plugin::factory().into()
}

/// What a method gives in its last two parameters.
pub fn get<I: Interface>(
    call: impl FnOnce(*const GUID, *mut *mut c_void) -> HRESULT,
) -> Result<I, HRESULT> {
    // Not null, to see that a failure nulls it.
    let mut place = ptr::dangling_mut::<c_void>();
    let result = call(&I::IID, &raw mut place);
    if result.is_ok() {
        // SAFETY: the method gave an interface of that IID.
        Ok(unsafe { I::from_raw(place) })
    } else {
        assert!(place.is_null(), "{result:?}");
        Err(result)
    }
}

/// An application with an engine.
#[derive(Clone)]
pub struct Application {
    pub exe: Vec<u16>,
    pub name: Vec<u16>,
    pub engine: Option<Vec<u16>>,
    pub version: D3D12_VERSION_NUMBER,
}

impl Default for Application {
    fn default() -> Self {
        Self {
            exe: wide("Game.exe"),
            name: wide("Das Spiel ✨"),
            engine: Some(wide("Godot")),
            version: D3D12_VERSION_NUMBER::from_bits(0x0001_005D_0001_0000),
        }
    }
}

impl Application {
    pub fn desc(&self) -> D3D12_APPLICATION_DESC {
        let engine = self.engine.as_ref();
        D3D12_APPLICATION_DESC {
            pExeFilename: PCWSTR(self.exe.as_ptr()),
            pName: PCWSTR(self.name.as_ptr()),
            Version: self.version,
            pEngineName: engine.map_or(PCWSTR::null(), |engine| PCWSTR(engine.as_ptr())),
            EngineVersion: D3D12_VERSION_NUMBER::from_bits(
                engine.map_or(0, |_| 0x0004_0003_0000_0000),
            ),
        }
    }
}

/// Family 0, ABI version 1.
pub static TARGET: D3D12_COMPILER_TARGET = D3D12_COMPILER_TARGET {
    AdapterFamilyIndex: 0,
    ABIVersion: 1,
};

/// Creates a session; `None` is a null argument.
pub fn try_session(
    factory: &ID3D12CompilerFactory,
    paths: &[(u32, PathBuf)],
    target: Option<D3D12_COMPILER_TARGET>,
    application: Option<&Application>,
) -> Result<ID3D12CompilerCacheSession, HRESULT> {
    let strings: Vec<_> = paths.iter().map(|(_, path)| wide_path(path)).collect();
    let path = |((types, _), string): (&(u32, _), &Vec<u16>)| D3D12_COMPILER_DATABASE_PATH {
        Types: *types,
        pPath: PCWSTR(string.as_ptr()),
    };
    let paths: Vec<_> = paths.iter().zip(&strings).map(path).collect();
    let target = target.as_ref().map_or(ptr::null(), ptr::from_ref);
    let desc = application.map(Application::desc);
    let desc = desc.as_ref().map_or(ptr::null(), ptr::from_ref);
    let count = u32::try_from(paths.len()).unwrap();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    get(|riid, place| unsafe {
        factory.CreateCompilerCacheSession(paths.as_ptr(), count, target, desc, riid, place)
    })
}

/// A session on one file with all types of value, for the usual target and application.
pub fn session(factory: &ID3D12CompilerFactory, path: &Path) -> ID3D12CompilerCacheSession {
    let files = [(ALL, path.to_owned())];
    try_session(factory, &files, Some(TARGET), Some(&Application::default())).unwrap()
}

pub fn try_compiler(
    factory: &ID3D12CompilerFactory,
    session: &ID3D12CompilerCacheSession,
) -> Result<ID3D12Compiler1, HRESULT> {
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    get(|riid, place| unsafe { factory.CreateCompiler(session, riid, place) })
}

pub fn compiler(
    factory: &ID3D12CompilerFactory,
    session: &ID3D12CompilerCacheSession,
) -> ID3D12Compiler1 {
    try_compiler(factory, session).unwrap()
}

pub fn group_key(key: &[u8]) -> D3D12_COMPILER_CACHE_GROUP_KEY {
    D3D12_COMPILER_CACHE_GROUP_KEY {
        pKey: key.as_ptr().cast(),
        KeySize: u32::try_from(key.len()).unwrap(),
    }
}

pub fn value_key(key: &[u8]) -> D3D12_COMPILER_CACHE_VALUE_KEY {
    D3D12_COMPILER_CACHE_VALUE_KEY {
        pKey: key.as_ptr().cast(),
        KeySize: u32::try_from(key.len()).unwrap(),
    }
}

pub fn const_value(kind: i32, value: &[u8]) -> D3D12_COMPILER_CACHE_TYPED_CONST_VALUE {
    D3D12_COMPILER_CACHE_TYPED_CONST_VALUE {
        Type: kind,
        Value: D3D12_COMPILER_CACHE_CONST_VALUE {
            pValue: value.as_ptr().cast(),
            ValueSize: u32::try_from(value.len()).unwrap(),
        },
    }
}

pub fn typed_value(kind: i32, value: *mut c_void, size: u32) -> D3D12_COMPILER_CACHE_TYPED_VALUE {
    D3D12_COMPILER_CACHE_TYPED_VALUE {
        Type: kind,
        Value: D3D12_COMPILER_CACHE_VALUE {
            pValue: value,
            ValueSize: size,
        },
    }
}

/// A question for a value's size.
pub fn size_query(kind: i32) -> D3D12_COMPILER_CACHE_TYPED_VALUE {
    typed_value(kind, ptr::null_mut(), 0)
}

pub fn store(
    session: &ID3D12CompilerCacheSession,
    key: &[u8],
    values: &[D3D12_COMPILER_CACHE_TYPED_CONST_VALUE],
) -> HRESULT {
    let count = u32::try_from(values.len()).unwrap();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe { session.StoreValue(&value_key(key), values.as_ptr(), count) }
}

pub fn store_group(
    session: &ID3D12CompilerCacheSession,
    key: &[u8],
    version: u32,
    keys: &[&[u8]],
) -> HRESULT {
    let keys: Vec<_> = keys.iter().map(|key| value_key(key)).collect();
    let count = u32::try_from(keys.len()).unwrap();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe { session.StoreGroupValueKeys(&group_key(key), version, keys.as_ptr(), count) }
}

/// Finds with the allocation callback [`allocate`].
pub fn find(
    session: &ID3D12CompilerCacheSession,
    key: &[u8],
    values: &mut [D3D12_COMPILER_CACHE_TYPED_VALUE],
    allocator: Option<&mut Allocator>,
) -> HRESULT {
    let count = u32::try_from(values.len()).unwrap();
    let function: D3D12CompilerCacheSessionAllocationFunc = match allocator {
        Some(_) => Some(allocate),
        None => None,
    };
    let context = allocator.map_or(ptr::null_mut(), |a| ptr::from_mut(a).cast());
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        session.FindValue(
            &value_key(key),
            values.as_mut_ptr(),
            count,
            function,
            context,
        )
    }
}

/// One whole value; `None` if there is none.
pub fn find_one(session: &ID3D12CompilerCacheSession, key: &[u8], kind: i32) -> Option<Vec<u8>> {
    let mut allocator = Allocator::default();
    let mut values = [size_query(kind)];
    match find(session, key, &mut values, Some(&mut allocator)) {
        DXGI_ERROR_NOT_FOUND => None,
        result => {
            assert_eq!(result, S_OK);
            Some(allocator.memory.remove(0))
        }
    }
}

/// What the allocation callback has given out, and how often it succeeds.
pub struct Allocator {
    pub memory: Vec<Vec<u8>>,
    pub left: usize,
}

impl Default for Allocator {
    fn default() -> Self {
        Self {
            memory: Vec::new(),
            left: usize::MAX,
        }
    }
}

/// The allocation callback of `find`; null once `left` allocations were made.
///
/// # Safety
///
/// `context` points to an [`Allocator`] that nothing else uses.
pub unsafe extern "system" fn allocate(size: usize, context: *mut c_void) -> *mut c_void {
    // SAFETY: `context` is an `Allocator` of its own, as this function asks.
    let allocator = unsafe { &mut *context.cast::<Allocator>() };
    if allocator.left == 0 {
        return ptr::null_mut();
    }
    allocator.left -= 1;
    allocator.memory.push(vec![0; size]);
    allocator.memory.last_mut().unwrap().as_mut_ptr().cast()
}

/// The version of a group.
pub fn group_version(session: &ID3D12CompilerCacheSession, key: &[u8]) -> Result<u32, HRESULT> {
    let mut version = 0;
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    match unsafe { session.FindGroup(&group_key(key), &raw mut version) } {
        S_OK => Ok(version),
        result => Err(result),
    }
}

unsafe extern "system" fn push_key(
    key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
    context: *mut c_void,
) {
    // SAFETY: the context is the list of `group_keys`; the key is readable until this returns.
    unsafe {
        let bytes = std::slice::from_raw_parts((*key).pKey.cast::<u8>(), (*key).KeySize as usize);
        (*context.cast::<Vec<Vec<u8>>>()).push(bytes.to_vec());
    }
}

/// The value keys of a group.
pub fn group_keys(
    session: &ID3D12CompilerCacheSession,
    key: &[u8],
    expected: Option<u32>,
) -> Result<Vec<Vec<u8>>, HRESULT> {
    let expected = expected.as_ref().map_or(ptr::null(), ptr::from_ref);
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let context = (&raw mut keys).cast();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    match unsafe { session.FindGroupValueKeys(&group_key(key), expected, Some(push_key), context) }
    {
        S_OK => Ok(keys),
        result => {
            assert!(keys.is_empty());
            Err(result)
        }
    }
}

/// Key index, type and value.
pub type GroupValue = (u32, i32, Vec<u8>);

unsafe extern "system" fn push_value(
    index: u32,
    value: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
    context: *mut c_void,
) {
    // SAFETY: the context is the list of `group_values`; the value is readable until this returns.
    unsafe {
        let D3D12_COMPILER_CACHE_TYPED_CONST_VALUE { Type, Value } = *value;
        let bytes = std::slice::from_raw_parts(Value.pValue.cast::<u8>(), Value.ValueSize as usize);
        (*context.cast::<Vec<GroupValue>>()).push((index, Type, bytes.to_vec()));
    }
}

/// The values of a group.
pub fn group_values(
    session: &ID3D12CompilerCacheSession,
    key: &[u8],
    expected: Option<u32>,
    types: u32,
) -> Result<Vec<GroupValue>, HRESULT> {
    let expected = expected.as_ref().map_or(ptr::null(), ptr::from_ref);
    let mut values: Vec<GroupValue> = Vec::new();
    let context = (&raw mut values).cast();
    let key = group_key(key);
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    match unsafe {
        session.FindGroupValues(&raw const key, expected, types, Some(push_value), context)
    } {
        S_OK => Ok(values),
        result => Err(result),
    }
}

/// A file of the corpus, aligned as code is.
pub fn corpus(name: &str) -> Vec<u32> {
    let bytes = std::fs::read(folder().join("dxil").join(name)).unwrap();
    words(&bytes)
}

/// Bytes, aligned as containers have to be.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    };
    bytes.chunks(4).map(word).collect()
}

/// A pipeline of one compute shader, with the root signature that is embedded in it.
pub struct ComputePipeline {
    stream: Box<PipelineStateSubobject<D3D12_SHADER_BYTECODE>>,
    _code: Vec<u32>,
}

impl ComputePipeline {
    pub fn new(name: &str) -> Self {
        Self::of(corpus(name))
    }

    /// Of the shader in a container.
    pub fn of(code: Vec<u32>) -> Self {
        let shader = D3D12_SHADER_BYTECODE {
            pShaderBytecode: code.as_ptr().cast(),
            BytecodeLength: size_of_val(&code[..]),
        };
        let record = PipelineStateSubobject::new(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS, shader);
        Self {
            stream: Box::new(record),
            _code: code,
        }
    }

    pub fn desc(&self) -> D3D12_PIPELINE_STATE_STREAM_DESC {
        D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size_of_val(&*self.stream),
            pPipelineStateSubobjectStream: ptr::from_ref(&*self.stream).cast_mut().cast(),
        }
    }
}

impl Default for ComputePipeline {
    fn default() -> Self {
        Self::new("raw_copy_cs.dxil")
    }
}

/// Compiles a pipeline as a group.
pub fn compile(
    compiler: &ID3D12Compiler1,
    key: &[u8],
    version: u32,
    pipeline: &ComputePipeline,
) -> HRESULT {
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe { compiler.CompilePipelineState(&group_key(key), version, &pipeline.desc()) }
}
