//! An open of the DDI: versions, tables, and which open a call belongs to.
//!
//! `pfnCalcPrivateCompilerSize` and `pfnCreateCompiler` carry no `hCompilerDDI`, yet each open has its
//! own versions and callbacks. So every open takes one of [`SLOTS`] slots, and its COMPILER table has
//! [functions](crate::slots) that were compiled for that slot. When all are taken, an open fails with
//! DXGI_ERROR_NOT_CURRENTLY_AVAILABLE until one is destroyed.
//!
//! A slot is of one plugin for ever: the table of an open that was destroyed never leads to another
//! plugin's code, whose objects have other sizes.
//!
//! A handle is a slot's number and the count of opens it has seen, never an address: one that is
//! stale or made up is refused, not followed.

use std::any::{Any, TypeId};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_CACHE_CALLBACKS,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_TABLE_TYPE,
    D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
    D3D12DDI_COMPILER_TARGET, D3D12DDI_HCOMPILER, D3D12DDI_HCOMPILERDDI,
    D3D12DDIARG_COMPILER_OPEN_DDI, DXGI_ERROR_INVALID_CALL, DXGI_ERROR_NOT_CURRENTLY_AVAILABLE,
    E_UNEXPECTED, HRESULT, SIZE_T, VersionNumber,
};
use parking_lot::RwLock;

use crate::boundary::{Nothing, Poison, slot};
use crate::error::{Error, Result};
use crate::family::{AdapterFamily, check_families};
use crate::plugin::{CompilerPlugin, Target};
use crate::session::Callbacks;
use crate::slots::SLOTS;
use crate::{capability_table, compiler_table, two_call};

/// The plugin DDI versions that this SDK speaks, newest first. Their tables are the same.
const PLUGIN_DDI_VERSIONS: [u64; 2] = [
    VersionNumber::new(12, 0, 2, 0).bits(),
    VersionNumber::new(12, 0, 1, 0).bits(),
];

/// Interface 12.80 ("R8") of the usermode DDI, from build 109 on: docs/spec-notes.md, "Which usermode
/// DDI version goes with a plugin DDI version".
fn speaks_usermode_ddi(version: u64) -> bool {
    let [major, minor, build, _] = VersionNumber::from_bits(version).parts();
    (major, minor) == (12, 80) && build >= 109
}

/// One open.
pub(crate) struct Open<P> {
    pub(crate) plugin: P,
    pub(crate) families: Vec<AdapterFamily>,
    pub(crate) poison: Poison,
    slot: usize,
    /// The selected plugin DDI version; 0 before.
    version: AtomicU64,
    callbacks: RwLock<Option<Callbacks>>,
}

/// What an open does for the functions that are told no handle, whatever plugin it is of.
pub(crate) trait AnyOpen: Any + Send + Sync {
    /// # Errors
    ///
    /// E_INVALIDARG and DXGI_ERROR_NOT_FOUND, as for [`Open::target`].
    ///
    /// # Safety
    ///
    /// PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE: the arguments are valid for the call.
    unsafe fn calc_private_compiler_size(
        &self,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
    ) -> Result<SIZE_T>;

    /// # Errors
    ///
    /// As for the size, and what the vendor returns.
    ///
    /// # Safety
    ///
    /// PFND3D12DDI_COMPILER_CREATE_COMPILER: the arguments are valid for the call, and the memory has
    /// the bytes that were calculated and is the object's until it is destroyed.
    unsafe fn create_compiler(
        self: Arc<Self>,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
        compiler: D3D12DDI_HCOMPILER,
    ) -> Result<()>;
}

struct Slot {
    /// The plugin that has it.
    of: Option<TypeId>,
    /// Counts the opens that this slot has had.
    generation: usize,
    open: Option<Arc<dyn AnyOpen>>,
}

// All zeros, so that it takes no room in the binary.
static OPENS: [RwLock<Slot>; SLOTS] = [const {
    RwLock::new(Slot {
        of: None,
        generation: 0,
        open: None,
    })
}; SLOTS];

/// Takes a free slot for what `make` makes of its number, and returns the handle.
fn insert<T: AnyOpen>(make: impl FnOnce(usize) -> T) -> Result<D3D12DDI_HCOMPILERDDI> {
    for (index, place) in OPENS.iter().enumerate() {
        let mut place = place.write();
        let own = TypeId::of::<T>();
        if place.open.is_none() && place.of.is_none_or(|of| of == own) {
            place.of = Some(own);
            place.generation = place.generation.wrapping_add(1) % (usize::MAX / SLOTS);
            place.open = Some(Arc::new(make(index)));
            // Not 0, which would be a null handle.
            let value = place.generation * SLOTS + index + 1;
            return Ok(D3D12DDI_HCOMPILERDDI {
                pDrvPrivate: std::ptr::without_provenance_mut(value),
            });
        }
    }
    Err(Error::new(
        DXGI_ERROR_NOT_CURRENTLY_AVAILABLE,
        format!("{SLOTS} opens of the plugin are alive; destroy one"),
    ))
}

