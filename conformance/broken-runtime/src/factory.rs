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
use base_plugin::{defects, follow};
use windows_core::{GUID, HRESULT, Interface, PCWSTR, Ref};

use crate::defect::has;
use crate::hook::release;
use crate::host::Host;
use crate::{any_gone, compiler, count_factory, factory_ended, or_null, path_of, session};

/// The defects of this file.
#[macro_export]
macro_rules! factory_defects {
    ($take:ident) => {
        $take! {
            /// In the methods of factories.
            Factory {
                CreateEndsOthers = "create-ends-others" breaks R_FAC_06:
                    "when a factory is released the others create no compilers any more";
                FamiliesReversed = "families-reversed" breaks R_ENUM_01:
                    "the families come in the reverse order";
                FamilyTruncated = "family-truncated" breaks R_ENUM_01:
                    "names of families are cut after 4 characters";
                FamiliesInTurn = "families-in-turn" breaks R_ENUM_01:
                    "each call gives the next family, whatever its index is";
                PastTheEndInvalid = "families-end-invalid" breaks R_ENUM_02:
                    "an index past the end gets E_INVALIDARG";
                PastTheEndLast = "families-end-last" breaks R_ENUM_02:
                    "UINT_MAX gets the last family";
                NullFamilyAccepted = "families-null-accepted" breaks R_ENUM_03:
                    "a null pAdapterFamily gets S_OK";
                NullFamilyFollowed = "families-null-followed" breaks R_ENUM_03:
                    "a null pAdapterFamily is written to";
                AbiSizeQueryFails = "abi-size-query-fails" breaks R_ENUM_04:
                    "the size check gets DXGI_ERROR_MORE_DATA";
                AbiSizeQueryZero = "abi-size-query-zero" breaks R_ENUM_04:
                    "the size check leaves the count at 0";
                AbiCountIsCapacity = "abi-count-is-capacity" breaks R_ENUM_05:
                    "the count of a larger array stays its capacity";
                AbiTailCleared = "abi-tail-cleared" breaks R_ENUM_05:
                    "the rest of a larger array is cleared";
                AbiOverrun = "abi-overrun" breaks R_ENUM_06:
                    "one entry more is written than a short array has";
                AbiCountKept = "abi-count-kept" breaks R_ENUM_06:
                    "the count of a short array stays its capacity";
                AbiRepeats = "abi-repeats" breaks R_ENUM_06:
                    "a short array has the newest version in every place";
                AbiOldestFirst = "abi-oldest-first" breaks R_ENUM_07:
                    "the oldest ABI version comes first";
                AbiShortSucceeds = "abi-short-succeeds" breaks R_ENUM_07:
                    "a short array gets S_OK";
                AbiUnknownInvalid = "abi-unknown-invalid" breaks R_ENUM_07:
                    "an unknown family gets E_INVALIDARG";
                AbiOnePast = "abi-one-past" breaks R_ENUM_07:
                    "the first index past the families gets S_OK";
                AbiNullCountFollowed = "abi-null-count-followed" breaks R_ENUM_07:
                    "a null count is read";
                CompilerVersionCut = "compiler-version-cut" breaks R_ENUM_08:
                    "the revision of the compiler's version is left out";
                CompilerVersionOfFirst = "compiler-version-of-first" breaks R_ENUM_08:
                    "every family has the compiler's version of the first";
                CompilerVersionUnknown = "compiler-version-unknown" breaks R_ENUM_09:
                    "an unknown family gets S_OK";
                CompilerVersionOnePast = "compiler-version-one-past" breaks R_ENUM_09:
                    "the first index past the families gets S_OK";
                CompilerVersionNullFollowed = "compiler-version-null-followed" breaks R_ENUM_09:
                    "a null pCompilerVersion is written to";
                ProfileVersionZero = "profile-version-zero" breaks R_ENUM_10:
                    "the profile version is 0";
                ProfileOfFirst = "profile-of-first" breaks R_ENUM_10:
                    "every family has the profile version of the first";
                ProfileEngineDropped = "profile-engine-dropped" breaks R_ENUM_10:
                    "the application's engine does not reach the plugin";
                ProfileZeroRefused = "profile-zero-refused" breaks R_ENUM_11:
                    "an ABIVersion of 0 is refused";
                ProfileZeroIsOldest = "profile-zero-is-oldest" breaks R_ENUM_11:
                    "an ABIVersion of 0 stands for the oldest";
                ProfileUnknownAccepted = "profile-unknown-accepted" breaks R_ENUM_12:
                    "an unknown target gets S_OK";
                ProfileForeignAbi = "profile-foreign-abi" breaks R_ENUM_12:
                    "the ABI version of another family gets S_OK";
                ProfileNullFollowed = "profile-null-followed" breaks R_ENUM_12:
                    "a null target is read";
                ProfileNameless = "profile-nameless-accepted" breaks R_ENUM_13:
                    "an application without a name gets S_OK";
                ProfileNameFollowed = "profile-name-followed" breaks R_ENUM_13:
                    "a null pExeFilename is read";
                SessionElsewhere = "session-elsewhere" breaks R_SES_01:
                    "a new database is created beside the path";
                SessionFails = "session-fails" breaks R_SES_01:
                    "a path that leads to no file gets E_FAIL";
                SessionOneFile = "session-one-file" breaks R_SES_03:
                    "every type is stored in the file of the first path";
                TargetRequired = "session-target-required" breaks R_SES_08:
                    "a null target is refused for a file that exists";
                BothOrNeither = "session-both-or-neither" breaks R_SES_08:
                    "a target without an application is refused, and an application without a target";
                NoPathsOtherwise = "session-no-paths-fail" breaks R_SES_09:
                    "no paths get E_FAIL";
                NullPathsFollowed = "session-null-paths-followed" breaks R_SES_09:
                    "null pPaths are read";
                SecondPathDropped = "session-second-path-dropped" breaks R_SES_09:
                    "paths behind the first that are null are passed over";
                FileReplaced = "session-file-replaced" breaks R_SES_10:
                    "a file that is no database is replaced by one";
                SecondFileReplaced = "session-second-file-replaced" breaks R_SES_10:
                    "a second file that is no database is replaced by one";
                SessionNameless = "session-nameless-accepted" breaks R_SES_11:
                    "an application without a name gets a session";
                SessionNamelessFails = "session-nameless-fails" breaks R_SES_11:
                    "an application without an executable gets E_FAIL";
                SessionNamelessPlace = "session-nameless-place" breaks R_SES_11:
                    "an application without a name leaves *ppCompilerCacheSession as it was";
                OneCompiler = "compiler-only-one" breaks R_CMP_01:
                    "a session gets one compiler";
                NullSessionPointer = "compiler-null-session-pointer" breaks R_CMP_02:
                    "a null session gets E_POINTER";
                NullSessionFollowed = "compiler-null-session-followed" breaks R_CMP_02:
                    "a null session is called";
                NullSessionPlace = "compiler-null-session-place" breaks R_CMP_02:
                    "a null session leaves *ppCompiler as it was";
                ZeroIsOldest = "compiler-zero-is-oldest" breaks R_CMP_03:
                    "a session's ABIVersion of 0 stands for the oldest";
                CompilerOfLast = "compiler-of-last-session" breaks R_CMP_03:
                    "a compiler is for the session that was created last";
                CompilerNeedsTarget = "compiler-needs-target" breaks R_CMP_03:
                    "a session whose target is that of its file gets no compiler";
                CompilerIidIgnored = "compiler-iid-ignored" breaks R_LIF_01:
                    "an unknown IID gets a compiler";
                SessionIidInvalid = "session-iid-invalid" breaks R_LIF_01:
                    "an unknown IID of a session gets E_INVALIDARG";
            }
        }
    };
}

