//! Reads what C++ callers pass into Rust types.

use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::ptr;

use api_desc::caller;
use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_COMPILER_CACHE_GROUP_KEY, D3D12_COMPILER_CACHE_VALUE_KEY,
    D3D12_COMPILER_DATABASE_PATH, D3D12_COMPILER_TARGET, D3D12_DATABASE_GROUP_KEY,
    D3D12_VERSION_NUMBER,
};
use plugin_host::{ApplicationDesc, Engine, U16CString};
use shader_db::psdb::ValueTypes;
use shader_db::sodb::GroupKey;
use windows_core::PCWSTR;

use crate::desc::Invalid;
use crate::{Error, TargetDesc};

/// A limit on the elements of an array, far above what a caller needs.
const MANY: usize = 1 << 24;

/// Reads a string, which must not be empty.
///
/// # Safety
///
/// `string` is null or NUL-terminated.
pub(crate) unsafe fn wide(what: &str, string: PCWSTR) -> Result<U16CString, Invalid> {
    // SAFETY: `string` is null, which is refused, or NUL-terminated (`# Safety`).
    let units = unsafe { caller::wide_string(what, string.0) }?;
    if units.is_empty() {
        return Err(Invalid::other(format!("{what} is empty")));
    }
    owned(what, units)
}

/// Reads an optional string: `None` for null and for an empty one.
///
/// # Safety
///
/// As for [`wide`].
unsafe fn optional_wide(what: &str, string: PCWSTR) -> Result<Option<U16CString>, Invalid> {
    if string.is_null() {
        return Ok(None);
    }
    // SAFETY: `string` was found not null, and is NUL-terminated (`# Safety`).
    let units = unsafe { caller::wide_string(what, string.0) }?;
    if units.is_empty() {
        return Ok(None);
    }
    owned(what, units).map(Some)
}

fn owned(what: &str, units: &[u16]) -> Result<U16CString, Invalid> {
    U16CString::from_vec(units).map_err(|_| Invalid::other(format!("{what} has a NUL")))
}

/// Reads a path. Refuses ill-formed UTF-16, which neither SQLite nor other systems can represent.
///
/// # Safety
///
/// As for [`wide`].
pub(crate) unsafe fn path(what: &str, path: PCWSTR) -> Result<PathBuf, Invalid> {
    // SAFETY: `path` is null or NUL-terminated (`# Safety`).
    let path = unsafe { wide(what, path) }?;
    let path = path.to_string();
    path.map(PathBuf::from)
        .map_err(|_| Invalid::other(format!("{what} is ill-formed UTF-16")))
}

/// Reads the files of a session.
///
/// # Safety
///
/// `paths` is null or to `count` elements with strings that are null or NUL-terminated.
pub(super) unsafe fn database_paths(
    paths: *const D3D12_COMPILER_DATABASE_PATH,
    count: u32,
) -> Result<Vec<(ValueTypes, PathBuf)>, Error> {
    // SAFETY: `paths` is null or to `count` elements (`# Safety`).
    let paths = unsafe { array("pPaths", paths, count) }?;
    let file = |file: &D3D12_COMPILER_DATABASE_PATH| {
        let types = ValueTypes::from_bits(file.Types);
        let types = types.filter(|types| !types.is_empty()).ok_or_else(|| {
            Error::argument(format!(
                "Types {:#x} are not value types of a file",
                file.Types
            ))
        })?;
        // SAFETY: `pPath` of each element is null or NUL-terminated (`# Safety`).
        Ok((types, unsafe { path("pPath", file.pPath) }?))
    };
    paths.iter().map(file).collect()
}

/// Reads one structure; `None` for null.
///
/// # Safety
///
/// `pointer` is null, not aligned, or to a `T` that is valid for `'a`.
pub(super) unsafe fn optional<'a, T>(
    what: &str,
    pointer: *const T,
) -> Result<Option<&'a T>, Invalid> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: `pointer` was found not null; it is not aligned, or to a `T` that is valid for `'a` (`# Safety`).
    Ok(Some(unsafe { caller::required(what, pointer) }?))
}

