//! `ID3D12CompilerFactory`.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicIsize, AtomicU32, Ordering};
use std::{fs, mem, ptr};

use api_sys::*;
use defects::{Place as _, changed, given, given_array, given_room, rows, write};
use windows_core::{HRESULT, Interface, PCWSTR};

use crate::export::{ended, has_ended, path_of};
use crate::hook::release;
use crate::host::Asked;
use crate::places::*;
use crate::session;

rows! {
    Hook, Asked;

    "create-ends-others" breaks R_FAC_06: "when a factory is released the others create no compilers any more",
        at ReleaseFactory ended,
        at CreateCompiler |call| call.answer_if(has_ended(), E_FAIL);
    "families-reversed" breaks R_ENUM_01: "the families come in the reverse order",
        at EnumerateFamilies |call| of_index(call, |index, count| if index < count { count - 1 - index } else { index });
    "family-truncated" breaks R_ENUM_01: "names of families are cut after 4 characters",
        at EnumerateFamilies |call| call.after(|call, result| if *result == S_OK {
            // SAFETY: the runtime has written to it.
            unsafe { &mut *call.family }.szAdapterFamily[4..].fill(0);
        });
    "families-in-turn" breaks R_ENUM_01: "each call gives the next family, whatever its index is",
        at EnumerateFamilies |call| of_index(call, |index, count| {
            static TURN: AtomicU32 = AtomicU32::new(0);
            if index < count { TURN.fetch_add(1, Ordering::Relaxed) % count } else { index }
        });
    "families-end-invalid" breaks R_ENUM_02: "an index past the end gets E_INVALIDARG",
        at EnumerateFamilies |call| changed(call.pass(), DXGI_ERROR_NOT_FOUND, E_INVALIDARG);
    "families-end-last" breaks R_ENUM_02: "UINT_MAX gets the last family",
        at EnumerateFamilies |call| of_index(call, |index, count| if index == u32::MAX { count - 1 } else { index });
    "families-null-accepted" breaks R_ENUM_03: "a null pAdapterFamily gets S_OK",
        at EnumerateFamilies |call| call.answer_if(call.family.is_null(), S_OK);
    "families-null-followed" breaks R_ENUM_03: "a null pAdapterFamily is written to",
        at EnumerateFamilies |call| call.following(call.family);
    "abi-size-query-fails" breaks R_ENUM_04: "the size check gets DXGI_ERROR_MORE_DATA",
        at EnumerateAbiVersions |call| listed(call, |it| if it.is_size_check() {
            it.result = DXGI_ERROR_MORE_DATA;
        });
    "abi-size-query-zero" breaks R_ENUM_04: "the size check leaves the count at 0",
        at EnumerateAbiVersions |call| listed(call, |it| if it.is_size_check() {
            *it.count = 0;
        });
    "abi-count-is-capacity" breaks R_ENUM_05: "the count of a larger array stays its capacity",
        at EnumerateAbiVersions |call| listed(call, |it| if it.rest() > 0 {
            *it.count = it.capacity;
        });
    "abi-tail-cleared" breaks R_ENUM_05: "the rest of a larger array is cleared",
        at EnumerateAbiVersions |call| listed(call, |it| if it.rest() > 0 {
            let length = it.list.len();
            it.array()[length..].fill(0);
        });
    "abi-overrun" breaks R_ENUM_06: "one entry more is written than a short array has",
        at EnumerateAbiVersions |call| listed(call, |it| if it.is_short() {
            write(it.versions.wrapping_add(it.capacity as usize), 0_u64);
        });
    "abi-count-kept" breaks R_ENUM_06: "the count of a short array stays its capacity",
        at EnumerateAbiVersions |call| listed(call, |it| if it.is_short() {
            *it.count = it.capacity;
        });
    "abi-repeats" breaks R_ENUM_06: "a short array has the newest version in every place",
        at EnumerateAbiVersions |call| listed(call, |it| if it.is_short() {
            let newest = it.list[0];
            it.array().fill(newest);
        });
    "abi-oldest-first" breaks R_ENUM_07: "the oldest ABI version comes first",
        at EnumerateAbiVersions |call| listed(call, |it| {
            let list = mem::take(&mut it.list);
            it.array().iter_mut().zip(list.into_iter().rev()).for_each(|(place, version)| *place = version);
        });
    "abi-short-succeeds" breaks R_ENUM_07: "a short array gets S_OK",
        at EnumerateAbiVersions |call| listed(call, |it| if it.is_short() {
            it.result = S_OK;
        });
    "abi-unknown-invalid" breaks R_ENUM_07: "an unknown family gets E_INVALIDARG",
        at EnumerateAbiVersions |call| listed(call, |it| if it.list.is_empty() {
            it.result = E_INVALIDARG;
        });
    "abi-one-past" breaks R_ENUM_07: "the first index past the families gets S_OK",
        at EnumerateAbiVersions |call| call.after(|call, result| if !call.count.is_null() && call.family == families(call.this) {
            *result = S_OK;
        });
    "abi-null-count-followed" breaks R_ENUM_07: "a null count is read",
        at EnumerateAbiVersions |call| call.following(call.count);
    "compiler-version-cut" breaks R_ENUM_08: "the revision of the compiler's version is left out",
        at EnumerateCompilerVersion |call| call.after(|call, result| if *result == S_OK {
            // SAFETY: the runtime has written to it.
            let version = unsafe { &mut *call.version };
            *version = D3D12_VERSION_NUMBER::from_bits(version.bits() & !0xFFFF_FFFF);
        });
    "compiler-version-of-first" breaks R_ENUM_08: "every family has the compiler's version of the first",
        at EnumerateCompilerVersion |call| {
            call.family = if call.family < families(call.this) { 0 } else { call.family };
            call.pass()
        };
    "compiler-version-unknown" breaks R_ENUM_09: "an unknown family gets S_OK",
        at EnumerateCompilerVersion |call| call.after(|call, result| if !call.version.is_null() {
            *result = S_OK;
        });
    "compiler-version-one-past" breaks R_ENUM_09: "the first index past the families gets S_OK",
        at EnumerateCompilerVersion |call| call.answer_if(
            !call.version.is_null() && call.family == families(call.this), S_OK
        );
    "compiler-version-null-followed" breaks R_ENUM_09: "a null pCompilerVersion is written to",
        at EnumerateCompilerVersion |call| call.following(call.version);
    "profile-version-zero" breaks R_ENUM_10: "the profile version is 0",
        at GetProfileVersion |call| call.after(|call, result| if *result == S_OK {
            // SAFETY: the runtime has written to it.
            unsafe { call.version.write(D3D12_VERSION_NUMBER::default()) };
        });
    "profile-of-first" breaks R_ENUM_10: "every family has the profile version of the first",
        at GetProfileVersion |call| for_target(call, |this, target| {
            if abi_versions(this, target.AdapterFamilyIndex).contains(&target.ABIVersion) {
                *target = D3D12_COMPILER_TARGET::default();
            }
        });
    "profile-engine-dropped" breaks R_ENUM_10: "the application's engine does not reach the plugin",
        at GetProfileVersion |call| for_application(call, |it| it.pEngineName = PCWSTR::null());
    "profile-zero-refused" breaks R_ENUM_11: "an ABIVersion of 0 is refused",
        at GetProfileVersion |call| {
            let zero = given(call.target).filter(|target| target.ABIVersion == 0);
            let is_known = zero.is_some_and(|target| !abi_versions(call.this, target.AdapterFamilyIndex).is_empty());
            call.answer_if(is_known, E_INVALIDARG)
        };
    "profile-zero-is-oldest" breaks R_ENUM_11: "an ABIVersion of 0 stands for the oldest",
        at GetProfileVersion |call| for_target(call, zero_is_oldest);
    "profile-unknown-accepted" breaks R_ENUM_12: "an unknown target gets S_OK",
        at GetProfileVersion |call| call.after(|call, result| if is_complete(call) {
            *result = S_OK;
        });
    "profile-foreign-abi" breaks R_ENUM_12: "the ABI version of another family gets S_OK",
        at GetProfileVersion |call| call.after(|call, result| if is_complete(call) && has_foreign_abi(call) {
            *result = S_OK;
        });
    "profile-null-followed" breaks R_ENUM_12: "a null target is read",
        at GetProfileVersion |call| call.following(call.target);
    "profile-nameless-accepted" breaks R_ENUM_13: "an application without a name gets S_OK",
        at GetProfileVersion |call| call.answer_if(given(call.application).is_some_and(|it| it.pName.is_null()), S_OK);
    "profile-name-followed" breaks R_ENUM_13: "a null pExeFilename is read",
        at GetProfileVersion |call| match given(call.application) {
            Some(application) => call.following(application.pExeFilename.0),
            None => call.pass(),
        };
    "session-elsewhere" breaks R_SES_01: "a new database is created beside the path",
        at CreateSession elsewhere;
    "session-fails" breaks R_SES_01: "a path that leads to no file gets E_FAIL",
        at CreateSession |call| {
            let existed = call.existed();
            call.after(|call, result| if *result == S_OK && !existed {
                release(call.place);
                *result = E_FAIL;
            })
        };
    "session-one-file" breaks R_SES_03: "every type is stored in the file of the first path",
        at CreateSession |call| {
            let existed = call.existed();
            for_paths(call, |paths| {
                let is_good = |path: &D3D12_COMPILER_DATABASE_PATH| !path.pPath.is_null() && path.Types != 0;
                if paths.len() > 1 && !existed && paths.iter().all(is_good) {
                    paths[0].Types = paths.iter().fold(0, |types, path| types | path.Types);
                    paths.truncate(1);
                }
            })
        };
    "session-target-required" breaks R_SES_08: "a null target is refused for a file that exists",
        at CreateSession |call| call.answer_if(call.target.is_null() && call.existed(), E_INVALIDARG);
    "session-both-or-neither" breaks R_SES_08:
        "a target without an application is refused, and an application without a target",
        at CreateSession |call| call.answer_if(call.target.is_null() != call.application.is_null(), E_INVALIDARG);
    "session-no-paths-fail" breaks R_SES_09: "no paths get E_FAIL",
        at CreateSession |call| call.answer_if(call.count == 0, E_FAIL);
    "session-null-paths-followed" breaks R_SES_09: "null pPaths are read",
        at CreateSession |call| call.following(call.paths);
    "session-second-path-dropped" breaks R_SES_09: "paths behind the first that are null are passed over",
        at CreateSession |call| for_paths(call, |paths| {
            if paths.get(1).is_some_and(|second| second.pPath.is_null()) {
                paths.truncate(1);
            }
        });
    "session-file-replaced" breaks R_SES_10: "a file that is no database is replaced by one",
        at CreateSession |call| replaced(call, 1);
    "session-second-file-replaced" breaks R_SES_10: "a second file that is no database is replaced by one",
        at CreateSession |call| replaced(call, 2);
    "session-nameless-accepted" breaks R_SES_11: "an application without a name gets a session",
        at CreateSession |call| {
            let mut application = given(call.application).copied().unwrap_or_default();
            if !call.application.is_null() && application.pName.is_null() {
                application.pName = PCWSTR(NO_NAME.as_ptr());
                call.application = &raw const application;
            }
            call.pass()
        };
    "session-nameless-fails" breaks R_SES_11: "an application without an executable gets E_FAIL",
        at CreateSession |call| call.answer_if(given(call.application).is_some_and(|it| it.pExeFilename.is_null()), E_FAIL);
    "session-nameless-place" breaks R_SES_11: "an application without a name leaves *ppCompilerCacheSession as it was",
        at CreateSession |call| call.after(|call, result| {
            let is_nameless = given(call.application).is_some_and(|it| it.pName.is_null());
            if *result != S_OK && is_nameless {
                write(call.place, ptr::dangling_mut::<c_void>());
            }
        });
    "compiler-only-one" breaks R_CMP_01: "a session gets one compiler",
        at CreateCompiler only_one;
    "compiler-null-session-pointer" breaks R_CMP_02: "a null session gets E_POINTER",
        at CreateCompiler |call| call.after(|call, result| if call.session.is_null() {
            *result = E_POINTER;
        });
    "compiler-null-session-followed" breaks R_CMP_02: "a null session is called",
        at CreateCompiler |call| call.following(call.session);
    "compiler-null-session-place" breaks R_CMP_02: "a null session leaves *ppCompiler as it was",
        at CreateCompiler |call| call.after(|call, _| if call.session.is_null() {
            write(call.place, ptr::dangling_mut::<c_void>());
        });
    "compiler-zero-is-oldest" breaks R_CMP_03: "a session's ABIVersion of 0 stands for the oldest",
        at CreateSession |call| {
            let mut target = given(call.target).copied().unwrap_or_default();
            zero_is_oldest(call.this, &mut target);
            call.target = if call.target.is_null() { ptr::null() } else { &raw const target };
            call.pass()
        };
    "compiler-of-last-session" breaks R_CMP_03: "a compiler is for the session that was created last",
        at CreateCompiler |call| {
            call.session = session::last().map_or(call.session, |(last, _)| last);
            call.pass()
        };
    "compiler-needs-target" breaks R_CMP_03: "a session whose target is that of its file gets no compiler",
        at CreateCompiler |call| call.answer_if(session::has_target_of_file(call.session), E_INVALIDARG);
    "compiler-iid-ignored" breaks R_LIF_01: "an unknown IID gets a compiler",
        at CreateCompiler |call| call.after(|call, result| if *result == E_NOINTERFACE {
            call.riid = &ID3D12Compiler::IID;
            *result = call.pass();
        });
    "session-iid-invalid" breaks R_LIF_01: "an unknown IID of a session gets E_INVALIDARG",
        at CreateSession |call| changed(call.pass(), E_NOINTERFACE, E_INVALIDARG);
}

