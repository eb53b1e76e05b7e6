//! `ID3D12CompilerFactory`.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{mem, ptr, slice};

use api_sys::{
    D3D12_ADAPTER_FAMILY, D3D12_APPLICATION_DESC, D3D12_COMPILER_DATABASE_PATH,
    D3D12_COMPILER_TARGET, D3D12_VERSION_NUMBER, DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND,
    E_FAIL, E_INVALIDARG, E_NOINTERFACE, E_POINTER, ID3D12Compiler, ID3D12CompilerCacheSession,
    ID3D12CompilerFactory_Vtbl, S_OK,
};
use windows_core::{GUID, HRESULT, Interface, PCWSTR, Ref};

use crate::defect::Defect;
use crate::hook::{follow, release};
use crate::{any_gone, compiler, count_factory, factory_ended, has, or_null, path_of, session};

/// What stands for a null name where the runtime would refuse it: no application has it.
pub(crate) const NO_NAME: [u16; 2] = [1, 0];

static ORIGINAL: OnceLock<ID3D12CompilerFactory_Vtbl> = OnceLock::new();

fn original() -> &'static ID3D12CompilerFactory_Vtbl {
    ORIGINAL.get().expect("set before a method is replaced")
}

/// Replaces the methods of a factory.
///
/// # Safety
/// `factory` is an `ID3D12CompilerFactory` that the program has not got yet.
pub(crate) unsafe fn hook(factory: *mut c_void) {
    count_factory(1);
    // SAFETY: the caller's promise.
    unsafe {
        crate::hook::hook(factory, &ORIGINAL, |table| {
            table.base__.AddRef = add_ref;
            table.base__.Release = release_factory;
            table.EnumerateAdapterFamilies = enumerate_adapter_families;
            table.EnumerateAdapterFamilyABIVersions = enumerate_abi_versions;
            table.EnumerateAdapterFamilyCompilerVersion = enumerate_compiler_version;
            table.GetApplicationProfileVersion = get_application_profile_version;
            table.CreateCompilerCacheSession = create_compiler_cache_session;
            table.CreateCompiler = create_compiler;
        });
    }
}

// In every function below the pointers are null or to what the API says.

unsafe extern "system" fn add_ref(this: *mut c_void) -> u32 {
    count_factory(1);
    // SAFETY: the caller's promise is passed on; here and below.
    unsafe { (original().base__.AddRef)(this) }
}

unsafe extern "system" fn release_factory(this: *mut c_void) -> u32 {
    count_factory(-1);
    // SAFETY: see above.
    let left = unsafe { (original().base__.Release)(this) };
    if left == 0 {
        factory_ended();
    }
    left
}

/// How many families there are.
fn families(this: *mut c_void) -> u32 {
    let mut family = D3D12_ADAPTER_FAMILY::default();
    // SAFETY: a place for a family.
    let mut is = |index| unsafe {
        (original().EnumerateAdapterFamilies)(this, index, &raw mut family) == S_OK
    };
    let mut count = 0;
    while is(count) {
        count += 1;
    }
    count
}

unsafe extern "system" fn enumerate_adapter_families(
    this: *mut c_void,
    mut index: u32,
    family: *mut D3D12_ADAPTER_FAMILY,
) -> HRESULT {
    if family.is_null() {
        if has(Defect::NullFamilyAccepted) {
            return S_OK;
        }
        if has(Defect::NullFamilyFollowed) {
            follow(family);
        }
    }
    let count = families(this);
    if has(Defect::FamiliesReversed) && index < count {
        index = count - 1 - index;
    }
    if has(Defect::PastTheEndLast) && index == u32::MAX {
        index = count - 1;
    }
    if has(Defect::FamiliesInTurn) && index < count {
        static TURN: AtomicU32 = AtomicU32::new(0);
        index = TURN.fetch_add(1, Ordering::Relaxed) % count;
    }
    // SAFETY: see above.
    let result = unsafe { (original().EnumerateAdapterFamilies)(this, index, family) };
    if result == S_OK && has(Defect::FamilyTruncated) {
        // SAFETY: the runtime has written to it.
        unsafe { &mut *family }.szAdapterFamily[4..].fill(0);
    }
    match result {
        DXGI_ERROR_NOT_FOUND if has(Defect::PastTheEndInvalid) => E_INVALIDARG,
        _ => result,
    }
}

