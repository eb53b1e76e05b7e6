//! Versions, and the tables that are exchanged.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use base_plugin::versions;
use ddi_sys::*;
use defects::{Place as _, rows, write};

use crate::about::*;
use crate::compile::{self, Event};
use crate::compiler::without_callbacks;
use crate::layer::{self, OPENS};
use crate::list::{Mistake, answer, repeat_first};
use crate::need;
use crate::places::*;

rows! {
    Hook, About;

    // In `pfnGetSupportedVersions`.
    "versions-size-query-fails" breaks P_VER_01: "the size query returns DXGI_ERROR_MORE_DATA",
        at GetVersions |call| mistaken(call, Mistake::SizeQueryFails);
    "versions-none" breaks P_VER_01: "the list is empty",
        at GetVersions |call| listed(call, Vec::clear);
    "versions-exact-refused" breaks P_VER_02: "an array of the exact size gets DXGI_ERROR_MORE_DATA",
        at GetVersions |call| mistaken(call, Mistake::ExactRefused);
    "versions-last-unwritten" breaks P_VER_02: "in an array of the exact size the last entry is left as it was",
        at GetVersions |call| mistaken(call, Mistake::LastUnwritten);
    "versions-count-is-capacity" breaks P_VER_03: "the count of a larger array stays its capacity",
        at GetVersions |call| mistaken(call, Mistake::CountIsCapacity);
    "versions-tail-cleared" breaks P_VER_03: "the entries of a larger array past the list are cleared",
        at GetVersions |call| mistaken(call, Mistake::TailCleared);
    "versions-overrun" breaks P_VER_04: "one entry more is written than an array that is too small has",
        at GetVersions |call| mistaken(call, Mistake::Overrun);
    "versions-short-succeeds" breaks P_VER_04: "an array that is too small gets S_OK",
        needs need::TWO_VERSIONS, at GetVersions |call| mistaken(call, Mistake::ShortSucceeds);
    "versions-null-count-accepted" breaks P_VER_05: "a null count gets S_OK",
        at GetVersions |call| mistaken(call, Mistake::NullCountAccepted);
    "versions-null-count-followed" breaks P_VER_05: "a null count is read",
        at GetVersions |call| mistaken(call, Mistake::NullCountFollowed);
    "versions-twice" breaks P_VER_06: "the newest version is listed twice",
        at GetVersions |call| listed(call, repeat_first);
    "versions-major-zero" breaks P_VER_06: "a version has the form 0.12.0.1",
        at GetVersions |call| listed(call, |list| list.push(0x0000_000C_0000_0001));
    "versions-per-open" breaks P_VER_06: "every second open has the list in the opposite order",
        needs need::TWO_VERSIONS, where SECOND_OPEN, at GetVersions |call| listed(call, |list| list.reverse());
    "versions-after-selection" breaks P_VER_06: "a version that was selected is the only one of the list",
        needs need::TWO_VERSIONS,
        at GetVersions |call| {
            let open = layer::of(call.handle);
            listed(call, |list| list.retain(|version| !open.is_selected() || *version == open.version))
        };
    "versions-empty-overrun" breaks P_VER_04: "the first entry is written to an array of length 0",
        at GetVersions |call| mistaken(call, Mistake::EmptyOverrun);
    "versions-count-kept-when-short" breaks P_VER_10: "the count stays the capacity of an array that is too small",
        at GetVersions |call| mistaken(call, Mistake::CountKeptWhenShort);
    "versions-only-future" undecided: "the one version is 12.0.3.0, which nobody else knows yet",
        at GetVersions |call| listed(call, |list| *list = vec![FUTURE]),
        at SetVersion |call| call.answer_if(call.version != FUTURE, E_INVALIDARG);
    "versions-future-too" notes P_VER_07 "12.0.3.0": "12.0.3.0 is one of the versions",
        at GetVersions |call| listed(call, |list| list.insert(0, FUTURE));

    // In `pfnSetSelectedVersion`.
    "select-older-refused" breaks P_VER_07: "only the newest of the reported versions can be selected",
        needs need::TWO_VERSIONS, at SetVersion |call| call.answer_if(call.version < newest(call.handle), E_INVALIDARG);
    "select-any-accepted" breaks P_VER_08: "a version that was not reported is accepted",
        at SetVersion |call| call.after(|_, result| *result = S_OK);
    "select-any-older-accepted" breaks P_VER_08: "every version that is older than the newest is accepted",
        at SetVersion |call| call.after(|call, result| {
            if call.version >> 48 != 0 && call.version <= newest(call.handle) {
                *result = S_OK;
            }
        });
    "select-refused-counts" breaks P_VER_09: "a version that is refused is selected all the same",
        at SetVersion |call| call.after(|call, result| if !result.is_ok() {
            select_newest(call.handle);
        });

    // In `pfnFillDDITable`.
    "fill-before-selection" breaks P_VER_09: "tables are filled before a version is selected",
        at FillTable |call| call.before(|call| if !layer::of(call.handle).is_selected() {
            select_newest(call.handle);
        });
    "capabilities-null-entry" breaks P_TBL_01: "pfnCheckMultisampleQualityLevels is null",
        at FillTable |call| call.filled(|table: &mut D3D12DDI_COMPILER_CAPABILITIES_FUNCS| {
            table.pfnCheckMultisampleQualityLevels = None;
        });
    "capabilities-exact-refused" breaks P_TBL_01: "the CAPABILITIES table is refused at its exact size",
        at FillTable |call| call.answer_if(call.is_capabilities() && call.size == call.exact(), E_INVALIDARG);
    "compiler-null-entry" breaks P_TBL_02: "pfnCompileAddToStateObject is null",
        at FillTable |call| call.filled(|table: &mut D3D12DDI_COMPILER_FUNCS| table.pfnCompileAddToStateObject = None);
    "compiler-exact-refused" breaks P_TBL_02: "the COMPILER table is refused at its exact size",
        at FillTable |call| call.answer_if(call.is_compiler() && call.size == call.exact(), E_INVALIDARG);
    "old-capabilities-refused" breaks P_TBL_01: "the CAPABILITIES table of the oldest version is refused",
        where OLDEST_DDI, at FillTable |call| call.answer_if(call.is_capabilities(), E_INVALIDARG);
    "old-compiler-null-entry" breaks P_TBL_02: "pfnCompileAddToStateObject of the oldest version is null",
        where OLDEST_DDI,
        at FillTable |call| call.filled(|table: &mut D3D12DDI_COMPILER_FUNCS| table.pfnCompileAddToStateObject = None);
    "fill-unknown-accepted" breaks P_TBL_03: "an unknown table type gets S_OK",
        at FillTable |call| call.answer_if(!call.is_known(), S_OK);
    "fill-unknown-written" breaks P_TBL_03: "the memory for a table of unknown type is cleared before it is refused",
        at FillTable |call| call.before(|call| if !call.is_known() && !call.table.is_null() {
            // SAFETY: PFND3D12DDI_COMPILER_FILL_DDI_TABLE: as many bytes as the size are there.
            unsafe { call.table.cast::<u8>().write_bytes(0, call.size) };
        });
    "fill-overrun" breaks P_TBL_04: "the whole table is written whatever tableSize says",
        at FillTable |call| copied_if(call, |call| call.size < call.exact(), FillTable::exact);
    "fill-short-accepted" breaks P_TBL_04: "a size that is too small is filled in part, with S_OK",
        at FillTable |call| copied_if(call, |call| call.size < call.exact(), |call| call.size);
    "fill-older-accepted" breaks P_TBL_04: "a size of five entries is filled so far, with S_OK",
        at FillTable |call| copied_if(call, |call| call.size == FIVE_ENTRIES, |call| call.size);
    "fill-larger-refused" breaks P_TBL_05: "a size that is larger than the table is refused",
        at FillTable |call| call.answer_if(call.is_known() && call.size > call.exact(), E_INVALIDARG);
    "fill-larger-cleared" breaks P_TBL_05: "what is behind the table in a larger size is cleared",
        at FillTable |call| call.after(|call, result| if result.is_ok() {
            let rest = call.table.cast::<u8>().wrapping_add(call.exact());
            // SAFETY: PFND3D12DDI_COMPILER_FILL_DDI_TABLE: as many bytes as the size are there.
            unsafe { rest.write_bytes(0, call.size - call.exact()) };
        });
    "fill-long-refused" breaks P_TBL_05: "a size of more than 256 bytes is refused",
        at FillTable |call| call.answer_if(call.is_known() && call.size > 256, E_INVALIDARG);
    "fill-null-accepted" breaks P_TBL_06: "a null pTable gets S_OK",
        at FillTable |call| call.answer_if(call.is_known() && call.table.is_null(), S_OK);
    "fill-null-of-no-size-accepted" breaks P_TBL_06: "a null pTable gets S_OK if tableSize is 0",
        at FillTable |call| call.answer_if(call.is_known() && call.table.is_null() && call.size == 0, S_OK);
    "fill-null-followed" breaks P_TBL_06: "a null pTable is read",
        at FillTable |call| call.following(call.table);
    "fill-differs" breaks P_TBL_07: "every second table has another pfnGetCompilerVersion",
        at FillTable |call| {
            static FILLS: AtomicUsize = AtomicUsize::new(0);
            if FILLS.fetch_add(1, Ordering::Relaxed) % 2 == 1 { differs(call) } else { call.pass() }
        };
    "fill-differs-after-callbacks" breaks P_TBL_07:
        "once the callbacks are set, the CAPABILITIES table has another pfnGetCompilerVersion",
        at FillTable |call| {
            let has_callbacks = layer::of(call.handle).host.pfnCompilerCacheStoreValue.is_some();
            if has_callbacks { differs(call) } else { call.pass() }
        };

    // In `pfnSetCallbackDDITable`.
    "callbacks-exact-refused" breaks P_CBT_01: "the callback table is refused at its exact size",
        at SetCallbacks |call| call.answer_if(call.size == EXACT, E_INVALIDARG);
    "callbacks-lost-by-fill" breaks P_CBT_01: "the callbacks are forgotten when the COMPILER table is filled",
        at FillTable |call| call.before(|call| if call.is_compiler() {
            layer::update(call.handle, |open| open.host = D3D12DDI_COMPILER_CACHE_CALLBACKS::default());
        }),
        at Create |call| call.answer_if(layer::in_slot(call.slot).host.pfnCompilerCacheStoreValue.is_none(), E_UNEXPECTED);
    "callbacks-kept" breaks P_CBT_02: "pTable is kept, and read at each callback",
        at Host |call| {
            let table = ptr::with_exposed_provenance(layer::in_slot(call.slot).host_table);
            // SAFETY: none, as the call that it was for is over; that is the defect.
            unsafe { ptr::read_volatile::<D3D12DDI_COMPILER_CACHE_CALLBACKS>(table) }
        };
    "callbacks-unknown-accepted" breaks P_CBT_03: "an unknown callback table type gets S_OK",
        at SetCallbacks |call| call.answer_if(!call.is_cache(), S_OK);
    "callbacks-short-accepted" breaks P_CBT_03: "a size that is too small gets S_OK",
        at SetCallbacks |call| call.answer_if(call.is_cache() && call.size < EXACT, S_OK);
    "callbacks-two-accepted" breaks P_CBT_03: "a table of two callbacks gets S_OK",
        at SetCallbacks |call| call.answer_if(call.is_cache() && call.size == EXACT / 3 * 2, S_OK);
    "callbacks-refused-kept" breaks P_CBT_03:
        "a table that is refused for its size takes the place of the one before",
        at SetCallbacks |call| call.before(|call| if call.is_short() {
            let mut kept = layer::of(call.handle).host;
            // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: as many bytes as the size are
            // there, which are fewer than the copy has.
            unsafe { (&raw mut kept).cast::<u8>().copy_from(call.table.cast(), call.size) };
            layer::update(call.handle, |open| open.host = kept);
        });
    "callbacks-null-accepted" breaks P_CBT_03: "a null table gets S_OK",
        at SetCallbacks |call| call.answer_if(call.is_cache() && call.table.is_null(), S_OK);
    "callbacks-absent-ignored" breaks P_CBT_04: "without callbacks compiles store nothing and succeed",
        at Create without_callbacks;
    "callbacks-absent-followed" breaks P_CBT_04: "without callbacks compiles call through null",
        at Create without_callbacks,
        at Host |call| call.after(|_, host| if host.pfnCompilerCacheStoreValue.is_none() {
            defects::follow(ptr::null::<c_void>());
        });
    "callbacks-absent-second-family" breaks P_CBT_04:
        "without callbacks compiles for the second family store nothing and succeed",
        where SECOND_FAMILY, at Create without_callbacks;
    "callbacks-written" breaks P_CBT_05: "the callback table is written to",
        at SetCallbacks |call| call.after(|call, _| if call.is_complete() {
            write(call.table, layer::of(call.handle).host);
        });
    "callbacks-read-past" breaks P_CBT_05: "a fourth callback is read behind the table",
        at SetCallbacks |call| call.before(|call| if call.is_complete() {
            defects::read(call.table.wrapping_byte_add(EXACT), size_of::<usize>());
        });
    "callbacks-short-read-past" breaks P_CBT_05: "a table that is too short is read as a whole before it is refused",
        at SetCallbacks |call| call.before(|call| if call.is_short() {
            defects::read(call.table, EXACT);
        });
    "callbacks-larger-refused" breaks P_CBT_06: "a size that is larger than the table is refused",
        at SetCallbacks |call| call.answer_if(call.is_larger(), E_INVALIDARG);
    "callbacks-larger-followed" breaks P_CBT_06: "what is behind the third callback of a larger table is called",
        at SetCallbacks larger_followed;
    "callbacks-larger-ignored" breaks P_CBT_06: "a larger table gets S_OK, and its callbacks are not taken",
        at SetCallbacks |call| call.answer_if(call.is_larger(), S_OK);
}