/// What stands for a null name where the runtime would refuse it: no application has it.
pub(crate) const NO_NAME: [u16; 2] = [1, 0];

/// The references to factories that the program holds.
static REFERENCES: AtomicIsize = AtomicIsize::new(0);

/// Notes that the program took or released references; whether any is left.
pub(crate) fn is_referenced(change: isize) -> bool {
    REFERENCES.fetch_add(change, Ordering::Relaxed) + change > 0
}

/// How many families there are.
fn families(this: *mut c_void) -> u32 {
    let mut family = D3D12_ADAPTER_FAMILY::default();
    let family = &raw mut family;
    let is_there = |index: &u32| {
        let mut call = EnumerateFamilies {
            this,
            index: *index,
            family,
        };
        call.base() == S_OK
    };
    (0..u32::MAX)
        .find(|index| !is_there(index))
        .unwrap_or_default()
}

fn of_index(call: &mut EnumerateFamilies, other: fn(u32, u32) -> u32) -> HRESULT {
    call.index = other(call.index, families(call.this));
    call.pass()
}

/// The ABI versions of a family, newest first.
fn abi_versions(this: *mut c_void, family: u32) -> Vec<u64> {
    let (mut list, mut count) = (vec![0; 64], 64);
    let mut call = EnumerateAbiVersions {
        this,
        family,
        count: &raw mut count,
        versions: list.as_mut_ptr(),
    };
    let result = call.base();
    list.truncate(if result == S_OK { count as usize } else { 0 });
    list
}