/// The ABI versions of a family, newest first.
fn abi_versions(this: *mut c_void, family: u32) -> Vec<u64> {
    let mut versions = vec![0; 64];
    let mut count = 64;
    // SAFETY: as many places as the count says.
    let result = unsafe {
        (original().EnumerateAdapterFamilyABIVersions)(
            this,
            family,
            &raw mut count,
            versions.as_mut_ptr(),
        )
    };
    versions.truncate(if result == S_OK { count as usize } else { 0 });
    versions
}

unsafe extern "system" fn enumerate_abi_versions(
    this: *mut c_void,
    family: u32,
    count: *mut u32,
    versions: *mut u64,
) -> HRESULT {
    if count.is_null() && has(Defect::AbiNullCountFollowed) {
        follow(count);
    }
    // SAFETY: null or the caller's.
    let capacity = unsafe { count.as_ref() }.copied().unwrap_or(0);
    // SAFETY: see above.
    let result =
        unsafe { (original().EnumerateAdapterFamilyABIVersions)(this, family, count, versions) };
    let list = abi_versions(this, family);
    let (Some(total), Ok(length)) = (
        // SAFETY: null or the caller's.
        unsafe { count.as_mut() },
        u32::try_from(list.len()),
    ) else {
        return result;
    };
    if list.is_empty() {
        if family == families(this) && has(Defect::AbiOnePast) {
            return S_OK;
        }
        return if has(Defect::AbiUnknownInvalid) {
            E_INVALIDARG
        } else {
            result
        };
    }
    if versions.is_null() {
        if has(Defect::AbiSizeQueryFails) {
            return DXGI_ERROR_MORE_DATA;
        }
        if has(Defect::AbiSizeQueryZero) {
            *total = 0;
        }
        return result;
    }
    if has(Defect::AbiOldestFirst) {
        let oldest = list.iter().rev().take(capacity as usize).enumerate();
        // SAFETY: the caller's array has `capacity` entries.
        oldest.for_each(|(index, version)| unsafe { versions.add(index).write(*version) });
    }
    if capacity > length {
        if has(Defect::AbiCountIsCapacity) {
            *total = capacity;
        }
        if has(Defect::AbiTailCleared) {
            // SAFETY: as before.
            unsafe {
                versions
                    .add(list.len())
                    .write_bytes(0, (capacity - length) as usize);
            };
        }
    }
    if capacity < length {
        if has(Defect::AbiRepeats) {
            // SAFETY: the caller's array has `capacity` entries.
            unsafe { slice::from_raw_parts_mut(versions, capacity as usize) }.fill(list[0]);
        }
        if has(Defect::AbiOverrun) {
            // SAFETY: none; that is the defect.
            unsafe { versions.add(capacity as usize).write(0) };
        }
        if has(Defect::AbiCountKept) {
            *total = capacity;
        }
        if has(Defect::AbiShortSucceeds) {
            return S_OK;
        }
    }
    result
}

unsafe extern "system" fn enumerate_compiler_version(
    this: *mut c_void,
    mut family: u32,
    version: *mut D3D12_VERSION_NUMBER,
) -> HRESULT {
    let count = families(this);
    if !version.is_null() && family == count && has(Defect::CompilerVersionOnePast) {
        return S_OK;
    }
    if family < count && has(Defect::CompilerVersionOfFirst) {
        family = 0;
    }
    if version.is_null() && has(Defect::CompilerVersionNullFollowed) {
        follow(version);
    }
    // SAFETY: see above.
    let result =
        unsafe { (original().EnumerateAdapterFamilyCompilerVersion)(this, family, version) };
    if result == S_OK && has(Defect::CompilerVersionCut) {
        // SAFETY: the runtime has written to it.
        unsafe { version.write(((*version).value() & !0xFFFF_FFFF).into()) };
    }
    if !version.is_null() && result != S_OK && has(Defect::CompilerVersionUnknown) {
        return S_OK;
    }
    result
}