/// Plugin DDI 12.0.3.0, which nobody knows yet.
const FUTURE: u64 = 0x000C_0000_0003_0000;

/// The versions that the base reports for one of its opens.
pub(crate) fn versions_of(handle: D3D12DDI_HCOMPILERDDI) -> Vec<u64> {
    let versions = versions(&layer::of(handle).base, handle);
    need::TWO_VERSIONS.met_if(versions.len() > 1);
    versions
}

fn newest(handle: D3D12DDI_HCOMPILERDDI) -> u64 {
    versions_of(handle).into_iter().max().unwrap_or_default()
}

/// Has the base select a version that no host selected.
fn select_newest(handle: D3D12DDI_HCOMPILERDDI) {
    /// The usermode DDI version of the base's plugin DDI versions.
    const USERMODE_DDI_VERSION: u64 = 0x000C_0050_0073_0000;
    let _ = SetVersion {
        handle,
        version: newest(handle),
        usermode: USERMODE_DDI_VERSION,
    }
    .base();
}

fn mistaken(call: &mut GetVersions, mistake: Mistake) -> HRESULT {
    let list = versions_of(call.handle);
    answer(&list, Some(mistake), call.count, call.array)
}

fn listed(call: &mut GetVersions, change: impl FnOnce(&mut Vec<u64>)) -> HRESULT {
    let mut list = versions_of(call.handle);
    change(&mut list);
    answer(&list, None, call.count, call.array)
}