/// An answer with a family's ABI versions.
struct Listed {
    list: Vec<u64>,
    capacity: u32,
    count: &'static mut u32,
    versions: *mut u64,
    result: HRESULT,
}

impl Listed {
    fn is_size_check(&self) -> bool {
        self.versions.is_null() && !self.list.is_empty()
    }

    fn is_short(&self) -> bool {
        !self.versions.is_null() && (self.capacity as usize) < self.list.len()
    }

    /// So many entries of the array are behind the versions.
    fn rest(&self) -> usize {
        if self.versions.is_null() || self.list.is_empty() {
            return 0;
        }
        (self.capacity as usize).saturating_sub(self.list.len())
    }

    fn array(&mut self) -> &mut [u64] {
        given_room(self.versions, self.capacity)
    }
}

fn listed(call: &mut EnumerateAbiVersions, change: fn(&mut Listed)) -> HRESULT {
    let capacity = given(call.count).copied().unwrap_or(0);
    call.after(|call, result| {
        // SAFETY: null or the caller's.
        let Some(count) = (unsafe { call.count.as_mut() }) else {
            return;
        };
        let mut listed = Listed {
            list: abi_versions(call.this, call.family),
            capacity,
            count,
            versions: call.versions,
            result: *result,
        };
        change(&mut listed);
        *result = listed.result;
    })
}