/// Reads a target; `None` for null.
///
/// # Safety
///
/// `target` is null or to a target.
pub(super) unsafe fn target(
    target: *const D3D12_COMPILER_TARGET,
) -> Result<Option<TargetDesc>, Invalid> {
    // SAFETY: `target` is null or to a target (`# Safety`), which is copied before this returns.
    let target = unsafe { optional("pTarget", target) }?;
    Ok(target.map(|target| TargetDesc {
        adapter_family_index: target.AdapterFamilyIndex,
        abi_version: target.ABIVersion,
    }))
}

/// Reads an application; `None` for null.
///
/// # Safety
///
/// `application` is null or to an application, with strings that are null or NUL-terminated.
pub(super) unsafe fn application(
    application: *const D3D12_APPLICATION_DESC,
) -> Result<Option<ApplicationDesc>, Error> {
    // SAFETY: `application` is null or to an application (`# Safety`), which is copied before this returns.
    let Some(application) = unsafe { optional("pApplicationDesc", application) }? else {
        return Ok(None);
    };
    // SAFETY: `pEngineName` is null or NUL-terminated (`# Safety`).
    let engine = unsafe { optional_wide("pEngineName", application.pEngineName) }?;
    let engine = engine.map(|name| Engine {
        name,
        version: application.EngineVersion.bits(),
    });
    Ok(Some(ApplicationDesc {
        // SAFETY: `pExeFilename` is null or NUL-terminated (`# Safety`).
        exe_filename: unsafe { wide("pExeFilename", application.pExeFilename) }?,
        // SAFETY: `pName` is null or NUL-terminated (`# Safety`).
        name: unsafe { wide("pName", application.pName) }?,
        version: application.Version.bits(),
        engine,
    }))
}

/// The API's structure of an application; it points into `application`.
pub(super) fn application_desc(application: &ApplicationDesc) -> D3D12_APPLICATION_DESC {
    let engine = application.engine.as_ref();
    D3D12_APPLICATION_DESC {
        pExeFilename: PCWSTR(application.exe_filename.as_ptr()),
        pName: PCWSTR(application.name.as_ptr()),
        Version: D3D12_VERSION_NUMBER::from_bits(application.version),
        pEngineName: engine.map_or(PCWSTR::null(), |engine| PCWSTR(engine.name.as_ptr())),
        EngineVersion: D3D12_VERSION_NUMBER::from_bits(engine.map_or(0, |engine| engine.version)),
    }
}

/// Reads the bytes of a group's key.
///
/// # Safety
///
/// `key` is null or to a key, whose `pKey` is null or to as many bytes as it says, valid for `'a`.
pub(super) unsafe fn group_key<'a>(
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
) -> Result<&'a [u8], Error> {
    // SAFETY: `key` is null or to a key, whose `pKey` is null or to `KeySize` bytes that are valid for `'a` (`# Safety`).
    unsafe {
        let key = caller::required("pGroupKey", key)?;
        key_bytes(key.pKey, key.KeySize)
    }
}

/// Reads the bytes of a value's key.
///
/// # Safety
///
/// As for [`group_key`].
pub(super) unsafe fn value_key<'a>(
    key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
) -> Result<&'a [u8], Error> {
    // SAFETY: `key` is null or to a key, whose `pKey` is null or to `KeySize` bytes that are valid for `'a` (`# Safety`).
    unsafe {
        let key = caller::required("pValueKey", key)?;
        key_bytes(key.pKey, key.KeySize)
    }
}

/// Reads the bytes of a group's key in a state object database.
///
/// # Safety
///
/// As for [`group_key`].
unsafe fn database_key<'a>(key: &D3D12_DATABASE_GROUP_KEY) -> Result<&'a [u8], Error> {
    // SAFETY: `pKey` is null or to `KeySize` bytes that are valid for `'a` (`# Safety`).
    unsafe { key_bytes(key.pKey, key.KeySize) }
}

/// Reads the bytes of a group's key in a state object database; `None` for null.
///
/// # Safety
///
/// As for [`group_key`].
pub(super) unsafe fn optional_database_key<'a>(
    what: &str,
    key: *const D3D12_DATABASE_GROUP_KEY,
) -> Result<Option<&'a [u8]>, Error> {
    // SAFETY: `key` is null or to a key (`# Safety`).
    let key = unsafe { optional(what, key) }?;
    // SAFETY: `pKey` of the key is null or to `KeySize` bytes that are valid for `'a` (`# Safety`).
    key.map(|key| unsafe { database_key(key) }).transpose()
}