/// A table that `pfnFillDDITable` fills.
pub(crate) trait Table: Copy {
    fn is_filled_by(call: &FillTable) -> bool;
}

impl Table for D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
    fn is_filled_by(call: &FillTable) -> bool {
        call.is_capabilities()
    }
}

impl Table for D3D12DDI_COMPILER_FUNCS {
    fn is_filled_by(call: &FillTable) -> bool {
        call.is_compiler()
    }
}

impl FillTable {
    fn is_capabilities(&self) -> bool {
        self.kind == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES
    }

    fn is_compiler(&self) -> bool {
        self.kind == D3D12DDI_COMPILER_TABLE_TYPE_COMPILER
    }

    fn is_known(&self) -> bool {
        self.is_capabilities() || self.is_compiler()
    }

    /// The size of the table.
    fn exact(&self) -> usize {
        if self.is_capabilities() {
            size_of::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>()
        } else {
            size_of::<D3D12DDI_COMPILER_FUNCS>()
        }
    }

    /// Changes a table that was filled as a whole.
    fn change<T: Table>(&mut self, change: impl FnOnce(&mut T)) {
        if T::is_filled_by(self) && !self.table.is_null() && self.size >= size_of::<T>() {
            let place = self.table.cast::<T>();
            // SAFETY: the base filled it, so as many bytes are there.
            unsafe {
                let mut table = place.read_unaligned();
                change(&mut table);
                place.write_unaligned(table);
            }
        }
    }

