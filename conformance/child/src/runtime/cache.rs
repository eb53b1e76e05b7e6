//! Values and groups of a cache session.

use std::ffi::c_void;
use std::{ptr, slice};

use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_COMPILER_CACHE_CONST_VALUE, D3D12_COMPILER_CACHE_GROUP_KEY,
    D3D12_COMPILER_CACHE_TYPED_CONST_VALUE, D3D12_COMPILER_CACHE_TYPED_VALUE,
    D3D12_COMPILER_CACHE_VALUE, D3D12_COMPILER_CACHE_VALUE_KEY,
    D3D12CompilerCacheSessionAllocationFunc, ID3D12CompilerCacheSession,
};
use conformance_catalogue::verdict::Stop;
use conformance_catalogue::{Rule, rules};
use ddi_sys::{DXGI_ERROR_NOT_FOUND, HRESULT, S_OK};

use super::{Session, count, or_null, result};

/// A value type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    ObjectCode,
    Metadata,
    DebugPdb,
    PerformanceData,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [
        Self::ObjectCode,
        Self::Metadata,
        Self::DebugPdb,
        Self::PerformanceData,
    ];

    /// Its place in D3D12_COMPILER_VALUE_TYPE_FLAGS.
    pub(crate) const fn flag(self) -> u32 {
        1 << self as u32
    }
}

/// So much is read of a value at once; none of the tests' own is larger.
const LARGE: usize = 1 << 20;

pub(crate) fn group_key(key: &[u8]) -> D3D12_COMPILER_CACHE_GROUP_KEY {
    D3D12_COMPILER_CACHE_GROUP_KEY {
        pKey: key.as_ptr().cast(),
        KeySize: count(key),
    }
}

pub(crate) fn value_key(key: &[u8]) -> D3D12_COMPILER_CACHE_VALUE_KEY {
    D3D12_COMPILER_CACHE_VALUE_KEY {
        pKey: key.as_ptr().cast(),
        KeySize: count(key),
    }
}

fn typed_value(kind: Kind, value: *mut c_void, size: u32) -> D3D12_COMPILER_CACHE_TYPED_VALUE {
    D3D12_COMPILER_CACHE_TYPED_VALUE {
        Type: kind as i32,
        Value: D3D12_COMPILER_CACHE_VALUE {
            pValue: value,
            ValueSize: size,
        },
    }
}

/// An entry for FindValue that asks for the size, or for an allocation.
pub(crate) fn size_query(kind: Kind) -> D3D12_COMPILER_CACHE_TYPED_VALUE {
    typed_value(kind, ptr::null_mut(), 0)
}

/// An entry for FindValue with a buffer.
pub(crate) fn buffer(kind: Kind, buffer: &mut [u8]) -> D3D12_COMPILER_CACHE_TYPED_VALUE {
    typed_value(kind, buffer.as_mut_ptr().cast(), count(buffer))
}

/// The allocation callback: what it was asked for, and how often it gives memory.
pub(crate) struct Allocator {
    /// 16-byte blocks, as the memory must suit any object.
    pub(crate) memory: Vec<Vec<u128>>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) left: usize,
}

impl Allocator {
    /// One that gives memory so many times.
    pub(crate) fn new(left: usize) -> Self {
        Self {
            memory: Vec::new(),
            sizes: Vec::new(),
            left,
        }
    }

    unsafe extern "system" fn allocate(size: usize, context: *mut c_void) -> *mut c_void {
        // SAFETY: the context of `Session::find`, which waits for the call.
        let this = unsafe { &mut *context.cast::<Self>() };
        this.sizes.push(size);
        if this.left == 0 {
            return ptr::null_mut();
        }
        this.left -= 1;
        this.memory.push(vec![0; size.div_ceil(16).max(1)]);
        let memory = this.memory.last_mut().expect("it was pushed");
        memory.as_mut_ptr().cast()
    }

    /// The bytes of an allocation.
    pub(crate) fn bytes(&self, index: usize) -> Vec<u8> {
        let bytes = self.memory[index]
            .iter()
            .flat_map(|word| word.to_ne_bytes());
        bytes.take(self.sizes[index]).collect()
    }
}

/// What a callback was called with, once for each call; the context is this.
struct Heard<T>(Vec<T>);

/// Key index, type and value.
pub(crate) type GroupValue = (u32, i32, Vec<u8>);