unsafe extern "system" fn get_application_profile_version(
    this: *mut c_void,
    target: *const D3D12_COMPILER_TARGET,
    application: *const D3D12_APPLICATION_DESC,
    version: *mut D3D12_VERSION_NUMBER,
) -> HRESULT {
    if target.is_null() && has(Defect::ProfileNullFollowed) {
        follow(target);
    }
    // SAFETY: null or the caller's.
    let mut given = unsafe { application.as_ref() }.copied();
    if let Some(given) = &mut given {
        if given.pName.is_null() {
            if has(Defect::ProfileNameless) {
                return S_OK;
            }
            if has(Defect::HostNameHandedDown) {
                given.pName = PCWSTR(NO_NAME.as_ptr());
            }
        }
        if given.pExeFilename.is_null() && has(Defect::ProfileNameFollowed) {
            follow(given.pExeFilename.0);
        }
        if has(Defect::ProfileEngineDropped) {
            given.pEngineName = PCWSTR::null();
        }
    }
    let application = or_null(given.as_ref());
    // SAFETY: null or the caller's.
    let mut target = unsafe { target.as_ref() }.copied();
    if let Some(target) = target.as_mut().filter(|target| target.ABIVersion == 0) {
        let versions = abi_versions(this, target.AdapterFamilyIndex);
        if !versions.is_empty() && has(Defect::ProfileZeroRefused) {
            return E_INVALIDARG;
        }
        if has(Defect::ProfileZeroIsOldest) {
            target.ABIVersion = versions.last().copied().unwrap_or(0);
        }
    }
    if let Some(target) = &mut target
        && abi_versions(this, target.AdapterFamilyIndex).contains(&target.ABIVersion)
        && has(Defect::ProfileOfFirst)
    {
        target.AdapterFamilyIndex = 0;
        target.ABIVersion = 0;
    }
    // SAFETY: see above.
    let result = unsafe {
        let target = or_null(target.as_ref());
        (original().GetApplicationProfileVersion)(this, target, application, version)
    };
    let foreign = |target: D3D12_COMPILER_TARGET| {
        let count = families(this);
        let versions = (0..count).flat_map(|family| abi_versions(this, family));
        target.AdapterFamilyIndex < count && { versions }.any(|it| it == target.ABIVersion)
    };
    if result != S_OK
        && has(Defect::ProfileForeignAbi)
        && !application.is_null()
        && !version.is_null()
        && target.is_some_and(foreign)
        && given.is_some_and(|given| !given.pName.is_null() && !given.pExeFilename.is_null())
    {
        return S_OK;
    }
    if result == S_OK && has(Defect::ProfileVersionZero) {
        // SAFETY: the runtime has written to it.
        unsafe { version.write(0.into()) };
    }
    let named = given.is_some_and(|given| !given.pName.is_null() && !given.pExeFilename.is_null());
    let complete = target.is_some() && named && !version.is_null();
    if complete && result != S_OK && has(Defect::ProfileUnknownAccepted) {
        return S_OK;
    }
    result
}