    pub(crate) fn filled<T: Table>(&mut self, change: impl FnOnce(&mut T)) -> HRESULT {
        self.after(|call, result| {
            if result.is_ok() {
                call.change(change);
            }
        })
    }
}

pub(crate) fn fill(call: &mut FillTable) -> HRESULT {
    compile::happened(Event::TableFilled);
    let result = call.base();
    let Some((slot, _)) = OPENS.of(call.handle).filter(|_| result.is_ok()) else {
        return result;
    };
    call.change(|table| {
        OPENS.update(slot, |open| open.capabilities = *table);
        layer_capabilities(table);
    });
    call.change(|table| {
        OPENS.update(slot, |open| open.compiler = *table);
        layer_compiler(slot, table);
    });
    result
}

/// The size of a table of five functions, as the first one is.
const FIVE_ENTRIES: usize = size_of::<D3D12DDI_COMPILER_DDI_FUNCS>();

/// Copies so many bytes of a known table, whatever its size.
fn copied_if(
    call: &mut FillTable,
    is_so: fn(&FillTable) -> bool,
    length: fn(&FillTable) -> usize,
) -> HRESULT {
    if !call.is_known() || call.table.is_null() || !is_so(call) {
        return call.pass();
    }
    // A table of its own, as large as the larger of the two, to copy from.
    let mut content = [0_usize; size_of::<D3D12DDI_COMPILER_FUNCS>() / size_of::<usize>()];
    let filled = FillTable {
        handle: call.handle,
        kind: call.kind,
        table: content.as_mut_ptr().cast(),
        size: call.exact(),
    }
    .pass();
    if !filled.is_ok() {
        return E_INVALIDARG;
    }
    // SAFETY: PFND3D12DDI_COMPILER_FILL_DDI_TABLE: as many bytes as the size are there; more than that is a defect.
    unsafe { call.table.copy_from(content.as_ptr().cast(), length(call)) };
    S_OK
}