fn zero_is_oldest(this: *mut c_void, target: &mut D3D12_COMPILER_TARGET) {
    if target.ABIVersion == 0 {
        let versions = abi_versions(this, target.AdapterFamilyIndex);
        target.ABIVersion = versions.last().copied().unwrap_or(0);
    }
}

fn for_target(
    call: &mut GetProfileVersion,
    change: fn(*mut c_void, &mut D3D12_COMPILER_TARGET),
) -> HRESULT {
    let mut target = given(call.target).copied();
    if let Some(target) = &mut target {
        change(call.this, target);
        call.target = target;
    }
    call.pass()
}

pub(crate) fn for_application(
    call: &mut GetProfileVersion,
    change: fn(&mut D3D12_APPLICATION_DESC),
) -> HRESULT {
    let mut application = given(call.application).copied();
    if let Some(application) = &mut application {
        change(application);
        call.application = application;
    }
    call.pass()
}

/// Whether nothing but the target can be wrong.
fn is_complete(call: &GetProfileVersion) -> bool {
    let application = given(call.application);
    let is_named = application.is_some_and(|it| !it.pName.is_null() && !it.pExeFilename.is_null());
    is_named && !call.target.is_null() && !call.version.is_null()
}

fn has_foreign_abi(call: &GetProfileVersion) -> bool {
    let count = families(call.this);
    let mut versions = (0..count).flat_map(|family| abi_versions(call.this, family));
    given(call.target).is_some_and(|target| {
        target.AdapterFamilyIndex < count && versions.any(|it| it == target.ABIVersion)
    })
}