unsafe extern "system" fn hear_key(
    key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
    context: *mut c_void,
) {
    // SAFETY: the context of `Session::group_keys`, which waits for the call; the key is valid until
    // the callback returns.
    unsafe {
        let key = key.read();
        let bytes = slice::from_raw_parts(key.pKey.cast::<u8>(), key.KeySize as usize);
        (*context.cast::<Heard<Vec<u8>>>()).0.push(bytes.to_vec());
    }
}

unsafe extern "system" fn hear_value(
    index: u32,
    value: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
    context: *mut c_void,
) {
    // SAFETY: the value is readable until this returns, and `context` is the `Heard` of the call.
    unsafe {
        let D3D12_COMPILER_CACHE_TYPED_CONST_VALUE { Type, Value } = value.read();
        let bytes = slice::from_raw_parts(Value.pValue.cast::<u8>(), Value.ValueSize as usize);
        let heard = context.cast::<Heard<GroupValue>>();
        (*heard).0.push((index, Type, bytes.to_vec()));
    }
}

// See the note on calls in the parent module.

impl Session {
    pub(crate) fn raw(&self) -> &ID3D12CompilerCacheSession {
        &self.0
    }

    /// GetApplicationDesc.
    pub(crate) fn application(&self) -> *const D3D12_APPLICATION_DESC {
        // SAFETY: takes nothing.
        unsafe { self.0.GetApplicationDesc() }
    }

    /// GetCompilerTarget.
    pub(crate) fn target(&self) -> (u32, u64) {
        // SAFETY: takes nothing.
        let target = unsafe { self.0.compiler_target() };
        (target.AdapterFamilyIndex, target.ABIVersion)
    }

    /// GetValueTypes.
    pub(crate) fn types(&self) -> u32 {
        // SAFETY: takes nothing.
        unsafe { self.0.GetValueTypes() }
    }

    pub(crate) fn store_raw(
        &self,
        key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        values: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
        count: u32,
    ) -> HRESULT {
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        let call = |key, values| unsafe { self.0.StoreValue(key, values, count) };
        result(call(key, values))
    }

    pub(crate) fn store(&self, key: &[u8], values: &[(Kind, &[u8])]) -> HRESULT {
        let typed = |(kind, value): &(Kind, &[u8])| D3D12_COMPILER_CACHE_TYPED_CONST_VALUE {
            Type: *kind as i32,
            Value: D3D12_COMPILER_CACHE_CONST_VALUE {
                pValue: value.as_ptr().cast(),
                ValueSize: count(value),
            },
        };
        let values: Vec<_> = values.iter().map(typed).collect();
        self.store_raw(&value_key(key), values.as_ptr(), count(&values))
    }

    /// Stores what the test needs. Needs R-VAL-01.
    pub(crate) fn put(&self, key: &[u8], values: &[(Kind, &[u8])]) -> Result<(), Stop> {
        needed(self.store(key, values), rules::R_VAL_01)
    }

    pub(crate) fn find(
        &self,
        key: &[u8],
        values: &mut [D3D12_COMPILER_CACHE_TYPED_VALUE],
        allocator: Option<&mut Allocator>,
    ) -> HRESULT {
        let callback: D3D12CompilerCacheSessionAllocationFunc = match allocator {
            Some(_) => Some(Allocator::allocate),
            None => None,
        };
        let context =
            allocator.map_or(ptr::null_mut(), |allocator| ptr::from_mut(allocator).cast());
        let (number, values) = (count(values), values.as_mut_ptr());
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        result(unsafe {
            self.0
                .FindValue(&value_key(key), values, number, callback, context)
        })
    }

    /// The beginning of a value, followed by what a large buffer held before; `None` if there is no
    /// such value. Needs R-VAL-08 and R-VAL-09.
    pub(crate) fn read(&self, key: &[u8], kind: Kind) -> Result<Option<Vec<u8>>, Stop> {
        let mut memory = vec![0xA5; LARGE];
        let mut values = [buffer(kind, &mut memory)];
        match self.find(key, &mut values, None) {
            S_OK if values[0].Value.ValueSize == 0 => Ok(None),
            S_OK => Ok(Some(memory)),
            DXGI_ERROR_NOT_FOUND => Ok(None),
            _ => Err(Stop::needs(rules::R_VAL_09)),
        }
    }