/// The slot of a handle, if its open is alive.
fn place(handle: D3D12DDI_HCOMPILERDDI) -> Result<(&'static RwLock<Slot>, usize)> {
    let value = handle.pDrvPrivate.addr();
    let value = value
        .checked_sub(1)
        .ok_or_else(|| Error::invalid_argument("hCompilerDDI is null"))?;
    Ok((&OPENS[value % SLOTS], value / SLOTS))
}

/// The open that has a slot now.
///
/// # Errors
///
/// E_INVALIDARG when none has: its tables were used after `pfnDestroyCompilerDDI`.
pub(crate) fn in_slot(index: usize) -> Result<Arc<dyn AnyOpen>> {
    let place = OPENS[index].read();
    place.open.clone().ok_or_else(|| {
        Error::invalid_argument("this table's open was destroyed; its functions are invalid")
    })
}

fn stale() -> Error {
    Error::invalid_argument("hCompilerDDI is no open of this plugin, or one that was destroyed")
}

impl<P: CompilerPlugin> Open<P> {
    /// The open that a handle means.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG for a handle that is null, stale or not this plugin's.
    pub(crate) fn of(handle: D3D12DDI_HCOMPILERDDI) -> Result<Arc<Self>> {
        let (place, generation) = place(handle)?;
        let place = place.read();
        let open = place
            .open
            .clone()
            .filter(|_| place.generation == generation);
        open.and_then(|open| (open as Arc<dyn Any + Send + Sync>).downcast().ok())
            .ok_or_else(stale)
    }

    pub(crate) fn callbacks(&self) -> Result<Callbacks> {
        let callbacks = self.callbacks.read();
        callbacks.ok_or_else(|| {
            Error::new(
                DXGI_ERROR_INVALID_CALL,
                "the CACHE callback table is not set yet",
            )
        })
    }

    pub(crate) fn family(&self, index: u32) -> Result<(usize, &AdapterFamily)> {
        let index = index as usize;
        let family = self.families.get(index).ok_or_else(|| {
            Error::not_found(format!(
                "there are {} adapter families, no {index}",
                self.families.len()
            ))
        })?;
        Ok((index, family))
    }

    /// The target that the host names.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG for null or an ABI version that the family has not, DXGI_ERROR_NOT_FOUND for an
    /// unknown family.
    ///
    /// # Safety
    ///
    /// `target` is null or valid for the call.
    pub(crate) unsafe fn target(
        &self,
        target: *const D3D12DDI_COMPILER_TARGET,
    ) -> Result<Target<'_>> {
        // SAFETY: `target` is null, which is refused, or valid for the call (`# Safety`); the reference ends here.
        let target =
            unsafe { target.as_ref() }.ok_or_else(|| Error::invalid_argument("pTarget is null"))?;
        let (family_index, family) = self.family(target.AdapterFamilyIndex)?;
        let abi_version = target.ABIVersion;
        if !family.abi_versions.contains(&abi_version) {
            return Err(Error::invalid_argument(format!(
                "{} has no ABI version {abi_version}",
                family.name
            )));
        }
        Ok(Target {
            family_index,
            family,
            abi_version,
        })
    }
}

/// D3D12OpenCompilerDDI for the plugin `P`.
///
/// # Safety
///
/// `argument` is null or valid for reads and writes, and so is the table that it points at.
pub(crate) unsafe extern "system" fn open_compiler_ddi<P: CompilerPlugin>(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    slot("D3D12OpenCompilerDDI", || {
        if cfg!(panic = "abort") {
            tracing::warn!("built with panic=abort: a panic ends the host's process");
        }
        // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: pOpenDDIArg is _Inout_, one structure that is this call's to change.
        let argument = unsafe { argument.as_mut() }
            .ok_or_else(|| Error::invalid_argument("pOpenDDIArg is null"))?;
        if argument.pDDIFuncs.is_null() {
            return Err(Error::invalid_argument("pDDIFuncs is null"));
        }
        let plugin = P::open()?;
        let families = plugin.adapter_families();
        check_families(&families).map_err(|e| Error::new(E_UNEXPECTED, e.to_string()))?;
        let handle = insert(|slot| Open {
            plugin,
            families,
            poison: Poison::default(),
            slot,
            version: AtomicU64::new(0),
            callbacks: RwLock::new(None),
        })?;
        argument.hCompilerDDI = handle;
        // SAFETY: `pDDIFuncs` was found not null, and the table that it points at is valid for writes (`# Safety`).
        unsafe {
            argument.pDDIFuncs.write(D3D12DDI_COMPILER_DDI_FUNCS {
                pfnDestroyCompilerDDI: Some(destroy_compiler_ddi::<P>),
                pfnGetSupportedVersions: Some(get_supported_versions::<P>),
                pfnSetSelectedVersion: Some(set_selected_version::<P>),
                pfnFillDDITable: Some(fill_ddi_table::<P>),
                pfnSetCallbackDDITable: Some(set_callback_ddi_table::<P>),
            });
        }
        Ok(())
    })
}