impl CreateSession {
    pub(crate) fn given_paths(&self) -> &[D3D12_COMPILER_DATABASE_PATH] {
        given_array(self.paths, self.count)
    }

    fn files(&self) -> Vec<PathBuf> {
        // SAFETY: null or NUL-terminated.
        let file = |path: &D3D12_COMPILER_DATABASE_PATH| unsafe { path_of(path.pPath) };
        self.given_paths().iter().map(file).collect()
    }

    /// Whether a file of it is there already.
    pub(crate) fn existed(&self) -> bool {
        self.files().iter().any(|file| file.exists())
    }
}

fn for_paths(
    call: &mut CreateSession,
    change: impl FnOnce(&mut Vec<D3D12_COMPILER_DATABASE_PATH>),
) -> HRESULT {
    if call.paths.is_null() {
        return call.pass();
    }
    let mut paths = call.given_paths().to_vec();
    change(&mut paths);
    call.paths = paths.as_ptr();
    call.count = u32::try_from(paths.len()).unwrap_or(call.count);
    call.pass()
}

fn elsewhere(call: &mut CreateSession) -> HRESULT {
    let files = call.files();
    let beside = |file: &PathBuf| {
        format!("{}.other\0", file.display())
            .encode_utf16()
            .collect()
    };
    let beside: Vec<Vec<u16>> = files.iter().map(beside).collect();
    for_paths(call, |paths| {
        for ((path, file), beside) in paths.iter_mut().zip(&files).zip(&beside) {
            if !path.pPath.is_null() && !file.exists() {
                path.pPath = PCWSTR(beside.as_ptr());
            }
        }
    })
}

/// Removes files that are no databases, where there are as many paths.
fn replaced(call: &mut CreateSession, at_least: usize) -> HRESULT {
    let is_text = |file: &Path| {
        fs::read(file).is_ok_and(|bytes| !bytes.is_empty() && !bytes.starts_with(b"SQLite"))
    };
    call.after(|call, result| {
        let files = call.files();
        if result.is_err() && files.len() >= at_least && files.iter().any(|file| is_text(file)) {
            for file in &files {
                let _ = fs::remove_file(file);
            }
            *result = call.pass();
        }
    })
}

fn only_one(call: &mut CreateCompiler) -> HRESULT {
    call.after(|call, result| {
        if *result == S_OK && session::has_compiler(call.session) {
            release(call.place);
            *result = E_FAIL;
        }
    })
}