    /// Whether a value is there and begins like this.
    pub(crate) fn holds(&self, key: &[u8], kind: Kind, value: &[u8]) -> Result<bool, Stop> {
        Ok(self
            .read(key, kind)?
            .is_some_and(|memory| memory.starts_with(value)))
    }

    pub(crate) fn store_group_raw(
        &self,
        key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        version: u32,
        keys: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        count: u32,
    ) -> HRESULT {
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        let call = |key, keys| unsafe { self.0.StoreGroupValueKeys(key, version, keys, count) };
        result(call(key, keys))
    }

    pub(crate) fn store_group(&self, key: &[u8], version: u32, keys: &[&[u8]]) -> HRESULT {
        let keys: Vec<_> = keys.iter().map(|key| value_key(key)).collect();
        self.store_group_raw(&group_key(key), version, keys.as_ptr(), count(&keys))
    }

    /// Stores a group that the test needs. Needs R-GRP-09.
    pub(crate) fn put_group(&self, key: &[u8], version: u32, keys: &[&[u8]]) -> Result<(), Stop> {
        needed(self.store_group(key, version, keys), rules::R_GRP_09)
    }

    /// The version of a group.
    pub(crate) fn find_group(&self, key: &[u8]) -> Result<u32, HRESULT> {
        let mut version = u32::MAX;
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        match result(unsafe { self.0.FindGroup(&group_key(key), &raw mut version) }) {
            S_OK => Ok(version),
            failure => Err(failure),
        }
    }

    /// Whether a group is there with a version. Needs R-GRP-01 and R-GRP-02.
    pub(crate) fn group_version(&self, key: &[u8]) -> Result<Option<u32>, Stop> {
        match self.find_group(key) {
            Ok(version) => Ok(Some(version)),
            Err(DXGI_ERROR_NOT_FOUND) => Ok(None),
            Err(_) => Err(Stop::needs(rules::R_GRP_02)),
        }
    }

    /// FindGroupValueKeys, and what its callback heard.
    pub(crate) fn find_group_keys(
        &self,
        key: &[u8],
        expected: Option<u32>,
    ) -> (HRESULT, Vec<Vec<u8>>) {
        let mut heard = Heard(Vec::new());
        let context = (&raw mut heard).cast();
        let expected = or_null(expected.as_ref());
        let key = group_key(key);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        let returned = unsafe {
            self.0
                .FindGroupValueKeys(&raw const key, expected, Some(hear_key), context)
        };
        (result(returned), heard.0)
    }

    /// The value keys of a group. Needs R-GRP-03.
    pub(crate) fn group_keys(&self, key: &[u8]) -> Result<Vec<Vec<u8>>, Stop> {
        let (returned, keys) = self.find_group_keys(key, None);
        needed(returned, rules::R_GRP_03)?;
        Ok(keys)
    }

    /// FindGroupValues, and what its callback heard.
    pub(crate) fn find_group_values(
        &self,
        key: &[u8],
        expected: Option<u32>,
        types: u32,
    ) -> (HRESULT, Vec<GroupValue>) {
        let mut heard = Heard(Vec::new());
        let context = (&raw mut heard).cast();
        let expected = or_null(expected.as_ref());
        let (key, callback) = (
            group_key(key),
            Some(hear_value as unsafe extern "system" fn(_, _, _)),
        );
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        let returned = unsafe {
            self.0
                .FindGroupValues(&raw const key, expected, types, callback, context)
        };
        (result(returned), heard.0)
    }

    /// FindGroupValueKeys without a callback.
    pub(crate) fn has_group(&self, key: &[u8], expected: Option<u32>) -> HRESULT {
        let (key, expected) = (group_key(key), or_null(expected.as_ref()));
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        result(unsafe {
            self.0
                .FindGroupValueKeys(&raw const key, expected, None, ptr::null_mut())
        })
    }

    /// FindGroupValues without a callback.
    pub(crate) fn has_group_values(
        &self,
        key: &[u8],
        expected: Option<u32>,
        types: u32,
    ) -> HRESULT {
        let (key, expected) = (group_key(key), or_null(expected.as_ref()));
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        let returned = unsafe {
            self.0
                .FindGroupValues(&raw const key, expected, types, None, ptr::null_mut())
        };
        result(returned)
    }
}

/// A step that must succeed for the test to go on.
fn needed(returned: HRESULT, rule: Rule) -> Result<(), Stop> {
    if returned == S_OK {
        Ok(())
    } else {
        Err(Stop::needs(rule))
    }
}