/// Reads keys of groups and their versions, which are 0 if `versions` is null.
///
/// # Safety
///
/// Both arrays are null or have `count` elements; the keys are null or to as many bytes as they say,
/// valid for `'a`.
pub(super) unsafe fn database_groups<'a>(
    keys: *const D3D12_DATABASE_GROUP_KEY,
    versions: *const u32,
    count: u32,
) -> Result<Vec<GroupKey<'a>>, Error> {
    // SAFETY: `keys` is null or to `count` elements that are valid for `'a` (`# Safety`).
    let keys = unsafe { array("pGroupKeys", keys, count) }?;
    let versions = if versions.is_null() {
        &[]
    } else {
        // SAFETY: `versions` was found not null, and has `count` elements (`# Safety`).
        unsafe { array("pVersions", versions, count) }?
    };
    let group = |(at, key)| {
        Ok(GroupKey {
            // SAFETY: `pKey` of each key is null or to `KeySize` bytes that are valid for `'a` (`# Safety`).
            key: unsafe { database_key(key) }?,
            version: versions.get(at).copied().unwrap_or(0),
        })
    };
    keys.iter().enumerate().map(group).collect()
}

/// The API's structure of a group's key; it points into `key`, or is null if `key` is empty.
pub(super) fn database_group_key(key: &[u8]) -> D3D12_DATABASE_GROUP_KEY {
    D3D12_DATABASE_GROUP_KEY {
        pKey: if key.is_empty() {
            ptr::null()
        } else {
            key.as_ptr().cast()
        },
        KeySize: size(key),
    }
}

/// Reads the bytes of a key.
///
/// # Safety
///
/// `key` is null or to `size` bytes, valid for `'a`.
pub(super) unsafe fn key_bytes<'a>(
    key: *const std::ffi::c_void,
    size: u32,
) -> Result<&'a [u8], Error> {
    if size == 0 {
        return Err(Error::argument("a key has no bytes"));
    }
    // SAFETY: `key` is null, which is refused, or to `size` bytes that are valid for `'a` (`# Safety`).
    Ok(unsafe { caller::array("pKey", key.cast(), size as usize, usize::MAX) }?)
}

/// The size of a value or key. A database limits both to less than 4 GiB.
pub(super) fn size(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// Reads the bytes of a value to store.
///
/// # Safety
///
/// `value` is null or to `size` bytes, valid for `'a`.
pub(super) unsafe fn value<'a>(
    value: *const std::ffi::c_void,
    size: u32,
) -> Result<&'a [u8], Error> {
    if size == 0 {
        return Err(Error::argument("a value has no bytes"));
    }
    // SAFETY: `value` is null, which is refused, or to `size` bytes that are valid for `'a` (`# Safety`).
    Ok(unsafe { caller::array("pValue", value.cast(), size as usize, usize::MAX) }?)
}

/// Checks and borrows the place for a result.
///
/// # Safety
///
/// `place` is null, not aligned, or to a `T` that may be uninitialised and is the caller's to lend for
/// `'a`.
pub(crate) unsafe fn place<'a, T>(
    what: &str,
    place: *mut T,
) -> Result<&'a mut MaybeUninit<T>, Invalid> {
    // SAFETY: `place` is null, not aligned, or to a `T` that is lent for `'a` (`# Safety`); any memory is a `MaybeUninit`.
    unsafe { caller::required(what, place.cast_const().cast::<MaybeUninit<T>>()) }?;
    // SAFETY: `place` is not null and aligned, as `required` checked, and the caller's to lend for `'a` (`# Safety`).
    Ok(unsafe { &mut *place.cast() })
}

/// Reads an array.
///
/// # Safety
///
/// `first` is null or to `count` elements, valid for `'a`.
pub(super) unsafe fn array<'a, T>(
    what: &str,
    first: *const T,
    count: u32,
) -> Result<&'a [T], Invalid> {
    // SAFETY: `first` is null or to `count` elements that are valid for `'a` (`# Safety`).
    Ok(unsafe { caller::array(what, first, count as usize, MANY) }?)
}