unsafe extern "system" fn create_compiler_cache_session(
    this: *mut c_void,
    paths: *const D3D12_COMPILER_DATABASE_PATH,
    count: u32,
    target: *const D3D12_COMPILER_TARGET,
    application: *const D3D12_APPLICATION_DESC,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    if count == 0 && has(Defect::NoPathsOtherwise) {
        return E_FAIL;
    }
    if paths.is_null() && has(Defect::NullPathsFollowed) {
        follow(paths);
    }
    // SAFETY: null or the caller's.
    let mut named = unsafe { application.as_ref() }.copied();
    if let Some(named) = &mut named {
        if named.pName.is_null() && has(Defect::SessionNameless) {
            named.pName = PCWSTR(NO_NAME.as_ptr());
        }
        if named.pExeFilename.is_null() && has(Defect::SessionNamelessFails) {
            return E_FAIL;
        }
    }
    let application = or_null(named.as_ref());
    // SAFETY: null or as many as it says.
    let given: &[D3D12_COMPILER_DATABASE_PATH] = if paths.is_null() {
        &[]
    } else {
        // SAFETY: as before.
        unsafe { slice::from_raw_parts(paths, count as usize) }
    };
    // SAFETY: null or NUL-terminated.
    let files: Vec<PathBuf> = given
        .iter()
        .map(|path| unsafe { path_of(path.pPath) })
        .collect();
    let existed = files.iter().any(|file| file.exists());
    if target.is_null() && existed && has(Defect::TargetRequired) {
        return E_INVALIDARG;
    }
    if target.is_null() != application.is_null() && has(Defect::BothOrNeither) {
        return E_INVALIDARG;
    }
    // SAFETY: null or the caller's.
    let mut target = unsafe { target.as_ref() }.copied();
    if let Some(target) = target.as_mut()
        && target.ABIVersion == 0
        && has(Defect::ZeroIsOldest)
    {
        let versions = abi_versions(this, target.AdapterFamilyIndex);
        target.ABIVersion = versions.last().copied().unwrap_or(0);
    }

    // The paths that the runtime gets.
    let mut passed = given.to_vec();
    if passed.len() > 1 && passed[1].pPath.is_null() && has(Defect::SecondPathDropped) {
        passed.truncate(1);
    }
    let good = |path: &D3D12_COMPILER_DATABASE_PATH| !path.pPath.is_null() && path.Types != 0;
    if passed.len() > 1 && !existed && passed.iter().all(good) && has(Defect::SessionOneFile) {
        passed[0].Types = passed.iter().fold(0, |types, path| types | path.Types);
        passed.truncate(1);
    }
    let beside: Vec<Vec<u16>> = files
        .iter()
        .map(|file| {
            format!("{}.other\0", file.display())
                .encode_utf16()
                .collect()
        })
        .collect();
    if has(Defect::SessionElsewhere) {
        for ((path, file), beside) in passed.iter_mut().zip(&files).zip(&beside) {
            if !path.pPath.is_null() && !file.exists() {
                path.pPath = PCWSTR(beside.as_ptr());
            }
        }
    }
    let (first, length) = if paths.is_null() {
        (paths, count)
    } else {
        (
            passed.as_ptr(),
            u32::try_from(passed.len()).unwrap_or(count),
        )
    };
    // SAFETY: see above.
    let create = || unsafe {
        (original().CreateCompilerCacheSession)(
            this,
            first,
            length,
            or_null(target.as_ref()),
            application,
            riid,
            place,
        )
    };
    let mut result = create();
    let is_text = |file: &Path| {
        std::fs::read(file).is_ok_and(|bytes| !bytes.is_empty() && !bytes.starts_with(b"SQLite"))
    };
    let second = files.len() > 1 && has(Defect::SecondFileReplaced);
    if result.is_err()
        && (second || has(Defect::FileReplaced))
        && files.iter().any(|file| is_text(file))
    {
        for file in &files {
            let _ = std::fs::remove_file(file);
        }
        result = create();
    }
    if result == E_NOINTERFACE && has(Defect::SessionIidInvalid) {
        return E_INVALIDARG;
    }
    if result != S_OK {
        if named.is_some_and(|named| named.pName.is_null()) && has(Defect::SessionNamelessPlace) {
            // SAFETY: the caller's place.
            unsafe { place.write(ptr::dangling_mut()) };
        }
        return result;
    }
    if !existed && has(Defect::SessionFails) {
        // SAFETY: the place has a session.
        unsafe { release(place) };
        return E_FAIL;
    }
    // SAFETY: the call succeeded, so the IID and the place are there.
    if unsafe { *riid } == ID3D12CompilerCacheSession::IID {
        let info = session::Info {
            existed,
            first_types: given[0].Types,
            types: given.iter().fold(0, |types, path| types | path.Types),
            target,
            // SAFETY: null or the caller's.
            application: unsafe { application.as_ref() }.copied(),
        };
        // SAFETY: as before.
        unsafe { session::hook(*place, info) };
    }
    result
}

unsafe extern "system" fn create_compiler(
    this: *mut c_void,
    session: Ref<ID3D12CompilerCacheSession>,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    // SAFETY: a Ref is the pointer.
    let pointer: *mut c_void = unsafe { mem::transmute_copy(&session) };
    if pointer.is_null() {
        if has(Defect::NullSessionPointer) {
            // SAFETY: the caller's place.
            unsafe { place.write(ptr::null_mut()) };
            return E_POINTER;
        }
        if has(Defect::NullSessionFollowed) {
            follow(pointer);
        }
        if has(Defect::NullSessionPlace) {
            // SAFETY: the caller's place.
            unsafe { place.write(ptr::dangling_mut()) };
            return E_INVALIDARG;
        }
    }
    if session::has_target_of_file(pointer) && has(Defect::CompilerNeedsTarget) {
        return E_INVALIDARG;
    }
    let of_last = session::last().filter(|_| has(Defect::CompilerOfLast));
    let passed = of_last.map_or(pointer, |(last, _)| last);
    // SAFETY: see above; a Ref is the pointer.
    let create = |iid: *const GUID| unsafe {
        (original().CreateCompiler)(this, mem::transmute_copy(&passed), iid, place)
    };
    if any_gone() && has(Defect::CreateEndsOthers) {
        return E_FAIL;
    }
    let result = match create(riid) {
        E_NOINTERFACE if has(Defect::CompilerIidIgnored) => create(&ID3D12Compiler::IID),
        result => result,
    };
    if result == S_OK && has(Defect::OneCompiler) && session::has_compiler(pointer) {
        // SAFETY: the place has a compiler.
        unsafe { release(place) };
        return E_FAIL;
    }
    // SAFETY: the call succeeded, so the IID and the place are there.
    if result == S_OK && unsafe { *riid } == ID3D12Compiler::IID {
        // SAFETY: as before.
        unsafe { compiler::hook(*place) };
    }
    result
}