unsafe extern "system" fn destroy_compiler_ddi<P: CompilerPlugin>(handle: D3D12DDI_HCOMPILERDDI) {
    slot::<Nothing>("pfnDestroyCompilerDDI", || {
        let (place, generation) = place(handle)?;
        let open = {
            let mut place = place.write();
            // Under the lock that ends it: another thread may be ending it, and a third taking the slot.
            let is_meant =
                place.generation == generation && place.of == Some(TypeId::of::<Open<P>>());
            place.open.take_if(|_| is_meant).ok_or_else(stale)?
        };
        // The vendor's drop runs here, outside the lock.
        drop(open);
        Ok(Nothing)
    });
}

unsafe extern "system" fn get_supported_versions<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    count: *mut u32,
    versions: *mut u64,
) -> HRESULT {
    slot("pfnGetSupportedVersions", || {
        Open::<P>::of(handle)?;
        // SAFETY: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS: puEntries is _Inout_, the array _Out_writes_opt_(*puEntries).
        unsafe { two_call::fill(&PLUGIN_DDI_VERSIONS, count, versions) }
    })
}

unsafe extern "system" fn set_selected_version<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    plugin_ddi_version: u64,
    usermode_ddi_version: u64,
) -> HRESULT {
    slot("pfnSetSelectedVersion", || {
        let open = Open::<P>::of(handle)?;
        if !PLUGIN_DDI_VERSIONS.contains(&plugin_ddi_version) {
            return Err(Error::invalid_argument(format!(
                "plugin DDI version {} was never reported",
                VersionNumber::from_bits(plugin_ddi_version)
            )));
        }
        if !speaks_usermode_ddi(usermode_ddi_version) {
            return Err(Error::invalid_argument(format!(
                "usermode DDI version {} does not belong to the plugin DDI version",
                VersionNumber::from_bits(usermode_ddi_version)
            )));
        }
        open.version.store(plugin_ddi_version, Ordering::Release);
        Ok(())
    })
}

unsafe extern "system" fn fill_ddi_table<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
) -> HRESULT {
    slot("pfnFillDDITable", || {
        let open = Open::<P>::of(handle)?;
        if open.version.load(Ordering::Acquire) == 0 {
            return Err(Error::new(
                DXGI_ERROR_INVALID_CALL,
                "pfnSetSelectedVersion comes before pfnFillDDITable",
            ));
        }
        // SAFETY: PFND3D12DDI_COMPILER_FILL_DDI_TABLE: pTable is the buffer for the table, of tableSize bytes.
        unsafe {
            match kind {
                D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES => {
                    write_table(table, size, capability_table::table::<P>())
                }
                D3D12DDI_COMPILER_TABLE_TYPE_COMPILER => {
                    write_table(table, size, compiler_table::table::<P>(open.slot))
                }
                unknown => Err(Error::invalid_argument(format!(
                    "unknown table {unknown:?}"
                ))),
            }
        }
    })
}

/// # Safety
///
/// `table` is null or valid for writes of `size` bytes.
unsafe fn write_table<T>(table: *mut c_void, size: SIZE_T, content: T) -> Result<()> {
    if table.is_null() {
        return Err(Error::invalid_argument("pTable is null"));
    }
    check_table_size(size, size_of::<T>())?;
    // SAFETY: `table` was found not null and `size` no less than a `T`, and `size` bytes are valid for writes (`# Safety`).
    unsafe { table.cast::<T>().write_unaligned(content) };
    Ok(())
}

fn check_table_size(size: SIZE_T, needed: usize) -> Result<()> {
    if size < needed {
        return Err(Error::invalid_argument(format!(
            "the table of this version has {needed} bytes, the buffer {size}"
        )));
    }
    Ok(())
}

unsafe extern "system" fn set_callback_ddi_table<P: CompilerPlugin>(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    table: *const c_void,
    size: SIZE_T,
) -> HRESULT {
    slot("pfnSetCallbackDDITable", || {
        let open = Open::<P>::of(handle)?;
        if kind != D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE {
            return Err(Error::invalid_argument(format!(
                "unknown callback table {kind:?}"
            )));
        }
        if table.is_null() {
            return Err(Error::invalid_argument("pTable is null"));
        }
        check_table_size(size, size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>())?;
        // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: pTable is _In_reads_(TableSize), not null and large enough.
        let table: D3D12DDI_COMPILER_CACHE_CALLBACKS = unsafe {
            table
                .cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>()
                .read_unaligned()
        };
        let callbacks = Callbacks::new(&table).ok_or_else(|| {
            Error::invalid_argument("a function of the CACHE callback table is null")
        })?;
        *open.callbacks.write() = Some(callbacks);
        Ok(())
    })
}