fn differs(call: &mut FillTable) -> HRESULT {
    /// What the function of the table does, at another address.
    unsafe extern "system" fn again(
        handle: D3D12DDI_HCOMPILERDDI,
        family: UINT,
        version: *mut D3D12DDI_VERSION_NUMBER,
    ) -> HRESULT {
        GetCompilerVersion {
            handle,
            family,
            version,
        }
        .pass()
    }
    call.filled(|table: &mut D3D12DDI_COMPILER_CAPABILITIES_FUNCS| {
        table.pfnGetCompilerVersion = Some(again);
    })
}

const EXACT: usize = size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();

impl SetCallbacks {
    fn is_cache(&self) -> bool {
        self.kind == D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE
    }

    fn is_short(&self) -> bool {
        self.is_cache() && self.size < EXACT && !self.table.is_null()
    }

    fn is_larger(&self) -> bool {
        self.is_cache() && self.size > EXACT
    }

    fn is_complete(&self) -> bool {
        self.is_cache() && self.size >= EXACT && !self.table.is_null()
    }
}

pub(crate) fn set_callbacks(call: &mut SetCallbacks) -> HRESULT {
    compile::happened(Event::CallbacksSet);
    let Some((slot, before)) = OPENS.of(call.handle).filter(|_| call.is_complete()) else {
        return call.base();
    };
    let host = call.table.cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();
    // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: as many bytes as the size are there,
    // which are enough.
    let callbacks_of_host = unsafe { host.read_unaligned() };
    if callbacks_of_host.pfnCompilerCacheFindValue.is_none()
        || callbacks_of_host.pfnCompilerCacheStoreValue.is_none()
        || callbacks_of_host
            .pfnCompilerCacheSetObjectValueKeys
            .is_none()
    {
        return call.base();
    }
    OPENS.update(slot, |open| {
        open.host = callbacks_of_host;
        open.host_table = host.expose_provenance();
    });
    // The base gets what is behind the three callbacks too.
    let mut ours = vec![0_usize; call.size.div_ceil(size_of::<usize>())];
    let copy = ours.as_mut_ptr();
    // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: as many bytes as the size are there, and the copy
    // has as many.
    unsafe {
        copy.cast::<u8>().copy_from(call.table.cast(), call.size);
        copy.cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>()
            .write(callbacks(slot));
    }
    let given = call.table;
    call.table = copy.cast_const().cast();
    let result = call.base();
    call.table = given;
    if !result.is_ok() {
        OPENS.update(slot, |now| {
            (now.host, now.host_table) = (before.host, before.host_table);
        });
    }
    result
}

fn larger_followed(call: &mut SetCallbacks) -> HRESULT {
    if call.is_larger() && call.is_complete() {
        // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: the size is larger by a pointer,
        // which is there. That it is a function is the defect.
        unsafe {
            let next = call.table.cast::<Option<unsafe extern "system" fn()>>();
            if let Some(next) = next.add(3).read_unaligned() {
                next();
            }
        }
    }
    call.pass()
}