factory_defects!(defects);

/// What stands for a null name where the runtime would refuse it: no application has it.
pub(crate) const NO_NAME: [u16; 2] = [1, 0];

static ORIGINAL: OnceLock<ID3D12CompilerFactory_Vtbl> = OnceLock::new();

fn original() -> &'static ID3D12CompilerFactory_Vtbl {
    ORIGINAL.get().expect("set before a method is replaced")
}

/// Replaces the methods of a factory.
///
/// # Safety
///
/// `factory` is an `ID3D12CompilerFactory` that the program has not got yet.
pub(crate) unsafe fn hook(factory: *mut c_void) {
    count_factory(1);
    // SAFETY: `factory` is an `ID3D12CompilerFactory` that the program has not got yet, as this
    // function demands.
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
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    unsafe { (original().base__.AddRef)(this) }
}

unsafe extern "system" fn release_factory(this: *mut c_void) -> u32 {
    count_factory(-1);
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
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
        if has(Factory::NullFamilyAccepted) {
            return S_OK;
        }
        if has(Factory::NullFamilyFollowed) {
            follow(family);
        }
    }
    let count = families(this);
    if has(Factory::FamiliesReversed) && index < count {
        index = count - 1 - index;
    }
    if has(Factory::PastTheEndLast) && index == u32::MAX {
        index = count - 1;
    }
    if has(Factory::FamiliesInTurn) && index < count {
        static TURN: AtomicU32 = AtomicU32::new(0);
        index = TURN.fetch_add(1, Ordering::Relaxed) % count;
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let result = unsafe { (original().EnumerateAdapterFamilies)(this, index, family) };
    if result == S_OK && has(Factory::FamilyTruncated) {
        // SAFETY: the runtime has written to it.
        unsafe { &mut *family }.szAdapterFamily[4..].fill(0);
    }
    match result {
        DXGI_ERROR_NOT_FOUND if has(Factory::PastTheEndInvalid) => E_INVALIDARG,
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
    if count.is_null() && has(Factory::AbiNullCountFollowed) {
        follow(count);
    }
    // SAFETY: null or the caller's.
    let capacity = unsafe { count.as_ref() }.copied().unwrap_or(0);
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
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
        if family == families(this) && has(Factory::AbiOnePast) {
            return S_OK;
        }
        return if has(Factory::AbiUnknownInvalid) {
            E_INVALIDARG
        } else {
            result
        };
    }
    if versions.is_null() {
        if has(Factory::AbiSizeQueryFails) {
            return DXGI_ERROR_MORE_DATA;
        }
        if has(Factory::AbiSizeQueryZero) {
            *total = 0;
        }
        return result;
    }
    if has(Factory::AbiOldestFirst) {
        let oldest = list.iter().rev().take(capacity as usize).enumerate();
        // SAFETY: the caller's array has `capacity` entries.
        oldest.for_each(|(index, version)| unsafe { versions.add(index).write(*version) });
    }
    if capacity > length {
        if has(Factory::AbiCountIsCapacity) {
            *total = capacity;
        }
        if has(Factory::AbiTailCleared) {
            // SAFETY: the caller's array has `capacity` entries.
            unsafe {
                versions
                    .add(list.len())
                    .write_bytes(0, (capacity - length) as usize);
            };
        }
    }
    if capacity < length {
        if has(Factory::AbiRepeats) {
            // SAFETY: the caller's array has `capacity` entries.
            unsafe { slice::from_raw_parts_mut(versions, capacity as usize) }.fill(list[0]);
        }
        if has(Factory::AbiOverrun) {
            // SAFETY: none; that is the defect.
            unsafe { versions.add(capacity as usize).write(0) };
        }
        if has(Factory::AbiCountKept) {
            *total = capacity;
        }
        if has(Factory::AbiShortSucceeds) {
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
    if !version.is_null() && family == count && has(Factory::CompilerVersionOnePast) {
        return S_OK;
    }
    if family < count && has(Factory::CompilerVersionOfFirst) {
        family = 0;
    }
    if version.is_null() && has(Factory::CompilerVersionNullFollowed) {
        follow(version);
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let result =
        unsafe { (original().EnumerateAdapterFamilyCompilerVersion)(this, family, version) };
    if result == S_OK && has(Factory::CompilerVersionCut) {
        // SAFETY: the runtime has written to it.
        unsafe {
            let cut = (*version).bits() & !0xFFFF_FFFF;
            version.write(D3D12_VERSION_NUMBER::from_bits(cut));
        }
    }
    if !version.is_null() && result != S_OK && has(Factory::CompilerVersionUnknown) {
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
    if target.is_null() && has(Factory::ProfileNullFollowed) {
        follow(target);
    }
    // SAFETY: null or the caller's.
    let mut given = unsafe { application.as_ref() }.copied();
    if let Some(given) = &mut given {
        if given.pName.is_null() {
            if has(Factory::ProfileNameless) {
                return S_OK;
            }
            if has(Host::NameHandedDown) {
                given.pName = PCWSTR(NO_NAME.as_ptr());
            }
        }
        if given.pExeFilename.is_null() && has(Factory::ProfileNameFollowed) {
            follow(given.pExeFilename.0);
        }
        if has(Factory::ProfileEngineDropped) {
            given.pEngineName = PCWSTR::null();
        }
    }
    let application = or_null(given.as_ref());
    // SAFETY: null or the caller's.
    let mut target = unsafe { target.as_ref() }.copied();
    if let Some(target) = target.as_mut().filter(|target| target.ABIVersion == 0) {
        let versions = abi_versions(this, target.AdapterFamilyIndex);
        if !versions.is_empty() && has(Factory::ProfileZeroRefused) {
            return E_INVALIDARG;
        }
        if has(Factory::ProfileZeroIsOldest) {
            target.ABIVersion = versions.last().copied().unwrap_or(0);
        }
    }
    if let Some(target) = &mut target
        && abi_versions(this, target.AdapterFamilyIndex).contains(&target.ABIVersion)
        && has(Factory::ProfileOfFirst)
    {
        target.AdapterFamilyIndex = 0;
        target.ABIVersion = 0;
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
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
        && has(Factory::ProfileForeignAbi)
        && !application.is_null()
        && !version.is_null()
        && target.is_some_and(foreign)
        && given.is_some_and(|given| !given.pName.is_null() && !given.pExeFilename.is_null())
    {
        return S_OK;
    }
    if result == S_OK && has(Factory::ProfileVersionZero) {
        // SAFETY: the runtime has written to it.
        unsafe { version.write(D3D12_VERSION_NUMBER::default()) };
    }
    let named = given.is_some_and(|given| !given.pName.is_null() && !given.pExeFilename.is_null());
    let complete = target.is_some() && named && !version.is_null();
    if complete && result != S_OK && has(Factory::ProfileUnknownAccepted) {
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
    if count == 0 && has(Factory::NoPathsOtherwise) {
        return E_FAIL;
    }
    if paths.is_null() && has(Factory::NullPathsFollowed) {
        follow(paths);
    }
    // SAFETY: null or the caller's.
    let mut named = unsafe { application.as_ref() }.copied();
    if let Some(named) = &mut named {
        if named.pName.is_null() && has(Factory::SessionNameless) {
            named.pName = PCWSTR(NO_NAME.as_ptr());
        }
        if named.pExeFilename.is_null() && has(Factory::SessionNamelessFails) {
            return E_FAIL;
        }
    }
    let application = or_null(named.as_ref());
    // SAFETY: `count` is that of the array, which may be null.
    let given: &[D3D12_COMPILER_DATABASE_PATH] = if paths.is_null() {
        &[]
    } else {
        // SAFETY: not null, so as many as the count says.
        unsafe { slice::from_raw_parts(paths, count as usize) }
    };
    // SAFETY: null or NUL-terminated.
    let files: Vec<PathBuf> = given
        .iter()
        .map(|path| unsafe { path_of(path.pPath) })
        .collect();
    let existed = files.iter().any(|file| file.exists());
    if target.is_null() && existed && has(Factory::TargetRequired) {
        return E_INVALIDARG;
    }
    if target.is_null() != application.is_null() && has(Factory::BothOrNeither) {
        return E_INVALIDARG;
    }
    // SAFETY: null or the caller's.
    let mut target = unsafe { target.as_ref() }.copied();
    if let Some(target) = target.as_mut()
        && target.ABIVersion == 0
        && has(Factory::ZeroIsOldest)
    {
        let versions = abi_versions(this, target.AdapterFamilyIndex);
        target.ABIVersion = versions.last().copied().unwrap_or(0);
    }

    // The paths that the runtime gets.
    let mut passed = given.to_vec();
    if passed.len() > 1 && passed[1].pPath.is_null() && has(Factory::SecondPathDropped) {
        passed.truncate(1);
    }
    let good = |path: &D3D12_COMPILER_DATABASE_PATH| !path.pPath.is_null() && path.Types != 0;
    if passed.len() > 1 && !existed && passed.iter().all(good) && has(Factory::SessionOneFile) {
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
    if has(Factory::SessionElsewhere) {
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
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
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
    let second = files.len() > 1 && has(Factory::SecondFileReplaced);
    if result.is_err()
        && (second || has(Factory::FileReplaced))
        && files.iter().any(|file| is_text(file))
    {
        for file in &files {
            let _ = std::fs::remove_file(file);
        }
        result = create();
    }
    if result == E_NOINTERFACE && has(Factory::SessionIidInvalid) {
        return E_INVALIDARG;
    }
    if result != S_OK {
        if named.is_some_and(|named| named.pName.is_null()) && has(Factory::SessionNamelessPlace) {
            // SAFETY: the caller's place.
            unsafe { place.write(ptr::dangling_mut()) };
        }
        return result;
    }
    if !existed && has(Factory::SessionFails) {
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
        // SAFETY: the call succeeded, so the place has a session, which nobody else has yet.
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
        if has(Factory::NullSessionPointer) {
            // SAFETY: the caller's place.
            unsafe { place.write(ptr::null_mut()) };
            return E_POINTER;
        }
        if has(Factory::NullSessionFollowed) {
            follow(pointer);
        }
        if has(Factory::NullSessionPlace) {
            // SAFETY: the caller's place.
            unsafe { place.write(ptr::dangling_mut()) };
            return E_INVALIDARG;
        }
    }
    if session::has_target_of_file(pointer) && has(Factory::CompilerNeedsTarget) {
        return E_INVALIDARG;
    }
    let of_last = session::last().filter(|_| has(Factory::CompilerOfLast));
    let passed = of_last.map_or(pointer, |(last, _)| last);
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call. A Ref is the pointer.
    let create = |iid: *const GUID| unsafe {
        (original().CreateCompiler)(this, mem::transmute_copy(&passed), iid, place)
    };
    if any_gone() && has(Factory::CreateEndsOthers) {
        return E_FAIL;
    }
    let result = match create(riid) {
        E_NOINTERFACE if has(Factory::CompilerIidIgnored) => create(&ID3D12Compiler::IID),
        result => result,
    };
    if result == S_OK && has(Factory::OneCompiler) && session::has_compiler(pointer) {
        // SAFETY: the place has a compiler.
        unsafe { release(place) };
        return E_FAIL;
    }
    // SAFETY: the call succeeded, so the IID and the place are there.
    if result == S_OK && unsafe { *riid } == ID3D12Compiler::IID {
        // SAFETY: the place has a compiler, which nobody else has yet.
        unsafe { compiler::hook(*place) };
    }
    result
}
